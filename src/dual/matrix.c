// D as a dense matrix, and the factor of D + R + sigma I.
#include <string.h>

#include "dual/private.h"

size_t matrix_scratch(int n) {
  size_t stride = (size_t)dual_stride(n);
  return 2 * (size_t)n * stride + 4 * stride + 16;
}

void matrix_make(snMatrix* m, const snDual* p, snScratch* s) {
  size_t n = (size_t)p->n, stride = (size_t)dual_stride(p->n);
  m->n = p->n;
  m->stride = (int)stride;
  m->A = scratch_take(s, n * stride);
  m->L = scratch_take(s, n * stride);
  m->dinv = scratch_take(s, stride);
  m->first = (int*)scratch_take(s, stride);
  m->fill = (int*)scratch_take(s, stride);
  p->D->dense(p->D, m->A, m->stride, m->first);
}

SN_KERNEL static void scale_row(mjtNum* to, const mjtNum* from, const mjtNum* scale, mjtNum s,
                                int n) {
  for (int j = 0; j < n; j++) to[j] = from[j] * scale[j] * s;
}

void matrix_factor(snMatrix* m, const mjtNum* R, const mjtNum* scale, const mjtNum* sigma) {
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
    m->fill[i] = m->first[i] & ~3;
  }
  // the upper triangle is not read, but what shares four columns with the diagonal is scratch
  factor_make(m->L, m->dinv, m->fill, m->n, m->stride, mjMINVAL);
}

void matrix_solve(const snMatrix* m, mjtNum* x) {
  for (int i = m->n; i < m->stride; i++) x[i] = 0;
  factor_solve(x, m->L, m->dinv, m->fill, m->n, m->stride);
}

void matrix_mul(const snMatrix* m, mjtNum* y, const mjtNum* x) {
  full_mul(y, m->A, x, m->n, m->stride);
}
