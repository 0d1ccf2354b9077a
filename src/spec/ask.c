// sn_ask: the texts of a spec whose names begin with "sinew:" (sinew/ask.h).
#include <sinew/ask.h>
#include <stdio.h>
#include <string.h>

#include "spec/spec.h"

int sn_ask(mjSpec* s, const char* name, const char* value) {
  static const char* const known[] = {"friction", "impact", "loops", "solver"};
  bool found = false;
  for (size_t i = 0; i < sizeof known / sizeof *known && name; i++) {
    found |= !strcmp(name, known[i]);
  }
  if (!s || !value || !found) {
    mju_error(
        "sn_ask: expected a spec, one of friction, impact, loops and solver, and a value; got '%s'",
        name ? name : "NULL");
    return 0;
  }
  char full[40];
  snprintf(full, sizeof full, "sinew:%s", name);
  mjsElement* e = mjs_findElement(s, mjOBJ_TEXT, full);
  mjsText* text = e ? mjs_asText(e) : mjs_addText(s);
  if (!text) return 0;
  if (!e) mjs_setString(mjs_getName(text->element), full);
  mjs_setString(text->data, value);
  return 1;
}
