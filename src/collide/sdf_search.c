// Contacts of signed distance fields, by the documented search.
//
// Two shapes A and B meet where A + B + |max(A, B)| is least: outside, this draws x towards both
// shapes; inside, it is the smaller of the two and leads to their overlap. Fields are not convex,
// so gradient descent starts from many points, spread by Halton's sequence over the intersection of
// the two bounding boxes, and every start that ends inside both shapes is a contact.
#include "collide/sdf.h"

typedef enum snGoal_ {
  kApproach,  // A + B + |max(A, B)|
  kOverlap    // max(A, B): the depth of a contact
} snGoal;

static double goal_value(const snSdf f[2], snGoal goal, snVec x) {
  double a = sdf_at(&f[0], x, NULL), b = sdf_at(&f[1], x, NULL), both = fmax(a, b);
  return goal == kOverlap ? both : a + b + fabs(both);
}

static snVec goal_gradient(const snSdf f[2], snGoal goal, snVec x) {
  snVec ga, gb;
  double a = sdf_at(&f[0], x, &ga), b = sdf_at(&f[1], x, &gb);
  if (goal == kOverlap) return a > b ? ga : gb;
  return v_along(v_add(ga, gb), fmax(a, b) > 0 ? 1 : -1, a > b ? ga : gb);
}

// One step of gradient descent by the longest of the lengths 1, 1/2, 1/4, ... that gains a tenth of
// what the slope predicts; the shortest is taken in any case. Returns false when the value
// increased.
static bool descend(const snSdf f[2], snGoal goal, snVec* x, double* value) {
  static const double kGain = 0.1, kShortest = 1e-4;
  snVec g = goal_gradient(f, goal, *x), from = *x;
  double start = goal_value(f, goal, from), slope = v_norm2(g);
  for (double step = 1;; step *= 0.5) {
    *x = v_along(from, -step, g);
    *value = goal_value(f, goal, *x);
    if (*value <= start - kGain * step * slope || step < kShortest) break;
  }
  return *value <= start;
}

// The intersection of the boxes of two geoms along the axes of the first; false when it is empty.
static bool overlap(const mjModel* m, const mjData* d, int g1, int g2, double low[3],
                    double high[3]) {
  const double *box1 = m->geom_aabb + 6 * g1, *box2 = m->geom_aabb + 6 * g2;
  const double *mat1 = d->geom_xmat + 9 * g1, *mat2 = d->geom_xmat + 9 * g2;
  snVec center = v_add(v_of(d->geom_xpos + 3 * g2), m_mul(mat2, v_of(box2)));
  center = m_mul_t(mat1, v_sub(center, v_of(d->geom_xpos + 3 * g1)));
  double turn[9];
  mju_mulMatTMat(turn, mat1, mat2, 3, 3, 3);
  for (int i = 0; i < 3; i++) {
    const double* row = turn + 3 * i;
    double half = fabs(row[0]) * box2[3] + fabs(row[1]) * box2[4] + fabs(row[2]) * box2[5];
    low[i] = fmax(box1[i] - box1[3 + i], v_get(center, i) - half);
    high[i] = fmin(box1[i] + box1[3 + i], v_get(center, i) + half);
    if (low[i] > high[i]) return false;
  }
  return true;
}

// The first field is that of g2, which is a plugin's.
void collide_sdf(const mjModel* m, const mjData* d, snTouchList* list, int g1, int g2,
                 double margin) {
  snSdf f[2];
  if (m->geom_type[g1] == mjGEOM_MESH || m->geom_type[g1] == mjGEOM_HFIELD) {
    sdf_nearest(m, d, list, g1, g2, margin);
    return;
  }
  if (!sdf_field(&f[0], m, d, g2) || !sdf_field(&f[1], m, d, g1)) return;
  double low[3], high[3];
  if (!overlap(m, d, g1, g2, low, high)) return;
  static const int kBase[3] = {2, 3, 5};
  snVec pos1 = v_of(d->geom_xpos + 3 * g1);
  for (int start = 0; start < m->opt.sdf_initpoints && !list->failed; start++) {
    // compute is called at every start, so that a plugin can record the search for display
    if (f[0].plugin->compute) {
      f[0].plugin->compute(m, (mjData*)d, f[0].instance, mjPLUGIN_SDF);
    }
    double at[3], depth;
    for (int i = 0; i < 3; i++) {
      at[i] = low[i] + mju_Halton(start, kBase[i]) * (high[i] - low[i]);
    }
    snVec x = v_add(pos1, m_mul(d->geom_xmat + 9 * g1, v_of(at)));
    for (int k = 0; k < m->opt.sdf_iterations && descend(f, kApproach, &x, &depth); k++) continue;
    descend(f, kOverlap, &x, &depth);
    if (!(depth < 0)) continue;
    snVec out1, out2;
    sdf_at(&f[0], x, &out2);
    sdf_at(&f[1], x, &out1);
    v_normalize(&out1);
    v_normalize(&out2);
    snVec normal = v_sub(out1, out2);
    v_normalize(&normal);
    touch_add(list, depth, v_along(x, -0.5 * depth, normal), normal);
  }
}
