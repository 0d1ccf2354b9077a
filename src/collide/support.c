// Support functions of the convex shapes: h(d) is the point p of the shape with the largest d.p.
// Each is computed in the frame of the shape; in the world it is pos + R h(R'd).
//
// Hulls of meshes are the costly case. A small hull is scanned, four vertices in SIMD lanes; a
// large one is climbed along its edges from the last answer or from a vertex kept for the
// direction. On a convex hull a vertex without a higher neighbor is the highest, so every start
// gives the same height. Where several vertices have the same height (flat faces against flat
// faces) searches for contacts return the vertex that the released engine would, since it decides
// the contact point.
#include "collide/gjk.h"

snVec hull_point(const snHull* hull, int vertex) {
  return v3(hull->x[vertex], hull->y[vertex], hull->z[vertex]);
}

// The first vertex of largest dot product, four at a time. Lane k sees vertices k, k+4, ...; a lane
// keeps its first maximum, and among the lanes the lowest index wins, so the result is that of a
// scalar loop.
SN_INLINE int support_scan(const double* x, const double* y, const double* z, int npad,
                           const double* dir) {
  sn4 dx = sn4_set1(dir[0]), dy = sn4_set1(dir[1]), dz = sn4_set1(dir[2]);
  sn4 best = dx * sn4_load(x) + dy * sn4_load(y) + dz * sn4_load(z);
  sn4i at = {0, 1, 2, 3}, here = at;
  for (int i = 4; i < npad; i += 4) {
    here += 4;
    sn4 value = dx * sn4_load(x + i) + dy * sn4_load(y + i) + dz * sn4_load(z + i);
    sn4i more = value > best;
    best = sn4_select(more, value, best);
    at = (here & more) | (at & ~more);
  }
  int winner = 0;
  for (int k = 1; k < 4; k++) {
    if (best[k] > best[winner] || (best[k] == best[winner] && at[k] < at[winner])) winner = k;
  }
  return (int)at[winner];
}

SN_INLINE double hull_height(const snHull* hull, const double* dir, int v) {
  return dir[0] * hull->x[v] + dir[1] * hull->y[v] + dir[2] * hull->z[v];
}

// Heights d.p of a block of four neighbors.
SN_INLINE sn4 hull_block(const double* c, sn4 dx, sn4 dy, sn4 dz) {
  return dx * sn4_load(c) + dy * sn4_load(c + 4) + dz * sn4_load(c + 8);
}

// The highest neighbor of a vertex, the first of several; -1 when it has none. Eight at a time.
SN_INLINE int hull_neighbour(const snHull* hull, const double* dir, int at, double* height) {
  *height = -INFINITY;
  if (!hull->edge_adr) return -1;
  sn4 dx = sn4_set1(dir[0]), dy = sn4_set1(dir[1]), dz = sn4_set1(dir[2]);
  int best = -1, first = hull->edge_adr[at];
  int begin = hull->block_adr[at], end = hull->block_adr[at + 1];
  for (; begin < end; begin += 2, first += 8) {
    const double* c = hull->block + 12 * (size_t)begin;
    sn4 low = hull_block(c, dx, dy, dz);
    sn4 high = hull_block(begin + 1 < end ? c + 12 : c, dx, dy, dz);
    sn4 most = sn4_max(low, high);
    most = sn4_max(most, __builtin_shufflevector(most, most, 2, 3, 0, 1));
    most = sn4_max(most, __builtin_shufflevector(most, most, 1, 0, 3, 2));
    if (!(most[0] > *height)) continue;
    *height = most[0];
    best = first + __builtin_ctz(sn4_bits(low == most) | sn4_bits(high == most) << 4);
  }
  return best < 0 ? best : hull->edge[best];
}

// Climb along hull edges to the highest vertex. *second is the height of its highest neighbor.
SN_INLINE int support_climb(const snHull* hull, const double* dir, int start, double* second) {
  int at = start;
  for (double best = hull_height(hull, dir, at);; best = *second) {
    int next = hull_neighbour(hull, dir, at, second);
    if (!(*second > best)) return at;
    at = next;
  }
}

// The start of a climb in direction d: the vertex kept for the cell of a cube map that d points
// into.
SN_INLINE int support_start(const snHull* hull, const double* d) {
  double x = fabs(d[0]), y = fabs(d[1]), z = fabs(d[2]);
  int axis = x >= y ? 0 : 1;
  if (z > sn_max(x, y)) axis = 2;
  int second = axis < 2 ? axis + 1 : 0, third = axis ? axis - 1 : 2;
  // clamped, so that zero and NaN directions stay in bounds
  double scale = 0.5 * kHullCells / fabs(d[axis]), middle = 0.5 * kHullCells;
  int row = (int)sn_min(sn_max(d[second] * scale + middle, 0), kHullCells - 1);
  int column = (int)sn_min(sn_max(d[third] * scale + middle, 0), kHullCells - 1);
  return hull->start[((2 * axis + (d[axis] > 0)) * kHullCells + row) * kHullCells + column];
}

// The farthest vertex, and the height of its highest neighbor.
SN_INLINE int support_top(const snHull* hull, const double* d, int hint, double* second) {
  // a SIMD scan of a small hull is faster than a climb
  if (hull->npad <= kHullScan || !hull->edge_adr) {
    int v = support_scan(hull->x, hull->y, hull->z, hull->npad, d);
    v = v < hull->nvert ? v : hull->nvert - 1;
    hull_neighbour(hull, d, v, second);
    return v;
  }
  // the last answer is often still the highest
  double height = -INFINITY;
  if (hint >= 0 && hint < hull->nvert) {
    int next = hull_neighbour(hull, d, hint, second);
    if (!(*second > hull_height(hull, d, hint))) return hint;
    hint = next, height = *second;
  }
  int start = support_start(hull, d);
  return support_climb(hull, d, height > hull_height(hull, d, start) ? hint : start, second);
}

SN_KERNEL int support_hull(const snHull* hull, snVec dir) {
  double d[3] = {dir.x, dir.y, dir.z}, second;
  return support_top(hull, d, -1, &second);
}

// Of several vertices at one height the last answer, or else the first of the mesh.
SN_INLINE int support_first(const snHull* hull, const double* dir, int top, int hint) {
  double height = hull_height(hull, dir, top);
  if (hint >= 0 && hint < hull->nvert && hull_height(hull, dir, hint) == height) return hint;
  for (int i = 0; i < hull->nvert; i++) {
    if (hull->id[i] < hull->id[top] && hull_height(hull, dir, i) == height) top = i;
  }
  return top;
}

// The vertex where the climb of the released engine ends. That climb leaves its start, the last
// answer or the first vertex of the graph, for the highest neighbor in any case.
SN_INLINE int support_released(const snHull* hull, const double* dir, int hint) {
  double second;
  int at = hint >= 0 && hint < hull->nvert ? hint : 0;
  int next = hull_neighbour(hull, dir, at, &second);
  return next < 0 ? at : support_climb(hull, dir, next, &second);
}

// Relative difference of heights above which two vertices are not a tie.
static const double kTie = 1e-6;

// The vertex nearest to a plane. Of several at one height the one where the released climb ends,
// which starts at the first vertex of the graph.
SN_KERNEL int support_lowest(const snHull* hull, snVec dir) {
  double d[3] = {dir.x, dir.y, dir.z}, second;
  int top = support_top(hull, d, -1, &second);
  double height = hull_height(hull, d, top);
  bool unique = second < height - kTie * fabs(height) - hull->bend;
  return hull->edge_adr && (hull->bent || !unique) ? support_climb(hull, d, 0, &second) : top;
}

// The highest vertex. In a search for contacts, of several vertices at one height the one that the
// released engine takes: the first for a small mesh, otherwise where its climb ends. When all
// neighbors of the top are clearly lower (by more than its climb tolerates) the top is unique.
SN_KERNEL static int support_vertex(const snHull* hull, double x, double y, double z, int hint,
                                    bool contact) {
  double d[3] = {x, y, z}, second;
  bool climb = contact && !hull->small && hull->edge_adr;
  if (climb && hull->bent) return support_released(hull, d, hint);
  int top = support_top(hull, d, hint, &second);
  double height = hull_height(hull, d, top);
  if (second < height - kTie * fabs(height) - hull->bend) return top;
  if (climb) return support_released(hull, d, hint);
  return hull->small ? support_first(hull, d, top, hint) : top;
}

SN_INLINE int support_points(const snShape* shape, snVec dir) {
  int best = 0;
  double top = v_dot(v_of(shape->point), dir);
  for (int i = 1; i < shape->npoint; i++) {
    double value = v_dot(v_of(shape->point + 3 * i), dir);
    if (value > top) {
      top = value;
      best = i;
    }
  }
  return best;
}

// The support point of a prism: three vertices below, three above.
SN_INLINE snVec support_prism(const double* point, snVec dir) {
  const double* best = dir.z < 0 ? point : point + 9;
  double top = v_dot(v_of(best), dir);
  for (int i = 1; i < 3; i++) {
    const double* p = (dir.z < 0 ? point : point + 9) + 3 * i;
    double value = v_dot(v_of(p), dir);
    if (value > top) top = value, best = p;
  }
  return v_of(best);
}

snVec support_center(const snShape* shape) {
  if (shape->type == mjGEOM_HFIELD) {
    snVec sum = v_of(shape->point);
    for (int i = 1; i < 6; i++) sum = v_add(sum, v_of(shape->point + 3 * i));
    return v_scale(sum, 1.0 / 6);
  }
  if (shape->type != mjGEOM_TRIANGLE) return v_of(shape->pos);
  return v_add(v_of(shape->pos), m_mul(shape->mat, v_of(shape->aabb)));
}

double support_radius(const snShape* shape) {
  switch (shape->type) {
    case mjGEOM_SPHERE:
    case mjGEOM_CAPSULE:
      return shape->size[0];
    default:
      return 0;
  }
}

double support_around(const snShape* shape) { return support_radius(shape) + shape->skin; }

SN_INLINE snVec core_point(const snShape* shape, snVec dir, int* hint, bool contact) {
  if (shape->type == mjGEOM_HFIELD) return support_prism(shape->point, dir);
  snVec pos = v_of(shape->pos);
  const double* R = shape->mat;
  const double* size = shape->size;
  static const double kSign[2] = {-1, 1};
  snVec local, p;
  switch (shape->type) {
    case mjGEOM_SPHERE:
      return pos;
    case mjGEOM_CAPSULE: {
      snVec axis = m_axis(R, 2);
      return v_along(pos, v_dot(axis, dir) >= 0 ? size[1] : -size[1], axis);
    }
    case mjGEOM_ELLIPSOID: {
      // p = S^2 d / |S d|
      local = m_mul_t(R, dir);
      snVec s = v3(local.x * size[0], local.y * size[1], local.z * size[2]);
      double length = v_norm(s), inverse = 1 / length;
      if (length < mjMINVAL) s = v3(1, 0, 0), inverse = 1;
      p = v3(size[0] * inverse * s.x, size[1] * inverse * s.y, size[2] * inverse * s.z);
      return v_add(pos, m_mul(R, p));
    }
    case mjGEOM_CYLINDER: {
      local = m_mul_t(R, dir);
      double across = sqrt(local.x * local.x + local.y * local.y);
      double scale = across > mjMINVAL ? size[0] / across : 0;
      // a direction normal to the axis: the middle of the side, as released
      double end = local.z > 0 ? size[1] : local.z < 0 ? -size[1] : 0;
      p = v3(local.x * scale, local.y * scale, end);
      return v_add(pos, m_mul(R, p));
    }
    case mjGEOM_BOX:
      local = m_mul_t(R, dir);
      // a table instead of a branch, which would be mispredicted
      p = v3(size[0] * kSign[local.x >= 0], size[1] * kSign[local.y >= 0],
             size[2] * kSign[local.z >= 0]);
      return v_add(pos, m_mul(R, p));
    case mjGEOM_TRIANGLE:
      local = m_mul_t(R, dir);
      p = v_of(shape->point + 3 * support_points(shape, local));
      return v_add(pos, m_mul(R, p));
    default:
      local = m_mul_t(R, dir);
      *hint = support_vertex(shape->hull, local.x, local.y, local.z, *hint, contact);
      return v_add(pos, m_mul(R, hull_point(shape->hull, *hint)));
  }
}

snVec support_core(const snShape* shape, snVec dir, int* hint) {
  return core_point(shape, dir, hint, false);
}

// The farthest point of a shape, with its radius where `whole`, inflated by `skin`. A capsule is
// measured in its own frame, and the radius is added before the skin, as released: in symmetric
// poses faces of EPA are at one distance but for rounding, which decides between them.
SN_INLINE snVec inflated_point(const snShape* shape, double skin, bool whole, snVec dir, int* hint,
                               bool contact) {
  snVec p;
  if (whole && shape->type == mjGEOM_CAPSULE) {
    double radius = shape->size[0], end = shape->size[1];
    snVec local = m_mul_t(shape->mat, dir);
    p = v3(local.x * radius, local.y * radius, local.z * radius + (local.z >= 0 ? end : -end));
    p = v_add(v_of(shape->pos), m_mul(shape->mat, p));
  } else {
    p = core_point(shape, dir, hint, contact);
    if (whole && shape->type == mjGEOM_SPHERE) p = v_along(p, shape->size[0], dir);
  }
  return skin > 0 ? v_along(p, skin, dir) : p;
}

void gjk_query(snGjk* g, double x, double y, double z, snMink* p) {
  snVec dir = v3(x, y, z);
  g->queries++;
  bool contact = g->gap > 0;
  p->a = inflated_point(g->a, g->skin_a, g->whole, dir, &g->hint_a, contact);
  p->b = inflated_point(g->b, g->skin_b, g->whole, v_neg(dir), &g->hint_b, contact);
  p->w = v_sub(p->a, p->b);
  if (g->trace) trace_query(g->trace, dir, p);
}
