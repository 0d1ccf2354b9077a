// mj_makeConstraint: J, pos and margin of all active constraints, in the documented order:
// equality, friction loss, limits, contacts.
//
// A first pass counts rows and entries, so that the arena is asked once for all arrays. A second
// pass builds the rows: those with few columns in compact form (nrow x nnz) on the stack, then
// copied; blocks between two bodies as wrenches, straight in place (rows_contact.c). Impedance and
// reference follow in impedance.c.
#include <string.h>

#include "constrain/rows.h"
#include "data/frame.h"

// ---- who sleeps has no rows

static bool body_sleeps(const mjModel* m, const mjData* d, int body) {
  const snAwake* sleepers = data_sleepers(d);
  return sleepers && m->body_treeid[body] >= 0 && sleepers->tree_asleep[m->body_treeid[body]];
}

static bool tendon_sleeps(const mjData* d, int tendon) {
  const snAwake* sleepers = data_sleepers(d);
  return sleepers && sleepers->tendon_asleep[tendon];
}

// Both sides of an equality sleep, or neither does.
static bool equality_sleeps(const mjModel* m, const mjData* d, int i) {
  if (!data_sleepers(d)) return false;
  for (int k = 0; k < 2; k++) {
    int id = k ? m->eq_obj2id[i] : m->eq_obj1id[i];
    if (id < 0) continue;
    switch (m->eq_type[i]) {
      case mjEQ_CONNECT:
      case mjEQ_WELD:
        if (body_sleeps(m, d, m->eq_objtype[i] == mjOBJ_SITE ? m->site_bodyid[id] : id))
          return true;
        break;
      case mjEQ_JOINT:
        if (body_sleeps(m, d, m->jnt_bodyid[id])) return true;
        break;
      case mjEQ_TENDON:
        if (tendon_sleeps(d, id)) return true;
        break;
      default:
        break;
    }
  }
  return false;
}

// ---- writing

// A block that moves nothing is dropped: it has no columns or, for an equality in dense form, only
// zeros.
int rows_put(snRowBuilder* b, int nrow, int nnz, const mjtNum* pos, const mjtNum* margin,
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
  for (int k = 1; k < nnz; k++) SN_ASSERT(b->col[k] > b->col[k - 1]);
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

// A row with one entry.
static void put_dof(snRowBuilder* b, int dof, mjtNum J, mjtNum pos, mjtNum margin,
                    mjtNum frictionloss, int type, int id) {
  mjData* d = b->d;
  int row = b->nefc++;
  if (b->sparse) {
    d->efc_J[b->nJ] = J;
    d->efc_J_colind[b->nJ] = dof;
    d->efc_J_rownnz[row] = 1;
    d->efc_J_rowadr[row] = b->nJ++;
  } else {
    d->efc_J[(size_t)row * b->m->nv + dof] = J;
  }
  d->efc_type[row] = type;
  d->efc_id[row] = id;
  d->efc_pos[row] = pos;
  d->efc_margin[row] = margin;
  d->efc_frictionloss[row] = frictionloss;
}

static void note_tendon(mjData* d, int tendon, int row) {
  if (row >= 0 && d->tendon_efcadr[tendon] == -1) d->tendon_efcadr[tendon] = row;
}

// ---- Jacobians

// The Jacobian of tendons or flex edges: dense, or CSR.
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

// J <- scale * row i. Of a dense source only nonzero entries become columns.
static int load_row(snRowBuilder* b, snRowSource s, int i, mjtNum scale) {
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

// J <- J + scale * row i, columns merged.
static int add_row(snRowBuilder* b, int n1, snRowSource s, int i, mjtNum scale) {
  mjData* d = b->d;
  int nv = b->m->nv, n = 0, a = 0;
  int* col;
  mjtNum* val;
  mj_markStack(d);
  if (!FRAME(memory_of(d), SN_ARRAY(col, nv), SN_ARRAY(val, nv))) {
    mj_freeStack(d);
    return n1;
  }
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
  SN_ASSERT(n <= nv);
  memcpy(b->col, col, sizeof(int) * (size_t)n);
  memcpy(b->J, val, sizeof(mjtNum) * (size_t)n);
  mj_freeStack(d);
  return n;
}

// ---- equality

// The two sides of an equality, the second object before the first: a row is the motion of the
// first minus that of the second.
typedef struct snEnds_ {
  int body[2];
  mjtNum point[2][3];
  mjtNum quat[2][4];
} snEnds;

// The points (and orientations, for a weld) that an equality between bodies or sites brings
// together. A connect has its anchors in eq_data at 0 (first body) and 3 (second); a weld has the
// anchor of the second body at 0 and the relative pose at 3.
static void equality_ends(const mjModel* m, const mjData* d, int i, bool weld, snEnds* e) {
  const mjtNum* data = m->eq_data + mjNEQDATA * i;
  int obj[2] = {m->eq_obj2id[i], m->eq_obj1id[i]};
  for (int k = 0; k < 2; k++) {
    if (m->eq_objtype[i] == mjOBJ_SITE) {
      int body = e->body[k] = m->site_bodyid[obj[k]];
      vec3_copy(e->point[k], d->site_xpos + 3 * obj[k]);
      if (weld) quat_mul(e->quat[k], d->xquat + 4 * body, m->site_quat + 4 * obj[k]);
    } else {
      int body = e->body[k] = obj[k];
      const mjtNum* anchor = data + (weld ? 3 * k : 3 * (1 - k));
      mat3_mul_vec(e->point[k], d->xmat + 9 * body, anchor);
      vec3_add(e->point[k], e->point[k], d->xpos + 3 * body);
      if (!weld) continue;
      if (k == 1) {
        quat_mul(e->quat[1], d->xquat + 4 * body, data + 6);
      } else {
        quat_copy(e->quat[0], d->xquat + 4 * body);
      }
    }
  }
}

// r = p1 - p2: three forces along the world axes.
static void make_connect(snRowBuilder* b, int i) {
  snEnds e;
  mjtNum pos[3];
  equality_ends(b->m, b->d, i, false, &e);
  vec3_sub(pos, e.point[1], e.point[0]);
  snWrench w = {.lin = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}}, .nrow = 3};
  rows_put_wrenches(b, &w, e.body, e.point, pos, mjCNSTR_EQUALITY, i);
}

// Position residual as in a connect. Orientation residual: the vector part of q2* q1, scaled by
// torquescale. Its rate is 1/2 vec(q2* (w1 - w2) q1), with the angular velocities w as pure
// quaternions: linear in w, so that each row is a torque.
static void make_weld(snRowBuilder* b, int i) {
  static const mjtNum unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  snEnds e;
  mjtNum pos[6], conj2[4], error[4], scale = b->m->eq_data[mjNEQDATA * i + 10];
  equality_ends(b->m, b->d, i, true, &e);
  vec3_sub(pos, e.point[1], e.point[0]);
  quat_conj(conj2, e.quat[0]);
  quat_mul(error, conj2, e.quat[1]);
  vec3_scale(pos + 3, error + 1, scale);
  snWrench w = {.lin = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}}, .nrow = 6, .turns = true};
  for (int c = 0; c < 3; c++) {
    mjtNum half[4], rate[4];
    quat_mul_axis(half, conj2, unit[c]);
    quat_mul(rate, half, e.quat[1]);
    mjtNum s = 0.5 * scale;
    w.rot[0][c] = (sn4){0, 0, 0, s * rate[1]};
    w.rot[1][c] = (sn4){s * rate[2], s * rate[3], 0, 0};
  }
  rows_put_wrenches(b, &w, e.body, e.point, pos, mjCNSTR_EQUALITY, i);
}

// Joint and tendon equality: y - y0 = sum a_j (x - x0)^j. Value and slope of the right hand side.
static void quartic(const mjtNum* a, mjtNum x, mjtNum* value, mjtNum* slope) {
  *value = a[0] + x * (a[1] + x * (a[2] + x * (a[3] + x * a[4])));
  *slope = a[1] + x * (2 * a[2] + x * (3 * a[3] + x * 4 * a[4]));
}

static void make_joint_equality(snRowBuilder* b, int i) {
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

static void make_tendon_equality(snRowBuilder* b, int i) {
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

// The row of a flex edge in CSR, copied from its sparse gradient.
static void put_edge(snRowBuilder* b, int e, mjtNum pos, int id) {
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

static void make_flex_equality(snRowBuilder* b, int i) {
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

static void make_equality(snRowBuilder* b) {
  const mjModel* m = b->m;
  for (int i = 0; i < m->neq; i++) {
    if (!b->d->eq_active[i] || equality_sleeps(m, b->d, i)) continue;
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

static void make_friction(snRowBuilder* b) {
  const mjModel* m = b->m;
  for (int i = 0; b->nloss && i < m->nv; i++) {
    if (!(m->dof_frictionloss[i] > 0) || body_sleeps(m, b->d, m->dof_bodyid[i])) continue;
    put_dof(b, i, 1, 0, 0, m->dof_frictionloss[i], mjCNSTR_FRICTION_DOF, i);
  }
  for (int i = 0; i < m->ntendon; i++) {
    if (!(m->tendon_frictionloss[i] > 0) || tendon_sleeps(b->d, i)) continue;
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

static void make_limits(snRowBuilder* b) {
  const mjModel* m = b->m;
  mjData* d = b->d;
  for (const snLimit *l = b->limit, *end = l + b->nlimit_joint; l < end; l++) {
    int j = l->id, dof = m->jnt_dofadr[j];
    mjtNum margin = m->jnt_margin[j], pos, axis[3];
    if (m->jnt_type[j] != mjJNT_BALL) {
      put_dof(b, dof, l->sign, l->pos, margin, 0, mjCNSTR_LIMIT_JOINT, j);
      continue;
    }
    ball_limit(m, d, j, &pos, axis);
    for (int k = 0; k < 3; k++) {
      b->col[k] = dof + k;
      b->J[k] = -axis[k];
    }
    rows_put(b, 1, 3, &pos, &margin, 0, mjCNSTR_LIMIT_JOINT, j);
  }
  for (const snLimit *l = b->limit + b->nlimit_joint, *end = b->limit + b->nlimit; l < end; l++) {
    int n = load_row(b, tendon_rows(d), l->id, l->sign);
    mjtNum margin = m->tendon_margin[l->id];
    int row = rows_put(b, 1, n, &l->pos, &margin, 0, mjCNSTR_LIMIT_TENDON, l->id);
    note_tendon(d, l->id, row);
  }
}

// ---- counting: upper bounds on rows and entries, before any block is dropped

// Number of entries in the union of two tendon rows.
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
    if (!d->eq_active[i] || equality_sleeps(m, d, i)) continue;
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

// List the bounds of a range that `value` is within the margin of.
static void find_limits(snRowBuilder* b, int id, mjtNum value, const mjtNum* range, mjtNum margin) {
  if (value - range[0] < margin) b->limit[b->nlimit++] = (snLimit){id, 1, value - range[0]};
  if (range[1] - value < margin) b->limit[b->nlimit++] = (snLimit){id, -1, range[1] - value};
}

// List the active limits and count their rows.
static void count_limits(snRowBuilder* b, int* nrow, size_t* nentry) {
  const mjModel* m = b->m;
  const mjData* d = b->d;
  const mjtByte* limited = m->jnt_limited;
  const mjtNum *qpos = d->qpos, *range = m->jnt_range, *margin = m->jnt_margin;
  const int *type = m->jnt_type, *adr = m->jnt_qposadr;
  size_t nv = (size_t)m->nv;
  for (int j = 0, njnt = m->njnt; j < njnt; j++) {
    if (!limited[j] || body_sleeps(m, d, m->jnt_bodyid[j])) continue;
    if (type[j] == mjJNT_BALL) {
      mjtNum pos, axis[3];
      if (!ball_limit(m, d, j, &pos, axis)) continue;
      b->limit[b->nlimit++] = (snLimit){j, -1, pos};
      *nentry += b->sparse ? 2 : 0;
    } else if (type[j] != mjJNT_FREE) {
      find_limits(b, j, qpos[adr[j]], range + 2 * j, margin[j]);
    }
  }
  SN_ASSERT(b->nlimit <= 2 * m->njnt);
  b->nlimit_joint = b->nlimit;
  *nentry += (size_t)b->nlimit * (b->sparse ? 1 : nv);
  for (int i = 0; i < m->ntendon; i++) {
    if (!m->tendon_limited[i] || tendon_sleeps(d, i)) continue;
    int before = b->nlimit;
    find_limits(b, i, d->ten_length[i], m->tendon_range + 2 * i, m->tendon_margin[i]);
    *nentry += (size_t)(b->nlimit - before) * (b->sparse ? (size_t)d->ten_J_rownnz[i] : nv);
  }
  *nrow += b->nlimit;
}

static int flex_contact_count(const mjModel* m, mjData* d, const mjContact* con) {
  int body[CONSTRAIN_MAXSUPPORT], nnz = 0;
  mjtNum weight[CONSTRAIN_MAXSUPPORT];
  int n = contact_support(m, d, con, false, body, weight);
  mj_markStack(d);
  unsigned char* seen = mj_stackAllocByte(d, (size_t)m->nv, 1);
  if (!seen) {
    mj_freeStack(d);
    return m->nv;
  }
  memset(seen, 0, (size_t)m->nv);
  const snPlan* plan = model_plan(m);
  for (int i = 0; i < n; i++) {
    // from the last dof to the first that another chain has
    const int* chain = plan->chain + plan->chain_adr[body[i]];
    for (int k = plan->chain_num[body[i]] - 1; k >= 0 && !seen[chain[k]]; k--) {
      seen[chain[k]] = 1;
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
    int n = con->dim == 1 ? 1 : model_elliptic(m) ? con->dim : 2 * (con->dim - 1);
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

static void count_rows(snRowBuilder* b, int* nrow, size_t* nentry) {
  const mjModel* m = b->m;
  mjData* d = b->d;
  bool sparse = b->sparse;
  *nrow = 0;
  *nentry = 0;
  int off = m->opt.disableflags;
  if (!(off & mjDSBL_EQUALITY)) count_equality(m, d, sparse, nrow, nentry);
  if (!(off & mjDSBL_FRICTIONLOSS)) {
    const mjtNum* loss = m->dof_frictionloss;
    int n = 0, nspan;
    const snBodyRun* span = data_moving(d, &nspan);
    for (int k = 0; k < nspan; k++) {
      for (int i = span[k].dof, end = span[k].dof_end; i < end; i++) n += loss[i] > 0;
    }
    *nrow += b->nloss = n;
    *nentry += (size_t)n * (size_t)(sparse ? 1 : m->nv);
    for (int i = 0; i < m->ntendon; i++) {
      if (m->tendon_frictionloss[i] > 0 && !tendon_sleeps(d, i)) {
        ++*nrow;
        *nentry += (size_t)(sparse ? d->ten_J_rownnz[i] : m->nv);
      }
    }
  }
  if (!(off & mjDSBL_LIMIT)) count_limits(b, nrow, nentry);
  if (!(off & mjDSBL_CONTACT)) count_contacts(m, d, sparse, nrow, nentry);
}

// ---- equalities alone

// Rows are written to arrays of the frame while efc_* stand aside.
bool constrain_equalities(const mjModel* m, mjData* d, snMemory* memory, snEqualities* out) {
  snRowBuilder b = {.m = m, .d = d, .plan = model_plan(m), .sparse = mj_isSparse(m)};
  int bound = 0, nv = m->nv, *colind;
  size_t nJ = 0;
  *out = (snEqualities){0};
  if (m->opt.disableflags & (mjDSBL_EQUALITY | mjDSBL_CONSTRAINT)) return true;
  count_equality(m, d, b.sparse, &bound, &nJ);
  if (!bound) return true;
  mjtNum *J, *dense, *pos, *rest;
  int *nnz, *adr, *type, *id, *efcadr;
  if (!FRAME(memory, SN_ARRAY(dense, (size_t)bound * (size_t)nv), SN_ARRAY(pos, bound),
             SN_ARRAY(rest, 2 * (size_t)bound), SN_ARRAY(J, nJ), SN_ARRAY(b.J, 10 * (size_t)nv),
             SN_ARRAY(b.col, nv), SN_ARRAY(colind, nJ), SN_ARRAY(nnz, bound), SN_ARRAY(adr, bound),
             SN_ARRAY(type, bound), SN_ARRAY(id, bound), SN_ARRAY(efcadr, m->ntendon))) {
    return false;
  }
  mjData kept = *d;
  d->efc_J = J, d->efc_J_colind = colind, d->efc_J_rownnz = nnz, d->efc_J_rowadr = adr;
  d->efc_pos = pos, d->efc_margin = rest, d->efc_frictionloss = rest + bound;
  d->efc_type = type, d->efc_id = id, d->tendon_efcadr = efcadr;
  if (!b.sparse) memset(J, 0, sizeof(mjtNum) * nJ);
  for (int i = 0; i < m->ntendon; i++) efcadr[i] = -1;
  make_equality(&b);
  d->efc_J = kept.efc_J, d->efc_J_colind = kept.efc_J_colind;
  d->efc_J_rownnz = kept.efc_J_rownnz, d->efc_J_rowadr = kept.efc_J_rowadr;
  d->efc_pos = kept.efc_pos, d->efc_margin = kept.efc_margin;
  d->efc_frictionloss = kept.efc_frictionloss;
  d->efc_type = kept.efc_type, d->efc_id = kept.efc_id, d->tendon_efcadr = kept.tendon_efcadr;
  if (b.sparse) {
    mju_sparse2dense(dense, J, b.nefc, nv, nnz, adr, colind);
  } else {
    memcpy(dense, J, sizeof(mjtNum) * (size_t)b.nefc * (size_t)nv);
  }
  *out = (snEqualities){.n = b.nefc, .r = pos, .J = dense, .id = id};
  return true;
}

// ---- memory

// All efc_ arrays in one piece of the arena.
static bool allocate(const mjModel* m, mjData* d, int nefc, size_t nJ) {
  const snArray array[] = {
      SN_ARRAY(d->efc_J, nJ),
      SN_ARRAY(d->efc_JT, nJ),
      SN_ARRAY(d->efc_pos, nefc),
      SN_ARRAY(d->efc_margin, nefc),
      SN_ARRAY(d->efc_frictionloss, nefc),
      SN_ARRAY(d->efc_diagApprox, nefc),
      SN_ARRAY(d->efc_KBIP, 4 * (size_t)nefc),
      SN_ARRAY(d->efc_D, nefc),
      SN_ARRAY(d->efc_R, nefc),
      SN_ARRAY(d->efc_vel, nefc),
      SN_ARRAY(d->efc_aref, nefc),
      SN_ARRAY(d->efc_force, nefc),
      SN_ARRAY(d->efc_b, nefc),
      SN_ARRAY(d->efc_type, nefc),
      SN_ARRAY(d->efc_id, nefc),
      SN_ARRAY(d->efc_J_rownnz, nefc),
      SN_ARRAY(d->efc_J_rowadr, nefc),
      SN_ARRAY(d->efc_J_rowsuper, nefc),
      SN_ARRAY(d->efc_state, nefc),
      SN_ARRAY(d->efc_JT_rownnz, m->nv),
      SN_ARRAY(d->efc_JT_rowadr, m->nv),
      SN_ARRAY(d->efc_JT_rowsuper, m->nv),
      SN_ARRAY(d->efc_J_colind, nJ),
      SN_ARRAY(d->efc_JT_colind, nJ),
      SN_ARRAY(d->tendon_efcadr, m->ntendon),
  };
  if (!arena_reserve(d, array, sizeof array / sizeof *array)) return false;
  d->nJ = ((snData*)d)->room_J = (int)nJ;
  ((snData*)d)->rows = data_row_form(m);
  return true;
}

// Dense rows have no sparsity pattern.
static void clear_patterns(const mjModel* m, mjData* d) {
  int* const row[3] = {d->efc_J_rownnz, d->efc_J_rowadr, d->efc_J_rowsuper};
  int* const column[3] = {d->efc_JT_rownnz, d->efc_JT_rowadr, d->efc_JT_rowsuper};
  for (int k = 0; k < 3; k++) {
    memset(row[k], 0, sizeof(int) * (size_t)d->nefc);
    memset(column[k], 0, sizeof(int) * (size_t)m->nv);
  }
}

// Without rows efc_J is still a valid address and tendon_efcadr is filled with -1: programs read
// both.
static void no_rows(const mjModel* m, mjData* d) {
  d->efc_J = data_arena_alloc(d, sizeof(mjtNum), 64);
  if (!m->ntendon) return;
  size_t size = (size_t)m->ntendon * sizeof(int);
  d->tendon_efcadr = data_arena_alloc(d, size, 64);
  if (d->tendon_efcadr) memset(d->tendon_efcadr, 0xff, size);
}

void mj_makeConstraint(const mjModel* m, mjData* d) {
  data_arena_keep_contacts(d);
  if (m->opt.disableflags & mjDSBL_CONSTRAINT) return;

  // most models have few limits, which need no stack memory
  enum { FEW_LIMITS = 64 };
  snLimit few[FEW_LIMITS];
  snRowBuilder b = {.m = m, .d = d, .plan = model_plan(m), .sparse = mj_isSparse(m), .limit = few};
  int bound = 0;
  size_t nJ = 0, nv = (size_t)m->nv, nlimit = 2 * ((size_t)m->njnt + (size_t)m->ntendon);
  bool many = nlimit > FEW_LIMITS;
  if (many) {
    mj_markStack(d);
    b.limit = (snLimit*)mj_stackAllocByte(d, sizeof(snLimit) * nlimit, sizeof(mjtNum));
  }
  if (b.limit) count_rows(&b, &bound, &nJ);
  if (!bound || nJ > INT32_MAX || !allocate(m, d, bound, nJ)) {
    for (int c = 0; c < d->ncon; c++) d->contact[c].efc_address = -1;
    no_rows(m, d);
    if (many) mj_freeStack(d);
    return;
  }
  if (!many) mj_markStack(d);
  b.J = (mjtNum*)mj_stackAllocByte(d, (sizeof(mjtNum) * 10 + sizeof(int)) * nv, sizeof(mjtNum));
  if (!b.J) {
    data_arena_keep_contacts(d);
    for (int c = 0; c < d->ncon; c++) d->contact[c].efc_address = -1;
    mj_freeStack(d);
    return;
  }
  b.col = (int*)(b.J + 10 * nv);
  for (int i = 0; i < m->ntendon; i++) d->tendon_efcadr[i] = -1;
  if (!b.sparse) memset(d->efc_J, 0, sizeof(mjtNum) * nJ);
  int off = m->opt.disableflags;
  if (!(off & mjDSBL_EQUALITY)) make_equality(&b);
  d->ne = b.nefc;
  if (!(off & mjDSBL_FRICTIONLOSS)) make_friction(&b);
  d->nf = b.nefc - d->ne;
  if (!(off & mjDSBL_LIMIT)) make_limits(&b);
  d->nl = b.nefc - d->ne - d->nf;
  if (!(off & mjDSBL_CONTACT)) rows_put_contacts(&b);
  d->nefc = ((snData*)d)->room = b.nefc;
  SN_ASSERT(b.nefc <= bound && (size_t)b.nJ <= nJ);
  mj_freeStack(d);

  if (d->nefc > d->maxuse_efc) d->maxuse_efc = d->nefc;
  if (b.sparse)
    constrain_transpose(m, d);
  else
    clear_patterns(m, d);
  constrain_impedance(m, d);
}
