// mj_collision: broad phase, narrow phase, contacts.
//
// Contacts come body pair by body pair; within a body pair the explicit pairs in the model's order,
// then dynamic pairs by geom numbers. Solvers that stop early and programs that read contacts by
// index depend on this order.
#include "base/assert.h"
#include "collide/cache.h"
#include "collide/collide.h"
#include "collide/flex.h"

// Spheres and capsules reach to their bounding spheres. Is one within single precision of another?
static bool just_touch(const mjModel* m, const mjData* d, const snTouchList* touches, int g1,
                       int g2, double margin) {
  static const double kSingle = 5e-7;  // of a coordinate: some units of rounding of two sums
  if (m->geom_type[g2] > mjGEOM_CAPSULE || m->geom_type[g1] < mjGEOM_SPHERE) return false;
  const double* p = d->geom_xpos + 3 * g1;
  double size = fabs(p[0]) + fabs(p[1]) + fabs(p[2]) + m->geom_rbound[g1] + m->geom_rbound[g2];
  return touch_least(touches) > margin - kSingle * size;
}

// Rounding error of poses: the mid phase decides contacts within this distance of the margin.
static const double kRounding = 1e-12;

static void cache_free(void* block) {
  snCollide* c = block;
  broad_free(&c->broad);
  touch_free(&c->touches);
  pair_cache_free(&c->pairs);
  mixing_free(&c->mixes);
  element_lists_free(&c->elements);
  memory_free(c);
}

snCollide* collide_cache(mjData* d) {
  snCache* slot = data_cache(d, snROOM_COLLIDE);
  if (!slot->block) {
    slot->block = memory_alloc_zero(sizeof(snCollide));
    slot->free = cache_free;
  }
  return slot->block;
}

double spheres_gap(const mjModel* m, const mjData* d, int g1, int g2, double margin) {
  const double *p1 = d->geom_xpos + 3 * g1, *p2 = d->geom_xpos + 3 * g2;
  bool plane1 = m->geom_type[g1] == mjGEOM_PLANE, plane2 = m->geom_type[g2] == mjGEOM_PLANE;
  snVec between = v_sub(v_of(p2), v_of(p1));
  if (plane1 || plane2) {
    if (plane1 && plane2) return INFINITY;
    double height = plane1 ? v_dot(between, m_axis(d->geom_xmat + 9 * g1, 2))
                           : -v_dot(between, m_axis(d->geom_xmat + 9 * g2, 2));
    return height - (margin + m->geom_rbound[plane1 ? g2 : g1]);
  }
  double reach = m->geom_rbound[g1] + m->geom_rbound[g2] + margin, dist2 = v_norm2(between);
  return dist2 <= reach * reach ? 0 : sqrt(dist2) - reach;
}

// Distance of the bounding boxes of two meshes along the remembered axis, beyond the margin.
static double boxes_gap(const mjModel* m, const mjData* d, const snAxis* memory, int g1, int g2,
                        double margin) {
  snShape a = {
      .pos = d->geom_xpos + 3 * g1, .mat = d->geom_xmat + 9 * g1, .aabb = m->geom_aabb + 6 * g1};
  snShape b = {
      .pos = d->geom_xpos + 3 * g2, .mat = d->geom_xmat + 9 * g2, .aabb = m->geom_aabb + 6 * g2};
  return convex_boxes_gap(memory->axis, &a, &b, margin);
}

// One contact for each touch of a geom pair; false when out of memory.
static bool collide_contacts(const mjModel* m, mjData* d, snCollide* c, snTouchList* touches,
                             int g1, int g2, const snNear* n, double margin) {
  int pair = n->pair;
  if (touches->failed) {
    touches->failed = false;
    mj_warning(d, mjWARN_CONTACTFULL, d->ncon);
    return false;
  }
  if (!touches->n) return true;
  if (n->mid && touch_least(touches) > margin - kRounding && mid_apart(m, d, g1, g2, margin)) {
    return true;
  }
  if (pair < 0 && just_touch(m, d, touches, g1, g2, margin) &&
      touching_apart(m, d, &c->touching, c->broad.bounds.step, g1, g2)) {
    return true;
  }
  snContactParam scratch;
  const snContactParam* param = &scratch;
  if (pair >= 0)
    contact_param_pair(m, &scratch, pair);
  else
    param =
        mixing_find(&c->mixes, m, c->broad.snapshot.made, c->broad.bounds.step, g1, g2, &scratch);
  snParts parts = {{g1, g2}, {-1, -1}, {-1, -1}, {-1, -1}};
  return contact_add(d, touches, param, &parts);
}

// Contacts of one geom pair; false when out of memory.
static bool collide_pair(const mjModel* m, mjData* d, snCollide* c, const snNear* n) {
  int g1 = n->g1, g2 = n->g2, pair = n->pair;
  double margin = contact_margin(m, pair, g1, g2);
  // near_awake has tested the spheres of dynamic pairs, but a plane's radius is infinite there
  bool tested = pair < 0 && m->geom_type[g1] != mjGEOM_PLANE && m->geom_type[g2] != mjGEOM_PLANE;
  if (!tested) {
    double gap = spheres_gap(m, d, g1, g2, margin);
    if (!(gap <= 0)) {
      c->touches.apart = gap;
      return true;
    }
  }
  if (m->geom_type[g1] > m->geom_type[g2]) {
    int swap = g1;
    g1 = g2;
    g2 = swap;
  }
  int type1 = m->geom_type[g1], type2 = m->geom_type[g2];
  mjfCollision collider = mjCOLLISIONFUNC[type1][type2];
  if (!collider) return true;

  if (collider == collide_default(type1, type2)) {
    snAxis* memory = NULL;
    if (collide_remembers(type1, type2)) {
      memory = pair_axis(&c->pairs, g1, g2);
      if (memory && memory->known && type1 == mjGEOM_MESH) {
        c->touches.apart = boxes_gap(m, d, memory, g1, g2, margin);
        if (c->touches.apart > 0) return true;
        c->touches.apart = INFINITY;
      }
    }
    collide_geoms(m, d, &c->touches, g1, g2, margin, memory);
  } else {
    // the released engine calls a user's collider behind the mid phase
    if (n->mid && mid_apart(m, d, g1, g2, margin)) return true;
    int found = collider(m, d, c->user, g1, g2, margin);
    if (found > mjMAXCONPAIR) {
      mju_error("collider of types %d and %d returned %d contacts, more than mjMAXCONPAIR (%d)",
                type1, type2, found, mjMAXCONPAIR);
      return false;
    }
    for (int i = 0; i < found && !c->touches.failed; i++) {
      touch_add(&c->touches, c->user[i].dist, v_of(c->user[i].pos), v_of(c->user[i].frame));
      if (!c->touches.failed) {
        c->touches.touch[c->touches.n - 1].tangent = v_of(c->user[i].frame + 3);
      }
    }
  }
  return collide_contacts(m, d, c, &c->touches, g1, g2, n, margin);
}

// Fill the batch with the next box pairs, from awake pair `at` on, and compute their touches.
static void boxes_ahead(const mjModel* m, const mjData* d, snCollide* c, int at, int nawake) {
  snBoxBatch* boxes = &c->boxes;
  const snBroad* b = &c->broad;
  boxes->n = boxes->next = 0;
  for (; at < nawake && boxes->n < kBoxesAhead; at++) {
    const snNear* n = b->list.near + b->list.awake[at];
    if (!n->box_box) continue;
    int g1 = n->g1, g2 = n->g2;
    SN_ASSERT(boxes->n < kBoxesAhead);
    boxes->pair[boxes->n++] = (snBoxPair){{d->geom_xpos + 3 * g1, d->geom_xpos + 3 * g2},
                                          {d->geom_xmat + 9 * g1, d->geom_xmat + 9 * g2},
                                          {m->geom_size + 3 * g1, m->geom_size + 3 * g2},
                                          contact_margin(m, -1, g1, g2)};
  }
  for (int i = 0, used = 0; i < boxes->n; i += 4) {
    int num = boxes->n - i < 4 ? boxes->n - i : 4, first = used;
    used += boxes_touch(boxes->pair + i, num, boxes->touch + used, boxes->found + i);
    for (int k = i; k < i + num; k++) boxes->found[k].first += first;
  }
}

// Contacts of awake pair `at`, whose bounds overlap. A pair without touches goes to sleep for the
// gap that its collider proved.
static bool collide_near(const mjModel* m, mjData* d, snCollide* c, int at, int nawake) {
  snBroad* b = &c->broad;
  snBoxBatch* boxes = &c->boxes;
  int k = b->list.awake[at];
  const snNear* n = b->list.near + k;
  snSleep* s = b->list.sleep + k;
  if (n->box_box && boxes->next == boxes->n) boxes_ahead(m, d, c, at, nawake);
  int turn = n->box_box ? boxes->next++ : 0;
  if (b->snapshot.callback && n->pair < 0 && call_contactfilter(m, d, n->g1, n->g2)) return true;
  c->touches.n = 0;
  c->touches.apart = INFINITY;
  if (n->box_box) {
    const snBoxPair* pair = boxes->pair + turn;
    const snBoxFound* found = boxes->found + turn;
    snTouchList touches = {.touch = boxes->touch + found->first, .n = found->n};
    bool some = found->n > 0;
    if (!some) boxes_none(&c->touches, pair, found);
    if (!collide_contacts(m, d, c, some ? &touches : &c->touches, n->g1, n->g2, n, pair->margin)) {
      return false;
    }
    if (some) return true;
  } else if (n->direct) {
    double margin = contact_margin(m, -1, n->g1, n->g2);
    collide_direct(m, d, &c->touches, n->g1, n->g2, margin);
    if (!collide_contacts(m, d, c, &c->touches, n->g1, n->g2, n, margin)) return false;
  } else if (!collide_pair(m, d, c, n)) {
    return false;
  }
  if (n->sleeps && !c->touches.n && c->touches.apart < INFINITY) {
    s->wake = near_wake(b, s, c->touches.apart);
  }
  return true;
}

// Leaves out pairs of geoms that are both still because their bodies sleep.
static int near_moving(snBroad* b, const mjData* d, int n) {
  const snAwake* sleepers = data_sleepers(d);
  if (!sleepers) return n;
  int left = 0, *list = b->list.awake;
  for (int i = 0; i < n; i++) {
    const snNear* pair = b->list.near + list[i];
    SN_ASSERT(list[i] < b->list.n && left <= i);
    if (!sleepers->geom_still[pair->g1] || !sleepers->geom_still[pair->g2]) list[left++] = list[i];
  }
  return left;
}

// The lower of the two bodies of a near pair.
static int near_body(const mjModel* m, const snNear* n) {
  int body1 = m->geom_bodyid[n->g1], body2 = m->geom_bodyid[n->g2];
  return body1 < body2 ? body1 : body2;
}

// Is nothing awake that could touch something?
static bool all_still(const mjModel* m, const mjData* d) {
  const snAwake* sleepers = data_sleepers(d);
  return sleepers && !m->nflex && !memchr(sleepers->geom_still, 0, (size_t)m->ngeom);
}

void mj_collision(const mjModel* m, mjData* d) {
  data_arena_clear(d);
  if ((m->opt.disableflags & (mjDSBL_CONSTRAINT | mjDSBL_CONTACT)) || m->nconmax == 0) return;
  if (all_still(m, d)) return;
  snCollide* c = collide_cache(d);
  if (!c || !broad_refresh(&c->broad, m, d)) {
    mj_warning(d, mjWARN_CONTACTFULL, 0);
    return;
  }
  snBroad* b = &c->broad;
  int next = 0, nawake = near_moving(b, d, near_awake(b, d));
  c->touches.whole = model_builtin(m, snBUILTIN_FRICTION) >= 0;
  c->elements.next = 0;
  c->boxes.n = c->boxes.next = 0;
  for (int body = 0; body < m->nbody; body++) {
    // without flexes the first pass takes all pairs
    for (; next < nawake; next++) {
      if (m->nflex && near_body(m, b->list.near + b->list.awake[next]) != body) break;
      if (!collide_near(m, d, c, next, nawake)) return;
    }
    if (!m->nflex) break;
    for (int f = 0; f < m->nflex; f++) {
      if (!collide_body_flex(m, d, c, body, f)) return;
    }
  }
  for (int f = 0; f < m->nflex; f++) {
    for (int g = f + 1; g < m->nflex; g++) {
      if (!collide_flex_flex(m, d, c, f, g)) return;
    }
  }
  for (int f = 0; f < m->nflex; f++) {
    if (!collide_flex_self(m, d, c, f)) return;
  }
  if (d->ncon > d->maxuse_con) d->maxuse_con = d->ncon;
}
