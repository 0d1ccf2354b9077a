// What was done how: names in the report, what keeps the analytic way from a model, and the table
// of parts.
#include "collide/collide.h"
#include "constrain/constrain.h"
#include "derive/private.h"
#include "integrate/integrate.h"
#include "hard/hard.h"
#include "maximal/maximal.h"

void report_clear(snDeriveReport* r) {
  memset(r, 0, sizeof *r);
  r->nearest = INFINITY;
}

snDeriveReport* report_begin(snDeriveReport* asked, snDeriveReport* own) {
  report_clear(asked ? asked : own);
  if (asked) return asked;
  own->nearest = -INFINITY;  // nothing is nearer
  return own;
}

bool report_asked(const snDeriveReport* r) { return r->nearest > -INFINITY; }

// Names are listed once.
static void name_add(char* list, const char* name) {
  size_t used = strlen(list), n = strlen(name);
  for (const char* at = list; (at = strstr(at, name)); at += n) {
    bool begins = at == list || at[-1] == ' ', ends = !at[n] || at[n] == ';';
    if (begins && ends) return;
  }
  if (used + n + 3 > snNREPORT) return;
  snprintf(list + used, snNREPORT - used, "%s%s", used ? "; " : "", name);
}

void report_differenced(snDeriveReport* r, const char* name) { name_add(r->differenced, name); }
void report_unsupported(snDeriveReport* r, const char* name) { name_add(r->unsupported, name); }
void report_note(snDeriveReport* r, const char* name) { name_add(r->noted, name); }

// Names of one list that another one lacks.
static void names_merge(char* to, const char* from) {
  char name[snNREPORT];
  for (const char* end; *from; from = *end ? end + 2 : end) {
    end = strstr(from, "; ");
    if (!end) end = from + strlen(from);
    size_t n = (size_t)(end - from);
    SN_ASSERT(n < sizeof name);
    memcpy(name, from, n);
    name[n] = 0;
    name_add(to, name);
  }
}

void report_merge(snDeriveReport* to, const snDeriveReport* from) {
  to->whole |= from->whole;
  to->raised = from->raised > to->raised ? from->raised : to->raised;
  to->residual = fmax(to->residual, from->residual);
  report_switch(to, from->nearest, from->nearest_kind, from->nearest_id);
  names_merge(to->differenced, from->differenced);
  names_merge(to->unsupported, from->unsupported);
  names_merge(to->noted, from->noted);
}

int report_finish(const char* function, snDeriveReport* r, bool there) {
  r->ok = there;
  if (!there) {
    mju_error("%s: %s", function, r->unsupported[0] ? r->unsupported : "no memory left");
  }
  return there;
}

// ---- what is not taken apart

static const char* actuator_obstacle(const mjModel* m) {
  for (int a = 0; a < m->nu; a++) {
    if (m->actuator_gaintype[a] > mjGAIN_MUSCLE) return "user gains";
    if (m->actuator_biastype[a] > mjBIAS_MUSCLE) return "user biases";
    if (m->actuator_dyntype[a] > mjDYN_MUSCLE) return "user activation dynamics";
    int type = m->actuator_trntype[a];
    bool slope =
        (m->actuator_biastype[a] == mjBIAS_AFFINE && m->actuator_biasprm[mjNBIAS * a + 2] != 0) ||
        (m->actuator_gaintype[a] == mjGAIN_AFFINE && m->actuator_gainprm[mjNGAIN * a + 2] != 0) ||
        m->actuator_gaintype[a] == mjGAIN_MUSCLE;
    if (type == mjTRN_BODY && slope) return "adhesion that depends on velocity";
    if (type == mjTRN_TENDON && m->tendon_actfrclimited[m->actuator_trnid[2 * a]] &&
        m->actuator_gear[6 * a] == 0) {
      return "actuators without gear at limits of the force of tendons";
    }
  }
  return NULL;
}

const char* report_obstacle(const mjModel* m, const mjData* d) {
  if (anchor_instance(m) >= 0) return "friction that holds";
  if (model_plugins(m)) return "plugins";
  if (constrain_closes(m)) return "loops closed after the step";
  if (constrain_physical(m)) return "contact stiffness in N/m";
  if (constrain_grain(m)) return "friction by direction";
  if (has_callbacks(m)) return "callbacks";
  if (collide_custom()) return "colliders of the user";
  if (m->nflex) return "flexes";
  if (hard_active(m, d)) return "hard contact";
  if (maximal_active(m)) return "maximal coordinates";
  if (m->opt.noslip_iterations) return "noslip";
  for (int i = 0; i < m->ntendon; i++) {
    if (m->tendon_armature[i] != 0 && m->wrap_type[m->tendon_adr[i]] != mjWRAP_JOINT) {
      return "armature of spatial tendons";
    }
  }
  return actuator_obstacle(m);
}

// ---- the nearest switch

void report_switch(snDeriveReport* r, double far, int kind, int id) {
  if (!(far < r->nearest)) return;
  r->nearest = far;
  r->nearest_kind = kind;
  r->nearest_id = id;
}

// Rows switch where their residual passes zero or their friction bound, cones at the borders of
// their zones, contacts where they leave their margin.
void report_switches(snTangent* t) {
  const mjData* d = t->d;
  for (int i = d->ne; i < d->nefc;) {
    int type = d->efc_type[i];
    if (i < d->ne + d->nf) {
      double edge = d->efc_R[i] * d->efc_frictionloss[i];
      report_switch(t->report, fabs(fabs(t->jar[i]) - edge), snSWITCH_ROW, i);
    } else if (type == mjCNSTR_CONTACT_ELLIPTIC) {
      const mjContact* con = d->contact + d->efc_id[i];
      double N = con->mu * t->jar[i], T = 0;
      for (int k = 1; k < con->dim; k++) {
        double u = con->friction[k - 1] * t->jar[i + k];
        T += u * u;
      }
      T = sqrt(T);
      report_switch(t->report, fabs(N - con->mu * T), snSWITCH_ROW, i);
      report_switch(t->report, fabs(con->mu * N + T), snSWITCH_ROW, i);
      i += con->dim;
      continue;
    } else {
      report_switch(t->report, fabs(t->jar[i]), snSWITCH_ROW, i);
    }
    i++;
  }
  for (int c = 0; c < d->ncon; c++) {
    report_switch(t->report, fabs(d->contact[c].includemargin - d->contact[c].dist),
                  snSWITCH_CONTACT, c);
  }
}
