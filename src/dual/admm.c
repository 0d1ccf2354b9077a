// Proximal ADMM (Algorithm 6), for the CCP and, with De Saxce's correction renewed every iteration,
// for the NCP. Fixed, linear or spectral penalty.
//
//   x = -inv(D + R + (eta + rho)) (v_free + s - eta x - rho y - z)
//   y = P_K(x - z / rho),   z = z - rho (x - y)
//
// An equality has nothing to project on: there y = x, z = 0 and rho = 0, so that joints are exact
// in every iteration and only inequalities are found by iterating.
//
// y is the impulse, z its velocity v + s. The rows of each cone are scaled by one number, so that
// the mean diagonal of its block of D is 1: cones stay what they are, and rho means the same for
// light and heavy bodies. Rows of an equality are scaled one by one.
#include <math.h>
#include <string.h>

#include "dual/private.h"

#define STANDSTILL 200  // iterations without a hundredth gained: rounding allows no more
#define MOST 1000       // iterations of ADMM where others can take over
#define FEW 150         // iterations at most where Newton's method comes before or behind them
#define BUDGET 400      // steps of the proximal method
#define SHARE 0.4       // of the iterations, where others finish what ADMM leaves
#define RESORT 200      // iterations of the last resort
#define SHAKES 40       // times that another penalty is tried then

typedef struct snAdmm_ {
  const snDual* p;
  snMatrix A;
  mjtNum* scale;             // f = scale x, v = z / scale
  mjtNum* c;                 // scaled v_free
  mjtNum *x, *y, *z, *work;  // work has a stride's room
  mjtNum *last_x, *last_y;
  mjtNum rho, sigma, omega;
  int form;
  mjtNum best, objective;  // natural map of p->force; of the last y that was looked at
  mjtNum mark;             // natural map at iteration `marked`, when a hundredth was gained last
  int marked, shaken;      // times that the penalty was changed because of a standstill
  int next, most;          // iteration of the next polish; iterations at most
  snDualNewton newton;
  mjtNum* room;  // of the methods beside ADMM
  mjtNum* last;  // of the last resort
} snAdmm;

// The implicit solver is the last resort of problems that it can hold as a matrix. A larger problem
// may become one of them: rows that nothing can move are left out behind this count (reduce.c).
static size_t last_scratch(const snDelassus* D, int nblock) {
  snDelassus few = *D;
  if (few.n >= DUAL_FEW) few.n = DUAL_FEW - 1;
  return implicit_scratch(&few, nblock) + (size_t)dual_stride(few.n);
}

size_t admm_scratch(const snDelassus* D, int nblock) {
  return matrix_scratch(D, true) + newton_scratch(D, true) + proximal_scratch(D) +
         interior_scratch(D) + continuation_scratch(D) + pieces_scratch(D, nblock) +
         patch_scratch(D, nblock) + last_scratch(D, nblock) + 9 * (size_t)dual_stride(D->n) + 8;
}

static void scale_rows(snAdmm* a) {
  const snDual* p = a->p;
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    mjtNum trace = 0;
    for (int i = b->row; i < b->row + b->nrow; i++) a->scale[i] = 1;
    if (!p->set.scale_rows) continue;
    for (int i = b->row; i < b->row + b->nrow; i++) {
      trace += matrix_diagonal(&a->A, i) + (p->R ? p->R[i] : 0);
    }
    mjtNum s = trace > mjMINVAL ? sqrt(b->nrow / trace) : 1;
    for (int i = b->row; i < b->row + b->nrow; i++) a->scale[i] = s;
    for (int i = b->row; b->kind == snDUAL_FREE && i < b->row + b->nrow; i++) {
      mjtNum d = matrix_diagonal(&a->A, i) + (p->R ? p->R[i] : 0);
      if (d > mjMINVAL) a->scale[i] = 1 / sqrt(d);
    }
  }
}

// Is the block solved exactly in every iteration?
static bool exact(const snAdmm* a, const snDualBlock* b) {
  return b->kind == snDUAL_FREE && a->p->set.exact_joints;
}

static void set_penalty(snAdmm* a, mjtNum rho, snSolverReport* report) {
  a->rho = fmin(1e8, fmax(1e-8, rho));
  for (int k = 0; k < a->p->nblock; k++) {
    const snDualBlock* b = a->p->block + k;
    for (int i = b->row; i < b->row + b->nrow; i++) {
      a->work[i] = a->p->set.eta + (exact(a, b) ? 0 : a->rho);
    }
  }
  matrix_factor(&a->A, a->p->R, a->scale, a->work);
  report->factorizations++;
}

// Largest eigenvalue of the scaled D + R by power iteration: a rough one is enough.
static mjtNum largest_eigenvalue(snAdmm* a) {
  int n = a->p->n;
  mjtNum *x = a->last_x, *y = a->last_y, norm = 0;
  for (int i = 0; i < n; i++) x[i] = 1 + 0.1 * (i % 7);
  for (int k = 0; k < 20; k++) {
    norm = sqrt(vec_dot(x, x, n));
    if (!(norm > 0)) return 1;
    for (int i = 0; i < n; i++) x[i] *= a->scale[i] / norm;
    matrix_mul(&a->A, y, x);
    for (int i = 0; i < n; i++) x[i] = a->scale[i] * (y[i] + (a->p->R ? a->p->R[i] * x[i] : 0));
  }
  return fmax(sqrt(vec_dot(x, x, n)), mjMINVAL);
}

// One iteration; residuals in the units of the scaled problem.
static void iterate(snAdmm* a, mjtNum* primal, mjtNum* dual) {
  const snDual* p = a->p;
  const snSolverSettings* set = &p->set;
  int n = p->n;
  memcpy(a->last_x, a->x, sizeof(mjtNum) * (size_t)n);
  memcpy(a->last_y, a->y, sizeof(mjtNum) * (size_t)n);
  for (int i = 0; i < n; i++) a->work[i] = -(a->c[i] - set->eta * a->x[i]);
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    if (exact(a, b)) continue;
    for (int i = b->row; i < b->row + b->nrow; i++) a->work[i] += a->rho * a->y[i] + a->z[i];
  }
  if (a->form == snFORM_NCP) {
    for (int k = 0; k < p->nblock; k++) {
      const snDualBlock* b = p->block + k;
      if (b->kind == snDUAL_CONE) a->work[b->row] -= desaxce(b, a->z + b->row);
    }
  }
  matrix_solve(&a->A, a->work);
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    if (exact(a, b)) {
      for (int i = b->row; i < b->row + b->nrow; i++) a->x[i] = a->y[i] = a->work[i];
      continue;
    }
    for (int i = b->row; i < b->row + b->nrow; i++) {
      a->x[i] = a->omega * a->work[i] + (1 - a->omega) * a->y[i];
      a->y[i] = a->x[i] - a->z[i] / a->rho;
    }
    if (b->kind == snDUAL_BOX) {  // the only set that scales
      snDualBlock scaled = *b;
      scaled.bound = b->bound / a->scale[b->row];
      project_block(&scaled, a->y + b->row);
    } else {
      project_block(b, a->y + b->row);
    }
  }
  *primal = *dual = 0;
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    mjtNum rho = exact(a, b) ? 0 : a->rho;
    for (int i = b->row; i < b->row + b->nrow; i++) {
      mjtNum gap = a->x[i] - a->y[i], dx = a->x[i] - a->last_x[i], dy = a->y[i] - a->last_y[i];
      a->z[i] -= rho * gap;
      *primal = fmax(*primal, fabs(gap));
      *dual = fmax(*dual, fabs(set->eta * dx + rho * dy));
    }
  }
}

// Iterations before the first polish: a step of Newton's method costs as much as n / 3 of them.
static int polish_after(int n) { return 5 + n / 6; }

// (171) or (172): keep primal and dual residual within a ratio of each other.
static bool adapt(const snAdmm* a, int rule, mjtNum condition, mjtNum primal, mjtNum dual,
                  mjtNum* rho) {
  const snSolverSettings* set = &a->p->set;
  mjtNum factor = rule == snPENALTY_LINEAR ? set->rho_factor : sn_pow(condition, set->rho_power);
  if (primal > set->rho_ratio * dual)
    *rho = a->rho * factor;
  else if (dual > set->rho_ratio * primal)
    *rho = a->rho / factor;
  else
    return false;
  return true;
}

// y = f, z = v + s. Returns the natural map of f; v is left holding its velocity.
static mjtNum start_at(snAdmm* a, const mjtNum* f, mjtNum* v) {
  const snDual* p = a->p;
  dual_velocity(p, f, v);
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    bool whole = a->form == snFORM_NCP && p->set.settle;  // as published z starts as v
    mjtNum correction = whole ? desaxce(b, v + b->row) : 0;
    for (int i = b->row; i < b->row + b->nrow; i++) {
      a->x[i] = a->y[i] = f[i] / a->scale[i];
      a->c[i] = a->scale[i] * p->v_free[i];
      a->z[i] = exact(a, b) ? 0 : a->scale[i] * (v[i] + (i == b->row ? correction : 0));
    }
  }
  return dual_natural(p, a->form, f, v);
}

static void admm_make(snAdmm* a) {
  const snDual* p = a->p;
  int n = p->n, stride = dual_stride(n);
  snScratch s = {p->scratch, p->scratch + p->nscratch};
  matrix_make(&a->A, p, true, &s);
  mjtNum** vectors[] = {&a->scale, &a->c, &a->x, &a->y, &a->z, &a->work, &a->last_x, &a->last_y};
  for (int i = 0; i < 8; i++) *vectors[i] = scratch_take(&s, stride);
  newton_make(&a->newton, p, a->form, &a->A, a->scale,
              scratch_take(&s, newton_scratch(p->D, true)));
  a->room = scratch_take(&s, proximal_scratch(p->D) + interior_scratch(p->D) +
                                 continuation_scratch(p->D) + pieces_scratch(p->D, p->nblock) +
                                 patch_scratch(p->D, p->nblock));
  if (n < DUAL_FEW) a->last = scratch_take(&s, last_scratch(p->D, p->nblock));
  a->next = polish_after(n);
  a->omega = p->set.omega;
  scale_rows(a);
}

// y in the units of the problem: the best so far is kept. True when it meets the tolerances, stands
// still by those for that, or no more is to be had.
static bool judge(snAdmm* a, int i, mjtNum* rho, snSolverReport* report) {
  const snDual* p = a->p;
  const snSolverSettings* set = &p->set;
  int n = p->n;
  mjtNum *f = a->last_x, *v = a->work;  // last_x is wanted by nobody before it is set
  mjtNum weight = p->inertia > 0 ? 1 / p->inertia : 1;
  report->r_iterate = 0;
  for (int k = 0; k < n; k++) {
    report->r_iterate = fmax(report->r_iterate, a->scale[k] * fabs(a->y[k] - a->last_y[k]));
  }
  for (int k = 0; k < n; k++) f[k] = a->scale[k] * a->y[k];
  dual_velocity(p, f, v);
  mjtNum natural = dual_natural(p, a->form, f, v), before = a->objective;
  a->objective = dual_objective(p, f, v);
  report->r_objective = weight * fabs(a->objective - before);
  if (natural < 0.99 * a->mark) {
    a->mark = natural;
    a->marked = i;
  }
  if (natural < a->best || !set->keep_best) {
    a->best = natural;
    memcpy(p->force, f, sizeof(mjtNum) * (size_t)n);
  }
  report->converged = dual_converged(p, a->form, f, v, natural);
  for (int k = 0; k < n; k++) f[k] = a->x[k];
  if (report->converged || dual_still(p, report)) return true;
  if (set->polish && (i + 1 == a->most || i >= a->next)) {
    a->next = 2 * i + polish_after(n);
    bool better = polish(&a->newton, dual_tolerance(p), p->force, &a->best, report);
    dual_velocity(p, p->force, v);
    report->converged = report->r_conflict > 0 || dual_converged(p, a->form, p->force, v, a->best);
    if (report->converged) return true;
    if (a->A.inner) set_penalty(a, a->rho, report);  // both factor in one place
    if (better && a->best < 0.1 * natural) start_at(a, p->force, v);
  }
  if (i - a->marked < STANDSTILL) return false;
  static const mjtNum other[] = {1, 0.01, 100, 0.1};
  if (!set->polish || a->shaken++ == SHAKES) return true;
  *rho = set->rho * other[a->shaken % 4];
  set_penalty(a, *rho, report);
  a->marked = i;
  a->next = i + 20;
  return false;
}

// Newton's method aims at a share of the tolerance, which is near once the state of each
// contact is known. Where corners of a face stick in planes not quite the same, velocities of some
// 1e-9 m/s are at odds, and that share may take more than all the rest.
static bool reached(snAdmm* a, snSolverReport* report) {
  const snDual* p = a->p;
  snDual content = *p;
  content.set.tol_primal *= dual_enough(p);
  content.set.tol_dual *= dual_enough(p);
  dual_velocity(p, p->force, a->work);
  report->converged =
      report->r_conflict > 0 || dual_converged(&content, a->form, p->force, a->work, a->best);
  return report->converged;
}

// What is left with its last digits wrong; a jam has no solution at the end of any curve.
static void follow_far(snAdmm* a, mjtNum tolerance, snSolverReport* report) {
  const snDual* p = a->p;
  bool close = a->best > dual_enough(p) * tolerance && a->best < CLOSE;
  if (close && a->form == snFORM_NCP && !report->r_conflict)
    continuation(&a->newton, true, tolerance, p->force, &a->best, a->room, report);
}

static void last_digits(snAdmm* a, mjtNum tolerance, snSolverReport* report) {
  const snDual* p = a->p;
  int left = p->set.iterations - report->iterations, budget = left < BUDGET ? left : BUDGET;
  if (a->best > dual_enough(p) * tolerance && !report->r_conflict)
    proximal(&a->newton, budget, tolerance, p->force, &a->best, a->room, report);
  // last digits alone: what is far off is a jam as a rule, and its patches are jams too
  if (a->best > dual_enough(p) * tolerance && a->best < CLOSE && !report->r_conflict)
    patches(&a->newton, tolerance, p->force, &a->best, a->room);
}

// Where D is in factors a step of Newton's method costs little more than an iteration: first from
// the start, which mostly has the state of each contact right, then by way of problems that are
// easier (proximal.c). True when that solved it.
static bool newton_first(snAdmm* a, mjtNum tolerance, snSolverReport* report) {
  const snDual* p = a->p;
  if (a->best > tolerance) {
    newton_descend(&a->newton, snNEWTON_WHOLE, tolerance, p->force, &a->best, report);
    if (a->best > tolerance && !report->r_conflict)
      interior(&a->newton, false, tolerance, p->force, &a->best, a->room, report);
    // a jam has no solution at the end of any curve
    bool left_over = a->best > dual_enough(p) * tolerance && !report->r_conflict;
    if (left_over && a->form == snFORM_NCP && p->n >= DUAL_FEW)
      continuation(&a->newton, false, tolerance, p->force, &a->best, a->room, report);
    last_digits(a, tolerance, report);
    mjtNum before = a->best;
    if (p->n >= DUAL_FEW) follow_far(a, tolerance, report);
    if (a->best < before) last_digits(a, tolerance, report);
    a->best = a->mark = start_at(a, p->force, a->work);
  }
  return reached(a, report);
}

// Levenberg's and Marquardt's steps of the implicit solver find roots that no path leads to:
// contacts that wedge with friction far above 1.
static void resort(snAdmm* a, snSolverReport* report) {
  snDual own = *a->p;
  snSolverReport ours = {0};
  size_t stride = (size_t)dual_stride(own.n);
  own.force = a->last;
  own.scratch = a->last + stride;
  own.nscratch = last_scratch(own.D, own.nblock) - stride;
  own.set.iterations -= report->iterations;
  if (own.set.iterations <= 0) return;
  if (own.set.iterations > RESORT) own.set.iterations = RESORT;
  own.set.form = a->form;
  memcpy(own.force, a->p->force, sizeof(mjtNum) * (size_t)own.n);
  solve_implicit(&own, &ours);
  report->iterations += ours.iterations;
  dual_velocity(&own, own.force, a->work);
  mjtNum now = dual_natural(&own, a->form, own.force, a->work);
  if (!(now < a->best)) return;
  a->best = now;
  memcpy(a->p->force, own.force, sizeof(mjtNum) * (size_t)own.n);
  reached(a, report);
}

// What neither Newton's method nor ADMM could solve
static void finish(snAdmm* a, mjtNum tolerance, snSolverReport* report) {
  const snDual* p = a->p;
  // the interior-point method has had all of its rounds already where D is in factors
  if (reached(a, report) || (a->A.inner && p->n >= DUAL_FEW)) return;
  interior(&a->newton, true, tolerance, p->force, &a->best, a->room, report);
  if (!reached(a, report) && a->form == snFORM_NCP)
    continuation(&a->newton, false, tolerance, p->force, &a->best, a->room, report);
  if (!reached(a, report) && p->n < DUAL_FEW) resort(a, report);
  if (!reached(a, report)) follow_far(a, tolerance, report);
  reached(a, report);
}

// (170): primal and dual residual of the iterates, and the products x'z of blocks
static bool small_residuals(const snAdmm* a, mjtNum primal, mjtNum dual) {
  const snDual* p = a->p;
  mjtNum worst = 0;
  for (int k = 0; k < p->nblock; k++) {
    mjtNum product = 0;
    for (int i = p->block[k].row; i < p->block[k].row + p->block[k].nrow; i++) {
      product += a->x[i] * a->z[i];
    }
    worst = fmax(worst, fabs(product));
  }
  return primal < p->set.tol_primal && dual < p->set.tol_dual &&
         (worst < p->set.tol_compl || p->set.tol_compl <= 0);
}

static void admm(const snDual* p, snSolverReport* report) {
  const snSolverSettings* set = &p->set;
  snAdmm a = {.p = p, .form = set->form == snFORM_CCP ? snFORM_CCP : snFORM_NCP};
  admm_make(&a);
  mjtNum rho = set->rho, condition = 1, tolerance = dual_tolerance(p);
  if (set->penalty == snPENALTY_SPECTRAL) {
    mjtNum L = largest_eigenvalue(&a), m = fmax(set->eta, mjMINVAL);
    condition = fmax(1, L / m);
    rho = sqrt(L * m) * sn_pow(condition, set->rho);
  }
  if (!a.A.inner) set_penalty(&a, rho, report);
  project_all(p, p->force);
  a.best = a.mark = start_at(&a, p->force, a.work);
  a.objective = dual_objective(p, p->force, a.work);
  report->converged = false;
  if (set->polish && a.A.inner && newton_first(&a, tolerance, report)) return;
  if (a.A.inner) set_penalty(&a, rho, report);  // both factor in one place
  // what Newton's method could not solve ADMM seldom does, and what ADMM cannot solve soon it may
  int before = report->iterations;  // of Newton's method
  bool text = !set->by_natural && !set->polish;
  a.most = set->iterations - before;
  if (set->polish && a.most > MOST) a.most = MOST;
  if (set->polish && a.A.inner && a.most > FEW)
    a.most = p->n < DUAL_FEW || a.best > CLOSE ? FEW : 0;
  if (set->polish && !a.A.inner) a.most = (int)(SHARE * a.most);
  for (int i = 0, since = 0; i < a.most; i++) {
    mjtNum primal, dual;
    iterate(&a, &primal, &dual);
    if (!isfinite(primal) || !isfinite(dual)) break;
    report->iterations = before + i + 1;
    since++;
    // the natural map is worth its price when the scaled residuals say so, and now and then
    bool look = i + 1 == a.most || fmax(primal, dual) < 10 * tolerance || i % 10 == 9;
    bool residuals = text && small_residuals(&a, primal, dual);
    if ((look || residuals) && judge(&a, i, &rho, report) && !text) break;
    if (text) report->converged = residuals;
    if (residuals) break;
    if (set->penalty != snPENALTY_FIXED && (since >= 10 || !set->settle) &&
        adapt(&a, set->penalty, condition, primal, dual, &rho)) {
      set_penalty(&a, rho, report);
      since = 0;
    }
    a.omega = fmax(set->omega_min, a.omega * set->omega_decay);
  }
  report->rho = a.rho;
  if (set->polish && !report->converged) finish(&a, tolerance, report);
}

void solve_admm(const snDual* p, snSolverReport* report) {
  snDual aim = *p;
  if (p->set.polish) {
    aim.set.tol_primal /= dual_enough(p);
    aim.set.tol_dual /= dual_enough(p);
  }
  admm(&aim, report);
}
