// Text dumps of structs from the schema.
#ifndef SINEW_MODEL_PRINT_H_
#define SINEW_MODEL_PRINT_H_

#include <stdio.h>

#include "model/schema.h"

// Where a dump goes and how it writes a real number.
typedef struct snPrinter_ {
  FILE* file;
  const char* real;  // a checked format for one double
} snPrinter;

// Opens the file; false, with a warning that names function and reason, when the file cannot be
// written or the format is not one for a single floating-point value.
bool print_open(snPrinter* p, const char* function, const char* filename, const char* format);
// Warns when not everything could be written.
void print_close(snPrinter* p, const char* function, const char* filename);

// One element, with a space in front.
void print_element(snPrinter* p, snType type, const void* array, size_t i);
// Name and values of a member on one line; a member that is a lone zero is left out when asked.
void print_member(snPrinter* p, const void* base, const snMember* f, bool skip_zero);

#endif
