// Derivative of the bias force c(v) with respect to velocity.
//
// Velocities in the frame of a tree's center of mass are linear in qvel, so every recursion of RNE
// differentiates into the same recursion on columns. Column j lives in the bodies of the subtree of
// dof j going out, and in its ancestors coming back: the pattern D.
#include <string.h>

#include "integrate/private.h"
#include "smooth/smooth.h"

// One column: d/dqvel_j of cvel, cacc (without gravity) and cfrc over the bodies it reaches.
// `reach[b]` says whether body b moves with dof j.
typedef struct snColumn_ {
  mjtNum *vel, *acc, *frc;  // (nbody x 6)
} snColumn;

// cdof_dot of dof k is cvel(partial) x cdof, where the partial velocity is that of the body before
// dof k is added (before the whole group for the three axes of a ball, and zero for translations
// of a free joint). Its derivative is d cvel(partial) x cdof.
static void column_out(const mjModel* m, const mjData* d, int j, int body, snColumn c) {
  int parent = m->body_parentid[body], adr = m->body_dofadr[body], n = m->body_dofnum[body];
  mjtNum vel[6], acc[6], dot[6];
  memcpy(vel, c.vel + 6 * parent, sizeof vel);
  memcpy(acc, c.acc + 6 * parent, sizeof acc);
  for (int k = adr; k < adr + n;) {
    int joint = m->dof_jntid[k], type = m->jnt_type[joint];
    int group = type == mjJNT_FREE || type == mjJNT_BALL ? 3 : 1;
    if (type == mjJNT_FREE) {
      // translations first: constant axes
      for (int g = 0; g < 3; g++, k++) {
        if (k == j) {
          for (int i = 0; i < 6; i++) vel[i] += d->cdof[6 * k + i];
        }
      }
    }
    mjtNum before[6];
    memcpy(before, vel, sizeof before);
    for (int g = 0; g < group; g++, k++) {
      spatial_cross_motion(dot, before, d->cdof + 6 * k);
      for (int i = 0; i < 6; i++) acc[i] += dot[i] * d->qvel[k];
      if (k == j) {
        for (int i = 0; i < 6; i++) {
          acc[i] += d->cdof_dot[6 * k + i];
          vel[i] += d->cdof[6 * k + i];
        }
      }
    }
  }
  memcpy(c.vel + 6 * body, vel, sizeof vel);
  memcpy(c.acc + 6 * body, acc, sizeof acc);

  // f = I a + v x* (I v)
  mjtNum Iv[6], dIv[6], Ia[6], x[6], y[6];
  inertia_mul(Ia, d->cinert + 10 * body, acc);
  inertia_mul(Iv, d->cinert + 10 * body, d->cvel + 6 * body);
  inertia_mul(dIv, d->cinert + 10 * body, vel);
  spatial_cross_force(x, vel, Iv);
  spatial_cross_force(y, d->cvel + 6 * body, dIv);
  for (int i = 0; i < 6; i++) c.frc[6 * body + i] = Ia[i] + x[i] + y[i];
}

void derivative_bias(const mjModel* m, mjData* d) {
  int nbody = m->nbody;
  mj_markStack(d);
  snColumn c = {mj_stackAllocNum(d, 6 * (size_t)nbody), mj_stackAllocNum(d, 6 * (size_t)nbody),
                mj_stackAllocNum(d, 6 * (size_t)nbody)};
  memset(c.vel, 0, sizeof(mjtNum) * 6 * (size_t)nbody);
  memset(c.acc, 0, sizeof(mjtNum) * 6 * (size_t)nbody);
  memset(c.frc, 0, sizeof(mjtNum) * 6 * (size_t)nbody);
  for (int j = 0; j < m->nv; j++) {
    int top = m->dof_bodyid[j], end = top + 1;
    // the subtree of the dof's body is contiguous
    while (end < nbody && m->body_parentid[end] >= top) end++;
    int parent = m->body_parentid[top];
    memset(c.vel + 6 * parent, 0, sizeof(mjtNum) * 6);
    memset(c.acc + 6 * parent, 0, sizeof(mjtNum) * 6);
    for (int b = top; b < end; b++) column_out(m, d, j, b, c);

    // down to the roots: forces gather, dofs project; above `top` only the sum goes on
    for (int b = end - 1; b > top; b--) {
      mjtNum* to = c.frc + 6 * m->body_parentid[b];
      for (int i = 0; i < 6; i++) to[i] += c.frc[6 * b + i];
    }
    for (int k = d->D_rowadr[j]; k < d->D_rowadr[j] + d->D_rownnz[j]; k++) {
      // pattern D is symmetric: the columns of row j are the rows of column j
      int i = d->D_colind[k], body = m->dof_bodyid[i];
      const mjtNum* f = c.frc + 6 * (body > top ? body : top);
      const mjtNum* s = d->cdof + 6 * i;
      mjtNum sum = 0;
      for (int a = 0; a < 6; a++) sum += s[a] * f[a];
      int lo = d->D_rowadr[i], hi = lo + d->D_rownnz[i] - 1;
      while (lo < hi) {
        int mid = (lo + hi) / 2;
        if (d->D_colind[mid] < j)
          lo = mid + 1;
        else
          hi = mid;
      }
      d->qDeriv[lo] -= sum;
    }
  }
  mj_freeStack(d);
}
