// Meshes: from a file or inline data to all arrays of mjModel. The steps are in mesh.h.
#include <math.h>
#include <string.h>
#include <strings.h>

#include "algebra/small.h"
#include "compile/asset.h"
#include "compile/mesh.h"
#include "model/resource.h"

void meshdata_free(snMeshData* data) {
  memory_free(data->vert);
  memory_free(data->normal);
  memory_free(data->texcoord);
  memory_free(data->face);
  memory_free(data->facenormal);
  memory_free(data->facetexcoord);
  memset(data, 0, sizeof *data);
}

void mesh_free(snMesh* mesh) {
  void* block[] = {mesh->vert,        mesh->normal,       mesh->texcoord, mesh->face,
                   mesh->facenormal,  mesh->facetexcoord, mesh->graph,    mesh->polynormal,
                   mesh->polyvertadr, mesh->polyvertnum,  mesh->polyvert, mesh->polymapadr,
                   mesh->polymapnum,  mesh->polymap};
  for (size_t i = 0; i < sizeof block / sizeof *block; i++) memory_free(block[i]);
  bvh_free(&mesh->bvh);
  octree_free(&mesh->octree);
  memset(mesh, 0, sizeof *mesh);
}

bool file_has_extension(const snFile* file, const char* extension) {
  size_t n = file->name ? strlen(file->name) : 0, k = strlen(extension);
  return n >= k && !strcasecmp(file->name + n - k, extension);
}

// ---- the source, checked

static bool read_file(snMeshData* data, const snFile* file, snFault* fault) {
  static const struct {
    const char *type, *extension;
    bool (*read)(snMeshData*, const snFile*, snFault*);
  } format[] = {{"model/stl", ".stl", stl_read},
                {"model/obj", ".obj", obj_read},
                {"model/vnd.mujoco.msh", ".msh", msh_read}};
  bool typed = file->content_type && *file->content_type;
  for (size_t i = 0; i < sizeof format / sizeof *format; i++) {
    if (typed ? resource_is_type(file->content_type, format[i].type)
              : file_has_extension(file, format[i].extension)) {
      return format[i].read(data, file, fault);
    }
  }
  if (typed) return fault_raise(fault, "unsupported mesh type: '%s'", file->content_type);
  return fault_raise(fault, "unknown or unsupported mesh file: '%s'; expected .stl, .obj or .msh",
                     file->name);
}

static void* duplicate(const void* from, size_t bytes, bool* ok) {
  if (!bytes) return NULL;
  void* copy = memory_alloc(bytes);
  if (copy) memcpy(copy, from, bytes);
  if (!copy) *ok = false;
  return copy;
}

// Inline data in addition to the data of a file; each kind (vertices, normals, ...) may come from
// one of the two only.
static bool add_inline(snMeshData* data, const snMeshSource* s, snFault* fault) {
  if (s->nvert % 3) return fault_raise(fault, "vertex data must be a multiple of 3");
  if (s->nnormal % 3) return fault_raise(fault, "normal data must be a multiple of 3");
  if (s->ntexcoord % 2) return fault_raise(fault, "texcoord must be a multiple of 2");
  if (s->nface % 3) return fault_raise(fault, "face data must be a multiple of 3");
  if (s->nfacetexcoord && s->nfacetexcoord != s->nface) {
    return fault_raise(fault, "face texcoord data must have the size of face data");
  }
  bool ordered =
      file_has_extension(&s->file, ".msh") && data->nface;  // in this format normals are by vertex
  const char* twice = s->nvert && data->nvert                                   ? "vertex"
                      : s->nface && data->nface                                 ? "face"
                      : s->nnormal && (data->nnormal || ordered)                ? "normal"
                      : s->ntexcoord && (data->ntexcoord || data->facetexcoord) ? "texcoord"
                                                                                : NULL;
  if (twice) {
    return fault_raise(fault, "repeated %s specification: mesh '%s' has it in its file and inline",
                       twice, s->name);
  }
  bool ok = true;
  if (s->nvert) {
    data->nvert = s->nvert / 3;
    data->vert = duplicate(s->vert, (size_t)s->nvert * sizeof(float), &ok);
  }
  if (s->nnormal) {
    data->nnormal = s->nnormal / 3;
    data->normal = duplicate(s->normal, (size_t)s->nnormal * sizeof(float), &ok);
  }
  if (s->ntexcoord) {
    data->ntexcoord = s->ntexcoord / 2;
    data->texcoord = duplicate(s->texcoord, (size_t)s->ntexcoord * sizeof(float), &ok);
  }
  if (s->nface) {
    data->nface = s->nface / 3;
    data->face = duplicate(s->face, (size_t)s->nface * sizeof(int), &ok);
    data->facetexcoord = duplicate(s->facetexcoord, (size_t)s->nfacetexcoord * sizeof(int), &ok);
  }
  if (!ok) return fault_raise(fault, "no memory for mesh '%s'", s->name);
  // an OBJ file may have more texture coordinates than vertices
  bool many = file_has_extension(&s->file, ".obj") && data->ntexcoord >= data->nvert;
  if (s->ntexcoord && !data->facetexcoord && data->ntexcoord != data->nvert && !many) {
    return fault_raise(fault, "texcoord must be 2*nv if face texcoord indices are not provided");
  }
  if (s->nnormal && data->nnormal < data->nvert) {
    return fault_raise(fault, "normal must be 3*nv: %d numbers, expected %d", s->nnormal,
                       3 * data->nvert);
  }
  return true;
}

static bool check_data(const snMeshData* data, const snMeshSource* s, snFault* fault) {
  if (data->nvert < 4) return fault_raise(fault, "at least 4 vertices required");
  for (int i = 0; i < 3 * data->nvert; i++) {
    if (!isfinite(data->vert[i]))
      return fault_raise(fault, "vertex coordinate %d is not finite", i);
  }
  for (int i = 0; i < 3 * data->nface; i++) {
    if (data->face[i] < 0 || data->face[i] >= data->nvert) {
      return fault_raise(fault, "in face %d, vertex index %d does not exist", i / 3, data->face[i]);
    }
    if (data->facetexcoord &&
        (data->facetexcoord[i] < -1 || data->facetexcoord[i] >= data->ntexcoord)) {
      return fault_raise(fault, "in face %d, texcoord index %d does not exist", i / 3,
                         data->facetexcoord[i]);
    }
  }
  int limit = s->mesh->maxhullvert;
  if (limit != -1 && limit < 4) return fault_raise(fault, "maxhullvert must be larger than 3");
  return true;
}

// A negative scale mirrors the mesh, so faces from a file are flipped. Inline faces are kept as the
// user gives them. The legacy MSH format keeps its normal and texture indices.
static void mirror_faces(snMeshData* data, const snMeshSource* s) {
  const double* scale = s->mesh->scale;
  if (!s->file.bytes || scale[0] * scale[1] * scale[2] >= 0) return;
  int* index[3] = {data->face, data->facenormal, data->facetexcoord};
  for (int k = 0; k < 3; k++) {
    for (int f = 0; index[k] && f < data->nface; f++) {
      int swap = index[k][3 * f + 1];
      index[k][3 * f + 1] = index[k][3 * f + 2];
      index[k][3 * f + 2] = swap;
    }
  }
}

// The faces of a point cloud are those of its hull.
static bool take_data(snMeshWork* work, snMeshData* data, snFault* fault) {
  snMesh* mesh = work->mesh;
  const snMeshSource* s = work->source;
  bool indexed = data->facenormal != NULL;
  bool ok = true;
  // Formats with one normal or texture coordinate per vertex use the indices of the faces, before
  // mirroring.
  if (data->nnormal && !indexed && data->nface) {
    mesh->facenormal = duplicate(data->face, 3 * (size_t)data->nface * sizeof(int), &ok);
  }
  if (data->ntexcoord && !data->facetexcoord && data->nface) {
    mesh->facetexcoord = duplicate(data->face, 3 * (size_t)data->nface * sizeof(int), &ok);
  }
  mirror_faces(data, s);
  work->vert = memory_alloc(3 * (size_t)data->nvert * sizeof(double));
  if (data->nnormal) work->normal = memory_alloc(3 * (size_t)data->nnormal * sizeof(double));
  if (!ok || !work->vert || (data->nnormal && !work->normal)) {
    return fault_raise(fault, "no memory for mesh '%s'", s->name);
  }
  for (int i = 0; i < 3 * data->nvert; i++) work->vert[i] = data->vert[i];
  for (int i = 0; i < 3 * data->nnormal; i++) work->normal[i] = data->normal[i];
  mesh->nvert = data->nvert;
  mesh->nnormal = data->nnormal;
  mesh->ntexcoord = data->ntexcoord;
  mesh->nface = data->nface;
  mesh->texcoord = data->texcoord, data->texcoord = NULL;
  mesh->face = data->face, data->face = NULL;
  if (data->facenormal) mesh->facenormal = data->facenormal, data->facenormal = NULL;
  if (data->facetexcoord) mesh->facetexcoord = data->facetexcoord, data->facetexcoord = NULL;

  if (data->nface && !s->need_hull && s->mesh->inertia != mjMESH_INERTIA_CONVEX) return true;
  if (!hull_build(&mesh->graph, &mesh->ngraph, work->vert, mesh->nvert, s->mesh->maxhullvert,
                  s->name, fault)) {
    return false;
  }
  if (data->nface) return true;
  mesh->nface = hull_nface(mesh->graph);
  size_t bytes = 3 * (size_t)mesh->nface * sizeof(int);
  memory_free(mesh->face);
  mesh->face = duplicate(hull_faces(mesh->graph), bytes, &ok);
  if (mesh->nnormal) {
    memory_free(mesh->facenormal);
    mesh->facenormal = duplicate(mesh->face, bytes, &ok);
  }
  if (mesh->ntexcoord) {
    memory_free(mesh->facetexcoord);
    mesh->facetexcoord = duplicate(mesh->face, bytes, &ok);
  }
  return ok || fault_raise(fault, "no memory for mesh '%s'", s->name);
}

// ---- reference frame and scale

static bool apply_reference(snMeshWork* work, snFault* fault) {
  const mjsMesh* s = work->source->mesh;
  snMesh* mesh = work->mesh;
  double inverse[4], rotation[9];
  double norm = sqrt(s->refquat[0] * s->refquat[0] + s->refquat[1] * s->refquat[1] +
                     s->refquat[2] * s->refquat[2] + s->refquat[3] * s->refquat[3]);
  if (!(norm >= mjMINVAL) || !isfinite(norm)) {
    return fault_raise(fault, "refquat of mesh '%s' has no direction", work->source->name);
  }
  quat_conj(inverse, s->refquat);
  for (int k = 0; k < 4; k++) inverse[k] /= norm;
  quat_to_mat(rotation, inverse);
  for (int i = 0; i < mesh->nvert; i++) {
    double* v = work->vert + 3 * i;
    vec3_sub(v, v, s->refpos);
    mat3_mul_vec(v, rotation, v);
    for (int k = 0; k < 3; k++) v[k] *= s->scale[k];
  }
  for (int i = 0; i < mesh->nnormal; i++) {
    double* n = work->normal + 3 * i;
    mat3_mul_vec(n, rotation, n);
    for (int k = 0; k < 3; k++) n[k] *= s->scale[k];
    mesh_normalize(n);
  }
  vec3_copy(mesh->scale, s->scale);

  // the hull was made before scaling: a mirror flips its faces
  if (mesh->graph && s->scale[0] * s->scale[1] * s->scale[2] < 0) {
    int* face = hull_faces(mesh->graph);
    for (int f = 0; f < hull_nface(mesh->graph); f++) {
      int swap = face[3 * f];
      face[3 * f] = face[3 * f + 1];
      face[3 * f + 1] = swap;
    }
  }
  return true;
}

// ---- output

// The center of the circle through three points: with a, b two sides from the third point c,
//   c + (|a|^2 b - |b|^2 a) x (a x b) / (2 |a x b|^2);  the mean of the points when they are in
//   line.
static void circumcenter(double to[3], const double* p, const double* q, const double* c) {
  double a[3], b[3], normal[3], mixed[3];
  vec3_sub(a, p, c);
  vec3_sub(b, q, c);
  vec3_cross(normal, a, b);
  double aa = vec3_dot(a, a), bb = vec3_dot(b, b), twice = 2 * vec3_dot(normal, normal);
  if (!(twice > 1e-24 * aa * bb)) {
    to[0] = to[1] = to[2] = INFINITY;
    return;
  }
  for (int k = 0; k < 3; k++) mixed[k] = aa * b[k] - bb * a[k];
  vec3_cross(to, mixed, normal);
  for (int k = 0; k < 3; k++) to[k] = c[k] + to[k] / twice;
}

static bool make_boxes(snMeshWork* work, snFault* fault) {
  snMesh* mesh = work->mesh;
  mjtNum* box = memory_alloc(9 * (size_t)mesh->nface * sizeof(mjtNum));
  if (!box) return fault_raise(fault, "no memory for mesh '%s'", work->source->name);
  mjtNum* place = box + 6 * (size_t)mesh->nface;
  for (int f = 0; f < mesh->nface; f++) {
    const int* v = mesh->face + 3 * f;
    mjtNum* b = box + 6 * (size_t)f;
    for (int k = 0; k < 3; k++) {
      double x = work->vert[3 * v[0] + k], y = work->vert[3 * v[1] + k],
             z = work->vert[3 * v[2] + k];
      double low = x < y ? x : y, high = x < y ? y : x;
      if (z < low) low = z;
      if (z > high) high = z;
      b[k] = 0.5 * (low + high);
      b[3 + k] = 0.5 * (high - low);
    }
    circumcenter(place + 3 * (size_t)f, work->vert + 3 * v[0], work->vert + 3 * v[1],
                 work->vert + 3 * v[2]);
  }
  bool ok = bvh_build(&mesh->bvh, box, place, NULL, mesh->nface, fault);
  memory_free(box);

  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < mesh->nvert; i++) {
    for (int k = 0; k < 3; k++) {
      double x = work->vert[3 * i + k];
      low[k] = x < low[k] ? x : low[k];
      high[k] = x > high[k] ? x : high[k];
    }
  }
  for (int k = 0; k < 3; k++) {
    mesh->aabb[k] = 0.5 * (low[k] + high[k]);
    mesh->aabb[3 + k] = 0.5 * (high[k] - low[k]);
    mesh->size[k] = fmax(fabs(low[k]), fabs(high[k]));
  }
  return ok;
}

static bool to_float(snMeshWork* work, snFault* fault) {
  snMesh* mesh = work->mesh;
  mesh->vert = memory_alloc(3 * (size_t)mesh->nvert * sizeof(float));
  mesh->normal = memory_alloc(3 * (size_t)mesh->nnormal * sizeof(float));
  if (!mesh->vert || !mesh->normal) {
    return fault_raise(fault, "no memory for mesh '%s'", work->source->name);
  }
  for (int i = 0; i < 3 * mesh->nvert; i++) mesh->vert[i] = (float)work->vert[i];
  for (int i = 0; i < 3 * mesh->nnormal; i++) mesh->normal[i] = (float)work->normal[i];
  return true;
}

bool mesh_build(snMesh* mesh, const snMeshSource* source, snFault* fault) {
  memset(mesh, 0, sizeof *mesh);
  snMeshWork work = {.source = source, .mesh = mesh};
  snMeshData data;
  memset(&data, 0, sizeof data);
  bool ok = (!source->file.bytes || read_file(&data, &source->file, fault)) &&
            add_inline(&data, source, fault) && check_data(&data, source, fault) &&
            take_data(&work, &data, fault) && (work.normal || mesh_make_normals(&work, fault)) &&
            mesh_make_polygons(&work, fault) && apply_reference(&work, fault) &&
            mesh_centre(&work, fault) && make_boxes(&work, fault) && to_float(&work, fault) &&
            (!source->need_sdf || octree_build(&mesh->octree, mesh, work.vert, fault));
  if (ok) {
    mesh_measure(mesh, work.vert);
    mesh_finish_polygons(&work);
  }
  meshdata_free(&data);
  memory_free(work.vert);
  memory_free(work.normal);
  if (!ok) mesh_free(mesh);
  return ok;
}
