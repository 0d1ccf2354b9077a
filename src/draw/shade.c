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
                         snLit* lit) {
  float n[3], normal[3];
  corner_normal(part->surface, face, k, flat, n);
  for (int r = 0; r < 3; r++) {
    const float* m = part->normal + 3 * r;
    normal[r] = (m[0] * n[0] + m[1] * n[1]) + m[2] * n[2];
  }
  float square = (normal[0] * normal[0] + normal[1] * normal[1]) + normal[2] * normal[2];
  float inverse = square > 0 ? 1 / sqrtf(square) : 0;
  for (int r = 0; r < 3; r++) normal[r] *= inverse;
  light_vertex(s->frame, s->pass, part, lit->world[k], normal, lit->colour[k]);
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
static void lit_rows(snShader* s, snLit* lit) {
  double v[3][3];
  double ox = s->tile->x0 + 0.5, oy = s->tile->y0 + 0.5;
  for (int k = 0; k < 3; k++) {
    double p[4];
    for (int r = 0; r < 4; r++) {
      const float* m = s->pass->matrix + 4 * r;
      p[r] = (double)m[0] * lit->world[k][0] + (double)m[1] * lit->world[k][1] +
             (double)m[2] * lit->world[k][2] + (double)m[3];
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
  if (!(scale > 0)) scale = 1;
  for (int k = 0; k < 3; k++) {
    for (int c = 0; c < 3; c++) lit->row[k][c] = (float)(row[k][c] / scale);
  }
}

static void lit_make(snShader* s, snLit* lit, uint32_t id) {
  const snTriangle* t = frame_triangle(s->frame, id);
  const snPart* part = &s->frame->part[t->part];
  const snSurface* surface = part->surface;
  lit->id = id;
  lit->part = part;
  for (int k = 0; k < 3; k++) {
    int i = surface->face[3 * t->face + (uint32_t)k];
    float v[3] = {surface->x[i], surface->y[i], surface->z[i]};
    memcpy(lit->local[k], v, sizeof v);
    for (int r = 0; r < 3; r++) {
      const float* m = part->mat + 3 * r;
      lit->world[k][r] = part->pos[r] + ((m[0] * v[0] + m[1] * v[1]) + m[2] * v[2]);
    }
    if (part->mapping == snMAP_COORDINATES) {
      const float* uv = surface->texcoord + 2 * surface->facetexcoord[3 * t->face + (uint32_t)k];
      lit->uv[k][0] = uv[0], lit->uv[k][1] = uv[1];
    } else if (part->mapping == snMAP_PLANE) {
      lit->uv[k][0] = part->map[0] * v[0] + part->map[1];
      lit->uv[k][1] = part->map[2] * v[1] + part->map[3];
    }
  }
  if (!part->cell[0]) {
    float flat[3];
    face_normal(lit->local, flat);
    for (int k = 0; k < 3; k++) corner_light(s, part, t->face, k, flat, lit);
  }
  if (part->mapping == snMAP_CUBE) {
    for (int k = 0; k < 9; k++) lit->local[k / 3][k % 3] *= part->map[k % 3];
  }
  lit_rows(s, lit);
}

const snLit* lit_find(snShader* s, uint32_t id) {
  snLit* lit = &s->lit[id % snLITS];
  if (lit->id != id) lit_make(s, lit, id);
  return lit;
}

// Weights of the corners at a pixel; the sum of e may be negative, their ratios are what counts.
static inline void lit_weights(const snLit* lit, float x, float y, float b[3]) {
  float e[3];
  for (int k = 0; k < 3; k++) e[k] = (lit->row[k][0] * x + lit->row[k][1] * y) + lit->row[k][2];
  float sum = (e[0] + e[1]) + e[2];
  float inverse = sum != 0 ? 1 / sum : 0;
  for (int k = 0; k < 3; k++) b[k] = e[k] * inverse;
}

static inline void mix3(const float v[3][3], const float b[3], float out[3]) {
  for (int c = 0; c < 3; c++) out[c] = (b[0] * v[0][c] + b[1] * v[1][c]) + b[2] * v[2][c];
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

static void cell_colours(snShader* s, const snPart* part, const float local[3], sn4f* out) {
  float a = local[0] * part->half[0] / part->cell[0], b = local[1] * part->half[1] / part->cell[1];
  if (!(fabsf(a) < 1e6f && fabsf(b) < 1e6f)) a = b = 0;
  int i = floor_cell(a), j = floor_cell(b);
  // cells at the rim are narrower
  float low[2] = {(float)i, (float)j}, high[2] = {low[0] + 1, low[1] + 1}, f[2] = {a, b};
  for (int k = 0; k < 2; k++) {
    float end = part->half[k] / part->cell[k];
    if (high[k] > end) high[k] = end;
    if (low[k] < -end) low[k] = -end;
    f[k] = high[k] > low[k] ? (f[k] - low[k]) / (high[k] - low[k]) : 0;
    f[k] = f[k] < 0 ? 0 : f[k] > 1 ? 1 : f[k];
  }
  const snCell* c00 = cell_find(s, part, i, j);
  snCell corner = *c00;
  snCell c10 = *cell_find(s, part, i + 1, j), c01 = *cell_find(s, part, i, j + 1);
  bool upper = f[0] + f[1] > 1;
  for (int k = 0; k <= s->shadows; k++) {
    if (upper) continue;
    out[k] = corner.colour[k] + f[0] * (c10.colour[k] - corner.colour[k]) +
             f[1] * (c01.colour[k] - corner.colour[k]);
  }
  if (!upper) return;
  const snCell* c11 = cell_find(s, part, i + 1, j + 1);
  for (int k = 0; k <= s->shadows; k++) {
    out[k] = c11->colour[k] + (1 - f[0]) * (c01.colour[k] - c11->colour[k]) +
             (1 - f[1]) * (c10.colour[k] - c11->colour[k]);
  }
}

// ---- texture

// The level follows the longer side of a pixel's footprint, in texels.
static sn4f texture_at(const snLit* lit, const float b[3], int x, int y) {
  const snPart* part = lit->part;
  const snTexture* t = part->texture;
  float right[3], up[3];
  lit_weights(lit, (float)x + 1, (float)y, right);
  lit_weights(lit, (float)x, (float)y + 1, up);
  if (part->mapping == snMAP_CUBE) {
    float d[3], dr[3], du[3];
    mix3(lit->local, b, d);
    mix3(lit->local, right, dr);
    mix3(lit->local, up, du);
    float most = fabsf(d[0]) > fabsf(d[1]) ? fabsf(d[0]) : fabsf(d[1]), a = 0, c = 0;
    if (fabsf(d[2]) > most) most = fabsf(d[2]);
    for (int k = 0; k < 3; k++) {
      a += (dr[k] - d[k]) * (dr[k] - d[k]);
      c += (du[k] - d[k]) * (du[k] - d[k]);
    }
    float texels = most > 0 ? 0.5f * (float)t->wide[0] / most : 0;
    return texel_cube(t, d, texel_level((a > c ? a : c) * texels * texels));
  }
  float uv[2], ur[2], uu[2];
  for (int c = 0; c < 2; c++) {
    uv[c] = (b[0] * lit->uv[0][c] + b[1] * lit->uv[1][c]) + b[2] * lit->uv[2][c];
    ur[c] = (right[0] * lit->uv[0][c] + right[1] * lit->uv[1][c]) + right[2] * lit->uv[2][c];
    uu[c] = (up[0] * lit->uv[0][c] + up[1] * lit->uv[1][c]) + up[2] * lit->uv[2][c];
  }
  float w = (float)t->wide[0], h = (float)t->high[0];
  float ax = (ur[0] - uv[0]) * w, ay = (ur[1] - uv[1]) * h;
  float bx = (uu[0] - uv[0]) * w, by = (uu[1] - uv[1]) * h;
  float a = ax * ax + ay * ay, c = bx * bx + by * by;
  return texel_flat(t, uv[0], uv[1], texel_level(a > c ? a : c));
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
  float b[3], world[3];
  sn4f cells[1 + snPASSLIGHTS], sum;
  lit_weights(lit, (float)x, (float)y, b);
  bool plane = part->cell[0] > 0;
  if (plane) {
    float local[3];
    mix3(lit->local, b, local);
    if (part->mapping == snMAP_CUBE) {
      for (int k = 0; k < 2; k++) local[k] /= part->map[k];
    }
    cell_colours(s, part, local, cells);
    sum = cells[0];
  } else {
    sum = b[0] * lit->colour[0][0] + b[1] * lit->colour[1][0] + b[2] * lit->colour[2][0];
  }
  mix3(lit->world, b, world);
  sum = sn4f_clamp(sum);
  float alpha = part->rgba[3];
  for (int k = 1; k <= s->shadows; k++) {
    sn4f light =
        plane ? cells[k]
              : b[0] * lit->colour[0][k] + b[1] * lit->colour[1][k] + b[2] * lit->colour[2][k];
    light = sn4f_clamp(light);
    if (light[0] + light[1] + light[2] < 1e-3f) continue;
    sum += shadow_share(s->frame, k - 1, world) * light;
  }
  if (part->texture) {
    sn4f texel = texture_at(lit, b, x, y);
    alpha *= texel[3];
    sum *= texel;
  }
  if (part->mirror >= 0) sum = sn4f_clamp(sum) + mirror_light(s, lit, x, y);
  sum = sn4f_clamp(sum);
  sum[3] = alpha;
  if (flags[mjRND_FOG]) sum = fog_over(s, world, sum);
  if (part->infinite && s->sky) sum = haze_plane(s, part, world, sum, x, y);
  return sum;
}
