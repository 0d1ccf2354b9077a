// sinew convert IN OUT: converts between MJCF, URDF and MJB; the format of OUT follows from its
// name.
#include <stdio.h>
#include <string.h>

#include "sinew.h"
#include "trajectory.h"

const char help_convert[] =
    "IN is MJCF or URDF (.xml, .urdf) or a binary model (.mjb).\n"
    "OUT is MJCF (.xml), a binary model (.mjb) or a text listing (.txt).\n\n"
    "Names of meshes and textures in OUT lead from its folder to the same files as\n"
    "before, by relative paths: both can be moved together.\n";

// Only models that compile are saved.
static int save_xml(const char* in, const char* out) {
  char error[1024] = "";
  if (!confine_to_folder_of(in)) return 1;
  mjSpec* spec = mj_parseXML(in, NULL, error, sizeof(error));
  if (!spec) {
    fprintf(stderr, "%s\n", error);
    return 1;
  }
  mjModel* m = mj_compile(spec, NULL);
  int failed = 1;
  if (!m) {
    fprintf(stderr, "%s\n", mjs_getError(spec));
  } else if (mj_saveXML(spec, out, error, sizeof(error)) != 0) {
    fprintf(stderr, "%s\n", error);
  } else {
    failed = 0;
  }
  mj_deleteModel(m);
  mj_deleteSpec(spec);
  return failed;
}

int command_convert(int argc, char** argv) {
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] == '-') return wrong_usage("convert", "unknown option %s", argv[i]);
  }
  if (argc != 3) return wrong_usage("convert", "expected two files, got %d", argc - 1);
  const char *in = argv[1], *out = argv[2];
  int xml = ends_with(out, ".xml"), mjb = ends_with(out, ".mjb"), txt = ends_with(out, ".txt");
  if (!xml && !mjb && !txt) {
    return wrong_usage("convert", "'%s' ends neither in .xml nor in .mjb nor in .txt", out);
  }
  if (xml && ends_with(in, ".mjb")) {
    return wrong_usage("convert", "a binary model no longer knows the MJCF it was made from");
  }
  // an existing file could be mistaken for the result of a save that failed
  if (!writable(out)) {
    fprintf(stderr, "%s: cannot be written\n", out);
    return 1;
  }
  int failed = 0;
  if (xml) {
    failed = save_xml(in, out);
  } else {
    mjModel* m = load_model(in);
    if (!m) return 1;
    if (mjb) {
      mj_saveModel(m, out, NULL, 0);
    } else {
      mj_printModel(m, out);
    }
    mj_deleteModel(m);
  }
  if (!failed) {
    FILE* made = fopen(out, "rb");
    failed = !made || fgetc(made) == EOF;
    if (made) fclose(made);
    if (failed) fprintf(stderr, "sinew convert: could not write '%s'\n", out);
  }
  return failed;
}
