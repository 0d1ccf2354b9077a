// Polygons of a mesh: connected faces whose normals agree within 1.6 mrad, with their border walked
// in order. Collision builds contact patches from them. They are found in the frame of the file.
#include <math.h>
#include <string.h>

#include "algebra/small.h"
#include "base/union_find.h"
#include "compile/mesh.h"

static const double kSameNormal = 0.99999872;  // cos(0.0016)
static const double kLeastArea = 1e-14;        // twice the area below which a face has no normal

// A half edge is numbered 3 face + corner it starts from.
typedef struct snPolygons_ {
  const double* vert;
  const int* face;
  int nface, nvert;
  int* group;   // (nface) first face with this normal, -1: no group
  int* rank;    // (nface) order of the group founded by a face, descending by normal
  int* part;    // (nface) first face of the connected component within its group
  int* across;  // (nface x 3) opposite half edge, -1: none
  int alone;    // the degenerate face that forms a polygon by itself, -1: none
} snPolygons;

static int edge_next(int edge) { return edge % 3 == 2 ? edge - 2 : edge + 1; }

static size_t table_size(size_t n) {
  size_t slots = 16;
  while (slots < n) slots *= 2;
  return slots;
}

// Pairs half edges of a group that connect the same vertices in opposite directions, in order of
// appearance. Hash chains hold the half edges without partner.
static bool find_opposites(snPolygons* p) {
  int n = 3 * p->nface;
  size_t slots = table_size((size_t)n);
  int* head = memory_alloc(slots * sizeof(int));
  int* next = memory_alloc((size_t)n * sizeof(int));
  if (!head || !next) {
    memory_free(head);
    memory_free(next);
    return false;
  }
  memset(head, -1, slots * sizeof(int));
  for (int i = 0; i < n; i++) {
    int a = p->face[i], b = p->face[edge_next(i)];
    uint64_t key = (uint64_t)(a < b ? a : b) << 32 | (uint32_t)(a < b ? b : a);
    int* link = head + ((key * 0x9E3779B97F4A7C15u >> 24) & (slots - 1));
    p->across[i] = -1;
    while (*link >= 0 && !(p->face[*link] == b && p->face[edge_next(*link)] == a &&
                           p->group[*link / 3] == p->group[i / 3])) {
      link = next + *link;
    }
    if (*link >= 0 && a != b) {
      int j = *link;
      *link = next[j];
      p->across[i] = j;
      p->across[j] = i;
    } else {
      next[i] = *link;
      *link = i;
    }
  }
  memory_free(head);
  memory_free(next);
  return true;
}

static void find_normal(const snPolygons* p, int f, double n[3]) {
  double a[3], b[3];
  const int* v = p->face + 3 * f;
  vec3_sub(a, p->vert + 3 * v[1], p->vert + 3 * v[0]);
  vec3_sub(b, p->vert + 3 * v[2], p->vert + 3 * v[0]);
  vec3_cross(n, a, b);
  // Normalized by division, so that a normal along an axis is exact. As released, a degenerate face
  // gets the x axis divided by its norm: a huge number, or infinity with two NaNs. It sorts first
  // and compares as equal to every normal along positive x.
  double norm = vec3_norm(n);
  if (norm < kLeastArea) vec3_set(n, 1, 0, 0);
  for (int k = 0; k < 3; k++) n[k] /= norm;
}

// Groups of normals are kept in a red-black tree, ordered by components, in which normals within
// the tolerance compare as equal. That relation is not transitive (a and c may equal b and differ),
// so whether a face finds its group depends on the shape of the tree and the path taken. The number
// of polygons is part of the model's sizes, so shape and path must be the released ones: the
// textbook red-black tree, and a search in which a face that passes an equal normal but ends
// elsewhere is neither found nor inserted, and belongs to no polygon.
typedef struct snNormalNode_ {
  double normal[3];
  int parent, child[2];  // -1: none
  bool red;
} snNormalNode;

typedef struct snNormalTree_ {
  snNormalNode* node;  // (nface) node f is the group founded by face f
  int root;
} snNormalTree;

// Negative: a before b; positive: a after b; 0: equal within tolerance, or both NaN.
SN_INLINE int normal_order(const double* a, const double* b) {
  if (vec3_dot(a, b) > kSameNormal) return 0;
  for (int k = 0; k < 3; k++) {
    if (fabs(a[k] - b[k]) > mjMINVAL) return a[k] > b[k] ? -1 : 1;
  }
  return 0;
}

static void tree_rotate(snNormalTree* tree, int x, int side) {
  snNormalNode* node = tree->node;
  SN_ASSERT(node[x].child[!side] >= 0);
  int y = node[x].child[!side], inner = node[y].child[side], parent = node[x].parent;
  node[x].child[!side] = inner;
  if (inner >= 0) node[inner].parent = x;
  node[y].parent = parent;
  if (parent < 0) {
    tree->root = y;
  } else {
    node[parent].child[node[parent].child[1] == x] = y;
  }
  node[y].child[side] = x;
  node[x].parent = y;
}

static void tree_insert(snNormalTree* tree, int x, const double* normal, int parent, int side) {
  snNormalNode* node = tree->node;
  node[x] = (snNormalNode){{normal[0], normal[1], normal[2]}, parent, {-1, -1}, true};
  if (parent < 0) {
    tree->root = x;
  } else {
    node[parent].child[side] = x;
  }
  while (x != tree->root && node[node[x].parent].red) {
    int p = node[x].parent, g = node[p].parent;
    SN_ASSERT(g >= 0 && !node[g].red);  // the root is black, and no red node has a red child
    int s = node[g].child[1] == p, uncle = node[g].child[!s];
    if (uncle >= 0 && node[uncle].red) {
      node[p].red = node[uncle].red = false;
      node[g].red = true;
      x = g;
    } else {
      if (node[p].child[!s] == x) {
        x = p;
        tree_rotate(tree, x, s);
      }
      p = node[x].parent;
      g = node[p].parent;
      node[p].red = false;
      node[g].red = true;
      tree_rotate(tree, g, !s);
    }
  }
  node[tree->root].red = false;
}

// The group of face f: found, or founded by f, or -1.
static int tree_find(snNormalTree* tree, int f, const double* normal) {
  int at = tree->root, parent = -1, side = 0, candidate = -1;
  bool passed = false, equal = false;
  while (at >= 0) {
    int order = normal_order(tree->node[at].normal, normal);
    parent = at;
    side = order < 0;
    if (!side) {
      candidate = at;
      equal = order == 0;
      passed = passed || equal;
    }
    at = tree->node[at].child[side];
  }
  if (candidate >= 0 && equal) return candidate;
  if (passed) return -1;
  tree_insert(tree, f, normal, parent, side);
  return f;
}

static void tree_rank(const snNormalTree* tree, int* rank) {
  int at = tree->root, n = 0;
  while (at >= 0 && tree->node[at].child[0] >= 0) at = tree->node[at].child[0];
  while (at >= 0) {
    rank[at] = n++;
    if (tree->node[at].child[1] >= 0) {
      at = tree->node[at].child[1];
      while (tree->node[at].child[0] >= 0) at = tree->node[at].child[0];
    } else {
      int from;
      do {
        from = at;
        at = tree->node[at].parent;
      } while (at >= 0 && tree->node[at].child[1] == from);
    }
  }
}

// Degenerate faces form one group. As released, opposite edges cancel in the order of the faces,
// except within the first face; when all edges have cancelled the group restarts. The first face is
// a polygon by itself when no other follows, or when its first vertex occurs twice and none of its
// edges has cancelled.
static void find_alone(snPolygons* p, int group) {
  enum { kMost = 256 };
  int open[kMost][3], n = 0, faces = 0, first = -1,
                      left = 0;  // left: remaining edges of the first face
  bool full = false;
  for (int f = group; f < p->nface; f++) {
    if (p->group[f] != group) continue;
    const int* v = p->face + 3 * f;
    if (!faces++) first = f, left = 3;
    for (int c = 0; c < 3; c++) {
      int a = v[c], b = v[(c + 1) % 3], i = 0;
      while (i < n && (f == first || open[i][0] != b || open[i][1] != a)) i++;
      if (i < n) {
        left -= open[i][2] == first;
        n--;
        memcpy(open[i], open[n], sizeof open[i]);
      } else if (n < kMost) {
        open[n][0] = a, open[n][1] = b, open[n++][2] = f;
      } else {
        full = true;
      }
    }
    if (n == 0 && !full) faces = 0, first = -1;
  }
  const int* v = first < 0 ? NULL : p->face + 3 * first;
  p->alone = v && (faces == 1 || (left == 3 && v[0] == v[1] && v[1] != v[2])) ? first : -1;
}

static bool group_normals(snPolygons* p) {
  snNormalTree tree = {.root = -1};
  p->alone = -1;
  tree.node = memory_alloc((size_t)p->nface * sizeof(snNormalNode));
  if (!tree.node) return false;
  for (int f = 0; f < p->nface; f++) {
    double normal[3];
    find_normal(p, f, normal);
    p->group[f] = tree_find(&tree, f, normal);
  }
  tree_rank(&tree, p->rank);
  for (int f = 0; f < p->nface; f++) {
    if (p->group[f] == f && !isfinite(tree.node[f].normal[0])) find_alone(p, f);
  }
  memory_free(tree.node);
  return true;
}

static void join_parts(snPolygons* p) {
  union_start(p->part, p->nface);
  for (int i = 0; i < 3 * p->nface; i++) {
    int j = p->across[i];
    if (j < 0 || p->group[i / 3] < 0) continue;
    union_join(p->part, union_root(p->part, i / 3), union_root(p->part, j / 3));
  }
  for (int f = 0; f < p->nface; f++) p->part[f] = union_root(p->part, f);
}

// Border edges of each component as linked lists: heads in start, links in chain.
static void list_borders(const snPolygons* p, int* start, int* chain) {
  for (int f = 0; f < p->nface; f++) start[f] = -1;
  for (int i = 3 * p->nface - 1; i >= 0; i--) {
    int part = p->part[i / 3];
    if (p->across[i] >= 0) continue;
    chain[i] = start[part];
    start[part] = i;
  }
}

// Walks the border from vertex to vertex; `after` is scratch: the edge that follows a vertex. Where
// a border touches itself the earlier edge is taken, as released, so a loop may be cut off; a
// component whose start is not reached again has no polygon (0), nor has one with two vertices.
static int walk_border(const snPolygons* p, int start, const int* chain, int* after, int* out) {
  int edges = 0, n = 0;
  if (start / 3 == p->alone) {
    if (out) memcpy(out, p->face + 3 * p->alone, 3 * sizeof *out);
    return 3;
  }
  for (int i = start; i >= 0; i = chain[i], edges++) after[p->face[i]] = -1;
  for (int i = start; i >= 0; i = chain[i]) {
    if (after[p->face[i]] < 0) after[p->face[i]] = p->face[edge_next(i)];
  }
  int first = p->face[start], v = first;
  do {
    if (out) out[n] = v;
    v = after[v];
    n++;
  } while (v != first && n <= edges);
  return v == first && n > 2 ? n : 0;
}

static bool write_polygons(const snPolygons* p, const int* first, const int* start,
                           const int* chain, int* after, snMesh* mesh) {
  int npolyvert = mesh->npolyvert;
  mesh->npolymap = npolyvert;
  mesh->polynormal = memory_alloc(3 * (size_t)mesh->npoly * sizeof(mjtNum));
  mesh->polyvertadr = memory_alloc((size_t)mesh->npoly * sizeof(int));
  mesh->polyvertnum = memory_alloc((size_t)mesh->npoly * sizeof(int));
  mesh->polyvert = memory_alloc((size_t)npolyvert * sizeof(int));
  mesh->polymap = memory_alloc((size_t)npolyvert * sizeof(int));
  mesh->polymapadr = memory_alloc_zero((size_t)mesh->nvert * sizeof(int));
  mesh->polymapnum = memory_alloc_zero((size_t)mesh->nvert * sizeof(int));
  if (!mesh->polynormal || !mesh->polyvertadr || !mesh->polyvertnum || !mesh->polyvert ||
      !mesh->polymap || !mesh->polymapadr || !mesh->polymapnum) {
    return false;
  }

  int at = 0;
  for (int i = 0; i < mesh->npoly; i++) {
    mesh->polyvertadr[i] = at;
    mesh->polyvertnum[i] = walk_border(p, start[first[i]], chain, after, mesh->polyvert + at);
    at += mesh->polyvertnum[i];
  }
  for (int i = 0; i < npolyvert; i++) mesh->polymapnum[mesh->polyvert[i]]++;
  for (int v = 1; v < mesh->nvert; v++) {
    mesh->polymapadr[v] = mesh->polymapadr[v - 1] + mesh->polymapnum[v - 1];
  }
  memset(mesh->polymapnum, 0, (size_t)mesh->nvert * sizeof(int));
  for (int i = 0; i < mesh->npoly; i++) {
    for (int k = 0; k < mesh->polyvertnum[i]; k++) {
      int v = mesh->polyvert[mesh->polyvertadr[i] + k];
      mesh->polymap[mesh->polymapadr[v] + mesh->polymapnum[v]++] = i;
    }
  }
  return true;
}

// First faces of the components with a closed border, ordered by rank of their group; count is
// scratch (nface + 1).
static void list_polygons(const snPolygons* p, int* first, int* count, const int* start,
                          const int* chain, int* after, snMesh* mesh) {
  for (int f = 0; f <= p->nface; f++) count[f] = 0;
  for (int f = 0; f < p->nface; f++) {
    bool whole = p->part[f] == f && start[f] >= 0 && p->group[f] >= 0;
    int n = whole ? walk_border(p, start[f], chain, after, NULL) : 0;
    if (whole && !n) p->group[f] = -1;
    if (!n) continue;
    count[p->rank[p->group[f]] + 1]++;
    mesh->npoly++;
    mesh->npolyvert += n;
  }
  for (int f = 0; f < p->nface; f++) count[f + 1] += count[f];
  for (int f = 0; f < p->nface; f++) {
    bool whole = p->part[f] == f && start[f] >= 0 && p->group[f] >= 0;
    if (whole) first[count[p->rank[p->group[f]]]++] = f;
  }
}

bool mesh_make_polygons(snMeshWork* work, snFault* fault) {
  snMesh* mesh = work->mesh;
  snPolygons p = {
      .vert = work->vert, .face = mesh->face, .nface = mesh->nface, .nvert = mesh->nvert};
  if (mesh->graph) {
    p.face = hull_faces(mesh->graph);
    p.nface = hull_nface(mesh->graph);
  }
  size_t n = (size_t)p.nface + 1;
  p.group = memory_alloc(n * sizeof(int));
  p.rank = memory_alloc(n * sizeof(int));
  p.part = memory_alloc(n * sizeof(int));
  p.across = memory_alloc(3 * n * sizeof(int));
  int* start = memory_alloc(n * sizeof(int));
  int* chain = memory_alloc(3 * n * sizeof(int));
  int* after = memory_alloc((size_t)mesh->nvert * sizeof(int));
  int* first = memory_alloc(n * sizeof(int));
  int* count = memory_alloc(n * sizeof(int));
  bool ok = p.group && p.rank && p.part && p.across && start && chain && after && first && count &&
            group_normals(&p) && find_opposites(&p);
  if (ok) {
    join_parts(&p);
    list_borders(&p, start, chain);
    list_polygons(&p, first, count, start, chain, after, mesh);
    ok = write_polygons(&p, first, start, chain, after, mesh);
  }
  if (!ok) fault_raise(fault, "no memory for the polygons of mesh '%s'", work->source->name);
  memory_free(p.group);
  memory_free(p.rank);
  memory_free(p.part);
  memory_free(p.across);
  memory_free(start);
  memory_free(chain);
  memory_free(after);
  memory_free(first);
  memory_free(count);
  return ok;
}

void mesh_finish_polygons(snMeshWork* work) {
  snMesh* mesh = work->mesh;
  const double* scale = work->source->mesh->scale;
  bool mirrored = mesh->graph && scale[0] * scale[1] * scale[2] < 0;
  for (int i = 0; i < mesh->npoly; i++) {
    int *v = mesh->polyvert + mesh->polyvertadr[i], n = mesh->polyvertnum[i];
    for (int a = 0, b = n - 1; mirrored && a < b; a++, b--) {
      int swap = v[a];
      v[a] = v[b];
      v[b] = swap;
    }
    // normal of the first three vertices, or of the whole polygon where those are collinear
    double a[3], b[3], cross[3], *normal = mesh->polynormal + 3 * (size_t)i;
    vec3_zero(normal);
    for (int k = 1; k + 1 < n && vec3_norm(normal) < mjMINVAL; k++) {
      vec3_sub(a, work->vert + 3 * v[k], work->vert + 3 * v[0]);
      vec3_sub(b, work->vert + 3 * v[k + 1], work->vert + 3 * v[0]);
      vec3_cross(cross, a, b);
      vec3_add(normal, normal, cross);
    }
    vec3_normalize(normal);
  }
}
