// What links elements of the tree: deformables, contact, equality, tendons, actuators, sensors,
// keys.
#include <string.h>

#include "write/write.h"

static void write_flexes(snWriter* w, const snList* list) {
  if (!list->n) return;
  const snTag* tag = table_child(&table_deformable, "flex");
  snElement* plain = element_make((snSpec*)w->spec, mjOBJ_FLEX);
  if (!plain) {
    w->text.failed = true;
    return;
  }
  text_open(&w->text, "deformable");
  for (int i = 0; i < list->n; i++) {
    const snElement* e = list->item[i];
    text_open(&w->text, "flex");
    if (string_size(&e->name)) text_string(&w->text, "name", string_text(&e->name));
    write_values(w, tag, &e->u.flex, &plain->u.flex, e);
    for (int k = 0; k < tag->nchild; k++) {
      snText before = w->text;
      text_open(&w->text, tag->children[k].name);
      write_values(w, tag->children + k, &e->u.flex, &plain->u.flex, e);
      if (!text_undo(&w->text, &before, tag->children[k].name))
        text_close(&w->text, tag->children[k].name);
    }
    text_close(&w->text, "flex");
  }
  text_close(&w->text, "deformable");
  text_line(&w->text);
  element_free(plain);
}

static void write_contact(snWriter* w, const snList* pairs, const snList* excludes) {
  if (!pairs->n && !excludes->n) return;
  text_open(&w->text, "contact");
  for (int i = 0; i < pairs->n; i++) {
    const snElement* e = pairs->item[i];
    text_open(&w->text, "pair");
    write_identity(w, e, w->spec->main);
    write_values(w, table_child(&table_contact, "pair"), &e->u.pair,
                 &e->def->class[snCLASS_PAIR] -> u.pair, e);
    text_close(&w->text, "pair");
  }
  for (int i = 0; i < excludes->n; i++) {
    const snElement* e = excludes->item[i];
    text_open(&w->text, "exclude");
    if (string_size(&e->name)) text_string(&w->text, "name", string_text(&e->name));
    text_string(&w->text, "body1", string_text(e->u.exclude.bodyname1));
    text_string(&w->text, "body2", string_text(e->u.exclude.bodyname2));
    text_close(&w->text, "exclude");
  }
  text_close(&w->text, "contact");
  text_line(&w->text);
}

static void write_equality(snWriter* w, const snElement* e) {
  const mjsEquality* x = &e->u.equality;
  static const char* const kNames[] = {"connect", "weld", "joint", "tendon", "flex"};
  if ((int)x->type >= snCOUNT(kNames)) {
    fault_raise(w->fault, "equality '%s' is of a type that MJCF cannot express",
                string_text(&e->name));
    return;
  }
  const snTag* tag = table_child(&table_equality, kNames[x->type]);
  mjsEquality normal = e->def->class[snCLASS_EQUALITY]->u.equality;
  memset(normal.data, 0, sizeof(normal.data));
  normal.data[1] = 1;
  text_open(&w->text, tag->name);
  write_identity(w, e, w->spec->main);
  if (x->type == mjEQ_CONNECT || x->type == mjEQ_WELD) {
    bool sites = x->objtype == mjOBJ_SITE, posed = false;
    text_string(&w->text, sites ? "site1" : "body1", string_text(x->name1));
    if (!string_empty(x->name2))
      text_string(&w->text, sites ? "site2" : "body2", string_text(x->name2));
    for (int k = 3; k < 10; k++) posed = posed || x->data[k] != 0;
    if (!sites) {
      text_doubles(&w->text, "anchor", x->data, 3);
      if (x->type == mjEQ_WELD && posed) text_doubles(&w->text, "relpose", x->data + 3, 7);
    }
    if (x->type == mjEQ_WELD && x->data[10] != 1)
      text_doubles(&w->text, "torquescale", x->data + 10, 1);
  }
  write_values(w, tag, x, &normal, e);
  text_close(&w->text, tag->name);
}

static void write_tendon(snWriter* w, const snElement* e) {
  const snList* path = e->child + snCHILD_WRAP;
  bool fixed = path->n && path->item[0]->u.wrap.type == mjWRAP_JOINT;
  const snTag* tag = table_child(&table_tendon, fixed ? "fixed" : "spatial");
  text_open(&w->text, tag->name);
  write_identity(w, e, w->spec->main);
  write_values(w, tag, &e->u.tendon, &e->def->class[snCLASS_TENDON] -> u.tendon, e);
  for (int i = 0; i < path->n; i++) {
    const snWrap* p = &path->item[i]->u.wrap;
    const char* name = p->type == mjWRAP_JOINT    ? "joint"
                       : p->type == mjWRAP_PULLEY ? "pulley"
                       : p->type == mjWRAP_SITE   ? "site"
                                                  : "geom";
    text_open(&w->text, name);
    if (p->type != mjWRAP_PULLEY) text_string(&w->text, name, string_text(&p->target));
    if (string_size(&p->side)) text_string(&w->text, "sidesite", string_text(&p->side));
    if (p->type == mjWRAP_PULLEY) text_doubles(&w->text, "divisor", &p->prm, 1);
    if (p->type == mjWRAP_JOINT) text_doubles(&w->text, "coef", &p->prm, 1);
    text_close(&w->text, name);
  }
  text_close(&w->text, tag->name);
}

// Actuators are general; what takes its range from its target has it now.
static void write_actuator(snWriter* w, const snElement* e) {
  static const struct {
    mjtTrn type;
    const char* name;
  } kTargets[] = {{mjTRN_JOINT, "joint"},   {mjTRN_JOINTINPARENT, "jointinparent"},
                  {mjTRN_TENDON, "tendon"}, {mjTRN_SLIDERCRANK, "cranksite"},
                  {mjTRN_SITE, "site"},     {mjTRN_BODY, "body"}};
  mjsActuator ranged = e->u.actuator;
  const mjsActuator *x = &ranged, *normal = &e->def->class[snCLASS_ACTUATOR]->u.actuator;
  actuator_inherit(w->spec, &ranged, false);
  const snTag* tag = table_child(&table_actuator, x->plugin.active ? "plugin" : "general");
  text_open(&w->text, tag->name);
  write_identity(w, e, w->spec->main);
  for (int i = 0; i < snCOUNT(kTargets); i++) {
    if (kTargets[i].type == x->trntype && !string_empty(x->target)) {
      text_string(&w->text, kTargets[i].name, string_text(x->target));
    }
  }
  if (x->plugin.active) write_plugin_attributes(w, &x->plugin);
  write_values(w, tag, x, normal, e);
  if (x->plugin.active) write_config(w, &x->plugin);
  text_close(&w->text, tag->name);
}

static void write_sensor(snWriter* w, const snElement* e) {
  const mjsSensor* x = &e->u.sensor;
  const snTag* tag = NULL;
  for (int i = 0; i < table_sensor.nchild; i++) {
    if (table_sensor.children[i].tag == (int)x->type) tag = table_sensor.children + i;
  }
  if (!tag) {
    fault_raise(w->fault, "sensor '%s' is of a type that MJCF cannot express",
                string_text(&e->name));
    return;
  }
  mjsSensor plain;
  mjs_defaultSensor(&plain);
  text_open(&w->text, tag->name);
  if (string_size(&e->name)) text_string(&w->text, "name", string_text(&e->name));
  bool pair = table_attribute(tag, "geom1") != NULL;
  if (pair) {
    text_string(&w->text, x->objtype == mjOBJ_GEOM ? "geom1" : "body1", string_text(x->objname));
    text_string(&w->text, x->reftype == mjOBJ_GEOM ? "geom2" : "body2", string_text(x->refname));
  } else if (table_attribute(tag, "objtype")) {
    if (x->objtype != mjOBJ_UNKNOWN && !string_empty(x->objname)) {
      text_string(&w->text, "objtype", mju_type2Str(x->objtype));
      text_string(&w->text, "objname", string_text(x->objname));
    }
    if (x->reftype != mjOBJ_UNKNOWN && !string_empty(x->refname) &&
        table_attribute(tag, "reftype")) {
      text_string(&w->text, "reftype", mju_type2Str(x->reftype));
      text_string(&w->text, "refname", string_text(x->refname));
    }
  } else if (!string_empty(x->objname)) {
    text_string(&w->text, mju_type2Str(x->objtype), string_text(x->objname));
    if (x->type == mjSENS_CAMPROJECTION) text_string(&w->text, "camera", string_text(x->refname));
  }
  if (x->type == mjSENS_PLUGIN) write_plugin_attributes(w, &x->plugin);
  write_values(w, tag, x, &plain, e);
  if (x->type == mjSENS_PLUGIN) write_config(w, &x->plugin);
  text_close(&w->text, tag->name);
}

// A keyframe that came with an attachment is spread over what it sets: the model has it whole.
static void write_whole_key(snWriter* w, const snElement* e) {
  const mjModel* m = write_model(w);
  if (!m || e->id < 0 || e->id >= m->nkey) return;
  if (m->nq) text_doubles(&w->text, "qpos", m->key_qpos + e->id * m->nq, m->nq);
  if (m->nv) text_doubles(&w->text, "qvel", m->key_qvel + e->id * m->nv, m->nv);
  if (m->na) text_doubles(&w->text, "act", m->key_act + e->id * m->na, m->na);
  if (m->nu) text_doubles(&w->text, "ctrl", m->key_ctrl + e->id * m->nu, m->nu);
  if (m->nmocap) {
    text_doubles(&w->text, "mpos", m->key_mpos + e->id * 3 * m->nmocap, 3 * m->nmocap);
    text_doubles(&w->text, "mquat", m->key_mquat + e->id * 4 * m->nmocap, 4 * m->nmocap);
  }
}

static void write_key(snWriter* w, const snElement* e) {
  mjsKey plain;
  mjs_defaultKey(&plain);
  text_open(&w->text, "key");
  if (string_size(&e->name)) text_string(&w->text, "name", string_text(&e->name));
  if (e->npart) {
    if (e->u.key.time) text_doubles(&w->text, "time", &e->u.key.time, 1);
    write_whole_key(w, e);
    text_close(&w->text, "key");
    return;
  }
  write_values(w, table_child(&table_keyframe, "key"), &e->u.key, &plain, e);
  text_close(&w->text, "key");
}

void write_links(snWriter* w) {
  static const struct {
    mjtObj type;
    const char* name;
    void (*write)(snWriter*, const snElement*);
  } kSections[] = {{mjOBJ_EQUALITY, "equality", write_equality},
                   {mjOBJ_TENDON, "tendon", write_tendon},
                   {mjOBJ_ACTUATOR, "actuator", write_actuator},
                   {mjOBJ_SENSOR, "sensor", write_sensor},
                   {mjOBJ_KEY, "keyframe", write_key}};
  const snList* list = w->spec->list;
  text_line(&w->text);
  write_flexes(w, list + mjOBJ_FLEX);
  write_contact(w, list + mjOBJ_PAIR, list + mjOBJ_EXCLUDE);
  for (int k = 0; k < snCOUNT(kSections); k++) {
    const snList* some = list + kSections[k].type;
    if (!some->n) continue;
    text_open(&w->text, kSections[k].name);
    for (int i = 0; i < some->n; i++) kSections[k].write(w, some->item[i]);
    text_close(&w->text, kSections[k].name);
    if (k < snCOUNT(kSections) - 1) text_line(&w->text);
  }
}
