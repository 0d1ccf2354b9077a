// The sky: a cube around the eye without a distance; haze between it and planes without an end.
#include "draw/shade.h"
#include "draw/texture.h"

// Direction through the centre of a pixel, not of unit length.
static void ray_through(const snShader* s, int x, int y, float ray[3]) {
  float px = (float)(s->tile->x0 + x) + 0.5f, py = (float)(s->tile->y0 + y) + 0.5f;
  const float* m = s->pass->inverse;
  for (int k = 0; k < 3; k++) ray[k] = (m[3 * k] * px + m[3 * k + 1] * py) + m[3 * k + 2];
}

// World (x, y, z) is (x, z, -y) in the cube: z is up in the world, y in a cube map.
static sn4f sky_look(const snShader* s, const float ray[3]) {
  float direction[3] = {ray[0], ray[2], -ray[1]};
  sn4f colour = texel_cube(s->sky, direction, 0);
  colour[3] = 1;
  return colour;
}

// Radius within which the haze is full, as a share of the distance of the far plane; things beyond
// it are behind the sky.
#define snHAZE_RADIUS 0.7f

// The haze is a cone around the eye's foot on the plane. In a section through the axis it goes from
// (R(1-h), 0), where it is clear, along the plane to (R, 0), where it is full, and up to
// (R(1+h), H), the height of the eye, where it is clear again. Along a ray that falls by `slope`
// per unit of horizontal distance:
//   on the plane at r = H/slope:  (r - R(1-h)) / (R h)
//   above it, with t in [0, 1] from (R, 0):  H - r slope = t H with r = R(1 + t h)
static float haze_density(float slope, float height, float radius, float haze) {
  if (!(slope > 0) || !(height > 0) || !(haze > 0)) return 0;
  float at = height / slope;
  if (at < radius) {
    float density = (at - radius * (1 - haze)) / (radius * haze);
    return density > 0 ? density : 0;
  }
  float steep = slope / height, t = (1 - radius * steep) / (1 + radius * haze * steep);
  return t < 0 ? 1 : t > 1 ? 0 : 1 - t;
}

// Slope of a ray against a plane, and the eye's height above it.
static float plane_slope(const snShader* s, const snPart* plane, const float ray[3],
                         float* height) {
  float normal[3], length = 0, down = 0, square = 0;
  *height = 0;
  for (int k = 0; k < 3; k++) {
    normal[k] = plane->normal[3 * k + 2];
    length += normal[k] * normal[k];
  }
  float inverse = length > 0 ? 1 / sqrtf(length) : 0;
  for (int k = 0; k < 3; k++) {
    *height += normal[k] * inverse * (s->pass->eye[k] - plane->pos[k]);
    down -= normal[k] * inverse * ray[k];
    square += ray[k] * ray[k];
  }
  float flat = square - down * down;
  return flat > 0 ? down / sqrtf(flat) : 1e30f;
}

static sn4f haze_mix(const snShader* s, float density, sn4f colour) {
  sn4f haze = sn4f_load(s->order->assets->vis.rgba.haze);
  sn4f mixed = colour + density * (haze - colour);
  mixed[3] = colour[3];
  return mixed;
}

static float haze_at(const snShader* s, const snPart* plane, const float ray[3]) {
  float height, slope = plane_slope(s, plane, ray, &height);
  return haze_density(slope, height, snHAZE_RADIUS * s->pass->far, s->order->assets->vis.map.haze);
}

sn4f haze_plane(const snShader* s, const snPart* plane, const float world[3], sn4f colour) {
  float ray[3], square = 0, radius = snHAZE_RADIUS * s->pass->far;
  for (int k = 0; k < 3; k++) {
    ray[k] = world[k] - s->pass->eye[k];
    square += ray[k] * ray[k];
  }
  float clear = radius * (1 - s->order->assets->vis.map.haze);
  if (square < clear * clear || plane->transparent) return colour;
  if (square > radius * radius) colour = sky_look(s, ray);
  return s->order->scene->flags[mjRND_HAZE] ? haze_mix(s, haze_at(s, plane, ray), colour) : colour;
}

sn4f sky_pixel(const snShader* s, int x, int y) {
  const mjtByte* flags = s->order->scene->flags;
  if (s->pass->image) return (sn4f){0, 0, 0, 1};
  if (flags[mjRND_FOG]) {
    sn4f fog = sn4f_load(s->order->style.fog);
    fog[3] = 1;
    return fog;
  }
  if (!s->sky) return (sn4f){0, 0, 0, 1};
  float ray[3];
  ray_through(s, x, y, ray);
  sn4f colour = sky_look(s, ray);
  if (!flags[mjRND_HAZE]) return colour;
  for (int i = 0; i < s->nendless; i++) {
    colour = haze_mix(s, haze_at(s, s->endless[i], ray), colour);
  }
  return colour;
}
