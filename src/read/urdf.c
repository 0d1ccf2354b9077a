// URDF: a flat list of links and joints to the kinematic tree. Units are meters and radians; rpy
// are rotations about the fixed axes x, y, z in this order. A mimic joint becomes a joint equality.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/resource.h"
#include "read/read.h"

typedef struct Link_ {
  const snXmlNode* node;
  const char* name;
  const snXmlNode* joint;  // the joint that connects it to its parent
  mjsBody* body;
  struct Link_* parent;
  struct Link_ *child, *last, *next;  // in the order of the joints
} Link;

typedef struct Material_ {
  struct Material_* next;
  const char* name;
  float rgba[4];
} Material;

typedef struct MeshFile_ {
  struct MeshFile_* next;
  const char* base;  // file name without folder and extension
  const char* name;  // of the asset
  double scale[3];
} MeshFile;

typedef struct Urdf_ {
  snReader* r;
  Link* links;
  int nlink;
  Material* materials;
  MeshFile* meshes;
  bool stripped;  // mesh paths are resolved here, so the compiler must not strip them
} Urdf;

// ---- attributes
static const snXmlNode* child_named(const snXmlNode* node, const char* name) {
  for (const snXmlNode* n = node->child; n; n = n->next) {
    if (!strcmp(n->name, name)) return n;
  }
  return NULL;
}

static const snXmlNode* need_child(snReader* r, const snXmlNode* node, const char* name) {
  const snXmlNode* found = child_named(node, name);
  if (!found) xml_fault(node, NULL, r->fault, "expected an element '%s' inside", name);
  return found;
}

// Elements that may occur once in their parent. Of the others, repetitions are alternatives or
// ignored.
static bool check_once(const Urdf* u, const snXmlNode* node) {
  static const char* const kOnce[][2] = {
      {"robot", "mujoco"},   {"mujoco", "compiler"},  {"mujoco", "option"},
      {"mujoco", "size"},    {"link", "inertial"},    {"inertial", "origin"},
      {"inertial", "mass"},  {"inertial", "inertia"}, {"collision", "origin"},
      {"visual", "origin"},  {"visual", "material"},  {"material", "color"},
      {"joint", "origin"},   {"joint", "axis"},       {"joint", "limit"},
      {"joint", "dynamics"}, {"joint", "parent"},     {"joint", "child"}};
  bool discarded = !strcmp(node->name, "visual") && u->r->spec->compiler.discardvisual;
  for (int i = 0; i < snCOUNT(kOnce); i++) {
    if (strcmp(node->name, kOnce[i][0]) || (discarded && !strcmp(kOnce[i][1], "origin"))) continue;
    const snXmlNode* first = child_named(node, kOnce[i][1]);
    for (const snXmlNode* n = first ? first->next : NULL; n; n = n->next) {
      if (!strcmp(n->name, first->name)) {
        return xml_fault(n, NULL, u->r->fault, "repeated element: the first is in line %d",
                         first->line);
      }
    }
  }
  for (const snXmlNode* n = node->child; n; n = n->next) {
    if (!check_once(u, n)) return false;
  }
  return true;
}

static const char* need(snReader* r, const snXmlNode* node, const char* name) {
  const char* text = xml_get(node, name);
  if (!text) xml_fault(node, NULL, r->fault, "required attribute '%s' is missing", name);
  return text;
}

static bool need_doubles(snReader* r, const snXmlNode* node, const char* name, double* out, int n) {
  int count;
  if (!need(r, node, name) || !read_doubles(r, node, name, out, n, n, &count)) return false;
  if (!count)
    return xml_fault(node, name, r->fault, "found nothing, expected %d number%s", n,
                     n > 1 ? "s" : "");
  return true;
}

// q = qz(yaw) qy(pitch) qx(roll)
static void quat_of_rpy(double quat[4], const double rpy[3]) {
  double c[3], s[3];
  for (int k = 0; k < 3; k++) {
    c[k] = sn_cos(0.5 * rpy[k]);
    s[k] = sn_sin(0.5 * rpy[k]);
  }
  quat[0] = c[0] * c[1] * c[2] + s[0] * s[1] * s[2];
  quat[1] = s[0] * c[1] * c[2] - c[0] * s[1] * s[2];
  quat[2] = c[0] * s[1] * c[2] + s[0] * c[1] * s[2];
  quat[3] = c[0] * c[1] * s[2] - s[0] * s[1] * c[2];
}

static bool read_origin(snReader* r, const snXmlNode* node, double pos[3], double quat[4]) {
  double rpy[3] = {0, 0, 0};
  pos[0] = pos[1] = pos[2] = 0;
  const snXmlNode* origin = child_named(node, "origin");
  if (origin && (!read_doubles(r, origin, "xyz", pos, 3, 3, NULL) ||
                 !read_doubles(r, origin, "rpy", rpy, 3, 3, NULL))) {
    return false;
  }
  quat_of_rpy(quat, rpy);
  return true;
}

// ---- the mujoco extension: compiler, option and size as in MJCF
static bool read_extension(Urdf* u, snXmlNode* node) {
  snReader* r = u->r;
  static const snTag* const kParts[] = {&table_compiler, &table_option, &table_size};
  for (snXmlNode* n = node->child; n; n = n->next) {
    const snTag* tag = NULL;
    for (int i = 0; i < 3; i++) {
      if (!strcmp(n->name, kParts[i]->name)) tag = kParts[i];
    }
    if (!tag) {
      spec_warning(spec_of(r->spec),
                   "%s:%d: element '%s' is not used: the extension has compiler, option "
                   "and size",
                   n->source->path, n->line, n->name);
      continue;
    }
    if (!read_setting(r, n, tag)) return false;
  }
  return true;
}

// ---- materials
static Material* find_material(Urdf* u, const char* name) {
  Material* m = u->materials;
  while (m && strcmp(m->name, name)) m = m->next;
  return m;
}

// The first definition of a name counts. *rgba is set when the node has a color or refers to one.
static bool read_material(Urdf* u, const snXmlNode* node, float rgba[4]) {
  const char* name = xml_get(node, "name");
  const snXmlNode* color = child_named(node, "color");
  Material* known = name && name[0] ? find_material(u, name) : NULL;
  if (color) {
    double value[4];
    if (!need_doubles(u->r, color, "rgba", value, 4)) return false;
    for (int k = 0; k < 4; k++) rgba[k] = (float)value[k];
    if (!known && name && name[0]) {
      Material* m = xml_alloc(u->r->xml, sizeof(*m));
      if (!m) return read_memory(u->r, node);
      m->name = name;
      memcpy(m->rgba, rgba, sizeof(m->rgba));
      m->next = u->materials;
      u->materials = m;
    }
  } else if (known) {
    memcpy(rgba, known->rgba, sizeof(known->rgba));
  }
  return true;
}

// ---- meshes
// Finds "package://robot/meshes/a.stl": the bare file name in the mesh folder, else the path with
// and without its package, relative to the model's folder and its parents. NULL: not found.
static char* locate_mesh(Urdf* u, const char* file) {
  snReader* r = u->r;
  const char* scheme = strstr(file, "://");
  const char* path = scheme ? scheme + 3 : file;
  const char* inside = path;  // without the package
  if (scheme) {
    while (*inside && *inside != '/') inside++;
    while (*inside == '/') inside++;
  }
  char* base = resource_join(string_text(r->spec->modelfiledir), string_text(r->spec->meshdir));
  char* result = NULL;
  const char* bare = path + resource_dir_length(path);
  if (base && r->spec->strippath && read_exists(r, base, bare)) {
    result = resource_join(NULL, bare);
  } else if (base && !scheme && !r->spec->strippath && read_exists(r, base, path)) {
    result = resource_join(NULL, path);
  } else if (base) {
    const char* tries[2] = {path, inside};
    for (int up = 0; up < 8 && !result; up++) {
      for (int i = 0; i < 2 && !result; i++) {
        if (tries[i][0] && read_exists(r, base, tries[i])) result = resource_join(base, tries[i]);
      }
      char* above = resource_join(base, "..");
      memory_free(base);
      base = above;
      if (!base) break;
    }
    if (result) u->stripped = true;
  }
  memory_free(base);
  return result;
}

// The asset for a file at a scale; one file at two scales is two assets.
static const char* mesh_asset(Urdf* u, const snXmlNode* node, const char* file,
                              const double scale[3]) {
  snReader* r = u->r;
  const char* bare = file + resource_dir_length(file);
  const char* dot = strrchr(bare, '.');
  size_t length = dot ? (size_t)(dot - bare) : strlen(bare);
  int same = 0;
  for (const MeshFile* m = u->meshes; m; m = m->next) {
    if (strlen(m->base) != length || strncmp(m->base, bare, length)) continue;
    if (!memcmp(m->scale, scale, sizeof(m->scale))) return m->name;
    same++;
  }
  MeshFile* m = xml_alloc(r->xml, sizeof(*m));
  char* base = xml_alloc(r->xml, length + 1);
  char* name = xml_alloc(r->xml, length + 16);
  mjsMesh* mesh = m && base && name ? mjs_addMesh(r->spec, NULL) : NULL;
  if (!mesh) {
    read_memory(r, node);
    return NULL;
  }
  memcpy(base, bare, length);
  base[length] = 0;
  snprintf(name, length + 16, same ? "%s%d" : "%s", base, same);
  m->base = base;
  m->name = name;
  memcpy(m->scale, scale, sizeof(m->scale));
  m->next = u->meshes;
  u->meshes = m;
  read_info(node, mesh->info);
  memcpy(mesh->scale, scale, sizeof(mesh->scale));
  if (mjs_setName(mesh->element, name) != 0) {
    xml_fault(node, "filename", r->fault, "%s", mjs_getError(r->spec));
    return NULL;
  }
  char* found = locate_mesh(u, file);
  mjs_setString(mesh->file, found ? found : file);
  memory_free(found);
  return name;
}

// ---- geometry
static bool read_shape(Urdf* u, const snXmlNode* node, mjsGeom* geom) {
  snReader* r = u->r;
  const snXmlNode* shape = node->child;
  double length;
  for (; shape; shape = shape->next) {
    if (!strcmp(shape->name, "box")) {
      geom->type = mjGEOM_BOX;
      if (!need_doubles(r, shape, "size", geom->size, 3)) return false;
      for (int k = 0; k < 3; k++) geom->size[k] *= 0.5;
      return true;
    }
    if (!strcmp(shape->name, "cylinder") || !strcmp(shape->name, "capsule")) {
      geom->type = shape->name[1] == 'y' ? mjGEOM_CYLINDER : mjGEOM_CAPSULE;
      if (!need_doubles(r, shape, "radius", geom->size, 1) ||
          !need_doubles(r, shape, "length", &length, 1)) {
        return false;
      }
      geom->size[1] = 0.5 * length;
      return true;
    }
    if (!strcmp(shape->name, "sphere")) {
      geom->type = mjGEOM_SPHERE;
      return need_doubles(r, shape, "radius", geom->size, 1);
    }
    if (!strcmp(shape->name, "mesh")) {
      double scale[3] = {1, 1, 1};
      const char* file = need(r, shape, "filename");
      if (!file || !read_doubles(r, shape, "scale", scale, 3, 3, NULL)) return false;
      const char* name = mesh_asset(u, shape, file, scale);
      if (!name) return false;
      geom->type = mjGEOM_MESH;
      mjs_setString(geom->meshname, name);
      return true;
    }
  }
  return xml_fault(node, NULL, r->fault,
                   "expected a shape: box, cylinder, capsule, sphere or mesh");
}

static bool read_geom(Urdf* u, const snXmlNode* node, mjsBody* body, bool visual, float rgba[4]) {
  snReader* r = u->r;
  const snXmlNode* geometry = need_child(r, node, "geometry");
  if (!geometry) return false;
  // as released, a material applies to the rest of the link, even when its own geom is discarded
  const snXmlNode* material = visual ? child_named(node, "material") : NULL;
  if (material && !read_material(u, material, rgba)) return false;
  if (visual && r->spec->compiler.discardvisual) return true;
  mjsGeom* geom = mjs_addGeom(body, NULL);
  if (!geom) return read_memory(r, node);
  read_info(node, geom->info);
  const char* name = xml_get(node, "name");
  // names of geometry need not be unique in URDF: a repeated name is dropped
  if (name && name[0] && !mjs_findElement(r->spec, mjOBJ_GEOM, name) &&
      mjs_setName(geom->element, name) != 0) {
    return xml_fault(node, "name", r->fault, "%s", mjs_getError(r->spec));
  }
  if (!read_origin(r, node, geom->pos, geom->quat) || !read_shape(u, geometry, geom)) return false;
  if (visual) {
    geom->contype = geom->conaffinity = 0;
    geom->group = 1;
    geom->density = 0;
  }
  memcpy(geom->rgba, rgba, sizeof(geom->rgba));
  return true;
}

static bool read_inertial(Urdf* u, const snXmlNode* node, mjsBody* body) {
  snReader* r = u->r;
  static const char* const kTerms[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  const snXmlNode *mass = need_child(r, node, "mass"), *inertia;
  if (!mass || !need_doubles(r, mass, "value", &body->mass, 1)) return false;
  if (!(inertia = need_child(r, node, "inertia"))) return false;
  double I[6], turn[4], axes[4], vectors[9];
  for (int k = 0; k < 6; k++) {
    if (!need_doubles(r, inertia, kTerms[k], I + k, 1)) return false;
  }
  body->explicitinertial = 1;
  if (!read_origin(r, node, body->ipos, turn)) return false;
  // Principal axes, then the rotation of the inertial frame. As released, the compiler takes the
  // full matrix in the link's frame, so the rotation has no effect on the model.
  double full[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}, moments[3];
  mju_eig3(moments, vectors, axes, full);
  mju_mulQuat(body->iquat, turn, axes);
  // All zeros denotes a link without extent, which is valid if the link is fixed.
  bool zero = true;
  for (int k = 0; k < 6; k++) zero &= I[k] == 0;
  if (!zero) memcpy(body->fullinertia, I, sizeof(body->fullinertia));
  if (turn[0] != 1) {
    spec_warning(spec_of(r->spec), "%s:%d: the rpy of an inertial origin has no effect",
                 node->source->path, node->line);
  }
  return true;
}

// ---- joints
// x and y of a frame whose z is the axis
static void plane_axes(const double axis[3], double x[3], double y[3]) {
  double quat[4];
  static const double kX[3] = {1, 0, 0}, kY[3] = {0, 1, 0};
  mju_quatZ2Vec(quat, axis);
  mju_rotVecQuat(x, kX, quat);
  mju_rotVecQuat(y, kY, quat);
}

static mjsJoint* add_joint(Urdf* u, const snXmlNode* node, mjsBody* body, mjtJoint type,
                           const double axis[3], const char* suffix) {
  snReader* r = u->r;
  mjsJoint* j = mjs_addJoint(body, NULL);
  if (!j) {
    read_memory(r, node);
    return NULL;
  }
  read_info(node, j->info);
  j->type = type;
  memcpy(j->axis, axis, sizeof(j->axis));
  const char* base = xml_get(node, "name");
  char name[1024];
  snprintf(name, sizeof(name), "%s%s", base, suffix);
  if (mjs_setName(j->element, name) != 0) {
    xml_fault(node, "name", r->fault, "%s", mjs_getError(r->spec));
    return NULL;
  }
  return j;
}

static bool read_dynamics(snReader* r, const snXmlNode* node, mjsJoint* j) {
  const snXmlNode* dynamics = child_named(node, "dynamics");
  return !dynamics || (read_doubles(r, dynamics, "damping", &j->damping, 1, 1, NULL) &&
                       read_doubles(r, dynamics, "friction", &j->frictionloss, 1, 1, NULL));
}

// A planar joint has limits for its first dof only.
static bool read_limits(snReader* r, const snXmlNode* node, mjsJoint* j) {
  const snXmlNode* limit = child_named(node, "limit");
  if (limit) {
    double effort = 0;
    if (!read_doubles(r, limit, "lower", j->range, 1, 1, NULL) ||
        !read_doubles(r, limit, "upper", j->range + 1, 1, 1, NULL) ||
        !read_doubles(r, limit, "effort", &effort, 1, 1, NULL)) {
      return false;
    }
    if (effort > 0) {
      j->actfrcrange[0] = -effort;
      j->actfrcrange[1] = effort;
    }
  }
  return true;
}

static bool is_scalar(const snXmlNode* joint) {
  const char* type = xml_get(joint, "type");
  return type &&
         (!strcmp(type, "revolute") || !strcmp(type, "continuous") || !strcmp(type, "prismatic"));
}

// A mimic that is not possible is ignored with a warning; the released compiler ignores all of
// them.
static bool read_mimic(snReader* r, const snXmlNode* node) {
  const snXmlNode *mimic = child_named(node, "mimic"), *other = NULL;
  if (!mimic) return true;
  const char* leader = xml_get(mimic, "joint");
  double multiplier = 1, offset = 0;
  if (!read_doubles(r, mimic, "multiplier", &multiplier, 1, 1, NULL) ||
      !read_doubles(r, mimic, "offset", &offset, 1, 1, NULL)) {
    return false;
  }
  for (const snXmlNode* n = r->xml->root->child; leader && n && !other; n = n->next) {
    const char* name = strcmp(n->name, "joint") ? NULL : xml_get(n, "name");
    if (name && !strcmp(name, leader)) other = n;
  }
  if (!other || other == node || !is_scalar(other) || !is_scalar(node)) {
    spec_warning(spec_of(r->spec), "%s:%d: mimic is not used: joint '%s' %s", mimic->source->path,
                 mimic->line, leader ? leader : "",
                 !other          ? "is not there"
                 : other == node ? "cannot follow itself"
                                 : "and its follower must be revolute, continuous or prismatic");
    return true;
  }
  mjsEquality* e = mjs_addEquality(r->spec, NULL);
  if (!e) return read_memory(r, mimic);
  read_info(mimic, e->info);
  e->type = mjEQ_JOINT;
  mjs_setString(e->name1, xml_get(node, "name"));
  mjs_setString(e->name2, leader);
  memset(e->data, 0, 5 * sizeof(double));
  e->data[0] = offset;
  e->data[1] = multiplier;
  return true;
}

static bool read_joint(Urdf* u, const snXmlNode* node, mjsBody* body) {
  snReader* r = u->r;
  const char *type = need(r, node, "type"), *name = need(r, node, "name");
  if (!type || !name) return false;
  if (strlen(name) > 1000) return xml_fault(node, "name", r->fault, "the name is too long");
  double axis[3] = {1, 0, 0};
  const snXmlNode* direction = child_named(node, "axis");
  if (direction && !need_doubles(r, direction, "xyz", axis, 3)) return false;
  mjsJoint* j;
  if (!strcmp(type, "fixed")) return true;
  if (!strcmp(type, "revolute") || !strcmp(type, "continuous")) {
    j = add_joint(u, node, body, mjJNT_HINGE, axis, "");
  } else if (!strcmp(type, "prismatic")) {
    j = add_joint(u, node, body, mjJNT_SLIDE, axis, "");
  } else if (!strcmp(type, "spherical")) {
    j = add_joint(u, node, body, mjJNT_BALL, axis, "");
  } else if (!strcmp(type, "floating")) {
    j = add_joint(u, node, body, mjJNT_FREE, (double[3]){0, 0, 1}, "");
  } else if (!strcmp(type, "planar")) {
    double x[3], y[3];
    plane_axes(axis, x, y);
    j = add_joint(u, node, body, mjJNT_SLIDE, x, "_TX");
    mjsJoint* along = add_joint(u, node, body, mjJNT_SLIDE, y, "_TY");
    mjsJoint* about = add_joint(u, node, body, mjJNT_HINGE, axis, "_RZ");
    if (!j || !along || !about || !read_dynamics(r, node, along) || !read_dynamics(r, node, about))
      return false;
  } else {
    return xml_fault(node, "type", r->fault,
                     "found '%.40s', expected one of: revolute, continuous, "
                     "prismatic, fixed, floating, planar, spherical",
                     type);
  }
  if (!j || !read_limits(r, node, j) || !read_dynamics(r, node, j)) return false;
  return read_mimic(r, node);
}

// ---- the tree
static Link* find_link(Urdf* u, const char* name) {
  for (int i = 0; i < u->nlink; i++) {
    if (!strcmp(u->links[i].name, name)) return u->links + i;
  }
  return NULL;
}

static Link* joint_end(Urdf* u, const snXmlNode* joint, const char* which) {
  const snXmlNode* end = need_child(u->r, joint, which);
  const char* name = end ? need(u->r, end, "link") : NULL;
  if (!name) return NULL;
  Link* link = find_link(u, name);
  if (!link) xml_fault(end, "link", u->r->fault, "there is no link '%s'", name);
  return link;
}

static bool connect(Urdf* u) {
  snReader* r = u->r;
  for (const snXmlNode* n = r->xml->root->child; n; n = n->next) {
    if (strcmp(n->name, "joint")) continue;
    Link *parent = joint_end(u, n, "parent"), *child = parent ? joint_end(u, n, "child") : NULL;
    if (!child) return false;
    if (child->joint) {
      return xml_fault(n, NULL, r->fault, "link '%s' has a parent already, by the joint of line %d",
                       child->name, child->joint->line);
    }
    child->joint = n;
    if (!strcmp(child->name, "world")) continue;
    child->parent = parent;
    if (parent->last) {
      parent->last->next = child;
    } else {
      parent->child = child;
    }
    parent->last = child;
  }
  return true;
}

// Bodies first, from the roots outward, so that they come in the order of the tree.
static bool make_body(Urdf* u, Link* link, mjsBody* parent, int depth) {
  snReader* r = u->r;
  if (depth > snXML_DEPTH) {
    return xml_fault(link->node, NULL, r->fault, "links are chained deeper than %d", snXML_DEPTH);
  }
  link->body = parent;
  if (strcmp(link->name, "world")) {
    mjsBody* body = link->body = mjs_addBody(parent, NULL);
    if (!body) return read_memory(r, link->node);
    read_info(link->node, body->info);
    if (mjs_setName(body->element, link->name) != 0) {
      return xml_fault(link->node, "name", r->fault, "%s", mjs_getError(r->spec));
    }
  }
  for (Link* child = link->child; child; child = child->next) {
    if (!make_body(u, child, link->body, depth + 1)) return false;
  }
  return true;
}

static bool read_link(Urdf* u, Link* link) {
  snReader* r = u->r;
  if (!link->body) {
    return xml_fault(link->node, NULL, r->fault, "the joints make a loop through link '%s'",
                     link->name);
  }
  const snXmlNode* inertial = child_named(link->node, "inertial");
  if (inertial && !read_inertial(u, inertial, link->body)) return false;
  float rgba[4];
  memcpy(rgba, mjs_getSpecDefault(r->spec)->geom->rgba, sizeof(rgba));
  for (const snXmlNode* n = link->node->child; n; n = n->next) {
    bool visual = !strcmp(n->name, "visual");
    if ((visual || !strcmp(n->name, "collision")) && !read_geom(u, n, link->body, visual, rgba)) {
      return false;
    }
  }
  return true;
}

static bool list_links(Urdf* u) {
  snReader* r = u->r;
  int i = 0;
  for (const snXmlNode* n = r->xml->root->child; n; n = n->next)
    u->nlink += !strcmp(n->name, "link");
  u->links = xml_alloc(r->xml, (u->nlink + 1) * sizeof(Link));
  if (!u->links) return read_memory(r, r->xml->root);
  memset(u->links, 0, (u->nlink + 1) * sizeof(Link));
  u->nlink = 0;
  for (const snXmlNode* n = r->xml->root->child; n; n = n->next) {
    if (strcmp(n->name, "link")) continue;
    const char* name = need(r, n, "name");
    if (!name) return false;
    if (find_link(u, name))
      return xml_fault(n, "name", r->fault, "there are two links called '%s'", name);
    u->links[i].node = n;
    u->links[i].name = name;
    u->nlink = ++i;
  }
  return true;
}

bool read_urdf(snReader* r) {
  Urdf u = {.r = r};
  mjSpec* s = r->spec;
  snXmlNode* root = r->xml->root;
  s->compiler.degree = 0;
  s->compiler.fusestatic = 1;
  s->compiler.discardvisual = 1;
  s->strippath = 1;
  const char* name = xml_get(root, "name");
  if (name) mjs_setString(s->modelname, name);
  for (snXmlNode* n = root->child; n; n = n->next) {
    if (!strcmp(n->name, "mujoco") && !read_extension(&u, n)) return false;
  }
  s->compiler.degree = 0;
  if (!check_once(&u, root)) return false;
  for (const snXmlNode* n = root->child; n; n = n->next) {
    float rgba[4];
    if (!strcmp(n->name, "material") && !read_material(&u, n, rgba)) return false;
  }
  if (!list_links(&u) || !connect(&u)) return false;
  mjsBody* world = mjs_findBody(s, "world");
  if (!world) return read_memory(r, root);
  for (int i = 0; i < u.nlink; i++) {
    if (!u.links[i].parent && !make_body(&u, u.links + i, world, 0)) return false;
  }
  for (int i = 0; i < u.nlink; i++) {
    if (!read_link(&u, u.links + i)) return false;
  }
  // joints in the order of the document
  for (const snXmlNode* n = root->child; n; n = n->next) {
    if (strcmp(n->name, "joint")) continue;
    Link* link = u.links;
    while (link->joint != n) link++;
    if (strcmp(link->name, "world") &&
        (!read_origin(r, n, link->body->pos, link->body->quat) || !read_joint(&u, n, link->body))) {
      return false;
    }
  }
  if (u.stripped) s->strippath = 0;
  return true;
}
