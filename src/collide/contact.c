// Contact parameters: those of an explicit pair, or mixed from the two sides, or overridden by the
// options.
#include "collide/contact.h"

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
  return pair >= 0 ? m->pair_margin[pair] : fmax(m->geom_margin[geom1], m->geom_margin[geom2]);
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
  for (int i = 0; i < 5; i++) p->friction[i] = fmax(p->friction[i], mjMINMU);
}

// Margin and gap are the larger ones. The side of higher priority gives the rest; between equals
// condim and friction are the larger ones and the solver parameters a mean weighted by solmix,
// except that solref in direct form (not positive) takes the smaller values.
void contact_mix(const mjModel* m, snContactParam* p, snContactSide a, snContactSide b) {
  double friction[3];
  p->margin = fmax(a.margin, b.margin);
  p->gap = fmax(a.gap, b.gap);
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
          standard ? mix * a.solref[i] + (1 - mix) * b.solref[i] : fmin(a.solref[i], b.solref[i]);
    }
    for (int i = 0; i < mjNIMP; i++) p->solimp[i] = mix * a.solimp[i] + (1 - mix) * b.solimp[i];
    for (int i = 0; i < 3; i++) friction[i] = fmax(a.friction[i], b.friction[i]);
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

mjContact* contact_append(const mjModel* m, mjData* d, int n) {
  void* block = data_arena_alloc(d, n * sizeof(mjContact), 64);
  if (!block) {
    mj_warning(d, mjWARN_CONTACTFULL, d->ncon);
    return NULL;
  }
  if (!d->ncon) d->contact = block;
  mjContact* con = d->contact + d->ncon;
  memset(con, 0, n * sizeof *con);
  for (int i = 0; i < n; i++) {
    con[i].geom1 = con[i].geom2 = -1;
    for (int k = 0; k < 2; k++)
      con[i].geom[k] = con[i].flex[k] = con[i].elem[k] = con[i].vert[k] = -1;
    con[i].efc_address = -1;
  }
  d->ncon += n;
  return con;
}

void contact_finish(mjContact* con, const snContactParam* p) {
  con->dim = p->condim;
  con->includemargin = p->margin - p->gap;
  memcpy(con->friction, p->friction, sizeof con->friction);
  memcpy(con->solref, p->solref, sizeof con->solref);
  memcpy(con->solreffriction, p->solreffriction, sizeof con->solreffriction);
  memcpy(con->solimp, p->solimp, sizeof con->solimp);
  con->exclude = con->dist >= con->includemargin;
  collide_frame(con->frame);
}
