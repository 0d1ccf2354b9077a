// Newton at full width for systems of up to WIDE_DOFS, with L known when it runs. Rows over one dof
// (friction, limits) are stored apart from J; the rows of a contact or equality are processed four
// at a time, over the lanes in which they are not zero. Of M and H the lower triangle is kept, in
// tiles of four rows and a lane; tiles that are empty because of branches of the tree are skipped.
#ifndef SINEW_SOLVE_FULL_WIDE_H_
#define SINEW_SOLVE_FULL_WIDE_H_

#include "solve/full.h"

// ---- products

// J x. Bands ascend, so that what one writes behind its rows is overwritten by the next.
SN_INLINE void wide_mul_J(const snFull* s, mjtNum* res, const sn4* x, int L) {
  const mjtNum* xs = (const mjtNum*)x;
  for (int k = 0; k < s->nband; k++) {
    const snRowBand* band = s->band + k;
    const mjtNum* J = band->J;
    sn4 sum[4];
    SN_UNROLL
    for (int q = 0; q < 4; q++) sum[q] = sn4_set1(0);
    SN_ROLLED
    for (int l = 0; l < band->nlane; l++) {
      int c = 4 * band->lane[l];
      sn4 v = sn4_load(xs + c);
      SN_UNROLL
      for (int q = 0; q < 4; q++) sum[q] += sn4_load(J + 4 * L * q + c) * v;
    }
    sn4_store(res + band->row, sn4_sum4(sum[0], sum[1], sum[2], sum[3]));
  }
  for (int k = 0; k < s->nsingle; k++) {
    const snSingle* one = s->single + k;
    res[one->row] = one->J * xs[one->col];
  }
}

// J' f
SN_INLINE void wide_mul_JT(const snFull* s, sn4* to, const mjtNum* f, int L) {
  mjtNum* res = (mjtNum*)to;
  for (int c = 0; c < L; c++) to[c] = sn4_set1(0);
  for (int k = 0; k < s->nband; k++) {
    const snRowBand* band = s->band + k;
    const mjtNum* J = band->J;
    sn4 fr = sn4_load(f + band->row);
    if (!sn4_any(fr != 0)) continue;
    SN_ROLLED
    for (int l = 0; l < band->nlane; l++) {
      int c = 4 * band->lane[l];
      sn4 sum = sn4_load(res + c);
      SN_UNROLL
      for (int q = 0; q < 4; q++) sum += sn4_load(J + 4 * L * q + c) * sn4_set1(fr[q]);
      sn4_store(res + c, sum);
    }
  }
  for (int k = 0; k < s->nsingle; k++) {
    const snSingle* one = s->single + k;
    res[one->col] += one->J * f[one->row];
  }
}

// M x, by tiles of four rows and a lane, each for both triangles
SN_INLINE void wide_mul_M(const snFull* s, sn4* res, const sn4* x, int L) {
  const mjtNum* xs = (const mjtNum*)x;
  for (int b = 0; b < L; b++) {
    const mjtNum* M = s->M + 16 * L * b;
    sn4 xb[4], dot[4], own = sn4_set1(0);
    SN_UNROLL
    for (int q = 0; q < 4; q++) {
      xb[q] = sn4_set1(xs[4 * b + q]);
      dot[q] = sn4_set1(0);
      own += sn4_load(M + 4 * (L * q + b)) * xb[q];
    }
    SN_ROLLED
    for (int l = 0; l < s->nlane[b]; l++) {
      int c = s->lane[b][l];
      sn4 xc = x[c], sum = res[c];
      SN_UNROLL
      for (int q = 0; q < 4; q++) {
        sn4 row = sn4_load(M + 4 * (L * q + c));
        sum += row * xb[q];
        dot[q] += row * xc;
      }
      res[c] = sum;
    }
    res[b] = own + sn4_sum4(dot[0], dot[1], dot[2], dot[3]);
  }
}

// ---- the Hessian

// H += sum_r left_r' right_r over the given lanes, up to the diagonal
SN_INLINE void wide_tiles(mjtNum* H, int stride, const mjtNum* const* left,
                          const mjtNum* const* right, int nr, const unsigned char* lane, int n) {
  for (int a = 0; a < n; a++) {
    int i = 4 * lane[a];
    mjtNum* rows = H + (size_t)i * stride;
    for (int b = 0; b <= a; b++) {
      int j = 4 * lane[b];
      sn4 tile[4];
      SN_UNROLL
      for (int q = 0; q < 4; q++) tile[q] = sn4_load(rows + q * stride + j);
      for (int r = 0; r < nr; r++) {
        sn4 v = sn4_load(right[r] + j);
        SN_UNROLL
        for (int q = 0; q < 4; q++) tile[q] += v * sn4_set1(left[r][i + q]);
      }
      SN_UNROLL
      for (int q = 0; q < 4; q++) sn4_store(rows + q * stride + j, tile[q]);
    }
  }
}

// The rows of a band whose weight is another than before.
SN_INLINE void wide_band(const snFull* s, const snRowBand* band, const mjtNum* now,
                         const mjtNum* before, int L) {
  mjtNum scaled[4][4 * MOST_LANES];
  const mjtNum *left[4], *right[4];
  int nr = 0;
  for (int q = band->row; q < band->row + band->nrow; q++) {
    mjtNum gain = now[q] - before[q];
    if (gain == 0) continue;
    left[nr] = scaled[nr];
    right[nr] = band->J + 4 * L * (q - band->row);
    for (int l = 0; l < band->nlane; l++) {
      int c = 4 * band->lane[l];
      sn4_store(scaled[nr] + c, sn4_load(right[nr] + c) * gain);
    }
    nr++;
  }
  if (nr == 4)
    wide_tiles(s->plain, 4 * L, left, right, 4, band->lane, band->nlane);
  else if (nr)
    wide_tiles(s->plain, 4 * L, left, right, nr, band->lane, band->nlane);
}

// J' Hc J of the contacts in their middle zone.
SN_INLINE void wide_cones(const snFull* s, int L) {
  const snProblem* p = s->p;
  const snRowBand* band = s->band;
  for (int k = 0; k < s->x.ncone; k++) {
    int row = s->x.cone[k];
    if (p->state[row] != mjCNSTRSTATE_CONE) continue;
    while (band->row != row) band++;
    const mjContact* con = p->rows.contact + p->rows.id[row];
    const mjtNum *left[6], *right[6];
    int dim = con->dim;
    for (int i = 0; i < dim; i++) {
      mjtNum* to = s->bent + 4 * L * i;
      left[i] = band->J + 4 * L * i;
      right[i] = to;
      for (int l = 0; l < band->nlane; l++) {
        int c = 4 * band->lane[l];
        sn4 sum = {0, 0, 0, 0};
        for (int j = 0; j < dim; j++) {
          sum += sn4_load(band->J + 4 * L * j + c) * con->H[i * dim + j];
        }
        sn4_store(to + c, sum);
      }
    }
    if (dim == 3)
      wide_tiles(s->H, 4 * L, left, right, 3, band->lane, band->nlane);
    else
      wide_tiles(s->H, 4 * L, left, right, dim, band->lane, band->nlane);
  }
}

SN_INLINE void wide_copy(const snFull* s, mjtNum* to, const mjtNum* from, int L) {
  for (int b = 0; b < L; b++, from += 16 * L, to += 16 * L) {
    SN_ROLLED
    for (int l = 0; l <= s->nlane[b]; l++) {
      int c = 4 * s->lane[b][l];
      SN_UNROLL
      for (int q = 0; q < 4; q++) sn4_store(to + 4 * L * q + c, sn4_load(from + 4 * L * q + c));
    }
  }
}

// plain += J'(W - V)J
SN_INLINE void wide_add(const snFull* s, const mjtNum* W, const mjtNum* V, int L) {
  for (int k = 0; k < s->nsingle; k++) {
    const snSingle* one = s->single + k;
    s->plain[(4 * L + 1) * one->col] += (W[one->row] - V[one->row]) * one->J * one->J;
  }
  for (int k = 0; k < s->nband; k++) wide_band(s, s->band + k, W, V, L);
}

// plain = M + J'WJ, W as counted
SN_INLINE void wide_build(snFull* s, int L) {
  wide_copy(s, s->plain, s->M, L);
  wide_add(s, s->counted, s->zero, L);
  s->built = true;
}

// Has a row lost weight since they were counted?
SN_INLINE bool wide_loses(const snFull* s) {
  sn4i less = {0, 0, 0, 0};
  SN_ROLLED
  for (int i = 0; i < s->rows; i += 4) {
    less |= sn4_load(s->x.weight + i) < sn4_load(s->counted + i);
  }
  return sn4_any(less);
}

// H = M + J'WJ + cones. Rows that came in are added to what the iteration before made of it, unless
// there are many. None is taken out: what rounding leaves of a stiff row can be more than M.
SN_INLINE void wide_hessian(snFull* s, bool first, int L) {
  const mjtNum* weight = s->x.weight;
  size_t bytes = sizeof(mjtNum) * (size_t)s->rows;
  if (first || 2 * s->nchange > s->nactive || wide_loses(s)) {
    memcpy(s->counted, weight, bytes);
    wide_build(s, L);
  } else {
    if (!s->built) wide_build(s, L);
    wide_add(s, weight, s->counted, L);
    memcpy(s->counted, weight, bytes);
  }
  wide_copy(s, s->H, s->plain, L);
  if (s->bent_in) wide_cones(s, L);
}

// Two rows at `to`, less the four rows at U times two columns of s, over n of the lanes.
SN_INLINE void wide_subtract(mjtNum* to, const mjtNum* U, const mjtNum* s,
                             const unsigned char* lane, int n, int L) {
  sn4 u0 = sn4_set1(s[0]), u1 = sn4_set1(s[4]), u2 = sn4_set1(s[8]), u3 = sn4_set1(s[12]);
  sn4 v0 = sn4_set1(s[1]), v1 = sn4_set1(s[5]), v2 = sn4_set1(s[9]), v3 = sn4_set1(s[13]);
  SN_ROLLED
  for (int l = 0; l < n; l++) {
    int c = 4 * lane[l];
    sn4 a = sn4_load(to + c), b = sn4_load(to + 4 * L + c);
    sn4 r0 = sn4_load(U + c), r1 = sn4_load(U + 4 * L + c);
    sn4 r2 = sn4_load(U + 8 * L + c), r3 = sn4_load(U + 12 * L + c);
    a = a - r3 * u3 - r2 * u2 - r1 * u1 - r0 * u0;
    b = b - r3 * v3 - r2 * v2 - r1 * v1 - r0 * v0;
    sn4_store(to + c, a);
    sn4_store(to + 4 * L + c, b);
  }
}

// L'DL in place, four rows at a time from the last up; on the diagonal the inverse of D is kept
// instead, in dinv.
SN_INLINE void wide_factor(const snFull* s, int L) {
  for (int b = L - 1; b >= 0; b--) {
    mjtNum *rows = s->H + 16 * L * b, *dinv = s->dinv + 4 * b, *diag = rows + 4 * b;
    const mjtNum* least = s->least + 4 * b;
    // in registers, for pivots wait for each other; share[i][t] of row i in row t above it
    mjtNum share[4][4], B[4][4], inverse[4];
    SN_UNROLL
    for (int i = 0; i < 4; i++) {
      SN_UNROLL
      for (int t = 0; t <= i; t++) B[i][t] = diag[4 * L * i + t];
    }
    SN_UNROLL
    for (int i = 3; i >= 0; i--) {
      inverse[i] = 1 / (B[i][i] >= least[i] ? B[i][i] : least[i]);
      SN_UNROLL
      for (int t = i - 1; t >= 0; t--) {
        share[i][t] = B[i][t] * inverse[i];
        SN_UNROLL
        for (int u = 0; u <= t; u++) B[t][u] -= B[i][u] * share[i][t];
      }
    }
    sn4_store(dinv, (sn4){inverse[0], inverse[1], inverse[2], inverse[3]});
    SN_UNROLL
    for (int i = 1; i < 4; i++) {
      SN_UNROLL
      for (int t = 0; t < i; t++) diag[4 * L * i + t] = share[i][t];
    }
    mjtNum before[MOST_LANES][16];  // the rows before they are divided by D
    int n = s->nlane[b];
    const unsigned char* lane = s->lane[b];
    SN_ROLLED
    for (int l = 0; l < n; l++) {
      mjtNum* at = rows + 4 * lane[l];
      sn4 r[4];
      SN_UNROLL
      for (int i = 0; i < 4; i++) r[i] = sn4_load(at + 4 * L * i);
      SN_UNROLL
      for (int i = 3; i > 0; i--) {
        SN_UNROLL
        for (int t = i - 1; t >= 0; t--) r[t] -= r[i] * sn4_set1(share[i][t]);
      }
      SN_UNROLL
      for (int i = 0; i < 4; i++) {
        sn4_store(before[l] + 4 * i, r[i]);
        sn4_store(at + 4 * L * i, r[i] * sn4_set1(inverse[i]));
      }
    }
    SN_ROLLED
    for (int l = 0; l < n; l++) {
      mjtNum* to = s->H + 16 * L * lane[l];
      wide_subtract(to, rows, before[l], lane, l + 1, L);
      wide_subtract(to + 8 * L, rows, before[l] + 2, lane, l + 1, L);
    }
  }
}

// x <- inv(L'DL) x
SN_INLINE void wide_substitute(const snFull* s, sn4* x, int L) {
  for (int b = L - 1; b >= 0; b--) {
    const mjtNum *rows = s->H + 16 * L * b, *diag = rows + 4 * b;
    mjtNum y[4];
    SN_UNROLL
    for (int i = 0; i < 4; i++) y[i] = x[b][i];
    SN_UNROLL
    for (int i = 3; i > 0; i--) {
      SN_UNROLL
      for (int t = 0; t < i; t++) y[t] -= diag[4 * L * i + t] * y[i];
    }
    x[b] = (sn4){y[0], y[1], y[2], y[3]};
    SN_ROLLED
    for (int l = 0; l < s->nlane[b]; l++) {
      int c = s->lane[b][l];
      sn4 sum = x[c];
      SN_UNROLL
      for (int i = 3; i >= 0; i--) sum -= sn4_load(rows + 4 * (L * i + c)) * sn4_set1(y[i]);
      x[c] = sum;
    }
  }
  for (int b = 0; b < L; b++) {
    const mjtNum *rows = s->H + 16 * L * b, *diag = rows + 4 * b;
    sn4 sum[4];
    SN_UNROLL
    for (int q = 0; q < 4; q++) sum[q] = sn4_set1(0);
    SN_ROLLED
    for (int l = 0; l < s->nlane[b]; l++) {
      int c = s->lane[b][l];
      SN_UNROLL
      for (int q = 0; q < 4; q++) sum[q] += sn4_load(rows + 4 * (L * q + c)) * x[c];
    }
    sn4 z = x[b] * sn4_load(s->dinv + 4 * b) - sn4_sum4(sum[0], sum[1], sum[2], sum[3]);
    mjtNum y[4];
    SN_UNROLL
    for (int i = 0; i < 4; i++) y[i] = z[i];
    SN_UNROLL
    for (int i = 1; i < 4; i++) {
      SN_UNROLL
      for (int t = 0; t < i; t++) y[i] -= diag[4 * L * i + t] * y[t];
    }
    x[b] = (sn4){y[0], y[1], y[2], y[3]};
  }
}

// The factor in H, dinv; while positions are held the first one of a solve is found again by its
// weights.
SN_INLINE void wide_make(snFull* s, bool first, int L) {
  size_t rows = (size_t)s->rows, size = 16 * (size_t)(L * L), bytes = sizeof(mjtNum) * rows;
  bool bent = false, keep = first && s->held;
  for (int k = 0; k < s->x.ncone; k++) bent |= s->p->state[s->x.cone[k]] == mjCNSTRSTATE_CONE;
  if (!first && !bent && !s->bent_in && !memcmp(s->counted, s->x.weight, bytes)) return;
  s->bent_in = bent;
  for (int k = 0; keep && !bent && k < s->nfactor; k++) {
    if (memcmp(s->factor[k], s->x.weight, bytes)) continue;
    memcpy(s->counted, s->x.weight, bytes);
    memcpy(s->H, s->factor[k] + rows, sizeof(mjtNum) * size);
    memcpy(s->dinv, s->factor[k] + rows + size, sizeof(mjtNum) * 4 * (size_t)L);
    s->built = false;
    return;
  }
  wide_hessian(s, first, L);
  damp(s, L);
  wide_factor(s, L);
  if (!keep || bent || s->damping || s->nfactor == MAX_FACTORS) return;
  mjtNum* to = s->factor[s->nfactor++];
  memcpy(to, s->x.weight, bytes);
  memcpy(to + rows, s->H, sizeof(mjtNum) * size);
  memcpy(to + rows + size, s->dinv, sizeof(mjtNum) * 4 * (size_t)L);
}

// x <- inv(H) x, with H assembled again when its damping has changed.
SN_INLINE void wide_step(snFull* s, sn4* x, bool first, bool anew, int L) {
  if (anew) {
    wide_hessian(s, true, L);
    damp(s, L);
    wide_factor(s, L);
  } else {
    wide_make(s, first, L);
  }
  wide_substitute(s, x, L);
}

// ---- J and M

// Rows of one contact or equality.
SN_INLINE void wide_rows(snFull* s, const mjtNum* J, int row, int end, int L) {
  int n = s->p->nv, width = 4 * L, nlane = 0;
  snRowBand *from = s->band + s->nband, *band = from;
  mjtNum* to = s->J + (size_t)s->nband * 4 * width;
  sn4i any[MOST_LANES];
  unsigned char lane[MOST_LANES];
  for (int c = 0; c < L; c++) any[c] = (sn4i){0, 0, 0, 0};
  for (int r = row; r < end; r += 4, band++) {
    *band = (snRowBand){.row = r, .nrow = end - r < 4 ? end - r : 4, .J = to};
    for (int q = 0; q < 4; q++, to += width) {
      const mjtNum* at = J + (size_t)(r + q) * n;
      for (int c = 0; c < L; c++) {
        sn4 v = q >= band->nrow ? sn4_set1(0)
                : c < L - 1     ? sn4_load(at + 4 * c)
                                : sn4_load_part(at + 4 * c, n - 4 * c);
        sn4_store(to + 4 * c, v);
        any[c] |= v != 0;
      }
    }
  }
  for (int c = 0; c < L; c++) {
    lane[nlane] = (unsigned char)c;
    nlane += sn4_any(any[c]);
  }
  for (; from < band; from++, s->nband++) {
    from->nlane = nlane;
    memcpy(from->lane, lane, (size_t)nlane);
  }
  unsigned mask = 0;
  for (int l = 0; l < nlane; l++) {
    s->mask[lane[l]] |= mask;
    mask |= 1u << lane[l];
  }
}

// Rows from r on that belong to one contact or equality.
SN_INLINE int wide_unit(const snRowView* rows, int r) {
  int end = r + 1;
  while (end < rows->nefc && rows->type[end] == rows->type[r] && rows->id[end] == rows->id[r])
    end++;
  return end;
}

// The only column of row r, or -1.
SN_INLINE int wide_column(const snProblem* p, const mjtNum* J, int r) {
  int type = p->rows.type[r], col = -1;
  if (type == mjCNSTR_FRICTION_DOF) return p->rows.id[r];
  if (type != mjCNSTR_LIMIT_JOINT) return -1;
  int n = p->nv, c = 0;
  for (; c + 4 <= n; c += 4) {
    unsigned bits = sn4_bits(sn4_load(J + c) != 0);
    if (!bits) continue;
    if (col >= 0 || (bits & (bits - 1))) return -1;
    col = c + __builtin_ctz(bits);
  }
  for (; c < n; c++) {
    if (J[c] == 0) continue;
    if (col >= 0) return -1;
    col = c;
  }
  return col;
}

// The lower triangle of M, with tiles on the diagonal in full. What lies beyond the last dof has a
// pivot of one.
SN_INLINE void wide_inertia(snFull* s, int L) {
  const snProblem* p = s->p;
  int n = p->nv, width = 4 * L;
  mjtNum* M = s->M;
  memset(M, 0, sizeof(mjtNum) * (size_t)(width * width));
  for (int i = n; i < width; i++) M[width * i + i] = 1;
  for (int i = 0; i < n; i++) {
    const mjtNum* from = p->M + p->M_rowadr[i];
    mjtNum* row = M + width * i;
    for (int k = p->M_runadr[i]; k < p->M_runadr[i + 1]; k++) {
      int first = p->M_run[k].first, num = p->M_run[k].num, c = 0;
      for (; c + 4 <= num; c += 4) sn4_store(row + first + c, sn4_load(from + c));
      const mjtNum* last = from + c;
      mjtNum* to = row + first + c;
      switch (num & 3) {  // one jump
        case 3:
          to[2] = last[2];  // fall through
        case 2:
          to[1] = last[1];  // fall through
        case 1:
          to[0] = last[0];
      }
      s->mask[i / 4] |= (2u << (first + num - 1) / 4) - (1u << first / 4);
      from += num;
    }
    SN_ASSERT(from == p->M + p->M_rowadr[i] + p->M_rownnz[i]);  // runs cover the row
  }
  for (int b = 0; b < n; b += 4) {
    mjtNum* tile = M + (width + 1) * b;
    SN_UNROLL
    for (int i = 1; i < 4; i++) {
      SN_UNROLL
      for (int t = 0; t < i; t++) tile[width * t + i] = tile[width * i + t];
    }
  }
}

// Lanes of the factor: a row fills in those it is subtracted from.
SN_INLINE void wide_pattern(snFull* s, int L) {
  for (int b = L - 1; b >= 0; b--) {
    int n = 0;
    for (int c = 0; c < b; c++) {
      if (!(s->mask[b] >> c & 1)) continue;
      s->mask[c] |= s->mask[b] & ((1u << c) - 1);
      s->lane[b][n++] = (unsigned char)c;
    }
    SN_ASSERT(n <= b && s->mask[b] < 2u << b);  // the lower triangle
    s->nlane[b] = n;
    s->lane[b][n] = (unsigned char)b;
  }
}

SN_INLINE void wide_fill(snFull* s, const mjtNum* J, int L) {
  const snProblem* p = s->p;
  int n = p->nv, nefc = p->rows.nefc;
  for (int b = 0; b < L; b++) s->mask[b] = 0;
  wide_inertia(s, L);
  least_pivots(s, L);
  s->nband = s->nsingle = 0;
  for (int r = 0; r < nefc;) {
    int col = wide_column(p, J + (size_t)r * n, r);
    if (col >= 0) {
      // both limits of a joint may be active, each in a row of its own
      s->single[s->nsingle++] = (snSingle){r, col, J[(size_t)r * n + col]};
      r++;
    } else {
      int end = wide_unit(&p->rows, r);
      wide_rows(s, J, r, end, L);
      r = end;
    }
  }
  wide_pattern(s, L);
  SN_ASSERT(s->nsingle <= nefc);
  for (int k = 1; k < s->nband; k++) SN_ASSERT(s->band[k].row > s->band[k - 1].row);
}

#endif
