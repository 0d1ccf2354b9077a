// Frames that no state moves: those of the world and of what is fixed to it. Their poses are kept
// beside the numbers of the model they came from, and copied while those are the same. Private to
// the room.
#ifndef SINEW_SMOOTH_STILL_H_
#define SINEW_SMOOTH_STILL_H_

#include "smooth/frames.h"
#include "smooth/smooth.h"

// A frame: where its numbers stand in the model and its pose in the data, and what they were.
typedef struct snKept_ {
  const double *from_pos, *from_quat;
  const mjtByte* from_same;
  double *to_xpos, *to_xmat;
  long long same;
  double pos[4], quat[4], xpos[4], xmat[9];
} snKept;

// A camera or light, and the pose of its body; `quat` of a light is its direction.
typedef struct snKeptView_ {
  double pos[4], quat[4], body_pos[4], body_quat[4];
  double xpos[4], xmat[9];
} snKeptView;

typedef struct snStill_ {
  const mjModel* m;
  uint64_t serial;  // of the plan it was made for
  bool known;       // the frames are filled in
  int nbody, ngeom, nsite;
  int nframe;  // bodies without the world, their inertial frames, geoms, sites
  snKept* frame;
  double* xquat;               // 4 numbers for each still body
  snKeptView *camera, *light;  // all of them, still or not
  double* pose;  // scratch of the kinematics: 16 numbers for each body; those of still ones stay
  double* turn;  // 4 numbers for each joint
} snStill;

// NULL when there is no memory.
snStill* still_of(const mjModel* m, mjData* d);

// Are the numbers of all still frames those kept?
SN_INLINE bool still_holds(const snStill* s) {
  const sn4i three = {-1, -1, -1, 0};
  const snKept *k = s->frame, *end = k + s->nframe;
  sn4i pos = {0}, quat = {0};
  long long same = 0;
  for (; k < end; k++) {
    pos |= (sn4i)sn4_load(k->from_pos) ^ (sn4i)sn4_load(k->pos);
    quat |= (sn4i)sn4_load(k->from_quat) ^ (sn4i)sn4_load(k->quat);
    same |= *k->from_same ^ k->same;
  }
  return s->known && !same && !sn4_any((pos & three) | quat);
}

// The world is where it is.
SN_INLINE void world_put(mjData* d) {
  quat_identity(d->xquat);
  vec3_zero(d->xpos);
  vec3_zero(d->xipos);
  mat3_identity(d->xmat);
  mat3_identity(d->ximat);
}

SN_INLINE void still_copy(mjData* d, const snStill* s) {
  const snKept *k = s->frame, *end = k + s->nframe;
  for (; k < end; k++) {
    double *x = k->to_xpos, *mat = k->to_xmat;
    sn4_store3(x, sn4_load(k->xpos));
    sn4_store(mat, sn4_load(k->xmat));
    sn4_store(mat + 4, sn4_load(k->xmat + 4));
    mat[8] = k->xmat[8];
  }
  for (int b = 1; b < s->nbody; b++) sn4_store(d->xquat + 4 * b, sn4_load(s->xquat + 4 * b));
}

void still_fill(const mjData* d, snStill* s);

#endif
