// One contact alone in the convex problem: least energy over the whole cone,
//
//   min 1/2 f'D f + f'b,   |f_T| <= mu f_N
//
// On the surface the multiplier alpha >= 0 of |f_T|^2 <= mu^2 f_N^2 gives
//   (D + alpha diag(-mu^2, 1, ...)) f = -b,   |f_T| = mu f_N.
// Below some alpha* the matrix is positive definite and the root has f_N > 0 when the contact
// presses; above it the last pivot is negative, and the root of a contact that parts but is dragged
// along its surface lies there. |f_T| - mu f_N changes sign once in either.
//
// D stays while a solver sweeps, so its tangents are brought to their eigenvectors once: then
// D_TT + alpha is diagonal, and a trial of alpha costs a few divisions.
#include <math.h>
#include <string.h>

#include "dual/private.h"

// Jacobi rotations of a (n x n), which becomes diagonal; Q holds the eigenvectors by columns.
static void diagonalize(mjtNum* a, int n, mjtNum* Q) {
  for (int i = 0; i < n * n; i++) Q[i] = i % (n + 1) == 0;
  for (int round = 0; round < 30; round++) {
    mjtNum off = 0, most = 0;
    for (int i = 0; i < n; i++) {
      for (int j = 0; j < i; j++) off = fmax(off, fabs(a[i * n + j]));
      // two fmax in one nest stop gcc 12 for aarch64 with an internal error
      if (fabs(a[i * n + i]) > most) most = fabs(a[i * n + i]);
    }
    if (off <= 1e-17 * most) return;
    for (int p = 0; p < n; p++) {
      for (int q = p + 1; q < n; q++) {
        if (a[p * n + q] == 0) continue;
        mjtNum theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
        mjtNum t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
        mjtNum c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < n; k++) {
          mjtNum x = a[k * n + p], y = a[k * n + q];
          a[k * n + p] = c * x - s * y;
          a[k * n + q] = s * x + c * y;
        }
        for (int k = 0; k < n; k++) {
          mjtNum x = a[p * n + k], y = a[q * n + k];
          a[p * n + k] = c * x - s * y;
          a[q * n + k] = s * x + c * y;
        }
        for (int k = 0; k < n; k++) {
          mjtNum x = Q[k * n + p], y = Q[k * n + q];
          Q[k * n + p] = c * x - s * y;
          Q[k * n + q] = s * x + c * y;
        }
      }
    }
  }
}

void convex_make(snConvex* c, const mjtNum* D, int n, mjtNum mu) {
  mjtNum a[DUAL_MAXCONE * DUAL_MAXCONE];
  int t = n - 1;
  *c = (snConvex){.n = n, .mu = mu};
  memcpy(c->D, D, sizeof(mjtNum) * (size_t)(n * n));
  memcpy(c->L, D, sizeof(mjtNum) * (size_t)(n * n));
  local_cholesky(c->L, n, 1e-14 * D[0]);
  for (int i = 0; i < t; i++) {
    for (int j = 0; j < t; j++) a[i * t + j] = D[(i + 1) * n + j + 1];
  }
  diagonalize(a, t, c->Q);
  for (int i = 0; i < t; i++) {
    c->lambda[i] = fmax(a[i * t + i], 1e-14 * D[0]);
    for (int k = 0; k < t; k++) c->cross[i] += c->Q[k * t + i] * D[k + 1];
  }
}

// f at alpha, tangents along the eigenvectors, and the normal's pivot; returns |f_T| - mu f_N. b
// are the velocities in the same directions.
static mjtNum excess(const snConvex* c, const mjtNum* b, mjtNum alpha, mjtNum* f, mjtNum* pivot) {
  int t = c->n - 1;
  mjtNum inverse[DUAL_MAXCONE], p = c->D[0] - alpha * c->mu * c->mu, right = -b[0], square = 0;
  for (int i = 0; i < t; i++) {
    inverse[i] = 1 / (c->lambda[i] + alpha);
    p -= c->cross[i] * c->cross[i] * inverse[i];
    right += c->cross[i] * b[i + 1] * inverse[i];
  }
  f[0] = right / p;
  for (int i = 0; i < t; i++) {
    f[i + 1] = -(b[i + 1] + c->cross[i] * f[0]) * inverse[i];
    square += f[i + 1] * f[i + 1];
  }
  *pivot = p;
  return sqrt(square) - c->mu * f[0];
}

// The root between lo (outside the cone) and hi (inside), where the matrix is definite in both, by
// the method of false position with halving (Illinois), and by bisection every third time, since a
// pole may be near.
static mjtNum press(const snConvex* c, const mjtNum* b, mjtNum lo, mjtNum at_lo, mjtNum hi,
                    mjtNum at_hi, mjtNum* f) {
  mjtNum pivot;
  int side = 0;
  for (int k = 1; k <= 200; k++) {
    mjtNum next = (lo * at_hi - hi * at_lo) / (at_hi - at_lo);
    if (k % 3 == 0 || !(next > lo && next < hi)) next = 0.5 * (lo + hi);
    if (next <= lo || next >= hi) break;
    mjtNum value = excess(c, b, next, f, &pivot);
    if (value > 0) {
      lo = next;
      at_lo = value;
      if (side == 1) at_hi *= 0.5;
      side = 1;
    } else {
      hi = next;
      at_hi = value;
      if (side == -1) at_lo *= 0.5;
      side = -1;
    }
    if (fabs(value) <= 1e-15 * c->mu * fabs(f[0])) return next;
    if (hi - lo <= 1e-16 * hi) break;
  }
  return hi;
}

// A contact that parts: the root above alpha*, by bisection.
static mjtNum part(const snConvex* c, const mjtNum* b, mjtNum lo, mjtNum* f) {
  mjtNum hi = lo, pivot;
  for (int k = 0; k < 200; k++) {
    hi = 2 * hi;
    if (excess(c, b, hi, f, &pivot) > 0) break;
  }
  for (int k = 0; k < 100; k++) {
    mjtNum mid = 0.5 * (lo + hi);
    if (mid <= lo || mid >= hi) break;
    *(excess(c, b, mid, f, &pivot) > 0 ? &hi : &lo) = mid;
  }
  return hi;
}

void convex_solve(const snConvex* c, const mjtNum* b, mjtNum* f) {
  int n = c->n, t = n - 1;
  for (int i = 0; i < n; i++) f[i] = 0;
  if (c->mu * tangent_norm(b, n) <= b[0]) return;  // b in the dual cone: the tip
  if (c->mu <= 0) {
    f[0] = fmax(0, -b[0] / c->D[0]);
    return;
  }
  for (int i = 0; i < n; i++) f[i] = -b[i];
  local_solve(c->L, n, f);
  if (!(tangent_norm(f, n) > c->mu * f[0])) return;
  mjtNum turned[DUAL_MAXCONE], x[DUAL_MAXCONE], pivot;
  turned[0] = b[0];
  for (int i = 0; i < t; i++) {
    turned[i + 1] = 0;
    for (int k = 0; k < t; k++) turned[i + 1] += c->Q[k * t + i] * b[k + 1];
  }
  // halve until both ends are definite; none may be
  mjtNum lo = 0, hi = c->D[0] / (c->mu * c->mu), at_lo = excess(c, turned, 0, x, &pivot);
  bool pressing = false;
  mjtNum at_hi = 0;
  for (int k = 0; k < 100 && !pressing; k++) {
    mjtNum mid = 0.5 * (lo + hi), value;
    if (mid <= lo || mid >= hi) break;
    value = excess(c, turned, mid, x, &pivot);
    if (pivot > 0 && value > 0) {
      lo = mid;
      at_lo = value;
    } else {
      hi = mid;
      pressing = pivot > 0;
      at_hi = value;
    }
  }
  hi = pressing ? press(c, turned, lo, at_lo, hi, at_hi, x) : part(c, turned, hi, x);
  excess(c, turned, hi, x, &pivot);
  f[0] = x[0];
  for (int i = 0; i < t; i++) {
    f[i + 1] = 0;
    for (int k = 0; k < t; k++) f[i + 1] += c->Q[i * t + k] * x[k + 1];
  }
  // rounding outside the cone is taken back along the normal
  f[0] = fmax(f[0], tangent_norm(f, n) / c->mu);
}
