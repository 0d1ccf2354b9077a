// sinew convert IN OUT: converts between MJCF, URDF and MJB, and shows motions as glTF; the format
// of OUT follows from its name.
#include <sinew/gltf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "sinew.h"
#include "trajectory.h"

const char help_convert[] =
    "IN is MJCF or URDF (.xml, .urdf) or a binary model (.mjb).\n"
    "OUT is MJCF (.xml), a binary model (.mjb), a text listing (.txt), or the model\n"
    "as browsers and Blender show it (.glb, glTF).\n\n"
    "  --motion FILE         a motion that 'sinew run IN --write FILE' wrote (.npz or\n"
    "                        CSV): OUT is animated (.glb), the motion in another form\n"
    "                        (.npz, .csv), or a recording for Foxglove or Rerun\n"
    "                        (.mcap, .rrd: by the Python package)\n"
    "  --rate N              at most N poses a second in OUT (default 30; 0: all)\n\n"
    "Back: 'python -m sinew convert IN.mcap OUT.npz'.\n"
    "Names of meshes and textures in MJCF lead from the folder of OUT to the same\n"
    "files as before, by relative paths: both can be moved together.\n";

typedef struct Conversion_ {
  const char *in, *out, *motion;
  double rate;
} Conversion;

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

// States of a motion: time, qpos and qvel, which is what poses need.
enum { MOTION_SPEC = mjSTATE_TIME | mjSTATE_QPOS | mjSTATE_QVEL };

static double* motion_states(const mjModel* m, const Trajectory* t) {
  size_t size = (size_t)mj_stateSize(m, MOTION_SPEC);
  double* state = malloc(sizeof(double) * size * (size_t)(t->rows + 1));
  for (long r = 0; state && r < t->rows; r++) {
    double* row = state + size * (size_t)r;
    for (int field = 0; field < 3; field++) {
      memcpy(row, trajectory_field(t, r, field), sizeof(double) * (size_t)t->size[field]);
      row += t->size[field];
    }
  }
  return state;
}

static int save_motion(const Conversion* c, const mjModel* m) {
  char error[1000] = "";
  Trajectory t;
  trajectory_init(&t, m);
  int failed = c->motion && !trajectory_read(&t, c->motion);
  if (!failed && !ends_with(c->out, ".glb")) {
    failed = !trajectory_write(&t, c->out);
  } else if (!failed) {
    double* state = motion_states(m, &t);
    snGltf options = {.rate = c->rate};
    failed = !state || !sn_saveGltf(m, state, (int)t.rows, MOTION_SPEC, &options, c->out, error,
                                    sizeof error);
    if (failed) fprintf(stderr, "%s\n", state ? error : "no memory");
    free(state);
  }
  trajectory_free(&t);
  return failed;
}

// 0, or the exit code of wrong usage.
static int conversion_read(Conversion* c, int argc, char** argv) {
  const char* file[2] = {NULL, NULL};
  int files = 0;
  for (int i = 1; i < argc; i++) {
    const char *a = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
    bool motion = !strcmp(a, "--motion"), rate = !strcmp(a, "--rate");
    if (a[0] != '-') {
      if (files < 2) file[files] = a;
      files++;
    } else if (!motion && !rate) {
      return wrong_usage("convert", "unknown option %s", a);
    } else if (!value) {
      return wrong_usage("convert", "%s needs a value", a);
    } else if (motion) {
      c->motion = argv[++i];
    } else {
      char* end;
      c->rate = strtod(argv[++i], &end);
      if (end == value || *end || !(c->rate >= 0 && c->rate <= 1e6)) {
        return wrong_usage("convert", "--rate '%s', expected poses a second, from 0 to 1e6", value);
      }
    }
  }
  if (files != 2) return wrong_usage("convert", "expected two files, got %d", files);
  c->in = file[0];
  c->out = file[1];
  return 0;
}

static bool recording(const char* path) {
  return ends_with(path, ".mcap") || ends_with(path, ".rrd");
}

static int usage_check(const Conversion* c) {
  bool table = ends_with(c->out, ".npz") || ends_with(c->out, ".csv");
  bool xml = ends_with(c->out, ".xml"), glb = ends_with(c->out, ".glb");
  if (recording(c->in) || recording(c->out)) {
    return wrong_usage(
        "convert",
        "recordings (.mcap, .rrd) are part of the Python package: python -m sinew convert");
  }
  if (!xml && !glb && !table && !ends_with(c->out, ".mjb") && !ends_with(c->out, ".txt")) {
    return wrong_usage("convert", "'%s' ends in none of .xml, .mjb, .txt, .glb, .npz, .csv",
                       c->out);
  }
  if (table && !c->motion)
    return wrong_usage("convert", "'%s' is for a motion: --motion FILE", c->out);
  if (c->motion && !glb && !table) {
    return wrong_usage("convert", "a motion becomes .glb, .npz or .csv, not '%s'", c->out);
  }
  if (xml && ends_with(c->in, ".mjb")) {
    return wrong_usage("convert", "a binary model no longer knows the MJCF it was made from");
  }
  return 0;
}

int command_convert(int argc, char** argv) {
  Conversion c = {.rate = 30};
  int wrong = conversion_read(&c, argc, argv);
  if (!wrong) wrong = usage_check(&c);
  if (wrong) return wrong;
  // an existing file could be mistaken for the result of a save that failed
  if (!system_writable(c.out)) {
    fprintf(stderr, "%s: cannot be written\n", c.out);
    return 1;
  }
  int failed = 0;
  if (ends_with(c.out, ".xml")) {
    failed = save_xml(c.in, c.out);
  } else {
    mjModel* m = load_model(c.in);
    if (!m) return 1;
    if (ends_with(c.out, ".mjb")) {
      mj_saveModel(m, c.out, NULL, 0);
    } else if (ends_with(c.out, ".txt")) {
      mj_printModel(m, c.out);
    } else {
      failed = save_motion(&c, m);
    }
    mj_deleteModel(m);
  }
  if (!failed) {
    FILE* made = fopen(c.out, "rb");
    failed = !made || fgetc(made) == EOF;
    if (made) fclose(made);
    if (failed) fprintf(stderr, "sinew convert: could not write '%s'\n", c.out);
  }
  return failed;
}
