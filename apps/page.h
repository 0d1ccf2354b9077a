// HTML pages of the command: one style, tables, and plots as SVG with labels beside their curves. A
// page needs no other file.
#ifndef SINEW_APPS_PAGE_H_
#define SINEW_APPS_PAGE_H_

#include <stdbool.h>
#include <stdio.h>

// A file to be written; NULL after a message on stderr.
FILE* file_create(const char* path);
bool file_finish(FILE* f, const char* path);  // false after a message on stderr

// The same for a page. `title` is the heading too.
FILE* page_open(const char* path, const char* title);
bool page_close(FILE* f, const char* path);  // false after a message on stderr

// What was run: the command, the processor, the version. Call once, below the heading.
void page_origin(FILE* f, const char* command);
// The processor's name as the system gives it, or "unknown processor".
const char* processor_name(void);

// A picture file as an element that holds it; false when the file cannot be read.
bool page_picture(FILE* f, const char* path, const char* caption);

// ---- tables: the same cells on a page and in the terminal

enum { kTableColumns = 16, kTableCell = 40 };

typedef struct Table_ {
  char title[100];
  char intro[600];  // what the table shows
  char note[600];   // what follows from it, with its numbers
  int columns, cells, room;
  const char* head[kTableColumns];
  bool minor[kTableColumns];  // left out on a narrow screen
  char (*cell)[kTableCell];
  bool failed;  // no memory: cells are missing
} Table;

void table_begin(Table* t, const char* title, int columns, const char* const* head);
void table_add(Table* t, const char* format, ...) __attribute__((format(printf, 2, 3)));
void table_print(const Table* t);           // to stdout, in at most 80 columns where they fit
void table_write(const Table* t, FILE* f);  // to a page
void table_free(Table* t);

// ---- plots

typedef struct Axes_ {
  double x0, x1, y0, y1;
  bool log_x, log_y;  // ranges are then powers of ten: x0 = 1e-3
  bool percent;       // y in percent of 1
  int width, height;  // of the frame; 0: 460 x 260
  const char *title, *x, *y;
} Axes;

typedef struct Label_ {
  double at;  // y of the curve's end, in the axes' unit
  const char *text, *colour;
} Label;

void plot_begin(FILE* f, const Axes* a);
// Points that are not finite are left out; values beyond the axes are drawn at their edge.
void plot_curve(FILE* f, const Axes* a, const double* x, const double* y, int n, const char* colour,
                const char* dash, bool dots, const char* name);
void plot_text(FILE* f, const Axes* a, double x, double y, const char* colour, const char* text);
// Labels at the right edge, moved apart where they would overlap; then the end of the plot.
void plot_end(FILE* f, const Axes* a, Label* label, int n);

#endif
