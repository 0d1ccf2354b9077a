// A flex collides by its elements: a line is a capsule, a triangle and a tetrahedron are their
// hulls with a radius. Planes meet its vertices, which are balls.
#include "collide/flex.h"

#include <stdlib.h>

#include "collide/collide.h"
#include "collide/hfield.h"

static const double kOrigin[3] = {0, 0, 0};
static const double kIdentity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

// An element as a shape, with the numbers it points to.
typedef struct snElement_ {
  snShape shape;
  double pos[3], mat[9], size[3], point[12];
} snElement;

static const double* flex_vertex(const mjModel* m, const mjData* d, int flex, int vertex) {
  return d->flexvert_xpos + 3 * (size_t)(m->flex_vertadr[flex] + vertex);
}

static const int* flex_element(const mjModel* m, int flex, int element) {
  return m->flex_elem + m->flex_elemdataadr[flex] + (m->flex_dim[flex] + 1) * element;
}

static void element_make(snElement* e, const mjModel* m, const mjData* d, int flex, int element) {
  int dim = m->flex_dim[flex];
  const int* v = flex_element(m, flex, element);
  double radius = m->flex_radius[flex];
  memset(&e->shape, 0, sizeof e->shape);
  if (dim == 1) {
    snVec a = v_of(flex_vertex(m, d, flex, v[0])), b = v_of(flex_vertex(m, d, flex, v[1]));
    snVec axis = v_sub(b, a);
    double length = v_norm(axis);
    v_store(e->pos, v_scale(v_add(a, b), 0.5));
    e->size[0] = radius, e->size[1] = 0.5 * length, e->size[2] = 0;
    // a frame whose z axis is the line
    double frame[9] = {0};
    v_store(frame, length > 0 ? axis : v3(0, 0, 1));
    collide_frame(frame);
    for (int i = 0; i < 3; i++) {
      e->mat[3 * i + 2] = frame[i], e->mat[3 * i] = frame[3 + i], e->mat[3 * i + 1] = frame[6 + i];
    }
    e->shape.type = mjGEOM_CAPSULE;
    e->shape.pos = e->pos, e->shape.mat = e->mat, e->shape.size = e->size;
    return;
  }
  for (int i = 0; i <= dim; i++) memcpy(e->point + 3 * i, flex_vertex(m, d, flex, v[i]), 24);
  e->shape.type = mjGEOM_TRIANGLE;
  e->shape.pos = kOrigin, e->shape.mat = kIdentity;
  e->shape.point = e->point, e->shape.npoint = dim + 1, e->shape.radius = radius;
}

static void ball_make(snElement* e, const mjModel* m, const mjData* d, int flex, int vertex) {
  memset(&e->shape, 0, sizeof e->shape);
  memcpy(e->pos, flex_vertex(m, d, flex, vertex), sizeof e->pos);
  e->size[0] = m->flex_radius[flex], e->size[1] = e->size[2] = 0;
  e->shape.type = mjGEOM_SPHERE;
  e->shape.pos = e->pos, e->shape.mat = kIdentity, e->shape.size = e->size;
}

static bool element_active(const mjModel* m, int flex, int element) {
  return m->flex_dim[flex] < 3 ||
         m->flex_elemlayer[m->flex_elemadr[flex] + element] < m->flex_activelayers[flex];
}

static const double* element_aabb(const mjModel* m, const mjData* d, int flex, int element) {
  return d->flexelem_aabb + 6 * (size_t)(m->flex_elemadr[flex] + element);
}

// Center and half sizes of all elements of a flex together, radius included.
static void flex_aabb(const mjModel* m, const mjData* d, int flex, double box[6]) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  const double* vert = d->flexvert_xpos + 3 * (size_t)m->flex_vertadr[flex];
  for (int v = 0; v < m->flex_vertnum[flex]; v++) {
    for (int i = 0; i < 3; i++) {
      double x = vert[3 * v + i];
      low[i] = x < low[i] ? x : low[i];
      high[i] = x > high[i] ? x : high[i];
    }
  }
  for (int i = 0; i < 3; i++) {
    box[i] = 0.5 * (low[i] + high[i]);
    box[3 + i] = 0.5 * (high[i] - low[i]) + m->flex_radius[flex];
  }
}

static bool aabbs_meet(const double* a, const double* b, double margin) {
  for (int i = 0; i < 3; i++) {
    if (fabs(a[i] - b[i]) > a[3 + i] + b[3 + i] + margin) return false;
  }
  return true;
}

// Any two shapes, of which neither is a plane.
static void collide_shapes(const mjModel* m, snTouchList* list, const snShape* a, const snShape* b,
                           double margin) {
  if (a->type == mjGEOM_SPHERE && b->type == mjGEOM_SPHERE) {
    collide_sphere_sphere(list, a, b, margin);
  } else if (a->type == mjGEOM_SPHERE && b->type == mjGEOM_CAPSULE) {
    collide_sphere_capsule(list, a, b, margin);
  } else if (a->type == mjGEOM_CAPSULE && b->type == mjGEOM_CAPSULE) {
    collide_capsule_capsule(list, a, b, margin);
  } else {
    collide_convex(m, list, a, b, margin, NULL);
  }
}

static bool flex_contacts(mjData* d, snCollide* c, const snContactParam* param, snParts parts) {
  if (c->touches.failed) {
    c->touches.failed = false;
    mj_warning(d, mjWARN_CONTACTFULL, d->ncon);
    return false;
  }
  bool added = !c->touches.n || contact_add(d, &c->touches, param, parts);
  c->touches.n = 0;
  return added;
}

// Bounds of a shape in world axes, by its supports.
static void shape_aabb(const snShape* shape, double aabb[6]) {
  double radius = support_radius(shape);
  int hint = -1;
  for (int i = 0; i < 3; i++) {
    snVec axis = v3(i == 0, i == 1, i == 2);
    double high = v_get(support_core(shape, axis, &hint), i) + radius;
    double low = v_get(support_core(shape, v_neg(axis), &hint), i) - radius;
    aabb[i] = 0.5 * (low + high);
    aabb[3 + i] = 0.5 * (high - low);
  }
}

static bool collide_geom_flex(const mjModel* m, mjData* d, snCollide* c, int geom, int flex,
                              const double* box) {
  snContactParam param;
  contact_mix(m, &param, contact_side_geom(m, geom), contact_side_flex(m, flex));
  snShape a = shape_geom(m, d, geom);
  snElement e;
  c->touches.n = 0;
  if (a.type == mjGEOM_PLANE) {
    snVec n = m_axis(a.mat, 2);
    double height = v_dot(n, v_sub(v_of(box), v_of(a.pos)));
    if (height - fabs(n.x) * box[3] - fabs(n.y) * box[4] - fabs(n.z) * box[5] > param.margin)
      return true;
    for (int v = 0; v < m->flex_vertnum[flex]; v++) {
      if (m->flex_vertbodyid[m->flex_vertadr[flex] + v] == m->geom_bodyid[geom]) continue;
      ball_make(&e, m, d, flex, v);
      collide_plane_sphere(&c->touches, &a, &e.shape, param.margin);
      snParts parts = {{geom, -1}, {-1, flex}, {-1, -1}, {-1, v}};
      if (!flex_contacts(d, c, &param, parts)) return false;
    }
    return true;
  }
  double bound[6];
  bool field = a.type == mjGEOM_HFIELD;
  if (field) {
    double r = m->geom_rbound[geom];
    for (int i = 0; i < 3; i++) bound[i] = a.pos[i], bound[3 + i] = r;
  } else {
    shape_aabb(&a, bound);
  }
  if (!aabbs_meet(bound, box, param.margin)) return true;
  for (int k = 0; k < m->flex_elemnum[flex]; k++) {
    if (!element_active(m, flex, k)) continue;
    if (!aabbs_meet(bound, element_aabb(m, d, flex, k), param.margin + m->flex_radius[flex]))
      continue;
    element_make(&e, m, d, flex, k);
    if (field) {
      collide_hfield(m, d, &c->touches, geom, &e.shape, param.margin);
    } else if (e.shape.type == mjGEOM_CAPSULE && a.type == mjGEOM_BOX) {
      // the capsule comes first for its collider, second for the contact
      collide_capsule_box(&c->touches, &e.shape, &a, param.margin);
      for (int i = 0; i < c->touches.n; i++) {
        c->touches.touch[i].normal = v_neg(c->touches.touch[i].normal);
      }
    } else {
      collide_shapes(m, &c->touches, &a, &e.shape, param.margin);
    }
    snParts parts = {{geom, -1}, {-1, flex}, {-1, k}, {-1, -1}};
    if (!flex_contacts(d, c, &param, parts)) return false;
  }
  return true;
}

bool collide_body_flex(const mjModel* m, mjData* d, snCollide* c, int body, int flex) {
  if (!m->body_geomnum[body]) return true;
  double box[6];
  bool known = false;
  for (int k = 0; k < m->body_geomnum[body]; k++) {
    int g = m->body_geomadr[body] + k;
    if (!(m->geom_contype[g] & m->flex_conaffinity[flex]) &&
        !(m->flex_contype[flex] & m->geom_conaffinity[g])) {
      continue;
    }
    if (m->geom_type[g] == mjGEOM_SDF) continue;
    if (!known) flex_aabb(m, d, flex, box);
    known = true;
    if (!collide_geom_flex(m, d, c, g, flex, box)) return false;
  }
  return true;
}

static bool collide_elements(const mjModel* m, mjData* d, snCollide* c, const snContactParam* param,
                             int flex1, int elem1, int flex2, int elem2) {
  double radii = m->flex_radius[flex1] + m->flex_radius[flex2];
  if (!aabbs_meet(element_aabb(m, d, flex1, elem1), element_aabb(m, d, flex2, elem2),
                  param->margin + radii)) {
    return true;
  }
  snElement a, b;
  element_make(&a, m, d, flex1, elem1);
  element_make(&b, m, d, flex2, elem2);
  collide_shapes(m, &c->touches, &a.shape, &b.shape, param->margin);
  snParts parts = {{-1, -1}, {flex1, flex2}, {elem1, elem2}, {-1, -1}};
  return flex_contacts(d, c, param, parts);
}

static bool share_vertex(const int* a, const int* b, int n) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      if (a[i] == b[j]) return true;
    }
  }
  return false;
}

// Element pairs whose boxes overlap, found by a sweep along the axis of widest spread and sorted by
// element numbers. Elements of one flex that share a vertex are no pair.
typedef struct snSweep_ {
  double low, high;  // along the axis
  const double* aabb;
  int flex, elem;  // flex: 0 for the first, 1 for the second
} snSweep;

static int sweep_order(const void* x, const void* y) {
  const snSweep *a = x, *b = y;
  if (a->low != b->low) return a->low < b->low ? -1 : 1;
  if (a->flex != b->flex) return a->flex - b->flex;
  return a->elem - b->elem;
}

static int pair_order(const void* x, const void* y) {
  const int *a = x, *b = y;
  return a[0] != b[0] ? a[0] - b[0] : a[1] - b[1];
}

static bool pairs_push(snCollide* c, int n, int e1, int e2) {
  if (n == c->element_capacity) {
    int capacity = c->element_capacity ? 2 * c->element_capacity : 256;
    int* grown = memory_resize(c->element_pair, 2 * (size_t)c->element_capacity * sizeof(int),
                               2 * (size_t)capacity * sizeof(int));
    if (!grown) return false;
    c->element_pair = grown;
    c->element_capacity = capacity;
  }
  c->element_pair[2 * n] = e1;
  c->element_pair[2 * n + 1] = e2;
  return true;
}

// The number of pairs in c->element_pair; -1 when there is no memory.
static int sweep_pairs(const mjModel* m, mjData* d, snCollide* c, int flex1, int flex2,
                       double margin) {
  bool self = flex1 == flex2;
  int flexes[2] = {flex1, flex2}, n = 0, total = m->flex_elemnum[flex1] + m->flex_elemnum[flex2];
  double reach = margin + m->flex_radius[flex1] + m->flex_radius[flex2];
  mj_markStack(d);
  snSweep* s = mj_stackAllocByte(d, (total + 1) * sizeof(snSweep), 8);
  double sum[3] = {0, 0, 0}, sum2[3] = {0, 0, 0};
  for (int f = 0; f < (self ? 1 : 2); f++) {
    for (int e = 0; e < m->flex_elemnum[flexes[f]]; e++) {
      if (!element_active(m, flexes[f], e)) continue;
      const double* box = element_aabb(m, d, flexes[f], e);
      for (int i = 0; i < 3; i++) sum[i] += box[i], sum2[i] += box[i] * box[i];
      s[n++] = (snSweep){0, 0, box, f, e};
    }
  }
  int axis = 0;
  for (int i = 1; i < 3 && n; i++) {
    if (sum2[i] - sum[i] * sum[i] / n > sum2[axis] - sum[axis] * sum[axis] / n) axis = i;
  }
  for (int i = 0; i < n; i++) {
    s[i].low = s[i].aabb[axis] - s[i].aabb[3 + axis];
    s[i].high = s[i].aabb[axis] + s[i].aabb[3 + axis] + reach;
  }
  qsort(s, n, sizeof *s, sweep_order);
  int found = 0, corners = m->flex_dim[flex1] + 1;
  for (int i = 0; i < n && found >= 0; i++) {
    for (int j = i + 1; j < n && s[j].low <= s[i].high; j++) {
      if (!self && s[i].flex == s[j].flex) continue;
      if (!aabbs_meet(s[i].aabb, s[j].aabb, reach)) continue;
      bool swap = self ? s[i].elem > s[j].elem : s[i].flex > s[j].flex;
      int e1 = swap ? s[j].elem : s[i].elem, e2 = swap ? s[i].elem : s[j].elem;
      if (self && share_vertex(flex_element(m, flex1, e1), flex_element(m, flex1, e2), corners))
        continue;
      if (!pairs_push(c, found, e1, e2)) {
        found = -1;
        break;
      }
      found++;
    }
  }
  mj_freeStack(d);
  if (found > 0) qsort(c->element_pair, found, 2 * sizeof(int), pair_order);
  return found;
}

static bool collide_sweep(const mjModel* m, mjData* d, snCollide* c, const snContactParam* param,
                          int flex1, int flex2) {
  int n = sweep_pairs(m, d, c, flex1, flex2, param->margin);
  if (n < 0) {
    mj_warning(d, mjWARN_CONTACTFULL, d->ncon);
    return false;
  }
  for (int i = 0; i < n; i++) {
    if (!collide_elements(m, d, c, param, flex1, c->element_pair[2 * i], flex2,
                          c->element_pair[2 * i + 1])) {
      return false;
    }
  }
  return true;
}

bool collide_flex_flex(const mjModel* m, mjData* d, snCollide* c, int flex1, int flex2) {
  if (!(m->flex_contype[flex1] & m->flex_conaffinity[flex2]) &&
      !(m->flex_contype[flex2] & m->flex_conaffinity[flex1])) {
    return true;
  }
  snContactParam param;
  contact_mix(m, &param, contact_side_flex(m, flex1), contact_side_flex(m, flex2));
  c->touches.n = 0;
  return collide_sweep(m, d, c, &param, flex1, flex2);
}

// A tetrahedron keeps its shape from turning inside out: each corner, a ball, against the slab
// around the opposite face, whose normal points to the corner's side in the rest pose. No margin,
// no friction.
static bool collide_tetrahedra(const mjModel* m, mjData* d, snCollide* c,
                               const snContactParam* param, int flex) {
  static const int kFace[4][4] = {{0, 2, 1, 3}, {0, 3, 2, 1}, {0, 1, 3, 2}, {1, 2, 3, 0}};
  double radius = m->flex_radius[flex];
  snContactParam bare = *param;
  bare.margin = bare.gap = 0;
  bare.condim = 1;
  for (int e = 0; e < m->flex_elemnum[flex]; e++) {
    const int* v = flex_element(m, flex, e);
    for (int k = 0; k < 4; k++) {
      snVec a = v_of(flex_vertex(m, d, flex, v[kFace[k][0]]));
      snVec ab = v_sub(v_of(flex_vertex(m, d, flex, v[kFace[k][1]])), a);
      snVec ac = v_sub(v_of(flex_vertex(m, d, flex, v[kFace[k][2]])), a);
      snVec corner = v_of(flex_vertex(m, d, flex, v[kFace[k][3]])), n = v_cross(ab, ac);
      if (v_normalize(&n) < mjMINVAL) continue;
      double height = v_dot(n, v_sub(corner, a)), dist = height - 2 * radius;
      if (dist > 0) continue;
      touch_add(&c->touches, dist, v_along(corner, -0.5 * height, n), n);
      snParts parts = {{-1, -1}, {flex, flex}, {e, -1}, {-1, v[kFace[k][3]]}};
      if (!flex_contacts(d, c, &bare, parts)) return false;
    }
  }
  return true;
}

// Vertices against elements near them in the mesh, as the model lists them.
static bool collide_flex_internal(const mjModel* m, mjData* d, snCollide* c,
                                  const snContactParam* param, int flex) {
  if (m->flex_dim[flex] == 3 && !collide_tetrahedra(m, d, c, param, flex)) return false;
  for (int k = 0; k < m->flex_evpairnum[flex]; k++) {
    const int* pair = m->flex_evpair + 2 * (m->flex_evpairadr[flex] + k);
    snElement ball, element;
    ball_make(&ball, m, d, flex, pair[1]);
    element_make(&element, m, d, flex, pair[0]);
    collide_shapes(m, &c->touches, &ball.shape, &element.shape, param->margin);
    snParts parts = {{-1, -1}, {flex, flex}, {-1, pair[0]}, {pair[1], -1}};
    if (!flex_contacts(d, c, param, parts)) return false;
  }
  return true;
}

bool collide_flex_self(const mjModel* m, mjData* d, snCollide* c, int flex) {
  if (m->flex_rigid[flex]) return true;
  snContactParam param;
  contact_mix(m, &param, contact_side_flex(m, flex), contact_side_flex(m, flex));
  c->touches.n = 0;
  if (m->flex_internal[flex] && !collide_flex_internal(m, d, c, &param, flex)) return false;
  if (m->flex_selfcollide[flex] == mjFLEXSELF_NONE ||
      !(m->flex_contype[flex] & m->flex_conaffinity[flex])) {
    return true;
  }
  return collide_sweep(m, d, c, &param, flex, flex);
}
