// The central path of the NCP, followed wherever it leads.
//
// Interior-point methods follow x o z = tau e as tau shrinks (interior.c has x, z and the scaling).
// De Saxce's s is not convex, so that the path turns: tau has to grow again for a while before it
// can shrink, and steps that only ever shrink tau end there. Here the path is followed as a curve
// (f, tau), through every turn:
//
//   z(f, tau) = A (D + delta) f + A c + theta s + (tau / tau0) r,    x(f) o z(f, tau) = tau e
//
// theta = 1 / (1 + tau / tau1) takes s out of a large tau, where the problem is then convex and has
// one solution; r makes the start a point of the curve; delta = kappa tau bounds stress that D does
// not determine; s = sqrt(|v_T|^2 + eps^2) with eps in proportion to tau has no corner. All of them
// vanish with tau. Such a curve begins at the one solution for tau0 and, but for exceptions, ends
// at a solution of the NCP.
//
// A step solves the system of Newton's method twice with one factor: a leads back to the curve at
// the same tau, b along it. tau shrinks along the curve where the determinant of the system is
// positive, as at its start, and grows where it is negative: the factors know its sign, so that no
// step, however long, takes the curve for its way back. Length is measured relative to the point,
// in the metric of the scaling, and limited by a neighbourhood of tau: eigenvalues of x o z between
// gamma tau and tau / gamma.
//
// Where a contact slides and its direction turns, a step turns it by about sqrt(tau): such a curve
// is long, hundreds or thousands of steps at nearly the same tau. So all courses are tried for a
// short while first, and far when all else failed. Where rounding or a corner left the point so far
// from its curve that only tiny steps stay in the neighbourhood, r is chosen anew, which makes the
// point one of another curve.
//
// Near the end of the curve, and where it stands, another one without a barrier is tried from there
// (pieces.c), and at the end plain steps of the interior-point method as well (interior_dive).
// Another course, with other constants, is another curve.
#include <math.h>
#include <string.h>

#include "dual/cones.h"
#include "dual/private.h"

#define STEPS 300       // of one course,
#define STEPS_FAR 3000  // and of one that is the last resort
#define TRIES 12        // lengths of one step
#define PATIENT 6       // tries behind which a step may become very short
#define SHRINK 0.9      // share of tau that a step may take away,
#define GROW 2.0        // or add
#define LONGEST 10      // length of a step
#define LOOK 1e-5       // tau / tau0 from which on the natural map is worth its price
#define DIVE 1e-7       // tau of the first attempt at the last digits,
#define DIVE_NEXT 0.03  // and what it is multiplied by for the next
#define LEAST_TAU 1e-20
#define STUCK 1e-3  // length of a step behind which the point is far from its curve
#define ANEW 0.5    // length of the first step of another one
#define LEAST_DELTA 1e-11
#define STANDING 60  // steps without half of tau gained: the end of a course
#define STOOD 3      // when that happens for the third time
#define HOLDS 2      // courses behind which the proximal method is tried again
#define CENTRES 60   // steps of the proximal method for what came close
#define RENEW 5      // steps behind which velocities are read anew

typedef struct snCourse_ {
  mjtNum gamma, theta, eps, kappa;  // theta: tau1 over tau0
} snCourse;

static const snCourse kCourse[] = {
    {0.1, 0.1, 3, 1e-4}, {0.3, 1e-2, 10, 1e-3}, {0.03, 1e-2, 3, 1e-3},
    {0.3, 0.1, 1, 1e-3}, {0.1, 1e-3, 30, 1e-5}, {0.5, 10, 3, 1e-2},
};
enum { COURSES = sizeof kCourse / sizeof *kCourse };

// A change of the point: impulses, velocities D f, slacks
typedef struct snChange_ {
  mjtNum *f, *w, *z, *z2;
} snChange;

typedef struct snPath_ {
  snDualNewton* newton;  // with the system of this method
  const snDual* p;
  mjtNum *f, *w, *v, *x, *z, *x2, *z2;  // the point: scaled, w = D f + c, v = w + delta f
  mjtNum* shift;                        // r
  snChange back, along, both;           // a, b by log tau, a + w b
  snChange next;                        // the point that is tried
  mjtNum *eta, *axis, *lambda, *negative;
  mjtNum tau, tau0, tau1, kappa, eps, gamma;
  int ncone;
} snPath;

enum { VECTORS = 29 };
size_t continuation_scratch(const snDelassus* D) { return VECTORS * (size_t)dual_stride(D->n); }

static mjtNum theta(const snPath* q, mjtNum tau) { return 1 / (1 + tau / q->tau1); }
static mjtNum delta(const snPath* q, mjtNum tau) { return q->kappa * tau + LEAST_DELTA; }
static bool coulomb(const snPath* q, int n) { return n > 1 && q->newton->form == snFORM_NCP; }

// sqrt(|v_T|^2 + eps^2)
static mjtNum slide_of(const snPath* q, const mjtNum* v, int n, mjtNum tau) {
  mjtNum e = q->eps * tau, t = tangent_norm(v, n);
  return sqrt(t * t + e * e);
}

// z of a cone at velocities v (with delta f in them)
static void slack(const snPath* q, const snDualBlock* b, const mjtNum* v, mjtNum tau, mjtNum* z) {
  int n = cone_rows(b);
  const mjtNum* r = q->shift + b->row;
  mjtNum share = tau / q->tau0;
  z[0] = v[0] / cone_mu(b) + share * r[0];
  for (int i = 1; i < n; i++) z[i] = v[i] + share * r[i];
  if (coulomb(q, n)) z[0] += theta(q, tau) * slide_of(q, v, n, tau);
}

// A dv
static void slack_change(const snPath* q, const snDualBlock* b, const mjtNum* v, const mjtNum* dv,
                         mjtNum* dz) {
  int n = cone_rows(b);
  dz[0] = dv[0] / cone_mu(b);
  for (int i = 1; i < n; i++) dz[i] = dv[i];
  if (!coulomb(q, n)) return;
  mjtNum slope = theta(q, q->tau) / slide_of(q, v, n, q->tau);
  for (int i = 1; i < n; i++) dz[0] += slope * v[i] * dv[i];
}

// dz / dtau at the same impulses
static void slack_by_tau(const snPath* q, const snDualBlock* b, const mjtNum* v, mjtNum* dz) {
  int n = cone_rows(b);
  const mjtNum *f = q->f + b->row, *r = q->shift + b->row;
  mjtNum df[DUAL_MAXCONE] = {0};
  for (int i = 0; i < n; i++) df[i] = q->kappa * f[i];
  slack_change(q, b, v, df, dz);
  for (int i = 0; i < n; i++) dz[i] += r[i] / q->tau0;
  if (!coulomb(q, n)) return;
  mjtNum share = theta(q, q->tau), slide = slide_of(q, v, n, q->tau);
  dz[0] += -share * share / q->tau1 * slide + share * q->eps * q->eps * q->tau / slide;
}

static snScaling scaling_of(const snPath* q, const snDualBlock* b) {
  return (snScaling){cone_rows(b), q->eta[b->row], q->axis + b->row, q->lambda + b->row};
}

// -F at the same tau, or with `along` its change by tau
static void negative_of(const snPath* q, const snDualBlock* b, bool along, mjtNum* to) {
  int row = b->row, n = cone_rows(b);
  if (b->kind == snDUAL_FREE) {
    for (int i = 0; i < b->nrow; i++) {
      to[i] = along ? -q->kappa * q->f[row + i] - q->shift[row + i] / q->tau0
                    : -q->v[row + i] - q->tau / q->tau0 * q->shift[row + i];
    }
    return;
  }
  if (b->kind == snDUAL_BOX) {
    mjtNum x1 = q->x[row], x2 = q->x2[row], z1 = q->z[row], z2 = q->z2[row];
    mjtNum inverse = 1 / (z1 / x1 + z2 / x2);
    if (along)
      *to = inverse * (1 / x1 - 1 / x2 - q->kappa * q->f[row] - q->shift[row] / q->tau0);
    else
      *to = inverse * (q->tau / x1 - q->tau / x2 - q->v[row] - q->tau / q->tau0 * q->shift[row]);
    return;
  }
  snScaling s = scaling_of(q, b);
  mjtNum u[DUAL_MAXCONE] = {0}, y[DUAL_MAXCONE], a[DUAL_MAXCONE], c[DUAL_MAXCONE] = {0};
  u[0] = along ? 1 : q->tau;
  divide(s.lambda, u, n, y);
  if (!along) {
    for (int i = 0; i < n; i++) y[i] -= s.lambda[i];
  } else {
    mjtNum dz[DUAL_MAXCONE], d[DUAL_MAXCONE];
    slack_by_tau(q, b, q->v + row, dz);
    scaling_mul(&s, dz, false, d);
    scaling_mul(&s, d, false, c);
  }
  scaling_mul(&s, y, false, a);
  for (int i = 0; i < n; i++) to[i] = (a[i] - c[i]) / (i ? 1 : cone_mu(b));
  for (int i = n; i < b->nrow; i++) to[i] = along ? 0 : -q->f[row + i];
}

static void path_state(const void* self, const snDualBlock* b, int row, int n, snState* s) {
  const snPath* q = self;
  mjtNum negative[DUAL_MAXCONE];
  if (b->kind == snDUAL_FREE) {
    s->F[0] = q->v[row] + q->tau / q->tau0 * q->shift[row];
    s->H[0] = 1;
    return;
  }
  for (int i = 0; i < n; i++) s->G[i * n + i] = 1;
  if (b->kind == snDUAL_BOX) {
    mjtNum x1 = q->x[row], x2 = q->x2[row], z1 = q->z[row], z2 = q->z2[row];
    s->H[0] = 1 / (z1 / x1 + z2 / x2);
    negative_of(q, b, false, negative);
    s->F[0] = -negative[0];
    return;
  }
  int size = cone_rows(b);
  snScaling w = {size, 0, q->axis + row, q->lambda + row};
  mjtNum W2[DUAL_MAXCONE * DUAL_MAXCONE], mu = cone_mu(b);
  scaling_make(&w, q->x + row, q->z + row);
  q->eta[row] = w.eta;
  scaling_square(&w, W2);
  negative_of(q, b, false, negative);
  mjtNum share = coulomb(q, size) ? theta(q, q->tau) / slide_of(q, q->v + row, size, q->tau) : 0;
  for (int i = 0; i < n; i++) s->F[i] = -negative[i];
  for (int i = 0; i < size; i++) {
    for (int j = 0; j < size; j++) {
      mjtNum slope = share * q->v[row + j];
      mjtNum h = j ? W2[i * size + j] + W2[i * size] * slope : W2[i * size] / mu;
      s->H[i * n + j] = h / (i ? 1 : mu);
    }
  }
}

// Impulses, velocities and slacks of the last solve; those along the path by log tau.
static void take_solve(const snPath* q, bool along, const snChange* to) {
  const snDual* p = q->p;
  mjtNum unit = along ? q->tau : 1;
  memcpy(to->f, q->newton->step, sizeof(mjtNum) * (size_t)p->n);
  newton_change(q->newton, to->w);  // (D + R + delta) df
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    int row = b->row, n = cone_rows(b);
    if (b->kind == snDUAL_BOX) {
      mjtNum x1 = q->x[row], x2 = q->x2[row], z1 = q->z[row], z2 = q->z2[row];
      mjtNum d = along ? 1 : q->tau, step = to->f[row];
      to->z[row] = unit * (d / x1 - (along ? 0 : z1) - z1 / x1 * step);
      to->z2[row] = unit * (d / x2 - (along ? 0 : z2) + z2 / x2 * step);
    } else if (b->kind >= snDUAL_HALF) {
      mjtNum t[DUAL_MAXCONE] = {0};
      if (along) slack_by_tau(q, b, q->v + row, t);
      slack_change(q, b, q->v + row, to->w + row, to->z + row);
      for (int i = 0; i < n; i++) to->z[row + i] = unit * (to->z[row + i] + t[i]);
    }
  }
  for (int i = 0; i < p->n; i++) {
    to->w[i] = unit * (to->w[i] - q->newton->small * to->f[i]);
    to->f[i] *= unit;
  }
}

// Inner product of two changes relative to the point: (inv(W) dx)'(inv(W) dx') + (W dz)'(W dz')
// over tau, the mean over cones
static mjtNum inner(const snPath* q, const snChange* a, const snChange* b) {
  const snDual* p = q->p;
  mjtNum sum = 0;
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* block = p->block + k;
    int row = block->row, n = cone_rows(block);
    if (block->kind == snDUAL_FREE) continue;
    if (block->kind == snDUAL_BOX) {
      mjtNum r1 = q->z[row] / q->x[row], r2 = q->z2[row] / q->x2[row];
      sum += a->f[row] * b->f[row] * (r1 + r2) + a->z[row] * b->z[row] / r1 +
             a->z2[row] * b->z2[row] / r2;
      continue;
    }
    snScaling s = scaling_of(q, block);
    mjtNum x1[DUAL_MAXCONE] = {0}, x2[DUAL_MAXCONE] = {0}, y1[DUAL_MAXCONE], y2[DUAL_MAXCONE];
    for (int i = 0; i < n; i++) {
      x1[i] = a->f[row + i] * (i ? 1 : cone_mu(block));
      x2[i] = b->f[row + i] * (i ? 1 : cone_mu(block));
    }
    scaling_mul(&s, x1, true, y1);
    scaling_mul(&s, x2, true, y2);
    for (int i = 0; i < n; i++) sum += y1[i] * y2[i];
    scaling_mul(&s, a->z + row, false, y1);
    scaling_mul(&s, b->z + row, false, y2);
    for (int i = 0; i < n; i++) sum += y1[i] * y2[i];
  }
  return sum / (q->tau * (q->ncone > 1 ? q->ncone : 1));
}

// Are the eigenvalues of x o z, whose product is det(x) det(z) and whose sum is 2 x'z, inside the
// neighbourhood of tau?
static bool pair_near(const snPath* q, const mjtNum* x, const mjtNum* z, int n, mjtNum tau) {
  mjtNum product = lorentz(x, n) * lorentz(z, n), dot = 0;
  if (!(x[0] > 0 && z[0] > 0 && lorentz(x, n) > 0 && lorentz(z, n) > 0)) return false;
  for (int i = 0; i < n; i++) dot += x[i] * z[i];
  mjtNum most = n > 1 ? dot + sqrt(fmax(0, dot * dot - product)) : dot;
  mjtNum least = n > 1 ? product / most : dot;
  return least > q->gamma * tau && most < tau / q->gamma;
}

// q->next: the point a share t along q->both. False outside the neighbourhood.
static bool trial(const snPath* q, mjtNum t, mjtNum tau) {
  const snDual* p = q->p;
  const snChange *next = &q->next, *both = &q->both;
  for (int i = 0; i < p->n; i++) {
    next->f[i] = q->f[i] + t * both->f[i];
    next->w[i] = q->w[i] + t * both->w[i];
  }
  mjtNum d = delta(q, tau);
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    int row = b->row, n = cone_rows(b);
    if (b->kind == snDUAL_FREE) continue;
    if (b->kind == snDUAL_BOX) {
      mjtNum bound = b->bound / q->newton->scale[row];
      mjtNum x1 = bound + next->f[row], x2 = bound - next->f[row];
      next->z[row] = q->z[row] + t * both->z[row];
      next->z2[row] = q->z2[row] + t * both->z2[row];
      if (!pair_near(q, &x1, next->z + row, 1, tau) || !pair_near(q, &x2, next->z2 + row, 1, tau))
        return false;
      continue;
    }
    mjtNum v[DUAL_MAXCONE] = {0}, x[DUAL_MAXCONE] = {0};
    for (int i = 0; i < n; i++) {
      v[i] = next->w[row + i] + d * next->f[row + i];
      x[i] = next->f[row + i] * (i ? 1 : cone_mu(b));
    }
    slack(q, b, v, tau, next->z + row);
    if (!pair_near(q, x, next->z + row, n, tau)) return false;
  }
  return true;
}

// The point becomes q->next.
static void settle(snPath* q, mjtNum tau) {
  const snDual* p = q->p;
  size_t bytes = sizeof(mjtNum) * (size_t)p->n;
  memcpy(q->f, q->next.f, bytes);
  memcpy(q->w, q->next.w, bytes);
  memcpy(q->z, q->next.z, bytes);
  memcpy(q->z2, q->next.z2, bytes);
  q->tau = tau;
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    mjtNum bound = b->bound / q->newton->scale[b->row];
    for (int i = b->row; i < b->row + b->nrow; i++) {
      q->x[i] = b->kind == snDUAL_BOX ? bound + q->f[i] : q->f[i] * (i > b->row ? 1 : cone_mu(b));
      q->x2[i] = bound - q->f[i];
    }
  }
  mjtNum d = delta(q, tau);
  for (int i = 0; i < p->n; i++) q->v[i] = q->w[i] + d * q->f[i];
}

// w = D f + c
static void read_velocity(const snPath* q, const mjtNum* f, mjtNum* w) {
  const snDual* p = q->p;
  const mjtNum* scale = q->newton->scale;
  for (int i = 0; i < p->n; i++) q->newton->real[i] = scale[i] * f[i];
  dual_velocity(p, q->newton->real, q->newton->velocity);
  for (int i = 0; i < p->n; i++) w[i] = scale[i] * q->newton->velocity[i];
}

// x = w sqrt(tau0) e, z = sqrt(tau0) / w e, and the r that makes it a point of the curve
static void begin(snPath* q) {
  const snDual* p = q->p;
  const snChange* next = &q->next;
  mjtNum size = sqrt(q->tau0), d = delta(q, q->tau0);
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    if (b->kind >= snDUAL_HALF) next->f[b->row] = size * cone_weight(b) / cone_mu(b);
  }
  read_velocity(q, next->f, next->w);
  q->ncone = 0;
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    int row = b->row, n = cone_rows(b);
    mjtNum* r = q->shift + row;
    for (int i = 0; i < b->nrow; i++) q->v[row + i] = next->w[row + i] + d * next->f[row + i];
    if (b->kind < snDUAL_HALF) {
      for (int i = 0; i < b->nrow; i++) r[i] = -q->v[row + i];
      if (b->kind == snDUAL_FREE) continue;
      next->z[row] = next->z2[row] = q->tau0 / (b->bound / q->newton->scale[row]);
      q->ncone += 2;
      continue;
    }
    q->ncone++;
    slack(q, b, q->v + row, q->tau0, next->z + row);
    for (int i = 0; i < n; i++) {
      mjtNum z = i ? 0 : size / cone_weight(b);
      r[i] = z - next->z[row + i];
      next->z[row + i] = z;
    }
  }
  settle(q, q->tau0);
}

// The point as it is becomes a point of a curve: z = tau inv(x), and the r that makes it so.
static void bend(snPath* q) {
  const snDual* p = q->p;
  mjtNum share = q->tau / q->tau0;
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    int row = b->row, n = cone_rows(b);
    mjtNum* r = q->shift + row;
    if (b->kind == snDUAL_FREE) {
      for (int i = 0; i < b->nrow; i++) r[i] = -q->v[row + i] / share;
    } else if (b->kind == snDUAL_BOX) {
      q->z[row] = q->tau / q->x[row];
      q->z2[row] = q->tau / q->x2[row];
      r[0] = (q->z[row] - q->z2[row] - q->v[row]) / share;
    } else {
      mjtNum det = n > 1 ? lorentz(q->x + row, n) : q->x[row] * q->x[row], z[DUAL_MAXCONE] = {0};
      slack(q, b, q->v + row, q->tau, z);
      for (int i = 0; i < n; i++) {
        q->z[row + i] = q->tau / det * (i ? -q->x[row + i] : q->x[row]);
        r[i] += (q->z[row + i] - z[i]) / share;
      }
    }
  }
}

// a and b, by one factor. False when it is singular.
static bool find_changes(const snPath* q) {
  q->newton->small = delta(q, q->tau);
  if (!newton_direction(q->newton)) return false;
  take_solve(q, false, &q->back);
  for (int k = 0; k < q->p->nblock; k++) {
    negative_of(q, q->p->block + k, true, q->negative + q->p->block[k].row);
  }
  newton_again(q->newton, q->negative);
  take_solve(q, true, &q->along);
  return true;
}

// One step of about `length` along the curve, which is made longer where nothing stopped it and
// shorter where something did. The tangent is (b, 1) or its opposite, and a is taken at right
// angles to it. False where the curve cannot be followed further.
static bool path_step(snPath* q, mjtNum* length) {
  int n = q->p->n;
  if (!find_changes(q)) return false;
  mjtNum sense = q->newton->A->inner->lu.sign < 0 ? 1 : -1;
  mjtNum norm = sqrt(1 + inner(q, &q->along, &q->along));
  mjtNum off = inner(q, &q->back, &q->along) * sense / norm;
  for (int k = 0; k < TRIES; k++, *length *= 0.4) {
    mjtNum w = fmin(GROW, fmax(-SHRINK, (*length - off) * sense / norm));
    for (int i = 0; i < n; i++) {
      q->both.f[i] = q->back.f[i] + w * q->along.f[i];
      q->both.w[i] = q->back.w[i] + w * q->along.w[i];
      q->both.z[i] = q->back.z[i] + w * q->along.z[i];
      q->both.z2[i] = q->back.z2[i] + w * q->along.z2[i];
    }
    bool patient = k > PATIENT;
    for (mjtNum t = 1; t > (patient ? 1e-3 : 0.3); t *= patient ? 0.5 : 0.8) {
      mjtNum tau = q->tau * (1 + t * w);
      if (!trial(q, t, tau)) continue;
      settle(q, tau);
      if (t == 1) *length = fmin(2 * *length, LONGEST);
      return numbers_finite(q->f, n);
    }
  }
  return false;
}

static void take(const snDual* p, const mjtNum* f, mjtNum now, mjtNum* force, mjtNum* natural) {
  if (!(now < *natural)) return;
  *natural = now;
  memcpy(force, f, sizeof(mjtNum) * (size_t)p->n);
}

// From a point of the curve to a solution near it, by methods without a barrier; at last, with
// `deep`, by plain steps of the interior-point method.
static void dive(const snPath* q, const snDualNewton* newton, bool deep, mjtNum tolerance,
                 mjtNum* point, mjtNum now, mjtNum* force, mjtNum* natural, mjtNum* room,
                 snSolverReport* report) {
  pieces(newton, point, PIECES_SIGMA, tolerance, force, natural, room, report);
  if (*natural <= tolerance || report->r_conflict > 0) return;
  newton_descend(newton, snNEWTON_WHOLE, tolerance, point, &now, report);
  take(q->p, point, now, force, natural);
  if (*natural > tolerance && *natural < PIECES_NEAR && report->r_conflict == 0)
    pieces(newton, force, PIECES_SIGMA_NEAR, tolerance, force, natural, room, report);
  if (*natural <= tolerance || report->r_conflict > 0 || !deep) return;
  interior_dive(newton, q->f, q->z, q->z2, tolerance, force, natural, room, report);
}

// One curve from its start. True when the tolerance was met.
static bool follow(snPath* q, const snDualNewton* newton, bool far, mjtNum tolerance, mjtNum* point,
                   mjtNum* force, mjtNum* natural, mjtNum* room, snSolverReport* report) {
  const snDual* p = q->p;
  const snDualNewton* own = q->newton;
  mjtNum length = 1, next = DIVE * fmin(1, q->tau0), least = INFINITY, enough = tolerance;
  int mark = 0, stood = 0, steps = far ? STEPS_FAR : STEPS;
  for (int k = 0; k < steps && report->iterations < p->set.iterations; k++) {
    if (!path_step(q, &length) || q->tau < LEAST_TAU || q->tau > 10 * q->tau0) return false;
    report->iterations++;
    if (length < STUCK) {
      bend(q);
      length = ANEW;
    }
    if (k % RENEW == RENEW - 1) read_velocity(q, q->f, q->w);
    if (q->tau < 0.5 * least) {
      least = q->tau;
      mark = k;
    }
    bool stands = k - mark > STANDING;
    if (q->tau > LOOK * fmax(1, q->tau0) && !stands) continue;
    for (int i = 0; i < p->n; i++) point[i] = own->scale[i] * q->f[i];
    project_all(p, point);
    dual_velocity(p, point, own->velocity);
    mjtNum now = dual_natural(p, own->form, point, own->velocity);
    take(p, point, now, force, natural);
    if (*natural > tolerance && (q->tau < next || stands)) {
      next = fmin(next, DIVE_NEXT * q->tau);
      dive(q, newton, !stands, tolerance, point, now, force, natural, room, report);
      enough = dual_enough(p) * tolerance;
    }
    if (*natural <= enough || report->r_conflict > 0) return true;
    if (!stands) continue;
    mark = k;
    if (++stood == STOOD && !far) return false;
  }
  return false;
}

// What came close, by the proximal method and from its end once more without a barrier.
static void hold_centres(const snDualNewton* newton, mjtNum tolerance, mjtNum* force,
                         mjtNum* natural, mjtNum* room, snSolverReport* report) {
  mjtNum enough = dual_enough(newton->p) * tolerance;
  if (!(*natural < CLOSE)) return;
  proximal(newton, CENTRES, tolerance, force, natural, room, report);
  if (*natural > enough && report->r_conflict == 0)
    pieces(newton, force, PIECES_SIGMA, tolerance, force, natural, room, report);
  if (*natural > enough && *natural < PIECES_NEAR && report->r_conflict == 0)
    pieces(newton, force, PIECES_SIGMA_NEAR, tolerance, force, natural, room, report);
}

bool continuation(const snDualNewton* newton, bool far, mjtNum tolerance, mjtNum* force,
                  mjtNum* natural, mjtNum* scratch, snSolverReport* report) {
  const snDual* p = newton->p;
  size_t stride = (size_t)dual_stride(p->n);
  snDualNewton own = *newton;
  snPath q = {.newton = &own, .p = p};
  mjtNum** vectors[VECTORS - 1] = {
      &q.f,      &q.w,       &q.v,       &q.x,       &q.z,        &q.x2,       &q.z2,
      &q.shift,  &q.eta,     &q.axis,    &q.lambda,  &q.negative, &q.back.f,   &q.back.w,
      &q.back.z, &q.back.z2, &q.along.f, &q.along.w, &q.along.z,  &q.along.z2, &q.both.f,
      &q.both.w, &q.both.z,  &q.both.z2, &q.next.f,  &q.next.w,   &q.next.z,   &q.next.z2};
  for (int i = 0; i < VECTORS - 1; i++) *vectors[i] = scratch + (size_t)i * stride;
  mjtNum *point = scratch + (VECTORS - 1) * stride, *room = point + stride, largest = 1e-6;
  mjtNum at_start = *natural;
  if (!newton->A->inner) return false;  // the sign of the determinant is known over velocities
  own.state = path_state;
  own.self = &q;
  own.inside = own.refined = true;
  for (int i = 0; i < p->n; i++) largest = fmax(largest, fabs(p->v_free[i] * own.scale[i]));
  q.tau0 = largest * largest;
  if (!far) hold_centres(newton, tolerance, force, natural, room, report);
  if (*natural <= dual_enough(p) * tolerance) return *natural < at_start;
  for (int k = 0; k < COURSES && report->r_conflict == 0; k++) {
    const snCourse* course = kCourse + k;
    memset(scratch, 0, sizeof(mjtNum) * VECTORS * stride);
    q.gamma = course->gamma;
    q.tau1 = course->theta * q.tau0;
    q.eps = course->eps / largest;
    q.kappa = course->kappa / q.tau0;
    begin(&q);
    if (follow(&q, newton, far, tolerance, point, force, natural, room, report)) break;
    if (*natural > dual_enough(p) * tolerance && !far && k < HOLDS)
      hold_centres(newton, tolerance, force, natural, room, report);
    if (*natural <= dual_enough(p) * tolerance) break;
  }
  return *natural < at_start;
}
