// The sinew command: one subcommand per file, each takes its own argument list (argv[0] is its
// name) and returns the exit code: 0 fine, 1 the answer is no or the work failed, 2 wrong usage.
// Its help is a text beside it. `--help` anywhere, and `--confine` and `--budget` for commands that
// read a model, are taken out of the list before the command sees it.
#ifndef SINEW_APPS_SINEW_H_
#define SINEW_APPS_SINEW_H_

#include <mujoco/mujoco.h>
#include <stdbool.h>

int sinew_main(int argc, char** argv);

int command_info(int argc, char** argv);
int command_check(int argc, char** argv);
int command_convert(int argc, char** argv);
int command_run(int argc, char** argv);
int command_inverse(int argc, char** argv);
int command_bench(int argc, char** argv);
int command_solvers(int argc, char** argv);
int command_example(int argc, char** argv);
int command_render(int argc, char** argv);

// Lines of at most 80 columns; the usage line comes from the table in sinew.c.
extern const char help_info[], help_check[], help_convert[], help_run[], help_inverse[],
    help_bench[], help_solvers[], help_example[], help_render[];

// Says on stderr what is wrong with the arguments of a command and how it is used. Returns 2.
int wrong_usage(const char* command, const char* format, ...) mjPRINTFLIKE(2, 3);

// Tables of the papers, reproduced: "icra2010" (iterations by friction and contacts) or "icra2011"
// (inverse evaluations per second). Exit code; an unknown name prints those there are.
int solvers_table(const char* name);

// Whether a path ends in a text, such as ".mjb".
bool ends_with(const char* text, const char* end);

// Where --confine was given: reading is confined to the folder of the path from now on. False after
// a message on stderr.
bool confine_to_folder_of(const char* path);

// MJCF, URDF, or a binary model (.mjb); NULL after a message on stderr.
mjModel* load_model(const char* path);

// The model, read on after errors as far as that goes: what is wrong is taken out or replaced in
// memory. Every error is printed; *errors counts them. NULL when nothing is left to look at.
mjModel* check_load(const char* path, int* errors);

// Numbers of the model that are not finite, one line each. How many.
int check_numbers(const mjModel* m);

// An element of a model by its type and name, or by its number: "joint 'elbow'", "joint #3". The
// text holds until the eighth call after this one.
const char* describe(const mjModel* m, int type, int id);

// A keyframe by its number or its name; -1 after a message on stderr that names the command.
int find_key(const char* command, const mjModel* m, const char* text);

// The model that `sinew run` shows when none is named. NULL after a message on stderr.
mjModel* example_model(void);

#endif
