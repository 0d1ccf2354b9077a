// Semi-implicit Euler with implicit joint damping, and the advance that all integrators share.
//
//   (M + h diag(damping)) a' = M a,   v' = v + h a',   q' = q (+) h v'
#include "integrate/integrate.h"
#include "integrate/private.h"
#include "smooth/smooth.h"

void integrate_advance(const mjModel* m, mjData* d, const mjtNum* act_dot, const mjtNum* qacc,
                       const mjtNum* qvel) {
  mjtNum h = m->opt.timestep;
  actuation_advance(m, d, act_dot);
  mjtNum* v = d->qvel;
  int nspan;
  const snBodyRun* span = data_moving(d, &nspan);
  for (int k = 0; k < nspan; k++) {
    for (int i = span[k].dof, end = span[k].dof_end; i < end; i++) v[i] += h * qacc[i];
    manifold_integrate(m, d->qpos, qvel ? qvel : d->qvel, h, span + k);
  }
  d->time += h;
  integrate_plugins(m, d);
}

// Engine plugins advance their own state once per step.
void integrate_plugins(const mjModel* m, mjData* d) {
  for (int i = 0; i < m->nplugin; i++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[i]);
    if (!plugin) {
      mju_error("mj_step: no plugin at slot %d", m->plugin[i]);
      return;
    }
    if (plugin->advance) plugin->advance(m, d, i);
  }
}

bool integrate_damped(const mjModel* m) {
  if (m->opt.disableflags & mjDSBL_EULERDAMP) return false;
  for (int i = 0; i < m->nv; i++) {
    if (m->dof_damping[i] > 0) return true;
  }
  return false;
}

void integrate_inertia(const mjModel* m, mjData* d) {
  if (m->opt.integrator == mjINT_IMPLICIT || m->opt.integrator == mjINT_IMPLICITFAST) {
    derivative_velocity(m, d, false);
    integrate_symmetric(m, d, d->qH);
    inertia_factor(m, d, d->qH, d->qHDiagInv);
  } else {
    bool damped = !(m->opt.disableflags & mjDSBL_EULERDAMP);
    inertia_factor_damped(m, d, damped ? m->opt.timestep : 0, d->qH, d->qHDiagInv, false);
  }
}

// M a is taken as qfrc_smooth + qfrc_constraint.
void integrate_euler(const mjModel* m, mjData* d, bool skipfactor, bool own) {
  if (!integrate_damped(m)) {
    integrate_advance(m, d, d->act_dot, d->qacc, NULL);
    return;
  }
  const snTree* tree = model_plan(m)->tree;
  const mjtNum *smooth = d->qfrc_smooth, *constraint = d->qfrc_constraint;
  int nv = m->nv;
  if (!skipfactor) inertia_factor_damped(m, d, m->opt.timestep, d->qH, d->qHDiagInv, own);
  mjtNum* qacc = data_scratch(d, nv + tree_scratch(tree));
  if (!qacc) return;
  mjtNum* work = qacc + nv;
  for (int i = 0; i < nv; i++) qacc[i] = smooth[i] + constraint[i];
  tree_solve(tree, qacc, qacc, d->qH, d->qHDiagInv, 1, work);
  integrate_advance(m, d, d->act_dot, qacc, NULL);
}

void mj_Euler(const mjModel* m, mjData* d) { integrate_euler(m, d, false, false); }

// Exported without a declaration by the released library, as mj_implicitSkip.
MJAPI void mj_EulerSkip(const mjModel* m, mjData* d, int skipfactor);
void mj_EulerSkip(const mjModel* m, mjData* d, int skipfactor) {
  integrate_euler(m, d, skipfactor != 0, false);
}
