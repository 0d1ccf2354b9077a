// Volume, center of mass and inertia of a triangulated surface.
//
// Each face spans a tetrahedron with a reference point o: v = h A / 3, with h the signed height of
// the face plane over o. The center of mass is the volume-weighted mean of the centroids
// (3 c + o) / 4. About it, the second moment of a tetrahedron with corners 0, a, b, c is
//   v / 20 (a a' + b b' + c c' + s s'),  s = a + b + c,
// and that of a triangle A / 12 (a a' + b b' + c c' + s s').
// Inertia settings convex and exact use signed volumes; legacy their magnitudes; shell uses areas.
#include <math.h>
#include <string.h>

#include "algebra/algebra.h"
#include "compile/mesh.h"

static const double kTriangleSlack = 1e-6;  // relative rounding allowed in A + B >= C
static const double kHugeInertia = 1e300;   // about to overflow

typedef struct snMeshSolid_ {
  const double* vert;
  const int* face;
  int nface;
  bool shell, magnitude;
} snMeshSolid;

// Centroid, normal and area of a face. Principal axes of nearly symmetric meshes depend on
// rounding, so here and below the order of operations is the released one.
static double face_shape(const snMeshSolid* s, int f, double centre[3], double normal[3]) {
  const double* p[3];
  for (int c = 0; c < 3; c++) p[c] = s->vert + 3 * s->face[3 * f + c];
  double a[3], b[3];
  vec3_sub(a, p[1], p[0]);
  vec3_sub(b, p[2], p[0]);
  vec3_cross(normal, a, b);
  double length = vec3_norm(normal);
  for (int k = 0; k < 3; k++) {
    centre[k] = (p[0][k] + p[1][k] + p[2][k]) / 3;
    normal[k] = length < mjMINVAL ? k == 0 : normal[k] / length;
  }
  return 0.5 * length;
}

static double pyramid_volume(const snMeshSolid* s, const double centre[3], const double normal[3],
                             double area, const double apex[3]) {
  double arm[3];
  vec3_sub(arm, centre, apex);
  double volume = vec3_dot(arm, normal) * area / 3;
  return s->magnitude ? fabs(volume) : volume;
}

static double surface_centre(const snMeshSolid* s, double out[3]) {
  double total = 0, centre[3], normal[3];
  vec3_zero(out);
  for (int f = 0; f < s->nface; f++) {
    double area = face_shape(s, f, centre, normal);
    vec3_add_scaled(out, out, centre, area);
    total += area;
  }
  for (int k = 0; k < 3 && total >= mjMINVAL; k++) out[k] /= total;
  return total;
}

static double volume_centre(const snMeshSolid* s, const double apex[3], double out[3]) {
  double total = 0, centre[3], normal[3];
  vec3_zero(out);
  for (int f = 0; f < s->nface; f++) {
    double area = face_shape(s, f, centre, normal);
    double volume = s->shell ? area : pyramid_volume(s, centre, normal, area, apex);
    for (int k = 0; k < 3; k++) out[k] += volume * (0.75 * centre[k] + 0.25 * apex[k]);
    total += volume;
  }
  for (int k = 0; k < 3 && fabs(total) >= mjMINVAL; k++) out[k] /= total;
  return total;
}

// Inertia matrix about the origin; returns the total volume (area).
static double inertia_about_origin(const snMeshSolid* s, double inertia[9]) {
  static const double zero[3] = {0, 0, 0};
  double total = 0, moment[9] = {0};
  for (int f = 0; f < s->nface; f++) {
    double centre[3], normal[3];
    double weight = face_shape(s, f, centre, normal);
    if (!s->shell) weight = pyramid_volume(s, centre, normal, weight, zero);
    total += weight;
    weight /= s->shell ? 12 : 20;
    const int* v = s->face + 3 * f;
    const double *a = s->vert + 3 * v[0], *b = s->vert + 3 * v[1], *c = s->vert + 3 * v[2];
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j <= i; j++) {
        double twice = 2 * (a[i] * a[j] + b[i] * b[j] + c[i] * c[j]);
        moment[3 * i + j] += weight * (twice + a[j] * b[i] + a[i] * b[j] + a[j] * c[i] +
                                       a[i] * c[j] + b[j] * c[i] + b[i] * c[j]);
      }
    }
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < i; j++) inertia[3 * i + j] = inertia[3 * j + i] = -moment[3 * i + j];
    int a = i ? 0 : 1, b = i == 2 ? 1 : 2;
    inertia[4 * i] = moment[4 * a] + moment[4 * b];
  }
  return total;
}

// Two faces that traverse an edge in the same direction have opposite orientation: an error. Faces
// without area are ignored.
static bool check_orientation(const snMeshSolid* solid, const char* name, snFault* fault) {
  size_t slots = 16;
  while (slots < 6 * (size_t)solid->nface) slots *= 2;
  uint64_t* slot = memory_alloc_zero(slots * sizeof(uint64_t));
  if (!slot) return fault_raise(fault, "no memory for mesh '%s'", name);
  bool ok = true;
  for (int f = 0; ok && f < solid->nface; f++) {
    double centre[3], normal[3];
    const int* v = solid->face + 3 * f;
    if (face_shape(solid, f, centre, normal) < mjMINVAL) continue;
    for (int c = 0; ok && c < 3; c++) {
      int a = v[c], b = v[(c + 1) % 3];
      uint64_t edge = ((uint64_t)a << 32 | (uint32_t)b) + 1;
      size_t at = (size_t)(edge * 0x9E3779B97F4A7C15u >> 20) & (slots - 1);
      while (slot[at] && slot[at] != edge) at = (at + 1) & (slots - 1);
      if (slot[at]) {
        ok = fault_raise(fault,
                         "faces of mesh '%s' have inconsistent orientation. Please check the "
                         "faces containing the vertices %d and %d.",
                         name, a, b);
      }
      slot[at] = edge;
    }
  }
  memory_free(slot);
  return ok;
}

static bool check_volume(double volume, bool shell, const char* name, snFault* fault) {
  if (!isfinite(volume)) return fault_raise(fault, "mesh volume is not finite: %s", name);
  if (shell) {
    return volume >= mjMINVAL || fault_raise(fault, "mesh surface area is too small: %s", name);
  }
  if (volume < 0) {
    return fault_raise(fault, "mesh volume is negative (misoriented triangles): %s", name);
  }
  if (volume < mjMINVAL) {
    return fault_raise(fault, "mesh volume is too small: %s . Try setting inertia to shell", name);
  }
  return true;
}

// Expresses vertices and normals in the axes of a frame at the origin.
static void turn_to_frame(snMeshWork* work, const double quat[4]) {
  double inverse[4], rotation[9];
  quat_conj(inverse, quat);
  quat_to_mat(rotation, inverse);
  for (int i = 0; i < work->mesh->nvert; i++) {
    mat3_mul_vec(work->vert + 3 * i, rotation, work->vert + 3 * i);
  }
  for (int i = 0; i < work->mesh->nnormal; i++) {
    mat3_mul_vec(work->normal + 3 * i, rotation, work->normal + 3 * i);
  }
}

bool mesh_centre(snMeshWork* work, snFault* fault) {
  snMesh* mesh = work->mesh;
  const char* name = work->source->name;
  mjtMeshInertia kind = work->source->mesh->inertia;
  snMeshSolid solid = {work->vert, mesh->face, mesh->nface, kind == mjMESH_INERTIA_SHELL,
                       kind == mjMESH_INERTIA_LEGACY};
  if (kind == mjMESH_INERTIA_CONVEX) {
    // the released compiler sees the hull of a mirrored mesh inside out and refuses it
    const double* scale = work->source->mesh->scale;
    if (scale[0] * scale[1] * scale[2] < 0) return check_volume(-1, false, name, fault);
    solid.face = hull_faces(mesh->graph);
    solid.nface = hull_nface(mesh->graph);
  }
  if (kind == mjMESH_INERTIA_EXACT && !check_orientation(&solid, name, fault)) return false;

  double centre[3], inertia[9], apex[3];
  double area = surface_centre(&solid, apex);
  if (!check_volume(area, true, name, fault)) return false;
  if (!check_volume(volume_centre(&solid, apex, centre), solid.shell, name, fault)) return false;
  for (int i = 0; i < mesh->nvert; i++) vec3_sub(work->vert + 3 * i, work->vert + 3 * i, centre);
  mesh->volume = inertia_about_origin(&solid, inertia);
  if (!check_volume(mesh->volume, solid.shell, name, fault)) return false;

  eig3_axes(mesh->inertia, mesh->quat, inertia);
  vec3_copy(mesh->pos, centre);
  const double* I = mesh->inertia;
  if (I[2] <= 0 || I[0] > kHugeInertia) {
    return fault_raise(fault, "eigenvalue of mesh inertia must be positive: %s", name);
  }
  const double bound = 1 - kTriangleSlack;
  if (I[0] + I[1] < I[2] * bound || I[0] + I[2] < I[1] * bound || I[1] + I[2] < I[0] * bound) {
    return fault_raise(fault, "eigenvalues of mesh inertia violate A + B >= C: %s", name);
  }
  // a box of half sizes s has I_x = m (s_y^2 + s_z^2) / 3
  for (int k = 0; k < 3; k++) {
    double square = 0.5 * (I[(k + 1) % 3] + I[(k + 2) % 3] - I[k]) * 3 / mesh->volume;
    mesh->boxsz[k] = sqrt(fmax(square, 0));
  }
  turn_to_frame(work, mesh->quat);
  return true;
}

void mesh_geom_inertia(const snMesh* mesh, double mass, double density, double* out_mass,
                       double out_inertia[3]) {
  *out_mass = isnan(mass) ? mesh->volume * density : mass;
  const double* s = mesh->boxsz;
  for (int k = 0; k < 3; k++) {
    double a = s[(k + 1) % 3], b = s[(k + 2) % 3];
    out_inertia[k] = *out_mass * (a * a + b * b) / 3;
  }
}
