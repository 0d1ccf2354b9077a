// One hard step: u_free from smooth forces, v_free = J u_free with stabilization and restitution,
// the dual problem island by island, u' = u_free + inv(M) J'f, and the fields of mjData that show
// the result (efc_force, qfrc_constraint, qacc = (u' - u) / h, statistics).
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "data/frame.h"
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
static bool add_targets(const mjModel* m, mjData* d, const snHardRows* rows,
                        const snSolverSettings* set, const mjtNum* v, mjtNum* v_free, mjtNum* R,
                        snImpact* impact) {
  mjtNum h = m->opt.timestep;
  bool baumgarte = set->stabilize == snSTABILIZE_VELOCITY;
  mjtNum* e;
  mj_markStack(d);
  if (!FRAME(memory_of(d), SN_ARRAY(e, m->ngeom))) {
    mj_freeStack(d);
    return false;
  }
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
  return true;
}

// One island's rows as a problem of the caller's arrays over all rows. R may be NULL. D is left out
// where it is not `needed`.
static bool island_problem(mjData* d, const snHardRows* rows, int island,
                           const snSolverSettings* set, const mjtNum* R, const mjtNum* v_free,
                           bool needed, snDual* p) {
  int first = rows->island[island], nblock = rows->island[island + 1] - first;
  int row = rows->block[first].row, n = 0;
  bool loops = false;
  snDualBlock* block;
  if (!FRAME(memory_of(d), SN_ARRAY(block, nblock))) return false;
  for (int k = 0; k < nblock; k++) {
    block[k] = rows->block[first + k];
    block[k].row -= row;
    SN_ASSERT(block[k].row == n);  // blocks of an island follow each other
    n += block[k].nrow;
    loops |= block[k].kind == snDUAL_FREE;
  }
  *p = (snDual){.n = n,
                .nblock = nblock,
                .block = block,
                .R = R ? R + row : NULL,
                .v_free = v_free + row,
                .set = *set};
  if (needed) {
    p->D = rows_operator(d, rows, island, rows->nnz + row, rows->adr + row, n, loops);
  }
  return p->D || !needed;
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
  snDual p;
  mjtNum *e, *gap;
  mj_markStack(d);
  if (!island_problem(d, rows, island, set, NULL, v, true, &p) ||
      !FRAME(memory_of(d), SN_ARRAY(e, count), SN_ARRAY(gap, p.n))) {
    mj_freeStack(d);
    return false;
  }
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
  if (hit) hit = law_collide(d, solver, &p, set->impact, e, gap, f + row);
  mj_freeStack(d);
  return hit;
}

// All collisions of the step: impulses f, and u and v_free behind them.
static void collide(const mjModel* m, mjData* d, const snHardRows* rows, const snDualSolver* solver,
                    const snSolverSettings* set, const mjtNum* v, mjtNum* v_free, mjtNum* u,
                    mjtNum* f) {
  bool hit = false;
  mjtNum* e;
  mju_zero(f, rows->n);
  if (!set->impact || solver->soft) return;
  mj_markStack(d);
  if (!FRAME(memory_of(d), SN_ARRAY(e, m->ngeom))) {
    mj_freeStack(d);
    return;
  }
  hard_restitution(m, d, e);
  for (int k = 0; k < rows->nisland; k++) {
    if (rows->island[k] == rows->island[k + 1]) continue;
    hit |= collide_island(m, d, rows, k, solver, set, e, v, v_free, f);
  }
  mj_freeStack(d);
  if (hit && rows_add(m, d, rows, f, u)) rows_mul(rows, v_free, u);
}

// f that explains velocities b best: (D + small) f = b, over velocities where D has panels, else by
// conjugate gradients scaled by the diagonal of D. The small number keeps what D does not determine
// at zero. b is used up.
static bool explain(mjData* d, const snDual* p, const mjtNum* diagonal, mjtNum* b, mjtNum* f) {
  int n = p->n;
  const snFactored* factored = delassus_inner(p->D);
  mjtNum *r, *z, *s, *y, trace = 0, rz = 0;
  mj_markStack(d);
  if (!FRAME(memory_of(d), SN_ARRAY(r, n), SN_ARRAY(z, n), SN_ARRAY(s, n), SN_ARRAY(y, n))) {
    mj_freeStack(d);
    return false;
  }
  for (int i = 0; i < n; i++) trace += diagonal[i];
  mjtNum small = 1e-8 * trace / n + mjMINVAL;
  if (factored) {
    panels_explain(factored->inner, small, n, b, f);
    mj_freeStack(d);
    return true;
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
  return true;
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
  SN_ASSERT(n <= hard->room);
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
  mjtNum* w;
  mj_markStack(d);
  if (!FRAME(memory_of(d), SN_ARRAY(w, m->nv))) {
    mj_freeStack(d);
    return false;
  }
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

// One more step; one that missed its tolerances is never quiet. Steps of derivatives are not steps
// of the simulation.
static void count_step(const mjModel* m, const mjData* d, snHard* hard) {
  snSolverReport* r = &hard->report;
  if (((const snData*)d)->vigil) return;
  r->steps++;
  if (r->converged) return;
  if (!r->unconverged++) {
    const char* name = sn_getSolver(m, d);
    mju_warning("hard contact: %s did not reach its tolerance at time %g: natural map %.3g",
                strcmp(name, "soft") ? name : "the solver of maximal coordinates", d->time,
                r->r_natural);
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

// R and v_free of an island in the 2014 form; its own D is needed for exact critical damping alone.
static bool soft_form(const mjModel* m, mjData* d, const snHardRows* rows, const snDual* p, int row,
                      const mjtNum* v, mjtNum* R, mjtNum* v_free) {
  mjtNum* scratch = NULL;
  bool good = true;
  mj_markStack(d);
  if (p->set.critical) good = FRAME(memory_of(d), SN_ARRAY(scratch, critical_scratch(p->n)));
  if (good) {
    dual_form2014(p, R + row, v_free + row, rows->diagonal + row, rows->r + row, v + row,
                  m->opt.timestep, scratch);
  }
  mj_freeStack(d);
  return good;
}

typedef struct snIslandReport_ {
  snSolverReport of;
  bool good;  // there was memory
} snIslandReport;

// What the solves of all islands share. They write their own rows of the arrays and their report.
typedef struct snIslands_ {
  const mjModel* m;
  mjData* d;
  const snHardRows* rows;
  const snDualSolver* solver;
  const snSolverSettings* set;
  mjtNum *R, *v_free, *moved, *force, *velocity;
  const mjtNum* v;
  snIslandReport* report;
} snIslands;

// One island: the impulses of its rows, and what they are worth.
static bool solve_island(const snIslands* s, int island, snSolverReport* report) {
  int row = s->rows->block[s->rows->island[island]].row;
  bool soft = s->set->soften || s->solver->soft;
  mjData* d = s->d;
  snDual p;
  if (!island_problem(d, s->rows, island, s->set, soft ? s->R : NULL, s->v_free, true, &p) ||
      (s->solver->soft && !soft_form(s->m, d, s->rows, &p, row, s->v, s->R, s->v_free))) {
    return false;
  }
  p.inertia = s->rows->inertia[island];
  p.force = s->force + row;
  p.velocity = s->velocity + row;
  p.nscratch = dual_scratch(s->solver, p.D, p.nblock);
  if (!FRAME(memory_of(d), SN_ARRAY(p.scratch, p.nscratch)) ||
      (s->moved && !explain(d, &p, s->rows->diagonal + row, s->moved + row, p.force))) {
    return false;
  }
  dual_solve(s->solver, &p, report);
  show_statistics(d, island, report, p.n);
  return true;
}

static void solve_part(void* context, int island) {
  const snIslands* s = context;
  snIslandReport* report = s->report + island;
  report->good = true;
  if (s->rows->island[island] == s->rows->island[island + 1]) return;
  mj_markStack(s->d);
  report->good = solve_island(s, island, &report->of);
  mj_freeStack(s->d);
}

// Islands share no row and no velocity. Solves on tape come one behind the other, and the tape
// belongs to the thread that steps.
bool islands_each(mjData* d, int nisland, snPart part, void* context) {
  if (!tape_used()) return pool_each(d, nisland, part, context);
  for (int k = 0; k < nisland; k++) part(context, k);
  return true;
}

// Blocks by the engine's names: an open contact more or less is no event. `smooth` are the
// velocities J u_free.
static uint64_t rows_held(const mjData* d, const snHardRows* rows, const mjtNum* f, const mjtNum* v,
                          const mjtNum* smooth, const snImpact* impact) {
  uint64_t held = 0;
  for (int k = 0; k < rows->nblock; k++) {
    const int* geom = rows->contact[k] >= 0 ? d->contact[rows->contact[k]].geom : NULL;
    uint64_t who = geom ? (uint64_t)(uint32_t)geom[0] << 32 | (uint32_t)geom[1]
                        : (uint64_t)(uint32_t)d->efc_id[rows->efc[k]] << 8 |
                              (uint64_t)d->efc_type[rows->efc[k]];
    int row = rows->block[k].row;
    held = dual_held(rows->block + k, f + row, v[row], smooth[row], who, held);
    if (impact && impact[k].hit) return snDUAL_EVENT;
  }
  return held;
}

static bool solve_rows(const mjModel* m, mjData* d, snHard* hard, const snDualSolver* solver,
                       const snSolverSettings* set, mjtNum* u) {
  snHardRows rows;
  mjtNum *v, *v_free, *smooth, *R, *force, *velocity, *moved, *collision;
  snImpact* impact;
  snIslandReport* report;
  if (!rows_make(m, d, &rows)) return false;
  int n = rows.n;
  if (!FRAME(memory_of(d), SN_ARRAY(v, n), SN_ARRAY(v_free, n), SN_ARRAY(smooth, n), SN_ARRAY(R, n),
             SN_ARRAY(force, n), SN_ARRAY(velocity, n), SN_ARRAY(moved, n), SN_ARRAY(collision, n),
             SN_ARRAY(impact, rows.nblock), SN_ARRAY(report, rows.nisland))) {
    return false;
  }
  mju_zero(R, n);
  rows_mul(&rows, v, d->qvel);
  rows_mul(&rows, v_free, u);
  mju_copy(smooth, v_free, n);
  collide(m, d, &rows, solver, set, v, v_free, u, collision);
  if (!solver->soft && !add_targets(m, d, &rows, set, v, v_free, R, impact)) return false;
  bool explained = start_from(m, d, hard, &rows, set->warmstart, u, moved, force);

  begin_report(hard);
  clear_statistics(d);
  snIslands islands = {m,     d,        &rows, solver, set, R, v_free, explained ? moved : NULL,
                       force, velocity, v,     report};
  if (!islands_each(d, rows.nisland, solve_part, &islands)) return false;
  int steps = 0;
  for (int k = 0; k < rows.nisland; k++) {
    if (rows.island[k] == rows.island[k + 1]) continue;
    if (!report[k].good) return false;
    add_report(&hard->report, &report[k].of, &steps);
  }
  hard->report.r_pen = position_error(&rows);
  hard->held = rows_held(d, &rows, force, v, smooth, solver->soft ? NULL : impact);
  if (set->warmstart == snWARM_PREVIOUS) keep_impulses(hard, &rows, force);

  if (!rows_add(m, d, &rows, force, u)) return false;
  mju_addTo(force, collision, n);
  rows_write(m, d, &rows, force);
  mju_copy(hard->velocity, u, m->nv);
  if (set->stabilize == snSTABILIZE_POSITION && !set->soften && !solver->soft) {
    hard->moved = position_correct(m, d, &rows, impact, set, force, hard->velocity);
  }
  mj_mulJacTVec(m, d, d->qfrc_constraint, d->efc_force);
  return true;
}

// Without memory, after mju_error, the step goes on without constraint forces, and its
// report says that it did not converge.
static void give_up(const mjModel* m, mjData* d, snHard* hard) {
  mju_zero(d->efc_force, d->nefc);
  mju_zero(d->qfrc_constraint, m->nv);
  begin_report(hard);
  hard->report.converged = 0;
}

// qacc is the acceleration of the step, (u' - u) / h: what M^ makes of the forces, as the soft
// engine's qacc is what M makes of them.
void hard_solve(const mjModel* m, mjData* d) {
  int nv = m->nv;
  mjtNum h = m->opt.timestep;
  const snDualSolver* solver = hard_solver(m, d);
  snHard* hard = hard_make(m, d);
  if (!hard || !solver) return;
  tape_attend(d, ((snData*)d)->vigil);
  hard->moved = false;
  hard->reported = true;
  snSolverSettings set;
  hard_settings(m, d, solver, &set);
  integrate_inertia(m, d);
  mjtNum* u;
  mj_markStack(d);
  if (!FRAME(memory_of(d), SN_ARRAY(u, nv))) {
    mj_freeStack(d);
    give_up(m, d, hard);
    mju_copy(d->qacc, d->qacc_smooth, nv);
    return;
  }
  mju_copy(u, d->qfrc_smooth, nv);
  inertia_solve(m, d, d->qH, d->qHDiagInv, u);
  for (int i = 0; i < nv; i++) u[i] = d->qvel[i] + h * u[i];
  if (d->nefc) {
    if (!solve_rows(m, d, hard, solver, &set, u)) give_up(m, d, hard);
  } else {
    begin_report(hard);
    hard->held = 0;
    hard->nimpulse = 0;
    clear_statistics(d);
    mju_zero(d->qfrc_constraint, nv);
  }
  for (int i = 0; i < nv; i++) d->qacc[i] = (u[i] - d->qvel[i]) / h;
  mju_copy(d->qacc_warmstart, d->qacc, nv);
  mj_freeStack(d);
}

// f of all rows from the velocity after the step, island by island.
static bool invert_rows(const mjModel* m, mjData* d, const snDualSolver* solver,
                        const snSolverSettings* set) {
  snHardRows rows;
  mjtNum *u, *v, *after, *target, *R, *force, *scratch;
  if (!rows_make(m, d, &rows)) return false;
  int n = rows.n;
  bool barrier = !strcmp(solver->name, "barrier"), good = true;
  if (!FRAME(memory_of(d), SN_ARRAY(u, m->nv), SN_ARRAY(v, n), SN_ARRAY(after, n),
             SN_ARRAY(target, n), SN_ARRAY(R, n), SN_ARRAY(force, n),
             SN_ARRAY(scratch, 2 * (size_t)n))) {
    return false;
  }
  for (int i = 0; i < m->nv; i++) u[i] = d->qvel[i] + m->opt.timestep * d->qacc[i];
  rows_mul(&rows, v, d->qvel);
  rows_mul(&rows, after, u);
  mju_zero(target, n);
  for (int k = 0; good && k < rows.nisland; k++) {
    if (rows.island[k] == rows.island[k + 1]) continue;
    int row = rows.block[rows.island[k]].row;
    snDual p;
    mj_markStack(d);
    // analytic: the inverse of 2014 does not look at D
    good = island_problem(d, &rows, k, set, R, target, barrier || set->critical, &p) &&
           soft_form(m, d, &rows, &p, row, v, R, target);
    if (good) mju_scl(target + row, target + row, -1, p.n);  // it leaves -v*
    if (good && barrier) {
      mju_subFrom(after + row, target + row, p.n);
      dual_inverse2011(&p, after + row, force + row, scratch);
    } else if (good) {
      dual_inverse2014(&p, after + row, target + row, force + row);
    }
    mj_freeStack(d);
  }
  if (good) rows_write(m, d, &rows, force);
  return good;
}

bool hard_invertible(const mjModel* m, const mjData* d) {
  const snDualSolver* solver = hard_solver(m, d);
  return solver && solver->soft;
}

bool hard_inverse(const mjModel* m, mjData* d) {
  const snDualSolver* solver = hard_solver(m, d);
  if (!solver || !solver->soft) return false;
  snSolverSettings set;
  hard_settings(m, d, solver, &set);
  integrate_inertia(m, d);
  mj_markStack(d);
  if (!invert_rows(m, d, solver, &set)) mju_zero(d->efc_force, d->nefc);
  mj_freeStack(d);
  mj_mulJacTVec(m, d, d->qfrc_constraint, d->efc_force);
  return true;
}

void hard_keep_report(const mjModel* m, mjData* d, const snSolverReport* report) {
  snHard* hard = hard_make(m, d);
  if (!hard) return;
  begin_report(hard);
  snSolverReport counts = hard->report;
  hard->report = *report;
  hard->report.steps = counts.steps;
  hard->report.unconverged = counts.unconverged;
  hard->report.worst = counts.worst;
  hard->report.worst_time = counts.worst_time;
  hard->reported = true;
}

uint64_t hard_held(const mjData* d) {
  const snHard* hard = hard_of(d);
  return hard ? hard->held : 0;
}

void hard_keep_held(const mjModel* m, mjData* d, uint64_t held) {
  snHard* hard = hard_make(m, d);
  if (hard) hard->held = held;
}

void hard_count(const mjModel* m, mjData* d) {
  snHard* hard = hard_of(d);
  if (hard && hard->reported) count_step(m, d, hard);
}

void hard_advance(const mjModel* m, mjData* d) {
  snHard* hard = hard_of(d);
  bool moved = hard && hard->moved && hard->nv == m->nv;
  hard_count(m, d);
  integrate_advance(m, d, d->act_dot, d->qacc, moved ? hard->velocity : NULL);
  if (hard) hard->moved = false;
}
