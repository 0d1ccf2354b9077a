// mjs_addX: a new element on a body, in the spec or on a tendon's path. Defaults come from the
// class given, the childclass in force, or the root class. An element is entered in all of its
// lists or, without memory, in none.
#include <string.h>

#include "spec/private.h"

// The element is in all of its lists or in none.
bool element_place(snElement* e, snElement* body, snElement* frame) {
  snSpec* spec = e->spec;
  mjtObj type = e->base.elemtype;
  int slot = child_slot(type);
  snList* list = slot >= 0 ? &body->child[slot] : &spec->list[type];
  if (!list_append(list, e)) return false;
  if (type == mjOBJ_FRAME && !list_append(&spec->frames, e)) {
    list->n--;
    return false;
  }
  e->parent = slot >= 0 ? body : NULL;
  e->frame = frame;
  if (slot < 0) e->id = list->n - 1;
  spec_changed(spec);
  return true;
}

// Class given, or the one in force on the body, or the root class.
static snElement* class_for(snSpec* spec, const snElement* body, const mjsDefault* def) {
  if (def) return element_of(def->element);
  if (body && body->def) return body_class(body);
  return spec->main;
}

snElement* element_add(snSpec* spec, snElement* body, mjtObj type, const mjsDefault* def) {
  if (!spec_affords(spec, 1, type_name(type))) return NULL;
  snElement* e = element_make(spec, type);
  if (!e) return NULL;
  e->def = class_for(spec, body, def);
  int slot = class_slot(type);
  bool done = slot < 0 || element_copy_fields(e, e->def->class[slot]);
  // values may come from a class of another spec, which the element does not belong to
  if (e->def->spec != spec) e->def = body && body->def ? body_class(body) : spec->main;
  if (type == mjOBJ_BODY) {
    const snString* name = &e->def->name;
    done = done && string_set(e->u.body.childclass, string_text(name), string_size(name));
  }
  if (done && body && body->source) e->source = body->source;
  if (done && element_place(e, body, NULL)) return e;
  element_free(e);
  return NULL;
}

static snElement* add(snSpec* spec, snElement* body, mjtObj type, const mjsDefault* def,
                      const char* who) {
  bool affords = spec_affords(spec, 1, who);  // if not, the spec has the error
  snElement* e = affords ? element_add(spec, body, type, def) : NULL;
  if (!e && affords) mju_error("%s: out of memory", who);
  return e;
}

static snElement* on_body(mjsBody* body, mjtObj type, const mjsDefault* def, const char* who) {
  if (!body || !body->element) {
    mju_error("%s: no body to add to", who);
    return NULL;
  }
  snElement* b = element_of(body->element);
  return add(b->spec, b, type, def, who);
}

static snElement* on_spec(mjSpec* s, mjtObj type, const mjsDefault* def, const char* who) {
  if (!s) {
    mju_error("%s: no spec to add to", who);
    return NULL;
  }
  return add(spec_of(s), NULL, type, def, who);
}

mjsBody* mjs_addBody(mjsBody* body, const mjsDefault* def) {
  snElement* e = on_body(body, mjOBJ_BODY, def, "mjs_addBody");
  return e ? &e->u.body : NULL;
}

mjsFrame* mjs_addFrame(mjsBody* body, mjsFrame* parentframe) {
  snElement* around = parentframe ? element_of(parentframe->element) : NULL;
  if (around && body && body->element && around->parent != element_of(body->element)) {
    return spec_error(element_of(body->element)->spec,
                      "mjs_addFrame: the frame and the body that it is on do not fit");
  }
  snElement* e = on_body(body, mjOBJ_FRAME, NULL, "mjs_addFrame");
  if (!e) return NULL;
  e->frame = around;
  return &e->u.frame_;
}

#define ON_BODY(Name, TYPE, member)                                \
  mjs##Name* mjs_add##Name(mjsBody* body, const mjsDefault* def) { \
    snElement* e = on_body(body, TYPE, def, "mjs_add" #Name);      \
    return e ? &e->u.member : NULL;                                \
  }
ON_BODY(Site, mjOBJ_SITE, site)
ON_BODY(Joint, mjOBJ_JOINT, joint)
ON_BODY(Geom, mjOBJ_GEOM, geom)
ON_BODY(Camera, mjOBJ_CAMERA, camera)
ON_BODY(Light, mjOBJ_LIGHT, light)

mjsJoint* mjs_addFreeJoint(mjsBody* body) {
  snElement* e = on_body(body, mjOBJ_JOINT, NULL, "mjs_addFreeJoint");
  if (!e) return NULL;
  // a free joint takes nothing from its class
  snElement* plain = element_make(e->spec, mjOBJ_JOINT);
  bool done = plain && element_copy_fields(e, plain);
  element_free(plain);
  if (!done) {
    spec_remove(e);
    mju_error("mjs_addFreeJoint: out of memory");
    return NULL;
  }
  e->u.joint.type = mjJNT_FREE;
  return &e->u.joint;
}

#define ON_SPEC(Name, TYPE, member)                         \
  mjs##Name* mjs_add##Name(mjSpec* s) {                     \
    snElement* e = on_spec(s, TYPE, NULL, "mjs_add" #Name); \
    return e ? &e->u.member : NULL;                         \
  }
ON_SPEC(Sensor, mjOBJ_SENSOR, sensor)
ON_SPEC(Flex, mjOBJ_FLEX, flex)
ON_SPEC(Exclude, mjOBJ_EXCLUDE, exclude)
ON_SPEC(Numeric, mjOBJ_NUMERIC, numeric)
ON_SPEC(Text, mjOBJ_TEXT, text)
ON_SPEC(Tuple, mjOBJ_TUPLE, tuple)
ON_SPEC(Key, mjOBJ_KEY, key)
ON_SPEC(Plugin, mjOBJ_PLUGIN, plugin)
ON_SPEC(HField, mjOBJ_HFIELD, hfield)
ON_SPEC(Skin, mjOBJ_SKIN, skin)
ON_SPEC(Texture, mjOBJ_TEXTURE, texture)

#define ON_SPEC_CLASS(Name, TYPE, member)                      \
  mjs##Name* mjs_add##Name(mjSpec* s, const mjsDefault* def) { \
    snElement* e = on_spec(s, TYPE, def, "mjs_add" #Name);     \
    return e ? &e->u.member : NULL;                            \
  }
ON_SPEC_CLASS(Actuator, mjOBJ_ACTUATOR, actuator)
ON_SPEC_CLASS(Pair, mjOBJ_PAIR, pair)
ON_SPEC_CLASS(Equality, mjOBJ_EQUALITY, equality)
ON_SPEC_CLASS(Tendon, mjOBJ_TENDON, tendon)
ON_SPEC_CLASS(Mesh, mjOBJ_MESH, mesh)
ON_SPEC_CLASS(Material, mjOBJ_MATERIAL, material)

mjsDefault* mjs_addDefault(mjSpec* s, const char* classname, const mjsDefault* parent) {
  snSpec* spec = spec_of(s);
  if (!classname) {
    mju_error("mjs_addDefault: the name is missing");
    return NULL;
  }
  if (mjs_findDefault(s, classname)) {
    return spec_error(spec, "repeated default class name '%s'", classname);
  }
  if (parent && element_of(parent->element)->spec != spec) {
    return spec_error(spec, "mjs_addDefault: the parent class is of another spec");
  }
  if (!spec_affords(spec, 1 + snNCLASS, "mjs_addDefault")) return NULL;
  snElement* e = class_make(spec, classname, parent ? element_of(parent->element) : spec->main);
  if (!e) mju_error("mjs_addDefault: out of memory");
  return e ? &e->u.default_ : NULL;
}

// ---- tendon paths
static mjsWrap* add_wrap(mjsTendon* tendon, mjtWrap type, const char* target, const char* side,
                         double prm) {
  snElement* t = element_of(tendon->element);
  snElement* e = element_make(t->spec, snOBJ_WRAP);
  if (e) {
    e->parent = t;
    e->source = t->source;
    snWrap* w = &e->u.wrap;
    w->type = type;
    w->prm = prm;
    if (string_set(&w->target, target ? target : "", target ? strlen(target) : 0) &&
        string_set(&w->side, side ? side : "", side ? strlen(side) : 0) &&
        list_append(&t->child[snCHILD_WRAP], e)) {
      return &w->pub;
    }
    element_free(e);
  }
  mju_error("tendon path: out of memory");
  return NULL;
}

mjsWrap* mjs_wrapSite(mjsTendon* tendon, const char* name) {
  return add_wrap(tendon, mjWRAP_SITE, name, NULL, 0);
}

mjsWrap* mjs_wrapGeom(mjsTendon* tendon, const char* name, const char* sidesite) {
  return add_wrap(tendon, mjWRAP_SPHERE, name, sidesite, 0);
}

mjsWrap* mjs_wrapJoint(mjsTendon* tendon, const char* name, double coef) {
  return add_wrap(tendon, mjWRAP_JOINT, name, NULL, coef);
}

mjsWrap* mjs_wrapPulley(mjsTendon* tendon, double divisor) {
  return add_wrap(tendon, mjWRAP_PULLEY, NULL, NULL, divisor);
}
