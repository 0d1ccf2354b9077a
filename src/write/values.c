// Fields of a struct as attributes, by the schema table: the inverse of read/values.c. A field is
// written when it differs from the reference value, up to the last component that differs.
#include <math.h>
#include <string.h>

#include "write/write.h"

const char write_order_mesh[] =
    "content_type file vertex normal texcoord face inertia refpos refquat scale smoothnormal";
const char write_order_material[] =
    "texuniform texrepeat emission specular shininess reflectance metallic roughness rgba";
const char write_order_joint[] =
    "pos axis type group ref springref solreflimit solimplimit solreffriction solimpfriction "
    "stiffness limited range actuatorfrclimited actuatorgravcomp actuatorfrcrange margin armature "
    "damping frictionloss user";
const char write_order_geom[] =
    "size pos quat type contype conaffinity condim group priority friction solmix solref solimp "
    "margin "
    "gap fluidshape fluidcoef shellinertia mass density material rgba hfield mesh user";
const char write_order_site[] = "pos quat size group type material rgba user";
const char write_order_camera[] =
    "target pos quat ipd mode resolution orthographic fovy sensorsize focal focalpixel principal "
    "principalpixel user";
const char write_order_light[] =
    "target pos dir bulbradius intensity range type texture castshadow active attenuation cutoff "
    "exponent ambient diffuse specular mode";
const char write_order_pair[] = "condim margin gap solref solreffriction solimp friction";
const char write_order_equality[] =
    "joint1 joint2 tendon1 tendon2 flex polycoef active solref solimp";
const char write_order_tendon[] =
    "group solreflimit solimplimit solreffriction solimpfriction limited actuatorfrclimited range "
    "actuatorfrcrange margin stiffness damping armature frictionloss springlength material width "
    "rgba user";
const char write_order_actuator[] =
    "refsite slidersite group ctrllimited ctrlrange forcelimited forcerange actlimited actrange "
    "lengthrange gear cranklength actearly actdim dyntype dynprm gaintype biastype gainprm biasprm "
    "user";

// Numbers up to the last that differs, or all of those that must be given together.
static void write_doubles(snWriter* w, const snTagAttr* a, const double* value,
                          const double* normal) {
  static const char* const kWhole[] = {"gear", "dynprm", "polycoef", "fluidcoef"};
  int n = a->most;
  if (isnan(value[0]) && (!normal || isnan(normal[0]))) return;
  if (normal && !memcmp(value, normal, n * sizeof(double))) return;
  bool whole = !normal || w->whole;
  if (a->most == 5 && !strcmp(a->name, "friction")) whole = true;  // of a contact pair
  for (int i = 0; i < snCOUNT(kWhole); i++) whole = whole || !strcmp(a->name, kWhole[i]);
  if (!strcmp(a->name, "springlength")) {  // one number means both
    whole = true;
    if (value[0] == value[1]) n = 1;
  }
  int least = strcmp(a->name, "size") ? a->least : w->sizes;
  while (!whole && n > least && n > 1 && value[n - 1] == normal[n - 1]) n--;
  text_doubles(&w->text, a->name, value, n);
}

static void text_word(snWriter* w, const snTagAttr* a, int value) {
  text_string(&w->text, a->name, table_keyword(a->keys, value));
}

static int number_index(double value) { return value >= 0 && value < 1000 ? (int)value : -1; }

static void write_floats(snWriter* w, const snTagAttr* a, const float* value, const float* normal) {
  if (isnan(value[0]) || (normal && !memcmp(value, normal, a->most * sizeof(float)))) return;
  text_floats(&w->text, a->name, value, a->most);
}

// User data is padded with zeros, so a list of zeros equals an absent one.
static bool means_nothing(const snTagAttr* a, const snSpecVec* v) {
  if (!v || v->end == v->begin) return true;
  if (strcmp(a->name, "user")) return false;
  for (int i = 0; i < doubles_count(v); i++) {
    if (doubles_data(v)[i]) return false;
  }
  return true;
}

static void write_vector(snWriter* w, const snTagAttr* a, const void* vec, const void* normal) {
  const snSpecVec *v = vec, *u = normal;
  if (means_nothing(a, v)) {
    // an empty list would inherit that of the class
    const double zero = 0;
    if (!means_nothing(a, u) && a->type == snVALUE_DOUBLES)
      text_doubles(&w->text, a->name, &zero, 1);
    return;
  }
  size_t bytes = (size_t)(v->end - v->begin);
  if (u && (size_t)(u->end - u->begin) == bytes && !memcmp(u->begin, v->begin, bytes)) return;
  if (a->type == snVALUE_INTS) {
    text_ints(&w->text, a->name, ints_data(v), ints_count(v));
  } else if (a->type == snVALUE_FLOATS) {
    text_floats(&w->text, a->name, floats_data(v), floats_count(v));
  } else {
    text_doubles(&w->text, a->name, doubles_data(v), doubles_count(v));
  }
}

static void write_strings(snWriter* w, const snTagAttr* a, const mjStringVec* v) {
  int n = strings_count(v);
  if (!n) return;
  text_put(&w->text, " ");
  text_put(&w->text, a->name);
  text_put(&w->text, "=\"");
  for (int i = 0; i < n; i++) {
    if (i) text_put(&w->text, " ");
    text_escaped(&w->text, strings_at(v, i));
  }
  text_put(&w->text, "\"");
}

static void write_value(snWriter* w, const snTagAttr* a, const void* value, const void* normal) {
  const void* field = (const char*)value + a->offset;
  bool always = !normal || (a->flags & snATTR_REQUIRED);
  const void* usual = always ? NULL : (const char*)normal + a->offset;
  const char* word = NULL;
  switch ((snValue)a->type) {
    case snVALUE_INT:
      if (!usual || memcmp(field, usual, a->most * sizeof(int))) {
        text_ints(&w->text, a->name, field, a->most);
      }
      break;
    case snVALUE_DOUBLE:
      write_doubles(w, a, field, usual);
      break;
    case snVALUE_FLOAT:
      write_floats(w, a, field, usual);
      break;
    case snVALUE_KEY:
      if (!usual || *(const int*)field != *(const int*)usual) text_word(w, a, *(const int*)field);
      break;
    case snVALUE_BYTE:
      if (!usual || *(const mjtByte*)field != *(const mjtByte*)usual) {
        text_word(w, a, *(const mjtByte*)field);
      }
      break;
    case snVALUE_KEYNUM:
      if (!usual || *(const mjtNum*)field != *(const mjtNum*)usual) {
        text_word(w, a, number_index(*(const mjtNum*)field));
      }
      break;
    case snVALUE_STRING: {
      const mjString *s = *(mjString*const*)field, *u = usual ? *(mjString*const*)usual : NULL;
      if (string_empty(s) ? string_empty(u) : u && !strcmp(string_text(s), string_text(u))) break;
      word = string_text(s);
      break;
    }
    case snVALUE_STRINGS:
      write_strings(w, a, *(void* const*)field);
      break;
    case snVALUE_INTS:
    case snVALUE_FLOATS:
    case snVALUE_DOUBLES:
      write_vector(w, a, *(void* const*)field, usual ? *(void* const*)usual : NULL);
      break;
    case snVALUE_ORIENT:  // a quaternion in the saved form
    case snVALUE_NAME:
    case snVALUE_CLASS:
      break;
  }
  if (word) text_string(&w->text, a->name, word);
}

// The attribute named by the first word of a list, which is advanced; NULL at its end.
static const snTagAttr* next_in(const snTag* tag, const char** list) {
  char name[32];
  while (**list) {
    size_t n = strcspn(*list, " ");
    memcpy(name, *list, n);
    name[n] = 0;
    *list += n + ((*list)[n] == ' ');
    const snTagAttr* a = table_attribute(tag, name);
    if (a) return a;
  }
  return NULL;
}

void write_values(snWriter* w, const snTag* tag, const char* order, const void* value,
                  const void* normal) {
  const snTagAttr* a;
  unsigned long long done = 0;
  while ((a = next_in(tag, &order))) {
    done |= 1ull << (a - tag->attributes);
    if (!(a->flags & (snATTR_CODE | snATTR_NOWRITE))) write_value(w, a, value, normal);
  }
  for (int i = 0; i < tag->nattribute; i++) {
    a = tag->attributes + i;
    if ((done >> i & 1) || !(a->where & tag->mask) || (a->flags & (snATTR_CODE | snATTR_NOWRITE)))
      continue;
    write_value(w, a, value, normal);
  }
}

void write_identity(snWriter* w, const snElement* e, const snElement* in_force) {
  if (string_size(&e->name)) text_string(&w->text, "name", string_text(&e->name));
  if (e->def && e->def != in_force) text_string(&w->text, "class", string_text(&e->def->name));
}

void write_plugin_attributes(snWriter* w, const mjsPlugin* p) {
  if (!string_empty(p->name)) {
    text_string(&w->text, "instance", string_text(p->name));
  } else if (!string_empty(p->plugin_name)) {
    text_string(&w->text, "plugin", string_text(p->plugin_name));
  }
}

// Configuration of a plugin instance, in the order in which the plugin declares its attributes.
void write_instance(snWriter* w, const snElement* e) {
  const mjpPlugin* plugin = mjp_getPlugin(string_text(e->u.plugin.plugin_name), NULL);
  for (int i = 0; plugin && i < plugin->nattribute; i++) {
    const char* value = plugin_get_attribute(e, plugin->attributes[i]);
    if (!value) continue;
    text_open(&w->text, "config");
    text_string(&w->text, "key", plugin->attributes[i]);
    text_string(&w->text, "value", value);
    text_close(&w->text, "config");
  }
}

void write_config(snWriter* w, const mjsPlugin* p) {
  if (!string_empty(p->name) || !p->element) return;
  const snElement* e = element_of(p->element);
  if (e->base.elemtype == mjOBJ_PLUGIN) write_instance(w, e);
}

void write_plugin(snWriter* w, const mjsPlugin* p) {
  if (!p->active) return;
  text_open(&w->text, "plugin");
  write_plugin_attributes(w, p);
  write_config(w, p);
  text_close(&w->text, "plugin");
}
