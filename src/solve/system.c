// The primal solvers over a system and its parts.
//
// Trees that no row joins are independent: the system splits into parts that are solved one by one,
// each with its own line search and Hessian. When islands are enabled the parts are
// the documented islands and each has its statistics; otherwise they are ours and the statistics
// are summed. With a thread pool the parts are shared out to its workers.
//
// While positions are held (solve_hold) what was built of the problems stays on the stack.
#include <string.h>

#include "solve/build.h"
#include "solve/choose.h"
#include "solve/cuthill_mckee.h"
#include "solve/solve.h"

// A part that stays built while positions do.
typedef struct snHeldPart_ {
  snSubsystem part;
  snProblem p;
  snHeldPositions kept;
} snHeldPart;

// What all parts of one solve share.
typedef struct snSystem_ {
  snRowReader rd;
  snUnits units;
  snSorted sorted;
  bool dense;    // one block over all columns
  bool whole;    // one part with all dofs
  bool islands;  // statistics island by island
  bool warm;     // islands start where they are told to
  int nparts;
  int* local;            // (nv) index of a dof in its part
  int* tree_part;        // (ntree) the part of a tree, when there are several
  snHeldPart* held;      // (nparts) built already, or NULL
  struct snFull_* full;  // the same for a system at full width
} snSystem;

static bool has_islands(const mjModel* m, const mjData* d) {
  return (m->opt.enableflags & mjENBL_ISLAND) && d->nisland > 0;
}

snVariant choose_for_system(const mjModel* m, const mjData* d) {
  bool full = !mj_isSparse(m) && !has_islands(m, d) &&
              !rows_stiff(d->efc_D, d->nefc, 1 / m->stat.meaninertia);
  snSizes sizes = {m->opt.solver, m->nv, m->ntree, d->ne, d->nf, d->nefc, full};
  return choose_variant(&sizes);
}

static snVariant choose_for_part(const mjModel* m, const snProblem* p) {
  snSizes sizes = {m->opt.solver, p->nv, p->ntree, p->rows.ne, p->rows.nf, p->rows.nefc, false};
  return choose_variant(&sizes);
}

// ---- statistics

static void merge_report(mjData* d, const snReport* part) {
  for (int i = 0; i < part->niter && i < mjNSOLVER; i++) {
    mjSolverStat* s = d->solver + i;
    const mjSolverStat* a = part->stat + i;
    if (i >= d->solver_niter[0]) *s = (mjSolverStat){0};
    s->improvement += a->improvement;
    s->gradient = sqrt(s->gradient * s->gradient + a->gradient * a->gradient);
    s->lineslope = mju_max(s->lineslope, a->lineslope);
    s->nactive += a->nactive;
    s->nchange += a->nchange;
    s->neval += a->neval;
    s->nupdate += a->nupdate;
  }
  if (part->niter > d->solver_niter[0]) d->solver_niter[0] = part->niter;
  d->solver_nnz[0] += part->nnz;
}

static void report_part(mjData* d, const snSystem* s, int id, const snReport* report) {
  if (!s->islands) {
    merge_report(d, report);
  } else if (id < mjNISLAND) {
    d->solver_niter[id] = report->niter;
    d->solver_nnz[id] = report->nnz;
    int n = report->niter < mjNSOLVER ? report->niter : mjNSOLVER;
    memcpy(d->solver + id * mjNSOLVER, report->stat, sizeof(mjSolverStat) * (size_t)n);
  }
}

// ---- one part

// The problem of a part and what serves its products; false without memory.
static bool build(const snSystem* s, int id, snSubsystem* part, snProblem* p) {
  const mjModel* m = s->rd.m;
  mjData* d = (mjData*)s->rd.d;
  bool ok = s->dense   ? build_dense(m, d, p)
            : s->whole ? build_sparse(&s->rd, &s->units, p)
                       : build_part(&s->rd, &s->units, &s->sorted, id, part, p);
  if (!ok) return false;
  build_units(m, p, s->islands);
  p->apart = !s->islands && (s->nparts > 1 || p->nv < m->nv);
  return true;
}

// Rows that are NaN or infinite have no solution: the motion stays the unconstrained one.
static void reject_nan(const snProblem* p) {
  mjtNum sum = 0;
  for (int i = 0; i < p->nv; i++) sum += p->acc[i] * 0 + p->frc_constraint[i] * 0;
  if (sum == 0) return;
  memcpy(p->acc, p->acc_smooth, sizeof(mjtNum) * (size_t)p->nv);
  memset(p->frc_constraint, 0, sizeof(mjtNum) * (size_t)p->nv);
  memset(p->force, 0, sizeof(mjtNum) * (size_t)p->rows.nefc);
  for (int i = 0; i < p->rows.nefc; i++) p->state[i] = mjCNSTRSTATE_SATISFIED;
}

static void solve_built(const snSystem* s, const snSubsystem* part, const snProblem* p,
                        snReport* report) {
  problem_mul_J(p, p->b, p->acc_smooth);
  linear_term(p->b, p->b, p->aref, p->rows.nefc);
  bool ok;
  switch (choose_for_part(s->rd.m, p)) {
    case snVARIANT_CG:
      ok = solve_cg(p, report);
      break;
    case snNEWTON_ROWS:
      ok = solve_newton_rows(p, report);
      break;
    default:
      ok = solve_newton(p, report);
  }
  report->failed = !ok;
  if (!ok) return;
  reject_nan(p);
  if (!s->whole) build_scatter((mjData*)s->rd.d, part, p);
}

static void solve_part(const snSystem* s, int id, snReport* report) {
  mjData* d = (mjData*)s->rd.d;
  if (s->held) {
    snHeldPart* h = s->held + id;
    SN_ASSERT(h->p.rows.nefc <= d->nefc);  // rows have not changed while positions are held
    if (!s->whole) build_renew(d, &h->part, &h->p);
    h->p.chosen = s->warm;
    solve_built(s, &h->part, &h->p, report);
    return;
  }
  mj_markStack(d);
  snSubsystem part = {.local = s->local};
  snProblem p = build_blank(s->rd.m, d);
  report->failed = true;
  p.chosen = s->warm;
  if (build(s, id, &part, &p)) solve_built(s, &part, &p, report);
  mj_freeStack(d);
}

// ---- all parts

// One task of a pool: every n-th part. Parts touch different dofs, rows and contacts; each worker
// has a stack of its own.
typedef struct snShare_ {
  const snSystem* system;
  snReport* report;
  int first, stride;
} snShare;

static void* solve_share(void* arg) {
  const snShare* share = arg;
  for (int id = share->first; id < share->system->nparts; id += share->stride) {
    solve_part(share->system, id, share->report + id);
  }
  return NULL;
}

static void run_in_pool(const snSystem* s, mjThreadPool* pool, snReport* report, mjTask* task,
                        snShare* share, int ntask) {
  for (int k = 0; k < ntask; k++) {
    share[k] = (snShare){s, report, k, ntask};
    mju_defaultTask(task + k);
    task[k].func = solve_share;
    task[k].args = share + k;
    mju_threadPoolEnqueue(pool, task + k);
  }
  for (int k = 0; k < ntask; k++) mju_taskJoin(task + k);
}

static bool solve_parts_in_pool(mjData* d, const snSystem* s, mjThreadPool* pool) {
  int nparts = s->nparts, ntask = 2 * pool->nworker < nparts ? 2 * pool->nworker : nparts;
  int room = s->rd.m->opt.iterations < mjNSOLVER ? s->rd.m->opt.iterations : mjNSOLVER;
  if (room < 1) room = 1;
  mjTask* task;
  snReport* report;
  snShare* share;
  mjSolverStat* stat;
  mj_markStack(d);
  bool ok = FRAME(memory_of(d), SN_ARRAY(task, ntask), SN_ARRAY(report, nparts),
                  SN_ARRAY(share, ntask), SN_ARRAY(stat, (size_t)nparts * (size_t)room));
  if (ok) {
    for (int id = 0; id < nparts; id++) report[id] = (snReport){.stat = stat + (size_t)id * room};
    run_in_pool(s, pool, report, task, share, ntask);
  }
  for (int id = 0; id < nparts && report; id++) {
    report_part(d, s, id, report + id);
    ok &= !report[id].failed;
  }
  mj_freeStack(d);
  return ok;
}

static bool solve_parts(mjData* d, const snSystem* s) {
  if (s->nparts > 1 && d->threadpool && !thread_worker) {
    return solve_parts_in_pool(d, s, (mjThreadPool*)d->threadpool);
  }
  mjSolverStat* stat;
  bool ok = FRAME(memory_of(d), SN_ARRAY(stat, mjNSOLVER));
  for (int id = 0; id < s->nparts && ok; id++) {
    snReport report = {.stat = stat};
    solve_part(s, id, &report);
    report_part(d, s, id, &report);
    ok = !report.failed;
  }
  return ok;
}

// ---- the system

// Could sorting by part change anything? Then there are several parts, trees without rows, or trees
// that may change places in the one part there is.
static bool is_one_part(const mjModel* m, const snSystem* s) {
  if (s->nparts != 1) return false;
  for (int t = 0; t < m->ntree; t++) {
    if (s->tree_part[t] != 0) return false;
  }
  return true;
}

// The parts of the system; false without memory.
static bool find_parts(const mjModel* m, mjData* d, snSystem* s) {
  s->rd = (snRowReader){m, d, mj_isSparse(m), NULL};
  s->islands = has_islands(m, d);
  if (m->nv <= SMALL_DOFS && !s->rd.sparse && !s->islands) {
    s->whole = s->dense = true;
    s->nparts = 1;
    return true;
  }
  if (!FRAME(memory_of(d), SN_ARRAY(s->tree_part, m->ntree), SN_ARRAY(s->local, m->nv),
             SN_ARRAY(s->rd.side, m->nv)) ||
      !units_read(&s->rd, &s->units)) {
    return false;
  }
  if (!choose_apart(m->opt.solver, m->opt.iterations, s->islands)) {
    s->whole = true;
    s->nparts = 1;
    return true;
  }
  s->nparts = parts_find(m, d, &s->units, s->tree_part);
  if (s->nparts < 0) return false;
  s->whole = is_one_part(m, s);
  if (s->whole && (m->opt.solver != mjSOL_NEWTON || m->ntree < ORDER_TREES || m->nv < ORDER_DOFS))
    return true;
  bool changed;
  if (!parts_sort(m, d, &s->units, s->tree_part, s->nparts, &s->sorted, &changed)) return false;
  s->whole &= !changed;
  SN_ASSERT(s->sorted.unit_first[s->nparts] == s->units.n);
  return true;
}

// The documented islands begin at the warm start or at a0 all together: at whichever has the lower
// cost of the whole system, trees without rows included,
//
//   1/2 (x - a0)'M(x - a0) + s(J x - aref)
//
// so that an island that stops on its tolerance has come to it from the documented side.
static bool choose_start(const mjModel* m, mjData* d, bool* warm) {
  mjtNum *e, *Me, *jar;
  snProblem p = build_blank(m, d);
  build_system(m, d, &p);
  mj_markStack(d);
  bool ok = FRAME(memory_of(d), SN_ARRAY(e, m->nv), SN_ARRAY(Me, m->nv), SN_ARRAY(jar, d->nefc));
  if (ok) {
    mju_sub(e, d->qacc, d->qacc_smooth, m->nv);
    mj_mulM(m, d, Me, e);
    mj_mulJacVec(m, d, jar, d->qacc);
    mju_subFrom(jar, d->efc_aref, d->nefc);
    mjtNum cost = 0.5 * mju_dot(e, Me, m->nv) +
                  constrain_update(&p.rows, jar, d->efc_force, d->efc_state, false);
    mj_mulJacVec(m, d, jar, d->qacc_smooth);
    mju_subFrom(jar, d->efc_aref, d->nefc);
    *warm = cost < constrain_update(&p.rows, jar, d->efc_force, d->efc_state, false);
    if (!*warm) mju_copy(d->qacc, d->qacc_smooth, m->nv);
  }
  mj_freeStack(d);
  return ok;
}

// Trees without rows move freely.
static void leave_free(const mjModel* m, mjData* d, const int* tree_part) {
  for (int i = 0; i < m->nv; i++) {
    SN_ASSERT(m->dof_treeid[i] < m->ntree);
    if (tree_part[m->dof_treeid[i]] >= 0) continue;
    d->qacc[i] = d->qacc_smooth[i];
    d->qfrc_constraint[i] = 0;
  }
}

static snProblem problem_at_full_width(const mjModel* m, mjData* d) {
  snProblem p = build_blank(m, d);
  build_system(m, d, &p);
  build_units(m, &p, false);
  return p;
}

static bool solve_at_full_width(const mjModel* m, mjData* d) {
  SN_ASSERT(m->nv <= WIDE_DOFS && !mj_isSparse(m));
  snProblem p = problem_at_full_width(m, d);
  snReport report = {.stat = d->solver};
  const snSystem* held = data_cache(d, snROOM_SOLVE)->block;
  if (!solve_newton_full(&p, d->efc_J, held ? held->full : NULL, &report)) return false;
  d->solver_niter[0] = report.niter;
  d->solver_nnz[0] = report.nnz;
  reject_nan(&p);
  return true;
}

static bool solve_by_parts(const mjModel* m, mjData* d) {
  snSystem own = {.dense = false}, *s = data_cache(d, snROOM_SOLVE)->block;
  mj_markStack(d);
  bool ok = s || find_parts(m, d, &own);
  if (!s) s = &own;
  if (ok && s->islands) ok = choose_start(m, d, &s->warm);
  if (ok && !s->whole) leave_free(m, d, s->tree_part);
  ok = ok && solve_parts(d, s);
  mj_freeStack(d);
  return ok;
}

// Without memory, after mju_error, the motion is the unconstrained one.
void solve_primal(const mjModel* m, mjData* d) {
  snVariant variant = choose_for_system(m, d);
  bool full = variant == snNEWTON_SMALL || variant == snNEWTON_WIDE;
  if (full ? solve_at_full_width(m, d) : solve_by_parts(m, d)) return;
  mju_copy(d->qacc, d->qacc_smooth, m->nv);
  mju_zero(d->qfrc_constraint, m->nv);
  mju_zero(d->efc_force, d->nefc);
  for (int i = 0; i < d->nefc; i++) d->efc_state[i] = mjCNSTRSTATE_SATISFIED;
}

// ---- positions that stay

static bool hold_part(const mjModel* m, mjData* d, const snSystem* s, int id, snHeldPart* h) {
  *h = (snHeldPart){.part = {.local = s->local}, .p = build_blank(m, d)};
  if (!build(s, id, &h->part, &h->p) ||
      !FRAME(memory_of(d), SN_ARRAY(h->kept.acc, h->p.nv), SN_ARRAY(h->kept.Ma, h->p.nv),
             SN_ARRAY(h->kept.Jacc, h->p.rows.nefc))) {
    return false;
  }
  h->p.kept = &h->kept;
  switch (choose_for_part(m, &h->p)) {
    case snVARIANT_CG:
      break;
    case snNEWTON_ROWS:
      h->kept.rows = newton_rows_keep(&h->p);
      break;
    default:
      h->kept.factors = hessian_keep(&h->p);
  }
  return true;
}

void solve_hold(const mjModel* m, mjData* d) {
  if ((m->opt.solver != mjSOL_NEWTON && m->opt.solver != mjSOL_CG) || !d->nefc) return;
  snSystem* s;
  if (!FRAME(memory_of(d), SN_ARRAY(s, 1))) return;
  *s = (snSystem){.dense = false};
  snVariant variant = choose_for_system(m, d);
  if (variant == snNEWTON_SMALL || variant == snNEWTON_WIDE) {
    snProblem p = problem_at_full_width(m, d);
    s->full = newton_full_keep(&p, d->efc_J);
    if (s->full) *data_cache(d, snROOM_SOLVE) = (snCache){.block = s, .of_rows = true};
    return;
  }
  snHeldPart* held;
  if (!find_parts(m, d, s) || !FRAME(memory_of(d), SN_ARRAY(held, s->nparts))) return;
  for (int id = 0; id < s->nparts; id++) {
    if (!hold_part(m, d, s, id, held + id)) return;
  }
  s->held = held;
  *data_cache(d, snROOM_SOLVE) = (snCache){.block = s, .of_rows = true};
}

void solve_release(mjData* d) { *data_cache(d, snROOM_SOLVE) = (snCache){NULL}; }
