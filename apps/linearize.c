// sinew linearize MODEL: the step as a linear system, its modes, and a regulator for it.
#include <math.h>
#include <sinew/derive.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "label.h"
#include "matrix.h"
#include "npz.h"
#include "sinew.h"
#include "trajectory.h"

const char help_linearize[] =
    "One step as a linear system around a state, through contact, analytically:\n"
    "dx' = A dx + B du, dy = C dx + D du, with x = (dq, dv, act) and y the sensors.\n"
    "Prints how fast its modes grow or die out.\n\n"
    "  --key N or NAME       around that keyframe (default: the initial state)\n"
    "  --time SECONDS        simulate that long first (default 0)\n"
    "  --ctrl U,U,...        controls (default: the keyframe's, or 0)\n"
    "  --lqr Q,R             also the gain K of u = -K x, least Q x'x + R u'u\n"
    "  --write FILE          A, B, C, D (and K): .npz, otherwise CSV, one table\n"
    "                        [A B; C D; -K] with names on its rows and columns\n"
    "  --all                 every mode (default: the 20 that last longest)\n\n"
    "Exit code: 0 done, 1 the model could not be linearized, 2 wrong usage.\n";

typedef struct Linear_ {
  const char *path, *key, *ctrl, *lqr, *write;
  double time, q, r;
  bool all;
  // results
  int nx, nu, ny;
  double *A, *B, *C, *D, *K;  // K is NULL without --lqr
  double complex* mode;
  snDeriveReport report;
} Linear;

// Numbers with commas between them, exactly n.
static bool read_numbers(const char* text, double* x, int n) {
  for (int i = 0; i < n; i++) {
    char* end;
    x[i] = strtod(text, &end);
    if (end == text || !isfinite(x[i]) || *end != (i + 1 < n ? ',' : 0)) return false;
    text = end + 1;
  }
  return n > 0;
}

// ---- options

static int read_options(Linear* l, int argc, char** argv) {
  for (int i = 1; i < argc; i++) {
    const struct {
      const char* name;
      const char** to;
    } option[] = {{"--key", &l->key},
                  {"--ctrl", &l->ctrl},
                  {"--lqr", &l->lqr},
                  {"--write", &l->write},
                  {"--time", NULL}};
    if (argv[i][0] != '-') {
      if (l->path) return wrong_usage("linearize", "one model at a time, got '%s' too", argv[i]);
      l->path = argv[i];
      continue;
    }
    if (!strcmp(argv[i], "--all")) {
      l->all = true;
      continue;
    }
    size_t k = 0, known = sizeof option / sizeof *option, n = strcspn(argv[i], "=");
    while (k < known && (strlen(option[k].name) != n || strncmp(argv[i], option[k].name, n))) k++;
    if (k == known) return wrong_usage("linearize", "unknown option %s", argv[i]);
    const char* value = argv[i][n] ? argv[i] + n + 1 : i + 1 < argc ? argv[++i] : NULL;
    if (!value) return wrong_usage("linearize", "%s needs a value", option[k].name);
    if (option[k].to) {
      *option[k].to = value;
    } else if (!read_numbers(value, &l->time, 1) || l->time < 0) {
      return wrong_usage("linearize", "--time: expected seconds, got '%s'", value);
    }
  }
  double weight[2] = {0};
  if (l->lqr && (!read_numbers(l->lqr, weight, 2) || !(weight[0] > 0) || !(weight[1] > 0))) {
    return wrong_usage("linearize", "--lqr: expected two positive numbers Q,R, got '%s'", l->lqr);
  }
  l->q = weight[0];
  l->r = weight[1];
  if (!l->path) return wrong_usage("linearize", "expected a model");
  return 0;
}

// ---- the table

static void write_numbers(FILE* f, const double* x, int n, double sign) {
  for (int i = 0; i < n; i++) fprintf(f, ",%.17g", sign * x[i]);
}

// The i-th number of (dq, dv, act).
static void state_label(const mjModel* m, int i, char text[LABEL_ROOM]) {
  int nv = m->nv;
  label_component(m,
                  i < nv       ? "dq"
                  : i < 2 * nv ? "qvel"
                               : "act",
                  i < 2 * nv ? i % nv : i - 2 * nv, text);
}

static void sensor_label(const mjModel* m, int i, char text[LABEL_ROOM]) {
  int s = 0;
  while (s + 1 < m->nsensor && m->sensor_adr[s + 1] <= i) s++;
  const char* name = mj_id2name(m, mjOBJ_SENSOR, s);
  int part = i - m->sensor_adr[s];
  if (!name || !name[0]) {
    snprintf(text, LABEL_ROOM, "sensor_%d", i);
  } else if (m->sensor_dim[s] == 1) {
    snprintf(text, LABEL_ROOM, "sensor:%.500s", name);
  } else {
    snprintf(text, LABEL_ROOM, "sensor:%.500s:%d", name, part);
  }
}

static bool write_csv(const Linear* l, const mjModel* m, FILE* f) {
  char text[LABEL_ROOM];
  fputs("by", f);
  for (int i = 0; i < l->nx + l->nu; i++) {
    if (i < l->nx)
      state_label(m, i, text);
    else
      label_component(m, "ctrl", i - l->nx, text);
    fputc(',', f);
    label_write(text, f);
  }
  fputc('\n', f);
  for (int i = 0; i < l->nx + l->ny; i++) {
    int k = i < l->nx ? i : i - l->nx;
    bool state = i < l->nx;
    if (state)
      state_label(m, k, text);
    else
      sensor_label(m, k, text);
    label_write(text, f);
    write_numbers(f, (state ? l->A : l->C) + (size_t)k * l->nx, l->nx, 1);
    write_numbers(f, (state ? l->B : l->D) + (size_t)k * l->nu, l->nu, 1);
    fputc('\n', f);
  }
  for (int i = 0; l->K && i < l->nu; i++) {  // the last block stays empty
    label_component(m, "ctrl", i, text);
    label_write(text, f);
    write_numbers(f, l->K + (size_t)i * l->nx, l->nx, -1);
    for (int k = 0; k < l->nu; k++) fputc(',', f);
    fputc('\n', f);
  }
  return !ferror(f);
}

static bool write_file(const Linear* l, const mjModel* m) {
  FILE* f = fopen(l->write, "wb");
  bool good = f != NULL;
  if (f && is_npz(l->write)) {
    int nx = l->nx, nu = l->nu, ny = l->ny;
    NpzArray array[] = {{"A", nx, nx, false, nx, l->A},
                        {"B", nx, nu, false, nu, l->B},
                        {"C", ny, nx, false, nx, l->C},
                        {"D", ny, nu, false, nu, l->D},
                        {"K", nu, nx, false, nx, l->K}};
    good = npz_write(f, array, l->K ? 5 : 4);
  } else if (f) {
    good = write_csv(l, m, f);
  }
  if (f && fclose(f)) good = false;
  if (!good) fprintf(stderr, "%s: could not be written whole\n", l->write);
  return good;
}

// ---- what is printed

static void print_modes(const Linear* l, double h) {
  // the eigenvalues of a double integrator are 1, rounded as roots of a square
  const double tie = 1e-6;
  int shown = 0, growing = 0, left = 0;
  for (int i = 0; i < l->nx; i++) growing += cabs(l->mode[i]) > 1 + tie;
  printf("%-16s %d of %d grow%s\n\n", "modes", growing, l->nx,
         growing ? ": the state is not stable" : "");
  if (!l->nx) return;
  printf("      |z|        growth (1/s)   frequency (Hz)   damping ratio\n");
  for (int i = 0; i < l->nx; i++) {
    double complex z = l->mode[i];
    double size = cabs(z), angle = carg(z);
    bool pair = fabs(cimag(z)) > tie * size;
    if (pair && cimag(z) < 0) continue;  // of a pair the one above is shown
    if (shown == 20 && !l->all) {
      left++;
      continue;
    }
    shown++;
    if (size < 1e-12) {
      printf("   %10.3g  %14s\n", size, "at once");
      continue;
    }
    double growth = fabs(size - 1) < tie ? 0 : log(size) / h;
    printf("   %10.6f  %14.4f", size, growth);
    if (pair) {
      double ratio = growth == 0 ? 0 : -growth / hypot(growth, angle / h);
      printf("  %15.4f  %14.4f", angle / h / (2 * mjPI), ratio);
    }
    printf("\n");
  }
  if (left) printf("   and %d more (--all)\n", left);
}

static void print_report(const Linear* l, const mjModel* m, const mjData* d) {
  const snDeriveReport* r = &l->report;
  printf("%-16s %s%s%s\n", "model", m->names[0] ? m->names : "", m->names[0] ? ", " : "", l->path);
  printf("%-16s state %d, controls %d, sensors %d, at t = %g s\n", "numbers", l->nx, l->nu, l->ny,
         d->time);
  double speed = 0, push = 0;
  for (int i = 0; i < m->nv; i++) {
    speed = fmax(speed, fabs(d->qvel[i]));
    push = fmax(push, fabs(d->qacc[i]));
  }
  printf("%-16s velocities up to %.3g, accelerations up to %.3g\n", "equilibrium", speed, push);
  if (d->nefc) printf("%-16s residual %.2g, %d rows\n", "constraints", r->residual, d->nefc);
  if (r->nearest_kind == snSWITCH_ROW) {
    printf("%-16s row %d, %.3g from its change\n", "nearest switch", r->nearest_id, r->nearest);
  } else if (r->nearest_kind == snSWITCH_CONTACT) {
    printf("%-16s contact %d, %.3g m from its margin\n", "nearest switch", r->nearest_id,
           r->nearest);
  } else if (r->nearest_kind == snSWITCH_MUSCLE) {
    printf("%-16s muscle %d, its activation %.3g from its control\n", "nearest switch",
           r->nearest_id, r->nearest);
  }
  // a word at a time, so that lines fit
  printf("%-16s", "differenced");
  int column = 16;
  for (const char* at = r->differenced[0] ? r->differenced : "nothing"; *at;) {
    int n = (int)strcspn(at, " ");
    if (column + 1 + n > 80) column = printf("\n%-16s", "") - 1;
    column += printf(" %.*s", n, at);
    at += n + (at[n] != 0);
  }
  printf("\n");
}

// ---- the command

static bool linearize(Linear* l, const mjModel* m, mjData* d) {
  size_t nx = 2 * (size_t)m->nv + (size_t)m->na, nu = (size_t)m->nu, ny = (size_t)m->nsensordata;
  l->nx = (int)nx;
  l->nu = (int)nu;
  l->ny = (int)ny;
  double* block = calloc((nx + ny) * (nx + nu) + nu * nx + 1, sizeof(double));
  l->mode = calloc(nx + 1, sizeof *l->mode);
  l->A = block;
  if (!block || !l->mode) {
    fprintf(stderr, "sinew linearize: no memory\n");
    return false;
  }
  l->B = l->A + nx * nx;
  l->C = l->B + nx * nu;
  l->D = l->C + ny * nx;
  l->K = l->lqr ? l->D + ny * nu : NULL;
  if (!sn_transition(m, d, l->A, l->B, l->C, l->D, &l->report)) return false;
  if (!matrix_eigenvalues(l->A, l->nx, l->mode)) {
    fprintf(stderr, "sinew linearize: no eigenvalues: numbers that are not finite?\n");
    return false;
  }
  print_report(l, m, d);
  print_modes(l, m->opt.timestep);
  if (!l->K) return true;
  if (!matrix_regulate(l->A, l->B, l->nx, l->nu, l->q, l->r, l->K)) {
    fprintf(stderr, "sinew linearize: --lqr: no controls keep this state from drifting away\n");
    return false;
  }
  printf("\n%-16s %d x %d%s\n", "gain K", l->nu, l->nx, l->write ? "" : " (--write saves it)");
  for (int i = 0; i < l->nu && l->nu * l->nx <= 48; i++) {
    for (int k = 0; k < l->nx; k++) {
      printf("%s%11.4g", k % 7 ? "" : k ? "\n   " : "   ", l->K[i * l->nx + k]);
    }
    printf("\n");
  }
  return true;
}

static int place(const Linear* l, const mjModel* m, mjData* d) {
  if (l->key) {
    int key = find_key("linearize", m, l->key);
    if (key < 0) return 2;
    mj_resetDataKeyframe(m, d, key);
  }
  if (l->ctrl && !read_numbers(l->ctrl, d->ctrl, m->nu)) {
    return wrong_usage("linearize", "--ctrl: expected %d numbers with commas, got '%s'", m->nu,
                       l->ctrl);
  }
  long steps = (long)ceil(l->time / m->opt.timestep - 1e-9);
  for (long i = 0; i < steps; i++) mj_step(m, d);
  return 0;
}

int command_linearize(int argc, char** argv) {
  Linear l = {0};
  int status = read_options(&l, argc, argv);
  if (status) return status;
  if (l.write && !system_writable(l.write)) {
    fprintf(stderr, "%s: cannot be written\n", l.write);
    return 1;
  }
  mjModel* m = load_model(l.path);
  mjData* d = m ? mj_makeData(m) : NULL;
  status = !d;
  if (d) status = place(&l, m, d);
  if (!status) status = !linearize(&l, m, d) || (l.write && !write_file(&l, m));
  free(l.A);
  free(l.mode);
  if (d) mj_deleteData(d);
  if (m) mj_deleteModel(m);
  return status;
}
