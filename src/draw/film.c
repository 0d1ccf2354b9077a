// PNG and animated PNG (the PNG specification, third edition: chunks acTL, fcTL, fdAT).
//
// A file is: signature, IHDR, for several pictures acTL, then the pictures: the first as IDAT,
// later ones as fdAT, each after an fcTL that says where it lies and how long it is shown. The
// number of pictures stands in front of them, so the front is written when the file is asked for.
#include <errno.h>
#include <sinew/film.h>
#include <stdio.h>
#include <zlib.h>

#include "base/system.h"
#include "draw/draw.h"

struct snFilm_ {
  int width, height;
  uint32_t pictures, sequence;  // sequence: numbers that fcTL and fdAT share
  unsigned delay[2];            // a picture is shown for delay[0] / delay[1] seconds
  unsigned char *last, *filtered, *packed;
  size_t packed_room;
  unsigned char* body;  // everything after the front
  size_t body_size, body_room;
};

enum { snSIGNATURE = 8, snCHUNK = 12, snIHDR = 13, snACTL = 8, snFCTL = 26 };

static void put32(unsigned char* p, uint32_t v) {
  for (int i = 0; i < 4; i++) p[i] = (unsigned char)(v >> (24 - 8 * i));
}

static void put16(unsigned char* p, uint32_t v) {
  p[0] = (unsigned char)(v >> 8);
  p[1] = (unsigned char)v;
}

// A chunk: length, name, data, check sum of name and data. Its size in bytes.
static size_t chunk_put(unsigned char* p, const char* name, const unsigned char* data,
                        size_t size) {
  put32(p, (uint32_t)size);
  memcpy(p + 4, name, 4);
  if (size) memcpy(p + 8, data, size);
  put32(p + 8 + size, (uint32_t)crc32(crc32(0, NULL, 0), p + 4, (uInt)(size + 4)));
  return size + snCHUNK;
}

// ---- making

snFilm* sn_makeFilm(int width, int height, double rate) {
  if (width < 1 || height < 1 || width > snPICTURE || height > snPICTURE) {
    mju_error("sn_makeFilm: pictures of %d x %d, expected from 1 to %d each way", width, height,
              snPICTURE);
    return NULL;
  }
  if (!(rate >= 0.01 && rate <= 1000)) {
    mju_error("sn_makeFilm: %g pictures a second, expected from 0.01 to 1000", rate);
    return NULL;
  }
  size_t bytes = 3 * (size_t)width * (size_t)height, rows = (size_t)height;
  snFilm* film = memory_alloc_zero(sizeof(snFilm));
  if (film) {
    film->width = width;
    film->height = height;
    // two numbers of 16 bits: 50 / 50 rate, or hundredths of a second for slow ones
    film->delay[0] = rate < 1 ? (unsigned)(100 / rate + 0.5) : 50;
    film->delay[1] = rate < 1 ? 100 : (unsigned)(50 * rate + 0.5);
    film->last = memory_alloc(bytes);
    film->filtered = memory_alloc(bytes + rows);
    film->packed_room = compressBound((uLong)(bytes + rows)) + 4;
    film->packed = memory_alloc(film->packed_room);
  }
  if (film && film->last && film->filtered && film->packed) return film;
  sn_freeFilm(film);
  mju_error("sn_makeFilm: no memory for pictures of %d x %d", width, height);
  return NULL;
}

void sn_freeFilm(snFilm* film) {
  if (!film) return;
  memory_free(film->last);
  memory_free(film->filtered);
  memory_free(film->packed);
  memory_free(film->body);
  memory_free(film);
}

// ---- filters

static int paeth(int a, int b, int c) {
  int p = a + b - c, pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

// One row as differences from a prediction: from the left, from above, from their mean or by Paeth.
// Returns the sum of their sizes, the usual measure of how well a row will compress.
static long row_filter(int filter, const unsigned char* row, const unsigned char* above, int bytes,
                       unsigned char* to) {
  long sum = 0;
  for (int i = 0; i < bytes; i++) {
    int left = i >= 3 ? row[i - 3] : 0, up = above ? above[i] : 0;
    int corner = i >= 3 && above ? above[i - 3] : 0;
    int guess = filter == 0   ? 0
                : filter == 1 ? left
                : filter == 2 ? up
                : filter == 3 ? (left + up) / 2
                              : paeth(left, up, corner);
    to[i] = (unsigned char)(row[i] - guess);
    sum += to[i] < 128 ? to[i] : 256 - to[i];
  }
  return sum;
}

// Filter the rectangle, each row the way that suits it best, and compress it. Its size; 0 when
// memory is short.
static size_t film_pack(snFilm* film, const unsigned char* rgb, const int box[4]) {
  int bytes = 3 * (box[2] - box[0]);
  SN_ASSERT(bytes > 0 && box[3] > box[1] && box[2] <= film->width && box[3] <= film->height);
  unsigned char *to = film->filtered, *scratch = film->packed;  // large enough, and not in use yet
  const unsigned char* above = NULL;
  for (int y = box[1]; y < box[3]; y++) {
    const unsigned char* row = rgb + 3 * ((size_t)y * (size_t)film->width + (size_t)box[0]);
    long best = -1;
    for (int filter = 0; filter < 5; filter++) {
      long sum = row_filter(filter, row, above, bytes, scratch);
      if (best >= 0 && sum >= best) continue;
      best = sum;
      to[0] = (unsigned char)filter;
      memcpy(to + 1, scratch, (size_t)bytes);
    }
    to += bytes + 1;
    above = row;
  }
  SN_ASSERT(to <= film->filtered + (3 * (size_t)film->width + 1) * (size_t)film->height);
  uLongf size = (uLongf)film->packed_room;
  if (compress2(film->packed, &size, film->filtered, (uLong)(to - film->filtered), 6) != Z_OK) {
    return 0;
  }
  return size;
}

// ---- adding

// Where the picture differs from the last one; a pixel when nowhere: a picture is never empty.
static void film_box(const snFilm* film, const unsigned char* rgb, int box[4]) {
  int width = film->width, height = film->height;
  int low[2] = {width, height}, high[2] = {0, 0};
  for (int y = 0; y < height; y++) {
    size_t at = 3 * (size_t)y * (size_t)width;
    if (!memcmp(rgb + at, film->last + at, 3 * (size_t)width)) continue;
    int x0 = 0, x1 = width;
    while (!memcmp(rgb + at + 3 * x0, film->last + at + 3 * x0, 3)) x0++;
    while (!memcmp(rgb + at + 3 * (x1 - 1), film->last + at + 3 * (x1 - 1), 3)) x1--;
    low[0] = x0 < low[0] ? x0 : low[0];
    high[0] = x1 > high[0] ? x1 : high[0];
    low[1] = y < low[1] ? y : low[1];
    high[1] = y + 1;
  }
  bool same = high[1] == 0;
  box[0] = same ? 0 : low[0], box[1] = same ? 0 : low[1];
  box[2] = same ? 1 : high[0], box[3] = same ? 1 : high[1];
}

static void film_control(const snFilm* film, uint32_t sequence, const int box[4],
                         unsigned char control[snFCTL]) {
  memset(control, 0, snFCTL);
  put32(control, sequence);
  put32(control + 4, (uint32_t)(box[2] - box[0]));
  put32(control + 8, (uint32_t)(box[3] - box[1]));
  put32(control + 12, (uint32_t)box[0]);
  put32(control + 16, (uint32_t)box[1]);
  put16(control + 20, film->delay[0]);
  put16(control + 22, film->delay[1]);
}

static bool film_room(snFilm* film, size_t more) {
  if (film->body_room - film->body_size >= more) return true;
  size_t room = 2 * film->body_room + more;
  unsigned char* body = memory_resize(film->body, film->body_room, room);
  if (!body) return false;
  film->body = body;
  film->body_room = room;
  return true;
}

int sn_addPicture(snFilm* film, const unsigned char* rgb) {
  if (!draw_given(film, "film", "sn_addPicture") || !draw_given(rgb, "rgb", "sn_addPicture")) {
    return 0;
  }
  int box[4] = {0, 0, film->width, film->height};
  if (film->pictures) film_box(film, rgb, box);
  size_t size = film_pack(film, rgb, box);
  if (!size || !film_room(film, size + 4 + snFCTL + 2 * snCHUNK)) {
    mju_error("sn_addPicture: no memory for picture %u", film->pictures + 1);
    return 0;
  }
  unsigned char* to = film->body + film->body_size;
  if (!film->pictures) {
    film->body_size += chunk_put(to, "IDAT", film->packed, size);
    film->sequence = 1;  // 0 is that of the first fcTL, in the front
  } else {
    unsigned char control[snFCTL];
    film_control(film, film->sequence++, box, control);
    to += chunk_put(to, "fcTL", control, snFCTL);
    memmove(film->packed + 4, film->packed, size);
    put32(film->packed, film->sequence++);
    to += chunk_put(to, "fdAT", film->packed, size + 4);
    film->body_size = (size_t)(to - film->body);
  }
  memcpy(film->last, rgb, 3 * (size_t)film->width * (size_t)film->height);
  film->pictures++;
  return 1;
}

// ---- the file

static size_t film_front(const snFilm* film, unsigned char* p) {
  static const unsigned char signature[snSIGNATURE] = {137, 'P', 'N', 'G', 13, 10, 26, 10};
  unsigned char header[snIHDR] = {0}, animation[snACTL], control[snFCTL];
  unsigned char* to = p;
  memcpy(to, signature, snSIGNATURE);
  to += snSIGNATURE;
  put32(header, (uint32_t)film->width);
  put32(header + 4, (uint32_t)film->height);
  header[8] = 8;  // bits
  header[9] = 2;  // RGB
  to += chunk_put(to, "IHDR", header, snIHDR);
  if (film->pictures > 1) {
    put32(animation, film->pictures);
    put32(animation + 4, 0);  // played for ever
    to += chunk_put(to, "acTL", animation, snACTL);
    film_control(film, 0, (int[4]){0, 0, film->width, film->height}, control);
    to += chunk_put(to, "fcTL", control, snFCTL);
  }
  return (size_t)(to - p);
}

size_t sn_filmBytes(const snFilm* film, unsigned char* bytes, size_t room) {
  if (!draw_given(film, "film", "sn_filmBytes")) return 0;
  unsigned char front[snSIGNATURE + 3 * snCHUNK + snIHDR + snACTL + snFCTL], end[snCHUNK];
  if (!film->pictures) return 0;
  size_t before = film_front(film, front), after = chunk_put(end, "IEND", NULL, 0);
  size_t size = before + film->body_size + after;
  if (bytes && room >= size) {
    memcpy(bytes, front, before);
    memcpy(bytes + before, film->body, film->body_size);
    memcpy(bytes + before + film->body_size, end, after);
  }
  return size;
}

int sn_saveFilm(const snFilm* film, const char* path, char* error, int error_sz) {
  char unread[1];
  if (!error || error_sz < 1) error = unread, error_sz = sizeof unread;
  error[0] = 0;
  if (!draw_given(film, "film", "sn_saveFilm") || !draw_given(path, "path", "sn_saveFilm"))
    return 0;
  size_t size = sn_filmBytes(film, NULL, 0);
  if (!size) {
    snprintf(error, (size_t)error_sz, "%s: no picture was added", path);
    return 0;
  }
  unsigned char* bytes = memory_alloc(size);
  if (!bytes) {
    snprintf(error, (size_t)error_sz, "%s: no memory for a file of %zu bytes", path, size);
    return 0;
  }
  sn_filmBytes(film, bytes, size);
  FILE* file = system_create(path);
  bool ok = file && fwrite(bytes, 1, size, file) == size;
  if (file && fclose(file)) ok = false;
  memory_free(bytes);
  if (!ok) snprintf(error, (size_t)error_sz, "%s: %s", path, strerror(errno));
  return ok;
}
