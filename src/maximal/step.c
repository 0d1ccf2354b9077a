// One step: poses -> joint coordinates -> forces, contacts -> rows -> D, v_free -> impulses ->
// velocities -> poses.
#include "base/assert.h"
#include "data/frame.h"
#include "maximal/maximal.h"
#include "smooth/smooth.h"

static void move_bodies(snMaximal* x, double h) {
  for (int i = 0; i < x->nbody; i++) {
    maximal_move(x->vel + 6 * i, h, x->pos + 3 * i, x->quat + 4 * i);
  }
}

// u += h inv(M) f
static void add_forces(snMaximalWhole* w, double h) {
  snMaximal* x = &w->x;
  for (int i = 0; i < x->nbody; i++) {
    const double *minv = w->minv + 10 * i, *f = w->force + 6 * i;
    double *vel = x->vel + 6 * i, spin[3];
    mat3_mul_vec(spin, minv + 1, f + 3);
    vec3_add_scaled(vel, vel, f, h * minv[0]);
    vec3_add_scaled(vel + 3, vel + 3, spin, h);
  }
}

// Impulses of the last step by key; groups mostly come in the same order.
void maximal_warm_start(const snMaximalWhole* w, const snRows* r, double* force) {
  int warm = w->x.opt.settings.warmstart, at = 0;
  for (int g = r->nsoftgroup; g < r->ngroup; g++) {
    const snGroup* group = r->group + g;
    double* f = force + group->set.row - r->nsoft;
    for (int k = 0; k < group->set.nrow; k++) f[k] = 0;
    if (warm == snWARM_ZERO || !w->nwarm) continue;
    for (int tries = 0; tries < w->nwarm; tries++, at++) {
      if (at >= w->nwarm) at = 0;
      if (w->warm_key[at] != group->key) continue;
      for (int k = 0; k < group->set.nrow; k++) f[k] = w->warm_force[6 * at + k];
      at++;
      break;
    }
  }
}

static void keep_impulses(snMaximalWhole* w, const snRows* r, const double* force) {
  int n = r->ngroup - r->nsoftgroup;
  if (n > w->max_warm) {
    int most = 2 * n;
    uint64_t* key = memory_resize(w->warm_key, w->max_warm * sizeof *key, most * sizeof *key);
    if (key) w->warm_key = key;
    double* value =
        memory_resize(w->warm_force, 6 * w->max_warm * sizeof *value, 6 * most * sizeof *value);
    if (value) w->warm_force = value;
    if (!key || !value) {  // the next step starts cold
      w->nwarm = 0;
      return;
    }
    w->max_warm = most;
  }
  SN_ASSERT(n <= w->max_warm);
  w->nwarm = n;
  for (int i = 0; i < n; i++) {
    const snGroup* group = r->group + r->nsoftgroup + i;
    w->warm_key[i] = group->key;
    for (int k = 0; k < group->set.nrow; k++) {
      w->warm_force[6 * i + k] = force[group->set.row - r->nsoft + k];
    }
  }
}

static double inertia_sum(const snMaximal* x) {
  double sum = 0;
  for (int i = 0; i < x->nbody; i++) {
    const double* I = x->inertia + 9 * i;
    sum += 3 * x->mass[i] + I[0] + I[4] + I[8];
  }
  return sum;
}

// The dual problem of the rows, with its arrays on the stack.
static bool pose_problem(snMaximalWhole* w, const snRows* r, const snAssembly* a, const double* v,
                         snDual* p) {
  snMaximal* x = &w->x;
  int n = r->n - r->nsoft, nblock = r->ngroup - r->nsoftgroup;
  size_t nscratch = dual_scratch(w->solver, &a->D, nblock);
  snDualBlock* block;
  double *force, *R, *velocity, *scratch;
  if (!FRAME(memory_of(x->data), SN_ARRAY(block, nblock), SN_ARRAY(force, r->n), SN_ARRAY(R, n),
             SN_ARRAY(velocity, n), SN_ARRAY(scratch, nscratch))) {
    return false;
  }
  SN_ASSERT(nblock >= 0 && n >= nblock);
  for (int g = 0; g < nblock; g++) {
    block[g] = r->group[r->nsoftgroup + g].set;
    block[g].row -= r->nsoft;
  }
  force += r->nsoft;
  assembly_diagonal(r, a, R);
  for (int g = 0; g < nblock; g++) {
    double share = block[g].kind == snDUAL_FREE ? x->opt.compliance : 0;
    for (int i = block[g].row; i < block[g].row + block[g].nrow; i++) R[i] *= share;
  }
  maximal_warm_start(w, r, force);
  snSolverSettings set = x->opt.settings;
  // the penalty that ADMM arrived at is where it starts next time
  bool adapts = set.penalty == snPENALTY_LINEAR && set.warmstart != snWARM_ZERO;
  if (adapts && w->nwarm && x->report.rho > 0) set.rho = mju_clip(x->report.rho, 1e-4, 1e4);
  *p = (snDual){.n = n,
                .nblock = nblock,
                .block = block,
                .D = &a->D,
                .R = x->opt.compliance > 0 ? R : NULL,
                .v_free = v + r->nsoft,
                .inertia = inertia_sum(x),
                .force = force,
                .velocity = velocity,
                .set = set,
                .scratch = scratch,
                .nscratch = nscratch};
  return true;
}

// Largest violation of positions: joints, limits and contacts.
static double penetration(const snMaximal* x) {
  double most = fmax(x->joint_error, x->angle_error);
  const mjModel* m = x->model;
  const mjData* d = x->data;
  for (int i = 0; i < d->ncon; i++)
    most = fmax(most, d->contact[i].includemargin - d->contact[i].dist);
  for (int j = 0; j < m->njnt; j++) {
    if (!m->jnt_limited[j] || m->jnt_type[j] < mjJNT_SLIDE) continue;
    double q = d->qpos[m->jnt_qposadr[j]];
    most = fmax(most, fmax(m->jnt_range[2 * j] - q, q - m->jnt_range[2 * j + 1]));
  }
  return most;
}

static bool solve(snMaximalWhole* w, snRows* r, double h) {
  snMaximal* x = &w->x;
  snAssembly a;
  snDual p;
  double *v, *before, *start, *smooth;
  if (!FRAME(memory_of(x->data), SN_ARRAY(v, r->n), SN_ARRAY(before, 6 * x->nbody),
             SN_ARRAY(start, r->n), SN_ARRAY(smooth, r->n))) {
    return false;
  }
  mju_copy(before, x->vel, 6 * x->nbody);
  maximal_rows_velocity(r, x->vel, start);
  add_forces(w, h);
  maximal_rows_velocity(r, x->vel, v);
  mju_copy(smooth, v, r->n);
  for (int i = 0; i < r->n; i++) v[i] += r->bias[i];
  if (!assembly_make(w, r, &a, v) || !pose_problem(w, r, &a, v, &p)) {
    mju_copy(x->vel, before, 6 * x->nbody);
    return false;
  }
  double* impulse = p.force - r->nsoft;
  if (p.n) {
    dual_solve(w->solver, &p, &x->report);
  } else {
    x->report = (snSolverReport){.converged = 1, .finite = 1};
  }
  x->report.r_pen = penetration(x);
  if (w->record) w->record(w->record_context, x, r, &p);
  assembly_soft(r, &a, v, impulse);
  maximal_rows_apply(r, impulse, x->vel);
  keep_impulses(w, r, p.force);
  w->held = 0;
  for (int i = 0; i < r->ngroup; i++) {
    const snDualBlock* b = &r->group[i].set;
    if (b->row < r->nsoft) continue;
    w->held =
        dual_held(b, impulse + b->row, start[b->row], smooth[b->row], r->group[i].key, w->held);
  }
  return true;
}

static bool state_is_good(const snMaximal* x) {
  for (int i = 0; i < 3 * x->nbody; i++) {
    if (mju_isBad(x->pos[i])) return false;
  }
  for (int i = 0; i < 4 * x->nbody; i++) {
    if (mju_isBad(x->quat[i])) return false;
  }
  for (int i = 0; i < 6 * x->nbody; i++) {
    if (mju_isBad(x->vel[i])) return false;
  }
  return true;
}

static void start_again(snMaximal* x) {
  mj_warning(x->data, mjWARN_BADQVEL, 0);
  int count = x->data->warning[mjWARN_BADQVEL].number;
  mj_resetData(x->model, x->data);
  x->data->warning[mjWARN_BADQVEL].number = count;
  sn_setMaximal(x, x->data);
}

snStepped maximal_step(snMaximal* x) {
  snMaximalWhole* w = (snMaximalWhole*)x;
  const mjModel* m = x->model;
  mjData* d = x->data;
  double h = m->opt.timestep, *pos, *quat;
  bool midpoint = x->opt.stepping == snSTEPPING_MOREAU, solved = false;
  snRows r;
  if (!state_is_good(x)) {
    start_again(x);
    return snSTEPPED_BAD;
  }
  mj_markStack(d);
  if (FRAME(memory_of(d), SN_ARRAY(pos, 3 * x->nbody), SN_ARRAY(quat, 4 * x->nbody))) {
    mju_copy(pos, x->pos, 3 * x->nbody);
    mju_copy(quat, x->quat, 4 * x->nbody);
    if (midpoint) move_bodies(x, 0.5 * h);
    if (m->nmocap) maximal_offsets(w);
    maximal_frames(w);
    maximal_look_ahead(w, h);
    for (int i = 0; i < w->nlink; i++) {
      chain_locate(w, w->link + i);
      chain_look_ahead(w, w->link + i);
    }
    maximal_forces(w);
    solved = maximal_rows(w, &r) && solve(w, &r, h);
    if (!solved) {
      mju_copy(x->pos, pos, 3 * x->nbody);
      mju_copy(x->quat, quat, 4 * x->nbody);
    }
  }
  mj_freeStack(d);
  if (!solved) return snSTEPPED_NO_MEMORY;
  move_bodies(x, midpoint ? 0.5 * h : h);
  if (w->active_forces) actuation_advance(m, d, d->act_dot);
  d->time += h;
  if (state_is_good(x)) return snSTEPPED_GOOD;
  start_again(x);
  return snSTEPPED_BAD;
}

int sn_stepMaximal(snMaximal* x) { return maximal_step(x) == snSTEPPED_GOOD; }
