// Names of the numbers of a state in tables.
#include "label.h"

#include <stdbool.h>
#include <string.h>

// The joint or actuator of component k of a field, and the index of the component in it.
static const char* owner(const mjModel* m, const char* field, int k, const char** part) {
  static const char* const kPosition[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  static const char* const kVelocity[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
  static const char* const kTangent[] = {"x", "y", "z", "rx", "ry", "rz"};
  *part = "";
  if (!strcmp(field, "ctrl")) return mj_id2name(m, mjOBJ_ACTUATOR, k);
  if (!strcmp(field, "act")) {
    for (int i = 0; i < m->nu; i++) {
      int at = k - m->actuator_actadr[i];
      if (m->actuator_actadr[i] >= 0 && at >= 0 && at < m->actuator_actnum[i]) {
        return m->actuator_actnum[i] == 1 ? mj_id2name(m, mjOBJ_ACTUATOR, i) : NULL;
      }
    }
    return NULL;
  }
  bool position = !strcmp(field, "qpos");
  int j = position ? 0 : m->dof_jntid[k];
  while (position && j + 1 < m->njnt && m->jnt_qposadr[j + 1] <= k) j++;
  int at = k - (position ? m->jnt_qposadr[j] : m->jnt_dofadr[j]);
  int ball = m->jnt_type[j] == mjJNT_BALL;
  if (ball || m->jnt_type[j] == mjJNT_FREE) {
    const char* const* parts = !strcmp(field, "dq") ? kTangent : position ? kPosition : kVelocity;
    *part = parts[at + 3 * ball];
  }
  return mj_id2name(m, mjOBJ_JOINT, j);
}

void label_component(const mjModel* m, const char* field, int k, char text[LABEL_ROOM]) {
  const char* part;
  const char* name = owner(m, field, k, &part);
  if (name && name[0]) {
    snprintf(text, LABEL_ROOM, "%s:%.500s%s%s", field, name, *part ? ":" : "", part);
  } else {
    snprintf(text, LABEL_ROOM, "%s_%d", field, k);
  }
}

void label_write(const char* text, FILE* f) {
  if (!strpbrk(text, ",\"\r\n")) {
    fputs(text, f);
    return;
  }
  fputc('"', f);
  for (const char* c = text; *c; c++) {
    // quotes are doubled; line breaks are replaced, because they would end the header
    if (*c == '"') fputc('"', f);
    fputc(*c == '\r' || *c == '\n' ? ' ' : *c, f);
  }
  fputc('"', f);
}
