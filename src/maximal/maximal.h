// Maximal coordinates: every body has a pose and a twist of its own, and joints are constraints.
//
// In minimal coordinates a joint cannot open, because its coordinates say nothing else. Here six
// numbers say where a body is, and each joint of the tree adds rows that keep the relative twist of
// its two bodies within the joint's motions. A loop is then a joint like any other, M is block
// diagonal (one mass and one inertia a body), and each joint's reaction is the impulse of its rows.
//
//   minimal    qpos, qvel          M full along chains    rows: loops, limits, friction, contacts
//   maximal    poses r, twists u   M = diag(M_i)          rows: all joints too
//
// One step (step.c), with u the twists and f the impulses of all rows:
//   1. state.c      frames of bodies from poses
//   2. chain.c      joint coordinates of every link from the poses of its two bodies, the motions S
//                   of the joint, and the complement N of S: its rows
//   3. forces.c     gravity, gyroscopic, passive, actuator and applied forces, and contacts
//   4. rows.c       J in groups of rows with 6-column blocks, and the bias of each row
//   5. delassus.c   D = J inv(M) J' by blocks; soft rows (armature, damping) are eliminated
//   6. dual/        f in K with v = D f + v_free
//   7. u += inv(M) J'f; poses move with u. Errors of position fade by the bias of 4
//
// build.c maps an mjModel to links and loops once, and refuses by name what has no form here.
// coordinates.c is mj_step for models that ask with `sinew:coordinates`; include/sinew/maximal.h
// offers the bodies themselves.
//
// Bodies are numbered in the model's order; -1 is the world. Twists are [v; w] in the world, v of
// the center of mass; rows act on them. docs/maximal.md is the page for users.
#ifndef SINEW_MAXIMAL_MAXIMAL_H_
#define SINEW_MAXIMAL_MAXIMAL_H_

#include "base/inside_sinew.h"
#include "algebra/algebra.h"
#include "data/data.h"
#include "dual/dual.h"

// How a joint holds its two bodies in this step.
typedef struct snHold_ {
  int base, follower;
  double frame[9];  // axes of the base in the world; N and P are written in them
  double point[3];  // where the relative twist is taken, in the world
  double N[36];     // (rows x 6) the directions in which nothing may move
  double error[6];  // position and rotation of the follower beyond the joint's motion
  double ahead[6];  // the same after a step with the velocities of now
} snHold;

// A joint of the tree: all joints of one body of the model, in series.
typedef struct snLink_ {
  int body;  // of the model
  int kind, njnt, ndof, nrow;

  snHold hold;
  double P[36];  // (ndof x 6) dof velocities from the relative twist
} snLink;

// A joint that closes a loop: one equality, or two connects that make a hinge.
typedef struct snLoop_ {
  int kind, nrow;
  int eq[2];  // the second is -1 but for a hinge
  snHold hold;
} snLoop;

// What a row belongs to: carries impulses from one step to the next.
typedef enum snRowOf_ {
  snROW_SOFT = 0,
  snROW_LINK,
  snROW_LOOP,
  snROW_COUPLING,
  snROW_FRICTION,
  snROW_LIMIT,
  snROW_TENDON,
  snROW_CONTACT
} snRowOf;

// Rows come in groups; a group touches a few bodies with one nrow x 6 block each.
typedef struct snGroup_ {
  snDualBlock set;  // kind, first row, number of rows
  int blk, nblk;    // its blocks
  uint64_t key;
} snGroup;

typedef struct snBlk_ {
  int body, group;
  double *J, *JM;  // nrow x 6: J and J inv(M)
} snBlk;

typedef struct snRows_ {
  int n, ngroup, nblk;
  int nsoft, nsoftgroup;  // soft rows come first
  snGroup* group;
  snBlk* blk;
  double* pool;    // where blocks are taken from
  double* bias;    // (n) added to J u
  double* error;   // (n) of position: what a joint is open by, the gap of a limit or contact
  double* weight;  // (nsoft) inertia of soft rows
  int max_row, max_group, max_blk;
  size_t max_pool, npool;
} snRows;

typedef struct snMaximalWhole_ {
  snMaximal x;
  int nlink, nloop, ncoupling;
  snLink* link;          // (nlink)
  snLoop* loop;          // (nloop)
  int* coupling;         // (ncoupling) equalities of joints and tendons
  int* own;              // (model nbody) the body it is part of, -1: the world
  int* link_of;          // (model nbody) its link, or -1
  int* link_dof;         // (model nv) link of a dof
  double* off_pos;       // (model nbody x 3) its frame in the frame of the body it is part of
  double* off_quat;      // (model nbody x 4)
  double* com;           // (nbody x 3) center of mass in the body's frame
  double* inertia_inv;   // (nbody x 9) in the body's axes
  double* minv;          // (nbody x 10) 1/m and the inverse inertia in the world, of the step
  double* origin;        // (nbody x 3) of body frames in the world, of the step
  double* mat;           // (nbody x 9) orientation, of the step
  double* force;         // (nbody x 6) of the step
  double* ahead_pos;     // (nbody x 3)
  double* qvel_ahead;    // (model nv) joint velocities there, bodies moving as now
  double* ahead_origin;  // (nbody x 3) frames after a step with the velocities of now
  double* ahead_mat;     // (nbody x 9)
  double* ahead_quat;    // (nbody x 4)
  uint64_t held;         // hard_held of the last solve
  bool active_forces;    // passive or actuator forces are there, in this step
  const snDualSolver* solver;
  int nwarm, max_warm;  // impulses of the last step by key
  uint64_t* warm_key;
  double* warm_force;  // at 6 per group
  void* memory;
  bool embedded;  // steps of mj_step: the control callback has been called
  // sees every problem solved, for recording
  void (*record)(void* context, const snMaximal* x, const snRows* r, const snDual* p);
  void* record_context;
} snMaximalWhole;

// ---- coordinates.c: mj_step in maximal coordinates
bool maximal_active(const mjModel* m);                 // does the model ask for them?
bool maximal_check(const mjModel* m, snFault* fault);  // can it have what it asks for?
void maximal_solve(const mjModel* m, mjData* d);       // in place of the constraint solver
void maximal_advance(const mjModel* m, mjData* d);     // in place of the integrator

// ---- build.c
bool maximal_check_model(const mjModel* m, snFault* fault);  // names what cannot be mapped
// Offsets of parts in their bodies; parts of mocap bodies move.
void maximal_offsets(snMaximalWhole* w);
void maximal_masses(snMaximalWhole* w);  // mass, com, inertia from the model

// Point and orientation that a connect or weld names on one side, in the frame of the body
// returned.
int maximal_anchor(const snMaximalWhole* w, int eq, int side, double point[3], double quat[4]);

// ---- chain.c
// Where the link stands: solves x.data->qpos of its joints for the poses of its two bodies, and
// fills what is of the step; then qvel.
void chain_locate(snMaximalWhole* w, snLink* l);
// hold.ahead and qvel_ahead, with poses moved on.
void chain_look_ahead(snMaximalWhole* w, snLink* l);
// Pose of the follower's frame from qpos, and its twist from qvel.
void chain_place(snMaximalWhole* w, snLink* l);

// ---- state.c
void maximal_frames(snMaximalWhole* w);  // origin, mat, minv from poses
void maximal_look_ahead(snMaximalWhole* w, double h);
// r += h v, q = exp(h w) q
void maximal_move(const double vel[6], double h, double pos[3], double quat[4]);
// Velocity of a point of a body; the world stands still.
void maximal_point_velocity(const snMaximalWhole* w, int body, const double point[3], double v[3]);

// ---- forces.c
// Poses into x.data, then gravity, gyroscopic, passive, actuator and applied forces, and contacts.
void maximal_forces(snMaximalWhole* w);

// ---- rows.c
bool maximal_rows(snMaximalWhole* w, snRows* r);  // on the stack of x.data; false without memory
void maximal_rows_velocity(const snRows* r, const double* vel, double* v);  // v = J u
void maximal_rows_apply(const snRows* r, const double* impulse,
                        double* vel);  // u += inv(M) J' impulse

// ---- step.c
typedef enum snStepped_ { snSTEPPED_BAD, snSTEPPED_GOOD, snSTEPPED_NO_MEMORY } snStepped;
snStepped maximal_step(snMaximal* x);  // sn_stepMaximal; without memory the state is as before
// Impulses of the last step for the hard rows that it had too, zero for others.
void maximal_warm_start(const snMaximalWhole* w, const snRows* r, double* force);

// ---- delassus.c
// D over hard rows in blocks; with soft rows dense, and they are eliminated from D and v.
typedef struct snAssembly_ {
  snBlockSparse blocks;
  snDelassus D;
  int stride;
  double* dense;  // with soft rows: n x stride, hard rows
  double* soft;   // factor of inv(W) + D_ss
  double* cross;  // nsoft x nhard: D_sh
} snAssembly;
bool assembly_make(snMaximalWhole* w, const snRows* r, snAssembly* a, double* v);
void assembly_diagonal(const snRows* r, const snAssembly* a, double* diagonal);  // of hard rows
// Impulses of soft rows, given those of hard ones.
void assembly_soft(const snRows* r, const snAssembly* a, const double* v, double* impulse);

#endif
