// The Gauss-Seidel solvers against each other. All of them sweep over the contacts and differ in
// what they do with one; most problems are solved by all of them or by none, so that the share
// solved hardly tells them apart, and what it took does.
#include <math.h>

#include "solvers.h"

// Is a ahead of b on a problem: alone in solving it, or sooner by a tenth of the iterations, or,
// where neither does, with half the residual?
static bool ahead(const Study* s, const Result* a, const Result* b) {
  bool one = a->r_nat <= s->solved, other = b->r_nat <= s->solved;
  if (one != other) return one;
  if (one) return a->iterations < 0.9 * b->iterations;
  return a->r_nat < 0.5 * b->r_nat;
}

// Problems with contact on which solver a is ahead of solver b; `all`: how many there are.
static int count_ahead(const Study* s, int a, int b, int* all) {
  int n = 0;
  *all = 0;
  for (int i = 0; i < s->samples.n; i++) {
    if (!s->samples.at[i].ncontact) continue;
    ++*all;
    n += ahead(s, study_at(s, i, a), study_at(s, i, b));
  }
  return n;
}

// How many problems some of them solve and others do not, and on how many iterations differ.
void sweeps_conclude(FILE* f, const Study* s) {
  int differ = 0, touching = 0, apart = 0;
  for (int i = 0; i < s->samples.n; i++) {
    int some = 0, all = 0, low = 1 << 30, high = 0;
    if (!s->samples.at[i].ncontact) continue;
    touching++;
    for (int k = 0; k < s->nsolver; k++) {
      if (!solver_sweeps(s->solver[k])) continue;
      const Result* r = study_at(s, i, k);
      all++;
      some += r->r_nat <= s->solved;
      if (r->iterations < low) low = r->iterations;
      if (r->iterations > high) high = r->iterations;
    }
    differ += some > 0 && some < all;
    apart += all > 1 && high != low;
  }
  fprintf(
      f,
      "<li>The Gauss-Seidel solvers are told apart by %d of the %d problems with contact: there "
      "some of them solve it and others do not; their iterations differ on %d.</li>\n",
      differ, touching, apart);
}

void sweeps_table(const Study* s, Table* t) {
  const char* head[kTableColumns] = {"ahead of"};
  int solver[kTableColumns], n = 0, all = 0, near[2] = {0, 0};
  double most = -1;
  for (int k = 0; k < s->nsolver && n + 1 < kTableColumns; k++) {
    if (!solver_sweeps(s->solver[k])) continue;
    solver[n] = k;
    head[++n] = s->solver[k]->name;
  }
  table_begin(t, "Gauss-Seidel solvers, each against each", n + 1, head);
  for (int i = 0; i < n; i++) {
    table_add(t, "%s", s->solver[solver[i]]->name);
    for (int j = 0; j < n; j++) {
      int wins = count_ahead(s, solver[i], solver[j], &all);
      if (i == j || !all) {
        table_add(t, "%s", "");
        continue;
      }
      table_add(t, "%.0f%%", 100.0 * wins / all);
      double even = 1 - (double)(wins + count_ahead(s, solver[j], solver[i], &all)) / all;
      if (even > most) most = even, near[0] = solver[i], near[1] = solver[j];
    }
  }
  snprintf(
      t->intro, sizeof t->intro,
      "Share of the %d problems with contact on which the solver of the row is ahead of that "
      "of the column: it solves what the other does not, or takes fewer iterations by a tenth, "
      "or, where neither solves, leaves less than half the residual.",
      all);
  if (most >= 0) {
    snprintf(t->note, sizeof t->note,
             "The two that are most alike are %s and %s: neither is ahead on %.0f%% of them.",
             s->solver[near[0]]->name, s->solver[near[1]]->name, 100 * most);
  }
}
