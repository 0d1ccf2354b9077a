// Fuzz target: MJCF and URDF. Any text is refused or gives a spec; the spec compiles or is refused;
// what is saved of it can be read again.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "read/read.h"

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

// Sizes that are legal but do not fit a test machine.
static bool is_small(const snSpec* s) {
  const mjSpec* p = &s->pub;
  if (p->nuser_body > 100 || p->nuser_jnt > 100 || p->nuser_geom > 100 || p->nuser_site > 100 ||
      p->nuser_cam > 100 || p->nuser_tendon > 100 || p->nuser_actuator > 100 ||
      p->nuser_sensor > 100 || p->nuserdata > 10000 || p->nkey > 100 || p->njmax > 10000 ||
      p->nconmax > 10000) {
    return false;
  }
  if (p->memory != (size_t)-1 && p->memory > (1 << 24)) return false;
  if (p->nstack != (size_t)-1 && p->nstack > (1 << 20)) return false;
  for (int i = 0; i < s->list[mjOBJ_TEXTURE].n; i++) {
    const mjsTexture* t = &s->list[mjOBJ_TEXTURE].item[i]->u.texture;
    if (t->width > 1000 || t->height > 1000 || t->nchannel > 10) return false;
  }
  for (int i = 0; i < s->list[mjOBJ_HFIELD].n; i++) {
    const mjsHField* h = &s->list[mjOBJ_HFIELD].item[i]->u.hfield;
    if (h->nrow > 1000 || h->ncol > 1000) return false;
  }
  for (int i = 0; i < s->list[mjOBJ_SENSOR].n; i++) {
    if (s->list[mjOBJ_SENSOR].item[i]->u.sensor.dim > 1000) return false;
  }
  for (int i = 0; i < s->list[mjOBJ_ACTUATOR].n; i++) {
    if (s->list[mjOBJ_ACTUATOR].item[i]->u.actuator.actdim > 1000) return false;
  }
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  char error[1024];
  char* text = malloc(size + 1);
  if (!text) return 0;
  memcpy(text, bytes, size);
  text[size] = 0;
#ifdef FUZZ_URDF
  if (!strstr(text, "<robot")) {
    free(text);
    return -1;  // keeps the corpus to URDF
  }
#endif
  mjSpec* spec = mj_parseXMLString(text, NULL, error, sizeof(error));
  free(text);
  if (!spec) {
    if (!error[0]) abort();  // refused without a word
    return 0;
  }
  if (is_small(spec_of(spec))) {
    mjModel* m = mj_compile(spec, NULL);
    if (m) {
      int needed = mj_saveXMLString(spec, NULL, 0, error, sizeof(error));
      char* saved = needed > 0 ? malloc(needed + 1) : NULL;
      if (saved && mj_saveXMLString(spec, saved, needed + 1, error, sizeof(error)) == 0) {
        mjSpec* again = mj_parseXMLString(saved, NULL, error, sizeof(error));
        if (again) mj_deleteSpec(again);
      }
      free(saved);
    }
    mj_deleteModel(m);
  }
  mj_deleteSpec(spec);
  return 0;
}
