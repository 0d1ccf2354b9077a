// K = L U for a sparse matrix of dense blocks whose pattern is symmetric while its values need not
// be.
//
// Rows and columns are grouped in nodes (the dofs of one kinematic tree, say). A node always has
// its diagonal block; two coupled nodes have a pair of off-diagonal blocks. Nodes are eliminated by
// minimum degree, which keeps fill-in low: a pile of bodies costs little more than its contacts.
// Inside a diagonal block rows are pivoted; between nodes the order is fixed, which is safe for
// K = 1 + (positive semidefinite) + (small, not symmetric), the form of contact problems.
//
// Symbolic and numeric phases are separate: block_lu_order() finds the order and the memory that
// the values take; then block_lu_clear(), block_lu_at() and block_lu_factor() as often as needed.
#ifndef SINEW_ALGEBRA_BLOCK_LU_H_
#define SINEW_ALGEBRA_BLOCK_LU_H_

#include "base/base.h"

typedef struct snBlockLU_ {
  int nnode, width;  // width: length of a vector, in which every node begins at a multiple of 4
  const int* size;   // (nnode) rows of a node
  int* start;        // (nnode) first row of a node in vectors
  int* place;        // (nnode) position of a node in the order of elimination
  int* order;        // (nnode) the inverse of place
  int* adr;          // (nnode + 1) neighbours of the k-th eliminated node that are eliminated later
  int* next;         // (adr[nnode]) positions of those neighbours, ascending
  size_t* lower;     // (adr[nnode]) where the block (neighbour, node) lies in `value`
  size_t* upper;     // (adr[nnode]) where the block (node, neighbour) lies
  size_t* diagonal;  // (nnode)
  size_t* target;    // by pairs of neighbours of a node: where the block lies that they update
  size_t* first;     // (nnode) where the pairs of a node begin in `target`
  size_t nvalue, ntarget;
  double* value;  // blocks by rows, at block_lu_stride(columns)
  int* pivot;     // (width) row that each row of a diagonal block was swapped with
  int sign;       // of the determinant
} snBlockLU;

SN_INLINE int block_lu_stride(int columns) { return (columns + 3) & ~3; }

// ---- structure
// `link` has a bit for each pair of coupled nodes, nnode rows of block_lu_words() words, both
// triangles; it is overwritten. Memory comes from `room`, at least block_lu_room() bytes, aligned
// to 8.
SN_INLINE size_t block_lu_words(int nnode) { return ((size_t)nnode + 63) / 64; }
size_t block_lu_room(int nnode);
// Finds the order. Afterwards lu->adr[nnode] is the number of block pairs, and lu->nvalue is set.
void block_lu_order(snBlockLU* lu, int nnode, const int* size, uint64_t* link, void* room);
// Bytes for the lists of blocks, the values and the scratch; block_lu_take takes that memory.
size_t block_lu_bytes(const snBlockLU* lu);
void block_lu_take(snBlockLU* lu, uint64_t* link, void* room);

// ---- numbers
void block_lu_clear(snBlockLU* lu);  // K = 1
// The block of rows of node a and columns of node b, with stride block_lu_stride(size[b]); NULL
// when the two are not coupled.
double* block_lu_at(const snBlockLU* lu, int a, int b);
// False when a diagonal block is singular.
bool block_lu_factor(snBlockLU* lu);
// x <- inv(K) x, where rows of node a start at start[a]; the padding between nodes must be zero
void block_lu_solve(const snBlockLU* lu, double* x);

#endif
