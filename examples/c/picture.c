// A picture, drawn without a window or a graphics card, written as a PPM file (or wherever argv[1]
// says).
#include <mujoco/mujoco.h>
#include <sinew/draw.h>
#include <stdio.h>
#include <stdlib.h>

static const char MODEL[] =
    "<mujoco>"
    "  <asset>"
    "    <texture name='grid' type='2d' builtin='checker' width='256' height='256' rgb1='.2 .3 .4' "
    "rgb2='.3 .4 .5'/>"
    "    <material name='floor' texture='grid' texrepeat='8 8' reflectance='.2'/>"
    "  </asset>"
    "  <worldbody>"
    "    <light pos='0 0 3' dir='0 0 -1'/>"
    "    <geom type='plane' size='2 2 .1' material='floor'/>"
    "    <geom type='ellipsoid' size='.3 .2 .2' pos='0 0 .2' rgba='.9 .5 .2 1'/>"
    "    <camera name='eye' pos='1 -1 .8' xyaxes='1 1 0 -.4 .4 1'/>"
    "  </worldbody>"
    "</mujoco>";
enum { WIDTH = 320, HEIGHT = 240 };

int main(int argc, char** argv) {
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "scene.xml", MODEL, sizeof MODEL - 1);
  char error[1000];
  mjModel* m = mj_loadXML("scene.xml", &vfs, error, sizeof error);
  mj_deleteVFS(&vfs);
  if (!m) return fprintf(stderr, "%s\n", error), 1;
  mjData* d = mj_makeData(m);
  mj_forward(m, d);

  // the abstract scene that a camera sees, then its pixels: rows from the top
  mjvScene scene;
  mjvOption option;
  mjvCamera camera;
  mjv_defaultOption(&option);
  mjv_defaultCamera(&camera);
  camera.type = mjCAMERA_FIXED;
  camera.fixedcamid = mj_name2id(m, mjOBJ_CAMERA, "eye");
  mjv_defaultScene(&scene);
  mjv_makeScene(m, &scene, 100);
  mjv_updateScene(m, d, &option, NULL, &camera, mjCAT_ALL, &scene);
  static unsigned char rgb[3 * WIDTH * HEIGHT];
  snRenderer* renderer = sn_makeRenderer(m, WIDTH, HEIGHT, 4, 1);
  int drawn = renderer && sn_drawScene(renderer, &scene, rgb, NULL, NULL);

  FILE* file = fopen(argc > 1 ? argv[1] : "/dev/null", "wb");
  if (file) {
    fprintf(file, "P6 %d %d 255\n", WIDTH, HEIGHT);
    fwrite(rgb, 1, sizeof rgb, file);
    fclose(file);
  }
  const unsigned char* middle = rgb + 3 * (WIDTH * (HEIGHT / 2) + WIDTH / 2);
  printf("drawn: %d; the middle pixel is %d %d %d\n", drawn, middle[0], middle[1], middle[2]);
  int orange = middle[0] > middle[2] + 30;
  sn_freeRenderer(renderer);
  mjv_freeScene(&scene);
  mj_deleteData(d);
  mj_deleteModel(m);
  return !orange;
}
