// RK4: four forward derivatives, chained as the stages are.
//
//   stage k starts from  q_k = q + h a_k v_{k-1},  v_k = v + h a_k acc_{k-1},  act likewise
//   the step goes on by  h sum of b_k (v_k, acc_k, act'_k)
//
// Positions move on the group of rotations, so that their derivatives pass through quatIntegrate.
#include "derive/private.h"

static const double kA[4] = {0, 0.5, 0.5, 1};
static const double kB[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};

typedef struct snStages_ {
  const mjModel* m;
  int nv, na, nu, n;          // n columns: q, v, act, ctrl
  double *qpos, *qvel, *act;  // where the step starts
  double *rate, *sum;         // (v, acc, act') of the last stage and their weighted sum
  double* dx;                 // derivative of the stage's state (2nv+na x n)
  double *dr, *ds;            // of its rates and of their sum
} snStages;

// to = derivative of q + scale vel in the tangent space at the result, given dvel (rows of nv).
static void positions_move(const snStages* s, const double* vel, double scale, const double* dvel,
                           double* to) {
  const mjModel* m = s->m;
  size_t n = (size_t)s->n;
  for (int j = 0; j < m->njnt; j++) {
    int v = m->jnt_dofadr[j], type = m->jnt_type[j];
    int plain = type == mjJNT_FREE ? 3 : type == mjJNT_BALL ? 0 : 1;
    for (int i = v; i < v + plain; i++) {
      for (size_t c = 0; c < n; c++) to[i * n + c] = scale * dvel[i * n + c];
      to[i * n + (size_t)i] += 1;
    }
    if (type != mjJNT_FREE && type != mjJNT_BALL) continue;
    v += plain;
    double Dq[9], Dv[9];
    mjd_quatIntegrate(vel + v, scale, Dq, Dv, NULL);
    for (int r = 0; r < 3; r++) {
      double* row = to + (size_t)(v + r) * n;
      for (size_t c = 0; c < n; c++) {
        double x = 0;
        for (int k = 0; k < 3; k++) x += Dv[3 * r + k] * dvel[(size_t)(v + k) * n + c];
        row[c] = scale * x;
      }
      for (int k = 0; k < 3; k++) row[v + k] += Dq[3 * r + k];
    }
  }
}

// rows [from, from + count) of the identity plus scale times rows of dr
static void rows_move(const snStages* s, int from, int count, double scale, const double* dr,
                      double* to) {
  size_t n = (size_t)s->n;
  for (int i = from; i < from + count; i++) {
    for (size_t c = 0; c < n; c++) to[i * n + c] = scale * dr[i * n + c];
    to[i * n + (size_t)i] += 1;
  }
}

// The state of stage k and its derivative, from the rates of the one before.
static void stage_start(const snStages* s, mjData* d, int k) {
  const mjModel* m = s->m;
  double h = m->opt.timestep * kA[k];
  int nv = s->nv;
  mju_copy(d->qpos, s->qpos, m->nq);
  mj_integratePos(m, d->qpos, s->rate, h);
  for (int i = 0; i < nv; i++) d->qvel[i] = s->qvel[i] + h * s->rate[nv + i];
  for (int i = 0; i < s->na; i++) d->act[i] = s->act[i] + h * s->rate[2 * nv + i];
  positions_move(s, s->rate, h, s->dr, s->dx);
  rows_move(s, nv, nv + s->na, h, s->dr, s->dx);
}

// dr = (dv, dacc, dact') of this stage
static void stage_rates(const snStages* s, const snTangent* t) {
  const mjModel* m = s->m;
  const mjData* d = t->d;
  int nv = s->nv, na = s->na, nx = 2 * nv + na;
  size_t n = (size_t)s->n;
  SN_ASSERT(s->n == nx + s->nu && t->parts.n == 1);
  mju_copy(s->rate, d->qvel, nv);
  mju_copy(s->rate + nv, d->qacc, nv);
  mju_copy(s->rate + 2 * nv, d->act_dot, na);
  memcpy(s->dr, s->dx + (size_t)nv * n, sizeof(double) * (size_t)nv * n);
  for (int i = 0; i < nv; i++) {
    double* to = s->dr + (size_t)(nv + i) * n;
    const double* da = t->tau + (size_t)i * t->stride;
    memset(to, 0, n * sizeof(double));
    for (int k = 0; k < nx; k++) {
      if (da[k] != 0) vec_add_scaled(to, s->dx + (size_t)k * n, da[k], s->n);
    }
    for (int u = 0; u < s->nu; u++) to[nx + u] += da[nx + u];
  }
  memset(s->dr + 2 * (size_t)nv * n, 0, sizeof(double) * (size_t)na * n);
  for (int a = 0; a < s->nu && !(m->opt.disableflags & mjDSBL_ACTUATION); a++) {
    if (!m->actuator_actnum[a]) continue;
    int i = m->actuator_actadr[a] + m->actuator_actnum[a] - 1;
    snActivation slope;
    activation_slopes(m, d, a, &slope);
    double* to = s->dr + (size_t)(2 * nv + i) * n;
    vec_add_scaled(to, s->dx + (size_t)(2 * nv + i) * n, slope.rate_act, s->n);
    to[nx + a] += slope.rate_ctrl;
  }
}

// The last activations move by their own rule, with the rates summed.
static void activations_end(const snStages* s, mjData* d) {
  const mjModel* m = s->m;
  int nv = s->nv;
  size_t n = (size_t)s->n;
  for (int i = 0; i < s->na; i++) {
    double* to = s->dx + (size_t)(2 * nv + i) * n;
    memset(to, 0, n * sizeof(double));
    to[2 * nv + i] = 1;
  }
  for (int a = 0; a < s->nu && !(m->opt.disableflags & mjDSBL_ACTUATION); a++) {
    int adr = m->actuator_actadr[a];
    for (int i = adr; adr >= 0 && i < adr + m->actuator_actnum[a]; i++) {
      double h = m->opt.timestep, *to = s->dx + (size_t)(2 * nv + i) * n;
      if (m->actuator_dyntype[a] == mjDYN_FILTEREXACT) {
        double tau = fmax(mjMINVAL, m->actuator_dynprm[mjNDYN * a]);
        h = tau * (1 - sn_exp(-h / tau));
      }
      if (actuation_disabled(m, a)) h = 0;
      vec_add_scaled(to, s->ds + (size_t)(2 * nv + i) * n, h, s->n);
      double next = s->act[i] + h * s->sum[2 * nv + i];
      const double* range = m->actuator_actrange + 2 * a;
      if (m->actuator_actlimited[a] && (next < range[0] || next > range[1])) {
        memset(to, 0, n * sizeof(double));
      }
    }
  }
}

static void stages_end(const snStages* s, mjData* d, double* A, double* B) {
  int nv = s->nv, nx = 2 * nv + s->na, nu = s->nu;
  double h = s->m->opt.timestep;
  positions_move(s, s->sum, h, s->ds, s->dx);
  rows_move(s, nv, nv, h, s->ds, s->dx);
  activations_end(s, d);
  for (int i = 0; i < nx; i++) {
    const double* row = s->dx + (size_t)i * s->n;
    if (A) mju_copy(A + (size_t)i * nx, row, nx);
    if (B) mju_copy(B + (size_t)i * nu, row + nx, nu);
  }
}

static void state_load(const snStages* s, mjData* d) {
  mju_copy(d->qpos, s->qpos, s->m->nq);
  mju_copy(d->qvel, s->qvel, s->nv);
  mju_copy(d->act, s->act, s->na);
}

bool rk4_transition(const mjModel* m, mjData* d, const double* warmstart, snDeriveReport* r,
                    double* A, double* B, double* C, double* D) {
  int nv = m->nv, nx = 2 * nv + m->na;
  snStages s = {.m = m, .nv = nv, .na = m->na, .nu = m->nu, .n = nx + m->nu};
  size_t full = (size_t)nx * (size_t)s.n;
  mjtNum time = d->time;
  mj_markStack(d);
  bool there = FRAME(memory_of(d), SN_ARRAY(s.qpos, m->nq), SN_ARRAY(s.qvel, nv),
                     SN_ARRAY(s.act, m->na), SN_ARRAY(s.rate, nx), SN_ARRAY(s.sum, nx),
                     SN_ARRAY(s.dx, full), SN_ARRAY(s.dr, full), SN_ARRAY(s.ds, full));
  if (there) {
    mju_copy(s.qpos, d->qpos, m->nq);
    mju_copy(s.qvel, d->qvel, nv);
    mju_copy(s.act, d->act, m->na);
    memset(s.rate, 0, (size_t)nx * sizeof(double));
    memset(s.sum, 0, (size_t)nx * sizeof(double));
    memset(s.ds, 0, full * sizeof(double));
    memset(s.dr, 0, full * sizeof(double));
  }
  for (int k = 0; k < 4 && there; k++) {
    snTangent t;
    stage_start(&s, d, k);
    d->time = time + kA[k] * m->opt.timestep;
    if (k) mj_forwardSkip(m, d, mjSTAGE_NONE, 1);
    mj_markStack(d);
    there = tangent_forward(&t, m, d, r);
    if (there) {
      stage_rates(&s, &t);
      for (size_t i = 0; i < full; i++) s.ds[i] += kB[k] * s.dr[i];
      for (int i = 0; i < nx; i++) s.sum[i] += kB[k] * s.rate[i];
      t.warmstart = warmstart;
      if (!k && (C || D)) there = sense_transition(&t, C, D);
    }
    mj_freeStack(d);
  }
  if (there) {
    state_load(&s, d);
    d->time = time;
    stages_end(&s, d, A, B);
    mju_copy(d->qacc_warmstart, warmstart, nv);
    mj_forwardSkip(m, d, mjSTAGE_NONE, 1);
  }
  mj_freeStack(d);
  return there;
}
