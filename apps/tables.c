// sinew solvers --table: the tables of the 2010 and 2011 talks, recomputed next to the published
// numbers.
#include <math.h>
#include <sinew/solver.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dual/dual.h"
#include "sinew.h"

static double uniform(unsigned long long* s) { return 2 * random_unit(s) - 1; }

// ---- 2010: iterations of the implicit solver, and how many took the full Newton step

// Balls of two sizes, poured into a container of four walls.
static mjModel* pile(int nbody, double mu, char* error, int room) {
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
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, room);
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (spec && !m) snprintf(error, (size_t)room, "%s", mjs_getError(spec));
  mj_deleteSpec(spec);
  return m;
}

static int table2010(void) {
  static const int bodies[] = {5, 10, 15}, contacts[] = {7, 16, 27};
  static const double mus[] = {0.1, 0.5, 1, 2};
  static const double slide[4][3] = {
      {3.8, 4.8, 6.5}, {2.6, 5.3, 7.5}, {2.8, 4.9, 10.2}, {2.9, 4.6, 16.2}};
  static const int whole[4][3] = {{99, 98, 90}, {95, 85, 73}, {90, 71, 60}, {88, 71, 55}};
  printf(
      "Implicit complementarity (2010): iterations per step without warm start, share of whole\n"
      "Newton steps, contacts on average; in brackets the slide's numbers.\n\n%-6s",
      "mu");
  for (int b = 0; b < 3; b++)
    printf("  %2d bodies, %2d contacts on the slide  ", bodies[b], contacts[b]);
  printf("\n");
  for (int i = 0; i < 4; i++) {
    printf("%-6g", mus[i]);
    for (int b = 0; b < 3; b++) {
      char error[1000] = "";
      mjModel* m = pile(bodies[b], mus[i], error, sizeof error);
      mjData* d = m ? mj_makeData(m) : NULL;
      if (!d) {
        fprintf(stderr, "sinew solvers: %s\n", m ? "no memory" : error);
        mj_deleteModel(m);
        return 1;
      }
      sn_setSolver(m, d, "implicit");
      snSolverSettings set;
      sn_getSettings(m, d, &set);
      set.warmstart = snWARM_ZERO;
      set.tol_primal = set.tol_dual = 1e-8;
      sn_setSettings(m, d, &set);
      double iterations = 0, newton = 0, ncon = 0, samples = 0, failed = 0;
      for (int step = 0; step < 600; step++) {
        mj_step(m, d);
        snSolverReport report;
        // about as many contacts as in the published table
        if (!sn_getReport(m, d, &report) || 4 * d->ncon < 3 * contacts[b] ||
            3 * d->ncon > 4 * contacts[b])
          continue;
        iterations += report.iterations;
        newton += report.newton * report.iterations;
        ncon += d->ncon;
        samples++;
        failed += !report.converged;
      }
      samples = fmax(samples, 1);
      printf("  %4.1f %3.0f%% %4.1f nc [%4.1f %2d%%] %2.0f failed", iterations / samples,
             100 * newton / fmax(iterations, 1), ncon / samples, slide[i][b], whole[i][b], failed);
      fflush(stdout);
      mj_deleteData(d);
      mj_deleteModel(m);
    }
    printf("\n");
  }
  return 0;
}

// ---- 2011: inverse evaluations per second

// CPU time of this thread, in seconds.
static double core_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

enum { DOFS = 18, PROBLEMS = 16, MAXCONTACT = 20 };

typedef struct Case_ {
  snDual p;
  snDelassus D;
  snDualBlock block[MAXCONTACT];
  mjtNum *A, *state, *R, *v_free, *velocity, *force, *again;
} Case;

static mjtNum* take(mjtNum** at, size_t n) {
  mjtNum* p = *at;
  *at += n;
  return p;
}

// Contacts of an 18-dof mechanism: J has random rows, the inertia is 1, so D has the rank of the
// dofs.
static mjtNum* make_case(Case* c, int ncontact, unsigned long long* seed) {
  int n = 3 * ncontact, stride = (n + 3) & ~3;
  const snDualSolver* solver = dual_find("barrier");
  size_t nscratch = dual_scratch(solver, &(snDelassus){.n = n}, ncontact);
  mjtNum* all =
      calloc((size_t)n * (size_t)stride + (size_t)n * (DOFS + 6) + nscratch, sizeof(mjtNum));
  if (!all) return NULL;
  mjtNum* at = all;
  c->A = take(&at, (size_t)n * (size_t)stride);
  mjtNum* J = take(&at, (size_t)n * DOFS);
  c->state = take(&at, n);
  c->R = take(&at, n);
  c->v_free = take(&at, n);
  c->velocity = take(&at, n);
  c->force = take(&at, n);
  c->again = take(&at, n);
  // one dof separates all contacts
  for (int i = 0; i < n * DOFS; i++) J[i] = i % DOFS ? uniform(seed) : !(i / DOFS % 3);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      for (int k = 0; k < DOFS; k++)
        c->A[i * stride + j] += J[i * DOFS + k] * J[j * DOFS + k] / DOFS;
    }
    c->R[i] = 0.01;
    c->v_free[i] = i % 3 ? 0.5 * uniform(seed) : -0.3 + 0.3 * uniform(seed);
  }
  for (int k = 0; k < ncontact; k++) {
    c->block[k] = (snDualBlock){snDUAL_CONE, 3 * k, 3, 0.7 + 0.2 * uniform(seed), 0};
  }
  c->D = delassus_dense(n, c->A, stride, c->state);
  c->p = (snDual){.n = n,
                  .nblock = ncontact,
                  .block = c->block,
                  .D = &c->D,
                  .R = c->R,
                  .v_free = c->v_free,
                  .force = c->force,
                  .velocity = c->velocity,
                  .scratch = take(&at, nscratch),
                  .nscratch = nscratch};
  dual_defaults(solver, &c->p.set);
  c->p.set.barrier = 1e-4;
  snSolverReport report;
  dual_solve(solver, &c->p, &report);
  // the velocity itself, without the term of R
  for (int i = 0; i < n; i++) c->velocity[i] -= c->R[i] * c->force[i];
  return all;
}

static int table2011(void) {
  static const int contacts[] = {2, 5, 10, 20};
  static const double slide[] = {241774, 54190, 12991, 2361};
  printf("Inverse contact dynamics (2011): evaluations per second on one core, %d dofs.\n\n", DOFS);
  printf("%-10s %14s %14s %8s %22s\n", "contacts", "sinew", "slide", "ratio",
         "inverse minus forward");
  for (int i = 0; i < 4; i++) {
    Case* cases = calloc(PROBLEMS, sizeof(Case));
    mjtNum* memory[PROBLEMS];
    unsigned long long seed = 5;
    int n = 3 * contacts[i];
    mjtNum scratch[2 * 3 * MAXCONTACT], error = 0;
    if (!cases) return 1;
    for (int k = 0; k < PROBLEMS; k++) {
      memory[k] = make_case(cases + k, contacts[i], &seed);
      if (!memory[k]) return 1;
      dual_inverse2011(&cases[k].p, cases[k].velocity, cases[k].again, scratch);
      for (int j = 0; j < n; j++) {
        error = fmax(error, fabs(cases[k].again[j] - cases[k].force[j]));
      }
    }
    double best = 0;
    for (int repeat = 0; repeat < 40; repeat++) {
      int rounds = 2000 / contacts[i];
      double start = core_time();
      for (int r = 0; r < rounds; r++) {
        for (int k = 0; k < PROBLEMS; k++) {
          dual_inverse2011(&cases[k].p, cases[k].velocity, cases[k].again, scratch);
        }
      }
      best = fmax(best, rounds * PROBLEMS / (core_time() - start));
    }
    printf("%-10d %14.0f %14.0f %8.1f %22.2g\n", contacts[i], best, slide[i], best / slide[i],
           error);
    for (int k = 0; k < PROBLEMS; k++) free(memory[k]);
    free(cases);
  }
  return 0;
}

int solvers_table(const char* name) {
  if (name && !strcmp(name, "icra2010")) return table2010();
  if (name && !strcmp(name, "icra2011")) return table2011();
  fprintf(stderr, "sinew solvers: --table '%s', expected icra2010 or icra2011\n", name ? name : "");
  return 2;
}
