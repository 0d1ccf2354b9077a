// What the files of the room share.
#ifndef SINEW_HARD_PRIVATE_H_
#define SINEW_HARD_PRIVATE_H_

#include "dual/dual.h"
#include "hard/hard.h"

// What d remembers: the choice of its user, the report, and the velocity positions move with.
typedef struct snHard_ {
  int chosen;  // 0: what the model says, 1: soft, 2: `solver`
  const snDualSolver* solver;
  bool have_settings;
  snSolverSettings settings;
  mjtNum* restitution;  // (ngeom) NAN where the model decides; NULL: everywhere
  bool reported;
  snSolverReport report;  // its counts are kept by hard_advance
  int nv;
  mjtNum* velocity;  // (nv) u_pos, when `moved`
  bool moved;
  mjtNum* impulse;  // of the last step, for snWARM_PREVIOUS
  int nimpulse, room;
  uint64_t held;  // hard_held
} snHard;

snHard* hard_of(const mjData* d);                // NULL when there is none yet
snHard* hard_make(const mjModel* m, mjData* d);  // NULL after mju_error: no memory
const snDualSolver* hard_solver(const mjModel* m, const mjData* d);  // NULL: soft
void hard_settings(const mjModel* m, const mjData* d, const snDualSolver* solver,
                   snSolverSettings* set);
// Restitution of all geoms (ngeom), 0 where there is none.
void hard_restitution(const mjModel* m, const mjData* d, mjtNum* e);

// ---- rows of the engine as blocks of the dual problem (rows.c)
// Blocks are sorted by island; rows of a block share their columns, which with every dof hold its
// ancestors. On such columns W = J inv(L) inv(sqrt D), with M^ = L'DL, is as sparse as J, and
// W W' is the Delassus matrix.
typedef struct snHardRows_ {
  int n, nblock, nisland;
  snDualBlock* block;
  int* island;           // (nisland + 1) first block of each
  int* place;            // (nblock) first row, were blocks in the engine's order
  int* efc;              // (nblock) first row of the engine
  int* contact;          // (nblock) or -1
  mjtNum* mu;            // (nblock x 5) friction of a contact's directions
  mjtNum* scale;         // (n) what the row of the engine's Jacobian is multiplied by
  mjtNum* r;             // (n) error of position; for contacts the gap on the normal
  int *nnz, *adr, *col;  // columns by rows
  int *own, *width;      // the same columns counted within the island, (nisland) how many it has
  int* base;             // (nisland) where the island's columns begin in node and slot
  int *node, *slot;      // (nv) tree of a column, counted within the island; its number there
  int* nnode;            // (nisland)
  mjtNum *J, *W;
  mjtNum* diagonal;  // (n) of W W'
  mjtNum* inertia;   // (nisland) sum of the diagonal of M
} snHardRows;

// Arrays are taken from the stack; here and below false (NULL) means that there is no memory left,
// which mju_error has said.
bool rows_make(const mjModel* m, mjData* d, snHardRows* rows);
// J x, and x += inv(M^) J'f
void rows_mul(const snHardRows* rows, mjtNum* z, const mjtNum* x);
bool rows_add(const mjModel* m, mjData* d, const snHardRows* rows, const mjtNum* f, mjtNum* x);
// Impulses of the dual problem to efc_force (over h) and efc_state.
void rows_write(const mjModel* m, mjData* d, const snHardRows* rows, const mjtNum* f);

// The Delassus operator of `count` rows of an island, whose columns lie where nnz and adr say: W,
// or the matrix W W' where that has fewer entries. `loops`: there are equalities among the rows. It
// lies on the stack.
const snDelassus* rows_operator(mjData* d, const snHardRows* rows, int island, const int* nnz,
                                const int* adr, int count, bool loops);

// part(context, island) for all islands, on the workers of a bound thread pool (solve.c)
bool islands_each(mjData* d, int nisland, snPart part, void* context);

// u_pos from u' (position.c): errors taken back in the metric of M^. Leaves u_pos = u' when there
// is nothing to take back.
bool position_correct(const mjModel* m, mjData* d, const snHardRows* rows, const snImpact* impact,
                      const snSolverSettings* set, const mjtNum* f, mjtNum* u);

// ---- impact laws (law.c)
// f: the impulses of an island's collision. p->v_free are the velocities before it, e (nblock) the
// restitution of contacts, gap (n) what they may still close, over h.
bool law_collide(mjData* d, const snDualSolver* solver, snDual* p, int law, const mjtNum* e,
                 const mjtNum* gap, mjtNum* f);
extern const char* const law_names[];
extern const int law_count;

#endif
