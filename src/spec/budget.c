// How much a model may ask for before it is refused: a few bytes of text can ask for more elements
// and numbers than any machine has.
#include <sinew/budget.h>
#include <stdatomic.h>

#include "spec/private.h"

static atomic_size_t elements = (size_t)1 << 20;
static atomic_size_t bytes = (size_t)(SIZE_MAX > UINT32_MAX ? UINT64_C(1) << 32 : SIZE_MAX / 4);

void sn_setBudget(size_t most_elements, size_t most_bytes) {
  if (most_elements) atomic_store(&elements, most_elements);
  if (most_bytes) atomic_store(&bytes, most_bytes);
}

void sn_getBudget(size_t* most_elements, size_t* most_bytes) {
  if (most_elements) *most_elements = atomic_load(&elements);
  if (most_bytes) *most_bytes = atomic_load(&bytes);
}

static bool afford(double count, size_t most, const char* what, const char* who, snFault* fault) {
  if (count <= (double)most) return true;
  return fault_raise(fault,
                     "%s: %.0f %s are more than the budget of %zu; sn_setBudget "
                     "(sinew/budget.h), sinew.set_budget in Python and --budget of the command "
                     "raise it",
                     who, count, what, most);
}

bool budget_elements(double count, const char* who, snFault* fault) {
  return afford(count, atomic_load(&elements), "elements", who, fault);
}

bool budget_bytes(double count, const char* who, snFault* fault) {
  return afford(count, atomic_load(&bytes), "bytes", who, fault);
}

bool spec_affords(snSpec* spec, double more, const char* who) {
  snFault fault = {0};
  if (budget_elements((double)spec->nelement + more, who, &fault)) return true;
  spec_error(spec, "%s", fault.text);
  return false;
}
