// Travel: how far each geom has moved since the near list was made.
//
// A geom moves from position p and orientation R to p', R'. None of its points, at most `lever`
// from its center, moves by more than
//
//   |p' - p| + lever ||R' - R||,   ||R' - R|| = (Frobenius norm of R' - R) / sqrt(2),
//
// where the second equality holds for a difference of rotations. Positions are measured in a frame
// that moves with the mean position of all geoms, which changes no distance between geoms.
#include "collide/broad.h"

// Rounding error of a gap relative to the magnitude of positions: more than sums over kOldest steps
// (broad.h) accumulate.
static const double kDoubt = 1e-8;

// Four geoms at a time. `speed` is the smaller of the last two paces, so that a geom that a program
// has placed elsewhere does not count as fast. Lanes behind the last geom (`pad`) do not count.
SN_KERNEL bool travel_add(snBroad* b, const double* xpos, const double* xmat) {
  sn4 middle = {0, 0, 0, 0};
  for (int k = b->bodies.nactive - b->bodies.nmoving; k < b->bodies.nactive; k++) {
    middle += sn4_load_part(xpos + 3 * b->bodies.active[k], 3);
  }
  if (b->bodies.nmoving) middle *= 1.0 / b->bodies.nmoving;
  sn4 common = middle - sn4_load(b->travel.middle);
  sn4_store(b->travel.middle, middle);
  SN_ASSERT(b->bodies.nmoving <= b->bodies.nactive);  // those of moving bodies are the last ones
  sn4i inside = {-1, -1, -1, -1};
  sn4 fastest = {0, 0, 0, 0};
  for (int k = 0; k < b->bodies.nactive; k += 4) {
    sn4 shift[4], turn[4], far[4];
    SN_UNROLL
    for (int q = 0; q < 4; q++) {
      int g = b->bodies.active[k + q];
      const double *p = xpos + 3 * g, *R = xmat + 9 * g;
      double* last = b->travel.last + 12 * (k + q);
      sn4 pos = {p[0], p[1], p[2], R[8]}, low = sn4_load(R), high = sn4_load(R + 4);
      sn4 dp = pos - sn4_load(last), dl = low - sn4_load(last + 4), dh = high - sn4_load(last + 8);
      sn4 corner = {0, 0, 0, dp[3]};
      sn4_store(last, pos);
      sn4_store(last + 4, low);
      sn4_store(last + 8, high);
      far[q] = sn4_abs(pos) * (sn4){1, 1, 1, 0};
      dp -= common + corner;
      shift[q] = dp * dp;
      turn[q] = dl * dl + dh * dh + corner * corner;
    }
    sn4 moved = sn4_sqrt(sn4_sum4(shift[0], shift[1], shift[2], shift[3]));
    sn4 turned = sn4_sqrt(0.5 * sn4_sum4(turn[0], turn[1], turn[2], turn[3]));
    sn4 pace = moved + turned * sn4_load(b->travel.lever + k),
        travel = sn4_load(b->travel.sum + k) + pace;
    sn4_store(b->travel.speed + k, sn4_min(pace, sn4_load(b->travel.pace + k)));
    sn4_store(b->travel.pace + k, pace);
    sn4_store(b->travel.sum + k, travel);
    sn4_store(b->travel.doubt + k, kDoubt * (0.5 + sn4_sum4(far[0], far[1], far[2], far[3])));
    sn4i pad = (sn4i){k, k + 1, k + 2, k + 3} >= b->bodies.nactive;
    inside &= (travel <= sn4_load(b->list.reach + k)) | pad;
    fastest = sn4_max(sn4_select(pad, sn4_set1(0), pace), fastest);
  }
  b->travel.run += 2 * sn_max(sn_max(fastest[0], fastest[1]), sn_max(fastest[2], fastest[3]));
  return inside[0] & inside[1] & inside[2] & inside[3];
}
