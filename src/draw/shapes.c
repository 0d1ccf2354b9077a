// Built-in shapes: spheres, cylinders, cones, disks, boxes, planes as triangles of unit size.
//
// Slices go around z, stacks along it, quads are the cells of flat faces along a side. Colours are
// computed at vertices, so the number of triangles is seen in a picture, and is the model's
// (visual/quality) as documented.
#include "draw/assets.h"

static size_t padded_eight(int count) { return ((size_t)count + 7) / 8 * 8; }

size_t surface_words(int nvert, int nface, int nnormal, int ntexcoord) {
  size_t floats = 3 * padded_eight(nvert) + 3 * (size_t)nnormal + 2 * (size_t)ntexcoord;
  return floats + 3 * (size_t)nface * (ntexcoord ? 3 : 2) + 8;
}

void surface_place(snSurface* s, float* block, int nvert, int nface, int nnormal, int ntexcoord) {
  memset(s, 0, sizeof *s);
  size_t padded = padded_eight(nvert), faces = 3 * (size_t)nface;
  s->nvert = nvert;
  s->nface = nface;
  s->x = block;
  s->y = block + padded;
  s->z = block + 2 * padded;
  s->normal = nnormal ? block + 3 * padded : NULL;
  s->texcoord = ntexcoord ? block + 3 * padded + 3 * nnormal : NULL;
  s->face = (int*)(block + 3 * padded + 3 * (size_t)nnormal + 2 * (size_t)ntexcoord);
  s->facenormal = s->face + faces;
  s->facetexcoord = ntexcoord ? s->facenormal + faces : NULL;
  for (size_t i = (size_t)nvert; i < padded; i++) s->x[i] = s->y[i] = s->z[i] = 0;
}

bool surface_make(snSurface* s, int nvert, int nface, int nnormal, int ntexcoord) {
  memset(s, 0, sizeof *s);
  float* block = memory_alloc(surface_words(nvert, nface, nnormal, ntexcoord) * 4);
  if (!block) return false;
  surface_place(s, block, nvert, nface, nnormal, ntexcoord);
  s->block = block;
  return true;
}

void surface_free(snSurface* surface) {
  if (surface->coarse) surface_free(surface->coarse);
  memory_free(surface->coarse);
  memory_free(surface->block);
  memset(surface, 0, sizeof *surface);
}

void surface_bounds(snSurface* s) {
  const float* coordinate[3] = {s->x, s->y, s->z};
  for (int c = 0; c < 3; c++) {
    float low = s->nvert ? coordinate[c][0] : 0, high = low;
    for (int i = 1; i < s->nvert; i++) {
      float v = coordinate[c][i];
      if (v < low) low = v;
      if (v > high) high = v;
    }
    s->low[c] = low;
    s->high[c] = high;
  }
}

// A shape while it is made: every vertex has its own normal and texture coordinate.
typedef struct snBuilder_ {
  snSurface* s;
  int nvert, nface;
} snBuilder;

static int build_vertex(snBuilder* b, double x, double y, double z, double nx, double ny, double nz,
                        double u, double v) {
  int i = b->nvert++;
  float* normal = (float*)b->s->normal + 3 * i;
  float* texcoord = (float*)b->s->texcoord + 2 * i;
  b->s->x[i] = (float)x, b->s->y[i] = (float)y, b->s->z[i] = (float)z;
  normal[0] = (float)nx, normal[1] = (float)ny, normal[2] = (float)nz;
  texcoord[0] = (float)u, texcoord[1] = (float)v;
  return i;
}

static void build_triangle(snBuilder* b, int i, int j, int k) {
  int* face = b->s->face + 3 * b->nface;
  int corner[3] = {i, j, k};
  memcpy(face, corner, sizeof corner);
  memcpy((int*)b->s->facenormal + 3 * b->nface, corner, sizeof corner);
  memcpy((int*)b->s->facetexcoord + 3 * b->nface, corner, sizeof corner);
  b->nface++;
}

// a quad, split as drivers do
static void build_quad(snBuilder* b, int i, int j, int k, int l) {
  build_triangle(b, i, j, l);
  build_triangle(b, j, k, l);
}

static bool build_begin(snBuilder* b, snSurface* surface, int rows, int columns) {
  *b = (snBuilder){surface, 0, 0};
  int nvert = (rows + 1) * (columns + 1);
  return surface_make(surface, nvert, 2 * rows * columns, nvert, nvert);
}

// What was not needed is left out. Halves of spheres and sides of cylinders count as closed: they
// are drawn with what closes them.
static bool build_end(snBuilder* b) {
  b->s->closed = snYES;
  b->s->quads = true;
  b->s->nvert = b->nvert;
  b->s->nface = b->nface;
  surface_bounds(b->s);
  return true;
}

// A grid of (rows + 1) x (columns + 1) vertices that were made row by row; a row of equal points is
// a pole and has triangles in place of quads.
static void build_grid(snBuilder* b, int rows, int columns, bool first_pole, bool last_pole) {
  for (int r = 0; r < rows; r++) {
    for (int c = 0; c < columns; c++) {
      int i = r * (columns + 1) + c, up = i + columns + 1;
      if (r == 0 && first_pole) {
        build_triangle(b, i, up + 1, up);
      } else if (r == rows - 1 && last_pole) {
        build_triangle(b, i, i + 1, up);
      } else {
        build_quad(b, i, i + 1, up + 1, up);
      }
    }
  }
}

// Latitudes from `low` to `high`, in right angles.
static bool shape_sphere(snSurface* surface, int slices, int stacks, double low, double high) {
  snBuilder b;
  if (!build_begin(&b, surface, stacks, slices)) return false;
  for (int r = 0; r <= stacks; r++) {
    double height, radius;
    sn_sincos((low + (high - low) * r / stacks) * mjPI / 2, &height, &radius);
    if ((r == 0 && low == -1) || (r == stacks && high == 1)) radius = 0;
    for (int c = 0; c <= slices; c++) {
      double sine, cosine;
      sn_sincos(2 * mjPI * (c % slices) / slices, &sine, &cosine);
      build_vertex(&b, radius * cosine, radius * sine, height, radius * cosine, radius * sine,
                   height, (double)c / slices, (double)r / stacks);
    }
  }
  build_grid(&b, stacks, slices, low == -1, high == 1);
  return build_end(&b);
}

// The side of a cylinder from -1 to 1, or of a cone from 0 to 1.
static bool shape_side(snSurface* surface, int slices, int stacks, bool cone) {
  snBuilder b;
  if (!build_begin(&b, surface, stacks, slices)) return false;
  double slope = cone ? sqrt(0.5) : 0, flat = cone ? sqrt(0.5) : 1;
  for (int r = 0; r <= stacks; r++) {
    double at = (double)r / stacks, radius = cone ? 1 - at : 1, z = cone ? at : 2 * at - 1;
    for (int c = 0; c <= slices; c++) {
      double sine, cosine;
      sn_sincos(2 * mjPI * (c % slices) / slices, &sine, &cosine);
      build_vertex(&b, radius * cosine, radius * sine, z, flat * cosine, flat * sine, slope,
                   (double)c / slices, at);
    }
  }
  build_grid(&b, stacks, slices, false, cone);
  return build_end(&b);
}

static bool shape_disk(snSurface* surface, int slices, int rings, int side) {
  snBuilder b;
  if (!build_begin(&b, surface, rings, slices)) return false;
  for (int r = 0; r <= rings; r++) {
    double radius = side > 0 ? 1 - (double)r / rings : (double)r / rings;
    for (int c = 0; c <= slices; c++) {
      double sine, cosine;
      sn_sincos(2 * mjPI * (c % slices) / slices, &sine, &cosine);
      build_vertex(&b, radius * cosine, radius * sine, 0, 0, 0, side, (1 + radius * cosine) / 2,
                   (1 + radius * sine) / 2);
    }
  }
  build_grid(&b, rings, slices, side<0, side> 0);
  return build_end(&b);
}

// Six faces: each has its normal along +-axis a, and u x v = normal.
static bool shape_box(snSurface* surface, int quads) {
  snBuilder b = {surface, 0, 0};
  int vertices = 6 * (quads + 1) * (quads + 1);
  if (!surface_make(surface, vertices, 12 * quads * quads, vertices, vertices)) return false;
  for (int f = 0; f < 6; f++) {
    int a = f / 2, side = f % 2 ? -1 : 1, first = b.nvert;
    int iu = (a + 1) % 3, iv = (a + 2) % 3;
    for (int r = 0; r <= quads; r++) {
      for (int c = 0; c <= quads; c++) {
        double p[3], n[3] = {0, 0, 0};
        double u = 2.0 * c / quads - 1, v = 2.0 * r / quads - 1;
        p[a] = n[a] = side;
        p[iu] = side * u;
        p[iv] = v;
        build_vertex(&b, p[0], p[1], p[2], n[0], n[1], n[2], (1 + u) / 2, (1 + v) / 2);
      }
    }
    for (int r = 0; r < quads; r++) {
      for (int c = 0; c < quads; c++) {
        int i = first + r * (quads + 1) + c, up = i + quads + 1;
        build_quad(&b, i, i + 1, up + 1, up);
      }
    }
  }
  return build_end(&b);
}

static bool shape_plane(snSurface* surface) {
  snBuilder b;
  if (!build_begin(&b, surface, 1, 1)) return false;
  for (int r = 0; r < 2; r++) {
    for (int c = 0; c < 2; c++) build_vertex(&b, 2 * c - 1, 2 * r - 1, 0, 0, 0, 1, c, r);
  }
  build_grid(&b, 1, 1, false, false);
  build_end(&b);
  surface->closed = snNO;
  return true;
}

static bool shape_triangle(snSurface* surface) {
  snBuilder b = {surface, 0, 0};
  if (!surface_make(surface, 3, 1, 3, 3)) return false;
  build_vertex(&b, 0, 0, 0, 0, 0, 1, 0, 0);
  build_vertex(&b, 1, 0, 0, 0, 0, 1, 1, 0);
  build_vertex(&b, 0, 1, 0, 0, 0, 1, 0, 1);
  build_triangle(&b, 0, 1, 2);
  build_end(&b);
  surface->closed = snNO;
  return true;
}

static int shape_limit(int n, int least) { return n < least ? least : n > 1000 ? 1000 : n; }

bool shapes_make(snSurface shape[snNSHAPE], int slices, int stacks, int quads) {
  slices = shape_limit(slices, 3);
  stacks = shape_limit(stacks, 2);
  quads = shape_limit(quads, 1);
  int half = stacks / 2;
  return shape_sphere(&shape[snSHAPE_SPHERE], slices, 2 * half, -1, 1) &&
         shape_sphere(&shape[snSHAPE_DOME], slices, half, 0, 1) &&
         shape_sphere(&shape[snSHAPE_BOWL], slices, half, -1, 0) &&
         shape_side(&shape[snSHAPE_TUBE], slices, stacks, false) &&
         shape_disk(&shape[snSHAPE_DISK], slices, quads, 1) &&
         shape_disk(&shape[snSHAPE_DISK_DOWN], slices, quads, -1) &&
         shape_side(&shape[snSHAPE_CONE], slices, stacks, true) &&
         shape_box(&shape[snSHAPE_BOX], quads) && shape_plane(&shape[snSHAPE_PLANE]) &&
         shape_triangle(&shape[snSHAPE_TRIANGLE]);
}
