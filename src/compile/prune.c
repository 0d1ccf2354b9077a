// Leaving out what the model can do without: visual elements, static bodies.
#include <math.h>
#include <string.h>

#include "compile/compile.h"

bool compile_prune(snCompile* c) {
  return true;
}
