// qDeriv: the analytic derivative of smooth forces with respect to velocity, on the pattern D.
//
// A force f(l, v) along a row J (an actuator's moment, a tendon, a flex edge) with slope w = df/dv
// contributes w J'J. D couples pairs of dofs of which one is an ancestor of the other; entries
// outside this pattern (tendons across branches) are left out, as documented.
#include <string.h>

#include "data/frame.h"
#include "integrate/integrate.h"
#include "integrate/private.h"
#include "smooth/smooth.h"

// qDeriv += w J'J for one row J: columns col, ascending, or all columns when col is NULL
static void add_row(const mjModel* m, mjData* d, const mjtNum* J, const int* col, int n, mjtNum w) {
  const snPattern* pattern = model_pattern(m);
  const int *rowadr = pattern->D_rowadr, *rownnz = pattern->D_rownnz, *colind = pattern->D_colind;
  mjtNum* D = d->qDeriv;
  for (int a = 0; a < n; a++) {
    mjtNum s = w * J[a];
    if (s == 0) continue;
    int i = col ? col[a] : a, k = rowadr[i], end = k + rownnz[i];
    if (!col) {
      for (; k < end; k++) D[k] += s * J[colind[k]];
      continue;
    }
    // both lists ascend, and column i is in both
    if (a + 2 < n && col[a + 2] == i + 2 && colind[k] == i && rownnz[i] == 3 &&
        rownnz[i + 1] == 3) {
      // the three dofs of a flex vertex, whose rows of D have only these columns
      for (int r = 0; r < 3; r++, k += 3) {
        s = w * J[a + r];
        for (int c = 0; c < 3; c++) D[k + c] += s * J[a + c];
      }
      a += 2;
      continue;
    }
    int b = a, first = colind[k], last = colind[end - 1];
    while (b > 0 && col[b - 1] >= first) b--;
    if (last - first == end - 1 - k) {
      // the row of D is contiguous
      mjtNum* row = D + k - first;
      for (; b < n && col[b] <= last; b++) row[col[b]] += s * J[b];
      continue;
    }
    for (; b < n && k < end; b++) {
      while (k < end && colind[k] < col[b]) k++;
      if (k < end && colind[k] == col[b]) D[k] += s * J[b];
    }
  }
}

// ---- actuation: the force is gain(l, v) * (ctrl or act) + bias(l, v)

// The factor of the gain, as the released engine takes it here: the control before clamping, the
// activation before its step (actearly).
static mjtNum actuator_input(const mjModel* m, const mjData* d, int i) {
  int act = m->actuator_actadr[i];
  return act < 0 ? d->ctrl[i] : d->act[act + m->actuator_actnum[i] - 1];
}

static void add_actuators(const mjModel* m, mjData* d) {
  if (m->opt.disableflags & mjDSBL_ACTUATION) return;
  for (int i = 0; i < m->nu; i++) {
    if (actuation_disabled(m, i)) continue;
    mjtNum slope = 0, gain = 0;
    if (m->actuator_biastype[i] == mjBIAS_AFFINE) slope = m->actuator_biasprm[mjNBIAS * i + 2];
    if (m->actuator_gaintype[i] == mjGAIN_AFFINE) {
      gain = m->actuator_gainprm[mjNGAIN * i + 2];
    } else if (m->actuator_gaintype[i] == mjGAIN_MUSCLE) {
      gain = muscle_gain_slope(d->actuator_length[i], d->actuator_velocity[i],
                               m->actuator_lengthrange + 2 * i, m->actuator_acc0[i],
                               m->actuator_gainprm + mjNGAIN * i);
    }
    if (gain != 0) slope += gain * actuator_input(m, d, i);
    if (slope == 0) continue;
    int adr = d->moment_rowadr[i];
    add_row(m, d, d->actuator_moment + adr, d->moment_colind + adr, d->moment_rownnz[i], slope);
  }
}

// ---- passive: damping of joints, tendons and flex edges

static void add_damping(const mjModel* m, mjData* d) {
  const snPattern* pattern = model_pattern(m);
  if (m->opt.disableflags & mjDSBL_PASSIVE) return;
  for (int i = 0; i < m->nv; i++) {
    d->qDeriv[pattern->D_rowadr[i] + pattern->D_diag[i]] -= m->dof_damping[i];
  }
  bool sparse = mj_isSparse(m);
  for (int i = 0; i < m->ntendon; i++) {
    mjtNum b = m->tendon_damping[i];
    if (b <= 0) continue;
    if (sparse) {
      int adr = d->ten_J_rowadr[i];
      add_row(m, d, d->ten_J + adr, d->ten_J_colind + adr, d->ten_J_rownnz[i], -b);
    } else {
      add_row(m, d, d->ten_J + (size_t)i * m->nv, NULL, m->nv, -b);
    }
  }
  for (int f = 0; f < m->nflex; f++) {
    mjtNum b = m->flex_edgedamping[f];
    if (m->flex_rigid[f] || m->flex_interp[f] || b == 0) continue;
    for (int e = m->flex_edgeadr[f]; e < m->flex_edgeadr[f] + m->flex_edgenum[f]; e++) {
      if (m->flexedge_rigid[e]) continue;
      if (sparse) {
        int adr = d->flexedge_J_rowadr[e];
        add_row(m, d, d->flexedge_J + adr, d->flexedge_J_colind + adr, d->flexedge_J_rownnz[e], -b);
      } else {
        add_row(m, d, d->flexedge_J + (size_t)e * m->nv, NULL, m->nv, -b);
      }
    }
  }
}

void derivative_velocity(const mjModel* m, mjData* d, bool bias) {
  memset(d->qDeriv, 0, sizeof(mjtNum) * (size_t)m->nD);
  add_actuators(m, d);
  add_damping(m, d);
  derivative_fluid(m, d, !bias);
  if (bias) derivative_bias(m, d);
}

// ---- exported by the released library without declaration. There the slope of fluid forces is
// made symmetric for implicitfast alone.

static bool fast(const mjModel* m) { return m->opt.integrator == mjINT_IMPLICITFAST; }

// qDeriv += derivative of actuator forces.
MJAPI void mjd_actuator_vel(const mjModel* m, mjData* d);
void mjd_actuator_vel(const mjModel* m, mjData* d) { add_actuators(m, d); }

// qDeriv += derivative of passive forces.
MJAPI void mjd_passive_vel(const mjModel* m, mjData* d);
void mjd_passive_vel(const mjModel* m, mjData* d) {
  add_damping(m, d);
  derivative_fluid(m, d, fast(m));
}

// qDeriv = derivative of actuator and passive forces, less that of the bias force if asked.
MJAPI void mjd_smooth_vel(const mjModel* m, mjData* d, int flg_bias);
void mjd_smooth_vel(const mjModel* m, mjData* d, int flg_bias) {
  memset(d->qDeriv, 0, sizeof(mjtNum) * (size_t)m->nD);
  mjd_actuator_vel(m, d);
  mjd_passive_vel(m, d);
  if (flg_bias) derivative_bias(m, d);
}

// The differences of the same forces, qDeriv[i, j] = (f_i(v + eps e_j) - f_i(v)) / eps on the
// pattern D.
static void velocity_difference(const mjModel* m, mjData* d, mjtNum eps, bool all) {
  const snPattern* pattern = model_pattern(m);
  int nv = m->nv;
  mjtNum *begin, *force;
  mj_markStack(d);
  if (FRAME(memory_of(d), SN_ARRAY(begin, nv), SN_ARRAY(force, nv))) {
    for (int j = -1; j < nv; j++) {
      mjtNum keep = j < 0 ? 0 : d->qvel[j];
      if (j >= 0) d->qvel[j] = keep + eps;
      mj_fwdVelocity(m, d);
      mju_copy(force, d->qfrc_passive, nv);
      if (all) {
        mj_fwdActuation(m, d);
        mju_addTo(force, d->qfrc_actuator, nv);
        mju_subFrom(force, d->qfrc_bias, nv);
      }
      if (j < 0) {
        mju_copy(begin, force, nv);
        continue;
      }
      d->qvel[j] = keep;
      for (int i = 0; i < nv; i++) {
        int k = pattern->D_rowadr[i], end = k + pattern->D_rownnz[i];
        while (k < end && pattern->D_colind[k] != j) k++;
        if (k < end) d->qDeriv[k] = (force[i] - begin[i]) / eps;
      }
    }
    mj_fwdVelocity(m, d);
    if (all) mj_fwdActuation(m, d);
  }
  mj_freeStack(d);
}

MJAPI void mjd_passive_velFD(const mjModel* m, mjData* d, mjtNum eps);
void mjd_passive_velFD(const mjModel* m, mjData* d, mjtNum eps) {
  velocity_difference(m, d, eps, false);
}

MJAPI void mjd_smooth_velFD(const mjModel* m, mjData* d, mjtNum eps);
void mjd_smooth_velFD(const mjModel* m, mjData* d, mjtNum eps) {
  velocity_difference(m, d, eps, true);
}
