// sinew run [MODEL]: simulates with a progress bar and prints a summary.
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "certificates.h"
#include "picture.h"
#include "base/system.h"
#include "sinew.h"
#include "trajectory.h"

#include <sinew/ask.h>
#include <sinew/solver.h>

const char help_run[] =
    "Simulates MODEL with controls that wander at random and says how it went.\n"
    "Without MODEL: an articulated figure that falls onto a floor with steps\n"
    "('sinew example' writes it to a file).\n\n"
    "  --duration SECONDS    simulated time (default 5)\n"
    "  --seed N              of the control noise (default 1)\n"
    "  --noise X             control noise, in half ranges of controls (default 0.3)\n"
    "  --key N or NAME       start from that keyframe\n"
    "  --integrator NAME     euler, rk4, implicit, implicitfast\n"
    "  --solver NAME         pgs, cg, newton, soft (as the model has it, without hard\n"
    "                        contact); for hard contact admm-ncp or another\n"
    "                        dual solver\n"
    "  --friction stick      contacts that are stuck hold their place\n"
    "  --loops closed        equalities are closed to rounding after each step\n"
    "  --sleep on            bodies at rest fall asleep and cost nothing\n"
    "  --report FILE         a certificate of each step of the first copy, as CSV,\n"
    "                        and what was worst; -: only the latter\n"
    "  --coordinates NAME    minimal, maximal: a pose and a twist for every body,\n"
    "                        joints as constraints (hard contact)\n"
    "  --stepping NAME       of hard contact: euler, richardson (second order), in\n"
    "                        maximal coordinates also moreau (midpoint)\n"
    "  --threads N           N copies at once, with seeds that follow (default 1)\n"
    "  --write FILE          trajectory of the first copy: .npz, otherwise CSV\n"
    "  --video FILE          of the first copy: .mp4 and the like through ffmpeg,\n"
    "                        .png as animated PNG\n"
    "  --picture FILE        six moments of the first copy, as PNG\n"
    "  --html FILE           a page that plays it in a browser, offline\n"
    "  --size WxH            of the video (default 640x480)\n"
    "  --fps N               pictures a second of the video (default 30)\n"
    "  --camera C            of video and picture, name or number (default: free)\n"
    "  --plot                height, energy and contacts over time, in the terminal\n"
    "  --quiet               no progress bar\n\n"
    "Exit code: 0 it ran, 1 it did not, or its numbers went bad and the state was\n"
    "reset, 2 wrong usage.\n";

typedef struct Run_ {
  const mjModel* m;
  double duration, noise;
  int key, plot, quiet;
  unsigned long long seed;
  const char* write;
  const char* report;
  Recorder* recorder;

  // results
  mjData* d;
  Trajectory trajectory;
  Certificates certificates;
  float *height, *energy, *contacts;  // one per step, when plotted
  long steps, failed;
  double seconds, energy0, energy1, energy_max, contact_sum, iteration_sum;
  int contact_max, iteration_max;
  long resets;         // resets of the state after bad numbers
  double first_reset;  // time
} Run;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Random controls: an Ornstein-Uhlenbeck process around the middle of the range, with a time
// constant of a tenth of a second.
static void wander(Run* r, double* level) {
  const mjModel* m = r->m;
  double keep = exp(-m->opt.timestep / 0.1), kick = r->noise * sqrt(1 - keep * keep);
  for (int i = 0; i < m->nu; i++) {
    double gauss = -6;
    for (int k = 0; k < 12; k++) gauss += random_unit(&r->seed);
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
  if (r->recorder) recorder_begin(r->recorder, m, d);
  double start = now(), shown = start, aside = 0;
  for (long i = 0; i < total; i++) {
    wander(r, level);
    if (r->write) {
      before[0] = d->time;
      memcpy(before + 1, d->qpos, sizeof(double) * (size_t)m->nq);
      memcpy(before + 1 + m->nq, d->qvel, sizeof(double) * (size_t)m->nv);
      memcpy(before + 1 + m->nq + m->nv, d->act, sizeof(double) * (size_t)m->na);
    }
    double time = d->time;
    mj_step(m, d);
    r->steps++;
    // a reset sets the time back
    if (d->time <= time && !r->resets++) r->first_reset = time;
    if (r->write && !record(r, before)) r->failed++;
    certificates_add(&r->certificates, m, d);
    double e = d->energy[0] + d->energy[1];
    if (i == 0) r->energy0 = e;
    r->energy1 = e;
    r->energy_max = fmax(r->energy_max, fabs(e - r->energy0));
    r->contact_sum += d->ncon;
    if (d->ncon > r->contact_max) r->contact_max = d->ncon;
    int iterations = 0;  // of the island that needed most
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
    if (r->recorder) {
      double t = now();
      recorder_look(r->recorder, d, (double)(i + 1) * m->opt.timestep);
      aside += now() - t;
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

// Five time labels below the plot, from start to end.
static void time_axis(int left, int width, double duration) {
  enum { TICKS = 4, ROOM = 120 };
  char line[ROOM];
  memset(line, ' ', sizeof line);
  printf("%*s", left, "");
  for (int x = 0; x < width; x++) {
    int tick = 0;
    for (int k = 0; k <= TICKS; k++) tick |= x == k * (width - 1) / TICKS;
    printf("%s", tick ? "\u2534" : "\u2500");
  }
  for (int k = 0; k <= TICKS; k++) {
    char label[32];
    int n = snprintf(label, sizeof label, "%.4g%s", k * duration / TICKS, k == TICKS ? " s" : "");
    int at = left + k * (width - 1) / TICKS - (k == TICKS ? n - 1 : k ? n / 2 : 0);
    if (at >= 0 && at + n < ROOM) memcpy(line + at, label, (size_t)n);
  }
  int end = ROOM;
  while (end > 0 && line[end - 1] == ' ') end--;
  printf("\n%.*s\n", end, line);
}

static void plot(const char* title, const float* y, long n, double duration) {
  enum { LEFT = 11, WIDTH = 68, HEIGHT = 6 };
  static const int dot[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  unsigned char cell[HEIGHT][WIDTH] = {{0}};
  float low = INFINITY, high = -INFINITY;
  for (long i = 0; i < n; i++) {
    if (!isfinite(y[i])) continue;
    low = fminf(low, y[i]);
    high = fmaxf(high, y[i]);
  }
  float span = high > low ? high - low : 1;
  for (int x = 0; x < 2 * WIDTH; x++) {
    long i = n > 1 ? (long)((double)x * (double)(n - 1) / (2 * WIDTH - 1)) : 0;
    if (!isfinite(y[i])) continue;
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
  time_axis(LEFT, WIDTH, duration);
}

// ---- summary

static const char* warning_name(int i) {
  static const char* const kName[mjNWARNING] = {
      "inertia matrix not positive", "contacts dropped",     "constraints dropped",
      "scene geoms dropped",         "bad position (reset)", "bad velocity (reset)",
      "bad acceleration (reset)",    "bad control"};
  return kName[i];
}

static const char* plural(long n, const char* one, const char* many) { return n == 1 ? one : many; }

// Title: the model's name, or its file's, and its size.
static void introduce(const Run* r, const char* path, int copies) {
  const mjModel* m = r->m;
  if (!path) {
    printf("%-20s the built-in figure, 1.7 m tall, falls onto a floor\n", "model");
  } else if (m->names[0]) {
    printf("%-20s %s, %s\n", "model", m->names, path);
  } else {
    printf("%-20s %s\n", "model", path);
  }
  printf("%-20s %d %s, %d %s of freedom, %d %s\n", "", m->nbody - 1,
         plural(m->nbody - 1, "body", "bodies"), m->nv, plural(m->nv, "degree", "degrees"), m->nu,
         plural(m->nu, "actuator", "actuators"));
  printf("%-20s %g s in steps of %g s", "simulated", r->duration, m->opt.timestep);
  if (copies > 1) printf(", %d copies", copies);
  printf(m->nu && r->noise > 0 ? ", random controls (seed %llu)\n" : "\n", r->seed);
}

static void summary(const Run* runs, int n) {
  const Run* r = runs;
  long steps = 0;
  double slowest = 0;
  bool warned = false;
  for (int i = 0; i < n; i++) {
    steps += runs[i].steps;
    slowest = fmax(slowest, runs[i].seconds);
  }
  double rate = slowest > 0 ? (double)steps / slowest : 0, count = r->steps ? (double)r->steps : 1;
  printf("%-20s %ld%s\n", "steps", steps, n > 1 ? ", of all copies" : "");
  printf("%-20s %.0f (%.2f us per step%s)\n", "steps per second", rate,
         slowest * 1e6 * n / (steps ? (double)steps : 1), n > 1 ? " and copy" : "");
  printf("%-20s %.1f times real time (simulated over elapsed seconds)\n", "speed",
         rate * r->m->opt.timestep);
  printf("%-20s %.1f on average, at most %d at once\n", "contacts", r->contact_sum / count,
         r->contact_max);
  printf("%-20s %.2f on average, at most %d in a step\n", "solver iterations",
         r->iteration_sum / count, r->iteration_max);
  snSolverReport report;
  if (sn_getReport(r->m, r->d, &report)) {
    printf("%-20s %s: residual %.2g (natural map), positions %.2g off, at the end\n",
           "hard contact",
           strcmp(sn_getSolver(r->m, r->d), "soft") ? sn_getSolver(r->m, r->d) : "maximal",
           report.r_natural, report.r_pen);
    if (report.unconverged) {
      printf("%-20s %d of %d steps (%.2g%%); worst residual %.2g, at %g s\n", "not converged",
             report.unconverged, report.steps, 100.0 * report.unconverged / report.steps,
             report.worst, report.worst_time);
    } else {
      printf("%-20s every step\n", "converged");
    }
  }
  certificates_summary(&r->certificates, r->m);
  printf("%-20s %.5g J at the start, %.5g J at the end (with potential)\n", "energy", r->energy0,
         r->energy1);
  for (int k = 0; k < n; k++) {
    if (runs[k].resets) {
      printf("%-20s the numbers went bad %ld %s, first at t = %.4g s: the state was reset\n",
             "FAILED", runs[k].resets, plural(runs[k].resets, "time", "times"),
             runs[k].first_reset);
      warned = true;
    }
    for (int i = 0; i < mjNWARNING; i++) {
      int number = runs[k].d->warning[i].number;
      if (!number) continue;
      printf("%-20s %s: %d %s, last at %d\n", "warning", warning_name(i), number,
             plural(number, "time", "times"), runs[k].d->warning[i].lastinfo);
      warned = true;
    }
  }
  if (!warned) printf("%-20s none\n", "warnings");
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

// The name, if it is "soft" or that of a solver for hard contact; else NULL.
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

// Splits "--name=value"; without '=' the value is the next argument.
static const char* split(const char* a, const char* next, char name[32], int* used) {
  const char* equal = strchr(a, '=');
  snprintf(name, 32, "%.*s", (int)(equal ? equal - a : (long)strlen(a)), a);
  *used = !equal;
  return equal ? equal + 1 : next;
}

int find_key(const char* command, const mjModel* m, const char* text) {
  char* end;
  long key = strtol(text, &end, 10);
  if (end == text || *end) {
    key = mj_name2id(m, mjOBJ_KEY, text);
    if (key < 0)
      fprintf(stderr, "sinew %s: --key: the model has no keyframe '%s'\n", command, text);
  } else if (key < 0 || key >= m->nkey) {
    fprintf(stderr, "sinew %s: --key %ld: the model has %d %s\n", command, key, m->nkey,
            plural(m->nkey, "keyframe", "keyframes, from 0"));
    key = -1;
  }
  return (int)key;
}

// What --friction and the like ask for; NULL: what the model says.
enum { ASKS = 5 };
static const char* const ask_name[ASKS] = {"friction", "loops", "sleep", "coordinates", "stepping"};
typedef struct Ask_ {
  const char* value[ASKS];
} Ask;

// The model, or the figure without a path, with what is asked for in its spec.
static mjModel* load_asking(const char* path, const Ask* ask) {
  bool any = false;
  for (int i = 0; i < ASKS; i++) any |= ask->value[i] != NULL;
  if (!any) return path ? load_model(path) : example_model();
  char error[1024] = "";
  if (path && ends_with(path, ".mjb")) {
    fprintf(stderr,
            "sinew run: --friction, --loops, --sleep and --coordinates need MJCF or URDF, %s is "
            "compiled\n",
            path);
    return NULL;
  }
  if (path && !confine_to_folder_of(path)) return NULL;
  mjSpec* spec = path ? mj_parseXML(path, NULL, error, sizeof error) : example_spec();
  if (!spec) {
    fprintf(stderr, "%s\n", error);
    return NULL;
  }
  for (int i = 0; i < ASKS; i++) {
    if (ask->value[i]) sn_ask(spec, ask_name[i], ask->value[i]);
  }
  mjModel* m = mj_compile(spec, NULL);
  if (!m) fprintf(stderr, "%s\n", mjs_getError(spec));
  mj_deleteSpec(spec);
  return m;
}

// --friction, --loops, --sleep, --coordinates, --stepping; false: none of them.
static bool ask_for(Ask* ask, const char* option, const char* value) {
  for (int i = 0; i < ASKS; i++) {
    if (strcmp(option + 2, ask_name[i])) continue;
    ask->value[i] = value;
    return true;
  }
  return false;
}

enum { MAX_THREADS = 256 };

// What the command line asks for.
typedef struct RunOptions_ {
  Run run;  // what every thread starts with
  const char *path, *key;
  const char* hard;  // solver of hard contact, "soft", or NULL: as the model has it
  int integrator, solver, threads;
  Ask ask;
  RecorderOptions record;
} RunOptions;

static int unknown_solver(void) {
  fprintf(stderr, "or soft, whatever the model says, and for hard contact:");
  for (int k = 0; sn_solverName(k); k++) fprintf(stderr, " %s", sn_solverName(k));
  fprintf(stderr, "\n");
  return 2;
}

// One option with its value; 0, or the command's status after a message.
static int option_read(RunOptions* o, const char* a, const char* v) {
  static const char* const kIntegrator[] = {"euler", "rk4", "implicit", "implicitfast"};
  static const char* const kSolver[] = {"pgs", "cg", "newton"};
  const struct {
    const char *name, **to;
  } text[] = {{"--key", &o->key},
              {"--write", &o->run.write},
              {"--report", &o->run.report},
              {"--video", &o->record.video},
              {"--picture", &o->record.sheet},
              {"--html", &o->record.html},
              {"--camera", &o->record.camera}};
  double x;
  for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
    if (strcmp(a, text[i].name)) continue;
    *text[i].to = v;
    return 0;
  }
  if (ask_for(&o->ask, a, v)) return 0;
  if (!strcmp(a, "--duration")) return number(a, v, 0, 1e6, &o->run.duration) ? 0 : 2;
  if (!strcmp(a, "--noise")) return number(a, v, 0, 10, &o->run.noise) ? 0 : 2;
  if (!strcmp(a, "--fps")) return number(a, v, 1, 1000, &o->record.rate) ? 0 : 2;
  if (!strcmp(a, "--size")) {
    return size_read("run", v, &o->record.width, &o->record.height) ? 0 : 2;
  }
  if (!strcmp(a, "--seed")) {
    if (!number(a, v, 0, 1e15, &x)) return 2;
    o->run.seed = (unsigned long long)x;
  } else if (!strcmp(a, "--threads")) {
    if (!number(a, v, 1, MAX_THREADS, &x)) return 2;
    o->threads = (int)x;
  } else if (!strcmp(a, "--integrator")) {
    if ((o->integrator = choose(a, v, kIntegrator, 4)) < 0) return 2;
  } else if (!strcmp(a, "--solver")) {
    o->hard = dual_solver(v);
    if (!o->hard && (o->solver = choose(a, v, kSolver, 3)) < 0) return unknown_solver();
    if (!o->hard) o->hard = "soft";
  } else {
    return wrong_usage("run", "unknown option %s", a);
  }
  return 0;
}

// All of the command line; 0, or the command's status after a message.
static int options_read(RunOptions* o, int argc, char** argv) {
  for (int i = 1, status; i < argc; i++) {
    char a[32];
    int used;
    const char* v = split(argv[i], i + 1 < argc ? argv[i + 1] : NULL, a, &used);
    if (!strcmp(argv[i], "--plot")) {
      o->run.plot = 1;
    } else if (!strcmp(argv[i], "--quiet")) {
      o->run.quiet = 1;
    } else if (argv[i][0] != '-') {
      if (o->path) return wrong_usage("run", "one model at a time, got '%s' too", argv[i]);
      o->path = argv[i];
    } else if (!v) {
      return wrong_usage("run", "%s needs a value, or is unknown", a);
    } else {
      i += used;
      if ((status = option_read(o, a, v))) return status;
    }
  }
  return 0;
}

// The model with the options that change it; NULL after a message, with the command's status.
static mjModel* model_open(RunOptions* o, int* status) {
  *status = 1;
  if (o->run.write && !system_writable(o->run.write)) {
    fprintf(stderr, "sinew run: --write: '%s' cannot be written\n", o->run.write);
    return NULL;
  }
  if (!certificates_open(&o->run.certificates, o->run.report)) {
    fprintf(stderr, "sinew run: --report: '%s' cannot be written\n", o->run.report);
    return NULL;
  }
  mjModel* m = load_asking(o->path, &o->ask);
  if (!m) {
    certificates_close(&o->run.certificates);
    return NULL;
  }
  if (o->key && (o->run.key = find_key("run", m, o->key)) < 0) {
    certificates_close(&o->run.certificates);
    mj_deleteModel(m);
    *status = 2;
    return NULL;
  }
  if (o->integrator >= 0) m->opt.integrator = o->integrator;
  if (o->solver >= 0) m->opt.solver = o->solver;
  m->opt.enableflags |= mjENBL_ENERGY;
  o->run.m = m;
  return m;
}

// The k-th simulation: its own data and seed; the first alone reports. False without memory.
static bool run_open(Run* r, const RunOptions* o, int k) {
  *r = o->run;
  r->seed = o->run.seed + (unsigned long long)k;
  if (k) r->quiet = 1, r->plot = 0, r->write = NULL, r->report = NULL;  // and no recorder
  if (k) r->certificates = (Certificates){0};
  r->d = mj_makeData(r->m);
  if (!r->d) {
    fprintf(stderr, "sinew run: no memory\n");
    return false;
  }
  if (o->run.key >= 0) mj_resetDataKeyframe(r->m, r->d, o->run.key);
  if (o->hard) sn_setSolver(r->m, r->d, o->hard);
  if (r->report) sn_certify(r->m, r->d, 1);
  trajectory_init(&r->trajectory, r->m);
  return true;
}

// Simulates all, then reports and writes what was asked for; returns the command's status.
static int runs_simulate(Run* runs, const RunOptions* o) {
  static pthread_t thread[MAX_THREADS];
  int started = 1, status = 0;
  for (; started < o->threads; started++) {
    if (pthread_create(thread + started, NULL, simulate_thread, runs + started)) break;
  }
  introduce(runs, o->path, o->threads);
  fflush(stdout);
  simulate(runs);
  for (int i = 1; i < started; i++) pthread_join(thread[i], NULL);
  summary(runs, started);
  for (int i = 0; i < started; i++) status |= runs[i].resets > 0;
  if (runs->plot && runs->steps) {
    plot("height of the center of mass (m)", runs->height, runs->steps, runs->duration);
    plot("energy (J)", runs->energy, runs->steps, runs->duration);
    plot("contacts", runs->contacts, runs->steps, runs->duration);
  }
  if (runs->write) {
    if (runs->failed || !trajectory_write(&runs->trajectory, runs->write)) {
      status = 1;
    } else {
      printf("%-20s %s\n", "written", runs->write);
    }
  }
  if (!recorder_close(runs->recorder)) status = 1;
  if (!certificates_close(&runs->certificates)) {
    fprintf(stderr, "sinew run: --report: '%s' could not be written\n", runs->report);
    status = 1;
  } else if (runs->report && strcmp(runs->report, "-")) {
    printf("%-20s %s\n", "written", runs->report);
  }
  return status;
}

int command_run(int argc, char** argv) {
  static Run runs[MAX_THREADS];
  RunOptions o = {
      .run = {.duration = 5, .noise = 0.3, .key = -1, .seed = 1, .quiet = !isatty(2)},
      .integrator = -1,
      .solver = -1,
      .threads = 1,
      .record = {.width = 640, .height = 480, .rate = 30},
  };
  int status = options_read(&o, argc, argv), made = 0;
  if (status) return status;
  mjModel* m = model_open(&o, &status);
  if (!m) return status;
  status = 0;
  while (made < o.threads && !status) {
    status = !run_open(runs + made, &o, made);
    made += !status;
  }
  const RecorderOptions* record = &o.record;
  if (!status && (record->video || record->sheet || record->html)) {
    runs->recorder = recorder_open(m, record, o.run.duration);
    status = !runs->recorder;
  }
  if (!status) status = runs_simulate(runs, &o);
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
