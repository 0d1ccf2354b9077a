// The table of colliders, mjCOLLISIONFUNC: the collider of each pair of types.
//
// The documented entries write into an array of mjMAXCONPAIR contacts. The engine calls its own
// colliders directly, with a list that grows, and calls an entry only when a program has replaced
// it.
#include "collide/cache.h"
#include "collide/collide.h"
#include "collide/convex.h"
#include "collide/hfield.h"
#include "collide/sdf.h"

// The shape of a geom that has only pose and size. Every member is named here and below: GCC clears
// unnamed ones by `rep stos`, which takes longer than the rest.
static snShape shape_plain(const mjModel* m, const mjData* d, int geom) {
  return (snShape){.type = m->geom_type[geom],
                   .pos = d->geom_xpos + 3 * geom,
                   .mat = d->geom_xmat + 9 * geom,
                   .size = m->geom_size + 3 * geom,
                   .hull = NULL,
                   .point = NULL,
                   .npoint = 0,
                   .skin = 0,
                   .raised = false,
                   .aabb = NULL,
                   .rbound = 0};
}

snShape shape_geom(const mjModel* m, const mjData* d, int geom) {
  int type = m->geom_type[geom], mesh = m->geom_dataid[geom];
  bool hull = (type == mjGEOM_MESH || type == mjGEOM_SDF) && mesh >= 0;
  return (snShape){.type = type,
                   .pos = d->geom_xpos + 3 * geom,
                   .mat = d->geom_xmat + 9 * geom,
                   .size = m->geom_size + 3 * geom,
                   .hull = hull ? model_plan(m)->hull + mesh : NULL,
                   .point = NULL,
                   .npoint = 0,
                   .skin = 0,
                   .raised = false,
                   .aabb = m->geom_aabb + 6 * geom,
                   .rbound = m->geom_rbound[geom]};
}

typedef void (*snCollider)(snTouchList* list, const snShape* a, const snShape* b, double margin);

static const snCollider kAnalytic[mjNGEOMTYPES][mjNGEOMTYPES] = {
    [mjGEOM_PLANE] = {[mjGEOM_SPHERE] = collide_plane_sphere,
                      [mjGEOM_CAPSULE] = collide_plane_capsule,
                      [mjGEOM_ELLIPSOID] = collide_plane_convex,
                      [mjGEOM_CYLINDER] = collide_plane_cylinder,
                      [mjGEOM_BOX] = collide_plane_box,
                      [mjGEOM_MESH] = collide_plane_convex,
                      [mjGEOM_SDF] = collide_plane_convex},
    [mjGEOM_SPHERE] = {[mjGEOM_SPHERE] = collide_sphere_sphere,
                       [mjGEOM_CAPSULE] = collide_sphere_capsule,
                       [mjGEOM_CYLINDER] = collide_sphere_cylinder,
                       [mjGEOM_BOX] = collide_sphere_box},
    [mjGEOM_CAPSULE] =
        {[mjGEOM_CAPSULE] = collide_capsule_capsule, [mjGEOM_BOX] = collide_capsule_box},
    [mjGEOM_BOX] = {[mjGEOM_BOX] = collide_box_box},
};

bool collide_is_direct(int type1, int type2) {
  return type1 >= mjGEOM_SPHERE && type2 < mjGEOM_MESH && kAnalytic[type1][type2];
}

void collide_direct(const mjModel* m, const mjData* d, snTouchList* list, int g1, int g2,
                    double margin) {
  snShape a = shape_plain(m, d, g1), b = shape_plain(m, d, g2);
  kAnalytic[a.type][b.type](list, &a, &b, margin);
}

bool collide_remembers(int type1, int type2) {
  return type1 != mjGEOM_HFIELD && type2 != mjGEOM_SDF && !kAnalytic[type1][type2];
}

void collide_geoms(const mjModel* m, const mjData* d, snTouchList* list, int g1, int g2,
                   double margin, snAxis* memory) {
  snShape a = shape_geom(m, d, g1), b = shape_geom(m, d, g2);
  snCollider analytic = kAnalytic[a.type][b.type];
  if (b.type == mjGEOM_SDF && !analytic) {
    collide_sdf(m, d, list, g1, g2, margin);
    return;
  }
  if ((a.type == mjGEOM_MESH || b.type == mjGEOM_MESH || b.type == mjGEOM_SDF) &&
      !(a.hull || b.hull)) {
    mju_error("geom %d or %d is a mesh without vertices", g1, g2);
    return;
  }
  if (analytic)
    analytic(list, &a, &b, margin);
  else if (a.type == mjGEOM_HFIELD)
    collide_hfield(m, d, list, g1, &b, margin);
  else
    collide_convex(m, list, &a, &b, margin, memory);
}

// The documented form of a collider: contacts of the list, as many as the caller's array holds.
static int collide_public(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,
                          mjtNum margin) {
  snTouchList list = {0};
  collide_geoms(m, d, &list, g1, g2, margin, NULL);
  int n = list.n < mjMAXCONPAIR ? list.n : mjMAXCONPAIR;
  for (int i = 0; i < n; i++) {
    con[i].dist = list.touch[i].dist;
    v_store(con[i].pos, list.touch[i].pos);
    v_store(con[i].frame, list.touch[i].normal);
    v_store(con[i].frame + 3, list.touch[i].tangent);
    v_store(con[i].frame + 6, v3(0, 0, 0));
  }
  touch_free(&list);
  return n;
}

#define C collide_public
static const mjfCollision kDefault[mjNGEOMTYPES][mjNGEOMTYPES] = {
    //           plane hfield sphere capsule ellipsoid cylinder box mesh sdf
    /*plane*/ {NULL, NULL, C, C, C, C, C, C, C},
    /*hfield*/ {NULL, NULL, C, C, C, C, C, C, C},
    /*sphere*/ {NULL, NULL, C, C, C, C, C, C, C},
    /*capsule*/ {NULL, NULL, NULL, C, C, C, C, C, C},
    /*ellipsoid*/ {NULL, NULL, NULL, NULL, C, C, C, C, C},
    /*cylinder*/ {NULL, NULL, NULL, NULL, NULL, C, C, C, C},
    /*box*/ {NULL, NULL, NULL, NULL, NULL, NULL, C, C, C},
    /*mesh*/ {NULL, NULL, NULL, NULL, NULL, NULL, NULL, C, C},
    /*sdf*/ {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, C},
};

mjfCollision mjCOLLISIONFUNC[mjNGEOMTYPES][mjNGEOMTYPES] = {
    {NULL, NULL, C, C, C, C, C, C, C},
    {NULL, NULL, C, C, C, C, C, C, C},
    {NULL, NULL, C, C, C, C, C, C, C},
    {NULL, NULL, NULL, C, C, C, C, C, C},
    {NULL, NULL, NULL, NULL, C, C, C, C, C},
    {NULL, NULL, NULL, NULL, NULL, C, C, C, C},
    {NULL, NULL, NULL, NULL, NULL, NULL, C, C, C},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, C, C},
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, C},
};
#undef C

bool collide_custom(void) { return memcmp(mjCOLLISIONFUNC, kDefault, sizeof kDefault) != 0; }

mjfCollision collide_default(int type1, int type2) { return kDefault[type1][type2]; }

// ---- the released library exports its colliders by name, without declaring them; their type is
// that of the table
#define COLLIDER(name)                                                                         \
  MJAPI int name(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2,            \
                 mjtNum margin);                                                               \
  int name(const mjModel* m, const mjData* d, mjContact* con, int g1, int g2, mjtNum margin) { \
    if ((unsigned)g1 < (unsigned)m->ngeom && (unsigned)g2 < (unsigned)m->ngeom)                \
      return collide_public(m, d, con, g1, g2, margin);                                        \
    mju_error("%s: geoms %d and %d, of %d there are", #name, g1, g2, m->ngeom);                \
    return 0;                                                                                  \
  }
COLLIDER(mjc_PlaneSphere)
COLLIDER(mjc_PlaneCapsule)
COLLIDER(mjc_PlaneCylinder)
COLLIDER(mjc_PlaneBox)
COLLIDER(mjc_SphereSphere)
COLLIDER(mjc_SphereCapsule)
COLLIDER(mjc_SphereCylinder)
COLLIDER(mjc_SphereBox)
COLLIDER(mjc_CapsuleCapsule)
COLLIDER(mjc_CapsuleBox)
COLLIDER(mjc_BoxBox)
COLLIDER(mjc_Convex)
