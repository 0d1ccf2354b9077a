// mjModel: what is simulated, and its options.
#ifndef MUJOCO_MJMODEL_H_
#define MUJOCO_MJMODEL_H_

#include <stddef.h>
#include <stdint.h>

#include <mujoco/mjtnum.h>

#define mjPI            3.14159265358979323846  // the circle's half turn
#define mjMAXVAL        1E+10                   // larger magnitudes in qpos, qvel, qacc count as bad
#define mjMINMU         1E-5                    // floor of friction coefficients
#define mjMINIMP        0.0001                  // floor of the constraint impedance
#define mjMAXIMP        0.9999                  // ceiling of the constraint impedance
#define mjMAXCONPAIR    50                      // contacts that one pair of geoms may give
#define mjMAXTREEDEPTH  50                      // deepest bounding volume tree
#define mjMAXFLEXNODES  27                      // control nodes of one flex

#define mjNEQDATA       11   // numbers in eq_data
#define mjNDYN          10   // numbers in actuator_dynprm
#define mjNGAIN         10   // numbers in actuator_gainprm
#define mjNBIAS         10   // numbers in actuator_biasprm
#define mjNFLUID        12   // numbers of the fluid interaction of a geom
#define mjNREF          2    // numbers in a solver reference
#define mjNIMP          5    // numbers in a solver impedance
#define mjNSOLVER       200  // solver iterations with statistics
#define mjNISLAND       20   // islands with statistics

typedef enum mjtDisableBit_ {  // switches for parts of the computation that are on by default
  mjDSBL_CONSTRAINT   = 1<<0,   // the whole constraint solver
  mjDSBL_EQUALITY     = 1<<1,   // equality constraints
  mjDSBL_FRICTIONLOSS = 1<<2,   // dry friction of joints and tendons
  mjDSBL_LIMIT        = 1<<3,   // limits of joints and tendons
  mjDSBL_CONTACT      = 1<<4,   // contacts
  mjDSBL_PASSIVE      = 1<<5,   // passive forces
  mjDSBL_GRAVITY      = 1<<6,   // gravity
  mjDSBL_CLAMPCTRL    = 1<<7,   // controls clamped to their range
  mjDSBL_WARMSTART    = 1<<8,   // solver started from the last solution
  mjDSBL_FILTERPARENT = 1<<9,   // no collision of a body with its parent
  mjDSBL_ACTUATION    = 1<<10,  // actuator forces
  mjDSBL_REFSAFE      = 1<<11,  // time constant kept above two time steps
  mjDSBL_SENSOR       = 1<<12,  // sensors
  mjDSBL_MIDPHASE     = 1<<13,  // bounding volume trees between broad and narrow phase
  mjDSBL_EULERDAMP    = 1<<14,  // implicit joint damping in the Euler integrator
  mjDSBL_AUTORESET    = 1<<15,  // reset when numbers go bad
  mjDSBL_NATIVECCD    = 1<<16,  // the native convex collision pipeline

  mjNDISABLE          = 17  // number of switches
} mjtDisableBit;

typedef enum mjtEnableBit_ {  // switches for features that are off by default
  mjENBL_OVERRIDE     = 1<<0,  // contact parameters taken from the options
  mjENBL_ENERGY       = 1<<1,  // energy computed
  mjENBL_FWDINV       = 1<<2,  // forward and inverse dynamics compared
  mjENBL_INVDISCRETE  = 1<<3,  // inverse dynamics of the discrete step
  mjENBL_MULTICCD     = 1<<4,  // several contacts per convex pair
  mjENBL_ISLAND       = 1<<5,  // constraint islands found and solved apart

  mjNENABLE           = 6  // number of switches
} mjtEnableBit;

typedef enum mjtJoint_ {  // kinds of joint
  mjJNT_FREE          = 0,  // position and quaternion in the world (7 positions, 6 dofs)
  mjJNT_BALL,               // quaternion relative to the parent (4 positions, 3 dofs)
  mjJNT_SLIDE,              // distance along an axis of the body
  mjJNT_HINGE               // angle about an axis of the body
} mjtJoint;

typedef enum mjtGeom_ {  // kinds of geometric shape
  mjGEOM_PLANE        = 0,  // half space below a plane
  mjGEOM_HFIELD,            // terrain of elevations on a grid
  mjGEOM_SPHERE,            // ball
  mjGEOM_CAPSULE,           // cylinder with half-ball ends
  mjGEOM_ELLIPSOID,         // ellipsoid
  mjGEOM_CYLINDER,          // cylinder
  mjGEOM_BOX,               // box
  mjGEOM_MESH,              // triangle mesh
  mjGEOM_SDF,               // signed distance function

  mjNGEOMTYPES,  // number of kinds that a model may contain

  mjGEOM_ARROW        = 100,  // arrow (drawn only)
  mjGEOM_ARROW1,              // arrow without wedges (drawn only)
  mjGEOM_ARROW2,              // arrow both ways (drawn only)
  mjGEOM_LINE,                // line (drawn only)
  mjGEOM_LINEBOX,             // edges of a box (drawn only)
  mjGEOM_FLEX,                // flex (drawn only)
  mjGEOM_SKIN,                // skin (drawn only)
  mjGEOM_LABEL,               // text (drawn only)
  mjGEOM_TRIANGLE,            // triangle (drawn only)

  mjGEOM_NONE         = 1001  // no shape
} mjtGeom;

typedef enum mjtCamLight_ {  // how a camera or light follows bodies
  mjCAMLIGHT_FIXED    = 0,  // pose fixed in the body
  mjCAMLIGHT_TRACK,         // position follows the body, orientation stays global
  mjCAMLIGHT_TRACKCOM,      // position follows the subtree's centre of mass
  mjCAMLIGHT_TARGETBODY,    // turns towards a body
  mjCAMLIGHT_TARGETBODYCOM  // turns towards a subtree's centre of mass
} mjtCamLight;

typedef enum mjtLightType_ {  // kinds of light
  mjLIGHT_SPOT    = 0,  // cone of light
  mjLIGHT_DIRECTIONAL,  // parallel light
  mjLIGHT_POINT,        // light to all sides
  mjLIGHT_IMAGE,        // light from a picture of the surroundings
} mjtLightType;

typedef enum mjtTexture_ {  // kinds of texture
  mjTEXTURE_2D        = 0,  // picture mapped to a surface
  mjTEXTURE_CUBE,           // six pictures mapped around an object
  mjTEXTURE_SKYBOX          // six pictures mapped around the scene
} mjtTexture;

typedef enum mjtTextureRole_ {  // what a texture gives to a material
  mjTEXROLE_USER      = 0,  // whatever the user wants
  mjTEXROLE_RGB,            // base colour
  mjTEXROLE_OCCLUSION,      // ambient occlusion
  mjTEXROLE_ROUGHNESS,      // roughness
  mjTEXROLE_METALLIC,       // metallic share
  mjTEXROLE_NORMAL,         // normals (bump)
  mjTEXROLE_OPACITY,        // opacity
  mjTEXROLE_EMISSIVE,       // own light
  mjTEXROLE_RGBA,           // base colour and opacity
  mjTEXROLE_ORM,            // occlusion, roughness, metallic
  mjNTEXROLE                // number of roles
} mjtTextureRole;

typedef enum mjtColorSpace_ {  // encoding of colours
  mjCOLORSPACE_AUTO   = 0,  // as the file says, otherwise linear
  mjCOLORSPACE_LINEAR,      // linear
  mjCOLORSPACE_SRGB         // sRGB
} mjtColorSpace;

typedef enum mjtIntegrator_ {  // numerical integrators
  mjINT_EULER         = 0,  // semi-implicit Euler
  mjINT_RK4,                // Runge-Kutta of fourth order
  mjINT_IMPLICIT,           // implicit in velocity
  mjINT_IMPLICITFAST        // implicit in velocity, no derivative of the bias force, symmetric
} mjtIntegrator;

typedef enum mjtCone_ {  // friction cones
  mjCONE_PYRAMIDAL     = 0,  // pyramid
  mjCONE_ELLIPTIC            // ellipse
} mjtCone;

typedef enum mjtJacobian_ {  // storage of the constraint Jacobian
  mjJAC_DENSE          = 0,  // dense
  mjJAC_SPARSE,              // compressed rows
  mjJAC_AUTO                 // sparse for models with many dofs
} mjtJacobian;

typedef enum mjtSolver_ {  // constraint solvers
  mjSOL_PGS            = 0,  // projected Gauss-Seidel, dual
  mjSOL_CG,                  // conjugate gradient, primal
  mjSOL_NEWTON               // Newton, primal
} mjtSolver;

typedef enum mjtEq_ {  // kinds of equality constraint
  mjEQ_CONNECT        = 0,  // two points coincide
  mjEQ_WELD,                // two poses coincide
  mjEQ_JOINT,               // a joint is a polynomial of another
  mjEQ_TENDON,              // a tendon length is a polynomial of another
  mjEQ_FLEX,                // edges of a flex keep their length
  mjEQ_DISTANCE             // no longer supported
} mjtEq;

typedef enum mjtWrap_ {  // elements of a tendon's path
  mjWRAP_NONE         = 0,  // nothing
  mjWRAP_JOINT,             // joint with a coefficient
  mjWRAP_PULLEY,            // divisor for what follows
  mjWRAP_SITE,              // passes through a site
  mjWRAP_SPHERE,            // wraps around a sphere
  mjWRAP_CYLINDER           // wraps around an infinite cylinder
} mjtWrap;

typedef enum mjtTrn_ {  // what an actuator acts on
  mjTRN_JOINT         = 0,  // joint
  mjTRN_JOINTINPARENT,      // joint, axis expressed in the parent
  mjTRN_SLIDERCRANK,        // slider-crank between two sites
  mjTRN_TENDON,             // tendon
  mjTRN_SITE,               // site
  mjTRN_BODY,               // adhesion at the contacts of a body

  mjTRN_UNDEFINED     = 1000  // not given
} mjtTrn;

typedef enum mjtDyn_ {  // dynamics of an actuator's activation
  mjDYN_NONE          = 0,  // none, the control acts directly
  mjDYN_INTEGRATOR,         // da/dt = u
  mjDYN_FILTER,             // da/dt = (u-a)/tau
  mjDYN_FILTEREXACT,        // the same, integrated exactly
  mjDYN_MUSCLE,             // two time constants, piecewise linear
  mjDYN_USER                // callback
} mjtDyn;

typedef enum mjtGain_ {  // gain of an actuator
  mjGAIN_FIXED        = 0,  // constant
  mjGAIN_AFFINE,            // constant + kp*length + kv*velocity
  mjGAIN_MUSCLE,            // force-length-velocity of a muscle
  mjGAIN_USER               // callback
} mjtGain;

typedef enum mjtBias_ {  // bias of an actuator
  mjBIAS_NONE         = 0,  // none
  mjBIAS_AFFINE,            // constant + kp*length + kv*velocity
  mjBIAS_MUSCLE,            // passive force of a muscle
  mjBIAS_USER               // callback
} mjtBias;

typedef enum mjtObj_ {  // kinds of model element
  mjOBJ_UNKNOWN       = 0,  // not known
  mjOBJ_BODY,               // body, in its inertial frame
  mjOBJ_XBODY,              // body, in its regular frame
  mjOBJ_JOINT,              // joint
  mjOBJ_DOF,                // degree of freedom
  mjOBJ_GEOM,               // geom
  mjOBJ_SITE,               // site
  mjOBJ_CAMERA,             // camera
  mjOBJ_LIGHT,              // light
  mjOBJ_FLEX,               // flex
  mjOBJ_MESH,               // mesh
  mjOBJ_SKIN,               // skin
  mjOBJ_HFIELD,             // height field
  mjOBJ_TEXTURE,            // texture
  mjOBJ_MATERIAL,           // material
  mjOBJ_PAIR,               // pair of geoms that collide
  mjOBJ_EXCLUDE,            // pair of bodies that do not collide
  mjOBJ_EQUALITY,           // equality constraint
  mjOBJ_TENDON,             // tendon
  mjOBJ_ACTUATOR,           // actuator
  mjOBJ_SENSOR,             // sensor
  mjOBJ_NUMERIC,            // custom numbers
  mjOBJ_TEXT,               // custom text
  mjOBJ_TUPLE,              // custom list of objects
  mjOBJ_KEY,                // keyframe
  mjOBJ_PLUGIN,             // plugin instance

  mjNOBJECT,  // number of kinds in a model

  mjOBJ_FRAME         = 100,  // frame (spec only)
  mjOBJ_DEFAULT,              // default class (spec only)
  mjOBJ_MODEL                 // whole spec (spec only)

} mjtObj;

typedef enum mjtConstraint_ {  // kinds of constraint row
  mjCNSTR_EQUALITY    = 0,       // equality
  mjCNSTR_FRICTION_DOF,          // dry friction of a dof
  mjCNSTR_FRICTION_TENDON,       // dry friction of a tendon
  mjCNSTR_LIMIT_JOINT,           // limit of a joint
  mjCNSTR_LIMIT_TENDON,          // limit of a tendon
  mjCNSTR_CONTACT_FRICTIONLESS,  // contact without friction
  mjCNSTR_CONTACT_PYRAMIDAL,     // edge of a contact's friction pyramid
  mjCNSTR_CONTACT_ELLIPTIC       // dimension of a contact with an elliptic cone
} mjtConstraint;

typedef enum mjtConstraintState_ {  // where on its cost a constraint row is
  mjCNSTRSTATE_SATISFIED = 0,  // no force
  mjCNSTRSTATE_QUADRATIC,      // quadratic zone
  mjCNSTRSTATE_LINEARNEG,      // linear zone, negative side
  mjCNSTRSTATE_LINEARPOS,      // linear zone, positive side
  mjCNSTRSTATE_CONE            // on the surface of an elliptic cone
} mjtConstraintState;

typedef enum mjtSensor_ {  // kinds of sensor
  mjSENS_TOUCH        = 0,  // contact normal force summed over a site's volume
  mjSENS_ACCELEROMETER,     // linear acceleration with gravity, in the site
  mjSENS_VELOCIMETER,       // linear velocity, in the site
  mjSENS_GYRO,              // angular velocity, in the site
  mjSENS_FORCE,             // force between body and parent, in the site
  mjSENS_TORQUE,            // torque between body and parent, in the site
  mjSENS_MAGNETOMETER,      // magnetic field, in the site
  mjSENS_RANGEFINDER,       // distance to a surface along the site's z axis
  mjSENS_CAMPROJECTION,     // pixel at which a camera sees a site

  mjSENS_JOINTPOS,      // position of a scalar joint
  mjSENS_JOINTVEL,      // velocity of a scalar joint
  mjSENS_TENDONPOS,     // length of a tendon
  mjSENS_TENDONVEL,     // velocity of a tendon
  mjSENS_ACTUATORPOS,   // length of an actuator
  mjSENS_ACTUATORVEL,   // velocity of an actuator
  mjSENS_ACTUATORFRC,   // force of an actuator
  mjSENS_JOINTACTFRC,   // actuator force at a scalar joint
  mjSENS_TENDONACTFRC,  // actuator force at a tendon

  mjSENS_BALLQUAT,    // orientation of a ball joint
  mjSENS_BALLANGVEL,  // angular velocity of a ball joint

  mjSENS_JOINTLIMITPOS,   // distance to a joint limit, minus margin
  mjSENS_JOINTLIMITVEL,   // velocity of a joint limit
  mjSENS_JOINTLIMITFRC,   // force of a joint limit
  mjSENS_TENDONLIMITPOS,  // distance to a tendon limit, minus margin
  mjSENS_TENDONLIMITVEL,  // velocity of a tendon limit
  mjSENS_TENDONLIMITFRC,  // force of a tendon limit

  mjSENS_FRAMEPOS,     // position of an object
  mjSENS_FRAMEQUAT,    // orientation of an object
  mjSENS_FRAMEXAXIS,   // x axis of an object
  mjSENS_FRAMEYAXIS,   // y axis of an object
  mjSENS_FRAMEZAXIS,   // z axis of an object
  mjSENS_FRAMELINVEL,  // linear velocity of an object
  mjSENS_FRAMEANGVEL,  // angular velocity of an object
  mjSENS_FRAMELINACC,  // linear acceleration of an object
  mjSENS_FRAMEANGACC,  // angular acceleration of an object

  mjSENS_SUBTREECOM,     // centre of mass of a subtree
  mjSENS_SUBTREELINVEL,  // linear velocity of a subtree
  mjSENS_SUBTREEANGMOM,  // angular momentum of a subtree

  mjSENS_GEOMDIST,    // signed distance between two geoms
  mjSENS_GEOMNORMAL,  // direction of the shortest segment between two geoms
  mjSENS_GEOMFROMTO,  // ends of the shortest segment between two geoms

  mjSENS_E_POTENTIAL,  // potential energy
  mjSENS_E_KINETIC,    // kinetic energy
  mjSENS_CLOCK,        // simulation time

  mjSENS_PLUGIN,  // plugin

  mjSENS_USER  // callback
} mjtSensor;

typedef enum mjtStage_ {  // stages of the computation
  mjSTAGE_NONE        = 0,  // none
  mjSTAGE_POS,              // what depends on position
  mjSTAGE_VEL,              // what depends on velocity
  mjSTAGE_ACC               // what depends on acceleration or force
} mjtStage;

typedef enum mjtDataType_ {  // kinds of sensor reading
  mjDATATYPE_REAL     = 0,  // any number
  mjDATATYPE_POSITIVE,      // not negative
  mjDATATYPE_AXIS,          // unit 3-vector
  mjDATATYPE_QUATERNION     // unit quaternion
} mjtDataType;

typedef enum mjtSameFrame_ {  // how the frame of an element sits in its body
  mjSAMEFRAME_NONE    = 0,  // no agreement
  mjSAMEFRAME_BODY,         // body frame
  mjSAMEFRAME_INERTIA,      // inertial frame
  mjSAMEFRAME_BODYROT,      // orientation of the body frame
  mjSAMEFRAME_INERTIAROT    // orientation of the inertial frame
} mjtSameFrame;

typedef enum mjtLRMode_ {  // actuators that get a length range
  mjLRMODE_NONE   = 0,  // none
  mjLRMODE_MUSCLE,      // muscles
  mjLRMODE_MUSCLEUSER,  // muscles and user-defined ones
  mjLRMODE_ALL          // all
} mjtLRMode;

typedef enum mjtFlexSelf_ {  // self-collision of a flex
  mjFLEXSELF_NONE   = 0,  // off
  mjFLEXSELF_NARROW,      // every pair in the narrow phase
  mjFLEXSELF_BVH,         // bounding volume tree
  mjFLEXSELF_SAP,         // sweep and prune
  mjFLEXSELF_AUTO         // the better one for its dimension
} mjtFlexSelf;

typedef enum mjtSDFType_ {  // functions made of two signed distances
  mjSDFTYPE_SINGLE     = 0,  // one of them
  mjSDFTYPE_INTERSECTION,    // maximum of both
  mjSDFTYPE_MIDSURFACE,      // difference of both
  mjSDFTYPE_COLLISION,       // sum of both and the absolute maximum
} mjtSDFType;

struct mjLROpt_ {  // settings for mj_setLengthRange
  int mode;         // which actuators (mjtLRMode)
  int useexisting;  // keep ranges that are there
  int uselimit;     // take limits of joints and tendons

  mjtNum accel;      // acceleration that the force aims at
  mjtNum maxforce;   // bound of the force; 0 means none
  mjtNum timeconst;  // time constant of the velocity damping
  mjtNum timestep;   // time step of the simulation; 0 takes the model's
  mjtNum inttotal;   // how long to simulate
  mjtNum interval;   // last part of it, over which the length is observed
  mjtNum tolrange;   // accepted change over the interval, relative to the range
};
typedef struct mjLROpt_ mjLROpt;

struct mjVFS_ {  // files held in memory
  void* impl_;  // private
};
typedef struct mjVFS_ mjVFS;

struct mjOption_ {  // physics options
  mjtNum timestep;  // time step (s)
  mjtNum apirate;   // update rate for remote control (Hz)

  mjtNum impratio;          // friction over normal impedance of a contact
  mjtNum tolerance;         // stop of the main solver
  mjtNum ls_tolerance;      // stop of its line search
  mjtNum noslip_tolerance;  // stop of the noslip solver
  mjtNum ccd_tolerance;     // stop of the convex collision solver

  mjtNum gravity[3];   // acceleration of gravity
  mjtNum wind[3];      // velocity of the medium
  mjtNum magnetic[3];  // global magnetic flux
  mjtNum density;      // density of the medium
  mjtNum viscosity;    // viscosity of the medium

  mjtNum o_margin;          // override: margin
  mjtNum o_solref[mjNREF];  // override: solver reference
  mjtNum o_solimp[mjNIMP];  // override: solver impedance
  mjtNum o_friction[5];     // override: friction

  int integrator;         // integrator (mjtIntegrator)
  int cone;               // friction cone (mjtCone)
  int jacobian;           // storage of the Jacobian (mjtJacobian)
  int solver;             // constraint solver (mjtSolver)
  int iterations;         // limit of the main solver
  int ls_iterations;      // limit of its line search
  int noslip_iterations;  // limit of the noslip solver
  int ccd_iterations;     // limit of the convex collision solver
  int disableflags;       // mjtDisableBit set
  int enableflags;        // mjtEnableBit set
  int disableactuator;    // set of disabled actuator groups

  int sdf_initpoints;  // starting points of the signed distance solver
  int sdf_iterations;  // its iterations per point
};
typedef struct mjOption_ mjOption;

struct mjVisual_ {  // how a model wants to be seen
  struct {
    int   cameraid;          // first camera shown; -1 is the free one
    int   orthographic;      // the free camera projects in parallel
    float fovy;              // vertical field of view of the free camera (degrees), or its extent
    float ipd;               // distance between the eyes of the free camera
    float azimuth;           // first azimuth of the free camera (degrees)
    float elevation;         // first elevation of the free camera (degrees)
    float linewidth;         // width of lines and wireframes (pixels)
    float glow;              // how much a selected body glows
    float realtime;          // wanted ratio of simulated to real time
    int   offwidth;          // width of the offscreen buffer
    int   offheight;         // height of the offscreen buffer
    int   ellipsoidinertia;  // inertia drawn as ellipsoids, not boxes
    int   bvactive;          // bounding volumes that were checked are drawn differently
  } global;

  struct {
    int   shadowsize;  // size of the shadow map
    int   offsamples;  // samples per pixel offscreen
    int   numslices;   // slices of built-in shapes
    int   numstacks;   // stacks of built-in shapes
    int   numquads;    // quads of a built-in plane
  } quality;

  struct {
    float ambient[3];   // ambient colour of the headlight
    float diffuse[3];   // diffuse colour of the headlight
    float specular[3];  // specular colour of the headlight
    int   active;       // is the headlight on
  } headlight;

  struct {
    float stiffness;       // force per distance when the mouse pulls
    float stiffnessrot;    // torque per angle when the mouse turns
    float force;           // length of a drawn unit force
    float torque;          // length of a drawn unit torque
    float alpha;           // opacity of what is made transparent
    float fogstart;        // distance at which fog begins, in extents
    float fogend;          // distance at which fog is full, in extents
    float znear;           // near clipping plane, in extents
    float zfar;            // far clipping plane, in extents
    float haze;            // share of the sky covered by haze, or its colour
    float shadowclip;      // half width of a directional light's shadow, in extents
    float shadowscale;     // share of a spot light's cone that casts shadow
    float actuatortendon;  // width of a tendon that an actuator drives, relative to it
  } map;

  struct {
    float forcewidth;      // width of a force arrow
    float contactwidth;    // width of a contact point
    float contactheight;   // height of a contact point
    float connect;         // size or colour of the line between body and joint
    float com;             // size or colour of centres of mass
    float camera;          // size or colour of cameras
    float light;           // size or colour of lights
    float selectpoint;     // size or colour of the selected point
    float jointlength;     // length of a joint axis
    float jointwidth;      // width of a joint axis
    float actuatorlength;  // length of an actuator
    float actuatorwidth;   // width of an actuator
    float framelength;     // length of frame axes
    float framewidth;      // width of frame axes
    float constraint;      // size or colour of constraint errors
    float slidercrank;     // size or colour of slider-cranks
    float frustum;         // size or colour of camera frustums
  } scale;

  struct {
    float fog[4];               // fog
    float haze[4];              // share of the sky covered by haze, or its colour
    float force[4];             // length of a drawn unit force
    float inertia[4];           // inertia shapes
    float joint[4];             // joints
    float actuator[4];          // actuators at rest
    float actuatornegative[4];  // actuators at the lower end
    float actuatorpositive[4];  // actuators at the upper end
    float com[4];               // size or colour of centres of mass
    float camera[4];            // size or colour of cameras
    float light[4];             // size or colour of lights
    float selectpoint[4];       // size or colour of the selected point
    float connect[4];           // size or colour of the line between body and joint
    float contactpoint[4];      // contact points
    float contactforce[4];      // contact forces
    float contactfriction[4];   // friction forces
    float contacttorque[4];     // contact torques
    float contactgap[4];        // contacts inside the gap
    float rangefinder[4];       // range finders
    float constraint[4];        // size or colour of constraint errors
    float slidercrank[4];       // size or colour of slider-cranks
    float crankbroken[4];       // slider-cranks that cannot reach
    float frustum[4];           // size or colour of camera frustums
    float bv[4];                // bounding volumes
    float bvactive[4];          // bounding volumes that were checked are drawn differently
  } rgba;
};
typedef struct mjVisual_ mjVisual;

struct mjStatistic_ {  // numbers about the whole model
  mjtNum meaninertia;  // mean diagonal of the inertia matrix
  mjtNum meanmass;     // mean mass of bodies
  mjtNum meansize;     // mean size of bodies
  mjtNum extent;       // extent of the model in space
  mjtNum center[3];    // centre of the model in space
};
typedef struct mjStatistic_ mjStatistic;

struct mjModel_ {  // the model: constant while it is simulated, except by its user

  int nq;              // positions
  int nv;              // dofs
  int nu;              // actuators
  int na;              // activations
  int nbody;           // bodies
  int nbvh;            // bounding volumes in all bodies, meshes and flexes
  int nbvhstatic;      // bounding volumes fixed to a body
  int nbvhdynamic;     // bounding volumes that move with a flex
  int noct;            // octree cells in all meshes
  int njnt;            // joints
  int ngeom;           // geoms
  int nsite;           // sites
  int ncam;            // cameras
  int nlight;          // lights
  int nflex;           // flexes
  int nflexnode;       // control nodes in all flexes
  int nflexvert;       // vertices in all flexes
  int nflexedge;       // edges in all flexes
  int nflexelem;       // elements in all flexes
  int nflexelemdata;   // vertex ids of elements in all flexes
  int nflexelemedge;   // edge ids of elements in all flexes
  int nflexshelldata;  // vertex ids of shell fragments in all flexes
  int nflexevpair;     // element-vertex pairs in all flexes
  int nflextexcoord;   // texture coordinates in all flexes
  int nmesh;           // meshes
  int nmeshvert;       // vertices in all meshes
  int nmeshnormal;     // normals in all meshes
  int nmeshtexcoord;   // texture coordinates in all meshes
  int nmeshface;       // triangles in all meshes
  int nmeshgraph;      // ints of convex hull graphs in all meshes
  int nmeshpoly;       // hull polygons in all meshes
  int nmeshpolyvert;   // vertex ids of hull polygons in all meshes
  int nmeshpolymap;    // polygon ids of hull vertices in all meshes
  int nskin;           // skins
  int nskinvert;       // vertices in all skins
  int nskintexvert;    // vertices with texture coordinates in all skins
  int nskinface;       // triangles in all skins
  int nskinbone;       // bones in all skins
  int nskinbonevert;   // vertex ids of bones in all skins
  int nhfield;         // height fields
  int nhfielddata;     // elevations in all height fields
  int ntex;            // textures
  int ntexdata;        // bytes in all textures
  int nmat;            // materials
  int npair;           // pairs of geoms given to collide
  int nexclude;        // pairs of bodies excluded
  int neq;             // equality constraints
  int ntendon;         // tendons
  int nwrap;           // path elements in all tendons
  int nsensor;         // sensors
  int nnumeric;        // custom number fields
  int nnumericdata;    // numbers in them
  int ntext;           // custom text fields
  int ntextdata;       // bytes in them
  int ntuple;          // custom tuples
  int ntupledata;      // objects in them
  int nkey;            // keyframes
  int nmocap;          // mocap bodies
  int nplugin;         // plugin instances
  int npluginattr;     // bytes of plugin settings
  int nuser_body;      // user numbers per body
  int nuser_jnt;       // user numbers per joint
  int nuser_geom;      // user numbers per geom
  int nuser_site;      // user numbers per site
  int nuser_cam;       // user numbers per camera
  int nuser_tendon;    // user numbers per tendon
  int nuser_actuator;  // user numbers per actuator
  int nuser_sensor;    // user numbers per sensor
  int nnames;          // bytes of all names
  int npaths;          // bytes of all paths

  int nnames_map;    // slots of the names' hash map
  int nM;            // entries of the inertia matrix in tree order
  int nB;            // entries of the sparse body-dof matrix
  int nC;            // entries of the inertia matrix, reduced, in compressed rows
  int nD;            // entries of the sparse dof-dof matrix
  int nJmom;         // entries of the sparse actuator moment matrix
  int ntree;         // kinematic trees under the world
  int ngravcomp;     // bodies with gravity compensation
  int nemax;         // rows that equality constraints may take
  int njmax;         // rows of the constraint Jacobian (legacy)
  int nconmax;       // contacts (legacy)
  int nuserdata;     // numbers reserved for the user
  int nsensordata;   // numbers that sensors give
  int npluginstate;  // numbers of plugin state

  size_t narena;   // bytes of mjData's arena and stack at the start
  size_t nbuffer;  // bytes of the buffer

  mjOption opt;      // physics options
  mjVisual vis;      // visual options
  mjStatistic stat;  // statistics

  void*     buffer;  // all arrays live here

  mjtNum*   qpos0;        // positions of the reference configuration (nq x 1)
  mjtNum*   qpos_spring;  // positions at which springs rest (nq x 1)

  int*      body_parentid;     // parent (nbody x 1)
  int*      body_rootid;       // ancestor that is a child of the world (nbody x 1)
  int*      body_weldid;       // topmost ancestor without a joint between (nbody x 1)
  int*      body_mocapid;      // mocap id; -1: none (nbody x 1)
  int*      body_jntnum;       // number of joints (nbody x 1)
  int*      body_jntadr;       // start of its joints; -1: none (nbody x 1)
  int*      body_dofnum;       // number of dofs (nbody x 1)
  int*      body_dofadr;       // start of its dofs; -1: none (nbody x 1)
  int*      body_treeid;       // kinematic tree; -1: static (nbody x 1)
  int*      body_geomnum;      // number of geoms (nbody x 1)
  int*      body_geomadr;      // start of its geoms; -1: none (nbody x 1)
  mjtByte*  body_simple;       // 1: mass matrix diagonal, 2: with sliders only (nbody x 1)
  mjtByte*  body_sameframe;    // how its frame sits (mjtSameFrame) (nbody x 1)
  mjtNum*   body_pos;          // position in the parent (nbody x 3)
  mjtNum*   body_quat;         // orientation in the parent (nbody x 4)
  mjtNum*   body_ipos;         // position of the inertial frame (nbody x 3)
  mjtNum*   body_iquat;        // orientation of the inertial frame (nbody x 4)
  mjtNum*   body_mass;         // mass (nbody x 1)
  mjtNum*   body_subtreemass;  // mass of the subtree (nbody x 1)
  mjtNum*   body_inertia;      // principal inertia (nbody x 3)
  mjtNum*   body_invweight0;   // mean inverse inertia in qpos0 (translation, rotation) (nbody x 2)
  mjtNum*   body_gravcomp;     // share of gravity compensated (nbody x 1)
  mjtNum*   body_margin;       // largest margin of its geoms (nbody x 1)
  mjtNum*   body_user;         // user numbers (nbody x nuser_body)
  int*      body_plugin;       // plugin instance; -1: none (nbody x 1)
  int*      body_contype;      // bits of its kind (nbody x 1)
  int*      body_conaffinity;  // bits of kinds it collides with (nbody x 1)
  int*      body_bvhadr;       // start of its bounding volumes; -1: none (nbody x 1)
  int*      body_bvhnum;       // number of bounding volumes (nbody x 1)

  int*      bvh_depth;   // depth in the tree (nbvh x 1)
  int*      bvh_child;   // children; -1: none (nbvh x 2)
  int*      bvh_nodeid;  // geom, element or face in a leaf; -1: no leaf (nbvh x 1)
  mjtNum*   bvh_aabb;    // box in the body (centre, half sizes) (nbvhstatic x 6)

  int*      oct_depth;  // depth in the octree (noct x 1)
  int*      oct_child;  // children; -1: none (noct x 8)
  mjtNum*   oct_aabb;   // box (centre, half sizes) (noct x 6)

  int*      jnt_type;           // kind (mjtJoint) (njnt x 1)
  int*      jnt_qposadr;        // start in qpos (njnt x 1)
  int*      jnt_dofadr;         // start of its dofs; -1: none (njnt x 1)
  int*      jnt_bodyid;         // body (njnt x 1)
  int*      jnt_group;          // group (njnt x 1)
  mjtByte*  jnt_limited;        // has a limit (njnt x 1)
  mjtByte*  jnt_actfrclimited;  // actuator force is limited (njnt x 1)
  mjtByte*  jnt_actgravcomp;    // gravity compensation counts as actuator force (njnt x 1)
  mjtNum*   jnt_solref;         // solver reference (njnt x mjNREF)
  mjtNum*   jnt_solimp;         // solver impedance (njnt x mjNIMP)
  mjtNum*   jnt_pos;            // anchor in the body (njnt x 3)
  mjtNum*   jnt_axis;           // axis in the body (njnt x 3)
  mjtNum*   jnt_stiffness;      // stiffness (njnt x 1)
  mjtNum*   jnt_range;          // limits (njnt x 2)
  mjtNum*   jnt_actfrcrange;    // limits of actuator force (njnt x 2)
  mjtNum*   jnt_margin;         // distance at which a limit becomes active (njnt x 1)
  mjtNum*   jnt_user;           // user numbers (njnt x nuser_jnt)

  int*      dof_bodyid;        // body (nv x 1)
  int*      dof_jntid;         // joint (nv x 1)
  int*      dof_parentid;      // parent dof; -1: none (nv x 1)
  int*      dof_treeid;        // kinematic tree (nv x 1)
  int*      dof_Madr;          // start of its row in qM (nv x 1)
  int*      dof_simplenum;     // run of simple dofs from here (nv x 1)
  mjtNum*   dof_solref;        // solver reference (nv x mjNREF)
  mjtNum*   dof_solimp;        // solver impedance (nv x mjNIMP)
  mjtNum*   dof_frictionloss;  // dry friction (nv x 1)
  mjtNum*   dof_armature;      // inertia added to the diagonal (nv x 1)
  mjtNum*   dof_damping;       // damping (nv x 1)
  mjtNum*   dof_invweight0;    // inverse inertia in qpos0 (nv x 1)
  mjtNum*   dof_M0;            // diagonal of M in qpos0 (nv x 1)

  int*      geom_type;         // kind (mjtGeom) (ngeom x 1)
  int*      geom_contype;      // bits of its kind (ngeom x 1)
  int*      geom_conaffinity;  // bits of kinds it collides with (ngeom x 1)
  int*      geom_condim;       // contact dimensions (1, 3, 4, 6) (ngeom x 1)
  int*      geom_bodyid;       // body (ngeom x 1)
  int*      geom_dataid;       // mesh or height field; -1: none (ngeom x 1)
  int*      geom_matid;        // material; -1: none (ngeom x 1)
  int*      geom_group;        // group (ngeom x 1)
  int*      geom_priority;     // the higher decides the contact parameters (ngeom x 1)
  int*      geom_plugin;       // plugin instance; -1: none (ngeom x 1)
  mjtByte*  geom_sameframe;    // how its frame sits (mjtSameFrame) (ngeom x 1)
  mjtNum*   geom_solmix;       // weight when parameters mix (ngeom x 1)
  mjtNum*   geom_solref;       // solver reference (ngeom x mjNREF)
  mjtNum*   geom_solimp;       // solver impedance (ngeom x mjNIMP)
  mjtNum*   geom_size;         // sizes (ngeom x 3)
  mjtNum*   geom_aabb;         // box (centre, half sizes) (ngeom x 6)
  mjtNum*   geom_rbound;       // radius of the bounding sphere; 0: plane (ngeom x 1)
  mjtNum*   geom_pos;          // position in the body (ngeom x 3)
  mjtNum*   geom_quat;         // orientation in the body (ngeom x 4)
  mjtNum*   geom_friction;     // sliding, spinning, rolling friction (ngeom x 3)
  mjtNum*   geom_margin;       // contact is detected below this distance (ngeom x 1)
  mjtNum*   geom_gap;          // contact acts below margin - gap (ngeom x 1)
  mjtNum*   geom_fluid;        // fluid interaction numbers (ngeom x mjNFLUID)
  mjtNum*   geom_user;         // user numbers (ngeom x nuser_geom)
  float*    geom_rgba;         // colour (ngeom x 4)

  int*      site_type;       // kind (mjtGeom) (nsite x 1)
  int*      site_bodyid;     // body (nsite x 1)
  int*      site_matid;      // material; -1: none (nsite x 1)
  int*      site_group;      // group (nsite x 1)
  mjtByte*  site_sameframe;  // how its frame sits (mjtSameFrame) (nsite x 1)
  mjtNum*   site_size;       // sizes (nsite x 3)
  mjtNum*   site_pos;        // position in the body (nsite x 3)
  mjtNum*   site_quat;       // orientation in the body (nsite x 4)
  mjtNum*   site_user;       // user numbers (nsite x nuser_site)
  float*    site_rgba;       // colour (nsite x 4)

  int*      cam_mode;          // how it follows (mjtCamLight) (ncam x 1)
  int*      cam_bodyid;        // body (ncam x 1)
  int*      cam_targetbodyid;  // body it looks at; -1: none (ncam x 1)
  mjtNum*   cam_pos;           // position in the body (ncam x 3)
  mjtNum*   cam_quat;          // orientation in the body (ncam x 4)
  mjtNum*   cam_poscom0;       // position from the subtree's centre of mass in qpos0 (ncam x 3)
  mjtNum*   cam_pos0;          // global position in qpos0 (ncam x 3)
  mjtNum*   cam_mat0;          // global orientation in qpos0 (ncam x 9)
  int*      cam_orthographic;  // projects in parallel (ncam x 1)
  mjtNum*   cam_fovy;          // vertical field of view (degrees), or extent (ncam x 1)
  mjtNum*   cam_ipd;           // distance between the eyes (ncam x 1)
  int*      cam_resolution;    // width and height in pixels (ncam x 2)
  float*    cam_sensorsize;    // width and height of the sensor (length) (ncam x 2)
  float*    cam_intrinsic;     // focal lengths and principal point (ncam x 4)
  mjtNum*   cam_user;          // user numbers (ncam x nuser_cam)

  int*      light_mode;          // how it follows (mjtCamLight) (nlight x 1)
  int*      light_bodyid;        // body (nlight x 1)
  int*      light_targetbodyid;  // body it shines at; -1: none (nlight x 1)
  int*      light_type;          // kind (mjtLightType) (nlight x 1)
  int*      light_texid;         // picture of an image light; -1: none (nlight x 1)
  mjtByte*  light_castshadow;    // casts shadows (nlight x 1)
  float*    light_bulbradius;    // radius of the bulb (nlight x 1)
  float*    light_intensity;     // intensity (candela) (nlight x 1)
  float*    light_range;         // reach (nlight x 1)
  mjtByte*  light_active;        // is on (nlight x 1)
  mjtNum*   light_pos;           // position in the body (nlight x 3)
  mjtNum*   light_dir;           // direction in the body (nlight x 3)
  mjtNum*   light_poscom0;       // position from the subtree's centre of mass in qpos0 (nlight x 3)
  mjtNum*   light_pos0;          // global position in qpos0 (nlight x 3)
  mjtNum*   light_dir0;          // global direction in qpos0 (nlight x 3)
  float*    light_attenuation;   // constant, linear, quadratic (nlight x 3)
  float*    light_cutoff;        // half angle of the cone (degrees) (nlight x 1)
  float*    light_exponent;      // how sharply the cone fades (nlight x 1)
  float*    light_ambient;       // ambient colour (nlight x 3)
  float*    light_diffuse;       // diffuse colour (nlight x 3)
  float*    light_specular;      // specular colour (nlight x 3)

  int*      flex_contype;       // bits of its kind (nflex x 1)
  int*      flex_conaffinity;   // bits of kinds it collides with (nflex x 1)
  int*      flex_condim;        // contact dimensions (1, 3, 4, 6) (nflex x 1)
  int*      flex_priority;      // the higher decides the contact parameters (nflex x 1)
  mjtNum*   flex_solmix;        // weight when parameters mix (nflex x 1)
  mjtNum*   flex_solref;        // solver reference (nflex x mjNREF)
  mjtNum*   flex_solimp;        // solver impedance (nflex x mjNIMP)
  mjtNum*   flex_friction;      // sliding, spinning, rolling friction (nflex x 3)
  mjtNum*   flex_margin;        // contact is detected below this distance (nflex x 1)
  mjtNum*   flex_gap;           // contact acts below margin - gap (nflex x 1)
  mjtByte*  flex_internal;      // elements collide with their own vertices (nflex x 1)
  int*      flex_selfcollide;   // self-collision (mjtFlexSelf) (nflex x 1)
  int*      flex_activelayers;  // layers of elements that collide (3D) (nflex x 1)

  int*      flex_dim;             // 1: lines, 2: triangles, 3: tetrahedra (nflex x 1)
  int*      flex_matid;           // material; -1: none (nflex x 1)
  int*      flex_group;           // group (nflex x 1)
  int*      flex_interp;          // 0: vertices are bodies, 1: trilinear nodes (nflex x 1)
  int*      flex_nodeadr;         // start of its nodes (nflex x 1)
  int*      flex_nodenum;         // number of nodes (nflex x 1)
  int*      flex_vertadr;         // start of its vertices (nflex x 1)
  int*      flex_vertnum;         // number of vertices (nflex x 1)
  int*      flex_edgeadr;         // start of its edges (nflex x 1)
  int*      flex_edgenum;         // number of edges (nflex x 1)
  int*      flex_elemadr;         // start of its elements (nflex x 1)
  int*      flex_elemnum;         // number of elements (nflex x 1)
  int*      flex_elemdataadr;     // start of its element vertex ids (nflex x 1)
  int*      flex_elemedgeadr;     // start of its element edge ids (nflex x 1)
  int*      flex_shellnum;        // number of shell fragments (nflex x 1)
  int*      flex_shelldataadr;    // start of its shell vertex ids (nflex x 1)
  int*      flex_evpairadr;       // start of its element-vertex pairs (nflex x 1)
  int*      flex_evpairnum;       // number of element-vertex pairs (nflex x 1)
  int*      flex_texcoordadr;     // start of its texture coordinates; -1: none (nflex x 1)
  int*      flex_nodebodyid;      // body of a node (nflexnode x 1)
  int*      flex_vertbodyid;      // body of a vertex (nflexvert x 1)
  int*      flex_edge;            // vertices of an edge (nflexedge x 2)
  int*      flex_edgeflap;        // vertices opposite an edge (2D); -1: none (nflexedge x 2)
  int*      flex_elem;            // vertices of elements (nflexelemdata x 1)
  int*      flex_elemtexcoord;    // texture coordinates of elements (nflexelemdata x 1)
  int*      flex_elemedge;        // edges of elements (nflexelemedge x 1)
  int*      flex_elemlayer;       // distance of an element from the surface (3D) (nflexelem x 1)
  int*      flex_shell;           // vertices of shell fragments (nflexshelldata x 1)
  int*      flex_evpair;          // element and vertex that collide inside the flex (nflexevpair x 2)
  mjtNum*   flex_vert;            // vertex in its body (nflexvert x 3)
  mjtNum*   flex_vert0;           // vertex in qpos0, in [0, 1] (nflexvert x 3)
  mjtNum*   flex_node;            // node in its body (nflexnode x 3)
  mjtNum*   flex_node0;           // node in qpos0 (nflexnode x 3)
  mjtNum*   flexedge_length0;     // edge length in qpos0 (nflexedge x 1)
  mjtNum*   flexedge_invweight0;  // inverse inertia of an edge in qpos0 (nflexedge x 1)
  mjtNum*   flex_radius;          // radius around the elements (nflex x 1)
  mjtNum*   flex_stiffness;       // stiffness matrix of an element (nflexelem x 21)
  mjtNum*   flex_bending;         // bending matrix of an edge (nflexedge x 16)
  mjtNum*   flex_damping;         // Rayleigh's damping (nflex x 1)
  mjtNum*   flex_edgestiffness;   // stiffness of edges (nflex x 1)
  mjtNum*   flex_edgedamping;     // damping of edges (nflex x 1)
  mjtByte*  flex_edgeequality;    // edges are equality constraints (nflex x 1)
  mjtByte*  flex_rigid;           // all vertices in one body (nflex x 1)
  mjtByte*  flexedge_rigid;       // both vertices in one body (nflexedge x 1)
  mjtByte*  flex_centered;        // all vertices at their body's centre (nflex x 1)
  mjtByte*  flex_flatskin;        // drawn with flat shading (nflex x 1)
  int*      flex_bvhadr;          // start of its bounding volumes; -1: none (nflex x 1)
  int*      flex_bvhnum;          // number of bounding volumes (nflex x 1)
  float*    flex_rgba;            // colour (nflex x 4)
  float*    flex_texcoord;        // texture coordinates (nflextexcoord x 2)

  int*      mesh_vertadr;       // start of its vertices (nmesh x 1)
  int*      mesh_vertnum;       // number of vertices (nmesh x 1)
  int*      mesh_faceadr;       // start of its triangles (nmesh x 1)
  int*      mesh_facenum;       // number of triangles (nmesh x 1)
  int*      mesh_bvhadr;        // start of its bounding volumes; -1: none (nmesh x 1)
  int*      mesh_bvhnum;        // number of bounding volumes (nmesh x 1)
  int*      mesh_octadr;        // start of its octree cells; -1: none (nmesh x 1)
  int*      mesh_octnum;        // number of octree cells (nmesh x 1)
  int*      mesh_normaladr;     // start of its normals (nmesh x 1)
  int*      mesh_normalnum;     // number of normals (nmesh x 1)
  int*      mesh_texcoordadr;   // start of its texture coordinates; -1: none (nmesh x 1)
  int*      mesh_texcoordnum;   // number of texture coordinates (nmesh x 1)
  int*      mesh_graphadr;      // start of its hull graph; -1: none (nmesh x 1)
  float*    mesh_vert;          // vertices (nmeshvert x 3)
  float*    mesh_normal;        // normals (nmeshnormal x 3)
  float*    mesh_texcoord;      // texture coordinates (nmeshtexcoord x 2)
  int*      mesh_face;          // vertices of a triangle (nmeshface x 3)
  int*      mesh_facenormal;    // normals of a triangle (nmeshface x 3)
  int*      mesh_facetexcoord;  // texture coordinates of a triangle (nmeshface x 3)
  int*      mesh_graph;         // convex hull graph (nmeshgraph x 1)
  mjtNum*   mesh_scale;         // scale that was applied (nmesh x 3)
  mjtNum*   mesh_pos;           // translation that was applied (nmesh x 3)
  mjtNum*   mesh_quat;          // rotation that was applied (nmesh x 4)
  int*      mesh_pathadr;       // start of its path; -1: none (nmesh x 1)
  int*      mesh_polynum;       // number of hull polygons (nmesh x 1)
  int*      mesh_polyadr;       // start of its hull polygons (nmesh x 1)
  mjtNum*   mesh_polynormal;    // normal of a hull polygon (nmeshpoly x 3)
  int*      mesh_polyvertadr;   // start of a polygon's vertices (nmeshpoly x 1)
  int*      mesh_polyvertnum;   // number of a polygon's vertices (nmeshpoly x 1)
  int*      mesh_polyvert;      // vertices of polygons (nmeshpolyvert x 1)
  int*      mesh_polymapadr;    // start of a vertex's polygons (nmeshvert x 1)
  int*      mesh_polymapnum;    // number of a vertex's polygons (nmeshvert x 1)
  int*      mesh_polymap;       // polygons of vertices (nmeshpolymap x 1)

  int*      skin_matid;           // material; -1: none (nskin x 1)
  int*      skin_group;           // group (nskin x 1)
  float*    skin_rgba;            // colour (nskin x 4)
  float*    skin_inflate;         // displacement along the normals (nskin x 1)
  int*      skin_vertadr;         // start of its vertices (nskin x 1)
  int*      skin_vertnum;         // number of vertices (nskin x 1)
  int*      skin_texcoordadr;     // start of its texture coordinates; -1: none (nskin x 1)
  int*      skin_faceadr;         // start of its triangles (nskin x 1)
  int*      skin_facenum;         // number of triangles (nskin x 1)
  int*      skin_boneadr;         // start of its bones (nskin x 1)
  int*      skin_bonenum;         // number of bones (nskin x 1)
  float*    skin_vert;            // vertices (nskinvert x 3)
  float*    skin_texcoord;        // texture coordinates (nskintexvert x 2)
  int*      skin_face;            // vertices of a triangle (nskinface x 3)
  int*      skin_bonevertadr;     // start of a bone's vertices (nskinbone x 1)
  int*      skin_bonevertnum;     // number of a bone's vertices (nskinbone x 1)
  float*    skin_bonebindpos;     // position of a bone when bound (nskinbone x 3)
  float*    skin_bonebindquat;    // orientation of a bone when bound (nskinbone x 4)
  int*      skin_bonebodyid;      // body of a bone (nskinbone x 1)
  int*      skin_bonevertid;      // vertices of bones (nskinbonevert x 1)
  float*    skin_bonevertweight;  // weights of bones' vertices (nskinbonevert x 1)
  int*      skin_pathadr;         // start of its path; -1: none (nskin x 1)

  mjtNum*   hfield_size;     // half x, half y, top, bottom (nhfield x 4)
  int*      hfield_nrow;     // rows of the grid (nhfield x 1)
  int*      hfield_ncol;     // columns of the grid (nhfield x 1)
  int*      hfield_adr;      // start of its data (nhfield x 1)
  float*    hfield_data;     // elevations from 0 to 1 (nhfielddata x 1)
  int*      hfield_pathadr;  // start of its path; -1: none (nhfield x 1)

  int*      tex_type;        // kind (mjtTexture) (ntex x 1)
  int*      tex_colorspace;  // encoding of colours (mjtColorSpace) (ntex x 1)
  int*      tex_height;      // rows of pixels (ntex x 1)
  int*      tex_width;       // columns of pixels (ntex x 1)
  int*      tex_nchannel;    // bytes per pixel (ntex x 1)
  int*      tex_adr;         // start of its data (ntex x 1)
  mjtByte*  tex_data;        // pixels (ntexdata x 1)
  int*      tex_pathadr;     // start of its path; -1: none (ntex x 1)

  int*      mat_texid;        // texture of each role; -1: none (nmat x mjNTEXROLE)
  mjtByte*  mat_texuniform;   // texture repeats per unit of space (nmat x 1)
  float*    mat_texrepeat;    // repetitions of the texture (nmat x 2)
  float*    mat_emission;     // light given off, times rgb (nmat x 1)
  float*    mat_specular;     // specular reflection, times white (nmat x 1)
  float*    mat_shininess;    // shininess (nmat x 1)
  float*    mat_reflectance;  // mirror reflection; 0: none (nmat x 1)
  float*    mat_metallic;     // metallic share (nmat x 1)
  float*    mat_roughness;    // roughness (nmat x 1)
  float*    mat_rgba;         // colour (nmat x 4)

  int*      pair_dim;             // contact dimensions (1, 3, 4, 6) (npair x 1)
  int*      pair_geom1;           // first geom (npair x 1)
  int*      pair_geom2;           // second geom (npair x 1)
  int*      pair_signature;       // (body1 << 16) + body2 (npair x 1)
  mjtNum*   pair_solref;          // solver reference (npair x mjNREF)
  mjtNum*   pair_solreffriction;  // solver reference of friction (npair x mjNREF)
  mjtNum*   pair_solimp;          // solver impedance (npair x mjNIMP)
  mjtNum*   pair_margin;          // contact is detected below this distance (npair x 1)
  mjtNum*   pair_gap;             // contact acts below margin - gap (npair x 1)
  mjtNum*   pair_friction;        // tangent 1, 2, spin, roll 1, 2 (npair x 5)

  int*      exclude_signature;  // (body1 << 16) + body2 (nexclude x 1)

  int*      eq_type;     // kind (mjtEq) (neq x 1)
  int*      eq_obj1id;   // first object (neq x 1)
  int*      eq_obj2id;   // second object; -1: none (neq x 1)
  int*      eq_objtype;  // kind of both objects (mjtObj) (neq x 1)
  mjtByte*  eq_active0;  // is on at the start (neq x 1)
  mjtNum*   eq_solref;   // solver reference (neq x mjNREF)
  mjtNum*   eq_solimp;   // solver impedance (neq x mjNIMP)
  mjtNum*   eq_data;     // numbers that depend on the kind (neq x mjNEQDATA)

  int*      tendon_adr;            // start of its path (ntendon x 1)
  int*      tendon_num;            // number of path elements (ntendon x 1)
  int*      tendon_matid;          // material; -1: none (ntendon x 1)
  int*      tendon_group;          // group (ntendon x 1)
  mjtByte*  tendon_limited;        // has a limit (ntendon x 1)
  mjtByte*  tendon_actfrclimited;  // actuator force is limited (ntendon x 1)
  mjtNum*   tendon_width;          // width when drawn (ntendon x 1)
  mjtNum*   tendon_solref_lim;     // solver reference of the limit (ntendon x mjNREF)
  mjtNum*   tendon_solimp_lim;     // solver impedance of the limit (ntendon x mjNIMP)
  mjtNum*   tendon_solref_fri;     // solver reference of friction (ntendon x mjNREF)
  mjtNum*   tendon_solimp_fri;     // solver impedance of friction (ntendon x mjNIMP)
  mjtNum*   tendon_range;          // limits (ntendon x 2)
  mjtNum*   tendon_actfrcrange;    // limits of actuator force (ntendon x 2)
  mjtNum*   tendon_margin;         // distance at which a limit becomes active (ntendon x 1)
  mjtNum*   tendon_stiffness;      // stiffness (ntendon x 1)
  mjtNum*   tendon_damping;        // damping (ntendon x 1)
  mjtNum*   tendon_armature;       // inertia of its velocity (ntendon x 1)
  mjtNum*   tendon_frictionloss;   // dry friction (ntendon x 1)
  mjtNum*   tendon_lengthspring;   // lengths between which the spring rests (ntendon x 2)
  mjtNum*   tendon_length0;        // length in qpos0 (ntendon x 1)
  mjtNum*   tendon_invweight0;     // inverse inertia in qpos0 (ntendon x 1)
  mjtNum*   tendon_user;           // user numbers (ntendon x nuser_tendon)
  float*    tendon_rgba;           // colour (ntendon x 4)

  int*      wrap_type;   // kind (mjtWrap) (nwrap x 1)
  int*      wrap_objid;  // joint, site or geom; -1: pulley (nwrap x 1)
  mjtNum*   wrap_prm;    // coefficient, divisor or side site (nwrap x 1)

  int*      actuator_trntype;       // what it acts on (mjtTrn) (nu x 1)
  int*      actuator_dyntype;       // activation dynamics (mjtDyn) (nu x 1)
  int*      actuator_gaintype;      // gain (mjtGain) (nu x 1)
  int*      actuator_biastype;      // bias (mjtBias) (nu x 1)
  int*      actuator_trnid;         // objects it acts on; -1: none (nu x 2)
  int*      actuator_actadr;        // start of its activations; -1: stateless (nu x 1)
  int*      actuator_actnum;        // number of its activations (nu x 1)
  int*      actuator_group;         // group (nu x 1)
  mjtByte*  actuator_ctrllimited;   // controls are limited (nu x 1)
  mjtByte*  actuator_forcelimited;  // forces are limited (nu x 1)
  mjtByte*  actuator_actlimited;    // activations are limited (nu x 1)
  mjtNum*   actuator_dynprm;        // numbers of the dynamics (nu x mjNDYN)
  mjtNum*   actuator_gainprm;       // numbers of the gain (nu x mjNGAIN)
  mjtNum*   actuator_biasprm;       // numbers of the bias (nu x mjNBIAS)
  mjtByte*  actuator_actearly;      // force takes the next activation (nu x 1)
  mjtNum*   actuator_ctrlrange;     // limits of controls (nu x 2)
  mjtNum*   actuator_forcerange;    // limits of forces (nu x 2)
  mjtNum*   actuator_actrange;      // limits of activations (nu x 2)
  mjtNum*   actuator_gear;          // scale of length and force, or wrench (nu x 6)
  mjtNum*   actuator_cranklength;   // length of the crank's rod (nu x 1)
  mjtNum*   actuator_acc0;          // acceleration from unit force in qpos0 (nu x 1)
  mjtNum*   actuator_length0;       // length in qpos0 (nu x 1)
  mjtNum*   actuator_lengthrange;   // lengths that can be reached (nu x 2)
  mjtNum*   actuator_user;          // user numbers (nu x nuser_actuator)
  int*      actuator_plugin;        // plugin instance; -1: none (nu x 1)

  int*      sensor_type;       // kind (mjtSensor) (nsensor x 1)
  int*      sensor_datatype;   // kind of reading (mjtDataType) (nsensor x 1)
  int*      sensor_needstage;  // stage that gives it (mjtStage) (nsensor x 1)
  int*      sensor_objtype;    // kind of the object (mjtObj) (nsensor x 1)
  int*      sensor_objid;      // object (nsensor x 1)
  int*      sensor_reftype;    // kind of the reference frame (mjtObj) (nsensor x 1)
  int*      sensor_refid;      // reference frame; -1: global (nsensor x 1)
  int*      sensor_dim;        // number of outputs (nsensor x 1)
  int*      sensor_adr;        // start of its data (nsensor x 1)
  mjtNum*   sensor_cutoff;     // bound of the output; 0: none (nsensor x 1)
  mjtNum*   sensor_noise;      // standard deviation of noise, for the user (nsensor x 1)
  mjtNum*   sensor_user;       // user numbers (nsensor x nuser_sensor)
  int*      sensor_plugin;     // plugin instance; -1: none (nsensor x 1)

  int*      plugin;           // registered plugin of an instance (nplugin x 1)
  int*      plugin_stateadr;  // start of an instance's state (nplugin x 1)
  int*      plugin_statenum;  // number of an instance's states (nplugin x 1)
  char*     plugin_attr;      // settings of all instances (npluginattr x 1)
  int*      plugin_attradr;   // start of an instance's settings (nplugin x 1)

  int*      numeric_adr;   // start of its data (nnumeric x 1)
  int*      numeric_size;  // numbers (nnumeric x 1)
  mjtNum*   numeric_data;  // data (nnumericdata x 1)

  int*      text_adr;   // start of its data (ntext x 1)
  int*      text_size;  // bytes, with the closing zero (ntext x 1)
  char*     text_data;  // texts (ntextdata x 1)

  int*      tuple_adr;      // start of its data (ntuple x 1)
  int*      tuple_size;     // objects (ntuple x 1)
  int*      tuple_objtype;  // kind of an object (mjtObj) (ntupledata x 1)
  int*      tuple_objid;    // object (ntupledata x 1)
  mjtNum*   tuple_objprm;   // number that goes with an object (ntupledata x 1)

  mjtNum*   key_time;   // time (nkey x 1)
  mjtNum*   key_qpos;   // positions (nkey x nq)
  mjtNum*   key_qvel;   // velocities (nkey x nv)
  mjtNum*   key_act;    // activations (nkey x na)
  mjtNum*   key_mpos;   // positions of mocap bodies (nkey x nmocap*3)
  mjtNum*   key_mquat;  // orientations of mocap bodies (nkey x nmocap*4)
  mjtNum*   key_ctrl;   // controls (nkey x nu)

  int*      name_bodyadr;      // start of its name in names (nbody x 1)
  int*      name_jntadr;       // start of its name in names (njnt x 1)
  int*      name_geomadr;      // start of its name in names (ngeom x 1)
  int*      name_siteadr;      // start of its name in names (nsite x 1)
  int*      name_camadr;       // start of its name in names (ncam x 1)
  int*      name_lightadr;     // start of its name in names (nlight x 1)
  int*      name_flexadr;      // start of its name in names (nflex x 1)
  int*      name_meshadr;      // start of its name in names (nmesh x 1)
  int*      name_skinadr;      // start of its name in names (nskin x 1)
  int*      name_hfieldadr;    // start of its name in names (nhfield x 1)
  int*      name_texadr;       // start of its name in names (ntex x 1)
  int*      name_matadr;       // start of its name in names (nmat x 1)
  int*      name_pairadr;      // start of its name in names (npair x 1)
  int*      name_excludeadr;   // start of its name in names (nexclude x 1)
  int*      name_eqadr;        // start of its name in names (neq x 1)
  int*      name_tendonadr;    // start of its name in names (ntendon x 1)
  int*      name_actuatoradr;  // start of its name in names (nu x 1)
  int*      name_sensoradr;    // start of its name in names (nsensor x 1)
  int*      name_numericadr;   // start of its name in names (nnumeric x 1)
  int*      name_textadr;      // start of its name in names (ntext x 1)
  int*      name_tupleadr;     // start of its name in names (ntuple x 1)
  int*      name_keyadr;       // start of its name in names (nkey x 1)
  int*      name_pluginadr;    // start of its name in names (nplugin x 1)
  char*     names;             // all names, each closed by zero (nnames x 1)
  int*      names_map;         // hash map of the names (nnames_map x 1)

  char*     paths;  // all paths, each closed by zero (npaths x 1)

  uint64_t  signature;  // mark of the compilation it came from
};
typedef struct mjModel_ mjModel;

#endif
