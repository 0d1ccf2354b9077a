// The point that the primal solvers stand at: forces and cost of its rows, the line from it.
// Written to be inlined, for small systems solve in one kernel.
#ifndef SINEW_SOLVE_POINT_H_
#define SINEW_SOLVE_POINT_H_

#include <string.h>

#include "constrain/cone.h"
#include "solve/line.h"
#include "solve/problem.h"

// Weights and bounds of forces by rows: f = clamp(-D jar). Rows of cones are kept out of the lanes
// and listed.
SN_INLINE void point_bounds(const snProblem* p, snPoint* x) {
  const mjtNum infinity = 1e100;
  int ne = p->rows.ne, nf = ne + p->rows.nf, n = p->rows.nefc;
  SN_ASSERT(x->nlane == ((n + 3) & ~3) && n > 0);
  mjtNum* const padded[] = {x->D, x->R, x->low, x->high, x->jar, x->Jv};
  SN_UNROLL
  for (int k = 0; k < 6; k++) sn4_store(padded[k] + x->nlane - 4, sn4_set1(0));
  memcpy(x->D, p->rows.D, sizeof(mjtNum) * (size_t)n);
  memcpy(x->R, p->rows.R, sizeof(mjtNum) * (size_t)n);
  for (int i = 0; i < ne; i++) x->low[i] = -infinity, x->high[i] = infinity;
  for (int i = ne; i < nf; i++) {
    x->low[i] = -p->rows.frictionloss[i], x->high[i] = p->rows.frictionloss[i];
  }
  for (int i = nf; i < n; i++) x->low[i] = 0, x->high[i] = infinity;
  x->ncone = 0;
  for (int i = nf; p->elliptic && i < n;) {
    if (p->rows.type[i] != mjCNSTR_CONTACT_ELLIPTIC) {
      i++;
      continue;
    }
    int dim = p->rows.contact[p->rows.id[i]].dim;
    SN_ASSERT(dim > 1 && dim <= 6 && i + dim <= n);
    x->cone[x->ncone++] = i;
    for (int j = i; j < i + dim; j++) x->high[j] = 0;
    i += dim;
  }
}

// s = -f (jar + R f / 2), which is D jar^2 / 2 where f = -D jar
SN_INLINE mjtNum point_penalty(const snProblem* p, snPoint* x, bool cone_hessian) {
  mjtNum *force = x->before, *weight = x->weight_before, *jar = x->jar;
  x->before = x->force, x->force = force;
  x->weight_before = x->weight, x->weight = weight;
  const mjtNum *D = x->D, *R = x->R, *lows = x->low, *highs = x->high;
  sn4 cost = sn4_set1(0);
  for (int i = 0, n = x->nlane; i < n; i += 4) {
    sn4 r = sn4_load(jar + i), d = sn4_load(D + i), y = -r * d;
    sn4 low = sn4_load(lows + i), high = sn4_load(highs + i), f = sn4_clamp(y, low, high);
    sn4_store(force + i, f);
    sn4_store(weight + i, sn4_select((y > low) & (y < high), d, sn4_set1(0)));
    cost -= f * (r + f * 0.5 * sn4_load(R + i));
  }
  mjtNum s = sn4_sum(cost);
  for (int c = 0; c < x->ncone; c++) {
    int i = x->cone[c];
    mjContact* con = p->rows.contact + p->rows.id[i];
    s += cone_force(con, D + i, jar + i, force + i, p->state + i, cone_hessian);
    bool quadratic = p->state[i] == mjCNSTRSTATE_QUADRATIC;
    for (int j = i; j < i + con->dim; j++) weight[j] = quadratic ? D[j] : 0;
  }
  return s;
}

// Rows with a force, and rows whose state the last move changed. A row with a weight is
// quadratic; of any other row the force, which is at a bound, gives the state; the forces of a cone
// in its middle zone move without a change of state, so cones are counted by their zones.
SN_INLINE void point_count(const snProblem* p, const snPoint* x, int* nactive, int* nchange) {
  const mjtNum *w0 = x->weight_before, *w1 = x->weight, *f0 = x->before, *f1 = x->force;
  sn4i active = {0, 0, 0, 0}, changed = active;
  for (int i = 0, n = x->nlane; i < n; i += 4) {
    sn4 before = sn4_load(w0 + i), now = sn4_load(w1 + i);
    sn4 from = sn4_load(f0 + i), to = sn4_load(f1 + i);
    active -= to != 0;
    changed -= (before != now) | ((now == 0) & (to != from));
  }
  *nactive = (int)(active[0] + active[1] + active[2] + active[3]);
  *nchange = (int)(changed[0] + changed[1] + changed[2] + changed[3]);
  for (int c = 0; c < x->ncone; c++) {
    int i = x->cone[c], dim = p->rows.contact[p->rows.id[i]].dim;
    for (int j = i; j < i + dim; j++) *nchange -= w0[j] != w1[j] || (w1[j] == 0 && f0[j] != f1[j]);
    bool same = (w0[i] != 0) == (w1[i] != 0) && (f0[i] != 0) == (f1[i] != 0);
    *nchange += same ? 0 : dim;
  }
}

// Force and state of rows to where they are shown.
SN_INLINE void point_finish(const snProblem* p, const snPoint* x) {
  int ne = p->rows.ne, nf = ne + p->rows.nf, n = p->rows.nefc;
  memcpy(p->force, x->force, sizeof(mjtNum) * (size_t)n);
  for (int i = 0; i < ne; i++) p->state[i] = mjCNSTRSTATE_QUADRATIC;
  for (int i = ne; i < nf; i++) {
    p->state[i] = x->weight[i] != 0 ? mjCNSTRSTATE_QUADRATIC
                  : x->force[i] > 0 ? mjCNSTRSTATE_LINEARNEG
                                    : mjCNSTRSTATE_LINEARPOS;
  }
  for (int i = nf; i < n; i++) {
    if (p->elliptic && p->rows.type[i] == mjCNSTR_CONTACT_ELLIPTIC) continue;
    p->state[i] = x->weight[i] != 0 ? mjCNSTRSTATE_QUADRATIC : mjCNSTRSTATE_SATISFIED;
  }
}

// ---- the line search
// The Gauss part of phi is one parabola. A row has the slope -f v, f = clamp(-D (jar + t v)).

typedef struct snLine_ {
  const snProblem* p;
  const snPoint* x;
  mjtNum quad1, quad2;  // slope at 0 and curvature of the parabola
} snLine;

SN_INLINE snSlope line_eval(const void* of, mjtNum t) {
  const snLine* line = of;
  const snProblem* p = line->p;
  const snPoint* x = line->x;
  sn4 s0 = sn4_set1(0), s1 = s0, s2 = s0;
  for (int i = 0; i < x->nlane; i += 4) {
    sn4 v = sn4_load(x->Jv + i), D = sn4_load(x->D + i), r = sn4_load(x->jar + i) + v * t;
    sn4 low = sn4_load(x->low + i), high = sn4_load(x->high + i);
    sn4 y = -r * D, f = sn4_clamp(y, low, high);
    s0 -= f * (r + f * 0.5 * sn4_load(x->R + i));
    s1 -= f * v;
    s2 += sn4_select((y > low) & (y < high), D * v * v, sn4_set1(0));
  }
  mjtNum sum[3] = {x->gauss + t * (line->quad1 + 0.5 * t * line->quad2) + sn4_sum(s0),
                   line->quad1 + t * line->quad2 + sn4_sum(s1), line->quad2 + sn4_sum(s2)};
  for (int c = 0; c < x->ncone; c++) {
    int i = x->cone[c];
    cone_line(p->rows.contact + p->rows.id[i], x->D + i, x->jar + i, x->Jv + i, t, sum);
  }
  return line_slope(t, sum);
}

// How far to go along a direction of length `norm` with the image Jv; 0: nowhere. The Gauss part of
// the cost has slope quad1 and curvature quad2 there; that part and the statistics of the search
// are kept in x.
SN_INLINE mjtNum point_length(const snProblem* p, snPoint* x, mjtNum norm, mjtNum quad1,
                              mjtNum quad2, bool newton) {
  x->neval = 0;
  if (!(norm >= mjMINVAL)) return 0;
  snLine line = {p, x, quad1, quad2};
  mjtNum gtol = p->tolerance * p->ls_tolerance * norm / p->scale;
  // a step of Newton ends where phi would if it were a parabola; others find that from its start
  snSlope zero = {0, x->cost, x->descent, -x->descent};
  if (!newton) zero = line_eval(&line, 0);
  if (newton && !(zero.d1 < 0)) return 0;
  snSlope end =
      line_search(line_eval, &line, zero, -zero.d1 / zero.d2, gtol, p->ls_iterations, &x->neval);
  mjtNum t = end.t;
  if (newton ? !(t > 0) : !(t != 0)) return 0;
  x->gain = -0.5 * t * zero.d1;
  x->slope = fabs(end.d1) * p->scale / norm;
  x->gauss += t * (quad1 + 0.5 * t * quad2);
  return t;
}

#endif
