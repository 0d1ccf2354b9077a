// sinew run [MODEL]: simulate, with a progress bar, and say how it went.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "humanoid.h"
#include "sinew.h"
#include "trajectory.h"

#include <sinew/solver.h>

static const char kUsage[] =
    "usage: sinew run [MODEL] [options]      (without MODEL: an articulated figure)\n"
    "  --duration SECONDS    simulated time (default 5)\n"
    "  --seed N              of the control noise (default 1)\n"
    "  --noise X             control noise, in half ranges of the controls (default 0.3)\n"
    "  --key N               start from keyframe N\n"
    "  --integrator NAME     euler, rk4, implicit, implicitfast\n"
    "  --solver NAME         pgs, cg, newton, soft (as the model has it, without hard contact);\n"
    "                        for hard contact admm-ncp or another dual solver\n"
    "  --threads N           N copies at once, with seeds that follow (default 1)\n"
    "  --write FILE          trajectory of the first copy: .npz, otherwise CSV\n"
    "  --plot                height, energy and contacts over time, in the terminal\n"
    "  --quiet               no progress bar\n";

typedef struct Run_ {
  const mjModel* m;
  double duration, noise;
  int key, plot, quiet;
  unsigned long long seed;
  const char* write;

  // results
  mjData* d;
  Trajectory trajectory;
  float *height, *energy, *contacts;  // one per step, when plotted
  long steps, failed;
  double seconds, energy0, energy1, energy_max, contact_sum, iteration_sum;
  int contact_max, iteration_max;
} Run;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double uniform(unsigned long long* s) {
  *s = *s * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*s >> 11) / 9007199254740992.0;
}

// Controls wander around their middle and forget within a tenth of a second.
static void wander(Run* r, double* level) {
  const mjModel* m = r->m;
  double keep = exp(-m->opt.timestep / 0.1), kick = r->noise * sqrt(1 - keep * keep);
  for (int i = 0; i < m->nu; i++) {
    double gauss = -6;
    for (int k = 0; k < 12; k++) gauss += uniform(&r->seed);
    level[i] = keep * level[i] + kick * gauss;
    double low = -1, high = 1;
    if (m->actuator_ctrllimited[i]) {
      low = m->actuator_ctrlrange[2 * i];
      high = m->actuator_ctrlrange[2 * i + 1];
    }
    double u = 0.5 * (low + high) + 0.5 * (high - low) * level[i];
    r->d->ctrl[i] = u < low ? low : u > high ? high : u;
  }
}

static int record(Run* r, const double* before) {
  const mjModel* m = r->m;
  mjData* d = r->d;
  double* row = trajectory_add(&r->trajectory);
  if (!row) return 0;
  int n = 1 + m->nq + m->nv + m->na;
  memcpy(row, before, sizeof(double) * (size_t)n);
  memcpy(row + n, d->ctrl, sizeof(double) * (size_t)m->nu);
  n += m->nu;
  memcpy(row + n, d->qacc, sizeof(double) * (size_t)m->nv);
  n += m->nv;
  for (int i = 0; i < m->nv; i++) row[n + i] = d->qfrc_applied[i] + d->qfrc_actuator[i];
  return 1;
}

static void bar(const Run* r, double fraction, double elapsed) {
  char cells[41];
  int full = (int)(40 * fraction);
  for (int i = 0; i < 40; i++) cells[i] = i < full ? '#' : '.';
  cells[40] = 0;
  fprintf(stderr, "\r[%s] %3.0f%%  t = %6.2f s  %8.0f steps/s ", cells, 100 * fraction, r->d->time,
          elapsed > 0 ? (double)r->steps / elapsed : 0);
  fflush(stderr);
}

static void simulate(Run* r) {
  const mjModel* m = r->m;
  mjData* d = r->d;
  double* level = calloc((size_t)m->nu + 1, sizeof(double));
  double* before = calloc((size_t)(1 + m->nq + m->nv + m->na), sizeof(double));
  long total = (long)ceil(r->duration / m->opt.timestep - 1e-9);
  if (!level || !before) {
    r->failed = total;
    free(level);
    free(before);
    return;
  }
  if (r->plot) {
    r->height = calloc((size_t)total + 1, sizeof(float));
    r->energy = calloc((size_t)total + 1, sizeof(float));
    r->contacts = calloc((size_t)total + 1, sizeof(float));
    if (!r->height || !r->energy || !r->contacts) r->plot = 0;
  }
  double start = now(), shown = start, aside = 0;
  for (long i = 0; i < total; i++) {
    wander(r, level);
    if (r->write) {
      before[0] = d->time;
      memcpy(before + 1, d->qpos, sizeof(double) * (size_t)m->nq);
      memcpy(before + 1 + m->nq, d->qvel, sizeof(double) * (size_t)m->nv);
      memcpy(before + 1 + m->nq + m->nv, d->act, sizeof(double) * (size_t)m->na);
    }
    mj_step(m, d);
    r->steps++;
    if (r->write && !record(r, before)) r->failed++;
    double e = d->energy[0] + d->energy[1];
    if (i == 0) r->energy0 = e;
    r->energy1 = e;
    r->energy_max = fmax(r->energy_max, fabs(e - r->energy0));
    r->contact_sum += d->ncon;
    if (d->ncon > r->contact_max) r->contact_max = d->ncon;
    int iterations = 0;  // of the island that took most
    for (int k = 0; k < mjNISLAND; k++) {
      if (d->solver_niter[k] > iterations) iterations = d->solver_niter[k];
    }
    r->iteration_sum += iterations;
    if (iterations > r->iteration_max) r->iteration_max = iterations;
    if (r->plot) {
      r->height[i] = (float)d->subtree_com[2];
      r->energy[i] = (float)e;
      r->contacts[i] = (float)d->ncon;
    }
    if (!r->quiet && (i & 15) == 0) {
      double t = now();
      if (t - shown > 0.05) {
        shown = t;
        bar(r, (double)i / (double)total, t - start);
        aside += now() - t;
      }
    }
  }
  r->seconds = now() - start - aside;
  if (!r->quiet) {
    bar(r, 1, r->seconds);
    fprintf(stderr, "\n");
  }
  free(level);
  free(before);
}

static void* simulate_thread(void* arg) {
  simulate(arg);
  return NULL;
}

// ---- plots: a row of braille cells, 2 x 4 dots each

static void plot(const char* title, const float* y, long n) {
  enum { WIDTH = 72, HEIGHT = 6 };
  static const int dot[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  unsigned char cell[HEIGHT][WIDTH] = {{0}};
  float low = y[0], high = y[0];
  for (long i = 0; i < n; i++) {
    low = fminf(low, y[i]);
    high = fmaxf(high, y[i]);
  }
  float span = high > low ? high - low : 1;
  for (int x = 0; x < 2 * WIDTH; x++) {
    long i = n > 1 ? (long)((double)x * (double)(n - 1) / (2 * WIDTH - 1)) : 0;
    int v = (int)((1 - (y[i] - low) / span) * (4 * HEIGHT - 1) + 0.5f);
    cell[v / 4][x / 2] |= (unsigned char)dot[v % 4][x % 2];
  }
  printf("\n%s\n", title);
  for (int row = 0; row < HEIGHT; row++) {
    if (row == 0)
      printf("%10.4g ", (double)high);
    else if (row == HEIGHT - 1)
      printf("%10.4g ", (double)low);
    else
      printf("%10s ", "");
    for (int x = 0; x < WIDTH; x++) {
      int code = 0x2800 | cell[row][x];
      printf("%c%c%c", 0xe0 | code >> 12, 0x80 | (code >> 6 & 0x3f), 0x80 | (code & 0x3f));
    }
    printf("\n");
  }
}

// ---- summary

static const char* warning_name(int i) {
  static const char* const kName[mjNWARNING] = {
      "inertia matrix not positive", "contacts dropped",     "constraints dropped",
      "scene geoms dropped",         "bad position (reset)", "bad velocity (reset)",
      "bad acceleration (reset)",    "bad control"};
  return kName[i];
}

// Returns how often numbers went bad.
static int summary(const Run* runs, int n) {
  const Run* r = runs;
  long steps = 0;
  double slowest = 0;
  int warnings = 0, bad = 0;
  for (int i = 0; i < n; i++) {
    steps += runs[i].steps;
    slowest = fmax(slowest, runs[i].seconds);
  }
  double rate = slowest > 0 ? (double)steps / slowest : 0, count = r->steps ? (double)r->steps : 1;
  printf("%-20s %ld of %g s%s\n", "steps", steps, r->m->opt.timestep, n > 1 ? ", all copies" : "");
  printf("%-20s %.0f (%.2f us per step and copy)\n", "steps per second", rate,
         slowest * 1e6 * n / (steps ? (double)steps : 1));
  printf("%-20s %.1f times real time\n", "speed", rate * r->m->opt.timestep);
  printf("%-20s %.1f on average, at most %d\n", "contacts", r->contact_sum / count, r->contact_max);
  printf("%-20s %.2f on average, at most %d\n", "solver iterations", r->iteration_sum / count,
         r->iteration_max);
  snSolverReport report;
  if (sn_getReport(r->m, r->d, &report)) {
    printf("%-20s %s: residual %.2g (natural map), positions %.2g off, at the end\n",
           "hard contact", sn_getSolver(r->m, r->d), report.r_natural, report.r_pen);
  }
  printf("%-20s %.6g J to %.6g J, at most %.3g J from the start\n", "energy", r->energy0,
         r->energy1, r->energy_max);
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < mjNWARNING; i++) {
      int number = runs[k].d->warning[i].number;
      if (!number) continue;
      printf("%-20s %s: %d times, last at %d\n", "warning", warning_name(i), number,
             runs[k].d->warning[i].lastinfo);
      warnings += number;
      if (i >= mjWARN_BADQPOS) bad += number;
    }
  }
  if (!warnings) printf("%-20s none\n", "warnings");
  return bad;
}

// ---- arguments

static int choose(const char* option, const char* value, const char* const* names, int n) {
  for (int i = 0; i < n; i++) {
    if (!strcmp(value, names[i])) return i;
  }
  fprintf(stderr, "sinew run: %s '%s', expected one of:", option, value);
  for (int i = 0; i < n; i++) fprintf(stderr, " %s", names[i]);
  fprintf(stderr, "\n");
  return -1;
}

// The name, when it is that of a solver for hard contact, or says that there is to be none.
static const char* dual_solver(const char* name) {
  if (!strcmp(name, "soft")) return "soft";
  for (int k = 0; sn_solverName(k); k++) {
    if (!strcmp(sn_solverName(k), name)) return sn_solverName(k);
  }
  return NULL;
}

static int number(const char* option, const char* text, double low, double high, double* value) {
  char* end;
  *value = strtod(text, &end);
  if (end != text && !*end && *value >= low && *value <= high) return 1;
  fprintf(stderr, "sinew run: %s '%s', expected a number from %g to %g\n", option, text, low, high);
  return 0;
}

static mjModel* embedded_model(void) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(humanoid_xml, NULL, error, sizeof error);
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (!m) fprintf(stderr, "sinew run: %s\n", spec ? mjs_getError(spec) : error);
  if (spec) mj_deleteSpec(spec);
  return m;
}

enum { MAX_THREADS = 256 };

int command_run(int argc, char** argv) {
  static const char* const kIntegrator[] = {"euler", "rk4", "implicit", "implicitfast"};
  static const char* const kSolver[] = {"pgs", "cg", "newton"};
  Run proto = {.duration = 5, .noise = 0.3, .key = -1, .seed = 1, .quiet = !isatty(2)};
  const char* path = NULL;
  int integrator = -1, solver = -1, threads = 1;
  const char* hard = NULL;
  for (int i = 1; i < argc; i++) {
    const char* a = argv[i];
    const char* v = i + 1 < argc ? argv[i + 1] : NULL;
    double x;
    if (!strcmp(a, "--plot")) {
      proto.plot = 1;
    } else if (!strcmp(a, "--quiet")) {
      proto.quiet = 1;
    } else if (!strcmp(a, "--help")) {
      fputs(kUsage, stdout);
      return 0;
    } else if (a[0] != '-') {
      if (path) {
        fprintf(stderr, "sinew run: one model at a time, got '%s' too\n%s", a, kUsage);
        return 2;
      }
      path = a;
    } else if (!v) {
      fprintf(stderr, "sinew run: %s needs a value, or is unknown\n%s", a, kUsage);
      return 2;
    } else {
      i++;
      if (!strcmp(a, "--duration")) {
        if (!number(a, v, 0, 1e6, &proto.duration)) return 2;
      } else if (!strcmp(a, "--noise")) {
        if (!number(a, v, 0, 10, &proto.noise)) return 2;
      } else if (!strcmp(a, "--seed")) {
        if (!number(a, v, 0, 1e15, &x)) return 2;
        proto.seed = (unsigned long long)x;
      } else if (!strcmp(a, "--key")) {
        if (!number(a, v, 0, 1e6, &x)) return 2;
        proto.key = (int)x;
      } else if (!strcmp(a, "--threads")) {
        if (!number(a, v, 1, MAX_THREADS, &x)) return 2;
        threads = (int)x;
      } else if (!strcmp(a, "--integrator")) {
        if ((integrator = choose(a, v, kIntegrator, 4)) < 0) return 2;
      } else if (!strcmp(a, "--solver")) {
        hard = dual_solver(v);
        if (!hard && (solver = choose(a, v, kSolver, 3)) < 0) {
          fprintf(stderr, "or soft, whatever the model says, and for hard contact:");
          for (int k = 0; sn_solverName(k); k++) fprintf(stderr, " %s", sn_solverName(k));
          fprintf(stderr, "\n");
          return 2;
        }
        if (!hard) hard = "soft";
      } else if (!strcmp(a, "--write")) {
        proto.write = v;
      } else {
        fprintf(stderr, "sinew run: unknown option %s\n%s", a, kUsage);
        return 2;
      }
    }
  }

  mjModel* m = path ? load_model(path) : embedded_model();
  if (!m) return 1;
  if (proto.key >= m->nkey) {
    fprintf(stderr, "sinew run: --key %d, the model has %d\n", proto.key, m->nkey);
    mj_deleteModel(m);
    return 2;
  }
  if (integrator >= 0) m->opt.integrator = integrator;
  if (solver >= 0) m->opt.solver = solver;
  m->opt.enableflags |= mjENBL_ENERGY;
  proto.m = m;

  static Run runs[MAX_THREADS];
  static pthread_t thread[MAX_THREADS];
  int made = 0, started = 0, status = 0;
  for (; made < threads; made++) {
    Run* r = runs + made;
    *r = proto;
    r->seed = proto.seed + (unsigned long long)made;
    if (made) r->quiet = 1, r->plot = 0, r->write = NULL;
    r->d = mj_makeData(m);
    if (!r->d) {
      fprintf(stderr, "sinew run: no memory\n");
      status = 1;
      break;
    }
    if (proto.key >= 0) mj_resetDataKeyframe(m, r->d, proto.key);
    if (hard) sn_setSolver(m, r->d, hard);
    trajectory_init(&r->trajectory, m);
  }
  if (!status) {
    for (started = 1; started < threads; started++) {
      if (pthread_create(thread + started, NULL, simulate_thread, runs + started)) break;
    }
    simulate(runs);
    for (int i = 1; i < started; i++) pthread_join(thread[i], NULL);
    if (summary(runs, started)) status = 1;
    if (runs->plot && runs->steps) {
      plot("height of the center of mass (m)", runs->height, runs->steps);
      plot("energy (J)", runs->energy, runs->steps);
      plot("contacts", runs->contacts, runs->steps);
    }
    if (proto.write) {
      if (runs->failed || !trajectory_write(&runs->trajectory, proto.write)) {
        status = 1;
      } else {
        printf("%-20s %s\n", "written", proto.write);
      }
    }
  }
  for (int i = 0; i < made; i++) {
    mj_deleteData(runs[i].d);
    trajectory_free(&runs[i].trajectory);
    free(runs[i].height);
    free(runs[i].energy);
    free(runs[i].contacts);
  }
  mj_deleteModel(m);
  return status;
}
