// M = L'DL of a forest and its solves, by panels (tree.h).
//
// The row of dof k holds its ancestors, and the row of the j-th ancestor is the first j+1 of them,
// so every update  row(ancestor j) -= L(k, j) row(k)  is over a prefix. All rows of a panel update
// an ancestor together, which loads and stores the ancestor's row once. Rows are copied to a small
// workspace, padded to a multiple of four; values in the padding are computed and never read.
#include "base/assert.h"
#include "algebra/tree.h"

SN_INLINE double* tree_align(double* scratch) {
  return (double*)(((uintptr_t)scratch + 31) & ~(uintptr_t)31);
}

// Expands `body` once for each panel width, with W a constant in it.
#define TREE_FOR_WIDTH(width, body) \
  switch (width) {                  \
    case 1: {                       \
      enum { W = 1 };               \
      body;                         \
    } break;                        \
    case 2: {                       \
      enum { W = 2 };               \
      body;                         \
    } break;                        \
    case 3: {                       \
      enum { W = 3 };               \
      body;                         \
    } break;                        \
    case 4: {                       \
      enum { W = 4 };               \
      body;                         \
    } break;                        \
    case 5: {                       \
      enum { W = 5 };               \
      body;                         \
    } break;                        \
    case 6: {                       \
      enum { W = 6 };               \
      body;                         \
    } break;                        \
    case 7: {                       \
      enum { W = 7 };               \
      body;                         \
    } break;                        \
    default: {                      \
      enum { W = 8 };               \
      body;                         \
    } break;                        \
  }

// ---- few dofs: row by row, in place

// From the last row up: row(ancestor j) -= L(k, j) row(k), then row k is L(k, .).
SN_INLINE int few_factor(const snTree* tree, double* LD, double* dinv, const double* M) {
  const int *rowadr = tree->rowadr, *ancestor = tree->ancestor;
  int bad = -1, end = tree->nnz;
  if (LD != M) {
    for (int i = 0; i < end; i++) LD[i] = M[i];
  }
  for (int k = tree->nv - 1; k >= 0; k--) {
    int adr = rowadr[k], above = end - adr - 1;
    double *row = LD + adr, pivot = row[above];
    if (__builtin_expect(pivot < mjMINVAL, 0)) {
      row[above] = pivot = mjMINVAL;
      bad = k;
    }
    double inverse = 1 / pivot;
    dinv[k] = inverse;
    for (int a = above - 1; a >= 0; a--) {
      double s = row[a] * inverse, *to = LD + rowadr[ancestor[adr + a]];
      for (int c = 0; c < a; c++) to[c] -= row[c] * s;
      to[a] -= row[a] * s;
      row[a] = s;
    }
    end = adr;
  }
  return bad;
}

// x = inv(L') y
SN_INLINE void few_back(const snTree* tree, double* x, const double* y, const double* LD) {
  const int *rowadr = tree->rowadr, *ancestor = tree->ancestor;
  int nv = tree->nv, end = tree->nnz;
  if (x != y) {
    for (int k = 0; k < nv; k++) x[k] = y[k];
  }
  for (int k = nv - 1; k >= 0; k--) {
    int adr = rowadr[k];
    double xk = x[k];
    for (int a = adr; a < end - 1; a++) x[ancestor[a]] -= LD[a] * xk;
    end = adr;
  }
}

// x = inv(L) inv(D) x
SN_INLINE void few_forward(const snTree* tree, double* x, const double* LD, const double* dinv) {
  const int *rowadr = tree->rowadr, *ancestor = tree->ancestor;
  int nv = tree->nv;
  for (int k = 0; k < nv; k++) {
    int a = rowadr[k], end = k + 1 < nv ? rowadr[k + 1] : tree->nnz;
    double sum = x[k] * dinv[k];
    for (; a < end - 1; a++) sum -= LD[a] * x[ancestor[a]];
    x[k] = sum;
  }
}

// ---- factorization

SN_INLINE void rows_load(double* work, const double* M, const snPanel* p, int nnz) {
  const double* row = M + p->adr;
  int left = nnz - p->adr;
  for (int i = 0; i < p->width; i++) {
    int n = p->above + i + 1;
    double* to = work + p->work + i * p->stride;
    if (p->stride <= left) {
      for (int c = 0; c < n; c += 4) sn4_store(to + c, sn4_load(row + c));
    } else {
      for (int c = 0; c < n; c++) to[c] = row[c];
    }
    row += n;
    left -= n;
  }
}

// row i of a panel starts i above + (1 + 2 + ... + i) entries behind row 0
SN_INLINE int row_place(int above, int i) { return i * above + i * (i + 1) / 2; }

// The diagonal square of the panel first, in registers, because its pivots depend on each other. L
// and D go to their rows. Returns a dof whose pivot was below mjMINVAL and was raised, or -1.
SN_INLINE int panel_square(double* L, double* dinv, double s[TREE_WIDTH][TREE_WIDTH],
                           const double* rows, int dof, int above, int width, int stride) {
  double B[TREE_WIDTH][TREE_WIDTH];
  int bad = -1;
  SN_UNROLL
  for (int i = 0; i < width; i++) {
    SN_UNROLL
    for (int t = 0; t <= i; t++) B[i][t] = rows[i * stride + above + t];
  }
  SN_UNROLL
  for (int i = width - 1; i >= 0; i--) {
    double pivot = B[i][i];
    if (pivot < mjMINVAL) {
      pivot = mjMINVAL;
      bad = dof + i;
    }
    double inverse = 1 / pivot;
    dinv[i] = inverse;
    double* row = L + row_place(above, i) + above;
    row[i] = pivot;
    SN_UNROLL
    for (int t = i - 1; t >= 0; t--) {
      row[t] = s[i][t] = B[i][t] * inverse;
      SN_UNROLL
      for (int u = 0; u <= t; u++) B[t][u] -= B[i][u] * s[i][t];
    }
  }
  return bad;
}

// Four columns left of the square. R, the eliminated rows, is kept for the update of the ancestors;
// L = inv(D) R goes to its rows. `count` of the four columns belong to the rows.
SN_INLINE void panel_column(double* L, const double* dinv, double s[TREE_WIDTH][TREE_WIDTH],
                            double* rows, int above, int width, int stride, int count) {
  sn4 R[TREE_WIDTH];
  SN_UNROLL
  for (int i = 0; i < width; i++) R[i] = sn4_load(rows + i * stride);
  SN_UNROLL
  for (int i = width - 1; i > 0; i--) {
    SN_UNROLL
    for (int t = i - 1; t >= 0; t--) R[t] -= R[i] * s[i][t];
  }
  SN_UNROLL
  for (int i = 0; i < width; i++) sn4_store(rows + i * stride, R[i]);
  SN_UNROLL
  for (int i = 0; i < width; i++) sn4_store_part(L + row_place(above, i), R[i] * dinv[i], count);
}

SN_INLINE void panel_columns(double* L, const double* dinv, double s[TREE_WIDTH][TREE_WIDTH],
                             double* rows, int above, int width, int stride) {
  for (int c = 0; c < above; c += 4) {
    int count = above - c < 4 ? above - c : 4;
    panel_column(L + c, dinv, s, rows + c, above, width, stride, count);
  }
}

// row(ancestor j) -= sum_i L_i[j] R_i
SN_INLINE void panel_update(double* work, const double* L, const double* rows, int above, int width,
                            int stride, const int* target) {
  for (int j = above - 1; j >= 0; j--) {
    double* to = work + target[j];
    SN_ASSERT(to < rows);  // ancestors come first
    double s[TREE_WIDTH];
    SN_UNROLL
    for (int i = 0; i < width; i++) s[i] = L[row_place(above, i) + j];
    for (int c = 0; c <= j; c += 4) {
      sn4 sum = sn4_load(to + c);
      SN_UNROLL
      for (int i = width - 1; i >= 0; i--) sum -= sn4_load(rows + i * stride + c) * s[i];
      sn4_store(to + c, sum);
    }
  }
}

SN_INLINE int panel_factor(double* work, double* L, double* dinv, const snPanel* p,
                           const int* target, int width) {
  double s[TREE_WIDTH][TREE_WIDTH];
  double* rows = work + p->work;
  int bad = panel_square(L, dinv, s, rows, p->dof, p->above, width, p->stride);
  panel_columns(L, dinv, s, rows, p->above, width, p->stride);
  panel_update(work, L, rows, p->above, width, p->stride, target);
  return bad;
}

SN_INLINE int diagonal_factor(double* LD, double* dinv, const double* M, int dof, int n) {
  int bad = -1;
  for (int i = 0; i < n; i++) {
    double pivot = M[i];
    if (pivot < mjMINVAL) {
      pivot = mjMINVAL;
      bad = dof + i;
    }
    LD[i] = pivot;
    dinv[i] = 1 / pivot;
  }
  return bad;
}

// The first part that ends behind a dof.
static int part_of(const snTree* tree, int dof) {
  int low = 0, high = tree->npart;
  while (low < high) {
    int middle = low + (high - low) / 2;
    const snTreePart* part = tree->part + middle;
    if (part->dof + part->ndof <= dof)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Parts from dof `begin` to `end`: whole trees. A part of diagonal rows is cut where the range
// ends.
SN_KERNEL static int factor_panels(const snTree* tree, double* LD, double* dinv, const double* M,
                                   double* work, int begin, int end) {
  int bad = -1;
  for (int t = begin ? part_of(tree, begin) : 0; t < tree->npart; t++) {
    const snTreePart* part = tree->part + t;
    if (part->dof >= end) break;
    int found = -1;
    if (!part->npanel) {
      int skip = begin > part->dof ? begin - part->dof : 0, dof = part->dof + skip;
      int n = part->dof + part->ndof < end ? part->ndof - skip : end - dof;
      found = diagonal_factor(LD + part->adr + skip, dinv + dof, M + part->adr + skip, dof, n);
      if (found >= 0) bad = found;
      continue;
    }
    SN_ASSERT(part->dof >= begin && part->dof + part->ndof <= end);  // whole trees
    const snPanel* panel = tree->panel + part->panel;
    for (int k = 0; k < part->npanel; k++) rows_load(work, M, panel + k, tree->nnz);
    for (int k = part->npanel - 1; k >= 0; k--) {
      const snPanel* p = panel + k;
      const int* target = tree->target + p->target;
      TREE_FOR_WIDTH(p->width,
                     found = panel_factor(work, LD + p->adr, dinv + p->dof, p, target, W));
      if (found >= 0) bad = found;
    }
  }
  return bad;
}

int tree_factor(const snTree* tree, double* LD, double* dinv, const double* M, double* scratch) {
  if (tree->arm) return arm_factor(tree, LD, dinv, M);
  if (tree->few) return few_factor(tree, LD, dinv, M);
  return factor_panels(tree, LD, dinv, M, tree_align(scratch), 0, tree->nv);
}

int tree_factor_range(const snTree* tree, double* LD, double* dinv, const double* M,
                      double* scratch, int begin, int end) {
  if (tree->arm || tree->few) return tree_factor(tree, LD, dinv, M, scratch);
  return factor_panels(tree, LD, dinv, M, tree_align(scratch), begin, end);
}

// ---- one right-hand side, in a vector whose panels are padded to whole lanes with zeros

static const long long lane_mask[4][4] = {
    {-1, -1, -1, -1}, {-1, 0, 0, 0}, {-1, -1, 0, 0}, {-1, -1, -1, 0}};

// Four entries of a row. Entries beyond `count` are multiplied by zero or masked. With `careful`
// nothing beyond the end of the row is read: another tree, or the end of the array, follows.
SN_INLINE sn4 row_lane(const double* p, int count, bool careful) {
  return careful ? sn4_load_part(p, count) : sn4_load(p);
}

// The values of a panel are stored as whole SIMD vectors, because the next load reads vectors: a
// vector load from several scalar stores in flight would stall (no store forwarding).
SN_INLINE sn4 panel_lane(const double* own, int width, int c) {
  return (sn4){own[c], c + 1 < width ? own[c + 1] : 0, c + 2 < width ? own[c + 2] : 0,
               c + 3 < width ? own[c + 3] : 0};
}

SN_INLINE void panel_keep(double* x, const double* own, int width) {
  sn4_store(x, panel_lane(own, width, 0));
  if (width > 4) sn4_store(x + 4, panel_lane(own, width, 4));
}

SN_INLINE void panel_keep_exact(double* x, const double* own, int width) {
  sn4_store_part(x, panel_lane(own, width, 0), width < 4 ? width : 4);
  if (width > 4) sn4_store_part(x + 4, panel_lane(own, width, 4), width - 4);
}

// x = inv(L') x: the panel itself, then its ancestors
SN_INLINE void panel_back(double* x, const double* L, const snPanel* p, const snRun* run, int width,
                          bool careful) {
  int above = p->above;
  double own[TREE_WIDTH];
  SN_UNROLL
  for (int i = 0; i < width; i++) own[i] = x[p->x + i];
  SN_UNROLL
  for (int i = width - 1; i > 0; i--) {
    const double* row = L + row_place(above, i) + above;
    SN_UNROLL
    for (int t = 0; t < i; t++) own[t] -= row[t] * own[i];
  }
  panel_keep(x + p->x, own, width);
  for (int r = 0; r < p->nrun; r++, run++) {
    double* to = x + run->x;
    const double* at = L + run->column;
    int c = 0;
    for (; c + 4 <= run->count; c += 4) {
      sn4 sum = sn4_load(to + c);
      SN_UNROLL
      for (int i = width - 1; i >= 0; i--) sum -= sn4_load(at + row_place(above, i) + c) * own[i];
      sn4_store(to + c, sum);
    }
    int rest = run->count - c;
    if (!rest) continue;
    sn4i mask;
    memcpy(&mask, lane_mask[rest], sizeof mask);
    sn4 sum = sn4_load(to + c);
    SN_UNROLL
    for (int i = width - 1; i >= 0; i--) {
      sum -= row_lane(at + row_place(above, i) + c, rest, careful) * own[i];
    }
    sn4_store(to + c, (sn4)((sn4i)sum & mask));
  }
}

// x = inv(L) inv(D) x, with the result also written to its place in `out`
SN_INLINE void panel_forward(double* x, double* out, const double* L, const double* dinv,
                             const snPanel* p, const snRun* run, int width, bool careful) {
  int above = p->above;
  sn4 sum[TREE_WIDTH];
  SN_UNROLL
  for (int i = 0; i < TREE_WIDTH; i++) sum[i] = sn4_set1(0);
  for (int r = 0; r < p->nrun; r++, run++) {
    const double* from = x + run->x;
    const double* at = L + run->column;
    int c = 0;
    for (; c + 4 <= run->count; c += 4) {
      sn4 lane = sn4_load(from + c);
      SN_UNROLL
      for (int i = 0; i < width; i++) sum[i] += sn4_load(at + row_place(above, i) + c) * lane;
    }
    int rest = run->count - c;
    if (!rest) continue;
    sn4 lane = sn4_load(from + c);
    SN_UNROLL
    for (int i = 0; i < width; i++) {
      sum[i] += row_lane(at + row_place(above, i) + c, rest, careful) * lane;
    }
  }
  double total[TREE_WIDTH], own[TREE_WIDTH];
  sn4_store(total, sn4_sum4(sum[0], sum[1], sum[2], sum[3]));
  if (width > 4) sn4_store(total + 4, sn4_sum4(sum[4], sum[5], sum[6], sum[7]));
  SN_UNROLL
  for (int i = 0; i < width; i++) {
    const double* row = L + row_place(above, i) + above;
    own[i] = x[p->x + i] * dinv[p->dof + i] - total[i];
    SN_UNROLL
    for (int t = 0; t < i; t++) own[i] -= row[t] * own[t];
  }
  panel_keep(x + p->x, own, width);
  panel_keep_exact(out + p->dof, own, width);
}

SN_INLINE void part_back(const snTree* tree, const snTreePart* part, double* work, const double* y,
                         const double* LD) {
  const snPanel* panel = tree->panel + part->panel;
  for (int k = 0; k < part->npanel; k++) {
    const snPanel* p = panel + k;
    double* own = work + p->x;
    int n = p->width;
    sn4_store(own, sn4_load_part(y + p->dof, n < 4 ? n : 4));
    if (n > 4) sn4_store(own + 4, sn4_load_part(y + p->dof + 4, n - 4));
  }
  for (int k = part->npanel - 1; k >= 0; k--) {
    const snPanel* p = panel + k;
    const double* L = LD + p->adr;
    const snRun* run = tree->run + p->run;
    if (p->careful) {
      TREE_FOR_WIDTH(p->width, panel_back(work, L, p, run, W, true));
    } else {
      TREE_FOR_WIDTH(p->width, panel_back(work, L, p, run, W, false));
    }
  }
}

SN_INLINE void solve_one(const snTree* tree, double* x, const double* y, const double* LD,
                         const double* dinv, double* work, int begin, int end) {
  for (int t = begin ? part_of(tree, begin) : 0; t < tree->npart; t++) {
    const snTreePart* part = tree->part + t;
    if (part->dof >= end) break;
    if (!part->npanel) {
      int k = part->dof > begin ? part->dof : begin, behind = part->dof + part->ndof;
      if (behind > end) behind = end;
      for (; k < behind; k++) x[k] = y[k] * dinv[k];
      continue;
    }
    SN_ASSERT(part->dof >= begin && part->dof + part->ndof <= end);  // whole trees
    part_back(tree, part, work, y, LD);
    const snPanel* panel = tree->panel + part->panel;
    for (int k = 0; k < part->npanel; k++) {
      const snPanel* p = panel + k;
      const double* L = LD + p->adr;
      const snRun* run = tree->run + p->run;
      if (p->careful) {
        TREE_FOR_WIDTH(p->width, panel_forward(work, x, L, dinv, p, run, W, true));
      } else {
        TREE_FOR_WIDTH(p->width, panel_forward(work, x, L, dinv, p, run, W, false));
      }
    }
  }
}

SN_INLINE void solve_one_half(const snTree* tree, double* x, const double* y, const double* LD,
                              const double* sqrt_dinv, double* work) {
  for (int t = 0; t < tree->npart; t++) {
    const snTreePart* part = tree->part + t;
    if (!part->npanel) {
      for (int k = part->dof; k < part->dof + part->ndof; k++) x[k] = y[k] * sqrt_dinv[k];
      continue;
    }
    part_back(tree, part, work, y, LD);
    for (int k = 0; k < part->npanel; k++) {
      const snPanel* p = tree->panel + part->panel + k;
      for (int i = 0; i < p->width; i++) {
        x[p->dof + i] = work[p->x + i] * sqrt_dinv[p->dof + i];
      }
    }
  }
}

// ---- four right-hand sides at once, one per SIMD lane

SN_INLINE void four_back(double* x, const double* L, const int* ancestor, int base, int dof,
                         int above, int width) {
  sn4 own[TREE_WIDTH];
  SN_UNROLL
  for (int i = 0; i < width; i++) own[i] = sn4_load(x + 4 * (dof - base + i));
  SN_UNROLL
  for (int i = width - 1; i > 0; i--) {
    const double* row = L + row_place(above, i) + above;
    SN_UNROLL
    for (int t = 0; t < i; t++) own[t] -= own[i] * row[t];
  }
  SN_UNROLL
  for (int i = 0; i < width; i++) sn4_store(x + 4 * (dof - base + i), own[i]);
  for (int j = 0; j < above; j++) {
    double* to = x + 4 * (ancestor[j] - base);
    SN_ASSERT(ancestor[j] >= base && ancestor[j] < dof);
    sn4 sum = sn4_load(to);
    SN_UNROLL
    for (int i = width - 1; i >= 0; i--) sum -= own[i] * L[row_place(above, i) + j];
    sn4_store(to, sum);
  }
}

SN_INLINE void four_forward(double* x, const double* L, const double* dinv, const int* ancestor,
                            int base, int dof, int above, int width) {
  sn4 own[TREE_WIDTH];
  SN_UNROLL
  for (int i = 0; i < width; i++) own[i] = sn4_load(x + 4 * (dof - base + i)) * dinv[dof + i];
  for (int j = 0; j < above; j++) {
    sn4 from = sn4_load(x + 4 * (ancestor[j] - base));
    SN_UNROLL
    for (int i = 0; i < width; i++) own[i] -= from * L[row_place(above, i) + j];
  }
  SN_UNROLL
  for (int i = 1; i < width; i++) {
    const double* row = L + row_place(above, i) + above;
    SN_UNROLL
    for (int t = 0; t < i; t++) own[i] -= own[t] * row[t];
  }
  SN_UNROLL
  for (int i = 0; i < width; i++) sn4_store(x + 4 * (dof - base + i), own[i]);
}

// n of the four lanes are used. With `half`, dinv holds its square roots and L is not applied.
SN_INLINE void solve_four(const snTree* tree, double* x, const double* y, const double* LD,
                          const double* dinv, double* work, int n, bool half) {
  int nv = tree->nv;
  for (int t = 0; t < tree->npart; t++) {
    const snTreePart* part = tree->part + t;
    int base = part->dof;
    if (!part->npanel) {
      for (int r = 0; r < n; r++) {
        for (int k = base; k < base + part->ndof; k++) x[r * nv + k] = y[r * nv + k] * dinv[k];
      }
      continue;
    }
    for (int r = 0; r < 4; r++) {
      const double* from = y + (r < n ? r : 0) * nv + base;
      for (int k = 0; k < part->ndof; k++) work[4 * k + r] = from[k];
    }
    const snPanel* panel = tree->panel + part->panel;
    for (int k = part->npanel - 1; k >= 0; k--) {
      const snPanel* p = panel + k;
      const double* L = LD + p->adr;
      const int* ancestor = tree->ancestor + p->adr;
      TREE_FOR_WIDTH(p->width, four_back(work, L, ancestor, base, p->dof, p->above, W));
    }
    if (half) {
      for (int k = 0; k < part->ndof; k++) {
        sn4_store(work + 4 * k, sn4_load(work + 4 * k) * dinv[base + k]);
      }
    } else {
      for (int k = 0; k < part->npanel; k++) {
        const snPanel* p = panel + k;
        const double* L = LD + p->adr;
        const int* ancestor = tree->ancestor + p->adr;
        TREE_FOR_WIDTH(p->width, four_forward(work, L, dinv, ancestor, base, p->dof, p->above, W));
      }
    }
    for (int r = 0; r < n; r++) {
      double* to = x + r * nv + base;
      for (int k = 0; k < part->ndof; k++) to[k] = work[4 * k + r];
    }
  }
}

// ---- any number of right-hand sides, rows of x and y

SN_KERNEL static void solve_fours(const snTree* tree, double* x, const double* y, const double* LD,
                                  const double* dinv, int n, double* work) {
  for (; n > 1; n -= 4, x += 4 * tree->nv, y += 4 * tree->nv) {
    solve_four(tree, x, y, LD, dinv, work, n < 4 ? n : 4, false);
  }
  if (n == 1) solve_one(tree, x, y, LD, dinv, work, 0, tree->nv);
}

SN_KERNEL static void solve_range(const snTree* tree, double* x, const double* y, const double* LD,
                                  const double* dinv, double* work, int begin, int end) {
  solve_one(tree, x, y, LD, dinv, work, begin, end);
}

SN_KERNEL static void solve_half_fours(const snTree* tree, double* x, const double* y,
                                       const double* LD, const double* sqrt_dinv, int n,
                                       double* work) {
  for (; n > 1; n -= 4, x += 4 * tree->nv, y += 4 * tree->nv) {
    solve_four(tree, x, y, LD, sqrt_dinv, work, n < 4 ? n : 4, true);
  }
  if (n == 1) solve_one_half(tree, x, y, LD, sqrt_dinv, work);
}

void tree_solve(const snTree* tree, double* x, const double* y, const double* LD,
                const double* dinv, int n, double* scratch) {
  if (n == 1 && tree->arm) {
    arm_solve(tree, x, y, LD, dinv);
    return;
  }
  if (n == 1 && (tree->few || tree->forked)) {
    few_back(tree, x, y, LD);
    few_forward(tree, x, LD, dinv);
    return;
  }
  solve_fours(tree, x, y, LD, dinv, n, tree_align(scratch));
}

void tree_solve_range(const snTree* tree, double* x, const double* y, const double* LD,
                      const double* dinv, double* scratch, int begin, int end) {
  if (tree->arm || tree->few || tree->forked)
    tree_solve(tree, x, y, LD, dinv, 1, scratch);
  else
    solve_range(tree, x, y, LD, dinv, tree_align(scratch), begin, end);
}

void tree_solve_half(const snTree* tree, double* x, const double* y, const double* LD,
                     const double* sqrt_dinv, int n, double* scratch) {
  solve_half_fours(tree, x, y, LD, sqrt_dinv, n, tree_align(scratch));
}
