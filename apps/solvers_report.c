// The page of the solver benchmark: tables by solver and category, performance profiles, residuals
// and iterations against conditioning. Everything is inline; nothing is loaded from elsewhere.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers.h"
#include "systems.h"

static const char* const kColor[] = {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd",
                                     "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf",
                                     "#0b3d62", "#a04d00", "#145214", "#801515", "#4b2a70"};
enum { kColors = sizeof(kColor) / sizeof(kColor[0]) };

static int ascending(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static double quantile(double* x, int n, double share) {
  if (!n) return NAN;
  qsort(x, n, sizeof *x, ascending);
  return x[(int)(share * (n - 1) + 0.5)];
}

typedef enum Metric_ { kPen, kDual, kNcp, kNat, kIterations, kTime, kMetrics } Metric;
static const char* const kMetric[kMetrics] = {"r_pen (m)", "r_dual",     "r_ncp",
                                              "r_nat",     "iterations", "time (us)"};

static double metric(const Result* r, int which) {
  const double value[kMetrics] = {r->r_pen, r->r_dual, r->r_ncp, r->r_nat, r->iterations, r->us};
  return value[which];
}

// Values of a metric over the samples of a category (-1: all) into x; returns how many.
static int gather(const Study* s, int solver, int category, int which, double* x) {
  int n = 0;
  for (int i = 0; i < s->samples.n; i++) {
    if (category >= 0 && s->samples.at[i].category != category) continue;
    x[n++] = metric(study_at(s, i, solver), which);
  }
  return n;
}

static double solved_share(const Study* s, int solver, int category) {
  int n = 0, solved = 0;
  for (int i = 0; i < s->samples.n; i++) {
    if (category >= 0 && s->samples.at[i].category != category) continue;
    solved += study_at(s, i, solver)->r_nat <= s->solved;
    n++;
  }
  return n ? 100.0 * solved / n : NAN;
}

// ---- plots

typedef struct Axes_ {
  double x0, x1, y0, y1;  // ranges; x and, when `log_y`, y are powers of ten
  bool log_y;
} Axes;

enum { kLeft = 60, kTop = 12, kWide = 620, kHigh = 260 };

static double place_x(const Axes* a, double x) {
  return kLeft + kWide * fmin(1, fmax(0, (x - a->x0) / (a->x1 - a->x0)));
}

static double place_y(const Axes* a, double y) {
  return kTop + kHigh * (1 - fmin(1, fmax(0, (y - a->y0) / (a->y1 - a->y0))));
}

static void plot_begin(FILE* f, const Axes* a, const char* title, const char* x, const char* y) {
  fprintf(f, "<h3>%s</h3><svg viewBox='0 0 %d %d' width='%d'>", title, kLeft + kWide + 190,
          kTop + kHigh + 44, kLeft + kWide + 190);
  fprintf(f, "<rect x='%d' y='%d' width='%d' height='%d' class='frame'/>", kLeft, kTop, kWide,
          kHigh);
  double step = ceil((a->x1 - a->x0) / 10);
  for (double v = ceil(a->x0); v <= a->x1; v += step > 0 ? step : 1) {
    double at = place_x(a, v);
    fprintf(f, "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' class='grid'/>", at, kTop, at,
            kTop + kHigh);
    fprintf(f, "<text x='%.1f' y='%d' text-anchor='middle'>1e%g</text>", at, kTop + kHigh + 16, v);
  }
  for (int i = 0; i <= 5; i++) {
    double v = a->y0 + (a->y1 - a->y0) * i / 5, at = place_y(a, v);
    fprintf(f, "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' class='grid'/>", kLeft, at, kLeft + kWide,
            at);
    fprintf(f,
            a->log_y ? "<text x='%d' y='%.1f' text-anchor='end'>1e%.1f</text>"
                     : "<text x='%d' y='%.1f' text-anchor='end'>%.2f</text>",
            kLeft - 6, at + 4, v);
  }
  fprintf(f, "<text x='%d' y='%d' text-anchor='middle'>%s</text>", kLeft + kWide / 2,
          kTop + kHigh + 36, x);
  fprintf(f, "<text transform='translate(14 %d) rotate(-90)' text-anchor='middle'>%s</text>",
          kTop + kHigh / 2, y);
}

static void legend(FILE* f, const Study* s) {
  for (int k = 0; k < s->nsolver; k++) {
    fprintf(f, "<rect x='%d' y='%d' width='12' height='4' fill='%s'/><text x='%d' y='%d'>%s</text>",
            kLeft + kWide + 12, kTop + 6 + 17 * k, kColor[k % kColors], kLeft + kWide + 30,
            kTop + 11 + 17 * k, s->solver[k]->name);
  }
  fprintf(f, "</svg>\n");
}

// Dolan and More: the share of samples a solver does within a factor of the best. With `solved`,
// what is not solved never counts.
static void profile(FILE* f, const Study* s, int which, bool solved, double* ratio) {
  Axes a = {0, which == kNat ? 8 : 3, 0, 1, false};
  char title[200], axis[100];
  snprintf(title, sizeof title, "Performance profile: %s%s", kMetric[which],
           solved ? ", of samples solved" : "");
  snprintf(axis, sizeof axis, "factor of the best %s", kMetric[which]);
  plot_begin(f, &a, title, axis, "share of samples");
  for (int k = 0; k < s->nsolver; k++) {
    int n = 0;
    for (int i = 0; i < s->samples.n; i++) {
      double best = INFINITY, floor = which == kNat ? 1e-14 : 1e-3;
      for (int j = 0; j < s->nsolver; j++) {
        const Result* r = study_at(s, i, j);
        if (!solved || r->r_nat <= s->solved) best = fmin(best, fmax(floor, metric(r, which)));
      }
      const Result* r = study_at(s, i, k);
      if (solved && !(r->r_nat <= s->solved)) continue;
      ratio[n++] = log10(fmax(floor, metric(r, which)) / best);
    }
    qsort(ratio, n, sizeof *ratio, ascending);
    fprintf(f, "<polyline fill='none' stroke='%s' stroke-width='1.6' points='",
            kColor[k % kColors]);
    double y = 0;
    for (int i = 0; i < n && ratio[i] <= a.x1; i++) {
      double x = place_x(&a, ratio[i]);
      fprintf(f, "%.1f,%.1f ", x, place_y(&a, y));
      y = (i + 1.0) / s->samples.n;
      fprintf(f, "%.1f,%.1f ", x, place_y(&a, y));
    }
    fprintf(f, "%d,%.1f'/>", kLeft + kWide, place_y(&a, y));
  }
  legend(f, s);
}

static void scatter(FILE* f, const Study* s, int which, const char* title, double low,
                    double high) {
  Axes a = {0, 12, low, high, true};
  plot_begin(f, &a, title, "condition number of D", kMetric[which]);
  for (int i = 0; i < s->samples.n; i++) {
    for (int k = 0; k < s->nsolver; k++) {
      double y = log10(fmax(1e-16, metric(study_at(s, i, k), which)));
      fprintf(f, "<circle cx='%.1f' cy='%.1f' r='2' fill='%s' fill-opacity='.55'/>",
              place_x(&a, log10(s->samples.at[i].condition)), place_y(&a, y), kColor[k % kColors]);
    }
  }
  legend(f, s);
}

// ---- tables

static void table_systems(FILE* f, const Study* s) {
  fprintf(f,
          "<h2>Systems</h2><table><tr><th>system<th>base<th>bodies<th>joints<th>dofs<th>passive"
          "<th>actuated<th>constraints<th>mass ratio<th>samples<th>rows (most)<th>contacts (most)"
          "<th>condition (median)</tr>\n");
  double* x = calloc(s->samples.n + 1, sizeof *x);
  for (int id = 0; x && id < kSystems; id++) {
    int n = 0, rows = 0, contacts = 0;
    for (int i = 0; i < s->samples.n; i++) {
      const Sample* p = s->samples.at + i;
      if (strcmp(p->system, systems[id].name)) continue;
      x[n++] = p->condition;
      rows = p->n > rows ? p->n : rows;
      contacts = p->ncontact > contacts ? p->ncontact : contacts;
    }
    if (!n) continue;
    const System* t = systems + id;
    fprintf(f,
            "<tr><td>%s<td>%s<td>%d<td>%d<td>%d<td>%d<td>%d<td>%d<td>%.2f<td>%d<td>%d<td>%d"
            "<td>%.2g</tr>\n",
            t->name, t->fixed ? "fixed" : "free", t->bodies, t->joints, t->total, t->passive,
            t->actuated, t->constraints, t->mass_ratio, n, rows, contacts, quantile(x, n, 0.5));
  }
  free(x);
  fprintf(f, "</table>\n");
}

static void table_solvers(FILE* f, const Study* s, double* x) {
  fprintf(f,
          "<h2>Solvers over all samples</h2><p>Solved: r_nat at most %g. Medians; in brackets "
          "the 90th percentile.</p><table><tr><th>solver<th>solved<th>says so",
          s->solved);
  for (int m = 0; m < kMetrics; m++) fprintf(f, "<th>%s", kMetric[m]);
  fprintf(f, "</tr>\n");
  for (int k = 0; k < s->nsolver; k++) {
    int says = 0;
    for (int i = 0; i < s->samples.n; i++) says += study_at(s, i, k)->converged;
    fprintf(f, "<tr><td title='%s'>%s<td>%.1f%%<td>%.1f%%", s->solver[k]->title, s->solver[k]->name,
            solved_share(s, k, -1), 100.0 * says / s->samples.n);
    for (int m = 0; m < kMetrics; m++) {
      int n = gather(s, k, -1, m, x);
      double half = quantile(x, n, 0.5), most = quantile(x, n, 0.9);
      fprintf(f, "<td>%.2g <small>(%.2g)</small>", half, most);
    }
    fprintf(f, "</tr>\n");
  }
  fprintf(f, "</table>\n");
}

static void table_categories(FILE* f, const Study* s, double* x) {
  fprintf(f,
          "<h2>By category</h2><p>Share solved, median r_nat, median iterations.</p><table>"
          "<tr><th>solver");
  int count[kCategories] = {0};
  for (int i = 0; i < s->samples.n; i++) count[s->samples.at[i].category]++;
  for (int c = 0; c < kCategories; c++) {
    if (count[c]) fprintf(f, "<th>%s<br><small>%d samples</small>", category_names[c], count[c]);
  }
  fprintf(f, "</tr>\n");
  for (int k = 0; k < s->nsolver; k++) {
    fprintf(f, "<tr><td>%s", s->solver[k]->name);
    for (int c = 0; c < kCategories; c++) {
      if (!count[c]) continue;
      double share = solved_share(s, k, c);
      int n = gather(s, k, c, kNat, x);
      double natural = quantile(x, n, 0.5);
      n = gather(s, k, c, kIterations, x);
      fprintf(f, "<td style='background:hsla(%.0f,60%%,50%%,.25)'>%.0f%% <small>%.1g, %.0f</small>",
              1.2 * share, share, natural, quantile(x, n, 0.5));
    }
    fprintf(f, "</tr>\n");
  }
  fprintf(f, "</table>\n");
}

static const char kStyle[] =
    "<!doctype html><html lang='en'><meta charset='utf-8'><title>Dual solvers</title><style>"
    "body{font:14px/1.45 system-ui,sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;"
    "color:#222;background:#fff}table{border-collapse:collapse;font-size:12.5px}"
    "td,th{padding:3px 8px;border-bottom:1px solid #ddd;text-align:right}"
    "td:first-child,th:first-child{text-align:left}small{color:#777}svg text{font-size:11px;"
    "fill:#444}.frame{fill:none;stroke:#999}.grid{stroke:#eee}svg{max-width:100%}</style>";

static bool write_csv(const Study* s, const char* directory) {
  char path[4096];
  snprintf(path, sizeof path, "%s/results.csv", directory);
  FILE* f = fopen(path, "w");
  if (!f) {
    fprintf(stderr, "%s: cannot be written\n", path);
    return false;
  }
  fprintf(f,
          "sample,system,scenario,time,rows,joint rows,rank,contacts,condition,category,solver,"
          "r_pen,r_dual,r_ncp,r_nat,iterations,converged,us\n");
  for (int i = 0; i < s->samples.n; i++) {
    const Sample* p = s->samples.at + i;
    for (int k = 0; k < s->nsolver; k++) {
      const Result* r = study_at(s, i, k);
      fprintf(f, "%d,%s,%s,%g,%d,%d,%d,%d,%.4g,%s,%s,%.6g,%.6g,%.6g,%.6g,%d,%d,%.1f\n", i,
              p->system, p->scenario, p->time, p->n, p->njointrow, p->rank, p->ncontact,
              p->condition, category_names[p->category], s->solver[k]->name, r->r_pen, r->r_dual,
              r->r_ncp, r->r_nat, r->iterations, r->converged, r->us);
    }
  }
  bool good = !ferror(f);
  return !fclose(f) && good;
}

bool study_report(const Study* s, const char* directory) {
  char path[4096];
  snprintf(path, sizeof path, "%s/report.html", directory);
  FILE* f = fopen(path, "w");
  double* x = calloc(s->samples.n + 1, sizeof *x);
  if (!f || !x) {
    fprintf(stderr, "%s: cannot be written\n", path);
    if (f) fclose(f);
    free(x);
    return false;
  }
  fprintf(f,
          "%s<h1>Dual solvers on constrained systems</h1><p>%d problems of hard contact and "
          "closed loops, each solved from zero by %d solvers.</p>\n",
          kStyle, s->samples.n, s->nsolver);
  table_solvers(f, s, x);
  profile(f, s, kTime, true, x);
  profile(f, s, kIterations, true, x);
  profile(f, s, kNat, false, x);
  table_categories(f, s, x);
  scatter(f, s, kNat, "Natural-map residual against conditioning", -16, 2);
  scatter(f, s, kIterations, "Iterations against conditioning", 0, 4);
  scatter(f, s, kTime, "Time against conditioning", 0, 7);
  table_systems(f, s);
  fprintf(f, "</html>\n");
  free(x);
  bool good = !ferror(f);
  if (fclose(f) || !good) {
    fprintf(stderr, "%s: writing failed\n", path);
    return false;
  }
  return write_csv(s, directory);
}
