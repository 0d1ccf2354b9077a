// Catenary: the shape of a slack tendon, a cable of given length between two points under gravity.
#include "view/catenary.h"

static double sinh_exact(double x) {
  const double small = 1e-3;  // (e^x - e^-x) / 2 cancels below; the series errs by x^7 / 5040
  if (fabs(x) < small) return x * (1 + x * x / 6 * (1 + x * x / 20));
  double e = sn_exp(x);
  return (e - 1 / e) / 2;
}

static double cosh_exact(double x) {
  double e = sn_exp(x);
  return (e + 1 / e) / 2;
}

// Solve sinh(u)/u = r for u > 0, r > 1, by Newton on log(sinh(u)/u) - log(r), which is convex and
// increasing: from the right it converges without overshoot.
static double catenary_shape(double r) {
  const double tolerance = 1e-14;
  double target = sn_log(r), u = r < 3 ? sqrt(6 * (r - 1)) : 2 * target + 2;
  for (int i = 0; i < 50; i++) {
    double s = sinh_exact(u), error = sn_log(s / u) - target;
    double slope = cosh_exact(u) / s - 1 / u;
    double next = u - error / slope;
    if (next <= 0) next = u / 2;
    if (fabs(next - u) <= tolerance * u) return next;
    u = next;
  }
  return u;
}

int catenary_points(double points[3 * snCATENARY], const double from[3], const double to[3],
                    double length, const double gravity[3], int segments) {
  double down[3], across[3], offset[3], drop, span;
  vec3_copy(down, gravity);
  if (vec3_normalize(down) < mjMINVAL) return 0;
  vec3_sub(offset, to, from);
  if (vec3_norm(offset) >= length) return 0;
  // horizontal and vertical distance: to = from + span across + drop down
  drop = vec3_dot(offset, down);
  vec3_add_scaled(across, offset, down, -drop);
  span = vec3_normalize(across);
  double ratio = sqrt(length * length - drop * drop) / mju_max(span, mjMINVAL);
  vec3_copy(points, from);
  if (span < 0.01 * length) {
    // nearly no span: a narrow V with equal slopes
    double both = sqrt(length * length - span * span), first = (both + drop) / 2;
    vec3_add_scaled(points + 3, from, down, first);
    vec3_add_scaled(points + 3, points + 3, across, span * first / both);
    vec3_copy(points + 6, to);
    return 3;
  }
  // depth(x) = a (cosh(x0/a) - cosh((x - x0)/a)), with 2 a sinh(span/(2a)) = sqrt(L^2 - drop^2);
  // the lowest point x0 from drop = 2 a sinh(span/(2a)) sinh(x0/a - span/(2a))
  double u = catenary_shape(ratio), a = span / (2 * u);
  double lift = drop / sqrt(length * length - drop * drop);
  double w = sn_log(lift + sqrt(lift * lift + 1));  // asinh
  double x0 = a * (u + w), top = cosh_exact(x0 / a);
  int n = segments < 1 ? 1 : segments < snCATENARY ? segments : snCATENARY - 1;
  for (int i = 1; i < n; i++) {
    double x = span * i / (n + 1), depth = a * (top - cosh_exact((x - x0) / a));
    double* point = points + 3 * i;
    vec3_add_scaled(point, from, across, x);
    vec3_add_scaled(point, point, down, depth);
  }
  vec3_copy(points + 3 * n, to);
  return n + 1;
}
