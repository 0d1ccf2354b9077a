// Signed distance to a triangle mesh: the nearest point through a bounding volume hierarchy, the
// sign from the normal there.
//
// At an edge or vertex the normal is the sum over the adjacent triangles, weighted by the angle of
// each triangle at that point (angle-weighted pseudonormal): its sign is correct for every closed
// mesh (Baerentzen and Aanaes 2005).
#include "base/assert.h"
#include "plugin/mesh_nearest.h"

#include <math.h>
#include <string.h>

static const double kNear = 1e-9;  // relative to the mesh: points this close are equal
enum { kLeaf = 4, kDepth = 64 };   // triangles per leaf; maximal depth

typedef struct snBox_ {
  double low[3], high[3];
  int first;  // first triangle of a leaf; else the second child: the first child follows the node
  int count;  // number of triangles; 0: inner node
} snBox;

typedef struct snMeshTriangle_ {
  double v[3][3], normal[3];
} snMeshTriangle;

struct snMeshDistance_ {
  snMeshTriangle* triangle;
  snBox* box;
  int count, boxes;
  double near;  // points within this distance count as equal
};

// ---- the tree

static double triangle_middle(const snMeshTriangle* t, int axis) {
  return t->v[0][axis] + t->v[1][axis] + t->v[2][axis];
}

static void box_around(snBox* box, const snMeshTriangle* triangle, int count) {
  for (int k = 0; k < 3; k++) box->low[k] = INFINITY, box->high[k] = -INFINITY;
  for (int i = 0; i < 3 * count; i++) {
    const double* v = triangle[i / 3].v[i % 3];
    for (int k = 0; k < 3; k++) {
      box->low[k] = sn_min(box->low[k], v[k]);
      box->high[k] = sn_max(box->high[k], v[k]);
    }
  }
}

// Partition: triangles with a center below `cut` come first; returns their number.
static int triangles_part(snMeshTriangle* triangle, int count, int axis, double cut) {
  int low = 0;
  for (int i = 0; i < count; i++) {
    if (!(triangle_middle(&triangle[i], axis) < cut)) continue;
    snMeshTriangle keep = triangle[i];
    triangle[i] = triangle[low];
    triangle[low++] = keep;
  }
  return low;
}

// Splits the box at the middle of its longest side. When one part is empty, or the tree too deep,
// the list is split in the middle instead.
static void tree_build(snMeshDistance* n, int first, int count, int depth) {
  snBox* box = &n->box[n->boxes++];
  snMeshTriangle* triangle = n->triangle + first;
  box_around(box, triangle, count);
  box->first = first;
  box->count = count;
  if (count <= kLeaf) return;
  int axis = 0;
  for (int k = 1; k < 3; k++) {
    if (box->high[k] - box->low[k] > box->high[axis] - box->low[axis]) axis = k;
  }
  int low = 0;
  if (depth < kDepth / 2) {
    low = triangles_part(triangle, count, axis, 1.5 * (box->low[axis] + box->high[axis]));
  }
  if (low == 0 || low == count) low = count / 2;
  box->count = 0;
  tree_build(n, first, low, depth + 1);
  box->first = n->boxes;
  tree_build(n, first + low, count - low, depth + 1);
}

static bool triangle_set(snMeshTriangle* t, const double* vert, const int* face) {
  double side[2][3];
  for (int k = 0; k < 3; k++) mju_copy3(t->v[k], vert + 3 * face[k]);
  mju_sub3(side[0], t->v[1], t->v[0]);
  mju_sub3(side[1], t->v[2], t->v[0]);
  mju_cross(t->normal, side[0], side[1]);
  return mju_normalize3(t->normal) > 0;
}

snMeshDistance* nearest_make(const double* vert, const int* face, int nface) {
  snMeshDistance* n = memory_alloc_zero(sizeof *n);
  size_t room = (size_t)(nface > 0 ? nface : 1);
  if (!n) return NULL;
  n->triangle = memory_alloc(room * sizeof *n->triangle);
  n->box = memory_alloc(2 * room * sizeof *n->box);
  for (int i = 0; n->triangle && i < nface; i++) {
    n->count += triangle_set(&n->triangle[n->count], vert, face + 3 * i);
  }
  if (!n->box || !n->count) {
    nearest_free(n);
    return NULL;
  }
  tree_build(n, 0, n->count, 0);
  double extent = 0;
  for (int k = 0; k < 3; k++) extent = sn_max(extent, n->box[0].high[k] - n->box[0].low[k]);
  n->near = kNear * extent;
  return n;
}

void nearest_free(snMeshDistance* n) {
  if (!n) return;
  memory_free(n->triangle);
  memory_free(n->box);
  memory_free(n);
}

// ---- queries

static double distance2(const double a[3], const double b[3]) {
  double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return x * x + y * y + z * z;
}

static double box_distance2(const snBox* box, const double p[3]) {
  double sum = 0;
  for (int k = 0; k < 3; k++) {
    double out = sn_max(sn_max(box->low[k] - p[k], p[k] - box->high[k]), 0);
    sum += out * out;
  }
  return sum;
}

static void along(double out[3], const double a[3], const double ab[3], double part) {
  for (int k = 0; k < 3; k++) out[k] = a[k] + part * ab[k];
}

// The nearest point of a triangle a, b, c, by Voronoi regions (Ericson 2005, 5.1.5).
static void triangle_point(const snMeshTriangle* t, const double p[3], double out[3]) {
  const double *a = t->v[0], *b = t->v[1], *c = t->v[2];
  double ab[3], ac[3], bc[3], ap[3], bp[3], cp[3];
  mju_sub3(ab, b, a), mju_sub3(ac, c, a), mju_sub3(bc, c, b);
  mju_sub3(ap, p, a), mju_sub3(bp, p, b), mju_sub3(cp, p, c);
  double d1 = mju_dot3(ab, ap), d2 = mju_dot3(ac, ap), d3 = mju_dot3(ab, bp);
  double d4 = mju_dot3(ac, bp), d5 = mju_dot3(ab, cp), d6 = mju_dot3(ac, cp);
  if (d1 <= 0 && d2 <= 0) {
    mju_copy3(out, a);
  } else if (d3 >= 0 && d4 <= d3) {
    mju_copy3(out, b);
  } else if (d6 >= 0 && d5 <= d6) {
    mju_copy3(out, c);
  } else {
    double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
      along(out, a, ab, d1 / (d1 - d3));
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
      along(out, a, ac, d2 / (d2 - d6));
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
      along(out, b, bc, (d4 - d3) / ((d4 - d3) + (d5 - d6)));
    } else {
      double scale = 1 / (va + vb + vc);
      along(out, a, ab, vb * scale);
      along(out, out, ac, vc * scale);
    }
  }
}

// The angle that a triangle subtends at one of its points.
static double triangle_angle(const snMeshTriangle* t, const double q[3], double near) {
  for (int k = 0; k < 3; k++) {
    if (distance2(t->v[k], q) > near * near) continue;
    double side[2][3];
    mju_sub3(side[0], t->v[(k + 1) % 3], t->v[k]);
    mju_sub3(side[1], t->v[(k + 2) % 3], t->v[k]);
    mju_normalize3(side[0]), mju_normalize3(side[1]);
    return sn_acos(sn_max(-1, sn_min(1, mju_dot3(side[0], side[1]))));
  }
  for (int k = 0; k < 3; k++) {
    double side[3], from[3], beside[3];
    mju_sub3(side, t->v[(k + 1) % 3], t->v[k]);
    mju_normalize3(side);
    mju_sub3(from, q, t->v[k]);
    mju_addScl3(beside, from, side, -mju_dot3(from, side));
    if (mju_dot3(beside, beside) <= near * near) return mjPI;
  }
  return 2 * mjPI;
}

typedef void (*snVisit)(const snMeshDistance* n, const snMeshTriangle* t, const double p[3],
                        void* state);

// Visits all triangles in boxes nearer than sqrt(*limit); visits may lower the limit.
static void tree_walk(const snMeshDistance* n, const double p[3], const double* limit,
                      snVisit visit, void* state) {
  int stack[2 * kDepth], top = 0;
  stack[top++] = 0;
  while (top) {
    int at = stack[--top];
    const snBox* box = &n->box[at];
    if (box_distance2(box, p) > *limit) continue;
    for (int i = 0; i < box->count; i++) visit(n, &n->triangle[box->first + i], p, state);
    if (box->count) continue;
    int one = at + 1, other = box->first;
    bool swap = box_distance2(&n->box[one], p) > box_distance2(&n->box[other], p);
    SN_ASSERT(top + 2 <= 2 * kDepth && one < n->boxes && other < n->boxes);
    stack[top++] = swap ? one : other;
    stack[top++] = swap ? other : one;
  }
}

typedef struct snFound_ {
  double limit, point[3], normal[3];
} snFound;

static void visit_nearest(const snMeshDistance* n, const snMeshTriangle* t, const double p[3],
                          void* state) {
  snFound* found = state;
  double q[3];
  triangle_point(t, p, q);
  double d2 = distance2(p, q);
  if (d2 >= found->limit) return;
  found->limit = d2;
  mju_copy3(found->point, q);
}

static void visit_normal(const snMeshDistance* n, const snMeshTriangle* t, const double p[3],
                         void* state) {
  snFound* found = state;
  double q[3];
  triangle_point(t, found->point, q);
  if (distance2(q, found->point) > n->near * n->near) return;
  mju_addToScl3(found->normal, t->normal, triangle_angle(t, q, n->near));
}

double nearest_distance(const snMeshDistance* n, const double p[3], double bound,
                        double gradient[3]) {
  // slightly larger, so that the nearest point itself is within the limit
  snFound found = {.limit = (bound + 4 * n->near) * (bound + 4 * n->near)};
  tree_walk(n, p, &found.limit, visit_nearest, &found);
  double distance = sqrt(found.limit), near2 = n->near * n->near;
  tree_walk(n, found.point, &near2, visit_normal, &found);
  double away[3];
  mju_sub3(away, p, found.point);
  double sign = mju_dot3(away, found.normal) < 0 ? -1 : 1;
  if (distance > n->near) {
    mju_scl3(gradient, away, sign / distance);
  } else {
    mju_copy3(gradient, found.normal);
    mju_normalize3(gradient);
  }
  return sign * distance;
}
