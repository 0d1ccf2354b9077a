// Jacobians of points and axes fixed to bodies. The column of dof i on the chain of the body is
//
//   rotation cdof_rot,  translation cdof_lin + cdof_rot x (point - com of the tree).
#include "base/assert.h"
#include "smooth/smooth.h"

SN_INLINE void put(double* jac, int stride, int at, const double* v) {
  jac[at] = v[0], jac[stride + at] = v[1], jac[2 * stride + at] = v[2];
}

int chain_merge(const mjModel* m, int* chain, int body1, int body2) {
  const snPlan* plan = model_plan(m);
  const int* a = plan->chain + plan->chain_adr[body1];
  const int* b = plan->chain + plan->chain_adr[body2];
  int na = plan->chain_num[body1], nb = plan->chain_num[body2], i = 0, j = 0, n = 0;
  while (i < na && j < nb) {
    int x = a[i], y = b[j];
    chain[n++] = x < y ? x : y;
    i += x <= y, j += y <= x;
  }
  while (i < na) chain[n++] = a[i++];
  while (j < nb) chain[n++] = b[j++];
  for (int k = 1; k < n; k++) SN_ASSERT(chain[k - 1] < chain[k]);
  return n;
}

// jac += sign * columns of the body's own chain, at their places in `chain`
SN_INLINE void jac_add(const mjModel* m, const mjData* d, double* jacp, double* jacr,
                       const double* point, int body, const int* chain, int num, double sign) {
  const snPlan* plan = model_plan(m);
  const int* own = plan->chain + plan->chain_adr[body];
  int n = plan->chain_num[body];
  double offset[3];
  vec3_sub(offset, point, d->subtree_com + 3 * m->body_rootid[body]);
  for (int k = 0, at = 0; k < n; k++, at++) {
    while (chain[at] != own[k]) at++;
    SN_ASSERT(at < num);  // `chain` holds the chain of the body
    const double* cdof = d->cdof + 6 * own[k];
    if (jacp) {
      double lin[3];
      jac_column(lin, cdof, offset);
      for (int r = 0; r < 3; r++) jacp[r * num + at] += sign * lin[r];
    }
    if (jacr) {
      for (int r = 0; r < 3; r++) jacr[r * num + at] += sign * cdof[r];
    }
  }
}

void jac_chain(const mjModel* m, const mjData* d, double* jacp, double* jacr, const double* point,
               int body, const int* chain, int num) {
  if (jacp) memset(jacp, 0, 3 * (size_t)num * sizeof(double));
  if (jacr) memset(jacr, 0, 3 * (size_t)num * sizeof(double));
  jac_add(m, d, jacp, jacr, point, body, chain, num, 1);
}

void jac_difference(const mjModel* m, const mjData* d, double* jacp, double* jacr, int body1,
                    const double* point1, int body2, const double* point2, const int* chain,
                    int num) {
  if (jacp) memset(jacp, 0, 3 * (size_t)num * sizeof(double));
  if (jacr) memset(jacr, 0, 3 * (size_t)num * sizeof(double));
  jac_add(m, d, jacp, jacr, point2, body2, chain, num, 1);
  jac_add(m, d, jacp, jacr, point1, body1, chain, num, -1);
}

SN_KERNEL void mj_jac(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr,
                      const mjtNum point[3], int body) {
  int nv = m->nv;
  if (jacp) memset(jacp, 0, 3 * (size_t)nv * sizeof(double));
  if (jacr) memset(jacr, 0, 3 * (size_t)nv * sizeof(double));
  const snPlan* plan = model_plan(m);
  const int* chain = plan->chain + plan->chain_adr[body];
  double offset[3] = {0};
  if (point) vec3_sub(offset, point, d->subtree_com + 3 * m->body_rootid[body]);
  for (int k = 0; k < plan->chain_num[body]; k++) {
    int i = chain[k];
    const double* cdof = d->cdof + 6 * i;
    if (jacr) put(jacr, nv, i, cdof);
    if (jacp) {
      double lin[3];
      jac_column(lin, cdof, offset);
      put(jacp, nv, i, lin);
    }
  }
}

static bool known(const char* function, const char* kind, int id, int n) {
  if (id >= 0 && id < n) return true;
  mju_error("%s: %s %d is not between 0 and %d", function, kind, id, n - 1);
  return false;
}

void mj_jacBody(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr, int body) {
  if (!known("mj_jacBody", "body", body, m->nbody)) return;
  mj_jac(m, d, jacp, jacr, d->xpos + 3 * body, body);
}

void mj_jacBodyCom(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr, int body) {
  if (!known("mj_jacBodyCom", "body", body, m->nbody)) return;
  mj_jac(m, d, jacp, jacr, d->xipos + 3 * body, body);
}

void mj_jacGeom(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr, int geom) {
  if (!known("mj_jacGeom", "geom", geom, m->ngeom)) return;
  mj_jac(m, d, jacp, jacr, d->geom_xpos + 3 * geom, m->geom_bodyid[geom]);
}

void mj_jacSite(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr, int site) {
  if (!known("mj_jacSite", "site", site, m->nsite)) return;
  mj_jac(m, d, jacp, jacr, d->site_xpos + 3 * site, m->site_bodyid[site]);
}

// Is `body` in the subtree of `root`? Ancestors have smaller ids.
static bool in_subtree(const mjModel* m, int body, int root) {
  while (body > root) body = m->body_parentid[body];
  return body == root;
}

// The mean of the Jacobians of body coms over the subtree, weighted by mass.
void mj_jacSubtreeCom(const mjModel* m, mjData* d, mjtNum* jacp, int body) {
  int nv = m->nv;
  double total = 0;
  if (!jacp || !nv) return;
  memset(jacp, 0, 3 * (size_t)nv * sizeof(double));
  const snPlan* plan = model_plan(m);
  for (int b = body; b < m->nbody; b++) {
    if (!in_subtree(m, b, body)) continue;
    double mass = m->body_mass[b], offset[3];
    total += mass;
    const int* chain = plan->chain + plan->chain_adr[b];
    vec3_sub(offset, d->xipos + 3 * b, d->subtree_com + 3 * m->body_rootid[b]);
    for (int k = 0; k < plan->chain_num[b]; k++) {
      int i = chain[k];
      double lin[3];
      jac_column(lin, d->cdof + 6 * i, offset);
      for (int r = 0; r < 3; r++) jacp[r * nv + i] += mass * lin[r];
    }
  }
  double scale = 1 / fmax(mjMINVAL, total);
  for (int k = 0; k < 3 * nv; k++) jacp[k] *= scale;
}

// The column of an axis fixed to the body: cdof_rot x axis.
void mj_jacPointAxis(const mjModel* m, mjData* d, mjtNum* jacPoint, mjtNum* jacAxis,
                     const mjtNum point[3], const mjtNum axis[3], int body) {
  int nv = m->nv;
  if (jacPoint) mj_jac(m, d, jacPoint, NULL, point, body);
  if (!jacAxis) return;
  memset(jacAxis, 0, 3 * (size_t)nv * sizeof(double));
  const snPlan* plan = model_plan(m);
  const int* chain = plan->chain + plan->chain_adr[body];
  for (int k = 0; k < plan->chain_num[body]; k++) {
    double turn[3];
    vec3_cross(turn, d->cdof + 6 * chain[k], axis);
    put(jacAxis, nv, chain[k], turn);
  }
}

// The time derivative of the Jacobian. The reference point of cdof is at rest in the world, so
//   d/dt (lin + rot x offset) = lin_dot + rot_dot x offset + rot x velocity of the point.
// The axes of a ball joint turn with the body that they move, not with its parent.
void mj_jacDot(const mjModel* m, const mjData* d, mjtNum* jacp, mjtNum* jacr, const mjtNum point[3],
               int body) {
  int nv = m->nv;
  if (jacp) memset(jacp, 0, 3 * (size_t)nv * sizeof(double));
  if (jacr) memset(jacr, 0, 3 * (size_t)nv * sizeof(double));
  const snPlan* plan = model_plan(m);
  const int* chain = plan->chain + plan->chain_adr[body];
  double offset[3], velocity[3];
  vec3_sub(offset, point, d->subtree_com + 3 * m->body_rootid[body]);
  jac_column(velocity, d->cvel + 6 * body, offset);
  for (int k = 0; k < plan->chain_num[body]; k++) {
    int i = chain[k], jnt = m->dof_jntid[i], type = m->jnt_type[jnt];
    const double* cdof = d->cdof + 6 * i;
    double dot[6];
    if (type == mjJNT_BALL || (type == mjJNT_FREE && i >= m->jnt_dofadr[jnt] + 3)) {
      spatial_cross_motion(dot, d->cvel + 6 * m->dof_bodyid[i], cdof);
    } else {
      vec6_copy(dot, d->cdof_dot + 6 * i);
    }
    if (jacr) put(jacr, nv, i, dot);
    if (jacp) {
      double lin[3], swing[3];
      jac_column(lin, dot, offset);
      vec3_cross(swing, cdof, velocity);
      vec3_add(lin, lin, swing);
      put(jacp, nv, i, lin);
    }
  }
}

// Angular momentum of the subtree about its com, per unit velocity of each dof:
//   sum over bodies of I w + (xi - com) x m v.
void mj_angmomMat(const mjModel* m, mjData* d, mjtNum* mat, int body) {
  int nv = m->nv;
  memset(mat, 0, 3 * (size_t)nv * sizeof(double));
  const snPlan* plan = model_plan(m);
  const double* com = d->subtree_com + 3 * body;
  for (int b = body; b < m->nbody; b++) {
    if (!in_subtree(m, b, body)) continue;
    double inertia[10], arm[3], offset[3];
    static const double zero[3] = {0};
    inertia_from_com(inertia, m->body_inertia + 3 * b, d->ximat + 9 * b, zero, 0);
    vec3_sub(arm, d->xipos + 3 * b, com);
    vec3_sub(offset, d->xipos + 3 * b, d->subtree_com + 3 * m->body_rootid[b]);
    const int* chain = plan->chain + plan->chain_adr[b];
    for (int k = 0; k < plan->chain_num[b]; k++) {
      int i = chain[k];
      const double* w = d->cdof + 6 * i;
      double lin[3], moment[3], spin[3];
      jac_column(lin, w, offset);
      vec3_cross(moment, arm, lin);
      spin[0] = inertia[0] * w[0] + inertia[3] * w[1] + inertia[4] * w[2];
      spin[1] = inertia[3] * w[0] + inertia[1] * w[1] + inertia[5] * w[2];
      spin[2] = inertia[4] * w[0] + inertia[5] * w[1] + inertia[2] * w[2];
      for (int r = 0; r < 3; r++) mat[r * nv + i] += spin[r] + m->body_mass[b] * moment[r];
    }
  }
}
