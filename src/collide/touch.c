// The growing list of touches.
#include "collide/narrow.h"

void touch_add(snTouchList* list, double dist, snVec pos, snVec normal) {
  if (list->n == list->capacity) {
    int capacity = list->capacity ? 2 * list->capacity : 64;
    snTouch* grown =
        memory_resize(list->touch, list->capacity * sizeof(snTouch), capacity * sizeof(snTouch));
    if (!grown) {
      list->failed = true;
      return;
    }
    list->touch = grown;
    list->capacity = capacity;
  }
  list->touch[list->n++] = (snTouch){dist, pos, normal, {0, 0, 0}};
}

void touch_free(snTouchList* list) {
  memory_free(list->touch);
  *list = (snTouchList){0};
}
