// mjSpec: the model while it is edited.
#ifndef MUJOCO_INCLUDE_MJSPEC_H_
#define MUJOCO_INCLUDE_MJSPEC_H_

#include <stddef.h>
#include <mujoco/mjmodel.h>
#include <mujoco/mjtnum.h>

#ifdef __cplusplus
extern "C" {
#endif

// Text and lists of an element: opaque, read and written by mjs_get* and mjs_set*.
typedef void mjString;
typedef void mjStringVec;
typedef void mjIntVec;
typedef void mjIntVecVec;
typedef void mjFloatVec;
typedef void mjFloatVecVec;
typedef void mjDoubleVec;
typedef void mjByteVec;

typedef enum mjtGeomInertia_ {  // where a geom's mass sits
  mjINERTIA_VOLUME = 0,  // in the volume
  mjINERTIA_SHELL,       // on the surface
} mjtGeomInertia;

typedef enum mjtMeshInertia_ {  // how a mesh's inertia is found
  mjMESH_INERTIA_CONVEX = 0,  // of its convex hull
  mjMESH_INERTIA_EXACT,       // of the enclosed volume; the mesh must be closed
  mjMESH_INERTIA_LEGACY,      // of pyramids from the centre; overcounts concave meshes
  mjMESH_INERTIA_SHELL        // of its surface
} mjtMeshInertia;

typedef enum mjtBuiltin_ {  // textures made by the compiler
  mjBUILTIN_NONE = 0,  // none
  mjBUILTIN_GRADIENT,  // from rgb1 to rgb2
  mjBUILTIN_CHECKER,   // checker of rgb1 and rgb2
  mjBUILTIN_FLAT       // rgb1; on cubes rgb2 for the sides
} mjtBuiltin;

typedef enum mjtMark_ {  // marks on textures made by the compiler
  mjMARK_NONE = 0,  // none
  mjMARK_EDGE,      // edges
  mjMARK_CROSS,     // cross
  mjMARK_RANDOM     // random dots
} mjtMark;

typedef enum mjtLimited_ {  // is there a limit
  mjLIMITED_FALSE = 0,  // no
  mjLIMITED_TRUE,       // yes
  mjLIMITED_AUTO,       // yes when a range is given
} mjtLimited;

typedef enum mjtAlignFree_ {  // is a free body's frame moved to its inertial frame
  mjALIGNFREE_FALSE = 0,  // no
  mjALIGNFREE_TRUE,       // yes
  mjALIGNFREE_AUTO,       // as the compiler option says
} mjtAlignFree;

typedef enum mjtInertiaFromGeom_ {  // do geoms give a body's inertia
  mjINERTIAFROMGEOM_FALSE = 0,  // no, it must be given
  mjINERTIAFROMGEOM_TRUE,       // always
  mjINERTIAFROMGEOM_AUTO        // when it is not given
} mjtInertiaFromGeom;

typedef enum mjtOrientation_ {  // ways to give an orientation
  mjORIENTATION_QUAT = 0,   // quaternion
  mjORIENTATION_AXISANGLE,  // axis and angle
  mjORIENTATION_XYAXES,     // x and y axes
  mjORIENTATION_ZAXIS,      // z axis, by the smallest rotation
  mjORIENTATION_EULER,      // Euler angles
} mjtOrientation;

typedef struct mjsElement_ {  // what every element of a spec begins with; not to be changed
  mjtObj elemtype;     // kind
  uint64_t signature;  // mark of the compilation
} mjsElement;

typedef struct mjsCompiler_ {  // settings of the compiler
  mjtByte autolimits;        // a range makes a limit
  double boundmass;          // least mass of a body
  double boundinertia;       // least principal inertia of a body
  double settotalmass;       // scale to this mass; not positive: don't
  mjtByte balanceinertia;    // repair A + B < C
  mjtByte fitaabb;           // fit primitives to a mesh's box, not to its inertia
  mjtByte degree;            // angles are in degrees
  char eulerseq[3];          // sequence of Euler angles
  mjtByte discardvisual;     // drop geoms and meshes that are only seen
  mjtByte usethread;         // use threads
  mjtByte fusestatic;        // merge bodies without joints into their parents
  int inertiafromgeom;       // mjtInertiaFromGeom
  int inertiagrouprange[2];  // geom groups that count for inertia
  mjtByte saveinertial;      // save explicit inertia for all bodies
  int alignfree;             // move free bodies' frames to their inertial frames
  mjLROpt LRopt;             // settings of the length range
} mjsCompiler;

typedef struct mjSpec_ {  // the editable model
  mjsElement* element;  // kind and identity
  mjString* modelname;  // name of the model

  mjsCompiler compiler;  // settings of the compiler
  mjtByte strippath;     // keep only file names
  mjString* meshdir;     // folder of meshes and height fields
  mjString* texturedir;  // folder of textures

  mjOption option;   // physics options
  mjVisual visual;   // visual options
  mjStatistic stat;  // statistics, where given

  size_t memory;       // bytes of arena and stack; 0: automatic
  int nemax;           // rows that equality constraints may take
  int nuserdata;       // numbers reserved for the user
  int nuser_body;      // user numbers per body
  int nuser_jnt;       // user numbers per joint
  int nuser_geom;      // user numbers per geom
  int nuser_site;      // user numbers per site
  int nuser_cam;       // user numbers per camera
  int nuser_tendon;    // user numbers per tendon
  int nuser_actuator;  // user numbers per actuator
  int nuser_sensor;    // user numbers per sensor
  int nkey;            // keyframes
  int njmax;           // rows of the constraint Jacobian (legacy)
  int nconmax;         // contacts (legacy)
  size_t nstack;       // numbers on the stack (legacy)

  mjString* comment;       // comment at the top of a saved file
  mjString* modelfiledir;  // folder of the model file

  mjtByte hasImplicitPluginElem;  // a plugin is instantiated in place
} mjSpec;

typedef struct mjsOrientation_ {  // orientation in one of several ways
  mjtOrientation type;  // which way
  double axisangle[4];  // axis and angle
  double xyaxes[6];     // x and y axes
  double zaxis[3];      // z axis
  double euler[3];      // Euler angles
} mjsOrientation;

typedef struct mjsPlugin_ {  // plugin instance
  mjsElement* element;    // kind and identity
  mjString* name;         // name of the instance
  mjString* plugin_name;  // name of the plugin
  mjtByte active;         // is there one
  mjString* info;         // what error messages add about this element
} mjsPlugin;

typedef struct mjsBody_ {  // body
  mjsElement* element;   // kind and identity
  mjString* childclass;  // default class of what is inside

  double pos[3];       // position
  double quat[4];      // orientation
  mjsOrientation alt;  // orientation, another way

  double mass;            // mass
  double ipos[3];         // position of the inertial frame
  double iquat[4];        // orientation of the inertial frame
  double inertia[3];      // principal inertia
  mjsOrientation ialt;    // orientation of the inertial frame, another way
  double fullinertia[6];  // inertia matrix (xx, yy, zz, xy, xz, yz)

  mjtByte mocap;             // moved by the user
  double gravcomp;           // share of gravity compensated
  mjDoubleVec* userdata;     // user numbers
  mjtByte explicitinertial;  // inertia is given
  mjsPlugin plugin;          // plugin
  mjString* info;            // what error messages add about this element
} mjsBody;

typedef struct mjsFrame_ {  // coordinate frame that disappears in compilation
  mjsElement* element;   // kind and identity
  mjString* childclass;  // default class of what is inside
  double pos[3];         // position
  double quat[4];        // orientation
  mjsOrientation alt;    // orientation, another way
  mjString* info;        // what error messages add about this element
} mjsFrame;

typedef struct mjsJoint_ {  // joint
  mjsElement* element;  // kind and identity
  mjtJoint type;        // kind

  double pos[3];   // anchor
  double axis[3];  // axis
  double ref;      // value in the reference configuration
  int align;       // move a free body's frame to its inertial frame (mjtAlignFree)

  double stiffness;        // stiffness
  double springref;        // value at which the spring rests
  double springdamper[2];  // time constant, damping ratio

  int limited;                  // is there a limit (mjtLimited)
  double range[2];              // range
  double margin;                // margin
  mjtNum solref_limit[mjNREF];  // solver reference of the limit
  mjtNum solimp_limit[mjNIMP];  // solver impedance of the limit
  int actfrclimited;            // is actuator force limited (mjtLimited)
  double actfrcrange[2];        // range of actuator force

  double armature;                 // added inertia
  double damping;                  // damping
  double frictionloss;             // dry friction
  mjtNum solref_friction[mjNREF];  // solver reference of dry friction
  mjtNum solimp_friction[mjNIMP];  // solver impedance of dry friction

  int group;              // group
  mjtByte actgravcomp;    // gravity compensation counts as actuator force
  mjDoubleVec* userdata;  // user numbers
  mjString* info;         // what error messages add about this element
} mjsJoint;

typedef struct mjsGeom_ {  // geom
  mjsElement* element;  // kind and identity
  mjtGeom type;         // kind

  double pos[3];       // position
  double quat[4];      // orientation
  mjsOrientation alt;  // orientation, another way
  double fromto[6];    // ends; first NaN: not given
  double size[3];      // sizes

  int contype;            // bits of its kind
  int conaffinity;        // bits of kinds it collides with
  int condim;             // contact dimensions
  int priority;           // the higher decides the contact parameters
  double friction[3];     // friction
  double solmix;          // weight when parameters mix
  mjtNum solref[mjNREF];  // solver reference
  mjtNum solimp[mjNIMP];  // solver impedance
  double margin;          // margin
  double gap;             // contact acts below margin - gap

  double mass;                 // mass
  double density;              // density
  mjtGeomInertia typeinertia;  // where the mass sits

  mjtNum fluid_ellipsoid;  // ellipsoid model of fluid forces is on
  mjtNum fluid_coefs[5];   // coefficients of that model

  mjString* material;  // material
  float rgba[4];       // colour
  int group;           // group

  mjString* hfieldname;   // height field
  mjString* meshname;     // mesh
  double fitscale;        // scale of a primitive fitted to a mesh
  mjDoubleVec* userdata;  // user numbers
  mjsPlugin plugin;       // plugin
  mjString* info;         // what error messages add about this element
} mjsGeom;

typedef struct mjsSite_ {  // site
  mjsElement* element;  // kind and identity

  double pos[3];       // position
  double quat[4];      // orientation
  mjsOrientation alt;  // orientation, another way
  double fromto[6];    // ends; first NaN: not given
  double size[3];      // sizes

  mjtGeom type;        // kind
  mjString* material;  // material
  int group;           // group
  float rgba[4];       // colour

  mjDoubleVec* userdata;  // user numbers
  mjString* info;         // what error messages add about this element
} mjsSite;

typedef struct mjsCamera_ {  // camera
  mjsElement* element;  // kind and identity

  double pos[3];         // position
  double quat[4];        // orientation
  mjsOrientation alt;    // orientation, another way
  mjtCamLight mode;      // how it follows
  mjString* targetbody;  // body it follows

  int orthographic;           // projects in parallel
  double fovy;                // vertical field of view
  double ipd;                 // distance between the eyes
  float intrinsic[4];         // focal lengths and principal point
  float sensor_size[2];       // size of the sensor (length)
  float resolution[2];        // size of the picture (pixels)
  float focal_length[2];      // focal lengths (length)
  float focal_pixel[2];       // focal lengths (pixels)
  float principal_length[2];  // principal point (length)
  float principal_pixel[2];   // principal point (pixels)

  mjDoubleVec* userdata;  // user numbers
  mjString* info;         // what error messages add about this element
} mjsCamera;

typedef struct mjsLight_ {  // light
  mjsElement* element;  // kind and identity

  double pos[3];         // position
  double dir[3];         // direction
  mjtCamLight mode;      // how it follows
  mjString* targetbody;  // body it follows

  mjtByte active;        // is on
  mjtLightType type;     // kind
  mjString* texture;     // picture of an image light
  mjtByte castshadow;    // casts shadows
  float bulbradius;      // radius of the bulb
  float intensity;       // intensity (candela)
  float range;           // reach
  float attenuation[3];  // constant, linear, quadratic
  float cutoff;          // cut-off
  float exponent;        // how sharply the cone fades
  float ambient[3];      // ambient colour
  float diffuse[3];      // diffuse colour
  float specular[3];     // specular reflection or colour

  mjString* info;  // what error messages add about this element
} mjsLight;

typedef struct mjsFlex_ {  // deformable of lines, triangles or tetrahedra
  mjsElement* element;  // kind and identity

  int contype;            // bits of its kind
  int conaffinity;        // bits of kinds it collides with
  int condim;             // contact dimensions
  int priority;           // the higher decides the contact parameters
  double friction[3];     // friction
  double solmix;          // weight when parameters mix
  mjtNum solref[mjNREF];  // solver reference
  mjtNum solimp[mjNIMP];  // solver impedance
  double margin;          // margin
  double gap;             // contact acts below margin - gap

  int dim;               // dimension
  double radius;         // radius around the elements
  mjtByte internal;      // elements collide with their own vertices
  mjtByte flatskin;      // drawn with flat shading
  int selfcollide;       // self-collision (mjtFlexSelf)
  int vertcollide;       // vertices collide
  int activelayers;      // layers of elements that collide
  int group;             // group
  double edgestiffness;  // stiffness of edges
  double edgedamping;    // damping of edges
  float rgba[4];         // colour
  mjString* material;    // material
  double young;          // Young's modulus
  double poisson;        // Poisson's ratio
  double damping;        // damping
  double thickness;      // thickness (2D)
  int elastic2d;         // passive forces of a 2D flex (0: none, 1: bending, 2: stretching, 3: both)

  mjStringVec* nodebody;   // bodies of nodes
  mjStringVec* vertbody;   // bodies of vertices
  mjDoubleVec* node;       // nodes
  mjDoubleVec* vert;       // vertices
  mjIntVec* elem;          // vertices of elements
  mjFloatVec* texcoord;    // texture coordinates
  mjIntVec* elemtexcoord;  // texture coordinates of elements

  mjString* info;  // what error messages add about this element
} mjsFlex;

typedef struct mjsMesh_ {  // mesh
  mjsElement* element;         // kind and identity
  mjString* content_type;      // kind of file
  mjString* file;              // file
  double refpos[3];            // position taken as origin
  double refquat[4];           // orientation taken as identity
  double scale[3];             // scale
  mjtMeshInertia inertia;      // how inertia is found
  mjtByte smoothnormal;        // normals are smooth across edges
  int maxhullvert;             // most vertices of the hull; -1: no bound
  mjFloatVec* uservert;        // vertices
  mjFloatVec* usernormal;      // normals
  mjFloatVec* usertexcoord;    // texture coordinates
  mjIntVec* userface;          // triangles
  mjIntVec* userfacetexcoord;  // texture coordinates of triangles
  mjsPlugin plugin;            // plugin
  mjString* info;              // what error messages add about this element
} mjsMesh;

typedef struct mjsHField_ {  // height field
  mjsElement* element;     // kind and identity
  mjString* content_type;  // kind of file
  mjString* file;          // file
  double size[4];          // half x, half y, top, bottom
  int nrow;                // rows
  int ncol;                // columns
  mjFloatVec* userdata;    // elevations
  mjString* info;          // what error messages add about this element
} mjsHField;

typedef struct mjsSkin_ {  // skin
  mjsElement* element;  // kind and identity
  mjString* file;       // file
  mjString* material;   // material
  float rgba[4];        // colour
  float inflate;        // displacement along the normals
  int group;            // group

  mjFloatVec* vert;      // vertices
  mjFloatVec* texcoord;  // texture coordinates
  mjIntVec* face;        // triangles

  mjStringVec* bodyname;      // bodies of bones
  mjFloatVec* bindpos;        // positions of bones when bound
  mjFloatVec* bindquat;       // orientations of bones when bound
  mjIntVecVec* vertid;        // vertices of bones
  mjFloatVecVec* vertweight;  // weights of bones' vertices

  mjString* info;  // what error messages add about this element
} mjsSkin;

typedef struct mjsTexture_ {  // texture
  mjsElement* element;       // kind and identity
  mjtTexture type;           // kind
  mjtColorSpace colorspace;  // encoding of colours

  int builtin;        // pattern made by the compiler (mjtBuiltin)
  int mark;           // mark on it (mjtMark)
  double rgb1[3];     // first colour
  double rgb2[3];     // second colour
  double markrgb[3];  // colour of the mark
  double random;      // share of random dots
  int height;         // rows of pixels
  int width;          // columns of pixels
  int nchannel;       // bytes per pixel

  mjString* content_type;  // kind of file
  mjString* file;          // file
  int gridsize[2];         // rows and columns of a picture of several sides
  char gridlayout[13];     // which side is where

  mjStringVec* cubefiles;  // file of each side

  mjByteVec* data;  // pixels

  mjtByte hflip;  // mirror left and right
  mjtByte vflip;  // mirror up and down

  mjString* info;  // what error messages add about this element
} mjsTexture;

typedef struct mjsMaterial_ {  // material
  mjsElement* element;    // kind and identity
  mjStringVec* textures;  // texture of each role
  mjtByte texuniform;     // texture repeats per unit of space
  float texrepeat[2];     // repetitions of the texture
  float emission;         // light given off
  float specular;         // specular reflection or colour
  float shininess;        // shininess
  float reflectance;      // mirror reflection
  float metallic;         // metallic share
  float roughness;        // roughness
  float rgba[4];          // colour
  mjString* info;         // what error messages add about this element
} mjsMaterial;

typedef struct mjsPair_ {  // pair of geoms that collide
  mjsElement* element;  // kind and identity
  mjString* geomname1;  // first geom
  mjString* geomname2;  // second geom

  int condim;                     // contact dimensions
  mjtNum solref[mjNREF];          // solver reference
  mjtNum solreffriction[mjNREF];  // solver reference of friction
  mjtNum solimp[mjNIMP];          // solver impedance
  double margin;                  // margin
  double gap;                     // contact acts below margin - gap
  double friction[5];             // friction
  mjString* info;                 // what error messages add about this element
} mjsPair;

typedef struct mjsExclude_ {  // pair of bodies that do not collide
  mjsElement* element;  // kind and identity
  mjString* bodyname1;  // first body
  mjString* bodyname2;  // second body
  mjString* info;       // what error messages add about this element
} mjsExclude;

typedef struct mjsEquality_ {  // equality constraint
  mjsElement* element;     // kind and identity
  mjtEq type;              // kind
  double data[mjNEQDATA];  // numbers
  mjtByte active;          // is on
  mjString* name1;         // first object
  mjString* name2;         // second object
  mjtObj objtype;          // kind of object
  mjtNum solref[mjNREF];   // solver reference
  mjtNum solimp[mjNIMP];   // solver impedance
  mjString* info;          // what error messages add about this element
} mjsEquality;

typedef struct mjsTendon_ {  // tendon
  mjsElement* element;  // kind and identity

  double stiffness;                // stiffness
  double springlength[2];          // lengths between which the spring rests
  double damping;                  // damping
  double frictionloss;             // dry friction
  mjtNum solref_friction[mjNREF];  // solver reference of dry friction
  mjtNum solimp_friction[mjNIMP];  // solver impedance of dry friction
  double armature;                 // added inertia

  int limited;                  // is there a limit (mjtLimited)
  int actfrclimited;            // is actuator force limited (mjtLimited)
  double range[2];              // range
  double actfrcrange[2];        // range of actuator force
  double margin;                // margin
  mjtNum solref_limit[mjNREF];  // solver reference of the limit
  mjtNum solimp_limit[mjNIMP];  // solver impedance of the limit

  mjString* material;  // material
  double width;        // width when drawn
  float rgba[4];       // colour
  int group;           // group

  mjDoubleVec* userdata;  // user numbers
  mjString* info;         // what error messages add about this element
} mjsTendon;

typedef struct mjsWrap_ {  // path element of a tendon
  mjsElement* element;  // kind and identity
  mjString* info;       // what error messages add about this element
} mjsWrap;

typedef struct mjsActuator_ {  // actuator
  mjsElement* element;  // kind and identity

  mjtGain gaintype;         // gain
  double gainprm[mjNGAIN];  // numbers of the gain
  mjtBias biastype;         // bias
  double biasprm[mjNGAIN];  // numbers of the bias

  mjtDyn dyntype;         // activation dynamics
  double dynprm[mjNDYN];  // numbers of the dynamics
  int actdim;             // number of activations; -1: as the dynamics need
  mjtByte actearly;       // force takes the next activation

  mjtTrn trntype;         // what it acts on
  double gear[6];         // scale of length and force, or wrench
  mjString* target;       // object it acts on
  mjString* refsite;      // site relative to which it acts
  mjString* slidersite;   // slider of a slider-crank
  double cranklength;     // length of the crank's rod
  double lengthrange[2];  // lengths that can be reached
  double inheritrange;    // control range from the target's range, times this

  int ctrllimited;       // are controls limited (mjtLimited)
  double ctrlrange[2];   // range of controls
  int forcelimited;      // are forces limited (mjtLimited)
  double forcerange[2];  // range of forces
  int actlimited;        // are activations limited (mjtLimited)
  double actrange[2];    // range of activations

  int group;              // group
  mjDoubleVec* userdata;  // user numbers
  mjsPlugin plugin;       // plugin
  mjString* info;         // what error messages add about this element
} mjsActuator;

typedef struct mjsSensor_ {  // sensor
  mjsElement* element;  // kind and identity

  mjtSensor type;     // kind
  mjtObj objtype;     // kind of object
  mjString* objname;  // object
  mjtObj reftype;     // kind of the reference frame
  mjString* refname;  // reference frame

  mjtDataType datatype;  // kind of reading
  mjtStage needstage;    // stage that gives it
  int dim;               // number of outputs

  double cutoff;  // cut-off
  double noise;   // standard deviation of noise

  mjDoubleVec* userdata;  // user numbers
  mjsPlugin plugin;       // plugin
  mjString* info;         // what error messages add about this element
} mjsSensor;

typedef struct mjsNumeric_ {  // custom numbers
  mjsElement* element;  // kind and identity
  mjDoubleVec* data;    // numbers
  int size;             // how many; the rest is zero
  mjString* info;       // what error messages add about this element
} mjsNumeric;

typedef struct mjsText_ {  // custom text
  mjsElement* element;  // kind and identity
  mjString* data;       // numbers
  mjString* info;       // what error messages add about this element
} mjsText;

typedef struct mjsTuple_ {  // custom list of objects
  mjsElement* element;   // kind and identity
  mjIntVec* objtype;     // kind of object
  mjStringVec* objname;  // object
  mjDoubleVec* objprm;   // numbers that go with objects
  mjString* info;        // what error messages add about this element
} mjsTuple;

typedef struct mjsKey_ {  // keyframe
  mjsElement* element;  // kind and identity
  double time;          // time
  mjDoubleVec* qpos;    // positions
  mjDoubleVec* qvel;    // velocities
  mjDoubleVec* act;     // activations
  mjDoubleVec* mpos;    // positions of mocap bodies
  mjDoubleVec* mquat;   // orientations of mocap bodies
  mjDoubleVec* ctrl;    // controls
  mjString* info;       // what error messages add about this element
} mjsKey;

typedef struct mjsDefault_ {  // class of default values
  mjsElement* element;    // kind and identity
  mjsJoint* joint;        // joints
  mjsGeom* geom;          // geoms
  mjsSite* site;          // sites
  mjsCamera* camera;      // cameras
  mjsLight* light;        // lights
  mjsFlex* flex;          // flexes
  mjsMesh* mesh;          // meshes
  mjsMaterial* material;  // materials
  mjsPair* pair;          // pairs
  mjsEquality* equality;  // equality constraints
  mjsTendon* tendon;      // tendons
  mjsActuator* actuator;  // actuators
} mjsDefault;

#ifdef __cplusplus
}
#endif

#endif
