// Stages of the smooth dynamics, factorization and solves of two engines, in one posture.
//
// The second engine loads the model, moves it a little and runs forward; the first gets a copy of
// everything. Prints one JSON object per call.
#include "engine.h"

typedef void (*Rne)(const mjModel*, mjData*, int, mjtNum*);
typedef void (*Solve)(const mjModel*, mjData*, mjtNum*, const mjtNum*, int);

// A call is one or more stages, separated by spaces; or mj_rne without and with acceleration; or
// mj_solveM with so many right-hand sides.
typedef struct Call_ {
  Stage stage[8];
  int num, rne, vectors;
  Rne function;
  Solve solve;
  mjtNum *x, *y;
} Call;

static Call resolve(const Engine* e, const char* names) {
  Call call = {0};
  char text[200];
  snprintf(text, sizeof text, "%s", names);
  if (!strncmp(text, "mj_rne(", 7)) {
    call.rne = 1 + (text[7] - '0');
    *(void**)&call.function = bench_symbol(e, "mj_rne");
    return call;
  }
  if (!strncmp(text, "mj_solveM(", 10)) {
    call.vectors = atoi(text + 10);
    *(void**)&call.solve = bench_symbol(e, "mj_solveM");
    size_t n = (size_t)(call.vectors * e->m->nv);
    call.x = malloc((n + 1) * sizeof(mjtNum));
    call.y = malloc((n + 1) * sizeof(mjtNum));
    for (size_t k = 0; k < n; k++) call.y[k] = (double)(k % 17) * 0.1 - 0.7;
    return call;
  }
  for (char* name = strtok(text, " "); name; name = strtok(NULL, " ")) {
    call.stage[call.num++] = bench_stage(e, name);
  }
  return call;
}

static void run(const Engine* e, const Call* call, int repeats) {
  for (int r = 0; r < repeats; r++) {
    if (call->rne) call->function(e->m, e->d, call->rne - 1, e->d->qfrc_inverse);
    if (call->vectors) call->solve(e->m, e->d, call->x, call->y, call->vectors);
    for (int i = 0; i < call->num; i++) call->stage[i](e->m, e->d);
  }
}

int bench_smooth(int argc, char** argv) {
  (void)argc;
  Engine e[2];
  bench_open(e, argv[1], NULL);
  bench_model(e, argv[2]);
  mjData* (*copy_data)(mjData*, const mjModel*, const mjData*);
  *(void**)&copy_data = bench_symbol(&e[OURS], "mj_copyData");
  int size;
  free(bench_record(&e[THEIRS], 1, &size));
  bench_stage(&e[THEIRS], "mj_forward")(e[THEIRS].m, e[THEIRS].d);
  copy_data(e[OURS].d, e[OURS].m, e[THEIRS].d);

  static const char* calls[] = {"mj_kinematics mj_comPos mj_tendon mj_makeM mj_factorM",
                                "mj_kinematics",
                                "mj_comPos",
                                "mj_camlight",
                                "mj_tendon",
                                "mj_crb",
                                "mj_makeM",
                                "mj_factorM",
                                "mj_solveM(1)",
                                "mj_solveM(8)",
                                "mj_transmission",
                                "mj_comVel",
                                "mj_passive",
                                "mj_rne(0)",
                                "mj_rne(1)",
                                "mj_fwdVelocity",
                                "mj_fwdActuation",
                                "mj_sensorPos mj_sensorVel mj_sensorAcc",
                                "mj_rnePostConstraint"};
  for (size_t c = 0; c < sizeof calls / sizeof calls[0]; c++) {
    Call call[2] = {resolve(&e[OURS], calls[c]), resolve(&e[THEIRS], calls[c])};
    double start = bench_now(), best[2] = {INFINITY, INFINITY};
    run(&e[THEIRS], &call[THEIRS], 2);
    int repeats = (int)(50 / (bench_now() - start + 0.01)) + 1;
    for (int round = 0; round < 400; round++) {
      for (int k = 0; k < 2; k++) {
        start = bench_now();
        run(&e[k], &call[k], repeats);
        best[k] = fmin(best[k], (bench_now() - start) / repeats);
      }
    }
    bench_report(argv[2], calls[c], best);
    for (int k = 0; k < 2; k++) {
      free(call[k].x);
      free(call[k].y);
    }
  }
  return 0;
}
