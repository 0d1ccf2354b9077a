// mujoco.sdf.nut: a hexagonal nut between z = -0.5 and 0, with a threaded hole of `radius`.
#include <math.h>

#include "plugin/config.h"
#include "plugin/first_party.h"
#include "plugin/sdf_shape.h"
#include "plugin/sdf_thread.h"

static double nut_field(const double x[3], const double* attribute) {
  static const double kBevel = 0.05;
  double radius = attribute[0], r = sqrt(x[0] * x[0] + x[1] * x[1]);
  // the hole: threads tapered at the lower end of the nut, chamfered at the upper
  double taper = THREAD_SLOPE * (r - radius - x[2] - THREAD_HEAD);
  double hole = sn_max(thread_distance(x, r, radius), taper);
  double mouth = THREAD_SLOPE * (radius + kBevel - r + x[2]);
  return sn_max(thread_head(x, r, radius), sn_max(-hole, mouth));
}

static const snShapeKind kKind = {
    .name = "mujoco.sdf.nut",
    .count = 1,
    .attribute = {"radius"},
    .usual = {0.26},
    .positive = {true},
    .field = nut_field,
};

static int nut_init(const mjModel* m, mjData* d, int instance) {
  return shape_init(&kKind, m, d, instance);
}

static void nut_attribute(double attribute[], const char* name[], const char* value[]) {
  shape_attributes(&kKind, attribute, value);
}

static void nut_aabb(double aabb[6], const double* attribute) { thread_aabb(aabb); }

const mjpPlugin plugin_sdf_nut = {
    .name = "mujoco.sdf.nut",
    .nattribute = 1,
    .attributes = kKind.attribute,
    .capabilityflags = mjPLUGIN_SDF,
    .nstate = config_no_state,
    .init = nut_init,
    .destroy = config_destroy,
    .compute = shape_compute,
    .sdf_distance = shape_distance,
    .sdf_gradient = shape_gradient,
    .sdf_staticdistance = nut_field,
    .sdf_attribute = nut_attribute,
    .sdf_aabb = nut_aabb,
};
