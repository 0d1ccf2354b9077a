// Sensors of frames: poses, velocities and accelerations of objects, rays, pixels of a camera.
//
// A point p of a body with velocity V and acceleration A about the com c of its tree, r = p - c,
// has v = V_lin + w x r and a = A_lin + A_rot x r + w x v. A dof j that carries the body changes
//
//   by q:   dp = S_j at p,   dV = S_j x V + w_j,   dA = S_j x A + w_j x V + p_j
//   by v:                    dV = S_j,             dA = rate_j + S_j x V
//   by a:                                          dA = S_j
//
// with w_j, p_j and rate_j of smooth.c; what is read in a frame turns with that frame.
#include "collide/collide.h"
#include "derive/private.h"

// An object: where it is and how it moves.
typedef struct snObject_ {
  int body;
  const double *pos, *mat;
  double r[3];        // from the com of the tree
  double w[3], v[3];  // angular and linear velocity
} snObject;

// How it changes with one column.
typedef struct snObjectChange_ {
  double turn[3], pos[3], w[3], v[3], alpha[3], a[3];
} snObjectChange;

static bool object_make(const snTangent* t, int type, int id, snObject* o) {
  const mjData* d = t->d;
  if (!frame_of(t->m, d, type, id, &o->body, &o->pos, &o->mat)) return false;
  // cameras that follow others do not ride with their body
  if (type == mjOBJ_CAMERA && t->m->cam_mode[id] != mjCAMLIGHT_FIXED) return false;
  const double* V = t->motion.vel + 6 * o->body;
  vec3_sub(o->r, o->pos, d->subtree_com + 3 * t->m->body_rootid[o->body]);
  vec3_copy(o->w, V);
  jac_column(o->v, V, o->r);
  return true;
}

// r = x_lin + x_rot x r of a spatial motion about c, plus its point's own motion
static void at_point(double* out, const double* x, const snObject* o, const double* spin,
                     const double* dp) {
  double part[3];
  jac_column(out, x, o->r);
  if (!dp) return;
  vec3_cross(part, spin, dp);
  vec3_add(out, out, part);
}

static void acceleration_change(const snObject* o, const double* dA, const double* alpha,
                                snObjectChange* c, const double* dp) {
  double part[3];
  vec3_copy(c->alpha, dA);
  at_point(c->a, dA, o, alpha, dp);
  vec3_cross(part, c->w, o->v);
  vec3_add(c->a, c->a, part);
  vec3_cross(part, o->w, c->v);
  vec3_add(c->a, c->a, part);
}

static void change_by_q(const snTangent* t, const snObject* o, int j, snObjectChange* c) {
  const double *S = t->d->cdof + 6 * j, *V = t->motion.vel + 6 * o->body;
  const double *A = t->motion.acc + 6 * o->body, *turn = t->motion.turn + 6 * j;
  double dV[6], dA[6], part[6];
  vec3_copy(c->turn, S);
  jac_column(c->pos, S, o->r);
  spatial_cross_motion(dV, S, V);
  vec6_add(dV, dV, turn);
  vec3_copy(c->w, dV);
  at_point(c->v, dV, o, o->w, c->pos);
  spatial_cross_motion(dA, S, A);
  spatial_cross_motion(part, turn, V);
  vec6_add(dA, dA, part);
  vec6_add(dA, dA, t->motion.lift + 6 * j);
  acceleration_change(o, dA, A, c, c->pos);
}

static void change_by_v(const snTangent* t, const snObject* o, int j, snObjectChange* c) {
  const double *S = t->d->cdof + 6 * j, *V = t->motion.vel + 6 * o->body;
  double dA[6];
  vec3_zero(c->turn);
  vec3_zero(c->pos);
  vec3_copy(c->w, S);
  jac_column(c->v, S, o->r);
  spatial_cross_motion(dA, S, V);
  vec6_add(dA, dA, t->motion.rate + 6 * j);
  acceleration_change(o, dA, NULL, c, NULL);
}

// ---- readings

typedef struct snFrameSensor_ {
  int type;
  bool relative;
  snObject object, ref;
  double reading[3];  // of the object, in the world
  const double* data;
} snFrameSensor;

static void put3(const snTangent* t, double* rows, int column, const double* x, double sign) {
  for (int i = 0; i < 3; i++) rows[(size_t)i * t->ncol + column] += sign * x[i];
}

// d(R'x) = R'(dx - turn x x)
static void in_frame(const snTangent* t, const double* mat, const double* x, const double* dx,
                     const double* turn, double* rows, int column) {
  double part[3], local[3];
  vec3_cross(part, turn, x);
  vec3_sub(part, dx, part);
  mat3_mulT_vec(local, mat, part);
  put3(t, rows, column, local, 1);
}

// What is read, in the world, and its change: position, axis or velocity relative to the reference.
static void relative_reading(const snFrameSensor* s, double* x) {
  const snObject *o = &s->object, *ref = &s->ref;
  double arm[3], swing[3];
  int type = s->type;
  if (type == mjSENS_FRAMEPOS) {
    vec3_sub(x, o->pos, ref->pos);
  } else if (type == mjSENS_FRAMELINVEL) {
    vec3_sub(arm, o->pos, ref->pos);
    vec3_cross(swing, ref->w, arm);
    vec3_sub(x, o->v, ref->v);
    vec3_sub(x, x, swing);
  } else if (type == mjSENS_FRAMEANGVEL) {
    vec3_sub(x, o->w, ref->w);
  } else {
    mat3_column(x, o->mat, type - mjSENS_FRAMEXAXIS);
  }
}

static void relative_change(const snFrameSensor* s, const snObjectChange* c, bool ref, double* dx) {
  const snObject *o = &s->object, *r = &s->ref;
  double arm[3], part[3], sign = ref ? -1 : 1;
  int type = s->type;
  if (type == mjSENS_FRAMEPOS) {
    vec3_scale(dx, c->pos, sign);
  } else if (type == mjSENS_FRAMELINVEL) {
    vec3_scale(dx, c->v, sign);
    vec3_cross(part, r->w, c->pos);
    vec3_add_scaled(dx, dx, part, -sign);
    if (ref) {
      vec3_sub(arm, o->pos, r->pos);
      vec3_cross(part, c->w, arm);
      vec3_sub(dx, dx, part);
    }
  } else if (type == mjSENS_FRAMEANGVEL) {
    vec3_scale(dx, c->w, sign);
  } else if (ref) {
    vec3_zero(dx);
  } else {
    double axis[3];
    mat3_column(axis, o->mat, type - mjSENS_FRAMEXAXIS);
    vec3_cross(dx, c->turn, axis);
  }
}

// One column of the object's (or the reference's) motion.
static void relative_column(const snTangent* t, const snFrameSensor* s, const snObjectChange* c,
                            bool ref, double* rows, int column) {
  double dx[3];
  static const double zero[3] = {0};
  relative_change(s, c, ref, dx);
  if (!s->relative) {
    put3(t, rows, column, dx, 1);
    return;
  }
  in_frame(t, s->ref.mat, s->reading, dx, ref ? c->turn : zero, rows, column);
}

static void relative_rows(const snTangent* t, snFrameSensor* s, double* rows) {
  if (s->relative) relative_reading(s, s->reading);
  for (int ref = 0; ref <= s->relative; ref++) {
    const snObject* o = ref ? &s->ref : &s->object;
    const int* chain = t->plan->chain + t->plan->chain_adr[o->body];
    for (int k = 0; k < t->plan->chain_num[o->body]; k++) {
      snObjectChange c;
      change_by_q(t, o, chain[k], &c);
      relative_column(t, s, &c, ref, rows, chain[k]);
      change_by_v(t, o, chain[k], &c);
      relative_column(t, s, &c, ref, rows, t->nv + chain[k]);
    }
  }
}

// y = conj(q_ref) q: with x the turn of the object less that of the reference, in the world,
// dy = conj(q_ref) x q / 2.
static void quaternion_rows(const snTangent* t, const snFrameSensor* s, double* rows) {
  const double* y = s->data;
  for (int ref = 0; ref <= s->relative; ref++) {
    const snObject* o = ref ? &s->ref : &s->object;
    const int* chain = t->plan->chain + t->plan->chain_adr[o->body];
    for (int k = 0; k < t->plan->chain_num[o->body]; k++) {
      double turn[4] = {0}, dy[4];
      vec3_copy(turn + 1, t->d->cdof + 6 * chain[k]);
      if (s->relative) mat3_mulT_vec(turn + 1, s->ref.mat, turn + 1);
      quat_mul(dy, turn, y);
      for (int i = 0; i < 4; i++) {
        rows[(size_t)i * t->ncol + chain[k]] += (ref ? -0.5 : 0.5) * dy[i];
      }
    }
  }
}

// Velocity or acceleration of an object in its own frame, or acceleration in the world.
static void own_rows(const snTangent* t, const snFrameSensor* s, bool local, double* rows) {
  const snObject* o = &s->object;
  int type = s->type, nv = t->nv;
  bool turns = type == mjSENS_GYRO || type == mjSENS_FRAMEANGACC;
  bool accelerates =
      type == mjSENS_ACCELEROMETER || type == mjSENS_FRAMELINACC || type == mjSENS_FRAMEANGACC;
  double x[3], part[3];
  if (accelerates) {
    const double* A = t->motion.acc + 6 * o->body;
    jac_column(x, A, o->r);
    vec3_cross(part, o->w, o->v);
    vec3_add(x, x, part);
    if (turns) vec3_copy(x, A);
  } else {
    vec3_copy(x, turns ? o->w : o->v);
  }
  const int* chain = t->plan->chain + t->plan->chain_adr[o->body];
  for (int k = 0; k < t->plan->chain_num[o->body]; k++) {
    int j = chain[k];
    for (int by = 0; by < 2; by++) {
      snObjectChange c;
      if (by)
        change_by_v(t, o, j, &c);
      else
        change_by_q(t, o, j, &c);
      const double* dx = accelerates ? (turns ? c.alpha : c.a) : turns ? c.w : c.v;
      if (local)
        in_frame(t, o->mat, x, dx, c.turn, rows, by * nv + j);
      else
        put3(t, rows, by * nv + j, dx, 1);
    }
    if (!accelerates) continue;
    // S_k dqacc_k of all columns
    const double* S = t->d->cdof + 6 * j;
    double lin[3], way[3];
    jac_column(lin, S, o->r);
    vec3_copy(way, turns ? S : lin);
    if (local) mat3_mulT_vec(way, o->mat, way);
    for (int i = 0; i < 3; i++) {
      vec_add_scaled(rows + (size_t)i * t->ncol, t->tau + (size_t)j * t->stride, way[i], t->ncol);
    }
  }
}

// ---- rays and pixels

// The outward normal of a geom where a ray meets it; false for meshes and the like.
static bool surface_normal(const snTangent* t, int geom, const double* from, const double* axis,
                           double distance, double* normal) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  const double *pos = d->geom_xpos + 3 * geom, *mat = d->geom_xmat + 9 * geom;
  const double* size = m->geom_size + 3 * geom;
  double hit[3], p[3], n[3];
  vec3_add_scaled(hit, from, axis, distance);
  vec3_sub(p, hit, pos);
  mat3_mulT_vec(p, mat, p);
  switch (m->geom_type[geom]) {
    case mjGEOM_PLANE:
      n[0] = n[1] = 0, n[2] = 1;
      break;
    case mjGEOM_SPHERE:
      vec3_copy(n, p);
      break;
    case mjGEOM_CAPSULE:
      vec3_copy(n, p);
      n[2] -= mju_clip(p[2], -size[1], size[1]);
      break;
    case mjGEOM_ELLIPSOID:
      for (int k = 0; k < 3; k++) n[k] = p[k] / (size[k] * size[k]);
      break;
    case mjGEOM_CYLINDER: {
      double side = fabs(sqrt(p[0] * p[0] + p[1] * p[1]) - size[0]),
             cap = fabs(fabs(p[2]) - size[1]);
      n[0] = side < cap ? p[0] : 0, n[1] = side < cap ? p[1] : 0, n[2] = side < cap ? 0 : p[2];
      break;
    }
    case mjGEOM_BOX: {
      int face = 0;
      for (int k = 1; k < 3; k++) {
        if (fabs(fabs(p[k]) - size[k]) < fabs(fabs(p[face]) - size[face])) face = k;
      }
      for (int k = 0; k < 3; k++) n[k] = k == face ? p[k] : 0;
      break;
    }
    default:
      return false;
  }
  if (vec3_normalize(n) < mjMINVAL) return false;
  mat3_mul_vec(normal, mat, n);
  return true;
}

// The ray o + s a meets a surface that moves with u: n.(do + ds a + s da - u) = 0.
static bool ray_rows(const snTangent* t, const snObject* site, double reading, double* rows) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  double axis[3], normal[3], hit[3];
  int geom = -1;
  mat3_column(axis, site->mat, 2);
  if (reading < 0) return true;  // nothing was hit
  mj_ray(m, d, site->pos, axis, NULL, 1, site->body, &geom);
  if (geom < 0) return true;
  if (!surface_normal(t, geom, site->pos, axis, reading, normal)) return false;
  double along = vec3_dot(normal, axis);
  if (fabs(along) < mjMINVAL) return false;
  vec3_add_scaled(hit, site->pos, axis, reading);
  int body = m->geom_bodyid[geom];
  for (int of = 0; of < 2; of++) {
    int b = of ? body : site->body;
    double r[3];
    vec3_sub(r, hit, d->subtree_com + 3 * m->body_rootid[b]);
    const int* chain = t->plan->chain + t->plan->chain_adr[b];
    for (int k = 0; k < t->plan->chain_num[b]; k++) {
      // the hit point rides with the site: do + s da is the motion of the body there
      double move[3];
      jac_column(move, d->cdof + 6 * chain[k], r);
      rows[chain[k]] += (of ? 1 : -1) * vec3_dot(normal, move) / along;
    }
  }
  return true;
}

// (w/2 z - f x) / z with (x, y, z) in the frame of the camera.
static bool pixel_rows(const snTangent* t, int camera, const snObject* site, double* rows) {
  const mjModel* m = t->m;
  snObject cam;
  if (!object_make(t, mjOBJ_CAMERA, camera, &cam)) return false;
  const int* resolution = m->cam_resolution + 2 * camera;
  const float *sensor = m->cam_sensorsize + 2 * camera, *prm = m->cam_intrinsic + 4 * camera;
  double local[3], arm[3], focal[2];
  if (sensor[0] != 0 && sensor[1] != 0) {
    for (int k = 0; k < 2; k++) focal[k] = prm[k] / sensor[k] * (float)resolution[k];
  } else {
    focal[0] = focal[1] = 0.5 / sn_tan(m->cam_fovy[camera] * mjPI / 360) * resolution[1];
  }
  vec3_sub(arm, site->pos, cam.pos);
  mat3_mulT_vec(local, cam.mat, arm);
  if (fabs(local[2]) < mjMINVAL) return false;
  for (int of = 0; of < 2; of++) {
    const snObject* o = of ? &cam : site;
    const int* chain = t->plan->chain + t->plan->chain_adr[o->body];
    for (int k = 0; k < t->plan->chain_num[o->body]; k++) {
      double dp[3], dl[3], z = local[2];
      // a turn of the camera carries its point at the site along
      jac_column(dp, t->d->cdof + 6 * chain[k], site->r);
      if (of) {
        double r[3];
        vec3_add(r, cam.r, arm);
        jac_column(dp, t->d->cdof + 6 * chain[k], r);
      }
      mat3_mulT_vec(dl, cam.mat, dp);
      for (int i = 0; i < 2; i++) {
        double slope = (i ? 1 : -1) * focal[i] * (dl[i] / z - local[i] * dl[2] / (z * z));
        rows[(size_t)i * t->ncol + chain[k]] += of ? -slope : slope;
      }
    }
  }
  return true;
}

bool sense_frame(const snTangent* t, int i, double* rows) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  int type = m->sensor_type[i], id = m->sensor_objid[i], ref = m->sensor_refid[i];
  snFrameSensor s = {.type = type, .data = d->sensordata + m->sensor_adr[i]};
  bool site = type == mjSENS_MAGNETOMETER || type == mjSENS_CAMPROJECTION ||
              type == mjSENS_RANGEFINDER || type == mjSENS_VELOCIMETER || type == mjSENS_GYRO ||
              type == mjSENS_ACCELEROMETER;
  if (!object_make(t, site ? mjOBJ_SITE : m->sensor_objtype[i], id, &s.object)) return false;
  switch (type) {
    case mjSENS_MAGNETOMETER: {
      static const double zero[3] = {0};
      const int* chain = t->plan->chain + t->plan->chain_adr[s.object.body];
      for (int k = 0; k < t->plan->chain_num[s.object.body]; k++) {
        in_frame(t, s.object.mat, m->opt.magnetic, zero, d->cdof + 6 * chain[k], rows, chain[k]);
      }
      return true;
    }
    case mjSENS_RANGEFINDER:
      return ray_rows(t, &s.object, s.data[0], rows);
    case mjSENS_CAMPROJECTION:
      return pixel_rows(t, ref, &s.object, rows);
    case mjSENS_VELOCIMETER:
    case mjSENS_GYRO:
    case mjSENS_ACCELEROMETER:
      own_rows(t, &s, true, rows);
      return true;
    case mjSENS_FRAMELINACC:
    case mjSENS_FRAMEANGACC:
      own_rows(t, &s, false, rows);
      return true;
    default:
      break;
  }
  s.relative = ref >= 0;
  if (s.relative && !object_make(t, m->sensor_reftype[i], ref, &s.ref)) return false;
  if (type == mjSENS_FRAMEQUAT)
    quaternion_rows(t, &s, rows);
  else
    relative_rows(t, &s, rows);
  return true;
}
