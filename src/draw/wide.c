// The passes compiled for AVX2 (passes.h). Without FMA, as everywhere (base/lanes.h).
#if defined(__x86_64__) && defined(SN_DISPATCH)
#pragma GCC target("avx2")
#define SN_WIDE

#include "draw/flat.c"
#include "draw/geometry.c"
#include "draw/light.c"
#include "draw/lit.c"
#include "draw/raster.c"
#include "draw/shade.c"
#include "draw/tile.c"
#endif
