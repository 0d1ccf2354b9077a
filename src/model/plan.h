// The plan: index lists derived once per model, so that no stage works out structure in a step.
#ifndef SINEW_MODEL_PLAN_H_
#define SINEW_MODEL_PLAN_H_

#include "algebra/algebra.h"
#include "base/base.h"

typedef struct snRange_ {
  int first, num;
} snRange;

typedef struct snPlan_ {
  // The chain of a body: the dofs that move it, ascending. A body without joints shares the chain
  // of its parent. Chains of one tree share prefixes: the common prefix of two chains moves both.
  int* chain_num;  // (nbody)
  int* chain_adr;  // (nbody)
  int* chain;      // (nchain)
  int nchain;

  // The same for a dof, itself included: chain + chain_adr[dof_bodyid], first dof_chainnum.
  int* dof_chainnum;  // (nv)

  // The columns of each row of M as runs of consecutive dofs.
  int* run_adr;          // (nv + 1)
  struct snRange_* run;  // first dof and how many

  // Joints by type, ascending within a type.
  int* joint[4];  // indexed by mjtJoint
  int joint_num[4];

  // What stands still whatever the state: the bodies fixed to the world that come before any other,
  // and the geoms and sites of those. The serial number tells plans apart, also over time.
  int still_body, still_geom, still_site;
  uint64_t serial;

  // Sensors by the stage they need (mjtStage), ascending, those of users and plugins left out; and
  // what some sensor of the model asks for.
  int* sensor[4];
  int sensor_num[4];
  bool sensor_user[4];              // there are user sensors in this stage
  bool sensor_subtree, sensor_rne;  // velocities of subtrees; accelerations and forces of bodies

  // Convex hulls of the meshes, for the collision room (plan_hull.h).
  struct snHull_* hull;  // (nhull)
  int nhull;

  // Panels of M's factorization (algebra.h). Deep trees are factored from articulated inertias
  // instead (smooth/articulated.c), as long as nothing else is in M.
  snTree* tree;
  bool deep;

  // The index arrays as they were (watch.h), made by model_watch, NULL while the model is compiled.
  struct snWatch_* watch;
} snPlan;

// NULL when there is no memory. Reads only structural arrays, which must be valid.
snPlan* plan_make(const mjModel* m);
void plan_free(snPlan* plan);

// Fill the sparsity structure that mjData carries: B_*, M_*, D_*, mapM2M, mapM2D, mapD2M.
void plan_structure(const mjModel* m, mjData* d);

#endif
