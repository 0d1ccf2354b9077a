// Finding and walking elements (mjs_findElement, mjs_nextElement ...), and the casts from an
// mjsElement to its public struct. Lookups by name use the hash of spec.c; walks go through a
// body's own elements, then depth first through its children, in constant time per step.
#include <string.h>

#include "spec/private.h"

#define CAST(Name, TYPE, member)                                                         \
  mjs##Name* mjs_as##Name(mjsElement* element) {                                         \
    return element && element->elemtype == TYPE ? &element_of(element)->u.member : NULL; \
  }
CAST(Body, mjOBJ_BODY, body)
CAST(Geom, mjOBJ_GEOM, geom)
CAST(Joint, mjOBJ_JOINT, joint)
CAST(Site, mjOBJ_SITE, site)
CAST(Camera, mjOBJ_CAMERA, camera)
CAST(Light, mjOBJ_LIGHT, light)
CAST(Frame, mjOBJ_FRAME, frame_)
CAST(Actuator, mjOBJ_ACTUATOR, actuator)
CAST(Sensor, mjOBJ_SENSOR, sensor)
CAST(Flex, mjOBJ_FLEX, flex)
CAST(Pair, mjOBJ_PAIR, pair)
CAST(Equality, mjOBJ_EQUALITY, equality)
CAST(Exclude, mjOBJ_EXCLUDE, exclude)
CAST(Tendon, mjOBJ_TENDON, tendon)
CAST(Numeric, mjOBJ_NUMERIC, numeric)
CAST(Text, mjOBJ_TEXT, text)
CAST(Tuple, mjOBJ_TUPLE, tuple)
CAST(Key, mjOBJ_KEY, key)
CAST(Mesh, mjOBJ_MESH, mesh)
CAST(HField, mjOBJ_HFIELD, hfield)
CAST(Skin, mjOBJ_SKIN, skin)
CAST(Texture, mjOBJ_TEXTURE, texture)
CAST(Material, mjOBJ_MATERIAL, material)
CAST(Plugin, mjOBJ_PLUGIN, plugin)

// An asset without a name goes by that of its file.
snElement* spec_find_asset(const snSpec* spec, mjtObj type, const char* name) {
  snElement* named = spec_find(spec, type, name);
  bool filed =
      type == mjOBJ_MESH || type == mjOBJ_HFIELD || type == mjOBJ_TEXTURE || type == mjOBJ_SKIN;
  if (named || !name || !filed) return named;
  for (int i = 0; i < spec->list[type].n; i++) {
    snElement* e = spec->list[type].item[i];
    size_t size;
    const char* stem = string_size(&e->name) ? NULL : element_stem(e, &size);
    if (stem && strlen(name) == size && strncmp(stem, name, size) == 0) return e;
  }
  return NULL;
}

mjsElement* mjs_findElement(mjSpec* s, mjtObj type, const char* name) {
  if (type == mjOBJ_DEFAULT) {
    mjsDefault* def = mjs_findDefault(s, name);
    return def ? def->element : NULL;
  }
  snElement* e = spec_find_asset(spec_of(s), type, name);
  return e ? &e->base : NULL;
}

mjsBody* mjs_findBody(mjSpec* s, const char* name) {
  return mjs_asBody(mjs_findElement(s, mjOBJ_BODY, name));
}

mjsFrame* mjs_findFrame(mjSpec* s, const char* name) {
  return mjs_asFrame(mjs_findElement(s, mjOBJ_FRAME, name));
}

// Depth first, the body itself included.
mjsBody* mjs_findChild(mjsBody* body, const char* name) {
  snElement* b = element_of(body->element);
  if (strcmp(string_text(&b->name), name) == 0) return body;
  for (int i = 0; i < b->child[snCHILD_BODY].n; i++) {
    mjsBody* found = mjs_findChild(&b->child[snCHILD_BODY].item[i]->u.body, name);
    if (found) return found;
  }
  return NULL;
}

mjsBody* mjs_getParent(mjsElement* element) {
  snElement* e = element_of(element);
  bool placed = e && child_slot(e->base.elemtype) >= 0 && e->parent;
  return placed ? &e->parent->u.body : NULL;
}

mjsFrame* mjs_getFrame(mjsElement* element) {
  snElement* e = element_of(element);
  return e && e->frame ? &e->frame->u.frame_ : NULL;
}

mjsDefault* mjs_findDefault(mjSpec* s, const char* classname) {
  snElement* e = spec_find(spec_of(s), mjOBJ_DEFAULT, classname);
  return e ? &e->u.default_ : NULL;
}

snElement* body_class(const snElement* body) {
  const mjString* name = body->u.body.childclass;
  if (string_empty(name) || string_is(&body->def->name, string_text(name))) return body->def;
  snElement* found = spec_find(body->spec, mjOBJ_DEFAULT, string_text(name));
  return found ? found : body->def;
}

mjsDefault* mjs_getDefault(mjsElement* element) {
  snElement* e = element_of(element);
  if (!e || !e->def) return NULL;
  return &(e->base.elemtype == mjOBJ_BODY ? body_class(e) : e->def)->u.default_;
}

mjsDefault* mjs_getSpecDefault(mjSpec* s) { return &spec_of(s)->main->u.default_; }

int mjs_getId(mjsElement* element) { return element ? element_of(element)->id : -1; }

// ---- walking: a body's own elements first, then those of its children, depth first
static snElement* first_below(snElement* body, int slot, bool recurse) {
  if (body->child[slot].n) return body->child[slot].item[0];
  if (!recurse) return NULL;
  for (int i = 0; i < body->child[snCHILD_BODY].n; i++) {
    snElement* found = first_below(body->child[snCHILD_BODY].item[i], slot, true);
    if (found) return found;
  }
  return NULL;
}

// Elements remember where they were found: a walk through a list looks at it once.
static int index_in(const snList* list, const snElement* e) {
  if (e->place < list->n && list->item[e->place] == e) return e->place;
  int found = -1;
  for (int i = 0; i < list->n; i++) {
    list->item[i]->place = i;
    if (list->item[i] == e) found = i;
  }
  return found;
}

// The next one after `e` below `root`.
static snElement* next_below(snElement* root, snElement* e, int slot, bool recurse) {
  if (slot == snCHILD_BODY && recurse && e->child[snCHILD_BODY].n) {
    return e->child[snCHILD_BODY].item[0];
  }
  snElement* body = e->parent;
  snList* list = &body->child[slot];
  int i = index_in(list, e);
  if (i >= 0 && i + 1 < list->n) return list->item[i + 1];
  if (!recurse) return NULL;
  if (slot != snCHILD_BODY) {
    for (int k = 0; k < body->child[snCHILD_BODY].n; k++) {
      snElement* found = first_below(body->child[snCHILD_BODY].item[k], slot, true);
      if (found) return found;
    }
  }
  while (body != root) {
    snElement* parent = body->parent;
    int k = index_in(&parent->child[snCHILD_BODY], body);
    for (k++; k < parent->child[snCHILD_BODY].n; k++) {
      snElement* sibling = parent->child[snCHILD_BODY].item[k];
      if (slot == snCHILD_BODY) return sibling;
      snElement* found = first_below(sibling, slot, true);
      if (found) return found;
    }
    body = parent;
  }
  return NULL;
}

mjsElement* mjs_firstChild(mjsBody* body, mjtObj type, int recurse) {
  int slot = child_slot(type);
  if (!body || slot < 0) {
    if (body) spec_error(element_of(body->element)->spec, "bodies have no children of that type");
    return NULL;
  }
  snElement* e = first_below(element_of(body->element), slot, recurse != 0);
  return e ? &e->base : NULL;
}

mjsElement* mjs_nextChild(mjsBody* body, mjsElement* child, int recurse) {
  snElement* e = element_of(child);
  if (!body || !e) return NULL;
  int slot = child_slot(e->base.elemtype);
  if (slot < 0 || !e->parent || !body->element) return NULL;
  snElement* root = element_of(body->element);
  const snElement* up = e->parent;
  while (recurse && up && up != root) up = up->parent;
  if (up != root) {
    return spec_error(root->spec, "the element is not %s the body '%s'", recurse ? "below" : "on",
                      string_text(&root->name));
  }
  snElement* next = next_below(root, e, slot, recurse != 0);
  return next ? &next->base : NULL;
}

mjsElement* mjs_firstElement(mjSpec* s, mjtObj type) {
  snSpec* spec = spec_of(s);
  snElement* e = NULL;
  int slot = child_slot(type);
  if (slot == snCHILD_BODY) {
    e = spec->world;
  } else if (slot >= 0) {
    e = first_below(spec->world, slot, true);
  } else if (type < mjNOBJECT && spec->list[type].n) {
    e = spec->list[type].item[0];
  }
  return e ? &e->base : NULL;
}

mjsElement* mjs_nextElement(mjSpec* s, mjsElement* element) {
  snSpec* spec = spec_of(s);
  snElement* e = element_of(element);
  if (!e || e->spec != spec) return NULL;
  int slot = child_slot(e->base.elemtype);
  snElement* next = NULL;
  if (e == spec->world) {
    next = first_below(e, snCHILD_BODY, false);
  } else if (slot >= 0) {
    if (e->parent) next = next_below(spec->world, e, slot, true);
  } else if (e->base.elemtype < mjNOBJECT) {
    snList* list = &spec->list[e->base.elemtype];
    int i = e->id >= 0 && e->id < list->n && list->item[e->id] == e ? e->id : index_in(list, e);
    if (i >= 0 && i + 1 < list->n) next = list->item[i + 1];
  }
  return next ? &next->base : NULL;
}
