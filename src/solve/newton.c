// Newton's method on the primal: exact second derivatives, factorized Hessian, exact line search.
//
// With (M + J'WJ) s = -g and v = J s, nothing of M is needed on the way:
//
//   s'Ms = -g's - v'Wv,   g(x + t s) = (1 - t) g + J'(f(x) - f(x + t s) - t W v)
//
// Rows that keep their state add nothing to the gradient unless they are in a cone. What the solves
// leave by rounding shows in the gradient taken afresh at the end; if that is not small yet, the
// iteration goes on from there.
#include <string.h>

#include "solve/problem.h"

typedef struct snNewton_ {
  const snProblem* p;
  snPoint x;
  snHessian h;
  mjtNum *Wv, *before;  // (nefc) W v, and forces before the move
  mjtNum* change;       // (nefc) how rows move the gradient
  mjtNum* delta;        // (nv) J' change
  int* state;           // (nefc) before the move
  int nactive, nchange;
} snNewton;

// W v, and v'Wv
static mjtNum curvature(snNewton* s) {
  const snProblem* p = s->p;
  const mjtNum *v = s->x.Jv, *D = p->rows.D;
  mjtNum sum = 0;
  for (int i = 0; i < p->rows.nefc; i++) {
    s->Wv[i] = p->state[i] == mjCNSTRSTATE_QUADRATIC ? D[i] * v[i] : 0;
    sum += s->Wv[i] * v[i];
  }
  for (int c = 0; c < s->x.ncone; c++) {
    int i = s->x.cone[c];
    if (p->state[i] != mjCNSTRSTATE_CONE) continue;
    const mjContact* con = p->rows.contact + p->rows.id[i];
    for (int j = 0; j < con->dim; j++) {
      mjtNum w = 0;
      for (int k = 0; k < con->dim; k++) w += con->H[j * con->dim + k] * v[i + k];
      s->Wv[i + j] = w;
      sum += w * v[i + j];
    }
  }
  return sum;
}

// One step; false when there is none to make.
static bool step(snNewton* s) {
  const snProblem* p = s->p;
  snPoint* x = &s->x;
  int nv = p->nv, nefc = p->rows.nefc;
  for (int i = 0; i < nv; i++) x->search[i] = -x->grad[i];
  hessian_solve(&s->h, x->search);
  problem_mul_J(p, x->Jv, x->search);
  x->descent = vector_dot(x->grad, x->search, nv);
  mjtNum quad1 = x->descent + vector_dot(p->force, x->Jv, nefc);
  mjtNum quad2 = mju_max(0, -x->descent - curvature(s));
  mjtNum t = primal_move(p, x, quad1, quad2, true);
  if (t == 0) return false;
  memcpy(s->before, p->force, sizeof(mjtNum) * (size_t)nefc);
  memcpy(s->state, p->state, sizeof(int) * (size_t)nefc);
  x->cost = x->gauss + constrain_update(&p->rows, x->jar, p->force, p->state, p->elliptic);
  s->nactive = s->nchange = 0;
  bool any = false;
  for (int i = 0; i < nefc; i++) {
    bool moved = s->state[i] != p->state[i];
    s->nactive += p->state[i] != mjCNSTRSTATE_SATISFIED;
    s->nchange += moved;
    moved |= p->state[i] == mjCNSTRSTATE_CONE;
    any |= moved;
    s->change[i] = moved ? s->before[i] - p->force[i] - t * s->Wv[i] : 0;
  }
  for (int i = 0; i < nv; i++) x->grad[i] *= 1 - t;
  if (any) {
    problem_mul_JT(p, s->delta, s->change);
    vector_add_scaled(x->grad, s->delta, 1, nv);
  }
  return true;
}

// The gradient from the point alone.
static mjtNum refresh(snNewton* s) {
  const snProblem* p = s->p;
  problem_mul_M(p, s->x.Ma, p->acc);
  problem_mul_JT(p, p->frc_constraint, p->force);
  for (int i = 0; i < p->nv; i++) {
    s->x.grad[i] = s->x.Ma[i] - p->frc_smooth[i] - p->frc_constraint[i];
  }
  return p->scale * sqrt(vector_dot(s->x.grad, s->x.grad, p->nv));
}

static void iterate(snNewton* s, snReport* report, mjtNum gradient) {
  const snProblem* p = s->p;
  bool fresh = true;  // the gradient was taken from the point alone
  for (int iter = 0; iter < p->iterations; iter++) {
    int nupdate = hessian_factor(p, &s->h);
    mjtNum cost = s->x.cost;
    if (!step(s)) {
      if (fresh) break;
      gradient = refresh(s);
      fresh = true;
      if (gradient < p->tolerance || !step(s)) break;
    }
    fresh = false;
    mjtNum improvement = p->scale * primal_improvement(&s->x, cost);
    gradient = p->scale * sqrt(vector_dot(s->x.grad, s->x.grad, p->nv));
    bool done = improvement < p->tolerance;
    if (done || gradient < p->tolerance || iter == p->iterations - 1) {
      gradient = refresh(s);
      fresh = true;
    }
    if (iter < mjNSOLVER) {
      report->stat[iter] = (mjSolverStat){improvement, gradient,   s->x.slope, s->nactive,
                                          s->nchange,  s->x.neval, nupdate};
    }
    report->niter = iter + 1;
    if (done || gradient < p->tolerance) break;
  }
  if (!fresh) refresh(s);
}

void solve_newton(const snProblem* p, snReport* report) {
  snNewton s = {.p = p};
  mj_markStack(p->d);
  primal_start(p, &s.x);
  primal_update(p, &s.x, p->elliptic);
  report->niter = report->nnz = 0;
  mjtNum gradient = p->scale * sqrt(vector_dot(s.x.grad, s.x.grad, p->nv));
  if (gradient >= p->tolerance && p->iterations > 0) {
    size_t nefc = (size_t)p->rows.nefc;
    hessian_start(p, &s.h);
    s.Wv = mj_stackAllocNum(p->d, 3 * nefc + (size_t)p->nlane);
    s.before = s.Wv + nefc;
    s.change = s.before + nefc;
    s.delta = s.change + nefc;
    s.state = mj_stackAllocInt(p->d, nefc);
    iterate(&s, report, gradient);
    for (int i = 0; i < p->nv; i++) report->nnz += i + 1 - s.h.fill[i];
  }
  mj_freeStack(p->d);
}
