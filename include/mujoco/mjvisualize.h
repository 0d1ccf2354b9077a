// The abstract scene: what a viewer draws, without drawing it.
#ifndef MUJOCO_MJVISUALIZE_H_
#define MUJOCO_MJVISUALIZE_H_

#include <mujoco/mjdata.h>
#include <mujoco/mjmodel.h>
#include <mujoco/mjtnum.h>

#define mjNGROUP        6     // groups that can be shown or hidden
#define mjMAXLIGHT      100   // lights in a scene
#define mjMAXOVERLAY    500   // characters of overlay text
#define mjMAXLINE       100   // lines in a figure
#define mjMAXLINEPNT    1000  // points of a line in a figure
#define mjMAXPLANEGRID  200   // grid cells of a plane

typedef enum mjtCatBit_ {  // categories of scene geoms
  mjCAT_STATIC        = 1,  // of bodies fixed to the world
  mjCAT_DYNAMIC       = 2,  // of bodies that move
  mjCAT_DECOR         = 4,  // decoration
  mjCAT_ALL           = 7   // all
} mjtCatBit;

typedef enum mjtMouse_ {  // what the mouse does
  mjMOUSE_NONE        = 0,  // nothing
  mjMOUSE_ROTATE_V,         // turn, vertical plane
  mjMOUSE_ROTATE_H,         // turn, horizontal plane
  mjMOUSE_MOVE_V,           // move, vertical plane
  mjMOUSE_MOVE_H,           // move, horizontal plane
  mjMOUSE_ZOOM,             // zoom
  mjMOUSE_SELECT            // select
} mjtMouse;

typedef enum mjtPertBit_ {  // perturbations
  mjPERT_TRANSLATE    = 1,  // pull
  mjPERT_ROTATE       = 2   // turn
} mjtPertBit;

typedef enum mjtCamera_ {  // kinds of abstract camera
  mjCAMERA_FREE       = 0,  // moved by the user
  mjCAMERA_TRACKING,        // keeps a body in view
  mjCAMERA_FIXED,           // of the model
  mjCAMERA_USER             // whatever the user set
} mjtCamera;

typedef enum mjtLabel_ {  // what labels show
  mjLABEL_NONE        = 0,  // nothing
  mjLABEL_BODY,             // bodies
  mjLABEL_JOINT,            // joints
  mjLABEL_GEOM,             // geoms
  mjLABEL_SITE,             // sites
  mjLABEL_CAMERA,           // cameras
  mjLABEL_LIGHT,            // lights
  mjLABEL_TENDON,           // tendons
  mjLABEL_ACTUATOR,         // actuators
  mjLABEL_CONSTRAINT,       // constraints
  mjLABEL_FLEX,             // flexes
  mjLABEL_SKIN,             // skins
  mjLABEL_SELECTION,        // the selected object
  mjLABEL_SELPNT,           // the selected point
  mjLABEL_CONTACTPOINT,     // contacts
  mjLABEL_CONTACTFORCE,     // magnitudes of contact forces
  mjLABEL_ISLAND,           // islands

  mjNLABEL  // number of kinds
} mjtLabel;

typedef enum mjtFrame_ {  // what frames show
  mjFRAME_NONE        = 0,  // nothing
  mjFRAME_BODY,             // bodies
  mjFRAME_GEOM,             // geoms
  mjFRAME_SITE,             // sites
  mjFRAME_CAMERA,           // cameras
  mjFRAME_LIGHT,            // lights
  mjFRAME_CONTACT,          // contacts
  mjFRAME_WORLD,            // the world

  mjNFRAME  // number of kinds
} mjtFrame;

typedef enum mjtVisFlag_ {  // what is shown
  mjVIS_CONVEXHULL    = 0,  // convex hulls of meshes
  mjVIS_TEXTURE,            // textures
  mjVIS_JOINT,              // joints
  mjVIS_CAMERA,             // cameras
  mjVIS_ACTUATOR,           // actuators
  mjVIS_ACTIVATION,         // activations
  mjVIS_LIGHT,              // lights
  mjVIS_TENDON,             // tendons
  mjVIS_RANGEFINDER,        // range finders
  mjVIS_CONSTRAINT,         // constraint errors
  mjVIS_INERTIA,            // equivalent inertia boxes
  mjVIS_SCLINERTIA,         // the same, scaled by mass
  mjVIS_PERTFORCE,          // force of the perturbation
  mjVIS_PERTOBJ,            // object of the perturbation
  mjVIS_CONTACTPOINT,       // contact points
  mjVIS_ISLAND,             // islands
  mjVIS_CONTACTFORCE,       // contact forces
  mjVIS_CONTACTSPLIT,       // contact forces split in normal and friction
  mjVIS_TRANSPARENT,        // moving geoms transparent
  mjVIS_AUTOCONNECT,        // lines between joints and bodies
  mjVIS_COM,                // centres of mass
  mjVIS_SELECT,             // selected point
  mjVIS_STATIC,             // static bodies
  mjVIS_SKIN,               // skins
  mjVIS_FLEXVERT,           // flex vertices
  mjVIS_FLEXEDGE,           // flex edges
  mjVIS_FLEXFACE,           // flex faces
  mjVIS_FLEXSKIN,           // flex skins
  mjVIS_BODYBVH,            // bounding volumes of bodies
  mjVIS_FLEXBVH,            // bounding volumes of flexes
  mjVIS_MESHBVH,            // bounding volumes of meshes
  mjVIS_SDFITER,            // iterations on signed distances

  mjNVISFLAG  // number of switches
} mjtVisFlag;

typedef enum mjtRndFlag_ {  // how it is drawn
  mjRND_SHADOW        = 0,  // shadows
  mjRND_WIREFRAME,          // wireframe
  mjRND_REFLECTION,         // reflections
  mjRND_ADDITIVE,           // additive transparency
  mjRND_SKYBOX,             // sky
  mjRND_FOG,                // fog
  mjRND_HAZE,               // haze
  mjRND_SEGMENT,            // segmentation by random colour
  mjRND_IDCOLOR,            // segmentation by id
  mjRND_CULL_FACE,          // back faces left out

  mjNRNDFLAG  // number of switches
} mjtRndFlag;

typedef enum mjtStereo_ {  // stereo
  mjSTEREO_NONE       = 0,  // none
  mjSTEREO_QUADBUFFERED,    // quad buffers
  mjSTEREO_SIDEBYSIDE       // side by side
} mjtStereo;

struct mjvPerturb_ {  // selection and perturbation
  int      select;        // selected body; 0: none
  int      flexselect;    // selected flex; -1: none
  int      skinselect;    // selected skin; -1: none
  int      active;        // mjtPertBit set
  int      active2;       // second set
  mjtNum   refpos[3];     // wanted position of the selected object
  mjtNum   refquat[4];    // wanted orientation of the selected object
  mjtNum   refselpos[3];  // wanted position of the selected point
  mjtNum   localpos[3];   // selected point in the object
  mjtNum   localmass;     // mass felt at the selected point
  mjtNum   scale;         // metres per unit of mouse motion
};
typedef struct mjvPerturb_ mjvPerturb;

struct mjvCamera_ {  // abstract camera
  int      type;         // kind (mjtCamera)
  int      fixedcamid;   // camera of the model
  int      trackbodyid;  // body in view

  mjtNum   lookat[3];  // point it looks at
  mjtNum   distance;   // distance to that point
  mjtNum   azimuth;    // azimuth (degrees)
  mjtNum   elevation;  // elevation (degrees)

  int      orthographic;  // projects in parallel
};
typedef struct mjvCamera_ mjvCamera;

struct mjvGLCamera_ {  // camera as OpenGL wants it
  float    pos[3];      // position
  float    forward[3];  // direction of view
  float    up[3];       // direction of up

  float    frustum_center;  // centre to the side
  float    frustum_width;   // width; 0: from the viewport
  float    frustum_bottom;  // bottom
  float    frustum_top;     // top
  float    frustum_near;    // near
  float    frustum_far;     // far

  int      orthographic;  // projects in parallel
};
typedef struct mjvGLCamera_ mjvGLCamera;

struct mjvGeom_ {  // geom in a scene
  int      type;      // kind (mjtGeom)
  int      dataid;    // mesh, height field or plane; -1: none
  int      objtype;   // kind of the object behind it (mjtObj)
  int      objid;     // object behind it; -1: decoration
  int      category;  // mjtCatBit
  int      matid;     // material; -1: none
  int      texcoord;  // has texture coordinates
  int      segid;     // colour for segmentation; -1: not shown

  float    size[3];  // sizes
  float    pos[3];   // position
  float    mat[9];   // orientation

  float    rgba[4];      // colour
  float    emission;     // light given off
  float    specular;     // specular reflection or colour
  float    shininess;    // shininess
  float    reflectance;  // mirror reflection

  char     label[100];  // text

  float    camdist;      // distance to the camera, for sorting
  float    modelrbound;  // radius of the bounding sphere; 0: none
  mjtByte  transparent;  // treat as transparent
};
typedef struct mjvGeom_ mjvGeom;

struct mjvLight_ {  // light in a scene
  float    pos[3];          // position in the world
  float    dir[3];          // direction in the world
  int      type;            // kind (mjtLightType)
  int      texid;           // picture of an image light
  float    attenuation[3];  // constant, linear, quadratic
  float    cutoff;          // half angle of the cone
  float    exponent;        // how sharply the cone fades
  float    ambient[3];      // ambient colour
  float    diffuse[3];      // diffuse colour
  float    specular[3];     // specular reflection or colour
  mjtByte  headlight;       // is the headlight
  mjtByte  castshadow;      // casts shadows
  float    bulbradius;      // radius of the bulb
  float    intensity;       // intensity (candela)
  float    range;           // reach
};
typedef struct mjvLight_ mjvLight;

struct mjvOption_ {  // what to show
  int      label;                    // mjtLabel
  int      frame;                    // mjtFrame
  mjtByte  geomgroup[mjNGROUP];      // geoms by group
  mjtByte  sitegroup[mjNGROUP];      // sites by group
  mjtByte  jointgroup[mjNGROUP];     // joints by group
  mjtByte  tendongroup[mjNGROUP];    // tendons by group
  mjtByte  actuatorgroup[mjNGROUP];  // actuators by group
  mjtByte  flexgroup[mjNGROUP];      // flexes by group
  mjtByte  skingroup[mjNGROUP];      // skins by group
  mjtByte  flags[mjNVISFLAG];        // by mjtVisFlag
  int      bvh_depth;                // depth of bounding volumes shown
  int      oct_depth;                // depth of octrees shown
  int      flex_layer;               // layer of 3D flexes shown
};
typedef struct mjvOption_ mjvOption;

struct mjvScene_ {  // abstract scene
  int      maxgeom;    // room for geoms
  int      ngeom;      // geoms
  mjvGeom* geoms;      // geoms (maxgeom)
  int*     geomorder;  // order by distance to the camera (maxgeom)

  int      nflex;         // flexes
  int*     flexedgeadr;   // start of a flex's edges (nflex)
  int*     flexedgenum;   // number of edges (nflex)
  int*     flexvertadr;   // start of a flex's vertices (nflex)
  int*     flexvertnum;   // number of vertices (nflex)
  int*     flexfaceadr;   // start of a flex's faces (nflex)
  int*     flexfacenum;   // room for faces (nflex)
  int*     flexfaceused;  // faces in use (nflex)
  int*     flexedge;      // edges (2*nflexedge)
  float*   flexvert;      // vertices (3*nflexvert)
  float*   flexface;      // corners of faces (9*nflexface)
  float*   flexnormal;    // normals of corners (9*nflexface)
  float*   flextexcoord;  // texture coordinates of corners (6*nflexface)
  mjtByte  flexvertopt;   // vertices are shown
  mjtByte  flexedgeopt;   // edges are shown
  mjtByte  flexfaceopt;   // faces are shown
  mjtByte  flexskinopt;   // skins are shown

  int      nskin;        // skins
  int*     skinfacenum;  // number of faces (nskin)
  int*     skinvertadr;  // start of a skin's vertices (nskin)
  int*     skinvertnum;  // number of vertices (nskin)
  float*   skinvert;     // vertices (3*nskinvert)
  float*   skinnormal;   // normals (3*nskinvert)

  int      nlight;              // lights
  mjvLight lights[mjMAXLIGHT];  // lights

  mjvGLCamera camera[2];  // left and right

  mjtByte  enabletransform;  // the scene is moved as follows
  float    translate[3];     // translation
  float    rotate[4];        // rotation
  float    scale;            // scale

  int      stereo;             // mjtStereo
  mjtByte  flags[mjNRNDFLAG];  // by mjtRndFlag

  int      framewidth;   // width of a frame around the view (pixels)
  float    framergb[3];  // its colour
};
typedef struct mjvScene_ mjvScene;

struct mjvFigure_ {  // figure with lines
  int     flg_legend;        // legend
  int     flg_ticklabel[2];  // numbers at the ticks (x, y)
  int     flg_extend;        // range follows the data
  int     flg_barplot;       // last line as bars
  int     flg_selection;     // vertical line at the selection
  int     flg_symmetric;     // y axis symmetric

  float   linewidth;              // width of lines
  float   gridwidth;              // width of the grid
  int     gridsize[2];            // grid points (x, y)
  float   gridrgb[3];             // colour of the grid
  float   figurergba[4];          // colour of the figure
  float   panergba[4];            // colour of the pane
  float   legendrgba[4];          // colour of the legend
  float   textrgb[3];             // colour of text
  float   linergb[mjMAXLINE][3];  // colours of lines
  float   range[2][2];            // range of axes; min >= max: automatic
  char    xformat[20];            // format of numbers at x
  char    yformat[20];            // format of numbers at y
  char    minwidth[20];           // text that gives the least width of numbers at y

  char    title[1000];               // titles of subplots, lines apart
  char    xlabel[100];               // label of x
  char    linename[mjMAXLINE][100];  // names of lines in the legend

  int     legendoffset;  // lines of the legend left out at its top
  int     subplot;       // subplot shown
  int     highlight[2];  // point where the nearest line is sought
  int     highlightid;   // line to highlight; -1: as above
  float   selection;     // x of the selection

  int     linepnt[mjMAXLINE];                   // points of lines; 0: not there
  float   linedata[mjMAXLINE][2*mjMAXLINEPNT];  // points of lines (x, y)

  int     xaxispixel[2];  // ends of the x axis (pixels)
  int     yaxispixel[2];  // ends of the y axis (pixels)
  float   xaxisdata[2];   // ends of the x axis (data)
  float   yaxisdata[2];   // ends of the y axis (data)
};
typedef struct mjvFigure_ mjvFigure;

#endif
