// Dense matrices of linear systems: eigenvalues and the linear-quadratic regulator. Row-major.
#ifndef SINEW_APPS_MATRIX_H_
#define SINEW_APPS_MATRIX_H_

#include <complex.h>
#include <stdbool.h>

// Eigenvalues of A (n x n), the largest first. False without memory or when they do not settle.
bool matrix_eigenvalues(const double* A, int n, double complex* z);

// The gain K (nu x n) of u = -K x that minimizes the sum of q x'x + r u'u along x' = A x + B u.
// False without memory, or when nothing that B reaches keeps x from growing.
bool matrix_regulate(const double* A, const double* B, int n, int nu, double q, double r,
                     double* K);

#endif
