// mj_island: trees joined by constraint rows, and copies of dofs and rows sorted by island.
//
// Two trees are in one island when a row has entries in both, directly or through other trees;
// union-find over the trees finds them. Islands share no entry of M and no row of J, so each is a
// problem of its own. Islands are numbered by their first tree. Within an island dofs and rows keep
// their order; dofs without constraints come last, outside of all islands.
#include <string.h>

#include "base/union_find.h"
#include "constrain/constrain.h"
#include "data/frame.h"

typedef struct snColumns_ {
  const mjModel* m;
  const mjData* d;
  bool sparse;
} snColumns;

// Contacts, connects and welds join the trees of their two bodies even where a row happens to be
// zero. Other rows join the trees of their nonzero entries: NULL.
static const int* known_trees(const snColumns* c, int i, int tree[2]) {
  const mjModel* m = c->m;
  int type = c->d->efc_type[i], id = c->d->efc_id[i];
  if (type == mjCNSTR_EQUALITY && (m->eq_type[id] == mjEQ_CONNECT || m->eq_type[id] == mjEQ_WELD)) {
    const int obj[2] = {m->eq_obj1id[id], m->eq_obj2id[id]};
    bool sites = m->eq_objtype[id] == mjOBJ_SITE;
    for (int k = 0; k < 2; k++) tree[k] = m->body_treeid[sites ? m->site_bodyid[obj[k]] : obj[k]];
    return tree;
  }
  if (type < mjCNSTR_CONTACT_FRICTIONLESS) return NULL;
  const mjContact* con = c->d->contact + id;
  if (con->geom[0] < 0 || con->geom[1] < 0) return NULL;
  for (int k = 0; k < 2; k++) tree[k] = m->body_treeid[m->geom_bodyid[con->geom[k]]];
  return tree;
}

// Joins trees with each other and with `first` (-1: none yet); negative ones are none. Returns the
// root, or -1.
static int join(int* up, int first, int tree) {
  if (tree < 0) return first;
  int t = union_root(up, tree);
  return first < 0 || t == first ? t : union_join(up, t, first);
}

// The trees of the entries of row i. Those of a sparse row are followed even where its trees are
// known: a program may have written another column or another geom of the contact, and every
// column has a place in the island of its row.
static int join_row(const snColumns* c, int i, const int* known, int* up, int first) {
  if (c->sparse) {
    const int *col = c->d->efc_J_colind + c->d->efc_J_rowadr[i], *tree = c->m->dof_treeid;
    for (int k = 0, n = c->d->efc_J_rownnz[i]; k < n; k++) {
      if (!k || tree[col[k]] != tree[col[k - 1]]) first = join(up, first, tree[col[k]]);
    }
  } else if (!known) {
    const mjtNum* J = c->d->efc_J + (size_t)i * c->m->nv;
    for (int k = 0; k < c->m->nv; k++) {
      if (J[k] != 0) first = join(up, first, c->m->dof_treeid[k]);
    }
  }
  return first;
}

// Join the trees of each row; efc_island gets the root at that time, or -1.
static void join_trees(const snColumns* c, int* up, int* efc_island) {
  for (int i = 0; i < c->d->nefc; i++) {
    int first = -1, pair[2];
    const int* known = known_trees(c, i, pair);
    for (int k = 0; known && k < 2; k++) first = join(up, first, known[k]);
    efc_island[i] = join_row(c, i, known, up, first);
  }
}

// The island of each tree (-1: none) and of each row. Returns the number of islands; 0 when out of
// memory.
static int find_islands(const snColumns* c, int* tree_island, int* efc_island) {
  mjData* d = (mjData*)c->d;
  int ntree = c->m->ntree, n = 0, *up, *used;
  mj_markStack(d);
  if (!FRAME(memory_of(d), SN_ARRAY(up, ntree), SN_ARRAY(used, ntree))) {
    mj_freeStack(d);
    memset(efc_island, 0, sizeof(int) * (size_t)d->nefc);
    return 0;
  }
  union_start(up, ntree);
  memset(used, 0, sizeof(int) * (size_t)ntree);
  join_trees(c, up, efc_island);
  for (int i = 0; i < d->nefc; i++) {
    if (efc_island[i] >= 0) used[union_root(up, efc_island[i])] = 1;
  }
  for (int t = 0; t < ntree; t++) {
    int root = union_root(up, t);
    tree_island[t] = root < t ? tree_island[root] : used[t] ? n++ : -1;
  }
  for (int i = 0; i < d->nefc; i++) {
    efc_island[i] = efc_island[i] < 0 ? 0 : tree_island[union_root(up, efc_island[i])];
  }
  mj_freeStack(d);
  return n;
}

int constrain_islands(const mjModel* m, mjData* d, int* efc_island) {
  snColumns c = {m, d, mj_isSparse(m)};
  int *tree_island, n = 0;
  mj_markStack(d);
  if (FRAME(memory_of(d), SN_ARRAY(tree_island, m->ntree))) {
    n = find_islands(&c, tree_island, efc_island);
  } else {
    memset(efc_island, 0, sizeof(int) * (size_t)d->nefc);
  }
  mj_freeStack(d);
  return n;
}

// Stable counting sort of 0..n-1 by key, negative keys last: the permutation, its inverse, and
// count and start of each island.
static void sort_by_island(const int* key, int n, int nisland, int* count, int* start, int* to,
                           int* from) {
  memset(count, 0, sizeof(int) * (size_t)nisland);
  int inside = 0;
  for (int i = 0; i < n; i++) {
    if (key[i] >= 0) {
      count[key[i]]++;
      inside++;
    }
  }
  for (int k = 0, sum = 0; k < nisland; k++) {
    start[k] = sum;
    sum += count[k];
    count[k] = 0;
  }
  for (int i = 0; i < n; i++) {
    to[i] = key[i] >= 0 ? start[key[i]] + count[key[i]]++ : inside++;
    SN_ASSERT(to[i] < n);
    from[to[i]] = i;
  }
}

static bool allocate(const mjModel* m, mjData* d, int nisland) {
  int n = d->nefc, nv = m->nv, nJ = d->nJ, nC = m->nC;
  const snArray array[] = {
      SN_ARRAY(d->iM, nC),
      SN_ARRAY(d->iLD, nC),
      SN_ARRAY(d->ifrc_smooth, nv),
      SN_ARRAY(d->iacc_smooth, nv),
      SN_ARRAY(d->iLDiagInv, nv),
      SN_ARRAY(d->iacc, nv),
      SN_ARRAY(d->ifrc_constraint, nv),
      SN_ARRAY(d->iefc_J, nJ),
      SN_ARRAY(d->iefc_JT, nJ),
      SN_ARRAY(d->iefc_frictionloss, n),
      SN_ARRAY(d->iefc_D, n),
      SN_ARRAY(d->iefc_R, n),
      SN_ARRAY(d->iefc_aref, n),
      SN_ARRAY(d->iefc_force, n),
      SN_ARRAY(d->dof_island, nv),
      SN_ARRAY(d->map_dof2idof, nv),
      SN_ARRAY(d->map_idof2dof, nv),
      SN_ARRAY(d->island_nv, nisland),
      SN_ARRAY(d->island_idofadr, nisland),
      SN_ARRAY(d->island_dofadr, nisland),
      SN_ARRAY(d->island_ne, nisland),
      SN_ARRAY(d->island_nf, nisland),
      SN_ARRAY(d->island_nefc, nisland),
      SN_ARRAY(d->island_iefcadr, nisland),
      SN_ARRAY(d->iM_rownnz, nv),
      SN_ARRAY(d->iM_rowadr, nv),
      SN_ARRAY(d->iefc_JT_rownnz, nv),
      SN_ARRAY(d->iefc_JT_rowadr, nv),
      SN_ARRAY(d->iefc_JT_rowsuper, nv),
      SN_ARRAY(d->iM_colind, nC),
      SN_ARRAY(d->efc_island, n),
      SN_ARRAY(d->map_efc2iefc, n),
      SN_ARRAY(d->map_iefc2efc, n),
      SN_ARRAY(d->iefc_type, n),
      SN_ARRAY(d->iefc_id, n),
      SN_ARRAY(d->iefc_J_rownnz, n),
      SN_ARRAY(d->iefc_J_rowadr, n),
      SN_ARRAY(d->iefc_J_rowsuper, n),
      SN_ARRAY(d->iefc_state, n),
      SN_ARRAY(d->iefc_J_colind, nJ),
      SN_ARRAY(d->iefc_JT_colind, nJ),
  };
  enum { COUNT = sizeof array / sizeof *array };
  void* block = arena_reserve(d, array, COUNT);
  if (block) memset(block, 0, layout_size(array, COUNT));
  return block;
}

static void sort_inertia(const snPattern* pattern, mjData* d) {
  int total = 0;
  for (int i = 0; i < d->nidof; i++) {
    int dof = d->map_idof2dof[i], adr = pattern->M_rowadr[dof], n = pattern->M_rownnz[dof];
    int base = d->island_idofadr[d->dof_island[dof]];
    d->iM_rownnz[i] = n;
    d->iM_rowadr[i] = total;
    SN_ASSERT(i >= base && total + n <= d->nidof * d->nidof);
    for (int k = 0; k < n; k++) {
      d->iM_colind[total + k] = d->map_dof2idof[pattern->M_colind[adr + k]] - base;
      d->iM[total + k] = d->M[adr + k];
      d->iLD[total + k] = d->qLD[adr + k];
    }
    d->iLDiagInv[i] = d->qLDiagInv[dof];
    total += n;
  }
}

// Rows in island order; columns are relative to the island's first dof. In dense form the block of
// an island begins where its first row would in a matrix of nidof columns.
static void sort_rows(const mjModel* m, mjData* d, bool sparse) {
  int at = 0;
  for (int i = 0; i < d->nefc; i++) {
    int row = d->map_iefc2efc[i], island = d->efc_island[row];
    int base = d->island_idofadr[island];
    d->iefc_type[i] = d->efc_type[row];
    d->iefc_id[i] = d->efc_id[row];
    d->iefc_frictionloss[i] = d->efc_frictionloss[row];
    d->iefc_D[i] = d->efc_D[row];
    d->iefc_R[i] = d->efc_R[row];
    if (sparse) {
      int adr = d->efc_J_rowadr[row], n = d->efc_J_rownnz[row];
      d->iefc_J_rownnz[i] = n;
      d->iefc_J_rowadr[i] = at;
      d->iefc_J_rowsuper[i] = d->efc_J_rowsuper[row];
      for (int k = 0; k < n; k++) {
        d->iefc_J[at] = d->efc_J[adr + k];
        d->iefc_J_colind[at++] = d->map_dof2idof[d->efc_J_colind[adr + k]] - base;
        SN_ASSERT(d->iefc_J_colind[at - 1] >= 0 && d->iefc_J_colind[at - 1] < d->island_nv[island]);
      }
    } else {
      const int* dof = d->map_idof2dof + base;
      size_t first = (size_t)d->island_iefcadr[island], nv = (size_t)d->island_nv[island];
      mjtNum* J = d->iefc_J + first * (size_t)d->nidof + ((size_t)i - first) * nv;
      for (size_t k = 0; k < nv; k++) J[k] = d->efc_J[(size_t)row * m->nv + dof[k]];
    }
  }
}

static void transpose_islands(mjData* d, int nisland) {
  int sum = 0;
  for (int k = 0; k < nisland; k++) {
    int row = d->island_iefcadr[k], dof = d->island_idofadr[k], n = d->island_nefc[k];
    int *nnz = d->iefc_JT_rownnz + dof, *adr = d->iefc_JT_rowadr + dof;
    for (int i = row; i < row + n; i++) {
      for (int c = d->iefc_J_rowadr[i]; c < d->iefc_J_rowadr[i] + d->iefc_J_rownnz[i]; c++) {
        nnz[d->iefc_J_colind[c]]++;
      }
    }
    for (int c = 0; c < d->island_nv[k]; c++) {
      adr[c] = sum;
      sum += nnz[c];
      nnz[c] = 0;
    }
    for (int i = row; i < row + n; i++) {
      for (int c = d->iefc_J_rowadr[i]; c < d->iefc_J_rowadr[i] + d->iefc_J_rownnz[i]; c++) {
        int j = d->iefc_J_colind[c], at = adr[j] + nnz[j]++;
        SN_ASSERT(at < sum);
        d->iefc_JT[at] = d->iefc_J[c];
        d->iefc_JT_colind[at] = i - row;
      }
    }
    constrain_super(d->island_nv[k], nnz, adr, d->iefc_JT_colind, d->iefc_JT_rowsuper + dof);
    constrain_super(n, d->iefc_J_rownnz + row, d->iefc_J_rowadr + row, d->iefc_J_colind,
                    d->iefc_J_rowsuper + row);
  }
}

void mj_island(const mjModel* m, mjData* d) {
  d->nisland = d->nidof = 0;
  if (!d->nefc) return;
  snColumns c = {m, d, mj_isSparse(m)};
  mj_markStack(d);
  int *tree_island, *efc_island, nisland = 0;
  if (FRAME(memory_of(d), SN_ARRAY(tree_island, m->ntree), SN_ARRAY(efc_island, d->nefc))) {
    nisland = find_islands(&c, tree_island, efc_island);
  }
  if (!nisland || !allocate(m, d, nisland)) {
    mj_freeStack(d);
    return;
  }
  d->nisland = nisland;
  memcpy(d->efc_island, efc_island, sizeof(int) * (size_t)d->nefc);
  for (int i = 0; i < m->nv; i++) {
    d->dof_island[i] = tree_island[m->dof_treeid[i]];
    d->nidof += d->dof_island[i] >= 0;
  }
  sort_by_island(d->dof_island, m->nv, nisland, d->island_nv, d->island_idofadr, d->map_dof2idof,
                 d->map_idof2dof);
  sort_by_island(d->efc_island, d->nefc, nisland, d->island_nefc, d->island_iefcadr,
                 d->map_efc2iefc, d->map_iefc2efc);
  for (int k = 0; k < nisland; k++) {
    d->island_dofadr[k] = d->map_idof2dof[d->island_idofadr[k]];
    for (int i = d->island_iefcadr[k]; i < d->island_iefcadr[k] + d->island_nefc[k]; i++) {
      int row = d->map_iefc2efc[i];
      d->island_ne[k] += row < d->ne;
      d->island_nf[k] += row >= d->ne && row < d->ne + d->nf;
    }
  }
  SN_ASSERT(d->island_idofadr[nisland - 1] + d->island_nv[nisland - 1] == d->nidof);
  sort_inertia(model_pattern(m), d);
  sort_rows(m, d, c.sparse);
  if (c.sparse) transpose_islands(d, nisland);
  mj_freeStack(d);
}
