// SKN files: four counts; positions, texture coordinates and faces; then per bone the name of its
// body, its bind pose, and the vertices that it moves with their weights.
#include <string.h>

#include "compile/asset.h"

enum { kNameBytes = 40, kBoneBytes = kNameBytes + 7 * 4 + 4 };

typedef struct snBytes_ {
  const unsigned char* at;
  size_t left;
} snBytes;

static bool take(snBytes* from, void* to, size_t n) {
  if (n > from->left) return false;
  if (n) memcpy(to, from->at, n);
  from->at += n;
  from->left -= n;
  return true;
}

// Counts the vertices of all bones before anything is allocated for them.
static bool count_bones(snBytes from, int nbone, int* total, const char* name, snFault* fault) {
  int64_t sum = 0;
  for (int i = 0; i < nbone; i++) {
    unsigned char head[kBoneBytes];
    int32_t n;
    if (!take(&from, head, sizeof head)) {
      return fault_raise(fault, "insufficient data in SKN file '%s', bone %d", name, i);
    }
    memcpy(&n, head + kBoneBytes - 4, 4);
    if (n < 1) {
      return fault_raise(fault, "vertex count must be positive in SKN file '%s', bone %d", name, i);
    }
    if ((size_t)n > from.left / 8) {
      return fault_raise(fault, "insufficient vertex data in SKN file '%s', bone %d", name, i);
    }
    from.at += 8 * (size_t)n;
    from.left -= 8 * (size_t)n;
    sum += n;
  }
  if (from.left) return fault_raise(fault, "unexpected buffer size in SKN file '%s'", name);
  if (sum > INT32_MAX) return fault_raise(fault, "SKN file '%s' is too large", name);
  *total = (int)sum;
  return true;
}

static bool read_bones(snSkin* skin, snBytes* from) {
  int at = 0;
  for (int i = 0; i < skin->nbone; i++) {
    char name[kNameBytes + 1] = {0};
    int32_t n = 0;
    take(from, name, kNameBytes);
    take(from, skin->bindpos + 3 * i, 12);
    take(from, skin->bindquat + 4 * i, 16);
    take(from, &n, 4);
    skin->bodyname[i] = memory_alloc(strlen(name) + 1);
    if (!skin->bodyname[i]) return false;
    memcpy(skin->bodyname[i], name, strlen(name) + 1);
    skin->bonevertadr[i] = at;
    skin->bonevertnum[i] = n;
    take(from, skin->bonevertid + at, 4 * (size_t)n);
    take(from, skin->bonevertweight + at, 4 * (size_t)n);
    at += n;
  }
  return true;
}

bool skin_file_read(snSkin* skin, const snFile* file, snFault* fault) {
  memset(skin, 0, sizeof *skin);
  if (!file_has_extension(file, ".skn")) {
    return fault_raise(fault, "Unknown skin file type: %s", file->name);
  }
  if (!file->size) return fault_raise(fault, "SKN file '%s' is empty", file->name);
  snBytes from = {file->bytes, file->size};
  int32_t count[4];
  if (!take(&from, count, sizeof count)) {
    return fault_raise(fault, "missing header in SKN file '%s'", file->name);
  }
  if (count[0] < 0 || count[1] < 0 || count[2] < 0 || count[3] < 0) {
    return fault_raise(fault, "negative size in header of SKN file '%s'", file->name);
  }
  size_t nvert = (size_t)count[0], ntexcoord = (size_t)count[1], nface = (size_t)count[2];
  if (12 * nvert + 8 * ntexcoord + 12 * nface > from.left) {
    return fault_raise(fault, "insufficient data in SKN file '%s'", file->name);
  }
  snBytes bones = from;
  bones.at += 12 * nvert + 8 * ntexcoord + 12 * nface;
  bones.left -= 12 * nvert + 8 * ntexcoord + 12 * nface;
  int nbonevert = 0;
  if (!count_bones(bones, count[3], &nbonevert, file->name, fault)) return false;

  if (!skin_allocate(skin, count[0], count[1], count[2], count[3], nbonevert)) {
    return fault_raise(fault, "no memory for SKN file '%s'", file->name);
  }
  take(&from, skin->vert, 12 * nvert);
  take(&from, skin->texcoord, 8 * ntexcoord);
  take(&from, skin->face, 12 * nface);
  if (!read_bones(skin, &from)) {
    skin_free(skin);
    return fault_raise(fault, "no memory for SKN file '%s'", file->name);
  }
  return true;
}
