// Contents of mesh and image files as plain structs: the readers in read/ fill them, the builders
// in compile/ use them.
#ifndef SINEW_MODEL_FORMATS_H_
#define SINEW_MODEL_FORMATS_H_

#include "base/base.h"

// ---- bytes of a file that the caller has opened (VFS or disk). bytes is NULL when there is no
// file, and not NULL for an empty one.
typedef struct snFile_ {
  const char* name;          // for messages, and for its extension
  const char* content_type;  // NULL or "": by the extension
  const void* bytes;
  size_t size;
} snFile;

// Triangles as a file gives them. Index arrays that are NULL equal `face`.
typedef struct snMeshData_ {
  int nvert, nnormal, ntexcoord, nface;
  float* vert;
  float* normal;
  float* texcoord;
  int* face;
  int* facenormal;
  int* facetexcoord;
} snMeshData;

void meshdata_free(snMeshData* data);
// Merges vertices with equal coordinates, numbered by first appearance; false without memory.
bool meshdata_merge(snMeshData* data);

bool stl_read(snMeshData* data, const snFile* file, snFault* fault);
bool obj_read(snMeshData* data, const snFile* file, snFault* fault);
bool msh_read(snMeshData* data, const snFile* file, snFault* fault);

// Tetrahedra or triangles of a Gmsh file (2.2 or 4.1, text or binary): dim 2 or 3.
typedef struct snGmsh_ {
  int dim, npoint, nelem;
  double* point;  // (npoint x 3)
  int* elem;      // (nelem x (dim + 1)), 0-based
} snGmsh;
bool gmsh_read(snGmsh* mesh, const snFile* file, snFault* fault);
void gmsh_free(snGmsh* mesh);

// An image of 8-bit channels, rows from the top. nchannel: 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA.
typedef struct snImage_ {
  int width, height, nchannel;
  bool srgb;  // the file says its samples are sRGB
  unsigned char* data;
} snImage;
bool png_read(snImage* image, const snFile* file, int nchannel, snFault* fault);
void image_free(snImage* image);

// Does the file have this extension (with the dot)? Case is ignored.
bool file_has_extension(const snFile* file, const char* extension);

#endif
