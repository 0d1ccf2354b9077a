// What the primal solvers share: the point, the cost, the exact line search.
#include <string.h>

#include "solve/problem.h"

// ---- the point

void primal_update(const snProblem* p, snPoint* x, bool cone_hessian) {
  int nv = p->nv;
  mjtNum s = constrain_update(&p->rows, x->jar, p->force, p->state, cone_hessian);
  problem_mul_JT(p, p->frc_constraint, p->force);
  mjtNum gauss = 0;
  for (int i = 0; i < nv; i++) {
    mjtNum r = x->Ma[i] - p->frc_smooth[i];
    gauss += r * (p->acc[i] - p->acc_smooth[i]);
    x->grad[i] = r - p->frc_constraint[i];
  }
  x->gauss = 0.5 * gauss;
  x->cost = s + x->gauss;
}

void primal_start(const snProblem* p, snPoint* x) {
  int nv = p->nv, nefc = p->rows.nefc;
  mjData* d = p->d;
  x->Ma = mj_stackAllocNum(d, nv);
  x->grad = mj_stackAllocNum(d, nv);
  x->search = mj_stackAllocNum(d, (size_t)p->nlane);
  x->Mv = mj_stackAllocNum(d, nv);
  x->jar = mj_stackAllocNum(d, nefc);
  x->Jv = mj_stackAllocNum(d, nefc);
  x->quad = mj_stackAllocNum(d, nefc);
  x->neval = 0;
  x->slope = 0;

  // J a0 - aref is on p->force when we come: its cost is that of a0
  mjtNum* b = x->Jv;
  memcpy(b, p->force, sizeof(mjtNum) * (size_t)nefc);
  mjtNum cold = constrain_update(&p->rows, b, p->force, p->state, false);
  problem_mul_M(p, x->Ma, p->acc);
  problem_mul_J(p, x->jar, p->acc);
  for (int i = 0; i < nefc; i++) x->jar[i] -= p->aref[i];
  mjtNum warm = constrain_update(&p->rows, x->jar, p->force, p->state, false);
  for (int i = 0; i < nv; i++) {
    warm += 0.5 * (x->Ma[i] - p->frc_smooth[i]) * (p->acc[i] - p->acc_smooth[i]);
  }
  if (!(warm < cold)) {
    memcpy(p->acc, p->acc_smooth, sizeof(mjtNum) * (size_t)nv);
    memcpy(x->Ma, p->frc_smooth, sizeof(mjtNum) * (size_t)nv);
    memcpy(x->jar, b, sizeof(mjtNum) * (size_t)nefc);
  }
}

// ---- the line search
// phi(t) = cost(x + t search). Its Gauss part is one parabola; so are the rows that stay quadratic,
// which are summed once. The others are looked at for every t.

typedef struct snLine_ {
  const snProblem* p;
  const snPoint* x;
  mjtNum quad1, quad2;  // slope at 0 and curvature of the parabolas
} snLine;

typedef struct snSlope_ {
  mjtNum t, d1, d2;
} snSlope;

// Elliptic cone along the line: U and N move linearly.
static void cone_slope(const mjContact* con, const mjtNum* D, const mjtNum* jar, const mjtNum* Jv,
                       mjtNum t, mjtNum* d1, mjtNum* d2) {
  int dim = con->dim;
  mjtNum mu = con->mu, UU = 0, UV = 0, VV = 0;
  mjtNum N = mu * (jar[0] + t * Jv[0]), NV = mu * Jv[0];
  for (int j = 1; j < dim; j++) {
    mjtNum f = con->friction[j - 1], u = f * (jar[j] + t * Jv[j]), v = f * Jv[j];
    UU += u * u;
    UV += u * v;
    VV += v * v;
  }
  mjtNum T = sqrt(UU);
  if (N >= mu * T || (T <= 0 && N >= 0)) return;
  if (mu * N + T <= 0 || T <= 0) {
    for (int j = 0; j < dim; j++) {
      *d1 += D[j] * (jar[j] + t * Jv[j]) * Jv[j];
      *d2 += D[j] * Jv[j] * Jv[j];
    }
    return;
  }
  // s = Dm/2 (N - mu T)^2, T' = UV/T, T'' = (VV - T'^2)/T
  mjtNum Dm = D[0] / (mu * mu * (1 + mu * mu)), gap = N - mu * T;
  mjtNum T1 = UV / T, T2 = (VV - T1 * T1) / T, g1 = NV - mu * T1;
  *d1 += Dm * gap * g1;
  *d2 += Dm * (g1 * g1 - gap * mu * T2);
}

static snSlope line_eval(const snLine* line, mjtNum t, int* neval) {
  const snProblem* p = line->p;
  const mjtNum *jar = line->x->jar, *Jv = line->x->Jv, *D = p->rows.D, *DVV = line->x->quad;
  int ne = p->rows.ne, nf = p->rows.nf, n = p->rows.nefc;
  mjtNum d1 = line->quad1 + t * line->quad2, d2 = line->quad2;
  ++*neval;
  for (int i = ne; i < ne + nf; i++) {
    mjtNum loss = p->rows.frictionloss[i], edge = p->rows.R[i] * loss, r = jar[i] + t * Jv[i];
    if (r <= -edge) {
      d1 -= loss * Jv[i];
    } else if (r >= edge) {
      d1 += loss * Jv[i];
    } else {
      d1 += D[i] * r * Jv[i];
      d2 += DVV[i];
    }
  }
  if (!p->elliptic) {
    sn4 s1 = {0, 0, 0, 0}, s2 = {0, 0, 0, 0};
    int i = ne + nf;
    sn4 zero = {0, 0, 0, 0};
    for (; i + 4 <= n; i += 4) {
      sn4 v = sn4_load(Jv + i), r = sn4_load(jar + i) + v * t, w = sn4_load(D + i) * v;
      sn4i on = r < zero;
      s1 += sn4_select(on, w * r, zero);
      s2 += sn4_select(on, w * v, zero);
    }
    d1 += sn4_sum(s1);
    d2 += sn4_sum(s2);
    for (; i < n; i++) {
      mjtNum r = jar[i] + t * Jv[i];
      if (r < 0) {
        d1 += D[i] * r * Jv[i];
        d2 += DVV[i];
      }
    }
  } else {
    for (int i = ne + nf; i < n;) {
      if (p->rows.type[i] == mjCNSTR_CONTACT_ELLIPTIC) {
        const mjContact* con = p->rows.contact + p->rows.id[i];
        cone_slope(con, D + i, jar + i, Jv + i, t, &d1, &d2);
        i += con->dim;
        continue;
      }
      mjtNum r = jar[i] + t * Jv[i];
      if (r < 0) {
        d1 += D[i] * r * Jv[i];
        d2 += DVV[i];
      }
      i++;
    }
  }
  return (snSlope){t, d1, d2 > mjMINVAL ? d2 : mjMINVAL};
}

// The root of phi'. phi' is continuous and rises; Newton steps are taken from the better end of the
// bracket, and the bracket is cut where they leave it.
static mjtNum line_search(const snLine* line, mjtNum t0, mjtNum gtol, snPoint* x) {
  const snProblem* p = line->p;
  x->neval = 0;
  snSlope at = line_eval(line, t0, &x->neval);
  snSlope lo = {0, line->quad1, 0}, hi = lo;
  bool have_hi = false;
  snSlope best = at;
  // phi'(0) < 0 for a descent direction, so 0 is the lower end until better is known
  for (int i = 0; i < p->ls_iterations && fabs(at.d1) >= gtol; i++) {
    if (at.d1 < 0) {
      lo = at;
    } else {
      hi = at;
      have_hi = true;
    }
    mjtNum t = at.t - at.d1 / at.d2;
    if (have_hi) {
      if (!(t > lo.t && t < hi.t)) t = 0.5 * (lo.t + hi.t);
      if (t <= lo.t || t >= hi.t) break;
    } else if (!(t > lo.t)) {
      t = 2 * lo.t + 1;
    }
    at = line_eval(line, t, &x->neval);
    if (fabs(at.d1) < fabs(best.d1)) best = at;
  }
  if (fabs(at.d1) < fabs(best.d1)) best = at;
  x->slope = best.d1;
  return best.t;
}

// Cost differences drown in rounding near the end; there phi is a parabola and falls by half its
// first slope times the step.
mjtNum primal_improvement(const snPoint* x, mjtNum cost) {
  mjtNum fall = cost - x->cost;
  return fabs(fall) < 1e-9 * fabs(cost) ? x->gain : fall;
}

mjtNum primal_move(const snProblem* p, snPoint* x) {
  int nv = p->nv, ne = p->rows.ne, n = p->rows.nefc;
  mjtNum snorm = sqrt(vector_dot(x->search, x->search, nv));
  x->search_norm = snorm;
  x->neval = 0;
  if (snorm < mjMINVAL) return 0;
  problem_mul_M(p, x->Mv, x->search);
  problem_mul_J(p, x->Jv, x->search);

  snLine line = {.p = p, .x = x};
  for (int i = 0; i < nv; i++) {
    line.quad1 += x->search[i] * (x->Ma[i] - p->frc_smooth[i]);
    line.quad2 += x->search[i] * x->Mv[i];
  }
  for (int i = 0; i < ne; i++) {
    line.quad1 += p->rows.D[i] * x->jar[i] * x->Jv[i];
    line.quad2 += p->rows.D[i] * x->Jv[i] * x->Jv[i];
  }
  for (int i = ne; i < n; i++) x->quad[i] = p->rows.D[i] * x->Jv[i] * x->Jv[i];

  mjtNum gtol = p->tolerance * p->ls_tolerance * snorm / p->scale;
  // the first trial is the Newton step of phi at 0, whose slope is grad' search
  int neval = 0;
  snSlope zero = line_eval(&line, 0, &neval);
  mjtNum t = 0;
  if (zero.d1 < 0) t = line_search(&line, -zero.d1 / zero.d2, gtol, x);
  x->neval += neval;
  x->gain = -0.5 * t * zero.d1;
  x->slope = fabs(x->slope) * p->scale / snorm;
  if (!(t > 0)) return 0;
  vector_add_scaled(p->acc, x->search, t, nv);
  vector_add_scaled(x->Ma, x->Mv, t, nv);
  vector_add_scaled(x->jar, x->Jv, t, n);
  return t;
}
