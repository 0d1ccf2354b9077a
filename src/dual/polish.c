// The last digits by Newton's method: once the iterations of a solver have found which contacts
// stick, slide or part, the equations of that state are smooth and their root is near.
//
// In the NCP (Alart and Curnier) with y = f - v:
//   y_N <= 0: f = 0    otherwise v_N = 0 and
//   |y_T| <= mu f_N: v_T = 0    otherwise f_T = mu f_N y_T / |y_T|
// In the CCP f = P_K(y). Each block has a residual F with dF = G df + H dv, so that a step solves
//   (G + H (D + R + small)) df = -F,
// where the small number, of a diagonal scaled to 1, leaves alone what D does not determine.
#include <math.h>
#include <string.h>

#include "dual/private.h"

#define STEPS 8

size_t polish_scratch(int n) {
  size_t stride = (size_t)dual_stride(n);
  return (size_t)n * stride + 6 * stride;
}

typedef struct snState_ {
  mjtNum F[DUAL_MAXCONE], G[DUAL_MAXCONE * DUAL_MAXCONE], H[DUAL_MAXCONE * DUAL_MAXCONE];
} snState;

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

// H = dP_K at y, G = 1 - H. On the surface P = a (1, mu n), a = (y_N + mu |y_T|) / (1 + mu^2).
static void state_convex(snState* s, mjtNum mu, int n, const mjtNum* f, const mjtNum* v) {
  mjtNum y[DUAL_MAXCONE] = {0}, d[DUAL_MAXCONE];
  for (int i = 0; i < n; i++) y[i] = f[i] - v[i];
  mjtNum t = tangent_norm(y, n), inv = 1 / (1 + mu * mu), a = (y[0] + mu * t) * inv;
  if (t <= mu * y[0]) {
    for (int i = 0; i < n; i++) hold_velocity(s, i, n, v);
    return;
  }
  if (a <= 0) {
    for (int i = 0; i < n; i++) hold_force(s, i, n, f[i]);
    return;
  }
  d[0] = 1;
  for (int i = 1; i < n; i++) d[i] = mu * y[i] / t;
  for (int i = 0; i < n; i++) {
    s->F[i] = f[i] - a * d[i];
    for (int j = 0; j < n; j++) {
      mjtNum round = i && j ? mu * a / t * ((i == j) - y[i] / t * y[j] / t) : 0;
      s->H[i * n + j] = inv * d[i] * d[j] + round;
      s->G[i * n + j] = (i == j) - s->H[i * n + j];
    }
  }
}

typedef struct snPolish_ {
  const snDual* p;
  int form;
  const snMatrix* A;
  const mjtNum* scale;
  mjtNum *N, *f, *v, *step, *real, *velocity;
  mjtNum small;
  bool careful;  // short steps, where the solution is one of many
} snPolish;

SN_KERNEL static void add_row(mjtNum* to, const mjtNum* row, const mjtNum* scale, mjtNum s, int n) {
  for (int j = 0; j < n; j++) to[j] += s * row[j] * scale[j];
}

// Rows of the Newton matrix that belong to one block, and the negative residual.
static void block_rows(const snPolish* q, const snDualBlock* b) {
  const snMatrix* A = q->A;
  const mjtNum *scale = q->scale, *R = q->p->R;
  int n = b->kind == snDUAL_FREE ? 1 : b->nrow;
  for (int row = b->row; row < b->row + b->nrow; row += n) {
    const mjtNum *f = q->f + row, *v = q->v + row;
    snState s = {{0}, {0}, {0}};
    if (b->kind == snDUAL_FREE)
      hold_velocity(&s, 0, 1, v);
    else if (b->kind == snDUAL_BOX)
      state_row(&s, -b->bound / scale[row], b->bound / scale[row], f, v);
    else if (b->kind == snDUAL_HALF)
      state_row(&s, 0, INFINITY, f, v);
    else if (q->form == snFORM_NCP)
      state_coulomb(&s, b->mu, n, f, v);
    else
      state_convex(&s, b->mu, n, f, v);
    for (int i = 0; i < n; i++) {
      mjtNum* to = q->N + (size_t)(row + i) * A->stride;
      memset(to, 0, sizeof(mjtNum) * (size_t)A->stride);
      q->step[row + i] = -s.F[i];
      for (int j = 0; j < n; j++) {
        mjtNum h = s.H[i * n + j], own = scale[row + j];
        if (h != 0) add_row(to, A->A + (size_t)(row + j) * A->stride, scale, h * own, A->n);
        to[row + j] += s.G[i * n + j] + h * (q->small + (R ? R[row + j] * own * own : 0));
      }
    }
  }
}

SN_KERNEL static void take_row(mjtNum* from, const mjtNum* row, mjtNum s, int begin, int n) {
  for (int j = begin; j < n; j++) from[j] -= s * row[j];
}

// x <- inv(N) x by elimination with the largest pivot of each column; N is used up. False when it
// is singular.
static bool solve_full(mjtNum* N, mjtNum* x, int n, int stride) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(N[(size_t)i * stride + k]) > fabs(N[(size_t)best * stride + k])) best = i;
    }
    mjtNum *row = N + (size_t)k * stride, *other = N + (size_t)best * stride;
    if (!(fabs(other[k]) > 1e-14)) return false;
    if (best != k) {
      for (int j = k; j < n; j++) {
        mjtNum swap = row[j];
        row[j] = other[j];
        other[j] = swap;
      }
      mjtNum swap = x[k];
      x[k] = x[best];
      x[best] = swap;
    }
    for (int i = k + 1; i < n; i++) {
      mjtNum *below = N + (size_t)i * stride, s = below[k] / row[k];
      if (s == 0) continue;
      take_row(below, row, s, k + 1, n);
      x[i] -= s * x[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    const mjtNum* row = N + (size_t)k * stride;
    for (int j = k + 1; j < n; j++) x[k] -= row[j] * x[j];
    x[k] /= row[k];
  }
  return true;
}

// As far as the first contact or limit that lets go: its impulse is then zero, and the next step
// knows it as open. Where D does not determine reactions these may go far without this.
static mjtNum step_length(const snPolish* q) {
  mjtNum length = 1;
  for (int k = 0; k < q->p->nblock; k++) {
    const snDualBlock* b = q->p->block + k;
    if (b->kind < snDUAL_HALF) continue;
    mjtNum f = q->f[b->row], step = q->step[b->row];
    // one that is as good as open does not block
    if (f > 0 && f + length * step < 0 && f > -1e-6 * step) length = -f / step;
  }
  return length;
}

// Steps from `force` on, while the residual falls: the first may lead away, as it finds the state.
static bool descend(const snPolish* q, mjtNum tolerance, mjtNum* force, mjtNum* natural,
                    snSolverReport* report) {
  const snDual* p = q->p;
  int n = p->n;
  mjtNum last = *natural;
  bool better = false;
  for (int i = 0; i < n; i++) {
    q->real[i] = force[i];
    q->f[i] = force[i] / q->scale[i];
  }
  dual_velocity(p, q->real, q->velocity);
  mjtNum objective = dual_objective(p, q->real, q->velocity);
  // a step costs n / 3 iterations of ADMM: large problems get few
  int afford = 4 + 2400 / n, most = q->careful ? STEPS + p->nblock : STEPS;
  for (int k = 0; k < (most < afford ? most : afford); k++) {
    for (int i = 0; i < n; i++) q->v[i] = q->scale[i] * q->velocity[i];
    for (int b = 0; b < p->nblock; b++) block_rows(q, p->block + b);
    if (!solve_full(q->N, q->step, n, q->A->stride)) break;
    mjtNum length = q->careful ? step_length(q) : 1;
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
    if (now < *natural) {
      *natural = now;
      report->r_iterate = change;
      report->r_objective = fabs(objective - before) / (p->inertia > 0 ? p->inertia : 1);
      memcpy(force, q->real, sizeof(mjtNum) * (size_t)n);
      better = true;
    }
    if (now <= tolerance || !isfinite(now) || (k > 1 && length == 1 && now > 0.5 * last)) break;
    last = now;
  }
  return better;
}

// Whole steps first; then damped where D hardly determines reactions; then whole but short ones.
bool polish(const snDual* p, int form, const snMatrix* A, const mjtNum* scale, mjtNum tolerance,
            mjtNum* force, mjtNum* natural, mjtNum* scratch, snSolverReport* report) {
  static const mjtNum small[] = {1e-12, 1e-5, 1e-12};
  size_t stride = (size_t)A->stride;
  snPolish q = {.p = p, .form = form, .A = A, .scale = scale, .N = scratch};
  q.f = scratch + (size_t)p->n * stride;
  q.v = q.f + stride;
  q.step = q.v + stride;
  q.real = q.step + stride;
  q.velocity = q.real + stride;
  bool better = false;
  for (int k = 0; k < 3 && *natural > tolerance; k++) {
    q.small = small[k];
    q.careful = k == 2;
    better |= descend(&q, tolerance, force, natural, report);
  }
  return better;
}
