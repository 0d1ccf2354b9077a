// mujoco.sdf.gear: a spur gear around z with involute teeth.
//
// `alpha` is its rotation (radians), `diameter` that of the pitch circle, `teeth` their number,
// `thickness` the height, `innerdiameter` that of the hole (negative: derived from the teeth).
#include <math.h>

#include "plugin/config.h"
#include "plugin/first_party.h"
#include "plugin/sdf_shape.h"

// Dimensions in terms of gearing: module = diameter / teeth.
typedef struct snGearSizes_ {
  double pitch, base, tip, root, hole;  // radii
  double pressure;                      // pressure angle
} snGearSizes;

// The pressure angle, a quadratic fit in the number of teeth in radians, decreases with it, which
// avoids undercut with few teeth.
static snGearSizes gear_sizes(const double* attribute) {
  double diameter = attribute[1], teeth = attribute[2], inner = attribute[4];
  double module = diameter / teeth;
  snGearSizes g = {.pitch = diameter / 2};
  g.pressure = 3.096e-5 * teeth * teeth - 6.557e-3 * teeth + 0.551;
  g.base = g.pitch * sn_cos(g.pressure);
  g.tip = g.pitch + module;
  g.root = g.tip - 2.2 * module;
  g.hole = inner < 0 ? g.root - 0.14 * diameter : inner / 2;
  return g;
}

// A flank is the involute of the base circle that starts at angle 0: a point (r, a) with r > base
// has the distance
//   sqrt(r^2 - base^2) - base (acos(base / r) + a)
// from it; below the base circle a radial line replaces it. Teeth are symmetric, and half a pitch
// wide at the pitch circle.
static double gear_tooth(const snGearSizes* g, double r, double angle, double teeth) {
  double period = 2 * mjPI / teeth;
  double lean = sqrt(sn_max(0, g->pitch * g->pitch - g->base * g->base)) / g->base - g->pressure;
  double middle = lean + period / 4, from = angle - middle;
  from -= period * floor(from / period + 0.5);
  double into = middle - fabs(from), flank = -into;
  if (r > g->base) {
    double arc = sqrt(r * r - g->base * g->base) - g->base * (sn_acos(g->base / r) + into);
    flank = sn_max(flank, arc);
  }
  return flank;
}

// Flanks end at the tip circle, with an edge rounded from the inside.
static double gear_tip(double flank, double over, double rounding) {
  double smooth = -smooth_min(-flank, -over, rounding) - sn_max(0, flank + over);
  return sn_max(sn_max(flank, over), smooth);
}

static double gear_profile(const double x[3], const double* attribute) {
  static const double kFarOut = 0.2, kRounding = 0.0035;
  snGearSizes g = gear_sizes(attribute);
  double r = sqrt(x[0] * x[0] + x[1] * x[1]);
  if (r - g.tip > kFarOut) return r - g.tip;
  if (g.hole > r) return g.hole - r;
  double flank = gear_tooth(&g, r, sn_atan2(x[1], x[0]) + attribute[0], attribute[2]);
  double tooth = gear_tip(flank, r - g.tip, kRounding * attribute[1]);
  return sn_max(smooth_min(tooth, r - g.root, g.base - g.root), g.hole - r);
}

// The profile, extruded along z.
static double gear_field(const double x[3], const double* attribute) {
  double profile = gear_profile(x, attribute), height = fabs(x[2]) - attribute[3] / 2;
  double out = sn_max(profile, 0), up = sn_max(height, 0);
  return sn_min(sn_max(profile, height), 0) + sqrt(out * out + up * up);
}

static const snShapeKind kKind = {
    .name = "mujoco.sdf.gear",
    .count = 5,
    .attribute = {"alpha", "diameter", "teeth", "thickness", "innerdiameter"},
    .usual = {0, 2.8, 25, 0.2, -1},
    .positive = {false, true, true, true, false},
    .field = gear_field,
};

static int gear_init(const mjModel* m, mjData* d, int instance) {
  return shape_init(&kKind, m, d, instance);
}

static void gear_attribute(double attribute[], const char* name[], const char* value[]) {
  shape_attributes(&kKind, attribute, value);
}

static void gear_aabb(double aabb[6], const double* attribute) {
  double out = 1.25 * attribute[1] / 2, up = 1.1 * attribute[3] / 2;
  const double box[6] = {0, 0, 0, out, out, up};
  mju_copy(aabb, box, 6);
}

const mjpPlugin plugin_sdf_gear = {
    .name = "mujoco.sdf.gear",
    .nattribute = 5,
    .attributes = kKind.attribute,
    .capabilityflags = mjPLUGIN_SDF,
    .nstate = config_no_state,
    .init = gear_init,
    .destroy = config_destroy,
    .compute = shape_compute,
    .sdf_distance = shape_distance,
    .sdf_gradient = shape_gradient,
    .sdf_staticdistance = gear_field,
    .sdf_attribute = gear_attribute,
    .sdf_aabb = gear_aabb,
};
