// Forward against inverse dynamics of the embedded figure, by number of constraint rows (Todorov
// 2014, figure 3): the figure is dragged about, all friction directions are on, and the forward
// solver is PGS with 5 and with 50 sweeps.
#include "../apps/humanoid.h"
#include "engine.h"

enum { STEPS = 4000, ROWS = 200, BIN = 20 };

typedef struct Sample_ {
  int rows;
  double time[3];  // forward with 5 and 50 sweeps, inverse
} Sample;

static double timed(Stage stage, const mjModel* m, mjData* d, mjData* work) {
  double best = INFINITY;
  for (int r = 0; r < 3; r++) {
    mj_copyData(work, m, d);
    double start = bench_now();
    stage(m, work);
    best = fmin(best, bench_now() - start);
  }
  return best;
}

static int by_value(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double median(const Sample* s, int bin, int which) {
  double* t = malloc(sizeof(double) * STEPS);
  int n = 0;
  for (int i = 0; i < STEPS; i++) {
    if (s[i].rows / BIN == bin) t[n++] = s[i].time[which];
  }
  qsort(t, (size_t)n, sizeof *t, by_value);
  double result = n >= 20 ? t[n / 2] : NAN;
  free(t);
  return result;
}

int bench_invert(int argc, char** argv) {
  (void)argc, (void)argv;
  mjSpec* spec = mj_parseXMLString(humanoid_xml, NULL, NULL, 0);
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  mj_deleteSpec(spec);
  mjData* d = m ? mj_makeData(m) : NULL;
  mjData* work = m ? mj_makeData(m) : NULL;
  Sample* sample = calloc(STEPS, sizeof *sample);
  if (!d || !work || !sample) return 1;
  for (int g = 0; g < m->ngeom; g++) m->geom_condim[g] = 6;
  m->opt.cone = mjCONE_ELLIPTIC;
  m->opt.integrator = mjINT_EULER;
  unsigned long long seed = 1;
  for (int i = 0; i < STEPS; i++) {
    // a hand that pulls the trunk towards a wandering point near the floor
    for (int a = 0; a < 3; a++) {
      double target = a == 2 ? 0.05 + 0.3 * fabs(sin(0.003 * i)) : sin(0.002 * i * (a + 1));
      d->xfrc_applied[6 + a] = 400 * (target - d->xpos[3 + a]) - 40 * d->qvel[a];
    }
    for (int u = 0; u < m->nu; u++) {
      d->ctrl[u] = fmax(-1, fmin(1, 0.95 * d->ctrl[u] + 0.3 * bench_uniform(&seed)));
    }
    m->opt.solver = mjSOL_NEWTON;
    mj_step(m, d);
    mj_forward(m, d);
    sample[i].rows = d->nefc;
    sample[i].time[2] = timed(mj_inverse, m, d, work);
    m->opt.solver = mjSOL_PGS;
    m->opt.tolerance = 0;
    m->opt.iterations = 5;
    sample[i].time[0] = timed(mj_forward, m, d, work);
    m->opt.iterations = 50;
    sample[i].time[1] = timed(mj_forward, m, d, work);
    m->opt.tolerance = 1e-8;
  }
  for (int bin = 0; bin < ROWS / BIN; bin++) {
    double t[3];
    for (int k = 0; k < 3; k++) t[k] = median(sample, bin, k);
    if (isnan(t[2])) continue;
    printf(
        "{\"rows\": %d, \"forward5_us\": %.2f, \"forward50_us\": %.2f, \"inverse_us\": %.2f, "
        "\"speedup5\": %.2f, \"speedup50\": %.2f}\n",
        bin * BIN, t[0], t[1], t[2], t[0] / t[2], t[1] / t[2]);
  }
  free(sample);
  mj_deleteData(d);
  mj_deleteData(work);
  mj_deleteModel(m);
  return 0;
}
