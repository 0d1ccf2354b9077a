// Fuzz target: binary models. Any bytes are refused, or give a model that data can be made for.
#include <stdint.h>

#include "data/data.h"

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  uint8_t* file = memory_alloc(size);
  if (!file) return 0;
  memcpy(file, bytes, size);
  snFault fault = {0};
  mjModel* m = model_read(file, size, &fault);
  if (m) {
    m->narena = 1 << 12;
    // arrays of data are not in the file: keep them to a size that fits a test machine
    bool small = m->nv < 2000 && m->nM < 1000000 && m->nB < 1000000 && m->ntendon < 2000 &&
                 m->nflexedge < 2000 && m->nJmom < 1000000 && m->nuserdata < 1000000 &&
                 m->nsensordata < 1000000 && m->npluginstate < 1000000 && m->nplugin == 0;
    mjData* d = small ? mj_makeData(m) : NULL;
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  memory_free(file);
  return 0;
}
