// Names of the functions that draw a pass, which exist twice where the program picks one when it
// runs: compiled for the baseline and, once more by wide.c, for AVX2. passes.c picks for a whole
// pass, so that the functions between call each other directly and lanes8.h can use instructions
// that no portable code leads GCC to.
//
// Included before everything else by the files of the passes.
#ifndef SINEW_DRAW_PASSES_H_
#define SINEW_DRAW_PASSES_H_

#include "base/lanes.h"

#if defined(__x86_64__) && defined(SN_DISPATCH)
#undef SN_KERNEL
#define SN_KERNEL
#ifdef SN_WIDE
#define SN_VERSION(name) name##_avx2
#else
#define SN_VERSION(name) name##_baseline
#endif
#define cursor_start SN_VERSION(cursor_start)
#define flat_make SN_VERSION(flat_make)
#define geometry_run SN_VERSION(geometry_run)
#define light_points SN_VERSION(light_points)
#define lit_find SN_VERSION(lit_find)
#define patch_make SN_VERSION(patch_make)
#define pattern_of SN_VERSION(pattern_of)
#define raster_depths SN_VERSION(raster_depths)
#define raster_opaque SN_VERSION(raster_opaque)
#define raster_spans SN_VERSION(raster_spans)
#define shade_block SN_VERSION(shade_block)
#define shade_group SN_VERSION(shade_group)
#define shade_pass SN_VERSION(shade_pass)
#define shade_scratch_bytes SN_VERSION(shade_scratch_bytes)
#define sky_group SN_VERSION(sky_group)
#define sky_square SN_VERSION(sky_square)
#endif

#endif
