// How the cost of a step grows with the size of a model: ours and theirs, and the slope of
// log(time) over log(size).
//   the model is one of
//     chain    one chain of n hinges: its inertia matrix is full, n^2 / 2 numbers
//     chains   n chains of ten hinges
//     tree     a tree of n bodies that forks in two
//     spheres  n spheres apart from each other on a floor: one contact each
//     pile     n boxes in towers of five
#include "engine.h"

static void put_chain(FILE* f, int n, double x, double y) {
  fprintf(f, "<body pos='%g %g 2'>", x, y);
  for (int i = 0; i < n; i++) {
    fprintf(f,
            "%s<joint type='hinge' axis='%d %d 0' damping='.1'/><geom fromto='0 0 0 .1 0 0' "
            "size='.02'/>",
            i ? "<body pos='.1 0 0'>" : "", i % 2, 1 - i % 2);
  }
  for (int i = 0; i < n; i++) fprintf(f, "</body>");
}

// Bodies `at`, 2 at + 1, 2 at + 2, ... below n.
static void put_tree(FILE* f, int at, int n) {
  if (at >= n) return;
  fprintf(f, "<body pos='.1 %g 0'><joint type='hinge' axis='%d %d 0' damping='.1'/>",
          at % 2 ? 0.05 : -0.05, at % 2, 1 - at % 2);
  fprintf(f, "<geom fromto='0 0 0 .1 0 0' size='.02'/>");
  put_tree(f, 2 * at + 1, n);
  put_tree(f, 2 * at + 2, n);
  fprintf(f, "</body>");
}

static char* text_of(const char* kind, int n) {
  bool touching = !strcmp(kind, "spheres") || !strcmp(kind, "pile");
  char* text;
  size_t bytes;
  FILE* f = open_memstream(&text, &bytes);
  fprintf(f, "<mujoco><option timestep='.002'/>");
  if (!touching)
    fprintf(f, "<default><geom type='capsule' contype='0' conaffinity='0'/></default>");
  fprintf(f, "<worldbody>");
  if (touching) fprintf(f, "<geom type='plane' size='20 20 1'/>");
  int side = (int)ceil(sqrt(touching ? n : 1));
  if (!strcmp(kind, "chain")) put_chain(f, n, 0, 0);
  if (!strcmp(kind, "tree")) put_tree(f, 0, n);
  for (int i = 0; i < n; i++) {
    if (!strcmp(kind, "chains")) put_chain(f, 10, 0, 0.3 * i);
    double x = 0.5 * (i % side), y = 0.5 * (i / side);
    if (!strcmp(kind, "spheres")) {
      fprintf(f, "<body pos='%g %g .1'><freejoint/><geom size='.1'/></body>", x, y);
    }
    if (!strcmp(kind, "pile")) {
      fprintf(f, "<body pos='%g 0 %g'><freejoint/><geom type='box' size='.1 .1 .1'/></body>",
              0.5 * (i / 5), 0.1 + 0.2 * (i % 5));
    }
  }
  fprintf(f, "</worldbody></mujoco>");
  fclose(f);
  return text;
}

int bench_scale(int argc, char** argv) {
  static const char* kinds[] = {"chain", "chains", "tree", "spheres", "pile"};
  const char* kind = argv[2];
  bool known = false;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) known |= !strcmp(kind, kinds[i]);
  if (!known) {
    fprintf(stderr, "bench: --mode scale knows chain, chains, tree, spheres, pile, not %s\n", kind);
    return 2;
  }
  int repeats = atoi(bench_option(argc, argv, "--repeats", "20"));
  enum { SIZES = 6, STATES = 20 };
  double size[SIZES], time[2][SIZES];
  for (int p = 0, n = !strcmp(kind, "chains") ? 2 : 10; p < SIZES; n *= 2, p++) {
    Engine e[2];
    bench_open(e, argv[1], bench_option(argc, argv, "--access", NULL));
    char *text = text_of(kind, n), label[64];
    bench_text_model(e, text);
    free(text);
    int width;
    mjtNum* states = bench_record(&e[THEIRS], STATES, &width);
    double best[2][STATES], mean[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < STATES; i++) best[k][i] = INFINITY;
    }
    for (int r = 0; r < repeats; r++) {
      for (int k = 0; k < 2; k++) {
        Stage step = bench_stage(&e[k], "mj_step");
        for (int i = 0; i < STATES; i++) {
          bench_set_state(&e[k], states + (size_t)i * (size_t)width);
          double start = bench_now();
          step(e[k].m, e[k].d);
          best[k][i] = fmin(best[k][i], bench_now() - start);
        }
      }
    }
    free(states);
    size[p] = n;
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < STATES; i++) mean[k] += best[k][i] / STATES;
      time[k][p] = mean[k];
      void (*delete_data)(mjData*);
      void (*delete_model)(mjModel*);
      *(void**)&delete_data = bench_symbol(&e[k], "mj_deleteData");
      *(void**)&delete_model = bench_symbol(&e[k], "mj_deleteModel");
      delete_data(e[k].d);
      delete_model(e[k].m);
    }
    snprintf(label, sizeof label, "%s:%d", kind, n);
    bench_report(label, "mj_step", mean);
  }
  // over all sizes, the smaller three and the larger four
  static const int first[] = {0, 0, 2}, count[] = {SIZES, 3, 4};
  for (int i = 0; i < 3; i++) {
    int f = first[i], c = count[i];
    printf(
        "{\"model\": \"%s\", \"sizes\": \"%g to %g\", \"slope_ours\": %.2f, \"slope_theirs\": "
        "%.2f}\n",
        kind, size[f], size[f + c - 1], bench_slope(size + f, time[OURS] + f, c),
        bench_slope(size + f, time[THEIRS] + f, c));
  }
  return 0;
}
