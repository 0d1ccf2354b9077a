// An image of the index arrays of a model, taken when the model was made. Programs may write to any
// array of a model; before a documented function follows an index, one memcmp with the image shows
// that every index is still one that was validated.
#ifndef SINEW_MODEL_WATCH_H_
#define SINEW_MODEL_WATCH_H_

#include "model/schema.h"

enum { snWATCH_SIZES = (int)(offsetof(mjModel, npluginstate) + sizeof(int)) };

typedef struct snWatch_ {
  size_t step;      // leading bytes of the model's buffer: indices that a step follows
  size_t view;      // the same with indices of meshes, skins and materials, for drawing
  uint64_t layout;  // hash of what the arrays of mjData depend on: sizes, tree, plugins
  char sizes[snWATCH_SIZES];
  char image[];  // the first `view` bytes of the buffer
} snWatch;

// Which part of the buffer holds the array? `cursor` starts at 0 and advances with the fields,
// which are queried in the order of the struct.
typedef enum snWatched_ { snWATCH_STEP = 0, snWATCH_VIEW, snWATCH_NOT } snWatched;
snWatched watch_part(const snField* f, int* cursor);

// NULL without memory.
snWatch* watch_make(const mjModel* m);
uint64_t watch_layout(const mjModel* m);

// Do the sizes and the indices of a step (with `view`, of drawing) equal the image?
static inline bool watch_holds(const snWatch* w, const mjModel* m, bool view) {
  return !memcmp(m, w->sizes, sizeof w->sizes) &&
         !memcmp(m->buffer, w->image, view ? w->view : w->step);
}

// If they differ: sizes and fixed arrays must be as they were, all other indices must point to
// existing elements. Otherwise false and a fault with array and element.
bool watch_accepts(const snWatch* w, const mjModel* m, snFault* fault);

#endif
