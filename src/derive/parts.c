// Parts: which dofs and inputs meet in tau and H.
//
// Inertia, bias and loads couple the dofs of a tree. Trees are joined by what reaches from one to
// another: contacts, equalities, tendons, transmissions. What is joined is a part, found by union
// over trees; blocks of different parts are zero, and none of them is made or solved.
#include "derive/private.h"

// The first tree of the set of a tree; paths are halved on the way.
static int tree_find(int* parent, int k) {
  while (parent[k] != k) k = parent[k] = parent[parent[k]];
  return k;
}

// Joins the tree of a body to `with`, or begins with it where with < 0. Returns the joined tree;
// bodies fixed to the world have none.
static int body_join(const mjModel* m, int* parent, int body, int with) {
  int tree = m->body_treeid[body];
  if (tree < 0) return with;
  tree = tree_find(parent, tree);
  if (with < 0) return tree;
  with = tree_find(parent, with);
  int low = tree < with ? tree : with;
  parent[tree] = parent[with] = low;
  return low;
}

static int tendon_join(const mjModel* m, int* parent, int tendon, int with) {
  for (int w = m->tendon_adr[tendon], end = w + m->tendon_num[tendon]; w < end; w++) {
    int id = m->wrap_objid[w];
    if (m->wrap_type[w] == mjWRAP_JOINT)
      with = body_join(m, parent, m->jnt_bodyid[id], with);
    else if (m->wrap_type[w] == mjWRAP_SITE)
      with = body_join(m, parent, m->site_bodyid[id], with);
    else if (m->wrap_type[w] != mjWRAP_PULLEY)
      with = body_join(m, parent, m->geom_bodyid[id], with);
  }
  return with;
}

static void equality_join(const mjModel* m, int* parent, int eq) {
  int obj[2] = {m->eq_obj1id[eq], m->eq_obj2id[eq]}, with = -1;
  for (int k = 0; k < 2; k++) {
    if (obj[k] < 0) continue;
    if (m->eq_type[eq] == mjEQ_TENDON)
      with = tendon_join(m, parent, obj[k], with);
    else if (m->eq_type[eq] == mjEQ_JOINT)
      with = body_join(m, parent, m->jnt_bodyid[obj[k]], with);
    else if (m->eq_objtype[eq] == mjOBJ_SITE)
      with = body_join(m, parent, m->site_bodyid[obj[k]], with);
    else
      with = body_join(m, parent, obj[k], with);
  }
}

// Everything but equalities that are switched off. Returns false when transmissions are
// differenced, which is done for all dofs at once.
static bool trees_join(const mjModel* m, const mjData* d, int* parent) {
  for (int k = 0; k < m->ntree; k++) parent[k] = k;
  for (int i = 0; i < m->ntendon; i++) tendon_join(m, parent, i, -1);
  for (int i = 0; i < m->neq; i++) {
    if (d->eq_active[i]) equality_join(m, parent, i);
  }
  for (int i = 0; i < d->ncon; i++) {
    const int* geom = d->contact[i].geom;
    int with = body_join(m, parent, m->geom_bodyid[geom[0]], -1);
    body_join(m, parent, m->geom_bodyid[geom[1]], with);
  }
  for (int a = 0; a < m->nu; a++) {
    if (actuator_differenced(m, a)) return false;
    int with = -1;
    for (int e = d->moment_rowadr[a], end = e + d->moment_rownnz[a]; e < end; e++) {
      with = body_join(m, parent, m->dof_bodyid[d->moment_colind[e]], with);
    }
  }
  return true;
}

// The part of an actuator, -1 when it moves nothing.
static int actuator_part(const mjData* d, int a, const int* part_of) {
  return d->moment_rownnz[a] ? part_of[d->moment_colind[d->moment_rowadr[a]]] : -1;
}

static void parts_number(snTangent* t) {
  const mjModel* m = t->m;
  snBlocks* p = &t->parts;
  int nv = t->nv, na = t->na, nin = na + t->nu;
  memset(p->adr, 0, (size_t)(p->n + 1) * sizeof(int));
  memset(p->in_adr, 0, (size_t)(p->n + 1) * sizeof(int));
  for (int i = 0; i < nin; i++) p->input[i] = p->n == 1 ? 0 : -1;
  for (int a = 0; a < m->nu && p->n > 1; a++) {
    int part = actuator_part(t->d, a, p->of), adr = m->actuator_actadr[a];
    p->input[na + a] = part;
    for (int k = 0; adr >= 0 && k < m->actuator_actnum[a]; k++) p->input[adr + k] = part;
  }
  for (int i = 0; i < nv; i++) p->adr[1 + p->of[i]]++;
  for (int i = 0; i < nin; i++) {
    if (p->input[i] >= 0) p->in_adr[1 + p->input[i]]++;
  }
  for (int k = 0; k < p->n; k++) p->adr[k + 1] += p->adr[k], p->in_adr[k + 1] += p->in_adr[k];
  // places in ascending order; stride counts those taken
  for (int k = 0; k < p->n; k++) p->stride[k] = p->hstride[k] = 0;
  for (int i = 0; i < nv; i++) {
    int k = p->of[i];
    p->q[i] = p->stride[k]++;
    p->v[i] = p->q[i] + part_size(p, k);
    p->dof[p->adr[k] + p->q[i]] = i;
  }
  for (int i = 0; i < nin; i++) {
    int k = p->input[i];
    if (k < 0) continue;
    int at = p->hstride[k]++;
    p->in[p->in_adr[k] + at] = i;
    p->input[i] = 2 * part_size(p, k) + at;
  }
  p->size = p->hsize = 0;
  for (int k = 0; k < p->n; k++) {
    int n = part_size(p, k);
    SN_ASSERT(p->stride[k] == n && p->hstride[k] == p->in_adr[k + 1] - p->in_adr[k]);
    p->stride[k] = (2 * n + p->hstride[k] + 3) & ~3;
    p->hstride[k] = (n + 3) & ~3;
    for (int i = 0; i < n; i++) {
      int dof = p->dof[p->adr[k] + i];
      p->row[dof] = p->size + (size_t)i * (size_t)p->stride[k];
      p->hrow[dof] = p->hsize + (size_t)i * (size_t)p->hstride[k];
    }
    p->size += (size_t)n * (size_t)p->stride[k];
    p->hsize += (size_t)n * (size_t)p->hstride[k];
  }
}

bool parts_make(snTangent* t, bool blocks) {
  const mjModel* m = t->m;
  snBlocks* p = &t->parts;
  size_t nv = (size_t)t->nv, nin = (size_t)t->na + (size_t)t->nu;
  int *parent, *number;
  size_t trees = blocks && m->ntree > 1 ? (size_t)m->ntree : 1;
  if (!FRAME(memory_of(t->d), SN_ARRAY(p->adr, trees + 1), SN_ARRAY(p->dof, nv),
             SN_ARRAY(p->in_adr, trees + 1), SN_ARRAY(p->in, nin), SN_ARRAY(p->stride, trees),
             SN_ARRAY(p->hstride, trees), SN_ARRAY(p->row, nv), SN_ARRAY(p->hrow, nv),
             SN_ARRAY(p->q, nv), SN_ARRAY(p->v, nv), SN_ARRAY(p->input, nin), SN_ARRAY(p->of, nv),
             SN_ARRAY(parent, trees), SN_ARRAY(number, trees))) {
    return false;
  }
  p->n = 1;
  memset(p->of, 0, nv * sizeof(int));
  if (trees > 1 && trees_join(m, t->d, parent)) {
    p->n = 0;
    for (int k = 0; k < m->ntree; k++) {
      int first = tree_find(parent, k);
      SN_ASSERT(first <= k);  // the first tree of a set stands for it
      number[k] = first == k ? p->n++ : number[first];
    }
    for (size_t i = 0; i < nv; i++) p->of[i] = number[m->dof_treeid[i]];
  }
  parts_number(t);
  return true;
}

void parts_spill(const snTangent* t, int part, const double* row, double* x, double* u) {
  const snBlocks* p = &t->parts;
  int nv = t->nv, na = t->na, nu = t->nu, nx = 2 * nv + na;
  SN_ASSERT(p->n > 1);  // one part has them side by side (row_spill)
  const int *dof = p->dof + p->adr[part], *in = p->in + p->in_adr[part];
  int n = part_size(p, part), nin = p->in_adr[part + 1] - p->in_adr[part];
  if (x) memset(x, 0, (size_t)nx * sizeof(double));
  if (u) memset(u, 0, (size_t)nu * sizeof(double));
  for (int k = 0; x && k < n; k++) {
    x[dof[k]] = row[k];
    x[nv + dof[k]] = row[n + k];
  }
  for (int k = 0; k < nin; k++) {
    if (in[k] < na && x) x[2 * nv + in[k]] = row[2 * n + k];
    if (in[k] >= na && u) u[in[k] - na] = row[2 * n + k];
  }
}

void parts_gather(const snTangent* t, int part, const double* x, const double* u, double* row) {
  const snBlocks* p = &t->parts;
  const int *dof = p->dof + p->adr[part], *in = p->in + p->in_adr[part];
  int n = part_size(p, part), nin = p->in_adr[part + 1] - p->in_adr[part];
  SN_ASSERT(2 * n + nin <= p->stride[part]);
  for (int k = 0; k < n; k++) row[k] = x[dof[k]], row[n + k] = x[t->nv + dof[k]];
  for (int k = 0; k < nin; k++) {
    bool act = in[k] < t->na;
    row[2 * n + k] = act ? x[2 * t->nv + in[k]] : u ? u[in[k] - t->na] : 0;
  }
  for (int k = 2 * n + nin; k < p->stride[part]; k++) row[k] = 0;
}

void parts_scatter(const snTangent* t, int part, const double* row, double* x, double* u) {
  const snBlocks* p = &t->parts;
  const int *dof = p->dof + p->adr[part], *in = p->in + p->in_adr[part];
  int n = part_size(p, part), nin = p->in_adr[part + 1] - p->in_adr[part];
  for (int k = 0; k < n; k++) x[dof[k]] += row[k], x[t->nv + dof[k]] += row[n + k];
  for (int k = 0; k < nin; k++) {
    if (in[k] < t->na) x[2 * t->nv + in[k]] += row[2 * n + k];
    if (in[k] >= t->na && u) u[in[k] - t->na] += row[2 * n + k];
  }
}
