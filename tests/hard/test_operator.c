// Rows of real models by island: the Delassus operator in factors and through the tree
// factorization against its definition, and islands against the problem taken whole.
#include "hard/private.h"
#include "integrate/integrate.h"
#include "scene.h"

static const char* const kModels[] = {"chain", "fourbar", "gripper", "muscles", "pile", "walkers"};

static mjModel* load(const char* name) {
  char path[200], error[1000] = "";
  snprintf(path, sizeof path, "tests/golden/models/%s.xml", name);
  mjModel* m = mj_loadXML(path, NULL, error, sizeof error);
  if (!m) fail_msg("%s", error);
  return m;
}

static double* numbers(size_t n) { return calloc(n + 1, sizeof(double)); }

// M^ in full: what integrate_inertia factors, read back from its factors by solving for unit
// vectors would prove nothing; with damping at zero it is M.
static double* inertia_factor(const mjModel* m, mjData* d) {
  double* M = numbers((size_t)m->nv * m->nv);
  mj_fullM(m, M, d->qM);
  assert_int_equal(mju_cholFactor(M, m->nv, 0), m->nv);
  return M;
}

// J of the dual rows in full width, from the rows themselves
static double* full_rows(const mjModel* m, const snHardRows* rows) {
  double* J = numbers((size_t)rows->n * m->nv);
  for (int i = 0; i < rows->n; i++) {
    for (int k = rows->adr[i]; k < rows->adr[i] + rows->nnz[i]; k++) {
      J[i * m->nv + rows->col[k]] = rows->J[k];
    }
  }
  return J;
}

typedef struct Tree_ {
  const mjModel* m;
  mjData* d;
} Tree;

static void tree_solve_vector(const void* context, mjtNum* x) {
  const Tree* t = context;
  mj_solveM(t->m, t->d, x, x, 1);
}

static void compare(const char* name, const char* what, int island, double value, double expected,
                    double scale) {
  if (fabs(value - expected) <= 1e-11 * scale) return;
  fail_msg("%s, %s, island %d: %.17g, not %.17g", name, what, island, value, expected);
}

static void check(const char* name, const mjModel* m, mjData* d, int* couplings, int* islands) {
  snHardRows rows;
  mj_markStack(d);
  integrate_inertia(m, d);
  rows_make(m, d, &rows);
  int n = rows.n, nv = m->nv;
  double *J = full_rows(m, &rows), *L = inertia_factor(m, d), *Y = numbers((size_t)n * nv);
  double *D = numbers((size_t)n * n), scale = 0;
  for (int i = 0; i < n; i++) mju_cholSolve(Y + i * nv, L, J + i * nv, nv);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) D[i * n + j] = mju_dot(J + i * nv, Y + j * nv, nv);
    scale = fmax(scale, D[i * n + i]);
  }
  // the rows are the engine's: J'f by either
  double *f = numbers(n), *a = numbers(nv), *b = numbers(nv);
  for (int i = 0; i < n; i++) f[i] = 1 + i % 3;
  rows_write(m, d, &rows, f);
  mj_mulJacTVec(m, d, a, d->efc_force);
  mju_mulMatTVec(b, J, f, n, nv);
  for (int i = 0; i < nv; i++) compare(name, "J'f", 0, m->opt.timestep * a[i], b[i], 10);

  int* owner = calloc((size_t)n, sizeof(int));
  for (int k = 0; k < rows.nisland; k++) {
    int first = rows.block[rows.island[k]].row, last = rows.island[k + 1] - 1;
    int count = rows.block[last].row + rows.block[last].nrow - first, stride = (count + 3) & ~3;
    for (int i = first; i < first + count; i++) owner[i] = k;
    mj_markStack(d);
    double *A = numbers((size_t)count * stride), *x = numbers(count), *y = numbers(count);
    int* start = calloc((size_t)count, sizeof(int));
    // W, whatever rows_operator would choose; what it chooses; J and the tree factorization
    snFactored W = {rows.width[k], rows.nnz + first, rows.adr + first, rows.own, rows.W, NULL, NULL,
                    NULL};
    Tree tree = {m, d};
    snFactored T = {
        nv, rows.nnz + first, rows.adr + first, rows.col, rows.J, tree_solve_vector, &tree, NULL};
    double *state_w = numbers(2 * rows.width[k]), *state_t = numbers(2 * (size_t)nv);
    snDelassus form[2] = {delassus_factored(count, &W, state_w),
                          delassus_factored(count, &T, state_t)};
    const snDelassus* all[3] = {
        rows_operator(d, &rows, k, rows.nnz + first, rows.adr + first, count, false), form,
        form + 1};
    for (int i = 0; i < count; i++) x[i] = 0.3 * (i % 5) - 0.4;
    for (int o = 0; o < 3; o++) {
      all[o]->dense(all[o], A, stride, start);
      all[o]->mul(all[o], y, x);
      for (int i = 0; i < count; i++) {
        double expected = 0;
        for (int j = 0; j < count; j++) {
          double exact = D[(first + i) * n + first + j];
          compare(name, "D", k, A[i * stride + j], exact, scale);
          expected += exact * x[j];
        }
        compare(name, "D x", k, y[i], expected, scale * count);
        compare(name, "diagonal", k, rows.diagonal[first + i], D[(first + i) * (n + 1)], scale);
      }
      // Gauss-Seidel by blocks: stand, move, read
      double df[6] = {0.1, -0.2, 0.3, 0.4, -0.5, 0.6}, block[36], z[6];
      for (int e = rows.island[k]; e <= last; e++) {
        int row = rows.block[e].row - first, nrow = rows.block[e].nrow;
        all[o]->block(all[o], row, nrow, block);
        all[o]->start(all[o], x);
        all[o]->move(all[o], row, nrow, df);
        all[o]->read(all[o], row, nrow, z);
        for (int i = 0; i < nrow; i++) {
          double expected = y[row + i];
          for (int j = 0; j < nrow; j++) {
            double exact = D[(first + row + i) * n + first + row + j];
            compare(name, "block", k, block[i * nrow + j], exact, scale);
            expected += exact * df[j];
          }
          compare(name, "moved", k, z[i], expected, scale * count);
        }
      }
    }
    free(A), free(x), free(y), free(start), free(state_w), free(state_t);
    mj_freeStack(d);
  }
  // nothing couples across islands
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      if (owner[i] != owner[j]) compare(name, "across", owner[i], D[i * n + j], 0, scale);
      *couplings += i != j && D[i * n + j] != 0;
    }
  }
  *islands = rows.nisland > *islands ? rows.nisland : *islands;
  free(J), free(L), free(Y), free(D), free(f), free(a), free(b), free(owner);
  mj_freeStack(d);
}

static void test_operator(void** state) {
  int islands = 0;
  for (size_t k = 0; k < sizeof kModels / sizeof kModels[0]; k++) {
    mjModel* m = load(kModels[k]);
    int couplings = 0;
    for (int jacobian = 0; jacobian < 2; jacobian++) {
      m->opt.jacobian = jacobian ? mjJAC_SPARSE : mjJAC_DENSE;
      m->opt.integrator = mjINT_EULER;
      m->opt.disableflags |= mjDSBL_EULERDAMP;
      mjData* d = mj_makeData(m);
      for (int i = 0; i < m->nu; i++) d->ctrl[i] = 0.2;
      for (int step = 1; step <= 300; step++) {
        mj_step(m, d);
        if (step % 100 && (couplings || d->nefc < 2)) continue;  // now and then, and when rows meet
        mj_forward(m, d);
        if (d->nefc) check(kModels[k], m, d, &couplings, &islands);
      }
      mj_deleteData(d);
    }
    if (!couplings) fail_msg("%s: no two rows meet, nothing was compared", kModels[k]);
    mj_deleteModel(m);
  }
  assert_true(islands > 2);
}

// A copy of a machine far away changes nothing for the first, and both move alike.
static void test_apart(void** state) {
  static const char kOne[] =
      "<body pos='%d 0 0.5'><freejoint/><geom type='box' size='.2 .1 .1' euler='20 30 0'/>"
      "<body pos='.3 0 0'><joint axis='0 1 0' range='-30 30'/><geom size='.1' pos='.2 0 0'/></body>"
      "<body pos='-.3 0 0'><joint axis='0 1 1' frictionloss='.1'/><geom size='.1' pos='-.2 0 0'/>"
      "</body></body>";
  for (int s = 0; sn_solverName(s); s++) {
    mjModel* m[2];
    mjData* d[2];
    for (int k = 0; k < 2; k++) {
      char xml[4000], body[2][1000];
      for (int b = 0; b < 2; b++) snprintf(body[b], sizeof body[b], kOne, 4 * b);
      snprintf(xml, sizeof xml,
               "<mujoco><custom><text name='sinew:solver' data='%s'/></custom><worldbody>"
               "<geom type='plane' size='9 9 1'/>%s%s</worldbody></mujoco>",
               sn_solverName(s), body[0], k ? body[1] : "");
      m[k] = scene_model(xml);
      d[k] = mj_makeData(m[k]);
    }
    for (int step = 0; step < 300; step++) {
      for (int k = 0; k < 2; k++) mj_step(m[k], d[k]);
    }
    for (int i = 0; i < m[0]->nq; i++) {
      double shift = i ? 0 : 4;
      if (d[0]->qpos[i] != d[1]->qpos[i] ||
          fabs(d[1]->qpos[m[0]->nq + i] - d[1]->qpos[i] - shift) > 1e-3) {
        fail_msg("%s, qpos %d: %.17g alone, %.17g beside, %.17g its copy", sn_solverName(s), i,
                 d[0]->qpos[i], d[1]->qpos[i], d[1]->qpos[m[0]->nq + i]);
      }
    }
    assert_true(d[1]->solver_niter[1] > 0);  // the copy is an island of its own
    for (int k = 0; k < 2; k++) {
      mj_deleteData(d[k]);
      mj_deleteModel(m[k]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_operator),
      cmocka_unit_test(test_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
