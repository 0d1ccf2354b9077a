// snFault: the message of an operation that could not be done. The first message is kept, for it
// names the cause; later ones are consequences.
#include <stdio.h>

#include "base/base.h"

bool fault_raise(snFault* fault, const char* format, ...) {
  if (!fault || fault->raised) return false;
  fault->raised = true;
  va_list args;
  va_start(args, format);
  vsnprintf(fault->text, sizeof fault->text, format, args);
  va_end(args);
  return false;
}
