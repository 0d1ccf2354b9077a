// How a contact moves that GJK and EPA found: their derivative, not that of the exact contact, which
// a search for curved surfaces only comes near.
//
// A search ends with a simplex of support points w = a - b of the difference A - B, and the contact
// is the point of what they span that is nearest to the origin: q = sum l_i w_i, at sum l_i a_i and
// sum l_i b_i. As long as its decisions stay, this is smooth. A support point asked for in direction
// d, K being the Hessian of its shape's support function, moves by
//
//   da = K_A dd                   db = v + w x (b - p) + K_B (w x d - dd)
//
// when the second shape moves by the twist (v, w) about p, and d is a function of earlier support
// points: across the triangle, the line or the point of the simplex at that time. So the search is
// run once more to see what it asked for, and derivatives go through those of its support points
// that the result depends on, by the three turns and by the three translations at once.
#include "base/assert.h"
#include "collide/convex.h"
#include "collide/motion.h"
#include "collide/vec4.h"

// ---- what a search asks for

// The query that gave a support point, the last one of the same bits.
static int trace_find(const snTrace* t, const snMink* p) {
  for (int k = (t->n < kTrace ? t->n : kTrace) - 1; k >= 0; k--) {
    if (!memcmp(&t->query[k].at, p, sizeof *p)) return k;
  }
  return -1;
}

static void trace_next(snTrace* t, const snMink* p, int i) {
  int k = trace_find(t, p);
  if (k < 0) t->next = -1;
  if (t->next >= 0) t->from[i] = k;
}

void trace_from(snTrace* t, const snMink* vertex, int n) {
  SN_ASSERT(n >= 0 && n <= 3);
  t->next = n;
  for (int i = 0; i < n; i++) trace_next(t, vertex + i, i);
}

void trace_face(snTrace* t, const snMink* vertex, const int at[3]) {
  t->next = 3;
  for (int i = 0; i < 3; i++) trace_next(t, vertex + at[i], i);
}

void trace_spoke(snTrace* t, const snMink vertex[2], int i) {
  trace_from(t, vertex, 2);
  if (t->next >= 0) t->next = kSpoke + i;
}

static int query_sources(const snQuery* q) { return q->n >= kSpoke ? 2 : q->n; }

void trace_query(snTrace* t, snVec way, const snMink* p) {
  if (t->n < kTrace) {
    t->query[t->n] = (snQuery){way, *p, t->next, {t->from[0], t->from[1], t->from[2]}};
  }
  t->n++;
  t->next = -1;
}

// ---- in lanes

SN_INLINE snVec4 v4_of(snVec a) { return (snVec4){sn4_set1(a.x), sn4_set1(a.y), sn4_set1(a.z)}; }
SN_INLINE snVec4 v4_add(snVec4 a, snVec4 b) { return (snVec4){a.x + b.x, a.y + b.y, a.z + b.z}; }
// a + s b
SN_INLINE snVec4 v4_along(snVec4 a, sn4 s, snVec4 b) {
  return (snVec4){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
SN_INLINE sn4 v4_onto(snVec a, snVec4 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
// K x for a symmetric matrix
SN_INLINE snVec4 v4_mul(const double* K, snVec4 x) {
  return (snVec4){K[0] * x.x + K[1] * x.y + K[2] * x.z, K[3] * x.x + K[4] * x.y + K[5] * x.z,
                  K[6] * x.x + K[7] * x.y + K[8] * x.z};
}

// The change of the unit vector r / |r|.
SN_INLINE snVec4 unit_rate(snVec r, snVec4 dr) {
  double length = v_norm(r);
  snVec unit = v_scale(r, 1 / length);
  snVec4 across = v4_along(dr, -v4_onto(unit, dr), v4_of(unit));
  return v4_scale(across, sn4_set1(1 / length));
}

// Motions by three unit turns or translations, the fourth lane unused.
typedef struct snRate_ {
  snVec4 a, b;
} snRate;

SN_INLINE snVec4 rate_of(const snRate* r) { return v4_sub(r->a, r->b); }

// ---- support points

// The Hessian of the support function at direction d: of the core, and of the skin around it. False
// where it has none.
static bool support_hessian(const snShape* s, double skin, snVec d, double K[9]) {
  memset(K, 0, 9 * sizeof *K);
  snVec local = m_mul_t(s->mat, d), t;
  const double* size = s->size;
  if (s->type == mjGEOM_ELLIPSOID) {
    snVec p =
        v3(size[0] * size[0] * local.x, size[1] * size[1] * local.y, size[2] * size[2] * local.z);
    double h2 = v_dot(p, local), h = sqrt(h2);
    if (!(h > mjMINVAL)) return false;
    snVec world = m_mul(s->mat, p);
    const double at[3] = {world.x / h, world.y / h, world.z / h}, *R = s->mat;
    for (int i = 0; i < 9; i++) {
      double square = 0;
      for (int k = 0; k < 3; k++)
        square += size[k] * size[k] * R[3 * (i / 3) + k] * R[3 * (i % 3) + k];
      K[i] = (square - at[i / 3] * at[i % 3]) / h;
    }
  } else if (s->type == mjGEOM_CYLINDER) {
    double across = sqrt(local.x * local.x + local.y * local.y);
    if (!(across > 1e-9)) return false;
    t = m_mul(s->mat, v3(-local.y / across, local.x / across, 0));
    const double x[3] = {t.x, t.y, t.z};
    for (int i = 0; i < 9; i++) K[i] = size[0] / across * x[i / 3] * x[i % 3];
  } else if (s->type == mjGEOM_HFIELD || s->type == mjGEOM_SDF) {
    return false;
  }
  for (int i = 0; i < 3 && skin > 0; i++) K[4 * i] += skin;
  return true;
}

// The search, and which of its queries matter: those of the result, and those that these came from.
typedef struct snSearched_ {
  snTrace trace;
  snGjk g;
  bool needed[kTrace];
  double Ka[kTrace][9], Kb[kTrace][9];
  int result[4];
  snVec about;
} snSearched;

static bool searched_mark(snSearched* s) {
  memset(s->needed, 0, sizeof s->needed);
  for (int i = 0; i < s->g.n; i++) {
    s->result[i] = trace_find(&s->trace, s->g.simplex + i);
    if (s->result[i] < 0) return false;
    s->needed[s->result[i]] = true;
  }
  for (int k = s->trace.n - 1; k >= 0; k--) {
    const snQuery* q = s->trace.query + k;
    if (!s->needed[k]) continue;
    if (!support_hessian(s->g.a, s->g.skin_a, q->way, s->Ka[k]) ||
        !support_hessian(s->g.b, s->g.skin_b, v_neg(q->way), s->Kb[k])) {
      return false;
    }
    // a corner asks for no direction
    bool pointed = true;
    for (int i = 0; i < 9; i++) pointed = pointed && s->Ka[k][i] == 0 && s->Kb[k][i] == 0;
    if (q->n < 0 && !pointed) return false;
    for (int i = 0, n = query_sources(q); i < n && !pointed; i++) {
      SN_ASSERT(q->from[i] >= 0 && q->from[i] < k);
      s->needed[q->from[i]] = true;
    }
  }
  return true;
}

// The point of a line nearest to the origin, s - (s.t / t.t) t, and its weight of the second end.
SN_INLINE double line_weight(snVec s, snVec t) { return -v_dot(s, t) / v_norm2(t); }
SN_INLINE sn4 line_rate(snVec s, snVec t, snVec4 ds, snVec4 dt, double weight) {
  return -(v4_onto(t, ds) + v4_onto(s, dt) + 2 * weight * v4_onto(t, dt)) / v_norm2(t);
}

// Across a triangle.
SN_INLINE snVec4 cross_rate(snVec u, snVec v, snVec4 du, snVec4 dv) {
  return v4_add(v4_cross(du, v4_of(v)), v4_cross(v4_of(u), dv));
}

// Around a line in thirds: r = e x t for a coordinate e, turned about t.
SN_INLINE snVec4 spoke_rate(snVec t, snVec4 dt, int third) {
  static const double kSine[3] = {0, 0.8660254037844386, -0.8660254037844386};
  int least = 0;
  for (int i = 1; i < 3; i++) {
    if (fabs(v_get(t, i)) < fabs(v_get(t, least))) least = i;
  }
  snVec e = v3(least == 0, least == 1, least == 2), r = v_cross(e, t);
  snVec4 dr = unit_rate(r, v4_cross(v4_of(e), dt)), da = unit_rate(t, dt);
  v_normalize(&r);
  v_normalize(&t);
  if (!third) return dr;
  snVec4 turned = v4_add(v4_cross(da, v4_of(r)), v4_cross(v4_of(t), dr));
  return v4_along(v4_scale(dr, sn4_set1(-0.5)), sn4_set1(kSine[third]), turned);
}

// How the direction of a query moves. `center`: the motion of the center of B.
SN_INLINE snVec4 way_rate(const snSearched* s, const snQuery* q, const snRate* rate,
                          snVec4 center) {
  snVec w[3];
  snVec4 dw[3];
  for (int i = 0, n = query_sources(q); i < n; i++) {
    w[i] = s->trace.query[q->from[i]].at.w;
    dw[i] = rate_of(rate + q->from[i]);
  }
  if (q->n <= 0) return unit_rate(v_sub(support_center(s->g.b), support_center(s->g.a)), center);
  snVec4 none = v4_of(v3(0, 0, 0));
  if (q->n == 1) return unit_rate(v_neg(w[0]), v4_sub(none, dw[0]));
  snVec t = v_sub(w[1], w[0]);
  snVec4 dt = v4_sub(dw[1], dw[0]);
  if (q->n == 2) {
    double l = line_weight(w[0], t);
    sn4 dl = line_rate(w[0], t, dw[0], dt, l);
    snVec4 near = v4_along(v4_along(dw[0], sn4_set1(l), dt), dl, v4_of(t));
    return unit_rate(v_neg(v_along(w[0], l, t)), v4_sub(none, near));
  }
  if (q->n >= kSpoke) return spoke_rate(t, dt, q->n - kSpoke);
  snVec u = v_sub(w[2], w[0]), n = v_cross(t, u);
  snVec4 dn = cross_rate(t, u, dt, v4_sub(dw[2], dw[0]));
  if (v_dot(n, q->way) < 0) n = v_neg(n), dn = v4_sub(none, dn);
  return unit_rate(n, dn);
}

// ---- the contact

// The point q nearest to the origin of what the simplex spans, and the normal.
typedef struct snNearest4_ {
  int n;
  double weight[3], sign;  // sign: of the normal along q
  snVec q, normal;
} snNearest4;

static bool nearest_of(const snSearched* s, const mjContact* con, double margin, snNearest4* r) {
  static const double kSame = 1e-12;
  const snGjk* g = &s->g;
  snVec s0 = g->simplex[0].w, normal = v_of(con->frame), t = v_sub(g->simplex[1].w, s0);
  double radius_a = g->skin_a > 0 ? 0 : support_radius(g->a) + g->grow_a;
  double radius_b = g->skin_b > 0 ? 0 : support_radius(g->b) + g->grow_b;
  r->n = g->n;
  r->weight[1] = r->weight[2] = 0;
  r->q = s0;
  if (g->n > 3 || g->n < 1) return false;
  if (g->n == 2) {
    r->weight[1] = line_weight(s0, t);
    r->q = v_along(s0, r->weight[1], t);
  } else if (g->n == 3) {
    snVec u = v_sub(g->simplex[2].w, s0), n = v_cross(t, u);
    double area2 = v_norm2(n);
    if (!(area2 > 0)) return false;
    r->q = v_scale(n, v_dot(n, s0) / area2);
    snVec off = v_sub(r->q, s0);
    r->weight[1] = v_dot(n, v_cross(off, u)) / area2;
    r->weight[2] = v_dot(n, v_cross(t, off)) / area2;
  }
  r->weight[0] = 1 - r->weight[1] - r->weight[2];
  double length = v_norm(r->q);
  if (!(length > mjMINVAL)) return false;
  r->sign = v_dot(r->q, normal) < 0 ? -1 : 1;
  r->normal = v_scale(r->q, r->sign / length);
  // is it the contact?
  snVec pos = v_scale(r->normal, 0.5 * (radius_a - radius_b));
  for (int i = 0; i < g->n; i++) {
    pos = v_along(pos, 0.5 * r->weight[i], v_add(g->simplex[i].a, g->simplex[i].b));
  }
  double scale = 1 + v_norm(pos), dist = -r->sign * length - radius_a - radius_b;
  if (!g->a->raised) dist += margin;
  return v_norm(v_sub(pos, v_of(con->pos))) < kSame * scale &&
         v_norm(v_sub(r->normal, normal)) < 1e3 * kSame * scale / length &&
         fabs(dist - con->dist) < kSame * scale;
}

// Half the sum of the two witness points by the motion of the simplex, the normal and the distance.
static void nearest_rate(const snSearched* s, const snNearest4* r, const snRate* rate, snVec4* pos,
                         snVec4* normal, sn4* dist) {
  const snMink* p = s->g.simplex;
  snVec s0 = p[0].w, t, u;
  snVec4 none = {{0}, {0}, {0}}, ds[3] = {none, none, none}, dt, du, half;
  sn4 dl[3] = {{0}, {0}, {0}};
  for (int i = 0; i < r->n; i++) ds[i] = rate_of(rate + s->result[i]);
  SN_ASSERT(r->n >= 1 && r->n <= 3);
  snVec4 dq = ds[0];
  if (r->n > 1) t = v_sub(p[1].w, s0), dt = v4_sub(ds[1], ds[0]);
  if (r->n == 2) {
    dl[1] = line_rate(s0, t, ds[0], dt, r->weight[1]);
    dq = v4_along(v4_along(dq, sn4_set1(r->weight[1]), dt), dl[1], v4_of(t));
  }
  if (r->n == 3) {
    // q = (n.s0) n along the unit normal, and what is left of dq in the plane is the weights'
    u = v_sub(p[2].w, s0), du = v4_sub(ds[2], ds[0]);
    snVec n = v_cross(t, u);
    double area2 = v_norm2(n), sign = v_dot(n, r->normal) < 0 ? -1 : 1;
    snVec4 dn = v4_scale(cross_rate(t, u, dt, du), sn4_set1(sign));
    *normal = unit_rate(v_scale(n, sign), dn);
    double height = v_dot(r->normal, s0);
    sn4 rise = v4_onto(s0, *normal) + v4_onto(r->normal, ds[0]);
    dq = v4_along(v4_scale(*normal, sn4_set1(height)), rise, v4_of(r->normal));
    snVec4 rest = v4_sub(dq, ds[0]);
    rest = v4_along(rest, sn4_set1(-r->weight[1]), dt);
    rest = v4_along(rest, sn4_set1(-r->weight[2]), du);
    dl[1] = v4_onto(n, v4_cross(rest, v4_of(u))) / area2;
    dl[2] = v4_onto(n, v4_cross(v4_of(t), rest)) / area2;
  } else {
    *normal = unit_rate(v_scale(r->q, r->sign), v4_scale(dq, sn4_set1(r->sign)));
  }
  *dist = -v4_onto(r->normal, dq);
  dl[0] = -dl[1] - dl[2];
  half = none;
  for (int i = 0; i < r->n; i++) {
    const snRate* x = rate + s->result[i];
    half = v4_along(half, sn4_set1(r->weight[i]), v4_add(x->a, x->b));
    half = v4_along(half, dl[i], v4_of(v_add(p[i].a, p[i].b)));
  }
  *pos = v4_scale(half, sn4_set1(0.5));
}

// By unit turns about the contact, or by unit translations of the second shape.
SN_KERNEL static void searched_move(const snSearched* s, const snNearest4* r, bool turns,
                                    snRate* rate, snVec4* pos, snVec4* normal, sn4* dist) {
  const snVec4 unit = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}, none = {{0}, {0}, {0}};
  snVec4 w = turns ? unit : none, v = turns ? none : unit;
  snVec arm = v_sub(support_center(s->g.b), s->about);
  snVec4 center = v4_add(v, v4_cross(w, v4_of(arm)));
  for (int k = 0; k < s->trace.n; k++) {
    const snQuery* q = s->trace.query + k;
    if (!s->needed[k]) continue;
    snVec4 way = q->n < 0 ? none : way_rate(s, q, rate, center);
    snVec4 rides = v4_add(v, v4_cross(w, v4_of(v_sub(q->at.b, s->about))));
    snVec4 turned = v4_sub(v4_cross(w, v4_of(q->way)), way);
    rate[k].a = v4_mul(s->Ka[k], way);
    rate[k].b = v4_add(rides, v4_mul(s->Kb[k], turned));
  }
  nearest_rate(s, r, rate, pos, normal, dist);
}

bool motion_search(const mjModel* m, const snShape* a, const snShape* b, double margin,
                   const mjContact* con, snContactMotion* motion, bool* lost) {
  snSearched s;
  snNearest4 r;
  snRate rate[kTrace];
  s.trace.n = 0;
  s.trace.next = -1;
  s.about = v_of(con->pos);
  if (!convex_trace(m, a, b, margin, &s.g, &s.trace)) return false;
  *lost = s.g.n > 3;
  if (*lost || !searched_mark(&s) || !nearest_of(&s, con, margin, &r)) return false;
  double offset = 0.5 * ((s.g.skin_a > 0 ? 0 : support_radius(a) + s.g.grow_a) -
                         (s.g.skin_b > 0 ? 0 : support_radius(b) + s.g.grow_b));
  for (int half = 0; half < 2; half++) {
    snVec4 pos, normal;
    sn4 dist;
    searched_move(&s, &r, !half, rate, &pos, &normal, &dist);
    for (int k = 0; k < 3; k++) {
      snVec n = v3(normal.x[k], normal.y[k], normal.z[k]);
      snVec p = v_along(v3(pos.x[k], pos.y[k], pos.z[k]), offset, n);
      motion_put(motion, 3 * half + k, (snMoved){p, n, dist[k]});
    }
  }
  return true;
}
