// Shared by the files of `sinew solvers`: recording (solvers_record.c), solving (solvers_solve.c),
// studies (solvers_study.c), the page (solvers_report.c), the Gauss-Seidel solvers against each
// other (solvers_sweeps.c), the command (solvers.c).
#ifndef SINEW_APPS_SOLVERS_H_
#define SINEW_APPS_SOLVERS_H_

#include <stdio.h>

#include "page.h"
#include "samples.h"
#include "systems.h"

enum { kMaxSolvers = 32 };

typedef struct Options_ {
  bool system[kSystems];
  const snDualSolver* solver[kMaxSolvers];
  int nsolver, samples, iterations, repeats;
  double seconds, solved, step;  // step: factor on the time step of the systems
  unsigned long long seed;
  const char *out, *read, *drive, *study;
  char command[1000];  // as typed
} Options;

// A bar on a terminal, lines elsewhere.
void progress(double share, const char* what);

// ---- solvers_record.c
typedef enum { kDrop, kPush, kDrive, kScenarioCount } Scenario;
extern const char* const scenario_names[kScenarioCount];
// What scenarios do: to the model (a copy of the plain one), before the first step, before each.
void scenario_stage(mjModel* m, const mjModel* plain, int id, int scenario);
void scenario_begin(snMaximal* x, int scenario, unsigned long long* seed);
void scenario_act(const mjModel* m, mjData* d, int scenario, unsigned long long* seed, int* pushed);
// The samples of a file, or recorded anew; false after a message.
bool record_samples(const Options* o, Samples* samples);

// ---- solvers_solve.c
// One solver on one sample.
typedef struct Result_ {
  double r_pen, r_dual, r_ncp, r_nat;
  double r_own;  // natural map of the problem that was solved, softening and form included
  int iterations, converged;
  double us, us_low, us_high;  // processor time: median, fastest and slowest of the repeats
} Result;

typedef struct Problem_ {
  const Sample* sample;
  snBlockSparse blocks;
  snDelassus D;
  double* state;
} Problem;

typedef struct Solve_ {
  const snDualSolver* solver;
  const snSolverSettings* set;  // NULL: the solver's own
  const double* R;              // NULL: the sample's
  const double* start;          // NULL: from zero
  int iterations, repeats;
} Solve;

bool problem_open(Problem* p, const Sample* s);  // false without memory; close it in any case
void problem_close(Problem* p);
bool problem_solve(const Problem* p, const Solve* how, Result* result);  // false without memory

// ---- all solvers on all samples
typedef struct Study_ {
  Samples samples;
  int nsolver;
  const snDualSolver* solver[kMaxSolvers];
  Result* result;  // (samples x solvers)
  double solved;   // residual r_nat below which a sample counts as solved
} Study;

static inline const Result* study_at(const Study* s, int sample, int solver) {
  return s->result + (size_t)sample * s->nsolver + solver;
}

// Quantile of n numbers, which are sorted; NAN of none.
double quantile(double* x, int n, double share);
// Share of the samples of a category and a system (-1: all of them) that a solver solves; NAN where
// there is none.
double solved_share(const Study* s, int solver, int category, int system);

// ---- solvers_study.c
enum { kTolerances = 5, kStudies = 5 };
extern const char* const study_names[];  // NULL behind the last

// Natural map reached and processor time (us) at each tolerance: medians over a category or system
// are the curves of accuracy against time.
typedef struct WorkPrecision_ {
  double tolerance[kTolerances];
  double *natural, *us;  // (samples x solvers x kTolerances)
} WorkPrecision;
bool work_precision(const Options* o, const Study* s, WorkPrecision* w);
void work_precision_free(WorkPrecision* w);

// One study by its name; the table is the caller's to free. False after a message.
bool study_run(const Options* o, Study* s, const char* name, Table* t);

// ---- solvers_report.c
// The page, its numbers as CSV; false after a message on stderr.
bool study_report(const Options* o, const Study* s, const WorkPrecision* w, const Table* studies,
                  int nstudy);
// The same in short, on stdout.
void study_summary(const Options* o, const Study* s);

bool solver_sweeps(const snDualSolver* solver);  // is it a Gauss-Seidel method?

// ---- solvers_sweeps.c
void sweeps_conclude(FILE* f, const Study* s);  // how many problems tell them apart
void sweeps_table(const Study* s, Table* t);    // each against each

// ---- solvers_ablate.c
int ablation(const Options* o);

#endif
