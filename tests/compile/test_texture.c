// Textures whose pixels the released compiler leaves uninitialized, or writes out of bounds.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <mujoco/mujoco.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

// A PNG of `rows` by `columns` cells of 2 x 2 pixels; a cell has one colour of its number.
static void add_image(mjVFS* vfs, const char* name, int rows, int columns) {
  unsigned char pixel[64 * 64 * 4], bytes[4096];
  int width = 2 * columns, height = 2 * rows;
  for (int i = 0; i < width * height; i++) {
    int cell = i / width / 2 * columns + i % width / 2;
    for (int k = 0; k < 4; k++) pixel[4 * i + k] = (unsigned char)(10 * (cell + 1) + k);
  }
  png_image image = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)width,
                     .height = (png_uint_32)height,
                     .format = PNG_FORMAT_RGBA};
  png_alloc_size_t size = sizeof bytes;
  assert_true(png_image_write_to_memory(&image, bytes, &size, 0, pixel, 0, NULL));
  assert_int_equal(mj_addBufferVFS(vfs, name, bytes, (int)size), 0);
}

static mjModel* load(const char* xml, mjVFS* vfs, char* error, int size) {
  mjSpec* spec = mj_parseXMLString(xml, vfs, error, size);
  mjModel* m = spec ? mj_compile(spec, vfs) : NULL;
  if (spec && !m) snprintf(error, (size_t)size, "%s", mjs_getError(spec));
  mj_deleteSpec(spec);
  return m;
}

// Sides are right, left, up, down, front, back.
static void cubes_of_any_channels(void** state) {
  mjVFS vfs;
  char error[1000] = "", xml[500];
  mj_defaultVFS(&vfs);
  add_image(&vfs, "grid.png", 3, 4);
  add_image(&vfs, "side.png", 1, 1);
  static const int cell[6] = {6, 4, 1, 9, 5, 7};  // of ".U..LFRB.D.."
  for (int n = 1; n <= 4; n++) {
    if (n == 2) continue;
    snprintf(xml, sizeof xml,
             "<mujoco><asset><texture name='t' type='cube' file='grid.png' gridsize='3 4' "
             "gridlayout='.U..LFRB.D..' nchannel='%d'/><texture name='u' type='cube' "
             "fileup='side.png' rgb1='.2 .4 .6' nchannel='%d'/></asset></mujoco>",
             n, n);
    mjModel* m = load(xml, &vfs, error, sizeof error);
    if (!m) fail_msg("%s", error);
    assert_int_equal(m->ntexdata, 2 * 6 * 4 * n);
    for (int i = 0; i < 6 * 4 * n; i++) {
      assert_int_equal(m->tex_data[i], 10 * (cell[i / (4 * n)] + 1) + i % n);
    }
    static const int flat[4] = {51, 102, 153, 255};
    for (int i = 0; i < 6 * 4 * n; i++) {
      int up = i / (4 * n) == 2;
      assert_int_equal(m->tex_data[m->tex_adr[1] + i], up ? 10 + i % n : flat[i % n]);
    }
    mj_deleteModel(m);
  }
  mj_deleteVFS(&vfs);
}

static void refused(void** state) {
  mjVFS vfs;
  char error[1000];
  mj_defaultVFS(&vfs);
  const char obj[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  assert_int_equal(mj_addBufferVFS(&vfs, "tet.obj", obj, (int)strlen(obj)), 0);
  static const char* const xml[][2] = {
      {"<texture name='t' type='2d' builtin='flat' width='4' height='4' nchannel='1'/>",
       "3 or 4 channels"},
      {"<mesh name='m' file='tet.obj' texcoord='0 0 1 0'/>", "texcoord must be 2*nv"},
      {"<mesh name='m' file='tet.obj' face='0 1 2'/>", "repeated face specification"},
      {"<mesh name='m' file='tet.obj' vertex='0 0 0'/>", "repeated vertex specification"}};
  for (int i = 0; i < 4; i++) {
    char text[400];
    snprintf(text, sizeof text, "<mujoco><asset>%s</asset></mujoco>", xml[i][0]);
    assert_null(load(text, &vfs, error, sizeof error));
    if (!strstr(error, xml[i][1])) fail_msg("'%s' lacks '%s'", error, xml[i][1]);
  }
  mjModel* m = load(
      "<mujoco><asset><mesh name='m' file='tet.obj' texcoord='0 0 1 0 0 1 1 1'/></asset></mujoco>",
      &vfs, error, sizeof error);
  assert_non_null(m);
  assert_int_equal(m->nmeshtexcoord, 4);
  mj_deleteModel(m);
  mj_deleteVFS(&vfs);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(cubes_of_any_channels),
                                     cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
