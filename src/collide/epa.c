// The expanding polytope: the depth of the origin inside C = A - B. A polytope inside C is grown at
// its face nearest to the origin by the support point w of C in that face's normal n, until
//   n.w - (distance of the face)
// which bounds the error of the depth, is small.
#include "collide/gjk.h"

enum { kMaxVertex = 160, kMaxFace = 2 * kMaxVertex, kMaxEdge = 3 * kMaxVertex };

typedef struct snFace_ {
  short v[3];     // counter-clockwise seen from outside
  short next[3];  // face across edge (v[i], v[i+1])
  bool alive;
  snVec n;      // unit, outwards
  double dist;  // of the plane from the origin
} snFace;

typedef struct snPolytope_ {
  snMink vertex[kMaxVertex];
  snFace face[kMaxFace];
  short spare[kMaxFace];
  int nvertex, nface, nspare;
} snPolytope;

static int polytope_face(snPolytope* p, int a, int b, int c) {
  int i;
  if (p->nspare)
    i = p->spare[--p->nspare];
  else if (p->nface < kMaxFace)
    i = p->nface++;
  else
    return -1;
  snFace* f = p->face + i;
  f->v[0] = (short)a;
  f->v[1] = (short)b;
  f->v[2] = (short)c;
  snVec pa = p->vertex[a].w, pb = p->vertex[b].w, pc = p->vertex[c].w;
  snVec n = v_cross(v_sub(pb, pa), v_sub(pc, pa));
  double area = v_norm(n);
  f->alive = true;
  if (area <= 0) {
    // a sliver: it covers nothing, and is never the nearest
    f->n = v3(0, 0, 0);
    f->dist = INFINITY;
  } else {
    f->n = v_scale(n, 1 / area);
    f->dist = v_dot(f->n, pa);
  }
  return i;
}

// Add vertices until the simplex is a tetrahedron; false when C is flat, with its normal in *flat.
static bool epa_tetrahedron(snGjk* g, snVec* flat) {
  snMink* s = g->simplex;
  double scale = 0;
  for (int i = 0; i < g->n; i++) scale = fmax(scale, v_norm(s[i].w));

  static const double kAxis[6][3] = {{1, 0, 0},  {0, 1, 0},  {0, 0, 1},
                                     {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  if (g->n == 4) {
    snVec n = v_cross(v_sub(s[1].w, s[0].w), v_sub(s[2].w, s[0].w));
    if (fabs(v_dot(n, v_sub(s[3].w, s[0].w))) > 1e-14 * scale * scale * scale) return true;
    g->n = 3;
  }
  if (g->n == 1) {
    for (int i = 0; i < 6; i++) {
      snMink p = gjk_support(g, v_of(kAxis[i]));
      scale = fmax(scale, v_norm(p.w));
      if (v_norm(v_sub(p.w, s[0].w)) > 1e-10 * scale) {
        s[g->n++] = p;
        break;
      }
    }
    if (g->n == 1) {
      *flat = v_sub(v_of(g->b->pos), v_of(g->a->pos));
      v_normalize(flat);
      return false;
    }
  }
  if (g->n == 2) {
    // turn around the segment
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
      if (v_norm(v_along(off, -v_dot(off, axis), axis)) > 1e-10 * scale) {
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
    if (fabs(v_dot(n, v_sub(p.w, s[0].w))) > 1e-10 * scale) {
      s[3] = p;
      g->n = 4;
      // on the side of the origin, when it is on one
      double origin = -v_dot(n, s[0].w);
      if (origin * v_dot(n, v_sub(p.w, s[0].w)) >= 0 || side) return true;
      snMink other = gjk_support(g, v_neg(n));
      if (fabs(v_dot(n, v_sub(other.w, s[0].w))) > 1e-10 * scale) s[3] = other;
      return true;
    }
  }
  *flat = n;
  return false;
}

static void polytope_start(snPolytope* p, const snGjk* g) {
  p->nface = p->nspare = 0;
  p->nvertex = 4;
  for (int i = 0; i < 4; i++) p->vertex[i] = g->simplex[i];
  snVec a = p->vertex[0].w;
  snVec n = v_cross(v_sub(p->vertex[1].w, a), v_sub(p->vertex[2].w, a));
  if (v_dot(n, v_sub(p->vertex[3].w, a)) > 0) {
    snMink swap = p->vertex[1];
    p->vertex[1] = p->vertex[2];
    p->vertex[2] = swap;
  }
  static const short kFace[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
  static const short kNext[4][3] = {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}};
  for (int f = 0; f < 4; f++) {
    polytope_face(p, kFace[f][0], kFace[f][1], kFace[f][2]);
    for (int i = 0; i < 3; i++) p->face[f].next[i] = kNext[f][i];
  }
}

typedef struct snHorizon_ {
  short from[kMaxEdge], to[kMaxEdge], face[kMaxEdge];  // edge, and the face beyond it that stays
  int n;
} snHorizon;

// Remove what the new vertex sees, starting at face f; the edges to what it does not see are the
// horizon, in order.
static void polytope_carve(snPolytope* p, snHorizon* h, int start, snVec w, double slack) {
  p->face[start].alive = false;
  h->n = 0;
  // depth first around the three edges, so that the horizon comes out as a closed loop
  short faces[kMaxFace];
  signed char first[kMaxFace], done[kMaxFace];
  int top = 0;
  faces[0] = (short)start;
  first[0] = 0;
  done[0] = 0;
  while (top >= 0) {
    int f = faces[top];
    if (done[top] == 3) {
      p->spare[p->nspare++] = (short)f;
      top--;
      continue;
    }
    int i = (first[top] + done[top]++) % 3;
    int across = p->face[f].next[i];
    snFace* next = p->face + across;
    if (!next->alive) continue;
    if (next->dist == INFINITY || v_dot(next->n, w) > next->dist + slack) {
      int back = 0;
      while (back < 2 && next->next[back] != f) back++;
      next->alive = false;
      top++;
      faces[top] = (short)across;
      first[top] = (signed char)((back + 1) % 3);
      done[top] = 0;
    } else if (h->n < kMaxEdge) {
      h->from[h->n] = p->face[f].v[i];
      h->to[h->n] = p->face[f].v[(i + 1) % 3];
      h->face[h->n++] = (short)across;
    }
  }
}

// Close the hole with a fan from the new vertex.
static bool polytope_fan(snPolytope* p, const snHorizon* h, int apex) {
  short fan[kMaxEdge];
  if (h->n < 3) return false;
  for (int k = 0; k < h->n; k++) {
    if (h->to[k] != h->from[(k + 1) % h->n]) return false;
  }
  for (int k = 0; k < h->n; k++) {
    int f = polytope_face(p, h->from[k], h->to[k], apex);
    if (f < 0) return false;
    fan[k] = (short)f;
    p->face[f].next[0] = h->face[k];
    snFace* beyond = p->face + h->face[k];
    for (int i = 0; i < 3; i++) {
      if (beyond->v[i] == h->to[k] && beyond->v[(i + 1) % 3] == h->from[k]) {
        beyond->next[i] = (short)f;
      }
    }
  }
  for (int k = 0; k < h->n; k++) {
    p->face[fan[k]].next[1] = fan[(k + 1) % h->n];
    p->face[fan[k]].next[2] = fan[(k + h->n - 1) % h->n];
  }
  return true;
}

static int polytope_nearest(const snPolytope* p) {
  int best = -1;
  for (int i = 0; i < p->nface; i++) {
    const snFace* f = p->face + i;
    if (f->alive && (best < 0 || f->dist < p->face[best].dist)) best = i;
  }
  return best;
}

// Where the normal through the origin meets the face: weights by areas.
static void face_witness(snGjk* g, const snPolytope* p, const snFace* f) {
  const snMink* m[3] = {p->vertex + f->v[0], p->vertex + f->v[1], p->vertex + f->v[2]};
  snVec q = v_scale(f->n, f->dist);
  snVec d[3] = {v_sub(m[0]->w, q), v_sub(m[1]->w, q), v_sub(m[2]->w, q)};
  double t[3], sum = 0;
  for (int i = 0; i < 3; i++) {
    t[i] = v_dot(f->n, v_cross(d[(i + 1) % 3], d[(i + 2) % 3]));
    if (t[i] < 0) t[i] = 0;
    sum += t[i];
  }
  g->n = 3;
  g->on_a = g->on_b = v3(0, 0, 0);
  for (int i = 0; i < 3; i++) {
    double w = sum > 0 ? t[i] / sum : (i == 0);
    g->simplex[i] = *m[i];
    g->weight[i] = w;
    g->on_a = v_along(g->on_a, w, m[i]->a);
    g->on_b = v_along(g->on_b, w, m[i]->b);
  }
}

// Two curved shapes far inside each other use up their vertices before the faces are small enough.
// From the normal found, descend on the depth itself, h(n) = n.w(n), whose gradient on the sphere
// is w - (w.n) n; w(n) is the witness. Steps are kept only when h falls. The last h is a depth in
// any case, which the distance of a face that is not yet on the surface is not.
static void epa_polish(snGjk* g, snMink w, double scale) {
  snVec n = g->normal;
  double h = v_dot(n, w.w), step = 0.5 / scale;
  for (int k = 0; k < g->iterations; k++) {
    snVec slope = v_along(w.w, -h, n);
    if (v_norm(slope) * step < 1e-12) break;
    snVec trial = v_along(n, -step, slope);
    v_normalize(&trial);
    snMink at = gjk_support(g, trial);
    double value = v_dot(trial, at.w);
    if (value < h) {
      h = value;
      n = trial;
      w = at;
      step *= 1.6;
    } else {
      step *= 0.4;
    }
  }
  g->normal = n;
  g->dist = -h;
  // the witness, moved along the surface so that the two sides face each other along n
  snVec off = v_scale(v_along(w.w, -h, n), 0.5);
  g->on_a = v_sub(w.a, off);
  g->on_b = v_add(w.b, off);
}

bool epa_depth(snGjk* g) {
  snVec flat;
  if (!epa_tetrahedron(g, &flat)) {
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
  snPolytope p;
  snHorizon horizon;
  polytope_start(&p, g);
  double scale = 0;
  for (int i = 0; i < 4; i++) scale = fmax(scale, v_norm(p.vertex[i].w));
  int most = g->iterations < kMaxVertex - 4 ? g->iterations : kMaxVertex - 4;
  int nearest = polytope_nearest(&p);
  snFace best = p.face[nearest];
  double slack = 1e-15 * scale;
  snMink w;
  bool close = false;
  for (int k = 0; k < most; k++) {
    w = gjk_support(g, best.n);
    double gain = v_dot(best.n, w.w) - best.dist;
    close = gain <= g->tolerance || gain <= 1e-13 * scale;
    if (close) break;
    p.vertex[p.nvertex] = w;
    polytope_carve(&p, &horizon, nearest, w.w, slack);
    if (!polytope_fan(&p, &horizon, p.nvertex)) break;
    p.nvertex++;
    nearest = polytope_nearest(&p);
    if (nearest < 0) break;
    best = p.face[nearest];
  }
  g->normal = best.n;
  g->dist = -best.dist;
  face_witness(g, &p, &best);
  if (!close && most > 0) {
    w = gjk_support(g, best.n);
    epa_polish(g, w, scale);
  }
  return true;
}
