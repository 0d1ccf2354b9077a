// mj_step in maximal coordinates, for models that ask for them:
//
//   <custom><text name="sinew:coordinates" data="maximal"/></custom>
//
// The state stays qpos and qvel. Forward dynamics places bodies by them, steps the bodies, and
// reads joint coordinates back: qacc = (v' - v) / h. So a state that is saved, restored or copied
// steps to the same bits; impulses of the step before are not used.
#include <math.h>
#include <string.h>

#include "data/frame.h"
#include "hard/hard.h"
#include "maximal/maximal.h"

// What d remembers: its bodies, and whether they stand where the next step ends.
typedef struct snCoordinates_ {
  snMaximal* x;
  const void* buffer;  // arrays of its model
  bool stepped;
} snCoordinates;

static void coordinates_free(void* block) {
  snCoordinates* c = block;
  sn_deleteMaximal(c->x);
  memory_free(c);
}

bool maximal_active(const mjModel* m) {
  const char* text = asked_text(m, "sinew:coordinates");
  return text && !strcmp(text, "maximal");
}

bool maximal_check(const mjModel* m, snFault* fault) {
  return !maximal_active(m) || maximal_check_model(m, fault);
}

// The solver and settings that d has chosen, as far as maximal coordinates have them.
static void options(const mjModel* m, const mjData* d, snMaximalOption* opt) {
  const char* stepping = asked_text(m, "sinew:stepping");
  snSolverSettings set;
  sn_defaultMaximal(opt);
  if (sn_getSettings(m, d, &set)) {
    opt->solver = sn_getSolver(m, d);
    opt->settings = set;
  }
  opt->settings.warmstart = snWARM_ZERO;
  opt->stepping = stepping && !strcmp(stepping, "moreau") ? snSTEPPING_MOREAU : snSTEPPING_EULER;
}

static snCoordinates* coordinates_of(const mjModel* m, mjData* d) {
  snCache* cache = data_cache(d, snROOM_MAXIMAL);
  snCoordinates* c = cache->block;
  snMaximalOption opt;
  char error[500];
  options(m, d, &opt);
  // a model that shares its arrays may differ in options alone (step/extrapolate.c)
  if (c && c->buffer == m->buffer) c->x->model = m;
  if (c && c->x->model == m && dual_find(opt.solver) == ((snMaximalWhole*)c->x)->solver) {
    c->x->opt = opt;
    return c;
  }
  if (!c) {
    c = memory_alloc_zero(sizeof *c);
    if (!c) {
      mju_error("maximal coordinates: no memory");
      return NULL;
    }
    cache->block = c;
    cache->free = coordinates_free;
  }
  sn_deleteMaximal(c->x);
  c->x = sn_makeMaximal(m, &opt, error, sizeof error);
  c->buffer = m->buffer;
  if (c->x) {
    ((snMaximalWhole*)c->x)->embedded = true;
    return c;
  }
  cache->block = NULL;
  memory_free(c);
  mju_error("maximal coordinates: %s", error);
  return NULL;
}

// Constraint forces are what smooth forces leave of M qacc; efc_force is not known row by row.
void maximal_solve(const mjModel* m, mjData* d) {
  tape_attend(d, ((snData*)d)->vigil);
  int nv = m->nv;
  snCoordinates* c = coordinates_of(m, d);
  snStepped stepped = snSTEPPED_NO_MEMORY;
  mju_zero(d->efc_force, d->nefc);
  if (c) {
    sn_setMaximal(c->x, d);
    stepped = maximal_step(c->x);
    c->stepped = stepped == snSTEPPED_GOOD;
  }
  if (stepped == snSTEPPED_NO_MEMORY) {
    mju_copy(d->qacc, d->qacc_smooth, nv);
    mju_zero(d->qfrc_constraint, nv);
    return;
  }
  sn_getMaximal(c->x, c->x->data);
  for (int i = 0; i < nv; i++) {
    d->qacc[i] = (c->x->data->qvel[i] - d->qvel[i]) / m->opt.timestep;
  }
  // a bad state of the bodies is one of d: the documented check of accelerations resets it
  if (!c->stepped && nv) d->qacc[0] = NAN;
  mju_copy(d->qacc_warmstart, d->qacc, nv);
  mj_mulM(m, d, d->qfrc_constraint, d->qacc);
  mju_subFrom(d->qfrc_constraint, d->qfrc_smooth, nv);
  hard_keep_report(m, d, &c->x->report);
  hard_keep_held(m, d, ((snMaximalWhole*)c->x)->held);
}

void maximal_advance(const mjModel* m, mjData* d) {
  snCoordinates* c = data_cache(d, snROOM_MAXIMAL)->block;
  if (!c || !c->stepped) return;
  hard_count(m, d);
  mju_copy(d->qpos, c->x->data->qpos, m->nq);
  mju_copy(d->qvel, c->x->data->qvel, m->nv);
  mju_copy(d->act, c->x->data->act, m->na);
  d->time = c->x->data->time;
  c->stepped = false;
}
