// Copies of elements, subtrees and whole specs. A copy is linked in two passes: first every
// element gets its twin, then references between elements are led through the twins.
#include <string.h>

#include "spec/private.h"

static bool text_is(const char* a, const char* b) { return a && b ? !strcmp(a, b) : a == b; }

static bool source_is(const snSource* s, const snSource* other) {
  return text_is(s->confined, other->confined) &&
         !memcmp(&s->compiler, &other->compiler, sizeof s->compiler) &&
         s->strippath == other->strippath && !strcmp(s->meshdir, other->meshdir) &&
         !strcmp(s->texturedir, other->texturedir) && !strcmp(s->modelfiledir, other->modelfiledir);
}

bool spec_confine(snSpec* spec, const char* folder) {
  size_t size = folder ? strlen(folder) + 1 : 0;
  memory_free(spec->confined);
  spec->confined = folder ? memory_alloc(size) : NULL;
  if (spec->confined) memcpy(spec->confined, folder, size);
  return spec->confined || !folder;
}

// Settings that are there already are not kept twice: a tree of attachments has few of them.
static snSource* source_add(snSpec* to, const snSource* from) {
  for (int i = 0; i < to->nsource; i++) {
    if (source_is(to->source[i], from)) return to->source[i];
  }
  const char* text[4] = {from->meshdir, from->texturedir, from->modelfiledir, from->confined};
  size_t size[4], sum = 0, n = (size_t)to->nsource;
  for (int i = 0; i < 4; i++) sum += size[i] = text[i] ? strlen(text[i]) + 1 : 0;
  snSource* source = memory_alloc_zero(sizeof *source + sum);
  snSource** grown =
      source ? memory_resize(to->source, n * sizeof *grown, (n + 1) * sizeof *grown) : NULL;
  if (!grown) {
    memory_free(source);
    return NULL;
  }
  char** slot[4] = {&source->meshdir, &source->texturedir, &source->modelfiledir,
                    &source->confined};
  char* at = (char*)(source + 1);
  for (int i = 0; i < 4; at += size[i++]) *slot[i] = text[i] ? memcpy(at, text[i], size[i]) : NULL;
  source->compiler = from->compiler;
  source->strippath = from->strippath;
  to->source = grown;
  to->source[to->nsource++] = source;
  return source;
}

snSource* source_make(snSpec* to, const snSpec* from) {
  snSource own = {.compiler = from->pub.compiler,
                  .strippath = from->pub.strippath,
                  .meshdir = (char*)string_text(&from->meshdir),
                  .texturedir = (char*)string_text(&from->texturedir),
                  .modelfiledir = (char*)string_text(&from->modelfiledir),
                  .confined = from->confined};
  return source_add(to, &own);
}

bool sources_copy(snSpec* to, const snSpec* from) {
  for (int i = 0; i < from->nsource; i++) {
    from->source[i]->twin = source_add(to, from->source[i]);
    if (!from->source[i]->twin) return false;
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

// The copy stands alone until its caller puts it in a list: a body may be copied into itself.
snElement* copy_body(snSpec* to, snElement* from) {
  snElement* e = element_copy(to, from);
  for (int k = 0; e && k < snNCHILD; k++) {
    for (int i = 0; i < from->child[k].n; i++) {
      snElement* original = from->child[k].item[i];
      snElement* child = k == snCHILD_BODY ? copy_body(to, original) : element_copy(to, original);
      if (child) child->parent = e;
      if (!child || !list_append(&e->child[k], child)) {
        if (child) element_free_tree(child);
        element_free_tree(e);
        return NULL;
      }
    }
  }
  return e;
}

snElement* copy_listed(snSpec* to, snElement* from) {
  snElement* e = element_copy(to, from);
  if (!e) return NULL;
  snList* list = &to->list[from->base.elemtype];
  bool done = true;
  for (int i = 0; from->base.elemtype == mjOBJ_TENDON && i < from->child[snCHILD_WRAP].n; i++) {
    snElement* w = element_copy(to, from->child[snCHILD_WRAP].item[i]);
    if (w) w->parent = e;
    done = w && list_append(&e->child[snCHILD_WRAP], w);
    if (done) continue;
    if (w) element_free(w);
    break;
  }
  if (!done || !list_append(list, e)) {
    element_free_tree(e);
    return NULL;
  }
  e->id = list->n - 1;
  return e;
}

// Lead the references of a copied element through the twins of what it refers to.
void element_relink(snElement* e, const snElement* from) {
  e->frame = from->frame ? from->frame->twin : NULL;
  e->def = from->def ? from->def->twin : NULL;
  e->source = from->source ? from->source->twin : NULL;
  mjsPlugin* plugin = element_plugin(e);
  if (!plugin || !plugin->element) return;
  const snElement* own = element_of(plugin->element);
  plugin->element = own->spec == from->spec && own->twin ? &own->twin->base : NULL;
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
  to->found = from->found;
  to->changes = from->changes;
  to->compiled = from->compiled;
  to->element.base.signature = from->element.base.signature;
  const snString* text[5] = {&from->modelname, &from->meshdir, &from->texturedir, &from->comment,
                             &from->modelfiledir};
  snString* into[5] = {&to->modelname, &to->meshdir, &to->texturedir, &to->comment,
                       &to->modelfiledir};
  for (int i = 0; i < 5; i++) {
    if (!string_set(into[i], string_text(text[i]), string_size(text[i]))) return false;
  }
  if (!sources_copy(to, from) || !spec_confine(to, from->confined)) return false;
  if (from->nplugin) {
    to->plugin = memory_alloc((size_t)from->nplugin * sizeof *to->plugin);
    if (!to->plugin) return false;
    memcpy(to->plugin, from->plugin, (size_t)from->nplugin * sizeof *to->plugin);
    to->nplugin = from->nplugin;
  }
  if (!copy_class(to, from->main, NULL)) return false;
  to->world = copy_body(to, from->world);
  if (!to->world) return false;
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

bool spec_remember(snSpec* to, const mjSpec* child) {
  size_t n = (size_t)to->nattached;
  snSpec* copy = spec_copy(spec_of(child));
  mjSpec** grown =
      copy ? memory_resize(to->attached, n * sizeof *grown, (n + 1) * sizeof *grown) : NULL;
  if (!grown) {
    if (copy) mj_deleteSpec(&copy->pub);
    return false;
  }
  to->attached = grown;
  to->attached[to->nattached++] = &copy->pub;
  to->nelement += copy->nelement;
  return true;
}

void spec_forget_last(snSpec* to) {
  mjSpec* last = to->attached[--to->nattached];
  to->nelement -= spec_of(last)->nelement;
  mj_deleteSpec(last);
}

snSpec* spec_copy(const snSpec* original) {
  snSpec* from = (snSpec*)original;  // elements note their copies
  snSpec* to = spec_make();
  if (!to) return NULL;
  // the copy brings its own root class and body
  element_free(to->world);
  element_free(to->main);
  to->world = to->main = NULL;
  bool done = copy_all(to, from);
  for (int i = 0; done && i < from->nattached; i++) done = spec_remember(to, from->attached[i]);
  if (done) {
    spec_check(to);
    return to;
  }
  mj_deleteSpec(&to->pub);
  return NULL;
}

mjSpec* mj_copySpec(const mjSpec* s) {
  if (!s) return NULL;
  snSpec* copy = spec_copy(spec_of(s));
  if (!copy) mju_error("mj_copySpec: out of memory");
  return copy ? &copy->pub : NULL;
}
