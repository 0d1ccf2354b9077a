// Wavefront OBJ: v, vt, vn and f. Polygons become fans. All vertices are kept; faces are those of
// the first object or group that has any, as the released compiler reads it.
#include <math.h>
#include <string.h>

#include "model/formats.h"

typedef struct snText_ {
  const char* at;
  const char* end;
  int line;
} snText;

typedef struct snNumbers_ {
  float* data;
  size_t n, room;
} snNumbers;

typedef struct snIndices_ {
  int* data;
  size_t n, room;
} snIndices;

static bool grow(void** data, size_t* room, size_t need, size_t item) {
  if (need <= *room) return true;
  size_t wider = *room ? 2 * *room : 4096;
  while (wider < need) wider *= 2;
  void* block = memory_resize(*data, *room * item, wider * item);
  if (!block) return false;
  *data = block;
  *room = wider;
  return true;
}

static bool push_index(snIndices* list, int x) {
  if (!grow((void**)&list->data, &list->room, list->n + 1, sizeof(int))) return false;
  list->data[list->n++] = x;
  return true;
}

static void skip_blanks(snText* t) {
  while (t->at < t->end && (*t->at == ' ' || *t->at == '\t' || *t->at == '\r')) t->at++;
}

static bool at_line_end(const snText* t) { return t->at >= t->end || *t->at == '\n'; }

static void skip_line(snText* t) {
  const char* stop = memchr(t->at, '\n', (size_t)(t->end - t->at));
  t->at = stop ? stop + 1 : t->end;
  t->line++;
}

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

// Decimal number. Up to 18 digits are exact in 64 bits; one rounding to double, one scaling by a
// power of ten: well within a float.
static bool read_number(snText* t, double* out) {
  static const double ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char* p = t->at;
  bool negative = false;
  if (p < t->end && (*p == '-' || *p == '+')) negative = *p++ == '-';
  uint64_t mantissa = 0;
  int digits = 0, dropped = 0, decimals = 0;
  const char* first = p;
  for (; p < t->end && is_digit(*p); p++) {
    if (digits < 18) {
      mantissa = 10 * mantissa + (uint64_t)(*p - '0');
      digits += mantissa != 0;
    } else {
      dropped++;
    }
  }
  bool any = p > first;
  if (p < t->end && *p == '.') {
    first = ++p;
    // leading zeros are no digits: 18 of the others fit
    if (!mantissa) {
      while (p < t->end && *p == '0') p++;
    }
    const char* last = t->end - p < 18 - digits ? t->end : p + (18 - digits);
    for (; p < last && is_digit(*p); p++) mantissa = 10 * mantissa + (uint64_t)(*p - '0');
    decimals = (int)(p - first < 100000 ? p - first : 100000);
    while (p < t->end && is_digit(*p)) p++;
    any = any || p > first;
  }
  if (!any) return false;
  int exponent = dropped - decimals;
  if (p < t->end && (*p == 'e' || *p == 'E')) {
    const char* q = p + 1;
    bool minus = false;
    if (q < t->end && (*q == '-' || *q == '+')) minus = *q++ == '-';
    if (q < t->end && *q >= '0' && *q <= '9') {
      int e = 0;
      for (; q < t->end && *q >= '0' && *q <= '9'; q++) e = e < 100000 ? 10 * e + (*q - '0') : e;
      exponent += minus ? -e : e;
      p = q;
    }
  }
  double x = (double)(int64_t)mantissa;  // signed, which is the quicker one
  for (; exponent > 0 && x < 1e300; exponent -= 22) x *= ten[exponent < 22 ? exponent : 22];
  for (; exponent < 0 && x != 0; exponent += 22) x /= ten[exponent > -22 ? -exponent : 22];
  t->at = p;
  *out = negative ? -x : x;
  return true;
}

// n numbers of a line, of which the last `spare` may be missing; what follows them is passed over
static bool read_tuple(snText* t, snNumbers* list, int n, const char* what, const char* name,
                       snFault* fault) {
  if (!grow((void**)&list->data, &list->room, list->n + (size_t)n, sizeof(float)))
    return fault_raise(fault, "no memory for OBJ file '%s'", name);
  for (int i = 0; i < n; i++) {
    double x;
    skip_blanks(t);
    if (!read_number(t, &x)) {
      return fault_raise(fault, "could not parse OBJ file '%s': line %d: %s needs %d numbers", name,
                         t->line, what, n);
    }
    if (!isfinite((float)x)) {
      return fault_raise(fault, "could not parse OBJ file '%s': line %d: number is too large", name,
                         t->line);
    }
    list->data[list->n++] = (float)x;
  }
  return true;
}

static bool read_integer(snText* t, int* out) {
  const char* p = t->at;
  bool negative = false;
  if (p < t->end && (*p == '-' || *p == '+')) negative = *p++ == '-';
  if (p >= t->end || *p < '0' || *p > '9') return false;
  long value = 0;
  for (; p < t->end && *p >= '0' && *p <= '9'; p++) {
    value = 10 * value + (*p - '0');
    if (value > 2000000000) return false;
  }
  t->at = p;
  *out = (int)(negative ? -value : value);
  return true;
}

// 1-based from the start, or negative from the end of what has been read; 0-based out, -1 if absent
static bool resolve(int given, int count, int* out) {
  if (given == 0) return false;
  *out = given > 0 ? given - 1 : count + given;
  return *out >= 0;
}

// One corner: v, v/vt, v//vn or v/vt/vn.
static bool read_corner(snText* t, const int count[3], int corner[3]) {
  int given;
  corner[1] = corner[2] = -1;
  if (!read_integer(t, &given) || !resolve(given, count[0], &corner[0])) return false;
  if (t->at >= t->end || *t->at != '/') return true;
  t->at++;
  if (t->at < t->end && *t->at != '/') {
    if (!read_integer(t, &given) || !resolve(given, count[1], &corner[1])) return false;
  }
  if (t->at >= t->end || *t->at != '/') return true;
  t->at++;
  return read_integer(t, &given) && resolve(given, count[2], &corner[2]);
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

typedef struct snObj_ {
  snNumbers vert, texcoord, normal;
  snIndices face[3];  // vertices, texture coordinates, normals
  const char* name;
} snObj;

// Fan: corners 0, i, i + 1.
static bool read_face(snText* t, snObj* obj, snFault* fault) {
  int count[3] = {(int)(obj->vert.n / 3), (int)(obj->texcoord.n / 2), (int)(obj->normal.n / 3)};
  int first[3], last[3], corner[3];
  for (int n = 0;; n++) {
    skip_blanks(t);
    if (at_line_end(t)) return true;
    if (!read_corner(t, count, corner) || !(at_line_end(t) || is_blank(*t->at))) {
      return fault_raise(fault,
                         "could not parse OBJ file '%s': line %d: expected vertex indices as "
                         "v, v/vt, v//vn or v/vt/vn",
                         obj->name, t->line);
    }
    if (n == 0) memcpy(first, corner, sizeof first);
    if (n >= 2) {
      for (int k = 0; k < 3; k++) {
        if (!push_index(&obj->face[k], first[k]) || !push_index(&obj->face[k], last[k]) ||
            !push_index(&obj->face[k], corner[k])) {
          return fault_raise(fault, "no memory for OBJ file '%s'", obj->name);
        }
      }
    }
    memcpy(last, corner, sizeof last);
  }
}

static bool read_lines(snText* t, snObj* obj, snFault* fault) {
  bool done = false;  // the faces of the first object are complete
  for (; t->at < t->end; skip_line(t)) {
    skip_blanks(t);
    size_t left = (size_t)(t->end - t->at);
    const char* p = t->at;
    if (left >= 2 && p[0] == 'v' && is_blank(p[1])) {
      t->at += 2;
      if (!read_tuple(t, &obj->vert, 3, "v", obj->name, fault)) return false;
    } else if (left >= 3 && p[0] == 'v' && p[1] == 't' && is_blank(p[2])) {
      t->at += 3;
      if (!read_tuple(t, &obj->texcoord, 2, "vt", obj->name, fault)) return false;
    } else if (left >= 3 && p[0] == 'v' && p[1] == 'n' && is_blank(p[2])) {
      t->at += 3;
      if (!read_tuple(t, &obj->normal, 3, "vn", obj->name, fault)) return false;
    } else if (left >= 2 && p[0] == 'f' && is_blank(p[1]) && !done) {
      t->at += 2;
      if (!read_face(t, obj, fault)) return false;
    } else if (left >= 1 && (p[0] == 'o' || p[0] == 'g') &&
               (left == 1 || is_blank(p[1]) || p[1] == '\n')) {
      done = obj->face[0].n > 0;
    }
    if (obj->vert.n > 300000000u || obj->face[0].n > 300000000u || obj->normal.n > 300000000u ||
        obj->texcoord.n > 300000000u) {
      return fault_raise(fault, "OBJ file '%s' is too large", obj->name);
    }
  }
  return true;
}

// Every index within its array; -1 (absent) only where the format lets it be left out.
static bool check_indices(const snObj* obj, snFault* fault) {
  size_t count[3] = {obj->vert.n / 3, obj->texcoord.n / 2, obj->normal.n / 3};
  static const char* const what[3] = {"vertex", "texture coordinate", "normal"};
  for (int k = 0; k < 3; k++) {
    for (size_t i = 0; i < obj->face[k].n; i++) {
      if (obj->face[k].data[i] >= 0 && (size_t)obj->face[k].data[i] >= count[k]) {
        return fault_raise(fault, "OBJ file '%s': in face %zu, %s index %d does not exist",
                           obj->name, i / 3, what[k], obj->face[k].data[i]);
      }
    }
  }
  return true;
}

bool obj_read(snMeshData* data, const snFile* file, snFault* fault) {
  memset(data, 0, sizeof *data);
  snObj obj = {.name = file->name};
  snText t = {file->bytes, (const char*)file->bytes + file->size, 1};
  bool ok = read_lines(&t, &obj, fault) && check_indices(&obj, fault);
  // texture rows run upwards in the file, downwards in the model
  for (size_t i = 1; ok && i < obj.texcoord.n; i += 2)
    obj.texcoord.data[i] = 1 - obj.texcoord.data[i];
  *data = (snMeshData){.nvert = (int)(obj.vert.n / 3),
                       .nnormal = (int)(obj.normal.n / 3),
                       .ntexcoord = (int)(obj.texcoord.n / 2),
                       .nface = (int)(obj.face[0].n / 3),
                       .vert = obj.vert.data,
                       .normal = obj.normal.data,
                       .texcoord = obj.texcoord.data,
                       .face = obj.face[0].data,
                       .facetexcoord = obj.face[1].data,
                       .facenormal = obj.face[2].data};
  if (!data->ntexcoord) memory_free(data->facetexcoord), data->facetexcoord = NULL;
  if (!data->nnormal) memory_free(data->facenormal), data->facenormal = NULL;
  if (!ok) meshdata_free(data);
  return ok;
}
