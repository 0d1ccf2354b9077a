// The font: strokes on a grid, drawn at any scale with smooth edges.
//
// One unit of the grid is one pixel at scale 100. Rows 0 to 17 are a line of text: the baseline is
// row 4, capitals end in row 14, small letters in row 11, descenders in row 0. A glyph is its
// advance and its strokes, apart by spaces; a stroke is a list of points, two characters each (x
// and y, digits of base 36), joined by straight lines, or after `~` the control points of a
// quadratic B-spline: it begins and ends in the outer points, goes through the middles between the
// others, and is closed where the first point is the last.
#include "draw/draw.h"

typedef struct snGlyph_ {
  int advance;
  const char* strokes;
} snGlyph;

static const snGlyph glyphs[95] = {
    {4, ""},                                     // space
    {4, "1e18 1414 1515"},                       // !
    {6, "1e1b 4e4b"},                            // "
    {9, "243e 647e 1b8b 0777"},                  // #
    {9, "~7c7e1e1979741416 4g42"},               // $
    {12, "~1b1e4e4b1b ~7477a7a474 249e"},        // %
    {10, "~942b2e6e6b18146489"},                 // &
    {3, "1e1b"},                                 // '
    {5, "~3f1c1532"},                            // (
    {5, "~1f3c3512"},                            // )
    {7, "3e39 1d5a 5d1a"},                       // *
    {9, "4b45 1878"},                            // +
    {4, "252412"},                               // ,
    {6, "1848"},                                 // -
    {4, "1424 1525"},                            // .
    {6, "035f"},                                 // /
    {8, "~141e6e6414"},                          // 0
    {8, "1c4e44"},                               // 1
    {8, "~1b1e6e6a14 1464"},                     // 2
    {8, "~1c1e6e6939 ~3969641416"},              // 3
    {8, "545e1767"},                             // 4
    {8, "6e1e19 ~193b6b641416"},                 // 5
    {8, "~6c6e1e14646a1a17"},                    // 6
    {8, "1e6e34"},                               // 7
    {8, "~1e6e69191e ~1969641419"},              // 8
    {8, "~1614646e1e18686b"},                    // 9
    {4, "1424 1525 192a 291a"},                  // :
    {4, "252412 192a 291a"},                     // ;
    {9, "7c1874"},                               // <
    {9, "1a7a 1676"},                            // =
    {9, "1c7814"},                               // >
    {8, "~1c1e6e6a39 3937 3434 3535"},           // ?
    {13, "~a3131fbfb77579 ~474b8b8747"},         // @
    {10, "045e94 2777"},                         // A
    {9, "44141e4e ~4e7e7949 1949 ~49797444"},    // B
    {10, "~8b8e1e148487"},                       // C
    {10, "44141e4e ~4e8e8444"},                  // D
    {9, "7e1e1474 1969"},                        // E
    {8, "7e1e14 1969"},                          // F
    {10, "~8b8e1e148487 598984"},                // G
    {10, "141e 848e 1989"},                      // H
    {4, "141e"},                                 // I
    {8, "6e67 ~67641417"},                       // J
    {9, "141e 7e17 3984"},                       // K
    {8, "1e1474"},                               // L
    {11, "141e569e94"},                          // M
    {10, "141e848e"},                            // N
    {11, "~141e9e9414"},                         // O
    {9, "141e4e ~4e8e8848 4818"},                // P
    {11, "~141e9e9414 6793"},                    // Q
    {10, "141e4e ~4e8e8848 4818 4884"},          // R
    {9, "~7c7e1e1979741416"},                    // S
    {9, "0e8e 4e44"},                            // T
    {10, "1e17 ~17148487 878e"},                 // U
    {9, "0e448e"},                               // V
    {13, "0e346e94ce"},                          // W
    {9, "0e84 048e"},                            // X
    {9, "0e498e 4944"},                          // Y
    {9, "1e7e1474"},                             // Z
    {5, "3f1f1232"},                             // [
    {6, "0f53"},                                 // backslash
    {5, "1f3f3212"},                             // ]
    {9, "1a4e7a"},                               // ^
    {8, "0272"},                                 // _
    {5, "1e3c"},                                 // `
    {8, "~1a1b6b68 6864 ~6818146466"},           // a
    {8, "1e14 ~141b6b6414"},                     // b
    {8, "~696b1b146466"},                        // c
    {8, "6e64 ~141b6b6414"},                     // d
    {8, "1868 ~686b1b146466"},                   // e
    {5, "~4e1e1b 1b14 0b3b"},                    // f
    {8, "~141b6b6414 6b63 ~63601012"},           // g
    {8, "1e14 ~181b6b68 6864"},                  // h
    {4, "1b14 1e1e"},                            // i
    {5, "2b23 ~232000 2e2e"},                    // j
    {8, "1e14 6b16 3864"},                       // k
    {5, "1e16 ~161434"},                         // l
    {11, "1b14 ~181b5b58 5854 ~585b9b98 9894"},  // m
    {8, "1b14 ~181b6b68 6864"},                  // n
    {8, "~141b6b6414"},                          // o
    {8, "1b10 ~141b6b6414"},                     // p
    {8, "6b60 ~141b6b6414"},                     // q
    {6, "1b14 ~181b5b"},                         // r
    {8, "~6a6b1b1867641415"},                    // s
    {6, "2e26 ~262454 0b4b"},                    // t
    {8, "1b17 ~17146467 6b64"},                  // u
    {8, "0b346b"},                               // v
    {12, "0b245b84ab"},                          // w
    {8, "1b64 146b"},                            // x
    {8, "0b34 6b10"},                            // y
    {8, "1b6b1464"},                             // z
    {6, "~4f2f2919 ~19292242"},                  // {
    {4, "1f12"},                                 // |
    {6, "~1f3f3949 ~49393212"},                  // }
    {9, "~172b567a"},                            // ~
};

bool font_check(int fontscale, const char* caller) {
  if (fontscale >= 50 && fontscale <= 300 && fontscale % 50 == 0) return true;
  mju_error("%s: font scale %d, expected 50, 100, 150, 200, 250 or 300", caller, fontscale);
  return false;
}

// Pixels of so many units, rounded.
static int font_pixels(int units, int percent) { return (units * percent + 50) / 100; }

int font_height(int percent) { return font_pixels(18, percent); }

static int font_advance(unsigned char c, int percent) {
  return c < 32 || c > 126 ? 0 : font_pixels(glyphs[c - 32].advance, percent);
}

int font_width(int percent, const char* text, int length) {
  int width = 0;
  for (int i = 0; text[i] && (length < 0 || i < length); i++) {
    width += font_advance((unsigned char)text[i], percent);
  }
  return width;
}

void font_describe(int fontscale, mjrContext* con) {
  con->fontScale = fontscale;
  con->charHeight = font_height(fontscale);
  con->charHeightBig = font_height(2 * fontscale);
  con->rangeFont = 128;
  for (int c = 0; c < 127; c++) {
    con->charWidth[c] = font_advance((unsigned char)c, fontscale);
    con->charWidthBig[c] = font_advance((unsigned char)c, 2 * fontscale);
  }
}

// ---- drawing

enum {
  snPEN_W = 112,  // pixels: the widest glyph at scale 600, and its edge
  snPEN_H = 136,
  snCURVE = 6,   // straight pieces of a piece of a spline
  snPOINTS = 16  // points of a stroke
};

typedef struct snPen_ {
  float scale, radius, margin;  // pixels of a unit; half the width of a stroke; left and below
  int width, height;
  unsigned char* mask;  // rows of snPEN_W
} snPen;

static int pen_clamp(float v, int high) { return v < 0 ? 0 : v >= (float)high ? high : (int)v; }

// A pixel is covered by r + 1/2 - its distance from the line, at most 1; pieces of a stroke
// overlap, so the largest counts.
static void pen_line(const snPen* pen, const float a[2], const float b[2]) {
  float p[4];
  for (int k = 0; k < 2; k++) {
    p[k] = pen->margin + (a[k] + 0.5f) * pen->scale;
    p[2 + k] = pen->margin + (b[k] + 0.5f) * pen->scale;
  }
  float dx = p[2] - p[0], dy = p[3] - p[1], length = dx * dx + dy * dy, reach = pen->radius + 1;
  int x0 = pen_clamp((p[0] < p[2] ? p[0] : p[2]) - reach, pen->width);
  int x1 = pen_clamp((p[0] < p[2] ? p[2] : p[0]) + reach + 1, pen->width);
  int y0 = pen_clamp((p[1] < p[3] ? p[1] : p[3]) - reach, pen->height);
  int y1 = pen_clamp((p[1] < p[3] ? p[3] : p[1]) + reach + 1, pen->height);
  for (int y = y0; y < y1; y++) {
    for (int x = x0; x < x1; x++) {
      float px = (float)x + 0.5f - p[0], py = (float)y + 0.5f - p[1];
      float t = length > 0 ? (px * dx + py * dy) / length : 0;
      t = t < 0 ? 0 : t > 1 ? 1 : t;
      float ex = px - t * dx, ey = py - t * dy;
      float cover = pen->radius + 0.5f - sqrtf(ex * ex + ey * ey);
      if (cover <= 0) continue;
      int value = cover >= 1 ? 255 : (int)(cover * 255.0f + 0.5f);
      unsigned char* at = pen->mask + y * snPEN_W + x;
      if (value > *at) *at = (unsigned char)value;
    }
  }
}

static void middle(float r[2], const float a[2], const float b[2]) {
  r[0] = 0.5f * (a[0] + b[0]);
  r[1] = 0.5f * (a[1] + b[1]);
}

// One piece of the spline: (1-t)^2 a + 2t(1-t) c + t^2 b
static void pen_curve(const snPen* pen, const float a[2], const float c[2], const float b[2]) {
  float from[2] = {a[0], a[1]};
  for (int i = 1; i <= snCURVE; i++) {
    float t = (float)i / snCURVE, s = 1 - t, to[2];
    for (int k = 0; k < 2; k++) to[k] = s * s * a[k] + 2 * t * s * c[k] + t * t * b[k];
    pen_line(pen, from, to);
    from[0] = to[0], from[1] = to[1];
  }
}

static void pen_spline(const snPen* pen, float point[][2], int n) {
  bool closed = point[0][0] == point[n - 1][0] && point[0][1] == point[n - 1][1];
  float from[2], to[2];
  if (closed) {
    middle(from, point[0], point[1]);
    for (int i = 1; i < n; i++) {
      middle(to, point[i], point[i + 1 < n ? i + 1 : 1]);
      pen_curve(pen, from, point[i], to);
      from[0] = to[0], from[1] = to[1];
    }
    return;
  }
  from[0] = point[0][0], from[1] = point[0][1];
  for (int i = 1; i + 1 < n; i++) {
    middle(to, point[i], point[i + 1]);
    pen_curve(pen, from, point[i], i + 2 < n ? to : point[n - 1]);
    from[0] = to[0], from[1] = to[1];
  }
}

static int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

static void pen_glyph(const snPen* pen, const char* s) {
  while (*s) {
    bool spline = *s == '~';
    float point[snPOINTS][2] = {{0}};
    int n = 0;
    for (s += spline; *s && *s != ' '; s += 2, n++) {
      point[n][0] = (float)digit(s[0]);
      point[n][1] = (float)digit(s[1]);
    }
    if (spline) {
      pen_spline(pen, point, n);
    } else {
      for (int i = 1; i < n; i++) pen_line(pen, point[i - 1], point[i]);
    }
    while (*s == ' ') s++;
  }
}

// Strokes are 1.3 units wide, and one pixel at least; the edge of the font with shadow reaches 1.3
// units further.
static void font_glyphs(snBuffer* buffer, mjrRect clip, int x, int y, int percent, float edge,
                        const char* text, int length, const float rgba[4]) {
  unsigned char mask[snPEN_W * snPEN_H];
  float scale = (float)percent / 100.0f;
  int margin = 1 + (int)(2 * scale);
  float radius = 0.65f * scale > 0.5f ? 0.65f * scale : 0.5f;
  for (int i = 0; text[i] && (length < 0 || i < length); i++) {
    unsigned char c = (unsigned char)text[i];
    int advance = font_advance(c, percent);
    if (!advance) continue;
    int width = advance + 2 * margin, height = font_height(percent) + 2 * margin;
    snPen pen = {scale,
                 radius + edge * scale,
                 (float)margin,
                 width < snPEN_W ? width : snPEN_W,
                 height < snPEN_H ? height : snPEN_H,
                 mask};
    memset(mask, 0, sizeof mask);
    pen_glyph(&pen, glyphs[c - 32].strokes);
    canvas_mask(buffer, clip, x - margin, y - margin, pen.width, pen.height, snPEN_W, mask, rgba);
    x += advance;
  }
}

void font_text(snBuffer* buffer, mjrRect clip, int x, int y, snFont font, const char* text,
               int length, const float rgb[3]) {
  float ink[4] = {rgb[0], rgb[1], rgb[2], 1}, black[4] = {0, 0, 0, 1};
  if (font.shadow) {
    font_glyphs(buffer, clip, x, y, font.percent, 1.3f, text, length, black);
  }
  font_glyphs(buffer, clip, x, y, font.percent, 0, text, length, ink);
}

bool font_choose(snFont* font, int number, const mjrContext* con, const char* caller) {
  if (number < mjFONT_NORMAL || number > mjFONT_BIG) {
    mju_error("%s: font %d, expected mjFONT_NORMAL, mjFONT_SHADOW or mjFONT_BIG", caller, number);
    return false;
  }
  int scale = con->fontScale ? con->fontScale : 100;
  if (!font_check(scale, caller)) return false;
  *font = (snFont){number == mjFONT_BIG ? 2 * scale : scale, number == mjFONT_SHADOW};
  return true;
}
