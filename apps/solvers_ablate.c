// What each departure from the publications buys: solvers without each switch in turn, and as
// published.
#include <math.h>
#include <string.h>

#include "solvers.h"

typedef struct Switch_ {
  const char* name;
  size_t offset;
} Switch;

#define SWITCH(field) \
  { #field, offsetof(snSolverSettings, field) }
static const Switch kSwitches[] = {
    SWITCH(scale_rows),  SWITCH(exact_joints), SWITCH(shift_blocks), SWITCH(safe_steps),
    SWITCH(leave_edges), SWITCH(drop_rows),    SWITCH(keep_best),    SWITCH(by_natural),
    SWITCH(settle),      SWITCH(polish),
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
    Problem p;
    Result result;
    Solve how = {.solver = solver, .set = set, .iterations = o->iterations, .repeats = o->repeats};
    good = problem_open(&p, samples->at + i) && problem_solve(&p, &how, &result);
    problem_close(&p);
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

int ablation(const Options* o) {
  Samples samples = {0};
  bool good = record_samples(o, &samples);
  if (good) {
    printf("%d samples; solved: NCP natural map at most %g within %d iterations\n", samples.n,
           o->solved, o->iterations);
    printf("%-18s  %-24s %6s %8s %9s %9s\n", "solver", "variant", "solved", "iter.", "ms", "worst");
  }
  for (int k = 0; good && k < o->nsolver; k++) good = ablate(o, &samples, o->solver[k]);
  samples_free(&samples);
  return good ? 0 : 1;
}
