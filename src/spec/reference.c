// References between elements: one function visits every field that names another element.
// Attachment prefixes these names through it, and deletion finds what refers to a deleted element.
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
    visit(context, type, (snString*)((snSpecVec*)names)->begin + i);
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
              (snString*)((snSpecVec*)e->u.tuple.objname)->begin + i);
      }
      break;
    }
    default:
      break;
  }
}
