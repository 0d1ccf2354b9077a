// Pages: style, tables, plots. Plots have a fixed size in their own units; on a narrow screen they
// scroll sideways within their frame, so that letters stay readable.
#include "page.h"

#include <math.h>
#include <sinew/version.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char kStyle[] =
    "<style>body{font:16px/1.5 system-ui,sans-serif;max-width:1080px;margin:2em auto;"
    "padding:0 16px;color:#222;background:#fff}h1{font-size:1.6em;line-height:1.2;margin:0 0 .3em}"
    "h2{margin:2em 0 .3em;font-size:1.25em}h3{margin:1.4em 0 .2em;font-size:1em}"
    "p,ul,dl{max-width:46em}.wide{overflow-x:auto}.origin{color:#555;font-size:.9em}"
    "table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}"
    "td,th{padding:3px 6px;border-bottom:1px solid #e4e4e4;text-align:right;white-space:nowrap}"
    "th{border-bottom:1.5px solid #888;font-weight:600;vertical-align:bottom}"
    "td:first-child,th:first-child{text-align:left;position:sticky;left:0;background:#fff}"
    "small{color:#666}code{font-size:.9em}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15em 1em}dt{font-weight:600}"
    "dd{margin:0}svg text{font-size:12px;fill:#333}.frame{fill:none;stroke:#999}"
    ".grid{stroke:#eee}.curve{fill:none;stroke-width:1.8;stroke-linejoin:round}"
    ".many{display:flex;flex-wrap:wrap;gap:10px 18px}figure{margin:0;max-width:100%}"
    "figcaption{font-size:13px;color:#444}img{max-width:100%;height:auto}"
    ".systems figure{width:200px}.systems{display:flex;flex-wrap:wrap;gap:14px}"
    "@media(max-width:640px){.minor{display:none}dl{display:block}dd{margin:0 0 .4em}"
    ".systems figure{width:calc(50% - 7px)}td,th{padding:3px 5px;font-size:12px}"
    "th{white-space:normal}}</style>";

// ---- pages

FILE* file_create(const char* path) {
  FILE* f = fopen(path, "w");
  if (!f) fprintf(stderr, "%s: cannot be written\n", path);
  return f;
}

bool file_finish(FILE* f, const char* path) {
  bool good = !ferror(f);
  if (!fclose(f) && good) return true;
  fprintf(stderr, "%s: writing failed\n", path);
  return false;
}

FILE* page_open(const char* path, const char* title) {
  FILE* f = file_create(path);
  if (!f) return NULL;
  fprintf(f,
          "<!doctype html><html lang='en'><meta charset='utf-8'>"
          "<meta name='viewport' content='width=device-width,initial-scale=1'><title>%s</title>%s"
          "<h1>%s</h1>\n",
          title, kStyle, title);
  return f;
}

bool page_close(FILE* f, const char* path) {
  fprintf(f, "</html>\n");
  return file_finish(f, path);
}

const char* processor_name(void) {
  static char name[120];
  char line[256];
  FILE* f = name[0] ? NULL : fopen("/proc/cpuinfo", "r");
  while (f && !name[0] && fgets(line, sizeof line, f)) {
    char* colon = strchr(line, ':');
    if (strncmp(line, "model name", 10) || !colon) continue;
    colon[strcspn(colon, "\n")] = 0;
    snprintf(name, sizeof name, "%.110s", colon + 1 + strspn(colon + 1, " "));
  }
  if (f) fclose(f);
  if (!name[0]) snprintf(name, sizeof name, "unknown processor");
  return name;
}

void page_origin(FILE* f, const char* command) {
  fprintf(f, "<p class='origin'>Made by <code>%s</code><br>Sinew %s on %s</p>\n", command,
          sn_version(), processor_name());
}

bool page_picture(FILE* f, const char* path, const char* caption) {
  static const char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  FILE* in = fopen(path, "rb");
  unsigned char b[3];
  size_t n;
  if (!in) return false;
  fprintf(f, "<figure><img alt='' src='data:image/png;base64,");
  while ((n = fread(b, 1, 3, in)) > 0) {
    for (size_t i = n; i < 3; i++) b[i] = 0;
    unsigned bits = (unsigned)b[0] << 16 | (unsigned)b[1] << 8 | b[2];
    for (int i = 0; i < 4; i++) {
      fputc((size_t)i <= n ? kDigits[bits >> (18 - 6 * i) & 63] : '=', f);
    }
  }
  fclose(in);
  fprintf(f, "'><figcaption>%s</figcaption></figure>\n", caption);
  return true;
}

// ---- tables

void table_begin(Table* t, const char* title, int columns, const char* const* head) {
  *t = (Table){.columns = columns};
  snprintf(t->title, sizeof t->title, "%s", title);
  for (int i = 0; i < columns; i++) t->head[i] = head[i];
}

void table_add(Table* t, const char* format, ...) {
  if (t->cells == t->room) {
    int room = t->room ? 2 * t->room : 256;
    void* cell = realloc(t->cell, (size_t)room * kTableCell);
    if (!cell) {
      t->failed = true;
      return;
    }
    t->cell = cell;
    t->room = room;
  }
  va_list args;
  va_start(args, format);
  vsnprintf(t->cell[t->cells++], kTableCell, format, args);
  va_end(args);
}

void table_free(Table* t) {
  free(t->cell);
  t->cell = NULL;
  t->cells = t->room = 0;
}

static void print_wrapped(const char* text) {
  int at = 0;
  for (const char* word = text; *word;) {
    int n = (int)strcspn(word, " ");
    if (at && at + 1 + n > 79) {
      printf("\n");
      at = 0;
    }
    at += printf("%s%.*s", at ? " " : "", n, word);
    word += n + strspn(word + n, " ");
  }
  printf("\n");
}

void table_print(const Table* t) {
  int width[kTableColumns] = {0};
  printf("\n%s\n", t->title);
  if (t->intro[0]) print_wrapped(t->intro);
  for (int i = 0; i < t->columns; i++) width[i] = (int)strlen(t->head[i]);
  for (int i = 0; i < t->cells; i++) {
    int n = (int)strlen(t->cell[i]);
    if (n > width[i % t->columns]) width[i % t->columns] = n;
  }
  for (int i = 0; i < t->columns + t->cells; i++) {
    int column = i % t->columns;
    const char* text = i < t->columns ? t->head[i] : t->cell[i - t->columns];
    printf(column ? "  %*s" : "%-*s", width[column], text);
    if (column == t->columns - 1) printf("\n");
  }
  if (t->note[0]) print_wrapped(t->note);
}

void table_write(const Table* t, FILE* f) {
  fprintf(f, "<h3>%s</h3>\n", t->title);
  if (t->intro[0]) fprintf(f, "<p>%s</p>", t->intro);
  fprintf(f, "<div class='wide'><table>");
  for (int i = 0; i < t->columns + t->cells; i++) {
    int column = i % t->columns;
    if (column == 0) fprintf(f, "<tr>");
    fprintf(f, "<t%c%s>%s", i < t->columns ? 'h' : 'd', t->minor[column] ? " class='minor'" : "",
            i < t->columns ? t->head[i] : t->cell[i - t->columns]);
    if (column == t->columns - 1) fprintf(f, "</tr>\n");
  }
  fprintf(f, "</table></div>\n");
  if (t->note[0]) fprintf(f, "<p>%s</p>\n", t->note);
}

// ---- plots

enum { kLeft = 58, kTop = 10, kBelow = 44, kRight = 130 };

static int frame_width(const Axes* a) { return a->width ? a->width : 460; }
static int frame_height(const Axes* a) { return a->height ? a->height : 260; }

static double share(double v, double low, double high, bool log) {
  double s = log ? log10(fmax(v, 1e-300) / low) / log10(high / low) : (v - low) / (high - low);
  return fmin(1, fmax(0, s));
}

static double place_x(const Axes* a, double x) {
  return kLeft + frame_width(a) * share(x, a->x0, a->x1, a->log_x);
}

static double place_y(const Axes* a, double y) {
  return kTop + frame_height(a) * (1 - share(y, a->y0, a->y1, a->log_y));
}

// A round step that gives at most `most` intervals.
static double round_step(double range, int most) {
  double power = pow(10, floor(log10(range / most)));
  for (int k = 0; k < 4; k++) {
    const double factor[] = {1, 2, 5, 10};
    if (range / (power * factor[k]) <= most) return power * factor[k];
  }
  return 10 * power;
}

static void tick_text(FILE* f, double v, bool log, bool percent) {
  if (log && (v < 0.0099 || v > 9999)) {
    fprintf(f, "10<tspan dy='-5' font-size='9'>%.0f</tspan>", log10(v));
  } else if (percent) {
    fprintf(f, "%.0f%%", 100 * v);
  } else {
    fprintf(f, "%g", v);
  }
}

static void ticks(FILE* f, const Axes* a, bool vertical) {
  double low = vertical ? a->y0 : a->x0, high = vertical ? a->y1 : a->x1;
  bool log = vertical ? a->log_y : a->log_x;
  int most = (vertical ? frame_height(a) / 32 : frame_width(a) / 60);
  if (most < 2) most = 2;
  double step = log ? fmax(1, ceil(log10(high / low) / most)) : round_step(high - low, most);
  for (int k = 0; k < 100; k++) {
    double v = log ? low * pow(10, k * step) : ceil(low / step - 1e-9) * step + k * step;
    if (v > high * (1 + 1e-9) + 1e-300) break;
    double x = place_x(a, v), y = place_y(a, v);
    if (vertical) {
      fprintf(f, "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' class='grid'/>", kLeft, y,
              kLeft + frame_width(a), y);
      fprintf(f, "<text x='%d' y='%.1f' text-anchor='end'>", kLeft - 5, y + 4);
    } else {
      fprintf(f, "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' class='grid'/>", x, kTop, x,
              kTop + frame_height(a));
      fprintf(f, "<text x='%.1f' y='%d' text-anchor='middle'>", x, kTop + frame_height(a) + 16);
    }
    tick_text(f, v, log, vertical && a->percent);
    fprintf(f, "</text>");
  }
}

void plot_begin(FILE* f, const Axes* a) {
  int w = kLeft + frame_width(a) + kRight, h = kTop + frame_height(a) + kBelow;
  fprintf(f,
          "<figure class='wide'>%s%s%s<svg viewBox='0 0 %d %d' width='%d' height='%d' role='img'>"
          "<rect x='%d' y='%d' width='%d' height='%d' class='frame'/>",
          a->title ? "<h3>" : "", a->title ? a->title : "", a->title ? "</h3>" : "", w, h, w, h,
          kLeft, kTop, frame_width(a), frame_height(a));
  ticks(f, a, false);
  ticks(f, a, true);
  fprintf(f, "<text x='%d' y='%d' text-anchor='middle'>%s</text>", kLeft + frame_width(a) / 2,
          kTop + frame_height(a) + 35, a->x);
  fprintf(f, "<text transform='translate(13 %d) rotate(-90)' text-anchor='middle'>%s</text>",
          kTop + frame_height(a) / 2, a->y);
}

void plot_curve(FILE* f, const Axes* a, const double* x, const double* y, int n, const char* colour,
                const char* dash, bool dots, const char* name) {
  fprintf(f, "<polyline class='curve' stroke='%s' stroke-dasharray='%s' points='", colour,
          dash ? dash : "none");
  for (int i = 0; i < n; i++) {
    if (isfinite(x[i]) && isfinite(y[i])) {
      fprintf(f, "%.1f,%.1f ", place_x(a, x[i]), place_y(a, y[i]));
    }
  }
  fprintf(f, "'><title>%s</title></polyline>\n", name);
  for (int i = 0; dots && i < n; i++) {
    if (!isfinite(x[i]) || !isfinite(y[i])) continue;
    fprintf(f, "<circle cx='%.1f' cy='%.1f' r='2.5' fill='%s'/>", place_x(a, x[i]),
            place_y(a, y[i]), colour);
  }
}

void plot_text(FILE* f, const Axes* a, double x, double y, const char* colour, const char* text) {
  fprintf(f, "<text x='%.1f' y='%.1f' style='fill:%s'>%s</text>", place_x(a, x) + 4,
          place_y(a, y) + 4, colour, text);
}

static int from_above(const void* a, const void* b) {
  double x = ((const Label*)a)->at, y = ((const Label*)b)->at;
  return (x < y) - (x > y);
}

void plot_end(FILE* f, const Axes* a, Label* label, int n) {
  enum { kLine = 13 };
  double *at = n ? malloc((size_t)n * sizeof *at) : NULL, bottom = kTop + frame_height(a) + 8;
  qsort(label, (size_t)n, sizeof *label, from_above);
  // from the top down at least a line apart, then from the bottom up back into the frame
  for (int i = 0; at && i < n; i++) {
    at[i] = place_y(a, label[i].at);
    if (i && at[i] < at[i - 1] + kLine) at[i] = at[i - 1] + kLine;
  }
  for (int i = n - 1; at && i >= 0; i--) {
    double most = i == n - 1 ? bottom : at[i + 1] - kLine;
    if (at[i] > most) at[i] = most;
  }
  for (int i = 0; at && i < n; i++) {
    int edge = kLeft + frame_width(a);
    fprintf(f,
            "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='%s' stroke-width='.7'/>"
            "<text x='%d' y='%.1f' style='fill:%s'>%s</text>",
            edge, place_y(a, label[i].at), edge + 10, at[i], label[i].colour, edge + 13, at[i] + 4,
            label[i].colour, label[i].text);
  }
  free(at);
  fprintf(f, "</svg></figure>\n");
}
