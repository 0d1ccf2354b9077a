#ifndef MUJOCO_MJDATA_H_
#define MUJOCO_MJDATA_H_

#include <stddef.h>
#include <stdint.h>

#include <mujoco/mjtnum.h>
#include <mujoco/mjmodel.h>
#include <mujoco/mjthread.h>

typedef enum mjtState_ {
  mjSTATE_TIME          = 1<<0,
  mjSTATE_QPOS          = 1<<1,
  mjSTATE_QVEL          = 1<<2,
  mjSTATE_ACT           = 1<<3,
  mjSTATE_WARMSTART     = 1<<4,
  mjSTATE_CTRL          = 1<<5,
  mjSTATE_QFRC_APPLIED  = 1<<6,
  mjSTATE_XFRC_APPLIED  = 1<<7,
  mjSTATE_EQ_ACTIVE     = 1<<8,
  mjSTATE_MOCAP_POS     = 1<<9,
  mjSTATE_MOCAP_QUAT    = 1<<10,
  mjSTATE_USERDATA      = 1<<11,
  mjSTATE_PLUGIN        = 1<<12,

  mjNSTATE              = 13,

  mjSTATE_PHYSICS       = mjSTATE_QPOS | mjSTATE_QVEL | mjSTATE_ACT,
  mjSTATE_FULLPHYSICS   = mjSTATE_TIME | mjSTATE_PHYSICS | mjSTATE_PLUGIN,
  mjSTATE_USER          = mjSTATE_CTRL | mjSTATE_QFRC_APPLIED | mjSTATE_XFRC_APPLIED |
                          mjSTATE_EQ_ACTIVE | mjSTATE_MOCAP_POS | mjSTATE_MOCAP_QUAT |
                          mjSTATE_USERDATA,
  mjSTATE_INTEGRATION   = mjSTATE_FULLPHYSICS | mjSTATE_USER | mjSTATE_WARMSTART
} mjtState;

typedef enum mjtWarning_ {
  mjWARN_INERTIA      = 0,
  mjWARN_CONTACTFULL,
  mjWARN_CNSTRFULL,
  mjWARN_VGEOMFULL,
  mjWARN_BADQPOS,
  mjWARN_BADQVEL,
  mjWARN_BADQACC,
  mjWARN_BADCTRL,

  mjNWARNING
} mjtWarning;

typedef enum mjtTimer_ {
  mjTIMER_STEP        = 0,
  mjTIMER_FORWARD,
  mjTIMER_INVERSE,

  mjTIMER_POSITION,
  mjTIMER_VELOCITY,
  mjTIMER_ACTUATION,
  mjTIMER_CONSTRAINT,
  mjTIMER_ADVANCE,

  mjTIMER_POS_KINEMATICS,
  mjTIMER_POS_INERTIA,
  mjTIMER_POS_COLLISION,
  mjTIMER_POS_MAKE,
  mjTIMER_POS_PROJECT,

  mjTIMER_COL_BROAD,
  mjTIMER_COL_NARROW,

  mjNTIMER
} mjtTimer;

struct mjContact_ {
  mjtNum  dist;
  mjtNum  pos[3];
  mjtNum  frame[9];

  mjtNum  includemargin;
  mjtNum  friction[5];
  mjtNum  solref[mjNREF];
  mjtNum  solreffriction[mjNREF];
  mjtNum  solimp[mjNIMP];

  mjtNum  mu;
  mjtNum  H[36];

  int     dim;
  int     geom1;
  int     geom2;
  int     geom[2];
  int     flex[2];
  int     elem[2];
  int     vert[2];

  int     exclude;

  int     efc_address;
};
typedef struct mjContact_ mjContact;

struct mjWarningStat_ {
  int     lastinfo;
  int     number;
};
typedef struct mjWarningStat_ mjWarningStat;

struct mjTimerStat_ {
  mjtNum  duration;
  int     number;
};
typedef struct mjTimerStat_ mjTimerStat;

struct mjSolverStat_ {
  mjtNum  improvement;
  mjtNum  gradient;
  mjtNum  lineslope;
  int     nactive;
  int     nchange;
  int     neval;
  int     nupdate;
};
typedef struct mjSolverStat_ mjSolverStat;

struct mjData_ {
  size_t  narena;
  size_t  nbuffer;
  int     nplugin;

  size_t  pstack;
  size_t  pbase;

  size_t  parena;

  size_t  maxuse_stack;
  size_t  maxuse_threadstack[mjMAXTHREAD];
  size_t  maxuse_arena;
  int     maxuse_con;
  int     maxuse_efc;

  mjSolverStat  solver[mjNISLAND*mjNSOLVER];
  int           solver_niter[mjNISLAND];
  int           solver_nnz[mjNISLAND];
  mjtNum        solver_fwdinv[2];

  mjWarningStat warning[mjNWARNING];
  mjTimerStat   timer[mjNTIMER];

  int     ncon;
  int     ne;
  int     nf;
  int     nl;
  int     nefc;
  int     nJ;
  int     nA;
  int     nisland;
  int     nidof;

  mjtNum  time;
  mjtNum  energy[2];

  void*   buffer;  // (nbuffer bytes)
  void*   arena;  // (narena bytes)

  mjtNum* qpos;  // (nq x 1)
  mjtNum* qvel;  // (nv x 1)
  mjtNum* act;  // (na x 1)
  mjtNum* qacc_warmstart;  // (nv x 1)
  mjtNum* plugin_state;  // (npluginstate x 1)

  mjtNum* ctrl;  // (nu x 1)
  mjtNum* qfrc_applied;  // (nv x 1)
  mjtNum* xfrc_applied;  // (nbody x 6)
  mjtByte* eq_active;  // (neq x 1)

  mjtNum* mocap_pos;  // (nmocap x 3)
  mjtNum* mocap_quat;  // (nmocap x 4)

  mjtNum* qacc;  // (nv x 1)
  mjtNum* act_dot;  // (na x 1)

  mjtNum* userdata;  // (nuserdata x 1)

  mjtNum* sensordata;  // (nsensordata x 1)

  int*       plugin;  // (nplugin x 1)
  uintptr_t* plugin_data;  // (nplugin x 1)

  mjtNum* xpos;  // (nbody x 3)
  mjtNum* xquat;  // (nbody x 4)
  mjtNum* xmat;  // (nbody x 9)
  mjtNum* xipos;  // (nbody x 3)
  mjtNum* ximat;  // (nbody x 9)
  mjtNum* xanchor;  // (njnt x 3)
  mjtNum* xaxis;  // (njnt x 3)
  mjtNum* geom_xpos;  // (ngeom x 3)
  mjtNum* geom_xmat;  // (ngeom x 9)
  mjtNum* site_xpos;  // (nsite x 3)
  mjtNum* site_xmat;  // (nsite x 9)
  mjtNum* cam_xpos;  // (ncam x 3)
  mjtNum* cam_xmat;  // (ncam x 9)
  mjtNum* light_xpos;  // (nlight x 3)
  mjtNum* light_xdir;  // (nlight x 3)

  mjtNum* subtree_com;  // (nbody x 3)
  mjtNum* cdof;  // (nv x 6)
  mjtNum* cinert;  // (nbody x 10)

  mjtNum* flexvert_xpos;  // (nflexvert x 3)
  mjtNum* flexelem_aabb;  // (nflexelem x 6)
  int*    flexedge_J_rownnz;  // (nflexedge x 1)
  int*    flexedge_J_rowadr;  // (nflexedge x 1)
  int*    flexedge_J_colind;  // (nflexedge x nv)
  mjtNum* flexedge_J;  // (nflexedge x nv)
  mjtNum* flexedge_length;  // (nflexedge x 1)

  int*    ten_wrapadr;  // (ntendon x 1)
  int*    ten_wrapnum;  // (ntendon x 1)
  int*    ten_J_rownnz;  // (ntendon x 1)
  int*    ten_J_rowadr;  // (ntendon x 1)
  int*    ten_J_colind;  // (ntendon x nv)
  mjtNum* ten_J;  // (ntendon x nv)
  mjtNum* ten_length;  // (ntendon x 1)
  int*    wrap_obj;  // (nwrap x 2)
  mjtNum* wrap_xpos;  // (nwrap x 6)

  mjtNum* actuator_length;  // (nu x 1)
  int*    moment_rownnz;  // (nu x 1)
  int*    moment_rowadr;  // (nu x 1)
  int*    moment_colind;  // (nJmom x 1)
  mjtNum* actuator_moment;  // (nJmom x 1)

  mjtNum* crb;  // (nbody x 10)
  mjtNum* qM;  // (nM x 1)
  mjtNum* M;  // (nC x 1)

  mjtNum* qLD;  // (nC x 1)
  mjtNum* qLDiagInv;  // (nv x 1)

  mjtNum*  bvh_aabb_dyn;  // (nbvhdynamic x 6)
  mjtByte* bvh_active;  // (nbvh x 1)

  mjtNum* flexedge_velocity;  // (nflexedge x 1)
  mjtNum* ten_velocity;  // (ntendon x 1)
  mjtNum* actuator_velocity;  // (nu x 1)

  mjtNum* cvel;  // (nbody x 6)
  mjtNum* cdof_dot;  // (nv x 6)

  mjtNum* qfrc_bias;  // (nv x 1)

  mjtNum* qfrc_spring;  // (nv x 1)
  mjtNum* qfrc_damper;  // (nv x 1)
  mjtNum* qfrc_gravcomp;  // (nv x 1)
  mjtNum* qfrc_fluid;  // (nv x 1)
  mjtNum* qfrc_passive;  // (nv x 1)

  mjtNum* subtree_linvel;  // (nbody x 3)
  mjtNum* subtree_angmom;  // (nbody x 3)

  mjtNum* qH;  // (nC x 1)
  mjtNum* qHDiagInv;  // (nv x 1)

  int*    B_rownnz;  // (nbody x 1)
  int*    B_rowadr;  // (nbody x 1)
  int*    B_colind;  // (nB x 1)
  int*    M_rownnz;  // (nv x 1)
  int*    M_rowadr;  // (nv x 1)
  int*    M_colind;  // (nC x 1)
  int*    mapM2M;  // (nC x 1)
  int*    D_rownnz;  // (nv x 1)
  int*    D_rowadr;  // (nv x 1)
  int*    D_diag;  // (nv x 1)
  int*    D_colind;  // (nD x 1)
  int*    mapM2D;  // (nD x 1)
  int*    mapD2M;  // (nM x 1)

  mjtNum* qDeriv;  // (nD x 1)

  mjtNum* qLU;  // (nD x 1)

  mjtNum* actuator_force;  // (nu x 1)
  mjtNum* qfrc_actuator;  // (nv x 1)

  mjtNum* qfrc_smooth;  // (nv x 1)
  mjtNum* qacc_smooth;  // (nv x 1)

  mjtNum* qfrc_constraint;  // (nv x 1)

  mjtNum* qfrc_inverse;  // (nv x 1)

  mjtNum* cacc;  // (nbody x 6)
  mjtNum* cfrc_int;  // (nbody x 6)
  mjtNum* cfrc_ext;  // (nbody x 6)

  mjContact* contact;  // (ncon x 1)

  int*    efc_type;  // (nefc x 1)
  int*    efc_id;  // (nefc x 1)
  int*    efc_J_rownnz;  // (nefc x 1)
  int*    efc_J_rowadr;  // (nefc x 1)
  int*    efc_J_rowsuper;  // (nefc x 1)
  int*    efc_J_colind;  // (nJ x 1)
  int*    efc_JT_rownnz;  // (nv x 1)
  int*    efc_JT_rowadr;  // (nv x 1)
  int*    efc_JT_rowsuper;  // (nv x 1)
  int*    efc_JT_colind;  // (nJ x 1)
  mjtNum* efc_J;  // (nJ x 1)
  mjtNum* efc_JT;  // (nJ x 1)
  mjtNum* efc_pos;  // (nefc x 1)
  mjtNum* efc_margin;  // (nefc x 1)
  mjtNum* efc_frictionloss;  // (nefc x 1)
  mjtNum* efc_diagApprox;  // (nefc x 1)
  mjtNum* efc_KBIP;  // (nefc x 4)
  mjtNum* efc_D;  // (nefc x 1)
  mjtNum* efc_R;  // (nefc x 1)
  int*    tendon_efcadr;  // (ntendon x 1)

  int*    dof_island;  // (nv x 1)
  int*    island_nv;  // (nisland x 1)
  int*    island_idofadr;  // (nisland x 1)
  int*    island_dofadr;  // (nisland x 1)
  int*    map_dof2idof;  // (nv x 1)
  int*    map_idof2dof;  // (nv x 1)

  mjtNum* ifrc_smooth;  // (nidof x 1)
  mjtNum* iacc_smooth;  // (nidof x 1)
  int*    iM_rownnz;  // (nidof x 1)
  int*    iM_rowadr;  // (nidof x 1)
  int*    iM_colind;  // (nC x 1)
  mjtNum* iM;  // (nC x 1)
  mjtNum* iLD;  // (nC x 1)
  mjtNum* iLDiagInv;  // (nidof x 1)
  mjtNum* iacc;  // (nidof x 1)

  int*    efc_island;  // (nefc x 1)
  int*    island_ne;  // (nisland x 1)
  int*    island_nf;  // (nisland x 1)
  int*    island_nefc;  // (nisland x 1)
  int*    island_iefcadr;  // (nisland x 1)
  int*    map_efc2iefc;  // (nefc x 1)
  int*    map_iefc2efc;  // (nefc x 1)

  int*    iefc_type;  // (nefc x 1)
  int*    iefc_id;  // (nefc x 1)
  int*    iefc_J_rownnz;  // (nefc x 1)
  int*    iefc_J_rowadr;  // (nefc x 1)
  int*    iefc_J_rowsuper;  // (nefc x 1)
  int*    iefc_J_colind;  // (nJ x 1)
  int*    iefc_JT_rownnz;  // (nidof x 1)
  int*    iefc_JT_rowadr;  // (nidof x 1)
  int*    iefc_JT_rowsuper;  // (nidof x 1)
  int*    iefc_JT_colind;  // (nJ x 1)
  mjtNum* iefc_J;  // (nJ x 1)
  mjtNum* iefc_JT;  // (nJ x 1)
  mjtNum* iefc_frictionloss;  // (nefc x 1)
  mjtNum* iefc_D;  // (nefc x 1)
  mjtNum* iefc_R;  // (nefc x 1)

  int*    efc_AR_rownnz;  // (nefc x 1)
  int*    efc_AR_rowadr;  // (nefc x 1)
  int*    efc_AR_colind;  // (nA x 1)
  mjtNum* efc_AR;  // (nA x 1)

  mjtNum* efc_vel;  // (nefc x 1)
  mjtNum* efc_aref;  // (nefc x 1)

  mjtNum* efc_b;  // (nefc x 1)
  mjtNum* iefc_aref;  // (nefc x 1)
  int*    iefc_state;  // (nefc x 1)
  mjtNum* iefc_force;  // (nefc x 1)
  int*    efc_state;  // (nefc x 1)
  mjtNum* efc_force;  // (nefc x 1)
  mjtNum* ifrc_constraint;  // (nidof x 1)

  uintptr_t threadpool;

  uint64_t  signature;
};
typedef struct mjData_ mjData;

typedef void (*mjfGeneric)(const mjModel* m, mjData* d);

typedef int (*mjfConFilt)(const mjModel* m, mjData* d, int geom1, int geom2);

typedef void (*mjfSensor)(const mjModel* m, mjData* d, int stage);

typedef mjtNum (*mjfTime)(void);

typedef mjtNum (*mjfAct)(const mjModel* m, const mjData* d, int id);

typedef int (*mjfCollision)(const mjModel* m, const mjData* d,
                            mjContact* con, int g1, int g2, mjtNum margin);

#endif
