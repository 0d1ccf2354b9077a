// Semismooth Newton's method: once another method has found which contacts stick, slide or part,
// the equations of that state are smooth and their root is near.
//
// In the NCP (Alart and Curnier) with y = f - v:
//   y_N <= 0: f = 0    otherwise v_N = 0 and
//   |y_T| <= mu f_N: v_T = 0    otherwise f_T = mu f_N y_T / |y_T|
// In the CCP f = P_K(y). For one centre of the proximal method (proximal.c) g = P_K(y), where y is
// f0 - (D g + c) / sigma. Each block has a residual F with dF = G df + H dv, so that a step solves
//   (G + H (D + R + small)) df = -F,
// where the small number, of a diagonal scaled to 1, leaves alone what D does not determine.
//
// With D in factors the same system is solved over velocities (panels.h). C = G + H (R + small) is
// inverted block by block there, so that the small number cannot be as small as rounding: 1e-7, and
// the step is refined with the same factor, by which its influence vanishes.
#include <math.h>
#include <string.h>

#include "dual/private.h"

#define STEPS 8        // towards one state
#define BLOCKS 1e-6    // share of a step below which a contact does not block it
#define CONFLICT 1e-3  // m/s: what is more is no matter of rounding and drift

static void hold_velocity(snState* s, int i, int n, const mjtNum* v) {
  s->F[i] = v[i];
  s->H[i * n + i] = 1;
}

static void hold_force(snState* s, int i, int n, mjtNum error) {
  s->F[i] = error;
  s->G[i * n + i] = 1;
}

// One row: f = P(f - v) on a half-line or between bounds.
static void state_row(snState* s, mjtNum low, mjtNum high, const mjtNum* f, const mjtNum* v) {
  mjtNum y = f[0] - v[0];
  if (y > low && y < high)
    hold_velocity(s, 0, 1, v);
  else
    hold_force(s, 0, 1, f[0] - (y > low ? high : low));
}

static void state_coulomb(snState* s, mjtNum mu, int n, const mjtNum* f, const mjtNum* v) {
  mjtNum y[DUAL_MAXCONE] = {0}, radius = mu * fmax(0, f[0]);
  for (int i = 0; i < n; i++) y[i] = f[i] - v[i];
  if (y[0] <= 0) {
    for (int i = 0; i < n; i++) hold_force(s, i, n, f[i]);
    return;
  }
  hold_velocity(s, 0, n, v);
  mjtNum t = tangent_norm(y, n);
  for (int i = 1; i < n; i++) {
    if (radius <= 0) {
      hold_force(s, i, n, f[i]);
    } else if (t <= radius) {
      hold_velocity(s, i, n, v);
    } else {
      mjtNum q = radius / t;
      s->F[i] = f[i] - q * y[i];
      s->G[i * n] = -mu * y[i] / t;
      for (int j = 1; j < n; j++) {
        s->H[i * n + j] = q * ((i == j) - y[i] / t * y[j] / t);
        s->G[i * n + j] = (i == j) - s->H[i * n + j];
      }
    }
  }
}

// P = P_K(y) and H = dP_K there. On the surface P = a (1, mu n), a = (y_N + mu |y_T|) / (1 + mu^2).
static void cone_slope(mjtNum mu, int n, const mjtNum* y, mjtNum* P, mjtNum* H) {
  mjtNum d[DUAL_MAXCONE], t = tangent_norm(y, n), inv = 1 / (1 + mu * mu);
  mjtNum a = (y[0] + mu * t) * inv;
  for (int i = 0; i < n * n; i++) H[i] = 0;
  for (int i = 0; i < n; i++) P[i] = 0;
  if (t <= mu * y[0]) {
    for (int i = 0; i < n; i++) P[i] = y[i], H[i * n + i] = 1;
    return;
  }
  if (a <= 0) return;
  d[0] = 1;
  for (int i = 1; i < n; i++) d[i] = mu * y[i] / t;
  for (int i = 0; i < n; i++) {
    P[i] = a * d[i];
    for (int j = 0; j < n; j++) {
      mjtNum round = i && j ? mu * a / t * ((i == j) - y[i] / t * y[j] / t) : 0;
      H[i * n + j] = inv * d[i] * d[j] + round;
    }
  }
}

// f = P_K(f - v): G = 1 - H
static void state_convex(snState* s, mjtNum mu, int n, const mjtNum* f, const mjtNum* v) {
  mjtNum y[DUAL_MAXCONE] = {0}, P[DUAL_MAXCONE];
  for (int i = 0; i < n; i++) y[i] = f[i] - v[i];
  cone_slope(mu, n, y, P, s->H);
  bool inside = tangent_norm(y, n) <= mu * y[0];
  for (int i = 0; i < n; i++) {
    s->F[i] = inside ? v[i] : f[i] - P[i];
    for (int j = 0; j < n; j++) s->G[i * n + j] = (i == j) - s->H[i * n + j];
  }
}

// g = P_K(y), dy = -dv / sigma: G = 1, H = dP_K / sigma
static void state_proximal(const void* self, const snDualBlock* b, int row, int n, snState* s) {
  const snDualNewton* q = self;
  const mjtNum *y = q->y + row, *g = q->f + row;
  mjtNum P[DUAL_MAXCONE];
  if (b->kind == snDUAL_CONE) {
    cone_slope(b->mu, n, y, P, s->H);
    mjtNum slide = q->v ? tangent_norm(q->v + row, n) : 0;
    for (int j = 1; q->implicit && slide > 0 && j < n; j++) {
      for (int i = 0; i < n; i++) s->H[i * n + j] += s->H[i * n] * b->mu * q->v[row + j] / slide;
    }
  } else {
    mjtNum bound = b->bound / q->scale[row];
    mjtNum low = b->kind == snDUAL_BOX ? -bound : 0,
           high = b->kind == snDUAL_BOX ? bound : INFINITY;
    bool inside = b->kind == snDUAL_FREE || (y[0] > low && y[0] < high);
    P[0] = inside ? y[0] : y[0] > low ? high : low;
    s->H[0] = inside;
  }
  for (int i = 0; i < n; i++) {
    s->F[i] = g[i] - P[i];
    s->G[i * n + i] = 1;
    for (int j = 0; j < n; j++) s->H[i * n + j] /= q->sigma;
  }
}

// Residual and derivatives of rows [row, row + n) of a block.
static void block_state(const void* self, const snDualBlock* b, int row, int n, snState* s) {
  const snDualNewton* q = self;
  const mjtNum *f = q->f + row, *v = q->v + row, *scale = q->scale;
  if (b->kind == snDUAL_FREE)
    hold_velocity(s, 0, 1, v);
  else if (b->kind == snDUAL_BOX)
    state_row(s, -b->bound / scale[row], b->bound / scale[row], f, v);
  else if (b->kind == snDUAL_HALF)
    state_row(s, 0, INFINITY, f, v);
  else if (q->form == snFORM_NCP)
    state_coulomb(s, b->mu, n, f, v);
  else
    state_convex(s, b->mu, n, f, v);
}

// The step of one centre: q->step.
bool newton_proximal(const snDualNewton* newton, const mjtNum* y, const mjtNum* g, mjtNum sigma,
                     const mjtNum* v) {
  snDualNewton q = *newton;
  q.implicit = v != NULL;
  if (v) memcpy(q.v, v, sizeof(mjtNum) * (size_t)q.p->n);
  q.y = y;
  q.sigma = sigma;
  q.small = 0;
  memcpy(q.f, g, sizeof(mjtNum) * (size_t)q.p->n);
  q.state = state_proximal;
  q.self = &q;
  return newton_direction(&q);
}

// How far up to `length` a contact that sticks may go until it slides; one that is as good as
// sliding does not block.
static mjtNum stick_length(const snDualNewton* q, const snDualBlock* b, mjtNum length) {
  mjtNum x[DUAL_MAXCONE], dx[DUAL_MAXCONE];
  for (int i = 0; i < b->nrow; i++) {
    x[i] = q->f[b->row + i] * (i ? 1 : b->mu);
    dx[i] = length * q->step[b->row + i] * (i ? 1 : b->mu);
  }
  if (lorentz(x, b->nrow) < BLOCKS * x[0] * x[0]) return length;
  mjtNum room = length * cone_room(x, dx, b->nrow);
  return room > BLOCKS ? room : length;
}

// As far as the first contact or limit that lets go, or the first contact that slides: the next
// step knows it as that. Where D does not determine reactions these may go far without this.
static mjtNum step_length(const snDualNewton* q, mjtNum length) {
  for (int k = 0; k < q->p->nblock; k++) {
    const snDualBlock* b = q->p->block + k;
    if (b->kind < snDUAL_HALF) continue;
    mjtNum f = q->f[b->row], step = q->step[b->row];
    // one that is as good as open does not block
    if (f > 0 && f + length * step < 0 && f > -BLOCKS * step) length = -f / step;
    if (b->kind == snDUAL_CONE && b->mu > 0 && f > 0) length = stick_length(q, b, length);
  }
  return length;
}

// Equalities that repeat each other (loops in the plane, doors on two hinges) and ask for
// velocities that differ cannot be met by any impulse: the step leaves the same residual, however
// often it is refined. Are the tolerances met but for that residual? It is then the conflict of the
// report.
static bool conflict_only(const snDualNewton* q, mjtNum tolerance, snSolverReport* report) {
  const snDual* p = q->p;
  mjtNum conflict = 0;
  if (!q->A->inner || q->small > 1e-6) return false;
  memcpy(q->product, q->velocity, sizeof(mjtNum) * (size_t)p->n);
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    for (int i = b->row; b->kind == snDUAL_FREE && i < b->row + b->nrow; i++) {
      mjtNum left = q->rest[i] / q->scale[i];
      q->product[i] += left;
      conflict = fmax(conflict, fabs(left));
    }
  }
  if (conflict > CONFLICT || !(dual_natural(p, q->form, q->real, q->product) <= tolerance)) {
    return false;
  }
  report->r_conflict = conflict;
  return true;
}

// Steps from `force` on, while the residual falls: the first may lead away, as it finds the state.
static bool descend(const snDualNewton* q, mjtNum tolerance, mjtNum* force, mjtNum* natural,
                    snSolverReport* report) {
  const snDual* p = q->p;
  int n = p->n;
  mjtNum last = *natural, reach = 1;
  bool better = false;
  for (int i = 0; i < n; i++) {
    q->real[i] = force[i];
    q->f[i] = force[i] / q->scale[i];
  }
  dual_velocity(p, q->real, q->velocity);
  mjtNum objective = dual_objective(p, q->real, q->velocity);
  // a step over rows costs n / 3 iterations of ADMM: large problems get few
  int afford = q->A->inner ? 20 : 4 + 2400 / n, most = q->careful ? STEPS + p->nblock : STEPS;
  for (int k = 0; k < (most < afford ? most : afford); k++) {
    for (int i = 0; i < n; i++) q->v[i] = q->scale[i] * q->velocity[i];
    if (!newton_direction(q)) break;
    mjtNum length = q->careful ? step_length(q, reach) : 1;
    for (int i = 0; i < n; i++) q->real[i] = q->scale[i] * (q->f[i] + length * q->step[i]);
    if (!numbers_finite(q->real, n)) break;
    project_all(p, q->real);
    dual_velocity(p, q->real, q->velocity);
    mjtNum now = dual_natural(p, q->form, q->real, q->velocity);
    mjtNum change = 0, before = objective;
    objective = dual_objective(p, q->real, q->velocity);
    for (int i = 0; i < n; i++) {
      change = fmax(change, fabs(q->real[i] - q->scale[i] * q->f[i]));
      q->f[i] = q->real[i] / q->scale[i];
    }
    bool conflict = now > tolerance && length == 1 && conflict_only(q, tolerance, report);
    if (now < *natural || conflict) {
      *natural = now;
      report->r_iterate = change;
      report->r_objective = fabs(objective - before) / (p->inertia > 0 ? p->inertia : 1);
      memcpy(force, q->real, sizeof(mjtNum) * (size_t)n);
      better = true;
    }
    if (now <= tolerance || conflict || !isfinite(now) ||
        (k > 1 && length == 1 && now > 0.5 * last && !q->careful))
      break;
    // what D does not determine moves by velocity / small in a step: further where nothing changes
    reach = length == reach && now > 0.5 * last && now < 2 * last ? fmin(1e3, 4 * reach) : 1;
    last = now;
  }
  return better;
}

bool newton_descend(const snDualNewton* newton, int how, mjtNum tolerance, mjtNum* force,
                    mjtNum* natural, snSolverReport* report) {
  static const mjtNum small[2][3] = {{1e-12, 1e-5, 1e-12}, {1e-7, 1e-5, 1e-7}};
  snDualNewton q = *newton;
  q.small = small[q.A->inner != NULL][how];
  q.careful = how == snNEWTON_SHORT;
  q.state = block_state;
  q.self = &q;
  return descend(&q, tolerance, force, natural, report);
}

bool polish(const snDualNewton* newton, mjtNum tolerance, mjtNum* force, mjtNum* natural,
            snSolverReport* report) {
  bool better = false;
  for (int how = snNEWTON_WHOLE; how <= snNEWTON_SHORT && *natural > tolerance; how++) {
    better |= newton_descend(newton, how, tolerance, force, natural, report);
  }
  return better;
}
