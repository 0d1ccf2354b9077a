// From mjData to problems and back.
//
// Trees that no row joins do not see each other: the system falls apart into parts that are solved
// one by one, with a line search and a Hessian of their own. When islands are enabled the parts are
// the documented islands and each has its statistics; otherwise they are ours and the statistics
// are summed.
#include "solve/problem.h"

#include <string.h>

#include "solve/order.h"
#include "solve/solve.h"
#include "solve/units.h"

// With fewer the result is where the solver stands when they are used up, which depends on what
// shares a line search: all rows do, unless islands are enabled. The same holds for conjugate
// gradients at any number: they end 1e-5 to 1e-3 from the optimum, wherever the tolerance stops
// them, so parts are not solved apart.
enum { FEW_ITERATIONS = 20 };

static bool shares_line_search(const mjModel* m) {
  return m->opt.solver == mjSOL_CG || m->opt.iterations < FEW_ITERATIONS;
}

// More trees than these are solved apart where no row joins them.
enum { FULL_TREES = 2 };

// Entries of row i at the given columns, which are among its own.
static void unit_values(const snRowReader* rd, int i, const int* col, int ncol, mjtNum* to) {
  const mjData* d = rd->d;
  if (rd->sparse) {
    const int* c = d->efc_J_colind + d->efc_J_rowadr[i];
    const mjtNum* J = d->efc_J + d->efc_J_rowadr[i];
    // mostly all of them; trees may have changed places
    for (int k = 0, at = 0; k < ncol; k++) {
      if (k && col[k] < col[k - 1]) at = 0;
      while (c[at] != col[k]) at++;
      to[k] = J[at];
    }
  } else {
    const mjtNum* J = d->efc_J + (size_t)i * rd->m->nv;
    for (int k = 0; k < ncol; k++) to[k] = J[col[k]];
  }
}

// ---- one problem

typedef struct snPart_ {
  int* dof;    // (nv) dofs of the part, or NULL for all
  int* row;    // (nefc) rows of the part, or NULL for all
  int* local;  // (nv of the system) index in the part
} snPart;

static bool build_blocks(const snRowReader* rd, const snUnits* u, const int* list, int count,
                         const int* local, snProblem* p) {
  mjData* d = p->d;
  size_t room = 0, cols = 0;
  for (int n = 0; n < count; n++) {
    int k = list ? list[n] : n;
    int ncol = u->first[k + 1] - u->first[k];
    // a row over points takes four numbers for three columns (own.c)
    room += (size_t)u->nrow[k] * (size_t)mjMAX((ncol + 3) & ~3, 4 * ((ncol + 2) / 3));
    cols += (size_t)ncol + 1;
  }
  p->block = mj_stackAllocByte(d, sizeof(snBlock) * (size_t)count, sizeof(void*));
  p->col = mj_stackAllocInt(d, cols);
  p->J = mj_stackAllocByte(d, sizeof(mjtNum) * room, 32);
  if (!p->block || (cols && (!p->col || !p->J))) return false;
  bool cg = rd->m->opt.solver == mjSOL_CG;
  if (cg && !own_start(p)) return false;
  p->nblock = 0;
  size_t at = 0;
  int row = 0, col = 0;
  for (int n = 0; n < count; n++) {
    int k = list ? list[n] : n;
    const int* c = u->col + u->first[k];
    int ncol = u->first[k + 1] - u->first[k], stride = (ncol + 3) & ~3;
    if (cg && u->nrow[k] == 1) {
      for (int i = 0; i < ncol; i++) p->col[col + i] = local ? local[c[i]] : c[i];
      unit_values(rd, u->row[k], c, ncol, p->J + at);
      const snBlock* b = own_add(p, row++, col, at, ncol);
      at += (size_t)b->stride;
      col += b->npoint ? b->npoint : b->ncol;
      continue;
    }
    snBlock* last = p->nblock ? p->block + p->nblock - 1 : NULL;
    bool same = last && last->ncol == ncol && !last->own;
    for (int i = 0; same && i < ncol; i++) {
      same = p->col[last->col + i] == (local ? local[c[i]] : c[i]);
    }
    if (!same) {
      last = p->block + p->nblock++;
      *last = (snBlock){.row = row, .col = col, .ncol = ncol, .stride = stride, .J = at};
      for (int i = 0; i < ncol; i++) p->col[col + i] = local ? local[c[i]] : c[i];
      col += ncol;
    }
    for (int r = 0; r < u->nrow[k]; r++) {
      unit_values(rd, u->row[k] + r, c, ncol, p->J + at);
      for (int i = ncol; i < stride; i++) p->J[at + (size_t)i] = 0;
      at += (size_t)stride;
    }
    last->nrow += u->nrow[k];
    row += u->nrow[k];
  }
  return true;
}

// Rows of n numbers at a stride of whole lanes. The last lane of a row reaches into the next one.
SN_KERNEL static void pad_rows(mjtNum* to, const mjtNum* from, int nrow, int n, int stride) {
  int last = stride - 4, rest = n - last;
  sn4i keep = {-1, rest > 1 ? -1 : 0, rest > 2 ? -1 : 0, rest > 3 ? -1 : 0};
  for (int r = 0; r < nrow - 1; r++, from += n, to += stride) {
    for (int i = 0; i < last; i += 4) sn4_store(to + i, sn4_load(from + i));
    sn4_store(to + last, (sn4)((sn4i)sn4_load(from + last) & keep));
  }
  for (int i = 0; i < stride; i++) to[i] = i < n ? from[i] : 0;
}

// All rows over all columns: what a small system in full width comes to is not worth looking at.
static bool build_dense(const mjModel* m, const mjData* from, snProblem* p) {
  mjData* d = p->d;
  int nv = m->nv, stride = (nv + 3) & ~3, nefc = from->nefc;
  p->block = mj_stackAllocByte(d, sizeof(snBlock), sizeof(void*));
  p->col = mj_stackAllocInt(d, nv);
  p->J = mj_stackAllocByte(d, sizeof(mjtNum) * (size_t)nefc * (size_t)stride, 32);
  if (!p->block || !p->col || !p->J) return false;
  p->nblock = 1;
  *p->block = (snBlock){.nrow = nefc, .ncol = nv, .stride = stride};
  for (int i = 0; i < nv; i++) p->col[i] = i;
  pad_rows(p->J, from->efc_J, nefc, nv, stride);
  return true;
}

// The entries at `index`, written at *room, which moves on.
static mjtNum* gather(mjtNum** room, const mjtNum* from, const int* index, int n) {
  mjtNum* to = *room;
  for (int i = 0; i < n; i++) to[i] = from[index[i]];
  *room += n;
  return to;
}

static int* gather_int(int** room, const int* from, const int* index, int n) {
  int* to = *room;
  for (int i = 0; i < n; i++) to[i] = from[index[i]];
  *room += n;
  return to;
}

// Rows and columns of M that belong to the part. A part is made of whole trees, so no entry is
// lost.
static bool build_inertia(const mjData* d, const snPart* part, snProblem* p) {
  int n = p->nv, total = 0;
  for (int i = 0; i < n; i++) total += d->M_rownnz[part->dof[i]];
  int* rownnz = mj_stackAllocInt(p->d, 2 * (size_t)n + (size_t)total);
  mjtNum* M = mj_stackAllocNum(p->d, 2 * (size_t)total + (size_t)n);
  if (!rownnz || !M) return false;
  int *rowadr = rownnz + n, *colind = rowadr + n;
  mjtNum *LD = M + total, *rest = LD + total;
  for (int i = 0, at = 0; i < n; i++) {
    rownnz[i] = d->M_rownnz[part->dof[i]];
    rowadr[i] = at;
    at += rownnz[i];
  }
  for (int i = 0; i < n; i++) {
    int from = d->M_rowadr[part->dof[i]];
    for (int k = 0; k < rownnz[i]; k++) {
      colind[rowadr[i] + k] = part->local[d->M_colind[from + k]];
      M[rowadr[i] + k] = d->M[from + k];
      LD[rowadr[i] + k] = d->qLD[from + k];
    }
  }
  p->M_rownnz = rownnz;
  p->M_rowadr = rowadr;
  p->M_colind = colind;
  p->M = M;
  p->LD = LD;
  p->LDinv = gather(&rest, d->qLDiagInv, part->dof, n);
  return true;
}

static void build_whole(const mjModel* m, mjData* d, snProblem* p) {
  p->nv = m->nv;
  p->rows = (snRowView){d->ne,     d->nf,    d->nefc,  d->efc_type,
                        d->efc_id, d->efc_D, d->efc_R, d->efc_frictionloss,
                        d->contact};
  p->aref = d->efc_aref;
  p->M_rownnz = d->M_rownnz;
  p->M_rowadr = d->M_rowadr;
  p->M_colind = d->M_colind;
  p->M = d->M;
  p->LD = d->qLD;
  p->LDinv = d->qLDiagInv;
  const snPlan* plan = model_plan(m);
  p->tree = plan->tree;
  p->M_run = plan->run;
  p->M_runadr = plan->run_adr;
  p->frc_smooth = d->qfrc_smooth;
  p->acc_smooth = d->qacc_smooth;
  p->acc = d->qacc;
  p->frc_constraint = d->qfrc_constraint;
  p->force = d->efc_force;
  p->state = d->efc_state;
}

static bool build_part(mjData* d, const snUnits* u, const snSorted* sorted, int id, snPart* part,
                       snProblem* p) {
  int nv = sorted->dof_first[id + 1] - sorted->dof_first[id], nefc = 0, ne = 0, nf = 0;
  int begin = sorted->unit_first[id], end = sorted->unit_first[id + 1];
  part->dof = sorted->dof + sorted->dof_first[id];
  for (int i = 0; i < nv; i++) part->local[part->dof[i]] = i;
  for (int k = begin; k < end; k++) nefc += u->nrow[sorted->unit[k]];
  part->row = mj_stackAllocInt(d, 4 * (size_t)nefc);
  mjtNum* nums = mj_stackAllocNum(d, 5 * (size_t)nefc + 4 * (size_t)nv);
  if (!part->row || !nums) return false;
  int* ints = part->row + nefc;
  nefc = 0;
  for (int k = begin; k < end; k++) {
    int unit = sorted->unit[k];
    for (int r = 0; r < u->nrow[unit]; r++) part->row[nefc++] = u->row[unit] + r;
  }
  for (int i = 0; i < nefc; i++) {
    ne += part->row[i] < d->ne;
    nf += part->row[i] >= d->ne && part->row[i] < d->ne + d->nf;
  }
  p->nv = nv;
  p->rows = (snRowView){ne, nf, nefc, .contact = d->contact};
  p->rows.type = gather_int(&ints, d->efc_type, part->row, nefc);
  p->rows.id = gather_int(&ints, d->efc_id, part->row, nefc);
  p->rows.D = gather(&nums, d->efc_D, part->row, nefc);
  p->rows.R = gather(&nums, d->efc_R, part->row, nefc);
  p->rows.frictionloss = gather(&nums, d->efc_frictionloss, part->row, nefc);
  p->aref = gather(&nums, d->efc_aref, part->row, nefc);
  p->frc_smooth = gather(&nums, d->qfrc_smooth, part->dof, nv);
  p->acc_smooth = gather(&nums, d->qacc_smooth, part->dof, nv);
  p->acc = gather(&nums, d->qacc, part->dof, nv);
  p->frc_constraint = nums;
  p->force = nums + nv;
  p->state = ints;
  return build_inertia(d, part, p);
}

// What forces and velocities say of a part that is built.
static void renew_part(const mjData* d, const snPart* part, const snProblem* p) {
  mjtNum* to = (mjtNum*)p->aref;
  gather(&to, d->efc_aref, part->row, p->rows.nefc);
  gather(&to, d->qfrc_smooth, part->dof, p->nv);
  gather(&to, d->qacc_smooth, part->dof, p->nv);
  gather(&to, d->qacc, part->dof, p->nv);
}

static void scatter_part(mjData* d, const snPart* part, const snProblem* p) {
  for (int i = 0; i < p->nv; i++) {
    d->qacc[part->dof[i]] = p->acc[i];
    d->qfrc_constraint[part->dof[i]] = p->frc_constraint[i];
  }
  for (int i = 0; i < p->rows.nefc; i++) {
    d->efc_force[part->row[i]] = p->force[i];
    d->efc_state[part->row[i]] = p->state[i];
  }
}

// ---- the primal solvers over all parts

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

// What all parts of one solve share.
typedef struct snWhole_ {
  snRowReader rd;
  snUnits units;
  snSorted sorted;
  bool dense;    // solved as one, at full width
  bool whole;    // one part with all dofs
  bool islands;  // statistics island by island
  int nparts;
  int* local;                // (nv) index of a dof in its part
  int* tree_part;            // (ntree) the part of a tree, when there are several
  struct snHeldPart_* held;  // (nparts) built already, or NULL
  struct snFull_* full;      // the same for a system at full width
} snWhole;

// A part that stays built while positions do.
typedef struct snHeldPart_ {
  snPart part;
  snProblem p;
  snKept kept;
} snHeldPart;

// Rows that are no numbers have no solution: the motion stays the unconstrained one.
static void reject_nan(const snProblem* p) {
  mjtNum sum = 0;
  for (int i = 0; i < p->nv; i++) sum += p->acc[i] * 0 + p->frc_constraint[i] * 0;
  if (sum == 0) return;
  memcpy(p->acc, p->acc_smooth, sizeof(mjtNum) * (size_t)p->nv);
  memset(p->frc_constraint, 0, sizeof(mjtNum) * (size_t)p->nv);
  memset(p->force, 0, sizeof(mjtNum) * (size_t)p->rows.nefc);
  for (int i = 0; i < p->rows.nefc; i++) p->state[i] = mjCNSTRSTATE_SATISFIED;
}

// Are there cones, and in which units to stop, for a system of so many dofs.
static void finish_problem(const mjModel* m, snProblem* p, int nv) {
  if (m->opt.cone == mjCONE_ELLIPTIC) {
    for (int i = 0; i < p->rows.nefc; i++) {
      p->elliptic |= p->rows.type[i] == mjCNSTR_CONTACT_ELLIPTIC;
    }
  }
  p->scale = 1 / (m->stat.meaninertia * mju_max(1, nv));
  p->lightness = 1 / m->stat.meaninertia;
}

// The problem of a part and what serves its products; false without memory.
static bool build(const snWhole* w, int id, snPart* part, snProblem* p) {
  const mjModel* m = w->rd.m;
  mjData* d = p->d;
  bool ok;
  if (w->dense) {
    build_whole(m, d, p);
    ok = build_dense(m, d, p);
  } else if (w->whole) {
    build_whole(m, d, p);
    ok = build_blocks(&w->rd, &w->units, NULL, w->units.n, NULL, p);
  } else {
    const int* first = w->sorted.unit_first + id;
    ok = build_part(d, &w->units, &w->sorted, id, part, p) &&
         build_blocks(&w->rd, &w->units, w->sorted.unit + first[0], first[1] - first[0], w->local,
                      p);
  }
  if (!ok) return false;
  p->nlane = (p->nv + 3) & ~3;
  int scratch = p->tree ? tree_scratch(p->tree) : 0;
  p->scratch = mj_stackAllocNum(d, (size_t)(scratch > p->nlane ? scratch : p->nlane));
  if (p->npoint) p->padded = mj_stackAllocByte(d, sizeof(mjtNum) * 4 * (size_t)p->npoint, 32);
  finish_problem(m, p, w->islands ? p->nv : m->nv);
  return p->scratch && (p->padded || !p->npoint);
}

static snProblem blank_problem(const mjModel* m, mjData* d) {
  return (snProblem){.d = d,
                     .iterations = m->opt.iterations,
                     .ls_iterations = m->opt.ls_iterations,
                     .tolerance = m->opt.tolerance,
                     .ls_tolerance = m->opt.ls_tolerance};
}

static bool by_rows(const snWhole* w, const snProblem* p) {
  return !w->dense && newton_rows_pays(p->nv, p->rows.ne, p->rows.nefc);
}

static void solve_built(const snWhole* w, const snPart* part, const snProblem* p,
                        snReport* report) {
  const mjModel* m = w->rd.m;
  mjData* d = p->d;
  // b = J a0 - aref, left in force for the solver to start from
  problem_mul_J(p, p->force, p->acc_smooth);
  for (int i = 0; i < p->rows.nefc; i++) {
    p->force[i] -= p->aref[i];
    d->efc_b[part->row ? part->row[i] : i] = p->force[i];
  }
  if (m->opt.solver == mjSOL_CG) {
    report->failed = !solve_cg(p, report);
  } else if (by_rows(w, p)) {
    report->failed = !solve_newton_rows(p, report);
  } else {
    report->failed = !solve_newton(p, report);
  }
  if (report->failed) return;
  reject_nan(p);
  if (!w->whole) scatter_part(d, part, p);
}

static void solve_part(const snWhole* w, int id, snReport* report) {
  mjData* d = (mjData*)w->rd.d;
  if (w->held) {
    snHeldPart* h = w->held + id;
    if (!w->whole) renew_part(d, &h->part, &h->p);
    solve_built(w, &h->part, &h->p, report);
    return;
  }
  mj_markStack(d);
  snPart part = {.local = w->local};
  snProblem p = blank_problem(w->rd.m, d);
  report->failed = true;
  if (build(w, id, &part, &p)) solve_built(w, &part, &p, report);
  mj_freeStack(d);
}

static void report_part(mjData* d, const snWhole* w, int id, const snReport* report) {
  if (!w->islands) {
    merge_report(d, report);
  } else if (id < mjNISLAND) {
    d->solver_niter[id] = report->niter;
    d->solver_nnz[id] = report->nnz;
    int n = report->niter < mjNSOLVER ? report->niter : mjNSOLVER;
    memcpy(d->solver + id * mjNSOLVER, report->stat, sizeof(mjSolverStat) * (size_t)n);
  }
}

// One task of a pool: every n-th part. Parts touch different dofs, rows and contacts; each worker
// has a stack of its own.
typedef struct snShare_ {
  const snWhole* whole;
  snReport* report;
  int first, step;
} snShare;

static void* solve_share(void* arg) {
  const snShare* share = arg;
  for (int id = share->first; id < share->whole->nparts; id += share->step) {
    solve_part(share->whole, id, share->report + id);
  }
  return NULL;
}

static bool solve_parts_in_pool(mjData* d, const snWhole* w, mjThreadPool* pool) {
  int nparts = w->nparts, ntask = 2 * pool->nworker < nparts ? 2 * pool->nworker : nparts;
  int room = w->rd.m->opt.iterations < mjNSOLVER ? w->rd.m->opt.iterations : mjNSOLVER;
  mj_markStack(d);
  snReport* report = mj_stackAllocByte(d, sizeof(snReport) * (size_t)nparts, 8);
  mjSolverStat* stat = mj_stackAllocByte(
      d, sizeof(mjSolverStat) * (size_t)nparts * (size_t)(room > 0 ? room : 1), 8);
  mjTask* task = mj_stackAllocByte(d, sizeof(mjTask) * (size_t)ntask, 64);
  snShare* share = mj_stackAllocByte(d, sizeof(snShare) * (size_t)ntask, 8);
  if (!report || !stat || !task || !share) {
    mj_freeStack(d);
    return false;
  }
  for (int id = 0; id < nparts; id++) report[id] = (snReport){.stat = stat + (size_t)id * room};
  for (int k = 0; k < ntask; k++) {
    share[k] = (snShare){w, report, k, ntask};
    mju_defaultTask(task + k);
    task[k].func = solve_share;
    task[k].args = share + k;
    mju_threadPoolEnqueue(pool, task + k);
  }
  for (int k = 0; k < ntask; k++) mju_taskJoin(task + k);
  bool ok = true;
  for (int id = 0; id < nparts; id++) {
    report_part(d, w, id, report + id);
    ok &= !report[id].failed;
  }
  mj_freeStack(d);
  return ok;
}

static bool solve_parts(mjData* d, const snWhole* w) {
  if (w->nparts > 1 && d->threadpool && !thread_worker) {
    return solve_parts_in_pool(d, w, (mjThreadPool*)d->threadpool);
  }
  mjSolverStat* stat = mj_stackAllocByte(d, sizeof(mjSolverStat) * mjNSOLVER, 8);
  bool ok = stat;
  for (int id = 0; id < w->nparts && ok; id++) {
    snReport report = {.stat = stat};
    solve_part(w, id, &report);
    report_part(d, w, id, &report);
    ok = !report.failed;
  }
  return ok;
}

static bool is_small(const mjModel* m, const mjData* d) {
  return m->nv <= SMALL_DOFS && !mj_isSparse(m) &&
         !((m->opt.enableflags & mjENBL_ISLAND) && d->nisland > 0);
}

// Does Newton take the system as a whole, with a column for every dof? The space of rows is ahead
// where they are few against many dofs, and newton.c where they are stiff.
static bool is_full(const mjModel* m, const mjData* d) {
  if (m->opt.solver != mjSOL_NEWTON) return false;
  if (rows_stiff(d->efc_D, d->nefc, 1 / m->stat.meaninertia)) return false;
  if (is_small(m, d)) return true;
  if (m->nv > FULL_DOFS || m->ntree > FULL_TREES || mj_isSparse(m)) return false;
  if ((m->opt.enableflags & mjENBL_ISLAND) && d->nisland > 0) return false;
  return 3 * (d->nefc + d->nf) > m->nv || !newton_rows_pays(m->nv, d->ne, d->nefc);
}

// The parts of the system; false without memory.
static bool find_whole(const mjModel* m, mjData* d, snWhole* w) {
  w->rd = (snRowReader){m, d, mj_isSparse(m), NULL};
  w->islands = (m->opt.enableflags & mjENBL_ISLAND) && d->nisland > 0;
  if (is_small(m, d)) {
    w->whole = w->dense = true;
    w->nparts = 1;
    return true;
  }
  w->rd.side = mj_stackAllocByte(d, (size_t)m->nv, 1);
  int* tree_part = mj_stackAllocInt(d, m->ntree);
  if (!w->rd.side || !tree_part || !units_read(&w->rd, &w->units)) return false;
  if (!w->islands && shares_line_search(m)) {
    w->whole = true;
    w->nparts = 1;
    return true;
  }
  w->nparts = parts_find(m, d, &w->units, tree_part);
  if (w->nparts < 0) return false;
  w->whole = w->nparts == 1;
  for (int t = 0; t < m->ntree; t++) w->whole &= tree_part[t] == 0;
  if (w->whole && (m->opt.solver != mjSOL_NEWTON || m->ntree < ORDER_TREES || m->nv < ORDER_DOFS))
    return true;
  bool changed;
  if (!parts_sort(m, d, &w->units, tree_part, w->nparts, &w->sorted, &changed)) return false;
  w->whole &= !changed;
  if (w->whole) return true;
  w->local = mj_stackAllocInt(d, m->nv);
  w->tree_part = tree_part;
  return w->local;
}

// Trees without rows move freely.
static void leave_free(const mjModel* m, mjData* d, const int* tree_part) {
  for (int i = 0; i < m->nv; i++) {
    if (tree_part[m->dof_treeid[i]] >= 0) continue;
    d->qacc[i] = d->qacc_smooth[i];
    d->qfrc_constraint[i] = 0;
  }
}

static bool solve_full(const mjModel* m, mjData* d) {
  snProblem p = blank_problem(m, d);
  snReport report = {.stat = d->solver};
  build_whole(m, d, &p);
  finish_problem(m, &p, m->nv);
  const snWhole* held = data_cache(d, snROOM_SOLVE)->block;
  if (!solve_newton_full(&p, d->efc_J, held ? held->full : NULL, &report)) return false;
  d->solver_niter[0] = report.niter;
  d->solver_nnz[0] = report.nnz;
  reject_nan(&p);
  return true;
}

static bool solve_large(const mjModel* m, mjData* d) {
  snWhole own = {.dense = false}, *w = data_cache(d, snROOM_SOLVE)->block;
  mj_markStack(d);
  bool ok = w || find_whole(m, d, &own);
  if (!w) w = &own;
  if (ok && !w->whole) leave_free(m, d, w->tree_part);
  ok = ok && solve_parts(d, w);
  mj_freeStack(d);
  return ok;
}

// Without memory, which mju_error has told, the motion is the unconstrained one.
void solve_primal(const mjModel* m, mjData* d) {
  if (is_full(m, d) ? solve_full(m, d) : solve_large(m, d)) return;
  mju_copy(d->qacc, d->qacc_smooth, m->nv);
  mju_zero(d->qfrc_constraint, m->nv);
  mju_zero(d->efc_force, d->nefc);
  for (int i = 0; i < d->nefc; i++) d->efc_state[i] = mjCNSTRSTATE_SATISFIED;
}

// ---- positions that stay

void solve_hold(const mjModel* m, mjData* d) {
  bool newton = m->opt.solver == mjSOL_NEWTON;
  if (!(newton || m->opt.solver == mjSOL_CG) || !d->nefc) return;
  snWhole* w = mj_stackAllocByte(d, sizeof *w, sizeof(void*));
  if (!w) return;
  *w = (snWhole){.dense = false};
  if (is_full(m, d)) {
    snProblem p = blank_problem(m, d);
    build_whole(m, d, &p);
    finish_problem(m, &p, m->nv);
    w->full = newton_full_keep(&p, d->efc_J);
    if (w->full) data_cache(d, snROOM_SOLVE)->block = w;
    return;
  }
  if (!find_whole(m, d, w)) return;
  snHeldPart* held = mj_stackAllocByte(d, sizeof *held * (size_t)w->nparts, sizeof(void*));
  if (w->nparts && !held) return;
  for (int id = 0; id < w->nparts; id++) {
    snHeldPart* h = held + id;
    *h = (snHeldPart){.part = {.local = w->local}, .p = blank_problem(m, d)};
    if (!build(w, id, &h->part, &h->p)) return;
    size_t nv = (size_t)h->p.nv;
    h->kept.acc = mj_stackAllocNum(d, 2 * nv + (size_t)h->p.rows.nefc);
    if (!h->kept.acc) return;
    h->kept.Ma = h->kept.acc + nv;
    h->kept.Jacc = h->kept.Ma + nv;
    h->p.kept = &h->kept;
    if (m->opt.solver == mjSOL_CG) continue;
    if (by_rows(w, &h->p)) {
      h->kept.rows = newton_rows_keep(&h->p);
    } else {
      h->kept.factors = hessian_keep(&h->p);
    }
  }
  w->held = held;
  data_cache(d, snROOM_SOLVE)->block = w;
}

void solve_release(mjData* d) { data_cache(d, snROOM_SOLVE)->block = NULL; }
