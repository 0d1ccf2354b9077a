// Joint-space inertia M by composite rigid bodies, its products, and its L'DL factorization.
#include "smooth/smooth.h"

// crb(b): inertia of the subtree of b as if it were rigid, about the com of the tree.
// M(i, j) = cdof_j . crb(body of i) cdof_i for j an ancestor of i or i itself; plus armature.
// Simple dofs have a constant diagonal row.
SN_KERNEL void mj_crb(const mjModel* m, mjData* d) {
  memcpy(d->crb, d->cinert, (size_t)m->nbody * 10 * sizeof(double));
  for (int b = m->nbody - 1; b > 0; b--) {
    int parent = m->body_parentid[b];
    if (!parent) continue;
    double* to = d->crb + 10 * parent;
    const double* from = d->crb + 10 * b;
    for (int k = 0; k < 10; k++) to[k] += from[k];
  }

  memset(d->qM, 0, (size_t)m->nM * sizeof(double));
  for (int i = 0; i < m->nv; i++) {
    double* row = d->qM + m->dof_Madr[i];
    if (m->dof_simplenum[i]) {
      row[0] = m->dof_M0[i];
      continue;
    }
    double momentum[6];
    inertia_mul(momentum, d->crb + 10 * m->dof_bodyid[i], d->cdof + 6 * i);
    *row++ = m->dof_armature[i] + vec6_dot(d->cdof + 6 * i, momentum);
    for (int j = m->dof_parentid[i]; j >= 0; j = m->dof_parentid[j]) {
      *row++ = vec6_dot(d->cdof + 6 * j, momentum);
    }
  }
}

// M += armature J'J for each tendon with armature, where the sparsity of M has the entry.
static void tendon_armature(const mjModel* m, mjData* d) {
  bool sparse = mj_isSparse(m);
  for (int t = 0; t < m->ntendon; t++) {
    double armature = m->tendon_armature[t];
    if (!armature) continue;
    mj_markStack(d);
    double* J = mj_stackAllocNum(d, m->nv);
    if (!J) {
      mj_freeStack(d);
      return;
    }
    if (sparse) {
      memset(J, 0, m->nv * sizeof(double));
      int adr = d->ten_J_rowadr[t];
      for (int k = 0; k < d->ten_J_rownnz[t]; k++) J[d->ten_J_colind[adr + k]] = d->ten_J[adr + k];
    } else {
      memcpy(J, d->ten_J + (size_t)t * m->nv, m->nv * sizeof(double));
    }
    for (int i = 0; i < m->nv; i++) {
      if (J[i] == 0) continue;
      double* row = d->qM + m->dof_Madr[i];
      for (int j = i; j >= 0; j = m->dof_parentid[j]) *row++ += armature * J[i] * J[j];
    }
    mj_freeStack(d);
  }
}

void inertia_gather(const mjModel* m, mjData* d) {
  for (int k = 0; k < m->nC; k++) d->M[k] = d->qM[d->mapM2M[k]];
}

void mj_makeM(const mjModel* m, mjData* d) {
  mj_crb(m, d);
  tendon_armature(m, d);
  inertia_gather(m, d);
}

// M = L'DL, L unit lower triangular with the pattern of M (algebra/tree.c).
void mj_factorM(const mjModel* m, mjData* d) {
  const snTree* tree = model_plan(m)->tree;
  mj_markStack(d);
  double* scratch = mj_stackAllocNum(d, tree_scratch(tree));
  int singular = scratch ? tree_factor(tree, d->qLD, d->qLDiagInv, d->M, scratch) : -1;
  mj_freeStack(d);
  if (singular >= 0) mj_warning(d, mjWARN_INERTIA, singular);
}

void inertia_factor(const mjModel* m, mjData* d, double* LD, double* diaginv) {
  const snTree* tree = model_plan(m)->tree;
  mj_markStack(d);
  double* scratch = mj_stackAllocNum(d, tree_scratch(tree));
  if (scratch) tree_factor(tree, LD, diaginv, LD, scratch);
  mj_freeStack(d);
}

void inertia_solve(const mjModel* m, mjData* d, const double* LD, const double* diaginv,
                   double* x) {
  const snTree* tree = model_plan(m)->tree;
  mj_markStack(d);
  double* scratch = mj_stackAllocNum(d, tree_scratch(tree));
  if (scratch) tree_solve(tree, x, x, LD, diaginv, 1, scratch);
  mj_freeStack(d);
}

void mj_solveM(const mjModel* m, mjData* d, mjtNum* x, const mjtNum* y, int n) {
  const snTree* tree = model_plan(m)->tree;
  mj_markStack(d);
  double* scratch = mj_stackAllocNum(d, tree_scratch(tree));
  if (scratch) tree_solve(tree, x, y, d->qLD, d->qLDiagInv, n, scratch);
  mj_freeStack(d);
}

void mj_solveM2(const mjModel* m, mjData* d, mjtNum* x, const mjtNum* y, const mjtNum* sqrtInvD,
                int n) {
  const snTree* tree = model_plan(m)->tree;
  mj_markStack(d);
  double* scratch = mj_stackAllocNum(d, tree_scratch(tree));
  if (scratch) tree_solve_half(tree, x, y, d->qLD, sqrtInvD, n, scratch);
  mj_freeStack(d);
}

void mj_fullM(const mjModel* m, mjtNum* dst, const mjtNum* M) {
  size_t nv = m->nv;
  memset(dst, 0, nv * nv * sizeof(double));
  for (int i = 0; i < m->nv; i++) {
    const double* row = M + m->dof_Madr[i];
    for (int j = i; j >= 0; j = m->dof_parentid[j], row++) {
      dst[i * nv + j] = *row;
      dst[j * nv + i] = *row;
    }
  }
}

// res = M vec from the lower triangle
SN_KERNEL static void mul_rows(double* res, const double* vec, const double* M, int nv,
                               const int* num, const int* adr, const int* col) {
  for (int i = 0; i < nv; i++) {
    const double* row = M + adr[i];
    const int* ancestor = col + adr[i];
    int n = num[i] - 1;
    double vi = vec[i], sum = row[n] * vi;
    for (int a = 0; a < n; a++) {
      sum += row[a] * vec[ancestor[a]];
      res[ancestor[a]] += row[a] * vi;
    }
    res[i] = sum;
  }
}

void mj_mulM(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec) {
  mul_rows(res, vec, d->M, m->nv, d->M_rownnz, d->M_rowadr, d->M_colind);
}

// res = sqrt(D) L vec, so that |res|^2 = vec' M vec
void mj_mulM2(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec) {
  for (int i = 0; i < m->nv; i++) {
    int adr = d->M_rowadr[i], n = d->M_rownnz[i] - 1;
    double sum = vec[i];
    for (int a = 0; a < n; a++) sum += d->qLD[adr + a] * vec[d->M_colind[adr + a]];
    res[i] = sum * sqrt(d->qLD[adr + n]);
  }
}

// Add M to a square matrix: dense when rownnz is NULL, otherwise rows whose pattern may miss
// entries, which are then inserted.
void mj_addM(const mjModel* m, mjData* d, mjtNum* dst, int* rownnz, int* rowadr, int* colind) {
  int nv = m->nv;
  if (!rownnz) {
    for (int i = 0; i < nv; i++) {
      int adr = d->M_rowadr[i], num = d->M_rownnz[i];
      for (int k = 0; k < num; k++) {
        int j = d->M_colind[adr + k];
        dst[(size_t)i * nv + j] += d->M[adr + k];
        if (j != i) dst[(size_t)j * nv + i] += d->M[adr + k];
      }
    }
    return;
  }

  // sparse: merge the row of M into the row of dst, both ascending
  mj_markStack(d);
  double* value = mj_stackAllocNum(d, nv);
  int* column = mj_stackAllocInt(d, nv);
  if (value && column) {
    for (int i = 0; i < nv; i++) {
      int a = d->M_rowadr[i], aend = a + d->M_rownnz[i];
      int b = rowadr[i], bend = b + rownnz[i], n = 0;
      while (a < aend || b < bend) {
        int ca = a < aend ? d->M_colind[a] : nv, cb = b < bend ? colind[b] : nv;
        column[n] = ca < cb ? ca : cb;
        value[n] = 0;
        if (ca <= cb) value[n] += d->M[a++];
        if (cb <= ca) value[n] += dst[b++];
        n++;
      }
      rownnz[i] = n;
      memcpy(colind + rowadr[i], column, n * sizeof(int));
      memcpy(dst + rowadr[i], value, n * sizeof(double));
    }
  }
  mj_freeStack(d);
}
