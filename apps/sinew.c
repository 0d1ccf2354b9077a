// sinew: run, look at, check and convert models from the shell.
#include "sinew.h"

#include <stdio.h>
#include <string.h>

typedef struct Command_ {
  const char* name;
  int (*run)(int argc, char** argv);
  const char* usage;
  const char* purpose;
} Command;

static int usage(FILE* out, const Command* commands, int n) {
  fprintf(out, "usage: sinew COMMAND ...\n\n");
  for (int i = 0; i < n; i++) {
    fprintf(out, "  sinew %-28s %s\n", commands[i].usage, commands[i].purpose);
  }
  fprintf(out, "\nMODEL is MJCF or URDF (.xml, .urdf) or a binary model (.mjb).\n");
  return out == stdout ? 0 : 2;
}

mjModel* load_model(const char* path) {
  char error[1024] = "";
  size_t n = strlen(path);
  mjModel* m;
  if (n > 4 && !strcmp(path + n - 4, ".mjb")) {
    m = mj_loadModel(path, NULL);
    if (!m) fprintf(stderr, "%s: not a binary model of this version\n", path);
    return m;
  }
  m = mj_loadXML(path, NULL, error, sizeof(error));
  if (!m) {
    fprintf(stderr, "%s\n", error);
  } else if (error[0]) {
    fprintf(stderr, "warning: %s\n", error);
  }
  return m;
}

int main(int argc, char** argv) {
  const Command commands[] = {
      {"info", command_info, "info MODEL", "what is in a model"},
      {"check", command_check, "check MODEL",
       "mistakes and doubtful settings; exit code 1 when found"},
      {"convert", command_convert, "convert IN OUT",
       "between MJCF, URDF (in), binary (.mjb) and text"},
      {"run", command_run, "run MODEL ...", "simulate"},
      {"inverse", command_inverse, "inverse MODEL ...", "forces from a motion"},
      {"bench", command_bench, "bench LIBRARY MODEL ...", "speed against a released library"},
      {"solvers", command_solvers, "solvers ...",
       "compare solvers of hard contact on thirteen systems"},
  };
  const int n = sizeof(commands) / sizeof(commands[0]);
  if (argc < 2) return usage(stderr, commands, n);
  if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
    return usage(stdout, commands, n);
  }
  if (!strcmp(argv[1], "--version")) {
    printf("sinew (interface of %s)\n", mj_versionString());
    return 0;
  }
  for (int i = 0; i < n; i++) {
    if (!strcmp(argv[1], commands[i].name)) return commands[i].run(argc - 1, argv + 1);
  }
  fprintf(stderr, "sinew: unknown command '%s'\n\n", argv[1]);
  return usage(stderr, commands, n);
}
