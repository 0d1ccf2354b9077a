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

#include "integrate/private.h"
#include "smooth/smooth.h"

// Of a body, then summed over its subtree: J' (xx, yy, zz, xy, xz, yz) and h.
typedef struct snMoving_ {
  double rate[6], momentum[6];
} snMoving;

// J' = W + W' - (mc u' + u mc') + 2 (u.mc) 1 with W = w x J, for the velocity (w, u) and the
// inertia J, mc about the same point
static void moving_make(snMoving* r, const double* I, const double* v) {
  const double *w = v, *u = v + 3, *c = I + 6;
  const double J[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
  double W[3][3], twice = 2 * vec3_dot(u, c);
  for (int k = 0; k < 3; k++) {
    double column[3] = {J[k], J[3 + k], J[6 + k]};
    vec3_cross(W[k], w, column);  // column k
  }
  for (int k = 0; k < 3; k++) r->rate[k] = 2 * W[k][k] - 2 * c[k] * u[k] + twice;
  r->rate[3] = W[1][0] + W[0][1] - c[0] * u[1] - u[0] * c[1];
  r->rate[4] = W[2][0] + W[0][2] - c[0] * u[2] - u[0] * c[2];
  r->rate[5] = W[2][1] + W[1][2] - c[1] * u[2] - u[1] * c[2];
  inertia_mul(r->momentum, I, v);
}

static void rate_mul(double* r, const double* J, const double* w) {
  vec3_set(r, J[0] * w[0] + J[3] * w[1] + J[4] * w[2], J[3] * w[0] + J[1] * w[1] + J[5] * w[2],
           J[4] * w[0] + J[5] * w[1] + J[2] * w[2]);
}

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

// Dof i with the sums over the subtree of its body: across = (B' cdof_i, 0) and momentum = I cdof_i
// for row i, force = B cdof_i + I g_i for column i.
typedef struct snDof_ {
  double across[3], momentum[6], force[6];
} snDof;

static void dof_make(snDof* r, const double* cdof, const double* g, const double* I,
                     const snMoving* B) {
  double turn[3], pull[3], *force = r->force;
  const double *t = B->momentum, *p = B->momentum + 3;
  inertia_mul(r->momentum, I, cdof);
  rate_mul(r->across, B->rate, cdof);
  vec3_cross(turn, t, cdof);

  inertia_mul(force, I, g);
  vec3_add(force, force, r->across);
  vec3_sub(force, force, turn);
  vec3_cross(pull, p, cdof);
  vec3_add_scaled(force + 3, force + 3, pull, -2);

  vec3_cross(pull, p, cdof + 3);
  vec3_add(r->across, r->across, turn);
  vec3_add_scaled(r->across, r->across, pull, 2);
}

void derivative_bias(const mjModel* m, mjData* d) {
  int nbody = m->nbody, nv = m->nv;
  const int *rowadr = d->D_rowadr, *diag = d->D_diag, *colind = d->D_colind;
  mj_markStack(d);
  snMoving* moving = mj_stackAllocByte(d, nbody * sizeof(snMoving), sizeof(double));
  double* g = mj_stackAllocNum(d, 6 * (size_t)nv + 1);
  int* below = mj_stackAllocInt(d, nv + 1);  // next entry of each row behind its diagonal
  if (moving && g && below) {
    memset(moving, 0, sizeof *moving);
    for (int b = 1; b < nbody; b++) {
      moving_make(moving + b, d->cinert + 10 * b, d->cvel + 6 * b);
      turning_rates(m, d, b, g);
    }
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
