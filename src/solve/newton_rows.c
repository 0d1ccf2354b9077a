// Newton's method on the primal, carried out in the space of rows.
//
// With fewer rows than dofs the Hessian M + J'WJ is mostly M, whose factors L'DL are at hand. Every
// Newton step ends in a0 + inv(M) J'f for some f, so that besides the warm start nothing but forces
// need be known. Rows are scaled by the roots of their weights:
//
//   u = sqrt(D) (J x - aref)      residual
//   phi = f / sqrt(D)             force; phi = -u where a row is quadratic
//   A = K K',  K = sqrt(D) J inv(L) inv(sqrt Dm)
//
// A point is x = a0 + alpha e + inv(M) J' sqrt(D) Phi, with e the warm start from a0:
//
//   u = beta + alpha kappa + A Phi,  beta = u(a0),  kappa = sqrt(D) J e
//   1/2 (x - a0)'M(x - a0) = alpha^2 G_e + 1/2 (alpha kappa + u - beta)'Phi
//
// With B B' = W, the Hessian of s in these units, and r = phi(u) - Phi, the step of Newton is
//
//   (1 + B'A B) mu = -B'w,  w = A r - alpha kappa;   dPhi = r + B mu,  du = w + A B mu
//
// Its pivots are at least one, whatever M and J are. B is 1 for a quadratic row; for a cone in its
// middle zone, with the unit vector t of the tangent part, B = [(1, -mu t)/sqrt(1+mu^2) |
// c(1-tt')].
//
// Rows stand in slots, four to a group; a contact or an equality starts its own group.
#include <string.h>

#include "constrain/cone.h"
#include "solve/line.h"
#include "solve/newton.h"

typedef struct snCone_ {
  int slot, dim, zone;
  int before;  // the zone that the last move began in
  mjtNum mu;
} snCone;

typedef struct snRowSpace_ {
  const snProblem* p;
  int n;                   // slots
  int* row;                // (n) row of a slot, -1: none
  mjtNum *root, *inverse;  // (n) sqrt(D), sqrt(R)
  mjtNum *low, *high;      // (n) bounds of phi; both zero in slots of cones
  mjtNum* A;               // (n x n)
  bool has_A;
  mjtNum *beta, *kappa, *u, *Phi, *phi;  // (n)
  mjtNum *r, *w, *z, *du;                // (n)
  mjtNum* state;                         // (n) infinite where quadratic, else phi, at its bound
  snCone* cone;
  int ncone;
  mjtNum *S, *Sdinv, *rhs;  // 1 + B'A B
  int *Sfirst, *active;     // slots in B
  // dofs
  mjtNum *e, *Me, *grad, *back;  // (nv), (nv), (nv), (nefc)
  mjtNum alpha, G, cost, gauss;  // cost of the warm start, at the point, and its inertial part
  bool settled;                  // Phi = phi(u) and alpha = 0: the gradient is zero
  mjtNum quad1, quad2;           // slope and curvature of the inertial part along the step
} snRowSpace;

// ---- slots

// Slots taken by a row at slot n; rows of one cone are adjacent.
static int slot_of(const snProblem* p, const snRowBlock* k, int r, int n) {
  if (r == 0 && k->nrow > 1) return (n + 3) & ~3;
  int row = k->row + r;
  if (p->rows.type[row] != mjCNSTR_CONTACT_ELLIPTIC) return n;
  bool tip = row == 0 || p->rows.id[row - 1] != p->rows.id[row] ||
             p->rows.type[row - 1] != mjCNSTR_CONTACT_ELLIPTIC;
  return tip ? (n + 3) & ~3 : n;
}

static int count_slots(const snProblem* p) {
  int n = 0;
  for (int b = 0; b < p->nblock; b++) {
    const snRowBlock* k = p->block + b;
    if (!p->elliptic) {
      n = k->nrow > 1 ? (((n + 3) & ~3) + k->nrow + 3) & ~3 : n + 1;
      continue;
    }
    for (int r = 0; r < k->nrow; r++) n = slot_of(p, k, r, n) + 1;
    if (k->nrow > 1) n = (n + 3) & ~3;
  }
  return (n + 3) & ~3;
}

static void fill_slots(snRowSpace* x) {
  const snProblem* p = x->p;
  const mjtNum infinity = 1e100;
  int n = 0;
  memset(x->row, 0xff, sizeof(int) * (size_t)x->n);
  for (int i = 0; i < x->n; i++) {
    x->low[i] = x->high[i] = 0;
    x->root[i] = x->inverse[i] = 0;
  }
  x->ncone = 0;
  for (int b = 0; b < p->nblock; b++) {
    const snRowBlock* k = p->block + b;
    for (int r = 0; r < k->nrow; r++) {
      int row = k->row + r, at = slot_of(p, k, r, n);
      SN_ASSERT(at < x->n && x->row[at] < 0);
      x->row[at] = row;
      x->root[at] = sqrt(p->rows.D[row]);
      x->inverse[at] = sqrt(p->rows.R[row]);
      if (row < p->rows.ne) {
        x->low[at] = -infinity, x->high[at] = infinity;
      } else if (row < p->rows.ne + p->rows.nf) {
        x->high[at] = p->rows.frictionloss[row] * x->inverse[at];
        x->low[at] = -x->high[at];
      } else if (p->rows.type[row] != mjCNSTR_CONTACT_ELLIPTIC) {
        x->high[at] = infinity;
      } else if (at % 4 == 0 && (r == 0 || p->rows.id[row - 1] != p->rows.id[row])) {
        const mjContact* con = p->rows.contact + p->rows.id[row];
        SN_ASSERT(con->dim > 1 && con->dim <= 6 && at + con->dim <= x->n);
        x->cone[x->ncone++] = (snCone){at, con->dim, 0, 0, con->mu};
      }
      n = at + 1;
    }
    if (k->nrow > 1) n = (n + 3) & ~3;
  }
}

// L lanes of to += A from, over the slots listed
SN_INLINE void add_product_lanes(mjtNum* to, const mjtNum* A, int n, const mjtNum* from,
                                 const int* list, int count, int L) {
  sn4 sum[4];
  SN_UNROLL
  for (int c = 0; c < L; c++) sum[c] = sn4_load(to + 4 * c);
  for (int k = 0; k < count; k++) {
    const mjtNum* row = A + (size_t)list[k] * n;
    sn4 f = sn4_set1(from[list[k]]);
    SN_UNROLL
    for (int c = 0; c < L; c++) sum[c] += sn4_load(row + 4 * c) * f;
  }
  SN_UNROLL
  for (int c = 0; c < L; c++) sn4_store(to + 4 * c, sum[c]);
}

SN_INLINE void add_product(const snRowSpace* x, mjtNum* to, const mjtNum* from, const int* list,
                           int count) {
  int n = x->n, j = 0;
  const mjtNum* A = x->A;
  for (; j + 16 <= n; j += 16) add_product_lanes(to + j, A + j, n, from, list, count, 4);
  if (j + 8 <= n) add_product_lanes(to + j, A + j, n, from, list, count, 2), j += 8;
  if (j < n) add_product_lanes(to + j, A + j, n, from, list, count, 1);
}

// ---- the penalty and its force at u

// phi and s; a clamped row has s = -phi (u + phi/2), which is u^2/2 where it is free
SN_INLINE mjtNum penalty(snRowSpace* x, const mjtNum* u, mjtNum* phi) {
  sn4 sum = sn4_set1(0);
  const mjtNum *low = x->low, *high = x->high;
  for (int i = 0, n = x->n; i < n; i += 4) {
    sn4 ui = sn4_load(u + i), f = sn4_clamp(-ui, sn4_load(low + i), sn4_load(high + i));
    sn4_store(phi + i, f);
    sum -= f * (ui + f * 0.5);
  }
  mjtNum s = sn4_sum(sum);
  for (int c = 0; c < x->ncone; c++) {
    snCone* cone = x->cone + c;
    s += cone_force_scaled(cone->dim, cone->mu, u + cone->slot, phi + cone->slot, &cone->zone);
  }
  return s;
}

// M (x - a0) - J'f = alpha M e + J' sqrt(D) (Phi - phi); returns its norm
static mjtNum gradient(const snRowSpace* x) {
  const snProblem* p = x->p;
  if (x->settled) {
    memset(x->grad, 0, sizeof(mjtNum) * (size_t)p->nv);
    return 0;
  }
  for (int i = 0; i < x->n; i++) {
    if (x->row[i] >= 0) x->back[x->row[i]] = x->root[i] * (x->Phi[i] - x->phi[i]);
  }
  problem_mul_JT(p, x->grad, x->back);
  if (x->alpha != 0) vector_add_scaled(x->grad, x->Me, x->alpha, p->nv);
  return sqrt(vector_dot(x->grad, x->grad, p->nv));
}

// ---- the step

// to <- B from or B' from on the rows of a vector or on `count` columns at once
SN_INLINE void cone_apply(const mjtNum B[6][6], int dim, bool transposed, mjtNum* v, int stride,
                          int count) {
  for (int c = 0; c < count; c++) {
    mjtNum t[6];
    for (int i = 0; i < dim; i++) {
      t[i] = 0;
      for (int j = 0; j < dim; j++) t[i] += (transposed ? B[j][i] : B[i][j]) * v[j * stride + c];
    }
    for (int i = 0; i < dim; i++) v[i * stride + c] = t[i];
  }
}

// Slots with a share in B: free ones and those of cones that act.
SN_INLINE int list_active(snRowSpace* x) {
  int n = 0, c = 0;
  for (int i = 0; i < x->n; i++) {
    if (c < x->ncone && i == x->cone[c].slot) {
      const snCone* cone = x->cone + c++;
      if (cone->zone != mjCNSTRSTATE_SATISFIED) {
        for (int j = 0; j < cone->dim; j++) x->active[n++] = i + j;
      }
      i += cone->dim - 1;
    } else {
      x->active[n] = i;
      n += (-x->u[i] > x->low[i]) & (-x->u[i] < x->high[i]);
    }
  }
  return n;
}

// S = 1 + B'A B and its right-hand side; mu and then B mu in z.
SN_INLINE int solve_step(snRowSpace* x) {
  int n = list_active(x), stride = (n + 3) & ~3;
  const int* active = x->active;
  mjtNum *z = x->z, *rhs = x->rhs;
  mjtNum B[6][6];
  bool bent = false;
  for (int c = 0; c < x->ncone; c++) bent |= x->cone[c].zone == mjCNSTRSTATE_CONE;
  for (int a = 0; a < n; a++) {
    const mjtNum* A = x->A + (size_t)active[a] * x->n;
    mjtNum* S = x->S + (size_t)a * stride;
    int end = bent ? n : a;
    for (int b = 0; b < end; b++) S[b] = A[active[b]];
    if (!bent) S[a] = A[active[a]] + 1;
    x->rhs[a] = -x->w[active[a]];
    x->Sfirst[a] = 0;
  }
  for (int c = 0, a = 0; bent && c < x->ncone; c++) {
    const snCone* cone = x->cone + c;
    if (cone->zone != mjCNSTRSTATE_CONE) continue;
    while (active[a] != cone->slot) a++;
    SN_ASSERT(a + cone->dim <= n && active[a + cone->dim - 1] == cone->slot + cone->dim - 1);
    cone_root_scaled(cone->dim, cone->mu, x->u + cone->slot, B);
    cone_apply(B, cone->dim, true, x->S + (size_t)a * stride, stride, n);
    for (int r = 0; r < n; r++) cone_apply(B, cone->dim, true, x->S + (size_t)r * stride + a, 1, 1);
    cone_apply(B, cone->dim, true, x->rhs + a, 1, 1);
  }
  for (int a = 0; bent && a < n; a++) x->S[(size_t)a * stride + a] += 1;
  factor_make(x->S, x->Sdinv, x->Sfirst, n, stride, 0.5);  // pivots of 1 + B'A B are above 1
  SN_ASSERT(n <= x->n);
  for (int a = n; a < stride; a++) x->rhs[a] = 0;
  factor_solve(x->rhs, x->S, x->Sdinv, x->Sfirst, n, stride);
  for (int c = 0, a = 0; bent && c < x->ncone; c++) {
    const snCone* cone = x->cone + c;
    if (cone->zone != mjCNSTRSTATE_CONE) continue;
    while (active[a] != cone->slot) a++;
    cone_root_scaled(cone->dim, cone->mu, x->u + cone->slot, B);
    cone_apply(B, cone->dim, false, x->rhs + a, 1, 1);
  }
  memset(z, 0, sizeof(mjtNum) * (size_t)x->n);
  for (int a = 0; a < n; a++) z[active[a]] = rhs[a];
  return n;
}

// ---- the line

SN_INLINE snSlope slope_at(const void* line, mjtNum t) {
  const snRowSpace* x = line;
  sn4 s0 = sn4_set1(0), s1 = s0, s2 = s0;
  for (int i = 0; i < x->n; i += 4) {
    sn4 v = sn4_load(x->du + i), y = sn4_load(x->u + i) + v * t;
    sn4 low = sn4_load(x->low + i), high = sn4_load(x->high + i), f = sn4_clamp(-y, low, high);
    s0 -= f * (y + f * 0.5);
    s1 -= f * v;
    s2 += sn4_select((-y > low) & (-y < high), v * v, sn4_set1(0));
  }
  mjtNum sum[3] = {x->gauss + t * (x->quad1 + 0.5 * t * x->quad2) + sn4_sum(s0),
                   x->quad1 + t * x->quad2 + sn4_sum(s1), x->quad2 + sn4_sum(s2)};
  for (int c = 0; c < x->ncone; c++) {
    const snCone* cone = x->cone + c;
    cone_line_scaled(cone->dim, cone->mu, x->u + cone->slot, x->du + cone->slot, t, sum);
  }
  return line_slope(t, sum);
}

// Do all rows keep their state at u + du? Then the cost is quadratic along the step and its minimum
// is at the end, but for cones in their middle zone, which are bent.
SN_INLINE bool keeps(const snRowSpace* x, bool* bent) {
  sn4i moved = {0, 0, 0, 0};
  for (int i = 0; i < x->n; i += 4) {
    sn4 from = -sn4_load(x->u + i), to = from - sn4_load(x->du + i);
    sn4 low = sn4_load(x->low + i), high = sn4_load(x->high + i);
    moved |= (((from > low) ^ (to > low)) | ((from < high) ^ (to < high))) & (low < high);
  }
  *bent = false;
  bool same = !sn4_any(moved);
  for (int c = 0; c < x->ncone && same; c++) {
    snCone end = x->cone[c];
    mjtNum u[6], phi[6];
    for (int j = 0; j < end.dim; j++) u[j] = x->u[end.slot + j] + x->du[end.slot + j];
    cone_force_scaled(end.dim, end.mu, u, phi, &end.zone);
    same = end.zone == x->cone[c].zone;
    *bent |= end.zone == mjCNSTRSTATE_CONE;
  }
  return same;
}

// The states of four slots as numbers; slots of cones, whose bounds are equal, have one state here.
SN_INLINE sn4 slot_state(const snRowSpace* x, int i) {
  sn4 u = sn4_load(x->u + i), low = sn4_load(x->low + i), high = sn4_load(x->high + i);
  sn4 bound = sn4_select(low < high, sn4_load(x->phi + i), sn4_set1(0));
  return sn4_select((-u > low) & (-u < high), sn4_set1(INFINITY), bound);
}

// Some hundred units of rounding: sums over rows and a step of length one leave less.
static const mjtNum kSettled = 1e-13;

// Where Phi has come to phi up to rounding the two are made one, so that rows that keep their state
// leave the gradient. Counts rows with a force and those whose state changed.
SN_INLINE void settle(snRowSpace* x, snNewtonStep* made) {
  sn4i open = {0, 0, 0, 0}, active = open, change = open;
  mjtNum *to = x->Phi, *state = x->state;
  const mjtNum* from = x->phi;
  for (int i = 0, n = x->n; i < n; i += 4) {
    sn4 Phi = sn4_load(to + i), phi = sn4_load(from + i);
    sn4i near = sn4_abs(Phi - phi) <= sn4_abs(phi) * kSettled;
    sn4_store(to + i, sn4_select(near, phi, Phi));
    sn4 now = slot_state(x, i);
    open |= ~near;
    active -= phi != 0;
    change -= now != sn4_load(state + i);
    sn4_store(state + i, now);
  }
  x->settled = x->alpha == 0 && !sn4_any(open);
  made->nactive = (int)(active[0] + active[1] + active[2] + active[3]);
  made->nchange = (int)(change[0] + change[1] + change[2] + change[3]);
  for (int c = 0; c < x->ncone; c++) {
    snCone* cone = x->cone + c;
    made->nchange += cone->zone != cone->before ? cone->dim : 0;
    cone->before = cone->zone;
  }
}

// Direction, exact line search, move; false when there is no step to make.
SN_KERNEL static bool move(snRowSpace* x, snNewtonStep* made) {
  const snProblem* p = x->p;
  int n = x->n;
  mjtNum *u = x->u, *du = x->du, *z = x->z, *Phi = x->Phi, *r = x->r, *w = x->w;
  const mjtNum *phi = x->phi, *kappa = x->kappa, *beta = x->beta;
  mjtNum alpha = x->alpha;
  int count = 0;
  for (int i = 0; i < n; i += 4) {
    sn4_store(r + i, sn4_load(phi + i) - sn4_load(Phi + i));
    sn4_store(w + i, sn4_load(kappa + i) * -alpha);
  }
  for (int i = 0; i < n; i++) {
    x->active[count] = i;
    count += r[i] != 0;
  }
  add_product(x, w, r, x->active, count);
  count = solve_step(x);
  memcpy(du, w, sizeof(mjtNum) * (size_t)n);
  add_product(x, du, z, x->active, count);
  for (int i = 0; i < n; i += 4) sn4_store(z + i, sn4_load(z + i) + sn4_load(r + i));

  // dx'M(x - a0) and dx'M dx, by u - beta = alpha kappa + A Phi and du = A dPhi - alpha kappa
  mjtNum warm = 2 * x->alpha * x->alpha * x->G, cross = x->alpha * dot_lanes(x->kappa, x->z, n);
  mjtNum along = dot_lanes(x->Phi, x->du, n), against = dot_lanes(x->phi, x->du, n);
  x->quad1 = cross - warm + along;
  x->quad2 = warm - cross + dot_lanes(x->z, x->du, n);
  *made = (snNewtonStep){.fall = 0};
  mjtNum zero = x->quad1 - against, norm = sqrt(mju_max(0, x->quad2) * p->lightness);
  // near the solution the slope is what rounding leaves of its terms: below kVague of them it says
  // nothing about the direction
  bool bent, same = keeps(x, &bent);
  static const mjtNum kVague = 1e-9;
  bool vague = fabs(zero) < kVague * (fabs(cross) + warm + fabs(along) + fabs(against));
  snSlope end = {1, 0, 0, 0};
  made->exact = same && !bent;
  if (!same || (bent && !vague)) {
    if (!(zero < 0) || norm < mjMINVAL) return false;
    mjtNum gtol = p->tolerance * p->ls_tolerance * norm / p->scale;
    snSlope start = {0, x->cost, zero, -zero};
    end = line_search(slope_at, x, start, 1, gtol, p->ls_iterations, &made->neval);
    if (!(end.t > 0)) return false;
    made->slope = fabs(end.d1) * p->scale / norm;
  }
  mjtNum gain = -0.5 * end.t * zero, before = x->cost;
  sn4 sum = sn4_set1(0);
  x->alpha = alpha *= 1 - end.t;
  for (int i = 0; i < n; i += 4) {
    sn4 at = sn4_load(u + i) + sn4_load(du + i) * end.t;
    sn4 force = sn4_load(Phi + i) + sn4_load(z + i) * end.t;
    sn4_store(u + i, at);
    sn4_store(Phi + i, force);
    sum += (sn4_load(kappa + i) * alpha + at - sn4_load(beta + i)) * force;
  }
  x->gauss = x->alpha * x->alpha * x->G + 0.5 * sn4_sum(sum);
  x->cost = penalty(x, x->u, x->phi) + x->gauss;
  made->fall = cost_fall(before, x->cost, gain);
  settle(x, made);
  return true;
}

// ---- start and end

// u, Phi and phi at the warm start or at a0, whichever is cheaper.
SN_KERNEL static void start(snRowSpace* x) {
  const snProblem* p = x->p;
  int nv = p->nv, n = x->n, nefc = p->rows.nefc;
  problem_images(p, NULL, x->back);
  for (int i = 0; i < nefc; i++) x->back[i] -= p->aref[i];
  for (int i = 0; i < n; i++) {
    int row = x->row[i];
    x->beta[i] = row < 0 ? 0 : x->root[i] * p->b[row];
    x->u[i] = row < 0 ? 0 : x->root[i] * x->back[row];
    x->Phi[i] = 0;
  }
  for (int i = 0; i < nv; i++) x->e[i] = p->acc[i] - p->acc_smooth[i];
  problem_mul_M(p, x->Me, x->e);
  x->G = 0.5 * vector_dot(x->e, x->Me, nv);
  x->alpha = 1;
  mjtNum cold = penalty(x, x->beta, x->phi);
  x->gauss = x->G;
  x->cost = penalty(x, x->u, x->phi) + x->gauss;
  if (!p->chosen && !(x->cost < cold)) {
    memcpy(x->u, x->beta, sizeof(mjtNum) * (size_t)n);
    x->cost = penalty(x, x->u, x->phi);
    x->alpha = x->G = x->gauss = 0;
  }
  x->settled = false;
  for (int i = 0; i < n; i += 4) {
    sn4_store(x->kappa + i, sn4_load(x->u + i) - sn4_load(x->beta + i));
    sn4_store(x->state + i, slot_state(x, i));
  }
  for (int c = 0; c < x->ncone; c++) x->cone[c].before = x->cone[c].zone;
}

// Force and state by rows, J'f, and x = a0 + inv(M) (J'f + gradient).
static void finish(const snRowSpace* x) {
  const snProblem* p = x->p;
  for (int i = 0; i < x->n; i++) {
    if (x->row[i] >= 0) x->back[x->row[i]] = x->u[i] * x->inverse[i];
  }
  constrain_update(&p->rows, x->back, p->force, p->state, p->elliptic);
  problem_mul_JT(p, p->frc_constraint, p->force);
  for (int i = 0; i < p->nv; i++) p->acc[i] = p->frc_constraint[i] + x->grad[i];
  problem_solve_M(p, p->acc, p->acc);
  for (int i = 0; i < p->nv; i++) p->acc[i] += p->acc_smooth[i];
}

static bool allocate(snRowSpace* x) {
  const snProblem* p = x->p;
  size_t n = (size_t)x->n, nv = (size_t)p->nlane;
  return FRAME(p->memory, SN_ARRAY(x->root, n), SN_ARRAY(x->inverse, n), SN_ARRAY(x->low, n),
               SN_ARRAY(x->high, n), SN_ARRAY(x->beta, n), SN_ARRAY(x->kappa, n), SN_ARRAY(x->u, n),
               SN_ARRAY(x->Phi, n), SN_ARRAY(x->phi, n), SN_ARRAY(x->r, n), SN_ARRAY(x->w, n),
               SN_ARRAY(x->z, n), SN_ARRAY(x->du, n), SN_ARRAY(x->Sdinv, n), SN_ARRAY(x->rhs, n),
               SN_ARRAY(x->state, n), SN_ARRAY(x->A, n * n), SN_ARRAY(x->S, n * n),
               SN_ARRAY(x->e, nv), SN_ARRAY(x->Me, nv), SN_ARRAY(x->grad, nv),
               SN_ARRAY(x->back, p->rows.nefc), SN_ARRAY(x->row, n), SN_ARRAY(x->Sfirst, n),
               SN_ARRAY(x->active, n), SN_ARRAY(x->cone, p->elliptic ? n / 4 : 0));
}

static bool begin(snRowSpace* x) {
  x->n = count_slots(x->p);
  SN_ASSERT(x->n % 4 == 0 && x->n >= x->p->rows.nefc);
  if (!allocate(x)) return false;
  fill_slots(x);
  return true;
}

struct snRowSpace_* newton_rows_keep(const snProblem* p) {
  snRowSpace* x;
  if (!FRAME(p->memory, SN_ARRAY(x, 1))) return NULL;
  *x = (snRowSpace){.p = p};
  return begin(x) ? x : NULL;
}

// Is a row so stiff that little but rounding is left of the others in S = 1 + B'AB? Its condition
// is about that of the largest entry of A; the factor of M + J'WJ stays accurate for stiffer rows,
// since large weights on few rows leave the rest of M untouched, so BLOCKS takes over from
// kStiffest on.
static bool too_stiff(const snRowSpace* x) {
  static const mjtNum kStiffest = 1e9;
  mjtNum most = 0;
  for (int i = 0; i < x->n; i++) most = mju_max(most, x->A[(size_t)i * (size_t)(x->n + 1)]);
  return !(most < kStiffest);
}

static bool take_step(void* space, int iter, snNewtonStep* made) {
  (void)iter;
  return move(space, made);
}

static mjtNum take_gradient(void* space, bool closing) {
  const snRowSpace* x = space;
  (void)closing;
  return x->p->scale * gradient(x);
}

bool solve_newton_rows(const snProblem* p, snReport* report) {
  snRowSpace own = {.p = p}, *x = p->kept && p->kept->rows ? p->kept->rows : &own;
  report->niter = report->nnz = 0;
  frame_open(p->memory);
  bool ok = x != &own || begin(x), stiff = false;
  if (ok) {
    start(x);
    mjtNum norm = gradient(x);
    if (norm > 0 && p->iterations > 0) {
      ok = x->has_A || row_products(p, x->n, x->row, x->root, x->A);
      x->has_A = ok;
      report->nnz = x->n * x->n;
      stiff = ok && too_stiff(x);
      if (ok && !stiff) newton_iterate(p, take_step, take_gradient, x, norm, report);
    }
    if (!stiff) finish(x);
  }
  frame_close(p->memory);
  return stiff ? solve_newton(p, report) : ok;
}
