// Rows of contacts: wrenches at the contact point, mapped through the chains of the two bodies.
//
// The entry of row (l, r) for dof i is the work of the wrench per unit of the dof,
//
//   J_i = l . (cdof_lin + cdof_rot x o) + r . cdof_rot = l . cdof_lin + (r + o x l) . cdof_rot,
//
// o the vector from the tree's center of mass, about which cdof is given, to the contact point. The
// bracket is computed once for each body, so a column costs six products. Four rows go in SIMD
// lanes. A pyramid has the rows n +- mu_k t_k, an elliptic cone the rows n, t_1, t_2 and the three
// torques.
#include <string.h>

#include "data/frame.h"
#include "constrain/rows.h"

// Rows of a flex contact from its relative velocity in the contact frame (S, dim x nnz): the rows
// of S, or S_0 +- mu_k S_k for a pyramid.
static void write_contact(snRowBuilder* b, int c, int nnz, const mjtNum* S) {
  mjContact* con = b->d->contact + c;
  int dim = con->dim;
  mjtNum pos[10], margin[10];
  int nrow, type;
  if (dim == 1) {
    nrow = 1;
    type = mjCNSTR_CONTACT_FRICTIONLESS;
    memcpy(b->J, S, sizeof(mjtNum) * (size_t)nnz);
  } else if (!model_elliptic(b->m)) {
    nrow = 2 * (dim - 1);
    type = mjCNSTR_CONTACT_PYRAMIDAL;
    for (int k = 1; k < dim; k++) {
      mjtNum mu = con->friction[k - 1];
      mjtNum *plus = b->J + (size_t)(2 * k - 2) * nnz, *minus = plus + nnz;
      const mjtNum* t = S + (size_t)k * nnz;
      for (int i = 0; i < nnz; i++) {
        plus[i] = S[i] + mu * t[i];
        minus[i] = S[i] - mu * t[i];
      }
    }
  } else {
    nrow = dim;
    type = mjCNSTR_CONTACT_ELLIPTIC;
    memcpy(b->J, S, sizeof(mjtNum) * (size_t)dim * (size_t)nnz);
  }
  for (int r = 0; r < nrow; r++) {
    bool normal = r == 0 || type == mjCNSTR_CONTACT_PYRAMIDAL;
    pos[r] = normal ? con->dist : 0;
    margin[r] = normal ? con->includemargin : 0;
  }
  int row = rows_put(b, nrow, nnz, pos, margin, 0, type, c);
  con->efc_address = row;
  if (row < 0) con->exclude = 3;
}

// ---- wrenches

// One dof, four rows: the work l . cdof_lin + r . cdof_rot of the wrenches (l, r) per unit of the
// dof.
SN_INLINE sn4 work(const sn4 l[3], const sn4 r[3], const mjtNum* s) {
  return (r[0] * s[0] + r[1] * s[1] + r[2] * s[2]) + (l[0] * s[3] + l[1] * s[4] + l[2] * s[5]);
}

// Store the first `rows` of four lanes to one column, or to four adjacent columns.
SN_INLINE void store_one(mjtNum* to, size_t stride, int rows, sn4 v) {
  to[0] = v[0];
  if (rows > 1) to[stride] = v[1];
  if (rows > 2) to[2 * stride] = v[2];
  if (rows > 3) to[3 * stride] = v[3];
}

SN_INLINE void store_four(mjtNum* to, size_t stride, int rows, sn4 a, sn4 b, sn4 c, sn4 d) {
  sn4_transpose(&a, &b, &c, &d);
  sn4_store(to, a);
  if (rows > 1) sn4_store(to + stride, b);
  if (rows > 2) sn4_store(to + 2 * stride, c);
  if (rows > 3) sn4_store(to + 3 * stride, d);
}

// The columns of n dofs for one group of rows. Row k of the group is at J + k stride; in CSR
// columns are adjacent.
SN_INLINE void write_columns(const sn4 l[3], const sn4 r[3], const mjtNum* cdof, const int* col,
                             int n, mjtNum* J, size_t stride, int rows, bool sparse) {
  for (int k = 0; k < n;) {
    const mjtNum* s = cdof + 6 * col[k];
    mjtNum* to = J + (sparse ? k : col[k]);
    if (k + 4 <= n && col[k + 3] == col[k] + 3) {
      store_four(to, stride, rows, work(l, r, s), work(l, r, s + 6), work(l, r, s + 12),
                 work(l, r, s + 18));
      k += 4;
    } else {
      store_one(to, stride, rows, work(l, r, s));
      k++;
    }
  }
}

// o x l
SN_INLINE void cross_lanes(const sn4 l[3], const mjtNum* o, sn4 r[3]) {
  r[0] = l[2] * o[1] - l[1] * o[2];
  r[1] = l[0] * o[2] - l[2] * o[0];
  r[2] = l[1] * o[0] - l[0] * o[1];
}

// Write the columns of rows that act on the second body and, with opposite sign, on the first;
// returns the number of columns. A dof that moves both bodies does work only on the vector between
// the two points.
SN_INLINE int put_columns(snRowBuilder* b, const snWrench* w, const int body[2],
                          mjtNum point[2][3]) {
  const mjModel* m = b->m;
  mjData* d = b->d;
  const int* chain[2];
  int num[2], shared = 0;
  for (int i = 0; i < 2; i++) {
    chain[i] = b->plan->chain + b->plan->chain_adr[body[i]];
    num[i] = b->plan->chain_num[body[i]];
  }
  int least = num[0] < num[1] ? num[0] : num[1];
  while (shared < least && chain[0][shared] == chain[1][shared]) shared++;
  int nnz = num[0] + num[1] - shared;
  if (!nnz) return 0;
  // behind the shared prefix one chain lies wholly before the other
  int first = shared < least && chain[1][shared] < chain[0][shared];
  int place[2] = {first ? num[1] : shared, first ? shared : num[0]};
  bool sparse = b->sparse;
  int stride = sparse ? nnz : m->nv;
  mjtNum* J = d->efc_J + (sparse ? (size_t)b->nJ : (size_t)b->nefc * (size_t)stride);
  mjtNum o[2][3], between[3];
  for (int i = 0; i < 2; i++)
    vec3_sub(o[i], point[i], d->subtree_com + 3 * m->body_rootid[body[i]]);
  vec3_sub(between, point[1], point[0]);
  bool apart = between[0] != 0 || between[1] != 0 || between[2] != 0;
  for (int g = 0; 4 * g < w->nrow; g++, J += 4 * (size_t)stride) {
    int rows = w->nrow - 4 * g < 4 ? w->nrow - 4 * g : 4;
    sn4 l[3], r[3];
    for (int i = 0; i < 2; i++) {
      int n = num[i] - shared;
      if (!n) continue;
      for (int c = 0; c < 3; c++) l[c] = i ? w->lin[g][c] : -w->lin[g][c];
      cross_lanes(l, o[i], r);
      for (int c = 0; c < 3 && w->turns; c++) r[c] += i ? w->rot[g][c] : -w->rot[g][c];
      if (sparse) {
        write_columns(l, r, d->cdof, chain[i] + shared, n, J + place[i], stride, rows, true);
      } else {
        write_columns(l, r, d->cdof, chain[i] + shared, n, J, stride, rows, false);
      }
    }
    if (shared && apart) {
      // a shared dof moves both points as one rigid body: the two forces leave a couple
      cross_lanes(w->lin[g], between, r);
      for (int c = 0; c < 3; c++) l[c] = sn4_set1(0);
      write_columns(l, r, d->cdof, chain[0], shared, J, stride, rows, sparse);
    } else if (shared && sparse) {
      for (int i = 0; i < rows; i++) {
        memset(J + (size_t)i * stride, 0, sizeof(mjtNum) * (size_t)shared);
      }
    }
  }
  if (!sparse) return nnz;
  size_t bytes = sizeof(int) * (size_t)nnz;
  int* col = d->efc_J_colind + b->nJ;
  memcpy(col, chain[0], sizeof(int) * (size_t)shared);
  for (int i = 0; i < 2; i++) {
    memcpy(col + place[i], chain[i] + shared, sizeof(int) * (size_t)(num[i] - shared));
  }
  for (int i = 1; i < w->nrow; i++) memcpy(col + (size_t)i * nnz, col, bytes);
  return nnz;
}

// Type, id and CSR pattern of rows whose columns have been written.
SN_INLINE void put_rows(snRowBuilder* b, int nrow, int nnz, int type, int id) {
  mjData* d = b->d;
  int row = b->nefc, end = row + nrow;
  for (; row < end; row++) {
    d->efc_type[row] = type;
    d->efc_id[row] = id;
    d->efc_frictionloss[row] = 0;
    if (!b->sparse) continue;
    d->efc_J_rownnz[row] = nnz;
    d->efc_J_rowadr[row] = b->nJ;
    b->nJ += nnz;
  }
  b->nefc = end;
}

SN_KERNEL int rows_put_wrenches(snRowBuilder* b, const snWrench* w, const int body[2],
                                mjtNum point[2][3], const mjtNum* pos, int type, int id) {
  int first = b->nefc, nnz = put_columns(b, w, body, point);
  if (!nnz) return -1;
  mjData* d = b->d;
  if (!b->sparse) {
    // a dense block of zeros is dropped
    size_t n = (size_t)w->nrow * (size_t)b->m->nv, k = 0;
    mjtNum* J = d->efc_J + (size_t)first * (size_t)b->m->nv;
    while (k < n && J[k] == 0) k++;
    if (k == n) {
      memset(J, 0, sizeof(mjtNum) * n);
      return -1;
    }
  }
  for (int i = 0; i < w->nrow; i++) {
    d->efc_pos[first + i] = pos[i];
    d->efc_margin[first + i] = 0;
  }
  put_rows(b, w->nrow, nnz, type, id);
  return first;
}

// The wrenches of a contact: n +- mu_k t_k for a pyramid, else the directions of the frame
// themselves.
SN_INLINE int contact_wrenches(const mjContact* con, bool pyramidal, snWrench* w) {
  const mjtNum *f = con->frame, *mu = con->friction;
  int dim = con->dim;
  w->turns = dim > 3;
  if (dim > 1 && pyramidal) {
    w->nrow = 2 * (dim - 1);
    for (int c = 0; c < 3; c++) {
      mjtNum n = f[c], x = mu[0] * f[3 + c], y = mu[1] * f[6 + c];
      w->lin[0][c] = (sn4){n + x, n - x, n + y, n - y};
      if (dim < 4) continue;
      w->rot[0][c] = sn4_set1(0);
      x = mu[2] * f[c], y = mu[3] * f[3 + c];
      w->lin[1][c] = w->lin[2][c] = sn4_set1(n);
      w->rot[1][c] = (sn4){x, -x, y, -y};
      x = mu[4] * f[6 + c];
      w->rot[2][c] = (sn4){x, -x, 0, 0};
    }
    return mjCNSTR_CONTACT_PYRAMIDAL;
  }
  w->nrow = dim;
  for (int c = 0; c < 3; c++) {
    w->lin[0][c] = (sn4){f[c], f[3 + c], f[6 + c], 0};
    w->lin[1][c] = sn4_set1(0);
    w->rot[0][c] = (sn4){0, 0, 0, f[c]};
    w->rot[1][c] = (sn4){f[3 + c], f[6 + c], 0, 0};
  }
  return dim == 1 ? mjCNSTR_CONTACT_FRICTIONLESS : mjCNSTR_CONTACT_ELLIPTIC;
}

SN_KERNEL static void contact_bodies(snRowBuilder* b, int c) {
  const mjModel* m = b->m;
  mjData* d = b->d;
  mjContact* con = d->contact + c;
  int body[2] = {m->geom_bodyid[con->geom[0]], m->geom_bodyid[con->geom[1]]}, first = b->nefc;
  mjtNum point[2][3];
  vec3_copy(point[0], con->pos);
  vec3_copy(point[1], con->pos);
  snWrench w;
  int type = contact_wrenches(con, !model_elliptic(m), &w);
  int nnz = put_columns(b, &w, body, point);
  if (!nnz) {
    con->exclude = 3;
    return;
  }
  for (int r = 0; r < w.nrow; r++) {
    bool normal = r == 0 || type == mjCNSTR_CONTACT_PYRAMIDAL;
    d->efc_pos[first + r] = normal ? con->dist : 0;
    d->efc_margin[first + r] = normal ? con->includemargin : 0;
  }
  put_rows(b, w.nrow, nnz, type, c);
  con->efc_address = first;
}

// ---- flexes

// Merge the dofs of a chain into the list `col`, both ascending; returns the new length.
static int chain_join(int* col, int n, const int* chain, int num) {
  for (int i = 0, at = 0; i < num; i++, at++) {
    while (at < n && col[at] < chain[i]) at++;
    if (at < n && col[at] == chain[i]) continue;
    for (int k = n++; k > at; k--) col[k] = col[k - 1];
    col[at] = chain[i];
  }
  return n;
}

// S of a flex contact: the weighted sum over the bodies that carry the contact point of its
// velocity in the contact frame. The point of a body at o from the tree's center of mass moves by
// cdof_lin + cdof_rot x o per unit of a dof.
static int contact_flex(snRowBuilder* b, const mjContact* con, mjtNum* S) {
  const mjModel* m = b->m;
  mjData* d = b->d;
  const snPlan* plan = b->plan;
  int body[CONSTRAIN_MAXSUPPORT], dim = con->dim, nnz = 0;
  mjtNum weight[CONSTRAIN_MAXSUPPORT];
  int n = contact_support(m, d, con, false, body, weight);
  for (int i = 0; i < n; i++) {
    const int* chain = plan->chain + plan->chain_adr[body[i]];
    nnz = chain_join(b->col, nnz, chain, plan->chain_num[body[i]]);
  }
  memset(S, 0, sizeof(mjtNum) * (size_t)dim * (size_t)nnz);
  for (int i = 0; i < n; i++) {
    const int *chain = plan->chain + plan->chain_adr[body[i]], num = plan->chain_num[body[i]];
    mjtNum o[3];
    vec3_sub(o, con->pos, d->subtree_com + 3 * m->body_rootid[body[i]]);
    for (int k = 0, at = 0; k < num; k++) {
      const mjtNum* s = d->cdof + 6 * chain[k];
      mjtNum lin[3] = {s[3] + s[1] * o[2] - s[2] * o[1], s[4] + s[2] * o[0] - s[0] * o[2],
                       s[5] + s[0] * o[1] - s[1] * o[0]};
      while (b->col[at] != chain[k]) at++;
      for (int r = 0; r < dim; r++) {
        const mjtNum *axis = con->frame + 3 * (r < 3 ? r : r - 3), *v = r < 3 ? lin : s;
        S[r * nnz + at] += weight[i] * (axis[0] * v[0] + axis[1] * v[1] + axis[2] * v[2]);
      }
    }
  }
  return nnz;
}

void rows_put_contacts(snRowBuilder* b) {
  const mjModel* m = b->m;
  mjData* d = b->d;
  mj_markStack(d);
  mjtNum* S = NULL;
  bool room = !m->nflex || FRAME(memory_of(d), SN_ARRAY(S, 6 * (size_t)m->nv));
  for (int c = 0; c < d->ncon; c++) {
    mjContact* con = d->contact + c;
    con->efc_address = -1;
    if (con->exclude || !room) continue;
    if (con->geom[0] >= 0 && con->geom[1] >= 0) {
      contact_bodies(b, c);
    } else {
      write_contact(b, c, contact_flex(b, con, S), S);
    }
  }
  mj_freeStack(d);
}
