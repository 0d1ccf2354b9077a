// mujoco.elasticity.shell: bending of an inextensible plate, modeled as a flex of triangles.
//
// An interior edge and the corners of its two triangles, x = (x0, x1, x2, x3), have the bending
// energy
//   1/2 Q |sum_i c_i x_i|^2,   Q = mu t^3 / (8 (A0 + A1)),   mu = young / (2 (1 + poisson)),
// with c the cotangent weights of the flat rest shape (Bergou et al. 2006, A quadratic bending
// model for inextensible surfaces). Flexes have the same model natively with elastic2d="bend"; the
// plugin applies it to flexes whose bodies use an instance.
#include <math.h>

#include "data/frame.h"
#include "plugin/config.h"
#include "plugin/first_party.h"

typedef struct snHinge_ {
  int vertex[4];     // ends of the edge, then the opposite corners; indices among all flex vertices
  double stiffness;  // Q
  double weight[4];  // c
} snHinge;

typedef struct snShell_ {
  int count;
  snHinge hinge[];
} snShell;

static bool shell_owns(const mjModel* m, int flex, int instance) {
  if (m->flex_dim[flex] != 2) return false;
  for (int i = 0; i < m->flex_vertnum[flex]; i++) {
    if (m->body_plugin[m->flex_vertbodyid[m->flex_vertadr[flex] + i]] == instance) return true;
  }
  return false;
}

// Position of a vertex at qpos0.
static void vertex_rest(const mjModel* m, int flex, int vertex, double pos[3]) {
  int index = m->flex_vertadr[flex] + vertex, body = m->flex_vertbodyid[index];
  mju_zero3(pos);
  if (!m->flex_centered[flex]) mju_copy3(pos, m->flex_vert + 3 * index);
  for (; body > 0; body = m->body_parentid[body]) {
    double turned[3];
    mju_rotVecQuat(turned, pos, m->body_quat + 4 * body);
    mju_add3(pos, turned, m->body_pos + 3 * body);
  }
}

// Cotangent of the angle at `at` between p and q, and twice the area of the triangle.
static double cotangent(const double at[3], const double p[3], const double q[3], double* area2) {
  double a[3], b[3], cross[3];
  mju_sub3(a, p, at);
  mju_sub3(b, q, at);
  mju_cross(cross, a, b);
  *area2 = mju_norm3(cross);
  return mju_dot3(a, b) / *area2;
}

// Stiffness and weights; false for degenerate triangles.
static bool hinge_measure(snHinge* h, double x[4][3], double mu, double thickness) {
  double first, second;
  double a02 = cotangent(x[0], x[1], x[2], &first), a03 = cotangent(x[0], x[1], x[3], &second);
  double a12 = cotangent(x[1], x[0], x[2], &first), a13 = cotangent(x[1], x[0], x[3], &second);
  if (!(first > 0) || !(second > 0)) return false;
  h->weight[0] = a12 + a13;
  h->weight[1] = a02 + a03;
  h->weight[2] = -a02 - a12;
  h->weight[3] = -a03 - a13;
  h->stiffness = mu * thickness * thickness * thickness / (4 * (first + second));
  return true;
}

// The corner of a triangle that is not on an edge.
static int corner_across(const int element[3], const int edge[2]) {
  for (int k = 0; k < 3; k++) {
    if (element[k] != edge[0] && element[k] != edge[1]) return element[k];
  }
  return -1;
}

// Hinges of a flex, appended to the list unless it is NULL; returns their number, -1 with a
// warning.
static int shell_hinges(const mjModel* m, int flex, double mu, double thickness, snHinge* out) {
  int count = 0, edges = m->flex_edgenum[flex];
  int* across = memory_alloc((size_t)(2 * edges + 1) * sizeof *across);
  if (!across) {
    mju_warning("mujoco.elasticity.shell: no memory");
    return -1;
  }
  for (int i = 0; i < 2 * edges; i++) across[i] = -1;
  const int* edge = m->flex_edge + 2 * m->flex_edgeadr[flex];
  const int* element = m->flex_elem + m->flex_elemdataadr[flex];
  const int* element_edge = m->flex_elemedge + m->flex_elemedgeadr[flex];
  for (int i = 0; i < 3 * m->flex_elemnum[flex]; i++) {
    int e = element_edge[i], *place = across + 2 * e;
    place[place[0] >= 0] = corner_across(element + 3 * (i / 3), edge + 2 * e);
  }
  for (int e = 0; e < edges && count >= 0; e++) {
    if (across[2 * e] < 0 || across[2 * e + 1] < 0) continue;
    int local[4] = {edge[2 * e], edge[2 * e + 1], across[2 * e], across[2 * e + 1]};
    snHinge hinge;
    double x[4][3];
    for (int i = 0; i < 4; i++) {
      hinge.vertex[i] = m->flex_vertadr[flex] + local[i];
      vertex_rest(m, flex, local[i], x[i]);
    }
    if (!hinge_measure(&hinge, x, mu, thickness)) {
      mju_warning("mujoco.elasticity.shell: flex %d has a triangle without area", flex);
      count = -1;
      break;
    }
    if (out) out[count] = hinge;
    count++;
  }
  memory_free(across);
  return count;
}

static int shell_init(const mjModel* m, mjData* d, int instance) {
  double young = 0, poisson = 0, thickness = 0;
  if (!config_number(m, instance, "young", 0, &young) ||
      !config_number(m, instance, "poisson", 0, &poisson) ||
      !config_number(m, instance, "thickness", 0, &thickness)) {
    return -1;
  }
  if (!isfinite(young) || !isfinite(thickness) || !(poisson < 0.5)) {
    mju_warning(
        "mujoco.elasticity.shell: instance %d: expected finite young and thickness, poisson "
        "in [0, 0.5)",
        instance);
    return -1;
  }
  double mu = young / (2 * (1 + poisson));
  int count = 0;
  for (int f = 0; f < m->nflex; f++) {
    int more = shell_owns(m, f, instance) ? shell_hinges(m, f, mu, thickness, NULL) : 0;
    if (more < 0) return -1;
    count += more;
  }
  snShell* shell =
      config_instance(d, instance, sizeof *shell + (size_t)count * sizeof *shell->hinge);
  if (!shell) return -1;
  for (int f = 0; f < m->nflex; f++) {
    if (!shell_owns(m, f, instance)) continue;
    int more = shell_hinges(m, f, mu, thickness, shell->hinge + shell->count);
    if (more < 0) {
      config_destroy(d, instance);
      return -1;
    }
    shell->count += more;
  }
  return 0;
}

// Forces -Q c_i sum_j c_j x_j, accumulated per vertex, then applied to the bodies.
static void shell_compute(const mjModel* m, mjData* d, int instance, int capability) {
  const snShell* shell = (const snShell*)d->plugin_data[instance];
  mj_markStack(d);
  double* force;
  if (FRAME(memory_of(d), SN_ARRAY(force, 3 * (size_t)m->nflexvert))) {
    mju_zero(force, 3 * m->nflexvert);
    for (int k = 0; k < shell->count; k++) {
      const snHinge* h = &shell->hinge[k];
      double bend[3] = {0, 0, 0};
      for (int i = 0; i < 4; i++) {
        mju_addToScl3(bend, d->flexvert_xpos + 3 * h->vertex[i], h->weight[i]);
      }
      for (int i = 0; i < 4; i++) {
        mju_addToScl3(force + 3 * h->vertex[i], bend, -h->stiffness * h->weight[i]);
      }
    }
    for (int v = 0; v < m->nflexvert; v++) {
      const double* f = force + 3 * v;
      if (f[0] == 0 && f[1] == 0 && f[2] == 0) continue;
      static const double kNone[3] = {0};
      mj_applyFT(m, d, f, kNone, d->flexvert_xpos + 3 * v, m->flex_vertbodyid[v], d->qfrc_passive);
    }
  }
  mj_freeStack(d);
}

static const char* const kAttribute[] = {"young", "poisson", "thickness"};

const mjpPlugin plugin_shell = {
    .name = "mujoco.elasticity.shell",
    .nattribute = 3,
    .attributes = kAttribute,
    .capabilityflags = mjPLUGIN_PASSIVE,
    .nstate = config_no_state,
    .init = shell_init,
    .destroy = config_destroy,
    .compute = shell_compute,
};
