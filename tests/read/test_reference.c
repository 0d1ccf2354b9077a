// docs/mjcf.md is what the table says. `read_test_reference --write`, from the root of the tree,
// writes the page anew.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka wants the four above first
#include <cmocka.h>
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/table.h"
#include "spec/composite.h"
#include "spec/flexcomp.h"

static const char kPage[] = "docs/mjcf.md";

// The structs whose fields the attributes set, as they are before a file says anything.
static struct {
  mjSpec* spec;
  mjsBody body;
  mjsFrame frame;
  mjsJoint joint;
  mjsGeom geom;
  mjsSite site;
  mjsCamera camera;
  mjsLight light;
  mjsMesh mesh;
  mjsHField hfield;
  mjsTexture texture;
  mjsMaterial material;
  mjsSkin skin;
  mjsFlex flex;
  mjsPair pair;
  mjsEquality equality;
  mjsTendon tendon;
  mjsActuator actuator;
  mjsSensor sensor;
  mjsKey key;
  snFlexcomp flexcomp;
  snComposite composite;
} kDefault;

// An element, its struct. What stands inside an element that is not here sets the same struct.
static const struct {
  const snTag* section;
  const char* name;
  const void* from;
} kStructs[] = {{&table_body, "body", &kDefault.body},
                {&table_frame, "frame", &kDefault.frame},
                {NULL, "inertial", &kDefault.body},
                {NULL, "joint", &kDefault.joint},
                {NULL, "freejoint", &kDefault.joint},
                {NULL, "geom", &kDefault.geom},
                {NULL, "site", &kDefault.site},
                {NULL, "camera", &kDefault.camera},
                {NULL, "light", &kDefault.light},
                {NULL, "mesh", &kDefault.mesh},
                {NULL, "hfield", &kDefault.hfield},
                {NULL, "texture", &kDefault.texture},
                {NULL, "material", &kDefault.material},
                {NULL, "skin", &kDefault.skin},
                {&table_deformable, "flex", &kDefault.flex},
                {NULL, "flexcomp", &kDefault.flexcomp},
                {NULL, "composite", &kDefault.composite},
                {NULL, "pair", &kDefault.pair},
                {&table_default, "equality", &kDefault.equality},
                {&table_default, "tendon", &kDefault.tendon},
                {&table_keyframe, "key", &kDefault.key}};

static bool is_setting(const snTag* section) {
  return section == &table_compiler || section == &table_option || section == &table_size ||
         section == &table_visual || section == &table_statistic;
}

// `around`: the struct of the element around this one
static const void* defaults(const snTag* section, const snTag* tag, const void* around) {
  if (is_setting(section)) return kDefault.spec;
  if (tag == section && section != &table_body && section != &table_frame) return NULL;
  if (around == &kDefault.flex || around == &kDefault.flexcomp || around == &kDefault.composite) {
    return strcmp(tag->name, "plugin") ? around : NULL;
  }
  if (around && around != &kDefault.body) return NULL;
  if (section == &table_equality) return &kDefault.equality;
  if (section == &table_tendon) return &kDefault.tendon;
  if (section == &table_actuator) return &kDefault.actuator;
  if (section == &table_sensor) return &kDefault.sensor;
  for (int i = 0; i < snCOUNT(kStructs); i++) {
    if (kStructs[i].section && kStructs[i].section != section) continue;
    if (!strcmp(kStructs[i].name, tag->name)) return kStructs[i].from;
  }
  bool drive = section == &table_default && strcmp(tag->name, "default");
  return drive ? &kDefault.actuator : NULL;
}

// Defaults of attributes that are more than a field: the end of the path, the attribute, the value.
static const char* const kWords[][3] = {
    {"compiler", "coordinate", "local"},
    {"compiler", "eulerseq", "xyz"},
    {"size", "memory", "-1"},
    {"size", "nstack", "-1"},
    {"element", "prm", "0"},
    {"replicate", "euler", "0 0 0"},
    {"replicate", "offset", "0 0 0"},
    {"attach", "body", "all"},
    {"light", "directional", "false"},
    {"geom", "fluidshape", "none"},
    {"texture", "gridlayout", "............"},
    {"composite", "initial", "ball"},
    {"composite", "curve", "0 0 0"},
    {"composite / joint", "limited", "auto"},
    {"composite / skin", "texcoord", "false"},
    {"connect", "anchor", "0 0 0"},
    {"weld", "anchor", "0 0 0"},
    {"weld", "relpose", "0 1 0 0 0 0 0"},
    {"weld", "torquescale", "1"},
    {"equality / joint", "polycoef", "0 1 0 0 0"},
    {"equality / tendon", "polycoef", "0 1 0 0 0"},
    {"general", "biasprm", "0 ..."},
    {"general", "dynprm", "1 0 ..."},
    {"general", "gainprm", "1 0 ..."},
    {"position", "kp", "1"},
    {"position", "kv", "0"},
    {"position", "dampratio", "0"},
    {"position", "timeconst", "0"},
    {"position", "inheritrange", "0"},
    {"intvelocity", "kp", "1"},
    {"intvelocity", "kv", "0"},
    {"intvelocity", "dampratio", "0"},
    {"intvelocity", "inheritrange", "0"},
    {"velocity", "kv", "1"},
    {"damper", "kv", "1"},
    {"cylinder", "area", "1"},
    {"cylinder", "bias", "0 0 0"},
    {"cylinder", "timeconst", "1"},
    {"adhesion", "gain", "1"},
    {"muscle", "timeconst", "0.01 0.04"},
    {"muscle", "tausmooth", "0"},
    {"muscle", "range", "0.75 1.05"},
    {"muscle", "force", "-1"},
    {"muscle", "scale", "200"},
    {"muscle", "lmin", "0.5"},
    {"muscle", "lmax", "1.6"},
    {"muscle", "vmax", "1.5"},
    {"muscle", "fpmax", "1.3"},
    {"muscle", "fvmax", "1.2"},
    {"sensor / user", "datatype", "real"},
    {"sensor / user", "needstage", "acc"},
};

static const char* default_word(const char* path, const char* attribute) {
  size_t n = strlen(path);
  for (int i = 0; i < snCOUNT(kWords); i++) {
    size_t end = strlen(kWords[i][0]);
    if (end > n || strcmp(path + n - end, kWords[i][0])) continue;
    if (end < n && path[n - end - 1] != ' ') continue;
    if (!strcmp(kWords[i][1], attribute)) return kWords[i][2];
  }
  bool flag = strlen(path) >= 4 && !strcmp(path + n - 4, "flag");
  for (const snKeyword* k = flag_disable; flag && k->name; k++) {
    if (!strcmp(k->name, attribute)) return "enable";
  }
  return flag ? "disable" : NULL;
}

static void put_type(FILE* out, const snTagAttr* a) {
  char text[1024];
  static const char* const kNames[] = {
      [snVALUE_INT] = "integer",       [snVALUE_DOUBLE] = "real",        [snVALUE_FLOAT] = "real",
      [snVALUE_STRING] = "text",       [snVALUE_STRINGS] = "names",      [snVALUE_INTS] = "integer",
      [snVALUE_DOUBLES] = "real",      [snVALUE_FLOATS] = "real",        [snVALUE_ORIENT] = "real",
      [snVALUE_NAME] = "name, unique", [snVALUE_CLASS] = "default class"};
  bool keyword = a->type == snVALUE_KEY || a->type == snVALUE_BYTE || a->type == snVALUE_KEYNUM;
  fputs(keyword ? table_keywords(a->keys, text, sizeof text) : kNames[a->type], out);
  fputs(" | ", out);
  if (keyword || (a->least == 1 && a->most == 1)) {
    fputs("1", out);
  } else if (a->most < 0) {
    fputs("any", out);
  } else if (a->least == a->most) {
    fprintf(out, "%d", a->most);
  } else {
    fprintf(out, "%d to %d", a->least, a->most);
  }
}

static void put_default(FILE* out, const snTagAttr* a, const void* from, const char* path) {
  const char* word = a->flags & snATTR_REQUIRED ? "required" : default_word(path, a->name);
  if (word) {
    fputs(word, out);
    return;
  }
  if (!from || (a->flags & snATTR_CODE)) return;
  const char* field = (const char*)from + a->offset;
  if (a->type == snVALUE_KEY || a->type == snVALUE_BYTE) {
    int value = a->type == snVALUE_KEY ? *(const int*)field : *(const mjtByte*)field;
    word = table_keyword(a->keys, value);
    if (word) fputs(word, out);
    return;
  }
  if (a->type != snVALUE_INT && a->type != snVALUE_DOUBLE && a->type != snVALUE_FLOAT) return;
  for (int i = 0; i < a->most; i++) {
    double value = a->type == snVALUE_INT     ? ((const int*)field)[i]
                   : a->type == snVALUE_FLOAT ? (double)((const float*)field)[i]
                                              : ((const double*)field)[i];
    if (isnan(value)) return;  // nothing, until the compiler works it out
    fprintf(out, "%s%g", i ? " " : "", value);
  }
}

static void put_element(FILE* out, const snTag* section, const snTag* tag, const char* path,
                        const void* around) {
  const void* from = defaults(section, tag, around);
  const char* often = tag->multiplicity == '!'   ? "once"
                      : tag->multiplicity == '?' ? "at most once"
                      : tag->multiplicity == 'R' ? "any number of times, also inside itself"
                                                 : "any number of times";
  fprintf(out, "\n### %s\nStands %s.\n", path, often);
  const char* last = "";
  for (int i = 0; i < tag->nattribute; i++) {
    const snTagAttr* a = tag->attributes + i;
    if (!(a->where & tag->mask) || !strcmp(last, a->name)) continue;
    if (!last[0]) fputs("\n| attribute | value | count | default |\n|---|---|---|---|\n", out);
    last = a->name;
    fprintf(out, "| `%s` | ", a->name);
    put_type(out, a);
    fputs(" | ", out);
    put_default(out, a, from, path);
    fputs(" |\n", out);
  }
  for (int i = 0; i < tag->nchild; i++) {
    char inner[256];
    snprintf(inner, sizeof inner, "%s / %s", path, tag->children[i].name);
    put_element(out, section, &tag->children[i], inner, from);
  }
}

// The page, to be freed.
static char* make_page(void) {
  static const snTag* const kSections[] = {
      &table_compiler, &table_option,     &table_size,    &table_visual,   &table_statistic,
      &table_default,  &table_extension,  &table_custom,  &table_asset,    &table_body,
      &table_frame,    &table_replicate,  &table_contact, &table_equality, &table_tendon,
      &table_actuator, &table_deformable, &table_sensor,  &table_keyframe};
  char* text = NULL;
  size_t size = 0;
  FILE* out = open_memstream(&text, &size);
  if (!out) return NULL;
  fputs(
      "# MJCF, element by element\n\n"
      "Made from the table that the reader and the writer use (`src/read/table*.c`) by\n"
      "`build/release/read_test_reference --write`; do not edit. A default that is left empty is "
      "nothing\n(a name, a list, a file) or what the compiler works out; classes change the "
      "others. The root is `mujoco` with the "
      "attribute `model`; any\nelement may be `include` with the attribute `file`. `worldbody` "
      "takes what `body` takes, without\nattributes; `frame` and `replicate` stand wherever a "
      "body may and take what it takes.\n",
      out);
  for (int i = 0; i < snCOUNT(kSections); i++) {
    const snTag* t = kSections[i];
    fprintf(out, "\n## %s\n", t->name);
    if (t == &table_frame || t == &table_replicate) {
      snTag alone = *t;  // what it takes is told with body
      alone.nchild = 0;
      put_element(out, t, &alone, t->name, NULL);
    } else {
      put_element(out, t, t, t->name, NULL);
    }
  }
  fclose(out);
  return text;
}

static void page_is_current(void** state) {
  char* page = make_page();
  assert_non_null(page);
  FILE* file = fopen(kPage, "rb");
  assert_non_null(file);
  size_t size = strlen(page);
  char* there = calloc(size + 2, 1);
  size_t got = fread(there, 1, size + 1, file);
  fclose(file);
  assert_int_equal(got, size);
  assert_memory_equal(page, there, size);
  free(there);
  free(page);
}

int main(int argc, char** argv) {
  kDefault.spec = mj_makeSpec();
  mjs_defaultBody(&kDefault.body);
  mjs_defaultFrame(&kDefault.frame);
  mjs_defaultJoint(&kDefault.joint);
  mjs_defaultGeom(&kDefault.geom);
  mjs_defaultSite(&kDefault.site);
  mjs_defaultCamera(&kDefault.camera);
  mjs_defaultLight(&kDefault.light);
  mjs_defaultMesh(&kDefault.mesh);
  mjs_defaultHField(&kDefault.hfield);
  mjs_defaultTexture(&kDefault.texture);
  mjs_defaultMaterial(&kDefault.material);
  mjs_defaultSkin(&kDefault.skin);
  mjs_defaultFlex(&kDefault.flex);
  mjs_defaultPair(&kDefault.pair);
  mjs_defaultEquality(&kDefault.equality);
  mjs_defaultTendon(&kDefault.tendon);
  mjs_defaultActuator(&kDefault.actuator);
  mjs_defaultSensor(&kDefault.sensor);
  flexcomp_default(&kDefault.flexcomp);
  composite_default(&kDefault.composite);
  mjs_defaultKey(&kDefault.key);
  int failed = 0;
  if (argc > 1 && !strcmp(argv[1], "--write")) {
    char* page = make_page();
    FILE* file = page ? fopen(kPage, "wb") : NULL;
    failed = !file || fputs(page, file) < 0;
    if (file) failed |= fclose(file) != 0;
    free(page);
  } else {
    const struct CMUnitTest tests[] = {cmocka_unit_test(page_is_current)};
    failed = cmocka_run_group_tests(tests, NULL, NULL);
  }
  mj_deleteSpec(kDefault.spec);
  return failed;
}
