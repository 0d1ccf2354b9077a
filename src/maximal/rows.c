// Rows of J, in groups, with the bias velocity of each: joints, loops, couplings, dry friction,
// limits, contacts. Before them soft rows: a dof with armature a and damping b resists a change of
// its velocity,  impulse = -(a + h b) (qdot+ - qdot),  which adds s'(a + h b) s to the inertia.
#include <math.h>

#include "base/assert.h"
#include "data/frame.h"
#include "maximal/maximal.h"

// ---- storage

static bool rows_alloc(snMaximalWhole* w, snRows* r) {
  const mjModel* m = w->x.model;
  mjData* d = w->x.data;
  int holds = w->nlink + w->nloop, wide = w->ncoupling + 3 * m->ntendon;
  memset(r, 0, sizeof *r);
  r->max_group = holds + wide + 2 * m->nv + 2 * m->njnt + d->ncon;
  r->max_row = 6 * holds + wide + 2 * m->nv + 2 * m->njnt + 6 * d->ncon;
  r->max_blk = 2 * r->max_group + wide * w->x.nbody;
  r->max_pool = 12 * (2 * (size_t)r->max_row + (size_t)wide * w->x.nbody);
  return FRAME(memory_of(d), SN_ARRAY(r->group, r->max_group), SN_ARRAY(r->blk, r->max_blk),
               SN_ARRAY(r->pool, r->max_pool), SN_ARRAY(r->bias, r->max_row),
               SN_ARRAY(r->error, r->max_row), SN_ARRAY(r->weight, m->nv));
}

static void add_group(snRows* r, int kind, int nrow, uint64_t of, uint64_t id) {
  SN_ASSERT(r->ngroup < r->max_group && r->n + nrow <= r->max_row);
  snGroup* g = r->group + r->ngroup++;
  g->set = (snDualBlock){.kind = kind, .row = r->n, .nrow = nrow};
  g->blk = r->nblk;
  g->nblk = 0;
  g->key = of << 56 | id;
  for (int k = 0; k < nrow; k++) r->error[r->n + k] = 0;
  r->n += nrow;
}

// The block of a body in the last group.
static double* add_block(snRows* r, int body) {
  snGroup* g = r->group + r->ngroup - 1;
  for (int k = g->blk; k < r->nblk; k++) {
    if (r->blk[k].body == body) return r->blk[k].J;
  }
  int size = 6 * g->set.nrow;
  SN_ASSERT(r->nblk < r->max_blk && r->npool + 2 * (size_t)size <= r->max_pool);
  snBlk* b = r->blk + r->nblk++;
  b->body = body;
  b->group = r->ngroup - 1;
  b->J = r->pool + r->npool;
  b->JM = b->J + size;
  r->npool += 2 * (size_t)size;
  mju_zero(b->J, size);
  g->nblk++;
  return b->J;
}

// Row k of the last group += scale times the velocity along `direction` [linear; angular], given in
// the world at a point: [f; (p - r) x f + t] on the follower, its opposite on the base.
static void add_direction(const snMaximalWhole* w, snRows* r, int k, int base, int follower,
                          const double point[3], const double f[3], const double t[3],
                          double scale) {
  for (int side = 0; side < 2; side++) {
    int body = side ? base : follower;
    if (body < 0) continue;
    double *J = add_block(r, body) + 6 * k, arm[3], turn[3], s = side ? -scale : scale;
    vec3_sub(arm, point, w->x.pos + 3 * body);
    vec3_cross(turn, arm, f);
    if (t) vec3_add(turn, turn, t);
    vec3_add_scaled(J, J, f, s);
    vec3_add_scaled(J + 3, J + 3, turn, s);
  }
}

static void add_held(const snMaximalWhole* w, snRows* r, int k, const snHold* h,
                     const double direction[6], double scale) {
  double f[3], t[3];
  mat3_mul_vec(f, h->frame, direction);
  mat3_mul_vec(t, h->frame, direction + 3);
  add_direction(w, r, k, h->base, h->follower, h->point, f, t, scale);
}

static void add_dof(const snMaximalWhole* w, snRows* r, int dof, double scale) {
  const snLink* l = w->link + w->link_dof[dof];
  int k = dof - w->x.model->body_dofadr[l->body];
  SN_ASSERT(k >= 0 && k < l->ndof);
  add_held(w, r, 0, &l->hold, l->P + 6 * k, scale);
}

// ---- equalities

// Rows of a joint. Besides the share of the error that is removed, the bias holds what velocities
// that close the joint now would open it by within the step: error ahead - error - h J u, a term of
// h^2 from the curvature of paths. Without it joints drift at that order.
static void add_hold(snMaximalWhole* w, snRows* r, const snHold* h, int nrow, int of, int id) {
  snMaximal* x = &w->x;
  double step = x->model->opt.timestep, erp = x->opt.settings.erp_joint;
  if (!nrow) return;
  add_group(r, snDUAL_FREE, nrow, of, id);
  const snGroup* g = r->group + r->ngroup - 1;
  for (int k = 0; k < nrow; k++) {
    const double* N = h->N + 6 * k;
    double bias = dual_bias_joint(vec6_dot(N, h->error), erp, step);
    add_held(w, r, k, h, N, 1);
    if (x->opt.stepping == snSTEPPING_EULER) {
      bias += (vec6_dot(N, h->ahead) - vec6_dot(N, h->error)) / step;
      for (int b = g->blk; b < g->blk + g->nblk; b++) {
        bias -= vec6_dot(r->blk[b].J + 6 * k, x->vel + 6 * r->blk[b].body);
      }
    }
    r->bias[g->set.row + k] = bias;
    r->error[g->set.row + k] = vec6_dot(N, h->error);
  }
  x->joint_error = fmax(x->joint_error, vec3_norm(h->error));
  x->angle_error = fmax(x->angle_error, vec3_norm(h->error + 3));
}

// Where bodies are, or will be.
typedef struct snPlaces_ {
  const double *origin, *mat, *quat;
} snPlaces;

// A point and an orientation that an equality names on one of its bodies, in the world.
static void equality_end(const snMaximalWhole* w, const snPlaces* at, int i, int side,
                         double point[3], double quat[4]) {
  int own = maximal_anchor(w, i, side, point, quat);
  if (own < 0) return;
  mat3_mul_vec(point, at->mat + 9 * own, point);
  vec3_add(point, point, at->origin + 3 * own);
  quat_mul(quat, at->quat + 4 * own, quat);
}

// Error of a loop in the axes of its base; the point it is measured at, and for a hinge its axis.
static void loop_error(const snMaximalWhole* w, const snPlaces* at, const snLoop* l,
                       double error[6], double point[3], double hinge[3]) {
  const mjModel* m = w->x.model;
  const snHold* h = &l->hold;
  static const double kStill[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const double* frame = h->base >= 0 ? at->mat + 9 * h->base : kStill;
  double p[2][3], q[2][4], e[3];
  // sides in the order base, follower
  int first = m->eq_objtype[l->eq[0]] == mjOBJ_SITE ? m->site_bodyid[m->eq_obj1id[l->eq[0]]]
                                                    : m->eq_obj1id[l->eq[0]];
  int swap = w->own[first] != h->base;
  for (int side = 0; side < 2; side++) {
    equality_end(w, at, l->eq[0], side ^ swap, p[side], q[side]);
  }
  vec3_zero(error + 3);
  if (l->kind == snJOINT_FIXED) {
    double inv[4], turn[4];
    quat_conj(inv, q[0]);
    quat_mul(turn, q[1], inv);
    vec3_scale(e, turn + 1, turn[0] < 0 ? -2 : 2);
    mat3_mulT_vec(error + 3, frame, e);
  } else if (l->kind == snJOINT_REVOLUTE) {
    // the axis goes through both anchors; its point is in the middle
    double p2[2][3], axis[2][3];
    for (int side = 0; side < 2; side++) {
      equality_end(w, at, l->eq[1], side ^ swap, p2[side], q[side]);
      vec3_sub(axis[side], p2[side], p[side]);
      vec3_normalize(axis[side]);
      vec3_add(p[side], p[side], p2[side]);
      vec3_scale(p[side], p[side], 0.5);
    }
    vec3_cross(e, axis[0], axis[1]);
    mat3_mulT_vec(error + 3, frame, e);
    mat3_mulT_vec(hinge, frame, axis[0]);
  }
  vec3_sub(e, p[1], p[0]);
  mat3_mulT_vec(error, frame, e);
  vec3_copy(point, p[1]);
}

// Two unit directions across an axis: the least aligned unit vector made orthogonal, and the third.
static void across(const double axis[3], double a[3], double b[3]) {
  int least = 0;
  for (int i = 1; i < 3; i++) {
    if (fabs(axis[i]) < fabs(axis[least]) - 1e-6) least = i;
  }
  vec3_zero(a);
  a[least] = 1;
  vec3_add_scaled(a, a, axis, -vec3_dot(a, axis));
  vec3_normalize(a);
  vec3_cross(b, axis, a);
}

// Rows of a loop in the axes of its base: the three of the point first, then turns.
static void locate_loop(snMaximalWhole* w, snLoop* l) {
  snHold* h = &l->hold;
  snPlaces now = {w->origin, w->mat, w->x.quat};
  snPlaces ahead = {w->ahead_origin, w->ahead_mat, w->ahead_quat};
  double hinge[3], point[3], later[3];
  if (h->base >= 0) {
    mat3_copy(h->frame, w->mat + 9 * h->base);
  } else {
    mat3_identity(h->frame);
  }
  loop_error(w, &now, l, h->error, h->point, hinge);
  if (w->x.opt.stepping == snSTEPPING_EULER) loop_error(w, &ahead, l, h->ahead, point, later);
  memset(h->N, 0, sizeof h->N);
  for (int k = 0; k < 6; k++) h->N[7 * k] = 1;
  if (l->kind != snJOINT_REVOLUTE) return;
  across(hinge, h->N + 6 * 3 + 3, h->N + 6 * 4 + 3);
}

static bool loop_active(const snMaximalWhole* w, const snLoop* l) {
  const mjData* d = w->x.data;
  return d->eq_active[l->eq[0]] && (l->eq[1] < 0 || d->eq_active[l->eq[1]]);
}

// y - y0 = sum a_j (x - x0)^j: value and slope of the right hand side
static void quartic(const mjtNum* a, double x, double* value, double* slope) {
  *value = a[0] + x * (a[1] + x * (a[2] + x * (a[3] + x * a[4])));
  *slope = a[1] + x * (2 * a[2] + x * (3 * a[3] + x * 4 * a[4]));
}

static void add_tendon(snMaximalWhole* w, snRows* r, int t, double scale) {
  const mjModel* m = w->x.model;
  const mjData* d = w->x.data;
  bool sparse = mj_isSparse(m);
  int num = sparse ? d->ten_J_rownnz[t] : m->nv, adr = sparse ? d->ten_J_rowadr[t] : m->nv * t;
  for (int k = 0; k < num; k++) {
    int dof = sparse ? d->ten_J_colind[adr + k] : k;
    if (d->ten_J[adr + k] != 0) add_dof(w, r, dof, scale * d->ten_J[adr + k]);
  }
}

// q1 - q1_0 = poly(q2 - q2_0), of joints or of tendon lengths
static void add_coupling(snMaximalWhole* w, snRows* r, int i) {
  const mjModel* m = w->x.model;
  const mjData* d = w->x.data;
  const mjtNum* data = m->eq_data + mjNEQDATA * i;
  bool tendon = m->eq_type[i] == mjEQ_TENDON;
  int obj[2] = {m->eq_obj1id[i], m->eq_obj2id[i]};
  double q[2] = {0, 0}, value = data[0], slope = 0;
  for (int k = 0; k < 2; k++) {
    if (obj[k] < 0) continue;
    int adr = tendon ? 0 : m->jnt_qposadr[obj[k]];
    q[k] =
        tendon ? d->ten_length[obj[k]] - m->tendon_length0[obj[k]] : d->qpos[adr] - m->qpos0[adr];
  }
  if (obj[1] >= 0) quartic(data, q[1], &value, &slope);
  add_group(r, snDUAL_FREE, 1, snROW_COUPLING, i);
  r->error[r->n - 1] = q[0] - value;
  r->bias[r->n - 1] = dual_bias_joint(q[0] - value, w->x.opt.settings.erp_joint, m->opt.timestep);
  for (int k = 0; k < 2; k++) {
    if (obj[k] < 0) continue;
    double scale = k ? -slope : 1;
    if (tendon) {
      add_tendon(w, r, obj[k], scale);
    } else {
      add_dof(w, r, m->jnt_dofadr[obj[k]], scale);
    }
  }
}

// ---- inequalities

static void add_limit(snMaximalWhole* w, snRows* r, double gap, double margin, int id) {
  const snMaximal* x = &w->x;
  add_group(r, snDUAL_HALF, 1, snROW_LIMIT, id);
  r->error[r->n - 1] = gap;
  r->bias[r->n - 1] =
      dual_bias_limit(gap - margin, x->opt.settings.erp_limit, x->model->opt.timestep);
}

// A limit counts when this step may reach it: twice the distance the joint is about to go.
static bool within(double gap, double margin, double speed, double step) {
  return gap - margin < 2 * step * fabs(speed) + 1e-6;
}

static void joint_limits(snMaximalWhole* w, snRows* r) {
  const mjModel* m = w->x.model;
  const mjData* d = w->x.data;
  double step = m->opt.timestep;
  for (int j = 0; j < m->njnt; j++) {
    if (!m->jnt_limited[j]) continue;
    int dof = m->jnt_dofadr[j];
    double margin = m->jnt_margin[j];
    const double *range = m->jnt_range + 2 * j, *q = d->qpos + m->jnt_qposadr[j];
    if (m->jnt_type[j] == mjJNT_BALL) {
      double axis[3], angle;
      mju_quat2Vel(axis, q, 1);
      angle = vec3_normalize(axis);
      double gap = fmax(range[0], range[1]) - angle;
      if (!within(gap, margin, vec3_norm(d->qvel + dof), step)) continue;
      add_limit(w, r, gap, margin, 2 * j);
      for (int k = 0; k < 3; k++) add_dof(w, r, dof + k, -axis[k]);
    } else if (m->jnt_type[j] != mjJNT_FREE) {
      for (int side = 0; side < 2; side++) {
        double gap = side ? range[1] - *q : *q - range[0];
        if (!within(gap, margin, d->qvel[dof], step)) continue;
        add_limit(w, r, gap, margin, 2 * j + side);
        add_dof(w, r, dof, side ? -1 : 1);
      }
    }
  }
}

static void tendon_limits(snMaximalWhole* w, snRows* r) {
  const mjModel* m = w->x.model;
  const mjData* d = w->x.data;
  for (int t = 0; t < m->ntendon; t++) {
    if (!m->tendon_limited[t]) continue;
    for (int side = 0; side < 2; side++) {
      double gap = side ? m->tendon_range[2 * t + 1] - d->ten_length[t]
                        : d->ten_length[t] - m->tendon_range[2 * t];
      if (!within(gap, m->tendon_margin[t], d->ten_velocity[t], m->opt.timestep)) continue;
      add_limit(w, r, gap, m->tendon_margin[t], 2 * (m->njnt + t) + side);
      add_tendon(w, r, t, side ? -1 : 1);
    }
  }
}

static void add_friction(snMaximalWhole* w, snRows* r, double loss, int id) {
  add_group(r, snDUAL_BOX, 1, snROW_FRICTION, id);
  r->group[r->ngroup - 1].set.bound = w->x.model->opt.timestep * loss;
  r->bias[r->n - 1] = 0;
}

static void dry_friction(snMaximalWhole* w, snRows* r) {
  const mjModel* m = w->x.model;
  for (int i = 0; i < m->nv; i++) {
    if (!(m->dof_frictionloss[i] > 0)) continue;
    add_friction(w, r, m->dof_frictionloss[i], i);
    add_dof(w, r, i, 1);
  }
  for (int t = 0; t < m->ntendon; t++) {
    if (!(m->tendon_frictionloss[t] > 0)) continue;
    add_friction(w, r, m->tendon_frictionloss[t], m->nv + t);
    add_tendon(w, r, t, 1);
  }
}

static double restitution(const mjModel* m, const mjData* d, const mjContact* c) {
  return fmax(sn_getRestitution(m, d, c->geom[0]), sn_getRestitution(m, d, c->geom[1]));
}

// Normal, two tangents, spin about the normal, roll about the tangents. Directions of friction are
// scaled by mu_j / mu, mu the largest, so that the cone is circular whatever they are.
static void contact_rows(const snMaximalWhole* w, snRows* r, const mjContact* c, int base,
                         int follower, int nrow) {
  static const double kNone[3] = {0, 0, 0};
  snDualBlock* set = &r->group[r->ngroup - 1].set;
  for (int k = 1; k < nrow; k++) set->mu = fmax(set->mu, c->friction[k - 1]);
  for (int k = 0; k < nrow; k++) {
    double scale = !k ? 1 : set->mu > 0 ? c->friction[k - 1] / set->mu : 0;
    const double* axis = c->frame + 3 * (k % 3);
    add_direction(w, r, k, base, follower, c->pos, k < 3 ? axis : kNone, k < 3 ? NULL : axis,
                  scale);
    r->bias[set->row + k] = 0;
  }
}

// Coulomb's cone, normal first. A contact that bounces waits until it is closed: closing the gap
// first would take the velocity that restitution returns. A rebound also takes bodies apart, so of
// it and the correction of depth the faster counts, not their sum.
static void contacts(snMaximalWhole* w, snRows* r) {
  const snMaximal* x = &w->x;
  const mjModel* m = x->model;
  const mjData* d = x->data;
  const snSolverSettings* set = &x->opt.settings;
  int ordinal = 0;
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* c = d->contact + i;
    if (c->exclude || c->geom[0] < 0 || c->geom[1] < 0) continue;
    int base = w->own[m->geom_bodyid[c->geom[0]]], follower = w->own[m->geom_bodyid[c->geom[1]]];
    if (base == follower) continue;
    double bounce = restitution(m, d, c), gap = c->dist - c->includemargin;
    if (bounce > 0 && gap > 0) continue;
    const mjContact* before = i ? c - 1 : NULL;
    ordinal =
        before && before->geom[0] == c->geom[0] && before->geom[1] == c->geom[1] ? ordinal + 1 : 0;
    add_group(r, c->dim == 1 ? snDUAL_HALF : snDUAL_CONE, c->dim, snROW_CONTACT,
              (uint64_t)c->geom[0] << 32 | (uint64_t)c->geom[1] << 12 | (ordinal & 4095));
    contact_rows(w, r, c, base, follower, c->dim);
    int row = r->n - c->dim;
    r->error[row] = gap;
    double v[3], u[3];
    maximal_point_velocity(w, follower, c->pos, v);
    maximal_point_velocity(w, base, c->pos, u);
    vec3_sub(v, v, u);
    r->bias[row] = fmin(dual_bias_contact(gap, set->slop, set->erp_contact, m->opt.timestep),
                        bounce > 0 ? bounce * vec3_dot(v, c->frame) : INFINITY);
  }
}

// ---- all of them

// Soft rows: the bias is the velocity before, so that they resist its change. Armature resists all
// of it, also what comes from the turning of axes: h Jdot u, the velocity ahead less that of now.
static void soft_rows(snMaximalWhole* w, snRows* r) {
  const mjModel* m = w->x.model;
  const mjData* d = w->x.data;
  bool damped = !(m->opt.disableflags & mjDSBL_PASSIVE);
  for (int i = 0; i < m->nv; i++) {
    double armature = m->dof_armature[i];
    double weight = armature + (damped ? m->opt.timestep * m->dof_damping[i] : 0);
    if (weight <= 0) continue;
    r->weight[r->n] = weight;
    r->bias[r->n] = (w->qvel_ahead[i] - d->qvel[i]) * armature / weight - d->qvel[i];
    add_group(r, snDUAL_FREE, 1, snROW_SOFT, i);
    add_dof(w, r, i, 1);
  }
  r->nsoft = r->n;
  r->nsoftgroup = r->ngroup;
  SN_ASSERT(r->nsoft == r->nsoftgroup && r->nsoft <= m->nv);  // weight has one number for each
}

// JM = J inv(M)
SN_INLINE void blocks_times_inverse(const snMaximalWhole* w, snRows* r) {
  for (int b = 0; b < r->nblk; b++) {
    const snBlk* blk = r->blk + b;
    const double* minv = w->minv + 10 * blk->body;
    int nrow = r->group[blk->group].set.nrow;
    for (int k = 0; k < nrow; k++) {
      const double* J = blk->J + 6 * k;
      double* JM = blk->JM + 6 * k;
      vec3_scale(JM, J, minv[0]);
      mat3_mul_vec(JM + 3, minv + 1, J + 3);
    }
  }
}

bool maximal_rows(snMaximalWhole* w, snRows* r) {
  const mjModel* m = w->x.model;
  int off = m->opt.disableflags;
  w->x.joint_error = w->x.angle_error = 0;
  if (!rows_alloc(w, r)) return false;
  soft_rows(w, r);
  for (int i = 0; i < w->nlink; i++) {
    add_hold(w, r, &w->link[i].hold, w->link[i].nrow, snROW_LINK, i);
  }
  if (!(off & (mjDSBL_EQUALITY | mjDSBL_CONSTRAINT))) {
    for (int i = 0; i < w->nloop; i++) {
      if (!loop_active(w, w->loop + i)) continue;
      locate_loop(w, w->loop + i);
      add_hold(w, r, &w->loop[i].hold, w->loop[i].nrow, snROW_LOOP, i);
    }
    for (int i = 0; i < w->ncoupling; i++) {
      if (w->x.data->eq_active[w->coupling[i]]) add_coupling(w, r, w->coupling[i]);
    }
  }
  if (!(off & (mjDSBL_FRICTIONLOSS | mjDSBL_CONSTRAINT))) dry_friction(w, r);
  if (!(off & (mjDSBL_LIMIT | mjDSBL_CONSTRAINT))) {
    joint_limits(w, r);
    tendon_limits(w, r);
  }
  if (!(off & (mjDSBL_CONTACT | mjDSBL_CONSTRAINT))) contacts(w, r);
  blocks_times_inverse(w, r);
  return true;
}

void maximal_rows_velocity(const snRows* r, const double* vel, double* v) {
  for (int i = 0; i < r->n; i++) v[i] = 0;
  for (int b = 0; b < r->nblk; b++) {
    const snBlk* blk = r->blk + b;
    const snDualBlock* set = &r->group[blk->group].set;
    for (int k = 0; k < set->nrow; k++) {
      v[set->row + k] += vec6_dot(blk->J + 6 * k, vel + 6 * blk->body);
    }
  }
}

void maximal_rows_apply(const snRows* r, const double* impulse, double* vel) {
  for (int b = 0; b < r->nblk; b++) {
    const snBlk* blk = r->blk + b;
    const snDualBlock* set = &r->group[blk->group].set;
    double* u = vel + 6 * blk->body;
    for (int k = 0; k < set->nrow; k++) {
      vec6_add_scaled(u, u, blk->JM + 6 * k, impulse[set->row + k]);
    }
  }
}
