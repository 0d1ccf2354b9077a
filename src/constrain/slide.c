// Contacts that slide, of models with the text "sinew:friction" = "stick" (constrain/anchor.c).
//
// The cone of the soft model is associated: a contact that is asked for more friction than mu times
// its normal force gets more of both. With the damper, -b v, of a contact that slides that is a
// force that lifts it by mu b v / k, some centimeters at 1 m/s, so that bodies hop. Coulomb's
// friction does not: what goes beyond the cone is taken from the reference of the normal, as in the
// bipotential of de Saxce and Feng (1998),
//
//   aref_n <- aref_n - c,   c the least number such that the rows of the contact, asked for the
//                           friction q_j (mu_j times the spring and the damper), give no more
//                           normal force than without friction
//
// With p = R f_n for elliptic cones and p = R f_n / 2n for the 2n edges of a pyramid, f_n that of
// the last step, and y = p - c,
//
//   elliptic    c = |q| - mu^2 p where that is positive                      (mu the regularized one)
//   pyramidal   sum_j max(0, y + q_j) + max(0, y - q_j) = 2 n p
//
// c is zero for a contact that is well inside of its cone. A contact that slides is one row along
// n + mu t, and an acceleration a_t along the surface would act on the normal too. Its part in a
// contact that slides fast is taken back, behind a filter that is as slow as the contact's damper:
//
//   aref_n <- aref_n + min(c, max(-c, e)),   e <- e + (h b / (1 + h b)) (sum_j f_j a_j / f_n - e)
//
// The normal is never asked for more than without.
//
// A contact slides when friction is on the cone and the bodies move along each other, and when the
// spring alone asks for more than the cone has: it takes the last of its way after friction has
// given in. e and f_n are kept beside the anchor: the reference is a function of the state.
#include <math.h>

#include "constrain/constrain.h"

// In m/s. Slower than the first, friction on the cone may be that of a contact that comes to rest.
#define SLOWEST 1e-4
#define FAST 1e-2
#define ON_CONE 0.9999  // of the friction that the normal force allows

mjtNum slide_normal(const mjData* d, const mjContact* con) {
  const mjtNum* f = d->efc_force + con->efc_address;
  mjtNum sum = 0;
  if (!contact_is_pyramid(d, con)) return f[0];
  for (int i = 0; i < 2 * (con->dim - 1); i++) sum += f[i];
  return sum;
}

// Friction that is on the cone, as far as rounding lets see.
static bool on_cone(const mjData* d, const mjContact* con, mjtNum normal) {
  const mjtNum* f = d->efc_force + con->efc_address;
  bool pyramid = contact_is_pyramid(d, con);
  mjtNum sum = 0;
  for (int j = 0; j < con->dim - 1; j++) {
    mjtNum share = pyramid ? fabs(f[2 * j] - f[2 * j + 1]) : f[1 + j] / con->friction[j];
    sum += pyramid ? share : share * share;
  }
  return (pyramid ? sum : sqrt(sum)) > ON_CONE * normal;
}

int slide_kind(const mjData* d, const mjContact* con, mjtNum normal, mjtNum share,
               const mjtNum v[2]) {
  mjtNum speed2 = v[0] * v[0] + v[1] * v[1];
  if (!(share > 1) && !(speed2 > SLOWEST * SLOWEST && on_cone(d, con, normal))) return 0;
  return speed2 > FAST * FAST ? 2 : 1;
}

// The y of a pyramid, by Newton's method: the sum is convex in y and begins above 2 n p.
static mjtNum pyramid_level(const mjtNum* q, int n, mjtNum p) {
  mjtNum y = p;
  for (int i = 0; i < 2 * n; i++) {
    mjtNum sum = -2 * n * p;
    int slope = 0;
    for (int j = 0; j < n; j++) {
      if (y + q[j] > 0) sum += y + q[j], slope++;
      if (y - q[j] > 0) sum += y - q[j], slope++;
    }
    if (!slope || !(sum > 0)) break;
    y -= sum / slope;
  }
  return y;
}

static mjtNum excess(const mjData* d, const mjContact* con, const mjtNum* q, mjtNum normal) {
  const mjtNum* R = d->efc_R + con->efc_address;
  int n = con->dim - 1;
  if (contact_is_pyramid(d, con)) {
    mjtNum p = R[0] * normal / (2 * n), most = 0;
    for (int j = 0; j < n; j++) most = mju_max(most, q[j]);
    return most > p ? p - pyramid_level(q, n, p) : 0;
  }
  return mju_max(0, mju_norm(q, n) - con->friction[0] * con->friction[0] * R[1] * normal);
}

void slide_reference(mjData* d, const mjContact* con, const mjtNum* q, mjtNum normal, mjtNum lead) {
  // what a program wrote to the state may be anything
  if (!(normal > 0 && normal < mjMAXVAL)) normal = 0;
  mjtNum c = excess(d, con, q, normal), change = mju_clip(lead, -c, c) - c;
  if (!(change != 0 && fabs(change) < mjMAXVAL)) return;
  int rows = contact_is_pyramid(d, con) ? 2 * (con->dim - 1) : 1;
  for (int i = 0; i < rows; i++) d->efc_aref[con->efc_address + i] += change;
}

mjtNum slide_lead(const mjModel* m, const mjData* d, const mjContact* con, mjtNum normal,
                  mjtNum lead, const mjtNum* Jv) {
  const mjtNum* f = d->efc_force + con->efc_address;
  mjtNum h = m->opt.timestep, gain = h * d->efc_KBIP[4 * (con->efc_address + 1) + 1], power = 0;
  if (!(normal > 0)) return 0;
  for (int j = 0; j < con->dim - 1; j++) {
    mjtNum a = contact_tangent(d, con, Jv, j) - contact_tangent(d, con, d->efc_vel, j);
    power += a / h *
             (contact_is_pyramid(d, con) ? con->friction[j] * (f[2 * j] - f[2 * j + 1]) : f[1 + j]);
  }
  lead += gain / (1 + gain) * (power / normal - lead);
  return fabs(lead) < mjMAXVAL ? lead : 0;
}
