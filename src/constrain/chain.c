// Chains: the dofs a constraint touches.
#include "constrain/constrain.h"

// Both chains are walked from the leaf up, the larger dof first, so that the union comes out in
// descending order; it is then turned round in place.
int chain_merge(const mjModel* m, int body1, int body2, int* col, unsigned char* side) {
  int i = chain_last_dof(m, body1), j = chain_last_dof(m, body2), n = 0;
  const int* parent = m->dof_parentid;
  while (i >= 0 || j >= 0) {
    int k = i > j ? i : j;
    side[n] = (unsigned char)((i == k ? 1 : 0) | (j == k ? 2 : 0));
    col[n++] = k;
    if (i == k) i = parent[k];
    if (j == k) j = parent[k];
  }
  for (int a = 0, b = n - 1; a < b; a++, b--) {
    int c = col[a];
    col[a] = col[b];
    col[b] = c;
    unsigned char s = side[a];
    side[a] = side[b];
    side[b] = s;
  }
  return n;
}

// The bodies that carry one side of a contact: a geom has one; a flex vertex has its body, or the
// nodes of the cell it is interpolated from; a flex element has its vertices, the nearer the
// heavier.
static int side_support(const mjModel* m, const mjData* d, const mjContact* con, int k, int* body,
                        mjtNum* weight) {
  if (con->geom[k] >= 0) {
    body[0] = m->geom_bodyid[con->geom[k]];
    weight[0] = 1;
    return 1;
  }
  int f = con->flex[k], vadr = m->flex_vertadr[f];
  int vert[4], nvert;
  mjtNum share[4];
  if (con->vert[k] >= 0) {
    vert[0] = con->vert[k];
    share[0] = 1;
    nvert = 1;
  } else {
    nvert = m->flex_dim[f] + 1;
    const int* elem = m->flex_elem + m->flex_elemdataadr[f] + con->elem[k] * nvert;
    mjtNum total = 0;
    for (int i = 0; i < nvert; i++) {
      vert[i] = elem[i];
      const mjtNum* x = d->flexvert_xpos + 3 * (vadr + elem[i]);
      mjtNum dx = con->pos[0] - x[0], dy = con->pos[1] - x[1], dz = con->pos[2] - x[2];
      mjtNum dist = sqrt(dx * dx + dy * dy + dz * dz);
      share[i] = 1 / mju_max(mjMINVAL, dist);
      total += share[i];
    }
    for (int i = 0; i < nvert; i++) share[i] /= total;
  }
  if (!m->flex_interp[f]) {
    for (int i = 0; i < nvert; i++) {
      body[i] = m->flex_vertbodyid[vadr + vert[i]];
      weight[i] = share[i];
    }
    return nvert;
  }
  // trilinear cell: node n has the corner (n>>2, n>>1, n) & 1
  int nnode = m->flex_nodenum[f] < 8 ? m->flex_nodenum[f] : 8;
  const int* node = m->flex_nodebodyid + m->flex_nodeadr[f];
  for (int n = 0; n < nnode; n++) {
    body[n] = node[n];
    weight[n] = 0;
    for (int i = 0; i < nvert; i++) {
      const mjtNum* c = m->flex_vert0 + 3 * (vadr + vert[i]);
      mjtNum w = share[i];
      w *= n & 4 ? c[0] : 1 - c[0];
      w *= n & 2 ? c[1] : 1 - c[1];
      w *= n & 1 ? c[2] : 1 - c[2];
      weight[n] += w;
    }
  }
  return nnode;
}

int contact_support(const mjModel* m, const mjData* d, const mjContact* con, int* body,
                    mjtNum* weight) {
  int n = side_support(m, d, con, 0, body, weight);
  for (int i = 0; i < n; i++) weight[i] = -weight[i];
  return n + side_support(m, d, con, 1, body + n, weight + n);
}
