// MJCF: the kinematic tree; replicate and attach.
#include <string.h>

#include "read/read.h"

// Context of an element: its body, the frame inside of the body, the default class in effect.
typedef struct Place_ {
  mjsBody* body;
  mjsFrame* frame;
  const mjsDefault* def;
  bool world;
} Place;

static bool read_body(snReader* r, const snXmlNode* node, Place at);

bool read_light_type(snReader* r, const snXmlNode* node, mjsLight* light) {
  int directional;
  bool found;
  if (!read_key(r, node, "directional", &directional, &found)) return false;
  if (found && xml_get(node, "type")) {
    return xml_fault(node, "directional", r->fault, "cannot be used together with 'type'");
  }
  if (found) light->type = directional ? mjLIGHT_DIRECTIONAL : mjLIGHT_SPOT;
  return true;
}

// A camera is given by its field of view, or by sensor size with focal length and principal point.
bool read_camera_lens(snReader* r, const snXmlNode* node, const mjsCamera* camera) {
  bool sensor = read_given(node, "sensorsize"), resolution = read_given(node, "resolution");
  static const char* const kNeedSensor[] = {"focal", "focalpixel", "principal", "principalpixel"};
  for (int i = 0; i < 4; i++) {
    if (read_given(node, kNeedSensor[i]) && !sensor) {
      return xml_fault(node, kNeedSensor[i], r->fault, "expected attribute 'sensorsize' too");
    }
  }
  if (sensor && !resolution) {
    return xml_fault(node, "sensorsize", r->fault, "expected attribute 'resolution' too");
  }
  if (sensor && read_given(node, "fovy")) {
    return xml_fault(node, "fovy", r->fault, "cannot be used together with 'sensorsize'");
  }
  if (camera->resolution[0] < 0 || camera->resolution[1] < 0) {
    return xml_fault(node, "resolution", r->fault, "found a negative number, expected pixels");
  }
  return true;
}

static bool read_inertial(snReader* r, const snXmlNode* node, Place at) {
  if (at.world) return xml_fault(node, NULL, r->fault, "World body cannot have inertia");
  at.body->explicitinertial = 1;
  if (!read_values(r, node, at.body, NULL)) return false;
  const char* full = xml_get(node, "fullinertia");
  if (full && full[0]) {
    static const char* const kTurns[] = {"quat", "axisangle", "xyaxes", "zaxis", "euler"};
    for (int i = 0; i < 5; i++) {
      if (xml_get(node, kTurns[i])) {
        return xml_fault(node, kTurns[i], r->fault, "cannot be used together with 'fullinertia'");
      }
    }
  }
  return true;
}

static bool place(snReader* r, const snXmlNode* node, mjsElement* element, Place at) {
  if (at.frame && mjs_setFrame(element, at.frame) != 0) {
    return xml_fault(node, NULL, r->fault, "%s", mjs_getError(r->spec));
  }
  return true;
}

static bool read_joint(snReader* r, const snXmlNode* node, Place at) {
  if (at.world) return xml_fault(node, NULL, r->fault, "World body cannot have joints");
  mjsJoint* x;
  if (!strcmp(node->name, "freejoint")) {
    x = mjs_addFreeJoint(at.body);
  } else {
    const mjsDefault* def;
    if (!read_class(r, node, at.def, &def)) return false;
    x = mjs_addJoint(at.body, def);
  }
  if (!x) return read_memory(r, node);
  read_info(node, x->info);
  return read_values(r, node, x, x->element) && place(r, node, x->element, at);
}

static bool read_geom(snReader* r, const snXmlNode* node, Place at) {
  const mjsDefault* def;
  if (!read_class(r, node, at.def, &def)) return false;
  mjsGeom* x = mjs_addGeom(at.body, def);
  if (!x) return read_memory(r, node);
  read_info(node, x->info);
  if (!read_values(r, node, x, x->element) || !place(r, node, x->element, at)) return false;
  for (const snXmlNode* n = node->child; n; n = n->next) {
    if (!read_plugin(r, n, &x->plugin)) return false;
  }
  return true;
}

static bool read_site(snReader* r, const snXmlNode* node, Place at) {
  const mjsDefault* def;
  if (!read_class(r, node, at.def, &def)) return false;
  mjsSite* x = mjs_addSite(at.body, def);
  if (!x) return read_memory(r, node);
  read_info(node, x->info);
  return read_values(r, node, x, x->element) && place(r, node, x->element, at);
}

static bool read_camera(snReader* r, const snXmlNode* node, Place at) {
  const mjsDefault* def;
  if (!read_class(r, node, at.def, &def)) return false;
  mjsCamera* x = mjs_addCamera(at.body, def);
  if (!x) return read_memory(r, node);
  read_info(node, x->info);
  return read_values(r, node, x, x->element) && read_camera_lens(r, node, x) &&
         place(r, node, x->element, at);
}

static bool read_light(snReader* r, const snXmlNode* node, Place at) {
  const mjsDefault* def;
  if (!read_class(r, node, at.def, &def)) return false;
  mjsLight* x = mjs_addLight(at.body, def);
  if (!x) return read_memory(r, node);
  read_info(node, x->info);
  return read_values(r, node, x, x->element) && read_light_type(r, node, x) &&
         place(r, node, x->element, at);
}

static bool read_childclass(snReader* r, const snXmlNode* node, const mjsDefault** def) {
  const char* name = xml_get(node, "childclass");
  if (!name) return true;
  *def = mjs_findDefault(r->spec, name);
  if (!*def)
    return xml_fault(node, "childclass", r->fault, "unknown default childclass '%s'", name);
  return true;
}

static bool read_new_body(snReader* r, const snXmlNode* node, Place at) {
  if (!read_childclass(r, node, &at.def)) return false;
  mjsBody* x = mjs_addBody(at.body, at.def);
  if (!x) return read_memory(r, node);
  read_info(node, x->info);
  if (!read_values(r, node, x, x->element) || !place(r, node, x->element, at)) return false;
  return read_body(r, node, (Place){x, NULL, at.def, false});
}

static bool read_frame(snReader* r, const snXmlNode* node, Place at) {
  if (!read_childclass(r, node, &at.def)) return false;
  mjsFrame* x = mjs_addFrame(at.body, at.frame);
  if (!x) return read_memory(r, node);
  read_info(node, x->info);
  if (xml_get(node, "childclass")) mjs_setString(x->childclass, xml_get(node, "childclass"));
  if (!read_values(r, node, x, x->element)) return false;
  at.frame = x;
  return read_body(r, node, at);
}

// The children are read once, into a frame of their own, and that frame is copied.
static bool read_replicate(snReader* r, const snXmlNode* node, Place at) {
  int count;
  double offset[3] = {0, 0, 0}, euler[3] = {0, 0, 0};
  if (!read_int(r, node, "count", &count, NULL) ||
      !read_doubles(r, node, "offset", offset, 3, 3, NULL) ||
      !read_doubles(r, node, "euler", euler, 3, 3, NULL)) {
    return false;
  }
  if (count < 1) return true;
  if (!read_childclass(r, node, &at.def)) return false;
  const char* sep = xml_get(node, "sep");
  mjsFrame* original = mjs_addFrame(at.body, at.frame);
  if (!original) return read_memory(r, node);
  read_info(node, original->info);
  if (xml_get(node, "childclass")) mjs_setString(original->childclass, xml_get(node, "childclass"));
  Place inside = at;
  inside.frame = original;
  if (!read_body(r, node, inside)) return false;
  if (!spec_replicate(element_of(at.body->element), at.frame ? element_of(at.frame->element) : NULL,
                      element_of(original->element), count, offset, euler, sep ? sep : "")) {
    return xml_fault(node, NULL, r->fault, "%s", mjs_getError(r->spec));
  }
  if (mjs_delete(r->spec, original->element) != 0) {
    return xml_fault(node, NULL, r->fault, "%s", mjs_getError(r->spec));
  }
  return true;
}

// The whole world of a model gathered in one frame, so that it can be attached.
static mjsFrame* world_frame(mjSpec* model) {
  mjsBody* world = mjs_findBody(model, "world");
  mjsFrame* frame = world ? mjs_addFrame(world, NULL) : NULL;
  if (!frame) return NULL;
  static const mjtObj kTypes[] = {mjOBJ_BODY, mjOBJ_FRAME,  mjOBJ_GEOM,
                                  mjOBJ_SITE, mjOBJ_CAMERA, mjOBJ_LIGHT};
  for (int i = 0; i < snCOUNT(kTypes); i++) {
    for (mjsElement* e = mjs_firstChild(world, kTypes[i], 0); e; e = mjs_nextChild(world, e, 0)) {
      if (e != frame->element && !mjs_getFrame(e)) mjs_setFrame(e, frame);
    }
  }
  return frame;
}

// A body that already has the name of the body to attach is that body: it moves to this frame.
static bool attach_again(snReader* r, const snXmlNode* node, Place at, mjsBody* here) {
  if (mjs_getParent(here->element) != at.body) {
    return xml_fault(node, "body", r->fault, "body '%s' is there already, with another parent",
                     mjs_getString(mjs_getName(here->element)));
  }
  mjsFrame* frame = mjs_addFrame(at.body, at.frame);
  if (!frame) return read_memory(r, node);
  mjs_setFrame(here->element, frame);
  return true;
}

static bool read_attach(snReader* r, const snXmlNode* node, Place at) {
  const char *name = xml_get(node, "model"), *body = xml_get(node, "body");
  snSubmodel* model = NULL;  // the first model of that name, which is the last in the list
  for (snSubmodel* m = r->models; m; m = m->next) {
    if (!strcmp(m->name, name)) model = m;
  }
  if (!model) {
    return xml_fault(node, "model", r->fault, "could not find model '%s' among the assets", name);
  }
  mjsElement* child;
  if (body) {
    mjsBody* found = mjs_findBody(model->spec, body);
    if (!found) {
      return xml_fault(node, "body", r->fault, "there is no body '%s' in model '%s'", body, name);
    }
    child = found->element;
    const char* prefix = xml_get(node, "prefix");
    char* taken = xml_alloc(r->xml, strlen(prefix) + strlen(body) + 1);
    if (!taken) return read_memory(r, node);
    strcat(strcpy(taken, prefix), body);
    mjsBody* here = mjs_findBody(r->spec, taken);
    if (here) return attach_again(r, node, at, here);
  } else {
    if (!model->all) model->all = world_frame(model->spec);
    if (!model->all) return read_memory(r, node);
    child = model->all->element;
  }
  mjsFrame* frame = mjs_addFrame(at.body, at.frame);
  if (!frame) return read_memory(r, node);
  // copies, because one model may be attached many times
  mjs_setDeepCopy(r->spec, 1);
  mjsElement* attached = mjs_attach(frame->element, child, xml_get(node, "prefix"), "");
  mjs_setDeepCopy(r->spec, 0);
  if (!attached) {
    const char* why = mjs_getError(r->spec);
    return xml_fault(node, NULL, r->fault, "%s", why && why[0] ? why : mjs_getError(model->spec));
  }
  return true;
}

static bool read_body(snReader* r, const snXmlNode* node, Place at) {
  static const struct {
    const char* name;
    bool (*read)(snReader*, const snXmlNode*, Place);
  } kReaders[] = {{"geom", read_geom},     {"body", read_new_body},      {"joint", read_joint},
                  {"site", read_site},     {"inertial", read_inertial},  {"freejoint", read_joint},
                  {"camera", read_camera}, {"light", read_light},        {"frame", read_frame},
                  {"attach", read_attach}, {"replicate", read_replicate}};
  for (const snXmlNode* n = node->child; n; n = n->next) {
    bool known = false;
    for (int i = 0; i < snCOUNT(kReaders) && !known; i++) {
      if (strcmp(n->name, kReaders[i].name)) continue;
      known = true;
      if (!kReaders[i].read(r, n, at)) return false;
    }
    if (known) continue;
    bool fine = true;
    if (!strcmp(n->name, "plugin")) {
      fine = read_plugin(r, n, &at.body->plugin);
    } else if (!strcmp(n->name, "flexcomp")) {
      fine = read_flexcomp(r, n, at.body, at.frame, at.def);
    } else {
      fine = read_composite(r, n, at.body, at.frame, at.def);
    }
    if (!fine) return false;
  }
  return true;
}

bool read_world(snReader* r, const snXmlNode* section) {
  if (section->nattr) {
    return xml_fault(section, section->attr[0].name, r->fault, "the world cannot have attributes");
  }
  mjsBody* world = mjs_findBody(r->spec, "world");
  if (!world) return read_memory(r, section);
  return read_body(r, section, (Place){world, NULL, NULL, true});
}
