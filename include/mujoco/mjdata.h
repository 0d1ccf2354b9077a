// mjData: the state, and all that is computed from it.
#ifndef MUJOCO_MJDATA_H_
#define MUJOCO_MJDATA_H_

#include <stddef.h>
#include <stdint.h>

#include <mujoco/mjtnum.h>
#include <mujoco/mjmodel.h>
#include <mujoco/mjthread.h>

typedef enum mjtState_ {  // parts of the state
  mjSTATE_TIME          = 1<<0,   // the time of the simulation (s)
  mjSTATE_QPOS          = 1<<1,   // qpos
  mjSTATE_QVEL          = 1<<2,   // velocities
  mjSTATE_ACT           = 1<<3,   // activations
  mjSTATE_WARMSTART     = 1<<4,   // accelerations that start the solver
  mjSTATE_CTRL          = 1<<5,   // ctrl, in the actuators' units
  mjSTATE_QFRC_APPLIED  = 1<<6,   // qfrc_applied: forces that the program puts on dofs
  mjSTATE_XFRC_APPLIED  = 1<<7,   // applied wrenches on bodies
  mjSTATE_EQ_ACTIVE     = 1<<8,   // which equality constraints are on
  mjSTATE_MOCAP_POS     = 1<<9,   // mocap_pos: where mocap bodies are put
  mjSTATE_MOCAP_QUAT    = 1<<10,  // mocap_quat: how mocap bodies are turned
  mjSTATE_USERDATA      = 1<<11,  // user numbers
  mjSTATE_PLUGIN        = 1<<12,  // plugin_state: what plugin instances remember

  mjNSTATE              = 13,  // number of parts

  // what the motion is: qpos, qvel, act
  mjSTATE_PHYSICS       = mjSTATE_QPOS | mjSTATE_QVEL | mjSTATE_ACT,
  // the same with time and plugin state: enough to go on from
  mjSTATE_FULLPHYSICS   = mjSTATE_TIME | mjSTATE_PHYSICS | mjSTATE_PLUGIN,
  // what the program sets: controls, forces, equalities, mocap poses, userdata
  mjSTATE_USER          = mjSTATE_CTRL | mjSTATE_QFRC_APPLIED | mjSTATE_XFRC_APPLIED |
                          mjSTATE_EQ_ACTIVE | mjSTATE_MOCAP_POS | mjSTATE_MOCAP_QUAT |
                          mjSTATE_USERDATA,
  // all of these and the warm start: goes on with the same bits
  mjSTATE_INTEGRATION   = mjSTATE_FULLPHYSICS | mjSTATE_USER | mjSTATE_WARMSTART
} mjtState;

typedef enum mjtWarning_ {  // kinds of warning
  mjWARN_INERTIA      = 0,  // inertia matrix (nearly) singular
  mjWARN_CONTACTFULL,       // no memory for contacts
  mjWARN_CNSTRFULL,         // no memory for constraint rows
  mjWARN_VGEOMFULL,         // no room for a geom in the scene
  mjWARN_BADQPOS,           // qpos has a number that is not finite or too large
  mjWARN_BADQVEL,           // qvel has a number that is not finite or too large
  mjWARN_BADQACC,           // qacc has a number that is not finite or too large
  mjWARN_BADCTRL,           // ctrl has a number that is not finite or too large

  mjNWARNING  // number of kinds
} mjtWarning;

typedef enum mjtTimer_ {  // what the timers measure
  mjTIMER_STEP        = 0,  // mj_step as a whole
  mjTIMER_FORWARD,          // forward dynamics
  mjTIMER_INVERSE,          // inverse dynamics

  mjTIMER_POSITION,    // position stage
  mjTIMER_VELOCITY,    // velocity stage
  mjTIMER_ACTUATION,   // actuation stage
  mjTIMER_CONSTRAINT,  // constraint forces
  mjTIMER_ADVANCE,     // integration

  mjTIMER_POS_KINEMATICS,  // poses, centres of mass, tendons and actuator lengths
  mjTIMER_POS_INERTIA,     // inertia matrix and its factor
  mjTIMER_POS_COLLISION,   // collision
  mjTIMER_POS_MAKE,        // constraint rows
  mjTIMER_POS_PROJECT,     // A + R for the dual solvers

  mjTIMER_COL_BROAD,   // which bodies are near each other
  mjTIMER_COL_NARROW,  // contacts of the geoms that are left

  mjNTIMER  // how many timers there are
} mjtTimer;

struct mjContact_ {  // a contact
  mjtNum  dist;      // distance of the two surfaces (m); negative: they overlap
  mjtNum  pos[3];    // middle between them, in the world (m)
  mjtNum  frame[9];  // axes of the contact by rows: normal from the first geom to the second, then two tangents

  mjtNum  includemargin;           // distance below which it has a force: margin less gap (m)
  mjtNum  friction[5];             // 2 sliding (no unit), torsional (m), 2 rolling (m)
  mjtNum  solref[mjNREF];          // how it gives along the normal: time constant (s), damping ratio; negative: stiffness, damping
  mjtNum  solreffriction[mjNREF];  // how it gives along the surface; 0: as along the normal
  mjtNum  solimp[mjNIMP];          // how hard it is: impedances, width (m), midpoint, power

  mjtNum  mu;     // friction coefficient of the regularized cone, written by the solver
  mjtNum  H[36];  // Hessian of its cost inside the cone, written by the solver (6 by 6)

  int     dim;      // directions with force: 1, 3, 4 or 6
  int     geom1;    // the geom that comes first; -1: a flex (older name for geom[0])
  int     geom2;    // the other geom; -1: a flex (older name for geom[1])
  int     geom[2];  // the two geoms; -1: a flex
  int     flex[2];  // the two flexes; -1: a geom
  int     elem[2];  // elements of the flexes; -1: a geom, or a point
  int     vert[2];  // points of the flexes; -1: a geom, or an element

  int     exclude;  // why it has no force: 0 it has one, 1 in the gap, 2 its bodies are one, 3 nothing moves

  int     efc_address;  // first of its constraint rows; -1: none
};
typedef struct mjContact_ mjContact;

struct mjWarningStat_ {  // how often a warning came
  int     lastinfo;  // number that the last one came with, such as an index
  int     number;    // how often it came since the reset
};
typedef struct mjWarningStat_ mjWarningStat;

struct mjTimerStat_ {  // what a timer measured
  mjtNum  duration;  // sum of all times, in the unit of mjcb_time
  int     number;    // how many times were added up
};
typedef struct mjTimerStat_ mjTimerStat;

struct mjSolverStat_ {  // one iteration of the solver
  mjtNum  improvement;  // how much the cost fell, scaled by the model (no unit)
  mjtNum  gradient;     // length of the gradient, scaled by the model (no unit; CG and Newton)
  mjtNum  lineslope;    // slope where the line search stopped, over that at its start (no unit)
  int     nactive;      // rows with a force
  int     nchange;      // rows whose state changed
  int     neval;        // evaluations of the cost in the line search
  int     nupdate;      // rank-1 updates of the factor of the Hessian
};
typedef struct mjSolverStat_ mjSolverStat;

struct mjData_ {  // the state and all that is computed from it
  size_t  narena;   // bytes of the arena, which contacts, rows and stack share
  size_t  nbuffer;  // bytes of the block that holds the arrays of fixed size
  int     nplugin;  // plugin instances

  size_t  pstack;  // bytes of the stack in use
  size_t  pbase;   // where the newest stack frame begins

  size_t  parena;  // bytes of the arena in use, from its start

  size_t  maxuse_stack;                     // most bytes of the stack in use since the reset
  size_t  maxuse_threadstack[mjMAXTHREAD];  // the same for each thread of a pool
  size_t  maxuse_arena;                     // most bytes of the arena in use since the reset
  int     maxuse_con;                       // most contacts since the reset
  int     maxuse_efc;                       // most constraint rows since the reset

  mjSolverStat  solver[mjNISLAND*mjNSOLVER];  // what each iteration of the last solve did, by island
  int           solver_niter[mjNISLAND];      // iterations of the last solve, by island
  int           solver_nnz[mjNISLAND];        // entries of the Hessian (Newton) or of A + R (PGS), by island
  mjtNum        solver_fwdinv[2];             // forward against inverse dynamics: difference of joint forces, of row forces

  mjWarningStat warning[mjNWARNING];  // how often each warning came
  mjTimerStat   timer[mjNTIMER];      // how long each part took

  int     ncon;     // contacts in the list
  int     ne;       // rows of equalities
  int     nf;       // rows of dry friction
  int     nl;       // rows of limits
  int     nefc;     // rows of all constraints, contacts last
  int     nJ;       // entries of the constraint Jacobian
  int     nA;       // entries of A + R
  int     nisland;  // islands: groups of trees that constraints tie together
  int     nidof;    // dofs that are in an island

  mjtNum  time;       // time that was simulated (s)
  mjtNum  energy[2];  // potential and kinetic energy (J), where it is computed

  void*   buffer;  // the block that holds the arrays of fixed size (nbuffer bytes)
  void*   arena;   // the block of contacts, rows and stack (narena bytes)

  mjtNum* qpos;            // coordinates of all joints (m, rad, quaternions) (nq x 1)
  mjtNum* qvel;            // velocities of all dofs (m/s, rad/s) (nv x 1)
  mjtNum* act;             // activations of actuators, in their own units (na x 1)
  mjtNum* qacc_warmstart;  // accelerations that the solver begins with (m/s^2, rad/s^2) (nv x 1)
  mjtNum* plugin_state;    // state of all plugin instances (npluginstate x 1)

  mjtNum* ctrl;          // controls of actuators, in their own units (nu x 1)
  mjtNum* qfrc_applied;  // forces that the program puts on dofs (N, N m) (nv x 1)
  mjtNum* xfrc_applied;  // force (N) and torque (N m) that the program puts on a body, at its centre of mass, in the world (nbody x 6)
  mjtByte* eq_active;    // 1: the equality holds (neq x 1)

  mjtNum* mocap_pos;   // where mocap bodies are put, in the world (m) (nmocap x 3)
  mjtNum* mocap_quat;  // how mocap bodies are turned, in the world (quaternions) (nmocap x 4)

  mjtNum* qacc;     // accelerations of all dofs (m/s^2, rad/s^2) (nv x 1)
  mjtNum* act_dot;  // rate of activations (their unit per s) (na x 1)

  mjtNum* userdata;  // numbers of the program's own, part of the state (nuserdata x 1)

  mjtNum* sensordata;  // readings of all sensors, in their own units (nsensordata x 1)

  int*       plugin;       // slot of the plugin that an instance is of (nplugin x 1)
  uintptr_t* plugin_data;  // pointer that a plugin keeps for an instance (nplugin x 1)

  mjtNum* xpos;        // origin of a body's frame, in the world (m) (nbody x 3)
  mjtNum* xquat;       // orientation of a body, in the world (quaternion) (nbody x 4)
  mjtNum* xmat;        // orientation of a body, in the world (matrix by rows) (nbody x 9)
  mjtNum* xipos;       // centre of mass of a body, in the world (m) (nbody x 3)
  mjtNum* ximat;       // principal axes of a body, in the world (matrix by rows, axes are columns) (nbody x 9)
  mjtNum* xanchor;     // point that a joint turns about, in the world (m) (njnt x 3)
  mjtNum* xaxis;       // axis of a joint, in the world (length 1) (njnt x 3)
  mjtNum* geom_xpos;   // origin of a geom's frame, in the world (m) (ngeom x 3)
  mjtNum* geom_xmat;   // orientation of a geom, in the world (matrix by rows) (ngeom x 9)
  mjtNum* site_xpos;   // origin of a site's frame, in the world (m) (nsite x 3)
  mjtNum* site_xmat;   // orientation of a site, in the world (matrix by rows) (nsite x 9)
  mjtNum* cam_xpos;    // position of a camera, in the world (m) (ncam x 3)
  mjtNum* cam_xmat;    // orientation of a camera, in the world (matrix by rows) (ncam x 9)
  mjtNum* light_xpos;  // position of a light, in the world (m) (nlight x 3)
  mjtNum* light_xdir;  // direction that a light shines in, in the world (length 1) (nlight x 3)

  mjtNum* subtree_com;  // centre of mass of a body and all below it, in the world (m) (nbody x 3)
  mjtNum* cdof;         // motion that a dof gives: turn, then shift, about the tree's centre of mass, in the world's axes (nv x 6)
  mjtNum* cinert;       // inertia of a body about the tree's centre of mass: 6 of the matrix (kg m^2), 3 mass times offset (kg m), mass (kg) (nbody x 10)

  mjtNum* flexvert_xpos;      // point of a flex, in the world (m) (nflexvert x 3)
  mjtNum* flexelem_aabb;      // box around an element of a flex, in the world: centre, half lengths (m) (nflexelem x 6)
  int*    flexedge_J_rownnz;  // entries in the row of an edge of flexedge_J (nflexedge x 1)
  int*    flexedge_J_rowadr;  // where the row of an edge begins (nflexedge x 1)
  int*    flexedge_J_colind;  // dof of each entry (nflexedge x nv)
  mjtNum* flexedge_J;         // change of an edge's length with each dof (nflexedge x nv)
  mjtNum* flexedge_length;    // length of an edge (m) (nflexedge x 1)

  int*    ten_wrapadr;   // where the points of a tendon begin in wrap_xpos (ntendon x 1)
  int*    ten_wrapnum;   // how many points its path has now (ntendon x 1)
  int*    ten_J_rownnz;  // entries in the row of a tendon of ten_J (ntendon x 1)
  int*    ten_J_rowadr;  // where the row of a tendon begins (ntendon x 1)
  int*    ten_J_colind;  // dof of each entry (ntendon x nv)
  mjtNum* ten_J;         // change of a tendon's length with each dof: its moment arms (m/rad or no unit) (ntendon x nv)
  mjtNum* ten_length;    // length of a tendon (m) (ntendon x 1)
  int*    wrap_obj;      // geom that a point lies on; -1: a site, -2: a pulley (nwrap x 2)
  mjtNum* wrap_xpos;     // points of all tendon paths, in the world (m) (nwrap x 6)

  mjtNum* actuator_length;  // length of an actuator, gear included (m or rad) (nu x 1)
  int*    moment_rownnz;    // entries in the row of an actuator of actuator_moment (nu x 1)
  int*    moment_rowadr;    // where the row of an actuator begins (nu x 1)
  int*    moment_colind;    // dof of each entry (nJmom x 1)
  mjtNum* actuator_moment;  // change of an actuator's length with each dof: its moment arms, gear included (nJmom x 1)

  mjtNum* crb;  // inertia of a body and all below it, as cinert (nbody x 10)
  mjtNum* qM;   // inertia matrix M along the tree: for each dof its row up to the root (kg, kg m, kg m^2) (nM x 1)
  mjtNum* M;    // inertia matrix M, lower triangle in compressed rows (kg, kg m, kg m^2) (nC x 1)

  mjtNum* qLD;        // factors L and D of M = L'DL, in the pattern of M (nC x 1)
  mjtNum* qLDiagInv;  // 1/D of these factors (nv x 1)

  mjtNum*  bvh_aabb_dyn;  // boxes of volumes that move with a flex, in the world: centre, half lengths (m) (nbvhdynamic x 6)
  mjtByte* bvh_active;    // 1: collision goes through a volume; made when volumes are drawn (nbvh x 1)

  mjtNum* flexedge_velocity;  // how fast an edge lengthens (m/s) (nflexedge x 1)
  mjtNum* ten_velocity;       // how fast a tendon lengthens (m/s) (ntendon x 1)
  mjtNum* actuator_velocity;  // how fast an actuator lengthens, gear included (m/s or rad/s) (nu x 1)

  mjtNum* cvel;      // velocity of a body: turn (rad/s), then shift (m/s), about the tree's centre of mass, in the world's axes (nbody x 6)
  mjtNum* cdof_dot;  // rate of cdof (1/s) (nv x 6)

  mjtNum* qfrc_bias;  // c(qpos, qvel): Coriolis, centrifugal and gravity forces (N, N m), on the side of M qacc (nv x 1)

  mjtNum* qfrc_spring;    // forces of springs (N, N m) (nv x 1)
  mjtNum* qfrc_damper;    // forces of dampers (N, N m) (nv x 1)
  mjtNum* qfrc_gravcomp;  // forces of gravity compensation (N, N m) (nv x 1)
  mjtNum* qfrc_fluid;     // forces of the medium (N, N m) (nv x 1)
  mjtNum* qfrc_passive;   // the four above and those of callbacks and plugins (N, N m) (nv x 1)

  mjtNum* subtree_linvel;  // velocity of the centre of mass of a body and all below it (m/s) (nbody x 3)
  mjtNum* subtree_angmom;  // angular momentum of a body and all below it, about their centre of mass (kg m^2/s) (nbody x 3)

  mjtNum* qH;         // factors L and D of M with implicit damping, in the pattern of M (nC x 1)
  mjtNum* qHDiagInv;  // 1/D of these factors (nv x 1)

  int*    B_rownnz;  // dofs that move a body: how many (nbody x 1)
  int*    B_rowadr;  // dofs that move a body: where they begin in B_colind (nbody x 1)
  int*    B_colind;  // dofs that move bodies (nB x 1)
  int*    M_rownnz;  // entries in a row of M (nv x 1)
  int*    M_rowadr;  // where a row of M begins (nv x 1)
  int*    M_colind;  // dof of each entry of M (nC x 1)
  int*    mapM2M;    // place in qM of each entry of M (nC x 1)
  int*    D_rownnz;  // dofs on the branches of a dof: how many (nv x 1)
  int*    D_rowadr;  // dofs on the branches of a dof: where they begin in D_colind (nv x 1)
  int*    D_diag;    // place of the diagonal in a row of D (nv x 1)
  int*    D_colind;  // dofs on the branches of dofs (nD x 1)
  int*    mapM2D;    // place in qM of each entry of D (nD x 1)
  int*    mapD2M;    // place in D of each entry of qM (nM x 1)

  mjtNum* qDeriv;  // change of passive and actuator less bias forces with velocity (N s/m, N m s/rad), in the pattern D (nD x 1)

  mjtNum* qLU;  // factors L and U of M - h qDeriv, in the pattern D (nD x 1)

  mjtNum* actuator_force;  // force of an actuator, before gear (N or N m) (nu x 1)
  mjtNum* qfrc_actuator;   // forces of all actuators on dofs (N, N m) (nv x 1)

  mjtNum* qfrc_smooth;  // all forces but those of constraints, bias taken off (N, N m) (nv x 1)
  mjtNum* qacc_smooth;  // acceleration that there would be without constraints (m/s^2, rad/s^2) (nv x 1)

  mjtNum* qfrc_constraint;  // forces of constraints on dofs, J'f (N, N m) (nv x 1)

  mjtNum* qfrc_inverse;  // forces from outside that give qacc, by mj_inverse (N, N m) (nv x 1)

  mjtNum* cacc;      // acceleration of a body, gravity included as in an accelerometer: turn (rad/s^2), then shift (m/s^2), as cvel (nbody x 6)
  mjtNum* cfrc_int;  // torque (N m), then force (N) between a body and its parent, about the tree's centre of mass (nbody x 6)
  mjtNum* cfrc_ext;  // torque (N m), then force (N) on a body from outside, contacts included, about the tree's centre of mass (nbody x 6)

  mjContact* contact;  // contacts of the last collision search (ncon x 1)

  int*    efc_type;          // what a row belongs to (mjtConstraint) (nefc x 1)
  int*    efc_id;            // equality, dof, joint, tendon or contact that a row belongs to (nefc x 1)
  int*    efc_J_rownnz;      // entries in a row of J (nefc x 1)
  int*    efc_J_rowadr;      // where a row of J begins (nefc x 1)
  int*    efc_J_rowsuper;    // how many rows below have the same dofs (nefc x 1)
  int*    efc_J_colind;      // dof of each entry of J (nJ x 1)
  int*    efc_JT_rownnz;     // entries in a row of J' (nv x 1)
  int*    efc_JT_rowadr;     // where a row of J' begins (nv x 1)
  int*    efc_JT_rowsuper;   // how many rows below have the same constraint rows (nv x 1)
  int*    efc_JT_colind;     // constraint row of each entry of J' (nJ x 1)
  mjtNum* efc_J;             // constraint Jacobian J: change of each residual with each dof (nJ x 1)
  mjtNum* efc_JT;            // its transpose, where it is sparse (nJ x 1)
  mjtNum* efc_pos;           // residual of a row: violation or distance (m or rad) (nefc x 1)
  mjtNum* efc_margin;        // residual below which a row is made (m or rad) (nefc x 1)
  mjtNum* efc_frictionloss;  // largest force of a row of dry friction (N or N m) (nefc x 1)
  mjtNum* efc_diagApprox;    // diagonal of A as the regularization takes it, from invweight0 (1/kg, 1/(kg m^2)) (nefc x 1)
  mjtNum* efc_KBIP;          // stiffness (1/s^2), damping (1/s), impedance, change of impedance with the residual (nefc x 4)
  mjtNum* efc_D;             // weight of a row: 1/R (kg, kg m^2) (nefc x 1)
  mjtNum* efc_R;             // regularization of a row (1/kg, 1/(kg m^2)) (nefc x 1)
  int*    tendon_efcadr;     // first row of a tendon; -1: none (ntendon x 1)

  int*    dof_island;      // island that a dof is in; -1: none (nv x 1)
  int*    island_nv;       // how many dofs an island has (nisland x 1)
  int*    island_idofadr;  // first dof of an island, counted by islands (nisland x 1)
  int*    island_dofadr;   // first dof of an island, counted as in qvel (nisland x 1)
  int*    map_dof2idof;    // place of a dof when counted by islands; those without one come last (nv x 1)
  int*    map_idof2dof;    // dof at each place when counted by islands (nv x 1)

  mjtNum* ifrc_smooth;  // qfrc_smooth, dofs by islands (N, N m) (nidof x 1)
  mjtNum* iacc_smooth;  // qacc_smooth, dofs by islands (m/s^2, rad/s^2) (nidof x 1)
  int*    iM_rownnz;    // entries in a row of iM (nidof x 1)
  int*    iM_rowadr;    // where a row of iM begins (nidof x 1)
  int*    iM_colind;    // dof of each entry, counted within its island (nC x 1)
  mjtNum* iM;           // M, dofs by islands (kg, kg m, kg m^2) (nC x 1)
  mjtNum* iLD;          // factors of iM, as qLD (nC x 1)
  mjtNum* iLDiagInv;    // 1/D of these factors (nidof x 1)
  mjtNum* iacc;         // qacc, dofs by islands (m/s^2, rad/s^2) (nidof x 1)

  int*    efc_island;      // island that a row is in (nefc x 1)
  int*    island_ne;       // equality rows of an island (nisland x 1)
  int*    island_nf;       // rows of dry friction of an island (nisland x 1)
  int*    island_nefc;     // rows of an island (nisland x 1)
  int*    island_iefcadr;  // first row of an island, counted by islands (nisland x 1)
  int*    map_efc2iefc;    // place of a row when counted by islands (nefc x 1)
  int*    map_iefc2efc;    // row at each place when counted by islands (nefc x 1)

  int*    iefc_type;          // efc_type, rows by islands (nefc x 1)
  int*    iefc_id;            // efc_id, rows by islands (nefc x 1)
  int*    iefc_J_rownnz;      // entries in a row of iefc_J (nefc x 1)
  int*    iefc_J_rowadr;      // where a row of iefc_J begins (nefc x 1)
  int*    iefc_J_rowsuper;    // how many rows below have the same dofs (nefc x 1)
  int*    iefc_J_colind;      // dof of each entry, counted within its island (nJ x 1)
  int*    iefc_JT_rownnz;     // entries in a row of iefc_JT (nidof x 1)
  int*    iefc_JT_rowadr;     // where a row of iefc_JT begins (nidof x 1)
  int*    iefc_JT_rowsuper;   // how many rows below have the same constraint rows (nidof x 1)
  int*    iefc_JT_colind;     // constraint row of each entry, counted within its island (nJ x 1)
  mjtNum* iefc_J;             // J, rows and dofs by islands (nJ x 1)
  mjtNum* iefc_JT;            // its transpose (nJ x 1)
  mjtNum* iefc_frictionloss;  // efc_frictionloss, rows by islands (N or N m) (nefc x 1)
  mjtNum* iefc_D;             // efc_D, rows by islands (kg, kg m^2) (nefc x 1)
  mjtNum* iefc_R;             // efc_R, rows by islands (1/kg, 1/(kg m^2)) (nefc x 1)

  int*    efc_AR_rownnz;  // entries in a row of A + R (nefc x 1)
  int*    efc_AR_rowadr;  // where a row of A + R begins (nefc x 1)
  int*    efc_AR_colind;  // column of each entry of A + R (nA x 1)
  mjtNum* efc_AR;         // A + R, where A = J inv(M) J' (1/kg, 1/(kg m^2)); of the dual solvers alone (nA x 1)

  mjtNum* efc_vel;   // velocity of a row's residual, J qvel (m/s or rad/s) (nefc x 1)
  mjtNum* efc_aref;  // acceleration that a row aims at (m/s^2 or rad/s^2) (nefc x 1)

  mjtNum* efc_b;            // J qacc_smooth - efc_aref: what the forces have to make good (m/s^2 or rad/s^2) (nefc x 1)
  mjtNum* iefc_aref;        // efc_aref, rows by islands (m/s^2 or rad/s^2) (nefc x 1)
  int*    iefc_state;       // efc_state, rows by islands (nefc x 1)
  mjtNum* iefc_force;       // efc_force, rows by islands (N or N m) (nefc x 1)
  int*    efc_state;        // satisfied, quadratic, linear or on its cone (mjtConstraintState) (nefc x 1)
  mjtNum* efc_force;        // force of a row (N or N m) (nefc x 1)
  mjtNum* ifrc_constraint;  // qfrc_constraint, dofs by islands (N, N m) (nidof x 1)

  uintptr_t threadpool;  // thread pool that is bound to it; 0: none

  uint64_t  signature;  // number of the compiled structure that it was made for
};
typedef struct mjData_ mjData;

// acts on the data in the course of a step
typedef void (*mjfGeneric)(const mjModel* m, mjData* d);

// says whether two geoms are not to collide (1: drop)
typedef int (*mjfConFilt)(const mjModel* m, mjData* d, int geom1, int geom2);

// fills user sensors of a stage
typedef void (*mjfSensor)(const mjModel* m, mjData* d, int stage);

// tells the time
typedef mjtNum (*mjfTime)(void);

// gives activation dynamics, gain or bias of an actuator
typedef mjtNum (*mjfAct)(const mjModel* m, const mjData* d, int id);

// fills contacts of two geoms, returns how many
typedef int (*mjfCollision)(const mjModel* m, const mjData* d,
                            mjContact* con, int g1, int g2, mjtNum margin);

#endif
