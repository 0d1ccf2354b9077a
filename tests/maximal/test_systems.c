// The thirteen systems of the solver benchmark: the published table, and that they hold together.
//   SINEW_SYSTEMS_SECONDS=10 runs each that long (make test: a short while).
#include <sinew/maximal.h>
#include <stdbool.h>
#include <time.h>

#include "machines.h"

static void test_table(void** state) {
  for (int id = 0; id < kSystems; id++) {
    const System* t = systems + id;
    mjModel* m = system_model(id);
    System c;
    assert_true(system_count(id, m, &c));
    // two cells of the printed table do not agree with their rows
    int printed_total = !strcmp(t->name, "bdx") ? 6 + t->actuated : t->total;
    int printed_passive = !strcmp(t->name, "fourbar-free") ? t->total - t->actuated : t->passive;
    print_message(
        "%-14s bodies %d joints %d total %d passive %d actuated %d constraints %d ratio %.2f "
        "joined %.2f\n",
        t->name, c.bodies, c.joints, c.total, c.passive, c.actuated, c.constraints, c.mass_ratio,
        c.joined_ratio);
    assert_int_equal(c.fixed, t->fixed);
    assert_int_equal(c.bodies, t->bodies);
    assert_int_equal(c.joints, t->joints);
    assert_int_equal(c.total, printed_total);
    assert_int_equal(c.passive, printed_passive);
    assert_int_equal(c.actuated, t->actuated);
    assert_int_equal(c.constraints, t->constraints);
    // the ratio is one of moving bodies, and of two that are joined
    assert_true(fabs(c.mass_ratio - t->mass_ratio) < 0.005);
    assert_true(fabs(c.joined_ratio - t->mass_ratio) < 0.005);
    mj_deleteModel(m);
  }
}

static void test_run(void** state) {
  const char* asked = getenv("SINEW_SYSTEMS_SECONDS");
  const char* only = getenv("SINEW_SYSTEMS_ONLY");
  double seconds = asked ? atof(asked) : 0.3;
  for (int id = 0; id < kSystems; id++) {
    if (only && strcmp(only, systems[id].name)) continue;
    mjModel* m = system_model(id);
    snMaximal* x = system_make(m, "admm-ncp");
    double joint = 0, angle = 0, pen = 0, natural = 0, contacts = 0, mean = 0;
    long iterations = 0, n = 0, missed = 0;
    clock_t start = clock();
    while (x->data->time < seconds) {
      drive(x);
      assert_int_equal(sn_stepMaximal(x), 1);
      joint = fmax(joint, x->joint_error);
      angle = fmax(angle, x->angle_error);
      pen = fmax(pen, x->report.r_pen);
      natural = fmax(natural, x->report.r_ncp_natural);
      mean += x->report.r_ncp_natural;
      contacts = fmax(contacts, x->data->ncon);
      iterations += x->report.iterations;
      missed += !x->report.converged;
      n++;
    }
    double ms = 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC / n;
    printf(
        "%-14s joints %.2g m %.2g rad, r_pen %.2g, r_nat %.2g (mean %.2g), %.0f iterations, "
        "%ld of %ld not converged, contacts %g, %.3f ms\n",
        systems[id].name, joint, angle, pen, natural, mean / n, (double)iterations / n, missed, n,
        contacts, ms);
    if (!(joint < 1e-4)) fail_msg("%s: joints open by %g m", systems[id].name, joint);
    sn_deleteMaximal(x);
    mj_deleteModel(m);
  }
}

// A minute of driving does not open the loop.
static void test_fourbar_stays_closed(void** state) {
  mjModel* m = system_model(system_find("fourbar-fixed"));
  snMaximal* x = system_make(m, "admm-ncp");
  double joint = 0;
  while (x->data->time < 60) {
    x->data->ctrl[0] = 0.6 * sin(2 * M_PI * x->data->time);
    assert_int_equal(sn_stepMaximal(x), 1);
    joint = fmax(joint, x->joint_error);
  }
  print_message("four-bar driven for 60 s: open by %.2g m at most\n", joint);
  assert_true(joint < 1e-5);
  sn_deleteMaximal(x);
  mj_deleteModel(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_table),
      cmocka_unit_test(test_run),
      cmocka_unit_test(test_fourbar_stays_closed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
