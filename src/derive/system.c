// The tangent as a whole: tau by every column, H, its factor, and solutions with many right-hand
// sides at once.
#include "derive/private.h"

// x = inv(L'DL) x for columns in lanes. L is unit lower triangular by rows: first L'y = x from the
// last row up, then D, then L x = y from the first row down. Sums are kept in registers.
enum { LANES = 4 };

SN_INLINE void solve_chunk(double* X, const double* L, const double* dinv, const int* first, int n,
                           int stride, int xstride, int lanes) {
  sn4 sum[LANES];
  for (int j = n - 1; j >= 0; j--) {
    double* xj = X + (size_t)j * xstride;
    for (int k = 0; k < lanes; k++) sum[k] = sn4_load(xj + 4 * k);
    for (int i = j + 1; i < n; i++) {
      if (first[i] > j) continue;
      double l = L[(size_t)i * stride + j];
      if (l == 0) continue;
      const double* xi = X + (size_t)i * xstride;
      for (int k = 0; k < lanes; k++) sum[k] -= sn4_load(xi + 4 * k) * l;
    }
    for (int k = 0; k < lanes; k++) sn4_store(xj + 4 * k, sum[k]);
  }
  for (int i = 0; i < n; i++) {
    double* xi = X + (size_t)i * xstride;
    const double* row = L + (size_t)i * stride;
    for (int k = 0; k < lanes; k++) sum[k] = sn4_load(xi + 4 * k) * dinv[i];
    for (int j = first[i]; j < i; j++) {
      double l = row[j];
      if (l == 0) continue;
      const double* xj = X + (size_t)j * xstride;
      for (int k = 0; k < lanes; k++) sum[k] -= sn4_load(xj + 4 * k) * l;
    }
    for (int k = 0; k < lanes; k++) sn4_store(xi + 4 * k, sum[k]);
  }
}

SN_KERNEL void factor_solve_many(double* X, const double* L, const double* dinv, const int* first,
                                 int n, int stride, int ncol, int xstride) {
  int c = 0;
  SN_ASSERT(xstride % 4 == 0 && xstride >= ((ncol + 3) & ~3));
  for (; c + 4 * LANES <= ncol; c += 4 * LANES) {
    solve_chunk(X + c, L, dinv, first, n, stride, xstride, LANES);
  }
  switch ((ncol - c + 3) / 4) {
    case 3:
      solve_chunk(X + c, L, dinv, first, n, stride, xstride, 3);
      break;
    case 2:
      solve_chunk(X + c, L, dinv, first, n, stride, xstride, 2);
      break;
    case 1:
      solve_chunk(X + c, L, dinv, first, n, stride, xstride, 1);
      break;
    case 4:
      solve_chunk(X + c, L, dinv, first, n, stride, xstride, 4);
      break;
  }
}

int dense_factor(double* A, double* dinv, int* first, int n, int stride) {
  SN_ASSERT(stride % 4 == 0 && stride >= n);
  for (int i = 0; i < n; i++) {
    int j = 0;
    while (j < i && A[(size_t)i * stride + j] == 0) j++;
    first[i] = j & ~3;
  }
  return factor_make(A, dinv, first, n, stride, mjMINVAL);
}

// The block of part k in A, of its numbers in dinv and `first`.
int blocks_factor(const snTangent* t, double* A, double* dinv, int* first) {
  const snBlocks* p = &t->parts;
  int rank = 0;
  for (int k = 0; k < p->n; k++) {
    int at = p->adr[k], n = part_size(p, k);
    rank += dense_factor(A + p->hrow[p->dof[at]], dinv + at, first + at, n, p->hstride[k]);
  }
  return rank;
}

void blocks_solve(const snTangent* t, const double* A, const double* dinv, const int* first,
                  double* X) {
  const snBlocks* p = &t->parts;
  for (int k = 0; k < p->n; k++) {
    int at = p->adr[k], n = part_size(p, k), i = p->dof[at];
    factor_solve_many(X + p->row[i], A + p->hrow[i], dinv + at, first + at, n, p->hstride[k],
                      p->stride[k], p->stride[k]);
  }
}

// `four` holds 4 nv numbers.
void blocks_solve_one(const snTangent* t, const double* A, const double* dinv, const int* first,
                      double* x, double* four) {
  const snBlocks* p = &t->parts;
  for (int k = 0; k < p->n; k++) {
    int at = p->adr[k], n = part_size(p, k);
    memset(four, 0, 4 * (size_t)n * sizeof(double));
    for (int i = 0; i < n; i++) four[4 * i] = x[p->dof[at + i]];
    factor_solve_many(four, A + p->hrow[p->dof[at]], dinv + at, first + at, n, p->hstride[k], 4, 4);
    for (int i = 0; i < n; i++) x[p->dof[at + i]] = four[4 * i];
  }
}

void tangent_factor(snTangent* t) {
  t->report->raised = t->nv - blocks_factor(t, t->H, t->dinv, t->first);
}

void tangent_solve(const snTangent* t, double* X, int ncol, int stride) {
  SN_ASSERT(t->parts.n == 1);
  factor_solve_many(X, t->H, t->dinv, t->first, t->nv, t->hstride, ncol, stride);
}

// ---- made and filled

bool tangent_make(snTangent* t, const mjModel* m, mjData* d, bool blocks, snDeriveReport* report) {
  int nv = m->nv;
  *t = (snTangent){.m = m,
                   .d = d,
                   .plan = model_plan(m),
                   .report = report,
                   .nv = nv,
                   .na = m->na,
                   .nu = m->nu,
                   .ncol = 2 * nv + m->na + m->nu,
                   .actuated = true,
                   .qacc = d->qacc};
  if (!parts_make(t, blocks)) return false;
  t->stride = (t->ncol + 3) & ~3;
  t->hstride = (nv + 3) & ~3;
  SN_ASSERT(t->parts.adr[t->parts.n] == nv);  // every dof is in a part
  SN_ASSERT(t->parts.n > 1 || t->parts.size == (size_t)nv * (size_t)t->stride);
  size_t nb = 6 * (size_t)m->nbody, n6 = 6 * (size_t)nv, rows = (size_t)d->nefc;
  if (!FRAME(memory_of(d), SN_ARRAY(t->group, nv), SN_ARRAY(t->free_acc, nb),
             SN_ARRAY(t->free_turn, n6), SN_ARRAY(t->load, nb), SN_ARRAY(t->jar, rows),
             SN_ARRAY(t->force, rows), SN_ARRAY(t->state, rows), SN_ARRAY(t->tau, t->parts.size),
             SN_ARRAY(t->H, t->parts.hsize), SN_ARRAY(t->dinv, nv + 4), SN_ARRAY(t->first, nv)) ||
      !motions_reserve(t, &t->motion)) {
    return false;
  }
  for (int j = 0; j < m->njnt; j++) {
    int adr = m->jnt_dofadr[j], type = m->jnt_type[j];
    int n = type == mjJNT_FREE ? 6 : type == mjJNT_BALL ? 3 : 1;
    for (int k = 0; k < n; k++) {
      bool turns = type == mjJNT_BALL || (type == mjJNT_FREE && k >= 3);
      t->group[adr + k] = turns ? adr + n - 3 : adr + k;
    }
  }
  return true;
}

// Lower and upper triangle of M.
void inertia_spread(const snTangent* t, double* H) {
  const mjData* d = t->d;
  const snBlocks* p = &t->parts;
  memset(H, 0, p->hsize * sizeof(double));
  for (int i = 0; i < t->nv && p->n == 1; i++) {
    double* row = H + (size_t)i * (size_t)t->hstride;
    for (int k = d->M_rowadr[i], end = k + d->M_rownnz[i]; k < end; k++) {
      int j = d->M_colind[k];
      row[j] = H[(size_t)j * (size_t)t->hstride + (size_t)i] = d->M[k];
    }
  }
  for (int i = 0; i < t->nv && p->n > 1; i++) {
    for (int k = d->M_rowadr[i], end = k + d->M_rownnz[i]; k < end; k++) {
      int j = d->M_colind[k];
      SN_ASSERT(p->of[i] == p->of[j]);
      H[p->hrow[i] + (size_t)p->q[j]] = H[p->hrow[j] + (size_t)p->q[i]] = d->M[k];
    }
  }
}

// Force and state of rows at qacc, with the Hessian of cones in their contacts.
bool tangent_rows(snTangent* t) {
  const mjModel* m = t->m;
  mjData* d = t->d;
  bool pushes = false;
  for (int a = 0; a < m->nu && d->ncon; a++) pushes |= m->actuator_trntype[a] == mjTRN_BODY;
  if (!d->nefc) return pushes;
  mj_mulJacVec(m, d, t->jar, d->qacc);
  mju_subFrom(t->jar, d->efc_aref, d->nefc);
  snRowView rows = {d->ne,     d->nf,    d->nefc,  d->efc_type,
                    d->efc_id, d->efc_D, d->efc_R, d->efc_frictionloss,
                    d->contact};
  constrain_update(&rows, t->jar, t->force, t->state, true);
  for (int i = 0; i < d->nefc; i++) pushes |= t->state[i] != mjCNSTRSTATE_SATISFIED;
  return pushes;
}

// Sums of cdof qacc, without the acceleration that velocities bring.
SN_KERNEL static void free_motions(snTangent* t) {
  const mjModel* m = t->m;
  const double *cdof = t->d->cdof, *qacc = t->d->qacc;
  vec6_zero(t->free_acc);
  for (int b = 1; b < m->nbody; b++) {
    double* acc = t->free_acc + 6 * b;
    vec6_copy(acc, t->free_acc + 6 * m->body_parentid[b]);
    for (int i = m->body_dofadr[b], end = i + m->body_dofnum[b]; i < end;) {
      int type = m->jnt_type[m->dof_jntid[i]];
      int n = type == mjJNT_FREE || type == mjJNT_BALL ? 3 : 1;
      for (int k = i; k < i + n; k++) {
        spatial_cross_motion(t->free_turn + 6 * k, acc, cdof + 6 * k);
      }
      for (int k = i; k < i + n; k++) vec6_add_scaled(acc, acc, cdof + 6 * k, qacc[k]);
      i += n;
    }
  }
}

bool tangent_fill(snTangent* t, bool rows) {
  mjData* d = t->d;
  memset(t->tau, 0, t->parts.size * sizeof(double));
  motions_make(t, &t->motion, d->qvel, t->qacc, true);
  if (!load_make(t) || !actuation_add(t)) return false;
  load_springs(t);
  load_uncompensated(t);
  if (t->m->ntendon && !tendon_passive_add(t)) return false;
  if (!smooth_add(t, &t->motion, true, true, t->tau, t->parts.row)) return false;
  if (!rows || (!d->nefc && !d->ncon)) return true;
  free_motions(t);
  return constraints_add(t) && contacts_add(t);
}
