// Elasticity of flexes at their reference shape.
//
// Triangles and tetrahedra: Saint Venant-Kirchhoff in the squared edge lengths. With e the rest
// edge vectors and G the Green strain, s = l^2 - L^2 = 2 e' G e for each edge, so G = W s and the
// energy is a quadratic form in s with matrix
//   K = k V (mu sum_ij W_ij W_ij' + lambda w w'),  w = sum_i W_ii,
// where k is 1 for triangles (V the area times thickness) and 4 for tetrahedra. Its upper triangle
// is stored row by row.
//
// Bending of a 2D flex: the quadratic model of Bergou et al. (2006), cotangent weights c over the
// two ends of an edge and its two flaps: mu t^3 / (8 (A0 + A1)) c c'. As released, the weights
// follow the order of the edge's ends in its first triangle, although edges are stored with the
// lower end first.
//
// Trilinear interpolation: minus the stiffness of the 8-node box element with lambda and mu / 2, by
// two Gauss points per axis.
#include <math.h>
#include <string.h>

#include "algebra/small.h"
#include "compile/flex.h"

// Gauss-Jordan with partial pivoting, n <= 6; false when the element is degenerate.
static bool invert(double* a, double* out, int n) {
  for (int i = 0; i < n * n; i++) out[i] = i % (n + 1) == 0;
  for (int c = 0; c < n; c++) {
    int pivot = c;
    for (int r = c + 1; r < n; r++) {
      if (fabs(a[r * n + c]) > fabs(a[pivot * n + c])) pivot = r;
    }
    if (!(fabs(a[pivot * n + c]) > 0)) return false;
    for (int k = 0; k < n; k++) {
      double swap = a[c * n + k];
      a[c * n + k] = a[pivot * n + k], a[pivot * n + k] = swap;
      swap = out[c * n + k];
      out[c * n + k] = out[pivot * n + k], out[pivot * n + k] = swap;
    }
    double scale = 1 / a[c * n + c];
    for (int k = 0; k < n; k++) a[c * n + k] *= scale, out[c * n + k] *= scale;
    for (int r = 0; r < n; r++) {
      double f = a[r * n + c];
      if (r == c || f == 0) continue;
      for (int k = 0; k < n; k++) {
        a[r * n + k] -= f * a[c * n + k];
        out[r * n + k] -= f * out[c * n + k];
      }
    }
  }
  return true;
}

// Corners in coordinates of the element's plane (2D) or unchanged (3D); returns area or volume.
static double local_corners(double q[4][3], const double* xvert, const int* v, int dim,
                            double thickness) {
  double a[3], b[3], c[3], n[3];
  vec3_sub(a, xvert + 3 * v[1], xvert + 3 * v[0]);
  vec3_sub(b, xvert + 3 * v[2], xvert + 3 * v[0]);
  vec3_cross(n, a, b);
  if (dim == 3) {
    vec3_sub(c, xvert + 3 * v[3], xvert + 3 * v[0]);
    vec3_zero(q[0]);
    vec3_copy(q[1], a);
    vec3_copy(q[2], b);
    vec3_copy(q[3], c);
    return fabs(vec3_dot(n, c)) / 6;
  }
  double area = 0.5 * vec3_normalize(n), x[3], y[3];
  vec3_copy(x, a);
  vec3_normalize(x);
  vec3_cross(y, n, x);
  vec3_zero(q[0]);
  vec3_set(q[1], vec3_dot(a, x), vec3_dot(a, y), 0);
  vec3_set(q[2], vec3_dot(b, x), vec3_dot(b, y), 0);
  return area * thickness;
}

static bool element_stiffness(mjtNum* out, const double* xvert, const int* v, int dim, double mu,
                              double lambda, double thickness) {
  static const int strain[2][6][2] = {{{0, 0}, {1, 1}, {0, 1}},
                                      {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}};
  int n = flex_edges_of(dim);
  double q[4][3], m[36], w[36];
  double volume = local_corners(q, xvert, v, dim, thickness);
  for (int e = 0; e < n; e++) {
    const int* pair = kFlexEdge[dim - 1][e];
    double d[3];
    vec3_sub(d, q[pair[1]], q[pair[0]]);
    for (int k = 0; k < n; k++) {
      int i = strain[dim - 2][k][0], j = strain[dim - 2][k][1];
      m[e * n + k] = 2 * (i == j ? 1 : 2) * d[i] * d[j];
    }
  }
  if (!invert(m, w, n)) return false;
  double scale = volume * (dim == 3 ? 4 : 1);
  for (int a = 0, at = 0; a < n; a++) {
    for (int b = a; b < n; b++) {
      double shear = 0, ta = 0, tb = 0;
      for (int k = 0; k < n; k++) {
        shear += (k < dim ? 1 : 2) * w[k * n + a] * w[k * n + b];
        if (k < dim) ta += w[k * n + a], tb += w[k * n + b];
      }
      out[at++] = scale * (mu * shear + lambda * ta * tb);
    }
  }
  return true;
}

static double cotangent(const double* at, const double* p, const double* q) {
  double a[3], b[3], cross[3];
  vec3_sub(a, p, at);
  vec3_sub(b, q, at);
  vec3_cross(cross, a, b);
  return vec3_dot(a, b) / vec3_norm(cross);
}

static double area_of(const double* p, const double* q, const double* r) {
  double a[3], b[3], cross[3];
  vec3_sub(a, q, p);
  vec3_sub(b, r, p);
  vec3_cross(cross, a, b);
  return 0.5 * vec3_norm(cross);
}

static void edge_bending(mjtNum* out, const double* x0, const double* x1, const double* x2,
                         const double* x3, double mu, double thickness) {
  double a02 = cotangent(x0, x1, x2), a03 = cotangent(x0, x1, x3);
  double a12 = cotangent(x1, x0, x2), a13 = cotangent(x1, x0, x3);
  double c[4] = {a12 + a13, a02 + a03, -a02 - a12, -a03 - a13};
  double areas = area_of(x0, x1, x2) + area_of(x0, x1, x3);
  double scale = mu * thickness * thickness * thickness / (8 * areas);
  for (int i = 0; i < 16; i++) out[i] = scale * c[i / 4] * c[i % 4];
}

// Gradients of the trilinear shape functions at a point of the unit box with sides h.
static void box_gradients(double grad[8][3], const double x[3], const double h[3]) {
  for (int a = 0; a < 8; a++) {
    int bit[3] = {a >> 2, a >> 1 & 1, a & 1};
    for (int k = 0; k < 3; k++) {
      double g = (bit[k] ? 1 : -1) / h[k];
      for (int l = 0; l < 3; l++) {
        if (l != k) g *= bit[l] ? x[l] : 1 - x[l];
      }
      grad[a][k] = g;
    }
  }
}

static void box_stiffness(mjtNum* out, const double h[3], double mu, double lambda) {
  const double point[2] = {0.5 - 0.5 / sqrt(3), 0.5 + 0.5 / sqrt(3)};
  double weight = h[0] * h[1] * h[2] / 8;
  memset(out, 0, 576 * sizeof *out);
  for (int p = 0; p < 8; p++) {
    double x[3] = {point[p >> 2], point[p >> 1 & 1], point[p & 1]}, g[8][3];
    box_gradients(g, x, h);
    for (int a = 0; a < 8; a++) {
      for (int b = 0; b < 8; b++) {
        double dot = vec3_dot(g[a], g[b]);
        for (int i = 0; i < 3; i++) {
          for (int j = 0; j < 3; j++) {
            double k =
                lambda * g[a][i] * g[b][j] + mu * g[a][j] * g[b][i] + (i == j ? mu * dot : 0);
            out[(3 * a + i) * 24 + 3 * b + j] -= weight * k;
          }
        }
      }
    }
  }
}

bool flex_make_elasticity(snFlex* f, const snFlexSource* source, const double* xvert,
                          snFault* fault) {
  const mjsFlex* s = source->flex;
  if (!(s->young > 0) || f->dim == 1) return true;
  double mu = s->young / (2 * (1 + s->poisson));
  double lambda = s->young * s->poisson / ((1 + s->poisson) * (1 - 2 * s->poisson));
  bool stretch = f->dim == 3 || s->elastic2d >= 2, bend = f->dim == 2 && (s->elastic2d & 1);
  if (f->interp) {
    double h[3];
    vec3_sub(h, f->node0 + 21, f->node0);
    if (21 * f->nelem < 576) {
      return fault_raise(fault, "trilinear interpolation needs at least 28 elements, not %d",
                         f->nelem);
    }
    box_stiffness(f->stiffness, h, 0.5 * mu, lambda);
    return true;
  }
  if (bend && s->thickness < 0) {
    return fault_raise(fault, "thickness must be positive for bending stiffness");
  }
  if (f->dim == 2 && !(s->thickness > 0)) stretch = false;
  for (int e = 0; stretch && e < f->nelem; e++) {
    if (!element_stiffness(f->stiffness + 21 * (size_t)e, xvert, f->elem + e * (f->dim + 1), f->dim,
                           mu, lambda, s->thickness)) {
      return fault_raise(fault, "element %d is flat, it cannot be elastic", e);
    }
  }
  for (int i = 0, edge = 0; bend && i < f->nelemedge; i++) {
    if (f->elemedge[i] != edge) continue;  // only where the edge appears first
    const int *flap = f->edgeflap + 2 * edge, *v = f->elem + 3 * (i / 3);
    const int* pair = kFlexEdge[1][i % 3];
    if (flap[1] >= 0) {
      edge_bending(f->bending + 16 * (size_t)edge, xvert + 3 * v[pair[0]], xvert + 3 * v[pair[1]],
                   xvert + 3 * flap[0], xvert + 3 * flap[1], mu, s->thickness);
    }
    edge++;
  }
  return true;
}
