// Eigenvalues and eigenvectors of a symmetric 3x3 matrix by Jacobi rotations, accumulated in one
// quaternion.
#include "algebra/algebra.h"

// q = q * (rotation about `axis` with cosine and sine of half its angle)
static void eig3_turn(double q[4], int axis, double c, double s, bool unit) {
  double turn[4] = {c, 0, 0, 0};
  turn[1 + axis] = s;
  quat_mul(q, q, turn);
  if (unit) quat_normalize(q);
}

static void eig3_diagonalize(double D[9], const double q[4], const double mat[9]) {
  double R[9], product[9];
  quat_to_mat(R, q);
  mat3_mulT(product, R, mat);
  mat3_mul(D, product, R);
}

// Eigenvectors of nearly equal eigenvalues depend on rounding. To agree with the released engine,
// quarter turns use sqrt(1/2) to 15 digits as it does, and with `unit` false (models) the
// quaternion is not normalized after them.
enum { EIG3_ITERATIONS = 500 };
static int eig3_jacobi(double eigval[3], double q[4], const double mat[9], bool unit) {
  const double tolerance = 1e-12;  // on off-diagonal entries, and on 1 - cosine of a rotation
  const double quarter = 0.707106781186548;  // cosine and sine of half a quarter turn
  double D[9];
  quat_identity(q);
  int iteration = 0;
  for (;; iteration++) {
    eig3_diagonalize(D, q, mat);
    if (iteration == EIG3_ITERATIONS) break;

    // The largest of |D01|, |D02|, |D12| (the last among equals) gives the plane (i, j) of the
    // rotation and its axis k.
    int i = 0, j = 1, k = 2;
    if (fabs(D[2]) >= fabs(D[3 * i + j])) i = 0, j = 2, k = 1;
    if (fabs(D[5]) >= fabs(D[3 * i + j])) i = 1, j = 2, k = 0;
    double off = D[3 * i + j];
    if (fabs(off) < tolerance) break;

    // The error of an eigenvalue is quadratic in the remaining angle, so eigenvalues are exact long
    // before the angle vanishes. Its tangent is the smaller root of t^2 + 2 tau t - 1 = 0.
    double tau = (D[4 * j] - D[4 * i]) / (2 * off);
    double t = tau >= 0 ? 1 / (tau + sqrt(1 + tau * tau)) : -1 / (-tau + sqrt(1 + tau * tau));
    double c = 1 / sqrt(1 + t * t);
    if (c > 1 - tolerance) break;
    double half_sine = sqrt(0.5 * (1 - c));
    double sign = (tau >= 0) == (k == 1) ? 1 : -1;  // about y the plane (x, z) turns backwards
    eig3_turn(q, k, sqrt(1 - half_sine * half_sine), sign * half_sine, true);
  }

  // Quarter turns bring the eigenvalues into decreasing order.
  double value[3] = {D[0], D[4], D[8]};
  for (int pass = 0; pass < 3; pass++) {
    int i = pass % 2;
    if (value[i] + tolerance < value[i + 1]) {
      double swap = value[i];
      value[i] = value[i + 1];
      value[i + 1] = swap;
      eig3_turn(q, (i + 2) % 3, quarter, quarter, unit);
    }
  }

  vec3_copy(eigval, value);
  return iteration;
}

int mju_eig3(mjtNum eigval[3], mjtNum eigvec[9], mjtNum quat[4], const mjtNum mat[9]) {
  double value[3], q[4];
  int iterations = eig3_jacobi(value, q, mat, true);
  vec3_copy(eigval, value);
  quat_copy(quat, q);
  quat_to_mat(eigvec, q);
  return iterations;
}

void eig3_axes(double eigval[3], double quat[4], const double mat[9]) {
  eig3_jacobi(eigval, quat, mat, false);
}
