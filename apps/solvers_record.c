// Scenarios of the solver benchmark, and dual problems recorded from them.
#include <math.h>
#include <string.h>

#include "sinew.h"
#include "solvers.h"

const char* const scenario_names[kScenarioCount] = {"drop", "push", "drive"};

// What a scenario changes in the model. Friction differs, since weak and strong friction part the
// contact solvers; a fixed system is dropped by leaning its base towards its obstacle, so that it
// comes to rest against it. Dropped systems are limp.
void scenario_stage(mjModel* m, const mjModel* plain, int id, int scenario) {
  static const double kFriction[kScenarioCount] = {0.3, 0.8, 1.5};
  static const double kLean[kScenarioCount] = {0.4, 0, 0};  // rad
  for (int i = 0; i < m->ngeom; i++) m->geom_friction[3 * i] = kFriction[scenario];
  m->opt.disableflags = plain->opt.disableflags | (scenario == kDrop ? mjDSBL_ACTUATION : 0);
  double lean = systems[id].fixed ? kLean[scenario] : 0;
  m->opt.gravity[0] = 9.81 * sn_sin(lean);
  m->opt.gravity[2] = -9.81 * sn_cos(lean);
}

// Drop: a free system starts above the floor, tilted.
void scenario_begin(snMaximal* x, int scenario, unsigned long long* seed) {
  const mjModel* m = x->model;
  mjData* d = x->data;
  mj_resetData(m, d);
  if (scenario == kDrop && m->njnt && m->jnt_type[0] == mjJNT_FREE && !m->neq) {
    double tilt[3] = {0.4 * random_unit(seed) - 0.2, 0.4 * random_unit(seed) - 0.2, 0};
    d->qpos[2] += 0.05 + 0.1 * random_unit(seed);
    mju_quatIntegrate(d->qpos + 3, tilt, 1);
  }
  sn_setMaximal(x, d);
}

void scenario_act(const mjModel* m, mjData* d, int scenario, unsigned long long* seed,
                  int* pushed) {
  double t = d->time;
  for (int i = 0; i < m->nu; i++) {
    d->ctrl[i] = scenario == kDrive ? 0.5 * sn_sin(2 * mjPI * 0.7 * t + i) : 0;
  }
  // a push of 50 ms with three times the weight of some body, every 200 ms
  if (scenario != kPush) return;
  double beat = floor(t / 0.2), phase = t - 0.2 * beat;
  if (phase < m->opt.timestep) *pushed = 1 + (int)(random_unit(seed) * (m->nbody - 1));
  mju_zero(d->xfrc_applied, 6 * m->nbody);
  if (phase < 0.05 && *pushed > 0) {
    double* f = d->xfrc_applied + 6 * *pushed;
    double force = 3 * 9.81 * m->body_mass[*pushed], angle = 2 * mjPI * beat / 5;
    f[0] = force * sn_cos(angle);
    f[1] = force * sn_sin(angle);
  }
}

// ---- recording

typedef struct Tape_ {
  Samples* samples;
  const char *system, *scenario;
  bool wanted, failed;
  bool touching, last;  // waits for contact, or for its absence, until the last step
} Tape;

static void record(void* context, const snMaximal* x, const snRows* r, const snDual* p) {
  Tape* tape = context;
  if (!tape->wanted || !p->n || (tape->touching != (x->data->ncon > 0) && !tape->last)) return;
  tape->failed |= !samples_add(tape->samples, tape->system, tape->scenario, x, r, p);
  tape->wanted = false;
}

// One scenario: one sample from each of `samples` equal intervals, from a random step on; the
// first, the third and so on, and the last, wait until something touches, the others until nothing
// does, all of them until their interval ends.
static bool record_scenario(const Options* o, snMaximal* x, Tape* tape, int scenario,
                            unsigned long long* seed, double done, double share) {
  const mjModel* m = x->model;
  char what[64];
  int n = (int)(o->seconds / m->opt.timestep + 0.5), pushed = 0;
  int span = n / o->samples > 0 ? n / o->samples : 1, at = (int)(random_unit(seed) * span);
  snprintf(what, sizeof what, "%s: %s", tape->system, tape->scenario);
  scenario_begin(x, scenario, seed);
  for (int i = 0; i < n; i++) {
    if (i % span == 0) tape->wanted = false;
    if (i % span == at && i / span < o->samples) {
      tape->wanted = true;
      tape->touching = i / span % 2 == 0 || i / span == o->samples - 1;
    }
    tape->last = i % span == span - 1;
    if (tape->last) at = (int)(random_unit(seed) * span);
    scenario_act(m, x->data, scenario, seed, &pushed);
    sn_stepMaximal(x);
    if (i % 50 == 0) progress(done + share * i / n, what);
  }
  return !tape->failed;
}

static bool record_system(const Options* o, int id, Samples* samples, double done, double share) {
  mjModel *plain = system_model(id), *m = plain ? mj_copyModel(NULL, plain) : NULL;
  if (m) m->opt.timestep *= o->step;
  snMaximal* x = m ? system_make(m, o->drive) : NULL;
  unsigned long long seed = o->seed * 1000 + id;
  bool good = x != NULL;
  for (int s = 0; good && s < kScenarioCount; s++) {
    Tape tape = {.samples = samples, .system = systems[id].name, .scenario = scenario_names[s]};
    scenario_stage(m, plain, id, s);
    ((snMaximalWhole*)x)->record = record;
    ((snMaximalWhole*)x)->record_context = &tape;
    good = record_scenario(o, x, &tape, s, &seed, done + share * s / kScenarioCount,
                           share / kScenarioCount);
  }
  sn_deleteMaximal(x);
  mj_deleteModel(m);
  mj_deleteModel(plain);
  return good;
}

bool record_samples(const Options* o, Samples* samples) {
  bool good = !o->read || samples_read(samples, o->read);
  int chosen = 0, done = 0;
  for (int id = 0; id < kSystems; id++) chosen += o->system[id];
  for (int id = 0; good && !o->read && id < kSystems; id++) {
    if (!o->system[id]) continue;
    good = record_system(o, id, samples, (double)done / chosen, 1.0 / chosen);
    done++;
  }
  if (!o->read) progress(1, "recorded");
  if (good && !samples->n) {
    fprintf(stderr, o->read ? "%s: there is no sample in it\n" : "no problem was recorded%.0s\n",
            o->read ? o->read : "");
    good = false;
  }
  return good;
}
