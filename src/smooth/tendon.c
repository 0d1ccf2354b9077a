// Tendons: length and its gradient ten_J. A fixed tendon is a weighted sum of joint positions. A
// spatial tendon is the shortest path through sites and around geoms; pulleys divide it into
// branches, whose lengths count 1/divisor. The gradient of a straight piece from p0 to p1 with
// direction u is u' (J1 - J0); the curved part on an obstacle contributes nothing, since the path
// is shortest.
#include "base/assert.h"
#include "data/frame.h"
#include "smooth/smooth.h"

// The gradient of one tendon during construction: values by dof and, for a sparse row, the touched
// dofs, ascending. A dense row is built in place.
typedef struct snGradient_ {
  double* value;  // (nv), zero for untouched dofs
  int* dof;       // (num), NULL when dense
  int* scratch;   // (nv)
  int* chain;     // (2 nv): chain of a segment
  int num;
} snGradient;

// dof = union of dof and chain
static void gradient_touch(snGradient* g, const int* chain, int num) {
  int i = 0, j = 0, n = 0;
  while (i < g->num || j < num) {
    int a = i < g->num ? g->dof[i] : INT32_MAX, b = j < num ? chain[j] : INT32_MAX;
    g->scratch[n++] = a < b ? a : b;
    i += a <= b, j += b <= a;
  }
  for (int k = 1; k < n; k++) SN_ASSERT(g->scratch[k - 1] < g->scratch[k]);
  int* old = g->dof;
  g->dof = g->scratch, g->scratch = old;
  g->num = n;
}

// A straight piece from p0 on body0 to p1 on body1: gradient += scale dir' (J1 - J0). Returns its
// length.
static double gradient_segment(const mjModel* m, const mjData* d, snGradient* g, int body0,
                               const double* p0, int body1, const double* p1, double scale) {
  double dir[3];
  vec3_sub(dir, p1, p0);
  double length = vec3_normalize(dir);
  if (body0 == body1) return length;
  const snPlan* plan = model_plan(m);
  if (g->dof) gradient_touch(g, g->chain, chain_merge(m, g->chain, body0, body1));

  // difference of the columns first, then the product with dir: a site at the center of its joint
  // gives exactly zero, and exact zeros join no islands and drop out of moments
  const int *chain0 = plan->chain + plan->chain_adr[body0], num0 = plan->chain_num[body0];
  const int *chain1 = plan->chain + plan->chain_adr[body1], num1 = plan->chain_num[body1];
  const double* cdof = d->cdof;
  double *value = g->value, arm0[3], arm1[3], column0[3], column1[3];
  vec3_sub(arm0, p0, d->subtree_com + 3 * m->body_rootid[body0]);
  vec3_sub(arm1, p1, d->subtree_com + 3 * m->body_rootid[body1]);
  int common = 0;
  for (; common < num0 && common < num1 && chain0[common] == chain1[common]; common++) {
    int i = chain0[common];
    jac_column(column0, cdof + 6 * i, arm0);
    jac_column(column1, cdof + 6 * i, arm1);
    vec3_sub(column1, column1, column0);
    value[i] += scale * vec3_dot(column1, dir);
  }
  for (int k = common; k < num0; k++) {
    jac_column(column0, cdof + 6 * chain0[k], arm0);
    value[chain0[k]] -= scale * vec3_dot(column0, dir);
  }
  for (int k = common; k < num1; k++) {
    jac_column(column1, cdof + 6 * chain1[k], arm1);
    value[chain1[k]] += scale * vec3_dot(column1, dir);
  }
  return length;
}

// A fixed tendon: writes its row in place, dense or sparse; returns the number of sparse entries.
// Coefficients of a joint that is named twice add up.
static int fixed_tendon(const mjModel* m, mjData* d, int t, double* row, int* colind) {
  const int *joint = m->wrap_objid, *dofadr = m->jnt_dofadr, *qposadr = m->jnt_qposadr;
  const double *coef = m->wrap_prm, *qpos = d->qpos;
  double length = 0;
  int w = m->tendon_adr[t], end = w + m->tendon_num[t], num = 0;
  for (; w < end; w++) {
    int j = joint[w], dof = dofadr[j];
    length += coef[w] * qpos[qposadr[j]];
    if (!colind) {
      row[dof] += coef[w];
      continue;
    }
    int at = num;
    while (at > 0 && colind[at - 1] > dof) at--;
    if (at > 0 && colind[at - 1] == dof) {
      row[at - 1] += coef[w];
      continue;
    }
    for (int k = num++; k > at; k--) row[k] = row[k - 1], colind[k] = colind[k - 1];
    row[at] = coef[w], colind[at] = dof;
  }
  d->ten_length[t] = length;
  return num;
}

// Append a point of the path: object -1 for a site, -2 for a pulley, else the geom.
static void path_point(mjData* d, int t, const double* point, int object) {
  int at = d->ten_wrapadr[t] + d->ten_wrapnum[t]++;
  d->wrap_obj[at] = object;
  if (point) {
    vec3_copy(d->wrap_xpos + 3 * at, point);
  } else {
    vec3_zero(d->wrap_xpos + 3 * at);
  }
}

static double spatial_tendon(const mjModel* m, mjData* d, snGradient* g, int t) {
  double length = 0, divisor = 1;
  int w = m->tendon_adr[t], end = w + m->tendon_num[t];
  while (w < end - 1) {
    int type0 = m->wrap_type[w], type1 = m->wrap_type[w + 1];
    if (type0 == mjWRAP_PULLEY || type1 == mjWRAP_PULLEY) {
      if (type0 == mjWRAP_PULLEY) {
        divisor = m->wrap_prm[w];
        path_point(d, t, NULL, -2);
      } else {
        // the last site of a branch
        path_point(d, t, d->site_xpos + 3 * m->wrap_objid[w], -1);
      }
      w++;
      continue;
    }

    // from site to site, with or without a geom between them
    int site0 = m->wrap_objid[w];
    const double* p0 = d->site_xpos + 3 * site0;
    int body0 = m->site_bodyid[site0];
    path_point(d, t, p0, -1);
    bool obstacle = type1 == mjWRAP_SPHERE || type1 == mjWRAP_CYLINDER;
    int site1 = m->wrap_objid[w + 1 + obstacle];
    const double* p1 = d->site_xpos + 3 * site1;
    int body1 = m->site_bodyid[site1];
    double curve[6], curved = -1;
    int geom = -1;
    if (obstacle) {
      geom = m->wrap_objid[w + 1];
      // a side site out of range, which a program may have written, means none
      mjtNum prm = m->wrap_prm[w + 1];
      int side = prm >= 0 && prm < m->nsite ? (int)prm : -1;
      curved = wrap_path(curve, p0, p1, d->geom_xpos + 3 * geom, d->geom_xmat + 9 * geom,
                         m->geom_size[3 * geom], type1, side >= 0 ? d->site_xpos + 3 * side : NULL);
    }
    if (curved < 0) {
      length += gradient_segment(m, d, g, body0, p0, body1, p1, 1 / divisor) / divisor;
    } else {
      int body = m->geom_bodyid[geom];
      path_point(d, t, curve, geom);
      path_point(d, t, curve + 3, geom);
      double first = gradient_segment(m, d, g, body0, p0, body, curve, 1 / divisor);
      double second = gradient_segment(m, d, g, body, curve + 3, body1, p1, 1 / divisor);
      length += (first + curved + second) / divisor;
    }
    w += 1 + obstacle;
  }
  if (w < end && m->wrap_type[w] == mjWRAP_SITE) {
    path_point(d, t, d->site_xpos + 3 * m->wrap_objid[w], -1);
  }
  return length;
}

// Move the gradient to a sparse row and zero the values; returns the number of entries.
static int gradient_put(snGradient* g, double* row, int* colind) {
  for (int k = 0; k < g->num; k++) {
    int i = g->dof[k];
    row[k] = g->value[i];
    colind[k] = i;
    g->value[i] = 0;
  }
  return g->num;
}

static bool gradient_make(mjData* d, snGradient* g, int nv) {
  *g = (snGradient){0};
  if (!FRAME(memory_of(d), SN_ARRAY(g->value, nv), SN_ARRAY(g->dof, nv), SN_ARRAY(g->scratch, nv),
             SN_ARRAY(g->chain, 2 * (size_t)nv))) {
    return false;
  }
  memset(g->value, 0, nv * sizeof(double));
  return true;
}

void mj_tendon(const mjModel* m, mjData* d) {
  int nv = m->nv, ntendon = m->ntendon;
  if (!ntendon) return;
  bool sparse = mj_isSparse(m), marked = false;
  snGradient g = {0};
  if (!sparse) memset(d->ten_J, 0, (size_t)ntendon * nv * sizeof(double));
  int points = 0, adr = 0;
  for (int t = 0; t < ntendon; t++) {
    double* row = d->ten_J + (sparse ? (size_t)adr : (size_t)t * nv);
    int* colind = sparse ? d->ten_J_colind + adr : NULL;
    int num = 0;
    d->ten_wrapadr[t] = points;
    d->ten_wrapnum[t] = 0;
    if (m->tendon_num[t] && m->wrap_type[m->tendon_adr[t]] == mjWRAP_JOINT) {
      num = fixed_tendon(m, d, t, row, colind);
    } else {
      if (sparse && !marked) {
        marked = true;
        mj_markStack(d);
        if (!gradient_make(d, &g, nv)) break;
      }
      if (!sparse) g.value = row;
      g.num = 0;
      d->ten_length[t] = spatial_tendon(m, d, &g, t);
      points += d->ten_wrapnum[t];
      if (sparse) num = gradient_put(&g, row, colind);
    }
    SN_ASSERT(num <= nv && points <= 2 * m->nwrap);
    if (sparse) {
      d->ten_J_rowadr[t] = adr;
      d->ten_J_rownnz[t] = num;
      adr += num;
    }
  }
  if (marked) mj_freeStack(d);
}

// The acceleration of a point of a body at zero qacc: the spatial acceleration moved to the point,
// plus w x v. `velocity` gets the velocity of the point.
static void point_bias(const mjModel* m, const mjData* d, int body, const double* point,
                       double* velocity, double* acceleration) {
  const snPlan* plan = model_plan(m);
  const double* com = d->subtree_com + 3 * m->body_rootid[body];
  double acc[6] = {0}, at[6], turn[3];
  const int* chain = plan->chain + plan->chain_adr[body];
  for (int k = 0; k < plan->chain_num[body]; k++) {
    vec6_add_scaled(acc, acc, d->cdof_dot + 6 * chain[k], d->qvel[chain[k]]);
  }
  motion_at_point(at, d->cvel + 6 * body, com, point);
  vec3_copy(velocity, at + 3);
  vec3_cross(turn, at, velocity);
  motion_at_point(at, acc, com, point);
  vec3_add(acceleration, at + 3, turn);
}

// Jdot v: the second derivative of the length at zero qacc. A straight piece p with u = p/|p| gives
//   u.(a1 - a0) + |component of v1 - v0 normal to u|^2 / |p|
static double length_bias(const mjModel* m, const mjData* d, int t) {
  double sum = 0, divisor = 1;
  int w = m->tendon_adr[t], end = w + m->tendon_num[t];
  for (; w < end - 1; w++) {
    if (m->wrap_type[w] == mjWRAP_PULLEY) divisor = m->wrap_prm[w];
    if (m->wrap_type[w] != mjWRAP_SITE || m->wrap_type[w + 1] != mjWRAP_SITE) continue;
    double v[2][3], a[2][3], dir[3], dv[3], da[3];
    for (int k = 0; k < 2; k++) {
      int site = m->wrap_objid[w + k];
      point_bias(m, d, m->site_bodyid[site], d->site_xpos + 3 * site, v[k], a[k]);
    }
    vec3_sub(dir, d->site_xpos + 3 * m->wrap_objid[w + 1], d->site_xpos + 3 * m->wrap_objid[w]);
    double length = vec3_normalize(dir);
    vec3_sub(dv, v[1], v[0]);
    vec3_sub(da, a[1], a[0]);
    double along = vec3_dot(dir, dv), across = vec3_dot(dv, dv) - along * along;
    sum += (vec3_dot(dir, da) + (length > mjMINVAL ? across / length : 0)) / divisor;
  }
  return sum;
}

void tendon_bias(const mjModel* m, const mjData* d, double* qfrc) {
  bool sparse = mj_isSparse(m);
  for (int t = 0; t < m->ntendon; t++) {
    if (m->tendon_armature[t] == 0 || m->wrap_type[m->tendon_adr[t]] == mjWRAP_JOINT) continue;
    double force = m->tendon_armature[t] * length_bias(m, d, t);
    if (sparse) {
      int adr = d->ten_J_rowadr[t];
      for (int k = adr; k < adr + d->ten_J_rownnz[t]; k++) {
        qfrc[d->ten_J_colind[k]] += force * d->ten_J[k];
      }
    } else {
      vec_add_scaled(qfrc, d->ten_J + (size_t)t * m->nv, force, m->nv);
    }
  }
}

// ---- exported by the released library without declaration

MJAPI void mj_tendonBias(const mjModel* m, mjData* d, mjtNum* qfrc);
void mj_tendonBias(const mjModel* m, mjData* d, mjtNum* qfrc) { tendon_bias(m, d, qfrc); }

// The time derivative of the row of J of a tendon, dense. A straight piece p with u = p/|p| and the
// Jacobian J of p has u'J, and so du/dt'J + u'dJ/dt.
MJAPI void mj_tendonDot(const mjModel* m, mjData* d, int id, mjtNum* vec);
void mj_tendonDot(const mjModel* m, mjData* d, int id, mjtNum* vec) {
  int nv = m->nv, w = m->tendon_adr[id], end = w + m->tendon_num[id];
  mju_zero(vec, nv);
  double *J[2], *dot[2], divisor = 1;
  mj_markStack(d);
  bool room = FRAME(memory_of(d), SN_ARRAY(J[0], 3 * nv), SN_ARRAY(J[1], 3 * nv),
                    SN_ARRAY(dot[0], 3 * nv), SN_ARRAY(dot[1], 3 * nv));
  for (; room && w < end - 1; w++) {
    if (m->wrap_type[w] == mjWRAP_PULLEY) divisor = m->wrap_prm[w];
    if (m->wrap_type[w] != mjWRAP_SITE || m->wrap_type[w + 1] != mjWRAP_SITE) continue;
    double dir[3], v[3], turn[3];
    for (int k = 0; k < 2; k++) {
      int site = m->wrap_objid[w + k];
      mj_jac(m, d, J[k], NULL, d->site_xpos + 3 * site, m->site_bodyid[site]);
      mj_jacDot(m, d, dot[k], NULL, d->site_xpos + 3 * site, m->site_bodyid[site]);
    }
    vec3_sub(dir, d->site_xpos + 3 * m->wrap_objid[w + 1], d->site_xpos + 3 * m->wrap_objid[w]);
    double length = vec3_normalize(dir);
    mju_subFrom(J[1], J[0], 3 * nv);
    mju_subFrom(dot[1], dot[0], 3 * nv);
    mju_mulMatVec(v, J[1], d->qvel, 3, nv);
    vec3_add_scaled(turn, v, dir, -vec3_dot(dir, v));
    for (int i = 0; i < 3; i++) {
      double rate = length > mjMINVAL ? turn[i] / length : 0;
      vec_add_scaled(vec, J[1] + i * nv, rate / divisor, nv);
      vec_add_scaled(vec, dot[1] + i * nv, dir[i] / divisor, nv);
    }
  }
  mj_freeStack(d);
}
