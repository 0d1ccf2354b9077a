// Default size of the arena: room for a crowded scene. The arena grows when that is not enough, so
// this is a first guess.
#include "compile/compile.h"

void compile_memory(snCompile* c, mjModel* m) {
  const mjSpec* s = &c->spec->pub;
  if (s->memory != (size_t)-1) {
    m->narena = s->memory;
    return;
  }
  if (s->nstack != (size_t)-1) {
    m->narena = s->nstack < SIZE_MAX / sizeof(mjtNum) ? s->nstack * sizeof(mjtNum) : SIZE_MAX;
    return;
  }
  double rows = s->njmax >= 0 ? s->njmax : 500, nv = m->nv;
  double bytes = 52 * rows * rows + 112 * rows * nv + 36 * nv * nv + 1e5;
  const double most = (double)((size_t)1 << 30);  // njmax comes from the user and may be huge
  m->narena = ((size_t)(bytes < most ? bytes : most) >> 20 << 20) + ((size_t)1 << 20);
}
