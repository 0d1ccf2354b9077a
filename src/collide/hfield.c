// A height field is a row of rows of upright triangular prisms, two to a cell, from the base to the
// surface. A geom meets each prism under it as a convex body of its own.
#include "collide/convex.h"
#include "collide/hfield.h"

void collide_hfield(const mjModel* m, const mjData* d, snTouchList* list, int hfield_geom,
                    const snShape* b, double margin) {
  int id = m->geom_dataid[hfield_geom];
  int nrow = m->hfield_nrow[id], ncol = m->hfield_ncol[id];
  const double* size = m->hfield_size + 4 * id;
  const float* data = m->hfield_data + m->hfield_adr[id];
  const double *pos = d->geom_xpos + 3 * hfield_geom, *mat = d->geom_xmat + 9 * hfield_geom;

  // extent of b in the frame of the field
  double low[3], high[3], radius = support_radius(b) + margin;
  int hint = -1;
  for (int i = 0; i < 3; i++) {
    snVec axis = m_axis(mat, i);
    high[i] = v_dot(axis, v_sub(support_core(b, axis, &hint), v_of(pos))) + radius;
    low[i] = v_dot(axis, v_sub(support_core(b, v_neg(axis), &hint), v_of(pos))) - radius;
  }
  // written so that a pose that is not a number is out of reach
  if (!(low[0] <= size[0] && high[0] >= -size[0] && low[1] <= size[1] && high[1] >= -size[1] &&
        low[2] <= size[2] && high[2] >= -size[3])) {
    return;
  }
  double dx = 2 * size[0] / (ncol - 1), dy = 2 * size[1] / (nrow - 1);
  int c0 = (int)floor(fmax(low[0] + size[0], 0) / dx),
      r0 = (int)floor(fmax(low[1] + size[1], 0) / dy);
  int c1 = (int)ceil(fmin(high[0] + size[0], 2 * size[0]) / dx);
  int r1 = (int)ceil(fmin(high[1] + size[1], 2 * size[1]) / dy);
  c1 = c1 > ncol - 1 ? ncol - 1 : c1;
  r1 = r1 > nrow - 1 ? nrow - 1 : r1;

  double point[18];
  snShape prism = {.type = mjGEOM_TRIANGLE, .pos = pos, .mat = mat, .point = point, .npoint = 6};
  for (int r = r0; r < r1; r++) {
    for (int c = c0; c < c1; c++) {
      for (int half = 0; half < 2; half++) {
        // corners (column, row) of the triangle: the diagonal runs from (c, r) to (c + 1, r + 1)
        const int corner[3][2] = {{c, r}, {c + 1, r + 1}, {half ? c + 1 : c, half ? r : r + 1}};
        bool reached = false;
        for (int k = 0; k < 3; k++) {
          double x = dx * corner[k][0] - size[0], y = dy * corner[k][1] - size[1];
          double z = data[corner[k][1] * ncol + corner[k][0]] * size[2];
          v_store(point + 3 * k, v3(x, y, -size[3]));
          v_store(point + 9 + 3 * k, v3(x, y, z));
          reached |= z >= low[2];
        }
        if (reached) collide_convex(m, list, &prism, b, margin, NULL);
        if (list->failed) return;
      }
    }
  }
}
