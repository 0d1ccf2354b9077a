// Loops closed to rounding after the step (SHAKE and RATTLE), for models with the text
// "sinew:loops" = "closed".
//
// Soft equalities leave a gap: their force comes from an error. Behind the integrator, positions
// take steps on the residual r(q) of all active equalities along inv(M) J', until |r| <= CLOSED,
// and the new velocity has the impulse that would have led there, less what would open the loops
// again:
//
//   q <- q - inv(M) J0' x                      x: Broyden's steps from inv(A0) r, A = J inv(M) J'
//   v <- v - inv(M) J0' (sum of x) / h
//   v <- v - inv(M') J' inv(A') J v
//
// J0 and M are of the step's beginning, J and M' of its end: half of the impulse that bends the
// motion along the surface is given at either end, each along the normal of its place and in the
// metric of its place. With bias forces at the velocity of the position's time (centre_bias) the
// step is of second order on the surface of the equalities, and its energy does not drift: within
// 1% at a millisecond on a four-bar linkage, where one metric for both ends loses a quarter.
// The metric inv(M) moves the system least in the sense of Gauss's principle.
//
// What it costs: poses of bodies for each of Broyden's steps (two or three), and kinematics, M and
// its factor at the end, which the next step takes instead of its own (smooth/kept.c); one factor
// of A, which is the next step's A0 (solve/loop_rows.h).
//
// Where a mechanism passes a singular posture the surface bends within the step, and Newton's method
// may stand still beside it. Then the step begins anew where it began, and follows the surface in
// parts, with the velocity projected at the beginning of each, as far as parts can be closed.
//
// Loops that contradict each other cannot be closed. Then no Newton step is taken that does not
// make the residual smaller, a warning is counted, and the soft equalities are left to compromise.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "constrain/constrain.h"
#include "data/frame.h"
#include "integrate/integrate.h"
#include "smooth/smooth.h"
#include "solve/loop_rows.h"

#define CLOSED 4e-10   // m or rad: closed
#define NO_STEP 1e-11  // m or rad: what a step of this length leaves open is not to be closed
#define STILL 1e-9     // share of the velocity at which a loop may open
#define SHRINKS 0.3    // by so much a step must make the residual smaller
#define OPEN 1e-6      // m or rad: loops that stay farther open contradict each other
#define LONGEST 0.1  // of a Newton step, in units of qvel x 1 s: farther, the linear model is none
#define SMOOTH 0.05  // rad in a step: faster, what is of second order gains energy: it is bounded
#define MARGIN 1.05  // of that bound, where the linear model led to closed loops
// A leg that passes over its own foot turns by a radian in a step: ten steps of LONGEST and more.
enum { MOST_STEPS = 8, MOST_NEWTON = 64, MOST_HALVINGS = 6, PARTS = 16, MOST_PARTS = 64 };

typedef struct snClosing_ {
  mjtNum *change, *qpos, *open, *safe;  // (nv), (nq), (nq), (nq)
  mjtNum *x, *sum, *step;               // of rows: right-hand side, all steps so far, each of them
  mjtNum most;  // that |v| may be in the metric of M (integrate_close_bound), 0: any
} snClosing;

// What depends on the poses of bodies, and all that residuals depend on. Rows need mj_comPos too.
static void finish_positions(const mjModel* m, mjData* d) {
  kinematics_frames(m, d);
  if (m->nflex) mj_flex(m, d);
  if (m->ntendon) mj_tendon(m, d);
}

static void renew_positions(const mjModel* m, mjData* d) {
  kinematics_bodies(m, d);
  finish_positions(m, d);
}

// The largest number of x; NaN where one is.
SN_KERNEL static mjtNum largest(const mjtNum* x, int n) {
  sn4 four = {0};
  mjtNum most = 0;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    sn4 now = sn4_abs(sn4_load(x + i));
    four = sn4_select(now <= four, four, now);
  }
  if (i) {
    for (int k = 0; k < 4; k++) most = four[k] <= most ? most : four[k];
  }
  for (; i < n; i++) most = fabs(x[i]) <= most ? most : fabs(x[i]);
  return most;
}

// v += change, unless it is NaN or infinite
static void change_velocity(const mjModel* m, mjData* d, const mjtNum* change) {
  if (largest(change, m->nv) < mjMAXVAL) mju_addTo(d->qvel, change, m->nv);
}

static void move(const mjModel* m, mjData* d, const mjtNum* change) {
  mjtNum length = largest(change, m->nv);
  manifold_integrate_moving(m, d, d->qpos, change, length > LONGEST ? LONGEST / length : 1);
}

// |v| in the metric of M, where 1/2 |v|^2 is the kinetic energy; `room` is scratch (nv).
static mjtNum metric_norm(const mjModel* m, mjData* d, const mjtNum* v, mjtNum* room) {
  mj_mulM(m, d, room, v);
  return sqrt(mju_max(0, mju_dot(room, v, m->nv)));
}

// Bias forces and forces of loops do no work, and what remains changes |v| by no more than
//
//   h (sqrt(f' inv(M) f) + |g| sqrt(total mass)),   f: springs, actuators, applied, contacts, limits
//
// Dampers and fluids only take from it, and are not in f.
// A step that is fast beside the curvature of its surface (a leg that passes over its own foot) may
// be far from that: its linear model is none.
mjtNum integrate_close_bound(const mjModel* m, mjData* d) {
  mjtNum h = m->opt.timestep, *f, *a, *row, most = 0;
  if (h * largest(d->qvel, m->nv) < SMOOTH && h * h * largest(d->qacc, m->nv) < SMOOTH) return 0;
  snMemory* memory = memory_of(d);
  frame_open(memory);
  if (FRAME(memory, SN_ARRAY(f, m->nv), SN_ARRAY(a, m->nv), SN_ARRAY(row, d->nefc))) {
    SN_ASSERT(d->ne <= d->nefc);  // rows of equalities come first
    mju_zero(row, d->ne);
    mju_copy(row + d->ne, d->efc_force + d->ne, d->nefc - d->ne);
    mj_mulJacTVec(m, d, f, row);
    mju_addTo(f, d->qfrc_smooth, m->nv);
    mju_addTo(f, d->qfrc_bias, m->nv);
    mju_subFrom(f, d->qfrc_damper, m->nv);
    mju_subFrom(f, d->qfrc_fluid, m->nv);
    mj_solveM(m, d, a, f, 1);
    mjtNum push = sqrt(mju_max(0, mju_dot(a, f, m->nv)));
    mjtNum fall = mju_norm3(m->opt.gravity) * sqrt(m->body_subtreemass[0]);
    most = metric_norm(m, d, d->qvel, a) + h * (push + fall);
  }
  frame_close(memory);
  return most;
}

// Velocities in the same ratio, but shorter, where they are longer than `most`: what does not open
// loops does not when it is scaled.
static void bound_velocity(const mjModel* m, mjData* d, mjtNum most, mjtNum* room) {
  mjtNum now = metric_norm(m, d, d->qvel, room);
  if (now > most) mju_scl(d->qvel, d->qvel, most / now, m->nv);
}

// v loses what would open the loops, at positions where they are closed as far as they go.
static void close_velocity(const mjModel* m, mjData* d, snMemory* memory, mjtNum* change) {
  snEqualities eq;
  mjtNum* rate;
  frame_open(memory);
  mj_comPos(m, d);
  inertia_update(m, d);
  const snLoopRows* s = constrain_equalities(m, d, memory, &eq) ? loop_rows(m, d, &eq) : NULL;
  if (s && s->n && FRAME(memory, SN_ARRAY(rate, s->n))) {
    mjtNum before = mjMAXVAL, enough = STILL * (1 + largest(d->qvel, m->nv));
    for (int i = 0; i < MOST_STEPS; i++) {
      loop_rates(s, d->qvel, rate);
      mjtNum now = largest(rate, s->n);
      if (!(now > enough) || !(now < SHRINKS * before)) break;
      before = now;
      loop_solve(&s->f, rate);
      loop_motion(s, rate, -1, change);
      change_velocity(m, d, change);
    }
  }
  frame_close(memory);
}

// The next of Broyden's steps from x = inv(A0) r and the steps before it (Kelley, Solving Nonlinear
// Equations with Newton's Method, chapter 4):
//
//   x <- x + s_{j+1} (s_j.x) / |s_j|^2 for all j but the last,   s = x / (1 - (s_last.x) /
//   |s_last|^2)
static void bend_step(mjtNum* x, const mjtNum* step, int before, int n) {
  SN_ASSERT(before <= MOST_STEPS);
  for (int j = 0; j < before; j++) {
    const mjtNum* s = step + j * n;
    mjtNum share = mju_dot(s, x, n) / mju_max(mjMINVAL * mjMINVAL, mju_dot(s, s, n));
    if (j + 1 < before) {
      mju_addToScl(x, s + n, share, n);
    } else if (fabs(share) < .5) {
      mju_scl(x, x, 1 / (1 - share), n);
    }
  }
}

// Broyden's steps from A, J and M of the step's beginning, by poses of bodies alone where they are
// enough. What is left of rows that repeat others cannot be closed, and the step that they ask for
// is zero. The largest residual, or mjMAXVAL where the steps do not get shorter or loops contradict
// each other.
static mjtNum close_by_secants(const mjModel* m, mjData* d, const snLoopRows* s,
                               const snClosing* c) {
  bool by_bodies = constrain_by_bodies(m, d);
  mjtNum before = mjMAXVAL;
  for (int i = 0; i <= MOST_STEPS; i++) {
    if (by_bodies)
      kinematics_bodies(m, d);
    else
      renew_positions(m, d);
    if (!constrain_residuals(m, d, c->x)) break;
    mjtNum gap = largest(c->x, s->n), length = 0;
    if (gap > CLOSED) {
      loop_solve(&s->f, c->x);
      bend_step(c->x, c->step, i, s->n);
      loop_motion(s, c->x, -1, c->change);
      length = largest(c->change, m->nv);
    }
    if (length == 0 || (length <= NO_STEP && gap <= OPEN)) {
      if (by_bodies) finish_positions(m, d);
      return gap;
    }
    if (!(length < SHRINKS * before)) break;
    before = length;
    move(m, d, c->change);
    mju_addTo(c->sum, c->x, s->n);
    mju_copy(c->step + i * s->n, c->x, s->n);
  }
  return mjMAXVAL;
}

// Newton's method, for loops that are far open, singular or contradict each other. A step that
// does not make the residual smaller is halved, a few times. Returns the largest residual.
static mjtNum close_by_newton(const mjModel* m, mjData* d, snMemory* memory, const snClosing* c) {
  mjtNum before = mjMAXVAL;
  int halved = 0;
  for (int i = 0; i <= MOST_NEWTON; i++) {
    snEqualities eq = {0};
    mjtNum* x;
    frame_open(memory);
    renew_positions(m, d);
    mj_comPos(m, d);
    bool good = constrain_equalities(m, d, memory, &eq) && eq.n && FRAME(memory, SN_ARRAY(x, eq.n));
    mjtNum gap = good ? largest(eq.r, eq.n) : 0;
    if (good && !(gap < before)) {
      mju_copy(d->qpos, c->qpos, m->nq);
      mju_scl(c->change, c->change, .5, m->nv);
      good = ++halved <= MOST_HALVINGS && before > OPEN;
    } else if (good) {
      before = gap;
      mju_copy(c->qpos, d->qpos, m->nq);
      mju_copy(x, eq.r, eq.n);
      const snLoopRows* s = gap > CLOSED ? loop_rows(m, d, &eq) : NULL;
      good = s != NULL;
      if (good) loop_solve(&s->f, x), loop_motion(s, x, -1, c->change);
      good = good && largest(c->change, m->nv) < mjMAXVAL;
    } else {
      before = 0;
    }
    if (good) move(m, d, c->change);
    frame_close(memory);
    if (!good) break;
  }
  renew_positions(m, d);
  return before;
}

// Along the surface in parts from where the step began and loops were closed, with the velocity
// behind the integrator: of each part the velocity that does not open loops, and that is no faster
// than it may be. A part that cannot be closed is halved; without any way on, the rest of the time
// is lost. Returns the largest residual.
static mjtNum follow_surface(const mjModel* m, mjData* d, snMemory* memory, const snClosing* c) {
  mjtNum h = m->opt.timestep, left = h, part = h / PARTS, gap = mjMAXVAL;
  mju_copy(d->qpos, c->open, m->nq);
  manifold_integrate_moving(m, d, d->qpos, d->qvel, -h);
  for (int i = 0; i < MOST_PARTS; i++) {
    mjtNum now = close_by_newton(m, d, memory, c);
    if (now <= OPEN) {
      gap = now;
      mju_copy(c->safe, d->qpos, m->nq);
      left -= i ? part : 0;
      close_velocity(m, d, memory, c->change);
      if (c->most > 0) bound_velocity(m, d, c->most, c->change);
    } else if (i) {
      mju_copy(d->qpos, c->safe, m->nq);
      part /= 2;
    } else {
      return now;
    }
    if (!(left > h / MOST_PARTS / MOST_PARTS)) break;
    part = mju_min(part, left);
    manifold_integrate_moving(m, d, d->qpos, d->qvel, part);
  }
  mju_copy(d->qpos, c->safe, m->nq);
  renew_positions(m, d);
  return gap;
}

// The velocity that Euler's method keeps is that of half a step before, v - h/2 a at the time of
// the positions. Bias forces are of the second degree in it: taken at v + h/2 a the step is one of
// second order, and energy does not drift with h. Here v is the one behind the integrator, and M,
// poses and qfrc_bias are those of the step's beginning.
static void centre_bias(const mjModel* m, mjData* d, const snLoopRows* s, const snClosing* c) {
  mjtNum h = m->opt.timestep, *after, *cvel, *dot, *change = c->change;
  size_t nv = (size_t)m->nv, nbody = (size_t)m->nbody;
  snMemory* memory = memory_of(d);
  frame_open(memory);
  if (FRAME(memory, SN_ARRAY(after, nv), SN_ARRAY(cvel, 6 * nbody), SN_ARRAY(dot, 6 * nv))) {
    mju_copy(after, d->qvel, m->nv);
    mju_copy(cvel, d->cvel, 6 * m->nbody);
    mju_copy(dot, d->cdof_dot, 6 * m->nv);
    mju_addToScl(d->qvel, d->qacc, -h / 2, m->nv);
    // along the equalities; across them, velocity is that of the position's time
    loop_rates(s, d->qvel, c->x);
    loop_solve(&s->f, c->x);
    loop_motion(s, c->x, -1, change);
    mju_addTo(d->qvel, change, m->nv);
    mj_comVel(m, d);
    mj_rne(m, d, 0, change);
    if (m->ntendon) tendon_bias(m, d, change);
    mju_subFrom(change, d->qfrc_bias, m->nv);
    mj_solveM(m, d, change, change, 1);
    mju_copy(d->qvel, after, m->nv);
    mju_copy(d->cvel, cvel, 6 * m->nbody);
    mju_copy(d->cdof_dot, dot, 6 * m->nv);
    mju_scl(change, change, -h, m->nv);
    if (largest(change, m->nv) < mjMAXVAL) {
      mju_addTo(d->qvel, change, m->nv);
      manifold_integrate_moving(m, d, d->qpos, change, h);
    }
  }
  frame_close(memory);
}

// Positions have moved by h v' from where the residual was r: now it is, but for terms of third
// order in h,
//
//   r + h J0 v' + h^2/2 Jdot v,   Jdot v = -b J0 v - k d r - aref (constrain/loops.c)
//
// and positions take the step that this asks for before the residual is looked at.
static void take_first_step(const mjModel* m, mjData* d, const snLoopRows* s, const snClosing* c) {
  mjtNum h = m->opt.timestep;
  SN_ASSERT(s->n == d->ne && s->nv == m->nv);  // the rows of the step
  loop_rates(s, d->qvel, c->x);
  for (int i = 0; i < s->n; i++) {
    const mjtNum* kbip = d->efc_KBIP + 4 * i;
    mjtNum r = d->efc_pos[i], soft = -kbip[1] * d->efc_vel[i] - kbip[0] * kbip[2] * r;
    c->x[i] = r + h * (c->x[i] + h / 2 * (soft - d->efc_aref[i]));
  }
  loop_solve(&s->f, c->x);
  loop_motion(s, c->x, -1, c->change);
  if (!(largest(c->change, m->nv) < LONGEST)) return;
  manifold_integrate_moving(m, d, d->qpos, c->change, 1);
  mju_copy(c->sum, c->x, s->n);
}

// Positions on the equalities, and the velocity that would have led there. Returns the largest
// residual.
static mjtNum close_positions(const mjModel* m, mjData* d, snMemory* memory, const snLoopRows* s,
                              snClosing* c) {
  mjtNum h = m->opt.timestep;
  bool closed = largest(d->efc_pos, s->n) <= OPEN;
  mju_copy(c->open, d->qpos, m->nq);
  mju_zero(c->sum, s->n);
  if (m->opt.integrator != mjINT_RK4) take_first_step(m, d, s, c);
  mjtNum gap = close_by_secants(m, d, s, c);
  if (gap < mjMAXVAL) {
    loop_motion(s, c->sum, -1 / h, c->change);
    change_velocity(m, d, c->change);
    c->most *= MARGIN;
    return gap;
  }
  mju_copy(d->qpos, c->open, m->nq);
  gap = close_by_newton(m, d, memory, c);
  if (closed && !(gap <= OPEN)) return follow_surface(m, d, memory, c);
  snEqualities first = constrain_step_equalities(m, d);
  s = loop_rows(m, d, &first);
  if (!s) return gap;
  mj_differentiatePos(m, c->change, h, c->open, d->qpos);
  loop_rates(s, c->change, c->x);
  loop_solve(&s->f, c->x);
  loop_motion(s, c->x, 1, c->change);
  change_velocity(m, d, c->change);
  return gap;
}

void integrate_close(const mjModel* m, mjData* d, mjtNum most, bool whole) {
  snMemory* memory = memory_of(d);
  snClosing c = {.most = most};
  snEqualities first = constrain_step_equalities(m, d);
  if (!first.n) return;
  size_t nv = (size_t)m->nv, nq = (size_t)m->nq, n = (size_t)first.n;
  const snLoopRows* s = loop_rows(m, d, &first);
  frame_open(memory);
  if (s && FRAME(memory, SN_ARRAY(c.change, nv), SN_ARRAY(c.qpos, nq), SN_ARRAY(c.open, nq),
                 SN_ARRAY(c.safe, nq), SN_ARRAY(c.x, n), SN_ARRAY(c.sum, n),
                 SN_ARRAY(c.step, n * (MOST_STEPS + 1)))) {
    int integrator = m->opt.integrator;
    bool centred = integrator == mjINT_EULER || integrator == mjINT_IMPLICITFAST;
    if (centred && m->opt.timestep * largest(d->qvel, m->nv) < SMOOTH) centre_bias(m, d, s, &c);
    mjtNum gap = close_positions(m, d, memory, s, &c);
    close_velocity(m, d, memory, c.change);
    if (c.most > 0) bound_velocity(m, d, c.most, c.change);
    smooth_keep(m, d, whole);
    if (!(gap <= OPEN))
      data_warn(d, snWARN_LOOPS, "loops: equalities contradict each other by %g", gap);
  }
  frame_close(memory);
}
