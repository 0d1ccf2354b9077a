// Stand-ins for what other rooms still write; each fails and says what is missing.
#include "read/read.h"
#include "spec/composite.h"

__attribute__((weak)) void composite_default(snComposite* c) { *c = (snComposite){0}; }
__attribute__((weak)) bool composite_make(const snComposite* c, mjSpec* s, mjsBody* b, mjsFrame* fr,
                                          const mjsDefault* d, snFault* fault) {
  return fault_raise(fault, "composite is not available yet");
}
