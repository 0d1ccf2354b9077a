// Sensors of forces between bodies: touch, and the wrench between a body and its parent.
//
// The wrench that a body receives from its parent is the force of its subtree, as smooth.c moves
// it, less what acts on that subtree from outside: applied wrenches, which keep their direction,
// and contacts with bodies outside it, as contact.c moves them. A touch sensor adds up the normal
// forces of contacts in its zone.
#include "derive/private.h"

typedef struct snForces_ {
  snTangent* t;
  const bool* mark;
  double* rows;
  double*
      wrench;  // of sensors of wrenches by columns, about the com of the tree (nwrench x 6 x ncol)
  int* slot;   // of sensors in it, -1 without
} snForces;

static bool is_wrench(const mjModel* m, int i) {
  return m->sensor_type[i] == mjSENS_FORCE || m->sensor_type[i] == mjSENS_TORQUE;
}

static double* wrench_of(const snForces* f, int i) {
  SN_ASSERT(f->slot[i] >= 0);
  return f->wrench + 6 * (size_t)f->slot[i] * f->t->ncol;
}

static void wrench_put(const snTangent* t, double* to, int column, const double* w, double sign) {
  for (int k = 0; k < 6; k++) to[(size_t)k * t->ncol + column] += sign * w[k];
}

// += w dqacc_j of all columns
static void wrench_by_acc(const snTangent* t, double* to, int j, const double* w, double sign) {
  for (int k = 0; k < 6; k++) {
    vec_add_scaled(to + (size_t)k * t->ncol, t->tau + (size_t)j * t->stride, sign * w[k], t->ncol);
  }
}

// ---- inertia and applied wrenches

static void inertial_wrench(const snTangent* t, const snSubtreeSums* sums, int top, double* to) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  for (int j = 0; j < t->nv; j++) {
    int part = subtree_part(m, top, j);
    if (part < 0) continue;
    snSubtreeChange change;
    subtree_change(t, sums, part, j, &change);
    wrench_put(t, to, j, change.force_q, 1);
    wrench_put(t, to, t->nv + j, change.force_v, 1);
    wrench_by_acc(t, to, j, change.momentum_v, 1);  // I S_j
  }
  for (int b = top; b < m->nbody; b++) {
    double* applied = d->xfrc_applied + 6 * b;
    if (mju_isZero(applied, 6) || !body_inside(m, top, b)) continue;
    double r[3], dp[3], w[6] = {0};
    vec3_sub(r, d->xipos + 3 * b, d->subtree_com + 3 * m->body_rootid[b]);
    const int* chain = t->plan->chain + t->plan->chain_adr[b];
    for (int k = 0; k < t->plan->chain_num[b]; k++) {
      jac_column(dp, d->cdof + 6 * chain[k], r);
      vec3_cross(w, dp, applied);
      wrench_put(t, to, chain[k], w, -1);
    }
  }
}

// ---- contacts

// Does a contact count for a touch sensor? As sense_touch decides.
static bool touches(const mjModel* m, const mjData* d, int site, int i) {
  const mjContact* con = d->contact + i;
  int body = m->site_bodyid[site], side[2];
  for (int k = 0; k < 2; k++) side[k] = con->geom[k] >= 0 ? m->geom_bodyid[con->geom[k]] : -1;
  if (con->efc_address < 0 || (side[0] != body && side[1] != body)) return false;
  double force[6], ray[3];
  mj_contactForce(m, d, i, force);
  if (force[0] <= 0) return false;
  vec3_scale(ray, con->frame, side[1] == body ? -1 : 1);
  return mju_rayGeom(d->site_xpos + 3 * site, d->site_xmat + 9 * site, m->site_size + 3 * site,
                     con->pos, ray, m->site_type[site]) >= 0;
}

static void touch_push(const snForces* f, int i, const snPushed* p) {
  const snTangent* t = f->t;
  double* row = f->rows + (size_t)t->m->sensor_adr[i] * t->ncol;
  for (int c = 0; c < p->contacts; c++) {
    if (!touches(t->m, t->d, t->m->sensor_objid[i], p->first + c)) continue;
    for (int k = 0; k < p->n; k++) {
      const double* normal = p->normal + 3 * ((size_t)c * p->n + k);
      int j = p->dof[k];
      row[j] += normal[0];
      row[t->nv + j] += normal[1];
      vec_add_scaled(row, t->tau + (size_t)j * t->stride, normal[2], t->ncol);
    }
  }
}

static void wrench_push(const snForces* f, int i, const snPushed* p) {
  const snTangent* t = f->t;
  const mjModel* m = t->m;
  int top = m->site_bodyid[m->sensor_objid[i]];
  bool first = body_inside(m, top, p->body[0]), second = body_inside(m, top, p->body[1]);
  if (first == second) return;
  double sign = second ? -1 : 1, arm[3], *to = wrench_of(f, i);  // less what acts from outside
  vec3_sub(arm, p->at, t->d->subtree_com + 3 * m->body_rootid[top]);
  for (int k = 0; k < p->n; k++) {
    const double* by[3] = {p->by_q + 6 * k, p->by_v + 6 * k, p->by_a + 6 * k};
    int j = p->dof[k];
    for (int what = 0; what < 3; what++) {
      double w[6], moment[3];
      vec6_copy(w, by[what]);
      vec3_cross(moment, arm, w + 3);
      vec3_add(w, w, moment);
      if (what < 2)
        wrench_put(t, to, what * t->nv + j, w, what ? -sign : sign);
      else
        wrench_by_acc(t, to, j, w, -sign);
    }
  }
}

static void push(const snTangent* t, const snPushed* p, void* context) {
  const snForces* f = context;
  for (int i = 0; i < t->m->nsensor; i++) {
    if (!f->mark[i]) continue;
    if (is_wrench(t->m, i))
      wrench_push(f, i, p);
    else
      touch_push(f, i, p);
  }
}

// ---- readings in the frame of the site

static void wrench_read(const snForces* f, int i) {
  const snTangent* t = f->t;
  const mjModel* m = t->m;
  const mjData* d = t->d;
  int site = m->sensor_objid[i], body = m->site_bodyid[site];
  bool force = m->sensor_type[i] == mjSENS_FORCE;
  const double *W = d->cfrc_int + 6 * body, *mat = d->site_xmat + 9 * site, *to = wrench_of(f, i);
  double arm[3], moment[3], x[3], *rows = f->rows + (size_t)m->sensor_adr[i] * t->ncol;
  vec3_sub(arm, d->site_xpos + 3 * site, d->subtree_com + 3 * m->body_rootid[body]);
  vec3_cross(moment, arm, W + 3);
  vec3_sub(moment, W, moment);
  vec3_copy(x, force ? W + 3 : moment);
  for (int c = 0; c < t->ncol; c++) {
    double dw[6], dx[3], part[3];
    for (int k = 0; k < 6; k++) dw[k] = to[(size_t)k * t->ncol + c];
    vec3_cross(part, arm, dw + 3);
    vec3_sub(dx, dw, part);
    if (force) vec3_copy(dx, dw + 3);
    mat3_mulT_vec(dx, mat, dx);
    for (int k = 0; k < 3; k++) rows[(size_t)k * t->ncol + c] += dx[k];
  }
  const int* chain = t->plan->chain + t->plan->chain_adr[body];
  for (int k = 0; k < t->plan->chain_num[body]; k++) {
    const double* S = d->cdof + 6 * chain[k];
    double part[3], dp[3], dx[3];
    vec3_cross(dx, S, x);
    vec3_scale(dx, dx, -1);
    if (!force) {
      jac_column(dp, S, arm);
      vec3_cross(part, dp, W + 3);
      vec3_sub(dx, dx, part);
    }
    mat3_mulT_vec(dx, mat, dx);
    for (int l = 0; l < 3; l++) rows[(size_t)l * t->ncol + chain[k]] += dx[l];
  }
}

// Forces on bodies that are not taken apart here.
static bool others(const snTangent* t) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  for (int row = 0; row < d->ne; row++) {
    int type = m->eq_type[d->efc_id[row]];
    if (type == mjEQ_CONNECT || type == mjEQ_WELD) return true;
  }
  return false;
}

bool sense_forces(snTangent* t, bool* mark, double* rows) {
  const mjModel* m = t->m;
  size_t n = 0, ncol = (size_t)t->ncol, ns = (size_t)m->nsensor;
  bool any = false, pulled = others(t);
  snForces f = {.t = t, .mark = mark, .rows = rows};
  mj_markStack(t->d);
  bool there = FRAME(memory_of(t->d), SN_ARRAY(f.slot, ns));
  for (int i = 0; there && i < m->nsensor; i++) {
    int type = m->sensor_type[i];
    mark[i] = mark[i] && (type == mjSENS_TOUCH || (is_wrench(m, i) && !pulled));
    f.slot[i] = mark[i] && is_wrench(m, i) ? (int)n++ : -1;
    any = any || mark[i];
  }
  const snSubtreeSums* sums = NULL;
  if (there && n) {
    there = FRAME(memory_of(t->d), SN_ARRAY(f.wrench, 6 * n * ncol)) &&
            (sums = subtrees_make(t)) != NULL;
    if (there) memset(f.wrench, 0, 6 * n * ncol * sizeof(double));
  }
  for (int i = 0; there && i < m->nsensor; i++) {
    if (f.slot[i] < 0) continue;
    inertial_wrench(t, sums, m->site_bodyid[m->sensor_objid[i]], wrench_of(&f, i));
  }
  if (there && any && t->d->ncon) there = contacts_each(t, push, &f);
  for (int i = 0; there && i < m->nsensor; i++) {
    if (f.slot[i] >= 0) wrench_read(&f, i);
  }
  mj_freeStack(t->d);
  return there;
}
