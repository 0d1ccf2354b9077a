// Removal of elements: one element, a body with all that is on it, many at once. Whatever refers
// to a removed element is removed too or loses the reference, as released; removed elements stay
// readable until the spec is deleted, because a program may hold their pointers.
#include "spec/private.h"

static const uint64_t kFrames = (uint64_t)1 << 62, kKeyed = (uint64_t)1 << 63;

// The element and what is on it: marked as deleted, taken out of the table of names.
void spec_doom(snElement* e) {
  snSpec* spec = e->spec;
  mjtObj type = e->base.elemtype;
  e->deleted = true;
  spec_name_remove(spec, e);
  if (type < mjNOBJECT && child_slot(type) < 0) spec->doomed |= (uint64_t)1 << type;
  if (type == mjOBJ_FRAME) spec->doomed |= kFrames;
  if (type == mjOBJ_BODY || type == mjOBJ_JOINT || type == mjOBJ_ACTUATOR) spec->doomed |= kKeyed;
  for (int k = 0; type == mjOBJ_BODY && k < snNCHILD; k++) {
    for (int i = 0; i < e->child[k].n; i++) spec_doom(e->child[k].item[i]);
  }
  for (int i = 0; type == mjOBJ_DEFAULT && i < e->child[snCHILD_CLASS].n; i++) {
    spec_doom(e->child[snCHILD_CLASS].item[i]);
  }
}

// What stays moves up in the list.
static void sweep(snList* list, bool owned) {
  int kept = 0;
  for (int i = 0; i < list->n; i++) {
    if (!list->item[i]->deleted) {
      list->item[kept++] = list->item[i];
    } else if (owned) {
      element_free_tree(list->item[i]);
    }
  }
  list->n = kept;
}

// An element refers to a plugin instance of the spec: no element may keep a reference to an
// instance that is removed.
static void forget_plugin(snElement* e) {
  mjsPlugin* plugin = element_plugin(e);
  if (plugin && plugin->element && element_of(plugin->element)->deleted) plugin->element = NULL;
  for (int k = 0; e->base.elemtype == mjOBJ_BODY && k < snNCHILD; k++) {
    for (int i = 0; i < e->child[k].n; i++) forget_plugin(e->child[k].item[i]);
  }
}

static bool is_deleted(const snElement* e) { return e->deleted; }

void spec_sweep(snSpec* spec, snElement* body) {
  uint64_t doomed = spec->doomed;
  spec->doomed = 0;
  spec_changed(spec);
  if (doomed & kKeyed) keys_forget(spec, is_deleted);
  if (doomed & kFrames) sweep(&spec->frames, false);
  if (doomed & (uint64_t)1 << mjOBJ_PLUGIN) {
    forget_plugin(spec->world);
    for (int k = 0; k < mjNOBJECT; k++) {
      for (int i = 0; i < spec->list[k].n; i++) forget_plugin(spec->list[k].item[i]);
    }
  }
  for (int k = 0; body && k < snNCHILD; k++) sweep(&body->child[k], true);
  for (int k = 0; k < mjNOBJECT; k++) {
    if (!(doomed & (uint64_t)1 << k)) continue;
    snList* list = &spec->list[k];
    sweep(list, true);
    for (int i = 0; i < list->n; i++) list->item[i]->id = i;
  }
}

void spec_remove(snElement* e) {
  snElement* parent = e->parent;
  snSpec* spec = e->spec;
  spec_doom(e);
  if (e->base.elemtype == mjOBJ_DEFAULT || e->base.elemtype == snOBJ_WRAP) {
    sweep(&parent->child[0], true);
    parent = NULL;
  }
  spec_sweep(spec, parent);
}

// ---- deletion: what refers to anything on a deleted body goes with it
static bool is_below(const snElement* e, const snElement* body) {
  for (const snElement* up = e->base.elemtype == mjOBJ_BODY ? e : e->parent; up; up = up->parent) {
    if (up == body) return true;
  }
  return false;
}

typedef struct {
  const snSpec* spec;
  const snElement* body;
  bool found;
} Search;

static void search_body(void* context, mjtObj type, snString* name) {
  Search* s = context;
  if (!string_size(name) || child_slot(type) < 0) {
    // a tendon or anything else that is marked goes, and what refers to it
    const snElement* e = string_size(name) ? spec_find(s->spec, type, string_text(name)) : NULL;
    if (e && e->mark) s->found = true;
    return;
  }
  const snElement* e = spec_find(s->spec, type, string_text(name));
  if (e && is_below(e, s->body)) s->found = true;
}

// Plugin instances of elements on the body leave with it: those of their own, without a name, and
// those that came with an attachment, unless something else uses them.
static void mark_instances(const snSpec* spec, snElement* e, int mark) {
  const mjsPlugin* plugin = element_plugin(e);
  snElement* own = !plugin || !plugin->active ? NULL
                   : plugin->element          ? element_of(plugin->element)
                                     : spec_find(spec, mjOBJ_PLUGIN, string_text(plugin->name));
  if (own && (!string_size(&own->name) || own->source)) own->mark = mark;
  for (int k = 0; e->base.elemtype == mjOBJ_BODY && k < snNCHILD; k++) {
    for (int i = 0; i < e->child[k].n; i++) {
      if (!e->child[k].item[i]->deleted) mark_instances(spec, e->child[k].item[i], mark);
    }
  }
}

static void delete_instances(snSpec* spec, snElement* body) {
  snList* list = &spec->list[mjOBJ_PLUGIN];
  if (!list->n) return;
  mark_instances(spec, body, 1);
  body->deleted = true;  // what is left uses these
  mark_instances(spec, spec->world, 0);
  for (int k = 0; k < mjNOBJECT; k++) {
    for (int i = 0; i < spec->list[k].n; i++) {
      if (!spec->list[k].item[i]->deleted) mark_instances(spec, spec->list[k].item[i], 0);
    }
  }
  body->deleted = false;
  for (int i = 0; i < list->n; i++) {
    if (list->item[i]->mark) spec_doom(list->item[i]);
    list->item[i]->mark = 0;
  }
}

static void delete_references(snSpec* spec, snElement* body) {
  static const mjtObj order[] = {mjOBJ_FLEX,     mjOBJ_SKIN,    mjOBJ_TENDON,
                                 mjOBJ_PAIR,     mjOBJ_EXCLUDE, mjOBJ_EQUALITY,
                                 mjOBJ_ACTUATOR, mjOBJ_SENSOR,  mjOBJ_TUPLE};
  for (int k = 0; k < mjNOBJECT; k++) {
    for (int i = 0; i < spec->list[k].n; i++) spec->list[k].item[i]->mark = 0;
  }
  for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
    snList* list = &spec->list[order[k]];
    for (int i = 0; i < list->n; i++) {
      Search s = {spec, body, false};
      element_references(list->item[i], search_body, &s);
      list->item[i]->mark = s.found;
    }
  }
  for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
    snList* list = &spec->list[order[k]];
    for (int i = list->n - 1; i >= 0; i--) {
      if (!list->item[i]->mark) continue;
      list->item[i]->mark = 0;
      spec_doom(list->item[i]);
    }
  }
}

// In a list of the spec or of a body, unlike the elements that hold the values of a class.
static bool is_placed(const snElement* e) {
  int type = e->base.elemtype;
  if (type >= mjNOBJECT || e->parent || e == e->spec->world) return true;
  const snList* list = &e->spec->list[type];
  for (int i = 0; i < list->n; i++) {
    if (list->item[i] == e) return true;
  }
  return false;
}

int mjs_delete(mjSpec* s, mjsElement* element) {
  snSpec* spec = spec_of(s);
  snElement* e = element_of(element);
  if (!e) {
    spec_error(spec, "there is no element to delete");
    return -1;
  }
  if (e->spec != spec) {
    spec_error(spec, "the element to delete is in another spec");
    return -1;
  }
  if (!is_placed(e)) {
    spec_error(spec, "the values of a default class leave with the class alone");
    return -1;
  }
  if (e == spec->world || e == spec->main || e->base.elemtype == mjOBJ_MODEL) {
    spec_error(spec, "cannot delete %s",
               e == spec->world  ? "the world body"
               : e == spec->main ? "the main default class"
                                 : "the model from itself");
    return -1;
  }
  if (e->base.elemtype == mjOBJ_BODY) {
    if (!keys_split(spec)) {
      spec_error(spec, "mjs_delete: out of memory");
      return -1;
    }
    keys_keep(spec);
    delete_references(spec, e);
    delete_instances(spec, e);
  }
  if (e->base.elemtype == mjOBJ_FRAME) {
    // what was in the frame moves to the frame around it
    for (int k = 0; k < snNCHILD; k++) {
      for (int i = 0; i < e->parent->child[k].n; i++) {
        snElement* child = e->parent->child[k].item[i];
        if (child->frame == e) child->frame = e->frame;
      }
    }
  }
  if (e->base.elemtype == mjOBJ_DEFAULT) return spec_delete_class(spec, e);
  spec_remove(e);
  spec_check(spec);
  return 0;
}

static bool class_is_below(const snElement* e, const snElement* class) {
  for (; e; e = e->parent) {
    if (e == class) return true;
  }
  return false;
}

// elements keep their values; those of a deleted class belong to its parent class from now on
static void reclass(snElement* e, snElement* class) {
  if (e->def && class_is_below(e->def, class)) e->def = class->parent;
  for (int k = 0; e->base.elemtype == mjOBJ_BODY && k < snNCHILD; k++) {
    for (int i = 0; i < e->child[k].n; i++) reclass(e->child[k].item[i], class);
  }
}

int spec_delete_class(snSpec* spec, snElement* class) {
  reclass(spec->world, class);
  for (int k = 0; k < mjNOBJECT; k++) {
    for (int i = 0; i < spec->list[k].n; i++) reclass(spec->list[k].item[i], class);
  }
  spec_remove(class);
  spec_check(spec);
  return 0;
}
