// Arrays of pairs, excludes, equalities, tendons, actuators, sensors, custom fields, keyframes,
// plugins; and all names.
#include <math.h>
#include <stdlib.h>

#include "base/assert.h"
#include "compile/fill.h"
#include "constrain/constrain.h"
#include "hold/hold.h"

// ---- pairs and excludes, sorted by signature: (body1 << 16) + body2, body1 <= body2
static int signature(int a, int b) { return a < b ? (a << 16) + b : (b << 16) + a; }

static void sort_by_mark(snCompile* c, mjtObj type) {
  snElement** item = c->list[type].item;
  int n = c->list[type].n;
  for (int i = 1; i < n; i++) {
    snElement* e = item[i];
    int k = i;
    for (; k > 0 && item[k - 1]->mark > e->mark; k--) item[k] = item[k - 1];
    item[k] = e;
  }
  for (int i = 0; i < n; i++) {
    SN_ASSERT(!i || item[i - 1]->mark <= item[i]->mark);
    item[i]->id = i;
  }
}

bool compile_sort_pairs(snCompile* c) {
  for (int i = 0; i < c->list[mjOBJ_PAIR].n; i++) {
    snElement* e = c->list[mjOBJ_PAIR].item[i];
    const snElement* g1 = compile_find(c, e, mjOBJ_GEOM, e->u.pair.geomname1);
    const snElement* g2 = g1 ? compile_find(c, e, mjOBJ_GEOM, e->u.pair.geomname2) : NULL;
    if (!g2) return false;
    e->mark = signature(g1->parent->id, g2->parent->id);
  }
  for (int i = 0; i < c->list[mjOBJ_EXCLUDE].n; i++) {
    snElement* e = c->list[mjOBJ_EXCLUDE].item[i];
    const snElement* b1 = compile_find(c, e, mjOBJ_BODY, e->u.exclude.bodyname1);
    const snElement* b2 = b1 ? compile_find(c, e, mjOBJ_BODY, e->u.exclude.bodyname2) : NULL;
    if (!b2) return false;
    e->mark = signature(b1->id, b2->id);
  }
  sort_by_mark(c, mjOBJ_PAIR);
  sort_by_mark(c, mjOBJ_EXCLUDE);
  return true;
}

static bool fill_pair(snCompile* c, const snElement* e) {
  mjModel* m = c->m;
  const mjsPair* p = &e->u.pair;
  int i = e->id;
  if (p->condim != 1 && p->condim != 3 && p->condim != 4 && p->condim != 6) {
    return compile_error(c, e, "invalid condim %d in contact pair: must be 1, 3, 4 or 6",
                         p->condim);
  }
  const snElement* g1 = compile_find(c, e, mjOBJ_GEOM, p->geomname1);
  const snElement* g2 = compile_find(c, e, mjOBJ_GEOM, p->geomname2);
  if (!g1 || !g2) return false;
  if (g1->parent->id > g2->parent->id) {
    const snElement* swap = g1;
    g1 = g2;
    g2 = swap;
  }
  m->pair_dim[i] = p->condim;
  m->pair_geom1[i] = g1->id;
  m->pair_geom2[i] = g2->id;
  m->pair_signature[i] = e->mark;
  copy_num(m->pair_solref + mjNREF * i, p->solref, mjNREF);
  copy_num(m->pair_solreffriction + mjNREF * i, p->solreffriction, mjNREF);
  copy_num(m->pair_solimp + mjNIMP * i, p->solimp, mjNIMP);
  m->pair_margin[i] = p->margin;
  m->pair_gap[i] = p->gap;
  copy_num(m->pair_friction + 5 * i, p->friction, 5);
  return true;
}

// ---- equalities
static bool fill_equality(snCompile* c, const snElement* e) {
  mjModel* m = c->m;
  const mjsEquality* eq = &e->u.equality;
  int i = e->id;
  mjtObj type = equality_objtype(eq);
  if ((eq->type == mjEQ_CONNECT || eq->type == mjEQ_WELD) && eq->objtype != mjOBJ_BODY &&
      eq->objtype != mjOBJ_SITE) {
    return compile_error(c, e, "%s constraint supports only sites and bodies",
                         eq->type == mjEQ_WELD ? "weld" : "connect");
  }
  const snElement* first = spec_find(c->spec, type, string_text(eq->name1));
  if (!first) {
    return compile_error(c, e, "unknown element '%s' in equality constraint",
                         string_text(eq->name1));
  }
  const snElement* second = NULL;
  if (!string_empty(eq->name2)) {
    second = spec_find(c->spec, type, string_text(eq->name2));
    if (!second) {
      return compile_error(c, e, "unknown element '%s' in equality constraint",
                           string_text(eq->name2));
    }
    if (second == first) {
      return compile_error(c, e, "element '%s' is repeated in equality constraint %d",
                           string_text(eq->name1), i);
    }
  }
  if (type == mjOBJ_SITE && !second) {
    return compile_error(c, e, "both sites must be defined in equality constraint");
  }
  if (type == mjOBJ_FLEX && m->flex_rigid[first->id]) {
    return compile_error(c, e, "rigid flex '%s' in equality constraint %d", string_text(eq->name1),
                         i);
  }
  if (type == mjOBJ_JOINT) {
    for (int k = 0; k < 2; k++) {
      const snElement* j = k ? second : first;
      if (j && j->u.joint.type != mjJNT_HINGE && j->u.joint.type != mjJNT_SLIDE) {
        return compile_error(c, e, "only HINGE and SLIDE joint allowed in constraint");
      }
    }
  }
  m->eq_type[i] = eq->type;
  m->eq_obj1id[i] = first->id;
  m->eq_obj2id[i] = second ? second->id : type == mjOBJ_BODY ? 0 : -1;
  m->eq_objtype[i] = eq->objtype;
  m->eq_active0[i] = eq->active;
  copy_num(m->eq_solref + mjNREF * i, eq->solref, mjNREF);
  copy_num(m->eq_solimp + mjNIMP * i, eq->solimp, mjNIMP);
  copy_num(m->eq_data + mjNEQDATA * i, eq->data, mjNEQDATA);
  if (eq->type == mjEQ_CONNECT && type == mjOBJ_SITE) {
    memset(m->eq_data + mjNEQDATA * i, 0, mjNEQDATA * sizeof(mjtNum));
  }
  return true;
}

// ---- tendons
// Limits and path of a tendon, checked before anything refers to it.
bool compile_tendon(snCompile* c, snElement* e) {
  mjsTendon* t = &e->u.tendon;
  snList* path = &e->child[snCHILD_WRAP];
  bool limited, forced;
  if (!compile_limited(c, e, "limited", "range", t->limited, t->range, &limited) ||
      !compile_limited(c, e, "actuatorfrclimited", "actuatorfrcrange", t->actfrclimited,
                       t->actfrcrange, &forced)) {
    return false;
  }
  t->limited = limited;
  t->actfrclimited = forced;
  if (limited && !(t->range[0] < t->range[1]))
    return compile_error(c, e, "invalid limits in tendon");
  // the range must contain zero: a tendon can always be passive
  if (forced && (!(t->actfrcrange[0] < t->actfrcrange[1]) || t->actfrcrange[0] > 0 ||
                 t->actfrcrange[1] < 0)) {
    return compile_error(c, e, "invalid actuatorfrcrange in tendon: expected [min <= 0, max >= 0]");
  }
  if (!(t->width > 0)) return compile_error(c, e, "tendon must have positive width");
  if (t->springlength[0] > t->springlength[1]) {
    return compile_error(c, e, "invalid springlength in tendon");
  }
  int n = path->n;
  if (!n) return compile_error(c, e, "path cannot be empty in tendon");
  bool spatial = path->item[0]->u.wrap.type != mjWRAP_JOINT;
  if (spatial && n < 2) {
    return compile_error(c, e, "spatial path must contain at least two objects in tendon");
  }
  for (int i = 0; i < n; i++) {
    const snWrap* w = &path->item[i]->u.wrap;
    int before = i > 0 ? path->item[i - 1]->u.wrap.type : mjWRAP_NONE;
    int after = i + 1 < n ? path->item[i + 1]->u.wrap.type : mjWRAP_NONE;
    if ((w->type == mjWRAP_JOINT) == spatial) {
      return compile_error(
          c, e, "spatial object found in fixed path, or joint in spatial path, at pos %d", i);
    }
    if (w->type == mjWRAP_PULLEY && i + 1 == n) {
      return compile_error(c, e, "path ends with pulley in tendon");
    }
    if (w->type == mjWRAP_PULLEY && after == mjWRAP_PULLEY) {
      return compile_error(c, e, "two pulleys in a row at pos %d in tendon", i);
    }
    if (w->type == mjWRAP_SITE) {
      bool alone = (before == mjWRAP_PULLEY || before == mjWRAP_NONE) &&
                   (after == mjWRAP_PULLEY || after == mjWRAP_NONE);
      if (alone) return compile_error(c, e, "site %d needs a neighbor that is not a pulley", i);
      if (after == mjWRAP_SITE &&
          strcmp(string_text(&w->target), string_text(&path->item[i + 1]->u.wrap.target)) == 0) {
        return compile_error(c, e, "site %d is repeated in tendon", i);
      }
    }
    if (w->type == mjWRAP_SPHERE || w->type == mjWRAP_CYLINDER) {
      if (before != mjWRAP_SITE || after != mjWRAP_SITE) {
        return compile_error(c, e, "geom at pos %d not bracketed by sites in tendon", i);
      }
      if (t->armature > 0) {
        return compile_error(c, e, "geom wrapping not supported by tendon armature");
      }
    }
  }
  if (spatial && t->armature < 0) return compile_error(c, e, "tendon armature cannot be negative");
  return true;
}

static bool fill_wrap(snCompile* c, const snElement* tendon, const snWrap* w, int k, int at) {
  mjModel* m = c->m;
  m->wrap_objid[k] = -1;
  m->wrap_type[k] = w->type;
  m->wrap_prm[k] = w->prm;
  if (w->type == mjWRAP_PULLEY) {
    if (w->prm < 0) return compile_error(c, tendon, "pulley has negative divisor in wrap %d", at);
    return true;
  }
  bool geom = w->type == mjWRAP_SPHERE || w->type == mjWRAP_CYLINDER;
  mjtObj type = geom ? mjOBJ_GEOM : w->type == mjWRAP_JOINT ? mjOBJ_JOINT : mjOBJ_SITE;
  const snElement* found = spec_find(c->spec, type, string_text(&w->target));
  if (!found) {
    return compile_error(c, tendon, "%s '%s' not found in tendon %d, wrap %d", type_name(type),
                         string_text(&w->target), tendon->id, at);
  }
  m->wrap_objid[k] = found->id;
  if (!geom) return true;
  if (found->u.geom.type == mjGEOM_SPHERE) {
    m->wrap_type[k] = mjWRAP_SPHERE;
  } else if (found->u.geom.type == mjGEOM_CYLINDER) {
    m->wrap_type[k] = mjWRAP_CYLINDER;
  } else {
    return compile_error(c, tendon, "geom '%s' in wrap %d is not sphere or cylinder",
                         string_text(&w->target), at);
  }
  m->wrap_prm[k] = -1;
  if (!string_size(&w->side)) return true;
  const snElement* side = spec_find(c->spec, mjOBJ_SITE, string_text(&w->side));
  if (!side)
    return compile_error(c, tendon, "side site '%s' not found in tendon %d, wrap %d",
                         string_text(&w->side), tendon->id, at);
  m->wrap_prm[k] = side->id;
  return true;
}

static bool fill_tendon(snCompile* c, const snElement* e, int* adr) {
  mjModel* m = c->m;
  const mjsTendon* t = &e->u.tendon;
  int i = e->id;
  m->tendon_adr[i] = *adr;
  m->tendon_num[i] = e->child[snCHILD_WRAP].n;
  for (int k = 0; k < m->tendon_num[i]; k++) {
    const snElement* w = e->child[snCHILD_WRAP].item[k];
    if (!fill_wrap(c, e, &w->u.wrap, (*adr)++, k)) return false;
  }
  m->tendon_group[i] = t->group;
  m->tendon_limited[i] = (mjtByte)t->limited;
  m->tendon_actfrclimited[i] = (mjtByte)t->actfrclimited;
  m->tendon_width[i] = t->width;
  copy_num(m->tendon_solref_lim + mjNREF * i, t->solref_limit, mjNREF);
  copy_num(m->tendon_solimp_lim + mjNIMP * i, t->solimp_limit, mjNIMP);
  copy_num(m->tendon_solref_fri + mjNREF * i, t->solref_friction, mjNREF);
  copy_num(m->tendon_solimp_fri + mjNIMP * i, t->solimp_friction, mjNIMP);
  copy_num(m->tendon_range + 2 * i, t->range, 2);
  copy_num(m->tendon_actfrcrange + 2 * i, t->actfrcrange, 2);
  m->tendon_margin[i] = t->margin;
  m->tendon_stiffness[i] = t->stiffness;
  m->tendon_damping[i] = t->damping;
  m->tendon_armature[i] = t->armature;
  m->tendon_frictionloss[i] = t->frictionloss;
  copy_num(m->tendon_lengthspring + 2 * i, t->springlength, 2);
  copy_user(m->tendon_user + m->nuser_tendon * i, t->userdata, m->nuser_tendon);
  memcpy(m->tendon_rgba + 4 * i, t->rgba, sizeof t->rgba);
  return compile_id(c, e, mjOBJ_MATERIAL, t->material, &m->tendon_matid[i]);
}

// ---- custom fields
static bool fill_tuple(snCompile* c, const snElement* e, int* adr) {
  mjModel* m = c->m;
  const mjsTuple* t = &e->u.tuple;
  int i = e->id;
  m->tuple_adr[i] = *adr;
  m->tuple_size[i] = ints_count(t->objtype);
  for (int k = 0; k < m->tuple_size[i]; k++, (*adr)++) {
    mjtObj type = (mjtObj)ints_data(t->objtype)[k];
    const snElement* found = spec_find(c->spec, type, strings_at(t->objname, k));
    if (!found) {
      return compile_error(c, e, "unrecognized object '%s' of type %s in tuple",
                           strings_at(t->objname, k), type_name(type));
    }
    m->tuple_objtype[*adr] = type;
    m->tuple_objid[*adr] = found->id;
    m->tuple_objprm[*adr] = doubles_data(t->objprm)[k];
  }
  return true;
}

static void fill_custom(snCompile* c) {
  mjModel* m = c->m;
  int adr = 0;
  for (int i = 0; i < m->nnumeric; i++) {
    const mjsNumeric* n = &c->list[mjOBJ_NUMERIC].item[i]->u.numeric;
    m->numeric_adr[i] = adr;
    m->numeric_size[i] = n->size;
    copy_user(m->numeric_data + adr, n->data, n->size);
    adr += n->size;
  }
  SN_ASSERT(adr == m->nnumericdata);
  adr = 0;
  for (int i = 0; i < m->ntext; i++) {
    const mjsText* t = &c->list[mjOBJ_TEXT].item[i]->u.text;
    m->text_adr[i] = adr;
    m->text_size[i] = (int)string_size(t->data) + 1;
    memcpy(m->text_data + adr, string_text(t->data), (size_t)m->text_size[i]);
    adr += m->text_size[i];
  }
  SN_ASSERT(adr == m->ntextdata);
}

// ---- sensors
static bool sensor_object(snCompile* c, const snElement* e, mjtObj type, const mjString* name,
                          int* id) {
  *id = -1;
  if (type == mjOBJ_UNKNOWN) return true;
  const snElement* found = spec_find(c->spec, type, string_text(name));
  if (!found) {
    return compile_error(c, e, "unrecognized name '%s' of sensorized object (%s)",
                         string_text(name), type_name(type));
  }
  *id = found->id;
  return true;
}

static bool fill_sensor(snCompile* c, snElement* e, int* adr) {
  mjModel* m = c->m;
  const mjsSensor* s = &e->u.sensor;
  int i = e->id;
  if (s->reftype != mjOBJ_UNKNOWN && string_empty(s->refname)) {
    return compile_error(c, e, "missing name of reference frame object in sensor");
  }
  if (!sensor_object(c, e, s->objtype, s->objname, &m->sensor_objid[i]) ||
      !sensor_object(c, e, s->reftype, s->refname, &m->sensor_refid[i]) ||
      !sensor_validate(c, e, m->sensor_objid[i]) ||
      !compile_plugin_id(c, e, &s->plugin, &m->sensor_plugin[i])) {
    return false;
  }
  m->sensor_type[i] = s->type;
  m->sensor_datatype[i] = s->datatype;
  m->sensor_needstage[i] = s->needstage;
  m->sensor_objtype[i] = s->objtype;
  m->sensor_reftype[i] = s->reftype;
  m->sensor_dim[i] = s->dim;
  m->sensor_adr[i] = *adr;
  m->sensor_cutoff[i] = s->cutoff;
  m->sensor_noise[i] = s->noise;
  copy_user(m->sensor_user + m->nuser_sensor * i, s->userdata, m->nuser_sensor);
  *adr += s->dim;
  return true;
}

// ---- keyframes
static bool fill_key_part(snCompile* c, const snElement* e, const char* name,
                          const mjDoubleVec* given, mjtNum* to, const mjtNum* otherwise, int n) {
  int count = e ? doubles_count(given) : 0;
  if (count && count != n) {
    return compile_error(c, e, "keyframe %d: invalid %s size %d, expected length %d", e->id, name,
                         count, n);
  }
  if (count) {
    memcpy(to, doubles_data(given), (size_t)n * sizeof *to);
  } else if (otherwise) {
    memcpy(to, otherwise, (size_t)n * sizeof *to);
  }
  return true;
}

static bool fill_key(snCompile* c, const snElement* e, int i) {
  mjModel* m = c->m;
  const mjsKey* k = e ? &e->u.key : &(mjsKey){0};
  m->key_time[i] = k->time;
  if (!fill_key_part(c, e, "qpos", k->qpos, m->key_qpos + m->nq * i, m->qpos0, m->nq) ||
      !fill_key_part(c, e, "qvel", k->qvel, m->key_qvel + m->nv * i, NULL, m->nv) ||
      !fill_key_part(c, e, "act", k->act, m->key_act + m->na * i, NULL, m->na) ||
      !fill_key_part(c, e, "ctrl", k->ctrl, m->key_ctrl + m->nu * i, NULL, m->nu)) {
    return false;
  }
  mjtNum* mpos = m->key_mpos + 3 * m->nmocap * i;
  mjtNum* mquat = m->key_mquat + 4 * m->nmocap * i;
  for (int b = 0; b < m->nbody; b++) {
    if (m->body_mocapid[b] < 0) continue;
    vec3_copy(mpos + 3 * m->body_mocapid[b], m->body_pos + 3 * b);
    quat_copy(mquat + 4 * m->body_mocapid[b], m->body_quat + 4 * b);
  }
  if (!fill_key_part(c, e, "mpos", k->mpos, mpos, NULL, 3 * m->nmocap) ||
      !fill_key_part(c, e, "mquat", k->mquat, mquat, NULL, 4 * m->nmocap)) {
    return false;
  }
  for (int p = 0; e && p < e->npart; p++) {
    const snKeyPart* part = &e->part[p];
    const snElement* owner = part->element;
    mjtNum* at = part->kind == snKEY_QPOS   ? m->key_qpos + m->nq * i + owner->adr[0]
                 : part->kind == snKEY_QVEL ? m->key_qvel + m->nv * i + owner->adr[1]
                 : part->kind == snKEY_ACT  ? m->key_act + m->na * i + owner->adr[0]
                 : part->kind == snKEY_CTRL ? m->key_ctrl + m->nu * i + owner->id
                 : part->kind == snKEY_MPOS ? mpos + 3 * owner->adr[0]
                                            : mquat + 4 * owner->adr[0];
    // components that the element has gained since it was attached keep their defaults
    int now = key_part_size(owner, part->kind), n = part->size < now ? part->size : now;
    SN_ASSERT(n <= 0 || owner->adr[0] >= 0 || part->kind == snKEY_CTRL);  // it is in the model
    if (n > 0) memcpy(at, part->value, (size_t)n * sizeof *at);
  }
  for (int b = 0; b < m->nmocap; b++) {  // a null quaternion is kept, as released
    double* quat = mquat + 4 * b;
    if (mju_norm(quat, 4) >= mjMINVAL) mju_normalize4(quat);
  }
  mj_normalizeQuat(m, m->key_qpos + m->nq * i);
  return true;
}

// An instance without attributes. Returns the address behind its own.
static int fill_builtin(mjModel* m, const char* name, int instance, int adr) {
  mjp_getPlugin(name, m->plugin + instance);
  SN_ASSERT(instance < m->nplugin && adr < m->npluginattr);
  m->plugin_attradr[instance] = adr;
  m->plugin_attr[adr] = 0;
  return adr + 1;
}

// ---- plugins: values of all attributes that a plugin declares, in its order, zero-terminated
static void fill_plugins(snCompile* c) {
  mjModel* m = c->m;
  int adr = 0;
  for (int i = 0; i < c->list[mjOBJ_PLUGIN].n; i++) {
    const snElement* e = c->list[mjOBJ_PLUGIN].item[i];
    const mjpPlugin* plugin = mjp_getPluginAtSlot(e->adr[0]);
    m->plugin[i] = e->adr[0];
    m->plugin_attradr[i] = adr;
    for (int k = 0; k < plugin->nattribute; k++) {
      const char* value = plugin_get_attribute(e, plugin->attributes[k]);
      if (!value) value = "";
      memcpy(m->plugin_attr + adr, value, strlen(value) + 1);
      adr += (int)strlen(value) + 1;
    }
    if (!plugin->nattribute) m->plugin_attr[adr++] = 0;
    SN_ASSERT(adr <= m->npluginattr);
  }
  int next = c->list[mjOBJ_PLUGIN].n;
  if (compile_sticks(c)) adr = fill_builtin(m, anchor_plugin_name, next++, adr);
  if (compile_sleeps(c)) fill_builtin(m, sleep_plugin_name, next, adr);
}

bool compile_fill_objects(snCompile* c) {
  mjModel* m = c->m;
  snList* list = c->list;
  for (int i = 0; i < m->npair; i++) {
    if (!fill_pair(c, list[mjOBJ_PAIR].item[i])) return false;
  }
  for (int i = 0; i < m->nexclude; i++) m->exclude_signature[i] = list[mjOBJ_EXCLUDE].item[i]->mark;
  for (int i = 0; i < m->neq; i++) {
    if (!fill_equality(c, list[mjOBJ_EQUALITY].item[i])) return false;
  }
  int adr = 0;
  for (int i = 0; i < m->ntendon; i++) {
    if (!fill_tendon(c, list[mjOBJ_TENDON].item[i], &adr)) return false;
  }
  SN_ASSERT(adr == m->nwrap);
  for (int i = 0; i < m->nu; i++) {
    if (!compile_fill_actuator(c, list[mjOBJ_ACTUATOR].item[i])) return false;
  }
  adr = 0;
  for (int i = 0; i < m->nsensor; i++) {
    if (!fill_sensor(c, list[mjOBJ_SENSOR].item[i], &adr)) return false;
  }
  SN_ASSERT(adr == m->nsensordata);
  fill_custom(c);
  adr = 0;
  for (int i = 0; i < m->ntuple; i++) {
    if (!fill_tuple(c, list[mjOBJ_TUPLE].item[i], &adr)) return false;
  }
  SN_ASSERT(adr == m->ntupledata);
  for (int i = 0; i < m->nkey; i++) {
    if (!fill_key(c, i < list[mjOBJ_KEY].n ? list[mjOBJ_KEY].item[i] : NULL, i)) return false;
  }
  fill_plugins(c);
  return true;
}

// ---- names
static void fill_type(snCompile* c, mjtObj type, int* adr, int n, int* at) {
  for (int i = 0; i < n; i++) {
    const snString* name = i < c->list[type].n ? &c->list[type].item[i]->name : NULL;
    adr[i] = *at;
    if (name) memcpy(c->m->names + *at, string_text(name), string_size(name));
    *at += (int)(name ? string_size(name) : 0) + 1;
  }
}

bool compile_fill_names(snCompile* c) {
  mjModel* m = c->m;
  int at = (int)string_size(&c->spec->modelname) + 1;
  memcpy(m->names, string_text(&c->spec->modelname), (size_t)at);
  fill_type(c, mjOBJ_BODY, m->name_bodyadr, m->nbody, &at);
  fill_type(c, mjOBJ_JOINT, m->name_jntadr, m->njnt, &at);
  fill_type(c, mjOBJ_GEOM, m->name_geomadr, m->ngeom, &at);
  fill_type(c, mjOBJ_SITE, m->name_siteadr, m->nsite, &at);
  fill_type(c, mjOBJ_CAMERA, m->name_camadr, m->ncam, &at);
  fill_type(c, mjOBJ_LIGHT, m->name_lightadr, m->nlight, &at);
  fill_type(c, mjOBJ_FLEX, m->name_flexadr, m->nflex, &at);
  fill_type(c, mjOBJ_MESH, m->name_meshadr, m->nmesh, &at);
  fill_type(c, mjOBJ_SKIN, m->name_skinadr, m->nskin, &at);
  fill_type(c, mjOBJ_HFIELD, m->name_hfieldadr, m->nhfield, &at);
  fill_type(c, mjOBJ_TEXTURE, m->name_texadr, m->ntex, &at);
  fill_type(c, mjOBJ_MATERIAL, m->name_matadr, m->nmat, &at);
  fill_type(c, mjOBJ_PAIR, m->name_pairadr, m->npair, &at);
  fill_type(c, mjOBJ_EXCLUDE, m->name_excludeadr, m->nexclude, &at);
  fill_type(c, mjOBJ_EQUALITY, m->name_eqadr, m->neq, &at);
  fill_type(c, mjOBJ_TENDON, m->name_tendonadr, m->ntendon, &at);
  fill_type(c, mjOBJ_ACTUATOR, m->name_actuatoradr, m->nu, &at);
  fill_type(c, mjOBJ_SENSOR, m->name_sensoradr, m->nsensor, &at);
  fill_type(c, mjOBJ_NUMERIC, m->name_numericadr, m->nnumeric, &at);
  fill_type(c, mjOBJ_TEXT, m->name_textadr, m->ntext, &at);
  fill_type(c, mjOBJ_TUPLE, m->name_tupleadr, m->ntuple, &at);
  fill_type(c, mjOBJ_KEY, m->name_keyadr, m->nkey, &at);
  fill_type(c, mjOBJ_PLUGIN, m->name_pluginadr, m->nplugin, &at);
  SN_ASSERT(at == m->nnames);
  return true;
}
