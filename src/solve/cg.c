// Nonlinear conjugate gradients on the primal: Polak-Ribiere-plus, preconditioned by M.
#include <string.h>

#include "solve/problem.h"

// Rows with a force, and rows that gained or lost theirs.
static void count_rows(const snPoint* x, int n, int* nactive, int* nchange) {
  *nactive = *nchange = 0;
  for (int i = 0; i < n; i++) {
    *nactive += x->force[i] != 0;
    *nchange += x->weight[i] != x->weight_before[i];
  }
}

// search <- beta search - Mgrad, Mv <- beta Mv - grad: M search follows from the gradients, for
// Mgrad is inv(M) grad. Returns the slope of the cost along it.
SN_KERNEL static mjtNum turn(snPoint* x, const mjtNum* Mgrad, mjtNum beta, int n) {
  mjtNum *search = x->search, *Mv = x->Mv;
  const mjtNum* grad = x->grad;
  int k = 0;
  sn4 lanes = sn4_set1(0);
  for (; k + 4 <= n; k += 4) {
    sn4 g = sn4_load(grad + k), s = sn4_load(search + k) * beta - sn4_load(Mgrad + k);
    sn4_store(search + k, s);
    sn4_store(Mv + k, sn4_load(Mv + k) * beta - g);
    lanes += s * g;
  }
  mjtNum slope = sn4_sum(lanes);
  for (; k < n; k++) {
    search[k] = beta * search[k] - Mgrad[k];
    Mv[k] = beta * Mv[k] - grad[k];
    slope += search[k] * grad[k];
  }
  return slope;
}

bool solve_cg(const snProblem* p, snReport* report) {
  int nv = p->nv;
  snPoint x;
  mj_markStack(p->d);
  report->niter = report->nnz = 0;
  mjtNum* Mgrad = mj_stackAllocNum(p->d, 2 * (size_t)p->nlane);
  if (!Mgrad || !primal_start(p, &x, false)) {
    mj_freeStack(p->d);
    return false;
  }
  mjtNum* old = Mgrad + p->nlane;
  mjtNum gradient = primal_gradient(p, &x);
  int iterations = gradient < p->tolerance ? 0 : p->iterations;
  problem_solve_M(p, Mgrad, x.grad);
  memset(x.search, 0, sizeof(mjtNum) * (size_t)nv);
  memset(x.Mv, 0, sizeof(mjtNum) * (size_t)nv);
  turn(&x, Mgrad, 0, nv);
  mjtNum square = vector_dot(x.grad, Mgrad, nv);  // g' inv(M) g
  for (int iter = 0; iter < iterations; iter++) {
    mjtNum cost = x.cost;
    problem_mul_J(p, x.Jv, x.search);
    mjtNum quad1 = vector_dot(x.search, x.Ma, nv) - vector_dot(x.search, p->frc_smooth, nv);
    mjtNum t = primal_move(p, &x, quad1, vector_dot(x.search, x.Mv, nv), false);
    if (t == 0) break;
    vector_add_scaled(x.Ma, x.Mv, t, nv);
    x.cost = x.gauss + primal_penalty(p, &x, false);
    gradient = primal_gradient(p, &x);
    int nactive, nchange;
    count_rows(&x, p->rows.nefc, &nactive, &nchange);
    mjtNum improvement = p->scale * primal_improvement(&x, cost);
    if (iter < mjNSOLVER) {
      report->stat[iter] =
          (mjSolverStat){improvement, gradient, x.slope, nactive, nchange, x.neval, 0};
    }
    report->niter = iter + 1;
    if (improvement < p->tolerance || gradient < p->tolerance) break;

    // beta = max(0, g'(Mg - Mg_old) / g_old' Mg_old)
    mjtNum *next = old, before = mju_max(mjMINVAL, square);
    old = Mgrad, Mgrad = next;
    problem_solve_M(p, Mgrad, x.grad);
    square = vector_dot(x.grad, Mgrad, nv);
    mjtNum beta = (square - vector_dot(x.grad, old, nv)) / before;
    if (!(beta > 0)) beta = 0;
    turn(&x, Mgrad, beta, nv);
  }
  primal_finish(p, &x);
  mj_freeStack(p->d);
  return true;
}
