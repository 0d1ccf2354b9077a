// A spec as a whole: made, copied, deleted; its names and its error.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/private.h"

// ---- errors
void* spec_error(snSpec* spec, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(spec->error, sizeof spec->error, format, args);
  va_end(args);
  spec->warning = false;
  return NULL;
}

void spec_warning(snSpec* spec, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(spec->error, sizeof spec->error, format, args);
  va_end(args);
  spec->warning = true;
}

const char* mjs_getError(mjSpec* s) { return spec_of(s)->error; }

int mjs_isWarning(mjSpec* s) { return spec_of(s)->warning; }

// ---- names: a hash of (type, name), open addressing, at most half full
static size_t name_slot(const snSpec* spec, mjtObj type, const char* name) {
  uint64_t h = hash_bytes(name, strlen(name), (uint64_t)type + 1);
  return (size_t)(h & (uint64_t)(spec->names_capacity - 1));
}

static bool names_grow(snSpec* spec) {
  int old = spec->names_capacity, capacity = old ? 2 * old : 64;
  snElement** before = spec->names;
  snElement** names = memory_alloc_zero((size_t)capacity * sizeof *names);
  if (!names) return false;
  spec->names = names;
  spec->names_capacity = capacity;
  for (int i = 0; i < old; i++) {
    if (!before[i]) continue;
    size_t k = name_slot(spec, before[i]->base.elemtype, string_text(&before[i]->name));
    while (names[k]) k = (k + 1) & (size_t)(capacity - 1);
    names[k] = before[i];
  }
  memory_free(before);
  return true;
}

bool spec_name_add(snSpec* spec, snElement* e) {
  if (!string_size(&e->name)) return true;
  if (2 * (spec->nnames + 1) > spec->names_capacity && !names_grow(spec)) return false;
  size_t k = name_slot(spec, e->base.elemtype, string_text(&e->name));
  while (spec->names[k]) k = (k + 1) & (size_t)(spec->names_capacity - 1);
  spec->names[k] = e;
  spec->nnames++;
  return true;
}

// Entries behind the removed one move up, so that probing needs no tombstones.
void spec_name_remove(snSpec* spec, snElement* e) {
  if (!string_size(&e->name) || !spec->names) return;
  size_t mask = (size_t)(spec->names_capacity - 1);
  size_t k = name_slot(spec, e->base.elemtype, string_text(&e->name));
  for (; spec->names[k] != e; k = (k + 1) & mask) {
    if (!spec->names[k]) return;
  }
  spec->names[k] = NULL;
  spec->nnames--;
  for (size_t i = (k + 1) & mask; spec->names[i]; i = (i + 1) & mask) {
    snElement* moved = spec->names[i];
    spec->names[i] = NULL;
    size_t j = name_slot(spec, moved->base.elemtype, string_text(&moved->name));
    while (spec->names[j]) j = (j + 1) & mask;
    spec->names[j] = moved;
  }
}

snElement* spec_find(const snSpec* spec, mjtObj type, const char* name) {
  if (type == mjOBJ_XBODY) type = mjOBJ_BODY;
  if (!name || !*name || !spec->names) return NULL;
  size_t mask = (size_t)(spec->names_capacity - 1);
  for (size_t k = name_slot(spec, type, name); spec->names[k]; k = (k + 1) & mask) {
    snElement* e = spec->names[k];
    if (e->base.elemtype == type && strcmp(string_text(&e->name), name) == 0) return e;
  }
  return NULL;
}

bool spec_name_set(snElement* e, const char* name) {
  spec_name_remove(e->spec, e);
  return string_set(&e->name, name, strlen(name)) && spec_name_add(e->spec, e);
}

int mjs_setName(mjsElement* element, const char* name) {
  snElement* e = element_of(element);
  if (!e || !name) {
    mju_error("mjs_setName: %s is missing", e ? "the name" : "the element");
    return -1;
  }
  if (e->base.elemtype == mjOBJ_DEFAULT && e != e->spec->main && string_size(&e->name) &&
      mjs_findDefault(&e->spec->pub, name)) {
    spec_error(e->spec, "repeated default class name '%s'", name);
    return -1;
  }
  const snElement* first = spec_find(e->spec, e->base.elemtype, name);
  if (!spec_name_set(e, name)) {
    spec_error(e->spec, "mjs_setName: out of memory");
    return -1;
  }
  if (!first || first == e) return 0;
  spec_error(e->spec, "Error: repeated name '%s' in %s", name, type_name(e->base.elemtype));
  return -1;
}

mjString* mjs_getName(mjsElement* element) { return element ? &element_of(element)->name : NULL; }

// ---- classes
static const mjtObj class_type[snNCLASS] = {
    mjOBJ_JOINT, mjOBJ_GEOM,     mjOBJ_SITE, mjOBJ_CAMERA,   mjOBJ_LIGHT,  mjOBJ_FLEX,
    mjOBJ_MESH,  mjOBJ_MATERIAL, mjOBJ_PAIR, mjOBJ_EQUALITY, mjOBJ_TENDON, mjOBJ_ACTUATOR};

int class_slot(mjtObj type) {
  for (int i = 0; i < snNCLASS; i++) {
    if (class_type[i] == type) return i;
  }
  return -1;
}

// A class starts with the values of its parent.
snElement* class_make(snSpec* spec, const char* name, snElement* parent) {
  snElement* e = element_make(spec, mjOBJ_DEFAULT);
  if (!e) return NULL;
  e->class = memory_alloc_zero(snNCLASS * sizeof *e->class);
  bool done = e->class && string_set(&e->name, name, strlen(name));
  for (int i = 0; done && i < snNCLASS; i++) {
    e->class[i] = element_make(spec, class_type[i]);
    done = e->class[i] && (!parent || element_copy_fields(e->class[i], parent -> class[i]));
    if (e->class[i]) e->class[i]->def = e;
  }
  e->parent = parent;
  if (!done || (parent && !list_append(&parent->child[snCHILD_CLASS], e))) {
    element_free(e);
    return NULL;
  }
  mjsDefault* d = &e->u.default_;
  d->joint = &e->class[snCLASS_JOINT]->u.joint;
  d->geom = &e->class[snCLASS_GEOM]->u.geom;
  d->site = &e->class[snCLASS_SITE]->u.site;
  d->camera = &e->class[snCLASS_CAMERA]->u.camera;
  d->light = &e->class[snCLASS_LIGHT]->u.light;
  d->flex = &e->class[snCLASS_FLEX]->u.flex;
  d->mesh = &e->class[snCLASS_MESH]->u.mesh;
  d->material = &e->class[snCLASS_MATERIAL]->u.material;
  d->pair = &e->class[snCLASS_PAIR]->u.pair;
  d->equality = &e->class[snCLASS_EQUALITY]->u.equality;
  d->tendon = &e->class[snCLASS_TENDON]->u.tendon;
  d->actuator = &e->class[snCLASS_ACTUATOR]->u.actuator;
  return e;
}

static void class_free(snElement* e) {
  if (!e) return;
  for (int i = 0; i < e->child[snCHILD_CLASS].n; i++) class_free(e->child[snCHILD_CLASS].item[i]);
  element_free(e);
}

// ---- a spec
mjSpec* mj_makeSpec(void) {
  snSpec* spec = memory_alloc_zero(sizeof *spec);
  if (!spec) {
    mju_error("mj_makeSpec: out of memory");
    return NULL;
  }
  mjs_defaultSpec(&spec->pub);
  snElement* e = &spec->element;
  e->base.elemtype = mjOBJ_MODEL;
  e->spec = spec;
  e->id = -1;
  e->u.model = &spec->pub;
  string_init(&e->name);
  spec->pub.element = &e->base;
  snString* own[5] = {&spec->modelname, &spec->meshdir, &spec->texturedir, &spec->comment,
                      &spec->modelfiledir};
  for (int i = 0; i < 5; i++) string_init(own[i]);
  spec->pub.modelname = &spec->modelname;
  spec->pub.meshdir = &spec->meshdir;
  spec->pub.texturedir = &spec->texturedir;
  spec->pub.comment = &spec->comment;
  spec->pub.modelfiledir = &spec->modelfiledir;
  const char* title = "MuJoCo Model";
  spec->main = class_make(spec, "main", NULL);
  spec->world = element_make(spec, mjOBJ_BODY);
  if (!spec->main || !spec->world || !string_set(&spec->modelname, title, strlen(title)) ||
      !string_set(spec->world->u.body.childclass, "main", 4) ||
      mjs_setName(&spec->world->base, "world")) {
    mj_deleteSpec(&spec->pub);
    mju_error("mj_makeSpec: out of memory");
    return NULL;
  }
  spec->world->id = 0;
  spec->world->def = spec->main;
  return &spec->pub;
}

static void body_free(snElement* body) {
  for (int i = 0; i < body->child[snCHILD_BODY].n; i++)
    body_free(body->child[snCHILD_BODY].item[i]);
  for (int k = snCHILD_FRAME; k < snNCHILD; k++) {
    for (int i = 0; i < body->child[k].n; i++) element_free(body->child[k].item[i]);
  }
  element_free(body);
}

static void tendon_free(snElement* tendon) {
  snList* wraps = &tendon->child[snCHILD_WRAP];
  for (int i = 0; i < wraps->n; i++) element_free(wraps->item[i]);
  element_free(tendon);
}

void source_free(snSource* source) {
  if (!source) return;
  free(source->meshdir);
  free(source->texturedir);
  free(source->modelfiledir);
  free(source->confined);
  free(source);
}

void mj_deleteSpec(mjSpec* s) {
  if (!s) return;
  snSpec* spec = spec_of(s);
  spec->keeps = false;
  if (spec->world) body_free(spec->world);
  for (int k = 0; k < mjNOBJECT; k++) {
    for (int i = 0; i < spec->list[k].n; i++) {
      k == mjOBJ_TENDON ? tendon_free(spec->list[k].item[i]) : element_free(spec->list[k].item[i]);
    }
    memory_free(spec->list[k].item);
  }
  memory_free(spec->frames.item);
  for (int i = 0; i < spec->gone.n; i++) memory_free(spec->gone.item[i]);
  memory_free(spec->gone.item);
  class_free(spec->main);
  snString* own[6] = {&spec->modelname, &spec->meshdir,      &spec->texturedir,
                      &spec->comment,   &spec->modelfiledir, &spec->element.name};
  for (int i = 0; i < 6; i++) string_free(own[i]);
  memory_free(spec->names);
  for (int i = 0; i < spec->nsource; i++) source_free(spec->source[i]);
  free(spec->source);
  for (int i = 0; i < spec->nattached; i++) mj_deleteSpec(spec->attached[i]);
  free(spec->attached);
  free(spec->plugin);
  free(spec->confined);
  memory_free(spec);
}

void spec_remove(snElement* e) {
  snSpec* spec = e->spec;
  spec_changed(spec);
  if (e->base.elemtype == mjOBJ_BODY) {
    for (int k = 0; k < snNCHILD; k++) {
      while (e->child[k].n) spec_remove(e->child[k].item[e->child[k].n - 1]);
    }
  }
  if (e->base.elemtype == mjOBJ_DEFAULT) {
    snList* classes = &e->child[snCHILD_CLASS];
    while (classes->n) spec_remove(classes->item[classes->n - 1]);
    if (e->parent) list_remove(&e->parent->child[snCHILD_CLASS], e);
  }
  if (e->base.elemtype == mjOBJ_FRAME) list_remove(&spec->frames, e);
  if (e->base.elemtype == snOBJ_WRAP) {
    list_remove(&e->parent->child[snCHILD_WRAP], e);
    element_free(e);
    return;
  }
  int slot = child_slot(e->base.elemtype);
  spec_name_remove(spec, e);
  keys_forget(spec, e);
  if (slot >= 0) {
    if (e->parent) list_remove(&e->parent->child[slot], e);
  } else if (e->base.elemtype < mjNOBJECT) {
    snList* list = &spec->list[e->base.elemtype];
    list_remove(list, e);
    for (int i = 0; i < list->n; i++) list->item[i]->id = i;
  }
  e->base.elemtype == mjOBJ_TENDON ? tendon_free(e) : element_free(e);
}

int mjs_setDeepCopy(mjSpec* s, int deepcopy) {
  spec_of(s)->deepcopy = deepcopy;
  return 0;
}

mjSpec* mjs_getSpec(mjsElement* element) {
  return element ? &element_of(element)->spec->pub : NULL;
}

mjSpec* mjs_findSpec(mjSpec* s, const char* name) {
  snSpec* spec = spec_of(s);
  if (strcmp(string_text(&spec->modelname), name) == 0) return s;
  for (int i = 0; i < spec->nattached; i++) {
    mjSpec* found = mjs_findSpec(spec->attached[i], name);
    if (found) return found;
  }
  return NULL;
}
