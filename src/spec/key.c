// Keyframes across attachments. The vectors of a keyframe follow the layout of its model, which an
// attachment changes; so they are split into the numbers of each joint, actuator and mocap body,
// and the compiler puts them together again.
#include <string.h>

#include "spec/private.h"

static int joint_nq(const snElement* e) {
  return e->u.joint.type == mjJNT_FREE ? 7 : e->u.joint.type == mjJNT_BALL ? 4 : 1;
}

static int joint_nv(const snElement* e) {
  return e->u.joint.type == mjJNT_FREE ? 6 : e->u.joint.type == mjJNT_BALL ? 3 : 1;
}

static int actuator_na(const snElement* e) {
  const mjsActuator* a = &e->u.actuator;
  return a->actdim >= 0 ? a->actdim : a->dyntype != mjDYN_NONE;
}

int key_part_size(const snElement* element, int kind) {
  switch (kind) {
    case snKEY_QPOS:
      return joint_nq(element);
    case snKEY_QVEL:
      return joint_nv(element);
    case snKEY_ACT:
      return actuator_na(element);
    case snKEY_CTRL:
      return 1;
    default:
      return !element->u.body.mocap ? 0 : kind == snKEY_MPOS ? 3 : 4;
  }
}

static const mjDoubleVec* key_vector(const mjsKey* k, int kind) {
  const mjDoubleVec* all[snNKEY] = {k->qpos, k->qvel, k->act, k->ctrl, k->mpos, k->mquat};
  return all[kind];
}

// A part behind those that are in force; keys_keep makes it one of them.
static bool add_part(snElement* key, snElement* e, int kind, const double* value, int n) {
  int at = key->npart + key->nfresh;
  if (at == key->part_capacity) {
    int capacity = 2 * at + 8;
    snKeyPart* grown =
        memory_resize(key->part, (size_t)at * sizeof *grown, (size_t)capacity * sizeof *grown);
    if (!grown) return false;
    key->part = grown;
    key->part_capacity = capacity;
  }
  snKeyPart part = {.element = e, .kind = kind, .size = n};
  part.value = memory_alloc((size_t)(n > 0 ? n : 1) * sizeof *part.value);
  if (!part.value) return false;
  if (n > 0) memcpy(part.value, value, (size_t)n * sizeof *value);
  key->part[at] = part;
  key->nfresh++;
  return true;
}

static void key_keep(snElement* key) {
  for (int i = key->npart; i < key->npart + key->nfresh; i++) {
    snSpecVec* vector = (snSpecVec*)key_vector(&key->u.key, key->part[i].kind);
    vector->end = vector->begin;
  }
  key->npart += key->nfresh;
  key->nfresh = 0;
}

void keys_keep(snSpec* spec) {
  for (int k = 0; k < spec->list[mjOBJ_KEY].n; k++) key_keep(spec->list[mjOBJ_KEY].item[k]);
}

void keys_drop(snSpec* spec) {
  for (int k = 0; k < spec->list[mjOBJ_KEY].n; k++) {
    snElement* key = spec->list[mjOBJ_KEY].item[k];
    for (; key->nfresh; key->nfresh--) memory_free(key->part[key->npart + key->nfresh - 1].value);
  }
}

void keys_forget(snSpec* spec, bool (*gone)(const snElement*)) {
  for (int k = 0; k < spec->list[mjOBJ_KEY].n; k++) {
    snElement* key = spec->list[mjOBJ_KEY].item[k];
    int kept = 0;
    for (int i = 0; i < key->npart; i++) {
      if (gone(key->part[i].element)) {
        memory_free(key->part[i].value);
      } else {
        key->part[kept++] = key->part[i];
      }
    }
    key->npart = kept;
  }
}

void key_free_parts(snElement* key) {
  for (int i = 0; i < key->npart + key->nfresh; i++) memory_free(key->part[i].value);
  memory_free(key->part);
  key->part = NULL;
  key->npart = key->nfresh = key->part_capacity = 0;
}

// Every element that owns numbers of one kind, in layout order.
static bool gather(snSpec* spec, snElement* body, int kind, snList* out) {
  if (kind == snKEY_ACT || kind == snKEY_CTRL) {
    snList* list = &spec->list[mjOBJ_ACTUATOR];
    for (int i = 0; i < list->n; i++) {
      if (!list_append(out, list->item[i])) return false;
    }
    return true;
  }
  if (kind == snKEY_MPOS || kind == snKEY_MQUAT) {
    if (body->u.body.mocap && !list_append(out, body)) return false;
  } else {
    for (int i = 0; i < body->child[snCHILD_JOINT].n; i++) {
      if (!list_append(out, body->child[snCHILD_JOINT].item[i])) return false;
    }
  }
  for (int i = 0; i < body->child[snCHILD_BODY].n; i++) {
    if (!gather(spec, body->child[snCHILD_BODY].item[i], kind, out)) return false;
  }
  return true;
}

// More than an int holds, when actuators ask for it.
static double owned(const snList* owners, int kind) {
  double total = 0;
  for (int i = 0; i < owners->n; i++) total += key_part_size(owners->item[i], kind);
  return total;
}

static bool split(snElement* key, const snList* owners, int kind, double total) {
  const mjDoubleVec* vector = key_vector(&key->u.key, kind);
  if (doubles_count(vector) != total || total == 0) return true;
  const double* at = doubles_data(vector);
  for (int i = 0; i < owners->n; i++) {
    int n = key_part_size(owners->item[i], kind);
    if (!add_part(key, owners->item[i], kind, at, n)) return false;
    at += n;
  }
  return true;
}

// A vector that does not fit the layout of now is left as it is: it was written for the layout to
// come, and the compiler checks it.
bool keys_split(snSpec* spec) {
  bool done = true;
  for (int kind = 0; done && kind < snNKEY && spec->list[mjOBJ_KEY].n; kind++) {
    snList owners = {0};
    done = gather(spec, spec->world, kind, &owners);
    double total = owned(&owners, kind);
    for (int k = 0; done && k < spec->list[mjOBJ_KEY].n; k++) {
      done = split(spec->list[mjOBJ_KEY].item[k], &owners, kind, total);
    }
    memory_free(owners.item);
  }
  if (!done) keys_drop(spec);
  return done;
}

// A copy of a key, with the numbers of what was copied, and within one spec of what stays.
static bool take(snSpec* to, const snElement* key, const char* prefix, const char* suffix) {
  snElement* copy = element_add(to, NULL, mjOBJ_KEY, NULL);
  size_t n = strlen(prefix) + string_size(&key->name) + strlen(suffix);
  char* name = copy ? memory_alloc(n + 1) : NULL;
  if (!name) return false;
  strcat(strcat(strcpy(name, prefix), string_text(&key->name)), suffix);
  bool done = spec_name_set(copy, name);
  memory_free(name);
  copy->waits = true;
  copy->u.key.time = key->u.key.time;
  for (int i = 0; done && i < key->npart + key->nfresh; i++) {
    const snKeyPart* p = &key->part[i];
    snElement* e = p->element->mark ? p->element->twin : key->spec == to ? p->element : NULL;
    if (e) done = add_part(copy, e, p->kind, p->value, p->size);
  }
  return done;
}

// Does a key follow the layout of now, so that its copies can have numbers of what is copied?
static bool is_ready(const snElement* key) {
  if (key->waits) return false;
  int split = 0;  // kinds of numbers that are parts
  for (int i = 0; i < key->npart + key->nfresh; i++) split |= 1 << key->part[i].kind;
  for (int kind = 0; kind < snNKEY; kind++) {
    if (!(split & 1 << kind) && doubles_count(key_vector(&key->u.key, kind))) return false;
  }
  return true;
}

// The child's keyframes join the parent's, behind those that the parent asks for by number.
bool keys_take(snSpec* to, snSpec* from, const char* prefix, const char* suffix) {
  const snList* keys = &from->list[mjOBJ_KEY];
  int n = keys->n;
  while (to != from && n && to->list[mjOBJ_KEY].n < to->pub.nkey) {
    if (!element_add(to, NULL, mjOBJ_KEY, NULL)) return false;
  }
  for (int k = 0; k < n; k++) {
    if (to == from && !is_ready(keys->item[k])) continue;
    if (!take(to, keys->item[k], prefix, suffix)) return false;
  }
  return true;
}

int keys_ready(snSpec* spec) {
  snList* keys = &spec->list[mjOBJ_KEY];
  int n = 0;
  for (int k = 0; k < keys->n; k++) {
    snElement* key = keys->item[k];
    if (!is_ready(key)) continue;
    memmove(keys->item + n + 1, keys->item + n, (size_t)(k - n) * sizeof *keys->item);
    keys->item[n++] = key;
  }
  return n;
}

bool keys_copy(snSpec* spec, int n, const char* suffix) {
  for (int k = 0; k < n; k++) {
    spec->list[mjOBJ_KEY].item[k]->waits = true;
    if (!take(spec, spec->list[mjOBJ_KEY].item[k], "", suffix)) return false;
  }
  return true;
}

void keys_follow(snSpec* spec, int first, int last, int mark) {
  for (int k = first; k < last; k++) {
    snElement* key = spec->list[mjOBJ_KEY].item[k];
    for (int i = 0; i < key->npart + key->nfresh; i++) {
      snElement* e = key->part[i].element;
      if (e->mark == mark && e->twin) key->part[i].element = e->twin;
    }
  }
}

bool key_copy_parts(snElement* to, const snElement* from) {
  for (int i = 0; i < from->npart; i++) {
    const snKeyPart* p = &from->part[i];
    if (!add_part(to, p->element->twin, p->kind, p->value, p->size)) return false;
  }
  to->npart += to->nfresh;
  to->nfresh = 0;
  return true;
}
