// Two boxes, by separating axes: the three axes of each box and the nine products of one axis of
// each. The axis of least penetration decides. On a face axis of one box (the reference), the
// deepest corner of the other and the edges from it that are nearly in the plane are laid against
// the face; on a product axis the two facing faces are laid on each other along that axis. Contacts
// are the corners of what the two have in common.
#include "collide/gjk.h"
#include "collide/narrow.h"

enum { kMaxCandidate = 32 };

// The reference face lies at z = half[2] of a frame whose z axis points to the other box.
typedef struct snFaceClip_ {
  double half[3];  // of the reference box, in that frame
  snVec corner;    // of the other box: the starting corner
  snVec side[2];   // edges from it
  int nside;       // 0: a corner, 1: an edge, 2: a face
  snVec point[kMaxCandidate];
  int n;
} snFaceClip;

SN_INLINE void clip_push(snFaceClip* c, snVec p) {
  if (c->n < kMaxCandidate) c->point[c->n++] = p;
}

// Where the edge from p along d crosses the four side planes, within the face.
SN_INLINE void clip_edge(snFaceClip* c, snVec p, snVec d) {
  for (int axis = 0; axis < 2; axis++) {
    double slope = axis ? d.y : d.x, start = axis ? p.y : p.x;
    if (fabs(slope) <= mjMINVAL) continue;
    for (int side = -1; side <= 1; side += 2) {
      double way = side * c->half[axis] - start;
      if (way * slope < 0 || fabs(way) > fabs(slope)) continue;
      double t = way / slope;
      double other = axis ? p.x + t * d.x : p.y + t * d.y;
      if (fabs(other) > c->half[1 - axis]) continue;
      clip_push(c, v_along(p, t, d));
    }
  }
}

// Corners of the reference face within the other face: corner + a side[0] + b side[1].
SN_INLINE void clip_reference(snFaceClip* c, bool first_only) {
  snVec u = c->side[0], v = c->side[1];
  double det = u.x * v.y - u.y * v.x;
  if (fabs(det) <= mjMINVAL) return;
  for (int k = 0; k < 4; k++) {
    double x = (k & 2 ? c->half[0] : -c->half[0]) - c->corner.x;
    double y = (k & 1 ? c->half[1] : -c->half[1]) - c->corner.y;
    double a = (x * v.y - y * v.x) / det, b = (u.x * y - u.y * x) / det;
    if (a <= 0 || a >= 1 || b <= 0 || b >= 1) continue;
    clip_push(c, v_along(v_along(c->corner, a, u), b, v));
    if (first_only) return;
  }
}

static void clip_all(snFaceClip* c, bool first_corner_always, bool first_reference_only) {
  c->n = 0;
  if (c->nside > 0) clip_edge(c, c->corner, c->side[0]);
  if (c->nside > 1) {
    clip_edge(c, c->corner, c->side[1]);
    clip_edge(c, v_add(c->corner, c->side[0]), c->side[1]);
    clip_edge(c, v_add(c->corner, c->side[1]), c->side[0]);
    clip_reference(c, first_reference_only);
  }
  for (int k = 0; k < 1 << c->nside; k++) {
    snVec p = c->corner;
    if (k & 1) p = v_add(p, c->side[0]);
    if (k & 2) p = v_add(p, c->side[1]);
    if ((k == 0 && first_corner_always) || (fabs(p.x) <= c->half[0] && fabs(p.y) <= c->half[1])) {
      clip_push(c, p);
    }
  }
}

// Rows of the frame whose z axis is axis `axis` of a box, turned by `sign`: x and y stay as near
// to the box's as a turn about one of them allows.
static void face_frame(double F[9], int axis, double sign) {
  memset(F, 0, 9 * sizeof(double));
  if (axis == 0) {
    F[2] = -sign, F[4] = 1, F[6] = sign;
  } else if (axis == 1) {
    F[0] = 1, F[5] = -sign, F[7] = sign;
  } else {
    F[0] = sign, F[4] = 1, F[8] = sign;
  }
}

// Inside, on the surface of, or outside a box and its margin, to within 1% of its size: 1, 0, -1.
SN_INLINE int box_side(const snShape* box, snVec p, double margin) {
  snVec q = m_mul_t(box->mat, v_sub(p, v_of(box->pos)));
  int side = 1;
  for (int i = 0; i < 3; i++) {
    double x = fabs(v_get(q, i)), size = box->size[i] + margin;
    if (x > 1.01 * size) return -1;
    if (x >= 0.99 * size) side = 0;
  }
  return side;
}

// Drop what lies outside one box and not inside the other, and all but the last of equal points.
static void box_prune(snTouchList* list, int first, const snShape* a, const snShape* b,
                      double margin) {
  int kept = first;
  for (int i = first; i < list->n; i++) {
    snVec p = list->touch[i].pos;
    int in_a = box_side(a, p, margin), in_b = box_side(b, p, margin);
    bool drop = (in_a < 0 && in_b <= 0) || (in_b < 0 && in_a <= 0);
    for (int j = i + 1; j < list->n && !drop; j++) {
      snVec gap = v_sub(list->touch[j].pos, p);
      drop = fabs(gap.x) < 1e-12 && fabs(gap.y) < 1e-12 && fabs(gap.z) < 1e-12;
    }
    if (!drop) list->touch[kept++] = list->touch[i];
  }
  list->n = kept;
}

// Face `axis` of box r (in direction `sign`) against the corner, edge or face of q.
static void box_face(snTouchList* list, const snShape* r, const snShape* q, int axis, double sign,
                     bool swapped, double margin) {
  double F[9];
  snFaceClip clip;
  face_frame(F, axis, sign);
  snVec half = m_mul(F, v3(r->size[0], r->size[1], r->size[2]));
  clip.half[0] = fabs(half.x), clip.half[1] = fabs(half.y), clip.half[2] = fabs(half.z);
  clip.corner = m_mul(F, m_mul_t(r->mat, v_sub(v_of(q->pos), v_of(r->pos))));
  clip.nside = 0;
  for (int k = 0; k < 3; k++) {
    snVec e = v_scale(m_mul(F, m_mul_t(r->mat, m_axis(q->mat, k))), q->size[k]);
    double down = e.z >= 0 ? -1 : 1;
    clip.corner = v_along(clip.corner, down, e);
    if (fabs(e.z) < 0.5 * q->size[k] && clip.nside < 2)
      clip.side[clip.nside++] = v_scale(e, -2 * down);
  }
  clip_all(&clip, true, false);

  snVec n = v_scale(m_axis(r->mat, axis), sign);
  snVec normal = swapped ? v_neg(n) : n;
  for (int i = 0; i < clip.n; i++) {
    snVec p = clip.point[i];
    double height = p.z - clip.half[2];
    if (height > margin) continue;
    p.z = clip.half[2] + 0.5 * height;
    // the distance of a face contact is counted from the middle
    touch_add(list, 0.5 * height, v_add(v_of(r->pos), m_mul(r->mat, m_mul_t(F, p))), normal);
  }
}

// The facing faces of a and b, laid on each other along the unit axis n (from a to b), which is
// normal to edge axis `edge` of b.
static void box_edge(snTouchList* list, const snShape* a, const snShape* b, int edge, snVec n,
                     double margin) {
  double F[9];
  snFaceClip clip;
  snVec na = m_mul_t(a->mat, n), nb = m_mul_t(b->mat, n);
  int fa = 0, fb = 0;
  for (int k = 1; k < 3; k++) {
    if (fabs(v_get(na, k)) > fabs(v_get(na, fa))) fa = k;
    if (fabs(v_get(nb, k)) > fabs(v_get(nb, fb))) fb = k;
  }
  face_frame(F, fa, v_get(na, fa) > 0 ? 1 : -1);
  snVec half = m_mul(F, v3(a->size[0], a->size[1], a->size[2]));
  clip.half[0] = fabs(half.x), clip.half[1] = fabs(half.y), clip.half[2] = fabs(half.z);
  snVec nf = m_mul(F, na);
  // shear along n, so that n becomes the z axis and z the distance along n from the face of a
  snVec corner = m_mul(F, m_mul_t(a->mat, v_sub(v_of(b->pos), v_of(a->pos))));
  corner.z -= clip.half[2];
  clip.nside = 2;
  for (int k = 0; k < 3; k++) {
    snVec e = v_scale(m_mul(F, m_mul_t(a->mat, m_axis(b->mat, k))), b->size[k]);
    double down = k == edge || v_get(nb, k) < 0 ? 1 : -1;
    corner = v_along(corner, down, e);
    if (k != fb) clip.side[k != edge] = v_scale(e, -2 * down);
  }
  clip.corner =
      v3(corner.x - nf.x * corner.z / nf.z, corner.y - nf.y * corner.z / nf.z, corner.z / nf.z);
  for (int k = 0; k < 2; k++) {
    snVec s = clip.side[k];
    clip.side[k] = v3(s.x - nf.x * s.z / nf.z, s.y - nf.y * s.z / nf.z, s.z / nf.z);
  }
  clip_all(&clip, false, true);
  for (int i = 0; i < clip.n; i++) {
    double dist = clip.point[i].z;
    if (dist > margin) continue;
    snVec p = v_along(v3(clip.point[i].x, clip.point[i].y, clip.half[2]), 0.5 * dist, nf);
    touch_add(list, dist, v_add(v_of(a->pos), m_mul(a->mat, m_mul_t(F, p))), n);
  }
}

// The axis of least penetration of two boxes: what separates them most.
typedef struct snBoxAxis_ {
  int code;      // 0-2: face axis of a, 3-5: of b, 6 + 3 i + j: a_i x b_j; -1: apart
  double along;  // center of b along that axis, from a: its sign turns the axis from a to b; of
                 // boxes that are apart, by how much
} snBoxAxis;

SN_INLINE snBoxAxis boxes_apart(sn4 gap) {
  return (snBoxAxis){-1, sn_max(gap[0], sn_max(gap[1], gap[2]))};
}

// With R = A'B and t the way from a to b, seen from a (ta) and from b (tb), the gaps are
//   |ta_i| - sa_i - sum_j |R_ij| sb_j                              on face i of a, and b alike;
//   (|t| - reach) / sqrt(1 - R_ij^2)                               on the product a_i x b_j,
//   t = ta_i2 R_i1j - ta_i1 R_i2j,
//   reach = sa_i1 |R_i2j| + sa_i2 |R_i1j| + sb_j1 |R_ij2| + sb_j2 |R_ij1|.
// Three axes at a time; a product axis must be better by more than rounding.
SN_KERNEL static snBoxAxis box_axis(const double* pa, const double* A, const double* sa,
                                    const double* pb, const double* B, const double* sb,
                                    double margin) {
  sn4 arow[3], brow[3], row[3], column[3];
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
    column[k] = sn4_abs(arow[0] * B[k] + arow[1] * B[3 + k] + arow[2] * B[6 + k]);
  }
  sn4 gap_a = sn4_abs(ta) - la - (column[0] * sb[0] + column[1] * sb[1] + column[2] * sb[2]);
  if (sn4_any(gap_a > limit)) return boxes_apart(gap_a);
  for (int k = 0; k < 3; k++) {
    row[k] = brow[0] * A[k] + brow[1] * A[3 + k] + brow[2] * A[6 + k];
  }
  sn4 size[3] = {sn4_abs(row[0]), sn4_abs(row[1]), sn4_abs(row[2])};
  sn4 gap_b = sn4_abs(tb) - lb - (size[0] * sa[0] + size[1] * sa[1] + size[2] * sa[2]);
  if (sn4_any(gap_b > limit)) return boxes_apart(gap_b);

  int code = -1;
  double best = -INFINITY, along = 0;
  for (int k = 0; k < 3; k++) {
    if (gap_a[k] > best) best = gap_a[k], code = k, along = ta[k];
    if (gap_b[k] > best) best = gap_b[k], code = 3 + k, along = tb[k];
  }
  if (code < 0) return boxes_apart(sn4_set1(0));  // a pose that is not a number
  sn4 bound = sn4_set1(margin > 0 ? margin : 0);
  sn4 lb1 = {sb[1], sb[2], sb[0], 0}, lb2 = {sb[2], sb[0], sb[1], 0};
  for (int i = 0; i < 3; i++) {
    int i1 = i == 2 ? 0 : i + 1, i2 = i == 0 ? 2 : i - 1;
    sn4 length2 = 1 - row[i] * row[i];
    sn4 t = row[i1] * ta[i2] - row[i2] * ta[i1];
    sn4 reach = size[i2] * sa[i1] + size[i1] * sa[i2] +
                lb1 * __builtin_shufflevector(size[i], size[i], 2, 0, 1, 3) +
                lb2 * __builtin_shufflevector(size[i], size[i], 1, 2, 0, 3);
    // the length is at most 1, so that a negative gap only grows by it, a positive one only falls
    sn4 s = sn4_select(length2 >= 1e-12, sn4_abs(t) - reach, sn4_set1(-INFINITY));
    double better = best < 0 ? best * (1 - 1e-12) : 0;
    sn4i worth = s > (sn4){better, better, better, INFINITY};
    if (!sn4_any(worth)) continue;
    if (sn4_any(s > bound)) return boxes_apart(s);
    for (int j = 0; j < 3; j++) {
      if (!worth[j]) continue;
      double exact = s[j] / sqrt(length2[j]);
      if (exact > margin) return boxes_apart(sn4_set1(exact));
      if (exact > best * (1 - 1e-12)) best = exact, code = 6 + 3 * i + j, along = t[j];
    }
  }
  return (snBoxAxis){code, along};
}

// Of boxes apart the faces need not overlap along the axis: then the nearest points are the
// contact.
static void box_nearest(snTouchList* list, const snShape* a, const snShape* b, double margin) {
  snGjk g = {.a = a, .b = b, .hint_a = -1, .hint_b = -1, .iterations = 50};
  if (gjk_distance(&g, margin) && g.dist > 0)
    touch_add(list, g.dist, v_scale(v_add(g.on_a, g.on_b), 0.5), g.normal);
}

void collide_box_box(snTouchList* list, const snShape* a, const snShape* b, double margin) {
  snBoxAxis least = box_axis(a->pos, a->mat, a->size, b->pos, b->mat, b->size, margin);
  int code = least.code, first = list->n;
  if (code < 0) {
    // edges that are parallel to 1e-6 are not crossed
    double size = a->size[0] + a->size[1] + a->size[2] + b->size[0] + b->size[1] + b->size[2];
    touch_miss(list, least.along - margin - 4e-6 * size);
    return;
  }
  if (code < 3) {
    box_face(list, a, b, code, least.along < 0 ? -1 : 1, false, margin);
  } else if (code < 6) {
    box_face(list, b, a, code - 3, least.along <= 0 ? 1 : -1, true, margin);
  } else {
    snVec axis = v_cross(m_axis(a->mat, (code - 6) / 3), m_axis(b->mat, code % 3));
    axis = v_scale(axis, (least.along > 0 ? 1 : -1) / v_norm(axis));
    box_edge(list, a, b, code % 3, axis, margin);
  }
  if (!list->failed) box_prune(list, first, a, b, margin);
  if (list->n == first && margin > 0) box_nearest(list, a, b, margin);
}
