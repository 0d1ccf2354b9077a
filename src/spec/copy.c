// Copies of elements, subtrees and whole specs. A copy is linked in two passes: first every
// element gets its twin, then references between elements are led through the twins.
#include <stdlib.h>
#include <string.h>

#include "spec/private.h"

static char* text_copy(const char* text) { return strdup(text ? text : ""); }

// A copy that lost its folder for want of memory would be a spec without confinement.
static bool confined_copy(char** to, const char* folder) {
  *to = folder ? strdup(folder) : NULL;
  return *to || !folder;
}

snSource* source_make(snSpec* to, const snSpec* from) {
  snSource* source = calloc(1, sizeof *source);
  snSource** grown = realloc(to->source, (size_t)(to->nsource + 1) * sizeof *grown);
  if (grown) to->source = grown;
  if (!source || !grown) {
    free(source);
    return NULL;
  }
  source->compiler = from->pub.compiler;
  source->strippath = from->pub.strippath;
  source->meshdir = text_copy(string_text(&from->meshdir));
  source->texturedir = text_copy(string_text(&from->texturedir));
  source->modelfiledir = text_copy(string_text(&from->modelfiledir));
  if (!confined_copy(&source->confined, from->confined)) {
    source_free(source);
    return NULL;
  }
  to->source[to->nsource++] = source;
  return source;
}

static snSource* source_copy(snSpec* to, const snSource* from) {
  snSource* source = calloc(1, sizeof *source);
  snSource** grown = realloc(to->source, (size_t)(to->nsource + 1) * sizeof *grown);
  if (grown) to->source = grown;
  if (!source || !grown) {
    free(source);
    return NULL;
  }
  *source = *from;
  source->meshdir = text_copy(from->meshdir);
  source->texturedir = text_copy(from->texturedir);
  source->modelfiledir = text_copy(from->modelfiledir);
  if (!confined_copy(&source->confined, from->confined)) {
    source_free(source);
    return NULL;
  }
  to->source[to->nsource++] = source;
  return source;
}

bool sources_copy(snSpec* to, const snSpec* from) {
  for (int i = 0; i < from->nsource; i++) {
    if (!source_copy(to, from->source[i])) return false;
  }
  return true;
}

snElement* element_copy(snSpec* to, snElement* from) {
  snElement* e = element_make(to, from->base.elemtype);
  if (!e) return NULL;
  bool done = element_copy_fields(e, from) &&
              string_set(&e->name, string_text(&from->name), string_size(&from->name));
  e->id = from->id;
  e->adr[0] = from->adr[0];
  e->adr[1] = from->adr[1];
  e->source = from->source;
  for (int i = 0; done && i < from->nattribute; i++) {
    done = plugin_set_attribute(&e->u.plugin, string_text(&from->attribute[i].key),
                                string_text(&from->attribute[i].value));
  }
  if (!done) {
    element_free(e);
    return NULL;
  }
  from->twin = e;
  e->twin = from;
  return e;
}

static bool copy_class(snSpec* to, snElement* from, snElement* parent) {
  snElement* e = class_make(to, string_text(&from->name), parent);
  if (!e) return false;
  if (!parent) to->main = e;
  from->twin = e;
  for (int i = 0; i < snNCLASS; i++) {
    if (!element_copy_fields(e->class[i], from -> class[i])) return false;
  }
  snList* below = &from->child[snCHILD_CLASS];
  for (int i = 0; i < below->n; i++) {
    if (!copy_class(to, below->item[i], e)) return false;
  }
  return true;
}

bool copy_body(snSpec* to, snElement* from, snElement* parent) {
  snElement* e = element_copy(to, from);
  if (!e) return false;
  e->parent = parent;
  if (!parent) {
    to->world = e;
  } else if (!list_append(&parent->child[snCHILD_BODY], e)) {
    element_free(e);
    return false;
  }
  for (int k = snCHILD_FRAME; k < snNCHILD; k++) {
    for (int i = 0; i < from->child[k].n; i++) {
      snElement* child = element_copy(to, from->child[k].item[i]);
      if (!child) return false;
      child->parent = e;
      if (!list_append(&e->child[k], child)) {
        element_free(child);
        return false;
      }
    }
  }
  for (int i = 0; i < from->child[snCHILD_BODY].n; i++) {
    if (!copy_body(to, from->child[snCHILD_BODY].item[i], e)) return false;
  }
  return true;
}

snElement* copy_listed(snSpec* to, snElement* from) {
  snElement* e = element_copy(to, from);
  if (!e) return NULL;
  bool done = true;
  if (from->base.elemtype == mjOBJ_TENDON) {
    snList* wraps = &from->child[snCHILD_WRAP];
    for (int i = 0; done && i < wraps->n; i++) {
      snElement* w = element_copy(to, wraps->item[i]);
      if (w) w->parent = e;
      done = w && list_append(&e->child[snCHILD_WRAP], w);
    }
  }
  snList* list = &to->list[from->base.elemtype];
  if (!list_append(list, e)) return NULL;
  e->id = list->n - 1;
  return done ? e : NULL;
}

// Lead the references of a copied element through the twins of what it refers to.
void element_relink(snElement* e, const snElement* from) {
  e->frame = from->frame ? from->frame->twin : NULL;
  e->def = from->def ? from->def->twin : NULL;
  mjsPlugin* plugin = element_plugin(e);
  if (plugin && plugin->element) plugin->element = &element_of(plugin->element)->twin->base;
}

static bool relink_body(snElement* e, const snElement* from) {
  element_relink(e, from);
  bool done = spec_name_add(e->spec, e);
  for (int k = 0; k < snNCHILD; k++) {
    for (int i = 0; done && i < e->child[k].n; i++) {
      snElement* child = e->child[k].item[i];
      if (k == snCHILD_BODY) {
        done = relink_body(child, from->child[k].item[i]);
      } else {
        element_relink(child, from->child[k].item[i]);
        done = spec_name_add(child->spec, child);
      }
    }
  }
  return done;
}

static bool copy_all(snSpec* to, snSpec* from) {
  mjSpec own = to->pub;
  to->pub = from->pub;
  to->pub.element = own.element;
  to->pub.modelname = own.modelname;
  to->pub.meshdir = own.meshdir;
  to->pub.texturedir = own.texturedir;
  to->pub.comment = own.comment;
  to->pub.modelfiledir = own.modelfiledir;
  to->deepcopy = from->deepcopy;
  to->element.base.signature = from->element.base.signature;
  const snString* text[5] = {&from->modelname, &from->meshdir, &from->texturedir, &from->comment,
                             &from->modelfiledir};
  snString* into[5] = {&to->modelname, &to->meshdir, &to->texturedir, &to->comment,
                       &to->modelfiledir};
  for (int i = 0; i < 5; i++) {
    if (!string_set(into[i], string_text(text[i]), string_size(text[i]))) return false;
  }
  if (!sources_copy(to, from) || !confined_copy(&to->confined, from->confined)) return false;
  if (from->nplugin) {
    to->plugin = malloc((size_t)from->nplugin * sizeof *to->plugin);
    if (!to->plugin) return false;
    memcpy(to->plugin, from->plugin, (size_t)from->nplugin * sizeof *to->plugin);
    to->nplugin = from->nplugin;
  }
  if (!copy_class(to, from->main, NULL) || !copy_body(to, from->world, NULL)) return false;
  for (int k = 0; k < mjNOBJECT; k++) {
    for (int i = 0; i < from->list[k].n; i++) {
      if (!copy_listed(to, from->list[k].item[i])) return false;
    }
  }
  for (int i = 0; i < from->frames.n; i++) {
    if (!list_append(&to->frames, from->frames.item[i]->twin)) return false;
  }
  if (!relink_body(to->world, from->world)) return false;
  for (int k = 0; k < mjNOBJECT; k++) {
    for (int i = 0; i < from->list[k].n; i++) {
      element_relink(to->list[k].item[i], from->list[k].item[i]);
      if (!key_copy_parts(to->list[k].item[i], from->list[k].item[i])) return false;
      if (!spec_name_add(to, to->list[k].item[i])) return false;
    }
  }
  return true;
}

// elements of a copied tree keep pointing to the source's settings: lead them to the copy's own
static void reroute_sources(snElement* e, const snSpec* from, const snSpec* to) {
  for (int i = 0; i < from->nsource; i++) {
    if (e->source == from->source[i]) {
      e->source = to->source[i];
      break;
    }
  }
}

static void reroute_body(snElement* body, const snSpec* from, const snSpec* to) {
  reroute_sources(body, from, to);
  for (int k = 0; k < snNCHILD; k++) {
    for (int i = 0; i < body->child[k].n; i++) {
      snElement* child = body->child[k].item[i];
      k == snCHILD_BODY ? reroute_body(child, from, to) : reroute_sources(child, from, to);
    }
  }
}

mjSpec* mj_copySpec(const mjSpec* s) {
  if (!s) return NULL;
  snSpec* from = spec_of(s);
  snSpec* to = spec_of(mj_makeSpec());
  if (!to) return NULL;
  // the copy brings its own root class and body
  spec_name_remove(to, to->world);
  element_free(to->world);
  element_free(to->main);
  to->world = to->main = NULL;
  if (!copy_all(to, from)) {
    mj_deleteSpec(&to->pub);
    mju_error("mj_copySpec: out of memory");
    return NULL;
  }
  if (from->nsource) {
    reroute_body(to->world, from, to);
    for (int k = 0; k < mjNOBJECT; k++) {
      for (int i = 0; i < to->list[k].n; i++) reroute_sources(to->list[k].item[i], from, to);
    }
  }
  for (int i = 0; i < from->nattached; i++) {
    mjSpec** grown = realloc(to->attached, (size_t)(to->nattached + 1) * sizeof *grown);
    mjSpec* copy = grown ? mj_copySpec(from->attached[i]) : NULL;
    if (grown) to->attached = grown;
    if (!copy) {
      mj_deleteSpec(&to->pub);
      mju_error("mj_copySpec: out of memory");
      return NULL;
    }
    to->attached[to->nattached++] = copy;
  }
  return &to->pub;
}
