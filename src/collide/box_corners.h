// Corners of the intersection of two faces of boxes, four pairs at a time in SIMD lanes. Private to
// box_box.c and box_passing.c.
#ifndef SINEW_COLLIDE_BOX_CORNERS_H_
#define SINEW_COLLIDE_BOX_CORNERS_H_

#include "collide/box_box.h"

#define EACH(k) for (int k = 0; k < 3; k++)

// Candidates for corners: four edges cross four lines each; four corners of each face.
enum { kCandidate = kBoxTouches, kCrossing = 0, kReference = 16, kIncident = 20 };

// A face of the reference box r, in a frame whose z axis points to the other box q and whose origin
// is in the face. x and y are axes of the box, up to a quarter turn about one of them.
//
// When the axis is a cross product, x and y of the incident face are projected along the normal n on
// the plane of the reference face: (x, y, z) becomes (x - n_x z / n_z, y - n_y z / n_z, z), and z /
// n_z is the height along n.
typedef struct snBoxFace_ {
  sn4i first, second;  // z is along the first axis of the box, along the second; else the third
  sn4 sign[3], half[3];
  sn4 corner[3];                      // of q: the deepest corner
  sn4 p[4][3];                        // corners of the incident feature: p, p + u, p + v, p + u + v
  sn4 u[3], v[3];                     // its edges, or zero
  sn4 raw[4][3], raw_u[3], raw_v[3];  // the same, not projected; only where a lane has an edge
  sn4 inverse;                        // 1 / n_z; only where a lane has an edge
  sn4i edge;                          // the axis is a cross product
  sn4i two, one;                      // two edges (a face); at least one edge
  sn4 normal[3];                      // of the contacts, in the frame
  sn4 pr[3], R[3][3];                 // position and orientation of the frame in the world
  sn4 center[3], axis[3][3], sq[3];   // of q, in the frame
  sn4 out[3];                         // normal from a to b in the world
} snBoxFace;

// Candidates for contact points, z above the reference face, and the height of the incident face
// above the reference face along the normal. Bit k of the mask says that candidate k is valid.
typedef struct snCorners_ {
  sn4 x[kCandidate], y[kCandidate], z[kCandidate], height[kCandidate];
  sn4i mask;
  bool edges;     // some lane has a cross product: z is set
  sn4i enclosed;  // a corner of the reference face is inside the incident one; edges only
} snCorners;

// a or b by lane of a mask. The comparison tells the compiler that lanes are all ones or all zeros.
SN_INLINE sn4 pick(sn4i mask, sn4 a, sn4 b) { return sn4_select(mask < 0, a, b); }

SN_INLINE sn4i either(sn4i which, sn4i a, sn4i b) { return (which & a) | (~which & b); }

// The contacts of one pair whose axis is a cross product, where the faces' edges do not cross, and of
// corners of the reference face. `apart`: a gap is between the boxes.
void corners_passing(snCorners* c, const snBoxFace* f, int lane, double margin, bool apart);

// An edge of the incident feature: from the corner p, d long, and the same not projected.
typedef struct snBoxSide_ {
  const sn4 *p, *d, *raw, *raw_d;
} snBoxSide;

// The crossings of the edge p + t d, 0 <= t <= 1, with the lines x = +-half[0] and y = +-half[1],
// within the face. `edges`: some lanes have a cross product; there a contact is midway between the
// line and the point of the edge.
SN_INLINE void corners_edge(snCorners* c, int at, const snBoxFace* f, snBoxSide e, sn4 margin,
                            sn4i valid, bool edges) {
  SN_UNROLL
  for (int axis = 0; axis < 2; axis++) {
    sn4 slope = 1 / e.d[axis];
    sn4i runs = (sn4_abs(e.d[axis]) > mjMINVAL) & valid;
    SN_UNROLL
    for (int k = at + 2 * axis; k < at + 2 * axis + 2; k++) {
      sn4 line = k & 1 ? f->half[axis] : -f->half[axis], t = (line - e.p[axis]) * slope;
      sn4 x = e.p[0] + t * e.d[0], y = e.p[1] + t * e.d[1], z = e.p[2] + t * e.d[2], height = z;
      sn4 other = axis ? x : y;
      if (edges) {
        z = e.raw[2] + t * e.raw_d[2];
        height = z * f->inverse;
        x = 0.5 * ((axis ? x : pick(f->edge, line, x)) + (e.raw[0] + t * e.raw_d[0]));
        y = 0.5 * ((axis ? pick(f->edge, line, y) : y) + (e.raw[1] + t * e.raw_d[1]));
      }
      c->x[k] = x, c->y[k] = y, c->height[k] = height;
      if (edges) c->z[k] = 0.5 * z;
      sn4i crosses =
          runs & (t >= 0) & (t <= 1) & (sn4_abs(other) <= f->half[!axis]) & (height <= margin);
      c->mask |= crosses & (1 << k);
    }
  }
}

// Corners of the reference face inside the incident parallelogram p + a u + b v, 0 < a, b < 1. For
// a cross product corners_passing places them.
SN_INLINE void corners_reference(snCorners* c, const snBoxFace* f, sn4 margin, bool edges) {
  const sn4 *p = f->p[0], *u = f->u, *v = f->v;
  sn4 det = u[0] * v[1] - u[1] * v[0], inverse = 1 / det;
  sn4i open = (sn4_abs(det) > mjMINVAL) & f->two;
  SN_UNROLL
  for (int k = kReference; k < kIncident; k++) {
    c->x[k] = k & 2 ? f->half[0] : -f->half[0];
    c->y[k] = k & 1 ? f->half[1] : -f->half[1];
    sn4 x = c->x[k] - p[0], y = c->y[k] - p[1];
    sn4 a = (x * v[1] - y * v[0]) * inverse, b = (u[0] * y - u[1] * x) * inverse;
    c->height[k] = (p[2] + a * u[2]) + b * v[2];
    if (edges) c->z[k] = 0.5 * c->height[k];
    sn4i inside = open & (a > 0) & (a < 1) & (b > 0) & (b < 1);
    c->mask |= inside & (c->height[k] <= margin) & (1 << k);
    if (edges) c->enclosed |= open & (a >= 0) & (a <= 1) & (b >= 0) & (b <= 1);
  }
  if (edges) c->mask &= ~(f->edge & (15 << kReference));
}

// Corner i of the incident feature inside the reference face. The deepest corner counts wherever it
// is when the axis is a face axis.
SN_INLINE void corners_other(snCorners* c, int i, const snBoxFace* f, sn4 margin, sn4i valid,
                             bool edges) {
  const sn4 *p = f->p[i], *raw = f->raw[i];
  int k = kIncident + i;
  sn4 x = sn4_abs(p[0]), y = sn4_abs(p[1]);
  sn4i within = (x < f->half[0]) & (y < f->half[1]);
  c->x[k] = p[0], c->y[k] = p[1], c->height[k] = p[2];
  if (edges) {
    c->x[k] = 0.5 * (p[0] + raw[0]), c->y[k] = 0.5 * (p[1] + raw[1]);
    c->z[k] = 0.5 * p[2], c->height[k] = p[2] * f->inverse;
    within = either(f->edge, (x <= f->half[0]) & (y <= f->half[1]), within);
  }
  if (i == 0) within |= ~f->edge;
  c->mask |= within & valid & (c->height[k] <= margin) & (1 << k);
}

SN_INLINE void corners_find(snCorners* c, const snBoxFace* f, sn4 margin, sn4i used, bool edges) {
  sn4i none = {0, 0, 0, 0};
  c->mask = c->enclosed = none;
  sn4 far_u[3], far_v[3];
  if (edges) {
    EACH(k) far_u[k] = f->raw[0][k] + f->raw_u[k], far_v[k] = f->raw[0][k] + f->raw_v[k];
  }
  sn4 pu[3], pv[3];
  EACH(k) pu[k] = f->p[0][k] + f->u[k], pv[k] = f->p[0][k] + f->v[k];
  snBoxSide u = {f->p[0], f->u, f->raw[0], f->raw_u}, v = {f->p[0], f->v, f->raw[0], f->raw_v};
  snBoxSide opposite_v = {pu, f->v, far_u, f->raw_v}, opposite_u = {pv, f->u, far_v, f->raw_u};
  corners_edge(c, kCrossing, f, u, margin, f->one, edges);
  corners_edge(c, kCrossing + 4, f, v, margin, f->two, edges);
  corners_edge(c, kCrossing + 8, f, opposite_v, margin, f->two, edges);
  corners_edge(c, kCrossing + 12, f, opposite_u, margin, f->two, edges);
  corners_reference(c, f, margin, edges);
  corners_other(c, 0, f, margin, ~none, edges);
  corners_other(c, 1, f, margin, f->one, edges);
  corners_other(c, 2, f, margin, f->two, edges);
  corners_other(c, 3, f, margin, f->two, edges);
  c->mask &= used;
}

#endif
