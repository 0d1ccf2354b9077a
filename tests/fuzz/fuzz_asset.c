// Fuzz target: asset files, one target per format (FUZZ_FORMAT). Files that are accepted are built.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "compile/asset.h"

static void build_mesh(const snFile* file) {
  mjsMesh spec;
  memset(&spec, 0, sizeof spec);
  spec.refquat[0] = 1;
  spec.scale[0] = spec.scale[2] = 1;
  spec.scale[1] = -2;
  spec.inertia = mjMESH_INERTIA_LEGACY;
  spec.maxhullvert = -1;
  snMeshSource source = {.name = "fuzz", .mesh = &spec, .file = *file, .need_hull = true};
  snMesh mesh;
  snFault fault = {0};
  if (mesh_build(&mesh, &source, &fault)) mesh_free(&mesh);
}

enum { FUZZ_STL, FUZZ_OBJ, FUZZ_MSH, FUZZ_GMSH, FUZZ_PNG, FUZZ_SKIN, FUZZ_HFIELD, FUZZ_FORMATS };

static int asset_run(int format, const uint8_t* data, size_t size) {
  static const char* const name[FUZZ_FORMATS] = {"f.stl", "f.obj", "f.msh", "f.msh",
                                                 "f.png", "f.skn", "f.bin"};
  snFile file = {name[format], "", data, size};
  snFault fault = {0};
  snGmsh gmsh;
  snImage image;
  snHField hfield;
  if (format <= FUZZ_MSH) build_mesh(&file);
  if (format == FUZZ_GMSH && gmsh_read(&gmsh, &file, &fault)) gmsh_free(&gmsh);
  for (int n = 1; format == FUZZ_PNG && n <= 4; n++) {
    snFault why = {0};
    if (png_read(&image, &file, n, &why)) image_free(&image);
  }
  if (format == FUZZ_SKIN) {
    snSkinSource source = {.name = "fuzz", .file = file};
    snSkin skin;
    if (skin_build(&skin, &source, &fault)) skin_free(&skin);
  }
  if (format == FUZZ_HFIELD) {
    mjsHField spec;
    memset(&spec, 0, sizeof spec);
    for (int k = 0; k < 4; k++) spec.size[k] = 1;
    if (hfield_build(&hfield, "fuzz", &spec, &file, NULL, 0, &fault)) hfield_free(&hfield);
  }
  return 0;
}

#ifdef FUZZ_FORMAT
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return asset_run(FUZZ_FORMAT, data, size);
}
#endif
