// Forward kinematics: from qpos to the pose of every body, joint, geom and site in the world.
#include "smooth/frames.h"
#include "smooth/smooth.h"

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

// The turn of every hinge as a quaternion (cos a/2, axis sin a/2), four angles at a time; turn of
// joint j at 4j.
SN_INLINE void hinge_turns(const mjModel* m, const mjData* d, double* turn) {
  const snPlan* plan = model_plan(m);
  const int *hinge = plan->joint[mjJNT_HINGE], *adr = m->jnt_qposadr;
  const double *qpos = d->qpos, *qpos0 = m->qpos0, *axis = m->jnt_axis;
  int num = plan->joint_num[mjJNT_HINGE];
  for (int k = 0; k < num; k += 4) {
    int j[4];
    sn4 angle, sine, cosine;
    for (int i = 0; i < 4; i++) j[i] = hinge[k + i < num ? k + i : k];
    for (int i = 0; i < 4; i++) angle[i] = qpos[adr[j[i]]] - qpos0[adr[j[i]]];
    sn4_sincos(0.5 * angle, &sine, &cosine);
    for (int i = 0; i < 4; i++) {
      const double* a = axis + 3 * j[i];
      double *t = turn + 4 * j[i], s = sine[i];
      t[0] = cosine[i], t[1] = a[0] * s, t[2] = a[1] * s, t[3] = a[2] * s;
    }
  }
}

// Where body_pose reads and writes; in locals, so that stores do not make the compiler read the
// pointers again.
typedef struct snBodies_ {
  double *xpos, *xquat, *xmat, *xanchor, *xaxis;
  const double *pos, *quat, *jnt_pos, *jnt_axis, *qpos, *qpos0, *turn;
  const int *parent, *jntadr, *jntnum, *jnt_type, *qposadr;
} snBodies;

SN_INLINE void quat4_rotate(double* r, const double* v, sn4 q) {
  double quat[4] = {q[0], q[1], q[2], q[3]};
  quat_rotate(r, v, quat);
}

// Joints of a body act in order, each in the frame left by the ones before it:
//   anchor = p + R r,  axis = R a;  slide: p += axis (q - q0);
//   hinge, ball: R = R exp(q), then p = anchor - R r, so that the anchor stays where it is.
// The axis of a hinge is the same before and after its turn.
SN_INLINE void body_pose(const snBodies* s, int body, int jnt, int end) {
  int parent = s->parent[body];
  const double* mat = s->xmat + 9 * parent;
  double pos[3], *xmat = s->xmat + 9 * body;
  mat3_mul_vec(pos, mat, s->pos + 3 * body);
  vec3_add(pos, pos, s->xpos + 3 * parent);
  sn4 q = quat4_mul(sn4_load(s->xquat + 4 * parent), sn4_load(s->quat + 4 * body));

  for (int j = jnt; j < end; j++) {
    const double *local = s->jnt_pos + 3 * j, *axis0 = s->jnt_axis + 3 * j;
    double *axis = s->xaxis + 3 * j, *anchor = s->xanchor + 3 * j, arm[3];
    int type = s->jnt_type[j];
    bool centered = local[0] == 0 && local[1] == 0 && local[2] == 0;
    if (!centered) {
      quat4_rotate(arm, local, q);
      vec3_add(pos, pos, arm);
    }
    vec3_copy(anchor, pos);
    if (type == mjJNT_HINGE) {
      q = quat4_mul(q, sn4_load(s->turn + 4 * j));
      if (j + 1 < end) quat4_rotate(axis, axis0, q);
    } else {
      int adr = s->qposadr[j];
      quat4_rotate(axis, axis0, q);
      if (type == mjJNT_SLIDE) {
        vec3_add_scaled(pos, pos, axis, s->qpos[adr] - s->qpos0[adr]);
      } else {
        double turn[4];
        quat_copy(turn, s->qpos + adr);
        quat_normalize(turn);
        q = quat4_mul(q, sn4_load(turn));
      }
    }
    if (!centered) {
      quat4_rotate(arm, local, q);
      vec3_sub(pos, pos, arm);
    }
  }

  // a product of unit quaternions stays one, but for rounding along a chain
  double quat[4];
  if (!(fabs(sn4_sum(q * q) - 1) < 4e-15)) {
    sn4_store(quat, q);
    quat_normalize(quat);
    q = sn4_load(quat);
  }
  sn4_store(s->xquat + 4 * body, q);
  for (int k = 0; k < 4; k++) quat[k] = q[k];
  quat_to_mat(xmat, quat);
  vec3_copy(s->xpos + 3 * body, pos);
  if (end > jnt && s->jnt_type[end - 1] == mjJNT_HINGE) {
    mat3_mul_vec(s->xaxis + 3 * (end - 1), xmat, s->jnt_axis + 3 * (end - 1));
  }
}

// A body whose pose is given: by a free joint or by the user.
SN_INLINE void given_pose(const snBodies* s, int body, const double* pos, const double* quat) {
  double q[4];
  quat_copy(q, quat);
  quat_normalize(q);
  vec3_copy(s->xpos + 3 * body, pos);
  quat_copy(s->xquat + 4 * body, q);
  quat_to_mat(s->xmat + 9 * body, q);
}

SN_INLINE void bodies_pose(const mjModel* m, mjData* d, const double* turn) {
  const snBodies s = {d->xpos,     d->xquat,      d->xmat,          d->xanchor,     d->xaxis,
                      m->body_pos, m->body_quat,  m->jnt_pos,       m->jnt_axis,    d->qpos,
                      m->qpos0,    turn,          m->body_parentid, m->body_jntadr, m->body_jntnum,
                      m->jnt_type, m->jnt_qposadr};
  const int* mocapid = m->body_mocapid;
  int nbody = m->nbody;
  for (int b = 1; b < nbody; b++) {
    int jnt = s.jntadr[b], num = s.jntnum[b], mocap = mocapid[b];
    if (num && s.jnt_type[jnt] == mjJNT_FREE) {
      const double* q = s.qpos + s.qposadr[jnt];
      given_pose(&s, b, q, q + 3);
      vec3_copy(s.xanchor + 3 * jnt, q);
      vec3_copy(s.xaxis + 3 * jnt, s.jnt_axis + 3 * jnt);
    } else if (mocap >= 0) {
      given_pose(&s, b, d->mocap_pos + 3 * mocap, d->mocap_quat + 4 * mocap);
    } else {
      body_pose(&s, b, jnt, jnt + num);
    }
  }
}

SN_KERNEL static void poses(const mjModel* m, mjData* d, double* turn) {
  vec3_zero(d->xpos);
  vec3_zero(d->xipos);
  quat_identity(d->xquat);
  mat3_identity(d->xmat);
  mat3_identity(d->ximat);
  hinge_turns(m, d, turn);
  bodies_pose(m, d, turn);
  frames_in_bodies(d, d->xipos, d->ximat, m->body_ipos, m->body_iquat, NULL, m->body_sameframe, 1,
                   m->nbody);
  frames_in_bodies(d, d->geom_xpos, d->geom_xmat, m->geom_pos, m->geom_quat, m->geom_bodyid,
                   m->geom_sameframe, 0, m->ngeom);
  frames_in_bodies(d, d->site_xpos, d->site_xmat, m->site_pos, m->site_quat, m->site_bodyid,
                   m->site_sameframe, 0, m->nsite);
}

void mj_kinematics(const mjModel* m, mjData* d) {
  mj_markStack(d);
  double* turn = mj_stackAllocNum(d, 4 * m->njnt);
  if (turn || !m->njnt) poses(m, d, turn);
  mj_freeStack(d);
}
