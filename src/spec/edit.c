// Editing a spec: the default class of an element, bodies turned into frames, user values, plugin
// attributes, deletion. Memory is reserved before the first change, so that an edit that fails
// leaves the spec as it was.
#include <string.h>

#include "spec/private.h"

// ---- class of an element: its values stay, what is added to a body later takes the new ones
void mjs_setDefault(mjsElement* element, const mjsDefault* def) {
  snElement *e = element_of(element), *class = def ? element_of(def->element) : NULL;
  if (!e || !class) {
    mju_error("mjs_setDefault: %s is missing", e ? "the class" : "the element");
    return;
  }
  if (class->spec != e->spec) {
    spec_error(e->spec, "mjs_setDefault: class '%s' is of another spec", string_text(&class->name));
    return;
  }
  mjString* childclass = e->base.elemtype == mjOBJ_BODY    ? e->u.body.childclass
                         : e->base.elemtype == mjOBJ_FRAME ? e->u.frame_.childclass
                                                           : NULL;
  if (childclass && !string_set(childclass, string_text(&class->name), string_size(&class->name))) {
    mju_error("mjs_setDefault: out of memory");
    return;
  }
  e->def = class;
}

int mjs_setFrame(mjsElement* dest, mjsFrame* frame) {
  snElement* e = element_of(dest);
  if (!e || child_slot(e->base.elemtype) < 0) return -1;
  snElement* f = frame ? element_of(frame->element) : NULL;
  if (f && f->parent != e->parent) {
    spec_error(e->spec, "the frame and the element are on different bodies");
    return -1;
  }
  for (snElement* up = f; up; up = up->frame) {
    if (up == e) {
      spec_error(e->spec, "a frame cannot be inside itself");
      return -1;
    }
  }
  e->frame = f;
  return 0;
}

// The body's pose becomes a frame of its parent, and all on the body moves into that frame. Room is
// made first: from there on nothing can fail.
mjsFrame* mjs_bodyToFrame(mjsBody** body) {
  snElement* b = body && *body ? element_of((*body)->element) : NULL;
  if (!b) {
    mju_error("mjs_bodyToFrame: the body is missing");
    return NULL;
  }
  snElement* parent = b->parent;
  snSpec* spec = b->spec;
  if (!parent) return spec_error(spec, "the world cannot become a frame");
  snElement* f = element_add(spec, parent, mjOBJ_FRAME, NULL);
  const mjString* class = b->u.body.childclass;
  bool done = f && string_set(f->u.frame_.childclass, string_text(class), string_size(class));
  for (int k = 0; done && k < snNCHILD; k++) done = list_reserve(&parent->child[k], b->child[k].n);
  if (!done) {
    if (f) spec_remove(f);
    mju_error("mjs_bodyToFrame: out of memory");
    return NULL;
  }
  inertial_merge(parent, b);
  mjsFrame* frame = &f->u.frame_;
  f->frame = b->frame;
  memcpy(frame->pos, b->u.body.pos, sizeof frame->pos);
  memcpy(frame->quat, b->u.body.quat, sizeof frame->quat);
  frame->alt = b->u.body.alt;
  for (int k = 0; k < snNCHILD; k++) {
    for (int i = 0; i < b->child[k].n; i++) {
      snElement* e = b->child[k].item[i];
      list_append(&parent->child[k], e);
      e->parent = parent;
      if (!e->frame) e->frame = f;
    }
    b->child[k].n = 0;
  }
  spec_remove(b);
  spec_check(spec);
  *body = NULL;
  return frame;
}

// ---- user values
static snUserValue** user_slot(snElement* e, const char* key) {
  snUserValue** v = &e->user;
  while (*v && strcmp((*v)->key, key)) v = &(*v)->next;
  return v;
}

void mjs_deleteUserValue(mjsElement* element, const char* key) {
  snUserValue** slot = user_slot(element_of(element), key);
  snUserValue* v = *slot;
  if (!v) return;
  *slot = v->next;
  if (v->cleanup) v->cleanup(v->value);
  memory_free(v);
}

void mjs_setUserValueWithCleanup(mjsElement* element, const char* key, const void* data,
                                 void (*cleanup)(const void*)) {
  snUserValue* v = memory_alloc(sizeof *v + strlen(key) + 1);
  if (!v) {
    mju_error("mjs_setUserValue: out of memory");
    return;
  }
  mjs_deleteUserValue(element, key);
  v->key = strcpy((char*)(v + 1), key);
  v->value = data;
  v->cleanup = cleanup;
  v->next = element_of(element)->user;
  element_of(element)->user = v;
}

void mjs_setUserValue(mjsElement* element, const char* key, const void* data) {
  mjs_setUserValueWithCleanup(element, key, data, NULL);
}

const void* mjs_getUserValue(mjsElement* element, const char* key) {
  snUserValue* v = *user_slot(element_of(element), key);
  return v ? v->value : NULL;
}

// ---- configuration of plugin instances
bool plugin_set_attribute(mjsPlugin* plugin, const char* key, const char* value) {
  snElement* e = plugin->element ? element_of(plugin->element) : NULL;
  if (!e || e->base.elemtype != mjOBJ_PLUGIN) return false;
  int i = 0, order = 1;
  while (i < e->nattribute && (order = strcmp(string_text(&e->attribute[i].key), key)) < 0) i++;
  if (i < e->nattribute && order == 0) {
    return string_set(&e->attribute[i].value, value, strlen(value));
  }
  snAttribute added;
  string_init(&added.key);
  string_init(&added.value);
  size_t n = (size_t)e->nattribute;
  snAttribute* grown = NULL;
  if (string_set(&added.key, key, strlen(key)) && string_set(&added.value, value, strlen(value))) {
    grown = memory_resize(e->attribute, n * sizeof *grown, (n + 1) * sizeof *grown);
  }
  if (!grown) {
    string_free(&added.key);
    string_free(&added.value);
    return false;
  }
  memmove(grown + i + 1, grown + i, (n - (size_t)i) * sizeof *grown);
  grown[i] = added;
  e->attribute = grown;
  e->nattribute++;
  return true;
}

const char* plugin_get_attribute(const snElement* e, const char* key) {
  for (int i = 0; i < e->nattribute; i++) {
    if (strcmp(string_text(&e->attribute[i].key), key) == 0)
      return string_text(&e->attribute[i].value);
  }
  return NULL;
}

// Attributes are passed as a std::map<std::string, std::string> of libc++: a header of first node,
// root and count; the header from the root on stands for the node behind the last.
typedef struct MapNode_ {
  struct MapNode_ *left, *right, *parent;
  size_t black;
  snString key, value;
} MapNode;

typedef struct {
  MapNode* first;
  MapNode* root;
  size_t count;
} Map;

static bool read_map(mjsPlugin* plugin, const MapNode* node) {
  return !node ||
         (read_map(plugin, node->left) &&
          plugin_set_attribute(plugin, string_text(&node->key), string_text(&node->value)) &&
          read_map(plugin, node->right));
}

void mjs_setPluginAttributes(mjsPlugin* plugin, void* attributes) {
  snElement* e = plugin->element ? element_of(plugin->element) : NULL;
  if (!e || e->base.elemtype != mjOBJ_PLUGIN) {
    mju_error("mjs_setPluginAttributes: the plugin has no instance");
    return;
  }
  element_free_attributes(e);
  if (attributes && !read_map(plugin, ((Map*)attributes)->root)) {
    mju_error("mjs_setPluginAttributes: out of memory");
  }
}

// The map handed out is a chain to the right: sorted, so that lookups and walks find their way.
const void* mjs_getPluginAttributes(const mjsPlugin* plugin) {
  snElement* e = plugin->element ? element_of(plugin->element) : NULL;
  if (!e || e->base.elemtype != mjOBJ_PLUGIN) return NULL;
  int n = e->nattribute;
  memory_free(e->attribute_map);
  Map* map = e->attribute_map = memory_alloc_zero(sizeof(Map) + (size_t)n * sizeof(MapNode));
  if (!map) {
    mju_error("mjs_getPluginAttributes: out of memory");
    return NULL;
  }
  MapNode* node = (MapNode*)(map + 1);
  MapNode* behind = (MapNode*)&map->root;
  for (int i = 0; i < n; i++) {
    node[i].black = 1;
    node[i].parent = i ? node + i - 1 : behind;
    node[i].right = i + 1 < n ? node + i + 1 : NULL;
    node[i].key = e->attribute[i].key;
    node[i].value = e->attribute[i].value;
  }
  map->root = n ? node : NULL;
  map->first = n ? node : behind;
  map->count = (size_t)n;
  return map;
}

int mjs_activatePlugin(mjSpec* s, const char* name) {
  snSpec* spec = spec_of(s);
  int slot = -1;
  if (!mjp_getPlugin(name, &slot)) {
    spec_error(spec, "unknown plugin '%s'", name);
    return -1;
  }
  for (int i = 0; i < spec->nplugin; i++) {
    if (spec->plugin[i] == slot) return 0;
  }
  size_t n = (size_t)spec->nplugin;
  int* grown = memory_resize(spec->plugin, n * sizeof *grown, (n + 1) * sizeof *grown);
  if (!grown) {
    spec_error(spec, "mjs_activatePlugin: out of memory");
    return -1;
  }
  spec->plugin = grown;
  spec->plugin[spec->nplugin++] = slot;
  return 0;
}
