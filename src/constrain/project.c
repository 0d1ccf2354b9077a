// mj_projectConstraint: A + R with A = J inv(M) J', for the dual solvers; and the transpose of J.
//
// With M = L'DL, A = W W' where the rows of W are those of J inv(L) inv(sqrt D). A row of W fills
// the trees that its row of J touches and nothing else, so two rows couple only if they share a
// tree.
#include <string.h>

#include "constrain/constrain.h"
#include "data/frame.h"

void constrain_super(int n, const int* rownnz, const int* rowadr, const int* colind,
                     int* rowsuper) {
  for (int i = n - 1; i >= 0; i--) {
    rowsuper[i] = 0;
    if (i == n - 1 || rownnz[i] != rownnz[i + 1]) continue;
    // rows that differ usually differ in their last column
    int last = rownnz[i] - 1;
    if (last >= 0 && colind[rowadr[i] + last] != colind[rowadr[i + 1] + last]) continue;
    if (!memcmp(colind + rowadr[i], colind + rowadr[i + 1], sizeof(int) * (size_t)rownnz[i])) {
      rowsuper[i] = rowsuper[i + 1] + 1;
    }
  }
}

void constrain_transpose(const mjModel* m, mjData* d) {
  int nefc = d->nefc, nv = m->nv;
  constrain_super(nefc, d->efc_J_rownnz, d->efc_J_rowadr, d->efc_J_colind, d->efc_J_rowsuper);
  int *nnz = d->efc_JT_rownnz, *adr = d->efc_JT_rowadr, *row = d->efc_JT_colind;
  memset(nnz, 0, sizeof(int) * (size_t)nv);
  // rows of one pattern are transposed together: their entries of a column are adjacent in JT
  const int *rownnz = d->efc_J_rownnz, *rowadr = d->efc_J_rowadr, *super = d->efc_J_rowsuper;
  for (int i = 0; i < nefc; i += super[i] + 1) {
    const int *col = d->efc_J_colind + rowadr[i], *end = col + rownnz[i];
    for (int n = super[i] + 1; col < end; col++) nnz[*col] += n;
  }
  for (int c = 0, sum = 0; c < nv; c++) {
    adr[c] = sum;
    sum += nnz[c];
  }
  // adr advances while columns fill, and is set back at the end
  mjtNum* JT = d->efc_JT;
  for (int i = 0; i < nefc; i += super[i] + 1) {
    int n = super[i] + 1, width = rownnz[i];
    const int* col = d->efc_J_colind + rowadr[i];
    const mjtNum* J = d->efc_J + rowadr[i];
    if (n == 1) {
      for (int k = 0; k < width; k++) {
        int at = adr[col[k]]++;
        JT[at] = J[k];
        row[at] = i;
      }
      continue;
    }
    for (int k = 0; k < width; k++) {
      int at = adr[col[k]];
      adr[col[k]] = at + n;
      for (int r = 0; r < n; r++) {
        JT[at + r] = J[r * width + k];
        row[at + r] = i + r;
      }
    }
  }
  for (int c = 0; c < nv; c++) SN_ASSERT(adr[c] == (c + 1 < nv ? adr[c + 1] - nnz[c + 1] : adr[c]));
  for (int c = 0; c < nv; c++) adr[c] -= nnz[c];
  constrain_super(nv, nnz, adr, row, d->efc_JT_rowsuper);
}

// ---- dense: W = J inv(L) inv(sqrt D) for all rows at once, and all products of its rows

// Dot products of row i with rows j to j+3 of W, each summed over four SIMD lanes
SN_INLINE sn4 row_products(const mjtNum* W, int nv, int i, int j) {
  const mjtNum *a = W + (size_t)i * nv, *b = W + (size_t)j * nv;
  sn4 s[4];
  int k = 0;
  for (int r = 0; r < 4; r++) s[r] = sn4_set1(0);
  for (; k + 4 <= nv; k += 4) {
    sn4 x = sn4_load(a + k);
    for (int r = 0; r < 4; r++) s[r] += x * sn4_load(b + (size_t)r * nv + k);
  }
  if (k < nv) {
    sn4 x = sn4_load_part(a + k, nv - k);
    for (int r = 0; r < 4; r++) s[r] += x * sn4_load_part(b + (size_t)r * nv + k, nv - k);
  }
  return sn4_sum4(s[0], s[1], s[2], s[3]);
}

SN_INLINE mjtNum row_product(const mjtNum* a, const mjtNum* b, int n) {
  sn4 sum = sn4_set1(0);
  int k = 0;
  for (; k + 4 <= n; k += 4) sum += sn4_load(a + k) * sn4_load(b + k);
  if (k < n) sum += sn4_load_part(a + k, n - k) * sn4_load_part(b + k, n - k);
  return sn4_sum(sum);
}

SN_KERNEL static void dense_products(mjtNum* A, const mjtNum* W, const mjtNum* R, int n, int nv) {
  for (int i = 0; i < n; i++) {
    mjtNum* row = A + (size_t)i * n;
    int j = 0;
    for (; j + 4 <= i + 1; j += 4) sn4_store(row + j, row_products(W, nv, i, j));
    for (; j <= i; j++) row[j] = row_product(W + (size_t)i * nv, W + (size_t)j * nv, nv);
    row[i] += R[i];
    for (j = 0; j < i; j++) A[(size_t)j * n + i] = row[j];
  }
}

static bool project_dense(const mjModel* m, mjData* d) {
  size_t n = (size_t)d->nefc, nv = (size_t)m->nv;
  const snTree* tree = model_plan(m)->tree;
  mjtNum *W, *root, *scratch;
  if (!FRAME(memory_of(d), SN_ARRAY(W, n * nv), SN_ARRAY(root, nv),
             SN_ARRAY(scratch, tree_scratch(tree)))) {
    return false;
  }
  char* p = data_arena_alloc(d, n * n * (sizeof(mjtNum) + sizeof(int)) + 2 * n * sizeof(int), 64);
  if (!p) return false;
  d->efc_AR = (mjtNum*)p;
  d->efc_AR_colind = (int*)(d->efc_AR + n * n);
  d->efc_AR_rownnz = d->efc_AR_colind + n * n;
  d->efc_AR_rowadr = d->efc_AR_rownnz + n;
  d->nA = ((snData*)d)->room_A = (int)(n * n);
  for (size_t i = 0; i < nv; i++) root[i] = sqrt(d->qLDiagInv[i]);
  tree_solve_half(tree, W, d->efc_J, d->qLD, root, d->nefc, scratch);
  dense_products(d->efc_AR, W, d->efc_R, d->nefc, m->nv);
  for (int i = 0; i < d->nefc; i++) {
    d->efc_AR_rowadr[i] = i * d->nefc;
    d->efc_AR_rownnz[i] = d->nefc;
    int* col = d->efc_AR_colind + (size_t)i * n;
    for (int j = 0; j < d->nefc; j++) col[j] = j;
  }
  return true;
}

// ---- sparse: a row of W fills the trees that its J touches

typedef struct snTouchedTrees_ {
  int *first, *tree;      // (nefc + 1) trees of row i: tree[first[i] .. first[i+1]), ascending
  size_t* adr;            // address in W of the segment of each of these trees
  int *begin, *end;       // (ntree) first dof of a tree, one past the last
  int *meet_first, *row;  // rows of tree t: row[meet_first[t] .. meet_first[t+1]), ascending
  mjtNum* W;
} snTouchedTrees;

// First dof of each tree and one past its last.
static void tree_ranges(const mjModel* m, int* begin, int* end) {
  for (int t = 0; t < m->ntree; t++) begin[t] = end[t] = 0;
  for (int k = m->nv - 1; k >= 0; k--) {
    int t = m->dof_treeid[k];
    begin[t] = k;
    if (k + 1 > end[t]) end[t] = k + 1;
  }
}

static int row_trees(const mjModel* m, const mjData* d, int i, int* tree) {
  int n = 0, last = -1;
  for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
    int t = m->dof_treeid[d->efc_J_colind[k]];
    if (t == last) continue;
    last = t;
    if (tree) tree[n] = t;
    n++;
  }
  return n;
}

// x <- inv(sqrt D) inv(L') x on the dofs [begin, end) of one tree; x is indexed from begin.
static void half_solve(const snPattern* pattern, const mjData* d, mjtNum* x, int begin, int end) {
  for (int i = end - 1; i >= begin; i--) {
    mjtNum xi = x[i - begin];
    if (xi == 0) continue;
    int adr = pattern->M_rowadr[i], n = pattern->M_rownnz[i] - 1;
    for (int k = adr; k < adr + n; k++) x[pattern->M_colind[k] - begin] -= d->qLD[k] * xi;
    x[i - begin] = xi * sqrt(d->qLDiagInv[i]);
  }
}

static bool touch_make(const mjModel* m, mjData* d, snTouchedTrees* s) {
  int nefc = d->nefc, ntree = m->ntree;
  if (!FRAME(memory_of(d), SN_ARRAY(s->begin, ntree), SN_ARRAY(s->end, ntree),
             SN_ARRAY(s->meet_first, ntree + 1), SN_ARRAY(s->first, nefc + 1))) {
    return false;
  }
  tree_ranges(m, s->begin, s->end);
  s->first[0] = 0;
  for (int i = 0; i < nefc; i++) s->first[i + 1] = s->first[i] + row_trees(m, d, i, NULL);
  int total = s->first[nefc];
  if (!FRAME(memory_of(d), SN_ARRAY(s->tree, total), SN_ARRAY(s->row, total),
             SN_ARRAY(s->adr, total + 1))) {
    return false;
  }
  memset(s->meet_first, 0, sizeof(int) * ((size_t)ntree + 1));
  s->adr[0] = 0;
  for (int i = 0; i < nefc; i++) {
    row_trees(m, d, i, s->tree + s->first[i]);
    for (int a = s->first[i]; a < s->first[i + 1]; a++) {
      int t = s->tree[a];
      s->adr[a + 1] = s->adr[a] + (size_t)(s->end[t] - s->begin[t]);
      s->meet_first[t + 1]++;
    }
  }
  for (int t = 0; t < ntree; t++) s->meet_first[t + 1] += s->meet_first[t];
  for (int i = 0; i < nefc; i++) {
    for (int a = s->first[i]; a < s->first[i + 1]; a++) s->row[s->meet_first[s->tree[a]]++] = i;
  }
  for (int t = ntree; t > 0; t--) s->meet_first[t] = s->meet_first[t - 1];
  s->meet_first[0] = 0;

  if (!FRAME(memory_of(d), SN_ARRAY(s->W, s->adr[total]))) return false;
  memset(s->W, 0, sizeof(mjtNum) * s->adr[total]);
  for (int i = 0; i < nefc; i++) {
    int a = s->first[i];
    for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
      int c = d->efc_J_colind[k];
      while (c >= s->end[s->tree[a]]) a++;
      SN_ASSERT(a < s->first[i + 1] && c >= s->begin[s->tree[a]]);  // columns ascend, by tree
      s->W[s->adr[a] + (size_t)(c - s->begin[s->tree[a]])] = d->efc_J[k];
    }
    for (a = s->first[i]; a < s->first[i + 1]; a++) {
      half_solve(model_pattern(m), d, s->W + s->adr[a], s->begin[s->tree[a]], s->end[s->tree[a]]);
    }
  }
  return true;
}

// The rows before row i that share a tree with it, ascending; list and spare hold nefc.
static int row_meets(const snTouchedTrees* s, int i, int* list, int* spare) {
  int n = 0, *from = list, *into = spare;
  for (int a = s->first[i]; a < s->first[i + 1]; a++) {
    const int* b = s->row + s->meet_first[s->tree[a]];
    int count = 0, k = 0;
    while (k < n && *b < i) {
      int x = from[k], y = *b;
      into[count++] = x < y ? x : y;
      k += x <= y;
      b += y <= x;
    }
    while (k < n) into[count++] = from[k++];
    while (*b < i) into[count++] = *b++;  // row i itself ends the scan
    SN_ASSERT(*b == i);
    n = count;
    int* swap = from;
    from = into;
    into = swap;
  }
  if (from != list) memcpy(list, from, sizeof(int) * (size_t)n);
  return n;
}

// W_i . W_j: the sum of products over the trees that the rows share.
SN_INLINE mjtNum meet_product(const snTouchedTrees* s, int i, int j) {
  mjtNum value = 0;
  int a = s->first[i], b = s->first[j];
  while (a < s->first[i + 1] && b < s->first[j + 1]) {
    int ta = s->tree[a], tb = s->tree[b];
    if (ta == tb)
      value += row_product(s->W + s->adr[a], s->W + s->adr[b], s->end[ta] - s->begin[ta]);
    a += ta <= tb;
    b += tb <= ta;
  }
  return value;
}

// Compute the lower triangle and mirror it: rows in order come to the columns j > i of each row i
// in order too. cursor[i] is where the next entry of row i goes.
SN_KERNEL static void sparse_products(mjData* d, const snTouchedTrees* s, int* cursor) {
  for (int i = 0; i < d->nefc; i++) {
    int k = d->efc_AR_rowadr[i];
    for (; d->efc_AR_colind[k] < i; k++) {
      int j = d->efc_AR_colind[k];
      d->efc_AR[k] = meet_product(s, i, j);
      d->efc_AR[cursor[j]++] = d->efc_AR[k];
    }
    d->efc_AR[k] = meet_product(s, i, i) + d->efc_R[i];
    cursor[i] = k + 1;
  }
}

// The pattern of the lower triangle: row i meets rows meet[first[i] .. first[i+1]). NULL without
// memory.
static int* find_meets(mjData* d, const snTouchedTrees* s, int* first) {
  int nefc = d->nefc;
  size_t room = 0;
  for (int i = 0; i < nefc; i++) {
    for (int a = s->first[i]; a < s->first[i + 1]; a++) {
      room += (size_t)(s->meet_first[s->tree[a] + 1] - s->meet_first[s->tree[a]]);
    }
  }
  int *meet, *spare;
  if (!FRAME(memory_of(d), SN_ARRAY(meet, room + (size_t)nefc), SN_ARRAY(spare, nefc))) return NULL;
  first[0] = 0;
  for (int i = 0; i < nefc; i++) {
    first[i + 1] = first[i] + row_meets(s, i, meet + first[i], spare);
  }
  SN_ASSERT((size_t)first[nefc] <= room);
  return meet;
}

static bool project_sparse(const mjModel* m, mjData* d) {
  snTouchedTrees s;
  int nefc = d->nefc;
  int *first, *cursor;
  if (!FRAME(memory_of(d), SN_ARRAY(first, nefc + 1), SN_ARRAY(cursor, nefc)) ||
      !touch_make(m, d, &s)) {
    return false;
  }
  int* meet = find_meets(d, &s, first);
  if (!meet) return false;
  size_t nA = 2 * (size_t)first[nefc] + (size_t)nefc;
  char* p =
      data_arena_alloc(d, nA * (sizeof(mjtNum) + sizeof(int)) + 2 * (size_t)nefc * sizeof(int), 64);
  if (!p) return false;
  d->efc_AR = (mjtNum*)p;
  d->efc_AR_colind = (int*)(d->efc_AR + nA);
  d->efc_AR_rownnz = d->efc_AR_colind + nA;
  d->efc_AR_rowadr = d->efc_AR_rownnz + nefc;
  d->nA = ((snData*)d)->room_A = (int)nA;
  int *nnz = d->efc_AR_rownnz, *adr = d->efc_AR_rowadr, *col = d->efc_AR_colind;
  for (int i = 0; i < nefc; i++) nnz[i] = first[i + 1] - first[i] + 1;
  for (int k = 0; k < first[nefc]; k++) nnz[meet[k]]++;
  for (int i = 0, at = 0; i < nefc; i++) {
    adr[i] = cursor[i] = at;
    at += nnz[i];
  }
  for (int i = 0; i < nefc; i++) {
    for (int k = first[i]; k < first[i + 1]; k++) {
      col[cursor[i]++] = meet[k];
      col[cursor[meet[k]]++] = i;
    }
    col[cursor[i]++] = i;
  }
  for (int i = 0; i < nefc; i++) SN_ASSERT(cursor[i] == adr[i] + nnz[i]);  // each row is full
  sparse_products(d, &s, cursor);
  return true;
}

void mj_projectConstraint(const mjModel* m, mjData* d) {
  d->nA = 0;
  if (!d->nefc || !mj_isDual(m)) return;
  mj_markStack(d);
  if (!(mj_isSparse(m) ? project_sparse(m, d) : project_dense(m, d))) {
    mj_warning(d, mjWARN_CNSTRFULL, (int)d->narena);
  }
  mj_freeStack(d);
}
