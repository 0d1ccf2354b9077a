// Geoms and sites: sizes checked, mesh geoms placed, primitives fitted to meshes, bounding volumes,
// mass and inertia.
#include <math.h>
#include <string.h>

#include "compile/compile.h"

// number of sizes that each type requires
static int size_count(int type) {
  switch (type) {
    case mjGEOM_SPHERE:
      return 1;
    case mjGEOM_CAPSULE:
    case mjGEOM_CYLINDER:
      return 2;
    case mjGEOM_ELLIPSOID:
    case mjGEOM_BOX:
      return 3;
    default:
      return 0;
  }
}

static bool check_size(snCompile* c, const snElement* e, int type, const double size[3]) {
  for (int i = 0; i < size_count(type); i++) {
    if (!(size[i] > 0)) {
      return compile_error(c, e, "size %d must be positive in %s", i, type_name(e->base.elemtype));
    }
  }
  if (type == mjGEOM_PLANE && !(size[2] > 0)) {
    return compile_error(c, e, "plane size(3) must be positive");
  }
  return true;
}

// Axis-aligned bounding box in the geom's frame: center and half size.
static void geom_box(const snCompile* c, const mjsGeom* g, const snGeomWork* w, double aabb[6]) {
  vec3_zero(aabb);
  double* half = aabb + 3;
  const double* s = g->size;
  switch ((int)g->type) {
    case mjGEOM_SPHERE:
      vec3_set(half, s[0], s[0], s[0]);
      break;
    case mjGEOM_CAPSULE:
      vec3_set(half, s[0], s[0], s[0] + s[1]);
      break;
    case mjGEOM_CYLINDER:
      vec3_set(half, s[0], s[0], s[1]);
      break;
    case mjGEOM_PLANE:
      aabb[2] = -mjMAXVAL / 2;
      vec3_set(half, mjMAXVAL, mjMAXVAL, mjMAXVAL / 2);
      break;
    case mjGEOM_MESH:
    case mjGEOM_SDF:
      memcpy(aabb, c->mesh[w->mesh].aabb, 6 * sizeof(double));
      break;
    default:
      vec3_copy(half, s);
  }
}

static double geom_radius(const mjsGeom* g, const snGeomWork* w) {
  const double* s = g->size;
  switch ((int)g->type) {
    case mjGEOM_SPHERE:
      return s[0];
    case mjGEOM_CAPSULE:
      return s[0] + s[1];
    case mjGEOM_CYLINDER:
      return sqrt(s[0] * s[0] + s[1] * s[1]);
    case mjGEOM_ELLIPSOID:
      return fmax(s[0], fmax(s[1], s[2]));
    case mjGEOM_BOX:
      return sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
    case mjGEOM_HFIELD:
    case mjGEOM_MESH:
    case mjGEOM_SDF: {
      // bounding sphere: the farthest corner of the box
      double corner[3];
      for (int i = 0; i < 3; i++) corner[i] = fabs(w->aabb[i]) + w->aabb[3 + i];
      return vec3_norm(corner);
    }
    default:
      return 0;
  }
}

static bool place_mesh(snCompile* c, snElement* e, snGeomWork* w) {
  mjsGeom* g = &e->u.geom;
  int id;
  if (!compile_id(c, e, mjOBJ_MESH, g->meshname, &id)) return false;
  if (g->type == mjGEOM_MESH || g->type == mjGEOM_SDF) {
    if (id < 0) {
      return compile_error(c, e, "%s geom must have a mesh",
                           g->type == mjGEOM_SDF ? "sdf" : "mesh");
    }
    if (g->typeinertia == mjINERTIA_SHELL) {
      return compile_error(c, e, "for mesh geoms, inertia should be specified in the mesh asset");
    }
    const snMesh* mesh = &c->mesh[id];
    w->mesh = id;
    double pos[3], quat[4];
    vec3_copy(pos, mesh->pos);
    quat_copy(quat, mesh->quat);
    pose_through(g->pos, g->quat, pos, quat);
    vec3_copy(g->pos, pos);
    quat_copy(g->quat, quat);
    vec3_copy(g->size, mesh->size);
    return true;
  }
  if (id < 0) return true;
  // a primitive that names a mesh takes size and pose from it
  w->was_mesh = true;
  double size[3];
  vec3_copy(size, g->size);
  if (!mesh_fit(&c->mesh[id], g->type, element_compiler(e)->fitaabb, g->fitscale, size, g->pos,
                g->quat, &c->fault)) {
    return false;
  }
  vec3_copy(g->size, size);
  return true;
}

static bool place_hfield(snCompile* c, snElement* e, snGeomWork* w) {
  mjsGeom* g = &e->u.geom;
  if (!compile_id(c, e, mjOBJ_HFIELD, g->hfieldname, &w->hfield)) return false;
  if (g->type != mjGEOM_HFIELD) {
    w->hfield = -1;
    return true;
  }
  if (w->hfield < 0) return compile_error(c, e, "hfield geom must have an hfield");
  const double* s = c->list[mjOBJ_HFIELD].item[w->hfield]->u.hfield.size;
  vec3_set(g->size, s[0], s[1], 0.25 * s[2] + 0.5 * s[3]);
  vec3_set(w->aabb, 0, 0, (s[2] - s[3]) / 2);
  vec3_set(w->aabb + 3, s[0], s[1], (s[2] + s[3]) / 2);
  return true;
}

static bool geom_mass(snCompile* c, const snElement* e, snGeomWork* w) {
  const mjsGeom* g = &e->u.geom;
  bool shell = g->typeinertia == mjINERTIA_SHELL;
  if (w->mesh >= 0) {
    mesh_geom_inertia(&c->mesh[w->mesh], g->mass, g->density, &w->mass, w->inertia);
  } else {
    inertia_of_primitive(e, shell, g->density, g->mass, &w->mass, w->inertia);
  }
  return true;
}

static bool moves(const snElement* body) {
  while (body && !body->child[snCHILD_JOINT].n) body = body->parent;
  return body != NULL;
}

static bool compile_geom(snCompile* c, snElement* e) {
  mjsGeom* g = &e->u.geom;
  e->adr[0] = e->id;
  snGeomWork* w = &c->geom[e->adr[0]];
  w->mesh = w->hfield = -1;
  if ((int)g->type < 0 || g->type >= mjNGEOMTYPES) return compile_error(c, e, "invalid geom type");
  if (g->condim != 1 && g->condim != 3 && g->condim != 4 && g->condim != 6) {
    return compile_error(c, e, "invalid condim %d: must be 1, 3, 4 or 6", g->condim);
  }
  if (!place_mesh(c, e, w) || !place_hfield(c, e, w)) return false;
  if (!w->was_mesh && !check_size(c, e, g->type, g->size)) return false;
  if (g->type == mjGEOM_PLANE && moves(e->parent)) {
    return compile_error(c, e, "plane only allowed in static bodies");
  }
  if (g->type != mjGEOM_HFIELD) geom_box(c, g, w, w->aabb);
  w->rbound = geom_radius(g, w);
  return geom_mass(c, e, w);
}

static bool compile_site(snCompile* c, snElement* e) {
  mjsSite* s = &e->u.site;
  if (s->type == mjGEOM_MESH || s->type == mjGEOM_HFIELD || s->type == mjGEOM_PLANE) {
    return compile_error(c, e, "meshes, hfields and planes not allowed in site");
  }
  return check_size(c, e, s->type, s->size);
}

bool compile_geoms(snCompile* c) {
  int n = c->list[mjOBJ_GEOM].n;
  c->geom = memory_alloc_zero((size_t)(n + 1) * sizeof *c->geom);
  if (!c->geom) return compile_error(c, NULL, "out of memory");
  for (int i = 0; i < n; i++) {
    if (!compile_geom(c, c->list[mjOBJ_GEOM].item[i])) return false;
  }
  for (int i = 0; i < c->list[mjOBJ_SITE].n; i++) {
    if (!compile_site(c, c->list[mjOBJ_SITE].item[i])) return false;
  }
  return true;
}
