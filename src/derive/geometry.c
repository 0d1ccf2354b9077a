// Christoffel symbols, Hamilton's equations and geodesics of the metric M(q).
//
// c(q, v) is quadratic in v, so recursive Newton-Euler gives the symmetric part of the symbols to
// rounding, without differentiating M:
//   S(a, b) = 1/2 (c(a + b) - c(a) - c(b)),   Gamma_ijk = S(e_i, e_j)_k + 1/2 sum_l C_ij^l M_lk
// The second term is the torsion-free part of a basis that does not commute.
#include <math.h>

#include "base/inside_sinew.h"
#include "data/frame.h"

// The bias of the velocity in d->qvel, with gravity.
static void bias(const mjModel* m, mjData* d, mjtNum* to) {
  mj_fwdVelocity(m, d);
  mju_copy(to, d->qfrc_bias, m->nv);
}

// Is dof i one of three rotations of a ball or free joint? Then the first of them, else -1.
static int rotation(const mjModel* m, int i) {
  int joint = m->dof_jntid[i], first = m->jnt_dofadr[joint];
  if (m->jnt_type[joint] == mjJNT_BALL) return first;
  return m->jnt_type[joint] == mjJNT_FREE && i >= first + 3 ? first + 3 : -1;
}

// sum_l C_ij^l p_l: body rotations have [e_a, e_b] = e_c for a, b, c in cyclic order.
static mjtNum bracket(const mjModel* m, int i, int j, const mjtNum* p) {
  int first = rotation(m, i);
  if (i == j || first < 0 || rotation(m, j) != first) return 0;
  int a = i - first, b = j - first, c = 3 - a - b;
  return (b - a == 1 || b - a == -2 ? 1 : -1) * p[first + c];
}

int sn_christoffel(const mjModel* m, mjData* d, mjtNum* gamma) {
  int nv = m->nv, done = 0;
  snMemory* memory = memory_of(d);
  mjtNum *keep, *rest, *single, *both, *row;
  mj_fwdPosition(m, d);
  frame_open(memory);
  if (FRAME(memory, SN_ARRAY(keep, nv), SN_ARRAY(rest, nv), SN_ARRAY(single, (size_t)nv * nv),
            SN_ARRAY(both, nv), SN_ARRAY(row, nv))) {
    mju_copy(keep, d->qvel, nv);
    mju_zero(d->qvel, nv);
    bias(m, d, rest);
    for (int i = 0; i < nv; i++) {
      d->qvel[i] = 1;
      bias(m, d, single + (size_t)i * nv);
      mju_subFrom(single + (size_t)i * nv, rest, nv);
      for (int j = 0; j <= i; j++) {
        mjtNum *ij = gamma + ((size_t)i * nv + j) * nv, *ji = gamma + ((size_t)j * nv + i) * nv;
        const mjtNum *ci = single + (size_t)i * nv, *cj = single + (size_t)j * nv;
        if (i == j) {
          mju_copy(ij, ci, nv);
          continue;
        }
        d->qvel[j] = 1;
        bias(m, d, both);
        d->qvel[j] = 0;
        for (int k = 0; k < nv; k++) ij[k] = ji[k] = 0.5 * (both[k] - rest[k] - ci[k] - cj[k]);
      }
      d->qvel[i] = 0;
    }
    for (int k = 0; k < nv; k++) {
      mju_zero(both, nv);
      both[k] = 1;
      mj_mulM(m, d, row, both);
      for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++) {
          gamma[((size_t)i * nv + j) * nv + k] += 0.5 * bracket(m, i, j, row);
        }
      }
    }
    mju_copy(d->qvel, keep, nv);
    mj_fwdVelocity(m, d);
    done = 1;
  }
  frame_close(memory);
  return done;
}

// dp/dt = g + w with w_i = <D_v e_i, v> = v'S(v, e_i) + 1/2 sum_k v_k [e_k, e_i]'p, since
// d(M v)/dt = M dv/dt + (dM/dt) v and the metric is constant along its connection.
static void momentum_rate(const mjModel* m, mjData* d, const mjtNum* p, const mjtNum* v,
                          mjtNum* rest, mjtNum* along, mjtNum* single, mjtNum* both, mjtNum* rate) {
  int nv = m->nv;
  bias(m, d, along);
  for (int i = 0; i < nv; i++) {
    mju_zero(d->qvel, nv);
    d->qvel[i] = 1;
    bias(m, d, single);
    mju_addTo(d->qvel, v, nv);
    bias(m, d, both);
    mjtNum sum = d->qfrc_spring[i] - rest[i];
    for (int k = 0; k < nv; k++) {
      sum += 0.5 * v[k] * (both[k] - along[k] - single[k] + rest[k] + bracket(m, k, i, p));
    }
    rate[i] = sum;
  }
  mju_copy(d->qvel, v, nv);
  mj_fwdVelocity(m, d);
}

mjtNum sn_hamiltonian(const mjModel* m, mjData* d, const mjtNum* p, mjtNum* velocity,
                      mjtNum* rate) {
  int nv = m->nv;
  snMemory* memory = memory_of(d);
  mjtNum *v, *rest, *along, *single, *both, energy = NAN;
  mj_fwdPosition(m, d);
  frame_open(memory);
  if (FRAME(memory, SN_ARRAY(v, nv), SN_ARRAY(rest, nv), SN_ARRAY(along, nv), SN_ARRAY(single, nv),
            SN_ARRAY(both, nv))) {
    mj_solveM(m, d, v, p, 1);
    mju_zero(d->qvel, nv);
    bias(m, d, rest);
    mju_copy(d->qvel, v, nv);
    mj_fwdVelocity(m, d);
    mj_energyPos(m, d);
    mj_energyVel(m, d);
    energy = d->energy[0] + d->energy[1];
    if (velocity) mju_copy(velocity, v, nv);
    if (rate) momentum_rate(m, d, p, v, rest, along, single, both, rate);
  }
  frame_close(memory);
  return energy;
}

// dv/dt = -inv(M) c; returns the speed sqrt(v'Mv).
static mjtNum unforced(const mjModel* m, mjData* d, const mjtNum* v, mjtNum* acc, mjtNum* scratch) {
  int nv = m->nv;
  mj_fwdPosition(m, d);
  mju_zero(d->qvel, nv);
  bias(m, d, acc);
  mju_copy(d->qvel, v, nv);
  bias(m, d, scratch);
  for (int i = 0; i < nv; i++) scratch[i] = acc[i] - scratch[i];
  mj_solveM(m, d, acc, scratch, 1);
  mj_mulM(m, d, scratch, v);
  return sqrt(mju_dot(v, scratch, nv));
}

mjtNum sn_geodesic(const mjModel* m, mjData* d, mjtNum time, int steps) {
  static const mjtNum kAhead[4] = {0, 0.5, 0.5, 1}, kWeight[4] = {1, 2, 2, 1};
  int nv = m->nv, nq = m->nq;
  mjtNum h = steps > 0 ? time / steps : 0, length = 0;
  snMemory* memory = memory_of(d);
  mjtNum *q, *v, *stage, *acc, *dq, *dv, *scratch;
  frame_open(memory);
  if (!FRAME(memory, SN_ARRAY(q, nq), SN_ARRAY(v, nv), SN_ARRAY(stage, nv), SN_ARRAY(acc, nv),
             SN_ARRAY(dq, nv), SN_ARRAY(dv, nv), SN_ARRAY(scratch, nv))) {
    frame_close(memory);
    return NAN;
  }
  for (int i = 0; i < steps; i++) {
    mju_copy(q, d->qpos, nq);
    mju_copy(v, d->qvel, nv);
    mju_zero(dq, nv);
    mju_zero(dv, nv);
    for (int k = 0; k < 4; k++) {
      // the stage before is in `stage` and `acc`
      mju_copy(d->qpos, q, nq);
      if (k) mj_integratePos(m, d->qpos, stage, kAhead[k] * h);
      for (int j = 0; j < nv; j++) stage[j] = v[j] + (k ? kAhead[k] * h * acc[j] : 0);
      length += kWeight[k] * h / 6 * unforced(m, d, stage, acc, scratch);
      mju_addToScl(dq, stage, kWeight[k] / 6, nv);
      mju_addToScl(dv, acc, kWeight[k] / 6, nv);
    }
    mju_copy(d->qpos, q, nq);
    mj_integratePos(m, d->qpos, dq, h);
    for (int j = 0; j < nv; j++) d->qvel[j] = v[j] + h * dv[j];
  }
  mj_fwdPosition(m, d);
  mj_fwdVelocity(m, d);
  frame_close(memory);
  return length;
}
