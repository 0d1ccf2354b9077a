// Sleep: what follows from the model. Which trees are tied to each other, which never sleep, and
// which numbers of the model are watched.
//
// Trees are tied for good by tendons and by transmissions between two of them; contacts and
// equalities come and go (sleep.c). A tree never sleeps when something acts on it or reads from it
// that sleep would stop: a sensor of forces or accelerations, a plugin, a flex.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/layout.h"
#include "base/union_find.h"
#include "hold/sleep.h"

static const mjtNum SPEED = 1e-4;  // m/s, unless the text has a number

// ---- what a thing belongs to

static int tree_of_site(const mjModel* m, int site) {
  return site < 0 ? -1 : m->body_treeid[m->site_bodyid[site]];
}

static int body_of_wrap(const mjModel* m, int w) {
  int id = m->wrap_objid[w];
  switch (m->wrap_type[w]) {
    case mjWRAP_JOINT:
      return m->jnt_bodyid[id];
    case mjWRAP_SITE:
      return m->site_bodyid[id];
    case mjWRAP_SPHERE:
    case mjWRAP_CYLINDER:
      return m->geom_bodyid[id];
    default:
      return 0;
  }
}

static bool on_mocap(const mjModel* m, int body) {
  return m->body_treeid[body] < 0 && m->body_mocapid[m->body_rootid[body]] >= 0;
}

// Ties two trees, either of which may be none; returns one of them.
static int tie(snSleepers* s, int a, int b) {
  if (a < 0 || b < 0) return a < 0 ? b : a;
  int x = union_root(s->couple, a), y = union_root(s->couple, b);
  if (x != y) union_join(s->couple, x, y);
  return a;
}

static void tie_tendons(const mjModel* m, snSleepers* s) {
  for (int t = 0; t < m->ntendon; t++) {
    bool mocap = false;
    s->tendon[t] = -1;
    for (int w = m->tendon_adr[t]; w < m->tendon_adr[t] + m->tendon_num[t]; w++) {
      int body = body_of_wrap(m, w);
      mocap |= on_mocap(m, body);
      s->tendon[t] = tie(s, s->tendon[t], m->body_treeid[body]);
    }
    if (mocap && s->tendon[t] >= 0) s->moored[s->tendon[t]] = 1;
  }
}

static void tie_actuators(const mjModel* m, snSleepers* s) {
  for (int i = 0; i < m->nu; i++) {
    int id = m->actuator_trnid[2 * i], other = m->actuator_trnid[2 * i + 1], tree = -1;
    switch (m->actuator_trntype[i]) {
      case mjTRN_JOINT:
      case mjTRN_JOINTINPARENT:
        tree = m->body_treeid[m->jnt_bodyid[id]];
        break;
      case mjTRN_TENDON:
        tree = s->tendon[id];
        break;
      case mjTRN_SITE:
      case mjTRN_SLIDERCRANK:
        tree = tie(s, tree_of_site(m, id), tree_of_site(m, other));
        for (int k = 0; k < 2 && tree >= 0; k++) {
          int site = k ? other : id;
          if (site >= 0 && on_mocap(m, m->site_bodyid[site])) s->moored[tree] = 1;
        }
        break;
      case mjTRN_BODY:
        tree = m->body_treeid[id];
        break;
      default:
        break;
    }
    s->actuator[i] = tree;
    if (m->actuator_plugin[i] >= 0 && tree >= 0) s->restless[tree] = 1;
  }
}

static void tie_equalities(const mjModel* m, snSleepers* s) {
  for (int i = 0; i < m->neq; i++) {
    const int obj[2] = {m->eq_obj1id[i], m->eq_obj2id[i]};
    int* tree = s->eq + 2 * i;
    bool mocap = false;
    for (int k = 0; k < 2; k++) {
      int body = -1;
      tree[k] = -1;
      if (obj[k] < 0) continue;
      switch (m->eq_type[i]) {
        case mjEQ_CONNECT:
        case mjEQ_WELD:
          body = m->eq_objtype[i] == mjOBJ_SITE ? m->site_bodyid[obj[k]] : obj[k];
          break;
        case mjEQ_JOINT:
          body = m->jnt_bodyid[obj[k]];
          break;
        case mjEQ_TENDON:
          tree[k] = s->tendon[obj[k]];
          break;
        default:
          break;
      }
      if (body < 0) continue;
      tree[k] = m->body_treeid[body];
      mocap |= on_mocap(m, body);
    }
    for (int k = 0; k < 2; k++) {
      if (mocap && tree[k] >= 0) s->moored[tree[k]] = 1;
    }
  }
}

// ---- who never sleeps

static int body_of_object(const mjModel* m, int type, int id) {
  switch (type) {
    case mjOBJ_BODY:
    case mjOBJ_XBODY:
      return id;
    case mjOBJ_JOINT:
      return m->jnt_bodyid[id];
    case mjOBJ_GEOM:
      return m->geom_bodyid[id];
    case mjOBJ_SITE:
      return m->site_bodyid[id];
    default:
      return -1;
  }
}

// A sensor of an acceleration or a force reads contacts, which sleepers do not have.
static void mark_sensors(const mjModel* m, snSleepers* s) {
  for (int i = 0; i < m->nsensor; i++) {
    int type = m->sensor_type[i];
    bool computed =
        type == mjSENS_ACTUATORFRC || type == mjSENS_JOINTACTFRC || type == mjSENS_TENDONACTFRC;
    if (m->sensor_needstage[i] != mjSTAGE_ACC || computed) continue;
    int body = body_of_object(m, m->sensor_objtype[i], m->sensor_objid[i]);
    if (body < 0) {  // it may read anything
      memset(s->restless, 1, (size_t)m->ntree);
      continue;
    }
    if (m->body_treeid[body] >= 0)
      s->restless[m->body_treeid[body]] = 1;
    else
      s->sensed[body] = 1;
  }
}

static void mark_restless(const mjModel* m, snSleepers* s) {
  mark_sensors(m, s);
  for (int b = 0; b < m->nbody; b++) {
    if (m->body_plugin[b] >= 0 && m->body_treeid[b] >= 0) s->restless[m->body_treeid[b]] = 1;
  }
  for (int i = 0; i < m->nflexvert; i++) {
    int tree = m->body_treeid[m->flex_vertbodyid[i] < 0 ? 0 : m->flex_vertbodyid[i]];
    if (tree >= 0) s->restless[tree] = 1;
  }
  for (int i = 0; i < m->nflexnode; i++) {
    int tree = m->body_treeid[m->flex_nodebodyid[i]];
    if (tree >= 0) s->restless[tree] = 1;
  }
}

// ---- extents

static void measure(const mjModel* m, snSleepers* s) {
  snBodyRun at = {0};
  for (int b = 0; b <= m->nbody; b++) {
    s->begin[b] = at;
    if (b == m->nbody) break;
    at.body++;
    at.jnt += m->body_jntnum[b];
    at.dof += m->body_dofnum[b];
    at.geom += m->body_geomnum[b];
    while (at.site < m->nsite && m->site_bodyid[at.site] <= b) at.site++;
  }
  for (int b = 0; b < m->nbody; b++) {
    int t = m->body_treeid[b];
    if (t < 0) continue;
    snBodyRun *span = s->tree + t, from = s->begin[b], to = s->begin[b + 1];
    if (!span->body_end) *span = from;
    span->body_end = to.body, span->jnt_end = to.jnt, span->dof_end = to.dof;
    span->geom_end = to.geom, span->site_end = to.site;
    for (int g = from.geom; g < to.geom; g++) {
      mjtNum r = m->geom_rbound[g] + mju_norm3(m->geom_pos + 3 * g);
      if (r < mjMAXVAL && r > s->length[t]) s->length[t] = r;
    }
  }
  for (int t = 0; t < m->ntree; t++) {
    const snBodyRun* span = s->tree + t;
    s->qpos[t] = span->jnt < m->njnt ? m->jnt_qposadr[span->jnt] : m->nq;
    s->qpos_end[t] = span->jnt_end < m->njnt ? m->jnt_qposadr[span->jnt_end] : m->nq;
    if (s->length[t] <= 0) s->length[t] = 1;
  }
}

// ---- numbers of the model that are watched

static bool begins(const char* name, const char* with) {
  return !strncmp(name, with, strlen(with));
}

// Does the motion depend on the array? Colors, groups, names and the user's numbers are left out.
static bool moves(const char* name) {
  static const char* const kind[] = {"body_", "jnt_",  "dof_",    "geom_",    "site_",
                                     "pair_", "eq_",   "tendon_", "wrap_",    "actuator_",
                                     "qpos_", "flex_", "hfield_", "exclude_", "flexedge_"};
  static const char* const other[] = {"_user", "_rgba", "_matid", "_group", "texcoord", "bvh"};
  bool one = false;
  for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) one |= begins(name, kind[i]);
  for (size_t i = 0; i < sizeof other / sizeof *other; i++) one &= !strstr(name, other[i]);
  return one;
}

static size_t watched_bytes(const mjModel* m, snWatchedArray* list, int* n) {
  size_t sum = 0;
  *n = 0;
  for (int i = 0; i < schema_model_count; i++) {
    const snField* f = schema_model + i;
    size_t bytes = moves(f->name) ? schema_bytes(f, m, NULL) : 0;
    if (!bytes) continue;
    if (list) list[*n] = (snWatchedArray){i, bytes};
    ++*n;
    sum += bytes;
  }
  return sum;
}

int sleep_slices(const mjModel* m) {
  int n;
  size_t slices = watched_bytes(m, NULL, &n) / SLICE + 1;
  return slices > MOST_SLICES ? MOST_SLICES : (int)slices;
}

// The next part of a watched array in a slice, from array `i` on; false: there is none.
typedef struct snSlicePart_ {
  int i;
  size_t at, end;  // bytes of all arrays in front of array i; the end of the slice
  size_t first, bytes, image;
  const char* begin;
} snSlicePart;

static bool next_part(const mjModel* m, const snSleepers* s, snSlicePart* p) {
  for (; p->i < s->nwatched && p->at < p->end; p->i++) {
    size_t bytes = s->watched[p->i].bytes, from = p->at < p->first ? p->first - p->at : 0;
    size_t to = p->at + bytes < p->end ? bytes : p->end - p->at, at = p->at;
    p->at += bytes;
    if (from >= to) continue;
    p->begin = schema_array(m, schema_model + s->watched[p->i++].field) + from;
    p->bytes = to - from;
    p->image = at + from;
    SN_ASSERT(p->image + p->bytes <= s->bytes);
    return true;
  }
  return false;
}

mjtNum sleep_slice(const mjModel* m, const snSleepers* s, int slice) {
  size_t size = s->bytes / (size_t)s->nslice + 1, first = size * (size_t)slice;
  const snSlicePart begin = {.first = first, .end = first + size};
  if (memcmp(s->option, &m->opt, sizeof m->opt)) {
    memcpy(s->option, &m->opt, sizeof m->opt);
    memset(s->known, 0, (size_t)s->nslice);
  }
  bool same = s->known[slice];
  for (snSlicePart p = begin; same && next_part(m, s, &p);) {
    same = !memcmp(s->image + p.image, p.begin, p.bytes);
  }
  if (same) return s->hash[slice];
  uint64_t hash = hash_quick(&m->opt, sizeof m->opt, 0);
  for (snSlicePart p = begin; next_part(m, s, &p);) {
    hash = hash_quick(p.begin, p.bytes, hash);
    memcpy(s->image + p.image, p.begin, p.bytes);
  }
  s->known[slice] = 1;
  return s->hash[slice] = (mjtNum)(hash >> 12);
}

// ---- memory

static void tables_free(void* block) {
  snSleepers* s = block;
  memory_free(s->block);
  memory_free(s);
}

static bool reserve(const mjModel* m, snSleepers* s) {
  int n = m->ntree, nbody = m->nbody;
  s->bytes = watched_bytes(m, NULL, &s->nwatched);
  s->nslice = sleep_slices(m);
  const snArray array[] = {
      SN_ARRAY(s->qpos_posed, m->nq),
      SN_ARRAY(s->length, n),
      SN_ARRAY(s->watched, s->nwatched),
      SN_ARRAY(s->awake.span, nbody + 1),
      SN_ARRAY(s->tree, n),
      SN_ARRAY(s->begin, nbody + 1),
      SN_ARRAY(s->couple, n),
      SN_ARRAY(s->up, n),
      SN_ARRAY(s->qpos, n),
      SN_ARRAY(s->qpos_end, n),
      SN_ARRAY(s->tendon, m->ntendon),
      SN_ARRAY(s->actuator, m->nu),
      SN_ARRAY(s->eq, 2 * (size_t)m->neq),
      SN_ARRAY(s->awake.tree_asleep, n),
      SN_ARRAY(s->awake.geom_still, m->ngeom),
      SN_ARRAY(s->awake.tendon_asleep, m->ntendon),
      SN_ARRAY(s->restless, n),
      SN_ARRAY(s->moored, n),
      SN_ARRAY(s->sensed, nbody),
      SN_ARRAY(s->evaluated, n),
      SN_ARRAY(s->woken, n),
      SN_ARRAY(s->mocap_moved, m->nmocap),
      SN_ARRAY(s->option, 1),
      SN_ARRAY(s->image, s->bytes),
      SN_ARRAY(s->hash, s->nslice),
      SN_ARRAY(s->known, s->nslice),
  };
  enum { COUNT = sizeof array / sizeof *array };
  s->block = memory_alloc_zero(layout_size(array, COUNT));
  if (s->block) layout_place(array, COUNT, s->block);
  return s->block;
}

snSleepers* sleep_tables(const mjModel* m, mjData* d) {
  snCache* cache = data_cache(d, snROOM_HOLD);
  snSleepers* s = cache->block;
  uint64_t serial = model_plan(m)->serial;
  if (s && s->serial == serial) return s;
  if (s) tables_free(s);
  *cache = (snCache){NULL};
  s = memory_alloc_zero(sizeof *s);
  if (!s || !reserve(m, s)) {
    memory_free(s);
    return NULL;
  }
  s->serial = serial;
  s->instance = sleep_instance(m);
  const char* text = asked_text(m, "sinew:sleep");
  mjtNum speed = text ? strtod(text, NULL) : 0;
  s->speed = speed > 0 ? speed : SPEED;
  watched_bytes(m, s->watched, &s->nwatched);
  union_start(s->couple, m->ntree);
  measure(m, s);
  tie_tendons(m, s);
  tie_actuators(m, s);
  tie_equalities(m, s);
  mark_restless(m, s);
  ((snData*)d)->posed = false;
  *cache = (snCache){.block = s, .free = tables_free};
  return s;
}
