// The tables of the talks of 2010 and 2011, recomputed next to the published numbers.
#include <math.h>
#include <sinew/solver.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dual/dual.h"
#include "paper.h"

static double uniform(unsigned long long* s) { return 2 * random_unit(s) - 1; }

// ---- 2010: iterations of the implicit solver, and how many took the full Newton step

// Balls of two sizes, poured into a container of four walls.
static mjModel* pile(int nbody, double mu) {
  char xml[20000];
  unsigned long long seed = 17;
  double wall = 0.13 * sqrt(nbody);
  int at = snprintf(xml, sizeof xml,
                    "<mujoco><option timestep='0.01' cone='elliptic'/>"
                    "<default><geom friction='%g 0 0'/></default><worldbody>"
                    "<geom type='plane' size='2 2 1'/>"
                    "<geom type='plane' size='2 2 1' pos='%g 0 0' zaxis='-1 0 0.2'/>"
                    "<geom type='plane' size='2 2 1' pos='%g 0 0' zaxis='1 0 0.2'/>"
                    "<geom type='plane' size='2 2 1' pos='0 %g 0' zaxis='0 -1 0.2'/>"
                    "<geom type='plane' size='2 2 1' pos='0 %g 0' zaxis='0 1 0.2'/>",
                    mu, wall, -wall, wall, -wall);
  for (int i = 0; i < nbody; i++) {
    at += snprintf(xml + at, sizeof xml - (size_t)at,
                   "<body pos='%g %g %g'><freejoint/><geom size='%g' density='300'/></body>",
                   0.4 * wall * uniform(&seed), 0.4 * wall * uniform(&seed), 0.3 + 0.25 * i,
                   i % 3 ? 0.1 : 0.13);
  }
  snprintf(xml + at, sizeof xml - (size_t)at, "</worldbody></mujoco>");
  return text_model(xml);
}

// Means over the steps with about as many contacts as the slide's column.
typedef struct Steps_ {
  double iterations, newton, contacts, samples, failed;
} Steps;

static bool pour(int nbody, double mu, int contacts, Steps* s) {
  mjModel* m = pile(nbody, mu);
  mjData* d = m ? mj_makeData(m) : NULL;
  if (d) {
    sn_setSolver(m, d, "implicit");
    sn_setSetting(m, d, "warmstart", snWARM_ZERO);
    sn_setSetting(m, d, "tol_primal", 1e-8);
    sn_setSetting(m, d, "tol_dual", 1e-8);
  }
  for (int step = 0; d && step < 600; step++) {
    snSolverReport report;
    mj_step(m, d);
    if (!sn_getReport(m, d, &report) || 4 * d->ncon < 3 * contacts || 3 * d->ncon > 4 * contacts)
      continue;
    s->iterations += report.iterations;
    s->newton += report.newton * report.iterations;
    s->contacts += d->ncon;
    s->failed += !report.converged;
    s->samples++;
  }
  bool good = d != NULL;
  mj_deleteData(d);
  mj_deleteModel(m);
  return good;
}

int paper_2010(const Paper* p) {
  static const int kBodies[] = {5, 10, 15}, kContacts[] = {7, 16, 27};
  static const double kMu[] = {0.1, 0.5, 1, 2};
  static const double kSlide[4][3] = {
      {3.8, 4.8, 6.5}, {2.6, 5.3, 7.5}, {2.8, 4.9, 10.2}, {2.9, 4.6, 16.2}};
  static const int kWhole[4][3] = {{99, 98, 90}, {95, 85, 73}, {90, 71, 60}, {88, 71, 55}};
  static const char* const kHead[] = {"mu",         "bodies",       "contacts", "slide's",
                                      "iterations", "slide's",      "Newton",   "slide's",
                                      "steps",      "not converged"};
  Table t;
  double ours = 0, theirs = 0, failed = 0, all = 0;
  table_begin(&t, "Iterations of a step, and iterations that took the whole Newton step", 10, kHead);
  t.minor[3] = t.minor[8] = true;
  for (int i = 0; !t.failed && i < 4; i++) {
    for (int b = 0; b < 3; b++) {
      Steps s = {0};
      t.failed |= !pour(kBodies[b], kMu[i], kContacts[b], &s);
      double n = fmax(s.samples, 1), share = 100 * s.newton / fmax(s.iterations, 1);
      table_add(&t, "%g", kMu[i]);
      table_add(&t, "%d", kBodies[b]);
      table_add(&t, "%.1f", s.contacts / n);
      table_add(&t, "%d", kContacts[b]);
      table_add(&t, "%.1f", s.iterations / n);
      table_add(&t, "%.1f", kSlide[i][b]);
      table_add(&t, "%.0f%%", share);
      table_add(&t, "%d%%", kWhole[i][b]);
      table_add(&t, "%.0f", s.samples);
      table_add(&t, "%.0f", s.failed);
      ours += s.iterations / n / 12;
      theirs += kSlide[i][b] / 12;
      failed += s.failed;
      all += s.samples;
    }
  }
  snprintf(t.note, sizeof t.note,
           "%.1f iterations in the mean of the twelve cells, %.1f on the slide; %.0f of %.0f steps "
           "did not converge.",
           ours, theirs, failed, all);
  return paper_table(p, "Implicit complementarity (2010)",
                     "Balls of two sizes poured into a container, stepped with the solver "
                     "implicit, without warm start, to 1e-8. Steps count that have about as many "
                     "contacts as the slide's column.",
                     &t);
}

// ---- 2011: inverse evaluations per second

// 18 dofs: a free trunk, legs of hip (2), knee and ankle, arms of shoulder and elbow.
static void humanoid18(char* xml, size_t room) {
  size_t at = (size_t)snprintf(
      xml, room,
      "<mujoco><option timestep='.005' cone='elliptic'/><default><geom friction='.8' condim='3'/>"
      "<joint damping='1'/></default><worldbody><geom type='plane' size='9 9 .1'/>"
      "<body pos='0 0 1'><freejoint/><geom type='box' size='.09 .14 .2' pos='0 0 .2'/>"
      "<geom size='.1' pos='0 0 .52'/>");
  for (int side = -1; side <= 1; side += 2) {
    at += (size_t)snprintf(
        xml + at, room - at,
        "<body pos='0 %g 0'><joint axis='0 1 0'/><joint axis='1 0 0'/>"
        "<geom type='capsule' size='.06' fromto='0 0 -.05 0 0 -.4'/>"
        "<body pos='0 0 -.45'><joint axis='0 1 0'/>"
        "<geom type='capsule' size='.05' fromto='0 0 -.03 0 0 -.4'/>"
        "<body pos='0 0 -.44'><joint axis='0 1 0'/><geom type='box' size='.11 .05 .025' "
        "pos='.05 0 -.03'/></body></body></body>"
        "<body pos='0 %g .34'><joint axis='0 1 0'/>"
        "<geom type='capsule' size='.04' fromto='0 0 0 0 0 -.28'/>"
        "<body pos='0 0 -.32'><joint axis='0 1 0'/>"
        "<geom type='capsule' size='.035' fromto='0 0 0 0 0 -.25'/></body></body>",
        0.1 * side, 0.2 * side);
  }
  snprintf(xml + at, room - at, "</body></worldbody></mujoco>");
}

enum { PROBLEMS = 16, MAXCONTACT = 20 };

typedef struct Case_ {
  snDual p;
  snDelassus D;
  snDualBlock block[MAXCONTACT];
  mjtNum *memory, *A, *state, *R, *v_free, *velocity, *force, *again;
} Case;

static mjtNum* take(mjtNum** at, size_t n) {
  mjtNum* p = *at;
  *at += n;
  return p;
}

static bool case_alloc(Case* c, const snDualSolver* solver, int ncontact) {
  int n = 3 * ncontact, stride = (n + 3) & ~3;
  size_t nscratch = dual_scratch(solver, &(snDelassus){.n = n}, ncontact);
  mjtNum* at = c->memory =
      calloc((size_t)n * (size_t)stride + 6 * (size_t)n + nscratch, sizeof(mjtNum));
  if (!at) return false;
  c->A = take(&at, (size_t)n * (size_t)stride);
  c->state = take(&at, n);
  c->R = take(&at, n);
  c->v_free = take(&at, n);
  c->velocity = take(&at, n);
  c->force = take(&at, n);
  c->again = take(&at, n);
  c->p = (snDual){.n = n, .nblock = ncontact, .block = c->block, .D = &c->D, .R = c->R,
                  .v_free = c->v_free, .force = c->force, .velocity = c->velocity,
                  .scratch = at, .nscratch = nscratch};
  return true;
}

// The contact problem of a state: A = J inv(M) J', c = J (v + h inv(M) tau), solved forward.
static bool make_case(Case* c, const mjModel* m, mjData* d) {
  int n = 3 * d->ncon, stride = (n + 3) & ~3, nv = m->nv;
  const snDualSolver* solver = dual_find("barrier");
  mjtNum *row = calloc(3 * (size_t)nv, sizeof *row), *x = row + nv, *u = x + nv;
  if (!row || !case_alloc(c, solver, d->ncon)) {
    free(row);
    return false;
  }
  for (int i = 0; i < nv; i++) u[i] = d->qvel[i] + m->opt.timestep * d->qacc_smooth[i];
  mj_mulJacVec(m, d, c->v_free, u);
  for (int i = 0; i < n; i++) {
    mjtNum* e = c->again;
    mju_zero(e, n);
    e[i] = 1;
    mj_mulJacTVec(m, d, row, e);
    mj_solveM(m, d, x, row, 1);
    mj_mulJacVec(m, d, c->state, x);
    for (int j = 0; j < n; j++) c->A[j * stride + i] = c->state[j];
  }
  for (int k = 0; k < d->ncon; k++) {
    const mjContact* con = d->contact + d->efc_id[3 * k];
    c->block[k] = (snDualBlock){snDUAL_CONE, 3 * k, 3, con->friction[0], 0};
    mjtNum mean = 0.005 * (c->A[(3 * k + 1) * (stride + 1)] + c->A[(3 * k + 2) * (stride + 1)]);
    c->R[3 * k] = 0.01 * c->A[3 * k * (stride + 1)];
    c->R[3 * k + 1] = c->R[3 * k + 2] = mean;
  }
  c->D = delassus_dense(n, c->A, stride, c->state);
  dual_defaults(solver, &c->p.set);
  c->p.set.barrier = 1e-4;
  snSolverReport report;
  mju_zero(c->force, n);
  dual_solve(solver, &c->p, &report);
  // the velocity itself, without the term of R
  for (int i = 0; i < n; i++) c->velocity[i] -= c->R[i] * c->force[i];
  free(row);
  return true;
}

// Problems with so many contacts, from the figure thrown on the ground again and again.
static int collect(const mjModel* m, mjData* d, int contacts, Case* cases) {
  unsigned long long seed = 5 + contacts;
  int n = 0, last = -100;
  for (int step = 0; n < PROBLEMS && step < 60000; step++) {
    if (step % 300 == 0) {
      mj_resetData(m, d);
      for (int i = 0; i < m->nv; i++) d->qvel[i] = (i < 6 ? 2 : 1) * uniform(&seed);
      double turn[3] = {1.5 * uniform(&seed), 1.5 * uniform(&seed), uniform(&seed)};
      mju_quatIntegrate(d->qpos + 3, turn, 1);
    }
    mj_step(m, d);
    mj_forward(m, d);
    if (d->ncon != contacts || d->nefc != 3 * contacts || step < last + 7) continue;
    if (!make_case(cases + n, m, d)) return 0;
    last = step;
    n++;
  }
  return n;
}

// Evaluations per second, and the largest difference between inverse and forward impulses.
static double clock_inverse(Case* cases, int count, int contacts, mjtNum* error) {
  mjtNum scratch[2 * 3 * MAXCONTACT];
  double best = 0;
  *error = 0;
  for (int k = 0; k < count; k++) {
    dual_inverse2011(&cases[k].p, cases[k].velocity, cases[k].again, scratch);
    for (int j = 0; j < 3 * contacts; j++) {
      *error = fmax(*error, fabs(cases[k].again[j] - cases[k].force[j]));
    }
  }
  for (int repeat = 0; repeat < 40; repeat++) {
    int rounds = 2000 / contacts;
    double start = core_time();
    for (int r = 0; r < rounds; r++) {
      for (int k = 0; k < count; k++) {
        dual_inverse2011(&cases[k].p, cases[k].velocity, cases[k].again, scratch);
      }
    }
    best = fmax(best, rounds * count / (core_time() - start));
  }
  return best;
}

int paper_2011(const Paper* p) {
  static const int kContacts[] = {2, 5, 10, 20};
  static const double kSlide[] = {241774, 54190, 12991, 2361};
  static const char* const kHead[] = {"contacts", "problems", "Sinew",
                                      "slide",    "ratio",    "inverse - forward (N s)"};
  Table t;
  char* xml = malloc(8000);
  if (xml) humanoid18(xml, 8000);
  mjModel* m = xml ? text_model(xml) : NULL;
  mjData* d = m ? mj_makeData(m) : NULL;
  double least = INFINITY;
  table_begin(&t, "Inverse evaluations per second", 6, kHead);
  t.minor[1] = true;
  t.failed = !d;
  for (int i = 0; !t.failed && i < 4; i++) {
    Case* cases = calloc(PROBLEMS, sizeof(Case));
    mjtNum error = 0;
    int count = cases ? collect(m, d, kContacts[i], cases) : 0;
    double rate = count ? clock_inverse(cases, count, kContacts[i], &error) : 0;
    table_add(&t, "%d", kContacts[i]);
    table_add(&t, "%d", count);
    table_add(&t, "%.0f", rate);
    table_add(&t, "%.0f", kSlide[i]);
    table_add(&t, "%.1f", rate / kSlide[i]);
    table_add(&t, "%.0e", error);
    if (count) least = fmin(least, rate / kSlide[i]);
    for (int k = 0; cases && k < PROBLEMS; k++) free(cases[k].memory);
    free(cases);
  }
  snprintf(t.note, sizeof t.note,
           "At least %.1f times the slide's rate (3 GHz Intel, one thread; here %s).", least,
           processor_name());
  if (m && m->nv != 18) t.failed = true;
  free(xml);
  mj_deleteData(d);
  mj_deleteModel(m);
  return paper_table(p, "Inverse contact dynamics (2011)",
                     "A humanoid of 18 degrees of freedom, thrown on the ground: contact problems "
                     "of its motion, solved forward by the interior-point method, and inverted. "
                     "The best of 40 rounds, processor time.",
                     &t);
}
