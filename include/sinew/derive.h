// Derivatives of the step: analytic, through soft contact, at the cost of a few steps.
//
//   x = (dq, dv, act), the state in tangent space; u = ctrl
//   dx' = A dx + B du,   dy = C dx + D du      (layout of mjd_transitionFD)
//
// The constraint force is the solution of a convex problem, so its derivative follows from the
// implicit function theorem: with tau(q, v, a) the force of inverse dynamics and H its derivative
// by a, da = -inv(H) dtau. docs/derive.md says how, what is exact and what is differenced.
#ifndef SINEW_DERIVE_H_
#define SINEW_DERIVE_H_

#include <mujoco/mujoco.h>

#ifdef __cplusplus
extern "C" {
#endif

// How the derivative of one part is found.
typedef enum snHow_ {
  snHOW_EXACT = 0,    // in closed form
  snHOW_DIFFERENCED,  // by centred differences of that part alone, or of the whole step
  snHOW_UNSUPPORTED,  // not at all: a call that meets it fails and says so
  snNHOW
} snHow;

// What can change abruptly when the state moves.
typedef enum snSwitch_ {
  snSWITCH_NONE = 0,  // nothing
  snSWITCH_ROW,       // a constraint row becomes active or inactive, or its cone changes zone
  snSWITCH_CONTACT,   // a contact enters or leaves its margin, vanishes or jumps
  snSWITCH_MUSCLE,    // a muscle's activation turns from rising to falling
  snNSWITCH
} snSwitch;

enum { snNREPORT = 512 };

// How a derivative was found, and how far it can be trusted.
typedef struct snDeriveReport_ {
  int ok;            // 0: nothing was written, `unsupported` says why
  int whole;         // 1: the whole call was made by centred differences of the step
  mjtNum residual;   // |M a + c - tau - J'f| over |M a| + |c| + |J'f|: how far the solver is
                     // from the solution that was differentiated
  mjtNum nearest;    // how far the nearest switch is, in the units of its row; infinite when
                     // there is none
  int nearest_kind;  // snSwitch
  int nearest_id;    // row, contact or actuator
  int raised;        // pivots of H that had to be raised: directions without inertia
  char differenced[snNREPORT];  // what was differenced, "; " between the names; empty when nothing
  char unsupported[snNREPORT];  // the same for what there is no derivative of
  char noted[snNREPORT];        // what makes the derivative less than exact: steps that did not
                                // converge, noslip
} snDeriveReport;

// Derivatives of one step from the present state: A (2nv+na x 2nv+na), B (2nv+na x nu),
// C (nsensordata x 2nv+na), D (nsensordata x nu), row-major; each may be NULL, and so may the
// report. The state stays where it is; everything that mj_forward computes is computed for it.
// Returns 1, or 0 with an error when something is unsupported.
MJAPI int sn_transition(const mjModel* m, mjData* d, mjtNum* A, mjtNum* B, mjtNum* C, mjtNum* D,
                        snDeriveReport* report);

// Derivatives of qacc = forward dynamics by q, v (nv x nv), act (nv x na), ctrl (nv x nu) and
// qfrc_applied (nv x nv), row-major: row i is of qacc[i]. Each may be NULL.
MJAPI int sn_forwardDerivative(const mjModel* m, mjData* d, mjtNum* DaDq, mjtNum* DaDv,
                               mjtNum* DaDact, mjtNum* DaDctrl, mjtNum* DaDf,
                               snDeriveReport* report);

// Derivatives of qfrc_inverse at (qpos, qvel, qacc) in the layout of mjd_inverseFD: nv x nv, row j
// is by coordinate j; DmDq is nv x nM, of qM. Each may be NULL. Continuous accelerations only.
MJAPI int sn_inverseDerivative(const mjModel* m, mjData* d, mjtByte flg_actuation, mjtNum* DfDq,
                               mjtNum* DfDv, mjtNum* DfDa, mjtNum* DmDq, snDeriveReport* report);

// Forward mode: dx' = A dx + B du for one direction. dx and dxnext have 2nv+na numbers, du has nu
// and may be NULL.
MJAPI int sn_jvp(const mjModel* m, mjData* d, const mjtNum* dx, const mjtNum* du, mjtNum* dxnext,
                 snDeriveReport* report);

// Reverse mode: gx = A' gnext, gu = B' gnext. gu may be NULL.
MJAPI int sn_vjp(const mjModel* m, mjData* d, const mjtNum* gnext, mjtNum* gx, mjtNum* gu,
                 snDeriveReport* report);

// Reverse mode over a trajectory. From the present state, nstep steps with the controls of each
// (nstep x nu); gnext holds the cotangents of the states that the steps reach (nstep x 2nv+na). gx
// gets the gradient by the first state, gctrl (nstep x nu) by the controls; both may be NULL.
// States are kept at about sqrt(nstep) checkpoints and stepped again from there, to the same bits.
// The state of d stays where it is. The report is the worst of all steps.
MJAPI int sn_rolloutVjp(const mjModel* m, mjData* d, int nstep, const mjtNum* ctrl,
                        const mjtNum* gnext, mjtNum* gx, mjtNum* gctrl, snDeriveReport* report);

// One number of a model.
typedef struct snParameter_ {
  char field[64];  // name of the array or of the option ("opt.timestep", "opt.gravity")
  size_t index;    // of the number in it
} snParameter;

// The k-th number of `object` in an array of the model: sn_parameter(m, "body_mass", "torso", 0,
// &p). Options have no object (NULL). 0 and an error that says what there is when it does not
// exist.
MJAPI int sn_parameter(const mjModel* m, const char* field, const char* object, int k,
                       snParameter* parameter);

// Derivative of the next state by n parameters: DxDp (2nv+na x n), row-major. The field alone
// moves, or with `constants` also what mj_setConst makes of it (inverse weights, which soften
// rows). dqacc = -inv(H) dtau, with dtau by centred differences of inverse dynamics.
MJAPI int sn_transitionBy(const mjModel* m, mjData* d, const snParameter* parameter, int n,
                          int constants, mjtNum* DxDp, snDeriveReport* report);

// The same by changes of many numbers at once, made by the caller: column i is by a factor that
// leads from model low[i] to high[i] in `width[i]`, with m half way between. All have the structure
// of m and its time step; `work` is a data of theirs. For the same changes at many states.
MJAPI int sn_transitionOver(const mjModel* m, mjData* d, const mjModel* const* low,
                            const mjModel* const* high, const mjtNum* width, int n, mjData* work,
                            mjtNum* DxDp, snDeriveReport* report);

// The same in reverse: gp[i] = gnext' dx'/dp_i.
MJAPI int sn_vjpBy(const mjModel* m, mjData* d, const snParameter* parameter, int n, int constants,
                   const mjtNum* gnext, mjtNum* gp, snDeriveReport* report);

// Derivatives of the next state by what acts from outside: DxDf by qfrc_applied (2nv+na x nv), DxDw
// by xfrc_applied (2nv+na x 6 nbody), DxDm by mocap poses (2nv+na x 6 nmocap: three translations
// along the axes of the world, three turns about those of the body). Each may be NULL.
MJAPI int sn_transitionInput(const mjModel* m, mjData* d, mjtNum* DxDf, mjtNum* DxDw, mjtNum* DxDm,
                             snDeriveReport* report);

// The same in reverse: gf (nv), gw (6 nbody), gm (6 nmocap). Each may be NULL.
MJAPI int sn_vjpInput(const mjModel* m, mjData* d, const mjtNum* gnext, mjtNum* gf, mjtNum* gw,
                      mjtNum* gm, snDeriveReport* report);

// How a part is found: the names of the enumerations are "joint", "integrator", "solver", "cone",
// "equality", "row", "transmission", "gain", "bias", "dynamics", "sensor", "wrap"; the number is a
// value of the documented enumeration. "condim" has the number of directions, "hard solver" the
// place in sn_solverName, "coordinates" 0 minimal and 1 maximal. -1 for an unknown name or number.
MJAPI int sn_deriveHow(const char* part, int value);

// The same for a contact of two geom types, in either order.
MJAPI int sn_derivePair(int type1, int type2);

#ifdef __cplusplus
}
#endif

#endif
