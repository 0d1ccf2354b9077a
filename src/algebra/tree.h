// Structure of a forest's L'DL, made once per model by tree_make.c. Private to algebra.
#ifndef SINEW_ALGEBRA_TREE_H_
#define SINEW_ALGEBRA_TREE_H_

#include "algebra/algebra.h"

enum { TREE_WIDTH = 8 };  // most rows in a panel

// A panel is a run of dofs, each the only child of the one before: its rows share `above`
// ancestors, and row i holds those ancestors, then the i dofs of the panel before it, then itself.
typedef struct snPanel_ {
  int dof, width, above;
  int adr;     // first row in the CSR arrays; row i follows row i-1
  int stride;  // of its rows in the workspace: above + width, rounded up to a multiple of 4
  int work;    // offset of its rows in the workspace of its tree
  int target;  // rows of its ancestors in the workspace: snTree.target[target + j]
  int x;       // offset of its dofs in the padded vector of its tree
  int run, nrun;
  bool careful;  // reading four entries beyond its ancestors would leave the rows of its tree
} snPanel;

// Consecutive ancestors: `count` columns from `column`, at x in the padded vector.
typedef struct snRun_ {
  int x, column, count;
} snRun;

// One tree, or a run of dofs with diagonal rows (then npanel is 0).
typedef struct snTreePart_ {
  int dof, ndof;
  int adr;
  int panel, npanel;
} snTreePart;

struct snTree_ {
  int nv, nnz, scratch;
  bool few;     // so few entries that panels do not pay: row by row
  bool arm;     // one arm: tree_arm.c
  bool forked;  // columns are rarely consecutive: panels pay, SIMD over the columns of one vector
                // does not
  int npart;
  snTreePart* part;
  snPanel* panel;
  snRun* run;
  int* target;
  int* rowadr;    // (nv)
  int* ancestor;  // (nnz) column of each entry
};

// tree_arm.c: is the forest an arm; tree_factor; tree_solve with one right-hand side.
bool arm_holds(const snTree* tree);
int arm_factor(const snTree* tree, double* LD, double* dinv, const double* M);
void arm_solve(const snTree* tree, double* x, const double* y, const double* LD,
               const double* dinv);

#endif
