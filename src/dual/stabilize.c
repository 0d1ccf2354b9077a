// Terms of the free velocity that correct position errors: Baumgarte's, v_free += erp r / h for an
// error r and a step h, and the softening of section V-D, which gives a row the regularizer R and
// reference of a soft constraint. Numbers in parentheses are equations of the paper on dual
// solvers (docs/design.md, section 1).
#include <math.h>

#include "dual/dual.h"

mjtNum dual_bias_joint(mjtNum r, mjtNum erp, mjtNum h) { return erp * r / h; }

// (90), and a limit still ahead may be reached but not passed within the step, as a contact
mjtNum dual_bias_limit(mjtNum r, mjtNum erp, mjtNum h) { return r < 0 ? erp * r / h : r / h; }

// (91): what is deeper than the slop is pushed out by its share, a gap may be closed within the
// step
mjtNum dual_bias_contact(mjtNum gap, mjtNum slop, mjtNum erp, mjtNum h) {
  if (gap >= 0) return gap / h;
  return erp * fmin(0, gap + slop) / h;
}

// (105, 106, 113): c = (1 - d) / d, R = c D_ii, and the row is asked for v - h (b v + k r)
void dual_soften(mjtNum d, mjtNum k, mjtNum b, mjtNum diag, mjtNum r, mjtNum v, mjtNum h, mjtNum* R,
                 mjtNum* bias) {
  *R = (1 - d) / d * diag;
  *bias = h * (b * v + k * r) - v;
}
