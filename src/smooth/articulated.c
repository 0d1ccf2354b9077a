// M + diag(e) = L'DL from articulated inertias, for deep trees: the work of a row is proportional
// to its length instead of its square, and rounding errors grow less along a chain.
//
// All motions are about one point, so the inertia of a body is added to that of its parent as it
// is. The last dof of the last body, with motion s, has the row M(s, j) = s_j' A s, A the inertia
// of its body. Its elimination subtracts (s_i' A s)(s_j' A s) / D from every M(i, j) of its
// ancestors, which gives the M of a system with A - A s s' A / D in place of A. So, from the last
// dof to the first,
//
//   U = A s,  D = s' U + armature + e,  L(s, j) = s_j' U / D,  A -= U U' / D,
//
// and A is added to that of the parent after the first dof of its body.
#include "smooth/articulated.h"

#include "base/assert.h"
#include "smooth/spatial_lanes.h"

enum { WIDTH = 48 };  // numbers of an articulated inertia: six columns in the form of sn6_keep

// A as a 6x6 matrix from the ten numbers of a rigid inertia
SN_INLINE void rigid_spread(double* A, const double* I) {
  double xx = I[0], yy = I[1], zz = I[2], xy = I[3], xz = I[4], yz = I[5];
  double x = I[6], y = I[7], z = I[8], mass = I[9];
  sn6_keep(A, (sn6){{xx, xy, xz, 0}, {xz, 0, -z, y}});
  sn6_keep(A + 8, (sn6){{xy, yy, yz, z}, {yz, z, 0, -x}});
  sn6_keep(A + 16, (sn6){{xz, yz, zz, -y}, {zz, -y, x, 0}});
  sn6_keep(A + 24, (sn6){{0, z, -y, mass}, {-y, mass, 0, 0}});
  sn6_keep(A + 32, (sn6){{-z, 0, x, 0}, {x, 0, mass, 0}});
  sn6_keep(A + 40, (sn6){{y, -x, 0, 0}, {0, 0, 0, mass}});
}

// U / D of every dof to `left` (6 numbers each), D and 1 / D. Returns a dof whose D was below
// mjMINVAL and has been raised, or -1.
SN_INLINE int articulated_sweep(const mjModel* m, const mjData* d, double h, double* left,
                                double* D, double* dinv, double* inertia) {
  const int *parent = m->body_parentid, *dofadr = m->body_dofadr, *dofnum = m->body_dofnum;
  const int* simple = m->dof_simplenum;
  const double *cdof = d->cdof, *armature = m->dof_armature, *damping = m->dof_damping;
  int nbody = m->nbody, bad = -1;
  for (int b = 1; b < nbody; b++) rigid_spread(inertia + WIDTH * b, d->cinert + 10 * b);
  for (int b = nbody - 1; b > 0; b--) {
    sn6 A[6];
    int first = dofadr[b], i = first + dofnum[b] - 1;
    if (dofnum[b] && simple[first]) continue;
    SN_UNROLL
    for (int c = 0; c < 6; c++) A[c] = sn6_take(inertia + WIDTH * b + 8 * c);
    for (; dofnum[b] && i >= first; i--) {
      const double* s = cdof + 6 * i;
      sn6 U = {(A[0].lo * s[0] + A[1].lo * s[1]) + (A[2].lo * s[2] + A[3].lo * s[3]) +
                   (A[4].lo * s[4] + A[5].lo * s[5]),
               (A[0].hi * s[0] + A[1].hi * s[1]) + (A[2].hi * s[2] + A[3].hi * s[3]) +
                   (A[4].hi * s[4] + A[5].hi * s[5])};
      double pivot = sn4_sum(sn6_products(s, sn6_once(U))) + (armature[i] + h * damping[i]);
      if (__builtin_expect(pivot < mjMINVAL, 0)) {
        pivot = mjMINVAL;
        bad = i;
      }
      double inverse = 1 / pivot, *row = left + 6 * i;
      D[i] = pivot;
      dinv[i] = inverse;
      sn6 scaled = {U.lo * inverse, U.hi * inverse};
      double share[8];
      sn6_keep(share, scaled);
      sn6_store(row, scaled);
      // sn6_keep stores numbers 0-3 and 2-5
      double by[6] = {share[0], share[1], share[2], share[3], share[6], share[7]};
      SN_UNROLL
      for (int c = 0; c < 6; c++) A[c] = sn6_add_scaled(A[c], U, -by[c]);
    }
    if (!parent[b]) continue;
    double* to = inertia + WIDTH * parent[b];
    SN_UNROLL
    for (int c = 0; c < 6; c++) sn6_keep(to + 8 * c, sn6_add(sn6_take(to + 8 * c), A[c]));
  }
  return bad;
}

// The rows of L with D at the end of each. Rows of simple dofs are only their diagonal.
SN_KERNEL static int articulated_rows(const mjModel* m, const mjData* d, double h, double* LD,
                                      double* dinv, double* motion, int stride, double* left) {
  const snPlan* plan = model_plan(m);
  const snRange* run = plan->run;
  const int *run_adr = plan->run_adr, *simple = m->dof_simplenum;
  int nv = m->nv;
  double *D = left + 6 * nv, *last = D + nv, *inertia = last + nv + 4;
  int bad = articulated_sweep(m, d, h, left, D, dinv, inertia);
  motions_by_column(motion, stride, d->cdof, nv);
  const double* M = d->M;
  for (int i = 0; i < nv; i++) {
    if (simple[i]) {
      double pivot = *M++ + h * m->dof_damping[i];
      if (pivot < mjMINVAL) {
        pivot = mjMINVAL;
        bad = i;
      }
      *LD++ = pivot;
      dinv[i] = 1 / pivot;
      continue;
    }
    double* row = i < nv - 3 ? LD : last;  // motion_row writes up to three numbers beyond the row
    double* end =
        motion_row(row, left + 6 * i, motion, stride, run + run_adr[i], run + run_adr[i + 1]);
    int num = (int)(end - row);
    end[-1] = D[i];
    if (row == last) memcpy(LD, last, num * sizeof(double));
    SN_ASSERT(num >= 1 && num <= plan->chain_num[m->dof_bodyid[i]]);
    LD += num;
    M += num;
  }
  SN_ASSERT(M - d->M == m->nC);  // a row of L for every row of M
  return bad;
}

int articulated_factor(const mjModel* m, mjData* d, double h, double* LD, double* dinv) {
  int nv = m->nv, stride = motion_stride(nv);
  double* motion = data_scratch(d, 6 * stride + 8 * nv + 4 + WIDTH * (size_t)m->nbody);
  return motion ? articulated_rows(m, d, h, LD, dinv, motion, stride, motion + 6 * stride) : -1;
}
