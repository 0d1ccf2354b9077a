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
// For the NCP the correction s of De Saxce in c is renewed with the centre.
//
// Rows are scaled so that blocks of D have a mean diagonal of 1; sigma is relative to that.
#include <math.h>
#include <string.h>

#include "dual/private.h"

// From an easy problem, far from the hard one, to one whose centre hardly matters: with 1e-6 from
// the start Newton's method may take hundreds of steps from a far start, and below it rounding
// shows.
#define SIGMA_FIRST 1e-1
#define SIGMA_LAST 1e-6
#define CENTRES 40  // times that the centre moves
#define EASY 15     // steps after which the next centre may be harder
#define STEPS 30    // of Newton's method for one centre
#define SEARCH 12   // evaluations of one line search

size_t proximal_scratch(const snDelassus* D) { return 8 * (size_t)dual_stride(D->n); }

typedef struct snProximal_ {
  const snNewton* newton;
  const snDual* p;
  const mjtNum* scale;
  mjtNum sigma;
  mjtNum *g, *f, *f0;  // scaled
  mjtNum *c, *v;       // c with De Saxce's correction; v = D g
  mjtNum *along, *y;   // D times the step; scratch
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

// Newton's method for one centre, until g is f but for rounding; the steps it took, or -1.
static int minimize(const snProximal* q) {
  const snDual* p = q->p;
  int n = p->n;
  scaled_mul(q, q->v, q->g);
  for (int k = 0; k < STEPS; k++) {
    mjtNum worst = 0, size = 1e-12;
    slope_at(q, 0, NULL);
    for (int i = 0; i < n; i++) {
      worst = fmax(worst, fabs(q->g[i] - q->f[i]));
      size = fmax(size, fabs(q->f[i]));
      q->y[i] = q->f0[i] - (q->v[i] + q->c[i]) / q->sigma;
    }
    if (worst < 1e-11 * size) return k;
    if (!newton_proximal(q->newton, q->y, q->g, q->sigma)) return -1;
    const mjtNum* step = q->newton->step;
    scaled_mul(q, q->along, step);
    mjtNum t = search(q, step);
    if (!(t > 0) || !isfinite(t)) return -1;
    for (int i = 0; i < n; i++) {
      q->g[i] += t * step[i];
      q->v[i] += t * q->along[i];
    }
  }
  return -1;
}

// c = v_free + s(v), scaled
static void renew(const snProximal* q, int form, const mjtNum* velocity) {
  for (int k = 0; k < q->p->nblock; k++) {
    const snDualBlock* b = q->p->block + k;
    for (int i = b->row; i < b->row + b->nrow; i++) q->c[i] = q->scale[i] * q->p->v_free[i];
    if (form == snFORM_NCP) q->c[b->row] += q->scale[b->row] * desaxce(b, velocity + b->row);
  }
}

bool proximal(const snNewton* newton, mjtNum tolerance, mjtNum* force, mjtNum* natural,
              mjtNum* scratch, snSolverReport* report) {
  const snDual* p = newton->p;
  int n = p->n;
  size_t stride = (size_t)dual_stride(n);
  snProximal q = {.newton = newton, .p = p, .scale = newton->scale, .sigma = SIGMA_FIRST};
  mjtNum** vectors[] = {&q.g, &q.f, &q.f0, &q.c, &q.v, &q.along, &q.y};
  for (int i = 0; i < 7; i++) *vectors[i] = scratch + (size_t)i * stride;
  mjtNum* real = scratch + 7 * stride;
  if (p->R) return false;  // softened rows have a metric of their own
  for (int i = 0; i < n; i++) q.g[i] = q.f0[i] = force[i] / q.scale[i];
  memcpy(real, force, sizeof(mjtNum) * (size_t)n);
  dual_velocity(p, real, p->velocity);
  bool better = false;
  for (int k = 0; k<CENTRES&& * natural> tolerance && !report->r_conflict; k++) {
    renew(&q, newton->form, p->velocity);
    int steps = minimize(&q);
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
      better = true;
    }
    if (now <= tolerance) break;
    better |= newton_descend(newton, snNEWTON_WHOLE, tolerance, force, natural, report);
    if (report->r_conflict > 0) break;
    memcpy(q.f0, q.f, sizeof(mjtNum) * (size_t)n);
    memcpy(q.g, q.f, sizeof(mjtNum) * (size_t)n);
    if (steps <= EASY) q.sigma = fmax(SIGMA_LAST, 0.1 * q.sigma);
  }
  return better;
}
