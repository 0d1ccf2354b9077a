// M = L'DL of a forest and its solves, by panels (tree.h).
//
// The row of dof k holds its ancestors, and the row of the j-th ancestor is the first j+1 of them,
// so every update  row(ancestor j) -= L(k, j) row(k)  is over a prefix. A panel's rows update an
// ancestor together: it is loaded and stored once. Rows lie in a small workspace, padded to whole
// lanes; what a lane holds beyond the end of a row is computed and never read.
#include "algebra/tree.h"

SN_INLINE double* tree_align(double* scratch) {
  return (double*)(((uintptr_t)scratch + 31) & ~(uintptr_t)31);
}

// One expansion of `body` for each panel width, W a constant in it.
#define TREE_FOR_WIDTH(width, body)          \
  switch (width) {                           \
    case 1: { enum { W = 1 }; body; } break; \
    case 2: { enum { W = 2 }; body; } break; \
    case 3: { enum { W = 3 }; body; } break; \
    case 4: { enum { W = 4 }; body; } break; \
    case 5: { enum { W = 5 }; body; } break; \
    case 6: { enum { W = 6 }; body; } break; \
    case 7: { enum { W = 7 }; body; } break; \
    default: { enum { W = 8 }; body; } break; \
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

// L = D^-1 times the rows; the diagonal keeps D. A row's last lane spills into the next row, which
// is stored after it; only the last row of a tree ends exactly.
SN_INLINE void rows_store(double* LD, const double* dinv, const double* work, const snPanel* p,
                          bool last) {
  double* row = LD + p->adr;
  for (int i = 0; i < p->width; i++) {
    int n = p->above + i;
    const double* from = work + p->work + i * p->stride;
    double s = dinv[p->dof + i];
    if (last && i >= p->width - 4) {
      for (int c = 0; c < n; c++) row[c] = from[c] * s;
    } else {
      for (int c = 0; c < n; c += 4) sn4_store(row + c, sn4_load(from + c) * s);
    }
    row[n] = from[n];
    row += n + 1;
  }
}

// Returns the first dof (from the last) with a pivot below mjMINVAL, which is raised; or -1.
SN_INLINE int panel_eliminate(double* rows, double* dinv, int dof, int above, int width,
                              int stride) {
  int bad = -1;
  for (int i = width - 1; i >= 0; i--) {
    double* row = rows + i * stride;
    double pivot = row[above + i];
    if (!(pivot >= mjMINVAL)) {
      row[above + i] = pivot = mjMINVAL;
      bad = dof + i;
    }
    double inverse = dinv[i] = 1 / pivot;
    for (int t = i - 1; t >= 0; t--) {
      double s = row[above + t] * inverse;
      double* to = rows + t * stride;
      for (int c = 0; c <= above + t; c += 4) {
        sn4_store(to + c, sn4_load(to + c) - sn4_load(row + c) * s);
      }
    }
  }
  return bad;
}

SN_INLINE void panel_update(double* work, const double* rows, const double* dinv, int above,
                            int width, int stride, const int* target) {
  for (int j = above - 1; j >= 0; j--) {
    double* to = work + target[j];
    sn4 s[TREE_WIDTH];
    for (int i = 0; i < width; i++) s[i] = sn4_set1(rows[i * stride + j] * dinv[i]);
    for (int c = 0; c <= j; c += 4) {
      sn4 sum = sn4_load(to + c);
      for (int i = width - 1; i >= 0; i--) sum -= sn4_load(rows + i * stride + c) * s[i];
      sn4_store(to + c, sum);
    }
  }
}

SN_INLINE int diagonal_factor(double* LD, double* dinv, const double* M, int dof, int n) {
  int bad = -1;
  for (int i = 0; i < n; i++) {
    double pivot = M[i];
    if (!(pivot >= mjMINVAL)) {
      pivot = mjMINVAL;
      bad = dof + i;
    }
    LD[i] = pivot;
    dinv[i] = 1 / pivot;
  }
  return bad;
}

SN_KERNEL int tree_factor(const snTree* tree, double* LD, double* dinv, const double* M,
                          double* scratch) {
  double* work = tree_align(scratch);
  int bad = -1;
  for (int t = 0; t < tree->npart; t++) {
    const snTreePart* part = tree->part + t;
    int found = -1;
    if (!part->npanel) {
      found = diagonal_factor(LD + part->adr, dinv + part->dof, M + part->adr, part->dof,
                              part->ndof);
      if (found >= 0) bad = found;
      continue;
    }
    const snPanel* panel = tree->panel + part->panel;
    for (int k = 0; k < part->npanel; k++) rows_load(work, M, panel + k, tree->nnz);
    for (int k = part->npanel - 1; k >= 0; k--) {
      const snPanel* p = panel + k;
      double* rows = work + p->work;
      const int* target = tree->target + p->target;
      TREE_FOR_WIDTH(p->width, {
        found = panel_eliminate(rows, dinv + p->dof, p->dof, p->above, W, p->stride);
        panel_update(work, rows, dinv + p->dof, p->above, W, p->stride, target);
      });
      if (found >= 0) bad = found;
    }
    for (int k = 0; k < part->npanel; k++) {
      rows_store(LD, dinv, work, panel + k, k == part->npanel - 1);
    }
  }
  return bad;
}

// ---- one right-hand side, in a vector whose panels are padded to whole lanes with zeros

static const long long lane_mask[4][4] = {
    {-1, -1, -1, -1}, {-1, 0, 0, 0}, {-1, -1, 0, 0}, {-1, -1, -1, 0}};

// rows of a panel: row i starts at i above + (1 + 2 + ... + i) behind row 0
SN_INLINE const double* panel_row(const double* rows, int above, int i) {
  return rows + i * above + i * (i + 1) / 2;
}

// Four entries of a row, those beyond `count` as zeros; the last of all rows may not be overread.
SN_INLINE sn4 row_lane(const double* p, sn4i mask, int count, bool exact) {
  if (exact) {
    sn4 lane = sn4_set1(0);
    for (int i = 0; i < 4 && i < count; i++) lane[i] = p[i];
    return lane;
  }
  return (sn4)((sn4i)sn4_load(p) & mask);
}

// x = inv(L') x: the panel among itself, then from its ancestors
SN_INLINE void panel_back(double* x, const double* rows, const snPanel* p, const snRun* run,
                          int width, bool exact) {
  int above = p->above;
  double* own = x + p->x;
  for (int i = width - 1; i > 0; i--) {
    const double* row = panel_row(rows, above, i) + above;
    for (int t = 0; t < i; t++) own[t] -= row[t] * own[i];
  }
  sn4 s[TREE_WIDTH];
  for (int i = 0; i < width; i++) s[i] = sn4_set1(own[i]);
  for (int r = 0; r < p->nrun; r++, run++) {
    double* to = x + run->x;
    const double* at = rows + run->column;
    int c = 0;
    for (; c + 4 <= run->count; c += 4) {
      sn4 sum = sn4_load(to + c);
      for (int i = width - 1; i >= 0; i--) sum -= sn4_load(panel_row(at, above, i) + c) * s[i];
      sn4_store(to + c, sum);
    }
    if (c == run->count) continue;
    sn4i mask;
    memcpy(&mask, lane_mask[run->count - c], sizeof mask);
    sn4 sum = sn4_load(to + c);
    for (int i = width - 1; i >= 0; i--) {
      sum -= row_lane(panel_row(at, above, i) + c, mask, run->count - c, exact) * s[i];
    }
    sn4_store(to + c, sum);
  }
}

// x = inv(L) inv(D) x, the result also to its place in `out`
SN_INLINE void panel_forward(double* x, double* out, const double* rows, const double* dinv,
                             const snPanel* p, const snRun* run, int width, bool exact) {
  int above = p->above;
  sn4 sum[TREE_WIDTH];
  for (int i = 0; i < width; i++) sum[i] = sn4_set1(0);
  for (int r = 0; r < p->nrun; r++, run++) {
    const double* from = x + run->x;
    const double* at = rows + run->column;
    int c = 0;
    for (; c + 4 <= run->count; c += 4) {
      sn4 lane = sn4_load(from + c);
      for (int i = 0; i < width; i++) sum[i] += sn4_load(panel_row(at, above, i) + c) * lane;
    }
    if (c == run->count) continue;
    sn4i mask;
    memcpy(&mask, lane_mask[run->count - c], sizeof mask);
    sn4 lane = sn4_load(from + c);
    for (int i = 0; i < width; i++) {
      sum[i] += row_lane(panel_row(at, above, i) + c, mask, run->count - c, exact) * lane;
    }
  }
  double own[TREE_WIDTH];
  for (int i = 0; i < width; i++) own[i] = x[p->x + i] * dinv[p->dof + i] - sn4_sum(sum[i]);
  for (int i = 1; i < width; i++) {
    const double* row = panel_row(rows, above, i) + above;
    for (int t = 0; t < i; t++) own[i] -= row[t] * own[t];
  }
  for (int i = 0; i < width; i++) out[p->dof + i] = x[p->x + i] = own[i];
}

SN_INLINE void part_back(const snTree* tree, const snTreePart* part, double* work, const double* y,
                         const double* LD) {
  const snPanel* panel = tree->panel + part->panel;
  for (int k = 0; k < part->npanel; k++) {
    const snPanel* p = panel + k;
    double* own = work + p->x;
    sn4_store(own + ((p->width - 1) & ~3), sn4_set1(0));
    for (int i = 0; i < p->width; i++) own[i] = y[p->dof + i];
  }
  for (int k = part->npanel - 1; k >= 0; k--) {
    const snPanel* p = panel + k;
    const double* rows = LD + p->adr;
    const snRun* run = tree->run + p->run;
    if (p->exact) {
      panel_back(work, rows, p, run, p->width, true);
    } else {
      TREE_FOR_WIDTH(p->width, panel_back(work, rows, p, run, W, false));
    }
  }
}

SN_INLINE void solve_one(const snTree* tree, double* x, const double* y, const double* LD,
                         const double* dinv, double* work) {
  for (int t = 0; t < tree->npart; t++) {
    const snTreePart* part = tree->part + t;
    if (!part->npanel) {
      for (int k = part->dof; k < part->dof + part->ndof; k++) x[k] = y[k] * dinv[k];
      continue;
    }
    part_back(tree, part, work, y, LD);
    const snPanel* panel = tree->panel + part->panel;
    for (int k = 0; k < part->npanel; k++) {
      const snPanel* p = panel + k;
      const double* rows = LD + p->adr;
      const snRun* run = tree->run + p->run;
      if (p->exact) {
        panel_forward(work, x, rows, dinv, p, run, p->width, true);
      } else {
        TREE_FOR_WIDTH(p->width, panel_forward(work, x, rows, dinv, p, run, W, false));
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

// ---- four right-hand sides at once, one in each lane

SN_INLINE void four_back(double* x, const double* rows, const int* ancestor, int base, int dof,
                         int above, int width) {
  sn4 own[TREE_WIDTH];
  for (int i = 0; i < width; i++) own[i] = sn4_load(x + 4 * (dof - base + i));
  for (int i = width - 1; i > 0; i--) {
    const double* row = panel_row(rows, above, i) + above;
    for (int t = 0; t < i; t++) own[t] -= own[i] * row[t];
  }
  for (int i = 0; i < width; i++) sn4_store(x + 4 * (dof - base + i), own[i]);
  for (int j = 0; j < above; j++) {
    double* to = x + 4 * (ancestor[j] - base);
    sn4 sum = sn4_load(to);
    for (int i = width - 1; i >= 0; i--) sum -= own[i] * panel_row(rows, above, i)[j];
    sn4_store(to, sum);
  }
}

SN_INLINE void four_forward(double* x, const double* rows, const double* dinv, const int* ancestor,
                            int base, int dof, int above, int width) {
  sn4 own[TREE_WIDTH];
  for (int i = 0; i < width; i++) own[i] = sn4_load(x + 4 * (dof - base + i)) * dinv[dof + i];
  for (int j = 0; j < above; j++) {
    sn4 from = sn4_load(x + 4 * (ancestor[j] - base));
    for (int i = 0; i < width; i++) own[i] -= from * panel_row(rows, above, i)[j];
  }
  for (int i = 1; i < width; i++) {
    const double* row = panel_row(rows, above, i) + above;
    for (int t = 0; t < i; t++) own[i] -= own[t] * row[t];
  }
  for (int i = 0; i < width; i++) sn4_store(x + 4 * (dof - base + i), own[i]);
}

// n of the four lanes are used. With half, `dinv` holds the square roots and L is not applied.
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
      const double* rows = LD + p->adr;
      const int* ancestor = tree->ancestor + p->adr;
      TREE_FOR_WIDTH(p->width, four_back(work, rows, ancestor, base, p->dof, p->above, W));
    }
    if (half) {
      for (int k = 0; k < part->ndof; k++) {
        sn4_store(work + 4 * k, sn4_load(work + 4 * k) * dinv[base + k]);
      }
    } else {
      for (int k = 0; k < part->npanel; k++) {
        const snPanel* p = panel + k;
        const double* rows = LD + p->adr;
        const int* ancestor = tree->ancestor + p->adr;
        TREE_FOR_WIDTH(p->width, four_forward(work, rows, dinv, ancestor, base, p->dof, p->above, W));
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
  if (n == 1) solve_one(tree, x, y, LD, dinv, work);
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
  solve_fours(tree, x, y, LD, dinv, n, tree_align(scratch));
}

void tree_solve_half(const snTree* tree, double* x, const double* y, const double* LD,
                     const double* sqrt_dinv, int n, double* scratch) {
  solve_half_fours(tree, x, y, LD, sqrt_dinv, n, tree_align(scratch));
}
