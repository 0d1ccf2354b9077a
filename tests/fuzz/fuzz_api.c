// Fuzz target: calls of documented functions with invalid arguments, on a model with invalid
// indices and options.
#include "fuzz/wild.h"

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  static Wild w;
  if (!w.m) {
    wild_begin(&w);
  } else {
    mj_resetData(w.m, w.d);
  }
  w.next = bytes;
  w.end = bytes + size;
  while (!wild_over(&w)) wild_round(&w);
  return 0;
}
