// Shading one pixel: corners are lit, colours interpolated, shadows, texture and fog applied.
#include "draw/shade.h"

#include "draw/light.h"
#include "draw/mirror.h"
#include "draw/texture.h"

// ---- triangles

// The normal of a corner, in the surface's frame. A mesh's normal that leans more than 37 degrees
// from its face (cosine 4/5) gives way to the face's, so that sharp edges stay sharp.
static void corner_normal(const snSurface* surface, uint32_t face, int k, const float flat[3],
                          float n[3]) {
  memcpy(n, flat, 3 * sizeof *n);
  if (!surface->normal) return;
  const float* own = surface->normal + 3 * surface->facenormal[3 * face + (uint32_t)k];
  if (surface->crease) {
    float along = (own[0] * flat[0] + own[1] * flat[1]) + own[2] * flat[2];
    float square = (flat[0] * flat[0] + flat[1] * flat[1]) + flat[2] * flat[2];
    if (along < 0 || along * along < 0.64f * square) return;
  }
  memcpy(n, own, 3 * sizeof *n);
}

static void corner_light(snShader* s, const snPart* part, uint32_t face, int k, const float flat[3],
                         const float world[3], sn4f* colour) {
  float n[3], normal[3];
  corner_normal(part->surface, face, k, flat, n);
  for (int r = 0; r < 3; r++) {
    const float* m = part->normal + 3 * r;
    normal[r] = (m[0] * n[0] + m[1] * n[1]) + m[2] * n[2];
  }
  float square = (normal[0] * normal[0] + normal[1] * normal[1]) + normal[2] * normal[2];
  float inverse = square > 0 ? 1 / sqrtf(square) : 0;
  for (int r = 0; r < 3; r++) normal[r] *= inverse;
  light_vertex(s->frame, s->pass, part, world, normal, colour);
}

// Twice the area of a face times its normal.
static void face_normal(const float v[3][3], float n[3]) {
  float a[3], b[3];
  for (int c = 0; c < 3; c++) a[c] = v[1][c] - v[0][c], b[c] = v[2][c] - v[0][c];
  n[0] = a[1] * b[2] - a[2] * b[1];
  n[1] = a[2] * b[0] - a[0] * b[2];
  n[2] = a[0] * b[1] - a[1] * b[0];
}

// Rows of the inverse of [X0 X1 X2; Y0 Y1 Y2; W0 W1 W2], up to a factor: the cross products of its
// columns. Pixels count from the tile's corner, at their centres.
static void lit_rows(snShader* s, const float world[3][3], float out[3][3]) {
  double v[3][3];
  double ox = s->tile->x0 + 0.5, oy = s->tile->y0 + 0.5;
  for (int k = 0; k < 3; k++) {
    double p[4];
    for (int r = 0; r < 4; r++) {
      const float* m = s->pass->matrix + 4 * r;
      p[r] = (double)m[0] * world[k][0] + (double)m[1] * world[k][1] + (double)m[2] * world[k][2] +
             (double)m[3];
    }
    v[k][0] = p[0] - ox * p[3], v[k][1] = p[1] - oy * p[3], v[k][2] = p[3];
  }
  double scale = 0;
  double row[3][3];
  for (int k = 0; k < 3; k++) {
    const double *a = v[(k + 1) % 3], *b = v[(k + 2) % 3];
    row[k][0] = a[1] * b[2] - a[2] * b[1];
    row[k][1] = a[2] * b[0] - a[0] * b[2];
    row[k][2] = a[0] * b[1] - a[1] * b[0];
    for (int c = 0; c < 3; c++) scale = sn_max(scale, fabs(row[k][c]));
  }
  double inverse = scale > 0 ? 1 / scale : 1;
  for (int k = 0; k < 3; k++) {
    for (int c = 0; c < 3; c++) out[k][c] = (float)(row[k][c] * inverse);
  }
}

static inline void slope_make(snSlope* slope, const float row[3][3], const sn4f value[3]) {
  for (int c = 0; c < 3; c++) {
    slope->v[c] = (row[0][c] * value[0] + row[1][c] * value[1]) + row[2][c] * value[2];
  }
}

static inline sn4f slope_at(const snSlope* slope, float x, float y) {
  return (x * slope->v[0] + y * slope->v[1]) + slope->v[2];
}

// What the texture needs at a corner.
static sn4f corner_map(const snPart* part, uint32_t face, int k, const float v[3]) {
  const snSurface* surface = part->surface;
  switch (part->mapping) {
    case snMAP_COORDINATES: {
      const float* uv = surface->texcoord + 2 * surface->facetexcoord[3 * face + (uint32_t)k];
      return (sn4f){uv[0], uv[1], v[0], v[1]};
    }
    case snMAP_PLANE:
      return (sn4f){part->map[0] * v[0] + part->map[1], part->map[2] * v[1] + part->map[3], v[0],
                    v[1]};
    case snMAP_CUBE:
      return (sn4f){part->map[0] * v[0], part->map[1] * v[1], part->map[2] * v[2] + part->map[3],
                    0};
    default:
      return (sn4f){0, 0, v[0], v[1]};
  }
}

static void lit_make(snShader* s, snLit* lit, uint32_t id) {
  const snTriangle* t = frame_triangle(s->frame, id);
  const snPart* part = &s->frame->part[t->part];
  const snSurface* surface = part->surface;
  float world[3][3], row[3][3];
  sn4f value[3], colour[3][1 + snPASSLIGHTS];
  lit->id = id;
  lit->part = part;
  for (int k = 0; k < 3; k++) {
    int i = surface->face[3 * t->face + (uint32_t)k];
    float v[3] = {surface->x[i], surface->y[i], surface->z[i]};
    memcpy(lit->local[k], v, sizeof v);
    for (int r = 0; r < 3; r++) {
      const float* m = part->mat + 3 * r;
      world[k][r] = part->pos[r] + ((m[0] * v[0] + m[1] * v[1]) + m[2] * v[2]);
    }
  }
  lit_rows(s, world, row);
  for (int c = 0; c < 3; c++) lit->sum[c] = (row[0][c] + row[1][c]) + row[2][c];
  for (int k = 0; k < 3; k++) value[k] = (sn4f){world[k][0], world[k][1], world[k][2], 0};
  slope_make(&lit->world, row, value);
  if (part->mapping || part->cell[0]) {
    for (int k = 0; k < 3; k++) value[k] = corner_map(part, t->face, k, lit->local[k]);
    slope_make(&lit->map, row, value);
  }
  if (part->cell[0]) return;
  float flat[3];
  face_normal(lit->local, flat);
  for (int k = 0; k < 3; k++) corner_light(s, part, t->face, k, flat, world[k], colour[k]);
  for (int l = 0; l <= s->shadows; l++) {
    for (int k = 0; k < 3; k++) value[k] = colour[k][l];
    slope_make(&lit->colour[l], row, value);
  }
}

const snLit* lit_find(snShader* s, uint32_t id) {
  snLit* lit = &s->lit[id % snLITS];
  if (lit->id != id) lit_make(s, lit, id);
  return lit;
}

// ---- planes: light at the corners of the cell, mixed as in its two triangles

static const snCell* cell_find(snShader* s, const snPart* part, int i, int j) {
  snCell* cell = &s->cell[((unsigned)i * 7 + (unsigned)j * 3) % snCELLS];
  if (cell->part == part && cell->i == i && cell->j == j) return cell;
  *cell = (snCell){.part = part, .i = i, .j = j};
  float local[2] = {(float)i * part->cell[0], (float)j * part->cell[1]}, pos[3], normal[3];
  for (int k = 0; k < 2; k++) {
    if (local[k] > part->half[k]) local[k] = part->half[k];
    if (local[k] < -part->half[k]) local[k] = -part->half[k];
  }
  float square = 0;
  for (int r = 0; r < 3; r++) {
    const float* m = part->mat + 3 * r;
    pos[r] = part->pos[r] + (m[0] * (local[0] / part->half[0]) + m[1] * (local[1] / part->half[1]));
    normal[r] = part->normal[3 * r + 2];
    square += normal[r] * normal[r];
  }
  float inverse = square > 0 ? 1 / sqrtf(square) : 0;
  for (int r = 0; r < 3; r++) normal[r] *= inverse;
  light_vertex(s->frame, s->pass, part, pos, normal, cell->colour);
  return cell;
}

static inline int floor_cell(float x) {
  int i = (int)x;
  return i - ((float)i > x);
}

// With f and g the place in the cell, from 0 to 1: c00 + f (c10 - c00) + g (c01 - c00) below its
// diagonal, c11 + (1-f)(c01 - c11) + (1-g)(c10 - c11) above.
static void patch_make(snShader* s, const snPart* part, int i, int j, bool upper) {
  snPatch* patch = &s->patch;
  snCell corner = *cell_find(s, part, upper ? i + 1 : i, upper ? j + 1 : j);
  snCell c10 = *cell_find(s, part, i + 1, j), c01 = *cell_find(s, part, i, j + 1);
  patch->part = part, patch->i = i, patch->j = j, patch->upper = upper;
  for (int k = 0; k <= s->shadows; k++) {
    sn4f c = corner.colour[k];
    patch->right[k] = upper ? c - c01.colour[k] : c10.colour[k] - c;
    patch->up[k] = upper ? c - c10.colour[k] : c01.colour[k] - c;
    patch->base[k] = upper ? c - patch->right[k] - patch->up[k] : c;
  }
}

// The patch under a point of the plane, and the place in it.
static void patch_find(snShader* s, const snPart* part, float x, float y, float place[2]) {
  float at[2] = {x * part->half[0] / part->cell[0], y * part->half[1] / part->cell[1]};
  int cell[2];
  for (int k = 0; k < 2; k++) {
    if (!(fabsf(at[k]) < 1e6f)) at[k] = 0;
    cell[k] = floor_cell(at[k]);
    // cells at the rim are narrower
    float end = part->half[k] / part->cell[k], low = (float)cell[k], high = low + 1;
    if (high > end) high = end;
    if (low < -end) low = -end;
    float f = high > low ? (at[k] - low) / (high - low) : 0;
    place[k] = f < 0 ? 0 : f > 1 ? 1 : f;
  }
  bool upper = place[0] + place[1] > 1;
  const snPatch* p = &s->patch;
  if (p->part != part || p->i != cell[0] || p->j != cell[1] || p->upper != upper) {
    patch_make(s, part, cell[0], cell[1], upper);
  }
}

// ---- texture

// With u = U/S, both linear: du/dx = (U_x - u S_x) / S. The level follows the longer side of a
// pixel's footprint, in texels.
static sn4f texture_at(const snLit* lit, sn4f map, float inverse) {
  const snTexture* t = lit->part->texture;
  sn4f dx = (lit->map.v[0] - map * lit->sum[0]) * inverse;
  sn4f dy = (lit->map.v[1] - map * lit->sum[1]) * inverse;
  if (lit->part->mapping == snMAP_CUBE) {
    float d[3] = {map[0], map[1], map[2]}, most = fabsf(d[0]), a = 0, b = 0;
    for (int k = 0; k < 3; k++) {
      if (fabsf(d[k]) > most) most = fabsf(d[k]);
      a += dx[k] * dx[k];
      b += dy[k] * dy[k];
    }
    float texels = most > 0 ? 0.5f * (float)t->wide[0] / most : 0;
    return texel_cube(t, d, texel_level((a > b ? a : b) * texels * texels));
  }
  float w = (float)t->wide[0], h = (float)t->high[0];
  float ax = dx[0] * w, ay = dx[1] * h, bx = dy[0] * w, by = dy[1] * h;
  float a = ax * ax + ay * ay, b = bx * bx + by * by;
  return texel_flat(t, map[0], map[1], texel_level(a > b ? a : b));
}

// ---- the pixel

static sn4f fog_over(const snShader* s, const float world[3], sn4f colour) {
  const snStyle* style = &s->order->style;
  float depth = 0;
  for (int k = 0; k < 3; k++) depth += s->pass->forward[k] * (world[k] - s->pass->eye[k]);
  float f = (depth - style->fog_start) / (style->fog_end - style->fog_start);
  f = f < 0 ? 0 : f > 1 ? 1 : f;
  sn4f fog = sn4f_load(style->fog);
  sn4f mixed = colour + f * (fog - colour);
  mixed[3] = colour[3];
  return mixed;
}

sn4f shade_pixel(snShader* s, const snLit* lit, int x, int y) {
  const snPart* part = lit->part;
  const mjtByte* flags = s->order->scene->flags;
  float fx = (float)x, fy = (float)y, place[2] = {0, 0};
  float below = (fx * lit->sum[0] + fy * lit->sum[1]) + lit->sum[2];
  float inverse = below != 0 ? 1 / below : 0;
  bool plane = part->cell[0] > 0;
  sn4f sum, point = slope_at(&lit->world, fx, fy) * inverse, map = {0, 0, 0, 0};
  float world[3] = {point[0], point[1], point[2]};
  if (part->mapping || plane) map = slope_at(&lit->map, fx, fy) * inverse;
  if (plane) {
    bool cube = part->mapping == snMAP_CUBE;
    patch_find(s, part, cube ? map[0] / part->map[0] : map[2],
               cube ? map[1] / part->map[1] : map[3], place);
    sum = s->patch.base[0] + place[0] * s->patch.right[0] + place[1] * s->patch.up[0];
  } else {
    sum = slope_at(&lit->colour[0], fx, fy) * inverse;
  }
  sum = sn4f_clamp(sum);
  for (int k = 1; k <= s->shadows; k++) {
    sn4f light = plane ? s->patch.base[k] + place[0] * s->patch.right[k] + place[1] * s->patch.up[k]
                       : slope_at(&lit->colour[k], fx, fy) * inverse;
    light = sn4f_clamp(light);
    if (light[0] + light[1] + light[2] < 2e-3f) continue;
    if (s->pass->image || shadow_share(s->frame, k - 1, world) > 0) sum += light;
  }
  float alpha = part->rgba[3];
  if (part->texture) {
    sn4f texel = texture_at(lit, map, inverse);
    alpha *= texel[3];
    sum *= texel;
  }
  if (part->mirror >= 0) sum = sn4f_clamp(sum) + mirror_light(s, lit, x, y);
  sum = sn4f_clamp(sum);
  sum[3] = alpha;
  if (flags[mjRND_FOG]) sum = fog_over(s, world, sum);
  if (part->infinite && s->sky) sum = haze_plane(s, part, world, sum);
  return sum;
}
