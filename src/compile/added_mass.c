// Added mass and added inertia of an ellipsoid in a fluid, by virtual inertia coefficients
// (Tuckerman 1925), for the ellipsoid fluid model.
#include <math.h>

#include "compile/compile.h"

// kappa_i = r_i r_j r_k int_0^inf dl / sqrt((r_i^2 + l)^3 (r_j^2 + l) (r_k^2 + l))
// by 15-point Gauss-Kronrod quadrature over x in [0, 1], l = s x^3 / (1 - x)^2, with
// s = (r_i^3 r_j r_k)^(2/5) the scale of the integrand. Nodes and weights have eight decimals, as
// the documented coefficients were computed with; the result is good to 1e-6.
static double kappa(const double r[3], int i) {
  static const double node[15] = {0.00427231, 0.02544604, 0.06756779, 0.12923441, 0.20695638,
                                  0.29707742, 0.39610752, 0.50000000, 0.60389248, 0.70292258,
                                  0.79304362, 0.87076559, 0.93243221, 0.97455396, 0.99572769};
  static const double weight[15] = {0.01146766, 0.03154605, 0.05239501, 0.07032663, 0.08450236,
                                    0.09517529, 0.10221647, 0.10474107, 0.10221647, 0.09517529,
                                    0.08450236, 0.07032663, 0.05239501, 0.03154605, 0.01146766};
  int j = (i + 1) % 3, k = (i + 2) % 3;
  double ri = r[i] * r[i], rj = r[j] * r[j], rk = r[k] * r[k], sum = 0;
  double scale = sn_pow(r[i] * ri * r[j] * r[k], 0.4);
  for (int n = 0; n < 15; n++) {
    double x = node[n], y = 1 - x;
    double lambda = scale * x * x * x / (y * y), slope = scale * x * x * (3 - x) / (y * y * y);
    double a = ri + lambda, b = (rj + lambda) * (rk + lambda);
    sum += weight[n] * slope / (a * sqrt(a * b));
  }
  return r[0] * r[1] * r[2] * sum;
}

void fluid_coefficients(mjtNum fluid[mjNFLUID], const mjsGeom* g) {
  if (!(g->fluid_ellipsoid > 0)) return;
  double r[3];
  switch ((int)g->type) {
    case mjGEOM_SPHERE:
      vec3_set(r, g->size[0], g->size[0], g->size[0]);
      break;
    case mjGEOM_CAPSULE:
      vec3_set(r, g->size[0], g->size[0], g->size[1] + g->size[0]);
      break;
    case mjGEOM_CYLINDER:
      vec3_set(r, g->size[0], g->size[0], g->size[1]);
      break;
    default:
      vec3_copy(r, g->size);
  }
  double volume = 4 * mjPI / 3 * r[0] * r[1] * r[2];
  double k[3] = {kappa(r, 0), kappa(r, 1), kappa(r, 2)};
  fluid[0] = g->fluid_ellipsoid;
  for (int i = 0; i < 5; i++) fluid[1 + i] = g->fluid_coefs[i];
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, l = (i + 2) % 3;
    double rj = r[j] * r[j], rl = r[l] * r[l];
    double denominator = fabs(2 * (rj - rl) + (rj + rl) * (k[j] - k[l]));
    fluid[6 + i] = volume * k[i] / fmax(mjMINVAL, 2 - k[i]);
    fluid[9 + i] =
        volume * (rj - rl) * (rj - rl) * fabs(k[l] - k[j]) / fmax(mjMINVAL, denominator) / 5;
  }
}
