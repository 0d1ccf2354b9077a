// A plane against every other type, in closed form. The plane is the half space z <= 0 of its
// frame: its normal n is the z axis of the frame, and the height of a point p is n.(p - plane). A
// touch is a point of the other shape with a height of at most the margin.
#include "collide/narrow.h"
#include "collide/support.h"

// Below this sine of its tilt a cylinder counts as upright.
static const double kUpright = 1e-10;

// Further vertices of a mesh must be this far from the first contact, in bounding radii; as
// released.
static const double kVertexSpread = 0.3;

SN_INLINE double plane_height(const snShape* plane, snVec p) {
  return v_dot(m_axis(plane->mat, 2), v_sub(p, v_of(plane->pos)));
}

// The point p touches when its height is at most the margin.
static bool plane_touch(snTouchList* list, const snShape* plane, snVec p, double margin) {
  double height = plane_height(plane, p);
  if (height > margin) {
    touch_miss(list, height - margin);
    return false;
  }
  snVec n = m_axis(plane->mat, 2);
  touch_add(list, height, v_along(p, -0.5 * height, n), n);
  return true;
}

// Sums go in the released order, so that a ball placed exactly by its radius and margin touches
// here too.
static bool plane_ball(snTouchList* list, const snShape* plane, snVec center, double radius,
                       double margin) {
  snVec n = m_axis(plane->mat, 2);
  double height = plane_height(plane, center), dist = height - radius;
  if (height > margin + radius) {
    touch_miss(list, dist - margin);
    return false;
  }
  touch_add(list, dist, v_along(center, -(radius + 0.5 * dist), n), n);
  return true;
}

void collide_plane_sphere(snTouchList* list, const snShape* a, const snShape* b, double margin) {
  plane_ball(list, a, v_of(b->pos), b->size[0], margin);
}

// The balls at the two ends; both contacts have the capsule's axis as first tangent.
void collide_plane_capsule(snTouchList* list, const snShape* a, const snShape* b, double margin) {
  snVec axis = m_axis(b->mat, 2), center = v_of(b->pos);
  for (int end = 0; end < 2; end++) {
    snVec p = v_along(center, end ? -b->size[1] : b->size[1], axis);
    if (plane_ball(list, a, p, b->size[0], margin) && !list->failed) {
      list->touch[list->n - 1].tangent = axis;
    }
  }
}

// The cylinder touches with the rim of the disk that faces the plane. With c the axis directed
// towards the plane and r = radius unit((c.n) c - n), the lowest rim points of the two disks are
// center +- half c + r; two more rim points of the lower disk complete an equilateral triangle.
void collide_plane_cylinder(snTouchList* list, const snShape* a, const snShape* b, double margin) {
  snVec n = m_axis(a->mat, 2), axis = m_axis(b->mat, 2), center = v_of(b->pos);
  double radius = b->size[0], slope = v_dot(n, axis);
  if (slope > 0) {
    axis = v_neg(axis);
    slope = -slope;
  }
  snVec down = v_sub(v_scale(axis, slope), n);
  double length = v_norm(down);
  if (length < kUpright) {
    // upright: remove the component along the axis, which is rounding and would shift the whole rim
    down = v_along(down, -v_dot(down, axis), axis);
    length = v_norm(down);
  }
  snVec rim =
      length < mjMINVAL ? v_scale(m_axis(b->mat, 0), radius) : v_scale(down, radius / length);
  snVec near = v_along(center, b->size[1], axis), far = v_along(center, -b->size[1], axis);
  if (!plane_touch(list, a, v_add(near, rim), margin)) return;
  plane_touch(list, a, v_add(far, rim), margin);
  snVec side = v_scale(v_cross(rim, axis), 0.5 * sqrt(3.0));
  snVec back = v_along(near, -0.5, rim);
  if (plane_touch(list, a, v_add(back, side), margin)) {
    plane_touch(list, a, v_sub(back, side), margin);
  }
}

// The corners whose height is not above that of the center, at most four.
void collide_plane_box(snTouchList* list, const snShape* a, const snShape* b, double margin) {
  snVec n = m_axis(a->mat, 2), center = v_of(b->pos);
  double height = plane_height(a, center);
  int found = 0;
  for (int i = 0; i < 8 && found < 4; i++) {
    snVec corner = v3(i & 1 ? b->size[0] : -b->size[0], i & 2 ? b->size[1] : -b->size[1],
                      i & 4 ? b->size[2] : -b->size[2]);
    snVec offset = m_mul(b->mat, corner);
    double below = v_dot(n, offset);
    double dist = height + below;
    if (dist > margin || below > 0) {
      touch_miss(list, dist - margin);
      continue;
    }
    touch_add(list, dist, v_along(v_add(center, offset), -0.5 * dist, n), n);
    found++;
  }
}

// ---- all around the foot of a mesh, for friction that holds

enum { kFootPoints = 12, kMostFoot = 96 };

// Below this slope from the lowest vertex another one is of the same foot.
static const double kFootSlope = 0.02;

// Vertices of a hull within the margin of a plane, and level with the first of them, which is the
// lowest. They hang together by edges.
typedef struct snFoot_ {
  snVec up;          // normal of the plane in the frame of the mesh, as all points are
  double low, most;  // heights over the centre of the mesh: of the lowest vertex, and of the margin
  double far2;       // square of how far from the lowest vertex the farthest is
  int n, vertex[kMostFoot];
  snVec point[kMostFoot];
} snFoot;

// How far a point of the foot is from the lowest one, squared; -1: it is no point of the foot.
SN_INLINE double foot_far(const snFoot* foot, snVec p) {
  double height = v_dot(foot->up, p), rise = height - foot->low;
  double far2 = v_norm2(v_sub(p, foot->point[0]));
  return height > foot->most || rise * rise > kFootSlope * kFootSlope * far2 ? -1 : far2;
}

SN_INLINE void foot_add(snFoot* foot, const snHull* hull, int vertex) {
  snVec p = hull_point(hull, vertex);
  double far2 = foot_far(foot, p);
  if (far2 < 0) return;
  for (int i = 0; i < foot->n; i++) {
    if (foot->vertex[i] == vertex) return;
  }
  if (foot->n == kMostFoot) return;
  foot->far2 = fmax(foot->far2, far2);
  foot->vertex[foot->n] = vertex;
  foot->point[foot->n++] = p;
}

// Does the foot reach as far as `wide`? From vertex to vertex, always away from the lowest one: feet
// of curved meshes are small, and are known by this before they are listed.
static bool foot_reaches(const snFoot* foot, const snHull* hull, double wide) {
  double far2 = 0;
  for (int at = foot->vertex[0], next = at; next >= 0 && far2 < wide * wide; at = next) {
    next = -1;
    for (int k = hull->edge_adr[at]; k < hull->edge_adr[at + 1]; k++) {
      double found = foot_far(foot, hull_point(hull, hull->edge[k]));
      if (found > far2) far2 = found, next = hull->edge[k];
    }
    if (next < 0) break;
  }
  return far2 >= wide * wide;
}

// All of n points while they are few: which of many are farthest may change from step to step, and
// contacts that come and go shake what they carry. Of more, those farthest in eight directions
// across `normal`, from the first axis that lies across it.
static int spread(const snVec* point, int n, snVec normal, int chosen[kFootPoints]) {
  enum { kDirections = 8 };
  static const double kTurn[kDirections] = {1,  M_SQRT1_2,  0, -M_SQRT1_2,
                                            -1, -M_SQRT1_2, 0, M_SQRT1_2};
  if (n <= kFootPoints) {
    for (int i = 0; i < n; i++) chosen[i] = i;
    return n;
  }
  snVec axis = fabs(normal.x) > 0.8 ? v3(0, 1, 0) : v3(1, 0, 0);
  axis = v_along(axis, -v_dot(axis, normal), normal);
  axis = v_scale(axis, 1 / v_norm(axis));
  snVec side = v_cross(normal, axis);
  int found = 0;
  for (int k = 0; k < kDirections; k++) {
    double sine = kTurn[(k + kDirections - 2) % kDirections];
    snVec dir = v_along(v_scale(axis, kTurn[k]), sine, side);
    int best = 0;
    for (int i = 1; i < n; i++) {
      if (v_dot(dir, point[i]) > v_dot(dir, point[best])) best = i;
    }
    bool known = false;
    for (int i = 0; i < found; i++) known |= chosen[i] == best;
    if (!known) chosen[found++] = best;
  }
  return found;
}

// The points all around a flat foot: a mesh with a few of its corners on the plane rocks over the
// others. False when the mesh has no foot that is wide and has more than three corners.
static bool touch_around(snTouchList* list, const snShape* plane, const snShape* b, int low,
                         double margin) {
  const snHull* hull = b->hull;
  snVec up = m_mul_t(b->mat, m_axis(plane->mat, 2));
  double wide = kVertexSpread * b->rbound;
  snFoot foot;
  foot.up = up;
  foot.n = 1;
  foot.far2 = 0;
  foot.vertex[0] = low;
  foot.point[0] = hull_point(hull, low);
  foot.low = v_dot(up, foot.point[0]);
  foot.most = margin - plane_height(plane, v_of(b->pos));
  if (foot.low > foot.most) return false;
  if (hull->edge_adr && !foot_reaches(&foot, hull, wide)) return false;
  for (int i = 0; i < foot.n && hull->edge_adr; i++) {
    int v = foot.vertex[i];
    for (int k = hull->edge_adr[v]; k < hull->edge_adr[v + 1]; k++) {
      foot_add(&foot, hull, hull->edge[k]);
    }
  }
  for (int v = 0; v < hull->nvert && !hull->edge_adr; v++) foot_add(&foot, hull, v);
  if (foot.n < 4 || foot.far2 < wide * wide) return false;
  int chosen[kFootPoints], found = spread(foot.point, foot.n, up, chosen);
  for (int i = 0; i < found && !list->failed; i++) {
    snVec p = v_add(v_of(b->pos), m_mul(b->mat, foot.point[chosen[i]]));
    plane_touch(list, plane, p, margin);
  }
  return true;
}

// An ellipsoid touches at one point; a mesh at its lowest vertex and at up to two neighbors of that
// vertex that are within the margin and far enough from the first contact.
void collide_plane_convex(snTouchList* list, const snShape* a, const snShape* b, double margin) {
  snVec n = m_axis(a->mat, 2);
  int low = -1;
  snVec p;
  if (b->type == mjGEOM_MESH) {
    low = support_lowest(b->hull, m_mul_t(b->mat, v_neg(n)));
    p = v_add(v_of(b->pos), m_mul(b->mat, hull_point(b->hull, low)));
  } else {
    p = support_core(b, v_neg(n), &low);
  }
  int first = list->n;
  bool mesh = b->type == mjGEOM_MESH;
  if (list->whole && mesh && touch_around(list, a, b, low, margin)) return;
  if (!plane_touch(list, a, p, margin) || !mesh || list->failed) return;

  const snHull* hull = b->hull;
  double apart = kVertexSpread * b->rbound;
  int begin = hull->edge_adr ? hull->edge_adr[low] : 0;
  int end = hull->edge_adr ? hull->edge_adr[low + 1] : hull->nvert;
  for (int k = begin; k < end && list->n < first + 3 && !list->failed; k++) {
    int v = hull->edge_adr ? hull->edge[k] : k;
    if (v == low) continue;
    p = v_add(v_of(b->pos), m_mul(b->mat, hull_point(hull, v)));
    bool close = v_norm(v_sub(p, list->touch[first].pos)) < apart;
    if (!close) plane_touch(list, a, p, margin);
  }
}
