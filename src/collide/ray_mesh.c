// Rays against triangles: meshes over their bounding volume hierarchy, height fields cell by cell
// along the ray, skins and flexes one element after another.
#include "collide/ray.h"
#include "model/model.h"

static snVec inverse_of(snVec v) { return v3(1 / v.x, 1 / v.y, 1 / v.z); }

// Is an index in range? Contents of meshes are too large for the model's memcmp (model/watch.c), so
// indices that a program may have overwritten are checked where they are followed.
static inline bool below(int i, int count) { return (unsigned)i < (unsigned)count; }

double ray_mesh(const mjModel* m, const mjData* d, int geom, snVec point, snVec direction,
                double limit) {
  int mesh = m->geom_dataid[geom];
  if (!model_mesh_holds(m, mesh)) return -1;
  const double* mat = d->geom_xmat + 9 * geom;
  snVec p = m_mul_t(mat, v_sub(point, v_of(d->geom_xpos + 3 * geom)));
  snVec v = m_mul_t(mat, direction);
  const float* vert = m->mesh_vert + 3 * m->mesh_vertadr[mesh];
  const int* face = m->mesh_face + 3 * m->mesh_faceadr[mesh];
  double best = limit;
  bool hit = false;

  // depth first, nearer child first; at most one sibling per level waits on the stack with its
  // entry
  int adr = m->mesh_bvhadr[mesh], num = m->mesh_bvhnum[mesh], stack[2 * mjMAXTREEDEPTH + 2],
      top = 0;
  double entry[2 * mjMAXTREEDEPTH + 2];
  int nface = m->mesh_facenum[mesh], nvert = m->mesh_vertnum[mesh];
  if (!num) return -1;
  const double* aabb = m->bvh_aabb + 6 * (size_t)adr;
  const int* child = m->bvh_child + 2 * (size_t)adr;
  const int* node_face = m->bvh_nodeid + adr;
  snVec inverse = inverse_of(v);
  stack[top] = 0;
  entry[top++] = ray_slab(aabb, p, inverse, best);
  while (top) {
    int node = stack[--top];
    if (!(entry[top] <= best * (1 + kSlabSlack)) || entry[top] == INFINITY) continue;
    if (node_face[node] >= 0) {
      if (!below(node_face[node], nface)) continue;
      const int* f = face + 3 * node_face[node];
      if (!below(f[0], nvert) || !below(f[1], nvert) || !below(f[2], nvert)) continue;
      double x = ray_triangle(v_of_float(vert + 3 * f[0]), v_of_float(vert + 3 * f[1]),
                              v_of_float(vert + 3 * f[2]), p, v);
      if (x >= 0 && x < best) best = x, hit = true;
      continue;
    }
    int near = child[2 * node], far = child[2 * node + 1];
    // children have larger indices than their parent, so the walk ends even in a corrupted tree
    if (near <= node || near >= num) near = -1;
    if (far <= node || far >= num) far = -1;
    double to_near = near < 0 ? INFINITY : ray_slab(aabb + 6 * near, p, inverse, best);
    double to_far = far < 0 ? INFINITY : ray_slab(aabb + 6 * far, p, inverse, best);
    if (to_far < to_near) {
      int other = near;
      near = far;
      far = other;
      double enter = to_near;
      to_near = to_far;
      to_far = enter;
    }
    if (top > 2 * mjMAXTREEDEPTH) break;
    SN_ASSERT(!(to_far < to_near));  // the nearer child is on top
    if (to_far < INFINITY) stack[top] = far, entry[top++] = to_far;
    if (to_near < INFINITY) stack[top] = near, entry[top++] = to_near;
  }
  return hit ? best : -1;
}

mjtNum mj_rayMesh(const mjModel* m, const mjData* d, int geomid, const mjtNum pnt[3],
                  const mjtNum vec[3]) {
  if (m->geom_type[geomid] != mjGEOM_MESH && m->geom_type[geomid] != mjGEOM_SDF) {
    mju_error("mj_rayMesh: geom %d is not a mesh", geomid);
    return -1;
  }
  return ray_mesh(m, d, geomid, v_of(pnt), v_of(vec), INFINITY);
}

typedef struct snRayGrid_ {
  const float* data;
  int nrow, ncol;
  double dx, dy;
  const double* size;
} snRayGrid;

// A ray this close to the border of a cell, in cells, is tested against both neighbors.
static const double kCellSlack = 1e-9;

// The cells that the interval [a, b] of a coordinate covers or touches.
static inline void cells(double a, double b, double half, double step, int count, int* first,
                         int* last) {
  // NaN and coordinates outside the grid give an empty range
  double low = floor((sn_min(a, b) + half) / step - kCellSlack);
  double high = floor((sn_max(a, b) + half) / step + kCellSlack);
  *first = low > 0 ? (low < count ? (int)low : count) : 0;
  *last = high >= 0 ? (high < count - 2 ? (int)high : count - 2) : -1;
}

// The nearest hit of p + t v, t in [t0, t1], with the two triangles of each cell. Rows are walked
// along the ray, and in each row only the columns that the ray crosses; the first row with a hit is
// the last.
static double ray_surface(const snRayGrid* s, snVec p, snVec v, double t0, double t1) {
  int r0, r1, c0, c1;
  cells(p.y + t0 * v.y, p.y + t1 * v.y, s->size[1], s->dy, s->nrow, &r0, &r1);
  double best = -1;
  bool slanted = fabs(v.y) >= mjMINVAL;
  int way = v.y < 0 ? -1 : 1;
  for (int k = 0; k <= r1 - r0 && best < 0; k++) {
    int r = way > 0 ? r0 + k : r1 - k;
    double y0 = s->dy * r - s->size[1], y1 = s->dy * (r + 1) - s->size[1];
    double a = t0, b = t1;
    if (slanted) {
      double margin = kCellSlack * s->dy;
      a = sn_max(t0, ((way > 0 ? y0 - margin : y1 + margin) - p.y) / v.y);
      b = sn_min(t1, ((way > 0 ? y1 + margin : y0 - margin) - p.y) / v.y);
    }
    cells(p.x + a * v.x, p.x + b * v.x, s->size[0], s->dx, s->ncol, &c0, &c1);
    for (int c = c0; c <= c1; c++) {
      double x0 = s->dx * c - s->size[0], x1 = s->dx * (c + 1) - s->size[0], h = s->size[2];
      const float* z = s->data + r * s->ncol + c;
      snVec p00 = v3(x0, y0, z[0] * h), p10 = v3(x1, y0, z[1] * h);
      snVec p01 = v3(x0, y1, z[s->ncol] * h), p11 = v3(x1, y1, z[s->ncol + 1] * h);
      double t = ray_triangle(p00, p10, p11, p, v);
      if (t >= 0 && (best < 0 || t < best)) best = t;
      t = ray_triangle(p00, p11, p01, p, v);
      if (t >= 0 && (best < 0 || t < best)) best = t;
    }
  }
  return best;
}

// A height field is its surface, the sides below the edge of the surface, and a base box from
// -size[3] to 0.
mjtNum mj_rayHfield(const mjModel* m, const mjData* d, int geomid, const mjtNum pnt[3],
                    const mjtNum vec[3]) {
  if (m->geom_type[geomid] != mjGEOM_HFIELD) {
    mju_error("mj_rayHfield: geom %d is not a height field", geomid);
    return -1;
  }
  int id = m->geom_dataid[geomid];
  int nrow = m->hfield_nrow[id], ncol = m->hfield_ncol[id];
  const double* size = m->hfield_size + 4 * id;
  const float* data = m->hfield_data + m->hfield_adr[id];
  const double* mat = d->geom_xmat + 9 * geomid;
  snVec p = m_mul_t(mat, v_sub(v_of(pnt), v_of(d->geom_xpos + 3 * geomid)));
  snVec v = m_mul_t(mat, v_of(vec));
  double best = -1;

  // base: a box from -size[3] to 0
  double base_size[3] = {size[0], size[1], 0.5 * size[3]}, base_pos[3] = {0, 0, -0.5 * size[3]};
  double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, pl[3], vl[3];
  v_store(pl, p);
  v_store(vl, v);
  double x = mju_rayGeom(base_pos, identity, base_size, pl, vl, mjGEOM_BOX);
  if (x >= 0) best = x;

  // the part of the ray within the box of the surface
  double aabb[6] = {0, 0, 0.5 * size[2], size[0], size[1], 0.5 * size[2]};
  snVec inverse = inverse_of(v);
  if (ray_slab(aabb, p, inverse, INFINITY) == INFINITY) return best;
  double t0 = 0, t1 = INFINITY;
  const double low[3] = {-size[0], -size[1], 0}, high[3] = {size[0], size[1], size[2]};
  for (int i = 0; i < 3; i++) {
    double vi = v_get(v, i), pi = v_get(p, i);
    if (fabs(vi) < mjMINVAL) continue;
    double a = (low[i] - pi) / vi, b = (high[i] - pi) / vi;
    t0 = sn_max(t0, sn_min(a, b));
    t1 = sn_min(t1, sn_max(a, b));
  }
  if (!isfinite(t1)) return best;
  double dx = 2 * size[0] / (ncol - 1), dy = 2 * size[1] / (nrow - 1);
  snRayGrid surface = {data, nrow, ncol, dx, dy, size};
  x = ray_surface(&surface, p, v, t0, t1);
  if (x >= 0 && (best < 0 || x < best)) best = x;

  // sides: from z = 0 up to the edge of the surface
  for (int axis = 0; axis < 2; axis++) {
    double vi = axis ? v.y : v.x, pi = axis ? p.y : p.x;
    if (fabs(vi) < mjMINVAL) continue;
    for (int side = 0; side < 2; side++) {
      double t = ((side ? size[axis] : -size[axis]) - pi) / vi;
      if (t < 0 || (best >= 0 && t >= best)) continue;
      double along = axis ? p.x + t * v.x : p.y + t * v.y, z = p.z + t * v.z;
      double step = axis ? dx : dy, half = size[1 - axis];
      int n = axis ? ncol : nrow;
      double cell = (along + half) / step;
      if (!(cell >= 0 && cell <= n - 1) || z < 0) continue;
      int k = (int)floor(cell);
      if (k > n - 2) k = n - 2;
      int fixed = side ? (axis ? nrow - 1 : ncol - 1) : 0;
      double za = axis ? data[fixed * ncol + k] : data[k * ncol + fixed];
      double zb = axis ? data[fixed * ncol + k + 1] : data[(k + 1) * ncol + fixed];
      double top = size[2] * (za + (zb - za) * (cell - k));
      if (z < top) best = t;
    }
  }
  return best;
}

mjtNum mju_raySkin(int nface, int nvert, const int* face, const float* vert, const mjtNum pnt[3],
                   const mjtNum vec[3], int vertid[1]) {
  snVec p = v_of(pnt), v = v_of(vec);
  double best = -1;
  for (int i = 0; i < nface; i++) {
    const int* f = face + 3 * i;
    double x = ray_triangle(v_of_float(vert + 3 * f[0]), v_of_float(vert + 3 * f[1]),
                            v_of_float(vert + 3 * f[2]), p, v);
    if (x < 0 || (best >= 0 && x >= best)) continue;
    best = x;
    if (!vertid) continue;
    snVec hit = v_along(p, x, v);
    double nearest = INFINITY;
    for (int k = 0; k < 3; k++) {
      double gap = v_norm2(v_sub(v_of_float(vert + 3 * f[k]), hit));
      if (gap < nearest) {
        nearest = gap;
        vertid[0] = f[k];
      }
    }
  }
  return best;
}

// A flex has vertices (spheres), edges (capsules) and faces without thickness; the flags select
// which of them count. Faces of a solid flex are those of elements in the given layer. A skin is
// faces and rounded edges.
mjtNum mju_rayFlex(const mjModel* m, const mjData* d, int flex_layer, mjtByte flg_vert,
                   mjtByte flg_edge, mjtByte flg_face, mjtByte flg_skin, int flexid,
                   const mjtNum* pnt, const mjtNum* vec, int vertid[1]) {
  snVec p = v_of(pnt), v = v_of(vec);
  int dim = m->flex_dim[flexid];
  const double* vert = d->flexvert_xpos + 3 * (size_t)m->flex_vertadr[flexid];
  double radius = m->flex_radius[flexid], best = -1;

#define HIT(x, count, ...)                                               \
  do {                                                                   \
    double t_ = (x);                                                     \
    if (t_ >= 0 && (best < 0 || t_ < best)) {                            \
      best = t_;                                                         \
      if (vertid) {                                                      \
        const int among[] = {__VA_ARGS__};                               \
        snVec at_ = v_along(p, t_, v);                                   \
        double nearest_ = INFINITY;                                      \
        for (int q_ = 0; q_ < (count); q_++) {                           \
          double gap_ = v_norm2(v_sub(v_of(vert + 3 * among[q_]), at_)); \
          if (gap_ < nearest_) nearest_ = gap_, vertid[0] = among[q_];   \
        }                                                                \
      }                                                                  \
    }                                                                    \
  } while (0)

  if (flg_vert) {
    for (int i = 0; i < m->flex_vertnum[flexid]; i++) {
      HIT(ray_sphere(p, v, v_of(vert + 3 * i), radius), 1, i);
    }
  }
  if (flg_edge || (flg_skin && dim > 1)) {
    for (int i = 0; i < m->flex_edgenum[flexid]; i++) {
      const int* e = m->flex_edge + 2 * (m->flex_edgeadr[flexid] + i);
      snVec a = v_of(vert + 3 * e[0]), b = v_of(vert + 3 * e[1]);
      snVec axis = v_sub(b, a);
      double length = v_norm(axis);
      if (length < mjMINVAL) continue;
      axis = v_scale(axis, 1 / length);
      snVec u = fabs(axis.x) < 0.5 ? v3(1, 0, 0) : v3(0, 1, 0);
      u = v_along(u, -v_dot(u, axis), axis);
      u = v_scale(u, 1 / v_norm(u));
      snVec w = v_cross(axis, u), o = v_sub(p, v_scale(v_add(a, b), 0.5));
      HIT(ray_capsule(v3(v_dot(o, u), v_dot(o, w), v_dot(o, axis)),
                      v3(v_dot(v, u), v_dot(v, w), v_dot(v, axis)), radius, 0.5 * length),
          2, e[0], e[1]);
    }
  }
  if (dim > 1 && (flg_face || flg_skin)) {
    const int* element = m->flex_elem + m->flex_elemdataadr[flexid];
    const int* layer = m->flex_elemlayer + m->flex_elemadr[flexid];
    for (int i = 0; i < m->flex_elemnum[flexid]; i++) {
      if (dim == 3 && !flg_skin && layer[i] != flex_layer) continue;
      const int* e = element + (dim + 1) * i;
      static const int kFace[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 1, 3}, {1, 2, 3}};
      for (int f = 0; f < (dim == 3 ? 4 : 1); f++) {
        int a = e[kFace[f][0]], b = e[kFace[f][1]], c = e[kFace[f][2]];
        snVec pa = v_of(vert + 3 * a), pb = v_of(vert + 3 * b), pc = v_of(vert + 3 * c);
        HIT(ray_triangle(pa, pb, pc, p, v), 3, a, b, c);
      }
    }
  }
#undef HIT
  return best;
}
