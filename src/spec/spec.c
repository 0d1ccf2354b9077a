// A spec as a whole: creation, copy, deletion, its error text, and its names: a hash table of
// (type, name) with open addressing, at most half full, in which elements of equal names are
// chained.
#include <stdio.h>
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
// An entry keeps its hash: a program may write into the string of a name, and the entry is still
// found where it stands.
static uint64_t name_hash(mjtObj type, const char* name) {
  return hash_bytes(name, strlen(name), (uint64_t)type + 1) | 1;
}

static size_t name_slot(const snSpec* spec, uint64_t hash) {
  return (size_t)((hash >> 1) & (uint64_t)(spec->names_capacity - 1));
}

static size_t name_slot_free(const snSpec* spec, uint64_t hash) {
  size_t k = name_slot(spec, hash);
  while (spec->names[k]) k = (k + 1) & (size_t)(spec->names_capacity - 1);
  return k;
}

static bool names_grow(snSpec* spec) {
  int old = spec->names_capacity, capacity = old ? 2 * old : 64;
  snElement** before = spec->names;
  snElement** names = memory_alloc_zero((size_t)capacity * sizeof *names);
  if (!names) return false;
  spec->names = names;
  spec->names_capacity = capacity;
  for (int i = 0; i < old; i++) {
    if (before[i]) names[name_slot_free(spec, before[i]->hash)] = before[i];
  }
  memory_free(before);
  return true;
}

static snElement* name_find(const snSpec* spec, uint64_t hash, mjtObj type, const char* name) {
  size_t mask = (size_t)(spec->names_capacity - 1);
  for (size_t k = name_slot(spec, hash); spec->names && spec->names[k]; k = (k + 1) & mask) {
    snElement* e = spec->names[k];
    bool same = e->hash == hash && e->base.elemtype == type;
    if (same && strcmp(string_text(&e->name), name) == 0) return e;
  }
  return NULL;
}

// One that has the name of another stands in a chain behind it.
bool spec_name_add(snSpec* spec, snElement* e) {
  if (!string_size(&e->name)) return true;
  const char* name = string_text(&e->name);
  uint64_t hash = name_hash(e->base.elemtype, name);
  snElement* first = name_find(spec, hash, e->base.elemtype, name);
  if (first) {
    e->before = first;
    e->behind = first->behind;
    if (e->behind) e->behind->before = e;
    first->behind = e;
  } else {
    if (2 * (spec->nnames + 1) > spec->names_capacity && !names_grow(spec)) return false;
    spec->names[name_slot_free(spec, hash)] = e;
    spec->nnames++;
  }
  e->hash = hash;
  return true;
}

static size_t slot_of(const snSpec* spec, const snElement* e) {
  size_t k = name_slot(spec, e->hash);
  while (spec->names[k] != e) k = (k + 1) & (size_t)(spec->names_capacity - 1);
  return k;
}

// Entries behind the removed one move up, so that probing needs no tombstones.
void spec_name_remove(snSpec* spec, snElement* e) {
  if (!e->hash || !spec->names) return;
  if (e->behind) e->behind->before = e->before;
  if (e->before) {
    e->before->behind = e->behind;
  } else if (e->behind) {
    spec->names[slot_of(spec, e)] = e->behind;
  } else {
    size_t mask = (size_t)(spec->names_capacity - 1), k = slot_of(spec, e);
    spec->names[k] = NULL;
    spec->nnames--;
    for (size_t i = (k + 1) & mask; spec->names[i]; i = (i + 1) & mask) {
      snElement* moved = spec->names[i];
      spec->names[i] = NULL;
      spec->names[name_slot_free(spec, moved->hash)] = moved;
    }
  }
  e->hash = 0;
  e->before = e->behind = NULL;
}

void spec_name_hand(snSpec* spec, const snElement* from, snElement* to) {
  if (to->behind) to->behind->before = to;
  if (to->before) {
    to->before->behind = to;
  } else {
    size_t k = name_slot(spec, to->hash);
    while (spec->names[k] != from) k = (k + 1) & (size_t)(spec->names_capacity - 1);
    spec->names[k] = to;
  }
}

snElement* spec_find(const snSpec* spec, mjtObj type, const char* name) {
  if (type == mjOBJ_XBODY) type = mjOBJ_BODY;
  if (!name || !*name || !spec->names) return NULL;
  return name_find(spec, name_hash(type, name), type, name);
}

// Room is made first, then the name changes: without memory the element keeps the one it has.
bool spec_name_set(snElement* e, const char* name) {
  snSpec* spec = e->spec;
  snString text;
  string_init(&text);
  if (!string_set(&text, name, strlen(name))) return false;
  if (2 * (spec->nnames + 1) > spec->names_capacity && !names_grow(spec)) {
    string_free(&text);
    return false;
  }
  spec_name_remove(spec, e);
  string_free(&e->name);
  e->name = text;
  return spec_name_add(spec, e);
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
  done = done && spec_name_add(spec, e);
  if (!done || (parent && !list_append(&parent->child[snCHILD_CLASS], e))) {
    spec_name_remove(spec, e);
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

// ---- a spec
snSpec* spec_make(void) {
  snSpec* spec = memory_alloc_zero(sizeof *spec);
  if (!spec) return NULL;
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
      !spec_name_set(spec->world, "world")) {
    mj_deleteSpec(&spec->pub);
    return NULL;
  }
  spec->world->id = 0;
  spec->world->def = spec->main;
  return spec;
}

mjSpec* mj_makeSpec(void) {
  snSpec* spec = spec_make();
  if (!spec) mju_error("mj_makeSpec: out of memory");
  return spec ? &spec->pub : NULL;
}

void mj_deleteSpec(mjSpec* s) {
  if (!s) return;
  snSpec* spec = spec_of(s);
  spec->keeps = false;
  memory_free(spec->names);
  spec->names = NULL;
  if (spec->world) element_free_tree(spec->world);
  for (int k = 0; k < mjNOBJECT; k++) {
    for (int i = 0; i < spec->list[k].n; i++) element_free_tree(spec->list[k].item[i]);
    memory_free(spec->list[k].item);
  }
  memory_free(spec->frames.item);
  for (snElement *e = spec->gone, *next; e; e = next) {
    next = e->twin;
    memory_free(e);
  }
  if (spec->main) element_free_tree(spec->main);
  snString* own[6] = {&spec->modelname, &spec->meshdir,      &spec->texturedir,
                      &spec->comment,   &spec->modelfiledir, &spec->element.name};
  for (int i = 0; i < 6; i++) string_free(own[i]);
  for (int i = 0; i < spec->nsource; i++) memory_free(spec->source[i]);
  memory_free(spec->source);
  for (int i = 0; i < spec->nattached; i++) mj_deleteSpec(spec->attached[i]);
  memory_free(spec->attached);
  memory_free(spec->plugin);
  memory_free(spec->confined);
  memory_free(spec);
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
