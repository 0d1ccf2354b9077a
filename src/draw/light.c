// Light at a vertex:
//   emission m + sum over lights  a s (m_a l_a + m_d l_d max(n.L, 0) + m_s l_s max(n.H, 0)^(128
//   shininess))
// with L to the light, V to the eye, H half way between them, a = 1/(k0 + k1 d + k2 d^2), and
// s = max(-L.D, 0)^exponent inside a spot's cone, 0 outside of it. The geom's colour is m_a = m_d,
// its specular number m_s is white. The last term needs n.L > 0.
//
// Four vertices of one part at a time, a lane each: the corners of a triangle, or of a plane's
// cell.
#include "draw/light.h"

// x^p within 1e-5; 0 for x that is not positive. log2 of the mantissa by 2/ln2 atanh((m-1)/(m+1)),
// then 2^f by its series around the nearest integer.
SN_INLINE sn4f power4(sn4f x, float p) {
  const sn4f zero = {0, 0, 0, 0}, one = {1, 1, 1, 1};
  if (p == 0) return sn4f_select(x > zero, one, zero);
  sn4x exponent = ((sn4x)x >> 23) - 127;
  sn4f m = (sn4f)(((sn4x)x & 0x7FFFFF) | 0x3F800000);
  sn4x large = m > 1.41421354f;
  m = sn4f_select(large, 0.5f * m, m);
  exponent -= large;
  sn4f t = (m - 1) / (m + 1), q = t * t;
  sn4f log2 = __builtin_convertvector(exponent, sn4f) +
              t * (2.88539008f + q * (0.961796694f + q * (0.577078016f + q * 0.412198583f)));
  sn4f y = p * log2;
  sn4x valid = (x > zero) & (y > -120);
  y = sn4f_select(valid, sn4f_select(y > 120, sn4f_set1(120), y), zero);
  sn4x whole =
      __builtin_convertvector(y + sn4f_select(y < zero, sn4f_set1(-0.5f), sn4f_set1(0.5f)), sn4x);
  sn4f f = (y - __builtin_convertvector(whole, sn4f)) * 0.693147182f;
  sn4f e = 1 + f * (1 + f * (0.5f + f * (0.166666672f + f * (0.0416666679f + f * 0.00833333377f))));
  return sn4f_select(valid, e * (sn4f)((whole + 127) << 23), zero);
}

SN_INLINE sn4f dot3(const sn4f a[3], const sn4f b[3]) {
  return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

// 1 / sqrt(square), 0 where that has no value.
SN_INLINE sn4f inverse_length(sn4f square) {
  const sn4f zero = {0, 0, 0, 0}, one = {1, 1, 1, 1};
  sn4x some = square > zero;
  return sn4f_select(some, one / sn4f_sqrt(sn4f_select(some, square, one)), zero);
}

// What one light adds, before clamping.
SN_INLINE void lamp_light(const snLamp* lamp, const snDrawPart* part, const sn4f pos[3],
                          const sn4f normal[3], const sn4f view[3], sn4f light[3]) {
  const sn4f zero = {0, 0, 0, 0};
  sn4f to[3], weight = sn4f_set1(1), specular = zero;
  if (lamp->directional) {
    for (int i = 0; i < 3; i++) to[i] = sn4f_set1(-lamp->dir[i]);
  } else {
    for (int i = 0; i < 3; i++) to[i] = lamp->pos[i] - pos[i];
    sn4f square = dot3(to, to), inverse = inverse_length(square), distance = square * inverse;
    for (int i = 0; i < 3; i++) to[i] *= inverse;
    weight = 1 / (lamp->attenuation[0] +
                  distance * (lamp->attenuation[1] + distance * lamp->attenuation[2]));
    if (lamp->cutoff > -1) {
      sn4f along = -((to[0] * lamp->dir[0] + to[1] * lamp->dir[1]) + to[2] * lamp->dir[2]);
      weight = sn4f_select(along >= lamp->cutoff, weight * power4(along, lamp->exponent), zero);
    }
  }
  sn4f diffuse = sn4f_max(dot3(normal, to), zero);
  if (part->specular > 0 && lamp->shines) {
    sn4f half[3] = {to[0] + view[0], to[1] + view[1], to[2] + view[2]};
    sn4f along = dot3(normal, half) * inverse_length(dot3(half, half));
    specular = part->specular * power4(along, 128 * part->shininess);
    specular = sn4f_select(diffuse > zero, specular, zero);
  }
  for (int c = 0; c < 3; c++) {
    sn4f spread = lamp->ambient[c] + diffuse * lamp->diffuse[c];
    light[c] = weight * (part->rgba[c] * spread + specular * lamp->specular[c]);
  }
}

SN_KERNEL
void light_corners(const snFrame* frame, const snPass* pass, const snDrawPart* part,
                   const sn4f pos[3], const sn4f normal[3], sn4f out[1 + snPASSLIGHTS][3]) {
  sn4f view[3], light[3];
  int shadows = 0;
  for (int i = 0; i < 3; i++) view[i] = pass->eye[i] - pos[i];
  sn4f inverse = inverse_length(dot3(view, view));
  for (int i = 0; i < 3; i++) view[i] *= inverse;
  for (int c = 0; c < 3; c++) {
    out[0][c] = sn4f_set1((part->unlit ? 1 : part->emission) * part->rgba[c]);
  }
  for (int i = 0; i < frame->nlamp; i++) {
    const snLamp* lamp = &frame->lamp[i];
    if (lamp->shadow) shadows++;
    if (part->unlit) {
      for (int c = 0; c < 3 && lamp->shadow; c++) out[shadows][c] = sn4f_set1(0);
      continue;
    }
    lamp_light(lamp, part, pos, normal, view, light);
    for (int c = 0; c < 3; c++) {
      if (lamp->shadow) {
        out[shadows][c] = sn4f_clamp(light[c]);
      } else {
        out[0][c] += light[c];
      }
    }
  }
  for (int c = 0; c < 3; c++) out[0][c] = sn4f_clamp(out[0][c]);
}
