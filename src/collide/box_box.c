// Two boxes, by separating axes: the three axes of each box and the nine products of one axis of
// each. The axis of least penetration decides. On a face axis of one box (the reference), the
// deepest corner of the other and the edges from it that are nearly in the plane are laid against
// the face; on a product axis the two facing faces are laid on each other along that axis. Contacts
// are the corners of what the two have in common.
//
// Which of them there are changes from pair to pair, and branches on it are guessed wrong: all
// candidates are computed in lanes, and a mask says which are corners.
#include "collide/gjk.h"
#include "collide/narrow.h"

// Four edges cross four lines each; four corners of either face.
enum { kCandidate = 24 };

// Two boxes, and each seen from the other.
typedef struct snBoxes_ {
  const snShape *a, *b;
  double margin;
  double b_in_a[3][4];  // axes of b in the frame of a
  double a_in_b[3][4];
  double to_b[4];  // from the center of a to that of b, in the frame of a
  double to_a[4];  // the other way, in the frame of b
} snBoxes;

// The axis of least penetration of two boxes: what separates them most.
typedef struct snBoxAxis_ {
  int code;      // 0-2: face axis of a, 3-5: of b, 6 + 3 i + j: a_i x b_j; -1: apart
  double along;  // center of b along that axis, from a: its sign turns the axis from a to b; of
                 // boxes that are apart, by how much
  int face;      // the same of face axes only
  double along_face;
} snBoxAxis;

// A face of the reference box, in a frame whose z axis points to the other box: x and y are as near
// to the box's as a turn about one of them allows, z counts from the face. Component k of a vector
// in this frame is sign[k] times component from[k] in the box's. Vectors have lanes x, y, z, 0.
typedef struct snBoxFace_ {
  int from[3];
  double sign[4], half[4];
  sn4 corner;   // of the other box: the starting corner
  sn4 side[4];  // edges from it, zero when there are less than two
  int nside;    // 0: a corner, 1: an edge, 2: a face
  sn4 normal;   // of the contacts
} snBoxFace;

// Candidates for corners: x, y, and height over the face along the normal.
typedef struct snCorners_ {
  double x[kCandidate], y[kCandidate], height[kCandidate];
} snCorners;

// The same lane four times.
#define ALL(v, k) __builtin_shufflevector(v, v, k, k, k, k)

SN_INLINE snBoxAxis boxes_apart(sn4 gap) {
  return (snBoxAxis){-1, sn_max(gap[0], sn_max(gap[1], gap[2])), -1, 0};
}

// The gap on the product a_i x b_j, to the last bit: of boxes that stand on each other several axes
// have the same gap but for rounding. Sums go by ascending axes.
SN_INLINE double box_product(const snBoxes* boxes, int i, int j) {
  const double *sa = boxes->a->size, *sb = boxes->b->size, *ta = boxes->to_b;
  int ilow = i == 0, ihigh = i == 2 ? 1 : 2, jlow = j == 0, jhigh = j == 2 ? 1 : 2;
  double low = boxes->b_in_a[j][ilow], high = boxes->b_in_a[j][ihigh];
  double length = sqrt(low * low + high * high), inverse = 1 / length;
  low *= inverse, high *= inverse;
  double reach = fabs(high) * sa[ilow] + fabs(low) * sa[ihigh];
  reach += fabs(boxes->b_in_a[jhigh][i]) * sb[jlow] / length;
  reach += fabs(boxes->b_in_a[jlow][i]) * sb[jhigh] / length;
  return fabs(low * ta[ihigh] - high * ta[ilow]) - reach;
}

// With R = A'B and t the way from a to b, seen from a (ta) and from b (tb), the gaps are
//   |ta_i| - sa_i - sum_j |R_ij| sb_j                              on face i of a, and b alike;
//   |t| - reach                                                    on the product a_i x b_j,
//   t = n_i2 ta_i1 - n_i1 ta_i2, n = (0, R_i1j, R_i2j) / |n|,
//   reach = sa_i1 |n_i2| + sa_i2 |n_i1| + (sb_j1 |R_ij2| + sb_j2 |R_ij1|) / |n|.
// Three axes at a time; a product axis must be better by more than rounding.
SN_INLINE snBoxAxis box_axis(snBoxes* boxes) {
  const double *A = boxes->a->mat, *sa = boxes->a->size, *pa = boxes->a->pos;
  const double *B = boxes->b->mat, *sb = boxes->b->size, *pb = boxes->b->pos;
  double margin = boxes->margin;
  sn4 arow[3], brow[3], row[3], column[3], size[3];
  double between[3];
  for (int k = 0; k < 3; k++) {
    arow[k] = sn4_load_part(A + 3 * k, 3), brow[k] = sn4_load_part(B + 3 * k, 3);
    between[k] = pb[k] - pa[k];
  }
  sn4 ta = arow[0] * between[0] + arow[1] * between[1] + arow[2] * between[2];
  sn4 tb = brow[0] * between[0] + brow[1] * between[1] + brow[2] * between[2];
  sn4 la = sn4_load_part(sa, 3), lb = sn4_load_part(sb, 3),
      limit = {margin, margin, margin, INFINITY};
  for (int k = 0; k < 3; k++) {
    column[k] = arow[0] * B[k] + arow[1] * B[3 + k] + arow[2] * B[6 + k];
    size[k] = sn4_abs(column[k]);
  }
  sn4 gap_a = sn4_abs(ta) - la - (size[0] * sb[0] + size[1] * sb[1] + size[2] * sb[2]);
  if (sn4_bits(gap_a > limit)) return boxes_apart(gap_a);
  sn4 unused = sn4_set1(0);
  row[0] = column[0], row[1] = column[1], row[2] = column[2];
  sn4_transpose(&row[0], &row[1], &row[2], &unused);
  for (int k = 0; k < 3; k++) size[k] = sn4_abs(row[k]);
  sn4 gap_b = sn4_abs(tb) - lb - (size[0] * sa[0] + size[1] * sa[1] + size[2] * sa[2]);
  if (sn4_bits(gap_b > limit)) return boxes_apart(gap_b);
  for (int k = 0; k < 3; k++) {
    sn4_store(boxes->b_in_a[k], column[k]);
    sn4_store(boxes->a_in_b[k], row[k]);
  }
  sn4_store(boxes->to_b, ta);
  sn4_store(boxes->to_a, -tb);

  // the first of the largest, in the order a_0, b_0, a_1, ...
  sn4 most = sn4_max(gap_a, gap_b);
  double best = sn_max(most[0], sn_max(most[1], most[2]));
  unsigned at_a = sn4_bits(gap_a == best) & 7, at_b = sn4_bits(gap_b == best) & 7;
  if (!(at_a | at_b)) return boxes_apart(sn4_set1(0));  // a pose that is not a number
  int first_a = __builtin_ctz(at_a | 8), first_b = __builtin_ctz(at_b | 8);
  int code = first_a <= first_b ? first_a : 3 + first_b;
  double along = first_a <= first_b ? boxes->to_b[first_a] : -boxes->to_a[first_b];
  int face = code;
  double along_face = along;

  sn4 lb1 = {sb[1], sb[2], sb[0], 0}, lb2 = {sb[2], sb[0], sb[1], 0};
  double t[12];
  // What products may be off by below, where they are not yet divided by their length l: worth a
  // look are gaps g > 0, and those with |g| < l |best|.
  double rounding = 1e-14 * (sa[0] + sa[1] + sa[2] + sb[0] + sb[1] + sb[2]);
  double least = best < 0 ? best - rounding : -rounding, least2 = least * least;
  unsigned worth = 0;
  SN_UNROLL
  for (int i = 0; i < 3; i++) {
    int i1 = i == 2 ? 0 : i + 1, i2 = i == 0 ? 2 : i - 1;
    sn4 way = row[i1] * ta[i2] - row[i2] * ta[i1], l2 = 1 - row[i] * row[i];
    sn4 reach = size[i2] * sa[i1] + size[i1] * sa[i2] +
                lb1 * __builtin_shufflevector(size[i], size[i], 2, 0, 1, 3) +
                lb2 * __builtin_shufflevector(size[i], size[i], 1, 2, 0, 3);
    sn4 g = sn4_abs(way) - reach + rounding;
    worth |= (sn4_bits((l2 >= 1e-12) & ((g > 0) | (g * g < least2 * (l2 + 1e-14)))) & 7) << 4 * i;
    sn4_store(t + 4 * i, way);
  }
  for (; worth; worth &= worth - 1) {
    int k = __builtin_ctz(worth);
    double exact = box_product(boxes, k / 4, k % 4);
    if (exact > margin) return boxes_apart(sn4_set1(exact));
    if (exact > best * (1 - 1e-12)) best = exact, code = 6 + 3 * (k / 4) + k % 4, along = t[k];
  }
  return (snBoxAxis){code, along, face, along_face};
}

// ---- the frame of a face
SN_INLINE void face_frame(snBoxFace* f, const double* size, int axis, double sign) {
  static const int kFrom[3][3] = {{2, 1, 0}, {0, 2, 1}, {0, 1, 2}};
  f->sign[0] = axis == 0 ? -sign : axis == 1 ? 1 : sign;
  f->sign[1] = axis == 1 ? -sign : 1;
  f->sign[2] = sign;
  f->sign[3] = f->half[3] = 0;
  for (int k = 0; k < 3; k++) {
    f->from[k] = kFrom[axis][k];
    f->half[k] = size[f->from[k]];
  }
}

// A vector of the box's frame in that of the face.
SN_INLINE sn4 face_sees(const snBoxFace* f, const double* v) {
  return (sn4){v[f->from[0]], v[f->from[1]], v[f->from[2]], 0} * sn4_load(f->sign);
}

// Face `axis` of box r (in direction `sign`) and the corner, edge or face of q that it meets.
// `axes` and `way` are of q, in the frame of r.
SN_INLINE void box_face(snBoxFace* f, const double* size_r, const double* size_q,
                        const double axes[3][4], const double* way, int axis, double sign) {
  face_frame(f, size_r, axis, sign);
  sn4 corner = face_sees(f, way) - (sn4){0, 0, f->half[2], 0};
  int n = 0;
  SN_UNROLL
  for (int k = 0; k < 3; k++) {
    sn4 e = face_sees(f, axes[k]) * size_q[k], up = ALL(e, 2);
    sn4 down = sn4_select(up >= 0, -e, e);
    corner += down;
    f->side[n] = -2 * down;
    n += fabs(up[0]) < 0.5 * size_q[k];
  }
  f->side[n] = f->side[n + 1] = sn4_set1(0);
  f->nside = n < 2 ? n : 2;
  f->corner = corner;
  f->normal = (sn4){0, 0, 1, 0};
}

// The facing faces of a and b, laid on each other along the unit axis n (from a to b, in the frame
// of a along_a), which is normal to edge axis `edge` of b. All is sheared along n, so that n
// becomes the z axis.
SN_INLINE void box_edge(snBoxFace* f, const snBoxes* boxes, int edge, const double along_a[3],
                        snVec n) {
  const snShape *a = boxes->a, *b = boxes->b;
  snVec nb = m_mul_t(b->mat, n);
  double along_b[3] = {nb.x, nb.y, nb.z};
  int fa = 0, fb = 0;
  for (int k = 1; k < 3; k++) {
    if (fabs(along_a[k]) > fabs(along_a[fa])) fa = k;
    if (fabs(along_b[k]) > fabs(along_b[fb])) fb = k;
  }
  face_frame(f, a->size, fa, along_a[fa] > 0 ? 1 : -1);
  sn4 nf = face_sees(f, along_a), rise = {nf[0], nf[1], 0, 0};
  sn4 corner = face_sees(f, boxes->to_b) - (sn4){0, 0, f->half[2], 0};
  int order[3] = {3 - edge - fb, fb, edge};
  for (int i = 0; i < 3; i++) {
    int k = order[i];
    sn4 e = face_sees(f, boxes->b_in_a[k]) * b->size[k];
    double down = k == edge || along_b[k] < 0 ? 1 : -1;
    corner += down * e;
    if (k != fb) f->side[k != edge] = -2 * down * e;
  }
  // (x, y, z) becomes (x - n_x z / n_z, y - n_y z / n_z, z / n_z)
  static const sn4i kZ = {0, 0, -1, 0};
  sn4 inverse = sn4_set1(1 / nf[2]), z = ALL(corner, 2) * inverse;
  f->corner = sn4_select(kZ, z, corner - rise * z);
  for (int k = 0; k < 2; k++) {
    z = ALL(f->side[k], 2) * inverse;
    f->side[k] = sn4_select(kZ, z, f->side[k] - rise * z);
  }
  f->nside = 2;
  f->normal = nf;
}

// ---- corners of the common part of two faces, seen along the normal
// Where the edge from p along d crosses the lines x = -half, x = half, y = -half, y = half, within
// the face.
SN_INLINE unsigned corners_edge(snCorners* c, int at, sn4 p, sn4 d, sn4 line, sn4 half,
                                double margin) {
  sn4 start = __builtin_shufflevector(p, p, 0, 0, 1, 1);
  sn4 slope = __builtin_shufflevector(d, d, 0, 0, 1, 1);
  sn4 start2 = __builtin_shufflevector(p, p, 1, 1, 0, 0);
  sn4 slope2 = __builtin_shufflevector(d, d, 1, 1, 0, 0);
  sn4 t = (line - start) * (1 / slope), other = start2 + t * slope2;
  sn4 height = ALL(p, 2) + t * ALL(d, 2);
  sn4_store(c->x + at, ALL(p, 0) + t * ALL(d, 0));
  sn4_store(c->y + at, ALL(p, 1) + t * ALL(d, 1));
  sn4_store(c->height + at, height);
  sn4i crosses = (sn4_abs(slope) > mjMINVAL) & (t >= 0) & (t <= 1) & (sn4_abs(other) <= half) &
                 (height <= margin);
  return sn4_bits(crosses) << at;
}

// Corners of the reference face within the other, p + a u + b v, or the first of them.
SN_INLINE unsigned corners_reference(snCorners* c, int at, const snBoxFace* f, bool first,
                                     double margin) {
  sn4 p = f->corner, u = f->side[0], v = f->side[1];
  double det = u[0] * v[1] - u[1] * v[0], inverse = 1 / det;
  sn4 cx = {-f->half[0], -f->half[0], f->half[0], f->half[0]}, x = cx - ALL(p, 0);
  sn4 cy = {-f->half[1], f->half[1], -f->half[1], f->half[1]}, y = cy - ALL(p, 1);
  sn4 a = (x * ALL(v, 1) - y * ALL(v, 0)) * inverse, b = (ALL(u, 0) * y - ALL(u, 1) * x) * inverse;
  sn4 height = (ALL(p, 2) + a * ALL(u, 2)) + b * ALL(v, 2);
  sn4_store(c->x + at, cx);
  sn4_store(c->y + at, cy);
  sn4_store(c->height + at, height);
  unsigned inside = fabs(det) > mjMINVAL ? sn4_bits((a > 0) & (a < 1) & (b > 0) & (b < 1)) : 0;
  if (first) inside &= -inside;
  return (inside & sn4_bits(height <= margin)) << at;
}

// Corners of the other face within the reference. The deepest one counts wherever it is when the
// face is laid on one of the reference.
SN_INLINE unsigned corners_other(snCorners* c, int at, const snBoxFace* f, bool always,
                                 double margin) {
  sn4 p = f->corner, pu = p + f->side[0], pv = p + f->side[1], puv = pu + f->side[1];
  sn4_transpose(&p, &pu, &pv, &puv);
  sn4 x = p, y = pu, height = pv;
  sn4_store(c->x + at, x);
  sn4_store(c->y + at, y);
  sn4_store(c->height + at, height);
  sn4i within = (sn4_abs(x) < f->half[0]) & (sn4_abs(y) < f->half[1]);
  return ((sn4_bits(within) | always) & sn4_bits(height <= margin)) << at;
}

// Which of them there are within the margin. Along a product axis one corner of the reference is
// enough.
SN_INLINE unsigned corners_find(snCorners* c, const snBoxFace* f, bool is_edge, double margin) {
  static const unsigned kPart[3] = {0x100000, 0x30000f, 0xffffff};  // by number of sides
  sn4 p = f->corner, u = f->side[0], v = f->side[1];
  sn4 line = {-f->half[0], f->half[0], -f->half[1], f->half[1]};
  sn4 half = {f->half[1], f->half[1], f->half[0], f->half[0]};
  unsigned mask = corners_edge(c, 0, p, u, line, half, margin);
  mask |= corners_edge(c, 4, p, v, line, half, margin);
  mask |= corners_edge(c, 8, p + u, v, line, half, margin);
  mask |= corners_edge(c, 12, p + v, u, line, half, margin);
  mask |= corners_reference(c, 16, f, is_edge, margin);
  mask |= corners_other(c, 20, f, !is_edge, margin);
  return mask & kPart[f->nside];
}

// ---- contacts
// Lanes of points, in the frame of a box, that are farther out than its size and margin, by
// `scale`.
SN_INLINE sn4i box_outside(const double* half, double margin, double scale, const sn4 q[3]) {
  sn4i out = {0, 0, 0, 0};
  SN_UNROLL
  for (int k = 0; k < 3; k++) out |= sn4_abs(q[k]) > scale * (half[k] + margin);
  return out;
}

// Lanes of points that equal a later one. They stay in lanes: four numbers stored one by one, or
// across two stores, are slow to load.
SN_INLINE unsigned points_again(const sn4 (*p)[3], int nblock) {
  static const unsigned kLater[4] = {0, 7, 3, 1};  // lanes with another one r lanes after them
  unsigned again = 0;
  for (int i = 0; i < nblock; i++) {
    for (int j = i; j < nblock; j++) {
      sn4 x = p[j][0], y = p[j][1], z = p[j][2];
      SN_UNROLL
      for (int r = 0; r < 4; r++) {
        sn4i same = (x == p[i][0]) & (y == p[i][1]) & (z == p[i][2]);
        again |= (sn4_bits(same) & (i == j ? kLater[r] : 15)) << 4 * i;
        x = __builtin_shufflevector(x, x, 1, 2, 3, 0);
        y = __builtin_shufflevector(y, y, 1, 2, 3, 0);
        z = __builtin_shufflevector(z, z, 1, 2, 3, 0);
      }
    }
  }
  return again;
}

// A contact for each corner of the mask, midway between the surfaces of the reference r and q.
// Those outside one box and not inside the other are dropped, and all but the last of equal ones.
SN_INLINE int boxes_contacts(const snBoxFace* f, const snShape* r, const snShape* q, double margin,
                             const snCorners* c, unsigned mask, snVec normal, double share,
                             snTouch* out) {
  sn4 world[kCandidate / 4][3], dist[kCandidate / 4];
  unsigned drop = 0;
  const double* Q = q->mat;
  double R[3][3];
  for (int k = 0; k < 9; k++) R[k / 3][k % 3] = r->mat[k - k % 3 + f->from[k % 3]] * f->sign[k % 3];
  int n = __builtin_popcount(mask), nblock = (n + 3) / 4, kept = 0;
  for (int i = 0; i < nblock; i++) {
    int at[4];
    for (int k = 0; k < 4; k++) {
      at[k] = mask ? __builtin_ctz(mask) : 0;
      mask &= mask - 1;
    }
    sn4 height = {c->height[at[0]], c->height[at[1]], c->height[at[2]], c->height[at[3]]};
    sn4 middle = 0.5 * height, local[3], p[3];
    sn4 x = {c->x[at[0]], c->x[at[1]], c->x[at[2]], c->x[at[3]]};
    sn4 y = {c->y[at[0]], c->y[at[1]], c->y[at[2]], c->y[at[3]]};
    sn4 seen[3] = {x + middle * ALL(f->normal, 0), y + middle * ALL(f->normal, 1),
                   f->half[2] + middle * ALL(f->normal, 2)};
    SN_UNROLL
    for (int k = 0; k < 3; k++) {
      p[k] = r->pos[k] + (R[k][0] * seen[0] + R[k][1] * seen[1] + R[k][2] * seen[2]);
      world[i][k] = p[k];
      p[k] -= q->pos[k];
    }
    dist[i] = share * height;
    SN_UNROLL
    for (int k = 0; k < 3; k++) local[k] = Q[k] * p[0] + Q[3 + k] * p[1] + Q[6 + k] * p[2];
    sn4i out_r = box_outside(f->half, margin, 1.01, seen);
    sn4i out_q = box_outside(q->size, margin, 1.01, local);
    if (sn4_bits(out_r | out_q)) {
      out_r &= box_outside(q->size, margin, 0.99, local);
      out_q &= box_outside(f->half, margin, 0.99, seen);
      drop |= sn4_bits(out_r | out_q) << 4 * i;
    }
  }
  if (n % 4) {  // lanes without a point equal none
    sn4i unused = (sn4i){0, 1, 2, 3} >= n % 4;
    world[nblock - 1][0] = sn4_select(unused, sn4_set1(NAN), world[nblock - 1][0]);
  }
  drop |= points_again((const sn4(*)[3])world, nblock);
  for (int i = 0; i < n; i++) {
    const sn4* p = world[i / 4];
    int k = i % 4;
    out[kept] = (snTouch){dist[i / 4][k], {p[0][k], p[1][k], p[2][k]}, normal, {0, 0, 0}};
    kept += !(drop >> i & 1);
  }
  return kept;
}

// Contacts on an axis. Of a face contact the distance is counted from the middle.
SN_INLINE int boxes_on_axis(const snBoxes* boxes, int code, double to_b, snTouch* out) {
  const snShape *a = boxes->a, *b = boxes->b;
  snBoxFace face;
  snVec normal;
  bool is_edge = code >= 6, swapped = code >= 3 && code < 6;
  const snShape *r = swapped ? b : a, *q = swapped ? a : b;
  if (is_edge) {
    int i = (code - 6) / 3, j = code % 3, low = i == 0, high = i == 2 ? 1 : 2;
    double x = boxes->b_in_a[j][low], y = boxes->b_in_a[j][high], along[3] = {0, 0, 0};
    double turn = ((to_b > 0) == (i != 1) ? 1 : -1) / sqrt(x * x + y * y);
    along[low] = -y * turn, along[high] = x * turn;
    normal = m_mul(a->mat, v_of(along));
    box_edge(&face, boxes, j, along, normal);
  } else {
    int axis = swapped ? code - 3 : code;
    double to = swapped ? (to_b <= 0 ? 1 : -1) : to_b < 0 ? -1 : 1;
    normal = v_scale(m_axis(r->mat, axis), swapped ? -to : to);
    box_face(&face, r->size, q->size, swapped ? boxes->a_in_b : boxes->b_in_a,
             swapped ? boxes->to_a : boxes->to_b, axis, to);
  }
  snCorners corners;
  unsigned mask = corners_find(&corners, &face, is_edge, boxes->margin);
  return boxes_contacts(&face, r, q, boxes->margin, &corners, mask, normal, is_edge ? 1 : 0.5, out);
}

// Contacts of two boxes; -1 and by how much when they are apart. With an axis in common and the
// same width along it, rounding makes a product of axes of what is a face, and leaves every corner
// of the common part outside by a unit in the last place: boxes that overlap touch on the face,
// then.
SN_KERNEL static int boxes_touch(snBoxes* boxes, snTouch* out, double* gap) {
  snBoxAxis least = box_axis(boxes);
  if (least.code < 0) {
    *gap = least.along;
    return -1;
  }
  for (;;) {
    int n = boxes_on_axis(boxes, least.code, least.along, out);
    if (n || least.code == least.face || boxes->margin > 0) return n;
    least.code = least.face, least.along = least.along_face;
  }
}

// Of boxes apart the faces need not overlap along the axis: then the nearest points are the
// contact.
static void box_nearest(snTouchList* list, const snShape* a, const snShape* b, double margin) {
  snGjk g = {.a = a, .b = b, .hint_a = -1, .hint_b = -1, .iterations = 50};
  if (gjk_distance(&g, margin) && g.dist > 0)
    touch_add(list, g.dist, v_scale(v_add(g.on_a, g.on_b), 0.5), g.normal);
}

void collide_box_box(snTouchList* list, const snShape* a, const snShape* b, double margin) {
  if (!touch_room(list, kCandidate)) return;
  snBoxes boxes;
  boxes.a = a, boxes.b = b, boxes.margin = margin;
  double gap;
  int n = boxes_touch(&boxes, list->touch + list->n, &gap);
  if (n < 0) {
    // edges that are parallel to 1e-6 are not crossed
    double size = a->size[0] + a->size[1] + a->size[2] + b->size[0] + b->size[1] + b->size[2];
    touch_miss(list, gap - margin - 4e-6 * size);
    return;
  }
  list->n += n;
  if (!n && margin > 0) box_nearest(list, a, b, margin);
}
