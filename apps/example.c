// sinew example FILE: writes a model to start with, the one that `sinew run` shows.
#include <stdio.h>
#include <string.h>

#include "humanoid.h"
#include "sinew.h"

const char help_example[] =
    "Writes the model that 'sinew run' shows without a MODEL, as MJCF: an articulated\n"
    "figure of 27 degrees of freedom over a floor with two steps. A file that is\n"
    "there already is left alone. - as FILE writes to the terminal.\n";

int command_example(int argc, char** argv) {
  if (argc != 2) return wrong_usage("example", "expected a file to write, got %d", argc - 1);
  if (!strcmp(argv[1], "-")) return fputs(humanoid_xml, stdout) < 0;
  if (argv[1][0] == '-') return wrong_usage("example", "unknown option %s", argv[1]);
  FILE* f = fopen(argv[1], "wx");
  if (!f) {
    fprintf(stderr, "%s: cannot be written, or is there already\n", argv[1]);
    return 1;
  }
  bool done = fputs(humanoid_xml, f) >= 0;
  if (fclose(f) || !done) {
    fprintf(stderr, "%s: could not be written whole\n", argv[1]);
    return 1;
  }
  return 0;
}

mjSpec* example_spec(void) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(humanoid_xml, NULL, error, sizeof error);
  if (!spec) fprintf(stderr, "sinew: %s\n", error);
  return spec;
}

mjModel* example_model(void) {
  mjSpec* spec = example_spec();
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (spec && !m) fprintf(stderr, "sinew: %s\n", mjs_getError(spec));
  if (spec) mj_deleteSpec(spec);
  return m;
}
