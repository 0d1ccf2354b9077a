// The parts of a system: trees that rows join, directly or through others. Found by joining the
// trees of every unit of rows; then dofs and units are sorted by part.
#include <string.h>

#include "solve/order.h"
#include "solve/units.h"

static int find_root(int* up, int t) {
  while (up[t] != t) t = up[t] = up[up[t]];
  return t;
}

int parts_find(const mjModel* m, mjData* d, snUnits* u, int* tree_part) {
  if (m->ntree == 1) {
    tree_part[0] = 0;
    return 1;
  }
  mj_markStack(d);
  int* up = mj_stackAllocInt(d, 2 * (size_t)m->ntree);
  int* used = up + m->ntree;
  if (!up) {
    mj_freeStack(d);
    return -1;
  }
  for (int t = 0; t < m->ntree; t++) {
    up[t] = t;
    used[t] = 0;
    tree_part[t] = -1;
  }
  for (int k = 0; k < u->n; k++) {
    int root = -1, last = -1;
    for (int c = u->first[k]; c < u->first[k + 1]; c++) {
      int t = m->dof_treeid[u->col[c]];
      if (t == last) continue;
      last = t;
      t = find_root(up, t);
      used[t] = 1;
      if (root < 0) root = t;
      if (t != root) {
        // the smaller index stays the root
        int low = t < root ? t : root, high = t < root ? root : t;
        up[high] = low;
        used[low] = 1;
        root = low;
      }
    }
  }
  int n = 0;
  for (int t = 0; t < m->ntree; t++) {
    int root = find_root(up, t);
    if (root == t) {
      if (used[t]) tree_part[t] = n++;
    } else {
      tree_part[t] = tree_part[root];
    }
  }
  for (int k = 0; k < u->n; k++) {
    // a unit without columns constrains nothing; it goes with the first part
    u->part[k] = u->first[k] < u->first[k + 1] ? tree_part[m->dof_treeid[u->col[u->first[k]]]] : 0;
  }
  mj_freeStack(d);
  return n;
}

// Counting sort of 0..n-1 by key; keys below 0 are left out.
static void sort_by(const int* key, int n, int nkeys, int* first, int* list) {
  memset(first, 0, sizeof(int) * ((size_t)nkeys + 1));
  for (int i = 0; i < n; i++) {
    if (key[i] >= 0) first[key[i] + 1]++;
  }
  for (int k = 0; k < nkeys; k++) first[k + 1] += first[k];
  for (int i = 0; i < n; i++) {
    if (key[i] >= 0) list[first[key[i]]++] = i;
  }
  for (int k = nkeys; k > 0; k--) first[k] = first[k - 1];
  first[0] = 0;
}

// The columns of a unit in the order of the part.
static void sort_columns(const snUnits* u, const int* place) {
  for (int k = 0; k < u->n; k++) {
    int *col = u->col + u->first[k], n = u->first[k + 1] - u->first[k];
    for (int i = 1; i < n; i++) {
      int c = col[i], at = i;
      for (; at > 0 && place[col[at - 1]] > place[c]; at--) col[at] = col[at - 1];
      col[at] = c;
    }
  }
}

bool parts_sort(const mjModel* m, mjData* d, const snUnits* u, const int* tree_part, int nparts,
                snSorted* s, bool* changed) {
  int nv = m->nv, ntree = m->ntree;
  int* at = mj_stackAllocInt(
      d, 3 * ((size_t)nparts + 1) + 2 * (size_t)nv + (size_t)u->n + 2 * (size_t)ntree + 1);
  if (!at) return false;
  s->dof_first = at, at += nparts + 1;
  s->unit_first = at, at += nparts + 1;
  s->dof = at, at += nv;
  s->unit = at, at += u->n;
  int *first = at, *tree = first + nparts + 1, *dof = tree + ntree, *place = dof + ntree + 1;
  *changed = false;
  sort_by(u->part, u->n, nparts, s->unit_first, s->unit);
  sort_by(tree_part, ntree, nparts, first, tree);
  if (m->opt.solver == mjSOL_NEWTON &&
      !order_trees(m, d, u, s->unit_first, s->unit, nparts, first, tree, changed)) {
    return false;
  }
  // dofs of a tree stand together
  memset(dof, 0, sizeof(int) * ((size_t)ntree + 1));
  for (int i = 0; i < nv; i++) dof[m->dof_treeid[i] + 1]++;
  for (int t = 0; t < ntree; t++) dof[t + 1] += dof[t];
  int n = 0;
  for (int p = 0; p < nparts; p++) {
    s->dof_first[p] = n;
    for (int k = first[p]; k < first[p + 1]; k++) {
      for (int i = dof[tree[k]]; i < dof[tree[k] + 1]; i++) s->dof[n++] = i;
    }
  }
  s->dof_first[nparts] = n;
  if (*changed) {
    for (int i = 0; i < n; i++) place[s->dof[i]] = i;
    sort_columns(u, place);
  }
  return true;
}
