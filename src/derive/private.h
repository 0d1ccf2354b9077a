// The tangent: derivatives of inverse dynamics at one state, while they are put together.
//
// Everything is found as the derivative of the residual
//
//   tau(q, v, a, act, ctrl) = M a + c - passive - actuator - applied - J'f(J a - aref)
//
// at the a of forward dynamics, where tau = 0: then da = -inv(H) dtau with H = dtau/da = M + J'WJ.
// A column is a coordinate that moves: dof j moves every body behind it by the twist cdof_j.
//
//   smooth.c      M a + c, and loads that ride along with bodies
//   load.c        applied wrenches, gravity compensation, fluid, springs
//   scalar.c      forces along one scalar function of q: tendons, joint limits, friction loss
//   tendon.c      second derivatives of tendon lengths
//   actuation.c   actuators and activations
//   rows.c        constraint rows but for contacts
//   contact.c     contacts
//   parts.c       which dofs and inputs meet: tau and H are kept in blocks
//   system.c      H, its factor, many right-hand sides
//   advance.c     integrators: A and B;  rk4.c  the four stages of RK4
//   changed.c     columns by differences of the residual alone: parameter.c, input.c
//   sense.c       sensors: C and D; sense_frame.c, sense_scalar.c, sense_force.c
//   differences.c parts that are differenced, and the whole step
//   implicit.c    hard contact and maximal coordinates, by the problems that a step solves
//   report.c      what was done how
#ifndef SINEW_DERIVE_PRIVATE_H_
#define SINEW_DERIVE_PRIVATE_H_

#include <sinew/derive.h>
#include <stdio.h>

#include "base/assert.h"
#include "constrain/constrain.h"
#include "data/frame.h"
#include "smooth/smooth.h"

// Motions of bodies and dofs at velocities v and accelerations a, about the com of their tree. A
// group is the dofs of one joint that turn or slide together: the axes of a ball, the translations
// of a free joint, a hinge.
typedef struct snMotions_ {
  double *vel, *acc;  // of bodies (nbody x 6): sum of cdof v, and the spatial acceleration
  double* turn;       // w_j = velocity before the group of j x cdof_j (nv x 6)
  double* lift;       // p_j = acceleration before x cdof_j - w_j x velocity before
  double* rate;       // g_j = (velocity before + behind) x cdof_j
  bool still;         // without velocities: acc and lift are all there is
} snMotions;

// Parts: trees that nothing couples (rows, contacts, tendons, actuators) have zeros between them. A
// part has its dofs and its inputs (activations, then controls), in ascending order; its block of
// tau has a row for each dof and the columns q, v, inputs, its block of H rows and columns of dofs.
typedef struct snBlocks_ {
  int n;
  int* of;           // part of a dof (nv)
  int *adr, *dof;    // dofs of part p: dof[adr[p]] .. dof[adr[p + 1] - 1]
  int *in_adr, *in;  // the same of inputs: numbers of activations, and na + numbers of controls
  int *stride, *hstride;  // of the rows of a part, in whole lanes
  size_t *row, *hrow;     // where the row of a dof begins in tau and in H (nv)
  int *q, *v;             // columns of a dof in its part (nv)
  int* input;             // column of an input in its part, -1 when it moves no dof (na + nu)
  size_t size, hsize;     // numbers in tau and H
} snBlocks;

typedef struct snTangent_ {
  const mjModel* m;
  mjData* d;
  const snPlan* plan;
  snDeriveReport* report;
  int nv, na, nu, ncol;     // columns of tau: q, v, act, ctrl
  snBlocks parts;           // one part, but for the calls that ask for blocks
  int stride;               // of the rows of tau with one part: ncol in whole lanes
  int hstride;              // of the rows of H with one part
  bool inverse;             // of mj_inverse, which knows no applied force; `actuated` when it knows
  bool actuated;            // actuators
  int* group;               // first dof of the group of a dof: j carries i from there on (nv)
  const double* qacc;       // at which inertia and bias are taken: of forward dynamics, or a' of
                            // the integrator where no row pushes
  snMotions motion;         // at qvel and qacc, gravity included
  double* free_acc;         // of bodies, sum of cdof qacc (nbody x 6)
  double* free_turn;        // (sum of cdof qacc before the group) x cdof_j (nv x 6)
  double* load;             // wrenches that ride along with bodies (nbody x 6)
  double* steady;           // 6 x 3 per body: how loads fall behind a turn, NULL without
  double* drag;             // 6 x 6 per body: slope of fluid forces, NULL without
  double* jar;              // J a - aref (nefc)
  double* force;            // f (nefc)
  int* state;               // of rows (nefc)
  const double* warmstart;  // of the forward dynamics that were differentiated
  double* tau;              // (nv x stride)
  double* H;                // (nv x hstride), its factor behind tangent_factor
  double* dinv;             // (nv)
  int* first;               // (nv)
} snTangent;

SN_INLINE double* tau_row(const snTangent* t, int dof) { return t->tau + t->parts.row[dof]; }
SN_INLINE double* hessian_row(const snTangent* t, int dof) { return t->H + t->parts.hrow[dof]; }

// The warm start as it is, on the stack; NULL without memory.
static inline mjtNum* warmstart_keep(const mjModel* m, mjData* d) {
  mjtNum* kept;
  if (FRAME(memory_of(d), SN_ARRAY(kept, m->nv))) mju_copy(kept, d->qacc_warmstart, m->nv);
  return kept;
}

// ---- report.c
void report_clear(snDeriveReport* r);
// The report that the caller asked for, cleared, or one of the callee's own. What only a report
// says is not found for the latter.
snDeriveReport* report_begin(snDeriveReport* asked, snDeriveReport* own);
bool report_asked(const snDeriveReport* r);
void report_differenced(snDeriveReport* r, const char* name);
void report_unsupported(snDeriveReport* r, const char* name);
void report_note(snDeriveReport* r, const char* name);
// What keeps the analytic way from this model and data as a whole, or NULL.
const char* report_obstacle(const mjModel* m, const mjData* d);
void report_switch(snDeriveReport* r, double far, int kind, int id);
void report_switches(snTangent* t);
// The worse of two reports, with the names of both.
void report_merge(snDeriveReport* to, const snDeriveReport* from);
// The end of a call: its result, and an error when there is none.
int report_finish(const char* function, snDeriveReport* r, bool there);

// ---- smooth.c
bool motions_reserve(const snTangent* t, snMotions* s);
void motions_make(const snTangent* t, snMotions* s, const double* qvel, const double* qacc,
                  bool gravity);
// to += derivative of M a + c by q, and by v where asked, at these motions; with the loads of the
// tangent when asked. `row`: where rows begin in `to`, that of tau or of H.
bool smooth_add(const snTangent* t, const snMotions* s, bool loads, bool velocities, double* to,
                const size_t* row);
// g += y'd(M x)/dq, in O(nv)
bool inertia_pull(const snTangent* t, const double* x, const double* y, double* g);
// Momentum and force of subtrees, about the com of their trees, at the motion of the tangent and
// without loads.
typedef struct snSubtreeSums_ snSubtreeSums;
const snSubtreeSums* subtrees_make(const snTangent* t);
const double* subtree_momentum(const snSubtreeSums* c, int body);
// Changes by the motion of dof j of the part of its subtree that begins at a body behind j: the
// momentum and the force, by q and by v.
typedef struct snSubtreeChange_ {
  double momentum_q[6], momentum_v[6], force_q[6], force_v[6];
} snSubtreeChange;
void subtree_change(const snTangent* t, const snSubtreeSums* c, int body, int j,
                    snSubtreeChange* r);

// Is a body in the subtree that begins at `top`?
SN_INLINE bool body_inside(const mjModel* m, int top, int body) {
  while (body > top) body = m->body_parentid[body];
  return body == top;
}
// The part of a subtree that dof j moves, by the body where it begins: all of it when j carries it,
// what is behind j when j is inside; -1 for nothing.
SN_INLINE int subtree_part(const mjModel* m, int top, int j) {
  int own = m->dof_bodyid[j];
  if (own != top && body_inside(m, top, own)) return own;
  return body_inside(m, own, top) ? top : -1;
}

// ---- load.c
bool load_make(snTangent* t);
void load_springs(snTangent* t);
void load_uncompensated(snTangent* t);

// ---- scalar.c: a force F(l, l', l'') along the gradient G of a scalar function l(q). n dofs,
// K[i n + j] = dG_i/dq_j, NULL when zero. `dl` is the true derivative of l where it is not G.
typedef struct snScalar_ {
  int n;
  const int* dof;
  const double *G, *K, *dl;
  double force, by_length, by_velocity, by_acceleration;
} snScalar;
void scalar_add(snTangent* t, const snScalar* s);

// ---- tendon.c
// Second derivative of the length of a tendon: its dofs, gradient and K (room for nv, nv, nv*nv);
// returns the number of dofs, or -1 where there is none, which is reported. *flat when K is zero.
int tendon_second(const snTangent* t, int tendon, int* dof, double* G, double* K, bool* flat);
bool tendon_passive_add(snTangent* t);

// ---- actuation.c
bool actuation_add(snTangent* t);
// Derivatives of the last activation of an actuator: of its rate and of its next value, by itself
// and by the control.
typedef struct snActivation_ {
  double rate_act, rate_ctrl, next_act, next_ctrl;
} snActivation;
void activation_slopes(const mjModel* m, const mjData* d, int actuator, snActivation* s);
// How far activations are from a switch, to the report.
void activation_switches(const snTangent* t);
// Slope of the control as the actuator sees it: 0 where it is clamped.
double control_slope(const mjModel* m, const mjData* d, int actuator);
// What the gain multiplies: the place of its activation (-1 without), and its slopes.
typedef struct snInput_ {
  int act;
  double by_act, by_ctrl;
} snInput;
void actuator_input(const mjModel* m, const mjData* d, int actuator, snInput* in);
// Is its transmission differenced? If not, its force as a scalar, with room for nv, nv, nv*nv.
bool actuator_differenced(const mjModel* m, int actuator);
bool actuator_scalar(const snTangent* t, int actuator, int* dof, double* G, double* K, snScalar* s);
// Are all actuators of a tendon together at its limit?
bool actuators_clamped(const mjModel* m, const mjData* d, int tendon);
// Are the actuators of a joint together at its limit?
bool joint_clamped(const snTangent* t, int joint);
// Force of an actuator at its limits: by length, velocity, and what the gain multiplies.
void actuator_slopes(const mjModel* m, const mjData* d, int actuator, double slope[3]);

// ---- rows.c, contact.c
bool constraints_add(snTangent* t);
// The force of a limit row as a scalar, with room for nv, nv, nv*nv.
bool limit_scalar(const snTangent* t, int row, int* dof, double* G, double* K, snScalar* s);
bool contacts_add(snTangent* t);
// All contacts of two bodies: dofs that move them, the wrench on the second body about `at` by q, v
// and a of each dof, and for each contact its normal force by them (n x 3, contact by contact).
typedef struct snPushed_ {
  const int* body;
  const double* at;
  int n, first, contacts;
  const int* dof;
  const double *by_q, *by_v, *by_a;  // (n x 6)
  const double* normal;              // (contacts x n x 3)
} snPushed;
typedef void (*snPush)(const snTangent* t, const snPushed* pushed, void* context);
bool contacts_each(snTangent* t, snPush push, void* context);

// dJ_i/dq_j of a point on a body whose columns are lin_i, with rotations rot_i: the outer of two
// dofs turns the column of the inner one.
SN_INLINE void point_second(double r[3], const int* group, int i, int j, const double* rot_i,
                            const double* lin_i, const double* rot_j, const double* lin_j) {
  if (i >= group[j]) {
    vec3_cross(r, rot_j, lin_i);
  } else {
    vec3_cross(r, rot_i, lin_j);
  }
}

// ---- parts.c
// Sets the parts of a tangent: one, or with `blocks` as many as there are.
bool parts_make(snTangent* t, bool blocks);
SN_INLINE int part_size(const snBlocks* p, int k) { return p->adr[k + 1] - p->adr[k]; }
// A row of one part's columns, as a row of A and B: x to the state's columns, u to the controls'.
void parts_spill(const snTangent* t, int part, const double* row, double* x, double* u);
SN_INLINE void row_spill(const snTangent* t, int part, const double* row, double* x, double* u) {
  int nx = 2 * t->nv + t->na;
  if (t->parts.n > 1) {
    parts_spill(t, part, row, x, u);
    return;
  }
  if (x) vec_copy(x, row, nx);
  if (u) vec_copy(u, row + nx, t->nu);
}
// Numbers by column of one part from vectors of the state and the controls, and added to them.
void parts_gather(const snTangent* t, int part, const double* x, const double* u, double* row);
void parts_scatter(const snTangent* t, int part, const double* row, double* x, double* u);

// ---- system.c
// `blocks`: tau and H by parts.
bool tangent_make(snTangent* t, const mjModel* m, mjData* d, bool blocks, snDeriveReport* report);
void tangent_factor(snTangent* t);
// X = inv(H) X for ncol columns at stride (whole lanes)
void tangent_solve(const snTangent* t, double* X, int ncol, int stride);
// L'DL of the lower triangle in place; returns the rank
int dense_factor(double* A, double* dinv, int* first, int n, int stride);
// M in both triangles, in the layout of H
void inertia_spread(const snTangent* t, double* H);
// X = inv(A) X for columns of tau's layout, or of one vector (nv), with A factored part by part
int blocks_factor(const snTangent* t, double* A, double* dinv, int* first);
void blocks_solve(const snTangent* t, const double* A, const double* dinv, const int* first,
                  double* X);
void blocks_solve_one(const snTangent* t, const double* A, const double* dinv, const int* first,
                      double* x, double* four);
void factor_solve_many(double* X, const double* L, const double* dinv, const int* first, int n,
                       int stride, int ncol, int xstride);
// Forces and states of rows at qacc. True when a row pushes, or a contact that is pulled.
bool tangent_rows(snTangent* t);
// All of tau at the present state, behind tangent_rows; with the rows when asked, which are added
// to H as well
bool tangent_fill(snTangent* t, bool rows);

// ---- advance.c, sense.c, differences.c
// After forward dynamics: dqacc by every column, in tau.
bool tangent_forward(snTangent* t, const mjModel* m, mjData* d, snDeriveReport* report);
// The same before the system is solved: dtau in tau, H factored.
bool tangent_unsolved(snTangent* t, const mjModel* m, mjData* d, snDeriveReport* report);
bool rk4_transition(const mjModel* m, mjData* d, const double* warmstart, snDeriveReport* report,
                    double* A, double* B, double* C, double* D);
// The step behind qacc: a' of the integrator, A^ and what changes besides dqacc (advance.c).
typedef struct snAdvance_ {
  bool plain;        // a' = qacc
  bool direct;       // no row pushes: tau is taken at a', and inv(A^) is all that is left
  bool implicit;     // A^ = M - h D, with the bias force in D when `bias`; else M + h damping
  bool bias, lanes;  // lanes: A^ is factored in A
  double* next;      // a' (nv)
  double* change;    // d(M x)/dq + h dD a' (nv x stride)
  double *A, *dinv;
  int* first;
  double* four;  // room for one solution (4 nv)
} snAdvance;
bool advance_make(snTangent* t, snAdvance* a);
bool advance_plain(const mjModel* m);
// x = inv(A^) x, one vector
void advance_solve(const snTangent* t, const snAdvance* a, double* x);
// After forward dynamics: dtau in tau, by parts, and what a step needs besides; H is factored
// unless the advance is direct. Without `inertia` its change lacks d(M x)/dq.
bool tangent_step(snTangent* t, snAdvance* a, const mjModel* m, mjData* d, bool inertia,
                  snDeriveReport* report);
// What the solver left, and the nearest switch, to the report.
bool tangent_check(snTangent* t);
// r = D x with D of qDeriv, as the integrator takes it.
void slope_mul(const mjData* d, int nv, bool bias, const double* x, double* r);
bool advance_apply(snTangent* t, const snAdvance* a, int part, double* da, double* change, int ncol,
                   int stride);

// ---- changed.c
typedef struct snChanged_ {
  const snTangent* t;
  const snAdvance* a;
  mjData* d;      // of changed models
  mjtNum* state;  // mjSTATE_INTEGRATION, with which both sides run
  double *tau[2], *rest[2], *act[2], *product;
} snChanged;
bool changed_make(snTangent* t, snChanged* c, snAdvance* a);
// One side of a difference: tau and M a - A^ a' of model m at c->state, and the next activations.
void changed_run(const snChanged* c, const mjModel* m, int side);
// A column from the two sides, `width` apart. of_step: the time step itself moves.
bool changed_column(snTangent* t, const snChanged* c, double width, bool of_step, double* out,
                    int ncol, int at);
void positions_reach(const snTangent* t, const snAdvance* a, bool of_step, double* out, int ncol,
                     int at);
// From dtau, or from dqacc when the system has been solved, to A and B. Uses up tau.
bool advance_transition(snTangent* t, const snAdvance* a, bool solved, double* A, double* B);
bool sense_transition(snTangent* t, double* C, double* D);
// sense_frame.c, sense_scalar.c, sense_force.c: rows of one sensor by all columns (sensor_dim x
// ncol, zero before), with dqacc in tau. False where there is no closed form.
bool sense_frame(const snTangent* t, int sensor, double* rows);
bool sense_scalar(const snTangent* t, int sensor, double* rows);
// The same for all touch, force and torque sensors that are marked; rows at sensor_adr.
bool sense_forces(snTangent* t, bool* mark, double* rows);
// Steps as a whole, from the state of d moved by a hair, and back.
typedef struct snWhole_ {
  const mjModel* m;
  mjData* d;
  int spec, nx;
  mjtNum* state;
  mjtNum *y[2], *s[2], *dq;  // next state and sensors of two sides
} snWhole;
bool whole_make(snWhole* w, const mjModel* m, mjData* d);
void whole_move(const snWhole* w, int c, double step);  // number c of (q, v, act, ctrl)
// How far to move number c on the two sides: not beyond the limits of a control.
void whole_sides(const snWhole* w, int c, double side[2]);
void whole_run(const snWhole* w, int side);
// The difference of the two sides as column `at` of A and C.
void whole_put(const snWhole* w, double width, mjtNum* A, mjtNum* C, int ncol, int at);
bool differences_transition(const mjModel* m, mjData* d, mjtNum* A, mjtNum* B, mjtNum* C, mjtNum* D,
                            const char* why, snDeriveReport* report);
// A column by anything that `move` changes in the data, by `step`.
typedef void (*snMove)(mjData* d, const void* what, double step);
bool differences_column(const mjModel* m, mjData* d, snMove move, const void* what, double step,
                        mjtNum* out, int ncol, int at);
void differences_name(snDeriveReport* report, const char* why);
// implicit.c: steps that solve a dual problem, minimal or maximal coordinates
bool implicit_there(const mjModel* m, const mjData* d);
bool implicit_transition(const mjModel* m, mjData* d, mjtNum* A, mjtNum* B, mjtNum* C, mjtNum* D,
                         snDeriveReport* report);

#endif
