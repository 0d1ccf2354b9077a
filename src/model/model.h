// mjModel: made, copied, saved, loaded and checked from the schema.
#ifndef SINEW_MODEL_MODEL_H_
#define SINEW_MODEL_MODEL_H_

#include "algebra/algebra.h"
#include "base/base.h"
#include "model/plan.h"

// Every mjModel is made by Sinew and carries this tail behind the public struct.
typedef struct snModel_ {
  mjModel m;
  snPlan* plan;  // structure derived once (plan.h)
} snModel;

static inline const snPlan* model_plan(const mjModel* m) { return ((const snModel*)m)->plan; }

// A zeroed model with the sizes of `sizes` (all int fields from nq to npluginstate, and narena);
// options, visuals and statistics at their defaults. NULL when there is no memory.
mjModel* model_alloc(const mjModel* sizes, snFault* fault);

// Derive the plan and the names map from the filled public arrays. Called by whoever fills a model
// (compiler, loader, copy), again after structural arrays change; false with a fault on failure.
bool model_finish(mjModel* m, snFault* fault);

#endif
