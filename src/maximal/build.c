// From an mjModel to bodies and what holds them. Every joint of the tree is a link, every connect
// or weld a loop, every equality of joints or tendons a coupling. What has no place is refused by
// name.
#include <math.h>
#include <string.h>

#include "maximal/maximal.h"

void sn_defaultMaximal(snMaximalOption* opt) {
  memset(opt, 0, sizeof *opt);
  opt->solver = "admm-ncp";
  const snDualSolver* solver = dual_find(opt->solver);
  if (solver) dual_defaults(solver, &opt->settings);
  // joints that are never given up are corrected almost at once: the drift of a step is h^2, and
  // e+ = (1 - erp) e + drift is stable up to 2
  opt->settings.erp_joint = 0.8;
  // joints outnumber freedoms in closed loops: a compliance far below what anyone sees makes their
  // reactions unique, and the proximal term of ADMM stays below it
  opt->compliance = 1e-8;
  opt->settings.eta = 1e-9;
  opt->settings.omega = 1;  // from a warm start over-relaxation costs iterations
  opt->settings.tol_primal = opt->settings.tol_dual = opt->settings.tol_compl = 1e-7;
  opt->settings.aim = 1;
}

static const char* name_of(const mjModel* m, int type, int id) {
  const char* name = mj_id2name(m, type, id);
  return name && name[0] ? name : "(unnamed)";
}

// ---- what a model may hold

static bool check_equality(const mjModel* m, int i, snFault* fault) {
  switch (m->eq_type[i]) {
    case mjEQ_CONNECT:
    case mjEQ_WELD:
    case mjEQ_JOINT:
    case mjEQ_TENDON:
      return true;
    default:
      return fault_raise(fault,
                         "equality %d '%s' cannot be mapped: only connect, weld, joint and tendon "
                         "equalities have a form in maximal coordinates",
                         i, name_of(m, mjOBJ_EQUALITY, i));
  }
}

bool maximal_check_model(const mjModel* m, snFault* fault) {
  if (m->nflex) {
    return fault_raise(fault, "flex 0 '%s' cannot be mapped: bodies have to be rigid",
                       name_of(m, mjOBJ_FLEX, 0));
  }
  for (int i = 0; i < m->neq; i++) {
    if (!check_equality(m, i, fault)) return false;
  }
  for (int i = 0; i < m->ntendon; i++) {
    if (m->tendon_armature[i] != 0) {
      return fault_raise(fault, "tendon %d '%s' cannot be mapped: it has armature", i,
                         name_of(m, mjOBJ_TENDON, i));
    }
  }
  for (int i = 0; i < m->nu; i++) {
    if (m->actuator_trntype[i] == mjTRN_BODY) {
      return fault_raise(fault, "actuator %d '%s' cannot be mapped: adhesion acts on soft contacts",
                         i, name_of(m, mjOBJ_ACTUATOR, i));
    }
  }
  for (int b = 1; b < m->nbody; b++) {
    if (m->body_dofnum[b] > 6) {
      return fault_raise(fault, "body %d '%s' cannot be mapped: %d dofs in one joint, at most 6", b,
                         name_of(m, mjOBJ_BODY, b), m->body_dofnum[b]);
    }
  }
  return true;
}

// ---- kinds

static bool parallel(const double* a, const double* b) {
  double c[3];
  vec3_cross(c, a, b);
  return vec3_norm(c) < 1e-9;
}

static bool normal(const double* a, const double* b) { return fabs(vec3_dot(a, b)) < 1e-9; }

static int link_kind(const mjModel* m, int body) {
  int n = m->body_jntnum[body], first = m->body_jntadr[body];
  if (n == 0) return snJOINT_FIXED;
  const int* type = m->jnt_type + first;
  const double *axis = m->jnt_axis + 3 * first, *pos = m->jnt_pos + 3 * first;
  if (n == 1) {
    static const int kKind[] = {snJOINT_FREE, snJOINT_SPHERICAL, snJOINT_PRISMATIC,
                                snJOINT_REVOLUTE};
    return kKind[type[0]];
  }
  int hinge = 0, slide = 0, at[6] = {0, 0, 0, 0, 0, 0};
  for (int i = 0; i < n; i++) {
    if (type[i] == mjJNT_HINGE) {
      at[hinge++] = i;
    } else if (type[i] == mjJNT_SLIDE) {
      slide++;
    }
  }
  if (n == 2 && hinge == 1 && slide == 1 && parallel(axis, axis + 3)) return snJOINT_CYLINDRICAL;
  if (n == 2 && hinge == 2 && normal(axis, axis + 3) && vec3_dist(pos, pos + 3) < 1e-9) {
    return snJOINT_UNIVERSAL;
  }
  if (n == 3 && hinge == 1 && slide == 2) {
    const double *h = axis + 3 * at[0], *a = axis + 3 * (at[0] == 0),
                 *b = axis + 3 * (at[0] == 2 ? 1 : 2);
    if (normal(h, a) && normal(h, b) && !parallel(a, b)) return snJOINT_PLANAR;
  }
  return snJOINT_CHAIN;
}

// ---- structure

// Bodies of the model that are bodies here; the others are part of what they are welded to.
static void find_bodies(snMaximalWhole* w) {
  snMaximal* x = &w->x;
  const mjModel* m = x->model;
  w->own[0] = w->link_of[0] = -1;
  for (int b = 1; b < m->nbody; b++) {
    bool moves = m->body_jntnum[b] > 0;
    bool kept = x->opt.keep_fixed && m->body_mass[b] > mjMINVAL && m->body_mocapid[b] < 0;
    w->link_of[b] = -1;
    if (!moves && !kept) {
      w->own[b] = w->own[m->body_parentid[b]];
      continue;
    }
    snLink* l = w->link + w->nlink;
    w->own[b] = x->nbody;
    w->link_of[b] = w->nlink++;
    x->body[x->nbody] = b;
    l->body = b;
    l->hold.base = w->own[m->body_parentid[b]];
    l->hold.follower = x->nbody++;
    l->kind = link_kind(m, b);
    l->njnt = m->body_jntnum[b];
    l->ndof = m->body_dofnum[b];
    l->nrow = 6 - l->ndof;
    for (int k = 0; k < l->ndof; k++) w->link_dof[m->body_dofadr[b] + k] = w->link_of[b];
  }
}

static int equality_body(const mjModel* m, int i, int side) {
  int obj = side ? m->eq_obj2id[i] : m->eq_obj1id[i];
  return m->eq_objtype[i] == mjOBJ_SITE ? m->site_bodyid[obj] : obj;
}

// Connect keeps its anchors at 0 (first body) and 3 (second); weld keeps the anchor of the second
// body at 0 and the relative pose at 3.
int maximal_anchor(const snMaximalWhole* w, int eq, int side, double point[3], double quat[4]) {
  const mjModel* m = w->x.model;
  const mjtNum* data = m->eq_data + mjNEQDATA * eq;
  bool weld = m->eq_type[eq] == mjEQ_WELD;
  int obj = side ? m->eq_obj2id[eq] : m->eq_obj1id[eq], body = equality_body(m, eq, side);
  double pos[3], turn[4] = {1, 0, 0, 0};
  if (m->eq_objtype[eq] == mjOBJ_SITE) {
    vec3_copy(pos, m->site_pos + 3 * obj);
    quat_copy(turn, m->site_quat + 4 * obj);
  } else {
    vec3_copy(pos, data + (weld ? 3 * (1 - side) : 3 * side));
    if (weld && side == 0) quat_copy(turn, data + 6);
  }
  quat_rotate(point, pos, w->off_quat + 4 * body);
  vec3_add(point, point, w->off_pos + 3 * body);
  quat_mul(quat, w->off_quat + 4 * body, turn);
  return w->own[body];
}

// Two connects between the same two bodies, at different points, leave one turn: a hinge in 5 rows
// instead of 6.
static int hinge_partner(const snMaximalWhole* w, int i, const bool* used) {
  const mjModel* m = w->x.model;
  for (int k = i + 1; k < m->neq; k++) {
    if (used[k] || m->eq_type[k] != mjEQ_CONNECT || m->eq_active0[k] != m->eq_active0[i]) continue;
    bool apart = true;
    for (int side = 0; side < 2; side++) {
      double a[3], b[3], quat[4];
      int body = maximal_anchor(w, i, side, a, quat);
      apart = apart && maximal_anchor(w, k, side, b, quat) == body && vec3_dist(a, b) > 1e-6;
    }
    if (apart) return k;
  }
  return -1;
}

static void find_loops(snMaximalWhole* w, bool* used) {
  const mjModel* m = w->x.model;
  for (int i = 0; i < m->neq; i++) {
    if (used[i]) continue;
    if (m->eq_type[i] == mjEQ_JOINT || m->eq_type[i] == mjEQ_TENDON) {
      w->coupling[w->ncoupling++] = i;
      continue;
    }
    snLoop* l = w->loop + w->nloop;
    l->hold.base = w->own[equality_body(m, i, 0)];
    l->hold.follower = w->own[equality_body(m, i, 1)];
    if (l->hold.base == l->hold.follower) continue;
    if (l->hold.follower < 0) {  // the world is a base
      l->hold.follower = l->hold.base;
      l->hold.base = -1;
    }
    w->nloop++;
    l->eq[0] = i;
    l->eq[1] = -1;
    l->kind = snJOINT_FIXED;
    l->nrow = 6;
    if (m->eq_type[i] == mjEQ_WELD) continue;
    int other = hinge_partner(w, i, used);
    l->kind = other < 0 ? snJOINT_SPHERICAL : snJOINT_REVOLUTE;
    l->nrow = other < 0 ? 3 : 5;
    if (other >= 0) used[l->eq[1] = other] = true;
  }
}

// ---- numbers

void maximal_offsets(snMaximalWhole* w) {
  const mjModel* m = w->x.model;
  const mjData* d = w->x.data;
  for (int b = 0; b < m->nbody; b++) {
    double *pos = w->off_pos + 3 * b, *quat = w->off_quat + 4 * b;
    if (b == 0 || w->link_of[b] >= 0) {
      vec3_zero(pos);
      quat_identity(quat);
    } else if (m->body_mocapid[b] >= 0) {
      vec3_copy(pos, d->mocap_pos + 3 * m->body_mocapid[b]);
      quat_copy(quat, d->mocap_quat + 4 * m->body_mocapid[b]);
      quat_normalize(quat);
    } else {
      int parent = m->body_parentid[b];
      quat_rotate(pos, m->body_pos + 3 * b, w->off_quat + 4 * parent);
      vec3_add(pos, pos, w->off_pos + 3 * parent);
      quat_mul(quat, w->off_quat + 4 * parent, m->body_quat + 4 * b);
    }
  }
}

static void invert3(double* r, const double* a) {
  double c[9];
  vec3_cross(c, a + 3, a + 6);
  vec3_cross(c + 3, a + 6, a);
  vec3_cross(c + 6, a, a + 3);
  double det = vec3_dot(a, c);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) r[3 * i + j] = c[3 * j + i] / det;
  }
}

// A body is the sum of its parts: m = sum m_k, c = sum m_k c_k / m,
// I = sum R_k diag R_k' + m_k (|r|^2 1 - r r'), r = c_k - c.
void maximal_masses(snMaximalWhole* w) {
  snMaximal* x = &w->x;
  const mjModel* m = x->model;
  mju_zero(x->mass, x->nbody);
  mju_zero(x->inertia, 9 * x->nbody);
  mju_zero(w->com, 3 * x->nbody);
  for (int pass = 0; pass < 2; pass++) {
    for (int b = 1; b < m->nbody; b++) {
      int i = w->own[b];
      if (i < 0) continue;
      double c[3], quat[4], mat[9], sum[10], mass = m->body_mass[b];
      quat_rotate(c, m->body_ipos + 3 * b, w->off_quat + 4 * b);
      vec3_add(c, c, w->off_pos + 3 * b);
      if (pass == 0) {
        x->mass[i] += mass;
        vec3_add_scaled(w->com + 3 * i, w->com + 3 * i, c, mass);
        continue;
      }
      quat_mul(quat, w->off_quat + 4 * b, m->body_iquat + 4 * b);
      quat_to_mat(mat, quat);
      vec3_sub(c, c, w->com + 3 * i);
      inertia_from_com(sum, m->body_inertia + 3 * b, mat, c, mass);
      static const int kAt[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
      for (int k = 0; k < 9; k++) x->inertia[9 * i + k] += sum[kAt[k]];
    }
    if (pass == 0) {
      for (int i = 0; i < x->nbody; i++) {
        if (x->mass[i] > 0) vec3_scale(w->com + 3 * i, w->com + 3 * i, 1 / x->mass[i]);
      }
    }
  }
  for (int i = 0; i < x->nbody; i++) invert3(w->inertia_inv + 9 * i, x->inertia + 9 * i);
}

static bool check_masses(const snMaximalWhole* w, snFault* fault) {
  const snMaximal* x = &w->x;
  for (int i = 0; i < x->nbody; i++) {
    const double* I = x->inertia + 9 * i;
    double det = I[0] * (I[4] * I[8] - I[5] * I[7]) - I[1] * (I[3] * I[8] - I[5] * I[6]) +
                 I[2] * (I[3] * I[7] - I[4] * I[6]);
    if (!(x->mass[i] > mjMINVAL) || !(det > 0)) {
      return fault_raise(fault,
                         "body %d '%s' cannot be mapped: mass %g, and in maximal coordinates every "
                         "moving body needs mass and inertia",
                         x->body[i], name_of(x->model, mjOBJ_BODY, x->body[i]), x->mass[i]);
    }
  }
  return true;
}

// ---- make and free

typedef struct snLay_ {
  char* at;
  size_t used;
} snLay;

static void* lay(snLay* l, size_t bytes) {
  void* block = l->at ? l->at + l->used : NULL;
  l->used += (bytes + 63) / 64 * 64;
  return block;
}

static void lay_out(snMaximalWhole* w, snLay* l, const mjModel* m) {
  snMaximal* x = &w->x;
  size_t nb = m->nbody, real = sizeof(double);
  x->pos = lay(l, nb * 3 * real);
  x->quat = lay(l, nb * 4 * real);
  x->vel = lay(l, nb * 6 * real);
  x->mass = lay(l, nb * real);
  x->inertia = lay(l, nb * 9 * real);
  x->body = lay(l, nb * sizeof(int));
  w->link = lay(l, nb * sizeof(snLink));
  w->loop = lay(l, (m->neq + 1) * sizeof(snLoop));
  w->coupling = lay(l, (m->neq + 1) * sizeof(int));
  w->own = lay(l, nb * sizeof(int));
  w->link_of = lay(l, nb * sizeof(int));
  w->link_dof = lay(l, (m->nv + 1) * sizeof(int));
  w->off_pos = lay(l, nb * 3 * real);
  w->off_quat = lay(l, nb * 4 * real);
  w->com = lay(l, nb * 3 * real);
  w->inertia_inv = lay(l, nb * 9 * real);
  w->minv = lay(l, nb * 10 * real);
  w->origin = lay(l, nb * 3 * real);
  w->mat = lay(l, nb * 9 * real);
  w->force = lay(l, nb * 6 * real);
  w->ahead_pos = lay(l, nb * 3 * real);
  w->qvel_ahead = lay(l, (m->nv + 1) * real);
  w->ahead_origin = lay(l, nb * 3 * real);
  w->ahead_mat = lay(l, nb * 9 * real);
  w->ahead_quat = lay(l, nb * 4 * real);
}

static bool build(snMaximalWhole* w, const mjModel* m, const snMaximalOption* opt, snFault* fault) {
  snMaximal* x = &w->x;
  x->model = m;
  if (opt) {
    x->opt = *opt;
  } else {
    sn_defaultMaximal(&x->opt);
  }
  w->solver = dual_find(x->opt.solver ? x->opt.solver : "");
  if (!w->solver) {
    char names[1000];
    return fault_raise(fault, "there is no solver '%s'; there are %s",
                       x->opt.solver ? x->opt.solver : "(null)", dual_names(names, sizeof names));
  }
  if (x->opt.settings.impact != snIMPACT_NEWTON) {
    return fault_raise(fault, "impact law %d is not there in maximal coordinates; 0 (newton) is",
                       x->opt.settings.impact);
  }
  if (!maximal_check_model(m, fault)) return false;
  snLay l = {NULL, 0};
  lay_out(w, &l, m);
  w->memory = memory_alloc_zero(l.used);
  x->data = data_make(m, fault);
  if (fault->raised) return false;
  if (!w->memory || !x->data) return fault_raise(fault, "no memory for %d bodies", m->nbody);
  l = (snLay){w->memory, 0};
  lay_out(w, &l, m);
  find_bodies(w);
  maximal_offsets(w);
  bool* used = memory_alloc_zero(m->neq + 1);
  if (!used) return fault_raise(fault, "no memory for %d equalities", (int)m->neq);
  find_loops(w, used);
  memory_free(used);
  maximal_masses(w);
  return check_masses(w, fault);
}

snMaximal* sn_makeMaximal(const mjModel* m, const snMaximalOption* opt, char* error, int error_sz) {
  snFault fault = {false, ""};
  if (error && error_sz > 0) error[0] = 0;
  snMaximalWhole* w = m ? memory_alloc_zero(sizeof *w) : NULL;
  if (!w) {
    fault_raise(&fault, m ? "no memory" : "no model");
  } else if (build(w, m, opt, &fault)) {
    sn_setMaximal(&w->x, w->x.data);
    return &w->x;
  }
  if (error && error_sz > 0) {
    strncpy(error, fault.text, error_sz - 1);
    error[error_sz - 1] = 0;
  }
  if (w) sn_deleteMaximal(&w->x);
  return NULL;
}

void sn_deleteMaximal(snMaximal* x) {
  if (!x) return;
  snMaximalWhole* w = (snMaximalWhole*)x;
  if (x->data) mj_deleteData(x->data);
  memory_free(w->warm_key);
  memory_free(w->warm_force);
  memory_free(w->memory);
  memory_free(w);
}

// ---- what it became

// Does an actuator turn one site against another across this loop?
static bool loop_driven(const snMaximalWhole* w, const snLoop* l) {
  const mjModel* m = w->x.model;
  for (int i = 0; i < m->nu; i++) {
    int site = m->actuator_trnid[2 * i], ref = m->actuator_trnid[2 * i + 1];
    if (m->actuator_trntype[i] != mjTRN_SITE || ref < 0) continue;
    int a = w->own[m->site_bodyid[site]], b = w->own[m->site_bodyid[ref]];
    if ((a == l->hold.base && b == l->hold.follower) ||
        (b == l->hold.base && a == l->hold.follower)) {
      return true;
    }
  }
  return false;
}

// Dofs with an actuator of their own.
static int actuated(const snMaximalWhole* w) {
  const mjModel* m = w->x.model;
  int n = 0;
  for (int j = 0; j < m->njnt; j++) {
    int here = 0, most = m->jnt_type[j] == mjJNT_BALL ? 3 : m->jnt_type[j] == mjJNT_FREE ? 6 : 1;
    for (int i = 0; i < m->nu; i++) {
      bool joint =
          m->actuator_trntype[i] == mjTRN_JOINT || m->actuator_trntype[i] == mjTRN_JOINTINPARENT;
      here += joint && m->actuator_trnid[2 * i] == j;
    }
    n += here < most ? here : most;
  }
  for (int i = 0; i < w->nloop; i++) n += loop_driven(w, w->loop + i);
  return n;
}

static bool held_by_world(const snMaximalWhole* w, int body) {
  for (int i = 0; i < w->nloop; i++) {
    const snLoop* l = w->loop + i;
    if (l->kind == snJOINT_FIXED && l->hold.base < 0 && l->hold.follower == body) return true;
  }
  return false;
}

// Not fixed to the world, neither itself nor by the bodies that it is fixed to.
static bool moves(const snMaximalWhole* w, int body) {
  while (body >= 0 && w->link[body].kind == snJOINT_FIXED) body = w->link[body].hold.base;
  return body >= 0 && !held_by_world(w, body);
}

void sn_countMaximal(const snMaximal* x, snMaximalCount* count) {
  const snMaximalWhole* w = (const snMaximalWhole*)x;
  memset(count, 0, sizeof *count);
  count->bodies = x->nbody;
  count->fixed_base = 1;
  count->constraints = w->ncoupling;
  count->actuated = actuated(w);
  for (int i = 0; i < w->nlink; i++) {
    const snLink* l = w->link + i;
    count->kind[l->kind]++;
    count->dofs += l->ndof;
    count->constraints += l->nrow;
    count->joints += l->kind != snJOINT_FREE;
  }
  for (int i = 0; i < w->nloop; i++) {
    const snLoop* l = w->loop + i;
    count->constraints += l->nrow;
    if (l->kind == snJOINT_FIXED) continue;  // a weld holds a body, it is no joint
    count->kind[l->kind]++;
    count->dofs += 6 - l->nrow;
    count->joints++;
  }
  double least = mjMAXVAL, most = 0;
  for (int i = 0; i < x->nbody; i++) {
    if (w->link[i].kind == snJOINT_FREE && !held_by_world(w, i)) count->fixed_base = 0;
    if (!moves(w, i)) continue;
    least = fmin(least, x->mass[i]);
    most = fmax(most, x->mass[i]);
  }
  count->mass_ratio = most > 0 ? most / least : 1;
  count->joined_ratio = 1;
  for (int i = 0; i < w->nlink + w->nloop; i++) {
    const snHold* hold = i < w->nlink ? &w->link[i].hold : &w->loop[i - w->nlink].hold;
    if (!moves(w, hold->base) || !moves(w, hold->follower)) continue;
    double ratio = x->mass[hold->base] / x->mass[hold->follower];
    count->joined_ratio = fmax(count->joined_ratio, fmax(ratio, 1 / ratio));
  }
}
