// Contact with the dissipation of Hunt and Crossley, for models with the tuple "sinew:dissipation"
// (geoms, prm in s/m) beside "sinew:stiffness".
//
// With depth x and speed of approach w at the END of the step the normal force is
//
//   f = F(w) = k x (1 + c w),   x = x0 + h w,   0 where x < 0 or 1 + c w < 0
//
// whatever masses and time step are: no force that pulls, and no jump at first touch, as a damper
// has. What is given back follows from c and the speed v of the impact alone,
//
//   c v - ln(1 + c v) = -c e v - ln(1 - c e v),   e = 1 - 2/3 c v + ... for small c v
//
// (Hunt and Crossley, Coefficient of restitution interpreted as damping in vibroimpact, 1975).
//
// F is convex and grows with w where it is not zero. So the problem of the step, with F in place of
// a line, is solved by Newton's method: a row is the tangent of F at the w of the last solution,
//
//   f = F + F' (w - w_last),   F' = k (h (1 + c w_last) + c x_last)
//   R = 1 / (h F'),   aref = F / (h F') - (w_last + v) / h
//
// until F leaves the tangent by less than TOLERANCE of the force: one solve at rest, two or three
// in an impact. Inverse dynamics know w from qacc: one tangent is exact. Two geoms are springs in
// series and have the dissipation of their shares of the depth, c = (k2 c1 + k1 c2) / (k1 + k2).
#include <math.h>

#include "constrain/constrain.h"
#include "data/frame.h"
#include "hold/hold.h"
#include "solve/solve.h"

#define TOLERANCE 1e-13
enum { MOST_SOLVES = 10 };

bool dissipate_active(const mjModel* m, const mjData* d) {
  return m->ntuple && d->ncon && d->nefc && asked_tuple(m, "sinew:dissipation") >= 0;
}

// A contact and its law.
typedef struct snDissipative_ {
  const mjContact* con;
  mjtNum k, c;
  mjtNum depth, speed;  // x and v where the step begins
} snDissipative;

// The least w at which there is a force.
static mjtNum least_approach(const snDissipative* s, mjtNum h) {
  mjtNum touch = -s->depth / h;
  return s->c > 0 ? mju_max(touch, -1 / s->c) : touch;
}

static mjtNum force_at(const snDissipative* s, mjtNum h, mjtNum w, mjtNum* slope) {
  mjtNum x = s->depth + h * w, g = 1 + s->c * w;
  *slope = s->k * (h * g + s->c * x);
  return s->k * x * g;
}

// The rows become the tangent at w; by how much it misses the force at w, which the rows had a
// tangent of before, relative to the force.
static mjtNum set_tangent(const mjModel* m, mjData* d, const snDissipative* s, mjtNum w) {
  mjtNum h = m->opt.timestep, slope;
  int row = s->con->efc_address, n = contact_row_count(d, s->con);
  bool pyramid = contact_is_pyramid(d, s->con);
  w = mju_max(w, least_approach(s, h));
  mjtNum f = force_at(s, h, w, &slope);
  SN_ASSERT(row + n <= d->nefc && s->k > 0 && s->c >= 0);
  mjtNum R = mju_max(mjMINVAL, 1 / (h * mju_max(mjMINVAL, slope))), aref = 0;
  for (int i = 0; i < (pyramid ? n : 1); i++) aref += d->efc_aref[row + i] / (pyramid ? n : 1);
  // the tangent that the rows are now, at w
  mjtNum was = (aref + (w + s->speed) / h) / d->efc_R[row] * (pyramid ? n : 1);
  mjtNum change = f * R - (w + s->speed) / h - aref, scale = (pyramid ? n * R : R) / d->efc_R[row];
  for (int i = 0; i < (pyramid ? n : 1); i++) d->efc_aref[row + i] += change;
  for (int i = 0; i < n; i++) constrain_set_R(m, d, row + i, scale * d->efc_R[row + i]);
  return fabs(was - f) / mju_max(mjMINVAL, f + fabs(was));
}

// Rows of all contacts with a dissipation get their tangents at velocities v + h qacc. Returns how
// far the rows were from them.
static mjtNum set_tangents(const mjModel* m, mjData* d, const mjtNum* qacc) {
  snMemory* memory = memory_of(d);
  mjtNum *k, *c, *Ja, worst = 0;
  frame_open(memory);
  if (FRAME(memory, SN_ARRAY(k, m->ngeom), SN_ARRAY(c, m->ngeom), SN_ARRAY(Ja, d->nefc)) &&
      asked_geoms(m, "sinew:dissipation", c) && asked_geoms(m, "sinew:stiffness", k)) {
    mj_mulJacVec(m, d, Ja, qacc);
    for (int i = 0; i < d->ncon; i++) {
      const mjContact* con = d->contact + i;
      const int *geom = con->geom, row = con->efc_address;
      if (row < 0 || geom[0] < 0 || geom[1] < 0 || !(c[geom[0]] > 0 || c[geom[1]] > 0)) continue;
      snDissipative s = {.con = con,
                         .k = physical_series(k[geom[0]], k[geom[1]]) / physical_share(d, i),
                         .depth = d->efc_margin[row] - d->efc_pos[row],
                         .speed = contact_normal(d, con, d->efc_vel)};
      if (!(s.k > 0)) continue;
      s.c = k[geom[0]] > 0 && k[geom[1]] > 0
                ? (k[geom[1]] * c[geom[0]] + k[geom[0]] * c[geom[1]]) / (k[geom[0]] + k[geom[1]])
            : k[geom[0]] > 0 ? c[geom[0]]
                             : c[geom[1]];
      mjtNum w = -(s.speed + m->opt.timestep * contact_normal(d, con, Ja));
      if (!(fabs(w) < mjMAXVAL)) w = 0;
      worst = mju_max(worst, set_tangent(m, d, &s, w));
    }
  }
  frame_close(memory);
  return worst;
}

void dissipate_rows(const mjModel* m, mjData* d, const mjtNum* qacc) { set_tangents(m, d, qacc); }

void dissipate_solve(const mjModel* m, mjData* d) {
  mjtNum* guess;
  mj_markStack(d);
  if (FRAME(memory_of(d), SN_ARRAY(guess, m->nv))) {
    mju_copy(guess, d->qacc_warmstart, m->nv);
    set_tangents(m, d, guess);
  }
  for (int i = 0; i < MOST_SOLVES; i++) {
    solve_constraints(m, d);
    if (!(set_tangents(m, d, d->qacc) > TOLERANCE)) break;
  }
  mj_freeStack(d);
}
