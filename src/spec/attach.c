// Attaching a subtree of one spec to another, or to the same one: what is in the subtree, what
// refers to it, and what it refers to come along under names of their own.
//
// First everything that comes is marked, then copied behind what the target has, with references
// and names rewritten. Until then nothing but the ends of the target's lists has changed, so that a
// refusal cuts them off again. Last, where the child gives its subtree away instead of a copy,
// originals and copies change places (attach_move.c), which cannot fail.
#include <stdio.h>
#include <string.h>

#include "spec/attach.h"

// ---- marking
static void mark_body(snElement* body) {
  body->mark = snCOMES;
  for (int k = 0; k < snNCHILD; k++) {
    for (int i = 0; i < body->child[k].n; i++) {
      snElement* e = body->child[k].item[i];
      e->mark = snCOMES;
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
      e->mark = snCOMES;
      if (k == snCHILD_BODY) mark_body(e);
    }
  }
}

static bool is_asset(mjtObj type) {
  return type == mjOBJ_MESH || type == mjOBJ_TEXTURE || type == mjOBJ_MATERIAL ||
         type == mjOBJ_HFIELD || type == mjOBJ_PLUGIN;
}

typedef struct {
  const snAttach* a;
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

bool attach_refers(mjtObj type) {
  for (int k = 0; k < NREFERRING; k++) {
    if (kReferring[k] == type) return true;
  }
  return false;
}

// The plugin instance that a marked element uses comes with it; instances that nothing uses stay.
static void keep_plugin(snAttach* a, snElement* e) {
  const mjsPlugin* plugin = e->mark ? element_plugin(e) : NULL;
  if (!plugin || !plugin->active) return;
  snElement* own = plugin->element ? element_of(plugin->element)
                                   : spec_find(a->from, mjOBJ_PLUGIN, mjs_getString(plugin->name));
  if (own) own->mark = snCOMES;
}

static void keep_plugins(snAttach* a, snElement* body) {
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
static void mark_referring(snAttach* a) {
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
static bool rename_text(const snAttach* a, snString* name) {
  if (!string_size(name)) return true;
  size_t p = strlen(a->prefix), s = strlen(a->suffix), n = p + string_size(name) + s;
  char* text = memory_alloc(n + 1);
  if (!text) return false;
  memcpy(text, a->prefix, p);
  memcpy(text + p, string_text(name), string_size(name));
  memcpy(text + p + string_size(name), a->suffix, s);
  text[n] = 0;
  bool done = string_set(name, text, n);
  memory_free(text);
  return done;
}

static void rename_reference(void* context, mjtObj type, snString* name) {
  snAttach* a = context;
  if (!string_size(name)) return;
  const snElement* e = spec_find_asset(a->from, type, string_text(name));
  if (e && e->mark == snCOMES && !rename_text(a, name)) a->failed = true;
}

// ---- taking an element over
// The instance that an element uses came along, or one of its name is there.
static void take_plugin(snElement* e) {
  mjsPlugin* plugin = element_plugin(e);
  if (!plugin || !plugin->element) return;
  const snElement* own = element_of(plugin->element);
  plugin->element = own->mark == snCOMES && own->twin ? &own->twin->base : NULL;
}

// A copy, complete but for what it shares with its original: references and class.
static bool take_over(snAttach* a, snElement* e) {
  const snElement* original = e->twin;
  element_references(e, rename_reference, a);
  snElement* def = original->def;
  e->def = !def ? NULL : a->same ? def : def->twin;
  if (a->same) return !a->failed;
  take_plugin(e);
  e->source = e->source ? e->source->twin : a->source;
  mjString* childclass = e->base.elemtype == mjOBJ_BODY    ? e->u.body.childclass
                         : e->base.elemtype == mjOBJ_FRAME ? e->u.frame_.childclass
                                                           : NULL;
  // what is added to a body without a class of its own takes the values of the new model
  bool own = childclass && !string_is(childclass, string_text(&a->from->main->name));
  return !a->failed && (!own || rename_text(a, childclass));
}

static bool take_over_tree(snAttach* a, snElement* e) {
  if (!take_over(a, e)) return false;
  for (int k = 0; e->base.elemtype == mjOBJ_BODY && k < snNCHILD; k++) {
    for (int i = 0; i < e->child[k].n; i++) {
      snElement* child = e->child[k].item[i];
      child->frame = child->twin->frame ? child->twin->frame->twin : NULL;
      if (!take_over_tree(a, child)) return false;
    }
  }
  return true;
}

// An asset without a name gets that of its file, for the prefix to stand before.
static bool name_asset(const snElement* e, snString* name) {
  size_t size = 0;
  const char* stem = string_size(name) ? NULL : element_stem(e, &size);
  return !stem || string_set(name, stem, size);
}

static bool rename_tree(snAttach* a, snElement* e) {
  bool named = a->same || name_asset(e, &e->name);
  if (!named || !rename_text(a, &e->name) || !spec_name_add(a->to, e)) return false;
  if (e->base.elemtype == mjOBJ_FRAME && !list_append(&a->to->frames, e)) return false;
  for (int k = 0; e->base.elemtype == mjOBJ_BODY && k < snNCHILD; k++) {
    for (int i = 0; i < e->child[k].n; i++) {
      if (!rename_tree(a, e->child[k].item[i])) return false;
    }
  }
  return true;
}

// ---- classes of another spec: one that is there already keeps its values
static bool copy_classes(snAttach* a, snElement* from, snElement* parent, bool below) {
  snString name;
  string_init(&name);
  snElement* e = NULL;
  if (string_set(&name, string_text(&from->name), string_size(&from->name)) &&
      rename_text(a, &name)) {
    e = spec_find(a->to, mjOBJ_DEFAULT, string_text(&name));
    if (!e) {
      e = class_make(a->to, string_text(&name), parent);
      for (int i = 0; e && i < snNCLASS; i++) {
        if (!element_copy_fields(e->class[i], from -> class[i])) a->failed = true;
        element_references(e->class[i], rename_reference, a);
      }
      // a refusal takes the topmost new ones away again, with those below them
      if (e && !below && !list_append(&a->classes, e)) {
        spec_remove(e);
        e = NULL;
      }
      below = true;
    } else {
      below = false;
    }
  }
  string_free(&name);
  if (!e || a->failed) return false;
  from->twin = e;
  for (int i = 0; i < from->child[snCHILD_CLASS].n; i++) {
    if (!copy_classes(a, from->child[snCHILD_CLASS].item[i], e, below)) return false;
  }
  return true;
}

// ---- elements outside the tree
// Is there an asset of the new name already, from an earlier attachment of the same child?
static bool already_there(snAttach* a, const snElement* e) {
  snString name;
  string_init(&name);
  bool there = false;
  if (string_set(&name, string_text(&e->name), string_size(&e->name)) && name_asset(e, &name) &&
      rename_text(a, &name)) {
    there = spec_find(a->to, e->base.elemtype, string_text(&name)) != NULL;
  } else {
    a->failed = true;
  }
  string_free(&name);
  return there;
}

static bool copy_marked(snAttach* a) {
  for (int i = 0; i < a->marked.n; i++) {
    snElement* e = a->marked.item[i];
    mjtObj type = e->base.elemtype;
    bool asset = is_asset(type) || type == mjOBJ_NUMERIC || type == mjOBJ_TEXT;
    if (asset && already_there(a, e)) continue;
    if (a->failed || !copy_listed(a->to, e)) return false;
  }
  return true;
}

// ---- the subtree itself
static bool copy_roots(snAttach* a, snElement* body) {
  for (int i = 0; i < a->roots.n; i++) {
    snElement* e = a->roots.item[i];
    int slot = child_slot(e->base.elemtype);
    snElement* copy = slot == snCHILD_BODY ? copy_body(a->to, e) : element_copy(a->to, e);
    if (!copy || !list_append(&body->child[slot], copy)) {
      if (copy) element_free_tree(copy);
      return false;
    }
    copy->parent = body;
  }
  return true;
}

// The frame of a copied root: that of its original if it came along, else the one it is put in.
static snElement* frame_of_root(const snAttach* a, const snElement* original, snElement* frame) {
  const snElement* around = original->frame;
  bool came = around && around != a->top && around->mark == snCOMES;
  return came ? around->twin : frame;
}

// References are looked up by old names: all of them before the first new name stands.
bool attach_copy(snAttach* a, snElement* body, snElement* frame) {
  if (!copy_marked(a) || !copy_roots(a, body)) return false;
  for (int i = 0; i < a->marked.n; i++) {
    snElement* copy = a->marked.item[i]->twin;
    if (copy && !take_over(a, copy)) return false;
  }
  for (int i = 0; i < a->roots.n; i++) {
    snElement* copy = a->roots.item[i]->twin;
    copy->frame = frame_of_root(a, a->roots.item[i], frame);
    if (!take_over_tree(a, copy)) return false;
  }
  for (int i = 0; i < a->marked.n; i++) {
    snElement* copy = a->marked.item[i]->twin;
    if (copy && !rename_tree(a, copy)) return false;
  }
  for (int i = 0; i < a->roots.n; i++) {
    if (!rename_tree(a, a->roots.item[i]->twin)) return false;
  }
  return true;
}

// ---- what comes
static bool mark_listed(snAttach* a) {
  mark_referring(a);
  for (int k = 0; k < mjNOBJECT; k++) {
    for (int i = 0; i < a->from->list[k].n; i++) {
      snElement* e = a->from->list[k].item[i];
      if (e->mark && !list_append(&a->marked, e)) return false;
    }
  }
  return true;
}

// The elements of a body that are marked, frames first, bodies last.
static bool gather_roots(snAttach* a) {
  snElement* body = a->body;
  static const int order[snNCHILD] = {snCHILD_FRAME,  snCHILD_JOINT, snCHILD_GEOM, snCHILD_SITE,
                                      snCHILD_CAMERA, snCHILD_LIGHT, snCHILD_BODY};
  for (int k = 0; k < snNCHILD; k++) {
    for (int i = 0; i < body->child[order[k]].n; i++) {
      snElement* e = body->child[order[k]].item[i];
      if (e->mark && e != a->top && !list_append(&a->roots, e)) return false;
    }
  }
  return true;
}

bool attach_mark(snAttach* a, snElement* child) {
  mjtObj type = child->base.elemtype;
  a->body = type == mjOBJ_MODEL ? a->from->world : child->parent;
  if (type == mjOBJ_BODY) {
    if (!list_append(&a->roots, child)) return false;
    mark_body(child);
    return mark_listed(a);
  }
  mark_frame(a->body, type == mjOBJ_FRAME ? child : NULL);
  return gather_roots(a) && mark_listed(a);
}

static void unmark(snElement* e) {
  e->mark = 0;
  for (int k = 0; e->base.elemtype == mjOBJ_BODY && k < snNCHILD; k++) {
    for (int i = 0; i < e->child[k].n; i++) unmark(e->child[k].item[i]);
  }
}

// Without memory not all that is marked was gathered.
void attach_unmark(snAttach* a) {
  for (int i = 0; i < a->roots.n; i++) unmark(a->roots.item[i]);
  for (int k = 0; a->body && k < snNCHILD; k++) {
    for (int i = 0; i < a->body->child[k].n; i++) {
      if (a->body->child[k].item[i]->mark) unmark(a->body->child[k].item[i]);
    }
  }
  for (int k = 0; k < mjNOBJECT; k++) {
    for (int i = 0; i < a->from->list[k].n; i++) a->from->list[k].item[i]->mark = 0;
  }
}

static size_t count_tree(const snElement* e) {
  size_t n = 1;
  int nlist = !e->child ? 0 : e->base.elemtype == mjOBJ_BODY ? snNCHILD : 1;
  for (int k = 0; k < nlist; k++) {
    for (int i = 0; i < e->child[k].n; i++) n += count_tree(e->child[k].item[i]);
  }
  return n;
}

size_t attach_count(const snAttach* a) {
  size_t n = 0;
  for (int i = 0; i < a->roots.n; i++) n += count_tree(a->roots.item[i]);
  for (int i = 0; i < a->marked.n; i++) n += count_tree(a->marked.item[i]);
  return n;
}

void attach_free(snAttach* a) {
  memory_free(a->roots.item);
  memory_free(a->marked.item);
  memory_free(a->classes.item);
}

// ---- mjs_attach
// How long the lists of the target are: what is behind leaves again after a refusal.
typedef struct {
  int list[mjNOBJECT], child[snNCHILD];
  int frames, nsource, nattached, nplugin;
  uint64_t changes, signature;
} Before;

static Before remember_lengths(const snSpec* to, const snElement* body) {
  Before b = {.frames = to->frames.n,
              .nsource = to->nsource,
              .nattached = to->nattached,
              .nplugin = to->nplugin,
              .changes = to->changes,
              .signature = to->element.base.signature};
  for (int k = 0; k < mjNOBJECT; k++) b.list[k] = to->list[k].n;
  for (int k = 0; k < snNCHILD; k++) b.child[k] = body->child[k].n;
  return b;
}

static void cut(snList* list, int n) {
  while (list->n > n) element_free_tree(list->item[--list->n]);
}

static void roll_back(snAttach* a, snElement* body, const Before* before) {
  snSpec* to = a->to;
  keys_drop(to);
  keys_drop(a->from);
  bool keeps = to->keeps;
  to->keeps = false;  // no program has seen these
  for (int k = 0; k < snNCHILD; k++) cut(&body->child[k], before->child[k]);
  for (int k = 0; k < mjNOBJECT; k++) cut(&to->list[k], before->list[k]);
  for (int i = a->classes.n - 1; i >= 0; i--) spec_remove(a->classes.item[i]);
  to->keeps = keeps;
  to->frames.n = before->frames;
  while (to->nsource > before->nsource) memory_free(to->source[--to->nsource]);
  while (to->nattached > before->nattached) spec_forget_last(to);
  to->nplugin = before->nplugin;
  to->changes = before->changes;
  to->element.base.signature = before->signature;
}

// A copy of the child for mjs_findSpec. It is made before anything is marked: copies of one element
// follow each other as its twin.
static bool remember_child(const snAttach* a) {
  snSpec *to = a->to, *from = a->from;
  for (int i = 0; i < to->nattached; i++) {
    if (string_is(to->attached[i]->modelname, string_text(&from->modelname))) return true;
  }
  return spec_affords(to, (double)from->nelement, "mjs_attach") && spec_remember(to, &from->pub);
}

// Copies of the child's settings and of its classes.
static bool take_settings(snAttach* a) {
  snSpec *to = a->to, *from = a->from;
  a->source = source_make(to, from);
  if (!a->source || !sources_copy(to, from)) return false;
  for (int i = 0; i < from->nplugin; i++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(from->plugin[i]);
    if (plugin && mjs_activatePlugin(&to->pub, plugin->name) != 0) return false;
  }
  return copy_classes(a, from->main, to->main, false);
}

// The place that a parent stands for: a frame on its body, made at a site, or the body itself.
static bool find_place(snElement* parent, snElement** frame) {
  *frame = NULL;
  if (parent->base.elemtype == mjOBJ_FRAME) *frame = parent;
  if (parent->base.elemtype != mjOBJ_SITE) return true;
  *frame = element_add(parent->spec, parent->parent, mjOBJ_FRAME, NULL);
  if (!*frame) return false;
  mjsFrame* made = &(*frame)->u.frame_;
  (*frame)->frame = parent->frame;
  memcpy(made->pos, parent->u.site.pos, sizeof made->pos);
  memcpy(made->quat, parent->u.site.quat, sizeof made->quat);
  made->alt = parent->u.site.alt;
  return true;
}

static bool check_kinds(snSpec* to, const snElement* p, const snElement* c) {
  mjtObj parent = p->base.elemtype, child = c->base.elemtype;
  if (child != mjOBJ_BODY && child != mjOBJ_FRAME && child != mjOBJ_MODEL) {
    spec_error(to, "child must be a body, a frame or a model, not a %s", type_name(child));
  } else if (parent != mjOBJ_BODY && parent != mjOBJ_FRAME && parent != mjOBJ_SITE) {
    spec_error(to, "parent must be a body, a frame or a site, not a %s", type_name(parent));
  } else if (parent == mjOBJ_BODY && child == mjOBJ_BODY) {
    spec_error(to, "a body is attached to a frame or a site, not to a body");
  } else if (parent == mjOBJ_SITE && !p->parent) {
    spec_error(to, "the site of a default class is on no body to attach to");
  } else if (c == to->world) {
    spec_error(to, "cannot attach the world body to itself");
  } else if (c == &to->element) {
    spec_error(to, "cannot attach a model to itself");
  } else {
    return true;
  }
  return false;
}

static bool attach_into(snAttach* a, snElement* child, snElement* body, snElement* frame) {
  snSpec *to = a->to, *from = a->from;
  return keys_split(to) && (a->same || (keys_split(from) && remember_child(a))) &&
         attach_mark(a, child) && spec_affords(to, (double)attach_count(a), "mjs_attach") &&
         (a->same || take_settings(a)) && attach_copy(a, body, frame) &&
         keys_take(to, from, a->prefix, a->suffix);
}

mjsElement* mjs_attach(mjsElement* parent, const mjsElement* child, const char* prefix,
                       const char* suffix) {
  snElement *p = element_of(parent), *c = element_of(child);
  if (!p || !c) {
    mju_error("mjs_attach: %s is missing", p ? "the child" : "the parent");
    return NULL;
  }
  snSpec *to = p->spec, *from = c->spec;
  if (!check_kinds(to, p, c)) return NULL;
  snAttach a = {.to = to,
                .from = from,
                .prefix = prefix ? prefix : "",
                .suffix = suffix ? suffix : "",
                .same = to == from};
  bool gives = !a.same && !to->deepcopy;
  bool whole = c->base.elemtype == mjOBJ_MODEL;
  snElement* body = p->base.elemtype == mjOBJ_BODY ? p : p->parent;
  Before before = remember_lengths(to, body);
  to->error[0] = 0;
  snElement *frame = NULL, *result = NULL;
  bool done = find_place(p, &frame);
  if (done && whole) {
    snElement* made = element_add(to, body, mjOBJ_FRAME, NULL);
    if (made) made->frame = frame;
    result = frame = made;
    done = made != NULL;
  }
  done = done && attach_into(&a, c, body, frame);
  if (!done) {
    attach_unmark(&a);  // first: a frame made at a site inside the child is marked, and is freed
    roll_back(&a, body, &before);
    if (!to->error[0]) spec_error(to, "mjs_attach: out of memory");
  } else {
    keys_keep(to);
    if (!a.same) keys_drop(from);
    if (gives) from->lent = true;
    gives = gives && c != from->world;  // the world of the child stays its own
    if (!whole) result = gives ? c : c->twin;
    if (gives) attach_move(&a, body);
    attach_unmark(&a);
    spec_changed(to);
  }
  attach_free(&a);
  spec_check(to);
  if (!a.same) spec_check(from);
  return done ? &result->base : NULL;
}
