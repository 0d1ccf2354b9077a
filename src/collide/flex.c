// Collisions of flexes, element by element: a line is a capsule, a triangle or tetrahedron is its
// hull inflated by the radius of the flex. Planes are tested against vertices, which are balls.
//
// Pairs of elements come from lists that last for several steps (flex_pairs.c). The order of
// contacts is that of the released engine, which depends on how it finds pairs: by a sweep, or by
// bounding volume hierarchies (flex_tree.c).
#include "data/frame.h"
#include "collide/flex.h"

#include "collide/broad.h"
#include "collide/collide.h"
#include "collide/hfield.h"

// Relative rounding error of a gap, an upper bound.
static const double kSlack = 1e-9;

static const double kOrigin[3] = {0, 0, 0};
static const double kIdentity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

// An element as a shape, and the numbers that the shape points to.
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

static const double* element_aabb(const mjModel* m, const mjData* d, int flex, int element) {
  return d->flexelem_aabb + 6 * (size_t)(m->flex_elemadr[flex] + element);
}

// The shape of an element; `round` makes a line a capsule, for colliders with a closed formula.
static void element_make(snElement* e, const mjModel* m, const mjData* d, int flex, int element,
                         bool round) {
  int dim = m->flex_dim[flex];
  const int* v = flex_element(m, flex, element);
  double radius = m->flex_radius[flex];
  memset(&e->shape, 0, sizeof e->shape);
  if (dim == 1 && round) {
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
  e->shape.aabb = element_aabb(m, d, flex, element);
  e->shape.point = e->point, e->shape.npoint = dim + 1, e->shape.skin = radius;
}

static void ball_make(snElement* e, const mjModel* m, const mjData* d, int flex, int vertex) {
  memset(&e->shape, 0, sizeof e->shape);
  memcpy(e->pos, flex_vertex(m, d, flex, vertex), sizeof e->pos);
  e->size[0] = m->flex_radius[flex], e->size[1] = e->size[2] = 0;
  e->shape.type = mjGEOM_SPHERE;
  e->shape.pos = e->pos, e->shape.mat = kIdentity, e->shape.size = e->size;
}

// Center and half sizes of the box of a flex, radius included.
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

// Touches of any two shapes other than planes; `memory` may be NULL.
static void collide_shapes(const mjModel* m, snTouchList* list, const snShape* a, const snShape* b,
                           double margin, snAxis* memory) {
  if (a->type == mjGEOM_SPHERE && b->type == mjGEOM_SPHERE) {
    collide_sphere_sphere(list, a, b, margin);
  } else if (a->type == mjGEOM_SPHERE && b->type == mjGEOM_CAPSULE) {
    collide_sphere_capsule(list, a, b, margin);
  } else if (a->type == mjGEOM_SPHERE && b->npoint == 3) {
    collide_sphere_triangle(list, a, b, margin);
  } else if (a->type == mjGEOM_CAPSULE && b->type == mjGEOM_CAPSULE) {
    collide_capsule_capsule(list, a, b, margin);
  } else {
    collide_convex(m, list, a, b, margin, memory);
  }
}

static bool flex_contacts(mjData* d, snCollide* c, const snContactParam* param, snParts parts) {
  if (c->touches.failed) {
    c->touches.failed = false;
    mj_warning(d, mjWARN_CONTACTFULL, d->ncon);
    return false;
  }
  bool added = !c->touches.n || contact_add(d, &c->touches, param, &parts);
  c->touches.n = 0;
  return added;
}

// The box of a shape in world axes, by six support queries.
static void shape_aabb(const snShape* shape, double aabb[6]) {
  double radius = support_around(shape);
  int hint = -1;
  for (int i = 0; i < 3; i++) {
    snVec axis = v3(i == 0, i == 1, i == 2);
    double high = v_get(support_core(shape, axis, &hint), i) + radius;
    double low = v_get(support_core(shape, v_neg(axis), &hint), i) - radius;
    aabb[i] = 0.5 * (low + high);
    aabb[3 + i] = 0.5 * (high - low);
  }
}

// Has the element a vertex on the body? Then they do not collide.
static bool element_hangs_on(const mjModel* m, int flex, int element, int body) {
  const int* v = flex_element(m, flex, element);
  for (int i = 0; i <= m->flex_dim[flex]; i++) {
    if (m->flex_vertbodyid[m->flex_vertadr[flex] + v[i]] == body) return true;
  }
  return false;
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
      ball_make(&e, m, d, flex, v);
      collide_plane_sphere(&c->touches, &a, &e.shape, param.margin);
      snParts parts = {{geom, -1}, {-1, flex}, {-1, -1}, {-1, v}};
      if (!flex_contacts(d, c, &param, parts)) return false;
    }
    return true;
  }
  double bound[6];
  bool field = a.type == mjGEOM_HFIELD;
  bool round = a.type == mjGEOM_SPHERE || a.type == mjGEOM_CAPSULE || a.type == mjGEOM_BOX;
  if (field) {
    double r = m->geom_rbound[geom];
    for (int i = 0; i < 3; i++) bound[i] = a.pos[i], bound[3 + i] = r;
  } else {
    shape_aabb(&a, bound);
  }
  if (!aabbs_meet(bound, box, param.margin)) return true;
  for (int k = 0; k < m->flex_elemnum[flex]; k++) {
    if (!element_active(m, flex, k) || element_hangs_on(m, flex, k, m->geom_bodyid[geom])) continue;
    if (!aabbs_meet(bound, element_aabb(m, d, flex, k), param.margin + m->flex_radius[flex]))
      continue;
    element_make(&e, m, d, flex, k, round);
    if (field) {
      collide_hfield(m, d, &c->touches, geom, &e.shape, param.margin);
    } else if (e.shape.type == mjGEOM_CAPSULE && a.type == mjGEOM_BOX) {
      // the collider takes the capsule first, the contact has it second
      collide_capsule_box(&c->touches, &e.shape, &a, param.margin);
      for (int i = 0; i < c->touches.n; i++) {
        c->touches.touch[i].normal = v_neg(c->touches.touch[i].normal);
      }
    } else {
      collide_shapes(m, &c->touches, &a, &e.shape, param.margin, NULL);
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

// Does the remembered axis still separate the vertices of two elements by more than the margin?
static bool elements_apart(const mjModel* m, const mjData* d, const snElementPairs* p,
                           const snElementPair* e, double margin) {
  snVec n = e->memory.axis;
  const int *v1 = flex_element(m, p->flex[0], e->elem1),
            *v2 = flex_element(m, p->flex[1], e->elem2);
  double top = -INFINITY, bottom = INFINITY, most = 0;
  for (int i = 0; i <= m->flex_dim[p->flex[0]]; i++) {
    double x = v_dot(n, v_of(flex_vertex(m, d, p->flex[0], v1[i])));
    top = x > top ? x : top;
  }
  for (int i = 0; i <= m->flex_dim[p->flex[1]]; i++) {
    double x = v_dot(n, v_of(flex_vertex(m, d, p->flex[1], v2[i])));
    bottom = x < bottom ? x : bottom;
  }
  const double* at = flex_vertex(m, d, p->flex[0], v1[0]);
  most = fabs(at[0]) + fabs(at[1]) + fabs(at[2]);
  return bottom - top - m->flex_radius[p->flex[0]] - m->flex_radius[p->flex[1]] >
         margin + kSlack * (1 + most);
}

// May the elements of a pair touch?
static bool elements_near(const mjModel* m, const mjData* d, const snElementPairs* p,
                          snElementPair* e, double margin) {
  if (!aabbs_meet(element_aabb(m, d, p->flex[0], e->elem1),
                  element_aabb(m, d, p->flex[1], e->elem2), p->reach)) {
    return false;
  }
  if (e->memory.known && elements_apart(m, d, p, e, margin)) return false;
  e->memory.known = false;
  return true;
}

// Contacts of a pair; `turned`: its second element comes first.
static bool collide_elements(const mjModel* m, mjData* d, snCollide* c, const snContactParam* param,
                             const snElementPairs* p, snElementPair* e, bool turned) {
  int flex[2] = {p->flex[turned], p->flex[!turned]};
  int elem[2] = {turned ? e->elem2 : e->elem1, turned ? e->elem1 : e->elem2};
  snElement a, b;
  bool round = m->flex_dim[flex[0]] == 1 && m->flex_dim[flex[1]] == 1;
  element_make(&a, m, d, flex[0], elem[0], round);
  element_make(&b, m, d, flex[1], elem[1], round);
  collide_shapes(m, &c->touches, &a.shape, &b.shape, param->margin, &e->memory);
  if (turned) e->memory.axis = v_neg(e->memory.axis);
  snParts parts = {{-1, -1}, {flex[0], flex[1]}, {elem[0], elem[1]}, {-1, -1}};
  return flex_contacts(d, c, param, parts);
}

// A flex against itself in the order of the released sweep along its longest side: a pair comes up
// where the later of its elements begins (compared in single precision), pairs whose other element
// began earlier first.
static bool collide_swept(const mjModel* m, mjData* d, snCollide* c, const snContactParam* param,
                          snElementPairs* p) {
  int flex = p->flex[0], n = m->flex_elemnum[flex], near = 0, axis = 0;
  int *order, *rank, *pair, *turn;
  double *low, *key;
  if (!FRAME(memory_of(d), SN_ARRAY(order, 2 * (size_t)n), SN_ARRAY(rank, n), SN_ARRAY(pair, p->n),
             SN_ARRAY(turn, 2 * (size_t)p->n), SN_ARRAY(low, n), SN_ARRAY(key, p->n))) {
    return false;
  }
  for (int i = 0; i < p->n; i++) {
    if (elements_near(m, d, p, p->pair + i, param->margin)) pair[near++] = i;
  }
  if (!near) return true;
  double box[6];
  flex_aabb(m, d, flex, box);
  for (int i = 1; i < 3; i++) axis = box[3 + i] > box[3 + axis] ? i : axis;
  for (int e = 0; e < n; e++) {
    const double* aabb = element_aabb(m, d, flex, e);
    order[e] = e;
    low[e] = (float)(aabb[axis] - aabb[3 + axis]);
  }
  sweep_sort(order, order + n, n, low, 1);
  for (int k = 0; k < n; k++) {
    SN_ASSERT(order[k] >= 0 && order[k] < n);  // in order, unless positions are NaN
    rank[order[k]] = k;
  }
  for (int i = 0; i < near; i++) {
    int r1 = rank[p->pair[pair[i]].elem1], r2 = rank[p->pair[pair[i]].elem2];
    key[i] = (double)(r1 > r2 ? r1 : r2) * n + (r1 > r2 ? r2 : r1);
    turn[i] = i;
  }
  sweep_sort(turn, turn + p->n, near, key, 1);
  for (int i = 0; i < near; i++) {
    snElementPair* e = p->pair + pair[turn[i]];
    if (!collide_elements(m, d, c, param, p, e, rank[e->elem1] > rank[e->elem2])) return false;
  }
  return true;
}

// A flex against itself in the order of the hierarchies, or by elements when there are none.
static bool collide_trees(const mjModel* m, mjData* d, snCollide* c, const snContactParam* param,
                          snElementPairs* p) {
  int *pair, *turn, near = 0;
  if (!FRAME(memory_of(d), SN_ARRAY(pair, p->n), SN_ARRAY(turn, p->n))) return false;
  for (int i = 0; i < p->n; i++) {
    if (elements_near(m, d, p, p->pair + i, param->margin)) pair[near++] = i;
  }
  if (near < 1) return true;
  if (!element_order(m, d, p, pair, near, turn)) {
    for (int i = 0; i < near; i++) turn[i] = i;
  }
  for (int i = 0; i < near; i++) {
    bool turned = turn[i] < 0;
    snElementPair* e = p->pair + pair[turned ? -1 - turn[i] : turn[i]];
    if (!collide_elements(m, d, c, param, p, e, turned)) return false;
  }
  return true;
}

static bool collide_pairs(const mjModel* m, mjData* d, snCollide* c, const snContactParam* param,
                          int flex1, int flex2) {
  double reach = param->margin + m->flex_radius[flex1] + m->flex_radius[flex2];
  snElementPairs* p = element_pairs(m, d, &c->elements, flex1, flex2, reach);
  if (!p) {
    mj_warning(d, mjWARN_CONTACTFULL, d->ncon);
    return false;
  }
  int search = m->flex_selfcollide[flex1];
  bool swept = search == mjFLEXSELF_SAP || (search == mjFLEXSELF_AUTO && m->flex_dim[flex1] < 3);
  if (flex1 == flex2 && search != mjFLEXSELF_NARROW) {
    mj_markStack(d);
    bool done = (swept ? collide_swept : collide_trees)(m, d, c, param, p);
    mj_freeStack(d);
    return done;
  }
  for (int i = 0; i < p->n; i++) {
    snElementPair* e = p->pair + i;
    if (!elements_near(m, d, p, e, param->margin)) continue;
    if (!collide_elements(m, d, c, param, p, e, false)) return false;
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
  return collide_pairs(m, d, c, &param, flex1, flex2);
}

// Internal contacts that keep a tetrahedron from inverting: each corner, a ball, against the slab
// around the opposite face, whose normal points to the corner in the rest pose. Frictionless.
static bool collide_tetrahedra(const mjModel* m, mjData* d, snCollide* c,
                               const snContactParam* param, int flex) {
  static const int kFace[4][4] = {{0, 2, 1, 3}, {0, 3, 2, 1}, {0, 1, 3, 2}, {1, 2, 3, 0}};
  double radius = m->flex_radius[flex];
  snContactParam bare = *param;
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
      if (dist >= 0) continue;
      touch_add(&c->touches, dist, v_along(corner, -0.5 * height, n), n);
      snParts parts = {{-1, -1}, {flex, flex}, {e, -1}, {-1, v[kFace[k][3]]}};
      if (!flex_contacts(d, c, &bare, parts)) return false;
    }
  }
  return true;
}

// Internal contacts of vertices with nearby elements, by the model's list.
static bool collide_flex_internal(const mjModel* m, mjData* d, snCollide* c,
                                  const snContactParam* param, int flex) {
  if (m->flex_dim[flex] == 3 && !collide_tetrahedra(m, d, c, param, flex)) return false;
  for (int k = 0; k < m->flex_evpairnum[flex]; k++) {
    const int* pair = m->flex_evpair + 2 * (m->flex_evpairadr[flex] + k);
    snElement ball, element;
    ball_make(&ball, m, d, flex, pair[1]);
    element_make(&element, m, d, flex, pair[0], true);
    collide_shapes(m, &c->touches, &ball.shape, &element.shape, param->margin, NULL);
    snParts parts = {{-1, -1}, {flex, flex}, {-1, pair[0]}, {pair[1], -1}};
    if (!flex_contacts(d, c, param, parts)) return false;
  }
  return true;
}

bool collide_flex_self(const mjModel* m, mjData* d, snCollide* c, int flex) {
  if (m->flex_rigid[flex]) return true;
  snContactParam param;
  contact_mix(m, &param, contact_side_flex(m, flex), contact_side_flex(m, flex));
  param.margin = param.includemargin = 0;  // as released
  c->touches.n = 0;
  if (m->flex_internal[flex] && !collide_flex_internal(m, d, c, &param, flex)) return false;
  if (m->flex_selfcollide[flex] == mjFLEXSELF_NONE ||
      !(m->flex_contype[flex] & m->flex_conaffinity[flex])) {
    return true;
  }
  return collide_pairs(m, d, c, &param, flex, flex);
}
