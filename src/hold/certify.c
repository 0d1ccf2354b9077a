// A certificate of every step (sinew/certificate.h), for models with the text "sinew:report" = "on"
// and data that a program asked it for.
//
// Solve. With the cost s of constraint residuals, a = qacc, a0 = qacc_smooth and f = efc_force,
//
//   residual   |M a - qfrc_smooth - J'f|
//   primal     P(a) = 1/2 (a - a0)' M (a - a0) + s(J a - aref)
//   dual       D(f) = -1/2 f'(J inv(M) J' + R) f - f'(J a0 - aref)
//
// and P(a) - D(f) >= 0 bounds how far both are from the solution, since f is admissible.
//
// Energy. With the velocities v before the step, v1 behind the integrator and v' behind impacts and
// loops, M and M' the inertia before and behind, vm = (v + v1) / 2 and forces F of the step,
//
//   work of F    h vm'F                     actuators, applied, passive, constraint rows
//   projection   1/2 v'M v' - 1/2 v1'M v1
//   integrator   1/2 v'(M' - M)v' + (V' - V) + h vm'(springs - bias)
//   closure      (T' + V') - (T + V) - all of these
//
// M (v1 - v) = h (sum of forces) makes the closure zero but for rounding. In continuous time the
// integrator's part is zero: inertia and potential change by what bias and spring forces take.
// Implicit damping acts with v1: Euler's -B (v1 - v) counts as passive, D (v1 - v) of the implicit
// integrators as theirs. RK4 has no such sum of forces: its part is what is left over.
//
// Everything is computed in memory of the certificate's own and on the stack: mjData keeps its
// bits.
#include <math.h>
#include <sinew/certificate.h>
#include <string.h>

#include "constrain/constrain.h"
#include "hard/hard.h"
#include "integrate/integrate.h"
#include "maximal/maximal.h"
#include "smooth/smooth.h"
#include "hold/hold.h"

enum { ACTUATORS, APPLIED, PASSIVE, OWN, CONTACTS, LIMITS, FRICTION, EQUALITIES, NFORCE };

typedef struct snCertifier_ {
  int on;  // 1 asked for, -1 not wanted, 0 what the model says
  bool made;
  snCertificate last;
  mjData* at;              // where the step leads
  mjtNum *before, *after;  // (nv) velocities before the step and behind the integrator
  mjtNum* force;           // (NFORCE x nv) generalized forces of the step
  mjtNum energy;           // before the step
  size_t narena;
  int warnings;
} snCertifier;

static snCertifier* certifier_of(const mjData* d) {
  return ((const snData*)d)->cache[snROOM_CERTIFY].block;
}

bool certify_active(const mjModel* m, const mjData* d) {
  const snCertifier* c = certifier_of(d);
  if (maximal_active(m)) return false;
  if (c && c->on) return c->on > 0;
  const char* text = asked_text(m, "sinew:report");
  return text && !strcmp(text, "on");
}

// ---- memory

static void certifier_free(void* block) {
  snCertifier* c = block;
  if (c->at) mj_deleteData(c->at);
  memory_free(c->before);
  memory_free(c);
}

static int count_warnings(const mjData* d) {
  int n = 0;
  for (int i = 0; i < mjNWARNING; i++) n += d->warning[i].number;
  for (int i = 0; i < snNWARNING; i++) n += ((const snData*)d)->warned[i];
  return n;
}

static snCertifier* certifier_make(const mjModel* m, mjData* d) {
  snCache* cache = data_cache(d, snROOM_CERTIFY);
  snCertifier* c = cache->block;
  if (c) return c;
  c = memory_alloc_zero(sizeof *c);
  if (c) {
    size_t nv = (size_t)m->nv;
    snFault fault = {0};
    c->before = memory_alloc_zero(sizeof(mjtNum) * ((2 + NFORCE) * nv + 1));
    c->at = data_make(m, &fault);
    if (!c->before || !c->at) {
      certifier_free(c);
      c = NULL;
    }
  }
  if (!c) {
    mju_error("sn_certify: no memory");
    return NULL;
  }
  c->after = c->before + m->nv;
  c->force = c->after + m->nv;
  c->narena = d->narena;
  c->warnings = count_warnings(d);
  *cache = (snCache){.block = c, .free = certifier_free};
  return c;
}

// ---- the solve

static void certify_residual(const mjModel* m, const mjData* d, snCertificate* out, mjtNum* r) {
  mj_mulM(m, d, r, d->qacc);
  for (int i = 0; i < m->nv; i++) {
    mjtNum error = fabs(r[i] - d->qfrc_smooth[i] - d->qfrc_constraint[i]);
    if (error <= out->residual) continue;
    out->residual = error;
    out->residual_joint = m->dof_jntid[i];
  }
}

// P(a) and P(a) - D(f)
static bool certify_gap(const mjModel* m, mjData* d, snCertificate* out) {
  int nv = m->nv, n = d->nefc;
  mjtNum *jar, *jar0, *force, *change, *momentum, *row;
  int* state;
  if (!n) return true;
  if (!FRAME(memory_of(d), SN_ARRAY(jar, n), SN_ARRAY(jar0, n), SN_ARRAY(force, n),
             SN_ARRAY(row, n), SN_ARRAY(state, n), SN_ARRAY(change, nv), SN_ARRAY(momentum, nv))) {
    return false;
  }
  snRowView rows = {d->ne,     d->nf,    d->nefc,  d->efc_type,
                    d->efc_id, d->efc_D, d->efc_R, d->efc_frictionloss,
                    d->contact};
  mj_mulJacVec(m, d, jar, d->qacc);
  mj_mulJacVec(m, d, jar0, d->qacc_smooth);
  mju_subFrom(jar, d->efc_aref, n);
  mju_subFrom(jar0, d->efc_aref, n);
  mju_sub(change, d->qacc, d->qacc_smooth, nv);
  mj_mulM(m, d, momentum, change);
  out->cost = mju_dot(change, momentum, nv) / 2 + constrain_update(&rows, jar, force, state, false);
  mj_mulJacTVec(m, d, momentum, d->efc_force);
  mj_solveM(m, d, change, momentum, 1);
  mjtNum dual = -mju_dot(change, momentum, nv) / 2;
  for (int i = 0; i < n; i++) {
    mjtNum f = d->efc_force[i];
    dual -= f * (d->efc_R[i] * f / 2 + jar0[i]);
  }
  out->gap = out->cost - dual;
  return true;
}

static bool certify_solve(const mjModel* m, mjData* d, snCertificate* out, mjtNum* scratch) {
  for (int i = 0; i < mjNISLAND; i++) {
    if (d->solver_niter[i] > out->iterations) out->iterations = d->solver_niter[i];
  }
  snSolverReport report;
  if (hard_active(m, d)) {
    if (sn_getReport(m, d, &report)) {
      out->residual = report.r_natural;
      out->gap = report.r_compl;
    }
    return true;
  }
  certify_residual(m, d, out, scratch);
  return certify_gap(m, d, out);
}

// ---- positions

static void certify_positions(const mjModel* m, const mjData* d, snCertificate* out) {
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* con = d->contact + i;
    if (!(-con->dist > out->penetration)) continue;
    out->penetration = -con->dist;
    out->penetration_geom1 = con->geom[0];
    out->penetration_geom2 = con->geom[1];
  }
  for (int i = 0; i < d->nefc; i++) {
    int type = d->efc_type[i];
    mjtNum r = d->efc_pos[i];
    if (type == mjCNSTR_EQUALITY && fabs(r) > out->loop) {
      out->loop = fabs(r);
      out->loop_equality = d->efc_id[i];
    }
    if (type == mjCNSTR_LIMIT_JOINT && -r > out->limit) {
      out->limit = -r;
      out->limit_joint = d->efc_id[i];
    }
  }
}

// ---- energy

static int work_of_row(int type) {
  switch (type) {
    case mjCNSTR_EQUALITY:
      return EQUALITIES;
    case mjCNSTR_FRICTION_DOF:
    case mjCNSTR_FRICTION_TENDON:
      return FRICTION;
    case mjCNSTR_LIMIT_JOINT:
    case mjCNSTR_LIMIT_TENDON:
      return LIMITS;
    default:
      return CONTACTS;
  }
}

// The generalized forces of the step, kind by kind.
static bool collect_forces(const mjModel* m, mjData* d, snCertifier* c) {
  int nv = m->nv;
  mjtNum *f = c->force, *only;
  mju_zero(f, NFORCE * nv);
  if (!FRAME(memory_of(d), SN_ARRAY(only, d->nefc))) return false;
  mju_copy(f + ACTUATORS * nv, d->qfrc_actuator, nv);
  mju_copy(f + APPLIED * nv, d->qfrc_applied, nv);
  smooth_body_forces(m, d, f + APPLIED * nv);
  mju_sub(f + PASSIVE * nv, d->qfrc_passive, d->qfrc_spring, nv);
  mju_sub(f + OWN * nv, d->qfrc_spring, d->qfrc_bias, nv);
  for (int kind = CONTACTS; kind <= EQUALITIES && d->nefc; kind++) {
    bool some = false;
    for (int i = 0; i < d->nefc; i++) {
      bool one = work_of_row(d->efc_type[i]) == kind;
      only[i] = one ? d->efc_force[i] : 0;
      some |= one;
    }
    if (some) mj_mulJacTVec(m, d, f + kind * nv, only);
  }
  return true;
}

static mjtNum kinetic(const mjModel* m, const mjData* at, const mjtNum* v, mjtNum* scratch) {
  mj_mulM(m, at, scratch, v);
  return mju_dot(scratch, v, m->nv) / 2;
}

// mj_energyPos without what it writes.
static mjtNum potential(const mjModel* m, mjData* d) {
  mjtNum kept = d->energy[0];
  mj_energyPos(m, d);
  mjtNum energy = d->energy[0];
  d->energy[0] = kept;
  return energy;
}

void certify_begin(const mjModel* m, mjData* d) {
  snCertifier* c = certifier_make(m, d);
  if (!c) return;
  snCertificate* out = &c->last;
  *out = (snCertificate){.time = d->time,
                         .residual_joint = -1,
                         .penetration_geom1 = -1,
                         .penetration_geom2 = -1,
                         .loop_equality = -1,
                         .limit_joint = -1};
  mjtNum* scratch;
  mj_markStack(d);
  c->made = FRAME(memory_of(d), SN_ARRAY(scratch, m->nv)) && certify_solve(m, d, out, scratch) &&
            collect_forces(m, d, c);
  if (c->made) {
    certify_positions(m, d, out);
    mju_copy(c->before, d->qvel, m->nv);
    mju_copy(c->at->M, d->M, m->nC);
    c->energy = potential(m, d) + kinetic(m, d, d->qvel, scratch);
  }
  mj_freeStack(d);
}

void certify_integrated(const mjModel* m, mjData* d) {
  snCertifier* c = certifier_of(d);
  if (c) mju_copy(c->after, d->qvel, m->nv);
}

// What the implicit treatment of velocity adds to the work over the step.
static void add_implicit(const mjModel* m, const mjData* d, const mjtNum* vm, const mjtNum* change,
                         snCertificate* out) {
  mjtNum h = m->opt.timestep, work = 0;
  bool hard = hard_active(m, d);
  const snPattern* pattern = model_pattern(m);
  if (m->opt.integrator == mjINT_IMPLICITFAST) {
    // the lower triangle of D on the pattern of M, taken for both (integrate_symmetric)
    for (int i = 0; i < m->nv; i++) {
      const int* col = pattern->M_colind + pattern->M_rowadr[i];
      int n = pattern->M_rownnz[i] - 1, adr = pattern->D_rowadr[i];
      for (int k = 0; k < n; k++) {
        work += h * d->qDeriv[adr + k] * (vm[i] * change[col[k]] + vm[col[k]] * change[i]);
      }
      work += h * d->qDeriv[adr + pattern->D_diag[i]] * vm[i] * change[i];
    }
    out->integrator += work;
  } else if (m->opt.integrator == mjINT_IMPLICIT) {
    for (int i = 0; i < m->nv; i++) {
      int adr = pattern->D_rowadr[i];
      for (int k = adr; k < adr + pattern->D_rownnz[i]; k++) {
        work += h * vm[i] * d->qDeriv[k] * change[pattern->D_colind[k]];
      }
    }
    out->integrator += work;
  } else if ((m->opt.integrator == mjINT_EULER || hard) &&
             !(m->opt.disableflags & mjDSBL_EULERDAMP)) {
    for (int i = 0; i < m->nv; i++) work -= h * vm[i] * m->dof_damping[i] * change[i];
    out->passive += work;
  }
}

// Where the step has led: poses, inertia and potential, in the certificate's own data.
static void look_behind(const mjModel* m, const mjData* d, mjData* at) {
  mju_copy(at->qpos, d->qpos, m->nq);
  mju_copy(at->mocap_pos, d->mocap_pos, 3 * m->nmocap);
  mju_copy(at->mocap_quat, d->mocap_quat, 4 * m->nmocap);
  mj_kinematics(m, at);
  mj_comPos(m, at);
  if (m->nflex) mj_flex(m, at);
  if (m->ntendon) mj_tendon(m, at);
  mj_makeM(m, at);
}

static void certify_energy(const mjModel* m, mjData* d, snCertifier* c, mjtNum* vm, mjtNum* change,
                           mjtNum* scratch) {
  int nv = m->nv;
  mjtNum h = m->opt.timestep;
  snCertificate* out = &c->last;
  mjtNum* const work[NFORCE] = {&out->actuators, &out->applied, &out->passive,  &out->integrator,
                                &out->contacts,  &out->limits,  &out->friction, &out->equalities};
  for (int i = 0; i < nv; i++) {
    vm[i] = (c->before[i] + c->after[i]) / 2;
    change[i] = c->after[i] - c->before[i];
  }
  for (int k = 0; k < NFORCE; k++) *work[k] = h * mju_dot(vm, c->force + k * nv, nv);
  add_implicit(m, d, vm, change, out);
  mjtNum moved = kinetic(m, c->at, d->qvel, scratch);
  out->projection = moved - kinetic(m, c->at, c->after, scratch);
  look_behind(m, d, c->at);
  out->kinetic = kinetic(m, c->at, d->qvel, scratch);
  out->potential = potential(m, c->at);
  out->stored = out->kinetic + out->potential - c->energy;
}

// The integrator's part needs the potential before the step, which is c->energy less its kinetic
// part.
static void close_energy(const mjModel* m, const mjData* d, snCertifier* c, mjtNum inertial) {
  snCertificate* out = &c->last;
  out->integrator += inertial;
  mjtNum sum = out->actuators + out->applied + out->passive + out->contacts + out->limits +
               out->friction + out->equalities + out->projection + out->integrator;
  out->closure = out->stored - sum;
  if (m->opt.integrator == mjINT_RK4 && !hard_active(m, d)) {
    out->integrator += out->closure;
    out->closure = 0;
  }
  const mjtNum part[] = {out->passive,  out->contacts,   out->limits,
                         out->friction, out->equalities, out->projection};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) out->dissipated += fmax(0, -part[i]);
}

void certify_end(const mjModel* m, mjData* d) {
  snCertifier* c = certifier_of(d);
  if (!c || !c->made) return;
  mjtNum *vm, *change, *scratch;
  mj_markStack(d);
  c->made =
      FRAME(memory_of(d), SN_ARRAY(vm, m->nv), SN_ARRAY(change, m->nv), SN_ARRAY(scratch, m->nv));
  if (c->made) {
    // with M of the step: 1/2 v'M v' and 1/2 v'M v
    mjtNum moved = kinetic(m, c->at, d->qvel, scratch);
    mjtNum began = c->energy - kinetic(m, c->at, c->before, scratch);
    certify_energy(m, d, c, vm, change, scratch);
    close_energy(m, d, c, c->last.kinetic - moved + c->last.potential - began);
    int warnings = count_warnings(d);
    c->last.arena = (mjtNum)d->maxuse_arena;
    c->last.arena_grown = d->narena > c->narena ? (mjtNum)(d->narena - c->narena) : 0;
    c->last.warnings = warnings > c->warnings ? warnings - c->warnings : 0;
    c->narena = d->narena;
    c->warnings = warnings;
  }
  mj_freeStack(d);
}

// ---- sinew/certificate.h

int sn_certify(const mjModel* m, mjData* d, int on) {
  snCertifier* c = certifier_make(m, d);
  if (!c) return 0;
  c->on = on ? 1 : -1;
  c->made = false;
  return 1;
}

int sn_getCertificate(const mjModel* m, const mjData* d, snCertificate* certificate) {
  const snCertifier* c = certifier_of(d);
  if (!c || !c->made || !certify_active(m, d)) return 0;
  *certificate = c->last;
  return 1;
}

#define INT(field, object) \
  { #field, offsetof(snCertificate, field), true, object }
#define NUM(field) \
  { #field, offsetof(snCertificate, field), false, mjOBJ_UNKNOWN }
static const struct {
  const char* name;
  size_t offset;
  bool whole;
  int object;
} number[] = {
    NUM(time),
    NUM(residual),
    NUM(gap),
    NUM(cost),
    INT(iterations, mjOBJ_UNKNOWN),
    INT(residual_joint, mjOBJ_JOINT),
    NUM(penetration),
    INT(penetration_geom1, mjOBJ_GEOM),
    INT(penetration_geom2, mjOBJ_GEOM),
    NUM(loop),
    INT(loop_equality, mjOBJ_EQUALITY),
    NUM(limit),
    INT(limit_joint, mjOBJ_JOINT),
    NUM(kinetic),
    NUM(potential),
    NUM(stored),
    NUM(actuators),
    NUM(applied),
    NUM(passive),
    NUM(contacts),
    NUM(limits),
    NUM(friction),
    NUM(equalities),
    NUM(projection),
    NUM(integrator),
    NUM(dissipated),
    NUM(closure),
    NUM(arena),
    NUM(arena_grown),
    INT(warnings, mjOBJ_UNKNOWN),
};
enum { COUNT = sizeof number / sizeof *number };

const char* sn_certificateName(int i) { return i >= 0 && i < COUNT ? number[i].name : NULL; }

int sn_certificateObject(int i) { return i >= 0 && i < COUNT ? number[i].object : mjOBJ_UNKNOWN; }

mjtNum sn_certificateValue(const snCertificate* certificate, int i) {
  if (i < 0 || i >= COUNT) return 0;
  const char* at = (const char*)certificate + number[i].offset;
  int whole;
  mjtNum value;
  memcpy(&whole, at, sizeof whole);
  if (number[i].whole) return whole;
  memcpy(&value, at, sizeof value);
  return value;
}
