// The geometry of multi-joint dynamics: configurations are a Riemannian manifold whose metric is the
// joint-space inertia M(q).
//
//   M(q) dv/dt + c(q, v) = tau + g(q),   c_k = sum_ij Gamma_ijk v_i v_j
//
// Velocities of ball and free joints are no derivatives of coordinates: their basis vectors e_i do
// not commute, [e_i, e_j] = sum_l C_ij^l e_l, with C the rotations of one joint about its own axes.
// The formulas below hold in that basis; for hinges and slides C is 0 and they are the textbook's.
#ifndef SINEW_GEOMETRY_H_
#define SINEW_GEOMETRY_H_

#include <mujoco/mujoco.h>

#ifdef __cplusplus
extern "C" {
#endif

// Christoffel symbols of the first kind at d->qpos, gamma[(i nv + j) nv + k] = <D_ei e_j, e_k>, D
// the Levi-Civita connection of M. With commuting e_i this is
//   Gamma_ijk = 1/2 (dM_ik/dq_j + dM_jk/dq_i - dM_ij/dq_k)
// Returns 1, or 0 and mju_error without memory. Positions are evaluated; velocities stay.
MJAPI int sn_christoffel(const mjModel* m, mjData* d, mjtNum* gamma);

// The Hamiltonian H = 1/2 p' inv(M) p + P(q) with momenta p = M v (nv), P the potential of gravity
// and springs, and Hamilton's equations without applied and damping forces: `velocity` (nv) is
// dH/dp = inv(M) p, `rate` (nv) is dp/dt. Both may be NULL. d->qvel becomes the velocity.
MJAPI mjtNum sn_hamiltonian(const mjModel* m, mjData* d, const mjtNum* p, mjtNum* velocity,
                            mjtNum* rate);

// Moves qpos and qvel along the geodesic through them for a time, in `steps` steps of RK4: the
// motion without any force, D_v v = 0. Returns its length, the integral of sqrt(v'Mv), or NaN and
// mju_error without memory. d->time stays.
MJAPI mjtNum sn_geodesic(const mjModel* m, mjData* d, mjtNum time, int steps);

#ifdef __cplusplus
}
#endif

#endif
