// Model and motion as glTF (include/sinew/gltf.h).
//
// Every body that moves is a node with two animated channels, position and rotation; what does not
// move hangs on the root. Geoms are nodes below their body. Shapes of unit size and meshes are
// written once and scaled by their nodes, except capsules, whose caps stay round, and planes, whose
// texture depends on their size.
#include <stdio.h>

#include "base/inside_sinew.h"
#include "draw/assets.h"
#include "draw/gltf.h"

typedef struct snExport_ {
  snGlb glb;
  const mjModel* m;
  mjData* d;
  mjvScene scene;
  snAssets* assets;
  int frames;
  float* time;   // (frames), strictly growing
  float* pose;   // (nbody x frames x 7): position, quaternion as x y z w
  int* mesh;     // glTF mesh of each geom of the scene, -1: none
  int* texture;  // glTF texture of each texture of the model, -1: not yet
  char* error;
  int error_sz;
} snExport;

// ---- motion

static float* pose_at(const snExport* x, int body, int frame) {
  return x->pose + 7 * ((size_t)body * (size_t)x->frames + (size_t)frame);
}

// The quaternion is put on the side of the one before: viewers then turn the short way.
static bool pose_take(const snExport* x, int frame) {
  bool finite = true;
  for (int b = 0; b < x->m->nbody; b++) {
    float* p = pose_at(x, b, frame);
    const double *pos = x->d->xpos + 3 * b, *quat = x->d->xquat + 4 * b;
    double side = 0;
    for (int k = 0; k < 3; k++) p[k] = (float)pos[k];
    for (int k = 0; k < 4; k++) p[3 + k] = (float)quat[(k + 1) % 4];
    for (int k = 0; frame && k < 4; k++) side += p[3 + k] * (p - 7)[3 + k];
    for (int k = 0; side < 0 && k < 4; k++) p[3 + k] = -p[3 + k];
    for (int k = 0; k < 7; k++) finite = finite && isfinite(p[k]);
  }
  return finite;
}

static bool say(const snExport* x, const char* text, int row) {
  snprintf(x->error, (size_t)x->error_sz, "sn_saveGltf: state %d %s", row, text);
  return false;
}

// States at the asked rate; times grow strictly, as glTF asks, so a reset ends the motion.
static bool motion_make(snExport* x, const mjtNum* state, int nstate, int spec, double rate) {
  int rows = nstate > 0 ? nstate : 1, size = nstate > 0 ? mj_stateSize(x->m, spec) : 0;
  double due = 0;
  x->frames = rows;
  x->time = memory_alloc_zero(sizeof(float) * (size_t)rows);
  x->pose = memory_alloc_zero(7 * sizeof(float) * (size_t)rows * (size_t)x->m->nbody);
  x->glb.failed = !x->time || !x->pose;
  if (x->glb.failed) return true;
  int taken = 0;
  for (int r = 0; r < rows; r++) {
    if (nstate > 0) mj_setState(x->m, x->d, state + (size_t)r * (size_t)size, (unsigned)spec);
    float time = (float)x->d->time;
    if (!isfinite(time)) return say(x, "has a time that is not finite", r);
    if (taken && time <= x->time[taken - 1]) {
      if (time < x->time[taken - 1]) return say(x, "is earlier than the one before", r);
      continue;
    }
    if (taken && rate > 0 && x->d->time < due - 1e-9) continue;
    due = taken ? due + 1 / rate : x->d->time + 1 / rate;
    mj_kinematics(x->m, x->d);
    x->time[taken] = time;
    if (!pose_take(x, taken)) return say(x, "is not finite", r);
    taken++;
  }
  // poses of a body lie behind each other
  for (int b = 1; b < x->m->nbody; b++) {
    memmove(x->pose + 7 * (size_t)b * (size_t)taken, pose_at(x, b, 0),
            7 * sizeof(float) * (size_t)taken);
  }
  x->frames = taken;
  for (int f = taken - 1; f >= 0; f--) x->time[f] -= x->time[0];
  return true;
}

static bool moves(const snExport* x, int body) {
  const float* first = pose_at(x, body, 0);
  for (int f = 1; f < x->frames; f++) {
    if (memcmp(first, pose_at(x, body, f), 7 * sizeof(float)) != 0) return true;
  }
  return false;
}

// ---- surfaces

// A vertex of glTF has one index for position, normal and texture coordinate: corners of faces that
// agree in all three become one, found by a table of twice as many places as corners.
typedef struct snGlbCorners_ {
  int count, room;
  float *position, *normal, *texcoord;  // 3, 3, 2 each
  uint32_t* index;                      // of each corner
  int ncorner;
} snGlbCorners;

static void corners_free(snGlbCorners* c) {
  memory_free(c->position);
  memory_free(c->normal);
  memory_free(c->texcoord);
  memory_free(c->index);
}

static bool corners_make(snGlbCorners* c, int corners) {
  size_t n = (size_t)corners;
  c->position = memory_alloc(3 * sizeof(float) * n);
  c->normal = memory_alloc(3 * sizeof(float) * n);
  c->texcoord = memory_alloc(2 * sizeof(float) * n);
  c->index = memory_alloc(sizeof(uint32_t) * n);
  c->room = corners;
  return c->position && c->normal && c->texcoord && c->index;
}

// The normal of a corner: the surface's own, unless it leans too far from the face (lit.c), whose
// normal it then has, by a number of its own.
static const float* corner_normal(const snSurface* s, int corner, float flat[3], int* number) {
  const int* face = s->face + corner / 3 * 3;
  float e[2][3], square = 0, along = 0;
  for (int k = 0; k < 2; k++) {
    int a = face[0], b = face[k + 1];
    e[k][0] = s->x[b] - s->x[a], e[k][1] = s->y[b] - s->y[a], e[k][2] = s->z[b] - s->z[a];
  }
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    flat[k] = e[0][i] * e[1][j] - e[0][j] * e[1][i];
  }
  *number = s->facenormal[corner];
  const float* own = s->normal + 3 * *number;
  for (int k = 0; k < 3; k++) along += own[k] * flat[k], square += flat[k] * flat[k];
  if (!s->crease || (along >= 0 && along * along >= 0.64f * square)) return own;
  *number = -1 - corner / 3;
  return flat;
}

// Corners of a surface, scaled and moved along z. False when memory is short.
static bool corners_add(snGlbCorners* c, const snSurface* s, const float scale[3], float z) {
  size_t places = 64, first = (size_t)c->count;
  while (places < 6 * (size_t)s->nface) places *= 2;
  int(*seen)[4] = memory_alloc_zero(places * sizeof *seen);
  if (!seen) return false;
  for (int i = 0; i < 3 * s->nface; i++) {
    float flat[3];
    int v = s->face[i], n = 0;
    const float* own = s->normal ? corner_normal(s, i, flat, &n) : NULL;
    int t = s->texcoord ? s->facetexcoord[i] : 0;
    size_t at = ((size_t)v * 73856093u ^ (size_t)n * 19349663u ^ (size_t)t * 83492791u) % places;
    while (seen[at][3] && (seen[at][0] != v || seen[at][1] != n || seen[at][2] != t)) {
      at = (at + 1) % places;
    }
    if (!seen[at][3]) {
      float* p = c->position + 3 * c->count;
      float length = 0, *normal = c->normal + 3 * c->count;
      p[0] = s->x[v] * scale[0], p[1] = s->y[v] * scale[1], p[2] = s->z[v] * scale[2] + z;
      for (int k = 0; k < 3; k++) normal[k] = own ? own[k] / scale[k] : 0;
      for (int k = 0; k < 3; k++) length += normal[k] * normal[k];
      length = sqrtf(length);
      for (int k = 0; k < 3; k++) normal[k] = length > 0 ? normal[k] / length : k == 2;
      for (int k = 0; k < 2; k++) {
        c->texcoord[2 * c->count + k] = s->texcoord ? s->texcoord[2 * t + k] : 0;
      }
      seen[at][0] = v, seen[at][1] = n, seen[at][2] = t;
      seen[at][3] = (int)(1 + (size_t)c->count++ - first);
    }
    SN_ASSERT((size_t)c->count - first <= 3 * (size_t)s->nface);  // the table never fills up
    c->index[c->ncorner++] = (uint32_t)(first + (size_t)seen[at][3] - 1);
  }
  memory_free(seen);
  return true;
}

// The beginning of a mesh with these corners; its material follows.
static int mesh_begin(snExport* x, const snGlbCorners* c, bool normals, bool texcoords) {
  snGlb* g = &x->glb;
  int position = glb_floats(g, c->position, c->count, 3, true, true);
  int normal = normals ? glb_floats(g, c->normal, c->count, 3, true, false) : -1;
  int texcoord = texcoords ? glb_floats(g, c->texcoord, c->count, 2, true, false) : -1;
  int index = glb_indices(g, c->index, c->ncorner);
  int made =
      glb_add(g, snGLB_MESH, "{\"primitives\":[{\"indices\":%d,\"attributes\":{\"POSITION\":%d",
              index, position);
  if (normals) glb_more(g, snGLB_MESH, ",\"NORMAL\":%d", normal);
  if (texcoords) glb_more(g, snGLB_MESH, ",\"TEXCOORD_0\":%d", texcoord);
  glb_more(g, snGLB_MESH, "}");
  return made;
}

// ---- materials

// Colours of a model are those of a screen, colours of glTF are linear.
static double linear(double c) {
  return c <= 0.04045 ? (c > 0 ? c / 12.92 : 0) : sn_pow((c + 0.055) / 1.055, 2.4);
}

static int texture_of(const snExport* x, const mjvGeom* geom) {
  if (geom->matid < 0) return -1;
  int id = x->m->mat_texid[mjNTEXROLE * geom->matid + mjTEXROLE_RGB];
  if (id < 0) id = x->m->mat_texid[mjNTEXROLE * geom->matid + mjTEXROLE_RGBA];
  return id >= 0 && x->assets->texture[id].data ? id : -1;
}

static int texture_make(snExport* x, int id) {
  if (x->texture[id] >= 0) return x->texture[id];
  const snTexture* t = &x->assets->texture[id];
  size_t pixels = (size_t)t->width * (size_t)t->height;
  unsigned char* rgb = memory_alloc(3 * pixels);
  snFilm* film = rgb ? sn_makeFilm(t->width, t->height, 1) : NULL;
  for (size_t i = 0; film && i < 3 * pixels; i++) {
    size_t c = i % 3;
    rgb[i] = t->data[i / 3 * (size_t)t->channels + (t->channels >= 3 ? c : 0)];
  }
  size_t size = film && sn_addPicture(film, rgb) ? sn_filmBytes(film, NULL, 0) : 0;
  unsigned char* png = size ? memory_alloc(size) : NULL;
  if (png) {
    sn_filmBytes(film, png, size);
    int view = glb_view(&x->glb, png, size, 0);
    int image =
        glb_add(&x->glb, snGLB_IMAGE, "{\"bufferView\":%d,\"mimeType\":\"image/png\"}", view);
    x->texture[id] = glb_add(&x->glb, snGLB_TEXTURE, "{\"source\":%d}", image);
  } else {
    x->glb.failed = true;
  }
  memory_free(png);
  memory_free(rgb);
  sn_freeFilm(film);
  return x->texture[id];
}

// Mean colour of a texture that the surface has no coordinates for.
static void texture_mean(const snTexture* t, double rgb[3]) {
  size_t pixels = (size_t)t->width * (size_t)t->height;
  double sum[3] = {0, 0, 0};
  for (size_t i = 0; i < pixels; i++) {
    for (int c = 0; c < 3; c++)
      sum[c] += t->data[i * (size_t)t->channels + (t->channels >= 3 ? (size_t)c : 0)];
  }
  for (int c = 0; c < 3; c++) rgb[c] *= sum[c] / (255.0 * (double)pixels);
}

static int material_make(snExport* x, const mjvGeom* geom, bool texcoords) {
  snGlb* g = &x->glb;
  int texture = texture_of(x, geom), used = -1;
  double rgb[3] = {geom->rgba[0], geom->rgba[1], geom->rgba[2]};
  bool flat = texture >= 0 && texcoords && x->assets->texture[texture].type == mjTEXTURE_2D;
  if (flat) {
    used = texture_make(x, texture);
  } else if (texture >= 0) {
    texture_mean(&x->assets->texture[texture], rgb);
  }
  float metallic = geom->matid >= 0 ? x->m->mat_metallic[geom->matid] : -1;
  float roughness = geom->matid >= 0 ? x->m->mat_roughness[geom->matid] : -1;
  int made =
      glb_add(g, snGLB_MATERIAL,
              "{\"pbrMetallicRoughness\":{\"baseColorFactor\":[%.5g,%.5g,%.5g,%.5g],"
              "\"metallicFactor\":%.5g,\"roughnessFactor\":%.5g",
              mju_min(linear(rgb[0]), 1), mju_min(linear(rgb[1]), 1), mju_min(linear(rgb[2]), 1),
              mju_clip(geom->rgba[3], 0, 1), metallic >= 0 ? mju_min(metallic, 1) : 0,
              roughness >= 0 ? mju_min(roughness, 1) : mju_clip(1 - geom->shininess, 0.2, 1));
  if (used >= 0) glb_more(g, snGLB_MATERIAL, ",\"baseColorTexture\":{\"index\":%d}", used);
  glb_more(g, snGLB_MATERIAL, "}");
  if (geom->emission > 0) {
    double e = mju_min(geom->emission, 1);
    glb_more(g, snGLB_MATERIAL, ",\"emissiveFactor\":[%.5g,%.5g,%.5g]",
             mju_min(e * linear(rgb[0]), 1), mju_min(e * linear(rgb[1]), 1),
             mju_min(e * linear(rgb[2]), 1));
  }
  if (geom->rgba[3] < 1) glb_more(g, snGLB_MATERIAL, ",\"alphaMode\":\"BLEND\"");
  glb_more(g, snGLB_MATERIAL, "}");
  return made;
}

// ---- geoms

// Surfaces of a shape: which, scaled by what, how far along z. Returns how many; the scale that the
// node has instead is in `node`.
typedef struct snGltfPiece_ {
  const snSurface* surface;
  float scale[3], z;
} snGltfPiece;

static int geom_pieces(const snExport* x, const mjvGeom* geom, snGltfPiece piece[3],
                       float node[3]) {
  const snSurface* shape = x->assets->shape;
  float r = geom->size[0], h = geom->size[2];
  for (int k = 0; k < 3; k++) node[k] = geom->size[k] > 0 ? geom->size[k] : 1;
  switch (geom->type) {
    case mjGEOM_SPHERE:
    case mjGEOM_ELLIPSOID:
      piece[0] = (snGltfPiece){&shape[snSHAPE_SPHERE], {1, 1, 1}, 0};
      return 1;
    case mjGEOM_BOX:
      piece[0] = (snGltfPiece){&shape[snSHAPE_BOX], {1, 1, 1}, 0};
      return 1;
    case mjGEOM_CYLINDER:
      piece[0] = (snGltfPiece){&shape[snSHAPE_TUBE], {1, 1, 1}, 0};
      piece[1] = (snGltfPiece){&shape[snSHAPE_DISK], {1, 1, 1}, 1};
      piece[2] = (snGltfPiece){&shape[snSHAPE_DISK_DOWN], {1, 1, 1}, -1};
      return 3;
    case mjGEOM_CAPSULE:
      node[0] = node[1] = node[2] = 1;
      piece[0] = (snGltfPiece){&shape[snSHAPE_TUBE], {r, r, h}, 0};
      piece[1] = (snGltfPiece){&shape[snSHAPE_DOME], {r, r, r}, h};
      piece[2] = (snGltfPiece){&shape[snSHAPE_BOWL], {r, r, r}, -h};
      return 3;
    case mjGEOM_MESH:
    case mjGEOM_SDF:
    case mjGEOM_HFIELD: {
      bool field = geom->type == mjGEOM_HFIELD;
      node[0] = node[1] = node[2] = 1;
      if (geom->dataid < 0) return 0;
      piece[0] = (snGltfPiece){
          field ? &x->assets->hfield[geom->dataid] : &x->assets->mesh[geom->dataid], {1, 1, 1}, 0};
      return piece[0].surface->nface > 0;
    }
    default:
      return 0;
  }
}

// A plane: two triangles, as large as it says or, without an end, five times the model's extent.
// Texture coordinates as drawn (collect.c): u = 1/2 + r x / (2 s), v downward.
static int plane_mesh(snExport* x, const mjvGeom* geom) {
  const mjModel* m = x->m;
  float position[12], normal[12], texcoord[8];
  uint32_t index[6] = {0, 1, 2, 0, 2, 3};
  snGlbCorners c = {.count = 4,
                    .position = position,
                    .normal = normal,
                    .texcoord = texcoord,
                    .index = index,
                    .ncorner = 6};
  bool textured = texture_of(x, geom) >= 0, uniform = textured && m->mat_texuniform[geom->matid];
  for (int i = 0; i < 4; i++) {
    float side[2] = {i == 1 || i == 2 ? 1.0f : -1.0f, i >= 2 ? 1.0f : -1.0f};
    for (int k = 0; k < 2; k++) {
      float half = geom->size[k] > 0 ? geom->size[k] : (float)(5 * m->stat.extent);
      float per = geom->size[k] > 0 && !uniform ? geom->size[k] : 1;
      float repeat = textured ? m->mat_texrepeat[2 * geom->matid + k] : 1;
      position[3 * i + k] = side[k] * half;
      texcoord[2 * i + k] = 0.5f + (k ? -0.5f : 0.5f) * repeat * position[3 * i + k] / per;
    }
    position[3 * i + 2] = 0;
    normal[3 * i] = normal[3 * i + 1] = 0, normal[3 * i + 2] = 1;
  }
  int mesh = mesh_begin(x, &c, true, textured);
  glb_more(&x->glb, snGLB_MESH, ",\"material\":%d}]}", material_make(x, geom, true));
  return mesh;
}

// Geoms that look the same share a mesh.
static bool same_look(const mjvGeom* a, const mjvGeom* b) {
  bool sized = a->type == mjGEOM_CAPSULE || a->type == mjGEOM_PLANE;
  return a->type == b->type && a->dataid == b->dataid && a->matid == b->matid &&
         a->emission == b->emission && a->shininess == b->shininess &&
         !memcmp(a->rgba, b->rgba, sizeof a->rgba) &&
         (!sized || !memcmp(a->size, b->size, sizeof a->size));
}

static int geom_mesh(snExport* x, int at, float node[3]) {
  const mjvGeom* geom = x->scene.geoms + at;
  snGltfPiece piece[3];
  int n = geom_pieces(x, geom, piece, node), corners = 0;
  if (geom->type == mjGEOM_PLANE) node[0] = node[1] = node[2] = 1;
  for (int i = 0; i < at; i++) {
    if (x->mesh[i] >= 0 && same_look(x->scene.geoms + i, geom)) return x->mesh[i];
  }
  if (geom->type == mjGEOM_PLANE) return plane_mesh(x, geom);
  if (!n) return -1;
  for (int i = 0; i < n; i++) corners += 3 * piece[i].surface->nface;
  snGlbCorners c = {0};
  bool good = corners_make(&c, corners), coordinates = geom->texcoord && piece[0].surface->texcoord;
  for (int i = 0; good && i < n; i++) {
    good = corners_add(&c, piece[i].surface, piece[i].scale, piece[i].z);
  }
  int mesh = -1;
  x->glb.failed = x->glb.failed || !good;
  if (good) {
    mesh = mesh_begin(x, &c, piece[0].surface->normal != NULL, coordinates);
    glb_more(&x->glb, snGLB_MESH, ",\"material\":%d}]}", material_make(x, geom, coordinates));
  }
  corners_free(&c);
  return mesh;
}

// ---- nodes

static void node_pose(snExport* x, const double pos[3], const double quat[4]) {
  glb_more(&x->glb, snGLB_NODE,
           ",\"translation\":[%.9g,%.9g,%.9g],\"rotation\":[%.9g,%.9g,%.9g,%.9g]", (float)pos[0],
           (float)pos[1], (float)pos[2], (float)quat[1], (float)quat[2], (float)quat[3],
           (float)quat[0]);
}

static void node_begin(snExport* x, int kind, int id, const char* otherwise) {
  const char* name = mj_id2name(x->m, kind, id);
  char text[40];
  snprintf(text, sizeof text, "%s %d", otherwise, id);
  glb_add(&x->glb, snGLB_NODE, "{\"name\":");
  glb_name(&x->glb, snGLB_NODE, name && *name ? name : text);
}

// The geoms, sites and cameras of a body, as a list of children.
static int body_children(snExport* x, int body, int* child) {
  const mjModel* m = x->m;
  int n = 0;
  for (int i = 0; i < x->scene.ngeom; i++) {
    const mjvGeom* geom = x->scene.geoms + i;
    bool site = geom->objtype == mjOBJ_SITE;
    if ((!site && geom->objtype != mjOBJ_GEOM) || geom->objid < 0 || geom->rgba[3] <= 0) continue;
    if ((site ? m->site_bodyid : m->geom_bodyid)[geom->objid] != body) continue;
    float scale[3];
    int mesh = x->mesh[i] = geom_mesh(x, i, scale);
    if (mesh < 0) continue;
    child[n++] = x->glb.part[snGLB_NODE].count;
    node_begin(x, geom->objtype, geom->objid, site ? "site" : "geom");
    node_pose(x, (site ? m->site_pos : m->geom_pos) + 3 * geom->objid,
              (site ? m->site_quat : m->geom_quat) + 4 * geom->objid);
    glb_more(&x->glb, snGLB_NODE, ",\"scale\":[%.9g,%.9g,%.9g],\"mesh\":%d}", scale[0], scale[1],
             scale[2], mesh);
  }
  for (int i = 0; i < m->ncam; i++) {
    if (m->cam_bodyid[i] != body || m->cam_mode[i] != mjCAMLIGHT_FIXED || m->cam_orthographic[i])
      continue;
    double fovy = m->cam_fovy[i] * mjPI / 180;
    if (!(fovy > 0 && fovy < mjPI)) continue;
    int camera = glb_add(
        &x->glb, snGLB_CAMERA,
        "{\"type\":\"perspective\",\"perspective\":{\"yfov\":%.9g,\"znear\":%.9g,\"zfar\":%.9g}}",
        fovy, m->vis.map.znear * m->stat.extent, m->vis.map.zfar * m->stat.extent);
    child[n++] = x->glb.part[snGLB_NODE].count;
    node_begin(x, mjOBJ_CAMERA, i, "camera");
    node_pose(x, m->cam_pos + 3 * i, m->cam_quat + 4 * i);
    glb_more(&x->glb, snGLB_NODE, ",\"camera\":%d}", camera);
  }
  return n;
}

static void body_channels(snExport* x, int body, int node, int time) {
  int frames = x->frames;
  float* packed = memory_alloc(4 * sizeof(float) * (size_t)frames);
  if (!packed) {
    x->glb.failed = true;
    return;
  }
  for (int part = 0; part < 2; part++) {
    int width = 3 + part;
    for (int f = 0; f < frames; f++) {
      memcpy(packed + width * f, pose_at(x, body, f) + 3 * part, sizeof(float) * (size_t)width);
    }
    int values = glb_floats(&x->glb, packed, frames, width, false, false);
    int sampler = glb_add(&x->glb, snGLB_SAMPLER, "{\"input\":%d,\"output\":%d}", time, values);
    glb_add(&x->glb, snGLB_CHANNEL, "{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}",
            sampler, node, part ? "rotation" : "translation");
  }
  memory_free(packed);
}

static void list_children(snExport* x, const int* child, int n) {
  if (!n) return;
  glb_more(&x->glb, snGLB_NODE, ",\"children\":[");
  for (int i = 0; i < n; i++) glb_more(&x->glb, snGLB_NODE, "%s%d", i ? "," : "", child[i]);
  glb_more(&x->glb, snGLB_NODE, "]");
}

// The root is node 0, and is written last: its text is put in front of the others.
static bool nodes_make(snExport* x) {
  const mjModel* m = x->m;
  int most = x->scene.ngeom + m->ncam + m->nbody, nroot = 0;
  int* child = memory_alloc(sizeof(int) * (size_t)(2 * most + 2));
  if (!child) return false;
  int *root = child + most + 1, time = -1;
  x->glb.part[snGLB_NODE].count = 1;
  for (int b = 0; b < m->nbody; b++) {
    int n = body_children(x, b, child);
    bool moving = moves(x, b);
    if (!n) continue;
    root[nroot++] = x->glb.part[snGLB_NODE].count;
    const float* p = pose_at(x, b, 0);
    node_begin(x, mjOBJ_BODY, b, "body");
    node_pose(x, (double[3]){p[0], p[1], p[2]}, (double[4]){p[6], p[3], p[4], p[5]});
    list_children(x, child, n);
    glb_more(&x->glb, snGLB_NODE, "}");
    if (moving && time < 0) time = glb_floats(&x->glb, x->time, x->frames, 1, false, true);
    if (moving) body_channels(x, b, root[nroot - 1], time);
  }
  snGlbPart others = x->glb.part[snGLB_NODE];
  x->glb.part[snGLB_NODE] = (snGlbPart){0};
  glb_add(&x->glb, snGLB_NODE,
          "{\"name\":\"world, z up\",\"rotation\":[-0.707106781,0,0,0.707106781]");
  list_children(x, root, nroot);
  glb_more(&x->glb, snGLB_NODE, "}");
  glb_rest(&x->glb, snGLB_NODE, &others);
  memory_free(child);
  return true;
}

// ---- the whole

static bool export_open(snExport* x) {
  const mjModel* m = x->m;
  mjvOption option;
  mjvCamera camera;
  x->d = mj_makeData(m);
  x->assets = assets_make(m);
  mjv_defaultScene(&x->scene);
  if (!x->d || !x->assets) return false;
  int most = m->ngeom + m->nsite + 16;
  mjv_makeScene(m, &x->scene, most);
  mjv_defaultOption(&option);
  mjv_defaultCamera(&camera);
  for (int i = 0; i < mjNVISFLAG; i++) option.flags[i] = i == mjVIS_TEXTURE || i == mjVIS_STATIC;
  for (int i = 0; i < mjNGROUP; i++)
    option.tendongroup[i] = option.skingroup[i] = option.flexgroup[i] = 0;
  mj_forward(m, x->d);
  mjv_updateScene(m, x->d, &option, NULL, &camera, mjCAT_STATIC | mjCAT_DYNAMIC, &x->scene);
  x->mesh = memory_alloc(sizeof(int) * (size_t)most);
  x->texture = memory_alloc(sizeof(int) * (size_t)(m->ntex + 1));
  if (!x->mesh || !x->texture) return false;
  for (int i = 0; i < most; i++) x->mesh[i] = -1;
  for (int i = 0; i < m->ntex; i++) x->texture[i] = -1;
  return true;
}

static void export_close(snExport* x) {
  glb_free(&x->glb);
  mjv_freeScene(&x->scene);
  if (x->assets) assets_release(x->assets);
  if (x->d) mj_deleteData(x->d);
  memory_free(x->time);
  memory_free(x->pose);
  memory_free(x->mesh);
  memory_free(x->texture);
}

int sn_saveGltf(const mjModel* m, const mjtNum* state, int nstate, int spec, const snGltf* options,
                const char* path, char* error, int error_sz) {
  char unread[200];
  snExport x = {.m = m, .error = error, .error_sz = error_sz};
  if (!error || error_sz < 1) x.error = unread, x.error_sz = sizeof unread;
  x.error[0] = 0;
  int needed = mjSTATE_TIME | mjSTATE_QPOS;
  const char* wrong = !m || !path                            ? "model and path are needed"
                      : nstate < 0 || (nstate > 0 && !state) ? "no states"
                      : nstate > 0 && (spec & needed) != needed
                          ? "states have to contain time and qpos"
                      : options && !(options->rate >= 0) ? "rate is negative"
                                                         : NULL;
  if (wrong) {
    snprintf(x.error, (size_t)x.error_sz, "sn_saveGltf: %s", wrong);
    return 0;
  }
  bool good = export_open(&x);
  if (!good || (good = motion_make(&x, state, nstate, spec, options ? options->rate : 0))) {
    good = good && nodes_make(&x) && !x.glb.failed;
    if (!good) snprintf(x.error, (size_t)x.error_sz, "%s: no memory", path);
  }
  good = good && glb_write(&x.glb, path, x.error, x.error_sz);
  export_close(&x);
  return good;
}
