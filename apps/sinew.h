// The sinew command: one subcommand per file, each takes its own argument list (argv[0] is its
// name) and returns the exit code: 0 fine, 1 the answer is no or the work failed, 2 wrong usage.
#ifndef SINEW_APPS_SINEW_H_
#define SINEW_APPS_SINEW_H_

#include <mujoco/mujoco.h>

int command_info(int argc, char** argv);
int command_check(int argc, char** argv);
int command_convert(int argc, char** argv);
int command_run(int argc, char** argv);
int command_inverse(int argc, char** argv);
int command_bench(int argc, char** argv);
int command_solvers(int argc, char** argv);

// Tables of the papers, reproduced: "icra2010" (iterations by friction and contacts) or "icra2011"
// (inverse evaluations per second). Exit code; an unknown name prints those there are.
int solvers_table(const char* name);

// MJCF, URDF, or a binary model (.mjb); NULL after a message on stderr.
mjModel* load_model(const char* path);

#endif
