// Contact parameters of two geoms, cached by kind (mixing.h). The cache is valid as long as the
// model's arrays equal its copy, which one memcmp in a step with contacts verifies.
#include "collide/mixing.h"

// Do two geoms have equal parameters?
static bool same_kind(const mjModel* m, int g, int h) {
  return m->geom_condim[g] == m->geom_condim[h] && m->geom_priority[g] == m->geom_priority[h] &&
         m->geom_margin[g] == m->geom_margin[h] && m->geom_gap[g] == m->geom_gap[h] &&
         m->geom_solmix[g] == m->geom_solmix[h] &&
         !memcmp(m->geom_friction + 3 * g, m->geom_friction + 3 * h, 3 * sizeof(mjtNum)) &&
         !memcmp(m->geom_solref + mjNREF * g, m->geom_solref + mjNREF * h,
                 mjNREF * sizeof(mjtNum)) &&
         !memcmp(m->geom_solimp + mjNIMP * g, m->geom_solimp + mjNIMP * h, mjNIMP * sizeof(mjtNum));
}

static int kind_of(snContactMixes* mixes, const mjModel* m, int geom) {
  int k = 0;
  if (mixes->kind[geom] >= 0) return mixes->kind[geom];
  while (k < mixes->nkind && !same_kind(m, mixes->sample[k], geom)) k++;
  if (k == mixes->nkind && k < kContactKinds) mixes->sample[mixes->nkind++] = geom;
  SN_ASSERT(geom < mixes->ngeom);
  return mixes->kind[geom] = k;
}

// The arrays that parameters come from, other than those in the snapshot of the broad phase: two
// ranges of the model's buffer, (solmix, solref, solimp) and (friction, margin, gap).
typedef struct snMixNumbers_ {
  const char* begin[2];
  size_t extent[2];
} snMixNumbers;

static snMixNumbers numbers_of(const mjModel* m) {
  const char *solver = (const char*)m->geom_solmix, *friction = (const char*)m->geom_friction;
  return (snMixNumbers){{solver, friction},
                        {(size_t)((const char*)(m->geom_solimp + mjNIMP * m->ngeom) - solver),
                         (size_t)((const char*)(m->geom_gap + m->ngeom) - friction)}};
}

static bool numbers_hold(const snContactMixes* mixes, const mjModel* m) {
  snMixNumbers n = numbers_of(m);
  return !memcmp(mixes->copy, n.begin[0], n.extent[0]) &&
         !memcmp(mixes->copy + n.extent[0], n.begin[1], n.extent[1]);
}

void mixing_free(snContactMixes* mixes) {
  memory_free(mixes->copy);
  memory_free(mixes->kind);
  *mixes = (snContactMixes){0};
}

// Memory for the geoms of the model; false when out of memory.
static bool mixing_room(snContactMixes* mixes, const mjModel* m) {
  if (mixes->copy && mixes->ngeom == m->ngeom) return true;
  mixing_free(mixes);
  snMixNumbers n = numbers_of(m);
  mixes->ngeom = m->ngeom;
  mixes->copy = memory_alloc(n.extent[0] + n.extent[1] + 1);
  mixes->kind = memory_alloc((size_t)m->ngeom * sizeof(int) + 1);
  return mixes->copy && mixes->kind;
}

void mixing_refresh(snContactMixes* mixes, const mjModel* m, int64_t structure, int64_t step) {
  if (mixes->valid && mixes->structure == structure && numbers_hold(mixes, m)) {
    mixes->compared = step;
    return;
  }
  mixes->valid = mixing_room(mixes, m);
  mixes->compared = step;
  mixes->structure = structure;
  if (!mixes->valid) {
    mixing_free(mixes);
    return;
  }
  snMixNumbers n = numbers_of(m);
  memcpy(mixes->copy, n.begin[0], n.extent[0]);
  memcpy(mixes->copy + n.extent[0], n.begin[1], n.extent[1]);
  for (int i = 0; i < m->ngeom; i++) mixes->kind[i] = -1;
  memset(mixes->key, 0, sizeof mixes->key);
  mixes->nkind = 0;
}

const snContactParam* mixing_make(snContactMixes* mixes, const mjModel* m, int geom1, int geom2,
                                  snContactParam* scratch) {
  bool plain = mixes->valid && !(m->opt.enableflags & mjENBL_OVERRIDE);
  int k1 = plain ? kind_of(mixes, m, geom1) : kContactKinds;
  int k2 = plain ? kind_of(mixes, m, geom2) : kContactKinds;
  if (k1 == kContactKinds || k2 == kContactKinds) {
    contact_param_geoms(m, scratch, geom1, geom2);
    return scratch;
  }
  SN_ASSERT(mixes->nkind <= kContactKinds && k1 < mixes->nkind && k2 < mixes->nkind);
  unsigned key = 1 + (unsigned)(k1 * kContactKinds + k2);
  unsigned slot = mixing_slot((unsigned)k1, (unsigned)k2);
  if (mixes->key[slot] != key) {
    mixes->key[slot] = key;
    contact_param_geoms(m, mixes->param + slot, geom1, geom2);
  }
  return mixes->param + slot;
}
