// mj_makeConstraint: the rows of all active constraints, in the documented order.
//
// A block of rows over the same columns is made on the stack in compact form (nrow x nnz) and then
// written out once. Counting comes first, so that the arena is asked once for everything.
#include <string.h>

#include "constrain/rows.h"

// ---- writing

// A block that moves nothing is dropped: it has no columns or, for an equality in full width,
// nothing but zeros.
int rows_put(snBuilder* b, int nrow, int nnz, const mjtNum* pos, const mjtNum* margin,
             mjtNum frictionloss, int type, int id) {
  mjData* d = b->d;
  int nv = b->m->nv;
  if (!nnz) return -1;
  if (!b->sparse && type == mjCNSTR_EQUALITY) {
    int any = 0;
    for (int i = 0; i < nrow * nnz && !any; i++) any = b->J[i] != 0;
    if (!any) return -1;
  }
  int first = b->nefc;
  for (int r = 0; r < nrow; r++) {
    int row = first + r;
    const mjtNum* from = b->J + (size_t)r * nnz;
    if (b->sparse) {
      for (int k = 0; k < nnz; k++) {
        d->efc_J[b->nJ + k] = from[k];
        d->efc_J_colind[b->nJ + k] = b->col[k];
      }
      d->efc_J_rownnz[row] = nnz;
      d->efc_J_rowadr[row] = b->nJ;
      b->nJ += nnz;
    } else {
      mjtNum* to = d->efc_J + (size_t)row * nv;
      memset(to, 0, sizeof(mjtNum) * (size_t)nv);
      for (int k = 0; k < nnz; k++) to[b->col[k]] = from[k];
    }
    d->efc_type[row] = type;
    d->efc_id[row] = id;
    d->efc_pos[row] = pos ? pos[r] : 0;
    d->efc_margin[row] = margin ? margin[r] : 0;
    d->efc_frictionloss[row] = frictionloss;
  }
  b->nefc += nrow;
  return first;
}

static void note_tendon(mjData* d, int tendon, int row) {
  if (row >= 0 && d->tendon_efcadr[tendon] == -1) d->tendon_efcadr[tendon] = row;
}

// ---- Jacobians

// Linear velocity of point1 on the first body minus that of point2 on the second: 3 rows. A dof
// that moves both turns their difference.
static void difference_linear(const snBuilder* b, int nnz, const int body[2], const mjtNum* point1,
                              const mjtNum* point2) {
  const mjModel* m = b->m;
  const mjData* d = b->d;
  mjtNum o[4][3] = {{0}}, *J = b->J;
  vec3_sub(o[1], point1, d->subtree_com + 3 * m->body_rootid[body[0]]);
  vec3_sub(o[2], point2, d->subtree_com + 3 * m->body_rootid[body[1]]);
  vec3_sub(o[3], point1, point2);
  for (int k = 0; k < nnz; k++) {
    int side = b->side[k];
    const mjtNum *s = d->cdof + 6 * b->col[k], *p = o[side];
    mjtNum sign = side == 2 ? -1 : 1, lin = side == 3 ? 0 : 1;
    J[k] = sign * (lin * s[3] + s[1] * p[2] - s[2] * p[1]);
    J[nnz + k] = sign * (lin * s[4] + s[2] * p[0] - s[0] * p[2]);
    J[2 * nnz + k] = sign * (lin * s[5] + s[0] * p[1] - s[1] * p[0]);
  }
}

// A row given as a tendon or flex-edge Jacobian: full width, or CSR with nv entries kept per row.
typedef struct snRowSource_ {
  const int *rownnz, *rowadr, *colind;
  const mjtNum* J;
} snRowSource;

static snRowSource tendon_rows(const mjData* d) {
  return (snRowSource){d->ten_J_rownnz, d->ten_J_rowadr, d->ten_J_colind, d->ten_J};
}

static snRowSource edge_rows(const mjData* d) {
  return (snRowSource){d->flexedge_J_rownnz, d->flexedge_J_rowadr, d->flexedge_J_colind,
                       d->flexedge_J};
}

// J <- scale * row. In full width only the nonzero entries become columns.
static int load_row(snBuilder* b, snRowSource s, int i, mjtNum scale) {
  int nv = b->m->nv, n = 0;
  if (b->sparse) {
    int adr = s.rowadr[i];
    for (n = 0; n < s.rownnz[i]; n++) {
      b->col[n] = s.colind[adr + n];
      b->J[n] = scale * s.J[adr + n];
    }
    return n;
  }
  const mjtNum* row = s.J + (size_t)i * nv;
  for (int k = 0; k < nv; k++) {
    if (row[k] != 0) {
      b->col[n] = k;
      b->J[n++] = scale * row[k];
    }
  }
  return n;
}

// J <- J + scale * row, the columns being merged.
static int add_row(snBuilder* b, int n1, snRowSource s, int i, mjtNum scale) {
  mjData* d = b->d;
  int nv = b->m->nv, n = 0, a = 0;
  mj_markStack(d);
  int* col = mj_stackAllocInt(d, nv);
  mjtNum* val = mj_stackAllocNum(d, nv);
  int adr = b->sparse ? s.rowadr[i] : 0, end = b->sparse ? s.rownnz[i] : nv;
  for (int k = 0; k < end; k++) {
    int c = b->sparse ? s.colind[adr + k] : k;
    mjtNum v = b->sparse ? s.J[adr + k] : s.J[(size_t)i * nv + k];
    if (!b->sparse && v == 0) continue;
    while (a < n1 && b->col[a] < c) {
      col[n] = b->col[a];
      val[n++] = b->J[a++];
    }
    mjtNum both = scale * v;
    if (a < n1 && b->col[a] == c) both += b->J[a++];
    col[n] = c;
    val[n++] = both;
  }
  for (; a < n1; a++) {
    col[n] = b->col[a];
    val[n++] = b->J[a];
  }
  memcpy(b->col, col, sizeof(int) * (size_t)n);
  memcpy(b->J, val, sizeof(mjtNum) * (size_t)n);
  mj_freeStack(d);
  return n;
}

// ---- equality

typedef struct snEnds_ {
  int body[2];
  mjtNum point[2][3];
  mjtNum quat[2][4];
} snEnds;

// The two points (and frames, for weld) that an equality between bodies or sites brings together.
// Connect keeps its anchors at 0 (first body) and 3 (second); weld keeps the anchor of the second
// body at 0 and the relative pose at 3.
static void equality_ends(const mjModel* m, const mjData* d, int i, bool weld, snEnds* e) {
  const mjtNum* data = m->eq_data + mjNEQDATA * i;
  int obj[2] = {m->eq_obj1id[i], m->eq_obj2id[i]};
  for (int k = 0; k < 2; k++) {
    if (m->eq_objtype[i] == mjOBJ_SITE) {
      int body = e->body[k] = m->site_bodyid[obj[k]];
      vec3_copy(e->point[k], d->site_xpos + 3 * obj[k]);
      if (weld) quat_mul(e->quat[k], d->xquat + 4 * body, m->site_quat + 4 * obj[k]);
    } else {
      int body = e->body[k] = obj[k];
      const mjtNum* anchor = data + (weld ? 3 * (1 - k) : 3 * k);
      mat3_mul_vec(e->point[k], d->xmat + 9 * body, anchor);
      vec3_add(e->point[k], e->point[k], d->xpos + 3 * body);
      if (!weld) continue;
      if (k == 0) {
        quat_mul(e->quat[0], d->xquat + 4 * body, data + 6);
      } else {
        quat_copy(e->quat[1], d->xquat + 4 * body);
      }
    }
  }
}

static void make_connect(snBuilder* b, int i) {
  snEnds e;
  mjtNum pos[3];
  equality_ends(b->m, b->d, i, false, &e);
  vec3_sub(pos, e.point[0], e.point[1]);
  int nnz = chain_sides(b->m, e.body[0], e.body[1], b->col, b->side);
  difference_linear(b, nnz, e.body, e.point[0], e.point[1]);
  rows_put(b, 3, nnz, pos, NULL, 0, mjCNSTR_EQUALITY, i);
}

// Orientation residual: the vector part of q2* q1, scaled by torquescale. Its rate is
// 1/2 vec(q2* (w1 - w2) q1), with the angular velocities w as pure quaternions.
static void make_weld(snBuilder* b, int i) {
  const mjModel* m = b->m;
  mjData* d = b->d;
  snEnds e;
  mjtNum pos[6], conj2[4], error[4], scale = m->eq_data[mjNEQDATA * i + 10];
  equality_ends(m, d, i, true, &e);
  vec3_sub(pos, e.point[0], e.point[1]);
  quat_conj(conj2, e.quat[1]);
  quat_mul(error, conj2, e.quat[0]);
  vec3_scale(pos + 3, error + 1, scale);

  int nnz = chain_sides(m, e.body[0], e.body[1], b->col, b->side);
  difference_linear(b, nnz, e.body, e.point[0], e.point[1]);
  for (int k = 0; k < nnz; k++) {
    mjtNum w[3] = {0, 0, 0}, half[4], rate[4];
    const mjtNum* rot = d->cdof + 6 * b->col[k];
    if (b->side[k] & 1) vec3_copy(w, rot);
    if (b->side[k] & 2) vec3_sub(w, w, rot);
    quat_mul_axis(half, conj2, w);
    quat_mul(rate, half, e.quat[0]);
    for (int r = 0; r < 3; r++) b->J[(3 + r) * nnz + k] = 0.5 * scale * rate[1 + r];
  }
  rows_put(b, 6, nnz, pos, NULL, 0, mjCNSTR_EQUALITY, i);
}

// y - y0 = sum a_j (x - x0)^j: value and slope of the right hand side.
static void quartic(const mjtNum* a, mjtNum x, mjtNum* value, mjtNum* slope) {
  *value = a[0] + x * (a[1] + x * (a[2] + x * (a[3] + x * a[4])));
  *slope = a[1] + x * (2 * a[2] + x * (3 * a[3] + x * 4 * a[4]));
}

static void make_joint_equality(snBuilder* b, int i) {
  const mjModel* m = b->m;
  const mjtNum* data = m->eq_data + mjNEQDATA * i;
  int j1 = m->eq_obj1id[i], j2 = m->eq_obj2id[i], n = 1;
  int q1 = m->jnt_qposadr[j1];
  mjtNum pos = b->d->qpos[q1] - m->qpos0[q1], value = data[0], slope;
  b->col[0] = m->jnt_dofadr[j1];
  b->J[0] = 1;
  if (j2 >= 0) {
    int q2 = m->jnt_qposadr[j2], other = m->jnt_dofadr[j2];
    quartic(data, b->d->qpos[q2] - m->qpos0[q2], &value, &slope);
    if (other == b->col[0]) {
      b->J[0] -= slope;
    } else {
      int second = other > b->col[0];
      b->col[1 - second] = m->jnt_dofadr[j1];
      b->J[1 - second] = 1;
      b->col[second] = other;
      b->J[second] = -slope;
      n = 2;
    }
  }
  pos -= value;
  rows_put(b, 1, n, &pos, NULL, 0, mjCNSTR_EQUALITY, i);
}

static void make_tendon_equality(snBuilder* b, int i) {
  const mjModel* m = b->m;
  mjData* d = b->d;
  const mjtNum* data = m->eq_data + mjNEQDATA * i;
  int t1 = m->eq_obj1id[i], t2 = m->eq_obj2id[i];
  mjtNum pos = d->ten_length[t1] - m->tendon_length0[t1], value = data[0], slope;
  int n = load_row(b, tendon_rows(d), t1, 1);
  if (t2 >= 0) {
    quartic(data, d->ten_length[t2] - m->tendon_length0[t2], &value, &slope);
    n = add_row(b, n, tendon_rows(d), t2, -slope);
  }
  pos -= value;
  int row = rows_put(b, 1, n, &pos, NULL, 0, mjCNSTR_EQUALITY, i);
  note_tendon(d, t1, row);
  if (t2 >= 0) note_tendon(d, t2, row);
}

// The row of a flex edge, straight from its sparse gradient.
static void put_edge(snBuilder* b, int e, mjtNum pos, int id) {
  mjData* d = b->d;
  int n = d->flexedge_J_rownnz[e], row = b->nefc;
  if (!n) return;
  const int* col = d->flexedge_J_colind + d->flexedge_J_rowadr[e];
  const mjtNum* J = d->flexedge_J + d->flexedge_J_rowadr[e];
  mjtNum* to = d->efc_J + b->nJ;
  int* to_col = d->efc_J_colind + b->nJ;
  for (int k = 0; k < n; k++) to[k] = J[k], to_col[k] = col[k];
  d->efc_J_rownnz[row] = n;
  d->efc_J_rowadr[row] = b->nJ;
  d->efc_type[row] = mjCNSTR_EQUALITY;
  d->efc_id[row] = id;
  d->efc_pos[row] = pos;
  d->efc_margin[row] = d->efc_frictionloss[row] = 0;
  b->nJ += n;
  b->nefc++;
}

static void make_flex_equality(snBuilder* b, int i) {
  const mjModel* m = b->m;
  mjData* d = b->d;
  int f = m->eq_obj1id[i];
  if (m->flex_rigid[f]) return;
  int begin = m->flex_edgeadr[f], end = begin + m->flex_edgenum[f];
  for (int e = begin; e < end; e++) {
    if (m->flexedge_rigid[e]) continue;
    mjtNum pos = d->flexedge_length[e] - m->flexedge_length0[e];
    if (b->sparse) {
      put_edge(b, e, pos, i);
      continue;
    }
    int n = load_row(b, edge_rows(d), e, 1);
    rows_put(b, 1, n, &pos, NULL, 0, mjCNSTR_EQUALITY, i);
  }
}

static void make_equality(snBuilder* b) {
  const mjModel* m = b->m;
  for (int i = 0; i < m->neq; i++) {
    if (!b->d->eq_active[i]) continue;
    switch (m->eq_type[i]) {
      case mjEQ_CONNECT:
        make_connect(b, i);
        break;
      case mjEQ_WELD:
        make_weld(b, i);
        break;
      case mjEQ_JOINT:
        make_joint_equality(b, i);
        break;
      case mjEQ_TENDON:
        make_tendon_equality(b, i);
        break;
      case mjEQ_FLEX:
        make_flex_equality(b, i);
        break;
      default:
        mju_error("mj_makeConstraint: equality %d has unknown type %d", i, m->eq_type[i]);
    }
  }
}

// ---- friction loss

static void make_friction(snBuilder* b) {
  const mjModel* m = b->m;
  for (int i = 0; i < m->nv; i++) {
    if (m->dof_frictionloss[i] <= 0) continue;
    b->col[0] = i;
    b->J[0] = 1;
    rows_put(b, 1, 1, NULL, NULL, m->dof_frictionloss[i], mjCNSTR_FRICTION_DOF, i);
  }
  for (int i = 0; i < m->ntendon; i++) {
    if (m->tendon_frictionloss[i] <= 0) continue;
    int n = load_row(b, tendon_rows(b->d), i, 1);
    int row = rows_put(b, 1, n, NULL, NULL, m->tendon_frictionloss[i], mjCNSTR_FRICTION_TENDON, i);
    note_tendon(b->d, i, row);
  }
}

// ---- limits

static bool ball_limit(const mjModel* m, const mjData* d, int j, mjtNum* pos, mjtNum axis[3]) {
  mjtNum quat[4];
  quat_copy(quat, d->qpos + m->jnt_qposadr[j]);
  quat_normalize(quat);
  mju_quat2Vel(axis, quat, 1);
  mjtNum angle = vec3_normalize(axis);
  *pos = mju_max(m->jnt_range[2 * j], m->jnt_range[2 * j + 1]) - angle;
  return *pos < m->jnt_margin[j];
}

static void make_limits(snBuilder* b) {
  const mjModel* m = b->m;
  mjData* d = b->d;
  for (int j = 0; j < m->njnt; j++) {
    if (!m->jnt_limited[j]) continue;
    mjtNum pos, margin = m->jnt_margin[j];
    int dof = m->jnt_dofadr[j];
    if (m->jnt_type[j] == mjJNT_BALL) {
      mjtNum axis[3];
      if (!ball_limit(m, d, j, &pos, axis)) continue;
      for (int k = 0; k < 3; k++) {
        b->col[k] = dof + k;
        b->J[k] = -axis[k];
      }
      rows_put(b, 1, 3, &pos, &margin, 0, mjCNSTR_LIMIT_JOINT, j);
    } else if (m->jnt_type[j] == mjJNT_SLIDE || m->jnt_type[j] == mjJNT_HINGE) {
      mjtNum value = d->qpos[m->jnt_qposadr[j]];
      for (int upper = 0; upper < 2; upper++) {
        mjtNum bound = m->jnt_range[2 * j + upper];
        pos = upper ? bound - value : value - bound;
        if (pos >= margin) continue;
        b->col[0] = dof;
        b->J[0] = upper ? -1 : 1;
        rows_put(b, 1, 1, &pos, &margin, 0, mjCNSTR_LIMIT_JOINT, j);
      }
    }
  }
  for (int i = 0; i < m->ntendon; i++) {
    if (!m->tendon_limited[i]) continue;
    mjtNum value = d->ten_length[i], margin = m->tendon_margin[i];
    for (int upper = 0; upper < 2; upper++) {
      mjtNum bound = m->tendon_range[2 * i + upper];
      mjtNum pos = upper ? bound - value : value - bound;
      if (pos >= margin) continue;
      int n = load_row(b, tendon_rows(d), i, upper ? -1 : 1);
      int row = rows_put(b, 1, n, &pos, &margin, 0, mjCNSTR_LIMIT_TENDON, i);
      note_tendon(d, i, row);
    }
  }
}

// ---- counting: rows before any is dropped, and their entries

// Entries of the union of two tendon rows.
static int union_count(const mjData* d, int t1, int t2) {
  const int *c1 = d->ten_J_colind + d->ten_J_rowadr[t1],
            *c2 = d->ten_J_colind + d->ten_J_rowadr[t2];
  int n1 = d->ten_J_rownnz[t1], n2 = d->ten_J_rownnz[t2], i = 0, j = 0, n = 0;
  while (i < n1 || j < n2) {
    int a = i < n1 ? c1[i] : INT32_MAX, c = j < n2 ? c2[j] : INT32_MAX;
    i += a <= c;
    j += c <= a;
    n++;
  }
  return n;
}

static void count_equality(const mjModel* m, const mjData* d, bool sparse, int* nrow,
                           size_t* nentry) {
  for (int i = 0; i < m->neq; i++) {
    if (!d->eq_active[i]) continue;
    int o1 = m->eq_obj1id[i], o2 = m->eq_obj2id[i], n = 0, nnz = 0;
    switch (m->eq_type[i]) {
      case mjEQ_CONNECT:
      case mjEQ_WELD:
        n = m->eq_type[i] == mjEQ_CONNECT ? 3 : 6;
        if (m->eq_objtype[i] == mjOBJ_SITE) {
          o1 = m->site_bodyid[o1];
          o2 = m->site_bodyid[o2];
        }
        if (sparse) nnz = n * chain_count(m, o1, o2);
        break;
      case mjEQ_JOINT:
        n = 1;
        nnz = o2 >= 0 ? 2 : 1;
        break;
      case mjEQ_TENDON:
        n = 1;
        if (sparse) nnz = o2 >= 0 ? union_count(d, o1, o2) : d->ten_J_rownnz[o1];
        break;
      case mjEQ_FLEX:
        if (m->flex_rigid[o1]) break;
        for (int e = m->flex_edgeadr[o1]; e < m->flex_edgeadr[o1] + m->flex_edgenum[o1]; e++) {
          if (m->flexedge_rigid[e]) continue;
          n++;
          if (sparse) nnz += d->flexedge_J_rownnz[e];
        }
        break;
      default:
        break;
    }
    *nrow += n;
    *nentry += (size_t)(sparse ? nnz : n * m->nv);
  }
}

static void count_limits(const mjModel* m, const mjData* d, bool sparse, int* nrow,
                         size_t* nentry) {
  int nv = m->nv;
  for (int j = 0; j < m->njnt; j++) {
    if (!m->jnt_limited[j]) continue;
    int n = 0, width = 1;
    if (m->jnt_type[j] == mjJNT_BALL) {
      mjtNum pos, axis[3];
      n = ball_limit(m, d, j, &pos, axis);
      width = 3;
    } else if (m->jnt_type[j] == mjJNT_SLIDE || m->jnt_type[j] == mjJNT_HINGE) {
      mjtNum value = d->qpos[m->jnt_qposadr[j]], margin = m->jnt_margin[j];
      n = (value - m->jnt_range[2 * j] < margin) + (m->jnt_range[2 * j + 1] - value < margin);
    }
    *nrow += n;
    *nentry += (size_t)n * (size_t)(sparse ? width : nv);
  }
  for (int i = 0; i < m->ntendon; i++) {
    if (!m->tendon_limited[i]) continue;
    mjtNum value = d->ten_length[i], margin = m->tendon_margin[i];
    int n =
        (value - m->tendon_range[2 * i] < margin) + (m->tendon_range[2 * i + 1] - value < margin);
    *nrow += n;
    *nentry += (size_t)n * (size_t)(sparse ? d->ten_J_rownnz[i] : nv);
  }
}

static int flex_contact_count(const mjModel* m, mjData* d, const mjContact* con) {
  int body[CONSTRAIN_MAXSUPPORT], nnz = 0;
  mjtNum weight[CONSTRAIN_MAXSUPPORT];
  int n = contact_support(m, d, con, body, weight);
  mj_markStack(d);
  unsigned char* seen = mj_stackAllocByte(d, (size_t)m->nv, 1);
  memset(seen, 0, (size_t)m->nv);
  for (int i = 0; i < n; i++) {
    for (int k = chain_last_dof(m, body[i]); k >= 0 && !seen[k]; k = m->dof_parentid[k]) {
      seen[k] = 1;
      nnz++;
    }
  }
  mj_freeStack(d);
  return nnz;
}

static void count_contacts(const mjModel* m, mjData* d, bool sparse, int* nrow, size_t* nentry) {
  for (int c = 0; c < d->ncon; c++) {
    const mjContact* con = d->contact + c;
    if (con->exclude) continue;
    int n = con->dim == 1 ? 1 : m->opt.cone == mjCONE_PYRAMIDAL ? 2 * (con->dim - 1) : con->dim;
    int nnz = m->nv;
    if (sparse) {
      nnz = con->geom[0] >= 0 && con->geom[1] >= 0
                ? chain_count(m, m->geom_bodyid[con->geom[0]], m->geom_bodyid[con->geom[1]])
                : flex_contact_count(m, d, con);
    }
    *nrow += n;
    *nentry += (size_t)n * (size_t)nnz;
  }
}

static void count_rows(const mjModel* m, mjData* d, bool sparse, int* nrow, size_t* nentry) {
  *nrow = 0;
  *nentry = 0;
  int off = m->opt.disableflags;
  if (!(off & mjDSBL_EQUALITY)) count_equality(m, d, sparse, nrow, nentry);
  if (!(off & mjDSBL_FRICTIONLOSS)) {
    for (int i = 0; i < m->nv; i++) {
      if (m->dof_frictionloss[i] > 0) {
        ++*nrow;
        *nentry += (size_t)(sparse ? 1 : m->nv);
      }
    }
    for (int i = 0; i < m->ntendon; i++) {
      if (m->tendon_frictionloss[i] > 0) {
        ++*nrow;
        *nentry += (size_t)(sparse ? d->ten_J_rownnz[i] : m->nv);
      }
    }
  }
  if (!(off & mjDSBL_LIMIT)) count_limits(m, d, sparse, nrow, nentry);
  if (!(off & mjDSBL_CONTACT)) count_contacts(m, d, sparse, nrow, nentry);
}

// ---- memory

// All arrays of the rows in one piece of the arena; every pointer is inside it, so they move with
// it when it grows.
static bool allocate(const mjModel* m, mjData* d, int nefc, size_t nJ) {
  size_t n = (size_t)nefc, nv = (size_t)m->nv;
  size_t nums = 14 * n + 2 * nJ, ints = 6 * n + 3 * nv + 2 * nJ + (size_t)m->ntendon;
  char* p = data_arena_alloc(d, nums * sizeof(mjtNum) + ints * sizeof(int), 64);
  if (!p) {
    mj_warning(d, mjWARN_CNSTRFULL, (int)d->narena);
    return false;
  }
  mjtNum* x = (mjtNum*)p;
  d->efc_J = x, x += nJ;
  d->efc_JT = x, x += nJ;
  d->efc_pos = x, x += n;
  d->efc_margin = x, x += n;
  d->efc_frictionloss = x, x += n;
  d->efc_diagApprox = x, x += n;
  d->efc_KBIP = x, x += 4 * n;
  d->efc_D = x, x += n;
  d->efc_R = x, x += n;
  d->efc_vel = x, x += n;
  d->efc_aref = x, x += n;
  d->efc_force = x, x += n;
  d->efc_b = x, x += n;
  int* i = (int*)x;
  d->efc_type = i, i += n;
  d->efc_id = i, i += n;
  d->efc_J_rownnz = i, i += n;
  d->efc_J_rowadr = i, i += n;
  d->efc_J_rowsuper = i, i += n;
  d->efc_state = i, i += n;
  d->efc_JT_rownnz = i, i += nv;
  d->efc_JT_rowadr = i, i += nv;
  d->efc_JT_rowsuper = i, i += nv;
  d->efc_J_colind = i, i += nJ;
  d->efc_JT_colind = i, i += nJ;
  d->tendon_efcadr = i;
  d->nJ = (int)nJ;
  return true;
}

void mj_makeConstraint(const mjModel* m, mjData* d) {
  data_arena_keep_contacts(d);
  if (m->opt.disableflags & mjDSBL_CONSTRAINT) return;

  snBuilder b = {.m = m, .d = d, .sparse = mj_isSparse(m)};
  int bound;
  size_t nJ;
  count_rows(m, d, b.sparse, &bound, &nJ);
  if (!bound) {
    for (int c = 0; c < d->ncon; c++) d->contact[c].efc_address = -1;
    return;
  }
  if (nJ > INT32_MAX || !allocate(m, d, bound, nJ)) return;
  for (int i = 0; i < m->ntendon; i++) d->tendon_efcadr[i] = -1;

  mj_markStack(d);
  b.col = mj_stackAllocInt(d, m->nv);
  b.side = mj_stackAllocByte(d, (size_t)m->nv, 1);
  b.J = mj_stackAllocNum(d, 10 * (size_t)m->nv);
  int off = m->opt.disableflags;
  if (!(off & mjDSBL_EQUALITY)) make_equality(&b);
  d->ne = b.nefc;
  if (!(off & mjDSBL_FRICTIONLOSS)) make_friction(&b);
  d->nf = b.nefc - d->ne;
  if (!(off & mjDSBL_LIMIT)) make_limits(&b);
  d->nl = b.nefc - d->ne - d->nf;
  if (!(off & mjDSBL_CONTACT)) rows_put_contacts(&b);
  d->nefc = b.nefc;
  mj_freeStack(d);

  if (d->nefc > d->maxuse_efc) d->maxuse_efc = d->nefc;
  if (b.sparse) {
    constrain_transpose(m, d);
  } else {
    size_t n = (size_t)d->nefc, nv = (size_t)m->nv;
    memset(d->efc_J_rownnz, 0, 3 * n * sizeof(int));
    memset(d->efc_JT_rownnz, 0, 3 * nv * sizeof(int));
  }
  constrain_impedance(m, d);
}
