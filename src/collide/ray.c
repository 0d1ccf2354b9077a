// Rays p + x v, x >= 0, against shapes with closed formulas, and mj_ray and mj_multiRay against
// whole scenes.
//
// Spheres, ellipsoids (scaled to a sphere) and tubes give a quadratic a x^2 + 2 b x + c = 0, planes
// and box faces a linear equation; the smallest nonnegative x on the surface is the hit. A scene is
// a loop over geoms: filters, a test of the bounding sphere, then the shape.
#include "data/frame.h"
#include "collide/ray.h"

#include "collide/sdf.h"

// The smallest nonnegative root of a x^2 + 2 b x + c, or -1.
static double smallest_root(double a, double b, double c) {
  double det = b * b - a * c;
  if (det < 0 || a < mjMINVAL) return -1;
  double root = sqrt(det), x0 = (-b - root) / a, x1 = (-b + root) / a;
  return x0 >= 0 ? x0 : x1 >= 0 ? x1 : -1;
}

static double nearer(double x, double y) { return y >= 0 && (x < 0 || y < x) ? y : x; }

double ray_sphere(snVec p, snVec v, snVec center, double radius) {
  snVec d = v_sub(p, center);
  return smallest_root(v_norm2(v), v_dot(v, d), v_norm2(d) - radius * radius);
}

// A plane is hit from above only, a finite one within its rectangle.
static double ray_plane(snVec p, snVec v, const double* size) {
  if (v.z > -mjMINVAL) return -1;
  double x = -p.z / v.z;
  if (!(x >= 0)) return -1;
  if (size[0] > 0 && fabs(p.x + x * v.x) > size[0]) return -1;
  if (size[1] > 0 && fabs(p.y + x * v.y) > size[1]) return -1;
  return x;
}

// The infinite cylinder around z, within |z| <= half.
static double ray_tube(snVec p, snVec v, double radius, double half) {
  double a = v.x * v.x + v.y * v.y, b = v.x * p.x + v.y * p.y;
  double det = b * b - a * (p.x * p.x + p.y * p.y - radius * radius);
  if (det < 0 || a < mjMINVAL) return -1;
  double root = sqrt(det), x = -1;
  for (int k = 0; k < 2; k++) {
    double t = (k ? -b + root : -b - root) / a;
    if (t >= 0 && fabs(p.z + t * v.z) <= half) x = nearer(x, t);
  }
  return x;
}

double ray_capsule(snVec p, snVec v, double radius, double half) {
  double x = ray_tube(p, v, radius, half);
  // both roots of both end spheres, where they are beyond the tube
  double a = v_norm2(v);
  for (int end = -1; end <= 1; end += 2) {
    snVec d = v3(p.x, p.y, p.z - end * half);
    double b = v_dot(v, d), det = b * b - a * (v_norm2(d) - radius * radius);
    if (det < 0 || a < mjMINVAL) continue;
    double root = sqrt(det);
    for (int k = 0; k < 2; k++) {
      double t = (k ? -b + root : -b - root) / a;
      if (t >= 0 && end * (p.z + t * v.z) >= half) x = nearer(x, t);
    }
  }
  return x;
}

double ray_cylinder(snVec p, snVec v, double radius, double half) {
  double x = ray_tube(p, v, radius, half);
  if (fabs(v.z) > mjMINVAL) {
    for (int end = -1; end <= 1; end += 2) {
      double t = (end * half - p.z) / v.z, px = p.x + t * v.x, py = p.y + t * v.y;
      if (t >= 0 && px * px + py * py <= radius * radius) x = nearer(x, t);
    }
  }
  return x;
}

static double ray_ellipsoid(snVec p, snVec v, const double* size) {
  snVec q = v3(p.x / size[0], p.y / size[1], p.z / size[2]);
  snVec w = v3(v.x / size[0], v.y / size[1], v.z / size[2]);
  return smallest_root(v_norm2(w), v_dot(w, q), v_norm2(q) - 1);
}

static double ray_box(snVec p, snVec v, const double* size) {
  double x = -1;
  for (int i = 0; i < 3; i++) {
    double vi = v_get(v, i);
    if (fabs(vi) <= mjMINVAL) continue;
    int j = (i + 1) % 3, k = (i + 2) % 3;
    for (int side = -1; side <= 1; side += 2) {
      double t = (side * size[i] - v_get(p, i)) / vi;
      if (t >= 0 && fabs(v_get(p, j) + t * v_get(v, j)) <= size[j] &&
          fabs(v_get(p, k) + t * v_get(v, k)) <= size[k]) {
        x = nearer(x, t);
      }
    }
  }
  return x;
}

mjtNum mju_rayGeom(const mjtNum pos[3], const mjtNum mat[9], const mjtNum size[3],
                   const mjtNum pnt[3], const mjtNum vec[3], int geomtype) {
  snVec p = m_mul_t(mat, v_sub(v_of(pnt), v_of(pos))), v = m_mul_t(mat, v_of(vec));
  switch (geomtype) {
    case mjGEOM_PLANE:
      return ray_plane(p, v, size);
    case mjGEOM_SPHERE:
      return ray_sphere(p, v, v3(0, 0, 0), size[0]);
    case mjGEOM_CAPSULE:
      return ray_capsule(p, v, size[0], size[1]);
    case mjGEOM_ELLIPSOID:
      return ray_ellipsoid(p, v, size);
    case mjGEOM_CYLINDER:
      return ray_cylinder(p, v, size[0], size[1]);
    case mjGEOM_BOX:
      return ray_box(p, v, size);
    default:
      mju_error(
          "mju_rayGeom: geom type %d has no closed formula; expected plane, sphere, capsule, "
          "ellipsoid, cylinder or box",
          geomtype);
      return -1;
  }
}

// Do group, transparency, static flag and excluded body let the ray see this geom?
static bool ray_sees(const mjModel* m, int g, const mjtByte* geomgroup, mjtByte flg_static,
                     int bodyexclude) {
  int body = m->geom_bodyid[g];
  if (body == bodyexclude) return false;
  if (!flg_static && m->body_weldid[body] == 0) return false;
  float alpha =
      m->geom_matid[g] < 0 ? m->geom_rgba[4 * g + 3] : m->mat_rgba[4 * m->geom_matid[g] + 3];
  if (alpha == 0) return false;
  if (geomgroup) {
    int group = m->geom_group[g] < 0           ? 0
                : m->geom_group[g] >= mjNGROUP ? mjNGROUP - 1
                                               : m->geom_group[g];
    if (!geomgroup[group]) return false;
  }
  return true;
}

// Relative enlargement of a bounding sphere, more than the test rounds.
static const double kSphereSlack = 1e-9;

// Does the ray miss the bounding sphere, or enter it beyond `limit` (in units of v; negative:
// none)?
static bool ray_misses_bound(const mjModel* m, const mjData* d, int g, snVec p, snVec v, double v2,
                             double limit) {
  double r = m->geom_rbound[g];
  if (m->geom_type[g] == mjGEOM_PLANE || r <= 0) return false;
  r *= 1 + kSphereSlack;
  snVec to = v_sub(v_of(d->geom_xpos + 3 * g), p);
  double along = v_dot(to, v), to2 = v_norm2(to);
  if (to2 <= r * r) return false;
  if (along <= 0) return true;
  // squared distance from the line, times |v|^2
  if (to2 * v2 - along * along > r * r * v2) return true;
  if (limit < 0) return false;
  double reach = along - limit * v2;
  return reach > 0 && reach * reach > r * r * v2;
}

// The hit with a geom. `limit` (negative: none) lets meshes skip farther triangles.
static double ray_geom(const mjModel* m, const mjData* d, int g, const mjtNum pnt[3],
                       const mjtNum vec[3], double limit) {
  switch (m->geom_type[g]) {
    case mjGEOM_MESH:
      return ray_mesh(m, d, g, v_of(pnt), v_of(vec), limit < 0 ? INFINITY : limit);
    case mjGEOM_HFIELD:
      return mj_rayHfield(m, d, g, pnt, vec);
    case mjGEOM_SDF:
      return sdf_ray(m, d, g, pnt, vec);
    default:
      return mju_rayGeom(d->geom_xpos + 3 * g, d->geom_xmat + 9 * g, m->geom_size + 3 * g, pnt, vec,
                         m->geom_type[g]);
  }
}

mjtNum mj_ray(const mjModel* m, const mjData* d, const mjtNum pnt[3], const mjtNum vec[3],
              const mjtByte* geomgroup, mjtByte flg_static, int bodyexclude, int geomid[1]) {
  if (geomid) geomid[0] = -1;
  snVec p = v_of(pnt), v = v_of(vec);
  double v2 = v_norm2(v);
  if (v2 < mjMINVAL * mjMINVAL) {
    mju_error("mj_ray: the vector has no length");
    return -1;
  }
  double best = -1;
  for (int g = 0; g < m->ngeom; g++) {
    if (!ray_sees(m, g, geomgroup, flg_static, bodyexclude)) continue;
    if (ray_misses_bound(m, d, g, p, v, v2, best)) continue;
    double x = ray_geom(m, d, g, pnt, vec, best);
    if (x >= 0 && (best < 0 || x < best)) {
      best = x;
      if (geomid) geomid[0] = g;
    }
  }
  return best;
}

// Rays from one point: filters and the cutoff are applied once for all rays.
void mj_multiRay(const mjModel* m, mjData* d, const mjtNum pnt[3], const mjtNum* vec,
                 const mjtByte* geomgroup, mjtByte flg_static, int bodyexclude, int* geomid,
                 mjtNum* dist, int nray, mjtNum cutoff) {
  mj_markStack(d);
  int *seen, nseen = 0;
  if (!FRAME(memory_of(d), SN_ARRAY(seen, m->ngeom))) {
    for (int i = 0; i < nray; i++) {
      dist[i] = -1;
      if (geomid) geomid[i] = -1;
    }
    mj_freeStack(d);
    return;
  }
  snVec p = v_of(pnt);
  for (int g = 0; g < m->ngeom; g++) {
    if (!ray_sees(m, g, geomgroup, flg_static, bodyexclude)) continue;
    // a plane counts as its position: its rbound is zero
    if (v_norm(v_sub(v_of(d->geom_xpos + 3 * g), p)) > cutoff + m->geom_rbound[g]) continue;
    seen[nseen++] = g;
  }
  for (int i = 0; i < nray; i++) {
    snVec v = v_of(vec + 3 * i);
    double v2 = v_norm2(v), best = -1;
    int hit = -1;
    if (v2 < mjMINVAL * mjMINVAL) {
      mju_error("mj_multiRay: vector %d has no length", i);
      break;
    }
    for (int k = 0; k < nseen; k++) {
      int g = seen[k];
      if (ray_misses_bound(m, d, g, p, v, v2, best)) continue;
      double x = ray_geom(m, d, g, pnt, vec + 3 * i, best);
      if (x >= 0 && (best < 0 || x < best)) {
        best = x;
        hit = g;
      }
    }
    dist[i] = best;
    if (geomid) geomid[i] = hit;
  }
  mj_freeStack(d);
}
