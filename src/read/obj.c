// Wavefront OBJ: v, vt, vn and f. Polygons are triangulated. All vertices are kept; faces are those
// of the first object or group that has any, as released.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "model/formats.h"

typedef struct snObjText_ {
  const char* at;
  const char* end;
  int line;
} snObjText;

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

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static void skip_blanks(snObjText* t) {
  while (t->at < t->end && is_blank(*t->at)) t->at++;
}

static bool at_line_end(const snObjText* t) { return t->at >= t->end || *t->at == '\n'; }

static void skip_line(snObjText* t) {
  const char* stop = memchr(t->at, '\n', (size_t)(t->end - t->at));
  t->at = stop ? stop + 1 : t->end;
  t->line++;
}

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

// A decimal number. Up to 18 digits are exact in 64 bits; one rounding to double and one scaling by
// a power of ten give an error far below that of a float.
static bool read_number(snObjText* t, double* out) {
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
    // leading zeros do not count: 18 significant digits fit
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
  double x = (double)(int64_t)mantissa;  // signed conversion is faster
  for (int e = exponent; e > 0 && x < 1e300; e -= 22) x *= ten[e < 22 ? e : 22];
  for (int e = -exponent; e > 0 && x != 0; e -= 22) x /= ten[e < 22 ? e : 22];
  t->at = p;
  *out = negative ? -x : x;
  return true;
}

// n numbers of a line; the rest of the line is ignored. As released, a word counts as the number
// that it begins with; a word that begins with no number, or a missing word, counts as zero.
static bool read_tuple(snObjText* t, snNumbers* list, int n, const char* name, snFault* fault) {
  if (!grow((void**)&list->data, &list->room, list->n + (size_t)n, sizeof(float)))
    return fault_raise(fault, "no memory for OBJ file '%s'", name);
  for (int i = 0; i < n; i++) {
    double x = 0;
    skip_blanks(t);
    if (!read_number(t, &x)) x = 0;
    while (!at_line_end(t) && !is_blank(*t->at)) t->at++;
    if (!isfinite((float)x)) {
      return fault_raise(fault, "could not parse OBJ file '%s': line %d: number is too large", name,
                         t->line);
    }
    list->data[list->n++] = (float)x;
  }
  return true;
}

static bool read_integer(snObjText* t, int* out) {
  const char* p = t->at;
  bool negative = false;
  if (p < t->end && (*p == '-' || *p == '+')) negative = *p++ == '-';
  if (p >= t->end || *p < '0' || *p > '9') return false;
  long value = 0;
  for (; p < t->end && *p >= '0' && *p <= '9'; p++) {
    value = 10 * value + (*p - '0');
    if (value > 2000000000) return false;
  }
  while (p < t->end && *p != '/' && *p != '\n' && !is_blank(*p)) p++;  // "2.0" is 2
  t->at = p;
  *out = (int)(negative ? -value : value);
  return true;
}

// 1-based from the start, or negative from the end of the list so far; result 0-based, -1 if absent
static bool resolve(int given, int count, int* out) {
  if (given == 0) return false;
  *out = given > 0 ? given - 1 : count + given;
  return *out >= 0;
}

// One corner: v, v/vt, v//vn or v/vt/vn.
static bool read_corner(snObjText* t, const int count[3], int corner[3]) {
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

typedef struct snObj_ {
  snNumbers vert, texcoord, normal;
  snIndices face[3];  // vertices, texture coordinates, normals: of polygons, later of triangles
  snIndices count;    // number of corners of each polygon
  bool triangles;     // all polygons are triangles
  const char* name;
} snObj;

static bool no_memory(const snObj* obj, snFault* fault) {
  return fault_raise(fault, "no memory for OBJ file '%s'", obj->name);
}

// A face with fewer than three corners is ignored.
static bool read_face(snObjText* t, snObj* obj, snFault* fault) {
  int count[3] = {(int)(obj->vert.n / 3), (int)(obj->texcoord.n / 2), (int)(obj->normal.n / 3)};
  int corner[3], n = 0;
  for (;; n++) {
    skip_blanks(t);
    if (at_line_end(t)) break;
    if (!read_corner(t, count, corner) || !(at_line_end(t) || is_blank(*t->at))) {
      return fault_raise(fault,
                         "could not parse OBJ file '%s': line %d: expected vertex indices as "
                         "v, v/vt, v//vn or v/vt/vn",
                         obj->name, t->line);
    }
    for (int k = 0; k < 3; k++) {
      if (!push_index(&obj->face[k], corner[k])) return no_memory(obj, fault);
    }
  }
  for (int k = 0; n < 3 && k < 3; k++) obj->face[k].n -= (size_t)n;
  if (n < 3) return true;
  obj->triangles = obj->triangles && n == 3;
  return push_index(&obj->count, n) || no_memory(obj, fault);
}

// ---- triangulation by ear clipping, in the plane across the largest component of the normal

static const float* corner_at(const snObj* obj, int corner) {
  return obj->vert.data + 3 * (size_t)obj->face[0].data[corner];
}

// The two axes of that plane, from the first corner that is not straight.
static void choose_axes(const snObj* obj, int first, int n, int axis[2]) {
  axis[0] = 1, axis[1] = 2;
  for (int i = 0; i < n; i++) {
    const float *a = corner_at(obj, first + i), *b = corner_at(obj, first + (i + 1) % n),
                *c = corner_at(obj, first + (i + 2) % n);
    float u[3], v[3];
    for (int k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = c[k] - b[k];
    float x = fabsf(u[1] * v[2] - u[2] * v[1]), y = fabsf(u[2] * v[0] - u[0] * v[2]),
          z = fabsf(u[0] * v[1] - u[1] * v[0]);
    if (!(x > FLT_EPSILON || y > FLT_EPSILON || z > FLT_EPSILON)) continue;
    if (!(x > y && x > z)) axis[0] = 0, axis[1] = z > x && z > y ? 1 : 2;
    return;
  }
}

// Even-odd rule: a ray to the right of p crosses the border of the triangle an odd number of times.
static bool is_inside(const float p[2], const float t[3][2]) {
  bool inside = false;
  for (int i = 0, j = 2; i < 3; j = i++) {
    if ((t[i][1] > p[1]) == (t[j][1] > p[1])) continue;
    float at = (t[j][0] - t[i][0]) * (p[1] - t[i][1]) / (t[j][1] - t[i][1]) + t[i][0];
    if (p[0] < at) inside = !inside;
  }
  return inside;
}

// Is corner i + 1 of the remaining n an ear: convex, with no other corner inside?
static bool is_ear(const snObj* obj, const int* left, int n, int i, const int axis[2], float area) {
  float t[3][2];
  for (int c = 0; c < 3; c++) {
    const float* v = corner_at(obj, left[(i + c) % n]);
    for (int k = 0; k < 2; k++) t[c][k] = v[axis[k]];
  }
  float turn =
      (t[1][0] - t[0][0]) * (t[2][1] - t[1][1]) - (t[1][1] - t[0][1]) * (t[2][0] - t[1][0]);
  if (turn * area < 0) return false;
  for (int c = 3; c < n; c++) {
    const float* v = corner_at(obj, left[(i + c) % n]);
    float p[2] = {v[axis[0]], v[axis[1]]};
    if (is_inside(p, (const float(*)[2])t)) return false;
  }
  return true;
}

// Triangulates the n corners in `left`; a polygon without an ear is cut short. As released, the
// tries are limited: n for the first ear, n + 1 for each later one, and an ear found on the last
// try ends the search as well.
static int cut_polygon(const snObj* obj, int* left, int n, int* out) {
  int axis[2], triangles = 0, tries = n, i = 0;
  float area = 0;
  choose_axes(obj, left[0], n, axis);
  for (int c = 0; c < n; c++) {
    const float *a = corner_at(obj, left[c]), *b = corner_at(obj, left[(c + 1) % n]);
    area += 0.5f * (a[axis[0]] * b[axis[1]] - a[axis[1]] * b[axis[0]]);
  }
  while (n > 3 && tries > 0) {
    if (i >= n) i -= n;
    tries--;
    if (!is_ear(obj, left, n, i, axis, area)) {
      i++;
      continue;
    }
    for (int c = 0; c < 3; c++) out[3 * triangles + c] = left[(i + c) % n];
    triangles++;
    n--;
    if (tries) tries = n + 1;
    for (int c = (i + 1) % (n + 1); c < n; c++) left[c] = left[c + 1];
  }
  if (n == 3) {
    memcpy(out + 3 * triangles, left, 3 * sizeof *out);
    triangles++;
  }
  return triangles;
}

// Polygons with more corners are ignored, as released.
enum { kMostCorners = 100 };

static bool cut_polygons(snObj* obj, snFault* fault) {
  if (obj->triangles) return true;
  size_t corners = obj->face[0].n;
  int most = 0;
  for (size_t i = 0; i < obj->count.n; i++) {
    if (obj->count.data[i] > most) most = obj->count.data[i];
  }
  int* left = memory_alloc((size_t)most * sizeof *left);
  int* cut = memory_alloc(3 * corners * sizeof *cut);
  int* face[3];
  for (int k = 0; k < 3; k++) face[k] = memory_alloc(3 * corners * sizeof *face[k]);
  bool ok = left && cut && face[0] && face[1] && face[2];
  size_t n = 0;
  for (int i = 0, first = 0; ok && i < (int)obj->count.n; first += obj->count.data[i++]) {
    if (obj->count.data[i] > kMostCorners) continue;
    for (int c = 0; c < obj->count.data[i]; c++) left[c] = first + c;
    n += 3 * (size_t)cut_polygon(obj, left, obj->count.data[i], cut + n);
  }
  for (int k = 0; k < 3; k++) {
    for (size_t i = 0; ok && i < n; i++) face[k][i] = obj->face[k].data[cut[i]];
    memory_free(ok ? obj->face[k].data : face[k]);
    if (ok) obj->face[k] = (snIndices){face[k], n, 3 * corners};
  }
  memory_free(left);
  memory_free(cut);
  SN_ASSERT(!ok || n <= 3 * corners);
  return ok || no_memory(obj, fault);
}

static bool read_lines(snObjText* t, snObj* obj, snFault* fault) {
  bool done = false;  // the faces of the first object are complete
  for (; t->at < t->end; skip_line(t)) {
    skip_blanks(t);
    size_t left = (size_t)(t->end - t->at);
    const char* p = t->at;
    if (left >= 2 && p[0] == 'v' && is_blank(p[1])) {
      t->at += 2;
      if (!read_tuple(t, &obj->vert, 3, obj->name, fault)) return false;
    } else if (left >= 3 && p[0] == 'v' && p[1] == 't' && is_blank(p[2])) {
      t->at += 3;
      if (!read_tuple(t, &obj->texcoord, 2, obj->name, fault)) return false;
    } else if (left >= 3 && p[0] == 'v' && p[1] == 'n' && is_blank(p[2])) {
      t->at += 3;
      if (!read_tuple(t, &obj->normal, 3, obj->name, fault)) return false;
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

// Every index must lie within its array; -1 (absent) only where the format allows it.
static bool check_indices(const snObj* obj, snFault* fault) {
  size_t count[3] = {obj->vert.n / 3, obj->texcoord.n / 2, obj->normal.n / 3};
  static const char* const what[3] = {"vertex", "texture coordinate", "normal"};
  for (int k = 0; k < 3; k++) {
    for (size_t i = 0; i < obj->face[k].n; i++) {
      if (obj->face[k].data[i] >= 0 && (size_t)obj->face[k].data[i] >= count[k]) {
        return fault_raise(fault, "OBJ file '%s': in face %zu, a %s index does not exist",
                           obj->name, i / 3, what[k]);
      }
    }
  }
  return true;
}

bool obj_read(snMeshData* data, const snFile* file, snFault* fault) {
  memset(data, 0, sizeof *data);
  snObj obj = {.triangles = true, .name = file->name};
  snObjText t = {file->bytes, (const char*)file->bytes + file->size, 1};
  bool ok = read_lines(&t, &obj, fault) && check_indices(&obj, fault) && cut_polygons(&obj, fault);
  memory_free(obj.count.data);
  // the v coordinate runs upward in the file, downward in the model
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
