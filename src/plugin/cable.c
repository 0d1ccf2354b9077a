// mujoco.elasticity.cable: twist and bending of an inextensible cable, modeled as a chain of
// bodies.
//
// Relative to its parent a body is rotated by the rotation vector w, at rest by w0; L is the length
// of the segment. The moment at the joint between the two is
//   t = -(G J, E Iy, E Iz) / L * (w - w0)      in the parent's frame, with x along the cable.
// It acts on the body and, reversed, on the parent, so only the joints between the two feel a
// generalized force.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "plugin/config.h"
#include "plugin/first_party.h"

typedef struct snSegment_ {
  int body;
  int parent;           // segment of the parent body; -1: the cable begins here
  int joined;           // number of segments that begin or end here
  bool stiff;           // has a cross section; a body without one takes no moments
  double stiffness[3];  // G J / L, E Iy / L, E Iz / L
  double rest[3];       // w0
  double stress[3];     // mean moment at the two joints of the segment, in its frame
} snSegment;

typedef struct snElasticCable_ {
  double color_max;  // of |stress|; 0: geoms keep their colors
  int count;
  snSegment segment[];
} snElasticCable;

// Second moments of area J, Iy, Iz of the first geom of a body; false for other shapes.
//   round:  J = pi r^4 / 2, I = pi r^4 / 4
//   box 2a x 2b, a >= b:  J = a b^3 (16/3 - 3.36 b/a (1 - (b/a)^4 / 12)), I = width height^3 / 12
static bool cable_section(const mjModel* m, int body, double moment[3]) {
  int g = m->body_geomadr[body];
  moment[0] = moment[1] = moment[2] = 0;
  if (g < 0) return false;
  const double* size = m->geom_size + 3 * g;
  if (m->geom_type[g] == mjGEOM_CAPSULE || m->geom_type[g] == mjGEOM_CYLINDER) {
    double r4 = size[0] * size[0] * size[0] * size[0];
    moment[0] = mjPI * r4 / 2;
    moment[1] = moment[2] = mjPI * r4 / 4;
    return true;
  }
  if (m->geom_type[g] != mjGEOM_BOX) return false;
  double y = 2 * size[1], z = 2 * size[2], a = fmax(size[1], size[2]), b = fmin(size[1], size[2]);
  double thin = b / a;
  moment[0] = a * b * b * b * (16.0 / 3 - 3.36 * thin * (1 - thin * thin * thin * thin / 12));
  moment[1] = y * z * z * z / 12;
  moment[2] = z * y * y * y / 12;
  return true;
}

static void cable_turn(const double* parent, const double* child, double turn[3]) {
  double back[4], relative[4];
  mju_negQuat(back, parent);
  mju_mulQuat(relative, back, child);
  mju_quat2Vel(turn, relative, 1);
}

// The segment of a body among the first `count`, which are sorted by body; -1: none.
static int cable_find(const snElasticCable* cable, int count, int body) {
  int low = 0, high = count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (cable->segment[middle].body < body) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < count && cable->segment[low].body == body ? low : -1;
}

// Sets up segment k; its parent comes before it.
static bool cable_segment(snElasticCable* cable, const mjModel* m, int k, const double material[2],
                          bool flat) {
  snSegment* s = &cable->segment[k];
  double moment[3];
  SN_ASSERT(!k || cable->segment[k - 1].body < s->body);
  s->parent = cable_find(cable, k, m->body_parentid[s->body]);
  s->stiff = cable_section(m, s->body, moment);
  if (s->parent < 0) return true;
  // at qpos0 the pose of a body in its parent is body_pos, body_quat
  double length = mju_norm3(m->body_pos + 3 * s->body);
  if (s->stiff && !(length > 0)) {
    mju_warning("mujoco.elasticity.cable: body %d stands where its parent does; expected a length",
                s->body);
    return false;
  }
  for (int i = 0; i < 3; i++) s->stiffness[i] = s->stiff ? material[i > 0] * moment[i] / length : 0;
  if (!flat) mju_quat2Vel(s->rest, m->body_quat + 4 * s->body, 1);
  s->joined++;
  cable->segment[s->parent].joined++;
  return true;
}

static bool cable_flat(const mjModel* m, int instance) {
  const char* text = config_text(m, instance, "flat");
  if (text && strcmp(text, "true") && strcmp(text, "false")) {
    mju_warning("mujoco.elasticity.cable: flat=\"%.20s\" is taken as false; expected true or false",
                text);
  }
  return text && !strcmp(text, "true");
}

static int cable_init(const mjModel* m, mjData* d, int instance) {
  double material[2] = {0, 0}, color_max = 0;  // G, E
  if (!config_numbers(m, instance, "twist", 1, &material[0]) ||
      !config_numbers(m, instance, "bend", 1, &material[1]) ||
      !config_numbers(m, instance, "vmax", 1, &color_max)) {
    return -1;
  }
  if (!isfinite(material[0]) || !isfinite(material[1])) {
    mju_warning("mujoco.elasticity.cable: twist and bend must be finite");
    return -1;
  }
  int count = 0;
  for (int b = 1; b < m->nbody; b++) count += m->body_plugin[b] == instance;
  snElasticCable* cable =
      config_instance(d, instance, sizeof *cable + (size_t)count * sizeof *cable->segment);
  if (!cable) return -1;
  bool flat = cable_flat(m, instance);
  cable->color_max = color_max;
  for (int b = 1; b < m->nbody; b++) {
    if (m->body_plugin[b] == instance) cable->segment[cable->count++].body = b;
  }
  for (int k = 0; k < count; k++) {
    if (!cable_segment(cable, m, k, material, flat)) {
      config_destroy(d, instance);
      return -1;
    }
  }
  return 0;
}

static void cable_compute(const mjModel* m, mjData* d, int instance, int capability) {
  snElasticCable* cable = (snElasticCable*)d->plugin_data[instance];
  static const double kNone[3] = {0};
  for (int k = 0; k < cable->count; k++) mju_zero3(cable->segment[k].stress);
  for (int k = 0; k < cable->count; k++) {
    snSegment* s = &cable->segment[k];
    if (s->parent < 0) continue;
    snSegment* p = &cable->segment[s->parent];
    const double *child = d->xquat + 4 * s->body, *parent = d->xquat + 4 * p->body;
    double turn[3], moment[3], world[3], own[3], back[4];
    cable_turn(parent, child, turn);
    for (int i = 0; i < 3; i++) moment[i] = -s->stiffness[i] * (turn[i] - s->rest[i]);
    mju_rotVecQuat(world, moment, parent);
    mju_negQuat(back, child);
    mju_rotVecQuat(own, world, back);
    mju_addToScl3(s->stress, own, 1.0 / s->joined);
    mju_addToScl3(p->stress, moment, 1.0 / p->joined);
    int dof = m->body_dofadr[s->body];
    for (int i = dof; i < dof + m->body_dofnum[s->body]; i++) {
      d->qfrc_passive[i] += mju_dot3(d->cdof + 6 * i, world);
    }
    // a parent without cross section does not take the reversed moment
    if (s->stiff && !p->stiff) {
      mj_applyFT(m, d, kNone, world, d->xpos + 3 * p->body, p->body, d->qfrc_passive);
    }
  }
}

// Blue, cyan, green, yellow, red for x from 0 to 1.
static void cable_color(double x, float rgba[4]) {
  x = 4 * fmin(1, fmax(0, x));
  rgba[0] = (float)fmin(1, fmax(0, x - 2));
  rgba[1] = (float)(x < 1 ? x : x < 3 ? 1 : 4 - x);
  rgba[2] = (float)fmin(1, fmax(0, 2 - x));
}

// Writes colors to the model, which the interface passes as const.
static void cable_visualize(const mjModel* m, mjData* d, const mjvOption* option, mjvScene* scene,
                            int instance) {
  const snElasticCable* cable = (const snElasticCable*)d->plugin_data[instance];
  if (!(cable->color_max > 0)) return;
  for (int k = 0; k < cable->count; k++) {
    const snSegment* s = &cable->segment[k];
    int g = m->body_geomadr[s->body];
    if (g >= 0) cable_color(mju_norm3(s->stress) / cable->color_max, m->geom_rgba + 4 * g);
  }
}

static const char* const kAttribute[] = {"twist", "bend", "flat", "vmax"};

const mjpPlugin plugin_cable = {
    .name = "mujoco.elasticity.cable",
    .nattribute = 4,
    .attributes = kAttribute,
    .capabilityflags = mjPLUGIN_PASSIVE,
    .nstate = config_no_state,
    .init = cable_init,
    .destroy = config_destroy,
    .compute = cable_compute,
    .visualize = cable_visualize,
};
