// What an ellipsoid moves of the fluid around it: added mass and added inertia (Tuckerman 1925).
#include <math.h>

#include "compile/compile.h"

// Carlson's R_D(x, y, z) by duplication: 3/2 of the integral over [0, inf) of
// dt / (sqrt((t+x)(t+y)) (t+z)^(3/2)).
static double carlson_rd(double x, double y, double z) {
  double sum = 0, factor = 1;
  for (int i = 0; i < 60; i++) {
    double sx = sqrt(x), sy = sqrt(y), sz = sqrt(z);
    double lambda = sx * sy + sy * sz + sz * sx;
    sum += factor / (sz * (z + lambda));
    factor /= 4;
    x = (x + lambda) / 4;
    y = (y + lambda) / 4;
    z = (z + lambda) / 4;
    double mean = (x + y + 3 * z) / 5;
    double dx = 1 - x / mean, dy = 1 - y / mean, dz = 1 - z / mean;
    double worst = fmax(fabs(dx), fmax(fabs(dy), fabs(dz)));
    if (worst > 1e-3) continue;
    double ea = dx * dy, eb = dz * dz, ec = ea - eb, ed = ea - 6 * eb, ee = ed + 2 * ec;
    double series = 1 + ed * (-3.0 / 14 + 9.0 / 88 * ed - 9.0 / 52 * dz * ee) +
                    dz * (ee / 6 + dz * (-9.0 / 22 * ec + dz * 3.0 / 26 * ea));
    return 3 * sum + factor * series / (mean * sqrt(mean));
  }
  return 3 * sum;
}

// kappa_i = r_i r_j r_k int_0^inf dl / sqrt((r_i^2 + l)^3 (r_j^2 + l) (r_k^2 + l))
static double kappa(const double r[3], int i) {
  int j = (i + 1) % 3, k = (i + 2) % 3;
  return 2.0 / 3 * r[0] * r[1] * r[2] * carlson_rd(r[j] * r[j], r[k] * r[k], r[i] * r[i]);
}

void fluid_coefficients(mjtNum fluid[mjNFLUID], const mjsGeom* g) {
  if (!(g->fluid_ellipsoid > 0)) return;
  double r[3];
  switch ((int)g->type) {
    case mjGEOM_SPHERE: vec3_set(r, g->size[0], g->size[0], g->size[0]); break;
    case mjGEOM_CAPSULE: vec3_set(r, g->size[0], g->size[0], g->size[1] + g->size[0]); break;
    case mjGEOM_CYLINDER: vec3_set(r, g->size[0], g->size[0], g->size[1]); break;
    default: vec3_copy(r, g->size);
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
    fluid[9 + i] = volume * (rj - rl) * (rj - rl) * fabs(k[l] - k[j]) /
                   fmax(mjMINVAL, denominator) / 5;
  }
}
