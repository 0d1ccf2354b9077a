// What holding costs, Sinew alone: the same model with and without a feature (docs/holding.md),
// turn by turn. A thousand boxes at rest, a box on a slope, mechanisms with loops; models on the
// command line with every feature that they can ask for.
#include <sinew/ask.h>
#include <sinew/certificate.h>

#include "../tests/mechanisms.h"
#include "engine.h"

enum { TURNS = 40, TURN = 25, SETTLE = 150 };

typedef struct Case_ {
  const char *scene, *name, *value;
} Case;

static void put_boxes(FILE* f) {
  fprintf(f, "<geom type='plane' size='50 50 1'/>");
  for (int i = 0; i < 1000; i++) {
    fprintf(f, "<body pos='%g %g .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>",
            .3 * (i % 32), .3 * (i / 32));
  }
}

static void put_slope(FILE* f) {
  fprintf(
      f,
      "<geom type='plane' size='5 5 .1' euler='0 20 0'/><body pos='.0342 0 .094' euler='0 20 0'>"
      "<freejoint/><geom type='box' size='.1 .1 .1' mass='1'/></body>");
}

static mjSpec* scene_spec(const char* scene) {
  char* xml = NULL;
  char error[1000] = "";
  size_t size = 0;
  bool file = strchr(scene, '.') != NULL;
  static const char kFront[] = "<option timestep='.002'><flag contact='disable'/></option>";
  mjSpec* spec;
  if (file) {
    spec = mj_parseXML(scene, NULL, error, sizeof error);
  } else if ((xml = mechanism_xml(scene, kFront))) {
    spec = mj_parseXMLString(xml, NULL, error, sizeof error);
    free(xml);
  } else {
    FILE* f = open_memstream(&xml, &size);
    if (!f) exit(1);
    fprintf(f, "<mujoco><option timestep='.002'/><worldbody>");
    if (!strcmp(scene, "boxes")) put_boxes(f);
    if (!strcmp(scene, "slope")) put_slope(f);
    fprintf(f, "</worldbody></mujoco>");
    fclose(f);
    spec = mj_parseXMLString(xml, NULL, error, sizeof error);
    free(xml);
  }
  if (!spec) {
    fprintf(stderr, "bench: %s\n", error);
    exit(1);
  }
  return spec;
}

// Mechanisms are driven: one at rest in its first place would have nothing to close.
static void steps(const mjModel* m, mjData* d, int n) {
  for (int i = 0; i < n; i++) {
    for (int u = 0; u < m->nu; u++) {
      if (!m->actuator_ctrllimited[u]) d->ctrl[u] = .3 * sin(3 * d->time + u);
    }
    mj_step(m, d);
  }
}

static void measure(const Case* c) {
  mjModel* m[2];
  mjData* d[2];
  double best[2] = {1e300, 1e300};
  for (int with = 0; with < 2; with++) {
    mjSpec* spec = scene_spec(c->scene);
    if (with) sn_ask(spec, c->name, c->value);
    m[with] = mj_compile(spec, NULL);
    if (!m[with]) {
      fprintf(stderr, "bench: %s\n", mjs_getError(spec));
      exit(1);
    }
    mj_deleteSpec(spec);
    d[with] = mj_makeData(m[with]);
    if (m[with]->nkey) mj_resetDataKeyframe(m[with], d[with], 0);
    steps(m[with], d[with], SETTLE);
  }
  for (int turn = 0; turn < TURNS; turn++) {
    for (int with = 0; with < 2; with++) {
      double start = bench_now();
      steps(m[with], d[with], TURN);
      best[with] = fmin(best[with], (bench_now() - start) / TURN);
    }
  }
  printf(
      "{\"scene\": \"%s\", \"asks\": \"%s=%s\", \"with_us\": %.2f, \"without_us\": %.2f, "
      "\"times\": %.3f}\n",
      c->scene, c->name, c->value, best[1], best[0], best[1] / best[0]);
  fflush(stdout);
  for (int with = 0; with < 2; with++) {
    mj_deleteData(d[with]);
    mj_deleteModel(m[with]);
  }
}

int bench_hold(int argc, char** argv) {
  static const Case kOwn[] = {{"boxes", "sleep", "on"},        {"slope", "friction", "stick"},
                              {"four-bar", "loops", "closed"}, {"five-bar", "loops", "closed"},
                              {"stewart", "loops", "closed"},  {"delta", "loops", "closed"},
                              {"ring", "loops", "closed"},     {"slope", "report", "on"}};
  // a speed that nothing keeps below: moving scenes, in which nobody falls asleep
  static const Case kAny[] = {{NULL, "sleep", "1e-9"},
                              {NULL, "friction", "stick"},
                              {NULL, "loops", "closed"},
                              {NULL, "report", "on"}};
  bool given = false;
  for (int i = 1; i < argc; i++) {
    if (!strchr(argv[i], '.')) continue;
    given = true;
    for (size_t k = 0; k < sizeof kAny / sizeof *kAny; k++) {
      measure(&(Case){argv[i], kAny[k].name, kAny[k].value});
    }
  }
  for (size_t k = 0; !given && k < sizeof kOwn / sizeof *kOwn; k++) measure(kOwn + k);
  return 0;
}
