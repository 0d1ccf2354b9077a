// Equalities of loops that close, for models with the text "sinew:loops" = "closed".
//
// Positions are put on the equalities behind every step (integrate/close.c). So that the forces of
// the step lead there by themselves, and not the projection alone, rows of closed equalities are
// rigid and follow the curvature of their surface,
//
//   J a = aref = -Jdot v - b J v - k d r,   R = RIGID diag(J inv(M) J')
//
// With the bias accelerations of bodies (bias.c), alpha and the acceleration of a point,
//
//   connect        Jdot v = (acceleration of p1) - (acceleration of p2)
//   weld           the same, and 1/2 vec(q2* (alpha1 - alpha2) q1) times torquescale
//   joint          Jdot v = -(second derivative of the polynomial) v2^2
//
// Tendons and flexes have none: the projection closes what they leave. An equality that is still
// open, as the first step of a loop or one that contradicts another, is soft as without.
#include <math.h>
#include <string.h>

#include "constrain/constrain.h"
#include "constrain/rows.h"
#include "data/frame.h"

#define RIGID 1e-5          // of diag(J inv(M) J')
#define NEARLY_CLOSED 1e-4  // m or rad: stages of RK4 are off by h^2

bool constrain_closes(const mjModel* m) { return m->neq && model_plan(m)->asked.closes; }

static bool is_closed(const mjModel* m, const mjData* d, int row) {
  for (int k = row, n = constrain_unit(m, d, row); k < row + n; k++) {
    if (!(fabs(d->efc_pos[k]) < NEARLY_CLOSED)) return false;
  }
  return true;
}

void loops_rigid(const mjModel* m, mjData* d) {
  for (int i = 0, n; i < d->ne; i += n) {
    n = constrain_unit(m, d, i);
    if (!is_closed(m, d, i)) continue;
    for (int k = i; k < i + n; k++) {
      d->efc_R[k] = mju_max(mjMINVAL, RIGID * d->efc_diagApprox[k]);
      d->efc_D[k] = 1 / d->efc_R[k];
    }
  }
}

// Jdot v of the rows of a connect or a weld.
static void curve_bodies(const mjModel* m, const mjData* d, const mjtNum* bias, int eq, bool weld,
                         mjtNum* out) {
  snEnds e;
  mjtNum angular[2][3], linear[2][3], turn[4] = {0}, conj[4], half[4], rate[4];
  rows_ends(m, d, eq, weld, &e);
  for (int k = 0; k < 2; k++) {
    bias_at_point(m, d, bias, e.body[k], e.point[k], angular[k], linear[k]);
  }
  vec3_sub(out, linear[1], linear[0]);
  if (!weld) return;
  mju_sub3(turn + 1, angular[1], angular[0]);
  mju_negQuat(conj, e.quat[0]);
  mju_mulQuat(half, conj, turn);
  mju_mulQuat(rate, half, e.quat[1]);
  mju_scl3(out + 3, rate + 1, m->eq_data[mjNEQDATA * eq + 10] / 2);
}

static void curve_joint(const mjModel* m, const mjData* d, int eq, mjtNum* out) {
  const mjtNum* a = m->eq_data + mjNEQDATA * eq;
  int j = m->eq_obj2id[eq];
  if (j < 0) return;
  mjtNum x = d->qpos[m->jnt_qposadr[j]] - m->qpos0[m->jnt_qposadr[j]];
  mjtNum v = d->qvel[m->jnt_dofadr[j]];
  *out = -(2 * a[2] + x * (6 * a[3] + x * 12 * a[4])) * v * v;
}

void loops_reference(const mjModel* m, mjData* d) {
  snMemory* memory = memory_of(d);
  mjtNum* bias;
  frame_open(memory);
  if (FRAME(memory, SN_ARRAY(bias, 6 * (size_t)m->nbody))) {
    bias_of_bodies(m, d, bias);
    for (int i = 0, n; i < d->ne; i += n) {
      int eq = d->efc_id[i], type = m->eq_type[eq];
      n = constrain_unit(m, d, i);
      if (!is_closed(m, d, i)) continue;
      mjtNum curve[6] = {0};
      if (type == mjEQ_CONNECT || type == mjEQ_WELD) {
        curve_bodies(m, d, bias, eq, type == mjEQ_WELD, curve);
      } else if (type == mjEQ_JOINT) {
        curve_joint(m, d, eq, curve);
      }
      for (int k = 0; k < n && k < 6; k++) d->efc_aref[i + k] -= curve[k];
    }
  }
  frame_close(memory);
}
