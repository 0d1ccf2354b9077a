// What a model asks for beyond the documented interface: texts and tuples of <custom> whose names
// begin with "sinew:". hard_check (hard/choice.c) lists the names and values that there are; a
// model that came from our compiler has no others.
#include <string.h>

#include "model/model.h"

// A step asks several times, of models that have few texts and tuples: names one by one are sooner
// compared than hashed.
enum { FEW = 8 };

static int find(const mjModel* m, int type, const int* adr, int n, const char* name) {
  if (!n) return -1;
  if (n > FEW) return mj_name2id(m, type, name);
  int size = (int)strlen(name) + 1;
  for (int i = 0; i < n; i++) {  // a program may write to the addresses
    bool inside = adr[i] >= 0 && adr[i] <= m->nnames - size;
    if (inside && !memcmp(m->names + adr[i], name, (size_t)size)) return i;
  }
  return -1;
}

int asked_tuple(const mjModel* m, const char* name) {
  return find(m, mjOBJ_TUPLE, m->name_tupleadr, m->ntuple, name);
}

const char* asked_text(const mjModel* m, const char* name) {
  int id = find(m, mjOBJ_TEXT, m->name_textadr, m->ntext, name);
  int at = id < 0 ? -1 : m->text_adr[id];
  return at < 0 || at >= m->ntextdata ? NULL : m->text_data + at;
}

static bool is_plugin(const mjModel* m, int instance, const char* name) {
  const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[instance]);
  return plugin && plugin->name && !strcmp(plugin->name, name);
}

static const char* const kBuiltin[] = {"sinew.friction", "sinew.sleep"};
enum { NBUILTIN = sizeof kBuiltin / sizeof *kBuiltin };

int model_builtin(const mjModel* m, const char* name) {
  for (int i = m->nplugin - 1; i >= 0 && i >= m->nplugin - NBUILTIN; i--) {
    if (is_plugin(m, i, name)) return i;
  }
  return -1;
}

int model_plugins(const mjModel* m) {
  int n = m->nplugin;
  for (int k = 0; k < NBUILTIN && m->nplugin; k++) n -= model_builtin(m, kBuiltin[k]) >= 0;
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
