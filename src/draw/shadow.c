// Shadow maps: the depth of the scene as seen from a light, drawn before the view.
//
// The light's camera covers the square that the documented parameters give; it is cropped to what
// the view can see, so that the texels of the map are spent on visible shadows. A map is reused
// while the light, the crop and the surfaces that cast shadows are the same. shade.c compares the
// depth of a pixel with its map.
#include "draw/shadow.h"

#include "draw/raster.h"

#define snSHADOW_BIAS 5e-4f
enum {
  snSHADOW_LARGEST = 4096,  // texels along a side
  snFINE = 1280,            // most texels of smaller pictures
  snMARGIN = 16,            // texels between rows
  snSMALL = 128,            // pictures up to this size have shadows of coarse surfaces
};

// ---- the light's camera

// Rows of eye coordinates: right, up, along the light.
static void light_frame(const snLamp* lamp, double row[3][4]) {
  double forward[3] = {lamp->dir[0], lamp->dir[1], lamp->dir[2]}, right[3], up[3];
  double reference[3] = {fabs(forward[0]) < 0.999, fabs(forward[0]) >= 0.999, 0};
  mju_cross(right, forward, reference);
  mju_normalize3(right);
  mju_cross(up, right, forward);
  const double* axis[3] = {right, up, forward};
  for (int r = 0; r < 3; r++) {
    row[r][3] = 0;
    for (int k = 0; k < 3; k++) {
      row[r][k] = axis[r][k];
      row[r][3] -= axis[r][k] * lamp->pos[k];
    }
  }
}

// World to (x, y, depth, w) with x and y in [-1, 1] on the square that casts shadows.
static void light_matrix(const snLamp* lamp, const snOrder* order, double near, double far,
                         double m[4][4]) {
  double row[3][4];
  light_frame(lamp, row);
  double half = order->style.shadow_clip;
  if (!lamp->directional) {
    double angle = (lamp->degrees < 90 ? lamp->degrees : 90) * order->style.shadow_scale;
    half = sn_tan((angle < 85 ? angle : 85) * mjPI / 180);
  }
  if (!(half > 0)) half = 1;
  for (int c = 0; c < 4; c++) {
    double one = c == 3, w = row[2][c];
    m[0][c] = row[0][c] / half;
    m[1][c] = row[1][c] / half;
    m[2][c] =
        lamp->directional ? (far * one - w) / (far - near) : near * (far * one - w) / (far - near);
    m[3][c] = lamp->directional ? one : w;
  }
}

// ---- what casts shadows

// Box of a part on the light's square; false when the part is out of the light or has no box.
static bool part_box(const snDrawPart* part, double m[4][4], double box[4]) {
  const snSurface* s = part->surface;
  double found[4] = {1e30, 1e30, -1e30, -1e30};
  for (int corner = 0; corner < 8; corner++) {
    double p[3], v[4], world[3];
    for (int c = 0; c < 3; c++) p[c] = corner >> c & 1 ? s->high[c] : s->low[c];
    for (int r = 0; r < 3; r++) {
      world[r] = part->pos[r] + part->mat[3 * r] * p[0] + part->mat[3 * r + 1] * p[1] +
                 part->mat[3 * r + 2] * p[2];
    }
    for (int r = 0; r < 4; r++) {
      v[r] = m[r][0] * world[0] + m[r][1] * world[1] + m[r][2] * world[2] + m[r][3];
    }
    if (!(v[3] > 1e-6)) {  // beside or behind the light: anywhere
      found[0] = found[1] = -1, found[2] = found[3] = 1;
      break;
    }
    for (int k = 0; k < 2; k++) {
      found[k] = sn_min(found[k], v[k] / v[3]);
      found[2 + k] = sn_max(found[2 + k], v[k] / v[3]);
    }
  }
  if (!(found[0] < 1 && found[1] < 1 && found[2] > -1 && found[3] > -1)) return false;
  for (int k = 0; k < 2; k++) {
    box[k] = sn_min(box[k], sn_max(found[k], -1));
    box[2 + k] = sn_max(box[2 + k], sn_min(found[2 + k], 1));
  }
  return true;
}

// How far a part reaches to the back of a plane through `at` that looks along `n`: its middle, or of
// another plane its farthest corner.
static float part_behind(const snDrawPart* part, const float n[3], const float at[3]) {
  float side = 0;
  for (int k = 0; k < 3; k++) side += n[k] * (part->pos[k] - at[k]);
  for (int c = 0; c < 2 && part->cell[0] > 0; c++) {
    side -= fabsf((n[0] * part->mat[c] + n[1] * part->mat[3 + c]) + n[2] * part->mat[6 + c]);
  }
  return -side;
}

// A plane with the light and the eye on the same side darkens nothing that is seen; unless it ends
// or is of glass, and something lies behind it, as under a table.
static bool plane_idle(const snFrame* frame, const snDrawPart* part, const snLamp* lamp,
                       const snPass* view, float extent) {
  if (!part->cell[0]) return false;
  float light = 0, eye = 0, n[3];
  for (int k = 0; k < 3; k++) {
    n[k] = part->normal[3 * k + 2];
    light += n[k] * (lamp->directional ? -lamp->dir[k] : lamp->pos[k] - part->pos[k]);
    eye += n[k] * (view->eye[k] - part->pos[k]);
  }
  if ((light > 0) != (eye > 0)) return false;
  for (int k = 0; k < 3 && !(light > 0); k++) n[k] = -n[k];
  bool hides = part->infinite && !(part->rgba[3] < 1);
  for (size_t i = 0; !hides && i < frame->npart; i++) {
    const snDrawPart* other = &frame->part[i];
    float least = other->cell[0] > 0 ? 1e-3f * extent : 0;  // planes side by side
    if (other->geom != part->geom && part_behind(other, n, part->pos) > least) return false;
  }
  return true;
}

// ---- drawing

// How wide the crop is of what the camera sees where the shadows are cast, from 1/2 to 2; two
// thirds of the picture and more count as all of it.
static double crop_share(const snFrame* frame, const snLamp* lamp, const snPass* view,
                         double m[4][4], const double box[4]) {
  double middle[3] = {0, 0, 0}, ahead = view->matrix[15], away = m[3][3], scale = 0, width = 0;
  for (size_t i = 0; i < frame->npart; i++) {
    for (int k = 0; k < 3; k++) middle[k] += frame->part[i].pos[k] / (double)frame->npart;
  }
  for (int k = 0; k < 3; k++) {
    ahead += view->matrix[12 + k] * middle[k];
    away += m[3][k] * middle[k];
    scale += (double)view->matrix[k] * view->matrix[k];
    width += m[0][k] * m[0][k];
  }
  double seen = view->width * sn_max(ahead, view->near) / sqrt(scale);
  double crop = sn_max(box[2] - box[0], box[3] - box[1]) * (lamp->directional ? 1 : away);
  double share = crop / (sqrt(width) * seen);
  if (share > 1) return share < 2 ? share : 2;
  return share <= 1 ? sn_max(0.5, sn_min(1.5 * share, 1)) : 2;  // 2 for NaN
}

// Texels along the crop: one and a half per pixel where it is seen, at least half as many as the
// picture has pixels, one where it fills the picture and more, at most twice the picture's pixels:
// the four texels around a point say where between them a shadow ends. In smaller
// pictures half of what the model's map would have there, up to eight per pixel, where shadows fill
// a large part of it: then the camera sees some of them from near. Never more than the model's map.
static int shadow_size(const snOrder* order, const snPass* view, const double box[4],
                       double share) {
  int longest = view->width > view->height ? view->width : view->height;
  double own = 0.5 * sn_max(box[2] - box[0], box[3] - box[1]) *
               sn_min(order->style.shadow_size, snSHADOW_LARGEST);
  double wanted = longest < snFINE / 2 ? 2 * longest : share * longest;
  if (longest > snSMALL && longest < snFINE / 2) {
    wanted = sn_max(wanted, sn_min(own / 2, sn_min(8 * longest, snFINE)));
  }
  wanted = sn_min(sn_min(wanted, own + 1), snSHADOW_LARGEST);
  return wanted > 1 ? (int)wanted : 1;
}

// Whole tiles, and snMARGIN texels between rows, before the first and behind the last: a lookup at
// the edge reads zeros there, which hold no light.
static bool map_room(snShadow* map) {
  int tiled = (map->width + snTILE_W - 1) / snTILE_W * snTILE_W;
  map->stride = tiled + snMARGIN;
  size_t stride = (size_t)map->stride, height = (size_t)map->height;
  size_t need = stride * (height + 2) + snMARGIN;
  if (need > map->room) {
    memory_free(map->block);
    map->block = memory_alloc(need * sizeof(float));
    map->room = map->block ? need : 0;
    if (!map->block) return false;
  }
  map->depth = map->block + stride + snMARGIN;
  memset(map->block, 0, (stride + snMARGIN) * sizeof(float));
  memset(map->depth + height * stride, 0, stride * sizeof(float));
  for (size_t y = 0; y < height; y++) {
    memset(map->depth + y * stride + tiled, 0, snMARGIN * sizeof(float));
  }
  return true;
}

// What a map is drawn from, part by part. Another camera of the same state needs no other map.
typedef struct snShadowKey_ {
  const snSurface* surface;
  float pos[3], mat[9];
  int two_sided;
} snShadowKey;

// Whether the map is drawn from this already. Surfaces of deformables are new in each
// picture, and those of assets can be uploaded again, which changes their version.
static bool map_kept(const snFrame* frame, snShadow* map, int version) {
  size_t head = sizeof map->matrix + 3 * sizeof(int);
  size_t size = head + frame->npart * sizeof(snShadowKey);
  int numbers[3] = {map->width, map->height, version};
  if (frame->nloose) return false;
  bool same = size == map->key_size && !memcmp(map->key, map->matrix, sizeof map->matrix) &&
              !memcmp((char*)map->key + sizeof map->matrix, numbers, sizeof numbers);
  if (size > map->key_room) {
    memory_free(map->key);
    map->key = memory_alloc(size);
    map->key_room = map->key ? size : 0;
  }
  if (!map->key) return false;
  memcpy(map->key, map->matrix, sizeof map->matrix);
  memcpy((char*)map->key + sizeof map->matrix, numbers, sizeof numbers);
  for (size_t i = 0; i < frame->npart; i++) {
    const snDrawPart* part = &frame->part[i];
    snShadowKey key;
    memset(&key, 0, sizeof key);
    key.surface = part->surface;
    memcpy(key.pos, part->pos, sizeof key.pos);
    memcpy(key.mat, part->mat, sizeof key.mat);
    key.two_sided = part->two_sided;
    char* at = (char*)map->key + head + i * sizeof key;
    same = same && !memcmp(at, &key, sizeof key);
    memcpy(at, &key, sizeof key);
  }
  map->key_size = size;
  return same;
}

// The crop: the square's part `box` fills the map.
static bool shadow_map(snFrame* frame, snShadow* map, double m[4][4], const double box[4], int size,
                       int version) {
  snPass pass = {.samples = 1, .cull = 1, .first = 0, .count = (int)frame->npart};
  double wide = box[2] - box[0], high = box[3] - box[1];
  double texel = sn_max(wide, high) / size;
  map->width = (int)(wide / texel + 0.5), map->height = (int)(high / texel + 0.5);
  if (map->width < 1) map->width = 1;
  if (map->height < 1) map->height = 1;
  for (int c = 0; c < 4; c++) {
    map->matrix[c] = (float)((m[0][c] - box[0] * m[3][c]) * map->width / wide);
    map->matrix[4 + c] = (float)((m[1][c] - box[1] * m[3][c]) * map->height / high);
    map->matrix[8 + c] = (float)m[2][c];
    map->matrix[12 + c] = (float)m[3][c];
  }
  if (map_kept(frame, map, version)) return true;
  size_t key_size = map->key_size;
  map->key_size = 0;  // until the map is there
  memcpy(pass.matrix, map->matrix, sizeof pass.matrix);
  pass.width = map->width;
  pass.height = map->height;
  if (!map_room(map) || !geometry_run(frame, &pass)) return false;
  raster_depths(frame, &pass, map);
  if (!frame->nloose) map->key_size = key_size;
  return true;
}

// Closed surfaces cast the shadow of the faces that look at the light; open ones of all.
static void part_prepare(snDrawPart* part, const snOrder* order, bool coarse) {
  snSurface* surface = (snSurface*)part->surface;
  pthread_mutex_lock(&((snAssets*)order->assets)->mutex);
  surface_study(surface, coarse);
  pthread_mutex_unlock(&((snAssets*)order->assets)->mutex);
  part->two_sided = surface->closed != snYES;
  if (coarse && surface->coarse) part->surface = surface->coarse;
}

bool shadow_draw(snFrame* frame, const snPass* view, const snOrder* order) {
  int index = 0;
  bool any = false;
  for (int i = 0; i < frame->nlamp; i++) any = any || frame->lamp[i].shadow;
  if (!any) return true;
  for (int i = 0; i < frame->nlamp; i++) {
    const snLamp* lamp = &frame->lamp[i];
    if (!lamp->shadow) continue;
    snShadow* map = &frame->shadow[index++];
    double m[4][4], box[4] = {1, 1, -1, -1};
    if (!collect_parts(frame, order, view->eye, true)) return false;
    light_matrix(lamp, order, view->near, view->far, m);
    map->empty = true;
    // surfaces that face the light squarely have no slope to be pushed by
    map->grow = lamp->directional ? 1 : 1 + snSHADOW_BIAS;
    map->lift =
        lamp->directional ? snSHADOW_BIAS * order->assets->extent / (view->far - view->near) : 0;
    size_t kept = 0;
    for (size_t k = 0; k < frame->npart; k++) {
      snDrawPart* part = &frame->part[k];
      bool decor = order->scene->geoms[part->geom].category == mjCAT_DECOR;
      part->idle =
          part->unlit || decor || plane_idle(frame, part, lamp, view, order->assets->extent);
    }
    for (size_t k = 0; k < frame->npart; k++) {
      if (frame->part[k].idle || !part_box(&frame->part[k], m, box)) continue;
      frame->part[kept] = frame->part[k];
      part_prepare(&frame->part[kept++], order, view->width <= snSMALL && view->height <= snSMALL);
    }
    frame->npart = kept;
    if (!kept || !(box[2] > box[0] && box[3] > box[1]) || order->style.shadow_size < 1) continue;
    map->empty = false;
    int size = shadow_size(order, view, box, crop_share(frame, lamp, view, m, box));
    if (!shadow_map(frame, map, m, box, size, order->assets->version)) return false;
  }
  return true;
}
