// Contact parameters: those of an explicit pair, or mixed from the two sides, or overridden by the
// options.
#include "collide/contact.h"

#include "base/elementary.h"
#include "collide/collide.h"

void collide_frame(mjtNum frame[9]) {
  snVec x = v_of(frame), y = v_of(frame + 3);
  v_normalize(&x);
  if (v_norm(y) < 0.5) y = x.y < 0.5 && x.y > -0.5 ? v3(0, 1, 0) : v3(0, 0, 1);
  y = v_along(y, -v_dot(x, y), x);
  v_normalize(&y);
  v_store(frame, x);
  v_store(frame + 3, y);
  v_store(frame + 6, v_cross(x, y));
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

static void contact_override(const mjModel* m, snContactParam* p) {
  if (m->opt.enableflags & mjENBL_OVERRIDE) {
    p->margin = m->opt.o_margin;
    memcpy(p->solref, m->opt.o_solref, sizeof p->solref);
    memcpy(p->solreffriction, m->opt.o_solref, sizeof p->solreffriction);
    memcpy(p->solimp, m->opt.o_solimp, sizeof p->solimp);
    memcpy(p->friction, m->opt.o_friction, sizeof p->friction);
  }
  for (int i = 0; i < 5; i++) p->friction[i] = sn_max(p->friction[i], mjMINMU);
}

// Margin and gap are the larger ones. The side of higher priority gives the rest; between equals
// condim and friction are the larger ones and the solver parameters a mean weighted by solmix,
// except that solref in direct form (not positive) takes the smaller values.
void contact_mix(const mjModel* m, snContactParam* p, snContactSide a, snContactSide b) {
  double friction[3];
  p->margin = sn_max(a.margin, b.margin);
  p->gap = sn_max(a.gap, b.gap);
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
  contact_override(m, p);
}

void contact_param_geoms(const mjModel* m, snContactParam* p, int geom1, int geom2) {
  contact_mix(m, p, contact_side_geom(m, geom1), contact_side_geom(m, geom2));
}

void contact_param_pair(const mjModel* m, snContactParam* p, int pair) {
  p->condim = m->pair_dim[pair];
  p->margin = m->pair_margin[pair];
  p->gap = m->pair_gap[pair];
  memcpy(p->friction, m->pair_friction + 5 * pair, sizeof p->friction);
  memcpy(p->solref, m->pair_solref + mjNREF * pair, sizeof p->solref);
  memcpy(p->solreffriction, m->pair_solreffriction + mjNREF * pair, sizeof p->solreffriction);
  memcpy(p->solimp, m->pair_solimp + mjNIMP * pair, sizeof p->solimp);
  contact_override(m, p);
}

// Every byte of a contact is written, once. Neighbours with one normal share their frame.
static void contact_make(mjContact* con, const snContactParam* p, const snTouch* t,
                         const snParts* parts, bool same_frame) {
  con->dist = t->dist;
  v_store(con->pos, t->pos);
  if (same_frame) {
    memcpy(con->frame, con[-1].frame, sizeof con->frame);
  } else {
    v_store(con->frame, t->normal);
    v_store(con->frame + 3, t->tangent);
    collide_frame(con->frame);
  }
  con->includemargin = p->margin - p->gap;
  memcpy(con->friction, p->friction, sizeof con->friction);
  memcpy(con->solref, p->solref, sizeof con->solref);
  memcpy(con->solreffriction, p->solreffriction, sizeof con->solreffriction);
  memcpy(con->solimp, p->solimp, sizeof con->solimp);
  con->mu = 0;
  for (int i = 0; i < 36; i += 4) sn4_store(con->H + i, sn4_set1(0));
  con->dim = p->condim;
  con->geom1 = parts->geom[0];
  con->geom2 = parts->geom[1];
  memcpy(con->geom, parts->geom, sizeof con->geom);
  memcpy(con->flex, parts->flex, sizeof con->flex);
  memcpy(con->elem, parts->elem, sizeof con->elem);
  memcpy(con->vert, parts->vert, sizeof con->vert);
  con->exclude = con->dist >= con->includemargin;
  con->efc_address = -1;
}

bool contact_add(mjData* d, const snTouchList* list, const snContactParam* p, snParts parts) {
  void* block = data_arena_alloc(d, list->n * sizeof(mjContact), 64);
  if (!block) {
    mj_warning(d, mjWARN_CONTACTFULL, d->ncon);
    return false;
  }
  if (!d->ncon) d->contact = block;
  mjContact* con = d->contact + d->ncon;
  d->ncon += list->n;
  for (int i = 0; i < list->n; i++) {
    const snTouch* t = list->touch + i;
    bool same = i > 0 && !memcmp(&t->normal, &t[-1].normal, 2 * sizeof(snVec));
    contact_make(con + i, p, t, &parts, same);
  }
  return true;
}
