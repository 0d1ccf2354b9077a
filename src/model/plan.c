// The plan: structure of the kinematic forest as index lists, and the sparsity of B, M and D.
//
// Everything here follows from parents of bodies and dofs, types of joints and sensors, and meshes.
// It is derived in one pass each, bodies before their children, because dof_parentid and
// body_parentid always point backwards.
#include "base/assert.h"
#include "model/plan.h"

#include "model/plan_hull.h"

// M: lower triangle in CSR. The row of a dof holds its ancestors and itself, ascending; the row of
// a simple dof holds its diagonal alone.
static void pattern_M(const mjModel* m, int* rownnz, int* rowadr, int* colind) {
  int adr = 0;
  for (int i = 0; i < m->nv; i++) {
    int num = 1;
    if (!m->dof_simplenum[i]) {
      for (int j = m->dof_parentid[i]; j >= 0; j = m->dof_parentid[j]) num++;
    }
    SN_ASSERT(m->dof_parentid[i] < i);
    rownnz[i] = num;
    rowadr[i] = adr;
    int j = i;
    for (int k = num - 1; k >= 0; k--, j = m->dof_parentid[j]) colind[adr + k] = j;
    adr += num;
  }
  SN_ASSERT(adr == m->nC);
}

static snTree* tree_of(const mjModel* m) {
  int* pattern = memory_alloc((2 * (size_t)m->nv + m->nC) * sizeof(int));
  if (!pattern) return NULL;
  pattern_M(m, pattern, pattern + m->nv, pattern + 2 * m->nv);
  snTree* tree = tree_make(m->nv, pattern, pattern + m->nv, pattern + 2 * m->nv);
  memory_free(pattern);
  return tree;
}

// Finds the run of consecutive ancestors that ends at *dof: *dof becomes its first dof, *num its
// length. Returns the next ancestor above the run.
static int run_up(const mjModel* m, int* dof, int* num) {
  int i = *dof, next = m->dof_parentid[i];
  for (*num = 1; next == i - 1 && next >= 0; (*num)++) {
    i = next;
    next = m->dof_parentid[i];
  }
  *dof = i;
  return next;
}

// Runs of consecutive columns in each row of M; NULL without memory.
static snRange* runs_make(const mjModel* m, int* adr) {
  snRange* run = NULL;
  for (int pass = 0; pass < 2; pass++) {
    int count = 0;
    for (int i = 0; i < m->nv; i++) {
      adr[i] = count;
      if (m->dof_simplenum[i]) {
        if (run) run[count] = (snRange){i, 1};
        count++;
        continue;
      }
      int runs = 0;
      for (int k = i, num; k >= 0; runs++) {
        int first = k;
        k = run_up(m, &first, &num);
        if (run) run[count + runs] = (snRange){first, num};
      }
      for (int a = count, b = count + runs - 1; run && a < b; a++, b--) {
        snRange swapped = run[a];
        run[a] = run[b], run[b] = swapped;
      }
      count += runs;
    }
    SN_ASSERT(!pass || adr[m->nv] == count);  // what the first pass made room for
    adr[m->nv] = count;
    if (!run) run = memory_alloc((count + 1) * sizeof(snRange));
    if (!run) return NULL;
  }
  return run;
}

static void still_count(const mjModel* m, snPlan* plan) {
  static _Atomic uint64_t serial;
  int b = 1, g = 0, s = 0;
  while (b < m->nbody && !m->body_jntnum[b] && m->body_mocapid[b] < 0) b++;
  while (g < m->ngeom && m->geom_bodyid[g] < b) g++;
  while (s < m->nsite && m->site_bodyid[s] < b) s++;
  plan->still_body = b;
  plan->still_geom = g;
  plan->still_site = s;
  plan->serial = ++serial;
}

static int* sensor_lists(const mjModel* m, snPlan* plan, int* next) {
  for (int stage = 0; stage < 4; stage++) {
    plan->sensor[stage] = next;
    for (int i = 0; i < m->nsensor; i++) {
      if (m->sensor_needstage[i] != stage) continue;
      int type = m->sensor_type[i];
      if (type == mjSENS_USER)
        plan->sensor_user[stage] = true;
      else if (type != mjSENS_PLUGIN)
        *next++ = i;
    }
    plan->sensor_num[stage] = (int)(next - plan->sensor[stage]);
  }
  for (int i = 0; i < m->nsensor; i++) {
    switch (m->sensor_type[i]) {
      case mjSENS_SUBTREELINVEL:
      case mjSENS_SUBTREEANGMOM:
        plan->sensor_subtree = true;
        break;
      case mjSENS_ACCELEROMETER:
      case mjSENS_FORCE:
      case mjSENS_TORQUE:
      case mjSENS_FRAMELINACC:
      case mjSENS_FRAMEANGACC:
        plan->sensor_rne = true;
        break;
      case mjSENS_PLUGIN:
      case mjSENS_USER:  // their functions may read any result of the stage
        plan->sensor_subtree |= m->sensor_needstage[i] == mjSTAGE_VEL;
        plan->sensor_rne |= m->sensor_needstage[i] == mjSTAGE_ACC;
    }
  }
  return next;
}

// Does factoring M by panels, the sum of squared row lengths, cost more than articulated-body
// inertias?
enum {
  ARTICULATED_PER_ENTRY = 10,  // operations on each entry of M,
  ARTICULATED_PER_DOF = 1100,  // and on the 6x6 inertia of each dof
};
static bool is_deep(const mjModel* m, const snPlan* plan) {
  double panels = 0, inertias = 0;
  for (int i = 0; i < m->nv; i++) {
    double length = plan->dof_chainnum[i];
    if (m->dof_simplenum[i]) continue;
    panels += length * length;
    inertias += ARTICULATED_PER_ENTRY * length + ARTICULATED_PER_DOF;
  }
  return panels > inertias;
}

snPlan* plan_make(const mjModel* m) {
  // length of every chain; bodies come before their children
  int nchain = 0;
  for (int b = 0; b < m->nbody; b++) {
    int depth = 0;
    if (m->body_dofnum[b]) {
      for (int i = m->body_dofadr[b] + m->body_dofnum[b] - 1; i >= 0; i = m->dof_parentid[i]) {
        depth++;
      }
    }
    nchain += depth;
  }

  // one block: the struct, then the int arrays
  size_t ints = 2 * (size_t)m->nbody + 2 * (size_t)m->nv + 1 + m->njnt + nchain + m->nsensor;
  snPlan* plan = memory_alloc_zero(sizeof(snPlan) + ints * sizeof(int));
  if (!plan) return NULL;
  asked_scan(m, &plan->asked);
  int* next = (int*)(plan + 1);
  plan->chain_num = next, next += m->nbody;
  plan->chain_adr = next, next += m->nbody;
  plan->dof_chainnum = next, next += m->nv;
  for (int type = 0; type < 4; type++) {
    plan->joint[type] = next;
    for (int j = 0; j < m->njnt; j++) {
      if (m->jnt_type[j] == type) *next++ = j;
    }
    plan->joint_num[type] = (int)(next - plan->joint[type]);
  }
  SN_ASSERT(next == plan->joint[0] + m->njnt);  // each joint is in one of the four lists
  plan->chain = next, next += nchain;
  plan->nchain = nchain;
  int adr = 0;
  for (int b = 0; b < m->nbody; b++) {
    if (!m->body_dofnum[b]) {
      int parent = m->body_parentid[b];
      plan->chain_num[b] = b ? plan->chain_num[parent] : 0;
      plan->chain_adr[b] = b ? plan->chain_adr[parent] : 0;
      continue;
    }
    int last = m->body_dofadr[b] + m->body_dofnum[b] - 1;
    int num = 0;
    for (int i = last; i >= 0; i = m->dof_parentid[i]) num++;
    int k = num;
    for (int i = last; i >= 0; i = m->dof_parentid[i]) {
      plan->chain[adr + --k] = i;
      if (m->dof_bodyid[i] == b) plan->dof_chainnum[i] = k + 1;
    }
    for (k = 1; k < num; k++) SN_ASSERT(plan->chain[adr + k - 1] < plan->chain[adr + k]);
    plan->chain_num[b] = num;
    plan->chain_adr[b] = adr;
    adr += num;
  }
  SN_ASSERT(adr == nchain);

  still_count(m, plan);
  next = sensor_lists(m, plan, next);
  SN_ASSERT(next + m->nv + 1 <=
            (int*)(plan + 1) + ints);  // plugins and users' sensors have no entry
  plan->run_adr = next;
  plan->run = runs_make(m, plan->run_adr);
  plan->nhull = m->nmesh;
  plan->hull = hulls_make(m);
  plan->tree = tree_of(m);
  plan->deep = is_deep(m, plan);
  if (!plan->hull || !plan->tree || !plan->run) {
    plan_free(plan);
    return NULL;
  }
  return plan;
}

void plan_free(snPlan* plan) {
  if (plan) {
    hulls_free(plan->hull, plan->nhull);
    tree_free(plan->tree);
    memory_free(plan->run);
    memory_free(plan->watch);
  }
  memory_free(plan);
}

// B: the row of a body holds the dofs of its ancestors and of its subtree, ascending.
static void structure_B(const mjModel* m, mjData* d) {
  // Subtree: a dof is counted into each ancestor of its body. Contiguous subtrees are not assumed.
  int* num = d->B_rownnz;
  memset(num, 0, m->nbody * sizeof(int));
  for (int i = 0; i < m->nv; i++) {
    for (int b = m->dof_bodyid[i]; b > 0; b = m->body_parentid[b]) num[b]++;
    num[0]++;
  }
  // ancestors: dofs of proper ancestors
  for (int b = 1; b < m->nbody; b++) {
    for (int a = m->body_parentid[b]; a > 0; a = m->body_parentid[a]) num[b] += m->body_dofnum[a];
  }
  int adr = 0;
  for (int b = 0; b < m->nbody; b++) {
    d->B_rowadr[b] = adr;
    adr += num[b];
    num[b] = 0;
  }
  for (int b = 1; b < m->nbody; b++) {
    int count = 0;
    for (int a = m->body_parentid[b]; a > 0; a = m->body_parentid[a]) count += m->body_dofnum[a];
    num[b] = count;
    for (int a = m->body_parentid[b]; a > 0; a = m->body_parentid[a]) {
      for (int k = m->body_dofnum[a] - 1; k >= 0; k--) {
        d->B_colind[d->B_rowadr[b] + --count] = m->body_dofadr[a] + k;
      }
    }
  }
  for (int i = 0; i < m->nv; i++) {
    for (int b = m->dof_bodyid[i]; b > 0; b = m->body_parentid[b]) {
      d->B_colind[d->B_rowadr[b] + num[b]++] = i;
    }
    d->B_colind[d->B_rowadr[0] + num[0]++] = i;
  }
  SN_ASSERT(adr == m->nB);
  for (int b = 0; b < m->nbody; b++) {
    const int* col = d->B_colind + d->B_rowadr[b];
    for (int k = 1; k < num[b]; k++) SN_ASSERT(col[k - 1] < col[k]);
  }
}

// qM holds the rows of M from the diagonal upward along dof_parentid; M ascending in CSR.
static void structure_M(const mjModel* m, mjData* d) {
  pattern_M(m, d->M_rownnz, d->M_rowadr, d->M_colind);
  for (int i = 0; i < m->nv; i++) {
    int num = d->M_rownnz[i];
    for (int k = 0; k < num; k++) d->mapM2M[d->M_rowadr[i] + k] = m->dof_Madr[i] + num - 1 - k;
    SN_ASSERT(d->M_colind[d->M_rowadr[i] + num - 1] == i);
    SN_ASSERT(m->dof_Madr[i] + num <= (i + 1 < m->nv ? m->dof_Madr[i + 1] : m->nM));
  }
}

// D: the full square pattern of M. The row of a dof holds its ancestors, itself and its
// descendants, ascending. mapM2D and mapD2M translate between D and qM.
static void structure_D(const mjModel* m, mjData* d) {
  memset(d->D_rownnz, 0, m->nv * sizeof(int));
  for (int i = 0; i < m->nv; i++) {
    for (int j = i; j >= 0; j = m->dof_parentid[j]) {
      d->D_rownnz[i]++;
      if (j != i) d->D_rownnz[j]++;
    }
  }
  int adr = 0;
  for (int i = 0; i < m->nv; i++) {
    d->D_rowadr[i] = adr;
    adr += d->D_rownnz[i];
    d->D_rownnz[i] = 0;
  }
  // Row i gets its ancestors and itself when the loop reaches i, its descendants when it reaches
  // them.
  for (int i = 0; i < m->nv; i++) {
    int num = 0;
    for (int j = i; j >= 0; j = m->dof_parentid[j]) num++;
    d->D_rownnz[i] = num;
    d->D_diag[i] = num - 1;
    int k = num - 1;
    for (int j = i; j >= 0; j = m->dof_parentid[j], k--) {
      int at = d->D_rowadr[i] + k, qM = m->dof_Madr[i] + num - 1 - k;
      d->D_colind[at] = j;
      d->mapM2D[at] = qM;
      d->mapD2M[qM] = at;
      if (j != i) {
        at = d->D_rowadr[j] + d->D_rownnz[j]++;
        d->D_colind[at] = i;
        d->mapM2D[at] = qM;
      }
    }
  }
  SN_ASSERT(adr == m->nD);
  for (int i = 0; i < m->nv; i++) {
    const int *col = d->D_colind + d->D_rowadr[i], num = d->D_rownnz[i];
    SN_ASSERT(d->D_rowadr[i] + num == (i + 1 < m->nv ? d->D_rowadr[i + 1] : adr));
    SN_ASSERT(col[d->D_diag[i]] == i);
    for (int k = 1; k < num; k++) SN_ASSERT(col[k - 1] < col[k]);
  }
}

void plan_structure(const mjModel* m, mjData* d) {
  structure_B(m, d);
  if (!m->nv) return;
  structure_M(m, d);
  structure_D(m, d);
}
