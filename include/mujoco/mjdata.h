// mjData: the state, and all that is computed from it.
#ifndef MUJOCO_MJDATA_H_
#define MUJOCO_MJDATA_H_

#include <stddef.h>
#include <stdint.h>

#include <mujoco/mjtnum.h>
#include <mujoco/mjmodel.h>
#include <mujoco/mjthread.h>

typedef enum mjtState_ {  // parts of the state
  mjSTATE_TIME          = 1<<0,   // time
  mjSTATE_QPOS          = 1<<1,   // positions
  mjSTATE_QVEL          = 1<<2,   // velocities
  mjSTATE_ACT           = 1<<3,   // activations
  mjSTATE_WARMSTART     = 1<<4,   // accelerations that start the solver
  mjSTATE_CTRL          = 1<<5,   // controls
  mjSTATE_QFRC_APPLIED  = 1<<6,   // applied generalized forces
  mjSTATE_XFRC_APPLIED  = 1<<7,   // applied wrenches on bodies
  mjSTATE_EQ_ACTIVE     = 1<<8,   // which equality constraints are on
  mjSTATE_MOCAP_POS     = 1<<9,   // positions of mocap bodies
  mjSTATE_MOCAP_QUAT    = 1<<10,  // orientations of mocap bodies
  mjSTATE_USERDATA      = 1<<11,  // user numbers
  mjSTATE_PLUGIN        = 1<<12,  // plugin state

  mjNSTATE              = 13,  // number of parts

  // what the laws of motion advance; the same with time and plugins; what the user sets; all that
  // decides the next step
  mjSTATE_PHYSICS       = mjSTATE_QPOS | mjSTATE_QVEL | mjSTATE_ACT,
  mjSTATE_FULLPHYSICS   = mjSTATE_TIME | mjSTATE_PHYSICS | mjSTATE_PLUGIN,
  mjSTATE_USER          = mjSTATE_CTRL | mjSTATE_QFRC_APPLIED | mjSTATE_XFRC_APPLIED |
                          mjSTATE_EQ_ACTIVE | mjSTATE_MOCAP_POS | mjSTATE_MOCAP_QUAT |
                          mjSTATE_USERDATA,                       // user numbers
  mjSTATE_INTEGRATION   = mjSTATE_FULLPHYSICS | mjSTATE_USER | mjSTATE_WARMSTART
} mjtState;

typedef enum mjtWarning_ {  // kinds of warning
  mjWARN_INERTIA      = 0,  // inertia matrix (nearly) singular
  mjWARN_CONTACTFULL,       // no memory for contacts
  mjWARN_CNSTRFULL,         // no memory for constraint rows
  mjWARN_VGEOMFULL,         // no room for a geom in the scene
  mjWARN_BADQPOS,           // bad number in qpos
  mjWARN_BADQVEL,           // bad number in qvel
  mjWARN_BADQACC,           // bad number in qacc
  mjWARN_BADCTRL,           // bad number in ctrl

  mjNWARNING  // number of kinds
} mjtWarning;

typedef enum mjtTimer_ {  // what the timers measure
  mjTIMER_STEP        = 0,  // step
  mjTIMER_FORWARD,          // forward dynamics
  mjTIMER_INVERSE,          // inverse dynamics

  mjTIMER_POSITION,    // position stage
  mjTIMER_VELOCITY,    // velocity stage
  mjTIMER_ACTUATION,   // actuation stage
  mjTIMER_CONSTRAINT,  // constraint forces
  mjTIMER_ADVANCE,     // integration

  mjTIMER_POS_KINEMATICS,  // kinematics, com, tendons, transmission
  mjTIMER_POS_INERTIA,     // inertia matrix and its factor
  mjTIMER_POS_COLLISION,   // collision
  mjTIMER_POS_MAKE,        // constraint rows
  mjTIMER_POS_PROJECT,     // projection of constraints

  mjTIMER_COL_BROAD,   // broad phase
  mjTIMER_COL_NARROW,  // narrow phase

  mjNTIMER  // number of timers
} mjtTimer;

struct mjContact_ {  // a contact
  mjtNum  dist;      // distance of the surfaces; negative: they overlap
  mjtNum  pos[3];    // point in the middle
  mjtNum  frame[9];  // rows: normal from the first to the second geom, then two tangents

  mjtNum  includemargin;           // acts below this distance (margin - gap)
  mjtNum  friction[5];             // tangent 1, 2, spin, roll 1, 2
  mjtNum  solref[mjNREF];          // solver reference, normal
  mjtNum  solreffriction[mjNREF];  // solver reference, friction
  mjtNum  solimp[mjNIMP];          // solver impedance

  mjtNum  mu;     // friction of the regularized cone
  mjtNum  H[36];  // Hessian of the cone

  int     dim;      // dimensions (1, 3, 4, 6)
  int     geom1;    // first geom; the same as geom[0]
  int     geom2;    // second geom; the same as geom[1]
  int     geom[2];  // geoms; -1: flex
  int     flex[2];  // flexes; -1: geom
  int     elem[2];  // elements; -1: geom or vertex
  int     vert[2];  // vertices; -1: geom or element

  int     exclude;  // 0: acts, 1: in the gap, 2: fused, 3: no dofs

  int     efc_address;  // first constraint row; -1: none
};
typedef struct mjContact_ mjContact;

struct mjWarningStat_ {  // how often a warning came
  int     lastinfo;  // number that came with the last one
  int     number;    // how often
};
typedef struct mjWarningStat_ mjWarningStat;

struct mjTimerStat_ {  // what a timer measured
  mjtNum  duration;  // sum of times
  int     number;    // how often
};
typedef struct mjTimerStat_ mjTimerStat;

struct mjSolverStat_ {  // one iteration of the solver
  mjtNum  improvement;  // decrease of the cost, scaled
  mjtNum  gradient;     // norm of the gradient, scaled (primal)
  mjtNum  lineslope;    // slope at the end of the line search
  int     nactive;      // rows with force
  int     nchange;      // rows that changed state
  int     neval;        // cost evaluations of the line search
  int     nupdate;      // updates of the factor
};
typedef struct mjSolverStat_ mjSolverStat;

struct mjData_ {  // the state and all that is computed from it
  size_t  narena;   // bytes of arena and stack
  size_t  nbuffer;  // bytes of the buffer
  int     nplugin;  // plugin instances

  size_t  pstack;  // bytes of stack in use
  size_t  pbase;   // start of the newest stack frame

  size_t  parena;  // bytes of arena in use

  size_t  maxuse_stack;                     // most bytes of stack so far
  size_t  maxuse_threadstack[mjMAXTHREAD];  // the same for each thread
  size_t  maxuse_arena;                     // most bytes of arena so far
  int     maxuse_con;                       // most contacts so far
  int     maxuse_efc;                       // most constraint rows so far

  mjSolverStat  solver[mjNISLAND*mjNSOLVER];  // statistics by island and iteration
  int           solver_niter[mjNISLAND];      // iterations by island
  int           solver_nnz[mjNISLAND];        // entries of the Hessian or of efc_AR by island
  mjtNum        solver_fwdinv[2];             // forward against inverse: qfrc, efc

  mjWarningStat warning[mjNWARNING];  // statistics by warning
  mjTimerStat   timer[mjNTIMER];      // statistics by timer

  int     ncon;     // contacts
  int     ne;       // equality rows
  int     nf;       // friction rows
  int     nl;       // limit rows
  int     nefc;     // rows
  int     nJ;       // entries of the constraint Jacobian
  int     nA;       // entries of the inverse constraint inertia
  int     nisland;  // islands
  int     nidof;    // dofs in all islands

  mjtNum  time;       // simulation time
  mjtNum  energy[2];  // potential, kinetic

  void*   buffer;  // arrays of fixed size live here (nbuffer bytes)
  void*   arena;   // contacts, rows and stack live here (narena bytes)

  mjtNum* qpos;            // positions (nq x 1)
  mjtNum* qvel;            // velocities (nv x 1)
  mjtNum* act;             // activations (na x 1)
  mjtNum* qacc_warmstart;  // accelerations that start the solver (nv x 1)
  mjtNum* plugin_state;    // plugin state (npluginstate x 1)

  mjtNum* ctrl;          // controls (nu x 1)
  mjtNum* qfrc_applied;  // applied generalized forces (nv x 1)
  mjtNum* xfrc_applied;  // applied force and torque at a body's centre of mass (nbody x 6)
  mjtByte* eq_active;    // which equality constraints are on (neq x 1)

  mjtNum* mocap_pos;   // positions of mocap bodies (nmocap x 3)
  mjtNum* mocap_quat;  // orientations of mocap bodies (nmocap x 4)

  mjtNum* qacc;     // accelerations (nv x 1)
  mjtNum* act_dot;  // time derivatives of the activations (na x 1)

  mjtNum* userdata;  // numbers of the user's (nuserdata x 1)

  mjtNum* sensordata;  // sensor readings (nsensordata x 1)

  int*       plugin;       // registered plugin of an instance (nplugin x 1)
  uintptr_t* plugin_data;  // what a plugin keeps for an instance (nplugin x 1)

  mjtNum* xpos;        // position of a body (nbody x 3)
  mjtNum* xquat;       // orientation of a body (nbody x 4)
  mjtNum* xmat;        // orientation of a body (nbody x 9)
  mjtNum* xipos;       // centre of mass of a body (nbody x 3)
  mjtNum* ximat;       // orientation of a body's inertia (nbody x 9)
  mjtNum* xanchor;     // anchor of a joint (njnt x 3)
  mjtNum* xaxis;       // axis of a joint (njnt x 3)
  mjtNum* geom_xpos;   // position of a geom (ngeom x 3)
  mjtNum* geom_xmat;   // orientation of a geom (ngeom x 9)
  mjtNum* site_xpos;   // position of a site (nsite x 3)
  mjtNum* site_xmat;   // orientation of a site (nsite x 9)
  mjtNum* cam_xpos;    // position of a camera (ncam x 3)
  mjtNum* cam_xmat;    // orientation of a camera (ncam x 9)
  mjtNum* light_xpos;  // position of a light (nlight x 3)
  mjtNum* light_xdir;  // direction of a light (nlight x 3)

  mjtNum* subtree_com;  // centre of mass of a subtree (nbody x 3)
  mjtNum* cdof;         // motion axis of a dof (rotation, translation), about the tree's com (nv x 6)
  mjtNum* cinert;       // inertia and mass of a body about the tree's com (nbody x 10)

  mjtNum* flexvert_xpos;      // position of a flex vertex (nflexvert x 3)
  mjtNum* flexelem_aabb;      // box of a flex element (centre, half sizes) (nflexelem x 6)
  int*    flexedge_J_rownnz;  // entries in a row of the edge Jacobian (nflexedge x 1)
  int*    flexedge_J_rowadr;  // start of a row (nflexedge x 1)
  int*    flexedge_J_colind;  // columns of entries (nflexedge x nv)
  mjtNum* flexedge_J;         // edge Jacobian (nflexedge x nv)
  mjtNum* flexedge_length;    // edge lengths (nflexedge x 1)

  int*    ten_wrapadr;   // start of a tendon's points (ntendon x 1)
  int*    ten_wrapnum;   // number of a tendon's points (ntendon x 1)
  int*    ten_J_rownnz;  // entries in a row of the tendon Jacobian (ntendon x 1)
  int*    ten_J_rowadr;  // start of a row (ntendon x 1)
  int*    ten_J_colind;  // columns of entries (ntendon x nv)
  mjtNum* ten_J;         // tendon Jacobian (ntendon x nv)
  mjtNum* ten_length;    // tendon lengths (ntendon x 1)
  int*    wrap_obj;      // geom under a point; -1: site, -2: pulley (nwrap x 2)
  mjtNum* wrap_xpos;     // points of all paths (nwrap x 6)

  mjtNum* actuator_length;  // actuator lengths (nu x 1)
  int*    moment_rownnz;    // entries in a row of the moment matrix (nu x 1)
  int*    moment_rowadr;    // start of a row (nu x 1)
  int*    moment_colind;    // columns of entries (nJmom x 1)
  mjtNum* actuator_moment;  // moment matrix (nJmom x 1)

  mjtNum* crb;  // composite inertia and mass about the tree's com (nbody x 10)
  mjtNum* qM;   // inertia matrix in tree order (nM x 1)
  mjtNum* M;    // inertia matrix, lower triangle in compressed rows (nC x 1)

  mjtNum* qLD;        // factor L'DL of M (nC x 1)
  mjtNum* qLDiagInv;  // inverse of D (nv x 1)

  mjtNum*  bvh_aabb_dyn;  // global boxes of moving bounding volumes (centre, half sizes) (nbvhdynamic x 6)
  mjtByte* bvh_active;    // was a bounding volume checked (nbvh x 1)

  mjtNum* flexedge_velocity;  // velocities of flex edges (nflexedge x 1)
  mjtNum* ten_velocity;       // velocities of tendons (ntendon x 1)
  mjtNum* actuator_velocity;  // velocities of actuators (nu x 1)

  mjtNum* cvel;      // velocity of a body (rotation, translation) about the tree's com (nbody x 6)
  mjtNum* cdof_dot;  // time derivative of cdof (nv x 6)

  mjtNum* qfrc_bias;  // c: Coriolis, centrifugal, gravity (nv x 1)

  mjtNum* qfrc_spring;    // springs (nv x 1)
  mjtNum* qfrc_damper;    // dampers (nv x 1)
  mjtNum* qfrc_gravcomp;  // gravity compensation (nv x 1)
  mjtNum* qfrc_fluid;     // fluid forces (nv x 1)
  mjtNum* qfrc_passive;   // all passive forces (nv x 1)

  mjtNum* subtree_linvel;  // velocity of a subtree's centre of mass (nbody x 3)
  mjtNum* subtree_angmom;  // angular momentum of a subtree about its centre of mass (nbody x 3)

  mjtNum* qH;         // factor L'DL of M with implicit damping (nC x 1)
  mjtNum* qHDiagInv;  // inverse of its D (nv x 1)

  int*    B_rownnz;  // body-dof pattern: entries in a row (nbody x 1)
  int*    B_rowadr;  // body-dof pattern: start of a row (nbody x 1)
  int*    B_colind;  // body-dof pattern: columns (nB x 1)
  int*    M_rownnz;  // pattern of M: entries in a row (nv x 1)
  int*    M_rowadr;  // pattern of M: start of a row (nv x 1)
  int*    M_colind;  // pattern of M: columns (nC x 1)
  int*    mapM2M;    // index in qM of an entry of M (nC x 1)
  int*    D_rownnz;  // dof-dof pattern: entries in a row (nv x 1)
  int*    D_rowadr;  // dof-dof pattern: start of a row (nv x 1)
  int*    D_diag;    // dof-dof pattern: index of the diagonal in a row (nv x 1)
  int*    D_colind;  // dof-dof pattern: columns (nD x 1)
  int*    mapM2D;    // index in qM of an entry of D (nD x 1)
  int*    mapD2M;    // index in D of an entry of qM (nM x 1)

  mjtNum* qDeriv;  // velocity derivative of passive + actuator - bias forces (nD x 1)

  mjtNum* qLU;  // LU factor of M - dt*qDeriv (nD x 1)

  mjtNum* actuator_force;  // actuator forces (nu x 1)
  mjtNum* qfrc_actuator;   // actuator forces on dofs (nv x 1)

  mjtNum* qfrc_smooth;  // all forces but those of constraints (nv x 1)
  mjtNum* qacc_smooth;  // acceleration without constraints (nv x 1)

  mjtNum* qfrc_constraint;  // constraint forces on dofs (nv x 1)

  mjtNum* qfrc_inverse;  // force from outside that gives qacc (nv x 1)

  mjtNum* cacc;      // acceleration of a body about the tree's com (nbody x 6)
  mjtNum* cfrc_int;  // force between a body and its parent (nbody x 6)
  mjtNum* cfrc_ext;  // force from outside on a body (nbody x 6)

  mjContact* contact;  // contacts (ncon x 1)

  int*    efc_type;          // kind of row (mjtConstraint) (nefc x 1)
  int*    efc_id;            // object behind a row (nefc x 1)
  int*    efc_J_rownnz;      // entries in a row of J (nefc x 1)
  int*    efc_J_rowadr;      // start of a row (nefc x 1)
  int*    efc_J_rowsuper;    // rows below with the same pattern (nefc x 1)
  int*    efc_J_colind;      // columns of entries (nJ x 1)
  int*    efc_JT_rownnz;     // entries in a row of J' (nv x 1)
  int*    efc_JT_rowadr;     // start of a row (nv x 1)
  int*    efc_JT_rowsuper;   // rows below with the same pattern (nv x 1)
  int*    efc_JT_colind;     // columns of entries (nJ x 1)
  mjtNum* efc_J;             // J (nJ x 1)
  mjtNum* efc_JT;            // J' (nJ x 1)
  mjtNum* efc_pos;           // residual r (nefc x 1)
  mjtNum* efc_margin;        // margin of inclusion (nefc x 1)
  mjtNum* efc_frictionloss;  // bound of dry friction (nefc x 1)
  mjtNum* efc_diagApprox;    // approximate diagonal of A (nefc x 1)
  mjtNum* efc_KBIP;          // stiffness, damping, impedance, its derivative (nefc x 4)
  mjtNum* efc_D;             // 1/R (nefc x 1)
  mjtNum* efc_R;             // R (nefc x 1)
  int*    tendon_efcadr;     // first row that a tendon is in; -1: none (ntendon x 1)

  int*    dof_island;      // island of a dof; -1: none (nv x 1)
  int*    island_nv;       // dofs of an island (nisland x 1)
  int*    island_idofadr;  // start of an island's dofs in island order (nisland x 1)
  int*    island_dofadr;   // first dof of an island (nisland x 1)
  int*    map_dof2idof;    // dof to its place in island order (nv x 1)
  int*    map_idof2dof;    // place in island order to dof; from nidof on unconstrained (nv x 1)

  mjtNum* ifrc_smooth;  // qfrc_smooth in island order (nidof x 1)
  mjtNum* iacc_smooth;  // qacc_smooth in island order (nidof x 1)
  int*    iM_rownnz;    // entries in a row of iM (nidof x 1)
  int*    iM_rowadr;    // start of a row (nidof x 1)
  int*    iM_colind;    // columns of entries (nC x 1)
  mjtNum* iM;           // M in island order (nC x 1)
  mjtNum* iLD;          // its factor (nC x 1)
  mjtNum* iLDiagInv;    // inverse of its D (nidof x 1)
  mjtNum* iacc;         // qacc in island order (nidof x 1)

  int*    efc_island;      // island of a row (nefc x 1)
  int*    island_ne;       // equality rows of an island (nisland x 1)
  int*    island_nf;       // friction rows of an island (nisland x 1)
  int*    island_nefc;     // rows of an island (nisland x 1)
  int*    island_iefcadr;  // start of an island's rows in island order (nisland x 1)
  int*    map_efc2iefc;    // row to its place in island order (nefc x 1)
  int*    map_iefc2efc;    // place in island order to row (nefc x 1)

  int*    iefc_type;          // efc_type in island order (nefc x 1)
  int*    iefc_id;            // efc_id in island order (nefc x 1)
  int*    iefc_J_rownnz;      // entries in a row of J, island order (nefc x 1)
  int*    iefc_J_rowadr;      // start of a row (nefc x 1)
  int*    iefc_J_rowsuper;    // rows below with the same pattern (nefc x 1)
  int*    iefc_J_colind;      // columns of entries (nJ x 1)
  int*    iefc_JT_rownnz;     // entries in a row of J', island order (nidof x 1)
  int*    iefc_JT_rowadr;     // start of a row (nidof x 1)
  int*    iefc_JT_rowsuper;   // rows below with the same pattern (nidof x 1)
  int*    iefc_JT_colind;     // columns of entries (nJ x 1)
  mjtNum* iefc_J;             // J in island order (nJ x 1)
  mjtNum* iefc_JT;            // J' in island order (nJ x 1)
  mjtNum* iefc_frictionloss;  // efc_frictionloss in island order (nefc x 1)
  mjtNum* iefc_D;             // efc_D in island order (nefc x 1)
  mjtNum* iefc_R;             // efc_R in island order (nefc x 1)

  int*    efc_AR_rownnz;  // entries in a row of A + R (nefc x 1)
  int*    efc_AR_rowadr;  // start of a row (nefc x 1)
  int*    efc_AR_colind;  // columns of entries (nA x 1)
  mjtNum* efc_AR;         // A + R, with A = J inv(M) J' (nA x 1)

  mjtNum* efc_vel;   // J v (nefc x 1)
  mjtNum* efc_aref;  // reference acceleration (nefc x 1)

  mjtNum* efc_b;            // J qacc_smooth - aref (nefc x 1)
  mjtNum* iefc_aref;        // efc_aref in island order (nefc x 1)
  int*    iefc_state;       // efc_state in island order (nefc x 1)
  mjtNum* iefc_force;       // efc_force in island order (nefc x 1)
  int*    efc_state;        // where on its cost a row is (mjtConstraintState) (nefc x 1)
  mjtNum* efc_force;        // constraint force f (nefc x 1)
  mjtNum* ifrc_constraint;  // qfrc_constraint in island order (nidof x 1)

  uintptr_t threadpool;  // bound thread pool; 0: none

  uint64_t  signature;  // mark of the compilation its model came from
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
