// The proximal method of multipliers, each of its problems solved by Newton's method.
//
// The convex problem  min 1/2 f'Df + f'c, f in K,  is regularized about a centre f0,
//
//   min 1/2 f'Df + f'c + sigma/2 |f - f0|^2,  f in K
//
// whose optimality condition is one equation over all of space, g = P_K(f0 - (D g + c) / sigma):
// the gradient (in the metric of D) of the convex function
//
//   phi(g) = 1/2 g'Dg + sigma/2 |P_K(f0 - (D g + c) / sigma)|^2
//
// phi has a continuous gradient and is quadratic between the edges of K, so that Newton's method
// with a search along each step ends in a few steps from anywhere. Then f0 = f and again: errors
// shrink by sigma / (sigma + the least eigenvalue of D that matters), whatever the rank of D.
// For the NCP the correction s of De Saxce is a function of g: Newton's method differentiates it,
// with the sum of squares of g - P_K as its merit, and holds it where that leads nowhere.
//
// Rows are scaled so that blocks of D have a mean diagonal of 1; sigma is relative to that.
#include <math.h>
#include <string.h>

#include "dual/private.h"

// From an easy problem, far from the hard one, to one whose centre hardly matters: with 1e-6 from
// the start Newton's method may take hundreds of steps from a far start, and below it rounding
// shows.
#define SIGMA_FIRST 1e-1
#define SIGMA_LAST 1e-7
#define SIGMA_NEAR 1e-3
#define EASY 15    // steps after which the next centre may be harder
#define STEPS 30   // of Newton's method for one centre
#define SEARCH 12  // evaluations of one line search

size_t proximal_scratch(const snDelassus* D) { return 10 * (size_t)dual_stride(D->n); }

typedef struct snProximal_ {
  const snDualNewton* newton;
  const snDual* p;
  const mjtNum* scale;
  mjtNum sigma;
  mjtNum *g, *f, *f0;  // scaled
  mjtNum *c, *v;       // c with De Saxce's correction; v = D g
  mjtNum *along, *y;   // D times the step; scratch
  mjtNum *w, *last;    // v with v_free; what the centre moved by last
} snProximal;

static void project_scaled(const snDualBlock* b, mjtNum scale, mjtNum* x) {
  snDualBlock scaled = *b;
  scaled.bound = b->bound / scale;
  project_block(&scaled, x);
}

// D x of the scaled problem
static void scaled_mul(const snProximal* q, mjtNum* y, const mjtNum* x) {
  const snDual* p = q->p;
  for (int i = 0; i < p->n; i++) q->y[i] = q->scale[i] * x[i];
  p->D->mul(p->D, y, q->y);
  for (int i = 0; i < p->n; i++) y[i] *= q->scale[i];
}

// f = P_K(f0 - (v + t along + c) / sigma); the slope of phi along the step there
static mjtNum slope_at(const snProximal* q, mjtNum t, const mjtNum* step) {
  const snDual* p = q->p;
  mjtNum slope = 0;
  for (int i = 0; i < p->n; i++) {
    q->f[i] = q->f0[i] - (q->v[i] + t * q->along[i] + q->c[i]) / q->sigma;
  }
  for (int k = 0; k < p->nblock; k++) {
    project_scaled(p->block + k, q->scale[p->block[k].row], q->f + p->block[k].row);
  }
  for (int i = 0; step && i < p->n; i++) {
    slope += (q->g[i] + t * step[i] - q->f[i]) * q->along[i];
  }
  return slope;
}

// The root of the slope, which grows along the step: at 1 where the quadratic of here goes on.
static mjtNum search(const snProximal* q, const mjtNum* step) {
  mjtNum low = 0, high = 1, at_low = slope_at(q, 0, step), at_high = slope_at(q, 1, step), t = 1;
  if (!(at_low < 0)) return 0;
  for (int k = 0; k < SEARCH && fabs(at_high) > -1e-3 * at_low; k++) {
    if (at_high < 0) {  // not reached yet
      low = high;
      at_low = at_high;
      high *= 2;
      t = high;
      at_high = slope_at(q, t, step);
      continue;
    }
    mjtNum width = high - low;
    t = low - at_low * width / (at_high - at_low);
    t = fmin(fmax(t, low + 0.05 * width), high - 0.05 * width);
    mjtNum now = slope_at(q, t, step);
    if (fabs(now) <= -1e-3 * at_low) break;
    if (now < 0)
      low = t, at_low = now;
    else
      high = t, at_high = now;
    t = high;
  }
  return t;
}

// y = f0 - (v + s) / sigma with v = D g + v_free and s of the point g + t step; f = P_K(y). Returns
// the sum of squares of F = g - f there.
static mjtNum merit_at(const snProximal* q, mjtNum t, const mjtNum* step) {
  const snDual* p = q->p;
  mjtNum sum = 0;
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    for (int i = b->row; i < b->row + b->nrow; i++) {
      q->w[i] = q->v[i] + t * q->along[i] + q->scale[i] * p->v_free[i];
      q->c[i] = q->scale[i] * p->v_free[i];
    }
    if (q->newton->form == snFORM_NCP) q->c[b->row] += desaxce(b, q->w + b->row);
    for (int i = b->row; i < b->row + b->nrow; i++) {
      q->y[i] = q->f[i] = q->f0[i] - (q->v[i] + t * q->along[i] + q->c[i]) / q->sigma;
    }
    project_scaled(b, q->scale[b->row], q->f + b->row);
    for (int i = b->row; i < b->row + b->nrow; i++) {
      mjtNum F = q->g[i] + (step ? t * step[i] : 0) - q->f[i];
      sum += F * F;
    }
  }
  return sum;
}

// The length of a step with s differentiated: the first half, quarter, ... that lowers the merit
// enough; 0: none does.
static mjtNum backtrack(const snProximal* q, const mjtNum* step, mjtNum merit) {
  for (mjtNum t = 1; t > 0.02; t *= 0.5) {
    if (merit_at(q, t, step) < (1 - 0.2 * t) * merit) return t;
  }
  return 0;
}

// Newton's method for one centre, until g is f but for rounding; the steps it took, or -1. A step
// that differentiates s is taken where it lowers the merit; where none does, s is held for one
// step, whose problem is convex.
static int minimize(const snProximal* q) {
  int n = q->p->n;
  const mjtNum* step = q->newton->step;
  scaled_mul(q, q->v, q->g);
  for (int k = 0; k < STEPS; k++) {
    memset(q->along, 0, sizeof(mjtNum) * (size_t)n);
    mjtNum worst = 0, size = 1e-12, merit = merit_at(q, 0, NULL);
    for (int i = 0; i < n; i++) {
      worst = fmax(worst, fabs(q->g[i] - q->f[i]));
      size = fmax(size, fabs(q->f[i]));
    }
    if (worst < 1e-11 * size) return k;
    if (!newton_proximal(q->newton, q->y, q->g, q->sigma, q->w)) return -1;
    scaled_mul(q, q->along, step);
    mjtNum t = backtrack(q, step, merit);
    if (t == 0) {
      memset(q->along, 0, sizeof(mjtNum) * (size_t)n);
      merit_at(q, 0, NULL);
      if (!newton_proximal(q->newton, q->y, q->g, q->sigma, NULL)) return -1;
      scaled_mul(q, q->along, step);
      t = search(q, step);
    }
    if (!(t > 0) || !isfinite(t)) return -1;
    for (int i = 0; i < n; i++) {
      q->g[i] += t * step[i];
      q->v[i] += t * q->along[i];
    }
  }
  return -1;
}

// The next centre: f, or beyond it where the last centres moved the same way. Where D hardly
// determines impulses the solution may be far, and a centre moves by no more than velocity / sigma.
static void move_centre(const snProximal* q, mjtNum* beyond) {
  mjtNum same = 0, now = 0, before = 0;
  int n = q->p->n;
  for (int i = 0; i < n; i++) {
    mjtNum df = q->f[i] - q->f0[i];
    same += df * q->last[i];
    now += df * df;
    before += q->last[i] * q->last[i];
    q->last[i] = df;
  }
  *beyond = same > 0.9 * sqrt(now * before) && same > 0 ? fmin(1e4, 2 * *beyond + 1) : 0;
  for (int k = 0; k < q->p->nblock; k++) {
    const snDualBlock* b = q->p->block + k;
    for (int i = b->row; i < b->row + b->nrow; i++) q->f0[i] = q->f[i] + *beyond * q->last[i];
    project_scaled(b, q->scale[b->row], q->f0 + b->row);
  }
  memcpy(q->g, q->f0, sizeof(mjtNum) * (size_t)n);
}

bool proximal(const snDualNewton* newton, int budget, mjtNum tolerance, mjtNum* force,
              mjtNum* natural, mjtNum* scratch, snSolverReport* report) {
  const snDual* p = newton->p;
  int n = p->n;
  size_t stride = (size_t)dual_stride(n);
  snProximal q = {.newton = newton, .p = p, .scale = newton->scale};
  // the nearer the start, the harder the first problem may be
  q.sigma = fmin(SIGMA_FIRST, fmax(10 * SIGMA_LAST, 10 * *natural));
  mjtNum** vectors[] = {&q.g, &q.f, &q.f0, &q.c, &q.v, &q.along, &q.y, &q.w, &q.last};
  for (int i = 0; i < 9; i++) *vectors[i] = scratch + (size_t)i * stride;
  mjtNum *real = scratch + 9 * stride, at_start = *natural, beyond = 0;
  if (p->R) return false;  // softened rows have a metric of their own
  for (int i = 0; i < n; i++) q.g[i] = q.f0[i] = force[i] / q.scale[i];
  memset(q.last, 0, sizeof(mjtNum) * (size_t)n);
  while (budget > 0 && report->iterations < p->set.iterations) {
    if (*natural <= tolerance || report->r_conflict > 0) break;
    int steps = minimize(&q);
    report->iterations++;
    budget -= steps < 0 ? STEPS : steps + 1;
    if (steps < 0) {  // too far: an easier problem, about the last centre
      q.sigma *= 5;
      memcpy(q.g, q.f0, sizeof(mjtNum) * (size_t)n);
      continue;
    }
    for (int i = 0; i < n; i++) real[i] = q.scale[i] * q.f[i];
    if (!numbers_finite(real, n)) break;
    dual_velocity(p, real, p->velocity);
    mjtNum now = dual_natural(p, newton->form, real, p->velocity);
    if (now < *natural) {
      *natural = now;
      memcpy(force, real, sizeof(mjtNum) * (size_t)n);
    }
    if (now <= tolerance) break;
    // far from the solution the state of contacts is not yet known
    if (q.sigma <= SIGMA_NEAR)
      newton_descend(newton, snNEWTON_WHOLE, tolerance, force, natural, report);
    move_centre(&q, &beyond);
    if (steps <= EASY) q.sigma = fmax(SIGMA_LAST, 0.1 * q.sigma);
  }
  return *natural < at_start;
}
