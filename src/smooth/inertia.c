// The joint-space inertia M by composite rigid bodies, its products, and its factor L'DL.
//
//   crb(b)  = inertia of the subtree of b as if it were rigid, about the com of the tree
//   M(i, j) = cdof_j . crb(body of i) cdof_i + (i = j) armature,  j an ancestor of i or i itself
//
// M is stored twice: M in CSR (lower triangle, rows ascending) and the documented qM (rows from the
// diagonal to the root). M = L'DL with L unit lower triangular and the pattern of M: elimination
// from the leaves to the root fills in nothing (algebra/tree.c; deep trees in articulated.c).
#include "data/frame.h"
#include "smooth/articulated.h"
#include "smooth/spatial_lanes.h"
#include "smooth/smooth.h"

enum { FEW = 24 };  // up to so many entries of M a scalar loop is faster than SIMD lanes

// crb from cinert, inward over the tree, of bodies from `first` to `nbody`.
SN_INLINE void composite_inertia(const mjModel* m, const double* cinert, double* crb, int first,
                                 int nbody) {
  const int* parent = m->body_parentid;
  for (int b = first; b < nbody; b++) sn10_store(crb + 10 * b, sn10_load(cinert + 10 * b));
  if (!first) first = 1;
  for (int b = nbody - 1; b >= first; b--) {
    double* to = crb + 10 * parent[b];
    if (parent[b]) sn10_store(to, sn10_add(sn10_load(to), sn10_load(crb + 10 * b)));
  }
}

// crb cdof, the momentum of the subtree per unit velocity of each dof, four dofs at a time, 6
// numbers for each dof; and the motions cdof by coordinate, `stride` numbers for each of the six.
SN_INLINE void dof_momenta(const mjModel* m, const double* cdof, const double* crb,
                           double* momentum, double* motion, int stride, int first, int nv) {
  const int *body = m->dof_bodyid, *simple = m->dof_simplenum;
  for (int i = first; i < nv; i += 4) {
    int id[4];
    sn6 row[4];
    sn4 I[10], v[6], r[6];
    SN_ASSERT(body[i] > 0);
    if (simple[i] >= 4) continue;  // the three dofs behind it are simple too
    for (int k = 0; k < 4; k++) id[k] = i + k < nv ? i + k : i;
    four10_load(I, crb + 10 * body[id[0]], crb + 10 * body[id[1]], crb + 10 * body[id[2]],
                crb + 10 * body[id[3]]);
    for (int k = 0; k < 4; k++) row[k] = sn6_load(cdof + 6 * id[k]);
    four6_load(v, row);
    for (int k = 0; k < 6; k++) sn4_store(motion + k * stride + i, v[k]);
    four6_inertia_mul(r, I, v);
    four6_unload(row, r);
    for (int k = 3; k >= 0; k--) sn6_store(momentum + 6 * id[k], row[k]);
  }
}

// M row by row, armature on the diagonal. motion_row writes up to three numbers beyond a row, so
// the last three rows go through `last`. A simple dof has a constant diagonal row. qM has each row
// in reverse, with explicit zeros for simple dofs that M leaves out.
SN_KERNEL static void inertia_entries(const mjModel* m, mjData* d, double* M, double* momentum,
                                      double* motion, int stride, double* last,
                                      const snBodyRun* span) {
  const snPlan* plan = model_plan(m);
  const snRange* run = plan->run;
  const int *run_adr = plan->run_adr, *simple = m->dof_simplenum, *Madr = m->dof_Madr;
  const double *M0 = m->dof_M0, *armature = m->dof_armature;
  double* qM = d->qM;
  int first = span->dof, nv = span->dof_end;
  composite_inertia(m, d->cinert, d->crb, span->body, span->body_end);
  dof_momenta(m, d->cdof, d->crb, momentum, motion, stride, first, nv);
  if (first < nv) M += model_pattern(m)->M_rowadr[first];
  for (int i = first; i < nv; i++) {
    if (simple[i]) {
      *M++ = qM[Madr[i]] = M0[i];
      continue;
    }
    double* row = i < nv - 3 ? M : last;
    double* end =
        motion_row(row, momentum + 6 * i, motion, stride, run + run_adr[i], run + run_adr[i + 1]);
    double* to = qM + Madr[i];
    SN_ASSERT(end - row == model_pattern(m)->M_rownnz[i]);  // runs cover the row of M
    end[-1] += armature[i];
    if (row == last) memcpy(M, last, (size_t)(end - last) * sizeof(double));
    M += end - row;
    while (end > row) *to++ = *--end;
  }
}

// The same entry by entry, for small models.
SN_KERNEL static void inertia_entries_few(const mjModel* m, mjData* d, double* M) {
  const int *simple = m->dof_simplenum, *parent = m->dof_parentid, *body = m->dof_bodyid;
  const int *Madr = m->dof_Madr, *rownnz = model_pattern(m)->M_rownnz;
  const double *cdof = d->cdof, *crb = d->crb;
  double* qM = d->qM;
  int nv = m->nv;
  composite_inertia(m, d->cinert, d->crb, 0, m->nbody);
  for (int i = 0; i < nv; i++) {
    double h[6], *to = qM + Madr[i];
    M += rownnz[i];
    if (simple[i]) {
      to[0] = M[-1] = m->dof_M0[i];
      continue;
    }
    inertia_mul(h, crb + 10 * body[i], cdof + 6 * i);
    double* from = M;
    double plus = m->dof_armature[i];
    for (int j = i; j >= 0; j = parent[j], plus = 0) {
      const double* v = cdof + 6 * j;
      double sum = (h[0] * v[0] + h[1] * v[1]) + (h[2] * v[2] + h[3] * v[3]) +
                   (h[4] * v[4] + h[5] * v[5]) + plus;
      *to++ = *--from = sum;
    }
  }
}

static void inertia_compute(const mjModel* m, mjData* d, double* M) {
  int nv = m->nv, stride = motion_stride(nv);
  double* motion = data_scratch(d, 6 * stride + 7 * nv + 4 + (M ? 0 : m->nC));
  if (!motion) return;
  double *momentum = motion + 6 * stride, *last = momentum + 6 * nv;
  if (!M) M = last + nv + 4;
  int nspan;
  const snBodyRun* span = data_spans(d, &nspan);
  bool whole = span->dof_end - span->dof == nv;
  for (int i = 1; i < nspan; i++) SN_ASSERT(span[i - 1].dof_end <= span[i].dof);
  if (m->nM != m->nC && whole) memset(d->qM, 0, m->nM * sizeof(double));
  if (m->nC <= FEW) {
    inertia_entries_few(m, d, M);
    return;
  }
  for (int i = 0; i < nspan; i++) {
    inertia_entries(m, d, M, momentum, motion, stride, last, span + i);
  }
}

// M without the armature of tendons, and qM.
void mj_crb(const mjModel* m, mjData* d) { inertia_compute(m, d, d->M); }

// M += armature J'J for each tendon with armature, where the pattern of M has the entry. True when
// there is such a tendon.
static bool tendon_armature(const mjModel* m, mjData* d) {
  bool any = false, sparse = mj_isSparse(m);
  for (int t = 0; t < m->ntendon; t++) {
    double armature = m->tendon_armature[t];
    if (!armature) continue;
    any = true;
    mj_markStack(d);
    double* J;
    if (!FRAME(memory_of(d), SN_ARRAY(J, m->nv))) {
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

bool inertia_of_tendons(const mjModel* m) {
  for (int t = 0; t < m->ntendon; t++) {
    if (m->tendon_armature[t]) return true;
  }
  return false;
}

void inertia_gather(const mjModel* m, mjData* d) {
  for (int k = 0; k < m->nC; k++) d->M[k] = d->qM[model_pattern(m)->mapM2M[k]];
}

void mj_makeM(const mjModel* m, mjData* d) {
  inertia_compute(m, d, d->M);
  if (tendon_armature(m, d)) inertia_gather(m, d);
}

// Is M bitwise what cinert, cdof and the armature give? A program may have written to M, and then
// the articulated factor, which does not read M, would ignore it. `crb` is scratch, 10 numbers for
// each body. Simple dofs are read from M in any case.
SN_KERNEL static bool inertia_holds(const mjModel* m, const mjData* d, double* momentum,
                                    double* motion, int stride, double* crb) {
  const snPlan* plan = model_plan(m);
  const double *armature = m->dof_armature, *M = d->M;
  composite_inertia(m, d->cinert, crb, 0, m->nbody);
  dof_momenta(m, d->cdof, crb, momentum, motion, stride, 0, m->nv);
  for (int i = 0; i < m->nv; i++) {
    if (m->dof_simplenum[i]) {
      M++;
      continue;
    }
    const snRange *run = plan->run + plan->run_adr[i], *end = plan->run + plan->run_adr[i + 1];
    const double* h = momentum + 6 * i;
    sn4i differ = {0};
    unsigned rest = 0;
    for (; run < end; run++) {
      const double* v = motion + run->first;
      int num = run->num - (run == end - 1), c = 0;  // without the diagonal, which has armature
      for (; c + 4 <= num; c += 4) {
        differ |= sn4_load(M + c) != motion_products(h, v + c, stride);
      }
      if (c < num) {
        sn4i last = sn4_load_part(M + c, num - c) != motion_products(h, v + c, stride);
        rest |= sn4_bits(last) & ((1u << (num - c)) - 1);
      }
      M += num;
    }
    if (rest || sn4_any(differ)) return false;
    const double* v = motion + i;
    double diagonal = (h[0] * v[0] + h[1] * v[stride]) +
                      (h[2] * v[2 * stride] + h[3] * v[3 * stride]) +
                      (h[4] * v[4 * stride] + h[5] * v[5 * stride]);
    if (*M++ != diagonal + armature[i]) return false;
  }
  return true;
}

static bool inertia_known(const mjModel* m, mjData* d) {
  int nv = m->nv, stride = motion_stride(nv);
  double* motion = data_scratch(d, 6 * stride + 6 * nv + 10 * (size_t)m->nbody);
  if (!motion) return false;
  double* momentum = motion + 6 * stride;
  return inertia_holds(m, d, momentum, motion, stride, momentum + 6 * nv);
}

static int factor_damped(const mjModel* m, mjData* d, double h, double* LD, double* dinv,
                         bool known) {
  const snPattern* pattern = model_pattern(m);
  const snPlan* plan = model_plan(m);
  if (plan->deep && (known || inertia_known(m, d))) return articulated_factor(m, d, h, LD, dinv);
  double* scratch = data_scratch(d, tree_scratch(plan->tree));
  if (!scratch) return -1;
  const double* A = d->M;
  if (h) {
    const int *rowadr = pattern->M_rowadr, *rownnz = pattern->M_rownnz;
    const double* damping = m->dof_damping;
    int nv = m->nv;
    memcpy(LD, d->M, sizeof(double) * (size_t)m->nC);
    for (int i = 0; i < nv; i++) LD[rowadr[i] + rownnz[i] - 1] += h * damping[i];
    return tree_factor(plan->tree, LD, dinv, LD, scratch);
  }
  int nspan, bad = -1;
  const snBodyRun* span = data_spans(d, &nspan);
  for (int i = 0; i < nspan; i++) {
    int found = tree_factor_range(plan->tree, LD, dinv, A, scratch, span[i].dof, span[i].dof_end);
    if (found >= 0) bad = found;
  }
  return bad;
}

void inertia_factor_damped(const mjModel* m, mjData* d, double h, double* LD, double* dinv,
                           bool own) {
  factor_damped(m, d, h, LD, dinv, own && !inertia_of_tendons(m));
}

// M = L'DL to qLD and qLDiagInv. `known`: M is what mj_makeM computed.
static void inertia_factor_known(const mjModel* m, mjData* d, bool known) {
  if (!m->nv) return;
  int singular = factor_damped(m, d, 0, d->qLD, d->qLDiagInv, known);
  if (singular >= 0) mj_warning(d, mjWARN_INERTIA, singular);
}

void mj_factorM(const mjModel* m, mjData* d) { inertia_factor_known(m, d, false); }

void inertia_update(const mjModel* m, mjData* d) {
  inertia_compute(m, d, d->M);
  bool armature = tendon_armature(m, d);
  if (armature) inertia_gather(m, d);
  inertia_factor_known(m, d, !armature);
}

void inertia_factor(const mjModel* m, mjData* d, double* LD, double* diaginv) {
  const snTree* tree = model_plan(m)->tree;
  double* scratch = data_scratch(d, tree_scratch(tree));
  if (scratch) tree_factor(tree, LD, diaginv, LD, scratch);
}

void inertia_solve(const mjModel* m, mjData* d, const double* LD, const double* diaginv,
                   double* x) {
  const snTree* tree = model_plan(m)->tree;
  double* scratch = data_scratch(d, tree_scratch(tree));
  if (scratch) tree_solve(tree, x, x, LD, diaginv, 1, scratch);
}

void mj_solveM(const mjModel* m, mjData* d, mjtNum* x, const mjtNum* y, int n) {
  if (!m->nv) return;
  const snTree* tree = model_plan(m)->tree;
  double* scratch = data_scratch(d, tree_scratch(tree));
  if (scratch) tree_solve(tree, x, y, d->qLD, d->qLDiagInv, n, scratch);
}

void inertia_solve_awake(const mjModel* m, mjData* d, mjtNum* x, const mjtNum* y) {
  int nspan;
  const snBodyRun* span = data_spans(d, &nspan);
  const snTree* tree = model_plan(m)->tree;
  double* scratch = data_scratch(d, tree_scratch(tree));
  for (int i = 0; scratch && i < nspan; i++) {
    tree_solve_range(tree, x, y, d->qLD, d->qLDiagInv, scratch, span[i].dof, span[i].dof_end);
  }
}

void mj_solveM2(const mjModel* m, mjData* d, mjtNum* x, const mjtNum* y, const mjtNum* sqrtInvD,
                int n) {
  const snTree* tree = model_plan(m)->tree;
  double* scratch = data_scratch(d, tree_scratch(tree));
  if (scratch) tree_solve_half(tree, x, y, d->qLD, sqrtInvD, n, scratch);
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

// res = M vec, each entry of the lower triangle used twice
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
  const snPattern* pattern = model_pattern(m);
  mul_rows(res, vec, d->M, m->nv, pattern->M_rownnz, pattern->M_rowadr, pattern->M_colind);
}

// res = sqrt(D) L vec, so that |res|^2 = vec' M vec
void mj_mulM2(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec) {
  const snPattern* pattern = model_pattern(m);
  for (int i = 0; i < m->nv; i++) {
    int adr = pattern->M_rowadr[i], n = pattern->M_rownnz[i] - 1;
    double sum = vec[i];
    for (int a = 0; a < n; a++) sum += d->qLD[adr + a] * vec[pattern->M_colind[adr + a]];
    res[i] = sum * sqrt(d->qLD[adr + n]);
  }
}

// Add M to a square matrix: dense when rownnz is NULL, otherwise sparse rows, into which missing
// entries are inserted.
void mj_addM(const mjModel* m, mjData* d, mjtNum* dst, int* rownnz, int* rowadr, int* colind) {
  const snPattern* pattern = model_pattern(m);
  int nv = m->nv;
  if (!rownnz) {
    for (int i = 0; i < nv; i++) {
      int adr = pattern->M_rowadr[i], num = pattern->M_rownnz[i];
      for (int k = 0; k < num; k++) {
        int j = pattern->M_colind[adr + k];
        dst[(size_t)i * nv + j] += d->M[adr + k];
        if (j != i) dst[(size_t)j * nv + i] += d->M[adr + k];
      }
    }
    return;
  }

  // sparse: merge the row of M into the row of dst, both ascending
  mj_markStack(d);
  double* value;
  int* column;
  if (FRAME(memory_of(d), SN_ARRAY(value, nv), SN_ARRAY(column, nv))) {
    for (int i = 0; i < nv; i++) {
      int a = pattern->M_rowadr[i], aend = a + pattern->M_rownnz[i];
      int b = rowadr[i], bend = b + rownnz[i], n = 0;
      while (a < aend || b < bend) {
        int ca = a < aend ? pattern->M_colind[a] : nv, cb = b < bend ? colind[b] : nv;
        column[n] = ca < cb ? ca : cb;
        value[n] = 0;
        if (ca <= cb) value[n] += d->M[a++];
        if (cb <= ca) value[n] += dst[b++];
        n++;
      }
      SN_ASSERT(n > 0 && n <= nv && column[n - 1] < nv);
      rownnz[i] = n;
      memcpy(colind + rowadr[i], column, n * sizeof(int));
      memcpy(dst + rowadr[i], value, n * sizeof(double));
    }
  }
  mj_freeStack(d);
}
