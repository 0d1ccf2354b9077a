// Joint-space inertia M by composite rigid bodies, its products, and its L'DL factorization.
#include "smooth/lanes6.h"
#include "smooth/smooth.h"

// crb(b): inertia of the subtree of b as if it were rigid, about the com of the tree.
// M(i, j) = cdof_j . crb(body of i) cdof_i for j an ancestor of i or i itself; plus armature.
// Simple dofs have a constant diagonal row.
// In scratch an inertia is three quadruples (numbers 0-3, 4-7, 6-9), 12 numbers per body.
SN_INLINE void composite_inertia(const mjModel* m, mjData* d, double* scratch) {
  const int* parent = m->body_parentid;
  const double* cinert = d->cinert;
  double* crb = d->crb;
  int nbody = m->nbody;
  for (int b = 0; b < nbody; b++) {
    for (int k = 0; k < 3; k++) {
      sn4_store(scratch + 12 * b + 4 * k, sn4_load(cinert + 10 * b + (k < 2 ? 4 * k : 6)));
    }
  }
  for (int b = nbody - 1; b >= 0; b--) {
    double *own = scratch + 12 * b, *to = scratch + 12 * parent[b];
    sn4 q0 = sn4_load(own), q1 = sn4_load(own + 4), q2 = sn4_load(own + 8);
    sn4_store(crb + 10 * b, q0);
    sn4_store(crb + 10 * b + 4, q1);
    sn4_store(crb + 10 * b + 6, q2);
    if (!parent[b]) continue;
    sn4_store(to, sn4_load(to) + q0);
    sn4_store(to + 4, sn4_load(to + 4) + q1);
    sn4_store(to + 8, sn4_load(to + 8) + q2);
  }
}

// Momentum of the subtree per unit velocity of each dof, crb cdof, four dofs at a time, 6 numbers
// per dof; and the motions cdof by columns, `stride` numbers for each of the six.
SN_INLINE void dof_momenta(const mjModel* m, const mjData* d, const double* crb, double* momentum,
                           double* motion, int stride) {
  const double* cdof = d->cdof;
  const int* body = m->dof_bodyid;
  int nv = m->nv;
  for (int i = 0; i < nv; i += 4) {
    int id[4];
    sn6 row[4];
    sn4 I[10], v[6], r[6];
    for (int k = 0; k < 4; k++) id[k] = i + k < nv ? i + k : i;
    four10_take(I, crb + 12 * body[id[0]], crb + 12 * body[id[1]], crb + 12 * body[id[2]],
                crb + 12 * body[id[3]]);
    for (int k = 0; k < 4; k++) row[k] = sn6_load(cdof + 6 * id[k]);
    four6_load(v, row);
    for (int k = 0; k < 6; k++) sn4_store(motion + k * stride + i, v[k]);
    four6_inertia_mul(r, I, v);
    four6_unload(row, r);
    for (int k = 3; k >= 0; k--) sn6_store(momentum + 6 * id[k], row[k]);
  }
}

// One row of M: momentum of the row . cdof of four columns at a time, run by run. Lanes behind a
// run hold what the next run or row overwrites.
SN_INLINE double* inertia_row(double* out, const double* momentum, const double* motion, int stride,
                              const snRange* run, const snRange* end) {
  const double* h = momentum;
  sn4 p0 = sn4_set1(h[0]), p1 = sn4_set1(h[1]), p2 = sn4_set1(h[2]);
  sn4 p3 = sn4_set1(h[3]), p4 = sn4_set1(h[4]), p5 = sn4_set1(h[5]);
  for (; run < end; run++) {
    const double* v = motion + run->first;
    for (int c = 0; c < run->num; c += 4, v += 4) {
      sn4 sum = (p0 * sn4_load(v) + p1 * sn4_load(v + stride)) +
                (p2 * sn4_load(v + 2 * stride) + p3 * sn4_load(v + 3 * stride)) +
                (p4 * sn4_load(v + 4 * stride) + p5 * sn4_load(v + 5 * stride));
      sn4_store(out + c, sum);
    }
    out += run->num;
  }
  return out;
}

// M row by row, with room for three more numbers; then armature on the diagonal, and the rows of
// simple dofs. qM has each row from its end: simple dofs have entries there that M leaves out.
SN_KERNEL static void inertia_entries(const mjModel* m, mjData* d, double* crb, double* momentum,
                                      double* motion, int stride, double* M) {
  const snPlan* plan = model_plan(m);
  const int *rownnz = d->M_rownnz, *simple = m->dof_simplenum, *Madr = m->dof_Madr;
  const double *M0 = m->dof_M0, *armature = m->dof_armature;
  double *row = M, *qM = d->qM;
  int nv = m->nv;
  composite_inertia(m, d, crb);
  dof_momenta(m, d, crb, momentum, motion, stride);
  for (int i = 0; i < nv; i++) {
    double* next = inertia_row(row, momentum + 6 * i, motion, stride, plan->run + plan->run_adr[i],
                               plan->run + plan->run_adr[i + 1]);
    next[-1] = simple[i] ? M0[i] : next[-1] + armature[i];
    row = next;
  }
  if (m->nM != m->nC) memset(qM, 0, m->nM * sizeof(double));
  for (int i = 0; i < nv; i++) {
    double* to = qM + Madr[i];
    int n = rownnz[i];
    for (int k = n - 1; k >= 0; k--) *to++ = M[k];
    M += n;
  }
}

static void inertia_compute(const mjModel* m, mjData* d, double* M) {
  int nv = m->nv, stride = (nv + 7) & ~3;
  mj_markStack(d);
  double* crb = mj_stackAllocNum(d, 12 * m->nbody + 6 * nv + 6 * stride + m->nC + 4);
  if (crb) {
    double *motion = crb + 12 * m->nbody, *momentum = motion + 6 * stride,
           *rows = momentum + 6 * nv;
    inertia_entries(m, d, crb, momentum, motion, stride, rows);
    if (M) memcpy(M, rows, m->nC * sizeof(double));
  }
  mj_freeStack(d);
}

void mj_crb(const mjModel* m, mjData* d) { inertia_compute(m, d, NULL); }

// M += armature J'J for each tendon with armature, where the sparsity of M has the entry. True when
// there was one.
static bool tendon_armature(const mjModel* m, mjData* d) {
  bool any = false, sparse = mj_isSparse(m);
  for (int t = 0; t < m->ntendon; t++) {
    double armature = m->tendon_armature[t];
    if (!armature) continue;
    any = true;
    mj_markStack(d);
    double* J = mj_stackAllocNum(d, m->nv);
    if (!J) {
      mj_freeStack(d);
      return any;
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
  return any;
}

void inertia_gather(const mjModel* m, mjData* d) {
  for (int k = 0; k < m->nC; k++) d->M[k] = d->qM[d->mapM2M[k]];
}

void mj_makeM(const mjModel* m, mjData* d) {
  inertia_compute(m, d, d->M);
  if (tendon_armature(m, d)) inertia_gather(m, d);
}

// M = L'DL, L unit lower triangular with the pattern of M (algebra/tree.c).
void mj_factorM(const mjModel* m, mjData* d) {
  if (!m->nv) return;
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
  if (!m->nv) return;
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
