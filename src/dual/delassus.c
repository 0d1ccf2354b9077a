// The Delassus operator D = J inv(M) J' in three forms with one set of functions (dual.h): a dense
// matrix, a sparse matrix of blocks, or J and a factorization of M.
//
// Gauss-Seidel needs rows of D f while f changes. The first two forms keep D f and add columns of
// D to it; the third keeps w = inv(M) J'f and multiplies with rows of J, which costs no n^2
// memory.
#include <string.h>

#include "dual/private.h"

// ---- a full matrix; state is D f

SN_KERNEL void full_mul(mjtNum* y, const mjtNum* A, const mjtNum* x, int n, int stride) {
  for (int i = 0; i < n; i++) y[i] = vec_dot(A + (size_t)i * stride, x, n);
}

SN_KERNEL static void full_add(mjtNum* y, const mjtNum* A, const mjtNum* df, int nrow, int n,
                               int stride) {
  for (int r = 0; r < nrow; r++) {
    if (df[r] != 0) vec_add_scaled(y, A + (size_t)r * stride, df[r], n);
  }
}

static void dense_mul(const snDelassus* D, mjtNum* y, const mjtNum* x) {
  full_mul(y, D->self, x, D->n, D->stride);
}

static void dense_dense(const snDelassus* D, mjtNum* A, int stride, int* first) {
  SN_ASSERT(stride >= D->n);
  for (int i = 0; i < D->n; i++) {
    mjtNum* row = A + (size_t)i * stride;
    const mjtNum* from = (const mjtNum*)D->self + (size_t)i * D->stride;
    memcpy(row, from, sizeof(mjtNum) * (size_t)D->n);
    memset(row + D->n, 0, sizeof(mjtNum) * (size_t)(stride - D->n));
    int k = 0;
    while (k < i && from[k] == 0) k++;
    first[i] = k;
  }
}

static void dense_block(const snDelassus* D, int row, int nrow, mjtNum* B) {
  SN_ASSERT(row >= 0 && row + nrow <= D->n);
  for (int r = 0; r < nrow; r++) {
    memcpy(B + r * nrow, (const mjtNum*)D->self + (size_t)(row + r) * D->stride + row,
           sizeof(mjtNum) * (size_t)nrow);
  }
}

static void dense_start(const snDelassus* D, const mjtNum* f) { dense_mul(D, D->state, f); }

static void state_read(const snDelassus* D, int row, int nrow, mjtNum* z) {
  for (int r = 0; r < nrow; r++) z[r] = D->state[row + r];
}

static void dense_move(const snDelassus* D, int row, int nrow, const mjtNum* df) {
  full_add(D->state, (const mjtNum*)D->self + (size_t)row * D->stride, df, nrow, D->n, D->stride);
}

snDelassus delassus_dense(int n, const mjtNum* A, int stride, mjtNum* state) {
  SN_ASSERT(stride >= n);
  return (snDelassus){n,          dense_mul,  dense_dense, dense_block, dense_start,
                      state_read, dense_move, A,           stride,      state};
}

// ---- blocks; state is D f

static void block_add(mjtNum* y, const mjtNum* B, const mjtNum* x, int nrow, int ncol) {
  for (int r = 0; r < nrow; r++) {
    mjtNum sum = 0;
    for (int c = 0; c < ncol; c++) sum += B[r * ncol + c] * x[c];
    y[r] += sum;
  }
}

static void sparse_mul(const snDelassus* D, mjtNum* y, const mjtNum* x) {
  const snBlockSparse* b = D->self;
  for (int i = 0; i < b->nblock; i++) {
    int row = b->row[i], nrow = b->row[i + 1] - row;
    for (int r = 0; r < nrow; r++) y[row + r] = 0;
    for (int k = b->rowadr[i]; k < b->rowadr[i + 1]; k++) {
      int col = b->row[b->colind[k]], ncol = b->row[b->colind[k] + 1] - col;
      block_add(y + row, b->value + b->adr[k], x + col, nrow, ncol);
    }
  }
}

static void sparse_dense(const snDelassus* D, mjtNum* A, int stride, int* first) {
  const snBlockSparse* b = D->self;
  memset(A, 0, sizeof(mjtNum) * (size_t)D->n * (size_t)stride);
  for (int i = 0; i < b->nblock; i++) {
    int row = b->row[i], nrow = b->row[i + 1] - row;
    for (int r = 0; r < nrow; r++) first[row + r] = row;
    for (int k = b->rowadr[i]; k < b->rowadr[i + 1]; k++) {
      int col = b->row[b->colind[k]], ncol = b->row[b->colind[k] + 1] - col;
      for (int r = 0; r < nrow; r++) {
        memcpy(A + (size_t)(row + r) * stride + col, b->value + b->adr[k] + (size_t)r * ncol,
               sizeof(mjtNum) * (size_t)ncol);
        if (col < first[row + r]) first[row + r] = col;
      }
    }
  }
}

// The block that holds `row`. Solvers move whole blocks or rows of one.
static int block_at(const snBlockSparse* b, int row) {
  int lo = 0, hi = b->nblock - 1;
  while (lo < hi) {
    int mid = (lo + hi + 1) / 2;
    if (b->row[mid] <= row)
      lo = mid;
    else
      hi = mid - 1;
  }
  return lo;
}

static void sparse_block(const snDelassus* D, int row, int nrow, mjtNum* B) {
  const snBlockSparse* b = D->self;
  int i = block_at(b, row), k = b->rowadr[i], at = row - b->row[i];
  while (b->colind[k] != i) k++;
  int ncol = b->row[i + 1] - b->row[i];
  SN_ASSERT(k < b->rowadr[i + 1] && at + nrow <= ncol);  // the diagonal is there
  for (int r = 0; r < nrow; r++) {
    memcpy(B + r * nrow, b->value + b->adr[k] + (size_t)(at + r) * ncol + at,
           sizeof(mjtNum) * (size_t)nrow);
  }
}

static void sparse_start(const snDelassus* D, const mjtNum* f) { sparse_mul(D, D->state, f); }

// Column `row` of D is its row: D is symmetric.
static void sparse_move(const snDelassus* D, int row, int nrow, const mjtNum* df) {
  const snBlockSparse* b = D->self;
  int i = block_at(b, row);
  SN_ASSERT(row + nrow <= b->row[i + 1]);
  for (int k = b->rowadr[i]; k < b->rowadr[i + 1]; k++) {
    int col = b->row[b->colind[k]], ncol = b->row[b->colind[k] + 1] - col;
    const mjtNum* B = b->value + b->adr[k] + (size_t)(row - b->row[i]) * ncol;
    for (int r = 0; r < nrow; r++) {
      for (int c = 0; c < ncol; c++) D->state[col + c] += B[r * ncol + c] * df[r];
    }
  }
}

snDelassus delassus_sparse(int n, const snBlockSparse* blocks, mjtNum* state) {
  SN_ASSERT(blocks->row[blocks->nblock] == n);
  return (snDelassus){
      n,      sparse_mul, sparse_dense, sparse_block, sparse_start, state_read, sparse_move,
      blocks, 0,          state};
}

// ---- J and inv(M); state is w = inv(M) J'f, then room for one more velocity

static void factored_add(const snFactored* m, int row, int nrow, const mjtNum* f, mjtNum* w) {
  for (int r = 0; r < nrow; r++) {
    int adr = m->rowadr[row + r];
    for (int k = 0; k < m->rownnz[row + r]; k++) w[m->colind[adr + k]] += m->J[adr + k] * f[r];
  }
}

static void factored_rows(const snFactored* m, int row, int nrow, const mjtNum* w, mjtNum* z) {
  for (int r = 0; r < nrow; r++) {
    int adr = m->rowadr[row + r];
    z[r] = sparse_dot(m->J + adr, w, m->rownnz[row + r], m->colind + adr);
  }
}

// w <- inv(M) w; without a factorization M is 1.
static void factored_solve(const snFactored* m, mjtNum* w) {
  if (m->solve) m->solve(m->context, w);
}

static void factored_stand(const snFactored* m, int n, const mjtNum* f, mjtNum* w) {
  memset(w, 0, sizeof(mjtNum) * (size_t)m->nv);
  factored_add(m, 0, n, f, w);
  factored_solve(m, w);
}

static void factored_mul(const snDelassus* D, mjtNum* y, const mjtNum* x) {
  const snFactored* m = D->self;
  mjtNum* w = D->state + m->nv;
  if (m->inner) {
    panels_gather(m->inner, x, D->n, m->inner->z);
    panels_spread(m->inner, m->inner->z, D->n, y);
    return;
  }
  factored_stand(m, D->n, x, w);
  factored_rows(m, 0, D->n, w, y);
}

static void factored_dense(const snDelassus* D, mjtNum* A, int stride, int* first) {
  const snFactored* m = D->self;
  mjtNum* w = D->state + m->nv;
  for (int i = 0; i < D->n; i++) {
    mjtNum one = 1, *row = A + (size_t)i * stride;
    memset(w, 0, sizeof(mjtNum) * (size_t)m->nv);
    memset(row + i, 0, sizeof(mjtNum) * (size_t)(stride - i));
    factored_add(m, i, 1, &one, w);
    factored_solve(m, w);
    factored_rows(m, 0, i + 1, w, row);
    for (int j = 0; j < i; j++) A[(size_t)j * stride + i] = row[j];
    int k = 0;
    while (k < i && row[k] == 0) k++;
    first[i] = k;
  }
}

// Rows of a block share their columns as a rule; then a product of two rows needs no scatter.
static bool same_columns(const snFactored* m, int i, int j) {
  return m->rownnz[i] == m->rownnz[j] && !memcmp(m->colind + m->rowadr[i], m->colind + m->rowadr[j],
                                                 sizeof(int) * (size_t)m->rownnz[i]);
}

static void factored_block(const snDelassus* D, int row, int nrow, mjtNum* B) {
  const snFactored* m = D->self;
  mjtNum* w = D->state + m->nv;
  bool shared = !m->solve;
  for (int r = 1; r < nrow; r++) shared = shared && same_columns(m, row, row + r);
  for (int r = 0; r < nrow; r++) {
    mjtNum one = 1;
    for (int c = 0; shared && c < nrow; c++) {
      const mjtNum *a = m->J + m->rowadr[row + c], *b = m->J + m->rowadr[row + r];
      mjtNum sum = 0;
      for (int k = 0; k < m->rownnz[row]; k++) sum += a[k] * b[k];
      B[r * nrow + c] = sum;
    }
    if (shared) continue;
    memset(w, 0, sizeof(mjtNum) * (size_t)m->nv);
    factored_add(m, row + r, 1, &one, w);
    factored_solve(m, w);
    factored_rows(m, row, nrow, w, B + r * nrow);
  }
}

static void factored_start(const snDelassus* D, const mjtNum* f) {
  factored_stand(D->self, D->n, f, D->state);
}

static void factored_read(const snDelassus* D, int row, int nrow, mjtNum* z) {
  factored_rows(D->self, row, nrow, D->state, z);
}

static void factored_move(const snDelassus* D, int row, int nrow, const mjtNum* df) {
  const snFactored* m = D->self;
  mjtNum* w = D->state + m->nv;
  if (!m->solve) {
    factored_add(m, row, nrow, df, D->state);
    return;
  }
  memset(w, 0, sizeof(mjtNum) * (size_t)m->nv);
  factored_add(m, row, nrow, df, w);
  m->solve(m->context, w);
  for (int i = 0; i < m->nv; i++) D->state[i] += w[i];
}

snDelassus delassus_factored(int n, const snFactored* J, mjtNum* state) {
  return (snDelassus){n,
                      factored_mul,
                      factored_dense,
                      factored_block,
                      factored_start,
                      factored_read,
                      factored_move,
                      J,
                      0,
                      state};
}

const snFactored* delassus_inner(const snDelassus* D) {
  const snFactored* J = D->self;
  return D->mul == factored_mul && J->inner ? J : NULL;
}

bool delassus_rows(snDelassus* part, snFactored* J, snPanels* inner, const snDelassus* D, int n,
                   const int* row, int* nnz, int* adr) {
  if (D->mul != factored_mul) return false;
  *J = *(const snFactored*)D->self;
  for (int i = 0; i < n; i++) {
    SN_ASSERT(row[i] < D->n && (!i || row[i - 1] < row[i]));
    nnz[i] = J->rownnz[row[i]];
    adr[i] = J->rowadr[row[i]];
  }
  J->rownnz = nnz;
  J->rowadr = adr;
  if (J->inner) {
    *inner = *J->inner;
    inner->place = row;
    J->inner = inner;
  }
  *part = delassus_factored(n, J, D->state);
  return true;
}
