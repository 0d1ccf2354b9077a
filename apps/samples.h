// Single dual problems, recorded from motion and kept in files. docs/solvers-benchmark.md describes
// the format.
#ifndef SINEW_APPS_SAMPLES_H_
#define SINEW_APPS_SAMPLES_H_

#include "maximal/maximal.h"

typedef enum Category_ {
  kIndependentJoints,
  kRedundantJoints,
  kDenseJoints,
  kSingleContact,
  kSparseContacts,
  kDenseContacts,
  kDenseConstraints,
  kCategories
} Category;

extern const char* const category_names[kCategories];

typedef struct Sample_ {
  char system[16], scenario[16];
  double time, step, inertia;
  int n, nblock, nbody;
  snDualBlock* block;
  double *v_free, *R, *error, *bias;  // (n)
  double* start;                      // (n) impulses of the step before, for rows that had any
  double* D;                          // (n x n)
  // found by sample_examine
  int njoint, ncontact, njointrow;
  int rank;  // of the rows of joints
  double condition;
  int category;
} Sample;

typedef struct Samples_ {
  int n, room;
  Sample* at;
} Samples;

// A copy of the current dual problem; false without memory.
bool samples_add(Samples* s, const char* system, const char* scenario, const snMaximal* x,
                 const snRows* r, const snDual* p);
bool samples_write(const Samples* s, const char* path);  // false after a message on stderr
bool samples_read(Samples* s, const char* path);
void samples_free(Samples* s);

// Rank, condition number (of the nonzero spectrum) and category.
bool sample_examine(Sample* s);

// Eigenvalues of a symmetric matrix, ascending; a (n x n) is overwritten, e is scratch of n
// numbers.
void symmetric_eigenvalues(double* a, int n, double* values, double* e);

#endif
