// Two boxes, by the separating axis test: three face axes of each box and nine cross products of an
// axis of each. The axis of least penetration decides the kind of contact.
//
//   face axis      of one box, the reference. The incident feature of the other box (its deepest
//                  corner and the edges from it that are nearly parallel to the reference face) is
//                  clipped against the reference face.
//   cross product  The two faces that look most along the axis are sheared along it until it is
//                  normal to the reference face, and clipped likewise.
//
// Contacts are the corners of the intersection: crossings of edges, corners of one face inside the
// other.
//
// The axis and the set of corners vary from pair to pair, so branches on them would be
// mispredicted. Four pairs therefore go side by side, one in each SIMD lane; all candidates are
// computed, and masks select the valid ones. Sums go in the released order: for boxes placed by
// their sizes the last bit decides which axis wins.
#include "collide/box_box.h"

#include "collide/box_corners.h"
#include "collide/gjk.h"

// Rounding error of a gap relative to the sizes of both boxes, and of a squared sine.
static const double kGapRounding = 1e-14;

// Squared sine below which two edges count as parallel, so that their cross product is no axis.
static const double kParallel = 1e-12;

// A cross product must be better than a face axis by this relative difference.
static const double kFacePreference = 1e-12;

// Contacts are dropped when outside one box by the first scale and not inside the other by the
// second; as released.
static const double kOutside = 1.01, kInside = 0.99;

// Sine of the angle to the reference face below which an edge belongs to the incident feature.
static const double kInFace = 0.5;

// Limit of support queries for the nearest points of two boxes, which have few vertices.
enum { kIterations = 50 };

// Error of a gap due to skipped cross products (kParallel), relative to the sizes.
static const double kParallelGap = 4e-6;

// Four pairs of boxes a and b, a pair in each lane: orientations A and B (row-major), positions,
// half sizes, margin.
typedef struct snBoxes_ {
  sn4 A[9], B[9], pa[3], pb[3], sa[3], sb[3], margin;
  sn4 R[3][3];  // A'B: column j is axis j of b in the frame of a
  sn4 ta[3];    // from the center of a to that of b, in the frame of a
  sn4 tb[3];    // the same in the frame of b
} snBoxes;

// The axis of least penetration, or of largest separation.
typedef struct snBoxAxis_ {
  sn4i code;   // 0-2: face axis of a, 3-5: of b, 6 + 3 i + j: a_i x b_j
  sn4 along;   // b's center along the axis, from a; its sign directs the axis from a to b
  sn4i apart;  // an axis separates the boxes by more than the margin, or a pose is NaN
  sn4 gap;     // distance along the axis that separates the boxes, else along the best face axis
  sn4 best;    // distance along the axis of `code`
} snBoxAxis;

// ---- SIMD lanes: gather four pairs
SN_INLINE sn4 four(const double* const p[4], int k) {
  return (sn4){p[0][k], p[1][k], p[2][k], p[3][k]};
}

SN_INLINE void four_vectors(sn4 out[3], const double* const p[4]) { EACH(k) out[k] = four(p, k); }

SN_INLINE void four_matrices(sn4 out[9], const double* const p[4]) {
  for (int half = 0; half < 8; half += 4) {
    for (int k = 0; k < 4; k++) out[half + k] = sn4_load(p[k] + half);
    sn4_transpose(out + half, out + half + 1, out + half + 2, out + half + 3);
  }
  out[8] = four(p, 8);
}

SN_INLINE void boxes_load(snBoxes* b, const snBoxPair* pair, int n) {
  const double *pos[2][4], *mat[2][4], *size[2][4];
  double margin[4];
  for (int k = 0; k < 4; k++) {
    const snBoxPair* p = pair + (k < n ? k : n - 1);
    for (int s = 0; s < 2; s++) {
      pos[s][k] = p->pos[s], mat[s][k] = p->mat[s], size[s][k] = p->size[s];
    }
    margin[k] = p->margin;
  }
  four_vectors(b->pa, pos[0]), four_vectors(b->pb, pos[1]);
  four_vectors(b->sa, size[0]), four_vectors(b->sb, size[1]);
  four_matrices(b->A, mat[0]), four_matrices(b->B, mat[1]);
  b->margin = sn4_load(margin);
}

// a, b or c, by lane.
SN_INLINE sn4 choose(sn4i first, sn4i second, sn4 a, sn4 b, sn4 c) {
  return pick(first, a, pick(second, b, c));
}

SN_INLINE sn4 sn4_max3(const sn4 v[3]) { return sn4_max(v[0], sn4_max(v[1], v[2])); }

// ---- the axis
// The gap along the cross product a_i x b_j, with the rounding of the released engine: for boxes
// stacked on each other several axes have the same gap up to rounding. Sums go by ascending
// coordinates.
SN_INLINE sn4 box_product(const snBoxes* b, int i, int j) {
  int ilow = i == 0, ihigh = i == 2 ? 1 : 2, jlow = j == 0, jhigh = j == 2 ? 1 : 2;
  sn4 low = b->R[ilow][j], high = b->R[ihigh][j];
  sn4 length = sn4_sqrt(low * low + high * high), inverse = 1 / length;
  low *= inverse, high *= inverse;
  sn4 reach = sn4_abs(high) * b->sa[ilow] + sn4_abs(low) * b->sa[ihigh];
  reach += sn4_abs(b->R[i][jhigh]) * b->sb[jlow] / length;
  reach += sn4_abs(b->R[i][jlow]) * b->sb[jhigh] / length;
  return sn4_abs(low * b->ta[ihigh] - high * b->ta[ilow]) - reach;
}

// With R = A'B and t the vector from a to b, in the frame of a (ta) and of b (tb), the gaps are
//   |ta_i| - sa_i - sum_j |R_ij| sb_j         on face axis i of a, and likewise of b;
//   |t| - reach                               on the cross product a_i x b_j,
//   t = n_i2 ta_i1 - n_i1 ta_i2, n = (0, R_i1j, R_i2j) / |n|,
//   reach = sa_i1 |n_i2| + sa_i2 |n_i1| + (sb_j1 |R_ij2| + sb_j2 |R_ij1|) / |n|.
// A cross product must exceed the best face axis by more than rounding, since a face axis has more
// contacts.
SN_INLINE void box_axis(snBoxAxis* axis, snBoxes* b) {
  sn4 way[3], size[3][3], gap_a[3], gap_b[3], most[3];
  EACH(k) way[k] = b->pb[k] - b->pa[k];
  EACH(i) {
    b->ta[i] = b->A[i] * way[0] + b->A[3 + i] * way[1] + b->A[6 + i] * way[2];
    b->tb[i] = b->B[i] * way[0] + b->B[3 + i] * way[1] + b->B[6 + i] * way[2];
    EACH(j) {
      b->R[i][j] = b->A[i] * b->B[j] + b->A[3 + i] * b->B[3 + j] + b->A[6 + i] * b->B[6 + j];
      size[i][j] = sn4_abs(b->R[i][j]);
    }
  }
  EACH(i) {
    sn4 reach = size[i][0] * b->sb[0] + size[i][1] * b->sb[1] + size[i][2] * b->sb[2];
    gap_a[i] = sn4_abs(b->ta[i]) - b->sa[i] - reach;
    reach = size[0][i] * b->sa[0] + size[1][i] * b->sa[1] + size[2][i] * b->sa[2];
    gap_b[i] = sn4_abs(b->tb[i]) - b->sb[i] - reach;
    most[i] = sn4_max(gap_a[i], gap_b[i]);
  }
  // the first of the largest gaps, in the order a_0, b_0, a_1, ...
  sn4 best = sn4_max3(most), along = sn4_set1(0);
  sn4i none = {0, 0, 0, 0}, code = none - 1;
  for (int i = 2; i >= 0; i--) {
    sn4i at = gap_b[i] == best;
    code = either(at, none + (3 + i), code);
    along = sn4_select(at, b->tb[i], along);
    at = gap_a[i] == best;
    code = either(at, none + i, code);
    along = sn4_select(at, b->ta[i], along);
  }
  axis->gap = best;
  axis->apart = (best > b->margin) | (code < 0);
  if (sn4_bits(axis->apart) == 15) return;

  // A first pass computes l g, the gap times the length l of the cross product, without roots and
  // divisions. A cross product can win only if g > 0 or |g| < |best|; both are tested with the
  // rounding error added.
  sn4 rounding = kGapRounding * (b->sa[0] + b->sa[1] + b->sa[2] + b->sb[0] + b->sb[1] + b->sb[2]);
  sn4 least = sn4_select(best < 0, best, sn4_set1(0)) - rounding, least2 = least * least;
  sn4 t[9];
  sn4i worth[9];
  unsigned look = 0;
  SN_UNROLL
  for (int k = 0; k < 9; k++) {
    int i = k / 3, j = k % 3, i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3,
        j2 = (j + 2) % 3;
    sn4 l2 = 1 - b->R[i][j] * b->R[i][j];
    t[k] = b->R[i1][j] * b->ta[i2] - b->R[i2][j] * b->ta[i1];
    sn4 reach = size[i2][j] * b->sa[i1] + size[i1][j] * b->sa[i2] + b->sb[j1] * size[i][j2] +
                b->sb[j2] * size[i][j1];
    sn4 g = sn4_abs(t[k]) - reach + rounding;
    worth[k] =
        (l2 >= kParallel) & ((g > 0) | (g * g < least2 * (l2 + kGapRounding))) & ~axis->apart;
    look |= (unsigned)(sn4_bits(worth[k]) != 0) << k;
  }
  for (; look; look &= look - 1) {
    int k = __builtin_ctz(look);
    sn4 exact = box_product(b, k / 3, k % 3);
    sn4i parts = worth[k] & (exact > b->margin),
         better = worth[k] & (exact > best * (1 - kFacePreference));
    axis->apart |= parts;
    axis->gap = sn4_select(parts, exact, axis->gap);
    best = sn4_select(better, exact, best);
    code = either(better, none + (6 + k), code);
    along = sn4_select(better, t[k], along);
  }
  axis->code = code;
  axis->along = along;
  axis->best = best;
}

// ---- the frame of a face
// A vector given in the frame of the box, in the frame of the face.
SN_INLINE void face_sees(const snBoxFace* f, sn4 out[3], const sn4 v[3]) {
  out[0] = pick(f->first, v[2], v[0]) * f->sign[0];
  out[1] = pick(f->second, v[2], v[1]) * f->sign[1];
  out[2] = choose(f->first, f->second, v[0], v[1], v[2]) * f->sign[2];
}

// The frame of r's face normal to axis `first`, `second` or the third, on the side of `sign`, and
// both boxes in that frame.
SN_INLINE void face_frame(snBoxFace* f, const snBoxes* b, sn4i swapped, sn4i first, sn4i second,
                          sn4 sign) {
  sn4 mat[9], sr[3], one = sn4_set1(1);
  f->first = first, f->second = second;
  f->sign[0] = choose(first, second, -sign, one, sign);
  f->sign[1] = pick(second, -sign, one);
  f->sign[2] = sign;
  for (int k = 0; k < 9; k++) {
    mat[k] = pick(swapped, b->B[k], b->A[k]);
  }
  EACH(k) {
    sr[k] = pick(swapped, b->sb[k], b->sa[k]);
    f->sq[k] = pick(swapped, b->sa[k], b->sb[k]);
    f->pr[k] = pick(swapped, b->pb[k], b->pa[k]);
    face_sees(f, f->R[k], mat + 3 * k);
  }
  f->half[0] = pick(first, sr[2], sr[0]);
  f->half[1] = pick(second, sr[2], sr[1]);
  f->half[2] = choose(first, second, sr[0], sr[1], sr[2]);
}

// A cross product axis: the unit vector n along a_i x b_j from a to b, in the frame of a (na) and
// in the world (n), and the faces of both boxes whose normals are nearest to n.
typedef struct snBoxEdge_ {
  sn4i is[3];      // which axis of b is j
  sn4i face_b[3];  // normal of b's face: which axis of b
  sn4i up[3];      // does n point along +axis k of b?
  sn4 na[3], n[3];
  sn4i first, second;  // a's face: is its normal the first axis, the second?
  sn4 sign;
} snBoxEdge;

SN_INLINE void box_edge(snBoxEdge* e, const snBoxes* b, const snBoxAxis* axis) {
  sn4 column[3], zero = sn4_set1(0), one = sn4_set1(1);
  sn4i k = axis->code - 6, i[3] = {k < 3, (k >= 3) & (k < 6), k >= 6};
  sn4i j = k - ((i[1] & 3) | (i[2] & 6));
  EACH(q) e->is[q] = j == q;
  EACH(q) column[q] = choose(e->is[0], e->is[1], b->R[q][0], b->R[q][1], b->R[q][2]);
  sn4 x = pick(i[0], column[1], column[0]), y = pick(i[2], column[1], column[2]);
  sn4i same = (axis->along > 0) ^ i[1];
  sn4 turn = pick(same, one, -one) / sn4_sqrt(x * x + y * y), low = -y * turn, high = x * turn;
  e->na[0] = pick(i[0], zero, low);
  e->na[1] = choose(i[0], i[1], low, zero, high);
  e->na[2] = pick(i[2], zero, high);
  EACH(q) {
    const sn4* row = b->A + 3 * q;
    e->n[q] = row[0] * e->na[0] + row[1] * e->na[1] + row[2] * e->na[2];
  }
  // n.b_k = (a_i x b_j).b_k is +-R_il, l the third axis; where n is nearly normal to b_k the sign
  // of R decides, as in the released engine
  sn4i ahead = axis->along > 0;
  sn4 row[3], nb[3];
  EACH(q) {
    row[q] = choose(i[0], i[1], b->R[0][q], b->R[1][q], b->R[2][q]);
    nb[q] = b->B[q] * e->n[0] + b->B[3 + q] * e->n[1] + b->B[6 + q] * e->n[2];
  }
  EACH(q) {
    int next = (q + 1) % 3, last = (q + 2) % 3;
    e->up[q] = either(e->is[last], row[next] > 0, ~(row[last] > 0)) ^ ~ahead;
  }
  // the first of the largest components
  sn4 size_a[3], size_b[3];
  EACH(q) size_a[q] = sn4_abs(e->na[q]), size_b[q] = sn4_abs(nb[q]);
  sn4i third = size_a[2] > sn4_max(size_a[1], size_a[0]);
  e->second = (size_a[1] > size_a[0]) & ~third;
  e->first = ~(third | e->second);
  e->face_b[2] = size_b[2] > sn4_max(size_b[1], size_b[0]);
  e->face_b[1] = (size_b[1] > size_b[0]) & ~e->face_b[2];
  e->face_b[0] = ~(e->face_b[1] | e->face_b[2]);
  e->sign = pick(choose(e->first, e->second, e->na[0], e->na[1], e->na[2]) > 0, one, -one);
}

// The incident feature of q: its deepest corner, and the half edges `side` from it that are nearly
// parallel to the face of r.
SN_INLINE void face_meets(snBoxFace* f, const sn4 start[3], sn4 side[3][3]) {
  sn4i flat[3];
  sn4 down[3][3], zero = sn4_set1(0);
  EACH(k) {
    sn4i up = side[k][2] >= 0;
    flat[k] = sn4_abs(side[k][2]) < kInFace * f->sq[k];
    EACH(c) down[k][c] = pick(up, -side[k][c], side[k][c]);
  }
  sn4i two = flat[0] & flat[1], last = (flat[0] | flat[1]) & flat[2];
  EACH(c) {
    f->corner[c] = start[c] + down[0][c] + down[1][c] + down[2][c];
    sn4 third = pick(flat[2], down[2][c], zero);
    f->u[c] = -2 * pick(flat[0], down[0][c], pick(flat[1], down[1][c], third));
    f->v[c] = -2 * pick(two, down[1][c], pick(last, down[2][c], zero));
  }
  EACH(c) {
    f->p[0][c] = f->corner[c], f->p[1][c] = f->corner[c] + f->u[c];
    f->p[2][c] = f->corner[c] + f->v[c], f->p[3][c] = f->p[1][c] + f->v[c];
  }
  f->two = two | last;
  f->one = flat[0] | flat[1] | flat[2];
  f->normal[0] = f->normal[1] = zero, f->normal[2] = sn4_set1(1);
}

// In lanes of cross products: the facing faces of a and b, projected on each other along n. x and y
// are sheared along n, so that n becomes the z axis.
SN_INLINE void face_laid(snBoxFace* f, const snBoxEdge* e, const sn4 start[3], sn4 side[3][3]) {
  sn4 normal[3], down[3], raw[4][3];
  face_sees(f, normal, e->na);
  EACH(k) down[k] = pick(e->is[k] | ~e->up[k], sn4_set1(1), sn4_set1(-1));
  sn4i other[3];
  EACH(k) other[k] = ~(e->is[k] | e->face_b[k]);
  EACH(c) {
    sn4 way[3];
    EACH(k) way[k] = down[k] * side[k][c];
    sn4 across = choose(other[0], other[1], way[0], way[1], way[2]);
    sn4 along = choose(e->is[0], e->is[1], way[0], way[1], way[2]);
    sn4 away = choose(e->face_b[0], e->face_b[1], way[0], way[1], way[2]);
    raw[0][c] = start[c] + across + away + along;
    raw[1][c] = start[c] + across + away - along;
    raw[2][c] = start[c] - across + away + along;
    raw[3][c] = start[c] - across + away - along;
  }
  f->inverse = pick(f->edge, 1 / normal[2], sn4_set1(1));
  EACH(c) {
    f->normal[c] = pick(f->edge, normal[c], f->normal[c]);
    for (int k = 0; k < 4; k++) {
      sn4 laid = c < 2 ? raw[k][c] - normal[c] * (raw[k][2] * f->inverse) : raw[k][c];
      f->raw[k][c] = pick(f->edge, raw[k][c], f->p[k][c]);
      f->p[k][c] = pick(f->edge, laid, f->p[k][c]);
    }
    f->raw_u[c] = pick(f->edge, raw[1][c] - raw[0][c], f->u[c]);
    f->raw_v[c] = pick(f->edge, raw[2][c] - raw[0][c], f->v[c]);
    f->u[c] = pick(f->edge, f->p[1][c] - f->p[0][c], f->u[c]);
    f->v[c] = pick(f->edge, f->p[2][c] - f->p[0][c], f->v[c]);
  }
  f->two |= f->edge, f->one |= f->edge;
}

SN_INLINE void boxes_face(snBoxFace* f, const snBoxes* b, const snBoxAxis* axis) {
  sn4i code = axis->code, swapped = (code >= 3) & (code < 6);
  sn4i first = (code == 0) | (code == 3), second = (code == 1) | (code == 4);
  sn4 one = sn4_set1(1), side[3][3], way[3], start[3];
  sn4i positive = either(swapped, axis->along <= 0, ~(axis->along < 0));
  sn4 sign = pick(positive, one, -one);
  snBoxEdge e;
  f->edge = code >= 6;
  bool edges = sn4_bits(f->edge) != 0;
  if (edges) {
    box_edge(&e, b, axis);
    first = either(f->edge, e.first, first);
    second = either(f->edge, e.second, second);
    sign = pick(f->edge, e.sign, sign);
  }
  face_frame(f, b, swapped, first, second, sign);
  EACH(k) way[k] = pick(swapped, -b->tb[k], b->ta[k]);
  face_sees(f, f->center, way);
  start[0] = f->center[0], start[1] = f->center[1], start[2] = f->center[2] - f->half[2];
  EACH(k) {
    EACH(c) way[c] = pick(swapped, b->R[k][c], b->R[c][k]);
    face_sees(f, f->axis[k], way);
    EACH(c) side[k][c] = f->axis[k][c] * f->sq[k];
  }
  face_meets(f, start, side);
  EACH(k) f->out[k] = pick(swapped, -f->R[k][2], f->R[k][2]);
  if (edges) {
    face_laid(f, &e, start, side);
    EACH(k) f->out[k] = pick(f->edge, e.n[k], f->out[k]);
  }
}

// ---- contacts
// Lanes whose point, in the frame of a box, is outside `scale` times the box enlarged by the
// margin.
SN_INLINE sn4i box_outside(const sn4 half[3], sn4 margin, double scale, const sn4 q[3]) {
  sn4i out = {0, 0, 0, 0};
  EACH(k) out |= sn4_abs(q[k]) > scale * (half[k] + margin);
  return out;
}

// A touch for each valid corner, midway between the surfaces of r and q. Corners outside one box
// and not inside the other are dropped, and all but the last of coincident ones. Touches are
// grouped by pair.
SN_INLINE int boxes_contacts(const snBoxFace* f, const snCorners* c, sn4 margin, int npair,
                             snTouch* out, snBoxFound* found) {
  sn4 world[kCandidate][3], dist[kCandidate];
  sn4i drop[kCandidate], count;
  unsigned mask[4];
  int n[4], top = 0, kept = 0;
  for (int k = 0; k < 4; k++) {
    mask[k] = (unsigned)c->mask[k];
    n[k] = __builtin_popcount(mask[k]);
    if (n[k] > top) top = n[k];
  }
  count = (sn4i){n[0], n[1], n[2], n[3]};
  for (int i = 0; i < top; i++) {
    const double *x[4], *y[4], *z[4], *tall[4];
    for (int k = 0; k < 4; k++) {
      int at = mask[k] ? __builtin_ctz(mask[k]) : 0;
      mask[k] &= mask[k] - 1;
      x[k] = (const double*)(c->x + at) + k, y[k] = (const double*)(c->y + at) + k;
      z[k] = (const double*)(c->z + at) + k, tall[k] = (const double*)(c->height + at) + k;
    }
    sn4 height = four(tall, 0), middle = 0.5 * height, local[3], p[3];
    // a face contact reports half the height, as released
    dist[i] = pick(f->edge, height, middle);
    if (c->edges) middle = four(z, 0);
    sn4 seen[3] = {four(x, 0), four(y, 0), f->half[2] + middle};
    EACH(k) {
      const sn4* R = f->R[k];
      world[i][k] = f->pr[k] + (R[0] * seen[0] + R[1] * seen[1] + R[2] * seen[2]);
      p[k] = seen[k] - f->center[k];
    }
    EACH(k) local[k] = f->axis[k][0] * p[0] + f->axis[k][1] * p[1] + f->axis[k][2] * p[2];
    sn4i out_r = box_outside(f->half, margin, kOutside, seen);
    sn4i out_q = box_outside(f->sq, margin, kOutside, local);
    sn4i there = count > i;
    drop[i] = (sn4i){0, 0, 0, 0};
    if (sn4_bits((out_r | out_q) & there)) {
      out_r &= box_outside(f->sq, margin, kInside, local);
      out_q &= box_outside(f->half, margin, kInside, seen);
      drop[i] = out_r | out_q;
    }
    for (int j = 0; j < i; j++) {
      drop[j] |= there & (world[j][0] == world[i][0]) & (world[j][1] == world[i][1]) &
                 (world[j][2] == world[i][2]);
    }
  }
  for (int k = 0; k < npair; k++) {
    snVec normal = {f->out[0][k], f->out[1][k], f->out[2][k]};
    if (found[k].n < 0) continue;
    found[k].first = kept;
    for (int i = 0; i < n[k]; i++) {
      const sn4* p = world[i];
      out[kept] = (snTouch){dist[i][k], {p[0][k], p[1][k], p[2][k]}, normal, {0, 0, 0}};
      kept += !drop[i][k];
    }
    found[k].n = kept - found[k].first;
  }
  return kept;
}

SN_INLINE void corners_of(snCorners* c, const snBoxFace* f, sn4 margin, sn4 gap, sn4i used) {
  sn4i edge = used & f->edge;
  c->edges = sn4_bits(edge) != 0;
  if (!c->edges) {
    corners_find(c, f, margin, used, false);
    return;
  }
  corners_find(c, f, margin, used, true);
  for (int lane = 0; lane < 4; lane++) {
    bool crossing = c->mask[lane] & ((1 << kReference) - 1);
    if (edge[lane] && (!crossing || c->enclosed[lane]))
      corners_passing(c, f, lane, margin[lane], gap[lane] > 0);
  }
}

SN_KERNEL int boxes_touch(const snBoxPair* pair, int n, snTouch* out, snBoxFound* found) {
  snBoxes b;
  snBoxAxis axis;
  boxes_load(&b, pair, n);
  box_axis(&axis, &b);
  for (int k = 0; k < n; k++) {
    found[k] = (snBoxFound){0, axis.apart[k] ? -1 : 0, axis.gap[k], (int)axis.code[k]};
  }
  sn4i used = ~axis.apart & ((sn4i){0, 1, 2, 3} < n);
  if (!sn4_bits(used)) return 0;
  snBoxFace face;
  snCorners corners;
  boxes_face(&face, &b, &axis);
  corners_of(&corners, &face, b.margin, axis.best, used);
  return boxes_contacts(&face, &corners, b.margin, n, out, found);
}

// Boxes apart but within the margin, whose faces do not overlap along the axis: one contact at the
// nearest points.
static void box_nearest(snTouchList* list, const snBoxPair* pair) {
  snShape shape[2];
  for (int k = 0; k < 2; k++) {
    shape[k] = (snShape){
        .type = mjGEOM_BOX, .pos = pair->pos[k], .mat = pair->mat[k], .size = pair->size[k]};
  }
  snGjk g = {.a = shape, .b = shape + 1, .hint_a = -1, .hint_b = -1, .iterations = kIterations};
  if (gjk_distance(&g, pair->margin) && g.dist > 0)
    touch_add(list, g.dist, v_scale(v_add(g.on_a, g.on_b), 0.5), g.normal);
}

void boxes_none(snTouchList* list, const snBoxPair* pair, const snBoxFound* found) {
  if (found->n < 0) {
    // cross products of edges parallel to within 1e-6 were not tested; the gap may be smaller by
    // this
    const double *sa = pair->size[0], *sb = pair->size[1];
    double size = sa[0] + sa[1] + sa[2] + sb[0] + sb[1] + sb[2];
    touch_miss(list, found->gap - pair->margin - kParallelGap * size);
  } else if (pair->margin > 0) {
    box_nearest(list, pair);
  }
}

void collide_box_box(snTouchList* list, const snShape* a, const snShape* b, double margin) {
  if (!touch_room(list, kBoxTouches)) return;
  snBoxPair pair = {{a->pos, b->pos}, {a->mat, b->mat}, {a->size, b->size}, margin};
  snBoxFound found;
  boxes_touch(&pair, 1, list->touch + list->n, &found);
  if (found.n > 0)
    list->n += found.n;
  else
    boxes_none(list, &pair, &found);
}
