// Newton at full width for small systems, with L known to the compiler. What large problems spare
// by blocks of rows, fill and updates of the factor costs these more than it saves: every iteration
// assembles H = M + J'WJ and factorizes it.
#ifndef SINEW_SOLVE_FULL_SMALL_H_
#define SINEW_SOLVE_FULL_SMALL_H_

#include "solve/full.h"

// ---- products

// J x
SN_INLINE void small_mul_J(const snFull* s, mjtNum* res, const sn4* x, int L) {
  const mjtNum* J = s->J;
  SN_ROLLED
  for (int r = 0; r < s->rows; r += 4, J += 16 * L) {
    sn4 sum[4];
    SN_UNROLL
    for (int q = 0; q < 4; q++) {
      sum[q] = sn4_load(J + 4 * L * q) * x[0];
      SN_UNROLL
      for (int c = 1; c < L; c++) sum[q] += sn4_load(J + 4 * L * q + 4 * c) * x[c];
    }
    sn4_store(res + r, sn4_sum4(sum[0], sum[1], sum[2], sum[3]));
  }
}

// J' f
SN_INLINE void small_mul_JT(const snFull* s, sn4* res, const mjtNum* f, int L) {
  const mjtNum* J = s->J;
  SN_UNROLL
  for (int c = 0; c < L; c++) res[c] = sn4_set1(0);
  SN_ROLLED
  for (int r = 0, n = s->p->rows.nefc; r < n; r++, J += 4 * L) {
    sn4 fr = sn4_set1(f[r]);
    SN_UNROLL
    for (int c = 0; c < L; c++) res[c] += sn4_load(J + 4 * c) * fr;
  }
}

// M x
SN_INLINE void small_mul_M(const snFull* s, sn4* res, const sn4* x, int L) {
  const mjtNum* M = s->M;
  mjtNum xs[4 * SMALL_LANES];
  SN_UNROLL
  for (int c = 0; c < L; c++) {
    sn4_store(xs + 4 * c, x[c]);
    res[c] = sn4_set1(0);
  }
  SN_ROLLED
  for (int i = 0, n = s->p->nv; i < n; i++, M += 4 * L) {
    sn4 xi = sn4_set1(xs[i]);
    SN_UNROLL
    for (int c = 0; c < L; c++) res[c] += sn4_load(M + 4 * c) * xi;
  }
}

// ---- the Hessian

// The terms of J'WJ: quadratic rows, and cones in their middle zone.
SN_INLINE int small_terms(const snFull* s, int L) {
  const snProblem* p = s->p;
  const mjtNum* weight = s->x.weight;
  snTerm* term = s->term;
  int n = 0;
  SN_ROLLED
  for (int r = 0; r < p->rows.nefc; r++) {
    const mjtNum* J = s->J + (size_t)r * 4 * L;
    term[n] = (snTerm){J, J, weight[r]};
    n += weight[r] != 0;
  }
  SN_ROLLED
  for (int k = 0; k < s->x.ncone; k++) {
    int row = s->x.cone[k];
    if (p->state[row] != mjCNSTRSTATE_CONE) continue;
    const mjContact* con = p->rows.contact + p->rows.id[row];
    const mjtNum* J = s->J + (size_t)row * 4 * L;
    SN_ROLLED
    for (int i = 0; i < con->dim; i++) {
      mjtNum* to = s->bent + (size_t)(row + i) * 4 * L;
      SN_UNROLL
      for (int c = 0; c < L; c++) {
        sn4 sum = {0, 0, 0, 0};
        SN_ROLLED
        for (int j = 0; j < con->dim; j++) {
          sum += sn4_load(J + 4 * (j * L + c)) * con->H[i * con->dim + j];
        }
        sn4_store(to + 4 * c, sum);
      }
      term[n++] = (snTerm){J + 4 * L * i, to, 1};
    }
  }
  return n;
}

// H = M + sum of terms, four rows at a time, lanes up to the diagonal.
SN_INLINE void small_hessian(const snFull* s, int nterm, int L) {
  SN_UNROLL
  for (int b = 0; b < L; b++) {
    const mjtNum* M = s->M + 16 * b * L;
    mjtNum* H = s->H + 16 * b * L;
    sn4 tile[4][SMALL_LANES];
    SN_UNROLL
    for (int q = 0; q < 4; q++) {
      SN_UNROLL
      for (int c = 0; c <= b; c++) tile[q][c] = sn4_load(M + 4 * (q * L + c));
    }
    SN_ROLLED
    for (int k = 0; k < nterm; k++) {
      const mjtNum* right = s->term[k].right;
      sn4 left = sn4_load(s->term[k].left + 4 * b) * s->term[k].share;
      SN_UNROLL
      for (int c = 0; c <= b; c++) {
        sn4 v = sn4_load(right + 4 * c);
        SN_UNROLL
        for (int q = 0; q < 4; q++) tile[q][c] += v * sn4_set1(left[q]);
      }
    }
    SN_UNROLL
    for (int q = 0; q < 4; q++) {
      SN_UNROLL
      for (int c = 0; c <= b; c++) sn4_store(H + 4 * (q * L + c), tile[q][c]);
    }
  }
}

// Up to two lanes the factor is made and used number by number: pivots wait for each other, and
// lanes would go through memory for each of them. The sums are those of lanes.
enum { FEW_LANES = 2 };

// H = L'DL from the last row up: L below the diagonal, inverse pivots in dinv.
SN_INLINE void few_factor(const snFull* s, int L) {
  int n = s->p->nv;
  mjtNum A[4 * FEW_LANES][4 * FEW_LANES], *H = s->H, *dinv = s->dinv;
  SN_UNROLL
  for (int i = 0; i < 4 * L; i++) {
    if (i >= n) break;
    SN_UNROLL
    for (int t = 0; t <= i; t++) A[i][t] = H[4 * L * i + t];
  }
  SN_UNROLL
  for (int i = 4 * L - 1; i >= 0; i--) {
    if (i >= n) continue;
    mjtNum pivot = A[i][i], inverse = 1 / (pivot >= s->least[i] ? pivot : s->least[i]);
    mjtNum share[4 * FEW_LANES];
    dinv[i] = inverse;
    SN_UNROLL
    for (int t = i - 1; t >= 0; t--) H[4 * L * i + t] = share[t] = A[i][t] * inverse;
    SN_UNROLL
    for (int t = i - 1; t >= 0; t--) {
      SN_UNROLL
      for (int u = t; u >= 0; u--) A[t][u] -= share[u] * A[i][t];
    }
  }
}

// x <- inv(H) x
SN_INLINE void few_solve(const snFull* s, sn4* x, int L) {
  int n = s->p->nv;
  const mjtNum *H = s->H, *dinv = s->dinv;
  mjtNum y[4 * FEW_LANES];
  SN_UNROLL
  for (int i = 0; i < 4 * L; i++) y[i] = x[i / 4][i % 4];
  SN_UNROLL
  for (int i = 4 * L - 1; i > 0; i--) {
    if (i >= n) continue;
    SN_UNROLL
    for (int t = i - 1; t >= 0; t--) y[t] -= H[4 * L * i + t] * y[i];
  }
  SN_UNROLL
  for (int i = 0; i < 4 * L; i++) {
    if (i >= n) break;
    const mjtNum* row = H + 4 * L * i;
    y[i] *= dinv[i];
    if (i >= 4) y[i] -= (row[0] * y[0] + row[1] * y[1]) + (row[2] * y[2] + row[3] * y[3]);
    SN_UNROLL
    for (int t = i & ~3; t < i; t++) y[i] -= row[t] * y[t];
  }
  SN_UNROLL
  for (int c = 0; c < L; c++) x[c] = (sn4){y[4 * c], y[4 * c + 1], y[4 * c + 2], y[4 * c + 3]};
}

// H = L'DL from the last row up. Rows of L are zero from the diagonal on; inverse pivots in dinv.
SN_INLINE void small_factor(const snFull* s, int L) {
  static const sn4i kLeft[4] = {{0}, {-1}, {-1, -1}, {-1, -1, -1}};
  int n = s->p->nv;
  mjtNum* dinv = s->dinv;
  SN_UNROLL
  for (int c = 0; c < L; c++) sn4_store(dinv + 4 * c, sn4_set1(0));
  SN_UNROLL
  for (int b = L - 1; b >= 0; b--) {
    SN_ROLLED
    for (int i = 4 * b + 3 < n ? 4 * b + 3 : n - 1; i >= 4 * b; i--) {
      mjtNum* row = s->H + 4 * L * i;
      sn4 u[SMALL_LANES];
      mjtNum pivot = row[i], inverse = 1 / (pivot >= s->least[i] ? pivot : s->least[i]);
      dinv[i] = inverse;
      SN_UNROLL
      for (int c = 0; c <= b; c++) u[c] = sn4_load(row + 4 * c) * inverse;
      SN_UNROLL
      for (int a = 0; a <= b; a++) {
        SN_ROLLED
        for (int t = 4 * a, end = a < b ? t + 4 : i; t < end; t++) {
          // other branches of a larger tree
          if (L > 2 && row[t] == 0) continue;
          mjtNum* to = s->H + 4 * L * t;
          sn4 scale = sn4_set1(row[t]);
          SN_UNROLL
          for (int c = 0; c <= a; c++) sn4_store(to + 4 * c, sn4_load(to + 4 * c) - u[c] * scale);
        }
      }
      u[b] = (sn4)((sn4i)u[b] & kLeft[i & 3]);
      SN_UNROLL
      for (int c = 0; c <= b; c++) sn4_store(row + 4 * c, u[c]);
    }
  }
}

// x <- inv(H) x
SN_INLINE void small_solve(const snFull* s, sn4* x, int L) {
  int n = s->p->nv;
  const mjtNum* dinv = s->dinv;
  SN_UNROLL
  for (int b = L - 1; b >= 0; b--) {
    SN_UNROLL
    for (int q = 3; q >= 0; q--) {
      int i = 4 * b + q;
      if (i >= n) continue;
      const mjtNum* row = s->H + 4 * L * i;
      sn4 xi = sn4_set1(x[b][q]);
      SN_UNROLL
      for (int c = 0; c <= b; c++) x[c] -= sn4_load(row + 4 * c) * xi;
    }
  }
  SN_UNROLL
  for (int b = 0; b < L; b++) {
    const mjtNum* row = s->H + 16 * L * b;
    // just stored one by one: a load of all four would wait for them
    sn4 y = x[b] * (sn4){dinv[4 * b], dinv[4 * b + 1], dinv[4 * b + 2], dinv[4 * b + 3]};
    if (b > 0) {
      sn4 sum[4];
      SN_UNROLL
      for (int q = 0; q < 4; q++) {
        sum[q] = sn4_load(row + 4 * L * q) * x[0];
        SN_UNROLL
        for (int c = 1; c < b; c++) sum[q] += sn4_load(row + 4 * (L * q + c)) * x[c];
      }
      y -= sn4_sum4(sum[0], sum[1], sum[2], sum[3]);
    }
    row += 4 * b;
    mjtNum y0 = y[0], y1 = y[1] - row[4 * L] * y0;
    mjtNum y2 = y[2] - row[8 * L] * y0 - row[8 * L + 1] * y1;
    mjtNum y3 = y[3] - row[12 * L] * y0 - row[12 * L + 1] * y1 - row[12 * L + 2] * y2;
    x[b] = (sn4){y0, y1, y2, y3};
  }
}

// What weights and factor of a small system take.
SN_INLINE size_t small_room(size_t rows, int L) { return rows + (4 * (size_t)L + 1) * 4 * L; }

// While positions are held H follows from the weights alone, unless there are cones in their middle
// zone or damping: the place of the factor that the same weights led to, and whether it is there
// already. The first place is for those that are not kept.
SN_INLINE bool small_found(snFull* s, int L) {
  bool keep = !s->damping, found = false;
  for (int k = 0; k < s->x.ncone; k++) keep &= s->p->state[s->x.cone[k]] != mjCNSTRSTATE_CONE;
  size_t room = small_room((size_t)s->rows, L), bytes = sizeof(mjtNum) * (size_t)s->rows;
  mjtNum* at = s->factor[0];
  for (int k = 0; keep && !found && k < s->nfactor; k++) {
    at += room;
    found = !memcmp(at, s->x.weight, bytes);
  }
  if (keep && !found) {
    at = s->factor[0];
    if (s->nfactor < SMALL_FACTORS) {
      at += ++s->nfactor * room;
      memcpy(at, s->x.weight, bytes);
    }
  }
  s->H = at + s->rows;
  s->dinv = s->H + 16 * L * L;
  return found;
}

// x <- inv(H) x
SN_INLINE void small_step(snFull* s, sn4* x, int L) {
  if (!s->held || !small_found(s, L)) {
    small_hessian(s, small_terms(s, L), L);
    damp(s, L);
    if (L <= FEW_LANES)
      few_factor(s, L);
    else
      small_factor(s, L);
  }
  if (L <= FEW_LANES)
    few_solve(s, x, L);
  else
    small_solve(s, x, L);
}

// J and M at full width; rows and columns beyond are zero.
SN_INLINE void small_fill(const snFull* s, const mjtNum* J, int L) {
  const snProblem* p = s->p;
  int n = p->nv, nefc = p->rows.nefc;
  least_pivots(s, L);
  SN_ROLLED
  for (int r = 0; r < s->rows; r++) {
    sn4 row[SMALL_LANES];
    if (r < nefc) {
      load_lanes(row, J + (size_t)r * n, n, L);
    } else {
      SN_UNROLL
      for (int c = 0; c < L; c++) row[c] = sn4_set1(0);
    }
    SN_UNROLL
    for (int c = 0; c < L; c++) sn4_store(s->J + 4 * (r * L + c), row[c]);
  }
  SN_ROLLED
  for (int k = 0; k < 16 * L * L; k += 4) sn4_store(s->M + k, sn4_set1(0));
  SN_ROLLED
  for (int i = 0; i < n; i++) {
    int adr = p->M_rowadr[i], nnz = p->M_rownnz[i];
    SN_ROLLED
    for (int k = adr; k < adr + nnz; k++) {
      int j = p->M_colind[k];
      s->M[4 * L * i + j] = s->M[4 * L * j + i] = p->M[k];
    }
  }
}

#endif
