// Friction that depends on direction and on whether a contact slides, for models with the tuples
// (geoms, prm the number)
//
//   sinew:across    friction across the x axis of the geom, as a share of friction along it
//   sinew:backward  friction against sliding towards -x of the geom, as a share of that towards +x
//   sinew:kinetic   friction of a contact that slides, as a share of that of one that is stuck
//
// Contacts have two tangential frictions, mu_1 along the first tangent and mu_2 along the second
// one, and the collision stage leaves the tangents where they fall. Here the first tangent turns
// into the direction of the geom's x axis x_g, as seen along the normal n,
//
//   t_1 = (x_g - n (n.x_g)) / |...|,   t_2 = n x t_1
//
// and mu_1 and mu_2 get their shares. Rows, cones, the inverse and derivatives see an ordinary
// contact. Of two geoms the first that has a direction decides it; of two shares of kinetic
// friction the smaller one holds.
//
// Whether a contact slides, and which way the load pulls it, is what its anchor knows
// (constrain/anchor.c): the sign of the displacement along t_1, and whether the contact slid in the
// last step. Both are state, so "backward" and "kinetic" ask for
// friction that holds. A contact that has just been made has no anchor: it slides if its bodies
// move along each other.
#include <math.h>

#include "constrain/constrain.h"
#include "data/frame.h"

typedef struct snGrain_ {
  mjtNum *across, *backward, *kinetic;  // by geom; 0: not asked for
} snGrain;

bool constrain_grain(const mjModel* m) {
  return asked_tuple(m, "sinew:across") >= 0 || asked_tuple(m, "sinew:backward") >= 0 ||
         asked_tuple(m, "sinew:kinetic") >= 0;
}

// The side of the geom whose x axis gives the direction; -1: neither has one.
static int side_with_grain(const snGrain* g, const mjContact* con) {
  for (int side = 0; side < 2; side++) {
    if (g->across[con->geom[side]] > 0 || g->backward[con->geom[side]] > 0) return side;
  }
  return -1;
}

// Turns the tangents; false where the axis stands on the surface and has no direction in it.
static bool turn_tangents(mjContact* con, const mjtNum* xmat) {
  mjtNum x[3] = {xmat[0], xmat[3], xmat[6]}, *n = con->frame, *t = con->frame + 3;
  mju_addToScl3(x, n, -mju_dot3(n, x));
  if (mju_normalize3(x) < 1e-6) return false;
  mju_copy3(t, x);
  mju_cross(con->frame + 6, n, t);
  return true;
}

static void turn_contact(const mjModel* m, const mjData* d, const snGrain* g, mjContact* con) {
  int side = side_with_grain(g, con);
  if (side >= 0 && turn_tangents(con, d->geom_xmat + 9 * con->geom[side])) {
    mjtNum across = g->across[con->geom[side]];
    if (across > 0) con->friction[1] = mju_max(mjMINMU, across * con->friction[0]);
  }
}

static void slide_contact(const snGrain* g, mjContact* con, snSliding sliding) {
  int side = side_with_grain(g, con);
  // an anchor's displacement is that of the second geom relative to the first
  mjtNum towards = side == 1 ? sliding.along : -sliding.along;
  mjtNum backward = side < 0 ? 0 : g->backward[con->geom[side]];
  if (backward > 0 && towards < 0) con->friction[0] = mju_max(mjMINMU, backward * con->friction[0]);
  mjtNum a = g->kinetic[con->geom[0]], b = g->kinetic[con->geom[1]];
  mjtNum kinetic = a > 0 && b > 0 ? mju_min(a, b) : mju_max(a, b);
  if (kinetic > 0 && sliding.slides) {
    for (int j = 0; j < 2; j++) con->friction[j] = mju_max(mjMINMU, kinetic * con->friction[j]);
  }
}

enum { SLOWEST = 1000 };  // 1/SLOWEST m/s: a new contact that is slower sticks

// A contact without an anchor, from the velocity of its second geom relative to the first.
static snSliding new_contact(const mjModel* m, const mjData* d, const mjContact* con, mjtNum* jac) {
  mjtNum v[3] = {0};
  for (int side = 0; side < 2; side++) {
    mj_jac(m, d, jac, NULL, con->pos, m->geom_bodyid[con->geom[side]]);
    for (int i = 0; i < 3; i++) v[i] += (side ? 1 : -1) * mju_dot(jac + i * m->nv, d->qvel, m->nv);
  }
  mjtNum x = mju_dot3(v, con->frame + 3), y = mju_dot3(v, con->frame + 6);
  return (snSliding){.along = x, .slides = sqrt(x * x + y * y) * SLOWEST > 1};
}

void grain_contacts(const mjModel* m, mjData* d) {
  snMemory* memory = memory_of(d);
  snGrain g;
  snSliding* sliding;
  mjtNum* jac;
  frame_open(memory);
  if (FRAME(memory, SN_ARRAY(g.across, m->ngeom), SN_ARRAY(g.backward, m->ngeom),
            SN_ARRAY(g.kinetic, m->ngeom), SN_ARRAY(sliding, d->ncon), SN_ARRAY(jac, 3 * m->nv))) {
    asked_geoms(m, "sinew:across", g.across);
    asked_geoms(m, "sinew:backward", g.backward);
    asked_geoms(m, "sinew:kinetic", g.kinetic);
    for (int c = 0; c < d->ncon; c++) {
      mjContact* con = d->contact + c;
      if (con->geom[0] >= 0 && con->geom[1] >= 0 && con->dim > 1) turn_contact(m, d, &g, con);
    }
    anchor_sliding(m, d, anchor_instance(m), sliding);  // along the tangents as they are now
    for (int c = 0; c < d->ncon; c++) {
      mjContact* con = d->contact + c;
      if (con->geom[0] < 0 || con->geom[1] < 0 || con->dim == 1) continue;
      slide_contact(&g, con, sliding[c].known ? sliding[c] : new_contact(m, d, con, jac));
    }
  }
  frame_close(memory);
}
