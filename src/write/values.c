// Fields of a struct as attributes, by the table.
#include <math.h>
#include <string.h>

#include "write/write.h"

static bool is_hinge_or_ball(const snElement* e) {
  return e && e->base.elemtype == mjOBJ_JOINT &&
         (e->u.joint.type == mjJNT_HINGE || e->u.joint.type == mjJNT_BALL);
}

// The element's file measured angles otherwise than the file being written.
static bool other_angles(const snWriter* w, const snElement* e) {
  return e && e->source && e->source->compiler.degree != w->spec->pub.compiler.degree;
}

static bool other_turns(const snWriter* w, const snElement* e) {
  return other_angles(w, e) ||
         (e && e->source &&
          memcmp(e->source->compiler.eulerseq, w->spec->pub.compiler.eulerseq, 3));
}

static bool is_angle(const snTagAttr* a, const snElement* e) {
  if (!is_hinge_or_ball(e)) return false;
  if (!strcmp(a->name, "range")) return e->u.joint.limited != mjLIMITED_FALSE;
  return e->u.joint.type == mjJNT_HINGE &&
         (!strcmp(a->name, "ref") || !strcmp(a->name, "springref"));
}

static void write_doubles(snWriter* w, const snTagAttr* a, const double* value,
                          const double* normal, const snElement* e) {
  int n = a->most;
  bool convert = other_angles(w, e) && is_angle(a, e);
  if (isnan(value[0]) && (!normal || isnan(normal[0]))) return;
  if (!convert && normal && !memcmp(value, normal, n * sizeof(double))) return;
  // shorter where the rest is as it would be anyway
  bool whole = !strcmp(a->name, "springlength");  // one number would mean both
  while (!whole && n > a->least && n > 1 && normal && value[n - 1] == normal[n - 1]) n--;
  if (!convert) {
    text_doubles(&w->text, a->name, value, n);
    return;
  }
  double turned[2];
  double factor = w->spec->pub.compiler.degree ? 180 / mjPI : mjPI / 180;
  for (int i = 0; i < n && i < 2; i++) turned[i] = value[i] * factor;
  text_doubles(&w->text, a->name, turned, n);
}

static void write_floats(snWriter* w, const snTagAttr* a, const float* value, const float* normal) {
  if (isnan(value[0]) || (normal && !memcmp(value, normal, a->most * sizeof(float)))) return;
  text_floats(&w->text, a->name, value, a->most);
}

// The quaternion, or the other form in use; another file's angles become a quaternion.
static void write_orientation(snWriter* w, const snTagAttr* a, const mjsOrientation* alt,
                              const mjsOrientation* normal, const snElement* e) {
  if ((int)alt->type != a->keys[0].value || other_turns(w, e)) return;
  const double *value, *usual;
  switch (alt->type) {
    case mjORIENTATION_AXISANGLE:
      value = alt->axisangle;
      usual = normal->axisangle;
      break;
    case mjORIENTATION_XYAXES:
      value = alt->xyaxes;
      usual = normal->xyaxes;
      break;
    case mjORIENTATION_ZAXIS:
      value = alt->zaxis;
      usual = normal->zaxis;
      break;
    default:
      value = alt->euler;
      usual = normal->euler;
  }
  if (normal->type == alt->type && !memcmp(value, usual, a->most * sizeof(double))) return;
  text_doubles(&w->text, a->name, value, a->most);
}

static const mjsOrientation* orientation_of(const snTag* tag, const void* value) {
  for (int i = 0; i < tag->nattribute; i++) {
    if (tag->attributes[i].type == snVALUE_ORIENT) {
      return (const mjsOrientation*)((const char*)value + tag->attributes[i].offset);
    }
  }
  return NULL;
}

// As axis and angle: a quaternion would not undo another form that the class has.
static void write_turn(snWriter* w, const double quat[4]) {
  double turn[4] = {quat[1], quat[2], quat[3], 0};
  double sine = mju_normalize3(turn);
  turn[3] = 2 * sn_atan2(sine, quat[0]) * (w->spec->pub.compiler.degree ? 180 / mjPI : 1);
  text_doubles(&w->text, "axisangle", turn, 4);
}

static void write_quat(snWriter* w, const snTag* tag, const snTagAttr* a, const void* value,
                       const void* defaults, const snElement* e) {
  const double* quat = (const double*)((const char*)value + a->offset);
  const double* normal = defaults ? (const double*)((const char*)defaults + a->offset) : NULL;
  const mjsOrientation* alt = orientation_of(tag, value);
  const mjsOrientation* usual = defaults ? orientation_of(tag, defaults) : NULL;
  bool undo = usual && usual->type != mjORIENTATION_QUAT;
  double resolved[4];
  if (alt && alt->type != mjORIENTATION_QUAT) {
    if (!other_turns(w, e)) return;
    const mjsCompiler* c = &e->source->compiler;
    mjs_resolveOrientation(resolved, c->degree, c->eulerseq, alt);
    quat = resolved;
    normal = NULL;
  }
  if (undo) {
    write_turn(w, quat);
  } else {
    write_doubles(w, a, quat, normal, e);
  }
}

static void write_vector(snWriter* w, const snTagAttr* a, const void* vec, const void* normal) {
  const snVec *v = vec, *u = normal;
  size_t bytes = v ? (size_t)(v->end - v->begin) : 0;
  if (!bytes) {
    // an empty list would be that of the class
    const double zero = 0;
    if (u && u->end > u->begin && a->type == snVALUE_DOUBLES)
      text_doubles(&w->text, a->name, &zero, 1);
    return;
  }
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
    text_put(&w->text, strings_at(v, i));
  }
  text_put(&w->text, "\"");
}

static void write_value(snWriter* w, const snTag* tag, const snTagAttr* a, const void* value,
                        const void* normal, const snElement* e) {
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
      if (!strcmp(a->name, "quat")) {
        write_quat(w, tag, a, value, always ? NULL : normal, e);
      } else {
        write_doubles(w, a, field, usual, e);
      }
      break;
    case snVALUE_FLOAT:
      write_floats(w, a, field, usual);
      break;
    case snVALUE_KEY:
      if (!usual || *(const int*)field != *(const int*)usual)
        word = table_keyword(a->keys, *(const int*)field);
      break;
    case snVALUE_BYTE:
      if (!usual || *(const mjtByte*)field != *(const mjtByte*)usual) {
        word = table_keyword(a->keys, *(const mjtByte*)field);
      }
      break;
    case snVALUE_KEYNUM:
      if (!usual || *(const mjtNum*)field != *(const mjtNum*)usual) {
        word = table_keyword(a->keys, (int)*(const mjtNum*)field);
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
    case snVALUE_ORIENT:
      write_orientation(w, a, field, usual, e);
      break;
    case snVALUE_NAME:
    case snVALUE_CLASS:
      break;
  }
  if (word) text_string(&w->text, a->name, word);
}

void write_values(snWriter* w, const snTag* tag, const void* value, const void* normal,
                  const snElement* e) {
  for (int i = 0; i < tag->nattribute; i++) {
    const snTagAttr* a = tag->attributes + i;
    if (!(a->where & tag->mask) || (a->flags & (snATTR_CODE | snATTR_NOWRITE))) continue;
    write_value(w, tag, a, value, normal, e);
  }
}

void write_identity(snWriter* w, const snElement* e, const snElement* in_force) {
  if (string_size(&e->name)) text_string(&w->text, "name", string_text(&e->name));
  if (e->def && e->def != in_force) text_string(&w->text, "class", string_text(&e->def->name));
}

void write_plugin_attributes(snWriter* w, const mjsPlugin* p) {
  if (!string_empty(p->plugin_name)) text_string(&w->text, "plugin", string_text(p->plugin_name));
  if (!string_empty(p->name)) text_string(&w->text, "instance", string_text(p->name));
}

void write_config(snWriter* w, const mjsPlugin* p) {
  if (!string_empty(p->name) || !p->element) return;
  const snElement* e = element_of(p->element);
  if (e->base.elemtype != mjOBJ_PLUGIN) return;
  for (int i = 0; i < e->nattribute; i++) {
    text_open(&w->text, "config");
    text_string(&w->text, "key", string_text(&e->attribute[i].key));
    text_string(&w->text, "value", string_text(&e->attribute[i].value));
    text_close(&w->text, "config");
  }
}

void write_plugin(snWriter* w, const mjsPlugin* p) {
  if (!p->active) return;
  text_open(&w->text, "plugin");
  write_plugin_attributes(w, p);
  write_config(w, p);
  text_close(&w->text, "plugin");
}
