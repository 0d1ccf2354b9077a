// MJCF sections that refer to elements of the tree: deformable, contact, equality, tendon,
// actuator, sensor, keyframe.
#include <math.h>

#include "write/write.h"

static void write_skin(snWriter* w, const snElement* e) {
  mjsSkin plain, x = e->u.skin;
  mjs_defaultSkin(&plain);
  plain.material = plain.file = x.file = NULL;
  text_open(&w->text, "skin");
  write_identity(w, e, e->def);
  write_file(w, "file", e, string_text(e->u.skin.file), false);
  write_values(w, table_child(&table_asset, "skin"),
               "material rgba inflate vertex texcoord face group", &x, &plain);
  int nbone = strings_count(x.bodyname);
  if (floats_count(x.bindpos) < 3 * nbone || floats_count(x.bindquat) < 4 * nbone ||
      vecs_count(x.vertid) < nbone || vecs_count(x.vertweight) < nbone) {
    fault_raise(w->fault, "skin '%s' has bones without pose, vertices or weights",
                string_text(&e->name));
    return;
  }
  for (int i = 0; i < nbone; i++) {
    text_open(&w->text, "bone");
    text_string(&w->text, "body", strings_at(x.bodyname, i));
    text_floats(&w->text, "bindpos", floats_data(x.bindpos) + 3 * i, 3);
    text_floats(&w->text, "bindquat", floats_data(x.bindquat) + 4 * i, 4);
    text_ints(&w->text, "vertid", ints_data(vecs_at(x.vertid, i)),
              ints_count(vecs_at(x.vertid, i)));
    text_floats(&w->text, "vertweight", floats_data(vecs_at(x.vertweight, i)),
                floats_count(vecs_at(x.vertweight, i)));
    text_close(&w->text, "bone");
  }
  text_close(&w->text, "skin");
}

static void write_flex(snWriter* w, const snElement* e, const snElement* plain) {
  static const char* const kParts[][2] = {
      {"contact",
       "contype conaffinity condim priority friction solmix solref solimp margin gap internal "
       "selfcollide activelayers"},
      {"elasticity", "young poisson thickness damping elastic2d"},
      {"edge", "stiffness damping"}};
  const snTag* tag = table_child(&table_deformable, "flex");
  text_open(&w->text, "flex");
  if (string_size(&e->name)) text_string(&w->text, "name", string_text(&e->name));
  write_values(w, tag,
               "radius material rgba flatskin dim group body vertex element node texcoord "
               "elemtexcoord",
               &e->u.flex, &plain->u.flex);
  for (int k = 0; k < snCOUNT(kParts); k++) {
    snText before = w->text;
    text_open(&w->text, kParts[k][0]);
    write_values(w, table_child(tag, kParts[k][0]), kParts[k][1], &e->u.flex, &plain->u.flex);
    if (k == 1 || !text_undo(&w->text, &before, kParts[k][0])) text_close(&w->text, kParts[k][0]);
  }
  text_close(&w->text, "flex");
}

static void write_deformable(snWriter* w, const snList* flexes, const snList* skins) {
  if (!flexes->n && !skins->n) return;
  snElement* plain = element_make((snSpec*)w->spec, mjOBJ_FLEX);
  if (!plain) {
    w->text.failed = true;
    return;
  }
  w->whole = true;
  text_open(&w->text, "deformable");
  for (int i = 0; i < flexes->n; i++) write_flex(w, flexes->item[i], plain);
  for (int i = 0; i < skins->n; i++) write_skin(w, skins->item[i]);
  text_close(&w->text, "deformable");
  w->whole = false;
  element_free(plain);
}

static void write_contact(snWriter* w, const snList* pairs, const snList* excludes) {
  if (!pairs->n && !excludes->n) return;
  text_open(&w->text, "contact");
  for (int i = 0; i < pairs->n; i++) {
    const snElement* e = pairs->item[i];
    text_open(&w->text, "pair");
    if (e->def != w->spec->main) text_string(&w->text, "class", string_text(&e->def->name));
    text_string(&w->text, "geom1", string_text(e->u.pair.geomname1));
    text_string(&w->text, "geom2", string_text(e->u.pair.geomname2));
    if (string_size(&e->name)) text_string(&w->text, "name", string_text(&e->name));
    mjsPair x = e->u.pair;
    x.geomname1 = x.geomname2 = NULL;
    write_values(w, table_child(&table_contact, "pair"), write_order_pair, &x,
                 &e->def->class[snCLASS_PAIR] -> u.pair);
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
}

static void write_equality(snWriter* w, const snElement* e) {
  const mjsEquality* x = &e->u.equality;
  static const char* const kNames[] = {"connect", "weld", "joint", "tendon", "flex"};
  if ((int)x->type < 0 || (int)x->type >= snCOUNT(kNames)) {
    fault_raise(w->fault, "equality '%s' is of a type that MJCF cannot express",
                string_text(&e->name));
    return;
  }
  const snTag* tag = table_child(&table_equality, kNames[x->type]);
  mjsEquality normal = e->def->class[snCLASS_EQUALITY]->u.equality;
  normal.data[0] = NAN;  // NaN differs from everything: coefficients are always written
  text_open(&w->text, tag->name);
  write_identity(w, e, w->spec->main);
  if (x->type == mjEQ_CONNECT || x->type == mjEQ_WELD) {
    bool sites = x->objtype == mjOBJ_SITE;
    text_string(&w->text, sites ? "site1" : "body1", string_text(x->name1));
    if (!string_empty(x->name2))
      text_string(&w->text, sites ? "site2" : "body2", string_text(x->name2));
    if (!sites) {
      text_doubles(&w->text, "anchor", x->data, 3);
      if (x->type == mjEQ_WELD) text_doubles(&w->text, "relpose", x->data + 3, 7);
    }
    if (x->type == mjEQ_WELD) text_doubles(&w->text, "torquescale", x->data + 10, 1);
  }
  write_values(w, tag, write_order_equality, x, &normal);
  text_close(&w->text, tag->name);
}

static void write_tendon(snWriter* w, const snElement* e) {
  const snList* path = e->child + snCHILD_WRAP;
  bool fixed = path->n && path->item[0]->u.wrap.type == mjWRAP_JOINT;
  const snTag* tag = table_child(&table_tendon, fixed ? "fixed" : "spatial");
  text_open(&w->text, tag->name);
  write_identity(w, e, w->spec->main);
  write_values(w, tag, write_order_tendon, &e->u.tendon,
               &e->def->class[snCLASS_TENDON] -> u.tendon);
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

// All actuators are written as general.
static void write_actuator(snWriter* w, const snElement* e) {
  static const struct {
    mjtTrn type;
    const char* name;
  } kTargets[] = {{mjTRN_JOINT, "joint"},   {mjTRN_JOINTINPARENT, "jointinparent"},
                  {mjTRN_TENDON, "tendon"}, {mjTRN_SLIDERCRANK, "cranksite"},
                  {mjTRN_SITE, "site"},     {mjTRN_BODY, "body"}};
  const mjsActuator *x = &e->u.actuator, *normal = &e->def->class[snCLASS_ACTUATOR]->u.actuator;
  const snTag* tag = table_child(&table_actuator, x->plugin.active ? "plugin" : "general");
  text_open(&w->text, tag->name);
  write_identity(w, e, w->spec->main);
  for (int i = 0; i < snCOUNT(kTargets); i++) {
    if (kTargets[i].type == x->trntype && !string_empty(x->target)) {
      text_string(&w->text, kTargets[i].name, string_text(x->target));
    }
  }
  write_values(w, tag, write_order_actuator, x, normal);
  if (x->plugin.active) {
    write_plugin_attributes(w, &x->plugin);
    write_config(w, &x->plugin);
  }
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
  if (x->type == mjSENS_USER) {
    text_ints(&w->text, "dim", &x->dim, 1);
    text_string(&w->text, "needstage", table_keyword(key_stage, x->needstage));
    text_string(&w->text, "datatype", table_keyword(key_datatype, x->datatype));
  }
  if (string_size(&e->name)) text_string(&w->text, "name", string_text(&e->name));
  if (x->type == mjSENS_PLUGIN) write_plugin_attributes(w, &x->plugin);
  if (x->cutoff != plain.cutoff) text_doubles(&w->text, "cutoff", &x->cutoff, 1);
  if (x->noise != plain.noise) text_doubles(&w->text, "noise", &x->noise, 1);
  if (doubles_count(x->userdata))
    text_doubles(&w->text, "user", doubles_data(x->userdata), doubles_count(x->userdata));
  if (x->type == mjSENS_PLUGIN) write_config(w, &x->plugin);
  text_close(&w->text, tag->name);
}

// The parts of an attached keyframe are scattered over elements of the spec; the model has it
// whole.
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
  write_values(w, table_child(&table_keyframe, "key"), "time qpos qvel act ctrl mpos mquat",
               &e->u.key, &plain);
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
  write_contact(w, list + mjOBJ_PAIR, list + mjOBJ_EXCLUDE);
  write_deformable(w, list + mjOBJ_FLEX, list + mjOBJ_SKIN);
  for (int k = 0; k < snCOUNT(kSections); k++) {
    const snList* some = list + kSections[k].type;
    if (!some->n) continue;
    text_open(&w->text, kSections[k].name);
    for (int i = 0; i < some->n; i++) kSections[k].write(w, some->item[i]);
    text_close(&w->text, kSections[k].name);
  }
}
