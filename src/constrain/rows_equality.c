// Rows of equalities: connect, weld, joint, tendon and flex.
//
//   connect, weld   r = p1 - p2, and vec(q2* q1) times torquescale: wrenches on two bodies
//   joint, tendon   r = (y - y0) - sum a_j (x - x0)^j: one or two rows of a Jacobian, merged
//   flex            r = length - length0 of each edge that is not rigid
//
// mj_makeConstraint counts and builds the rows among all others (rows.c). Rows of equalities alone,
// at other positions than those of the step, are for the projection that closes loops
// (integrate/close.c).
#include <string.h>

#include "constrain/rows.h"
#include "data/frame.h"

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

static snRowSource rows_of_edges(const mjData* d) {
  return (snRowSource){d->flexedge_J_rownnz, d->flexedge_J_rowadr, d->flexedge_J_colind,
                       d->flexedge_J};
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

// A connect has its anchors in eq_data at 0 (first body) and 3 (second); a weld has the anchor of
// the second body at 0 and the relative pose at 3.
void rows_ends(const mjModel* m, const mjData* d, int i, bool weld, snEnds* e) {
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

// Residuals of a connect: p1 - p2; of a weld also the vector part of q2* q1, scaled by torquescale.
static void ends_residual(const mjModel* m, const snEnds* e, int i, bool weld, mjtNum* pos) {
  vec3_sub(pos, e->point[1], e->point[0]);
  if (!weld) return;
  mjtNum conj2[4], error[4];
  quat_conj(conj2, e->quat[0]);
  quat_mul(error, conj2, e->quat[1]);
  vec3_scale(pos + 3, error + 1, m->eq_data[mjNEQDATA * i + 10]);
}

// Three forces along the world axes.
static void make_connect(snRowBuilder* b, int i) {
  snEnds e;
  mjtNum pos[3];
  rows_ends(b->m, b->d, i, false, &e);
  ends_residual(b->m, &e, i, false, pos);
  snWrench w = {.lin = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}}, .nrow = 3};
  rows_put_wrenches(b, &w, e.body, e.point, pos, mjCNSTR_EQUALITY, i);
}

// Position rows as in a connect. The rate of the orientation residual is 1/2 vec(q2* (w1 - w2) q1),
// with the angular velocities w as pure quaternions: linear in w, so that each row is a torque.
static void make_weld(snRowBuilder* b, int i) {
  static const mjtNum unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  snEnds e;
  mjtNum pos[6], conj2[4], scale = b->m->eq_data[mjNEQDATA * i + 10];
  rows_ends(b->m, b->d, i, true, &e);
  ends_residual(b->m, &e, i, true, pos);
  quat_conj(conj2, e.quat[0]);
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

// Joint and tendon equality: y - y0 = sum a_j (x - x0)^j, or a_0 without a second object. The
// residual, and the slope of the right hand side.
static mjtNum quartic_residual(const mjtNum* a, mjtNum y, bool second, mjtNum x, mjtNum* slope) {
  *slope = 0;
  if (!second) return y - a[0];
  *slope = a[1] + x * (2 * a[2] + x * (3 * a[3] + x * 4 * a[4]));
  return y - (a[0] + x * (a[1] + x * (a[2] + x * (a[3] + x * a[4]))));
}

static mjtNum joint_residual(const mjModel* m, const mjData* d, int i, mjtNum* slope) {
  int j1 = m->eq_obj1id[i], j2 = m->eq_obj2id[i];
  int q1 = m->jnt_qposadr[j1], q2 = j2 < 0 ? q1 : m->jnt_qposadr[j2];
  return quartic_residual(m->eq_data + mjNEQDATA * i, d->qpos[q1] - m->qpos0[q1], j2 >= 0,
                          d->qpos[q2] - m->qpos0[q2], slope);
}

static mjtNum tendon_residual(const mjModel* m, const mjData* d, int i, mjtNum* slope) {
  int t1 = m->eq_obj1id[i], t2 = m->eq_obj2id[i], second = t2 < 0 ? t1 : t2;
  return quartic_residual(m->eq_data + mjNEQDATA * i, d->ten_length[t1] - m->tendon_length0[t1],
                          t2 >= 0, d->ten_length[second] - m->tendon_length0[second], slope);
}

static void make_joint_equality(snRowBuilder* b, int i) {
  const mjModel* m = b->m;
  int j1 = m->eq_obj1id[i], j2 = m->eq_obj2id[i], n = 1;
  mjtNum slope, pos = joint_residual(m, b->d, i, &slope);
  b->col[0] = m->jnt_dofadr[j1];
  b->J[0] = 1;
  if (j2 >= 0) {
    int other = m->jnt_dofadr[j2];
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
  rows_put(b, 1, n, &pos, NULL, 0, mjCNSTR_EQUALITY, i);
}

static void make_tendon_equality(snRowBuilder* b, int i) {
  const mjModel* m = b->m;
  mjData* d = b->d;
  int t1 = m->eq_obj1id[i], t2 = m->eq_obj2id[i];
  mjtNum slope, pos = tendon_residual(m, d, i, &slope);
  int n = rows_load(b, rows_of_tendons(d), t1, 1);
  if (t2 >= 0) n = add_row(b, n, rows_of_tendons(d), t2, -slope);
  int row = rows_put(b, 1, n, &pos, NULL, 0, mjCNSTR_EQUALITY, i);
  rows_note_tendon(d, t1, row);
  if (t2 >= 0) rows_note_tendon(d, t2, row);
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
    int n = rows_load(b, rows_of_edges(d), e, 1);
    rows_put(b, 1, n, &pos, NULL, 0, mjCNSTR_EQUALITY, i);
  }
}

void rows_put_equalities(snRowBuilder* b) {
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

// ---- counting

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

void rows_count_equalities(const mjModel* m, const mjData* d, bool sparse, int* nrow,
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

// ---- equalities alone

bool constrain_residuals(const mjModel* m, const mjData* d, mjtNum* r) {
  for (int row = 0, n; row < d->ne; row += n) {
    int i = d->efc_id[row], type = m->eq_type[i];
    snEnds e;
    mjtNum slope;
    n = constrain_unit(m, d, row);
    if (type == mjEQ_CONNECT || type == mjEQ_WELD) {
      rows_ends(m, d, i, type == mjEQ_WELD, &e);
      ends_residual(m, &e, i, type == mjEQ_WELD, r + row);
    } else if (type == mjEQ_JOINT) {
      r[row] = joint_residual(m, d, i, &slope);
    } else if (type == mjEQ_TENDON) {
      r[row] = tendon_residual(m, d, i, &slope);
    } else {
      return false;
    }
  }
  return true;
}

bool constrain_by_bodies(const mjModel* m, const mjData* d) {
  for (int row = 0; row < d->ne; row += constrain_unit(m, d, row)) {
    int i = d->efc_id[row], type = m->eq_type[i];
    bool bodies = type == mjEQ_CONNECT || type == mjEQ_WELD;
    if (type != mjEQ_JOINT && !(bodies && m->eq_objtype[i] == mjOBJ_BODY)) return false;
  }
  return true;
}

snEqualities constrain_step_equalities(const mjModel* m, const mjData* d) {
  return (snEqualities){.n = d->ne,
                        .r = d->efc_pos,
                        .J = d->efc_J,
                        .rownnz = mj_isSparse(m) ? d->efc_J_rownnz : NULL,
                        .rowadr = d->efc_J_rowadr,
                        .colind = d->efc_J_colind};
}

// What row building writes, so that it can be put aside.
typedef struct snRowArrays_ {
  mjtNum *J, *pos, *margin, *frictionloss;
  int *colind, *rownnz, *rowadr, *type, *id, *efcadr;
} snRowArrays;

static snRowArrays rows_swap(mjData* d, snRowArrays to) {
  snRowArrays was = {d->efc_J,        d->efc_pos,      d->efc_margin,   d->efc_frictionloss,
                     d->efc_J_colind, d->efc_J_rownnz, d->efc_J_rowadr, d->efc_type,
                     d->efc_id,       d->tendon_efcadr};
  d->efc_J = to.J, d->efc_pos = to.pos, d->efc_margin = to.margin;
  d->efc_frictionloss = to.frictionloss, d->efc_J_colind = to.colind;
  d->efc_J_rownnz = to.rownnz, d->efc_J_rowadr = to.rowadr, d->efc_type = to.type;
  d->efc_id = to.id, d->tendon_efcadr = to.efcadr;
  return was;
}

// Rows are written to arrays of the frame while efc_* stand aside.
bool constrain_equalities(const mjModel* m, mjData* d, snMemory* memory, snEqualities* out) {
  snRowBuilder b = {.m = m, .d = d, .plan = model_plan(m), .sparse = mj_isSparse(m)};
  snRowArrays own;
  int bound = 0, nv = m->nv;
  size_t nJ = 0;
  *out = (snEqualities){0};
  if (m->opt.disableflags & (mjDSBL_EQUALITY | mjDSBL_CONSTRAINT)) return true;
  rows_count_equalities(m, d, b.sparse, &bound, &nJ);
  if (!bound) return true;
  if (!FRAME(memory, SN_ARRAY(own.J, nJ), SN_ARRAY(own.pos, bound), SN_ARRAY(own.margin, bound),
             SN_ARRAY(own.frictionloss, bound), SN_ARRAY(b.J, 10 * (size_t)nv), SN_ARRAY(b.col, nv),
             SN_ARRAY(own.colind, nJ), SN_ARRAY(own.rownnz, bound), SN_ARRAY(own.rowadr, bound),
             SN_ARRAY(own.type, bound), SN_ARRAY(own.id, bound),
             SN_ARRAY(own.efcadr, m->ntendon))) {
    return false;
  }
  if (!b.sparse) memset(own.J, 0, sizeof(mjtNum) * nJ);
  for (int i = 0; i < m->ntendon; i++) own.efcadr[i] = -1;
  snRowArrays kept = rows_swap(d, own);
  rows_put_equalities(&b);
  rows_swap(d, kept);
  SN_ASSERT(b.nefc <= bound);
  *out = (snEqualities){.n = b.nefc,
                        .r = own.pos,
                        .J = own.J,
                        .rownnz = b.sparse ? own.rownnz : NULL,
                        .rowadr = own.rowadr,
                        .colind = own.colind};
  return true;
}
