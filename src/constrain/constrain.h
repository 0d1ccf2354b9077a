// Constraint rows: J, residuals, impedance and reference acceleration; islands; the dual matrix.
//
// Input: contacts, equality constraints, friction loss and limits of the model at the present qpos,
// cdof and subtree_com. Output: the efc_ arrays in the arena, nefc rows of them in the documented
// order: equality (ne), friction loss (nf), limits (nl), contacts. The solver reads these
// arrays, M and qacc_smooth.
//
// A row is one scalar constraint: a residual r(qpos), its Jacobian J = dr/dq, and how hard it is.
// For each row
//
//   d(r)    impedance between 0 and 1, from solimp
//   aref    = -b (J qvel) - k d(r) r, the acceleration of a spring and damper given by solref
//   R       = (1 - d) / d  times  diag(J inv(M) J'), approximated from body_invweight0
//   D       = 1 / R, the weight of the row in the primal problem
//
// The solver (solve/solve.h) finds forces f with J x - aref + R f in the dual of the set of
// admissible f. A contact has one row without friction; with a pyramidal cone one row for each
// edge, normal plus and minus mu times tangent; with an elliptic cone one row for each direction
// (cone.h).
//
// How rows are built. Rows that share their columns (of one contact, one connect, one weld) form a
// block, which is built from the chains of the two bodies: the dofs that move one body or the
// other. A row is a wrench at a point of each body; its entry for a dof is the work of the wrench
// per unit of the dof. Columns are written straight to efc_J, in full width or in CSR as
// mj_isSparse says; nothing loops over all nv dofs for a contact. Rows are counted before they are
// built, so that the arena is asked once for all arrays.
//
// Invariants:
//   - Columns of a row ascend, in CSR too. Two chains of one tree share a prefix, and behind it one
//     chain lies wholly before the other, since the dofs of a subtree are contiguous.
//   - Dense efc_J is zero wherever no row has written.
//   - Rows of one contact, connect or weld are consecutive and share columns (constrain_unit).
//   - A block that moves nothing is dropped, and its contact has efc_address -1.
//
// File by file:
//
//   rows.c          mj_makeConstraint: counts, memory, friction loss and limits
//   rows_equality.c rows of equalities, among all others and alone
//   rows_contact.c  rows of contacts, of bodies and of flexes
//   chain.c         the dofs that move one body or another; the bodies that carry a flex contact
//   impedance.c     diagApprox, KBIP, R and D; mj_referenceConstraint: aref
//   update.c        cost, force and state of rows at given residuals (gradient of s); J x, J'f
//   cone.h          the elliptic cone: zone, cost, force, slope, Hessian, in both coordinates
//   bias.c          accelerations of bodies and their points for qacc = 0
//   anchor.c        displacement of stuck contacts, for models that ask for friction that holds
//   slide.c         contacts of these models that slide
//   loops.c         rows of loops that close: rigid, with Jdot v, for models that ask
//   physical.c      contacts with stiffness and damping in N/m and N s/m, for models that ask
//   island.c        mj_island: trees that rows join, and sorted copies of dofs and rows
//   project.c       mj_projectConstraint: A + R with A = J inv(M) J', for dual solvers; J'
#ifndef SINEW_CONSTRAIN_CONSTRAIN_H_
#define SINEW_CONSTRAIN_CONSTRAIN_H_

#include "data/data.h"
#include "data/frame.h"

// The dofs moving either body, ascending, and per dof which bodies they move (1 first, 2 second,
// 3 both). `col` and `side` hold nv entries; returns how many were written.
int chain_sides(const mjModel* m, int body1, int body2, int* col, unsigned char* side);
int chain_count(const mjModel* m, int body1, int body2);

// The bodies that carry the two sides of a contact, with weights: a geom has one body, a flex
// element several. Weights of the first side are negative, so that a weighted sum of point
// velocities is the relative velocity. Returns the number of bodies; `body` and `weight` hold up to
// 8 for each side. `last` uses only the last vertex of an interpolated element, as the released
// inverse inertia does.
#define CONSTRAIN_MAXSUPPORT 16
int contact_support(const mjModel* m, const mjData* d, const mjContact* con, bool last, int* body,
                    mjtNum* weight);

// Number of rows of the block that begins at row i: those of one contact, connect or weld.
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

// Of the rows of a contact: what kind they are and how many; of a number for each row (a velocity,
// a reference), that of the normal and that of tangent j. An edge of a pyramid is the normal plus
// or minus mu times a tangent.
SN_INLINE bool contact_is_pyramid(const mjData* d, const mjContact* con) {
  return d->efc_type[con->efc_address] == mjCNSTR_CONTACT_PYRAMIDAL;
}
SN_INLINE int contact_row_count(const mjData* d, const mjContact* con) {
  int type = d->efc_type[con->efc_address];
  return type == mjCNSTR_CONTACT_PYRAMIDAL  ? 2 * (con->dim - 1)
         : type == mjCNSTR_CONTACT_ELLIPTIC ? con->dim
                                            : 1;
}
SN_INLINE mjtNum contact_normal(const mjData* d, const mjContact* con, const mjtNum* x) {
  const mjtNum* at = x + con->efc_address;
  return contact_is_pyramid(d, con) ? (at[0] + at[1]) / 2 : at[0];
}
SN_INLINE mjtNum contact_tangent(const mjData* d, const mjContact* con, const mjtNum* x, int j) {
  const mjtNum* at = x + con->efc_address;
  if (!contact_is_pyramid(d, con)) return at[1 + j];
  return (at[2 * j] - at[2 * j + 1]) / (2 * con->friction[j]);
}

// out += scale * row i of efc_J
void constrain_add_row(const mjModel* m, const mjData* d, int i, mjtNum scale, mjtNum* out);

// Angular and linear acceleration of bodies for qacc = 0 (bias.c), com-based as cvel (6 nbody); that
// of a point of a body.
void bias_of_bodies(const mjModel* m, const mjData* d, mjtNum* bias);
void bias_at_point(const mjModel* m, const mjData* d, const mjtNum* bias, int body,
                   const mjtNum* point, mjtNum* angular, mjtNum* linear);

// R of a row, with all that follows from it: D, diagApprox, and the diagonal of efc_AR.
void constrain_set_R(const mjModel* m, mjData* d, int row, mjtNum R);

// diagApprox, KBIP, R and D of all rows, and contact.mu.
void constrain_impedance(const mjModel* m, mjData* d);

// rowsuper[i]: how many of the rows behind row i have the same columns as row i.
void constrain_super(int n, const int* rownnz, const int* rowadr, const int* colind, int* rowsuper);

// efc_JT and its pattern from efc_J in CSR.
void constrain_transpose(const mjModel* m, mjData* d);

// The island of every row, without the copies that mj_island makes; returns the number of islands.
// A row without entries is in island 0, even when there is no island.
int constrain_islands(const mjModel* m, mjData* d, int* efc_island);

// Arrays of rows, of the whole system or of one island.
typedef struct snRowView_ {
  int ne, nf, nefc;
  const int* type;
  const int* id;
  const mjtNum* D;
  const mjtNum* R;
  const mjtNum* frictionloss;
  mjContact* contact;
} snRowView;

// The cost s(jar), the force -grad s and the state of each row at the residuals jar = J x - aref;
// with `cone_hessian` also the Hessian of elliptic contacts in contact.H.
mjtNum constrain_update(const snRowView* rows, const mjtNum* jar, mjtNum* force, int* state,
                        bool cone_hessian);

// The rows of active equalities where kinematics and tendons stand now; efc_* keep what the step
// made. The arrays belong to the frame. False without memory.
typedef struct snEqualities_ {
  int n;
  const mjtNum *r, *J;                  // residuals (n), dr/dq
  const int *rownnz, *rowadr, *colind;  // of J in CSR; rownnz NULL: J is n x nv
} snEqualities;
bool constrain_equalities(const mjModel* m, mjData* d, snMemory* memory, snEqualities* out);

// The rows of equalities that efc_* has.
snEqualities constrain_step_equalities(const mjModel* m, const mjData* d);

// Their residuals, where kinematics and tendons stand now. False: there are flexes among them.
bool constrain_residuals(const mjModel* m, const mjData* d, mjtNum* r);

// Do these residuals depend on the poses of bodies and on qpos alone, not on sites and tendons?
bool constrain_by_bodies(const mjModel* m, const mjData* d);

// Stiffness and damping that solref means, with the impedance's far end.
void constrain_spring(const mjModel* m, const mjtNum* solref, const mjtNum* solimp, mjtNum* k,
                      mjtNum* b);

// ---- loops that close (loops.c), for models with the text "sinew:loops" = "closed"
bool constrain_closes(const mjModel* m);            // does the model ask for it?
void loops_rigid(const mjModel* m, mjData* d);      // R and D of closed equalities
void loops_reference(const mjModel* m, mjData* d);  // efc_aref gets -Jdot v

// R, D, stiffness and damping of contacts whose geoms have them in N/m (physical.c).
void physical_contacts(const mjModel* m, mjData* d);
bool constrain_physical(const mjModel* m);   // does the model ask for it?
mjtNum physical_series(mjtNum a, mjtNum b);  // two springs or dampers in series; 0 is rigid
int physical_share(const mjData* d,
                   int c);  // contacts that share the stiffness of contact c's pair

// ---- friction by direction and by whether a contact slides (grain.c), behind mj_collision
bool constrain_grain(const mjModel* m);  // does the model ask for it?
void grain_contacts(const mjModel* m, mjData* d);

// ---- anchors of stuck contacts (anchor.c), for models with the text "sinew:friction" = "stick"
extern const char anchor_plugin_name[];
// The instance that keeps them, the model's last; -1: the model has none.
int anchor_instance(const mjModel* m);
// Numbers of state that the instance needs.
int anchor_state_size(const mjModel* m);
// efc_aref gets the springs of stuck contacts.
void anchor_reference(const mjModel* m, mjData* d, int instance);
// What the anchors know of every contact.
typedef struct snSliding_ {
  mjtNum along;  // displacement of the second geom along the first tangent
  bool slides;   // it slid in the last step, fast or with all contacts of its couple
  bool known;    // false: the contact has no anchor
} snSliding;
void anchor_sliding(const mjModel* m, mjData* d, int instance, snSliding* sliding);
// The normal reference of a contact that is asked for friction q (slide.c); what it takes over from
// one step to the next, with J v after the step.
void slide_reference(mjData* d, const mjContact* con, const mjtNum* q, mjtNum normal, mjtNum lead);
mjtNum slide_normal(const mjData* d, const mjContact* con);  // the normal force
// Does a contact slide with velocity v: 0 no, 1 yes, 2 and fast. `share`: of the cone that its
// spring asks for.
int slide_kind(const mjData* d, const mjContact* con, mjtNum normal, mjtNum share,
               const mjtNum v[2]);
mjtNum slide_lead(const mjModel* m, const mjData* d, const mjContact* con, mjtNum normal,
                  mjtNum lead, const mjtNum* Jv);
// The anchors after the step, from the contacts and forces of the step and the new velocity.
void anchor_advance(const mjModel* m, mjData* d, int instance);

#endif
