// A height field is a row of rows of upright triangular prisms, two to a cell, from the base to the
// surface. A geom meets each prism under it as a convex body of its own.
#include "collide/convex.h"
#include "collide/hfield.h"
#include "collide/normal.h"

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
  // a strip along the row: (c, r + 1), (c, r), (c + 1, r + 1), (c + 1, r)
  double highest = -INFINITY;
  for (int k = 0; k < 3; k++) {
    int at = half + k, col = c + at / 2, row = r + (at % 2 == 0);
    double z = f->data[row * f->ncol + col] * f->size[2];
    v[k] = v3(f->dx * col - f->size[0], f->dy * row - f->size[1], z);
    highest = z > highest ? z : highest;
  }
  return highest;
}

// Touches from `first` on go from the frame of the field to the world. The normal is that of the
// curved surface of b; deep inside, what is beside a touch may be another side of b, whose normal
// is none of the contact.
static void hfield_place(const snHfield* f, snTouchList* list, int first, const snShape* b) {
  for (int i = first; i < list->n; i++) {
    snTouch* t = list->touch + i;
    t->pos = v_add(m_mul(f->mat, t->pos), v_of(f->pos));
    t->normal = m_mul(f->mat, t->normal);
    if (list->nearest) continue;
    snVec n = v_neg(normal_curved(b, t->pos, v_neg(t->normal)));
    if (v_norm2(n) > 0) t->normal = n;
  }
}

// Collisions take place in the frame of the field, with b moved there: the released rounding.
static void hfield_local(const snHfield* f, const snShape* b, double pos[3], double mat[9]) {
  v_store(pos, m_mul_t(f->mat, v_sub(v_of(b->pos), v_of(f->pos))));
  for (int k = 0; k < 3; k++) {
    snVec axis = m_mul_t(f->mat, m_axis(b->mat, k));
    mat[k] = axis.x, mat[3 + k] = axis.y, mat[6 + k] = axis.z;
  }
}

void collide_hfield(const mjModel* m, const mjData* d, snTouchList* list, int hfield_geom,
                    const snShape* b, double margin) {
  snHfield f = hfield_of(m, d, hfield_geom);
  double pos[3], mat[9];
  snShape local = *b;
  local.pos = pos, local.mat = mat;
  hfield_local(&f, b, pos, mat);

  // Contacts within a margin are those with prisms as much higher, and with half of it around b:
  // the released engine's. Its cells are those under b without it.
  double raise = list->nearest ? 0 : margin;
  double low[3], high[3], radius = support_around(b) + margin - raise;
  int hint = -1, cell[4];
  for (int i = 0; i < 3; i++) {
    snVec axis = v3(i == 0, i == 1, i == 2);
    high[i] = v_get(support_core(&local, axis, &hint), i) + radius;
    low[i] = v_get(support_core(&local, v_neg(axis), &hint), i) - radius;
  }
  low[2] -= raise, high[2] += raise;
  if (!hfield_cells(&f, low, high, cell)) return;

  static const double kPos[3] = {0, 0, 0}, kMat[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double point[18];
  snShape prism = {.type = mjGEOM_HFIELD,
                   .pos = kPos,
                   .mat = kMat,
                   .point = point,
                   .npoint = 6,
                   .raised = raise > 0};
  int first = list->n;
  for (int r = cell[2]; r < cell[3]; r++) {
    for (int c = cell[0]; c < cell[1]; c++) {
      for (int half = 0; half < 2; half++) {
        snVec v[3];
        if (!(hfield_triangle(&f, c, r, half, v) >= low[2])) continue;
        for (int k = 0; k < 3; k++) {
          v_store(point + 3 * k, v3(v[k].x, v[k].y, -f.size[3]));
          v_store(point + 9 + 3 * k, v3(v[k].x, v[k].y, v[k].z + raise));
        }
        collide_convex(m, list, &prism, &local, margin, NULL);
        if (list->failed) return;
      }
    }
  }
  hfield_place(&f, list, first, b);
}
