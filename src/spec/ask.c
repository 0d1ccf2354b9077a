// sn_ask: adds the <custom> texts with names "sinew:..." by which a model asks for features of
// Sinew (sinew/ask.h), so that programs and MJCF files use one mechanism.
#include <sinew/ask.h>
#include <stdio.h>
#include <string.h>

#include "spec/spec.h"

int sn_ask(mjSpec* s, const char* name, const char* value) {
  if (!s || !name || !value) {
    mju_error("sn_ask: expected a spec, a name and a value; one of them is NULL");
    return 0;
  }
  char full[64];
  snprintf(full, sizeof full, "sinew:%s", name);
  mjsElement* e = mjs_findElement(s, mjOBJ_TEXT, full);
  mjsText* text = e ? mjs_asText(e) : mjs_addText(s);
  if (!text) return 0;
  if (!e) mjs_setString(mjs_getName(text->element), full);
  mjs_setString(text->data, value);
  return 1;
}
