// The derivative of the bias force c(v) with respect to velocity.
//
// About the center of mass of a tree the spatial velocity of a body is v = sum of cdof qvel over
// its chain, and its force is f = I a + v x* I v, where a is the sum of cdof_dot qvel. Dof j
// changes v by cdof_j and a by
//
//   cdof_dot_j + cdof_j x (v - v_j),
//
// v_j the velocity behind joint j, since dof j turns the axes behind it. So
//
//   df/dqvel_j = B cdof_j + I g_j,  B x = I' x + x x* h,  g_j = cdof_dot_j - cdof_j x v_j,
//
// with the momentum h = I v (torque part t, linear part p) and I' = v x* I - I v x, the rate of the
// inertia. In I' the mass is constant and mass times position changes by p, which leaves
//
//   B (w, u) = (J' w - t x w, -2 p x w),   J' the rate of the rotational inertia.
//
// B and I add up over the subtree of a body, B as the six numbers of J' and the six of h. With the
// sums at the body of dof i, for j an ancestor of i or i itself:
//
//   D(i, j) = -cdof_i . (B cdof_j + I g_j),  D(j, i) = -cdof_j . (B cdof_i + I g_i)
#include <string.h>

#include "data/frame.h"
#include "integrate/moving.h"
#include "integrate/private.h"
#include "smooth/smooth.h"

// g of the dofs of a body. The three axes of a ball joint turn together, and the three translations
// of a free joint are fixed in the world: v_j is the velocity behind the group.
static void turning_rates(const mjModel* m, const mjData* d, int body, double* g) {
  int i = m->body_dofadr[body], end = i + m->body_dofnum[body];
  double v[6];
  vec6_copy(v, d->cvel + 6 * m->body_parentid[body]);
  while (i < end) {
    int type = m->jnt_type[m->dof_jntid[i]];
    int group = type == mjJNT_FREE || type == mjJNT_BALL ? 3 : 1;
    for (int k = i; k < i + group; k++) vec6_add_scaled(v, v, d->cdof + 6 * k, d->qvel[k]);
    for (int k = i; k < i + group; k++) {
      double turn[6];
      spatial_cross_motion(turn, d->cdof + 6 * k, v);
      vec6_add_scaled(g + 6 * k, d->cdof_dot + 6 * k, turn, -1);
    }
    i += group;
  }
}

SN_KERNEL static void bodies_make(snMoving* moving, const double* cinert, const double* cvel,
                                  int nbody) {
  for (int b = 1; b < nbody; b += 4) {
    int body[4];
    sn4 I[10], v[6], momentum[6];
    four_bodies(body, b, nbody);
    bodies10_load(I, cinert, body);
    bodies6_load(v, cvel, body);
    bodies_moving(moving, body, I, v, momentum);
  }
}

void derivative_bias(const mjModel* m, mjData* d) {
  const snPattern* pattern = model_pattern(m);
  int nbody = m->nbody, nv = m->nv;
  const int *rowadr = pattern->D_rowadr, *diag = pattern->D_diag, *colind = pattern->D_colind;
  mj_markStack(d);
  snMoving* moving;
  double* g;
  int* below;  // next entry of each row behind its diagonal
  if (FRAME(memory_of(d), SN_ARRAY(moving, nbody), SN_ARRAY(g, 6 * (size_t)nv),
            SN_ARRAY(below, nv))) {
    memset(moving, 0, sizeof *moving);
    bodies_make(moving, d->cinert, d->cvel, nbody);
    for (int b = 1; b < nbody; b++) turning_rates(m, d, b, g);
    for (int b = nbody - 1; b > 0; b--) {
      snMoving* to = moving + m->body_parentid[b];
      vec6_add(to->rate, to->rate, moving[b].rate);
      vec6_add(to->momentum, to->momentum, moving[b].momentum);
    }
    for (int i = 0; i < nv; i++) below[i] = rowadr[i] + diag[i] + 1;
    for (int i = 0; i < nv; i++) {
      snDof dof;
      int body = m->dof_bodyid[i];
      dof_make(&dof, d->cdof + 6 * i, g + 6 * i, d->crb + 10 * body, moving + body);
      for (int k = rowadr[i]; k <= rowadr[i] + diag[i]; k++) {
        int j = colind[k];
        const double* cdof = d->cdof + 6 * j;
        d->qDeriv[k] -= vec3_dot(dof.across, cdof) + vec6_dot(dof.momentum, g + 6 * j);
        if (j != i) d->qDeriv[below[j]++] -= vec6_dot(cdof, dof.force);
      }
    }
  }
  mj_freeStack(d);
}
