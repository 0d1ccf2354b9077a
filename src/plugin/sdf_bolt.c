// mujoco.sdf.bolt: a threaded shaft of `radius` between z = -1 and 0, with a hexagonal head around
// its upper half.
#include <math.h>

#include "plugin/config.h"
#include "plugin/first_party.h"
#include "plugin/sdf_shape.h"
#include "plugin/sdf_thread.h"

static double bolt_field(const double x[3], const double* attribute) {
  static const double kLength = 1;
  double radius = attribute[0], r = sqrt(x[0] * x[0] + x[1] * x[1]);
  double tip = THREAD_SLOPE * (r - radius - x[2] - kLength);
  double shaft = sn_max(thread_distance(x, r, radius), tip);
  shaft = sn_max(shaft, sn_max(-x[2] - kLength, x[2]));
  return sn_min(shaft, thread_head(x, r, radius));
}

static const snShapeKind kKind = {
    .name = "mujoco.sdf.bolt",
    .count = 1,
    .attribute = {"radius"},
    .usual = {0.26},
    .positive = {true},
    .field = bolt_field,
};

static int bolt_init(const mjModel* m, mjData* d, int instance) {
  return shape_init(&kKind, m, d, instance);
}

static void bolt_attribute(double attribute[], const char* name[], const char* value[]) {
  shape_attributes(&kKind, attribute, value);
}

static void bolt_aabb(double aabb[6], const double* attribute) { thread_aabb(aabb); }

const mjpPlugin plugin_sdf_bolt = {
    .name = "mujoco.sdf.bolt",
    .nattribute = 1,
    .attributes = kKind.attribute,
    .capabilityflags = mjPLUGIN_SDF,
    .nstate = config_no_state,
    .init = bolt_init,
    .destroy = config_destroy,
    .compute = shape_compute,
    .sdf_distance = shape_distance,
    .sdf_gradient = shape_gradient,
    .sdf_staticdistance = bolt_field,
    .sdf_attribute = bolt_attribute,
    .sdf_aabb = bolt_aabb,
};
