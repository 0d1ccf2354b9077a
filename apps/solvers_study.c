// Studies of the solver benchmark: one question each, asked of every sample and solver, answered in
// a table and a sentence with its numbers.
#include <math.h>
#include <sinew/solver.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sinew.h"
#include "solvers.h"

const char* const study_names[] = {"warmstart",    "softening",   "timestep",
                                   "precondition", "coordinates", NULL};

// What a solver did over the samples.
typedef struct Tally_ {
  int n, solved;
  double *iterations, *us, *nat;
} Tally;

static bool tally_open(Tally* t, int room) {
  *t = (Tally){.iterations = calloc(3 * (size_t)room + 1, sizeof(double))};
  t->us = t->iterations + room;
  t->nat = t->us + room;
  return t->iterations != NULL;
}

static void tally_add(Tally* t, const Result* r, bool solved) {
  t->solved += solved;
  t->iterations[t->n] = r->iterations;
  t->us[t->n] = r->us;
  t->nat[t->n++] = r->r_nat;
}

static double percent(int part, int whole) { return whole ? 100.0 * part / whole : 0; }

// "120 us", "3.4 ms"
static void add_time(Table* t, double us) {
  if (us >= 1e4) {
    table_add(t, "%.0f ms", 1e-3 * us);
  } else if (us >= 1e3) {
    table_add(t, "%.1f ms", 1e-3 * us);
  } else {
    table_add(t, "%.0f us", us);
  }
}

// ---- accuracy against time

bool work_precision(const Options* o, const Study* s, WorkPrecision* w) {
  static const double kTolerance[kTolerances] = {1e-2, 1e-4, 1e-6, 1e-8, 1e-10};
  size_t n = (size_t)s->samples.n * s->nsolver * kTolerances;
  *w = (WorkPrecision){.natural = calloc(2 * n + 1, sizeof(double))};
  w->us = w->natural + n;
  memcpy(w->tolerance, kTolerance, sizeof kTolerance);
  if (!w->natural) return false;
  for (int i = 0; i < s->samples.n; i++) {
    Problem p;
    bool good = problem_open(&p, s->samples.at + i);
    for (int k = 0; good && k < s->nsolver; k++) {
      for (int j = 0; good && j < kTolerances; j++) {
        snSolverSettings set;
        Result r;
        dual_defaults(s->solver[k], &set);
        set.tol_primal = set.tol_dual = kTolerance[j];
        if (set.tol_objective > 0) set.tol_objective = 1e-3 * kTolerance[j];
        Solve how = {s->solver[k], &set, NULL, NULL, o->iterations, 1};
        good = problem_solve(&p, &how, &r);
        size_t at = ((size_t)i * s->nsolver + k) * kTolerances + j;
        w->natural[at] = r.r_nat;
        w->us[at] = r.us;
      }
    }
    problem_close(&p);
    if (!good) return false;
    progress((i + 1.0) / s->samples.n, "accuracy against time");
  }
  return true;
}

void work_precision_free(WorkPrecision* w) { free(w->natural); }

// ---- one solver with and without something

// The two ways in which every sample is solved.
typedef struct Ways_ {
  const snSolverSettings* set[2];  // NULL: as the solver has them
  bool warm[2];                    // from the impulses of the step before
} Ways;

// Solves every sample in both ways. The tallies are released by pair_free, also after a failure.
static bool pair_run(const Options* o, const Study* s, int k, const Ways* ways, Tally tally[2]) {
  bool good = tally_open(tally, s->samples.n) & tally_open(tally + 1, s->samples.n);
  for (int i = 0; good && i < s->samples.n; i++) {
    Problem p;
    good = problem_open(&p, s->samples.at + i);
    for (int w = 0; good && w < 2; w++) {
      Result r;
      const double* start = ways->warm[w] ? p.sample->start : NULL;
      Solve how = {s->solver[k], ways->set[w], NULL, start, o->iterations, 1};
      good = problem_solve(&p, &how, &r);
      tally_add(tally + w, &r, r.r_nat <= s->solved);
    }
    problem_close(&p);
  }
  return good;
}

// One row of a table: share solved, median of iterations and of time, of either way.
static void pair_row(Table* t, const char* solver, const Tally tally[2], const double us[2]) {
  table_add(t, "%s", solver);
  for (int w = 0; w < 2; w++) table_add(t, "%.0f%%", percent(tally[w].solved, tally[w].n));
  for (int w = 0; w < 2; w++) {
    table_add(t, "%.0f", quantile(tally[w].iterations, tally[w].n, 0.5));
  }
  for (int w = 0; w < 2; w++) add_time(t, us[w]);
}

static void pair_times(const Tally tally[2], double us[2]) {
  for (int w = 0; w < 2; w++) us[w] = quantile(tally[w].us, tally[w].n, 0.5);
}

static void pair_free(Tally tally[2]) {
  free(tally[0].iterations);
  free(tally[1].iterations);
}

// ---- warm starts: from zero, and from the impulses of the step before

static bool study_warm(const Options* o, Study* s, Table* t) {
  static const char* const kHead[] = {"solver", "solved cold", "warm", "iterations cold",
                                      "warm",   "time cold",   "warm"};
  table_begin(t, "Warm starts", 7, kHead);
  snprintf(t->intro, sizeof t->intro,
           "Each problem solved from zero, and from the impulses that the step before ended with "
           "(rows that are new start from zero). Medians over the samples.");
  double best = 1, worst = 1;
  const char *best_name = "", *worst_name = "";
  for (int k = 0; k < s->nsolver; k++) {
    Tally tally[2];
    bool good = pair_run(o, s, k, &(Ways){.warm = {false, true}}, tally);
    if (good) {
      double us[2];
      pair_times(tally, us);
      double factor = us[0] / fmax(us[1], 1e-9);
      if (factor > best) best = factor, best_name = s->solver[k]->name;
      if (factor < worst) worst = factor, worst_name = s->solver[k]->name;
      pair_row(t, s->solver[k]->name, tally, us);
    }
    pair_free(tally);
    if (!good) return false;
    progress((k + 1.0) / s->nsolver, "warm starts");
  }
  snprintf(t->note, sizeof t->note,
           "A warm start helps %s most: %.1f times less processor time in the median.", best_name,
           best);
  if (worst < 0.97) {
    size_t at = strlen(t->note);
    snprintf(t->note + at, sizeof t->note - at, " It costs %s time: %.2f times as much.",
             worst_name, 1 / worst);
  }
  return true;
}

// ---- softening: R = share diag(D)

enum { kSoft = 4 };

static bool study_soft(const Options* o, Study* s, Table* t) {
  static const double kShare[kSoft] = {0, 1e-6, 1e-4, 1e-2};
  static const char* const kHead[] = {"solver", "converged 0",       "1e-6", "1e-4",
                                      "1e-2",   "iterations 0",      "1e-6", "1e-4",
                                      "1e-2",   "hard residual 1e-4"};
  table_begin(t, "Softening", 10, kHead);
  t->minor[6] = t->minor[7] = t->minor[8] = true;
  snprintf(t->intro, sizeof t->intro,
           "R = share of the diagonal of D added to it. Converged: by the solver's own tolerances, "
           "on the softened problem; iterations are means; the hard residual is r_nat that the "
           "solution of the softened problem leaves in the hard one, in the median.");
  int gained = 0, most = 0;
  const char* name = "";
  for (int k = 0; k < s->nsolver; k++) {
    int converged[kSoft] = {0};
    double iterations[kSoft] = {0}, *hard = calloc(s->samples.n + 1, sizeof *hard);
    bool good = hard != NULL;
    for (int i = 0; good && i < s->samples.n; i++) {
      Problem p;
      const Sample* sample = s->samples.at + i;
      double* R = calloc(sample->n + 1, sizeof *R);
      good = problem_open(&p, sample) && R;
      for (int j = 0; good && j < kSoft; j++) {
        Result r;
        for (int row = 0; row < sample->n; row++) {
          R[row] = sample->R[row] + kShare[j] * sample->D[(size_t)(sample->n + 1) * row];
        }
        Solve how = {s->solver[k], NULL, R, NULL, o->iterations, 1};
        good = problem_solve(&p, &how, &r);
        converged[j] += r.converged;
        iterations[j] += (double)r.iterations / s->samples.n;
        if (j == 2) hard[i] = r.r_nat;
      }
      free(R);
      problem_close(&p);
    }
    if (good) {
      table_add(t, "%s", s->solver[k]->name);
      for (int j = 0; j < kSoft; j++) table_add(t, "%.0f%%", percent(converged[j], s->samples.n));
      for (int j = 0; j < kSoft; j++) table_add(t, "%.0f", iterations[j]);
      table_add(t, "%.1e", quantile(hard, s->samples.n, 0.5));
      gained = converged[kSoft - 1] - converged[0];
      if (gained > most) most = gained, name = s->solver[k]->name;
    }
    free(hard);
    if (!good) return false;
    progress((k + 1.0) / s->nsolver, "softening");
  }
  if (most > 0) {
    snprintf(t->note, sizeof t->note,
             "Softening by 1e-2 of the diagonal gains %s most: %d of %d samples more converge.",
             name, most, s->samples.n);
  } else {
    snprintf(t->note, sizeof t->note, "Softening by 1e-2 of the diagonal gains no solver samples.");
  }
  return true;
}

// ---- time step: the systems move again with other steps

enum { kSteps = 4 };

static bool study_step(const Options* o, Study* s, Table* t) {
  static const double kFactor[kSteps] = {0.25, 1, 2, 4};
  static const char* const kHead[] = {"solver",       "solved 0.25 ms", "1 ms", "2 ms", "4 ms",
                                      "time 0.25 ms", "1 ms",           "2 ms", "4 ms"};
  table_begin(t, "Time step", 9, kHead);
  snprintf(t->intro, sizeof t->intro,
           "The systems move again with each step, two problems of every system and scenario are "
           "recorded anew, and solved from zero. Times are medians.");
  Study at[kSteps] = {{.nsolver = 0}};
  bool good = true;
  for (int j = 0; good && j < kSteps; j++) {
    Options again = *o;
    again.read = NULL;
    again.samples = 2;
    again.step = kFactor[j];
    good = record_samples(&again, &at[j].samples);
  }
  double fewer = 0;
  const char* name = "";
  for (int k = 0; good && k < s->nsolver; k++) {
    double share[kSteps], us[kSteps];
    for (int j = 0; good && j < kSteps; j++) {
      Tally tally;
      good = tally_open(&tally, at[j].samples.n);
      for (int i = 0; good && i < at[j].samples.n; i++) {
        Problem p;
        Result r;
        Solve how = {s->solver[k], NULL, NULL, NULL, o->iterations, 1};
        good = problem_open(&p, at[j].samples.at + i) && problem_solve(&p, &how, &r);
        problem_close(&p);
        if (good) tally_add(&tally, &r, r.r_nat <= s->solved);
      }
      share[j] = percent(tally.solved, tally.n);
      us[j] = tally.n ? quantile(tally.us, tally.n, 0.5) : 0;
      free(tally.iterations);
    }
    table_add(t, "%s", s->solver[k]->name);
    for (int j = 0; j < kSteps; j++) table_add(t, "%.0f%%", share[j]);
    for (int j = 0; j < kSteps; j++) add_time(t, us[j]);
    if (share[0] - share[kSteps - 1] > fewer)
      fewer = share[0] - share[kSteps - 1], name = s->solver[k]->name;
    progress((k + 1.0) / s->nsolver, "time step");
  }
  for (int j = 0; j < kSteps; j++) samples_free(&at[j].samples);
  if (fewer > 0) {
    snprintf(t->note, sizeof t->note,
             "From 0.25 to 4 ms the share solved falls most for %s, by %.0f points of percent.",
             name, fewer);
  } else {
    snprintf(t->note, sizeof t->note, "No solver solves fewer problems at 4 ms than at 0.25 ms.");
  }
  return good;
}

// ---- preconditioning: rows scaled to a mean diagonal of 1, or not

static bool study_scale(const Options* o, Study* s, Table* t) {
  static const char* const kHead[] = {"solver",  "solved with", "without", "iterations with",
                                      "without", "time with",   "without"};
  table_begin(t, "Preconditioning", 7, kHead);
  snprintf(t->intro, sizeof t->intro,
           "Rows scaled so that the mean diagonal of each block of D is 1, and not scaled. Sweeps "
           "over blocks give the same iterates either way and are not listed. Medians.");
  double most = 0;
  const char* name = "";
  for (int k = 0; k < s->nsolver; k++) {
    snSolverSettings set, plain;
    dual_defaults(s->solver[k], &set);
    const char* solver = s->solver[k]->name;
    if (!set.scale_rows || (strncmp(solver, "admm", 4) && strcmp(solver, "implicit"))) continue;
    plain = set;
    plain.scale_rows = false;
    Tally tally[2];
    bool good = pair_run(o, s, k, &(Ways){.set = {&set, &plain}}, tally);
    if (good) {
      double us[2];
      pair_times(tally, us);
      pair_row(t, solver, tally, us);
      double gain = percent(tally[0].solved - tally[1].solved, tally[0].n);
      if (gain > most) most = gain, name = solver;
    }
    pair_free(tally);
    if (!good) return false;
    progress((k + 1.0) / s->nsolver, "preconditioning");
  }
  if (most > 0) {
    snprintf(t->note, sizeof t->note,
             "Scaling helps %s most: it solves %.0f points of percent more.", name, most);
  } else {
    snprintf(t->note, sizeof t->note, "Scaling changes no solver's share of problems solved.");
  }
  return true;
}

// ---- minimal against maximal coordinates: the same motion in both

typedef struct Motion_ {
  double us, rows, iterations, error;
  int missed, steps;
} Motion;

static double processor_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static void count_rows(void* context, const snMaximal* x, const snRows* r, const snDual* p) {
  *(double*)context += p->n;
}

static bool move_maximal(const Options* o, const mjModel* m, Motion* to) {
  snMaximal* x = system_make(m, o->drive);
  unsigned long long seed = o->seed;
  int pushed = 0;
  if (!x) return false;
  ((snMaximalWhole*)x)->record = count_rows;
  ((snMaximalWhole*)x)->record_context = &to->rows;
  double start = processor_us();
  for (; x->data->time < o->seconds; to->steps++) {
    scenario_act(m, x->data, kDrive, &seed, &pushed);
    sn_stepMaximal(x);
    to->iterations += x->report.iterations;
    to->missed += !x->report.converged;
    to->error = fmax(to->error, x->joint_error);
  }
  to->us = processor_us() - start;
  sn_deleteMaximal(x);
  return true;
}

static bool move_minimal(const Options* o, const mjModel* m, Motion* to) {
  mjData* d = mj_makeData(m);
  unsigned long long seed = o->seed;
  int pushed = 0;
  if (!d) return false;
  sn_setSolver(m, d, o->drive);
  double start = processor_us();
  for (; d->time < o->seconds; to->steps++) {
    snSolverReport report = {0};
    scenario_act(m, d, kDrive, &seed, &pushed);
    mj_step(m, d);
    if (!sn_getReport(m, d, &report)) continue;
    to->rows += d->nefc;
    to->iterations += report.iterations;
    to->missed += !report.converged;
    for (int i = 0; i < d->nefc; i++) {
      if (d->efc_type[i] == mjCNSTR_EQUALITY) to->error = fmax(to->error, fabs(d->efc_pos[i]));
    }
  }
  to->us = processor_us() - start;
  mj_deleteData(d);
  return true;
}

static bool study_coordinates(const Options* o, Study* s, Table* t) {
  static const char* const kHead[] = {"system", "rows min.", "max.",    "iterations min.",
                                      "max.",   "step min.", "max.",    "unconverged min.",
                                      "max.",   "open min.", "max. (m)"};
  table_begin(t, "Minimal against maximal coordinates", 11, kHead);
  t->minor[3] = t->minor[4] = t->minor[9] = t->minor[10] = true;
  snprintf(t->intro, sizeof t->intro,
           "%g s of the driven systems with %s, stepped in both coordinates: rows of the dual "
           "problem, iterations, processor time of a whole step, share of steps that missed their "
           "tolerances, and the largest opening of joints (in minimal coordinates only loops can "
           "open).",
           o->seconds, o->drive);
  double log_ratio = 0;
  int n = 0, faster = 0;
  for (int id = 0; id < kSystems; id++) {
    if (!o->system[id]) continue;
    Motion move[2] = {{0}};
    mjModel* m = system_model(id);
    bool good = m && move_minimal(o, m, move) && move_maximal(o, m, move + 1);
    mj_deleteModel(m);
    if (!good) return false;
    table_add(t, "%s", systems[id].name);
    for (int k = 0; k < 2; k++) table_add(t, "%.0f", move[k].rows / fmax(1, move[k].steps));
    for (int k = 0; k < 2; k++) table_add(t, "%.1f", move[k].iterations / fmax(1, move[k].steps));
    for (int k = 0; k < 2; k++) add_time(t, move[k].us / fmax(1, move[k].steps));
    for (int k = 0; k < 2; k++) table_add(t, "%.1f%%", percent(move[k].missed, move[k].steps));
    for (int k = 0; k < 2; k++) table_add(t, "%.0e", move[k].error);
    log_ratio += log(move[1].us / move[1].steps) - log(move[0].us / move[0].steps);
    faster += move[0].us < move[1].us;
    n++;
    progress((id + 1.0) / kSystems, "minimal and maximal coordinates");
  }
  snprintf(t->note, sizeof t->note,
           "A step in minimal coordinates is faster in %d of %d systems, %.1f times in the "
           "geometric mean.",
           faster, n, exp(log_ratio / (n ? n : 1)));
  return true;
}

bool study_run(const Options* o, Study* s, const char* name, Table* t) {
  static bool (*const kRun[])(const Options*, Study*, Table*) = {study_warm, study_soft, study_step,
                                                                 study_scale, study_coordinates};
  for (int i = 0; study_names[i]; i++) {
    if (strcmp(study_names[i], name)) continue;
    bool good = kRun[i](o, s, t) && !t->failed;
    if (!good) fprintf(stderr, "sinew solvers: the study %s failed\n", name);
    return good;
  }
  return false;
}
