// What a model asks for beyond the documented interface: texts and tuples of <custom> whose names
// begin with "sinew:". hard_check (hard/choice.c) lists the names and values that there are; a
// model that came from our compiler has no others.
#include <string.h>

#include "model/model.h"

const char* asked_text(const mjModel* m, const char* name) {
  int id = m->ntext ? mj_name2id(m, mjOBJ_TEXT, name) : -1;
  return id < 0 ? NULL : m->text_data + m->text_adr[id];
}

bool asked_geoms(const mjModel* m, const char* name, mjtNum* value) {
  memset(value, 0, sizeof(mjtNum) * (size_t)m->ngeom);
  int tuple = m->ntuple ? mj_name2id(m, mjOBJ_TUPLE, name) : -1;
  if (tuple < 0) return false;
  for (int k = m->tuple_adr[tuple]; k < m->tuple_adr[tuple] + m->tuple_size[tuple]; k++) {
    int geom = m->tuple_objid[k];
    bool there = m->tuple_objtype[k] == mjOBJ_GEOM && geom >= 0 && geom < m->ngeom;
    if (there) value[geom] = m->tuple_objprm[k];
  }
  return true;
}
