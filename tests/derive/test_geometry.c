// Christoffel symbols against their definition by M and against recursive Newton-Euler; Hamilton's
// equations and geodesics against what they conserve.
#include <math.h>
#include <sinew/geometry.h>

#include "scene.h"

static const char kTree[] =
    "<mujoco><worldbody><body pos='0 0 1'><freejoint/><geom type='box' size='.2 .1 .05'/>"
    "<body pos='.2 0 0'><joint type='ball' armature='.02'/><geom type='capsule' size='.03' "
    "fromto='0 0 0 .1 .2 .1'/>"
    "<body pos='.1 .2 .1'><joint axis='1 2 3' stiffness='3'/><geom size='.06' pos='0 .1 .05'/>"
    "<body pos='0 .1 0'><joint type='slide' axis='0 1 1'/><geom size='.05' pos='.1 0 .02'/>"
    "</body></body></body></body></worldbody></mujoco>";

static double uniform(unsigned* s) {
  *s = *s * 1664525u + 1013904223u;
  return (*s >> 8) * (2.0 / 16777216) - 1;
}

static mjData* moved(const mjModel* m, unsigned* seed) {
  mjData* d = mj_makeData(m);
  mjtNum by[32];
  for (int i = 0; i < m->nv; i++) by[i] = 2 * uniform(seed);
  mj_integratePos(m, d->qpos, by, 1);
  for (int i = 0; i < m->nv; i++) d->qvel[i] = 2 * uniform(seed);
  return d;
}

// sum Gamma v v = c of recursive Newton-Euler, and Gamma_ijk + Gamma_ikj = e_i M_jk, which with the
// brackets determines the connection.
static void test_christoffel(void** state) {
  mjModel* m = scene_model(kTree);
  unsigned seed = 3;
  mjData* d = moved(m, &seed);
  int nv = m->nv;
  mjtNum *gamma = calloc(nv * nv * nv, sizeof(mjtNum)), c[32], rest[32];
  mjtNum *up = calloc(nv * nv, sizeof(mjtNum)), *down = calloc(nv * nv, sizeof(mjtNum));
  mjtNum* keep = calloc(m->nq, sizeof(mjtNum));
  assert_int_equal(sn_christoffel(m, d, gamma), 1);
  mj_rne(m, d, 0, c);
  mjtNum v[32];
  mju_copy(v, d->qvel, nv);
  mju_zero(d->qvel, nv);
  mj_fwdVelocity(m, d);
  mj_rne(m, d, 0, rest);
  for (int k = 0; k < nv; k++) {
    mjtNum sum = 0;
    for (int i = 0; i < nv; i++) {
      for (int j = 0; j < nv; j++) sum += gamma[(i * nv + j) * nv + k] * v[i] * v[j];
    }
    assert_true(fabs(sum - (c[k] - rest[k])) < 1e-12 * (1 + fabs(c[k])));
  }
  mju_copy(keep, d->qpos, m->nq);
  for (int i = 0; i < nv; i++) {
    const mjtNum h = 1e-5;
    for (int side = 0; side < 2; side++) {
      mjtNum e[32] = {0};
      e[i] = side ? -h : h;
      mju_copy(d->qpos, keep, m->nq);
      mj_integratePos(m, d->qpos, e, 1);
      mj_fwdPosition(m, d);
      mj_fullM(m, side ? down : up, d->qM);
    }
    for (int j = 0; j < nv; j++) {
      for (int k = 0; k < nv; k++) {
        mjtNum slope = (up[j * nv + k] - down[j * nv + k]) / (2 * h);
        mjtNum sum = gamma[(i * nv + j) * nv + k] + gamma[(i * nv + k) * nv + j];
        assert_true(fabs(slope - sum) < 1e-6);
      }
    }
  }
  free(gamma);
  free(up);
  free(down);
  free(keep);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// dp/dt of Hamilton's equations against differences of p along the motion of the engine, and
// dH/dt = 0 along it.
static void test_hamiltonian(void** state) {
  mjModel* m = scene_model(kTree);
  unsigned seed = 7;
  mjData *d = moved(m, &seed), *at = mj_makeData(m);
  int nv = m->nv;
  mjtNum p[32], next[32], v[32], rate[32], mid[32];
  m->opt.integrator = mjINT_RK4;
  m->opt.timestep = 1e-4;
  mj_forward(m, d);
  mj_mulM(m, d, p, d->qvel);
  mjtNum H = sn_hamiltonian(m, d, p, v, rate);
  for (int i = 0; i < nv; i++) assert_true(fabs(v[i] - d->qvel[i]) < 1e-10);
  mj_step(m, d);
  mj_forward(m, d);
  mj_mulM(m, d, mid, d->qvel);
  mjtNum H1 = sn_hamiltonian(m, d, mid, NULL, rate);
  mj_step(m, d);
  mj_forward(m, d);
  mj_mulM(m, d, next, d->qvel);
  for (int i = 0; i < nv; i++) {
    mjtNum slope = (next[i] - p[i]) / 2e-4;
    if (!(fabs(slope - rate[i]) < 1e-5 * (1 + fabs(rate[i]))))
      fail_msg("dp/dt %d: %.9g by differences, %.9g by Hamilton", i, slope, rate[i]);
  }
  assert_true(fabs(H1 - H) < 1e-9 * (1 + fabs(H)));
  mj_deleteData(at);
  mj_deleteData(d);
  mj_deleteModel(m);
}

// A geodesic keeps its speed, its length is speed times time, and without gravity and springs it is
// the motion of the engine.
static void test_geodesic(void** state) {
  mjModel* m = scene_model(kTree);
  unsigned seed = 11;
  mjData *d = moved(m, &seed), *e = mj_copyData(NULL, m, d);
  mju_zero(m->opt.gravity, 3);
  m->opt.integrator = mjINT_RK4;
  m->opt.timestep = 1e-3;
  m->opt.disableflags |= mjDSBL_PASSIVE;
  mj_forward(m, e);
  mj_energyVel(m, e);
  mjtNum speed = sqrt(2 * e->energy[1]);
  mjtNum length = sn_geodesic(m, d, 0.5, 500);
  for (int i = 0; i < 500; i++) mj_step(m, e);
  assert_true(fabs(length - 0.5 * speed) < 1e-6 * length);
  for (int i = 0; i < m->nq; i++) assert_true(fabs(d->qpos[i] - e->qpos[i]) < 1e-7);
  mj_deleteData(d);
  mj_deleteData(e);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_christoffel),
                                     cmocka_unit_test(test_hamiltonian),
                                     cmocka_unit_test(test_geodesic)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
