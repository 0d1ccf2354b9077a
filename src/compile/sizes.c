// Sizes of the model, computed before it is allocated: the dof tree, tendon paths, names, and all
// that has variable length.
//
// Sums are taken in 64 bits and refused when they exceed an int (compile_grow); files are small,
// and the counts in them need not be.
#include <limits.h>
#include <string.h>

#include "compile/compile.h"

static int joint_dofs(int type) { return type == mjJNT_FREE ? 6 : type == mjJNT_BALL ? 3 : 1; }
static int joint_coordinates(int type) {
  return type == mjJNT_FREE ? 7 : type == mjJNT_BALL ? 4 : 1;
}

bool compile_grow(snCompile* c, int* size, int64_t more, const char* name) {
  int64_t sum = *size + more;
  if (more < 0 || sum > INT_MAX) {
    return compile_error(c, NULL, "%s would be %lld, a size is at most %d", name, (long long)sum,
                         INT_MAX);
  }
  *size = (int)sum;
  return true;
}

// Length of user data: the longest in the model, or as the user sets it.
static bool user_size(snCompile* c, mjtObj type, int given, const char* name, int* size) {
  int longest = 0;
  const snElement* at = NULL;
  for (int i = 0; i < c->list[type].n; i++) {
    const snElement* e = c->list[type].item[i];
    const mjDoubleVec* data = type == mjOBJ_BODY       ? e->u.body.userdata
                              : type == mjOBJ_JOINT    ? e->u.joint.userdata
                              : type == mjOBJ_GEOM     ? e->u.geom.userdata
                              : type == mjOBJ_SITE     ? e->u.site.userdata
                              : type == mjOBJ_CAMERA   ? e->u.camera.userdata
                              : type == mjOBJ_TENDON   ? e->u.tendon.userdata
                              : type == mjOBJ_ACTUATOR ? e->u.actuator.userdata
                                                       : e->u.sensor.userdata;
    if (doubles_count(data) > longest) longest = doubles_count(data), at = e;
  }
  if (given >= 0 && longest > given) {
    return compile_error(c, at, "user has more values than %s in %s: %d, at most %d", name,
                         type_name(type), longest, given);
  }
  *size = given >= 0 ? given : longest;
  return true;
}

static bool user_sizes(snCompile* c, mjModel* m) {
  const mjSpec* s = &c->spec->pub;
  return user_size(c, mjOBJ_BODY, s->nuser_body, "nuser_body", &m->nuser_body) &&
         user_size(c, mjOBJ_JOINT, s->nuser_jnt, "nuser_jnt", &m->nuser_jnt) &&
         user_size(c, mjOBJ_GEOM, s->nuser_geom, "nuser_geom", &m->nuser_geom) &&
         user_size(c, mjOBJ_SITE, s->nuser_site, "nuser_site", &m->nuser_site) &&
         user_size(c, mjOBJ_CAMERA, s->nuser_cam, "nuser_cam", &m->nuser_cam) &&
         user_size(c, mjOBJ_TENDON, s->nuser_tendon, "nuser_tendon", &m->nuser_tendon) &&
         user_size(c, mjOBJ_ACTUATOR, s->nuser_actuator, "nuser_actuator", &m->nuser_actuator) &&
         user_size(c, mjOBJ_SENSOR, s->nuser_sensor, "nuser_sensor", &m->nuser_sensor);
}

// ---- the tree: addresses of joints and dofs, welds, roots, trees
static void body_structure(snCompile* c, mjModel* m) {
  snList* bodies = &c->list[mjOBJ_BODY];
  for (int i = 0; i < bodies->n; i++) {
    snElement* e = bodies->item[i];
    snBodyWork* w = &c->body[i];
    const snBodyWork* parent = i ? &c->body[e->parent->id] : NULL;
    snList* joints = &e->child[snCHILD_JOINT];
    w->dofadr = m->nv;
    w->lastdof = i ? parent->lastdof : -1;
    for (int k = 0; k < joints->n; k++) {
      snElement* j = joints->item[k];
      j->adr[0] = m->nq;
      j->adr[1] = m->nv;
      m->nq += joint_coordinates(j->u.joint.type);
      m->nv += joint_dofs(j->u.joint.type);
    }
    w->dofnum = m->nv - w->dofadr;
    if (w->dofnum) w->lastdof = m->nv - 1;
    w->root = !i ? 0 : e->parent->id == 0 ? i : parent->root;
    w->weld = !i ? 0 : w->dofnum ? i : parent->weld;
    w->tree = i && parent->tree >= 0 ? parent->tree : w->dofnum ? m->ntree++ : -1;
    w->mocap = e->u.body.mocap ? m->nmocap++ : -1;
    e->adr[0] = w->mocap;
    if (e->u.body.gravcomp > 0) m->ngravcomp++;
  }
}

// Numbers of nonzeros. M: each dof with its ancestors; D: both triangles of M; B: per body the dofs
// of ancestors and subtree; C: M with simple dofs alone (counted when simple bodies are known).
static bool sparse_sizes(snCompile* c, mjModel* m) {
  snList* bodies = &c->list[mjOBJ_BODY];
  int64_t nM = 0, nB = m->nv;  // the world's row has all dofs
  for (int i = 1; i < bodies->n; i++) {
    snBodyWork* w = &c->body[i];
    const snBodyWork* parent = &c->body[bodies->item[i]->parent->id];
    w->above = parent->above + parent->dofnum;
    w->depth = parent->depth + 1;
    int64_t own = w->dofnum;
    nM += own * w->above + own * (own + 1) / 2;
    nB += w->above + own * w->depth;
  }
  return compile_grow(c, &m->nM, nM, "nM") && compile_grow(c, &m->nD, 2 * nM - m->nv, "nD") &&
         compile_grow(c, &m->nB, nB, "nB");
}

// A flex counts as one row here; its edges are added when rows are made.
static int equality_rows(const snElement* e) {
  switch ((int)e->u.equality.type) {
    case mjEQ_CONNECT:
      return 3;
    case mjEQ_WELD:
      return 7;
    default:
      return 1;
  }
}

// Activations of a plugin precede that of dyntype; only the plugin knows their number.
static bool activation_size(snCompile* c, const snElement* e, mjsActuator* a) {
  if (a->actdim < 0) a->actdim = a->dyntype != mjDYN_NONE;
  if (a->plugin.active) return true;
  if (a->actdim > 1 && a->dyntype != mjDYN_USER) {
    return compile_error(c, e, "actdim > 1 is only allowed for dyntype 'user' in actuator");
  }
  if (a->actdim == 0 && a->dyntype != mjDYN_NONE) {
    return compile_error(c, e, "actdim must be positive for a stateful actuator");
  }
  if (a->actdim == 1 && a->dyntype == mjDYN_NONE) {
    return compile_error(c, e, "actdim must be 0 when dyntype is 'none'");
  }
  return true;
}

static bool object_sizes(snCompile* c, mjModel* m) {
  snList* list = c->list;
  for (int i = 0; i < list[mjOBJ_EQUALITY].n; i++) {
    m->nemax += equality_rows(list[mjOBJ_EQUALITY].item[i]);
  }
  for (int i = 0; i < list[mjOBJ_TENDON].n; i++) {
    m->nwrap += list[mjOBJ_TENDON].item[i]->child[snCHILD_WRAP].n;
  }
  for (int i = 0; i < list[mjOBJ_ACTUATOR].n; i++) {
    snElement* e = list[mjOBJ_ACTUATOR].item[i];
    mjsActuator* a = &e->u.actuator;
    const snElement* joint = NULL;
    if (a->trntype == mjTRN_JOINT || a->trntype == mjTRN_JOINTINPARENT) {
      joint = spec_find(c->spec, mjOBJ_JOINT, string_text(a->target));
    }
    int dofs = joint ? joint_dofs(joint->u.joint.type) : m->nv;
    if (!compile_grow(c, &m->nJmom, dofs, "nJmom")) return false;
    if (!activation_size(c, e, a)) return false;
    e->adr[0] = a->actdim ? m->na : -1;
    e->adr[1] = i;
    if (!compile_grow(c, &m->na, a->actdim, "na")) return false;
  }
  for (int i = 0; i < list[mjOBJ_SENSOR].n; i++) {
    snElement* e = list[mjOBJ_SENSOR].item[i];
    if (!sensor_resolve(c, e)) return false;
    if (!compile_grow(c, &m->nsensordata, e->u.sensor.dim, "nsensordata")) return false;
  }
  for (int i = 0; i < list[mjOBJ_NUMERIC].n; i++) {
    snElement* e = list[mjOBJ_NUMERIC].item[i];
    mjsNumeric* n = &e->u.numeric;
    int count = doubles_count(n->data);
    if (n->size == 0) n->size = count;
    if (n->size < count) {
      return compile_error(c, e, "numeric '%s': size %d is smaller than its %d values",
                           string_text(&e->name), n->size, count);
    }
    if (n->size == 0)
      return compile_error(c, e, "numeric '%s' has no values and no size", string_text(&e->name));
    if (!compile_grow(c, &m->nnumericdata, n->size, "nnumericdata")) return false;
  }
  for (int i = 0; i < list[mjOBJ_TEXT].n; i++) {
    const snElement* e = list[mjOBJ_TEXT].item[i];
    size_t size = string_size(e->u.text.data);
    if (!size) return compile_error(c, e, "text '%s' is empty", string_text(&e->name));
    if (!compile_grow(c, &m->ntextdata, (int64_t)size + 1, "ntextdata")) return false;
  }
  for (int i = 0; i < list[mjOBJ_TUPLE].n; i++) {
    snElement* e = list[mjOBJ_TUPLE].item[i];
    int n = ints_count(e->u.tuple.objtype);
    if (strings_count(e->u.tuple.objname) != n || doubles_count(e->u.tuple.objprm) != n) {
      return compile_error(c, e, "tuple object arrays have different sizes");
    }
    if (n == 0) return compile_error(c, e, "tuple object arrays are empty");
    if (!compile_grow(c, &m->ntupledata, n, "ntupledata")) return false;
  }
  return true;
}

static bool plugin_sizes(snCompile* c, mjModel* m);

static bool name_sizes(snCompile* c, mjModel* m) {
  static const mjtObj order[] = {
      mjOBJ_BODY,    mjOBJ_JOINT,   mjOBJ_GEOM,     mjOBJ_SITE,   mjOBJ_CAMERA,   mjOBJ_LIGHT,
      mjOBJ_FLEX,    mjOBJ_MESH,    mjOBJ_SKIN,     mjOBJ_HFIELD, mjOBJ_TEXTURE,  mjOBJ_MATERIAL,
      mjOBJ_PAIR,    mjOBJ_EXCLUDE, mjOBJ_EQUALITY, mjOBJ_TENDON, mjOBJ_ACTUATOR, mjOBJ_SENSOR,
      mjOBJ_NUMERIC, mjOBJ_TEXT,    mjOBJ_TUPLE,    mjOBJ_KEY,    mjOBJ_PLUGIN};
  size_t n = string_size(&c->spec->modelname) + 1;
  for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
    for (int i = 0; i < c->list[order[k]].n; i++)
      n += string_size(&c->list[order[k]].item[i]->name) + 1;
  }
  // keyframes beyond those of the spec (nkey), and the instance of friction that holds, have no
  // names
  n += (size_t)(m->nkey - c->list[mjOBJ_KEY].n + m->nplugin - c->list[mjOBJ_PLUGIN].n);
  if (!compile_grow(c, &m->nnames, (int64_t)n, "nnames")) return false;
  m->nnames_map = names_map_size(m);
  return m->nnames_map >= 0 || compile_error(c, NULL, "the model has too many names");
}

// What a text of the spec says, "" without it.
static const char* text_of(const snCompile* c, const char* name) {
  const snList* text = c->list + mjOBJ_TEXT;
  for (int i = 0; i < text->n; i++) {
    if (!strcmp(string_text(&text->item[i]->name), name)) {
      return string_text(text->item[i]->u.text.data);
    }
  }
  return "";
}

// Does the model ask for friction that holds, or for sleep? Then it has instances more than its
// elements say.
bool compile_sticks(const snCompile* c) { return !strcmp(text_of(c, "sinew:friction"), "stick"); }

bool compile_sleeps(const snCompile* c) {
  const char* sleep = text_of(c, "sinew:sleep");
  return sleep[0] && strcmp(sleep, "off");
}

bool compile_structure(snCompile* c, mjModel* m) {
  snList* list = c->list;
  const mjSpec* s = &c->spec->pub;
  m->nbody = list[mjOBJ_BODY].n;
  m->njnt = list[mjOBJ_JOINT].n;
  m->ngeom = list[mjOBJ_GEOM].n;
  m->nsite = list[mjOBJ_SITE].n;
  m->ncam = list[mjOBJ_CAMERA].n;
  m->nlight = list[mjOBJ_LIGHT].n;
  m->nflex = list[mjOBJ_FLEX].n;
  m->nmesh = list[mjOBJ_MESH].n;
  m->nskin = list[mjOBJ_SKIN].n;
  m->nhfield = list[mjOBJ_HFIELD].n;
  m->ntex = list[mjOBJ_TEXTURE].n;
  m->nmat = list[mjOBJ_MATERIAL].n;
  m->npair = list[mjOBJ_PAIR].n;
  m->nexclude = list[mjOBJ_EXCLUDE].n;
  m->neq = list[mjOBJ_EQUALITY].n;
  m->ntendon = list[mjOBJ_TENDON].n;
  m->nu = list[mjOBJ_ACTUATOR].n;
  m->nsensor = list[mjOBJ_SENSOR].n;
  m->nnumeric = list[mjOBJ_NUMERIC].n;
  m->ntext = list[mjOBJ_TEXT].n;
  m->ntuple = list[mjOBJ_TUPLE].n;
  m->nkey = list[mjOBJ_KEY].n > s->nkey ? list[mjOBJ_KEY].n : s->nkey;
  m->nplugin = list[mjOBJ_PLUGIN].n + compile_sticks(c) + compile_sleeps(c);
  m->nuserdata = s->nuserdata;
  m->njmax = s->njmax;
  m->nconmax = s->nconmax;
  if (!compile_sort_pairs(c)) return false;
  for (int i = 0; i < m->ntendon; i++) {
    if (!compile_tendon(c, list[mjOBJ_TENDON].item[i])) return false;
  }
  c->body = memory_alloc_zero((size_t)m->nbody * sizeof *c->body);
  if (!c->body) return compile_error(c, NULL, "out of memory");
  body_structure(c, m);
  if (!sparse_sizes(c, m) || !user_sizes(c, m) || !compile_asset_sizes(c, m) ||
      !object_sizes(c, m) || !plugin_sizes(c, m)) {
    return false;
  }
  m->nC = compile_simple(c, m);
  if (m->nC < 0) return false;
  if (!name_sizes(c, m)) return false;
  compile_memory(c, m);
  return true;
}

// ---- plugin instances: attributes in the order the plugin declares them, state
static bool plugin_sizes(snCompile* c, mjModel* m) {
  m->npluginattr += compile_sticks(c) + compile_sleeps(c);
  for (int i = 0; i < c->list[mjOBJ_PLUGIN].n; i++) {
    snElement* e = c->list[mjOBJ_PLUGIN].item[i];
    int slot = -1;
    const char* name = string_text(e->u.plugin.plugin_name);
    if (!name[0]) return compile_error(c, e, "neither 'plugin' nor 'instance' is specified");
    const mjpPlugin* plugin = mjp_getPlugin(name, &slot);
    if (!plugin) return compile_error(c, e, "unknown plugin '%s'", name);
    bool active = false;
    for (int k = 0; k < c->spec->nplugin && !active; k++) active = c->spec->plugin[k] == slot;
    if (!active) {
      return compile_error(c, e, "plugin '%s' is not declared in extension", name);
    }
    e->adr[0] = slot;
    for (int k = 0; k < e->nattribute; k++) {
      bool known = false;
      for (int j = 0; j < plugin->nattribute && !known; j++) {
        known = strcmp(plugin->attributes[j], string_text(&e->attribute[k].key)) == 0;
      }
      if (!known) {
        return compile_error(c, e, "unrecognized attribute 'plugin:%s' for plugin %s",
                             string_text(&e->attribute[k].key), plugin->name);
      }
    }
    for (int j = 0; j < plugin->nattribute; j++) {
      const char* value = plugin_get_attribute(e, plugin->attributes[j]);
      m->npluginattr += (int)(value ? strlen(value) : 0) + 1;
    }
    if (!plugin->nattribute) m->npluginattr++;
  }
  return true;
}
