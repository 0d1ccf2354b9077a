// Random steps over every model there is: random controls, pushes, solvers and settings, now and
// then a state gone bad. Nothing crashes, no bad number is left without its warning, and an episode
// run again gives the same bits and, once sizes have settled, allocates nothing.
//   SINEW_ENDURE=1000000 physics_test_endure      so many steps in all, models of SINEW_MODELS too
//   SINEW_ENDURE_SEED=2                           others than the last time
//
// Models share the steps evenly as far as their share of the time goes: what a slow one leaves is
// for the others. A million steps take about a quarter of an hour of one core.
#include <dirent.h>
#include <float.h>
#include <sinew/solver.h>
#include <sys/stat.h>
#include <time.h>

#include "base/base.h"
#include "scene.h"

enum { EPISODE = 50, MODELS = 4000, SETTINGS = 4 };  // at least so many settings of each model

static char* paths[MODELS];
static long steps[MODELS];
static int npath;
static unsigned long long seed = 1;

static int by_name(const void* a, const void* b) {
  return strcmp(*(char* const*)a, *(char* const*)b);
}

static void collect(const char* folder) {
  DIR* dir = opendir(folder);
  if (!dir) return;
  for (struct dirent* e; (e = readdir(dir));) {
    char path[4096];
    if (e->d_name[0] == '.') continue;
    if (snprintf(path, sizeof path, "%s/%s", folder, e->d_name) >= (int)sizeof path) continue;
    struct stat about;
    if (stat(path, &about)) continue;
    if (S_ISDIR(about.st_mode)) collect(path);
    size_t n = strlen(path);
    if (npath < MODELS && n > 4 && !strcmp(path + n - 4, ".xml")) paths[npath++] = strdup(path);
  }
  closedir(dir);
}

static bool below(const mjtNum* x, int n, double most) {
  for (int i = 0; i < n; i++) {
    if (!(fabs(x[i]) <= most)) return false;
  }
  return true;
}

// Accelerations in the later stages of RK4 may be large; those of the first are checked by the
// step.
static const char* first_bad(const mjModel* m, const mjData* d) {
  if (!below(d->qpos, m->nq, mjMAXVAL)) return "qpos";
  if (!below(d->qvel, m->nv, mjMAXVAL)) return "qvel";
  if (!below(d->act, m->na, mjMAXVAL)) return "act";
  if (!below(d->qacc, m->nv, DBL_MAX)) return "qacc";
  return below(d->qfrc_constraint, m->nv, DBL_MAX) ? NULL : "qfrc_constraint";
}

static long warnings(const mjData* d) {
  return (long)d->warning[mjWARN_BADQPOS].number + d->warning[mjWARN_BADQVEL].number +
         d->warning[mjWARN_BADQACC].number + d->warning[mjWARN_BADCTRL].number;
}

// Hard contact now and then, where the model is small enough for steps to be many.
static void random_solver(const mjModel* m, mjData* d) {
  int k = (int)(fabs(scene_random(&seed)) * 40);
  sn_setSolver(m, d, m->nv < 100 ? sn_solverName(k) : NULL);
}

static void random_settings(mjModel* m) {
  m->opt.solver = (int)(fabs(scene_random(&seed)) * 3);
  m->opt.cone = scene_random(&seed) > 0;
  m->opt.integrator = (int)(fabs(scene_random(&seed)) * 4);
  m->opt.jacobian = (int)(fabs(scene_random(&seed)) * 3);
  m->opt.noslip_iterations = scene_random(&seed) > 0.7 ? 3 : 0;
  m->opt.enableflags ^= scene_random(&seed) > 0.8 ? mjENBL_MULTICCD : 0;
  m->opt.enableflags ^= scene_random(&seed) > 0.8 ? mjENBL_FWDINV : 0;
  m->opt.enableflags ^= scene_random(&seed) > 0.8 ? mjENBL_ISLAND : 0;
}

// Random controls, a push now and then, and once in a while a number that is none.
static void disturb(const mjModel* m, mjData* d, int step) {
  for (int i = 0; i < m->nu; i++) {
    const mjtNum* range = m->actuator_ctrlrange + 2 * i;
    double middle = m->actuator_ctrllimited[i] ? 0.5 * (range[0] + range[1]) : 0;
    double half = m->actuator_ctrllimited[i] ? 0.5 * (range[1] - range[0]) : 1;
    d->ctrl[i] = middle + half * scene_random(&seed);
  }
  for (int i = 0; step % 10 == 0 && i < 6 * m->nbody; i++) {
    d->xfrc_applied[i] = scene_random(&seed) > 0.95 ? scene_random(&seed) : 0;
  }
  if (scene_random(&seed) < 0.98) return;
  double bad[] = {NAN, INFINITY, 1e300};
  double value = bad[(int)(fabs(scene_random(&seed)) * 3)];
  double where = scene_random(&seed);
  if (where > 0.3)
    d->qvel[m->nv / 2] = value;
  else if (where > -0.3)
    d->qpos[m->nq / 2] = value;
  else if (m->nu)
    d->ctrl[m->nu / 2] = value;
}

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

// At most `most` steps, and no further one once `limit` seconds have passed; returns their number.
static int episode(const char* path, const mjModel* m, mjData* d, int most, double limit) {
  double begin = seconds();
  int step = 0;
  mj_resetData(m, d);
  for (int i = 0; i < m->nv; i++) d->qvel[i] = 0.3 * scene_random(&seed);
  for (; step < most && (step == 0 || seconds() - begin < limit); step++) {
    disturb(m, d, step);
    bool whole = below(d->qpos, m->nq, mjMAXVAL) && below(d->qvel, m->nv, mjMAXVAL);
    memset(d->warning, 0, sizeof d->warning);  // a reset counts anew
    mj_step(m, d);
    const char* bad = first_bad(m, d);
    if (!whole && !warnings(d)) fail_msg("%s: a bad state without its warning", path);
    // the state a step ends with is checked at the start of the next
    if (bad) {
      memset(d->warning, 0, sizeof d->warning);
      mj_step(m, d);
      if (!warnings(d)) fail_msg("%s: bad numbers in %s without their warning", path, bad);
    }
  }
  return step;
}

static void quiet(const char* text) { (void)text; }

// The steps wanted, as far as they fit in the time, which a few settings share at least.
static long endure(const char* path, long wanted, double time) {
  char error[1000] = "";
  mjModel* m = mj_loadXML(path, NULL, error, sizeof error);
  if (!m) return 0;  // a part of a model, or one the parity tests know as refused
  mjData* d = m->nv ? mj_makeData(m) : NULL;
  long done = 0;
  double begin = seconds();
  for (int n = 0; d && done < wanted && (n < SETTINGS || seconds() - begin < time); n++) {
    random_settings(m);
    random_solver(m, d);
    unsigned long long begin = seed;
    int length = episode(path, m, d, EPISODE, time / (2 * SETTINGS));
    uint64_t first = hash_bytes(d->qpos, (size_t)m->nq * sizeof(mjtNum), 0);
    done += length;
    // what lists of near geoms hold depends on when they were made, so sizes may settle later than
    // in the first run; they do settle
    long count;
    int again = 0;
    do {
      if (again++ == 4) fail_msg("%s: an episode allocates however often it is repeated", path);
      count = memory_count();
      seed = begin;
      episode(path, m, d, length, DBL_MAX);
      done += length;
      if (hash_bytes(d->qpos, (size_t)m->nq * sizeof(mjtNum), 0) != first) {
        fail_msg("%s: a repeated episode differs", path);
      }
    } while (memory_count() != count);
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  return done;
}

static void random_steps(void** state) {
  const char* wanted = getenv("SINEW_ENDURE");
  const char* models = getenv("SINEW_MODELS");
  const char* start = getenv("SINEW_ENDURE_SEED");
  if (start) seed = strtoull(start, NULL, 10);
  collect("tests/golden/models");
  if (wanted) collect(models ? models : "../shared/models");
  qsort(paths, (size_t)npath, sizeof *paths, by_name);
  assert_true(npath > 0);
  mju_user_warning = quiet;
  long total = wanted ? atol(wanted) : 2000, done = 0;
  double time = fmax(1, 3e-3 * (double)total / npath);
  while (done < total) {
    long before = done;
    for (int i = 0; i < npath && done < total; i++) {
      long n = endure(paths[i], (total - done) / (npath - i) + 1, time);
      steps[i] += n, done += n;
      if (wanted) printf("%8ld steps of %s\n", n, paths[i]), fflush(stdout);
    }
    assert_true(done > before);
  }
  for (int i = 0; i < npath && wanted; i++) printf("%8ld steps in all of %s\n", steps[i], paths[i]);
  if (wanted) printf("%8ld steps, %.0f s\n", done, seconds());
  assert_true(done >= total);
  for (int i = 0; i < npath; i++) free(paths[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
