// Newton's method on the primal: exact second derivatives, factorized Hessian, exact line search.
//
// With (M + J'WJ) s = -g and v = J s, nothing of M is needed on the way:
//
//   s'Ms = -g's - v'Wv,   g(x + t s) = (1 - t) g + J'(f(x) - f(x + t s) - t W v)
//
// Rows that keep their state add nothing to the gradient unless they are in a cone. Rounding of the
// solves accumulates in a gradient that is updated this way, so it is recomputed from x at the end;
// if it is not below the tolerance there, the iteration continues.
//
// Beside very stiff rows s'Ms is below the rounding error of v'Wv (cancellation). Once that is
// detected, M x is updated along with x, and slope, curvature and gradient are computed from M x.
#include <string.h>

#include "solve/newton.h"
#include "solve/point.h"

typedef struct snNewton_ {
  const snProblem* p;
  snPoint x;
  snHessian h;
  mjtNum *Wv, *change;  // (rows) W v, and how rows move the gradient
  mjtNum* delta;        // (nv) J' change
  bool fresh;           // the gradient was taken from the point alone
  bool stiff;
  mjtNum *last, *last_grad;  // (nv) the last direction and the gradient there; of stiff systems
  mjtNum last_descent;       // slope of the step of Newton there, 0 when there was none
  int nchange;               // rows whose state the last step changed
} snNewton;

// W v, and v'Wv
SN_INLINE mjtNum curvature(const snNewton* s) {
  const snProblem* p = s->p;
  const mjtNum *v = s->x.Jv, *weight = s->x.weight;
  mjtNum* Wv = s->Wv;
  sn4 lanes = sn4_set1(0);
  for (int i = 0, n = s->x.nlane; i < n; i += 4) {
    sn4 w = sn4_load(weight + i) * sn4_load(v + i);
    sn4_store(Wv + i, w);
    lanes += w * sn4_load(v + i);
  }
  mjtNum sum = sn4_sum(lanes);
  for (int c = 0; c < s->x.ncone; c++) {
    int i = s->x.cone[c];
    if (p->state[i] != mjCNSTRSTATE_CONE) continue;
    const mjContact* con = p->rows.contact + p->rows.id[i];
    for (int j = 0; j < con->dim; j++) {
      mjtNum w = 0;
      for (int k = 0; k < con->dim; k++) w += con->H[j * con->dim + k] * v[i + k];
      Wv[i + j] = w;
      sum += w * v[i + j];
    }
  }
  return sum;
}

// f(x) - f(x + t s) - t W v, zero for rows that stay quadratic; are there others?
SN_INLINE bool row_changes(snNewton* s, mjtNum t) {
  const snPoint* x = &s->x;
  const mjtNum *Wv = s->Wv, *f0 = x->before, *f1 = x->force;
  const mjtNum *w0 = x->weight_before, *w1 = x->weight;
  mjtNum* change = s->change;
  sn4i any = {0, 0, 0, 0};
  for (int i = 0, n = x->nlane; i < n; i += 4) {
    sn4 before = sn4_load(w0 + i), now = sn4_load(w1 + i);
    sn4 moved = sn4_load(f0 + i) - sn4_load(f1 + i) - sn4_load(Wv + i) * t;
    moved = sn4_select((before == now) & (now != 0), sn4_set1(0), moved);
    sn4_store(change + i, moved);
    any |= moved != 0;
  }
  return sn4_any(any);
}

// The share of -g's that must be left for s'Ms: with less, rounding in v'Wv, some 1e-15 of it,
// would be a millionth of s'Ms and more.
static const mjtNum kShare = 1e-7;

// M x and the Gauss part of the cost, from the point alone.
static void begin_stiff(snNewton* s) {
  const snProblem* p = s->p;
  snPoint* x = &s->x;
  s->stiff = true;
  problem_mul_M(p, x->Ma, p->acc);
  mjtNum gauss = 0;
  for (int i = 0; i < p->nv; i++) {
    gauss += 0.5 * (x->Ma[i] - p->frc_smooth[i]) * (p->acc[i] - p->acc_smooth[i]);
  }
  x->cost += gauss - x->gauss;
  x->gauss = gauss;
}

// Direction, its image and slope.
SN_INLINE void find_step(snNewton* s) {
  snPoint* x = &s->x;
  int nv = s->p->nv;
  for (int i = 0; i < nv; i++) x->search[i] = -x->grad[i];
  hessian_solve(&s->h, x->search);
  problem_mul_J(s->p, x->Jv, x->search);
  x->descent = vector_dot(x->grad, x->search, nv);
}

// Beside stiff rows rounding makes H inaccurate in a few directions, and Newton steps alternate
// between them. Conjugate directions (Polak and Ribiere, with H as the preconditioner) need as many
// steps as there are such directions.
static void conjugate(snNewton* s) {
  snPoint* x = &s->x;
  int nv = s->p->nv;
  mjtNum newton = x->descent;
  if (s->last_descent < 0 && !s->nchange) {
    mjtNum beta = (newton - vector_dot(s->last_grad, x->search, nv)) / s->last_descent;
    if (beta > 0 && newton + beta * vector_dot(x->grad, s->last, nv) < 0) {
      vector_add_scaled(x->search, s->last, beta, nv);
      problem_mul_J(s->p, x->Jv, x->search);
      x->descent = vector_dot(x->grad, x->search, nv);
    }
  }
  s->last_descent = newton;
  mju_copy(s->last, x->search, nv);
  mju_copy(s->last_grad, x->grad, nv);
}

// s'Ms, of a direction that is more than rounding.
SN_INLINE mjtNum check_step(snNewton* s) {
  const snProblem* p = s->p;
  for (;;) {
    problem_mul_M(p, s->x.Mv, s->x.search);
    mjtNum quad2 = vector_dot(s->x.search, s->x.Mv, p->nv);
    if (!newton_lost(s->x.descent, quad2, &s->h.damping)) return quad2;
    hessian_damp(p, &s->h, s->x.weight);
    find_step(s);
  }
}

// One step; false when there is none to make.
SN_KERNEL static bool blocks_step(snNewton* s, snNewtonStep* made) {
  const snProblem* p = s->p;
  snPoint* x = &s->x;
  int nv = p->nv;
  find_step(s);
  mjtNum quad1 = x->descent + dot_lanes(x->force, x->Jv, x->nlane);
  mjtNum quad2 = mju_max(0, -x->descent - curvature(s));
  if (!s->stiff && !(quad2 > -kShare * x->descent)) begin_stiff(s);
  if (s->stiff) {
    conjugate(s);
    quad2 = check_step(s);
    quad1 = vector_dot(x->search, x->Ma, nv) - vector_dot(x->search, p->frc_smooth, nv);
    curvature(s);
  }
  mjtNum norm = sqrt(vector_dot(x->search, x->search, nv));
  mjtNum t = primal_move(p, x, quad1, quad2, norm, true);
  if (t == 0) return false;
  mjtNum cost = x->cost;
  x->cost = x->gauss + primal_penalty(p, x, p->elliptic);
  *made = (snNewtonStep){.fall = primal_improvement(x, cost), .slope = x->slope, .neval = x->neval};
  made->exact = !row_changes(s, t);
  point_count(p, x, &made->nactive, &made->nchange);
  s->nchange = made->nchange;
  s->fresh = false;
  if (s->stiff) {
    vector_add_scaled(x->Ma, x->Mv, t, nv);
    primal_gradient(p, x);
    return true;
  }
  for (int i = 0; i < nv; i++) x->grad[i] *= 1 - t;
  if (!made->exact) {
    problem_mul_JT(p, s->delta, s->change);
    vector_add_scaled(x->grad, s->delta, 1, nv);
  }
  return true;
}

// The gradient from the point alone.
static mjtNum refresh(snNewton* s) {
  s->fresh = true;
  problem_mul_M(s->p, s->x.Ma, s->p->acc);
  return primal_gradient(s->p, &s->x);
}

// A direction that does not descend may be due to a gradient that was carried too far.
static bool take_step(void* space, int iter, snNewtonStep* made) {
  snNewton* s = space;
  (void)iter;
  int nupdate = hessian_factor(s->p, &s->h, s->x.weight);
  if (!blocks_step(s, made)) {
    if (s->fresh || refresh(s) < s->p->tolerance || !blocks_step(s, made)) return false;
  }
  made->nupdate = nupdate;
  return true;
}

static mjtNum take_gradient(void* space, bool closing) {
  snNewton* s = space;
  const mjtNum* g = s->x.grad;
  mjtNum norm = s->p->scale * sqrt(vector_dot(g, g, s->p->nv));
  return closing || norm < s->p->tolerance ? refresh(s) : norm;
}

// Memory of the iteration; false when there is none.
static bool allocate(snNewton* s) {
  const snProblem* p = s->p;
  if (!hessian_start(p, &s->h)) return false;
  size_t n = (size_t)s->x.nlane;
  return FRAME(p->memory, SN_ARRAY(s->Wv, n), SN_ARRAY(s->change, n), SN_ARRAY(s->delta, p->nlane),
               SN_ARRAY(s->last, p->nlane), SN_ARRAY(s->last_grad, p->nlane));
}

bool solve_newton(const snProblem* p, snReport* report) {
  snNewton s = {.p = p, .fresh = true};
  report->niter = report->nnz = 0;
  frame_open(p->memory);
  bool ok = primal_start(p, &s.x, p->elliptic);
  if (ok) {
    mjtNum gradient = primal_gradient(p, &s.x);
    if (gradient > 0 && p->iterations > 0 && (ok = allocate(&s))) {
      if (rows_stiff(p->rows.D, p->rows.nefc, p->lightness)) begin_stiff(&s);
      newton_iterate(p, take_step, take_gradient, &s, gradient, report);
      if (!s.fresh) refresh(&s);
      for (int i = 0; i < p->nv; i++) report->nnz += i + 1 - s.h.fill[i];
    }
    primal_finish(p, &s.x);
  }
  frame_close(p->memory);
  return ok;
}
