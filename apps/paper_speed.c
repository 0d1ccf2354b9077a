// 2014, figure 3: time of forward and inverse dynamics of a 27-dof humanoid by rows of the contact
// Jacobian, all directions of friction on. A spring drags the figure about, so that it touches the
// ground in many ways.
#include <math.h>
#include <sinew/solver.h>
#include <stdlib.h>
#include <string.h>

#include "paper.h"

enum { kRows = 120, kBin = 6, kBins = kRows / kBin, kEach = 120 };

// Times of the steps with so many rows: forward with 5 and 50 iterations, inverse.
typedef struct Bin_ {
  int n;
  double us[3][kEach], error[2][kEach];
} Bin;

static void drag(const mjModel* m, mjData* d, unsigned long long* seed, double goal[3]) {
  double* f = d->xfrc_applied + 6;
  if (fmod(d->time, 0.4) < m->opt.timestep) {
    for (int k = 0; k < 3; k++) goal[k] = 2 * random_unit(seed) - 1;
    goal[2] = -0.3 + 0.5 * random_unit(seed);
  }
  // low goals press every limb on the ground, for up to 100 rows and more
  for (int b = 1; b < m->nbody; b++) d->xfrc_applied[6 * b + 2] = goal[2] < -0.05 ? -150 : 0;
  for (int k = 0; k < 3; k++) {
    f[k] = 700 * (goal[k] - d->xpos[3 + k]) - 80 * d->qvel[k];
    f[3 + k] = 30 * (random_unit(seed) - 0.5);
  }
}

// The largest difference of constraint forces, relative to the largest of them.
static double mismatch(const mjData* a, const mjData* b) {
  double most = 1e-9, worst = 0;
  for (int i = 0; i < a->nefc; i++) {
    most = fmax(most, fabs(a->efc_force[i]));
    worst = fmax(worst, fabs(a->efc_force[i] - b->efc_force[i]));
  }
  return worst / most;
}

static double least_of_three(void (*run)(const mjModel*, mjData*), const mjModel* m, mjData* d) {
  double least = INFINITY;
  for (int i = 0; i < 3; i++) {
    double start = core_time();
    run(m, d);
    least = fmin(least, 1e6 * (core_time() - start));
  }
  return least;
}

static void clock_step(const mjModel* m, mjData* d, mjData* work, Bin* bin) {
  static const int kIterations[2] = {5, 50};
  if (bin->n == kEach) return;
  for (int k = 0; k < 2; k++) {
    mj_copyData(work, m, d);
    sn_setSolver(m, work, "gpgs");
    sn_setSetting(m, work, "iterations", kIterations[k]);
    bin->us[k][bin->n] = least_of_three(mj_forward, m, work);
    mjData* again = mj_copyData(NULL, m, work);
    if (!again) return;
    sn_setSolver(m, again, "gpgs");
    double inverse = least_of_three(mj_inverse, m, again);
    if (k == 1) bin->us[2][bin->n] = inverse;
    bin->error[k][bin->n] = mismatch(work, again);
    mj_deleteData(again);
  }
  bin->n++;
}

static void move_figure(const mjModel* m, mjData* d, mjData* work, Bin* bins, int steps) {
  unsigned long long seed = 9;
  double goal[3] = {0, 0, 0};
  sn_setSolver(m, d, "gpgs");
  sn_setSetting(m, d, "iterations", 50);
  for (int i = 0; i < steps; i++) {
    drag(m, d, &seed, goal);
    mj_step(m, d);
    int at = d->nefc / kBin;
    if (i % 2 == 0 && at < kBins) clock_step(m, d, work, bins + at);
  }
}

// Ten contacts with sliding friction alone, as the paper's abstract counts: the median forward time
// and the mismatch at five iterations.
static void ten_contacts(const mjModel* m, mjData* d, mjData* work, double result[3]) {
  Bin* bin = calloc(1, sizeof *bin);
  unsigned long long seed = 5;
  double goal[3] = {0, 0, 0};
  mj_resetData(m, d);
  sn_setSolver(m, d, "gpgs");
  sn_setSetting(m, d, "iterations", 50);
  for (int i = 0; bin && i < 8000 && bin->n < kEach / 2; i++) {
    drag(m, d, &seed, goal);
    mj_step(m, d);
    if (d->ncon == 10) clock_step(m, d, work, bin);
  }
  result[0] = bin && bin->n ? paper_median(bin->us[0], bin->n) : NAN;
  result[1] = bin && bin->n ? paper_median(bin->us[1], bin->n) : NAN;
  result[2] = bin && bin->n ? paper_median(bin->error[1], bin->n) : NAN;
  free(bin);
}

static void plot_times(FILE* f, double x[kBins], double us[3][kBins], int n) {
  static const char* const kName[3] = {"forward, 5 sweeps", "forward, 50 sweeps", "inverse"};
  static const char* const kColour[3] = {"#555", "#111", "#e67e22"};
  Label label[3];
  double most = 0;
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < n; i++) most = fmax(most, us[k][i]);
  }
  Axes a = {0,
            110,
            0,
            1.05 * most,
            false,
            false,
            false,
            0,
            0,
            "Time of a step",
            "rows of the contact Jacobian",
            "processor time (&#181;s)"};
  plot_begin(f, &a);
  for (int k = 0; k < 3; k++) {
    plot_curve(f, &a, x, us[k], n, kColour[k], k == 0 ? "6 3" : NULL, true, kName[k]);
    label[k] = (Label){us[k][n - 1], kName[k], kColour[k]};
  }
  plot_end(f, &a, label, 3);
  double ratio[2][kBins];
  most = 1;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 2; k++) {
      ratio[k][i] = us[k][i] / us[2][i];
      most = fmax(most, ratio[k][i]);
    }
  }
  Axes b = {0,
            110,
            0,
            1.05 * most,
            false,
            false,
            false,
            0,
            0,
            "Forward over inverse",
            "rows of the contact Jacobian",
            "speedup of the inverse"};
  plot_begin(f, &b);
  for (int k = 0; k < 2; k++) {
    plot_curve(f, &b, x, ratio[k], n, kColour[k], k == 0 ? "6 3" : NULL, true, kName[k]);
    label[k] = (Label){ratio[k][n - 1], k ? "50 sweeps" : "5 sweeps", kColour[k]};
  }
  plot_end(f, &b, label, 2);
}

int paper_speed(const Paper* p) {
  static const char* const kHead[] = {"rows",    "steps",   "forward, 5 sweeps", "50 sweeps",
                                      "inverse", "speedup", "mismatch, 5",       "50"};
  mjModel* m = example_model();
  mjData *d = m ? mj_makeData(m) : NULL, *work = m ? mj_makeData(m) : NULL;
  Bin* bins = calloc(kBins, sizeof *bins);
  Table t;
  double x[kBins], us[3][kBins], ten[3] = {NAN, NAN, NAN};
  int n = 0;
  table_begin(&t, "Medians by rows", 8, kHead);
  t.failed = !work || !bins;
  if (!t.failed) {
    m->opt.timestep = 0.01;
    m->opt.cone = mjCONE_ELLIPTIC;
    m->opt.integrator = mjINT_EULER;
    ten_contacts(m, d, work, ten);
    for (int i = 0; i < m->ngeom; i++) {
      m->geom_condim[i] = 6;
      m->geom_margin[i] = 0.03;  // more contacts at once
    }
    mj_resetData(m, d);
    move_figure(m, d, work, bins, 5000);
  }
  for (int i = 0; !t.failed && i < kBins; i++) {
    Bin* b = bins + i;
    if (b->n < 8) continue;
    x[n] = (i + 0.5) * kBin;
    for (int k = 0; k < 3; k++) us[k][n] = paper_median(b->us[k], b->n);
    table_add(&t, "%d to %d", i * kBin, (i + 1) * kBin - 1);
    table_add(&t, "%d", b->n);
    for (int k = 0; k < 3; k++) table_add(&t, "%.1f us", us[k][n]);
    table_add(&t, "%.1f", us[1][n] / us[2][n]);
    for (int k = 0; k < 2; k++) table_add(&t, "%.0e", paper_median(b->error[k], b->n));
    n++;
  }
  snprintf(
      t.note, sizeof t.note,
      "With ten contacts and sliding friction alone (30 rows) a forward step takes %.0f us with "
      "5 sweeps and %.0f us with 50 (the paper: 100 us), and forward and inverse forces differ "
      "by %.0e of the largest after 50 sweeps. The paper's inverse takes 10 us without rows "
      "and 30 us with 100.",
      ten[0], ten[1], ten[2]);
  FILE* f = !t.failed && n > 1
                ? page_open(p->output, "Speed of forward and inverse dynamics (2014)")
                : NULL;
  bool good = f != NULL;
  if (f) {
    page_origin(f, p->command);
    fprintf(f,
            "<p>A humanoid of 27 degrees of freedom is dragged about, with all directions of "
            "friction on. Times are those of whole calls, collision detection included: the least "
            "of three calls, the median of steps with so many rows.</p>\n");
    plot_times(f, x, us, n);
    table_write(&t, f);
    good = page_close(f, p->output);
    table_print(&t);
    printf("\n%s\n", p->output);
  }
  table_free(&t);
  free(bins);
  mj_deleteData(d);
  mj_deleteData(work);
  mj_deleteModel(m);
  return good ? 0 : 1;
}
