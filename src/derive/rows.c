// Constraint rows but for contacts: equalities, friction loss, limits.
//
// A row has the residual r, its gradient J, and the force f(y), y = J a + b J v + k i(r) r. With W
// the slope of the force where it pushes, 0 elsewhere, and i' the slope of the impedance,
//
//   df = -W (d(J a) + b d(J v) + k (i' r + i) dr) + f i' / (i (1 - i)) dr
//
// The last term is the weight, which moves with the impedance. Rows of one connect or weld share an
// impedance by the norm of all their residuals.
#include "derive/private.h"

// A residual that closes to rounding has no direction, and an impedance of low power would be steep
// there: i is even in r, so its slope at zero is that of both sides together.
static const double kClosed = 1e-13;

// ---- rows with one scalar function

// The force of row `row` along its gradient, as a scalar. `sided` rows have a residual that moves.
static snScalar row_scalar(const snTangent* t, int row, int n, const int* dof, const double* G,
                           const double* K) {
  const mjData* d = t->d;
  const double* kbip = d->efc_KBIP + 4 * row;
  double k = kbip[0], b = kbip[1], imp = kbip[2], slope = kbip[3];
  double r = d->efc_pos[row] - d->efc_margin[row], f = t->force[row];
  if (d->efc_type[row] == mjCNSTR_EQUALITY && fabs(r) < kClosed) slope = 0;
  bool pushes = t->state[row] == mjCNSTRSTATE_QUADRATIC;
  double W = pushes ? d->efc_D[row] : 0;
  double by_length = -W * k * (slope * r + imp);
  if (pushes) by_length += f * slope / (imp * (1 - imp));
  int type = d->efc_type[row];
  if (type == mjCNSTR_FRICTION_DOF || type == mjCNSTR_FRICTION_TENDON) by_length = 0;
  return (snScalar){n, dof, G, K, NULL, f, by_length, -W * b, -W};
}

// The residual of a lower bound grows with the position or length.
static double limit_sign(const snTangent* t, int row) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  int id = d->efc_id[row];
  bool joint = d->efc_type[row] == mjCNSTR_LIMIT_JOINT;
  double lower = joint ? d->qpos[m->jnt_qposadr[id]] - m->jnt_range[2 * id]
                       : d->ten_length[id] - m->tendon_range[2 * id];
  return d->efc_pos[row] == lower ? 1 : -1;
}

// The gradient of a ball limit is minus the axis of q = exp(angle axis): with x the rotation
// vector, dx/dq = D, d axis = (1 - axis axis') D / angle.
static void ball_limit(const snTangent* t, int joint, int dof[3], double G[3], double K[9]) {
  const mjModel* m = t->m;
  double quat[4], unit[4] = {1, 0, 0, 0}, x[3], D[9];
  quat_copy(quat, t->d->qpos + m->jnt_qposadr[joint]);
  quat_normalize(quat);
  mju_quat2Vel(x, quat, 1);
  mjd_subQuat(quat, unit, D, NULL);
  double angle = vec3_normalize(x);
  for (int i = 0; i < 3; i++) {
    dof[i] = m->jnt_dofadr[joint] + i;
    G[i] = -x[i];
    for (int j = 0; j < 3; j++) {
      double along = x[0] * D[j] + x[1] * D[3 + j] + x[2] * D[6 + j];
      K[3 * i + j] = angle > mjMINVAL ? -(D[3 * i + j] - x[i] * along) / angle : 0;
    }
  }
}

static void ball_limit_add(snTangent* t, int row, int joint) {
  double G[3], K[9];
  int dof[3];
  ball_limit(t, joint, dof, G, K);
  snScalar s = row_scalar(t, row, 3, dof, G, K);
  scalar_add(t, &s);
}

static void joint_equality_add(snTangent* t, int row, int eq) {
  const mjModel* m = t->m;
  const double* a = m->eq_data + mjNEQDATA * eq;
  int j1 = m->eq_obj1id[eq], j2 = m->eq_obj2id[eq], n = 1;
  int dof[2] = {m->jnt_dofadr[j1], 0};
  double G[2] = {1, 0}, K[4] = {0};
  if (j2 >= 0) {
    double x = t->d->qpos[m->jnt_qposadr[j2]] - m->qpos0[m->jnt_qposadr[j2]];
    double slope = a[1] + x * (2 * a[2] + x * (3 * a[3] + x * 4 * a[4]));
    double bend = 2 * a[2] + x * (6 * a[3] + x * 12 * a[4]);
    dof[1] = m->jnt_dofadr[j2];
    if (dof[1] == dof[0]) {
      G[0] -= slope;
      K[0] = -bend;
    } else {
      n = 2;
      G[1] = -slope;
      K[3] = -bend;
    }
  }
  snScalar s = row_scalar(t, row, n, dof, G, K);
  scalar_add(t, &s);
}

// Room for tendons: one, and the sum of two over the dofs of both.
typedef struct snTendons_ {
  int *dof, *all;
  int* place;  // of a dof in `all`, -1 elsewhere (nv)
  int n;       // of `all`
  double *G, *K, *sum, *second;
} snTendons;

// sum += scale G, second += scale K + bend G G', on the dofs that are there and those that come.
static bool tendons_add(snTangent* t, snTendons* w, int tendon, double scale, double bend) {
  bool flat;
  int had = w->n, n = tendon_second(t, tendon, w->dof, w->G, w->K, &flat);
  for (int r = 0; r < n; r++) {
    if (w->place[w->dof[r]] >= 0) continue;
    w->sum[w->n] = 0;
    w->all[w->n] = w->dof[r];
    w->place[w->dof[r]] = w->n++;
  }
  SN_ASSERT(w->n <= t->nv);
  // the matrix widens: rows move apart, the last one first
  for (int r = w->n - 1; r >= 0 && n > 0; r--) {
    for (int c = w->n - 1; c >= 0; c--) {
      w->second[r * w->n + c] = r < had && c < had ? w->second[r * had + c] : 0;
    }
  }
  for (int r = 0; r < n; r++) {
    int at = w->place[w->dof[r]];
    w->sum[at] += scale * w->G[r];
    for (int c = 0; c < n; c++) {
      double second = bend * w->G[r] * w->G[c] + (flat ? 0 : scale * w->K[r * n + c]);
      w->second[at * w->n + w->place[w->dof[c]]] += second;
    }
  }
  return n >= 0;
}

// A row along a tendon, or along one tendon less a polynomial of another.
static bool tendon_row_add(snTangent* t, snTendons* w, int row) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  int id = d->efc_id[row], type = d->efc_type[row];
  bool there = true;
  w->n = 0;
  if (type == mjCNSTR_EQUALITY) {
    const double* a = m->eq_data + mjNEQDATA * id;
    int t1 = m->eq_obj1id[id], t2 = m->eq_obj2id[id];
    there = tendons_add(t, w, t1, 1, 0);
    if (there && t2 >= 0) {
      double x = d->ten_length[t2] - m->tendon_length0[t2];
      double slope = a[1] + x * (2 * a[2] + x * (3 * a[3] + x * 4 * a[4]));
      there = tendons_add(t, w, t2, -slope, -(2 * a[2] + x * (6 * a[3] + x * 12 * a[4])));
    }
  } else {
    double sign = 1;
    if (type == mjCNSTR_LIMIT_TENDON) {
      sign = limit_sign(t, row);
    }
    there = tendons_add(t, w, id, sign, 0);
  }
  if (there) {
    snScalar s = row_scalar(t, row, w->n, w->all, w->sum, w->second);
    scalar_add(t, &s);
  }
  for (int k = 0; k < w->n; k++) w->place[w->all[k]] = -1;
  return there;
}

// ---- connect and weld

typedef struct snJoined_ {
  int nrow, n;
  int* dof;              // dofs that move one end or the other
  int* side;             // which: 1 first, 2 second, 3 both
  double* J;             // (nrow x n)
  double *Ka, *Kv, *Kf;  // d(J a), d(J v) (nrow x n), d(J'f) (n x n)
  int body[2];           // the first body's end and the second's
  double point[2][3], quat[2][4], scale;
  double* col[2];  // columns of the two points (n x 3)
  double* across;  // force x rotation of a dof (n x 3)
  double* df;      // of every column (nrow x n)
} snJoined;

static void joined_ends(const snTangent* t, int eq, snJoined* s) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  const double* data = m->eq_data + mjNEQDATA * eq;
  bool weld = s->nrow == 6;
  int obj[2] = {m->eq_obj1id[eq], m->eq_obj2id[eq]};
  s->scale = data[10];
  for (int k = 0; k < 2; k++) {
    if (m->eq_objtype[eq] == mjOBJ_SITE) {
      int body = s->body[k] = m->site_bodyid[obj[k]];
      vec3_copy(s->point[k], d->site_xpos + 3 * obj[k]);
      quat_mul(s->quat[k], d->xquat + 4 * body, m->site_quat + 4 * obj[k]);
      continue;
    }
    int body = s->body[k] = obj[k];
    const double* anchor = data + (weld ? 3 * (1 - k) : 3 * k);
    mat3_mul_vec(s->point[k], d->xmat + 9 * body, anchor);
    vec3_add(s->point[k], s->point[k], d->xpos + 3 * body);
    if (k == 0) {
      quat_mul(s->quat[0], d->xquat + 4 * body, data + 6);
    } else {
      quat_copy(s->quat[1], d->xquat + 4 * body);
    }
  }
}

// vec(conj(q2) (0, w) q1) scale / 2
static void weld_rate(const double* q2, const double* w, const double* q1, double scale,
                      double r[3]) {
  double conj[4], half[4], rate[4];
  quat_conj(conj, q2);
  quat_mul_axis(half, conj, w);
  quat_mul(rate, half, q1);
  vec3_scale(r, rate + 1, 0.5 * scale);
}

// 1/2 (0, w) q
static void quat_turn(double* r, const double* w, const double* q) {
  double pure[4] = {0, w[0], w[1], w[2]};
  quat_mul(r, pure, q);
  for (int i = 0; i < 4; i++) r[i] *= 0.5;
}

static void joined_columns(const snTangent* t, snJoined* s) {
  for (int k = 0; k < s->n; k++) {
    const double* cdof = t->d->cdof + 6 * s->dof[k];
    double lin[2][3] = {{0}}, r[3], turn[3];
    for (int e = 0; e < 2; e++) {
      if (!(s->side[k] & (1 << e))) {
        vec3_zero(s->col[e] + 3 * k);
        continue;
      }
      vec3_sub(r, s->point[e], t->d->subtree_com + 3 * t->m->body_rootid[s->body[e]]);
      jac_column(lin[e], cdof, r);
      vec3_copy(s->col[e] + 3 * k, lin[e]);
    }
    for (int i = 0; i < 3; i++) s->J[i * s->n + k] = lin[0][i] - lin[1][i];
    if (s->nrow < 6) continue;
    double sign = (s->side[k] & 1 ? 1 : 0) - (s->side[k] & 2 ? 1 : 0);
    weld_rate(s->quat[1], cdof, s->quat[0], s->scale, turn);
    for (int i = 0; i < 3; i++) s->J[(3 + i) * s->n + k] = sign * turn[i];
  }
}

// d(J x) of the points when dof j moves, for x with the sums X of cdof x (of bodies) and z_j =
// X before j x cdof_j: a point moves with S_j x X + z_j, and with X across its own way.
static void joined_motion(const snTangent* t, const snJoined* s, const double* X, const double* z,
                          int k, double r[3]) {
  int j = s->dof[k];
  vec3_zero(r);
  for (int e = 0; e < 2; e++) {
    if (!(s->side[k] & (1 << e))) continue;
    const double* body = X + 6 * s->body[e];
    double change[6], arm[3], at[3], swung[3];
    spatial_cross_motion(change, t->d->cdof + 6 * j, body);
    vec6_add(change, change, z + 6 * j);
    vec3_sub(arm, s->point[e], t->d->subtree_com + 3 * t->m->body_rootid[s->body[e]]);
    jac_column(at, change, arm);
    vec3_cross(swung, body, s->col[e] + 3 * k);
    vec3_add(at, at, swung);
    vec3_add_scaled(r, r, at, e ? -1 : 1);
  }
}

// f . dJ_i/dq_j of the points: the outer rotation across the inner column.
SN_KERNEL static void joined_points(const snTangent* t, snJoined* s, const double* force) {
  int n = s->n;
  for (int j = 0; j < n; j++) {
    double r[3];
    joined_motion(t, s, t->free_acc, t->free_turn, j, r);
    for (int k = 0; k < 3; k++) s->Ka[k * n + j] = r[k];
    joined_motion(t, s, t->motion.vel, t->motion.turn, j, r);
    for (int k = 0; k < 3; k++) s->Kv[k * n + j] = r[k];
    vec3_cross(s->across + 3 * j, force, t->d->cdof + 6 * s->dof[j]);
  }
  for (int i = 0; i < n; i++) {
    const double *fi = s->across + 3 * i, *first = s->col[0] + 3 * i, *second = s->col[1] + 3 * i;
    for (int j = 0; j < n; j++) {
      int both = s->side[i] & s->side[j];
      bool carried = s->dof[i] >= t->group[s->dof[j]];
      const double* f = carried ? s->across + 3 * j : fi;
      double sum = 0;
      if (both & 1) sum += vec3_dot(f, carried ? first : s->col[0] + 3 * j);
      if (both & 2) sum -= vec3_dot(f, carried ? second : s->col[1] + 3 * j);
      s->Kf[i * n + j] = sum;
    }
  }
}

// dJ of the turning rows of column i when dof j moves.
static void weld_second(const snTangent* t, const snJoined* s, int i, int j, double* r) {
  const double *rot_i = t->d->cdof + 6 * s->dof[i], *rot_j = t->d->cdof + 6 * s->dof[j];
  double sign = (s->side[i] & 1 ? 1 : 0) - (s->side[i] & 2 ? 1 : 0), part[3], dq[4], turned[3];
  vec3_zero(r);
  if (sign == 0) return;
  if (s->side[j] & 1) {
    quat_turn(dq, rot_j, s->quat[0]);
    weld_rate(s->quat[1], rot_i, dq, s->scale, part);
    vec3_add_scaled(r, r, part, sign);
  }
  if (s->side[j] & 2) {
    quat_turn(dq, rot_j, s->quat[1]);
    weld_rate(dq, rot_i, s->quat[0], s->scale, part);
    vec3_add_scaled(r, r, part, sign);
  }
  // the axis i itself turns when j carries it
  bool together = (s->side[i] & s->side[j]) != 0;
  if (together && s->dof[i] >= t->group[s->dof[j]]) {
    vec3_cross(turned, rot_j, rot_i);
    weld_rate(s->quat[1], turned, s->quat[0], s->scale, part);
    vec3_add_scaled(r, r, part, sign);
  }
}

static void joined_turns(const snTangent* t, snJoined* s, const double* force) {
  int n = s->n;
  memset(s->Ka + 3 * n, 0, 3 * (size_t)n * sizeof(double));
  memset(s->Kv + 3 * n, 0, 3 * (size_t)n * sizeof(double));
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < n; i++) {
      double second[3];
      weld_second(t, s, i, j, second);
      for (int r = 0; r < 3; r++) {
        s->Kf[i * n + j] += force[3 + r] * second[r];
        s->Ka[(3 + r) * n + j] += second[r] * t->d->qacc[s->dof[i]];
        s->Kv[(3 + r) * n + j] += second[r] * t->d->qvel[s->dof[i]];
      }
    }
  }
}

SN_INLINE void joined_rows(snTangent* t, int row, const snJoined* s, int nrow) {
  const mjData* d = t->d;
  int n = s->n;
  const int *q = t->parts.q, *v = t->parts.v;
  const double *kbip = d->efc_KBIP + 4 * row, *pos = d->efc_pos + row, *f = t->force + row;
  double k = kbip[0], b = kbip[1], imp = kbip[2], slope = kbip[3], norm = 0;
  for (int r = 0; r < nrow; r++) norm += pos[r] * pos[r];
  norm = sqrt(norm);
  SN_ASSERT(d->efc_id[row + nrow - 1] == d->efc_id[row]);  // rows of one equality
  if (norm < kClosed) slope = 0, norm = 1;
  for (int j = 0; j < n; j++) {
    double dnorm = 0;
    for (int r = 0; r < nrow; r++) dnorm += pos[r] * s->J[r * n + j] / norm;
    for (int r = 0; r < nrow; r++) {
      double dy = s->Ka[r * n + j] + b * s->Kv[r * n + j] +
                  k * (slope * dnorm * pos[r] + imp * s->J[r * n + j]);
      s->df[r * n + j] = -d->efc_D[row + r] * dy + f[r] * slope / (imp * (1 - imp)) * dnorm;
    }
  }
  for (int i = 0; i < n; i++) {
    double own[6], weighed[6];
    for (int r = 0; r < nrow; r++) {
      own[r] = s->J[r * n + i];
      weighed[r] = own[r] * d->efc_D[row + r];
    }
    double *to = tau_row(t, s->dof[i]), *H = hessian_row(t, s->dof[i]);
    for (int j = 0; j < n; j++) {
      double by_q = s->Kf[i * n + j], by_a = 0;
      for (int r = 0; r < nrow; r++) {
        by_q += own[r] * s->df[r * n + j];
        by_a += weighed[r] * s->J[r * n + j];
      }
      to[q[s->dof[j]]] -= by_q;
      to[v[s->dof[j]]] += b * by_a;
      H[q[s->dof[j]]] += by_a;
    }
  }
}

// The compiler counts the rows.
SN_KERNEL static void joined_put(snTangent* t, int row, const snJoined* s) {
  if (s->nrow == 3)
    joined_rows(t, row, s, 3);
  else
    joined_rows(t, row, s, 6);
}

static bool joined_add(snTangent* t, int row, int nrow) {
  mjData* d = t->d;
  size_t nv = (size_t)t->nv;
  snJoined s = {.nrow = nrow};
  unsigned char* side;
  mj_markStack(d);
  bool there =
      FRAME(memory_of(d), SN_ARRAY(s.dof, nv), SN_ARRAY(s.side, nv), SN_ARRAY(side, nv),
            SN_ARRAY(s.J, 6 * nv), SN_ARRAY(s.Ka, 6 * nv), SN_ARRAY(s.Kv, 6 * nv),
            SN_ARRAY(s.Kf, nv * nv), SN_ARRAY(s.col[0], 3 * nv), SN_ARRAY(s.col[1], 3 * nv),
            SN_ARRAY(s.across, 3 * nv), SN_ARRAY(s.df, 6 * nv));
  if (there) {
    joined_ends(t, d->efc_id[row], &s);
    s.n = chain_sides(t->m, s.body[0], s.body[1], s.dof, side);
    for (int k = 0; k < s.n; k++) s.side[k] = side[k];
    joined_columns(t, &s);
    joined_points(t, &s, t->force + row);
    if (nrow == 6) joined_turns(t, &s, t->force + row);
    joined_put(t, row, &s);
  }
  mj_freeStack(d);
  return there;
}

// ---- all of them

static bool equality_add(snTangent* t, snTendons* w, int row, int* used) {
  int eq = t->d->efc_id[row], type = t->m->eq_type[eq];
  *used = type == mjEQ_CONNECT ? 3 : type == mjEQ_WELD ? 6 : 1;
  if (type == mjEQ_CONNECT || type == mjEQ_WELD) return joined_add(t, row, *used);
  if (type == mjEQ_TENDON) return tendon_row_add(t, w, row);
  joint_equality_add(t, row, eq);
  return true;
}

// Its gradient is constant, so that a force that does not change leaves no slope.
static void dof_row_add(snTangent* t, int row) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  if (t->state[row] != mjCNSTRSTATE_QUADRATIC) return;
  int id = d->efc_id[row], dof = id;
  double G = 1;
  if (d->efc_type[row] == mjCNSTR_LIMIT_JOINT) {
    dof = m->jnt_dofadr[id];
    G = limit_sign(t, row);
  }
  snScalar s = row_scalar(t, row, 1, &dof, &G, NULL);
  scalar_add(t, &s);
}

bool constraints_add(snTangent* t) {
  const mjModel* m = t->m;
  mjData* d = t->d;
  size_t nv = (size_t)t->nv, nt = m->ntendon ? nv : 0;
  snTendons w = {0};
  mj_markStack(d);
  bool there = FRAME(memory_of(d), SN_ARRAY(w.dof, nt), SN_ARRAY(w.all, nt), SN_ARRAY(w.place, nt),
                     SN_ARRAY(w.G, nt), SN_ARRAY(w.K, nt * nt), SN_ARRAY(w.sum, nt),
                     SN_ARRAY(w.second, nt * nt));
  for (size_t i = 0; there && i < nt; i++) w.place[i] = -1;
  for (int row = 0, used = 1; there && row < d->nefc; row += used) {
    used = 1;
    int type = d->efc_type[row], id = d->efc_id[row];
    if (type >= mjCNSTR_CONTACT_FRICTIONLESS) break;
    if (type == mjCNSTR_EQUALITY) {
      there = equality_add(t, &w, row, &used);
    } else if (type == mjCNSTR_FRICTION_TENDON || type == mjCNSTR_LIMIT_TENDON) {
      there = tendon_row_add(t, &w, row);
    } else if (type == mjCNSTR_LIMIT_JOINT && m->jnt_type[id] == mjJNT_BALL) {
      ball_limit_add(t, row, id);
    } else {
      dof_row_add(t, row);
    }
  }
  mj_freeStack(d);
  return there;
}

bool limit_scalar(const snTangent* t, int row, int* dof, double* G, double* K, snScalar* s) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  int id = d->efc_id[row], n = 1;
  bool flat = true;
  if (d->efc_type[row] == mjCNSTR_LIMIT_TENDON) {
    double sign = limit_sign(t, row);
    n = tendon_second(t, id, dof, G, K, &flat);
    if (n < 0) return false;
    for (int i = 0; i < n; i++) G[i] *= sign;
    for (int i = 0; !flat && i < n * n; i++) K[i] *= sign;
  } else if (m->jnt_type[id] == mjJNT_BALL) {
    n = 3;
    flat = false;
    ball_limit(t, id, dof, G, K);
  } else {
    dof[0] = m->jnt_dofadr[id];
    G[0] = limit_sign(t, row);
  }
  *s = row_scalar(t, row, n, dof, G, flat ? NULL : K);
  return true;
}
