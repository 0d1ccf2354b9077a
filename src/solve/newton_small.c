// Newton's method on the primal for small systems, in one kernel.
//
// What large problems spare by blocks of rows, fill and updates of the factor costs a small one
// more than it saves. Here J and M are full, padded with zeros to whole lanes; vectors over dofs
// are an array of L lanes, with L known to the compiler; every iteration puts H = M + J'WJ together
// anew and factorizes it. The gradient follows from M x, which moves along with x.
#include "solve/point.h"

enum { MOST_LANES = SMALL_DOFS / 4 };

// A loop left as one: all of this is written out for every L.
#if defined(__GNUC__) && !defined(__clang__)
#define SN_ROLLED _Pragma("GCC unroll 1")
#else
#define SN_ROLLED
#endif

// A term share left' right of J'WJ.
typedef struct snTerm_ {
  const mjtNum *left, *right;
  mjtNum share;
} snTerm;

typedef struct snSmall_ {
  const snProblem* p;
  snPoint x;
  int rows;           // rounded up to lanes
  mjtNum *J, *M, *H;  // (rows x 4L), (4L x 4L), (4L x 4L)
  mjtNum* bent;       // (rows x 4L) Hc J of cones
  snTerm* term;       // (rows)
  int nactive, nchange;
} snSmall;

// ---- products

SN_INLINE void load_lanes(sn4* x, const mjtNum* from, int n, int L) {
  SN_UNROLL
  for (int c = 0; c < L - 1; c++) x[c] = sn4_load(from + 4 * c);
  x[L - 1] = sn4_load_part(from + 4 * (L - 1), n - 4 * (L - 1));
}

SN_INLINE void store_lanes(mjtNum* to, const sn4* x, int n, int L) {
  SN_UNROLL
  for (int c = 0; c < L - 1; c++) sn4_store(to + 4 * c, x[c]);
  sn4_store_part(to + 4 * (L - 1), x[L - 1], n - 4 * (L - 1));
}

SN_INLINE mjtNum dot(const sn4* a, const sn4* b, int L) {
  sn4 sum = a[0] * b[0];
  SN_UNROLL
  for (int c = 1; c < L; c++) sum += a[c] * b[c];
  return sn4_sum(sum);
}

// J x
SN_INLINE void mul_J(const snSmall* s, mjtNum* res, const sn4* x, int L) {
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
SN_INLINE void mul_JT(const snSmall* s, sn4* res, const mjtNum* f, int L) {
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
SN_INLINE void mul_M(const snSmall* s, sn4* res, const sn4* x, int L) {
  const mjtNum* M = s->M;
  mjtNum xs[4 * MOST_LANES] = {0};
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
SN_INLINE int list_terms(const snSmall* s, int L) {
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
SN_INLINE void make_hessian(const snSmall* s, int nterm, int L) {
  SN_UNROLL
  for (int b = 0; b < L; b++) {
    const mjtNum* M = s->M + 16 * b * L;
    mjtNum* H = s->H + 16 * b * L;
    sn4 tile[4][MOST_LANES];
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

// H = L'DL from the last row up. Rows of L are zero from the diagonal on; inverse pivots in dinv.
SN_INLINE void factor(const snSmall* s, mjtNum* dinv, int L) {
  static const sn4i kLeft[4] = {{0}, {-1}, {-1, -1}, {-1, -1, -1}};
  int n = s->p->nv;
  SN_UNROLL
  for (int b = L - 1; b >= 0; b--) {
    SN_ROLLED
    for (int i = 4 * b + 3 < n ? 4 * b + 3 : n - 1; i >= 4 * b; i--) {
      mjtNum* row = s->H + 4 * L * i;
      sn4 u[MOST_LANES];
      mjtNum pivot = row[i], inverse = 1 / (pivot >= mjMINVAL ? pivot : mjMINVAL);
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
SN_INLINE void solve(const snSmall* s, sn4* x, const mjtNum* dinv, int L) {
  int n = s->p->nv;
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
    sn4 y = x[b] * sn4_load(dinv + 4 * b);
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

// ---- the iteration

// Rows with a force, and those that gained or lost theirs in the last move.
SN_INLINE void count_changes(snSmall* s) {
  const snPoint* x = &s->x;
  sn4i active = {0, 0, 0, 0}, changed = active;
  SN_ROLLED
  for (int i = 0; i < s->rows; i += 4) {
    sn4 before = sn4_load(x->weight_before + i), now = sn4_load(x->weight + i);
    sn4 from = sn4_load(x->before + i), to = sn4_load(x->force + i);
    active -= to != 0;
    changed -= (before != now) | ((now == 0) & (to != from));
  }
  s->nactive = (int)(active[0] + active[1] + active[2] + active[3]);
  s->nchange = (int)(changed[0] + changed[1] + changed[2] + changed[3]);
}

// Where an iteration stands, over dofs.
typedef struct snPlace_ {
  sn4 acc[MOST_LANES], Ma[MOST_LANES], grad[MOST_LANES];
  sn4 smooth[MOST_LANES];      // frc_smooth
  sn4 constraint[MOST_LANES];  // J'f
} snPlace;

// The gradient, and its norm in units of the tolerance.
SN_INLINE mjtNum gradient(const snSmall* s, snPlace* at, int L) {
  mul_JT(s, at->constraint, s->x.force, L);
  SN_UNROLL
  for (int c = 0; c < L; c++) at->grad[c] = at->Ma[c] - at->smooth[c] - at->constraint[c];
  return s->p->scale * sqrt(dot(at->grad, at->grad, L));
}

// To the warm start or to a0, whichever is cheaper.
SN_INLINE void start(snSmall* s, snPlace* at, int L) {
  const snProblem* p = s->p;
  snPoint* x = &s->x;
  int nefc = p->rows.nefc;
  sn4 cold[MOST_LANES], e[MOST_LANES], Me[MOST_LANES];
  load_lanes(at->acc, p->acc, p->nv, L);
  load_lanes(at->smooth, p->frc_smooth, p->nv, L);
  load_lanes(cold, p->acc_smooth, p->nv, L);
  point_bounds(p, x);
  mul_J(s, x->jar, cold, L);
  mul_J(s, x->Jv, at->acc, L);
  SN_ROLLED
  for (int i = 0; i < nefc; i++) {
    p->d->efc_b[i] = x->jar[i] -= p->aref[i];
    x->Jv[i] -= p->aref[i];
  }
  mjtNum cold_cost = primal_penalty(p, x, false);
  mjtNum* swap = x->jar;
  x->jar = x->Jv, x->Jv = swap;
  mul_M(s, at->Ma, at->acc, L);
  SN_UNROLL
  for (int c = 0; c < L; c++) {
    e[c] = at->acc[c] - cold[c];
    Me[c] = at->Ma[c] - at->smooth[c];
  }
  x->gauss = 0.5 * dot(e, Me, L);
  x->cost = primal_penalty(p, x, p->elliptic) + x->gauss;
  if (x->cost < cold_cost) return;
  x->Jv = x->jar, x->jar = swap;
  SN_UNROLL
  for (int c = 0; c < L; c++) at->acc[c] = cold[c], at->Ma[c] = at->smooth[c];
  x->gauss = 0;
  x->cost = primal_penalty(p, x, p->elliptic);
}

// What works on rows alone is not written out for each L.
SN_KERNEL static mjtNum length(const snProblem* p, snPoint* x, mjtNum norm, mjtNum quad1,
                               mjtNum quad2) {
  return point_length(p, x, norm, quad1, quad2, true);
}

// One step; false when there is none to make.
SN_INLINE bool step(snSmall* s, snPlace* at, int L) {
  const snProblem* p = s->p;
  snPoint* x = &s->x;
  sn4 search[MOST_LANES], Mv[MOST_LANES], rest[MOST_LANES];
  mjtNum dinv[4 * MOST_LANES] = {0};
  make_hessian(s, list_terms(s, L), L);
  factor(s, dinv, L);
  SN_UNROLL
  for (int c = 0; c < L; c++) {
    search[c] = -at->grad[c];
    rest[c] = at->Ma[c] - at->smooth[c];
  }
  solve(s, search, dinv, L);
  mul_J(s, x->Jv, search, L);
  mul_M(s, Mv, search, L);
  x->descent = dot(at->grad, search, L);
  mjtNum norm = sqrt(dot(search, search, L));
  mjtNum t = length(p, x, norm, dot(search, rest, L), dot(search, Mv, L));
  if (t == 0) return false;
  SN_UNROLL
  for (int c = 0; c < L; c++) {
    at->acc[c] += search[c] * t;
    at->Ma[c] += Mv[c] * t;
  }
  SN_ROLLED
  for (int i = 0; i < s->rows; i += 4) {
    sn4_store(x->jar + i, sn4_load(x->jar + i) + sn4_load(x->Jv + i) * t);
  }
  x->cost = x->gauss + primal_penalty(p, x, p->elliptic);
  count_changes(s);
  return true;
}

SN_INLINE void newton(snSmall* s, snReport* report, int L) {
  const snProblem* p = s->p;
  snPlace at;
  start(s, &at, L);
  mjtNum norm = gradient(s, &at, L);
  for (int iter = 0; iter < p->iterations && norm >= p->tolerance; iter++) {
    mjtNum cost = s->x.cost;
    if (!step(s, &at, L)) break;
    mjtNum improvement = p->scale * point_improvement(&s->x, cost);
    norm = gradient(s, &at, L);
    if (iter < mjNSOLVER) {
      report->stat[iter] =
          (mjSolverStat){improvement, norm, s->x.slope, s->nactive, s->nchange, s->x.neval, 0};
    }
    report->niter = iter + 1;
    if (improvement < p->tolerance) break;
  }
  store_lanes(p->acc, at.acc, p->nv, L);
  store_lanes(p->frc_constraint, at.constraint, p->nv, L);
  primal_finish(p, &s->x);
}

// J and M at full width; rows and columns beyond are zero.
SN_INLINE void fill(const snSmall* s, const mjtNum* J, int L) {
  const snProblem* p = s->p;
  int n = p->nv, nefc = p->rows.nefc;
  SN_ROLLED
  for (int r = 0; r < s->rows; r++) {
    sn4 row[MOST_LANES];
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

// Memory beyond the top of the stack: nothing else is taken while it is in use.
SN_INLINE bool allocate(snSmall* s, int L) {
  const snProblem* p = s->p;
  snPoint* x = &s->x;
  size_t rows = (size_t)s->rows, width = 4 * (size_t)L;
  mjtNum** vectors[] = {&x->jar,           &x->Jv, &x->force, &x->weight, &x->before,
                        &x->weight_before, &x->D,  &x->R,     &x->low,    &x->high};
  size_t nvectors = sizeof vectors / sizeof *vectors;
  size_t bent = p->elliptic ? rows * width : 0, term = sizeof(snTerm) / sizeof(mjtNum);
  mjtNum* at =
      data_scratch(p->d, rows * (nvectors + width + 1 + 2 * term) + bent + 2 * width * width);
  if (!at) return false;
  for (size_t i = 0; i < nvectors; i++, at += rows) *vectors[i] = at;
  s->J = at, at += rows * width;
  s->M = at, at += width * width;
  s->H = at, at += width * width;
  s->bent = at, at += bent;
  s->term = (snTerm*)at, at += 2 * term * rows;
  x->cone = (int*)at;
  return true;
}

SN_INLINE bool run(const snProblem* p, const mjtNum* J, snReport* report, int L) {
  snSmall s = {.p = p, .rows = (p->rows.nefc + 3) & ~3};
  s.x.nlane = s.rows;
  if (!allocate(&s, L)) return false;
  fill(&s, J, L);
  newton(&s, report, L);
  report->nnz = p->nv * (p->nv + 1) / 2;
  return true;
}

SN_KERNEL bool solve_newton_small(const snProblem* p, const mjtNum* J, snReport* report) {
  report->niter = report->nnz = 0;
  switch ((p->nv + 3) / 4) {
    case 1:
      return run(p, J, report, 1);
    case 2:
      return run(p, J, report, 2);
    case 3:
      return run(p, J, report, 3);
    default:
      return run(p, J, report, 4);
  }
}
