// Trajectory files: CSV, and NPZ, a ZIP archive of NPY arrays, stored without compression.
#include "trajectory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "label.h"
#include "npz.h"

const char* const trajectory_name[TRAJECTORY_FIELDS] = {"time", "qpos", "qvel", "act",
                                                        "ctrl", "qacc", "force"};

void trajectory_init(Trajectory* t, const mjModel* m) {
  *t = (Trajectory){.model = m, .size = {1, m->nq, m->nv, m->na, m->nu, m->nv, m->nv}};
  for (int i = 0; i < TRAJECTORY_FIELDS; i++) t->width += t->size[i];
}

void trajectory_free(Trajectory* t) {
  free(t->data);
  t->data = NULL;
}

double* trajectory_add(Trajectory* t) {
  if (t->rows == t->room) {
    long room = t->room ? 2 * t->room : 256;
    double* data = realloc(t->data, sizeof(double) * (size_t)room * (size_t)t->width);
    if (!data) return NULL;
    t->data = data;
    t->room = room;
  }
  return t->data + (size_t)t->rows++ * (size_t)t->width;
}

const double* trajectory_field(const Trajectory* t, long row, int field) {
  const double* p = t->data + (size_t)row * (size_t)t->width;
  for (int i = 0; i < field; i++) p += t->size[i];
  return p;
}

static bool complain(const char* path, const char* what) {
  fprintf(stderr, "%s: %s\n", path, what);
  return false;
}

// ---- CSV: a header of names with indices, then numbers that read back as the same doubles

static bool write_csv(const Trajectory* t, FILE* f) {
  fprintf(f, "time");
  for (int i = 1; i < TRAJECTORY_FIELDS; i++) {
    for (int k = 0; k < t->size[i]; k++) {
      char text[LABEL_ROOM];
      label_component(t->model, trajectory_name[i], k, text);
      fputc(',', f);
      label_write(text, f);
    }
  }
  fprintf(f, "\n");
  for (long r = 0; r < t->rows; r++) {
    for (int k = 0; k < t->width; k++) {
      fprintf(f, "%s%.17g", k ? "," : "", t->data[(size_t)r * (size_t)t->width + (size_t)k]);
    }
    fprintf(f, "\n");
  }
  return !ferror(f);
}

static bool read_csv(Trajectory* t, FILE* f, const char* path) {
  char message[200];
  int c, columns = 1;
  bool quoted = false;
  while ((c = fgetc(f)) != EOF && c != '\n') {
    if (c == '"') quoted = !quoted;
    columns += c == ',' && !quoted;
  }
  if (columns != t->width) {
    snprintf(message, sizeof message, "%d columns, expected %d for this model", columns, t->width);
    return complain(path, message);
  }
  for (;;) {
    while ((c = fgetc(f)) == '\n' || c == '\r') {
    }
    if (c == EOF) return true;
    ungetc(c, f);
    double* row = trajectory_add(t);
    if (!row) return complain(path, "no memory");
    for (int k = 0; k < t->width; k++) {
      if (fscanf(f, k ? " ,%lf" : "%lf", row + k) != 1) {
        snprintf(message, sizeof message, "row %ld, column %d: not a number", t->rows, k + 1);
        return complain(path, message);
      }
    }
  }
}

// ---- NPZ

static bool write_npz(const Trajectory* t, FILE* f, const char* path) {
  NpzArray array[TRAJECTORY_FIELDS];
  for (int i = 0; i < TRAJECTORY_FIELDS; i++) {
    array[i] = (NpzArray){.name = trajectory_name[i],
                          .rows = t->rows,
                          .columns = t->size[i],
                          .vector = i == 0,
                          .stride = t->width,
                          .data = trajectory_field(t, 0, i)};
  }
  return npz_write(f, array, TRAJECTORY_FIELDS) || complain(path, "too large for NPZ: use CSV");
}

static uint32_t get(const unsigned char* p, int bytes) {
  uint32_t value = 0;
  for (int i = 0; i < bytes; i++) value |= (uint32_t)p[i] << 8 * i;
  return value;
}

// The size of an entry. NumPy writes it with eight bytes in an extra field (tag 1), which is read
// over. -1: none.
static long long entry_bytes(const unsigned char* h, FILE* f) {
  long long bytes = get(h + 22, 4);
  int left = (int)get(h + 28, 2);
  while (left >= 4) {
    unsigned char tag[4], value[8];
    if (fread(tag, 1, 4, f) != 4) return -1;
    int size = (int)get(tag + 2, 2);
    left -= 4 + size;
    if (get(tag, 2) == 1 && size >= 8) {
      if (fread(value, 1, 8, f) != 8) return -1;
      if (bytes == UINT32_MAX)
        bytes = (long long)get(value, 4) | (long long)get(value + 4, 4) << 32;
      size -= 8;
    }
    if (left < 0 || fseek(f, size, SEEK_CUR)) return -1;
  }
  return left ? -1 : bytes;
}

// Reads archives as write_npz and numpy.savez write them: the entries in that order, uncompressed.
static bool read_npz(Trajectory* t, FILE* f, const char* path) {
  int column = 0;
  for (int i = 0; i < TRAJECTORY_FIELDS; i++) {
    unsigned char h[30], pre[128];
    char name[16] = "", expected[16];
    snprintf(expected, sizeof expected, "%s.npy", trajectory_name[i]);
    if (fread(h, 1, 30, f) != 30 || get(h, 4) != 0x04034b50u) return complain(path, "not an NPZ");
    if (get(h + 8, 2)) return complain(path, "compressed NPZ is not supported");
    uint32_t length = get(h + 26, 2);
    if (length >= sizeof name || fread(name, 1, length, f) != length || strcmp(name, expected)) {
      fprintf(stderr, "%s: holds '%s' where %s was expected\n", path, name, expected);
      return false;
    }
    long long bytes = entry_bytes(h, f);
    if (bytes < 128 || fread(pre, 1, 128, f) != 128 ||
        memcmp(pre, "\x93NUMPY\x01\x00\x76\x00", 10)) {
      return complain(path, "an array that is not of this program");
    }
    size_t width = sizeof(double) * (size_t)t->size[i];
    long rows = i == 0 ? (long)((size_t)(bytes - 128) / sizeof(double)) : t->rows;
    if ((size_t)(bytes - 128) != width * (size_t)rows) {
      fprintf(stderr, "%s: %s does not have %d columns, as this model asks\n", path, name,
              t->size[i]);
      return false;
    }
    for (long r = 0; i == 0 && r < rows; r++) {
      if (!trajectory_add(t)) return complain(path, "no memory");
    }
    for (long r = 0; r < rows; r++) {
      double* to = t->data + (size_t)r * (size_t)t->width + column;
      if (fread(to, sizeof(double), (size_t)t->size[i], f) != (size_t)t->size[i]) {
        return complain(path, "ends too early");
      }
    }
    column += t->size[i];
  }
  return true;
}

bool is_npz(const char* path) {
  size_t n = strlen(path);
  return n > 4 && !strcmp(path + n - 4, ".npz");
}

bool trajectory_write(const Trajectory* t, const char* path) {
  FILE* f = fopen(path, "wb");
  if (!f) return complain(path, "cannot be written");
  bool ok = is_npz(path) ? write_npz(t, f, path) : write_csv(t, f);
  if (fclose(f) || !ok) return complain(path, "could not be written whole");
  return true;
}

bool trajectory_read(Trajectory* t, const char* path) {
  FILE* f = fopen(path, "rb");
  if (!f) return complain(path, "cannot be read");
  bool ok = is_npz(path) ? read_npz(t, f, path) : read_csv(t, f, path);
  fclose(f);
  return ok;
}
