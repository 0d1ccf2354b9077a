// What a model brings to its pictures: surfaces and textures, copied when a context is made.
#ifndef SINEW_DRAW_ASSETS_H_
#define SINEW_DRAW_ASSETS_H_

#include <pthread.h>

#include "draw/draw.h"

// Triangles over shared vertices. Positions lie coordinate by coordinate, padded to a whole number
// of eight lanes; a face has its own indices into positions, normals and texture coordinates.
enum { snUNKNOWN = 0, snYES, snNO };

typedef struct snSurface_ {
  int nvert, nface;
  float *x, *y, *z;
  int* face;                  // 3 per face
  const float* normal;        // 3 each; NULL: faces are flat
  const int* facenormal;      // 3 per face
  const float* texcoord;      // 2 each; NULL: none
  const int* facetexcoord;    // 3 per face
  bool quads;                 // made of quads: two triangles with a diagonal that is no edge
  bool crease;                // a normal that leans too far from its face gives way to the face's
  float low[3], high[3];      // bounding box
  int closed;                 // its inside is never seen: snUNKNOWN until it is asked for
  struct snSurface_* coarse;  // the same with fewer triangles; NULL: none yet
  void* block;                // memory of all of it; NULL: none, or not its own
} snSurface;

// Room for a surface in one block: three rows of padded coordinates, normals and texture
// coordinates of their own count, three arrays of indices. `words` of four bytes are needed,
// `place` lays them out in memory that someone else keeps, `make` in memory of the surface's own.
size_t surface_words(int nvert, int nface, int nnormal, int ntexcoord);
void surface_place(snSurface* surface, float* block, int nvert, int nface, int nnormal,
                   int ntexcoord);
bool surface_make(snSurface* surface, int nvert, int nface, int nnormal, int ntexcoord);
void surface_free(snSurface* surface);
void surface_bounds(snSurface* surface);

// Find out whether a surface is closed and, when asked for, make its coarse copy (detail.c).
void surface_study(snSurface* surface, bool coarse);

// Built-in shapes, unit sized (shapes.c).
typedef enum snShape_ {
  snSHAPE_SPHERE = 0,  // radius 1
  snSHAPE_DOME,        // its upper half
  snSHAPE_BOWL,        // its lower half
  snSHAPE_TUBE,        // side of a cylinder, radius 1, z from -1 to 1
  snSHAPE_DISK,        // radius 1 at z = 0, up
  snSHAPE_DISK_DOWN,   // the same, down
  snSHAPE_CONE,        // side of a cone, radius 1 at z = 0, tip at z = 1
  snSHAPE_BOX,         // half sizes 1
  snSHAPE_PLANE,       // half sizes 1 at z = 0
  snSHAPE_TRIANGLE,    // (0,0), (1,0), (0,1), seen from above

  snNSHAPE
} snShape;

bool shapes_make(snSurface shape[snNSHAPE], int slices, int stacks, int quads);

// Squares of texels below and left of a corner that are not of one colour; the first texel of the
// square above and right of it.
typedef struct snSquares_ {
  uint32_t uneven, texel;
} snSquares;

// A texture with its smaller sizes: each level halves the one before.
enum { snLEVELS = 16 };
typedef struct snTexture_ {
  int type;                     // mjtTexture
  int width, height, channels;  // as in the model; a cube has six faces in one column
  unsigned char* data;          // copy of the model's pixels; NULL: none
  bool veil;                    // some of them are not opaque
  int most;                     // largest value of red, green or blue in them, at least 1
  int side, faces, levels;      // rows of one face; number of faces and levels; 0 levels: not yet
  int wide[snLEVELS], high[snLEVELS];
  uint32_t* texel[snLEVELS];     // RGBA of all faces
  snSquares* squares[snLEVELS];  // where they differ (texture.h)
} snTexture;

// The level that is looked at, and how much of the next smaller one is mixed in, in 1/256.
typedef struct snLevelMix_ {
  int whole, share;
} snLevelMix;

// Make the levels, once; false when memory is short or the texture has no data.
bool texture_prepare(snTexture* texture);

struct snAssets_ {
  int references;
  pthread_mutex_t mutex;  // over what is made when it is first asked for
  size_t bytes;
  int version;  // grows when a surface is uploaded again
  float extent;
  mjVisual vis;
  int nmesh, nhfield, ntexture, nmaterial, nskin;
  snSurface shape[snNSHAPE];
  snSurface* mesh;  // 2 per mesh: the mesh, its convex hull, which has the mesh's vertices
  float* meshes;    // memory of all meshes that were not uploaded again
  size_t mesh_bytes;
  snSurface* hfield;
  snTexture* texture;
  int* mat_texid;
  mjtByte* mat_texuniform;
  float* mat_texrepeat;
  int* skin_face;     // of all skins
  int* skin_faceadr;  // per skin
  int* skin_facenum;  // per skin
  float* skin_texcoord;
  int* skin_texcoordadr;
  int skybox;  // texture of the sky; -1: none
};

// NULL when memory is short. Without a model: built-in shapes alone.
snAssets* assets_make(const mjModel* m);
snAssets* assets_share(snAssets* assets);
void assets_release(snAssets* assets);

// Whether a texture has pixels; otherwise an error names the caller and the texture.
bool texture_check(const mjModel* m, int id, const char* caller);

// Take one mesh, height field or texture from the model again; an error names the caller.
bool assets_upload(snAssets* assets, const mjModel* m, int objtype, int id, const char* caller);

#endif
