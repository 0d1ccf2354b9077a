// Meshes: files, hull, inertia, polygons, bounding volumes; the same for any number of threads;
// malformed input and failing allocations are refused without leaks.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compile/asset.h"
#include "compile/parallel_jobs.h"
#include "../random.h"

static mjsMesh plain(void) {
  mjsMesh mesh;
  memset(&mesh, 0, sizeof mesh);
  mesh.refquat[0] = 1;
  for (int k = 0; k < 3; k++) mesh.scale[k] = 1;
  mesh.inertia = mjMESH_INERTIA_LEGACY;
  mesh.maxhullvert = -1;
  return mesh;
}

static const float kCube[24] = {-1, -1, -1, -1, -1, 1, -1, 1, -1, -1, 1, 1,
                                1,  -1, -1, 1,  -1, 1, 1,  1, -1, 1,  1, 1};

static snMeshSource points(const mjsMesh* mesh, const float* vert, int n) {
  return (snMeshSource){.name = "m", .mesh = mesh, .vert = vert, .nvert = n, .need_hull = true};
}

// ---- validity of search structures

static void check_hull(const snMesh* m) {
  const int* g = m->graph;
  int nvert = g[0], nface = g[1];
  const int *adr = g + 2, *id = adr + nvert, *edge = id + nvert, *face = edge + nvert + 3 * nface;
  assert_int_equal(m->ngraph, 2 + 3 * nvert + 6 * nface);
  assert_int_equal(nface, 2 * nvert - 4);  // Euler, triangles only
  for (int v = 0; v < nvert; v++) {
    for (int k = adr[v]; edge[k] >= 0; k++) {  // edges go both ways
      int back = adr[edge[k]];
      while (edge[back] >= 0 && edge[back] != v) back++;
      assert_int_equal(edge[back], v);
    }
  }
  for (int f = 0; f < nface; f++) {  // no vertex outside any face
    double p[3][3], a[3], b[3], n[3];
    for (int c = 0; c < 3; c++) {
      for (int k = 0; k < 3; k++) p[c][k] = m->vert[3 * face[3 * f + c] + k];
    }
    for (int k = 0; k < 3; k++) a[k] = p[1][k] - p[0][k], b[k] = p[2][k] - p[0][k];
    mju_cross(n, a, b);
    mju_normalize3(n);
    for (int i = 0; i < m->nvert; i++) {
      double h = 0;
      for (int k = 0; k < 3; k++) h += n[k] * (m->vert[3 * i + k] - p[0][k]);
      assert_true(h < 1e-5);
    }
  }
}

static void check_bvh(const snBvh* bvh, int leaves) {
  int* seen = calloc((size_t)leaves, sizeof(int));
  assert_int_equal(bvh->n, 2 * leaves - 1);
  for (int i = 0; i < bvh->n; i++) {
    const int* child = bvh->child + 2 * i;
    if (bvh->nodeid[i] >= 0) {
      assert_int_equal(child[0], -1);
      assert_int_equal(seen[bvh->nodeid[i]]++, 0);
      continue;
    }
    for (int c = 0; c < 2; c++) {
      assert_true(child[c] > i && child[c] < bvh->n);
      assert_int_equal(bvh->depth[child[c]], bvh->depth[i] + 1);
      for (int k = 0; k < 3; k++) {
        const mjtNum *p = bvh->aabb + 6 * i, *q = bvh->aabb + 6 * child[c];
        assert_true(q[k] - q[3 + k] >= p[k] - p[3 + k] - 1e-12);
        assert_true(q[k] + q[3 + k] <= p[k] + p[3 + k] + 1e-12);
      }
    }
  }
  for (int i = 0; i < leaves; i++) assert_int_equal(seen[i], 1);
  free(seen);
}

static void check_polygons(const snMesh* m) {
  int total = 0;
  for (int i = 0; i < m->npoly; i++) {
    assert_int_equal(m->polyvertadr[i], total);
    assert_true(m->polyvertnum[i] >= 3);
    total += m->polyvertnum[i];
    assert_true(fabs(mju_norm3(m->polynormal + 3 * i) - 1) < 1e-9);
    for (int k = 0; k < m->polyvertnum[i]; k++) {  // the map leads back
      int v = m->polyvert[m->polyvertadr[i] + k], found = 0;
      for (int j = 0; j < m->polymapnum[v]; j++) found += m->polymap[m->polymapadr[v] + j] == i;
      assert_int_equal(found, 1);
    }
  }
  assert_int_equal(total, m->npolyvert);
}

static void cube_from_points(void** state) {
  mjsMesh spec = plain();
  snMeshSource source = points(&spec, kCube, 24);
  snMesh m;
  snFault fault = {0};
  assert_true(mesh_build(&m, &source, &fault));
  assert_int_equal(m.nface, 12);
  assert_int_equal(m.npoly, 6);
  assert_int_equal(m.npolyvert, 24);
  assert_true(fabs(m.volume - 8) < 1e-12);
  for (int k = 0; k < 3; k++) {
    assert_true(fabs(m.pos[k]) < 1e-12);
    assert_true(fabs(m.boxsz[k] - 1) < 1e-12);
    assert_true(fabs(m.inertia[k] - 16.0 / 3) < 1e-12);
    assert_true(fabs(m.aabb[3 + k] - 1) < 1e-12);
  }
  check_hull(&m);
  check_bvh(&m.bvh, 12);
  check_polygons(&m);
  mesh_free(&m);
}

static void cloud(float* vert, int n, unsigned seed) {
  for (int i = 0; i < 3 * n; i++) {
    vert[i] = (float)(random_next32(&seed) >> 8) / (float)(1 << 24) - 0.5f;
  }
}

static void clouds(void** state) {
  mjsMesh spec = plain();
  float vert[900];
  for (unsigned seed = 1; seed < 6; seed++) {
    cloud(vert, 300, seed);
    for (int mirror = 0; mirror < 2; mirror++) {
      spec.scale[1] = mirror ? -2 : 2;
      snMeshSource source = points(&spec, vert, 900);
      snMesh m;
      snFault fault = {0};
      assert_true(mesh_build(&m, &source, &fault));
      check_hull(&m);
      check_bvh(&m.bvh, m.nface);
      check_polygons(&m);
      // centred along principal axes: the same mesh built again stays where it is
      snMeshSource again = points(&spec, m.vert, 3 * m.nvert);
      mjsMesh unit = plain();
      again.mesh = &unit;
      snMesh n;
      assert_true(mesh_build(&n, &again, &fault));
      for (int k = 0; k < 3; k++) assert_true(fabs(n.pos[k]) < 1e-6);
      mesh_free(&n);
      mesh_free(&m);
    }
  }
}

static void limited_hull(void** state) {
  mjsMesh spec = plain();
  float vert[300];
  cloud(vert, 100, 9);
  for (int limit = 4; limit < 12; limit++) {
    spec.maxhullvert = limit;
    snMeshSource source = points(&spec, vert, 300);
    snMesh m;
    snFault fault = {0};
    assert_true(mesh_build(&m, &source, &fault));
    assert_true(m.graph[0] <= limit);
    mesh_free(&m);
  }
}

typedef struct Batch_ {
  snMesh* mesh;
  const snMeshSource* source;
  bool* built;
} Batch;

static void build_one(void* context, int i) {
  const Batch* batch = context;
  snFault fault = {0};
  batch->built[i] = mesh_build(&batch->mesh[i], &batch->source[i], &fault);
}

static void threads_agree(void** state) {
  enum { N = 7 };
  mjsMesh spec = plain();
  static float vert[N][300];
  snMeshSource source[N];
  snMesh one[N], four[N];
  for (int i = 0; i < N; i++) {
    cloud(vert[i], 100, (unsigned)i + 20);
    source[i] = points(&spec, vert[i], 300);
  }
  source[3].nvert = 4;  // one that fails stops none of the others
  for (int k = 0; k < 2; k++) {
    bool built[N] = {false};
    Batch batch = {k ? four : one, source, built};
    snJob job[N];
    for (int i = 0; i < N; i++) job[i] = (snJob){i, (size_t)(i % 3)};
    jobs_run(build_one, &batch, job, N, k ? 4 : 1);
    for (int i = 0; i < N; i++) assert_int_equal(built[i], i != 3);
  }
  for (int i = 0; i < N; i++) {
    assert_int_equal(one[i].ngraph, four[i].ngraph);
    assert_memory_equal(one[i].graph, four[i].graph, (size_t)one[i].ngraph * sizeof(int));
    assert_memory_equal(one[i].vert, four[i].vert, 3 * (size_t)one[i].nvert * sizeof(float));
    assert_memory_equal(one[i].normal, four[i].normal, 3 * (size_t)one[i].nnormal * sizeof(float));
    assert_memory_equal(one[i].bvh.aabb, four[i].bvh.aabb,
                        6 * (size_t)one[i].bvh.n * sizeof(mjtNum));
    mesh_free(&one[i]);
    mesh_free(&four[i]);
  }
}

static void obj_in_all_forms(void** state) {
  static const char text[] =
      "# a tetrahedron\r\no t\nv 0 0 0\nv\t1 0 0 \nv 0 1e0 0\nv 0 0 1.0\nvt 0 0\nvt 1 0.25\nvn 0 0 "
      "-1\n"
      "f 1/1/1 -2/2/1 2//1\nf 1 2 4\nf 1 4 3\nf 2 3 4\no other\nf 1 2 3\n";
  snFile file = {"a.obj", NULL, text, sizeof text - 1};
  snMeshData data;
  snFault fault = {0};
  assert_true(obj_read(&data, &file, &fault));
  assert_int_equal(data.nvert, 4);
  assert_int_equal(data.nface, 4);
  assert_int_equal(data.face[1], 2);
  assert_int_equal(data.facetexcoord[1], 1);
  assert_int_equal(data.facetexcoord[2], -1);
  assert_true(data.texcoord[3] == 0.75f);
  meshdata_free(&data);
  static const char* const bad[] = {"f 1 2 3\n", "v 0 0 0\nf 0 1 1\n", "v 0 0 0\nf 1/ 1 1\n",
                                    "v 1e99 0 0\n", "f 1 a 2\n"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    snFault why = {0};
    snFile wrong = {"b.obj", NULL, bad[i], strlen(bad[i])};
    assert_false(obj_read(&data, &wrong, &why));
    assert_true(why.raised && strstr(why.text, "b.obj"));
  }
}

// Numbers with exponents; a polygon with a reflex corner is cut by its ears.
// A word counts for the number it begins with, or for zero.
static void obj_words(void** state) {
  static const char text[] = "v 1.5x -2e q\nv 3\nv 0 1,5 2\nf 1.0 2 3\n";
  snMeshData data;
  snFault fault = {0};
  snFile file = {"a.obj", NULL, text, sizeof text - 1};
  assert_true(obj_read(&data, &file, &fault));
  static const float expected[9] = {1.5f, -2, 0, 3, 0, 0, 0, 1, 2};
  assert_int_equal(data.nvert, 3);
  assert_memory_equal(data.vert, expected, sizeof expected);
  assert_int_equal(data.nface, 1);
  meshdata_free(&data);
}

static void obj_numbers_and_polygons(void** state) {
  static const char text[] =
      "v 3e1 -25e-2 1.5E+2\nv 0.000000000000000000012e20 1234567890123456789 .5\nvt .25\n"
      "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 .5 0\nv 0 2 0\nf 3 4 5 6 7\n";
  snFile file = {"a.obj", NULL, text, sizeof text - 1};
  snMeshData data;
  snFault fault = {0};
  assert_true(obj_read(&data, &file, &fault));
  static const float number[6] = {30, -0.25f, 150, 1.2f, 1234567890123456789.0f, 0.5f};
  assert_memory_equal(data.vert, number, sizeof number);
  assert_true(data.texcoord[0] == 0.25f && data.texcoord[1] == 1);
  static const int face[9] = {3, 4, 5, 5, 6, 2, 2, 3, 5};
  assert_int_equal(data.nface, 3);
  assert_memory_equal(data.face, face, sizeof face);
  meshdata_free(&data);
}

static size_t make_stl(unsigned char* out) {
  static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
  static const float vert[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  memset(out, 0, 284);
  out[80] = 4;
  for (int f = 0; f < 4; f++) {
    for (int c = 0; c < 3; c++) memcpy(out + 84 + 50 * f + 12 + 12 * c, vert[face[f][c]], 12);
  }
  return 284;
}

static void stl_merges_and_refuses(void** state) {
  unsigned char bytes[300];
  size_t size = make_stl(bytes);
  snMeshData data;
  snFile file = {"a.stl", NULL, bytes, size};
  snFault fault = {0};
  assert_true(stl_read(&data, &file, &fault));
  assert_int_equal(data.nvert, 4);
  assert_int_equal(data.nface, 4);
  meshdata_free(&data);
  for (size_t n = 0; n < size; n++) {
    snFault why = {0};
    file.size = n;
    assert_false(stl_read(&data, &file, &why));
    assert_true(why.raised);
  }
  file.size = size;
  float nan = NAN;
  memcpy(bytes + 84 + 12, &nan, 4);
  assert_false(stl_read(&data, &file, &fault));
}

static void kinds_of_inertia(void** state) {
  // a tetrahedron with one face turned: exact refuses, the others count it
  static const float vert[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  static const int good[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  static const int turned[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 3, 2};
  static const int inside_out[12] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
  for (int kind = mjMESH_INERTIA_CONVEX; kind <= mjMESH_INERTIA_SHELL; kind++) {
    mjsMesh spec = plain();
    spec.inertia = (mjtMeshInertia)kind;
    snMeshSource source = points(&spec, vert, 12);
    snMesh m;
    snFault fault = {0};
    source.face = good;
    source.nface = 12;
    assert_true(mesh_build(&m, &source, &fault));
    if (kind != mjMESH_INERTIA_SHELL) assert_true(fabs(m.volume - 1.0 / 6) < 1e-12);
    if (kind == mjMESH_INERTIA_SHELL) assert_true(fabs(m.volume - 1.5 - sqrt(3) / 2) < 1e-12);
    mesh_free(&m);
    source.face = turned;
    assert_int_equal(mesh_build(&m, &source, &fault), kind != mjMESH_INERTIA_EXACT);
    mesh_free(&m);
    source.face = inside_out;
    fault.raised = false;
    assert_int_equal(mesh_build(&m, &source, &fault), kind != mjMESH_INERTIA_EXACT);
    if (kind == mjMESH_INERTIA_EXACT) assert_non_null(strstr(fault.text, "negative"));
    mesh_free(&m);
  }
}

static void flat_is_refused(void** state) {
  static const float vert[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  mjsMesh spec = plain();
  snMeshSource source = points(&spec, vert, 12);
  snMesh m;
  snFault fault = {0};
  assert_false(mesh_build(&m, &source, &fault));
  assert_non_null(strstr(fault.text, "qhull error"));
}

static void failing_allocations(void** state) {
  mjsMesh spec = plain();
  snMeshSource source = points(&spec, kCube, 24);
  for (long n = 1;; n++) {
    snMesh m;
    snFault fault = {0};
    memory_fail_at(n);
    bool ok = mesh_build(&m, &source, &fault);
    memory_fail_at(0);
    if (ok) {
      mesh_free(&m);
      assert_true(n > 20);
      return;
    }
    assert_true(fault.raised);
  }
}

static void primitives_around(void** state) {
  mjsMesh spec = plain();
  snMeshSource source = points(&spec, kCube, 24);
  snMesh m;
  snFault fault = {0};
  double size[3], pos[3] = {0, 0, 0}, quat[4] = {1, 0, 0, 0};
  assert_true(mesh_build(&m, &source, &fault));
  assert_true(mesh_fit(&m, mjGEOM_SPHERE, true, 1, size, pos, quat, &fault));
  assert_true(fabs(size[0] - sqrt(3)) < 1e-12);
  assert_true(mesh_fit(&m, mjGEOM_BOX, false, 2, size, pos, quat, &fault));
  assert_true(fabs(size[2] - 2) < 1e-12);
  assert_false(mesh_fit(&m, mjGEOM_PLANE, false, 1, size, pos, quat, &fault));
  mesh_free(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cube_from_points),
      cmocka_unit_test(clouds),
      cmocka_unit_test(limited_hull),
      cmocka_unit_test(threads_agree),
      cmocka_unit_test(obj_in_all_forms),
      cmocka_unit_test(obj_words),
      cmocka_unit_test(obj_numbers_and_polygons),
      cmocka_unit_test(stl_merges_and_refuses),
      cmocka_unit_test(kinds_of_inertia),
      cmocka_unit_test(flat_is_refused),
      cmocka_unit_test(primitives_around),
      cmocka_unit_test(failing_allocations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
