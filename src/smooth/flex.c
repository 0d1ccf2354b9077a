// Flexes: vertices, boxes of elements and their hierarchy, edges and their gradients.
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

// Weight of node n of 8 at the coordinates c in the unit cube; z is the fastest bit.
static double node_weight(const double* c, int n) {
  return (n & 4 ? c[0] : 1 - c[0]) * (n & 2 ? c[1] : 1 - c[1]) * (n & 1 ? c[2] : 1 - c[2]);
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
  for (int i = 0; i < num; i++) {
    vec3_zero(xpos + 3 * i);
    for (int n = 0; n < m->flex_nodenum[f]; n++) {
      double weight = node_weight(m->flex_vert0 + 3 * (adr + i), n);
      vec3_add_scaled(xpos + 3 * i, xpos + 3 * i, node + 3 * n, weight);
    }
  }
}

// Boxes as centre and half size, inflated by the radius.
static void element_boxes(const mjModel* m, mjData* d, int f) {
  int per = m->flex_dim[f] + 1;
  const double* xpos = d->flexvert_xpos + 3 * m->flex_vertadr[f];
  const int* elem = m->flex_elem + m->flex_elemdataadr[f];
  double radius = m->flex_radius[f];
  for (int e = 0; e < m->flex_elemnum[f]; e++, elem += per) {
    double* box = d->flexelem_aabb + 6 * (m->flex_elemadr[f] + e);
    for (int k = 0; k < 3; k++) {
      double low = xpos[3 * elem[0] + k], high = low;
      for (int i = 1; i < per; i++) {
        low = sn_min(low, xpos[3 * elem[i] + k]);
        high = sn_max(high, xpos[3 * elem[i] + k]);
      }
      box[k] = 0.5 * (high + low);
      box[3 + k] = 0.5 * (high - low) + radius;
    }
  }
}

// Boxes of the tree over the elements, leaves first: children stand behind their parent.
static void box_tree(const mjModel* m, mjData* d, int f) {
  int adr = m->flex_bvhadr[f];
  double* tree = d->bvh_aabb_dyn + 6 * (adr - m->nbvhstatic);
  for (int i = m->flex_bvhnum[f] - 1; i >= 0; i--) {
    int element = m->bvh_nodeid[adr + i];
    double* box = tree + 6 * i;
    if (element >= 0) {
      memcpy(box, d->flexelem_aabb + 6 * (m->flex_elemadr[f] + element), 6 * sizeof(double));
      continue;
    }
    const double* left = tree + 6 * m->bvh_child[2 * (adr + i)];
    const double* right = tree + 6 * m->bvh_child[2 * (adr + i) + 1];
    for (int k = 0; k < 3; k++) {
      double low = sn_min(left[k] - left[3 + k], right[k] - right[3 + k]);
      double high = sn_max(left[k] + left[3 + k], right[k] + right[3 + k]);
      box[k] = 0.5 * (low + high);
      box[3 + k] = 0.5 * (high - low);
    }
  }
}

// Gradient of the distance of two vertices over the union of their chains: dir' (J2 - J1), with
//   dir' J(p) = cdof . [(p - com) x dir; dir]
// Both chains ascend. Returns the number of columns.
static int edge_gradient(const mjModel* m, const mjData* d, int body1, const double* p1, int body2,
                         const double* p2, const double* dir, int* col, double* row) {
  const snPlan* plan = model_plan(m);
  const double* cdof = d->cdof;
  const int *a = plan->chain + plan->chain_adr[body1], *b = plan->chain + plan->chain_adr[body2];
  int na = plan->chain_num[body1], nb = plan->chain_num[body2], n = 0;
  double w1[6], w2[6], arm[3];
  vec3_sub(arm, p1, d->subtree_com + 3 * m->body_rootid[body1]);
  vec3_cross(w1, arm, dir);
  vec3_copy(w1 + 3, dir);
  vec3_sub(arm, p2, d->subtree_com + 3 * m->body_rootid[body2]);
  vec3_cross(w2, arm, dir);
  vec3_copy(w2 + 3, dir);
  for (int i = 0, j = 0; i < na || j < nb; n++) {
    int x = i < na ? a[i] : INT32_MAX, y = j < nb ? b[j] : INT32_MAX, dof = x < y ? x : y;
    col[n] = dof;
    row[n] =
        (y <= x ? vec6_dot(cdof + 6 * dof, w2) : 0) - (x <= y ? vec6_dot(cdof + 6 * dof, w1) : 0);
    i += x <= y, j += y <= x;
  }
  return n;
}

// Lengths of edges and their gradients; rigid and interpolated flexes have none.
static void edges(const mjModel* m, mjData* d, int f, bool sparse, int* adr, int* col,
                  double* row) {
  const int *body = m->flex_vertbodyid + m->flex_vertadr[f], nv = m->nv;
  const double* xpos = d->flexvert_xpos + 3 * m->flex_vertadr[f];
  int first = m->flex_edgeadr[f], num = m->flex_edgenum[f];
  if (m->flex_rigid[f] || m->flex_interp[f]) {
    memset(d->flexedge_length + first, 0, num * sizeof(double));
    if (sparse) memset(d->flexedge_J_rowadr + first, 0, num * sizeof(int));
    if (sparse) memset(d->flexedge_J_rownnz + first, 0, num * sizeof(int));
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
  int* col = mj_stackAllocInt(d, 2 * nv + 1);
  double* row = mj_stackAllocNum(d, 2 * nv + 1);
  for (int f = 0; f < m->nflex && col && row; f++) edges(m, d, f, sparse, &adr, col, row);
  mj_freeStack(d);
}
