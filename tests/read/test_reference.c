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
  mjsPair pair;
  mjsKey key;
} kDefault;

static const void* defaults(const snTag* section, const snTag* tag) {
  static const snTag* const kSettings[] = {&table_compiler, &table_option, &table_size,
                                           &table_visual, &table_statistic};
  for (int i = 0; i < snCOUNT(kSettings); i++) {
    if (section == kSettings[i]) return kDefault.spec;
  }
  if (section == &table_body && tag == section) return &kDefault.body;
  if (section != &table_body && section != &table_asset && section != &table_contact &&
      section != &table_keyframe) {
    return NULL;
  }
  switch (tag->tag) {
    case mjOBJ_FRAME:
      return &kDefault.frame;
    case mjOBJ_JOINT:
      return &kDefault.joint;
    case mjOBJ_GEOM:
      return &kDefault.geom;
    case mjOBJ_SITE:
      return &kDefault.site;
    case mjOBJ_CAMERA:
      return &kDefault.camera;
    case mjOBJ_LIGHT:
      return &kDefault.light;
    case mjOBJ_MESH:
      return &kDefault.mesh;
    case mjOBJ_HFIELD:
      return &kDefault.hfield;
    case mjOBJ_TEXTURE:
      return &kDefault.texture;
    case mjOBJ_MATERIAL:
      return &kDefault.material;
    case mjOBJ_PAIR:
      return &kDefault.pair;
    case mjOBJ_KEY:
      return &kDefault.key;
    default:
      return NULL;
  }
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

static void put_default(FILE* out, const snTagAttr* a, const void* from) {
  if (a->flags & snATTR_REQUIRED) {
    fputs("required", out);
    return;
  }
  if (!from || (a->flags & snATTR_CODE)) return;
  const char* field = (const char*)from + a->offset;
  if (a->type == snVALUE_KEY || a->type == snVALUE_BYTE) {
    int value = a->type == snVALUE_KEY ? *(const int*)field : *(const mjtByte*)field;
    const char* word = table_keyword(a->keys, value);
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

static void put_element(FILE* out, const snTag* section, const snTag* tag, const char* path) {
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
    put_default(out, a, defaults(section, tag));
    fputs(" |\n", out);
  }
  for (int i = 0; i < tag->nchild; i++) {
    char inner[256];
    snprintf(inner, sizeof inner, "%s / %s", path, tag->children[i].name);
    put_element(out, section, &tag->children[i], inner);
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
      "nothing,\nthe class's, or what the compiler works out. The root is `mujoco` with the "
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
      put_element(out, t, &alone, t->name);
    } else {
      put_element(out, t, t, t->name);
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
  mjs_defaultPair(&kDefault.pair);
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
