// Skins: vertices attached to bodies with weights that sum to one at each vertex.
#include <math.h>
#include <string.h>

#include "compile/asset.h"

void skin_free(snSkin* skin) {
  memory_free(skin->vert);
  memory_free(skin->texcoord);
  memory_free(skin->face);
  for (int i = 0; skin->bodyname && i < skin->nbone; i++) memory_free(skin->bodyname[i]);
  memory_free(skin->bodyname);
  memory_free(skin->bonevertadr);
  memory_free(skin->bonevertnum);
  memory_free(skin->bindpos);
  memory_free(skin->bindquat);
  memory_free(skin->bonevertid);
  memory_free(skin->bonevertweight);
  memset(skin, 0, sizeof *skin);
}

bool skin_allocate(snSkin* skin, int nvert, int ntexcoord, int nface, int nbone, int nbonevert) {
  memset(skin, 0, sizeof *skin);
  skin->nvert = nvert;
  skin->ntexcoord = ntexcoord;
  skin->nface = nface;
  skin->nbone = nbone;
  skin->nbonevert = nbonevert;
  skin->vert = memory_alloc(12 * (size_t)nvert);
  skin->texcoord = memory_alloc(8 * (size_t)ntexcoord);
  skin->face = memory_alloc(12 * (size_t)nface);
  skin->bodyname = memory_alloc_zero((size_t)nbone * sizeof(char*));
  skin->bonevertadr = memory_alloc(4 * (size_t)nbone);
  skin->bonevertnum = memory_alloc(4 * (size_t)nbone);
  skin->bindpos = memory_alloc(12 * (size_t)nbone);
  skin->bindquat = memory_alloc(16 * (size_t)nbone);
  skin->bonevertid = memory_alloc(4 * (size_t)nbonevert);
  skin->bonevertweight = memory_alloc(4 * (size_t)nbonevert);
  if (skin->vert && skin->texcoord && skin->face && skin->bodyname && skin->bonevertadr &&
      skin->bonevertnum && skin->bindpos && skin->bindquat && skin->bonevertid &&
      skin->bonevertweight) {
    return true;
  }
  skin_free(skin);
  return false;
}

static bool read_inline(snSkin* skin, const snSkinSource* s, snFault* fault) {
  if (!s->nvert || !s->nface || !s->nbone) return fault_raise(fault, "Missing data in skin");
  if (s->nvert % 3) return fault_raise(fault, "Vertex data must be multiple of 3");
  if (s->ntexcoord && s->ntexcoord / 2 != s->nvert / 3) {
    return fault_raise(fault, "Vertex and texcoord data incompatible size");
  }
  if (s->nface % 3) return fault_raise(fault, "Face data must be multiple of 3");
  if (s->nbindpos != 3 * s->nbone) {
    return fault_raise(fault, "Unexpected bindpos size in skin: %d numbers, expected %d",
                       s->nbindpos, 3 * s->nbone);
  }
  if (s->nbindquat != 4 * s->nbone) {
    return fault_raise(fault, "Unexpected bindquat size in skin: %d numbers, expected %d",
                       s->nbindquat, 4 * s->nbone);
  }
  int64_t total = 0;
  for (int i = 0; i < s->nbone; i++) {
    if (!s->nvertid[i] || s->nvertid[i] != s->nvertweight[i]) {
      return fault_raise(fault, "vertid and vertweight must have same non-zero size in skin");
    }
    total += s->nvertid[i];
  }
  if (total > INT32_MAX ||
      !skin_allocate(skin, s->nvert / 3, s->ntexcoord / 2, s->nface / 3, s->nbone, (int)total)) {
    return fault_raise(fault, "no memory for skin '%s'", s->name);
  }
  memcpy(skin->vert, s->vert, 4 * (size_t)s->nvert);
  if (s->ntexcoord) memcpy(skin->texcoord, s->texcoord, 4 * (size_t)s->ntexcoord);
  memcpy(skin->face, s->face, 4 * (size_t)s->nface);
  memcpy(skin->bindpos, s->bindpos, 4 * (size_t)s->nbindpos);
  memcpy(skin->bindquat, s->bindquat, 4 * (size_t)s->nbindquat);
  for (int i = 0, at = 0; i < s->nbone; i++) {
    size_t n = (size_t)s->nvertid[i], length = strlen(s->bodyname[i]) + 1;
    skin->bodyname[i] = memory_alloc(length);
    if (!skin->bodyname[i]) return fault_raise(fault, "no memory for skin '%s'", s->name);
    memcpy(skin->bodyname[i], s->bodyname[i], length);
    skin->bonevertadr[i] = at;
    skin->bonevertnum[i] = (int)n;
    memcpy(skin->bonevertid + at, s->vertid[i], 4 * n);
    memcpy(skin->bonevertweight + at, s->vertweight[i], 4 * n);
    at += (int)n;
  }
  return true;
}

static bool check(const snSkin* skin, const char* name, snFault* fault) {
  if (!skin->nvert || !skin->nface || !skin->nbone) {
    return fault_raise(fault, "Missing data in skin");
  }
  if (skin->ntexcoord && skin->ntexcoord != skin->nvert) {
    return fault_raise(fault, "Vertex and texcoord data incompatible size");
  }
  for (int i = 0; i < 3 * skin->nvert; i++) {
    if (!isfinite(skin->vert[i])) {
      return fault_raise(fault, "vertex coordinate %d of skin '%s' is not finite", i, name);
    }
  }
  for (int i = 0; i < 3 * skin->nface; i++) {
    if (skin->face[i] < 0 || skin->face[i] >= skin->nvert) {
      return fault_raise(fault, "in face %d of skin '%s', a vertex index does not exist", i / 3,
                         name);
    }
  }
  for (int i = 0; i < skin->nbonevert; i++) {
    if (skin->bonevertid[i] < 0 || skin->bonevertid[i] >= skin->nvert) {
      return fault_raise(fault, "a vertid of skin '%s' is out of range", name);
    }
  }
  return true;
}

// Normalizes bind quaternions (a null one is kept) and the weights at every vertex.
static bool normalize(snSkin* skin, const char* name, snFault* fault) {
  for (int i = 0; i < skin->nbone; i++) {
    double norm = 0;
    float* q = skin->bindquat + 4 * i;
    for (int k = 0; k < 4; k++) norm += (double)q[k] * q[k];
    norm = sqrt(norm);
    for (int k = 0; k < 4 && norm >= mjMINVAL; k++) q[k] = (float)(q[k] / norm);
  }
  float* total = memory_alloc_zero(4 * (size_t)skin->nvert);
  if (!total) return fault_raise(fault, "no memory for skin '%s'", name);
  for (int i = 0; i < skin->nbonevert; i++) total[skin->bonevertid[i]] += skin->bonevertweight[i];
  bool ok = true;
  for (int v = 0; v < skin->nvert && ok; v++) {
    if (!(total[v] > mjMINVAL)) {
      ok = fault_raise(fault, "vertex %d must have positive total weight in skin", v);
    }
  }
  for (int i = 0; i < skin->nbonevert && ok; i++) {
    skin->bonevertweight[i] /= total[skin->bonevertid[i]];
  }
  memory_free(total);
  return ok;
}

bool skin_build(snSkin* skin, const snSkinSource* source, snFault* fault) {
  memset(skin, 0, sizeof *skin);
  bool filed = source->file.bytes != NULL;
  if (filed && (source->nvert || source->nface || source->nbone || source->ntexcoord)) {
    return fault_raise(fault, "Both skin data and file were specified: %s", source->file.name);
  }
  bool ok =
      (filed ? skin_file_read(skin, &source->file, fault) : read_inline(skin, source, fault)) &&
      check(skin, source->name, fault) && normalize(skin, source->name, fault);
  if (!ok) skin_free(skin);
  return ok;
}
