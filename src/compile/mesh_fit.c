// Primitives fitted to meshes (geom type and mesh both given): with the inertia of the mesh's
// equivalent box, or with fitaabb enclosing its bounding box.
#include <math.h>

#include "algebra/small.h"
#include "compile/mesh.h"

// Sizes about the center of the bounding box: radius of the sphere, radius of the cylinder along z,
// and half length of the capsule with that radius whose caps enclose every vertex.
void mesh_measure(snMesh* mesh, const double* vert) {
  double sphere = 0, around = 0, half = 0;
  for (int i = 0; i < mesh->nvert; i++) {
    double v[3];
    vec3_sub(v, vert + 3 * i, mesh->aabb);
    double square = vec3_dot(v, v), flat = v[0] * v[0] + v[1] * v[1];
    if (square > sphere) sphere = square;
    if (flat > around) around = flat;
  }
  for (int i = 0; i < mesh->nvert; i++) {
    double v[3];
    vec3_sub(v, vert + 3 * i, mesh->aabb);
    if (fabs(v[2]) <= half) continue;
    double left = around - (v[0] * v[0] + v[1] * v[1]);
    double reach = fabs(v[2]) - (left > 0 ? sqrt(left) : 0);
    if (reach > half) half = reach;
  }
  mesh->fit_sphere = sqrt(sphere);
  mesh->fit_cylinder = sqrt(around);
  mesh->fit_capsule = half;
}

void mesh_place(const snMesh* mesh, double pos[3], double quat[4]) {
  double rotation[9], offset[3];
  quat_to_mat(rotation, quat);
  mat3_mul_vec(offset, rotation, mesh->pos);
  vec3_add(pos, pos, offset);
  quat_mul(quat, quat, mesh->quat);
}

bool mesh_fit(snMesh* mesh, int geomtype, bool fitaabb, double fitscale, double size[3],
              double pos[3], double quat[4], snFault* fault) {
  const double* box = fitaabb ? mesh->aabb + 3 : mesh->boxsz;
  double mean = (box[0] + box[1]) / 2;
  switch (geomtype) {
    case mjGEOM_SPHERE:
      size[0] = fitaabb ? mesh->fit_sphere : (box[0] + box[1] + box[2]) / 3;
      break;
    case mjGEOM_CAPSULE:
      size[0] = fitaabb ? mesh->fit_cylinder : mean;
      size[1] = fitaabb ? mesh->fit_capsule : fmax(0, box[2] - mean / 2);
      break;
    case mjGEOM_CYLINDER:
      size[0] = fitaabb ? mesh->fit_cylinder : mean;
      size[1] = box[2];
      break;
    case mjGEOM_ELLIPSOID:
    case mjGEOM_BOX:
      vec3_copy(size, box);
      break;
    default:
      return fault_raise(fault,
                         "invalid geom type in fitting mesh: expected sphere, capsule, "
                         "ellipsoid, cylinder or box");
  }
  vec3_scale(size, size, fitscale);  // also numbers that the type does not use
  // as released, the mesh keeps the moved center: later geoms with this mesh see it
  if (fitaabb) vec3_add(mesh->pos, mesh->pos, mesh->aabb);
  mesh_place(mesh, pos, quat);
  return true;
}
