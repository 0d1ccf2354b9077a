// mujoco.sdf.torus: a torus around z with major radius `radius1` and tube radius `radius2`.
//   distance = |(|(x, y)| - radius1, z)| - radius2
#include <math.h>

#include "plugin/config.h"
#include "plugin/first_party.h"
#include "plugin/sdf_shape.h"

static double torus_field(const double x[3], const double* attribute) {
  double ring = sqrt(x[0] * x[0] + x[1] * x[1]) - attribute[0];
  return sqrt(ring * ring + x[2] * x[2]) - attribute[1];
}

// A unit vector, except on the axis and at the center of the tube, where it is undefined.
static void torus_gradient(double gradient[3], const double x[3], const mjData* d, int instance) {
  const double* attribute = shape_values(d, instance);
  double r = sqrt(x[0] * x[0] + x[1] * x[1]), ring = r - attribute[0];
  double length = sn_max(sqrt(ring * ring + x[2] * x[2]), mjMINVAL), out = ring / length;
  r = sn_max(r, mjMINVAL);
  gradient[0] = out * (x[0] / r);
  gradient[1] = out * (x[1] / r);
  gradient[2] = x[2] / length;
}

static const snShapeKind kKind = {
    .name = "mujoco.sdf.torus",
    .count = 2,
    .attribute = {"radius1", "radius2"},
    .usual = {0.35, 0.15},
    .positive = {true, true},
    .field = torus_field,
};

static int torus_init(const mjModel* m, mjData* d, int instance) {
  return shape_init(&kKind, m, d, instance);
}

static void torus_attribute(double attribute[], const char* name[], const char* value[]) {
  shape_attributes(&kKind, attribute, value);
}

static void torus_aabb(double aabb[6], const double* attribute) {
  double out = attribute[0] + attribute[1];
  const double box[6] = {0, 0, 0, out, out, attribute[1]};
  mju_copy(aabb, box, 6);
}

const mjpPlugin plugin_sdf_torus = {
    .name = "mujoco.sdf.torus",
    .nattribute = 2,
    .attributes = kKind.attribute,
    .capabilityflags = mjPLUGIN_SDF,
    .nstate = config_no_state,
    .init = torus_init,
    .destroy = config_destroy,
    .compute = shape_compute,
    .sdf_distance = shape_distance,
    .sdf_gradient = torus_gradient,
    .sdf_staticdistance = torus_field,
    .sdf_attribute = torus_attribute,
    .sdf_aabb = torus_aabb,
};
