// Attaching a subtree of one spec to another, or to the same one: what is in the subtree, what
// refers to it, and what it refers to come along under names of their own.
//
// First everything that comes is marked, then copied (or moved, for a shallow attachment), with
// references rewritten while the old names still stand, and last renamed.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/private.h"

typedef struct {
  snSpec *to, *from;
  const char *prefix, *suffix;
  const snSource* source;  // settings of the child, when it is another spec
  int first;               // where those of what the child itself has attached begin in to->source
  bool same;               // to == from
  bool move;
  snList trees;   // roots that were copied or moved
  snList listed;  // elements outside the tree that were copied or moved
} Attach;

// ---- marking
static void clear_marks(snElement* body) {
  body->mark = 0;
  for (int k = 0; k < snNCHILD; k++) {
    for (int i = 0; i < body->child[k].n; i++) {
      snElement* e = body->child[k].item[i];
      e->mark = 0;
      e->twin = NULL;
      if (k == snCHILD_BODY) clear_marks(e);
    }
  }
}

static void mark_body(snElement* body) {
  body->mark = 1;
  for (int k = 0; k < snNCHILD; k++) {
    for (int i = 0; i < body->child[k].n; i++) {
      snElement* e = body->child[k].item[i];
      e->mark = 1;
      if (k == snCHILD_BODY) mark_body(e);
    }
  }
}

static bool inside(const snElement* e, const snElement* frame) {
  for (const snElement* f = e->frame; f; f = f->frame) {
    if (f == frame) return true;
  }
  return false;
}

// A frame with all in it; NULL stands for everything on the body.
static void mark_frame(snElement* body, const snElement* frame) {
  for (int k = 0; k < snNCHILD; k++) {
    for (int i = 0; i < body->child[k].n; i++) {
      snElement* e = body->child[k].item[i];
      if (frame && e != frame && !inside(e, frame)) continue;
      e->mark = 1;
      if (k == snCHILD_BODY) mark_body(e);
    }
  }
}

static bool is_asset(mjtObj type) {
  return type == mjOBJ_MESH || type == mjOBJ_TEXTURE || type == mjOBJ_MATERIAL ||
         type == mjOBJ_HFIELD || type == mjOBJ_PLUGIN;
}

typedef struct {
  const Attach* a;
  const snElement* by;
  int nth;  // name of the element
  bool any, missing, outside;
  bool last;  // the name before this one was outside
} Look;

// The child's world does not come along: what excludes it, or measures from it, takes the new one.
static bool takes_world(const Look* l) {
  mjtObj type = l->by->base.elemtype;
  return l->a->same || type == mjOBJ_EXCLUDE || (type == mjOBJ_SENSOR && l->nth == 1);
}

// A pair, exclude, tendon or sensor may go from the child to what the new model has already.
static bool goes_outside(const Look* l, mjtObj type, const snString* name) {
  mjtObj by = l->by->base.elemtype;
  if (l->a->same || child_slot(type) < 0) return false;
  if (by != mjOBJ_PAIR && by != mjOBJ_EXCLUDE && by != mjOBJ_TENDON && by != mjOBJ_SENSOR) {
    return false;
  }
  return spec_find(l->a->to, type, string_text(name)) != NULL;
}

static void look(void* context, mjtObj type, snString* name) {
  Look* l = context;
  int nth = l->nth++;
  bool last = l->last;
  l->last = false;
  if (!string_size(name)) return;
  const snElement* e = spec_find(l->a->from, type, string_text(name));
  if (e && e->mark) {
    l->any = true;
  } else if (is_asset(type)) {
    return;
  } else if (e && e == l->a->from->world) {
    l->missing = l->missing || !takes_world(&(Look){.a = l->a, .by = l->by, .nth = nth});
  } else if (goes_outside(l, type, name)) {
    l->outside = l->last = true;
  } else {
    l->missing = true;
  }
  // names of a tendon: material, then object and side site in turn, both on one side
  bool side = l->by->base.elemtype == mjOBJ_TENDON && nth && nth % 2 == 0;
  if (side && last != l->last) l->missing = true;
}

static const mjtObj kReferring[] = {mjOBJ_FLEX,     mjOBJ_SKIN,    mjOBJ_TENDON,
                                    mjOBJ_PAIR,     mjOBJ_EXCLUDE, mjOBJ_EQUALITY,
                                    mjOBJ_ACTUATOR, mjOBJ_SENSOR,  mjOBJ_TUPLE};
enum { NREFERRING = sizeof kReferring / sizeof kReferring[0] };

// The plugin instance that a marked element uses comes with it; instances that nothing uses stay.
static void keep_plugin(Attach* a, snElement* e) {
  const mjsPlugin* plugin = e->mark ? element_plugin(e) : NULL;
  if (!plugin || !plugin->active) return;
  snElement* own = plugin->element ? element_of(plugin->element)
                                   : spec_find(a->from, mjOBJ_PLUGIN, mjs_getString(plugin->name));
  if (own) own->mark = 1;
}

static void keep_plugins(Attach* a, snElement* body) {
  keep_plugin(a, body);
  for (int k = 0; k < snNCHILD; k++) {
    for (int i = 0; i < body->child[k].n; i++) {
      if (k == snCHILD_BODY) {
        keep_plugins(a, body->child[k].item[i]);
      } else {
        keep_plugin(a, body->child[k].item[i]);
      }
    }
  }
}

// Within one spec: what refers to anything marked. From another: what refers to nothing else but
// what is there already.
static void mark_referring(Attach* a) {
  for (int k = 0; k < mjNOBJECT; k++) {
    for (int i = 0; i < a->from->list[k].n; i++) {
      snElement* e = a->from->list[k].item[i];
      e->mark = !a->same && k != mjOBJ_PLUGIN &&
                (is_asset((mjtObj)k) || k == mjOBJ_NUMERIC || k == mjOBJ_TEXT);
      e->twin = NULL;
    }
  }
  for (int k = 0; k < NREFERRING; k++) {
    snList* list = &a->from->list[kReferring[k]];
    for (int i = 0; i < list->n; i++) {
      Look l = {.a = a, .by = list->item[i]};
      element_references(list->item[i], look, &l);
      list->item[i]->mark = a->same ? l.any : !l.missing && (l.any || !l.outside);
    }
  }
  if (a->same) return;
  keep_plugins(a, a->from->world);
  for (int k = 0; k < mjNOBJECT; k++) {
    for (int i = 0; k != mjOBJ_PLUGIN && i < a->from->list[k].n; i++) {
      keep_plugin(a, a->from->list[k].item[i]);
    }
  }
}

// ---- names
static bool rename_text(const Attach* a, snString* name) {
  if (!string_size(name)) return true;
  size_t p = strlen(a->prefix), s = strlen(a->suffix), n = p + string_size(name) + s;
  char* text = malloc(n + 1);
  if (!text) return false;
  memcpy(text, a->prefix, p);
  memcpy(text + p, string_text(name), string_size(name));
  memcpy(text + p + string_size(name), a->suffix, s);
  text[n] = 0;
  bool done = string_set(name, text, n);
  free(text);
  return done;
}

static void rename_reference(void* context, mjtObj type, snString* name) {
  const Attach* a = context;
  if (!string_size(name)) return;
  const snElement* e = spec_find(a->from, type, string_text(name));
  if (e && e->mark) rename_text(a, name);
}

// ---- taking an element over
static const snSource* source_here(const Attach* a, const snSource* source) {
  for (int i = 0; i < a->from->nsource; i++) {
    if (source == a->from->source[i]) return a->to->source[a->first + i];
  }
  return source ? source : a->source;
}

static void take_over(Attach* a, snElement* e, const snElement* original) {
  element_references(e, rename_reference, a);
  mjsPlugin* plugin = element_plugin(e);
  if (plugin && plugin->element && element_of(plugin->element)->twin) {
    plugin->element = &element_of(plugin->element)->twin->base;
  }
  e->spec = a->to;
  if (!a->same) e->source = source_here(a, e->source);
  snElement* def = original->def;
  e->def = !def ? NULL : a->same ? def : def->twin;
  if (!a->same) {
    mjString* childclass = e->base.elemtype == mjOBJ_BODY    ? e->u.body.childclass
                           : e->base.elemtype == mjOBJ_FRAME ? e->u.frame_.childclass
                                                             : NULL;
    // what is added to a body without a class of its own takes the values of the new model
    if (childclass && !string_is(childclass, string_text(&a->from->main->name))) {
      rename_text(a, childclass);
    }
  }
}

static void take_over_body(Attach* a, snElement* e, const snElement* original) {
  take_over(a, e, original);
  for (int k = 0; k < snNCHILD; k++) {
    for (int i = 0; i < e->child[k].n; i++) {
      snElement* child = e->child[k].item[i];
      const snElement* from = original->child[k].item[i];
      if (k == snCHILD_BODY) {
        take_over_body(a, child, from);
      } else {
        take_over(a, child, from);
      }
      if (!a->move && from->frame) child->frame = from->frame->twin;
    }
  }
}

// The old name stands until now, for the references that were looked up by it.
static bool rename_all(Attach* a, snElement* e) {
  if (a->move) {
    spec_name_remove(a->from, e);
    if (e->base.elemtype == mjOBJ_FRAME) list_remove(&a->from->frames, e);
  }
  bool done = rename_text(a, &e->name) && spec_name_add(a->to, e);
  if (e->base.elemtype == mjOBJ_FRAME) done = done && list_append(&a->to->frames, e);
  for (int k = 0; e->base.elemtype == mjOBJ_BODY && k < snNCHILD; k++) {
    for (int i = 0; done && i < e->child[k].n; i++) done = rename_all(a, e->child[k].item[i]);
  }
  return done;
}

// ---- classes and settings of another spec
static bool copy_classes(Attach* a, snElement* from, snElement* parent) {
  snString name;
  string_init(&name);
  bool done = string_set(&name, string_text(&from->name), string_size(&from->name)) &&
              rename_text(a, &name);
  snElement* e = NULL;
  if (done) {
    mjsDefault* known = mjs_findDefault(&a->to->pub, string_text(&name));
    e = known ? element_of(known->element) : class_make(a->to, string_text(&name), parent);
  }
  string_free(&name);
  if (!e) return false;
  for (int i = 0; i < snNCLASS; i++) {
    if (!element_copy_fields(e->class[i], from -> class[i])) return false;
    element_references(e->class[i], rename_reference, a);
  }
  from->twin = e;
  for (int i = 0; i < from->child[snCHILD_CLASS].n; i++) {
    if (!copy_classes(a, from->child[snCHILD_CLASS].item[i], e)) return false;
  }
  return true;
}

// Is there an asset of the new name already, from an earlier attachment of the same child?
static bool already_there(const Attach* a, const snElement* e) {
  snString name;
  string_init(&name);
  bool there = false;
  if (string_set(&name, string_text(&e->name), string_size(&e->name)) && rename_text(a, &name)) {
    there = spec_find(a->to, e->base.elemtype, string_text(&name)) != NULL;
  }
  string_free(&name);
  return there;
}

static bool take_listed(Attach* a) {
  for (int k = 0; k < mjNOBJECT; k++) {
    if (k == mjOBJ_KEY) continue;
    snList* list = &a->from->list[k];
    int n = list->n;
    for (int i = 0; i < n; i++) {
      snElement* e = list->item[i];
      bool asset = is_asset((mjtObj)k) || k == mjOBJ_NUMERIC || k == mjOBJ_TEXT;
      if (!e->mark || (asset && string_size(&e->name) && already_there(a, e))) continue;
      snElement* copy = copy_listed(a->to, e);
      if (!copy || !list_append(&a->listed, copy)) return false;
    }
  }
  for (int i = 0; i < a->listed.n; i++) take_over(a, a->listed.item[i], a->listed.item[i]->twin);
  for (int i = 0; i < a->listed.n; i++) {
    snElement* e = a->listed.item[i];
    if (!rename_text(a, &e->name) || !spec_name_add(a->to, e)) return false;
  }
  return true;
}

// ---- the subtree itself
// One root (body, frame or an element beside them) into body and frame of the target.
static bool take_root(Attach* a, snElement* e, snElement* body, snElement* frame,
                      const snElement* top) {
  snElement* taken = e;
  int slot = child_slot(e->base.elemtype);
  if (a->move) {
    list_remove(&e->parent->child[slot], e);
    if (!list_append(&body->child[slot], e)) return false;
  } else if (slot == snCHILD_BODY) {
    if (!copy_body(a->to, e, body)) return false;
    taken = e->twin;
  } else {
    taken = element_copy(a->to, e);
    if (!taken || !list_append(&body->child[slot], taken)) return false;
  }
  taken->parent = body;
  // frames between the root and the top of what is attached come along
  bool kept = e->frame && e->frame != top && e->frame->mark;
  taken->frame = !kept ? frame : a->move ? e->frame : e->frame->twin;
  return list_append(&a->trees, taken);
}

static bool take_trees(Attach* a) {
  for (int i = 0; i < a->trees.n; i++) {
    snElement* e = a->trees.item[i];
    const snElement* original = a->move ? e : e->twin;
    if (e->base.elemtype == mjOBJ_BODY) {
      take_over_body(a, e, original);
    } else {
      take_over(a, e, original);
    }
  }
  return true;
}

static bool rename_trees(Attach* a) {
  bool done = true;
  for (int i = 0; done && i < a->trees.n; i++) done = rename_all(a, a->trees.item[i]);
  return done;
}

// All elements of `from`'s body that are marked there, frames first so that they have twins.
static bool take_frame(Attach* a, snElement* source, snElement* top, bool with_top, snElement* body,
                       snElement* frame) {
  static const int order[snNCHILD] = {snCHILD_FRAME,  snCHILD_JOINT, snCHILD_GEOM, snCHILD_SITE,
                                      snCHILD_CAMERA, snCHILD_LIGHT, snCHILD_BODY};
  for (int k = 0; k < snNCHILD; k++) {
    // a copy into the same body appends to the list that is walked
    snList* list = &source->child[order[k]];
    int n = list->n;
    snElement** item = memory_alloc((size_t)(n + 1) * sizeof *item);
    if (!item) return false;
    if (n) memcpy(item, list->item, (size_t)n * sizeof *item);
    bool done = true;
    for (int i = 0; done && i < n; i++) {
      snElement* e = item[i];
      if (!e->mark || (e == top && !with_top)) continue;
      if (e->base.elemtype == mjOBJ_JOINT && !body->parent) {
        spec_error(a->to, "joint '%s' cannot be attached to the world", string_text(&e->name));
        done = false;
        break;
      }
      done = take_root(a, e, body, frame, with_top ? NULL : top);
    }
    // an enclosing frame may come later in the list than what it encloses
    for (int i = 0; done && !a->move && i < n; i++) {
      snElement* e = item[i];
      if (!e->mark || (e == top && !with_top) || !e->twin) continue;
      bool kept = e->frame && e->frame->mark && (with_top || e->frame != top);
      if (kept && e->frame->twin) e->twin->frame = e->frame->twin;
    }
    memory_free(item);
    if (!done) return false;
  }
  return true;
}

static void finish(Attach* a) {
  memory_free(a->trees.item);
  memory_free(a->listed.item);
  spec_changed(a->to);
  spec_changed(a->from);
}

// The listed elements that were moved or replicated leave the spec they came from.
static void drop_marked(snSpec* from) {
  for (int k = NREFERRING - 1; k >= 0; k--) {
    snList* list = &from->list[kReferring[k]];
    for (int i = list->n - 1; i >= 0; i--) {
      if (list->item[i]->mark == 1) spec_remove(list->item[i]);
    }
  }
}

static bool remember_child(snSpec* to, snSpec* from) {
  for (int i = 0; i < to->nattached; i++) {
    if (strcmp(string_text(&spec_of(to->attached[i])->modelname), string_text(&from->modelname)) ==
        0)
      return true;
  }
  mjSpec** grown = realloc(to->attached, (size_t)(to->nattached + 1) * sizeof *grown);
  if (!grown) return false;
  to->attached = grown;
  mjSpec* copy = mj_copySpec(&from->pub);
  if (!copy) return false;
  to->attached[to->nattached++] = copy;
  for (int i = 0; i < from->nplugin; i++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(from->plugin[i]);
    if (plugin) mjs_activatePlugin(&to->pub, plugin->name);
  }
  return true;
}

// ---- mjs_attach
static snElement* frame_at_site(snElement* site) {
  mjsFrame* frame =
      mjs_addFrame(&site->parent->u.body, site->frame ? &site->frame->u.frame_ : NULL);
  if (!frame) return NULL;
  memcpy(frame->pos, site->u.site.pos, sizeof frame->pos);
  memcpy(frame->quat, site->u.site.quat, sizeof frame->quat);
  frame->alt = site->u.site.alt;
  return element_of(frame->element);
}

mjsElement* mjs_attach(mjsElement* parent, const mjsElement* child, const char* prefix,
                       const char* suffix) {
  snElement *p = element_of(parent), *c = element_of(child);
  if (!p || !c) {
    mju_error("mjs_attach: %s is missing", p ? "the child" : "the parent");
    return NULL;
  }
  snSpec* to = p->spec;
  mjtObj type = c->base.elemtype;
  if (type != mjOBJ_BODY && type != mjOBJ_FRAME && type != mjOBJ_MODEL) {
    return spec_error(to, "child must be a body, a frame or a model, not a %s", type_name(type));
  }
  if (p->base.elemtype != mjOBJ_BODY && p->base.elemtype != mjOBJ_FRAME &&
      p->base.elemtype != mjOBJ_SITE) {
    return spec_error(to, "parent must be a body, a frame or a site, not a %s",
                      type_name(p->base.elemtype));
  }
  if (p->base.elemtype == mjOBJ_BODY && type == mjOBJ_BODY) {
    return spec_error(to, "a body is attached to a frame or a site, not to a body");
  }
  snSpec* from = c->spec;
  bool whole = c == from->world;  // becomes a body like others; its own spec keeps it
  if (whole && to == from) return spec_error(to, "cannot attach the world body to itself");
  Attach a = {.to = to,
              .from = from,
              .prefix = prefix ? prefix : "",
              .suffix = suffix ? suffix : "",
              .same = to == from,
              .move = to != from && !to->deepcopy && !whole};
  if (a.same && type == mjOBJ_MODEL) return spec_error(to, "cannot attach a model to itself");
  snElement* frame = p->base.elemtype == mjOBJ_FRAME  ? p
                     : p->base.elemtype == mjOBJ_SITE ? frame_at_site(p)
                                                      : NULL;
  snElement* body = frame ? frame->parent : p;
  bool done = body != NULL;
  done = done && keys_split(to);
  if (done && !a.same) {
    a.source = source_make(to, from);
    a.first = to->nsource;
    done = a.source && sources_copy(to, from) && keys_split(from) && remember_child(to, from);
  }
  snElement* result = NULL;
  if (done) {
    clear_marks(from->world);
    if (type == mjOBJ_BODY) {
      mark_body(c);
    } else {
      mark_frame(type == mjOBJ_FRAME ? c->parent : from->world, type == mjOBJ_FRAME ? c : NULL);
    }
    mark_referring(&a);
  }
  if (done && !a.same) done = copy_classes(&a, from->main, to->main);
  // assets and referring elements first: they are looked up under their old names
  if (done) done = take_listed(&a);
  if (done && type == mjOBJ_MODEL) {
    mjsFrame* made = mjs_addFrame(&body->u.body, frame ? &frame->u.frame_ : NULL);
    result = made ? element_of(made->element) : NULL;
    done = result && take_frame(&a, from->world, NULL, false, body, result);
  } else if (done && type == mjOBJ_FRAME) {
    snElement* source = c->parent;
    done = take_frame(&a, source, c, true, body, frame);
    result = a.move ? c : c->twin;
  } else if (done) {
    done = take_root(&a, c, body, frame, NULL);
    result = a.move ? c : c->twin;
    if (done) result->frame = frame;
  }
  if (done && type == mjOBJ_FRAME) result->frame = frame;
  done = done && take_trees(&a) &&
         (a.same || keys_take(&a.to->list[mjOBJ_KEY], to, from, a.prefix, a.suffix)) &&
         rename_trees(&a);
  if (done && a.move) drop_marked(from);
  finish(&a);
  if (!done) {
    if (!to->error[0]) spec_error(to, "mjs_attach: out of memory");
    return NULL;
  }
  return &result->base;
}

// ---- replicate
bool spec_replicate(snElement* body, snElement* frame, snElement* from, int count,
                    const double offset[3], const double euler[3], const char* sep) {
  snSpec* spec = body->spec;
  if (count < 1) {
    spec_error(spec, "replicate: count must be positive, not %d", count);
    return false;
  }
  double pos[3] = {0}, quat[4] = {1, 0, 0, 0};
  const char* sequence = element_compiler(body)->eulerseq;
  char axes[4] = {sequence[0], sequence[1], sequence[2], 0};
  int digits = snprintf(NULL, 0, "%d", count);
  clear_marks(spec->world);
  mark_frame(from->parent, from);
  for (int i = 0; i < count; i++) {
    char suffix[256];
    snprintf(suffix, sizeof suffix, "%s%0*d", sep ? sep : "", digits, i);
    Attach a = {.to = spec, .from = spec, .prefix = "", .suffix = suffix, .same = true};
    if (i == 0) mark_referring(&a);
    mjsFrame* place = mjs_addFrame(&body->u.body, frame ? &frame->u.frame_ : NULL);
    bool done = place != NULL;
    if (done) {
      memcpy(place->pos, pos, sizeof pos);
      memcpy(place->quat, quat, sizeof quat);
      done = take_listed(&a) &&
             take_frame(&a, from->parent, from, false, body, element_of(place->element)) &&
             take_trees(&a) && rename_trees(&a);
    }
    if (done && i == 0) keys_follow(spec);
    // copies are not copied again
    for (int k = 0; k < a.trees.n; k++) a.trees.item[k]->mark = 0;
    for (int k = 0; k < a.listed.n; k++) a.listed.item[k]->mark = 0;
    finish(&a);
    if (!done) {
      if (!spec->error[0]) spec_error(spec, "replicate: out of memory");
      return false;
    }
    double moved[3];
    mju_rotVecQuat(moved, offset, quat);
    for (int k = 0; k < 3; k++) pos[k] += moved[k];
    // replica k is turned by k times the angles, in the model's own sequence of axes
    double k = i + 1;
    mjsOrientation turn = {.type = mjORIENTATION_EULER,
                           .euler = {k * euler[0], k * euler[1], k * euler[2]}};
    mjs_resolveOrientation(quat, 0, axes, &turn);
  }
  drop_marked(spec);
  for (int k = 0; k < snNCHILD; k++) {
    snList* list = &from->parent->child[k];
    for (int i = list->n - 1; i >= 0; i--) {
      if (list->item[i]->mark == 1 && list->item[i] != from) spec_remove(list->item[i]);
    }
  }
  from->mark = 0;
  return true;
}
