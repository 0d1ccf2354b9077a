// A height field against a convex shape. The field is a grid of upright triangular prisms, two to a
// cell, from the base to the surface; the shape is tested against each prism under it as against a
// convex shape of its own. A plane test discards prisms whose top the shape is clear of.
#include "collide/convex.h"
#include "collide/hfield.h"
#include "collide/curved_normal.h"

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
  // negated, so that a NaN pose is outside
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

// A vertex of the surface.
static snVec hfield_vertex(const snHfield* f, int col, int row) {
  return v3(f->dx * col - f->size[0], f->dy * row - f->size[1],
            f->data[row * f->ncol + col] * f->size[2]);
}

double hfield_triangle(const snHfield* f, int c, int r, int half, snVec v[3]) {
  // order of a triangle strip along the row: (c, r + 1), (c, r), (c + 1, r + 1), (c + 1, r)
  SN_ASSERT(c >= 0 && c + 1 < f->ncol && r >= 0 && r + 1 < f->nrow && half >= 0 && half <= 1);
  for (int k = 0; k < 3; k++) {
    int at = half + k;
    v[k] = hfield_vertex(f, c + at / 2, r + (at % 2 == 0));
  }
  return fmax(v[0].z, fmax(v[1].z, v[2].z));
}

// Transform the touches from `first` on to the world. A contact has the normal of b's curved
// surface beside the touch, as released. A distance keeps the normal of the search: a deep touch
// may be beside another side of b.
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

// The pose of b in the frame of the field, in which collisions are computed, with the released
// rounding.
static void hfield_local(const snHfield* f, const snShape* b, double pos[3], double mat[9]) {
  v_store(pos, m_mul_t(f->mat, v_sub(v_of(b->pos), v_of(f->pos))));
  for (int k = 0; k < 3; k++) {
    snVec axis = m_mul_t(f->mat, m_axis(b->mat, k));
    mat[k] = axis.x, mat[3 + k] = axis.y, mat[6 + k] = axis.z;
  }
}

// Relative rounding error of positions and extents, an upper bound.
static const double kSlack = 1e-12;

// Distance of a ball's center from a prism, in units of ccd_tolerance, from which the closed
// formula gives the contact of the released search.
static const double kOutside = 100;

// b in the frame of the field.
typedef struct snAbove_ {
  snShape shape;
  double pos[3], mat[9];
  double low[3], high[3];  // its bounding box
  double reach;            // distance from the core of b within which a prism counts
  double left, right;      // its extent along (dy, -dx, 0), normal to the diagonals of cells
  double slack;            // upper bound on rounding errors
  int hint;
} snAbove;

static void hfield_above(const snHfield* f, const snShape* b, double margin, bool nearest,
                         snAbove* a) {
  a->shape = *b;
  a->shape.pos = a->pos, a->shape.mat = a->mat;
  a->hint = -1;
  hfield_local(f, b, a->pos, a->mat);
  // Contacts within a margin, as in the released engine: prisms are higher by the margin, and b is
  // inflated by half of it. The cells are those under b without inflation, and for an element of a
  // flex those under its vertices.
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
  a->slack = kSlack * (s[0] + s[1] + s[2] + s[3] + fabs(a->pos[0]) + fabs(a->pos[1]) +
                       fabs(a->pos[2]) + margin);
}

// Is b certainly clear of a prism: above the plane of its triangle, or beyond the diagonal? `first`
// and `second` are the rises of the surface along x and y.
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
  // with the center inside, the general search gives the released contact
  double outside = list->nearest ? -INFINITY : kOutside * m->opt.ccd_tolerance;
  static const double kPos[3] = {0, 0, 0}, kMat[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double point[18];
  snShape prism = {mjGEOM_HFIELD, kPos, kMat, NULL, NULL, point, 6, 0, raise > 0, NULL, 0};
  for (int r = cell[2]; r < cell[3]; r++) {
    // triangle strip: each cell adds two vertices and two prisms
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
          // the axis that separated b from one prism often separates it from the next
          snAxis axis = memory;
          collide_convex(m, list, &prism, &a.shape, margin, &axis);
          if (axis.known) memory = axis;
        }
        if (list->failed) return;
      }
    }
  }
  list->apart = INFINITY;  // a lower bound on the distance to one prism says nothing of the others
  hfield_place(&f, list, start, b);
}
