// Nonlinear conjugate gradients on the primal, preconditioned by M:
//
//   s = -inv(M) g + beta s_old,   beta = max(0, g'inv(M)(g - g_old) / g_old'inv(M) g_old)
//   (Polak-Ribiere-plus)
//
// with the exact line search of line.h. The image M s follows from gradients by the same
// recurrence, so an iteration costs one product with J, one with J' and one solve with M, and no
// Hessian. That pays where the Hessian of Newton's method would be large: flexes, many bodies in
// contact.
#include <string.h>

#include "solve/point.h"

SN_KERNEL static void count_rows(const snProblem* p, const snPoint* x, int* nactive, int* nchange) {
  point_count(p, x, nactive, nchange);
}

// Slope s'(M x - frc_smooth) and curvature s'Ms of the Gauss part along the search direction, and
// s's.
SN_KERNEL static void search_products(const snProblem* p, const snPoint* x, mjtNum product[3]) {
  int n = p->nv, k = 0;
  const mjtNum *s = x->search, *Ma = x->Ma, *Mv = x->Mv, *smooth = p->frc_smooth;
  sn4 slope = sn4_set1(0), curvature = slope, norm = slope;
  for (; k + 4 <= n; k += 4) {
    sn4 v = sn4_load(s + k);
    slope += v * (sn4_load(Ma + k) - sn4_load(smooth + k));
    curvature += v * sn4_load(Mv + k);
    norm += v * v;
  }
  product[0] = sn4_sum(slope), product[1] = sn4_sum(curvature), product[2] = sn4_sum(norm);
  for (; k < n; k++) {
    product[0] += s[k] * (Ma[k] - smooth[k]);
    product[1] += s[k] * Mv[k];
    product[2] += s[k] * s[k];
  }
}

// x has moved by t along the search direction: M x, and the gradient M x - frc_smooth - J'f there,
// whose square comes back.
SN_KERNEL static mjtNum move_gradient(const snProblem* p, snPoint* x, mjtNum t) {
  int n = p->nv, k = 0;
  mjtNum *Ma = x->Ma, *grad = x->grad;
  const mjtNum *Mv = x->Mv, *smooth = p->frc_smooth, *pull = p->frc_constraint;
  sn4 lanes = sn4_set1(0);
  for (; k + 4 <= n; k += 4) {
    sn4 a = sn4_load(Ma + k) + sn4_load(Mv + k) * t;
    sn4 g = a - sn4_load(smooth + k) - sn4_load(pull + k);
    sn4_store(Ma + k, a);
    sn4_store(grad + k, g);
    lanes += g * g;
  }
  mjtNum square = sn4_sum(lanes);
  for (; k < n; k++) {
    Ma[k] += t * Mv[k];
    grad[k] = Ma[k] - smooth[k] - pull[k];
    square += grad[k] * grad[k];
  }
  return square;
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
  frame_open(p->memory);
  report->niter = report->nnz = 0;
  mjtNum *Mgrad, *old;
  if (!FRAME(p->memory, SN_ARRAY(Mgrad, p->nlane), SN_ARRAY(old, p->nlane)) ||
      !primal_start(p, &x, false)) {
    frame_close(p->memory);
    return false;
  }
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
    mjtNum product[3];
    search_products(p, &x, product);
    mjtNum t = primal_move(p, &x, product[0], product[1], sqrt(product[2]), false);
    if (t == 0) break;
    x.cost = x.gauss + primal_penalty(p, &x, false);
    problem_mul_JT(p, p->frc_constraint, x.force);
    gradient = p->scale * sqrt(move_gradient(p, &x, t));
    int nactive, nchange;
    count_rows(p, &x, &nactive, &nchange);
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
  frame_close(p->memory);
  return true;
}
