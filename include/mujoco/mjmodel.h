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
  mjDSBL_EQUALITY     = 1<<1,   // connects, welds and all other equalities
  mjDSBL_FRICTIONLOSS = 1<<2,   // dry friction of joints and tendons
  mjDSBL_LIMIT        = 1<<3,   // limits of joints and tendons
  mjDSBL_CONTACT      = 1<<4,   // contacts
  mjDSBL_PASSIVE      = 1<<5,   // springs, dampers, fluid forces, gravity compensation
  mjDSBL_GRAVITY      = 1<<6,   // gravity
  mjDSBL_CLAMPCTRL    = 1<<7,   // controls clamped to their range
  mjDSBL_WARMSTART    = 1<<8,   // solver started from the last solution
  mjDSBL_FILTERPARENT = 1<<9,   // no collision of a body with its parent
  mjDSBL_ACTUATION    = 1<<10,  // actuator forces
  mjDSBL_REFSAFE      = 1<<11,  // time constant kept above two time steps
  mjDSBL_SENSOR       = 1<<12,  // readings of sensors
  mjDSBL_MIDPHASE     = 1<<13,  // bounding volume trees between broad and narrow phase
  mjDSBL_EULERDAMP    = 1<<14,  // joint damping that Euler takes implicitly
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

typedef enum mjtGeom_ {  // shapes
  mjGEOM_PLANE        = 0,  // half space below a plane
  mjGEOM_HFIELD,            // terrain of elevations on a grid
  mjGEOM_SPHERE,            // ball
  mjGEOM_CAPSULE,           // cylinder with half-ball ends
  mjGEOM_ELLIPSOID,         // ellipsoid of three half lengths
  mjGEOM_CYLINDER,          // cylinder along z
  mjGEOM_BOX,               // box of three half lengths
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
  mjTEXROLE_OCCLUSION,      // how much ambient light reaches a place
  mjTEXROLE_ROUGHNESS,      // how rough a place is
  mjTEXROLE_METALLIC,       // metallic share
  mjTEXROLE_NORMAL,         // bumps, by their normals
  mjTEXROLE_OPACITY,        // opacity
  mjTEXROLE_EMISSIVE,       // own light
  mjTEXROLE_RGBA,           // colour and opacity in one
  mjTEXROLE_ORM,            // occlusion, roughness and metal, one in each channel
  mjNTEXROLE                // number of roles
} mjtTextureRole;

typedef enum mjtColorSpace_ {  // encoding of colours
  mjCOLORSPACE_AUTO   = 0,  // as the file says, otherwise linear
  mjCOLORSPACE_LINEAR,      // linear
  mjCOLORSPACE_SRGB         // sRGB
} mjtColorSpace;

typedef enum mjtIntegrator_ {  // numerical integrators
  mjINT_EULER         = 0,  // velocity first, then position with it; joint damping implicit
  mjINT_RK4,                // Runge-Kutta of fourth order
  mjINT_IMPLICIT,           // all forces that depend on velocity taken implicitly
  mjINT_IMPLICITFAST        // implicit in velocity, no derivative of the bias force, symmetric
} mjtIntegrator;

typedef enum mjtCone_ {  // friction cones
  mjCONE_PYRAMIDAL     = 0,  // a pyramid with two edges for each tangent
  mjCONE_ELLIPTIC            // ellipse
} mjtCone;

typedef enum mjtJacobian_ {  // how constraint matrices are stored
  mjJAC_DENSE          = 0,  // with all zeros
  mjJAC_SPARSE,              // compressed rows
  mjJAC_AUTO                 // sparse for models with many dofs
} mjtJacobian;

typedef enum mjtSolver_ {  // constraint solvers
  mjSOL_PGS            = 0,  // projected Gauss-Seidel, dual
  mjSOL_CG,                  // conjugate gradient, primal
  mjSOL_NEWTON               // Newton's method on the accelerations
} mjtSolver;

typedef enum mjtEq_ {  // what an equality holds
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
  mjWRAP_SITE,              // goes through a site
  mjWRAP_SPHERE,            // goes around a sphere where that is in the way
  mjWRAP_CYLINDER           // goes around a cylinder without ends where that is in the way
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
  mjGAIN_AFFINE,            // gainprm[0] + gainprm[1] length + gainprm[2] velocity
  mjGAIN_MUSCLE,            // force-length-velocity of a muscle
  mjGAIN_USER               // callback
} mjtGain;

typedef enum mjtBias_ {  // bias of an actuator
  mjBIAS_NONE         = 0,  // none
  mjBIAS_AFFINE,            // biasprm[0] + biasprm[1] length + biasprm[2] velocity
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
  mjOBJ_EQUALITY,           // equality
  mjOBJ_TENDON,             // tendon
  mjOBJ_ACTUATOR,           // actuator
  mjOBJ_SENSOR,             // sensor
  mjOBJ_NUMERIC,            // custom numbers
  mjOBJ_TEXT,               // custom text
  mjOBJ_TUPLE,              // custom list of objects
  mjOBJ_KEY,                // keyframe of the model
  mjOBJ_PLUGIN,             // instance of a plugin

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

  mjSENS_SUBTREECOM,     // centre of mass of a body and all below it (m)
  mjSENS_SUBTREELINVEL,  // velocity of that centre of mass (m/s)
  mjSENS_SUBTREEANGMOM,  // angular momentum about that centre of mass (kg m^2/s)

  mjSENS_GEOMDIST,    // how far two geoms are apart (m); negative: they overlap
  mjSENS_GEOMNORMAL,  // direction of the shortest segment between two geoms
  mjSENS_GEOMFROMTO,  // ends of the shortest segment between two geoms

  mjSENS_E_POTENTIAL,  // energy of gravity and springs (J)
  mjSENS_E_KINETIC,    // energy of motion (J)
  mjSENS_CLOCK,        // time of the simulation (s)

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
  mjDATATYPE_AXIS,          // a direction: three numbers of length 1
  mjDATATYPE_QUATERNION     // an orientation: four numbers of length 1
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

struct mjLROpt_ {  // how mj_setLengthRange finds a length range
  int mode;         // which actuators are worked on (mjtLRMode)
  int useexisting;  // keep ranges that the model gives
  int uselimit;     // take limits of the joint or tendon where there are any

  mjtNum accel;      // size of the acceleration that the pull aims at, over all dofs (m/s^2, rad/s^2)
  mjtNum maxforce;   // largest pull (N); 0: no bound
  mjtNum timeconst;  // time constant of the damping that slows the pull (s)
  mjtNum timestep;   // step of the trial simulation (s); 0: that of the model
  mjtNum inttotal;   // time simulated towards each end (s)
  mjtNum interval;   // last part of it, over which the length must be at rest (s)
  mjtNum tolrange;   // change of length accepted in that part, as a share of the range
};
typedef struct mjLROpt_ mjLROpt;

struct mjVFS_ {  // files held in memory
  void* impl_;  // private
};
typedef struct mjVFS_ mjVFS;

struct mjOption_ {  // settings of the simulation
  mjtNum timestep;  // length of a step (s)
  mjtNum apirate;   // rate of a remote program (Hz); kept for old files, nothing reads it

  mjtNum impratio;          // how much harder friction is than the normal direction of a contact (no unit)
  mjtNum tolerance;         // improvement per iteration at which the main solver ends (no unit, scaled by the model)
  mjtNum ls_tolerance;      // share of the slope that a line search leaves (no unit)
  mjtNum noslip_tolerance;  // improvement at which the noslip sweeps end (no unit, scaled by the model)
  mjtNum ccd_tolerance;     // length at which the search for convex contacts is content (m)

  mjtNum gravity[3];   // acceleration of gravity in the world (m/s^2)
  mjtNum wind[3];      // velocity of the medium in the world (m/s)
  mjtNum magnetic[3];  // magnetic field in the world, which magnetometers read (T)
  mjtNum density;      // density of the medium (kg/m^3); 0: no drag and lift by inertia
  mjtNum viscosity;    // viscosity of the medium (Pa s); 0: no viscous drag

  mjtNum o_margin;          // margin of every contact while mjENBL_OVERRIDE is set (m)
  mjtNum o_solref[mjNREF];  // solref of every contact while mjENBL_OVERRIDE is set
  mjtNum o_solimp[mjNIMP];  // solimp of every contact while mjENBL_OVERRIDE is set
  mjtNum o_friction[5];     // friction of every contact while mjENBL_OVERRIDE is set: 2 sliding, torsional (m), 2 rolling (m)

  int integrator;         // how velocity and position advance (mjtIntegrator)
  int cone;               // are friction cones pyramids or elliptic (mjtCone)
  int jacobian;           // dense or sparse constraint matrices (mjtJacobian); the motion is the same
  int solver;             // method for the constraint forces (mjtSolver)
  int iterations;         // at most so many iterations of the main solver
  int ls_iterations;      // at most so many evaluations in each line search
  int noslip_iterations;  // at most so many noslip sweeps; 0: none
  int ccd_iterations;     // at most so many iterations for each convex contact
  int disableflags;       // parts of the pipeline that are off, one bit each (mjtDisableBit)
  int enableflags;        // optional parts that are on, one bit each (mjtEnableBit)
  int disableactuator;    // groups of actuators that are off, bit i for group i

  int sdf_initpoints;  // points from which contacts of signed distance fields are sought
  int sdf_iterations;  // steps downhill from each of these points
};
typedef struct mjOption_ mjOption;

struct mjVisual_ {  // how a model wants to be seen
  struct {
    int   cameraid;          // camera that a viewer begins with; -1: the free one
    int   orthographic;      // 1: the free camera has no perspective
    float fovy;              // vertical field of view of the free camera (degrees); orthographic: height of what it sees (m)
    float ipd;               // distance between the eyes of the free camera (m)
    float azimuth;           // direction of the free camera about the vertical at the start (degrees)
    float elevation;         // angle of the free camera above the horizon at the start (degrees)
    float linewidth;         // width of lines and wireframes (pixels)
    float glow;              // emission added to the selected body (0 to 1)
    float realtime;          // simulated over real time that a viewer aims at (no unit)
    int   offwidth;          // width of the buffer for pictures off the screen (pixels)
    int   offheight;         // height of the buffer for pictures off the screen (pixels)
    int   ellipsoidinertia;  // 1: inertias are drawn as ellipsoids; 0: as boxes
    int   bvactive;          // 1: bounding volumes that were gone through have a colour of their own
  } global;

  struct {
    int   shadowsize;  // width and height of the shadow map (pixels); 0: no shadows
    int   offsamples;  // samples per pixel of pictures off the screen
    int   numslices;   // sides of round shapes around their axis
    int   numstacks;   // rings of round shapes along their axis
    int   numquads;    // rectangles along each side of planes and boxes
  } quality;

  struct {
    float ambient[3];   // light that it throws everywhere (red, green, blue, 0 to 1)
    float diffuse[3];   // light that matt surfaces throw back (red, green, blue, 0 to 1)
    float specular[3];  // light of highlights (red, green, blue, 0 to 1)
    int   active;       // 1: it is on
  } headlight;

  struct {
    float stiffness;       // acceleration per distance when the mouse pulls (1/s^2)
    float stiffnessrot;    // angular acceleration per angle when the mouse turns (1/s^2)
    float force;           // length of an arrow per force over mean mass (m per m/s^2)
    float torque;          // length of an arrow per torque; Sinew draws none
    float alpha;           // opacity of bodies made see-through (0 to 1)
    float fogstart;        // distance at which fog begins, in extents of the model
    float fogend;          // distance at which fog hides all, in extents of the model
    float znear;           // near clipping plane, in extents of the model
    float zfar;            // far clipping plane, in extents of the model
    float haze;            // share of the way to the horizon over which endless planes fade (0 to 1)
    float shadowclip;      // half width of what a directional light's shadow covers, in extents of the model
    float shadowscale;     // share of a spot's cone that its shadow map covers (0 to 1)
    float actuatortendon;  // width of a driven tendon over its own width (no unit)
  } map;

  struct {
    float forcewidth;      // width of force arrows, in mean sizes of a body
    float contactwidth;    // radius of contact discs, in mean sizes of a body
    float contactheight;   // height of contact discs, in mean sizes of a body
    float connect;         // width of the skeleton's lines, in mean sizes of a body
    float com;             // radius of the ball at a centre of mass, in mean sizes of a body
    float camera;          // size of cameras, in mean sizes of a body
    float light;           // size of lights, in mean sizes of a body
    float selectpoint;     // radius of the ball at the selected point, in mean sizes of a body
    float jointlength;     // length of joint arrows, in mean sizes of a body
    float jointwidth;      // width of joint arrows, in mean sizes of a body
    float actuatorlength;  // length of actuators, in mean sizes of a body
    float actuatorwidth;   // width of actuators, in mean sizes of a body
    float framelength;     // length of the axes of frames, in mean sizes of a body
    float framewidth;      // width of the axes of frames, in mean sizes of a body
    float constraint;      // width of the line of a violated equality, in mean sizes of a body
    float slidercrank;     // width of slider-cranks, in mean sizes of a body
    float frustum;         // length of the pyramid that a camera sees, in mean sizes of a body
  } scale;

  struct {
    float fog[4];               // colour of fog (red, green, blue, alpha, 0 to 1, as all below)
    float haze[4];              // colour of the haze at the horizon
    float force[4];             // colour of arrows of forces on bodies
    float inertia[4];           // colour of boxes or ellipsoids of inertia
    float joint[4];             // colour of joints
    float actuator[4];          // colour of actuators whose control is zero
    float actuatornegative[4];  // colour of actuators at the lower end of their control
    float actuatorpositive[4];  // colour of actuators at the upper end of their control
    float com[4];               // colour of centres of mass
    float camera[4];            // colour of cameras
    float light[4];             // colour of lights
    float selectpoint[4];       // colour of the selected point
    float connect[4];           // colour of the skeleton's lines
    float contactpoint[4];      // colour of contacts that have a force
    float contactforce[4];      // colour of arrows of contact forces
    float contactfriction[4];   // colour of the part of a contact force along the surface
    float contacttorque[4];     // colour of arrows of contact torques; Sinew draws none
    float contactgap[4];        // colour of contacts within their gap, without force
    float rangefinder[4];       // colour of the rays of range finders
    float constraint[4];        // colour of violated equalities
    float slidercrank[4];       // colour of slider-cranks
    float crankbroken[4];       // colour of slider-cranks whose rod cannot reach
    float frustum[4];           // colour of the pyramid that a camera sees
    float bv[4];                // colour of bounding volumes
    float bvactive[4];          // colour of bounding volumes that were gone through
  } rgba;
};
typedef struct mjVisual_ mjVisual;

struct mjStatistic_ {  // numbers about the whole model
  mjtNum meaninertia;  // mean diagonal of M in qpos0 (kg m^2 or kg); scales the solver's tolerances
  mjtNum meanmass;     // mean mass of a body (kg); scales arrows of forces
  mjtNum meansize;     // mean size of a body (m); scales drawings of joints, frames and contacts
  mjtNum extent;       // size of the whole model (m); scales distances of cameras and clipping planes
  mjtNum center[3];    // middle of the model (m), which the free camera looks at
};
typedef struct mjStatistic_ mjStatistic;

struct mjModel_ {  // the model: constant while it is simulated, except by its user

  int nq;              // length of qpos: coordinates of all joints (a ball has 4, a free joint 7)
  int nv;              // length of qvel: degrees of freedom of all joints (a ball has 3, a free joint 6)
  int nu;              // actuators, and controls: one each
  int na;              // activations of all actuators
  int nbody;           // bodies, the world included
  int nbvh;            // bounding volumes of all bodies, meshes and flexes
  int nbvhstatic;      // bounding volumes that are fixed to a body
  int nbvhdynamic;     // bounding volumes that move with a flex
  int noct;            // octree cells of all meshes
  int njnt;            // joints of all kinds
  int ngeom;           // geoms, those of the world included
  int nsite;           // sites of all bodies
  int ncam;            // cameras of all bodies
  int nlight;          // lights of all bodies
  int nflex;           // flexes: ropes, cloths and soft solids
  int nflexnode;       // control nodes in all flexes together
  int nflexvert;       // points in all flexes together
  int nflexedge;       // edges in all flexes together
  int nflexelem;       // elements (segments, triangles, tetrahedra) in all flexes together
  int nflexelemdata;   // point ids that elements list, over all flexes
  int nflexelemedge;   // edge ids that elements list, over all flexes
  int nflexshelldata;  // point ids that surface pieces list, over all flexes
  int nflexevpair;     // pairs of an element and a point that may collide, over all flexes
  int nflextexcoord;   // texture coordinates in all flexes together
  int nmesh;           // meshes
  int nmeshvert;       // vertices of all meshes together
  int nmeshnormal;     // normals of all meshes together
  int nmeshtexcoord;   // texture coordinates of all meshes together
  int nmeshface;       // triangles of all meshes together
  int nmeshgraph;      // ints that the graphs of hulls take, over all meshes
  int nmeshpoly;       // flat polygons on the hulls of all meshes together
  int nmeshpolyvert;   // vertex ids that these polygons list
  int nmeshpolymap;    // polygon ids that the vertices of hulls list
  int nskin;           // skins
  int nskinvert;       // vertices of all skins together
  int nskintexvert;    // vertices that have texture coordinates, over all skins
  int nskinface;       // triangles of all skins together
  int nskinbone;       // bones of all skins together
  int nskinbonevert;   // vertex ids that bones list, over all skins
  int nhfield;         // height fields
  int nhfielddata;     // heights of all height fields together
  int ntex;            // textures
  int ntexdata;        // bytes of all textures together
  int nmat;            // materials
  int npair;           // pairs of geoms that the model names to collide
  int nexclude;        // pairs of bodies that the model names not to collide
  int neq;             // equalities, on or off
  int ntendon;         // tendons, spatial and fixed
  int nwrap;           // sites, geoms, pulleys and joints on the paths of all tendons
  int nsensor;         // sensors
  int nnumeric;        // custom lists of numbers
  int nnumericdata;    // numbers in all of these lists
  int ntext;           // custom texts
  int ntextdata;       // bytes of all custom texts, their closing zeros included
  int ntuple;          // custom lists of objects
  int ntupledata;      // objects in all of these lists
  int nkey;            // keyframes
  int nmocap;          // bodies whose pose the program gives
  int nplugin;         // plugin instances
  int npluginattr;     // bytes of the settings of all plugin instances
  int nuser_body;      // length of a row of body_user
  int nuser_jnt;       // length of a row of jnt_user
  int nuser_geom;      // length of a row of geom_user
  int nuser_site;      // length of a row of site_user
  int nuser_cam;       // length of a row of cam_user
  int nuser_tendon;    // length of a row of tendon_user
  int nuser_actuator;  // length of a row of actuator_user
  int nuser_sensor;    // length of a row of sensor_user
  int nnames;          // bytes of all names, their closing zeros included
  int npaths;          // bytes of all file names, their closing zeros included

  int nnames_map;    // slots of the hash table of names
  int nM;            // entries of the inertia matrix along the tree (qM)
  int nB;            // entries of the pattern of bodies and the dofs that move them
  int nC;            // entries of the lower triangle of M in compressed rows
  int nD;            // entries of the pattern of dofs that share a branch
  int nJmom;         // entries of the sparse matrix of actuator moments
  int ntree;         // kinematic trees: a body with joints on something fixed, and all below it
  int ngravcomp;     // bodies with gravity compensation
  int nemax;         // rows that equalities may take at most
  int njmax;         // rows that old files asked room for; -1: not given, and no bound in any case
  int nconmax;       // contacts that old files asked room for; -1: not given, and no bound in any case
  int nuserdata;     // length of userdata in mjData
  int nsensordata;   // length of sensordata: numbers that all sensors give
  int npluginstate;  // length of plugin_state: numbers of state of all plugin instances

  size_t narena;   // bytes of mjData's arena when it is made; it grows beyond
  size_t nbuffer;  // bytes of the block that holds all arrays

  mjOption opt;      // settings of the simulation
  mjVisual vis;      // settings of pictures
  mjStatistic stat;  // typical magnitudes

  void*     buffer;  // the block that holds all arrays

  mjtNum*   qpos0;        // coordinates in the pose of the file (m, rad, quaternions) (nq x 1)
  mjtNum*   qpos_spring;  // coordinates at which joint springs are at rest (m, rad, quaternions) (nq x 1)

  int*      body_parentid;     // body around it; 0 for the world itself (nbody x 1)
  int*      body_rootid;       // ancestor, or itself, that hangs on the world (nbody x 1)
  int*      body_weldid;       // topmost body that it is rigidly part of (nbody x 1)
  int*      body_mocapid;      // row in mocap_pos and mocap_quat; -1: the program does not move it (nbody x 1)
  int*      body_jntnum;       // how many joints it has (nbody x 1)
  int*      body_jntadr;       // first of its joints; -1: none (nbody x 1)
  int*      body_dofnum;       // how many dofs its own joints have (nbody x 1)
  int*      body_dofadr;       // first of its dofs; -1: none (nbody x 1)
  int*      body_treeid;       // kinematic tree that it belongs to; -1: it cannot move (nbody x 1)
  int*      body_geomnum;      // how many geoms it has (nbody x 1)
  int*      body_geomadr;      // first of its geoms; -1: none (nbody x 1)
  mjtByte*  body_simple;       // 1: its block of M is diagonal, 2: and it has sliders alone; 0: neither (nbody x 1)
  mjtByte*  body_sameframe;    // is its frame that of its inertia (mjtSameFrame) (nbody x 1)
  mjtNum*   body_pos;          // origin of its frame, in the parent's (m) (nbody x 3)
  mjtNum*   body_quat;         // orientation of its frame, in the parent's (quaternion w x y z) (nbody x 4)
  mjtNum*   body_ipos;         // centre of mass, in its own frame (m) (nbody x 3)
  mjtNum*   body_iquat;        // orientation of its principal axes, in its own frame (quaternion) (nbody x 4)
  mjtNum*   body_mass;         // mass of the body alone (kg) (nbody x 1)
  mjtNum*   body_subtreemass;  // mass of the body and all below it (kg) (nbody x 1)
  mjtNum*   body_inertia;      // moments of inertia about the principal axes (kg m^2) (nbody x 3)
  mjtNum*   body_invweight0;   // mean inverse inertia in qpos0, of shifts (1/kg) and turns (1/(kg m^2)) (nbody x 2)
  mjtNum*   body_gravcomp;     // share of its weight that is taken off (1: floats) (nbody x 1)
  mjtNum*   body_margin;       // largest margin of its geoms (m) (nbody x 1)
  mjtNum*   body_user;         // numbers of the program's own for each body (nbody x nuser_body)
  int*      body_plugin;       // plugin instance that acts on it; -1: none (nbody x 1)
  int*      body_contype;      // bits of contype of all its geoms (nbody x 1)
  int*      body_conaffinity;  // bits of conaffinity of all its geoms (nbody x 1)
  int*      body_bvhadr;       // first of its bounding volumes; -1: none (nbody x 1)
  int*      body_bvhnum;       // how many bounding volumes it has (nbody x 1)

  int*      bvh_depth;   // steps from the root of its tree of volumes (nbvh x 1)
  int*      bvh_child;   // the two volumes inside; -1: none (nbvh x 2)
  int*      bvh_nodeid;  // geom, element or triangle that a leaf holds; -1: no leaf (nbvh x 1)
  mjtNum*   bvh_aabb;    // box in the frame of body or mesh: centre, half lengths (m) (nbvhstatic x 6)

  int*      oct_depth;  // steps from the root of its octree (noct x 1)
  int*      oct_child;  // the eight cells inside; -1: none (noct x 8)
  mjtNum*   oct_aabb;   // box in the frame of the mesh: centre, half lengths (m) (noct x 6)

  int*      jnt_type;           // free, ball, slide or hinge (mjtJoint) (njnt x 1)
  int*      jnt_qposadr;        // first of its coordinates in qpos (njnt x 1)
  int*      jnt_dofadr;         // first of its dofs in qvel (njnt x 1)
  int*      jnt_bodyid;         // body that it moves (njnt x 1)
  int*      jnt_group;          // number from 0 to 5 by which viewers show it (njnt x 1)
  mjtByte*  jnt_limited;        // 1: jnt_range holds (njnt x 1)
  mjtByte*  jnt_actfrclimited;  // 1: jnt_actfrcrange holds (njnt x 1)
  mjtByte*  jnt_actgravcomp;    // 1: gravity compensation counts as force of actuators (njnt x 1)
  mjtNum*   jnt_solref;         // how its limit gives: time constant (s), damping ratio; negative: stiffness, damping (njnt x mjNREF)
  mjtNum*   jnt_solimp;         // how hard its limit is: impedances, width, midpoint, power (njnt x mjNIMP)
  mjtNum*   jnt_pos;            // point of the body that it turns about, in the body's frame (m) (njnt x 3)
  mjtNum*   jnt_axis;           // axis of a hinge or direction of a slide, in the body's frame (length 1) (njnt x 3)
  mjtNum*   jnt_stiffness;      // spring towards qpos_spring (N/m, or N m/rad) (njnt x 1)
  mjtNum*   jnt_range;          // least and largest position (m or rad); of a ball 0 and its largest turn (njnt x 2)
  mjtNum*   jnt_actfrcrange;    // least and largest sum of actuator forces (N or N m) (njnt x 2)
  mjtNum*   jnt_margin;         // distance from the limit at which its row begins (m or rad) (njnt x 1)
  mjtNum*   jnt_user;           // numbers of the program's own for each joint (njnt x nuser_jnt)

  int*      dof_bodyid;        // body that it moves (nv x 1)
  int*      dof_jntid;         // joint that it belongs to (nv x 1)
  int*      dof_parentid;      // dof before it on the way to the root; -1: none (nv x 1)
  int*      dof_treeid;        // kinematic tree that it belongs to (nv x 1)
  int*      dof_Madr;          // where its diagonal entry stands in qM (nv x 1)
  int*      dof_simplenum;     // how many simple dofs follow from here on, itself included (nv x 1)
  mjtNum*   dof_solref;        // how its dry friction gives: time constant (s), damping ratio (nv x mjNREF)
  mjtNum*   dof_solimp;        // how hard its dry friction is: impedances, width, midpoint, power (nv x mjNIMP)
  mjtNum*   dof_frictionloss;  // dry friction (N or N m) (nv x 1)
  mjtNum*   dof_armature;      // inertia added to the diagonal of M, as of a geared rotor (kg or kg m^2) (nv x 1)
  mjtNum*   dof_damping;       // force against velocity (N s/m or N m s/rad) (nv x 1)
  mjtNum*   dof_invweight0;    // its diagonal of inv(M) in qpos0 (1/kg or 1/(kg m^2)), averaged over a joint (nv x 1)
  mjtNum*   dof_M0;            // its diagonal of M in qpos0 (kg or kg m^2) (nv x 1)

  int*      geom_type;         // its shape (mjtGeom) (ngeom x 1)
  int*      geom_contype;      // collision filter: bits compared with conaffinity of the other (ngeom x 1)
  int*      geom_conaffinity;  // collision filter: bits compared with contype of the other (ngeom x 1)
  int*      geom_condim;       // directions with force in its contacts: 1, 3, 4 or 6 (ngeom x 1)
  int*      geom_bodyid;       // body that it is part of (ngeom x 1)
  int*      geom_dataid;       // mesh or height field of that shape; -1: none (ngeom x 1)
  int*      geom_matid;        // material that it is drawn with; -1: none (ngeom x 1)
  int*      geom_group;        // number from 0 to 5 by which viewers show it (ngeom x 1)
  int*      geom_priority;     // whose contact numbers count: those of the higher one (ngeom x 1)
  int*      geom_plugin;       // plugin instance that gives its shape; -1: none (ngeom x 1)
  mjtByte*  geom_sameframe;    // is its frame that of its body or of the body's inertia (mjtSameFrame) (ngeom x 1)
  mjtNum*   geom_solmix;       // its weight where solref and solimp of two geoms are averaged (ngeom x 1)
  mjtNum*   geom_solref;       // how its contacts give: time constant (s), damping ratio; negative: stiffness, damping (ngeom x mjNREF)
  mjtNum*   geom_solimp;       // how hard its contacts are: impedances, width (m), midpoint, power (ngeom x mjNIMP)
  mjtNum*   geom_size;         // sizes of its shape: radius, half lengths (m) (ngeom x 3)
  mjtNum*   geom_aabb;         // box around it in its own frame: centre, half lengths (m) (ngeom x 6)
  mjtNum*   geom_rbound;       // radius of a ball around it (m); 0: an endless plane (ngeom x 1)
  mjtNum*   geom_pos;          // origin of its frame, in the body's (m) (ngeom x 3)
  mjtNum*   geom_quat;         // orientation of its frame, in the body's (quaternion) (ngeom x 4)
  mjtNum*   geom_friction;     // sliding (no unit), torsional (m) and rolling (m) friction (ngeom x 3)
  mjtNum*   geom_margin;       // distance at which contacts are made (m) (ngeom x 1)
  mjtNum*   geom_gap;          // part of the margin in which contacts have no force (m) (ngeom x 1)
  mjtNum*   geom_fluid;        // coefficients of fluid forces on its ellipsoid; first 0: none (ngeom x mjNFLUID)
  mjtNum*   geom_user;         // numbers of the program's own for each geom (ngeom x nuser_geom)
  float*    geom_rgba;         // red, green, blue, alpha where it has no material (0 to 1) (ngeom x 4)

  int*      site_type;       // shape that it is drawn with (mjtGeom) (nsite x 1)
  int*      site_bodyid;     // body that it is part of (nsite x 1)
  int*      site_matid;      // material that it is drawn with; -1: none (nsite x 1)
  int*      site_group;      // number from 0 to 5 by which viewers show it (nsite x 1)
  mjtByte*  site_sameframe;  // is its frame that of its body or of the body's inertia (mjtSameFrame) (nsite x 1)
  mjtNum*   site_size;       // sizes of its shape, within which touch sensors feel (m) (nsite x 3)
  mjtNum*   site_pos;        // origin of its frame, in the body's (m) (nsite x 3)
  mjtNum*   site_quat;       // orientation of its frame, in the body's (quaternion) (nsite x 4)
  mjtNum*   site_user;       // numbers of the program's own for each site (nsite x nuser_site)
  float*    site_rgba;       // red, green, blue, alpha where it has no material (0 to 1) (nsite x 4)

  int*      cam_mode;          // fixed to its body, or following one (mjtCamLight) (ncam x 1)
  int*      cam_bodyid;        // body that it is part of (ncam x 1)
  int*      cam_targetbodyid;  // body that it looks at; -1: none (ncam x 1)
  mjtNum*   cam_pos;           // its position, in the body's frame (m) (ncam x 3)
  mjtNum*   cam_quat;          // its orientation, in the body's frame (quaternion); it looks along -z (ncam x 4)
  mjtNum*   cam_poscom0;       // its position from the centre of mass of the subtree, in qpos0 (m) (ncam x 3)
  mjtNum*   cam_pos0;          // its position from the body, along the world's axes, in qpos0 (m) (ncam x 3)
  mjtNum*   cam_mat0;          // its orientation in the world, in qpos0 (matrix by rows) (ncam x 9)
  int*      cam_orthographic;  // 1: it has no perspective (ncam x 1)
  mjtNum*   cam_fovy;          // vertical field of view (degrees); orthographic: height of what it sees (m) (ncam x 1)
  mjtNum*   cam_ipd;           // distance between its eyes (m) (ncam x 1)
  int*      cam_resolution;    // width and height of its picture (pixels) (ncam x 2)
  float*    cam_sensorsize;    // width and height of its sensor (m); 0: fovy counts (ncam x 2)
  float*    cam_intrinsic;     // focal lengths and principal point, in x and y (m) (ncam x 4)
  mjtNum*   cam_user;          // numbers of the program's own for each camera (ncam x nuser_cam)

  int*      light_mode;          // fixed to its body, or following one (mjtCamLight) (nlight x 1)
  int*      light_bodyid;        // body that it is part of (nlight x 1)
  int*      light_targetbodyid;  // body that it shines at; -1: none (nlight x 1)
  int*      light_type;          // spot, directional, point or image (mjtLightType) (nlight x 1)
  int*      light_texid;         // texture of an image light; -1: none (nlight x 1)
  mjtByte*  light_castshadow;    // 1: things throw shadows in it (nlight x 1)
  float*    light_bulbradius;    // radius of the lamp, for soft shadows (m) (nlight x 1)
  float*    light_intensity;     // brightness for renderers with physically based light (candela) (nlight x 1)
  float*    light_range;         // distance beyond which it has no effect (m) (nlight x 1)
  mjtByte*  light_active;        // 1: it is on (nlight x 1)
  mjtNum*   light_pos;           // its position, in the body's frame (m) (nlight x 3)
  mjtNum*   light_dir;           // direction that it shines in, in the body's frame (length 1) (nlight x 3)
  mjtNum*   light_poscom0;       // its position from the centre of mass of the subtree, in qpos0 (m) (nlight x 3)
  mjtNum*   light_pos0;          // its position from the body, along the world's axes, in qpos0 (m) (nlight x 3)
  mjtNum*   light_dir0;          // direction that it shines in, in the world, in qpos0 (length 1) (nlight x 3)
  float*    light_attenuation;   // a, b, c: light at distance d is divided by a + b d + c d^2 (nlight x 3)
  float*    light_cutoff;        // half angle of a spot's cone (degrees) (nlight x 1)
  float*    light_exponent;      // how sharply a spot's light falls off from its middle (nlight x 1)
  float*    light_ambient;       // light that it throws everywhere (red, green, blue, 0 to 1) (nlight x 3)
  float*    light_diffuse;       // light that matt surfaces throw back (red, green, blue, 0 to 1) (nlight x 3)
  float*    light_specular;      // light of highlights (red, green, blue, 0 to 1) (nlight x 3)

  int*      flex_contype;       // collision filter: bits compared with conaffinity of the other (nflex x 1)
  int*      flex_conaffinity;   // collision filter: bits compared with contype of the other (nflex x 1)
  int*      flex_condim;        // directions with force in its contacts: 1, 3, 4 or 6 (nflex x 1)
  int*      flex_priority;      // whose contact numbers count: those of the higher one (nflex x 1)
  mjtNum*   flex_solmix;        // its weight where solref and solimp of two are averaged (nflex x 1)
  mjtNum*   flex_solref;        // how its contacts give: time constant (s), damping ratio; negative: stiffness, damping (nflex x mjNREF)
  mjtNum*   flex_solimp;        // how hard its contacts are: impedances, width (m), midpoint, power (nflex x mjNIMP)
  mjtNum*   flex_friction;      // sliding (no unit), torsional (m) and rolling (m) friction (nflex x 3)
  mjtNum*   flex_margin;        // distance at which contacts are made, beyond its radius (m) (nflex x 1)
  mjtNum*   flex_gap;           // part of the margin in which contacts have no force (m) (nflex x 1)
  mjtByte*  flex_internal;      // 1: elements collide with points of their neighbours, so that none turns inside out (nflex x 1)
  int*      flex_selfcollide;   // how its elements are kept apart from each other (mjtFlexSelf) (nflex x 1)
  int*      flex_activelayers;  // layers of elements, from the surface inwards, that collide (solids) (nflex x 1)

  int*      flex_dim;             // 1: a rope of segments, 2: a cloth of triangles, 3: a solid of tetrahedra (nflex x 1)
  int*      flex_matid;           // material that it is drawn with; -1: none (nflex x 1)
  int*      flex_group;           // number from 0 to 5 by which viewers show it (nflex x 1)
  int*      flex_interp;          // 0: each point has a body; 1: points follow the eight nodes of a box (nflex x 1)
  int*      flex_nodeadr;         // first of its nodes (nflex x 1)
  int*      flex_nodenum;         // how many nodes it has (nflex x 1)
  int*      flex_vertadr;         // first of its points (nflex x 1)
  int*      flex_vertnum;         // how many points it has (nflex x 1)
  int*      flex_edgeadr;         // first of its edges (nflex x 1)
  int*      flex_edgenum;         // how many edges it has (nflex x 1)
  int*      flex_elemadr;         // first of its elements (nflex x 1)
  int*      flex_elemnum;         // how many elements it has (nflex x 1)
  int*      flex_elemdataadr;     // where the points of its elements begin in flex_elem (nflex x 1)
  int*      flex_elemedgeadr;     // where the edges of its elements begin in flex_elemedge (nflex x 1)
  int*      flex_shellnum;        // how many pieces its surface has (nflex x 1)
  int*      flex_shelldataadr;    // where the points of these pieces begin in flex_shell (nflex x 1)
  int*      flex_evpairadr;       // first of its pairs of element and point (nflex x 1)
  int*      flex_evpairnum;       // how many such pairs it has (nflex x 1)
  int*      flex_texcoordadr;     // first of its texture coordinates; -1: none (nflex x 1)
  int*      flex_nodebodyid;      // body that carries a node (nflexnode x 1)
  int*      flex_vertbodyid;      // body that carries a point (nflexvert x 1)
  int*      flex_edge;            // the two points of an edge (nflexedge x 2)
  int*      flex_edgeflap;        // points of the two triangles beside an edge, across from it (cloth); -1: none (nflexedge x 2)
  int*      flex_elem;            // points of elements, dim + 1 each (nflexelemdata x 1)
  int*      flex_elemtexcoord;    // texture coordinates of elements, dim + 1 each (nflexelemdata x 1)
  int*      flex_elemedge;        // edges of elements: 1, 3 or 6 each (nflexelemedge x 1)
  int*      flex_elemlayer;       // layers between an element and the surface (solids) (nflexelem x 1)
  int*      flex_shell;           // points of the pieces of the surface, dim each (nflexshelldata x 1)
  int*      flex_evpair;          // element and point that may collide with each other (nflexevpair x 2)
  mjtNum*   flex_vert;            // point in the frame of its body (m) (nflexvert x 3)
  mjtNum*   flex_vert0;           // point in qpos0, scaled to 0 to 1 over the box of the flex (nflexvert x 3)
  mjtNum*   flex_node;            // node in the frame of its body (m) (nflexnode x 3)
  mjtNum*   flex_node0;           // node in qpos0, in the world (m) (nflexnode x 3)
  mjtNum*   flexedge_length0;     // length of an edge in qpos0 (m) (nflexedge x 1)
  mjtNum*   flexedge_invweight0;  // inverse inertia of an edge in qpos0 (1/kg) (nflexedge x 1)
  mjtNum*   flex_radius;          // half the thickness: how far from its elements it collides (m) (nflex x 1)
  mjtNum*   flex_stiffness;       // stiffness of an element, by pairs of its edges (N/m^3, upper triangle) (nflexelem x 21)
  mjtNum*   flex_bending;         // stiffness against bending at an edge, by its four points (N/m) (nflexedge x 16)
  mjtNum*   flex_damping;         // damping in proportion to stiffness (s) (nflex x 1)
  mjtNum*   flex_edgestiffness;   // spring along each edge (N/m) (nflex x 1)
  mjtNum*   flex_edgedamping;     // damping along each edge (N s/m) (nflex x 1)
  mjtByte*  flex_edgeequality;    // 1: an equality holds the lengths of edges (nflex x 1)
  mjtByte*  flex_rigid;           // 1: all its points are in one body (nflex x 1)
  mjtByte*  flexedge_rigid;       // 1: both points of the edge are in one body (nflexedge x 1)
  mjtByte*  flex_centered;        // 1: every point is the origin of its body (nflex x 1)
  mjtByte*  flex_flatskin;        // 1: faces are drawn flat (nflex x 1)
  int*      flex_bvhadr;          // first of its bounding volumes; -1: none (nflex x 1)
  int*      flex_bvhnum;          // how many bounding volumes it has (nflex x 1)
  float*    flex_rgba;            // red, green, blue, alpha where it has no material (0 to 1) (nflex x 4)
  float*    flex_texcoord;        // texture coordinates of points (0 to 1 over the picture) (nflextexcoord x 2)

  int*      mesh_vertadr;       // first of its vertices (nmesh x 1)
  int*      mesh_vertnum;       // how many vertices it has (nmesh x 1)
  int*      mesh_faceadr;       // first of its triangles (nmesh x 1)
  int*      mesh_facenum;       // how many triangles it has (nmesh x 1)
  int*      mesh_bvhadr;        // first of its bounding volumes; -1: none (nmesh x 1)
  int*      mesh_bvhnum;        // how many bounding volumes it has (nmesh x 1)
  int*      mesh_octadr;        // first of its octree cells; -1: none (nmesh x 1)
  int*      mesh_octnum;        // how many octree cells it has (nmesh x 1)
  int*      mesh_normaladr;     // first of its normals (nmesh x 1)
  int*      mesh_normalnum;     // how many normals it has (nmesh x 1)
  int*      mesh_texcoordadr;   // first of its texture coordinates; -1: none (nmesh x 1)
  int*      mesh_texcoordnum;   // how many texture coordinates it has (nmesh x 1)
  int*      mesh_graphadr;      // where the graph of its hull begins in mesh_graph; -1: none (nmesh x 1)
  float*    mesh_vert;          // vertices in the frame of the mesh, which is that of its inertia (m) (nmeshvert x 3)
  float*    mesh_normal;        // normals of vertices (length 1) (nmeshnormal x 3)
  float*    mesh_texcoord;      // texture coordinates of vertices (0 to 1 over the picture) (nmeshtexcoord x 2)
  int*      mesh_face;          // the three vertices of a triangle, counted within the mesh (nmeshface x 3)
  int*      mesh_facenormal;    // the three normals of a triangle, counted within the mesh (nmeshface x 3)
  int*      mesh_facetexcoord;  // the three texture coordinates of a triangle, counted within the mesh (nmeshface x 3)
  int*      mesh_graph;         // graph of the hull: counts, vertices, their neighbours, triangles (nmeshgraph x 1)
  mjtNum*   mesh_scale;         // factors that the compiler scaled its vertices by (nmesh x 3)
  mjtNum*   mesh_pos;           // centre of mass in the file's frame, which the compiler took off (m) (nmesh x 3)
  mjtNum*   mesh_quat;          // orientation of the principal axes in the file's frame, which the compiler took off (quaternion) (nmesh x 4)
  int*      mesh_pathadr;       // where its file name begins in paths; -1: none (nmesh x 1)
  int*      mesh_polynum;       // how many flat polygons its hull has (nmesh x 1)
  int*      mesh_polyadr;       // first of these polygons (nmesh x 1)
  mjtNum*   mesh_polynormal;    // outward normal of a polygon (length 1) (nmeshpoly x 3)
  int*      mesh_polyvertadr;   // where the vertices of a polygon begin in mesh_polyvert (nmeshpoly x 1)
  int*      mesh_polyvertnum;   // how many vertices a polygon has (nmeshpoly x 1)
  int*      mesh_polyvert;      // vertices of polygons, in order around each (nmeshpolyvert x 1)
  int*      mesh_polymapadr;    // where the polygons of a vertex begin in mesh_polymap (nmeshvert x 1)
  int*      mesh_polymapnum;    // how many polygons meet at a vertex (nmeshvert x 1)
  int*      mesh_polymap;       // polygons that meet at vertices (nmeshpolymap x 1)

  int*      skin_matid;           // material that it is drawn with; -1: none (nskin x 1)
  int*      skin_group;           // number from 0 to 5 by which viewers show it (nskin x 1)
  float*    skin_rgba;            // red, green, blue, alpha where it has no material (0 to 1) (nskin x 4)
  float*    skin_inflate;         // how far vertices move out along their normals (m) (nskin x 1)
  int*      skin_vertadr;         // first of its vertices (nskin x 1)
  int*      skin_vertnum;         // how many vertices it has (nskin x 1)
  int*      skin_texcoordadr;     // first of its texture coordinates; -1: none (nskin x 1)
  int*      skin_faceadr;         // first of its triangles (nskin x 1)
  int*      skin_facenum;         // how many triangles it has (nskin x 1)
  int*      skin_boneadr;         // first of its bones (nskin x 1)
  int*      skin_bonenum;         // how many bones it has (nskin x 1)
  float*    skin_vert;            // vertices in the pose of binding, in the world (m) (nskinvert x 3)
  float*    skin_texcoord;        // texture coordinates of vertices (0 to 1 over the picture) (nskintexvert x 2)
  int*      skin_face;            // the three vertices of a triangle, counted within the skin (nskinface x 3)
  int*      skin_bonevertadr;     // where the vertices of a bone begin in skin_bonevertid (nskinbone x 1)
  int*      skin_bonevertnum;     // how many vertices a bone moves (nskinbone x 1)
  float*    skin_bonebindpos;     // where the body of a bone was at binding (m) (nskinbone x 3)
  float*    skin_bonebindquat;    // how the body of a bone was turned at binding (quaternion) (nskinbone x 4)
  int*      skin_bonebodyid;      // body that a bone is (nskinbone x 1)
  int*      skin_bonevertid;      // vertices that bones move, counted within the skin (nskinbonevert x 1)
  float*    skin_bonevertweight;  // how much a bone moves a vertex (weights of a vertex add up to 1) (nskinbonevert x 1)
  int*      skin_pathadr;         // where its file name begins in paths; -1: none (nskin x 1)

  mjtNum*   hfield_size;     // half width in x, in y, height of the top, thickness of the base (m) (nhfield x 4)
  int*      hfield_nrow;     // rows of its grid, along y (nhfield x 1)
  int*      hfield_ncol;     // columns of its grid, along x (nhfield x 1)
  int*      hfield_adr;      // where its heights begin in hfield_data (nhfield x 1)
  float*    hfield_data;     // heights row by row from -y, 0 to 1 of the height of the top (nhfielddata x 1)
  int*      hfield_pathadr;  // where its file name begins in paths; -1: none (nhfield x 1)

  int*      tex_type;        // on a surface, around an object, or the sky (mjtTexture) (ntex x 1)
  int*      tex_colorspace;  // how its numbers stand for light (mjtColorSpace) (ntex x 1)
  int*      tex_height;      // rows (pixels); six sides one below the other for cubes and skies (ntex x 1)
  int*      tex_width;       // columns (pixels) (ntex x 1)
  int*      tex_nchannel;    // bytes per pixel: 1 grey, 3 colour, 4 with alpha (ntex x 1)
  int*      tex_adr;         // where its pixels begin in tex_data (ntex x 1)
  mjtByte*  tex_data;        // pixels row by row (ntexdata x 1)
  int*      tex_pathadr;     // where its file name begins in paths; -1: none (ntex x 1)

  int*      mat_texid;        // texture of each role (mjtTextureRole); -1: none (nmat x mjNTEXROLE)
  mjtByte*  mat_texuniform;   // 1: the texture repeats per metre, whatever the size of the object (nmat x 1)
  float*    mat_texrepeat;    // how often the texture repeats in x and y (nmat x 2)
  float*    mat_emission;     // how much of its colour it shines by itself (0 to 1) (nmat x 1)
  float*    mat_specular;     // brightness of highlights (0 to 1) (nmat x 1)
  float*    mat_shininess;    // how small highlights are (0 to 1) (nmat x 1)
  float*    mat_reflectance;  // how much of a mirror it is (0 to 1) (nmat x 1)
  float*    mat_metallic;     // how much it is a metal (0 to 1); negative: not given (nmat x 1)
  float*    mat_roughness;    // how rough it is (0 to 1); negative: not given (nmat x 1)
  float*    mat_rgba;         // red, green, blue, alpha (0 to 1) (nmat x 4)

  int*      pair_dim;             // directions with force in its contacts: 1, 3, 4 or 6 (npair x 1)
  int*      pair_geom1;           // the geom that comes first (npair x 1)
  int*      pair_geom2;           // the other geom (npair x 1)
  int*      pair_signature;       // its two bodies in one number, for sorting: the first times 2^16, plus the second (npair x 1)
  mjtNum*   pair_solref;          // how its contacts give along the normal: time constant (s), damping ratio (npair x mjNREF)
  mjtNum*   pair_solreffriction;  // how they give along the surface; 0: as along the normal (npair x mjNREF)
  mjtNum*   pair_solimp;          // how hard its contacts are: impedances, width (m), midpoint, power (npair x mjNIMP)
  mjtNum*   pair_margin;          // distance at which contacts are made (m) (npair x 1)
  mjtNum*   pair_gap;             // part of the margin in which contacts have no force (m) (npair x 1)
  mjtNum*   pair_friction;        // friction by direction: 2 sliding (no unit), torsional (m), 2 rolling (m) (npair x 5)

  int*      exclude_signature;  // its two bodies in one number, for sorting: the first times 2^16, plus the second (nexclude x 1)

  int*      eq_type;     // what it holds (mjtEq) (neq x 1)
  int*      eq_obj1id;   // body, site, joint, tendon or flex that comes first (neq x 1)
  int*      eq_obj2id;   // the other one; -1: none (neq x 1)
  int*      eq_objtype;  // what the two are (mjtObj) (neq x 1)
  mjtByte*  eq_active0;  // 1: it holds at the start (neq x 1)
  mjtNum*   eq_solref;   // how it gives: time constant (s), damping ratio; negative: stiffness, damping (neq x mjNREF)
  mjtNum*   eq_solimp;   // how hard it is: impedances, width (m or rad), midpoint, power (neq x mjNIMP)
  mjtNum*   eq_data;     // anchors, relative pose and torque scale, or coefficients, by type (m, quaternions) (neq x mjNEQDATA)

  int*      tendon_adr;            // where its path begins in the wrap arrays (ntendon x 1)
  int*      tendon_num;            // how many sites, geoms, pulleys or joints it goes by (ntendon x 1)
  int*      tendon_matid;          // material that it is drawn with; -1: none (ntendon x 1)
  int*      tendon_group;          // number from 0 to 5 by which viewers show it (ntendon x 1)
  mjtByte*  tendon_limited;        // 1: tendon_range holds (ntendon x 1)
  mjtByte*  tendon_actfrclimited;  // 1: tendon_actfrcrange holds (ntendon x 1)
  mjtNum*   tendon_width;          // radius that it is drawn with (m) (ntendon x 1)
  mjtNum*   tendon_solref_lim;     // how its limit gives: time constant (s), damping ratio (ntendon x mjNREF)
  mjtNum*   tendon_solimp_lim;     // how hard its limit is: impedances, width (m), midpoint, power (ntendon x mjNIMP)
  mjtNum*   tendon_solref_fri;     // how its dry friction gives: time constant (s), damping ratio (ntendon x mjNREF)
  mjtNum*   tendon_solimp_fri;     // how hard its dry friction is: impedances, width (m), midpoint, power (ntendon x mjNIMP)
  mjtNum*   tendon_range;          // shortest and longest length (m) (ntendon x 2)
  mjtNum*   tendon_actfrcrange;    // least and largest sum of actuator forces along it (N) (ntendon x 2)
  mjtNum*   tendon_margin;         // distance from the limit at which its row begins (m) (ntendon x 1)
  mjtNum*   tendon_stiffness;      // spring along it (N/m) (ntendon x 1)
  mjtNum*   tendon_damping;        // force against change of length (N s/m) (ntendon x 1)
  mjtNum*   tendon_armature;       // inertia of change of length (kg) (ntendon x 1)
  mjtNum*   tendon_frictionloss;   // dry friction along it (N) (ntendon x 1)
  mjtNum*   tendon_lengthspring;   // lengths between which its spring has no force (m) (ntendon x 2)
  mjtNum*   tendon_length0;        // its length in qpos0 (m) (ntendon x 1)
  mjtNum*   tendon_invweight0;     // inverse inertia along it in qpos0 (1/kg) (ntendon x 1)
  mjtNum*   tendon_user;           // numbers of the program's own for each tendon (ntendon x nuser_tendon)
  float*    tendon_rgba;           // red, green, blue, alpha where it has no material (0 to 1) (ntendon x 4)

  int*      wrap_type;   // what stands at this place of the path (mjtWrap) (nwrap x 1)
  int*      wrap_objid;  // the site, geom or joint there; -1: a pulley (nwrap x 1)
  mjtNum*   wrap_prm;    // coefficient of a joint, divisor of a pulley, side site of a geom (-1: none) (nwrap x 1)

  int*      actuator_trntype;       // joint, tendon, site, slider-crank or body (mjtTrn) (nu x 1)
  int*      actuator_dyntype;       // how activation follows control (mjtDyn) (nu x 1)
  int*      actuator_gaintype;      // what the force per control depends on (mjtGain) (nu x 1)
  int*      actuator_biastype;      // what the force without control depends on (mjtBias) (nu x 1)
  int*      actuator_trnid;         // what it acts on, and the second site where there is one; -1: none (nu x 2)
  int*      actuator_actadr;        // first of its activations in act; -1: it has none (nu x 1)
  int*      actuator_actnum;        // how many activations it has (nu x 1)
  int*      actuator_group;         // number by which viewers show it and disableactuator switches it off (nu x 1)
  mjtByte*  actuator_ctrllimited;   // 1: actuator_ctrlrange holds (nu x 1)
  mjtByte*  actuator_forcelimited;  // 1: actuator_forcerange holds (nu x 1)
  mjtByte*  actuator_actlimited;    // 1: actuator_actrange holds (nu x 1)
  mjtNum*   actuator_dynprm;        // numbers of the activation dynamics; first the time constant of filters (s) (nu x mjNDYN)
  mjtNum*   actuator_gainprm;       // numbers of the gain; first the fixed gain (nu x mjNGAIN)
  mjtNum*   actuator_biasprm;       // numbers of the bias; affine: constant, per length, per velocity (nu x mjNBIAS)
  mjtByte*  actuator_actearly;      // 1: force sees the activation at the end of the step (nu x 1)
  mjtNum*   actuator_ctrlrange;     // least and largest control, in its own unit (nu x 2)
  mjtNum*   actuator_forcerange;    // least and largest force, before gear (N or N m) (nu x 2)
  mjtNum*   actuator_actrange;      // least and largest activation, in its own unit (nu x 2)
  mjtNum*   actuator_gear;          // factor from its force to the joint's; a force and torque for sites, balls and free joints (nu x 6)
  mjtNum*   actuator_cranklength;   // length of the rod of a slider-crank (m) (nu x 1)
  mjtNum*   actuator_acc0;          // size of the acceleration that force 1 gives in qpos0 (m/s^2 or rad/s^2) (nu x 1)
  mjtNum*   actuator_length0;       // its length in qpos0, gear included (m or rad) (nu x 1)
  mjtNum*   actuator_lengthrange;   // shortest and longest that it can be, gear included (m or rad) (nu x 2)
  mjtNum*   actuator_user;          // numbers of the program's own for each actuator (nu x nuser_actuator)
  int*      actuator_plugin;        // plugin instance that gives its force; -1: none (nu x 1)

  int*      sensor_type;       // what is measured (mjtSensor) (nsensor x 1)
  int*      sensor_datatype;   // any number, not negative, a direction, or a quaternion (mjtDataType) (nsensor x 1)
  int*      sensor_needstage;  // stage behind which it can be read (mjtStage) (nsensor x 1)
  int*      sensor_objtype;    // what is measured: its kind (mjtObj) (nsensor x 1)
  int*      sensor_objid;      // what is measured: its id (nsensor x 1)
  int*      sensor_reftype;    // relative to what: its kind (mjtObj) (nsensor x 1)
  int*      sensor_refid;      // relative to what: its id; -1: the world (nsensor x 1)
  int*      sensor_dim;        // how many numbers it gives (nsensor x 1)
  int*      sensor_adr;        // first of them in sensordata (nsensor x 1)
  mjtNum*   sensor_cutoff;     // readings are held between -this and this, in their unit; 0: they are not (nsensor x 1)
  mjtNum*   sensor_noise;      // standard deviation of noise for programs that add it; the engine does not (nsensor x 1)
  mjtNum*   sensor_user;       // numbers of the program's own for each sensor (nsensor x nuser_sensor)
  int*      sensor_plugin;     // plugin instance that measures; -1: none (nsensor x 1)

  int*      plugin;           // slot of the plugin that an instance is of (nplugin x 1)
  int*      plugin_stateadr;  // first number of an instance's state in plugin_state (nplugin x 1)
  int*      plugin_statenum;  // how many numbers of state an instance has (nplugin x 1)
  char*     plugin_attr;      // settings of all instances, each text closed by zero (npluginattr x 1)
  int*      plugin_attradr;   // where an instance's settings begin in plugin_attr (nplugin x 1)

  int*      numeric_adr;   // where a list begins in numeric_data (nnumeric x 1)
  int*      numeric_size;  // how many numbers a list has (nnumeric x 1)
  mjtNum*   numeric_data;  // numbers of all custom lists (nnumericdata x 1)

  int*      text_adr;   // where a text begins in text_data (ntext x 1)
  int*      text_size;  // bytes of a text, its closing zero included (ntext x 1)
  char*     text_data;  // all custom texts (ntextdata x 1)

  int*      tuple_adr;      // where a list begins in the arrays below (ntuple x 1)
  int*      tuple_size;     // how many objects a list has (ntuple x 1)
  int*      tuple_objtype;  // kind of an object in a list (mjtObj) (ntupledata x 1)
  int*      tuple_objid;    // id of an object in a list (ntupledata x 1)
  mjtNum*   tuple_objprm;   // number that goes with an object in a list (ntupledata x 1)

  mjtNum*   key_time;   // time of a keyframe (s) (nkey x 1)
  mjtNum*   key_qpos;   // qpos of a keyframe (m, rad, quaternions) (nkey x nq)
  mjtNum*   key_qvel;   // qvel of a keyframe (m/s, rad/s) (nkey x nv)
  mjtNum*   key_act;    // activations of a keyframe (nkey x na)
  mjtNum*   key_mpos;   // mocap_pos of a keyframe (m) (nkey x nmocap*3)
  mjtNum*   key_mquat;  // mocap_quat of a keyframe (quaternions) (nkey x nmocap*4)
  mjtNum*   key_ctrl;   // controls of a keyframe (nkey x nu)

  int*      name_bodyadr;      // where the name of a body begins in names (nbody x 1)
  int*      name_jntadr;       // where the name of a joint begins in names (njnt x 1)
  int*      name_geomadr;      // where the name of a geom begins in names (ngeom x 1)
  int*      name_siteadr;      // where the name of a site begins in names (nsite x 1)
  int*      name_camadr;       // where the name of a camera begins in names (ncam x 1)
  int*      name_lightadr;     // where the name of a light begins in names (nlight x 1)
  int*      name_flexadr;      // where the name of a flex begins in names (nflex x 1)
  int*      name_meshadr;      // where the name of a mesh begins in names (nmesh x 1)
  int*      name_skinadr;      // where the name of a skin begins in names (nskin x 1)
  int*      name_hfieldadr;    // where the name of a height field begins in names (nhfield x 1)
  int*      name_texadr;       // where the name of a texture begins in names (ntex x 1)
  int*      name_matadr;       // where the name of a material begins in names (nmat x 1)
  int*      name_pairadr;      // where the name of a pair begins in names (npair x 1)
  int*      name_excludeadr;   // where the name of an exclude begins in names (nexclude x 1)
  int*      name_eqadr;        // where the name of an equality begins in names (neq x 1)
  int*      name_tendonadr;    // where the name of a tendon begins in names (ntendon x 1)
  int*      name_actuatoradr;  // where the name of an actuator begins in names (nu x 1)
  int*      name_sensoradr;    // where the name of a sensor begins in names (nsensor x 1)
  int*      name_numericadr;   // where the name of a custom list begins in names (nnumeric x 1)
  int*      name_textadr;      // where the name of a custom text begins in names (ntext x 1)
  int*      name_tupleadr;     // where the name of a custom tuple begins in names (ntuple x 1)
  int*      name_keyadr;       // where the name of a keyframe begins in names (nkey x 1)
  int*      name_pluginadr;    // where the name of a plugin instance begins in names (nplugin x 1)
  char*     names;             // all names one behind the other, each closed by zero; the model's own comes first (nnames x 1)
  int*      names_map;         // hash table from names to ids (nnames_map x 1)

  char*     paths;  // all file names one behind the other, each closed by zero (npaths x 1)

  uint64_t  signature;  // number that tells one compiled structure from another
};
typedef struct mjModel_ mjModel;

#endif
