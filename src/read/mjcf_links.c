// MJCF: contact, equality, tendon, actuator and sensor sections.
//
// Most attributes are stored by the schema table. Code remains for what the table cannot say: two
// forms of connect and weld, paths of tendons, actuator shortcuts (position, velocity, muscle ...),
// which set several fields, and sensors, whose element name selects type and object.
#include <string.h>

#include "read/read.h"

bool read_contact(snReader* r, const snXmlNode* section) {
  for (const snXmlNode* n = section->child; n; n = n->next) {
    if (((const snTag*)n->info)->tag == mjOBJ_PAIR) {
      const mjsDefault* def;
      if (!read_class(r, n, NULL, &def)) return false;
      mjsPair* x = mjs_addPair(r->spec, def);
      if (!x) return read_memory(r, n);
      read_info(n, x->info);
      if (!read_values(r, n, x, x->element)) return false;
    } else {
      mjsExclude* x = mjs_addExclude(r->spec);
      if (!x) return read_memory(r, n);
      read_info(n, x->info);
      if (!read_values(r, n, x, x->element)) return false;
    }
  }
  return true;
}

// ---- equality
// connect and weld hold two bodies (with an anchor or a relative pose), or two sites.
static bool read_attachment(snReader* r, const snXmlNode* n, mjsEquality* x) {
  const char *body1 = xml_get(n, "body1"), *body2 = xml_get(n, "body2");
  const char *site1 = xml_get(n, "site1"), *site2 = xml_get(n, "site2");
  bool weld = x->type == mjEQ_WELD;
  int anchor, relpose = 0;
  memset(x->data, 0, 10 * sizeof(double));
  x->data[10] = 1;
  if (!read_doubles(r, n, "anchor", x->data, 3, 3, &anchor)) return false;
  if (weld && (!read_doubles(r, n, "relpose", x->data + 3, 7, 7, &relpose) ||
               !read_doubles(r, n, "torquescale", x->data + 10, 1, 1, NULL))) {
    return false;
  }
  bool bodies = body1 || body2 || anchor || relpose, sites = site1 || site2;
  if (bodies && sites) {
    return xml_fault(n, NULL, r->fault,
                     "body and site semantics cannot be mixed: body1, body2, anchor%s with site1, "
                     "site2",
                     weld ? ", relpose" : "");
  }
  if (!(sites ? site1 && site2 : body1 && (weld || anchor))) {
    return xml_fault(n, NULL, r->fault,
                     "either %s must be defined, or both site1 and site2 must be defined",
                     weld ? "body1" : "both body1 and anchor");
  }
  if (weld && sites) x->data[1] = 1;  // unused by the engine; as released
  x->objtype = sites ? mjOBJ_SITE : mjOBJ_BODY;
  mjs_setString(x->name1, sites ? site1 : body1);
  const char* second = sites ? site2 : body2;
  if (second) mjs_setString(x->name2, second);
  return true;
}

bool read_equality(snReader* r, const snXmlNode* section) {
  for (const snXmlNode* n = section->child; n; n = n->next) {
    const mjsDefault* def;
    if (!read_class(r, n, NULL, &def)) return false;
    mjsEquality* x = mjs_addEquality(r->spec, def);
    if (!x) return read_memory(r, n);
    read_info(n, x->info);
    x->type = (mjtEq)((const snTag*)n->info)->tag;
    if (x->type == mjEQ_CONNECT || x->type == mjEQ_WELD) {
      if (!read_attachment(r, n, x)) return false;
    } else {
      memset(x->data, 0, 5 * sizeof(double));
      x->data[1] = 1;
    }
    if (!read_values(r, n, x, x->element)) return false;
  }
  return true;
}

// ---- tendon
bool read_tendon_values(snReader* r, const snXmlNode* node, mjsTendon* tendon) {
  int n;
  double rest[2];
  if (!read_values(r, node, tendon, tendon->element)) return false;
  if (!read_doubles(r, node, "springlength", rest, 1, 2, &n)) return false;
  if (n == 1) tendon->springlength[1] = rest[0];  // one length: no dead band
  return true;
}

static bool read_path(snReader* r, const snXmlNode* n, mjsTendon* tendon) {
  mjsWrap* wrap = NULL;
  double number = 0;
  int count;
  switch (((const snTag*)n->info)->tag) {
    case mjWRAP_SITE:
      wrap = mjs_wrapSite(tendon, xml_get(n, "site"));
      break;
    case mjWRAP_SPHERE: {
      const char* side = xml_get(n, "sidesite");
      wrap = mjs_wrapGeom(tendon, xml_get(n, "geom"), side ? side : "");
      break;
    }
    case mjWRAP_PULLEY:
      if (!read_doubles(r, n, "divisor", &number, 1, 1, &count)) return false;
      if (!count) return xml_fault(n, "divisor", r->fault, "found nothing, expected a number");
      wrap = mjs_wrapPulley(tendon, number);
      break;
    default:
      if (!read_doubles(r, n, "coef", &number, 1, 1, &count)) return false;
      if (!count) return xml_fault(n, "coef", r->fault, "found nothing, expected a number");
      wrap = mjs_wrapJoint(tendon, xml_get(n, "joint"), number);
  }
  if (!wrap) return read_memory(r, n);
  read_info(n, wrap->info);
  return true;
}

bool read_tendon(snReader* r, const snXmlNode* section) {
  for (const snXmlNode* n = section->child; n; n = n->next) {
    const mjsDefault* def;
    if (!read_class(r, n, NULL, &def)) return false;
    mjsTendon* x = mjs_addTendon(r->spec, def);
    if (!x) return read_memory(r, n);
    read_info(n, x->info);
    if (!read_tendon_values(r, n, x)) return false;
    for (const snXmlNode* w = n->child; w; w = w->next) {
      if (!read_path(r, w, x)) return false;
    }
  }
  return true;
}

// ---- actuator
// The parameters of an actuator shortcut; those that are not given keep their value in `drive`.
static bool read_parameters(snReader* r, const snXmlNode* node, snDrive* drive) {
  const snTag* tag = node->info;
  for (int i = 0; i < node->nattr; i++) {
    const snTagAttr* a = node->attr[i].info;
    if (tag->attributes != table_drive || !(a->flags & snATTR_CODE) || a->type != snVALUE_DOUBLE)
      continue;
    if (!read_doubles(r, node, a->name, (double*)((char*)drive + a->offset), a->least, a->most,
                      NULL)) {
      return false;
    }
  }
  return true;
}

// Applies an actuator shortcut (position, muscle ...) on top of what the default class set.
bool read_drive(snReader* r, const snXmlNode* node, mjsActuator* x) {
  const snTag* tag = node->info;
  int kind = tag->tag & snDRIVE_ALL;
  snDrive d = {.kp = x->gainprm[0],
               .kv = 0,
               .dampratio = 0,
               .timeconst = {-1, -1},
               .tausmooth = 0,
               .area = x->gainprm[0],
               .diameter = -1,
               .bias = {x->biasprm[0], 0, 0},
               .range = {-1, -1},
               .force = -1,
               .scale = -1,
               .lmin = -1,
               .lmax = -1,
               .vmax = -1,
               .fpmax = -1,
               .fvmax = -1,
               .gain = x->gainprm[0]};
  if (kind == snDRIVE_VELOCITY) d.kv = x->gainprm[0];
  if (kind == snDRIVE_CYLINDER) d.timeconst[0] = x->dynprm[0];
  if (kind == snDRIVE_MUSCLE) d.tausmooth = x->dynprm[2];
  if (!read_parameters(r, node, &d)) return false;
  double* kv = read_given(node, "kv") ? &d.kv : NULL;
  double* ratio = read_given(node, "dampratio") ? &d.dampratio : NULL;
  double* time = read_given(node, "timeconst") ? d.timeconst : NULL;
  const char* error = "";
  switch (kind) {
    case snDRIVE_MOTOR:
      error = mjs_setToMotor(x);
      break;
    case snDRIVE_POSITION:
      error = mjs_setToPosition(x, d.kp, kv, ratio, time, x->inheritrange);
      break;
    case snDRIVE_INTVELOCITY:
      error = mjs_setToIntVelocity(x, d.kp, kv, ratio, time, x->inheritrange);
      break;
    case snDRIVE_VELOCITY:
      error = mjs_setToVelocity(x, d.kv);
      break;
    case snDRIVE_DAMPER:
      error = mjs_setToDamper(x, d.kv);
      break;
    case snDRIVE_CYLINDER:
      error = mjs_setToCylinder(x, d.timeconst[0], d.bias[0], d.area, d.diameter);
      break;
    case snDRIVE_MUSCLE:
      error = mjs_setToMuscle(x, d.timeconst, d.tausmooth, d.range, d.force, d.scale, d.lmin,
                              d.lmax, d.vmax, d.fpmax, d.fvmax);
      break;
    case snDRIVE_ADHESION:
      error = mjs_setToAdhesion(x, d.gain);
      break;
    default:
      break;
  }
  if (error && error[0]) return xml_fault(node, NULL, r->fault, "%s", error);
  return true;
}

static bool read_transmission(snReader* r, const snXmlNode* node, mjsActuator* x) {
  static const struct {
    const char* name;
    mjtTrn type;
  } kTargets[] = {{"joint", mjTRN_JOINT},   {"jointinparent", mjTRN_JOINTINPARENT},
                  {"tendon", mjTRN_TENDON}, {"cranksite", mjTRN_SLIDERCRANK},
                  {"site", mjTRN_SITE},     {"body", mjTRN_BODY}};
  const char* found = NULL;
  for (int i = 0; i < snCOUNT(kTargets); i++) {
    const char* target = xml_get(node, kTargets[i].name);
    if (!target) continue;
    if (found) {
      return xml_fault(node, kTargets[i].name, r->fault,
                       "actuator can have at most one of transmission target, and has '%s' already",
                       found);
    }
    found = kTargets[i].name;
    x->trntype = kTargets[i].type;
    mjs_setString(x->target, target);
  }
  if (x->trntype != mjTRN_SLIDERCRANK || !found) {
    const char* extra = read_given(node, "cranklength") ? "cranklength"
                        : xml_get(node, "slidersite")   ? "slidersite"
                                                        : NULL;
    if (extra && (!found || x->trntype != mjTRN_SLIDERCRANK)) {
      return xml_fault(node, extra, r->fault,
                       "is for a slider-crank only: expected 'cranksite' too");
    }
  }
  if (xml_get(node, "refsite") && (!found || x->trntype != mjTRN_SITE)) {
    return xml_fault(node, "refsite", r->fault,
                     "is for a site transmission only: expected 'site' too");
  }
  return true;
}

bool read_actuator(snReader* r, const snXmlNode* section) {
  for (const snXmlNode* n = section->child; n; n = n->next) {
    const mjsDefault* def;
    if (!read_class(r, n, NULL, &def)) return false;
    mjsActuator* x = mjs_addActuator(r->spec, def);
    if (!x) return read_memory(r, n);
    read_info(n, x->info);
    if (!read_values(r, n, x, x->element) || !read_transmission(r, n, x) || !read_drive(r, n, x)) {
      return false;
    }
    if (((const snTag*)n->info)->tag == snDRIVE_PLUGIN && !read_plugin(r, n, &x->plugin))
      return false;
  }
  return true;
}

// ---- sensor
// distance, normal and fromto: from one geom or body to another
static bool read_pair_end(snReader* r, const snXmlNode* n, int which, mjtObj* type,
                          mjString* name) {
  const char* geom = xml_get(n, which == 1 ? "geom1" : "geom2");
  const char* body = xml_get(n, which == 1 ? "body1" : "body2");
  if (!geom == !body) {
    return xml_fault(n, NULL, r->fault, "expected exactly one of geom%d and body%d", which, which);
  }
  *type = geom ? mjOBJ_GEOM : mjOBJ_BODY;
  mjs_setString(name, geom ? geom : body);
  return true;
}

static bool read_object(snReader* r, const snXmlNode* n, const char* type_name,
                        const char* name_name, mjtObj* type, mjString* name) {
  const char *kind = xml_get(n, type_name), *which = xml_get(n, name_name);
  if (kind && !which) {
    return xml_fault(n, type_name, r->fault, "is given without '%s'", name_name);
  }
  if (which && !kind) {
    return xml_fault(n, name_name, r->fault, "is given without '%s'", type_name);
  }
  if (!kind) return true;
  mjs_setString(name, which);
  return read_type(r, n, type_name, type);
}

static bool read_sensor_object(snReader* r, const snXmlNode* n, mjsSensor* x) {
  static const struct {
    const char* name;
    mjtObj type;
  } kObjects[] = {{"site", mjOBJ_SITE},
                  {"joint", mjOBJ_JOINT},
                  {"tendon", mjOBJ_TENDON},
                  {"actuator", mjOBJ_ACTUATOR},
                  {"body", mjOBJ_BODY}};
  const snTag* tag = n->info;
  switch (tag->tag) {
    case mjSENS_GEOMDIST:
    case mjSENS_GEOMNORMAL:
    case mjSENS_GEOMFROMTO:
      return read_pair_end(r, n, 1, &x->objtype, x->objname) &&
             read_pair_end(r, n, 2, &x->reftype, x->refname);
    case mjSENS_CAMPROJECTION:
      x->reftype = mjOBJ_CAMERA;
      mjs_setString(x->refname, xml_get(n, "camera"));
      break;
    default:
      break;
  }
  if (tag->tag == mjSENS_PLUGIN || tag->tag == mjSENS_USER || table_attribute(tag, "objtype")) {
    return read_object(r, n, "objtype", "objname", &x->objtype, x->objname) &&
           read_object(r, n, "reftype", "refname", &x->reftype, x->refname);
  }
  for (int i = 0; i < snCOUNT(kObjects); i++) {
    const char* name = xml_get(n, kObjects[i].name);
    if (name) {
      x->objtype = kObjects[i].type;
      mjs_setString(x->objname, name);
    }
  }
  return true;
}

bool read_sensor(snReader* r, const snXmlNode* section) {
  for (const snXmlNode* n = section->child; n; n = n->next) {
    mjsSensor* x = mjs_addSensor(r->spec);
    if (!x) return read_memory(r, n);
    read_info(n, x->info);
    x->type = (mjtSensor)((const snTag*)n->info)->tag;
    if (!read_values(r, n, x, x->element) || !read_sensor_object(r, n, x)) return false;
    if (x->type == mjSENS_PLUGIN && !read_plugin(r, n, &x->plugin)) return false;
  }
  return true;
}
