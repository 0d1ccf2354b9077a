// bvh_active: which nodes of bounding volume hierarchies the released engine goes through.
//
// Our collision does not walk hierarchies, so the marks are made when someone looks, from the
// poses. Bodies and flexes that pass the filters and the released sweep (touching.c; the world
// passes) are walked from their two roots: of two boxes that overlap both nodes are marked, and the
// larger by mid_weight is opened. Two leaves are marked when what they hold may touch:
//
//   geom, geom      bounding spheres and boxes overlap
//   geom, element   box of the geom, and the cube around its sphere, overlap the element's box
//   two elements    always
//
// Of two bodies one has several geoms, else their geoms are paired without a walk. A flex is walked
// against itself when its elements are found by hierarchies. The rule was found black-box
// (tests/parity/test_marks.py).
#include "collide/cache.h"
#include "collide/collide.h"
#include "collide/contact.h"

typedef struct snMarks_ {
  const mjModel* m;
  mjData* d;
  double margin;
  int item[2];  // a body, or nbody + a flex
} snMarks;

static const double kOrigin[3] = {0, 0, 0};
static const double kIdentity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static int tree_first(const mjModel* m, int item) {
  return item < m->nbody ? m->body_bvhadr[item] : m->flex_bvhadr[item - m->nbody];
}

static int tree_size(const mjModel* m, int item) {
  return item < m->nbody ? m->body_bvhnum[item] : m->flex_bvhnum[item - m->nbody];
}

static snMidBox node_box(const snMarks* k, int side, int node) {
  const mjModel* m = k->m;
  const mjData* d = k->d;
  int body = k->item[side];
  if (body < m->nbody)
    return (snMidBox){d->xipos + 3 * body, d->ximat + 9 * body, m->bvh_aabb + 6 * (size_t)node};
  return (snMidBox){kOrigin, kIdentity, d->bvh_aabb_dyn + 6 * (size_t)(node - m->nbvhstatic)};
}

static snMidBox geom_box(const snMarks* k, int g) {
  return (snMidBox){k->d->geom_xpos + 3 * g, k->d->geom_xmat + 9 * g, k->m->geom_aabb + 6 * g};
}

static bool geoms_meet(const snMarks* k, int g1, int g2) {
  double margin = contact_margin(k->m, -1, g1, g2);
  if (spheres_gap(k->m, k->d, g1, g2, margin) > 0) return false;
  snMidBox box[2] = {geom_box(k, g1), geom_box(k, g2)};
  return !mid_boxes_apart(box, margin);
}

static bool geom_meets(const snMarks* k, int g, int node) {
  snMidBox box[2] = {geom_box(k, g), node_box(k, 1, node)};
  for (int i = 0; i < 3; i++) {
    double reach = k->m->geom_rbound[g] + box[1].box[3 + i] + k->margin;
    if (fabs(box[0].pos[i] - box[1].box[i]) > reach) return false;
  }
  return !mid_boxes_apart(box, k->margin);
}

static bool leaves_meet(const snMarks* k, const int node[2]) {
  const int *id = k->m->bvh_nodeid, nbody = k->m->nbody, ngeom = k->m->ngeom;
  if (k->item[0] >= nbody) return true;
  if (id[node[0]] >= ngeom) return false;
  if (k->item[1] >= nbody) return geom_meets(k, id[node[0]], node[1]);
  return id[node[1]] < ngeom && geoms_meet(k, id[node[0]], id[node[1]]);
}

// Walk down two hierarchies.
static void mark_walk(const snMarks* k) {
  enum { kMost = 4 * mjMAXTREEDEPTH };
  const mjModel* m = k->m;
  int first[2] = {tree_first(m, k->item[0]), tree_first(m, k->item[1])};
  if (!tree_size(m, k->item[0]) || !tree_size(m, k->item[1])) return;
  int stack[kMost][2] = {{first[0], first[1]}}, top = 1;
  while (top > 0 && top <= kMost - 2) {
    top--;
    int node[2] = {stack[top][0], stack[top][1]};
    bool leaf[2] = {m->bvh_nodeid[node[0]] >= 0, m->bvh_nodeid[node[1]] >= 0};
    bool ends = leaf[0] && leaf[1];
    snMidBox box[2] = {node_box(k, 0, node[0]), node_box(k, 1, node[1])};
    if (ends ? !leaves_meet(k, node) : mid_boxes_apart(box, k->margin)) continue;
    k->d->bvh_active[node[0]] = k->d->bvh_active[node[1]] = 1;
    if (ends) continue;
    int open = leaf[0] || (!leaf[1] && !(mid_weight(box[0].box) > mid_weight(box[1].box)));
    for (int c = 0; c < 2; c++) {
      // a program may have written to it; children come after their parent, so that the walk ends
      int child = m->bvh_child[2 * (size_t)node[open] + c], own = node[open] - first[open];
      if (child <= own || child >= tree_size(m, k->item[open])) continue;
      stack[top][open] = first[open] + child;
      stack[top++][!open] = node[!open];
    }
  }
}

// Does the documented filter let a pair of bodies collide?
static bool bodies_pass(const mjModel* m, int b1, int b2) {
  int w1 = m->body_weldid[b1], w2 = m->body_weldid[b2];
  if (w1 == w2) return false;
  if (w1 && w2 && !(m->opt.disableflags & mjDSBL_FILTERPARENT)) {
    int p1 = m->body_weldid[m->body_parentid[w1]], p2 = m->body_weldid[m->body_parentid[w2]];
    if (p1 == w2 || p2 == w1) return false;
  }
  for (int i = 0; i < m->nexclude; i++) {
    if (m->exclude_signature[i] == (b1 << 16) + b2) return false;
  }
  return true;
}

static bool items_pass(const mjModel* m, int i, int j) {
  int nbody = m->nbody, g = j - nbody;
  const int *type = m->flex_contype, *affinity = m->flex_conaffinity;
  if (j < nbody) {
    if (m->body_geomnum[i] <= 1 && m->body_geomnum[j] <= 1) return false;
    return ((m->body_contype[i] & m->body_conaffinity[j]) ||
            (m->body_contype[j] & m->body_conaffinity[i])) &&
           bodies_pass(m, i, j);
  }
  if (i < nbody) {
    return (m->body_contype[i] & affinity[g]) || (type[g] & m->body_conaffinity[i]);
  }
  int f = i - nbody, search = m->flex_selfcollide[f];
  if (!(type[f] & affinity[g]) && !(type[g] & affinity[f])) return false;
  return i != j || search == mjFLEXSELF_BVH || (search == mjFLEXSELF_AUTO && m->flex_dim[f] == 3);
}

static double item_margin(const mjModel* m, int item) {
  if (m->opt.enableflags & mjENBL_OVERRIDE) return m->opt.o_margin;
  return item < m->nbody ? m->body_margin[item] : m->flex_margin[item - m->nbody];
}

void collide_marks(const mjModel* m, mjData* d) {
  if (!m->nbvh) return;
  memset(d->bvh_active, 0, (size_t)m->nbvh);
  if (m->opt.disableflags & (mjDSBL_CONSTRAINT | mjDSBL_CONTACT | mjDSBL_MIDPHASE)) return;
  if (m->ngeom == m->body_geomnum[0] && !m->nflexvert) return;  // nothing that the world could meet
  // no poses yet: data that is new or reset
  static const double kNone[9] = {0};
  if (m->nbody < 2 || !memcmp(d->ximat + 9, kNone, sizeof kNone)) return;
  int n = m->nbody + m->nflex;
  double axes[9], *end = memory_alloc(6 * (size_t)n * sizeof *end);
  if (!end) return;
  released_axes(m, d, axes);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 3; k++) released_interval(m, d, i, axes + 3 * k, end + 6 * i + 2 * k);
  }
  for (int i = 0; i < n; i++) {
    if (!tree_size(m, i)) continue;
    for (int j = i < m->nbody ? i + 1 : i; j < n; j++) {
      const double *a = end + 6 * (size_t)i, *b = end + 6 * (size_t)j;
      bool apart = false;
      for (int k = 0; i && i != j && k < 3 && !apart; k++) {
        apart = released_apart(k, a + 2 * k, b + 2 * k);
      }
      if (apart || !tree_size(m, j) || !items_pass(m, i, j)) continue;
      double margin = i == j ? 0 : sn_max(item_margin(m, i), item_margin(m, j));
      mark_walk(&(snMarks){m, d, margin, {i, j}});
    }
  }
  memory_free(end);
}
