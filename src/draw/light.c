// Light at a vertex:
//   emission m + sum over lights  a s (m_a l_a + m_d l_d max(n.L, 0) + m_s l_s max(n.H, 0)^(128
//   shininess))
// with L to the light, V to the eye, H half way between them, a = 1/(k0 + k1 d + k2 d^2), and
// s = max(-L.D, 0)^exponent inside a spot's cone, 0 outside of it. The geom's colour is m_a = m_d,
// its specular number m_s is white. The last term needs n.L > 0.
#include "draw/light.h"

// log2 of the mantissa by 2/ln2 atanh((m-1)/(m+1)), then 2^f by its series around the nearest
// integer
float light_power(float x, float p) {
  if (!(x > 0)) return 0;
  if (p == 0) return 1;
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  int exponent = (int)(bits >> 23) - 127;
  bits = (bits & 0x7FFFFF) | 0x3F800000;
  float m;
  memcpy(&m, &bits, sizeof m);
  if (m > 1.41421354f) m *= 0.5f, exponent++;
  float t = (m - 1) / (m + 1), q = t * t;
  float log2 = (float)exponent +
               t * (2.88539008f + q * (0.961796694f + q * (0.577078016f + q * 0.412198583f)));
  float y = p * log2;
  if (!(y > -120)) return 0;
  if (y > 120) y = 120;
  int whole = (int)(y < 0 ? y - 0.5f : y + 0.5f);
  float f = (y - (float)whole) * 0.693147182f;
  float e =
      1 + f * (1 + f * (0.5f + f * (0.166666672f + f * (0.0416666679f + f * 0.00833333377f))));
  uint32_t scale = (uint32_t)(whole + 127) << 23;
  float s;
  memcpy(&s, &scale, sizeof s);
  return e * s;
}

static inline float dot3(const float a[3], const float b[3]) {
  return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static inline void unit3(float v[3]) {
  float square = dot3(v, v);
  if (!(square > 0)) return;
  float inverse = 1 / sqrtf(square);
  for (int i = 0; i < 3; i++) v[i] *= inverse;
}

// What one light adds, before clamping.
static sn4f lamp_light(const snLamp* lamp, const snPart* part, const float pos[3],
                       const float normal[3], const float view[3]) {
  float to[3], weight = 1;
  if (lamp->directional) {
    for (int i = 0; i < 3; i++) to[i] = -lamp->dir[i];
  } else {
    for (int i = 0; i < 3; i++) to[i] = lamp->pos[i] - pos[i];
    float distance = sqrtf(dot3(to, to));
    float inverse = distance > 0 ? 1 / distance : 0;
    for (int i = 0; i < 3; i++) to[i] *= inverse;
    weight = 1 / (lamp->attenuation[0] +
                  distance * (lamp->attenuation[1] + distance * lamp->attenuation[2]));
    if (lamp->cutoff > -1) {
      float along = -dot3(to, lamp->dir);
      weight = along >= lamp->cutoff ? weight * light_power(along, lamp->exponent) : 0;
    }
  }
  float diffuse = dot3(normal, to), specular = 0;
  if (diffuse > 0) {
    if (part->specular > 0 && lamp->shines) {
      float half[3] = {to[0] + view[0], to[1] + view[1], to[2] + view[2]};
      unit3(half);
      specular = part->specular * light_power(dot3(normal, half), 128 * part->shininess);
    }
  } else {
    diffuse = 0;
  }
  sn4f colour = sn4f_load(part->rgba);
  sn4f spread = sn4f_load(lamp->ambient) + diffuse * sn4f_load(lamp->diffuse);
  return weight * (colour * spread + specular * sn4f_load(lamp->specular));
}

void light_vertex(const snFrame* frame, const snPass* pass, const snPart* part, const float pos[3],
                  const float normal[3], sn4f* out) {
  if (part->unlit) {
    for (int i = 0; i <= snPASSLIGHTS; i++) out[i] = (sn4f){0, 0, 0, 0};
    out[0] = sn4f_load(part->rgba);
    return;
  }
  float view[3];
  for (int i = 0; i < 3; i++) view[i] = pass->eye[i] - pos[i];
  unit3(view);
  sn4f sum = part->emission * sn4f_load(part->rgba);
  int shadows = 0;
  for (int i = 0; i < frame->nlamp; i++) {
    sn4f light = lamp_light(&frame->lamp[i], part, pos, normal, view);
    if (frame->lamp[i].shadow) {
      light[3] = 0;
      out[++shadows] = sn4f_clamp(light);
    } else {
      sum += light;
    }
  }
  sum = sn4f_clamp(sum);
  sum[3] = part->rgba[3];
  out[0] = sum;
}
