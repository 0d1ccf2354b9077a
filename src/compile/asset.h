// Builders of assets: from files and inline data to the arrays of mjModel, before ids and addresses
// are known.
//
// A builder takes the scalar members of the documented mjs struct, and plain arrays for the members
// that are vectors and strings (the compiler unpacks them). It fills a result that owns its arrays;
// on a fault the result is empty, and freeing it is a no-op. Indices in results are local to the
// asset (0-based); the compiler adds addresses. Builders share nothing, so they run in parallel.
#ifndef SINEW_COMPILE_ASSET_H_
#define SINEW_COMPILE_ASSET_H_

#include "base/base.h"
#include "model/formats.h"

// ---- bounding volume hierarchy: 2 n - 1 nodes for n > 0 leaves, root first
typedef struct snBvh_ {
  int n;
  int* depth;    // (n)
  int* child;    // (n x 2), -1 in a leaf
  int* nodeid;   // (n) element of a leaf, -1 in an inner node
  mjtNum* aabb;  // (n x 6) center, half size
} snBvh;

// Boxes are center and half size (n x 6); leaves are sorted by their places (n x 3; NULL: centers
// of the boxes); ids name the leaves (NULL: 0..n-1). For a body the leaves are its geoms, in the
// inertial frame (bvh_box_pose); for a mesh its faces, placed by their circumcenters.
bool bvh_build(snBvh* bvh, const mjtNum* aabb, const mjtNum* place, const int* id, int n,
               snFault* fault);
void bvh_free(snBvh* bvh);
// The axis-aligned box, in the frame (frame_pos, frame_quat), of a local box at (pos, quat).
void bvh_box_pose(mjtNum out[6], const mjtNum aabb[6], const mjtNum pos[3], const mjtNum quat[4],
                  const mjtNum frame_pos[3], const mjtNum frame_quat[4]);

// ---- octree of a signed distance field
typedef struct snOctree_ {
  int n;
  int* depth;    // (n)
  int* child;    // (n x 8), -1: no child
  mjtNum* aabb;  // (n x 6) center, half size
} snOctree;
void octree_free(snOctree* tree);

// ---- meshes
typedef struct snMeshSource_ {
  const char* name;  // of the element, for messages
  const mjsMesh*
      mesh;     // scalar members only: refpos, refquat, scale, inertia, smoothnormal, maxhullvert
  snFile file;  // bytes NULL: inline data
  const float* vert;  // inline data; counts are of numbers, not of tuples
  int nvert;
  const float* normal;
  int nnormal;
  const float* texcoord;
  int ntexcoord;
  const int* face;
  int nface;
  const int* facetexcoord;
  int nfacetexcoord;
  bool need_hull;  // a colliding geom of type mesh or sdf uses it
  bool need_sdf;   // a geom of type sdf uses it: needs an octree
} snMeshSource;

// The zero level set of a plugin's signed distance field, and the plugin's settings as numbers.
typedef struct snIsosurface_ {
  int nvert, nface;
  float* vert;    // (nvert x 3)
  float* normal;  // (nvert x 3) not normalized
  int* face;      // (nface x 3) outward orientation
} snIsosurface;
bool isosurface_build(snIsosurface* s, const mjpPlugin* plugin, const mjtNum* attribute,
                      snFault* fault);
void isosurface_free(snIsosurface* s);

typedef struct snMesh_ {
  int nvert, nnormal, ntexcoord, nface;
  float* vert;        // (nvert x 3) about the center of mass, along principal axes
  float* normal;      // (nnormal x 3)
  float* texcoord;    // (ntexcoord x 2)
  int* face;          // (nface x 3)
  int* facenormal;    // (nface x 3)
  int* facetexcoord;  // (nface x 3), NULL without texture coordinates
  int ngraph;
  int* graph;  // (ngraph), NULL without a hull
  int npoly, npolyvert, npolymap;
  mjtNum* polynormal;  // (npoly x 3)
  int* polyvertadr;    // (npoly)
  int* polyvertnum;    // (npoly)
  int* polyvert;       // (npolyvert)
  int* polymapadr;     // (nvert)
  int* polymapnum;     // (nvert)
  int* polymap;        // (npolymap)
  double scale[3];
  double pos[3];  // of the mesh frame in the frame of the file
  double quat[4];
  snBvh bvh;        // leaves: faces
  snOctree octree;  // empty unless need_sdf
  mjtNum
      aabb[6];  // geom_aabb of a mesh geom: of the vertices in the mesh frame, center and half size
  double size[3];     // geom_size of a mesh geom: largest distance from the center along each axis
  double volume;      // area with inertia="shell"
  double inertia[3];  // principal, about the center of mass, at unit density (per area for a shell)
  double boxsz[3];    // half sizes of the box with the same inertia and mass
  double fit_sphere, fit_cylinder, fit_capsule;  // sizes for mesh_fit
} snMesh;

bool mesh_build(snMesh* mesh, const snMeshSource* source, snFault* fault);
void mesh_free(snMesh* mesh);

// Mass and principal inertia of a mesh geom from its mass (NaN: from its density). Solid or shell
// is a property of the mesh; the geom's own setting is ignored.
void mesh_geom_inertia(const snMesh* mesh, double mass, double density, double* out_mass,
                       double out_inertia[3]);

// The pose of a mesh geom: the user's (pos, normalized quat) composed with that of the mesh frame.
void mesh_place(const snMesh* mesh, double pos[3], double quat[4]);

// Fits a primitive (sphere, capsule, ellipsoid, cylinder, box) to a mesh. pos and quat are those of
// the geom as the user gave them, and become those of the primitive. With fitaabb the primitive
// encloses the bounding box, and the mesh frame moves to the center of that box.
bool mesh_fit(snMesh* mesh, int geomtype, bool fitaabb, double fitscale, double size[3],
              double pos[3], double quat[4], snFault* fault);

// ---- height fields
typedef struct snHField_ {
  int nrow, ncol;
  float* data;  // (nrow x ncol), in [0, 1]
} snHField;
// userdata: inline elevations, n numbers (0: none)
bool hfield_build(snHField* hfield, const char* name, const mjsHField* source, const snFile* file,
                  const float* userdata, int n, snFault* fault);
void hfield_free(snHField* hfield);

// ---- textures
typedef struct snTextureImage_ {
  int width, height, nchannel;
  mjtColorSpace colorspace;
  size_t size;
  mjtByte* data;
} snTextureImage;
// file: the single file; cube: six files, right left up down front back; data: inline pixels
bool texture_build(snTextureImage* texture, const char* name, const mjsTexture* source,
                   const snFile* file, const snFile cube[6], const void* data, size_t size,
                   snFault* fault);
void texture_free(snTextureImage* texture);

// ---- skins
typedef struct snSkinSource_ {
  const char* name;
  snFile file;  // bytes NULL: inline data
  const float* vert;
  int nvert;  // counts of numbers, not of tuples
  const float* texcoord;
  int ntexcoord;
  const int* face;
  int nface;
  int nbone;
  const char* const* bodyname;  // (nbone)
  const float* bindpos;         // (nbone x 3)
  int nbindpos;
  const float* bindquat;  // (nbone x 4)
  int nbindquat;
  const int* const* vertid;  // (nbone)
  const int* nvertid;
  const float* const* vertweight;
  const int* nvertweight;
} snSkinSource;

typedef struct snSkin_ {
  int nvert, ntexcoord, nface, nbone, nbonevert;  // counts of tuples
  float* vert;
  float* texcoord;
  int* face;
  char** bodyname;   // (nbone) resolved to bodies by the compiler
  int* bonevertadr;  // (nbone)
  int* bonevertnum;
  float* bindpos;         // (nbone x 3)
  float* bindquat;        // (nbone x 4), normalized
  int* bonevertid;        // (nbonevert)
  float* bonevertweight;  // normalized per vertex
} snSkin;
bool skin_build(snSkin* skin, const snSkinSource* source, snFault* fault);
// Allocates arrays of these sizes; contents are undefined, names are NULL.
bool skin_allocate(snSkin* skin, int nvert, int ntexcoord, int nface, int nbone, int nbonevert);
void skin_free(snSkin* skin);

// ---- flexes
typedef struct snFlexSource_ {
  const char* name;
  const mjsFlex* flex;  // scalar members only
  const double* vert;   // numbers
  int nvert;
  const double* node;
  int nnode;
  const int* elem;
  int nelem;
  const float* texcoord;
  int ntexcoord;
  const int* elemtexcoord;
  int nelemtexcoord;
  const int* vertbody;  // body ids, one per name
  int nvertbody;
  const int* nodebody;
  int nnodebody;
  // global poses of bodies at qpos0, indexed by body id
  const mjtNum* xpos;   // (nbody x 3)
  const mjtNum* xquat;  // (nbody x 4)
  const int* weldid;    // (nbody) the body that each is welded to
  int nbody;
} snFlexSource;

typedef struct snFlex_ {
  int dim, interp;
  int nnode, nvert, nedge, nelem, nelemdata, nelemedge, nshell, nshelldata, nevpair, ntexcoord;
  bool rigid, centered, edgeequality_possible;
  int* nodebodyid;      // (nnode)
  int* vertbodyid;      // (nvert), -1 with interpolation
  int* edge;            // (nedge x 2)
  int* edgeflap;        // (nedge x 2)
  int* elem;            // (nelemdata)
  int* elemtexcoord;    // (nelemdata)
  int* elemedge;        // (nelemedge)
  int* elemlayer;       // (nelem)
  int* shell;           // (nshelldata)
  int* evpair;          // (nevpair x 2)
  mjtNum* vert;         // (nvert x 3)
  mjtNum* vert0;        // (nvert x 3)
  mjtNum* node;         // (nnode x 3)
  mjtNum* node0;        // (nnode x 3)
  mjtNum* edgelength0;  // (nedge)
  mjtByte* edgerigid;   // (nedge)
  mjtNum* stiffness;    // (nelem x 21)
  mjtNum* bending;      // (nedge x 16)
  float* texcoord;      // (ntexcoord x 2)
  snBvh bvh;            // leaves: elements; boxes at qpos0
} snFlex;
bool flex_build(snFlex* flex, const snFlexSource* source, snFault* fault);
void flex_free(snFlex* flex);

// ---- readers of these formats, in read/
bool hfield_file_read(snHField* hfield, const snFile* file, snFault* fault);
bool skin_file_read(snSkin* skin, const snFile* file, snFault* fault);

#endif
