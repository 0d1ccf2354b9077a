// Which solver steps a model or a data, with which settings: names in MJCF and the functions of
// sinew/solver.h.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hard/private.h"

#define PREFIX "sinew:"

// ---- settings by name

typedef enum snSettingType_ { snSETTING_INT, snSETTING_NUM } snSettingType;

typedef struct snSetting_ {
  const char* name;
  size_t offset;
  snSettingType type;
  mjtNum low, high;
} snSetting;

#define INT(field, low, high) \
  { #field, offsetof(snSolverSettings, field), snSETTING_INT, low, high }
#define NUM(field, low, high) \
  { #field, offsetof(snSolverSettings, field), snSETTING_NUM, low, high }

static const snSetting settings_by_name[] = {
    INT(iterations, 1, 1e9),  INT(form, 0, 2),         INT(penalty, 0, 3),
    INT(warmstart, 0, 2),     INT(stabilize, 0, 1),    INT(soften, 0, 1),
    INT(polish, 0, 1),        INT(impact, 0, 3),       INT(scale_rows, 0, 1),
    INT(exact_joints, 0, 1),  INT(shift_blocks, 0, 1), INT(safe_steps, 0, 1),
    INT(leave_edges, 0, 1),   INT(drop_rows, 0, 1),    INT(keep_best, 0, 1),
    INT(by_natural, 0, 1),    INT(settle, 0, 1),       INT(critical, 0, 1),
    NUM(tol_primal, 0, 1),    NUM(tol_dual, 0, 1),     NUM(tol_compl, 0, 1),
    NUM(aim, 1e-9, 1),        NUM(tol_iterate, 0, 1),  NUM(tol_objective, 0, 1),
    NUM(omega, 0, 2),         NUM(omega_min, 0, 2),    NUM(omega_decay, 0, 1),
    NUM(eta, 0, 1),           NUM(rho, 0, 1e9),        NUM(rho_ratio, 1, 1e9),
    NUM(rho_factor, 1, 1e9),  NUM(rho_power, 0, 1),    NUM(barrier, 1e-15, 1),
    NUM(epsilon, 1e-15, 1e9), NUM(kappa, 1e-15, 1e9),  NUM(erp_joint, 0, 1),
    NUM(erp_limit, 0, 1),     NUM(erp_contact, 0, 1),  NUM(slop, 0, 1),
};
enum { NSETTING = sizeof(settings_by_name) / sizeof(settings_by_name[0]) };

static const snSetting* find_setting(const char* name) {
  for (int i = 0; i < NSETTING; i++) {
    if (!strcmp(settings_by_name[i].name, name)) return settings_by_name + i;
  }
  return NULL;
}

static void put_setting(snSolverSettings* set, const snSetting* s, mjtNum value) {
  char* at = (char*)set + s->offset;
  if (s->type == snSETTING_INT) {
    int whole = (int)value;
    memcpy(at, &whole, sizeof whole);
  } else {
    memcpy(at, &value, sizeof value);
  }
}

static mjtNum take_setting(const snSolverSettings* set, const snSetting* s) {
  const char* at = (const char*)set + s->offset;
  if (s->type == snSETTING_INT) {
    int whole;
    memcpy(&whole, at, sizeof whole);
    return whole;
  }
  mjtNum value;
  memcpy(&value, at, sizeof value);
  return value;
}

static bool in_range(const snSetting* s, mjtNum value) {
  return value >= s->low && value <= s->high && (s->type == snSETTING_NUM || value == floor(value));
}

// ---- names in the model

static const char* custom_name(const mjModel* m, int adr) {
  const char* name = names_text(m, adr);
  return strncmp(name, PREFIX, strlen(PREFIX)) ? NULL : name + strlen(PREFIX);
}

const char* const law_names[] = {"newton", "poisson", "energetic", "sequential", NULL};
const int law_count = sizeof(law_names) / sizeof(law_names[0]) - 1;

// Number of an impact law, or -1
static int find_law(const char* name) {
  for (int i = 0; name && i < law_count; i++) {
    if (!strcmp(law_names[i], name)) return i;
  }
  return -1;
}

static int model_law(const mjModel* m) { return find_law(asked_text(m, PREFIX "impact")); }

static const char* model_solver_name(const mjModel* m) { return asked_text(m, PREFIX "solver"); }

static void list_settings(char* text, size_t room) {
  size_t at = 0;
  for (int i = 0; i < NSETTING && at < room; i++) {
    at += (size_t)snprintf(text + at, room - at, "%s%s", i ? ", " : "", settings_by_name[i].name);
  }
}

static bool check_tuple(const mjModel* m, int i, int kind, snFault* fault) {
  const char* name = asked_tuple_kind[kind].name;
  for (int k = m->tuple_adr[i]; k < m->tuple_adr[i] + m->tuple_size[i]; k++) {
    if (m->tuple_objtype[k] != mjOBJ_GEOM) {
      return fault_raise(fault, "tuple 'sinew:%s': element %d is not a geom", name,
                         k - m->tuple_adr[i]);
    }
    mjtNum e = m->tuple_objprm[k];
    if (!(e >= asked_tuple_kind[kind].low && e <= asked_tuple_kind[kind].high)) {
      return fault_raise(fault, "tuple 'sinew:%s': geom '%s' has prm %g, expected %g to %g", name,
                         names_text(m, m->name_geomadr[m->tuple_objid[k]]), e,
                         asked_tuple_kind[kind].low, asked_tuple_kind[kind].high);
    }
  }
  return true;
}

static bool has_geom(const mjModel* m, const char* name, int geom) {
  int i = asked_tuple(m, name);
  for (int k = 0; i >= 0 && k < m->tuple_size[i]; k++) {
    int at = m->tuple_adr[i] + k;
    if (m->tuple_objtype[at] == mjOBJ_GEOM && m->tuple_objid[at] == geom) return true;
  }
  return false;
}

// Dissipation is that of a spring, and the only law of an impact.
static bool check_dissipation(const mjModel* m, int i, snFault* fault) {
  for (int k = m->tuple_adr[i]; k < m->tuple_adr[i] + m->tuple_size[i]; k++) {
    int geom = m->tuple_objid[k];
    const char* name = names_text(m, m->name_geomadr[geom]);
    if (!has_geom(m, PREFIX "stiffness", geom)) {
      return fault_raise(
          fault, "tuple 'sinew:dissipation': geom '%s' has no number in 'sinew:stiffness'", name);
    }
    if (has_geom(m, PREFIX "damping", geom) || has_geom(m, PREFIX "restitution", geom)) {
      return fault_raise(fault,
                         "tuple 'sinew:dissipation': geom '%s' is in 'sinew:damping' or "
                         "'sinew:restitution' too; expected one of the three",
                         name);
    }
  }
  return true;
}

// Texts whose value is one word of a few. sinew:sleep takes a speed in m/s besides.
#define WORDS(...) ((const char* const[]){__VA_ARGS__, NULL})
static const struct {
  const char* name;
  const char* const* word;
} text_kind[] = {
    {"impact", law_names},
    {"friction", WORDS("soft", "stick")},
    {"loops", WORDS("soft", "closed")},
    {"sleep", WORDS("off", "on")},
    {"report", WORDS("off", "on")},
    {"coordinates", WORDS("minimal", "maximal")},
    {"stepping", WORDS("euler", "moreau", "richardson")},
};
enum { TEXT_KINDS = sizeof(text_kind) / sizeof(text_kind[0]) };

static bool is_speed(const char* value) {
  char* end;
  mjtNum speed = strtod(value, &end);
  return end != value && !*end && speed > 0 && speed < mjMAXVAL;
}

static bool check_word(int kind, const char* value, snFault* fault) {
  char words[100] = "";
  const char* const* word = text_kind[kind].word;
  bool speed = !strcmp(text_kind[kind].name, "sleep");
  for (int i = 0; word[i]; i++) {
    if (!strcmp(value, word[i])) return true;
    bool last = !speed && !word[i + 1];
    strcat(strcat(words, !i ? "" : last ? " or " : ", "), word[i]);
  }
  if (speed && is_speed(value)) return true;
  return fault_raise(fault, "text 'sinew:%s' is '%s', expected %s%s", text_kind[kind].name, value,
                     words, speed ? " or a speed in m/s" : "");
}

static bool check_text(const char* name, const char* value, snFault* fault) {
  char known[1000];
  for (int i = 0; i < TEXT_KINDS; i++) {
    if (!strcmp(name, text_kind[i].name)) return check_word(i, value, fault);
  }
  if (strcmp(name, "solver")) {
    size_t at = (size_t)snprintf(known, sizeof known, "sinew:solver");
    for (int i = 0; i < TEXT_KINDS; i++) {
      at += (size_t)snprintf(known + at, sizeof known - at, "%ssinew:%s",
                             i + 1 < TEXT_KINDS ? ", " : " and ", text_kind[i].name);
    }
    return fault_raise(fault, "text 'sinew:%s' is unknown; there are %s", name, known);
  }
  if (!strcmp(value, "soft") || dual_find(value)) return true;
  return fault_raise(fault, "text 'sinew:solver': there is no solver '%s'; there are soft, %s",
                     value, dual_names(known, sizeof known));
}

static bool check_numeric(const mjModel* m, int i, const char* name, snFault* fault) {
  char known[1000];
  const snSetting* s = find_setting(name);
  if (!s) {
    list_settings(known, sizeof known);
    return fault_raise(
        fault, "numeric 'sinew:%s' is unknown; there are %s, each behind sinew:", name, known);
  }
  if (m->numeric_size[i] == 1 && in_range(s, m->numeric_data[m->numeric_adr[i]])) return true;
  return fault_raise(fault, "numeric 'sinew:%s': expected one %snumber from %g to %g", name,
                     s->type == snSETTING_INT ? "whole " : "", s->low, s->high);
}

static bool check_kind_of_tuple(const mjModel* m, int i, const char* name, snFault* fault) {
  int kind = 0;
  while (kind < ASKED_TUPLES && strcmp(name, asked_tuple_kind[kind].name)) kind++;
  if (kind == ASKED_TUPLES) {
    return fault_raise(fault, "tuple 'sinew:%s' is unknown; there are sinew:%s", name,
                       "restitution, sinew:stiffness, sinew:damping, sinew:dissipation, "
                       "sinew:across, sinew:backward and sinew:kinetic");
  }
  const char* friction = asked_text(m, PREFIX "friction");
  if (asked_tuple_kind[kind].sticks && (!friction || strcmp(friction, "stick"))) {
    return fault_raise(fault, "tuple 'sinew:%s' needs the text 'sinew:friction' = 'stick'", name);
  }
  return check_tuple(m, i, kind, fault) &&
         (strcmp(name, "dissipation") || check_dissipation(m, i, fault));
}

bool hard_check(const mjModel* m, snFault* fault) {
  const char* name;
  for (int i = 0; i < m->ntext; i++) {
    name = custom_name(m, m->name_textadr[i]);
    if (name && !check_text(name, m->text_data + m->text_adr[i], fault)) return false;
  }
  for (int i = 0; i < m->nnumeric; i++) {
    name = custom_name(m, m->name_numericadr[i]);
    if (name && !check_numeric(m, i, name, fault)) return false;
  }
  for (int i = 0; i < m->ntuple; i++) {
    name = custom_name(m, m->name_tupleadr[i]);
    if (name && !check_kind_of_tuple(m, i, name, fault)) return false;
  }
  return true;
}

// ---- what d remembers

snHard* hard_of(const mjData* d) { return ((const snData*)d)->cache[snROOM_HARD].block; }

static void hard_free(void* block) {
  snHard* hard = block;
  memory_free(hard->restitution);
  memory_free(hard->velocity);
  memory_free(hard->impulse);
  memory_free(hard);
}

snHard* hard_make(const mjModel* m, mjData* d) {
  snCache* cache = data_cache(d, snROOM_HARD);
  snHard* hard = cache->block;
  if (hard) return hard;
  hard = memory_alloc_zero(sizeof *hard);
  mjtNum* velocity = memory_alloc_zero(sizeof(mjtNum) * (size_t)(m->nv + 1));
  if (!hard || !velocity) {
    memory_free(hard);
    memory_free(velocity);
    mju_error("hard contact: no memory");
    return NULL;
  }
  hard->velocity = velocity;
  hard->nv = m->nv;
  cache->block = hard;
  cache->free = hard_free;
  return hard;
}

const snDualSolver* hard_solver(const mjModel* m, const mjData* d) {
  const snHard* hard = hard_of(d);
  if (hard && hard->chosen) return hard->chosen == 2 ? hard->solver : NULL;
  int chosen = ((const snModel*)m)->solver;
  if (chosen) return chosen > 1 ? dual_solvers + chosen - 2 : NULL;
  return dual_find(model_solver_name(m));
}

bool hard_active(const mjModel* m, const mjData* d) { return hard_solver(m, d) != NULL; }

void hard_settings(const mjModel* m, const mjData* d, const snDualSolver* solver,
                   snSolverSettings* set) {
  const snHard* hard = hard_of(d);
  if (hard && hard->have_settings) {
    *set = hard->settings;
    return;
  }
  dual_defaults(solver, set);
  int law = model_law(m);
  if (law >= 0) set->impact = law;
  for (int i = 0; i < m->nnumeric; i++) {
    const char* name = custom_name(m, m->name_numericadr[i]);
    const snSetting* s = name ? find_setting(name) : NULL;
    mjtNum value = m->numeric_data[m->numeric_adr[i]];
    if (s && in_range(s, value)) put_setting(set, s, value);
  }
}

bool restitution_asked(const mjModel* m, const mjData* d, mjtNum* e) {
  const snHard* hard = hard_of(d);
  bool program = hard && hard->restitution;
  int tuple = asked_tuple(m, PREFIX "restitution");
  if (!program && tuple < 0) return false;
  if (!e) return true;
  for (int i = 0; i < m->ngeom; i++) e[i] = NAN;
  for (int k = 0; tuple >= 0 && k < m->tuple_size[tuple]; k++) {
    int at = m->tuple_adr[tuple] + k, geom = m->tuple_objid[at];
    bool there = m->tuple_objtype[at] == mjOBJ_GEOM && geom >= 0 && geom < m->ngeom;
    if (there) e[geom] = mju_clip(m->tuple_objprm[at], 0, 1);
  }
  for (int i = 0; program && i < m->ngeom; i++) {
    if (!isnan(hard->restitution[i])) e[i] = hard->restitution[i];
  }
  return true;
}

void hard_restitution(const mjModel* m, const mjData* d, mjtNum* e) {
  if (!restitution_asked(m, d, e)) mju_zero(e, m->ngeom);
  for (int i = 0; i < m->ngeom; i++) {
    if (isnan(e[i])) e[i] = 0;
  }
}

// ---- sinew/solver.h

const char* sn_solverName(int i) {
  return i >= 0 && i < dual_solver_count ? dual_solvers[i].name : NULL;
}

int sn_solverDefaults(const char* name, snSolverSettings* settings) {
  const snDualSolver* solver = dual_find(name);
  if (solver) dual_defaults(solver, settings);
  return solver != NULL;
}

// 0 for none, 1 for soft, 2 + index for a dual solver; -1 after mju_error for a name there is not.
static int choice_of(const char* function, const char* name) {
  const snDualSolver* solver = dual_find(name);
  if (!name) return 0;
  if (!strcmp(name, "soft")) return 1;
  if (solver) return 2 + (int)(solver - dual_solvers);
  char known[1000];
  mju_error("%s: there is no solver '%s'; there are soft, %s", function, name,
            dual_names(known, sizeof known));
  return -1;
}

int sn_setSolver(const mjModel* m, mjData* d, const char* name) {
  int choice = choice_of("sn_setSolver", name);
  snHard* hard = choice < 0 ? NULL : hard_make(m, d);
  if (!hard) return 0;
  hard->chosen = choice < 2 ? choice : 2;
  hard->solver = choice < 2 ? NULL : dual_solvers + choice - 2;
  hard->have_settings = hard->reported = hard->moved = false;
  hard->nimpulse = 0;
  return 1;
}

int sn_setModelSolver(mjModel* m, const char* name) {
  int choice = choice_of("sn_setModelSolver", name);
  if (choice < 0) return 0;
  ((snModel*)m)->solver = choice;
  return 1;
}

const char* sn_getSolver(const mjModel* m, const mjData* d) {
  const snDualSolver* solver = hard_solver(m, d);
  return solver ? solver->name : "soft";
}

int sn_getSettings(const mjModel* m, const mjData* d, snSolverSettings* settings) {
  const snDualSolver* solver = hard_solver(m, d);
  if (solver) hard_settings(m, d, solver, settings);
  return solver != NULL;
}

int sn_setSettings(const mjModel* m, mjData* d, const snSolverSettings* settings) {
  if (!hard_active(m, d)) {
    mju_error("sn_setSettings: the model steps softly; choose a solver first");
    return 0;
  }
  for (int i = 0; i < NSETTING; i++) {
    const snSetting* s = settings_by_name + i;
    if (!in_range(s, take_setting(settings, s))) {
      mju_error("sn_setSettings: %s is %g, expected %g to %g", s->name, take_setting(settings, s),
                s->low, s->high);
      return 0;
    }
  }
  snHard* hard = hard_make(m, d);
  if (!hard) return 0;
  hard->settings = *settings;
  hard->have_settings = true;
  return 1;
}

int sn_setSetting(const mjModel* m, mjData* d, const char* name, mjtNum value) {
  const snSetting* s = name ? find_setting(name) : NULL;
  if (!s) {
    char known[1000];
    list_settings(known, sizeof known);
    mju_error("sn_setSetting: there is no setting '%s'; there are %s", name ? name : "", known);
    return 0;
  }
  snSolverSettings set;
  if (!sn_getSettings(m, d, &set)) {
    mju_error("sn_setSetting: the model steps softly; choose a solver first");
    return 0;
  }
  if (!in_range(s, value)) {
    mju_error("sn_setSetting: %s is %g, expected a %snumber from %g to %g", name, value,
              s->type == snSETTING_INT ? "whole " : "", s->low, s->high);
    return 0;
  }
  put_setting(&set, s, value);
  return sn_setSettings(m, d, &set);
}

const char* sn_impactName(int i) { return i >= 0 && i < law_count ? law_names[i] : NULL; }

int sn_setImpact(const mjModel* m, mjData* d, const char* name) {
  int law = find_law(name);
  if (law >= 0) return sn_setSetting(m, d, "impact", law);
  mju_error(
      "sn_setImpact: there is no impact law '%s'; there are newton, poisson, energetic, sequential",
      name ? name : "");
  return 0;
}

const char* sn_getImpact(const mjModel* m, const mjData* d) {
  snSolverSettings set;
  return sn_getSettings(m, d, &set) ? law_names[set.impact] : NULL;
}

const char* sn_settingName(int i) {
  return i >= 0 && i < NSETTING ? settings_by_name[i].name : NULL;
}

mjtNum sn_settingValue(const snSolverSettings* settings, int i) {
  return i >= 0 && i < NSETTING ? take_setting(settings, settings_by_name + i) : 0;
}

#define REPORT_INT(field) \
  { #field, offsetof(snSolverReport, field), snSETTING_INT }
#define REPORT_NUM(field) \
  { #field, offsetof(snSolverReport, field), snSETTING_NUM }
static const struct {
  const char* name;
  size_t offset;
  snSettingType type;
} report_by_name[] = {
    REPORT_INT(iterations),     REPORT_INT(converged),   REPORT_INT(finite),
    REPORT_INT(factorizations), REPORT_NUM(r_primal),    REPORT_NUM(r_dual),
    REPORT_NUM(r_compl),        REPORT_NUM(r_iterate),   REPORT_NUM(r_objective),
    REPORT_NUM(r_natural),      REPORT_NUM(r_ncp_dual),  REPORT_NUM(r_ncp_compl),
    REPORT_NUM(r_ncp_natural),  REPORT_NUM(r_pen),       REPORT_NUM(rho),
    REPORT_NUM(r_conflict),     REPORT_NUM(newton),      REPORT_NUM(objective),
    REPORT_INT(steps),          REPORT_INT(unconverged), REPORT_NUM(worst),
    REPORT_NUM(worst_time),     REPORT_NUM(r_inverse),
};
enum { NREPORT = sizeof(report_by_name) / sizeof(report_by_name[0]) };

const char* sn_reportName(int i) { return i >= 0 && i < NREPORT ? report_by_name[i].name : NULL; }

mjtNum sn_reportValue(const snSolverReport* report, int i) {
  if (i < 0 || i >= NREPORT) return 0;
  const char* at = (const char*)report + report_by_name[i].offset;
  int whole;
  mjtNum value;
  memcpy(&whole, at, sizeof whole);
  if (report_by_name[i].type == snSETTING_INT) return whole;
  memcpy(&value, at, sizeof value);
  return value;
}

void sn_setRestitution(const mjModel* m, mjData* d, int geom, mjtNum restitution) {
  if (!(restitution >= 0 && restitution <= 1)) {
    mju_error("sn_setRestitution: restitution is %g, expected 0 to 1", restitution);
    return;
  }
  snHard* hard = hard_make(m, d);
  if (hard && !hard->restitution) {
    hard->restitution = memory_alloc(sizeof(mjtNum) * (size_t)m->ngeom);
    if (!hard->restitution) {
      mju_error("sn_setRestitution: no memory");
      return;
    }
    for (int i = 0; i < m->ngeom; i++) hard->restitution[i] = NAN;
  }
  if (hard) hard->restitution[geom] = restitution;
}

mjtNum sn_getRestitution(const mjModel* m, const mjData* d, int geom) {
  const snHard* hard = hard_of(d);
  if (hard && hard->restitution && !isnan(hard->restitution[geom])) return hard->restitution[geom];
  int tuple = asked_tuple(m, PREFIX "restitution");
  mjtNum e = 0;
  for (int k = 0; tuple >= 0 && k < m->tuple_size[tuple]; k++) {
    int at = m->tuple_adr[tuple] + k;
    if (m->tuple_objtype[at] == mjOBJ_GEOM && m->tuple_objid[at] == geom) e = m->tuple_objprm[at];
  }
  return mju_clip(e, 0, 1);
}

int sn_getReport(const mjModel* m, const mjData* d, snSolverReport* report) {
  const snHard* hard = hard_of(d);
  if (!hard || !hard->reported) return 0;
  *report = hard->report;
  return 1;
}

void sn_clearCounts(const mjModel* m, mjData* d) {
  snHard* hard = hard_of(d);
  if (!hard) return;
  hard->report.steps = hard->report.unconverged = 0;
  hard->report.worst = hard->report.worst_time = 0;
}
