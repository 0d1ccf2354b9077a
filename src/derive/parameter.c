// Derivatives by numbers of the model.
//
// At the qacc of forward dynamics the residual tau(p) of inverse dynamics is zero; dtau/dp is a
// centred difference of it on a copy of the model, without a solver, and dqacc = -inv(H) dtau. The
// integrator's A^ a' = M a moves with p as well:
//
//   A^ da' = M da + d(M a - A^ a')/dp
#include "derive/private.h"
#include "entry/guard.h"
#include "integrate/integrate.h"
#include "model/schema.h"
#include "step/step.h"

// ---- where a parameter is

// Names of objects by the beginning of the field's name; dofs go by their joint.
static const struct {
  const char* prefix;
  int type;
} kObjects[] = {{"body_", mjOBJ_BODY},         {"jnt_", mjOBJ_JOINT},   {"dof_", mjOBJ_JOINT},
                {"geom_", mjOBJ_GEOM},         {"site_", mjOBJ_SITE},   {"tendon_", mjOBJ_TENDON},
                {"actuator_", mjOBJ_ACTUATOR}, {"eq_", mjOBJ_EQUALITY}, {"pair_", mjOBJ_PAIR}};

static const snField* field_find(const char* name) {
  for (int i = 0; i < schema_model_count; i++) {
    if (!strcmp(schema_model[i].name, name)) return schema_model + i;
  }
  return NULL;
}

static const snMember* option_find(const char* name) {
  if (strncmp(name, "opt.", 4) != 0) return NULL;
  for (int i = 0; i < schema_option_count; i++) {
    if (!strcmp(schema_option[i].name, name + 4)) return schema_option + i;
  }
  return NULL;
}

static mjtNum* parameter_place(mjModel* m, const snParameter* p) {
  const snMember* option = option_find(p->field);
  if (option && option->type == snTYPE_mjtNum && p->index < (size_t)option->count) {
    return (mjtNum*)((char*)m + option->offset) + p->index;
  }
  const snField* f = field_find(p->field);
  if (!f || f->type != snTYPE_mjtNum) return NULL;
  if (p->index >= schema_rows(f, m, NULL) * schema_columns(f, m)) return NULL;
  return *(mjtNum**)schema_pointer(m, f) + p->index;
}

int sn_parameter(const mjModel* m, const char* field, const char* object, int k,
                 snParameter* parameter) {
  static const char F[] = "sn_parameter";
  if (!guard_pointer(F, "m", m) || !guard_pointer(F, "field", field) ||
      !guard_pointer(F, "parameter", parameter)) {
    return 0;
  }
  memset(parameter, 0, sizeof *parameter);
  const snMember* option = option_find(field);
  const snField* f = option ? NULL : field_find(field);
  if (strlen(field) >= sizeof parameter->field || (!option && !f) ||
      (option ? option->type : f->type) != snTYPE_mjtNum) {
    mju_error("sn_parameter: '%s' is no array of real numbers of the model, nor opt.NAME", field);
    return 0;
  }
  size_t columns = option ? (size_t)option->count : schema_columns(f, m), row = 0;
  if (!option) {
    int id = -1, type = -1;
    for (size_t i = 0; i < sizeof kObjects / sizeof *kObjects; i++) {
      size_t n = strlen(kObjects[i].prefix);
      if (!strncmp(field, kObjects[i].prefix, n)) type = kObjects[i].type;
    }
    if (type >= 0 && object) id = mj_name2id(m, type, object);
    if (id >= 0 && !strncmp(field, "dof_", 4)) id = m->jnt_dofadr[id];
    if (id < 0 || (size_t)id >= schema_rows(f, m, NULL)) {
      mju_error("sn_parameter: %s has no object '%s'", field, object ? object : "");
      return 0;
    }
    row = (size_t)id;
  }
  // a dof's numbers go on over the dofs of its joint
  bool inside = k >= 0 && ((size_t)k < columns || (f && !strncmp(field, "dof_", 4) && k < 6 &&
                                                   row + (size_t)k < schema_rows(f, m, NULL)));
  if (!inside) {
    mju_error("sn_parameter: %s has %d numbers, there is no number %d", field, (int)columns, k);
    return 0;
  }
  memcpy(parameter->field, field, strlen(field) + 1);
  parameter->index = row * columns + (size_t)k;
  return 1;
}

// ---- residuals of a changed model

typedef struct snChanged_ {
  const snTangent* t;
  const snAdvance* a;
  mjData* d;  // of changed models
  mjtNum* state;
  double *tau[2], *rest[2], *act[2], *product;
} snChanged;

// tau and M a - A^ a' of a changed model, and its next activations.
static void changed_run(const snChanged* c, const mjModel* m, int side) {
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

// A column of DxDp from the two sides, `width` apart. of_step: the time step itself moves.
static bool changed_column(snTangent* t, const snChanged* c, double width, bool of_step,
                           double* out, int ncol, int at) {
  const mjModel* m = t->m;
  int nv = t->nv;
  double h = m->opt.timestep;
  double *da, *change;
  if (!FRAME(memory_of(t->d), SN_ARRAY(da, 4 * (size_t)nv), SN_ARRAY(change, 4 * (size_t)nv))) {
    return false;
  }
  memset(da, 0, 4 * (size_t)nv * sizeof(double));
  memset(change, 0, 4 * (size_t)nv * sizeof(double));
  for (int i = 0; i < nv; i++) {
    da[4 * i] = -(c->tau[1][i] - c->tau[0][i]) / width;
    change[4 * i] = (c->rest[1][i] - c->rest[0][i]) / width;
  }
  tangent_solve(t, da, 4, 4);
  if (!advance_apply(t, c->a, da, change, 1, 4)) return false;
  for (int i = 0; i < nv; i++) {
    out[(size_t)(nv + i) * ncol + at] = h * da[4 * i] + (of_step ? c->a->next[i] : 0);
  }
  for (int j = 0; j < m->njnt; j++) {
    int v = m->jnt_dofadr[j], type = m->jnt_type[j];
    int n = type == mjJNT_FREE ? 6 : type == mjJNT_BALL ? 3 : 1;
    for (int i = v; i < v + n; i++) {
      double vel = t->d->qvel[i] + h * c->a->next[i];
      out[(size_t)i * ncol + at] = h * out[(size_t)(nv + i) * ncol + at] + (of_step ? vel : 0);
    }
    if (n == 1) continue;
    v += n - 3;
    double vel[3], Dv[9], dv[3], part[3];
    for (int k = 0; k < 3; k++) {
      vel[k] = t->d->qvel[v + k] + h * c->a->next[v + k];
      dv[k] = out[(size_t)(nv + v + k) * ncol + at];
    }
    mjd_quatIntegrate(vel, h, NULL, Dv, NULL);
    mat3_mul_vec(part, Dv, dv);
    for (int k = 0; k < 3; k++) {
      out[(size_t)(v + k) * ncol + at] = h * part[k] + (of_step ? vel[k] : 0);
    }
  }
  for (int i = 0; i < t->na; i++) {
    out[(size_t)(2 * nv + i) * ncol + at] = (c->act[1][i] - c->act[0][i]) / width;
  }
  return true;
}

static bool changed_make(snTangent* t, snChanged* c, snAdvance* a) {
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

// One number moves on a copy of the model.
typedef struct snAltered_ {
  const snParameter* parameter;
  bool constants;
} snAltered;

static bool by_parameters(snTangent* t, const void* what, int n, double* out) {
  const snAltered* moved = what;
  snAdvance a;
  snChanged c;
  if (!changed_make(t, &c, &a)) return false;
  bool constants = moved->constants;
  mjModel* m = mj_copyModel(NULL, t->m);
  mjData* spare = m && constants ? mj_makeData(m) : NULL;
  c.d = m ? mj_makeData(m) : NULL;
  bool there = c.d && (spare || !constants);
  for (int i = 0; i < n && there; i++) {
    const snParameter* p = moved->parameter + i;
    mjtNum* place = parameter_place(m, p);
    if (!place) {
      report_unsupported(t->report, "a parameter that the model does not have");
      there = false;
      break;
    }
    double kept = *place, step = 1e-6 * fmax(fabs(kept), 1e-2);
    for (int side = 0; side < 2; side++) {
      *place = kept + (side ? step : -step);
      if (constants) mj_setConst(m, spare);
      changed_run(&c, m, side);
      *place = kept;
    }
    if (constants) mj_setConst(m, spare);
    there = changed_column(t, &c, 2 * step, !strcmp(p->field, "opt.timestep"), out, n, i);
  }
  mj_deleteData(spare);
  mj_deleteData(c.d);
  mj_deleteModel(m);
  return there;
}

// Pairs of models that somebody changed.
typedef struct snPairs_ {
  const mjModel *const *low, *const *high;
  const mjtNum* width;
  mjData* work;
} snPairs;

static bool by_pairs(snTangent* t, const void* what, int n, double* out) {
  const snPairs* pairs = what;
  snAdvance a;
  snChanged c;
  if (!changed_make(t, &c, &a)) return false;
  c.d = pairs->work;
  for (int i = 0; i < n; i++) {
    changed_run(&c, pairs->low[i], 0);
    changed_run(&c, pairs->high[i], 1);
    if (!changed_column(t, &c, pairs->width[i], false, out, n, i)) return false;
  }
  return true;
}

static int transition_by(const char* function, const mjModel* m, mjData* d,
                         bool (*columns)(snTangent*, const void*, int, double*), const void* what,
                         int n, mjtNum* DxDp, snDeriveReport* r) {
  mj_markStack(d);
  mjtNum* warmstart = mj_stackAllocNum(d, m->nv);
  mju_copy(warmstart, d->qacc_warmstart, m->nv);
  step_forward(m, d, mjSTAGE_NONE, (snOmit){.sensors = true});
  const char* why = report_obstacle(m, d, false);
  if (!why && m->opt.integrator == mjINT_RK4) why = "parameters under RK4";
  snTangent t;
  bool there = !why && tangent_unsolved(&t, m, d, r);
  if (why) report_unsupported(r, why);
  if (there) {
    mju_copy(d->qacc_warmstart, warmstart, m->nv);
    there = columns(&t, what, n, DxDp);
    if (there && n) report_differenced(r, "inverse dynamics by the parameters");
  }
  mju_copy(d->qacc_warmstart, warmstart, m->nv);
  mj_freeStack(d);
  return report_finish(function, r, there);
}

int sn_transitionBy(const mjModel* m, mjData* d, const snParameter* parameter, int n, int constants,
                    mjtNum* DxDp, snDeriveReport* report) {
  snDeriveReport own, *r = report ? report : &own;
  report_clear(r);
  static const char F[] = "sn_transitionBy";
  if (!guard_step(F, m, d, true) || !guard_range(F, "n", n, 0, INT_MAX) ||
      !guard_sized(F, "parameter", parameter, n) || !guard_sized(F, "DxDp", DxDp, n)) {
    return 0;
  }
  snAltered moved = {parameter, constants};
  return transition_by(F, m, d, by_parameters, &moved, n, DxDp, r);
}

int sn_transitionOver(const mjModel* m, mjData* d, const mjModel* const* low,
                      const mjModel* const* high, const mjtNum* width, int n, mjData* work,
                      mjtNum* DxDp, snDeriveReport* report) {
  snDeriveReport own, *r = report ? report : &own;
  report_clear(r);
  static const char F[] = "sn_transitionOver";
  if (!guard_step(F, m, d, true) || !guard_range(F, "n", n, 0, INT_MAX) ||
      !guard_sized(F, "low", low, n) || !guard_sized(F, "high", high, n) ||
      !guard_sized(F, "width", width, n) || !guard_sized(F, "DxDp", DxDp, n)) {
    return 0;
  }
  for (int i = 0; i < n; i++) {
    if (!guard_step(F, low[i], work, true) || !guard_step(F, high[i], work, true)) return 0;
    if (low[i]->opt.timestep == m->opt.timestep && high[i]->opt.timestep == m->opt.timestep)
      continue;
    mju_error("%s: pair %d has another time step: sn_transitionBy has derivatives by it", F, i);
    return 0;
  }
  if (work == d) {
    mju_error("%s: work and d must be two", F);
    return 0;
  }
  snPairs pairs = {low, high, width, work};
  return transition_by(F, m, d, by_pairs, &pairs, n, DxDp, r);
}

int sn_vjpBy(const mjModel* m, mjData* d, const snParameter* parameter, int n, int constants,
             const mjtNum* gnext, mjtNum* gp, snDeriveReport* report) {
  static const char F[] = "sn_vjpBy";
  if (!guard_step(F, m, d, true) || !guard_range(F, "n", n, 0, INT_MAX) ||
      !guard_pointer(F, "gnext", gnext) || !guard_sized(F, "gp", gp, n)) {
    return 0;
  }
  int nx = 2 * m->nv + m->na, there;
  mj_markStack(d);
  mjtNum* D = mj_stackAllocNum(d, (size_t)nx * (size_t)n + 1);
  there = sn_transitionBy(m, d, parameter, n, constants, D, report);
  if (there) mju_mulMatTVec(gp, D, gnext, nx, n);
  mj_freeStack(d);
  return there;
}
