// Hard contact: solvers of the dual problem, chosen by name.
//
//   v = (D + R) f + v_free      impulses f in K, velocities v in the dual cone of K
//
// A model steps softly, as documented, until a solver is chosen: in MJCF by
//   <custom><text name="sinew:solver" data="admm-ncp"/></custom>
// or by the functions below. docs/solvers.md says which solver when, and what every setting does.
#ifndef SINEW_SOLVER_H_
#define SINEW_SOLVER_H_

#include <mujoco/mujoco.h>

#ifdef __cplusplus
extern "C" {
#endif

// Which problem is solved: with the De Saxce correction, so that friction dissipates most and a
// sliding contact stays closed (NCP), or its convex relaxation (CCP).
typedef enum snForm_ {
  snFORM_DEFAULT = 0,  // the solver's own
  snFORM_NCP,          // Coulomb's law
  snFORM_CCP           // its convex relaxation
} snForm;

// How ADMM chooses its penalty.
typedef enum snPenalty_ {
  snPENALTY_DEFAULT = 0,  // the solver's own
  snPENALTY_FIXED,        // it stays where it starts
  snPENALTY_LINEAR,       // times or over rho_factor when residuals differ by rho_ratio
  snPENALTY_SPECTRAL      // by a power of the condition number
} snPenalty;

// Where a solve starts.
typedef enum snWarmStart_ {
  snWARM_ZERO = 0,  // no impulse
  snWARM_PREVIOUS,  // the impulses of the step before, when there are as many rows
  snWARM_STATE      // the impulses that explain qacc_warmstart best, whatever the rows are
} snWarmStart;

// What contacts with restitution e do. None but Newton's law can gain energy.
typedef enum snImpactLaw_ {
  snIMPACT_NEWTON = 0,  // normal velocities turn round times e, all at once, timed within the step
  snIMPACT_POISSON,     // e times the impulse of compression is given back
  snIMPACT_ENERGETIC,   // e^2 times the work of compression is given back (Stronge)
  snIMPACT_SEQUENTIAL   // one contact after the other, the fastest first
} snImpactLaw;

// How errors of position are taken back.
typedef enum snStabilize_ {
  snSTABILIZE_POSITION = 0,  // by moving positions: no velocity is gained
  snSTABILIZE_VELOCITY       // by a velocity in v_free (Baumgarte)
} snStabilize;

// What a solver is told; docs/solvers.md has defaults.
typedef struct snSolverSettings_ {
  int iterations;        // at most so many in a step
  int form;              // which problem is solved (snForm)
  int penalty;           // how ADMM chooses its penalty (snPenalty)
  int warmstart;         // where a solve starts (snWarmStart)
  int stabilize;         // how errors of position are taken back (snStabilize)
  int soften;            // rows as soft as solref and solimp say (section V-D), not hard
  int polish;            // ADMM: the last digits by Newton's method
  mjtNum tol_primal;     // largest distance of an impulse from its set (N s)
  mjtNum tol_dual;       // largest distance of a velocity from its dual cone (m/s)
  mjtNum aim;            // ADMM polished: share of the tolerances that Newton's method aims at
  mjtNum tol_compl;      // largest |f'v| of a block; 0: not used
  mjtNum tol_iterate;    // change of f in one iteration; 0: not used
  mjtNum tol_objective;  // scaled change of the objective in one iteration; 0: not used
  mjtNum omega;          // over-relaxation
  mjtNum omega_min;      // what it decays to
  mjtNum omega_decay;    // factor per iteration
  mjtNum eta;            // proximal regularizer of ADMM
  mjtNum rho;            // ADMM: penalty, or where its adaptation starts
  mjtNum rho_ratio;      // ADMM: primal over dual residual that makes it change
  mjtNum rho_factor;     // ADMM linear: by how much
  mjtNum rho_power;      // ADMM spectral: exponent of the condition number per change
  mjtNum barrier;        // interior point: kappa, weight of the logarithms
  mjtNum epsilon;        // 2014 form and interior point: R = epsilon diag(D)
  mjtNum kappa;          // 2014 form: time constant of the error (s)
  mjtNum erp_joint;      // share of an equality's error removed per step
  mjtNum erp_limit;      // share of a limit's error removed per step
  mjtNum erp_contact;    // share of a contact's penetration removed per step
  mjtNum slop;           // penetration left alone, so that a resting contact stays one (m)
  int impact;            // snImpactLaw: what contacts with restitution do
  int critical;          // gpgs, barrier: exact critical damping in place of the diagonal one
  // Where Sinew departs from the publications, each 1 unless the name ends in -published:
  int scale_rows;    // ADMM, implicit: rows scaled to a mean diagonal of 1
  int exact_joints;  // ADMM: no penalty on equalities, which are then exact in every iteration
  int shift_blocks;  // sweeps: a small shift of diagonal blocks, so that singular ones are solved
  int safe_steps;    // pgs-ncp, pgs-ccp: steps no longer than what may converge
  int leave_edges;   // implicit: sweeps where its least squares stand at an edge
  int drop_rows;     // all: rows that nothing can move are left out
  int keep_best;     // the iterate of the least natural map is returned, not the last
  int by_natural;    // the natural map says when to stop, not primal, dual and complementarity
  int settle;        // ADMM: a penalty rests for ten iterations, z starts as v + s and not as v
} snSolverSettings;

// What a solve reached. Residuals are largest absolute values over all rows or blocks.
typedef struct snSolverReport_ {
  int iterations;        // of the last step, the most of all islands
  int converged;         // all tolerances met, but for r_conflict
  int finite;            // 0: the problem holds numbers that are not finite; f is 0
  int factorizations;    // of D + sigma I
  mjtNum r_primal;       // distance of f from K (N s)
  mjtNum r_dual;         // distance of v + s from the dual cone (m/s)
  mjtNum r_compl;        // |f'(v + s)| per block (J)
  mjtNum r_iterate;      // last change of f
  mjtNum r_objective;    // last change of the objective
  mjtNum r_natural;      // natural map |f - P(f - (v + s))|, in the form solved
  mjtNum r_ncp_dual;     // r_dual in the NCP form, whatever was solved
  mjtNum r_ncp_compl;    // r_compl in the NCP form
  mjtNum r_ncp_natural;  // r_natural in the NCP form
  mjtNum r_pen;          // error of positions: joints, limits, contacts (m or rad)
  mjtNum rho;            // ADMM: last penalty
  mjtNum newton;         // implicit: share of iterations that took the whole Newton step
  mjtNum objective;      // 1/2 f'(D + R) f + f'v_free
  // Velocity of equalities that no impulse can remove, since they repeat each other and ask for
  // different things; 0 where there is none, and in solvers that do not look for it.
  mjtNum r_conflict;
  // Of solvers that can be inverted (gpgs, barrier): impulses that the inverse finds from the
  // velocity against those that made it, the largest difference (N s). `converged` asks for 1e-6 of
  // the largest impulse, or of 1 N s where that is less.
  mjtNum r_inverse;
  // Of all steps since the solver was chosen or the counts were cleared (sn_clearCounts).
  int steps;
  int unconverged;    // how many of them did not meet their tolerances
  mjtNum worst;       // largest natural map among those
  mjtNum worst_time;  // and the time of that step (s)
} snSolverReport;

// Names of the solvers in their order, NULL behind the last.
MJAPI const char* sn_solverName(int i);

// Settings a solver starts from. 0 when there is no such solver.
MJAPI int sn_solverDefaults(const char* name, snSolverSettings* settings);

// Step with this solver from now on: the name of a solver, or "soft" for the documented soft
// constraints, or NULL for what the model says. Returns 0 and raises mju_error, which names the
// solvers there are, when the name is unknown. The settings become the solver's defaults.
MJAPI int sn_setSolver(const mjModel* m, mjData* d, const char* name);

// The same for every data of a model that makes no choice of its own; before its data step, since
// threads share it. mj_copyModel does not copy the choice.
MJAPI int sn_setModelSolver(mjModel* m, const char* name);

// Name of the solver that steps d, "soft" when there is none.
MJAPI const char* sn_getSolver(const mjModel* m, const mjData* d);

// The settings d steps with. Reading gives 0 when the model steps softly; writing needs a solver.
MJAPI int sn_getSettings(const mjModel* m, const mjData* d, snSolverSettings* settings);
MJAPI int sn_setSettings(const mjModel* m, mjData* d, const snSolverSettings* settings);

// One setting by the name of its member; names of settings and of the report's numbers in their
// order, NULL behind the last. An unknown name or a value out of range raises mju_error, which says
// what there is, and returns 0.
MJAPI int sn_setSetting(const mjModel* m, mjData* d, const char* name, mjtNum value);
MJAPI const char* sn_settingName(int i);
MJAPI mjtNum sn_settingValue(const snSolverSettings* settings, int i);
MJAPI const char* sn_reportName(int i);
MJAPI mjtNum sn_reportValue(const snSolverReport* report, int i);

// The impact law by name: newton, poisson, energetic, sequential. Needs a solver; an unknown name
// raises mju_error and returns 0. sn_getImpact: the law of d, NULL when it steps softly;
// sn_impactName: names by number, NULL behind the last.
MJAPI int sn_setImpact(const mjModel* m, mjData* d, const char* name);
MJAPI const char* sn_getImpact(const mjModel* m, const mjData* d);
MJAPI const char* sn_impactName(int i);

// Restitution of a geom (0 to 1) for d, over what the model says; a contact takes the larger of its
// two. Soft contact has it too (docs/holding.md).
MJAPI void sn_setRestitution(const mjModel* m, mjData* d, int geom, mjtNum restitution);
MJAPI mjtNum sn_getRestitution(const mjModel* m, const mjData* d, int geom);

// The report of the last step. 0 when it was soft. The first step that does not meet its tolerances
// raises mju_warning as well.
MJAPI int sn_getReport(const mjModel* m, const mjData* d, snSolverReport* report);
MJAPI void sn_clearCounts(const mjModel* m, mjData* d);

#ifdef __cplusplus
}
#endif

#endif
