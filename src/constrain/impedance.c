// Impedance and reference: how soft a row is, and which acceleration it asks for.
//
// For each row, from solref = (timeconst, dampratio) or direct (-k, -b), solimp = (d0, dw, width,
// mid, power) and the residual r:
//
//   d(r)   impedance: a spline from d0 at r = 0 to dw at |r| = width
//   k, b   stiffness 1 / (dw timeconst dampratio)^2, damping 2 / (dw timeconst)
//   aref   = -b J v - k d(r) r
//   R      = (1 - d) / d * diagApprox, diagApprox the inverse inertia that the row sees in qpos0
//
// efc_KBIP has (k, b, d, d') of each row.
#include "constrain/constrain.h"

SN_INLINE mjtNum larger(mjtNum a, mjtNum b) { return a > b ? a : b; }

// x clamped to [low, high]; NaN becomes low
SN_INLINE mjtNum within(mjtNum x, mjtNum low, mjtNum high) {
  mjtNum y = x > low ? x : low;
  return y < high ? y : high;
}

static const mjtNum default_solref[mjNREF] = {0.02, 1};

// d(r) = d0 + y(x) (dw - d0) with x = |r| / width: y is a spline of the given power, a x^p up to
// the midpoint and 1 - b (1-x)^p behind it. *slope is dd/dr.
static void impedance(const mjtNum* solimp, mjtNum r, mjtNum* imp, mjtNum* slope) {
  mjtNum d0 = within(solimp[0], mjMINIMP, mjMAXIMP);
  mjtNum dw = within(solimp[1], mjMINIMP, mjMAXIMP);
  mjtNum width = larger(0, solimp[2]);
  mjtNum mid = within(solimp[3], mjMINIMP, mjMAXIMP);
  mjtNum power = larger(1, solimp[4]);
  *slope = 0;
  if (d0 == dw || width <= mjMINVAL) {
    *imp = 0.5 * (d0 + dw);
    return;
  }
  mjtNum x = r / width, sign = 1;
  if (x < 0) {
    x = -x;
    sign = -1;
  }
  if (x >= 1 || x == 0) {
    *imp = x == 0 ? d0 : dw;
    return;
  }
  mjtNum y, dy;
  if (power == 1) {
    y = x;
    dy = 1;
  } else {
    bool low = x <= mid;
    mjtNum base = low ? x : 1 - x, span = low ? mid : 1 - mid;
    // t = (base/span)^(p-1): y = base t, dy/dx = p t
    mjtNum t = power == 2 ? base / span : sn_pow(base / span, power - 1);
    y = low ? base * t : 1 - base * t;
    dy = power * t;
  }
  *imp = d0 + y * (dw - d0);
  *slope = dy * sign * (dw - d0) / width;
}

// The last parameters and their k and b: consecutive rows mostly have equal parameters.
typedef struct snSpring_ {
  mjtNum ref[2], imp, k, b;
  bool known;
} snSpring;

// k and b: from time constant and damping ratio when solref is positive, else given directly.
static void stiffness_damping(const mjModel* m, const mjtNum* solref, const mjtNum* solimp,
                              snSpring* last, mjtNum* k, mjtNum* b) {
  if (last->known && last->ref[0] == solref[0] && last->ref[1] == solref[1] &&
      last->imp == solimp[1]) {
    *k = last->k;
    *b = last->b;
    return;
  }
  bool mixed = (solref[0] > 0) != (solref[1] > 0);
  last->known = !mixed;  // not cached, so that every mixed solref warns
  last->ref[0] = solref[0];
  last->ref[1] = solref[1];
  last->imp = solimp[1];
  mjtNum dw = within(solimp[1], mjMINIMP, mjMAXIMP);
  if (mixed) {
    mju_warning("mixed solref format, replacing with default");
    solref = default_solref;
  }
  if (solref[0] > 0) {
    mjtNum timeconst = solref[0], ratio = solref[1];
    if (!(m->opt.disableflags & mjDSBL_REFSAFE)) timeconst = larger(timeconst, 2 * m->opt.timestep);
    *k = 1 / larger(mjMINVAL, dw * dw * timeconst * timeconst * ratio * ratio);
    *b = 2 / larger(mjMINVAL, dw * timeconst);
  } else {
    *k = -solref[0] / larger(mjMINVAL, dw * dw);
    *b = -solref[1] / larger(mjMINVAL, dw);
  }
  last->k = *k;
  last->b = *b;
}

// Inverse inertia (translation, rotation) of the two sides of a contact.
static void contact_weight(const mjModel* m, const mjData* d, const mjContact* con, mjtNum w[2]) {
  w[0] = w[1] = 0;
  if (con->geom[0] >= 0 && con->geom[1] >= 0) {
    const mjtNum* w1 = m->body_invweight0 + 2 * m->geom_bodyid[con->geom[0]];
    const mjtNum* w2 = m->body_invweight0 + 2 * m->geom_bodyid[con->geom[1]];
    w[0] = w1[0] + w2[0];
    w[1] = w1[1] + w2[1];
    return;
  }
  int body[CONSTRAIN_MAXSUPPORT];
  mjtNum weight[CONSTRAIN_MAXSUPPORT];
  int n = contact_support(m, d, con, true, body, weight);
  for (int i = 0; i < n; i++) {
    w[0] += fabs(weight[i]) * m->body_invweight0[2 * body[i]];
    w[1] += fabs(weight[i]) * m->body_invweight0[2 * body[i] + 1];
  }
}

// Inverse inertia of row k of an equality; `edge` is the flex edge of the row.
static mjtNum equality_weight(const mjModel* m, int i, int k, int edge) {
  int o1 = m->eq_obj1id[i], o2 = m->eq_obj2id[i];
  switch (m->eq_type[i]) {
    case mjEQ_CONNECT:
    case mjEQ_WELD:
      if (m->eq_objtype[i] == mjOBJ_SITE) {
        o1 = m->site_bodyid[o1];
        o2 = m->site_bodyid[o2];
      }
      return m->body_invweight0[2 * o1 + (k > 2)] + m->body_invweight0[2 * o2 + (k > 2)];
    case mjEQ_JOINT:
      return m->dof_invweight0[m->jnt_dofadr[o1]] +
             (o2 >= 0 ? m->dof_invweight0[m->jnt_dofadr[o2]] : 0);
    case mjEQ_TENDON:
      return m->tendon_invweight0[o1] + (o2 >= 0 ? m->tendon_invweight0[o2] : 0);
    default:
      return m->flexedge_invweight0[edge];
  }
}

static mjtNum regularizer(mjtNum imp, mjtNum diag) {
  return larger(mjMINVAL, (1 - imp) * diag / imp);
}

// the same values for n rows from row i on
static inline void set_rows(mjData* d, int i, int n, mjtNum k, mjtNum b, mjtNum imp, mjtNum slope,
                            mjtNum R) {
  sn4 kbip = {k, b, imp, slope};
  mjtNum D = 1 / R, diag = R * imp / (1 - imp);
  for (int end = i + n; i < end; i++) {
    sn4_store(d->efc_KBIP + 4 * i, kbip);
    d->efc_R[i] = R;
    d->efc_D[i] = D;
    d->efc_diagApprox[i] = diag;
  }
}

// The rows of one contact. Elliptic cone: R_1 = R_0 / impratio and R_j mu_j^2 = R_1 mu_1^2, the
// coupling that makes the inverse dynamics analytic. Pyramid: every edge gets 2 mu^2 R, with R of
// the first edge, so that both cones have the same stiffness.
static int contact_rows(const mjModel* m, mjData* d, int i, snSpring* last) {
  int type = d->efc_type[i];
  mjContact* con = d->contact + d->efc_id[i];
  mjtNum weight[2], imp, slope, k, b;
  contact_weight(m, d, con, weight);
  impedance(con->solimp, d->efc_pos[i] - d->efc_margin[i], &imp, &slope);
  stiffness_damping(m, con->solref, con->solimp, last, &k, &b);

  if (type == mjCNSTR_CONTACT_FRICTIONLESS) {
    set_rows(d, i, 1, k, b, imp, slope, regularizer(imp, weight[0]));
    return 1;
  }
  con->mu = con->friction[0] / sqrt(larger(mjMINVAL, m->opt.impratio));
  if (type == mjCNSTR_CONTACT_PYRAMIDAL) {
    mjtNum mu = con->friction[0];
    mjtNum R = regularizer(imp, weight[0] * (1 + mu * mu));
    // regularizer bounds R from below, but 2 mu^2 R may underflow to zero
    R *= 2 * con->mu * con->mu;
    if (R == 0) R = mjMINVAL;
    int n = 2 * (con->dim - 1);
    set_rows(d, i, n, k, b, imp, slope, R);
    return n;
  }
  mjtNum R0 = regularizer(imp, weight[0]);
  mjtNum R1 = R0 / larger(mjMINVAL, m->opt.impratio);
  set_rows(d, i, 1, k, b, imp, slope, R0);
  if (con->solreffriction[0] != 0 || con->solreffriction[1] != 0) {
    stiffness_damping(m, con->solreffriction, con->solimp, last, &k, &b);
  }
  for (int j = 1; j < con->dim; j++) {
    mjtNum ratio = con->friction[0] / con->friction[j - 1];
    set_rows(d, i + j, 1, 0, b, imp, slope, j == 1 ? R1 : R1 * ratio * ratio);
  }
  return con->dim;
}

// The rows of one equality from row i on. The residual of a connect or weld is the norm over all
// its rows, which have one impedance.
static int equality_rows(const mjModel* m, mjData* d, int i, snSpring* last) {
  int id = d->efc_id[i], type = m->eq_type[id], n = 0;
  while (i + n < d->nefc && d->efc_type[i + n] == mjCNSTR_EQUALITY && d->efc_id[i + n] == id) n++;
  const mjtNum* solimp = m->eq_solimp + mjNIMP * id;
  mjtNum imp, slope, k, b;
  stiffness_damping(m, m->eq_solref + mjNREF * id, solimp, last, &k, &b);
  if (type == mjEQ_CONNECT || type == mjEQ_WELD) {
    impedance(solimp, mju_norm(d->efc_pos + i, n), &imp, &slope);
    for (int j = 0; j < n; j += 3) {
      set_rows(d, i + j, 3, k, b, imp, slope, regularizer(imp, equality_weight(m, id, j, 0)));
    }
    return n;
  }
  int edge = type == mjEQ_FLEX ? m->flex_edgeadr[m->eq_obj1id[id]] : 0;
  for (int j = 0; j < n; j++) {
    impedance(solimp, d->efc_pos[i + j], &imp, &slope);
    if (type == mjEQ_FLEX) {
      while (m->flexedge_rigid[edge]) edge++;
    }
    set_rows(d, i + j, 1, k, b, imp, slope, regularizer(imp, equality_weight(m, id, j, edge++)));
  }
  return n;
}

void constrain_impedance(const mjModel* m, mjData* d) {
  snSpring last = {.known = false};
  int i = 0;
  while (i < d->nefc) {
    int type = d->efc_type[i], id = d->efc_id[i];
    if (type == mjCNSTR_EQUALITY) {
      i += equality_rows(m, d, i, &last);
      continue;
    }
    if (type >= mjCNSTR_CONTACT_FRICTIONLESS) {
      i += contact_rows(m, d, i, &last);
      continue;
    }
    mjtNum imp, slope, k, b, weight;
    const mjtNum *solref, *solimp;
    switch (type) {
      case mjCNSTR_FRICTION_DOF:
        solref = m->dof_solref, solimp = m->dof_solimp, weight = m->dof_invweight0[id];
        break;
      case mjCNSTR_FRICTION_TENDON:
        solref = m->tendon_solref_fri, solimp = m->tendon_solimp_fri;
        weight = m->tendon_invweight0[id];
        break;
      case mjCNSTR_LIMIT_JOINT:
        solref = m->jnt_solref, solimp = m->jnt_solimp;
        weight = m->dof_invweight0[m->jnt_dofadr[id]];
        break;
      default:
        solref = m->tendon_solref_lim, solimp = m->tendon_solimp_lim;
        weight = m->tendon_invweight0[id];
    }
    solref += mjNREF * id;
    solimp += mjNIMP * id;
    impedance(solimp, d->efc_pos[i] - d->efc_margin[i], &imp, &slope);
    stiffness_damping(m, solref, solimp, &last, &k, &b);
    // friction loss has no position residual
    if (type == mjCNSTR_FRICTION_DOF || type == mjCNSTR_FRICTION_TENDON) k = 0;
    set_rows(d, i, 1, k, b, imp, slope, regularizer(imp, weight));
    i++;
  }
  if (constrain_physical(m)) physical_contacts(m, d);
  if (d->ne && constrain_closes(m)) loops_rigid(m, d);
}

// efc_AR has R on its diagonal, where a dual solver asked for it.
void constrain_set_R(const mjModel* m, mjData* d, int row, mjtNum R) {
  if (mj_isDual(m) && d->efc_AR) {
    if (!mj_isSparse(m)) {
      d->efc_AR[(size_t)row * (size_t)d->nefc + (size_t)row] += R - d->efc_R[row];
    } else {
      for (int k = 0; k < d->efc_AR_rownnz[row]; k++) {
        int at = d->efc_AR_rowadr[row] + k;
        if (d->efc_AR_colind[at] == row) d->efc_AR[at] += R - d->efc_R[row];
      }
    }
  }
  d->efc_diagApprox[row] *= R / d->efc_R[row];
  d->efc_R[row] = R;
  d->efc_D[row] = 1 / R;
}

void constrain_spring(const mjModel* m, const mjtNum* solref, const mjtNum* solimp, mjtNum* k,
                      mjtNum* b) {
  snSpring last = {.known = false};
  stiffness_damping(m, solref, solimp, &last, k, b);
}

// aref = -b J v - k d(r) r, r = pos - margin
void mj_referenceConstraint(const mjModel* m, mjData* d) {
  mj_mulJacVec(m, d, d->efc_vel, d->qvel);
  for (int i = 0; i < d->nefc; i++) {
    const mjtNum* kbip = d->efc_KBIP + 4 * i;
    d->efc_aref[i] =
        -kbip[1] * d->efc_vel[i] - kbip[0] * kbip[2] * (d->efc_pos[i] - d->efc_margin[i]);
  }
  int anchors = anchor_instance(m);
  if (anchors >= 0) anchor_reference(m, d, anchors);
  if (d->ne && constrain_closes(m)) loops_reference(m, d);
}
