// The sinew command: dispatch to subcommands, common options, loading of models.
#include "sinew.h"

#include <sinew/budget.h>
#include <sinew/confine.h>
#include <sinew/version.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Command_ {
  const char* name;
  int (*run)(int argc, char** argv);
  const char* arguments;
  const char* purpose;
  const char* help;
  bool reads;  // reads a model, so it accepts --confine and --budget
} Command;

// Studies need processes, Parquet and Ray: the Python package has them (python/sinew/sweep.py).
static const char help_sweep[] =
    "Roll-outs of a model for each set of parameters and each seed, on many\n"
    "processes, into a folder of Parquet files. It is part of the Python package:\n"
    "\n"
    "  pip install sinew-physics[ray]\n"
    "  python -m sinew sweep STUDY.toml\n";

static int command_sweep(int argc, char** argv) {
  (void)argc, (void)argv;
  fprintf(stderr,
          "sinew sweep: studies are part of the Python package: python -m sinew sweep\n"
          "sinew help sweep says more\n");
  return 2;
}

static const Command commands[] = {
    {"run", command_run, "[MODEL] [options]", "simulate, and say how it went", help_run, true},
    {"render", command_render, "[MODEL] [options]", "a picture, a turntable, a sheet", help_render,
     true},
    {"view", command_view, "MODEL [options]", "see, push and change it in a browser", help_view,
     false},
    {"info", command_info, "MODEL [--picture]", "what is in a model", help_info, true},
    {"check", command_check, "MODEL", "mistakes and doubtful settings", help_check, true},
    {"convert", command_convert, "IN OUT [options]", "models; motions as glTF, MCAP, Rerun",
     help_convert, true},
    {"inverse", command_inverse, "MODEL FILE", "forces from a recorded motion", help_inverse, true},
    {"linearize", command_linearize, "MODEL [options]", "a step as a linear system, its modes",
     help_linearize, true},
    {"example", command_example, "FILE", "write a model to start with", help_example, false},
    {"solvers", command_solvers, "[options]", "compare solvers of hard contact", help_solvers,
     false},
    {"paper", command_paper, "NAME [-o FILE]", "a figure of a paper, computed anew", help_paper,
     false},
    {"sweep", command_sweep, "STUDY.toml", "many roll-outs (Python package)", help_sweep, false},
#ifndef SINEW_WITHOUT_BENCH  // the Python package contains the command without the benchmark
    {"bench", command_bench, "LIBRARY MODEL [options]", "speed against a released library",
     help_bench, false},
#endif
};
enum { NCOMMAND = sizeof(commands) / sizeof(commands[0]) };

static bool confined;

static const Command* find(const char* name) {
  for (int i = 0; i < NCOMMAND; i++) {
    if (!strcmp(name, commands[i].name)) return commands + i;
  }
  return NULL;
}

static int usage(FILE* out) {
  fprintf(out, "usage: sinew COMMAND ...\n\n");
  for (int i = 0; i < NCOMMAND; i++) {
    char line[64];
    snprintf(line, sizeof line, "%s %s", commands[i].name, commands[i].arguments);
    fprintf(out, "  sinew %-30s %s\n", line, commands[i].purpose);
  }
  fprintf(out,
          "  sinew %-30s %s\n\n"
          "MODEL is MJCF or URDF (.xml, .urdf) or a binary model (.mjb). With --confine a\n"
          "model from a stranger reads no file outside its own folder; --budget says how\n"
          "much a model may ask for.\n"
          "sinew --version says which version this is.\n",
          "help COMMAND", "options and examples");
  return out == stdout ? 0 : 2;
}

static void print_usage(FILE* out, const Command* c) {
  fprintf(out, "usage: sinew %s %s%s\n", c->name, c->arguments,
          c->reads ? " [--confine] [--budget N]" : "");
}

static int help(const Command* c) {
  print_usage(stdout, c);
  printf("\n%s", c->help);
  if (c->reads) {
    size_t elements, bytes;
    sn_getBudget(&elements, &bytes);
    printf(
        "\n  --confine             the model reads files of its own folder, and the folders\n"
        "                        in it, alone: for models that you do not trust\n"
        "  --budget N[,BYTES]    the model may have N elements, with those that replicate\n"
        "                        and attach make, and arrays of BYTES\n"
        "                        (%zu,%zu)\n",
        elements, bytes);
  }
  return 0;
}

int wrong_usage(const char* command, const char* format, ...) {
  va_list args;
  va_start(args, format);
  fprintf(stderr, "sinew %s: ", command);
  vfprintf(stderr, format, args);
  fprintf(stderr, "\n");
  va_end(args);
  const Command* c = find(command);
  if (c) print_usage(stderr, c);
  fprintf(stderr, "'sinew help %s' says more\n", command);
  return 2;
}

bool ends_with(const char* text, const char* end) {
  size_t n = strlen(text), k = strlen(end);
  return n >= k && !strcmp(text + n - k, end);
}

bool confine_to_folder_of(const char* path) {
  if (!confined) return true;
  const char* slash = strrchr(path, '/');
  char* folder = slash ? strdup(path) : strdup(".");
  if (folder && slash) folder[slash - path + 1] = 0;
  bool done = folder && sn_confine(folder);
  if (!done) fprintf(stderr, "%s: its folder is not there\n", path);
  free(folder);
  return done;
}

mjModel* load_model(const char* path) {
  char error[1024] = "";
  mjModel* m;
  if (!confine_to_folder_of(path)) return NULL;
  if (ends_with(path, ".mjb")) {
    m = mj_loadModel(path, NULL);  // on failure the engine has already printed a warning
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

const char* describe(const mjModel* m, int type, int id) {
  static char text[8][220];
  static int turn;
  const char* name = mj_id2name(m, type, id);
  const char* kind = mju_type2Str(type);
  char* out = text[turn = (turn + 1) % 8];
  if (name && name[0]) {
    snprintf(out, sizeof text[0], "%s '%.180s'", kind, name);
  } else {
    snprintf(out, sizeof text[0], "%s #%d", kind, id);
  }
  return out;
}

// Parses "2e6" or "2e6,1e10"; 0 after a message on any other text.
static bool set_budget(const char* command, const char* text) {
  char* end = NULL;
  double elements = text ? strtod(text, &end) : 0, bytes = 1;
  bool both = end && end != text && *end == ',';
  if (both) {
    const char* second = end + 1;
    bytes = strtod(second, &end);
    if (end == second) bytes = 0;
  }
  if (!end || end == text || *end || !(elements >= 1 && elements < 9e18) ||
      !(bytes >= 1 && bytes < 9e18)) {
    wrong_usage(command, "--budget: expected a number of elements, or elements,bytes, got '%s'",
                text ? text : "nothing");
    return false;
  }
  sn_setBudget((size_t)elements, both ? (size_t)bytes : 0);
  return true;
}

int sinew_main(int argc, char** argv) {
  if (argc < 2) return usage(stderr);
  const char* word = argv[1];
  if (!strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h")) {
    if (argc == 2) return usage(stdout);
    const Command* c = find(argv[2]);
    if (c) return help(c);
    fprintf(stderr, "sinew help: unknown command '%s'\n\n", argv[2]);
    return usage(stderr);
  }
  if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
    printf("sinew %s (interface of MuJoCo %s)\n", sn_version(), mj_versionString());
    return 0;
  }
  const Command* c = find(word);
  if (!c) {
    fprintf(stderr, "sinew: unknown command '%s'\n\n", word);
    return usage(stderr);
  }
  int n = 1;
  for (int i = 2; i < argc; i++) {
    if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) return help(c);
    if (c->reads && !strcmp(argv[i], "--confine")) {
      confined = true;
    } else if (c->reads && !strcmp(argv[i], "--budget")) {
      if (!set_budget(c->name, i + 1 < argc ? argv[++i] : NULL)) return 2;
    } else if (c->reads && !strncmp(argv[i], "--budget=", 9)) {
      if (!set_budget(c->name, argv[i] + 9)) return 2;
    } else {
      argv[1 + n++] = argv[i];
    }
  }
  argv[1 + n] = NULL;
  int status = c->run(n, argv + 1);
  // detects a full disk or a closed pipe behind stdout
  if ((fflush(stdout) || ferror(stdout)) && !status) {
    fprintf(stderr, "sinew %s: the output could not be written\n", c->name);
    status = 1;
  }
  return status;
}
