// The problem of one contact with all other impulses fixed: v = D f + b with a 3 x 3 (up to 6 x 6)
// block D and Coulomb's cone, the inner step of block Gauss-Seidel.
//
// Open, frictionless and sticking contacts have closed forms. A sliding contact has v_N = 0 and
// v_T = -alpha f_T with |f_T| = mu f_N: with two tangents alpha is a root of a quartic, which is
// solved exactly; with more it is found by bisection. The variant of least energy minimizes over
// the section of the cone at v_N = 0 instead.
#include <math.h>
#include <string.h>

#include "dual/private.h"

void local_cholesky(mjtNum* D, int n, mjtNum floor) {
  for (int j = 0; j < n; j++) {
    mjtNum d = D[j * n + j];
    for (int k = 0; k < j; k++) d -= D[j * n + k] * D[j * n + k];
    d = sqrt(fmax(d, floor));
    D[j * n + j] = d;
    for (int i = j + 1; i < n; i++) {
      mjtNum x = D[i * n + j];
      for (int k = 0; k < j; k++) x -= D[i * n + k] * D[j * n + k];
      D[i * n + j] = x / d;
    }
  }
}

void local_solve(const mjtNum* L, int n, mjtNum* x) {
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) x[i] -= L[i * n + k] * x[k];
    x[i] /= L[i * n + i];
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int k = i + 1; k < n; k++) x[i] -= L[k * n + i] * x[k];
    x[i] /= L[i * n + i];
  }
}

// Open, frictionless or sticking: done. Otherwise the contact slides.
static bool simple_cases(const snLocal* c, const mjtNum* b, mjtNum* f) {
  int n = c->nrow;
  for (int i = 0; i < n; i++) f[i] = 0;
  if (b[0] >= 0) return true;
  if (c->mu <= 0) {
    f[0] = -b[0] / c->D[0];
    return true;
  }
  for (int i = 0; i < n; i++) f[i] = -b[i];
  local_solve(c->L, n, f);
  return tangent_norm(f, n) <= c->mu * f[0];
}

// ---- exact: v_N = 0, v_T = -alpha f_T

// f for a given alpha: (D + diag(0, alpha, ...)) f = -b
static void slide_at(const snLocal* c, const mjtNum* b, mjtNum alpha, mjtNum* f) {
  int n = c->nrow;
  mjtNum L[DUAL_MAXCONE * DUAL_MAXCONE];
  for (int i = 0; i < n * n; i++) L[i] = c->D[i];
  for (int i = 1; i < n; i++) L[i * n + i] += alpha;
  local_cholesky(L, n, 1e-14 * c->D[0]);
  for (int i = 0; i < n; i++) f[i] = -b[i];
  local_solve(L, n, f);
}

static void slide_bisect(const snLocal* c, const mjtNum* b, mjtNum* f) {
  int n = c->nrow;
  mjtNum lo = 0, hi = 0;
  for (int i = 0; i < n; i++) hi += c->D[i * n + i];
  for (int k = 0; k < 200; k++, hi *= 4) {
    slide_at(c, b, hi, f);
    if (tangent_norm(f, n) <= c->mu * f[0]) break;
  }
  for (int k = 0; k < 100; k++) {
    mjtNum mid = 0.5 * (lo + hi);
    if (mid <= lo || mid >= hi) break;
    slide_at(c, b, mid, f);
    if (tangent_norm(f, n) <= c->mu * f[0])
      hi = mid;
    else
      lo = mid;
  }
  slide_at(c, b, hi, f);
}

// Two tangents. With W = D_TT - D_TN D_NT / D_NN and w = b_T - D_TN b_N / D_NN, sliding says
//   (W + alpha) f_T = -w,   D_NN f_N = -b_N - D_NT f_T,   |f_T|^2 = mu^2 f_N^2.
// Multiplied by the determinant of W + alpha this is a quartic: with
//   g(alpha) = -adj(W + alpha) w,   q(alpha) = (-b_N det(W + alpha) - D_NT g) / D_NN,
//   Q(alpha) = mu^2 q^2 - |g|^2 = 0   and   q >= 0.
// Left of the root q < 0 or Q < 0; at infinity both are positive. Newton inside a shrinking
// bracket.
static void slide_quartic(const snLocal* c, const mjtNum* b, mjtNum* f) {
  const mjtNum* D = c->D;
  mjtNum inv = 1 / D[0], x = D[1], y = D[2];
  mjtNum W11 = D[4] - x * x * inv, W12 = D[5] - x * y * inv, W22 = D[8] - y * y * inv;
  mjtNum w1 = b[1] - x * b[0] * inv, w2 = b[2] - y * b[0] * inv;
  // det = alpha^2 + t alpha + d;  g = -(g0 + alpha w)
  mjtNum t = W11 + W22, d = W11 * W22 - W12 * W12;
  mjtNum g1 = W22 * w1 - W12 * w2, g2 = W11 * w2 - W12 * w1;
  // q = q2 alpha^2 + q1 alpha + q0
  mjtNum q2 = -b[0] * inv, q1 = (-b[0] * t + x * w1 + y * w2) * inv;
  mjtNum q0 = (-b[0] * d + x * g1 + y * g2) * inv;
  mjtNum mu2 = c->mu * c->mu;
  // Q by powers
  mjtNum a4 = mu2 * q2 * q2, a3 = 2 * mu2 * q2 * q1;
  mjtNum a2 = mu2 * (q1 * q1 + 2 * q2 * q0) - (w1 * w1 + w2 * w2);
  mjtNum a1 = 2 * mu2 * q1 * q0 - 2 * (g1 * w1 + g2 * w2);
  mjtNum a0 = mu2 * q0 * q0 - (g1 * g1 + g2 * g2);
  // Cauchy's bound on the roots of Q and of q
  mjtNum hi = 1 + fmax(fmax(fabs(a3), fabs(a2)), fmax(fabs(a1), fabs(a0))) / a4;
  hi = fmax(hi, 1 + fmax(fabs(q1), fabs(q0)) / q2);
  if (!(hi < 1e100)) {  // friction so small that powers of it vanish
    slide_bisect(c, b, f);
    return;
  }
  mjtNum lo = 0, alpha = 0.5 * hi;
  if (alpha > t) alpha = t;
  for (int k = 0; k < 200; k++) {
    mjtNum Q = a0 + alpha * (a1 + alpha * (a2 + alpha * (a3 + alpha * a4)));
    mjtNum slope = a1 + alpha * (2 * a2 + alpha * (3 * a3 + alpha * 4 * a4));
    mjtNum q = q0 + alpha * (q1 + alpha * q2);
    if (q >= 0 && Q >= 0)
      hi = alpha;
    else
      lo = alpha;
    mjtNum next = slope != 0 ? alpha - Q / slope : lo;
    if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
    if (fabs(next - alpha) <= 1e-16 * (alpha + t) || next == lo || next == hi) break;
    alpha = next;
  }
  mjtNum det = d + alpha * (t + alpha);
  if (!(det > 1e-24 * t * t)) {
    slide_bisect(c, b, f);
    return;
  }
  f[1] = -(g1 + alpha * w1) / det;
  f[2] = -(g2 + alpha * w2) / det;
  f[0] = fmax(0, (-b[0] - x * f[1] - y * f[2]) * inv);
}

// What rounding leaves outside comes back to the surface.
static void clip_tangent(mjtNum mu, mjtNum* f, int n) {
  mjtNum t = tangent_norm(f, n);
  if (t > mu * f[0]) {
    for (int i = 1; i < n; i++) f[i] *= mu * f[0] / t;
  }
}

void local_quartic(const snLocal* c, const mjtNum* b, mjtNum* f) {
  if (simple_cases(c, b, f)) return;
  if (c->nrow == 3)
    slide_quartic(c, b, f);
  else
    slide_bisect(c, b, f);
  clip_tangent(c->mu, f, c->nrow);
}

// ---- least energy on the section of the cone's surface by v_N = 0
// f = r (1/mu, cos, sin), r = -b_N / (D_NN / mu + D_NT (cos, sin)) > 0. An ellipse when the
// denominator is positive all round; otherwise only the branch in front counts.
typedef struct snSection_ {
  const snLocal* c;
  const mjtNum* b;
  mjtNum s;
} snSection;

// Energy and its slope at angle a; infinite behind the branch.
static mjtNum section_at(const snSection* q, mjtNum a, mjtNum* f, mjtNum* slope) {
  const mjtNum *D = q->c->D, *b = q->b;
  mjtNum mu = q->c->mu, sine, cosine;
  sn_sincos(a, &sine, &cosine);
  mjtNum den = D[0] / mu + D[1] * cosine + D[2] * sine;
  if (!(den > 1e-9 * D[0] / mu)) return INFINITY;
  mjtNum r = -b[0] / den, dr = -r * (-D[1] * sine + D[2] * cosine) / den;
  vec3_set(f, r / mu, r * cosine, r * sine);
  mjtNum df[3] = {dr / mu, dr * cosine - r * sine, dr * sine + r * cosine}, v[3];
  mat3_mul_vec(v, D, f);
  mjtNum energy = 0.5 * vec3_dot(f, v) + vec3_dot(f, b) + f[0] * q->s;
  vec3_add(v, v, b);
  *slope = vec3_dot(df, v) + df[0] * q->s;
  return energy;
}

void local_section(const snLocal* c, const mjtNum* b, mjtNum s, mjtNum* f) {
  if (c->nrow != 3) {  // other dimensions have no angle: the exact answer
    local_quartic(c, b, f);
    return;
  }
  if (simple_cases(c, b, f)) return;
  enum { SAMPLES = 12 };
  const mjtNum step = 2 * mjPI / SAMPLES;
  snSection q = {c, b, s};
  mjtNum best = INFINITY, angle = 0, slope;
  for (int k = 0; k < SAMPLES; k++) {
    mjtNum x[3], energy = section_at(&q, k * step, x, &slope);
    if (energy < best) {
      best = energy;
      angle = k * step;
    }
  }
  if (best == INFINITY) {  // no branch in front of the tip
    local_quartic(c, b, f);
    return;
  }
  mjtNum lo = angle - step, hi = angle + step;
  for (int k = 0; k < 60; k++) {
    mjtNum mid = 0.5 * (lo + hi), energy = section_at(&q, mid, f, &slope);
    if (energy == INFINITY) {  // outside the branch: go back towards the sample
      if (mid < angle)
        lo = mid;
      else
        hi = mid;
    } else if (slope > 0) {
      hi = mid;
    } else {
      lo = mid;
    }
  }
  if (section_at(&q, 0.5 * (lo + hi), f, &slope) == INFINITY) section_at(&q, angle, f, &slope);
  clip_tangent(c->mu, f, 3);
}

void dual_stop_contact(const snDualBlock* b, const mjtNum* D, const mjtNum* v, mjtNum* f) {
  mjtNum own[DUAL_MAXCONE * DUAL_MAXCONE], L[DUAL_MAXCONE * DUAL_MAXCONE], trace = 0;
  int n = b->nrow;
  for (int i = 0; i < n; i++) trace += D[i * n + i];
  mjtNum shift = fmax(1e-12 * trace / n, mjMINVAL);
  memcpy(own, D, sizeof(mjtNum) * (size_t)(n * n));
  for (int i = 0; i < n; i++) own[i * n + i] += shift;
  memcpy(L, own, sizeof(mjtNum) * (size_t)(n * n));
  local_cholesky(L, n, 0.5 * shift);
  snLocal c = {n, b->mu, own, L, 1, true};
  for (int i = 0; i < n; i++) f[i] = 0;
  local_quartic(&c, v, f);
}
