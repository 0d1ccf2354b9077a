// PNG and animated PNG: libpng decodes the first picture; the others are inflated and unfiltered
// here.
#include <png.h>
#include <sinew/film.h>
#include <stdbool.h>
#include <unistd.h>
#include <zlib.h>

#include "errors.h"

static unsigned long long seed = 1;

// Gradients and noise: every filter has rows that it suits.
static void paint(unsigned char* rgb, int width, int height, int turn) {
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      for (int c = 0; c < 3; c++) {
        int noise = y % 5 == 4 ? (int)(100 * (1 + scene_random(&seed))) : 0;
        rgb[3 * (y * width + x) + c] = (unsigned char)(3 * x + 5 * y * c + 40 * turn + noise);
      }
    }
  }
}

static unsigned char* bytes_of(const snFilm* film, size_t* size) {
  *size = sn_filmBytes(film, NULL, 0);
  unsigned char* bytes = malloc(*size);
  assert_int_equal(sn_filmBytes(film, bytes, *size), *size);
  return bytes;
}

static void test_picture(void** unused) {
  const int sizes[][2] = {{1, 1}, {3, 2}, {64, 48}, {1, 300}, {301, 7}};
  for (int i = 0; i < 5; i++) {
    int width = sizes[i][0], height = sizes[i][1];
    size_t pixels = (size_t)width * (size_t)height, size;
    unsigned char *rgb = malloc(3 * pixels), *back = malloc(3 * pixels);
    paint(rgb, width, height, i);
    snFilm* film = sn_makeFilm(width, height, 25);
    assert_int_equal(sn_filmBytes(film, NULL, 0), 0);  // no picture, no file
    assert_true(sn_addPicture(film, rgb));
    unsigned char* bytes = bytes_of(film, &size);
    png_image image = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_memory(&image, bytes, size));
    image.format = PNG_FORMAT_RGB;
    assert_int_equal(image.width, width);
    assert_int_equal(image.height, height);
    assert_true(png_image_finish_read(&image, NULL, back, 0, NULL));
    assert_memory_equal(rgb, back, 3 * pixels);
    for (size_t k = 0; k + 4 < size; k++) assert_false(!memcmp(bytes + k, "acTL", 4));
    sn_freeFilm(film);
    free(bytes);
    free(rgb);
    free(back);
  }
}

static uint32_t read32(const unsigned char* p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

// Undo the filters of a rectangle and put it in its place on the canvas.
static void unpack(const unsigned char* packed, size_t size, const int box[4], int width,
                   unsigned char* canvas) {
  int w = box[2], h = box[3], stride = 3 * w;
  uLongf room = (uLongf)((stride + 1) * h);
  unsigned char *raw = malloc(room), *rows = calloc((size_t)(stride * h), 1);
  assert_int_equal(uncompress(raw, &room, packed, (uLong)size), Z_OK);
  assert_int_equal(room, (stride + 1) * h);
  for (int y = 0; y < h; y++) {
    int filter = raw[y * (stride + 1)];
    for (int i = 0; i < stride; i++) {
      int a = i >= 3 ? rows[y * stride + i - 3] : 0, b = y ? rows[(y - 1) * stride + i] : 0;
      int c = i >= 3 && y ? rows[(y - 1) * stride + i - 3] : 0, p = a + b - c;
      int pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
      int paeth = pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
      int guess[5] = {0, a, b, (a + b) / 2, paeth};
      assert_in_range(filter, 0, 4);
      rows[y * stride + i] = (unsigned char)(raw[y * (stride + 1) + 1 + i] + guess[filter]);
    }
    memcpy(canvas + 3 * ((box[1] + y) * width + box[0]), rows + y * stride, (size_t)stride);
  }
  free(raw);
  free(rows);
}

enum { W = 40, H = 30, N = 6 };

static void test_film(void** unused) {
  static unsigned char shot[N][3 * W * H], canvas[3 * W * H];
  snFilm* film = sn_makeFilm(W, H, 12.5);
  for (int i = 0; i < N; i++) {
    if (i == 0 || i == 4) paint(shot[i], W, H, i);
    if (i > 0 && i != 4) memcpy(shot[i], shot[i - 1], sizeof shot[i]);
    if (i == 1) memset(shot[i] + 3 * (7 * W + 11), 200, 9);         // three pixels
    if (i == 2) shot[i][0] ^= 1, shot[i][sizeof shot[i] - 1] ^= 1;  // two corners
    // 3 and 5: nothing changes
    assert_true(sn_addPicture(film, shot[i]));
  }
  size_t size;
  unsigned char* bytes = bytes_of(film, &size);
  int picture = -1, box[4] = {0};
  uint32_t sequence = 0;
  bool ended = false;
  for (size_t at = 8; at < size;) {
    uint32_t length = read32(bytes + at);
    const unsigned char *name = bytes + at + 4, *data = bytes + at + 8;
    assert_true(at + 12 + length <= size);
    assert_int_equal(read32(data + length), crc32(0, name, length + 4));
    if (!memcmp(name, "acTL", 4)) assert_int_equal(read32(data), N);
    if (!memcmp(name, "fcTL", 4)) {
      assert_int_equal(read32(data), sequence++);
      picture++;
      box[2] = (int)read32(data + 4), box[3] = (int)read32(data + 8);
      box[0] = (int)read32(data + 12), box[1] = (int)read32(data + 16);
      int num = data[20] << 8 | data[21], den = data[22] << 8 | data[23];
      assert_float_equal((double)num / den, 1 / 12.5, 1e-9);
      if (picture == 1) {
        const int changed[4] = {11, 7, 3, 1};
        assert_memory_equal(box, changed, sizeof box);
      }
      if (picture == 3) assert_int_equal(box[2] * box[3], 1);
    }
    bool first = !memcmp(name, "IDAT", 4), later = !memcmp(name, "fdAT", 4);
    if (later) assert_int_equal(read32(data), sequence++);
    if (first || later) {
      unpack(data + (later ? 4 : 0), length - (later ? 4 : 0), box, W, canvas);
      assert_memory_equal(canvas, shot[picture], sizeof canvas);
    }
    ended = !memcmp(name, "IEND", 4);
    at += 12 + length;
  }
  assert_true(ended);
  assert_int_equal(picture, N - 1);
  free(bytes);
  sn_freeFilm(film);
}

static void test_errors(void** unused) {
  EXPECT_ERROR(sn_makeFilm(0, 10, 1), "pictures of 0 x 10, expected from 1 to 16384");
  EXPECT_ERROR(sn_makeFilm(10, 16385, 1), "pictures of 10 x 16385");
  EXPECT_ERROR(sn_makeFilm(10, 10, 0), "0 pictures a second, expected from 0.01 to 1000");
  EXPECT_ERROR(sn_makeFilm(10, 10, NAN), "pictures a second");
  sn_freeFilm(NULL);
  char error[200] = "";
  unsigned char rgb[3] = {1, 2, 3};
  snFilm* film = sn_makeFilm(1, 1, 0.01);
  assert_false(sn_saveFilm(film, "x.png", error, sizeof error));
  assert_non_null(strstr(error, "no picture was added"));
  sn_addPicture(film, rgb);
  assert_false(sn_saveFilm(film, "/no/such/folder/x.png", error, sizeof error));
  assert_non_null(strstr(error, "/no/such/folder/x.png: No such file"));
  char path[] = "/tmp/sinew_film_XXXXXX";
  close(mkstemp(path));
  assert_true(sn_saveFilm(film, path, error, sizeof error));
  FILE* f = fopen(path, "rb");
  fseek(f, 0, SEEK_END);
  assert_int_equal(ftell(f), sn_filmBytes(film, NULL, 0));
  fclose(f);
  unlink(path);
  sn_freeFilm(film);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_picture), cmocka_unit_test(test_film),
                                     cmocka_unit_test(test_errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
