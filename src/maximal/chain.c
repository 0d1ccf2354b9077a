// A joint of the tree is a chain of hinges, slides and balls between two bodies. In the axes of the
// base, the follower stands at X(q); its relative twist at a point is S qdot. For measured poses:
//   q      the least-squares solution of X(q) = measured (Gauss-Newton)
//   P      (S'S)^-1 S': reads qdot off the relative twist; its transpose applies joint forces
//   N      an orthonormal complement of S: the constraint rows
//   error  what is left of the pose, which N' reads at position level
#include "base/assert.h"
#include "maximal/maximal.h"

typedef struct snChainPose_ {
  double pos[3], quat[4];  // follower's frame
  double point[3];
  double S[6][6];  // a row per dof: [linear; angular]
} snChainPose;

static void cross_at(double* r, const double* axis, const double* from, const double* to) {
  double arm[3];
  vec3_sub(arm, to, from);
  vec3_cross(r, axis, arm);
}

// Joints act in order, as in kinematics; the columns are written for the anchor of the last one.
static void chain_pose(const snMaximalWhole* w, const snLink* l, const double* qpos,
                       snChainPose* c) {
  const mjModel* m = w->x.model;
  int parent = m->body_parentid[l->body], first = m->body_jntadr[l->body], dof = 0;
  double axis[6][3], anchor[6][3], arm[3];
  bool turns[6];
  const double* local = l->njnt ? m->jnt_pos + 3 * (first + l->njnt - 1) : NULL;

  quat_rotate(c->pos, m->body_pos + 3 * l->body, w->off_quat + 4 * parent);
  vec3_add(c->pos, c->pos, w->off_pos + 3 * parent);
  quat_mul(c->quat, w->off_quat + 4 * parent, m->body_quat + 4 * l->body);
  if (l->kind == snJOINT_FREE) {
    const double* q = qpos + m->jnt_qposadr[first];
    double mat[9];
    vec3_copy(c->pos, q);
    quat_copy(c->quat, q + 3);
    quat_to_mat(mat, c->quat);
    memset(c->S, 0, sizeof c->S);
    for (int k = 0; k < 3; k++) {
      c->S[k][k] = 1;
      mat3_column(c->S[3 + k] + 3, mat, k);
    }
    vec3_copy(c->point, c->pos);
    return;
  }
  for (int j = first; j < first + l->njnt; j++) {
    const double *q = qpos + m->jnt_qposadr[j], *q0 = m->qpos0 + m->jnt_qposadr[j];
    double at[3], direction[3], turn[4];
    quat_rotate(arm, m->jnt_pos + 3 * j, c->quat);
    vec3_add(at, c->pos, arm);
    quat_rotate(direction, m->jnt_axis + 3 * j, c->quat);
    if (m->jnt_type[j] == mjJNT_SLIDE) {
      vec3_add_scaled(c->pos, c->pos, direction, q[0] - q0[0]);
      vec3_copy(axis[dof], direction);
      turns[dof++] = false;
      continue;
    }
    if (m->jnt_type[j] == mjJNT_HINGE) {
      quat_from_axis_angle(turn, m->jnt_axis + 3 * j, q[0] - q0[0]);
    } else {
      quat_copy(turn, q);
    }
    quat_mul(c->quat, c->quat, turn);
    quat_rotate(arm, m->jnt_pos + 3 * j, c->quat);
    vec3_sub(c->pos, at, arm);
    int num = m->jnt_type[j] == mjJNT_BALL ? 3 : 1;
    for (int k = 0; k < num; k++, dof++) {
      double unit[3] = {k == 0, k == 1, k == 2};
      if (num == 3) quat_rotate(direction, unit, c->quat);
      vec3_copy(axis[dof], direction);
      vec3_copy(anchor[dof], at);
      turns[dof] = true;
    }
  }
  SN_ASSERT(dof == l->ndof);
  vec3_copy(c->point, c->pos);
  if (local) {
    quat_rotate(arm, local, c->quat);
    vec3_add(c->point, c->point, arm);
  }
  for (int k = 0; k < dof; k++) {
    if (turns[k]) {
      cross_at(c->S[k], axis[k], anchor[k], c->point);
      vec3_copy(c->S[k] + 3, axis[k]);
    } else {
      vec3_copy(c->S[k], axis[k]);
      vec3_zero(c->S[k] + 3);
    }
  }
}

// P = (S S')^-1 S over the rows of S. At a gimbal lock motions stay bounded by kLock, which the
// step P <- 2P - (P S') P takes out of all other directions.
static void chain_inverse(const snChainPose* c, int n, double* P) {
  double gram[36], row[6], first[36];
  const double kLock = 1e-12;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) gram[n * i + j] = vec6_dot(c->S[i], c->S[j]) + (i == j) * kLock;
  }
  mju_cholFactor(gram, n, 0);
  for (int k = 0; k < 6; k++) {
    for (int i = 0; i < n; i++) row[i] = c->S[i][k];
    mju_cholSolve(row, gram, row, n);
    for (int i = 0; i < n; i++) first[6 * i + k] = row[i];
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 6; k++) P[6 * i + k] = 2 * first[6 * i + k];
    for (int j = 0; j < n; j++) {
      vec6_add_scaled(P + 6 * i, P + 6 * i, first + 6 * j, -vec6_dot(first + 6 * i, c->S[j]));
    }
  }
}

static void orthogonalize(double* v, const double (*basis)[6], int n) {
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < n; i++) vec6_add_scaled(v, v, basis[i], -vec6_dot(v, basis[i]));
  }
}

// Of the six unit directions the one farthest from what is spanned comes first; nearly equal ones
// in their order, so that rows keep their meaning from step to step.
static void chain_complement(const snChainPose* c, int ndof, double* N) {
  double basis[6][6];
  int n = 0;
  for (int k = 0; k < ndof; k++) {
    double v[6];
    vec6_copy(v, c->S[k]);
    orthogonalize(v, basis, n);
    double norm = sqrt(vec6_dot(v, v));
    if (norm < 1e-7) continue;
    for (int i = 0; i < 6; i++) basis[n][i] = v[i] / norm;
    n++;
  }
  for (int row = 0; row < 6 - ndof; row++) {
    SN_ASSERT(n < 6);
    int best = 0;
    double most = -1;
    for (int i = 0; i < 6; i++) {
      double left = 1;
      for (int k = 0; k < n; k++) left -= basis[k][i] * basis[k][i];
      if (left > most + 1e-6) most = left, best = i;
    }
    double v[6] = {0, 0, 0, 0, 0, 0};
    v[best] = 1;
    orthogonalize(v, basis, n);
    double norm = sqrt(vec6_dot(v, v));
    for (int i = 0; i < 6; i++) basis[n][i] = v[i] / norm;
    vec6_copy(N + 6 * row, basis[n++]);
  }
}

// Rotation vector of q, |r| <= pi.
static void rotation_vector(double r[3], const double q[4]) {
  double s = q[0] < 0 ? -1 : 1, norm = vec3_norm(q + 1);
  if (norm < 1e-12) {
    vec3_scale(r, q + 1, 2 * s);
    return;
  }
  vec3_scale(r, q + 1, s * 2 * sn_atan2(norm, s * q[0]) / norm);
}

// Move the joint positions of a link by dq.
static void chain_move(const mjModel* m, double* qpos, const snLink* l, const double* dq) {
  int first = m->body_jntadr[l->body];
  for (int j = first; j < first + l->njnt; j++) {
    double* q = qpos + m->jnt_qposadr[j];
    if (m->jnt_type[j] == mjJNT_BALL) {
      quat_integrate(q, dq, 1);
      dq += 3;
    } else {
      *q += *dq++;
    }
  }
}

// Follower's frame in the axes of the base.
static void relative_pose(const snHold* h, const double* origin, const double* mat,
                          const double* orientation, double pos[3], double quat[4]) {
  double inv[4];
  vec3_copy(pos, origin + 3 * h->follower);
  quat_copy(quat, orientation + 4 * h->follower);
  if (h->base < 0) return;
  vec3_sub(pos, pos, origin + 3 * h->base);
  mat3_mulT_vec(pos, mat + 9 * h->base, pos);
  quat_conj(inv, orientation + 4 * h->base);
  quat_mul(quat, inv, quat);
}

static void point_velocity(const double* vel, const double* center, const double* point, int body,
                           double v[3]) {
  vec3_zero(v);
  if (body < 0) return;
  cross_at(v, vel + 6 * body + 3, center + 3 * body, point);
  vec3_add(v, v, vel + 6 * body);
}

// Velocity of the follower against the base at a point, in the axes of the base; `center` are the
// centers of mass.
static void relative_twist(const snMaximalWhole* w, const snHold* h, const double* center,
                           const double* frame, const double* point, double twist[6]) {
  const double* vel = w->x.vel;
  double v[3], u[3], a[3];
  point_velocity(vel, center, point, h->follower, v);
  point_velocity(vel, center, point, h->base, u);
  vec3_sub(v, v, u);
  vec3_copy(a, vel + 6 * h->follower + 3);
  if (h->base >= 0) vec3_sub(a, a, vel + 6 * h->base + 3);
  mat3_mulT_vec(twist, frame, v);
  mat3_mulT_vec(twist + 3, frame, a);
}

// Gauss-Newton for X(q) = (pos, quat) from the qpos given; the follower's own point where the chain
// has its last anchor goes to `point`, what is left of the pose to `error`.
static void chain_solve(const snMaximalWhole* w, const snLink* l, const double pos[3],
                        const double quat[4], int tries, double* qpos, snChainPose* c, double* P,
                        double point[3], double error[6]) {
  const mjModel* m = w->x.model;
  if (l->kind == snJOINT_FREE) {
    double* q = qpos + m->jnt_qposadr[m->body_jntadr[l->body]];
    vec3_copy(q, pos);
    quat_copy(q + 3, quat);
  }
  for (int i = 0; i < tries; i++) {
    double arm[3], inv[4], turn[4], dq[6], most = 0;
    chain_pose(w, l, qpos, c);
    vec3_sub(arm, c->point, c->pos);
    quat_conj(inv, c->quat);
    quat_rotate(arm, arm, inv);
    quat_mul(turn, quat, inv);
    quat_rotate(arm, arm, quat);
    vec3_add(point, pos, arm);
    vec3_sub(error, point, c->point);
    rotation_vector(error + 3, turn);
    chain_inverse(c, l->ndof, P);
    for (int k = 0; k < l->ndof; k++) {
      dq[k] = vec6_dot(P + 6 * k, error);
      most = fmax(most, fabs(dq[k]));
    }
    if (!(most > 1e-14) || l->kind == snJOINT_FREE || i + 1 == tries) break;
    chain_move(m, qpos, l, dq);
  }
}

void chain_locate(snMaximalWhole* w, snLink* l) {
  const mjModel* m = w->x.model;
  mjData* d = w->x.data;
  snHold* h = &l->hold;
  double pos[3], quat[4], twist[6];
  snChainPose c;
  relative_pose(h, w->origin, w->mat, w->x.quat, pos, quat);
  if (h->base >= 0) {
    mat3_copy(h->frame, w->mat + 9 * h->base);
  } else {
    mat3_identity(h->frame);
  }
  chain_solve(w, l, pos, quat, 40, d->qpos, &c, l->P, h->point, h->error);
  chain_complement(&c, l->ndof, h->N);
  mat3_mul_vec(h->point, h->frame, h->point);
  if (h->base >= 0) vec3_add(h->point, h->point, w->origin + 3 * h->base);
  relative_twist(w, h, w->x.pos, h->frame, h->point, twist);
  for (int k = 0; k < l->ndof; k++) {
    d->qvel[m->body_dofadr[l->body] + k] = vec6_dot(l->P + 6 * k, twist);
  }
}

void chain_look_ahead(snMaximalWhole* w, snLink* l) {
  const mjModel* m = w->x.model;
  mjData* d = w->x.data;
  double pos[3], quat[4], P[36], point[3], dq[6], keep[24], twist[6];
  double* qvel_ahead = w->qvel_ahead + (l->ndof ? m->body_dofadr[l->body] : 0);
  snChainPose c;
  if (!l->nrow) {
    mju_copy(qvel_ahead, d->qvel + m->body_dofadr[l->body], l->ndof);
    return;
  }
  relative_pose(&l->hold, w->ahead_origin, w->ahead_mat, w->ahead_quat, pos, quat);
  int adr = l->njnt ? m->jnt_qposadr[m->body_jntadr[l->body]] : 0, nq = 0;
  for (int j = 0; j < l->njnt; j++) {
    nq += m->jnt_type[m->body_jntadr[l->body] + j] == mjJNT_BALL ? 4 : 1;
  }
  SN_ASSERT(nq <= (int)(sizeof keep / sizeof keep[0]));
  mju_copy(keep, d->qpos + adr, nq);
  for (int k = 0; k < l->ndof; k++) {
    dq[k] = m->opt.timestep * d->qvel[m->body_dofadr[l->body] + k];
  }
  chain_move(m, d->qpos, l, dq);
  chain_solve(w, l, pos, quat, 4, d->qpos, &c, P, point, l->hold.ahead);
  mju_copy(d->qpos + adr, keep, nq);

  const double* frame = l->hold.frame;
  if (l->hold.base >= 0) {
    frame = w->ahead_mat + 9 * l->hold.base;
    mat3_mul_vec(point, frame, point);
    vec3_add(point, point, w->ahead_origin + 3 * l->hold.base);
  }
  relative_twist(w, &l->hold, w->ahead_pos, frame, point, twist);
  for (int k = 0; k < l->ndof; k++) qvel_ahead[k] = vec6_dot(P + 6 * k, twist);
}

void chain_place(snMaximalWhole* w, snLink* l) {
  snMaximal* x = &w->x;
  const mjModel* m = x->model;
  const snHold* h = &l->hold;
  snChainPose c;
  chain_pose(w, l, x->data->qpos, &c);
  int f = h->follower;
  SN_ASSERT(h->base < f);  // bodies come after what they hang on
  double *pos = w->origin + 3 * f, *quat = x->quat + 4 * f, *vel = x->vel + 6 * f, arm[3];
  double frame[9], point[3], twist[6] = {0, 0, 0, 0, 0, 0}, v[3], u[3];
  if (h->base >= 0) {
    const double* mat = w->mat + 9 * h->base;
    mat3_mul_vec(pos, mat, c.pos);
    vec3_add(pos, pos, w->origin + 3 * h->base);
    quat_mul(quat, x->quat + 4 * h->base, c.quat);
    mat3_copy(frame, mat);
    mat3_mul_vec(point, mat, c.point);
    vec3_add(point, point, w->origin + 3 * h->base);
  } else {
    vec3_copy(pos, c.pos);
    quat_copy(quat, c.quat);
    mat3_identity(frame);
    vec3_copy(point, c.point);
  }
  quat_normalize(quat);
  quat_to_mat(w->mat + 9 * f, quat);
  mat3_mul_vec(arm, w->mat + 9 * f, w->com + 3 * f);
  vec3_add(x->pos + 3 * f, pos, arm);

  for (int k = 0; k < l->ndof; k++) {
    vec6_add_scaled(twist, twist, c.S[k], x->data->qvel[m->body_dofadr[l->body] + k]);
  }
  mat3_mul_vec(v, frame, twist);
  mat3_mul_vec(vel + 3, frame, twist + 3);
  maximal_point_velocity(w, h->base, point, u);
  vec3_add(v, v, u);
  if (h->base >= 0) vec3_add(vel + 3, vel + 3, x->vel + 6 * h->base + 3);
  // from the point to the center of mass
  cross_at(u, vel + 3, point, x->pos + 3 * f);
  vec3_add(vel, v, u);
}
