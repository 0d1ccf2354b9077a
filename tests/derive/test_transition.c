// mjd_transitionFD equals finite differences of plain steps to the last bit: what it reuses between
// columns changes nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
// cmocka wants the four above first
#include <cmocka.h>
#include <stdio.h>

#include "data/data.h"

enum { MAX = 20000 };

// A figure whose limbs lie on the floor, boxes in a pile, a pendulum on a closed loop that touches
// nothing else, and a ball in the air: parts with few and with many rows, and a tree without any.
static const char model[] =
    "<mujoco><compiler autolimits='true'/>"
    "<option integrator='%s' solver='%s' cone='%s' jacobian='%s' iterations='%d'>"
    "<flag island='%s'/></option>"
    "<default><joint damping='.1' armature='.01'/><geom condim='4' friction='.8 .02 "
    ".01'/></default>"
    "<worldbody><geom type='plane' size='5 5 .1'/>"
    "<body name='trunk' pos='0 0 .12'><freejoint/><geom type='box' size='.2 .1 .1'/>"
    " <body pos='.2 .1 0'><joint name='a1' axis='0 1 0' range='-40 40'/><joint axis='0 0 1'/>"
    "  <geom type='capsule' size='.05' fromto='0 0 0 .2 .1 -.05'/>"
    "  <body pos='.2 .1 -.05'><joint name='a2' axis='0 1 0' frictionloss='.2'/>"
    "   <geom type='capsule' size='.04' fromto='0 0 0 .2 0 0'/><site name='tip' pos='.2 0 0'/>"
    "  </body></body>"
    " <body pos='.2 -.1 0'><joint name='b1' axis='0 1 0' range='-40 40'/><joint axis='0 0 1'/>"
    "  <geom type='capsule' size='.05' fromto='0 0 0 .2 -.1 -.05'/>"
    "  <body pos='.2 -.1 -.05'><joint name='b2' axis='0 1 0'/>"
    "   <geom type='capsule' size='.04' fromto='0 0 0 .2 0 0'/></body></body>"
    " <body pos='-.2 0 0'><joint type='ball'/><geom type='capsule' size='.05' fromto='0 0 0 -.3 0 "
    "0'/>"
    " </body></body>"
    "<body pos='2 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
    "<body pos='2 .02 .31'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
    "<body pos='-2 0 1'><joint name='p' axis='0 1 0'/><geom type='capsule' size='.03' "
    "fromto='0 0 0 .3 0 0'/>"
    " <body pos='.3 0 0'><joint axis='0 1 0'/><geom type='capsule' size='.03' fromto='0 0 0 0 0 "
    "-.3'/>"
    " </body></body>"
    "<body pos='-4 0 2'><freejoint/><geom size='.1'/></body></worldbody>"
    "<contact><exclude body1='trunk' body2='world'/></contact>"
    "<equality><connect body1='trunk' anchor='-.1 0 0' active='false'/>"
    "<joint joint1='a1' joint2='b1' polycoef='0 1 0 0 0'/></equality>"
    "<actuator><motor joint='a2' ctrlrange='-1 1'/><position joint='b2' kp='5'/>"
    "<general joint='p' dyntype='filter' dynprm='.1' gainprm='2'/></actuator>"
    "<sensor><accelerometer site='tip'/><touch site='tip'/><jointpos joint='p'/></sensor></mujoco>";

// A leg of five dofs that stands on the floor, solved at full width; with `more` dofs beside it.
#define LEG(more)                                                                            \
  "<mujoco><compiler autolimits='true'/>"                                                    \
  "<option integrator='%s' solver='%s' cone='%s' jacobian='%s' iterations='%d'>"             \
  "<flag island='%s'/></option>"                                                             \
  "<default><joint damping='.1' armature='.01'/><geom condim='3' friction='.8 .02 .01'/>"    \
  "</default><worldbody><geom type='plane' size='5 5 .1'/>"                                  \
  "<body pos='0 0 .55'><joint type='slide' axis='0 0 1'/><joint type='slide' axis='1 0 0'/>" \
  " <joint axis='0 1 0'/><geom type='capsule' size='.05' fromto='0 0 0 0 0 .3'/>"            \
  " <body><joint name='p' axis='0 1 0' range='-40 2'/>"                                      \
  "  <geom type='capsule' size='.04' fromto='0 0 0 0 0 -.5'/>"                               \
  "  <body pos='0 0 -.5'><joint name='a2' axis='0 1 0' range='-1 1' frictionloss='.1'/>"     \
  "   <geom type='capsule' size='.05' fromto='-.1 0 0 .2 0 0'/><site name='tip'/>"           \
  "  </body></body></body>" more                                                             \
  "</worldbody><actuator><motor joint='a2' ctrlrange='-1 1'/>"                               \
  "<general joint='p' dyntype='filter' dynprm='.1' gainprm='2'/></actuator>"                 \
  "<sensor><accelerometer site='tip'/><touch site='tip'/><jointpos joint='p'/></sensor></mujoco>"

static const char leg[] = LEG("");
static const char leg_and_box[] =
    LEG("<body pos='1 0 .1'><freejoint/><geom type='box' size='.1 .1 .1'/></body>");

// Nothing touches: the perturbed steps need no acceleration. A sensor sees a camera, or none does.
#define SWING(sensor)                                                                         \
  "<mujoco><option integrator='%s' solver='%s' cone='%s' jacobian='%s' iterations='%d'>"      \
  "<flag island='%s' energy='enable'/></option><default><joint damping='.1'/></default>"      \
  "<worldbody><geom type='plane' size='1 1 .1'/><camera name='still' pos='0 -1 1'/>"          \
  "<body pos='0 0 2'><joint name='p' axis='0 1 0'/>"                                          \
  " <geom type='capsule' size='.03' fromto='0 0 0 .3 0 0'/>"                                  \
  " <camera name='eye' pos='.1 0 0' mode='targetbody' target='end'/>"                         \
  " <body name='end' pos='.3 0 0'><joint type='ball'/><geom size='.05' pos='.1 0 0'/></body>" \
  "</body></worldbody><actuator><motor joint='p'/></actuator>"                                \
  "<sensor><jointvel joint='p'/>" sensor "</sensor></mujoco>"

static const char swing[] = SWING("");
static const char swing_seen[] = SWING(
    "<framequat objtype='camera' objname='eye'/><framepos objtype='body' objname='end' "
    "reftype='camera' refname='eye'/>");

// The result of one step from `start`: (qpos, qvel, act) and sensors.
static void step(const mjModel* m, mjData* d, mjtNum* y, mjtNum* s) {
  mj_step(m, d);
  memcpy(y, d->qpos, sizeof(mjtNum) * (size_t)m->nq);
  memcpy(y + m->nq, d->qvel, sizeof(mjtNum) * (size_t)m->nv);
  memcpy(y + m->nq + m->nv, d->act, sizeof(mjtNum) * (size_t)m->na);
  memcpy(s, d->sensordata, sizeof(mjtNum) * (size_t)m->nsensordata);
}

static void compare(const mjModel* m, const mjtNum* y, const mjtNum* s, const mjtNum* y1,
                    const mjtNum* s1, mjtNum eps, const mjtNum* A, const mjtNum* C, int ncol,
                    int at) {
  mjtNum dq[64];
  mj_differentiatePos(m, dq, eps, y, y1);
  for (int i = 0; i < m->nv; i++) assert_true(A[i * ncol + at] == dq[i]);
  for (int i = 0; i < m->nv + m->na; i++) {
    assert_true(A[(m->nv + i) * ncol + at] == (y1[m->nq + i] - y[m->nq + i]) / eps);
  }
  for (int i = 0; i < m->nsensordata; i++) assert_true(C[i * ncol + at] == (s1[i] - s[i]) / eps);
}

static void check(const char* of, int rows, const char* integrator, const char* solver,
                  const char* cone, const char* jacobian, int iterations, const char* island,
                  int workers) {
  char text[8192], error[500] = "";
  int size =
      snprintf(text, sizeof text, of, integrator, solver, cone, jacobian, iterations, island);
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "m.xml", text, size);
  mjModel* m = mj_loadXML("m.xml", &vfs, error, sizeof error);
  if (!m) fail_msg("%s", error);
  mjData *d = mj_makeData(m), *one = mj_makeData(m);
  mjThreadPool* pool = workers ? mju_threadPoolCreate(workers) : NULL;
  if (pool) mju_bindThreadPool(d, pool);
  static mjtNum A[MAX], B[MAX], C[MAX], D[MAX];
  mjtNum y[128], s[16], y1[128], s1[16], direction[64] = {0};
  int nv = m->nv, nx = 2 * nv + m->na;
  assert_true(nx * nx <= MAX && nv <= 64 && m->nq + nv + m->na <= 128 && m->nsensordata <= 16);
  for (int i = 0; i < 90; i++) {
    for (int u = 0; u < m->nu; u++) d->ctrl[u] = 0.5 * ((i / 7 + u) % 3 - 1);
    mj_step(m, d);
    if (i % 30 != 29) continue;
    assert_true(rows ? d->nefc >= rows : d->nefc == 0);
    // the wide ones change which rows act
    mjtNum eps = i < 30 ? 1e-6 : i < 60 ? 1e-2 : 0.3;
    mj_copyData(one, m, d);
    mjd_transitionFD(m, d, eps, 0, A, B, C, D);
    step(m, one, y, s);
    for (int k = 0; k < nx + m->nu; k++) {
      mj_copyData(one, m, d);
      direction[k % nv] = 1;
      if (k < nv)
        mj_integratePos(m, one->qpos, direction, eps);
      else if (k < 2 * nv)
        one->qvel[k - nv] += eps;
      else if (k < nx)
        one->act[k - 2 * nv] += eps;
      else
        one->ctrl[k - nx] += eps;
      direction[k % nv] = 0;
      step(m, one, y1, s1);
      if (k < nx)
        compare(m, y, s, y1, s1, eps, A, C, nx, k);
      else
        compare(m, y, s, y1, s1, eps, B, D, m->nu, k - nx);
    }
  }
  if (pool) mju_threadPoolDestroy(pool);
  mj_deleteData(d);
  mj_deleteData(one);
  mj_deleteModel(m);
  mj_deleteVFS(&vfs);
}

static void columns_are_plain_steps(void** state) {
  check(model, 9, "Euler", "Newton", "pyramidal", "dense", 100, "disable", 0);
  check(model, 9, "Euler", "Newton", "elliptic", "sparse", 100, "disable", 0);
  check(model, 9, "implicitfast", "Newton", "elliptic", "dense", 100, "enable", 0);
  check(model, 9, "implicit", "Newton", "pyramidal", "sparse", 5, "disable", 0);
  check(model, 9, "Euler", "CG", "elliptic", "dense", 30, "disable", 0);
  check(model, 9, "Euler", "PGS", "pyramidal", "dense", 30, "disable", 0);
  check(model, 9, "Euler", "Newton", "pyramidal", "dense", 100, "disable", 2);
}

static void small_columns_are_plain_steps(void** state) {
  check(leg, 4, "Euler", "Newton", "pyramidal", "dense", 100, "disable", 0);
  check(leg, 4, "Euler", "Newton", "elliptic", "dense", 100, "disable", 0);
  check(leg, 4, "implicitfast", "Newton", "elliptic", "dense", 2, "disable", 0);
  check(leg, 4, "Euler", "PGS", "pyramidal", "dense", 30, "disable", 0);
  check(leg_and_box, 8, "Euler", "Newton", "pyramidal", "dense", 100, "disable", 0);
  check(leg_and_box, 8, "Euler", "Newton", "elliptic", "dense", 100, "disable", 0);
  check(swing, 0, "Euler", "Newton", "pyramidal", "dense", 100, "disable", 0);
  check(swing_seen, 0, "Euler", "Newton", "pyramidal", "dense", 100, "disable", 0);
  check(swing_seen, 0, "implicitfast", "Newton", "pyramidal", "dense", 100, "disable", 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(columns_are_plain_steps),
                                     cmocka_unit_test(small_columns_are_plain_steps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
