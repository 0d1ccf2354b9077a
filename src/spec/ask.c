// sn_ask: adds the <custom> texts with names "sinew:..." by which a model asks for features of
// Sinew (sinew/ask.h), so that programs and MJCF files use one mechanism.
//
// A model that asks may be attached to another one, and names get a prefix and a suffix:
// "left/sinew:friction", "sinew:stiffness0" of a replica. What it asks for holds for the whole
// model, and numbers of its geoms join those of the others (spec_gather_asked).
#include <sinew/ask.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "spec/spec.h"

int sn_ask(mjSpec* s, const char* name, const char* value) {
  if (!s || !name || !value) {
    mju_error("sn_ask: expected a spec, a name and a value; one of them is NULL");
    return 0;
  }
  char full[64];
  snprintf(full, sizeof full, "sinew:%s", name);
  mjsElement* e = mjs_findElement(s, mjOBJ_TEXT, full);
  mjsText* text = e ? mjs_asText(e) : mjs_addText(s);
  if (!text) return 0;
  if (!e) mjs_setString(mjs_getName(text->element), full);
  mjs_setString(text->data, value);
  return 1;
}

static const char kOurs[] = "sinew:";

static bool ends_with(const char* text, const char* end) {
  size_t n = strlen(text), k = strlen(end);
  return n >= k && !strcmp(text + n - k, end);
}

// The name of the tuple without prefix and suffix, into `plain`. A suffix is one that its geoms
// have too.
static bool plain_tuple(const snElement* e, const char* ours, char* plain, size_t room) {
  const mjsTuple* tuple = &e->u.tuple;
  for (int k = 0; k < ASKED_TUPLES; k++) {
    size_t n = strlen(asked_tuple_kind[k].name);
    const char *name = ours + strlen(kOurs), *suffix = name + n;
    if (strncmp(name, asked_tuple_kind[k].name, n)) continue;
    for (int i = 0; i < strings_count(tuple->objname); i++) {
      if (!ends_with(strings_at(tuple->objname, i), suffix)) return false;
    }
    snprintf(plain, room, "%s%s", kOurs, asked_tuple_kind[k].name);
    return true;
  }
  return false;
}

// The numbers of `from` behind those of `to`.
static bool join_tuples(snElement* to, const snElement* from) {
  mjsTuple* t = &to->u.tuple;
  const mjsTuple* f = &from->u.tuple;
  int n = strings_count(f->objname);
  if (ints_count(f->objtype) < n || doubles_count(f->objprm) < n ||
      ints_count(t->objtype) != strings_count(t->objname) ||
      doubles_count(t->objprm) != strings_count(t->objname)) {
    return true;  // the compiler says what is wrong with them
  }
  for (int i = 0; i < n; i++) mjs_appendString(t->objname, strings_at(f->objname, i));
  return strings_count(t->objname) == ints_count(t->objtype) + n &&
         vec_append((snSpecVec*)t->objtype, ints_data(f->objtype), sizeof(int) * (size_t)n) &&
         vec_append((snSpecVec*)t->objprm, doubles_data(f->objprm), sizeof(double) * (size_t)n);
}

static bool gather(snSpec* spec, snElement* e, snFault* fault) {
  const char *name = string_text(&e->name), *ours = strstr(name, kOurs);
  mjtObj type = e->base.elemtype;
  char plain[100], aside[300];
  if (!ours) return true;
  if (type == mjOBJ_TUPLE ? !plain_tuple(e, ours, plain, sizeof plain) : ours == name) return true;
  if (type == mjOBJ_TEXT) snprintf(plain, sizeof plain, "%s", ours);
  snElement* first = spec_find(spec, type, plain);
  if (first == e) return true;
  if (!first) return spec_name_set(e, plain);
  if (type == mjOBJ_TEXT) {
    if (string_is(e->u.text.data, string_text(first->u.text.data))) return true;
    return fault_raise(fault, "text '%s' is '%s', text '%s' is '%s': expected the same", name,
                       string_text(e->u.text.data), plain, string_text(first->u.text.data));
  }
  if (!join_tuples(first, e)) return false;
  snprintf(aside, sizeof aside, "(%.250s)", name);  // no longer a name of ours
  return spec_name_set(e, aside);
}

bool spec_gather_asked(snSpec* spec, snFault* fault) {
  static const mjtObj kType[] = {mjOBJ_TEXT, mjOBJ_TUPLE};
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < spec->list[kType[k]].n; i++) {
      if (!gather(spec, spec->list[kType[k]].item[i], fault)) return false;
    }
  }
  return true;
}
