// Assets: copies of a model's meshes, height fields, textures, materials and skins, made when a
// context is created or a program uploads one of them again.
//
// Meshes and hulls keep their faces and normals; a height field becomes a closed surface (top,
// four walls, bottom). Copies and not references: the documented renderer keeps drawing the
// geometry of its last upload while the model changes, and threads draw without looking at the
// model.
#include "draw/assets.h"

#include "draw/lanes8.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

// ---- meshes

// Positions coordinate by coordinate, and their box, in one walk over memory: four vertices are
// three vectors, whose lane i of vector k holds coordinate (i + 4 k) mod 3.
static void mesh_positions(snSurface* s, const float* vert) {
  sn4f low[3], high[3];
  int count = s->nvert, i = 0;
  for (int k = 0; k < 3 && count; k++) {
    for (int lane = 0; lane < 4; lane++) low[k][lane] = high[k][lane] = vert[(lane + 4 * k) % 3];
  }
  for (; i + 4 <= count; i += 4) {
    for (int k = 0; k < 3; k++) {
      sn4f v = sn4f_load(vert + 3 * i + 4 * k);
      low[k] = sn4f_min(v, low[k]), high[k] = sn4f_max(v, high[k]);
    }
    for (int k = i; k < i + 4; k++) {
      s->x[k] = vert[3 * k], s->y[k] = vert[3 * k + 1], s->z[k] = vert[3 * k + 2];
    }
  }
  for (int n = 0; n < 12 && count; n++) {
    int c = n % 3, k = n / 4, lane = n % 4;
    if (n < 3 || low[k][lane] < s->low[c]) s->low[c] = low[k][lane];
    if (n < 3 || high[k][lane] > s->high[c]) s->high[c] = high[k][lane];
  }
  for (; i < count; i++) {
    const float* v = vert + 3 * i;
    s->x[i] = v[0], s->y[i] = v[1], s->z[i] = v[2];
    for (int c = 0; c < 3; c++) {
      if (v[c] < s->low[c]) s->low[c] = v[c];
      if (v[c] > s->high[c]) s->high[c] = v[c];
    }
  }
}

// Words of four bytes of a mesh and of its hull.
static size_t mesh_words(const mjModel* m, int id) {
  int ntexcoord = m->mesh_texcoordadr[id] >= 0 ? m->mesh_texcoordnum[id] : 0;
  return surface_words(m->mesh_vertnum[id], m->mesh_facenum[id], m->mesh_normalnum[id], ntexcoord);
}

static size_t hull_words(const mjModel* m, int id) {
  int adr = m->mesh_graphadr[id];
  return adr < 0 ? 0 : surface_words(0, m->mesh_graph[adr + 1], 0, 0);
}

// Memory for assets is touched once, page by page, which takes longer than to copy them: large
// pages, where the system has them.
static void pages_large(void* block, size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const uintptr_t page = (uintptr_t)2 << 20;
  uintptr_t from = ((uintptr_t)block + page - 1) / page * page;
  uintptr_t end = ((uintptr_t)block + bytes) / page * page;
  if (end > from) madvise((void*)from, end - from, MADV_HUGEPAGE);
#endif
}

static void mesh_take(snSurface* s, float* block, const mjModel* m, int id) {
  int nvert = m->mesh_vertnum[id], nface = m->mesh_facenum[id], nnormal = m->mesh_normalnum[id];
  int ntexcoord = m->mesh_texcoordadr[id] >= 0 ? m->mesh_texcoordnum[id] : 0;
  surface_place(s, block, nvert, nface, nnormal, ntexcoord);
  s->crease = ntexcoord == 0;  // as the released pictures have it
  size_t faces = 3 * (size_t)nface * sizeof(int), first = 3 * (size_t)m->mesh_faceadr[id];
  mesh_positions(s, m->mesh_vert + 3 * m->mesh_vertadr[id]);
  memcpy((float*)s->normal, m->mesh_normal + 3 * m->mesh_normaladr[id],
         3 * (size_t)nnormal * sizeof(float));
  memcpy(s->face, m->mesh_face + first, faces);
  memcpy((int*)s->facenormal, m->mesh_facenormal + first, faces);
  if (ntexcoord) {
    memcpy((float*)s->texcoord, m->mesh_texcoord + 2 * m->mesh_texcoordadr[id],
           2 * (size_t)ntexcoord * sizeof(float));
    memcpy((int*)s->facetexcoord, m->mesh_facetexcoord + first, faces);
  }
}

// The hull graph: counts of vertices and faces, two ints per vertex, edges, then the faces as
// global vertex ids.
static void hull_take(snSurface* s, float* block, const snSurface* mesh, const mjModel* m, int id) {
  memset(s, 0, sizeof *s);
  if (m->mesh_graphadr[id] < 0) return;
  const int* graph = m->mesh_graph + m->mesh_graphadr[id];
  int hullvert = graph[0], nface = graph[1];
  const int* face = graph + 2 + 3 * hullvert + 3 * nface;
  surface_place(s, block, 0, nface, 0, 0);
  s->nvert = mesh->nvert;
  s->x = mesh->x, s->y = mesh->y, s->z = mesh->z;
  memcpy(s->low, mesh->low, sizeof s->low);
  memcpy(s->high, mesh->high, sizeof s->high);
  memcpy(s->face, face, 3 * (size_t)nface * sizeof(int));
}

// All meshes and their hulls, in one block.
static bool meshes_take(snAssets* a, const mjModel* m) {
  size_t words = 0;
  for (int i = 0; i < m->nmesh; i++) words += mesh_words(m, i) + hull_words(m, i);
  a->mesh_bytes = words * 4;
  float* block = a->meshes = memory_alloc(a->mesh_bytes + 4);
  if (!block) return false;
  pages_large(block, a->mesh_bytes);
  a->nmesh = m->nmesh;
  for (int i = 0; i < m->nmesh; i++) {
    mesh_take(&a->mesh[2 * i], block, m, i);
    block += mesh_words(m, i);
    hull_take(&a->mesh[2 * i + 1], block, &a->mesh[2 * i], m, i);
    block += hull_words(m, i);
  }
  SN_ASSERT(block == a->meshes + words);
  return true;
}

// ---- height fields: the top, four sides down to the base, and the bottom

typedef struct snTerrain_ {
  snSurface* s;
  int nvert, nface;
} snTerrain;

static int terrain_vertex(snTerrain* t, double x, double y, double z) {
  int i = t->nvert++;
  SN_ASSERT(i < t->s->nvert);
  t->s->x[i] = (float)x, t->s->y[i] = (float)y, t->s->z[i] = (float)z;
  return i;
}

static void terrain_face(snTerrain* t, int a, int b, int c) {
  SN_ASSERT(t->nface < t->s->nface && a < t->nvert && b < t->nvert && c < t->nvert);
  int* face = t->s->face + 3 * t->nface++;
  face[0] = a, face[1] = b, face[2] = c;
}

// A wall below the points a and b of the rim, to the points c and d of the base under them.
static void terrain_wall(snTerrain* t, int a, int b, int c, int d) {
  terrain_face(t, a, c, b);
  terrain_face(t, b, c, d);
}

static bool hfield_take(snSurface* s, const mjModel* m, int id) {
  int nrow = m->hfield_nrow[id], ncol = m->hfield_ncol[id];
  const float* data = m->hfield_data + m->hfield_adr[id];
  const double* size = m->hfield_size + 4 * id;
  int around = 2 * (nrow - 1) + 2 * (ncol - 1);
  int top = 2 * (nrow - 1) * (ncol - 1), nface = top + 2 * around + 2;
  if (!surface_make(s, nrow * ncol + around, nface, 0, 0)) return false;
  snTerrain t = {s, 0, 0};
  for (int r = 0; r < nrow; r++) {
    for (int c = 0; c < ncol; c++) {
      terrain_vertex(&t, (2.0 * c / (ncol - 1) - 1) * size[0], (2.0 * r / (nrow - 1) - 1) * size[1],
                     data[r * ncol + c] * size[2]);
    }
  }
  for (int r = 0; r + 1 < nrow; r++) {
    for (int c = 0; c + 1 < ncol; c++) {
      int i = r * ncol + c;
      terrain_face(&t, i, i + 1, i + ncol + 1);
      terrain_face(&t, i, i + ncol + 1, i + ncol);
    }
  }
  // the rim counterclockwise from the first point, and the base below it
  int first = t.nvert, rim = 0, before = 0;
  for (int k = 0; k < around; k++) {
    int r, c, side = k;
    if (side < ncol - 1) {
      r = 0, c = side;
    } else if ((side -= ncol - 1) < nrow - 1) {
      r = side, c = ncol - 1;
    } else if ((side -= nrow - 1) < ncol - 1) {
      r = nrow - 1, c = ncol - 1 - side;
    } else {
      side -= ncol - 1;
      r = nrow - 1 - side, c = 0;
    }
    rim = r * ncol + c;
    terrain_vertex(&t, s->x[rim], s->y[rim], -size[3]);
    if (k) terrain_wall(&t, before, rim, first + k - 1, first + k);
    before = rim;
  }
  terrain_wall(&t, before, 0, first + around - 1, first);
  int corner[4] = {first, first + ncol - 1, first + ncol + nrow - 2, first + 2 * ncol + nrow - 3};
  terrain_face(&t, corner[0], corner[2], corner[1]);
  terrain_face(&t, corner[0], corner[3], corner[2]);
  SN_ASSERT(t.nface == nface && t.nvert == s->nvert);
  s->nface = t.nface;
  surface_bounds(s);
  return true;
}

// ---- textures

bool texture_check(const mjModel* m, int id, const char* caller) {
  int width = m->tex_width[id], height = m->tex_height[id], channels = m->tex_nchannel[id];
  const char* named = mj_id2name(m, mjOBJ_TEXTURE, id);
  const char* name = named ? named : "";
  if (width > 0 && height > 0 && channels > 0 && channels <= 4 && m->tex_data) return true;
  mju_error("%s: texture %d%s%s%s has no data: %d x %d pixels of %d channels", caller, id,
            *name ? " '" : "", name, *name ? "'" : "", width, height, channels);
  return false;
}

static bool texture_take(snTexture* t, const mjModel* m, int id) {
  size_t bytes = (size_t)m->tex_height[id] * (size_t)m->tex_width[id] * (size_t)m->tex_nchannel[id];
  memset(t, 0, sizeof *t);
  t->type = m->tex_type[id];
  t->width = m->tex_width[id];
  t->height = m->tex_height[id];
  t->channels = m->tex_nchannel[id];
  if (!bytes || !m->tex_data) return true;
  t->data = memory_alloc(bytes);
  if (!t->data) return false;
  pages_large(t->data, bytes);
  memcpy(t->data, m->tex_data + m->tex_adr[id], bytes);
  // as in the released pictures: the sky of a model without any material is white
  if (!m->nmat && t->type == mjTEXTURE_SKYBOX) memset(t->data, 255, bytes);
  size_t step = (size_t)t->channels;
  for (size_t i = step - 1; step % 2 == 0 && i < bytes && !t->veil; i += step)
    t->veil = t->data[i] < 255;
  return true;
}

static void texture_free(snTexture* t) {
  memory_free(t->data);
  memory_free(t->texel[0]);
  memset(t, 0, sizeof *t);
}

// ---- all of them

static void* assets_copy(const void* data, size_t count, size_t size, bool* ok) {
  void* copy = *ok ? memory_alloc((count + 1) * size) : NULL;
  if (!copy) {
    *ok = false;
  } else if (count) {
    memcpy(copy, data, count * size);
  }
  return copy;
}

static void* assets_room(size_t count, size_t size, bool* ok) {
  void* room = *ok ? memory_alloc_zero((count + 1) * size) : NULL;
  if (!room) *ok = false;
  return room;
}

static size_t surface_bytes(const snSurface* s) {
  return s->block ? 12 * (size_t)s->nvert + 60 * (size_t)s->nface : 0;
}

static void assets_count(snAssets* a) {
  a->bytes = sizeof *a + a->mesh_bytes;
  for (int i = 0; i < snNSHAPE; i++) a->bytes += surface_bytes(&a->shape[i]);
  for (int i = 0; i < 2 * a->nmesh; i++) a->bytes += surface_bytes(&a->mesh[i]);
  for (int i = 0; i < a->nhfield; i++) a->bytes += surface_bytes(&a->hfield[i]);
  for (int i = 0; i < a->ntexture; i++) {
    const snTexture* t = &a->texture[i];
    a->bytes += (size_t)t->width * (size_t)t->height * (size_t)(t->channels + 6);
  }
}

static void assets_take(snAssets* a, const mjModel* m, bool* ok) {
  a->extent = (float)m->stat.extent;
  a->vis = m->vis;
  a->nmaterial = m->nmat;
  a->mesh = assets_room(2 * (size_t)m->nmesh, sizeof(snSurface), ok);
  a->hfield = assets_room((size_t)m->nhfield, sizeof(snSurface), ok);
  a->texture = assets_room((size_t)m->ntex, sizeof(snTexture), ok);
  a->mat_texid = assets_copy(m->mat_texid, mjNTEXROLE * (size_t)m->nmat, sizeof(int), ok);
  a->mat_texuniform = assets_copy(m->mat_texuniform, (size_t)m->nmat, sizeof(mjtByte), ok);
  a->mat_texrepeat = assets_copy(m->mat_texrepeat, 2 * (size_t)m->nmat, sizeof(float), ok);
  a->nskin = m->nskin;
  a->skin_face = assets_copy(m->skin_face, 3 * (size_t)m->nskinface, sizeof(int), ok);
  a->skin_faceadr = assets_copy(m->skin_faceadr, (size_t)m->nskin, sizeof(int), ok);
  a->skin_facenum = assets_copy(m->skin_facenum, (size_t)m->nskin, sizeof(int), ok);
  a->skin_texcoord = assets_copy(m->skin_texcoord, 2 * (size_t)m->nskintexvert, sizeof(float), ok);
  a->skin_texcoordadr = assets_copy(m->skin_texcoordadr, (size_t)m->nskin, sizeof(int), ok);
  *ok = *ok && meshes_take(a, m);
  for (int i = 0; *ok && i < m->nhfield; i++) {
    a->nhfield = i + 1;
    *ok = hfield_take(&a->hfield[i], m, i);
  }
  for (int i = 0; *ok && i < m->ntex; i++) {
    a->ntexture = i + 1;
    *ok = texture_take(&a->texture[i], m, i);
    if (m->tex_type[i] == mjTEXTURE_SKYBOX && a->skybox < 0) a->skybox = i;
  }
}

snAssets* assets_make(const mjModel* m) {
  snAssets* a = memory_alloc_zero(sizeof(snAssets));
  if (!a) return NULL;
  bool ok = true;
  a->references = 1;
  pthread_mutex_init(&a->mutex, NULL);
  a->skybox = -1;
  if (m) {
    assets_take(a, m, &ok);
  } else {
    a->vis.quality.numslices = 28;
    a->vis.quality.numstacks = 16;
    a->vis.quality.numquads = 4;
    a->extent = 1;
  }
  ok = ok && shapes_make(a->shape, a->vis.quality.numslices, a->vis.quality.numstacks,
                         a->vis.quality.numquads);
  if (!ok) {
    assets_release(a);
    return NULL;
  }
  assets_count(a);
  return a;
}

snAssets* assets_share(snAssets* a) {
  __atomic_add_fetch(&a->references, 1, __ATOMIC_RELAXED);
  return a;
}

void assets_release(snAssets* a) {
  if (!a || __atomic_sub_fetch(&a->references, 1, __ATOMIC_ACQ_REL)) return;
  for (int i = 0; i < snNSHAPE; i++) surface_free(&a->shape[i]);
  for (int i = 0; i < 2 * a->nmesh; i++) surface_free(&a->mesh[i]);
  for (int i = 0; i < a->nhfield; i++) surface_free(&a->hfield[i]);
  for (int i = 0; i < a->ntexture; i++) texture_free(&a->texture[i]);
  void* blocks[] = {a->meshes,       a->mesh,           a->hfield,        a->texture,
                    a->mat_texid,    a->mat_texuniform, a->mat_texrepeat, a->skin_face,
                    a->skin_faceadr, a->skin_facenum,   a->skin_texcoord, a->skin_texcoordadr};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) memory_free(blocks[i]);
  pthread_mutex_destroy(&a->mutex);
  memory_free(a);
}

bool assets_upload(snAssets* a, const mjModel* m, int objtype, int id, const char* caller) {
  int count = objtype == mjOBJ_MESH ? a->nmesh : objtype == mjOBJ_HFIELD ? a->nhfield : a->ntexture;
  int model_count = objtype == mjOBJ_MESH     ? m->nmesh
                    : objtype == mjOBJ_HFIELD ? m->nhfield
                                              : m->ntex;
  if (id < 0 || id >= count || id >= model_count) {
    mju_error("%s: id %d is outside [0, %d)", caller, id,
              count < model_count ? count : model_count);
    return false;
  }
  if (objtype == mjOBJ_TEXTURE && !texture_check(m, id, caller)) return false;
  bool ok;
  snSurface surface = {0}, hull = {0};
  if (objtype == mjOBJ_TEXTURE) {
    snTexture texture;
    ok = texture_take(&texture, m, id);
    if (ok) {
      texture_free(&a->texture[id]);
      a->texture[id] = texture;
    }
  } else if (objtype == mjOBJ_HFIELD) {
    ok = hfield_take(&surface, m, id);
    if (ok) {
      surface_free(&a->hfield[id]);
      a->hfield[id] = surface;
    }
  } else {
    float* block = memory_alloc((mesh_words(m, id) + hull_words(m, id)) * 4);
    ok = block != NULL;
    if (ok) {
      mesh_take(&surface, block, m, id);
      hull_take(&hull, block + mesh_words(m, id), &surface, m, id);
      surface.block = block;
      surface_free(&a->mesh[2 * id]);
      surface_free(&a->mesh[2 * id + 1]);
      a->mesh[2 * id] = surface;
      a->mesh[2 * id + 1] = hull;
    }
  }
  if (!ok) mju_error("%s: no memory", caller);
  if (ok && objtype != mjOBJ_TEXTURE) a->version++;
  return ok;
}
