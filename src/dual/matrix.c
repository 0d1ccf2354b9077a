// D + R + sigma 1, scaled: a dense matrix and its factor, or, where D is given by factors with
// inner nodes, the system over velocities (panels.h).
#include <string.h>

#include "dual/private.h"

size_t matrix_scratch(const snDelassus* D, bool inner) {
  size_t n = (size_t)D->n, stride = (size_t)dual_stride(D->n);
  return inner && delassus_inner(D) ? 3 * stride : 2 * n * stride + 4 * stride + 16;
}

void matrix_make(snMatrix* m, const snDual* p, bool inner, snScratch* s) {
  size_t n = (size_t)p->n, stride = (size_t)dual_stride(p->n);
  *m = (snMatrix){.n = p->n, .stride = (int)stride, .p = p};
  const snFactored* W = inner ? delassus_inner(p->D) : NULL;
  if (W) {
    m->inner = W->inner;
    m->inverse = scratch_take(s, stride);
    m->weight = scratch_take(s, stride);
    m->product = scratch_take(s, stride);
    return;
  }
  m->A = scratch_take(s, n * stride);
  m->L = scratch_take(s, n * stride);
  m->dinv = scratch_take(s, stride);
  m->first = (int*)scratch_take(s, stride);
  m->fill = (int*)scratch_take(s, stride);
  p->D->dense(p->D, m->A, m->stride, m->first);
}

mjtNum matrix_diagonal(const snMatrix* m, int i) {
  mjtNum d;
  if (!m->inner) return m->A[(size_t)i * m->stride + i];
  m->p->D->block(m->p->D, i, 1, &d);
  return d;
}

SN_KERNEL static void scale_row(mjtNum* to, const mjtNum* from, const mjtNum* scale, mjtNum s,
                                int n) {
  for (int j = 0; j < n; j++) to[j] = from[j] * scale[j] * s;
}

// S W W'S + lambda, lambda = S R S + sigma: its inverse is, by Woodbury,
//   1/lambda - 1/lambda S W inv(1 + W' (S^2 / lambda) W) W'S 1/lambda
static void factor_inner(snMatrix* m, const mjtNum* R, const mjtNum* scale, const mjtNum* sigma) {
  for (int i = 0; i < m->n; i++) {
    mjtNum s = scale ? scale[i] : 1;
    m->inverse[i] = 1 / (sigma[i] + (R ? R[i] * s * s : 0));
    m->weight[i] = s * s * m->inverse[i];
  }
  m->scale = scale;
  panels_begin(m->inner);
  for (int i = 0; i < m->n; i++) panels_add(m->inner, i, m->weight[i]);
  panels_factor(m->inner);
}

void matrix_factor(snMatrix* m, const mjtNum* R, const mjtNum* scale, const mjtNum* sigma) {
  if (m->inner) {
    factor_inner(m, R, scale, sigma);
    return;
  }
  for (int i = 0; i < m->n; i++) {
    mjtNum *to = m->L + (size_t)i * m->stride, s = scale ? scale[i] : 1;
    const mjtNum* from = m->A + (size_t)i * m->stride;
    if (scale) {
      scale_row(to, from, scale, s, m->n);
      memset(to + m->n, 0, sizeof(mjtNum) * (size_t)(m->stride - m->n));
    } else {
      memcpy(to, from, sizeof(mjtNum) * (size_t)m->stride);
    }
    to[i] += (R ? R[i] * s * s : 0) + sigma[i];
    SN_ASSERT(m->first[i] >= 0 && m->first[i] <= i);
    m->fill[i] = m->first[i] & ~3;
  }
  // the upper triangle is not read, but what shares four columns with the diagonal is scratch
  factor_make(m->L, m->dinv, m->fill, m->n, m->stride, mjMINVAL);
}

void matrix_solve(const snMatrix* m, mjtNum* x) {
  if (m->inner) {
    mjtNum* y = m->product;
    for (int i = 0; i < m->n; i++) y[i] = x[i] * m->inverse[i] * (m->scale ? m->scale[i] : 1);
    panels_gather(m->inner, y, m->n, m->inner->w);
    panels_solve(m->inner, m->inner->w);
    panels_spread(m->inner, m->inner->w, m->n, y);
    for (int i = 0; i < m->n; i++) {
      x[i] = m->inverse[i] * (x[i] - (m->scale ? m->scale[i] : 1) * y[i]);
    }
    return;
  }
  for (int i = m->n; i < m->stride; i++) x[i] = 0;
  factor_solve(x, m->L, m->dinv, m->fill, m->n, m->stride);
}

void matrix_mul(const snMatrix* m, mjtNum* y, const mjtNum* x) {
  if (m->inner)
    m->p->D->mul(m->p->D, y, x);
  else
    full_mul(y, m->A, x, m->n, m->stride);
}
