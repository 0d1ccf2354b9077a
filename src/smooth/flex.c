// Flexes: positions of vertices, boxes of elements and their hierarchy, lengths of edges and their
// gradients.
//
// A vertex is fixed to a body of its own, usually with three slides, or is interpolated from the
// eight nodes of a cell. The gradient of the length of an edge from p1 to p2 is dir' (J2 - J1),
// stored by the chains of the two bodies.
#include "base/assert.h"
#include "data/frame.h"
#include "smooth/smooth.h"

// World positions of points fixed to bodies; `local` NULL when they are at the body origins.
static void attached_points(const mjData* d, double* xpos, const int* body, const double* local,
                            int num) {
  for (int i = 0; i < num; i++) {
    double* x = xpos + 3 * i;
    vec3_copy(x, d->xpos + 3 * body[i]);
    if (local) {
      double offset[3];
      mat3_mul_vec(offset, d->xmat + 9 * body[i], local + 3 * i);
      vec3_add(x, x, offset);
    }
  }
}

void flex_nodes(const mjModel* m, const mjData* d, int f, double* xpos) {
  int adr = m->flex_nodeadr[f];
  attached_points(d, xpos, m->flex_nodebodyid + adr,
                  m->flex_centered[f] ? NULL : m->flex_node + 3 * adr, m->flex_nodenum[f]);
}

// Trilinear interpolation in a cell of 8 nodes: the weight of a node is the product of c or 1 - c
// over the coordinates c in the unit cube; bit 0 of a node's index is z, bit 1 y, bit 2 x.
SN_KERNEL static void interpolated_points(double* xpos, const double* coord, const double* node,
                                          int num) {
  sn4 corner[8];
  for (int n = 0; n < 8; n++) corner[n] = sn4_load_part(node + 3 * n, 3);
  for (int i = 0; i < num; i++, xpos += 3, coord += 3) {
    double far[3] = {coord[0], coord[1], coord[2]}, near[3] = {1 - far[0], 1 - far[1], 1 - far[2]};
    sn4 x = sn4_set1(0);
    SN_UNROLL
    for (int n = 0; n < 8; n++) {
      double weight =
          (n & 4 ? far[0] : near[0]) * (n & 2 ? far[1] : near[1]) * (n & 1 ? far[2] : near[2]);
      x += corner[n] * weight;
    }
    sn4_store_part(xpos, x, 3);
  }
}

static void vertices(const mjModel* m, mjData* d, int f) {
  int adr = m->flex_vertadr[f], num = m->flex_vertnum[f];
  double* xpos = d->flexvert_xpos + 3 * adr;
  if (!m->flex_interp[f]) {
    attached_points(d, xpos, m->flex_vertbodyid + adr,
                    m->flex_centered[f] ? NULL : m->flex_vert + 3 * adr, num);
    return;
  }
  double node[3 * mjMAXFLEXNODES];
  flex_nodes(m, d, f, node);
  interpolated_points(xpos, m->flex_vert0 + 3 * adr, node, num);
}

// Store a box as center and half size.
SN_INLINE void box_store(double* box, sn4 low, sn4 high, double radius) {
  sn4 center = (high + low) * 0.5, half = (high - low) * 0.5 + radius;
  sn4_store(box, center);
  sn4_store(box + 2, __builtin_shufflevector(center, half, 2, 4, 5, 6));
}

// Boxes of elements, inflated by the radius. A load of a vertex reads one number behind it; behind
// the last vertex the buffer has the boxes.
SN_KERNEL static void element_boxes(const mjModel* m, mjData* d, int f) {
  int per = m->flex_dim[f] + 1;
  const double* xpos = d->flexvert_xpos + 3 * m->flex_vertadr[f];
  const int* elem = m->flex_elem + m->flex_elemdataadr[f];
  double radius = m->flex_radius[f], *box = d->flexelem_aabb + 6 * m->flex_elemadr[f];
  for (int e = 0; e < m->flex_elemnum[f]; e++, elem += per, box += 6) {
    sn4 low = sn4_load(xpos + 3 * elem[0]), high = low;
    for (int i = 1; i < per; i++) {
      sn4 x = sn4_load(xpos + 3 * elem[i]);
      low = sn4_min(low, x);
      high = sn4_max(high, x);
    }
    box_store(box, low, high, radius);
  }
}

// Boxes of the bounding volume hierarchy, from the leaves up: children have larger indices than
// their parent.
SN_KERNEL static void box_tree(const mjModel* m, mjData* d, int f) {
  int adr = m->flex_bvhadr[f];
  const int *node = m->bvh_nodeid + adr, *child = m->bvh_child + 2 * adr;
  const double* leaf = d->flexelem_aabb + 6 * m->flex_elemadr[f];
  double* tree = d->bvh_aabb_dyn + 6 * (adr - m->nbvhstatic);
  int num = m->flex_bvhnum[f], nelem = m->flex_elemnum[f];
  for (int i = num - 1; i >= 0; i--) {
    double* box = tree + 6 * i;
    // skip indices out of range, which a program may have written
    bool inner = node[i] < 0;
    if (inner
            ? (unsigned)child[2 * i] >= (unsigned)num || (unsigned)child[2 * i + 1] >= (unsigned)num
            : node[i] >= nelem) {
      continue;
    }
    if (!inner) {
      sn4 begin = sn4_load(leaf + 6 * node[i]), end = sn4_load(leaf + 6 * node[i] + 2);
      sn4_store(box, begin);
      sn4_store(box + 2, end);
      continue;
    }
    const double *left = tree + 6 * child[2 * i], *right = tree + 6 * child[2 * i + 1];
    sn4 center1 = sn4_load(left), half1 = sn4_load(left + 2);
    sn4 center2 = sn4_load(right), half2 = sn4_load(right + 2);
    half1 = __builtin_shufflevector(half1, half1, 1, 2, 3, 3);
    half2 = __builtin_shufflevector(half2, half2, 1, 2, 3, 3);
    sn4 low = sn4_min(center1 - half1, center2 - half2);
    sn4 high = sn4_max(center1 + half1, center2 + half2);
    box_store(box, low, high, 0);
  }
}

// dir' J(p) over the dofs of a chain: cdof . [(p - com) x dir; dir]
static void chain_gradient(const mjModel* m, const mjData* d, int body, const double* p,
                           const double* dir, const int* dof, int n, int* col, double* row) {
  double w[6], arm[3];
  vec3_sub(arm, p, d->subtree_com + 3 * m->body_rootid[body]);
  vec3_cross(w, arm, dir);
  vec3_copy(w + 3, dir);
  for (int i = 0; i < n; i++) {
    col[i] = dof[i];
    row[i] = vec6_dot(d->cdof + 6 * dof[i], w);
  }
}

// The gradient of the distance of two vertices over the union of their chains: dir' (J2 - J1), zero
// for dofs that move both. Both chains ascend, and behind their shared prefix one lies wholly
// before the other. Returns the number of columns.
static int edge_gradient(const mjModel* m, const mjData* d, int body1, const double* p1, int body2,
                         const double* p2, const double* dir, int* col, double* row) {
  const snPlan* plan = model_plan(m);
  const int *a = plan->chain + plan->chain_adr[body1], *b = plan->chain + plan->chain_adr[body2];
  int na = plan->chain_num[body1], nb = plan->chain_num[body2], n = 0;
  for (; n < na && n < nb && a[n] == b[n]; n++) {
    col[n] = a[n];
    row[n] = 0;
  }
  double back[3] = {-dir[0], -dir[1], -dir[2]};
  na -= n, nb -= n;
  SN_ASSERT(!na || !nb || a[n + na - 1] < b[n] || b[n + nb - 1] < a[n]);
  int at1 = n, at2 = n;
  if (na && nb && b[n] < a[n])
    at1 += nb;
  else
    at2 += na;
  if (na) chain_gradient(m, d, body1, p1, back, a + n, na, col + at1, row + at1);
  if (nb) chain_gradient(m, d, body2, p2, dir, b + n, nb, col + at2, row + at2);
  return n + na + nb;
}

// Has a body no dofs, or exactly three slides?
static bool moves_freely(const mjModel* m, int body) {
  const snPlan* plan = model_plan(m);
  if (!plan->chain_num[body]) return true;
  if (plan->chain_num[body] != 3 || m->body_jntnum[body] != 3) return false;
  const int* type = m->jnt_type + m->body_jntadr[body];
  return type[0] == mjJNT_SLIDE && type[1] == mjJNT_SLIDE && type[2] == mjJNT_SLIDE;
}

// The gradient at one end with three slides: three columns, or none when the end is fixed.
SN_INLINE int free_gradient(const mjModel* m, const mjData* d, int body, const double* dir,
                            int* col, double* row) {
  if (!m->body_dofnum[body]) return 0;
  int dof = m->body_dofadr[body];
  const double* axis = d->cdof + 6 * dof + 3;
  for (int i = 0; i < 3; i++, axis += 6) {
    col[i] = dof + i;
    row[i] = vec3_dot(axis, dir);
  }
  return 3;
}

// Sparse gradients of edges whose vertices all have three slides or none.
static void free_edges(const mjModel* m, mjData* d, int f, int* adr) {
  const int *body = m->flex_vertbodyid + m->flex_vertadr[f], *v = m->flex_edge;
  const double* xpos = d->flexvert_xpos + 3 * m->flex_vertadr[f];
  int first = m->flex_edgeadr[f], num = m->flex_edgenum[f];
  for (int e = first; e < first + num; e++) {
    int v1 = v[2 * e], v2 = v[2 * e + 1], *col = d->flexedge_J_colind + *adr, n = 0;
    double dir[3], *row = d->flexedge_J + *adr;
    vec3_sub(dir, xpos + 3 * v2, xpos + 3 * v1);
    d->flexedge_length[e] = vec3_normalize(dir);
    double back[3] = {-dir[0], -dir[1], -dir[2]};
    if (body[v1] < body[v2]) {
      n = free_gradient(m, d, body[v1], back, col, row);
      n += free_gradient(m, d, body[v2], dir, col + n, row + n);
    } else {
      n = free_gradient(m, d, body[v2], dir, col, row);
      n += free_gradient(m, d, body[v1], back, col + n, row + n);
    }
    d->flexedge_J_rowadr[e] = *adr;
    d->flexedge_J_rownnz[e] = n;
    *adr += n;
  }
}

// Does any force or constraint act along edges? Only then are gradients computed, as released.
static bool edges_act(const mjModel* m, int f) {
  return m->flex_edgeequality[f] || m->flex_edgestiffness[f] != 0 || m->flex_edgedamping[f] != 0 ||
         m->flex_damping[f] != 0;
}

static void no_gradient(const mjModel* m, mjData* d, int first, int num, bool sparse) {
  if (sparse) {
    memset(d->flexedge_J_rowadr + first, 0, num * sizeof(int));
    memset(d->flexedge_J_rownnz + first, 0, num * sizeof(int));
  } else {
    memset(d->flexedge_J + (size_t)first * m->nv, 0, (size_t)num * m->nv * sizeof(double));
  }
}

// Lengths of edges and their gradients; rigid and interpolated flexes have none.
static void edges(const mjModel* m, mjData* d, int f, bool sparse, int* adr, int* col,
                  double* row) {
  const int *body = m->flex_vertbodyid + m->flex_vertadr[f], nv = m->nv;
  const double* xpos = d->flexvert_xpos + 3 * m->flex_vertadr[f];
  int first = m->flex_edgeadr[f], num = m->flex_edgenum[f];
  if (m->flex_rigid[f] || m->flex_interp[f]) {
    memset(d->flexedge_length + first, 0, num * sizeof(double));
    no_gradient(m, d, first, num, sparse);
    return;
  }
  if (!edges_act(m, f)) {
    for (int e = first; e < first + num; e++) {
      double dir[3];
      vec3_sub(dir, xpos + 3 * m->flex_edge[2 * e + 1], xpos + 3 * m->flex_edge[2 * e]);
      d->flexedge_length[e] = vec3_norm(dir);
    }
    no_gradient(m, d, first, num, sparse);
    return;
  }
  bool free = sparse;
  for (int i = 0; i < m->flex_vertnum[f] && free; i++) free = moves_freely(m, body[i]);
  if (free) {
    free_edges(m, d, f, adr);
    return;
  }
  for (int e = first; e < first + num; e++) {
    int v1 = m->flex_edge[2 * e], v2 = m->flex_edge[2 * e + 1];
    double dir[3];
    vec3_sub(dir, xpos + 3 * v2, xpos + 3 * v1);
    d->flexedge_length[e] = vec3_normalize(dir);
    if (sparse) {
      int n = edge_gradient(m, d, body[v1], xpos + 3 * v1, body[v2], xpos + 3 * v2, dir,
                            d->flexedge_J_colind + *adr, d->flexedge_J + *adr);
      d->flexedge_J_rowadr[e] = *adr;
      d->flexedge_J_rownnz[e] = n;
      *adr += n;
    } else {
      int n = edge_gradient(m, d, body[v1], xpos + 3 * v1, body[v2], xpos + 3 * v2, dir, col, row);
      double* dense = d->flexedge_J + (size_t)e * nv;
      memset(dense, 0, nv * sizeof(double));
      for (int k = 0; k < n; k++) dense[col[k]] = row[k];
    }
  }
}

void mj_flex(const mjModel* m, mjData* d) {
  if (!m->nflex) return;
  int nv = m->nv, adr = 0;
  bool sparse = mj_isSparse(m);
  for (int f = 0; f < m->nflex; f++) {
    vertices(m, d, f);
    element_boxes(m, d, f);
    if (m->flex_bvhnum[f]) box_tree(m, d, f);
  }
  mj_markStack(d);
  int* col;
  double* row;
  bool room = FRAME(memory_of(d), SN_ARRAY(col, 2 * (size_t)nv), SN_ARRAY(row, 2 * (size_t)nv));
  for (int f = 0; room && f < m->nflex; f++) edges(m, d, f, sparse, &adr, col, row);
  mj_freeStack(d);
}
