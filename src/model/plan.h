// The plan: index lists derived once per model, so that no stage works out structure in a step.
#ifndef SINEW_MODEL_PLAN_H_
#define SINEW_MODEL_PLAN_H_

#include "algebra/algebra.h"
#include "base/base.h"

typedef struct snRange_ {
  int first, num;
} snRange;

// Instances of plugins that the compiler adds for what a model asks for.
typedef enum snBuiltin_ { snBUILTIN_FRICTION, snBUILTIN_SLEEP, snNBUILTIN } snBuiltin;

// What a model asks for beyond the interface (asked.c): a step asks some twenty times.
typedef struct snAsked_ {
  int instance[snNBUILTIN];  // -1: none
  uint64_t texts, tuples;    // a bit for the first letters of each name
  bool closes;               // "sinew:loops" = "closed"
} snAsked;
void asked_scan(const mjModel* m, snAsked* asked);

// A bit for the two letters behind "sinew:" of a name of this size with its end.
enum { ASKED_PREFIX = sizeof "sinew:" - 1 };
static inline uint64_t asked_letters(const char* name, size_t size) {
  const char* at = name + ASKED_PREFIX;
  return size > ASKED_PREFIX + 2 ? (uint64_t)1 << ((at[0] * 7 + at[1]) & 63) : 0;
}

typedef struct snPlan_ {
  // The chain of a body: the dofs that move it, ascending. A body without joints shares the chain
  // of its parent. Chains of one tree share prefixes: the common prefix of two chains moves both
  // bodies.
  int* chain_num;  // (nbody)
  int* chain_adr;  // (nbody)
  int* chain;      // (nchain)
  int nchain;

  // The chain of a dof, itself included: the first dof_chainnum of chain + chain_adr[dof_bodyid].
  int* dof_chainnum;  // (nv)

  // The columns of each row of M as runs of consecutive dofs.
  int* run_adr;          // (nv + 1)
  struct snRange_* run;  // first dof and how many

  // Joints by type, ascending within a type.
  int* joint[4];  // indexed by mjtJoint
  int joint_num[4];

  // Static objects: leading bodies that are fixed to the world, with their geoms and sites. They
  // are posed once. The serial number is unique over the lifetime of the process, so that data can
  // tell one plan from another at the same address.
  int still_body, still_geom, still_site;
  uint64_t serial;

  // Sensors by the stage they need (mjtStage), ascending, without user and plugin sensors; and what
  // the sensors of the model require to be computed.
  int* sensor[4];
  int sensor_num[4];
  bool sensor_user[4];              // there are user sensors in this stage
  bool sensor_subtree, sensor_rne;  // mj_subtreeVel; mj_rnePostConstraint

  // Convex hulls of the meshes, for the collision room (plan_hull.h).
  struct snHull_* hull;  // (nhull)
  int nhull;

  // Panels of M's factorization (algebra.h). Deep trees are factored from articulated-body inertias
  // instead (smooth/articulated.c), unless something else contributes to M (tendon armature).
  snTree* tree;
  bool deep;

  snAsked asked;

  // Image of the index arrays (watch.h), made by model_watch; NULL while the model is compiled.
  struct snWatch_* watch;
} snPlan;

// NULL without memory. Reads only structural arrays, which must be valid.
snPlan* plan_make(const mjModel* m);
void plan_free(snPlan* plan);

// Fills the sparsity structure of mjData: B_*, M_*, D_*, mapM2M, mapM2D, mapD2M.
void plan_structure(const mjModel* m, mjData* d);

#endif
