// Vertex normals: the mean of the adjacent face normals weighted by area. Without smoothing, faces
// that deviate too much from that mean are subtracted again, so that edges stay sharp.
//
// Both sums are in float, like the normals themselves: where little remains after the subtraction,
// the released compiler's rounding shows in the result and is reproduced. Where nothing remains,
// both sums have the same terms and the difference is exactly zero.
#include <string.h>

#include "algebra/small.h"
#include "compile/mesh.h"

// cosine between a face normal and the mean below which the face is subtracted
static const double kSharp = 0.8;

// Unit normal; returns its weight, twice the area, or 0 for a degenerate face.
static double face_normal(double normal[3], const double* vert, const int face[3]) {
  double a[3], b[3];
  vec3_sub(a, vert + 3 * face[1], vert + 3 * face[0]);
  vec3_sub(b, vert + 3 * face[2], vert + 3 * face[0]);
  vec3_cross(normal, a, b);
  double length = vec3_norm(normal);
  if (length < kMeshMinNormal) return 0;
  vec3_scale(normal, normal, 1 / length);
  return length;
}

static void add(float* sum, const double* normal, double weight) {
  for (int k = 0; k < 3; k++) sum[k] = (float)(sum[k] + weight * normal[k]);
}

static void to_double(double* r, const float* v) {
  for (int k = 0; k < 3; k++) r[k] = v[k];
}

void mesh_normalize(double* normal) {
  double length = vec3_norm(normal);
  if (length < kMeshMinNormal) {
    vec3_set(normal, 0, 0, 1);
  } else {
    vec3_scale(normal, normal, 1 / length);
  }
}

bool mesh_make_normals(snMeshWork* work, snFault* fault) {
  snMesh* mesh = work->mesh;
  int nvert = mesh->nvert, nface = mesh->nface;
  work->normal = memory_alloc(3 * (size_t)nvert * sizeof(double));
  float* sum = memory_alloc_zero(3 * (size_t)nvert * sizeof(float));
  float* out = memory_alloc_zero(3 * (size_t)nvert * sizeof(float));
  double* face = memory_alloc(4 * (size_t)(nface ? nface : 1) * sizeof(double));
  mesh->facenormal = memory_alloc(3 * (size_t)(nface ? nface : 1) * sizeof(int));
  bool ok = work->normal && sum && out && face && mesh->facenormal;
  if (ok) {
    double* mean = work->normal;
    mesh->nnormal = nvert;
    memcpy(mesh->facenormal, mesh->face, 3 * (size_t)nface * sizeof(int));
    for (int f = 0; f < nface; f++) {
      double* n = face + 4 * (size_t)f;
      n[3] = face_normal(n, work->vert, mesh->face + 3 * f);
      if (n[3] == 0) continue;
      for (int c = 0; c < 3; c++) add(sum + 3 * mesh->face[3 * f + c], n, n[3]);
    }
    if (!work->source->mesh->smoothnormal) {
      for (int v = 0; v < nvert; v++) {
        to_double(mean + 3 * v, sum + 3 * v);
        double length = vec3_norm(mean + 3 * v);
        if (length >= kMeshMinNormal) vec3_scale(mean + 3 * v, mean + 3 * v, 1 / length);
      }
      for (int f = 0; f < nface; f++) {
        const double* n = face + 4 * (size_t)f;
        for (int c = 0; c < 3 && n[3] != 0; c++) {
          int v = mesh->face[3 * f + c];
          if (vec3_dot(n, mean + 3 * v) < kSharp) add(out + 3 * v, n, n[3]);
        }
      }
    }
    for (int v = 0; v < nvert; v++) {
      for (int k = 3 * v; k < 3 * v + 3; k++) work->normal[k] = sum[k] - out[k];
      mesh_normalize(work->normal + 3 * v);
    }
  } else {
    fault_raise(fault, "no memory for the normals of mesh '%s'", work->source->name);
  }
  memory_free(sum);
  memory_free(out);
  memory_free(face);
  return ok;
}
