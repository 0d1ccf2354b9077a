// Constraint rows: J, the residual, the impedance and reference that soften it; islands.
//
// A row is one scalar constraint: a residual r(qpos), its Jacobian J = dr/dq, and how hard it is.
// Rows come in the documented order: equality, friction loss, limits, contacts. For each row
//
//   d(r)    impedance between 0 and 1, from solimp
//   aref    = -b (J qvel) - k r, the acceleration that a spring and damper with solref would give
//   R       = (1 - d) / d  times  diag(J inv(M) J'), approximated from body_invweight0
//   D       = 1 / R, the weight of the row in the primal problem
//
// and the solver finds forces with J x - aref + R f in the dual of what f may be (solve/solve.h).
// A contact has one row without friction; with a pyramidal cone a row per edge, normal plus and
// minus mu times tangent; with an elliptic cone a row per direction (cone.h).
//
// Rows that share their columns (of one contact, one connect, one weld) are built together from the
// dof chains of the bodies they touch, in compact form, and only then written to efc_J, in full
// width or in CSR as mj_isSparse says. Rows are counted first, so that the arena is asked once for
// all of them; a contact touches the dofs of two chains, so nothing walks the full width.
//
//   rows.c          mj_makeConstraint: counts, memory, equality, friction loss and limits
//   rows_contact.c  rows of contacts, of bodies and of flexes
//   chain.c         the dofs that move one body or another
//   impedance.c     diagApprox, KBIP, R and D; mj_referenceConstraint: aref
//   update.c        cost, force and state of rows at given residuals: the gradient of s
//   cone.h          the elliptic cone: zone, cost, force, slope, Hessian, in both coordinates
//   anchor.c        displacement of stuck contacts, for models that ask for friction that holds
//   island.c        mj_island: trees that rows join, and sorted copies of dofs and rows
//   project.c       mj_projectConstraint: A = J inv(M) J' and A + R, for dual solvers
#ifndef SINEW_CONSTRAIN_CONSTRAIN_H_
#define SINEW_CONSTRAIN_CONSTRAIN_H_

#include "data/data.h"
#include "data/frame.h"

// The last dof that moves the body, or -1 for a body fixed to the world. Its ancestors follow by
// dof_parentid.
SN_INLINE int chain_last_dof(const mjModel* m, int body) {
  int weld = m->body_weldid[body];
  return m->body_dofnum[weld] ? m->body_dofadr[weld] + m->body_dofnum[weld] - 1 : -1;
}

// The dofs moving either body, ascending, and per dof which bodies they move (1 first, 2 second,
// 3 both). `col` and `side` hold nv entries; returns how many were written.
int chain_sides(const mjModel* m, int body1, int body2, int* col, unsigned char* side);
int chain_count(const mjModel* m, int body1, int body2);

// Add the rows of contacts whose sides are flexes: a point carried by several bodies with weights.
// Returns the number of bodies; `body` and `weight` hold up to 8 per side. `last` leaves out all
// but the last vertex of an interpolated element, as its released inverse inertia does.
#define CONSTRAIN_MAXSUPPORT 16
int contact_support(const mjModel* m, const mjData* d, const mjContact* con, bool last, int* body,
                    mjtNum* weight);

// Rows that go together from row i on: those of one contact, connect or weld.
SN_INLINE int constrain_unit(const mjModel* m, const mjData* d, int i) {
  int type = d->efc_type[i], id = d->efc_id[i];
  if (type == mjCNSTR_CONTACT_PYRAMIDAL) return 2 * (d->contact[id].dim - 1);
  if (type == mjCNSTR_CONTACT_ELLIPTIC) return d->contact[id].dim;
  if (type == mjCNSTR_EQUALITY) {
    if (m->eq_type[id] == mjEQ_CONNECT) return 3;
    if (m->eq_type[id] == mjEQ_WELD) return 6;
  }
  return 1;
}

// diagApprox, KBIP, R, D of all rows, and contact.mu.
void constrain_impedance(const mjModel* m, mjData* d);

// How many of the rows behind each repeat its pattern.
void constrain_super(int n, const int* rownnz, const int* rowadr, const int* colind, int* rowsuper);

// efc_JT and its pattern from efc_J (CSR).
void constrain_transpose(const mjModel* m, mjData* d);

// Island of every row, without the copies that mj_island makes; returns how many there are. A row
// that moves nothing is in the first, even where there is none.
int constrain_islands(const mjModel* m, mjData* d, int* efc_island);

// The cost s(jar), the force -grad s and the state of rows; with the Hessian of cone rows in
// contact.H when asked. One set of arrays for the whole system, or those of one island.
typedef struct snRowView_ {
  int ne, nf, nefc;
  const int* type;
  const int* id;
  const mjtNum* D;
  const mjtNum* R;
  const mjtNum* frictionloss;
  mjContact* contact;
} snRowView;

mjtNum constrain_update(const snRowView* rows, const mjtNum* jar, mjtNum* force, int* state,
                        bool cone_hessian);

// The rows of active equalities where kinematics and tendons stand now, in full width; efc_* keep
// what the step made. The arrays belong to the frame. False without memory.
typedef struct snEqualities_ {
  int n;
  mjtNum *r, *J;  // residuals (n), dr/dq (n x nv)
  int* id;        // equality of each row
} snEqualities;
bool constrain_equalities(const mjModel* m, mjData* d, snMemory* memory, snEqualities* out);

// Stiffness and damping that solref means, with the impedance's far end.
void constrain_spring(const mjModel* m, const mjtNum* solref, const mjtNum* solimp, mjtNum* k,
                      mjtNum* b);

// ---- anchors of stuck contacts (anchor.c), for models with the text "sinew:friction" = "stick"
extern const char anchor_plugin_name[];
// The instance that keeps them, the model's last; -1: the model has none.
int anchor_instance(const mjModel* m);
// Numbers of state that the instance needs.
int anchor_state_size(const mjModel* m);
// efc_aref gets the springs of stuck contacts.
void anchor_reference(const mjModel* m, mjData* d, int instance);
// The anchors after the step, from the contacts and forces of the step and the new velocity.
void anchor_advance(const mjModel* m, mjData* d, int instance);

#endif
