// Asset builders that are not there yet fail by name; a builder's own definition overrides these.
#include <string.h>

#include "compile/asset.h"

#define WEAK __attribute__((weak))

static bool pending(snFault* fault, const char* what) {
  return fault_raise(fault, "%s cannot be compiled yet", what);
}

WEAK bool bvh_build(snBvh* bvh, const mjtNum* aabb, const int* id, int n, snFault* fault) {
  memset(bvh, 0, sizeof *bvh);
  return true;
}
WEAK void bvh_free(snBvh* bvh) { (void)bvh; }
WEAK void bvh_box_pose(mjtNum out[6], const mjtNum aabb[6], const mjtNum pos[3], const mjtNum quat[4],
                       const mjtNum frame_pos[3], const mjtNum frame_quat[4]) {}
WEAK bool mesh_build_all(snMesh* mesh, const snMeshSource* source, int n, int nthread,
                         snFault* fault) {
  return pending(fault, "meshes");
}
WEAK void mesh_free(snMesh* mesh) { (void)mesh; }
WEAK void mesh_geom_inertia(const snMesh* mesh, bool shell, double mass, double density,
                            double* out_mass, double out_inertia[3]) {}
WEAK bool mesh_fit(const snMesh* mesh, int geomtype, bool fitaabb, double fitscale, double size[3],
                   double pos[3], double quat[4], snFault* fault) {
  return pending(fault, "meshes");
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
