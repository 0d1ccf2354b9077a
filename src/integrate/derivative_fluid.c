// Derivative of fluid forces with respect to velocity.
#include "integrate/private.h"

void derivative_fluid(const mjModel* m, mjData* d) {
  (void)m;
  (void)d;
}
