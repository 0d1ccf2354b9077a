// From the abstract scene to pixels, in software: no driver, no display, no graphics card.
//
// Two doors lead in. The documented one is mjrContext with its 26 functions (context.c, pixels.c,
// overlay.c, figure.c): its layout is fixed and has no room for a pointer, so `offFBO` holds a
// handle, and a table under a lock leads from the handle to the snContext below. Programs that made
// their own OpenGL context need none here. The other door is include/sinew/draw.h: renderers for
// many pictures of one size.
//
// Both hold the same three things:
//   assets    what a model brings: meshes, height fields, textures, built-in shapes (assets.h).
//             Copied when the context is made, as uploading them to a card would, so that a later
//             change of the model shows after mjr_uploadMesh and its siblings only. Read-only while
//             drawing, counted, shared by renderers.
//   buffers   colour and depth per pixel. Samples against jagged edges exist inside a tile only and
//             are resolved at once: what lies here is what mjr_readPixels gives.
//   a frame   the triangles of the picture being drawn, and the scratch memory of the threads
//             (frame.h says how a picture is made).
//
// Rows go from the bottom up, as in OpenGL. Depth is kept as OpenGL's reversed one: 1 at the near
// plane, 0 at the far plane and behind everything, so that a float loses nothing far away.
//
// Drawing in two dimensions (canvas.c) is for text, overlays and figures: rectangles, lines,
// triangles and masks in pixels, blended over what is there.
//
// Same bits everywhere: float and integer lanes, no contraction, elementary functions of base/, and
// a fixed order of triangles in every tile, so that neither CPU nor compiler nor threads matter.
#ifndef SINEW_DRAW_DRAW_H_
#define SINEW_DRAW_DRAW_H_

#include <sinew/draw.h>

#include "base/base.h"

enum {
  snPICTURE = 16384,  // widest and highest picture
  snSAMPLES = 4,      // most samples per pixel
};

// ---- buffers

typedef struct snBuffer_ {
  int width, height;
  unsigned char* rgba;  // 4 bytes per pixel, rows from the bottom up
  float* depth;         // reversed: 1 near, 0 far
} snBuffer;

// False when memory is short; the buffer keeps what it had.
bool buffer_make(snBuffer* buffer, int width, int height);
void buffer_free(snBuffer* buffer);

// ---- contexts

typedef struct snAssets_ snAssets;
typedef struct snFrame_ snFrame;

typedef struct snContext_ {
  unsigned handle;
  snAssets* assets;
  snFrame* frame;
  snBuffer offscreen, aux[mjNAUX];
  int current_aux;  // the auxiliary buffer in use; -1: the offscreen buffer
  mjrRect view;     // what was drawn in last; no pixels: the whole buffer
} snContext;

// The context behind an mjrContext, which becomes the thread's current one; NULL after an error
// that names the caller when there is none.
snContext* context_of(const mjrContext* con, const char* caller);

// Whether a pointer that a program gave is one; otherwise an error names the caller and the
// argument.
bool draw_given(const void* p, const char* argument, const char* caller);

// The buffer that drawing goes to: the one set by mjr_setBuffer or mjr_setAux.
snBuffer* context_buffer(snContext* context);

// The thread's current context, for functions without an mjrContext (mjr_rectangle); NULL after an
// error that names the caller when the thread has none.
snContext* context_current(const char* caller);

// ---- drawing in two dimensions: canvas.c
// Coordinates in pixels from the bottom left corner of the buffer; pixel (i, j) covers
// [i, i+1) x [j, j+1) and belongs to a shape that contains its centre. rgba in [0, 1], blended as
// rgba[3]*colour + (1 - rgba[3])*what is there. Everything is clipped to `clip` and the buffer.

void canvas_rectangle(snBuffer* buffer, mjrRect clip, mjrRect rectangle, const float rgba[4]);

// A line of some width (at least one pixel), without caps; its edges are smooth.
void canvas_line(snBuffer* buffer, mjrRect clip, const float from[2], const float to[2],
                 float width, const float rgba[4]);

// A glyph: coverage from 0 to 255 of width x height pixels, rows from the bottom up, `pitch` bytes
// apart; its lower left pixel is (x, y).
void canvas_mask(snBuffer* buffer, mjrRect clip, int x, int y, int width, int height, int pitch,
                 const unsigned char* coverage, const float rgba[4]);

// ---- fonts: font.c
// False after an error that names the caller when the scale is none of mjtFontScale.
bool font_check(int fontscale, const char* caller);

// Scale, widths and heights of the characters, as programs read them from the context.
void font_describe(int fontscale, mjrContext* con);

typedef struct snFont_ {
  int percent;  // 100: a line has 18 pixels
  bool shadow;  // with a black edge
} snFont;

// The font of that number (mjtFont) at the context's scale; false after an error that names the
// caller when there is none.
bool font_choose(snFont* font, int number, const mjrContext* con, const char* caller);

// Pixels: height of a line, width of the first `length` characters of a text (-1: all).
// Characters other than printable ASCII have no width and are not drawn.
int font_height(int percent);
int font_width(int percent, const char* text, int length);

// One line of text; (x, y) is the lower left pixel of its box.
void font_text(snBuffer* buffer, mjrRect clip, int x, int y, snFont font, const char* text,
               int length, const float rgb[3]);

// ---- labels of a scene's geoms: overlay.c
// Text of a scale (mjtFontScale) at the place of each geom with a label that the camera sees; what
// lies before it does not hide it. None when the scene is drawn for segmentation.
void overlay_labels(snBuffer* buffer, mjrRect viewport, const mjvScene* scene, int fontscale);

#endif
