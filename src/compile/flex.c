// Flexes: from vertices in bodies and elements between them to edges, shell, layers and collision
// pairs. Elasticity is in flex_elastic.c.
#include "compile/flex.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/small.h"

const int kFlexEdge[3][6][2] = {
    {{0, 1}}, {{1, 2}, {2, 0}, {0, 1}}, {{0, 1}, {1, 2}, {2, 0}, {2, 3}, {0, 3}, {1, 3}}};

// Faces of an element: end points, edges or triangles (outward), by dimension.
static const int kFragment[3][4][3] = {{{0, 0, 0}, {1, 0, 0}},
                                       {{0, 1, 0}, {1, 2, 0}, {2, 0, 0}},
                                       {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}}};
// the corner opposite to each face
static const int kOpposite[3][4] = {{1, 0}, {2, 0, 1}, {3, 1, 2, 0}};

void flex_free(snFlex* f) {
  void* block[] = {f->nodebodyid,   f->vertbodyid, f->edge,      f->edgeflap, f->elem,
                   f->elemtexcoord, f->elemedge,   f->elemlayer, f->shell,    f->evpair,
                   f->vert,         f->vert0,      f->node,      f->node0,    f->edgelength0,
                   f->edgerigid,    f->stiffness,  f->bending,   f->texcoord};
  for (size_t i = 0; i < sizeof block / sizeof *block; i++) memory_free(block[i]);
  bvh_free(&f->bvh);
  memset(f, 0, sizeof *f);
}

// ---- the source, checked

static bool check(const snFlexSource* s, snFault* fault) {
  const mjsFlex* f = s->flex;
  if (f->dim < 1 || f->dim > 3) return fault_raise(fault, "dim must be 1, 2 or 3");
  int corners = f->dim + 1;
  if (!s->nelem) return fault_raise(fault, "elem is empty");
  if (!s->nvertbody && !s->nnodebody)
    return fault_raise(fault, "vertbody and nodebody are both empty");
  if (s->nvert % 3) return fault_raise(fault, "vert size must be a multiple of 3");
  if (s->nelem % corners) return fault_raise(fault, "elem size must be multiple of (dim+1)");
  if (s->nnodebody && s->nnodebody != 8) {
    return fault_raise(fault, "%d nodes given: trilinear interpolation has 8", s->nnodebody);
  }
  if (s->nnode && s->nnode != 3 * s->nnodebody) {
    return fault_raise(fault, "node size must be 3 times the number of node bodies");
  }
  if (s->nnodebody && f->selfcollide != mjFLEXSELF_NONE) {
    return fault_raise(fault, "trilinear interpolation cannot do self-collision");
  }
  if (s->nnodebody && f->internal) {
    return fault_raise(fault, "trilinear interpolation cannot do internal collisions");
  }
  int nvert = s->nvertbody == 1 ? s->nvert / 3 : s->nvertbody;
  if (s->nnodebody) nvert = s->nvert / 3;
  if (s->nvertbody > 1 && !s->nnodebody && s->nvert && s->nvert != 3 * s->nvertbody) {
    return fault_raise(fault, "vert must have 3*%d numbers, one position for each body, not %d",
                       s->nvertbody, s->nvert);
  }
  if (nvert < corners) return fault_raise(fault, "not enough vertices");
  bool texture = s->ntexcoord > 0;  // without texture coordinates elemtexcoord is ignored
  if (texture && s->nelemtexcoord && s->nelemtexcoord != s->nelem && f->dim == 2) {
    return fault_raise(fault, "elemtexcoord size must be the size of elem");
  }
  if (s->ntexcoord && !s->nelemtexcoord && s->ntexcoord != 2 * nvert) {
    return fault_raise(fault, "two texture coordinates per vertex expected");
  }
  for (int i = 0; texture && i < s->nelemtexcoord; i++) {
    if (s->elemtexcoord[i] < -1 || 2 * s->elemtexcoord[i] >= s->ntexcoord) {
      return fault_raise(fault, "elemtexcoord %d is out of range", s->elemtexcoord[i]);
    }
  }
  for (int i = 0; i < s->nelem; i++) {
    if (s->elem[i] < 0 || s->elem[i] >= nvert) {
      return fault_raise(fault, "element vertex id %d is out of range: there are %d vertices",
                         s->elem[i], nvert);
    }
    for (int k = i - i % corners; k < i; k++) {
      if (s->elem[k] == s->elem[i]) return fault_raise(fault, "repeated vertex in element");
    }
  }
  if (s->flex->young > 0 && (f->poisson < 0 || f->poisson >= 0.5)) {
    return fault_raise(fault, "Poisson ratio must be in [0, 0.5)");
  }
  if (f->edgestiffness > 0 && f->dim > 1) {
    return fault_raise(fault,
                       "edge stiffness only available for dim=1, please use elasticity plugins");
  }
  return true;
}

static bool allocate(snFlex* f, const snFlexSource* s) {
  f->dim = s->flex->dim;
  f->interp = s->nnodebody ? 1 : 0;
  f->nnode = s->nnodebody;
  f->nvert = s->nvertbody > 1 && !f->interp ? s->nvertbody : s->nvert / 3;
  f->nelem = s->nelem / (f->dim + 1);
  f->nelemdata = s->nelem;
  f->nelemedge = f->nelem * flex_edges_of(f->dim);
  f->ntexcoord = s->ntexcoord / 2;
  size_t vert = (size_t)f->nvert, elem = (size_t)f->nelem, node = (size_t)f->nnode;
  f->nodebodyid = memory_alloc(node * sizeof(int));
  f->vertbodyid = memory_alloc(vert * sizeof(int));
  f->elem = memory_alloc((size_t)f->nelemdata * sizeof(int));
  f->elemtexcoord = memory_alloc((size_t)f->nelemdata * sizeof(int));
  f->elemedge = memory_alloc((size_t)f->nelemedge * sizeof(int));
  f->elemlayer = memory_alloc_zero(elem * sizeof(int));
  f->vert = memory_alloc_zero(3 * vert * sizeof(mjtNum));
  f->vert0 = memory_alloc(3 * vert * sizeof(mjtNum));
  f->node = memory_alloc_zero(3 * node * sizeof(mjtNum));
  f->node0 = memory_alloc_zero(3 * node * sizeof(mjtNum));
  f->stiffness = memory_alloc_zero(21 * elem * sizeof(mjtNum));
  f->texcoord = memory_alloc((size_t)s->ntexcoord * sizeof(float));
  return f->nodebodyid && f->vertbodyid && f->elem && f->elemtexcoord && f->elemedge &&
         f->elemlayer && f->vert && f->vert0 && f->node && f->node0 && f->stiffness && f->texcoord;
}

static bool all_zero(const double* x, int n) {
  for (int i = 0; i < n; i++) {
    if (x[i] != 0) return false;
  }
  return true;
}

// Is the element in the hierarchy: within the active layers below the shell?
static bool is_active(const snFlex* f, const mjsFlex* s, int e) {
  return f->dim < 3 || f->elemlayer[e] < s->activelayers;
}

// Vertices normalized to the box around all active elements. The box is assembled as released
// (center and half size of elements, radius added, all of them, radius subtracted), because across
// a flat flex the result is all rounding, and on a face of the box a weight of zero is no column of
// a row.
static void normalize(snFlex* f, const snFlexSource* s, const double* xvert) {
  double radius = s->flex->radius, around = radius > 0 ? radius : 0;
  bool none = true;
  for (int e = 0; e < f->nelem; e++) none = none && !is_active(f, s->flex, e);
  for (int k = 0; k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (int e = 0; e < f->nelem; e++) {
      if (!none && !is_active(f, s->flex, e)) continue;
      const int* corner = s->elem + (f->dim + 1) * e;
      double least = INFINITY, most = -INFINITY;
      for (int i = 0; i <= f->dim; i++) {
        least = sn_min(least, xvert[3 * corner[i] + k]);
        most = sn_max(most, xvert[3 * corner[i] + k]);
      }
      double centre = 0.5 * (least + most), half = 0.5 * (most - least) + around;
      low = sn_min(low, centre - half);
      high = sn_max(high, centre + half);
    }
    double centre = 0.5 * (low + high), extent = 2 * (0.5 * (high - low) - radius);
    for (int i = 0; i < f->nvert; i++) {
      double x = xvert[3 * i + k] - centre;
      f->vert0[3 * i + k] = x || extent ? 0.5 + x / extent : radius > 0 ? NAN : 0.5;
    }
  }
}

static void to_global(double out[3], const snFlexSource* s, int body, const double local[3]) {
  quat_rotate(out, local, s->xquat + 4 * body);
  vec3_add(out, out, s->xpos + 3 * body);
}

// Bodies and local coordinates of vertices, and their global positions at qpos0.
static void place(snFlex* f, const snFlexSource* s, double* xvert) {
  if (s->nvert) memcpy(f->vert, s->vert, (size_t)s->nvert * sizeof(double));
  if (s->nnode) memcpy(f->node, s->node, (size_t)s->nnode * sizeof(double));
  f->rigid = !f->interp;
  for (int i = 0; i < f->nvert; i++) {
    int body = s->nvertbody == 1 ? s->vertbody[0] : i < s->nvertbody ? s->vertbody[i] : 0;
    f->vertbodyid[i] = f->interp ? -1 : body;
    if (body != (s->nvertbody ? s->vertbody[0] : 0)) f->rigid = false;
    to_global(xvert + 3 * i, s, body, f->vert + 3 * i);
  }
  for (int i = 0; i < f->nnode; i++) {
    f->nodebodyid[i] = s->nodebody[i];
    to_global(f->node0 + 3 * i, s, s->nodebody[i], f->node + 3 * i);
  }
  f->centered = f->interp ? all_zero(f->node, 3 * f->nnode) : all_zero(f->vert, 3 * f->nvert);
}

// Tetrahedra are oriented so that their first three corners face outward.
static void copy_elements(snFlex* f, const snFlexSource* s, const double* xvert) {
  memcpy(f->elem, s->elem, (size_t)s->nelem * sizeof(int));
  if (s->ntexcoord) memcpy(f->texcoord, s->texcoord, (size_t)s->ntexcoord * sizeof(float));
  for (int e = 0; f->dim == 3 && e < f->nelem; e++) {
    int* v = f->elem + 4 * e;
    double a[3], b[3], c[3], cross[3];
    vec3_sub(a, xvert + 3 * v[1], xvert + 3 * v[0]);
    vec3_sub(b, xvert + 3 * v[2], xvert + 3 * v[0]);
    vec3_sub(c, xvert + 3 * v[3], xvert + 3 * v[0]);
    vec3_cross(cross, a, b);
    if (vec3_dot(cross, c) > 0) {
      int swap = v[1];
      v[1] = v[2];
      v[2] = swap;
    }
  }
  // as given; else texture coordinates by vertex, three per textured tetrahedron; the rest is zero
  bool given = s->nelemtexcoord > 0 && s->ntexcoord > 0,
       three = !given && f->dim == 3 && s->ntexcoord;
  int n = given ? s->nelemtexcoord : three ? 3 * f->nelem : s->nelem;
  memset(f->elemtexcoord, 0, (size_t)s->nelem * sizeof(int));
  memcpy(f->elemtexcoord,
         given   ? s->elemtexcoord
         : three ? s->elem
                 : f->elem,
         (size_t)(n < s->nelem ? n : s->nelem) * sizeof(int));
}

// ---- edges, numbered by first appearance in the elements

static bool make_edges(snFlex* f, const snFlexSource* s, const double* xvert, bool bend) {
  size_t slots = 16;
  while (slots < 2 * (size_t)f->nelemedge) slots *= 2;
  int* slot = memory_alloc(slots * sizeof(int));
  f->edge = memory_alloc(2 * (size_t)f->nelemedge * sizeof(int));
  f->edgeflap = memory_alloc(2 * (size_t)f->nelemedge * sizeof(int));
  if (!slot || !f->edge || !f->edgeflap) {
    memory_free(slot);
    return false;
  }
  memset(slot, -1, slots * sizeof(int));
  int edges = flex_edges_of(f->dim);
  for (int i = 0; i < f->nelemedge; i++) {
    const int* v = f->elem + (i / edges) * (f->dim + 1);
    const int* pair = kFlexEdge[f->dim - 1][i % edges];
    int a = v[pair[0]], b = v[pair[1]], low = a < b ? a : b, high = a < b ? b : a;
    uint64_t key = (uint64_t)low << 32 | (uint32_t)high;
    size_t at = (size_t)(key * 0x9E3779B97F4A7C15u >> 24) & (slots - 1);
    while (slot[at] >= 0 && (f->edge[2 * slot[at]] != low || f->edge[2 * slot[at] + 1] != high)) {
      at = (at + 1) & (slots - 1);
    }
    if (slot[at] < 0) {
      slot[at] = f->nedge++;
      f->edge[2 * slot[at]] = low;
      f->edge[2 * slot[at] + 1] = high;
      f->edgeflap[2 * slot[at]] = f->edgeflap[2 * slot[at] + 1] = -1;
    }
    f->elemedge[i] = slot[at];
    if (bend) {  // the corners opposite to the edge, in its first and second triangle
      int* flap = f->edgeflap + 2 * slot[at];
      flap[flap[0] >= 0] = v[i % edges];
    }
  }
  memory_free(slot);
  f->edgelength0 = memory_alloc_zero((size_t)f->nedge * sizeof(mjtNum));
  f->edgerigid = memory_alloc_zero((size_t)f->nedge);
  f->bending = memory_alloc_zero(16 * (size_t)f->nedge * sizeof(mjtNum));
  if (!f->edgelength0 || !f->edgerigid || !f->bending) return false;
  for (int i = 0; i < f->nedge && !f->interp; i++) {
    int a = f->edge[2 * i], b = f->edge[2 * i + 1];
    f->edgelength0[i] = vec3_dist(xvert + 3 * a, xvert + 3 * b);
    f->edgerigid[i] = s->weldid[f->vertbodyid[a]] == s->weldid[f->vertbodyid[b]];
  }
  return true;
}

// ---- shell, layers and element-vertex pairs

typedef struct snFragment_ {
  int key[3];   // sorted vertices
  int vert[3];  // vertices in the order of the element
  int elem, opposite;
} snFragment;

static int compare_fragments(const void* a, const void* b) {
  const snFragment *x = a, *y = b;
  for (int k = 0; k < 3; k++) {
    if (x->key[k] != y->key[k]) return x->key[k] < y->key[k] ? -1 : 1;
  }
  return x->elem != y->elem ? x->elem - y->elem : x->opposite - y->opposite;
}

static void sort_key(int* key, int n) {
  for (int i = 1; i < n; i++) {
    for (int j = i; j > 0 && key[j] < key[j - 1]; j--) {
      int swap = key[j];
      key[j] = key[j - 1];
      key[j - 1] = swap;
    }
  }
}

static snFragment* list_fragments(const snFlex* f) {
  int n = f->dim + 1;
  snFragment* list = memory_alloc_zero((size_t)f->nelem * (size_t)n * sizeof(snFragment));
  for (int e = 0; list && e < f->nelem; e++) {
    const int* v = f->elem + e * n;
    for (int k = 0; k < n; k++) {
      snFragment* at = list + e * n + k;
      for (int c = 0; c < f->dim; c++) at->vert[c] = at->key[c] = v[kFragment[f->dim - 1][k][c]];
      sort_key(at->key, f->dim);
      at->elem = e;
      at->opposite = v[kOpposite[f->dim - 1][k]];
    }
  }
  if (list) qsort(list, (size_t)f->nelem * (size_t)n, sizeof *list, compare_fragments);
  return list;
}

static bool same_fragment(const snFragment* a, const snFragment* b) {
  return !memcmp(a->key, b->key, sizeof a->key);
}

// Layer of a tetrahedron: its distance from the shell, by breadth-first search through shared
// faces.
static bool make_layers(snFlex* f, const snFragment* list, int n) {
  int *queue = memory_alloc((size_t)f->nelem * sizeof(int)), head = 0, tail = 0;
  int* across = memory_alloc(4 * (size_t)f->nelem * sizeof(int));
  int* count = memory_alloc_zero((size_t)f->nelem * sizeof(int));
  bool ok = queue && across && count;
  for (int e = 0; ok && e < f->nelem; e++) f->elemlayer[e] = -1;
  for (int i = 0, j; ok && i < n; i = j) {
    for (j = i + 1; j < n && same_fragment(&list[i], &list[j]); j++) {
    }
    if (j == i + 1 && f->elemlayer[list[i].elem] < 0) {
      f->elemlayer[list[i].elem] = 0;
      queue[tail++] = list[i].elem;
    }
    for (int k = i; k + 1 < j; k++) {
      int a = list[k].elem, b = list[k + 1].elem;
      if (count[a] < 4) across[4 * a + count[a]++] = b;
      if (count[b] < 4) across[4 * b + count[b]++] = a;
    }
  }
  while (ok && head < tail) {
    int e = queue[head++];
    for (int k = 0; k < count[e]; k++) {
      int other = across[4 * e + k];
      if (f->elemlayer[other] >= 0) continue;
      f->elemlayer[other] = f->elemlayer[e] + 1;
      SN_ASSERT(tail < f->nelem);  // each element is queued once
      queue[tail++] = other;
    }
  }
  for (int e = 0; ok && e < f->nelem; e++) {
    if (f->elemlayer[e] < 0) f->elemlayer[e] = 0;  // closed without shell
  }
  memory_free(queue);
  memory_free(across);
  memory_free(count);
  return ok;
}

// Faces that appear once are the shell. A face that appears twice joins two elements; each may
// collide with the opposite vertex of the other if one of the two touches the shell.
static bool make_shell(snFlex* f) {
  int n = f->nelem * (f->dim + 1);
  snFragment* list = list_fragments(f);
  f->shell = memory_alloc((size_t)n * (size_t)f->dim * sizeof(int));
  f->evpair = memory_alloc(2 * (size_t)n * sizeof(int));
  bool* outer = memory_alloc_zero((size_t)f->nelem);
  bool ok = list && f->shell && f->evpair && outer;
  for (int i = 0; ok && i < n; i++) {
    bool before = i > 0 && same_fragment(&list[i], &list[i - 1]);
    bool after = i + 1 < n && same_fragment(&list[i], &list[i + 1]);
    if (before || after) continue;
    outer[list[i].elem] = true;
    memcpy(f->shell + f->nshelldata, list[i].vert, (size_t)f->dim * sizeof(int));
    f->nshelldata += f->dim;
    f->nshell++;
  }
  for (int i = 0; ok && f->dim < 3 && i + 1 < n; i++) {
    if (!same_fragment(&list[i], &list[i + 1])) continue;
    if (outer[list[i].elem] || outer[list[i + 1].elem]) {
      f->evpair[2 * f->nevpair] = list[i + 1].elem;
      f->evpair[2 * f->nevpair++ + 1] = list[i].opposite;
      f->evpair[2 * f->nevpair] = list[i].elem;
      f->evpair[2 * f->nevpair++ + 1] = list[i + 1].opposite;
    }
  }
  if (ok && f->dim == 3) ok = make_layers(f, list, n);
  memory_free(list);
  memory_free(outer);
  return ok;
}

// Leaves are the elements that may collide: those within the active layers below the shell.
static bool make_bvh(snFlex* f, const double* xvert, const mjsFlex* s, snFault* fault) {
  mjtNum* box = memory_alloc(6 * (size_t)f->nelem * sizeof(mjtNum));
  int *id = memory_alloc((size_t)f->nelem * sizeof(int)), n = 0;
  bool ok = (box && id) || fault_raise(fault, "no memory for a flex");
  for (int e = 0; ok && e < f->nelem; e++) {
    if (!is_active(f, s, e)) continue;
    const int* v = f->elem + e * (f->dim + 1);
    for (int k = 0; k < 3; k++) {
      double low = INFINITY, high = -INFINITY;
      for (int c = 0; c <= f->dim; c++) {
        low = sn_min(low, xvert[3 * v[c] + k]);
        high = sn_max(high, xvert[3 * v[c] + k]);
      }
      box[6 * n + k] = 0.5 * (low + high);
      box[6 * n + 3 + k] = 0.5 * (high - low) + s->radius;
    }
    id[n++] = e;
  }
  ok = ok && bvh_build(&f->bvh, box, NULL, id, n, fault);
  memory_free(box);
  memory_free(id);
  return ok;
}

bool flex_build(snFlex* flex, const snFlexSource* source, snFault* fault) {
  memset(flex, 0, sizeof *flex);
  if (!check(source, fault)) return false;
  const mjsFlex* s = source->flex;
  bool bend = s->dim == 2 && (s->elastic2d == 1 || s->elastic2d == 3);
  bool ok = allocate(flex, source);
  double* xvert = memory_alloc(3 * (size_t)(flex->nvert ? flex->nvert : 1) * sizeof(double));
  ok = ok && xvert;
  if (ok) {
    place(flex, source, xvert);
    copy_elements(flex, source, xvert);
    ok = make_edges(flex, source, xvert, bend) && make_shell(flex);
    if (ok) normalize(flex, source, xvert);
  }
  if (!ok) fault_raise(fault, "no memory for flex '%s'", source->name);
  ok = ok && flex_make_elasticity(flex, source, xvert, fault) && make_bvh(flex, xvert, s, fault);
  memory_free(xvert);
  if (!ok) flex_free(flex);
  return ok;
}
