// Rows of contacts: wrenches at the contact point, carried along the chains of the two bodies.
#include <string.h>

#include "constrain/rows.h"

// Rows of a contact with flexes from its relative velocity in the contact frame (S, dim x nnz):
// E'S.
static void write_contact(snBuilder* b, int c, int nnz, const mjtNum* S) {
  mjContact* con = b->d->contact + c;
  int dim = con->dim;
  mjtNum pos[10], margin[10];
  int nrow, type;
  if (dim == 1) {
    nrow = 1;
    type = mjCNSTR_CONTACT_FRICTIONLESS;
    memcpy(b->J, S, sizeof(mjtNum) * (size_t)nnz);
  } else if (b->m->opt.cone == mjCONE_PYRAMIDAL) {
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

// The rows of a contact between two bodies as wrenches in the world, component by component, so
// that lanes run over rows: row r is (lin[.][r], rot[.][r]).
typedef struct snWrench_ {
  mjtNum lin[3][12], rot[3][12];
  int nrow, type;
  bool turns;  // some row has a torque of its own; else rot is not set
} snWrench;

SN_INLINE void contact_wrenches(const mjContact* con, bool pyramidal, snWrench* w) {
  int dim = con->dim;
  const mjtNum* f = con->frame;
  w->turns = dim > 3;
  if (dim == 3 && pyramidal) {
    // the usual contact, in lanes
    mjtNum mu0 = con->friction[0], mu1 = con->friction[1];
    sn4 mu = {mu0, -mu0, mu1, -mu1};
    w->nrow = 4;
    w->type = mjCNSTR_CONTACT_PYRAMIDAL;
    for (int c = 0; c < 3; c++) {
      sn4 axis = {f[3 + c], f[3 + c], f[6 + c], f[6 + c]};
      sn4_store(w->lin[c], sn4_set1(f[c]) + mu * axis);
    }
    return;
  }
  if (dim == 1) {
    w->nrow = 1;
    w->type = mjCNSTR_CONTACT_FRICTIONLESS;
    for (int c = 0; c < 3; c++) sn4_store(w->lin[c], sn4_set1(f[c]));
    return;
  }
  memset(w->lin, 0, sizeof w->lin);
  memset(w->rot, 0, sizeof w->rot);
  if (dim > 1 && pyramidal) {
    // normal plus and minus mu times each direction of friction
    w->nrow = 2 * (dim - 1);
    w->type = mjCNSTR_CONTACT_PYRAMIDAL;
    for (int k = 1; k < dim; k++) {
      mjtNum mu = con->friction[k - 1];
      const mjtNum* axis = f + 3 * (k < 3 ? k : k - 3);
      mjtNum(*part)[12] = k < 3 ? w->lin : w->rot;
      for (int c = 0; c < 3; c++) {
        w->lin[c][2 * k - 2] = w->lin[c][2 * k - 1] = f[c];
        part[c][2 * k - 2] += mu * axis[c];
        part[c][2 * k - 1] -= mu * axis[c];
      }
    }
    return;
  }
  w->nrow = dim;
  w->type = dim == 1 ? mjCNSTR_CONTACT_FRICTIONLESS : mjCNSTR_CONTACT_ELLIPTIC;
  for (int r = 0; r < dim; r++) {
    const mjtNum* axis = f + 3 * (r < 3 ? r : r - 3);
    mjtNum(*part)[12] = r < 3 ? w->lin : w->rot;
    for (int c = 0; c < 3; c++) part[c][r] = axis[c];
  }
}

// Four rows of the column of a dof.
SN_INLINE sn4 contact_column(const sn4* l, const sn4* r, const mjtNum* s) {
  return (r[0] * s[0] + r[1] * s[1] + r[2] * s[2]) + (l[0] * s[3] + l[1] * s[4] + l[2] * s[5]);
}

// Columns of one body's dofs: with o from the center of mass of its tree to the contact, a wrench
// (lin, rot) there does the work lin . cdof_lin + (rot + o x lin) . cdof_rot per unit of the dof.
// J holds the rows at `stride`, and `to` says where a column goes.
SN_INLINE void contact_columns(const snWrench* w, const mjtNum* o, mjtNum sign, const mjtNum* cdof,
                               const int* col, int n, mjtNum* J, int stride, const int* to) {
  for (int g = 0; g < w->nrow; g += 4) {
    sn4 l[3], r[3];
    for (int c = 0; c < 3; c++) l[c] = sn4_load(w->lin[c] + g) * sign;
    for (int c = 0; c < 3; c++) {
      int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
      r[c] = l[c2] * o[c1] - l[c1] * o[c2];
      if (w->turns) r[c] += sn4_load(w->rot[c] + g) * sign;
    }
    int rows = w->nrow - g < 4 ? w->nrow - g : 4, k = 0;
    mjtNum* row = J + (size_t)g * stride;
    for (; rows == 4 && k + 4 <= n && to[k + 3] == to[k] + 3; k += 4) {
      sn4 v[4];
      for (int i = 0; i < 4; i++) v[i] = contact_column(l, r, cdof + 6 * col[k + i]);
      sn4 a = __builtin_shufflevector(v[0], v[1], 0, 4, 2, 6);
      sn4 b = __builtin_shufflevector(v[0], v[1], 1, 5, 3, 7);
      sn4 c = __builtin_shufflevector(v[2], v[3], 0, 4, 2, 6);
      sn4 d = __builtin_shufflevector(v[2], v[3], 1, 5, 3, 7);
      mjtNum* at = row + to[k];
      sn4_store(at, __builtin_shufflevector(a, c, 0, 1, 4, 5));
      sn4_store(at + stride, __builtin_shufflevector(b, d, 0, 1, 4, 5));
      sn4_store(at + 2 * (size_t)stride, __builtin_shufflevector(a, c, 2, 3, 6, 7));
      sn4_store(at + 3 * (size_t)stride, __builtin_shufflevector(b, d, 2, 3, 6, 7));
    }
    for (; k < n; k++) {
      sn4 v = contact_column(l, r, cdof + 6 * col[k]);
      mjtNum* at = row + to[k];
      if (rows == 1) {
        at[0] = v[0];
        continue;
      }
      for (int i = 0; i < rows; i++) at[(size_t)i * stride] = v[i];
    }
  }
}

// Rows of a contact between two bodies, written where they stay. Where a dof moves both bodies the
// point moves alike and the column is zero.
SN_KERNEL static void contact_bodies(snBuilder* b, int c, int body1, int body2) {
  const mjModel* m = b->m;
  mjData* d = b->d;
  mjContact* con = d->contact + c;
  int nnz = chain_sides(m, body1, body2, b->col, b->side), nv = m->nv, first = b->nefc;
  if (!nnz) {
    con->exclude = 3;
    return;
  }
  snWrench w;
  contact_wrenches(con, m->opt.cone == mjCONE_PYRAMIDAL, &w);
  int stride = b->sparse ? nnz : nv;
  mjtNum* J = d->efc_J + (b->sparse ? (size_t)b->nJ : (size_t)first * nv);
  const int* to = b->sparse ? b->place : b->col;
  if (!b->sparse) memset(J, 0, sizeof(mjtNum) * (size_t)w.nrow * (size_t)nv);
  for (int k = 0; k < nnz;) {
    int side = b->side[k], end = k + 1;
    while (end < nnz && b->side[end] == side) end++;
    if (side != 3) {
      mjtNum o[3];
      vec3_sub(o, con->pos, d->subtree_com + 3 * m->body_rootid[side == 1 ? body1 : body2]);
      contact_columns(&w, o, side == 1 ? -1 : 1, d->cdof, b->col + k, end - k, J, stride, to + k);
    } else if (b->sparse) {
      for (int r = 0; r < w.nrow; r++)
        memset(J + (size_t)r * stride + k, 0, sizeof(mjtNum) * (size_t)(end - k));
    }
    k = end;
  }
  for (int r = 0; r < w.nrow; r++) {
    int row = first + r;
    bool normal = r == 0 || w.type == mjCNSTR_CONTACT_PYRAMIDAL;
    d->efc_type[row] = w.type;
    d->efc_id[row] = c;
    d->efc_pos[row] = normal ? con->dist : 0;
    d->efc_margin[row] = normal ? con->includemargin : 0;
    d->efc_frictionloss[row] = 0;
    if (b->sparse) {
      d->efc_J_rownnz[row] = nnz;
      d->efc_J_rowadr[row] = b->nJ;
      for (int k = 0; k < nnz; k++) d->efc_J_colind[b->nJ + k] = b->col[k];
      b->nJ += nnz;
    }
  }
  con->efc_address = first;
  b->nefc += w.nrow;
}

// The dofs of a chain join those listed; both ascend. Returns how many there are.
static int chain_join(int* col, int n, const int* chain, int num) {
  for (int i = 0, at = 0; i < num; i++, at++) {
    while (at < n && col[at] < chain[i]) at++;
    if (at < n && col[at] == chain[i]) continue;
    for (int k = n++; k > at; k--) col[k] = col[k - 1];
    col[at] = chain[i];
  }
  return n;
}

// S for a contact with flexes: a weighted sum over the bodies that carry the point. With o from the
// center of mass of the tree to the contact, it moves by cdof_lin + cdof_rot x o per unit of a dof.
static int contact_flex(snBuilder* b, const mjContact* con, mjtNum* S) {
  const mjModel* m = b->m;
  mjData* d = b->d;
  const snPlan* plan = model_plan(m);
  int body[CONSTRAIN_MAXSUPPORT], dim = con->dim, nnz = 0;
  mjtNum weight[CONSTRAIN_MAXSUPPORT];
  int n = contact_support(m, d, con, body, weight);
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

void rows_put_contacts(snBuilder* b) {
  const mjModel* m = b->m;
  mjData* d = b->d;
  mj_markStack(d);
  mjtNum* S = m->nflex ? mj_stackAllocNum(d, 6 * (size_t)m->nv) : NULL;
  if (b->sparse) {
    b->place = mj_stackAllocInt(d, m->nv);
    for (int i = 0; i < m->nv; i++) b->place[i] = i;
  }
  for (int c = 0; c < d->ncon; c++) {
    mjContact* con = d->contact + c;
    con->efc_address = -1;
    if (con->exclude) continue;
    if (con->geom[0] >= 0 && con->geom[1] >= 0) {
      contact_bodies(b, c, m->geom_bodyid[con->geom[0]], m->geom_bodyid[con->geom[1]]);
    } else {
      write_contact(b, c, contact_flex(b, con, S), S);
    }
  }
  mj_freeStack(d);
}
