// Copying members of the spec's structs into rows of the model's arrays (fill_*.c).
#ifndef SINEW_COMPILE_FILL_H_
#define SINEW_COMPILE_FILL_H_

#include <string.h>

#include "compile/compile.h"

SN_INLINE void copy_num(mjtNum* to, const mjtNum* from, int n) {
  memcpy(to, from, (size_t)n * sizeof *to);
}

SN_INLINE void copy_float(float* to, const float* from, int n) {
  memcpy(to, from, (size_t)n * sizeof *to);
}

// At most `size` numbers; the rest of the row, allocated as zeros, stays zero.
SN_INLINE void copy_user(mjtNum* to, const mjDoubleVec* from, int size) {
  int n = doubles_count(from);
  for (int i = 0; i < n && i < size; i++) to[i] = doubles_data(from)[i];
}

#endif
