// The sky: a cube around the eye without a distance; haze between it and planes without an end.
#ifndef SINEW_DRAW_SKY_H_
#define SINEW_DRAW_SKY_H_

#include "draw/shade.h"
#include "draw/texture.h"

// World (x, y, z) is (x, z, -y) in the cube: z is up in the world, y in a cube map.
// From one pixel to the next a ray whose part along the view is 1 moves by a column of the pass's
// inverse; on a face of the cube, half a side away, by that over its largest coordinate. One lane
// stands for all.
SN_INLINE snLevelMix sky_level(const snShader* s, const sn8f ray[3]) {
  const float *m = s->pass->inverse, *ahead = s->pass->forward;
  float along = 0, most = 0, right = 0, up = 0;
  for (int k = 0; k < 3; k++) {
    float at = ray[k][3];
    along += ahead[k] * at;
    if (fabsf(at) > most) most = fabsf(at);
    right += m[3 * k] * m[3 * k];
    up += m[3 * k + 1] * m[3 * k + 1];
  }
  float side = most > 0 ? 0.5f * (float)s->sky->wide[0] * along / most : 0;
  sn8i mix[2];
  levels_mix(s->sky, sn8f_set1(side * side * (right > up ? right : up)), mix);
  return level_mix(mix, 0);
}

SN_INLINE snTexels sky_texels(const snShader* s, const sn8f ray[3], snLevelMix mix) {
  snLook look;
  look_cube(&look, ray[0], ray[2], -ray[1]);
  return texel_look(s->sky, &look, false, mix);
}

// Parallel rays meet the sky on the wall of the tower that it is painted on (tile.c): p + t f, with p
// the pixel's place beside the eye and t the least of (w - n_k . p) / (n_k . f) over its sides, and
// of the way to its ends.
SN_INLINE void sky_wall(const snShader* s, sn8f px, sn8f py, sn8f ray[3]) {
  const snPass* pass = s->pass;
  const float *m = pass->matrix, *f = pass->forward;
  float radius = snHAZE_RADIUS * pass->far, wall = radius * (float)sn_cos(mjPI / s->sides);
  sn8f offset[2] = {px, py}, p[3], t = sn8f_set1(1e30f);
  for (int r = 0; r < 3; r++) p[r] = sn8f_set1(0);
  for (int k = 0; k < 2; k++, m += 4) {  // pixel = m . x + m[3]: a row is a pixel's side to the -1
    float square = m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
    float eye = m[0] * pass->eye[0] + m[1] * pass->eye[1] + m[2] * pass->eye[2] + m[3];
    for (int r = 0; r < 3; r++) p[r] += (offset[k] - eye) * (m[r] / square);
  }
  for (int k = 0; k < s->sides; k++) {
    float x = s->side[k][0], y = s->side[k][1], along = x * f[0] + y * f[1];
    if (along > 1e-6f) t = sn8f_min((wall - (x * p[0] + y * p[1])) / along, t);
  }
  if (fabsf(f[2]) > 1e-6f) {
    t = sn8f_min((radius - (f[2] > 0 ? p[2] : -p[2])) / fabsf(f[2]), t);
  }
  for (int r = 0; r < 3; r++) ray[r] = p[r] + t * f[r];
}

// The haze is a cone around the eye's foot on the plane: in a section through the axis it goes from
// (R (1 - h), 0), where it is clear, up to (R, H), the height of the eye, where it is clear again. It
// is full where it hides the plane's points at R. Along a ray that falls by `slope` per unit of
// horizontal distance, with q = R slope / H, it is met at the share u = 1 - q / (1 + q h) of its
// height, and full at u = h / (1 + h).
SN_INLINE sn8f haze_density(sn8f slope, float height, float radius, float haze) {
  const sn8f zero = sn8f_set1(0);
  if (!(height > 0) || !(haze > 0)) return zero;
  sn8i down = slope > zero;
  sn8f q = sn8f_select(down, slope, sn8f_set1(1)) * (radius / height);
  sn8f scale = (1 + haze) / (1 + haze * q);
  sn8f below = (1 - q * (1 - haze)) * scale * (1 / haze), above = q * scale;
  return (sn8f)((sn8i)sn8f_max(sn8f_min(below, above), zero) & down);
}

// Mix the haze of a plane into what is seen along rays.
SN_INLINE void haze_over(const snShader* s, const snHorizon* plane, const sn8f ray[3], sn8i where,
                         sn8f channel[3]) {
  const snAssets* assets = s->order->assets;
  const float* n = plane->normal;
  sn8f down = -((n[0] * ray[0] + n[1] * ray[1]) + n[2] * ray[2]);
  if (!sn8i_any(down > sn8f_set1(0))) return;
  sn8f flat = (ray[0] * ray[0] + ray[1] * ray[1]) + ray[2] * ray[2] - down * down;
  sn8i some = flat > sn8f_set1(0);
  sn8f length = sn8f_sqrt(sn8f_select(some, flat, sn8f_set1(1)));
  sn8f slope = sn8f_select(some, down / length, sn8f_set1(1e30f));
  sn8f density =
      haze_density(slope, plane->height, snHAZE_RADIUS * s->pass->far, assets->vis.map.haze);
  density = sn8f_select(where, density, sn8f_set1(0));
  for (int c = 0; c < 3; c++) {
    channel[c] = sn8f_clamp(channel[c] + density * (assets->vis.rgba.haze[c] - channel[c]));
  }
}

// Haze and sky over points of an endless plane; they hide glass, which is drawn behind them.
SN_INLINE void haze_plane(const snShader* s, const snDrawPart* part, const sn8f world[3], int bits,
                          sn8f channel[4]) {
  const snHorizon* plane = s->endless;
  while (plane < s->endless + s->nendless && plane->part->geom != part->geom) plane++;
  if (plane == s->endless + s->nendless) return;
  bool haze = s->order->scene->flags[mjRND_HAZE];
  float radius = snHAZE_RADIUS * s->pass->far;
  sn8f ray[3];
  for (int k = 0; k < 3; k++) ray[k] = world[k] - s->pass->eye[k];
  sn8f square = (ray[0] * ray[0] + ray[1] * ray[1]) + ray[2] * ray[2];
  sn8i hazy = square >= s->clear * s->clear, beyond = square > radius * radius;
  if (!(sn8i_bits(hazy) & bits)) return;
  if (part->transparent) {
    channel[3] = (sn8f)((sn8i)channel[3] & ~(haze && plane->height > 0 ? hazy : beyond));
    return;
  }
  if (sn8i_bits(beyond) & bits) {
    snTexels sky = sky_texels(s, ray, sky_level(s, ray));
    for (int c = 0; c < 3; c++) {
      channel[c] = sn8f_select(beyond, texels_channel(sky, c) * (1.0f / 255), channel[c]);
    }
  }
  if (haze) haze_over(s, plane, ray, hazy, channel);
}

#endif
