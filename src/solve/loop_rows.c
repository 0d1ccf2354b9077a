// Rows of equalities in blocks, their images under inv(M), and the factor of A (loop_rows.h).
#include "solve/loop_rows.h"

#include <string.h>

#include "data/frame.h"

#define DEPENDENT 1e-10  // a pivot of A below this share of its diagonal is rounding

// ---- memory

static snLoopRows* rows_make(const mjModel* m, int n) {
  size_t nv = (size_t)m->nv, nblock = ((size_t)n + 3) / 4, wide = 4 * nblock;
  snLoopRows s = {.nv = m->nv, .room_row = (int)wide}, *made;
  const snArray array[] = {SN_ARRAY(made, 1),
                           SN_ARRAY(s.J, nblock * nv),
                           SN_ARRAY(s.W, nblock * nv),
                           SN_ARRAY(s.A, wide * wide),
                           SN_ARRAY(s.f.A, wide * wide),
                           SN_ARRAY(s.soft.A, wide * wide),
                           SN_ARRAY(s.f.inverse, wide),
                           SN_ARRAY(s.soft.inverse, wide),
                           SN_ARRAY(s.given, wide * nv),
                           SN_ARRAY(s.factor, m->nC + nv),
                           SN_ARRAY(s.adr, nblock + 1),
                           SN_ARRAY(s.col, nblock * nv),
                           SN_ARRAY(s.last, wide),
                           SN_ARRAY(s.f.last, wide),
                           SN_ARRAY(s.soft.last, wide),
                           SN_ARRAY(s.f.y, wide),
                           SN_ARRAY(s.soft.y, wide),
                           SN_ARRAY(s.pattern, wide * (nv + 1))};
  int arrays = (int)(sizeof array / sizeof *array);
  void* block = memory_alloc(layout_size(array, arrays));
  if (!block) return NULL;
  layout_place(array, arrays, block);
  *made = s;
  return made;
}

// The rows of d, with room for n.
static snLoopRows* rows_of(const mjModel* m, mjData* d, int n) {
  snCache* slot = data_cache(d, snROOM_LOOPS);
  snLoopRows* s = slot->block;
  if (s && s->nv == m->nv && s->room_row >= n) return s;
  memory_free(s);
  slot->free = memory_free;
  slot->block = rows_make(m, n);
  if (!slot->block) mju_error("sinew:loops: no memory for %d rows of equalities", n);
  return slot->block;
}

// ---- are they there already?

static int count_entries(const mjModel* m, const snEqualities* eq) {
  int n = 0;
  if (!eq->rownnz) return eq->n * m->nv;
  for (int i = 0; i < eq->n; i++) n += eq->rownnz[i];
  return n;
}

// Rows in CSR follow each other without gaps.
static bool rows_hold(const mjModel* m, const mjData* d, const snLoopRows* s,
                      const snEqualities* eq, int entries) {
  size_t nC = (size_t)m->nC, nv = (size_t)m->nv, n = (size_t)eq->n;
  if (s->n != eq->n || s->sparse != (eq->rownnz != NULL) || s->ngiven != entries) return false;
  if (s->sparse &&
      (memcmp(s->pattern, eq->rownnz, sizeof(int) * n) ||
       memcmp(s->pattern + n, eq->colind + eq->rowadr[0], sizeof(int) * (size_t)entries))) {
    return false;
  }
  const mjtNum* J = s->sparse ? eq->J + eq->rowadr[0] : eq->J;
  return !memcmp(s->given, J, sizeof(mjtNum) * (size_t)entries) &&
         !memcmp(s->factor, d->qLD, sizeof(mjtNum) * nC) &&
         !memcmp(s->factor + nC, d->qLDiagInv, sizeof(mjtNum) * nv);
}

static void rows_note(const mjModel* m, const mjData* d, snLoopRows* s, const snEqualities* eq,
                      int entries) {
  size_t nC = (size_t)m->nC, n = (size_t)eq->n;
  s->n = eq->n;
  s->nblock = (eq->n + 3) / 4;
  s->sparse = eq->rownnz != NULL;
  s->ngiven = entries;
  const mjtNum* J = s->sparse ? eq->J + eq->rowadr[0] : eq->J;
  memcpy(s->given, J, sizeof(mjtNum) * (size_t)entries);
  memcpy(s->factor, d->qLD, sizeof(mjtNum) * nC);
  memcpy(s->factor + nC, d->qLDiagInv, sizeof(mjtNum) * (size_t)m->nv);
  if (!s->sparse) return;
  memcpy(s->pattern, eq->rownnz, sizeof(int) * n);
  memcpy(s->pattern + n, eq->colind + eq->rowadr[0], sizeof(int) * (size_t)entries);
}

// ---- W and A

// The four rows of block b in full width, one lane for each.
SN_KERNEL static void spread_rows(const snEqualities* eq, int nv, int b, sn4* x) {
  static const mjtNum kNone[1] = {0};
  if (eq->rownnz) {
    memset(x, 0, sizeof(sn4) * (size_t)nv);
    for (int i = 4 * b; i < eq->n && i < 4 * b + 4; i++) {
      const int* col = eq->colind + eq->rowadr[i];
      const mjtNum* J = eq->J + eq->rowadr[i];
      for (int k = 0; k < eq->rownnz[i]; k++) ((mjtNum*)(x + col[k]))[i - 4 * b] = J[k];
    }
    return;
  }
  const mjtNum* row[4];
  int stride[4];
  for (int r = 0; r < 4; r++) {
    bool there = 4 * b + r < eq->n;
    row[r] = there ? eq->J + (size_t)(4 * b + r) * (size_t)nv : kNone;
    stride[r] = there;
  }
  for (int c = 0; c < nv; c++) {
    x[c] = (sn4){row[0][c], row[1][stride[1] * c], row[2][stride[2] * c], row[3][stride[3] * c]};
  }
}

// The columns of block b, and its J; x has its four rows in full width.
SN_KERNEL static void gather_block(const mjModel* m, snLoopRows* s, int b, const sn4* x,
                                   bool* column, bool* tree) {
  const int *parent = m->dof_parentid, *treeid = m->dof_treeid;
  int nv = m->nv, at = s->adr[b];
  memset(column, 0, sizeof(bool) * (size_t)nv);
  memset(tree, 0, sizeof(bool) * (size_t)m->ntree);
  for (int i = nv - 1; i >= 0; i--) {
    if (!column[i] && !sn4_any(x[i] != (sn4){0})) continue;
    column[i] = tree[treeid[i]] = true;
    if (parent[i] >= 0) column[parent[i]] = true;
  }
  for (int i = 0; i < nv; i++) {
    if (!column[i]) continue;
    SN_ASSERT(parent[i] < 0 || column[parent[i]]);  // elimination stays within the columns
    s->col[at] = i;
    s->J[at++] = x[i];
  }
  s->adr[b + 1] = at;
}

// x <- inv(M) x for the four rows of block b, whose trees are those of its columns.
SN_KERNEL static void solve_block(const mjModel* m, const mjData* d, const snLoopRows* s, int b,
                                  sn4* x, const bool* tree) {
  const snPattern* pattern = model_pattern(m);
  const int *rowadr = pattern->M_rowadr, *rownnz = pattern->M_rownnz, *colind = pattern->M_colind;
  const int* treeid = m->dof_treeid;
  const mjtNum *LD = d->qLD, *inverse = d->qLDiagInv;
  int nv = m->nv;
  for (int k = s->adr[b + 1] - 1; k >= s->adr[b]; k--) {
    int i = s->col[k], end = rowadr[i] + rownnz[i] - 1;
    sn4 y = x[i];
    for (int a = rowadr[i]; a < end; a++) x[colind[a]] -= sn4_set1(LD[a]) * y;
  }
  for (int i = 0; i < nv; i++) {
    if (!tree[treeid[i]]) continue;
    int end = rowadr[i] + rownnz[i] - 1;
    sn4 w = x[i] * sn4_set1(inverse[i]);
    for (int a = rowadr[i]; a < end; a++) w -= sn4_set1(LD[a]) * x[colind[a]];
    x[i] = w;
  }
}

// The tile of A of the rows of block b and the columns of block c; is it more than zeros?
SN_KERNEL static bool put_tile(const snLoopRows* s, int b, int c) {
  const sn4* W = s->W + (size_t)b * (size_t)s->nv;
  size_t wide = 4 * (size_t)s->nblock;
  sn4 tile[4] = {0};
  for (int k = s->adr[c]; k < s->adr[c + 1]; k++) {
    sn4 w = W[s->col[k]], J = s->J[k];
    for (int r = 0; r < 4; r++) tile[r] += sn4_set1(w[r]) * J;
  }
  for (int r = 0; r < 4; r++) sn4_store(s->A + (size_t)(4 * b + r) * wide + 4 * c, tile[r]);
  return sn4_any((tile[0] != 0) | (tile[1] != 0) | (tile[2] != 0) | (tile[3] != 0));
}

// Elimination of the upper triangle, row by row from all rows below: row k becomes D_k L_ik for i
// above k. Rows are read in fours from a multiple of four on; what stands below the diagonal, and
// what a tile has beyond the last row, is not read as a number of the factor.
SN_KERNEL static void factor(snLoopFactor* f) {
  size_t wide = 4 * (size_t)f->nblock;
  int n = f->n, *last = f->last;
  mjtNum *inverse = f->inverse, *A = f->A;
  for (int i = 0; i < (int)wide; i++)
    inverse[i] = i < n ? DEPENDENT * A[(size_t)i * (wide + 1)] : 0;
  for (int k = 0; k < n; k++) {
    const mjtNum* from = A + (size_t)k * wide;
    mjtNum pivot = from[k];
    inverse[k] = pivot > inverse[k] ? 1 / pivot : 0;
    if (inverse[k] == 0) continue;
    int end = last[k];
    SN_ASSERT(end % 4 == 0 && end <= (int)wide && end > k);
    for (int i = k + 1; i < end && i < n; i++) {
      if (from[i] == 0) continue;
      mjtNum* to = A + (size_t)i * wide;
      sn4 share = sn4_set1(from[i] * inverse[k]);
      for (int j = i & ~3; j < end; j += 4) {
        sn4_store(to + j, sn4_load(to + j) - share * sn4_load(from + j));
      }
      if (last[i] < end) last[i] = end;
    }
  }
  for (int i = 0; i < (int)wide; i++) {  // a block has the columns of its longest row
    if (last[i & ~3] < last[i]) last[i & ~3] = last[i];
  }
}

// The factor of A, with R on its diagonal unless that is NULL.
static void factor_tiles(const snLoopRows* s, const mjtNum* R, snLoopFactor* f) {
  size_t wide = 4 * (size_t)s->nblock;
  f->n = s->n;
  f->nblock = s->nblock;
  memcpy(f->A, s->A, sizeof(mjtNum) * wide * wide);
  memcpy(f->last, s->last, sizeof(int) * wide);
  for (int i = 0; R && i < s->n; i++) f->A[(size_t)i * (wide + 1)] += R[i];
  factor(f);
}

const snLoopFactor* loop_soften(snLoopRows* s, const mjtNum* R) {
  factor_tiles(s, R, &s->soft);
  return &s->soft;
}

static bool rows_fill(const mjModel* m, mjData* d, snLoopRows* s, const snEqualities* eq) {
  snMemory* memory = memory_of(d);
  size_t nv = (size_t)m->nv;
  bool *column, *tree, good;
  frame_open(memory);
  good = FRAME(memory, SN_ARRAY(column, nv), SN_ARRAY(tree, m->ntree));
  s->adr[0] = 0;
  for (int b = 0; b < s->nblock && good; b++) {
    sn4* x = s->W + (size_t)b * nv;
    spread_rows(eq, m->nv, b, x);
    gather_block(m, s, b, x, column, tree);
    solve_block(m, d, s, b, x, tree);
  }
  for (int b = 0; b < s->nblock && good; b++) {
    int last = b;
    for (int c = b; c < s->nblock; c++) {
      if (put_tile(s, b, c)) last = c;
    }
    for (int r = 0; r < 4; r++) s->last[4 * b + r] = 4 * last + 4;
  }
  if (good) factor_tiles(s, NULL, &s->f);
  frame_close(memory);
  return good;
}

snLoopRows* loop_rows(const mjModel* m, mjData* d, const snEqualities* eq) {
  snLoopRows* s = rows_of(m, d, eq->n);
  if (!s) return NULL;
  int entries = count_entries(m, eq);
  SN_ASSERT(!eq->n || !eq->rownnz ||
            eq->rowadr[eq->n - 1] + eq->rownnz[eq->n - 1] ==
                eq->rowadr[0] + entries);  // rows without gaps
  if (eq->n && rows_hold(m, d, s, eq, entries)) return s;
  s->n = 0;
  if (eq->n) rows_note(m, d, s, eq, entries);
  if (!eq->n || rows_fill(m, d, s, eq)) return s;
  s->n = 0;
  return NULL;
}

// ---- products

SN_KERNEL void loop_rates(const snLoopRows* s, const mjtNum* v, mjtNum* out) {
  for (int b = 0; b < s->nblock; b++) {
    sn4 sum = {0};
    for (int k = s->adr[b]; k < s->adr[b + 1]; k++) sum += s->J[k] * sn4_set1(v[s->col[k]]);
    int n = s->n - 4 * b;
    sn4_store_part(out + 4 * b, sum, n < 4 ? n : 4);
  }
}

// x_i -= L_ik x_k within a tile, L_ik = (D_k L_ik) / D_k
SN_INLINE sn4 tile_forward(const mjtNum* tile, size_t wide, const mjtNum* inverse,
                           const mjtNum* y) {
  const mjtNum *second = tile + wide, *third = second + wide;
  mjtNum share = y[0] * inverse[0], y1 = y[1] - share * tile[1];
  mjtNum y2 = y[2] - share * tile[2], y3 = y[3] - share * tile[3];
  share = y1 * inverse[1];
  y2 -= share * second[2];
  y3 -= share * second[3];
  return (sn4){y[0], y1, y2, y3 - y2 * inverse[2] * third[3]};
}

// x_k = (x_k - sum_i D_k L_ik x_i) / D_k within a tile
SN_INLINE sn4 tile_backward(const mjtNum* tile, size_t wide, const mjtNum* inverse, sn4 y) {
  const mjtNum *second = tile + wide, *third = second + wide;
  mjtNum x3 = y[3] * inverse[3], x2 = (y[2] - third[3] * x3) * inverse[2];
  mjtNum x1 = (y[1] - (second[2] * x2 + second[3] * x3)) * inverse[1];
  return (sn4){(y[0] - (tile[1] * x1 + (tile[2] * x2 + tile[3] * x3))) * inverse[0], x1, x2, x3};
}

// Four rows at a time, so that numbers are stored and loaded in the same fours. Rows that are left
// out, and those beyond the last, have 1 / D = 0: their x is zero.
SN_KERNEL void loop_solve(const snLoopFactor* s, mjtNum* x) {
  size_t wide = 4 * (size_t)s->nblock;
  mjtNum* y = s->y;
  SN_ASSERT(s->n > 0 && s->n <= 4 * s->nblock && 4 * s->nblock < s->n + 4);
  memcpy(y, x, sizeof(mjtNum) * (size_t)s->n);
  for (int i = s->n; i < 4 * s->nblock; i++) y[i] = 0;
  for (int b = 0; b < 4 * s->nblock; b += 4) {
    const mjtNum* row = s->A + (size_t)b * wide;
    sn4 left = tile_forward(row + b, wide, s->inverse + b, y + b);
    sn4 share = left * sn4_load(s->inverse + b);
    sn4_store(y + b, left);
    sn4 f[4] = {sn4_set1(share[0]), sn4_set1(share[1]), sn4_set1(share[2]), sn4_set1(share[3])};
    for (int i = b + 4; i < s->last[b]; i += 4) {
      sn4 sum = (f[0] * sn4_load(row + i) + f[1] * sn4_load(row + wide + i)) +
                (f[2] * sn4_load(row + 2 * wide + i) + f[3] * sn4_load(row + 3 * wide + i));
      sn4_store(y + i, sn4_load(y + i) - sum);
    }
  }
  for (int b = 4 * s->nblock - 4; b >= 0; b -= 4) {
    const mjtNum* row = s->A + (size_t)b * wide;
    sn4 sum[4] = {0};
    for (int i = b + 4; i < s->last[b]; i += 4) {
      sn4 known = sn4_load(y + i);
      for (int r = 0; r < 4; r++) sum[r] += sn4_load(row + (size_t)r * wide + i) * known;
    }
    sn4 rest = sn4_load(y + b) - sn4_sum4(sum[0], sum[1], sum[2], sum[3]);
    sn4_store(y + b, tile_backward(row + b, wide, s->inverse + b, rest));
  }
  memcpy(x, y, sizeof(mjtNum) * (size_t)s->n);
}

SN_KERNEL void loop_motion(const snLoopRows* s, const mjtNum* x, mjtNum scale, mjtNum* change) {
  int nv = s->nv;
  memset(change, 0, sizeof(mjtNum) * (size_t)nv);
  for (int b = 0; b < s->nblock; b++) {
    int n = s->n - 4 * b, i = 0;
    sn4 f = sn4_load_part(x + 4 * b, n < 4 ? n : 4) * sn4_set1(scale);
    const sn4* W = s->W + (size_t)b * (size_t)nv;
    for (; i + 4 <= nv; i += 4) {
      sn4 sum = sn4_sum4(W[i] * f, W[i + 1] * f, W[i + 2] * f, W[i + 3] * f);
      sn4_store(change + i, sn4_load(change + i) + sum);
    }
    for (; i < nv; i++) change[i] += sn4_sum(W[i] * f);
  }
}
