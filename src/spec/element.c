// Elements of a spec: allocation, copy and release, driven by one table that lists the containers
// (strings, vectors) of each public struct. The element, its public struct and its containers are
// one block of memory.
#include <stdio.h>
#include <string.h>

#include "spec/private.h"

typedef enum { STRING, STRINGS, INTS, DOUBLES, FLOATS, BYTES, INTVECS, FLOATVECS } Kind;

typedef struct {
  unsigned short offset;
  unsigned short kind;
} Field;

#define F(type, member, kind) \
  { offsetof(type, member), kind }
#define PLUGIN(type) \
  F(type, plugin.name, STRING), F(type, plugin.plugin_name, STRING), F(type, plugin.info, STRING)

static const Field body_fields[] = {F(mjsBody, childclass, STRING), F(mjsBody, userdata, DOUBLES),
                                    F(mjsBody, info, STRING), PLUGIN(mjsBody)};
static const Field frame_fields[] = {F(mjsFrame, childclass, STRING), F(mjsFrame, info, STRING)};
static const Field joint_fields[] = {F(mjsJoint, userdata, DOUBLES), F(mjsJoint, info, STRING)};
static const Field geom_fields[] = {F(mjsGeom, material, STRING), F(mjsGeom, hfieldname, STRING),
                                    F(mjsGeom, meshname, STRING), F(mjsGeom, userdata, DOUBLES),
                                    F(mjsGeom, info, STRING),     PLUGIN(mjsGeom)};
static const Field site_fields[] = {F(mjsSite, material, STRING), F(mjsSite, userdata, DOUBLES),
                                    F(mjsSite, info, STRING)};
static const Field camera_fields[] = {F(mjsCamera, targetbody, STRING),
                                      F(mjsCamera, userdata, DOUBLES), F(mjsCamera, info, STRING)};
static const Field light_fields[] = {F(mjsLight, targetbody, STRING), F(mjsLight, texture, STRING),
                                     F(mjsLight, info, STRING)};
static const Field flex_fields[] = {
    F(mjsFlex, material, STRING), F(mjsFlex, nodebody, STRINGS),  F(mjsFlex, vertbody, STRINGS),
    F(mjsFlex, node, DOUBLES),    F(mjsFlex, vert, DOUBLES),      F(mjsFlex, elem, INTS),
    F(mjsFlex, texcoord, FLOATS), F(mjsFlex, elemtexcoord, INTS), F(mjsFlex, info, STRING)};
static const Field mesh_fields[] = {F(mjsMesh, content_type, STRING),
                                    F(mjsMesh, file, STRING),
                                    F(mjsMesh, uservert, FLOATS),
                                    F(mjsMesh, usernormal, FLOATS),
                                    F(mjsMesh, usertexcoord, FLOATS),
                                    F(mjsMesh, userface, INTS),
                                    F(mjsMesh, userfacetexcoord, INTS),
                                    F(mjsMesh, info, STRING),
                                    PLUGIN(mjsMesh)};
static const Field hfield_fields[] = {F(mjsHField, content_type, STRING),
                                      F(mjsHField, file, STRING), F(mjsHField, userdata, FLOATS),
                                      F(mjsHField, info, STRING)};
static const Field skin_fields[] = {
    F(mjsSkin, file, STRING),          F(mjsSkin, material, STRING), F(mjsSkin, vert, FLOATS),
    F(mjsSkin, texcoord, FLOATS),      F(mjsSkin, face, INTS),       F(mjsSkin, bodyname, STRINGS),
    F(mjsSkin, bindpos, FLOATS),       F(mjsSkin, bindquat, FLOATS), F(mjsSkin, vertid, INTVECS),
    F(mjsSkin, vertweight, FLOATVECS), F(mjsSkin, info, STRING)};
static const Field texture_fields[] = {
    F(mjsTexture, content_type, STRING), F(mjsTexture, file, STRING),
    F(mjsTexture, cubefiles, STRINGS), F(mjsTexture, data, BYTES), F(mjsTexture, info, STRING)};
static const Field material_fields[] = {F(mjsMaterial, textures, STRINGS),
                                        F(mjsMaterial, info, STRING)};
static const Field pair_fields[] = {F(mjsPair, geomname1, STRING), F(mjsPair, geomname2, STRING),
                                    F(mjsPair, info, STRING)};
static const Field exclude_fields[] = {F(mjsExclude, bodyname1, STRING),
                                       F(mjsExclude, bodyname2, STRING),
                                       F(mjsExclude, info, STRING)};
static const Field equality_fields[] = {
    F(mjsEquality, name1, STRING), F(mjsEquality, name2, STRING), F(mjsEquality, info, STRING)};
static const Field tendon_fields[] = {F(mjsTendon, material, STRING),
                                      F(mjsTendon, userdata, DOUBLES), F(mjsTendon, info, STRING)};
static const Field wrap_fields[] = {F(snWrap, pub.info, STRING)};
static const Field actuator_fields[] = {
    F(mjsActuator, target, STRING),     F(mjsActuator, refsite, STRING),
    F(mjsActuator, slidersite, STRING), F(mjsActuator, userdata, DOUBLES),
    F(mjsActuator, info, STRING),       PLUGIN(mjsActuator)};
static const Field sensor_fields[] = {F(mjsSensor, objname, STRING), F(mjsSensor, refname, STRING),
                                      F(mjsSensor, userdata, DOUBLES), F(mjsSensor, info, STRING),
                                      PLUGIN(mjsSensor)};
static const Field numeric_fields[] = {F(mjsNumeric, data, DOUBLES), F(mjsNumeric, info, STRING)};
static const Field text_fields[] = {F(mjsText, data, STRING), F(mjsText, info, STRING)};
static const Field tuple_fields[] = {F(mjsTuple, objtype, INTS), F(mjsTuple, objname, STRINGS),
                                     F(mjsTuple, objprm, DOUBLES), F(mjsTuple, info, STRING)};
static const Field key_fields[] = {F(mjsKey, qpos, DOUBLES),  F(mjsKey, qvel, DOUBLES),
                                   F(mjsKey, act, DOUBLES),   F(mjsKey, mpos, DOUBLES),
                                   F(mjsKey, mquat, DOUBLES), F(mjsKey, ctrl, DOUBLES),
                                   F(mjsKey, info, STRING)};
static const Field plugin_fields[] = {F(mjsPlugin, name, STRING), F(mjsPlugin, plugin_name, STRING),
                                      F(mjsPlugin, info, STRING)};

typedef struct {
  mjtObj type;
  const char* name;
  size_t size;  // of the public struct
  const Field* field;
  int nfield;
  void (*defaults)(void*);
  int info;    // offset of the info string, -1: none
  int plugin;  // offset of an embedded plugin, -1: none
} Type;

static void no_defaults(void* p) { (void)p; }

#define N(array) (int)(sizeof(array) / sizeof(array[0]))
#define ROW(type, text, T, fields, function, plug) \
  { type, text, sizeof(T), fields, N(fields), (void (*)(void*))function, offsetof(T, info), plug }

static const Type types[] = {
    ROW(mjOBJ_BODY, "body", mjsBody, body_fields, mjs_defaultBody, offsetof(mjsBody, plugin)),
    ROW(mjOBJ_FRAME, "frame", mjsFrame, frame_fields, mjs_defaultFrame, -1),
    ROW(mjOBJ_JOINT, "joint", mjsJoint, joint_fields, mjs_defaultJoint, -1),
    ROW(mjOBJ_GEOM, "geom", mjsGeom, geom_fields, mjs_defaultGeom, offsetof(mjsGeom, plugin)),
    ROW(mjOBJ_SITE, "site", mjsSite, site_fields, mjs_defaultSite, -1),
    ROW(mjOBJ_CAMERA, "camera", mjsCamera, camera_fields, mjs_defaultCamera, -1),
    ROW(mjOBJ_LIGHT, "light", mjsLight, light_fields, mjs_defaultLight, -1),
    ROW(mjOBJ_FLEX, "flex", mjsFlex, flex_fields, mjs_defaultFlex, -1),
    ROW(mjOBJ_MESH, "mesh", mjsMesh, mesh_fields, mjs_defaultMesh, offsetof(mjsMesh, plugin)),
    ROW(mjOBJ_HFIELD, "hfield", mjsHField, hfield_fields, mjs_defaultHField, -1),
    ROW(mjOBJ_SKIN, "skin", mjsSkin, skin_fields, mjs_defaultSkin, -1),
    ROW(mjOBJ_TEXTURE, "texture", mjsTexture, texture_fields, mjs_defaultTexture, -1),
    ROW(mjOBJ_MATERIAL, "material", mjsMaterial, material_fields, mjs_defaultMaterial, -1),
    ROW(mjOBJ_PAIR, "pair", mjsPair, pair_fields, mjs_defaultPair, -1),
    ROW(mjOBJ_EXCLUDE, "exclude", mjsExclude, exclude_fields, no_defaults, -1),
    ROW(mjOBJ_EQUALITY, "equality", mjsEquality, equality_fields, mjs_defaultEquality, -1),
    ROW(mjOBJ_TENDON, "tendon", mjsTendon, tendon_fields, mjs_defaultTendon, -1),
    ROW(mjOBJ_ACTUATOR, "actuator", mjsActuator, actuator_fields, mjs_defaultActuator,
        offsetof(mjsActuator, plugin)),
    ROW(mjOBJ_SENSOR, "sensor", mjsSensor, sensor_fields, mjs_defaultSensor,
        offsetof(mjsSensor, plugin)),
    ROW(mjOBJ_NUMERIC, "numeric", mjsNumeric, numeric_fields, mjs_defaultNumeric, -1),
    ROW(mjOBJ_TEXT, "text", mjsText, text_fields, mjs_defaultText, -1),
    ROW(mjOBJ_TUPLE, "tuple", mjsTuple, tuple_fields, mjs_defaultTuple, -1),
    ROW(mjOBJ_KEY, "key", mjsKey, key_fields, mjs_defaultKey, -1),
    ROW(mjOBJ_PLUGIN, "plugin", mjsPlugin, plugin_fields, mjs_defaultPlugin, -1),
    {snOBJ_WRAP, "wrap", sizeof(snWrap), wrap_fields, 1, no_defaults, offsetof(snWrap, pub.info),
     -1},
    {mjOBJ_DEFAULT, "default", sizeof(mjsDefault), NULL, 0, no_defaults, -1, -1},
    {mjOBJ_MODEL, "model", sizeof(mjSpec*), NULL, 0, no_defaults, -1, -1},
};

static const Type* type_of(mjtObj type) {
  for (int i = 0; i < N(types); i++) {
    if (types[i].type == type) return types + i;
  }
  return NULL;
}

const char* type_name(mjtObj type) {
  const Type* t = type_of(type);
  return t ? t->name : type == mjOBJ_XBODY ? "xbody" : "unknown";
}

// ---- containers of an element
typedef union {
  snString s;
  snSpecVec v;
} Container;

static void container_init(Container* c, Kind kind) {
  memset(c, 0, sizeof *c);
  if (kind == STRING) string_init(&c->s);
}

static void container_free(Container* c, Kind kind) {
  switch (kind) {
    case STRING:
      string_free(&c->s);
      break;
    case STRINGS:
      strings_free(&c->v);
      break;
    case INTVECS:
    case FLOATVECS:
      vecs_free(&c->v);
      break;
    default:
      vec_free(&c->v);
  }
}

static bool container_copy(Container* to, const Container* from, Kind kind) {
  switch (kind) {
    case STRING:
      return string_set(&to->s, string_text(&from->s), string_size(&from->s));
    case STRINGS:
      return strings_copy(&to->v, &from->v);
    case INTVECS:
    case FLOATVECS:
      return vecs_copy(&to->v, &from->v);
    default:
      return vec_set(&to->v, from->v.begin, (size_t)(from->v.end - from->v.begin));
  }
}

static Container** container_slot(const snElement* e, const Field* f) {
  return (Container**)((char*)&e->u + f->offset);
}

static size_t round_up(size_t n) { return (n + 15) & ~(size_t)15; }

// The containers follow the public struct in the element's own block.
static Container* containers_of(const snElement* e, const Type* t) {
  return (Container*)((char*)e + round_up(offsetof(snElement, u) + t->size));
}

static void link_containers(snElement* e, const Type* t) {
  Container* c = containers_of(e, t);
  for (int i = 0; i < t->nfield; i++) *container_slot(e, t->field + i) = c + i;
}

snElement* element_make(snSpec* spec, mjtObj type) {
  const Type* t = type_of(type);
  size_t bytes = round_up(offsetof(snElement, u) + t->size) + (size_t)t->nfield * sizeof(Container);
  snElement* e = memory_alloc_zero(bytes);
  if (!e) return NULL;
  e->base.elemtype = type;
  e->spec = spec;
  spec->nelement++;
  e->id = e->adr[0] = e->adr[1] = -1;
  string_init(&e->name);
  int nlist = type == mjOBJ_BODY ? snNCHILD : type == mjOBJ_TENDON || type == mjOBJ_DEFAULT;
  if (nlist && !(e->child = memory_alloc_zero((size_t)nlist * sizeof(snList)))) {
    spec->nelement--;
    memory_free(e);
    return NULL;
  }
  t->defaults(&e->u);
  Container* c = containers_of(e, t);
  for (int i = 0; i < t->nfield; i++) container_init(c + i, t->field[i].kind);
  link_containers(e, t);
  e->u.body.element = &e->base;  // every public struct starts with it
  if (type == mjOBJ_PLUGIN) e->u.plugin.name = &e->name;
  // a material names one texture per role, a cube one file per face: all there, all empty
  int slots = type == mjOBJ_MATERIAL ? mjNTEXROLE : type == mjOBJ_TEXTURE ? 6 : 0;
  for (int i = 0; i < slots; i++) {
    if (!strings_append(type == mjOBJ_MATERIAL ? e->u.material.textures : e->u.texture.cubefiles,
                        "")) {
      element_free(e);
      return NULL;
    }
  }
  if (type == snOBJ_WRAP) {
    string_init(&e->u.wrap.target);
    string_init(&e->u.wrap.side);
  }
  return e;
}

void element_free_attributes(snElement* e) {
  for (int i = 0; i < e->nattribute; i++) {
    string_free(&e->attribute[i].key);
    string_free(&e->attribute[i].value);
  }
  memory_free(e->attribute);
  memory_free(e->attribute_map);
  e->attribute = NULL;
  e->attribute_map = NULL;
  e->nattribute = 0;
}

// What is left of a deleted element can be read, and says that it is deleted.
static void leave_empty(snElement* e) {
  const Type* t = type_of(e->base.elemtype);
  Container* c = containers_of(e, t);
  for (int i = 0; i < t->nfield; i++) container_init(c + i, t->field[i].kind);
  memset(&e->adr, 0xff, sizeof e->adr);
  e->id = -1;
  e->parent = e->frame = e->def = e->twin = NULL;
  e->child = NULL;
  e->class = NULL;
  e->user = NULL;
  e->saved = NULL;
  e->asset = NULL;
  e->asset_free = NULL;
  e->deleted = true;
}

// Lists are freed, what they list is not.
void element_free(snElement* e) {
  if (!e) return;
  spec_name_remove(e->spec, e);
  e->spec->nelement--;
  const Type* t = type_of(e->base.elemtype);
  Container* c = containers_of(e, t);
  for (int i = 0; i < t->nfield; i++) container_free(c + i, t->field[i].kind);
  string_free(&e->name);
  if (e->base.elemtype == snOBJ_WRAP) {
    string_free(&e->u.wrap.target);
    string_free(&e->u.wrap.side);
  }
  int nlist = !e->child ? 0 : e->base.elemtype == mjOBJ_BODY ? snNCHILD : 1;
  for (int i = 0; i < nlist; i++) memory_free(e->child[i].item);
  memory_free(e->child);
  if (e->class) {
    for (int i = 0; i < snNCLASS; i++) element_free(e->class[i]);
    memory_free(e->class);
  }
  for (snUserValue* v = e->user; v;) {
    snUserValue* next = v->next;
    if (v->cleanup) v->cleanup(v->value);
    memory_free(v);
    v = next;
  }
  element_free_attributes(e);
  key_free_parts(e);
  memory_free(e->saved);
  if (e->asset_free) e->asset_free(e->asset);
  if (e->spec && e->spec->keeps) {
    leave_empty(e);
    e->twin = e->spec->gone;  // a chain, for which no memory can be short
    e->spec->gone = e;
  } else {
    memory_free(e);
  }
}

void element_swap(snElement* a, snElement* b) {
  const Type* t = type_of(a->base.elemtype);
  size_t bytes = round_up(offsetof(snElement, u) + t->size) + (size_t)t->nfield * sizeof(Container);
  snElement* pair[2] = {a, b};
  struct {
    snUserValue* user;
    snElement* twin;
    int mark;
  } kept[2] = {{a->user, a->twin, a->mark}, {b->user, b->twin, b->mark}};
  char *x = (char*)a, *y = (char*)b;
  for (size_t i = 0; i < bytes; i++) {
    char byte = x[i];
    x[i] = y[i];
    y[i] = byte;
  }
  for (int i = 0; i < 2; i++) {
    snElement* e = pair[i];
    e->user = kept[i].user;
    e->twin = kept[i].twin;
    e->mark = kept[i].mark;
    e->u.body.element = &e->base;
    link_containers(e, t);
  }
}

void element_free_tree(snElement* e) {
  int nlist = !e->child ? 0 : e->base.elemtype == mjOBJ_BODY ? snNCHILD : 1;
  for (int k = 0; k < nlist; k++) {
    for (int i = 0; i < e->child[k].n; i++) element_free_tree(e->child[k].item[i]);
  }
  element_free(e);
}

bool element_copy_fields(snElement* to, const snElement* from) {
  const Type* t = type_of(from->base.elemtype);
  if (from->base.elemtype == mjOBJ_DEFAULT) return true;  // its pointers are its own
  if (from->base.elemtype == snOBJ_WRAP) {
    const snWrap* w = &from->u.wrap;
    to->u.wrap.type = w->type;
    to->u.wrap.prm = w->prm;
    if (!string_set(&to->u.wrap.target, string_text(&w->target), string_size(&w->target)) ||
        !string_set(&to->u.wrap.side, string_text(&w->side), string_size(&w->side))) {
      return false;
    }
  } else {
    memcpy(&to->u, &from->u, t->size);
    to->u.body.element = &to->base;
    link_containers(to, t);
    if (from->base.elemtype == mjOBJ_PLUGIN) to->u.plugin.name = &to->name;
  }
  for (int i = 0; i < t->nfield; i++) {
    // read through the source's pointer: it may be a struct of the user's own
    Container* source = *container_slot(from, t->field + i);
    Container* own = containers_of(to, t) + i;
    if (source && !container_copy(own, source, t->field[i].kind)) return false;
  }
  return true;
}

mjsPlugin* element_plugin(const snElement* e) {
  const Type* t = type_of(e->base.elemtype);
  return t && t->plugin >= 0 ? (mjsPlugin*)((char*)&e->u + t->plugin) : NULL;
}

snString* element_info(const snElement* e) {
  const Type* t = type_of(e->base.elemtype);
  return t && t->info >= 0 ? *(snString**)((char*)&e->u + t->info) : NULL;
}

static const mjString* asset_file(const snElement* e) {
  switch (e->base.elemtype) {
    case mjOBJ_MESH:
      return e->u.mesh.file;
    case mjOBJ_HFIELD:
      return e->u.hfield.file;
    case mjOBJ_TEXTURE:
      return e->u.texture.file;
    case mjOBJ_SKIN:
      return e->u.skin.file;
    default:
      return NULL;
  }
}

const char* element_stem(const snElement* e, size_t* size) {
  const mjString* file = asset_file(e);
  if (string_empty(file)) return NULL;
  const char* text = string_text(file);
  const char* slash = strrchr(text, '/');
  const char* back = strrchr(slash ? slash : text, '\\');
  const char* start = back ? back + 1 : slash ? slash + 1 : text;
  const char* dot = strrchr(start, '.');
  *size = dot ? (size_t)(dot - start) : strlen(start);
  return start;
}

const char* element_describe(const snElement* e, char* text, size_t size) {
  const snString* info = element_info(e);
  char id[24] = "";
  if (e->id >= 0) snprintf(id, sizeof id, ", id %d", e->id);
  bool more = info && string_size(info);
  snprintf(text, size, "name '%s'%s%s%s", string_text(&e->name), id, more ? ", " : "",
           more ? string_text(info) : "");
  return text;
}

const mjsCompiler* element_compiler(const snElement* e) {
  return e->source ? &e->source->compiler : &e->spec->pub.compiler;
}

// ---- lists
bool list_reserve(snList* list, int more) {
  if (list->n + more <= list->capacity) return true;
  int capacity = 2 * list->n + more + 4;
  snElement** item = memory_resize(list->item, (size_t)list->capacity * sizeof *item,
                                   (size_t)capacity * sizeof *item);
  if (!item) return false;
  list->item = item;
  list->capacity = capacity;
  return true;
}

bool list_append(snList* list, snElement* e) {
  if (!list_reserve(list, 1)) return false;
  list->item[list->n++] = e;
  return true;
}

void list_remove(snList* list, const snElement* e) {
  int kept = 0;
  for (int i = 0; i < list->n; i++) {
    if (list->item[i] != e) list->item[kept++] = list->item[i];
  }
  list->n = kept;
}

int child_slot(mjtObj type) {
  switch ((int)type) {
    case mjOBJ_BODY:
    case mjOBJ_XBODY:
      return snCHILD_BODY;
    case mjOBJ_FRAME:
      return snCHILD_FRAME;
    case mjOBJ_JOINT:
      return snCHILD_JOINT;
    case mjOBJ_GEOM:
      return snCHILD_GEOM;
    case mjOBJ_SITE:
      return snCHILD_SITE;
    case mjOBJ_CAMERA:
      return snCHILD_CAMERA;
    case mjOBJ_LIGHT:
      return snCHILD_LIGHT;
    default:
      return -1;
  }
}
