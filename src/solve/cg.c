// Nonlinear conjugate gradients on the primal: Polak-Ribiere-plus, preconditioned by M.
#include <string.h>

#include "solve/problem.h"

void solve_cg(const snProblem* p, snReport* report) {
  int nv = p->nv, nefc = p->rows.nefc;
  snPoint x;
  mj_markStack(p->d);
  primal_start(p, &x);
  primal_update(p, &x, false);
  report->niter = report->nnz = 0;
  mjtNum* Mgrad = mj_stackAllocNum(p->d, nv);
  mjtNum* old = mj_stackAllocNum(p->d, nv);
  mjtNum* oldM = mj_stackAllocNum(p->d, nv);
  int* before = mj_stackAllocInt(p->d, nefc);
  mjtNum gradient = p->scale * sqrt(vector_dot(x.grad, x.grad, nv));
  int iterations = gradient < p->tolerance ? 0 : p->iterations;
  problem_solve_M(p, Mgrad, x.grad);
  // M search follows from the gradients, for Mgrad is inv(M) grad
  for (int i = 0; i < nv; i++) {
    x.search[i] = -Mgrad[i];
    x.Mv[i] = -x.grad[i];
  }
  for (int iter = 0; iter < iterations; iter++) {
    memcpy(old, x.grad, sizeof(mjtNum) * (size_t)nv);
    memcpy(oldM, Mgrad, sizeof(mjtNum) * (size_t)nv);
    memcpy(before, p->state, sizeof(int) * (size_t)nefc);
    mjtNum cost = x.cost;
    problem_mul_J(p, x.Jv, x.search);
    mjtNum quad1 = vector_dot(x.search, x.Ma, nv) - vector_dot(x.search, p->frc_smooth, nv);
    mjtNum t = primal_move(p, &x, quad1, vector_dot(x.search, x.Mv, nv), false);
    if (t == 0) break;
    vector_add_scaled(x.Ma, x.Mv, t, nv);
    primal_update(p, &x, false);
    problem_solve_M(p, Mgrad, x.grad);
    int nchange = 0, nactive = 0;
    for (int i = 0; i < nefc; i++) {
      nchange += before[i] != p->state[i];
      nactive += p->state[i] != mjCNSTRSTATE_SATISFIED;
    }
    mjtNum improvement = p->scale * primal_improvement(&x, cost);
    gradient = p->scale * sqrt(vector_dot(x.grad, x.grad, nv));
    if (iter < mjNSOLVER) {
      report->stat[iter] =
          (mjSolverStat){improvement, gradient, x.slope, nactive, nchange, x.neval, 0};
    }
    report->niter = iter + 1;
    if (improvement < p->tolerance || gradient < p->tolerance) break;

    // beta = max(0, g'(Mg - Mg_old) / g_old' Mg_old)
    mjtNum num = 0;
    for (int i = 0; i < nv; i++) num += x.grad[i] * (Mgrad[i] - oldM[i]);
    mjtNum beta = num / mju_max(mjMINVAL, vector_dot(old, oldM, nv));
    if (!(beta > 0)) beta = 0;
    for (int i = 0; i < nv; i++) {
      x.search[i] = -Mgrad[i] + beta * x.search[i];
      x.Mv[i] = -x.grad[i] + beta * x.Mv[i];
    }
    // a direction that does not descend starts afresh
    if (vector_dot(x.search, x.grad, nv) >= 0) {
      for (int i = 0; i < nv; i++) {
        x.search[i] = -Mgrad[i];
        x.Mv[i] = -x.grad[i];
      }
    }
  }
  mj_freeStack(p->d);
}
