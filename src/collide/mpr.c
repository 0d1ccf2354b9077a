// Minkowski portal refinement (MPR), used when `nativeccd` is disabled.
//
// The Minkowski difference C = A - B contains the origin when the shapes overlap. A ray goes from a
// point v0 inside C through the origin; a portal is a triangle of support points that the ray
// passes through. The portal is moved outward by support points in the direction of its normal
// until it lies on the surface of C. The depth is then the distance of the portal from the origin,
// and the normal that of the portal, or the normal of the curved shapes at the contact point
// (curved_normal.c).
#include "collide/mpr.h"

#include "collide/curved_normal.h"

// Squared sine of the angle between v0 and v1 below which the ray passes through v1.
static const double kAligned2 = 1e-24;

// Concentric shapes have v0 = 0, which gives no ray: v0 is moved by this along x, as released.
static const double kOffCenter = 1e-5;

typedef struct snPortalVertex_ {
  snVec a, b, v;  // support points of the two shapes, v = a - b
} snPortalVertex;

typedef struct snPortal_ {
  const snShape *a, *b;
  double grow_a, grow_b;  // inflation: half of the margin for each shape
  int hint_a, hint_b;
} snPortal;

// The support point of a shape, rounded as in the released pipeline of this name: where a portal
// holds both ends of an edge, its normal is across the edge, and the last bit says which is taken.
static snVec portal_support(const snShape* shape, snVec dir, int* hint) {
  if (shape->type != mjGEOM_CYLINDER) return support_core(shape, dir, hint);
  snVec local = m_mul_t(shape->mat, dir);
  double across = sqrt(local.x * local.x + local.y * local.y), radius = shape->size[0];
  if (across < mjMINVAL) return support_core(shape, dir, hint);
  double end = local.z > 0 ? shape->size[1] : local.z < 0 ? -shape->size[1] : 0;
  snVec p = v3(local.x / across * radius, local.y / across * radius, end);
  return v_add(v_of(shape->pos), m_mul(shape->mat, p));
}

// In a direction of length 1.
static snPortalVertex corner_along(snPortal* p, snVec dir) {
  snPortalVertex c;
  c.a = portal_support(p->a, dir, &p->hint_a);
  c.a = v_along(c.a, support_around(p->a) + p->grow_a, dir);
  c.b = portal_support(p->b, v_neg(dir), &p->hint_b);
  c.b = v_along(c.b, -support_around(p->b) - p->grow_b, dir);
  c.v = v_sub(c.a, c.b);
  return c;
}

static snPortalVertex corner_toward(snPortal* p, snVec dir) {
  v_normalize(&dir);
  return corner_along(p, dir);
}

// Barycentric weights of the point of triangle abc nearest to the origin.
static void origin_weights(snVec a, snVec b, snVec c, double w[3]) {
  const snVec v[3] = {a, b, c};
  snVec n = v_cross(v_sub(b, a), v_sub(c, a));
  double n2 = v_norm2(n), best = INFINITY;
  bool inside = n2 > 0;
  double area[3];
  for (int k = 0; k < 3; k++) {
    snVec p = v[(k + 1) % 3], q = v[(k + 2) % 3], e = v_sub(q, p);
    area[k] = v_dot(v_cross(p, q), n) / (n2 > 0 ? n2 : 1);
    inside = inside && area[k] >= 0;
    double e2 = v_norm2(e), t = e2 > 0 ? clamp(-v_dot(p, e) / e2, 0, 1) : 0;
    double d2 = v_norm2(v_along(p, t, e));
    if (d2 >= best) continue;
    best = d2;
    w[k] = 0, w[(k + 1) % 3] = 1 - t, w[(k + 2) % 3] = t;
  }
  if (inside) memcpy(w, area, sizeof area);
}

// Find a portal around the ray from v0 through the origin; false when a plane separates the shapes.
// `line`: the ray passes through v[1] itself.
static bool portal_find(snPortal* p, snPortalVertex v[4], int iterations, bool* line) {
  *line = false;
  snVec dir = v_neg(v[0].v);
  v[1] = corner_toward(p, dir);
  if (v_dot(v[1].v, dir) <= 0) return false;
  dir = v_cross(v[0].v, v[1].v);
  if (v_norm2(dir) < kAligned2 * v_norm2(v[0].v) * v_norm2(v[1].v)) {
    *line = true;
    return true;
  }
  v[2] = corner_toward(p, dir);
  if (v_dot(v[2].v, dir) <= 0) return false;
  dir = v_cross(v_sub(v[1].v, v[0].v), v_sub(v[2].v, v[0].v));
  if (v_dot(dir, v[0].v) > 0) {
    snPortalVertex swap = v[1];
    v[1] = v[2];
    v[2] = swap;
    dir = v_neg(dir);
  }
  for (int k = 0; k < iterations; k++) {
    v[3] = corner_toward(p, dir);
    if (v_dot(v[3].v, dir) <= 0) return false;
    if (v_dot(v_cross(v[1].v, v[3].v), v[0].v) < 0)
      v[2] = v[3];
    else if (v_dot(v_cross(v[3].v, v[2].v), v[0].v) < 0)
      v[1] = v[3];
    else
      return true;
    dir = v_cross(v_sub(v[1].v, v[0].v), v_sub(v[2].v, v[0].v));
  }
  return false;
}

// The contact point: barycentric weights of the origin in the tetrahedron of v0 and the portal,
// applied to the midpoints of the vertices' points on the two shapes.
static snVec portal_position(const snPortalVertex v[4], bool line) {
  double w[4] = {0, 1, 0, 0}, sum = 0;
  if (!line) {
    w[0] = v_dot(v_cross(v[1].v, v[2].v), v[3].v);
    w[1] = v_dot(v_cross(v[3].v, v[2].v), v[0].v);
    w[2] = v_dot(v_cross(v[0].v, v[1].v), v[3].v);
    w[3] = v_dot(v_cross(v[2].v, v[1].v), v[0].v);
    for (int k = 0; k < 4; k++) sum += w[k];
    if (sum <= 0) {
      // a flat tetrahedron: the portal alone
      snVec n = v_cross(v_sub(v[2].v, v[1].v), v_sub(v[3].v, v[1].v));
      w[0] = 0;
      w[1] = v_dot(v_cross(v[2].v, v[3].v), n);
      w[2] = v_dot(v_cross(v[3].v, v[1].v), n);
      w[3] = v_dot(v_cross(v[1].v, v[2].v), n);
    }
  }
  snVec pos = {0, 0, 0};
  sum = w[0] + w[1] + w[2] + w[3];
  for (int k = 0; k < (line ? 2 : 4); k++)
    pos = v_along(pos, 0.5 * w[k] / sum, v_add(v[k].a, v[k].b));
  return pos;
}

bool mpr_contact(const mjModel* m, const snShape* a, const snShape* b, double margin,
                 snTouch* touch) {
  snPortal p = {a, b, a->raised ? 0 : 0.5 * margin, 0.5 * margin, -1, -1};
  snPortalVertex v[4];
  bool line;
  v[0].a = support_center(a), v[0].b = support_center(b);
  v[0].v = v_sub(v[0].a, v[0].b);
  if (v_norm(v[0].v) < mjMINVAL) v[0].v = v3(kOffCenter, 0, 0);
  if (!portal_find(&p, v, m->opt.ccd_iterations, &line)) return false;
  double w[3] = {1, 0, 0};
  if (line) {
    v[2] = v[3] = v[1];
  } else {
    for (int k = 0;; k++) {
      snVec n = v_cross(v_sub(v[2].v, v[1].v), v_sub(v[3].v, v[1].v));
      v_normalize(&n);
      snPortalVertex next = corner_along(&p, n);
      double ahead = v_dot(next.v, n);
      if (ahead < 0) return false;
      double gain = ahead - fmax(v_dot(v[1].v, n), fmax(v_dot(v[2].v, n), v_dot(v[3].v, n)));
      if (gain <= m->opt.ccd_tolerance || k >= m->opt.ccd_iterations) break;
      // of the three triangles with the new vertex, the one that the ray passes through
      snVec side = v_cross(next.v, v[0].v);
      int drop;
      if (v_dot(v[1].v, side) > 0)
        drop = v_dot(v[2].v, side) > 0 ? 1 : 3;
      else
        drop = v_dot(v[3].v, side) > 0 ? 2 : 1;
      v[drop] = next;
    }
    origin_weights(v[1].v, v[2].v, v[3].v, w);
  }
  snVec on_a = {0, 0, 0}, on_b = {0, 0, 0};
  for (int k = 0; k < 3; k++) {
    on_a = v_along(on_a, w[k], v[k + 1].a);
    on_b = v_along(on_b, w[k], v[k + 1].b);
  }
  snVec n = v_sub(on_a, on_b);
  double depth = v_normalize(&n);
  if (!(depth < INFINITY)) return false;
  snVec pos = portal_position(v, line);
  snVec curved = v_sub(normal_curved(a, pos, n), normal_curved(b, pos, v_neg(n)));
  if (v_norm(curved) > mjMINVAL && a->type != mjGEOM_TRIANGLE && b->type != mjGEOM_TRIANGLE) {
    v_normalize(&curved);
    n = curved;
  }
  *touch = (snTouch){(a->raised ? 0 : margin) - depth, pos, n, {0, 0, 0}};
  return true;
}
