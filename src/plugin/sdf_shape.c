// Shared parts of the signed distance plugins of closed formulas (sdf_shape.h).
#include "plugin/sdf_shape.h"

#include <math.h>
#include <string.h>

#include "plugin/config.h"

typedef struct snShapeInstance_ {
  snShapeField field;
  double attribute[snSHAPE_ATTRIBUTES];
} snShapeInstance;

void shape_attributes(const snShapeKind* kind, double attribute[], const char* value[]) {
  for (int i = 0; i < kind->count; i++) {
    int found = value[i] ? config_parse(value[i], 1, &attribute[i]) : 0;
    if (found == 0) attribute[i] = kind->usual[i];
    bool bad = found < 0 || !isfinite(attribute[i]) || (kind->positive[i] && !(attribute[i] > 0));
    if (bad) attribute[i] = NAN;
  }
}

int shape_init(const snShapeKind* kind, const mjModel* m, mjData* d, int instance) {
  const char* value[snSHAPE_ATTRIBUTES];
  double attribute[snSHAPE_ATTRIBUTES];
  for (int i = 0; i < kind->count; i++) {
    value[i] = mj_getPluginConfig(m, instance, kind->attribute[i]);
  }
  shape_attributes(kind, attribute, value);
  for (int i = 0; i < kind->count; i++) {
    if (!isnan(attribute[i])) continue;
    mju_warning("%s: instance %d: %s=\"%.80s\"; expected a %s number", kind->name, instance,
                kind->attribute[i], value[i], kind->positive[i] ? "positive" : "finite");
    return -1;
  }
  snShapeInstance* shape = config_instance(d, instance, sizeof *shape);
  if (!shape) return -1;
  shape->field = kind->field;
  memcpy(shape->attribute, attribute, (size_t)kind->count * sizeof *attribute);
  return 0;
}

const double* shape_values(const mjData* d, int instance) {
  return ((const snShapeInstance*)d->plugin_data[instance])->attribute;
}

double shape_distance(const double point[3], const mjData* d, int instance) {
  const snShapeInstance* shape = (const snShapeInstance*)d->plugin_data[instance];
  return shape->field(point, shape->attribute);
}

// Forward differences; on an edge of the shape they give the same side as the released plugins.
void shape_gradient(double gradient[3], const double point[3], const mjData* d, int instance) {
  static const double kStep = 1e-8;  // of the differences
  const snShapeInstance* shape = (const snShapeInstance*)d->plugin_data[instance];
  double here = shape->field(point, shape->attribute);
  for (int i = 0; i < 3; i++) {
    double x[3] = {point[0], point[1], point[2]};
    x[i] += kStep;
    gradient[i] = (shape->field(x, shape->attribute) - here) / kStep;
  }
}

// Called at each start of the search for contacts; nothing to do for a shape.
void shape_compute(const mjModel* m, mjData* d, int instance, int capability) {}
