// Anchors of stuck contacts: friction with a position to hold.
//
// A friction row of the soft model has a damper and no spring, aref = -b v: at rest under a load
// its force is b v / R, so that a box on a slope creeps. A model with the text "sinew:friction" =
// "stick" has, per contact, the tangential displacement s since the contact stuck, and
//
//   aref = -b v - k d s - Jdot v   k of the contact's solref (or solreffriction), d its impedance
//
// so that v = 0 and k d s = R f at rest: a stuck contact holds. After the step, with the new
// velocity,
//
//   s' = s + h v' + h^2/2 Jdot v
//
// (points of bodies that turn leave the line of their velocity: what lies on a table that a motor
// turns would drift outwards), and the anchor moves back onto the cone when the spring alone would ask for more than friction
// gives (return mapping):
//
//   elliptic    |k d s_j / (R_j mu_j)|_2 <= f_n
//   pyramidal   sum_j mu_j k d |s_j| / R <= f_n
//
// which is also what bounds the force of a contact whose bodies the user has moved. With condim 4
// and 6, s has an angle about the normal and two about the tangents, under the same bounds. What
// spring and damper ask for beyond the cone is taken from the reference of the normal, so that a
// contact that slides does not lift off (constrain/slide.c).
//
// s is a function of the state alone, so that the inverse is as exact as it was. It is kept in the
// plugin_state of a built-in instance, the last of the model (plugin/friction.c): mj_getState,
// copy, reset and roll-outs know it. Every step rewrites the list, in the order of the contacts.
// A contact takes the nearest anchor of its couple of geoms, where the couple's mean motion has
// carried it: points that come and go under one stuck couple find the anchor of a neighbour.
// Mocap bodies have no velocity: their poses of the last two steps are kept in front of the anchors,
// s takes how far they have moved since, and the reference has their velocity and acceleration.
// Between steps s turns with the normal by the least rotation, and about the normal with the mean
// spin of both bodies: exact for bodies that turn together, and rolling leaves s alone.
#include <math.h>
#include <string.h>

#include "constrain/constrain.h"
#include "data/frame.h"

typedef struct snAnchor_ {
  mjtNum first, second;  // couple: geoms, or -1 - flex
  mjtNum pos[3];         // where the contact is expected
  mjtNum normal[3];
  mjtNum slip[3];  // displacement of the second relative to the first, in the plane of the contact
  mjtNum spin;     // angle about the normal
  mjtNum roll[3];  // angles about the tangents, as a vector of that plane
  mjtNum slides;   // in the last step: 0 no, 1 yes, 2 and fast
  mjtNum normal_force;  // of the last step
  mjtNum lead;          // of a contact that slides fast (constrain/slide.c)
} snAnchor;

enum { MOCAP_SIZE = 14 };  // poses of a mocap body in the last two steps
enum { ANCHOR_SIZE = sizeof(snAnchor) / sizeof(mjtNum), FEWEST = 32, PER_GEOM = 16 };

const char anchor_plugin_name[] = "sinew.friction";

int anchor_instance(const mjModel* m) { return model_builtin(m, snBUILTIN_FRICTION); }

// A count in front, two poses of each mocap body, then anchors: room for PER_GEOM contacts of every geom
// that can touch.
int anchor_state_size(const mjModel* m) {
  int geoms = 0;
  for (int i = 0; i < m->ngeom; i++) {
    geoms += m->body_weldid[m->geom_bodyid[i]] && (m->geom_contype[i] || m->geom_conaffinity[i]);
  }
  geoms += m->npair;
  for (int i = 0; i < m->nflex; i++) geoms += m->flex_vertnum[i];
  int room = geoms > (1 << 20) ? 1 << 20 : geoms;
  room = room * PER_GEOM < FEWEST ? FEWEST : room * PER_GEOM;
  return 1 + MOCAP_SIZE * m->nmocap + room * ANCHOR_SIZE;
}

// ---- the list in the state

typedef struct snAnchorList_ {
  mjtNum* count;  // of anchors in use
  mjtNum* mocap;  // position and quaternion of mocap bodies in the last step, and in the one before
  snAnchor* anchor;
  int n, room;
} snAnchorList;

// A program may write anything to the state: the count is taken when it is one.
static snAnchorList list_of(const mjModel* m, mjData* d, int instance) {
  mjtNum* state = d->plugin_state + m->plugin_stateadr[instance];
  int front = 1 + MOCAP_SIZE * m->nmocap,
      room = (m->plugin_statenum[instance] - front) / ANCHOR_SIZE;
  mjtNum count = room > 0 ? state[0] : 0;
  int n = count >= 1 && count <= room ? (int)count : 0;
  return (snAnchorList){.count = state,
                        .mocap = state + 1,
                        .anchor = (snAnchor*)(state + front),
                        .n = n,
                        .room = room};
}

static mjtNum side_of(const mjContact* con, int side) {
  return con->geom[side] >= 0 ? con->geom[side] : -1 - con->flex[side];
}

#define THERE 1e-6  // m: an anchor so near is the contact's own

SN_INLINE mjtNum distance2(const snAnchor* a, const mjContact* con) {
  mjtNum x = a->pos[0] - con->pos[0], y = a->pos[1] - con->pos[1], z = a->pos[2] - con->pos[2];
  return x * x + y * y + z * z;
}

// The anchor of a contact, NULL when its couple has none. The search begins behind the last one
// found: contacts keep their order from step to step.
static const snAnchor* find(const snAnchorList* list, const mjContact* con, int* cursor) {
  mjtNum first = side_of(con, 0), second = side_of(con, 1), least = mjMAXVAL;
  const snAnchor* best = NULL;
  int begin = -1;
  if (*cursor < list->n) {
    const snAnchor* a = list->anchor + *cursor;
    if (a->first == first && a->second == second && distance2(a, con) < THERE * THERE) {
      ++*cursor;
      return a;
    }
  }
  for (int k = 0; k < list->n && begin < 0; k++) {
    int i = *cursor + k < list->n ? *cursor + k : *cursor + k - list->n;
    if (list->anchor[i].first == first && list->anchor[i].second == second) begin = i;
  }
  if (begin < 0) return NULL;
  while (begin > 0 && list->anchor[begin - 1].first == first &&
         list->anchor[begin - 1].second == second) {
    begin--;
  }
  for (int i = begin; i < list->n; i++) {
    const snAnchor* a = list->anchor + i;
    if (a->first != first || a->second != second) break;
    mjtNum distance = distance2(a, con);
    if (!best || distance < least) best = a, least = distance, *cursor = i + 1;
  }
  return best;
}

// ---- displacements of one contact, in the order of its friction rows

// x of the plane of `from`, by the least rotation that takes `from` to `to`, both of length 1:
// x - (to.x) (from + to) / (1 + from.to).
static void transport(mjtNum* x, const mjtNum* from, const mjtNum* to) {
  if (from[0] == to[0] && from[1] == to[1] && from[2] == to[2]) return;
  mjtNum c = 1 + vec3_dot(from, to);
  if (!(c > 1e-3)) {  // turned over: nothing is left of the old plane
    mju_zero3(x);
    return;
  }
  mjtNum scale = vec3_dot(to, x) / c;
  for (int i = 0; i < 3; i++) x[i] -= scale * (from[i] + to[i]);
}

// How mocap bodies have moved since the last step: at the contact, and their rotation vectors; the
// second side relative to the first. `next` is what the point will move by if they go on, turned as
// they turn; `mean` has half of each side's, as a couple's mean motion.
typedef struct snMocapMotion_ {
  mjtNum linear[3], angular[3], next[3], mean_linear[3], mean_angular[3];
  mjtNum faster[3];  // second difference of the place of the point
} snMocapMotion;

// Where a point of a mocap body was that is at x now: `now` and `then` are its poses.
static void point_was(const mjtNum* x, const mjtNum* pos, const mjtNum* quat, const mjtNum* then,
                      mjtNum* was) {
  mjtNum back[4], arm[3], local[3];
  mju_negQuat(back, quat);
  mju_sub3(arm, x, pos);
  mju_rotVecQuat(local, arm, back);
  mju_rotVecQuat(was, local, then + 3);
  mju_addTo3(was, then);
}

static void add_mocap(const mjModel* m, const mjData* d, const snAnchorList* list,
                      const mjContact* con, int side, snMocapMotion* x) {
  if (con->geom[side] < 0) return;
  int body = m->body_rootid[m->geom_bodyid[con->geom[side]]], id = m->body_mocapid[body];
  if (id < 0) return;
  const mjtNum* old = list->mocap + MOCAP_SIZE * id;
  if (!(mju_norm(old + 3, 4) > .5)) return;  // no step yet
  // The other body's displacement is h J v: that of its center of mass is exact, and what it turns
  // by is linear in time. Here the same is done, so that bodies that turn together do not drift.
  int other = con->geom[!side] >= 0 ? m->geom_bodyid[con->geom[!side]] : -1;
  const mjtNum *center = other < 0 ? con->pos : d->xipos + 3 * other, *now = d->xpos + 3 * body;
  mjtNum back[4], turn[4], turned[3], at[3], was[3], arm[3], swept[3], moved[3], next[3];
  mjtNum sign = side ? 1 : -1;
  mju_negQuat(back, old + 3);
  mju_mulQuat(turn, d->xquat + 4 * body, back);
  mju_quat2Vel(turned, turn, 1);
  mju_negQuat(back, turn);
  mju_sub3(at, center, now);
  mju_rotVecQuat(was, at, back);
  for (int i = 0; i < 3; i++) moved[i] = center[i] - old[i] - was[i];
  mju_rotVecQuat(next, moved, turn);
  mju_sub3(at, con->pos, center);
  mju_rotVecQuat(arm, at, back);
  mju_cross(swept, turned, arm);
  mju_addTo3(moved, swept);
  mju_cross(swept, turned, at);
  mju_addTo3(next, swept);
  if (!(mju_norm3(moved) < mjMAXVAL && mju_norm3(turned) < mjMAXVAL)) return;
  if (mju_norm(old + 10, 4) > .5) {
    mjtNum one[3], two[3];
    point_was(con->pos, now, d->xquat + 4 * body, old, one);
    point_was(con->pos, now, d->xquat + 4 * body, old + 7, two);
    for (int i = 0; i < 3; i++) arm[i] = con->pos[i] - 2 * one[i] + two[i];
    if (mju_norm3(arm) < mjMAXVAL) mju_addToScl3(x->faster, arm, sign);
  }
  mju_addToScl3(x->linear, moved, sign);
  mju_addToScl3(x->angular, turned, sign);
  mju_addToScl3(x->next, next, sign);
  mju_addToScl3(x->mean_linear, moved, .5);
  mju_addToScl3(x->mean_angular, turned, .5);
}

// Displacements in the order of friction rows, from the contact's anchor (NULL: it has none), and
// what mocap bodies add to them in this step; without mocap bodies `mocap` is not written.
static void take(const mjModel* m, const mjData* d, const snAnchorList* list, const snAnchor* a,
                 const mjContact* con, mjtNum s[5], mjtNum moved[5], snMocapMotion* mocap) {
  const mjtNum* normal = con->frame;
  for (int j = 0; j < 5; j++) s[j] = moved[j] = 0;
  if (a) {
    mjtNum slip[3], roll[3];
    vec3_copy(slip, a->slip);
    transport(slip, a->normal, normal);
    s[0] = vec3_dot(slip, normal + 3);
    s[1] = vec3_dot(slip, normal + 6);
    s[2] = a->spin;
    if (con->dim > 4) {
      vec3_copy(roll, a->roll);
      transport(roll, a->normal, normal);
      s[3] = vec3_dot(roll, normal + 3);
      s[4] = vec3_dot(roll, normal + 6);
    }
  }
  if (m->nmocap) {
    memset(mocap, 0, sizeof *mocap);
    for (int side = 0; side < 2; side++) add_mocap(m, d, list, con, side, mocap);
    for (int j = 0; j < 2; j++) {
      moved[j] = vec3_dot(mocap->linear, normal + 3 + 3 * j);
      moved[3 + j] = vec3_dot(mocap->angular, normal + 3 + 3 * j);
    }
    moved[2] = vec3_dot(mocap->angular, normal);
    for (int j = 0; j < 5; j++) s[j] += moved[j];
  }
  // what a program wrote to the state may be NaN
  for (int j = 0; j < 5; j++) {
    if (!(fabs(s[j]) < mjMAXVAL)) s[j] = 0;
  }
}

// k d of the friction rows.
static mjtNum spring(const mjModel* m, const mjData* d, const mjContact* con) {
  const mjtNum* kbip = d->efc_KBIP + 4 * con->efc_address;
  mjtNum k = kbip[0], b;
  if (con->solreffriction[0] != 0 || con->solreffriction[1] != 0) {
    constrain_spring(m, con->solreffriction, con->solimp, &k, &b);
  }
  return k * kbip[2];
}

static bool has_friction(const mjData* d, const mjContact* con) {
  int first = con->efc_address, dim = con->dim;
  if (first < 0 || dim < 2 || first >= d->nefc) return false;  // contacts of other rows than these
  int type = d->efc_type[first], rows = type == mjCNSTR_CONTACT_ELLIPTIC ? dim : 2 * (dim - 1);
  return type != mjCNSTR_CONTACT_FRICTIONLESS && rows <= d->nefc - first;
}

// ---- bodies that turn together

// Is there a velocity beyond `slow`?
static bool faster(const mjModel* m, const mjData* d, mjtNum slow) {
  for (int i = 0; i < m->nv; i++) {
    if (!(fabs(d->qvel[i]) < slow)) return true;
  }
  return false;
}

#define STILL 1e-9  // m/s or rad/s: rounding, beside which nothing is carried on

// The bias of bodies, made when the first contact needs it; NULL without memory.
typedef struct snBias_ {
  const mjtNum* of;
  bool made;
} snBias;

static const mjtNum* bias_when_needed(const mjModel* m, mjData* d, snBias* bias) {
  mjtNum* of;
  if (bias->made) return bias->of;
  *bias = (snBias){NULL, true};
  if (FRAME(memory_of(d), SN_ARRAY(of, 6 * (size_t)m->nbody))) {
    bias_of_bodies(m, d, of);
    bias->of = of;
  }
  return bias->of;
}

// Jdot v of the friction rows, for contact points that are points of both bodies. Those of bodies
// that roll are not: w goes to zero with the share of rolling in how they turn,
//
//   w (a2 - a1),   w = |turn|^2 / (|turn|^2 + ROLLS |turn across the normal, relative|^2)
//
// What turns on a fixed body turns against it, and for mocap bodies add_mocap knows better. False:
// there is none.
static bool bend_of(const mjModel* m, mjData* d, const mjContact* con, snBias* bias,
                    mjtNum bend[5]) {
  static const mjtNum ROLLS = 1e4, LEAST = .01, SLOW = 1e-5;  // SLOW: (rad/s)^2
  mjtNum angular[2][3], linear[2][3], turn[3] = {0}, most = 0;
  int body[2];
  for (int side = 0; side < 2; side++) {
    if (con->geom[side] < 0) return false;
    body[side] = m->geom_bodyid[con->geom[side]];
    if (!m->body_weldid[body[side]] || m->body_mocapid[m->body_rootid[body[side]]] >= 0)
      return false;
    const mjtNum* v = d->cvel + 6 * body[side];
    for (int i = 0; i < 3; i++) turn[i] += side ? v[i] : -v[i];
    most += vec3_dot(v, v);
  }
  mjtNum about = vec3_dot(turn, con->frame), across = vec3_dot(turn, turn) - about * about;
  mjtNum w = most / (most + ROLLS * mju_max(0, across));
  if (!(most > SLOW && w > LEAST)) return false;
  const mjtNum* of = bias_when_needed(m, d, bias);
  if (!of) return false;
  for (int side = 0; side < 2; side++) {
    bias_at_point(m, d, of, body[side], con->pos, angular[side], linear[side]);
  }
  vec3_sub(linear[0], linear[1], linear[0]);
  vec3_sub(angular[0], angular[1], angular[0]);
  for (int j = 0; j < con->dim - 1; j++) {
    const mjtNum* axis = con->frame + 3 * (j < 2 ? 1 + j : j - 2);
    bend[j] = w * vec3_dot(j < 2 ? linear[0] : angular[0], axis);
    if (!(fabs(bend[j]) < mjMAXVAL)) bend[j] = 0;
  }
  return true;
}

void anchor_reference(const mjModel* m, mjData* d, int instance) {
  snAnchorList list = list_of(m, d, instance);
  frame_open(memory_of(d));
  snBias bias = {0};
  for (int c = 0, cursor = 0; c < d->ncon; c++) {
    const mjContact* con = d->contact + c;
    if (!has_friction(d, con)) continue;
    const snAnchor* a = find(&list, con, &cursor);
    snMocapMotion mocap;
    mjtNum s[5], moved[5], asked[5], kd = spring(m, d, con);
    mjtNum *aref = d->efc_aref + con->efc_address, b = d->efc_KBIP[4 * (con->efc_address + 1) + 1];
    take(m, d, &list, a, con, s, moved, &mocap);
    mjtNum bend[5] = {0};
    bend_of(m, d, con, &bias, bend);
    for (int j = 0; j < con->dim - 1; j++) {
      // velocity and acceleration of a contact are relative to how mocap bodies move
      mjtNum h = m->opt.timestep, pull = kd * s[j] + b * moved[j] / h + bend[j];
      if (j < 2 && m->nmocap) pull += mju_dot3(mocap.faster, con->frame + 3 + 3 * j) / (h * h);
      if (!contact_is_pyramid(d, con)) {
        aref[1 + j] -= pull;
        asked[j] = con->friction[j] * fabs(aref[1 + j]);
      } else {
        aref[2 * j] -= con->friction[j] * pull;
        aref[2 * j + 1] += con->friction[j] * pull;
        asked[j] = fabs(aref[2 * j] - aref[2 * j + 1]) / 2;
      }
    }
    slide_reference(d, con, asked, a ? a->normal_force : 0, a ? a->lead : 0);
  }
  frame_close(memory_of(d));
}

// Do all contacts of a couple slide that carry something? Those of a body that is drawn have
// different loads, and the first that give in leave the rest of the pull to the others.
static bool couple_slides(const snAnchorList* list, const snAnchor* a) {
  const snAnchor *first = a, *end = list->anchor + list->n;
  while (first > list->anchor && first[-1].first == a->first && first[-1].second == a->second) {
    first--;
  }
  for (; first < end && first->first == a->first && first->second == a->second; first++) {
    if (first->slides == 0 && first->normal_force > 0) return false;
  }
  return true;
}

void anchor_sliding(const mjModel* m, mjData* d, int instance, snSliding* sliding) {
  memset(sliding, 0, sizeof *sliding * (size_t)d->ncon);
  if (instance < 0) return;
  snAnchorList list = list_of(m, d, instance);
  for (int c = 0, cursor = 0; c < d->ncon && list.n; c++) {
    const mjContact* con = d->contact + c;
    const snAnchor* a = find(&list, con, &cursor);
    if (!a) continue;
    snMocapMotion mocap;
    mjtNum s[5], moved[5];
    take(m, d, &list, a, con, s, moved, &mocap);
    bool slides = a->slides == 2 || (a->slides == 1 && couple_slides(&list, a));
    sliding[c] = (snSliding){.along = s[0], .slides = slides, .known = true};
  }
}

// ---- after the step

// The force that the spring alone asks for, as a share of what friction gives at the normal force.
static mjtNum load(const mjData* d, const mjContact* con, mjtNum kd, mjtNum normal,
                   const mjtNum* s) {
  const mjtNum* R = d->efc_R + con->efc_address;
  mjtNum sum = 0;
  if (!contact_is_pyramid(d, con)) {
    for (int j = 0; j < con->dim - 1; j++) {
      mjtNum share = kd * s[j] / (R[1 + j] * con->friction[j]);
      sum += share * share;
    }
    sum = sqrt(sum);
  } else {
    for (int j = 0; j < con->dim - 1; j++) sum += con->friction[j] * kd * fabs(s[j]) / R[0];
  }
  return normal > 0 ? sum / normal : sum > 0 ? mjMAXVAL : 0;
}

// Where the couple's mean motion carries point and displacement in this step.
static void carry(const mjModel* m, const mjData* d, const mjContact* con,
                  const snMocapMotion* mocap, snAnchor* a) {
  mjtNum h = m->opt.timestep, spin = 0, arm[3], turned[3];
  vec3_copy(a->pos, con->pos);
  if (m->nmocap) {
    vec3_add(a->pos, a->pos, mocap->mean_linear);
    spin = vec3_dot(mocap->mean_angular, con->frame);
  }
  if (con->geom[0] < 0 || con->geom[1] < 0) return;
  for (int side = 0; side < 2; side++) {
    int body = m->geom_bodyid[con->geom[side]];
    if (!m->body_weldid[body]) continue;
    const mjtNum *v = d->cvel + 6 * body, *com = d->subtree_com + 3 * m->body_rootid[body];
    vec3_sub(arm, con->pos, com);
    vec3_cross(turned, v, arm);
    for (int i = 0; i < 3; i++) a->pos[i] += h / 2 * (v[3 + i] + turned[i]);
    spin += h / 2 * vec3_dot(v, con->frame);
  }
  vec3_cross(turned, con->frame, a->slip);
  for (int i = 0; i < 3; i++) a->slip[i] += spin * turned[i];
  if (con->dim < 5) return;
  vec3_cross(turned, con->frame, a->roll);
  for (int i = 0; i < 3; i++) a->roll[i] += spin * turned[i];
}

static snAnchor advanced(const mjModel* m, mjData* d, const snAnchorList* list,
                         const mjContact* con, const snAnchor* old, const mjtNum* Jv, snBias* bias,
                         bool still) {
  snMocapMotion mocap;
  mjtNum s[5], moved[5], bend[5], v[5] = {0}, h = m->opt.timestep, kd = spring(m, d, con);
  take(m, d, list, old, con, s, moved, &mocap);
  // the bound holds for what the next step will see, should mocap bodies go on as they do
  for (int j = 0; j < 2 && m->nmocap; j++) {
    moved[j] = vec3_dot(mocap.next, con->frame + 3 + 3 * j);
  }
  for (int j = 0; j < con->dim - 1; j++) {
    v[j] = contact_tangent(d, con, Jv, j) + moved[j] / h;
    s[j] += h * v[j];
  }
  bool bent = !still && bend_of(m, d, con, bias, bend);
  for (int j = 0; j < con->dim - 1 && bent; j++) s[j] += h * h / 2 * bend[j];
  mjtNum normal = slide_normal(d, con), share = load(d, con, kd, normal, s);
  snAnchor a = {.first = side_of(con, 0),
                .second = side_of(con, 1),
                .slides = slide_kind(d, con, normal, share, v),
                .normal_force = normal};
  if (a.slides == 2) a.lead = slide_lead(m, d, con, normal, old ? old->lead : 0, Jv);
  for (int j = 0; j < con->dim - 1; j++) {
    if (share > 1) s[j] /= share;
    if (!(fabs(s[j]) < mjMAXVAL)) s[j] = 0;
  }
  vec3_copy(a.normal, con->frame);
  for (int i = 0; i < 3; i++) {
    a.slip[i] = s[0] * con->frame[3 + i] + s[1] * con->frame[6 + i];
    if (con->dim > 4) a.roll[i] = s[3] * con->frame[3 + i] + s[4] * con->frame[6 + i];
  }
  a.spin = s[2];
  if (still)
    vec3_copy(a.pos, con->pos);
  else
    carry(m, d, con, &mocap, &a);
  // that is still to come, and does not turn with the couple
  a.spin -= moved[2];
  for (int i = 0; i < 3 && m->nmocap; i++) {
    a.slip[i] -= moved[0] * con->frame[3 + i] + moved[1] * con->frame[6 + i];
    a.roll[i] -= moved[3] * con->frame[3 + i] + moved[4] * con->frame[6 + i];
  }
  return a;
}

// Contacts of couples that sleep are not there, their anchors stay. Returns their number.
static int keep_sleeping(const mjModel* m, const mjData* d, const snAnchorList* list,
                         snAnchor* made) {
  const snAwake* sleepers = data_sleepers(d);
  int n = 0;
  for (int i = 0; sleepers && i < list->n; i++) {
    const snAnchor* a = list->anchor + i;
    bool geoms = a->first >= 0 && a->first < m->ngeom && a->second >= 0 && a->second < m->ngeom;
    if (geoms && sleepers->geom_still[(int)a->first] && sleepers->geom_still[(int)a->second]) {
      made[n++] = *a;
    }
  }
  return n;
}

void anchor_advance(const mjModel* m, mjData* d, int instance) {
  snAnchorList list = list_of(m, d, instance);
  snMemory* memory = memory_of(d);
  snAnchor* made;
  mjtNum* Jv;
  frame_open(memory);
  snBias bias = {0};
  bool still = !m->nmocap && !faster(m, d, STILL);
  if (FRAME(memory, SN_ARRAY(made, d->ncon + list.n), SN_ARRAY(Jv, d->nefc))) {
    int n = keep_sleeping(m, d, &list, made), missed = 0;
    if (d->nefc) mj_mulJacVec(m, d, Jv, d->qvel);
    for (int c = 0, cursor = 0; c < d->ncon; c++) {
      const mjContact* con = d->contact + c;
      if (!has_friction(d, con)) continue;
      if (n == list.room) {
        missed++;
        continue;
      }
      made[n++] = advanced(m, d, &list, con, find(&list, con, &cursor), Jv, &bias, still);
    }
    if (missed) {
      data_warn(d, snWARN_ANCHORS, "friction: %d contacts beyond the %d that have anchors creep",
                missed, list.room);
    }
    memcpy(list.anchor, made, sizeof(snAnchor) * (size_t)n);
    if (list.n > n) memset(list.anchor + n, 0, sizeof(snAnchor) * (size_t)(list.n - n));
    for (int i = 0; i < m->nmocap && list.room > 0; i++) {
      mjtNum* pose = list.mocap + MOCAP_SIZE * i;
      mju_copy(pose + 7, pose, 7);
      mju_copy3(pose, d->mocap_pos + 3 * i);
      mju_copy4(pose + 3, d->mocap_quat + 4 * i);
      mju_normalize4(pose + 3);
    }
    if (list.room > 0) *list.count = n;
  }
  frame_close(memory);
}
