// The order of work of the compiler (compile.h); errors, names, lists of elements, the budget.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compile/compile.h"
#include "hard/hard.h"
#include "maximal/maximal.h"
#include "data/data.h"

// ---- faults
bool compile_error(snCompile* c, const snElement* e, const char* format, ...) {
  char text[640], where[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (!e) return fault_raise(&c->fault, "Error: %s", text);
  return fault_raise(&c->fault, "Error: %s\nElement %s", text,
                     element_describe(e, where, sizeof where));
}

snElement* compile_find(snCompile* c, const snElement* who, mjtObj type, const mjString* name) {
  snElement* found = spec_find(c->spec, type, string_text(name));
  if (!found) {
    mjtObj kind = who->base.elemtype;  // words of the released messages
    const char* place = kind == mjOBJ_PAIR      ? "collision"
                        : kind == mjOBJ_EXCLUDE ? "bodypair"
                                                : type_name(kind);
    compile_error(c, who, "%s '%s' not found in %s %d", type_name(type), string_text(name), place,
                  who->id);
  }
  return found;
}

bool compile_id(snCompile* c, const snElement* who, mjtObj type, const mjString* name, int* id) {
  *id = -1;
  if (string_empty(name)) return true;
  snElement* found = compile_find(c, who, type, name);
  if (found) *id = found->id;
  return found != NULL;
}

bool compile_limited(snCompile* c, const snElement* e, const char* attribute,
                     const char* range_name, int limited, const double range[2], bool* out) {
  if (limited == mjLIMITED_AUTO && !element_compiler(e)->autolimits && range[0] < range[1]) {
    return compile_error(c, e,
                         "%s has `%s` but not `%s`: set the autolimits=\"true\" compiler option, "
                         "specify `%s` (\"true\" or \"false\"), or remove `%s`",
                         type_name(e->base.elemtype), range_name, attribute, attribute, range_name);
  }
  *out = limited == mjLIMITED_TRUE || (limited == mjLIMITED_AUTO && range[0] < range[1]);
  return true;
}

// ---- names
// An asset without a name is named after its file.
static bool name_from_file(snCompile* c, snElement* e) {
  size_t size;
  const char* stem = string_size(&e->name) ? NULL : element_stem(e, &size);
  if (!stem || (string_set(&e->name, stem, size) && spec_name_add(c->spec, e))) return true;
  return compile_error(c, e, "out of memory");
}

static bool check_name(snCompile* c, const snElement* e) {
  if (!string_size(&e->name)) return true;
  const snElement* first = spec_find(c->spec, e->base.elemtype, string_text(&e->name));
  return first == e || compile_error(c, e, "repeated name '%s' in %s", string_text(&e->name),
                                     type_name(e->base.elemtype));
}

static bool check_body_names(snCompile* c, const snElement* body) {
  if (!check_name(c, body)) return false;
  for (int k = 0; k < snNCHILD; k++) {
    for (int i = 0; i < body->child[k].n; i++) {
      const snElement* e = body->child[k].item[i];
      if (!(k == snCHILD_BODY ? check_body_names(c, e) : check_name(c, e))) return false;
    }
  }
  return true;
}

bool compile_names(snCompile* c) {
  snSpec* s = c->spec;
  static const mjtObj filed[] = {mjOBJ_MESH, mjOBJ_HFIELD, mjOBJ_TEXTURE, mjOBJ_SKIN};
  for (size_t k = 0; k < sizeof filed / sizeof filed[0]; k++) {
    for (int i = 0; i < s->list[filed[k]].n; i++) {
      if (!name_from_file(c, s->list[filed[k]].item[i])) return false;
    }
  }
  static const mjtObj named[] = {mjOBJ_MESH, mjOBJ_HFIELD, mjOBJ_MATERIAL, mjOBJ_TEXTURE};
  for (size_t k = 0; k < sizeof named / sizeof named[0]; k++) {
    for (int i = 0; i < s->list[named[k]].n; i++) {
      snElement* e = s->list[named[k]].item[i];
      bool cube = named[k] == mjOBJ_TEXTURE && e->u.texture.type == mjTEXTURE_SKYBOX;
      if (!string_size(&e->name) && !cube) {
        return compile_error(c, e, "empty name in %s", type_name(named[k]));
      }
    }
  }
  if (!check_body_names(c, s->world)) return false;
  for (int k = 0; k < mjNOBJECT; k++) {
    for (int i = 0; i < s->list[k].n; i++) {
      if (!check_name(c, s->list[k].item[i])) return false;
    }
  }
  return true;
}

// ---- lists: elements on bodies, in depth-first order of the bodies
static bool list_body(snCompile* c, snElement* body) {
  static const mjtObj type[snNCHILD] = {mjOBJ_BODY, mjOBJ_FRAME,  mjOBJ_JOINT, mjOBJ_GEOM,
                                        mjOBJ_SITE, mjOBJ_CAMERA, mjOBJ_LIGHT};
  body->id = c->list[mjOBJ_BODY].n;
  if (!list_append(&c->list[mjOBJ_BODY], body)) return false;
  for (int k = snCHILD_JOINT; k < snNCHILD; k++) {
    for (int i = 0; i < body->child[k].n; i++) {
      snElement* e = body->child[k].item[i];
      e->id = c->list[type[k]].n;
      if (!list_append(&c->list[type[k]], e)) return false;
    }
  }
  for (int i = 0; i < body->child[snCHILD_BODY].n; i++) {
    if (!list_body(c, body->child[snCHILD_BODY].item[i])) return false;
  }
  return true;
}

bool compile_lists(snCompile* c) {
  for (int k = 0; k < mjNOBJECT; k++) c->list[k].n = 0;
  bool done = list_body(c, c->spec->world);
  for (int k = 0; done && k < mjNOBJECT; k++) {
    for (int i = 0; done && i < c->spec->list[k].n; i++) {
      c->spec->list[k].item[i]->id = i;
      done = list_append(&c->list[k], c->spec->list[k].item[i]);
    }
  }
  return done || compile_error(c, NULL, "out of memory");
}

// ---- the compilation
static void compile_free(snCompile* c) {
  for (int i = 0; c->body && i < c->list[mjOBJ_BODY].n; i++) bvh_free(&c->body[i].bvh);
  memory_free(c->body);
  memory_free(c->geom);
  memory_free(c->margin);
  for (int i = 0; i < c->nmesh; i++) mesh_free(&c->mesh[i]);
  for (int i = 0; i < c->nhfield; i++) hfield_free(&c->hfield[i]);
  for (int i = 0; i < c->ntexture; i++) texture_free(&c->texture[i]);
  for (int i = 0; i < c->nskin; i++) skin_free(&c->skin[i]);
  for (int i = 0; i < c->nflex; i++) flex_free(&c->flex[i]);
  memory_free(c->mesh);
  memory_free(c->hfield);
  memory_free(c->texture);
  memory_free(c->skin);
  memory_free(c->flex);
  for (int k = 0; k < mjNOBJECT; k++) memory_free(c->list[k].item);
  if (c->spec) mj_deleteSpec(&c->spec->pub);
}

// Checks the size of the model and its data against the budget before either is allocated.
static bool within_budget(snCompile* c, const mjModel* sizes) {
  size_t bytes;
  if (!model_buffer_size(sizes, &bytes, &c->fault)) return false;
  double data = 0;
  for (int i = 0; i < schema_data_buffer; i++) {
    const snField* f = &schema_data[i];
    data += (double)schema_rows(f, sizes, NULL) * (double)schema_columns(f, sizes) * f->width;
  }
  return budget_bytes((double)bytes, "the arrays of the model", &c->fault) &&
         budget_bytes(data, "the arrays of its data", &c->fault);
}

static bool compile_run(snCompile* c) {
  mjModel sizes;
  memset(&sizes, 0, sizeof sizes);
  if (!spec_gather_asked(c->spec, &c->fault) || !compile_names(c) || !compile_poses(c) ||
      !compile_lists(c) || !compile_discard(c) || !compile_assets(c) || !compile_geoms(c) ||
      !compile_bodies(c) || !compile_prune(c) || !compile_masses(c) ||
      !compile_structure(c, &sizes)) {
    return false;
  }
  if (!within_budget(c, &sizes)) return false;
  c->m = model_alloc(&sizes, &c->fault);
  return c->m && compile_fill_tree(c) && compile_fill_assets(c) && compile_fill_objects(c) &&
         compile_fill_names(c) && model_finish(c->m, &c->fault) && hard_check(c->m, &c->fault) &&
         maximal_check(c->m, &c->fault) && compile_constants(c) && model_watch(c->m, &c->fault);
}

// The user's elements learn the ids of the objects made from them.
static void return_ids(snCompile* c) {
  for (int k = 0; k < mjNOBJECT; k++) {
    for (int i = 0; i < c->list[k].n; i++) {
      snElement* e = c->list[k].item[i];
      if (!e->twin) continue;
      e->twin->id = i;
      e->twin->adr[0] = e->adr[0];
      e->twin->adr[1] = e->adr[1];
    }
  }
}

// The user's keyframes get vectors of the compiled layout.
static void return_keys(snCompile* c) {
  mjModel* m = c->m;
  for (int i = 0; i < c->list[mjOBJ_KEY].n; i++) {
    snElement* key = c->list[mjOBJ_KEY].item[i]->twin;
    if (key) key->waits = false;
    if (!key || !key->npart) continue;
    mjsKey* k = &key->u.key;
    mjs_setDouble(k->qpos, m->key_qpos + m->nq * i, m->nq);
    mjs_setDouble(k->qvel, m->key_qvel + m->nv * i, m->nv);
    mjs_setDouble(k->act, m->key_act + m->na * i, m->na);
    mjs_setDouble(k->ctrl, m->key_ctrl + m->nu * i, m->nu);
    mjs_setDouble(k->mpos, m->key_mpos + 3 * m->nmocap * i, 3 * m->nmocap);
    mjs_setDouble(k->mquat, m->key_mquat + 4 * m->nmocap * i, 4 * m->nmocap);
    key_free_parts(key);
  }
}

// A hash of object types and names: specs that produce the same objects share it, so a copy of a
// spec accepts models of the original.
static uint64_t signature(const mjModel* m) {
  uint64_t h = 0;
  for (int i = 0; i < schema_size_count; i++) {
    int size = schema_int(m, schema_size[i].offset);
    if (strcmp(schema_size[i].name, "nnames_map")) h = hash_bytes(&size, sizeof size, h);
  }
  return hash_bytes(m->names, (size_t)m->nnames, h);
}

mjModel* mj_compile(mjSpec* s, const mjVFS* vfs) {
  if (!s) {
    mju_error("mj_compile: there is no spec");
    return NULL;
  }
  snCompile c;
  memset(&c, 0, sizeof c);
  c.user = spec_of(s);
  c.user->error[0] = 0;
  c.user->warning = false;
  c.user->compiled = 0;
  if (c.user->lent) {
    spec_error(
        c.user,
        "Error: cannot compile child spec if attached by reference to a parent spec: compile "
        "the parent, or set mjs_setDeepCopy(parent, 1) before attaching");
    return NULL;
  }
  c.vfs = vfs;
  c.spec = spec_copy(c.user);
  if (!c.spec) {
    spec_error(c.user, "mj_compile: out of memory");
    return NULL;
  }
  snHearing hearing;
  hearing_begin(&hearing);
  bool done = compile_run(&c);
  hearing_end(&hearing);
  if (!c.warning[0]) snprintf(c.warning, sizeof c.warning, "%.500s", hearing.text);
  if (done) {
    return_ids(&c);
    return_keys(&c);
    c.m->signature = c.user->element.base.signature = signature(c.m);
    c.user->compiled = c.user->changes + 1;
    if (c.warning[0]) spec_warning(c.user, "%s", c.warning);
  } else {
    bool more = hearing.text[0] && !strstr(c.fault.text, hearing.text);
    spec_error(c.user, "%s%s%s", c.fault.raised ? c.fault.text : "mj_compile: out of memory",
               more ? "\n" : "", more ? hearing.text : "");
    mj_deleteModel(c.m);
    c.m = NULL;
  }
  mjModel* m = c.m;
  compile_free(&c);
  return m;
}
