// mj_geomDistance: the signed distance of two geoms and the segment between their nearest points.
//
// Any collider serves with the margin distmax: the touch of least distance d at p with normal n
// gives the segment from p - n d/2 to p + n d/2. Two boxes, whose collider looks for corners and not
// for the nearest points, and signed distance fields use an exact search instead.
#include "collide/cache.h"
#include "collide/convex.h"
#include "collide/sdf.h"

// Pairs that the released engine measures by GJK: the segment leads from the geom of lower type to
// the other, whatever the order of the arguments. For all other pairs it leads from geom1 to geom2.
static bool segment_by_type(int type1, int type2) {
  if (type1 < mjGEOM_SPHERE || type2 > mjGEOM_MESH) return false;
  bool mesh = type2 == mjGEOM_MESH,
       ellipsoid = type1 == mjGEOM_ELLIPSOID || type2 == mjGEOM_ELLIPSOID;
  return mesh || ellipsoid || type1 == mjGEOM_CYLINDER ||
         (type1 == mjGEOM_CAPSULE && type2 == mjGEOM_CYLINDER);
}

mjtNum mj_geomDistance(const mjModel* m, const mjData* d, int geom1, int geom2, mjtNum distmax,
                       mjtNum fromto[6]) {
  if (fromto) memset(fromto, 0, 6 * sizeof(mjtNum));
  for (int k = 0; k < 2; k++) {
    int g = k ? geom2 : geom1;
    if (g < 0 || g >= m->ngeom) {
      mju_error("mj_geomDistance: geom %d is not between 0 and %d", g, m->ngeom - 1);
      return distmax;
    }
  }
  bool flip = m->geom_type[geom1] > m->geom_type[geom2];
  int g1 = flip ? geom2 : geom1, g2 = flip ? geom1 : geom2;
  int type1 = m->geom_type[g1], type2 = m->geom_type[g2];
  mjfCollision collider = mjCOLLISIONFUNC[type1][type2];
  if (!collider) return distmax;

  snTouch best = {.dist = distmax};
  bool found = false;
  if (collider == collide_default(type1, type2)) {
    snTouchList list = {.nearest = true};
    if (type1 == mjGEOM_BOX && type2 == mjGEOM_BOX) {
      snShape a = shape_geom(m, d, g1), b = shape_geom(m, d, g2);
      collide_nearest(m, &list, &a, &b, distmax);
    } else if (type2 == mjGEOM_SDF && type1 != mjGEOM_PLANE) {
      sdf_nearest(m, d, &list, g1, g2, distmax);
    } else {
      collide_geoms(m, d, &list, g1, g2, distmax, NULL);
    }
    for (int i = 0; i < list.n; i++) {
      if (list.touch[i].dist < best.dist) {
        best = list.touch[i];
        found = true;
      }
    }
    touch_free(&list);
  } else {
    mjContact con[mjMAXCONPAIR];
    int n = collider(m, d, con, g1, g2, distmax);
    for (int i = 0; i < n; i++) {
      if (con[i].dist < best.dist) {
        best = (snTouch){con[i].dist, v_of(con[i].pos), v_of(con[i].frame), {0, 0, 0}};
        found = true;
      }
    }
  }
  if (found && fromto) {
    snVec on1 = v_along(best.pos, -0.5 * best.dist, best.normal);
    snVec on2 = v_along(best.pos, 0.5 * best.dist, best.normal);
    if (segment_by_type(type1, type2)) flip = false;
    v_store(fromto, flip ? on2 : on1);
    v_store(fromto + 3, flip ? on1 : on2);
  }
  return best.dist;
}
