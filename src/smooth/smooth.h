// Smooth dynamics: everything between the state and the unconstrained acceleration a0,
//
//   M a0 = tau - c = qfrc_smooth
//   qfrc_smooth = passive - bias + applied + actuator + J' xfrc_applied
//
// Input: qpos, qvel, act, ctrl, applied forces. Output: poses of all frames; M and its factor L'DL;
// the bias force c; passive and actuator forces; lengths and Jacobians of tendons, actuators and
// flex edges. Every stage is a documented function (mj_kinematics, mj_crb, mj_rne ...); this header
// declares what other rooms use besides.
//
// The algorithms (Featherstone, Rigid Body Dynamics Algorithms):
//
//   kinematics   outward over the tree: pose of a body from the pose of its parent and its joints
//   com frames   spatial vectors (rotation, translation) about the center of mass of the tree,
//                parallel to the world: no rotations between bodies, and small numbers. cdof is the
//                motion of a body per unit of a dof, cinert its inertia, cvel its velocity
//   M            composite rigid bodies: crb is the inertia of a subtree as if rigid,
//                M(i, j) = cdof_j . crb cdof_i for j an ancestor of i. M = L'DL from the leaves
//                to the root, without fill-in; for deep trees from articulated inertias
//   c            recursive Newton-Euler: accelerations outward, forces inward
//   tendons      length and its gradient: sums of joints, or shortest paths around obstacles
//   flexes       vertices, elements and edges of deformable bodies, and their elastic forces
//
// Invariants:
//   - A parent has a smaller index than its children: an ascending loop is an outward pass, a
//     descending loop an inward pass.
//   - The chain of a body (model/plan.h) lists the dofs that move it, ascending; a Jacobian is
//     stored by chain, never searched over all nv dofs.
//   - Hot loops work on four bodies, dofs or frames in SIMD lanes, with scalar versions for few.
//     Which version runs depends on the sizes of the model alone.
//   - Working memory comes from mjData (data_scratch, the stack); a step allocates nothing.
//
// File by file:
//
//   kinematics.c     mj_kinematics; fixed_frames.c: poses of frames fixed to the world, cached
//   kept.c           positions that were evaluated at the end of the last step
//   manifold.c       qpos lives on a manifold: integrate, differentiate, normalize
//   com.c            mj_comPos, mj_comVel, subtree momenta
//   camlight.c       cameras and lights
//   inertia.c        M, its factor, products and solves; articulated.c: the factor of deep trees
//   rne.c            mj_rne: c; mj_rnePostConstraint: wrenches between bodies
//   jacobian.c       Jacobians of points and axes
//   object_motion.c  velocities and accelerations of frames, mj_applyFT
//   tendon.c         tendons; wrap.c: paths around spheres and cylinders
//   transmission.c   actuator lengths and moments; actuation.c: actuator forces
//   passive.c        springs, dampers, gravity compensation; fluid.c: the medium
//   flex.c           vertices, boxes and edges of flexes; flex_force.c: their forces
//   energy.c         potential and kinetic energy
//   velocities.c     velocities of tendons, actuators and flex edges; smooth_force.c: qfrc_smooth
//   pose_lanes.h     quaternions and poses in SIMD lanes; spatial_lanes.h: spatial vectors in lanes
#ifndef SINEW_SMOOTH_SMOOTH_H_
#define SINEW_SMOOTH_SMOOTH_H_

#include "data/data.h"

// ---- Jacobians over chains (model/plan.h): 3 x num, row-major, only the dofs of the chain
// The union of the chains of two bodies, ascending, into `chain` (with room for both); returns its
// length.
int chain_merge(const mjModel* m, int* chain, int body1, int body2);

// The column of one dof: the velocity of a point at `offset` from the tree's center of mass.
SN_INLINE void jac_column(double* lin, const double* cdof, const double* offset) {
  vec3_cross(lin, cdof, offset);
  vec3_add(lin, lin, cdof + 3);
}

// The Jacobian of a point fixed to a body, columns in the order of `chain`, which must contain the
// body's own chain; columns of other dofs are zero. jacp or jacr may be NULL.
void jac_chain(const mjModel* m, const mjData* d, double* jacp, double* jacr, const double* point,
               int body, const int* chain, int num);

// The Jacobian of point2 on body2 minus that of point1 on body1, over `chain`; rotations likewise.
void jac_difference(const mjModel* m, const mjData* d, double* jacp, double* jacr, int body1,
                    const double* point1, int body2, const double* point2, const int* chain,
                    int num);

// mj_kinematics when only the state has changed since the last call: frames fixed to the world keep
// their poses.
void kinematics_moving(const mjModel* m, mjData* d);

// kinematics_moving in two parts: poses of bodies and joints, which is what residuals of equalities
// between bodies need, and then those of geoms, sites and inertias.
void kinematics_bodies(const mjModel* m, mjData* d);
void kinematics_frames(const mjModel* m, mjData* d);

// ---- positions evaluated already (kept.c)
// Poses, spatial vectors, M and its factor are those of d->qpos: remembers that. `whole`: nobody
// can have written to the model since the step began.
void smooth_keep(const mjModel* m, mjData* d, bool whole);
// Are they those still, bit for bit, whatever a program has written to since?
bool smooth_kept(const mjModel* m, mjData* d);

// ---- spatial quantities
// The velocity [w; v] at a point, from a spatial motion about `com`.
void motion_at_point(double* res, const double* motion, const double* com, const double* point);

// Body, position and orientation of an object with a frame (body, xbody, geom, site, camera); false
// for other types.
bool frame_of(const mjModel* m, const mjData* d, int objtype, int id, int* body, const double** pos,
              const double** mat);

// ---- inertia
// mj_makeM and mj_factorM.
void inertia_update(const mjModel* m, mjData* d);

// L'DL of M + h diag(damping). `own`: inertia_update made M for the present positions, and no
// caller has written to it.
void inertia_factor_damped(const mjModel* m, mjData* d, double h, double* LD, double* diaginv,
                           bool own);

// L'DL in place of a matrix with the pattern of M, and x <- inv(L'DL) x.
void inertia_factor(const mjModel* m, mjData* d, double* LD, double* diaginv);
void inertia_solve(const mjModel* m, mjData* d, const double* LD, const double* diaginv, double* x);

// x = inv(M) y for the dofs that this evaluation is of (data_spans).
void inertia_solve_awake(const mjModel* m, mjData* d, mjtNum* x, const mjtNum* y);

// Does a tendon have armature, which is added to M?
bool inertia_of_tendons(const mjModel* m);

// Copy qM to M (CSR lower triangle).
void inertia_gather(const mjModel* m, mjData* d);

// ---- tendons
// The path from x0 to x1 around a sphere or infinite cylinder: returns the length of its curved
// part, whose end points are in wpnt, or -1 when the straight path is free of the obstacle. `side`
// may be NULL.
double wrap_path(double wpnt[6], const double x0[3], const double x1[3], const double xpos[3],
                 const double xmat[9], double radius, int type, const double* side);

// qfrc += armature J' (Jdot v) for tendons with armature: their part of the bias force, which
// mj_fwdVelocity adds to that of mj_rne.
void tendon_bias(const mjModel* m, const mjData* d, double* qfrc);

// ---- passive forces of flexes and of the medium, added to their qfrc_ vectors
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

// ---- the medium; its derivatives (integrate/) use these too
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

// The velocity relative to the medium, in the frame `mat` of an object.
void fluid_velocity(const mjModel* m, const mjData* d, int objtype, int id, const double* mat,
                    double vel[6]);

// Half sizes of the box with the body's inertia; semi-axes of the ellipsoid that represents a geom.
void fluid_box(const mjModel* m, int body, double r[3]);
void fluid_semi_axes(const mjModel* m, int geom, double r[3]);

// ---- actuation
// An activation after one step of h = opt.timestep, clamped when it is limited.
double actuation_next(const mjModel* m, const mjData* d, int actuator, int act, double act_dot);

// Is the actuator in a disabled group?
bool actuation_disabled(const mjModel* m, int actuator);

// All activations after one step; those of disabled groups do not change, except by clamping.
void actuation_advance(const mjModel* m, mjData* d, const double* act_dot);

// ---- positions
// mj_integratePos of a run of bodies, and of those that move in this step.
void manifold_integrate(const mjModel* m, mjtNum* qpos, const mjtNum* qvel, mjtNum dt,
                        const snBodyRun* span);
void manifold_integrate_moving(const mjModel* m, const mjData* d, mjtNum* qpos, const mjtNum* qvel,
                               mjtNum dt);

// ---- sums over the stages
// actuator_velocity, flexedge_velocity, ten_velocity.
void smooth_velocities(const mjModel* m, mjData* d);

// qfrc += J' xfrc_applied
void smooth_body_forces(const mjModel* m, mjData* d, mjtNum* qfrc);

// qfrc_smooth = passive - bias + applied + actuator + J' xfrc_applied
void smooth_forces(const mjModel* m, mjData* d);

#endif
