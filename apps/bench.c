// sinew bench: speed against a released library, in this process, on the same states.
#include "../bench/engine.h"

#include "sinew.h"

typedef struct Mode_ {
  const char* name;
  int (*run)(int argc, char** argv);
  const char* purpose;
} Mode;

static const Mode modes[] = {
    {"step", bench_compare, "mj_step"},
    {"forward", bench_compare, "mj_forward"},
    {"inverse", bench_compare, "mj_inverse after mj_forward"},
    {"transition", bench_compare, "mjd_transitionFD"},
    {"inversefd", bench_compare, "mjd_inverseFD after mj_forward"},
    {"stages", bench_compare, "the stages of a step"},
    {"load", bench_compare, "reading and compiling, each in a process of its own"},
    {"smooth", bench_smooth, "the stages of the smooth dynamics in one posture"},
    {"collide", bench_collide, "mj_collision; the model may be boxes:N"},
    {"rays", bench_collide, "mj_ray at random geoms"},
    {"scale", bench_scale, "growth with size; the model is chain, chains, tree, spheres or pile"},
    {"invert", bench_invert, "forward against inverse by rows, Sinew alone: no LIBRARY, no MODEL"},
};

static int usage(void) {
  fprintf(stderr,
          "usage: sinew bench LIBRARY MODEL [--mode MODE] [--states N] [--repeats N]\n"
          "                   [--solver S] [--cone C] [--integrator I] [--jacobian J]\n\n"
          "Times Sinew and the released LIBRARY (libmujoco.so) in turn on the same states and\n"
          "prints a JSON line per call; ratio is theirs / ours. Modes:\n\n");
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    fprintf(stderr, "  %-10s %s\n", modes[i].name, modes[i].purpose);
  }
  fprintf(stderr,
          "\nbench/run finds releases and models, and makes tables and plots of these lines.\n");
  return 2;
}

int command_bench(int argc, char** argv) {
  const char* name = bench_option(argc, argv, "--mode", "step");
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    if (strcmp(modes[i].name, name)) continue;
    if (modes[i].run != bench_invert && (argc < 3 || argv[1][0] == '-')) return usage();
    return modes[i].run(argc, argv);
  }
  fprintf(stderr, "sinew bench: unknown mode '%s'\n\n", name);
  return usage();
}
