// Plugins and providers of files.
#ifndef MUJOCO_INCLUDE_MJPLUGIN_H_
#define MUJOCO_INCLUDE_MJPLUGIN_H_

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>
#include <mujoco/mjtnum.h>
#include <mujoco/mjvisualize.h>

struct mjResource_ {  // file or its like, opened through a provider
  char* name;                                  // name
  void* data;                                  // what the provider keeps
  char timestamp[512];                         // when it last changed
  const struct mjpResourceProvider* provider;  // provider
};
typedef struct mjResource_ mjResource;

// open; 0 when it cannot
typedef int (*mjfOpenResource)(mjResource* resource);

// give the bytes; returns how many, -1 on failure
typedef int (*mjfReadResource)(mjResource* resource, const void** buffer);

// close
typedef void (*mjfCloseResource)(mjResource* resource);

// tell the folder part of the name
typedef void (*mjfGetResourceDir)(mjResource* resource, const char** dir, int* ndir);

// did it change since; 0: no
typedef int (*mjfResourceModified)(const mjResource* resource, const char* timestamp);

struct mjpResourceProvider {  // source of files under a prefix
  const char* prefix;            // what names begin with
  mjfOpenResource open;          // open
  mjfReadResource read;          // read
  mjfCloseResource close;        // close
  mjfGetResourceDir getdir;      // folder part; may be NULL
  mjfResourceModified modified;  // changed since; may be NULL
  void* data;                    // what the provider keeps
};
typedef struct mjpResourceProvider mjpResourceProvider;

typedef enum mjtPluginCapabilityBit_ {  // what a plugin can do
  mjPLUGIN_ACTUATOR = 1<<0,  // gives forces of actuators
  mjPLUGIN_SENSOR   = 1<<1,  // sensor readings
  mjPLUGIN_PASSIVE  = 1<<2,  // adds passive forces to joints
  mjPLUGIN_SDF      = 1<<3,  // gives shapes by their signed distance
} mjtPluginCapabilityBit;

struct mjpPlugin_ {  // plugin
  const char* name;  // name

  int nattribute;  // number of settings
  const char* const* attributes;

  int capabilityflags;  // mjtPluginCapabilityBit set
  int needstage;        // stage of its sensors (mjtStage)

  // how many states an instance has
  int (*nstate)(const mjModel* m, int instance);

  // how many readings a sensor gives
  int (*nsensordata)(const mjModel* m, int instance, int sensor_id);

  // an instance is made with its mjData
  int (*init)(const mjModel* m, mjData* d, int instance);

  // an instance goes with its mjData
  void (*destroy)(mjData* d, int instance);

  // an instance is copied with its mjData
  void (*copy)(mjData* dest, const mjModel* m, const mjData* src, int instance);

  // an instance starts anew
  void (*reset)(const mjModel* m, mjtNum* plugin_state, void* plugin_data, int instance);

  // compute what the capability asks for
  void (*compute)(const mjModel* m, mjData* d, int instance, int capability_bit);

  // advance the state at the end of a step
  void (*advance)(const mjModel* m, mjData* d, int instance);

  // add to the scene
  void (*visualize)(const mjModel*m, mjData* d, const mjvOption* opt, mjvScene* scn, int instance);

  // time derivative of activations
  void (*actuator_act_dot)(const mjModel* m, mjData* d, int instance);

  // signed distance of a point
  mjtNum (*sdf_distance)(const mjtNum point[3], const mjData* d, int instance);

  // gradient of the signed distance
  void (*sdf_gradient)(mjtNum gradient[3], const mjtNum point[3], const mjData* d, int instance);

  // signed distance at compile time
  mjtNum (*sdf_staticdistance)(const mjtNum point[3], const mjtNum* attributes);

  // settings with their defaults
  void (*sdf_attribute)(mjtNum attribute[], const char* name[], const char* value[]);

  // bounding box
  void (*sdf_aabb)(mjtNum aabb[6], const mjtNum* attributes);
};
typedef struct mjpPlugin_ mjpPlugin;

struct mjSDF_ {  // signed distance functions of a pair
  const mjpPlugin** plugin;  // plugins
  int* id;                   // instances
  mjtSDFType type;           // how they combine
  mjtNum* relpos;            // relative position
  mjtNum* relmat;            // relative orientation
  mjtGeom* geomtype;         // kinds of geom
};
typedef struct mjSDF_ mjSDF;

#if defined(__has_attribute)

  #if __has_attribute(constructor)
    #define mjPLUGIN_LIB_INIT __attribute__((constructor)) static void _mjplugin_init(void)
  #endif

#elif defined(_MSC_VER)

  #ifndef mjDLLMAIN
    #define mjDLLMAIN DllMain
  #endif

  #if !defined(mjEXTERNC)
    #if defined(__cplusplus)
      #define mjEXTERNC extern "C"
    #else
      #define mjEXTERNC
    #endif
  #endif

  #define mjPLUGIN_LIB_INIT                                                                 \
    static void _mjplugin_dllmain(void);                                                    \
    mjEXTERNC int __stdcall mjDLLMAIN(void* hinst, unsigned long reason, void* reserved) {  \
      if (reason == 1) {                                                                    \
        _mjplugin_dllmain();                                                                \
      }                                                                                     \
      return 1;                                                                             \
    }                                                                                       \
    static void _mjplugin_dllmain(void)

#endif

// hears which plugins a library registered
typedef void (*mjfPluginLibraryLoadCallback)(const char* filename, int first, int count);

#endif
