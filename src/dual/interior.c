// An interior-point method for the NCP (and the CCP) over second-order cones.
//
// With x = (mu f_N, f_T) and z = ((v_N + s) / mu, v_T) a contact is the complementarity of two
// vectors of one cone, x_0 >= |x_1|, z_0 >= |z_1|, x'z = 0, where for the NCP De Saxce's s = mu
// |v_T| makes z a function of v, z_0 = v_N / mu + |v_T|. A limit is the same in one dimension; dry
// friction is two limits, f + b >= 0 and b - f >= 0, whose z differ by v; an equality is v = 0.
//
// Newton's method follows x o z = tau e as tau shrinks, with the scaling of Nesterov and Todd: W z
// = inv(W) x = lambda for a symmetric W, and
//   dx + W^2 dz = W (lambda \ d),    d = tau e - lambda o lambda - (inv(W) dx') o (W dz')
// with dx', dz' from a first solve with tau = 0 (Mehrotra). dz = A dv + (z(v) - z), so that a block
// has G = 1 and H = W^2 A: the system of system.c. The number of steps hardly depends on the size
// of the problem, where methods that guess which contacts stick, slide or part take more steps the
// more contacts there are. The last digits are left to those (semismooth.c).
//
// W^2 grows as 1 / tau where a contact sticks, and with it what rounding takes from a step. A small
// proximal term about the impulses of each step, D + small, bounds that.
//
// The path of the NCP may turn back, since s is not convex: adapt_small() and the rounds below.
#include <math.h>
#include <string.h>

#include "dual/cones.h"
#include "dual/private.h"

#define STEPS 60   // of one round
#define SHORT 0.2  // steps below get a larger proximal term
#define STALLED 8  // very short steps in a row
#define FIRST 6    // rounds that such problems have first
#define HELD 1e-6  // tau at which a problem with s held has told what it can
#define POLISH_EARLY 1e-5
#define POLISH 1e-7       // tau, of squared velocities, from which on the other method is tried
#define DOUBT 1e-12       // tau from which on all kinds of its steps are tried
#define LOOK 1e-6         // tau from which on the natural map is worth its price
#define SMALL 1e-9        // proximal term about the present impulses: K stays below its inverse
#define SMALL_FIRST 1e-5  // behind a short step
#define SMALL_MOST 0.1
#define SMALL_LAST 1e-11  // near the end of the path,
#define SMALL_TAU 1e-7    // where tau is below this
#define SMALL_DIVE 1e-10  // of a point near the end
#define LEAST_TAU 1e-22   // the path ends in rounding
#define NEAR 1e-2         // natural map of given impulses that are a better start than none
#define BUDGET 30         // steps of the proximal method behind a round that came close
#define CLOSE_ROUNDS 6    // such rounds at most
#define WHOLE 0.9         // length of a step that nothing stopped,
#define STRAIGHT 0.02     // behind which tau may shrink by so much more,
#define EDGE 0.99         // and this is the share of the way to the edge
#define STANDING 12       // steps without half of tau gained: the end of a round
#define FAR 1e8           // impulses so far from the start: there is no solution to be found

// The path of the NCP may turn back or end, since s is not convex. Which path is followed depends
// on where it begins and how closely it is followed: another round takes another one.
typedef struct snRound_ {
  mjtNum start;     // share of the given impulses
  mjtNum least;     // how far inside the cones, of the natural map at the start
  mjtNum sigma;     // what tau shrinks by at most in a step
  mjtNum boundary;  // share of the way to the edge of a cone
  mjtNum slope;     // share of ds / dv that Newton's method sees
  bool together;    // x and z go equally far
  bool classic;     // Mehrotra's steps without the proximal term that adapts, looked at each time
} snRound;

// A robot has few contacts and impulses near the last step's. Its first rounds follow Mehrotra
// plainly, and so does the first of a convex problem, whose path does not turn; every second one
// holds s for a while, and the path of that convex problem leads elsewhere.
static const snRound kFew = {1, 1, 1e-6, 0.98, 1, false, true};
static const snRound kRound[] = {
    {0, 0.3, 0.1, 0.95, 1, false, false},  {1, 100, 0.2, 0.95, 1, false, false},
    {1, 1e3, 0.2, 0.9, 0.8, false, false}, {1, 10, 0.1, 0.95, 1, true, false},
    {1, 1e4, 0.3, 0.9, 1, true, false},    {0, 3, 0.1, 0.98, 1, false, false},
    {1, 100, 0.3, 0.9, 0.9, false, false}, {0, 1, 0.1, 0.9, 0.8, false, false},
};
enum { ROUNDS = sizeof kRound / sizeof *kRound };

typedef struct snInterior_ {
  snDualNewton* newton;  // with the system of this method
  const snDual* p;
  mjtNum *f, *v;  // scaled impulse and velocity
  mjtNum *x, *z;  // of the cones; a box has its second pair at x2, z2
  mjtNum *x2, *z2;
  mjtNum *dx, *dz, *dx2, *dz2;  // of the last solve
  mjtNum *negative, *dv;
  mjtNum *eta, *w, *lambda;  // scalings of the cones: by rows, eta at the first
  mjtNum tau;
  bool second;  // the terms of second order are known
  const snRound* round;
  mjtNum went, went_before;  // lengths of the last two steps of the round
  bool hold;                 // s is a number, in `held` by rows of normals, and the problem convex
  mjtNum* held;
} snInterior;

enum { VECTORS = 17 };
size_t interior_scratch(const snDelassus* D) { return VECTORS * (size_t)dual_stride(D->n); }

// ---- blocks

// z(v)
SN_INLINE void slack_any(const snInterior* q, const snDualBlock* b, int n, const mjtNum* v,
                         mjtNum* z) {
  z[0] = v[0] / cone_mu(b);
  for (int i = 1; i < n; i++) z[i] = v[i];
  if (n > 1 && q->newton->form == snFORM_NCP)
    z[0] += q->hold ? q->held[b->row] : tangent_norm(v, n);
}

static void slack_of(const snInterior* q, const snDualBlock* b, const mjtNum* v, mjtNum* z) {
  slack_any(q, b, cone_rows(b), v, z);
}

// dz = A dv
static void slack_change(const snInterior* q, const snDualBlock* b, const mjtNum* v,
                         const mjtNum* dv, mjtNum* dz) {
  int n = cone_rows(b);
  mjtNum t = tangent_norm(v, n);
  dz[0] = dv[0] / cone_mu(b);
  for (int i = 1; i < n; i++) {
    dz[i] = dv[i];
    if (t > 0 && q->newton->form == snFORM_NCP && !q->hold)
      dz[0] += q->round->slope * v[i] / t * dv[i];
  }
}

// -F of a cone: W (lambda \ d) - W^2 (z(v) - z), in impulses
SN_INLINE void negative_any(const snInterior* q, const snDualBlock* b, const snScaling* s,
                            mjtNum* negative) {
  int row = b->row, n = s->n;
  mjtNum d[DUAL_MAXCONE] = {0}, y[DUAL_MAXCONE], r[DUAL_MAXCONE], a[DUAL_MAXCONE], c[DUAL_MAXCONE];
  if (q->second) {
    scaling_mul(s, q->dx + row, true, a);
    scaling_mul(s, q->dz + row, false, c);
    for (int i = 0; i < n; i++) d[0] -= a[i] * c[i];
    for (int i = 1; i < n; i++) d[i] = -(a[0] * c[i] + c[0] * a[i]);
  }
  d[0] += q->tau;
  divide(s->lambda, d, n, y);
  for (int i = 0; i < n; i++) y[i] -= s->lambda[i];  // lambda \ (lambda o lambda)
  scaling_mul(s, y, false, a);
  slack_any(q, b, n, q->v + row, r);
  for (int i = 0; i < n; i++) r[i] -= q->z[row + i];
  scaling_mul(s, r, false, y);
  scaling_mul(s, y, false, c);
  for (int i = 0; i < n; i++) negative[i] = (a[i] - c[i]) / (i ? 1 : cone_mu(b));
}

// Dry friction: 1 / kappa and -F, where kappa = z1 / x1 + z2 / x2
static mjtNum box_negative(const snInterior* q, int row, mjtNum* negative) {
  mjtNum x1 = q->x[row], x2 = q->x2[row], z1 = q->z[row], z2 = q->z2[row];
  mjtNum inverse = 1 / (z1 / x1 + z2 / x2), d1 = q->tau, d2 = q->tau;
  if (q->second) {
    d1 -= q->dx[row] * q->dz[row];
    d2 -= q->dx2[row] * q->dz2[row];
  }
  *negative = (d1 / x1 - d2 / x2 - q->v[row]) * inverse;
  return inverse;
}

// Residual and derivatives of a cone of `size` rows; a flat contact has more rows, n in all.
SN_INLINE void cone_state(const snInterior* q, const snDualBlock* b, int size, int n, snState* s) {
  int row = b->row;
  snScaling w = {size, 0, q->w + row, q->lambda + row};
  mjtNum W2[DUAL_MAXCONE * DUAL_MAXCONE], negative[DUAL_MAXCONE], mu = cone_mu(b);
  scaling_make(&w, q->x + row, q->z + row);
  q->eta[row] = w.eta;
  scaling_square(&w, W2);
  negative_any(q, b, &w, negative);
  mjtNum t = tangent_norm(q->v + row, size);
  for (int i = 0; i < size; i++) {
    s->F[i] = -negative[i];
    for (int j = 0; j < size; j++) {
      mjtNum slope = 0;
      if (j && t > 0 && q->newton->form == snFORM_NCP && !q->hold)
        slope = q->round->slope * q->v[row + j] / t;
      mjtNum h = j ? W2[i * size + j] + W2[i * size] * slope : W2[i * size] / mu;
      s->H[i * n + j] = h / (i ? 1 : mu);
    }
  }
  for (int i = size; i < n; i++) s->F[i] = q->f[row + i];  // flat
}

static void interior_state(const void* self, const snDualBlock* b, int row, int n, snState* s) {
  const snInterior* q = self;
  mjtNum negative[DUAL_MAXCONE];
  if (b->kind == snDUAL_FREE) {
    s->F[0] = q->v[row];
    s->H[0] = 1;
    return;
  }
  for (int i = 0; i < n; i++) s->G[i * n + i] = 1;
  if (b->kind == snDUAL_BOX) {
    s->H[0] = box_negative(q, row, negative);
    s->F[0] = -negative[0];
    return;
  }
  if (cone_rows(b) == 3)
    cone_state(q, b, 3, n, s);
  else
    cone_state(q, b, cone_rows(b), n, s);
}

// -F of all rows, for another solve with the same matrix and the scalings it was made with
static void all_negative(const snInterior* q) {
  for (int k = 0; k < q->p->nblock; k++) {
    const snDualBlock* b = q->p->block + k;
    mjtNum* to = q->negative + b->row;
    if (b->kind == snDUAL_FREE) {
      for (int i = 0; i < b->nrow; i++) to[i] = -q->v[b->row + i];
    } else if (b->kind == snDUAL_BOX) {
      box_negative(q, b->row, to);
    } else {
      snScaling w = {cone_rows(b), q->eta[b->row], q->w + b->row, q->lambda + b->row};
      if (w.n == 3) {
        w.n = 3;  // loops of a length that the compiler knows
        negative_any(q, b, &w, to);
      } else {
        negative_any(q, b, &w, to);
      }
      for (int i = cone_rows(b); i < b->nrow; i++) to[i] = -q->f[b->row + i];
    }
  }
}

// dx and dz of all cones from newton->step, and how far x and z may go along them
static void find_changes(const snInterior* q, mjtNum* room_x, mjtNum* room_z) {
  const snDual* p = q->p;
  const mjtNum* step = q->newton->step;
  newton_change(q->newton, q->dv);
  *room_x = *room_z = 1;
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    int row = b->row, n = cone_rows(b);
    if (b->kind == snDUAL_FREE) continue;
    if (b->kind == snDUAL_BOX) {
      mjtNum x1 = q->x[row], x2 = q->x2[row], d1 = q->tau, d2 = q->tau;
      if (q->second) {
        d1 -= q->dx[row] * q->dz[row];
        d2 -= q->dx2[row] * q->dz2[row];
      }
      q->dx[row] = step[row];
      q->dx2[row] = -step[row];
      q->dz[row] = d1 / x1 - q->z[row] - q->z[row] / x1 * step[row];
      q->dz2[row] = d2 / x2 - q->z2[row] + q->z2[row] / x2 * step[row];
      *room_x = fmin(*room_x, cone_room(q->x2 + row, q->dx2 + row, 1));
      *room_z = fmin(*room_z, cone_room(q->z2 + row, q->dz2 + row, 1));
    } else {
      mjtNum z[DUAL_MAXCONE];
      slack_of(q, b, q->v + row, z);
      slack_change(q, b, q->v + row, q->dv + row, q->dz + row);
      for (int i = 0; i < n; i++) {
        q->dx[row + i] = step[row + i] * (i ? 1 : cone_mu(b));
        q->dz[row + i] += z[i] - q->z[row + i];
      }
    }
    *room_x = fmin(*room_x, cone_room(q->x + row, q->dx + row, n));
    *room_z = fmin(*room_z, cone_room(q->z + row, q->dz + row, n));
  }
}

// x'z over all cones at x + a dx, z + c dz, over the number of cones
static mjtNum mean_product(const snInterior* q, mjtNum a, mjtNum c) {
  mjtNum sum = 0;
  int count = 0;
  for (int k = 0; k < q->p->nblock; k++) {
    const snDualBlock* b = q->p->block + k;
    if (b->kind == snDUAL_FREE) continue;
    for (int i = b->row; i < b->row + cone_rows(b); i++) {
      sum += (q->x[i] + a * q->dx[i]) * (q->z[i] + c * q->dz[i]);
    }
    count++;
    if (b->kind != snDUAL_BOX) continue;
    int i = b->row;
    sum += (q->x2[i] + a * q->dx2[i]) * (q->z2[i] + c * q->dz2[i]);
    count++;
  }
  return count ? sum / count : 0;
}

static void read_velocity(const snInterior* q) {
  const snDual* p = q->p;
  const mjtNum* scale = q->newton->scale;
  for (int i = 0; i < p->n; i++) q->newton->real[i] = scale[i] * q->f[i];
  dual_velocity(p, q->newton->real, q->newton->velocity);
  for (int i = 0; i < p->n; i++) q->v[i] = scale[i] * q->newton->velocity[i];
}

// Moves x into the cone: x_0 >= |x_1| + least.
static void push_inside(mjtNum* x, int n, mjtNum least) {
  x[0] = fmax(x[0], tangent_norm(x, n) + least);
}

// Near the given impulses and their velocities, as far inside the cones as those are wrong.
static void start(const snInterior* q, const mjtNum* force, mjtNum least) {
  const snDual* p = q->p;
  const mjtNum* scale = q->newton->scale;
  for (int i = 0; i < p->n; i++) q->f[i] = force[i] / scale[i];
  for (int pass = 0; pass < 2; pass++) {
    if (pass) read_velocity(q);
    for (int k = 0; k < p->nblock; k++) {
      const snDualBlock* b = p->block + k;
      int row = b->row, n = cone_rows(b);
      mjtNum mu = cone_mu(b);
      if (b->kind == snDUAL_FREE) continue;
      if (b->kind == snDUAL_BOX) {
        mjtNum bound = b->bound / scale[row], inner = fmin(least, 0.5 * bound);
        q->f[row] = fmin(bound - inner, fmax(inner - bound, q->f[row]));
        q->x[row] = bound + q->f[row];
        q->x2[row] = bound - q->f[row];
        q->z[row] = fmax(q->v[row], 0) + least;
        q->z2[row] = fmax(-q->v[row], 0) + least;
        continue;
      }
      if (!pass) {
        for (int i = 0; i < n; i++) q->x[row + i] = q->f[row + i] * (i ? 1 : mu);
        for (int i = n; i < b->nrow; i++) q->f[row + i] = 0;
        push_inside(q->x + row, n, least * cone_weight(b));
        q->f[row] = q->x[row] / mu;
      } else {
        slack_of(q, b, q->v + row, q->z + row);
        push_inside(q->z + row, n, least / cone_weight(b));
      }
    }
  }
}

static void advance(const snInterior* q, mjtNum a, mjtNum c) {
  for (int i = 0; i < q->p->n; i++) {
    q->f[i] += a * q->newton->step[i];
    q->x[i] += a * q->dx[i];
    q->x2[i] += a * q->dx2[i];
    q->z[i] += c * q->dz[i];
    q->z2[i] += c * q->dz2[i];
  }
}

// Where z(v) is inside its cone, about as far as z is, z is z(v).
static void take_slacks(const snInterior* q) {
  for (int k = 0; k < q->p->nblock; k++) {
    const snDualBlock* b = q->p->block + k;
    if (b->kind < snDUAL_HALF) continue;
    int n = cone_rows(b);
    mjtNum z[DUAL_MAXCONE], *now = q->z + b->row;
    slack_of(q, b, q->v + b->row, z);
    if (z[0] - tangent_norm(z, n) < 0.5 * (now[0] - tangent_norm(now, n))) continue;
    for (int i = 0; i < n; i++) now[i] = z[i];
  }
}

static mjtNum largest(const mjtNum* x, int n) {
  mjtNum worst = 0;
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(x[i]));
  return worst;
}

static void take(const snDual* p, const mjtNum* f, mjtNum now, mjtNum* force, mjtNum* natural) {
  if (!(now < *natural)) return;
  *natural = now;
  memcpy(force, f, sizeof(mjtNum) * (size_t)p->n);
}

// One step along the path; false where it ends.
static bool path_step(snInterior* q, mjtNum mean, mjtNum* length) {
  const snDualNewton* own = q->newton;
  const snRound* round = q->round;
  mjtNum a, c;
  q->tau = 0;
  q->second = false;
  if (!(mean > LEAST_TAU) || !newton_direction(own)) return false;
  find_changes(q, &a, &c);
  if (round->together) a = c = fmin(a, c);
  mjtNum share = mean_product(q, a, c) / mean;
  // where the last two steps were whole the path is straight: the next may go closer to the edge
  bool straight = q->went > WHOLE && q->went_before > WHOLE;
  mjtNum least = straight ? STRAIGHT * round->sigma : round->sigma;
  mjtNum boundary = straight ? fmax(round->boundary, EDGE) : round->boundary;
  q->tau = mean * fmin(0.5, fmax(least, share * share * share));
  q->second = true;
  all_negative(q);
  newton_again(own, q->negative);
  find_changes(q, &a, &c);
  a = fmin(1, boundary * a);
  c = fmin(1, boundary * c);
  if (round->together) a = c = fmin(a, c);
  *length = fmin(a, c);
  q->went_before = q->went;
  q->went = *length;
  if (!(*length > 1e-8))
    return !round->classic && q->newton->small < SMALL_MOST;  // a larger term may help
  advance(q, a, c);
  return numbers_finite(q->f, q->p->n);
}

// Where the path turns the matrix of a step is nearly singular and the step leaves the cones at
// once. The proximal term is Levenberg's and Marquardt's then: the larger, the shorter the step.
//
// Near the end the term is in the way: corners of a face that stick, in a plane not quite theirs,
// ask for velocities that differ by 1e-9 m/s, and stress has to grow along what D does not
// determine until one of them slides. It grows by velocity / small in a step.
static void adapt_small(snDualNewton* own, mjtNum length, mjtNum mean) {
  if (length < SHORT)
    own->small = fmin(SMALL_MOST, fmax(30 * own->small, SMALL_FIRST));
  else
    own->small =
        fmax(mean < SMALL_TAU ? SMALL_LAST : SMALL, (length < 0.5 ? 0.5 : 0.1) * own->small);
}

// From the start of the round along the path. True when the tolerance was met.
static bool follow(snInterior* q, const snDualNewton* newton, mjtNum tolerance, mjtNum* trial,
                   mjtNum* force, mjtNum* natural, snSolverReport* report) {
  const snDual* p = q->p;
  int n = p->n, stalled = 0;
  mjtNum size = largest(q->f, n) + largest(q->v, n);
  bool classic = q->round->classic;
  mjtNum next = classic ? POLISH_EARLY : POLISH, least = INFINITY;
  int mark = 0;
  q->went = q->went_before = 0;
  for (int k = 0;
       k < STEPS && stalled < (classic ? 2 : STALLED) && report->iterations < p->set.iterations;
       k++) {
    read_velocity(q);
    if (k) take_slacks(q);
    mjtNum mean = mean_product(q, 0, 0), length = 0;
    if (mean < 0.5 * least) {
      least = mean;
      mark = k;
    }
    if (k - mark > STANDING) return false;
    if (classic || mean < LOOK) {
      memcpy(trial, q->newton->real, sizeof(mjtNum) * (size_t)n);
      project_all(p, trial);
      dual_velocity(p, trial, q->newton->velocity);
      mjtNum now = dual_natural(p, newton->form, trial, q->newton->velocity);
      take(p, trial, now, force, natural);
      if (now <= tolerance) return true;
      if (q->hold && mean < HELD) return false;
      if (mean < next) {
        next = 1e-2 * mean;
        if (mean < DOUBT && !classic)
          polish(newton, tolerance, trial, &now, report);
        else
          newton_descend(newton, snNEWTON_WHOLE, tolerance, trial, &now, report);
        take(p, trial, now, force, natural);
        if (now <= tolerance || report->r_conflict > 0) return true;
      }
    }
    if (!path_step(q, mean, &length) || largest(q->f, n) > FAR * size) return false;
    stalled = length < 0.05 ? stalled + 1 : 0;
    if (!classic) adapt_small(q->newton, length, mean);
    report->iterations++;
  }
  return false;
}

// s as it is now, for a round that holds it.
static void hold_slides(snInterior* q, bool hold) {
  q->hold = hold;
  for (int k = 0; k < q->p->nblock; k++) {
    const snDualBlock* b = q->p->block + k;
    if (b->kind == snDUAL_CONE) q->held[b->row] = tangent_norm(q->v + b->row, b->nrow);
  }
}

// Vectors of zeros, and Newton's method with the system of this one. Returns the vector that is left
// over, for impulses that are tried.
static mjtNum* interior_open(snInterior* q, snDualNewton* own, mjtNum* scratch) {
  size_t stride = (size_t)dual_stride(q->p->n);
  mjtNum** vectors[] = {&q->f,    &q->v,   &q->x,   &q->z,     &q->x2,       &q->z2,
                        &q->dx,   &q->dz,  &q->dx2, &q->dz2,   &q->negative, &q->dv,
                        &q->held, &q->eta, &q->w,   &q->lambda};
  for (int i = 0; i < VECTORS - 1; i++) *vectors[i] = scratch + (size_t)i * stride;
  memset(scratch, 0, sizeof(mjtNum) * VECTORS * stride);
  own->state = interior_state;
  own->self = q;
  own->inside = true;
  return scratch + (VECTORS - 1) * stride;
}

bool interior_dive(const snDualNewton* newton, const mjtNum* f, const mjtNum* z, const mjtNum* z2,
                   mjtNum tolerance, mjtNum* force, mjtNum* natural, mjtNum* scratch,
                   snSolverReport* report) {
  const snDual* p = newton->p;
  snDualNewton own = *newton;
  snInterior q = {.newton = &own, .p = p};
  mjtNum *trial = interior_open(&q, &own, scratch), at_start = *natural;
  own.refined = true;
  own.small = SMALL_DIVE;
  q.round = kRound;
  for (int i = 0; i < p->n; i++) q.f[i] = f[i], q.z[i] = z[i], q.z2[i] = z2[i];
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    int row = b->row;
    if (b->kind == snDUAL_BOX) {
      mjtNum bound = b->bound / own.scale[row];
      q.x[row] = bound + f[row];
      q.x2[row] = bound - f[row];
    } else if (b->kind >= snDUAL_HALF) {
      for (int i = 0; i < cone_rows(b); i++) q.x[row + i] = f[row + i] * (i ? 1 : cone_mu(b));
    }
  }
  follow(&q, newton, tolerance, trial, force, natural, report);
  return *natural < at_start;
}

bool interior(const snDualNewton* newton, bool last, mjtNum tolerance, mjtNum* force,
              mjtNum* natural, mjtNum* scratch, snSolverReport* report) {
  const snDual* p = newton->p;
  snDualNewton own = *newton;
  snInterior q = {.newton = &own, .p = p};
  mjtNum *trial = interior_open(&q, &own, scratch), at_start = *natural;
  own.small = SMALL;
  bool curve = newton->A->inner && p->n >= DUAL_FEW;  // continuation.c goes on from there
  int rounds = own.form == snFORM_NCP && !curve ? ROUNDS : 2;
  bool near = *natural < NEAR;
  int close = 0;
  bool few = p->n < DUAL_FEW && !last, convex = own.form != snFORM_NCP;
  for (int round = few ? -FIRST : -convex; round < (few ? 0 : rounds); round++) {
    q.round = round < 0 ? &kFew : kRound + (near && round < 2 ? 1 - round : round);
    own.small = SMALL;
    for (int i = 0; i < p->n; i++) trial[i] = q.round->start * force[i];
    dual_velocity(p, trial, own.velocity);
    mjtNum off = dual_natural(p, newton->form, trial, own.velocity);
    mjtNum floor = q.round->start > 0 && !q.round->classic ? 1e-7 : 1e-3;
    mjtNum least = q.round->least * fmax(off, floor);
    start(&q, trial, q.round->classic ? fmax(*natural, 1e-3) : fmin(1, least));
    bool done = follow(&q, newton, tolerance, trial, force, natural, report);
    mjtNum* room = scratch + interior_scratch(p->D);
    if (!done && curve && own.form == snFORM_NCP) {
      if (*natural < NEAR)
        pieces(newton, force, PIECES_SIGMA, tolerance, force, natural, room, report);
    } else if (!done && *natural < CLOSE) {
      proximal(newton, BUDGET, tolerance, force, natural, room, report);
      close++;
    }
    if (close == CLOSE_ROUNDS) break;
    if (done || report->r_conflict > 0 || *natural <= dual_enough(p) * tolerance) break;
    if (round >= 0 || (convex && !few)) continue;
    if (convex) break;
    hold_slides(&q, round < -1 && !q.hold);
  }
  return *natural < at_start;
}
