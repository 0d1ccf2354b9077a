// Products of all pairs of rows through the inertia, for Newton in the space of rows:
//
//   A = K K',  K = sqrt(D) J inv(L) inv(sqrt Dm),  M = L' Dm L
//
// Rows stand in slots, four to a group (newton_rows.c). K of a group has the columns of its rows
// and their ancestors; two groups of one tree have the beginning of that list in common.
#include "solve/problem.h"

// The rows of a problem, by slots.
typedef struct snSlots_ {
  const snProblem* p;
  const int* row;      // row of a slot, -1: none
  const mjtNum* root;  // sqrt(D)
} snSlots;

// The columns of a group of slots and all their ancestors, ascending: K fills nothing else.
typedef struct snSlotGroup_ {
  int ncol;
  int* col;
  mjtNum* K;  // ncol x 4
} snSlotGroup;

static int group_columns(const snProblem* p, const snRowBlock* k, int* stamp, int mark, int* col,
                         int count) {
  const int* c = p->col + k->col;
  for (int i = k->ncol - 1; i >= 0; i--) {
    if (stamp[c[i]] == mark) continue;
    int adr = p->M_rowadr[c[i]], nnz = p->M_rownnz[c[i]], before = count;
    for (int a = adr; a < adr + nnz; a++) {
      int dof = p->M_colind[a];
      if (stamp[dof] == mark) continue;
      stamp[dof] = mark;
      // a second branch goes where it belongs
      int at = count++;
      for (; before && at > 0 && col[at - 1] > dof; at--) col[at] = col[at - 1];
      col[at] = dof;
    }
  }
  return count;
}

// sqrt(D) J of a group within one block, whose rows stand one behind the other.
SN_INLINE void group_rows(const snSlots* x, int g, const snRowBlock* k, const int* place,
                          mjtNum* K) {
  const int* c = x->p->col + k->col;
  const mjtNum* J[4];
  for (int l = 0; l < 4; l++) {
    int row = x->row[4 * g + l] < 0 ? x->row[4 * g] : x->row[4 * g + l];
    SN_ASSERT(row >= k->row && row < k->row + k->nrow);
    J[l] = x->p->J + k->J + (size_t)(row - k->row) * k->stride;
  }
  sn4 root = sn4_load(x->root + 4 * g);
  for (int i = 0; i < k->ncol; i++) {
    sn4_store(K + 4 * place[c[i]], (sn4){J[0][i], J[1][i], J[2][i], J[3][i]} * root);
  }
}

// sqrt(D) J of a row that is a block of its own, at or before k
SN_INLINE void group_single(const snSlots* x, int slot, const snRowBlock* k, const int* place,
                            mjtNum* K) {
  int row = x->row[slot];
  if (row < 0) return;
  while (row < k->row) k--;
  const int* c = x->p->col + k->col;
  const mjtNum* J = x->p->J + k->J;
  for (int i = 0; i < k->ncol; i++) K[4 * place[c[i]]] = J[i] * x->root[slot];
}

// to[0..n) -= L x
SN_INLINE void run_subtract(mjtNum* to, const mjtNum* L, int n, sn4 x) {
  int a = 0;
  for (; a + 2 <= n; a += 2) {
    sn4 y = sn4_load(to + 4 * a) - x * L[a], z = sn4_load(to + 4 * a + 4) - x * L[a + 1];
    sn4_store(to + 4 * a, y);
    sn4_store(to + 4 * a + 4, z);
  }
  if (a < n) sn4_store(to + 4 * a, sn4_load(to + 4 * a) - x * L[a]);
}

// K <- K inv(L) inv(sqrt Dm), leaves first. The ancestors of a dof mostly are all that comes before
// it, or, on a second branch, what comes before the first one and the run up to the dof: `trunk`.
SN_INLINE void group_solve(const snProblem* p, const snSlotGroup* g, const int* place,
                           const mjtNum* root_dinv) {
  const int *M_rownnz = p->M_rownnz, *M_rowadr = p->M_rowadr, *list = g->col;
  mjtNum* K = g->K;
  int trunk = 0;
  for (int k = g->ncol - 1; k >= 0; k--) {
    int dof = list[k], n = M_rownnz[dof] - 1, adr = M_rowadr[dof];
    const mjtNum* L = p->LD + adr;
    const int* col = p->M_colind + adr;
    sn4 x = sn4_load(K + 4 * k);
    if (n == k) {
      run_subtract(K, L, n, x);
    } else if (n > 0) {
      bool known = trunk < n && place[col[trunk]] == k - n + trunk && place[col[n - 1]] == k - 1 &&
                   (trunk == 0 || place[col[trunk - 1]] == trunk - 1);
      if (!known) {
        for (trunk = 0; trunk < n && place[col[trunk]] == trunk;) trunk++;
        known = trunk == n || place[col[trunk]] == k - n + trunk;
      }
      if (known) {
        run_subtract(K, L, trunk, x);
        run_subtract(K + 4 * (k - n + trunk), L + trunk, n - trunk, x);
      } else {
        for (int a = 0; a < n; a++) run_subtract(K + 4 * place[col[a]], L + a, 1, x);
      }
    }
    sn4_store(K + 4 * k, x * root_dinv[dof]);
  }
}

SN_INLINE void tile_add(sn4 tile[4], const mjtNum* k, const mjtNum* l) {
  sn4 v = sn4_load(l);
  tile[0] += v * k[0];
  tile[1] += v * k[1];
  tile[2] += v * k[2];
  tile[3] += v * k[3];
}

// Four rows of A times four columns: the dofs that both groups have, mostly a common beginning.
SN_INLINE void group_product(const snSlotGroup* a, const snSlotGroup* b, sn4 tile[4]) {
  int na = a->ncol, nb = b->ncol, n = na < nb ? na : nb, i = 0;
  const int *ca = a->col, *cb = b->col;
  const mjtNum *Ka = a->K, *Kb = b->K;
  for (int r = 0; r < 4; r++) tile[r] = sn4_set1(0);
  for (; i < n && ca[i] == cb[i]; i++) tile_add(tile, Ka + 4 * i, Kb + 4 * i);
  for (int j = i; i < na && j < nb;) {
    int ci = ca[i], cj = cb[j];
    if (ci == cj) tile_add(tile, Ka + 4 * i, Kb + 4 * j);
    i += ci <= cj;
    j += cj <= ci;
  }
}

// Fill the groups from J and solve them; then all their products.
SN_KERNEL bool row_products(const snProblem* p, int n, const int* row, const mjtNum* root,
                            mjtNum* A) {
  SN_ASSERT(n % 4 == 0);
  const snSlots slots = {p, row, root};
  int ngroup = n / 4, nv = p->nv, *col, *stamp, *place;
  size_t most = (size_t)ngroup * (size_t)nv;
  snSlotGroup* group;
  mjtNum *K, *root_dinv;
  frame_open(p->memory);
  if (!FRAME(p->memory, SN_ARRAY(K, 4 * most), SN_ARRAY(root_dinv, nv), SN_ARRAY(group, ngroup),
             SN_ARRAY(col, most), SN_ARRAY(stamp, nv), SN_ARRAY(place, nv))) {
    frame_close(p->memory);
    return false;
  }
  for (int i = 0; i < nv; i++) {
    stamp[i] = -1;
    root_dinv[i] = sqrt(p->LDinv[i]);
  }
  for (int g = 0, b = 0, next = 0; g < ngroup; g++) {
    snSlotGroup* to = group + g;
    int before = b, first = row[4 * g];
    while (first >= p->block[b].row + p->block[b].nrow) b++;
    if (g > 0 && b == before && p->block[b].nrow > 1) {
      *to = (snSlotGroup){to[-1].ncol, to[-1].col, K};
    } else {
      *to = (snSlotGroup){0, col + next, K};
      for (int l = 0, last = -1; l < 4; l++) {
        int r = row[4 * g + l];
        if (r < 0) continue;
        while (r >= p->block[b].row + p->block[b].nrow) b++;
        if (b == last) continue;
        SN_ASSERT(r >= p->block[b].row);  // slots are in the order of rows
        to->ncol = group_columns(p, p->block + b, stamp, g, to->col, to->ncol);
        last = b;
      }
      for (int i = 0; i < to->ncol; i++) place[to->col[i]] = i;
      for (int i = 1; i < to->ncol; i++) SN_ASSERT(to->col[i] > to->col[i - 1]);
      next += to->ncol;
    }
    for (int i = 0; i < to->ncol; i++) sn4_store(K + 4 * i, sn4_set1(0));
    if (p->block[b].nrow > 1) {
      group_rows(&slots, g, p->block + b, place, K);
    } else {
      for (int l = 0; l < 4; l++) group_single(&slots, 4 * g + l, p->block + b, place, K + l);
    }
    group_solve(p, to, place, root_dinv);
    K += 4 * to->ncol;
  }
  for (int g = 0; g < ngroup; g++) {
    for (int h = 0; h <= g; h++) {
      sn4 tile[4];
      group_product(group + g, group + h, tile);
      for (int r = 0; r < 4; r++) sn4_store(A + (size_t)(4 * g + r) * (size_t)n + 4 * h, tile[r]);
      if (h == g) continue;
      sn4_transpose(&tile[0], &tile[1], &tile[2], &tile[3]);
      for (int r = 0; r < 4; r++) sn4_store(A + (size_t)(4 * h + r) * (size_t)n + 4 * g, tile[r]);
    }
  }
  frame_close(p->memory);
  return true;
}
