// mjModel: made, copied, saved, loaded and checked from the schema.
#ifndef SINEW_MODEL_MODEL_H_
#define SINEW_MODEL_MODEL_H_

#include "algebra/algebra.h"
#include "base/base.h"
#include "model/callback.h"
#include "model/plan.h"
#include "model/schema.h"
#include "model/watch.h"

// Sparsity of B, M and D, and the maps between qM, M and D; the arrays are behind the struct, in
// this order (pattern.c).
typedef struct snPattern_ {
  const int *B_rownnz, *B_rowadr, *B_colind;
  const int *M_rownnz, *M_rowadr, *M_colind, *mapM2M;
  const int *D_rownnz, *D_rowadr, *D_diag, *D_colind, *mapM2D, *mapD2M;
} snPattern;

// Every mjModel is made by Sinew and carries this tail behind the public struct.
typedef struct snModel_ {
  mjModel m;
  snPlan* plan;  // structure derived once (plan.h)
  int solver;    // chosen for all its data (hard/choice.c): 0 none, 1 soft, 2 + index of a dual one
  snPattern* pattern;
  bool bare;               // the struct is the program's, from mju_malloc
  snCallbacks* callbacks;  // those of this model alone, NULL when there are none (callback.h)
} snModel;
_Static_assert(sizeof(snModel) - sizeof(mjModel) <= snTAIL, "the tail fits behind a bare mjModel");

static inline const snPlan* model_plan(const mjModel* m) { return ((const snModel*)m)->plan; }

// What mjData shows as B_rownnz ... mapD2M, and nobody writes to.
static inline const snPattern* model_pattern(const mjModel* m) {
  return ((const snModel*)m)->pattern;
}

// The one meaning of opt.cone, whatever number is in it: everything but elliptic is pyramidal.
static inline bool model_elliptic(const mjModel* m) { return m->opt.cone == mjCONE_ELLIPTIC; }

// A zeroed model with the sizes of `sizes` (all int fields from nq to npluginstate, and narena);
// options, visuals and statistics at their defaults. NULL when there is no memory.
mjModel* model_alloc(const mjModel* sizes, snFault* fault);

// Bytes of all arrays; false with a fault when the sizes make no sense.
bool model_buffer_size(const mjModel* sizes, size_t* nbuffer, snFault* fault);

// A model from a binary file in memory; NULL with a fault that says what is wrong with the file.
mjModel* model_read(const void* data, size_t bytes, snFault* fault);

// Derive the plan, the patterns and the names map from the filled public arrays. Called by whoever
// fills a model (compiler, loader, copy), again after structural arrays change; false with a fault
// on failure.
bool model_finish(mjModel* m, snFault* fault);

// Keep an image of the indices (watch.h): from now on programs may have the model, and every entry
// into the library compares. Called last by whoever makes a model; false with a fault on failure.
bool model_watch(mjModel* m, snFault* fault);

// ---- parts of model_finish
// The names map: constant-time lookup behind mj_name2id. Needs nnames_map == names_map_size(m).
int names_map_size(const mjModel* m);
void names_map_fill(mjModel* m);

// Sparsity patterns of mjData, worked out once by plan_structure into one block; a reset copies
// them into place. NULL when there is no memory.
snPattern* pattern_make(const mjModel* m);
void pattern_copy(const mjModel* m, mjData* d);

// Does every index in the arrays of m point to something that is there? The fault names the array
// and the element.
bool model_validate(const mjModel* m, snFault* fault);

#endif
