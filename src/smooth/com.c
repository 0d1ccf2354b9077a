// Spatial quantities about the center of mass of each tree, in axes parallel to the world: as
// accurate as body frames, since distances are small, and without rotations between bodies. A
// spatial motion is (rotation, velocity of the point at the center of mass); a spatial force is
// (torque about it, force).
#include "smooth/spatial_lanes.h"
#include "smooth/smooth.h"

// Up to so many bodies or dofs a scalar loop is faster than SIMD lanes.
enum { FEW_BODIES = 2, FEW_DOFS = 2 };

// subtree_com = sum of mass xipos over the subtree, divided by its mass. `sum` has (mass xipos,
// mass) of each body.
SN_INLINE void subtree_com(const mjModel* m, mjData* d, double* sum) {
  const double *mass = m->body_mass, *xipos = d->xipos;
  const int* parent = m->body_parentid;
  double* com = d->subtree_com;
  int nbody = m->nbody;
  for (int b = 0; b < nbody; b++) {
    sn4 x = __builtin_shufflevector(sn4_load(xipos + 3 * b), sn4_set1(1), 0, 1, 2, 4);
    sn4_store(sum + 4 * b, x * mass[b]);
  }
  for (int b = nbody - 1; b >= 0; b--) {
    sn4 own = sn4_load(sum + 4 * b);
    double* to = sum + 4 * parent[b];
    SN_ASSERT(parent[b] < b || !b);  // children have been added before their parent
    if (b) sn4_store(to, sn4_load(to) + own);
    if (sum[4 * b + 3] < mjMINVAL) {
      vec3_copy(com + 3 * b, xipos + 3 * b);
    } else {
      sn4_store3(com + 3 * b, own * (1 / sum[4 * b + 3]));
    }
  }
}

// cdof: the motion of the body per unit velocity of each dof, about the point com. A rotation w
// about the anchor moves com with w x (com - anchor).
SN_INLINE void joint_motion(double* cdof, int type, const double* axis, const double* anchor,
                            const double* xmat, const double* com) {
  double arm[3];
  switch (type) {
    case mjJNT_SLIDE:
      vec3_zero(cdof);
      vec3_copy(cdof + 3, axis);
      return;
    case mjJNT_HINGE:
      vec3_sub(arm, com, anchor);
      vec3_copy(cdof, axis);
      vec3_cross(cdof + 3, axis, arm);
      return;
    case mjJNT_FREE:
      memset(cdof, 0, 18 * sizeof(double));
      cdof[3] = cdof[10] = cdof[17] = 1;
      cdof += 18;
      // rotations about the axes of the body
      // fall through
    case mjJNT_BALL:
      vec3_sub(arm, com, anchor);
      for (int i = 0; i < 3; i++, cdof += 6) {
        double column[3] = {xmat[i], xmat[3 + i], xmat[6 + i]};
        vec3_copy(cdof, column);
        vec3_cross(cdof + 3, column, arm);
      }
  }
}

SN_INLINE void four_load(sn4 v[4], const double* a, const double* b, const double* c,
                         const double* d) {
  v[0] = sn4_load(a), v[1] = sn4_load(b), v[2] = sn4_load(c), v[3] = sn4_load(d);
  sn4_transpose(&v[0], &v[1], &v[2], &v[3]);
}

// cinert: inertias of the bodies about the com of their tree (inertia_from_com), four at a time. A
// load of a 3-vector reads a fourth number, of the next vector or array, which is not used.
SN_INLINE void body_inertias(const mjModel* m, mjData* d, int first, int nbody) {
  const double *xipos = d->xipos, *ximat = d->ximat, *com = d->subtree_com;
  const double *diagonal = m->body_inertia, *body_mass = m->body_mass;
  const int* root = m->body_rootid;
  double* cinert = d->cinert;
  for (int b = first; b < nbody; b += 4) {
    int i[4];
    for (int k = 0; k < 4; k++) i[k] = b + k < nbody ? b + k : b;
    const double *R0 = ximat + 9 * i[0], *R1 = ximat + 9 * i[1], *R2 = ximat + 9 * i[2];
    const double* R3 = ximat + 9 * i[3];
    sn4 R[8], D[4], c[4], I[10];
    four_load(R, R0, R1, R2, R3);
    four_load(R + 4, R0 + 4, R1 + 4, R2 + 4, R3 + 4);
    four_load(D, diagonal + 3 * i[0], diagonal + 3 * i[1], diagonal + 3 * i[2],
              diagonal + 3 * i[3]);
    for (int k = 0; k < 4; k++) {
      c[k] = sn4_load(xipos + 3 * i[k]) - sn4_load(com + 3 * root[i[k]]);
    }
    sn4_transpose(&c[0], &c[1], &c[2], &c[3]);
    sn4 last = {R0[8], R1[8], R2[8], R3[8]};
    sn4 mass = {body_mass[i[0]], body_mass[i[1]], body_mass[i[2]], body_mass[i[3]]};

    // rows of R diag(D)
    sn4 x0 = R[0] * D[0], x1 = R[1] * D[1], x2 = R[2] * D[2];
    sn4 y0 = R[3] * D[0], y1 = R[4] * D[1], y2 = R[5] * D[2];
    sn4 z0 = R[6] * D[0], z1 = R[7] * D[1], z2 = last * D[2];
    I[0] = x0 * R[0] + x1 * R[1] + x2 * R[2] + mass * (c[1] * c[1] + c[2] * c[2]);
    I[1] = y0 * R[3] + y1 * R[4] + y2 * R[5] + mass * (c[0] * c[0] + c[2] * c[2]);
    I[2] = z0 * R[6] + z1 * R[7] + z2 * last + mass * (c[0] * c[0] + c[1] * c[1]);
    I[3] = x0 * R[3] + x1 * R[4] + x2 * R[5] - mass * c[0] * c[1];
    I[4] = x0 * R[6] + x1 * R[7] + x2 * last - mass * c[0] * c[2];
    I[5] = y0 * R[6] + y1 * R[7] + y2 * last - mass * c[1] * c[2];
    for (int k = 0; k < 3; k++) I[6 + k] = c[k] * mass;
    I[9] = mass;

    sn4_transpose(&I[0], &I[1], &I[2], &I[3]);
    sn4_transpose(&I[4], &I[5], &I[6], &I[7]);
    sn4 even = __builtin_shufflevector(I[8], I[9], 0, 4, 2, 6);
    sn4 odd = __builtin_shufflevector(I[8], I[9], 1, 5, 3, 7);
    sn2 pair[4] = {
        __builtin_shufflevector(even, even, 0, 1), __builtin_shufflevector(odd, odd, 0, 1),
        __builtin_shufflevector(even, even, 2, 3), __builtin_shufflevector(odd, odd, 2, 3)};
    SN_UNROLL
    for (int k = 0; k < 4; k++) sn10_store(cinert + 10 * i[k], (sn10){I[k], I[4 + k], pair[k]});
  }
}

// The same for one body, with the same order of operations.
SN_INLINE void body_inertia(const mjModel* m, mjData* d, int b) {
  const double *R = d->ximat + 9 * b, *D = m->body_inertia + 3 * b, *xipos = d->xipos + 3 * b;
  const double* com = d->subtree_com + 3 * m->body_rootid[b];
  double mass = m->body_mass[b], c[3], S[9], I[10];
  vec3_sub(c, xipos, com);
  for (int r = 0; r < 3; r++) {
    for (int k = 0; k < 3; k++) S[3 * r + k] = R[3 * r + k] * D[k];
  }
  I[0] = S[0] * R[0] + S[1] * R[1] + S[2] * R[2] + mass * (c[1] * c[1] + c[2] * c[2]);
  I[1] = S[3] * R[3] + S[4] * R[4] + S[5] * R[5] + mass * (c[0] * c[0] + c[2] * c[2]);
  I[2] = S[6] * R[6] + S[7] * R[7] + S[8] * R[8] + mass * (c[0] * c[0] + c[1] * c[1]);
  I[3] = S[0] * R[3] + S[1] * R[4] + S[2] * R[5] - mass * c[0] * c[1];
  I[4] = S[0] * R[6] + S[1] * R[7] + S[2] * R[8] - mass * c[0] * c[2];
  I[5] = S[3] * R[6] + S[4] * R[7] + S[5] * R[8] - mass * c[1] * c[2];
  for (int k = 0; k < 3; k++) I[6 + k] = c[k] * mass;
  I[9] = mass;
  // stored in the units that loads read (store forwarding)
  sn10_store(d->cinert + 10 * b,
             (sn10){{I[0], I[1], I[2], I[3]}, {I[4], I[5], I[6], I[7]}, {I[8], I[9]}});
}

SN_KERNEL static void com_position(const mjModel* m, mjData* d, double* sum) {
  const int *bodies = m->jnt_bodyid, *dofadr = m->jnt_dofadr, *type = m->jnt_type;
  const int* root = m->body_rootid;
  const double *xaxis = d->xaxis, *xanchor = d->xanchor, *xmat = d->xmat, *com = d->subtree_com;
  double* cdof = d->cdof;
  int nspan;
  const snBodyRun* span = data_spans(d, &nspan);
  subtree_com(m, d, sum);
  memset(d->cinert, 0, 10 * sizeof(double));
  for (const snBodyRun* end = span + nspan; span < end; span++) {
    int first = span->body ? span->body : 1, last = span->body_end;
    if (last - first <= FEW_BODIES) {
      for (int b = first; b < last; b++) body_inertia(m, d, b);
    } else {
      body_inertias(m, d, first, last);
    }
    for (int j = span->jnt; j < span->jnt_end; j++) {
      int b = bodies[j];
      joint_motion(cdof + 6 * dofadr[j], type[j], xaxis + 3 * j, xanchor + 3 * j, xmat + 9 * b,
                   com + 3 * root[b]);
    }
  }
}

void mj_comPos(const mjModel* m, mjData* d) {
  double* sum = data_scratch(d, 4 * m->nbody);
  if (sum) com_position(m, d, sum);
}

// cvel = cvel(parent) + sum of cdof qvel. `before` gets, for each dof (8 numbers), the velocity of
// the frame in which its axis is fixed: that of the parent and of the joints before. The three axes
// of a ball joint turn together; the three translations of a free joint are fixed in the world.
SN_INLINE void velocities(const mjModel* m, mjData* d, double* cvel, double* before, int first,
                          int nbody) {
  const int *parent = m->body_parentid, *dofadr = m->body_dofadr, *dofnum = m->body_dofnum;
  const double *cdof = d->cdof, *qvel = d->qvel;
  double* out = d->cvel;
  sn6 zero = {{0}, {0}};
  for (int b = first; b < nbody; b++) {
    sn6 vel = sn6_take(cvel + 8 * parent[b]);
    int num = dofnum[b], i = dofadr[b], end = i + num;
    while (i < end) {
      int type = m->jnt_type[m->dof_jntid[i]];
      if (type == mjJNT_SLIDE || type == mjJNT_HINGE) {
        sn6_keep(before + 8 * i, vel);
        vel = sn6_add_scaled(vel, sn6_load(cdof + 6 * i), qvel[i]);
        i++;
        continue;
      }
      if (type == mjJNT_FREE) {
        for (int k = 0; k < 3; k++, i++) {
          sn6_keep(before + 8 * i, zero);
          vel = sn6_add_scaled(vel, sn6_load(cdof + 6 * i), qvel[i]);
        }
      }
      for (int k = 0; k < 3; k++) sn6_keep(before + 8 * (i + k), vel);
      for (int k = 0; k < 3; k++, i++) {
        vel = sn6_add_scaled(vel, sn6_load(cdof + 6 * i), qvel[i]);
      }
    }
    sn6_keep(cvel + 8 * b, vel);
    sn6_store(out + 6 * b, vel);
  }
}

// cdof_dot = before x cdof, four dofs at a time
SN_INLINE void motion_rates(mjData* d, const double* before, int first, int nv) {
  const double* cdof = d->cdof;
  double* out = d->cdof_dot;
  if (nv - first <= FEW_DOFS) {
    for (int i = first; i < nv; i++) {
      const double *v = before + 8 * i, *c = cdof + 6 * i;
      // sn6_keep stores numbers 0-3 and 2-5
      double a[3], b[3], linear[3] = {v[3], v[6], v[7]};
      vec3_cross(out + 6 * i, v, c);
      vec3_cross(a, v, c + 3);
      vec3_cross(b, linear, c);
      vec3_add(out + 6 * i + 3, a, b);
    }
    return;
  }
  for (int i = first; i < nv; i += 4) {
    int id[4];
    sn6 row[4];
    sn4 v[6], c[6], r[6];
    for (int k = 0; k < 4; k++) id[k] = i + k < nv ? i + k : i;
    for (int k = 0; k < 4; k++) row[k] = sn6_take(before + 8 * id[k]);
    four6_load(v, row);
    for (int k = 0; k < 4; k++) row[k] = sn6_load(cdof + 6 * id[k]);
    four6_load(c, row);
    four6_cross_motion(r, v, c);
    four6_unload(row, r);
    for (int k = 3; k >= 0; k--) sn6_store(out + 6 * id[k], row[k]);
  }
}

SN_KERNEL static void com_velocity(const mjModel* m, mjData* d, double* cvel, double* before) {
  int nspan;
  const snBodyRun* span = data_spans(d, &nspan);
  sn6 zero = {{0}, {0}};
  sn6_keep(cvel, zero);
  sn6_store(d->cvel, zero);
  for (const snBodyRun* end = span + nspan; span < end; span++) {
    velocities(m, d, cvel, before, span->body ? span->body : 1, span->body_end);
    motion_rates(d, before, span->dof, span->dof_end);
  }
}

void mj_comVel(const mjModel* m, mjData* d) {
  if (!((snData*)d)->awake) ((snData*)d)->posed = false;
  double* cvel = data_scratch(d, 8 * (m->nbody + m->nv));
  if (cvel) com_velocity(m, d, cvel, cvel + 8 * m->nbody);
}

// Linear velocity of the com and angular momentum about it, of every subtree:
//   p(b) = sum over the subtree of m v;  L(b) = sum of I w + (xi - com_b) x m v.
// Scratch: `velocity` of the com of each body, `mass` of each subtree.
SN_KERNEL static void subtree_momenta(const mjModel* m, mjData* d, double* velocity, double* mass) {
  const double *cvel = d->cvel, *com = d->subtree_com, *xipos = d->xipos, *ximat = d->ximat;
  const double *body_mass = m->body_mass, *inertia = m->body_inertia;
  const int *parents = m->body_parentid, *root = m->body_rootid;
  double *linvel = d->subtree_linvel, *angmom = d->subtree_angmom;
  int nbody = m->nbody;
  for (int b = 0; b < nbody; b++) {
    double *v = velocity + 3 * b, local[3], arm[3], swing[3];
    vec3_sub(arm, xipos + 3 * b, com + 3 * root[b]);
    vec3_cross(swing, cvel + 6 * b, arm);
    vec3_add(v, cvel + 6 * b + 3, swing);
    mass[b] = body_mass[b];
    vec3_scale(linvel + 3 * b, v, mass[b]);
    mat3_mulT_vec(local, ximat + 9 * b, cvel + 6 * b);
    for (int k = 0; k < 3; k++) local[k] *= inertia[3 * b + k];
    mat3_mul_vec(angmom + 3 * b, ximat + 9 * b, local);
  }
  for (int b = nbody - 1; b >= 0; b--) {
    if (b) {
      int parent = parents[b];
      vec3_add(linvel + 3 * parent, linvel + 3 * parent, linvel + 3 * b);
      mass[parent] += mass[b];
    }
    vec3_scale(linvel + 3 * b, linvel + 3 * b, 1 / (mass[b] > mjMINVAL ? mass[b] : mjMINVAL));
  }
  for (int b = nbody - 1; b >= 0; b--) {
    double arm[3], relative[3], moment[3];

    // the body's own momentum about the com of its subtree
    vec3_sub(arm, xipos + 3 * b, com + 3 * b);
    vec3_sub(relative, velocity + 3 * b, linvel + 3 * b);
    vec3_cross(moment, arm, relative);
    vec3_add_scaled(angmom + 3 * b, angmom + 3 * b, moment, body_mass[b]);
    if (!b) break;

    // the whole subtree's, moved to the com of the parent's subtree
    int parent = parents[b];
    vec3_sub(arm, com + 3 * b, com + 3 * parent);
    vec3_sub(relative, linvel + 3 * b, linvel + 3 * parent);
    vec3_cross(moment, arm, relative);
    vec3_add(angmom + 3 * parent, angmom + 3 * parent, angmom + 3 * b);
    vec3_add_scaled(angmom + 3 * parent, angmom + 3 * parent, moment, mass[b]);
  }
}

void mj_subtreeVel(const mjModel* m, mjData* d) {
  double* velocity = data_scratch(d, 4 * m->nbody);
  if (velocity) subtree_momenta(m, d, velocity, velocity + 3 * m->nbody);
}
