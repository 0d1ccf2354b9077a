// Shared by the signed distance plugins of closed formulas: attributes, instances, gradients.
#ifndef SINEW_PLUGIN_SDF_SHAPE_H_
#define SINEW_PLUGIN_SDF_SHAPE_H_

#include "base/base.h"

enum { snSHAPE_ATTRIBUTES = 5 };

typedef double (*snShapeField)(const double point[3], const double* attribute);

typedef struct snShapeKind_ {
  const char* name;
  int count;
  const char* attribute[snSHAPE_ATTRIBUTES];
  double usual[snSHAPE_ATTRIBUTES];   // default values
  bool positive[snSHAPE_ATTRIBUTES];  // must be positive; the others must be finite
  snShapeField field;
} snShapeKind;

// Attribute texts to numbers; NULL and blank give defaults, malformed text gives NaN.
void shape_attributes(const snShapeKind* kind, double attribute[], const char* value[]);

// Initializes an instance of a kind; -1 with a warning when an attribute is refused.
int shape_init(const snShapeKind* kind, const mjModel* m, mjData* d, int instance);

// The attributes of an instance.
const double* shape_values(const mjData* d, int instance);

// Callbacks shared by all shapes.
double shape_distance(const double point[3], const mjData* d, int instance);
void shape_gradient(double gradient[3], const double point[3], const mjData* d, int instance);
void shape_compute(const mjModel* m, mjData* d, int instance, int capability);

// Smooth minimum: min(a, b), lowered by up to k/4 where |a - b| < k. A negative k gives a smooth
// maximum.
static inline double smooth_min(double a, double b, double k) {
  double h = sn_min(1, sn_max(0, 0.5 + 0.5 * (b - a) / k));
  return b + (a - b) * h - k * h * (1 - h);
}

#endif
