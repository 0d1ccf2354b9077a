// The broad phase of spheres that touch to within rounding.
//
// The released engine sweeps over bodies before it looks at geoms. For spheres placed by their
// sizes (grids of particles) rounding in that sweep decides whether there is a contact:
//
//   axes      the rows of the matrix whose columns are the principal axes of all geoms' centers
//             but the world's: C = 1/n sum (p - mean)(p - mean)'
//   interval  of a body along an axis: least x.p - r to greatest x.p + r over its geoms,
//             r = geom_rbound + geom_margin
//   first     axis: ends in single precision, sorted; of equal ends those of the body with the
//             lower number come first, so that its end is passed before the other begins
//   others    in double precision; equal ends overlap
//
// Axes of a grid are a permutation, at times scaled by 1 + 1e-15, which parts what touches.
// This was found black-box (tests/parity/test_stages.py, test_spheres_in_a_grid).
#include "collide/cache.h"
#include "collide/narrow.h"

// Principal axes of the geoms' centers, once a step.
static const double* principal_axes(const mjModel* m, const mjData* d, snTouchAxes* t,
                                    int64_t step) {
  if (t->step == step) return t->axes;
  double mean[3] = {0, 0, 0}, C[9] = {0}, value[3], quat[4];
  int world = m->body_geomnum[0], n = m->ngeom - world;
  for (int g = world; g < m->ngeom; g++) {
    for (int k = 0; k < 3; k++) mean[k] += d->geom_xpos[3 * g + k];
  }
  for (int k = 0; k < 3; k++) mean[k] /= n;
  for (int g = world; g < m->ngeom; g++) {
    double e[3];
    for (int k = 0; k < 3; k++) e[k] = d->geom_xpos[3 * g + k] - mean[k];
    for (int k = 0; k < 9; k++) C[k] += e[k / 3] * e[k % 3];
  }
  for (int k = 0; k < 9; k++) C[k] /= n;
  mju_eig3(value, t->axes, quat, C);
  t->step = step;
  return t->axes;
}

// The interval of a body along an axis.
static void body_interval(const mjModel* m, const mjData* d, int body, const double axis[3],
                          double end[2]) {
  end[0] = INFINITY, end[1] = -INFINITY;
  int first = m->body_geomadr[body], behind = first + m->body_geomnum[body];
  for (int g = first; g < behind; g++) {
    double x = vec3_dot(axis, d->geom_xpos + 3 * g), r = m->geom_rbound[g] + m->geom_margin[g];
    end[0] = fmin(end[0], x - r);
    end[1] = fmax(end[1], x + r);
  }
}

bool touching_apart(const mjModel* m, const mjData* d, snTouchAxes* t, int64_t step, int g1,
                    int g2) {
  int b1 = m->geom_bodyid[g1], b2 = m->geom_bodyid[g2];
  if (!b1 || !b2 || b1 == b2 || m->nflex) return false;
  int body[2] = {b1 < b2 ? b1 : b2, b1 < b2 ? b2 : b1};
  const double* axes = principal_axes(m, d, t, step);
  for (int k = 0; k < 3; k++) {
    double a[2], b[2];
    body_interval(m, d, body[0], axes + 3 * k, a);
    body_interval(m, d, body[1], axes + 3 * k, b);
    if (k == 0 && ((float)a[1] <= (float)b[0] || (float)b[1] < (float)a[0])) return true;
    if (k > 0 && (a[1] < b[0] || b[1] < a[0])) return true;
  }
  return false;
}
