// Gmsh files, versions 2.2 and 4.1, text or binary: the nodes, and the triangles (type 2) or
// tetrahedra (type 4) that connect them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "model/formats.h"

enum { kMaxCount = 20000000 };

typedef struct snGmshInput_ {
  const char* at;
  const char* end;
  const char* name;
  bool binary, old;  // old: version 2.2
  snFault* fault;
  int64_t* tag;  // (npoint) node tags of the file
} snGmshInput;

void gmsh_free(snGmsh* mesh) {
  memory_free(mesh->point);
  memory_free(mesh->elem);
  memset(mesh, 0, sizeof *mesh);
}

static bool bad(snGmshInput* in, const char* what) {
  return fault_raise(in->fault, "GMSH file '%s': %s", in->name, what);
}

static void skip_space(snGmshInput* in) {
  while (in->at < in->end &&
         (*in->at == ' ' || *in->at == '\n' || *in->at == '\r' || *in->at == '\t')) {
    in->at++;
  }
}

// One number in text. Its digits are copied, because the bytes of a file are not zero-terminated.
static bool text_number(snGmshInput* in, double* out) {
  char digits[64];
  size_t n = 0;
  skip_space(in);
  while (in->at < in->end && n + 1 < sizeof digits && *in->at > ' ') digits[n++] = *in->at++;
  digits[n] = '\0';
  char* stop;
  *out = strtod(digits, &stop);
  return n > 0 && *stop == '\0' && isfinite(*out);
}

static bool text_integer(snGmshInput* in, int64_t* out) {
  double x;
  if (!text_number(in, &x) || x != floor(x) || fabs(x) > 9e15) return false;
  *out = (int64_t)x;
  return true;
}

// An integer of the given width in binary, of any width in text.
static bool get_integer(snGmshInput* in, int width, int64_t* out) {
  if (!in->binary) return text_integer(in, out);
  if (in->end - in->at < width) return false;
  int32_t narrow;
  if (width == 4) {
    memcpy(&narrow, in->at, 4);
    *out = narrow;
  } else {
    memcpy(out, in->at, 8);
  }
  in->at += width;
  return true;
}

static bool get_double(snGmshInput* in, double* out) {
  if (!in->binary) return text_number(in, out);
  if (in->end - in->at < 8) return false;
  memcpy(out, in->at, 8);
  in->at += 8;
  return isfinite(*out);
}

static bool find_section(snGmshInput* in, const char* start, const char* title) {
  size_t n = strlen(title);
  const char* found = system_seek(start, (size_t)(in->end - start), title, n);
  if (!found) return false;
  in->at = found + n;
  // binary data starts after the end of the line
  while (in->at < in->end && *in->at != '\n') in->at++;
  if (in->at < in->end) in->at++;
  return true;
}

static bool read_format(snGmshInput* in) {
  static const char title[] = "$MeshFormat";
  if ((size_t)(in->end - in->at) < sizeof title || memcmp(in->at, title, sizeof title - 1)) {
    return bad(in, "must begin with $MeshFormat");
  }
  in->at += sizeof title - 1;
  double version;
  int64_t type, size;
  if (!text_number(in, &version) || !text_integer(in, &type) || !text_integer(in, &size)) {
    return bad(in, "could not read the format line");
  }
  if (version != 2.2 && version != 4.1) return bad(in, "only versions 2.2 and 4.1 are supported");
  if (type != 0 && type != 1) return bad(in, "file type must be 0 (text) or 1 (binary)");
  if (size != 8) return bad(in, "data size must be 8");
  in->old = version == 2.2;
  in->binary = type == 1;
  return true;
}

static bool make_points(snGmshInput* in, snGmsh* mesh, int64_t n) {
  if (n < 1 || n > kMaxCount) return bad(in, "number of nodes is out of range");
  if (n > in->end - in->at) return bad(in, "the file ends before its nodes");
  mesh->npoint = (int)n;
  mesh->point = memory_alloc(3 * (size_t)n * sizeof(double));
  in->tag = memory_alloc((size_t)n * sizeof(int64_t));
  return (mesh->point && in->tag) || bad(in, "no memory");
}

static bool read_nodes_old(snGmshInput* in, snGmsh* mesh) {
  int64_t n;
  if (!text_integer(in, &n)) return bad(in, "could not read the number of nodes");
  if (in->binary && in->at < in->end) in->at++;
  if (!make_points(in, mesh, n)) return false;
  for (int64_t i = 0; i < n; i++) {
    bool ok = get_integer(in, 4, &in->tag[i]);
    for (int k = 0; k < 3; k++) ok = ok && get_double(in, &mesh->point[3 * i + k]);
    if (!ok) return bad(in, "could not read a node");
  }
  return true;
}

static bool read_nodes(snGmshInput* in, snGmsh* mesh) {
  int64_t blocks, n, low, high, done = 0;
  if (!get_integer(in, 8, &blocks) || !get_integer(in, 8, &n) || !get_integer(in, 8, &low) ||
      !get_integer(in, 8, &high)) {
    return bad(in, "could not read the counts of nodes");
  }
  if (!make_points(in, mesh, n)) return false;
  for (int64_t b = 0; b < blocks && done < n; b++) {
    int64_t dim, entity, parametric, count;
    if (!get_integer(in, 4, &dim) || !get_integer(in, 4, &entity) ||
        !get_integer(in, 4, &parametric) || !get_integer(in, 8, &count) || count < 0 ||
        count > n - done) {
      return bad(in, "could not read a block of nodes");
    }
    if (parametric) return bad(in, "parametric nodes are not supported");
    for (int64_t i = 0; i < count; i++) {
      if (!get_integer(in, 8, &in->tag[done + i])) return bad(in, "could not read a node tag");
    }
    for (int64_t i = 0; i < 3 * count; i++) {
      if (!get_double(in, &mesh->point[3 * done + i])) return bad(in, "could not read a node");
    }
    done += count;
  }
  return done == n || bad(in, "fewer nodes than announced");
}

// ---- elements

static bool add_element(snGmshInput* in, snGmsh* mesh, int64_t type, int64_t* room) {
  int corners = mesh->dim + 1;
  if (mesh->nelem >= *room) {
    int64_t wider = *room ? 2 * *room : 1024;
    int* block = memory_resize(mesh->elem, (size_t)(*room * corners) * sizeof(int),
                               (size_t)(wider * corners) * sizeof(int));
    if (!block) return bad(in, "no memory");
    mesh->elem = block;
    *room = wider;
  }
  int* elem = mesh->elem + (size_t)mesh->nelem * (size_t)corners;
  for (int k = 0; k < corners; k++) {
    int64_t node;
    if (!get_integer(in, in->old ? 4 : 8, &node) || node < INT32_MIN || node > INT32_MAX) {
      return bad(in, "could not read the nodes of an element");
    }
    elem[k] = (int)node;
  }
  mesh->nelem++;
  return mesh->nelem <= kMaxCount || bad(in, "too many elements");
}

static bool take_type(snGmshInput* in, snGmsh* mesh, int64_t type) {
  int dim = type == 2 ? 2 : type == 4 ? 3 : 0;
  if (!dim) return bad(in, "only elements of type 2 (triangle) and 4 (tetrahedron) are supported");
  if (mesh->dim && mesh->dim != dim) return bad(in, "elements must all be of one type");
  mesh->dim = dim;
  return true;
}

static bool read_elements_old(snGmshInput* in, snGmsh* mesh) {
  int64_t n, room = 0;
  if (!text_integer(in, &n) || n < 1 || n > kMaxCount) {
    return bad(in, "could not read the number of elements");
  }
  if (in->binary && in->at < in->end) in->at++;
  for (int64_t done = 0; done < n;) {
    int64_t id, type, tags, count = 1, skip;
    bool ok =
        in->binary
            ? get_integer(in, 4, &type) && get_integer(in, 4, &count) && get_integer(in, 4, &tags)
            : text_integer(in, &id) && text_integer(in, &type) && text_integer(in, &tags);
    if (!ok || count < 1 || count > n - done || tags < 0 || tags > 100) {
      return bad(in, "could not read an element");
    }
    if (!take_type(in, mesh, type)) return false;
    for (int64_t i = 0; i < count; i++) {
      if (in->binary && !get_integer(in, 4, &id)) return bad(in, "could not read an element");
      for (int64_t t = 0; t < tags; t++) {
        if (!get_integer(in, 4, &skip)) return bad(in, "could not read the tags of an element");
      }
      if (!add_element(in, mesh, type, &room)) return false;
    }
    done += count;
  }
  return true;
}

static bool read_elements(snGmshInput* in, snGmsh* mesh) {
  int64_t blocks, n, low, high, room = 0;
  if (!get_integer(in, 8, &blocks) || !get_integer(in, 8, &n) || !get_integer(in, 8, &low) ||
      !get_integer(in, 8, &high) || n < 1 || n > kMaxCount) {
    return bad(in, "could not read the counts of elements");
  }
  for (int64_t b = 0; b < blocks && mesh->nelem < n; b++) {
    int64_t dim, entity, type, count, id;
    if (!get_integer(in, 4, &dim) || !get_integer(in, 4, &entity) || !get_integer(in, 4, &type) ||
        !get_integer(in, 8, &count) || count < 0 || count > n - mesh->nelem) {
      return bad(in, "could not read a block of elements");
    }
    if (!take_type(in, mesh, type)) return false;
    for (int64_t i = 0; i < count; i++) {
      if (!get_integer(in, 8, &id) || !add_element(in, mesh, type, &room)) {
        return bad(in, "could not read an element");
      }
    }
  }
  return mesh->nelem == n || bad(in, "fewer elements than announced");
}

// Node tags to indices; tags may have gaps, but their range is limited.
static bool renumber(snGmshInput* in, snGmsh* mesh) {
  int64_t low = in->tag[0], high = in->tag[0];
  for (int i = 0; i < mesh->npoint; i++) {
    low = in->tag[i] < low ? in->tag[i] : low;
    high = in->tag[i] > high ? in->tag[i] : high;
  }
  if (low < -(int64_t)INT32_MAX || high > INT32_MAX || high - low > 4LL * kMaxCount) {
    return bad(in, "node tags are spread too far");
  }
  size_t range = (size_t)(high - low + 1);
  int* at = memory_alloc(range * sizeof(int));
  if (!at) return bad(in, "no memory");
  memset(at, -1, range * sizeof(int));
  for (int i = 0; i < mesh->npoint; i++) at[in->tag[i] - low] = i;
  bool ok = true;
  for (size_t i = 0; ok && i < (size_t)mesh->nelem * (size_t)(mesh->dim + 1); i++) {
    int64_t tag = mesh->elem[i];
    if (tag < low || tag > high || at[tag - low] < 0) {
      ok = bad(in, "an element names a node that is not there");
    } else {
      mesh->elem[i] = at[tag - low];
    }
  }
  memory_free(at);
  return ok;
}

bool gmsh_read(snGmsh* mesh, const snFile* file, snFault* fault) {
  memset(mesh, 0, sizeof *mesh);
  const char* start = file->bytes;
  snGmshInput in = {start, start + file->size, file->name, false, false, fault, NULL};
  bool ok = file->size || bad(&in, "is empty");
  ok = ok && read_format(&in);
  ok = ok && (find_section(&in, in.at, "$Nodes") || bad(&in, "has no $Nodes")) &&
       (in.old ? read_nodes_old(&in, mesh) : read_nodes(&in, mesh));
  ok = ok && (find_section(&in, in.at, "$Elements") || bad(&in, "has no $Elements")) &&
       (in.old ? read_elements_old(&in, mesh) : read_elements(&in, mesh));
  ok = ok && renumber(&in, mesh);
  memory_free(in.tag);
  if (!ok) gmsh_free(mesh);
  return ok;
}
