// Smooth dynamics: everything between qpos and the unconstrained acceleration. The stages are the
// documented functions; this is what other rooms use besides.
#ifndef SINEW_SMOOTH_SMOOTH_H_
#define SINEW_SMOOTH_SMOOTH_H_

#include "data/data.h"

// ---- Jacobians over chains (model/plan.h): 3 x num, row-major, only the dofs that matter
// Union of the chains of two bodies, ascending, into chain (room for both); returns its length.
int chain_merge(const mjModel* m, int* chain, int body1, int body2);

// Column of one dof: the velocity of a point at `offset` from the com of the tree.
SN_INLINE void jac_column(double* lin, const double* cdof, const double* offset) {
  vec3_cross(lin, cdof, offset);
  vec3_add(lin, lin, cdof + 3);
}

// Jacobian of a point fixed to a body, columns in the order of `chain` (which must contain the
// body's own chain); columns of other dofs are zero. jacp or jacr may be NULL.
void jac_chain(const mjModel* m, const mjData* d, double* jacp, double* jacr, const double* point,
               int body, const int* chain, int num);

// Jacobian of point2 (on body2) minus that of point1 (on body1), over `chain`; rotations likewise.
void jac_difference(const mjModel* m, const mjData* d, double* jacp, double* jacr, int body1,
                    const double* point1, int body2, const double* point2, const int* chain,
                    int num);

// mj_kinematics where nothing but the state has changed since: frames that no state moves stay.
void kinematics_moving(const mjModel* m, mjData* d);

// ---- spatial quantities
// Velocity [w; v] at a point, from a c-frame motion about `com`.
void motion_at_point(double* res, const double* motion, const double* com, const double* point);

// Body, position and orientation of an object that has a frame (body, xbody, geom, site, camera);
// false for other types.
bool frame_of(const mjModel* m, const mjData* d, int objtype, int id, int* body, const double** pos,
              const double** mat);

// ---- inertia
// mj_makeM and mj_factorM.
void inertia_update(const mjModel* m, mjData* d);

// L'DL of M + h diag(damping). M is `own` when inertia_update made it of the present positions.
void inertia_factor_damped(const mjModel* m, mjData* d, double h, double* LD, double* diaginv,
                           bool own);

// L'DL in place of a matrix with the pattern of M, and x = inv(L'DL) x.
void inertia_factor(const mjModel* m, mjData* d, double* LD, double* diaginv);
void inertia_solve(const mjModel* m, mjData* d, const double* LD, const double* diaginv, double* x);

// Copy qM to M (CSR lower triangle).
void inertia_gather(const mjModel* m, mjData* d);

// ---- tendons
// Path length from x0 to x1 around a sphere or cylinder: the length of the curved part and its two
// end points in wpnt, or -1 when the straight path is free of the obstacle. `side` may be NULL.
double wrap_path(double wpnt[6], const double x0[3], const double x1[3], const double xpos[3],
                 const double xmat[9], double radius, int type, const double* side);

// qfrc += armature J' (Jdot v) for tendons with armature: their share of the bias force, which
// mj_fwdVelocity adds to that of mj_rne.
void tendon_bias(const mjModel* m, const mjData* d, double* qfrc);

// ---- passive forces of flexes and of the surrounding medium, added to their qfrc_ vectors
// World positions of the nodes of an interpolated flex.
void flex_nodes(const mjModel* m, const mjData* d, int f, double* xpos);
void flex_passive(const mjModel* m, mjData* d);
double flex_energy(const mjModel* m, const mjData* d);
bool fluid_passive(const mjModel* m, mjData* d);

// The wrench of the medium on every body or geom that feels one, in the world at a point of the
// body; false when there is no medium.
typedef void (*snFluidForce)(const mjModel* m, mjData* d, void* context, int body,
                             const double* point, const double* force, const double* torque);
bool fluid_each(const mjModel* m, mjData* d, snFluidForce take, void* context);

// ---- the surrounding medium; its derivatives (integrate) share these
enum {              // indices into geom_fluid
  FLUID_SHARE = 0,  // 1: the geom interacts as an ellipsoid
  FLUID_BLUNT = 1,
  FLUID_SLENDER = 2,
  FLUID_ANGULAR = 3,
  FLUID_KUTTA = 4,
  FLUID_MAGNUS = 5,
  FLUID_MASS = 6,     // virtual mass per unit density (3)
  FLUID_INERTIA = 9,  // virtual inertia per unit density (3)
};

// Velocity relative to the medium, in the frame `mat` of an object.
void fluid_velocity(const mjModel* m, const mjData* d, int objtype, int id, const double* mat,
                    double vel[6]);

// Half sizes of the box with the body's inertia; semi-axes of the ellipsoid that stands for a geom.
void fluid_box(const mjModel* m, int body, double r[3]);
void fluid_semi_axes(const mjModel* m, int geom, double r[3]);

// ---- actuation
// Activation after one step of h = opt.timestep, clamped when act is limited.
double actuation_next(const mjModel* m, const mjData* d, int actuator, int act, double act_dot);

// Is the actuator in a group that the option switches off.
bool actuation_disabled(const mjModel* m, int actuator);

// All activations after one step; those of disabled groups stay, within their range.
void actuation_advance(const mjModel* m, mjData* d, const double* act_dot);

// ---- sums over the stages
// actuator_velocity, flexedge_velocity, ten_velocity.
void smooth_velocities(const mjModel* m, mjData* d);

// qfrc += J' xfrc_applied
void smooth_body_forces(const mjModel* m, mjData* d, mjtNum* qfrc);

// qfrc_smooth = passive - bias + applied + actuator + J' xfrc_applied
void smooth_forces(const mjModel* m, mjData* d);

#endif
