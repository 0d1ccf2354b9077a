// Structure of a forest's L'DL, derived once (tree.c). Private to algebra.
#ifndef SINEW_ALGEBRA_TREE_H_
#define SINEW_ALGEBRA_TREE_H_

#include "algebra/algebra.h"

enum { TREE_WIDTH = 8 };  // most rows in a panel

// A panel is a stretch of dofs, each the only child of the one before: its rows share `above`
// ancestors, and row i holds those, then the i rows of the panel before it, then itself.
typedef struct snPanel_ {
  int dof, width, above;
  int adr;     // first row in the CSR arrays; row i follows row i-1
  int stride;  // of its rows in the workspace: above + width, rounded up to lanes
  int work;    // its rows in the workspace of its tree
  int target;  // ancestors' rows in the workspace: snTree.target[target + j]
  int x;       // its dofs in the padded vector of its tree, rounded up to lanes
  int run, nrun;
  bool careful;  // a lane beyond its ancestors would leave the rows of its tree
} snPanel;

// Ancestors that lie side by side: `count` columns from `column`, in the padded vector at x.
typedef struct snRun_ {
  int x, column, count;
} snRun;

// One tree, or a stretch of dofs with diagonal rows (then npanel is 0).
typedef struct snTreePart_ {
  int dof, ndof;
  int adr;
  int panel, npanel;
} snTreePart;

struct snTree_ {
  int nv, nnz, scratch;
  bool few;     // so few entries that panels do not pay
  bool arm;     // neither do they here (tree_arm.c)
  bool forked;  // columns rarely side by side: panels pay, lanes over columns of one vector do not
  int npart;
  snTreePart* part;
  snPanel* panel;
  snRun* run;
  int* target;
  int* rowadr;    // (nv)
  int* ancestor;  // (nnz) column of each entry
};

// Arms (tree_arm.c): is it one; as tree_factor; as tree_solve with one right-hand side.
bool arm_holds(const snTree* tree);
int arm_factor(const snTree* tree, double* LD, double* dinv, const double* M);
void arm_solve(const snTree* tree, double* x, const double* y, const double* LD,
               const double* dinv);

#endif
