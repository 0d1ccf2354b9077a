// Which bodies may collide, by the documented filters: two bodies may when they are not welded
// together, are not parent and child (unless the parent is static or the filter is off), are not
// excluded, and their masks match. Explicit geom pairs are listed with their bodies whatever the
// filters say.
#include <stdlib.h>

#include "collide/broad.h"

static int compare_u64(const void* a, const void* b) {
  uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
  return x < y ? -1 : x > y;
}

static uint64_t signature(int body1, int body2) {
  return body1 < body2 ? (uint64_t)body1 << 32 | (uint32_t)body2
                       : (uint64_t)body2 << 32 | (uint32_t)body1;
}

bool bodies_excluded(const snBroadBodies* b, int body1, int body2) {
  uint64_t key = signature(body1, body2);
  return bsearch(&key, b->excluded, b->nexcluded, sizeof key, compare_u64) != NULL;
}

void* list_grow(void* list, int* capacity, int need, size_t size) {
  int more = 2 * need + 64;
  void* grown = memory_resize(list, (size_t)*capacity * size, (size_t)more * size);
  if (grown) *capacity = more;
  return grown;
}

bool bodies_room(snBroadBodies* b, int need) {
  if (need <= b->pair_capacity) return true;
  snBodyPair* grown = list_grow(b->pair, &b->pair_capacity, need, sizeof *grown);
  if (grown) b->pair = grown;
  return grown != NULL;
}

bool bodies_push(snBroadBodies* b, snBodyPair p) {
  if (!bodies_room(b, b->npair + 1)) return false;
  b->pair[b->npair++] = p;
  return true;
}

// Explicit pairs sorted by body pair; insertion sort keeps the model's order among equals.
static void sort_explicit(snBroadBodies* b, const mjModel* m) {
  b->nexplicit = m->npair;
  for (int i = 0; i < m->npair; i++) {
    int b1 = m->geom_bodyid[m->pair_geom1[i]], b2 = m->geom_bodyid[m->pair_geom2[i]];
    if (b1 > b2) {
      int swap = b1;
      b1 = b2;
      b2 = swap;
    }
    int k = i;
    while (k > 0 && (b->explicit_b1[k - 1] > b1 ||
                     (b->explicit_b1[k - 1] == b1 && b->explicit_b2[k - 1] > b2))) {
      b->explicit_id[k] = b->explicit_id[k - 1];
      b->explicit_b1[k] = b->explicit_b1[k - 1];
      b->explicit_b2[k] = b->explicit_b2[k - 1];
      k--;
    }
    b->explicit_id[k] = i;
    b->explicit_b1[k] = b1;
    b->explicit_b2[k] = b2;
  }
  for (int i = 1; i < m->npair; i++) SN_ASSERT(b->explicit_b1[i - 1] <= b->explicit_b1[i]);
}

static void sort_excluded(snBroadBodies* b, const mjModel* m) {
  b->nexcluded = m->nexclude;
  for (int i = 0; i < m->nexclude; i++) {
    unsigned s = (unsigned)m->exclude_signature[i];
    b->excluded[i] = signature((int)(s >> 16), (int)(s & 0xFFFF));
  }
  qsort(b->excluded, b->nexcluded, sizeof(uint64_t), compare_u64);
}

// Active geoms: those with a nonzero mask, or all when a contact filter callback decides. Four
// zeros behind the last serve SIMD loads.
static void list_active(snBroad* b, const mjModel* m) {
  snBroadBodies* bodies = &b->bodies;
  for (int i = 0; i < m->nbody; i++) {
    bodies->begin[i] = bodies->nactive;
    bodies->mask_type[i] = m->body_contype[i];
    bodies->mask_affinity[i] = m->body_conaffinity[i];
    for (int k = 0; k < m->body_geomnum[i]; k++) {
      int g = m->body_geomadr[i] + k;
      if (b->snapshot.callback || m->geom_contype[g] || m->geom_conaffinity[g]) {
        bodies->active[bodies->nactive++] = g;
      }
    }
  }
  bodies->begin[m->nbody] = bodies->nactive;
  SN_ASSERT(bodies->nactive <= m->ngeom);
  for (int k = 0; k < 4; k++) bodies->active[bodies->nactive + k] = 0;
}

void bodies_fill(snBroad* b, const mjModel* m) {
  snBroadBodies* bodies = &b->bodies;
  for (int i = 0; i < m->nbody; i++) {
    bodies->weld[i] = m->body_weldid[i];
    bodies->weld_parent[i] = m->body_weldid[m->body_parentid[m->body_weldid[i]]];
  }
  list_active(b, m);
  for (int i = 0; i < m->nbody; i++) {
    int ngeom = bodies->begin[i + 1] - bodies->begin[i];
    if (ngeom) bodies->bounded[bodies->nbounded++] = i;
    if (bodies->weld[i]) bodies->nmoving += ngeom;
  }
  sort_excluded(bodies, m);
  sort_explicit(bodies, m);
}

// List all body pairs that pass the filters. Bodies in no pair need no bounds.
bool bodies_list_pairs(snBroad* b, int nbody) {
  int e = 0;
  for (int i = 0; i < nbody; i++) {
    // explicit pairs may join geoms of one body
    for (int j = i; j < nbody; j++) {
      int first = e;
      SN_ASSERT(e == b->bodies.nexplicit || b->bodies.explicit_b1[e] >= i);  // none was passed over
      while (e < b->bodies.nexplicit && b->bodies.explicit_b1[e] == i &&
             b->bodies.explicit_b2[e] == j)
        e++;
      bool dynamic = j > i && bodies_masks_meet(&b->bodies, i, j) && bodies_may_meet(b, i, j);
      if ((dynamic || e > first) &&
          !bodies_push(&b->bodies, (snBodyPair){i, j, first, e - first, dynamic})) {
        return false;
      }
    }
  }
  b->bodies.nbounded = 0;
  for (int i = 0; i < b->bodies.npair; i++) {
    const snBodyPair* p = b->bodies.pair + i;
    SN_ASSERT(p->body1 <= p->body2 && p->body2 < nbody);
    b->list.most += (double)(b->bodies.begin[p->body1 + 1] - b->bodies.begin[p->body1]) *
                    (b->bodies.begin[p->body2 + 1] - b->bodies.begin[p->body2]);
  }
  memset(b->bodies.count, 0, (nbody + 1) * sizeof(int));
  for (int i = 0; i < b->bodies.npair; i++)
    b->bodies.count[b->bodies.pair[i].body1] = b->bodies.count[b->bodies.pair[i].body2] = 1;
  for (int i = 0; i < nbody; i++) {
    if (b->bodies.count[i] && b->bodies.begin[i + 1] > b->bodies.begin[i])
      b->bodies.bounded[b->bodies.nbounded++] = i;
  }
  return true;
}
