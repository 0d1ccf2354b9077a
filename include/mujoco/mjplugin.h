#ifndef MUJOCO_INCLUDE_MJPLUGIN_H_
#define MUJOCO_INCLUDE_MJPLUGIN_H_

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>
#include <mujoco/mjtnum.h>
#include <mujoco/mjvisualize.h>

struct mjResource_ {
  char* name;
  void* data;
  char timestamp[512];
  const struct mjpResourceProvider* provider;
};
typedef struct mjResource_ mjResource;

typedef int (*mjfOpenResource)(mjResource* resource);

typedef int (*mjfReadResource)(mjResource* resource, const void** buffer);

typedef void (*mjfCloseResource)(mjResource* resource);

typedef void (*mjfGetResourceDir)(mjResource* resource, const char** dir, int* ndir);

typedef int (*mjfResourceModified)(const mjResource* resource, const char* timestamp);

struct mjpResourceProvider {
  const char* prefix;
  mjfOpenResource open;
  mjfReadResource read;
  mjfCloseResource close;
  mjfGetResourceDir getdir;
  mjfResourceModified modified;
  void* data;
};
typedef struct mjpResourceProvider mjpResourceProvider;

typedef enum mjtPluginCapabilityBit_ {
  mjPLUGIN_ACTUATOR = 1<<0,
  mjPLUGIN_SENSOR   = 1<<1,
  mjPLUGIN_PASSIVE  = 1<<2,
  mjPLUGIN_SDF      = 1<<3,
} mjtPluginCapabilityBit;

struct mjpPlugin_ {
  const char* name;

  int nattribute;
  const char* const* attributes;

  int capabilityflags;
  int needstage;

  int (*nstate)(const mjModel* m, int instance);

  int (*nsensordata)(const mjModel* m, int instance, int sensor_id);

  int (*init)(const mjModel* m, mjData* d, int instance);

  void (*destroy)(mjData* d, int instance);

  void (*copy)(mjData* dest, const mjModel* m, const mjData* src, int instance);

  void (*reset)(const mjModel* m, mjtNum* plugin_state, void* plugin_data, int instance);

  void (*compute)(const mjModel* m, mjData* d, int instance, int capability_bit);

  void (*advance)(const mjModel* m, mjData* d, int instance);

  void (*visualize)(const mjModel*m, mjData* d, const mjvOption* opt, mjvScene* scn, int instance);

  void (*actuator_act_dot)(const mjModel* m, mjData* d, int instance);

  mjtNum (*sdf_distance)(const mjtNum point[3], const mjData* d, int instance);

  void (*sdf_gradient)(mjtNum gradient[3], const mjtNum point[3], const mjData* d, int instance);

  mjtNum (*sdf_staticdistance)(const mjtNum point[3], const mjtNum* attributes);

  void (*sdf_attribute)(mjtNum attribute[], const char* name[], const char* value[]);

  void (*sdf_aabb)(mjtNum aabb[6], const mjtNum* attributes);
};
typedef struct mjpPlugin_ mjpPlugin;

struct mjSDF_ {
  const mjpPlugin** plugin;
  int* id;
  mjtSDFType type;
  mjtNum* relpos;
  mjtNum* relmat;
  mjtGeom* geomtype;
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

typedef void (*mjfPluginLibraryLoadCallback)(const char* filename, int first, int count);

#endif
