// References by name between elements, and deletion.
#include <string.h>

#include "spec/private.h"

mjtObj equality_objtype(const mjsEquality* eq) {
  switch (eq->type) {
    case mjEQ_JOINT:
      return mjOBJ_JOINT;
    case mjEQ_TENDON:
      return mjOBJ_TENDON;
    case mjEQ_FLEX:
      return mjOBJ_FLEX;
    default:
      return eq->objtype == mjOBJ_SITE ? mjOBJ_SITE : mjOBJ_BODY;
  }
}

mjtObj actuator_objtype(const mjsActuator* a) {
  switch (a->trntype) {
    case mjTRN_JOINT:
    case mjTRN_JOINTINPARENT:
      return mjOBJ_JOINT;
    case mjTRN_TENDON:
      return mjOBJ_TENDON;
    case mjTRN_SITE:
    case mjTRN_SLIDERCRANK:
      return mjOBJ_SITE;
    case mjTRN_BODY:
      return mjOBJ_BODY;
    default:
      return mjOBJ_UNKNOWN;
  }
}

static void visit_all(mjStringVec* names, mjtObj type, snVisit visit, void* context) {
  for (int i = 0; i < strings_count(names); i++) {
    visit(context, type, (snString*)((snVec*)names)->begin + i);
  }
}

void element_references(snElement* e, snVisit visit, void* context) {
  mjsPlugin* plugin = element_plugin(e);
  if (plugin && plugin->active) visit(context, mjOBJ_PLUGIN, plugin->name);
  switch ((int)e->base.elemtype) {
    case mjOBJ_GEOM:
      visit(context, mjOBJ_MATERIAL, e->u.geom.material);
      visit(context, mjOBJ_HFIELD, e->u.geom.hfieldname);
      visit(context, mjOBJ_MESH, e->u.geom.meshname);
      break;
    case mjOBJ_SITE:
      visit(context, mjOBJ_MATERIAL, e->u.site.material);
      break;
    case mjOBJ_CAMERA:
      visit(context, mjOBJ_BODY, e->u.camera.targetbody);
      break;
    case mjOBJ_LIGHT:
      visit(context, mjOBJ_BODY, e->u.light.targetbody);
      visit(context, mjOBJ_TEXTURE, e->u.light.texture);
      break;
    case mjOBJ_FLEX:
      visit(context, mjOBJ_MATERIAL, e->u.flex.material);
      visit_all(e->u.flex.nodebody, mjOBJ_BODY, visit, context);
      visit_all(e->u.flex.vertbody, mjOBJ_BODY, visit, context);
      break;
    case mjOBJ_SKIN:
      visit(context, mjOBJ_MATERIAL, e->u.skin.material);
      visit_all(e->u.skin.bodyname, mjOBJ_BODY, visit, context);
      break;
    case mjOBJ_MATERIAL:
      visit_all(e->u.material.textures, mjOBJ_TEXTURE, visit, context);
      break;
    case mjOBJ_PAIR:
      visit(context, mjOBJ_GEOM, e->u.pair.geomname1);
      visit(context, mjOBJ_GEOM, e->u.pair.geomname2);
      break;
    case mjOBJ_EXCLUDE:
      visit(context, mjOBJ_BODY, e->u.exclude.bodyname1);
      visit(context, mjOBJ_BODY, e->u.exclude.bodyname2);
      break;
    case mjOBJ_EQUALITY:
      visit(context, equality_objtype(&e->u.equality), e->u.equality.name1);
      visit(context, equality_objtype(&e->u.equality), e->u.equality.name2);
      break;
    case mjOBJ_TENDON:
      visit(context, mjOBJ_MATERIAL, e->u.tendon.material);
      for (int i = 0; i < e->child[snCHILD_WRAP].n; i++) {
        snWrap* w = &e->child[snCHILD_WRAP].item[i]->u.wrap;
        visit(context,
              w->type == mjWRAP_JOINT  ? mjOBJ_JOINT
              : w->type == mjWRAP_SITE ? mjOBJ_SITE
                                       : mjOBJ_GEOM,
              &w->target);
        visit(context, mjOBJ_SITE, &w->side);
      }
      break;
    case mjOBJ_ACTUATOR:
      visit(context, actuator_objtype(&e->u.actuator), e->u.actuator.target);
      visit(context, mjOBJ_SITE, e->u.actuator.refsite);
      visit(context, mjOBJ_SITE, e->u.actuator.slidersite);
      break;
    case mjOBJ_SENSOR:
      visit(context, e->u.sensor.objtype, e->u.sensor.objname);
      visit(context, e->u.sensor.reftype, e->u.sensor.refname);
      break;
    case mjOBJ_TUPLE: {
      int n = strings_count(e->u.tuple.objname);
      if (ints_count(e->u.tuple.objtype) < n) n = ints_count(e->u.tuple.objtype);
      for (int i = 0; i < n; i++) {
        visit(context, (mjtObj)ints_data(e->u.tuple.objtype)[i],
              (snString*)((snVec*)e->u.tuple.objname)->begin + i);
      }
      break;
    }
    default:
      break;
  }
}

// ---- deletion: what refers to anything on a deleted body goes with it
static bool is_below(const snElement* e, const snElement* body) {
  for (const snElement* up = e->base.elemtype == mjOBJ_BODY ? e : e->parent; up; up = up->parent) {
    if (up == body) return true;
  }
  return false;
}

typedef struct {
  const snSpec* spec;
  const snElement* body;
  bool found;
} Search;

static void search_body(void* context, mjtObj type, snString* name) {
  Search* s = context;
  if (!string_size(name) || child_slot(type) < 0) {
    // a tendon or anything else that is marked goes, and what refers to it
    const snElement* e = string_size(name) ? spec_find(s->spec, type, string_text(name)) : NULL;
    if (e && e->mark) s->found = true;
    return;
  }
  const snElement* e = spec_find(s->spec, type, string_text(name));
  if (e && is_below(e, s->body)) s->found = true;
}

static void delete_references(snSpec* spec, snElement* body) {
  static const mjtObj order[] = {mjOBJ_FLEX,     mjOBJ_SKIN,    mjOBJ_TENDON,
                                 mjOBJ_PAIR,     mjOBJ_EXCLUDE, mjOBJ_EQUALITY,
                                 mjOBJ_ACTUATOR, mjOBJ_SENSOR,  mjOBJ_TUPLE};
  for (int k = 0; k < mjNOBJECT; k++) {
    for (int i = 0; i < spec->list[k].n; i++) spec->list[k].item[i]->mark = 0;
  }
  for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
    snList* list = &spec->list[order[k]];
    for (int i = 0; i < list->n; i++) {
      Search s = {spec, body, false};
      element_references(list->item[i], search_body, &s);
      list->item[i]->mark = s.found;
    }
  }
  for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
    snList* list = &spec->list[order[k]];
    for (int i = list->n - 1; i >= 0; i--) {
      if (list->item[i]->mark) spec_remove(list->item[i]);
    }
  }
}

int mjs_delete(mjSpec* s, mjsElement* element) {
  snSpec* spec = spec_of(s);
  snElement* e = element_of(element);
  if (!e) {
    spec_error(spec, "there is no element to delete");
    return -1;
  }
  if (e->spec != spec) {
    spec_error(spec, "the element to delete is in another spec");
    return -1;
  }
  if (e == spec->world || e == spec->main || e->base.elemtype == mjOBJ_MODEL) {
    spec_error(spec, "cannot delete %s",
               e == spec->world  ? "the world body"
               : e == spec->main ? "the main default class"
                                 : "the model from itself");
    return -1;
  }
  if (e->base.elemtype == mjOBJ_BODY) {
    if (!keys_split(spec)) {
      spec_error(spec, "mjs_delete: out of memory");
      return -1;
    }
    delete_references(spec, e);
  }
  if (e->base.elemtype == mjOBJ_FRAME) {
    // what was in the frame moves to the frame around it
    for (int k = 0; k < snNCHILD; k++) {
      for (int i = 0; i < e->parent->child[k].n; i++) {
        snElement* child = e->parent->child[k].item[i];
        if (child->frame == e) child->frame = e->frame;
      }
    }
  }
  if (e->base.elemtype == mjOBJ_DEFAULT) return spec_delete_class(spec, e);
  spec_remove(e);
  return 0;
}

static bool class_is_below(const snElement* e, const snElement* class) {
  for (; e; e = e->parent) {
    if (e == class) return true;
  }
  return false;
}

// elements keep their values; those of a deleted class belong to its parent class from now on
static void reclass(snElement* e, snElement* class) {
  if (e->def && class_is_below(e->def, class)) e->def = class->parent;
  for (int k = 0; e->base.elemtype == mjOBJ_BODY && k < snNCHILD; k++) {
    for (int i = 0; i < e->child[k].n; i++) reclass(e->child[k].item[i], class);
  }
}

int spec_delete_class(snSpec* spec, snElement* class) {
  reclass(spec->world, class);
  for (int k = 0; k < mjNOBJECT; k++) {
    for (int i = 0; i < spec->list[k].n; i++) reclass(spec->list[k].item[i], class);
  }
  spec_remove(class);
  return 0;
}
