// Small triangles: one colour each, the light in the middle of the triangle.
//
// On dense meshes most triangles that are seen cover a pixel or two. Light at their corners, mixed
// over so few pixels, is light in the middle: one point instead of three, no slopes, and eight
// triangles at a time. That holds where normals hardly turn within the triangle. The point is p =
// (v0 + v1 + v2) / 3, the normal the sum of the corners' normals; shadows are looked up at p.
#include "draw/passes.h"

#include "draw/corners.h"
#include "draw/light.h"
#include "draw/shade.h"
#include "draw/shadow.h"

enum { snAHEAD = 3 };  // rows of pixels in which further triangles are looked for

// Up to eight triangles of one part: the one that is needed, and others that are seen near it.
static int flats_gather(snShader* s, uint32_t id, int x, int y, uint32_t found[8]) {
  const snTile* tile = s->tile;
  uint32_t part = frame_triangle(s->frame, id)->part;
  int count = 1, end = (tile->width - x < 8 ? tile->width - x : 8) * tile->pattern->samples;
  found[0] = id;
  s->flat[id & (snFLATS - 1)].id = id;
  for (int row = y; row < y + snAHEAD && row < tile->height; row++) {
    const uint32_t* ids = tile->id + (size_t)row * (size_t)tile->stride;
    ids += (size_t)(x * tile->pattern->samples);
    for (uint32_t left = ids_fresh(ids, end); left; left &= left - 1) {
      uint32_t other = ids[__builtin_ctz(left)];
      if (s->flat[other & (snFLATS - 1)].id == other || !flat_is(s, other)) continue;
      if (frame_triangle(s->frame, other)->part != part) continue;
      s->flat[other & (snFLATS - 1)].id = other;
      found[count++] = other;
      if (count == 8) return count;
    }
  }
  return count;
}

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

// Middles and the sums of normals, in the surface's frame; lanes in which all normals are near the
// face's, which light does not tell apart: the cosine is at least `even`.
SN_INLINE sn8i flats_middle(const snSurface* surface, const snTriangleCorners* corners, sn8f even,
                            sn8f middle[3], sn8f normal[3]) {
  sn8i alike = sn8i_set1(-1);
  sn8f flat[3];
  for (int c = 0; c < 3; c++) {
    sn8f sum = sn8f_load(corners->pos[0][c]) + sn8f_load(corners->pos[1][c]);
    middle[c] = (sum + sn8f_load(corners->pos[2][c])) * (1.0f / 3);
  }
  corners_flat(corners, flat);
  sn8f_unit3(flat);
  for (int c = 0; c < 3; c++) normal[c] = surface->normal ? sn8f_set1(0) : flat[c];
  for (int k = 0; surface->normal && k < 3; k++) {
    sn8f own[3];
    for (int c = 0; c < 3; c++) own[c] = sn8f_load(corners->normal[k][c]);
    sn8f along = sn8f_dot3(own, flat);
    sn8i leans = surface->crease ? ~(along >= snCREASE) : sn8i_set1(0);
    alike &= (along >= even) | leans;
    for (int c = 0; c < 3; c++) normal[c] += sn8f_select(leans, flat[c], own[c]);
  }
  return alike;
}

SN_KERNEL
uint32_t flat_make(snShader* s, uint32_t id, int x, int y) {
  const sn8f one = sn8f_set1(1);
  uint32_t found[8], rgba[8];
  int count = flats_gather(s, id, x, y, found);
  const snDrawPart* part = &s->frame->part[frame_triangle(s->frame, id)->part];
  snTriangleCorners corners;
  sn8f cosine, middle[3], sum[3], pos[3], normal[3], light[1 + snPASSLIGHTS][3];
  for (int i = 0; i < 8; i++) {
    const snTriangle* t = frame_triangle(s->frame, found[i < count ? i : 0]);
    corners_load(part->surface, t->face, i, &corners);
    cosine[i] = even_cosine(t);
  }
  sn8i even = flats_middle(part->surface, &corners, cosine, middle, sum);
  world_point(part, middle, pos);
  world_normal(part, sum, normal);
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
