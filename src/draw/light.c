// Light at a vertex:
//   emission m + sum over lights  a s (m_a l_a + m_d l_d max(n.L, 0) + m_s l_s max(n.H, 0)^(128
//   shininess))
// with L to the light, V to the eye, H half way between them, a = 1/(k0 + k1 d + k2 d^2), and
// s = max(-L.D, 0)^exponent inside a spot's cone, 0 outside of it. The geom's colour is m_a = m_d,
// its specular number m_s is white. The last term needs n.L > 0.
//
// The sum is clamped at the vertex; but where shadows are seen each light that casts them is one of its
// own, which is added where it reaches.
//
// Eight points of one part at a time, a lane each: the corners of a triangle or of a plane's cell,
// or the middles of small triangles.
#include "draw/passes.h"

#include "draw/light.h"

// x^p within 1e-5; 0 for x that is not positive. log2 of the mantissa by 2/ln2 atanh((m-1)/(m+1)),
// then 2^f by its series around the nearest integer.
SN_INLINE sn8f power8(sn8f x, float p) {
  const sn8f zero = sn8f_set1(0), one = sn8f_set1(1);
  if (p == 0) return sn8f_select(x > zero, one, zero);
  sn8i exponent = ((sn8i)x >> 23) - 127;
  sn8f m = (sn8f)(((sn8i)x & 0x7FFFFF) | 0x3F800000);
  sn8i large = m > 1.41421354f;
  m = sn8f_select(large, 0.5f * m, m);
  exponent -= large;
  sn8f t = (m - 1) / (m + 1), q = t * t;
  sn8f log2 = __builtin_convertvector(exponent, sn8f) +
              t * (2.88539008f + q * (0.961796694f + q * (0.577078016f + q * 0.412198583f)));
  sn8f y = p * log2;
  sn8i valid = (x > zero) & (y > -120);
  y = sn8f_select(valid, sn8f_select(y > 120, sn8f_set1(120), y), zero);
  sn8i whole =
      __builtin_convertvector(y + sn8f_select(y < zero, sn8f_set1(-0.5f), sn8f_set1(0.5f)), sn8i);
  sn8f f = (y - __builtin_convertvector(whole, sn8f)) * 0.693147182f;
  sn8f e = 1 + f * (1 + f * (0.5f + f * (0.166666672f + f * (0.0416666679f + f * 0.00833333377f))));
  return sn8f_select(valid, e * (sn8f)((whole + 127) << 23), zero);
}

// What one light adds, before clamping.
SN_INLINE void lamp_light(const snLamp* lamp, const snDrawPart* part, const sn8f pos[3],
                          const sn8f normal[3], const sn8f view[3], sn8f light[3]) {
  const sn8f zero = sn8f_set1(0);
  sn8f to[3], weight = sn8f_set1(1), specular = zero;
  if (lamp->directional) {
    for (int i = 0; i < 3; i++) to[i] = sn8f_set1(-lamp->dir[i]);
  } else {
    for (int i = 0; i < 3; i++) to[i] = lamp->pos[i] - pos[i];
    sn8f square = sn8f_dot3(to, to), inverse = sn8f_inverse_length(square),
         distance = square * inverse;
    for (int i = 0; i < 3; i++) to[i] *= inverse;
    const float* fade = lamp->attenuation;
    if (fade[1] != 0 || fade[2] != 0) {
      weight = 1 / (fade[0] + distance * (fade[1] + distance * fade[2]));
    } else {
      weight = sn8f_set1(1 / fade[0]);
    }
    if (lamp->cutoff > -1) {
      sn8f along = -((to[0] * lamp->dir[0] + to[1] * lamp->dir[1]) + to[2] * lamp->dir[2]);
      if (!sn8i_any(along >= lamp->cutoff)) {
        for (int c = 0; c < 3; c++) light[c] = zero;
        return;
      }
      weight = sn8f_select(along >= lamp->cutoff, weight * power8(along, lamp->exponent), zero);
    }
  }
  sn8f diffuse = sn8f_max(sn8f_dot3(normal, to), zero);
  if (part->specular > 0 && lamp->shines) {
    sn8f half[3] = {to[0] + view[0], to[1] + view[1], to[2] + view[2]};
    sn8f along = sn8f_dot3(normal, half) * sn8f_inverse_length(sn8f_dot3(half, half));
    sn8i glossy = (diffuse > zero) & (along > part->gloss);
    if (sn8i_any(glossy)) {
      specular = part->specular * power8(along, 128 * part->shininess);
      specular = sn8f_select(glossy, specular, zero);
    }
  }
  for (int c = 0; c < 3; c++) {
    sn8f spread = lamp->ambient[c] + diffuse * lamp->diffuse[c];
    light[c] = weight * (part->rgba[c] * spread + specular * lamp->specular[c]);
  }
}

#define snDARK 0.3f  // of its colour a geom has without any light in the scene

SN_KERNEL
void light_points(const snFrame* frame, const snPass* pass, const snDrawPart* part,
                  const sn8f pos[3], const sn8f normal[3], sn8f out[1 + snPASSLIGHTS][3]) {
  sn8f view[3], light[3];
  int shadows = 0;
  bool apart = !part->transparent;  // lights of shadow maps
  for (int i = 0; i < 3; i++) view[i] = pass->eye[i] - pos[i];
  sn8f inverse = sn8f_inverse_length(sn8f_dot3(view, view));
  for (int i = 0; i < 3; i++) view[i] *= inverse;
  for (int c = 0; c < 3; c++) {
    float own = part->unlit ? 1 : part->emission + (frame->nlamp ? 0 : snDARK);
    out[0][c] = sn8f_set1(own * part->rgba[c]);
  }
  for (int i = 0; i < frame->nlamp; i++) {
    const snLamp* lamp = &frame->lamp[i];
    if (lamp->shadow) shadows++;
    if (part->unlit) {
      // a line has its colour again from each light that casts shadows
      float again = part->transparent ? 0 : 1;
      for (int c = 0; c < 3 && lamp->shadow; c++) {
        out[shadows][c] = sn8f_clamp(sn8f_set1(again * part->rgba[c]));
      }
      continue;
    }
    lamp_light(lamp, part, pos, normal, view, light);
    for (int c = 0; c < 3; c++) {
      if (lamp->shadow) out[shadows][c] = apart ? sn8f_clamp(light[c]) : sn8f_set1(0);
      if (!lamp->shadow || !apart) out[0][c] += light[c];
    }
  }
  for (int c = 0; c < 3; c++) out[0][c] = sn8f_clamp(out[0][c]);
}
