// What the processor can do, asked once before main: for kernels that the loader cannot choose
// (cmake/kernels.cmake).
#include "base/lanes.h"

#ifdef SN_DISPATCH_ASKED
#include <cpuid.h>

int processor_avx2;

// AVX2 is there when the processor has it and the system keeps the upper halves of registers
// (bits 1 and 2 of XCR0).
__attribute__((constructor)) static void processor_ask(void) {
  unsigned a, b, c, d, low, high;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  if ((low & 6) != 6 || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return;
  processor_avx2 = (b & bit_AVX2) != 0;
}
#endif
