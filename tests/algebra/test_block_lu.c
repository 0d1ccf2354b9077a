// Sparse block LU against elimination of the whole matrix, on random patterns.
#include "algebra/block_lu.h"
#include "scene.h"

static void solve_dense(double* A, double* x, int n) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k; i < n; i++) {
      if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    }
    for (int j = 0; j < n; j++) {
      double swap = A[k * n + j];
      A[k * n + j] = A[best * n + j], A[best * n + j] = swap;
    }
    double swap = x[k];
    x[k] = x[best], x[best] = swap;
    for (int i = k + 1; i < n; i++) {
      double s = A[i * n + k] / A[k * n + k];
      for (int j = k; j < n; j++) A[i * n + j] -= s * A[k * n + j];
      x[i] -= s * x[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) x[k] -= A[k * n + j] * x[j];
    x[k] /= A[k * n + k];
  }
}

// K = 1 + sum of g'Bg over random couples of nodes, B positive with a part that is not symmetric.
static void check(int nnode, int couples, unsigned long long seed) {
  int size[64], start[64], width = 0;
  for (int i = 0; i < nnode; i++) {
    size[i] = 1 + (int)(8 * fabs(scene_random(&seed)));
    start[i] = width;
    width += size[i];
  }
  size_t words = block_lu_words(nnode);
  uint64_t* link = calloc(nnode * words, 8);
  int pair[256][2];
  for (int c = 0; c < couples; c++) {
    for (int e = 0; e < 2; e++) pair[c][e] = (int)(nnode * fabs(scene_random(&seed))) % nnode;
    for (int e = 0; e < 2; e++) {
      int a = pair[c][e], b = pair[c][1 - e];
      link[a * words + b / 64] |= UINT64_C(1) << (b % 64);
    }
  }
  snBlockLU lu;
  void* room = malloc(block_lu_room(nnode));
  block_lu_order(&lu, nnode, size, link, room);
  void* bytes = malloc(block_lu_bytes(&lu));
  block_lu_take(&lu, link, bytes);
  double* A = calloc((size_t)width * width, 8);
  for (int repeat = 0; repeat < 2; repeat++) {
    block_lu_clear(&lu);
    for (int i = 0; i < width * width; i++) A[i] = i % (width + 1) == 0;
    for (int c = 0; c < couples; c++) {
      for (int x = 0; x < 2; x++) {
        for (int y = 0; y < 2; y++) {
          int a = pair[c][x], b = pair[c][y];
          double* K = block_lu_at(&lu, a, b);
          assert_non_null(K);
          for (int i = 0; i < size[a]; i++) {
            for (int j = 0; j < size[b]; j++) {
              double v = x == y && i == j ? 3 + size[a] : 0.3 * scene_random(&seed);
              K[i * block_lu_stride(size[b]) + j] += v;
              A[(start[a] + i) * width + start[b] + j] += v;
            }
          }
        }
      }
    }
    double *x = calloc(lu.width, 8), *y = calloc(width, 8);
    for (int a = 0; a < nnode; a++) {
      for (int i = 0; i < size[a]; i++) {
        x[lu.start[a] + i] = y[start[a] + i] = scene_random(&seed);
      }
    }
    assert_true(block_lu_factor(&lu));
    block_lu_solve(&lu, x);
    solve_dense(A, y, width);
    for (int a = 0; a < nnode; a++) {
      for (int i = 0; i < size[a]; i++) {
        assert_true(fabs(x[lu.start[a] + i] - y[start[a] + i]) < 1e-11);
      }
    }
    free(x);
    free(y);
  }
  free(A);
  free(bytes);
  free(room);
  free(link);
}

static void test_random(void** state) {
  for (unsigned long long seed = 1; seed < 60; seed++) {
    check(1 + (int)(seed % 50), (int)(seed * 7 % 120), seed);
  }
}

// Bodies that stick to each other: K = 1 + 1e10 g g' for rows g over two nodes of six. Motions that
// the rows leave free are soft, and none of their digits may be lost to the stiff ones but those
// that 1e10 takes. (Products with the inverse of a diagonal block lost twice as many.)
static void test_stiff(void** state) {
  enum { NODES = 12, N = 6 * NODES, LINKS = 16, ROWS = 4 };
  const double stiff = 1e10;
  unsigned long long seed = 5;
  int size[NODES], pair[LINKS][2];
  uint64_t link[NODES] = {0};
  for (int i = 0; i < NODES; i++) size[i] = 6;
  for (int c = 0; c < LINKS; c++) {
    int a = c % NODES, b = (a + 1 + c / NODES * 4) % NODES;
    pair[c][0] = a, pair[c][1] = b;
    link[a] |= UINT64_C(1) << b, link[b] |= UINT64_C(1) << a;
  }
  snBlockLU lu;
  void* room = malloc(block_lu_room(NODES));
  block_lu_order(&lu, NODES, size, link, room);
  void* bytes = malloc(block_lu_bytes(&lu));
  block_lu_take(&lu, link, bytes);
  block_lu_clear(&lu);
  static double G[LINKS * ROWS][N];
  memset(G, 0, sizeof G);
  for (int r = 0; r < LINKS * ROWS; r++) {
    const int* ends = pair[r / ROWS];
    for (int e = 0; e < 2; e++) {
      for (int i = 0; i < 6; i++) G[r][6 * ends[e] + i] = scene_random(&seed);
    }
    for (int x = 0; x < 4; x++) {
      int a = ends[x / 2], b = ends[x % 2];
      double* K = block_lu_at(&lu, a, b);
      for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) K[i * 8 + j] += stiff * G[r][6 * a + i] * G[r][6 * b + j];
      }
    }
  }
  double* x = calloc(lu.width, 8);
  double b[N];
  for (int i = 0; i < N; i++) x[lu.start[i / 6] + i % 6] = b[i] = scene_random(&seed);
  assert_true(block_lu_factor(&lu));
  assert_int_equal(lu.sign, 1);
  block_lu_solve(&lu, x);
  // b - x is what the stiff rows give: at right angles to what they leave free, where x is b
  double worst = 0;
  for (int r = 0; r < LINKS * ROWS; r++) {
    double velocity = 0;
    for (int i = 0; i < N; i++) velocity += G[r][i] * x[lu.start[i / 6] + i % 6];
    worst = fmax(worst, fabs(velocity));
  }
  double energy = 0, work = 0;  // x'(b - x) = stiff |G x|^2 is 1e-10
  for (int i = 0; i < N; i++) {
    double u = x[lu.start[i / 6] + i % 6];
    energy += u * u;
    work += u * (b[i] - u);
  }
  if (!(energy > 0.1) || fabs(work) > 1e-4 * energy || worst > 1e-8)
    fail_msg("energy %g, work %g, velocity of a stiff row %g", energy, work, worst);
  free(x);
  free(bytes);
  free(room);
}

// The sign of the determinant, where rows are swapped or not
static void test_sign(void** state) {
  int size[1] = {2};
  double K[4][2][2] = {{{0, 1}, {1, 0}}, {{0, 1}, {-1, 0}}, {{2, 1}, {1, -3}}, {{1, 2}, {3, 7}}};
  const int sign[4] = {-1, 1, -1, 1};
  uint64_t link[1] = {0};
  snBlockLU lu;
  void* room = malloc(block_lu_room(1));
  block_lu_order(&lu, 1, size, link, room);
  void* bytes = malloc(block_lu_bytes(&lu));
  block_lu_take(&lu, link, bytes);
  for (int k = 0; k < 4; k++) {
    block_lu_clear(&lu);
    for (int i = 0; i < 4; i++) block_lu_at(&lu, 0, 0)[i / 2 * 4 + i % 2] = K[k][i / 2][i % 2];
    assert_true(block_lu_factor(&lu));
    assert_int_equal(lu.sign, sign[k]);
    double x[4] = {K[k][0][0] - K[k][0][1], K[k][1][0] - K[k][1][1]};
    block_lu_solve(&lu, x);
    assert_true(fabs(x[0] - 1) < 1e-14 && fabs(x[1] + 1) < 1e-14);
  }
  free(bytes);
  free(room);
}

// Fill of a chain: none, when ends go first.
static void test_order(void** state) {
  enum { N = 40 };
  int size[N];
  uint64_t link[N] = {0};
  for (int i = 0; i < N; i++) {
    size[i] = 6;
    if (i) link[i] |= UINT64_C(1) << (i - 1), link[i - 1] |= UINT64_C(1) << i;
  }
  snBlockLU lu;
  void* room = malloc(block_lu_room(N));
  block_lu_order(&lu, N, size, link, room);
  assert_int_equal(lu.adr[N], N - 1);
  free(room);
}

static void test_singular(void** state) {
  int size[2] = {2, 3};
  uint64_t link[2] = {2, 1};
  snBlockLU lu;
  void* room = malloc(block_lu_room(2));
  block_lu_order(&lu, 2, size, link, room);
  void* bytes = malloc(block_lu_bytes(&lu));
  block_lu_take(&lu, link, bytes);
  block_lu_clear(&lu);
  block_lu_at(&lu, 0, 0)[0] = 0;
  assert_false(block_lu_factor(&lu));
  free(bytes);
  free(room);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_stiff),
                                     cmocka_unit_test(test_sign), cmocka_unit_test(test_order),
                                     cmocka_unit_test(test_singular)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
