// Forces inside a flex: elasticity of elements, bending of shells, springs and dampers of edges,
// and the elasticity of interpolated flexes.
//
//   elements      Saint Venant-Kirchhoff in edge lengths: energy s'Ks/4, s_k = l_k^2 - L_k^2
//   bending       f = -Q x over the four vertices around an inner edge
//   edges         f = -k (l - l0) - b ldot
//   interpolated  linear elasticity of a cell of eight nodes in a frame that rotates with the cell
#include "data/frame.h"
#include "smooth/smooth.h"

// Edges of an element, by dimension.
enum { MAXEDGE = 6 };
static int edges_per_element(int dim) { return dim == 3 ? 6 : dim == 2 ? 3 : 1; }

// Elasticity of elements: with s_k = l_k^2 - L_k^2 for the edges of an element, the energy is
// s'Ks/4 and the force on the ends of edge k is -+(Ks)_k (x_a - x_b). K is stored as its upper
// triangle. Damping adds damping (l^2 - (l - h ldot)^2) / h to s.

// s of every edge, with damping.
SN_KERNEL static void edge_strains(const mjModel* m, const mjData* d, int f, double* strain) {
  int adr = m->flex_edgeadr[f], num = m->flex_edgenum[f];
  const double *length = d->flexedge_length + adr, *rest = m->flexedge_length0 + adr;
  const double* velocity = d->flexedge_velocity + adr;
  double h = m->opt.timestep, damping = m->flex_damping[f] > 0 ? m->flex_damping[f] / h : 0;
  for (int e = 0; e < num; e++) {
    double l2 = length[e] * length[e], before = length[e] - h * velocity[e];
    double s = l2 - rest[e] * rest[e];
    strain[e] = damping > 0 ? s + damping * (l2 - before * before) : s;
  }
}

// Add the (Ks)_k of one element to the tensions of its edges.
SN_INLINE void element_tensions(double* tension, const double* strain, const double* K,
                                const int* edge, int per) {
  double s[MAXEDGE], g[MAXEDGE];
  for (int k = 0; k < per; k++) s[k] = strain[edge[k]], g[k] = 0;
  for (int i = 0, at = 0; i < per; i++) {
    for (int j = i; j < per; j++, at++) {
      g[i] += K[at] * s[j];
      if (j > i) g[j] += K[at] * s[i];
    }
  }
  for (int k = 0; k < per; k++) tension[edge[k]] += g[k];
}

static void elasticity(const mjModel* m, const mjData* d, int f, double* force, double* strain) {
  int per = edges_per_element(m->flex_dim[f]), num = m->flex_edgenum[f];
  const double* K = m->flex_stiffness + 21 * m->flex_elemadr[f];
  const int* edge = m->flex_elemedge + m->flex_elemedgeadr[f];
  double* tension = strain + num;
  edge_strains(m, d, f, strain);
  memset(tension, 0, num * sizeof(double));
  for (int e = 0; e < m->flex_elemnum[f]; e++, K += 21, edge += per) {
    if (K[0] == 0) continue;
    if (per == 6) {
      element_tensions(tension, strain, K, edge, 6);
    } else if (per == 3) {
      element_tensions(tension, strain, K, edge, 3);
    } else {
      element_tensions(tension, strain, K, edge, 1);
    }
  }
  const double* xpos = d->flexvert_xpos + 3 * m->flex_vertadr[f];
  const int* v = m->flex_edge + 2 * m->flex_edgeadr[f];
  for (int e = 0; e < num; e++, v += 2) {
    double along[3];
    vec3_sub(along, xpos + 3 * v[0], xpos + 3 * v[1]);
    vec3_add_scaled(force + 3 * v[0], force + 3 * v[0], along, -tension[e]);
    vec3_add_scaled(force + 3 * v[1], force + 3 * v[1], along, tension[e]);
  }
}

// Bending: f = -Q x over the four vertices around an inner edge.
static void bending(const mjModel* m, const mjData* d, int f, double* force) {
  const double* xpos = d->flexvert_xpos + 3 * m->flex_vertadr[f];
  for (int e = m->flex_edgeadr[f]; e < m->flex_edgeadr[f] + m->flex_edgenum[f]; e++) {
    const int *edge = m->flex_edge + 2 * e, *flap = m->flex_edgeflap + 2 * e;
    if (flap[0] < 0 || flap[1] < 0) continue;
    const double* Q = m->flex_bending + 16 * e;
    int v[4] = {edge[0], edge[1], flap[0], flap[1]};
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < 4; j++) {
        vec3_add_scaled(force + 3 * v[i], force + 3 * v[i], xpos + 3 * v[j], -Q[4 * i + j]);
      }
    }
  }
}

static bool any_nonzero(const double* a, int n) {
  for (int i = 0; i < n; i++) {
    if (a[i] != 0) return true;
  }
  return false;
}

// qfrc += J' f for forces at points of bodies.
static void apply_points(const mjModel* m, mjData* d, const double* force, const double* point,
                         const int* body, int num, double* qfrc) {
  for (int i = 0; i < num; i++) {
    mj_applyFT(m, d, force + 3 * i, NULL, point + 3 * i, body[i], qfrc);
  }
}

// Forces on the three slides of a vertex or node; bodies without three dofs get none. The slides
// are taken as the world axes and the parents as fixed: this is how the interface defines bending
// and interpolated flexes.
static void apply_own(const mjModel* m, const double* force, const int* body, int num,
                      double* qfrc) {
  for (int i = 0; i < num; i++) {
    if (m->body_dofnum[body[i]] != 3) continue;
    double* own = qfrc + m->body_dofadr[body[i]];
    vec3_add(own, own, force + 3 * i);
  }
}

static void vertex_forces(const mjModel* m, mjData* d, int f) {
  int num = m->flex_vertnum[f], adr = m->flex_vertadr[f];
  bool elastic = any_nonzero(m->flex_stiffness + 21 * m->flex_elemadr[f], 21 * m->flex_elemnum[f]);
  bool bends = m->flex_dim[f] == 2 &&
               any_nonzero(m->flex_bending + 16 * m->flex_edgeadr[f], 16 * m->flex_edgenum[f]);
  if (!elastic && !bends) return;
  mj_markStack(d);
  double *force, *strain;  // strains of edges, then their tensions
  if (FRAME(memory_of(d), SN_ARRAY(force, 3 * (size_t)num),
            SN_ARRAY(strain, 2 * (size_t)m->flex_edgenum[f]))) {
    const int* body = m->flex_vertbodyid + adr;
    size_t bytes = 3 * (size_t)num * sizeof(double);
    if (elastic) {
      memset(force, 0, bytes);
      elasticity(m, d, f, force, strain);
      apply_points(m, d, force, d->flexvert_xpos + 3 * adr, body, num, d->qfrc_spring);
    }
    if (bends) {
      memset(force, 0, bytes);
      bending(m, d, f, force);
      if (m->flex_centered[f]) {
        apply_own(m, force, body, num, d->qfrc_spring);
      } else {
        apply_points(m, d, force, d->flexvert_xpos + 3 * adr, body, num, d->qfrc_spring);
      }
    }
  }
  mj_freeStack(d);
}

// qfrc += J' f for an edge
SN_INLINE void edge_apply(const mjModel* m, const mjData* d, bool sparse, double* qfrc, int e,
                          double force) {
  if (sparse) {
    int adr = d->flexedge_J_rowadr[e], n = d->flexedge_J_rownnz[e];
    const int* col = d->flexedge_J_colind + adr;
    const double* J = d->flexedge_J + adr;
    for (int k = 0; k < n; k++) qfrc[col[k]] += J[k] * force;
  } else {
    vec_add_scaled(qfrc, d->flexedge_J + (size_t)e * m->nv, force, m->nv);
  }
}

static void edge_forces(const mjModel* m, mjData* d, int f) {
  double k = m->flex_edgestiffness[f], b = m->flex_edgedamping[f];
  bool sparse = mj_isSparse(m);
  if (k == 0 && b == 0) return;
  for (int e = m->flex_edgeadr[f]; e < m->flex_edgeadr[f] + m->flex_edgenum[f]; e++) {
    if (m->flexedge_rigid[e]) continue;
    if (k != 0) {
      double stretch = m->flexedge_length0[e] - d->flexedge_length[e];
      edge_apply(m, d, sparse, d->qfrc_spring, e, k * stretch);
    }
    if (b != 0) edge_apply(m, d, sparse, d->qfrc_damper, e, -b * d->flexedge_velocity[e]);
  }
}

// The rotation of a cell: the rotational part of the gradient, at its center, of the map from the
// unit cube.
static void cell_rotation(const double* node, double* mat) {
  double gradient[9] = {0}, quat[4] = {1, 0, 0, 0};
  for (int n = 0; n < 8; n++) {
    double sign[3] = {n & 4 ? 0.25 : -0.25, n & 2 ? 0.25 : -0.25, n & 1 ? 0.25 : -0.25};
    for (int r = 0; r < 3; r++) {
      for (int c = 0; c < 3; c++) gradient[3 * r + c] += node[3 * n + r] * sign[c];
    }
  }
  mju_mat2Rot(quat, gradient);
  quat_to_mat(mat, quat);
}

// out = R K R' in, R applied to each node; K is dense over the nodes of the cell
static void cell_multiply(const double* K, const double* mat, const double* in, int num,
                          double* out) {
  double local[3 * mjMAXFLEXNODES], result[3];
  for (int n = 0; n < num; n++) mat3_mulT_vec(local + 3 * n, mat, in + 3 * n);
  for (int n = 0; n < num; n++) {
    for (int r = 0; r < 3; r++) {
      result[r] = vec_dot(K + (size_t)(3 * n + r) * 3 * num, local, 3 * num);
    }
    mat3_mul_vec(out + 3 * n, mat, result);
  }
}

// Apply forces to nodes. A centered flex acts on the slides of its nodes; otherwise, as the
// interface defines, through Jacobians at the node positions rotated into the frame of the cell.
static void cell_apply(const mjModel* m, mjData* d, int f, const double* force,
                       const double* turned, double* qfrc) {
  const int* body = m->flex_nodebodyid + m->flex_nodeadr[f];
  if (m->flex_centered[f]) {
    apply_own(m, force, body, m->flex_nodenum[f], qfrc);
  } else {
    apply_points(m, d, force, turned, body, m->flex_nodenum[f], qfrc);
  }
}

// Interpolated flex: linear elasticity of the cell in the frame that rotates with it,
//   f = R K (R'x - x0),  damping R K R' v.
static void cell_forces(const mjModel* m, mjData* d, int f) {
  int num = m->flex_nodenum[f], adr = m->flex_nodeadr[f];
  const double* K = m->flex_stiffness + 21 * m->flex_elemadr[f];
  const int* body = m->flex_nodebodyid + adr;
  if (num != 8 || 9 * num * num > 21 * m->flex_elemnum[f] || !any_nonzero(K, 9 * num * num)) return;
  double node[3 * mjMAXFLEXNODES], in[3 * mjMAXFLEXNODES], force[3 * mjMAXFLEXNODES], mat[9];
  double turned[3 * mjMAXFLEXNODES];
  flex_nodes(m, d, f, node);
  cell_rotation(node, mat);
  for (int n = 0; n < num; n++) {
    double rest[3];
    mat3_mul_vec(rest, mat, m->flex_node0 + 3 * (adr + n));
    vec3_sub(in + 3 * n, node + 3 * n, rest);
    mat3_mulT_vec(turned + 3 * n, mat, node + 3 * n);
  }
  cell_multiply(K, mat, in, num, force);
  cell_apply(m, d, f, force, turned, d->qfrc_spring);
  if (m->flex_damping[f] <= 0) return;
  for (int n = 0; n < num; n++) {
    double velocity[6];
    if (m->flex_centered[f]) {
      vec3_zero(velocity + 3);
      if (m->body_dofnum[body[n]] == 3) vec3_copy(velocity + 3, d->qvel + m->body_dofadr[body[n]]);
    } else {
      mj_objectVelocity(m, d, mjOBJ_BODY, body[n], velocity, 0);
    }
    vec3_scale(in + 3 * n, velocity + 3, m->flex_damping[f]);
  }
  cell_multiply(K, mat, in, num, force);
  cell_apply(m, d, f, force, turned, d->qfrc_damper);
}

void flex_passive(const mjModel* m, mjData* d) {
  for (int f = 0; f < m->nflex; f++) {
    if (m->flex_rigid[f]) continue;
    if (m->flex_interp[f]) {
      cell_forces(m, d, f);
    } else {
      vertex_forces(m, d, f);
      edge_forces(m, d, f);
    }
  }
}

// The energy of edge springs.
double flex_energy(const mjModel* m, const mjData* d) {
  double energy = 0;
  for (int f = 0; f < m->nflex; f++) {
    double k = m->flex_edgestiffness[f];
    if (k == 0 || m->flex_rigid[f] || m->flex_interp[f]) continue;
    for (int e = m->flex_edgeadr[f]; e < m->flex_edgeadr[f] + m->flex_edgenum[f]; e++) {
      if (m->flexedge_rigid[e]) continue;
      double stretch = d->flexedge_length[e] - m->flexedge_length0[e];
      energy += 0.5 * k * stretch * stretch;
    }
  }
  return energy;
}
