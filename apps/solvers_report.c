// The page of the solver benchmark: what was run, what follows from it, and the numbers. Every
// sentence with a number in it is computed from the results.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "sinew.h"
#include "solvers.h"

// ---- families and definitions

typedef enum Family_ { kSweeps, kExact, kAdmm, kNewton, kInvertible, kFamilies } Family;
static const char* const kFamilyName[kFamilies] = {"sweeps with projections",
                                                   "sweeps with exact contacts", "ADMM",
                                                   "Newton's method", "soft and invertible"};
static const char* const kColour[kFamilies] = {"#1f77b4", "#2ca02c", "#c0392b", "#8e44ad",
                                               "#8a6d1d"};

typedef struct Meaning_ {
  const char* name;
  int family;
  const char *dash, *text;
} Meaning;

static const Meaning kMeaning[] = {
    {"pgs-ccp", kSweeps, NULL,
     "Gauss-Seidel over blocks; a contact takes a gradient step and the nearest point of its cone, "
     "with De Saxc&eacute;'s correction."},
    {"pgs-ncp", kSweeps, "7 3",
     "Gauss-Seidel; the normal is projected on f &ge; 0, then tangents on the disk of that "
     "normal."},
    {"prox", kSweeps, "2 2", "Proximal steps whose length adapts to the block (SORProx)."},
    {"nbgs", kExact, NULL,
     "Gauss-Seidel in which each contact alone is solved exactly, by the roots of a quartic."},
    {"raisim", kExact, "7 3",
     "Each contact by bisection: least energy where it neither opens nor penetrates."},
    {"raisim-ds", kExact, "2 2", "The same with De Saxc&eacute;'s correction."},
    {"raisim-ds-es", kExact, "9 3 2 3", "The same, stopped when the objective stands still."},
    {"admm-ccp", kAdmm, "2 2", "ADMM on the convex relaxation (no correction)."},
    {"admm-ncp-fixed", kAdmm, "7 3", "ADMM with the correction and one penalty throughout."},
    {"admm-ncp-linear", kAdmm, "4 4", "The penalty grows and shrinks by a factor."},
    {"admm-ncp-spectral", kAdmm, "9 3 2 3", "The penalty follows the extreme eigenvalues of D."},
    {"admm-ncp", kAdmm, NULL,
     "Sinew's default: the linear penalty, the last digits by a semismooth Newton method."},
    {"implicit", kNewton, NULL,
     "Levenberg-Marquardt on the equation whose root is the solution (Todorov 2010)."},
    {"barrier", kInvertible, NULL, "Interior point on softened, convex contact (Todorov 2011)."},
    {"gpgs", kInvertible, "7 3",
     "Gauss-Seidel on softened contact with an analytical inverse (Todorov 2014)."},
};

static const Meaning* meaning(const char* name) {
  static const Meaning none = {"", kSweeps, NULL, ""};
  for (size_t i = 0; i < sizeof kMeaning / sizeof kMeaning[0]; i++) {
    if (!strcmp(kMeaning[i].name, name)) return kMeaning + i;
  }
  return &none;
}

bool solver_sweeps(const snDualSolver* solver) {
  int family = meaning(solver->name)->family;
  return family == kSweeps || family == kExact;
}

static const char* colour(const Study* s, int k) {
  return kColour[meaning(s->solver[k]->name)->family];
}

static const char kMetrics[] =
    "<h2>Metrics</h2><dl>"
    "<dt>r_pen<dd>largest error of position at the end of the step, to first order (m)"
    "<dt>r_dual<dd>distance of velocities, with De Saxc&eacute;'s correction, from the dual cone "
    "(m/s)"
    "<dt>r_ncp<dd>largest power of an impulse: zero where complementarity holds (J)"
    "<dt>r_nat<dd>natural map: zero at a solution of the contact problem and nowhere else"
    "<dt>solved<dd>r_nat is at most the bound named above"
    "<dt>converged<dd>the solver itself says that its own, tighter tolerances are met"
    "<dt>time<dd>processor time of one solve from zero, factorizations included: the median of "
    "repeated solves; spread is slowest less fastest over the median"
    "<dt>condition<dd>of the Delassus matrix D over its nonzero spectrum</dl>"
    "<p>Solvers of another law (raisim), of the convex relaxation (admm-ccp) and of soft contact "
    "(barrier, gpgs) do not aim at the natural map of the hard problem; where they miss it, that "
    "is their law and no failure to converge.</p>\n";

static const char* const kCategoryText[kCategories] = {
    "no contact, rows of joints of full rank",
    "no contact, joints that repeat each other, fewer rows than 6 per body",
    "no contact, joints that repeat each other, at least 6 rows per body",
    "one contact, whatever the joints are",
    "at least two contacts, at most two per body",
    "more than two contacts per body",
    "joints and at least two contacts, more than 6 rows per body"};

// ---- numbers

// Is sample i of a category and a system? -1: any.
static bool among(const Study* s, int i, int category, int system) {
  const Sample* p = s->samples.at + i;
  return (category < 0 || p->category == category) &&
         (system < 0 || !strcmp(p->system, systems[system].name));
}

double solved_share(const Study* s, int solver, int category, int system) {
  int n = 0, solved = 0;
  for (int i = 0; i < s->samples.n; i++) {
    if (!among(s, i, category, system)) continue;
    solved += study_at(s, i, solver)->r_nat <= s->solved;
    n++;
  }
  return n ? (double)solved / n : NAN;
}

static int count_samples(const Study* s, int category, int system, bool touching) {
  int n = 0;
  for (int i = 0; i < s->samples.n; i++) {
    n += among(s, i, category, system) && (!touching || s->samples.at[i].ncontact > 0);
  }
  return n;
}

typedef enum Metric_ { kTime, kIterations, kNat, kPen, kDual, kNcp } Metric;

static double metric(const Result* r, int which) {
  const double value[] = {r->us, r->iterations, r->r_nat, r->r_pen, r->r_dual, r->r_ncp};
  return value[which];
}

static double median(const Study* s, int solver, int category, int system, int which, double* x) {
  int n = 0;
  for (int i = 0; i < s->samples.n; i++) {
    if (among(s, i, category, system)) x[n++] = metric(study_at(s, i, solver), which);
  }
  return quantile(x, n, 0.5);
}

static void time_text(char text[32], double us) {
  if (us >= 1e3) {
    snprintf(text, 32, "%.*f ms", us < 1e4 ? 1 : 0, 1e-3 * us);
  } else {
    snprintf(text, 32, "%.0f &#181;s", us);
  }
}

// ---- performance profiles (Dolan and More)

// The share of samples that a solver solves within a factor of the least metric of any solver that
// solves it; what nobody solves counts for nobody. Returns the number of points.
static int profile(const Study* s, int solver, int category, int which, double limit, double* x,
                   double* y) {
  int n = 0, all = 0;
  for (int i = 0; i < s->samples.n; i++) {
    if (!among(s, i, category, -1)) continue;
    all++;
    double best = INFINITY;
    for (int k = 0; k < s->nsolver; k++) {
      const Result* r = study_at(s, i, k);
      if (r->r_nat <= s->solved) best = fmin(best, fmax(1e-3, metric(r, which)));
    }
    const Result* r = study_at(s, i, solver);
    if (r->r_nat <= s->solved) x[n++] = fmax(1e-3, metric(r, which)) / best;
  }
  quantile(x, n, 0);  // sorts
  // steps: from the back, so that x can be read and written in one array
  for (int i = n - 1; i >= 0; i--) {
    double at = x[i];
    x[2 * i + 1] = at;
    y[2 * i + 1] = (i + 1.0) / all;
    x[2 * i] = at;
    y[2 * i] = (double)i / all;
  }
  n *= 2;
  while (n && x[n - 1] > limit) n--;
  x[n] = limit;
  y[n] = n ? y[n - 1] : 0;
  return n + 1;
}

static void plot_profile(FILE* f, const Study* s, int category, int which, const char* title,
                         bool small, double* x) {
  Axes a = {1,
            1000,
            0,
            1,
            true,
            false,
            true,
            small ? 230 : 0,
            small ? 170 : 0,
            title,
            which == kTime ? "factor of the least time" : "factor of the fewest iterations",
            "share of samples"};
  double* y = x + 2 * s->samples.n + 2;
  Label label[kMaxSolvers];
  int labels = 0;
  plot_begin(f, &a);
  for (int k = 0; k < s->nsolver; k++) {
    const char* name = s->solver[k]->name;
    int n = profile(s, k, category, which, a.x1, x, y);
    plot_curve(f, &a, x, y, n, colour(s, k), meaning(name)->dash, false, name);
    label[labels++] = (Label){y[n - 1], name, colour(s, k)};
  }
  plot_end(f, &a, label, labels);
}

// ---- accuracy against time

static void plot_work(FILE* f, const Study* s, const WorkPrecision* w, int category, int system,
                      const char* title, double* x) {
  bool small = category >= 0 || system >= 0;
  Axes a = {1,
            1e6,
            1e-16,
            1,
            true,
            true,
            false,
            small ? 230 : 0,
            small ? 200 : 300,
            title,
            "time (&#181;s)",
            "r_nat"};
  Label label[kMaxSolvers];
  double us[kTolerances], natural[kTolerances], most = 1;
  for (size_t i = 0; i < (size_t)s->samples.n * s->nsolver * kTolerances; i++) {
    most = fmax(most, w->us[i]);
  }
  a.x1 = pow(10, ceil(log10(most)));
  plot_begin(f, &a);
  for (int k = 0; k < s->nsolver; k++) {
    const char* name = s->solver[k]->name;
    for (int j = 0; j < kTolerances; j++) {
      int n = 0;
      double* other = x + s->samples.n;
      for (int i = 0; i < s->samples.n; i++) {
        if (!among(s, i, category, system)) continue;
        size_t at = ((size_t)i * s->nsolver + k) * kTolerances + j;
        x[n] = w->us[at];
        other[n++] = w->natural[at];
      }
      us[j] = quantile(x, n, 0.5);
      natural[j] = fmax(1e-16, quantile(other, n, 0.5));
    }
    plot_curve(f, &a, us, natural, kTolerances, colour(s, k), meaning(name)->dash, true, name);
    label[k] = (Label){natural[kTolerances - 1], name, colour(s, k)};
  }
  plot_end(f, &a, label, s->nsolver);
}

// ---- conclusions

// The solver that solves the most, but for `but`: of those that solve as many the fastest.
static int best_solver(const Study* s, int but, double* share, double* x) {
  int best = -1;
  double least = INFINITY;
  for (int k = 0; k < s->nsolver; k++) {
    double here = solved_share(s, k, -1, -1), us = median(s, k, -1, -1, kTime, x);
    if (k == but || (best >= 0 && (here < *share || (here == *share && us >= least)))) continue;
    best = k;
    *share = here;
    least = us;
  }
  return best;
}

// On how many samples solver k is the fastest of those that solve it.
static int wins(const Study* s, int k) {
  int n = 0;
  for (int i = 0; i < s->samples.n; i++) {
    double best = INFINITY;
    int who = -1;
    for (int j = 0; j < s->nsolver; j++) {
      const Result* r = study_at(s, i, j);
      if (r->r_nat <= s->solved && r->us < best) best = r->us, who = j;
    }
    n += who == k;
  }
  return n;
}

static void conclude_best(FILE* f, const Study* s, double* x) {
  double share = 0, second = 0;
  char text[32];
  int best = best_solver(s, -1, &share, x), next = best_solver(s, best, &second, x), fastest = 0;
  for (int k = 0; k < s->nsolver; k++) {
    if (wins(s, k) > wins(s, fastest)) fastest = k;
  }
  time_text(text, median(s, best, -1, -1, kTime, x));
  fprintf(f, "<li><b>%s</b> solves the most: %.1f%% of %d problems, in %s in the median",
          s->solver[best]->name, 100 * share, s->samples.n, text);
  if (next >= 0) {
    time_text(text, median(s, next, -1, -1, kTime, x));
    fprintf(f, "; %s %s, in %s", second == share ? "so does" : "next is", s->solver[next]->name,
            text);
    if (second < share) fprintf(f, ", with %.1f%%", 100 * second);
  }
  fprintf(f, ".</li><li><b>%s</b> is the fastest that solves it on %d of %d problems.</li>\n",
          s->solver[fastest]->name, wins(s, fastest), s->samples.n);
}

// The category in which most is lost against the easiest one, by family.
static void conclude_categories(FILE* f, const Study* s) {
  for (int family = 0; family < kFamilies; family++) {
    int low = -1, high = -1, members = 0;
    double least = 2, most = -1;
    for (int c = 0; c < kCategories; c++) {
      if (!count_samples(s, c, -1, false)) continue;
      double sum = 0;
      members = 0;
      for (int k = 0; k < s->nsolver; k++) {
        if (meaning(s->solver[k]->name)->family != family) continue;
        sum += solved_share(s, k, c, -1);
        members++;
      }
      if (!members) break;
      sum /= members;
      if (sum < least) least = sum, low = c;
      if (sum > most) most = sum, high = c;
    }
    if (!members || low < 0) continue;
    fprintf(f, "<li><span style='color:%s'>%s</span> (mean of %d %s): %.0f%% solved of %s",
            kColour[family], kFamilyName[family], members, members == 1 ? "solver" : "solvers",
            100 * most, category_names[high]);
    if (least < most) fprintf(f, ", but %.0f%% of %s", 100 * least, category_names[low]);
    fprintf(f, least < most ? ".</li>\n" : ", and as many of every other category.</li>\n");
  }
}

static void conclude_condition(FILE* f, const Study* s) {
  double share[2] = {0, 0};
  int n[2] = {0, 0}, k = 0;
  for (int i = 0; i < s->samples.n; i++) {
    int hard = s->samples.at[i].condition > 1e6;
    for (k = 0; k < s->nsolver; k++) {
      share[hard] += study_at(s, i, k)->r_nat <= s->solved;
      n[hard]++;
    }
  }
  if (!n[0] || !n[1]) return;
  fprintf(f,
          "<li>Conditioning: where D has a condition number up to 10<sup>6</sup>, %.0f%% of all "
          "solves reach the bound; above, %.0f%%.</li>\n",
          100 * share[0] / n[0], 100 * share[1] / n[1]);
}

static void conclusions(FILE* f, const Study* s, const Table* studies, int nstudy, double* x) {
  fprintf(f, "<h2>What follows</h2><ul>\n");
  conclude_best(f, s, x);
  sweeps_conclude(f, s);
  conclude_condition(f, s);
  conclude_categories(f, s);
  for (int i = 0; i < nstudy; i++) {
    fprintf(f, "<li>%s: %s</li>\n", studies[i].title, studies[i].note);
  }
  fprintf(f, "</ul>\n");
}

// ---- systems

static bool draw_system(FILE* f, const mjModel* m, const char* folder, const char* caption,
                        const char* name) {
  enum { kWide = 300, kHigh = 240 };
  Studio studio = {0};
  Picture p = {0};
  char path[4200];
  mjData* d = mj_makeData(m);
  snprintf(path, sizeof path, "%s/%s.png", folder, name);
  bool good =
      d && studio_open(&studio, "solvers", m, NULL, kWide, kHigh) && picture_make(&p, kWide, kHigh);
  if (good) {
    mj_forward(m, d);
    studio_draw(&studio, d, studio_part(&studio, 0, 1, 1), NULL);
    studio_read(&studio, &p);
    good = picture_save(&p, path) && page_picture(f, path, caption);
  }
  picture_free(&p);
  studio_close(&studio);
  mj_deleteData(d);
  return good;
}

static bool write_systems(FILE* f, const Options* o, const Study* s, double* x) {
  static const char* const kHead[] = {"system",  "base",   "bodies",   "joints",     "dofs",
                                      "passive", "driven", "constr.",  "mass ratio", "samples",
                                      "contact", "rows",   "contacts", "condition"};
  Table t;
  bool good = true;
  table_begin(&t, "Counted from the models", 14, kHead);
  const int minor[] = {1, 5, 6, 7, 11, 12};
  for (int i = 0; i < 6; i++) t.minor[minor[i]] = true;
  fprintf(
      f,
      "<h2>Systems</h2><p>Thirteen machines with the numbers of table II of the report that "
      "defines the benchmark; shapes are Sinew's own. The mass ratio is one of moving bodies "
      "that a joint holds together. Contact: the share of samples in which something touches; rows "
      "and contacts: the most; condition: of D, the median.</p><div class='systems'>\n");
  for (int id = 0; good && id < kSystems; id++) {
    int n = 0, rows = 0, contacts = 0;
    for (int i = 0; i < s->samples.n; i++) {
      const Sample* p = s->samples.at + i;
      if (!among(s, i, -1, id)) continue;
      x[n++] = p->condition;
      rows = p->n > rows ? p->n : rows;
      contacts = p->ncontact > contacts ? p->ncontact : contacts;
    }
    if (!n) continue;
    mjModel* m = system_model(id);
    System c;
    char caption[200];
    good = m && system_count(id, m, &c);
    if (good) {
      snprintf(caption, sizeof caption, "<b>%s</b>: %d %s, %d joints, mass ratio %.*f", c.name,
               c.bodies, c.bodies == 1 ? "body" : "bodies", c.joints, c.joined_ratio < 100,
               c.joined_ratio);
      good = draw_system(f, m, o->out, caption, c.name);
      table_add(&t, "%s", c.name);
      table_add(&t, "%s", c.fixed ? "fixed" : "free");
      const int count[] = {c.bodies, c.joints, c.total, c.passive, c.actuated, c.constraints};
      for (int i = 0; i < 6; i++) table_add(&t, "%d", count[i]);
      table_add(&t, "%.2f", c.joined_ratio);
      table_add(&t, "%d", n);
      table_add(&t, "%.0f%%", 100.0 * count_samples(s, -1, id, true) / n);
      table_add(&t, "%d", rows);
      table_add(&t, "%d", contacts);
      table_add(&t, "%.0e", quantile(x, n, 0.5));
    }
    mj_deleteModel(m);
  }
  fprintf(f, "</div>\n");
  table_write(&t, f);
  good = good && !t.failed;
  table_free(&t);
  return good;
}

// ---- tables

static void write_definitions(FILE* f, const Study* s) {
  fprintf(f, "<h2>Solvers</h2>\n");
  for (int family = 0; family < kFamilies; family++) {
    bool any = false;
    for (int k = 0; k < s->nsolver; k++) {
      const Meaning* m = meaning(s->solver[k]->name);
      if (m->family != family) continue;
      if (!any) {
        fprintf(f, "<h3 style='color:%s'>%s</h3><dl>", kColour[family], kFamilyName[family]);
      }
      fprintf(f, "<dt>%s<dd>%s", s->solver[k]->name, m->text[0] ? m->text : s->solver[k]->title);
      any = true;
    }
    if (any) fprintf(f, "</dl>\n");
  }
}

static void solver_table(const Study* s, Table* t, double* x) {
  static const char* const kHead[] = {"solver", "solved", "converged", "iterations", "time",
                                      "spread", "r_nat",  "r_pen",     "r_dual",     "r_ncp"};
  table_begin(t, "All problems", 10, kHead);
  const int minor[] = {2, 5, 7, 8, 9};
  for (int i = 0; i < 5; i++) t->minor[minor[i]] = true;
  snprintf(t->intro, sizeof t->intro, "Medians over %d problems; solved: r_nat at most %g.",
           s->samples.n, s->solved);
  for (int k = 0; k < s->nsolver; k++) {
    int says = 0, n = 0;
    char text[32];
    for (int i = 0; i < s->samples.n; i++) {
      const Result* r = study_at(s, i, k);
      says += r->converged;
      x[n++] = (r->us_high - r->us_low) / fmax(r->us, 1e-9);
    }
    double spread = quantile(x, n, 0.5);
    time_text(text, median(s, k, -1, -1, kTime, x));
    table_add(t, "%s", s->solver[k]->name);
    table_add(t, "%.1f%%", 100 * solved_share(s, k, -1, -1));
    table_add(t, "%.1f%%", 100.0 * says / s->samples.n);
    table_add(t, "%.0f", median(s, k, -1, -1, kIterations, x));
    table_add(t, "%s", text);
    table_add(t, "%.0f%%", 100 * spread);
    const int which[] = {kNat, kPen, kDual, kNcp};
    for (int i = 0; i < 4; i++) table_add(t, "%.0e", median(s, k, -1, -1, which[i], x));
  }
}

// Solvers by category, or by system: the share solved, shaded.
static void share_table(FILE* f, const Study* s, bool by_system, double* x) {
  int columns = by_system ? kSystems : kCategories;
  fprintf(f,
          "<h2>By %s</h2><p>Share of problems solved; small: median time.</p><div class='wide'>"
          "<table><tr><th>solver",
          by_system ? "system" : "category");
  for (int c = 0; c < columns; c++) {
    int n = count_samples(s, by_system ? -1 : c, by_system ? c : -1, false);
    char name[40];
    if (!n) continue;
    // two words of a category one below the other
    snprintf(name, sizeof name, "%s", by_system ? systems[c].name : category_names[c]);
    char* space = strpbrk(name, " -");
    int head = space ? (int)(space - name) : (int)strlen(name);
    fprintf(f, "<th>%.*s<br>%s<br><small>%d</small>", head, name, space ? space + 1 : "", n);
  }
  fprintf(f, "</tr>\n");
  for (int k = 0; k < s->nsolver; k++) {
    fprintf(f, "<tr><td style='color:%s'>%s", colour(s, k), s->solver[k]->name);
    for (int c = 0; c < columns; c++) {
      int category = by_system ? -1 : c, system = by_system ? c : -1;
      char text[32];
      double share = solved_share(s, k, category, system);
      if (isnan(share)) continue;
      time_text(text, median(s, k, category, system, kTime, x));
      fprintf(f, "<td style='background:hsla(%.0f,60%%,50%%,.25)'>%.0f%%<br><small>%s</small>",
              120 * share, 100 * share, text);
    }
    fprintf(f, "</tr>\n");
  }
  fprintf(f, "</table></div>\n");
}

// Median residual by decade of the condition number.
static void plot_condition(FILE* f, const Study* s, int which, double* x) {
  Axes a = {1,
            1e12,
            which == kNat ? 1e-16 : 1,
            which == kNat ? 100 : 1e7,
            true,
            true,
            false,
            0,
            0,
            which == kNat ? "Residual against conditioning" : "Time against conditioning",
            "condition number of D",
            which == kNat ? "r_nat, median of the decade" : "time (&#181;s), median of the decade"};
  Label label[kMaxSolvers];
  plot_begin(f, &a);
  for (int k = 0; k < s->nsolver; k++) {
    double at[12], value[12];
    int points = 0;
    for (int decade = 0; decade < 12; decade++) {
      int n = 0;
      for (int i = 0; i < s->samples.n; i++) {
        double power = log10(s->samples.at[i].condition);
        if (power >= decade && power < decade + 1) x[n++] = metric(study_at(s, i, k), which);
      }
      if (!n) continue;
      at[points] = pow(10, decade + 0.5);
      value[points++] = fmax(1e-16, quantile(x, n, 0.5));
    }
    const char* name = s->solver[k]->name;
    plot_curve(f, &a, at, value, points, colour(s, k), meaning(name)->dash, true, name);
    label[k] = (Label){points ? value[points - 1] : 1, name, colour(s, k)};
  }
  plot_end(f, &a, label, s->nsolver);
}

static void write_categories(FILE* f, const Study* s) {
  fprintf(f, "<h2>Categories of problems</h2><dl>");
  for (int c = 0; c < kCategories; c++) {
    int n = count_samples(s, c, -1, false);
    fprintf(f, "<dt>%s<dd>%s: %d problem%s", category_names[c], kCategoryText[c], n,
            n == 1 ? "" : "s");
  }
  fprintf(f, "</dl>\n");
}

static bool write_csv(const Study* s, const char* directory) {
  char path[4096];
  snprintf(path, sizeof path, "%s/results.csv", directory);
  FILE* f = file_create(path);
  if (!f) return false;
  fprintf(f,
          "sample,system,scenario,time,rows,joint rows,rank,contacts,condition,category,solver,"
          "r_pen,r_dual,r_ncp,r_nat,iterations,converged,us,us_low,us_high\n");
  for (int i = 0; i < s->samples.n; i++) {
    const Sample* p = s->samples.at + i;
    for (int k = 0; k < s->nsolver; k++) {
      const Result* r = study_at(s, i, k);
      fprintf(f, "%d,%s,%s,%g,%d,%d,%d,%d,%.4g,%s,%s,%.6g,%.6g,%.6g,%.6g,%d,%d,%.1f,%.1f,%.1f\n", i,
              p->system, p->scenario, p->time, p->n, p->njointrow, p->rank, p->ncontact,
              p->condition, category_names[p->category], s->solver[k]->name, r->r_pen, r->r_dual,
              r->r_ncp, r->r_nat, r->iterations, r->converged, r->us, r->us_low, r->us_high);
    }
  }
  return file_finish(f, path);
}

static void write_plots(FILE* f, const Study* s, const WorkPrecision* w, double* x) {
  fprintf(f,
          "<h2>Performance profiles</h2><p>For which share of the problems a solver is within a "
          "factor of the best one on each (Dolan and Mor&eacute;): at the left edge, how often it "
          "is the best; at the right edge, how much it solves at all.</p>\n");
  plot_profile(f, s, -1, kTime, "Time", false, x);
  plot_profile(f, s, -1, kIterations, "Iterations", false, x);
  fprintf(f, "<h3>Time, by category</h3><div class='many'>\n");
  for (int c = 0; c < kCategories; c++) {
    if (count_samples(s, c, -1, false)) plot_profile(f, s, c, kTime, category_names[c], true, x);
  }
  fprintf(f, "</div>\n");
  if (w) {
    fprintf(f,
            "<h2>Accuracy against time</h2><p>Each solver with tolerances 10<sup>-2</sup>, "
            "10<sup>-4</sup> ... 10<sup>-10</sup>: median time and residual that was reached; the "
            "lower and the further left, the better. A curve that stays level does not get more "
            "accurate by waiting.</p>\n");
    plot_work(f, s, w, -1, -1, NULL, x);
    fprintf(f, "<h3>By category</h3><div class='many'>\n");
    for (int c = 0; c < kCategories; c++) {
      if (count_samples(s, c, -1, false)) plot_work(f, s, w, c, -1, category_names[c], x);
    }
    fprintf(f, "</div><h3>By system</h3><div class='many'>\n");
    for (int id = 0; id < kSystems; id++) {
      if (count_samples(s, -1, id, false)) plot_work(f, s, w, -1, id, systems[id].name, x);
    }
    fprintf(f, "</div>\n");
  }
  fprintf(f, "<h2>Conditioning</h2>\n");
  plot_condition(f, s, kNat, x);
  plot_condition(f, s, kTime, x);
}

bool study_report(const Options* o, const Study* s, const WorkPrecision* w, const Table* studies,
                  int nstudy) {
  char path[4096];
  Table all;
  snprintf(path, sizeof path, "%s/report.html", o->out);
  double* x = calloc(8 * (size_t)s->samples.n + 64, sizeof *x);
  FILE* f = x ? page_open(path, "Dual solvers on constrained systems") : NULL;
  if (!f) {
    free(x);
    return false;
  }
  page_origin(f, o->command);
  fprintf(
      f,
      "<p>%d problems of hard contact and closed loops, recorded from machines that are "
      "dropped, pushed and driven for %g s each (seed %llu, moved by %s), each solved from zero "
      "by %d solvers with at most %d iterations, %d time%s. %.0f%% of the problems have "
      "contact. A problem is solved when its natural map is at most %g. Every number is in "
      "<code>results.csv</code>, every problem in <code>samples.bin</code>.</p>\n",
      s->samples.n, o->seconds, o->seed, o->drive, s->nsolver, o->iterations, o->repeats,
      o->repeats == 1 ? "" : "s", 100.0 * count_samples(s, -1, -1, true) / s->samples.n, s->solved);
  conclusions(f, s, studies, nstudy, x);
  solver_table(s, &all, x);
  table_write(&all, f);
  table_free(&all);
  sweeps_table(s, &all);
  table_write(&all, f);
  table_free(&all);
  bool good = write_systems(f, o, s, x);
  write_definitions(f, s);
  fputs(kMetrics, f);
  write_categories(f, s);
  share_table(f, s, false, x);
  share_table(f, s, true, x);
  write_plots(f, s, w, x);
  if (nstudy) fprintf(f, "<h2>Studies</h2><p>Of every second problem.</p>\n");
  for (int i = 0; i < nstudy; i++) table_write(studies + i, f);
  free(x);
  return page_close(f, path) && good && write_csv(s, o->out);
}

void study_summary(const Options* o, const Study* s) {
  static const char* const kHead[] = {"solver", "solved",  "iterations",
                                      "time",   "fastest", "hardest category"};
  Table t;
  double* x = calloc(2 * (size_t)s->samples.n + 1, sizeof *x);
  if (!x) return;
  table_begin(&t, "Summary", 6, kHead);
  snprintf(t.intro, sizeof t.intro,
           "Solved: r_nat at most %g. Medians of iterations and processor time; on how many of %d "
           "problems the solver is the fastest that solves it; the category it solves least.",
           s->solved, s->samples.n);
  for (int k = 0; k < s->nsolver; k++) {
    int low = -1;
    for (int c = 0; c < kCategories; c++) {
      double share = solved_share(s, k, c, -1);
      if (!isnan(share) && (low < 0 || share < solved_share(s, k, low, -1))) low = c;
    }
    double us = median(s, k, -1, -1, kTime, x);
    table_add(&t, "%s", s->solver[k]->name);
    table_add(&t, "%.1f%%", 100 * solved_share(s, k, -1, -1));
    table_add(&t, "%.0f", median(s, k, -1, -1, kIterations, x));
    table_add(&t, us < 1e3 ? "%.0f us" : "%.1f ms", us < 1e3 ? us : 1e-3 * us);
    table_add(&t, "%d", wins(s, k));
    table_add(&t, "%s %.0f%%", low < 0 ? "" : category_names[low],
              100 * solved_share(s, k, low, -1));
  }
  table_print(&t);
  table_free(&t);
  free(x);
}
