// Keyframes across attachments. The vectors of a keyframe follow the layout of its model, which an
// attachment changes; so they are split into the numbers of each joint, actuator and mocap body,
// and the compiler puts them together again.
#include <stdlib.h>
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

int key_part_size(const snKeyPart* part) {
  switch (part->kind) {
    case snKEY_QPOS:
      return joint_nq(part->element);
    case snKEY_QVEL:
      return joint_nv(part->element);
    case snKEY_ACT:
      return actuator_na(part->element);
    case snKEY_CTRL:
      return 1;
    case snKEY_MPOS:
      return 3;
    default:
      return 4;
  }
}

static const mjDoubleVec* key_vector(const mjsKey* k, int kind) {
  const mjDoubleVec* all[snNKEY] = {k->qpos, k->qvel, k->act, k->ctrl, k->mpos, k->mquat};
  return all[kind];
}

static bool add_part(snElement* key, snElement* e, int kind, const double* value) {
  snKeyPart* grown = realloc(key->part, (size_t)(key->npart + 1) * sizeof *grown);
  if (!grown) return false;
  key->part = grown;
  snKeyPart* p = &grown[key->npart++];
  p->element = e;
  p->kind = kind;
  int n = key_part_size(p);
  p->value = malloc((size_t)(n + 1) * sizeof *p->value);
  if (!p->value) return false;
  memcpy(p->value, value, (size_t)n * sizeof *value);
  return true;
}

// An element leaves the spec: so do its numbers in keyframes.
void keys_forget(snSpec* spec, const snElement* e) {
  for (int k = 0; k < spec->list[mjOBJ_KEY].n; k++) {
    snElement* key = spec->list[mjOBJ_KEY].item[k];
    int kept = 0;
    for (int i = 0; i < key->npart; i++) {
      if (key->part[i].element == e) {
        free(key->part[i].value);
      } else {
        key->part[kept++] = key->part[i];
      }
    }
    key->npart = kept;
  }
}

void key_free_parts(snElement* key) {
  for (int i = 0; i < key->npart; i++) free(key->part[i].value);
  free(key->part);
  key->part = NULL;
  key->npart = 0;
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

// A vector that does not fit the layout of now is left as it is: it was written for the layout to
// come, and the compiler checks it.
bool keys_split(snSpec* spec) {
  bool done = true;
  for (int kind = 0; done && kind < snNKEY && spec->list[mjOBJ_KEY].n; kind++) {
    snList owners = {0};
    done = gather(spec, spec->world, kind, &owners);
    int total = 0;
    for (int i = 0; i < owners.n; i++) {
      total += key_part_size(&(snKeyPart){.element = owners.item[i], .kind = kind});
    }
    for (int k = 0; done && k < spec->list[mjOBJ_KEY].n; k++) {
      snElement* key = spec->list[mjOBJ_KEY].item[k];
      const mjDoubleVec* vector = key_vector(&key->u.key, kind);
      if (doubles_count(vector) != total || !total) continue;
      const double* at = doubles_data(vector);
      for (int i = 0; done && i < owners.n; i++) {
        done = add_part(key, owners.item[i], kind, at);
        at += key_part_size(&(snKeyPart){.element = owners.item[i], .kind = kind});
      }
      ((snVec*)vector)->end = ((snVec*)vector)->begin;
    }
    memory_free(owners.item);
  }
  return done;
}

// The child's keyframes join the parent's, with the parts of what came along.
bool keys_take(snList* keys, snSpec* to, snSpec* from, const char* prefix, const char* suffix) {
  // they come behind those that the parent asks for by number
  while (from->list[mjOBJ_KEY].n && keys->n < to->pub.nkey) {
    if (!mjs_addKey(&to->pub)) return false;
  }
  for (int k = 0; k < from->list[mjOBJ_KEY].n; k++) {
    snElement* key = from->list[mjOBJ_KEY].item[k];
    size_t n = strlen(prefix) + string_size(&key->name) + strlen(suffix);
    char* name = malloc(n + 1);
    if (!name) return false;
    strcpy(name, prefix);
    strcat(name, string_text(&key->name));
    strcat(name, suffix);
    bool known = spec_find(to, mjOBJ_KEY, name) != NULL;
    if (known) spec_error(to, "repeated name '%s' in key", name);
    snElement* copy = known ? NULL : element_make(to, mjOBJ_KEY);
    bool done = copy && string_set(&copy->name, name, strlen(name)) && list_append(keys, copy) &&
                spec_name_add(to, copy);
    free(name);
    if (!done) return false;
    copy->id = keys->n - 1;
    copy->u.key.time = key->u.key.time;
    for (int i = 0; i < key->npart; i++) {
      const snKeyPart* p = &key->part[i];
      // moved elements are in the target themselves, copied ones have twins there
      snElement* e = p->element->spec == to ? p->element
                     : p->element->mark     ? p->element->twin
                                            : NULL;
      if (e && e->spec == to && !add_part(copy, e, p->kind, p->value)) return false;
    }
  }
  return true;
}

void keys_follow(snSpec* spec) {
  for (int k = 0; k < spec->list[mjOBJ_KEY].n; k++) {
    snElement* key = spec->list[mjOBJ_KEY].item[k];
    for (int i = 0; i < key->npart; i++) {
      snElement* e = key->part[i].element;
      if (e->mark && e->twin) key->part[i].element = e->twin;
    }
  }
}

bool key_copy_parts(snElement* to, const snElement* from) {
  for (int i = 0; i < from->npart; i++) {
    const snKeyPart* p = &from->part[i];
    if (p->element->twin && !add_part(to, p->element->twin, p->kind, p->value)) return false;
  }
  return true;
}
