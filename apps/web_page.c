// The page for browsers: where it is, and a motion as a page of its own.
#include "web_page.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/system.h"

// exported by the engine as by the released one, without a declaration in its headers
size_t mju_encodeBase64(char* buf, const uint8_t* data, size_t ndata);

static bool is_file(const char* path) {
  struct stat info;
  return !stat(path, &info) && S_ISREG(info.st_mode);
}

// The whole path of a file, if it is there.
static bool resolve(const char* path, char page[PATH_MAX]) {
  char* whole = system_resolve(path);
  bool fits = whole && strlen(whole) < PATH_MAX && is_file(whole);
  if (fits) strcpy(page, whole);
  free(whole);
  return fits;
}

static bool look(char page[PATH_MAX]) {
  const char* named = getenv("SINEW_PAGE");
  char here[PATH_MAX - 64] = "";
  if (named) return resolve(named, page);
  if (!system_program(here, sizeof here)) return false;
  char* slash = strrchr(here, '/');
  if (slash) *slash = 0;
  static const char* const kPlaces[] = {"../share/sinew/page.html", "../web/package/page.html"};
  for (size_t i = 0; i < sizeof kPlaces / sizeof *kPlaces; i++) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", here, kPlaces[i]);
    if (resolve(path, page)) return true;
  }
  return false;
}

bool web_page_find(const char* command, char page[PATH_MAX]) {
  if (look(page)) return true;
  fprintf(stderr,
          "sinew %s: the page is not there. `make web` builds it, `make install` puts it in\n"
          "place; SINEW_PAGE names another page.html\n",
          command);
  return false;
}

static char* read_text(const char* path) {
  FILE* file = fopen(path, "rb");
  char* text = NULL;
  struct stat info;
  if (file && !fstat(fileno(file), &info) && (text = malloc((size_t)info.st_size + 1))) {
    size_t n = fread(text, 1, (size_t)info.st_size, file);
    text[n] = 0;
  }
  if (file) fclose(file);
  return text;
}

// Base64 of bytes, in a new block.
static char* encode(const void* bytes, size_t n) {
  char* text = malloc(4 * ((n + 2) / 3) + 1);
  if (text) text[mju_encodeBase64(text, bytes, n)] = 0;
  return text;
}

static char* encode_model(const mjModel* m) {
  int size = mj_sizeModel(m);
  void* bytes = malloc((size_t)size);
  char* text = NULL;
  if (bytes) {
    mj_saveModel(m, NULL, bytes, size);
    text = encode(bytes, (size_t)size);
  }
  free(bytes);
  return text;
}

// The same of numbers, gzipped.
static char* encode_numbers(const double* x, size_t n) {
  z_stream z = {.next_in = (unsigned char*)x, .avail_in = (uInt)(n * sizeof *x)};
  if (deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return NULL;
  uLong room = deflateBound(&z, z.avail_in);
  unsigned char* packed = malloc(room);
  z.next_out = packed;
  z.avail_out = (uInt)room;
  bool done = packed && deflate(&z, Z_FINISH) == Z_STREAM_END;
  char* text = done ? encode(packed, z.total_out) : NULL;
  deflateEnd(&z);
  free(packed);
  return text;
}

bool web_page_write(const char* command, const char* file, const mjModel* m, const double* states,
                    long count) {
  char page[PATH_MAX];
  if (!web_page_find(command, page)) return false;
  size_t size = (size_t)mj_stateSize(m, mjSTATE_INTEGRATION) * (size_t)count;
  if (size > UINT32_MAX / sizeof(double)) {
    fprintf(stderr, "sinew %s: %s: the motion is too long for a page\n", command, file);
    return false;
  }
  char* text = read_text(page);
  char *model = encode_model(m), *numbers = encode_numbers(states, size);
  // what the page starts with stands between these
  char* begin = text ? strstr(text, "id=\"start\">") : NULL;
  char* end = begin ? strstr(begin, "</script>") : NULL;
  FILE* out = end && model && numbers ? fopen(file, "w") : NULL;
  bool done = false;
  if (out) {
    begin += strlen("id=\"start\">");
    fwrite(text, 1, (size_t)(begin - text), out);
    fprintf(
        out,
        "{\"model\":{\"path\":\"model.mjb\",\"files\":{\"model.mjb\":\"%s\"}},\"states\":\"%s\"}",
        model, numbers);
    fputs(end, out);
    done = !ferror(out);
    done = !fclose(out) && done;
  }
  if (!done) fprintf(stderr, "sinew %s: %s could not be written\n", command, file);
  free(text);
  free(model);
  free(numbers);
  return done;
}
