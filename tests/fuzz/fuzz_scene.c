// Fuzz target: drawing scenes whose geoms, lights and cameras are made of the input's bytes. Any
// numbers are allowed, and any picture; no access out of bounds.
#include <stdint.h>
#include <stdio.h>

#include "base/base.h"
#include "sinew/draw.h"

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

static const char* const scene_xml =
    "<mujoco><asset><texture name='t' type='2d' builtin='checker' width='9' height='5'/><texture "
    "name='c' type='cube' builtin='gradient' width='4' height='4'/><texture type='skybox' "
    "builtin='gradient' width='4' height='4'/><material name='a' texture='t'/><material name='b' "
    "texture='c'/><hfield name='h' nrow='3' ncol='4' size='1 1 1 1'/><mesh name='w' vertex='0 0 0 "
    "1 0 "
    "0 0 1 0 0 0 1'/></asset><worldbody><light/><geom type='mesh' mesh='w'/></worldbody></mujoco>";

// The bytes that are left; zeros at their end.
typedef struct snInput_ {
  const uint8_t* at;
  size_t left;
} snInput;

static void take(snInput* input, void* to, size_t bytes) {
  size_t n = bytes < input->left ? bytes : input->left;
  memset(to, 0, bytes);
  memcpy(to, input->at, n);
  input->at += n;
  input->left -= n;
}

static int take_below(snInput* input, int count) {
  uint8_t byte;
  take(input, &byte, 1);
  return byte % count;
}

static void take_geom(snInput* input, mjvGeom* geom) {
  static const int types[] = {mjGEOM_PLANE,     mjGEOM_HFIELD,   mjGEOM_SPHERE, mjGEOM_CAPSULE,
                              mjGEOM_ELLIPSOID, mjGEOM_CYLINDER, mjGEOM_BOX,    mjGEOM_MESH,
                              mjGEOM_SDF,       mjGEOM_ARROW,    mjGEOM_ARROW1, mjGEOM_ARROW2,
                              mjGEOM_LINE,      mjGEOM_LINEBOX,  mjGEOM_FLEX,   mjGEOM_SKIN,
                              mjGEOM_LABEL,     mjGEOM_TRIANGLE, mjGEOM_NONE,   12345};
  memset(geom, 0, sizeof *geom);
  geom->type = types[take_below(input, sizeof types / sizeof *types)];
  geom->dataid = take_below(input, 4) - 1;
  geom->objid = take_below(input, 4) - 1;
  geom->matid = take_below(input, 4) - 1;
  geom->texcoord = take_below(input, 2);
  geom->segid = take_below(input, 4) - 1;
  take(input, geom->size, sizeof geom->size);
  take(input, geom->pos, sizeof geom->pos);
  take(input, geom->mat, sizeof geom->mat);
  take(input, geom->rgba, sizeof geom->rgba);
  take(input, &geom->emission, 4 * sizeof(float));
}

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  static mjModel* m;
  static snRenderer* renderer;
  if (!m) {
    mjSpec* spec = mj_parseXMLString(scene_xml, NULL, NULL, 0);
    m = mj_compile(spec, NULL);
    mj_deleteSpec(spec);
    renderer = sn_makeRenderer(m, 33, 17, 4, 1);
  }
  enum { GEOMS = 12 };
  snInput input = {bytes, size};
  mjvScene scn;
  mjv_defaultScene(&scn);
  mjv_makeScene(m, &scn, GEOMS);
  for (int i = 0; i < mjNRNDFLAG; i++) scn.flags[i] = take_below(&input, 2) != 0;
  take(&input, &scn.camera[0], sizeof scn.camera[0]);
  if (take_below(&input, 4)) {  // mostly a camera that sees something
    scn.camera[0] =
        (mjvGLCamera){{0, 0, 3}, {0, 0, -1}, {0, 1, 0}, 0, 0, -0.01f, 0.01f, 0.02f, 50, 0};
  }
  scn.camera[1] = scn.camera[0];
  scn.nlight = take_below(&input, 4);
  for (int i = 0; i < scn.nlight; i++) {
    take(&input, &scn.lights[i], sizeof scn.lights[i]);
    scn.lights[i].type &= 3;
  }
  while (input.left && scn.ngeom < GEOMS) take_geom(&input, &scn.geoms[scn.ngeom++]);
  static unsigned char rgb[33 * 17 * 3];
  static float depth[33 * 17];
  static int segmentation[33 * 17 * 2];
  sn_drawScene(renderer, &scn, rgb, depth, segmentation);
  mjv_freeScene(&scn);
  return 0;
}
