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
#include "smooth/spatial_lanes.h"

// The contacts of two bodies. Columns of dofs are in lanes: number c of column k is at
// [c * stride + k], and columns are padded to whole lanes.
typedef struct snTouching_ {
  int body[2];
  double at[3];   // the point
  int n, stride;  // dofs, and those in whole lanes
  int* dof;
  unsigned char* side;  // 0 in padding
  double* s;            // twists of dofs (6 x stride)
  double *da, *dv;      // change of relative acceleration and velocity (6 x stride)
  double ua[6], uv[6];
  double wrench[6];     // on the second body
  double* dw;           // its change, per dof (6 x stride)
  double *by_a, *by_v;  // wrenches by acceleration and by velocity (6 x stride)
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

SN_INLINE void columns_load(sn4 r[6], const double* x, int stride, int k) {
  for (int c = 0; c < 6; c++) r[c] = sn4_load(x + c * stride + k);
}
SN_INLINE void columns_store(double* x, int stride, int k, const sn4 r[6]) {
  for (int c = 0; c < 6; c++) sn4_store(x + c * stride + k, r[c]);
}

// Rows of four dofs to lanes.
SN_INLINE void dofs_load(sn4 r[6], const double* rows, const int dof[4]) {
  const sn6 row[4] = {sn6_load(rows + 6 * dof[0]), sn6_load(rows + 6 * dof[1]),
                      sn6_load(rows + 6 * dof[2]), sn6_load(rows + 6 * dof[3])};
  four6_load(r, row);
}

// Lanes against one vector: s x v, v x s, v.s
SN_INLINE void cross_one(sn4* r, const sn4* s, const double* v) {
  r[0] = s[1] * v[2] - s[2] * v[1];
  r[1] = s[2] * v[0] - s[0] * v[2];
  r[2] = s[0] * v[1] - s[1] * v[0];
}
SN_INLINE void one_cross(sn4* r, const double* v, const sn4* s) {
  r[0] = v[1] * s[2] - v[2] * s[1];
  r[1] = v[2] * s[0] - v[0] * s[2];
  r[2] = v[0] * s[1] - v[1] * s[0];
}
SN_INLINE sn4 one_dot3(const double* v, const sn4* s) {
  return v[0] * s[0] + v[1] * s[1] + v[2] * s[2];
}
SN_INLINE sn4 one_dot6(const double* v, const sn4* s) {
  return v[0] * s[0] + v[1] * s[1] + v[2] * s[2] + v[3] * s[3] + v[4] * s[4] + v[5] * s[5];
}

// jac_column in lanes
SN_INLINE void four_column(sn4* lin, const sn4* motion, const double* arm) {
  cross_one(lin, motion, arm);
  for (int i = 0; i < 3; i++) lin[i] += motion[3 + i];
}

// Lanes whose dofs move these sides, of the four from k on.
SN_INLINE sn4i sides_with(const snTouching* c, int k, int bits) {
  const unsigned char* s = c->side + k;
  return (sn4i){s[0] & bits, s[1] & bits, s[2] & bits, s[3] & bits} != 0;
}
SN_INLINE sn4i sides_both(const snTouching* c, int k) {
  const unsigned char* s = c->side + k;
  return (sn4i){s[0], s[1], s[2], s[3]} == 3;
}

// r += sign (S x motion + turn) at the point, where mask; motion is that of a body.
SN_INLINE void change_add(const snTangent* t, const snTouching* c, int e, const sn4 S[6],
                          const double* motion, const sn4 turn[6], sn4i mask, sn4 r[6]) {
  int body = c->body[e];
  const double* moves = motion + 6 * body;
  double arm[3], sign = e ? 1 : -1;
  sn4 change[6], lin[3];
  vec3_sub(arm, c->at, t->d->subtree_com + 3 * t->m->body_rootid[body]);
  cross_one(change, S, moves);
  cross_one(change + 3, S, moves + 3);
  cross_one(lin, S + 3, moves);
  for (int i = 0; i < 3; i++) change[i] += turn[i], change[3 + i] += lin[i];
  for (int i = 3; i < 6; i++) change[i] += turn[i];
  four_column(lin, change, arm);
  for (int i = 0; i < 3; i++) {
    r[i] = sn4_select(mask, r[i] + change[i] * sign, r[i]);
    r[3 + i] = sn4_select(mask, r[3 + i] + lin[i] * sign, r[3 + i]);
  }
}

SN_KERNEL static void touching_make(const snTangent* t, snTouching* c) {
  const mjData* d = t->d;
  const sn4 none = {0};
  c->n = chain_sides(t->m, c->body[0], c->body[1], c->dof, c->side);
  c->stride = (c->n + 3) & ~3;
  vec6_zero(c->ua);
  vec6_zero(c->uv);
  vec6_zero(c->wrench);
  for (int e = 0; e < 2; e++) {
    int b = c->body[e];
    motion_at(t, b, t->free_acc + 6 * b, c->at, e ? 1 : -1, c->ua);
    motion_at(t, b, t->motion.vel + 6 * b, c->at, e ? 1 : -1, c->uv);
  }
  size_t bytes = 6 * (size_t)c->stride * sizeof(double);
  memset(c->dw, 0, bytes);
  memset(c->by_a, 0, bytes);
  memset(c->by_v, 0, bytes);
  // an outer dof comes before what it carries
  for (int k = 1; k < c->n; k++) SN_ASSERT(c->dof[k - 1] < c->dof[k]);
  for (int k = c->n; k < c->stride; k++) c->dof[k] = c->dof[c->n - 1], c->side[k] = 0;
  for (int k = 0; k < c->stride; k += 4) {
    const int* dof = c->dof + k;
    sn4 S[6], arm[3], s[6], turn[6], turned[6], da[6], dv[6];
    dofs_load(S, d->cdof, dof);
    dofs_load(turn, t->free_turn, dof);
    dofs_load(turned, t->motion.turn, dof);
    for (int l = 0; l < 4; l++) {
      const double* com = d->subtree_com + 3 * t->m->body_rootid[t->m->dof_bodyid[dof[l]]];
      for (int i = 0; i < 3; i++) arm[i][l] = c->at[i] - com[i];
    }
    four3_cross(s + 3, S, arm);
    for (int i = 0; i < 3; i++) s[i] = none + S[i], s[3 + i] = none + (s[3 + i] + S[3 + i]);
    for (int i = 0; i < 6; i++) da[i] = dv[i] = none;
    for (int e = 0; e < 2; e++) {
      sn4i mask = sides_with(c, k, 1 << e);
      if (!sn4_bits(mask)) continue;
      change_add(t, c, e, S, t->free_acc, turn, mask, da);
      change_add(t, c, e, S, t->motion.vel, turned, mask, dv);
    }
    columns_store(c->s, c->stride, k, s);
    columns_store(c->da, c->stride, k, da);
    columns_store(c->dv, c->stride, k, dv);
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

// How the contact moves with four dofs: point, turn of the frame, distance.
typedef struct snShift_ {
  sn4 pos[3], turn[3], dist;
} snShift;

SN_INLINE void mat36_mul(sn4 r[3], const double* A, const sn4* u) {
  for (int i = 0; i < 3; i++) r[i] = one_dot6(A + 6 * i, u);
}

// The first tangent follows an axis Y, made orthogonal: with L its length then,
// the spin about the normal is (dY - (Y.n) dn).t2 / L. `second`: dofs that move the second body.
SN_INLINE sn4 frame_spin(const snMeeting* c, const sn4* w, sn4i second, const sn4* dn) {
  const double *n = c->con->frame, *t2 = c->con->frame + 6;
  double Y[3] = {0, 0, 0}, across[3];
  sn4 none = {0}, dY[3] = {none, none, none};
  if (c->motion->rides) {
    vec3_copy(Y, c->motion->hint);
    cross_one(dY, w, Y);
    for (int i = 0; i < 3; i++) dY[i] = sn4_select(second, dY[i], none);
  } else {
    Y[fabs(n[1]) < 0.5 ? 1 : 2] = 1;
  }
  double along = vec3_dot(Y, n);
  vec3_add_scaled(across, Y, n, -along);
  double length = vec3_norm(across);
  // an axis along the normal, as that of a capsule that stands on a plane, leaves the tangents to
  // the world
  if (length < mjMINVAL) return none;
  return (one_dot3(t2, dY) - along * one_dot3(t2, dn)) / length;
}

SN_INLINE void shift_make(const snTouching* all, const snMeeting* c, int k, const sn4* s,
                          snShift* r) {
  sn4i both = sides_both(all, k), second = sides_with(all, k, 2), first = ~second;
  const double* n = c->con->frame;
  sn4 u[6], dn[3], turned[3], own[3];
  for (int i = 0; i < 3; i++) u[i] = s[i];
  four_column(u + 3, s, c->r);
  cross_one(turned, s, n);
  mat36_mul(own, c->motion->normal, u);
  mat36_mul(r->pos, c->motion->pos, u);
  sn4 dist = one_dot6(c->motion->dist, u), none = {0};
  r->dist = sn4_select(both, none, sn4_select(first, -dist, dist));
  for (int i = 0; i < 3; i++) {
    dn[i] = sn4_select(both, turned[i], sn4_select(first, turned[i] - own[i], own[i]));
    sn4 slid = sn4_select(first, u[3 + i] - r->pos[i], r->pos[i]);
    r->pos[i] = sn4_select(both, u[3 + i], slid);
  }
  one_cross(r->turn, n, dn);
  sn4 spin = frame_spin(c, s, second, dn);
  for (int i = 0; i < 3; i++) r->turn[i] += n[i] * spin;
}

// dy of all directions with one damping b
SN_INLINE void residual_change(const snTouching* all, const snMeeting* c, int k,
                               const snShift* shift, double b, sn4* dy) {
  double X[6], v[3];
  sn4 dX[6], dV[6], dv[3], moved[3];
  vec6_add_scaled(X, all->ua, all->uv, b);
  jac_column(v, X, c->r);
  columns_load(dX, all->da, all->stride, k);
  columns_load(dV, all->dv, all->stride, k);
  for (int i = 0; i < 6; i++) dX[i] += dV[i] * b;
  four_column(dv, dX, c->r);
  one_cross(moved, X, shift->pos);
  for (int i = 0; i < 3; i++) dv[i] += moved[i];
  for (int i = 0; i < c->dim; i++) {
    const double* axis = c->con->frame + 3 * (i % 3);
    sn4 turned[3];
    cross_one(turned, shift->turn, axis);
    dy[i] =
        i < 3 ? one_dot3(v, turned) + one_dot3(axis, dv) : one_dot3(X, turned) + one_dot3(axis, dX);
  }
}

// What dofs that carry both bodies do to the wrench.
SN_INLINE void wrench_carry(const snMeeting* c, const sn4* s, sn4 dw[6]) {
  double W[3];
  sn4 a[3];
  vec3_cross(W, c->r, c->force);
  vec3_add(W, W, c->torque);
  cross_one(a, s, W);
  for (int i = 0; i < 3; i++) dw[i] += a[i];
  cross_one(a, s + 3, c->force);
  for (int i = 0; i < 3; i++) dw[i] += a[i];
  cross_one(a, s, c->force);
  for (int i = 0; i < 3; i++) dw[3 + i] += a[i];
}

// What the others do.
SN_INLINE void wrench_shift(const snTouching* all, const snMeeting* c, int k, const sn4* s,
                            sn4 dw[6]) {
  int dim = c->dim;
  snShift shift;
  sn4 dy[6], slow[6], moved[3], part[3];
  shift_make(all, c, k, s, &shift);
  residual_change(all, c, k, &shift, c->b[0], dy);
  if (c->b[1] != c->b[0]) {
    residual_change(all, c, k, &shift, c->b[1], slow);
    for (int i = 1; i < dim; i++) dy[i] = slow[i];
  }
  for (int i = 0; i < dim; i++) {
    sn4 df = -c->g[i] * shift.dist;
    for (int l = 0; l < dim; l++) df -= c->H[dim * i + l] * dy[l];
    for (int e = 0; e < 6; e++) dw[e] += c->W[i][e] * df;
    for (int l = 0; !i && all->normal && l < 4 && k + l < all->n; l++) {
      if (all->side[k + l] != 3 || c->spins) all->normal[3 * (k + l)] = df[l];
    }
  }
  cross_one(part, shift.pos, c->force);
  for (int i = 0; i < 3; i++) dw[i] += part[i];
  cross_one(moved, shift.turn, c->force);
  one_cross(part, c->r, moved);
  for (int i = 0; i < 3; i++) dw[i] += part[i];
  cross_one(part, shift.turn, c->torque);
  for (int i = 0; i < 3; i++) dw[i] += part[i], dw[3 + i] += moved[i];
}

// Wrenches by the acceleration and by the velocity of dofs that move one body.
SN_INLINE void wrench_push(const snTouching* all, const snMeeting* c, int k, const sn4* s,
                           sn4i both) {
  int dim = c->dim;
  sn4i second = sides_with(all, k, 2);
  sn4 J[6], by_a[6], by_v[6], one = sn4_set1(1), sign = sn4_select(second, one, -one);
  columns_load(by_a, all->by_a, all->stride, k);
  columns_load(by_v, all->by_v, all->stride, k);
  for (int i = 0; i < dim; i++) J[i] = sign * one_dot6(c->W[i], s);
  for (int i = 0; i < dim; i++) {
    sn4 a = {0}, v = {0};
    for (int l = 0; l < dim; l++) {
      sn4 x = c->H[dim * i + l] * J[l];
      a += x;
      v += x * c->b[l > 0];
    }
    for (int e = 0; e < 6; e++) {
      by_a[e] = sn4_select(both, by_a[e], by_a[e] + c->W[i][e] * a);
      by_v[e] = sn4_select(both, by_v[e], by_v[e] + c->W[i][e] * v);
    }
    for (int l = 0; !i && all->normal && l < 4 && k + l < all->n; l++) {
      double* normal = all->normal + 3 * (k + l);
      if (!both[l]) normal[1] = -v[l], normal[2] = -a[l];
    }
  }
  columns_store(all->by_a, all->stride, k, by_a);
  columns_store(all->by_v, all->stride, k, by_v);
}

// What the four dofs from k on do to the wrench.
SN_INLINE void meeting_columns(const snTouching* all, const snMeeting* c, int k) {
  sn4i both = sides_both(all, k);
  sn4 s[6], dw[6], carried[6];
  unsigned ride = sn4_bits(both);
  columns_load(s, all->s, all->stride, k);
  columns_load(dw, all->dw, all->stride, k);
  if (ride && !c->spins) {
    memcpy(carried, dw, sizeof carried);
    wrench_carry(c, s, carried);
  }
  if (ride == 15 && !c->spins) {
    columns_store(all->dw, all->stride, k, carried);
    return;
  }
  wrench_shift(all, c, k, s, dw);
  for (int i = 0; i < 6 && ride && !c->spins; i++) dw[i] = sn4_select(both, carried[i], dw[i]);
  columns_store(all->dw, all->stride, k, dw);
  if (ride != 15) wrench_push(all, c, k, s, both);
}

// ---- to tau and H

// Adds four numbers to a row, at the columns of dofs: at once where these are neighbors.
SN_INLINE void row_add(double* row, const int* column, const int* dof, int n, sn4 x) {
  const int* at = column;
  if (n == 4 && at[dof[3]] == at[dof[0]] + 3) {
    double* to = row + at[dof[0]];
    sn4_store(to, sn4_load(to) + x);
    return;
  }
  for (int l = 0; l < n; l++) row[at[dof[l]]] += x[l];
}

// The four columns from k on to the rows of all dofs that move one body.
SN_INLINE void columns_put(snTangent* t, const snTouching* c, int k) {
  const int *dof = c->dof + k, *group = t->group;
  int n = c->n - k < 4 ? c->n - k : 4;
  sn4i both = sides_both(c, k),
       begin = {group[dof[0]], group[dof[1]], group[dof[2]], group[dof[3]]};
  const double* W = c->wrench;
  sn4 s[6], ride[6], part[3], fixed[6], carried[6], by_a[6], by_v[6], none = -(sn4){0};
  columns_load(s, c->s, c->stride, k);
  columns_load(fixed, c->dw, c->stride, k);
  columns_load(by_a, c->by_a, c->stride, k);
  columns_load(by_v, c->by_v, c->stride, k);
  cross_one(ride, s, W);
  cross_one(part, s + 3, W + 3);
  for (int i = 0; i < 3; i++) ride[i] += part[i];
  cross_one(ride + 3, s, W + 3);
  for (int i = 0; i < 6; i++) carried[i] = fixed[i] - ride[i];
  for (int l = 0; l < c->n; l++) {
    int i = c->dof[l], of = c->side[l];
    if (of == 3 || (c->held && c->held[i] != c->bare)) continue;
    double sign = of == 2 ? 1 : -1;
    SN_ASSERT(t->parts.of[i] == t->parts.of[dof[0]]);
    double si[6];
    for (int e = 0; e < 6; e++) si[e] = c->s[e * c->stride + l];
    sn4i rides = sides_with(c, k, of) & (begin <= i);
    sn4 q = sn4_select(rides, one_dot6(si, carried), one_dot6(si, fixed));
    row_add(tau_row(t, i), t->parts.q, dof, n, -(sign * q));
    if (sn4_bits(both) == 15) continue;
    // nothing, not even the sign of a zero, by dofs that move both
    sn4 v = sn4_select(both, none, sign * one_dot6(si, by_v));
    sn4 a = sn4_select(both, none, sign * one_dot6(si, by_a));
    row_add(tau_row(t, i), t->parts.v, dof, n, v);
    row_add(hessian_row(t, i), t->parts.q, dof, n, a);
  }
}

SN_KERNEL static void touching_put(snTangent* t, const snTouching* c) {
  for (int k = 0; k < c->n; k += 4) columns_put(t, c, k);
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
  for (int k = 0; k < all->n; k += 4) meeting_columns(all, &c, k);
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

// To `push`, with columns as rows of six numbers.
static void push_rows(const snTangent* t, const snTouching* c, int first, int contacts,
                      double* rows, snPush push, void* context) {
  const double* from[3] = {c->dw, c->by_v, c->by_a};
  double* to[3] = {rows, rows + 6 * c->stride, rows + 12 * c->stride};
  for (int e = 0; e < 18 * c->n; e++) {
    int what = e / (6 * c->n), k = e / 6 % c->n, i = e % 6;
    to[what][6 * k + i] = from[what][i * c->stride + k];
  }
  snPushed p = {c->body, c->at, c->n, first, contacts, c->dof, to[0], to[1], to[2], c->normal};
  push(t, &p, context);
}

// Pairs of bodies one by one: to tau and H, or to `push`.
static bool contacts_walk(snTangent* t, const bool* held, bool bare, snPush push, void* context) {
  const mjModel* m = t->m;
  mjData* d = t->d;
  size_t wide = ((size_t)t->nv + 3) & ~(size_t)3, most = 3 * (size_t)t->nv * (size_t)d->ncon;
  if (!d->ncon) return true;
  snTouching c = {.held = held, .bare = bare};
  snContactMotion* motion;
  double *normals = NULL, *rows = NULL;
  mj_markStack(d);
  bool there =
      FRAME(memory_of(d), SN_ARRAY(c.dof, wide), SN_ARRAY(c.side, wide), SN_ARRAY(c.s, 6 * wide),
            SN_ARRAY(c.da, 6 * wide), SN_ARRAY(c.dv, 6 * wide), SN_ARRAY(c.dw, 6 * wide),
            SN_ARRAY(c.by_a, 6 * wide), SN_ARRAY(c.by_v, 6 * wide), SN_ARRAY(motion, d->ncon));
  if (there && push)
    there = FRAME(memory_of(d), SN_ARRAY(normals, most), SN_ARRAY(rows, 18 * wide));
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
      c.normal = normals;
      push_rows(t, &c, i, end - i, rows, push, context);
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
