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
  mjMOUSE_ROTATE_H,         // turn about the vertical
  mjMOUSE_MOVE_V,           // move in the plane of the picture
  mjMOUSE_MOVE_H,           // move over the ground
  mjMOUSE_ZOOM,             // come nearer, go farther
  mjMOUSE_SELECT            // select
} mjtMouse;

typedef enum mjtPertBit_ {  // what the mouse does to the selected body
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
  mjLABEL_NONE        = 0,  // no labels
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
  mjLABEL_SELECTION,        // what is selected
  mjLABEL_SELPNT,           // the selected point
  mjLABEL_CONTACTPOINT,     // contacts
  mjLABEL_CONTACTFORCE,     // size of contact forces (N)
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
  mjVIS_TEXTURE,            // textures of materials
  mjVIS_JOINT,              // joints as arrows
  mjVIS_CAMERA,             // cameras as boxes
  mjVIS_ACTUATOR,           // actuators as arrows and coloured tendons
  mjVIS_ACTIVATION,         // activations in place of controls, by colour
  mjVIS_LIGHT,              // lights as lamps
  mjVIS_TENDON,             // tendons as strings
  mjVIS_RANGEFINDER,        // range finders
  mjVIS_CONSTRAINT,         // constraint errors
  mjVIS_INERTIA,            // inertias as boxes or ellipsoids
  mjVIS_SCLINERTIA,         // the same, scaled by mass
  mjVIS_PERTFORCE,          // force of the perturbation
  mjVIS_PERTOBJ,            // object of the perturbation
  mjVIS_CONTACTPOINT,       // contacts as discs
  mjVIS_ISLAND,             // islands
  mjVIS_CONTACTFORCE,       // contact forces as arrows
  mjVIS_CONTACTSPLIT,       // contact forces split in normal and friction
  mjVIS_TRANSPARENT,        // moving geoms transparent
  mjVIS_AUTOCONNECT,        // lines between joints and bodies
  mjVIS_COM,                // centres of mass as balls
  mjVIS_SELECT,             // the selected point as a ball
  mjVIS_STATIC,             // bodies that cannot move
  mjVIS_SKIN,               // skins over bodies
  mjVIS_FLEXVERT,           // points of flexes
  mjVIS_FLEXEDGE,           // edges of flexes
  mjVIS_FLEXFACE,           // flex faces
  mjVIS_FLEXSKIN,           // flex skins
  mjVIS_BODYBVH,            // bounding volumes of bodies
  mjVIS_FLEXBVH,            // bounding volumes of flexes
  mjVIS_MESHBVH,            // bounding volumes of meshes
  mjVIS_SDFITER,            // iterations on signed distances

  mjNVISFLAG  // number of switches
} mjtVisFlag;

typedef enum mjtRndFlag_ {  // how it is drawn
  mjRND_SHADOW        = 0,  // things throw shadows
  mjRND_WIREFRAME,          // edges of triangles alone
  mjRND_REFLECTION,         // planes and boxes mirror
  mjRND_ADDITIVE,           // see-through colours add up
  mjRND_SKYBOX,             // sky
  mjRND_FOG,                // far things fade
  mjRND_HAZE,               // endless planes fade at the horizon
  mjRND_SEGMENT,            // each object in one colour of its own
  mjRND_IDCOLOR,            // segmentation by id
  mjRND_CULL_FACE,          // back faces left out

  mjNRNDFLAG  // number of switches
} mjtRndFlag;

typedef enum mjtStereo_ {  // stereo
  mjSTEREO_NONE       = 0,  // none
  mjSTEREO_QUADBUFFERED,    // quad buffers
  mjSTEREO_SIDEBYSIDE       // the two eyes beside each other
} mjtStereo;

struct mjvPerturb_ {  // what is selected, and where it is wanted
  int      select;        // body that is selected; 0: none
  int      flexselect;    // flex that is selected; -1: none
  int      skinselect;    // skin that is selected; -1: none
  int      active;        // how the mouse acts on it: pulls, turns (mjtPertBit)
  int      active2;       // the same for a second device
  mjtNum   refpos[3];     // where the origin of the selected body is wanted, in the world (m)
  mjtNum   refquat[4];    // how the selected body is wanted turned, in the world (quaternion)
  mjtNum   refselpos[3];  // where the selected point is wanted, in the world (m)
  mjtNum   localpos[3];   // selected point, in the frame of the body (m)
  mjtNum   localmass;     // mass that the pull feels at the selected point (kg)
  mjtNum   scale;         // way of the pull per way of the mouse over the window (m)
};
typedef struct mjvPerturb_ mjvPerturb;

struct mjvCamera_ {  // where a picture is taken from
  int      type;         // free, following a body, of the model, or the program's own (mjtCamera)
  int      fixedcamid;   // camera of the model that is used, for that type; else -1
  int      trackbodyid;  // body that is followed, for that type; else -1

  mjtNum   lookat[3];  // point that it looks at, in the world (m)
  mjtNum   distance;   // distance from that point (m)
  mjtNum   azimuth;    // angle about the vertical (degrees)
  mjtNum   elevation;  // angle above the horizon (degrees); negative: looks down

  int      orthographic;  // 1: no perspective
};
typedef struct mjvCamera_ mjvCamera;

struct mjvGLCamera_ {  // camera as OpenGL wants it
  float    pos[3];      // where the eye is, in the world (m)
  float    forward[3];  // direction that it looks in (length 1)
  float    up[3];       // direction that is up in the picture (length 1)

  float    frustum_center;  // middle of the near plane, to the right (m)
  float    frustum_width;   // half width of the near plane (m); 0: from the viewport
  float    frustum_bottom;  // lower edge of the near plane (m)
  float    frustum_top;     // upper edge of the near plane (m)
  float    frustum_near;    // distance of the near plane (m)
  float    frustum_far;     // distance of the far plane (m)

  int      orthographic;  // 1: no perspective
};
typedef struct mjvGLCamera_ mjvGLCamera;

struct mjvGeom_ {  // geom in a scene
  int      type;      // its shape (mjtGeom)
  int      dataid;    // mesh, height field or plane that it shows; -1: none
  int      objtype;   // what it stands for: kind (mjtObj)
  int      objid;     // what it stands for: id; -1: a decoration
  int      category;  // static, moving or decoration (mjtCatBit)
  int      matid;     // material that it is drawn with; -1: none
  int      texcoord;  // 1: there are texture coordinates for its mesh or flex
  int      segid;     // number that segmentation draws it with; -1: it is not drawn there

  float    size[3];  // sizes of its shape: radius, half lengths (m)
  float    pos[3];   // its position, in the world (m)
  float    mat[9];   // its orientation, in the world (matrix by rows)

  float    rgba[4];      // red, green, blue, alpha (0 to 1)
  float    emission;     // how much of its colour it shines by itself (0 to 1)
  float    specular;     // brightness of highlights (0 to 1)
  float    shininess;    // how small highlights are (0 to 1)
  float    reflectance;  // how much of a mirror it is (0 to 1)

  char     label[100];  // text that is drawn beside it

  float    camdist;      // distance to the camera (m), for sorting
  float    modelrbound;  // radius of a ball around the geom of the model (m); 0: none
  mjtByte  transparent;  // 1: drawn as see-through, whatever its alpha
};
typedef struct mjvGeom_ mjvGeom;

struct mjvLight_ {  // light in a scene
  float    pos[3];          // where it is, in the world (m)
  float    dir[3];          // direction that it shines in, in the world (length 1)
  int      type;            // spot, directional, point or image (mjtLightType)
  int      texid;           // texture of an image light; -1: none
  float    attenuation[3];  // a, b, c: light at distance d is divided by a + b d + c d^2
  float    cutoff;          // half angle of a spot's cone (degrees)
  float    exponent;        // how sharply a spot's light falls off from its middle
  float    ambient[3];      // light that it throws everywhere (red, green, blue, 0 to 1)
  float    diffuse[3];      // light that matt surfaces throw back (red, green, blue, 0 to 1)
  float    specular[3];     // light of highlights (red, green, blue, 0 to 1)
  mjtByte  headlight;       // 1: the light at the camera
  mjtByte  castshadow;      // 1: things throw shadows in it
  float    bulbradius;      // radius of the lamp, for soft shadows (m)
  float    intensity;       // brightness for renderers with physically based light (candela)
  float    range;           // distance beyond which it has no effect (m)
};
typedef struct mjvLight_ mjvLight;

struct mjvOption_ {  // what to show
  int      label;                    // what has its name or number written beside it (mjtLabel)
  int      frame;                    // which objects have their axes drawn (mjtFrame)
  mjtByte  geomgroup[mjNGROUP];      // 1: geoms of this group are shown
  mjtByte  sitegroup[mjNGROUP];      // 1: sites of this group are shown
  mjtByte  jointgroup[mjNGROUP];     // 1: joints of this group are shown
  mjtByte  tendongroup[mjNGROUP];    // 1: tendons of this group are shown
  mjtByte  actuatorgroup[mjNGROUP];  // 1: actuators of this group are shown
  mjtByte  flexgroup[mjNGROUP];      // 1: flexes of this group are shown
  mjtByte  skingroup[mjNGROUP];      // 1: skins of this group are shown
  mjtByte  flags[mjNVISFLAG];        // 1: this kind of thing is shown (mjtVisFlag)
  int      bvh_depth;                // depth of the bounding volumes that are shown
  int      oct_depth;                // depth of the octree cells that are shown
  int      flex_layer;               // layer of elements of soft solids that is shown
};
typedef struct mjvOption_ mjvOption;

struct mjvScene_ {  // abstract scene
  int      maxgeom;    // room for so many geoms
  int      ngeom;      // geoms in the scene now
  mjvGeom* geoms;      // the geoms (maxgeom)
  int*     geomorder;  // geoms by distance from the camera, the farthest first (maxgeom)

  int      nflex;         // flexes of the model
  int*     flexedgeadr;   // first edge of a flex (nflex)
  int*     flexedgenum;   // how many edges a flex has (nflex)
  int*     flexvertadr;   // first point of a flex (nflex)
  int*     flexvertnum;   // how many points a flex has (nflex)
  int*     flexfaceadr;   // first face of a flex (nflex)
  int*     flexfacenum;   // room for so many faces of a flex (nflex)
  int*     flexfaceused;  // how many faces of a flex are there now (nflex)
  int*     flexedge;      // the two points of each edge (2*nflexedge)
  float*   flexvert;      // points, in the world, in m (3*nflexvert)
  float*   flexface;      // corners of faces, in the world, in m (9*nflexface)
  float*   flexnormal;    // normals at these corners, of length 1 (9*nflexface)
  float*   flextexcoord;  // texture coordinates at these corners (6*nflexface)
  mjtByte  flexvertopt;   // 1: points are drawn
  mjtByte  flexedgeopt;   // 1: edges are drawn
  mjtByte  flexfaceopt;   // 1: faces are drawn
  mjtByte  flexskinopt;   // 1: faces are drawn as a smooth skin

  int      nskin;        // skins of the model
  int*     skinfacenum;  // how many faces a skin has (nskin)
  int*     skinvertadr;  // first vertex of a skin (nskin)
  int*     skinvertnum;  // how many vertices a skin has (nskin)
  float*   skinvert;     // vertices, in the world, in m (3*nskinvert)
  float*   skinnormal;   // normals at the vertices, of length 1 (3*nskinvert)

  int      nlight;              // lights in the scene now
  mjvLight lights[mjMAXLIGHT];  // the lights, that of the camera first

  mjvGLCamera camera[2];  // cameras of the left and the right eye

  mjtByte  enabletransform;  // 1: the scene stands in a room as the three below say
  float    translate[3];     // shift of the scene in the room (m)
  float    rotate[4];        // turn of the scene in the room (quaternion)
  float    scale;            // size of the scene in the room over its own

  int      stereo;             // how two eyes are drawn (mjtStereo)
  mjtByte  flags[mjNRNDFLAG];  // 1: this effect is on (mjtRndFlag)

  int      framewidth;   // width of a border around the picture (pixels); 0: none
  float    framergb[3];  // colour of that border (red, green, blue, 0 to 1)
};
typedef struct mjvScene_ mjvScene;

struct mjvFigure_ {  // figure with lines
  int     flg_legend;        // 1: with a legend
  int     flg_ticklabel[2];  // 1: with numbers at the grid lines of x, of y
  int     flg_extend;        // 1: ranges grow to hold all data
  int     flg_barplot;       // 1: the last line is drawn as bars
  int     flg_selection;     // 1: with a vertical line at the selection
  int     flg_symmetric;     // 1: y goes as far down as up

  float   linewidth;              // width of the lines (pixels)
  float   gridwidth;              // width of the grid lines (pixels)
  int     gridsize[2];            // number of grid lines in x, in y
  float   gridrgb[3];             // colour of the grid (red, green, blue, 0 to 1)
  float   figurergba[4];          // colour of the figure's ground (red, green, blue, alpha, 0 to 1)
  float   panergba[4];            // colour of the area of the lines (red, green, blue, alpha, 0 to 1)
  float   legendrgba[4];          // colour of the legend's ground (red, green, blue, alpha, 0 to 1)
  float   textrgb[3];             // colour of all text (red, green, blue, 0 to 1)
  float   linergb[mjMAXLINE][3];  // colour of each line (red, green, blue, 0 to 1)
  float   range[2][2];            // least and largest x, and y; least not below largest: from the data
  char    xformat[20];            // printf format of the numbers at x
  char    yformat[20];            // printf format of the numbers at y
  char    minwidth[20];           // text that says how wide numbers at y are at least

  char    title[1000];               // titles of subplots, one a line
  char    xlabel[100];               // text below the x axis
  char    linename[mjMAXLINE][100];  // name of each line in the legend

  int     legendoffset;  // how many entries at its top the legend leaves out
  int     subplot;       // subplot whose title is shown
  int     highlight[2];  // point (pixels): the line whose entry of the legend it lies on is highlighted
  int     highlightid;   // line that is highlighted otherwise; -1: none
  float   selection;     // x at which the selection is

  int     linepnt[mjMAXLINE];                   // how many points each line has; 0: it is not drawn
  float   linedata[mjMAXLINE][2*mjMAXLINEPNT];  // points of each line: x, y, x, y

  int     xaxispixel[2];  // where the x axis begins and ends (pixels), written by the drawing
  int     yaxispixel[2];  // where the y axis begins and ends (pixels), written by the drawing
  float   xaxisdata[2];   // x at these ends, written by the drawing
  float   yaxisdata[2];   // y at these ends, written by the drawing
};
typedef struct mjvFigure_ mjvFigure;

#endif
