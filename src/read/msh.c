// The legacy binary mesh format: four counts, then positions, normals, texture coordinates, faces.
#include <string.h>

#include "model/formats.h"

bool msh_read(snMeshData* data, const snFile* file, snFault* fault) {
  memset(data, 0, sizeof *data);
  const unsigned char* bytes = file->bytes;
  int32_t count[4];
  if (!file->size) return fault_raise(fault, "MSH file '%s' is empty", file->name);
  if (file->size < sizeof count) {
    return fault_raise(fault, "missing header in MSH file '%s'", file->name);
  }
  memcpy(count, bytes, sizeof count);
  int nvert = count[0], nnormal = count[1], ntexcoord = count[2], nface = count[3];
  if (nvert < 4 || nface < 0 || nnormal < 0 || ntexcoord < 0 || (nnormal && nnormal != nvert) ||
      (ntexcoord && ntexcoord != nvert)) {
    // The counts are not shown: any file can be named as a mesh, and they would reveal its bytes.
    return fault_raise(fault,
                       "invalid sizes in MSH file '%s': expected at least 4 vertices, and normals "
                       "and texture coordinates for none or all of them",
                       file->name);
  }
  size_t size = sizeof count + 12 * ((size_t)nvert + nnormal + nface) + 8 * (size_t)ntexcoord;
  if (file->size != size) {
    return fault_raise(fault,
                       "unexpected file size in MSH file '%s': the header asks for %s than its "
                       "%zu bytes",
                       file->name, file->size < size ? "more" : "less", file->size);
  }

  data->vert = memory_alloc(12 * (size_t)nvert);
  data->normal = nnormal ? memory_alloc(12 * (size_t)nnormal) : NULL;
  data->texcoord = ntexcoord ? memory_alloc(8 * (size_t)ntexcoord) : NULL;
  data->face = nface ? memory_alloc(12 * (size_t)nface) : NULL;
  if (!data->vert || (nnormal && !data->normal) || (ntexcoord && !data->texcoord) ||
      (nface && !data->face)) {
    meshdata_free(data);
    return fault_raise(fault, "no memory for MSH file '%s'", file->name);
  }
  const unsigned char* at = bytes + sizeof count;
  memcpy(data->vert, at, 12 * (size_t)nvert), at += 12 * (size_t)nvert;
  if (nnormal) memcpy(data->normal, at, 12 * (size_t)nnormal), at += 12 * (size_t)nnormal;
  if (ntexcoord) memcpy(data->texcoord, at, 8 * (size_t)ntexcoord), at += 8 * (size_t)ntexcoord;
  if (nface) memcpy(data->face, at, 12 * (size_t)nface);
  data->nvert = nvert;
  data->nnormal = nnormal;
  data->ntexcoord = ntexcoord;
  data->nface = nface;
  return true;
}
