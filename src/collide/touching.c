// The released sweep over bodies and flexes.
//
// The released engine sweeps over bodies before it looks at geoms. For spheres placed by their
// sizes (grids of particles) rounding in that sweep decides whether there is a contact, and in
// general it decides which hierarchies are gone through (marks.c):
//
//   axes      the rows of the matrix whose columns are the principal axes of all geoms' centers
//             but the world's, and of the vertices of flexes: C = 1/n sum (p - mean)(p - mean)'
//   interval  of a body along an axis: least x.p - r to greatest x.p + r over its geoms,
//             r = geom_rbound + geom_margin; of a flex over its vertices,
//             r = flex_radius + flex_margin
//   first     axis: ends in single precision, sorted; of equal ends those of the body with the
//             lower number come first, so that its end is passed before the other begins
//   others    in double precision; equal ends overlap
//
// Axes of a grid are a permutation, at times scaled by 1 + 1e-15, which parts what touches.
// This was found black-box (tests/parity/test_stages.py, test_spheres_in_a_grid).
#include "collide/cache.h"
#include "collide/narrow.h"

void released_axes(const mjModel* m, const mjData* d, double axes[9]) {
  double mean[3] = {0, 0, 0}, C[9] = {0}, value[3], quat[4];
  int world = m->body_geomnum[0], ngeom = m->ngeom - world, n = ngeom + m->nflexvert;
  const double* geoms = d->geom_xpos + 3 * world;
  for (int i = 0; i < n; i++) {
    const double* p = i < ngeom ? geoms + 3 * i : d->flexvert_xpos + 3 * (i - ngeom);
    for (int k = 0; k < 3; k++) mean[k] += p[k];
  }
  for (int k = 0; k < 3; k++) mean[k] /= n;
  for (int i = 0; i < n; i++) {
    const double* p = i < ngeom ? geoms + 3 * i : d->flexvert_xpos + 3 * (i - ngeom);
    double e[3];
    for (int k = 0; k < 3; k++) e[k] = p[k] - mean[k];
    for (int k = 0; k < 9; k++) C[k] += e[k / 3] * e[k % 3];
  }
  for (int k = 0; k < 9; k++) C[k] /= n;
  mju_eig3(value, axes, quat, C);
}

// Lengthen an interval to n balls of radius r[i * step] + margin[i * step].
static void interval_add(double end[2], const double axis[3], const double* center, int n,
                         const double* r, const double* margin, int step) {
  for (int i = 0; i < n; i++) {
    double x = vec3_dot(axis, center + 3 * i), reach = r[i * step] + margin[i * step];
    end[0] = fmin(end[0], x - reach);
    end[1] = fmax(end[1], x + reach);
  }
}

void released_interval(const mjModel* m, const mjData* d, int item, const double axis[3],
                       double end[2]) {
  end[0] = INFINITY, end[1] = -INFINITY;
  if (item < m->nbody) {
    int g = m->body_geomadr[item], n = m->body_geomnum[item];
    if (n > 0)
      interval_add(end, axis, d->geom_xpos + 3 * g, n, m->geom_rbound + g, m->geom_margin + g, 1);
  } else {
    int f = item - m->nbody;
    interval_add(end, axis, d->flexvert_xpos + 3 * m->flex_vertadr[f], m->flex_vertnum[f],
                 m->flex_radius + f, m->flex_margin + f, 0);
  }
}

bool released_apart(int axis, const double a[2], const double b[2]) {
  if (axis == 0) return (float)a[1] <= (float)b[0] || (float)b[1] < (float)a[0];
  return a[1] < b[0] || b[1] < a[0];
}

bool touching_apart(const mjModel* m, const mjData* d, snTouchAxes* t, int64_t step, int g1,
                    int g2) {
  int b1 = m->geom_bodyid[g1], b2 = m->geom_bodyid[g2];
  if (!b1 || !b2 || b1 == b2 || m->nflex) return false;
  int body[2] = {b1 < b2 ? b1 : b2, b1 < b2 ? b2 : b1};
  if (t->step != step) {
    released_axes(m, d, t->axes);
    t->step = step;
  }
  for (int k = 0; k < 3; k++) {
    double a[2], b[2];
    released_interval(m, d, body[0], t->axes + 3 * k, a);
    released_interval(m, d, body[1], t->axes + 3 * k, b);
    if (released_apart(k, a, b)) return true;
  }
  return false;
}
