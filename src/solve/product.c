// Products with J by blocks and with M by rows.
#include <string.h>

#include "solve/problem.h"

SN_INLINE mjtNum dot_lanes(const mjtNum* a, const mjtNum* b, int n) {
  sn4 sum = {0, 0, 0, 0};
  for (int k = 0; k < n; k += 4) sum += sn4_load(a + k) * sn4_load(b + k);
  return sn4_sum(sum);
}

// The block's columns of x are gathered once and serve all its rows.
SN_KERNEL void problem_mul_J(const snProblem* p, mjtNum* res, const mjtNum* x) {
  mjtNum small[64], *big = NULL;
  for (int b = 0; b < p->nblock; b++) {
    const snBlock* k = p->block + b;
    const int* col = p->col + k->col;
    const mjtNum* J = p->J + k->J;
    if (k->ncol == 1) {
      mjtNum xc = x[col[0]];
      for (int r = 0; r < k->nrow; r++) res[k->row + r] = J[r * k->stride] * xc;
      continue;
    }
    if (k->nrow == 1 && k->ncol <= 8) {
      mjtNum sum = J[0] * x[col[0]];
      for (int i = 1; i < k->ncol; i++) sum += J[i] * x[col[i]];
      res[k->row] = sum;
      continue;
    }
    mjtNum* g = small;
    if (k->stride > 64) {
      if (!big) {
        mj_markStack(p->d);
        big = mj_stackAllocNum(p->d, (size_t)p->nlane);
      }
      g = big;
    }
    for (int i = 0; i < k->ncol; i++) g[i] = x[col[i]];
    for (int i = k->ncol; i < k->stride; i++) g[i] = 0;
    for (int r = 0; r < k->nrow; r++) res[k->row + r] = dot_lanes(J + r * k->stride, g, k->stride);
  }
  if (big) mj_freeStack(p->d);
}

SN_KERNEL void problem_mul_JT(const snProblem* p, mjtNum* res, const mjtNum* f) {
  mjtNum small[64], *big = NULL;
  memset(res, 0, sizeof(mjtNum) * (size_t)p->nv);
  for (int b = 0; b < p->nblock; b++) {
    const snBlock* k = p->block + b;
    const int* col = p->col + k->col;
    const mjtNum* J = p->J + k->J;
    if (k->ncol == 1) {
      mjtNum sum = 0;
      for (int r = 0; r < k->nrow; r++) sum += J[r * k->stride] * f[k->row + r];
      res[col[0]] += sum;
      continue;
    }
    if (k->nrow == 1) {
      mjtNum fr = f[k->row];
      if (fr == 0) continue;
      for (int i = 0; i < k->ncol; i++) res[col[i]] += J[i] * fr;
      continue;
    }
    mjtNum* g = small;
    if (k->stride > 64) {
      if (!big) {
        mj_markStack(p->d);
        big = mj_stackAllocNum(p->d, (size_t)p->nlane);
      }
      g = big;
    }
    memset(g, 0, sizeof(mjtNum) * (size_t)k->stride);
    for (int r = 0; r < k->nrow; r++) {
      mjtNum fr = f[k->row + r];
      if (fr == 0) continue;
      const mjtNum* row = J + r * k->stride;
      for (int i = 0; i < k->stride; i += 4) {
        sn4_store(g + i, sn4_load(g + i) + sn4_load(row + i) * fr);
      }
    }
    for (int i = 0; i < k->ncol; i++) res[col[i]] += g[i];
  }
  if (big) mj_freeStack(p->d);
}

// Row by row, the upper triangle along with the lower. Ancestors mostly stand side by side.
SN_KERNEL void problem_mul_M(const snProblem* p, mjtNum* res, const mjtNum* x) {
  for (int i = 0; i < p->nv; i++) {
    int n = p->M_rownnz[i] - 1;
    const mjtNum* M = p->M + p->M_rowadr[i];
    const int* col = p->M_colind + p->M_rowadr[i];
    mjtNum xi = x[i], sum = M[n] * xi;
    int k = 0;
    sn4 part = {0, 0, 0, 0};
    for (; k + 4 <= n && col[k + 3] == col[k] + 3; k += 4) {
      sn4 m = sn4_load(M + k);
      mjtNum* r = res + col[k];
      part += m * sn4_load(x + col[k]);
      sn4_store(r, sn4_load(r) + m * xi);
    }
    for (; k < n; k++) {
      sum += M[k] * x[col[k]];
      res[col[k]] += M[k] * xi;
    }
    res[i] = sum + sn4_sum(part);
  }
}

// M = L'DL: up by L', scale, down by L.
void problem_solve_M(const snProblem* p, mjtNum* res, const mjtNum* x) {
  if (p->tree) {
    mj_markStack(p->d);
    mjtNum* scratch = mj_stackAllocNum(p->d, (size_t)tree_scratch(p->tree));
    if (scratch) tree_solve(p->tree, res, x, p->LD, p->LDinv, 1, scratch);
    mj_freeStack(p->d);
    return;
  }
  if (res != x) memcpy(res, x, sizeof(mjtNum) * (size_t)p->nv);
  for (int i = p->nv - 1; i >= 0; i--) {
    mjtNum xi = res[i];
    if (xi == 0) continue;
    int adr = p->M_rowadr[i], diag = adr + p->M_rownnz[i] - 1;
    for (int k = adr; k < diag; k++) res[p->M_colind[k]] -= p->LD[k] * xi;
  }
  for (int i = 0; i < p->nv; i++) {
    int adr = p->M_rowadr[i], diag = adr + p->M_rownnz[i] - 1;
    mjtNum sum = res[i] * p->LDinv[i];
    for (int k = adr; k < diag; k++) sum -= p->LD[k] * res[p->M_colind[k]];
    res[i] = sum;
  }
}

SN_KERNEL mjtNum vector_dot(const mjtNum* a, const mjtNum* b, int n) {
  int k = n & ~3;
  mjtNum sum = dot_lanes(a, b, k);
  for (; k < n; k++) sum += a[k] * b[k];
  return sum;
}

SN_KERNEL void vector_add_scaled(mjtNum* res, const mjtNum* x, mjtNum s, int n) {
  for (int i = 0; i < n; i++) res[i] += s * x[i];
}
