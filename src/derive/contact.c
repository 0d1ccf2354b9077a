// Contacts: force, Jacobian and weight move with the bodies, and so do point, normal and tangents.
//
// In the frame of a contact, y = J a + b J v + k i(r) r and f = E'f(E y), where E are the edges of
// a pyramid, or one. With H = E'WE, dist the residual and g = E'W k (i' r + i) - f i'/(i (1 - i)),
//
//   df = -H (d(J a) + b d(J v)) - g d dist
//
// The wrench F on the second body, and its opposite on the first, changes with df and with the
// frame. Everything is written at one point for all contacts of two bodies, so that a column of a
// dof is the twist s_j at that point. Dofs that move both bodies carry all of it, but for tangents
// that follow the world's axes; rows of such dofs get nothing, since the two wrenches are opposite.
#include "collide/collide.h"
#include "derive/private.h"

// The contacts of two bodies.
typedef struct snTouching_ {
  int body[2];
  double at[3];  // the point
  int n;         // dofs
  int* dof;
  unsigned char* side;
  double* s;        // twists of dofs (n x 6)
  double *da, *dv;  // change of relative acceleration and velocity (n x 6)
  double ua[6], uv[6];
  double wrench[6];     // on the second body
  double* dw;           // its change, per dof (n x 6)
  double *by_a, *by_v;  // wrenches by acceleration and by velocity (n x 6)
  double* normal;       // normal force of a contact by q, v, a (n x 3), NULL when not asked for
  const bool* held;     // dofs that take no force of actuators, NULL without (nv)
  bool bare;            // for those, without adhesion; else for the others
} snTouching;

// One contact in its own frame.
typedef struct snMeeting_ {
  const mjContact* con;
  const snContactMotion* motion;
  int dim;
  double H[36], f[6], g[6], b[2];  // b of the normal and of friction
  double W[6][6];                  // wrenches of the directions at the point of all
  double r[3];                     // from there to the contact
  double force[3], torque[3];
  bool spins;  // does a turn of the tangents about the normal change anything
} snMeeting;

SN_INLINE void motion_at(const snTangent* t, int body, const double* motion, const double* at,
                         double sign, double* r) {
  double arm[3], lin[3];
  vec3_sub(arm, at, t->d->subtree_com + 3 * t->m->body_rootid[body]);
  jac_column(lin, motion, arm);
  vec3_add_scaled(r, r, motion, sign);
  vec3_add_scaled(r + 3, r + 3, lin, sign);
}

SN_KERNEL static void touching_make(const snTangent* t, snTouching* c) {
  const mjData* d = t->d;
  c->n = chain_sides(t->m, c->body[0], c->body[1], c->dof, c->side);
  vec6_zero(c->ua);
  vec6_zero(c->uv);
  vec6_zero(c->wrench);
  for (int e = 0; e < 2; e++) {
    int b = c->body[e];
    motion_at(t, b, t->free_acc + 6 * b, c->at, e ? 1 : -1, c->ua);
    motion_at(t, b, t->motion.vel + 6 * b, c->at, e ? 1 : -1, c->uv);
  }
  size_t bytes = 6 * (size_t)c->n * sizeof(double);
  memset(c->s, 0, bytes);
  memset(c->da, 0, bytes);
  memset(c->dv, 0, bytes);
  memset(c->dw, 0, bytes);
  memset(c->by_a, 0, bytes);
  memset(c->by_v, 0, bytes);
  for (int k = 0; k < c->n; k++) {
    int j = c->dof[k];
    const double* S = d->cdof + 6 * j;
    SN_ASSERT(!k || c->dof[k - 1] < j);  // an outer dof comes before what it carries
    motion_at(t, t->m->dof_bodyid[j], S, c->at, 1, c->s + 6 * k);
    for (int e = 0; e < 2; e++) {
      if (!(c->side[k] & (1 << e))) continue;
      int b = c->body[e];
      double change[6];
      spatial_cross_motion(change, S, t->free_acc + 6 * b);
      vec6_add(change, change, t->free_turn + 6 * j);
      motion_at(t, b, change, c->at, e ? 1 : -1, c->da + 6 * k);
      spatial_cross_motion(change, S, t->motion.vel + 6 * b);
      vec6_add(change, change, t->motion.turn + 6 * j);
      motion_at(t, b, change, c->at, e ? 1 : -1, c->dv + 6 * k);
    }
  }
}

// ---- one contact

// H, f, g of the rows from `row` on.
SN_INLINE void meeting_weights(const snTangent* t, snMeeting* c, int row) {
  const mjData* d = t->d;
  const mjContact* con = c->con;
  int dim = con->dim, type = d->efc_type[row];
  const double *kbip = d->efc_KBIP + 4 * row, *f = t->force + row, *D = d->efc_D + row;
  const int* state = t->state + row;
  double r = d->efc_pos[row] - d->efc_margin[row], imp = kbip[2], slope = kbip[3];
  double kappa = kbip[0] * (slope * r + imp), share = slope / (imp * (1 - imp));
  c->b[0] = c->b[1] = kbip[1];
  if (type == mjCNSTR_CONTACT_PYRAMIDAL) {
    for (int k = 1; k < dim; k++) {
      double mu = con->friction[k - 1];
      for (int e = 0; e < 2; e++) {
        int i = 2 * (k - 1) + e;
        double edge = e ? -mu : mu, W = state[i] == mjCNSTRSTATE_QUADRATIC ? D[i] : 0;
        c->f[0] += f[i];
        c->f[k] += edge * f[i];
        c->H[0] += W;
        c->H[k] += W * edge;
        c->H[dim * k] += W * edge;
        c->H[dim * k + k] += W * edge * edge;
        c->g[0] += W * kappa;
        c->g[k] += W * edge * kappa;
      }
    }
  } else {
    if (state[0] == mjCNSTRSTATE_CONE) {
      memcpy(c->H, con->H, sizeof(double) * (size_t)dim * dim);
    } else if (state[0] == mjCNSTRSTATE_QUADRATIC) {
      for (int k = 0; k < dim; k++) c->H[dim * k + k] = D[k];
    }
    if (dim > 1) c->b[1] = kbip[4 + 1];
    for (int k = 0; k < dim; k++) {
      c->f[k] = f[k];
      c->g[k] = c->H[dim * k] * kappa;
    }
  }
  for (int k = 0; k < dim; k++) c->g[k] -= c->f[k] * share;
  c->spins =
      dim > 1 && (type == mjCNSTR_CONTACT_PYRAMIDAL || con->friction[0] != con->friction[1] ||
                  (dim > 4 && con->friction[3] != con->friction[4]));
}

SN_INLINE void meeting_wrenches(const snTouching* all, snMeeting* c) {
  const mjContact* con = c->con;
  vec3_sub(c->r, con->pos, all->at);
  vec3_zero(c->force);
  vec3_zero(c->torque);
  for (int k = 0; k < c->dim; k++) {
    const double* axis = con->frame + 3 * (k % 3);
    if (k < 3) {
      vec3_cross(c->W[k], c->r, axis);
      vec3_copy(c->W[k] + 3, axis);
      vec3_add_scaled(c->force, c->force, axis, c->f[k]);
    } else {
      vec3_copy(c->W[k], axis);
      vec3_zero(c->W[k] + 3);
      vec3_add_scaled(c->torque, c->torque, axis, c->f[k]);
    }
  }
}

// How the contact moves with dof k: point, turn of the frame, distance.
typedef struct snShift_ {
  double pos[3], turn[3], dist;
} snShift;

SN_INLINE void mat36_mul(double r[3], const double* A, const double* u) {
  for (int i = 0; i < 3; i++) r[i] = vec6_dot(A + 6 * i, u);
}

// The first tangent follows an axis Y, made orthogonal: with L its length then,
// the spin about the normal is (dY - (Y.n) dn).t2 / L.
SN_INLINE double frame_spin(const snMeeting* c, const double* w, bool second, const double* dn) {
  const double *n = c->con->frame, *t2 = c->con->frame + 6;
  double Y[3] = {0, 0, 0}, across[3], dY[3] = {0};
  if (c->motion->rides) {
    vec3_copy(Y, c->motion->hint);
    if (second) vec3_cross(dY, w, Y);
  } else {
    Y[fabs(n[1]) < 0.5 ? 1 : 2] = 1;
  }
  double along = vec3_dot(Y, n);
  vec3_add_scaled(across, Y, n, -along);
  double length = vec3_norm(across);
  // an axis along the normal, as that of a capsule that stands on a plane, leaves the tangents to
  // the world
  if (length < mjMINVAL) return 0;
  return (vec3_dot(dY, t2) - along * vec3_dot(dn, t2)) / length;
}

SN_INLINE void shift_make(const snTouching* all, const snMeeting* c, int k, snShift* r) {
  const double *s = all->s + 6 * k, *n = c->con->frame;
  double u[6], dn[3], turned[3], own[3];
  int side = all->side[k];
  vec3_copy(u, s);
  jac_column(u + 3, s, c->r);
  vec3_cross(turned, s, n);
  mat36_mul(own, c->motion->normal, u);
  mat36_mul(r->pos, c->motion->pos, u);
  r->dist = vec6_dot(c->motion->dist, u);
  if (side == 1) {
    vec3_sub(dn, turned, own);
    vec3_sub(r->pos, u + 3, r->pos);
    r->dist = -r->dist;
  } else if (side == 2) {
    vec3_copy(dn, own);
  } else {
    vec3_copy(dn, turned);
    vec3_copy(r->pos, u + 3);
    r->dist = 0;
  }
  vec3_cross(r->turn, n, dn);
  vec3_add_scaled(r->turn, r->turn, n, frame_spin(c, s, side & 2, dn));
}

// dy of all directions with one damping b
SN_INLINE void residual_change(const snTouching* all, const snMeeting* c, int k,
                               const snShift* shift, double b, double* dy) {
  double X[6], dX[6], v[3], dv[3], moved[3];
  vec6_add_scaled(X, all->ua, all->uv, b);
  vec6_add_scaled(dX, all->da + 6 * k, all->dv + 6 * k, b);
  jac_column(v, X, c->r);
  jac_column(dv, dX, c->r);
  vec3_cross(moved, X, shift->pos);
  vec3_add(dv, dv, moved);
  for (int i = 0; i < c->dim; i++) {
    const double* axis = c->con->frame + 3 * (i % 3);
    double turned[3];
    vec3_cross(turned, shift->turn, axis);
    dy[i] =
        i < 3 ? vec3_dot(turned, v) + vec3_dot(axis, dv) : vec3_dot(turned, X) + vec3_dot(axis, dX);
  }
}

// What dof k does to the wrench.
SN_INLINE void meeting_column(const snTouching* all, const snMeeting* c, int k) {
  int dim = c->dim, side = all->side[k];
  if (side == 3 && !c->spins) {
    // carried as a whole
    const double *s = all->s + 6 * k, *F = c->force, *T = c->torque;
    double W[6], a[3], *dw = all->dw + 6 * k;
    vec3_cross(W, c->r, F);
    vec3_add(W, W, T);
    vec3_cross(a, s, W);
    vec3_add(dw, dw, a);
    vec3_cross(a, s + 3, F);
    vec3_add(dw, dw, a);
    vec3_cross(a, s, F);
    vec3_add(dw + 3, dw + 3, a);
    return;
  }
  snShift shift;
  double dy[6], slow[6];
  shift_make(all, c, k, &shift);
  residual_change(all, c, k, &shift, c->b[0], dy);
  if (c->b[1] != c->b[0]) {
    residual_change(all, c, k, &shift, c->b[1], slow);
    for (int i = 1; i < dim; i++) dy[i] = slow[i];
  }
  double *dw = all->dw + 6 * k, moved[3], part[3];
  for (int i = 0; i < dim; i++) {
    double df = -c->g[i] * shift.dist;
    for (int l = 0; l < dim; l++) df -= c->H[dim * i + l] * dy[l];
    vec6_add_scaled(dw, dw, c->W[i], df);
    if (!i && all->normal) all->normal[3 * k] = df;
  }
  vec3_cross(part, shift.pos, c->force);
  vec3_add(dw, dw, part);
  vec3_cross(moved, shift.turn, c->force);
  vec3_cross(part, c->r, moved);
  vec3_add(dw, dw, part);
  vec3_cross(part, shift.turn, c->torque);
  vec3_add(dw, dw, part);
  vec3_add(dw + 3, dw + 3, moved);
  if (side == 3) return;
  double J[6], sign = side == 2 ? 1 : -1;
  for (int i = 0; i < dim; i++) J[i] = sign * vec6_dot(c->W[i], all->s + 6 * k);
  for (int i = 0; i < dim; i++) {
    double a = 0, v = 0;
    for (int l = 0; l < dim; l++) {
      double x = c->H[dim * i + l] * J[l];
      a += x;
      v += x * c->b[l > 0];
    }
    vec6_add_scaled(all->by_a + 6 * k, all->by_a + 6 * k, c->W[i], a);
    vec6_add_scaled(all->by_v + 6 * k, all->by_v + 6 * k, c->W[i], v);
    if (!i && all->normal) all->normal[3 * k + 1] = -v, all->normal[3 * k + 2] = -a;
  }
}

// ---- to tau and H

SN_KERNEL static void touching_put(snTangent* t, const snTouching* c) {
  for (int k = 0; k < c->n; k++) {
    int j = c->dof[k], side = c->side[k], q = t->parts.q[j], v = t->parts.v[j];
    const double *s = c->s + 6 * k, *W = c->wrench;
    double ride[6], part[3], fixed[6], carried[6];
    vec3_cross(ride, s, W);
    vec3_cross(part, s + 3, W + 3);
    vec3_add(ride, ride, part);
    vec3_cross(ride + 3, s, W + 3);
    vec6_copy(fixed, c->dw + 6 * k);
    vec6_add_scaled(carried, fixed, ride, -1);
    const double *by_a = c->by_a + 6 * k, *by_v = c->by_v + 6 * k;
    for (int l = 0; l < c->n; l++) {
      int i = c->dof[l], of = c->side[l];
      if (of == 3 || (c->held && c->held[i] != c->bare)) continue;
      const double* si = c->s + 6 * l;
      double sign = of == 2 ? 1 : -1;
      bool rides = (side & of) && i >= t->group[j];
      SN_ASSERT(t->parts.of[i] == t->parts.of[j]);
      double* row = tau_row(t, i);
      row[q] -= sign * vec6_dot(si, rides ? carried : fixed);
      if (side == 3) continue;
      row[v] += sign * vec6_dot(si, by_v);
      hessian_row(t, i)[q] += sign * vec6_dot(si, by_a);
    }
  }
}

// Force of adhesion on each contact of a body: actuators pull along the mean of the normals.
static double adhesion(const snTangent* t, const mjContact* con) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  double sum = 0;
  if (!t->actuated || (m->opt.disableflags & mjDSBL_ACTUATION) || con->exclude > 1) return 0;
  for (int a = 0; a < m->nu; a++) {
    if (m->actuator_trntype[a] != mjTRN_BODY) continue;
    int body = m->actuator_trnid[2 * a], count = 0;
    bool mine = m->geom_bodyid[con->geom[0]] == body || m->geom_bodyid[con->geom[1]] == body;
    for (int c = 0; mine && c < d->ncon; c++) {
      const mjContact* other = d->contact + c;
      count += other->exclude <= 1 &&
               (m->geom_bodyid[other->geom[0]] == body || m->geom_bodyid[other->geom[1]] == body);
    }
    if (mine) sum -= d->actuator_force[a] / count;
  }
  return sum;
}

SN_KERNEL static void meeting_add(snTangent* t, snTouching* all, const mjContact* con,
                                  const snContactMotion* motion, double pull) {
  snMeeting c = {.con = con, .motion = motion, .dim = con->dim};
  if (con->efc_address >= 0) {
    meeting_weights(t, &c, con->efc_address);
  } else {
    c.dim = 1;
  }
  c.f[0] += pull;
  meeting_wrenches(all, &c);
  double moment[3];
  vec3_cross(moment, c.r, c.force);
  vec3_add(all->wrench, all->wrench, moment);
  vec3_add(all->wrench, all->wrench, c.torque);
  vec3_add(all->wrench + 3, all->wrench + 3, c.force);
  for (int k = 0; k < all->n; k++) meeting_column(all, &c, k);
}

// A contact that pushes nothing and would not, a hair away, costs nothing.
static bool meeting_idle(const snTangent* t, const mjContact* con, double pull) {
  if (pull != 0) return false;
  int row = con->efc_address, n = con->dim;
  if (row < 0) return true;
  if (t->d->efc_type[row] == mjCNSTR_CONTACT_PYRAMIDAL) n = 2 * (n - 1);
  for (int i = row; i < row + n; i++) {
    if (t->state[i] != mjCNSTRSTATE_SATISFIED) return false;
  }
  return true;
}

static void pair_add(snTangent* t, snTouching* all, int first, int n, snContactMotion* motion) {
  const mjContact* con = t->d->contact + first;
  double pull = t->m->nu && !all->bare ? adhesion(t, con) : 0;
  bool idle = true;
  for (int i = 0; i < n; i++) idle = idle && meeting_idle(t, con + i, pull);
  if (idle) {
    if (all->normal) all->normal += 3 * (size_t)all->n * (size_t)n;
    return;
  }
  int how = collide_motion(t->m, t->d, con, n, motion);
  if (how == COLLIDE_SWITCH) {
    report_differenced(t->report,
                       "contacts that vanish or jump as their pair moves, taken as riding along");
    report_switch(t->report, 0, snSWITCH_CONTACT, (int)(con - t->d->contact));
  }
  if (how == COLLIDE_DIFFERENCED) {
    char name[64];
    snprintf(name, sizeof name, "contacts of geom types %d and %d", t->m->geom_type[con->geom[0]],
             t->m->geom_type[con->geom[1]]);
    report_differenced(t->report, name);
  }
  for (int i = 0; i < n; i++) {
    double own = con[i].exclude <= 1 ? pull : 0;
    if (!meeting_idle(t, con + i, own)) meeting_add(t, all, con + i, motion + i, own);
    if (all->normal) all->normal += 3 * (size_t)all->n;
  }
}

// Pairs of bodies one by one: to tau and H, or to `push`.
static bool contacts_walk(snTangent* t, const bool* held, bool bare, snPush push, void* context) {
  const mjModel* m = t->m;
  mjData* d = t->d;
  size_t nv = (size_t)t->nv;
  if (!d->ncon) return true;
  snTouching c = {.held = held, .bare = bare};
  snContactMotion* motion;
  double* normals = NULL;
  mj_markStack(d);
  bool there = FRAME(memory_of(d), SN_ARRAY(c.dof, nv), SN_ARRAY(c.side, nv), SN_ARRAY(c.s, 6 * nv),
                     SN_ARRAY(c.da, 6 * nv), SN_ARRAY(c.dv, 6 * nv), SN_ARRAY(c.dw, 6 * nv),
                     SN_ARRAY(c.by_a, 6 * nv), SN_ARRAY(c.by_v, 6 * nv), SN_ARRAY(motion, d->ncon));
  size_t most = 3 * nv * (size_t)d->ncon;
  if (there && push) there = FRAME(memory_of(d), SN_ARRAY(normals, most));
  for (int i = 0, end; there && i < d->ncon; i = end) {
    const int* geom = d->contact[i].geom;
    c.body[0] = m->geom_bodyid[geom[0]];
    c.body[1] = m->geom_bodyid[geom[1]];
    vec3_copy(c.at, d->contact[i].pos);
    touching_make(t, &c);
    if (push) {
      c.normal = normals;
      memset(normals, 0, most * sizeof(double));
    }
    for (end = i; end < d->ncon;) {
      const int* other = d->contact[end].geom;
      if (m->geom_bodyid[other[0]] != c.body[0] || m->geom_bodyid[other[1]] != c.body[1]) break;
      int n = 1;
      while (end + n < d->ncon && d->contact[end + n].geom[0] == other[0] &&
             d->contact[end + n].geom[1] == other[1]) {
        n++;
      }
      SN_ASSERT(end + n <= d->ncon);
      pair_add(t, &c, end, n, motion);
      end += n;
    }
    if (push) {
      snPushed p = {c.body, c.at, c.n, i, end - i, c.dof, c.dw, c.by_v, c.by_a, normals};
      push(t, &p, context);
    } else {
      touching_put(t, &c);
    }
  }
  mj_freeStack(d);
  return there;
}

// Dofs whose joint is at the limit of its actuators' force, where bodies adhere.
static bool adhesion_held(const snTangent* t, bool* held) {
  const mjModel* m = t->m;
  bool adheres = false, any = false;
  for (int a = 0; a < m->nu; a++) adheres = adheres || m->actuator_trntype[a] == mjTRN_BODY;
  if (!adheres || !t->actuated || (m->opt.disableflags & mjDSBL_ACTUATION)) return false;
  memset(held, 0, (size_t)t->nv * sizeof *held);
  for (int j = 0; j < m->njnt; j++) {
    if (!joint_clamped(t, j)) continue;
    any = held[m->jnt_dofadr[j]] = true;
  }
  return any;
}

bool contacts_add(snTangent* t) {
  bool* held;
  mj_markStack(t->d);
  bool there = FRAME(memory_of(t->d), SN_ARRAY(held, t->nv));
  if (there && adhesion_held(t, held)) {
    there = contacts_walk(t, held, false, NULL, NULL) && contacts_walk(t, held, true, NULL, NULL);
  } else if (there) {
    there = contacts_walk(t, NULL, false, NULL, NULL);
  }
  mj_freeStack(t->d);
  return there;
}

// Sensors of forces read contact forces: adhesion is an actuator's.
bool contacts_each(snTangent* t, snPush push, void* context) {
  return contacts_walk(t, NULL, true, push, context);
}
