// The sinew command: one subcommand per file. Each takes its own argument list (argv[0] is its
// name) and returns the exit code: 0 success, 1 failure or a negative answer, 2 wrong usage. Its
// help text is next to it. `--help`, and `--confine` and `--budget` for commands that read a model,
// are removed from the list before the command sees it.
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
int command_linearize(int argc, char** argv);
int command_bench(int argc, char** argv);
int command_solvers(int argc, char** argv);
int command_paper(int argc, char** argv);
int command_example(int argc, char** argv);
int command_render(int argc, char** argv);
int command_view(int argc, char** argv);

// Lines of at most 80 columns; the usage line comes from the table in sinew.c.
extern const char help_info[], help_check[], help_convert[], help_run[], help_inverse[],
    help_bench[], help_solvers[], help_paper[], help_example[], help_render[], help_linearize[],
    help_view[];

// Prints what is wrong with the arguments of a command, and its usage, on stderr. Returns 2.
int wrong_usage(const char* command, const char* format, ...) mjPRINTFLIKE(2, 3);

// Does a path end in a text, such as ".mjb"?
bool ends_with(const char* text, const char* end);

// After --confine: confines reading to the folder of the path from now on. False after a message on
// stderr.
bool confine_to_folder_of(const char* path);

// MJCF, URDF, or a binary model (.mjb); NULL after a message on stderr.
mjModel* load_model(const char* path);

// Loads a model and reads on after errors: offending parts are removed or replaced in memory. Every
// error is printed; *errors counts them. NULL when no model is left.
mjModel* check_load(const char* path, int* errors);

// Prints one line for each number of the model that is NaN or infinite; returns how many.
int check_numbers(const mjModel* m);

// Describes an element by its type and name, or by its number: "joint 'elbow'", "joint #3". The
// text is valid until the eighth call after this one.
const char* describe(const mjModel* m, int type, int id);

// A keyframe by its number or its name; -1 after a message on stderr that names the command.
int find_key(const char* command, const mjModel* m, const char* text);

// The model that `sinew run` shows by default. NULL after a message on stderr.
mjModel* example_model(void);
mjSpec* example_spec(void);

// Uniform in [0, 1) by a linear congruential generator, the same sequence on every platform.
static inline double random_unit(unsigned long long* seed) {
  *seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*seed >> 11) * 0x1p-53;
}

#endif
