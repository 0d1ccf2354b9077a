// sinew solvers: the benchmark of dual solvers. Systems are dropped, pushed and driven in maximal
// coordinates; dual problems of these motions are recorded, and every solver solves each of them.
#include "solvers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"
#include "sinew.h"

const char help_solvers[] =
    "Thirteen machines are dropped, pushed and driven in maximal coordinates; the\n"
    "dual problems on their way are recorded, and every solver solves every one.\n\n"
    "  --systems a,b,...   of the thirteen (default: all); --list names them\n"
    "  --solvers a,b,...   of the dual solvers (default: all)\n"
    "  --seconds S         of motion per system and scenario (1)\n"
    "  --samples N         problems recorded per system and scenario (4)\n"
    "  --iterations N      at most, per solve (1000)\n"
    "  --repeats N         solves of which the median time is taken (3)\n"
    "  --solved X          natural-map residual that counts as solved (1e-6)\n"
    "  --seed N            of pushes and of what is recorded (1)\n"
    "  --drive NAME        solver that moves the systems while recording (admm-ncp)\n"
    "  --out DIR           report.html, results.csv, samples.bin (solvers-report)\n"
    "  --read FILE         solve samples of a file instead of recording\n"
    "  --study NAME        one study alone, in the terminal: warmstart, softening,\n"
    "                      timestep, precondition, coordinates\n"
    "  --quick             without the studies and accuracy against time\n"
    "  --list              the systems and what is in them\n"
    "  --write DIR         the systems as MJCF files\n"
    "  --run S             step every system that long, with --drive; how it held\n"
    "  --ablation          every solver without each of Sinew's departures from its\n"
    "                      publication in turn, and as published\n"
    "\nTables and figures of the papers: sinew paper.\n";

// ---- progress

void progress(double share, const char* what) {
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

static int list(void) {
  printf("%-14s %-5s %6s %6s %5s %7s %6s %10s %11s\n", "system", "base", "bodies", "joints", "dofs",
         "passive", "driven", "constr.", "mass ratio");
  for (int id = 0; id < kSystems; id++) {
    mjModel* m = system_model(id);
    System c;
    if (m && system_count(id, m, &c)) {
      printf("%-14s %-5s %6d %6d %5d %7d %6d %10d %11.2f\n", c.name, c.fixed ? "fixed" : "free",
             c.bodies, c.joints, c.total, c.passive, c.actuated, c.constraints, c.joined_ratio);
    }
    mj_deleteModel(m);
  }
  return 0;
}

static int write_systems(const char* directory) {
  enum { kRoom = 400000 };
  char* text = malloc(kRoom);
  system_make_folder(directory);
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

// ---- the benchmark

static bool solve_all(const Options* o, Study* study) {
  int n = study->samples.n;
  study->result = calloc((size_t)n * study->nsolver + 1, sizeof *study->result);
  if (!study->result) return false;
  for (int i = 0; i < n; i++) {
    Problem p;
    bool good = sample_examine(study->samples.at + i);
    good = problem_open(&p, study->samples.at + i) && good;
    for (int k = 0; good && k < study->nsolver; k++) {
      char what[64];
      Solve how = {study->solver[k], NULL, NULL, NULL, o->iterations, o->repeats};
      snprintf(what, sizeof what, "%s: %s", p.sample->system, study->solver[k]->name);
      progress((i + (double)k / study->nsolver) / n, what);
      good = problem_solve(&p, &how, study->result + (size_t)i * study->nsolver + k);
    }
    problem_close(&p);
    if (!good) return false;
  }
  progress(1, "solved");
  return true;
}

static int study_alone(const Options* o) {
  Study study = {.nsolver = o->nsolver, .solved = o->solved};
  Table t = {.columns = 0};
  memcpy(study.solver, o->solver, sizeof study.solver);
  // the systems of the other two move anew
  bool needs = strcmp(o->study, "timestep") && strcmp(o->study, "coordinates");
  bool good = (!needs || record_samples(o, &study.samples)) && study_run(o, &study, o->study, &t);
  if (good) table_print(&t);
  table_free(&t);
  samples_free(&study.samples);
  return good ? 0 : 1;
}

static int benchmark(const Options* o, bool quick) {
  Study study = {.nsolver = o->nsolver, .solved = o->solved};
  WorkPrecision work = {.us = NULL};
  Table table[kStudies] = {{.columns = 0}};
  char path[4096];
  memcpy(study.solver, o->solver, sizeof study.solver);
  bool good = record_samples(o, &study.samples);
  system_make_folder(o->out);
  snprintf(path, sizeof path, "%s/samples.bin", o->out);
  if (good && !o->read) good = samples_write(&study.samples, path);
  good = good && solve_all(o, &study);
  if (good && !quick) good = work_precision(o, &study, &work);
  // studies look at every second sample
  Study half = study;
  half.samples.n = (study.samples.n + 1) / 2;
  half.samples.at = calloc((size_t)half.samples.n + 1, sizeof(Sample));
  for (int i = 0; half.samples.at && i < half.samples.n; i++) {
    half.samples.at[i] = study.samples.at[2 * i];
  }
  good = good && half.samples.at;
  int done = 0;
  for (; good && !quick && study_names[done]; done++) {
    good = study_run(o, &half, study_names[done], table + done);
  }
  free(half.samples.at);
  good = good && study_report(o, &study, quick ? NULL : &work, table, done);
  if (good) {
    study_summary(o, &study);
    for (int i = 0; i < done; i++) printf("%s: %s\n", table[i].title, table[i].note);
    printf("\n%d samples, %d solvers: %s/report.html\n", study.samples.n, study.nsolver, o->out);
  }
  for (int i = 0; i < kStudies; i++) table_free(table + i);
  work_precision_free(&work);
  samples_free(&study.samples);
  free(study.result);
  return good ? 0 : 1;
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
      scenario_act(m, x->data, i % 2000 < 1000 ? kDrive : kPush, &seed, &pushed);
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

static bool number(const char* option, const char* text, double low, double* value) {
  char* end;
  *value = strtod(text, &end);
  if (end != text && !*end && *value >= low && *value <= 1e9) return true;
  wrong_usage("solvers", "%s '%s', expected a number of at least %g", option, text, low);
  return false;
}

static void keep_command(Options* o, int argc, char** argv) {
  size_t at = (size_t)snprintf(o->command, sizeof o->command, "sinew solvers");
  for (int i = 1; i < argc && at < sizeof o->command; i++) {
    at += (size_t)snprintf(o->command + at, sizeof o->command - at, " %s", argv[i]);
  }
}

static bool known_study(const char* name) {
  for (int i = 0; study_names[i]; i++) {
    if (!strcmp(study_names[i], name)) return true;
  }
  fprintf(stderr, "sinew solvers: --study '%s', expected one of:", name);
  for (int i = 0; study_names[i]; i++) fprintf(stderr, " %s", study_names[i]);
  fprintf(stderr, "\n");
  return false;
}

int command_solvers(int argc, char** argv) {
  Options o = {.samples = 4,
               .repeats = 3,
               .step = 1,
               .iterations = 1000,
               .seconds = 1,
               .solved = 1e-6,
               .seed = 1,
               .out = "solvers-report",
               .drive = "admm-ncp"};
  double run = 0;
  bool ablate_all = false, quick = false;
  keep_command(&o, argc, argv);
  for (int i = 0; i < kSystems; i++) o.system[i] = true;
  for (int i = 0; i < dual_solver_count && i < kMaxSolvers; i++) {
    o.solver[o.nsolver++] = dual_solvers + i;
  }
  for (int i = 1; i < argc; i++) {
    const char* name = argv[i];
    if (!strcmp(name, "--list")) return list();
    if (!strcmp(name, "--ablation") || !strcmp(name, "--quick")) {
      *(name[2] == 'a' ? &ablate_all : &quick) = true;
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
    } else if (!strcmp(name, "--repeats")) {
      if (!number(name, value, 1, &x)) return 2;
      o.repeats = (int)x;
    } else if (!strcmp(name, "--study")) {
      if (!known_study(value)) return 2;
      o.study = value;
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
    } else {
      return wrong_usage("solvers", "unknown option %s", name);
    }
  }
  if (!o.nsolver) return wrong_usage("solvers", "no solver was chosen");
  if (!dual_find(o.drive))
    return wrong_usage("solvers", "--drive: there is no solver '%s'", o.drive);
  if (ablate_all) return ablation(&o);
  if (o.study) return study_alone(&o);
  return run > 0 ? run_systems(&o, run) : benchmark(&o, quick);
}
