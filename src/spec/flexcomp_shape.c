// Points and elements of a flexcomp: regular grids in one to three dimensions, boxes, cylinders,
// ellipsoids and disks derived from boxes, explicit lists, and mesh or gmsh files.
#include <math.h>
#include <string.h>

#include "algebra/small.h"
#include "model/formats.h"
#include "spec/flexcomp_shape.h"

enum { kMaxPoints = 10000000 };

void shape_free(snFlexShape* shape) {
  memory_free(shape->point);
  memory_free(shape->elem);
  memory_free(shape->texcoord);
  memory_free(shape->elemtexcoord);
  memset(shape, 0, sizeof *shape);
}

static bool reserve(snFlexShape* s, int64_t npoint, int64_t nelem, int64_t ntexcoord,
                    snFault* fault) {
  if (npoint > kMaxPoints || nelem > 8LL * kMaxPoints) {
    return fault_raise(fault, "flexcomp has too many points: %lld", (long long)npoint);
  }
  s->point = memory_alloc((size_t)(3 * npoint) * sizeof(double));
  s->elem = memory_alloc((size_t)nelem * sizeof(int));
  s->texcoord = memory_alloc((size_t)ntexcoord * sizeof(float));
  return (s->point && s->elem && s->texcoord) || fault_raise(fault, "no memory for flexcomp");
}

// The points and elements given, and room for more behind them.
static bool reserve_given(snFlexShape* s, const snFlexcomp* c, int64_t npoint, int64_t nelem,
                          int64_t ntexcoord, snFault* fault) {
  if (c->npoint % 3) return fault_raise(fault, "Point size must be a multiple of 3");
  if (c->nelement % (s->dim + 1)) {
    return fault_raise(fault, "Element size must be a multiple of dim+1");
  }
  if (!reserve(s, npoint + c->npoint / 3, nelem + c->nelement, ntexcoord, fault)) return false;
  if (c->npoint) memcpy(s->point, c->point, (size_t)c->npoint * sizeof(double));
  if (c->nelement) memcpy(s->elem, c->element, (size_t)c->nelement * sizeof(int));
  s->npoint = c->npoint / 3;
  s->nelem = c->nelement;
  return true;
}

static void push_point(snFlexShape* s, double x, double y, double z) {
  vec3_set(s->point + 3 * (size_t)s->npoint++, x, y, z);
}

static void push_elem(snFlexShape* s, int n, int a, int b, int c, int d) {
  int index[4] = {a, b, c, d};
  for (int i = 0; i < n; i++) s->elem[s->nelem++] = index[i];
}

static void push_texcoord(snFlexShape* s, double u, double v) {
  s->texcoord[s->ntexcoord++] = (float)u;
  s->texcoord[s->ntexcoord++] = (float)v;
}

static double along(int i, int n) { return n > 1 ? i / (double)(n - 1) : 0; }

// ---- grids, circles, squares and discs

static void grid_elements_2d(snFlexShape* s, const int* n, bool disc) {
  for (int ix = 0; ix < n[0] - 1; ix++) {
    for (int iy = 0; iy < n[1] - 1; iy++) {
      int a = ix * n[1] + iy, b = a + n[1], c = b + 1, d = a + 1;
      // the diagonals of a disc run around its centre
      if (!disc || (ix < n[0] / 2) == (iy < n[1] / 2)) {
        push_elem(s, 3, a, b, c, 0);
        push_elem(s, 3, a, c, d, 0);
      } else {
        push_elem(s, 3, a, b, d, 0);
        push_elem(s, 3, b, c, d, 0);
      }
    }
  }
}

// Six tetrahedra a cell.
static void grid_elements_3d(snFlexShape* s, const int* n) {
  static const int tet[6][4] = {{0, 2, 4, 3}, {0, 4, 1, 3}, {4, 2, 6, 3},
                                {4, 6, 7, 3}, {4, 5, 1, 3}, {4, 7, 5, 3}};
  for (int ix = 0; ix < n[0] - 1; ix++) {
    for (int iy = 0; iy < n[1] - 1; iy++) {
      for (int iz = 0; iz < n[2] - 1; iz++) {
        int corner[8];
        for (int k = 0; k < 8; k++) {
          corner[k] = ((ix + (k >> 2)) * n[1] + iy + (k >> 1 & 1)) * n[2] + iz + (k & 1);
        }
        for (int t = 0; t < 6; t++) {
          push_elem(s, 4, corner[tet[t][0]], corner[tet[t][1]], corner[tet[t][2]],
                    corner[tet[t][3]]);
        }
      }
    }
  }
}

// (x, y) on the square ring through it goes to the circle inside that ring, stretched by the half
// sizes: p becomes a unit vector and the radius of the ring goes to the half sizes, which is the
// released order of the products.
static void make_round(double* p, double* half, int n) {
  double far = 0, norm = 0;
  for (int k = 0; k < n; k++) {
    far = fmax(far, fabs(p[k]));
    norm += p[k] * p[k];
  }
  norm = sqrt(norm);
  for (int k = 0; k < n && norm >= mjMINVAL; k++) {
    p[k] /= norm;
    half[k] *= far;
  }
}

static bool make_grid(snFlexShape* s, const snFlexcomp* c, snFault* fault) {
  const int* n = c->count;
  // a circle that is no line is a grid
  bool disc = c->type == snFCOMP_DISC, circle = c->type == snFCOMP_CIRCLE && s->dim == 1;
  if (disc || c->type == snFCOMP_SQUARE) s->dim = 2;
  for (int k = s->dim; k < 3 && s->dim > 1; k++) {
    if (n[k] != 1) {
      return fault_raise(fault, "count of a %dD flexcomp must be 1 in dimension %d, not %d", s->dim,
                         k + 1, n[k]);
    }
  }
  int64_t n0 = n[0], n1 = s->dim > 1 ? n[1] : 1, n2 = s->dim > 2 ? n[2] : 1;
  if (n0 > kMaxPoints || n1 > kMaxPoints || n2 > kMaxPoints || n0 * n1 > kMaxPoints) {
    return fault_raise(fault, "flexcomp has too many points");
  }
  int64_t npoint = n0 * n1 * n2;
  if (!reserve_given(s, c, npoint, npoint * 24, 2 * npoint, fault)) return false;

  if (circle) {
    // equal chords of length spacing; the last point is the first
    int around = n[0] - 1;
    double angle = around > 0 ? 2 * mjPI / around : 0;
    double radius = around > 1 ? c->spacing[0] / sn_sin(0.5 * angle) / 2 : 0;
    for (int i = 0; i < around; i++) {
      push_point(s, radius * sn_cos(angle * i), radius * sn_sin(angle * i), 0);
      push_elem(s, 2, i, i == around - 1 ? 0 : i + 1, 0, 0);
    }
  } else {
    double half[3] = {0.5 * c->spacing[0] * (n0 - 1), 0.5 * c->spacing[1] * (n1 - 1),
                      0.5 * c->spacing[2] * (n2 - 1)};
    for (int ix = 0; ix < n0; ix++) {
      for (int iy = 0; iy < n1; iy++) {
        for (int iz = 0; iz < n2; iz++) {
          double p[3] = {c->spacing[0] * (ix - 0.5 * (n0 - 1)),
                         c->spacing[1] * (iy - 0.5 * (n1 - 1)),
                         c->spacing[2] * (iz - 0.5 * (n2 - 1))};
          push_point(s, p[0], p[1], p[2]);
          if (s->dim > 1 && c->material) push_texcoord(s, along(ix, (int)n0), along(iy, (int)n1));
        }
      }
    }
    for (int i = 0; disc && i < s->npoint; i++) {
      // rounded in metres, then stretched by the half sizes, as released
      double *p = s->point + 3 * i, stretch[2] = {half[0], half[1]};
      make_round(p, stretch, 2);
      p[0] *= stretch[0];
      p[1] *= stretch[1];
    }
    if (s->dim == 1) {
      for (int i = 0; i < n0 - 1; i++) push_elem(s, 2, i, i + 1, 0, 0);
    } else if (s->dim == 2) {
      grid_elements_2d(s, n, disc);
    } else {
      grid_elements_3d(s, n);
    }
  }
  return s->nelem || fault_raise(fault, "No elements were created in grid");
}

// ---- boxes, cylinders, ellipsoids: a centre and the points of the shell

static int box_id(const int* n, int ix, int iy, int iz) {
  int layer = n[0] * n[1], mid = n[2] - 2;
  if (iz == 0) return 1 + ix * n[1] + iy;
  if (iz == n[2] - 1) return 1 + layer + ix * n[1] + iy;
  int base = 1 + 2 * layer, wall = n[0] * mid;
  if (iy == 0) return base + ix * mid + iz - 1;
  if (iy == n[1] - 1) return base + wall + ix * mid + iz - 1;
  base += 2 * wall;
  if (ix == 0) return base + (iy - 1) * mid + iz - 1;
  return base + (n[1] - 2) * mid + (iy - 1) * mid + iz - 1;
}

static void push_box_point(snFlexShape* s, const snFlexcomp* c, int ix, int iy, int iz) {
  const int* n = c->count;
  double p[3] = {2 * along(ix, n[0]) - 1, 2 * along(iy, n[1]) - 1, 2 * along(iz, n[2]) - 1};
  double half[3];
  for (int k = 0; k < 3; k++) half[k] = 0.5 * c->spacing[k] * (n[k] - 1);
  if (c->type == snFCOMP_CYLINDER) make_round(p, half, 2);
  if (c->type == snFCOMP_ELLIPSOID) make_round(p, half, 3);
  push_point(s, half[0] * p[0], half[1] * p[1], half[2] * p[2]);
  if (!c->material) return;
  // on the walls by the two directions along the wall
  bool cap = iz == 0 || iz == n[2] - 1, side = iy == 0 || iy == n[1] - 1;
  push_texcoord(s, cap || side ? along(ix, n[0]) : along(iy, n[1]),
                cap ? along(iy, n[1]) : along(iz, n[2]));
}

// A wall is a grid over axes u, v at the low or high end of the third; two tetrahedra a cell.
static void box_wall(snFlexShape* s, const int* n, int u, int v, int high) {
  int w = 3 - u - v, at[3];
  at[w] = high ? n[w] - 1 : 0;
  for (int i = 0; i < n[u] - 1; i++) {
    for (int j = 0; j < n[v] - 1; j++) {
      int id[4];
      for (int k = 0; k < 4; k++) {
        at[u] = i + (k >> 1);
        at[v] = j + (k & 1);
        id[k] = box_id(n, at[0], at[1], at[2]);
      }
      push_elem(s, 4, 0, id[0], id[2], id[3]);
      push_elem(s, 4, 0, id[0], id[1], id[3]);
    }
  }
}

static bool make_box(snFlexShape* s, const snFlexcomp* c, snFault* fault) {
  const int* n = c->count;
  s->dim = 3;
  for (int k = 0; k < 3; k++) {
    if (n[k] < 2)
      return fault_raise(fault, "count of a box, cylinder or ellipsoid must be at least 2");
    if (n[k] > 10000) return fault_raise(fault, "flexcomp has too many points");
  }
  int64_t faces = (int64_t)n[0] * n[1] + (int64_t)n[1] * n[2] + (int64_t)n[0] * n[2];
  if (!reserve_given(s, c, 1 + 2 * faces, 16 * faces, 2 + 4 * faces, fault)) return false;
  push_point(s, 0, 0, 0);
  if (c->material) push_texcoord(s, 0, 0);
  for (int end = 0; end < 2; end++) {
    for (int ix = 0; ix < n[0]; ix++) {
      for (int iy = 0; iy < n[1]; iy++) push_box_point(s, c, ix, iy, end ? n[2] - 1 : 0);
    }
  }
  for (int end = 0; end < 2; end++) {
    for (int ix = 0; ix < n[0]; ix++) {
      for (int iz = 1; iz < n[2] - 1; iz++) push_box_point(s, c, ix, end ? n[1] - 1 : 0, iz);
    }
  }
  for (int end = 0; end < 2; end++) {
    for (int iy = 1; iy < n[1] - 1; iy++) {
      for (int iz = 1; iz < n[2] - 1; iz++) push_box_point(s, c, end ? n[0] - 1 : 0, iy, iz);
    }
  }
  for (int end = 0; end < 2; end++) box_wall(s, n, 0, 1, end);
  for (int end = 0; end < 2; end++) box_wall(s, n, 0, 2, end);
  for (int end = 0; end < 2; end++) box_wall(s, n, 1, 2, end);
  return true;
}

// ---- given points, and files

static void scale_points(snFlexShape* s, const double scale[3]) {
  for (int i = 0; i < 3 * s->npoint; i++) s->point[i] *= scale[i % 3];
}

static bool make_direct(snFlexShape* s, const snFlexcomp* c, snFault* fault) {
  if (!c->npoint || !c->nelement) return fault_raise(fault, "Point and element required");
  if (!reserve_given(s, c, 0, 0, 0, fault)) return false;
  scale_points(s, c->scale);
  return true;
}

// Does the origin lie behind the triangle?
static bool sees_origin(const double origin[3], const float* a, const float* b, const float* c) {
  double u[3], v[3], w[3], normal[3];
  for (int k = 0; k < 3; k++) {
    u[k] = a[k] - origin[k];
    v[k] = b[k] - origin[k];
    w[k] = c[k] - origin[k];
  }
  vec3_cross(normal, v, w);
  return vec3_dot(u, normal) > 0;
}

// A surface, of points that its triangles share wherever they are at the same place: a file has a
// point twice at a seam of its texture, where a flex has none. In 3D each triangle that faces away
// from the origin makes a tetrahedron with it, and it becomes point 0.
static bool make_mesh(snFlexShape* s, const snFlexcomp* c, snFault* fault) {
  snFile file = {c->file, "", c->file_bytes, c->file_size};
  snMeshData data;
  if (!c->file || !*c->file) return fault_raise(fault, "File is required");
  if (s->dim < 2) return fault_raise(fault, "Flex dim must be at least 2 for mesh");
  if (s->dim == 3 && !c->has_origin) {
    return fault_raise(fault, "origin must be specified for mesh flexcomps if dim=3");
  }
  bool stl = file_has_extension(&file, ".stl");
  if (file_has_extension(&file, ".msh")) {
    return fault_raise(fault, "legacy MSH files are not supported in flexcomp");
  }
  if (!stl && !file_has_extension(&file, ".obj")) {
    return fault_raise(fault, "unknown or unsupported mesh file: '%s'; expected .stl or .obj",
                       c->file);
  }
  if (!(stl ? stl_read : obj_read)(&data, &file, fault)) return false;
  int solid = s->dim == 3;
  bool ok = meshdata_merge(&data) || fault_raise(fault, "no memory for flexcomp");
  ok = ok && reserve(s, data.nvert + 1LL, 4LL * data.nface, 0, fault);
  if (ok) {
    if (solid) push_point(s, c->origin[0], c->origin[1], c->origin[2]);
    for (int i = 0; i < data.nvert; i++) {
      push_point(s, data.vert[3 * i], data.vert[3 * i + 1], data.vert[3 * i + 2]);
    }
    for (int f = 0; f < data.nface; f++) {
      const int* v = data.face + 3 * f;
      if (solid && !sees_origin(c->origin, data.vert + 3 * v[0], data.vert + 3 * v[1],
                                data.vert + 3 * v[2])) {
        continue;
      }
      if (solid) {
        push_elem(s, 4, 0, v[0] + 1, v[1] + 1, v[2] + 1);
      } else {
        push_elem(s, 3, v[0], v[1], v[2], 0);
      }
    }
    scale_points(s, c->scale);
    memory_free(s->texcoord);
    s->texcoord = data.texcoord, data.texcoord = NULL;
    s->ntexcoord = 2 * data.ntexcoord;
    s->elemtexcoord = data.facetexcoord, data.facetexcoord = NULL;
    s->nelemtexcoord = s->elemtexcoord ? 3 * data.nface : 0;
    ok = s->nelem > 0 || fault_raise(fault, "mesh file '%s' has no faces", c->file);
  }
  meshdata_free(&data);
  return ok;
}

static bool make_gmsh(snFlexShape* s, const snFlexcomp* c, snFault* fault) {
  snFile file = {c->file, "", c->file_bytes, c->file_size};
  snGmsh mesh;
  if (!c->file || !*c->file) return fault_raise(fault, "File is required");
  if (!gmsh_read(&mesh, &file, fault)) return false;
  s->dim = mesh.dim;
  s->npoint = mesh.npoint;
  s->nelem = mesh.nelem * (mesh.dim + 1);
  s->point = mesh.point;
  s->elem = mesh.elem;
  scale_points(s, c->scale);
  return true;
}

bool shape_make(snFlexShape* s, const snFlexcomp* c, snFault* fault) {
  memset(s, 0, sizeof *s);
  s->dim = c->flex.dim;
  if (s->dim < 1 || s->dim > 3) return fault_raise(fault, "Invalid dim, must be between 1 and 3");
  bool grown = c->type <= snFCOMP_CIRCLE;
  for (int k = 0; k < 3; k++) {
    int least = grown && c->dof == snFCOMPDOF_RADIAL && s->dim == 3 ? 2 : 1;
    if (c->count[k] < least) return fault_raise(fault, "Count too small");
    if (grown && c->spacing[k] < 2 * c->flex.radius + c->flex.margin) {
      return fault_raise(fault, "Spacing must be larger than geometry size");
    }
  }
  bool ok;
  switch (c->type) {
    case snFCOMP_BOX:
    case snFCOMP_CYLINDER:
    case snFCOMP_ELLIPSOID:
      ok = make_box(s, c, fault);
      break;
    case snFCOMP_MESH:
      ok = make_mesh(s, c, fault);
      break;
    case snFCOMP_GMSH:
      ok = make_gmsh(s, c, fault);
      break;
    case snFCOMP_DIRECT:
      ok = make_direct(s, c, fault);
      break;
    default:
      ok = make_grid(s, c, fault);
  }
  for (int i = 0; ok && i < s->nelem; i++) {
    if (s->elem[i] < 0 || s->elem[i] >= s->npoint) {
      ok = fault_raise(fault, "element %d has point id %d, number of points is %d", i, s->elem[i],
                       s->npoint);
    }
  }
  for (int i = 0; ok && i < 3 * s->npoint; i++) {
    if (!isfinite(s->point[i])) ok = fault_raise(fault, "point coordinate %d is not finite", i);
  }
  if (ok && c->ntexcoord) {  // the user's own come first
    memory_free(s->texcoord);
    s->texcoord = memory_alloc((size_t)c->ntexcoord * sizeof(float));
    s->ntexcoord = s->texcoord ? c->ntexcoord : 0;
    ok = s->texcoord || fault_raise(fault, "no memory for flexcomp");
    if (ok) memcpy(s->texcoord, c->texcoord, (size_t)c->ntexcoord * sizeof(float));
  }
  if (!ok) shape_free(s);
  return ok;
}
