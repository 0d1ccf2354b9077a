// What a model asks for beyond the documented interface: texts and tuples of <custom> whose names
// begin with "sinew:". hard_check (hard/choice.c) lists the names and values that there are; a
// model that came from our compiler has no others.
#include <string.h>

#include "model/model.h"
#include "model/plan.h"

// Of models that have few texts and tuples, names one by one are sooner compared than hashed.
enum { FEW = 8 };

static uint64_t letters_of_all(const mjModel* m, const int* adr, int n) {
  uint64_t bits = 0;
  for (int i = 0; i < n; i++) {
    bool inside = adr[i] >= 0 && adr[i] < m->nnames;
    const char* name = inside ? m->names + adr[i] : "";
    size_t most = inside ? (size_t)(m->nnames - adr[i]) : 0, size = strnlen(name, most) + 1;
    if (size > ASKED_PREFIX && !memcmp(name, "sinew:", ASKED_PREFIX))
      bits |= asked_letters(name, size);
  }
  return bits;
}

static int find_builtin(const mjModel* m, const char* name) {
  for (int i = m->nplugin - 1; i >= 0 && i >= m->nplugin - snNBUILTIN; i--) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[i]);
    if (plugin && plugin->name && !strcmp(plugin->name, name)) return i;
  }
  return -1;
}

int builtin_others(const mjModel* m) {
  const int* instance = model_plan(m)->asked.instance;
  return m->nplugin - (instance[snBUILTIN_FRICTION] >= 0) - (instance[snBUILTIN_SLEEP] >= 0);
}

SN_INLINE int find(const mjModel* m, int type, const int* adr, int n, const char* name,
                   size_t size) {
  if (n > FEW || size <= ASKED_PREFIX) return mj_name2id(m, type, name);
  for (int i = 0; i < n; i++) {  // a program may write to the addresses
    bool inside = adr[i] >= 0 && adr[i] <= m->nnames - (int)size;
    if (inside && m->names[adr[i] + ASKED_PREFIX] == name[ASKED_PREFIX] &&
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

void asked_scan(const mjModel* m, snAsked* asked) {
  static const char* const kName[snNBUILTIN] = {
      [snBUILTIN_FRICTION] = "sinew.friction", [snBUILTIN_SLEEP] = "sinew.sleep"};
  asked->texts = letters_of_all(m, m->name_textadr, m->ntext);
  asked->tuples = letters_of_all(m, m->name_tupleadr, m->ntuple);
  for (int k = 0; k < snNBUILTIN; k++) asked->instance[k] = find_builtin(m, kName[k]);
  const char* loops = asked_find_text(m, "sinew:loops", sizeof "sinew:loops");
  asked->closes = loops && !strcmp(loops, "closed");
}

const snAskedTuple asked_tuple_kind[ASKED_TUPLES] = {
    {"restitution", 0, 1, false},   {"stiffness", 1e-9, 1e15, false}, {"damping", 0, 1e15, false},
    {"dissipation", 0, 1e6, false}, {"across", 1e-6, 1e6, false},     {"backward", 1e-6, 1e6, true},
    {"kinetic", 1e-6, 1, true}};

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
