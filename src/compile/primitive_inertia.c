// Mass and inertia of primitive geoms, solid or shell, and sums of inertias. Formulas are those of
// homogeneous bodies; shells have uniform thickness.
#include <math.h>

#include "compile/compile.h"

// Surface of an ellipsoid by Thomsen's approximation, within about 1% of the exact value.
static double ellipsoid_area(const double s[3]) {
  const double p = 1.6075;
  double ab = sn_pow(s[0] * s[1], p), bc = sn_pow(s[1] * s[2], p), ca = sn_pow(s[2] * s[0], p);
  return 4 * mjPI * sn_pow((ab + bc + ca) / 3, 1 / p);
}

// Volume, or surface area of a shell; 0 for shapes without either.
double volume_of_primitive(int type, const double s[3], bool shell) {
  switch (type) {
    case mjGEOM_SPHERE:
      return shell ? 4 * mjPI * s[0] * s[0] : 4 * mjPI * s[0] * s[0] * s[0] / 3;
    case mjGEOM_CAPSULE: {
      double height = 2 * s[1];
      return shell ? 4 * mjPI * s[0] * s[0] + 2 * mjPI * s[0] * height
                   : mjPI * (s[0] * s[0] * height + 4 * s[0] * s[0] * s[0] / 3);
    }
    case mjGEOM_CYLINDER: {
      double height = 2 * s[1];
      return shell ? 2 * mjPI * s[0] * s[0] + 2 * mjPI * s[0] * height
                   : mjPI * s[0] * s[0] * height;
    }
    case mjGEOM_ELLIPSOID:
      return shell ? ellipsoid_area(s) : 4 * mjPI * s[0] * s[1] * s[2] / 3;
    case mjGEOM_BOX:
    case mjGEOM_HFIELD:
      return shell ? 8 * (s[0] * s[1] + s[1] * s[2] + s[2] * s[0]) : s[0] * s[1] * s[2] * 8;
    default:
      return 0;
  }
}

static void sphere(double m, const double s[3], bool shell, double I[3]) {
  I[0] = I[1] = I[2] = 2 * m * s[0] * s[0] / (shell ? 3 : 5);
}

// A cylinder and two hemispheres, which share the mass by volume or area.
static void capsule(double m, const double s[3], bool shell, double I[3]) {
  double r = s[0], h = 2 * s[1];
  if (shell) {
    // areas: 2 pi r h of the side, 4 pi r^2 of the caps
    double side = m * h / (h + 2 * r), caps = m - side;
    I[0] = I[1] = side * (6 * r * r + h * h) / 12;
    I[2] = side * r * r;
    // hemispherical shell: 2/3 m r^2 about the sphere's center, com at r/2 from it
    I[2] += caps * 2 * r * r / 3;
    double across = caps * 2 * r * r / 3 + caps * h * (r + h / 2) / 2;
    I[0] += across;
    I[1] += across;
    return;
  }
  double ball = m * 4 * r / (4 * r + 3 * h), side = m - ball;
  I[0] = I[1] = side * (3 * r * r + h * h) / 12;
  I[2] = side * r * r / 2;
  double about = 2 * ball * r * r / 5;
  I[0] += about + ball * h * (3 * r + 2 * h) / 8;
  I[1] += about + ball * h * (3 * r + 2 * h) / 8;
  I[2] += about;
}

static void cylinder(double m, const double s[3], bool shell, double I[3]) {
  double r = s[0], h = 2 * s[1];
  if (shell) {
    // two discs and a side, by area
    double disc = m * r / (2 * (r + h)), side = m - 2 * disc;
    I[0] = I[1] = 2 * disc * (r * r / 4 + h * h / 4) + side * (6 * r * r + h * h) / 12;
    I[2] = disc * r * r + side * r * r;
    return;
  }
  I[0] = I[1] = m * (3 * r * r + h * h) / 12;
  I[2] = m * r * r / 2;
}

// Shell: the difference of two similar ellipsoids, one slightly larger.
static void ellipsoid(double m, const double s[3], bool shell, double I[3]) {
  if (!shell) {
    for (int i = 0; i < 3; i++) {
      double a = s[(i + 1) % 3], b = s[(i + 2) % 3];
      I[i] = m * (a * a + b * b) / 5;
    }
    return;
  }
  const double thickness = 1e-6;  // in meters
  double large[3] = {s[0] + thickness, s[1] + thickness, s[2] + thickness};
  double v0 = volume_of_primitive(mjGEOM_ELLIPSOID, s, false);
  double v1 = volume_of_primitive(mjGEOM_ELLIPSOID, large, false);
  double density = m / (v1 - v0), I0[3], I1[3];
  ellipsoid(v0, s, false, I0);
  ellipsoid(v1, large, false, I1);
  for (int i = 0; i < 3; i++) I[i] = density * (I1[i] - I0[i]);
}

static void box(double m, const double s[3], bool shell, double I[3]) {
  for (int i = 0; i < 3; i++) {
    double a = s[(i + 1) % 3], b = s[(i + 2) % 3], l = s[i];
    if (!shell) {
      I[i] = m * (a * a + b * b) / 3;
      continue;
    }
    // plates: two faces normal to axis i (area 4ab each), two normal to a (4bl), two normal to b
    // (4al)
    double area = 8 * (a * b + b * l + a * l);
    double mi = m * 8 * a * b / area, ma = m * 8 * b * l / area, mb = m * 8 * a * l / area;
    I[i] = mi * (a * a + b * b) / 3 + ma * (a * a + b * b / 3) + mb * (b * b + a * a / 3);
  }
}

// mass NaN: computed from the density
void inertia_of_primitive(const snElement* e, bool shell, double density, double mass,
                          double* out_mass, double I[3]) {
  const mjsGeom* g = &e->u.geom;
  double m = isnan(mass) ? density * volume_of_primitive(g->type, g->size, shell) : mass;
  *out_mass = m;
  vec3_zero(I);
  switch ((int)g->type) {
    case mjGEOM_SPHERE:
      sphere(m, g->size, shell, I);
      break;
    case mjGEOM_CAPSULE:
      capsule(m, g->size, shell, I);
      break;
    case mjGEOM_CYLINDER:
      cylinder(m, g->size, shell, I);
      break;
    case mjGEOM_ELLIPSOID:
      ellipsoid(m, g->size, shell, I);
      break;
    case mjGEOM_BOX:
    case mjGEOM_HFIELD:  // the box of its mean height
      box(m, g->size, shell, I);
      break;
    default:
      *out_mass = 0;
  }
}

// I = I + R diag R' + m (|d|^2 1 - d d'), term by term as released, because the principal axes of a
// nearly symmetric body depend on rounding.
void inertia_sum(double full[6], const double diagonal[3], const double quat[4], const double d[3],
                 double m) {
  double R[9], S[9];
  quat_to_mat(R, quat);
  for (int i = 0; i < 9; i++) S[i] = R[i] * diagonal[i % 3];
  static const int row[6] = {0, 1, 2, 1, 2, 2}, column[6] = {0, 1, 2, 0, 0, 1};
  for (int k = 0; k < 6; k++) full[k] += vec3_dot(S + 3 * row[k], R + 3 * column[k]);
  full[0] += m * (d[1] * d[1] + d[2] * d[2]);
  full[1] += m * (d[0] * d[0] + d[2] * d[2]);
  full[2] += m * (d[0] * d[0] + d[1] * d[1]);
  full[3] -= m * d[0] * d[1];
  full[4] -= m * d[0] * d[2];
  full[5] -= m * d[1] * d[2];
}

// Eigenvalues in decreasing order and their frame; false when one is not positive.
bool principal_inertia(const double full[6], double inertia[3], double quat[4]) {
  double mat[9] = {full[0], full[3], full[4], full[3], full[1], full[5], full[4], full[5], full[2]};
  eig3_axes(inertia, quat, mat);
  return inertia[2] > mjMINVAL;
}
