// The plan: index lists derived once per model, so that no stage works out structure in a step.
#ifndef SINEW_MODEL_PLAN_H_
#define SINEW_MODEL_PLAN_H_

#include "base/base.h"

typedef struct snPlan_ {
  int unused;
} snPlan;

// NULL when there is no memory.
snPlan* plan_make(const mjModel* m);
void plan_free(snPlan* plan);

#endif
