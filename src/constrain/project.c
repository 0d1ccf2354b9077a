// mj_projectConstraint: A = J inv(M) J' plus the diagonal R, for the dual solvers.
//
// With M = L'DL, A = W W' where the rows of W are those of J inv(L) inv(sqrt D). A row of W fills
// the trees its J touches and nothing else, so W is kept as one or a few stretches of dofs per row,
// and two rows couple only if they share a tree.
#include <string.h>

#include "constrain/constrain.h"

void constrain_super(int n, const int* rownnz, const int* rowadr, const int* colind,
                     int* rowsuper) {
  for (int i = n - 1; i >= 0; i--) {
    rowsuper[i] = 0;
    if (i == n - 1 || rownnz[i] != rownnz[i + 1]) continue;
    if (!memcmp(colind + rowadr[i], colind + rowadr[i + 1], sizeof(int) * (size_t)rownnz[i])) {
      rowsuper[i] = rowsuper[i + 1] + 1;
    }
  }
}

void constrain_transpose(const mjModel* m, mjData* d) {
  int nefc = d->nefc, nv = m->nv;
  constrain_super(nefc, d->efc_J_rownnz, d->efc_J_rowadr, d->efc_J_colind, d->efc_J_rowsuper);
  int *nnz = d->efc_JT_rownnz, *adr = d->efc_JT_rowadr;
  memset(nnz, 0, sizeof(int) * (size_t)nv);
  int total = nefc ? d->efc_J_rowadr[nefc - 1] + d->efc_J_rownnz[nefc - 1] : 0;
  for (int k = 0; k < total; k++) nnz[d->efc_J_colind[k]]++;
  for (int c = 0, sum = 0; c < nv; c++) {
    adr[c] = sum;
    sum += nnz[c];
    nnz[c] = 0;
  }
  for (int i = 0; i < nefc; i++) {
    for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
      int c = d->efc_J_colind[k], at = adr[c] + nnz[c]++;
      d->efc_JT[at] = d->efc_J[k];
      d->efc_JT_colind[at] = i;
    }
  }
  constrain_super(nv, nnz, adr, d->efc_JT_colind, d->efc_JT_rowsuper);
}

// The trees of every row, ascending: list[first[i] .. first[i+1]).
typedef struct snTouch_ {
  int* first;  // (nefc + 1)
  int* list;
} snTouch;

// First dof of each tree and one past its last.
static void tree_ranges(const mjModel* m, int* begin, int* end) {
  for (int t = 0; t < m->ntree; t++) begin[t] = end[t] = 0;
  for (int k = m->nv - 1; k >= 0; k--) {
    int t = m->dof_treeid[k];
    begin[t] = k;
    if (k + 1 > end[t]) end[t] = k + 1;
  }
}

static int row_trees(const mjModel* m, const mjData* d, bool sparse, int i, int* tree) {
  int n = 0, last = -1;
  int nnz = sparse ? d->efc_J_rownnz[i] : m->nv;
  for (int k = 0; k < nnz; k++) {
    int c = sparse ? d->efc_J_colind[d->efc_J_rowadr[i] + k] : k;
    if (!sparse && d->efc_J[(size_t)i * m->nv + k] == 0) continue;
    int t = m->dof_treeid[c];
    if (t != last) tree[n++] = last = t;
  }
  return n;
}

// x <- inv(sqrt D) inv(L') x on the dofs [begin, end) of one tree; x is indexed from begin.
static void half_solve(const mjData* d, mjtNum* x, int begin, int end) {
  for (int i = end - 1; i >= begin; i--) {
    mjtNum xi = x[i - begin];
    if (xi == 0) continue;
    int adr = d->M_rowadr[i], n = d->M_rownnz[i] - 1;
    for (int k = adr; k < adr + n; k++) x[d->M_colind[k] - begin] -= d->qLD[k] * xi;
    x[i - begin] = xi * sqrt(d->qLDiagInv[i]);
  }
}

static bool rows_meet(const snTouch* touch, int i, int j) {
  int a = touch->first[i], b = touch->first[j];
  while (a < touch->first[i + 1] && b < touch->first[j + 1]) {
    if (touch->list[a] == touch->list[b]) return true;
    if (touch->list[a] < touch->list[b])
      a++;
    else
      b++;
  }
  return false;
}

SN_KERNEL static mjtNum stretch_dot(const mjtNum* a, const mjtNum* b, int n) {
  sn4 sum = {0, 0, 0, 0};
  int k = 0;
  for (; k + 4 <= n; k += 4) sum += sn4_load(a + k) * sn4_load(b + k);
  mjtNum s = sn4_sum(sum);
  for (; k < n; k++) s += a[k] * b[k];
  return s;
}

void mj_projectConstraint(const mjModel* m, mjData* d) {
  d->nA = 0;
  int nefc = d->nefc, nv = m->nv;
  if (!nefc || !mj_isDual(m)) return;
  bool sparse = mj_isSparse(m);
  mj_markStack(d);
  int *begin = mj_stackAllocInt(d, m->ntree), *end = mj_stackAllocInt(d, m->ntree);
  tree_ranges(m, begin, end);

  // trees of rows and the length of W
  snTouch touch = {mj_stackAllocInt(d, (size_t)nefc + 1), NULL};
  int* scratch = mj_stackAllocInt(d, m->ntree);
  touch.first[0] = 0;
  for (int i = 0; i < nefc; i++) {
    touch.first[i + 1] = touch.first[i] + row_trees(m, d, sparse, i, scratch);
  }
  touch.list = mj_stackAllocInt(d, touch.first[nefc]);
  size_t* wadr = mj_stackAllocByte(d, sizeof(size_t) * (size_t)touch.first[nefc], sizeof(size_t));
  size_t length = 0;
  for (int i = 0; i < nefc; i++) {
    row_trees(m, d, sparse, i, touch.list + touch.first[i]);
    for (int a = touch.first[i]; a < touch.first[i + 1]; a++) {
      wadr[a] = length;
      length += (size_t)(end[touch.list[a]] - begin[touch.list[a]]);
    }
  }

  // W
  mjtNum* W = mj_stackAllocNum(d, length);
  mju_zero(W, (int)length);
  for (int i = 0; i < nefc; i++) {
    int a = touch.first[i];
    if (sparse) {
      for (int k = d->efc_J_rowadr[i]; k < d->efc_J_rowadr[i] + d->efc_J_rownnz[i]; k++) {
        int c = d->efc_J_colind[k];
        while (c >= end[touch.list[a]]) a++;
        W[wadr[a] + (size_t)(c - begin[touch.list[a]])] = d->efc_J[k];
      }
    } else {
      for (; a < touch.first[i + 1]; a++) {
        int t = touch.list[a];
        memcpy(W + wadr[a], d->efc_J + (size_t)i * nv + begin[t],
               sizeof(mjtNum) * (size_t)(end[t] - begin[t]));
      }
    }
    for (a = touch.first[i]; a < touch.first[i + 1]; a++) {
      half_solve(d, W + wadr[a], begin[touch.list[a]], end[touch.list[a]]);
    }
  }

  // pattern
  size_t nA = (size_t)nefc * (size_t)nefc;
  if (sparse) {
    nA = 0;
    for (int i = 0; i < nefc; i++) {
      for (int j = 0; j < nefc; j++) nA += i == j || rows_meet(&touch, i, j);
    }
  }
  char* p =
      data_arena_alloc(d, nA * (sizeof(mjtNum) + sizeof(int)) + 2 * (size_t)nefc * sizeof(int), 64);
  if (!p) {
    mj_warning(d, mjWARN_CNSTRFULL, (int)d->narena);
    mj_freeStack(d);
    return;
  }
  d->efc_AR = (mjtNum*)p;
  d->efc_AR_colind = (int*)(d->efc_AR + nA);
  d->efc_AR_rownnz = d->efc_AR_colind + nA;
  d->efc_AR_rowadr = d->efc_AR_rownnz + nefc;
  d->nA = (int)nA;

  // lower triangle by products of stretches of the same tree, mirrored
  int at = 0;
  for (int i = 0; i < nefc; i++) {
    d->efc_AR_rowadr[i] = at;
    for (int j = 0; j < nefc; j++) {
      bool meet = i == j || rows_meet(&touch, i, j);
      if (sparse && !meet) continue;
      mjtNum value = 0;
      if (j <= i && meet) {
        int a = touch.first[i], b = touch.first[j];
        while (a < touch.first[i + 1] && b < touch.first[j + 1]) {
          int ta = touch.list[a], tb = touch.list[b];
          if (ta == tb) {
            value += stretch_dot(W + wadr[a], W + wadr[b], end[ta] - begin[ta]);
            a++, b++;
          } else if (ta < tb) {
            a++;
          } else {
            b++;
          }
        }
        if (i == j) value += d->efc_R[i];
      }
      d->efc_AR_colind[at] = j;
      d->efc_AR[at++] = value;
    }
    d->efc_AR_rownnz[i] = at - d->efc_AR_rowadr[i];
  }
  // mirror: walking rows in order meets the columns j > i of each row i in order too
  int* cursor = mj_stackAllocInt(d, nefc);
  for (int i = 0; i < nefc; i++) {
    int k = d->efc_AR_rowadr[i];
    while (d->efc_AR_colind[k] != i) k++;
    cursor[i] = k + 1;
  }
  for (int i = 0; i < nefc; i++) {
    for (int k = d->efc_AR_rowadr[i]; d->efc_AR_colind[k] < i; k++) {
      d->efc_AR[cursor[d->efc_AR_colind[k]]++] = d->efc_AR[k];
    }
  }
  mj_freeStack(d);
}
