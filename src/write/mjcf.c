// MJCF settings, default classes, extensions, custom fields and assets.
//
// A setting is written when it differs from the documented default, a value of a class when it
// differs from the parent class. File names are rewritten so that the saved document finds the
// files from where it is saved.
#include "base/system.h"
#include "write/write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "model/resource.h"

// ---- settings
// A folder of the model relative to the folder of the output file, so that both can be moved
// together; absolute when the two have only the root in common.
static void write_dir(snWriter* w, const char* name, const mjString* dir) {
  const char* from = string_text(w->spec->pub.modelfiledir);
  char *here = NULL, *there = NULL, *full = NULL;
  if (w->dir) {
    there = system_resolve(w->dir[0] ? w->dir : ".");
    here = system_resolve(from[0] ? from : ".");
    if (here && there && strcmp(here, there)) {
      char* target = resource_join(here, string_text(dir));
      // a folder that the model gives as absolute stays absolute
      if (target && string_text(dir)[0] != '/') full = resource_relative(there, target);
      if (full) {
        memory_free(target);
      } else {
        full = target;
      }
    }
  }
  // folders end in a slash
  const char* plain = full ? full : string_text(dir);
  char* slash = *plain ? resource_join(plain, "") : NULL;
  memory_free(full);
  full = slash;
  if (full) text_string(&w->text, name, full);
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
  text_open(&w->text, "compiler");
  text_string(&w->text, "angle", "radian");
  if (uses_files(w->spec)) {
    write_dir(w, "meshdir", s->meshdir);
    write_dir(w, "texturedir", s->texturedir);
  } else {
    value.meshdir = s->meshdir;
    value.texturedir = s->texturedir;
  }
  // With several source files: unlimited elements of a file without autolimits have no range, so
  // autolimits can be on for all.
  if (w->spec->nsource) value.compiler.autolimits = 1;
  w->final_inertia = write_final_inertia(w);
  if (w->final_inertia) {
    value.compiler.boundmass = normal->compiler.boundmass;
    value.compiler.boundinertia = normal->compiler.boundinertia;
    value.compiler.settotalmass = normal->compiler.settotalmass;
  }
  write_values(w, &table_compiler, "autolimits usethread boundmass boundinertia alignfree", &value,
               normal);
  snText inner = w->text;
  text_open(&w->text, "lengthrange");
  write_values(w, table_child(&table_compiler, "lengthrange"), "", s, normal);
  if (!text_undo(&w->text, &inner, "lengthrange")) text_close(&w->text, "lengthrange");
  text_close(&w->text, "compiler");
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
  write_values(w, &table_option,
               "timestep apirate impratio tolerance ls_tolerance noslip_tolerance ccd_tolerance "
               "gravity wind magnetic density viscosity o_margin o_solref o_solimp o_friction "
               "integrator cone jacobian solver iterations ls_iterations noslip_iterations "
               "ccd_iterations sdf_iterations sdf_initpoints",
               &w->spec->pub, normal);
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
  if (!text_undo(&w->text, &before, "option")) text_close(&w->text, "option");
}

// A number of bytes with the largest unit that divides it.
static void write_memory(snWriter* w, size_t bytes) {
  static const char kUnits[] = " KMGTPE";
  char number[32];
  int unit = 0;
  while (bytes && bytes % 1024 == 0 && kUnits[unit + 1]) {
    bytes /= 1024;
    unit++;
  }
  snprintf(number, sizeof(number), unit ? "%zu%c" : "%zu", bytes, kUnits[unit]);
  text_string(&w->text, "memory", number);
}

// Length of user data: that of the longest list.
static void longest(int* size, const mjDoubleVec* user) {
  int n = doubles_count(user);
  if (n && *size < n) *size = n;
}

static void longest_in_tree(mjSpec* s, const snElement* body) {
  longest(&s->nuser_body, body->u.body.userdata);
  const snList* child = body->child;
  for (int i = 0; i < child[snCHILD_JOINT].n; i++)
    longest(&s->nuser_jnt, child[snCHILD_JOINT].item[i]->u.joint.userdata);
  for (int i = 0; i < child[snCHILD_GEOM].n; i++)
    longest(&s->nuser_geom, child[snCHILD_GEOM].item[i]->u.geom.userdata);
  for (int i = 0; i < child[snCHILD_SITE].n; i++)
    longest(&s->nuser_site, child[snCHILD_SITE].item[i]->u.site.userdata);
  for (int i = 0; i < child[snCHILD_CAMERA].n; i++)
    longest(&s->nuser_cam, child[snCHILD_CAMERA].item[i]->u.camera.userdata);
  for (int i = 0; i < child[snCHILD_BODY].n; i++) longest_in_tree(s, child[snCHILD_BODY].item[i]);
}

static void longest_users(mjSpec* s) {
  const snSpec* spec = spec_of(s);
  const snList* list = spec->list;
  longest_in_tree(s, spec->world);
  for (int i = 0; i < list[mjOBJ_TENDON].n; i++)
    longest(&s->nuser_tendon, list[mjOBJ_TENDON].item[i]->u.tendon.userdata);
  for (int i = 0; i < list[mjOBJ_ACTUATOR].n; i++)
    longest(&s->nuser_actuator, list[mjOBJ_ACTUATOR].item[i]->u.actuator.userdata);
  for (int i = 0; i < list[mjOBJ_SENSOR].n; i++)
    longest(&s->nuser_sensor, list[mjOBJ_SENSOR].item[i]->u.sensor.userdata);
  if (s->nkey < list[mjOBJ_KEY].n) s->nkey = list[mjOBJ_KEY].n;
}

static void write_size(snWriter* w, mjSpec* normal) {
  mjSpec* s = (mjSpec*)&w->spec->pub;
  snText before = w->text;
  longest_users(s);
  text_open(&w->text, "size");
  if (s->memory != (size_t)-1) write_memory(w, s->memory);
  if (s->njmax != normal->njmax) text_ints(&w->text, "njmax", &s->njmax, 1);
  if (s->nconmax != normal->nconmax) text_ints(&w->text, "nconmax", &s->nconmax, 1);
  normal->njmax = s->njmax;
  normal->nconmax = s->nconmax;
  if (s->nstack != (size_t)-1) {
    int numbers = (int)s->nstack;
    text_ints(&w->text, "nstack", &numbers, 1);
  }
  write_values(w, &table_size,
               "nuserdata nkey nuser_body nuser_jnt nuser_geom nuser_site nuser_cam nuser_tendon "
               "nuser_actuator nuser_sensor",
               s, normal);
  if (!text_undo(&w->text, &before, "size")) text_close(&w->text, "size");
}

static void write_groups(snWriter* w, const snTag* section, const char* const* order,
                         const mjSpec* normal) {
  snText before = w->text;
  text_open(&w->text, section->name);
  write_values(w, section, order[0], &w->spec->pub, normal);
  for (int i = 0; i < section->nchild; i++) {
    const snTag* tag = section->children + i;
    snText inner = w->text;
    text_open(&w->text, tag->name);
    write_values(w, tag, order[1 + i], &w->spec->pub, normal);
    if (!text_undo(&w->text, &inner, tag->name)) text_close(&w->text, tag->name);
  }
  if (!text_undo(&w->text, &before, section->name)) text_close(&w->text, section->name);
}

// the section's own attributes, then those of each child of the table
static const char* const kVisual[] = {
    "",
    "cameraid orthographic fovy ipd azimuth elevation linewidth glow realtime offwidth offheight "
    "ellipsoidinertia bvactive",
    "shadowsize offsamples numslices numstacks numquads",
    "ambient diffuse specular active",
    "stiffness stiffnessrot force torque alpha fogstart fogend znear zfar haze shadowclip "
    "shadowscale actuatortendon",
    "forcewidth contactwidth contactheight connect com camera light selectpoint jointlength "
    "jointwidth actuatorlength actuatorwidth framelength framewidth constraint slidercrank frustum",
    "fog haze force inertia joint actuator actuatornegative actuatorpositive com camera light "
    "selectpoint connect contactpoint contactforce contactfriction contacttorque contactgap "
    "rangefinder constraint slidercrank crankbroken frustum bv bvactive"};
static const char* const kStatistic[] = {"meaninertia meanmass meansize extent center"};

void write_settings(snWriter* w) {
  mjSpec normal;
  mjs_defaultSpec(&normal);
  normal.meshdir = normal.texturedir = NULL;
  write_compiler(w, &normal);
  write_option(w, &normal);
  write_size(w, &normal);
  write_groups(w, &table_visual, kVisual, &normal);
  write_groups(w, &table_statistic, kStatistic, &normal);
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

// Elements state poses and masses themselves, so classes do not.
static void placeless(mjtObj type, void* value, const void* normal) {
  switch (type) {
    case mjOBJ_JOINT: {
      mjsJoint* x = value;
      const mjsJoint* plain = normal;
      memcpy(x->pos, plain->pos, sizeof x->pos);
      memcpy(x->axis, plain->axis, sizeof x->axis);
      break;
    }
    case mjOBJ_GEOM: {
      mjsGeom* x = value;
      const mjsGeom* plain = normal;
      memcpy(x->pos, plain->pos, sizeof x->pos);
      memcpy(x->quat, plain->quat, sizeof x->quat);
      x->fromto[0] = x->mass = NAN;
      break;
    }
    case mjOBJ_SITE: {
      mjsSite* x = value;
      const mjsSite* plain = normal;
      memcpy(x->pos, plain->pos, sizeof x->pos);
      memcpy(x->quat, plain->quat, sizeof x->quat);
      x->fromto[0] = NAN;
      break;
    }
    case mjOBJ_CAMERA: {
      mjsCamera* x = value;
      const mjsCamera* plain = normal;
      memcpy(x->pos, plain->pos, sizeof x->pos);
      memcpy(x->quat, plain->quat, sizeof x->quat);
      break;
    }
    case mjOBJ_LIGHT: {
      mjsLight* x = value;
      const mjsLight* plain = normal;
      memcpy(x->pos, plain->pos, sizeof x->pos);
      memcpy(x->dir, plain->dir, sizeof x->dir);
      break;
    }
    default:
      break;
  }
}

// The values of one element type where they differ from the parent class.
static void write_class_part(snWriter* w, const snElement* value, const snElement* normal) {
  static const struct {
    mjtObj type;
    const char *name, *order;
  } kNames[] = {{mjOBJ_MESH, "mesh", write_order_mesh},
                {mjOBJ_MATERIAL, "material", write_order_material},
                {mjOBJ_JOINT, "joint", write_order_joint},
                {mjOBJ_GEOM, "geom", write_order_geom},
                {mjOBJ_SITE, "site", write_order_site},
                {mjOBJ_CAMERA, "camera", write_order_camera},
                {mjOBJ_LIGHT, "light", write_order_light},
                {mjOBJ_PAIR, "pair", write_order_pair},
                {mjOBJ_EQUALITY, "equality", write_order_equality},
                {mjOBJ_TENDON, "tendon", write_order_tendon},
                {mjOBJ_ACTUATOR, "general", write_order_actuator}};
  int kind = -1;
  for (int i = 0; i < snCOUNT(kNames); i++) {
    if (kNames[i].type == value->base.elemtype) kind = i;
  }
  if (kind < 0) return;
  const snTag* tag = table_child(&table_default, kNames[kind].name);
  snText before = w->text;
  text_open(&w->text, tag->name);
  if (value->base.elemtype == mjOBJ_MATERIAL)
    write_material_texture(w, &value->u.material, &normal->u.material);
  w->sizes = 3;
  mjsJoint usual;
  mjsActuator drive;
  const void* against = &normal->u;
  if (value->base.elemtype ==
      mjOBJ_JOINT) {  // joint references are repeated in every class, as released
    usual = normal->u.joint;
    if (value->u.joint.ref) usual.ref = NAN;
    if (value->u.joint.springref) usual.springref = NAN;
    against = &usual;
  } else if (value->base.elemtype == mjOBJ_ACTUATOR) {  // and so are user parameters of actuators
    drive = normal->u.actuator;
    if (doubles_count(value->u.actuator.userdata)) drive.userdata = NULL;
    against = &drive;
  }
  write_values(w, tag, kNames[kind].order, &value->u, against);
  if (!text_undo(&w->text, &before, tag->name)) text_close(&w->text, tag->name);
}

static void write_class(snWriter* w, const snElement* class, const snElement* parent) {
  static const int kOrder[] = {snCLASS_MESH,     snCLASS_MATERIAL, snCLASS_JOINT,   snCLASS_GEOM,
                               snCLASS_SITE,     snCLASS_CAMERA,   snCLASS_LIGHT,   snCLASS_PAIR,
                               snCLASS_EQUALITY, snCLASS_TENDON,   snCLASS_ACTUATOR};
  text_open(&w->text, "default");
  if (parent) text_string(&w->text, "class", string_text(&class->name));
  for (int k = 0; k < snCOUNT(kOrder); k++) {
    int i = kOrder[k];
    snElement* value = class->class[i];
    snElement* plain = parent ? NULL : element_make((snSpec*)w->spec, value->base.elemtype);
    const snElement* normal = parent ? parent->class[i] : plain;
    if (normal) {
      placeless(value->base.elemtype, &value->u, &normal->u);
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
  // an empty root class is omitted
  static const char kEmpty[] = "\n  <default/>\n";
  size_t n = strlen(kEmpty);
  if (!w->text.failed && w->text.size == before.size + n &&
      !strcmp(w->text.data + before.size, kEmpty)) {
    w->text.size = before.size;
    w->text.tag = before.tag;
    w->text.data[w->text.size] = 0;
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
      write_instance(w, e);
      text_close(&w->text, "instance");
    }
    text_close(&w->text, "plugin");
  }
  text_close(&w->text, "extension");
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
    int given = doubles_count(x->data), size = x->size > given ? x->size : given;
    text_ints(&w->text, "size", &size, 1);
    double* data = memory_alloc_zero((size_t)(size > 0 ? size : 1) * sizeof(double));
    if (!data) w->text.failed = true;
    if (data && given) memcpy(data, doubles_data(x->data), (size_t)given * sizeof(double));
    if (data && size > 0) text_doubles(&w->text, "data", data, size);
    memory_free(data);
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
      if (k < doubles_count(x->objprm) && doubles_data(x->objprm)[k])
        text_doubles(&w->text, "prm", doubles_data(x->objprm) + k, 1);
      text_close(&w->text, "element");
    }
    text_close(&w->text, "tuple");
  }
  text_close(&w->text, "custom");
}

// ---- assets
// The name by which the folders of this spec resolve a file: the given one if it does, else a
// relative path from them. NULL: only the absolute path works.
static char* name_here(const snWriter* w, const char* file, const char* full, bool texture) {
  const mjSpec* s = &w->spec->pub;
  if (s->strippath) return NULL;
  char* dir = resource_join(string_text(s->modelfiledir),
                            string_text(texture ? s->texturedir : s->meshdir));
  char* path = dir ? resource_join(dir, file) : NULL;
  char* own = path ? system_resolve(path) : NULL;
  char* folder = dir && w->dir ? system_resolve(*dir ? dir : ".") : NULL;
  char* name = own && !strcmp(own, full) ? resource_join(NULL, file)
               : folder                  ? resource_relative(folder, full)
                                         : NULL;
  free(folder);
  free(own);
  memory_free(path);
  memory_free(dir);
  return name;
}

// The file of an asset that may come from another model's folders.
void write_file(snWriter* w, const char* attribute, const snElement* e, const char* file,
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
  char* full = path ? system_resolve(path) : NULL;
  char* here = full ? name_here(w, file, full, texture) : NULL;
  text_string(&w->text, attribute, here ? here : full ? full : path ? path : file);
  memory_free(here);
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
  write_values(w, table_child(&table_asset, "mesh"), write_order_mesh, &x,
               &e->def->class[snCLASS_MESH] -> u.mesh);
  write_plugin(w, &e->u.mesh.plugin);
  text_close(&w->text, "mesh");
}

static void write_hfield(snWriter* w, const snElement* e) {
  mjsHField x = e->u.hfield;
  text_open(&w->text, "hfield");
  write_identity(w, e, e->def);
  x.file = NULL;
  text_doubles(&w->text, "size", x.size, 4);
  if (!string_empty(x.content_type))
    text_string(&w->text, "content_type", string_text(x.content_type));
  write_file(w, "file", e, string_text(e->u.hfield.file), false);
  if (x.nrow) text_ints(&w->text, "nrow", &x.nrow, 1);
  if (x.ncol) text_ints(&w->text, "ncol", &x.ncol, 1);
  int n = floats_count(x.userdata);
  if (n && string_empty(e->u.hfield.file) && (int64_t)n == (int64_t)x.nrow * x.ncol) {
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
  text_string(&w->text, "type", table_keyword(key_texture, x.type));
  // the color space that was read from the file
  bool found = x.colorspace == mjCOLORSPACE_AUTO && x.builtin == mjBUILTIN_NONE &&
               (e->adr[1] == mjCOLORSPACE_SRGB || e->adr[1] == mjCOLORSPACE_LINEAR);
  text_string(&w->text, "colorspace",
              table_keyword(key_colorspace, found ? e->adr[1] : (int)x.colorspace));
  plain.type = x.type;
  plain.colorspace = x.colorspace;
  write_identity(w, e, e->def);
  if (!string_empty(x.content_type))
    text_string(&w->text, "content_type", string_text(x.content_type));
  x.content_type = NULL;
  write_file(w, "file", e, string_text(e->u.texture.file), true);
  if (memcmp(x.gridsize, plain.gridsize, sizeof x.gridsize))
    text_ints(&w->text, "gridsize", x.gridsize, 2);
  memcpy(plain.gridsize, x.gridsize, sizeof x.gridsize);
  int64_t cells = (int64_t)x.gridsize[0] * x.gridsize[1];
  if (cells >= 1 && cells <= 12 && memcmp(x.gridlayout, plain.gridlayout, 12)) {
    char layout[13] = {0};
    memcpy(layout, x.gridlayout, cells);
    text_string(&w->text, "gridlayout", layout);
  }
  for (int i = 0; i < 6 && i < strings_count(x.cubefiles); i++) {
    write_file(w, kFaces[i], e, strings_at(x.cubefiles, i), true);
  }
  // a procedural cube is six squares
  if (x.builtin != mjBUILTIN_NONE && x.type != mjTEXTURE_2D) x.height = 6 * x.width;
  write_values(w, table_child(&table_asset, "texture"),
               "builtin mark rgb1 rgb2 markrgb random width height", &x, &plain);
  text_close(&w->text, "texture");
}

static void write_material(snWriter* w, const snElement* e) {
  const mjsMaterial *x = &e->u.material, *normal = &e->def->class[snCLASS_MATERIAL]->u.material;
  text_open(&w->text, "material");
  write_identity(w, e, w->spec->main);
  bool layers = false;
  for (int i = 0; i < strings_count(x->textures); i++) {
    layers = layers || (i != mjTEXROLE_RGB && strings_at(x->textures, i)[0]);
  }
  if (!layers) write_material_texture(w, x, normal);
  write_values(w, table_child(&table_asset, "material"), write_order_material, x, normal);
  for (int i = 0; layers && i < strings_count(x->textures); i++) {
    if (!strings_at(x->textures, i)[0]) continue;
    text_open(&w->text, "layer");
    text_string(&w->text, "texture", strings_at(x->textures, i));
    text_string(&w->text, "role", table_keyword(key_role, i));
    text_close(&w->text, "layer");
  }
  text_close(&w->text, "material");
}

void write_assets(snWriter* w) {
  static const struct {
    mjtObj type;
    void (*write)(snWriter*, const snElement*);
  } kAssets[] = {{mjOBJ_TEXTURE, write_texture},
                 {mjOBJ_MATERIAL, write_material},
                 {mjOBJ_MESH, write_mesh},
                 {mjOBJ_HFIELD, write_hfield}};
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
  write_defaults(w);
  write_extension(w);
  write_custom(w);
  write_assets(w);
  write_world(w);
  write_links(w);
  text_close(&w->text, "mujoco");
  SN_ASSERT(w->fault->raised || w->text.depth == 0);  // what was opened is closed
  if (w->text.failed) fault_raise(w->fault, "out of memory");
  if (w->text.unspoken) {
    fault_raise(w->fault, "a value of attribute '%s' is none that MJCF can express",
                w->text.unspoken);
  }
  return !w->fault->raised;
}
