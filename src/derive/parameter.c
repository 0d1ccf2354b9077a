// Derivatives by numbers of the model.
//
// A number moves on a copy of the model, and the residual of the copy is differenced (changed.c), or
// its step where the step is not taken apart.
#include <sinew/callback.h>

#include "derive/private.h"
#include "entry/guard.h"
#include "model/schema.h"
#include "hold/hold.h"
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
  if (!guard_step(F, m, NULL, false) || !guard_pointer(F, "field", field) ||
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

// ---- one number at a time, on a copy of the model

// A difference is off by the rounding of forces over its width, and by its width squared. Places and
// directions have the scale of a body whatever one of their numbers is, all else its own.
static double step_of(const snParameter* p, double value) {
  static const char* const kPlaces[] = {"pos", "quat", "axis", "gravity", "wind", "magnetic"};
  static const double kWidth = 1e-5, kBody = 0.05;
  double scale = value == 0 ? kBody : fabs(value);
  size_t n = strlen(p->field);
  for (size_t i = 0; i < sizeof kPlaces / sizeof *kPlaces; i++) {
    size_t k = strlen(kPlaces[i]);
    if (n >= k && !strcmp(p->field + n - k, kPlaces[i])) scale = fmax(scale, kBody);
  }
  return kWidth * scale;
}

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
    double kept = *place, step = step_of(p, kept);
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

// A side of a difference: a step with a changed model.
static void whole_side(const snWhole* w, const mjModel* m, int side) {
  snWhole changed = *w;
  changed.m = m;
  mj_setState(m, w->d, w->state, (unsigned)w->spec);
  whole_run(&changed, side);
}

// Whole steps of `work` from the state of d.
static bool whole_from(snWhole* w, const mjModel* m, const mjData* d, mjData* work) {
  if (!whole_make(w, m, work)) return false;
  mj_getState(m, d, w->state, (unsigned)w->spec);
  return true;
}

static bool whole_parameters(const mjModel* own, mjData* d, const void* what, int n, double* out) {
  const snAltered* moved = what;
  mjModel* m = mj_copyModel(NULL, own);
  mjData *spare = m && moved->constants ? mj_makeData(m) : NULL, *work = m ? mj_makeData(m) : NULL;
  bool there = work && (spare || !moved->constants);
  if (there) {
    snWhole w;
    sn_copyCallbacks(m, own);
    vigil_begin(work);
    there = whole_from(&w, m, d, work);
    for (int i = 0; i < n && there; i++) {
      const snParameter* p = moved->parameter + i;
      mjtNum* place = parameter_place(m, p);
      if (!(there = place != NULL)) break;
      double kept = *place, step = step_of(p, kept);
      for (int side = 0; side < 2; side++) {
        *place = kept + (side ? step : -step);
        if (spare) mj_setConst(m, spare);
        whole_side(&w, m, side);
        *place = kept;
      }
      if (spare) mj_setConst(m, spare);
      whole_put(&w, 2 * step, out, NULL, n, i);
    }
    vigil_end(work);
  }
  mj_deleteData(spare);
  mj_deleteData(work);
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

static bool whole_pairs(const mjModel* m, mjData* d, const void* what, int n, double* out) {
  const snPairs* pairs = what;
  snWhole w;
  vigil_begin(pairs->work);
  bool there = whole_from(&w, m, d, pairs->work);
  for (int i = 0; i < n && there; i++) {
    whole_side(&w, pairs->low[i], 0);
    whole_side(&w, pairs->high[i], 1);
    whole_put(&w, pairs->width[i], out, NULL, n, i);
  }
  vigil_end(pairs->work);
  return there;
}

// Columns by the residual, and by whole steps.
typedef struct snChangeWays_ {
  bool (*columns)(snTangent* t, const void* what, int n, double* out);
  bool (*whole)(const mjModel* m, mjData* d, const void* what, int n, double* out);
} snChangeWays;

static int transition_by(const char* function, const mjModel* m, mjData* d, snChangeWays ways,
                         const void* what, int n, mjtNum* DxDp, snDeriveReport* r) {
  vigil_begin(d);
  mjtNum* warmstart = warmstart_keep(m, d);
  if (!warmstart) {
    vigil_end(d);
    return report_finish(function, r, false);
  }
  step_forward(m, d, mjSTAGE_NONE, (snOmit){.sensors = true});
  const char* why = report_obstacle(m, d);
  if (!why && m->opt.integrator == mjINT_RK4) why = "parameters under RK4";
  snTangent t;
  bool there = why || tangent_unsolved(&t, m, d, r);
  if (there && why) {
    mju_copy(d->qacc_warmstart, warmstart, m->nv);
    there = ways.whole(m, d, what, n, DxDp);
    if (there) differences_name(r, why);
  } else if (there) {
    mju_copy(d->qacc_warmstart, warmstart, m->nv);
    there = ways.columns(&t, what, n, DxDp);
    if (there && n) report_differenced(r, "inverse dynamics by the parameters");
  }
  mju_copy(d->qacc_warmstart, warmstart, m->nv);
  vigil_end(d);
  return report_finish(function, r, there);
}

int sn_transitionBy(const mjModel* m, mjData* d, const snParameter* parameter, int n, int constants,
                    mjtNum* DxDp, snDeriveReport* report) {
  snDeriveReport own, *r = report_begin(report, &own);
  static const char F[] = "sn_transitionBy";
  if (!guard_step(F, m, d, true) || !guard_range(F, "n", n, 0, INT_MAX) ||
      !guard_sized(F, "parameter", parameter, n) || !guard_sized(F, "DxDp", DxDp, n)) {
    return 0;
  }
  snAltered moved = {parameter, constants};
  snChangeWays ways = {by_parameters, whole_parameters};
  return transition_by(F, m, d, ways, &moved, n, DxDp, r);
}

int sn_transitionOver(const mjModel* m, mjData* d, const mjModel* const* low,
                      const mjModel* const* high, const mjtNum* width, int n, mjData* work,
                      mjtNum* DxDp, snDeriveReport* report) {
  snDeriveReport own, *r = report_begin(report, &own);
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
  snChangeWays ways = {by_pairs, whole_pairs};
  return transition_by(F, m, d, ways, &pairs, n, DxDp, r);
}

int sn_vjpBy(const mjModel* m, mjData* d, const snParameter* parameter, int n, int constants,
             const mjtNum* gnext, mjtNum* gp, snDeriveReport* report) {
  static const char F[] = "sn_vjpBy";
  if (report) report_clear(report);
  if (!guard_step(F, m, d, true) || !guard_range(F, "n", n, 0, INT_MAX) ||
      !guard_pointer(F, "gnext", gnext) || !guard_sized(F, "gp", gp, n)) {
    return 0;
  }
  int nx = 2 * m->nv + m->na;
  mjtNum* D;
  mj_markStack(d);
  int there = FRAME(memory_of(d), SN_ARRAY(D, (size_t)nx * (size_t)n)) &&
              sn_transitionBy(m, d, parameter, n, constants, D, report);
  if (there) mju_mulMatTVec(gp, D, gnext, nx, n);
  mj_freeStack(d);
  return there;
}
