// One dual problem, one solver: repeated solves, their processor time and residuals.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "solvers.h"

// Sparsity of D: the pairs of blocks with a nonzero entry.
static bool blocks_of(const Sample* s, snBlockSparse* b) {
  int nb = s->nblock, num = 0;
  int* row = malloc((nb + 1) * sizeof *row);
  int* rowadr = malloc((nb + 1) * sizeof *rowadr);
  int* colind = malloc(((size_t)nb * nb + 1) * sizeof *colind);
  size_t* adr = malloc(((size_t)nb * nb + 1) * sizeof *adr);
  double* value = malloc(((size_t)s->n * s->n + 1) * sizeof *value);
  *b = (snBlockSparse){nb, row, rowadr, colind, adr, value};
  if (!row || !rowadr || !colind || !adr || !value) return false;
  size_t size = 0;
  for (int i = 0; i < nb; i++) {
    const snDualBlock* a = s->block + i;
    row[i] = a->row;
    rowadr[i] = num;
    for (int j = 0; j < nb; j++) {
      const snDualBlock* c = s->block + j;
      bool any = i == j;
      double* to = value + size;
      for (int k = 0; k < a->nrow; k++) {
        for (int l = 0; l < c->nrow; l++) {
          to[c->nrow * k + l] = s->D[(size_t)s->n * (a->row + k) + c->row + l];
          any |= to[c->nrow * k + l] != 0;
        }
      }
      if (!any) continue;
      colind[num] = j;
      adr[num++] = size;
      size += (size_t)a->nrow * c->nrow;
    }
  }
  row[nb] = s->n;
  rowadr[nb] = num;
  return true;
}

static void blocks_free(snBlockSparse* b) {
  free((void*)b->row);
  free((void*)b->rowadr);
  free((void*)b->colind);
  free((void*)b->adr);
  free((void*)b->value);
}

bool problem_open(Problem* p, const Sample* s) {
  *p = (Problem){.sample = s};
  p->state = calloc(s->n + 1, sizeof *p->state);
  if (!blocks_of(s, &p->blocks) || !p->state) return false;
  p->D = delassus_sparse(s->n, &p->blocks, p->state);
  return true;
}

void problem_close(Problem* p) {
  blocks_free(&p->blocks);
  free(p->state);
}

// Position error at the end of the step, to first order: error + h (v - bias).
static double penetration(const Sample* s, const double* v) {
  double most = 0;
  for (int b = 0; b < s->nblock; b++) {
    const snDualBlock* block = s->block + b;
    if (block->kind == snDUAL_BOX) continue;
    int rows = block->kind == snDUAL_FREE ? block->nrow : 1;
    for (int i = block->row; i < block->row + rows; i++) {
      double ahead = s->error[i] + s->step * (v[i] - s->bias[i]);
      most = fmax(most, block->kind == snDUAL_FREE ? fabs(ahead) : -ahead);
    }
  }
  return most;
}

// Time of this thread: what others do on the machine does not count.
static double processor_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static int ascending(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

double quantile(double* x, int n, double share) {
  if (!n) return NAN;
  qsort(x, n, sizeof *x, ascending);
  return x[(int)(share * (n - 1) + 0.5)];
}

static void clock_solves(const Solve* how, snDual* p, snSolverReport* report, Result* result) {
  enum { kMost = 32 };
  double us[kMost];
  int n = how->repeats < kMost ? how->repeats : kMost;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < p->n; k++) p->force[k] = how->start ? how->start[k] : 0;
    double start = processor_us();
    dual_solve(how->solver, p, report);
    us[i] = processor_us() - start;
  }
  result->us = quantile(us, n, 0.5);
  result->us_low = us[0];
  result->us_high = us[n - 1];
}

bool problem_solve(const Problem* problem, const Solve* how, Result* result) {
  const Sample* s = problem->sample;
  snSolverReport report;
  snDual p = {.n = s->n,
              .nblock = s->nblock,
              .block = s->block,
              .D = &problem->D,
              .R = how->R ? how->R : s->R,
              .v_free = s->v_free,
              .inertia = s->inertia};
  dual_defaults(how->solver, &p.set);
  if (how->set) p.set = *how->set;
  p.set.iterations = how->iterations;
  p.nscratch = dual_scratch(how->solver, &problem->D, s->nblock);
  double* memory = calloc(p.nscratch + 3 * (size_t)s->n + 16, sizeof *memory);
  if (!memory) return false;
  p.force = memory;
  p.velocity = memory + s->n;
  p.scratch = memory + 3 * s->n + 8;
  clock_solves(how, &p, &report, result);
  result->iterations = report.iterations;
  result->converged = report.converged;
  result->r_own = report.r_natural;
  // softening of a study is no part of the problem that residuals are measured in
  p.R = s->R;
  dual_measure(&p, snFORM_NCP, &report, memory + 2 * s->n);
  result->r_dual = report.r_ncp_dual;
  result->r_ncp = report.r_ncp_compl;
  result->r_nat = report.r_ncp_natural;
  result->r_pen = penetration(s, p.velocity);
  free(memory);
  return true;
}
