// The penalty s(jar) of the reduced primal problem, its gradient and the Hessian of cone rows;
// and products with J.
#include "algebra/algebra.h"
#include "constrain/constrain.h"

// The Hessian between the cones. With a_j = friction_j U_j / T and c = Dm mu N / T:
//   H_00 = Dm mu^2,  H_j0 = -Dm mu^2 a_j,  H_jk = c a_j a_k + (j = k) (Dm mu^2 - c) friction_j^2
static void cone_hessian(mjContact* con, mjtNum Dm, mjtNum N_T, const mjtNum* a) {
  int dim = con->dim;
  mjtNum *H = con->H, normal = Dm * con->mu * con->mu, c = Dm * con->mu * N_T, rest = normal - c;
  H[0] = normal;
  for (int j = 1; j < dim; j++) {
    mjtNum f = con->friction[j - 1], s = c * a[j];
    H[dim * j] = H[j] = -normal * a[j];
    for (int k = 1; k < j; k++) H[dim * j + k] = H[dim * k + j] = s * a[k];
    H[dim * j + j] = s * a[j] + rest * f * f;
  }
}

// Elliptic cone. With N = mu jar_0, U_j = friction_j jar_j and T = |U|, the coupling of R makes the
// metric the same in all directions of (N, U), so that the nearest point of the dual cone is found
// as in the plane:
//   N >= mu T        inside the dual cone: no force
//   mu N + T <= 0    inside the polar of it: all quadratic
//   otherwise        s = Dm/2 (N - mu T)^2,  Dm = D_0 / (mu^2 (1 + mu^2))
mjtNum constrain_cone(mjContact* con, const mjtNum* D, const mjtNum* jar, mjtNum* force, int* state,
                      bool hessian) {
  int dim = con->dim, zone;
  mjtNum mu = con->mu, U[6], T = 0, cost = 0;
  mjtNum N = U[0] = mu * jar[0];
  for (int j = 1; j < dim; j++) {
    U[j] = con->friction[j - 1] * jar[j];
    T += U[j] * U[j];
  }
  T = sqrt(T);
  if (N >= mu * T || (T <= 0 && N >= 0)) {
    zone = mjCNSTRSTATE_SATISFIED;
    for (int j = 0; j < dim; j++) force[j] = 0;
  } else if (mu * N + T <= 0 || (T <= 0 && N < 0)) {
    zone = mjCNSTRSTATE_QUADRATIC;
    for (int j = 0; j < dim; j++) {
      force[j] = -D[j] * jar[j];
      cost += 0.5 * D[j] * jar[j] * jar[j];
    }
  } else {
    zone = mjCNSTRSTATE_CONE;
    mjtNum Dm = D[0] / (mu * mu * (1 + mu * mu)), gap = N - mu * T, inverse = 1 / T, a[6];
    cost = 0.5 * Dm * gap * gap;
    force[0] = -Dm * gap * mu;
    for (int j = 1; j < dim; j++) {
      a[j] = U[j] * inverse * con->friction[j - 1];
      force[j] = -force[0] * a[j];
    }
    if (hessian) cone_hessian(con, Dm, N * inverse, a);
  }
  for (int j = 0; j < dim; j++) state[j] = zone;
  return cost;
}

mjtNum constrain_update(const snRowView* rows, const mjtNum* jar, mjtNum* force, int* state,
                        bool cone_hessian) {
  int ne = rows->ne, nf = rows->nf, n = rows->nefc;
  const mjtNum *D = rows->D, *R = rows->R;
  mjtNum cost = 0;
  for (int i = 0; i < ne; i++) {
    force[i] = -D[i] * jar[i];
    cost += 0.5 * D[i] * jar[i] * jar[i];
    state[i] = mjCNSTRSTATE_QUADRATIC;
  }
  // Huber: quadratic up to the force |f| = frictionloss, linear behind
  for (int i = ne; i < ne + nf; i++) {
    mjtNum loss = rows->frictionloss[i], edge = R[i] * loss;
    if (jar[i] <= -edge) {
      force[i] = loss;
      cost += loss * (-0.5 * edge - jar[i]);
      state[i] = mjCNSTRSTATE_LINEARNEG;
    } else if (jar[i] >= edge) {
      force[i] = -loss;
      cost += loss * (-0.5 * edge + jar[i]);
      state[i] = mjCNSTRSTATE_LINEARPOS;
    } else {
      force[i] = -D[i] * jar[i];
      cost += 0.5 * D[i] * jar[i] * jar[i];
      state[i] = mjCNSTRSTATE_QUADRATIC;
    }
  }
  for (int i = ne + nf; i < n;) {
    if (rows->type[i] == mjCNSTR_CONTACT_ELLIPTIC) {
      mjContact* con = rows->contact + rows->id[i];
      cost += constrain_cone(con, D + i, jar + i, force + i, state + i, cone_hessian);
      i += con->dim;
      continue;
    }
    if (jar[i] < 0) {
      force[i] = -D[i] * jar[i];
      cost += 0.5 * D[i] * jar[i] * jar[i];
      state[i] = mjCNSTRSTATE_QUADRATIC;
    } else {
      force[i] = 0;
      state[i] = mjCNSTRSTATE_SATISFIED;
    }
    i++;
  }
  return cost;
}

void mj_constraintUpdate(const mjModel* m, mjData* d, const mjtNum* jar, mjtNum cost[1],
                         int flg_coneHessian) {
  snRowView rows = {d->ne,     d->nf,    d->nefc,  d->efc_type,
                    d->efc_id, d->efc_D, d->efc_R, d->efc_frictionloss,
                    d->contact};
  mjtNum s = constrain_update(&rows, jar, d->efc_force, d->efc_state, flg_coneHessian);
  if (cost) *cost = s;
  mj_mulJacTVec(m, d, d->qfrc_constraint, d->efc_force);
}

// ---- products

void mj_mulJacVec(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec) {
  if (!d->nefc) return;
  if (mj_isSparse(m)) {
    for (int i = 0; i < d->nefc; i++) {
      int adr = d->efc_J_rowadr[i], n = d->efc_J_rownnz[i];
      mjtNum sum = 0;
      for (int k = adr; k < adr + n; k++) sum += d->efc_J[k] * vec[d->efc_J_colind[k]];
      res[i] = sum;
    }
  } else {
    mju_mulMatVec(res, d->efc_J, vec, d->nefc, m->nv);
  }
}

void mj_mulJacTVec(const mjModel* m, const mjData* d, mjtNum* res, const mjtNum* vec) {
  mju_zero(res, m->nv);
  if (!d->nefc) return;
  if (mj_isSparse(m)) {
    for (int i = 0; i < d->nefc; i++) {
      if (vec[i] == 0) continue;
      int adr = d->efc_J_rowadr[i], n = d->efc_J_rownnz[i];
      for (int k = adr; k < adr + n; k++) res[d->efc_J_colind[k]] += d->efc_J[k] * vec[i];
    }
  } else {
    mju_mulMatTVec(res, d->efc_J, vec, d->nefc, m->nv);
  }
}

void mj_contactForce(const mjModel* m, const mjData* d, int id, mjtNum result[6]) {
  mju_zero(result, 6);
  if (id < 0 || id >= d->ncon) return;
  const mjContact* con = d->contact + id;
  bool pyramidal = !model_elliptic(m) && con->dim > 1;
  int rows = pyramidal ? 2 * (con->dim - 1) : con->dim;
  // one that the user added has whatever numbers it was given
  if (con->efc_address < 0 || rows < 0 || con->dim > 6 || con->efc_address > d->nefc - rows) return;
  const mjtNum* f = d->efc_force + con->efc_address;
  if (pyramidal) {
    mju_decodePyramid(result, f, con->friction, con->dim);
  } else {
    mju_copy(result, f, con->dim);
  }
}

// ---- what the options say

int mj_isPyramidal(const mjModel* m) { return !model_elliptic(m); }

int mj_isSparse(const mjModel* m) {
  return m->opt.jacobian == mjJAC_SPARSE || (m->opt.jacobian == mjJAC_AUTO && m->nv >= 60);
}

int mj_isDual(const mjModel* m) {
  return m->opt.solver == mjSOL_PGS || m->opt.noslip_iterations > 0;
}
