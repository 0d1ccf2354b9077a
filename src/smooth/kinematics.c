// Forward kinematics: from qpos to the pose of every body, joint, geom and site in the world.
//
// Outward over the tree: the joints of a body act in order, each in the frame left by the joints
// before it (jointed_pose). Quaternions of all hinges are computed first, four angles at a time;
// frames fixed to the world are copied (fixed_frames.h); geoms and sites follow four at a time
// (pose_lanes.h).
#include "smooth/fixed_frames.h"

void mj_local2Global(mjData* d, mjtNum xpos[3], mjtNum xmat[9], const mjtNum pos[3],
                     const mjtNum quat[4], int body, mjtByte sameframe) {
  bool body_pos = sameframe == mjSAMEFRAME_BODY, body_mat = body_pos;
  bool inertia_pos = sameframe == mjSAMEFRAME_INERTIA, inertia_mat = inertia_pos;
  body_mat = body_mat || sameframe == mjSAMEFRAME_BODYROT;
  inertia_mat = inertia_mat || sameframe == mjSAMEFRAME_INERTIAROT;
  if (xpos && pos) {
    if (body_pos || inertia_pos) {
      vec3_copy(xpos, (body_pos ? d->xpos : d->xipos) + 3 * body);
    } else {
      mat3_mul_vec(xpos, d->xmat + 9 * body, pos);
      vec3_add(xpos, xpos, d->xpos + 3 * body);
    }
  }
  if (xmat && quat) {
    if (body_mat || inertia_mat) {
      mat3_copy(xmat, (body_mat ? d->xmat : d->ximat) + 9 * body);
    } else {
      double q[4];
      quat_mul(q, d->xquat + 4 * body, quat);
      quat_to_mat(xmat, q);
    }
  }
}

// How many of n ascending numbers are below `bound`.
static int count_below(const int* list, int n, int bound) {
  int low = 0;
  while (low < n) {
    int middle = low + (n - low) / 2;
    if (list[middle] < bound)
      low = middle + 1;
    else
      n = middle;
  }
  return low;
}

// The rotation of every hinge of a run of bodies as a quaternion (cos a/2, axis sin a/2), four
// angles at a time; that of joint j at turn + 4j.
SN_INLINE void hinge_turns(const mjModel* m, const mjData* d, double* turn, const snBodyRun* span) {
  const snPlan* plan = model_plan(m);
  const int *hinge = plan->joint[mjJNT_HINGE], *adr = m->jnt_qposadr;
  const double *qpos = d->qpos, *qpos0 = m->qpos0, *axis = m->jnt_axis;
  int num = plan->joint_num[mjJNT_HINGE];
  if (span->jnt_end - span->jnt < m->njnt) {
    int first = count_below(hinge, num, span->jnt);
    num = count_below(hinge, num, span->jnt_end) - first;
    hinge += first;
  }
  for (int k = 0; k < num; k += 4) {
    int j[4];
    sn4 angle, sine, cosine;
    int n = num - k < 4 ? num - k : 4;
    SN_ASSERT(hinge[k] >= span->jnt && hinge[k + n - 1] < span->jnt_end);
    for (int i = 0; i < 4; i++) j[i] = hinge[i < n ? k + i : k];
    if (n == 1) {
      angle = sn4_set1(qpos[adr[j[0]]] - qpos0[adr[j[0]]]);
    } else {
      for (int i = 0; i < 4; i++) angle[i] = qpos[adr[j[i]]] - qpos0[adr[j[i]]];
    }
    sn4_sincos(0.5 * angle, &sine, &cosine);
    for (int i = 0; i < n; i++) {
      sn4 a = sn4_load(axis + 3 * j[i]) * sn4_set1(sine[i]);
      sn4_store(turn + 4 * j[i], __builtin_shufflevector(a, sn4_set1(cosine[i]), 4, 0, 1, 2));
    }
  }
}

// The arrays that posing a body reads and writes. A local copy of the pointers: after a store
// through one of them the compiler would reload them from mjModel and mjData. `pose` (16 numbers
// for each body) and `turn` (4 for each joint) are scratch.
typedef struct snBodies_ {
  double *xpos, *xquat, *xmat, *xanchor, *xaxis, *pose;
  const double *pos, *quat, *jnt_pos, *jnt_axis, *qpos, *qpos0, *turn;
  const int *parent, *jntadr, *jntnum, *jnt_type, *qposadr;
} snBodies;

SN_INLINE sn4 quat4_rotate(sn4 q, const double* v) {
  double quat[4] = {q[0], q[1], q[2], q[3]}, r[3];
  quat_rotate(r, v, quat);
  return (sn4){r[0], r[1], r[2], 0};
}

// A quaternion whose squared length differs from one by less counts as normalized.
static const double UNIT_ROUNDING = 1.5e-15;

// Store the orientation q of a body in all its forms.
SN_INLINE void turn_put(const snBodies* s, int body, sn4 q) {
  // a product of unit quaternions has unit length up to rounding, which accumulates along a chain;
  // below the bound quat_normalize would not change it
  double* xquat = s->xquat + 4 * body;
  sn4_store(xquat, q);
  if (!(fabs(sn4_sum(q * q) - 1) < UNIT_ROUNDING)) quat_normalize(xquat);
  snEntries e = quat4_entries(xquat);
  turn_store(s->pose + 16 * body, entries_columns(e));
  entries_store(s->xmat + 9 * body, e);
}

SN_INLINE void position_put(const snBodies* s, int body, sn4 x) {
  sn4_store(s->pose + 16 * body + 12, x);
  sn4_store3(s->xpos + 3 * body, x);
}

// The joints of a body act in order, each in the frame left by the joints before it:
//   anchor = p + R r,  axis = R a;  slide: p += axis (q - q0);
//   hinge, ball: R = R exp(q), then p = anchor - R r, so that the anchor does not move.
// The axis of a hinge is the same before and after its rotation. `hinge`: all joints are one hinge.
SN_INLINE void jointed_pose(const snBodies* s, int body, int jnt, int end, bool hinge) {
  int parent = s->parent[body], type = mjJNT_FREE;
  SN_ASSERT(parent < body && jnt < end);
  const double* quat = s->quat + 4 * body;
  sn4 x = pose_apply(s->pose + 16 * parent, s->pos + 3 * body);
  sn4 q = quat4_mul(s->xquat + 4 * parent, sn4_load(quat));

  for (int j = jnt; j < end; j++) {
    const double *r = s->jnt_pos + 3 * j, *axis = s->jnt_axis + 3 * j;
    bool centred = vec3_is_zero(r);
    sn4 anchor = centred ? x : x + quat4_rotate(q, r);
    type = hinge ? mjJNT_HINGE : s->jnt_type[j];
    sn4_store3(s->xanchor + 3 * j, anchor);
    double before[4];
    sn4_store(before, q);
    if (type == mjJNT_HINGE) {
      q = quat4_mul(before, sn4_load(s->turn + 4 * j));
      if (j + 1 < end) sn4_store3(s->xaxis + 3 * j, quat4_rotate(q, axis));
    } else {
      int adr = s->qposadr[j];
      sn4 turned = quat4_rotate(q, axis);
      sn4_store3(s->xaxis + 3 * j, turned);
      if (type == mjJNT_SLIDE) {
        x += turned * sn4_set1(s->qpos[adr] - s->qpos0[adr]);
        continue;
      }
      double turn[4];
      quat_copy(turn, s->qpos + adr);
      quat_normalize(turn);
      q = quat4_mul(before, sn4_load(turn));
    }
    if (!centred) x = anchor - quat4_rotate(q, r);
  }

  turn_put(s, body, q);
  position_put(s, body, x);
  if (type == mjJNT_HINGE) {
    snTurn R = turn_load(s->pose + 16 * body);
    sn4_store3(s->xaxis + 3 * (end - 1), turn_apply(R, s->jnt_axis + 3 * (end - 1)));
  }
}

// A body without joints.
SN_INLINE void jointless_pose(const snBodies* s, int body) {
  int parent = s->parent[body];
  turn_put(s, body, quat4_mul(s->xquat + 4 * parent, sn4_load(s->quat + 4 * body)));
  position_put(s, body, pose_apply(s->pose + 16 * parent, s->pos + 3 * body));
}

// A body whose pose is given: by a free joint or, for a mocap body, by the program.
SN_INLINE void given_pose(const snBodies* s, int body, const double* pos, const double* quat) {
  double q[4];
  quat_copy(q, quat);
  quat_normalize(q);
  turn_put(s, body, sn4_load(q));
  position_put(s, body, sn4_load(pos));
}

// The poses of the bodies from `first` to `end`.
SN_INLINE void bodies_pose(const mjModel* m, mjData* d, double* pose, const double* turn, int first,
                           int end) {
  const snBodies s = {d->xpos,        d->xquat,    d->xmat,       d->xanchor,       d->xaxis,
                      pose,           m->body_pos, m->body_quat,  m->jnt_pos,       m->jnt_axis,
                      d->qpos,        m->qpos0,    turn,          m->body_parentid, m->body_jntadr,
                      m->body_jntnum, m->jnt_type, m->jnt_qposadr};
  const int* mocapid = m->body_mocapid;
  for (int b = first; b < end; b++) {
    int jnt = s.jntadr[b], num = s.jntnum[b], mocap = mocapid[b];
    if (num && s.jnt_type[jnt] == mjJNT_FREE) {
      const double* q = s.qpos + s.qposadr[jnt];
      given_pose(&s, b, q, q + 3);
      vec3_copy(s.xanchor + 3 * jnt, q);
      vec3_copy(s.xaxis + 3 * jnt, s.jnt_axis + 3 * jnt);
    } else if (mocap >= 0) {
      given_pose(&s, b, d->mocap_pos + 3 * mocap, d->mocap_quat + 4 * mocap);
    } else if (num == 1 && s.jnt_type[jnt] == mjJNT_HINGE) {
      jointed_pose(&s, b, jnt, jnt + 1, true);
    } else if (num) {
      jointed_pose(&s, b, jnt, jnt + num, false);
    } else {
      jointless_pose(&s, b);
    }
  }
}

enum { BODIES = 1, FRAMES = 2 };  // bodies and joints; what is fixed to bodies

// Pose `what`. `there`: the frames fixed to the world have been posed, and only the state has
// changed since.
SN_KERNEL static void poses(const mjModel* m, mjData* d, snFixedFrames* fixed, bool there,
                            int what) {
  const double* pose = fixed->pose;
  int body = 1, geom = 0, site = 0;
  bool kept = there || fixed_frames_hold(fixed);
  if (!there) world_put(d);
  if (kept) {
    if (!there) fixed_frames_copy(d, fixed);
    body = fixed->nbody, geom = fixed->ngeom, site = fixed->nsite;
  } else {
    turn_store(fixed->pose, (snTurn){{1}, {0, 1}, {0, 0, 1}});
    sn4_store(fixed->pose + 12, (sn4){0});
  }
  int nspan;
  const snBodyRun* span = data_spans(d, &nspan);
  for (const snBodyRun* end = span + nspan; span < end; span++) {
    int b = span->body > body ? span->body : body, g = span->geom > geom ? span->geom : geom;
    int s = span->site > site ? span->site : site;
    if (what & BODIES) {
      hinge_turns(m, d, fixed->turn, span);
      bodies_pose(m, d, fixed->pose, fixed->turn, b, span->body_end);
    }
    if (!(what & FRAMES)) continue;
    frames_in_bodies(d, pose, d->xipos, d->ximat, m->body_ipos, m->body_iquat, NULL,
                     m->body_sameframe, b, span->body_end);
    frames_in_bodies(d, pose, d->geom_xpos, d->geom_xmat, m->geom_pos, m->geom_quat, m->geom_bodyid,
                     m->geom_sameframe, g, span->geom_end);
    frames_in_bodies(d, pose, d->site_xpos, d->site_xmat, m->site_pos, m->site_quat, m->site_bodyid,
                     m->site_sameframe, s, span->site_end);
  }
  if (!kept) fixed_frames_keep(d, fixed);
}

void mj_kinematics(const mjModel* m, mjData* d) {
  snFixedFrames* fixed = fixed_frames_of(m, d);
  if (!((snData*)d)->awake) ((snData*)d)->posed = false;
  if (fixed) poses(m, d, fixed, false, BODIES | FRAMES);
}

void kinematics_moving(const mjModel* m, mjData* d) {
  snFixedFrames* fixed = fixed_frames_of(m, d);
  if (fixed) poses(m, d, fixed, fixed->known, BODIES | FRAMES);
}

void kinematics_bodies(const mjModel* m, mjData* d) {
  snFixedFrames* fixed = fixed_frames_of(m, d);
  if (fixed) poses(m, d, fixed, fixed->known, fixed->known ? BODIES : BODIES | FRAMES);
}

void kinematics_frames(const mjModel* m, mjData* d) {
  snFixedFrames* fixed = fixed_frames_of(m, d);
  if (fixed) poses(m, d, fixed, fixed->known, fixed->known ? FRAMES : BODIES | FRAMES);
}
