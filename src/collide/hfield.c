// A height field is a row of rows of upright triangular prisms, two to a cell, from the base to the
// surface. A geom meets each prism under it as a convex body of its own.
#include "collide/convex.h"
#include "collide/hfield.h"

snHfield hfield_of(const mjModel* m, const mjData* d, int geom) {
  int id = m->geom_dataid[geom], nrow = m->hfield_nrow[id], ncol = m->hfield_ncol[id];
  const double* size = m->hfield_size + 4 * id;
  return (snHfield){nrow,
                    ncol,
                    size,
                    d->geom_xpos + 3 * geom,
                    d->geom_xmat + 9 * geom,
                    m->hfield_data + m->hfield_adr[id],
                    2 * size[0] / (ncol - 1),
                    2 * size[1] / (nrow - 1)};
}

bool hfield_cells(const snHfield* f, const double low[3], const double high[3], int cell[4]) {
  const double* size = f->size;
  // written so that a pose that is not a number is out of reach
  if (!(low[0] <= size[0] && high[0] >= -size[0] && low[1] <= size[1] && high[1] >= -size[1] &&
        low[2] <= size[2] && high[2] >= -size[3])) {
    return false;
  }
  const int most[2] = {f->ncol - 1, f->nrow - 1};
  const double step[2] = {f->dx, f->dy};
  for (int i = 0; i < 2; i++) {
    cell[2 * i] = (int)floor(fmax(low[i] + size[i], 0) / step[i]);
    int end = (int)ceil(fmin(high[i] + size[i], 2 * size[i]) / step[i]);
    cell[2 * i + 1] = end > most[i] ? most[i] : end;
  }
  return true;
}

double hfield_triangle(const snHfield* f, int c, int r, int half, snVec v[3]) {
  const int corner[3][2] = {{c, r}, {c + 1, r + 1}, {half ? c + 1 : c, half ? r : r + 1}};
  double highest = -INFINITY;
  for (int k = 0; k < 3; k++) {
    double z = f->data[corner[k][1] * f->ncol + corner[k][0]] * f->size[2];
    v[k] = v3(f->dx * corner[k][0] - f->size[0], f->dy * corner[k][1] - f->size[1], z);
    highest = z > highest ? z : highest;
  }
  return highest;
}

void collide_hfield(const mjModel* m, const mjData* d, snTouchList* list, int hfield_geom,
                    const snShape* b, double margin) {
  snHfield f = hfield_of(m, d, hfield_geom);

  // extent of b in the frame of the field
  double low[3], high[3], radius = support_radius(b) + margin;
  int hint = -1, cell[4];
  for (int i = 0; i < 3; i++) {
    snVec axis = m_axis(f.mat, i);
    high[i] = v_dot(axis, v_sub(support_core(b, axis, &hint), v_of(f.pos))) + radius;
    low[i] = v_dot(axis, v_sub(support_core(b, v_neg(axis), &hint), v_of(f.pos))) - radius;
  }
  if (!hfield_cells(&f, low, high, cell)) return;

  double point[18];
  snShape prism = {
      .type = mjGEOM_TRIANGLE, .pos = f.pos, .mat = f.mat, .point = point, .npoint = 6};
  for (int r = cell[2]; r < cell[3]; r++) {
    for (int c = cell[0]; c < cell[1]; c++) {
      for (int half = 0; half < 2; half++) {
        snVec v[3];
        if (!(hfield_triangle(&f, c, r, half, v) >= low[2])) continue;
        for (int k = 0; k < 3; k++) {
          v_store(point + 3 * k, v3(v[k].x, v[k].y, -f.size[3]));
          v_store(point + 9 + 3 * k, v[k]);
        }
        collide_convex(m, list, &prism, b, margin, NULL);
        if (list->failed) return;
      }
    }
  }
}
