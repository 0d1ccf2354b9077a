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
  mjMARK_EDGE,      // lines along the edges
  mjMARK_CROSS,     // two lines through the middle
  mjMARK_RANDOM     // single pixels at random places
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
  mjORIENTATION_QUAT = 0,   // by a quaternion
  mjORIENTATION_AXISANGLE,  // by an axis and a turn about it
  mjORIENTATION_XYAXES,     // by its x axis and y axis
  mjORIENTATION_ZAXIS,      // z axis, by the smallest rotation
  mjORIENTATION_EULER,      // by three turns
} mjtOrientation;

typedef struct mjsElement_ {  // what every element of a spec begins with; not to be changed
  mjtObj elemtype;     // what it is an element of (mjtObj)
  uint64_t signature;  // number of the compiled structure that it was part of
} mjsElement;

typedef struct mjsCompiler_ {  // settings of the compiler
  mjtByte autolimits;        // 1: a range that is given is a limit
  double boundmass;          // least mass of a body that moves (kg)
  double boundinertia;       // least principal inertia of a body that moves (kg m^2)
  double settotalmass;       // mass that all bodies together are scaled to (kg); not above 0: they are not
  mjtByte balanceinertia;    // 1: principal inertias that no body can have become their mean
  mjtByte fitaabb;           // 1: primitives are fitted to the bounding box of a mesh; 0: to the box of its inertia
  mjtByte degree;            // 1: angles are in degrees; 0: in radians
  char eulerseq[3];          // axes of the three turns of euler: small letters turn with the frame, capitals stay
  mjtByte discardvisual;     // 1: what only serves the eye is left out
  mjtByte usethread;         // 1: several threads may compile
  mjtByte fusestatic;        // 1: bodies that cannot move in their parent become part of it
  int inertiafromgeom;       // do masses come from geoms (mjtInertiaFromGeom)
  int inertiagrouprange[2];  // first and last group of the geoms that count for masses
  mjtByte saveinertial;      // 1: saved bodies have all their mass and inertia written
  int alignfree;             // 1: free bodies without children get the frame of their inertia
  mjLROpt LRopt;             // how length ranges of actuators are found
} mjsCompiler;

typedef struct mjSpec_ {  // the editable model
  mjsElement* element;  // kind and identity, the same for every element of a spec
  mjString* modelname;  // name of the model

  mjsCompiler compiler;  // how the spec is turned into a model
  mjtByte strippath;     // 1: folders are cut off file names
  mjString* meshdir;     // folder of meshes and height fields
  mjString* texturedir;  // folder of textures

  mjOption option;   // settings of the simulation
  mjVisual visual;   // settings of pictures
  mjStatistic stat;  // typical magnitudes; those that are NaN are worked out

  size_t memory;       // bytes of the arena at the start; (size_t)-1: estimated
  int nemax;           // rows that equalities may take at most
  int nuserdata;       // length of userdata in mjData
  int nuser_body;      // numbers kept for each body's userdata; -1: as many as the longest has
  int nuser_jnt;       // numbers kept for each joint's userdata; -1: as many as the longest has
  int nuser_geom;      // numbers kept for each geom's userdata; -1: as many as the longest has
  int nuser_site;      // numbers kept for each site's userdata; -1: as many as the longest has
  int nuser_cam;       // numbers kept for each camera's userdata; -1: as many as the longest has
  int nuser_tendon;    // numbers kept for each tendon's userdata; -1: as many as the longest has
  int nuser_actuator;  // numbers kept for each actuator's userdata; -1: as many as the longest has
  int nuser_sensor;    // numbers kept for each sensor's userdata; -1: as many as the longest has
  int nkey;            // keyframes there are at least
  int njmax;           // constraint rows that old files asked room for; -1: not given
  int nconmax;         // contacts that old files asked room for; -1: not given
  size_t nstack;       // numbers of working space that old files asked for; (size_t)-1: not given

  mjString* comment;       // text that a saved file begins with
  mjString* modelfiledir;  // folder of the file that it was read from

  mjtByte hasImplicitPluginElem;  // 1: an element makes a plugin instance of its own
} mjSpec;

typedef struct mjsOrientation_ {  // orientation in one of several ways
  mjtOrientation type;  // which of the ways below counts
  double axisangle[4];  // axis x y z, and the turn about it (degrees or rad, as the compiler is set)
  double xyaxes[6];     // x axis and y axis; z completes the frame
  double zaxis[3];      // z axis; the shortest turn leads to it
  double euler[3];      // three turns in the order of eulerseq (degrees or rad, as the compiler is set)
} mjsOrientation;

typedef struct mjsPlugin_ {  // plugin instance
  mjsElement* element;    // kind and identity, the same for every element of a spec
  mjString* name;         // name of the instance, where elements share it
  mjString* plugin_name;  // name under which the plugin is registered
  mjtByte active;         // 1: the element has one
  mjString* info;         // what error messages say of it, such as its line
} mjsPlugin;

typedef struct mjsBody_ {  // body
  mjsElement* element;   // kind and identity, the same for every element of a spec
  mjString* childclass;  // default class of everything inside that names none

  double pos[3];       // origin of its frame, in the parent's (m)
  double quat[4];      // orientation of its frame, in the parent's (quaternion)
  mjsOrientation alt;  // its orientation in another way

  double mass;            // mass, where it is given (kg)
  double ipos[3];         // centre of mass, in its own frame (m)
  double iquat[4];        // orientation of its principal axes, in its own frame (quaternion)
  double inertia[3];      // moments of inertia about the principal axes (kg m^2)
  mjsOrientation ialt;    // orientation of its principal axes in another way
  double fullinertia[6];  // inertia matrix in place of the two above: xx, yy, zz, xy, xz, yz (kg m^2); first NaN: not given

  mjtByte mocap;             // 1: the program gives its pose
  double gravcomp;           // share of its weight that is taken off (1: floats)
  mjDoubleVec* userdata;     // numbers of the program's own
  mjtByte explicitinertial;  // 1: mass and inertia are those given here, not from geoms
  mjsPlugin plugin;          // plugin that acts on it
  mjString* info;            // what error messages say of it, such as its line
} mjsBody;

typedef struct mjsFrame_ {  // coordinate frame that disappears in compilation
  mjsElement* element;   // kind and identity, the same for every element of a spec
  mjString* childclass;  // default class of everything inside that names none
  double pos[3];         // its origin, in the body or frame around it (m)
  double quat[4];        // its orientation, in the body or frame around it (quaternion)
  mjsOrientation alt;    // its orientation in another way
  mjString* info;        // what error messages say of it, such as its line
} mjsFrame;

typedef struct mjsJoint_ {  // joint
  mjsElement* element;  // kind and identity, the same for every element of a spec
  mjtJoint type;        // free, ball, slide or hinge

  double pos[3];   // point of the body that it turns about, in the body's frame (m)
  double axis[3];  // axis of a hinge or direction of a slide, in the body's frame
  double ref;      // what its position is called in the pose of the file (m, degrees or rad)
  int align;       // is a free body given the frame of its inertia (mjtAlignFree)

  double stiffness;        // spring towards springref (N/m, or N m/rad)
  double springref;        // position at which the spring is at rest (m, degrees or rad)
  double springdamper[2];  // time constant (s) and damping ratio that stiffness and damping are made of; 0: not given

  int limited;                  // does range hold (mjtLimited)
  double range[2];              // least and largest position (m, degrees or rad)
  double margin;                // distance from the limit at which its row begins (m or rad)
  mjtNum solref_limit[mjNREF];  // how the limit gives: time constant (s), damping ratio
  mjtNum solimp_limit[mjNIMP];  // how hard the limit is: impedances, width, midpoint, power
  int actfrclimited;            // does actfrcrange hold (mjtLimited)
  double actfrcrange[2];        // least and largest sum of actuator forces (N or N m)

  double armature;                 // inertia added to the joint, as of a geared rotor (kg or kg m^2)
  double damping;                  // force against velocity (N s/m or N m s/rad)
  double frictionloss;             // dry friction (N or N m)
  mjtNum solref_friction[mjNREF];  // how dry friction gives: time constant (s), damping ratio
  mjtNum solimp_friction[mjNIMP];  // how hard dry friction is: impedances, width, midpoint, power

  int group;              // number from 0 to 5 by which viewers show it
  mjtByte actgravcomp;    // 1: gravity compensation counts as force of actuators
  mjDoubleVec* userdata;  // numbers of the program's own
  mjString* info;         // what error messages say of it, such as its line
} mjsJoint;

typedef struct mjsGeom_ {  // geom
  mjsElement* element;  // kind and identity, the same for every element of a spec
  mjtGeom type;         // its shape

  double pos[3];       // origin of its frame, in the body's (m)
  double quat[4];      // orientation of its frame, in the body's (quaternion)
  mjsOrientation alt;  // its orientation in another way
  double fromto[6];    // two ends in place of a pose and half a length (m); first NaN: not given
  double size[3];      // sizes of its shape: radius, half lengths (m)

  int contype;            // collision filter: bits compared with conaffinity of the other
  int conaffinity;        // collision filter: bits compared with contype of the other
  int condim;             // directions with force in its contacts: 1, 3, 4 or 6
  int priority;           // whose contact numbers count: those of the higher one
  double friction[3];     // sliding (no unit), torsional (m) and rolling (m) friction
  double solmix;          // its weight where solref and solimp of two geoms are averaged
  mjtNum solref[mjNREF];  // how its contacts give: time constant (s), damping ratio; negative: stiffness, damping
  mjtNum solimp[mjNIMP];  // how hard its contacts are: impedances, width (m), midpoint, power
  double margin;          // distance at which contacts are made (m)
  double gap;             // part of the margin in which contacts have no force (m)

  double mass;                 // its mass, in place of density (kg); NaN: not given
  double density;              // density that its mass comes from (kg/m^3; kg/m^2 of shells)
  mjtGeomInertia typeinertia;  // is its mass within, or on the surface

  mjtNum fluid_ellipsoid;  // 1: fluid forces act on it as on an ellipsoid
  mjtNum fluid_coefs[5];   // blunt, slender and angular drag, Kutta and Magnus lift of that ellipsoid (no unit)

  mjString* material;  // material that it is drawn with
  float rgba[4];       // red, green, blue, alpha (0 to 1)
  int group;           // number from 0 to 5 by which viewers show it

  mjString* hfieldname;   // height field of that shape
  mjString* meshname;     // mesh of that shape, or that a primitive is fitted to
  double fitscale;        // factor of a primitive that is fitted to a mesh
  mjDoubleVec* userdata;  // numbers of the program's own
  mjsPlugin plugin;       // plugin that gives its shape
  mjString* info;         // what error messages say of it, such as its line
} mjsGeom;

typedef struct mjsSite_ {  // site
  mjsElement* element;  // kind and identity, the same for every element of a spec

  double pos[3];       // origin of its frame, in the body's (m)
  double quat[4];      // orientation of its frame, in the body's (quaternion)
  mjsOrientation alt;  // its orientation in another way
  double fromto[6];    // two ends in place of a pose and half a length (m); first NaN: not given
  double size[3];      // sizes of its shape: radius, half lengths (m)

  mjtGeom type;        // shape that it is drawn with
  mjString* material;  // material that it is drawn with
  int group;           // number from 0 to 5 by which viewers show it
  float rgba[4];       // red, green, blue, alpha (0 to 1)

  mjDoubleVec* userdata;  // numbers of the program's own
  mjString* info;         // what error messages say of it, such as its line
} mjsSite;

typedef struct mjsCamera_ {  // camera
  mjsElement* element;  // kind and identity, the same for every element of a spec

  double pos[3];         // its position, in the body's frame (m)
  double quat[4];        // its orientation, in the body's frame (quaternion); it looks along -z
  mjsOrientation alt;    // its orientation in another way
  mjtCamLight mode;      // fixed to its body, or following one
  mjString* targetbody;  // body that it looks at, in the modes that have one

  int orthographic;           // 1: no perspective
  double fovy;                // vertical field of view (degrees); orthographic: height of what it sees (m)
  double ipd;                 // distance between its eyes (m)
  float intrinsic[4];         // focal lengths and principal point, in x and y (m), which the compiler works out
  float sensor_size[2];       // width and height of its sensor (m)
  float resolution[2];        // width and height of its picture (pixels)
  float focal_length[2];      // focal lengths in x and y (m)
  float focal_pixel[2];       // focal lengths in x and y (pixels), in place of those in m
  float principal_length[2];  // principal point from the middle of the sensor (m)
  float principal_pixel[2];   // principal point from the middle of the sensor (pixels), in place of that in m

  mjDoubleVec* userdata;  // numbers of the program's own
  mjString* info;         // what error messages say of it, such as its line
} mjsCamera;

typedef struct mjsLight_ {  // light
  mjsElement* element;  // kind and identity, the same for every element of a spec

  double pos[3];         // where it is, in the body's frame (m)
  double dir[3];         // direction that it shines in, in the body's frame
  mjtCamLight mode;      // fixed to its body, or following one
  mjString* targetbody;  // body that it shines at, in the modes that have one

  mjtByte active;        // 1: it is on
  mjtLightType type;     // spot, directional, point or image
  mjString* texture;     // texture of an image light
  mjtByte castshadow;    // 1: things throw shadows in it
  float bulbradius;      // radius of the lamp, for soft shadows (m)
  float intensity;       // brightness for renderers with physically based light (candela)
  float range;           // distance beyond which it has no effect (m)
  float attenuation[3];  // a, b, c: light at distance d is divided by a + b d + c d^2
  float cutoff;          // half angle of a spot's cone (degrees)
  float exponent;        // how sharply a spot's light falls off from its middle
  float ambient[3];      // light that it throws everywhere (red, green, blue, 0 to 1)
  float diffuse[3];      // light that matt surfaces throw back (red, green, blue, 0 to 1)
  float specular[3];     // light of highlights (red, green, blue, 0 to 1)

  mjString* info;  // what error messages say of it, such as its line
} mjsLight;

typedef struct mjsFlex_ {  // deformable of lines, triangles or tetrahedra
  mjsElement* element;  // kind and identity, the same for every element of a spec

  int contype;            // collision filter: bits compared with conaffinity of the other
  int conaffinity;        // collision filter: bits compared with contype of the other
  int condim;             // directions with force in its contacts: 1, 3, 4 or 6
  int priority;           // whose contact numbers count: those of the higher one
  double friction[3];     // sliding (no unit), torsional (m) and rolling (m) friction
  double solmix;          // its weight where solref and solimp of two are averaged
  mjtNum solref[mjNREF];  // how its contacts give: time constant (s), damping ratio; negative: stiffness, damping
  mjtNum solimp[mjNIMP];  // how hard its contacts are: impedances, width (m), midpoint, power
  double margin;          // distance at which contacts are made, beyond its radius (m)
  double gap;             // part of the margin in which contacts have no force (m)

  int dim;               // 1: a rope of segments, 2: a cloth of triangles, 3: a solid of tetrahedra
  double radius;         // half the thickness: how far from its elements it collides (m)
  mjtByte internal;      // 1: elements collide with points of their neighbours, so that none turns inside out
  mjtByte flatskin;      // 1: faces are drawn flat
  int selfcollide;       // how its elements are kept apart from each other (mjtFlexSelf)
  int vertcollide;       // 1: points collide as balls, in place of elements
  int activelayers;      // layers of elements, from the surface inwards, that collide (solids)
  int group;             // number from 0 to 5 by which viewers show it
  double edgestiffness;  // spring along each edge (N/m)
  double edgedamping;    // damping along each edge (N s/m)
  float rgba[4];         // red, green, blue, alpha (0 to 1)
  mjString* material;    // material that it is drawn with
  double young;          // stiffness of the material: Young's modulus (Pa)
  double poisson;        // how much the material narrows when pulled: Poisson's ratio (0 to below 0.5)
  double damping;        // damping in proportion to stiffness (s)
  double thickness;      // thickness of a cloth, for its stiffness (m)
  int elastic2d;         // what a cloth resists: 0 nothing, 1 bending, 2 stretching, 3 both

  mjStringVec* nodebody;   // bodies that carry the nodes
  mjStringVec* vertbody;   // bodies that carry the points
  mjDoubleVec* node;       // nodes in the frames of their bodies, 3 numbers each (m)
  mjDoubleVec* vert;       // points in the frames of their bodies, 3 numbers each (m)
  mjIntVec* elem;          // points of elements, dim + 1 each
  mjFloatVec* texcoord;    // texture coordinates, 2 numbers each
  mjIntVec* elemtexcoord;  // texture coordinates of elements, dim + 1 each

  mjString* info;  // what error messages say of it, such as its line
} mjsFlex;

typedef struct mjsMesh_ {  // mesh
  mjsElement* element;         // kind and identity, the same for every element of a spec
  mjString* content_type;      // media type of the file, where its ending does not say it
  mjString* file;              // file that it is read from
  double refpos[3];            // point of the file that becomes the origin (in the file's unit)
  double refquat[4];           // orientation in the file that becomes upright (quaternion)
  double scale[3];             // factor of each coordinate
  mjtMeshInertia inertia;      // where its mass is: in the hull, within or on the surface
  mjtByte smoothnormal;        // 1: normals are averaged across sharp edges too
  int maxhullvert;             // at most so many corners of the hull; -1: all
  mjFloatVec* uservert;        // vertices, 3 numbers each (m), in place of a file
  mjFloatVec* usernormal;      // normals, 3 numbers each
  mjFloatVec* usertexcoord;    // texture coordinates, 2 numbers each
  mjIntVec* userface;          // triangles, 3 vertices each
  mjIntVec* userfacetexcoord;  // texture coordinates of triangles, 3 each
  mjsPlugin plugin;            // plugin that gives the surface
  mjString* info;              // what error messages say of it, such as its line
} mjsMesh;

typedef struct mjsHField_ {  // height field
  mjsElement* element;     // kind and identity, the same for every element of a spec
  mjString* content_type;  // media type of the file, where its ending does not say it
  mjString* file;          // file that it is read from
  double size[4];          // half width in x, in y, height of the top, thickness of the base (m)
  int nrow;                // rows of its grid, along y
  int ncol;                // columns of its grid, along x
  mjFloatVec* userdata;    // heights row by row from -y, in any unit
  mjString* info;          // what error messages say of it, such as its line
} mjsHField;

typedef struct mjsSkin_ {  // skin
  mjsElement* element;  // kind and identity, the same for every element of a spec
  mjString* file;       // file that it is read from
  mjString* material;   // material that it is drawn with
  float rgba[4];        // red, green, blue, alpha (0 to 1)
  float inflate;        // how far vertices move out along their normals (m)
  int group;            // number from 0 to 5 by which viewers show it

  mjFloatVec* vert;      // vertices in the pose of binding, 3 numbers each (m)
  mjFloatVec* texcoord;  // texture coordinates of vertices, 2 numbers each
  mjIntVec* face;        // triangles, 3 vertices each

  mjStringVec* bodyname;      // bodies that are its bones
  mjFloatVec* bindpos;        // where each bone was at binding, 3 numbers each (m)
  mjFloatVec* bindquat;       // how each bone was turned at binding (quaternions)
  mjIntVecVec* vertid;        // vertices that each bone moves
  mjFloatVecVec* vertweight;  // how much each bone moves them

  mjString* info;  // what error messages say of it, such as its line
} mjsSkin;

typedef struct mjsTexture_ {  // texture
  mjsElement* element;       // kind and identity, the same for every element of a spec
  mjtTexture type;           // on a surface, around an object, or the sky
  mjtColorSpace colorspace;  // how its numbers stand for light

  int builtin;        // picture that the compiler makes (mjtBuiltin)
  int mark;           // marks on a made picture (mjtMark)
  double rgb1[3];     // first colour of a made picture (red, green, blue, 0 to 1)
  double rgb2[3];     // second colour of a made picture (red, green, blue, 0 to 1)
  double markrgb[3];  // colour of the marks (red, green, blue, 0 to 1)
  double random;      // share of the pixels that random dots take
  int height;         // rows of a made picture (pixels)
  int width;          // columns of a made picture (pixels)
  int nchannel;       // bytes per pixel: 1 grey, 3 colour, 4 with alpha

  mjString* content_type;  // media type of the file, where its ending does not say it
  mjString* file;          // file that it is read from
  int gridsize[2];         // rows and columns of sides in the file
  char gridlayout[13];     // side in each cell of the file: R L U D F B, a dot for none

  mjStringVec* cubefiles;  // files of the six sides: right, left, up, down, front, back

  mjByteVec* data;  // pixels row by row, in place of a file

  mjtByte hflip;  // 1: mirrored left to right
  mjtByte vflip;  // 1: mirrored top to bottom

  mjString* info;  // what error messages say of it, such as its line
} mjsTexture;

typedef struct mjsMaterial_ {  // material
  mjsElement* element;    // kind and identity, the same for every element of a spec
  mjStringVec* textures;  // texture of each role (mjtTextureRole)
  mjtByte texuniform;     // 1: the texture repeats per metre, whatever the size of the object
  float texrepeat[2];     // how often the texture repeats in x and y
  float emission;         // how much of its colour it shines by itself (0 to 1)
  float specular;         // brightness of highlights (0 to 1)
  float shininess;        // how small highlights are (0 to 1)
  float reflectance;      // how much of a mirror it is (0 to 1)
  float metallic;         // how much it is a metal (0 to 1); negative: not given
  float roughness;        // how rough it is (0 to 1); negative: not given
  float rgba[4];          // red, green, blue, alpha (0 to 1)
  mjString* info;         // what error messages say of it, such as its line
} mjsMaterial;

typedef struct mjsPair_ {  // pair of geoms that collide
  mjsElement* element;  // kind and identity, the same for every element of a spec
  mjString* geomname1;  // the geom that comes first
  mjString* geomname2;  // the other geom

  int condim;                     // directions with force in its contacts: 1, 3, 4 or 6
  mjtNum solref[mjNREF];          // how its contacts give along the normal: time constant (s), damping ratio
  mjtNum solreffriction[mjNREF];  // how they give along the surface; 0: as along the normal
  mjtNum solimp[mjNIMP];          // how hard its contacts are: impedances, width (m), midpoint, power
  double margin;                  // distance at which contacts are made (m)
  double gap;                     // part of the margin in which contacts have no force (m)
  double friction[5];             // friction by direction: 2 sliding (no unit), torsional (m), 2 rolling (m)
  mjString* info;                 // what error messages say of it, such as its line
} mjsPair;

typedef struct mjsExclude_ {  // pair of bodies that do not collide
  mjsElement* element;  // kind and identity, the same for every element of a spec
  mjString* bodyname1;  // the body that comes first
  mjString* bodyname2;  // the other body
  mjString* info;       // what error messages say of it, such as its line
} mjsExclude;

typedef struct mjsEquality_ {  // equality constraint
  mjsElement* element;     // kind and identity, the same for every element of a spec
  mjtEq type;              // what it holds
  double data[mjNEQDATA];  // anchors, relative pose and torque scale, or coefficients, by type (m, quaternions)
  mjtByte active;          // 1: it holds at the start
  mjString* name1;         // body, site, joint, tendon or flex that comes first
  mjString* name2;         // the other one; empty: the world, or none
  mjtObj objtype;          // what the two are
  mjtNum solref[mjNREF];   // how it gives: time constant (s), damping ratio; negative: stiffness, damping
  mjtNum solimp[mjNIMP];   // how hard it is: impedances, width (m or rad), midpoint, power
  mjString* info;          // what error messages say of it, such as its line
} mjsEquality;

typedef struct mjsTendon_ {  // tendon
  mjsElement* element;  // kind and identity, the same for every element of a spec

  double stiffness;                // spring along it (N/m)
  double springlength[2];          // lengths between which its spring has no force (m); -1: that of the pose of the file
  double damping;                  // force against change of length (N s/m)
  double frictionloss;             // dry friction along it (N)
  mjtNum solref_friction[mjNREF];  // how dry friction gives: time constant (s), damping ratio
  mjtNum solimp_friction[mjNIMP];  // how hard dry friction is: impedances, width, midpoint, power
  double armature;                 // inertia of change of length (kg)

  int limited;                  // does range hold (mjtLimited)
  int actfrclimited;            // does actfrcrange hold (mjtLimited)
  double range[2];              // shortest and longest length (m)
  double actfrcrange[2];        // least and largest sum of actuator forces along it (N)
  double margin;                // distance from the limit at which its row begins (m)
  mjtNum solref_limit[mjNREF];  // how the limit gives: time constant (s), damping ratio
  mjtNum solimp_limit[mjNIMP];  // how hard the limit is: impedances, width, midpoint, power

  mjString* material;  // material that it is drawn with
  double width;        // radius that it is drawn with (m)
  float rgba[4];       // red, green, blue, alpha (0 to 1)
  int group;           // number from 0 to 5 by which viewers show it

  mjDoubleVec* userdata;  // numbers of the program's own
  mjString* info;         // what error messages say of it, such as its line
} mjsTendon;

typedef struct mjsWrap_ {  // path element of a tendon
  mjsElement* element;  // kind and identity
  mjString* info;       // what error messages add about this element
} mjsWrap;

typedef struct mjsActuator_ {  // actuator
  mjsElement* element;  // kind and identity, the same for every element of a spec

  mjtGain gaintype;         // what the force per control depends on
  double gainprm[mjNGAIN];  // numbers of the gain; first the fixed gain
  mjtBias biastype;         // what the force without control depends on
  double biasprm[mjNGAIN];  // numbers of the bias; affine: constant, per length, per velocity

  mjtDyn dyntype;         // how activation follows control
  double dynprm[mjNDYN];  // numbers of the activation dynamics; first the time constant of filters (s)
  int actdim;             // number of activations; -1: what the dynamics need
  mjtByte actearly;       // 1: force sees the activation at the end of the step

  mjtTrn trntype;         // joint, tendon, site, slider-crank or body
  double gear[6];         // factor from its force to the joint's; a force and torque for sites, balls and free joints
  mjString* target;       // name of what it acts on
  mjString* refsite;      // site that it acts relative to
  mjString* slidersite;   // site of the slider of a slider-crank
  double cranklength;     // length of the rod of a slider-crank (m)
  double lengthrange[2];  // shortest and longest that it can be, gear included (m or rad); 0 0: to be found
  double inheritrange;    // range of control from the target's own, times this; 0: not used

  int ctrllimited;       // does ctrlrange hold (mjtLimited)
  double ctrlrange[2];   // least and largest control, in its own unit
  int forcelimited;      // does forcerange hold (mjtLimited)
  double forcerange[2];  // least and largest force, before gear (N or N m)
  int actlimited;        // does actrange hold (mjtLimited)
  double actrange[2];    // least and largest activation, in its own unit

  int group;              // number by which viewers show it and disableactuator switches it off
  mjDoubleVec* userdata;  // numbers of the program's own
  mjsPlugin plugin;       // plugin that gives its force
  mjString* info;         // what error messages say of it, such as its line
} mjsActuator;

typedef struct mjsSensor_ {  // sensor
  mjsElement* element;  // kind and identity, the same for every element of a spec

  mjtSensor type;     // what is measured
  mjtObj objtype;     // what is measured: its kind
  mjString* objname;  // what is measured: its name
  mjtObj reftype;     // relative to what: its kind
  mjString* refname;  // relative to what: its name; empty: the world

  mjtDataType datatype;  // any number, not negative, a direction, or a quaternion
  mjtStage needstage;    // stage behind which it can be read
  int dim;               // how many numbers it gives

  double cutoff;  // readings are held between -this and this, in their unit; 0: they are not
  double noise;   // standard deviation of noise for programs that add it; the engine does not

  mjDoubleVec* userdata;  // numbers of the program's own
  mjsPlugin plugin;       // plugin that measures
  mjString* info;         // what error messages say of it, such as its line
} mjsSensor;

typedef struct mjsNumeric_ {  // custom numbers
  mjsElement* element;  // kind and identity, the same for every element of a spec
  mjDoubleVec* data;    // the numbers
  int size;             // how many there are; zeros follow those given
  mjString* info;       // what error messages say of it, such as its line
} mjsNumeric;

typedef struct mjsText_ {  // custom text
  mjsElement* element;  // kind and identity, the same for every element of a spec
  mjString* data;       // the text
  mjString* info;       // what error messages say of it, such as its line
} mjsText;

typedef struct mjsTuple_ {  // custom list of objects
  mjsElement* element;   // kind and identity, the same for every element of a spec
  mjIntVec* objtype;     // kind of each object (mjtObj)
  mjStringVec* objname;  // name of each object
  mjDoubleVec* objprm;   // number that goes with each object
  mjString* info;        // what error messages say of it, such as its line
} mjsTuple;

typedef struct mjsKey_ {  // keyframe
  mjsElement* element;  // kind and identity, the same for every element of a spec
  double time;          // time of the state (s)
  mjDoubleVec* qpos;    // coordinates of all joints (m, rad, quaternions)
  mjDoubleVec* qvel;    // velocities of all dofs (m/s, rad/s)
  mjDoubleVec* act;     // activations of actuators
  mjDoubleVec* mpos;    // where mocap bodies are, 3 numbers each (m)
  mjDoubleVec* mquat;   // how mocap bodies are turned (quaternions)
  mjDoubleVec* ctrl;    // controls of actuators
  mjString* info;       // what error messages say of it, such as its line
} mjsKey;

typedef struct mjsDefault_ {  // class of default values
  mjsElement* element;    // kind and identity, the same for every element of a spec
  mjsJoint* joint;        // what joints of the class begin with
  mjsGeom* geom;          // what geoms of the class begin with
  mjsSite* site;          // what sites of the class begin with
  mjsCamera* camera;      // what cameras of the class begin with
  mjsLight* light;        // what lights of the class begin with
  mjsFlex* flex;          // what flexes of the class begin with
  mjsMesh* mesh;          // what meshes of the class begin with
  mjsMaterial* material;  // what materials of the class begin with
  mjsPair* pair;          // what pairs of the class begin with
  mjsEquality* equality;  // what equalities of the class begin with
  mjsTendon* tendon;      // what tendons of the class begin with
  mjsActuator* actuator;  // what actuators of the class begin with
} mjsDefault;

#ifdef __cplusplus
}
#endif

#endif
