// What the signed distance plugins of closed formulas share: attributes, instances, gradients.
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
  bool positive[snSHAPE_ATTRIBUTES];  // must be above 0; the others finite
  snShapeField field;
} snShapeKind;

// Texts into numbers, NULL and blank into defaults; what cannot be is NaN.
void shape_attributes(const snShapeKind* kind, double attribute[], const char* value[]);

// An instance of a kind; -1 with a warning when an attribute is refused.
int shape_init(const snShapeKind* kind, const mjModel* m, mjData* d, int instance);

// The attributes of an instance.
const double* shape_values(const mjData* d, int instance);

// Callbacks of every shape.
double shape_distance(const double point[3], const mjData* d, int instance);
void shape_gradient(double gradient[3], const double point[3], const mjData* d, int instance);
void shape_compute(const mjModel* m, mjData* d, int instance, int capability);

// Smooth minimum: min(a, b) lowered by up to k/4 where the two are nearer than k. A negative k
// makes a smooth maximum.
static inline double smooth_min(double a, double b, double k) {
  double h = sn_min(1, sn_max(0, 0.5 + 0.5 * (b - a) / k));
  return b + (a - b) * h - k * h * (1 - h);
}

#endif
