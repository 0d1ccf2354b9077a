// What is in a system of the benchmark, counted from its model: nothing is read from the published
// table but how its dofs are counted.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "maximal/maximal.h"
#include "systems.h"

mjModel* system_model(int id) {
  enum { kRoom = 400000 };
  char* text = malloc(kRoom);
  char error[1000] = "";
  mjModel* m = NULL;
  if (text && system_text(id, text, kRoom) > 0) {
    mjSpec* spec = mj_parseXMLString(text, NULL, error, sizeof error);
    m = spec ? mj_compile(spec, NULL) : NULL;
    if (!m) fprintf(stderr, "%s: %s\n", systems[id].name, spec ? mjs_getError(spec) : error);
    mj_deleteSpec(spec);
  }
  free(text);
  return m;
}

snMaximal* system_make(const mjModel* m, const char* solver) {
  char error[1000];
  snMaximalOption opt;
  sn_defaultMaximal(&opt);
  if (strcmp(solver, opt.solver)) {
    double erp = opt.settings.erp_joint;
    opt.solver = solver;
    dual_defaults(dual_find(solver), &opt.settings);
    opt.settings.erp_joint = erp;
  }
  opt.keep_fixed = 1;
  snMaximal* x = sn_makeMaximal(m, &opt, error, sizeof error);
  if (!x) fprintf(stderr, "%s\n", error);
  return x;
}

// Rank of a (rows x cols), by elimination with full pivoting; a is overwritten.
static int rank_of(double* a, int rows, int cols) {
  int rank = 0;
  double first = 0;
  for (; rank < rows && rank < cols; rank++) {
    int pi = rank, pj = rank;
    for (int i = rank; i < rows; i++) {
      for (int j = rank; j < cols; j++) {
        if (fabs(a[i * cols + j]) > fabs(a[pi * cols + pj])) pi = i, pj = j;
      }
    }
    double pivot = a[pi * cols + pj];
    if (rank == 0) first = fabs(pivot);
    if (!(fabs(pivot) > 1e-9 * first)) break;
    for (int j = 0; j < cols; j++) {
      double t = a[pi * cols + j];
      a[pi * cols + j] = a[rank * cols + j];
      a[rank * cols + j] = t;
    }
    for (int i = 0; i < rows; i++) {
      double t = a[i * cols + pj];
      a[i * cols + pj] = a[i * cols + rank];
      a[i * cols + rank] = t;
    }
    for (int i = rank + 1; i < rows; i++) {
      double f = a[i * cols + rank] / pivot;
      for (int j = rank; j < cols; j++) a[i * cols + j] -= f * a[rank * cols + j];
    }
  }
  return rank;
}

// 6 bodies - rank J, one step from the start, with the rows of joints alone; -1 without memory.
static int mobility(const mjModel* model) {
  mjModel* m = mj_copyModel(NULL, model);
  if (m) m->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_LIMIT;
  snMaximal* x = m ? system_make(m, "admm-ncp") : NULL;
  int cols = x ? 6 * x->nbody : 0, rank = -1;
  if (x && sn_stepMaximal(x)) {
    snRows r;
    mj_markStack(x->data);
    bool made = maximal_rows((snMaximalWhole*)x, &r);
    double* J = made ? calloc((size_t)(r.n + 1) * cols, sizeof *J) : NULL;
    for (int b = 0; J && b < r.nblk; b++) {
      const snDualBlock* set = &r.group[r.blk[b].group].set;
      for (int k = 0; k < set->nrow; k++) {
        memcpy(J + (set->row + k) * cols + 6 * r.blk[b].body, r.blk[b].J + 6 * k, 6 * sizeof *J);
      }
    }
    if (J) rank = rank_of(J, r.n, cols);
    free(J);
    mj_freeStack(x->data);
  }
  sn_deleteMaximal(x);
  mj_deleteModel(m);
  return rank < 0 ? -1 : cols - rank;
}

bool system_count(int id, const mjModel* m, System* counted) {
  snMaximal* x = system_make(m, "admm-ncp");
  if (!x) return false;
  snMaximalCount c;
  sn_countMaximal(x, &c);
  sn_deleteMaximal(x);
  int move = mobility(m), how = systems[id].counting;
  bool loops = c.joints > c.bodies - !c.fixed_base;
  int total = how == kJoints ? c.dofs : move;
  *counted =
      (System){.name = systems[id].name,
               .fixed = c.fixed_base,
               .bodies = c.bodies,
               .joints = c.joints,
               .total = total,
               .passive = how == kMobility && !loops && !c.fixed_base ? c.dofs - 6 - c.actuated
                                                                      : total - c.actuated,
               .actuated = c.actuated,
               .constraints = c.constraints,
               .mass_ratio = c.mass_ratio,
               .joined_ratio = c.joined_ratio,
               .counting = how};
  return move >= 0;
}
