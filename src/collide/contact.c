// From touches to contacts: the frame and the parameters.
//
// Parameters are those of an explicit pair, or mixed from the two sides by the documented rules
// (contact_mix), or overridden by the options. A contact with dist >= margin - gap is kept but
// excluded from the constraint rows.
#include "collide/contact.h"

#include <stddef.h>

#include "base/elementary.h"
#include "collide/collide.h"

// Normalize x and complete it with two tangents. The first is along y, or along a coordinate axis
// when y is zero or short.
SN_INLINE void frame_complete(snVec* x, snVec* y, snVec* z) {
  v_normalize(x);
  bool none = y->x == 0 && y->y == 0 && y->z == 0;
  if (none || v_norm(*y) < 0.5) *y = x->y < 0.5 && x->y > -0.5 ? v3(0, 1, 0) : v3(0, 0, 1);
  *y = v_along(*y, -v_dot(*x, *y), *x);
  v_normalize(y);
  *z = v_cross(*x, *y);
}

void collide_frame(mjtNum frame[9]) {
  snVec x = v_of(frame), y = v_of(frame + 3), z;
  frame_complete(&x, &y, &z);
  v_store(frame, x);
  v_store(frame + 3, y);
  v_store(frame + 6, z);
}

double contact_margin(const mjModel* m, int pair, int geom1, int geom2) {
  if (m->opt.enableflags & mjENBL_OVERRIDE) return m->opt.o_margin;
  return pair >= 0 ? m->pair_margin[pair] : sn_max(m->geom_margin[geom1], m->geom_margin[geom2]);
}

snContactSide contact_side_geom(const mjModel* m, int g) {
  return (snContactSide){m->geom_condim[g],           m->geom_priority[g],
                         m->geom_margin[g],           m->geom_gap[g],
                         m->geom_solmix[g],           m->geom_friction + 3 * g,
                         m->geom_solref + mjNREF * g, m->geom_solimp + mjNIMP * g};
}

snContactSide contact_side_flex(const mjModel* m, int f) {
  return (snContactSide){m->flex_condim[f],           m->flex_priority[f],
                         m->flex_margin[f],           m->flex_gap[f],
                         m->flex_solmix[f],           m->flex_friction + 3 * f,
                         m->flex_solref + mjNREF * f, m->flex_solimp + mjNIMP * f};
}

static void contact_finish(const mjModel* m, snContactParam* p, double gap) {
  if (m->opt.enableflags & mjENBL_OVERRIDE) {
    p->margin = m->opt.o_margin;
    memcpy(p->solref, m->opt.o_solref, sizeof p->solref);
    memcpy(p->solreffriction, m->opt.o_solref, sizeof p->solreffriction);
    memcpy(p->solimp, m->opt.o_solimp, sizeof p->solimp);
    memcpy(p->friction, m->opt.o_friction, sizeof p->friction);
  }
  for (int i = 0; i < 5; i++) p->friction[i] = sn_max(p->friction[i], mjMINMU);
  p->includemargin = p->margin - gap;
  p->mu = 0;
}

// Mixing: margin and gap are the larger of the two sides. The side of higher priority gives the
// rest. At equal priority condim and friction are the larger values, and solref and solimp the
// means weighted by solmix; when one solref is in direct form (not positive) solref is the smaller
// values.
void contact_mix(const mjModel* m, snContactParam* p, snContactSide a, snContactSide b) {
  double friction[3];
  p->margin = sn_max(a.margin, b.margin);
  if (a.priority != b.priority) {
    snContactSide s = a.priority > b.priority ? a : b;
    p->condim = s.condim;
    memcpy(friction, s.friction, sizeof friction);
    memcpy(p->solref, s.solref, sizeof p->solref);
    memcpy(p->solimp, s.solimp, sizeof p->solimp);
  } else {
    double mix;
    p->condim = a.condim > b.condim ? a.condim : b.condim;
    if (a.solmix >= mjMINVAL && b.solmix >= mjMINVAL)
      mix = a.solmix / (a.solmix + b.solmix);
    else if (a.solmix < mjMINVAL && b.solmix < mjMINVAL)
      mix = 0.5;
    else
      mix = a.solmix < mjMINVAL ? 0 : 1;
    bool standard = a.solref[0] > 0 && b.solref[0] > 0;
    for (int i = 0; i < mjNREF; i++) {
      p->solref[i] =
          standard ? mix * a.solref[i] + (1 - mix) * b.solref[i] : sn_min(a.solref[i], b.solref[i]);
    }
    for (int i = 0; i < mjNIMP; i++) p->solimp[i] = mix * a.solimp[i] + (1 - mix) * b.solimp[i];
    for (int i = 0; i < 3; i++) friction[i] = sn_max(a.friction[i], b.friction[i]);
  }
  static const int kUnpack[5] = {0, 0, 1, 2, 2};
  for (int i = 0; i < 5; i++) p->friction[i] = friction[kUnpack[i]];
  memset(p->solreffriction, 0, sizeof p->solreffriction);
  contact_finish(m, p, sn_max(a.gap, b.gap));
}

void contact_param_geoms(const mjModel* m, snContactParam* p, int geom1, int geom2) {
  contact_mix(m, p, contact_side_geom(m, geom1), contact_side_geom(m, geom2));
}

void contact_param_pair(const mjModel* m, snContactParam* p, int pair) {
  p->condim = m->pair_dim[pair];
  p->margin = m->pair_margin[pair];
  memcpy(p->friction, m->pair_friction + 5 * pair, sizeof p->friction);
  memcpy(p->solref, m->pair_solref + mjNREF * pair, sizeof p->solref);
  memcpy(p->solreffriction, m->pair_solreffriction + mjNREF * pair, sizeof p->solreffriction);
  memcpy(p->solimp, m->pair_solimp + mjNIMP * pair, sizeof p->solimp);
  contact_finish(m, p, m->pair_gap[pair]);
}

enum { kParamNums = offsetof(snContactParam, mu) / sizeof(double) + 1 };
_Static_assert(offsetof(mjContact, mu) - offsetof(mjContact, includemargin) ==
                   offsetof(snContactParam, mu) - offsetof(snContactParam, includemargin),
               "parameters stand as in mjContact");

// Do two touches have the same normal and tangent, bit for bit? Inlined: a call of memcmp takes
// longer.
SN_INLINE bool touch_same_frame(const snTouch* a, const snTouch* b) {
  uint64_t x[6], y[6], other = 0;
  memcpy(x, &a->normal, sizeof x);
  memcpy(y, &b->normal, sizeof y);
  for (int k = 0; k < 6; k++) other |= x[k] ^ y[k];
  return !other;
}

// Zero 36 numbers. Unrolled by hand: GCC turns a loop into `rep stos`, whose start-up takes longer
// than these stores.
SN_INLINE void clear36(mjtNum* H) {
  sn4 zero = sn4_set1(0);
  sn4_store(H, zero), sn4_store(H + 4, zero), sn4_store(H + 8, zero);
  sn4_store(H + 12, zero), sn4_store(H + 16, zero), sn4_store(H + 20, zero);
  sn4_store(H + 24, zero), sn4_store(H + 28, zero), sn4_store(H + 32, zero);
}

// Prefetch the cache lines of a contact kAhead places on: the arena of many contacts is not in the
// cache from the last step, and stores to it would wait.
SN_INLINE void contact_prefetch(const mjContact* con) {
  enum { kAhead = 8, kLine = 64 };
  const char* at = (const char*)(con + kAhead);
  SN_UNROLL
  for (int k = 0; k < (int)sizeof *con / kLine; k++) __builtin_prefetch(at + k * kLine, 1);
}

// Write n contacts, every byte once. Consecutive touches with the same normal and tangent share
// their frame. Vectors computed just before are stored number by number: a wider load of them would
// wait for the narrower stores.
SN_KERNEL static void contacts_write(mjContact* con, const snTouch* touch, int n,
                                     const snContactParam* p, const snParts* parts) {
  snVec x = {0, 0, 0}, y = x, z = x;
  for (int i = 0; i < n; i++, con++) {
    const snTouch* t = touch + i;
    contact_prefetch(con);
    if (i == 0 || !touch_same_frame(t, t - 1)) {
      x = t->normal, y = t->tangent;
      frame_complete(&x, &y, &z);
    }
    con->dist = t->dist;
    v_store(con->pos, t->pos);
    v_store(con->frame, x);
    v_store(con->frame + 3, y);
    v_store(con->frame + 6, z);
    SN_UNROLL
    for (int k = 0; k < kParamNums; k += 4) {
      sn4_store(&con->includemargin + k, sn4_load(&p->includemargin + k));
    }
    clear36(con->H);
    con->dim = p->condim;
    con->geom1 = parts->geom[0];
    con->geom2 = parts->geom[1];
    for (int k = 0; k < 2; k++) {
      con->geom[k] = parts->geom[k];
      con->flex[k] = parts->flex[k];
      con->elem[k] = parts->elem[k];
      con->vert[k] = parts->vert[k];
    }
    con->exclude = t->dist >= p->includemargin;
    con->efc_address = -1;
  }
}

bool contact_add(mjData* d, const snTouchList* list, const snContactParam* p,
                 const snParts* parts) {
  void* block = data_arena_alloc(d, list->n * sizeof(mjContact), 64);
  if (!block) {
    mj_warning(d, mjWARN_CONTACTFULL, d->ncon);
    return false;
  }
  if (!d->ncon) d->contact = block;
  contacts_write(d->contact + d->ncon, list->touch, list->n, p, parts);
  d->ncon += list->n;
  return true;
}

// Constraint rows made for the previous contacts are discarded: their indices no longer cover all
// contacts.
int mj_addContact(const mjModel* m, mjData* d, const mjContact* con) {
  (void)m;
  const mjContact copy = *con;  // con may point into the arena, which may move
  data_arena_keep_contacts(d);
  mjContact* block = data_arena_alloc(d, sizeof(mjContact), 64);
  if (!block) {
    mj_warning(d, mjWARN_CONTACTFULL, d->ncon);
    return 1;
  }
  if (!d->ncon) d->contact = block;
  SN_ASSERT(block == d->contact + d->ncon);  // contacts are adjacent in the arena
  d->contact[d->ncon++] = copy;
  return 0;
}
