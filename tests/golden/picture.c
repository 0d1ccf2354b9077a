// Prints one line per picture: a hash of its colours, depths and segmentation. The same picture
// with 1, 2 and 4 threads must have the same hash.
//   picture MODEL.xml...
// Each model is seen by its first four cameras, or else by the free camera from two sides, in two
// sizes with every look: as it is, with fog and decoration, without samples.
#include <mujoco/mujoco.h>
#include <sinew/draw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t hash_words(const void* data, size_t bytes, uint64_t hash) {
  const unsigned char* p = data;
  for (size_t i = 0; i + 4 <= bytes; i += 4) {
    uint32_t word;
    memcpy(&word, p + i, 4);
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    hash ^= hash >> 29;
  }
  return hash;
}

enum { WIDTH = 160, HEIGHT = 120 };
static unsigned char rgb[WIDTH * HEIGHT * 3];
static float depth[WIDTH * HEIGHT];
static int segmentation[WIDTH * HEIGHT * 2];

static uint64_t hash_picture(const mjModel* m, const mjvScene* scn, int samples, int threads) {
  snRenderer* renderer = sn_makeRenderer(m, WIDTH, HEIGHT, samples, threads);
  if (!renderer || !sn_drawScene(renderer, scn, rgb, depth, segmentation)) exit(1);
  sn_freeRenderer(renderer);
  uint64_t hash = hash_words(rgb, sizeof rgb, 1);
  hash = hash_words(depth, sizeof depth, hash);
  return hash_words(segmentation, sizeof segmentation, hash);
}

static void picture(const mjModel* m, mjData* d, const char* name, int camera) {
  mjvScene scn;
  mjvOption opt;
  mjvCamera cam;
  mjv_defaultScene(&scn);
  mjv_makeScene(m, &scn, 2000);
  mjv_defaultOption(&opt);
  mjv_defaultFreeCamera(m, &cam);
  if (camera < m->ncam) {
    cam.type = mjCAMERA_FIXED;
    cam.fixedcamid = camera;
  } else {
    cam.azimuth += 60 * camera;
  }
  bool odd = camera % 2;
  opt.flags[mjVIS_JOINT] = opt.flags[mjVIS_CONTACTFORCE] = opt.flags[mjVIS_PERTFORCE] = odd;
  opt.frame = odd ? mjFRAME_BODY : mjFRAME_NONE;
  mjv_updateScene(m, d, &opt, NULL, &cam, mjCAT_ALL, &scn);
  scn.flags[mjRND_FOG] = camera % 4 == 3;
  int samples = camera % 3 == 2 ? 1 : 4;
  uint64_t hash = hash_picture(m, &scn, samples, 1);
  for (int threads = 2; threads <= 4; threads *= 2) {
    if (hash_picture(m, &scn, samples, threads) != hash) {
      fprintf(stderr, "picture: %s, camera %d: other pixels with %d threads\n", name, camera,
              threads);
      hash = 0;
    }
  }
  const char* slash = strrchr(name, '/');
  printf("%-12.*s camera %d  %016llx\n", (int)strcspn(slash ? slash + 1 : name, "."),
         slash ? slash + 1 : name, camera, (unsigned long long)hash);
  mjv_freeScene(&scn);
}

int main(int count, char** argument) {
  for (int i = 1; i < count; i++) {
    char error[1000] = "";
    mjModel* m = mj_loadXML(argument[i], NULL, error, sizeof error);
    if (!m) {
      fprintf(stderr, "picture: %s: %s\n", argument[i], error);
      return 1;
    }
    mjData* d = mj_makeData(m);
    for (int k = 0; k < 20; k++) mj_step(m, d);
    int pictures = m->ncam < 2 ? 2 : m->ncam < 4 ? m->ncam : 4;
    for (int camera = 0; camera < pictures; camera++) picture(m, d, argument[i], camera);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  return 0;
}
