// Maximal coordinates: every body has a pose and a twist of its own, and what holds it to others is
// a constraint. Closed loops cost nothing extra, and every reaction is known.
//
//   M (u+ - u) = h f + J' lambda,   lambda from a solver of <sinew/solver.h>
//
// Built from any mjModel: tree joints and equalities become constraints. docs/maximal.md says what
// becomes what. One MJCF file runs in both coordinates; the state maps both ways.
#ifndef SINEW_MAXIMAL_H_
#define SINEW_MAXIMAL_H_

#include <mujoco/mujoco.h>
#include <sinew/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

// Joints between bodies, with the rows that each of them takes.
typedef enum snJointKind_ {
  snJOINT_FIXED = 0,    // 6 rows
  snJOINT_REVOLUTE,     // 5: turns about an axis
  snJOINT_PRISMATIC,    // 5: slides along an axis
  snJOINT_CYLINDRICAL,  // 4: both, about and along the same axis
  snJOINT_UNIVERSAL,    // 4: turns about two crossing axes
  snJOINT_SPHERICAL,    // 3: turns about a point
  snJOINT_PLANAR,       // 3: slides in a plane and turns about its normal
  snJOINT_FREE,         // 0
  snJOINT_CHAIN,        // any other sequence of hinges, slides and balls: 6 less their dofs
  snNJOINTKIND
} snJointKind;

// How velocities and poses go on.
typedef enum snStepping_ {
  snSTEPPING_EULER = 0,  // velocities implicit, poses by the exponential map
  snSTEPPING_MOREAU      // the same, with all terms taken half a step ahead
} snStepping;

// How a model is mapped and stepped.
typedef struct snMaximalOption_ {
  const char* solver;         // name of a dual solver
  snSolverSettings settings;  // of that solver
  int stepping;               // snStepping
  mjtNum compliance;  // of joints, as a share of the diagonal of D: makes reactions unique in
                      // hyperstatic systems; 0: as hard as numbers are
  int keep_fixed;  // 1: a body without joints is a body with a fixed joint; 0: part of its parent
} snMaximalOption;

// What the model became, without limits and contacts.
typedef struct snMaximalCount_ {
  int bodies;              // bodies with a pose and a twist of their own
  int joints;              // of the tree and of loops; free ones do not count
  int kind[snNJOINTKIND];  // joints by kind, free ones too
  int dofs;                // that joints leave, free ones too
  int actuated;            // of those, moved by an actuator
  int constraints;         // bilateral rows
  int fixed_base;          // 1: no body of the world is free
  mjtNum mass_ratio;       // heaviest over lightest of the bodies that can move
  mjtNum joined_ratio;     // the largest mass ratio of two such bodies that a joint holds together
} snMaximalCount;

// A model in maximal coordinates: every body with a pose and a twist.
typedef struct snMaximal_ {
  int nbody;        // bodies with a pose and a twist of their own
  mjtNum* pos;      // centers of mass in the world (m) (nbody x 3)
  mjtNum* quat;     // orientations of the model's body frames, quaternions (nbody x 4)
  mjtNum* vel;      // velocity of the center of mass (m/s), angular velocity (rad/s) (nbody x 6)
  mjtNum* mass;     // masses (kg) (nbody)
  mjtNum* inertia;  // about the center of mass, in the body's axes (kg m^2) (nbody x 9)
  int* body;        // the model's body (nbody)

  const mjModel* model;  // the model that it was made from
  mjData* data;  // the same state in minimal coordinates as of the last step; ctrl, act, time,
                 // xfrc_applied, qfrc_applied, eq_active and mocap poses are read from it
  snMaximalOption opt;    // how it is stepped
  snSolverReport report;  // of the last step
  mjtNum joint_error;     // largest distance of joints from closed, before the last step (m)
  mjtNum angle_error;     // the same for angles (rad)
} snMaximal;

// Fills opt with how a model is stepped when nothing is said: admm-ncp, Euler, hard joints.
MJAPI void sn_defaultMaximal(snMaximalOption* opt);

// At the model's qpos0, or NULL and what cannot be mapped in `error`. opt may be NULL. Masses and
// inertias are read here and by sn_setMaximal, every other number of the model in each step.
MJAPI snMaximal* sn_makeMaximal(const mjModel* m, const snMaximalOption* opt, char* error,
                                int error_sz);

// Frees what sn_makeMaximal made; NULL is fine.
MJAPI void sn_deleteMaximal(snMaximal* x);

// State from minimal coordinates: time, qpos, qvel, act, ctrl, applied forces, mocap, eq_active.
MJAPI void sn_setMaximal(snMaximal* x, const mjData* d);

// State to minimal coordinates: the nearest one that closes every tree joint. Returns the largest
// distance it had to move a joint's two sides (m).
MJAPI mjtNum sn_getMaximal(snMaximal* x, mjData* d);

// One step of opt.timestep. 0 when the state went bad: it is then reset to qpos0 with the warning
// that mj_step would raise, in x->data.
MJAPI int sn_stepMaximal(snMaximal* x);

// What the model became: bodies, joints by kind, dofs, rows.
MJAPI void sn_countMaximal(const snMaximal* x, snMaximalCount* count);

#ifdef __cplusplus
}
#endif

#endif
