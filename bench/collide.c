// The collision stage and mesh rays of two engines in one process, turn by turn, best of many.
//
//   collide OURS.so THEIRS.so MODEL.xml|boxes:N [--states n] [--repeats n] [--rays n]
//
// States are consecutive steps of one trajectory, each visited once per repeat, so that what an
// engine keeps from step to step helps as it does in a simulation and no more.
#include <dlfcn.h>
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void (*Stage)(const mjModel*, mjData*);
typedef mjtNum (*Ray)(const mjModel*, const mjData*, const mjtNum*, const mjtNum*, const mjtByte*,
                      mjtByte, int, int*);

typedef struct Engine_ {
  void* library;
  Stage kinematics, com, collision;
  Ray ray;
  mjModel* m;
  mjData* d;
  mjtNum *xpos, *xmat, *xipos, *ximat;
} Engine;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static void* symbol(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (!found) {
    fprintf(stderr, "collide: %s\n", dlerror());
    exit(2);
  }
  return found;
}

static Engine engine_open(const char* path) {
  Engine e = {0};
  e.library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (!e.library) {
    fprintf(stderr, "collide: %s\n", dlerror());
    exit(2);
  }
  *(void**)&e.kinematics = symbol(e.library, "mj_kinematics");
  *(void**)&e.com = symbol(e.library, "mj_comPos");
  *(void**)&e.collision = symbol(e.library, "mj_collision");
  *(void**)&e.ray = symbol(e.library, "mj_ray");
  return e;
}

static double uniform(unsigned long long* seed) {
  *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
  return (double)(*seed >> 11) / 4503599627370496.0 - 1;
}

static int is_boxes;
static const char* boxes(int n) {
  is_boxes = 1;
  static const char* path = "/tmp/bench-boxes.xml";
  FILE* f = fopen(path, "w");
  fprintf(f, "<mujoco><option timestep='.005'/><worldbody><geom type='plane' size='10 10 1'/>");
  int side = (int)ceil(cbrt(n));
  for (int i = 0; i < n; i++) {
    fprintf(f,
            "<body pos='%g %g %g' euler='%d %d 0'><freejoint/><geom type='box' size='.1 .1 "
            ".1'/></body>",
            0.25 * (i % side), 0.25 * (i / side % side), 0.3 + 0.25 * (i / side / side), i * 7 % 90,
            i * 13 % 90);
  }
  fprintf(f, "</worldbody></mujoco>");
  fclose(f);
  return path;
}

int main(int argc, char** argv) {
  if (argc < 4) {
    fprintf(stderr,
            "usage: collide OURS THEIRS MODEL|boxes:N [--states n] [--repeats n] [--rays n]\n");
    return 2;
  }
  const char* path = argv[3];
  int count = 200, repeats = 20, rays = 0;
  for (int i = 4; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "--states")) count = atoi(argv[i + 1]);
    if (!strcmp(argv[i], "--repeats")) repeats = atoi(argv[i + 1]);
    if (!strcmp(argv[i], "--rays")) rays = atoi(argv[i + 1]);
  }
  if (!strncmp(path, "boxes:", 6)) path = boxes(atoi(path + 6));
  Engine e[2] = {engine_open(argv[1]), engine_open(argv[2])};
  mjModel* (*load)(const char*, const mjVFS*, char*, int);
  mjModel* (*copy)(mjModel*, const mjModel*);
  mjData* (*make)(const mjModel*);
  Stage step;
  *(void**)&load = symbol(e[1].library, "mj_loadXML");
  *(void**)&copy = symbol(e[0].library, "mj_copyModel");
  *(void**)&step = symbol(e[1].library, "mj_step");
  char error[1000] = "";
  e[1].m = load(path, NULL, error, sizeof error);
  if (!e[1].m) {
    fprintf(stderr, "collide: %s: %s\n", path, error);
    return 1;
  }
  e[0].m = copy(NULL, e[1].m);
  for (int k = 0; k < 2; k++) {
    *(void**)&make = symbol(e[k].library, "mj_makeData");
    e[k].d = make(e[k].m);
  }
  const mjModel* m = e[1].m;
  mjData* d = e[1].d;

  mjtNum* qpos = malloc(sizeof(mjtNum) * (size_t)count * (size_t)(m->nq + 1));
  mjtNum* mocap = malloc(sizeof(mjtNum) * (size_t)(7 * m->nmocap + 1));
  unsigned long long seed = 1;
  double* noise = calloc((size_t)m->nu + 1, sizeof *noise);
  if (m->nkey) memcpy(d->qpos, m->key_qpos, sizeof(mjtNum) * (size_t)m->nq);
  // falling boxes: a lattice that sinks together, without the cost of solving for it
  for (int i = 0; is_boxes && i < count; i++) {
    mjtNum* q = qpos + (size_t)i * (size_t)m->nq;
    memcpy(q, m->qpos0, sizeof(mjtNum) * (size_t)m->nq);
    for (int b = 0; b < m->nq / 7; b++)
      q[7 * b + 2] = 0.1 + (q[7 * b + 2] - 0.1) * (0.9 - 0.1 * i / count);
  }
  for (int i = -200; !is_boxes && i < count; i++) {
    for (int u = 0; u < m->nu; u++) {
      noise[u] = 0.95 * noise[u] + 0.3 * uniform(&seed);
      double lo = m->actuator_ctrllimited[u] ? m->actuator_ctrlrange[2 * u] : -1;
      double hi = m->actuator_ctrllimited[u] ? m->actuator_ctrlrange[2 * u + 1] : 1;
      d->ctrl[u] = (lo + hi) / 2 + (hi - lo) / 2 * fmax(-1, fmin(1, noise[u]));
    }
    if (i >= 0) memcpy(qpos + (size_t)i * (size_t)m->nq, d->qpos, sizeof(mjtNum) * (size_t)m->nq);
    step(m, d);
  }

  double best[2] = {INFINITY, INFINITY}, ncon[2] = {0, 0};
  for (int r = 0; r < repeats; r++) {
    for (int k = 0; k < 2; k++) {
      double sum = 0;
      ncon[k] = 0;
      for (int i = 0; i < count; i++) {
        memcpy(e[k].d->qpos, qpos + (size_t)i * (size_t)m->nq, sizeof(mjtNum) * (size_t)m->nq);
        e[k].kinematics(e[k].m, e[k].d);
        e[k].com(e[k].m, e[k].d);
        double start = now();
        if (!rays) {
          e[k].collision(e[k].m, e[k].d);
        } else {
          unsigned long long s = 5;
          for (int q = 0; q < rays; q++) {
            int g = (int)(fabs(uniform(&s)) * m->ngeom) % m->ngeom, hit;
            mjtNum p[3], v[3];
            for (int a = 0; a < 3; a++) {
              double target = e[k].d->geom_xpos[3 * g + a] + 0.05 * uniform(&s);
              p[a] = target + uniform(&s);
              v[a] = target - p[a];
            }
            ncon[k] += e[k].ray(e[k].m, e[k].d, p, v, NULL, 1, -1, &hit) >= 0;
          }
        }
        sum += now() - start;
        if (!rays) ncon[k] += e[k].d->ncon;
      }
      best[k] = fmin(best[k], sum / count / (rays ? rays : 1));
    }
  }
  printf("%-60s %s ours %8.3f us  theirs %8.3f us  ratio %5.2f   (%.1f and %.1f per state)\n",
         argv[3], rays ? "ray" : "collision", best[0], best[1], best[1] / best[0], ncon[0] / count,
         ncon[1] / count);
  return 0;
}
