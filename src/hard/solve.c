// One hard step: free velocity, the dual problem, and what the engine shows of its solution.
#include <math.h>
#include <string.h>

#include "hard/private.h"
#include "integrate/integrate.h"
#include "smooth/smooth.h"

// Restitution of a contact: the larger of its geoms'; a flex has none.
static mjtNum contact_restitution(const mjContact* con, const mjtNum* e) {
  mjtNum e1 = con->geom[0] >= 0 ? e[con->geom[0]] : 0;
  mjtNum e2 = con->geom[1] >= 0 ? e[con->geom[1]] : 0;
  return fmax(e1, e2);
}

// What is added to v_free = J u_free, row by row: restitution, gaps still open, stabilization,
// softening. v are the velocities J u before the step.
static void add_targets(const mjModel* m, mjData* d, const snHardRows* rows,
                        const snSolverSettings* set, const mjtNum* v, mjtNum* v_free, mjtNum* R,
                        snImpact* impact) {
  mjtNum h = m->opt.timestep;
  bool baumgarte = set->stabilize == snSTABILIZE_VELOCITY;
  mj_markStack(d);
  mjtNum* e = mj_stackAllocNum(d, m->ngeom);
  hard_restitution(m, d, e);
  for (int k = 0; k < rows->nblock; k++) {
    const snDualBlock* b = rows->block + k;
    int row = b->row;
    mjtNum r = rows->r[row];
    impact[k].hit = false;
    if (set->soften) {
      for (int i = 0; i < b->nrow; i++) {
        int engine =
            rows->efc[k] + (d->efc_type[rows->efc[k]] == mjCNSTR_CONTACT_PYRAMIDAL ? 0 : i);
        const mjtNum* kbip = d->efc_KBIP + 4 * engine;
        mjtNum bias, stiff = rows->contact[k] >= 0 && i ? 0 : kbip[0] * kbip[2];
        dual_soften(kbip[2], stiff, kbip[1], rows->diagonal[row + i], rows->r[row + i], v[row + i],
                    h, R + row + i, &bias);
        v_free[row + i] += bias;
      }
    } else if (b->kind == snDUAL_FREE) {
      for (int i = 0; baumgarte && i < b->nrow; i++) {
        v_free[row + i] += dual_bias_joint(rows->r[row + i], set->erp_joint, h);
      }
    } else if (rows->contact[k] >= 0) {
      mjtNum rest = set->impact ? 0 : contact_restitution(d->contact + rows->contact[k], e);
      impact[k] = impact_find(r, v[row], (v_free[row] - v[row]) / h, rest, h);
      if (impact[k].hit)
        v_free[row] -= impact[k].velocity;
      else if (r > 0 || baumgarte)
        v_free[row] += dual_bias_contact(r, set->slop, set->erp_contact, h);
    } else if (b->kind == snDUAL_HALF && (r > 0 || baumgarte)) {
      v_free[row] += dual_bias_limit(r, set->erp_limit, h);
    }
  }
  mj_freeStack(d);
}

// One island's rows as a problem of the caller's arrays over all rows. R may be NULL.
static snDual island_problem(mjData* d, const snHardRows* rows, int island,
                             const snSolverSettings* set, const mjtNum* R, const mjtNum* v_free) {
  int first = rows->island[island], nblock = rows->island[island + 1] - first;
  int row = rows->block[first].row, n = 0;
  bool loops = false;
  snDualBlock* block = mj_stackAllocByte(d, sizeof(snDualBlock) * (size_t)nblock, 8);
  for (int k = 0; k < nblock; k++) {
    block[k] = rows->block[first + k];
    block[k].row -= row;
    n += block[k].nrow;
    loops |= block[k].kind == snDUAL_FREE;
  }
  return (snDual){.n = n,
                  .nblock = nblock,
                  .block = block,
                  .D = rows_operator(d, rows, island, rows->nnz + row, rows->adr + row, n, loops),
                  .R = R ? R + row : NULL,
                  .v_free = v_free + row,
                  .set = *set};
}

// The collision of an island by a law of law.c, when a contact with restitution closes in this
// step.
static bool collide_island(const mjModel* m, mjData* d, const snHardRows* rows, int island,
                           const snDualSolver* solver, const snSolverSettings* set,
                           const mjtNum* restitution, const mjtNum* v, const mjtNum* v_free,
                           mjtNum* f) {
  int first = rows->island[island], count = rows->island[island + 1] - first;
  int row = rows->block[first].row;
  mjtNum h = m->opt.timestep;
  bool hit = false;
  mj_markStack(d);
  snDual p = island_problem(d, rows, island, set, NULL, v);
  mjtNum *e = mj_stackAllocNum(d, count), *gap = mj_stackAllocNum(d, p.n);
  mju_zero(gap, p.n);
  for (int k = 0; k < count; k++) {
    const snDualBlock* b = rows->block + first + k;
    int contact = rows->contact[first + k], i = b->row;
    e[k] = contact < 0 ? 0 : contact_restitution(d->contact + contact, restitution);
    bool own = contact >= 0 && impact_find(rows->r[i], v[i], (v_free[i] - v[i]) / h, e[k], h).hit;
    if (b->kind >= snDUAL_HALF && !own) gap[i - row] = fmax(0, rows->r[i]) / h;
    hit |= own;
  }
  p.inertia = rows->inertia[island];
  if (hit) law_collide(d, solver, &p, set->impact, e, gap, f + row);
  mj_freeStack(d);
  return hit;
}

// All collisions of the step: impulses f, and u and v_free behind them.
static void collide(const mjModel* m, mjData* d, const snHardRows* rows, const snDualSolver* solver,
                    const snSolverSettings* set, const mjtNum* v, mjtNum* v_free, mjtNum* u,
                    mjtNum* f) {
  bool hit = false;
  mju_zero(f, rows->n);
  if (!set->impact || solver->soft) return;
  mj_markStack(d);
  mjtNum* e = mj_stackAllocNum(d, m->ngeom);
  hard_restitution(m, d, e);
  for (int k = 0; k < rows->nisland; k++) {
    if (rows->island[k] == rows->island[k + 1]) continue;
    hit |= collide_island(m, d, rows, k, solver, set, e, v, v_free, f);
  }
  mj_freeStack(d);
  if (!hit) return;
  rows_add(m, d, rows, f, u);
  rows_mul(rows, v_free, u);
}

// f that explains velocities b best: (D + small) f = b, over velocities where D has panels, else by
// conjugate gradients scaled by the diagonal of D. The small number keeps what D does not determine
// at zero. b is used up.
static void explain(mjData* d, const snDual* p, const mjtNum* diagonal, mjtNum* b, mjtNum* f) {
  int n = p->n;
  const snFactored* factored = delassus_inner(p->D);
  mj_markStack(d);
  mjtNum *r = mj_stackAllocNum(d, n), *z = mj_stackAllocNum(d, n), *s = mj_stackAllocNum(d, n);
  mjtNum *y = mj_stackAllocNum(d, n), trace = 0, rz = 0;
  for (int i = 0; i < n; i++) trace += diagonal[i];
  mjtNum small = 1e-8 * trace / n + mjMINVAL;
  if (factored) {
    panels_explain(factored->inner, small, n, b, f);
    mj_freeStack(d);
    return;
  }
  for (int i = 0; i < n; i++) {
    f[i] = 0;
    r[i] = b[i];
    s[i] = z[i] = r[i] / (diagonal[i] + small);
    rz += r[i] * z[i];
  }
  mjtNum enough = 1e-20 * rz;
  for (int k = 0; k < 2 * n && rz > enough && rz > 0; k++) {
    p->D->mul(p->D, y, s);
    for (int i = 0; i < n; i++) y[i] += small * s[i];
    mjtNum alpha = rz / vec_dot(s, y, n), before = rz;
    rz = 0;
    for (int i = 0; i < n; i++) {
      f[i] += alpha * s[i];
      r[i] -= alpha * y[i];
      z[i] = r[i] / (diagonal[i] + small);
      rz += r[i] * z[i];
    }
    for (int i = 0; i < n; i++) s[i] = z[i] + rz / before * s[i];
  }
  mj_freeStack(d);
}

// Impulses of the rows in the engine's order, so that islands may join and part.
static void keep_impulses(snHard* hard, const snHardRows* rows, const mjtNum* f) {
  int n = rows->n;
  if (n > hard->room) {
    mjtNum* larger = memory_alloc(sizeof(mjtNum) * (size_t)(2 * n));
    if (!larger) {
      hard->nimpulse = 0;
      return;
    }
    memory_free(hard->impulse);
    hard->impulse = larger;
    hard->room = 2 * n;
  }
  for (int k = 0; k < rows->nblock; k++) {
    const snDualBlock* b = rows->block + k;
    for (int i = 0; i < b->nrow; i++) hard->impulse[rows->place[k] + i] = f[b->row + i];
  }
  hard->nimpulse = n;
}

// Where to start: from zero, from the last step, or (explain) from the acceleration of the last
// step; `b` is then J (u + h a - u_free).
static bool start_from(const mjModel* m, mjData* d, const snHard* hard, const snHardRows* rows,
                       int warmstart, const mjtNum* u_free, mjtNum* b, mjtNum* f) {
  mju_zero(f, rows->n);
  if (m->opt.disableflags & mjDSBL_WARMSTART) return false;
  if (warmstart == snWARM_PREVIOUS && hard->nimpulse == rows->n) {
    for (int k = 0; k < rows->nblock; k++) {
      const snDualBlock* block = rows->block + k;
      memcpy(f + block->row, hard->impulse + rows->place[k], sizeof(mjtNum) * (size_t)block->nrow);
    }
  }
  if (warmstart != snWARM_STATE) return false;
  mj_markStack(d);
  mjtNum* w = mj_stackAllocNum(d, m->nv);
  for (int i = 0; i < m->nv; i++) {
    w[i] = d->qvel[i] + m->opt.timestep * d->qacc_warmstart[i] - u_free[i];
  }
  rows_mul(rows, b, w);
  mj_freeStack(d);
  return true;
}

// The report of the whole: the worst of the islands, sums of what adds up, and the share of whole
// Newton steps over all `steps` so far.
static void add_report(snSolverReport* all, const snSolverReport* one, int* steps) {
  int sum = *steps + one->iterations;
  if (sum) all->newton = (all->newton * *steps + one->newton * one->iterations) / sum;
  *steps = sum;
  all->iterations = one->iterations > all->iterations ? one->iterations : all->iterations;
  all->converged &= one->converged;
  all->finite &= one->finite;
  all->factorizations += one->factorizations;
  all->r_primal = fmax(all->r_primal, one->r_primal);
  all->r_dual = fmax(all->r_dual, one->r_dual);
  all->r_compl = fmax(all->r_compl, one->r_compl);
  all->r_iterate = fmax(all->r_iterate, one->r_iterate);
  all->r_objective = fmax(all->r_objective, one->r_objective);
  all->r_natural = fmax(all->r_natural, one->r_natural);
  all->r_ncp_dual = fmax(all->r_ncp_dual, one->r_ncp_dual);
  all->r_ncp_compl = fmax(all->r_ncp_compl, one->r_ncp_compl);
  all->r_ncp_natural = fmax(all->r_ncp_natural, one->r_ncp_natural);
  all->r_conflict = fmax(all->r_conflict, one->r_conflict);
  all->r_inverse = fmax(all->r_inverse, one->r_inverse);
  all->rho = fmax(all->rho, one->rho);
  all->objective += one->objective;
}

static void begin_report(snHard* hard) {
  snSolverReport* r = &hard->report;
  *r = (snSolverReport){.converged = 1,
                        .finite = 1,
                        .steps = r->steps,
                        .unconverged = r->unconverged,
                        .worst = r->worst,
                        .worst_time = r->worst_time};
}

// One more step; one that missed its tolerances is never quiet.
static void count_step(const mjModel* m, const mjData* d, snHard* hard) {
  snSolverReport* r = &hard->report;
  r->steps++;
  if (r->converged) return;
  if (!r->unconverged++) {
    mju_warning("hard contact: %s did not reach its tolerance at time %g: natural map %.3g",
                sn_getSolver(m, d), d->time, r->r_natural);
  }
  if (r->r_natural < r->worst) return;
  r->worst = r->r_natural;
  r->worst_time = d->time;
}

static void clear_statistics(mjData* d) {
  memset(d->solver_niter, 0, sizeof d->solver_niter);
  memset(d->solver_nnz, 0, sizeof d->solver_nnz);
}

static void show_statistics(mjData* d, int island, const snSolverReport* report, int n) {
  if (island >= mjNISLAND) return;
  d->solver_niter[island] = report->iterations;
  d->solver_nnz[island] = n * n;
  d->solver[island * mjNSOLVER] =
      (mjSolverStat){.improvement = report->r_objective, .gradient = report->r_natural};
}

// Largest error of a position: equalities, limits passed, contacts in too deep.
static mjtNum position_error(const snHardRows* rows) {
  mjtNum worst = 0;
  for (int k = 0; k < rows->nblock; k++) {
    const snDualBlock* b = rows->block + k;
    for (int i = 0; b->kind == snDUAL_FREE && i < b->nrow; i++) {
      worst = fmax(worst, fabs(rows->r[b->row + i]));
    }
    if (b->kind == snDUAL_HALF || b->kind == snDUAL_CONE) worst = fmax(worst, -rows->r[b->row]);
  }
  return worst;
}

static void solve_rows(const mjModel* m, mjData* d, snHard* hard, const snDualSolver* solver,
                       const snSolverSettings* set, mjtNum* u) {
  snHardRows rows;
  rows_make(m, d, &rows);
  int n = rows.n;
  mjtNum* v = mj_stackAllocNum(d, n);
  mjtNum* v_free = mj_stackAllocNum(d, n);
  mjtNum* R = mj_stackAllocNum(d, n);
  mjtNum* force = mj_stackAllocNum(d, n);
  mjtNum* velocity = mj_stackAllocNum(d, n);
  mjtNum* moved = mj_stackAllocNum(d, n);
  mjtNum* collision = mj_stackAllocNum(d, n);
  snImpact* impact = mj_stackAllocByte(d, sizeof(snImpact) * (size_t)rows.nblock, 8);
  mju_zero(R, n);
  rows_mul(&rows, v, d->qvel);
  rows_mul(&rows, v_free, u);
  collide(m, d, &rows, solver, set, v, v_free, u, collision);
  if (!solver->soft) add_targets(m, d, &rows, set, v, v_free, R, impact);
  bool explained = start_from(m, d, hard, &rows, set->warmstart, u, moved, force);

  begin_report(hard);
  clear_statistics(d);
  int steps = 0;
  for (int k = 0; k < rows.nisland; k++) {
    if (rows.island[k] == rows.island[k + 1]) continue;
    mj_markStack(d);
    int row = rows.block[rows.island[k]].row;
    bool soft = set->soften || solver->soft;
    snDual p = island_problem(d, &rows, k, set, soft ? R : NULL, v_free);
    if (solver->soft) {
      dual_form2014(&p, R + row, v_free + row, rows.diagonal + row, rows.r + row, v + row,
                    m->opt.timestep);
    }
    p.inertia = rows.inertia[k];
    p.force = force + row;
    p.velocity = velocity + row;
    p.nscratch = dual_scratch(solver, p.D, p.nblock);
    p.scratch = mj_stackAllocNum(d, p.nscratch);
    if (explained) explain(d, &p, rows.diagonal + row, moved + row, p.force);
    snSolverReport report;
    dual_solve(solver, &p, &report);
    add_report(&hard->report, &report, &steps);
    show_statistics(d, k, &report, p.n);
    mj_freeStack(d);
  }
  hard->report.r_pen = position_error(&rows);
  if (set->warmstart == snWARM_PREVIOUS) keep_impulses(hard, &rows, force);

  rows_add(m, d, &rows, force, u);
  mju_addTo(force, collision, n);
  rows_write(m, d, &rows, force);
  mju_copy(hard->velocity, u, m->nv);
  if (set->stabilize == snSTABILIZE_POSITION && !set->soften && !solver->soft) {
    position_correct(m, d, &rows, impact, set, force, hard->velocity);
    hard->moved = true;
  }
  mj_mulJacTVec(m, d, d->qfrc_constraint, d->efc_force);
}

// qacc is the acceleration of the step, (u' - u) / h: what M^ makes of the forces, as the soft
// engine's qacc is what M makes of them.
void hard_solve(const mjModel* m, mjData* d) {
  int nv = m->nv;
  mjtNum h = m->opt.timestep;
  const snDualSolver* solver = hard_solver(m, d);
  snHard* hard = hard_make(m, d);
  if (!hard || !solver) return;
  hard->moved = false;
  hard->reported = true;
  snSolverSettings set;
  hard_settings(m, d, solver, &set);
  integrate_inertia(m, d);
  mj_markStack(d);
  mjtNum* u = mj_stackAllocNum(d, nv);
  mju_copy(u, d->qfrc_smooth, nv);
  inertia_solve(m, d, d->qH, d->qHDiagInv, u);
  for (int i = 0; i < nv; i++) u[i] = d->qvel[i] + h * u[i];
  if (d->nefc) {
    solve_rows(m, d, hard, solver, &set, u);
  } else {
    begin_report(hard);
    hard->nimpulse = 0;
    clear_statistics(d);
    mju_zero(d->qfrc_constraint, nv);
  }
  for (int i = 0; i < nv; i++) d->qacc[i] = (u[i] - d->qvel[i]) / h;
  mju_copy(d->qacc_warmstart, d->qacc, nv);
  mj_freeStack(d);
}

bool hard_inverse(const mjModel* m, mjData* d) {
  const snDualSolver* solver = hard_solver(m, d);
  if (!solver || !solver->soft) return false;
  snSolverSettings set;
  hard_settings(m, d, solver, &set);
  integrate_inertia(m, d);
  mj_markStack(d);
  snHardRows rows;
  rows_make(m, d, &rows);
  int n = rows.n;
  mjtNum* u = mj_stackAllocNum(d, m->nv);
  mjtNum* v = mj_stackAllocNum(d, n);
  mjtNum* after = mj_stackAllocNum(d, n);
  mjtNum* target = mj_stackAllocNum(d, n);
  mjtNum* R = mj_stackAllocNum(d, n);
  mjtNum* force = mj_stackAllocNum(d, n);
  mjtNum* scratch = mj_stackAllocNum(d, 2 * (size_t)n);
  for (int i = 0; i < m->nv; i++) u[i] = d->qvel[i] + m->opt.timestep * d->qacc[i];
  rows_mul(&rows, v, d->qvel);
  rows_mul(&rows, after, u);
  mju_zero(target, n);
  for (int k = 0; k < rows.nisland; k++) {
    if (rows.island[k] == rows.island[k + 1]) continue;
    int row = rows.block[rows.island[k]].row;
    mj_markStack(d);
    snDual p = island_problem(d, &rows, k, &set, R, target);
    dual_form2014(&p, R + row, target + row, rows.diagonal + row, rows.r + row, v + row,
                  m->opt.timestep);
    mju_scl(target + row, target + row, -1, p.n);  // it leaves -v*
    if (!strcmp(solver->name, "barrier")) {
      mju_subFrom(after + row, target + row, p.n);
      dual_inverse2011(&p, after + row, force + row, scratch);
    } else {
      dual_inverse2014(&p, after + row, target + row, force + row);
    }
    mj_freeStack(d);
  }
  rows_write(m, d, &rows, force);
  mj_mulJacTVec(m, d, d->qfrc_constraint, d->efc_force);
  mj_freeStack(d);
  return true;
}

void hard_advance(const mjModel* m, mjData* d) {
  snHard* hard = hard_of(d);
  bool moved = hard && hard->moved && hard->nv == m->nv;
  if (hard && hard->reported) count_step(m, d, hard);
  integrate_advance(m, d, d->act_dot, d->qacc, moved ? hard->velocity : NULL);
  if (hard) hard->moved = false;
}
