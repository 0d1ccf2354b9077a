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

#define PRINT_REAL "%- 9.2g"

// Opens the file; false, with a warning that names function and reason, when it cannot be written.
// A format that is not one for a single floating-point value is replaced, with a warning.
bool print_open(snPrinter* p, const char* function, const char* filename, const char* format);
// Warns when not everything could be written.
void print_close(snPrinter* p, const char* function, const char* filename);

void print_real(const snPrinter* p, mjtNum x);
bool print_is_real(snType type);
void print_element(const snPrinter* p, snType type, const void* array, size_t i);
void print_bytes(const snPrinter* p, size_t bytes);  // in a unit that a reader takes in

#endif
