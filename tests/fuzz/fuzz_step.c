// Fuzz target: binary models that load are stepped. Numbers may be anything; the engine may warn
// and reset, but not crash.
#include <stdint.h>

#include "data/data.h"

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

static bool is_small(const mjModel* m) {
  return m->nv < 100 && m->nbody < 200 && m->ngeom < 200 && m->nM < 10000 && m->nB < 10000 &&
         m->ntendon < 50 && m->nflexedge < 500 && m->nJmom < 10000 && m->nuserdata < 10000 &&
         m->nsensordata < 10000 && m->npluginstate < 10000 && m->nplugin == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  uint8_t* file = memory_alloc(size);
  if (!file) return 0;
  memcpy(file, bytes, size);
  snFault fault = {0};
  mjModel* m = model_read(file, size, &fault);
  if (m && is_small(m)) {
    m->narena = 1 << 12;
    // loops that the options bound are kept short
    if (m->opt.iterations > 20) m->opt.iterations = 20;
    if (m->opt.ls_iterations > 20) m->opt.ls_iterations = 20;
    if (m->opt.noslip_iterations > 5) m->opt.noslip_iterations = 5;
    if (m->opt.ccd_iterations > 50) m->opt.ccd_iterations = 50;
    if (m->opt.sdf_initpoints > 10) m->opt.sdf_initpoints = 10;
    if (m->opt.sdf_iterations > 10) m->opt.sdf_iterations = 10;
    mjData* d = mj_makeData(m);
    if (d) {
      for (int i = 0; i < 3; i++) mj_step(m, d);
      mj_inverse(m, d);
    }
    mj_deleteData(d);
  }
  mj_deleteModel(m);
  memory_free(file);
  return 0;
}
