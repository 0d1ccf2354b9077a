// Newton at full width: what systems of both sizes share. J and M have a column for every dof,
// padded with zeros to whole lanes; vectors over dofs are arrays of L lanes.
#ifndef SINEW_SOLVE_FULL_H_
#define SINEW_SOLVE_FULL_H_

#include "solve/choose.h"
#include "solve/newton.h"
#include "solve/point.h"

enum { MAX_FACTORS = 3, SMALL_FACTORS = 8 };
enum { SMALL_LANES = SMALL_DOFS / 4, MOST_LANES = WIDE_DOFS / 4 };

// A loop left as one: much of this is written out for every L.
#if defined(__GNUC__) && !defined(__clang__)
#define SN_ROLLED _Pragma("GCC unroll 1")
#else
#define SN_ROLLED
#endif

// A term share left' right of J'WJ.
typedef struct snTerm_ {
  const mjtNum *left, *right;
  mjtNum share;
} snTerm;

// Up to four rows of one contact or equality, and the lanes in which they are not zero.
typedef struct snRowBand_ {
  int row, nrow;
  int nlane;
  unsigned char lane[MOST_LANES];
  const mjtNum* J;  // (4 x 4L), zero behind nrow
} snRowBand;

// A row over one dof.
typedef struct snSingle_ {
  int row, col;
  mjtNum J;
} snSingle;

typedef struct snFull_ {
  const snProblem* p;
  snPoint x;
  int rows;              // rounded up to lanes
  mjtNum *J, *M, *H;     // (rows x 4L), (4L x 4L), (4L x 4L)
  mjtNum* bent;          // (rows x 4L) Hc J of cones
  int nactive, nchange;  // of the last step
  mjtNum* dinv;          // (4L) inverse pivots of H
  mjtNum* least;         // (4L) what pivots of H cannot be below
  mjtNum damping;        // of H, as a share of its diagonal
  // small systems
  snTerm* term;  // (rows)
  // wide ones; of M and H only the lower triangle
  snRowBand* band;
  snSingle* single;
  int nband, nsingle;
  mjtNum* plain;           // (4L x 4L) M + J'WJ without cones, W as in `counted`
  mjtNum *counted, *zero;  // (rows)
  bool built;              // plain is there; otherwise only the factor that was found again
  bool bent_in;            // there are cones in the factor, which otherwise is that of plain
  // lanes left of the diagonal that are not zero in four rows of the factor, then that on it
  unsigned mask[MOST_LANES];
  int nlane[MOST_LANES];
  unsigned char lane[MOST_LANES][MOST_LANES];
  // first factors of a solve, without cones, kept while positions are held: their weights, H, dinv;
  // of a small system all factors, from factor[0] on
  bool held;
  int nfactor;
  mjtNum* factor[MAX_FACTORS];
  // the last start and its images, kept as long: acc, M acc (4L), J acc (rows)
  bool started;
  mjtNum* images;
} snFull;

// Pivots of H = M + J'WJ are no less than those of M, which is factored in the same order. What
// rounding leaves of them beside stiff rows may be: half is far enough from what it does otherwise.
SN_INLINE void least_pivots(const snFull* s, int L) {
  for (int i = 0; i < 4 * L; i++) {
    mjtNum least = i < s->p->nv ? 0.5 / s->p->LDinv[i] : 0;
    s->least[i] = least > mjMINVAL ? least : mjMINVAL;
  }
}

// H beside rows so stiff that nothing is left of M.
SN_INLINE void damp(const snFull* s, int L) {
  if (s->damping == 0) return;
  for (int i = 0; i < s->p->nv; i++) s->H[(4 * L + 1) * i] *= 1 + s->damping;
}

SN_INLINE void load_lanes(sn4* x, const mjtNum* from, int n, int L) {
  SN_UNROLL
  for (int c = 0; c < L - 1; c++) x[c] = sn4_load(from + 4 * c);
  x[L - 1] = sn4_load_part(from + 4 * (L - 1), n - 4 * (L - 1));
}

SN_INLINE void store_lanes(mjtNum* to, const sn4* x, int n, int L) {
  SN_UNROLL
  for (int c = 0; c < L - 1; c++) sn4_store(to + 4 * c, x[c]);
  sn4_store_part(to + 4 * (L - 1), x[L - 1], n - 4 * (L - 1));
}

SN_INLINE mjtNum dot(const sn4* a, const sn4* b, int L) {
  sn4 sum = a[0] * b[0];
  SN_UNROLL
  for (int c = 1; c < L; c++) sum += a[c] * b[c];
  return sn4_sum(sum);
}

#endif
