// mjr_figure: lines over a grid, with titles, numbers at the axes and a legend.
//
// A figure is a rectangle with a pane in it. Around the pane lie, in heights h of a line of text:
// half a line everywhere, one and a half for the title, one and a half for the numbers at x, one
// and a quarter for the label of x, and the widest number at y with half a line on both sides.
#include <stdio.h>

#include "draw/draw.h"

typedef struct snPlot_ {
  snBuffer* buffer;
  mjrRect figure, pane;
  snFont font;
  int line;           // height of a line of text
  double axis[2][2];  // x and y: least and greatest
  const mjvFigure* fig;
} snPlot;

// ---- ranges

static int plot_points(const mjvFigure* fig, int line) {
  int n = fig->linepnt[line];
  return n < 0 ? 0 : n > mjMAXLINEPNT ? mjMAXLINEPNT : n;
}

// The range as given; from the data where least >= greatest; both where it follows the data.
// Numbers that are not finite do not count.
static void plot_range(snPlot* p, int k) {
  const mjvFigure* fig = p->fig;
  double low = (double)fig->range[k][0], high = (double)fig->range[k][1];
  bool given = low < high, any = given;
  for (int l = 0; l < mjMAXLINE && (!given || fig->flg_extend); l++) {
    for (int i = 0; i < plot_points(fig, l); i++) {
      double v = (double)fig->linedata[l][2 * i + k];
      if (!isfinite(v)) continue;
      low = any && low < v ? low : v;
      high = any && high > v ? high : v;
      any = true;
    }
  }
  if (k == 1 && fig->flg_symmetric) {
    high = sn_max(fabs(low), fabs(high));
    low = -high;
  }
  if (!any || !isfinite(low) || !isfinite(high)) low = 0, high = 1;
  if (high - low < mjMINVAL) low -= 0.5, high += 0.5;  // one value: in the middle
  p->axis[k][0] = low;
  p->axis[k][1] = high;
}

static int plot_grid(const mjvFigure* fig, int k) {
  return fig->gridsize[k] < 2 ? 2 : fig->gridsize[k] > 1000 ? 1000 : fig->gridsize[k];
}

// A number in the figure's own format, if that is one for a single floating-point number and no
// more: programs are trusted with the rest of a printf format, not with reading memory.
static void plot_number(char text[64], const char* format, size_t room, double value) {
  static const char plain[] = "%.3g";
  size_t n = strnlen(format, room);
  const char* use = n < room ? format : plain;
  int conversions = 0;
  for (const char* c = use; *c; c++) {
    if (*c != '%') continue;
    if (c[1] == '%') {
      c++;
      continue;
    }
    c += 1 + strspn(c + 1, "-+ #0");
    c += strspn(c, "0123456789");
    if (*c == '.') c += 1 + strspn(c + 1, "0123456789");
    conversions += *c && strchr("eEfFgGaA", *c) ? 1 : 2;
    if (!*c) break;
  }
  if (conversions != 1) use = plain;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(text, 64, use, value);
#pragma GCC diagnostic pop
}

static void tick_text(const snPlot* p, int k, int i, char text[64]) {
  const mjvFigure* fig = p->fig;
  double t = (double)i / (plot_grid(fig, k) - 1);
  double value = p->axis[k][0] + t * (p->axis[k][1] - p->axis[k][0]);
  plot_number(text, k ? fig->yformat : fig->xformat, sizeof fig->xformat, value);
}

// ---- layout

// The line of the title that belongs to the subplot: lines are titles of subplots. Its length in
// characters; 0: none.
static int plot_title(const mjvFigure* fig, const char** title) {
  const char *at = fig->title, *end = fig->title + strnlen(fig->title, sizeof fig->title);
  for (int i = 0; at < end; i++) {
    const char* next = memchr(at, '\n', (size_t)(end - at));
    const char* stop = next ? next : end;
    if (i == fig->subplot) {
      *title = at;
      return (int)(stop - at);
    }
    at = stop + 1;
  }
  return 0;
}

static int field_width(const snPlot* p, const char* text, size_t room) {
  return font_width(p->font.percent, text, (int)strnlen(text, room));
}

// False when nothing is left for the pane.
static bool plot_layout(snPlot* p) {
  const mjvFigure* fig = p->fig;
  int h = p->line, half = h / 2, left = half, bottom = half, top = half + 1;
  const char* title;
  if (fig->flg_ticklabel[1]) {
    int widest = field_width(p, fig->minwidth, sizeof fig->minwidth);
    for (int i = 0; i < plot_grid(fig, 1); i++) {
      char text[64];
      tick_text(p, 1, i, text);
      int width = font_width(p->font.percent, text, -1);
      if (width > widest) widest = width;
    }
    left += widest + half;
  }
  if (fig->flg_ticklabel[0]) bottom += 3 * h / 2;
  if (fig->xlabel[0]) bottom += 5 * h / 4;
  if (plot_title(fig, &title)) top += 3 * h / 2;
  long long width = (long long)p->figure.width - left - half - 1;
  long long height = (long long)p->figure.height - bottom - top;
  if (width < 2 || height < 2) return false;
  p->pane = (mjrRect){p->figure.left + left, p->figure.bottom + bottom, (int)width, (int)height};
  return true;
}

// Data to pixels of the pane.
static void plot_place(const snPlot* p, double x, double y, float xy[2]) {
  double u = (x - p->axis[0][0]) / (p->axis[0][1] - p->axis[0][0]);
  double v = (y - p->axis[1][0]) / (p->axis[1][1] - p->axis[1][0]);
  xy[0] = (float)(p->pane.left + u * p->pane.width);
  xy[1] = (float)(p->pane.bottom + v * p->pane.height);
}

// ---- drawing

static void plot_text(const snPlot* p, int x, int y, const char* text, int length,
                      const float rgb[3]) {
  font_text(p->buffer, p->figure, x, y, p->font, text, length, rgb);
}

static void plot_axes(const snPlot* p) {
  const mjvFigure* fig = p->fig;
  float rgba[4] = {fig->gridrgb[0], fig->gridrgb[1], fig->gridrgb[2], 1};
  mjrRect pane = p->pane;
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < plot_grid(fig, k); i++) {
      int size = k ? pane.height : pane.width;
      int at = (int)((long long)size * i / (plot_grid(fig, k) - 1));
      // in the middle of a pixel, so that a line of one pixel is sharp
      float from[2] = {(float)pane.left + 0.5f, (float)pane.bottom + 0.5f};
      float to[2] = {from[0] + (float)pane.width, from[1] + (float)pane.height};
      from[k] += (float)at;
      to[k] = from[k];
      canvas_line(p->buffer, p->figure, from, to, fig->gridwidth, rgba);
      if (!fig->flg_ticklabel[k]) continue;
      char text[64];
      tick_text(p, k, i, text);
      int width = font_width(p->font.percent, text, -1);
      // numbers at x stay between the ends of the axis
      int x =
          i == 0 ? pane.left : pane.left + at - (i + 1 == plot_grid(fig, 0) ? width : width / 2);
      if (k == 0) {
        plot_text(p, x, pane.bottom - 5 * p->line / 4, text, -1, fig->textrgb);
      } else {
        plot_text(p, pane.left - p->line / 2 - width, pane.bottom + at - p->line / 2, text, -1,
                  fig->textrgb);
      }
    }
  }
}

static void plot_titles(const snPlot* p) {
  const mjvFigure* fig = p->fig;
  const char* title;
  int length = plot_title(fig, &title), middle = p->pane.left + p->pane.width / 2;
  if (length) {
    int width = font_width(p->font.percent, title, length);
    plot_text(p, middle - width / 2, p->pane.bottom + p->pane.height + p->line / 2, title, length,
              fig->textrgb);
  }
  int width = field_width(p, fig->xlabel, sizeof fig->xlabel);
  plot_text(p, middle - width / 2, p->figure.bottom + p->line / 2, fig->xlabel,
            (int)strnlen(fig->xlabel, sizeof fig->xlabel), fig->textrgb);
}

// Segments of a line between finite points; as bars, those from every second point alone.
static void plot_line(const snPlot* p, int line, bool highlight) {
  const mjvFigure* fig = p->fig;
  const float *rgb = fig->linergb[line], *data = fig->linedata[line];
  float rgba[4] = {rgb[0], rgb[1], rgb[2], 1}, width = fig->linewidth * (highlight ? 5.0f : 1.0f);
  for (int i = 0; i + 1 < plot_points(fig, line); i += fig->flg_barplot ? 2 : 1) {
    float from[2], to[2];
    plot_place(p, data[2 * i], data[2 * i + 1], from);
    plot_place(p, data[2 * i + 2], data[2 * i + 3], to);
    canvas_line(p->buffer, p->pane, from, to, width, rgba);
  }
}

// ---- legend and selection

// Lines with a name, from the top right corner down. The line whose row holds the point (x, y), in
// pixels of the buffer; -1: none. Drawn as well with `draw`.
static int plot_legend(const snPlot* p, int x, int y, bool draw) {
  const mjvFigure* fig = p->fig;
  int widest = 0, rows = 0, skip = fig->legendoffset, found = -1, h = p->line;
  if (!fig->flg_legend) return -1;
  for (int l = 0, k = 0; l < mjMAXLINE; l++) {
    if (!fig->linename[l][0] || !fig->linepnt[l] || k++ < skip) continue;
    int width = field_width(p, fig->linename[l], sizeof fig->linename[l]);
    widest = width > widest ? width : widest;
    rows++;
  }
  if (!rows) return -1;
  int right = p->pane.left + p->pane.width, top = p->pane.bottom + p->pane.height;
  mjrRect box = {right - widest - h, top - rows * h - h / 2 * 2, widest + h, rows * h + h / 2 * 2};
  if (draw) canvas_rectangle(p->buffer, p->pane, box, fig->legendrgba);
  for (int l = 0, k = 0, row = 0; l < mjMAXLINE; l++) {
    if (!fig->linename[l][0] || !fig->linepnt[l] || k++ < skip) continue;
    int bottom = top - h / 2 - ++row * h;
    if (x >= box.left && x < right && y >= bottom && y < bottom + h) found = l;
    if (!draw) continue;
    int width = field_width(p, fig->linename[l], sizeof fig->linename[l]);
    font_text(p->buffer, p->pane, right - h / 2 - width, bottom, p->font, fig->linename[l],
              (int)strnlen(fig->linename[l], sizeof fig->linename[l]), fig->linergb[l]);
  }
  return found;
}

// A vertical line at the selection; with a highlighted line, its point next to the selection.
static void plot_selection(const snPlot* p, int line) {
  const mjvFigure* fig = p->fig;
  if (!fig->flg_selection) return;
  float from[2], to[2], rgba[4] = {fig->textrgb[0], fig->textrgb[1], fig->textrgb[2], 1};
  plot_place(p, fig->selection, p->axis[1][0], from);
  plot_place(p, fig->selection, p->axis[1][1], to);
  canvas_line(p->buffer, p->pane, from, to, fig->linewidth, rgba);
  int n = line < 0 ? 0 : plot_points(fig, line);
  if (!n) return;
  const float* data = fig->linedata[line];
  int best = 0;
  for (int i = 1; i < n; i++) {
    if (fabsf(data[2 * i] - fig->selection) < fabsf(data[2 * best] - fig->selection)) best = i;
  }
  char text[100];
  snprintf(text, sizeof text, "( %.4g : %.4g )", (double)data[2 * best],
           (double)data[2 * best + 1]);
  plot_text(p, p->pane.left + p->pane.width / 10, p->pane.bottom + p->pane.height / 10, text, -1,
            fig->textrgb);
}

static void plot_remember(const snPlot* p, mjvFigure* fig) {
  fig->xaxispixel[0] = p->pane.left;
  fig->xaxispixel[1] = p->pane.left + p->pane.width;
  fig->yaxispixel[0] = p->pane.bottom;
  fig->yaxispixel[1] = p->pane.bottom + p->pane.height;
  for (int i = 0; i < 2; i++) {
    fig->xaxisdata[i] = (float)p->axis[0][i];
    fig->yaxisdata[i] = (float)p->axis[1][i];
  }
}

void mjr_figure(mjrRect viewport, mjvFigure* fig, const mjrContext* con) {
  snContext* context = context_of(con, "mjr_figure");
  snPlot p = {.figure = viewport, .fig = fig};
  if (!context || !draw_given(fig, "fig", "mjr_figure") ||
      !font_choose(&p.font, mjFONT_NORMAL, con, "mjr_figure"))
    return;
  p.buffer = context_buffer(context);
  p.line = font_height(p.font.percent);
  for (int k = 0; k < 2; k++) plot_range(&p, k);
  if (viewport.left < -1000000 || viewport.left > 1000000 || viewport.bottom < -1000000 ||
      viewport.bottom > 1000000 || viewport.width > 1000000 || viewport.height > 1000000 ||
      !plot_layout(&p)) {
    return;  // no room for a figure, or none that a buffer can show
  }
  context->view = p.figure;
  canvas_rectangle(p.buffer, p.figure, p.figure, fig->figurergba);
  canvas_rectangle(p.buffer, p.figure, p.pane, fig->panergba);
  plot_axes(&p);
  plot_titles(&p);
  int chosen = plot_legend(&p, fig->highlight[0], fig->highlight[1], false);
  if (chosen < 0 && fig->highlightid >= 0 && fig->highlightid < mjMAXLINE) {
    chosen = fig->highlightid;
  }
  for (int l = 0; l < mjMAXLINE; l++) plot_line(&p, l, l == chosen);
  plot_legend(&p, 0, 0, true);
  plot_selection(&p, chosen);
  plot_remember(&p, fig);
}
