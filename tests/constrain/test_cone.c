// The elliptic cone (constrain/cone.h): force, slope and Hessian are derivatives of the cost, both
// coordinate systems agree, and the cost is continuous across zones.
#include "constrain/cone.h"
#include "scene.h"

typedef struct Case_ {
  mjContact con;
  double D[6], y[6], v[6], force[6];
  int state[6];
} Case;

// Weights as the rows of an elliptic contact have them: D_j = D_1 friction_j^2 / friction_1^2, and
// mu = friction_1 sqrt(D_0 / D_1).
static Case random_case(unsigned long long* seed) {
  static const int kDim[3] = {3, 4, 6};
  Case c = {.con = {.dim = kDim[(int)(1.5 + 1.5 * scene_random(seed)) % 3]}};
  double normal = pow(10, 2 * scene_random(seed)), tangent = normal * pow(10, scene_random(seed));
  for (int j = 0; j < 5; j++) c.con.friction[j] = pow(10, scene_random(seed) - 0.5);
  c.con.mu = c.con.friction[0] * sqrt(normal / tangent);
  for (int j = 0; j < c.con.dim; j++) {
    double ratio = j ? c.con.friction[j - 1] / c.con.friction[0] : 1;
    c.D[j] = (j ? tangent : normal) * ratio * ratio;
    c.y[j] = scene_random(seed);
    c.v[j] = scene_random(seed);
  }
  return c;
}

static double cost_at(Case* c, double t) {
  double y[6] = {0}, force[6];
  int state[6];
  mjContact con = c->con;
  for (int j = 0; j < con.dim; j++) y[j] = c->y[j] + t * c->v[j];
  return cone_force(&con, c->D, y, force, state, false);
}

static void near(double a, double b, double tolerance, const char* what) {
  if (!(fabs(a - b) <= tolerance * (1 + fabs(a) + fabs(b)))) fail_msg("%s: %g and %g", what, a, b);
}

static void test_derivatives(void** state) {
  (void)state;
  unsigned long long seed = 5;
  int zones[5] = {0};
  const double h = 1e-6;
  for (int trial = 0; trial < 3000; trial++) {
    Case c = random_case(&seed);
    double cost = cone_force(&c.con, c.D, c.y, c.force, c.state, true), sum[3] = {0}, slope = 0;
    cone_line(&c.con, c.D, c.y, c.v, 0, sum);
    near(sum[0], cost, 1e-12, "cost along the line");
    for (int j = 0; j < c.con.dim; j++) slope -= c.force[j] * c.v[j];
    near(sum[1], slope, 1e-11, "slope is -f.v");
    near(sum[1], (cost_at(&c, h) - cost_at(&c, -h)) / (2 * h), 1e-4, "slope is d cost");
    zones[c.state[0]]++;
    if (c.state[0] != mjCNSTRSTATE_CONE) continue;
    double curve = 0;
    for (int j = 0; j < c.con.dim; j++) {
      for (int k = 0; k < c.con.dim; k++) curve += c.v[j] * c.con.H[j * c.con.dim + k] * c.v[k];
    }
    near(sum[2], curve, 1e-10, "curvature is v'Hv");
  }
  assert_true(zones[mjCNSTRSTATE_SATISFIED] > 100);
  assert_true(zones[mjCNSTRSTATE_QUADRATIC] > 100);
  assert_true(zones[mjCNSTRSTATE_CONE] > 100);
}

// Rows scaled by sqrt(D): the same cost, force, slopes and Hessian.
static void test_scaled(void** state) {
  (void)state;
  unsigned long long seed = 9;
  for (int trial = 0; trial < 3000; trial++) {
    Case c = random_case(&seed);
    int dim = c.con.dim, zone;
    double u[6] = {0}, du[6] = {0}, phi[6], B[6][6], sum[3] = {0}, scaled[3] = {0};
    for (int j = 0; j < dim; j++) {
      u[j] = sqrt(c.D[j]) * c.y[j];
      du[j] = sqrt(c.D[j]) * c.v[j];
    }
    double cost = cone_force(&c.con, c.D, c.y, c.force, c.state, true);
    near(cone_force_scaled(dim, c.con.mu, u, phi, &zone), cost, 1e-12, "cost");
    assert_int_equal(zone, c.state[0]);
    for (int j = 0; j < dim; j++) near(sqrt(c.D[j]) * phi[j], c.force[j], 1e-11, "force");
    cone_line(&c.con, c.D, c.y, c.v, 0.3, sum);
    cone_line_scaled(dim, c.con.mu, u, du, 0.3, scaled);
    for (int k = 0; k < 3; k++) near(scaled[k], sum[k], 1e-11, "line");
    if (zone != mjCNSTRSTATE_CONE) continue;
    cone_root_scaled(dim, c.con.mu, u, B);
    for (int j = 0; j < dim; j++) {
      for (int k = 0; k < dim; k++) {
        double H = 0;
        for (int i = 0; i < dim; i++) H += B[j][i] * B[k][i];
        near(sqrt(c.D[j] * c.D[k]) * H, c.con.H[j * dim + k], 1e-9, "B B' is the Hessian");
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_derivatives),
                                     cmocka_unit_test(test_scaled)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
