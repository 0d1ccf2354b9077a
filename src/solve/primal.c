// The point of a primal solver with products by blocks (point.h has the functions that are inlined
// into kernels): start at the cheaper of warm start and a0, gradient M (x - a0) - J'f, exact line
// search.
#include "solve/point.h"

SN_KERNEL mjtNum primal_penalty(const snProblem* p, snPoint* x, bool cone_hessian) {
  return point_penalty(p, x, cone_hessian);
}

static bool allocate(const snProblem* p, snPoint* x) {
  x->nlane = (p->rows.nefc + 3) & ~3;
  size_t v = (size_t)p->nlane, n = (size_t)x->nlane;
  return FRAME(p->memory, SN_ARRAY(x->Ma, v), SN_ARRAY(x->grad, v), SN_ARRAY(x->search, v),
               SN_ARRAY(x->Mv, v), SN_ARRAY(x->jar, n), SN_ARRAY(x->Jv, n), SN_ARRAY(x->force, n),
               SN_ARRAY(x->weight, n), SN_ARRAY(x->before, n), SN_ARRAY(x->weight_before, n),
               SN_ARRAY(x->D, n), SN_ARRAY(x->R, n), SN_ARRAY(x->low, n), SN_ARRAY(x->high, n),
               SN_ARRAY(x->cone, p->elliptic ? n : 0));
}

bool primal_start(const snProblem* p, snPoint* x, bool cone_hessian) {
  int nv = p->nv, nefc = p->rows.nefc;
  if (!allocate(p, x)) return false;
  SN_ASSERT(p->nlane % 4 == 0 && p->nlane >= nv);
  x->neval = 0;
  x->slope = 0;
  point_bounds(p, x);

  // the cost of a0, and then of the start that is given
  memcpy(x->jar, p->b, sizeof(mjtNum) * (size_t)nefc);
  mjtNum cold = primal_penalty(p, x, false);
  problem_images(p, x->Ma, x->jar);
  for (int i = 0; i < nefc; i++) x->jar[i] -= p->aref[i];
  x->gauss = 0;
  for (int i = 0; i < nv; i++) {
    x->gauss += 0.5 * (x->Ma[i] - p->frc_smooth[i]) * (p->acc[i] - p->acc_smooth[i]);
  }
  x->cost = primal_penalty(p, x, cone_hessian) + x->gauss;
  if (!p->chosen && !(x->cost < cold)) {
    memcpy(p->acc, p->acc_smooth, sizeof(mjtNum) * (size_t)nv);
    memcpy(x->Ma, p->frc_smooth, sizeof(mjtNum) * (size_t)nv);
    memcpy(x->jar, p->b, sizeof(mjtNum) * (size_t)nefc);
    x->gauss = 0;
    x->cost = primal_penalty(p, x, cone_hessian);
  }
  return true;
}

mjtNum primal_gradient(const snProblem* p, snPoint* x) {
  problem_mul_JT(p, p->frc_constraint, x->force);
  for (int i = 0; i < p->nv; i++) {
    x->grad[i] = x->Ma[i] - p->frc_smooth[i] - p->frc_constraint[i];
  }
  return p->scale * sqrt(vector_dot(x->grad, x->grad, p->nv));
}

void primal_finish(const snProblem* p, const snPoint* x) { point_finish(p, x); }

SN_KERNEL mjtNum primal_move(const snProblem* p, snPoint* x, mjtNum quad1, mjtNum quad2,
                             mjtNum norm, bool newton) {
  mjtNum t = point_length(p, x, norm, quad1, quad2, newton);
  if (t == 0) return 0;
  vector_add_scaled(p->acc, x->search, t, p->nv);
  vector_add_scaled(x->jar, x->Jv, t, p->rows.nefc);
  return t;
}

mjtNum primal_improvement(const snPoint* x, mjtNum cost) {
  return cost_fall(cost, x->cost, x->gain);
}
