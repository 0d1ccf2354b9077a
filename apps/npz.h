// NPZ archives, as numpy.load reads them.
#ifndef SINEW_APPS_NPZ_H_
#define SINEW_APPS_NPZ_H_

#include <stdbool.h>
#include <stdio.h>

enum { NPZ_MOST = 16 };

typedef struct NpzArray_ {
  const char* name;  // at most 11 characters
  long rows;
  int columns;
  bool vector;  // of shape (rows,), with one column
  long stride;  // numbers from row to row
  const double* data;
} NpzArray;

// At most NPZ_MOST arrays. False when the archive would be too large or could not be written.
bool npz_write(FILE* f, const NpzArray* array, int n);

#endif
