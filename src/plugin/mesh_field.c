// The signed distance field of a mesh, sampled in an octree.
//
// Corners of cells store the exact distance and its gradient; inside of a cell the field is the
// tricubic Hermite polynomial with zero mixed derivatives at the corners. A cell is divided while
// the polynomial errs by more than a tolerance at the midpoints of its edges, faces or at its
// center. Where small cells border on a large one, their corners on the common face take all
// derivatives from the large cell's polynomial, which makes the field continuous. Outside of the
// root cell the distance is that to the root cell plus the field at the nearest point of its
// surface.
#include "base/assert.h"
#include "plugin/mesh_field.h"

#include <math.h>
#include <string.h>

#include "plugin/mesh_nearest.h"

enum {
  kLeast = 3,           // levels that every branch has
  kMost = 7,            // deepest level
  kFine = kMost + 1,    // corners lie on a lattice of 2^kFine steps, which includes cell centers
  kMostCells = 200000,  // limit on the number of cells
};

static const double kMargin = 0.1;      // around the mesh, relative to its longest side
static const double kTolerance = 5e-4;  // of the distance, relative to the box
static const double kFarTolerance =
    0.03;  // of the distance, relative to itself, beyond two cells from the surface

typedef struct snFieldCorner_ {
  int key;      // position on the lattice
  bool taken;   // derivatives are taken from a larger cell
  double d[8];  // derivatives; bit k of the index: with respect to axis k
} snFieldCorner;

typedef struct snFieldCell_ {
  int child;    // first of eight children; 0: a leaf
  short at[3];  // lower corner on the lattice
  short level;
  int corner[8];  // bit k of the index: upper corner along axis k
} snFieldCell;

struct snMeshField_ {
  double low[3], side;  // of the root cell
  snFieldCell* cell;
  snFieldCorner* corner;
  int *slot, slots;  // hash table of corners, -1: free
  int cells, corners, cell_room, corner_room;
  bool failed;  // out of memory
};

static int cell_steps(const snFieldCell* cell) { return 1 << (kFine - cell->level); }

// ---- corners, by lattice position

static bool room_for(void** list, int* room, int count, size_t size) {
  if (count <= *room) return true;
  int more = 2 * count;
  void* grown = memory_resize(*list, (size_t)*room * size, (size_t)more * size);
  if (!grown) return false;
  *list = grown;
  *room = more;
  return true;
}

static int corner_key(const int at[3]) {
  const int n = (1 << kFine) + 1;
  return (at[2] * n + at[1]) * n + at[0];
}

static int* slot_of(const snMeshField* f, int key) {
  SN_ASSERT(f->corners < f->slots && (f->slots & (f->slots - 1)) == 0);  // a free slot is found
  unsigned mask = (unsigned)f->slots - 1, i = ((unsigned)key * 2654435769u) >> 7 & mask;
  while (f->slot[i] >= 0 && f->corner[f->slot[i]].key != key) i = (i + 1) & mask;
  return &f->slot[i];
}

static bool slots_grow(snMeshField* f) {
  if (2 * f->corners < f->slots) return true;
  int slots = f->slots ? 2 * f->slots : 4096;
  int* slot = memory_alloc((size_t)slots * sizeof *slot);
  if (!slot) return false;
  memory_free(f->slot);
  f->slot = slot;
  f->slots = slots;
  for (int i = 0; i < slots; i++) slot[i] = -1;
  for (int i = 0; i < f->corners; i++) *slot_of(f, f->corner[i].key) = i;
  return true;
}

static void corner_place(const snMeshField* f, const int at[3], double p[3]) {
  for (int k = 0; k < 3; k++) p[k] = f->low[k] + f->side * at[k] / (1 << kFine);
}

// Triangle inequality: the distance at a point is at most that of a corner plus the way between.
static double corner_bound(const snMeshField* f, const snFieldCell* cell, const double p[3]) {
  double bound = INFINITY;
  for (int c = 0; cell && c < 8; c++) {
    int at[3];
    double q[3];
    for (int k = 0; k < 3; k++) at[k] = cell->at[k] + (c >> k & 1) * cell_steps(cell);
    corner_place(f, at, q);
    bound = sn_min(bound, fabs(f->corner[cell->corner[c]].d[0]) + mju_dist3(p, q));
  }
  return bound;
}

// The corner at a position, sampled if it is new; 0, and `failed` set, without memory. `around` is
// a nearby cell with known corners, or NULL.
static int corner_at(snMeshField* f, const snMeshDistance* nearest, const int at[3],
                     const snFieldCell* around) {
  int key = corner_key(at);
  if (f->failed || !slots_grow(f) ||
      !room_for((void**)&f->corner, &f->corner_room, f->corners + 1, sizeof *f->corner)) {
    f->failed = true;
    return 0;
  }
  int* slot = slot_of(f, key);
  if (*slot >= 0) return *slot;
  *slot = f->corners;
  snFieldCorner* corner = &f->corner[f->corners];
  *corner = (snFieldCorner){.key = key};
  double p[3], gradient[3];
  corner_place(f, at, p);
  corner->d[0] = nearest_distance(nearest, p, corner_bound(f, around, p), gradient);
  for (int k = 0; k < 3; k++) corner->d[1 << k] = gradient[k];
  return f->corners++;
}

// ---- the polynomial of a cell

// Cubic Hermite basis on [0, 1] and its derivative: for the values at 0 and 1, and for the slopes
// there (per unit length, scaled by the width of the cell).
static void hermite(double t, double width, double value[4], double slope[4]) {
  double s = 1 - t;
  value[0] = (1 + 2 * t) * s * s;
  value[1] = t * t * (3 - 2 * t);
  value[2] = width * t * s * s;
  value[3] = -width * t * t * s;
  slope[1] = 6 * t * s / width;
  slope[0] = -slope[1];
  slope[2] = s * (1 - 3 * t);
  slope[3] = t * (3 * t - 2);
}

// Interpolation along one axis from values and slopes at the lower and upper corner.
static double blend(const double h[4], double low, double high, double low_slope,
                    double high_slope) {
  return h[0] * low + h[1] * high + h[2] * low_slope + h[3] * high_slope;
}

// Derivatives of the polynomial at t in [0, 1]^3; only those whose bits are in `wanted`.
static void cell_polynomial(const snMeshField* f, const snFieldCell* cell, const double t[3],
                            int wanted, double out[8]) {
  double width = f->side / (1 << cell->level), h[3][2][4];
  double z[2][2][2][2][2];  // [z derivative][corner y][corner x][y derivative][x derivative]
  double y[2][2][2][2];     // [z derivative][y derivative][corner x][x derivative]
  for (int k = 0; k < 3; k++) hermite(t[k], width, h[k][0], h[k][1]);
  int dz = wanted >> 2 & 1, dy = wanted >> 1 & 1, dx = wanted & 1;
  for (int c = 0; c < 4; c++) {
    const double *low = f->corner[cell->corner[c]].d, *high = f->corner[cell->corner[c + 4]].d;
    for (int b = 0; b < 4; b++) {
      for (int k = 0; k <= dz; k++) {
        z[k][c >> 1][c & 1][b >> 1][b & 1] =
            blend(h[2][k], low[b], high[b], low[b + 4], high[b + 4]);
      }
    }
  }
  for (int k = 0; k <= dz; k++) {
    for (int j = 0; j <= dy; j++) {
      for (int c = 0; c < 2; c++) {
        for (int b = 0; b < 2; b++) {
          y[k][j][c][b] = blend(h[1][j], z[k][0][c][0][b], z[k][1][c][0][b], z[k][0][c][1][b],
                                z[k][1][c][1][b]);
        }
      }
      for (int i = 0; i <= dx; i++) {
        out[4 * k + 2 * j + i] =
            blend(h[0][i], y[k][j][0][0], y[k][j][1][0], y[k][j][0][1], y[k][j][1][1]);
      }
    }
  }
}

// ---- the tree

static void cell_corners(snMeshField* f, const snMeshDistance* nearest, int index,
                         const snFieldCell* around) {
  for (int c = 0; c < 8; c++) {
    const snFieldCell* cell = &f->cell[index];
    int steps = cell_steps(cell), at[3];
    for (int k = 0; k < 3; k++) at[k] = cell->at[k] + (c >> k & 1) * steps;
    f->cell[index].corner[c] = corner_at(f, nearest, at, around);
  }
}

// Does the polynomial err at the midpoint of an edge, of a face or at the center? Far from the
// surface, where there are no contacts, a relative error is allowed in addition.
static bool cell_is_rough(snMeshField* f, const snMeshDistance* nearest, int index) {
  snFieldCell cell = f->cell[index];
  int half = cell_steps(&cell) / 2;
  for (int i = 0; i < 27 && !f->failed; i++) {
    int step[3] = {i % 3, i / 3 % 3, i / 9}, at[3];
    if (step[0] != 1 && step[1] != 1 && step[2] != 1) continue;
    double t[3], value[8];
    for (int k = 0; k < 3; k++) {
      at[k] = cell.at[k] + step[k] * half;
      t[k] = 0.5 * step[k];
    }
    int corner = corner_at(f, nearest, at, &cell);
    cell_polynomial(f, &cell, t, 0, value);
    double exact = f->corner[corner].d[0], far = fabs(exact) - 4 * half * f->side / (1 << kFine);
    double tolerance = kTolerance * f->side + kFarTolerance * sn_max(0, far);
    if (fabs(value[0] - exact) > tolerance) return true;
  }
  return false;
}

static void cell_divide(snMeshField* f, const snMeshDistance* nearest, int index) {
  if (!room_for((void**)&f->cell, &f->cell_room, f->cells + 8, sizeof *f->cell)) {
    f->failed = true;
    return;
  }
  snFieldCell parent = f->cell[index];
  SN_ASSERT(!parent.child && parent.level < kMost);
  int half = cell_steps(&parent) / 2;
  f->cell[index].child = f->cells;
  for (int c = 0; c < 8; c++) {
    snFieldCell* cell = &f->cell[f->cells];
    *cell = (snFieldCell){.level = (short)(parent.level + 1)};
    for (int k = 0; k < 3; k++) cell->at[k] = (short)(parent.at[k] + (c >> k & 1) * half);
    cell_corners(f, nearest, f->cells++, &parent);
  }
}

// Breadth first: cells are created level by level.
static void tree_grow(snMeshField* f, const snMeshDistance* nearest) {
  for (int i = 0; i < f->cells && !f->failed; i++) {
    int level = f->cell[i].level;
    bool divide = level < kLeast;
    if (!divide && level < kMost && f->cells < kMostCells) divide = cell_is_rough(f, nearest, i);
    if (divide) cell_divide(f, nearest, i);
  }
}

// The leaf at a position in half lattice steps.
static const snFieldCell* tree_leaf(const snMeshField* f, const int half[3]) {
  const snFieldCell* cell = f->cell;
  while (cell->child) {
    int middle = cell_steps(cell) / 2, c = 0;
    for (int k = 0; k < 3; k++) c |= (half[k] > 2 * (cell->at[k] + middle)) << k;
    cell = &f->cell[cell->child + c];
  }
  return cell;
}

// The largest leaf that touches a corner.
static const snFieldCell* corner_largest(const snMeshField* f, const int at[3]) {
  const snFieldCell* largest = NULL;
  for (int c = 0; c < 8; c++) {
    int half[3], out = 0;
    for (int k = 0; k < 3; k++) {
      half[k] = 2 * at[k] + (c >> k & 1 ? 1 : -1);
      out |= half[k] < 0 || half[k] > 2 << kFine;
    }
    if (out) continue;
    const snFieldCell* leaf = tree_leaf(f, half);
    if (!largest || leaf->level < largest->level) largest = leaf;
  }
  return largest;
}

// Adjusts corners of small cells on faces of larger ones, from large to small.
static void tree_join(snMeshField* f) {
  for (int i = 0; i < f->cells; i++) {
    const snFieldCell* cell = &f->cell[i];
    for (int c = 0; c < 8 && !cell->child; c++) {
      snFieldCorner* corner = &f->corner[cell->corner[c]];
      if (corner->taken) continue;
      corner->taken = true;
      int at[3], inner = 0, steps = cell_steps(cell);
      for (int k = 0; k < 3; k++) at[k] = cell->at[k] + (c >> k & 1) * steps;
      const snFieldCell* large = corner_largest(f, at);
      double t[3];
      for (int k = 0; k < 3; k++) {
        int from = at[k] - large->at[k], whole = cell_steps(large);
        inner |= from > 0 && from < whole;
        t[k] = (double)from / whole;
      }
      if (!inner) continue;
      double d[8];
      cell_polynomial(f, large, t, 7, d);
      memcpy(corner->d, d, sizeof d);
    }
  }
}

// ---- the field

static void field_box(snMeshField* f, const double* vert, int nvert) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < 3 * nvert; i++) {
    low[i % 3] = sn_min(low[i % 3], vert[i]);
    high[i % 3] = sn_max(high[i % 3], vert[i]);
  }
  double longest = 0;
  for (int k = 0; k < 3; k++) longest = sn_max(longest, high[k] - low[k]);
  f->side = (1 + 2 * kMargin) * longest;
  for (int k = 0; k < 3; k++) f->low[k] = 0.5 * (low[k] + high[k] - f->side);
}

snMeshField* mesh_field_make(const double* vert, int nvert, const int* face, int nface,
                             snFault* fault) {
  snMeshDistance* nearest = nearest_make(vert, face, nface);
  snMeshField* f = memory_alloc_zero(sizeof *f);
  bool ok = nearest && f && room_for((void**)&f->cell, &f->cell_room, 1, sizeof *f->cell);
  if (ok) {
    field_box(f, vert, nvert);
    f->cells = 1;
    f->cell[0] = (snFieldCell){0};
    cell_corners(f, nearest, 0, NULL);
    tree_grow(f, nearest);
    ok = !f->failed;
  }
  nearest_free(nearest);
  if (!ok) {
    mesh_field_free(f);
    fault_raise(fault, "no memory for the field of a mesh, or no triangle with an area");
    return NULL;
  }
  tree_join(f);
  memory_free(f->slot);
  f->slot = NULL;
  return f;
}

void mesh_field_free(snMeshField* f) {
  if (!f) return;
  memory_free(f->cell);
  memory_free(f->corner);
  memory_free(f->slot);
  memory_free(f);
}

double mesh_field_at(const snMeshField* f, const double point[3], double gradient[3]) {
  double t[3], out[3], d[8], beyond = 0;
  for (int k = 0; k < 3; k++) {
    double x = point[k] - f->low[k], inside = sn_min(f->side, sn_max(0, x));
    t[k] = inside / f->side;
    out[k] = x - inside;
    beyond += out[k] * out[k];
  }
  beyond = sqrt(beyond);
  const snFieldCell* cell = f->cell;
  while (cell->child) {
    int c = 0;
    for (int k = 0; k < 3; k++) {
      int upper = t[k] > 0.5;
      t[k] = 2 * t[k] - upper;
      c |= upper << k;
    }
    cell = &f->cell[cell->child + c];
  }
  cell_polynomial(f, cell, t, gradient ? 7 : 0, d);
  if (gradient) {
    for (int k = 0; k < 3; k++) gradient[k] = out[k] == 0 ? d[1 << k] : out[k] / beyond;
    mju_normalize3(gradient);
  }
  return d[0] + beyond;
}
