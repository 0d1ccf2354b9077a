// Restitution in the soft step: contacts of geoms in the tuple "sinew:restitution" bounce.
//
// A soft contact is a spring and a damper, and what it gives back depends on masses, time step and
// solref. A contact with restitution e is looked at where it has closed since the last step
// (impact_timed): the instant of the impact and the parabola behind it are known, so that the step
// ends with the velocity and the gap of that parabola,
//
//   v' = -e v1 + a (t - t1),   g' = -e v1 (h - t1) + a (h - t1)^2 / 2
//
// whatever solref, masses and time step are. Within the problem that the solver sees, the contact
// is an ordinary row that asks for v',
//
//   aref = (v' - v) / h,   R = STIFF diag(J inv(M) J')
//
// so that forward and inverse dynamics agree, with qacc = (v' - v)/h. Tangents ask for what
// Coulomb's friction leaves of the slip speed s under the normal impulse,
//
//   s' = max(0, s - mu (A_ss / A_nn) (v' - v))
//
// Behind the integrator the rows that pushed get v' and g' to rounding, in the metric of M. An
// impact that is too slow to leave the surface within the step, as the last ones of a ball that
// comes to rest, is plastic when it is fast (v' = 0, g' = 0), and left to the soft contact when it
// is slow: contacts at rest are soft contacts. A contact that is still inside on its way out has no
// force. There is no state.
//
// No impact gains energy: the normal impulses cannot (e <= 1), and what friction or other contacts
// add to them is taken from the rebound.
//
// RK4 takes a step with an impact by Euler; inside of its stages contacts that have just closed
// have no force, the impact is that of the next step.
#include <math.h>
#include <string.h>

#include "constrain/constrain.h"
#include "hard/hard.h"
#include "maximal/maximal.h"
#include "smooth/smooth.h"
#include "hold/hold.h"

#define STIFF 1e-6     // of the diagonal of A: R of rows that bounce
#define LIMP 1e10      // the same in stages of RK4: no force
#define REST 1.5       // times |a| h: slower impacts are left to the soft contact
#define SINGULAR 1e-9  // of the diagonal of A: contacts that repeat each other share an impulse

bool bounce_active(const mjModel* m, const mjData* d) {
  return restitution_asked(m, d, NULL) && !hard_active(m, d) && !maximal_active(m);
}

// The row of the normal. An edge of a pyramid is the normal plus or minus mu times a tangent.
static void normal_row(const mjModel* m, const mjData* d, const mjContact* con, mjtNum* out) {
  bool pyramid = contact_is_pyramid(d, con);
  mju_zero(out, m->nv);
  for (int i = 0; i < 1 + pyramid; i++)
    constrain_add_row(m, d, con->efc_address + i, pyramid ? .5 : 1, out);
}

static void tangent_row(const mjModel* m, const mjData* d, const mjContact* con, int j,
                        mjtNum scale, mjtNum* out) {
  int row = con->efc_address;
  if (contact_is_pyramid(d, con)) {
    constrain_add_row(m, d, row + 2 * j, scale / (2 * con->friction[j]), out);
    constrain_add_row(m, d, row + 2 * j + 1, -scale / (2 * con->friction[j]), out);
  } else {
    constrain_add_row(m, d, row + 1 + j, scale, out);
  }
}

// The larger of the two geoms' restitutions; NaN when neither has one.
static mjtNum contact_restitution(const mjContact* con, const mjtNum* e) {
  mjtNum first = con->geom[0] < 0 ? NAN : e[con->geom[0]];
  mjtNum second = con->geom[1] < 0 ? NAN : e[con->geom[1]];
  return fmax(first, second);
}

// What a contact asks of the step; `a` is the normal acceleration without constraint forces.
// `parts`: it is inside, but on its way out, and needs no force.
static snImpact ask(const mjModel* m, mjtNum gap, mjtNum v, mjtNum a, mjtNum e, bool* parts) {
  mjtNum h = m->opt.timestep, lag = m->opt.integrator == mjINT_RK4 ? 0 : h / 2;
  // in a stack `a` is zero, though the bodies below hold those above against gravity
  mjtNum least = h * fmax(-a, mju_norm3(m->opt.gravity)), slow = REST * least;
  snImpact impact = impact_timed(gap, v + a * lag, a, e, h, h - lag);
  *parts = v > slow;
  if (impact.late || *parts) return (snImpact){.hit = false};
  if (!impact.hit || e * impact.speed <= least) {
    impact.hit = impact.speed > slow;
    impact.velocity = impact.gap = 0;
  }
  return impact;
}

// The contacts that bounce in this step, with the acceleration qacc without constraint forces; the
// arrays belong to the frame. False without memory.
typedef struct snBounces_ {
  int n;
  int* contact;      // (n)
  snImpact* impact;  // (n)
  bool* parts;       // (n) it has bounced: no force
  mjtNum* a;         // (n) normal acceleration without constraint forces
  mjtNum *J, *W;     // (n x nv) normal rows; inv(M) times them
} snBounces;

static bool find_bounces(const mjModel* m, mjData* d, const mjtNum* qacc, snBounces* out) {
  snMemory* memory = memory_of(d);
  mjtNum *e, *row;
  *out = (snBounces){0};
  if (!d->ncon || !d->nefc) return true;
  if (!FRAME(memory, SN_ARRAY(e, m->ngeom), SN_ARRAY(row, m->nv), SN_ARRAY(out->contact, d->ncon),
             SN_ARRAY(out->impact, d->ncon), SN_ARRAY(out->parts, d->ncon),
             SN_ARRAY(out->a, d->ncon)) ||
      !restitution_asked(m, d, e)) {
    return false;
  }
  for (int c = 0; c < d->ncon; c++) {
    const mjContact* con = d->contact + c;
    mjtNum rest = con->efc_address < 0 ? NAN : contact_restitution(con, e);
    if (isnan(rest)) continue;
    normal_row(m, d, con, row);
    mjtNum a = mju_dot(row, qacc, m->nv), gap = d->efc_pos[con->efc_address];
    bool* parts = out->parts + out->n;
    snImpact impact = ask(m, gap, contact_normal(d, con, d->efc_vel), a, rest, parts);
    if (!impact.hit && !*parts) continue;
    out->contact[out->n] = c;
    out->a[out->n] = a;
    out->impact[out->n++] = impact;
  }
  size_t size = (size_t)out->n * (size_t)m->nv;
  if (!out->n) return true;
  if (!FRAME(memory, SN_ARRAY(out->J, size), SN_ARRAY(out->W, size))) return false;
  for (int i = 0; i < out->n; i++) {
    normal_row(m, d, d->contact + out->contact[i], out->J + (size_t)i * (size_t)m->nv);
  }
  mj_solveM(m, d, out->W, out->J, out->n);
  return true;
}

// ---- in the problem of the solver

// The tangential accelerations that friction asks for; `change` is that of the normal velocity.
static void ask_friction(const mjModel* m, mjData* d, const mjContact* con, mjtNum A, mjtNum change,
                         mjtNum* row, mjtNum* W, mjtNum aref[2]) {
  int n = con->dim > 2 ? 2 : 0;
  mjtNum slip[2] = {0}, speed = 0;
  aref[0] = aref[1] = 0;
  for (int j = 0; j < n; j++) slip[j] = contact_tangent(d, con, d->efc_vel, j);
  speed = sqrt(slip[0] * slip[0] + slip[1] * slip[1]);
  if (!(speed > mjMINVAL)) return;
  mju_zero(row, m->nv);
  for (int j = 0; j < n; j++) tangent_row(m, d, con, j, slip[j] / speed, row);
  mj_solveM(m, d, W, row, 1);
  // friction along the slip, of an ellipse with half axes mu_1 and mu_2
  mjtNum x = slip[0] / (speed * con->friction[0]), y = slip[1] / (speed * con->friction[1]);
  mjtNum mu = 1 / sqrt(x * x + y * y);
  mjtNum lost = fmin(speed, mu * mju_dot(row, W, m->nv) / A * change);
  for (int j = 0; j < n; j++) aref[j] = -lost * slip[j] / (speed * m->opt.timestep);
}

static void set_contact(const mjModel* m, mjData* d, const snBounces* b, int i, bool limp,
                        mjtNum* row, mjtNum* W) {
  const mjContact* con = d->contact + b->contact[i];
  int adr = con->efc_address, nv = m->nv;
  mjtNum A = mju_dot(b->J + (size_t)i * (size_t)nv, b->W + (size_t)i * (size_t)nv, nv);
  mjtNum change = b->impact[i].velocity - contact_normal(d, con, d->efc_vel), tangent[2];
  SN_ASSERT(adr >= 0 && adr + contact_row_count(d, con) <= d->nefc);
  mjtNum R = mju_max(mjMINVAL, (limp ? LIMP : STIFF) * A), normal = change / m->opt.timestep;
  ask_friction(m, d, con, mju_max(mjMINVAL, A), fmax(0, change), row, W, tangent);
  if (contact_is_pyramid(d, con)) {
    int n = 2 * (con->dim - 1);
    for (int j = 0; j < con->dim - 1; j++) {
      mjtNum t = j < 2 ? tangent[j] : contact_tangent(d, con, d->efc_aref, j);
      d->efc_aref[adr + 2 * j] = normal + con->friction[j] * t;
      d->efc_aref[adr + 2 * j + 1] = normal - con->friction[j] * t;
    }
    for (int k = 0; k < n; k++) constrain_set_R(m, d, adr + k, n * R);
    return;
  }
  bool elliptic = d->efc_type[adr] == mjCNSTR_CONTACT_ELLIPTIC;
  mjtNum scale = R / d->efc_R[adr];
  d->efc_aref[adr] = normal;
  for (int k = 0; k < (elliptic ? con->dim : 1); k++) {
    if (k == 1 || k == 2) d->efc_aref[adr + k] = tangent[k - 1];
    constrain_set_R(m, d, adr + k, scale * d->efc_R[adr + k]);
  }
}

void bounce_rows(const mjModel* m, mjData* d, const mjtNum* qacc) {
  snMemory* memory = memory_of(d);
  snBounces b;
  mjtNum *row, *W;
  frame_open(memory);
  if (find_bounces(m, d, qacc, &b) && b.n &&
      FRAME(memory, SN_ARRAY(row, m->nv), SN_ARRAY(W, m->nv))) {
    bool inner = ((const snData*)d)->inner;
    for (int i = 0; i < b.n; i++) set_contact(m, d, &b, i, inner || b.parts[i], row, W);
  }
  frame_close(memory);
}

// ---- behind the integrator

// A = J inv(M) J', factored, for the bounces that pushed; b gets smaller by the others.
static bool factor_bounces(const mjModel* m, mjData* d, snBounces* b, mjtNum* A) {
  size_t nv = (size_t)m->nv;
  int n = 0;
  for (int i = 0; i < b->n; i++) {
    const mjContact* con = d->contact + b->contact[i];
    int rows = contact_is_pyramid(d, con) ? 2 * (con->dim - 1) : 1;
    mjtNum push = mju_sum(d->efc_force + con->efc_address, rows);
    if (b->parts[i] || !(push > 0)) continue;
    b->contact[n] = b->contact[i];
    b->impact[n] = b->impact[i];
    b->a[n] = b->a[i];
    memmove(b->J + (size_t)n * nv, b->J + (size_t)i * nv, nv * sizeof(mjtNum));
    memmove(b->W + (size_t)n * nv, b->W + (size_t)i * nv, nv * sizeof(mjtNum));
    n++;
  }
  SN_ASSERT(n <= b->n);
  b->n = n;
  mju_mulMatMatT(A, b->J, b->W, n, m->nv, n);
  for (int i = 0; i < n; i++) A[i * n + i] += SINGULAR * A[i * n + i] + mjMINVAL;
  return n && mju_cholFactor(A, n, mjMINVAL) == n;
}

// x += inv(M) J' inv(A) b; `b` gets inv(A) b.
static void project(const mjModel* m, const snBounces* bounce, const mjtNum* A, mjtNum* b,
                    mjtNum* change) {
  mju_cholSolve(b, A, b, bounce->n);
  mju_mulMatTVec(change, bounce->W, b, bounce->n, m->nv);
}

// M x y / 2 for velocities x, y.
static mjtNum energy(const mjModel* m, const mjData* d, const mjtNum* x, const mjtNum* y,
                     mjtNum* scratch) {
  mj_mulM(m, d, scratch, x);
  return mju_dot(scratch, y, m->nv) / 2;
}

// Takes from the rebound what the impulses of the step gained against the velocity `loose` without
// them. The impact is inside of the step, so that normal impulses p have, in the time between it
// and where velocities are kept, work p a t that positions pay for where `a` is gravity's, towards
// the surface.
static void lose_gain(const mjModel* m, mjData* d, const snBounces* b, const mjtNum* A,
                      const mjtNum* loose, mjtNum* y, mjtNum* change, mjtNum* scratch) {
  mjtNum h = m->opt.timestep, kept = m->opt.integrator == mjINT_RK4 ? h : h / 2;
  mjtNum gain = energy(m, d, d->qvel, d->qvel, scratch) - energy(m, d, loose, loose, scratch);
  for (int i = 0; i < b->n; i++) {
    const mjContact* con = d->contact + b->contact[i];
    int rows = contact_is_pyramid(d, con) ? 2 * (con->dim - 1) : 1;
    mjtNum impulse = h * mju_sum(d->efc_force + con->efc_address, rows);
    gain -= impulse * fmin(0, b->a[i]) * (kept - b->impact[i].time);
    y[i] = b->impact[i].velocity;
  }
  if (!(gain > 0)) return;
  project(m, b, A, y, change);
  // energy(v - s u) = energy - s 2 energy(v, u) + s^2 energy(u, u)
  mjtNum linear = energy(m, d, d->qvel, change, scratch);
  mjtNum square = energy(m, d, change, change, scratch);
  mjtNum root = linear * linear - square * gain;
  mjtNum s = square > 0 ? (linear - sqrt(fmax(0, root))) / square : 0;
  if (s > 0) mju_addToScl(d->qvel, change, -fmin(1, s), m->nv);
}

bool bounce_begin(const mjModel* m, mjData* d, snBouncing* b) {
  *b = (snBouncing){0};
  snBounces* list;
  if (!FRAME(memory_of(d), SN_ARRAY(list, 1)) || !find_bounces(m, d, d->qacc_smooth, list) ||
      !list->n) {
    return false;
  }
  size_t n = (size_t)list->n, nv = (size_t)m->nv;
  if (!FRAME(memory_of(d), SN_ARRAY(b->A, n * n), SN_ARRAY(b->loose, nv), SN_ARRAY(b->change, nv),
             SN_ARRAY(b->scratch, nv), SN_ARRAY(b->y, n), SN_ARRAY(b->gap, n))) {
    return false;
  }
  if (!factor_bounces(m, d, list, b->A)) return false;
  b->list = list;
  for (int i = 0; i < m->nv; i++) b->loose[i] = d->qvel[i] + m->opt.timestep * d->qacc_smooth[i];
  for (int i = 0; i < list->n; i++) {
    b->gap[i] = d->efc_pos[d->contact[list->contact[i]].efc_address];
  }
  return true;
}

void bounce_end(const mjModel* m, mjData* d, snBouncing* b) {
  const snBounces* list = b->list;
  mjtNum h = m->opt.timestep;
  int n = list->n;
  // positions first: they moved with the velocity of the integrator
  mju_mulMatVec(b->y, list->J, d->qvel, n, m->nv);
  for (int i = 0; i < n; i++) b->y[i] = list->impact[i].gap - b->gap[i] - h * b->y[i];
  project(m, list, b->A, b->y, b->change);
  manifold_integrate_moving(m, d, d->qpos, b->change, 1);
  mju_mulMatVec(b->y, list->J, d->qvel, n, m->nv);
  for (int i = 0; i < n; i++) b->y[i] = list->impact[i].velocity - b->y[i];
  project(m, list, b->A, b->y, b->change);
  mju_addTo(d->qvel, b->change, m->nv);
  lose_gain(m, d, list, b->A, b->loose, b->y, b->change, b->scratch);
}
