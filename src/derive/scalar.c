// A force along one scalar function of the positions.
//
// With l(q), its gradient G, K = dG/dq and a force F(l, G v, G a), the joint force is G F and
//
//   d(G_i F) = F K_ij dq_j + G_i (F_l dl + F_v (v'K dq + G dv) + F_a (a'K dq + G da))
//
// tau and H are less by it.
#include "derive/private.h"

void scalar_add(snTangent* t, const snScalar* s) {
  int n = s->n;
  const int *q = t->parts.q, *vel = t->parts.v;
  const double *v = t->d->qvel, *a = t->d->qacc, *dl = s->dl ? s->dl : s->G;
  for (int c = 0; c < n; c++) {
    int j = s->dof[c];
    double by_q = s->by_length * dl[c];
    if (s->K && (s->by_velocity != 0 || s->by_acceleration != 0)) {
      double kv = 0, ka = 0;
      for (int i = 0; i < n; i++) {
        kv += v[s->dof[i]] * s->K[i * n + c];
        ka += a[s->dof[i]] * s->K[i * n + c];
      }
      by_q += s->by_velocity * kv + s->by_acceleration * ka;
    }
    double by_v = s->by_velocity * s->G[c], by_a = s->by_acceleration * s->G[c];
    for (int r = 0; r < n; r++) {
      SN_ASSERT(t->parts.of[s->dof[r]] == t->parts.of[j]);  // what l couples is one part
      double* row = tau_row(t, s->dof[r]);
      row[q[j]] -= s->G[r] * by_q + (s->K ? s->force * s->K[r * n + c] : 0);
      row[vel[j]] -= s->G[r] * by_v;
      if (by_a != 0) hessian_row(t, s->dof[r])[q[j]] -= s->G[r] * by_a;
    }
  }
}
