// Derivatives by what acts from outside: applied forces, wrenches on bodies, mocap poses.
//
// An applied force is minus its part of the residual, dtau = -df, and a wrench reaches the residual
// through the Jacobian of its body, so with J at the centre of mass
//
//   dqacc = inv(H) df,   dqacc = inv(H) J'dw
//
// without a difference. A mocap body moves contacts, equalities and tendons: the residual is
// differenced along its three translations and three turns (changed.c). What is not taken apart
// (RK4, hard contact) is differenced as a whole.
#include "derive/private.h"
#include "entry/guard.h"
#include "hold/hold.h"
#include "step/step.h"

// How far whole steps move a mocap body, and by how much they push: a newton moves the state of a
// step by h / m alone, and a step is hardly bent along it.
static const double kTurn = 1e-6, kPush = 1e-3;

typedef struct snInputs_ {
  mjtNum *force, *wrench, *mocap;
} snInputs;

// Columns [first, first + n) of the next state by forces whose generalized parts are the columns of
// X (nv x stride, whole lanes), to `out` of ncol columns.
static bool force_columns(snTangent* t, const snAdvance* a, double* X, int n, int stride,
                          mjtNum* out, int ncol, int first) {
  int nv = t->nv;
  double *change, h = t->m->opt.timestep;
  SN_ASSERT(stride % 4 == 0 && n <= stride && first + n <= ncol);
  if (!FRAME(memory_of(t->d), SN_ARRAY(change, (size_t)nv * (size_t)stride))) return false;
  memset(change, 0, (size_t)nv * (size_t)stride * sizeof(double));
  tangent_solve(t, X, n, stride);
  if (!advance_apply(t, a, 0, X, change, n, stride)) return false;
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < nv; i++) {
      out[(size_t)(nv + i) * ncol + first + k] = h * X[(size_t)i * stride + k];
    }
    positions_reach(t, a, false, out, ncol, first + k);
    for (int i = 0; i < t->na; i++) out[(size_t)(2 * nv + i) * ncol + first + k] = 0;
  }
  return true;
}

static bool by_forces(snTangent* t, const snAdvance* a, mjtNum* out) {
  int nv = t->nv, stride = (nv + 3) & ~3;
  double* X;
  if (!FRAME(memory_of(t->d), SN_ARRAY(X, (size_t)nv * (size_t)stride))) return false;
  memset(X, 0, (size_t)nv * (size_t)stride * sizeof(double));
  for (int i = 0; i < nv; i++) X[(size_t)i * stride + i] = 1;
  return force_columns(t, a, X, nv, stride, out, nv, 0);
}

// Force, then torque, at the centre of mass of each body.
static bool by_wrenches(snTangent* t, const snAdvance* a, mjtNum* out) {
  enum { N = 8 };  // six columns in whole lanes
  const mjModel* m = t->m;
  int nv = t->nv;
  double *X, *jac;
  if (!FRAME(memory_of(t->d), SN_ARRAY(X, N * (size_t)nv), SN_ARRAY(jac, 6 * (size_t)nv))) {
    return false;
  }
  for (int b = 0; b < m->nbody; b++) {
    mj_jacBodyCom(m, t->d, jac, jac + 3 * (size_t)nv, b);
    for (int i = 0; i < nv; i++) {
      for (int k = 0; k < N; k++) X[N * i + k] = k < 6 ? jac[(size_t)k * (size_t)nv + i] : 0;
    }
    mj_markStack(t->d);
    bool there = force_columns(t, a, X, 6, N, out, 6 * m->nbody, 6 * b);
    mj_freeStack(t->d);
    if (!there) return false;
  }
  return true;
}

// Moves number k of the pose of a mocap body: along the axes of the world, about those of the body.
static void mocap_move(mjtNum* pos, mjtNum* quat, int k, double step) {
  if (k < 3) {
    pos[k] += step;
    return;
  }
  mjtNum axis[3] = {0};
  axis[k - 3] = 1;
  mju_normalize4(quat);
  mju_quatIntegrate(quat, axis, step);
}

static bool by_mocap(snTangent* t, mjtNum* out) {
  const mjModel* m = t->m;
  snAdvance a;
  snChanged c;
  mjtNum* kept;
  size_t size = (size_t)mj_stateSize(m, mjSTATE_INTEGRATION);
  if (!changed_make(t, &c, &a) || !FRAME(memory_of(t->d), SN_ARRAY(kept, size))) return false;
  mju_copy(kept, c.state, (int)size);
  // numbers of the state are in the order of their bits
  mjtNum* pos = c.state + mj_stateSize(m, mjSTATE_INTEGRATION & (mjSTATE_MOCAP_POS - 1));
  mjtNum* quat = pos + 3 * m->nmocap;
  bool there = (c.d = mj_makeData(m)) != NULL;
  for (int k = 0; k < 6 * m->nmocap && there; k++) {
    for (int side = 0; side < 2; side++) {
      mocap_move(pos + 3 * (k / 6), quat + 4 * (k / 6), k % 6, side ? kTurn : -kTurn);
      changed_run(&c, m, side);
      mju_copy(c.state, kept, (int)size);
    }
    there = changed_column(t, &c, 2 * kTurn, false, out, 6 * m->nmocap, k);
  }
  mj_deleteData(c.d);
  report_differenced(t->report, "inverse dynamics by mocap poses");
  return there;
}

// ---- the whole step

typedef struct snMovedMocap_ {
  int of;  // 0: qfrc_applied, 1: xfrc_applied, 2: mocap
  int at;
} snMovedMocap;

static void input_move(mjData* d, const void* what, double step) {
  const snMovedMocap* x = what;
  if (x->of == 0) d->qfrc_applied[x->at] += step;
  if (x->of == 1) d->xfrc_applied[x->at] += step;
  if (x->of == 2) {
    int b = x->at / 6;
    mocap_move(d->mocap_pos + 3 * b, d->mocap_quat + 4 * b, x->at % 6, step);
  }
}

static bool whole_inputs(const mjModel* m, mjData* d, const snInputs* to, const char* why,
                         snDeriveReport* r) {
  mjtNum* out[] = {to->force, to->wrench, to->mocap};
  int n[] = {m->nv, 6 * m->nbody, 6 * m->nmocap};
  for (int of = 0; of < 3; of++) {
    for (int at = 0; out[of] && at < n[of]; at++) {
      snMovedMocap moved = {of, at};
      double step = of < 2 ? kPush : kTurn;
      if (!differences_column(m, d, input_move, &moved, step, out[of], n[of], at)) return false;
    }
  }
  differences_name(r, why);
  return true;
}

// ---- the calls

static bool inputs_columns(snTangent* t, const snInputs* to) {
  mjData* d = t->d;
  snAdvance a;
  mj_markStack(d);
  bool there = true;
  if (to->force || to->wrench) there = advance_make(t, &a);
  if (there && to->force) there = by_forces(t, &a, to->force);
  if (there && to->wrench) there = by_wrenches(t, &a, to->wrench);
  if (there && to->mocap && t->m->nmocap) there = by_mocap(t, to->mocap);
  mj_freeStack(d);
  return there;
}

int sn_transitionInput(const mjModel* m, mjData* d, mjtNum* DxDf, mjtNum* DxDw, mjtNum* DxDm,
                       snDeriveReport* report) {
  static const char F[] = "sn_transitionInput";
  snDeriveReport own, *r = report_begin(report, &own);
  if (!guard_step(F, m, d, true)) return 0;
  snInputs to = {DxDf, DxDw, DxDm};
  vigil_begin(d);
  const char* why = report_obstacle(m, d);
  if (!why && m->opt.integrator == mjINT_RK4) why = "inputs under RK4";
  bool there;
  if (why) {
    there = whole_inputs(m, d, &to, why, r);
  } else {
    mjtNum* warmstart = warmstart_keep(m, d);
    snTangent t;
    if ((there = warmstart != NULL)) {
      step_forward(m, d, mjSTAGE_NONE, (snOmit){.sensors = true});
      there = tangent_unsolved(&t, m, d, r);
      mju_copy(d->qacc_warmstart, warmstart, m->nv);
      there = there && inputs_columns(&t, &to);
    }
  }
  vigil_end(d);
  return report_finish(F, r, there);
}

int sn_vjpInput(const mjModel* m, mjData* d, const mjtNum* gnext, mjtNum* gf, mjtNum* gw,
                mjtNum* gm, snDeriveReport* report) {
  static const char F[] = "sn_vjpInput";
  if (report) report_clear(report);
  if (!guard_step(F, m, d, true)) return 0;
  int nx = 2 * m->nv + m->na;
  if (!guard_sized(F, "gnext", gnext, nx)) return 0;
  mjtNum* g[] = {gf, gw, gm};
  int n[] = {m->nv, 6 * m->nbody, 6 * m->nmocap};
  mjtNum* D[3];
  mj_markStack(d);
  int there = 1;
  for (int k = 0; k < 3; k++) {
    D[k] = NULL;
    if (g[k]) there &= FRAME(memory_of(d), SN_ARRAY(D[k], (size_t)nx * (size_t)n[k]));
  }
  there = there && sn_transitionInput(m, d, D[0], D[1], D[2], report);
  for (int k = 0; k < 3 && there; k++) {
    if (g[k]) mju_mulMatTVec(g[k], D[k], gnext, nx, n[k]);
  }
  mj_freeStack(d);
  return there;
}
