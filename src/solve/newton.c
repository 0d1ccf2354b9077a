// Newton's method on the primal: exact second derivatives, factorized Hessian, exact line search.
#include "solve/problem.h"

static void record(snReport* report, int i, mjtNum improvement, mjtNum gradient, const snPoint* x,
                   int nactive, int nchange, int nupdate) {
  if (i >= mjNSOLVER) return;
  report->stat[i] =
      (mjSolverStat){improvement, gradient, x->slope, nactive, nchange, x->neval, nupdate};
}

static int count_active(const snProblem* p) {
  int n = 0;
  for (int i = 0; i < p->rows.nefc; i++) n += p->state[i] != mjCNSTRSTATE_SATISFIED;
  return n;
}

void solve_newton(const snProblem* p, snReport* report) {
  int nv = p->nv, nefc = p->rows.nefc;
  snPoint x;
  snHessian h;
  mj_markStack(p->d);
  primal_start(p, &x);
  primal_update(p, &x, p->elliptic);
  report->niter = 0;
  report->nnz = 0;
  mjtNum gradient = p->scale * sqrt(vector_dot(x.grad, x.grad, nv));
  if (gradient >= p->tolerance && p->iterations > 0) {
    hessian_start(p, &h);
    int* before = mj_stackAllocInt(p->d, nefc);
    for (int iter = 0; iter < p->iterations; iter++) {
      int nupdate = hessian_factor(p, &h);
      for (int i = 0; i < nv; i++) x.search[i] = -x.grad[i];
      hessian_solve(&h, x.search);
      for (int i = 0; i < nefc; i++) before[i] = p->state[i];
      mjtNum cost = x.cost;
      if (primal_move(p, &x) == 0) break;
      primal_update(p, &x, p->elliptic);
      int nchange = 0;
      for (int i = 0; i < nefc; i++) nchange += before[i] != p->state[i];
      mjtNum improvement = p->scale * primal_improvement(&x, cost);
      gradient = p->scale * sqrt(vector_dot(x.grad, x.grad, nv));
      record(report, iter, improvement, gradient, &x, count_active(p), nchange, nupdate);
      report->niter = iter + 1;
      if (improvement < p->tolerance || gradient < p->tolerance) break;
    }
    for (int i = 0; i < nv; i++) report->nnz += i + 1 - h.fill[i];
  }
  mj_freeStack(p->d);
}
