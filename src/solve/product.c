// Products J x, J'f, M x and inv(M) x of a problem (problem.h): J by blocks of rows over common
// columns, so that the entries of x are gathered once for all rows of a block and sums run in SIMD
// lanes; M row by row along its tree.
#include <string.h>

#include "solve/problem.h"

// The products of four rows, n apart.
SN_INLINE sn4 dot_four(const mjtNum* rows, const mjtNum* b, int n) {
  sn4 sum[4];
  for (int i = 0; i < 4; i++) sum[i] = sn4_set1(0);
  for (int k = 0; k < n; k += 4) {
    sn4 x = sn4_load(b + k);
    for (int i = 0; i < 4; i++) sum[i] += sn4_load(rows + i * n + k) * x;
  }
  return sn4_sum4(sum[0], sum[1], sum[2], sum[3]);
}

// The products of three, as those of a connection.
SN_INLINE sn4 dot_three(const mjtNum* rows, const mjtNum* b, int n) {
  sn4 s0 = sn4_set1(0), s1 = s0, s2 = s0;
  for (int k = 0; k < n; k += 4) {
    sn4 x = sn4_load(b + k);
    s0 += sn4_load(rows + k) * x;
    s1 += sn4_load(rows + n + k) * x;
    s2 += sn4_load(rows + 2 * n + k) * x;
  }
  return sn4_sum4(s0, s1, s2, s2);
}

// The sums of nr rows of n numbers, weighted.
SN_INLINE void sum_rows(mjtNum* res, const mjtNum* rows, const mjtNum* f, int nr, int n) {
  for (int i = 0; i < n; i += 4) {
    sn4 sum = sn4_set1(0);
    SN_UNROLL
    for (int r = 0; r < nr; r++) sum += sn4_load(rows + r * n + i) * f[r];
    sn4_store(res + i, sum);
  }
}

// Gather the columns of a block from a vector, and add sums to them; most columns are adjacent.
SN_INLINE void columns_take(mjtNum* g, const mjtNum* x, const int* col, int n) {
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    const int* c = col + i;
    if (c[3] == c[0] + 3)
      sn4_store(g + i, sn4_load(x + c[0]));
    else
      sn4_store(g + i, (sn4){x[c[0]], x[c[1]], x[c[2]], x[c[3]]});
  }
  for (; i < n; i++) g[i] = x[col[i]];
}

SN_INLINE void columns_add(mjtNum* x, const mjtNum* g, const int* col, int n) {
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    const int* c = col + i;
    if (c[3] == c[0] + 3) {
      sn4_store(x + c[0], sn4_load(x + c[0]) + sn4_load(g + i));
    } else {
      SN_UNROLL
      for (int k = 0; k < 4; k++) x[c[k]] += g[i + k];
    }
  }
  for (; i < n; i++) x[col[i]] += g[i];
}

// Rows with columns of their own.
SN_INLINE void own_rows_dot(mjtNum* res, const mjtNum* J, const mjtNum* x, const int* col, int nrow,
                            int n) {
  for (int r = 0; r < nrow; r++, J += n, col += n) {
    mjtNum sum = 0;
    for (int i = 0; i < n; i++) sum += J[i] * x[col[i]];
    res[r] = sum;
  }
}

SN_INLINE void own_rows_add(mjtNum* res, const mjtNum* J, const mjtNum* f, const int* col, int nrow,
                            int n) {
  for (int r = 0; r < nrow; r++, J += n, col += n) {
    if (f[r] == 0) continue;
    for (int i = 0; i < n; i++) res[col[i]] += J[i] * f[r];
  }
}

// The same over points, in the padded vector.
SN_INLINE void point_rows_dot(mjtNum* res, const mjtNum* J, const mjtNum* x, const int* col,
                              int nrow, int n) {
  int r = 0;
  for (; r + 4 <= nrow; r += 4) {
    sn4 sum[4];
    for (int i = 0; i < 4; i++, J += 4 * n, col += n) {
      sum[i] = sn4_load(J) * sn4_load(x + col[0]);
      for (int q = 1; q < n; q++) sum[i] += sn4_load(J + 4 * q) * sn4_load(x + col[q]);
    }
    sn4_store(res + r, sn4_sum4(sum[0], sum[1], sum[2], sum[3]));
  }
  for (; r < nrow; r++, J += 4 * n, col += n) {
    sn4 sum = sn4_load(J) * sn4_load(x + col[0]);
    for (int q = 1; q < n; q++) sum += sn4_load(J + 4 * q) * sn4_load(x + col[q]);
    res[r] = sn4_sum(sum);
  }
}

SN_INLINE void point_rows_add(mjtNum* res, const mjtNum* J, const mjtNum* f, const int* col,
                              int nrow, int n) {
  for (int r = 0; r < nrow; r++, J += 4 * n, col += n) {
    if (f[r] == 0) continue;
    for (int q = 0; q < n; q++) {
      mjtNum* to = res + col[q];
      sn4_store(to, sn4_load(to) + sn4_load(J + 4 * q) * f[r]);
    }
  }
}

// Rows that take the difference of two points.
SN_INLINE void apart_rows_dot(mjtNum* res, const mjtNum* J, const mjtNum* x, const int* col,
                              int nrow) {
  int r = 0;
  for (; r + 4 <= nrow; r += 4, J += 16, col += 8) {
    sn4 sum[4];
    for (int i = 0; i < 4; i++) {
      sum[i] = (sn4_load(x + col[2 * i + 1]) - sn4_load(x + col[2 * i])) * sn4_load(J + 4 * i);
    }
    sn4_store(res + r, sn4_sum4(sum[0], sum[1], sum[2], sum[3]));
  }
  for (; r < nrow; r++, J += 4, col += 2) {
    res[r] = sn4_sum((sn4_load(x + col[1]) - sn4_load(x + col[0])) * sn4_load(J));
  }
}

SN_INLINE void apart_rows_add(mjtNum* res, const mjtNum* J, const mjtNum* f, const int* col,
                              int nrow) {
  for (int r = 0; r < nrow; r++, J += 4, col += 2) {
    sn4 pull = sn4_load(J) * f[r];
    mjtNum *a = res + col[0], *b = res + col[1];
    sn4_store(a, sn4_load(a) - pull);
    sn4_store(b, sn4_load(b) + pull);
  }
}

// Rows with columns of their own; the usual lengths are written out.
SN_INLINE void own_block_dot(const snProblem* p, const snRowBlock* k, mjtNum* res,
                             const mjtNum* x) {
  const int* col = p->col + k->col;
  const mjtNum* J = p->J + k->J;
  if (k->apart) {
    apart_rows_dot(res, J, p->padded, col, k->nrow);
  } else if (k->npoint == 1) {
    point_rows_dot(res, J, p->padded, col, k->nrow, 1);
  } else if (k->npoint) {
    point_rows_dot(res, J, p->padded, col, k->nrow, k->npoint);
  } else if (k->ncol == 2) {
    own_rows_dot(res, J, x, col, k->nrow, 2);
  } else {
    own_rows_dot(res, J, x, col, k->nrow, k->ncol);
  }
}

SN_INLINE void own_block_add(const snProblem* p, const snRowBlock* k, mjtNum* res,
                             const mjtNum* f) {
  const int* col = p->col + k->col;
  const mjtNum* J = p->J + k->J;
  if (k->apart) {
    apart_rows_add(p->padded, J, f, col, k->nrow);
  } else if (k->npoint == 1) {
    point_rows_add(p->padded, J, f, col, k->nrow, 1);
  } else if (k->npoint) {
    point_rows_add(p->padded, J, f, col, k->nrow, k->npoint);
  } else if (k->ncol == 2) {
    own_rows_add(res, J, f, col, k->nrow, 2);
  } else {
    own_rows_add(res, J, f, col, k->nrow, k->ncol);
  }
}

// The block's columns of x are gathered once and serve all its rows.
SN_KERNEL void problem_mul_J(const snProblem* p, mjtNum* res, const mjtNum* x) {
  mjtNum* g = p->scratch;
  for (int i = 0; i < p->npoint; i++) {
    sn4_store(p->padded + 4 * i, sn4_load_part(x + p->point[i], 3));
  }
  for (int b = 0; b < p->nblock; b++) {
    const snRowBlock* k = p->block + b;
    const int* col = p->col + k->col;
    const mjtNum* J = p->J + k->J;
    if (k->own) {
      own_block_dot(p, k, res + k->row, x);
      continue;
    }
    if (k->ncol == 1) {
      mjtNum xc = x[col[0]];
      for (int r = 0; r < k->nrow; r++) res[k->row + r] = J[r * k->stride] * xc;
      continue;
    }
    if (k->nrow == 1 && k->ncol <= 8) {
      own_rows_dot(res + k->row, J, x, col, 1, k->ncol);
      continue;
    }
    columns_take(g, x, col, k->ncol);
    for (int i = k->ncol; i < k->stride; i++) g[i] = 0;
    int r = 0, stride = k->stride;
    for (; r + 4 <= k->nrow; r += 4)
      sn4_store(res + k->row + r, dot_four(J + r * stride, g, stride));
    if (r + 3 == k->nrow) {
      sn4_store_part(res + k->row + r, dot_three(J + r * stride, g, stride), 3);
      continue;
    }
    for (; r < k->nrow; r++) res[k->row + r] = dot_lanes(J + r * stride, g, stride);
  }
}

SN_KERNEL void problem_mul_JT(const snProblem* p, mjtNum* res, const mjtNum* f) {
  mjtNum* g = p->scratch;
  memset(res, 0, sizeof(mjtNum) * (size_t)p->nv);
  for (int i = 0; i < p->npoint; i++) sn4_store(p->padded + 4 * i, sn4_set1(0));
  for (int b = 0; b < p->nblock; b++) {
    const snRowBlock* k = p->block + b;
    const int* col = p->col + k->col;
    const mjtNum* J = p->J + k->J;
    if (k->own) {
      own_block_add(p, k, res, f + k->row);
      continue;
    }
    if (k->ncol == 1) {
      mjtNum sum = 0;
      for (int r = 0; r < k->nrow; r++) sum += J[r * k->stride] * f[k->row + r];
      res[col[0]] += sum;
      continue;
    }
    if (k->nrow == 1) {
      mjtNum fr = f[k->row];
      if (fr == 0) continue;
      own_rows_add(res, J, &fr, col, 1, k->ncol);
      continue;
    }
    if (k->nrow == 3)
      sum_rows(g, J, f + k->row, 3, k->stride);
    else if (k->nrow == 4)
      sum_rows(g, J, f + k->row, 4, k->stride);
    else
      sum_rows(g, J, f + k->row, k->nrow, k->stride);
    columns_add(res, g, col, k->ncol);
  }
  for (int i = 0; i < p->npoint; i++) {
    mjtNum* to = res + p->point[i];
    for (int k = 0; k < 3; k++) to[k] += p->padded[4 * i + k];
  }
}

// Row by row, the upper triangle along with the lower. Ancestors mostly have adjacent columns.
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

void problem_images(const snProblem* p, mjtNum* Ma, mjtNum* Jacc) {
  snHeldPositions* k = p->kept;
  size_t nv = sizeof(mjtNum) * (size_t)p->nv, nefc = sizeof(mjtNum) * (size_t)p->rows.nefc;
  if (!k) {
    if (Ma) problem_mul_M(p, Ma, p->acc);
    problem_mul_J(p, Jacc, p->acc);
    return;
  }
  if (!k->started || memcmp(k->acc, p->acc, nv)) {
    memcpy(k->acc, p->acc, nv);
    problem_mul_M(p, k->Ma, p->acc);
    problem_mul_J(p, k->Jacc, p->acc);
    k->started = true;
  }
  if (Ma) memcpy(Ma, k->Ma, nv);
  memcpy(Jacc, k->Jacc, nefc);
}

// M = L'DL: up by L', scale, down by L.
void problem_solve_M(const snProblem* p, mjtNum* res, const mjtNum* x) {
  if (p->tree) {
    tree_solve(p->tree, res, x, p->LD, p->LDinv, 1, p->scratch);
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
