// sinew check MODEL: mistakes and doubtful settings of a model. Every finding is one line: what,
// where, why it matters. Exit code 0: nothing found, 1: errors or findings.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sinew.h"

const char help_check[] =
    "Reads the model and says what is wrong or doubtful in it, one line each: errors\n"
    "that keep it from being read (all of them, as far as one can read on), numbers\n"
    "that are not finite, bodies without mass, impossible inertias, ranges that are\n"
    "reversed or switched off, geoms that overlap at rest, assets that nothing uses.\n\n"
    "Exit code: 0 nothing found, 1 something found, 2 wrong usage.\n";

static int findings;

// Names a geom, by its body if it has no name.
static const char* geom_of(const mjModel* m, int id) {
  static char text[2][220];
  static int turn;
  const char* name = mj_id2name(m, mjOBJ_GEOM, id);
  if (name) return describe(m, mjOBJ_GEOM, id);
  turn = !turn;
  snprintf(text[turn], sizeof(text[turn]), "%s of %s", describe(m, mjOBJ_GEOM, id),
           describe(m, mjOBJ_BODY, m->geom_bodyid[id]));
  return text[turn];
}

#define FOUND(...) (findings++, printf(__VA_ARGS__), printf("\n"))

// ---- bodies
static void check_bodies(const mjModel* m) {
  for (int i = 1; i < m->nbody; i++) {
    const mjtNum* I = m->body_inertia + 3 * i;
    double largest = fmax(I[0], fmax(I[1], I[2])), sum = I[0] + I[1] + I[2];
    if (m->body_dofnum[i] && m->body_subtreemass[i] < 1e-10) {
      FOUND("%s moves but it and all on it have no mass: forces on it have no finite acceleration",
            describe(m, mjOBJ_BODY, i));
    } else if (m->body_dofnum[i] && m->body_mass[i] <= 0) {
      FOUND("%s moves and has no mass of its own", describe(m, mjOBJ_BODY, i));
    }
    // triangle inequality: no principal moment exceeds the sum of the other two
    if (m->body_mass[i] > 0 && 2 * largest > sum * (1 + 1e-9)) {
      FOUND("%s: principal inertias %.3g %.3g %.3g break the triangle inequality",
            describe(m, mjOBJ_BODY, i), I[0], I[1], I[2]);
    }
    if (m->body_mass[i] > 0 && largest <= 0) {
      FOUND("%s has mass %.3g and no inertia", describe(m, mjOBJ_BODY, i), m->body_mass[i]);
    }
    // radius of gyration against the size of the model
    double radius = m->body_mass[i] > 0 ? sqrt(0.5 * sum / m->body_mass[i]) : 0;
    if (m->stat.extent > 0 && radius > 10 * m->stat.extent) {
      FOUND("%s: its inertia is that of mass spread over %.3g, the model's extent is %.3g (units?)",
            describe(m, mjOBJ_BODY, i), radius, m->stat.extent);
    }
  }
  double least = INFINITY, most = 0;
  int lightest = -1, heaviest = -1;
  for (int i = 1; i < m->nbody; i++) {
    if (m->body_mass[i] <= 0 || m->body_weldid[i] == 0) continue;
    if (m->body_mass[i] < least) least = m->body_mass[lightest = i];
    if (m->body_mass[i] > most) most = m->body_mass[heaviest = i];
  }
  if (lightest >= 0 && most > 1e6 * least) {
    FOUND("%s has mass %.3g and %s %.3g: a ratio over a million is hard on any solver",
          describe(m, mjOBJ_BODY, lightest), least, describe(m, mjOBJ_BODY, heaviest), most);
  }
}

// ---- ranges
static void check_range(const char* who, const char* what, int limited, const mjtNum* range) {
  if (limited && range[0] > range[1]) {
    FOUND("%s: %s is reversed, %.3g to %.3g", who, what, range[0], range[1]);
  } else if (limited && range[0] == range[1]) {
    FOUND("%s: %s is a single value, %.3g", who, what, range[0]);
  } else if (!limited && range[0] > range[1]) {
    FOUND("%s: %s is reversed, %.3g to %.3g, and so switched off", who, what, range[0], range[1]);
  } else if (!limited && range[0] != range[1]) {
    FOUND("%s: %s is given, %.3g to %.3g, but switched off", who, what, range[0], range[1]);
  }
}

static void check_ranges(const mjModel* m) {
  for (int i = 0; i < m->njnt; i++) {
    const char* who = describe(m, mjOBJ_JOINT, i);
    const mjtNum* r = m->jnt_range + 2 * i;
    check_range(who, "range", m->jnt_limited[i], r);
    check_range(who, "actuator force range", m->jnt_actfrclimited[i], m->jnt_actfrcrange + 2 * i);
    int scalar = m->jnt_type[i] == mjJNT_HINGE || m->jnt_type[i] == mjJNT_SLIDE;
    mjtNum q = m->qpos0[m->jnt_qposadr[i]];
    if (scalar && m->jnt_limited[i] && (q < r[0] || q > r[1])) {
      FOUND("%s: the reference position %.3g is outside its range %.3g to %.3g", who, q, r[0],
            r[1]);
    }
    if (m->jnt_type[i] == mjJNT_HINGE && m->jnt_limited[i] && r[1] - r[0] > 20) {
      FOUND("%s: a range of %.3g radians is more than three turns (degrees?)", who, r[1] - r[0]);
    }
  }
  for (int i = 0; i < m->ntendon; i++) {
    check_range(describe(m, mjOBJ_TENDON, i), "range", m->tendon_limited[i],
                m->tendon_range + 2 * i);
  }
  for (int i = 0; i < m->nu; i++) {
    const char* who = describe(m, mjOBJ_ACTUATOR, i);
    check_range(who, "control range", m->actuator_ctrllimited[i], m->actuator_ctrlrange + 2 * i);
    check_range(who, "force range", m->actuator_forcelimited[i], m->actuator_forcerange + 2 * i);
    check_range(who, "activation range", m->actuator_actlimited[i], m->actuator_actrange + 2 * i);
  }
}

// ---- contacts in the reference pose
static void check_overlaps(const mjModel* m) {
  enum { kMost = 20 };
  mjData* d = mj_makeData(m);
  if (!d) {
    FOUND("no data could be made for the model");
    return;
  }
  mj_resetData(m, d);
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_camlight(m, d);
  mj_collision(m, d);
  int shown = 0, hidden = 0;
  double extent = m->stat.extent > 0 ? m->stat.extent : 1;
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* c = d->contact + i;
    if (c->dist > -1e-3 * extent || c->geom[0] < 0 || c->geom[1] < 0) continue;
    int again = 0;
    for (int j = 0; j < i && !again; j++) {
      const mjContact* o = d->contact + j;
      again = o->geom[0] == c->geom[0] && o->geom[1] == c->geom[1] && o->dist <= -1e-3 * extent;
    }
    if (again) continue;
    if (shown++ < kMost) {
      FOUND("%s and %s overlap by %.3g at rest", geom_of(m, c->geom[0]), geom_of(m, c->geom[1]),
            -c->dist);
    } else {
      hidden++;
    }
  }
  if (hidden) FOUND("%d more pairs of geoms overlap at rest", hidden);
  mj_deleteData(d);
}

// ---- unused assets and classes
static void check_unused(const mjModel* m) {
  for (int i = 0; i < m->nmesh; i++) {
    int used = 0;
    for (int g = 0; g < m->ngeom && !used; g++) {
      // a primitive may have been fitted to the mesh
      used = m->geom_type[g] != mjGEOM_HFIELD && m->geom_dataid[g] == i;
    }
    if (!used) FOUND("%s is used by no geom", describe(m, mjOBJ_MESH, i));
  }
  for (int i = 0; i < m->nhfield; i++) {
    int used = 0;
    for (int g = 0; g < m->ngeom && !used; g++) {
      used = m->geom_type[g] == mjGEOM_HFIELD && m->geom_dataid[g] == i;
    }
    if (!used) FOUND("%s is used by no geom", describe(m, mjOBJ_HFIELD, i));
  }
  for (int i = 0; i < m->nmat; i++) {
    int used = 0;
    for (int k = 0; k < m->ngeom && !used; k++) used = m->geom_matid[k] == i;
    for (int k = 0; k < m->nsite && !used; k++) used = m->site_matid[k] == i;
    for (int k = 0; k < m->nskin && !used; k++) used = m->skin_matid[k] == i;
    for (int k = 0; k < m->nflex && !used; k++) used = m->flex_matid[k] == i;
    for (int k = 0; k < m->ntendon && !used; k++) used = m->tendon_matid[k] == i;
    if (!used) FOUND("%s is used by nothing", describe(m, mjOBJ_MATERIAL, i));
  }
  for (int i = 0; i < m->ntex; i++) {
    int used = m->tex_type[i] == mjTEXTURE_SKYBOX;
    for (int k = 0; k < m->nmat * mjNTEXROLE && !used; k++) used = m->mat_texid[k] == i;
    for (int k = 0; k < m->nlight && !used; k++) used = m->light_texid[k] == i;
    if (!used) FOUND("%s is used by no material", describe(m, mjOBJ_TEXTURE, i));
  }
}

// ---- options
static void check_options(const mjModel* m) {
  const mjOption* o = &m->opt;
  if (!(o->timestep > 0)) FOUND("option timestep is %g: time must go forward", o->timestep);
  if (o->timestep > 0.05)
    FOUND("option timestep is %g s: contacts want a few milliseconds", o->timestep);
  if (o->iterations < 1) FOUND("option iterations is %d: the solver never runs", o->iterations);
  double g = sqrt(o->gravity[0] * o->gravity[0] + o->gravity[1] * o->gravity[1] +
                  o->gravity[2] * o->gravity[2]);
  if (g > 100) FOUND("gravity is %.3g (units?)", g);
  for (int i = 0; i < m->ngeom; i++) {
    if ((m->geom_contype[i] || m->geom_conaffinity[i]) && m->geom_solref[2 * i] > 0 &&
        m->geom_solref[2 * i] < 2 * o->timestep && !(o->disableflags & mjDSBL_REFSAFE)) {
      FOUND("%s: solref time constant %.3g is below two time steps and will be raised to that",
            geom_of(m, i), m->geom_solref[2 * i]);
    }
  }
}

int command_check(int argc, char** argv) {
  if (argc != 2) return wrong_usage("check", "expected one model, got %d", argc - 1);
  if (argv[1][0] == '-') return wrong_usage("check", "unknown option %s", argv[1]);
  int errors;
  mjModel* m = check_load(argv[1], &errors);
  if (m) {
    findings += check_numbers(m);
    check_ranges(m);
    check_options(m);
    // after repairs these findings would describe the repair, not the model
    if (!errors) {
      check_bodies(m);
      check_overlaps(m);
      check_unused(m);
    } else {
      printf("masses, overlaps and unused assets were not looked at: mend the errors first\n");
    }
  }
  mj_deleteModel(m);
  if (errors) printf("%d error%s%s", errors, errors == 1 ? "" : "s", findings ? ", " : "\n");
  if (findings) {
    printf("%d finding%s\n", findings, findings == 1 ? "" : "s");
  } else if (!errors) {
    printf("nothing to say against it\n");
  }
  return findings > 0 || errors > 0;
}
