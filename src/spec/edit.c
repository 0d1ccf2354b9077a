// Editing: classes, frames, user values, plugin configuration, deletion.
#include <stdlib.h>
#include <string.h>

#include "spec/private.h"

// ---- class of an element: its values stay, what is added to a body later takes the new ones
void mjs_setDefault(mjsElement* element, const mjsDefault* def) {
  snElement* e = element_of(element);
  e->def = element_of(def->element);
  if (e->base.elemtype == mjOBJ_BODY)
    mjs_setString(e->u.body.childclass, string_text(&e->def->name));
  if (e->base.elemtype == mjOBJ_FRAME)
    mjs_setString(e->u.frame_.childclass, string_text(&e->def->name));
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

// The body's pose becomes a frame of its parent, and all on the body moves into that frame.
mjsFrame* mjs_bodyToFrame(mjsBody** body) {
  snElement* b = element_of((*body)->element);
  snElement* parent = b->parent;
  if (!parent) {
    spec_error(b->spec, "the world cannot become a frame");
    return NULL;
  }
  mjsFrame* frame = mjs_addFrame(&parent->u.body, b->frame ? &b->frame->u.frame_ : NULL);
  if (!frame) return NULL;
  memcpy(frame->pos, b->u.body.pos, sizeof frame->pos);
  memcpy(frame->quat, b->u.body.quat, sizeof frame->quat);
  frame->alt = b->u.body.alt;
  mjs_setString(frame->childclass, string_text(b->u.body.childclass));
  snElement* f = element_of(frame->element);
  for (int k = 0; k < snNCHILD; k++) {
    for (int i = 0; i < b->child[k].n; i++) {
      snElement* e = b->child[k].item[i];
      if (!list_append(&parent->child[k], e)) {
        mju_error("mjs_bodyToFrame: out of memory");
        return NULL;
      }
      e->parent = parent;
      if (!e->frame) e->frame = f;
    }
    b->child[k].n = 0;
  }
  spec_remove(b);
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
  free(v->key);
  free(v);
}

void mjs_setUserValueWithCleanup(mjsElement* element, const char* key, const void* data,
                                 void (*cleanup)(const void*)) {
  mjs_deleteUserValue(element, key);
  snUserValue* v = calloc(1, sizeof *v);
  if (v) v->key = strdup(key);
  if (!v || !v->key) {
    free(v);
    mju_error("mjs_setUserValue: out of memory");
    return;
  }
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
  snAttribute* grown = malloc((size_t)(e->nattribute + 1) * sizeof *grown);
  if (!grown) return false;
  for (int k = 0; k <= e->nattribute; k++) {
    string_init(&grown[k].key);
    string_init(&grown[k].value);
  }
  bool done = true;
  for (int k = 0; k < e->nattribute; k++) {
    snAttribute* to = grown + k + (k >= i);
    snAttribute* from = e->attribute + k;
    done = done && string_set(&to->key, string_text(&from->key), string_size(&from->key)) &&
           string_set(&to->value, string_text(&from->value), string_size(&from->value));
    string_free(&from->key);
    string_free(&from->value);
  }
  done = done && string_set(&grown[i].key, key, strlen(key)) &&
         string_set(&grown[i].value, value, strlen(value));
  free(e->attribute);
  e->attribute = grown;
  e->nattribute++;
  return done;
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
  free(e->attribute_map);
  Map* map = e->attribute_map = calloc(1, sizeof(Map) + (size_t)n * sizeof(MapNode));
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
  int* grown = realloc(spec->plugin, (size_t)(spec->nplugin + 1) * sizeof *grown);
  if (!grown) return -1;
  spec->plugin = grown;
  spec->plugin[spec->nplugin++] = slot;
  return 0;
}
