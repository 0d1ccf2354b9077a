// Factorization of M and its solves: two engines with the same interface in one process, turn by
// turn, best of many.
//
//   factor OURS.so THEIRS.so MODEL.xml
//
// The second engine loads the model and brings it into a posture; the first gets a copy of both.
// Prints one JSON object per function: microseconds per call of each and their ratio.
#include <dlfcn.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Engine_ {
  void* library;
  mjModel* m;
  mjData* d;
  void (*factor)(const mjModel*, mjData*);
  void (*solve)(const mjModel*, mjData*, mjtNum*, const mjtNum*, int);
  void (*solve_half)(const mjModel*, mjData*, mjtNum*, const mjtNum*, const mjtNum*, int);
  mjtNum *x, *y, *root;
} Engine;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static void* symbol(void* library, const char* name) {
  void* found = library ? dlsym(library, name) : NULL;
  if (!found) {
    fprintf(stderr, "factor: %s\n", dlerror());
    exit(2);
  }
  return found;
}

static Engine engine_open(const char* path) {
  Engine e = {0};
  e.library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  *(void**)&e.factor = symbol(e.library, "mj_factorM");
  *(void**)&e.solve = symbol(e.library, "mj_solveM");
  *(void**)&e.solve_half = symbol(e.library, "mj_solveM2");
  return e;
}

enum { VECTORS = 8 };

static void run(Engine* e, int what, int repeats) {
  for (int i = 0; i < repeats; i++) {
    switch (what) {
      case 0:
        e->factor(e->m, e->d);
        break;
      case 1:
        e->solve(e->m, e->d, e->x, e->y, 1);
        break;
      case 2:
        e->solve(e->m, e->d, e->x, e->y, VECTORS);
        break;
      case 3:
        e->solve_half(e->m, e->d, e->x, e->y, e->root, VECTORS);
        break;
    }
  }
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: factor OURS.so THEIRS.so MODEL.xml\n");
    return 2;
  }
  Engine e[2] = {engine_open(argv[1]), engine_open(argv[2])};
  mjModel* (*load)(const char*, const mjVFS*, char*, int);
  mjModel* (*copy)(mjModel*, const mjModel*);
  mjData* (*make[2])(const mjModel*);
  void (*forward)(const mjModel*, mjData*);
  *(void**)&load = symbol(e[1].library, "mj_loadXML");
  *(void**)&copy = symbol(e[0].library, "mj_copyModel");
  *(void**)&make[0] = symbol(e[0].library, "mj_makeData");
  *(void**)&make[1] = symbol(e[1].library, "mj_makeData");
  *(void**)&forward = symbol(e[1].library, "mj_forward");

  char error[500] = "";
  e[1].m = load(argv[3], NULL, error, sizeof error);
  if (!e[1].m) {
    fprintf(stderr, "factor: %s\n", error);
    return 2;
  }
  e[0].m = copy(NULL, e[1].m);
  int nv = e[1].m->nv;
  for (int i = 0; i < 2; i++) {
    e[i].d = make[i](e[i].m);
    e[i].x = malloc(VECTORS * nv * sizeof(mjtNum));
    e[i].y = malloc(VECTORS * nv * sizeof(mjtNum));
    e[i].root = malloc(nv * sizeof(mjtNum));
    for (int k = 0; k < VECTORS * nv; k++) e[i].y[k] = (k % 17) * 0.1 - 0.7;
    for (int k = 0; k < nv; k++) e[i].root[k] = 1 + 0.01 * k;
  }
  forward(e[1].m, e[1].d);
  memcpy(e[0].d->M, e[1].d->M, e[1].m->nC * sizeof(mjtNum));

  static const char* name[] = {"mj_factorM", "mj_solveM(1)", "mj_solveM(8)", "mj_solveM2(8)"};
  for (int what = 0; what < 4; what++) {
    run(&e[0], what, 1);
    run(&e[1], what, 1);
    double worst = 0;
    const mjtNum* a = what ? e[0].x : e[0].d->qLD;
    const mjtNum* b = what ? e[1].x : e[1].d->qLD;
    int n = what == 0 ? e[1].m->nC : what == 1 ? nv : VECTORS * nv;
    for (int k = 0; k < n; k++) {
      double scale = b[k] > 1 ? b[k] : b[k] < -1 ? -b[k] : 1, gap = (a[k] - b[k]) / scale;
      if (gap < 0) gap = -gap;
      if (!(gap <= worst)) worst = gap;
    }
    int repeats = 200000 / (e[1].m->nC * (what > 1 ? VECTORS : 1)) + 1;
    double best[2] = {1e30, 1e30};
    for (int round = 0; round < 300; round++) {
      for (int i = 0; i < 2; i++) {
        double start = now();
        run(&e[i], what, repeats);
        double time = (now() - start) / repeats;
        if (time < best[i]) best[i] = time;
      }
    }
    printf(
        "{\"model\": \"%s\", \"nv\": %d, \"function\": \"%s\", \"ours_us\": %.4f, "
        "\"theirs_us\": %.4f, \"ratio\": %.2f, \"difference\": %.1e}\n",
        argv[3], nv, name[what], best[0], best[1], best[1] / best[0], worst);
  }
  return 0;
}
