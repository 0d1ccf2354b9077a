// Signed distance fields: fields of plugins and of closed shapes, their combinations
// (mjc_distance), nearest points and rays.
//
// Two fields A and B come nearest where A + B is least on the surface A = B midway between them.
// For unit gradients
//
//   (gA + gB) . (gA - gB) = 0,
//
// so -(gA + gB) is the direction of descent within that surface and gA - gB its normal. The search
// takes steps along the first, each followed by a return to the surface along the second. At the
// end A + B is the gap, or minus the depth. Meshes and height fields have no field: each of their
// triangles is searched for the point where the other field is least.
#include "collide/hfield.h"
#include "collide/sdf.h"

#include "collide/ray.h"
#include "model/model.h"

// Points this close to a face of a box, relative to its half size, are on it.
static const double kOnFace = 1e-12;

// The search for nearest points: |A - B| that counts as A = B while searching, and at the end
// relative to the diagonal of the search box; squared and plain length of gA - gB below which the
// surface has no normal; squared length of gA + gB at a minimum; the share of the slope that a step
// must gain, and its halvings; touches closer than kSpread of the diagonal or radius count as one.
static const double kLevel = 1e-10, kOffLevel = 1e-6, kNoNormal2 = 1e-2, kNoNormal = 0.1,
                    kNoSlope2 = 1e-16, kGain = 0.1, kSpread = 0.02;
enum { kHalvings = 12 };

// Least gain of a step on a triangle, relative to its radius.
static const double kLeastGain = 1e-9;

// Sphere tracing, relative to the radius of the geom: values that are on the surface, the least
// step, the width of a bracket; and limits of steps and bisections.
static const double kHit = 1e-12, kLeastStep = 1e-5, kBracket = 1e-14;
enum { kTraceSteps = 10000, kBisections = 60 };

// ---- fields of the closed shapes, in their own frame

// Inside a box the field is the distance to the surface along its gradient, which leans to the near
// faces, as released:
//   g_i ~ sign(x_i) / (1 - |x_i| / s_i).
static double field_box(const double* s, snVec x, snVec* gradient) {
  snVec over = {0, 0, 0}, lean = {0, 0, 0};
  bool inside = true;
  int face = 0;
  for (int i = 0; i < 3; i++) {
    double xi = v_get(x, i), sign = xi < 0 ? -1 : 1, gap = fabs(xi) - s[i];
    if (gap > 0) v_set(&over, i, sign * gap);
    if (gap >= -kOnFace * s[i])
      inside = false;
    else
      v_set(&lean, i, sign * s[i] / -gap);
    if (fabs(xi) * s[face] > fabs(v_get(x, face)) * s[i]) face = i;
  }
  if (!inside) {
    *gradient = over;
    double length = v_norm(over);
    if (length > mjMINVAL) {
      *gradient = v_scale(over, 1 / length);
    } else {
      *gradient = v3(0, 0, 0);
      v_set(gradient, face, v_get(x, face) < 0 ? -1 : 1);
    }
    return length;
  }
  v_normalize(&lean);
  *gradient = lean;
  double way = INFINITY;
  for (int i = 0; i < 3; i++) {
    way = fmin(way, (s[i] - fabs(v_get(x, i))) / fabs(v_get(lean, i)));
  }
  return -way;
}

// k (k - 1) / l with k = |x / s|, l = |x / s^2|: exact to first order near the surface.
static double field_ellipsoid(const double* s, snVec x, snVec* gradient) {
  snVec y = v3(x.x / s[0], x.y / s[1], x.z / s[2]);
  snVec z = v3(y.x / s[0], y.y / s[1], y.z / s[2]);
  double k = v_norm(y), l = v_norm(z);
  if (l < mjMINVAL) {
    *gradient = v3(1, 0, 0);
    return -fmin(s[0], fmin(s[1], s[2]));
  }
  snVec dl = v3(z.x / (s[0] * s[0]), z.y / (s[1] * s[1]), z.z / (s[2] * s[2]));
  *gradient = v_add(v_scale(z, (2 * k - 1) / (k * l)), v_scale(dl, -k * (k - 1) / (l * l * l)));
  v_normalize(gradient);
  return k * (k - 1) / l;
}

static double field_cylinder(const double* s, snVec x, snVec* gradient) {
  double r = sqrt(x.x * x.x + x.y * x.y), side = r - s[0], cap = fabs(x.z) - s[1];
  snVec out = r > mjMINVAL ? v3(x.x / r, x.y / r, 0) : v3(1, 0, 0);
  snVec up = v3(0, 0, x.z < 0 ? -1 : 1);
  if (side > 0 && cap > 0) {
    *gradient = v_add(v_scale(out, side), v_scale(up, cap));
    return v_normalize(gradient);
  }
  *gradient = side > cap ? out : up;
  return fmax(side, cap);
}

// Value and gradient of a closed shape; false when the type has no field.
static bool field_shape(int type, const double* size, snVec x, double* value, snVec* gradient) {
  switch (type) {
    case mjGEOM_PLANE:
      *gradient = v3(0, 0, 1);
      *value = x.z;
      return true;
    case mjGEOM_SPHERE:
      *gradient = x;
      *value = v_normalize(gradient) - size[0];
      return true;
    case mjGEOM_CAPSULE:
      *gradient = v3(x.x, x.y, x.z - clamp(x.z, -size[1], size[1]));
      *value = v_normalize(gradient) - size[0];
      return true;
    case mjGEOM_ELLIPSOID:
      *value = field_ellipsoid(size, x, gradient);
      return true;
    case mjGEOM_CYLINDER:
      *value = field_cylinder(size, x, gradient);
      return true;
    case mjGEOM_BOX:
      *value = field_box(size, x, gradient);
      return true;
    default:
      return false;
  }
}

// ---- the documented functions

const mjpPlugin* mjc_getSDF(const mjModel* m, int id) {
  if (id < 0 || id >= m->ngeom) {
    mju_error("mjc_getSDF: geom %d; expected 0 to %d", id, m->ngeom - 1);
    return NULL;
  }
  int instance = m->geom_plugin[id];
  const mjpPlugin* plugin = instance < 0 ? NULL : mjp_getPluginAtSlot(m->plugin[instance]);
  if (!plugin || !(plugin->capabilityflags & mjPLUGIN_SDF)) {
    mju_error("mjc_getSDF: geom %d has no plugin with a signed distance field", id);
    return NULL;
  }
  return plugin;
}

// Field k of a pair at x, in the frame of the field: a plugin's, or the shape of geom `id`.
static double pair_field(const mjModel* m, const mjData* d, const mjSDF* s, int k, snVec x,
                         snVec* gradient) {
  double value = 0;
  if (s->plugin && s->plugin[k]) {
    double point[3], g[3];
    v_store(point, x);
    value = s->plugin[k]->sdf_distance(point, d, s->id[k]);
    s->plugin[k]->sdf_gradient(g, point, d, s->id[k]);
    *gradient = v_of(g);
  } else {
    *gradient = v3(0, 0, 0);
    if (!field_shape(s->geomtype[k], m->geom_size + 3 * s->id[k], x, &value, gradient)) {
      mju_error("signed distance: geoms of type %d have no field", s->geomtype[k]);
    }
  }
  return value;
}

static double pair_second(const mjModel* m, const mjData* d, const mjSDF* s, snVec x,
                          snVec* gradient) {
  double b = pair_field(m, d, s, 1, v_add(m_mul(s->relmat, x), v_of(s->relpos)), gradient);
  *gradient = m_mul_t(s->relmat, *gradient);
  return b;
}

mjtNum mjc_distance(const mjModel* m, const mjData* d, const mjSDF* s, const mjtNum x[3]) {
  snVec gradient;
  double a = pair_field(m, d, s, 0, v_of(x), &gradient);
  if (s->type == mjSDFTYPE_SINGLE) return a;
  double b = pair_second(m, d, s, v_of(x), &gradient);
  switch (s->type) {
    case mjSDFTYPE_INTERSECTION:
      return fmax(a, b);
    case mjSDFTYPE_MIDSURFACE:
      return a - b;
    case mjSDFTYPE_COLLISION:
      return a + b + fabs(fmax(a, b));
    default:
      mju_error("mjc_distance: type %d; expected an mjtSDFType", s->type);
      return 0;
  }
}

void mjc_gradient(const mjModel* m, const mjData* d, const mjSDF* s, mjtNum gradient[3],
                  const mjtNum x[3]) {
  snVec ga, gb;
  double a = pair_field(m, d, s, 0, v_of(x), &ga);
  if (s->type == mjSDFTYPE_SINGLE) {
    v_store(gradient, ga);
    return;
  }
  double b = pair_second(m, d, s, v_of(x), &gb);
  snVec g = a > b ? ga : gb;
  if (s->type == mjSDFTYPE_MIDSURFACE) {
    v_normalize(&ga);
    v_normalize(&gb);
    g = v_sub(ga, gb);
    v_normalize(&g);
  } else if (s->type == mjSDFTYPE_COLLISION) {
    g = v_add(v_add(ga, gb), v_scale(g, fmax(a, b) > 0 ? 1 : -1));
  } else if (s->type != mjSDFTYPE_INTERSECTION) {
    mju_error("mjc_gradient: type %d; expected an mjtSDFType", s->type);
  }
  v_store(gradient, g);
}

// ---- fields of geoms in the world

// The compiler moved the frame of a mesh to its center of mass; a plugin's field is in the frame
// before that.
bool sdf_field(snSdf* f, const mjModel* m, const mjData* d, int g) {
  *f = (snSdf){.m = m, .d = d, .type = m->geom_type[g], .size = m->geom_size + 3 * g};
  memcpy(f->pos, d->geom_xpos + 3 * g, sizeof f->pos);
  memcpy(f->mat, d->geom_xmat + 9 * g, sizeof f->mat);
  if (f->type != mjGEOM_SDF) return true;
  f->plugin = mjc_getSDF(m, g);
  if (!f->plugin) return false;
  f->instance = m->geom_plugin[g];
  int mesh = m->geom_dataid[g];
  if (mesh >= 0) {
    double quat[9], mat[9];
    mju_quat2Mat(quat, m->mesh_quat + 4 * mesh);
    // mesh frame y = Q x_geom + p, hence world = pos + R Q'(y - p)
    mju_mulMatMatT(mat, f->mat, quat, 3, 3, 3);
    memcpy(f->mat, mat, sizeof mat);
    v_store(f->pos, v_sub(v_of(f->pos), m_mul(f->mat, v_of(m->mesh_pos + 3 * mesh))));
  }
  return true;
}

double sdf_at(const snSdf* f, snVec x, snVec* gradient) {
  snVec y = m_mul_t(f->mat, v_sub(x, v_of(f->pos)));
  snVec unused;
  double value = 0;
  if (f->plugin) {
    double point[3], g[3];
    v_store(point, y);
    value = f->plugin->sdf_distance(point, f->d, f->instance);
    if (!gradient) return value;
    f->plugin->sdf_gradient(g, point, f->d, f->instance);
    *gradient = v_of(g);
  } else {
    field_shape(f->type, f->size, y, &value, gradient ? gradient : &unused);
    if (!gradient) return value;
  }
  *gradient = m_mul(f->mat, *gradient);
  return value;
}

// ---- contacts of two fields

typedef struct snMeet_ {
  double a, b;
  snVec ga, gb;
} snMeet;

static void meet_at(const snSdf* f1, const snSdf* f2, snVec x, snMeet* at) {
  at->a = sdf_at(f1, x, &at->ga);
  at->b = sdf_at(f2, x, &at->gb);
}

// Newton's steps to A = B along gA - gB.
static snVec meet_level(const snSdf* f1, const snSdf* f2, snVec x, snMeet* at) {
  meet_at(f1, f2, x, at);
  for (int k = 0; k < 4 && fabs(at->a - at->b) > kLevel; k++) {
    snVec n = v_sub(at->ga, at->gb);
    double n2 = v_norm2(n);
    if (n2 < kNoNormal2) break;
    x = v_along(x, -(at->a - at->b) / n2, n);
    meet_at(f1, f2, x, at);
  }
  return x;
}

// The bounding box of a geom along the axes of a frame.
static void box_in_frame(const mjModel* m, const mjData* d, int g, const double* pos,
                         const double* mat, double low[3], double high[3]) {
  const double *R = d->geom_xmat + 9 * g, *aabb = m->geom_aabb + 6 * g;
  snVec center = v_add(v_of(d->geom_xpos + 3 * g), m_mul(R, v_of(aabb)));
  for (int i = 0; i < 3; i++) {
    snVec axis = m_axis(mat, i);
    double at = v_dot(axis, v_sub(center, v_of(pos))), half = 0;
    for (int k = 0; k < 3; k++) half += fabs(v_dot(axis, m_axis(R, k))) * aabb[3 + k];
    low[i] = at - half;
    high[i] = at + half;
  }
}

// Several starts end at one point: a touch within `near` of another replaces it when it is deeper,
// or is dropped.
static void add_new(snTouchList* list, int first, double dist, snVec pos, snVec n, double near) {
  for (int i = first; i < list->n; i++) {
    if (v_norm(v_sub(list->touch[i].pos, pos)) > near) continue;
    if (dist < list->touch[i].dist) list->touch[i] = (snTouch){dist, pos, n, {0, 0, 0}};
    return;
  }
  touch_add(list, dist, pos, n);
}

static void collide_fields(snTouchList* list, const snSdf* f1, const snSdf* f2, snVec low,
                           snVec high, double margin) {
  static const int kBase[3] = {2, 3, 5};
  const mjModel* m = f1->m;
  double diagonal = v_norm(v_sub(high, low));
  int first = list->n;
  for (int i = 0; i < m->opt.sdf_initpoints && !list->failed; i++) {
    snVec x;
    for (int k = 0; k < 3; k++) {
      double part = mju_Halton(i + 1, kBase[k]);
      v_set(&x, k, v_get(low, k) + part * (v_get(high, k) - v_get(low, k)));
    }
    snMeet at, next;
    x = meet_level(f1, f2, x, &at);
    double step = 0.25 * diagonal;
    for (int it = 0; it < m->opt.sdf_iterations; it++) {
      snVec g = v_add(at.ga, at.gb);
      double g2 = v_norm2(g);
      if (!(g2 > kNoSlope2)) break;
      bool moved = false;
      for (int tries = 0; tries < kHalvings && !moved; tries++) {
        snVec y = meet_level(f1, f2, v_along(x, -step, g), &next);
        if (next.a + next.b < at.a + at.b - kGain * step * g2) {
          x = y;
          at = next;
          moved = true;
        } else {
          step *= 0.5;
        }
      }
      if (!moved) break;
      step *= 2;
    }
    double dist = at.a + at.b;
    snVec n = v_sub(at.ga, at.gb);
    if (!(dist < margin) || fabs(at.a - at.b) > kOffLevel * diagonal || v_norm(n) < kNoNormal)
      continue;
    v_normalize(&n);
    add_new(list, first, dist, x, n, kSpread * diagonal);
  }
}

// ---- a mesh or height field against a field: on each triangle, the point where the field is least

// One triangle: projected gradient descent from its center. Touches within `spread` of each other
// count as one.
static void collide_triangle_field(snTouchList* list, int first, const snVec v[3], const snSdf* f,
                                   double margin, double spread) {
  snVec x = {0, 0, 0}, g, next_g;
  for (int i = 0; i < 3; i++) x = v_along(x, 1.0 / 3, v[i]);
  double radius = 0;
  for (int i = 0; i < 3; i++) radius = fmax(radius, v_norm(v_sub(v[i], x)));
  double value = sdf_at(f, x, &g), step = radius;
  if (value > margin + radius) return;
  for (int it = 0; it < f->m->opt.sdf_iterations; it++) {
    bool moved = false;
    for (int tries = 0; tries < kHalvings && !moved; tries++) {
      snVec y = triangle_nearest(v[0], v[1], v[2], v_along(x, -step, g));
      double next = sdf_at(f, y, &next_g);
      if (next < value - kLeastGain * radius) {
        x = y, g = next_g, value = next;
        moved = true;
      } else {
        step *= 0.5;
      }
    }
    if (!moved) break;
    step *= 2;
  }
  if (!(value < margin)) return;
  snVec n = v_neg(g);
  v_normalize(&n);
  add_new(list, first, value, v_along(x, 0.5 * value, n), n, spread);
}

static void collide_mesh_field(snTouchList* list, int mesh_geom, const snSdf* f, double margin) {
  const mjModel* m = f->m;
  int mesh = m->geom_dataid[mesh_geom], first = list->n;
  if (!model_mesh_holds(m, mesh)) return;
  const float* vert = m->mesh_vert + 3 * m->mesh_vertadr[mesh];
  const int* face = m->mesh_face + 3 * m->mesh_faceadr[mesh];
  const double *pos = f->d->geom_xpos + 3 * mesh_geom, *mat = f->d->geom_xmat + 9 * mesh_geom;
  for (int k = 0; k < m->mesh_facenum[mesh] && !list->failed; k++) {
    snVec v[3];
    unsigned last = 0, nvert = (unsigned)m->mesh_vertnum[mesh];
    for (int i = 0; i < 3; i++) {
      if ((unsigned)face[3 * k + i] > last) last = (unsigned)face[3 * k + i];
    }
    if (last >= nvert) continue;  // an index overwritten by the program
    for (int i = 0; i < 3; i++) {
      v[i] = v_add(v_of(pos), m_mul(mat, v_of_float(vert + 3 * face[3 * k + i])));
    }
    collide_triangle_field(list, first, v, f, margin, kSpread * m->geom_rbound[mesh_geom]);
  }
}

// The triangles of a height field under the box of the other geom.
static void collide_hfield_field(snTouchList* list, int hfield_geom, int geom, const snSdf* f,
                                 double margin) {
  const mjModel* m = f->m;
  int first = list->n;
  snHfield field = hfield_of(m, f->d, hfield_geom);
  double low[3], high[3];
  box_in_frame(m, f->d, geom, field.pos, field.mat, low, high);
  for (int i = 0; i < 3; i++) low[i] -= margin, high[i] += margin;
  int cell[4];
  if (!hfield_cells(&field, low, high, cell)) return;
  for (int r = cell[2]; r < cell[3]; r++) {
    for (int c = cell[0]; c < cell[1]; c++) {
      for (int half = 0; half < 2 && !list->failed; half++) {
        snVec v[3];
        double highest = hfield_triangle(&field, c, r, half, v);
        if (highest < low[2]) continue;
        for (int k = 0; k < 3; k++) v[k] = v_add(v_of(field.pos), m_mul(field.mat, v[k]));
        collide_triangle_field(list, first, v, f, margin, kSpread * m->geom_rbound[geom]);
      }
    }
  }
}

void sdf_nearest(const mjModel* m, const mjData* d, snTouchList* list, int g1, int g2,
                 double margin) {
  snSdf f1, f2;
  int type = m->geom_type[g1];
  if (!sdf_field(&f2, m, d, g2)) return;
  if (type == mjGEOM_HFIELD) {
    collide_hfield_field(list, g1, g2, &f2, margin);
    return;
  }
  if (type == mjGEOM_MESH) {
    collide_mesh_field(list, g1, &f2, margin);
    return;
  }
  if (!sdf_field(&f1, m, d, g1)) return;
  double low1[3], high1[3], low2[3], high2[3];
  static const double kOrigin[3] = {0}, kUnturned[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  box_in_frame(m, d, g1, kOrigin, kUnturned, low1, high1);
  box_in_frame(m, d, g2, kOrigin, kUnturned, low2, high2);
  snVec low = {0, 0, 0}, high = low;
  for (int i = 0; i < 3; i++) {
    double l = fmax(low1[i], low2[i]) - 0.5 * margin, h = fmin(high1[i], high2[i]) + 0.5 * margin;
    if (!(l <= h)) return;
    v_set(&low, i, l);
    v_set(&high, i, h);
  }
  collide_fields(list, &f1, &f2, low, high, margin);
}

// ---- rays: sphere tracing
// A step as long as the field's value never passes the surface. A change of sign is bisected. Near
// a grazed surface steps become short; their least length bounds the number of steps, and chords
// shorter than it are missed.

double sdf_ray(const mjModel* m, const mjData* d, int geom, const mjtNum pnt[3],
               const mjtNum vec[3]) {
  snSdf f;
  if (!sdf_field(&f, m, d, geom)) return -1;
  const double *R = d->geom_xmat + 9 * geom, *aabb = m->geom_aabb + 6 * geom;
  snVec p = v_of(pnt), v = v_of(vec), gradient;
  double length = v_normalize(&v), reach = 0;
  if (length < mjMINVAL) return -1;
  snVec local = m_mul_t(R, v_sub(p, v_of(d->geom_xpos + 3 * geom))), along = m_mul_t(R, v);
  double enter = ray_slab(aabb, local, v3(1 / along.x, 1 / along.y, 1 / along.z), INFINITY);
  if (enter == INFINITY) return -1;
  reach = v_norm(v_sub(local, v_of(aabb))) + v_norm(v_of(aabb + 3));
  double x = 0, value = sdf_at(&f, p, &gradient), scale = m->geom_rbound[geom];
  for (int it = 0; it < kTraceSteps && x <= reach; it++) {
    if (fabs(value) < kHit * scale) return x / length;
    double next = x + fmax(fabs(value), kLeastStep * scale);
    double there = sdf_at(&f, v_along(p, next, v), &gradient);
    if (there * value < 0) {
      for (int k = 0; k < kBisections && next - x > kBracket * scale; k++) {
        double middle = 0.5 * (x + next);
        if (sdf_at(&f, v_along(p, middle, v), &gradient) * value > 0)
          x = middle;
        else
          next = middle;
      }
      return next / length;
    }
    x = next;
    value = there;
  }
  return -1;
}
