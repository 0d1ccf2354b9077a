// The scene's geoms as parts: which surfaces, with which pose and look; its lights as lamps.
#include <stdlib.h>

#include "draw/frame.h"

// ---- lights

void collect_lamps(snFrame* frame, const snOrder* order) {
  const mjvScene* scene = order->scene;
  int shadows = 0;
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
    lamp->cutoff = light->type == mjLIGHT_SPOT && light->cutoff <= 90
                       ? (float)sn_cos(light->cutoff * mjPI / 180)
                       : -1;
    lamp->degrees = light->cutoff;
    lamp->shadow = order->colour && scene->flags[mjRND_SHADOW] && !scene->flags[mjRND_SEGMENT] &&
                   light->castshadow && !light->headlight && shadows < snPASSLIGHTS;
    shadows += lamp->shadow;
  }
}

// ---- parts

static snPart* part_add(snFrame* frame) {
  if (frame->npart == frame->part_room) {
    size_t room = frame->part_room ? 2 * frame->part_room : 64;
    snPart* part = memory_resize(frame->part, frame->part_room * sizeof *part, room * sizeof *part);
    if (!part) return NULL;
    frame->part = part;
    frame->part_room = room;
  }
  return &frame->part[frame->npart++];
}

// Texture coordinates of a part that has none of its own. With sizes s of the geom (1 when the
// texture repeats per unit of space) and the repetition r: u = 1/2 + r x / (2 s), and v downward,
// in the geom's frame before scaling; a cube is looked up in the direction of the point.
static void part_map(snPart* part, const snOrder* order, const mjvGeom* geom,
                     const float scale[3]) {
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
  float by[3];
  for (int k = 0; k < 3; k++) {
    float size = geom->size[k] > 0 && !part->infinite ? geom->size[k] : 1;
    by[k] = scale[k] / (uniform ? 1 : size);
  }
  if (cube) {
    part->mapping = snMAP_CUBE;
    memcpy(part->map, by, sizeof by);
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
static bool part_place(snFrame* frame, const snOrder* order, const snPart* look,
                       const snSurface* surface, const mjvGeom* geom, float z, float sx, float sy,
                       float sz) {
  if (!surface->nface) return true;
  snPart* part = part_add(frame);
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
  part_map(part, order, geom, size);
  return true;
}

// A plane has cells of twice its third size, at most 198 along a side. A plane without an end goes
// a little beyond the far plane, moves with the eye in steps that its texture does not show, and
// has 200 cells along a side. Seen from below it is transparent.
static bool plane_parts(snFrame* frame, const snOrder* order, const mjvGeom* geom, snPart* look,
                        const float eye[3], bool solid) {
  float far = order->scene->camera[0].frustum_far, centre[3], half[2], from[3];
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
    look->infinite = true;
    float step = 2.1f * far / 198, along = 0;
    if (look->texture && look->texture->type == mjTEXTURE_2D) {
      float repeat = order->assets->mat_texrepeat[2 * geom->matid + k];
      if (repeat > 0) step = 2 / repeat;
    }
    for (int r = 0; r < 3; r++) along += from[r] * geom->mat[3 * r + k];
    half[k] = 1.05f * far + step;
    look->cell[k] = half[k] / 100;
    along = step * (float)floor(along / step + 0.5f);
    for (int r = 0; r < 3; r++) centre[r] += along * geom->mat[3 * r + k];
  }
  if (below < 0) {
    look->two_sided = true;
    look->rgba[3] *= 0.3f;
    look->transparent = !solid;
  }
  memcpy(look->half, half, sizeof half);
  mjvGeom placed = *geom;
  memcpy(placed.pos, centre, sizeof centre);
  size_t first = frame->npart;
  if (!part_place(frame, order, look, &order->assets->shape[snSHAPE_PLANE], &placed, 0, half[0],
                  half[1], 1)) {
    return false;
  }
  if (below < 0 && frame->npart > first) {
    snPart* part = &frame->part[first];
    for (int k = 0; k < 9; k++) part->normal[k] = -part->normal[k];
  }
  return true;
}

static bool geom_parts(snFrame* frame, const snOrder* order, const mjvGeom* geom, snPart* look,
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
    default:
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

// Transparent geoms by their distance from the eye.
typedef struct snFarness_ {
  float distance;
  int geom;
} snFarness;

static int farness_compare(const void* a, const void* b) {
  const snFarness *p = a, *q = b;
  if (p->distance != q->distance) return p->distance < q->distance ? -1 : 1;
  return p->geom - q->geom;
}

static bool geom_add(snFrame* frame, const snOrder* order, int i, const float eye[3], bool solid) {
  const mjvGeom* geom = &order->scene->geoms[i];
  snPart look = {.geom = i,
                 .rgba = {geom->rgba[0], geom->rgba[1], geom->rgba[2], geom->rgba[3]},
                 .specular = geom->specular,
                 .shininess = geom->shininess,
                 .emission = geom->emission,
                 .reflectance = geom->reflectance,
                 .texture = geom_texture(order, geom),
                 .transparent = !solid && geom->rgba[3] < 1,
                 .segment = geom->segid,
                 .mirror = -1};
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
    late[count++] = (snFarness){geom->type == mjGEOM_PLANE ? 1e30f : distance, i};
  }
  if (ok) qsort(late, (size_t)count, sizeof *late, farness_compare);
  bool once = scene->flags[mjRND_ADDITIVE];
  for (int k = 0; ok && !once && k < count; k++)
    ok = geom_add(frame, order, late[k].geom, eye, solid);
  for (int k = count - 1; ok && k >= 0; k--) ok = geom_add(frame, order, late[k].geom, eye, solid);
  memory_free(late);
  for (size_t i = 0; ok && i < frame->npart; i++) {
    snPart* part = &frame->part[i];
    if (part->texture && !texture_prepare(part->texture)) part->texture = NULL;
    if (!part->texture) part->mapping = snMAP_NONE;
  }
  return ok;
}
