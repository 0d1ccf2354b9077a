// sinew solvers: the benchmark of dual solvers. Systems are dropped, pushed and driven in maximal
// coordinates; dual problems of these motions are recorded, and every solver solves each of them.
#include "solvers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sinew.h"
#include "systems.h"

typedef struct Options_ {
  bool system[kSystems];
  const snDualSolver* solver[kMaxSolvers];
  int nsolver, samples, iterations;
  double seconds, solved;
  unsigned long long seed;
  const char *out, *read, *drive;
} Options;

const char help_solvers[] =
    "Thirteen machines are dropped, pushed and driven in maximal coordinates; the\n"
    "dual problems on their way are recorded, and every solver solves every one.\n\n"
    "  --systems a,b,...   of the thirteen (default: all); --list names them\n"
    "  --solvers a,b,...   of the dual solvers (default: all)\n"
    "  --seconds S         of motion per system and scenario (1)\n"
    "  --samples N         problems recorded per system and scenario (4)\n"
    "  --iterations N      at most, per solve (1000)\n"
    "  --solved X          natural-map residual that counts as solved (1e-6)\n"
    "  --seed N            of pushes and of what is recorded (1)\n"
    "  --drive NAME        solver that moves the systems while recording (admm-ncp)\n"
    "  --out DIR           report.html, results.csv, samples.bin (solvers-report)\n"
    "  --read FILE         solve samples of a file instead of recording\n"
    "  --list              the systems and what is in them\n"
    "  --write DIR         the systems as MJCF files\n"
    "  --run S             step every system that long, with --drive; how it held\n"
    "  --ablation          every solver without each of Sinew's departures from its\n"
    "                      publication in turn, and as published\n"
    "  --table NAME        icra2010 or icra2011: tables of those papers\n";

// ---- progress: a bar on a terminal, lines elsewhere

static void progress(double share, const char* what) {
  enum { kWidth = 32 };
  static int last = -1;
  if (!isatty(2)) {
    int tenth = (int)(10 * share);
    if (tenth != last) fprintf(stderr, "%3d%% %s\n", 10 * tenth, what);
    last = tenth;
    return;
  }
  char bar[kWidth + 1];
  for (int i = 0; i < kWidth; i++) bar[i] = i < share * kWidth ? '#' : '.';
  bar[kWidth] = 0;
  fprintf(stderr, "\r[%s] %3.0f%% %-36.36s", bar, 100 * share, what);
  if (share >= 1) fprintf(stderr, "\n");
}

// ---- systems

static mjModel* system_model(int id) {
  enum { kRoom = 200000 };
  char* text = malloc(kRoom);
  char error[1000] = "";
  mjModel* m = NULL;
  if (text && system_text(id, text, kRoom) > 0) {
    mjSpec* spec = mj_parseXMLString(text, NULL, error, sizeof error);
    m = spec ? mj_compile(spec, NULL) : NULL;
    if (!m) fprintf(stderr, "%s: %s\n", systems[id].name, spec ? mjs_getError(spec) : error);
    mj_deleteSpec(spec);
  }
  free(text);
  return m;
}

static snMaximal* system_make(const mjModel* m, const char* solver) {
  char error[1000];
  snMaximalOption opt;
  sn_defaultMaximal(&opt);
  if (strcmp(solver, opt.solver)) {
    double erp = opt.settings.erp_joint;
    opt.solver = solver;
    dual_defaults(dual_find(solver), &opt.settings);
    opt.settings.erp_joint = erp;
  }
  opt.keep_fixed = 1;
  snMaximal* x = sn_makeMaximal(m, &opt, error, sizeof error);
  if (!x) fprintf(stderr, "%s\n", error);
  return x;
}

static int list(void) {
  printf("%-14s %-5s %6s %6s %6s %6s %6s %11s %10s\n", "system", "base", "bodies", "joints", "dofs",
         "free", "driven", "constraints", "mass ratio");
  for (int id = 0; id < kSystems; id++) {
    mjModel* m = system_model(id);
    snMaximal* x = m ? system_make(m, "admm-ncp") : NULL;
    if (x) {
      snMaximalCount c;
      sn_countMaximal(x, &c);
      printf("%-14s %-5s %6d %6d %6d %6d %6d %11d %10.2f\n", systems[id].name,
             c.fixed_base ? "fixed" : "free", c.bodies, c.joints, systems[id].total,
             systems[id].passive, c.actuated, c.constraints, c.mass_ratio);
    }
    sn_deleteMaximal(x);
    mj_deleteModel(m);
  }
  return 0;
}

static int write_systems(const char* directory) {
  enum { kRoom = 200000 };
  char* text = malloc(kRoom);
  mkdir(directory, 0777);
  for (int id = 0; id < kSystems; id++) {
    char path[4096];
    int n = text ? system_text(id, text, kRoom) : -1;
    snprintf(path, sizeof path, "%s/%s.xml", directory, systems[id].name);
    FILE* f = n > 0 ? fopen(path, "w") : NULL;
    if (!f || fwrite(text, 1, n, f) != (size_t)n || fclose(f)) {
      fprintf(stderr, "%s: cannot be written\n", path);
      free(text);
      return 1;
    }
  }
  free(text);
  return 0;
}

// ---- scenarios

static const char* const kScenarios[] = {"drop", "push", "drive"};
enum { kDrop, kPush, kDrive, kScenarioCount };

// Drop: a free system starts above the floor, tilted; a fixed one is not actuated.
static void begin(snMaximal* x, int scenario, unsigned long long* seed) {
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

static void act(snMaximal* x, int scenario, unsigned long long* seed, int* pushed) {
  const mjModel* m = x->model;
  mjData* d = x->data;
  double t = d->time;
  for (int i = 0; i < m->nu; i++) {
    d->ctrl[i] = scenario == kDrive ? 0.35 * sn_sin(2 * mjPI * 0.7 * t + i) : 0;
  }
  // a push of 50 ms with three times the weight of some body, every 200 ms
  if (scenario != kPush) return;
  double phase = t - 0.2 * floor(t / 0.2);
  if (phase < m->opt.timestep) *pushed = 1 + (int)(random_unit(seed) * (m->nbody - 1));
  mju_zero(d->xfrc_applied, 6 * m->nbody);
  if (phase < 0.05 && *pushed > 0) {
    double* f = d->xfrc_applied + 6 * *pushed;
    double force = 3 * 9.81 * m->body_mass[*pushed], angle = 2 * mjPI * floor(t / 0.2) / 5;
    f[0] = force * sn_cos(angle);
    f[1] = force * sn_sin(angle);
  }
}

typedef struct Recorder_ {
  Samples* samples;
  const char *system, *scenario;
  bool wanted, failed;
} Recorder;

static void record(void* context, const snMaximal* x, const snRows* r, const snDual* p) {
  Recorder* rec = context;
  if (!rec->wanted || !p->n) return;
  rec->failed |= !samples_add(rec->samples, rec->system, rec->scenario, x, r, p);
}

static bool record_system(const Options* o, int id, Samples* samples, double done, double share) {
  mjModel* m = system_model(id);
  snMaximal* x = m ? system_make(m, o->drive) : NULL;
  unsigned long long seed = o->seed * 1000 + id;
  bool good = x != NULL;
  for (int s = 0; good && s < kScenarioCount; s++) {
    Recorder rec = {samples, systems[id].name, kScenarios[s], false, false};
    char what[64];
    int n = (int)(o->seconds / m->opt.timestep + 0.5), pushed = 0;
    int limp = m->opt.disableflags;
    snprintf(what, sizeof what, "%s: %s", systems[id].name, kScenarios[s]);
    begin(x, s, &seed);
    if (s == kDrop) m->opt.disableflags |= mjDSBL_ACTUATION;
    ((snMaximalWhole*)x)->record = record;
    ((snMaximalWhole*)x)->record_context = &rec;
    // one sample from each of equal intervals, at a random step
    int span = n / o->samples > 0 ? n / o->samples : 1, at = (int)(random_unit(&seed) * span);
    for (int i = 0; i < n; i++) {
      rec.wanted = i % span == at;
      if (i % span == span - 1) at = (int)(random_unit(&seed) * span);
      act(x, s, &seed, &pushed);
      sn_stepMaximal(x);
      if (i % 50 == 0) progress(done + share * (s + (double)i / n) / kScenarioCount, what);
    }
    m->opt.disableflags = limp;
    good = !rec.failed;
  }
  sn_deleteMaximal(x);
  mj_deleteModel(m);
  return good;
}

// ---- solving

// Sparsity of D: the pairs of blocks with a nonzero entry.
static bool blocks_of(const Sample* s, snBlockSparse* b) {
  int nb = s->nblock, num = 0;
  int* row = malloc((nb + 1) * sizeof *row);
  int* rowadr = malloc((nb + 1) * sizeof *rowadr);
  int* colind = malloc(((size_t)nb * nb + 1) * sizeof *colind);
  size_t* adr = malloc(((size_t)nb * nb + 1) * sizeof *adr);
  double* value = malloc(((size_t)s->n * s->n + 1) * sizeof *value);
  *b = (snBlockSparse){nb, row, rowadr, colind, adr, value};
  if (!row || !rowadr || !colind || !adr || !value) return false;
  size_t size = 0;
  for (int i = 0; i < nb; i++) {
    const snDualBlock* a = s->block + i;
    row[i] = a->row;
    rowadr[i] = num;
    for (int j = 0; j < nb; j++) {
      const snDualBlock* c = s->block + j;
      bool any = i == j;
      double* to = value + size;
      for (int k = 0; k < a->nrow; k++) {
        for (int l = 0; l < c->nrow; l++) {
          to[c->nrow * k + l] = s->D[(size_t)s->n * (a->row + k) + c->row + l];
          any |= to[c->nrow * k + l] != 0;
        }
      }
      if (!any) continue;
      colind[num] = j;
      adr[num++] = size;
      size += (size_t)a->nrow * c->nrow;
    }
  }
  row[nb] = s->n;
  rowadr[nb] = num;
  return true;
}

static void blocks_free(snBlockSparse* b) {
  free((void*)b->row);
  free((void*)b->rowadr);
  free((void*)b->colind);
  free((void*)b->adr);
  free((void*)b->value);
}

// Position error at the end of the step, to first order: error + h (v - bias).
static double penetration(const Sample* s, const double* v) {
  double most = 0;
  for (int b = 0; b < s->nblock; b++) {
    const snDualBlock* block = s->block + b;
    if (block->kind == snDUAL_BOX) continue;
    int rows = block->kind == snDUAL_FREE ? block->nrow : 1;
    for (int i = block->row; i < block->row + rows; i++) {
      double ahead = s->error[i] + s->step * (v[i] - s->bias[i]);
      most = fmax(most, block->kind == snDUAL_FREE ? fabs(ahead) : -ahead);
    }
  }
  return most;
}

// Time of this thread: what others do on the machine does not count.
static double processor_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

// `set`: other settings than the solver's own, or NULL
static bool solve_sample(const Options* o, const Sample* s, const snDualSolver* solver,
                         const snSolverSettings* set, const snDelassus* D, Result* result) {
  snSolverReport report;
  snDual p = {.n = s->n,
              .nblock = s->nblock,
              .block = s->block,
              .D = D,
              .R = s->R,
              .v_free = s->v_free,
              .inertia = s->inertia};
  dual_defaults(solver, &p.set);
  if (set) p.set = *set;
  p.set.iterations = o->iterations;
  p.nscratch = dual_scratch(solver, D, s->nblock);
  double* memory = calloc(p.nscratch + 3 * (size_t)s->n + 16, sizeof *memory);
  if (!memory) return false;
  p.force = memory;
  p.velocity = memory + s->n;
  p.scratch = memory + 3 * s->n + 8;
  double start = processor_us();
  dual_solve(solver, &p, &report);
  result->us = processor_us() - start;
  result->iterations = report.iterations;
  result->converged = report.converged;
  dual_measure(&p, snFORM_NCP, &report, memory + 2 * s->n);
  result->r_dual = report.r_ncp_dual;
  result->r_ncp = report.r_ncp_compl;
  result->r_nat = report.r_ncp_natural;
  result->r_pen = penetration(s, p.velocity);
  free(memory);
  return true;
}

static bool solve_all(const Options* o, Study* study) {
  int n = study->samples.n;
  study->result = calloc((size_t)n * study->nsolver + 1, sizeof *study->result);
  if (!study->result) return false;
  for (int i = 0; i < n; i++) {
    Sample* s = study->samples.at + i;
    snBlockSparse blocks;
    double* state = calloc(s->n + 1, sizeof *state);
    bool good = blocks_of(s, &blocks) && state && sample_examine(s);
    snDelassus D = good ? delassus_sparse(s->n, &blocks, state) : (snDelassus){0};
    for (int k = 0; good && k < study->nsolver; k++) {
      char what[64];
      snprintf(what, sizeof what, "%s: %s", s->system, study->solver[k]->name);
      progress((i + (double)k / study->nsolver) / n, what);
      good = solve_sample(o, s, study->solver[k], NULL, &D,
                          study->result + (size_t)i * study->nsolver + k);
    }
    blocks_free(&blocks);
    free(state);
    if (!good) return false;
  }
  progress(1, "solved");
  return true;
}

// ---- constraint errors of the systems

static int run_systems(const Options* o, double seconds) {
  int status = 0;
  for (int id = 0; id < kSystems; id++) {
    if (!o->system[id]) continue;
    mjModel* m = system_model(id);
    snMaximal* x = m ? system_make(m, o->drive) : NULL;
    if (!x) return 1;
    unsigned long long seed = o->seed;
    double joint = 0, angle = 0, natural = 0, start = clock_us();
    long n = (long)(seconds / m->opt.timestep + 0.5), iterations = 0, missed = 0, bad = 0;
    int pushed = 0, contacts = 0;
    for (long i = 0; i < n; i++) {
      act(x, i % 2000 < 1000 ? kDrive : kPush, &seed, &pushed);
      bad += !sn_stepMaximal(x);
      joint = fmax(joint, x->joint_error);
      angle = fmax(angle, x->angle_error);
      natural = fmax(natural, x->report.r_ncp_natural);
      iterations += x->report.iterations;
      missed += !x->report.converged;
      contacts = x->data->ncon > contacts ? x->data->ncon : contacts;
      if (i % 50 == 0) progress((double)i / n, systems[id].name);
    }
    progress(1, systems[id].name);
    printf(
        "%-14s joints %.2g m, %.2g rad; r_nat %.2g; %.0f iterations, %.1f%% missed; up to %d "
        "contacts; %.3f ms a step%s\n",
        systems[id].name, joint, angle, natural, (double)iterations / n, 100.0 * missed / n,
        contacts, (clock_us() - start) / 1e3 / n, bad ? "; went bad" : "");
    if (bad || !(joint < 1e-4)) status = 1;
    sn_deleteMaximal(x);
    mj_deleteModel(m);
  }
  return status;
}

// ---- command line

static bool choose_systems(Options* o, char* names) {
  memset(o->system, 0, sizeof o->system);
  for (char* name = strtok(names, ","); name; name = strtok(NULL, ",")) {
    int id = system_find(name);
    if (id < 0) {
      fprintf(stderr, "sinew solvers: there is no system '%s'; --list names them\n", name);
      return false;
    }
    o->system[id] = true;
  }
  return true;
}

static bool choose_solvers(Options* o, char* names) {
  char all[1000];
  o->nsolver = 0;
  for (char* name = strtok(names, ","); name; name = strtok(NULL, ",")) {
    const snDualSolver* solver = dual_find(name);
    if (!solver || o->nsolver == kMaxSolvers) {
      fprintf(stderr, "sinew solvers: there is no solver '%s'; there are %s\n", name,
              dual_names(all, sizeof all));
      return false;
    }
    o->solver[o->nsolver++] = solver;
  }
  return true;
}

// The samples of a file, or recorded anew.
static bool gather(const Options* o, Samples* samples) {
  if (o->read) return samples_read(samples, o->read);
  bool good = true;
  int chosen = 0, done = 0;
  for (int id = 0; id < kSystems; id++) chosen += o->system[id];
  for (int id = 0; good && id < kSystems; id++) {
    if (!o->system[id]) continue;
    good = record_system(o, id, samples, (double)done / chosen, 1.0 / chosen);
    done++;
  }
  progress(1, "recorded");
  return good;
}

// ---- what each departure from the publications buys

typedef struct Switch_ {
  const char* name;
  size_t offset;
} Switch;

#define SWITCH(field) \
  { #field, offsetof(snSolverSettings, field) }
static const Switch kSwitches[] = {
    SWITCH(scale_rows),  SWITCH(exact_joints), SWITCH(shift_blocks), SWITCH(safe_steps),
    SWITCH(leave_edges), SWITCH(drop_rows),    SWITCH(keep_best),    SWITCH(polish),
};
enum { kSwitchCount = sizeof kSwitches / sizeof kSwitches[0] };

typedef struct Tally_ {
  int solved, samples;
  double iterations, us, worst;
} Tally;

static bool tally(const Options* o, Samples* samples, const snDualSolver* solver,
                  const snSolverSettings* set, Tally* t) {
  *t = (Tally){.samples = samples->n};
  bool good = true;
  for (int i = 0; good && i < samples->n; i++) {
    Sample* s = samples->at + i;
    snBlockSparse blocks;
    Result result;
    double* state = calloc(s->n + 1, sizeof *state);
    good = blocks_of(s, &blocks) && state;
    snDelassus D = good ? delassus_sparse(s->n, &blocks, state) : (snDelassus){0};
    good = good && solve_sample(o, s, solver, set, &D, &result);
    blocks_free(&blocks);
    free(state);
    if (!good) break;
    t->solved += result.r_nat <= o->solved;
    t->iterations += (double)result.iterations / samples->n;
    t->us += result.us / samples->n;
    t->worst = fmax(t->worst, result.r_nat);
  }
  return good;
}

static void print_tally(const char* solver, const char* variant, const Tally* t) {
  printf("%-18s  %-24s %5.1f%% %8.1f %9.3f %9.1e\n", solver, variant,
         100.0 * t->solved / t->samples, t->iterations, 1e-3 * t->us, t->worst);
}

// One solver: as Sinew has it, without each switch in turn, and as published.
static bool ablate(const Options* o, Samples* samples, const snDualSolver* solver) {
  char name[64], idle[200] = "";
  snprintf(name, sizeof name, "%s-published", solver->name);
  const snDualSolver* published = dual_find(name);
  Tally whole, t;
  snSolverSettings set;
  if (!published) return true;
  if (!tally(o, samples, solver, NULL, &whole)) return false;
  print_tally(solver->name, "as Sinew has it", &whole);
  for (int k = 0; k < kSwitchCount; k++) {
    int off = 0, on;
    dual_defaults(solver, &set);
    memcpy(&on, (char*)&set + kSwitches[k].offset, sizeof on);
    memcpy((char*)&set + kSwitches[k].offset, &off, sizeof off);
    if (!on) continue;
    if (!tally(o, samples, solver, &set, &t)) return false;
    snprintf(name, sizeof name, "without %s", kSwitches[k].name);
    if (t.solved != whole.solved || t.iterations != whole.iterations || t.worst != whole.worst) {
      print_tally("", name, &t);
    } else {
      size_t at = strlen(idle);
      snprintf(idle + at, sizeof idle - at, "%s%s", at ? ", " : "", kSwitches[k].name);
    }
  }
  if (!tally(o, samples, published, NULL, &t)) return false;
  print_tally("", "as published", &t);
  if (idle[0]) printf("%-18s  no difference: %s\n", "", idle);
  fflush(stdout);
  return true;
}

static int ablation(const Options* o) {
  Samples samples = {0};
  bool good = gather(o, &samples);
  if (good && !samples.n) {
    fprintf(stderr, "sinew solvers: no problem was recorded\n");
    good = false;
  }
  if (good) {
    printf("%d samples; solved: NCP natural map at most %g within %d iterations\n", samples.n,
           o->solved, o->iterations);
    printf("%-18s  %-24s %6s %8s %9s %9s\n", "solver", "variant", "solved", "iter.", "ms", "worst");
  }
  for (int k = 0; good && k < o->nsolver; k++) good = ablate(o, &samples, o->solver[k]);
  samples_free(&samples);
  return good ? 0 : 1;
}

static int benchmark(const Options* o) {
  Study study = {.nsolver = o->nsolver, .solved = o->solved};
  char path[4096];
  memcpy(study.solver, o->solver, sizeof study.solver);
  bool good = gather(o, &study.samples);
  mkdir(o->out, 0777);
  snprintf(path, sizeof path, "%s/samples.bin", o->out);
  if (good && !o->read) good = samples_write(&study.samples, path);
  if (good && !study.samples.n) {
    fprintf(stderr, "sinew solvers: no problem was recorded\n");
    good = false;
  }
  good = good && solve_all(o, &study) && study_report(&study, o->out);
  if (good) {
    printf("%d samples, %d solvers: %s/report.html\n", study.samples.n, study.nsolver, o->out);
  }
  samples_free(&study.samples);
  free(study.result);
  return good ? 0 : 1;
}

static bool number(const char* option, const char* text, double low, double* value) {
  char* end;
  *value = strtod(text, &end);
  if (end != text && !*end && *value >= low && *value <= 1e9) return true;
  wrong_usage("solvers", "%s '%s', expected a number of at least %g", option, text, low);
  return false;
}

int command_solvers(int argc, char** argv) {
  Options o = {.samples = 4,
               .iterations = 1000,
               .seconds = 1,
               .solved = 1e-6,
               .seed = 1,
               .out = "solvers-report",
               .drive = "admm-ncp"};
  double run = 0;
  bool ablate_all = false;
  for (int i = 0; i < kSystems; i++) o.system[i] = true;
  for (int i = 0; i < dual_solver_count && i < kMaxSolvers; i++) {
    o.solver[o.nsolver++] = dual_solvers + i;
  }
  for (int i = 1; i < argc; i++) {
    const char* name = argv[i];
    if (!strcmp(name, "--list")) return list();
    if (!strcmp(name, "--ablation")) {
      ablate_all = true;
      continue;
    }
    char* value = i + 1 < argc ? argv[++i] : NULL;
    double x;
    if (name[0] != '-') return wrong_usage("solvers", "unexpected '%s'", name);
    if (!value) return wrong_usage("solvers", "%s needs a value, or is unknown", name);
    if (!strcmp(name, "--systems")) {
      if (!choose_systems(&o, value)) return 2;
    } else if (!strcmp(name, "--solvers")) {
      if (!choose_solvers(&o, value)) return 2;
    } else if (!strcmp(name, "--seconds")) {
      if (!number(name, value, 1e-6, &x)) return 2;
      o.seconds = x;
    } else if (!strcmp(name, "--samples")) {
      if (!number(name, value, 1, &x)) return 2;
      o.samples = (int)x;
    } else if (!strcmp(name, "--iterations")) {
      if (!number(name, value, 1, &x)) return 2;
      o.iterations = (int)x;
    } else if (!strcmp(name, "--solved")) {
      if (!number(name, value, 1e-300, &x)) return 2;
      o.solved = x;
    } else if (!strcmp(name, "--seed")) {
      if (!number(name, value, 0, &x)) return 2;
      o.seed = (unsigned long long)x;
    } else if (!strcmp(name, "--out")) {
      o.out = value;
    } else if (!strcmp(name, "--read")) {
      o.read = value;
    } else if (!strcmp(name, "--drive")) {
      o.drive = value;
    } else if (!strcmp(name, "--run")) {
      if (!number(name, value, 1e-6, &x)) return 2;
      run = x;
    } else if (!strcmp(name, "--write")) {
      return write_systems(value);
    } else if (!strcmp(name, "--table")) {
      return solvers_table(value);
    } else {
      return wrong_usage("solvers", "unknown option %s", name);
    }
  }
  if (!o.nsolver) return wrong_usage("solvers", "no solver was chosen");
  if (!dual_find(o.drive))
    return wrong_usage("solvers", "--drive: there is no solver '%s'", o.drive);
  if (ablate_all) return ablation(&o);
  return run > 0 ? run_systems(&o, run) : benchmark(&o);
}
