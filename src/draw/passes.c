// Which version of the passes the processor runs (passes.h). Both give the same bits.
#include "draw/raster.h"
#include "draw/shade.h"

#if defined(__x86_64__) && defined(SN_DISPATCH)
bool geometry_run_avx2(snFrame* frame, snPass* pass);
bool geometry_run_baseline(snFrame* frame, snPass* pass);
void raster_depths_avx2(snFrame* frame, const snPass* pass, snShadow* map);
void raster_depths_baseline(snFrame* frame, const snPass* pass, snShadow* map);
void shade_pass_avx2(snFrame* frame, const snPass* pass, const snOrder* order);
void shade_pass_baseline(snFrame* frame, const snPass* pass, const snOrder* order);
size_t shade_scratch_bytes_baseline(void);

bool geometry_run(snFrame* frame, snPass* pass) {
  bool wide = __builtin_cpu_supports("avx2");
  return wide ? geometry_run_avx2(frame, pass) : geometry_run_baseline(frame, pass);
}

void raster_depths(snFrame* frame, const snPass* pass, snShadow* map) {
  if (__builtin_cpu_supports("avx2")) {
    raster_depths_avx2(frame, pass, map);
  } else {
    raster_depths_baseline(frame, pass, map);
  }
}

void shade_pass(snFrame* frame, const snPass* pass, const snOrder* order) {
  if (__builtin_cpu_supports("avx2")) {
    shade_pass_avx2(frame, pass, order);
  } else {
    shade_pass_baseline(frame, pass, order);
  }
}

size_t shade_scratch_bytes(void) { return shade_scratch_bytes_baseline(); }
#endif
