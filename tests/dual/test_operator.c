// The Delassus operator in its three forms, RAISIM's contact law, and single contacts.
#include "problem.h"

// D = J inv(M) J' with M diagonal: blocks of J touch two bodies of six dofs each.
enum { BODIES = 6, BLOCKS = 9, ROWS = 3 * BLOCKS, DOFS = 6 * BODIES };

typedef struct Machine_ {
  double J[ROWS * 12], inverse[DOFS];
  int nnz[ROWS], adr[ROWS], col[ROWS * 12];
} Machine;

static void machine_solve(const void* context, mjtNum* x) {
  const Machine* k = context;
  for (int i = 0; i < DOFS; i++) x[i] *= k->inverse[i];
}

static void test_three_forms(void** state) {
  unsigned long long seed = 31;
  Machine k;
  static double A[ROWS * 28], work[3][DOFS * 2 + ROWS], value[ROWS * ROWS];
  int row[BLOCKS + 1], rowadr[BLOCKS + 1], colind[BLOCKS * BLOCKS], body[BLOCKS][2], count = 0;
  size_t adr[BLOCKS * BLOCKS], filled = 0;
  for (int i = 0; i < DOFS; i++) k.inverse[i] = 0.5 + fabs(scene_random(&seed));
  for (int b = 0; b < BLOCKS; b++) {
    body[b][0] = b % BODIES;
    body[b][1] = (b + 1 + b / BODIES) % BODIES;
    if (body[b][0] > body[b][1]) body[b][0] = body[b][1], body[b][1] = b % BODIES;
    for (int r = 3 * b; r < 3 * b + 3; r++) {
      k.nnz[r] = 12;
      k.adr[r] = 12 * r;
      for (int c = 0; c < 12; c++) {
        k.col[12 * r + c] = 6 * body[b][c / 6] + c % 6;
        k.J[12 * r + c] = scene_random(&seed);
      }
    }
  }
  for (int i = 0; i < ROWS; i++) {
    for (int j = 0; j < ROWS; j++) {
      double full[2][DOFS] = {{0}};
      for (int c = 0; c < 12; c++) full[0][k.col[12 * i + c]] = k.J[12 * i + c];
      for (int c = 0; c < 12; c++) full[1][k.col[12 * j + c]] = k.J[12 * j + c];
      A[i * 28 + j] = 0;
      for (int c = 0; c < DOFS; c++) A[i * 28 + j] += full[0][c] * k.inverse[c] * full[1][c];
    }
  }
  for (int a = 0; a < BLOCKS; a++) {
    row[a] = 3 * a;
    rowadr[a] = count;
    for (int b = 0; b < BLOCKS; b++) {
      bool meet = false;
      for (int s = 0; s < 4; s++) meet |= body[a][s / 2] == body[b][s % 2];
      if (!meet) continue;
      colind[count] = b;
      adr[count++] = filled;
      for (int s = 0; s < 9; s++) value[filled++] = A[(3 * a + s / 3) * 28 + 3 * b + s % 3];
    }
  }
  row[BLOCKS] = ROWS;
  rowadr[BLOCKS] = count;
  assert_true(count < BLOCKS * BLOCKS);  // there is sparsity to get wrong
  snBlockSparse blocks = {BLOCKS, row, rowadr, colind, adr, value};
  snFactored factored = {DOFS, k.nnz, k.adr, k.col, k.J, machine_solve, &k, NULL};
  snDelassus D[3] = {delassus_dense(ROWS, A, 28, work[0]), delassus_sparse(ROWS, &blocks, work[1]),
                     delassus_factored(ROWS, &factored, work[2])};

  double x[ROWS], y[3][ROWS], z[3][3], full[3][ROWS * 28], part[3][9];
  int first[3][28];
  for (int i = 0; i < ROWS; i++) x[i] = scene_random(&seed);
  for (int f = 0; f < 3; f++) {
    D[f].mul(&D[f], y[f], x);
    D[f].dense(&D[f], full[f], 28, first[f]);
    D[f].block(&D[f], 12, 3, part[f]);
    double df[3] = {0.3, -0.2, 0.1};
    D[f].start(&D[f], x);
    D[f].move(&D[f], 6, 3, df);
    D[f].read(&D[f], 9, 3, z[f]);
    for (int i = 0; i < ROWS; i++) {
      assert_true(fabs(y[f][i] - y[0][i]) < 1e-13);
      for (int j = 0; j < ROWS; j++) {
        assert_true(fabs(full[f][i * 28 + j] - A[i * 28 + j]) < 1e-13);
        if (j < first[f][i]) assert_true(A[i * 28 + j] == 0);
      }
    }
    for (int i = 0; i < 9; i++) assert_true(fabs(part[f][i] - part[0][i]) < 1e-13);
    for (int i = 0; i < 3; i++) {
      double expected = y[0][9 + i];
      for (int j = 0; j < 3; j++) expected += A[(9 + i) * 28 + 6 + j] * df[j];
      assert_true(fabs(z[f][i] - expected) < 1e-13);
    }
  }
  // and every solver finds the same on each of them
  for (int s = 0; s < dual_solver_count; s++) {
    double force[3][ROWS];
    for (int f = 0; f < 3; f++) {
      Problem* q = problem_new();
      for (int b = 0; b < BLOCKS; b++) {
        problem_add(q, b % 3 ? snDUAL_CONE : snDUAL_FREE, 3, b % 3 ? 0.5 : 0, 0);
      }
      unsigned long long other = 32;
      problem_fill(q, 1, 1, &other);
      problem_press(q);
      q->p.D = &D[f];
      problem_defaults(q, dual_solvers[s].name);
      q->p.set.iterations = 20000;
      q->p.set.tol_primal = q->p.set.tol_dual = 1e-11;
      if (q->p.set.tol_objective > 0) q->p.set.tol_objective = 1e-20;
      snSolverReport report;
      problem_solve(q, dual_solvers[s].name, &report);
      memcpy(force[f], q->p.force, sizeof force[f]);
      for (int i = 0; i < ROWS; i++) {
        if (!(fabs(force[f][i] - force[0][i]) < 1e-6)) {
          fail_msg("%s, form %d, row %d: %g, not %g", dual_solvers[s].name, f, i, force[f][i],
                   force[0][i]);
        }
      }
      problem_free(q);
    }
  }
}

static void* take_heap(void* context, size_t bytes) {
  void** list = context;
  void* block = aligned_alloc(32, (bytes + 63) & ~(size_t)31);
  assert_non_null(block);
  for (; *list; list++) continue;
  *list = block;
  return block;
}

// f of (W W' + small) f = b, over all rows and over those of some: the product gives b back.
static void test_explain(void** state) {
  unsigned long long seed = 36;
  Machine k;
  int node[DOFS], slot[DOFS];
  void* list[32] = {0};
  for (int c = 0; c < DOFS; c++) {
    node[c] = c / 6;
    slot[c] = c % 6;
  }
  for (int r = 0; r < ROWS; r++) {
    int b = r / 3, body[2] = {b % BODIES, (b + 1) % BODIES};
    if (body[0] > body[1]) body[0] = body[1], body[1] = b % BODIES;
    k.nnz[r] = 12;
    k.adr[r] = 12 * r;
    for (int c = 0; c < 12; c++) {
      k.col[12 * r + c] = 6 * body[c / 6] + c % 6;
      k.J[12 * r + c] = scene_random(&seed);
    }
  }
  snPanels* whole =
      panels_make(ROWS, k.nnz, k.adr, k.col, k.J, DOFS, node, slot, BODIES, take_heap, list);
  static double work[2 * DOFS], b[ROWS], used[ROWS], f[ROWS], y[ROWS];
  snFactored J = {DOFS, k.nnz, k.adr, k.col, k.J, NULL, NULL, whole}, some;
  snDelassus D = delassus_factored(ROWS, &J, work), part;
  snPanels inner;
  int row[ROWS], nnz[ROWS], adr[ROWS], count = 0;
  for (int r = 0; r < ROWS; r++) {
    if (r % 5 != 1) row[count++] = r;
  }
  assert_true(delassus_rows(&part, &some, &inner, &D, count, row, nnz, adr));
  const snDelassus* of[2] = {&D, &part};
  snPanels* panels[2] = {whole, &inner};
  for (int i = 0; i < 2; i++) {
    int n = of[i]->n;
    double small = 1e-3;
    for (int r = 0; r < n; r++) used[r] = b[r] = scene_random(&seed);
    panels_explain(panels[i], small, n, used, f);
    of[i]->mul(of[i], y, f);
    for (int r = 0; r < n; r++) assert_true(fabs(y[r] + small * f[r] - b[r]) < 1e-9);
  }
  for (int i = 0; list[i]; i++) free(list[i]);
}

// Each contact at rest with the others: least energy on the section v_N = 0 of its cone, found here
// by looking all round.
static void test_raisim_law(void** state) {
  unsigned long long seed = 33;
  int slid = 0;
  for (int trial = 0; trial < 10; trial++) {
    Problem* q = problem_new();
    for (int i = 0; i < 4; i++) problem_add(q, snDUAL_CONE, 3, 0.4, 0);
    problem_fill(q, 72, 1, &seed);
    problem_press(q);
    problem_defaults(q, "raisim");
    q->p.set.iterations = 3000;
    snSolverReport report;
    problem_solve(q, "raisim", &report);
    assert_true(report.converged);
    for (int k = 0; k < 4; k++) {
      const double *f = q->p.force + 3 * k, *v = q->p.velocity + 3 * k;
      double t = hypot(f[1], f[2]), b[3], D[9];
      if (f[0] == 0 || t < 0.4 * f[0] * (1 - 1e-9)) continue;
      slid++;
      for (int i = 0; i < 3; i++) {
        b[i] = v[i];
        for (int j = 0; j < 3; j++) {
          D[3 * i + j] = q->A[(3 * k + i) * q->stride + 3 * k + j];
          b[i] -= D[3 * i + j] * f[j];
        }
      }
      double best = INFINITY, own = 0;
      for (int a = 0; a < 20000; a++) {
        double c = cos(a * M_PI / 10000), s = sin(a * M_PI / 10000);
        double r = -b[0] / (D[0] / 0.4 + D[1] * c + D[2] * s), g[3] = {r / 0.4, r * c, r * s},
               e = 0;
        if (!(r > 0)) continue;
        for (int i = 0; i < 3; i++) {
          e += g[i] * b[i];
          for (int j = 0; j < 3; j++) e += 0.5 * g[i] * D[3 * i + j] * g[j];
        }
        best = fmin(best, e);
      }
      for (int i = 0; i < 3; i++) {
        own += f[i] * b[i];
        for (int j = 0; j < 3; j++) own += 0.5 * f[i] * D[3 * i + j] * f[j];
      }
      if (!(own <= best + 1e-8)) fail_msg("contact %d: energy %g, least %g", k, own, best);
      assert_true(fabs(v[0]) < 1e-6);
    }
    problem_free(q);
  }
  assert_true(slid > 5);
}

// Where normal and tangents do not couple it is Coulomb's law.
static void test_raisim_uncoupled(void** state) {
  unsigned long long seed = 34;
  for (int trial = 0; trial < 10; trial++) {
    Problem* q = problem_new();
    for (int i = 0; i < 4; i++) problem_add(q, snDUAL_CONE, 3, 0.5, 0);
    problem_fill(q, 72, 1, &seed);
    problem_press(q);
    for (int i = 0; i < 12; i++) {
      for (int j = 0; j < 12; j++) {
        if ((i % 3 == 0) != (j % 3 == 0)) q->A[i * q->stride + j] = 0;
      }
    }
    double* expected = numbers(12);
    snSolverReport report;
    reference_solve(q, 1, expected);
    problem_defaults(q, "raisim");
    problem_solve(q, "raisim", &report);
    for (int i = 0; i < 12; i++) assert_true(fabs(q->p.force[i] - expected[i]) < 1e-6);
    assert_true(reference_natural(q, q->p.force, 1) < 1e-6);
    free(expected);
    problem_free(q);
  }
}

// Contacts with one, two, three and five directions of friction, alone: every solver of the NCP.
static void test_dimensions(void** state) {
  static const char* const names[] = {"pgs-ccp",  "pgs-ncp", "nbgs",    "raisim-ds",
                                      "admm-ncp", "prox",    "implicit"};
  for (int s = 0; s < 7; s++) {
    for (int nrow = 2; nrow <= 6; nrow++) {
      unsigned long long seed = 35;
      for (int trial = 0; trial < 10; trial++) {
        Problem* q = problem_new();
        problem_add(q, snDUAL_CONE, nrow, 0.6, 0);
        problem_add(q, snDUAL_CONE, nrow, 0.3, 0);
        problem_fill(q, 12 * nrow, 1, &seed);
        problem_press(q);
        problem_defaults(q, names[s]);
        q->p.set.iterations = 20000;
        snSolverReport report;
        problem_solve(q, names[s], &report);
        double natural = reference_natural(q, q->p.force, 1);
        if (!(natural < 1e-8)) fail_msg("%s, %d rows: natural map %g", names[s], nrow, natural);
        problem_free(q);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_three_forms), cmocka_unit_test(test_explain),
      cmocka_unit_test(test_raisim_law),  cmocka_unit_test(test_raisim_uncoupled),
      cmocka_unit_test(test_dimensions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
