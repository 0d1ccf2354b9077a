// The growing list of touches. Memory doubles, and stays with the cache of mjData, so that a step
// allocates nothing once sizes have settled.
#include "base/assert.h"
#include "collide/narrow.h"

bool touch_room(snTouchList* list, int more) {
  if (list->n + more <= list->capacity) return true;
  int capacity = list->capacity ? 2 * list->capacity : 64;
  while (capacity < list->n + more) capacity *= 2;
  snTouch* grown =
      memory_resize(list->touch, list->capacity * sizeof(snTouch), capacity * sizeof(snTouch));
  if (!grown) {
    list->failed = true;
    return false;
  }
  list->touch = grown;
  list->capacity = capacity;
  return true;
}

void touch_add(snTouchList* list, double dist, snVec pos, snVec normal) {
  if (!touch_room(list, 1)) return;
  SN_ASSERT(list->n < list->capacity);
  list->touch[list->n++] = (snTouch){dist, pos, normal, {0, 0, 0}};
}

void touch_free(snTouchList* list) {
  memory_free(list->touch);
  *list = (snTouchList){0};
}
