// Samples of dual problems: copied from a step, analyzed (rank, condition number), written and
// read.
#include "samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char* const category_names[kCategories] = {
    "independent joints", "redundant joints", "dense joints",     "single contact",
    "sparse contacts",    "dense contacts",   "dense constraints"};

// ---- memory: one block per sample

static bool sample_alloc(Sample* s) {
  size_t n = s->n, numbers = 5 * n + n * n;
  double* at = calloc(numbers + 1, sizeof *at);
  s->block = calloc(s->nblock + 1, sizeof *s->block);
  if (!at || !s->block) {
    free(at);
    free(s->block);
    return false;
  }
  s->v_free = at;
  s->R = at + n;
  s->error = at + 2 * n;
  s->bias = at + 3 * n;
  s->start = at + 4 * n;
  s->D = at + 5 * n;
  return true;
}

static Sample* samples_push(Samples* s, Sample sample) {
  if (s->n == s->room) {
    int room = s->room ? 2 * s->room : 64;
    Sample* at = realloc(s->at, room * sizeof *at);
    if (!at) return NULL;
    s->at = at;
    s->room = room;
  }
  if (!sample_alloc(&sample)) return NULL;
  s->at[s->n] = sample;
  return s->at + s->n++;
}

void samples_free(Samples* s) {
  for (int i = 0; i < s->n; i++) {
    free(s->at[i].v_free);
    free(s->at[i].block);
  }
  free(s->at);
  *s = (Samples){0, 0, NULL};
}

bool samples_add(Samples* s, const char* system, const char* scenario, const snMaximal* x,
                 const snRows* r, const snDual* p) {
  Sample sample = {.time = x->data->time,
                   .step = x->model->opt.timestep,
                   .inertia = p->inertia,
                   .n = p->n,
                   .nblock = p->nblock,
                   .nbody = x->nbody};
  snprintf(sample.system, sizeof sample.system, "%s", system);
  snprintf(sample.scenario, sizeof sample.scenario, "%s", scenario);
  Sample* to = samples_push(s, sample);
  int n = p->n, stride = (n + 3) & ~3;
  double* A = calloc((size_t)n * stride + 1, sizeof *A);
  int* first = calloc(n + 1, sizeof *first);
  if (to && A && first) {
    p->D->dense(p->D, A, stride, first);
    for (int i = 0; i < n; i++)
      memcpy(to->D + (size_t)n * i, A + (size_t)stride * i, n * sizeof *A);
    memcpy(to->block, p->block, p->nblock * sizeof *to->block);
    memcpy(to->v_free, p->v_free, n * sizeof *A);
    if (p->R) memcpy(to->R, p->R, n * sizeof *A);
    memcpy(to->error, r->error + r->nsoft, n * sizeof *A);
    memcpy(to->bias, r->bias + r->nsoft, n * sizeof *A);
    maximal_warm_start((const snMaximalWhole*)x, r, to->start);
  }
  bool done = to && A && first;
  free(A);
  free(first);
  return done;
}

// ---- spectrum

// Householder reduction of a symmetric matrix to tridiagonal form, from the last row up.
static void tridiagonal(double* a, int n, double* d, double* e) {
  for (int i = n - 1; i > 0; i--) {
    double* row = a + (size_t)n * i;
    double norm = 0;
    for (int k = 0; k < i; k++) norm += row[k] * row[k];
    norm = sqrt(norm);
    if (norm == 0) {
      e[i] = 0;
      d[i] = row[i];
      continue;
    }
    double alpha = row[i - 1] > 0 ? -norm : norm, beta = norm * norm - row[i - 1] * alpha;
    e[i] = alpha;
    d[i] = row[i];
    row[i - 1] -= alpha;  // u
    // p = A u / beta, K = u'p / (2 beta), q = p - K u, A -= q u' + u q'
    double* p = d;  // reuses d: its entries for rows above i are not final yet
    double K = 0;
    for (int j = 0; j < i; j++) {
      double sum = 0;
      for (int k = 0; k <= j; k++) sum += a[(size_t)n * j + k] * row[k];
      for (int k = j + 1; k < i; k++) sum += a[(size_t)n * k + j] * row[k];
      p[j] = sum / beta;
      K += row[j] * p[j];
    }
    K /= 2 * beta;
    for (int j = 0; j < i; j++) {
      p[j] -= K * row[j];
      for (int k = 0; k <= j; k++) a[(size_t)n * j + k] -= p[j] * row[k] + row[j] * p[k];
    }
  }
  d[0] = a[0];
  e[0] = 0;
}

static int ascending(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Implicit QL with Wilkinson's shift on diagonal d and subdiagonal e[1..n-1].
void symmetric_eigenvalues(double* a, int n, double* values, double* e) {
  double* d = values;
  if (n == 0) return;
  tridiagonal(a, n, d, e);
  for (int i = 1; i < n; i++) e[i - 1] = e[i];
  e[n - 1] = 0;
  for (int l = 0; l < n; l++) {
    for (int tries = 0; tries < 60; tries++) {
      int m = l;
      for (; m < n - 1; m++) {
        double scale = fabs(d[m]) + fabs(d[m + 1]);
        if (fabs(e[m]) <= 1e-16 * scale) break;
      }
      if (m == l) break;
      double g = (d[l + 1] - d[l]) / (2 * e[l]), r = hypot(g, 1);
      g = d[m] - d[l] + e[l] / (g + copysign(r, g));
      double s = 1, c = 1, p = 0;
      int i = m - 1;
      for (; i >= l; i--) {
        double f = s * e[i], b = c * e[i];
        e[i + 1] = r = hypot(f, g);
        if (r == 0) {
          d[i + 1] -= p;
          e[m] = 0;
          break;
        }
        s = f / r;
        c = g / r;
        g = d[i + 1] - p;
        r = (d[i] - g) * s + 2 * c * b;
        d[i + 1] = g + (p = s * r);
        g = c * r - b;
      }
      if (r == 0 && i >= l) continue;
      d[l] -= p;
      e[l] = g;
      e[m] = 0;
    }
  }
  qsort(values, n, sizeof *values, ascending);
}

// Rows of one or all kinds, scaled to a unit diagonal, because rank concerns directions, not
// masses.
static int spectrum(const Sample* s, const int* row, int n, bool scaled, double* condition) {
  double* a = calloc((size_t)n * n + 2 * n + 1, sizeof *a);
  if (!a) return -1;
  double *values = a + (size_t)n * n, *e = values + n;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double scale =
          scaled ? sqrt(s->D[(size_t)(s->n + 1) * row[i]] * s->D[(size_t)(s->n + 1) * row[j]]) : 1;
      a[(size_t)n * i + j] = s->D[(size_t)s->n * row[i] + row[j]] / (scale > 0 ? scale : 1);
    }
  }
  symmetric_eigenvalues(a, n, values, e);
  int rank = 0;
  double most = n ? values[n - 1] : 0, least = most;
  for (int i = n - 1; i >= 0 && values[i] > 1e-11 * most; i--) {
    rank++;
    least = values[i];
  }
  if (condition) *condition = least > 0 ? most / least : 1;
  free(a);
  return rank;
}

// Categories of section VII-C, by the numbers of joints and contacts and the densities of rows per
// 6 dofs of a body. A single contact is a category of its own however dense the joints are; among
// the rest a sample of many joints and contacts counts as dense constraints.
static int categorize(const Sample* s) {
  int free_dofs = 6 * s->nbody;
  if (s->ncontact == 0) {
    if (s->rank == s->njointrow) return kIndependentJoints;
    return s->njointrow < free_dofs ? kRedundantJoints : kDenseJoints;
  }
  if (s->ncontact == 1) return kSingleContact;
  if (s->njoint >= 1 && s->n > free_dofs) return kDenseConstraints;
  return s->ncontact > 2 * s->nbody ? kDenseContacts : kSparseContacts;
}

bool sample_examine(Sample* s) {
  int* row = calloc(2 * s->n + 1, sizeof *row);
  if (!row) return false;
  int joint = 0, all = 0;
  s->njoint = s->ncontact = 0;
  for (int b = 0; b < s->nblock; b++) {
    const snDualBlock* block = s->block + b;
    s->njoint += block->kind == snDUAL_FREE;
    s->ncontact += block->kind == snDUAL_CONE;
    for (int i = block->row; i < block->row + block->nrow; i++) {
      row[s->n + all++] = i;
      if (block->kind == snDUAL_FREE) row[joint++] = i;
    }
  }
  s->njointrow = joint;
  s->rank = spectrum(s, row, joint, true, NULL);
  int rank = spectrum(s, row + s->n, s->n, false, &s->condition);
  free(row);
  s->category = categorize(s);
  return s->rank >= 0 && rank >= 0;
}

// ---- files: little-endian, in the order of docs/solvers-benchmark.md

static const char kMagic[8] = {'S', 'N', 'D', 'U', 'A', 'L', '0', '2'};

static void write_sample(FILE* f, const Sample* s) {
  int32_t head[3] = {s->n, s->nblock, s->nbody};
  double numbers[3] = {s->time, s->step, s->inertia};
  fwrite(s->system, 1, 16, f);
  fwrite(s->scenario, 1, 16, f);
  fwrite(head, 4, 3, f);
  fwrite(numbers, 8, 3, f);
  for (int b = 0; b < s->nblock; b++) {
    int32_t kind[2] = {s->block[b].kind, s->block[b].nrow};
    double set[2] = {s->block[b].mu, s->block[b].bound};
    fwrite(kind, 4, 2, f);
    fwrite(set, 8, 2, f);
  }
  const double* vectors[] = {s->v_free, s->R, s->error, s->bias, s->start};
  for (int k = 0; k < 5; k++) fwrite(vectors[k], 8, s->n, f);
  for (int i = 0; i < s->n; i++) {
    const double* row = s->D + (size_t)s->n * i;
    int32_t nonzero = 0;
    for (int32_t j = 0; j <= i; j++) nonzero += row[j] != 0;
    fwrite(&nonzero, 4, 1, f);
    for (int32_t j = 0; j <= i; j++) {
      if (row[j] == 0) continue;
      fwrite(&j, 4, 1, f);
      fwrite(row + j, 8, 1, f);
    }
  }
}

bool samples_write(const Samples* s, const char* path) {
  FILE* f = fopen(path, "wb");
  int32_t n = s->n;
  if (!f) {
    fprintf(stderr, "%s: cannot be written\n", path);
    return false;
  }
  fwrite(kMagic, 1, 8, f);
  fwrite(&n, 4, 1, f);
  for (int i = 0; i < s->n; i++) write_sample(f, s->at + i);
  bool good = !ferror(f);
  if (fclose(f) || !good) {
    fprintf(stderr, "%s: writing failed\n", path);
    return false;
  }
  return true;
}

static bool take(FILE* f, void* to, size_t size, size_t n) { return fread(to, size, n, f) == n; }

static const char* read_sample(FILE* f, Samples* samples) {
  enum { kRows = 20000 };
  Sample s = {.n = 0};
  int32_t head[3];
  double numbers[3];
  if (!take(f, s.system, 1, 16) || !take(f, s.scenario, 1, 16) || !take(f, head, 4, 3) ||
      !take(f, numbers, 8, 3)) {
    return "the file ends within a sample";
  }
  s.system[15] = s.scenario[15] = 0;
  if (head[0] < 0 || head[0] > kRows || head[1] < 0 || head[1] > head[0] || head[2] < 0) {
    return "numbers of rows, blocks or bodies out of range";
  }
  s.n = head[0];
  s.nblock = head[1];
  s.nbody = head[2];
  s.time = numbers[0];
  s.step = numbers[1];
  s.inertia = numbers[2];
  Sample* to = samples_push(samples, s);
  if (!to) return "no memory";
  int row = 0;
  for (int b = 0; b < s.nblock; b++) {
    int32_t kind[2];
    double set[2];
    if (!take(f, kind, 4, 2) || !take(f, set, 8, 2)) return "the file ends within a block";
    bool one = kind[0] == snDUAL_BOX || kind[0] == snDUAL_HALF;
    bool good = kind[0] >= snDUAL_FREE && kind[0] <= snDUAL_CONE && kind[1] >= 1 &&
                (!one || kind[1] == 1) && (kind[0] != snDUAL_CONE || kind[1] <= 6);
    if (!good || row + kind[1] > s.n) return "a block of unknown kind or too many rows";
    to->block[b] = (snDualBlock){kind[0], row, kind[1], set[0], set[1]};
    row += kind[1];
  }
  if (row != s.n) return "blocks do not make up the rows";
  double* vectors[] = {to->v_free, to->R, to->error, to->bias, to->start};
  for (int k = 0; k < 5; k++) {
    if (!take(f, vectors[k], 8, s.n)) return "the file ends within a vector";
  }
  for (int i = 0; i < s.n; i++) {
    int32_t nonzero, j;
    if (!take(f, &nonzero, 4, 1) || nonzero < 0 || nonzero > i + 1) return "a bad row of D";
    for (int k = 0; k < nonzero; k++) {
      double value;
      if (!take(f, &j, 4, 1) || j < 0 || j > i || !take(f, &value, 8, 1)) return "a bad entry of D";
      to->D[(size_t)s.n * i + j] = to->D[(size_t)s.n * j + i] = value;
    }
  }
  return NULL;
}

bool samples_read(Samples* s, const char* path) {
  FILE* f = fopen(path, "rb");
  char magic[8];
  int32_t n = 0;
  const char* wrong = NULL;
  *s = (Samples){0, 0, NULL};
  if (!f) {
    wrong = "cannot be read";
  } else if (!take(f, magic, 1, 8) || memcmp(magic, kMagic, 8) || !take(f, &n, 4, 1) || n < 0) {
    wrong = "not a file of samples: it has to begin with SNDUAL02 and their number";
  }
  for (int i = 0; !wrong && i < n; i++) wrong = read_sample(f, s);
  if (f) fclose(f);
  if (!wrong) return true;
  fprintf(stderr, "%s: sample %d: %s\n", path, s->n, wrong);
  samples_free(s);
  return false;
}
