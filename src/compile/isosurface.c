// The surface of a plugin's signed distance field: marching cubes over its bounding box.
#include <math.h>
#include <string.h>

#include "compile/asset.h"

#define CELLS 300  // of the three axes together
#define LOOP 12    // crossed edges of a cube, at most

typedef struct snLattice_ {
  int n[3];  // points along the axes
  double low[3], step[3];
  double* value;
  int* vertex;  // (points x 3) on the edge to the previous point along each axis, or -1
} snLattice;

static size_t lattice_at(const snLattice* l, int x, int y, int z) {
  return ((size_t)z * l->n[1] + y) * l->n[0] + x;
}

// Cells are shared out by the lengths of the box: n_k = floor(300 size_k / sum of sizes).
static bool lattice_sample(snLattice* l, const mjpPlugin* plugin, const mjtNum* attribute,
                           snFault* fault) {
  mjtNum box[6];  // centre and half sizes
  plugin->sdf_aabb(box, attribute);
  double total = box[3] + box[4] + box[5];
  for (int k = 0; k < 3; k++) {
    if (!(box[3 + k] > 0) || !isfinite(total)) {
      return fault_raise(fault, "bounding box of plugin '%s' has no size", plugin->name);
    }
    int cells = (int)(CELLS * box[3 + k] / total);
    cells = cells < 1 ? 1 : cells;
    l->n[k] = cells + 1;
    l->low[k] = box[k] - box[3 + k];
    l->step[k] = 2 * box[3 + k] / cells;
  }
  size_t points = (size_t)l->n[0] * l->n[1] * l->n[2];
  l->value = memory_alloc(points * sizeof *l->value);
  l->vertex = memory_alloc(3 * points * sizeof *l->vertex);
  if (!l->value || !l->vertex) return fault_raise(fault, "no memory for the surface of a plugin");
  double* value = l->value;
  for (int z = 0; z < l->n[2]; z++) {
    for (int y = 0; y < l->n[1]; y++) {
      for (int x = 0; x < l->n[0]; x++) {
        mjtNum point[3] = {l->low[0] + x * l->step[0], l->low[1] + y * l->step[1],
                           l->low[2] + z * l->step[2]};
        *value++ = plugin->sdf_staticdistance(point, attribute);
      }
    }
  }
  return true;
}

// Where the field changes sign between a point and the one before it, linearly.
static void lattice_cross(snLattice* l, snSurface* s) {
  const size_t stride[3] = {1, (size_t)l->n[0], (size_t)l->n[0] * l->n[1]};
  size_t at = 0;
  for (int z = 0; z < l->n[2]; z++) {
    for (int y = 0; y < l->n[1]; y++) {
      for (int x = 0; x < l->n[0]; x++, at++) {
        const int index[3] = {x, y, z};
        for (int k = 0; k < 3; k++) {
          int* vertex = l->vertex + 3 * at + k;
          *vertex = -1;
          if (!index[k]) continue;
          double here = l->value[at], there = l->value[at - stride[k]];
          if ((here < 0) == (there < 0)) continue;
          *vertex = s->nvert++;
          if (!s->vert) continue;
          for (int i = 0; i < 3; i++) {
            double back = i == k ? here / (here - there) : 0;
            s->vert[3 * *vertex + i] = (float)(l->low[i] + (index[i] - back) * l->step[i]);
          }
        }
      }
    }
  }
}

// Corners of a cube are numbered by bits x, y, z; its sides list four in order, seen from outside.
static const int kSide[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};

// The edge between two corners: three per direction, by the other two bits.
static int edge_of(int a, int b) {
  int k = (a ^ b) == 1 ? 0 : (a ^ b) == 2 ? 1 : 2, low = a & b;
  return 4 * k + ((low >> (k + 1) % 3) & 1) + 2 * ((low >> (k + 2) % 3) & 1);
}

static int edge_vertex(const snLattice* l, int x, int y, int z, int edge) {
  int k = edge / 4, at[3] = {x, y, z};
  at[k]++;
  at[(k + 1) % 3] += edge & 1;
  at[(k + 2) % 3] += (edge >> 1) & 1;
  return l->vertex[3 * lattice_at(l, at[0], at[1], at[2]) + k];
}

// On each side of the cube a run of inner corners lies between an edge that enters it and one that
// leaves it. Every crossed edge is entered on one side and left on another, so that these steps
// close to loops, which are cut into fans.
static void cube_faces(const snLattice* l, int x, int y, int z, snSurface* s) {
  int inside = 0, next[LOOP];
  for (int c = 0; c < 8; c++) {
    if (l->value[lattice_at(l, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2))] < 0) inside |= 1 << c;
  }
  if (!inside || inside == 255) return;
  for (int e = 0; e < LOOP; e++) next[e] = -1;
  for (int side = 0; side < 6; side++) {
    const int* c = kSide[side];
    for (int i = 0; i < 4; i++) {
      int last = i;
      if (!(inside >> c[i] & 1) || (inside >> c[(i + 3) % 4] & 1)) continue;
      while (inside >> c[(last + 1) % 4] & 1) last = (last + 1) % 4;
      next[edge_of(c[(i + 3) % 4], c[i])] = edge_of(c[last], c[(last + 1) % 4]);
    }
  }
  for (int e = 0; e < LOOP; e++) {
    int loop[LOOP], n = 0;
    for (int at = e; next[at] >= 0;) {
      int then = next[at];
      next[at] = -1;
      loop[n++] = edge_vertex(l, x, y, z, at);
      at = then;
    }
    for (int i = 1; i + 1 < n; i++, s->nface++) {
      if (!s->face) continue;
      int* face = s->face + 3 * s->nface;
      face[0] = loop[0];
      face[1] = loop[i];
      face[2] = loop[i + 1];
    }
  }
}

static void lattice_faces(const snLattice* l, snSurface* s) {
  for (int z = 0; z + 1 < l->n[2]; z++) {
    for (int y = 0; y + 1 < l->n[1]; y++) {
      for (int x = 0; x + 1 < l->n[0]; x++) cube_faces(l, x, y, z, s);
    }
  }
}

bool isosurface_build(snSurface* s, const mjpPlugin* plugin, const mjtNum* attribute,
                      snFault* fault) {
  snLattice l = {0};
  *s = (snSurface){0};
  bool ok = lattice_sample(&l, plugin, attribute, fault);
  if (ok) {
    // counted first, then written
    lattice_cross(&l, s);
    lattice_faces(&l, s);
    s->vert = memory_alloc(3 * (size_t)(s->nvert + 1) * sizeof *s->vert);
    s->face = memory_alloc(3 * (size_t)(s->nface + 1) * sizeof *s->face);
    ok = (s->vert && s->face) || fault_raise(fault, "no memory for the surface of a plugin");
    s->nvert = s->nface = 0;
  }
  if (ok) {
    lattice_cross(&l, s);
    lattice_faces(&l, s);
  }
  memory_free(l.value);
  memory_free(l.vertex);
  if (!ok) isosurface_free(s);
  return ok;
}

void isosurface_free(snSurface* s) {
  memory_free(s->vert);
  memory_free(s->face);
  *s = (snSurface){0};
}
