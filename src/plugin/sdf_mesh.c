// mujoco.sdf.sdflib: the signed distance field of a mesh.
//
// The field is that of the mesh of the geom that uses the instance, in the frame of the mesh file.
// It depends on the mesh alone and is expensive, so all instances of the process share it, and the
// last few are cached after their users are gone: data is typically made many times for one model.
#include <pthread.h>
#include <string.h>

#include "model/model.h"
#include "plugin/config.h"
#include "plugin/first_party.h"
#include "plugin/mesh_field.h"

enum { kKept = 8 };

typedef struct snShared_ {
  uint64_t hash;
  size_t bytes;  // of `mesh`
  void* mesh;    // vertices and faces, compared because hashes may collide
  snMeshField* field;
  int users;
  uint64_t age;
  struct snShared_* next;
} snShared;

static snShared* shared;
static uint64_t shared_clock;
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;

static void shared_free(snShared* s) {
  mesh_field_free(s->field);
  memory_free(s->mesh);
  memory_free(s);
}

// Evicts the oldest fields without users, beyond a few.
static void shared_trim(void) {
  for (;;) {
    snShared **oldest = NULL, **link = &shared;
    int idle = 0;
    for (; *link; link = &(*link)->next) {
      if ((*link)->users) continue;
      idle++;
      if (!oldest || (*link)->age < (*oldest)->age) oldest = link;
    }
    if (idle <= kKept) return;
    snShared* gone = *oldest;
    *oldest = gone->next;
    shared_free(gone);
  }
}

static void shared_leave(snShared* s) {
  pthread_mutex_lock(&shared_lock);
  s->users--;
  s->age = ++shared_clock;
  shared_trim();
  pthread_mutex_unlock(&shared_lock);
}

// The vertices of a mesh in the frame of its file, followed by its faces; NULL: no memory.
static double* mesh_copy(const mjModel* m, int mesh, size_t* bytes) {
  size_t nvert = (size_t)m->mesh_vertnum[mesh], nface = (size_t)m->mesh_facenum[mesh];
  *bytes = 3 * nvert * sizeof(double) + 3 * nface * sizeof(int);
  double* copy = memory_alloc(*bytes ? *bytes : 1);
  if (!copy) return NULL;
  const float* vert = m->mesh_vert + 3 * m->mesh_vertadr[mesh];
  for (size_t i = 0; i < nvert; i++) {
    double v[3] = {vert[3 * i], vert[3 * i + 1], vert[3 * i + 2]};
    mju_rotVecQuat(copy + 3 * i, v, m->mesh_quat + 4 * mesh);
    mju_addTo3(copy + 3 * i, m->mesh_pos + 3 * mesh);
  }
  memcpy(copy + 3 * nvert, m->mesh_face + 3 * m->mesh_faceadr[mesh], 3 * nface * sizeof(int));
  return copy;
}

static snShared* shared_make(const mjModel* m, int mesh, void* copy, size_t bytes, snFault* fault) {
  snShared* s = memory_alloc_zero(sizeof *s);
  const double* vert = copy;
  const int* face = (const int*)(vert + 3 * (size_t)m->mesh_vertnum[mesh]);
  snMeshField* field = NULL;
  if (s) field = mesh_field_make(vert, m->mesh_vertnum[mesh], face, m->mesh_facenum[mesh], fault);
  if (!field) {
    memory_free(s);
    return NULL;
  }
  s->hash = hash_bytes(copy, bytes, 0);
  s->bytes = bytes;
  s->mesh = copy;
  s->field = field;
  return s;
}

// The field of a mesh, from the cache or new; NULL and a fault on failure.
static snShared* shared_enter(const mjModel* m, int mesh, snFault* fault) {
  size_t bytes;
  void* copy = model_mesh_holds(m, mesh) ? mesh_copy(m, mesh, &bytes) : NULL;
  if (!copy) {
    fault_raise(fault, "no memory for the field of a mesh");
    return NULL;
  }
  uint64_t hash = hash_bytes(copy, bytes, 0);
  pthread_mutex_lock(&shared_lock);
  snShared* s = shared;
  while (s && (s->hash != hash || s->bytes != bytes || memcmp(s->mesh, copy, bytes))) s = s->next;
  if (s) {
    memory_free(copy);
  } else {
    s = shared_make(m, mesh, copy, bytes, fault);
    if (s) {
      s->next = shared;
      shared = s;
    } else {
      memory_free(copy);
      fault_raise(fault, "no memory for the field of a mesh");
    }
  }
  if (s) s->users++;
  pthread_mutex_unlock(&shared_lock);
  return s;
}

// ---- the plugin

// The mesh of the geoms that use the instance; -1: no geom does; -2 with a warning: not one mesh.
static int instance_mesh(const mjModel* m, int instance) {
  int mesh = -1;
  for (int g = 0; g < m->ngeom; g++) {
    if (m->geom_plugin[g] != instance) continue;
    if (m->geom_dataid[g] < 0 || m->geom_type[g] != mjGEOM_SDF) {
      mju_warning("mujoco.sdf.sdflib: geom %d has no mesh; expected type=\"sdf\" and a mesh", g);
      return -2;
    }
    if (mesh >= 0 && mesh != m->geom_dataid[g]) {
      mju_warning("mujoco.sdf.sdflib: instance %d is used by geoms of two meshes; expected one",
                  instance);
      return -2;
    }
    mesh = m->geom_dataid[g];
  }
  return mesh;
}

static int mesh_init(const mjModel* m, mjData* d, int instance) {
  int mesh = instance_mesh(m, instance);
  d->plugin_data[instance] = 0;
  if (mesh < 0) return mesh == -1 ? 0 : -1;
  snFault fault = {0};
  snShared* s = shared_enter(m, mesh, &fault);
  if (!s) mju_warning("mujoco.sdf.sdflib: instance %d: %s", instance, fault.text);
  d->plugin_data[instance] = (uintptr_t)s;
  return s ? 0 : -1;
}

static void mesh_destroy(mjData* d, int instance) {
  snShared* s = (snShared*)d->plugin_data[instance];
  if (s) shared_leave(s);
  d->plugin_data[instance] = 0;
}

static double mesh_distance(const double point[3], const mjData* d, int instance) {
  return mesh_field_at(((const snShared*)d->plugin_data[instance])->field, point, NULL);
}

static void mesh_gradient(double gradient[3], const double point[3], const mjData* d,
                          int instance) {
  mesh_field_at(((const snShared*)d->plugin_data[instance])->field, point, gradient);
}

// Called at each start of the search for contacts; nothing to do for a field.
static void mesh_compute(const mjModel* m, mjData* d, int instance, int capability) {}

// `aabb` is an attribute of the released plugin; it has no effect here.
static const char* const kAttribute[] = {"aabb"};

const mjpPlugin plugin_sdf_mesh = {
    .name = "mujoco.sdf.sdflib",
    .nattribute = 1,
    .attributes = kAttribute,
    .capabilityflags = mjPLUGIN_SDF,
    .nstate = config_no_state,
    .init = mesh_init,
    .destroy = mesh_destroy,
    .compute = mesh_compute,
    .sdf_distance = mesh_distance,
    .sdf_gradient = mesh_gradient,
};
