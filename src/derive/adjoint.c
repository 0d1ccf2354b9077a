// One direction instead of all columns: sn_jvp and sn_vjp.
//
// Reverse mode: the cotangent l of (q', v', act') is pulled back from positions to velocities,
// y = h inv(A^) l_v is a force direction, z = inv(H) M y the motion it asks for, and
//
//   g = l_v on v - z' dtau + y' (d(M x) + h dD a')
//
// Where no row pushes, tau is taken at a' (advance.c), and g = l_v on v - y' (dtau - h dD a').
// Two solves with one right-hand side, whatever the number of columns; y'd(M x) needs no matrix. Integrators with more than
// one solve, or without symmetry (RK4, implicit), go through A and B.
#include "derive/private.h"
#include "entry/guard.h"
#include "integrate/integrate.h"
#include "hold/hold.h"
#include "step/step.h"

// Both modes need the tangent of a state that can be taken apart.
static bool direct(const mjModel* m, const mjData* d) {
  int integrator = m->opt.integrator;
  return !report_obstacle(m, d) && (integrator == mjINT_EULER || integrator == mjINT_IMPLICITFAST);
}

// The cotangent of positions, to the old positions and to the new velocities.
static void positions_pull(const snTangent* t, const double* next, const double* l, double* g,
                           double* lv) {
  const mjModel* m = t->m;
  double h = m->opt.timestep;
  for (int j = 0; j < m->njnt; j++) {
    int v = m->jnt_dofadr[j], type = m->jnt_type[j];
    int plain = type == mjJNT_FREE ? 3 : type == mjJNT_BALL ? 0 : 1;
    for (int i = v; i < v + plain; i++) {
      g[i] += l[i];
      lv[i] += h * l[i];
    }
    if (type != mjJNT_FREE && type != mjJNT_BALL) continue;
    v += plain;
    double vel[3], Dq[9], Dv[9], part[3];
    for (int k = 0; k < 3; k++) vel[k] = t->d->qvel[v + k] + h * next[v + k];
    mjd_quatIntegrate(vel, h, Dq, Dv, NULL);
    mat3_mulT_vec(part, Dq, l + v);
    vec3_add(g + v, g + v, part);
    mat3_mulT_vec(part, Dv, l + v);
    vec3_add_scaled(lv + v, lv + v, part, h);
  }
}

static void activations_pull(const snTangent* t, const double* l, double* g, double* gu) {
  const mjModel* m = t->m;
  int at = 2 * t->nv;
  bool off = m->opt.disableflags & mjDSBL_ACTUATION;
  for (int a = 0; a < t->nu; a++) {
    int adr = m->actuator_actadr[a], last = adr + m->actuator_actnum[a] - 1;
    for (int i = adr; adr >= 0 && i <= last; i++) {
      snActivation s = {.next_act = 1};
      if (i == last && !off) activation_slopes(m, t->d, a, &s);
      g[at + i] += s.next_act * l[i];
      if (gu) gu[a] += s.next_ctrl * l[i];
    }
  }
}

// g += sum over rows of (change' y - tau' z), part by part
SN_KERNEL static void rows_pull(const snTangent* t, const snAdvance* a, const double* y,
                                const double* z, double* row, double* gx, double* gu) {
  const snBlocks* p = &t->parts;
  for (int k = 0; k < p->n; k++) {
    int stride = p->stride[k];
    SN_ASSERT(stride % 4 == 0 && stride <= t->stride);
    memset(row, 0, (size_t)stride * sizeof(double));
    for (int r = p->adr[k]; r < p->adr[k + 1]; r++) {
      int i = p->dof[r];
      vec_add_scaled(row, t->tau + p->row[i], -z[i], stride);
      if (a->change) vec_add_scaled(row, a->change + p->row[i], y[i], stride);
    }
    parts_scatter(t, k, row, gx, gu);
  }
}

static bool pull_back(snTangent* t, const snAdvance* a, const double* l, double* gx, double* gu) {
  mjData* d = t->d;
  int nv = t->nv, nx = 2 * nv + t->na;
  double *lv, *y, *z, *row;
  if (!FRAME(memory_of(d), SN_ARRAY(lv, nv), SN_ARRAY(y, nv), SN_ARRAY(z, nv),
             SN_ARRAY(row, t->stride))) {
    return false;
  }
  mju_zero(gx, nx);
  if (gu) mju_zero(gu, t->nu);
  SN_ASSERT(!a->direct || !a->change);  // tau knows all of a direct step
  mju_copy(lv, l + nv, nv);
  positions_pull(t, a->next, l, gx, lv);
  mju_scl(y, lv, t->m->opt.timestep, nv);
  if (!a->plain) advance_solve(t, a, y);
  mju_copy(z, y, nv);
  if (!a->direct) {
    if (!a->plain) mj_mulM(t->m, d, z, y);
    blocks_solve_one(t, t->H, t->dinv, t->first, z, a->four);
  }
  rows_pull(t, a, y, z, row, gx, gu);
  if (!a->direct && !a->plain) {
    for (int i = 0; i < nv; i++) row[i] = d->qacc[i] - a->next[i];
    if (!inertia_pull(t, row, y, gx)) return false;
  }
  for (int i = 0; i < nv; i++) gx[nv + i] += lv[i];
  activations_pull(t, l + 2 * nv, gx, gu);
  return true;
}

// da' along a direction: dtau and what else changes, part by part, then one solve with H and one
// with A^.
static bool accelerations_push(snTangent* t, const snAdvance* a, const double* dx, const double* du,
                               double* da) {
  const snBlocks* p = &t->parts;
  int nv = t->nv;
  double h = t->m->opt.timestep, *change, *product, *row;
  if (!FRAME(memory_of(t->d), SN_ARRAY(change, nv), SN_ARRAY(product, nv),
             SN_ARRAY(row, t->stride))) {
    return false;
  }
  for (int k = 0; k < p->n; k++) {
    parts_gather(t, k, dx, du, row);
    for (int r = p->adr[k]; r < p->adr[k + 1]; r++) {
      int i = p->dof[r];
      da[i] = -vec_dot(t->tau + p->row[i], row, p->stride[k]);
      change[i] = a->change ? vec_dot(a->change + p->row[i], row, p->stride[k]) : 0;
    }
  }
  if (a->direct) {
    advance_solve(t, a, da);
    return true;
  }
  blocks_solve_one(t, t->H, t->dinv, t->first, da, a->four);
  if (a->plain) return true;
  if (a->implicit) {
    slope_mul(t->d, nv, a->bias, da, product);
  } else {
    for (int i = 0; i < nv; i++) product[i] = -t->m->dof_damping[i] * da[i];
  }
  mju_addToScl(change, product, h, nv);
  advance_solve(t, a, change);
  mju_addTo(da, change, nv);
  return true;
}

static bool push_forward(snTangent* t, const snAdvance* a, const double* dx, const double* du,
                         double* out) {
  const mjModel* m = t->m;
  int nv = t->nv;
  double h = m->opt.timestep, *da;
  if (!FRAME(memory_of(t->d), SN_ARRAY(da, nv)) || !accelerations_push(t, a, dx, du, da)) {
    return false;
  }
  for (int i = 0; i < nv; i++) out[nv + i] = dx[nv + i] + h * da[i];
  for (int j = 0; j < m->njnt; j++) {
    int v = m->jnt_dofadr[j], type = m->jnt_type[j];
    int plain = type == mjJNT_FREE ? 3 : type == mjJNT_BALL ? 0 : 1;
    for (int i = v; i < v + plain; i++) out[i] = dx[i] + h * out[nv + i];
    if (type != mjJNT_FREE && type != mjJNT_BALL) continue;
    v += plain;
    double vel[3], Dq[9], Dv[9], part[3];
    for (int k = 0; k < 3; k++) vel[k] = t->d->qvel[v + k] + h * a->next[v + k];
    mjd_quatIntegrate(vel, h, Dq, Dv, NULL);
    mat3_mul_vec(out + v, Dq, dx + v);
    mat3_mul_vec(part, Dv, out + nv + v);
    vec3_add_scaled(out + v, out + v, part, h);
  }
  bool off = m->opt.disableflags & mjDSBL_ACTUATION;
  for (int u = 0; u < m->nu; u++) {
    int adr = m->actuator_actadr[u], last = adr + m->actuator_actnum[u] - 1;
    for (int i = adr; adr >= 0 && i <= last; i++) {
      snActivation s = {.next_act = 1};
      if (i == last && !off) activation_slopes(m, t->d, u, &s);
      out[2 * nv + i] = s.next_act * dx[2 * nv + i] + (du ? s.next_ctrl * du[u] : 0);
    }
  }
  return true;
}

// By way of A and B.
static bool by_matrices(const mjModel* m, mjData* d, const double* in, const double* du,
                        double* out, double* gu, bool reverse, snDeriveReport* r) {
  size_t nx = 2 * (size_t)m->nv + (size_t)m->na, nu = (size_t)m->nu;
  double *A, *B;
  if (!FRAME(memory_of(d), SN_ARRAY(A, nx * nx), SN_ARRAY(B, nx * nu)) ||
      !sn_transition(m, d, A, B, NULL, NULL, r)) {
    return false;
  }
  if (reverse) {
    mju_mulMatTVec(out, A, in, (int)nx, (int)nx);
    if (gu) mju_mulMatTVec(gu, B, in, (int)nx, (int)nu);
    return true;
  }
  mju_mulMatVec(out, A, in, (int)nx, (int)nx);
  for (size_t i = 0; du && i < nx; i++) out[i] += vec_dot(B + i * nu, du, (int)nu);
  return true;
}

static int one_direction(const char* function, const mjModel* m, mjData* d, const double* in,
                         const double* du, double* out, double* gu, bool reverse,
                         snDeriveReport* report) {
  snDeriveReport own, *r = report_begin(report, &own);
  if (!guard_step(function, m, d, true)) return 0;
  int nx = 2 * m->nv + m->na;
  if (!guard_sized(function, reverse ? "gnext" : "dx", in, nx) ||
      !guard_sized(function, reverse ? "gx" : "dxnext", out, nx)) {
    return 0;
  }
  bool there;
  vigil_begin(d);
  if (direct(m, d)) {
    mjtNum* warmstart = warmstart_keep(m, d);
    snTangent t;
    snAdvance a;
    if ((there = warmstart != NULL)) {
      step_forward(m, d, mjSTAGE_NONE, (snOmit){.sensors = true});
      there = tangent_step(&t, &a, m, d, !reverse, r);
      if (there)
        there = reverse ? pull_back(&t, &a, in, out, gu) : push_forward(&t, &a, in, du, out);
      mju_copy(d->qacc_warmstart, warmstart, m->nv);
    }
  } else {
    there = by_matrices(m, d, in, du, out, gu, reverse, r);
  }
  vigil_end(d);
  return report_finish(function, r, there);
}

int sn_jvp(const mjModel* m, mjData* d, const mjtNum* dx, const mjtNum* du, mjtNum* dxnext,
           snDeriveReport* report) {
  return one_direction("sn_jvp", m, d, dx, du, dxnext, NULL, false, report);
}

int sn_vjp(const mjModel* m, mjData* d, const mjtNum* gnext, mjtNum* gx, mjtNum* gu,
           snDeriveReport* report) {
  return one_direction("sn_vjp", m, d, gnext, NULL, gx, gu, true, report);
}
