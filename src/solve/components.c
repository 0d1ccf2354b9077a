// The parts of a system: trees that rows join, directly or through others. Found by joining the
// trees of every unit of rows; then dofs and units are sorted by part.
#include <string.h>

#include "base/union_find.h"
#include "solve/cuthill_mckee.h"
#include "solve/row_units.h"

int parts_find(const mjModel* m, mjData* d, snUnits* u, int* tree_part) {
  if (m->ntree == 1) {
    tree_part[0] = 0;
    return 1;
  }
  mj_markStack(d);
  int *up, *used;
  if (!FRAME(memory_of(d), SN_ARRAY(up, m->ntree), SN_ARRAY(used, m->ntree))) {
    mj_freeStack(d);
    return -1;
  }
  union_start(up, m->ntree);
  for (int t = 0; t < m->ntree; t++) {
    used[t] = 0;
    tree_part[t] = -1;
  }
  for (int k = 0; k < u->n; k++) {
    int root = -1, last = -1;
    for (int c = u->first[k]; c < u->first[k + 1]; c++) {
      int t = m->dof_treeid[u->col[c]];
      SN_ASSERT(t >= 0 && t < m->ntree);
      if (t == last) continue;
      last = t;
      t = union_root(up, t);
      used[t] = 1;
      if (root < 0) root = t;
      if (t != root) {
        root = union_join(up, t, root);
        used[root] = 1;
      }
    }
  }
  int n = 0;
  for (int t = 0; t < m->ntree; t++) {
    int root = union_root(up, t);
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
    SN_ASSERT(key[i] < nkeys);
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
  int *first, *tree, *dof, *place;
  if (!FRAME(memory_of(d), SN_ARRAY(s->dof_first, nparts + 1), SN_ARRAY(s->unit_first, nparts + 1),
             SN_ARRAY(s->dof, nv), SN_ARRAY(s->unit, u->n), SN_ARRAY(first, nparts + 1),
             SN_ARRAY(tree, ntree), SN_ARRAY(dof, ntree + 1), SN_ARRAY(place, nv))) {
    return false;
  }
  *changed = false;
  sort_by(u->part, u->n, nparts, s->unit_first, s->unit);
  sort_by(tree_part, ntree, nparts, first, tree);
  if (m->opt.solver == mjSOL_NEWTON &&
      !order_trees(m, d, u, s->unit_first, s->unit, nparts, first, tree, changed)) {
    return false;
  }
  // dofs of a tree are adjacent
  memset(dof, 0, sizeof(int) * ((size_t)ntree + 1));
  for (int i = 0; i < nv; i++) dof[m->dof_treeid[i] + 1]++;
  for (int t = 0; t < ntree; t++) dof[t + 1] += dof[t];
  for (int i = 0; i < nv; i++)
    SN_ASSERT(i >= dof[m->dof_treeid[i]] && i < dof[m->dof_treeid[i] + 1]);
  int n = 0;
  for (int p = 0; p < nparts; p++) {
    s->dof_first[p] = n;
    for (int k = first[p]; k < first[p + 1]; k++) {
      for (int i = dof[tree[k]]; i < dof[tree[k] + 1]; i++) s->dof[n++] = i;
    }
  }
  s->dof_first[nparts] = n;
  SN_ASSERT(n <= nv);
  if (*changed) {
    for (int i = 0; i < n; i++) place[s->dof[i]] = i;
    sort_columns(u, place);
  }
  return true;
}
