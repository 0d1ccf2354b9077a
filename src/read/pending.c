// Stand-ins for what other rooms still write; each fails and says what is missing.
#include "read/read.h"
#include "spec/composite.h"
#include "spec/flexcomp.h"

__attribute__((weak)) void flexcomp_default(snFlexcomp* f) { *f = (snFlexcomp){0}; }
__attribute__((weak)) void composite_default(snComposite* c) { *c = (snComposite){0}; }
__attribute__((weak)) bool flexcomp_make(const snFlexcomp* f, mjSpec* s, mjsBody* b, mjsFrame* fr,
                                         const mjsDefault* d, snFault* fault) {
  return fault_raise(fault, "flexcomp is not available yet");
}
__attribute__((weak)) bool composite_make(const snComposite* c, mjSpec* s, mjsBody* b, mjsFrame* fr,
                                          const mjsDefault* d, snFault* fault) {
  return fault_raise(fault, "composite is not available yet");
}
__attribute__((weak)) bool spec_replicate(snElement* b, snElement* f, snElement* from, int n,
                                          const double o[3], const double e[3], const char* sep) {
  spec_error(b->spec, "replicate is not available yet");
  return false;
}
