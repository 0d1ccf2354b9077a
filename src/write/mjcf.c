// The document: settings, classes, assets.
#include "write/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/resource.h"

// ---- settings
// A folder of the model as the text must name it: where the text goes elsewhere, by its full path.
static void write_dir(snWriter* w, const char* name, const mjString* dir) {
  const char* from = string_text(w->spec->pub.modelfiledir);
  char *here = NULL, *there = NULL, *full = NULL;
  if (w->dir) {
    there = realpath(w->dir[0] ? w->dir : ".", NULL);
    here = realpath(from[0] ? from : ".", NULL);
    if (here && there && strcmp(here, there)) full = resource_join(here, string_text(dir));
  }
  if (full) {
    size_t n = strlen(full);
    if (n && full[n - 1] == '/') full[n - 1] = 0;
    text_string(&w->text, name, full);
  } else if (!string_empty(dir)) {
    text_string(&w->text, name, string_text(dir));
  }
  memory_free(full);
  free(here);
  free(there);
}

static bool uses_files(const snSpec* s) {
  return s->list[mjOBJ_MESH].n || s->list[mjOBJ_TEXTURE].n || s->list[mjOBJ_HFIELD].n ||
         s->list[mjOBJ_SKIN].n;
}

static void write_compiler(snWriter* w, const mjSpec* normal) {
  const mjSpec* s = &w->spec->pub;
  mjSpec value = *s;
  value.meshdir = value.texturedir = NULL;
  snText before = w->text;
  text_open(&w->text, "compiler");
  if (!s->compiler.degree) text_string(&w->text, "angle", "radian");
  if (memcmp(s->compiler.eulerseq, "xyz", 3)) {
    char order[4] = {0};
    memcpy(order, s->compiler.eulerseq, 3);
    text_string(&w->text, "eulerseq", order);
  }
  if (uses_files(w->spec)) {
    write_dir(w, "meshdir", s->meshdir);
    write_dir(w, "texturedir", s->texturedir);
  } else {
    value.meshdir = s->meshdir;
    value.texturedir = s->texturedir;
  }
  // what is not limited in a file without it has no range: the flag of any file serves all
  if (w->spec->nsource) value.compiler.autolimits = 1;
  w->final_inertia = write_final_inertia(w);
  if (w->final_inertia) {
    value.compiler.boundmass = normal->compiler.boundmass;
    value.compiler.boundinertia = normal->compiler.boundinertia;
    value.compiler.settotalmass = normal->compiler.settotalmass;
  }
  write_values(w, &table_compiler, &value, normal, NULL);
  snText inner = w->text;
  text_open(&w->text, "lengthrange");
  write_values(w, table_child(&table_compiler, "lengthrange"), s, normal, NULL);
  if (!text_undo(&w->text, &inner, "lengthrange")) text_close(&w->text, "lengthrange");
  if (!text_undo(&w->text, &before, "compiler")) {
    text_close(&w->text, "compiler");
    text_line(&w->text);
  }
}

static void write_flags(snWriter* w, const snKeyword* flag, bool disables, int flags) {
  for (; flag->name; flag++) {
    if (flags & flag->value) text_string(&w->text, flag->name, disables ? "disable" : "enable");
  }
}

static void write_option(snWriter* w, const mjSpec* normal) {
  const mjOption* o = &w->spec->pub.option;
  snText before = w->text;
  text_open(&w->text, "option");
  write_values(w, &table_option, &w->spec->pub, normal, NULL);
  if (o->disableactuator) {
    int group[31], n = 0;
    for (int i = 0; i < 31; i++) {
      if (o->disableactuator & (1 << i)) group[n++] = i;
    }
    text_ints(&w->text, "actuatorgroupdisable", group, n);
  }
  snText inner = w->text;
  text_open(&w->text, "flag");
  write_flags(w, flag_disable, true, o->disableflags);
  write_flags(w, flag_enable, false, o->enableflags);
  if (!text_undo(&w->text, &inner, "flag")) text_close(&w->text, "flag");
  if (!text_undo(&w->text, &before, "option")) {
    text_close(&w->text, "option");
    text_line(&w->text);
  }
}

static void write_size(snWriter* w, const mjSpec* normal) {
  const mjSpec* s = &w->spec->pub;
  snText before = w->text;
  char number[32];
  text_open(&w->text, "size");
  if (s->memory != (size_t)-1) {
    snprintf(number, sizeof(number), "%zu", s->memory);
    text_string(&w->text, "memory", number);
  }
  if (s->nstack != (size_t)-1) {
    snprintf(number, sizeof(number), "%d", (int)s->nstack);
    text_string(&w->text, "nstack", number);
  }
  write_values(w, &table_size, s, normal, NULL);
  if (!text_undo(&w->text, &before, "size")) {
    text_close(&w->text, "size");
    text_line(&w->text);
  }
}

static void write_groups(snWriter* w, const snTag* section, const mjSpec* normal) {
  snText before = w->text;
  text_open(&w->text, section->name);
  write_values(w, section, &w->spec->pub, normal, NULL);
  for (int i = 0; i < section->nchild; i++) {
    const snTag* tag = section->children + i;
    snText inner = w->text;
    text_open(&w->text, tag->name);
    write_values(w, tag, &w->spec->pub, normal, NULL);
    if (!text_undo(&w->text, &inner, tag->name)) text_close(&w->text, tag->name);
  }
  if (!text_undo(&w->text, &before, section->name)) {
    text_close(&w->text, section->name);
    text_line(&w->text);
  }
}

void write_settings(snWriter* w) {
  mjSpec normal;
  mjs_defaultSpec(&normal);
  normal.meshdir = normal.texturedir = NULL;
  write_compiler(w, &normal);
  write_option(w, &normal);
  write_size(w, &normal);
  write_groups(w, &table_visual, &normal);
  write_groups(w, &table_statistic, &normal);
}

// ---- default classes
static void write_material_texture(snWriter* w, const mjsMaterial* value,
                                   const mjsMaterial* normal) {
  const char* name = strings_count(value->textures) > mjTEXROLE_RGB
                         ? strings_at(value->textures, mjTEXROLE_RGB)
                         : "";
  const char* usual = normal && strings_count(normal->textures) > mjTEXROLE_RGB
                          ? strings_at(normal->textures, mjTEXROLE_RGB)
                          : "";
  if (strcmp(name, usual)) text_string(&w->text, "texture", name);
}

// The values of one kind of element where they differ from those of the class around.
static void write_class_part(snWriter* w, const snElement* value, const snElement* normal) {
  static const struct {
    mjtObj type;
    const char* name;
  } kNames[] = {
      {mjOBJ_JOINT, "joint"},       {mjOBJ_GEOM, "geom"},       {mjOBJ_SITE, "site"},
      {mjOBJ_CAMERA, "camera"},     {mjOBJ_LIGHT, "light"},     {mjOBJ_MESH, "mesh"},
      {mjOBJ_MATERIAL, "material"}, {mjOBJ_PAIR, "pair"},       {mjOBJ_EQUALITY, "equality"},
      {mjOBJ_TENDON, "tendon"},     {mjOBJ_ACTUATOR, "general"}};
  const snTag* tag = NULL;
  for (int i = 0; i < snCOUNT(kNames); i++) {
    if (kNames[i].type == value->base.elemtype) tag = table_child(&table_default, kNames[i].name);
  }
  if (!tag) return;
  snText before = w->text;
  text_open(&w->text, tag->name);
  write_values(w, tag, &value->u, &normal->u, NULL);
  if (value->base.elemtype == mjOBJ_MATERIAL)
    write_material_texture(w, &value->u.material, &normal->u.material);
  if (!text_undo(&w->text, &before, tag->name)) text_close(&w->text, tag->name);
}

static void write_class(snWriter* w, const snElement* class, const snElement* parent) {
  text_open(&w->text, "default");
  if (parent) text_string(&w->text, "class", string_text(&class->name));
  for (int i = 0; i < snNCLASS; i++) {
    const snElement* value = class->class[i];
    snElement* plain = parent ? NULL : element_make((snSpec*)w->spec, value->base.elemtype);
    const snElement* normal = parent ? parent->class[i] : plain;
    if (normal) {
      write_class_part(w, value, normal);
    } else {
      w->text.failed = true;
    }
    if (plain) element_free(plain);
  }
  const snList* inner = class->child + snCHILD_CLASS;
  for (int i = 0; i < inner->n; i++) write_class(w, inner->item[i], class);
  text_close(&w->text, "default");
}

void write_defaults(snWriter* w) {
  snText before = w->text;
  write_class(w, w->spec->main, NULL);
  // a root class with nothing in it goes without saying
  static const char kEmpty[] = "<default/>\n";
  size_t n = strlen(kEmpty);
  if (!w->text.failed && w->text.size >= n && !strcmp(w->text.data + w->text.size - n, kEmpty) &&
      w->text.size - before.size < 2 + 2 * (size_t)before.depth + n + 1) {
    w->text.size = before.size;
    w->text.tag = before.tag;
    w->text.data[w->text.size] = 0;
  } else {
    text_line(&w->text);
  }
}

// ---- extension and custom
static void write_extension(snWriter* w) {
  const snSpec* s = w->spec;
  if (!s->nplugin) return;
  text_open(&w->text, "extension");
  for (int i = 0; i < s->nplugin; i++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(s->plugin[i]);
    if (!plugin) continue;
    text_open(&w->text, "plugin");
    text_string(&w->text, "plugin", plugin->name);
    for (int k = 0; k < s->list[mjOBJ_PLUGIN].n; k++) {
      const snElement* e = s->list[mjOBJ_PLUGIN].item[k];
      if (!string_size(&e->name) || !string_is(e->u.plugin.plugin_name, plugin->name)) continue;
      text_open(&w->text, "instance");
      text_string(&w->text, "name", string_text(&e->name));
      for (int c = 0; c < e->nattribute; c++) {
        text_open(&w->text, "config");
        text_string(&w->text, "key", string_text(&e->attribute[c].key));
        text_string(&w->text, "value", string_text(&e->attribute[c].value));
        text_close(&w->text, "config");
      }
      text_close(&w->text, "instance");
    }
    text_close(&w->text, "plugin");
  }
  text_close(&w->text, "extension");
  text_line(&w->text);
}

static void write_custom(snWriter* w) {
  const snList* list = w->spec->list;
  if (!list[mjOBJ_NUMERIC].n && !list[mjOBJ_TEXT].n && !list[mjOBJ_TUPLE].n) return;
  text_open(&w->text, "custom");
  for (int i = 0; i < list[mjOBJ_NUMERIC].n; i++) {
    const snElement* e = list[mjOBJ_NUMERIC].item[i];
    const mjsNumeric* x = &e->u.numeric;
    text_open(&w->text, "numeric");
    text_string(&w->text, "name", string_text(&e->name));
    if (x->size > doubles_count(x->data)) text_ints(&w->text, "size", &x->size, 1);
    if (doubles_count(x->data))
      text_doubles(&w->text, "data", doubles_data(x->data), doubles_count(x->data));
    text_close(&w->text, "numeric");
  }
  for (int i = 0; i < list[mjOBJ_TEXT].n; i++) {
    const snElement* e = list[mjOBJ_TEXT].item[i];
    text_open(&w->text, "text");
    text_string(&w->text, "name", string_text(&e->name));
    text_string(&w->text, "data", string_text(e->u.text.data));
    text_close(&w->text, "text");
  }
  for (int i = 0; i < list[mjOBJ_TUPLE].n; i++) {
    const snElement* e = list[mjOBJ_TUPLE].item[i];
    const mjsTuple* x = &e->u.tuple;
    text_open(&w->text, "tuple");
    text_string(&w->text, "name", string_text(&e->name));
    for (int k = 0; k < strings_count(x->objname) && k < ints_count(x->objtype); k++) {
      text_open(&w->text, "element");
      text_string(&w->text, "objtype", mju_type2Str(ints_data(x->objtype)[k]));
      text_string(&w->text, "objname", strings_at(x->objname, k));
      if (k < doubles_count(x->objprm))
        text_doubles(&w->text, "prm", doubles_data(x->objprm) + k, 1);
      text_close(&w->text, "element");
    }
    text_close(&w->text, "tuple");
  }
  text_close(&w->text, "custom");
  text_line(&w->text);
}

// ---- assets
// Is it the file that the name finds in this spec's own folders?
static bool found_here(const snWriter* w, const char* file, const char* full, bool texture) {
  const mjSpec* s = &w->spec->pub;
  char* dir = resource_join(string_text(s->modelfiledir),
                            string_text(texture ? s->texturedir : s->meshdir));
  char* path = dir ? resource_join(dir, file) : NULL;
  char* own = path ? realpath(path, NULL) : NULL;
  bool same = own && !strcmp(own, full);
  free(own);
  memory_free(path);
  memory_free(dir);
  return same;
}

// The file of an asset from another model's folders, by its full path unless its name finds it.
static void write_file(snWriter* w, const char* attribute, const snElement* e, const char* file,
                       bool texture) {
  if (!file || !file[0]) return;
  if (!e->source) {
    text_string(&w->text, attribute, file);
    return;
  }
  const snSource* s = e->source;
  const char* name = s->strippath ? file + resource_dir_length(file) : file;
  char* dir = resource_join(
      s->modelfiledir ? s->modelfiledir : "",
      texture ? (s->texturedir ? s->texturedir : "") : (s->meshdir ? s->meshdir : ""));
  char* path = dir ? resource_join(dir, name) : NULL;
  char* full = path ? realpath(path, NULL) : NULL;
  bool here = full && !w->spec->pub.strippath && found_here(w, file, full, texture);
  text_string(&w->text, attribute, here ? file : full ? full : path ? path : file);
  free(full);
  memory_free(path);
  memory_free(dir);
}

static void write_mesh(snWriter* w, const snElement* e) {
  text_open(&w->text, "mesh");
  write_identity(w, e, w->spec->main);
  mjsMesh x = e->u.mesh;
  x.file = NULL;
  write_file(w, "file", e, string_text(e->u.mesh.file), false);
  write_values(w, table_child(&table_asset, "mesh"), &x, &e->def->class[snCLASS_MESH] -> u.mesh, e);
  write_plugin(w, &e->u.mesh.plugin);
  text_close(&w->text, "mesh");
}

static void write_hfield(snWriter* w, const snElement* e) {
  mjsHField plain, x = e->u.hfield;
  mjs_defaultHField(&plain);
  text_open(&w->text, "hfield");
  write_identity(w, e, e->def);
  x.file = NULL;
  write_file(w, "file", e, string_text(e->u.hfield.file), false);
  write_values(w, table_child(&table_asset, "hfield"), &x, &plain, e);
  int n = floats_count(x.userdata);
  if (n && string_empty(e->u.hfield.file) && n == x.nrow * x.ncol) {
    const float* data = floats_data(x.userdata);
    float* down = memory_alloc((size_t)n * sizeof(float));
    bool flat = true;
    for (int i = 0; i < n && flat; i++) flat = data[i] == 0;
    if (!down) w->text.failed = true;
    for (int i = 0; down && i < x.nrow; i++) {
      memcpy(down + i * x.ncol, data + (x.nrow - 1 - i) * x.ncol, x.ncol * sizeof(float));
    }
    if (down && !flat) text_floats(&w->text, "elevation", down, n);
    memory_free(down);
  }
  text_close(&w->text, "hfield");
}

static void write_texture(snWriter* w, const snElement* e) {
  static const char* const kFaces[6] = {"fileright", "fileleft",  "fileup",
                                        "filedown",  "filefront", "fileback"};
  mjsTexture plain, x = e->u.texture;
  mjs_defaultTexture(&plain);
  plain.content_type = plain.file = x.file = NULL;
  if (bytes_count(x.data)) {
    fault_raise(w->fault, "texture '%s' holds its own pixels, which MJCF cannot express",
                string_text(&e->name));
  }
  text_open(&w->text, "texture");
  write_identity(w, e, e->def);
  write_file(w, "file", e, string_text(e->u.texture.file), true);
  for (int i = 0; i < 6 && i < strings_count(x.cubefiles); i++) {
    write_file(w, kFaces[i], e, strings_at(x.cubefiles, i), true);
  }
  int cells = x.gridsize[0] * x.gridsize[1];
  if (cells >= 1 && cells <= 12 && memcmp(x.gridlayout, plain.gridlayout, 12)) {
    char layout[13] = {0};
    memcpy(layout, x.gridlayout, cells);
    text_string(&w->text, "gridlayout", layout);
  }
  write_values(w, table_child(&table_asset, "texture"), &x, &plain, e);
  text_close(&w->text, "texture");
}

static void write_material(snWriter* w, const snElement* e) {
  const mjsMaterial *x = &e->u.material, *normal = &e->def->class[snCLASS_MATERIAL]->u.material;
  text_open(&w->text, "material");
  write_identity(w, e, w->spec->main);
  write_values(w, table_child(&table_asset, "material"), x, normal, e);
  bool layers = false;
  for (int i = 0; i < strings_count(x->textures); i++) {
    layers = layers || (i != mjTEXROLE_RGB && strings_at(x->textures, i)[0]);
  }
  if (!layers) write_material_texture(w, x, normal);
  for (int i = 0; layers && i < strings_count(x->textures); i++) {
    if (!strings_at(x->textures, i)[0]) continue;
    text_open(&w->text, "layer");
    text_string(&w->text, "role", table_keyword(key_role, i));
    text_string(&w->text, "texture", strings_at(x->textures, i));
    text_close(&w->text, "layer");
  }
  text_close(&w->text, "material");
}

static void write_skin(snWriter* w, const snElement* e) {
  mjsSkin plain, x = e->u.skin;
  mjs_defaultSkin(&plain);
  plain.material = plain.file = x.file = NULL;
  text_open(&w->text, "skin");
  write_identity(w, e, e->def);
  write_file(w, "file", e, string_text(e->u.skin.file), false);
  write_values(w, table_child(&table_asset, "skin"), &x, &plain, e);
  for (int i = 0; i < strings_count(x.bodyname); i++) {
    text_open(&w->text, "bone");
    text_string(&w->text, "body", strings_at(x.bodyname, i));
    text_floats(&w->text, "bindpos", floats_data(x.bindpos) + 3 * i, 3);
    text_floats(&w->text, "bindquat", floats_data(x.bindquat) + 4 * i, 4);
    text_ints(&w->text, "vertid", ints_data(vecs_at(x.vertid, i)),
              ints_count(vecs_at(x.vertid, i)));
    text_floats(&w->text, "vertweight", floats_data(vecs_at(x.vertweight, i)),
                floats_count(vecs_at(x.vertweight, i)));
    text_close(&w->text, "bone");
  }
  text_close(&w->text, "skin");
}

void write_assets(snWriter* w) {
  static const struct {
    mjtObj type;
    void (*write)(snWriter*, const snElement*);
  } kAssets[] = {{mjOBJ_TEXTURE, write_texture},
                 {mjOBJ_MATERIAL, write_material},
                 {mjOBJ_MESH, write_mesh},
                 {mjOBJ_HFIELD, write_hfield},
                 {mjOBJ_SKIN, write_skin}};
  const snList* list = w->spec->list;
  int total = 0;
  for (int k = 0; k < snCOUNT(kAssets); k++) total += list[kAssets[k].type].n;
  if (!total) return;
  text_open(&w->text, "asset");
  for (int k = 0; k < snCOUNT(kAssets); k++) {
    for (int i = 0; i < list[kAssets[k].type].n; i++)
      kAssets[k].write(w, list[kAssets[k].type].item[i]);
  }
  text_close(&w->text, "asset");
  text_line(&w->text);
}

const mjModel* write_model(snWriter* w) {
  if (w->given) return w->given;
  mjSpec* s = (mjSpec*)&w->spec->pub;
  if (!w->made && !w->fault->raised && !(w->made = mj_compile(s, NULL))) {
    fault_raise(w->fault, "%s", mjs_getError(s));
  }
  return w->made;
}

bool write_mjcf(snWriter* w) {
  const mjSpec* s = &w->spec->pub;
  text_open(&w->text, "mujoco");
  text_string(&w->text, "model", string_text(s->modelname));
  if (!string_empty(s->comment)) text_comment(&w->text, string_text(s->comment));
  write_settings(w);
  write_extension(w);
  write_defaults(w);
  write_custom(w);
  write_assets(w);
  write_world(w);
  write_links(w);
  // no empty line at the end
  snText* t = &w->text;
  if (!t->failed && t->size > 1 && !strcmp(t->data + t->size - 2, "\n\n")) t->data[--t->size] = 0;
  text_close(&w->text, "mujoco");
  if (w->text.failed) fault_raise(w->fault, "out of memory");
  return !w->fault->raised;
}
