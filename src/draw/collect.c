// From an mjvScene to the parts and lamps of a frame: each geom becomes one or several surfaces
// with a pose, sizes, a material and texture coordinates; each light becomes a lamp.
//
// Opaque parts come first in the order of the scene. Transparent ones follow, sorted by distance
// from the eye and drawn back to front, because blending is not commutative.
#include <stdlib.h>

#include "draw/frame.h"
#include "draw/loose.h"

// ---- lights

void collect_lamps(snFrame* frame, const snOrder* order) {
  const mjvScene* scene = order->scene;
  frame->nlamp = 0;
  for (int i = 0; i < scene->nlight && i < mjMAXLIGHT; i++) {
    const mjvLight* light = &scene->lights[i];
    snLamp* lamp = &frame->lamp[frame->nlamp++];
    memset(lamp, 0, sizeof *lamp);
    memcpy(lamp->pos, light->pos, sizeof lamp->pos);
    memcpy(lamp->dir, light->dir, sizeof lamp->dir);
    float length = sqrtf(light->dir[0] * light->dir[0] + light->dir[1] * light->dir[1] +
                         light->dir[2] * light->dir[2]);
    for (int k = 0; k < 3 && length > 0; k++) lamp->dir[k] /= length;
    memcpy(lamp->ambient, light->ambient, sizeof light->ambient);
    memcpy(lamp->diffuse, light->diffuse, sizeof light->diffuse);
    memcpy(lamp->specular, light->specular, sizeof light->specular);
    memcpy(lamp->attenuation, light->attenuation, sizeof lamp->attenuation);
    lamp->directional = light->headlight || light->type == mjLIGHT_DIRECTIONAL;
    lamp->exponent = light->exponent;
    lamp->shines = light->specular[0] != 0 || light->specular[1] != 0 || light->specular[2] != 0;
    lamp->cutoff = light->type == mjLIGHT_SPOT && light->cutoff <= 90
                       ? (float)sn_cos(light->cutoff * mjPI / 180)
                       : -1;
    lamp->degrees = light->cutoff;
    lamp->shadow = order->colour && scene->flags[mjRND_SHADOW] && !scene->flags[mjRND_SEGMENT] &&
                   light->castshadow && !light->headlight;
  }
}

// ---- parts

static snDrawPart* part_add(snFrame* frame) {
  if (frame->npart == frame->part_room) {
    size_t room = frame->part_room ? 2 * frame->part_room : 64;
    snDrawPart* part =
        memory_resize(frame->part, frame->part_room * sizeof *part, room * sizeof *part);
    if (!part) return NULL;
    frame->part = part;
    frame->part_room = room;
  }
  return &frame->part[frame->npart++];
}

// Texture coordinates of a part that has none of its own. With sizes s of the geom (1 when the
// texture repeats per unit of space) and the repetition r: u = 1/2 + r x / (2 s), and v downward,
// in the geom's frame before scaling; a cube is looked up in the direction of the point in units
// of the size (1 unit where it is uniform). What has vertices of its own, a plane, mesh or height
// field, gives them as they are, times the size where it is uniform: nothing along endless sides.
static void part_map(snDrawPart* part, const snOrder* order, const mjvGeom* geom,
                     const float scale[3], float z) {
  const snAssets* a = order->assets;
  if (!part->texture) return;
  bool uniform = a->mat_texuniform[geom->matid];
  const float* repeat = a->mat_texrepeat + 2 * geom->matid;
  bool has_coordinates = part->surface->texcoord && geom->texcoord;
  bool cube = part->texture->type != mjTEXTURE_2D;
  if (has_coordinates) {
    part->mapping = cube ? snMAP_NONE : snMAP_COORDINATES;
    if (cube) part->texture = NULL;
    return;
  }
  // from the surface's own coordinates to those of the texture
  float by[4];
  for (int k = 0; k < 3; k++) {
    float size = geom->size[k] > 0 ? geom->size[k] : 1;
    by[k] = scale[k] / (uniform ? 1 : size);
    by[3] = z / (uniform ? 1 : size);
  }
  if (cube) {
    part->mapping = snMAP_CUBE;
    bool own = geom->type == mjGEOM_PLANE || geom->type == mjGEOM_MESH ||
               geom->type == mjGEOM_SDF || geom->type == mjGEOM_HFIELD;
    memcpy(part->map, by, sizeof by);
    for (int k = 0; k < 3 && own; k++) part->map[k] = scale[k] * (uniform ? geom->size[k] : 1);
  } else {
    part->mapping = snMAP_PLANE;
    part->map[0] = 0.5f * repeat[0] * by[0];
    part->map[1] = 0.5f;
    part->map[2] = -0.5f * repeat[1] * by[1];
    part->map[3] = 0.5f;
  }
}

// Pose: the geom's frame, an offset along its z, sizes along its axes. Normals go with the inverse
// of the sizes.
static bool part_place(snFrame* frame, const snOrder* order, const snDrawPart* look,
                       const snSurface* surface, const mjvGeom* geom, float z, float sx, float sy,
                       float sz) {
  if (!surface->nface) return true;
  snDrawPart* part = part_add(frame);
  if (!part) return false;
  *part = *look;
  part->surface = surface;
  float size[3] = {sx, sy, sz}, inverse[3] = {sy * sz, sx * sz, sx * sy};
  for (int r = 0; r < 3; r++) {
    part->pos[r] = geom->pos[r] + geom->mat[3 * r + 2] * z;
    for (int c = 0; c < 3; c++) {
      part->mat[3 * r + c] = geom->mat[3 * r + c] * size[c];
      part->normal[3 * r + c] = geom->mat[3 * r + c] * inverse[c];
    }
  }
  part_map(part, order, geom, size, z);
  return true;
}

// A plane has cells of twice its third size, at most 198 along a side. A plane without an end goes
// a little beyond the far plane, by two repetitions of its texture, has 200 cells along a side and
// moves with the eye in steps of a cell; its texture stays. Seen from below it is transparent.
static bool plane_parts(snFrame* frame, const snOrder* order, const mjvGeom* geom, snDrawPart* look,
                        const float eye[3], bool solid) {
  float far = order->scene->camera[0].frustum_far, centre[3], half[2], from[3];
  float rest[2] = {0, 0};  // how far a texture of two dimensions moves on, in repetitions
  float moved[2] = {0, 0};
  float below = 0;
  for (int k = 0; k < 3; k++) from[k] = eye[k] - geom->pos[k];
  for (int k = 0; k < 3; k++) below += from[k] * geom->mat[3 * k + 2];
  memcpy(centre, geom->pos, sizeof centre);
  for (int k = 0; k < 2; k++) {
    half[k] = geom->size[k];
    look->cell[k] = 2 * geom->size[2];
    if (half[k] > 0) {
      if (!(look->cell[k] > half[k] / 99)) look->cell[k] = half[k] / 99;
      continue;
    }
    float step = 2.1f * far / 198, along = 0, repeat = 0;
    if (geom->matid >= 0 && geom->matid < order->assets->nmaterial) {  // with a texture or none
      repeat = order->assets->mat_texrepeat[2 * geom->matid + k];
      if (repeat > 0) step = 2 / repeat;
    }
    for (int r = 0; r < 3; r++) along += from[r] * geom->mat[3 * r + k];
    half[k] = 1.05f * far + step;
    look->cell[k] = half[k] / 100;
    along = look->cell[k] * (float)floor(along / look->cell[k] + 0.5f);
    if (repeat > 0) rest[k] = along / step - (float)floor(along / step + 0.5f);
    moved[k] = along;
    for (int r = 0; r < 3; r++) centre[r] += along * geom->mat[3 * r + k];
  }
  look->infinite = !(geom->size[0] > 0) && !(geom->size[1] > 0);
  if (below < 0) {
    look->two_sided = true;
    look->rgba[3] *= 0.3f;
    look->transparent = !solid;
  }
  memcpy(look->half, half, sizeof half);
  for (int k = 0; k < 2; k++) look->rim[k] = half[k] / look->cell[k];
  mjvGeom placed = *geom;
  memcpy(placed.pos, centre, sizeof centre);
  size_t first = frame->npart;
  if (!part_place(frame, order, look, &order->assets->shape[snSHAPE_PLANE], &placed, 0, half[0],
                  half[1], 1)) {
    return false;
  }
  if (frame->npart > first && frame->part[first].mapping == snMAP_PLANE) {
    frame->part[first].map[1] += rest[0];
    frame->part[first].map[3] -= rest[1];
  }
  for (int k = 0; k < 2 && frame->npart > first; k++) {
    frame->part[first].map[4 + k] = moved[k] * (frame->part[first].map[k] / half[k]);
  }
  return true;
}

// ---- deformables, arrows, lines

static const mjvGeom world_frame = {.mat = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .size = {1, 1, 1}};

static bool loose_place(snFrame* frame, const snOrder* order, const snDrawPart* look,
                        const snSurface* surface, const mjvGeom* geom) {
  if (!surface) return false;
  mjvGeom placed = world_frame;
  placed.matid = geom->matid;
  placed.texcoord = geom->texcoord;
  return part_place(frame, order, look, surface, &placed, 0, 1, 1, 1);
}

// A tube without ends between two points.
static bool rod_parts(snFrame* frame, const snOrder* order, const snDrawPart* look,
                      const float from[3], const float to[3], float radius) {
  mjvGeom rod = {0};
  double a[3], b[3];
  for (int k = 0; k < 3; k++) a[k] = from[k], b[k] = to[k];
  mjv_connector(&rod, mjGEOM_CAPSULE, radius, a, b);
  return part_place(frame, order, look, &order->assets->shape[snSHAPE_TUBE], &rod, 0, radius,
                    radius, rod.size[2]);
}

// Edges are tubes where no skin is shown, vertices balls.
static bool flex_parts(snFrame* frame, const snOrder* order, const mjvGeom* geom,
                       snDrawPart* look) {
  const mjvScene* scene = order->scene;
  int f = geom->objid;
  if (f < 0 || f >= scene->nflex) return true;
  bool solid = scene->flexfaceadr[f] >= 0, skin = solid && scene->flexskinopt;
  snDrawPart plain = *look;
  plain.texture = NULL;
  plain.mapping = snMAP_NONE;
  if (solid && (scene->flexskinopt || scene->flexfaceopt)) {
    if (!loose_place(frame, order, look, loose_flex(frame, scene, f, geom->texcoord), geom)) {
      return false;
    }
  }
  const float* vert = scene->flexvert + 3 * scene->flexvertadr[f];
  float radius = geom->size[0];
  if (scene->flexedgeopt && !skin) {
    for (int e = 0; e < scene->flexedgenum[f]; e++) {
      const int* v = scene->flexedge + 2 * (scene->flexedgeadr[f] + e);
      if (!rod_parts(frame, order, &plain, vert + 3 * v[0], vert + 3 * v[1], radius)) return false;
    }
  }
  for (int i = 0; scene->flexvertopt && !skin && i < scene->flexvertnum[f]; i++) {
    mjvGeom ball = world_frame;
    memcpy(ball.pos, vert + 3 * i, sizeof ball.pos);
    if (!part_place(frame, order, &plain, &order->assets->shape[snSHAPE_SPHERE], &ball, 0, radius,
                    radius, radius)) {
      return false;
    }
  }
  return true;
}

static bool skin_parts(snFrame* frame, const snOrder* order, const mjvGeom* geom,
                       snDrawPart* look) {
  int id = geom->objid;
  if (id < 0 || id >= order->scene->nskin || id >= order->assets->nskin) return true;
  bool texcoord = order->assets->skin_texcoordadr[id] >= 0 && geom->texcoord;
  return loose_place(frame, order, look, loose_skin(frame, order, id, texcoord), geom);
}

// Half of the third size is the length; a third of that is the head, wider by 7/4 unless it has no
// wedges; an arrow both ways is mirrored at its foot.
static bool arrow_parts(snFrame* frame, const snOrder* order, const mjvGeom* geom,
                        snDrawPart* look) {
  const snSurface* shape = order->assets->shape;
  float r = geom->size[0], q = geom->size[1], length = 0.5f * geom->size[2];
  float wide = geom->type == mjGEOM_ARROW1 ? 1 : 1.75f, head = length / 3, shaft = length - head;
  bool both = geom->type == mjGEOM_ARROW2;
  float middle = both ? 0 : 0.5f * shaft, half = both ? shaft : 0.5f * shaft;
  mjvGeom back = *geom;
  for (int k = 0; k < 9; k++) back.mat[k] = k % 3 ? -geom->mat[k] : geom->mat[k];
  return part_place(frame, order, look, &shape[snSHAPE_TUBE], geom, middle, r, q, half) &&
         part_place(frame, order, look, &shape[snSHAPE_CONE], geom, shaft, wide * r, wide * q,
                    head) &&
         part_place(frame, order, look, &shape[snSHAPE_DISK_DOWN], geom, shaft, wide * r, wide * q,
                    1) &&
         (both ? part_place(frame, order, look, &shape[snSHAPE_CONE], &back, shaft, wide * r,
                            wide * q, head) &&
                     part_place(frame, order, look, &shape[snSHAPE_DISK_DOWN], &back, shaft,
                                wide * r, wide * q, 1)
               : part_place(frame, order, look, &shape[snSHAPE_DISK_DOWN], geom, 0, r, q, 1));
}

// A line along z, or the twelve edges of a box, half as wide again as lines are. Without samples a
// line has whole pixels.
static bool line_parts(snFrame* frame, const snOrder* order, const mjvGeom* geom, snDrawPart* look,
                       const float eye[3], bool solid) {
  float local[12][6] = {{0, 0, 0, 0, 0, geom->size[2]}}, points[12][6];
  int count = 1;
  float width = geom->size[0];
  if (geom->type == mjGEOM_LINEBOX) {
    width = 1.5f * order->style.line_width;
    for (count = 0; count < 12; count++) {
      int axis = count / 4, p = (axis + 1) % 3, q = (axis + 2) % 3;
      for (int end = 0; end < 2; end++) {
        float* v = local[count] + 3 * end;
        v[axis] = (end ? 1 : -1) * geom->size[axis];
        v[p] = (count & 1 ? 1 : -1) * geom->size[p];
        v[q] = (count & 2 ? 1 : -1) * geom->size[q];
      }
    }
  }
  for (int i = 0; i < 2 * count; i++) {
    const float* v = local[i / 2] + 3 * (i % 2);
    float* to = points[i / 2] + 3 * (i % 2);
    for (int r = 0; r < 3; r++) {
      const float* m = geom->mat + 3 * r;
      to[r] = geom->pos[r] + m[0] * v[0] + m[1] * v[1] + m[2] * v[2];
    }
  }
  bool whole = solid || order->style.samples == 1;
  if (whole) width = (float)floor(width + 0.5f);
  look->two_sided = look->unlit = true;
  look->texture = NULL;
  return loose_place(frame, order, look,
                     loose_lines(frame, order, eye, points[0], count, width > 1 ? width : 1, whole),
                     geom);
}

static bool geom_parts(snFrame* frame, const snOrder* order, const mjvGeom* geom, snDrawPart* look,
                       const float eye[3], bool solid) {
  const snAssets* a = order->assets;
  const snSurface* shape = a->shape;
  const float* s = geom->size;
  switch (geom->type) {
    case mjGEOM_PLANE:
      return plane_parts(frame, order, geom, look, eye, solid);
    case mjGEOM_SPHERE:
    case mjGEOM_ELLIPSOID:
      return part_place(frame, order, look, &shape[snSHAPE_SPHERE], geom, 0, s[0], s[1], s[2]);
    case mjGEOM_CAPSULE:
      return part_place(frame, order, look, &shape[snSHAPE_TUBE], geom, 0, s[0], s[1], s[2]) &&
             part_place(frame, order, look, &shape[snSHAPE_DOME], geom, s[2], s[0], s[1], s[0]) &&
             part_place(frame, order, look, &shape[snSHAPE_BOWL], geom, -s[2], s[0], s[1], s[0]);
    case mjGEOM_CYLINDER:
      return part_place(frame, order, look, &shape[snSHAPE_TUBE], geom, 0, s[0], s[1], s[2]) &&
             part_place(frame, order, look, &shape[snSHAPE_DISK], geom, s[2], s[0], s[1], 1) &&
             part_place(frame, order, look, &shape[snSHAPE_DISK_DOWN], geom, -s[2], s[0], s[1], 1);
    case mjGEOM_BOX:
      return part_place(frame, order, look, &shape[snSHAPE_BOX], geom, 0, s[0], s[1], s[2]);
    case mjGEOM_MESH:
    case mjGEOM_SDF:
      if (geom->dataid < 0 || geom->dataid >= 2 * a->nmesh) return true;
      return part_place(frame, order, look, &a->mesh[geom->dataid], geom, 0, 1, 1, 1);
    case mjGEOM_HFIELD:
      if (geom->dataid < 0 || geom->dataid >= a->nhfield) return true;
      return part_place(frame, order, look, &a->hfield[geom->dataid], geom, 0, 1, 1, 1);
    case mjGEOM_TRIANGLE:
      return part_place(frame, order, look, &shape[snSHAPE_TRIANGLE], geom, 0, s[0], s[1], 1);
    case mjGEOM_ARROW:
    case mjGEOM_ARROW1:
    case mjGEOM_ARROW2:
      return arrow_parts(frame, order, geom, look);
    case mjGEOM_LINE:
    case mjGEOM_LINEBOX:
      return line_parts(frame, order, geom, look, eye, solid);
    case mjGEOM_FLEX:
      return flex_parts(frame, order, geom, look);
    case mjGEOM_SKIN:
      return skin_parts(frame, order, geom, look);
    default:  // labels are text; what has no shape is not drawn
      return true;
  }
}

static snTexture* geom_texture(const snOrder* order, const mjvGeom* geom) {
  const snAssets* a = order->assets;
  if (!order->colour || geom->matid < 0 || geom->matid >= a->nmaterial) return NULL;
  int id = a->mat_texid[mjNTEXROLE * geom->matid + mjTEXROLE_RGB];
  if (id < 0) id = a->mat_texid[mjNTEXROLE * geom->matid + mjTEXROLE_RGBA];
  return id >= 0 && id < a->ntexture ? &a->texture[id] : NULL;
}

// Transparent geoms by their distance from the eye, less the radius around them.
typedef struct snFarness_ {
  float distance;
  int geom;
} snFarness;

static float geom_radius(const mjvGeom* geom) {
  const float* s = geom->size;
  if (geom->modelrbound > 0) return geom->modelrbound;
  switch (geom->type) {
    case mjGEOM_SPHERE:
      return s[0];
    case mjGEOM_CAPSULE:
      return s[0] + s[2];
    case mjGEOM_CYLINDER:
      return sqrtf(s[0] * s[0] + s[2] * s[2]);
    case mjGEOM_BOX:
      return sqrtf((s[0] * s[0] + s[1] * s[1]) + s[2] * s[2]);
    case mjGEOM_ELLIPSOID:
      return s[0] > s[1] ? (s[0] > s[2] ? s[0] : s[2]) : s[1] > s[2] ? s[1] : s[2];
    default:
      return 0;
  }
}

static int farness_compare(const void* a, const void* b) {
  const snFarness *p = a, *q = b;
  if (p->distance != q->distance) return p->distance < q->distance ? -1 : 1;
  return p->geom - q->geom;
}

static bool geom_add(snFrame* frame, const snOrder* order, int i, const float eye[3], bool solid) {
  const mjvGeom* geom = &order->scene->geoms[i];
  snDrawPart look = {.geom = i,
                     .rgba = {geom->rgba[0], geom->rgba[1], geom->rgba[2], geom->rgba[3]},
                     .specular = geom->specular,
                     .shininess = geom->shininess,
                     .emission = geom->emission,
                     .reflectance = geom->reflectance,
                     .texture = geom_texture(order, geom),
                     .transparent = !solid && geom->rgba[3] < 1,
                     .segment = geom->segid,
                     .mirror = -1};
  double power = 128 * (double)look.shininess;
  look.gloss = power > 0 ? (float)sn_exp(-24 * 0.69314718055994531 / power) : 0;
  for (int k = frame->nmirror - 1; k >= 0; k--) {
    if (frame->mirror[k].geom == i) look.mirror = k;
  }
  return geom_parts(frame, order, geom, &look, eye, solid);
}

// Opaque geoms in the scene's order; then the transparent ones twice, from the nearest to the
// farthest and back, as the released pictures have them.
bool collect_parts(snFrame* frame, const snOrder* order, const float eye[3], bool solid) {
  const mjvScene* scene = order->scene;
  int count = 0;
  frame->npart = 0;
  snFarness* late = memory_alloc(((size_t)scene->ngeom + 1) * sizeof *late);
  bool ok = late != NULL;
  for (int i = 0; ok && i < scene->ngeom; i++) {
    const mjvGeom* geom = &scene->geoms[i];
    if (scene->flags[mjRND_SEGMENT] && geom->segid < 0) continue;
    if (solid && geom->rgba[3] == 0) continue;
    size_t first = frame->npart;
    ok = geom_add(frame, order, i, eye, solid);
    if (!ok || frame->npart == first || !frame->part[first].transparent) continue;
    frame->npart = first;
    float distance = 0;
    for (int k = 0; k < 3; k++) {
      float d = geom->pos[k] - eye[k];
      distance += d * d;
    }
    distance = sqrtf(distance) - geom_radius(geom);
    late[count++] = (snFarness){geom->type == mjGEOM_PLANE ? 1e30f : distance, i};
  }
  if (ok) qsort(late, (size_t)count, sizeof *late, farness_compare);
  bool once = scene->flags[mjRND_ADDITIVE];
  for (int k = 0; ok && !once && k < count; k++)
    ok = geom_add(frame, order, late[k].geom, eye, solid);
  for (int k = count - 1; ok && k >= 0; k--) ok = geom_add(frame, order, late[k].geom, eye, solid);
  memory_free(late);
  pthread_mutex_t* mutex = &((snAssets*)order->assets)->mutex;
  pthread_mutex_lock(mutex);
  for (size_t i = 0; ok && i < frame->npart; i++) {
    snDrawPart* part = &frame->part[i];
    if (part->texture && !texture_prepare(part->texture)) part->texture = NULL;
    if (!part->texture) part->mapping = snMAP_NONE;
    part->veil = part->texture && part->texture->veil && !part->transparent;
    part->smooth = !part->texture && part->mirror < 0 && !part->cell[0] && !part->transparent;
  }
  pthread_mutex_unlock(mutex);
  return ok;
}
