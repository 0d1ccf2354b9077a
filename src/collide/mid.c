// The mid phase: are two geoms kept apart by boxes of their bodies' bounding volume hierarchies?
//
// The near list has tested boxes of single geoms, so the hierarchy saves no time here. It is
// consulted because the released engine tests it first: for geoms that touch to within rounding
// (boxes stacked by their sizes) the last bit of a hierarchy box decides whether there is a
// contact. The sums below therefore go in the released order. Boxes are in the inertial frames of
// the bodies.
#include "collide/narrow.h"

// The nodes from the root of a body's hierarchy to the leaf of a geom; returns their number, 0 when
// the geom has no leaf.
static int mid_path(const mjModel* m, int geom, int path[mjMAXTREEDEPTH]) {
  int body = m->geom_bodyid[geom], adr = m->body_bvhadr[body], num = m->body_bvhnum[body];
  int node = 0, way[mjMAXTREEDEPTH], n = 0;
  while (node < num && m->bvh_nodeid[adr + node] != geom) node++;
  if (node == num) return 0;
  for (way[n++] = node; node; way[n++] = node) {
    int parent = 0;
    while (parent < num && m->bvh_child[2 * (adr + parent)] != node &&
           m->bvh_child[2 * (adr + parent) + 1] != node) {
      parent++;
    }
    if (parent == num || n == mjMAXTREEDEPTH) return 0;
    node = parent;
  }
  for (int i = 0; i < n; i++) path[i] = adr + way[n - 1 - i];
  return n;
}

// Separating axis test along the face axes u of either box. With axes e_i, position p, box center c
// and half sizes h:
//   | [p.u + sum c_i e_i.u]_2 - [...]_1 | > [sum h_i |e_i.u|]_1 + [...]_2 + margin
bool mid_boxes_apart(const snMidBox b[2], double margin) {
  for (int axis = 0; axis < 6; axis++) {
    snVec u = m_axis(b[axis / 3].mat, axis % 3);
    double place[2], reach[2];
    for (int k = 0; k < 2; k++) {
      const double *box = b[k].box, *R = b[k].mat;
      double x = v_dot(m_axis(R, 0), u), y = v_dot(m_axis(R, 1), u), z = v_dot(m_axis(R, 2), u);
      place[k] = v_dot(v_of(b[k].pos), u) + (box[0] * x + box[1] * y + box[2] * z);
      reach[k] = fabs(x) * box[3] + fabs(y) * box[4] + fabs(z) * box[5];
    }
    if (fabs(place[1] - place[0]) > reach[0] + reach[1] + margin) return true;
  }
  return false;
}

// The measure by which the larger of two nodes is opened first. The released engine applies the
// formula of a surface area to (center, half sizes) as if they were two corners; the order of
// contacts of flexes depends on it.
double mid_weight(const double* box) {
  double x = box[3] - box[0], y = box[4] - box[1], z = box[5] - box[2];
  return x * y + y * z + z * x;
}

bool mid_apart(const mjModel* m, const mjData* d, int g1, int g2, double margin) {
  int b1 = m->geom_bodyid[g1], b2 = m->geom_bodyid[g2];
  if (m->opt.disableflags & mjDSBL_MIDPHASE) return false;
  if (m->body_geomnum[b1] <= 1 && m->body_geomnum[b2] <= 1) return false;
  int geom[2] = {b1 < b2 ? g1 : g2, b1 < b2 ? g2 : g1};
  int path[2][mjMAXTREEDEPTH], n[2], at[2] = {0, 0};
  for (int k = 0; k < 2; k++) n[k] = mid_path(m, geom[k], path[k]);
  if (!n[0] || !n[1]) return false;
  while (at[0] < n[0] - 1 || at[1] < n[1] - 1) {
    snMidBox box[2];
    for (int k = 0; k < 2; k++) {
      int body = m->geom_bodyid[geom[k]];
      box[k] = (snMidBox){d->xipos + 3 * body, d->ximat + 9 * body,
                          m->bvh_aabb + 6 * (size_t)path[k][at[k]]};
    }
    if (mid_boxes_apart(box, margin)) return true;
    bool heavier = mid_weight(box[0].box) > mid_weight(box[1].box);
    at[at[0] == n[0] - 1 || (at[1] < n[1] - 1 && !heavier)]++;
  }
  // two leaves: the geoms' own boxes
  snMidBox box[2];
  for (int k = 0; k < 2; k++) {
    int g = geom[k];
    box[k] = (snMidBox){d->geom_xpos + 3 * g, d->geom_xmat + 9 * g, m->geom_aabb + 6 * g};
  }
  return mid_boxes_apart(box, margin);
}
