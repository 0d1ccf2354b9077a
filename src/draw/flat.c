// Small triangles: one colour each, the light in the middle of the triangle.
//
// On dense meshes most triangles that are seen cover a pixel or two. Light at their corners, mixed
// over so few pixels, is light in the middle: one point instead of three, no slopes, and eight
// triangles at a time. That holds where normals hardly turn within the triangle. The point is p =
// (v0 + v1 + v2) / 3, the normal the sum of the corners' normals; shadows are looked up at p.
#include "draw/passes.h"

#include "draw/light.h"
#include "draw/shade.h"
#include "draw/shadow.h"

enum { snAHEAD = 3 };  // rows of pixels in which further triangles are looked for

// Up to eight triangles of one part: the one that is needed, and others that are seen near it.
static int flats_gather(snShader* s, uint32_t id, int x, int y, uint32_t found[8]) {
  const snTile* tile = s->tile;
  uint32_t part = frame_triangle(s->frame, id)->part, last = id;
  int count = 1, end = (tile->width - x < 8 ? tile->width - x : 8) * tile->pattern->samples;
  found[0] = id;
  s->flat[id & (snFLATS - 1)].id = id;
  for (int row = y; row < y + snAHEAD && row < tile->height; row++) {
    const uint32_t* ids = tile->id + (size_t)row * (size_t)tile->stride;
    ids += (size_t)(x * tile->pattern->samples);
    for (int k = 0; k < end; k++) {
      if (ids[k] == last || ids[k] == snNOTHING) continue;
      last = ids[k];
      if (s->flat[last & (snFLATS - 1)].id == last || !flat_is(s, last)) continue;
      if (frame_triangle(s->frame, last)->part != part) continue;
      s->flat[last & (snFLATS - 1)].id = last;
      found[count++] = last;
      if (count == 8) return count;
    }
  }
  return count;
}

// Positions and normals of the corners, a lane for each triangle.
typedef struct snFlatCorners_ {
  float pos[3][3][8], normal[3][3][8];  // corner, coordinate
  float even[8];  // cosine of the normals and the face's from which on the triangle is even
} snFlatCorners;

// Normals of an even triangle turn by at most a quarter radian per pixel across it: in a thinner
// triangle light changes faster, and is not that of the middle at a pixel's centre beside it. With
// the height h of the triangle over its longest side, the angle between normals and face is at most
// h/4, and its cosine at least 1 - h^2/32.
static float even_cosine(const snTriangle* t) {
  float longest = 1;
  for (int k = 0; k < 3; k++) {
    int n = k == 2 ? 0 : k + 1;
    float dx = (float)(t->x[n] - t->x[k]), dy = (float)(t->y[n] - t->y[k]);
    if (dx * dx + dy * dy > longest) longest = dx * dx + dy * dy;
  }
  float area = (float)(t->x[1] - t->x[0]) * (float)(t->y[2] - t->y[0]) -
               (float)(t->x[2] - t->x[0]) * (float)(t->y[1] - t->y[0]);
  return 1 - area * area / (longest * (32.0f * snSUB * snSUB));
}

static void corners_load(const snFrame* frame, const snSurface* surface, uint32_t id, int lane,
                         snFlatCorners* corners) {
  const snTriangle* t = frame_triangle(frame, id);
  uint32_t face = t->face;
  corners->even[lane] = even_cosine(t);
  const int* index = surface->face + 3 * face;
  for (int k = 0; k < 3; k++) {
    corners->pos[k][0][lane] = surface->x[index[k]];
    corners->pos[k][1][lane] = surface->y[index[k]];
    corners->pos[k][2][lane] = surface->z[index[k]];
    if (!surface->normal) continue;
    const float* n = surface->normal + 3 * surface->facenormal[3 * face + (uint32_t)k];
    for (int c = 0; c < 3; c++) corners->normal[k][c][lane] = n[c];
  }
}

// At unit length; zero stays zero.
SN_INLINE void unit3(sn8f v[3]) {
  const sn8f zero = sn8f_set1(0), one = sn8f_set1(1);
  sn8f square = sn8f_dot3(v, v);
  sn8i some = square > zero;
  sn8f inverse = sn8f_select(some, one / sn8f_sqrt(sn8f_select(some, square, one)), zero);
  for (int c = 0; c < 3; c++) v[c] *= inverse;
}

// Middles and the sums of normals, in the surface's frame; lanes in which all normals are near the
// face's, which light does not tell apart. A normal that leans too far from the face gives way to
// the face's, as at the corners of larger triangles (lit.c).
SN_INLINE sn8i flats_middle(const snSurface* surface, const snFlatCorners* corners, sn8f middle[3],
                            sn8f normal[3]) {
  sn8i even = sn8i_set1(-1);
  sn8f v[3][3], a[3], b[3];
  for (int k = 0; k < 3; k++) {
    for (int c = 0; c < 3; c++) v[k][c] = sn8f_load(corners->pos[k][c]);
  }
  for (int c = 0; c < 3; c++) {
    middle[c] = ((v[0][c] + v[1][c]) + v[2][c]) * (1.0f / 3);
    a[c] = v[1][c] - v[0][c], b[c] = v[2][c] - v[0][c];
  }
  sn8f flat[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  unit3(flat);
  for (int c = 0; c < 3; c++) normal[c] = surface->normal ? sn8f_set1(0) : flat[c];
  for (int k = 0; surface->normal && k < 3; k++) {
    sn8f own[3];
    for (int c = 0; c < 3; c++) own[c] = sn8f_load(corners->normal[k][c]);
    sn8f along = sn8f_dot3(own, flat);
    sn8i leans = surface->crease ? ~(along >= 0.8f) : sn8i_set1(0);
    even &= (along >= sn8f_load(corners->even)) | leans;
    for (int c = 0; c < 3; c++) normal[c] += sn8f_select(leans, flat[c], own[c]);
  }
  return even;
}

SN_KERNEL
uint32_t flat_make(snShader* s, uint32_t id, int x, int y) {
  const sn8f one = sn8f_set1(1);
  uint32_t found[8], rgba[8];
  int count = flats_gather(s, id, x, y, found);
  const snDrawPart* part = &s->frame->part[frame_triangle(s->frame, id)->part];
  snFlatCorners corners;
  for (int i = 0; i < 8; i++) {
    corners_load(s->frame, part->surface, found[i < count ? i : 0], i, &corners);
  }
  sn8f middle[3], sum[3], pos[3], normal[3], light[1 + snPASSLIGHTS][3];
  sn8i even = flats_middle(part->surface, &corners, middle, sum);
  for (int r = 0; r < 3; r++) {
    const float *m = part->mat + 3 * r, *n = part->normal + 3 * r;
    pos[r] = part->pos[r] + ((m[0] * middle[0] + m[1] * middle[1]) + m[2] * middle[2]);
    normal[r] = (n[0] * sum[0] + n[1] * sum[1]) + n[2] * sum[2];
  }
  unit3(normal);
  light_points(s->frame, s->pass, part, pos, normal, light);
  int bits = (1 << count) - 1;
  for (int l = 1; l <= s->shadows; l++) {
    int lit = bits & sn8i_bits(light[l][0] + light[l][1] + light[l][2] >= 2e-3f);
    if (lit && !s->pass->image) lit = shadow_lit(&s->frame->shadow[l - 1], pos, lit);
    sn8i mask = sn8i_from_bits(lit);
    for (int c = 0; c < 3; c++) light[0][c] += (sn8f)((sn8i)light[l][c] & mask);
  }
  sn8i packed = sn8i_set1((int)0xFF000000u);  // 0 where normals differ
  for (int c = 0; c < 3; c++) {
    if (s->pass->image) light[0][c] *= s->share;
    sn8f value = sn8f_min(light[0][c], one) * 255.0f + 0.5f;
    packed |= __builtin_convertvector(value, sn8i) << 8 * c;
  }
  sn8i_store((int*)rgba, packed & even);
  for (int i = 0; i < count; i++) {
    snFlat* flat = &s->flat[found[i] & (snFLATS - 1)];
    if (flat->id == found[i]) flat->rgba = rgba[i];
  }
  return rgba[0];
}
