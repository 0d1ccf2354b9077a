// Text dumps of structs from the schema.
#ifndef SINEW_MODEL_PRINT_H_
#define SINEW_MODEL_PRINT_H_

#include <stdio.h>

#include "model/schema.h"

// Output file of a dump, and its format of real numbers.
typedef struct snPrinter_ {
  FILE* file;
  const char* real;  // format of one double, checked by print_open
} snPrinter;

#define PRINT_REAL "%- 9.2g"

// Opens the file; false, and a warning with function and reason, when it cannot be written. A
// format that is not one for a single double is replaced by the default, with a warning.
bool print_open(snPrinter* p, const char* function, const char* filename, const char* format);
// Closes the file; warns when something could not be written.
void print_close(snPrinter* p, const char* function, const char* filename);

void print_real(const snPrinter* p, mjtNum x);
bool print_is_real(snType type);
void print_element(const snPrinter* p, snType type, const void* array, size_t i);
void print_bytes(const snPrinter* p, size_t bytes);  // with a unit: K, M, G

#endif
