// Derivative of M a + c(q, v) by q and v, in the tangent space, O(nv depth).
//
// Dof j moves every body behind it by the twist S_j = cdof_j. With V-, A- the velocity and
// acceleration before the group of j, the motion of a body behind it changes by
//
//   dV = S_j x V + w_j,              w_j = V- x S_j
//   dA = S_j x A + w_j x V + p_j,    p_j = A- x S_j - w_j x V-
//
// and its force f = I A + V x* I V by S_j x* f + I p_j + B w_j, with B of derivative_bias.c. Sums
// over subtrees are marked c. What j carries, it carries with its axis, so that
//
//   j carries i:   d tau_i / dq_j = S_i . (Ic p_j + Bc w_j)                  sums at i
//   i before j:    d tau_i / dq_j = S_i . (S_j x* Fc + Ic p_j + Bc w_j)      sums at j
//   either way:    d tau_i / dv_j = S_i . (Ic g_j + Bc S_j)                  at the inner one
//
// Loads are forces on bodies that ride along: they are in Fc with the opposite sign. A wrench that
// keeps its direction in the world falls behind the turn of the body by a linear map of the turn
// (`steady`); a fluid pushes back with the velocity relative to it (`drag`).
#include "derive/private.h"
#include "integrate/moving.h"
#include "smooth/spatial_lanes.h"

bool motions_reserve(const snTangent* t, snMotions* s) {
  size_t nb = 6 * (size_t)t->m->nbody, nv = 6 * (size_t)t->nv;
  return FRAME(memory_of(t->d), SN_ARRAY(s->vel, nb), SN_ARRAY(s->acc, nb), SN_ARRAY(s->turn, nv),
               SN_ARRAY(s->lift, nv), SN_ARRAY(s->rate, nv));
}

SN_INLINE void group_make(const snTangent* t, snMotions* s, int i, int n, double* vel, double* acc,
                          const double* qvel, const double* qacc) {
  const double* cdof = t->d->cdof;
  double before[6], at[6], sum[6];
  vec6_copy(at, acc);
  if (!qvel) {
    // at rest only accelerations lift
    for (int k = i; k < i + n; k++) {
      spatial_cross_motion(s->lift + 6 * k, at, cdof + 6 * k);
      vec6_add_scaled(acc, acc, cdof + 6 * k, qacc[k]);
    }
    return;
  }
  vec6_copy(before, vel);
  for (int k = i; k < i + n; k++) {
    spatial_cross_motion(s->turn + 6 * k, before, cdof + 6 * k);
    vec6_add_scaled(vel, vel, cdof + 6 * k, qvel[k]);
    vec6_add_scaled(acc, acc, s->turn + 6 * k, qvel[k]);
    if (qacc) vec6_add_scaled(acc, acc, cdof + 6 * k, qacc[k]);
  }
  vec6_add(sum, before, vel);
  for (int k = i; k < i + n; k++) {
    double fall[6];
    spatial_cross_motion(s->rate + 6 * k, sum, cdof + 6 * k);
    spatial_cross_motion(s->lift + 6 * k, at, cdof + 6 * k);
    spatial_cross_motion(fall, s->turn + 6 * k, before);
    vec6_add_scaled(s->lift + 6 * k, s->lift + 6 * k, fall, -1);
  }
}

SN_KERNEL void motions_make(const snTangent* t, snMotions* s, const double* qvel,
                            const double* qacc, bool gravity) {
  const mjModel* m = t->m;
  s->still = !qvel;
  vec6_zero(s->vel);
  vec6_zero(s->acc);
  if (gravity && !(m->opt.disableflags & mjDSBL_GRAVITY)) {
    vec3_scale(s->acc + 3, m->opt.gravity, -1);
  }
  for (int b = 1; b < m->nbody; b++) {
    double vel[6], acc[6];
    vec6_copy(vel, s->vel + 6 * m->body_parentid[b]);
    vec6_copy(acc, s->acc + 6 * m->body_parentid[b]);
    for (int i = m->body_dofadr[b], end = i + m->body_dofnum[b]; i < end;) {
      int type = m->jnt_type[m->dof_jntid[i]];
      int n = type == mjJNT_FREE || type == mjJNT_BALL ? 3 : 1;
      group_make(t, s, i, n, vel, acc, qvel, qacc);
      i += n;
    }
    vec6_copy(s->vel + 6 * b, vel);
    vec6_copy(s->acc + 6 * b, acc);
  }
}

// r = v x* f
SN_INLINE void cross_force(double* r, const double* v, const double* f) {
  double a[3], b[3], c[3];
  vec3_cross(a, v, f);
  vec3_cross(b, v + 3, f + 3);
  vec3_cross(c, v, f + 3);
  vec3_add(r, a, b);
  vec3_copy(r + 3, c);
}

// Sums over subtrees.
struct snSubtreeSums_ {
  const double* inertia;  // (nbody x 10), mjData.crb
  snMoving* moving;       // (nbody)
  double* force;          // (nbody x 6)
  double *steady, *drag;
};

SN_INLINE void add_to_parents(const mjModel* m, double* x, int n) {
  for (int b = m->nbody - 1; b > 0; b--) {
    double *to = x + (size_t)n * m->body_parentid[b], *from = x + (size_t)n * b;
    if (m->body_parentid[b]) {
      for (int k = 0; k < n; k++) to[k] += from[k];
    }
  }
}

SN_KERNEL static void sums_make(const snTangent* t, const snMotions* s, bool loads,
                                snSubtreeSums* c) {
  const mjModel* m = t->m;
  memset(c->moving, 0, sizeof(snMoving));
  vec6_zero(c->force);
  for (int b = 1; b < m->nbody; b += 4) {
    int body[4];
    sn4 I[10], V[6], A[6], f[6], h[6], load[6], gyroscopic[6];
    four_bodies(body, b, m->nbody);
    bodies10_load(I, t->d->cinert, body);
    bodies6_load(A, s->acc, body);
    four6_inertia_mul(f, I, A);
    if (!s->still) {
      bodies6_load(V, s->vel, body);
      bodies_moving(c->moving, body, I, V, h);
      four6_cross_force(gyroscopic, V, h);
      for (int k = 0; k < 6; k++) f[k] += gyroscopic[k];
    }
    if (!s->still && loads) {
      bodies6_load(load, t->load, body);
      for (int k = 0; k < 6; k++) f[k] -= load[k];
    }
    sn6 row[4];
    four6_unload(row, f);
    for (int k = 0; k < 4; k++) sn6_store(c->force + 6 * body[k], row[k]);
  }
  if (!s->still) add_to_parents(m, (double*)c->moving, 12);
  add_to_parents(m, c->force, 6);
  if (c->steady) add_to_parents(m, c->steady, 18);
  if (c->drag) add_to_parents(m, c->drag, 36);
}

// r -= A x for a 6 x n matrix; r -= A' x
SN_INLINE void mat6_sub(double* r, const double* A, int n, const double* x) {
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < n; k++) r[i] -= A[n * i + k] * x[k];
  }
}
SN_INLINE void mat6_subT(double* r, const double* A, int n, const double* x) {
  if (n == 6) {
    sn6 sum = sn6_load(r);
    for (int i = 0; i < 6; i++) sum = sn6_add_scaled(sum, sn6_load(A + 6 * i), -x[i]);
    sn6_store(r, sum);
    return;
  }
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < n; k++) r[k] -= A[n * i + k] * x[i];
  }
}

// w_j as a fluid sees it: the wind does not turn with the body.
SN_INLINE void wind_turn(const snTangent* t, const snMotions* s, int j, double w[6]) {
  double blown[3];
  vec3_cross(blown, t->d->cdof + 6 * j, t->m->opt.wind);
  vec6_copy(w, s->turn + 6 * j);
  vec3_add(w + 3, w + 3, blown);
}

// What dof i has as the inner one of two: for its row momentum, across (on w or S of the outer one)
// and, with loads, what multiplies the turn of the outer one; for its column the forces by q, with
// and without Fc, and by v.
typedef struct snInner_ {
  double momentum[6], across[3], steady[3], drag[6];
  double by_q[6], carried[6], by_v[6];
} snInner;

SN_INLINE void inner_make(const snTangent* t, const snMotions* s, const snSubtreeSums* c, int b,
                          int i, snInner* r) {
  const double *S = t->d->cdof + 6 * i, *w = s->turn + 6 * i, *I = c->inertia + 10 * b;
  const snMoving* B = c->moving + b;
  double fall[6];
  if (s->still) {
    inertia_mul(r->momentum, I, S);
    inertia_mul(r->carried, I, s->lift + 6 * i);
    cross_force(fall, S, c->force + 6 * b);
    vec6_add(r->by_q, r->carried, fall);
    return;
  }
  snDof dof;
  dof_make(&dof, S, s->rate + 6 * i, I, B);
  vec6_copy(r->momentum, dof.momentum);
  vec3_copy(r->across, dof.across);
  vec6_copy(r->by_v, dof.force);

  // Ic p + Bc w, with Bc (w, u) = (J' w - t x w, -2 p x w)
  double turn[3], pull[3], spin[3];
  inertia_mul(r->carried, I, s->lift + 6 * i);
  rate_mul(spin, B->rate, w);
  vec3_cross(turn, B->momentum, w);
  vec3_cross(pull, B->momentum + 3, w);
  for (int k = 0; k < 3; k++) {
    r->carried[k] += spin[k] - turn[k];
    r->carried[3 + k] -= 2 * pull[k];
  }
  if (c->steady) {
    vec3_zero(r->steady);
    mat6_sub(r->carried, c->steady + 18 * b, 3, S);
    mat6_subT(r->steady, c->steady + 18 * b, 3, S);
  }
  if (c->drag) {
    double blown[6];
    wind_turn(t, s, i, blown);
    mat6_sub(r->carried, c->drag + 36 * b, 6, blown);
    mat6_sub(r->by_v, c->drag + 36 * b, 6, S);
    vec6_zero(r->drag);
    mat6_subT(r->drag, c->drag + 36 * b, 6, S);
  }
  cross_force(fall, S, c->force + 6 * b);
  vec6_add(r->by_q, r->carried, fall);
}

// Entries of two dofs are four sums of products, taken in the lanes of one vector: with i the inner
// dof and j the outer one,
//
//   lane   0: row i, q_j    1: row i, v_j    2: row j, q_i    3: row j, v_i
//   i      momentum         momentum         by_q or carried  by_v
//          across           across
//          steady
//          drag             drag
//   j      lift             rate             S                S
//          turn             S
//          S
//          wind_turn        S
//
// Each line has six terms, or three: those of the angular part.
enum { LINE_MOST = 18 };

SN_INLINE void lanes_put(double* to, int lane, const double* x, int n) {
  for (int k = 0; k < n; k++) to[4 * k + lane] = x[k];
}

typedef struct snLines_ {
  int terms;
  bool still, steady, drag;
} snLines;

SN_INLINE void outer_lanes(const snTangent* t, const snMotions* s, const snLines* l, int j,
                           double* to) {
  const double* S = t->d->cdof + 6 * j;
  lanes_put(to, 0, s->lift + 6 * j, 6);
  lanes_put(to, 2, S, 6);
  if (l->still) return;
  lanes_put(to, 1, s->rate + 6 * j, 6);
  lanes_put(to, 3, S, 6);
  lanes_put(to += 24, 0, s->turn + 6 * j, 3);
  lanes_put(to, 1, S, 3);
  to += 12;
  if (l->steady) lanes_put(to, 0, S, 3), to += 12;
  if (l->drag) {
    double blown[6];
    wind_turn(t, s, j, blown);
    lanes_put(to, 0, blown, 6);
    lanes_put(to, 1, S, 6);
  }
}

SN_INLINE void inner_lanes(const snInner* in, const snLines* l, double* to) {
  lanes_put(to, 0, in->momentum, 6);
  lanes_put(to, 2, in->by_q, 6);
  if (l->still) return;
  lanes_put(to, 1, in->momentum, 6);
  lanes_put(to, 3, in->by_v, 6);
  lanes_put(to += 24, 0, in->across, 3);
  lanes_put(to, 1, in->across, 3);
  to += 12;
  if (l->steady) lanes_put(to, 0, in->steady, 3), to += 12;
  if (l->drag) {
    lanes_put(to, 0, in->drag, 6);
    lanes_put(to, 1, in->drag, 6);
  }
}

SN_INLINE sn4 lanes_dot(const double* x, const double* y, int terms) {
  sn4 sum = sn4_load(x) * sn4_load(y);
  for (int k = 1; k < terms; k++) sum += sn4_load(x + 4 * k) * sn4_load(y + 4 * k);
  return sum;
}

SN_INLINE void entries_of(const snTangent* t, int i, const snLines* l, int terms, double* inner,
                          const double* carried, const double* outer, bool velocities, double* to,
                          const size_t* at) {
  const int *q = t->parts.q, *v = t->parts.v, n = t->plan->dof_chainnum[i] - 1;
  const int* chain = t->plan->chain + t->plan->chain_adr[t->m->dof_bodyid[i]];
  double* row = to + at[i];
  size_t width = 4 * (size_t)l->terms;
  for (int k = 0; k < n; k++) {
    int j = chain[k];
    double* other = to + at[j];
    // from here on j and i turn together: what is carried has no Fc
    if (j == t->group[i]) lanes_put(inner, 2, carried, 6);
    sn4 sum = lanes_dot(inner, outer + width * (size_t)j, terms);
    row[q[j]] += sum[0];
    other[q[i]] += sum[2];
    if (!velocities) continue;
    row[v[j]] += sum[1];
    other[v[i]] += sum[3];
  }
  SN_ASSERT(n >= 0 && chain[n] == i);
  SN_ASSERT(t->group[i] <= i && t->group[i] > i - 3);
  sn4 own = lanes_dot(inner, outer + width * (size_t)i, terms);
  row[q[i]] += own[0];
  if (velocities) row[v[i]] += own[1];
}

SN_KERNEL static void entries(const snTangent* t, const snMotions* s, const snSubtreeSums* c,
                              double* outer, const snLines* l, bool velocities, double* to,
                              const size_t* at) {
  double inner[4 * LINE_MOST] = {0};
  snInner in = {0};
  for (int j = 0; j < t->nv; j++) outer_lanes(t, s, l, j, outer + 4 * (size_t)l->terms * (size_t)j);
  for (int i = 0; i < t->nv; i++) {
    inner_make(t, s, c, t->m->dof_bodyid[i], i, &in);
    inner_lanes(&in, l, inner);
    if (l->terms == 9)
      entries_of(t, i, l, 9, inner, in.carried, outer, velocities, to, at);
    else if (l->still)
      entries_of(t, i, l, 6, inner, in.carried, outer, false, to, at);
    else
      entries_of(t, i, l, l->terms, inner, in.carried, outer, velocities, to, at);
  }
}

bool smooth_add(const snTangent* t, const snMotions* s, bool loads, bool velocities, double* to,
                const size_t* row) {
  size_t nb = (size_t)t->m->nbody;
  snSubtreeSums c = {
      .inertia = t->d->crb, .steady = loads ? t->steady : NULL, .drag = loads ? t->drag : NULL};
  snLines l = {.still = s->still, .steady = c.steady != NULL, .drag = c.drag != NULL};
  SN_ASSERT(!(s->still && (loads || velocities)));
  l.terms = s->still ? 6 : 9 + (l.steady ? 3 : 0) + (l.drag ? 6 : 0);
  size_t lanes = 4 * (size_t)l.terms * (size_t)t->nv;
  double* outer;
  mj_markStack(t->d);
  bool there = FRAME(memory_of(t->d), SN_ARRAY(c.moving, nb), SN_ARRAY(c.force, 6 * nb),
                     SN_ARRAY(outer, lanes));
  if (there) {
    memset(outer, 0, lanes * sizeof(double));
    sums_make(t, s, loads, &c);
    entries(t, s, &c, outer, &l, velocities, to, row);
  }
  mj_freeStack(t->d);
  return there;
}

// y'M x is the sum of Y'I X over bodies, with X and Y their motions by x and y. What dof j moves rides
// with it but for the motion before j, so that with sums over the subtree of j
//
//   d(y'M x)/dq_j = (X- x S_j) . (I Y)c + (Y- x S_j) . (I X)c
SN_KERNEL static void inertia_momenta(const snTangent* t, const snMotions* s, double* momentum) {
  const mjModel* m = t->m;
  vec6_zero(momentum);
  for (int b = 1; b < m->nbody; b++) {
    inertia_mul(momentum + 6 * b, t->d->cinert + 10 * b, s->acc + 6 * b);
  }
  add_to_parents(m, momentum, 6);
}

bool inertia_pull(const snTangent* t, const double* x, const double* y, double* g) {
  size_t nb = 6 * (size_t)t->m->nbody;
  snMotions sx, sy;
  double *px, *py;
  mj_markStack(t->d);
  bool there = motions_reserve(t, &sx) && motions_reserve(t, &sy) &&
               FRAME(memory_of(t->d), SN_ARRAY(px, nb), SN_ARRAY(py, nb));
  if (there) {
    motions_make(t, &sx, NULL, x, false);
    motions_make(t, &sy, NULL, y, false);
    inertia_momenta(t, &sx, px);
    inertia_momenta(t, &sy, py);
    for (int j = 0; j < t->nv; j++) {
      int b = 6 * t->m->dof_bodyid[j];
      g[j] += vec6_dot(sx.lift + 6 * j, py + b) + vec6_dot(sy.lift + 6 * j, px + b);
    }
  }
  mj_freeStack(t->d);
  return there;
}

const snSubtreeSums* subtrees_make(const snTangent* t) {
  size_t nb = (size_t)t->m->nbody;
  snSubtreeSums* c;
  if (!FRAME(memory_of(t->d), SN_ARRAY(c, 1))) return NULL;
  memset(c, 0, sizeof *c);
  if (!FRAME(memory_of(t->d), SN_ARRAY(c->moving, nb), SN_ARRAY(c->force, 6 * nb))) return NULL;
  c->inertia = t->d->crb;
  sums_make(t, &t->motion, false, c);
  return c;
}

const double* subtree_momentum(const snSubtreeSums* c, int body) {
  return c->moving[body].momentum;
}

void subtree_change(const snTangent* t, const snSubtreeSums* c, int body, int j,
                    snSubtreeChange* r) {
  const double *S = t->d->cdof + 6 * j, *I = c->inertia + 10 * body;
  double part[6];
  snInner in;
  inner_make(t, &t->motion, c, body, j, &in);
  vec6_copy(r->force_q, in.by_q);
  vec6_copy(r->force_v, in.by_v);
  inertia_mul(r->momentum_q, I, t->motion.turn + 6 * j);
  cross_force(part, S, c->moving[body].momentum);
  vec6_add(r->momentum_q, r->momentum_q, part);
  inertia_mul(r->momentum_v, I, S);
}
