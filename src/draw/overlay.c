// Text and rectangles over a picture: mjr_text, mjr_overlay, mjr_label, mjr_rectangle, and the
// labels of geoms.
#include "draw/draw.h"

static mjrRect whole(const snBuffer* buffer) {
  return (mjrRect){0, 0, buffer->width, buffer->height};
}

// A coordinate in pixels that an int holds, whatever a program says.
static int pixel_of(double v) { return !(v > -1e6) ? -1000000 : v > 1e6 ? 1000000 : (int)floor(v); }

// Coordinates are relative to what was drawn in last: a picture, a rectangle, a label, a box of an
// overlay or a figure.
void mjr_text(int font, const char* txt, const mjrContext* con, float x, float y, float r, float g,
              float b) {
  snContext* context = context_of(con, "mjr_text");
  snFont face;
  if (!context || !draw_given(txt, "txt", "mjr_text") ||
      !font_choose(&face, font, con, "mjr_text")) {
    return;
  }
  snBuffer* buffer = context_buffer(context);
  mjrRect view = context->view;
  if (view.width < 1 || view.height < 1) view = whole(buffer);
  font_text(buffer, whole(buffer), pixel_of(view.left + (double)x * view.width),
            pixel_of(view.bottom + (double)y * view.height), face, txt, -1, (float[3]){r, g, b});
}

void mjr_rectangle(mjrRect viewport, float r, float g, float b, float a) {
  snContext* context = context_current("mjr_rectangle");
  if (!context) return;
  snBuffer* buffer = context_buffer(context);
  canvas_rectangle(buffer, whole(buffer), viewport, (float[4]){r, g, b, a});
  context->view = viewport;
}

// The text is in the middle, or begins at the left edge when it is too long.
void mjr_label(mjrRect viewport, int font, const char* txt, float r, float g, float b, float a,
               float rt, float gt, float bt, const mjrContext* con) {
  snContext* context = context_of(con, "mjr_label");
  snFont face;
  if (!context || !font_choose(&face, font, con, "mjr_label")) return;
  snBuffer* buffer = context_buffer(context);
  canvas_rectangle(buffer, whole(buffer), viewport, (float[4]){r, g, b, a});
  context->view = viewport;
  long long width = txt ? font_width(face.percent, txt, -1) : 0, rest = viewport.width - width;
  double x = viewport.left + (double)(rest > 0 ? rest / 2 : 0);
  double y = viewport.bottom + floor((viewport.height - (double)font_height(face.percent)) / 2);
  if (txt) {
    font_text(buffer, whole(buffer), pixel_of(x), pixel_of(y), face, txt, -1,
              (float[3]){rt, gt, bt});
  }
}

// ---- overlays: one or two columns of lines on dark boxes

enum { snEDGE = 5, snLEADING = 5, snINSET = 4, snPADDING = 12, snSEAM = 1 };

typedef struct snColumn_ {
  const char* text;
  int lines, width;  // pixels, with its padding; 0: not there
} snColumn;

static snColumn column_measure(const char* text, snFont font) {
  snColumn c = {text, 0, 0};
  if (!text || !text[0]) return c;
  for (const char* line = text; line; c.lines++) {
    const char* end = strchr(line, '\n');
    int width = font_width(font.percent, line, end ? (int)(end - line) : -1);
    if (width > c.width) c.width = width;
    line = end ? end + 1 : NULL;
  }
  c.width += snPADDING;
  return c;
}

static void column_draw(snBuffer* buffer, mjrRect viewport, const snColumn* c, mjrRect box,
                        snFont font, float grey) {
  static const float shade[4] = {0, 0, 0, 0.5f};
  int pitch = font_height(font.percent) + snLEADING, y = box.bottom + box.height - pitch;
  canvas_rectangle(buffer, viewport, box, shade);
  for (const char* line = c->text; line; y -= pitch) {
    const char* end = strchr(line, '\n');
    font_text(buffer, viewport, box.left + snINSET, y + snLEADING / 2, font, line,
              end ? (int)(end - line) : -1, (float[3]){grey, grey, grey});
    line = end ? end + 1 : NULL;
  }
}

// Lower left corner of a box of some size in a viewport, `snEDGE` from the edges that it is at.
static void grid_place(int gridpos, mjrRect v, int width, int height, int* left, int* bottom) {
  bool at_left =
      gridpos == mjGRID_TOPLEFT || gridpos == mjGRID_BOTTOMLEFT || gridpos == mjGRID_LEFT;
  bool at_right =
      gridpos == mjGRID_TOPRIGHT || gridpos == mjGRID_BOTTOMRIGHT || gridpos == mjGRID_RIGHT;
  bool at_top = gridpos == mjGRID_TOPLEFT || gridpos == mjGRID_TOPRIGHT || gridpos == mjGRID_TOP;
  bool at_bottom =
      gridpos == mjGRID_BOTTOMLEFT || gridpos == mjGRID_BOTTOMRIGHT || gridpos == mjGRID_BOTTOM;
  double x = at_left    ? (double)v.left + snEDGE
             : at_right ? (double)v.left + v.width - width - snEDGE
                        : v.left + ((double)v.width - width) / 2;
  double y = at_bottom ? (double)v.bottom + snEDGE
             : at_top  ? (double)v.bottom + v.height - height - snEDGE
                       : v.bottom + ((double)v.height - height) / 2;
  *left = pixel_of(x);
  *bottom = pixel_of(y);
}

// At the left edge the second column comes first, so that it stands at the edge as on the right.
void mjr_overlay(int font, int gridpos, mjrRect viewport, const char* overlay, const char* overlay2,
                 const mjrContext* con) {
  snContext* context = context_of(con, "mjr_overlay");
  snFont face;
  if (!context || !font_choose(&face, font, con, "mjr_overlay")) return;
  if (gridpos < mjGRID_TOPLEFT || gridpos > mjGRID_RIGHT) {
    mju_error("mjr_overlay: place %d, expected one of mjtGridPos, %d to %d", gridpos,
              mjGRID_TOPLEFT, mjGRID_RIGHT);
    return;
  }
  snBuffer* buffer = context_buffer(context);
  snColumn first = column_measure(overlay, face), second = column_measure(overlay2, face);
  int lines = first.lines > second.lines ? first.lines : second.lines;
  if (!lines) return;
  int height = lines * (font_height(face.percent) + snLEADING), left, bottom;
  int seam = first.width && second.width ? snSEAM : 0;
  grid_place(gridpos, viewport, first.width + seam + second.width, height, &left, &bottom);
  bool mirrored = gridpos == mjGRID_LEFT;
  int left1 = mirrored ? left + second.width + seam : left;
  int left2 = mirrored ? left : left + first.width + seam;
  if (first.width) {
    context->view = (mjrRect){left1, bottom, first.width, height};
    column_draw(buffer, viewport, &first, context->view, face, 0.7f);
  }
  if (second.width) {
    context->view = (mjrRect){left2, bottom, second.width, height};
    column_draw(buffer, viewport, &second, context->view, face, 1);
  }
}

// ---- labels of geoms

// Where the camera sees a point, in pixels of the viewport: with right, up and forward its axes and
// w the distance along the view, x n / w within the near rectangle (x itself in parallel). False
// behind the near plane.
static bool camera_place(const mjvGLCamera* camera, mjrRect viewport, const float point[3],
                         double xy[2]) {
  double p[3], f[3], up[3], right[3];
  for (int i = 0; i < 3; i++) {
    p[i] = (double)point[i] - camera->pos[i];
    f[i] = camera->forward[i];
    up[i] = camera->up[i];
  }
  mju_cross(right, f, up);
  double near = camera->frustum_near, w = mju_dot3(p, f);
  if (!(w > near)) return false;
  double scale = camera->orthographic ? 1 : near / w;
  double bottom = camera->frustum_bottom, high = camera->frustum_top - bottom;
  double half = camera->frustum_width > 0 ? (double)camera->frustum_width
                                          : 0.5 * viewport.width / viewport.height * high;
  xy[0] = (scale * mju_dot3(p, right) - camera->frustum_center + half) / (2 * half);
  xy[1] = (scale * mju_dot3(p, up) - bottom) / high;
  xy[0] = viewport.left + xy[0] * viewport.width;
  xy[1] = viewport.bottom + xy[1] * viewport.height;
  return true;
}

void overlay_labels(snBuffer* buffer, mjrRect viewport, const mjvScene* scene, int fontscale) {
  static const float white[3] = {1, 1, 1};
  if (scene->flags[mjRND_SEGMENT] || viewport.width < 1 || viewport.height < 1) return;
  mjvGLCamera camera = mjv_averageCamera(&scene->camera[0], &scene->camera[1]);
  camera.orthographic = scene->camera[0].orthographic;
  for (int i = 0; i < scene->ngeom; i++) {
    const mjvGeom* geom = scene->geoms + i;
    double xy[2];
    if (!geom->label[0] || !camera_place(&camera, viewport, geom->pos, xy)) continue;
    font_text(buffer, viewport, pixel_of(xy[0]), pixel_of(xy[1]), (snFont){fontscale, true},
              geom->label, (int)strnlen(geom->label, sizeof geom->label), white);
  }
}
