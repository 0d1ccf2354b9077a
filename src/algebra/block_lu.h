// K = L U for a sparse matrix of dense blocks whose pattern is symmetric while its numbers need not
// be.
//
// Rows and columns come in nodes (the dofs of one kinematic tree, say); a node's diagonal block is
// always there, an off-diagonal pair of blocks where two nodes are coupled. Nodes are eliminated by
// least degree, so that little fills in: a pile of bodies costs little more than its contacts.
// Inside a diagonal block pivots are chosen by rows; between nodes the order stays as it was found,
// which is safe for K = 1 + (positive semidefinite) + (small, not symmetric), as contact problems
// have it.
//
// Structure and numbers are apart: block_lu_order() finds the order and says how much memory the
// numbers take, then block_lu_clear(), block_lu_at() and block_lu_factor() as often as wanted.
#ifndef SINEW_ALGEBRA_BLOCK_LU_H_
#define SINEW_ALGEBRA_BLOCK_LU_H_

#include "base/base.h"

typedef struct snBlockLU_ {
  int nnode, width;  // width: numbers of a vector, nodes beginning at whole lanes
  const int* size;   // (nnode) rows of a node
  int* start;        // (nnode) first row of a node in vectors
  int* place;        // (nnode) when it is eliminated
  int* order;        // (nnode) the inverse of place
  int* adr;          // (nnode + 1) of the neighbours of the node eliminated k-th: those behind it
  int* next;         // (adr[nnode]) by their places, ascending
  size_t* lower;     // (adr[nnode]) where the block (neighbour, node) lies in `value`
  size_t* upper;     // (adr[nnode]) and the block (node, neighbour)
  size_t* diagonal;  // (nnode)
  size_t nvalue;
  double* value;  // blocks by rows, at block_lu_stride(columns)
  double* work;   // (2 * largest stride squared + 2 * (width + 4))
  int largest;    // node
} snBlockLU;

SN_INLINE int block_lu_stride(int columns) { return (columns + 3) & ~3; }

// ---- structure
// `link` holds a bit for each pair of coupled nodes, nnode rows of block_lu_words() words, both
// triangles; it is used up. Memory comes from `room`, at least block_lu_room() bytes, aligned to 8.
SN_INLINE size_t block_lu_words(int nnode) { return ((size_t)nnode + 63) / 64; }
size_t block_lu_room(int nnode);
// The order; afterwards lu->adr[nnode] is the number of block pairs and lu->nvalue is known.
void block_lu_order(snBlockLU* lu, int nnode, const int* size, uint64_t* link, void* room);
// Bytes for the lists of blocks, the values and the scratch; then hand them over.
size_t block_lu_bytes(const snBlockLU* lu);
void block_lu_take(snBlockLU* lu, uint64_t* link, void* room);

// ---- numbers
void block_lu_clear(snBlockLU* lu);  // K = 1
// The block of rows of node a and columns of node b, at block_lu_stride(size[b]); NULL: not coupled
double* block_lu_at(const snBlockLU* lu, int a, int b);
// False when a diagonal block is singular.
bool block_lu_factor(snBlockLU* lu);
// x <- inv(K) x, rows of node a from start[a] on; what lies between nodes is zero and stays so
void block_lu_solve(const snBlockLU* lu, double* x);

#endif
