// The index arrays of a model, as they were when it was made. Programs may write to any array of a
// model; before a function follows an index, one comparison with this image shows that every index
// is still one that was checked.
#ifndef SINEW_MODEL_WATCH_H_
#define SINEW_MODEL_WATCH_H_

#include "model/schema.h"

enum { snWATCH_SIZES = (int)(offsetof(mjModel, npluginstate) + sizeof(int)) };

typedef struct snWatch_ {
  size_t step;      // bytes at the start of the model's buffer: the indices that a step follows
  size_t view;      // and with them those of skins and materials, which only drawing follows
  uint64_t layout;  // hash of what the arrays of mjData depend on: sizes, tree, plugins
  char sizes[snWATCH_SIZES];
  char image[];  // the first `view` bytes of the buffer
} snWatch;

// In which part of the buffer does the array lie? The cursor walks along with the fields, which are
// asked for in the order of the struct; it starts at 0.
typedef enum snWatched_ { snWATCH_STEP = 0, snWATCH_VIEW, snWATCH_NOT } snWatched;
snWatched watch_part(const snField* f, int* cursor);

// NULL when there is no memory.
snWatch* watch_make(const mjModel* m);
uint64_t watch_layout(const mjModel* m);

// Are the sizes and the indices of a step (of drawing, for `view`) those of the image?
static inline bool watch_holds(const snWatch* w, const mjModel* m, bool view) {
  return !memcmp(m, w->sizes, sizeof w->sizes) &&
         !memcmp(m->buffer, w->image, view ? w->view : w->step);
}

// When they are not: sizes and what structure was derived from must be as they were, all other
// indices must lead to something that is there. Else a fault with the array and the element.
bool watch_accepts(const snWatch* w, const mjModel* m, snFault* fault);

#endif
