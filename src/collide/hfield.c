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

// A point of the surface.
static snVec hfield_vertex(const snHfield* f, int col, int row) {
  return v3(f->dx * col - f->size[0], f->dy * row - f->size[1],
            f->data[row * f->ncol + col] * f->size[2]);
}

double hfield_triangle(const snHfield* f, int c, int r, int half, snVec v[3]) {
  // a strip along the row: (c, r + 1), (c, r), (c + 1, r + 1), (c + 1, r)
  for (int k = 0; k < 3; k++) {
    int at = half + k;
    v[k] = hfield_vertex(f, c + at / 2, r + (at % 2 == 0));
  }
  return fmax(v[0].z, fmax(v[1].z, v[2].z));
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

// What is known of b in the frame of the field before any prism is met.
typedef struct snAbove_ {
  snShape shape;
  double pos[3], mat[9];
  double low[3], high[3];  // its extent
  double reach;            // how far a prism is met beyond the core of b
  double left, right;      // its extent along (dy, -dx, 0), across the diagonals of cells
  double slack;            // more than rounding makes of any of this
  int hint;
} snAbove;

static void hfield_above(const snHfield* f, const snShape* b, double margin, bool nearest,
                         snAbove* a) {
  a->shape = *b;
  a->shape.pos = a->pos, a->shape.mat = a->mat;
  a->hint = -1;
  hfield_local(f, b, a->pos, a->mat);
  // Contacts within a margin are those with prisms as much higher, and with half of it around b:
  // the released engine's. Its cells are those under b without it, and of an element of a flex
  // those under its vertices.
  double radius = support_radius(b) + (nearest ? margin : 0);
  bool ball = b->type == mjGEOM_SPHERE;
  for (int i = 0; i < 3; i++) {
    snVec axis = v3(i == 0, i == 1, i == 2);
    double far = ball ? a->pos[i] : v_get(support_core(&a->shape, axis, &a->hint), i);
    double near = ball ? a->pos[i] : v_get(support_core(&a->shape, v_neg(axis), &a->hint), i);
    a->high[i] = far + radius;
    a->low[i] = near - radius;
  }
  if (!nearest) a->low[2] -= margin, a->high[2] += margin;

  a->reach = support_around(b) + (nearest ? margin : 0.5 * margin);
  snVec across = v3(f->dy, -f->dx, 0);
  double far = a->reach * v_norm(across);
  a->right = v_dot(across, support_core(&a->shape, across, &a->hint)) + far;
  a->left = v_dot(across, support_core(&a->shape, v_neg(across), &a->hint)) - far;
  const double* s = f->size;
  a->slack = 1e-12 * (s[0] + s[1] + s[2] + s[3] + fabs(a->pos[0]) + fabs(a->pos[1]) +
                      fabs(a->pos[2]) + margin);
}

// Surely apart: is b above the plane of the triangle, or beyond the diagonal? `first` and `second`
// are the rises of the surface along x and y.
static bool prism_apart(const snHfield* f, snAbove* a, snVec on, double first, double second,
                        int half) {
  double diagonal = f->dy * on.x - f->dx * on.y, slack = a->slack * (f->dx + f->dy);
  if (half ? a->right < diagonal - slack : a->left > diagonal + slack) return true;
  snVec n = v3(-first * f->dy, -second * f->dx, f->dx * f->dy);
  bool ball = a->shape.type == mjGEOM_SPHERE;
  snVec p = ball ? v_of(a->pos) : support_core(&a->shape, v_neg(n), &a->hint);
  double gap = v_dot(n, v_sub(p, on));
  if (!(gap > 0)) return false;
  double far = a->reach + a->slack;
  return gap * gap > far * far * v_norm2(n);
}

void collide_hfield(const mjModel* m, const mjData* d, snTouchList* list, int hfield_geom,
                    const snShape* b, double margin) {
  snHfield f = hfield_of(m, d, hfield_geom);
  double raise = list->nearest ? 0 : margin;
  snAbove a;
  int cell[4], start = list->n;
  hfield_above(&f, b, margin, list->nearest, &a);
  if (!hfield_cells(&f, a.low, a.high, cell)) return;

  snAxis memory = {0};
  bool native = !(m->opt.disableflags & mjDSBL_NATIVECCD) || list->nearest;
  bool ball = native && b->type == mjGEOM_SPHERE;
  double extra = list->nearest ? margin : 0;
  // a center inside has the contact that the released search ends with
  double outside = list->nearest ? -INFINITY : 100 * m->opt.ccd_tolerance;
  static const double kPos[3] = {0, 0, 0}, kMat[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double point[18];
  snShape prism = {mjGEOM_HFIELD, kPos, kMat, NULL, NULL, point, 6, 0, raise > 0, NULL, 0};
  for (int r = cell[2]; r < cell[3]; r++) {
    // a strip: two more vertices and two prisms per cell
    snVec v[4];
    v[2] = hfield_vertex(&f, cell[0], r + 1), v[3] = hfield_vertex(&f, cell[0], r);
    for (int c = cell[0]; c < cell[1]; c++) {
      v[0] = v[2], v[1] = v[3];
      v[2] = hfield_vertex(&f, c + 1, r + 1), v[3] = hfield_vertex(&f, c + 1, r);
      for (int half = 0; half < 2; half++) {
        const snVec* t = v + half;
        if (!(t[0].z >= a.low[2] || t[1].z >= a.low[2] || t[2].z >= a.low[2])) continue;
        snVec on = v3(v[1].x, v[1].y, v[1].z + raise);
        double first = half ? v[3].z - v[1].z : v[2].z - v[0].z;
        double second = half ? v[2].z - v[3].z : v[0].z - v[1].z;
        if (prism_apart(&f, &a, on, first, second, half)) continue;
        for (int k = 0; k < 3; k++) {
          v_store(point + 3 * k, v3(t[k].x, t[k].y, -f.size[3]));
          v_store(point + 9 + 3 * k, v3(t[k].x, t[k].y, t[k].z + raise));
        }
        bool done =
            ball && collide_prism_ball(list, point, v_of(a.pos), a.reach - extra, extra, outside);
        if (!done) {
          // what parted b from a prism may part it from the next
          snAxis axis = memory;
          collide_convex(m, list, &prism, &a.shape, margin, &axis);
          if (axis.known) memory = axis;
        }
        if (list->failed) return;
      }
    }
  }
  list->apart = INFINITY;  // what is known of one prism is not known of the field
  hfield_place(&f, list, start, b);
}
