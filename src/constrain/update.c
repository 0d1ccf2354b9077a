// The penalty s(jar) of the primal problem at the residuals jar = J x - aref, its negative gradient
// f, and the Hessian of elliptic rows; products J x and J'f.
//
//   equality       s = 1/2 D jar^2
//   friction loss  Huber: quadratic while |f| <= frictionloss, linear beyond
//   limit, pyramid s = 1/2 D jar^2 for jar < 0, else 0
//   elliptic       cone.h
#include "algebra/algebra.h"
#include "constrain/cone.h"
#include "constrain/constrain.h"

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
  // Huber: edge = R frictionloss is where D |jar| reaches frictionloss
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
      SN_ASSERT(i + con->dim <= n && rows->type[i + con->dim - 1] == rows->type[i]);
      cost += cone_force(con, D + i, jar + i, force + i, state + i, cone_hessian);
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

void constrain_add_row(const mjModel* m, const mjData* d, int i, mjtNum scale, mjtNum* out) {
  SN_ASSERT(i >= 0 && i < d->nefc);
  if (!mj_isSparse(m)) {
    mju_addToScl(out, d->efc_J + (size_t)i * (size_t)m->nv, scale, m->nv);
    return;
  }
  int adr = d->efc_J_rowadr[i];
  for (int k = 0; k < d->efc_J_rownnz[i]; k++) {
    out[d->efc_J_colind[adr + k]] += scale * d->efc_J[adr + k];
  }
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
  // a contact added by the program has arbitrary numbers
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
