// Corners of up to eight triangles of one surface, a lane each.
#ifndef SINEW_DRAW_CORNERS_H_
#define SINEW_DRAW_CORNERS_H_

#include "draw/frame.h"

// Corner by corner, coordinate by coordinate, in the surface's frame.
typedef struct snTriangleCorners_ {
  float pos[3][3][8], normal[3][3][8];
} snTriangleCorners;

static inline void corners_load(const snSurface* surface, uint32_t face, int lane,
                                snTriangleCorners* corners) {
  const int* index = surface->face + 3 * face;
  for (int k = 0; k < 3; k++) {
    corners->pos[k][0][lane] = surface->x[index[k]];
    corners->pos[k][1][lane] = surface->y[index[k]];
    corners->pos[k][2][lane] = surface->z[index[k]];
    if (!surface->normal) continue;
    const float* n = surface->normal + 3 * surface->facenormal[3 * face + (uint32_t)k];
    for (int c = 0; c < 3; c++) corners->normal[k][c][lane] = n[c];
  }
}

// Twice the areas of the faces times their normals.
SN_INLINE void corners_flat(const snTriangleCorners* corners, sn8f flat[3]) {
  sn8f a[3], b[3];
  for (int c = 0; c < 3; c++) {
    sn8f first = sn8f_load(corners->pos[0][c]);
    a[c] = sn8f_load(corners->pos[1][c]) - first, b[c] = sn8f_load(corners->pos[2][c]) - first;
  }
  flat[0] = a[1] * b[2] - a[2] * b[1];
  flat[1] = a[2] * b[0] - a[0] * b[2];
  flat[2] = a[0] * b[1] - a[1] * b[0];
}

// Cosine of the angle by which a mesh's normal may lean from its face: one that leans more gives way
// to the face's, so that sharp edges stay sharp.
#define snCREASE 0.8f

// From the surface's frame to the world.
SN_INLINE void world_point(const snDrawPart* part, const sn8f local[3], sn8f world[3]) {
  for (int r = 0; r < 3; r++) {
    const float* m = part->mat + 3 * r;
    world[r] = part->pos[r] + ((m[0] * local[0] + m[1] * local[1]) + m[2] * local[2]);
  }
}
// The same of normals, at unit length.
SN_INLINE void world_normal(const snDrawPart* part, const sn8f local[3], sn8f world[3]) {
  for (int r = 0; r < 3; r++) {
    const float* m = part->normal + 3 * r;
    world[r] = (m[0] * local[0] + m[1] * local[1]) + m[2] * local[2];
  }
  sn8f_unit3(world);
}

#endif
