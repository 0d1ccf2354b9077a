// Asset builders that are not there yet fail by name; a builder's own definition overrides these.
#include <string.h>

#include "compile/asset.h"

#define WEAK __attribute__((weak))

static bool pending(snFault* fault, const char* what) {
  return fault_raise(fault, "%s cannot be compiled yet", what);
}

WEAK bool mesh_fit(const snMesh* mesh, int geomtype, bool fitaabb, double fitscale, double size[3],
                   double pos[3], double quat[4], snFault* fault) {
  return pending(fault, "primitives fitted to meshes");
}
WEAK bool hfield_build(snHField* hfield, const char* name, const mjsHField* source,
                       const snFile* file, const float* userdata, int n, snFault* fault) {
  return pending(fault, "height fields");
}
WEAK void hfield_free(snHField* hfield) { (void)hfield; }
WEAK bool texture_build(snTexture* texture, const char* name, const mjsTexture* source,
                        const snFile* file, const snFile cube[6], const void* data, size_t size,
                        snFault* fault) {
  return pending(fault, "textures");
}
WEAK void texture_free(snTexture* texture) { (void)texture; }
WEAK bool skin_build(snSkin* skin, const snSkinSource* source, snFault* fault) {
  return pending(fault, "skins");
}
WEAK void skin_free(snSkin* skin) { (void)skin; }
WEAK bool flex_build(snFlex* flex, const snFlexSource* source, snFault* fault) {
  return pending(fault, "flexes");
}
WEAK void flex_free(snFlex* flex) { (void)flex; }
