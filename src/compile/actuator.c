// Actuators: ranges, activation dynamics and targets of transmissions, checked and written to the
// model.
//
// ctrllimited, forcelimited and actlimited follow from the ranges unless they are set; the number
// of activations follows from dyntype and plugin (sizes.c).
#include <math.h>
#include <string.h>

#include "compile/compile.h"

static bool check_muscle(snCompile* c, const snElement* e, const double* prm) {
  if (prm[0] >= prm[1]) return compile_error(c, e, "range[0]<range[1] required in muscle");
  if (prm[4] >= 1 || prm[5] <= 1) return compile_error(c, e, "lmin<1<lmax required in muscle");
  if (prm[3] <= 0 || prm[6] <= 0 || prm[7] <= 0 || prm[8] <= 0) {
    return compile_error(c, e, "positive scale, vmax, fpmax, fvmax required in muscle");
  }
  return true;
}

static bool check_ranges(snCompile* c, const snElement* e, mjsActuator* a, bool limited[3]) {
  if (!compile_limited(c, e, "forcelimited", "forcerange", a->forcelimited, a->forcerange,
                       &limited[0]) ||
      !compile_limited(c, e, "ctrllimited", "ctrlrange", a->ctrllimited, a->ctrlrange,
                       &limited[1]) ||
      !compile_limited(c, e, "actlimited", "actrange", a->actlimited, a->actrange, &limited[2])) {
    return false;
  }
  if (limited[0] && !(a->forcerange[0] < a->forcerange[1])) {
    return compile_error(c, e, "invalid force range for actuator");
  }
  if (limited[1] && !(a->ctrlrange[0] < a->ctrlrange[1])) {
    return compile_error(c, e, "invalid control range for actuator");
  }
  if (limited[2] && !(a->actrange[0] < a->actrange[1])) {
    return compile_error(c, e, "invalid actrange for actuator");
  }
  if (limited[2] && a->dyntype == mjDYN_NONE) {
    return compile_error(c, e, "actrange specified but dyntype is 'none' in actuator");
  }
  return true;
}

static bool transmission(snCompile* c, const snElement* e, const mjsActuator* a, int id[2]) {
  mjtObj type = actuator_objtype(a);
  const char* target = string_text(a->target);
  id[0] = id[1] = -1;
  if (type == mjOBJ_UNKNOWN || !*target) {
    return compile_error(c, e, "missing transmission target for actuator");
  }
  const snElement* found = spec_find(c->spec, type, target);
  if (!found) {
    return compile_error(c, e, "unknown transmission target '%s' for actuator id = %d", target,
                         e->id);
  }
  id[0] = found->id;
  if (a->trntype == mjTRN_SLIDERCRANK) {
    if (string_empty(a->slidersite)) {
      return compile_error(c, e, "missing base site for slider-crank '%s' (id = %d)",
                           string_text(&e->name), e->id);
    }
    if (!(a->cranklength > 0))
      return compile_error(c, e, "crank length must be positive in actuator");
    const snElement* slider = spec_find(c->spec, mjOBJ_SITE, string_text(a->slidersite));
    if (!slider) {
      return compile_error(c, e, "base site '%s' not found for actuator %d",
                           string_text(a->slidersite), e->id);
    }
    id[1] = slider->id;
  }
  if (a->trntype == mjTRN_SITE && !string_empty(a->refsite)) {
    const snElement* reference = spec_find(c->spec, mjOBJ_SITE, string_text(a->refsite));
    if (!reference) {
      return compile_error(c, e, "reference site '%s' not found for actuator %d",
                           string_text(a->refsite), e->id);
    }
    id[1] = reference->id;
  }
  return true;
}

bool compile_fill_actuator(snCompile* c, snElement* e) {
  mjModel* m = c->m;
  mjsActuator* a = &e->u.actuator;
  int i = e->id;
  bool limited[3];
  const char* problem = actuator_inherit(c->spec, a, true);
  if (*problem) return compile_error(c, e, "%s", problem);
  if (!check_ranges(c, e, a, limited)) return false;
  if (a->gaintype == mjGAIN_MUSCLE && !check_muscle(c, e, a->gainprm)) return false;
  if (a->biastype == mjBIAS_MUSCLE && !check_muscle(c, e, a->biasprm)) return false;
  if (!transmission(c, e, a, m->actuator_trnid + 2 * i) ||
      !compile_plugin_id(c, e, &a->plugin, &m->actuator_plugin[i])) {
    return false;
  }
  m->actuator_trntype[i] = a->trntype;
  m->actuator_dyntype[i] = a->dyntype;
  m->actuator_gaintype[i] = a->gaintype;
  m->actuator_biastype[i] = a->biastype;
  m->actuator_actadr[i] = e->adr[0];
  m->actuator_actnum[i] = a->actdim;
  m->actuator_group[i] = a->group;
  m->actuator_forcelimited[i] = limited[0];
  m->actuator_ctrllimited[i] = limited[1];
  m->actuator_actlimited[i] = limited[2];
  m->actuator_actearly[i] = a->actearly;
  m->actuator_cranklength[i] = a->cranklength;
  memcpy(m->actuator_dynprm + mjNDYN * i, a->dynprm, sizeof a->dynprm);
  memcpy(m->actuator_gainprm + mjNGAIN * i, a->gainprm, sizeof a->gainprm);
  memcpy(m->actuator_biasprm + mjNBIAS * i, a->biasprm, sizeof a->biasprm);
  memcpy(m->actuator_ctrlrange + 2 * i, a->ctrlrange, sizeof a->ctrlrange);
  memcpy(m->actuator_forcerange + 2 * i, a->forcerange, sizeof a->forcerange);
  memcpy(m->actuator_actrange + 2 * i, a->actrange, sizeof a->actrange);
  memcpy(m->actuator_lengthrange + 2 * i, a->lengthrange, sizeof a->lengthrange);
  memcpy(m->actuator_gear + 6 * i, a->gear, sizeof a->gear);
  int n = doubles_count(a->userdata);
  for (int k = 0; k < n && k < m->nuser_actuator; k++) {
    m->actuator_user[m->nuser_actuator * i + k] = doubles_data(a->userdata)[k];
  }
  return true;
}
