// Columns of the next state by something that changes the residual: a number of the model, a mocap
// body.
//
// At the qacc of forward dynamics the residual tau(p) of inverse dynamics is zero; dtau/dp is a
// centred difference of it, without a solver, and dqacc = -inv(H) dtau. The integrator's
// A^ a' = M a moves with p as well:
//
//   A^ da' = M da + d(M a - A^ a')/dp
#include "derive/private.h"
#include "integrate/integrate.h"
#include "step/step.h"

void changed_run(const snChanged* c, const mjModel* m, int side) {
  const mjData* from = c->t->d;
  mjData* d = c->d;
  int nv = m->nv;
  double h = m->opt.timestep, *tau = c->tau[side], *rest = c->rest[side];
  mj_setState(m, d, c->state, mjSTATE_INTEGRATION);
  step_position(m, d, (snOmit){.sensors = true}, false);
  mj_fwdVelocity(m, d);
  mj_fwdActuation(m, d);
  mju_copy(d->qacc, from->qacc, nv);
  mj_invConstraint(m, d);
  mj_mulM(m, d, tau, d->qacc);
  mju_copy(rest, tau, nv);
  for (int i = 0; i < nv; i++) {
    tau[i] += d->qfrc_bias[i] - d->qfrc_passive[i] - d->qfrc_constraint[i] - d->qfrc_actuator[i] -
              d->qfrc_applied[i];
  }
  mju_zero(c->product, nv);
  smooth_body_forces(m, d, c->product);
  mju_subFrom(tau, c->product, nv);
  if (!c->a->plain) {
    mj_mulM(m, d, c->product, c->a->next);
    mju_subFrom(rest, c->product, nv);
    if (c->a->implicit) {
      derivative_velocity(m, d, c->a->bias);
      slope_mul(d, nv, c->a->bias, c->a->next, c->product);
      mju_addToScl(rest, c->product, h, nv);
    } else {
      for (int i = 0; i < nv; i++) rest[i] -= h * m->dof_damping[i] * c->a->next[i];
    }
  }
  actuation_advance(m, d, d->act_dot);
  mju_copy(c->act[side], d->act, m->na);
}

// Positions that the velocities of column `at` reach: dq' = h dv', for turns through the map of the
// quaternion; the velocity itself where the time step moves.
void positions_reach(const snTangent* t, const snAdvance* a, bool of_step, double* out, int ncol,
                     int at) {
  const mjModel* m = t->m;
  int nv = t->nv;
  double h = m->opt.timestep;
  for (int j = 0; j < m->njnt; j++) {
    int v = m->jnt_dofadr[j], type = m->jnt_type[j];
    int n = type == mjJNT_FREE ? 6 : type == mjJNT_BALL ? 3 : 1;
    for (int i = v; i < v + n; i++) {
      double vel = t->d->qvel[i] + h * a->next[i];
      out[(size_t)i * ncol + at] = h * out[(size_t)(nv + i) * ncol + at] + (of_step ? vel : 0);
    }
    if (n == 1) continue;
    v += n - 3;
    double vel[3], Dv[9], dv[3], part[3];
    for (int k = 0; k < 3; k++) {
      vel[k] = t->d->qvel[v + k] + h * a->next[v + k];
      dv[k] = out[(size_t)(nv + v + k) * ncol + at];
    }
    mjd_quatIntegrate(vel, h, NULL, Dv, NULL);
    mat3_mul_vec(part, Dv, dv);
    for (int k = 0; k < 3; k++) {
      out[(size_t)(v + k) * ncol + at] = h * part[k] + (of_step ? vel[k] : 0);
    }
  }
}

bool changed_column(snTangent* t, const snChanged* c, double width, bool of_step, double* out,
                    int ncol, int at) {
  const mjModel* m = t->m;
  int nv = t->nv;
  double h = m->opt.timestep;
  double *da, *change;
  SN_ASSERT(t->parts.n == 1 && width > 0 && at < ncol);
  mj_markStack(t->d);
  if (!FRAME(memory_of(t->d), SN_ARRAY(da, 4 * (size_t)nv), SN_ARRAY(change, 4 * (size_t)nv))) {
    mj_freeStack(t->d);
    return false;
  }
  memset(da, 0, 4 * (size_t)nv * sizeof(double));
  memset(change, 0, 4 * (size_t)nv * sizeof(double));
  for (int i = 0; i < nv; i++) {
    da[4 * i] = -(c->tau[1][i] - c->tau[0][i]) / width;
    change[4 * i] = (c->rest[1][i] - c->rest[0][i]) / width;
  }
  tangent_solve(t, da, 4, 4);
  bool there = advance_apply(t, c->a, 0, da, change, 1, 4);
  for (int i = 0; i < nv; i++) {
    out[(size_t)(nv + i) * ncol + at] = h * da[4 * i] + (of_step ? c->a->next[i] : 0);
  }
  mj_freeStack(t->d);
  positions_reach(t, c->a, of_step, out, ncol, at);
  for (int i = 0; i < t->na; i++) {
    out[(size_t)(2 * nv + i) * ncol + at] = (c->act[1][i] - c->act[0][i]) / width;
  }
  return there;
}

bool changed_make(snTangent* t, snChanged* c, snAdvance* a) {
  mjData* d = t->d;
  int nv = t->nv;
  size_t size = (size_t)mj_stateSize(t->m, mjSTATE_INTEGRATION);
  *c = (snChanged){.t = t, .a = a};
  bool there =
      advance_make(t, a) &&
      FRAME(memory_of(d), SN_ARRAY(c->state, size), SN_ARRAY(c->tau[0], nv),
            SN_ARRAY(c->tau[1], nv), SN_ARRAY(c->rest[0], nv), SN_ARRAY(c->rest[1], nv),
            SN_ARRAY(c->act[0], t->na), SN_ARRAY(c->act[1], t->na), SN_ARRAY(c->product, nv));
  if (there) mj_getState(t->m, d, c->state, mjSTATE_INTEGRATION);
  return there;
}
