// What holds for every spec between two calls of the interface, asserted in checked builds after
// each call that moves, copies or removes elements. An edit that leaves a pointer behind is found
// in the call that left it, not in the one that follows the pointer.
//
//   lists    an element stands in the list of its parent, in no other, and knows its spec
//   frames   the frame around an element is on the same body; the list of frames has each once
//   names    every name is found in the table, elements of one name in a chain from there
//   links    classes, plugin instances and parts of keyframes lead to elements of the spec that are
//            not deleted
//   passes   marks are zero: a pass that was refused has cleaned up
#include "base/assert.h"
#include "spec/private.h"

#ifdef SN_CHECKED

// Beyond so many elements a check after every call would make a program of many edits quadratic.
static const size_t kMostElements = 5000;

static void check_list(const snList* list) {
  SN_ASSERT(list->n >= 0 && list->n <= list->capacity);
  SN_ASSERT(!list->n || list->item);
}

// From the table's entry of its name, along the chain of that name.
static void check_name(const snSpec* spec, const snElement* e) {
  SN_ASSERT(!e->behind || (e->behind->before == e && e->behind->hash == e->hash));
  const snElement* first = e;
  while (first->before) first = first->before;
  size_t mask = (size_t)spec->names_capacity - 1, k = (size_t)(e->hash >> 1) & mask;
  while (spec->names[k] && spec->names[k] != first) k = (k + 1) & mask;
  SN_ASSERT(spec->names[k] == first);
}

static void check_key(const snSpec* spec, const snElement* key) {
  SN_ASSERT(key->npart >= 0 && key->nfresh == 0 && key->npart <= key->part_capacity);
  for (int i = 0; i < key->npart; i++) {
    const snElement* e = key->part[i].element;
    SN_ASSERT(e->spec == spec && !e->deleted);
  }
}

static void check_element(const snSpec* spec, const snElement* e, const snElement* parent) {
  SN_ASSERT(e->spec == spec && e->parent == parent && !e->deleted && !e->mark);
  SN_ASSERT(e->u.body.element == &e->base);  // the public struct leads back
  SN_ASSERT(!e->frame || (e->frame->parent == parent && e->frame->spec == spec));
  SN_ASSERT(!e->def || (e->def->spec == spec && !e->def->deleted && e->def->class));
  const mjsPlugin* plugin = element_plugin(e);
  const snElement* instance = plugin && plugin->element ? element_of(plugin->element) : NULL;
  SN_ASSERT(!instance || (instance->spec == spec && !instance->deleted));
  if (e->hash) check_name(spec, e);
  if (e->base.elemtype == mjOBJ_KEY) check_key(spec, e);
}

static int count_frames(const snSpec* spec, const snElement* body) {
  int frames = body->child[snCHILD_FRAME].n;
  for (int k = 0; k < snNCHILD; k++) {
    check_list(&body->child[k]);
    for (int i = 0; i < body->child[k].n; i++) {
      const snElement* e = body->child[k].item[i];
      SN_ASSERT(child_slot(e->base.elemtype) == k);
      check_element(spec, e, body);
      if (k == snCHILD_BODY) frames += count_frames(spec, e);
    }
  }
  return frames;
}

static void check_class(const snSpec* spec, const snElement* owner, const snElement* parent) {
  check_element(spec, owner, parent);
  for (int i = 0; i < snNCLASS; i++) {
    const snElement* values = owner->class[i];
    SN_ASSERT(class_slot(values->base.elemtype) == i && values->def == owner);
  }
  const snList* below = &owner->child[snCHILD_CLASS];
  check_list(below);
  for (int i = 0; i < below->n; i++) check_class(spec, below->item[i], owner);
}

static void check_tables(const snSpec* spec) {
  int capacity = spec->names_capacity;
  SN_ASSERT(capacity > 0 && (capacity & (capacity - 1)) == 0 && 2 * spec->nnames <= capacity);
  int names = 0;
  for (int i = 0; i < capacity; i++) names += spec->names[i] != NULL;
  SN_ASSERT(names == spec->nnames);
  check_list(&spec->frames);
  for (int i = 0; i < spec->frames.n; i++) SN_ASSERT(spec->frames.item[i]->spec == spec);
  SN_ASSERT(!spec->doomed);  // whoever was to leave has left
}

void spec_check(const snSpec* spec) {
  if (spec->nelement > kMostElements) return;
  check_tables(spec);
  SN_ASSERT(spec->world->spec == spec && !spec->world->parent);
  SN_ASSERT(count_frames(spec, spec->world) == spec->frames.n);
  check_class(spec, spec->main, NULL);
  for (int k = 0; k < mjNOBJECT; k++) {
    const snList* list = &spec->list[k];
    check_list(list);
    for (int i = 0; i < list->n; i++) {
      const snElement* e = list->item[i];
      SN_ASSERT(e->base.elemtype == (mjtObj)k && e->id < list->n);
      check_element(spec, e, NULL);
      for (int w = 0; k == mjOBJ_TENDON && w < e->child[snCHILD_WRAP].n; w++) {
        check_element(spec, e->child[snCHILD_WRAP].item[w], e);
      }
    }
  }
}

#else

void spec_check(const snSpec* spec) { (void)spec; }

#endif
