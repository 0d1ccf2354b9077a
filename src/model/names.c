// Names of objects: address arrays by object type, and one hash table per type in names_map for
// constant-time lookup.
#include "model/model.h"

typedef struct snKind_ {
  int type;   // mjtObj
  int count;  // offset of the number of objects
  int adr;    // offset of the array of name addresses
} snKind;

#define KIND(type, count, array) \
  { type, offsetof(mjModel, count), offsetof(mjModel, array) }

// In the order of the tables in names_map. mjOBJ_XBODY shares the table of mjOBJ_BODY.
static const snKind kinds[] = {
    KIND(mjOBJ_BODY, nbody, name_bodyadr),          KIND(mjOBJ_JOINT, njnt, name_jntadr),
    KIND(mjOBJ_GEOM, ngeom, name_geomadr),          KIND(mjOBJ_SITE, nsite, name_siteadr),
    KIND(mjOBJ_CAMERA, ncam, name_camadr),          KIND(mjOBJ_LIGHT, nlight, name_lightadr),
    KIND(mjOBJ_FLEX, nflex, name_flexadr),          KIND(mjOBJ_MESH, nmesh, name_meshadr),
    KIND(mjOBJ_SKIN, nskin, name_skinadr),          KIND(mjOBJ_HFIELD, nhfield, name_hfieldadr),
    KIND(mjOBJ_TEXTURE, ntex, name_texadr),         KIND(mjOBJ_MATERIAL, nmat, name_matadr),
    KIND(mjOBJ_PAIR, npair, name_pairadr),          KIND(mjOBJ_EXCLUDE, nexclude, name_excludeadr),
    KIND(mjOBJ_EQUALITY, neq, name_eqadr),          KIND(mjOBJ_TENDON, ntendon, name_tendonadr),
    KIND(mjOBJ_ACTUATOR, nu, name_actuatoradr),     KIND(mjOBJ_SENSOR, nsensor, name_sensoradr),
    KIND(mjOBJ_NUMERIC, nnumeric, name_numericadr), KIND(mjOBJ_TEXT, ntext, name_textadr),
    KIND(mjOBJ_TUPLE, ntuple, name_tupleadr),       KIND(mjOBJ_KEY, nkey, name_keyadr),
    KIND(mjOBJ_PLUGIN, nplugin, name_pluginadr),
};
enum { NKIND = sizeof kinds / sizeof kinds[0], LOAD = 2 };

static int kind_count(const mjModel* m, const snKind* k) { return schema_int(m, k->count); }

static const int* kind_adr(const mjModel* m, const snKind* k) {
  return *(int* const*)((const char*)m + k->adr);
}

// The entry of an object type, and where its table starts in names_map; NULL for types without
// names.
static const snKind* kind_find(const mjModel* m, int type, int* start) {
  if (type == mjOBJ_XBODY) type = mjOBJ_BODY;
  *start = 0;
  for (int i = 0; i < NKIND; i++) {
    if (kinds[i].type == type) return &kinds[i];
    *start += LOAD * kind_count(m, &kinds[i]);
  }
  return NULL;
}

// Bernstein's hash, h <- 33 h ^ c from 5381. names_map is a public field, so hash and layout are
// the released ones.
static int slot_first(const char* name, int slots) {
  uint64_t hash = 5381;
  for (; *name; name++) hash = 33 * hash ^ (uint64_t)(signed char)*name;
  return (int)(hash % (uint64_t)slots);
}

int names_map_size(const mjModel* m) {
  int64_t size = 0;
  for (int i = 0; i < NKIND; i++) size += LOAD * (int64_t)kind_count(m, &kinds[i]);
  return size <= INT32_MAX ? (int)size : -1;
}

// Open addressing with load at most 1/2, so every search ends at a free slot. Unnamed objects are
// left out.
void names_map_fill(mjModel* m) {
  for (int i = 0; i < m->nnames_map; i++) m->names_map[i] = -1;
  if (m->nnames_map != names_map_size(m)) return;
  int* table = m->names_map;
  for (int k = 0; k < NKIND; k++) {
    int count = kind_count(m, &kinds[k]), slots = LOAD * count;
    const int* adr = kind_adr(m, &kinds[k]);
    for (int id = 0; id < count; id++) {
      const char* name = m->names + adr[id];
      if (!*name) continue;
      int slot = slot_first(name, slots);
      while (table[slot] >= 0) slot = slot + 1 < slots ? slot + 1 : 0;
      table[slot] = id;
    }
    table += slots;
  }
}

const char* names_text(const mjModel* m, int adr) {
  bool good = adr >= 0 && adr < m->nnames && !m->names[m->nnames - 1];
  return good ? m->names + adr : "";
}

int mj_name2id(const mjModel* m, int type, const char* name) {
  int start;
  const snKind* k = kind_find(m, type, &start);
  if (!k || !name || !*name) return -1;
  int count = kind_count(m, k), slots = LOAD * count;
  const int* adr = kind_adr(m, k);
  if (!count) return -1;
  if (m->nnames_map != names_map_size(m)) {  // filled without a map: search linearly
    for (int id = 0; id < count; id++) {
      if (!strcmp(name, names_text(m, adr[id]))) return id;
    }
    return -1;
  }
  const int* table = m->names_map + start;
  int slot = slot_first(name, slots);
  for (int i = 0; i < slots && table[slot] >= 0 && table[slot] < count; i++) {
    if (!strcmp(name, names_text(m, adr[table[slot]]))) return table[slot];
    slot = slot + 1 < slots ? slot + 1 : 0;
  }
  return -1;
}

const char* mj_id2name(const mjModel* m, int type, int id) {
  int start;
  const snKind* k = kind_find(m, type, &start);
  if (!k || id < 0 || id >= kind_count(m, k)) return NULL;
  const char* name = names_text(m, kind_adr(m, k)[id]);
  return *name ? name : NULL;
}
