// Drawing in two dimensions on a buffer: rectangles, triangles, lines, masks (glyphs).
//
// Coverage of a pixel is a weight w from 0 to 255, and new = old + (ink - old) w / 255 in
// integers, so that text and figures have the same bits on every processor. Lines are antialiased
// by their distance from the pixel's centre.
#include "draw/draw.h"

// The part of a rectangle inside the clip and the buffer; false when nothing is left. Sums of ints
// from a program may overflow: they are taken in 64 bits.
static bool canvas_clip(const snBuffer* buffer, mjrRect clip, long long x0, long long y0,
                        long long x1, long long y1, int box[4]) {
  long long right = (long long)clip.left + clip.width, top = (long long)clip.bottom + clip.height;
  if (x0 < clip.left) x0 = clip.left;
  if (y0 < clip.bottom) y0 = clip.bottom;
  if (x0 < 0) x0 = 0;
  if (y0 < 0) y0 = 0;
  if (x1 > right) x1 = right;
  if (y1 > top) y1 = top;
  if (x1 > buffer->width) x1 = buffer->width;
  if (y1 > buffer->height) y1 = buffer->height;
  if (x0 >= x1 || y0 >= y1) return false;
  box[0] = (int)x0, box[1] = (int)y0, box[2] = (int)x1, box[3] = (int)y1;
  return true;
}

static int canvas_byte(float x) { return !(x > 0) ? 0 : x >= 1 ? 255 : (int)(x * 255.0f + 0.5f); }

// Colour and weight of a shape as bytes.
typedef struct snInk_ {
  int rgb[3], alpha;
} snInk;

static snInk canvas_ink(const float rgba[4]) {
  return (snInk){{canvas_byte(rgba[0]), canvas_byte(rgba[1]), canvas_byte(rgba[2])},
                 canvas_byte(rgba[3])};
}

// weight from 0 to 255: new = old + (ink - old) weight / 255, rounded
static inline void canvas_blend(unsigned char* pixel, const snInk* ink, int weight) {
  for (int c = 0; c < 3; c++) {
    pixel[c] = (unsigned char)((ink->rgb[c] * weight + pixel[c] * (255 - weight) + 127) / 255);
  }
}

static inline unsigned char* canvas_pixel(const snBuffer* buffer, int x, int y) {
  return buffer->rgba + 4 * ((size_t)y * (size_t)buffer->width + (size_t)x);
}

void canvas_rectangle(snBuffer* buffer, mjrRect clip, mjrRect r, const float rgba[4]) {
  int box[4];
  snInk ink = canvas_ink(rgba);
  if (!canvas_clip(buffer, clip, r.left, r.bottom, (long long)r.left + r.width,
                   (long long)r.bottom + r.height, box)) {
    return;
  }
  for (int y = box[1]; y < box[3]; y++) {
    for (int x = box[0]; x < box[2]; x++) canvas_blend(canvas_pixel(buffer, x, y), &ink, ink.alpha);
  }
}

// Bounds of points in whole pixels; false when a coordinate is NaN.
static bool canvas_bounds(const float* xy, int count, float grow, long long bounds[4]) {
  float low[2] = {xy[0], xy[1]}, high[2] = {xy[0], xy[1]};
  for (int i = 0; i < count; i++) {
    for (int k = 0; k < 2; k++) {
      float v = xy[2 * i + k];
      if (!(v > -1e9f && v < 1e9f)) return false;
      if (v < low[k]) low[k] = v;
      if (v > high[k]) high[k] = v;
    }
  }
  for (int k = 0; k < 2; k++) {
    bounds[k] = (long long)floor((double)low[k] - (double)grow);
    bounds[2 + k] = (long long)ceil((double)high[k] + (double)grow);
  }
  return true;
}

// Coverage falls from 1 to 0 over one pixel around the edge at half the width.
void canvas_line(snBuffer* buffer, mjrRect clip, const float from[2], const float to[2],
                 float width, const float rgba[4]) {
  float xy[4] = {from[0], from[1], to[0], to[1]};
  long long bounds[4];
  int box[4];
  snInk ink = canvas_ink(rgba);
  if (!(width >= 1)) width = 1;
  if (width > 1000) width = 1000;
  if (!canvas_bounds(xy, 2, width / 2 + 1, bounds) ||
      !canvas_clip(buffer, clip, bounds[0], bounds[1], bounds[2], bounds[3], box)) {
    return;
  }
  double dx = (double)to[0] - from[0], dy = (double)to[1] - from[1];
  double length = sqrt(dx * dx + dy * dy);
  if (length == 0) return;
  dx /= length, dy /= length;
  for (int y = box[1]; y < box[3]; y++) {
    for (int x = box[0]; x < box[2]; x++) {
      double px = x + 0.5 - from[0], py = y + 0.5 - from[1];
      double along = px * dx + py * dy, across = fabs(px * dy - py * dx);
      double ends = sn_min(along, length - along) + 0.5, edge = width / 2 - across + 0.5;
      double cover = sn_min(sn_min(ends, edge), 1);
      if (cover <= 0) continue;
      canvas_blend(canvas_pixel(buffer, x, y), &ink, (int)(cover * ink.alpha + 0.5));
    }
  }
}

void canvas_mask(snBuffer* buffer, mjrRect clip, int x, int y, int width, int height, int pitch,
                 const unsigned char* coverage, const float rgba[4]) {
  int box[4];
  snInk ink = canvas_ink(rgba);
  if (!canvas_clip(buffer, clip, x, y, (long long)x + width, (long long)y + height, box)) return;
  for (int j = box[1]; j < box[3]; j++) {
    const unsigned char* row = coverage + (size_t)(j - y) * (size_t)pitch;
    for (int i = box[0]; i < box[2]; i++) {
      int weight = (row[i - x] * ink.alpha + 127) / 255;
      if (weight) canvas_blend(canvas_pixel(buffer, i, j), &ink, weight);
    }
  }
}
