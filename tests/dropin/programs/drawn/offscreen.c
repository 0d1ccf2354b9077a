// Draws offscreen as programs do: scene, text over it, a figure, depth, ids of geoms. No OpenGL
// context is made before: on this library none is needed.
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double mean(const unsigned char* rgb, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += rgb[i];
  return sum / n;
}

int main(int argc, char** argv) {
  char error[1000] = "";
  mjModel* m = argc == 2 ? mj_loadXML(argv[1], NULL, error, sizeof error) : NULL;
  if (!m) return printf("%s\n", error), 1;
  mjData* d = mj_makeData(m);
  mjvCamera cam;
  mjvOption opt;
  mjvScene scn;
  mjrContext con;
  mjv_defaultFreeCamera(m, &cam);
  mjv_defaultOption(&opt);
  mjv_defaultScene(&scn);
  mjr_defaultContext(&con);
  mjv_makeScene(m, &scn, 2000);
  mjr_makeContext(m, &con, mjFONTSCALE_150);
  mjr_setBuffer(mjFB_OFFSCREEN, &con);
  printf("buffer %d\n", con.currentBuffer == mjFB_OFFSCREEN);
  mjr_resizeOffscreen(320, 240, &con);
  mjrRect view = mjr_maxViewport(&con);
  int pixels = view.width * view.height;
  unsigned char* rgb = malloc(3 * (size_t)pixels);
  float* depth = malloc(sizeof(float) * (size_t)pixels);
  printf("size %d %d\n", view.width, view.height);

  mj_forward(m, d);
  mjv_updateScene(m, d, &opt, NULL, &cam, mjCAT_ALL, &scn);
  mjr_render(view, &scn, &con);
  mjr_readPixels(rgb, depth, view, &con);
  double plain = mean(rgb, 3 * pixels), near = 1;
  for (int i = 0; i < pixels; i++) near = depth[i] < near ? depth[i] : near;
  printf("colours %d depth %d\n", plain > 5 && plain<250, near> 0 && near < 1);

  mjr_overlay(mjFONT_NORMAL, mjGRID_TOPLEFT, view, "Time\nSteps", "0.0\n17", &con);
  mjr_readPixels(rgb, NULL, view, &con);
  printf("overlay %d\n", mean(rgb, 3 * pixels) != plain);

  static mjvFigure fig;
  mjv_defaultFigure(&fig);
  fig.linepnt[0] = 2;
  fig.linedata[0][2] = fig.linedata[0][3] = 1;
  mjr_figure((mjrRect){160, 0, 160, 120}, &fig, &con);
  printf("figure %d\n", fig.xaxispixel[1] > fig.xaxispixel[0] && fig.xaxispixel[0] > 160);

  scn.flags[mjRND_SEGMENT] = scn.flags[mjRND_IDCOLOR] = 1;
  mjr_render(view, &scn, &con);
  mjr_readPixels(rgb, NULL, view, &con);
  int outside = 0, found = 0;
  char* seen = calloc((size_t)scn.ngeom + 2, 1);
  for (int i = 0; i < pixels; i++) {
    int id = rgb[3 * i] + (rgb[3 * i + 1] << 8) + (rgb[3 * i + 2] << 16);
    outside += id > scn.ngeom;
    if (id <= scn.ngeom && !seen[id]++) found++;
  }
  printf("ids %d outside %d\n", found > 10, outside);

  mjr_addAux(0, 64, 32, 0, &con);
  mjr_setAux(0, &con);
  mjr_rectangle((mjrRect){0, 0, 64, 32}, 1, 0, 0, 1);
  mjr_restoreBuffer(&con);
  mjr_blitAux(0, (mjrRect){0, 0, 64, 32}, 10, 20, &con);
  mjr_readPixels(rgb, NULL, (mjrRect){10, 20, 64, 32}, &con);
  printf("auxiliary %g error %d\n", mean(rgb, 3 * 64 * 32), mjr_getError());
  mjr_finish();
  mjr_freeContext(&con);
  mjv_freeScene(&scn);
  mj_deleteData(d);
  mj_deleteModel(m);
  free(rgb);
  free(depth);
  free(seen);
  return 0;
}
