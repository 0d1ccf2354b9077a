// mujoco.sdf.bowl: a spherical shell of `radius` and `thickness`, open above z = `height`.
//
// In the half plane (q, z), q = |(x, y)|, the shell is an arc that ends at the rim (w, h),
// w = sqrt(r^2 - h^2). Points above the line from the center through the rim are nearest to the
// rim, all others to the circle.
#include <math.h>

#include "plugin/config.h"
#include "plugin/first_party.h"
#include "plugin/sdf_shape.h"

static double bowl_field(const double x[3], const double* attribute) {
  double h = attribute[0], r = attribute[1];
  double q = sqrt(x[0] * x[0] + x[1] * x[1]), rim = sqrt(sn_max(0, r * r - h * h));
  if (h * q < rim * x[2]) {
    return sqrt((q - rim) * (q - rim) + (x[2] - h) * (x[2] - h)) - attribute[2];
  }
  return fabs(sqrt(q * q + x[2] * x[2]) - r) - attribute[2];
}

static const snShapeKind kKind = {
    .name = "mujoco.sdf.bowl",
    .count = 3,
    .attribute = {"height", "radius", "thickness"},
    .usual = {0.4, 1, 0.02},
    .positive = {false, true, true},
    .field = bowl_field,
};

static int bowl_init(const mjModel* m, mjData* d, int instance) {
  return shape_init(&kKind, m, d, instance);
}

static void bowl_attribute(double attribute[], const char* name[], const char* value[]) {
  shape_attributes(&kKind, attribute, value);
}

static void bowl_aabb(double aabb[6], const double* attribute) {
  double out = attribute[1] + attribute[2];
  const double box[6] = {0, 0, 0, out, out, out};
  mju_copy(aabb, box, 6);
}

const mjpPlugin plugin_sdf_bowl = {
    .name = "mujoco.sdf.bowl",
    .nattribute = 3,
    .attributes = kKind.attribute,
    .capabilityflags = mjPLUGIN_SDF,
    .nstate = config_no_state,
    .init = bowl_init,
    .destroy = config_destroy,
    .compute = shape_compute,
    .sdf_distance = shape_distance,
    .sdf_gradient = shape_gradient,
    .sdf_staticdistance = bowl_field,
    .sdf_attribute = bowl_attribute,
    .sdf_aabb = bowl_aabb,
};
