// What a model asks for beyond the documented interface: texts and tuples of <custom> whose names
// begin with "sinew:". hard_check (hard/choice.c) lists the names and values that there are; a
// model that came from our compiler has no others.
#include <stdatomic.h>
#include <string.h>

#include "model/model.h"

// A step asks several times, of models that have few texts and tuples: names one by one are sooner
// compared than hashed.
enum { FEW = 8 };

// Names begin alike, and most differ in the first letter behind "sinew:".
SN_INLINE int find(const mjModel* m, int type, const int* adr, int n, const char* name,
                   size_t size) {
  static const size_t kPrefix = sizeof "sinew:" - 1;
  if (n > FEW || size <= kPrefix) return mj_name2id(m, type, name);
  for (int i = 0; i < n; i++) {  // a program may write to the addresses
    bool inside = adr[i] >= 0 && adr[i] <= m->nnames - (int)size;
    if (inside && m->names[adr[i] + (int)kPrefix] == name[kPrefix] &&
        !memcmp(m->names + adr[i], name, size)) {
      return i;
    }
  }
  return -1;
}

int asked_find_tuple(const mjModel* m, const char* name, size_t size) {
  return find(m, mjOBJ_TUPLE, m->name_tupleadr, m->ntuple, name, size);
}

const char* asked_find_text(const mjModel* m, const char* name, size_t size) {
  int id = find(m, mjOBJ_TEXT, m->name_textadr, m->ntext, name, size);
  int at = id < 0 ? -1 : m->text_adr[id];
  return at < 0 || at >= m->ntextdata ? NULL : m->text_data + at;
}

const snAskedTuple asked_tuple_kind[ASKED_TUPLES] = {
    {"restitution", 0, 1, false},   {"stiffness", 1e-9, 1e15, false}, {"damping", 0, 1e15, false},
    {"dissipation", 0, 1e6, false}, {"across", 1e-6, 1e6, false},     {"backward", 1e-6, 1e6, true},
    {"kinetic", 1e-6, 1, true}};

static const char* const kBuiltin[] = {"sinew.friction", "sinew.sleep"};
enum { NBUILTIN = sizeof kBuiltin / sizeof *kBuiltin };

// A step asks several times. A plugin is registered once, under a name that stays where it is: when
// it has been found, the address of its name is enough.
static bool is_builtin(const mjModel* m, int instance, int k) {
  static _Atomic(const char*) found[NBUILTIN];
  const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[instance]);
  const char *name = plugin ? plugin->name : NULL, *known = atomic_load(&found[k]);
  if (!name || known) return name && name == known;
  if (strcmp(name, kBuiltin[k])) return false;
  atomic_store(&found[k], name);
  return true;
}

static int find_builtin(const mjModel* m, int k) {
  for (int i = m->nplugin - 1; i >= 0 && i >= m->nplugin - NBUILTIN; i--) {
    if (is_builtin(m, i, k)) return i;
  }
  return -1;
}

int builtin_find(const mjModel* m, const char* name) {
  for (int k = 0; k < NBUILTIN; k++) {
    if (!strcmp(name, kBuiltin[k])) return find_builtin(m, k);
  }
  return -1;
}

int model_plugins(const mjModel* m) {
  int n = m->nplugin;
  for (int k = 0; k < NBUILTIN && m->nplugin; k++) n -= find_builtin(m, k) >= 0;
  return n;
}

bool asked_geoms(const mjModel* m, const char* name, mjtNum* value) {
  memset(value, 0, sizeof(mjtNum) * (size_t)m->ngeom);
  int tuple = asked_tuple(m, name);
  if (tuple < 0) return false;
  for (int k = m->tuple_adr[tuple]; k < m->tuple_adr[tuple] + m->tuple_size[tuple]; k++) {
    int geom = m->tuple_objid[k];
    bool there = m->tuple_objtype[k] == mjOBJ_GEOM && geom >= 0 && geom < m->ngeom;
    if (there) value[geom] = m->tuple_objprm[k];
  }
  return true;
}
