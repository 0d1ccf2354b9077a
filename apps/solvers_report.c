// The report of the solver benchmark as an HTML page: tables by solver and category, performance
// profiles, residuals and iterations against condition numbers. It is self-contained: no external
// files.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers.h"
#include "systems.h"

// colors of solvers; beyond them they repeat, with dashed lines
static const char* const kColor[] = {"#1f77b4", "#ff7f0e", "#2ca02c", "#d62728",
                                     "#9467bd", "#8c564b", "#e377c2", "#17becf"};
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
                                              "r_nat",     "iterations", "time"};

static double metric(const Result* r, int which) {
  const double value[kMetrics] = {r->r_pen, r->r_dual, r->r_ncp, r->r_nat, r->iterations, r->us};
  return value[which];
}

// Collects the values of a metric over the samples of a category (-1: all); returns their number.
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

// Formats a number: counts as integers, times with a unit, residuals as powers of ten.
static void show(FILE* f, int which, double value) {
  if (which == kIterations)
    fprintf(f, "%.0f", value);
  else if (which == kTime && value >= 1e3)
    fprintf(f, "%.*f&thinsp;ms", value < 1e4 ? 1 : 0, 1e-3 * value);
  else if (which == kTime)
    fprintf(f, "%.0f&thinsp;&micro;s", value);
  else if (value == 0)
    fprintf(f, "0");
  else
    fprintf(f, "%.1e", value);
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

static void power_label(FILE* f, double x, double y, const char* anchor, double power) {
  fprintf(
      f,
      "<text x='%.1f' y='%.1f' text-anchor='%s'>10<tspan dy='-5' font-size='8'>%g</tspan></text>",
      x, y, anchor, power);
}

static void grid_line(FILE* f, double x1, double y1, double x2, double y2) {
  fprintf(f, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' class='grid'/>", x1, y1, x2, y2);
}

static void plot_begin(FILE* f, const Axes* a, const char* title, const char* x, const char* y) {
  fprintf(f, "<h3>%s</h3><svg viewBox='0 0 %d %d' width='%d' role='img'><title>%s</title>", title,
          kLeft + kWide + 190, kTop + kHigh + 44, kLeft + kWide + 190, title);
  fprintf(f, "<rect x='%d' y='%d' width='%d' height='%d' class='frame'/>", kLeft, kTop, kWide,
          kHigh);
  double step = fmax(1, ceil((a->x1 - a->x0) / 10));
  for (double v = a->x0; v <= a->x1; v += step) {
    double at = place_x(a, v);
    grid_line(f, at, kTop, at, kTop + kHigh);
    power_label(f, at, kTop + kHigh + 18, "middle", v);
  }
  step = a->log_y ? fmax(1, ceil((a->y1 - a->y0) / 8)) : 0.2;
  for (double v = a->y0; v <= a->y1 + 1e-9; v += step) {
    double at = place_y(a, v);
    grid_line(f, kLeft, at, kLeft + kWide, at);
    if (a->log_y)
      power_label(f, kLeft - 6, at + 4, "end", v);
    else
      fprintf(f, "<text x='%d' y='%.1f' text-anchor='end'>%.0f%%</text>", kLeft - 6, at + 4,
              100 * v);
  }
  fprintf(f, "<text x='%d' y='%d' text-anchor='middle'>%s</text>", kLeft + kWide / 2,
          kTop + kHigh + 38, x);
  fprintf(f, "<text transform='translate(14 %d) rotate(-90)' text-anchor='middle'>%s</text>",
          kTop + kHigh / 2, y);
}

// The curve of a solver: its color, dashed for the second half of the solvers, its name as tooltip.
static void curve_begin(FILE* f, int k) {
  fprintf(f, "<polyline class='curve' stroke='%s'%s points='", kColor[k % kColors],
          k >= kColors ? " stroke-dasharray='7 3'" : "");
}

static void curve_end(FILE* f, const Study* s, int k) {
  fprintf(f, "'><title>%s</title></polyline>", s->solver[k]->name);
}

static void legend(FILE* f, const Study* s) {
  for (int k = 0; k < s->nsolver; k++) {
    int y = kTop + 8 + 17 * k, x = kLeft + kWide + 12;
    fprintf(f,
            "<line x1='%d' y1='%d' x2='%d' y2='%d' stroke='%s' stroke-width='2'%s/>"
            "<text x='%d' y='%d'>%s</text>",
            x, y, x + 20, y, kColor[k % kColors], k >= kColors ? " stroke-dasharray='7 3'" : "",
            x + 26, y + 4, s->solver[k]->name);
  }
  fprintf(f, "</svg>\n");
}

// Performance profile (Dolan and More): the share of samples that a solver does within a factor of
// the best. With `solved`, unsolved samples never count.
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
    curve_begin(f, k);
    double y = 0;
    for (int i = 0; i < n && ratio[i] <= a.x1; i++) {
      double x = place_x(&a, ratio[i]);
      fprintf(f, "%.1f,%.1f ", x, place_y(&a, y));
      y = (i + 1.0) / s->samples.n;
      fprintf(f, "%.1f,%.1f ", x, place_y(&a, y));
    }
    fprintf(f, "%d,%.1f", kLeft + kWide, place_y(&a, y));
    curve_end(f, s, k);
  }
  legend(f, s);
}

// A dot for every solve, and a curve through the medians by decade of the condition number.
static void scatter(FILE* f, const Study* s, int which, const char* title, double low, double high,
                    double* x) {
  Axes a = {0, 12, low, high, true};
  plot_begin(f, &a, title, "condition number of D",
             which == kTime ? "time (&#181;s)" : kMetric[which]);
  for (int k = 0; k < s->nsolver; k++) {
    for (int i = 0; i < s->samples.n; i++) {
      double y = log10(fmax(1e-16, metric(study_at(s, i, k), which)));
      fprintf(f, "<circle cx='%.1f' cy='%.1f' r='1.5' fill='%s' fill-opacity='.35'/>",
              place_x(&a, log10(s->samples.at[i].condition)), place_y(&a, y), kColor[k % kColors]);
    }
  }
  for (int k = 0; k < s->nsolver; k++) {
    curve_begin(f, k);
    for (int decade = 0; decade < 12; decade++) {
      int n = 0;
      for (int i = 0; i < s->samples.n; i++) {
        double power = log10(s->samples.at[i].condition);
        if (power >= decade && power < decade + 1) x[n++] = metric(study_at(s, i, k), which);
      }
      if (!n) continue;
      double y = log10(fmax(1e-16, quantile(x, n, 0.5)));
      fprintf(f, "%.1f,%.1f ", place_x(&a, decade + 0.5), place_y(&a, y));
    }
    curve_end(f, s, k);
  }
  legend(f, s);
}

// ---- tables

static void table_systems(FILE* f, const Study* s) {
  fprintf(f,
          "<h2>Systems</h2><div "
          "class='wide'><table><tr><th>system<th>base<th>bodies<th>joints<th>dofs<th>passive"
          "<th>actuated<th>constraints<th>mass ratio<th>samples<th>most rows<th>most contacts"
          "<th>condition</tr>\n");
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
  fprintf(f, "</table></div>\n");
}

static void table_solvers(FILE* f, const Study* s, double* x) {
  double* half = calloc((size_t)s->nsolver * kMetrics + 1, sizeof *half);
  if (!half) return;
  double best[kMetrics];
  for (int m = 0; m < kMetrics; m++) best[m] = INFINITY;
  for (int k = 0; k < s->nsolver; k++) {
    for (int m = 0; m < kMetrics; m++) {
      half[k * kMetrics + m] = quantile(x, gather(s, k, -1, m, x), 0.5);
      best[m] = fmin(best[m], half[k * kMetrics + m]);
    }
  }
  fprintf(f,
          "<h2>Solvers over all problems</h2><p>Solved: r_nat at most %g; then the share where the "
          "solver itself reports convergence to its own, tighter tolerance. The other columns are "
          "medians, small the 90th percentile, bold the least of a column.</p>"
          "<div class='wide'><table><tr><th>solver<th>solved<th>converged",
          s->solved);
  for (int m = 0; m < kMetrics; m++) fprintf(f, "<th>%s", kMetric[m]);
  fprintf(f, "</tr>\n");
  for (int k = 0; k < s->nsolver; k++) {
    int says = 0;
    for (int i = 0; i < s->samples.n; i++) says += study_at(s, i, k)->converged;
    fprintf(f, "<tr><td title='%s'>%s<td>%.1f%%<td>%.1f%%", s->solver[k]->title, s->solver[k]->name,
            solved_share(s, k, -1), 100.0 * says / s->samples.n);
    for (int m = 0; m < kMetrics; m++) {
      double value = half[k * kMetrics + m], most = quantile(x, gather(s, k, -1, m, x), 0.9);
      bool least = value <= best[m];
      fprintf(f, least ? "<td><b>" : "<td>");
      show(f, m, value);
      fprintf(f, least ? "</b> <small>" : " <small>");
      show(f, m, most);
      fprintf(f, "</small>");
    }
    fprintf(f, "</tr>\n");
  }
  fprintf(f, "</table></div>\n");
  free(half);
}

static void table_categories(FILE* f, const Study* s, double* x) {
  fprintf(f,
          "<h2>By category</h2><p>Share solved; small: median r_nat, median iterations.</p><div "
          "class='wide'><table>"
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
  fprintf(f, "</table></div>\n");
}

static const char kStyle[] =
    "<!doctype html><html lang='en'><meta charset='utf-8'>"
    "<meta name='viewport' content='width=device-width'><title>Dual solvers</title><style>"
    "body{font:15px/1.5 system-ui,sans-serif;max-width:1000px;margin:2.5em auto;padding:0 1em;"
    "color:#222;background:#fff}h1{font-size:1.7em;margin:0}h2{margin:2em 0 .3em;font-size:1.25em}"
    "h3{margin:1.6em 0 .2em;font-size:1em}p,dl{max-width:46em}.wide{overflow-x:auto}"
    "table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums}"
    "td,th{padding:3px 9px;border-bottom:1px solid #e4e4e4;text-align:right;white-space:nowrap}"
    "th{border-bottom:1.5px solid #888;font-weight:600}tr:hover td{background:#f4f7fa}"
    "td:first-child,th:first-child{text-align:left}small{color:#777}"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15em 1em}dt{font-weight:600}"
    "dd{margin:0}svg{max-width:100%}svg text{font-size:11px;fill:#444}.frame{fill:none;stroke:#999}"
    ".grid{stroke:#eee}.curve{fill:none;stroke-width:1.6;stroke-linejoin:round}"
    ".curve:hover{stroke-width:4}</style>";

static const char kMeasures[] =
    "<h2>What is measured</h2><dl>"
    "<dt>r_pen<dd>largest error of position at the end of the step, to first order"
    "<dt>r_dual<dd>distance of the velocities, with De Saxc&eacute;'s correction, from the dual "
    "cone"
    "<dt>r_ncp<dd>largest power of an impulse: zero where complementarity holds"
    "<dt>r_nat<dd>natural map, zero at a solution of the contact problem and nowhere else"
    "<dt>iterations, time<dd>of one solve from zero, factorizations included"
    "<dt>condition<dd>of the Delassus matrix D over its nonzero spectrum</dl>"
    "<p>A performance profile shows for which share of the problems a solver is within a factor of "
    "the best one on each: the higher and the further left, the better. Solvers of another law "
    "(raisim), of the convex relaxation (admm-ccp) and of soft contact (barrier, gpgs) do not aim "
    "at the natural map of the hard problem; where they miss it, that is their law and no "
    "failure to converge.</p>\n";

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
          "closed loops, recorded from machines in motion, each solved from zero by %d "
          "solvers. Every number is in <code>results.csv</code>, every problem in "
          "<code>samples.bin</code>.</p>\n",
          kStyle, s->samples.n, s->nsolver);
  fputs(kMeasures, f);
  table_solvers(f, s, x);
  profile(f, s, kTime, true, x);
  profile(f, s, kIterations, true, x);
  profile(f, s, kNat, false, x);
  table_categories(f, s, x);
  scatter(f, s, kNat, "Natural-map residual against conditioning", -16, 2, x);
  scatter(f, s, kIterations, "Iterations against conditioning", 0, 4, x);
  scatter(f, s, kTime, "Time against conditioning", 0, 7, x);
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
