// docs/mjcf.md is what the table says, joined with the texts of docs/mjcf-meanings.txt.
// `read_test_reference --write`, from the root of the tree, writes the page anew.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka wants the four above first
#include <cmocka.h>
#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <mujoco/mujoco.h>
#include <sinew/solver.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "read/table.h"
#include "spec/composite.h"
#include "spec/flexcomp.h"

static const char kPage[] = "docs/mjcf.md";
static const char kMeanings[] = "docs/mjcf-meanings.txt";

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

// ---- meanings

typedef struct snMeaning_ {
  const char* paths;      // of elements, with commas between them; the text of a heading
  const char* attribute;  // NULL: the text is of the elements themselves
  char* text;
  bool shown;
} snMeaning;

static snMeaning kMeaning[2000];
static int nMeaning;
static int nMissing;  // elements and attributes without a meaning
static char* meanings_text;

static void complain(const char* what, const char* path, const char* attribute) {
  fprintf(stderr, "%s: %s: %s%s%s\n", kMeanings, what, path, attribute ? " / " : "",
          attribute ? attribute : "");
  nMissing++;
}

// Takes the lines of the file apart in place. A line that begins with a space goes on with the
// text, one with a name and a colon is of an attribute, any other of the element.
static void take_line(char* line, const char* paths) {
  size_t name = strspn(line, "abcdefghijklmnopqrstuvwxyz_0123456789");
  snMeaning* last = nMeaning ? kMeaning + nMeaning - 1 : NULL;
  bool attribute = name && line[name] == ':' && line[name + 1] == ' ';
  bool element = !attribute && last && last->paths == paths && !last->attribute;
  if (last && (*line == ' ' || element)) {
    char* joined = last->text;  // it stands in front of this line: move the line up to it
    size_t at = strlen(joined);
    while (*line == ' ') line++;
    joined[at] = ' ';
    memmove(joined + at + 1, line, strlen(line) + 1);
    return;
  }
  if (nMeaning == snCOUNT(kMeaning)) return;
  if (attribute) line[name] = 0;
  kMeaning[nMeaning++] =
      (snMeaning){paths, attribute ? line : NULL, attribute ? line + name + 2 : line, false};
}

static bool read_meanings(void) {
  FILE* file = fopen(kMeanings, "rb");
  if (!file) return false;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  char* text = meanings_text = calloc((size_t)size + 1, 1);
  bool ok = text && fread(text, 1, (size_t)size, file) == (size_t)size;
  fclose(file);
  const char* paths = "";
  while (ok && *text) {
    char* end = strchr(text, *text == '[' ? ']' : '\n');
    if (!end) break;
    *end = 0;
    if (*text == '[') {
      paths = text + 1;
    } else if (*text && *text != '#') {
      take_line(text, paths);
    }
    text = end + 1;
  }
  return ok;
}

static bool about(const char* paths, const char* path) {
  char pattern[128];
  while (*paths) {
    while (*paths == ' ' || *paths == ',' || *paths == '\n') paths++;
    size_t n = strcspn(paths, ",");
    snprintf(pattern, sizeof pattern, "%.*s", (int)n, paths);
    if (!fnmatch(pattern, path, 0)) return true;
    paths += n;
  }
  return false;
}

// The last text on an attribute of an element; on the element itself if `attribute` is NULL.
static const char* meaning(const char* path, const char* attribute) {
  for (int i = nMeaning - 1; i >= 0; i--) {
    snMeaning* x = kMeaning + i;
    bool same =
        attribute && x->attribute ? !strcmp(attribute, x->attribute) : !attribute && !x->attribute;
    if (!same || !about(x->paths, path)) continue;
    x->shown = true;
    return x->text;
  }
  complain("no meaning", path, attribute);
  return "";
}

static void put_type(FILE* out, const snTagAttr* a) {
  char text[1024];
  static const char* const kNames[] = {
      [snVALUE_INT] = "integer",       [snVALUE_DOUBLE] = "real",        [snVALUE_FLOAT] = "real",
      [snVALUE_STRING] = "text",       [snVALUE_STRINGS] = "name",       [snVALUE_INTS] = "integer",
      [snVALUE_DOUBLES] = "real",      [snVALUE_FLOATS] = "real",        [snVALUE_ORIENT] = "real",
      [snVALUE_NAME] = "name, unique", [snVALUE_CLASS] = "default class"};
  bool keyword = a->type == snVALUE_KEY || a->type == snVALUE_BYTE || a->type == snVALUE_KEYNUM;
  const char* name = keyword ? table_keywords(a->keys, text, sizeof text) : kNames[a->type];
  if (keyword || (a->least == 1 && a->most == 1)) {
    fputs(name, out);
  } else if (a->most < 0) {
    fprintf(out, "%ss", name);
  } else if (a->least == a->most) {
    fprintf(out, "%d %ss", a->most, name);
  } else {
    fprintf(out, "%d to %d %ss", a->least, a->most, name);
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

// The heading of an element as a link to it: what GitHub and tools/site make of a heading.
static void put_link(FILE* out, const char* path) {
  fprintf(out, "[%s](#", path);
  for (const char* c = path; *c; c++) {
    if (*c != '/') fputc(*c == ' ' ? '-' : tolower(*c), out);
  }
  fputs(")", out);
}

// A default class has attributes of the elements that it is for: their names are enough.
static void put_class(FILE* out, const snTag* tag) {
  static const snTag* const kOf[] = {&table_asset,    &table_body,   &table_contact,
                                     &table_equality, &table_tendon, &table_actuator};
  int n = 0;
  fputs(" What it sets for elements of its class, told at ", out);
  for (int k = 0; k < snCOUNT(kOf); k++) {
    bool all = !strcmp(kOf[k]->name, tag->name);  // equality, tendon
    for (int i = 0; i < kOf[k]->nchild; i++) {
      char path[128];
      if (!all && strcmp(kOf[k]->children[i].name, tag->name)) continue;
      if (!all && (kOf[k] == &table_equality || kOf[k] == &table_tendon)) continue;
      snprintf(path, sizeof path, "%s / %s", kOf[k]->name, kOf[k]->children[i].name);
      if (n++) fputs(", ", out);
      put_link(out, path);
    }
  }
  if (!n) complain("no element of this class", tag->name, NULL);
  const char* last = "";
  for (int i = 0; i < tag->nattribute; i++) {
    const snTagAttr* a = tag->attributes + i;
    if (!(a->where & tag->mask) || !strcmp(last, a->name)) continue;
    fprintf(out, "%s`%s`", last[0] ? ", " : ": ", a->name);
    last = a->name;
  }
  fputs(".\n", out);
}

static void put_attributes(FILE* out, const snTag* tag, const char* path, const void* from) {
  const char* last = "";
  for (int i = 0; i < tag->nattribute; i++) {
    const snTagAttr* a = tag->attributes + i;
    if (!(a->where & tag->mask) || !strcmp(last, a->name)) continue;
    if (!last[0]) fputs("\n| attribute | value | default | meaning |\n|---|---|---|---|\n", out);
    last = a->name;
    fprintf(out, "| `%s` | ", a->name);
    put_type(out, a);
    fputs(" | ", out);
    put_default(out, a, from, path);
    const char* text = meaning(path, a->name);
    if (strchr(text, '|')) complain("a bar", path, a->name);
    fprintf(out, " | %s |\n", text);
  }
}

static void put_element(FILE* out, const snTag* section, const snTag* tag, const char* path,
                        const void* around) {
  const void* from = defaults(section, tag, around);
  const char* often = tag->multiplicity == '!'   ? "once"
                      : tag->multiplicity == '?' ? "at most once"
                      : tag->multiplicity == 'R' ? "any number of times, also inside itself"
                                                 : "any number of times";
  if (strchr(path, '/')) fprintf(out, "\n### %s\n", path);
  if (section == &table_default && tag != section) {
    fprintf(out, "Stands %s.", often);
    put_class(out, tag);
    return;
  }
  fprintf(out, "%s Stands %s.\n", meaning(path, NULL), often);
  put_attributes(out, tag, path, from);
  for (int i = 0; i < tag->nchild; i++) {
    char inner[256];
    snprintf(inner, sizeof inner, "%s / %s", path, tag->children[i].name);
    put_element(out, section, &tag->children[i], inner, from);
  }
}

// ---- names of Sinew's own in <custom>

// What the compiler says of a model with this in <custom>.
static void refusal(char* text, size_t size, const char* custom) {
  char xml[512];
  snprintf(
      xml, sizeof xml,
      "<mujoco><custom>%s</custom><worldbody><geom name=\"g\" size=\"1\"/></worldbody></mujoco>",
      custom);
  text[0] = 0;
  mjSpec* spec = mj_parseXMLString(xml, NULL, text, (int)size);
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (spec && !m) snprintf(text, size, "%s", mjs_getError(spec));
  mj_deleteModel(m);
  mj_deleteSpec(spec);
}

static void put_range(FILE* out, const char* kind, const char* name) {
  char custom[256], said[2048];
  bool tuple = !strcmp(kind, "tuple");
  snprintf(custom, sizeof custom,
           tuple
               ? "<text name=\"sinew:friction\" data=\"stick\"/><tuple name=\"sinew:%s\"><element "
                 "objtype=\"geom\" objname=\"g\" prm=\"-7\"/></tuple>"
               : "<numeric name=\"sinew:%s\" data=\"-7\"/>",
           name);
  refusal(said, sizeof said, custom);
  const char* expected = strstr(said, "expected ");
  double low, high;
  bool whole = expected && !strncmp(expected, "expected one whole ", 19);
  const char* number = expected ? strpbrk(expected, "0123456789") : NULL;
  if (!number || sscanf(number, "%lg to %lg", &low, &high) != 2) {
    complain("no range", kind, name);
    return;
  }
  fprintf(out, "%s, %g to %g", whole ? "integer" : "real", low, high);
}

// The names that the compiler knows, from what it says of one that it does not know.
static void put_own(FILE* out, const char* kind, const char* custom, const char* columns) {
  char said[4096], path[32];
  snSolverSettings settings;
  sn_solverDefaults("admm-ncp", &settings);
  refusal(said, sizeof said, custom);
  snprintf(path, sizeof path, "sinew %s", kind);
  char* name = strstr(said, "there are ");
  if (!name) {
    complain("no list of names", path, said);
    return;
  }
  fprintf(out, "\n%s\n", columns);
  name[strcspn(name, "\n(")] = 0;
  int row = 0;
  char* rest = name + 10;
  while ((name = strtok_r(NULL, ", ", &rest)) && strcmp(name, "each")) {
    if (!strcmp(name, "and")) continue;
    if (!strncmp(name, "sinew:", 6)) name += 6;
    bool text = !strcmp(kind, "text");
    fprintf(out, "| `sinew:%s` | ", name);
    if (!text) put_range(out, kind, name);
    if (!strcmp(kind, "numeric")) fprintf(out, " | %g", sn_settingValue(&settings, row));
    fprintf(out, "%s%s |\n", text ? "" : " | ", meaning(path, name));
    row++;
  }
}

static void put_owns(FILE* out) {
  fputs(
      "\n## Names of Sinew's own\n\nWhat a model asks for beyond the interface stands in `custom` "
      "under names that begin with `sinew:`; other engines read past them. A name or value that "
      "there is not is an error that says what there is.\n\n### sinew: texts\n"
      "`<text name=\"sinew:friction\" data=\"stick\"/>`\n",
      out);
  put_own(out, "text", "<text name=\"sinew:?\" data=\"x\"/>",
          "| name | value | meaning |\n|---|---|---|");
  fputs(
      "\n### sinew: tuples\nA number for geoms: `<tuple name=\"sinew:kinetic\"><element "
      "objtype=\"geom\" objname=\"block\" prm=\"0.6\"/></tuple>`\n",
      out);
  put_own(out, "tuple", "<tuple name=\"sinew:?\"><element objtype=\"geom\" objname=\"g\"/></tuple>",
          "| name | prm | meaning |\n|---|---|---|");
  fputs(
      "\n### sinew: numerics\nSettings of the solver that the text `sinew:solver` chooses: "
      "`<numeric name=\"sinew:slop\" data=\"1e-5\"/>`. Defaults are those of `admm-ncp`; "
      "[all of them](solvers.md#settings).\n",
      out);
  put_own(out, "numeric", "<numeric name=\"sinew:?\" data=\"1\"/>",
          "| name | value | default | meaning |\n|---|---|---|---|");
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
      "A default that is left empty is nothing (a name, "
      "a list, a file) or what the compiler works out; classes change the others. Units are those "
      "of the SI where gravity is in m/s^2; angles are in degrees unless `compiler` `angle` says "
      "radian. The pose of the file is the one that its numbers describe, with every joint at "
      "`ref`.\n\nThe root is `mujoco` with the attribute `model`, the name of the model. Any "
      "element "
      "may be `include` with the attribute `file`: the children of that file's root stand in its "
      "place. `worldbody` takes what `body` takes, without attributes; `frame` and `replicate` "
      "stand wherever a body may and take what it takes.\n\nThis page is made from the table that "
      "the "
      "reader and the writer use (`src/read/table*.c`) and the meanings in "
      "`docs/mjcf-meanings.txt` by `build/release/read_test_reference --write`; do not edit it.\n",
      out);
  nMissing = 0;
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
    if (t == &table_custom) put_owns(out);
  }
  fclose(out);
  for (int i = 0; i < nMeaning; i++) {
    if (!kMeaning[i].shown) complain("of nothing", kMeaning[i].paths, kMeaning[i].attribute);
  }
  return text;
}

static void page_is_current(void** state) {
  char* page = make_page();
  assert_non_null(page);
  assert_int_equal(nMissing, 0);
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
  int failed = !read_meanings();
  if (failed) {
    fprintf(stderr, "%s cannot be read\n", kMeanings);
  } else if (argc > 1 && !strcmp(argv[1], "--write")) {
    char* page = make_page();
    FILE* file = page && !nMissing ? fopen(kPage, "wb") : NULL;
    failed = !file || fputs(page, file) < 0;
    if (file) failed |= fclose(file) != 0;
    free(page);
  } else {
    const struct CMUnitTest tests[] = {cmocka_unit_test(page_is_current)};
    failed = cmocka_run_group_tests(tests, NULL, NULL);
  }
  free(meanings_text);
  mj_deleteSpec(kDefault.spec);
  return failed;
}
