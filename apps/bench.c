// sinew bench: speed against a released library, in this process, on the same states.
#include "../bench/engine.h"

#include "sinew.h"

typedef struct Mode_ {
  const char* name;
  int (*run)(int argc, char** argv);
  bool alone;  // without a released library
} Mode;

const char help_bench[] =
    "Times Sinew and the released LIBRARY (libmujoco.so) in turn on the same states\n"
    "and prints a JSON line per call; ratio is theirs / ours.\n\n"
    "  --mode MODE           what is timed (default step):\n"
    "      step              mj_step\n"
    "      forward           mj_forward\n"
    "      inverse           mj_inverse after mj_forward\n"
    "      transition        mjd_transitionFD\n"
    "      inversefd         mjd_inverseFD after mj_forward\n"
    "      derive            sn_transition against their mjd_transitionFD\n"
    "      stages            the stages of a step\n"
    "      load              reading and compiling, each in a process of its own\n"
    "      smooth            the stages of the smooth dynamics in one posture\n"
    "      collide           mj_collision; the model may be boxes:N\n"
    "      rays              mj_ray at random geoms\n"
    "      scale             growth with size; the model is chain, chains, tree,\n"
    "                        spheres or pile\n"
    "      invert            forward against inverse by rows, Sinew alone: no\n"
    "                        LIBRARY, no MODEL\n"
    "      hard              hard against soft contact on walls and piles, Sinew\n"
    "                        alone: no LIBRARY, no MODEL; --scene wall|pile|pile:120,\n"
    "                        --solver admm-ncp\n"
    "      hold              friction that sticks, loops that close, sleep and\n"
    "                        certificates against without, Sinew alone: no LIBRARY,\n"
    "                        any MODELs\n"
    "      newton            the variants of Newton's method on MODELs, Sinew alone:\n"
    "                        no LIBRARY\n"
    "  --states N, --repeats N\n"
    "  --solver S, --cone C, --integrator I, --jacobian J\n"
    "                        instead of the model's own\n\n"
    "bench/run finds releases and models, and makes tables and plots of these lines.\n";

static const Mode modes[] = {
    {"step", bench_compare, false},      {"forward", bench_compare, false},
    {"inverse", bench_compare, false},   {"transition", bench_compare, false},
    {"inversefd", bench_compare, false}, {"stages", bench_compare, false},
    {"derive", bench_compare, false},    {"load", bench_compare, false},
    {"smooth", bench_smooth, false},     {"collide", bench_collide, false},
    {"rays", bench_collide, false},      {"scale", bench_scale, false},
    {"invert", bench_invert, true},      {"hard", bench_hard, true},
    {"hold", bench_hold, true},          {"newton", bench_newton, true},
};

int command_bench(int argc, char** argv) {
  const char* name = bench_option(argc, argv, "--mode", "step");
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    if (strcmp(modes[i].name, name)) continue;
    if (!modes[i].alone && (argc < 3 || argv[1][0] == '-')) {
      return wrong_usage("bench", "expected a library and a model before the options");
    }
    return modes[i].run(argc, argv);
  }
  return wrong_usage("bench", "unknown mode '%s'", name);
}
