// sinew convert IN OUT: the format of OUT follows from its name.
#include <stdio.h>
#include <string.h>

#include "sinew.h"

static int ends_with(const char* text, const char* end) {
  size_t n = strlen(text), k = strlen(end);
  return n >= k && !strcmp(text + n - k, end);
}

// Only what compiles is saved.
static int save_xml(const char* in, const char* out) {
  char error[1024] = "";
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
  if (argc != 3) {
    fprintf(stderr,
            "usage: sinew convert IN OUT\n\n"
            "IN is MJCF or URDF (.xml, .urdf) or a binary model (.mjb).\n"
            "OUT is MJCF (.xml), a binary model (.mjb) or a text listing (.txt).\n");
    return 2;
  }
  const char *in = argv[1], *out = argv[2];
  int xml = ends_with(out, ".xml"), mjb = ends_with(out, ".mjb"), txt = ends_with(out, ".txt");
  if (!xml && !mjb && !txt) {
    fprintf(stderr, "sinew convert: '%s' ends neither in .xml nor in .mjb nor in .txt\n", out);
    return 2;
  }
  if (xml && ends_with(in, ".mjb")) {
    fprintf(stderr, "sinew convert: a binary model no longer knows the MJCF it was made from\n");
    return 2;
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
