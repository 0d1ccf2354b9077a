// Stages of the smooth dynamics: two engines with the same interface in one process, turn by turn,
// best of many.
//
//   smooth OURS.so THEIRS.so MODEL.xml
//
// The second engine loads the model, moves it a little and runs forward; the first gets a copy of
// everything. Prints one JSON object per call: microseconds of each engine and their ratio.
#include <dlfcn.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void (*Stage)(const mjModel*, mjData*);
typedef void (*Rne)(const mjModel*, mjData*, int, mjtNum*);

typedef struct Engine_ {
  void* library;
  mjModel* m;
  mjData* d;
} Engine;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static void* symbol(void* library, const char* name) {
  void* found = library ? dlsym(library, name) : NULL;
  if (!found) {
    fprintf(stderr, "smooth: %s\n", dlerror());
    exit(2);
  }
  return found;
}

// A call is one or more stages, separated by spaces; "rne" and "rne+" are mj_rne without and with
// acceleration.
typedef struct Call_ {
  Stage stage[8];
  int num, rne;
  Rne function;
} Call;

static Call resolve(const Engine* e, const char* names) {
  Call call = {0};
  char text[200];
  snprintf(text, sizeof text, "%s", names);
  if (!strncmp(text, "rne", 3)) {
    call.rne = 1 + !!strchr(text, '+');
    *(void**)&call.function = symbol(e->library, "mj_rne");
    return call;
  }
  for (char* name = strtok(text, " "); name; name = strtok(NULL, " ")) {
    *(void**)&call.stage[call.num++] = symbol(e->library, name);
  }
  return call;
}

static void run(const Engine* e, const Call* call, int repeats) {
  for (int r = 0; r < repeats; r++) {
    if (call->rne) call->function(e->m, e->d, call->rne - 1, e->d->qfrc_inverse);
    for (int i = 0; i < call->num; i++) call->stage[i](e->m, e->d);
  }
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: smooth OURS.so THEIRS.so MODEL.xml\n");
    return 2;
  }
  Engine e[2] = {{0}};
  for (int i = 0; i < 2; i++) {
    e[i].library = dlopen(argv[1 + i], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  }
  mjModel* (*load)(const char*, const mjVFS*, char*, int);
  mjModel* (*copy_model)(mjModel*, const mjModel*);
  mjData* (*make[2])(const mjModel*);
  mjData* (*copy_data)(mjData*, const mjModel*, const mjData*);
  Stage step;
  *(void**)&load = symbol(e[1].library, "mj_loadXML");
  *(void**)&copy_model = symbol(e[0].library, "mj_copyModel");
  *(void**)&copy_data = symbol(e[0].library, "mj_copyData");
  *(void**)&make[0] = symbol(e[0].library, "mj_makeData");
  *(void**)&make[1] = symbol(e[1].library, "mj_makeData");
  *(void**)&step = symbol(e[1].library, "mj_step");

  char error[500] = "";
  e[1].m = load(argv[3], NULL, error, sizeof error);
  if (!e[1].m) {
    fprintf(stderr, "smooth: %s\n", error);
    return 2;
  }
  e[0].m = copy_model(NULL, e[1].m);
  for (int i = 0; i < 2; i++) e[i].d = make[i](e[i].m);
  for (int k = 0; k < 20; k++) {
    for (int i = 0; i < e[1].m->nu; i++) e[1].d->ctrl[i] = 0.1 * ((i + k) % 5 - 2);
    step(e[1].m, e[1].d);
  }
  *(void**)&step = symbol(e[1].library, "mj_forward");
  step(e[1].m, e[1].d);
  copy_data(e[0].d, e[0].m, e[1].d);

  static const char* calls[] = {"mj_kinematics mj_comPos mj_tendon mj_makeM mj_factorM",
                                "mj_kinematics",
                                "mj_comPos",
                                "mj_camlight",
                                "mj_tendon",
                                "mj_crb",
                                "mj_makeM",
                                "mj_factorM",
                                "mj_transmission",
                                "mj_comVel",
                                "mj_passive",
                                "rne",
                                "rne+",
                                "mj_fwdVelocity",
                                "mj_fwdActuation",
                                "mj_sensorPos mj_sensorVel mj_sensorAcc",
                                "mj_rnePostConstraint"};
  for (size_t c = 0; c < sizeof calls / sizeof calls[0]; c++) {
    Call call[2] = {resolve(&e[0], calls[c]), resolve(&e[1], calls[c])};
    double start = now();
    run(&e[1], &call[1], 1);
    run(&e[1], &call[1], 1);
    int repeats = (int)(50 / (now() - start + 0.01)) + 1;
    double best[2] = {1e30, 1e30};
    for (int round = 0; round < 400; round++) {
      for (int i = 0; i < 2; i++) {
        start = now();
        run(&e[i], &call[i], repeats);
        double time = (now() - start) / repeats;
        if (time < best[i]) best[i] = time;
      }
    }
    printf(
        "{\"model\": \"%s\", \"nv\": %d, \"call\": \"%s\", \"ours_us\": %.4f, "
        "\"theirs_us\": %.4f, \"ratio\": %.2f}\n",
        argv[3], e[1].m->nv, calls[c], best[0], best[1], best[1] / best[0]);
  }
  return 0;
}
