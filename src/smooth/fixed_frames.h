// Frames fixed to the world: their poses do not depend on the state. Private to the room.
//
// A large part of many scenes is static (floor, walls, furniture, the base of an arm). Poses of
// such frames are kept beside the numbers of the model that they were computed from, and copied
// while those numbers are bitwise the same, which costs a comparison instead of quaternion
// products.
#ifndef SINEW_SMOOTH_FIXED_FRAMES_H_
#define SINEW_SMOOTH_FIXED_FRAMES_H_

#include "smooth/pose_lanes.h"
#include "smooth/smooth.h"

// A frame: pointers to its numbers in the model and its pose in the data, and the values at the
// time.
typedef struct snFixedFrame_ {
  const double *from_pos, *from_quat;
  const mjtByte* from_same;
  double *to_xpos, *to_xmat;
  long long same;
  double pos[4], quat[4], xpos[4], xmat[9];
} snFixedFrame;

// A camera or light with the pose of its body; `quat` of a light is its direction.
typedef struct snFixedView_ {
  double pos[4], quat[4], body_pos[4], body_quat[4];
  double xpos[4], xmat[9];
} snFixedView;

typedef struct snFixedFrames_ {
  const mjModel* m;
  uint64_t serial;  // serial number of the model's plan
  bool known;       // poses have been kept
  int nbody, ngeom, nsite;
  int nframe;  // fixed bodies except the world, their inertial frames, geoms, sites
  snFixedFrame* frame;
  double* xquat;                // 4 numbers for each fixed body
  snFixedView *camera, *light;  // all cameras and lights, fixed or not
  double* pose;  // scratch of kinematics.c, 16 numbers for each body; fixed bodies keep theirs
  double* turn;  // scratch: 4 numbers for each joint
} snFixedFrames;

// The cache of d, made on first use; NULL when out of memory.
snFixedFrames* fixed_frames_of(const mjModel* m, mjData* d);

// Are the model's numbers of all fixed frames bitwise those kept?
SN_INLINE bool fixed_frames_hold(const snFixedFrames* s) {
  const sn4i three = {-1, -1, -1, 0};
  const snFixedFrame *k = s->frame, *end = k + s->nframe;
  sn4i pos = {0}, quat = {0};
  long long same = 0;
  for (; k < end; k++) {
    pos |= (sn4i)sn4_load(k->from_pos) ^ (sn4i)sn4_load(k->pos);
    quat |= (sn4i)sn4_load(k->from_quat) ^ (sn4i)sn4_load(k->quat);
    same |= *k->from_same ^ k->same;
  }
  return s->known && !same && !sn4_any((pos & three) | quat);
}

// The pose of the world: identity.
SN_INLINE void world_put(mjData* d) {
  quat_identity(d->xquat);
  vec3_zero(d->xpos);
  vec3_zero(d->xipos);
  mat3_identity(d->xmat);
  mat3_identity(d->ximat);
}

// Copy the kept poses to the data.
SN_INLINE void fixed_frames_copy(mjData* d, const snFixedFrames* s) {
  const snFixedFrame *k = s->frame, *end = k + s->nframe;
  for (; k < end; k++) {
    double *x = k->to_xpos, *mat = k->to_xmat;
    sn4_store3(x, sn4_load(k->xpos));
    sn4_store(mat, sn4_load(k->xmat));
    sn4_store(mat + 4, sn4_load(k->xmat + 4));
    mat[8] = k->xmat[8];
  }
  for (int b = 1; b < s->nbody; b++) sn4_store(d->xquat + 4 * b, sn4_load(s->xquat + 4 * b));
}

// Keep the present poses and the numbers that they come from.
void fixed_frames_keep(const mjData* d, snFixedFrames* s);

#endif
