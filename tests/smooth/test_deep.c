// Trees so deep that their M is factored from articulated inertias: L'DL is M (and M + h damping),
// and an M that was changed is factored as it is.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <mujoco/mujoco.h>

#include "model/model.h"
#include "../random.h"

// A free chain of all kinds of joints, with bodies that have several or none, two branches, bodies
// of simple dofs before and behind (of one dof, or six), and a tendon whose armature is `armature`.
static mjModel* deep_model(double armature, bool slider) {
  char *xml, error[500] = "";
  size_t bytes;
  FILE* f = open_memstream(&xml, &bytes);
  const char* joints[] = {
      "<joint axis='0 1 0' damping='.3' armature='.01'/>", "<joint type='ball' damping='.2'/>",
      "<joint type='slide' axis='1 0 1'/><joint axis='1 1 0' pos='0 0 .02' damping='.1'/>", "",
      "<joint axis='0 0 1' armature='.002'/>"};
  fprintf(f,
          "<mujoco><worldbody><body pos='9 9 9'><freejoint/><geom size='.1'/></body><body>"
          "<freejoint/><geom size='.05 .04 .03' type='box'/>");
  enum { BODIES = 90 };
  for (int i = 0; i < BODIES; i++) {
    if (i == 30) fprintf(f, "<body pos='0 .1 0'><joint name='twig'/><geom size='.02'/></body>");
    fprintf(f,
            "<body pos='.05 .01 0'>%s<geom size='.02 .03 .01' type='ellipsoid' pos='.02 0 .01'/>",
            joints[i % 5]);
  }
  fprintf(f,
          "<body pos='.05 0 0'><joint name='end' axis='1 0 0'/><geom size='.02 .03 .01' "
          "type='ellipsoid' pos='.02 0 .01'/></body>");
  for (int i = 0; i < BODIES; i++) fprintf(f, "</body>");
  fprintf(f, "</body><body pos='5 5 5'>%s<geom size='.1'/></body></worldbody>",
          slider ? "<joint type='slide'/>" : "<freejoint/>");
  fprintf(f, "<tendon><fixed armature='%g'><joint joint='twig' coef='1'/>", armature);
  fprintf(f, "<joint joint='end' coef='.5'/></fixed></tendon>");
  fprintf(f, "<default><geom contype='0' conaffinity='0'/></default></mujoco>");
  fclose(f);
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof error);
  free(xml);
  if (!spec) fail_msg("%s", error);
  mjModel* m = mj_compile(spec, NULL);
  if (!m) fail_msg("%s", mjs_getError(spec));
  mj_deleteSpec(spec);
  assert_true(model_plan(m)->deep);
  return m;
}

static mjData* moved_data(const mjModel* m) {
  mjData* d = mj_makeData(m);
  unsigned seed = 7;
  for (int i = 0; i < m->nv; i++) {
    d->qvel[i] = (random_next32(&seed) >> 8) / 16777216.0 - 0.5;
  }
  mj_integratePos(m, d->qpos, d->qvel, 1);
  return d;
}

// |L'DL - M - h diag(damping)| relative to the largest entry of M
static double residual(const mjModel* m, const mjData* d, const mjtNum* LD, double h) {
  size_t nv = m->nv;
  double *A = calloc(nv * nv, sizeof *A), worst = 0, largest = 0;
  for (size_t k = 0; k < nv; k++) {
    const mjtNum* row = LD + d->M_rowadr[k];
    const int *column = d->M_colind + d->M_rowadr[k], n = d->M_rownnz[k];
    double D = row[n - 1];
    for (int a = 0; a < n; a++) {
      for (int b = 0; b <= a; b++) {
        double la = a == n - 1 ? 1 : row[a], lb = b == n - 1 ? 1 : row[b];
        A[column[a] * nv + column[b]] += D * la * lb;
      }
    }
  }
  for (size_t k = 0; k < nv; k++) {
    const int *column = d->M_colind + d->M_rowadr[k], n = d->M_rownnz[k];
    for (int a = 0; a < n; a++) {
      double M = d->M[d->M_rowadr[k] + a] + (a == n - 1 ? h * m->dof_damping[k] : 0);
      worst = fmax(worst, fabs(A[k * nv + column[a]] - M));
      largest = fmax(largest, fabs(M));
    }
  }
  free(A);
  return worst / largest;
}

static void test_factor(void** state) {
  for (int k = 0; k < 4; k++) {
    mjModel* m = deep_model(0.1 * (k & 1), k & 2);
    mjData* d = moved_data(m);
    mj_step(m, d);
    assert_true(residual(m, d, d->qLD, 0) < 1e-14);
    assert_true(residual(m, d, d->qH, m->opt.timestep) < 1e-14);
    for (int i = 0; i < m->nv; i++) {
      double D = d->qLD[d->M_rowadr[i] + d->M_rownnz[i] - 1];
      assert_true(d->qLDiagInv[i] == 1 / D);
    }

    // the documented functions give the bits of the step
    mjtNum* LD = malloc(m->nC * sizeof *LD);
    memcpy(LD, d->qLD, m->nC * sizeof *LD);
    memset(d->qLD, 0, m->nC * sizeof *LD);
    mj_factorM(m, d);
    assert_memory_equal(LD, d->qLD, m->nC * sizeof *LD);
    free(LD);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
}

// One entry, on or off the diagonal, in a row of the chain: both factors follow.
static void test_changed(void** state) {
  mjModel* m = deep_model(0, false);
  mjData* d = moved_data(m);
  for (int dof = 20; dof < m->nv - 6; dof += 25) {
    for (int back = 1; back < 10; back += 4) {
      mj_forward(m, d);
      mjtNum* M = d->M + d->M_rowadr[dof] + d->M_rownnz[dof] - back;
      *M += 1e-3 * (back == 1 ? 1 : 1e-3);
      mj_factorM(m, d);
      assert_true(residual(m, d, d->qLD, 0) < 1e-14);
      mj_Euler(m, d);
      assert_true(residual(m, d, d->qH, m->opt.timestep) < 1e-14);
    }
  }

  // so do they when what M was made of is changed, but not M
  mj_forward(m, d);
  m->dof_armature[12] += 1e-3;
  mj_factorM(m, d);
  assert_true(residual(m, d, d->qLD, 0) < 1e-14);
  d->cinert[10 * 20] *= 1.1;
  mj_factorM(m, d);
  assert_true(residual(m, d, d->qLD, 0) < 1e-14);
  mj_deleteData(d);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_factor), cmocka_unit_test(test_changed)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
