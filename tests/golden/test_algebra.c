// One hash per kernel, over many inputs: the same on every compiler, option and CPU.
//   test_algebra            compares with tests/golden/algebra.txt
//   test_algebra --print    prints them
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "algebra/algebra.h"
#include "../random.h"

static uint64_t state, hash;

static uint64_t next(void) { return random_mixed(&state); }

static double uniform(void) { return (double)(int64_t)next() * 0x1p-63; }  // in [-1, 1)

// sign, any exponent from -e to e, any mantissa
static double spread(int e) {
  double mantissa = uniform() + 1.5;
  return ldexp(mantissa, (int)(next() % (2 * (unsigned)e + 1)) - e);
}

static void fill(double* x, int n) {
  for (int i = 0; i < n; i++) x[i] = uniform();
}

static void add(const double* x, int n) { hash = hash_bytes(x, (size_t)n * sizeof *x, hash); }
static void add1(double x) { add(&x, 1); }

static void start(void) {
  state = 1;
  hash = 0;
}

static FILE* expected;
static int different;

static void finish(const char* name) {
  char line[100], known[100] = "";
  snprintf(line, sizeof line, "%-16s %016llx\n", name, (unsigned long long)hash);
  if (!expected) {
    fputs(line, stdout);
  } else if (!fgets(known, sizeof known, expected) || strcmp(line, known)) {
    printf("is        %sshould be %s\n", line, known);
    different++;
  }
}

enum { ROUNDS = 20000, MAX = 40 };

static void one_argument(const char* name, double (*function)(double), double low, double high) {
  start();
  for (int i = 0; i < ROUNDS; i++) {
    double x = low + (high - low) * 0.5 * (uniform() + 1);
    add1(function(x));
    add1(function(x * 1e-3));
  }
  finish(name);
}

static void elementary(void) {
  one_argument("sin", sn_sin, -100, 100);
  one_argument("sin large", sn_sin, -1e300, 1e300);
  one_argument("cos", sn_cos, -100, 100);
  one_argument("tan", sn_tan, -100, 100);
  one_argument("asin", sn_asin, -1, 1);
  one_argument("acos", sn_acos, -1, 1);
  one_argument("atan", sn_atan, -10, 10);
  one_argument("exp", sn_exp, -745, 709);
  one_argument("log", sn_log, 1e-10, 1e3);
  one_argument("log10", sn_log10, 1e-10, 1e3);
  one_argument("tanh", sn_tanh, -20, 20);
  one_argument("cbrt", sn_cbrt, -1e3, 1e3);
  start();
  for (int i = 0; i < ROUNDS; i++) {
    double x = fabs(spread(30)), s, c;
    double y = uniform() * 10;
    add1(sn_pow(x, y));
    add1(sn_atan2(y, uniform()));
    sn_sincos(y, &s, &c);
    add1(s);
    add1(c);
  }
  finish("pow, atan2, ...");
}

static void vectors(void) {
  static double a[MAX * MAX], b[MAX * MAX], r[MAX * MAX], v[MAX];
  start();
  for (int n = 1; n <= MAX; n++) {
    for (int round = 0; round < 20; round++) {
      fill(a, n * n);
      fill(b, n * n);
      fill(v, n);
      add1(mju_dot(a, b, n));
      add1(mju_sum(a, n));
      add1(mju_L1(a, n));
      add1(mju_norm(a, n));
      mju_mulMatVec(r, a, v, n, n);
      add(r, n);
      mju_mulMatTVec(r, a, v, n, n);
      add(r, n);
      mju_mulMatMat(r, a, b, n, n, n);
      add(r, n * n);
      mju_mulMatMatT(r, a, b, n, n, n);
      add(r, n * n);
      mju_sqrMatTD(r, a, v, n, n);
      add(r, n * n);
      add1(mju_mulVecMatVec(v, a, v, n));
      mju_addScl(r, a, b, v[0], n * n);
      add(r, n * n);
      mju_normalize(v, n);
      add(v, n);
    }
  }
  finish("vectors");
}

static void rotations(void) {
  start();
  for (int i = 0; i < ROUNDS; i++) {
    double q[4], p[4], v[3], m[9], r[9], value[3], vec[9];
    fill(q, 4);
    fill(p, 4);
    fill(v, 3);
    mju_normalize4(q);
    mju_quat2Mat(m, q);
    add(m, 9);
    mju_mat2Quat(r, m);
    add(r, 4);
    mju_rotVecQuat(r, v, q);
    add(r, 3);
    mju_mulQuat(r, q, p);
    add(r, 4);
    mju_quatIntegrate(q, v, 0.1);
    add(q, 4);
    mju_subQuat(r, q, p);
    add(r, 3);
    mju_quatZ2Vec(r, v);
    add(r, 4);
    fill(m, 9);
    m[1] = m[3], m[2] = m[6], m[5] = m[7];
    mju_eig3(value, vec, r, m);
    add(value, 3);
    add(vec, 9);
    if (i % 20 == 0) {
      for (int k = 0; k < 9; k += 4) m[k] += 3;
      mju_mat2Rot(q, m);
      add(q, 4);
    }
  }
  finish("rotations");
}

// positive definite
static void make_spd(double* a, int n, int stride) {
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) a[i * stride + j] = a[j * stride + i] = uniform();
    a[i * stride + i] = n + uniform();
  }
}

static void cholesky(void) {
  static double a[MAX * MAX], r[MAX * (MAX + 7)], x[MAX], y[MAX], lower[MAX], upper[MAX];
  start();
  for (int n = 1; n <= MAX; n++) {
    make_spd(a, n, n);
    fill(y, n);
    for (int i = 0; i < n; i++) x[i] = 0, lower[i] = -0.01 - fabs(uniform()), upper[i] = 0.02;
    mju_boxQP(x, r, NULL, a, y, n, lower, upper);
    add(x, n);
    mju_cholFactor(a, n, 1e-10);
    add(a, n * n);
    mju_cholSolve(x, a, y, n);
    add(x, n);
    mju_cholUpdate(a, x, n, 1);
    add(a, n * n);
    fill(a, n * n);
    int band = n < 4 ? n : 4, dense = n > 8 ? 2 : 0;
    for (int i = 0; i < n; i++) a[mju_bandDiag(i, n, band, dense)] += 3 * n;
    mju_cholFactorBand(a, n, band, dense, 0.1, 0.01);
    mju_cholSolveBand(x, a, y, n, band, dense);
    add(x, n);
  }
  finish("cholesky");
}

static void envelope(void) {
  static double a[MAX * MAX], x[4 * MAX], dinv[MAX];
  int first[MAX];
  start();
  for (int n = 1; n <= MAX; n++) {
    int stride = (n + 3) & ~3;
    memset(a, 0, sizeof a);
    for (int i = 0; i < n; i++) {
      first[i] = (int)(next() % (i + 1)) & ~3;
      for (int j = first[i]; j < i; j++) a[i * stride + j] = uniform();
      a[i * stride + i] = n + 1;
    }
    factor_make(a, dinv, first, n, stride, 1e-10);
    add(dinv, n);
    double weight[4] = {1, 2, -0.01, 0.5};
    memset(x, 0, sizeof x);
    for (int v = 0; v < 4; v++) fill(x + v * stride, n);
    factor_update(a, dinv, first, x, 4, weight, 0, n, stride, 1e-10);
    add(dinv, n);
    fill(x, n);
    factor_solve(x, a, dinv, first, n, stride);
    add(x, n);
  }
  finish("envelope");
}

static void trees(void) {
  static double M[MAX * MAX], LD[MAX * MAX], dinv[MAX], x[5 * MAX];
  int parent[MAX], rownnz[MAX], rowadr[MAX], colind[MAX * MAX];
  start();
  for (int round = 0; round < 400; round++) {
    int nv = 1 + round % MAX, nnz = 0;
    for (int k = 0; k < nv; k++) {
      parent[k] = k - 1;
      while (parent[k] >= 0 && next() % 8 < (unsigned)(round % 5)) parent[k] = parent[parent[k]];
      int chain[MAX], n = 0;
      for (int j = k; j >= 0; j = parent[j]) chain[n++] = j;
      rowadr[k] = nnz;
      rownnz[k] = n;
      for (; n; n--, nnz++) {
        colind[nnz] = chain[n - 1];
        M[nnz] = n == 1 ? nv + 1 : uniform();
      }
    }
    snTree* tree = tree_make(nv, rownnz, rowadr, colind);
    double* scratch = tree ? malloc(tree_scratch(tree) * sizeof(double)) : NULL;
    if (!scratch) exit(1);
    tree_factor(tree, LD, dinv, M, scratch);
    add(LD, nnz);
    add(dinv, nv);
    for (int n = 1; n <= 5; n++) {
      fill(x, n * nv);
      tree_solve(tree, x, x, LD, dinv, n, scratch);
      add(x, n * nv);
      tree_solve_half(tree, x, x, LD, dinv, n, scratch);
      add(x, n * nv);
    }
    free(scratch);
    tree_free(tree);
  }
  finish("trees");
}

static void curves(void) {
  start();
  const double prm[9] = {0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2}, span[2] = {0.3, 0.8};
  const double dyn[3] = {0.01, 0.04, 0.1};
  for (int i = 0; i < ROUNDS; i++) {
    double l = uniform(), v = uniform(), kp = fabs(uniform()) * 10, kv = fabs(uniform());
    add1(mju_muscleGain(l, v, span, 1.3, prm));
    add1(mju_muscleBias(l, span, 1.3, prm));
    add1(mju_muscleDynamics(l, v, dyn));
    add1(mju_springDamper(l, v, kp, kv, 0.1));
    add1(mju_Halton(i, 3));
  }
  finish("curves");
}

int main(int argc, char** argv) {
  bool print = argc > 1 && !strcmp(argv[1], "--print");
  if (!print && !(expected = fopen("tests/golden/algebra.txt", "r"))) {
    printf("tests/golden/algebra.txt is not there\n");
    return 1;
  }
  elementary();
  vectors();
  rotations();
  cholesky();
  envelope();
  trees();
  curves();
  if (expected) fclose(expected);
  return different != 0;
}
