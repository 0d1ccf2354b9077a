// Chains: the dofs that a constraint between two bodies touches, and the bodies that carry the
// sides of a contact.
//
// The dofs that move a body form its chain, ascending (model/plan.h). Two chains of one tree share
// a prefix; behind it one lies wholly before the other, since the dofs of a subtree are contiguous.
// So the union of two chains is a concatenation, without a merge.
#include "constrain/constrain.h"

// Nodes with a smaller share of a point carry nothing of it, as released: those off the face of the
// cell that the point is on.
static const mjtNum kNodeShare = 1e-5;

int chain_sides(const mjModel* m, int body1, int body2, int* col, unsigned char* side) {
  const snPlan* plan = model_plan(m);
  const int* a = plan->chain + plan->chain_adr[body1];
  const int* b = plan->chain + plan->chain_adr[body2];
  int na = plan->chain_num[body1], nb = plan->chain_num[body2], i = 0, n = 0;
  for (; i < na && i < nb && a[i] == b[i]; i++) {
    side[n] = 3;
    col[n++] = a[i];
  }
  unsigned char first = 1, second = 2;
  if (i < na && i < nb && b[i] < a[i]) {
    const int* c = a;
    a = b;
    b = c;
    int nc = na;
    na = nb;
    nb = nc;
    first = 2;
    second = 1;
  }
  for (int j = i; j < na; j++) {
    side[n] = first;
    col[n++] = a[j];
  }
  for (int j = i; j < nb; j++) {
    side[n] = second;
    col[n++] = b[j];
  }
  for (int k = 1; k < n; k++) SN_ASSERT(col[k - 1] < col[k]);  // a concatenation, without a merge
  return n;
}

int chain_count(const mjModel* m, int body1, int body2) {
  const snPlan* plan = model_plan(m);
  const int* a = plan->chain + plan->chain_adr[body1];
  const int* b = plan->chain + plan->chain_adr[body2];
  int na = plan->chain_num[body1], nb = plan->chain_num[body2], i = 0;
  while (i < na && i < nb && a[i] == b[i]) i++;
  return na + nb - i;
}

// The bodies that carry one side of a contact: a geom has one; a flex vertex has its body, or the
// nodes of the cell that it is interpolated from; a flex element has its vertices, except the
// vertex that is the other side of the contact, with weights of inverse distance normalized to
// Euclidean norm one.
static int side_support(const mjModel* m, const mjData* d, const mjContact* con, int k, bool last,
                        int* body, mjtNum* weight) {
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
    int corners = m->flex_dim[f] + 1, opposite = con->flex[!k] == f ? con->vert[!k] : -1;
    const int* elem = m->flex_elem + m->flex_elemdataadr[f] + con->elem[k] * corners;
    mjtNum total = 0;
    nvert = 0;
    for (int i = 0; i < corners; i++) {
      if (elem[i] == opposite) continue;
      const mjtNum* x = d->flexvert_xpos + 3 * (vadr + elem[i]);
      mjtNum dx = con->pos[0] - x[0], dy = con->pos[1] - x[1], dz = con->pos[2] - x[2];
      mjtNum dist = sqrt(dx * dx + dy * dy + dz * dz);
      vert[nvert] = elem[i];
      share[nvert] = 1 / mju_max(mjMINVAL, dist);
      total += share[nvert] * share[nvert];
      nvert++;
    }
    for (int i = 0; i < nvert; i++) share[i] /= sqrt(total);
  }
  if (!m->flex_interp[f]) {
    for (int i = 0; i < nvert; i++) {
      body[i] = m->flex_vertbodyid[vadr + vert[i]];
      weight[i] = share[i];
    }
    return nvert;
  }
  // trilinear cell: node n is the corner ((n >> 2) & 1, (n >> 1) & 1, n & 1)
  int nnode = m->flex_nodenum[f] < 8 ? m->flex_nodenum[f] : 8, count = 0;
  const int* node = m->flex_nodebodyid + m->flex_nodeadr[f];
  for (int n = 0; n < nnode; n++) {
    mjtNum sum = 0;
    bool carries = false;
    for (int i = last ? nvert - 1 : 0; i < nvert; i++) {
      const mjtNum* c = m->flex_vert0 + 3 * (vadr + vert[i]);
      mjtNum x = n & 4 ? c[0] : 1 - c[0], y = n & 2 ? c[1] : 1 - c[1], z = n & 1 ? c[2] : 1 - c[2];
      if (x * y * z < kNodeShare) continue;
      carries = true;
      sum += share[i] * x * y * z;
    }
    if (!carries) continue;
    body[count] = node[n];
    weight[count++] = sum;
  }
  return count;
}

int contact_support(const mjModel* m, const mjData* d, const mjContact* con, bool last, int* body,
                    mjtNum* weight) {
  int n = side_support(m, d, con, 0, last, body, weight);
  for (int i = 0; i < n; i++) weight[i] = -weight[i];
  return n + side_support(m, d, con, 1, last, body + n, weight + n);
}
