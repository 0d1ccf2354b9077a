// How much a model may ask for before it is refused: a few bytes of text can ask for more elements
// and numbers than any machine has.
#include <sinew/budget.h>
#include <stdatomic.h>

#include "spec/private.h"

static atomic_size_t elements = (size_t)1 << 20;
static atomic_size_t bytes = (size_t)1 << 32;

void sn_setBudget(size_t most_elements, size_t most_bytes) {
  if (most_elements) atomic_store(&elements, most_elements);
  if (most_bytes) atomic_store(&bytes, most_bytes);
}

void sn_getBudget(size_t* most_elements, size_t* most_bytes) {
  if (most_elements) *most_elements = atomic_load(&elements);
  if (most_bytes) *most_bytes = atomic_load(&bytes);
}

bool budget_elements(double count, const char* who, snFault* fault) {
  size_t most = atomic_load(&elements);
  if (count <= (double)most) return true;
  return fault_raise(fault,
                     "%s: %.0f elements are more than the budget of %zu; sn_setBudget raises it "
                     "(include/sinew/budget.h)",
                     who, count, most);
}

bool budget_bytes(double count, const char* who, snFault* fault) {
  size_t most = atomic_load(&bytes);
  if (count <= (double)most) return true;
  return fault_raise(fault,
                     "%s: %.0f bytes are more than the budget of %zu; sn_setBudget raises it "
                     "(include/sinew/budget.h)",
                     who, count, most);
}

bool spec_affords(snSpec* spec, double more, const char* who) {
  snFault fault = {0};
  if (budget_elements((double)spec->nelement + more, who, &fault)) return true;
  spec_error(spec, "%s", fault.text);
  return false;
}
