// The inverse of the 2011 model (barrier.c): impulses from velocities. With r = v + A d_V'(v) every
// block stands alone, and a cone has two unknowns, f_N = n and |f_T| = t against r_T:
//   R_N n + r_N - kappa / n - 2 kappa mu^2 n / w = 0,   w = mu^2 n^2 - t^2
//   R_T t - |r_T| + 2 kappa t / w = 0
// Newton, damped as the logarithms want it, four contacts side by side.
#include <math.h>

#include "dual/private.h"

typedef struct snCones_ {
  sn4 Rn, Rt, rn, rt, m2;  // stiffness, linear terms, mu^2
} snCones;

// The solution without friction taken: t = 0, R n^2 + r n - 3 kappa = 0; and where the line from
// there to the unconstrained t meets the cone, a part of the way.
SN_INLINE void cones_start(const snCones* c, mjtNum kappa, sn4* n, sn4* t) {
  // pressing along the cone's surface, n lies lower than r_N alone says: r_N - mu r_T, as far as
  // the surface holds
  sn4 mu = sn4_sqrt(c->m2), zero = sn4_set1(0);
  sn4 stick = c->rt / c->Rt;  // t with no cone
  sn4 root = sn4_sqrt(c->rn * c->rn + 12 * kappa * c->Rn);
  sn4 n0 = sn4_select(c->rn > zero, 6 * kappa / (c->rn + root), (root - c->rn) / (2 * c->Rn));
  // sliding: least energy along the surface n = t / mu
  sn4 R = c->Rn + c->m2 * c->Rt, r = c->rn - mu * c->rt;
  root = sn4_sqrt(r * r + 8 * kappa * R);
  sn4 n1 = sn4_select(r > zero, 4 * kappa / (r + root), (root - r) / (2 * R));
  sn4i slides = stick > mu * n0 * 0.9;
  *n = sn4_select(slides, n1 * 1.02, n0);
  // distance from the surface that balances the tangential slope
  sn4 slope = sn4_max(c->rt - c->Rt * mu * n1, sn4_set1(1e-300));
  sn4 away = sn4_min(kappa / slope, 0.5 * mu * *n);
  *t = sn4_select(slides, mu * *n - away, stick / (1 + 2 * kappa / (c->Rt * c->m2 * n0 * n0)));
  *t = sn4_min(*t, 0.999999 * mu * *n);
}

SN_INLINE int cones_newton(const snCones* c, mjtNum kappa, sn4* pn, sn4* pt) {
  sn4 n = *pn, t = *pt, one = sn4_set1(1);
  mjtNum inv = 1 / kappa;
  int i = 0;
  for (; i < 60; i++) {
    sn4 m2n = c->m2 * n, w = m2n * n - t * t, iw = one / w, in = one / n;
    sn4 gn = c->Rn * n + c->rn - kappa * in - 2 * kappa * m2n * iw;
    sn4 gt = c->Rt * t - c->rt + 2 * kappa * t * iw;
    sn4 a = 4 * kappa * iw * iw;
    sn4 hnn = c->Rn + kappa * in * in + a * m2n * m2n - 2 * kappa * c->m2 * iw;
    sn4 htt = c->Rt + a * t * t + 2 * kappa * iw, hnt = -a * m2n * t;
    sn4 idet = one / (hnn * htt - hnt * hnt);
    sn4 dn = (hnt * gt - htt * gn) * idet, dt = (hnt * gn - hnn * gt) * idet;
    sn4 square = -(gn * dn + gt * dt) * inv;  // Newton decrement squared, of the function / kappa
    square = sn4_max(square, sn4_set1(0));
    // whole steps close in, damped ones further off; both stay inside
    sn4 s = sn4_select(square < 0.06, one, one / (one + sn4_sqrt(square)));
    n += s * dn;
    t += s * dt;
    if (!sn4_any(square > 1e-24)) break;
  }
  *pn = n;
  *pt = t;
  return i + 1;
}

// Cones k[0..count) of the problem, count at most four.
SN_KERNEL static int cone_batch(const snDual* p, const mjtNum* R, const int* block, int count,
                                const mjtNum* r, mjtNum* force) {
  snCones c;
  sn4 n, t;
  mjtNum norm[4];
  for (int l = 0; l < 4; l++) {
    const snDualBlock* b = p->block + block[l < count ? l : 0];
    mjtNum mu = fmax(b->mu, BARRIER_MINMU);
    norm[l] = tangent_norm(r + b->row, b->nrow);
    c.Rn[l] = R[b->row];
    c.Rt[l] = R[b->row + 1];
    c.rn[l] = r[b->row];
    c.rt[l] = norm[l];
    c.m2[l] = mu * mu;
  }
  cones_start(&c, p->set.barrier, &n, &t);
  int made = cones_newton(&c, p->set.barrier, &n, &t);
  for (int l = 0; l < count; l++) {
    const snDualBlock* b = p->block + block[l];
    mjtNum* f = force + b->row;
    mjtNum s = norm[l] > 0 ? -t[l] / norm[l] : 0;
    f[0] = n[l];
    for (int i = 1; i < b->nrow; i++) f[i] = s * r[b->row + i];
  }
  return made;
}

// R f + r + kappa (1 / (b - f) - 1 / (b + f)) = 0, monotone in f
static mjtNum box_inverse(mjtNum R, mjtNum r, mjtNum bound, mjtNum kappa) {
  mjtNum lo = -bound, hi = bound, f = fmin(0.5 * bound, fmax(-0.5 * bound, -r / R));
  for (int i = 0; i < 200; i++) {
    mjtNum up = 1 / (bound - f), down = 1 / (bound + f);
    mjtNum g = R * f + r + kappa * (up - down), H = R + kappa * (up * up + down * down);
    if (g > 0)
      hi = f;
    else
      lo = f;
    mjtNum next = f - g / H;
    if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
    if (next == f || next == lo || next == hi || fabs(next - f) < 1e-17 * bound) break;
    f = next;
  }
  return f;
}

int dual_inverse2011(const snDual* p, const mjtNum* v_after, mjtNum* force, mjtNum* scratch) {
  mjtNum *r = scratch, *q = scratch + p->n, kappa = p->set.barrier;
  const mjtNum* R = p->R;
  int batch[4], count = 0, made = 0;
  for (int i = 0; i < p->n; i++) q[i] = 0;
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    if (b->kind != snDUAL_HALF && b->kind != snDUAL_CONE) continue;
    q[b->row] = kappa * barrier_slope(v_after[b->row], barrier_floor(kappa, R[b->row]));
  }
  p->D->mul(p->D, r, q);
  for (int i = 0; i < p->n; i++) r[i] += v_after[i];
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    int row = b->row;
    switch (b->kind) {
      case snDUAL_FREE:
        for (int i = row; i < row + b->nrow; i++) force[i] = -r[i] / R[i];
        break;
      case snDUAL_BOX:
        force[row] = box_inverse(R[row], r[row], b->bound, kappa);
        break;
      case snDUAL_HALF: {  // R f + r - kappa / f = 0
        mjtNum root = sqrt(r[row] * r[row] + 4 * R[row] * kappa);
        force[row] = r[row] > 0 ? 2 * kappa / (r[row] + root) : (root - r[row]) / (2 * R[row]);
        break;
      }
      default:
        batch[count++] = k;
        if (count == 4) {
          int n = cone_batch(p, R, batch, 4, r, force);
          made = n > made ? n : made;
          count = 0;
        }
    }
  }
  if (count) {
    int n = cone_batch(p, R, batch, count, r, force);
    made = n > made ? n : made;
  }
  return made;
}
