// Removal of elements that the dynamics do not need: visual elements (discardvisual), and bodies
// without joints, which are merged into their parents (fusestatic).
#include <math.h>
#include <string.h>

#include "compile/compile.h"

// ---- which elements are referred to, by elements outside of the tree and by cameras and lights

static void mark_name(snCompile* c, mjtObj type, const mjString* name) {
  snElement* e = string_empty(name) ? NULL : spec_find(c->spec, type, string_text(name));
  if (e) e->mark = 1;
}

static void mark_text(snCompile* c, mjtObj type, const char* name) {
  snElement* e = spec_find(c->spec, type, name);
  if (e) e->mark = 1;
}

static void mark_referred(snCompile* c) {
  snList* list = c->list;
  for (int k = 0; k < mjNOBJECT; k++) {
    for (int i = 0; i < list[k].n; i++) list[k].item[i]->mark = 0;
  }
  for (int i = 0; i < list[mjOBJ_CAMERA].n; i++) {
    mark_name(c, mjOBJ_BODY, list[mjOBJ_CAMERA].item[i]->u.camera.targetbody);
  }
  for (int i = 0; i < list[mjOBJ_LIGHT].n; i++) {
    mark_name(c, mjOBJ_BODY, list[mjOBJ_LIGHT].item[i]->u.light.targetbody);
    mark_name(c, mjOBJ_TEXTURE, list[mjOBJ_LIGHT].item[i]->u.light.texture);
  }
  for (int i = 0; i < list[mjOBJ_PAIR].n; i++) {
    mark_name(c, mjOBJ_GEOM, list[mjOBJ_PAIR].item[i]->u.pair.geomname1);
    mark_name(c, mjOBJ_GEOM, list[mjOBJ_PAIR].item[i]->u.pair.geomname2);
  }
  for (int i = 0; i < list[mjOBJ_EXCLUDE].n; i++) {
    mark_name(c, mjOBJ_BODY, list[mjOBJ_EXCLUDE].item[i]->u.exclude.bodyname1);
    mark_name(c, mjOBJ_BODY, list[mjOBJ_EXCLUDE].item[i]->u.exclude.bodyname2);
  }
  for (int i = 0; i < list[mjOBJ_EQUALITY].n; i++) {
    const mjsEquality* eq = &list[mjOBJ_EQUALITY].item[i]->u.equality;
    mark_name(c, equality_objtype(eq), eq->name1);
    mark_name(c, equality_objtype(eq), eq->name2);
  }
  for (int i = 0; i < list[mjOBJ_ACTUATOR].n; i++) {
    const mjsActuator* a = &list[mjOBJ_ACTUATOR].item[i]->u.actuator;
    if (actuator_objtype(a) != mjOBJ_UNKNOWN) mark_name(c, actuator_objtype(a), a->target);
  }
  for (int i = 0; i < list[mjOBJ_TENDON].n; i++) {
    const snList* path = &list[mjOBJ_TENDON].item[i]->child[snCHILD_WRAP];
    for (int k = 0; k < path->n; k++) {
      const snWrap* w = &path->item[k]->u.wrap;
      if (w->type == mjWRAP_SPHERE || w->type == mjWRAP_CYLINDER) {
        mark_text(c, mjOBJ_GEOM, string_text(&w->target));
      }
    }
  }
  for (int i = 0; i < list[mjOBJ_SENSOR].n; i++) {
    const mjsSensor* s = &list[mjOBJ_SENSOR].item[i]->u.sensor;
    mark_name(c, s->objtype, s->objname);
    mark_name(c, s->reftype, s->refname);
    // force and torque sensors measure between a body and its parent: the body must stay
    if (s->type == mjSENS_FORCE || s->type == mjSENS_TORQUE) {
      const snElement* site = spec_find(c->spec, mjOBJ_SITE, string_text(s->objname));
      if (site) site->parent->mark = 1;
    }
  }
  for (int i = 0; i < list[mjOBJ_TUPLE].n; i++) {
    const mjsTuple* t = &list[mjOBJ_TUPLE].item[i]->u.tuple;
    int n = ints_count(t->objtype);
    for (int k = 0; k < n && k < strings_count(t->objname); k++) {
      mark_text(c, (mjtObj)ints_data(t->objtype)[k], strings_at(t->objname, k));
    }
  }
  for (int i = 0; c->skin && i < list[mjOBJ_SKIN].n; i++) {
    const snSkin* k = &c->skin[list[mjOBJ_SKIN].item[i]->adr[0]];
    for (int b = 0; b < k->nbone; b++) mark_text(c, mjOBJ_BODY, k->bodyname[b]);
  }
  for (int i = 0; i < list[mjOBJ_FLEX].n; i++) {
    const mjsFlex* f = &list[mjOBJ_FLEX].item[i]->u.flex;
    for (int k = 0; k < strings_count(f->vertbody); k++) {
      mark_text(c, mjOBJ_BODY, strings_at(f->vertbody, k));
    }
    for (int k = 0; k < strings_count(f->nodebody); k++) {
      mark_text(c, mjOBJ_BODY, strings_at(f->nodebody, k));
    }
  }
}

static void drop(snCompile* c, snList* list, snElement* e) {
  list_remove(list, e);
  spec_name_remove(c->spec, e);
  if (e->twin) e->twin->id = -1;
  element_free(e);
}

// ---- discardvisual
static void forget_material(mjString* material) { mjs_setString(material, ""); }

// Materials and textures, unless something other than an appearance refers to them. Their files are
// not opened.
bool compile_discard(snCompile* c) {
  if (!c->spec->pub.compiler.discardvisual) return true;
  mark_referred(c);
  snList* list = c->list;
  for (int i = list[mjOBJ_MATERIAL].n - 1; i >= 0; i--) {
    snElement* e = list[mjOBJ_MATERIAL].item[i];
    if (e->mark) {
      for (int k = 0; k < strings_count(e->u.material.textures); k++) {
        mark_text(c, mjOBJ_TEXTURE, strings_at(e->u.material.textures, k));
      }
      continue;
    }
    for (int k = 0; k < list[mjOBJ_GEOM].n; k++) {
      mjsGeom* g = &list[mjOBJ_GEOM].item[k]->u.geom;
      if (string_is(g->material, string_text(&e->name))) forget_material(g->material);
    }
    for (int k = 0; k < list[mjOBJ_SITE].n; k++) {
      mjsSite* s = &list[mjOBJ_SITE].item[k]->u.site;
      if (string_is(s->material, string_text(&e->name))) forget_material(s->material);
    }
    for (int k = 0; k < list[mjOBJ_TENDON].n; k++) {
      mjsTendon* t = &list[mjOBJ_TENDON].item[k]->u.tendon;
      if (string_is(t->material, string_text(&e->name))) forget_material(t->material);
    }
    for (int k = 0; k < list[mjOBJ_SKIN].n; k++) {
      mjsSkin* s = &list[mjOBJ_SKIN].item[k]->u.skin;
      if (string_is(s->material, string_text(&e->name))) forget_material(s->material);
    }
    for (int k = 0; k < list[mjOBJ_FLEX].n; k++) {
      mjsFlex* f = &list[mjOBJ_FLEX].item[k]->u.flex;
      if (string_is(f->material, string_text(&e->name))) forget_material(f->material);
    }
    drop(c, &c->spec->list[mjOBJ_MATERIAL], e);
  }
  for (int i = list[mjOBJ_TEXTURE].n - 1; i >= 0; i--) {
    snElement* e = list[mjOBJ_TEXTURE].item[i];
    if (!e->mark) drop(c, &c->spec->list[mjOBJ_TEXTURE], e);
  }
  return compile_lists(c);
}

// Geoms that cannot collide, and meshes that only such geoms use.
static void discard_visual(snCompile* c) {
  mark_referred(c);
  snList* list = c->list;
  for (int i = 0; i < list[mjOBJ_GEOM].n; i++) {
    snElement* e = list[mjOBJ_GEOM].item[i];
    mjsGeom* g = &e->u.geom;
    if (!g->contype && !g->conaffinity && !e->mark) {
      snElement* body = e->parent;
      drop(c, &body->child[snCHILD_GEOM], e);
      list[mjOBJ_GEOM].item[i] = NULL;
    }
  }
  for (int i = 0; i < list[mjOBJ_GEOM].n; i++) {
    snElement* e = list[mjOBJ_GEOM].item[i];
    if (!e) continue;
    mark_name(c, mjOBJ_MESH, e->u.geom.meshname);
  }
  for (int i = list[mjOBJ_MESH].n - 1; i >= 0; i--) {
    snElement* e = list[mjOBJ_MESH].item[i];
    if (!e->mark) drop(c, &c->spec->list[mjOBJ_MESH], e);
  }
}

// ---- fusestatic
// Inertia of parent and child about their common com. As in release 3.3.4, the child's inertial
// frame is shifted by the child's position expressed in that frame, and is not rotated with the
// child: existing models rely on the resulting numbers.
static bool add_inertia(snCompile* c, mjsBody* p, const mjsBody* b) {
  if (!(b->mass > 0)) return true;
  double ipos[3], iquat[4];
  mju_rotVecQuat(ipos, b->pos, b->iquat);
  vec3_add(ipos, ipos, b->ipos);
  quat_copy(iquat, b->iquat);
  double mass = p->mass + b->mass, com[3], full[6] = {0}, mat[9], d[3], I[10];
  for (int i = 0; i < 3; i++) com[i] = (p->mass * p->ipos[i] + b->mass * ipos[i]) / mass;
  mju_quat2Mat(mat, p->iquat);
  vec3_sub(d, p->ipos, com);
  inertia_from_com(I, p->inertia, mat, d, p->mass);
  for (int k = 0; k < 6; k++) full[k] += I[k];
  mju_quat2Mat(mat, iquat);
  vec3_sub(d, ipos, com);
  inertia_from_com(I, b->inertia, mat, d, b->mass);
  for (int k = 0; k < 6; k++) full[k] += I[k];
  p->mass = mass;
  vec3_copy(p->ipos, com);
  return principal_inertia(full, p->inertia, p->iquat);
}

static void move_pose(const mjsBody* b, snElement* e) {
  switch ((int)e->base.elemtype) {
    case mjOBJ_BODY:
      pose_through(b->pos, b->quat, e->u.body.pos, e->u.body.quat);
      break;
    case mjOBJ_GEOM:
      pose_through(b->pos, b->quat, e->u.geom.pos, e->u.geom.quat);
      break;
    case mjOBJ_SITE:
      pose_through(b->pos, b->quat, e->u.site.pos, e->u.site.quat);
      break;
    case mjOBJ_CAMERA:
      pose_through(b->pos, b->quat, e->u.camera.pos, e->u.camera.quat);
      break;
    case mjOBJ_LIGHT:
      pose_through(b->pos, b->quat, e->u.light.pos, NULL);
      mju_rotVecQuat(e->u.light.dir, e->u.light.dir, b->quat);
      break;
    default:
      break;
  }
}

// Moves the elements of a body to its parent; its children take its place.
bool body_dissolve(snElement* parent, int at) {
  snElement* body = parent->child[snCHILD_BODY].item[at];
  for (int k = snCHILD_FRAME; k < snNCHILD; k++) {
    snList* from = &body->child[k];
    int i = 0;
    for (; i < from->n && list_append(&parent->child[k], from->item[i]); i++) {
      from->item[i]->parent = parent;
    }
    from->n -= i;
    if (from->n) {
      memmove(from->item, from->item + i, (size_t)from->n * sizeof *from->item);
      return false;
    }
  }
  snList* list = &parent->child[snCHILD_BODY];
  int n = body->child[snCHILD_BODY].n, after = list->n - at - 1;
  for (int i = 0; i < n; i++) {
    if (list_append(list, body)) continue;
    list->n -= i;
    return false;
  }
  memmove(list->item + at + n, list->item + at + 1, (size_t)after * sizeof *list->item);
  list->n = at + n + after;
  for (int i = 0; i < n; i++) {
    snElement* e = body->child[snCHILD_BODY].item[i];
    e->parent = parent;
    list->item[at + i] = e;
  }
  body->child[snCHILD_BODY].n = 0;
  return true;
}

static bool collides(const snElement* body) {
  const snList* geoms = &body->child[snCHILD_GEOM];
  for (int i = 0; i < geoms->n; i++) {
    if (geoms->item[i]->u.geom.contype || geoms->item[i]->u.geom.conaffinity) return true;
  }
  return false;
}

static bool fuse(snCompile* c, snElement* parent, int at) {
  snElement* body = parent->child[snCHILD_BODY].item[at];
  const mjsBody* b = &body->u.body;
  if (parent->id && !add_inertia(c, &parent->u.body, b)) {
    return compile_error(c, body, "inertia of fused bodies must have positive eigenvalues");
  }
  // the released compiler leaves one node of the hierarchy unused for each such pair
  if (collides(parent) && collides(body)) c->spare_bvh++;
  for (int k = 0; k < snNCHILD; k++) {
    for (int i = 0; i < body->child[k].n; i++) move_pose(b, body->child[k].item[i]);
  }
  double* margin = &c->margin[parent->adr[1]];
  *margin = fmax(*margin, c->margin[body->adr[1]]);
  if (!body_dissolve(parent, at)) return compile_error(c, NULL, "out of memory");
  spec_name_remove(c->spec, body);
  if (body->twin) body->twin->id = -1;
  element_free(body);
  return true;
}

static bool fuse_below(snCompile* c, snElement* parent) {
  snList* list = &parent->child[snCHILD_BODY];
  for (int i = 0; i < list->n;) {
    snElement* e = list->item[i];
    bool fixed =
        !e->child[snCHILD_JOINT].n && !e->u.body.mocap && !e->mark && !e->u.body.plugin.active;
    if (fixed) {
      if (!fuse(c, parent, i)) return false;
    } else {
      if (!fuse_below(c, e)) return false;
      i++;
    }
  }
  return true;
}

// body_margin is the largest margin of all geoms of a body, including those that are removed.
static bool note_margins(snCompile* c) {
  const snList* bodies = &c->list[mjOBJ_BODY];
  c->margin = memory_alloc_zero((size_t)bodies->n * sizeof *c->margin);
  if (!c->margin) return compile_error(c, NULL, "out of memory");
  for (int i = 0; i < bodies->n; i++) {
    snElement* body = bodies->item[i];
    body->adr[1] = i;
    for (int k = 0; k < body->child[snCHILD_GEOM].n; k++) {
      c->margin[i] = fmax(c->margin[i], body->child[snCHILD_GEOM].item[k]->u.geom.margin);
    }
  }
  return true;
}

bool compile_prune(snCompile* c) {
  const mjsCompiler* settings = &c->spec->pub.compiler;
  if (!settings->discardvisual && !settings->fusestatic) return true;
  if (!note_margins(c)) return false;
  if (settings->discardvisual) {
    discard_visual(c);
    if (!compile_lists(c)) return false;
  }
  if (settings->fusestatic) {
    mark_referred(c);
    if (!fuse_below(c, c->spec->world)) return false;
  }
  return compile_lists(c);
}
