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
  for (; c + 4 * LANES <= ncol; c += 4 * LANES) {
    solve_chunk(X + c, L, dinv, first, n, stride, xstride, LANES);
  }
  for (; c < ncol; c += 4) solve_chunk(X + c, L, dinv, first, n, stride, xstride, 1);
}

int dense_factor(double* A, double* dinv, int* first, int n, int stride) {
  for (int i = 0; i < n; i++) {
    int j = 0;
    while (j < i && A[(size_t)i * stride + j] == 0) j++;
    first[i] = j & ~3;
  }
  return factor_make(A, dinv, first, n, stride, mjMINVAL);
}

void tangent_factor(snTangent* t) {
  t->report->raised = t->nv - dense_factor(t->H, t->dinv, t->first, t->nv, t->hstride);
}

void tangent_solve(const snTangent* t, double* X, int ncol, int stride) {
  factor_solve_many(X, t->H, t->dinv, t->first, t->nv, t->hstride, ncol, stride);
}

// ---- made and filled

bool tangent_make(snTangent* t, const mjModel* m, mjData* d, snDeriveReport* report) {
  int nv = m->nv;
  *t = (snTangent){.m = m,
                   .d = d,
                   .plan = model_plan(m),
                   .report = report,
                   .nv = nv,
                   .na = m->na,
                   .nu = m->nu,
                   .ncol = 2 * nv + m->na + m->nu,
                   .actuated = true};
  t->stride = (t->ncol + 3) & ~3;
  t->hstride = (nv + 3) & ~3;
  size_t nb = 6 * (size_t)m->nbody, n6 = 6 * (size_t)nv, rows = (size_t)d->nefc;
  if (!FRAME(memory_of(d), SN_ARRAY(t->group, nv), SN_ARRAY(t->free_acc, nb),
             SN_ARRAY(t->free_turn, n6), SN_ARRAY(t->load, nb), SN_ARRAY(t->jar, rows),
             SN_ARRAY(t->force, rows), SN_ARRAY(t->state, rows),
             SN_ARRAY(t->tau, (size_t)nv * t->stride), SN_ARRAY(t->H, (size_t)nv * t->hstride),
             SN_ARRAY(t->dinv, t->hstride), SN_ARRAY(t->first, nv)) ||
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
  memset(H, 0, (size_t)t->nv * t->hstride * sizeof(double));
  for (int i = 0; i < t->nv; i++) {
    for (int k = d->M_rowadr[i], end = k + d->M_rownnz[i]; k < end; k++) {
      int j = d->M_colind[k];
      H[(size_t)i * t->hstride + j] = H[(size_t)j * t->hstride + i] = d->M[k];
    }
  }
}

// Force and state of rows at qacc, with the Hessian of cones in their contacts.
static void rows_update(snTangent* t) {
  mjData* d = t->d;
  mj_mulJacVec(t->m, d, t->jar, d->qacc);
  mju_subFrom(t->jar, d->efc_aref, d->nefc);
  snRowView rows = {d->ne,     d->nf,    d->nefc,  d->efc_type,
                    d->efc_id, d->efc_D, d->efc_R, d->efc_frictionloss,
                    d->contact};
  constrain_update(&rows, t->jar, t->force, t->state, true);
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

bool tangent_fill(snTangent* t) {
  mjData* d = t->d;
  memset(t->tau, 0, (size_t)t->nv * t->stride * sizeof(double));
  inertia_spread(t, t->H);
  motions_make(t, &t->motion, d->qvel, d->qacc, true);
  if (!load_make(t) || !actuation_add(t)) return false;
  load_springs(t);
  if (t->m->ntendon && !tendon_passive_add(t)) return false;
  if (!smooth_add(t, &t->motion, true, t->tau, t->stride, t->nv)) return false;
  if (d->nefc) rows_update(t);
  if (!d->nefc && !d->ncon) return true;
  free_motions(t);
  return constraints_add(t) && contacts_add(t);
}
