// The expanding polytope algorithm (EPA): the depth of the origin inside C = A - B, the Minkowski
// difference of two overlapping shapes (van den Bergen 2003).
//
// A polytope inside C that contains the origin is expanded at its face nearest to the origin, by
// the support point w of C in the direction of that face's normal n. The depth lies between the
// distance of the face and n.w, so the search ends when
//
//   n.w - (distance of the face)
//
// is small. A new vertex removes the faces that it sees; the edges around the hole, the horizon,
// form a closed loop, and a fan of triangles from the new vertex closes it. Planes of new faces are
// computed four at a time in SIMD lanes, and so is the search for the nearest face.
#include <stddef.h>

#include "collide/gjk.h"
#include "collide/vec4.h"

// Volumes below this, relative to the cubed distance of vertices from the origin, count as flat.
static const double kFlatVolume = 1e-14;

// Lengths and heights below this, relative to the distance of vertices, count as zero.
static const double kFlatLength = 1e-10;

// Distances below this, relative to `scale`, are rounding: a vertex that sees a face, and a face
// beyond the bound on the depth, differ by more.
static const double kSeen = 1e-15;

// Gaps between the bounds on the depth below this, relative to `scale`, are rounding.
static const double kBoundsRounding = 1e-13;

// Capacity on the stack; a larger polytope moves to the heap.
enum { kVertex = 160, kFace = 512 };

// Faces are numbered in the order of their making. Faces that are no farther than the smallest
// depth found so far also have a place in a row; when one of them is removed, the last of the row
// takes its place. Among faces at equal distance the first in the row is taken as the nearest, as
// in the released engine: where flat faces lie on each other this decides which of their points is
// the contact. Squared distances are compared, which may differ where their roots do not.
typedef struct snFace_ {
  int v[3];      // counter-clockwise seen from outside (snPolytope.turn)
  int next[3];   // face across edge (v[i], v[i+1])
  snVec q;       // projection of the origin on the plane; adjacent in memory,
  double dist;   // distance of the plane from the origin
  snVec out;     // outward: q, or a unit vector where the origin is not inside the plane; adjacent,
  double limit;  // a vertex w sees the face when out.w > limit
  bool alive;
} snFace;
_Static_assert(offsetof(snFace, dist) - offsetof(snFace, q) == 24 &&
                   offsetof(snFace, limit) - offsetof(snFace, out) == 24,
               "four numbers side by side");

// An edge of the horizon and the face on its far side, which stays.
typedef struct snRim_ {
  int from, to, face;
} snRim;

// A face on the stack of the search for the horizon: its next edge, and how many edges are left.
typedef struct snHorizonStep_ {
  int face, edge, left;
} snHorizonStep;

typedef struct snPolytope_ {
  snMink* vertex;
  snFace* face;
  double* dist2;        // squared, of the faces; NaN for removed ones; padded to a multiple of four
  snRim* rim;           // room for `faces`
  snHorizonStep* walk;  // room for `faces`
  int* row;             // faces that may be the nearest (snFace)
  int* place;           // index in the row of each face, or -1
  int nvertex, nface, nrim, nrow;
  int vertices, faces;  // capacities
  double scale;         // the largest distance of the first vertices from the origin
  double turn;          // 1: corners are counter-clockwise seen from outside; -1: from inside
  bool contact;         // the origin is taken to be inside, whatever rounding says, as released
  void* block;          // heap memory, or NULL
} snPolytope;

// The part of a polytope on the stack.
typedef struct snPolytopeStore_ {
  snMink vertex[kVertex];
  snFace face[kFace];
  double dist2[kFace + 3];
  snRim rim[kFace];
  snHorizonStep walk[kFace];
  int row[kFace], place[kFace];
} snPolytopeStore;

static snPolytope polytope_in(snPolytopeStore* s) {
  return (snPolytope){.vertex = s->vertex,
                      .face = s->face,
                      .dist2 = s->dist2,
                      .rim = s->rim,
                      .walk = s->walk,
                      .row = s->row,
                      .place = s->place,
                      .vertices = kVertex,
                      .faces = kFace,
                      .turn = 1};
}

// Double the capacity; false when out of memory.
static bool polytope_grow(snPolytope* p) {
  size_t n = 2 * (size_t)p->vertices, m = 2 * (size_t)p->faces;
  size_t bytes = n * sizeof(snMink) + (m + 3) * sizeof(double) +
                 m * (sizeof(snFace) + sizeof(snRim) + sizeof(snHorizonStep) + 2 * sizeof(int));
  char* block = memory_alloc(bytes);
  if (!block) return false;
  snPolytope old = *p;
  p->vertex = (snMink*)block, block += n * sizeof(snMink);
  p->face = (snFace*)block, block += m * sizeof(snFace);
  p->dist2 = (double*)block, block += (m + 3) * sizeof(double);
  p->rim = (snRim*)block, block += m * sizeof(snRim);
  p->walk = (snHorizonStep*)block, block += m * sizeof(snHorizonStep);
  p->row = (int*)block, block += m * sizeof(int);
  p->place = (int*)block;
  memcpy(p->row, old.row, (size_t)old.nrow * sizeof(int));
  memcpy(p->place, old.place, (size_t)old.nface * sizeof(int));
  memcpy(p->vertex, old.vertex, (size_t)old.nvertex * sizeof(snMink));
  memcpy(p->face, old.face, (size_t)old.nface * sizeof(snFace));
  memcpy(p->dist2, old.dist2, (size_t)old.nface * sizeof(double));
  p->vertices = (int)n;
  p->faces = (int)m;
  p->block = p->vertex;
  memory_free(old.block);
  return true;
}

// Is there room for one more vertex and the faces around it?
static bool polytope_room(snPolytope* p) {
  // the horizon of a new vertex has at most as many edges as there are other vertices
  bool full = p->nvertex == p->vertices || p->nface + p->nvertex > p->faces;
  return !full || polytope_grow(p);
}

// Corner `k` of four faces.
SN_INLINE snVec4 faces_corner(const snPolytope* p, const snFace* const f[4], int k) {
  const snVec *a = &p->vertex[f[0]->v[k]].w, *b = &p->vertex[f[1]->v[k]].w;
  const snVec *c = &p->vertex[f[2]->v[k]].w, *d = &p->vertex[f[3]->v[k]].w;
  return (snVec4){{a->x, b->x, c->x, d->x}, {a->y, b->y, c->y, d->y}, {a->z, b->z, c->z, d->z}};
}

// Planes of the faces from `first` on, four at a time: the formula of triangle_plane (gjk.h), from
// the last corner on, as in the released engine.
SN_INLINE void polytope_measure(snPolytope* p, int first) {
  const long long all = p->contact ? -1 : 0;
  const sn4i around = {all, all, all, all};
  for (int i = first, end = p->nface - 1; i <= end; i += 4) {
    const int at[4] = {i, i + 1 < end ? i + 1 : end, i + 2 < end ? i + 2 : end,
                       i + 3 < end ? i + 3 : end};
    const snFace* const face[4] = {p->face + at[0], p->face + at[1], p->face + at[2],
                                   p->face + at[3]};
    snVec4 s0 = faces_corner(p, face, 2), corner = faces_corner(p, face, 1);
    snVec4 s2 = faces_corner(p, face, 0);
    snVec4 normal = v4_cross(v4_sub(s2, corner), v4_sub(s0, corner));
    sn4 norm2 = v4_dot(normal, normal);
    sn4i slim = norm2 < kSlimTriangle;
    if (sn4_any(slim)) {
      snVec4 other = v4_cross(v4_sub(s0, s2), v4_sub(corner, s2));
      corner = v4_select(slim, s2, corner);
      normal = v4_select(slim, other, normal);
      norm2 = v4_dot(normal, normal);
    }
    // a face without area is never the nearest, and is removed with any neighbor
    sn4i sliver = norm2 <= 0;
    snVec4 q = v4_scale(normal, v4_dot(normal, corner) / norm2);
    sn4 length2 = v4_dot(q, q), length = sn4_sqrt(length2);
    sn4i inside = ((v4_dot(q, normal) * p->turn < 0) | around) & (length > mjMINVAL);
    sn4 dist = sn4_select(inside, length, -length);
    snVec4 out = v4_select(inside, q, v4_scale(normal, -p->turn / sn4_sqrt(norm2)));
    sn4 limit = sn4_select(inside, length, sn4_set1(1)) * (dist + kSeen * p->scale);
    snVec4 none = {sn4_set1(0), sn4_set1(0), sn4_set1(0)};
    dist = sn4_select(sliver, sn4_set1(INFINITY), dist);
    sn4 dist2 = sn4_select(sliver, sn4_set1(INFINITY), sn4_select(inside, length2, -length2));
    limit = sn4_select(sliver, sn4_set1(-INFINITY), limit);
    out = v4_select(sliver, none, out);
    sn4 plane[4] = {q.x, q.y, q.z, dist}, side[4] = {out.x, out.y, out.z, limit};
    sn4_transpose(&plane[0], &plane[1], &plane[2], &plane[3]);
    sn4_transpose(&side[0], &side[1], &side[2], &side[3]);
    SN_UNROLL
    for (int k = 0; k < 4; k++) {
      snFace* f = p->face + at[k];
      sn4_store(&f->q.x, plane[k]);
      sn4_store(&f->out.x, side[k]);
      p->dist2[at[k]] = dist2[k];
    }
  }
}

static snVec face_normal(const snFace* f) {
  if (f->dist <= 0) return f->out;
  return v3(f->q.x / f->dist, f->q.y / f->dist, f->q.z / f->dist);
}

// Add support points until the simplex is a tetrahedron; false when C is flat, with its normal in
// *flat.
static bool epa_tetrahedron(snGjk* g, snVec* flat) {
  snMink* s = g->simplex;
  double scale = 0;
  for (int i = 0; i < g->n; i++) scale = fmax(scale, v_norm(s[i].w));

  static const double kAxis[6][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},
                                     {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  if (g->n == 4 && g->gap > 0) return true;  // flat or not, as released
  if (g->n == 4) {
    snVec n = v_cross(v_sub(s[1].w, s[0].w), v_sub(s[2].w, s[0].w));
    if (fabs(v_dot(n, v_sub(s[3].w, s[0].w))) > kFlatVolume * scale * scale * scale) return true;
    g->n = 3;
  }
  if (g->n == 1) {
    for (int i = 0; i < 6; i++) {
      snMink p = gjk_support(g, v_of(kAxis[i]));
      scale = fmax(scale, v_norm(p.w));
      if (v_norm(v_sub(p.w, s[0].w)) > kFlatLength * scale) {
        s[g->n++] = p;
        break;
      }
    }
    if (g->n == 1) {
      *flat = v_sub(support_center(g->b), support_center(g->a));
      v_normalize(flat);
      return false;
    }
  }
  if (g->n == 2) {
    // directions around the segment, every 60 degrees
    snVec axis = v_sub(s[1].w, s[0].w);
    v_normalize(&axis);
    int least = fabs(axis.x) <= fabs(axis.y) ? 0 : 1;
    if (fabs(axis.z) < fabs(v_get(axis, least))) least = 2;
    snVec u = v_cross(axis, v_of(kAxis[least]));
    v_normalize(&u);
    snVec t = v_cross(axis, u);
    static const double kTurn[6][2] = {
        {1, 0},  {0.5, 0.8660254037844386},   {-0.5, 0.8660254037844386},
        {-1, 0}, {-0.5, -0.8660254037844386}, {0.5, -0.8660254037844386}};
    for (int i = 0; i < 6; i++) {
      snMink p = gjk_support(g, v_along(v_scale(u, kTurn[i][0]), kTurn[i][1], t));
      scale = fmax(scale, v_norm(p.w));
      snVec off = v_sub(p.w, s[0].w);
      if (v_norm(v_along(off, -v_dot(off, axis), axis)) > kFlatLength * scale) {
        s[g->n++] = p;
        break;
      }
    }
    if (g->n == 2) {
      *flat = u;
      return false;
    }
  }
  snVec n = v_cross(v_sub(s[1].w, s[0].w), v_sub(s[2].w, s[0].w));
  double area = v_norm(n);
  if (area > 0) n = v_scale(n, 1 / area);
  for (int side = 0; side < 2; side++) {
    snMink p = gjk_support(g, side ? v_neg(n) : n);
    scale = fmax(scale, v_norm(p.w));
    if (fabs(v_dot(n, v_sub(p.w, s[0].w))) > kFlatLength * scale) {
      s[3] = p;
      g->n = 4;
      // on the side of the origin, if the origin is off the plane
      double origin = -v_dot(n, s[0].w);
      if (origin * v_dot(n, v_sub(p.w, s[0].w)) >= 0 || side) return true;
      snMink other = gjk_support(g, v_neg(n));
      if (fabs(v_dot(n, v_sub(other.w, s[0].w))) > kFlatLength * scale) s[3] = other;
      return true;
    }
  }
  *flat = n;
  return false;
}

// A starting polytope: corners of its faces, and the neighbor across each edge.
typedef struct snStartPolytope_ {
  int nvertex, nface;
  int corner[6][3], next[6][3];
} snStartPolytope;

// The tetrahedron whose first three vertices are counterclockwise seen from the fourth.
static const snStartPolytope kTetrahedron = {4,
                                             4,
                                             {{2, 1, 0}, {1, 3, 0}, {3, 2, 0}, {1, 2, 3}},
                                             {{3, 1, 2}, {3, 2, 0}, {3, 0, 1}, {0, 2, 1}}};
// Bipyramids: apexes 0 and 1 on either side of the triangle 2, 3, 4, which is counterclockwise seen
// from apex 1. kAround starts from a segment between the apexes, kBeyond from the triangle. The
// order of the faces and of their corners is that of the released engine: for shapes that move in a
// plane every face has a mirror image at the same distance, and order and rounding decide which one
// is expanded. Corners of kBeyond are counterclockwise seen from inside.
static const snStartPolytope kAround = {
    5,
    6,
    {{3, 2, 0}, {2, 4, 0}, {4, 3, 0}, {2, 3, 1}, {4, 2, 1}, {3, 4, 1}},
    {{3, 1, 2}, {4, 2, 0}, {5, 0, 1}, {0, 5, 4}, {1, 3, 5}, {2, 4, 3}}};
static const snStartPolytope kBeyond = {
    5,
    6,
    {{3, 2, 1}, {2, 4, 1}, {4, 3, 1}, {2, 3, 0}, {4, 2, 0}, {3, 4, 0}},
    {{3, 1, 2}, {4, 2, 0}, {5, 0, 1}, {0, 5, 4}, {1, 3, 5}, {2, 4, 3}}};

SN_INLINE void face_join(snPolytope* p, int f) {
  SN_ASSERT(p->nrow < p->faces);
  p->place[f] = p->nrow;
  p->row[p->nrow++] = f;
}

static void polytope_start(snPolytope* p, const snMink* vertex, const snStartPolytope* solid) {
  p->nvertex = solid->nvertex;
  memcpy(p->vertex, vertex, (size_t)solid->nvertex * sizeof *vertex);
  for (int i = 0; i < p->nvertex; i++) p->scale = fmax(p->scale, v_norm(vertex[i].w));
  p->nface = solid->nface;
  for (int f = 0; f < solid->nface; f++) {
    memcpy(p->face[f].v, solid->corner[f], sizeof p->face[f].v);
    memcpy(p->face[f].next, solid->next[f], sizeof p->face[f].next);
    p->face[f].alive = true;
    face_join(p, f);
  }
}

static double volume(const snMink* v, int a, int b, int c, int d) {
  snVec o = v[a].w;
  return v_dot(v_sub(v[b].w, o), v_cross(v_sub(v[c].w, o), v_sub(v[d].w, o)));
}

// GJK ended on a segment or a triangle through the origin. The polytope then starts as a bipyramid
// (van den Bergen 2003): around a segment three support points 120 degrees apart, for a triangle
// one support point on either side. False when the bipyramid is flat.
static bool epa_bipyramid(snGjk* g, snMink v[5]) {
  const snMink* s = g->simplex;
  if (g->n == 2) {
    v[0] = s[0], v[1] = s[1];
    snVec axis = v_sub(s[1].w, s[0].w);
    int least = 0;
    for (int i = 1; i < 3; i++) {
      if (fabs(v_get(axis, i)) < fabs(v_get(axis, least))) least = i;
    }
    snVec way = v_cross(v3(least == 0, least == 1, least == 2), axis);
    double length = v_norm(axis);
    axis = v3(axis.x / length, axis.y / length, axis.z / length);
    // R = cos I + sin [axis] + (1 - cos) axis axis'; the sine has the digits of the released engine
    const double cosine = -0.5, sine = 0.86602540378, rest = 1 - cosine;
    const double x = axis.x, y = axis.y, z = axis.z;
    // the product of components first, as released: which of equal faces is the nearest is rounding
    const double xy = x * y * rest, xz = x * z * rest, yz = y * z * rest;
    const double third[9] = {x * x * rest + cosine, xy - sine * z,         xz + sine * y,
                             xy + sine * z,         y * y * rest + cosine, yz - sine * x,
                             xz - sine * y,         yz + sine * x,         z * z * rest + cosine};
    for (int i = 0; i < 3; i++) {
      length = v_norm(way);
      if (g->trace) trace_spoke(g->trace, v, i);
      v[2 + i] = gjk_support(g, v3(way.x / length, way.y / length, way.z / length));
      way = m_mul(third, way);
    }
  } else {
    memcpy(v + 2, s, 3 * sizeof *s);
    snVec n = v_cross(v_sub(s[1].w, s[0].w), v_sub(s[2].w, s[0].w));
    if (v_norm2(n) <= 0) return false;
    double length = v_norm(n);
    n = v3(n.x / length, n.y / length, n.z / length);
    if (g->trace) trace_from(g->trace, v + 2, 3);
    v[1] = gjk_support(g, n);
    if (g->trace) trace_from(g->trace, v + 2, 3);
    v[0] = gjk_support(g, v_neg(n));
  }
  double scale = 0;
  for (int i = 0; i < 5; i++) scale = fmax(scale, v_norm(v[i].w));
  double least = kFlatVolume * scale * scale * scale;
  if (g->n == 3) return volume(v, 2, 3, 4, 1) > least && volume(v, 2, 3, 4, 0) < -least;
  for (int i = 0; i < 3; i++) {
    if (!(volume(v, 0, 1, 2 + i, 2 + (i + 1) % 3) > least)) return false;
  }
  return true;
}

SN_INLINE void face_kill(snPolytope* p, int f) {
  p->face[f].alive = false;
  p->dist2[f] = NAN;
  if (p->place[f] < 0) return;
  int last = p->row[--p->nrow], at = p->place[f];
  p->row[at] = last;
  p->place[last] = at;
}

// The edge of a face that begins at vertex `from`.
SN_INLINE int face_edge(const snFace* f, int from) {
  return (f->v[1] == from) + 2 * (f->v[2] == from);
}

// Remove the faces that the new vertex w sees, starting at face `start`; the edges to faces that it
// does not see are the horizon, in order.
SN_INLINE void polytope_carve(snPolytope* p, int start, snVec w) {
  // depth first, clockwise around the edges, so that the horizon comes out as a closed loop; a face
  // entered across one edge has the other two left
  static const int kNext[3] = {2, 0, 1};
  snFace* face = p->face;
  snHorizonStep* walk = p->walk;
  snRim* rim = p->rim;
  snHorizonStep at = {start, 1, 3};
  int top = 0, nrim = 0, most = p->faces;
  face_kill(p, start);
  for (;;) {
    if (!at.left) {
      if (!top) break;
      at = walk[--top];
      continue;
    }
    const snFace* f = face + at.face;
    int i = at.edge, across = f->next[i];
    at.edge = kNext[i], at.left--;
    snFace* next = face + across;
    if (!next->alive) continue;
    int end = f->v[i < 2 ? i + 1 : 0];
    if (v_dot(next->out, w) > next->limit) {
      int back = face_edge(next, end);
      face_kill(p, across);
      SN_ASSERT(top < most && next->v[back] == end);
      if (at.left) walk[top++] = at;
      at = (snHorizonStep){across, kNext[back], 2};
    } else if (nrim < most) {
      rim[nrim++] = (snRim){f->v[i], end, across};
    }
  }
  p->nrim = nrim;
}

// Close the hole with a fan of faces from the new vertex; false when the horizon is not a closed
// loop.
SN_INLINE bool polytope_fan(snPolytope* p, int apex) {
  int n = p->nrim, first = p->nface;
  if (n < 3 || first + n > p->faces) return false;
  int open = 0;
  for (int k = 0, last = n - 1; k < n; last = k++) open |= p->rim[last].from ^ p->rim[k].to;
  if (open) return false;
  for (int k = 0; k < n; k++) {
    snRim r = p->rim[k];
    snFace *f = p->face + first + k, *beyond = p->face + r.face;
    f->v[0] = r.from, f->v[1] = r.to, f->v[2] = apex;
    f->next[0] = r.face;
    f->next[1] = first + (k ? k : n) - 1;
    f->next[2] = first + (k + 1 < n ? k + 1 : 0);
    f->alive = true;
    SN_ASSERT(beyond->alive && beyond->v[face_edge(beyond, r.to)] == r.to);
    beyond->next[face_edge(beyond, r.to)] = first + k;
  }
  p->nface += n;
  return true;
}

// The nearest face; of several the first in the row.
SN_INLINE int polytope_nearest(const snPolytope* p) {
  int n = p->nface, best = -1;
  for (int k = n; k % 4; k++) p->dist2[k] = NAN;  // NaN compares false with everything
  sn4 low = sn4_set1(INFINITY);
  for (int k = 0; k < n; k += 4) low = sn4_min(sn4_load(p->dist2 + k), low);
  double least = sn_min(sn_min(low[0], low[1]), sn_min(low[2], low[3]));
  for (int k = 0; k < n; k += 4) {
    for (unsigned at = sn4_bits(sn4_load(p->dist2 + k) == least); at; at &= at - 1) {
      int f = k + __builtin_ctz(at);
      // place -1 as unsigned comes last
      if (best < 0 || (unsigned)p->place[f] < (unsigned)p->place[best]) best = f;
    }
  }
  return best < 0 && p->nrow ? p->row[0] : best;
}

// Compute the planes of the faces from `first` on; returns the nearest face of all.
SN_KERNEL static int polytope_next(snPolytope* p, int first) {
  polytope_measure(p, first);
  return polytope_nearest(p);
}

// Does a face go through the origin? The released engine has no contact then.
static bool polytope_through_origin(const snPolytope* p) {
  for (int i = 0; i < p->nface; i++) {
    if (!(v_norm(p->face[i].q) >= mjMINVAL)) return true;
  }
  return false;
}

// Insert the vertex, which sees face `from`; returns the nearest face, or -1 when the horizon is
// not a closed loop. `upper` is the smallest depth found so far.
SN_KERNEL static int polytope_extend(snPolytope* p, int from, int apex, double upper) {
  int first = p->nface;
  polytope_carve(p, from, p->vertex[apex].w);
  if (!polytope_fan(p, apex)) return -1;
  polytope_measure(p, first);
  for (int f = first; f < p->nface; f++) {
    p->place[f] = -1;
    if (p->dist2[f] <= upper * upper) face_join(p, f);
  }
  return polytope_nearest(p);
}

// Witness points: barycentric weights of the projected origin in the face. Where the projection is
// outside the face the weights extrapolate in its plane, which coplanar neighbors share.
static void face_witness(snGjk* g, const snPolytope* p, const snFace* f) {
  const snMink* m[3] = {p->vertex + f->v[2], p->vertex + f->v[1], p->vertex + f->v[0]};
  snVec corner[3] = {m[0]->w, m[1]->w, m[2]->w};
  double part[3];
  double whole = triangle_areas(corner, f->q, g->gap > 0 ? v3(0, 0, 0) : f->q, part);
  g->n = 3;
  for (int i = 0; i < 3; i++) {
    double w = whole != 0 ? part[i] / whole : (i == 0);
    g->simplex[i] = *m[i];
    g->weight[i] = w;
    g->on_a = i ? v_along(g->on_a, w, m[i]->a) : v_scale(m[i]->a, w);
    g->on_b = i ? v_along(g->on_b, w, m[i]->b) : v_scale(m[i]->b, w);
  }
}

// The descent of epa_polish: its first step in units of 1 / scale, the change of the normal that
// ends it, and the factors of a step that was kept or rejected.
static const double kFirstStep = 0.5, kLeastTurn = 1e-12, kLonger = 1.6, kShorter = 0.4;

// Two curved shapes that overlap deeply use up the iterations before faces are small enough. Where
// the distance is wanted (not contacts), descend from the normal found on the depth itself, h(n) =
// n.w(n) with the support point w(n), whose gradient on the unit sphere is w - (w.n) n. A step is
// kept only when h decreases. The last h is an upper bound on the depth in any case, unlike the
// distance of a face that is not yet on the surface.
static void epa_polish(snGjk* g, snMink w, double scale) {
  snVec n = g->normal;
  double h = v_dot(n, w.w), step = kFirstStep / scale;
  for (int k = 0; k < g->iterations; k++) {
    snVec slope = v_along(w.w, -h, n);
    if (v_norm(slope) * step < kLeastTurn) break;
    snVec trial = v_along(n, -step, slope);
    v_normalize(&trial);
    snMink at = gjk_support(g, trial);
    double value = v_dot(trial, at.w);
    if (value < h) {
      h = value;
      n = trial;
      w = at;
      step *= kLonger;
    } else {
      step *= kShorter;
    }
  }
  g->normal = n;
  g->dist = -h;
  // witness points, shifted by half each so that their difference is along n
  snVec off = v_scale(v_along(w.w, -h, n), 0.5);
  g->on_a = v_sub(w.a, off);
  g->on_b = v_add(w.b, off);
}

// Is a point of the second shape that of an existing vertex?
static bool polytope_meets(const snPolytope* p, snVec b) {
  for (int i = 0; i < p->nvertex; i++) {
    snVec v = p->vertex[i].b;
    if (v.x == b.x && v.y == b.y && v.z == b.z) return true;
  }
  return false;
}

bool epa_depth(snGjk* g) {
  snVec flat;
  snMink five[5];
  bool bipyramid = g->gap > 0 && (g->n == 2 || g->n == 3) && epa_bipyramid(g, five);
  if (!bipyramid && !epa_tetrahedron(g, &flat)) {
    g->normal = flat;
    g->dist = 0;
    g->on_a = g->simplex[0].a;
    g->on_b = g->simplex[0].b;
    if (g->n > 1) {
      g->on_a = g->on_b = v3(0, 0, 0);
      double sum = 0;
      for (int i = 0; i < g->n; i++) sum += g->weight[i];
      for (int i = 0; i < g->n && sum > 0; i++) {
        g->on_a = v_along(g->on_a, g->weight[i] / sum, g->simplex[i].a);
        g->on_b = v_along(g->on_b, g->weight[i] / sum, g->simplex[i].b);
      }
    }
    return false;
  }
  snPolytopeStore store;
  snPolytope p = polytope_in(&store);
  p.contact = g->gap > 0;
  if (bipyramid) {
    p.turn = g->n == 2 ? 1 : -1;
    polytope_start(&p, five, g->n == 2 ? &kAround : &kBeyond);
  } else {
    snMink* v = g->simplex;
    if (volume(v, 0, 1, 2, 3) < 0) {
      snMink swap = v[1];
      v[1] = v[2];
      v[2] = swap;
    }
    polytope_start(&p, v, &kTetrahedron);
  }
  // the smallest n.w found is an upper bound on the depth; a contact is done when a face is as near
  double upper = INFINITY;
  bool close = false;
  int nearest = polytope_next(&p, 0), best = nearest;
  if (p.contact && polytope_through_origin(&p)) {
    g->normal = g->on_a = g->on_b = v3(0, 0, 0);
    g->dist = INFINITY;
    return false;
  }
  snVec normal = face_normal(p.face + best);
  for (int k = 0; k < g->iterations; k++) {
    // a face beyond the upper bound has no information: a contact keeps the last face
    if (g->gap > 0 && p.face[nearest].dist > upper + kSeen * p.scale) break;
    best = nearest;
    normal = face_normal(p.face + best);
    if (!polytope_room(&p)) break;
    snMink* w = p.vertex + p.nvertex;
    if (g->trace) trace_face(g->trace, p.vertex, p.face[best].v);
    gjk_query(g, normal.x, normal.y, normal.z, w);
    double reach = v_dot(normal, w->w), dist = p.face[best].dist;
    upper = g->gap > 0 ? sn_min(reach, upper) : reach;
    close = upper - dist < g->tolerance || upper - dist <= kBoundsRounding * p.scale;
    if (close || (g->once && polytope_meets(&p, w->b))) break;
    nearest = polytope_extend(&p, best, p.nvertex, upper);
    if (nearest < 0) break;
    p.nvertex++;
  }
  g->normal = normal;
  g->dist = -p.face[best].dist;
  face_witness(g, &p, p.face + best);
  memory_free(p.block);
  if (!close && g->gap <= 0 && g->iterations > 0) epa_polish(g, gjk_support(g, normal), p.scale);
  return true;
}
