// Trajectory files: CSV, and NPZ, a ZIP archive of NPY arrays, stored without compression.
#include "trajectory.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

// The joint or actuator of component k of a field, and the index of the component in it.
static const char* owner(const mjModel* m, const char* field, int k, const char** part) {
  static const char* const kPosition[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
  static const char* const kVelocity[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
  *part = "";
  if (!strcmp(field, "ctrl")) return mj_id2name(m, mjOBJ_ACTUATOR, k);
  if (!strcmp(field, "act")) {
    for (int i = 0; i < m->nu; i++) {
      int at = k - m->actuator_actadr[i];
      if (m->actuator_actadr[i] >= 0 && at >= 0 && at < m->actuator_actnum[i]) {
        return m->actuator_actnum[i] == 1 ? mj_id2name(m, mjOBJ_ACTUATOR, i) : NULL;
      }
    }
    return NULL;
  }
  bool position = !strcmp(field, "qpos");
  int j = position ? 0 : m->dof_jntid[k];
  while (position && j + 1 < m->njnt && m->jnt_qposadr[j + 1] <= k) j++;
  int at = k - (position ? m->jnt_qposadr[j] : m->jnt_dofadr[j]);
  int ball = m->jnt_type[j] == mjJNT_BALL;
  if (ball || m->jnt_type[j] == mjJNT_FREE) {
    *part = position ? kPosition[at + 3 * ball] : kVelocity[at + 3 * ball];
  }
  return mj_id2name(m, mjOBJ_JOINT, j);
}

// "qpos:elbow", "qvel:root:wz"; "qpos_3" where there is no name.
static void write_column(const Trajectory* t, int field, int k, FILE* f) {
  char text[600];
  const char* part;
  const char* name = owner(t->model, trajectory_name[field], k, &part);
  if (name && name[0]) {
    snprintf(text, sizeof text, "%s:%.500s%s%s", trajectory_name[field], name, *part ? ":" : "",
             part);
  } else {
    snprintf(text, sizeof text, "%s_%d", trajectory_name[field], k);
  }
  if (!strpbrk(text, ",\"\r\n")) {
    fprintf(f, ",%s", text);
    return;
  }
  fprintf(f, ",\"");
  for (const char* c = text; *c; c++) {
    // quotes are doubled; line breaks are replaced, because they would end the header
    if (*c == '"') fputc('"', f);
    fputc(*c == '\r' || *c == '\n' ? ' ' : *c, f);
  }
  fputc('"', f);
}

static bool write_csv(const Trajectory* t, FILE* f) {
  fprintf(f, "time");
  for (int i = 1; i < TRAJECTORY_FIELDS; i++) {
    for (int k = 0; k < t->size[i]; k++) write_column(t, i, k, f);
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

static uint32_t crc32_of(uint32_t crc, const void* data, size_t n) {
  const unsigned char* p = data;
  crc = ~crc;
  for (size_t i = 0; i < n; i++) {
    crc ^= p[i];
    for (int b = 0; b < 8; b++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

static void put(unsigned char** p, uint32_t value, int bytes) {
  for (int i = 0; i < bytes; i++) *(*p)++ = (unsigned char)(value >> 8 * i);
}

// The name and size of an archive entry, for the local header and for the directory.
typedef struct Entry_ {
  char name[16];
  uint32_t crc, bytes, offset;
} Entry;

static size_t entry_header(const Entry* e, bool directory, unsigned char* out) {
  unsigned char* p = out;
  put(&p, directory ? 0x02014b50u : 0x04034b50u, 4);
  if (directory) put(&p, 20, 2);
  put(&p, 20, 2);
  put(&p, 0, 2);     // flags
  put(&p, 0, 2);     // stored
  put(&p, 0, 2);     // time
  put(&p, 0x21, 2);  // date: 1980-01-01, the first of the format
  put(&p, e->crc, 4);
  put(&p, e->bytes, 4);
  put(&p, e->bytes, 4);
  put(&p, (uint32_t)strlen(e->name), 2);
  put(&p, 0, 2);
  if (directory) {
    put(&p, 0, 2);
    put(&p, 0, 2);
    put(&p, 0, 2);
    put(&p, 0, 4);
    put(&p, e->offset, 4);
  }
  memcpy(p, e->name, strlen(e->name));
  return (size_t)(p - out) + strlen(e->name);
}

// Preamble of an NPY file: magic, version 1.0, a Python dictionary padded to 64 bytes.
static size_t npy_header(long rows, int columns, bool vector, char out[128]) {
  char shape[64], dict[118];
  if (vector) {
    snprintf(shape, sizeof shape, "(%ld,)", rows);
  } else {
    snprintf(shape, sizeof shape, "(%ld, %d)", rows, columns);
  }
  snprintf(dict, sizeof dict, "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }", shape);
  memcpy(out, "\x93NUMPY\x01\x00\x76\x00", 10);
  memset(out + 10, ' ', 118);
  memcpy(out + 10, dict, strlen(dict));
  out[127] = '\n';
  return 128;
}

static bool write_npz(const Trajectory* t, FILE* f, const char* path) {
  Entry entry[TRAJECTORY_FIELDS];
  unsigned char header[64];
  uint64_t offset = 0;
  for (int i = 0; i < TRAJECTORY_FIELDS; i++) {
    Entry* e = entry + i;
    snprintf(e->name, sizeof e->name, "%s.npy", trajectory_name[i]);
    char npy[128];
    size_t n = npy_header(t->rows, t->size[i], i == 0, npy);
    uint64_t bytes = n + sizeof(double) * (uint64_t)t->rows * (uint64_t)t->size[i];
    if (offset + bytes > 0xf0000000u) return complain(path, "too large for NPZ: use CSV");
    e->offset = (uint32_t)offset;
    e->bytes = (uint32_t)bytes;
    e->crc = crc32_of(0, npy, n);
    for (long r = 0; r < t->rows; r++) {
      e->crc = crc32_of(e->crc, trajectory_field(t, r, i), sizeof(double) * (size_t)t->size[i]);
    }
    size_t h = entry_header(e, false, header);
    fwrite(header, 1, h, f);
    fwrite(npy, 1, n, f);
    for (long r = 0; r < t->rows; r++) {
      fwrite(trajectory_field(t, r, i), sizeof(double), (size_t)t->size[i], f);
    }
    offset += h + bytes;
  }
  uint32_t size = 0;
  for (int i = 0; i < TRAJECTORY_FIELDS; i++) {
    size_t h = entry_header(entry + i, true, header);
    fwrite(header, 1, h, f);
    size += (uint32_t)h;
  }
  unsigned char end[22], *p = end;
  put(&p, 0x06054b50u, 4);
  put(&p, 0, 4);
  put(&p, TRAJECTORY_FIELDS, 2);
  put(&p, TRAJECTORY_FIELDS, 2);
  put(&p, size, 4);
  put(&p, (uint32_t)offset, 4);
  put(&p, 0, 2);
  fwrite(end, 1, sizeof end, f);
  return !ferror(f);
}

static uint32_t get(const unsigned char* p, int bytes) {
  uint32_t value = 0;
  for (int i = 0; i < bytes; i++) value |= (uint32_t)p[i] << 8 * i;
  return value;
}

// Reads archives as write_npz writes them: the entries in that order, uncompressed.
static bool read_npz(Trajectory* t, FILE* f, const char* path) {
  int column = 0;
  for (int i = 0; i < TRAJECTORY_FIELDS; i++) {
    unsigned char h[30], pre[128];
    char name[16] = "", expected[16];
    snprintf(expected, sizeof expected, "%s.npy", trajectory_name[i]);
    if (fread(h, 1, 30, f) != 30 || get(h, 4) != 0x04034b50u) return complain(path, "not an NPZ");
    if (get(h + 8, 2)) return complain(path, "compressed NPZ is not supported");
    uint32_t length = get(h + 26, 2), bytes = get(h + 22, 4);
    if (length >= sizeof name || fread(name, 1, length, f) != length || strcmp(name, expected) ||
        get(h + 28, 2)) {
      fprintf(stderr, "%s: holds '%s' where %s was expected\n", path, name, expected);
      return false;
    }
    if (bytes < 128 || fread(pre, 1, 128, f) != 128 ||
        memcmp(pre, "\x93NUMPY\x01\x00\x76\x00", 10)) {
      return complain(path, "an array that is not of this program");
    }
    size_t width = sizeof(double) * (size_t)t->size[i];
    long rows = i == 0 ? (long)((bytes - 128) / sizeof(double)) : t->rows;
    if ((bytes - 128) != width * (size_t)rows) {
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

static bool is_npz(const char* path) {
  size_t n = strlen(path);
  return n > 4 && !strcmp(path + n - 4, ".npz");
}

bool writable(const char* path) {
  struct stat info;
  bool there = stat(path, &info) == 0;
  if (there && S_ISDIR(info.st_mode)) return false;
  // opening a pipe would block until it has a reader
  if (there && !S_ISREG(info.st_mode)) return access(path, W_OK) == 0;
  int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return false;
  close(file);
  if (!there) unlink(path);
  return true;
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
