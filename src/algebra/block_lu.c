// LU of a sparse matrix of dense blocks (block_lu.h): minimum-degree order on bit sets of
// neighbours, then a right-looking elimination with factored diagonal blocks.
#include "base/assert.h"
#include "algebra/block_lu.h"

#include <math.h>
#include <string.h>

// ---- structure

size_t block_lu_room(int nnode) {
  return sizeof(int) * (4 * (size_t)nnode + 2) + 2 * sizeof(size_t) * (size_t)nnode + 16;
}

static int row_degree(const uint64_t* row, size_t words) {
  int sum = 0;
  for (size_t w = 0; w < words; w++) sum += __builtin_popcountll(row[w]);
  return sum;
}

// Minimum degree: eliminate the node with the fewest neighbours, then couple those neighbours with
// each other. Each row of `link` keeps the neighbours that the node had when it was eliminated.
void block_lu_order(snBlockLU* lu, int nnode, const int* size, uint64_t* link, void* room) {
  size_t words = block_lu_words(nnode);
  *lu = (snBlockLU){.nnode = nnode, .size = size};
  lu->diagonal = room;
  lu->first = lu->diagonal + nnode;
  lu->start = (int*)(lu->first + nnode);
  lu->place = lu->start + nnode;
  lu->order = lu->place + nnode;
  lu->adr = lu->order + nnode;
  for (int i = 0; i < nnode; i++) {
    lu->start[i] = lu->width;
    lu->width += block_lu_stride(size[i]);
    lu->place[i] = -1;
    link[i * words + i / 64] &= ~(UINT64_C(1) << (i % 64));
    lu->order[i] =
        row_degree(link + i * words, words);  // holds the degree until the order is known
  }
  // `adr` holds the degrees while nodes are chosen
  memcpy(lu->adr, lu->order, sizeof(int) * (size_t)nnode);
  int pairs = 0;
  for (int k = 0; k < nnode; k++) {
    int best = -1;
    for (int i = 0; i < nnode; i++) {
      if (lu->place[i] < 0 && (best < 0 || lu->adr[i] < lu->adr[best])) best = i;
    }
    SN_ASSERT(best >= 0);
    lu->place[best] = k;
    lu->order[k] = best;
    uint64_t* row = link + best * words;
    size_t degree = (size_t)row_degree(row, words);
    lu->ntarget += degree * degree;
    for (size_t w = 0; w < words; w++) {
      for (uint64_t bits = row[w]; bits; bits &= bits - 1) {
        int i = (int)(64 * w) + __builtin_ctzll(bits);
        uint64_t* other = link + i * words;
        SN_ASSERT(other[best / 64] >> (best % 64) & 1);  // couplings are symmetric
        for (size_t v = 0; v < words; v++) other[v] |= row[v];
        other[i / 64] &= ~(UINT64_C(1) << (i % 64));
        other[best / 64] &= ~(UINT64_C(1) << (best % 64));
        lu->adr[i] = row_degree(other, words);
        int a = block_lu_stride(size[best]), b = block_lu_stride(size[i]);
        lu->nvalue += (size_t)size[i] * (size_t)a + (size_t)size[best] * (size_t)b;
        pairs++;
      }
    }
    lu->nvalue += (size_t)size[best] * (size_t)block_lu_stride(size[best]);
  }
  lu->adr[nnode] = pairs;
}

size_t block_lu_bytes(const snBlockLU* lu) {
  size_t pairs = (size_t)lu->adr[lu->nnode];
  return sizeof(double) * lu->nvalue + sizeof(size_t) * (2 * pairs + lu->ntarget) +
         sizeof(int) * (pairs + (size_t)lu->width + 2);
}

static int find_next(const snBlockLU* lu, int k, int place) {
  int lo = lu->adr[k], hi = lu->adr[k + 1];
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (lu->next[mid] < place)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo < lu->adr[k + 1] && lu->next[lo] == place ? lo : -1;
}

double* block_lu_at(const snBlockLU* lu, int a, int b) {
  int pa = lu->place[a], pb = lu->place[b];
  if (pa == pb) return lu->value + lu->diagonal[pa];
  int i = pa < pb ? find_next(lu, pa, pb) : find_next(lu, pb, pa);
  if (i < 0) return NULL;
  return lu->value + (pa < pb ? lu->upper[i] : lu->lower[i]);
}

// Eliminating node k updates the blocks of all pairs of its neighbours; where each lies is looked
// up once, and the numbers are factored many times.
static void find_targets(snBlockLU* lu) {
  size_t at = 0;
  for (int k = 0; k < lu->nnode; k++) {
    lu->first[k] = at;
    for (int i = lu->adr[k]; i < lu->adr[k + 1]; i++) {
      for (int j = lu->adr[k]; j < lu->adr[k + 1]; j++) {
        const double* block = block_lu_at(lu, lu->order[lu->next[i]], lu->order[lu->next[j]]);
        SN_ASSERT(block);  // fill has its place
        lu->target[at++] = (size_t)(block - lu->value);
      }
    }
  }
  SN_ASSERT(at == lu->ntarget);
}

void block_lu_take(snBlockLU* lu, uint64_t* link, void* room) {
  size_t words = block_lu_words(lu->nnode), at = 0;
  int pairs = lu->adr[lu->nnode], count = 0;
  SN_ASSERT((uintptr_t)room % sizeof(double) == 0);
  lu->value = room;
  lu->lower = (size_t*)(lu->value + lu->nvalue);
  lu->upper = lu->lower + pairs;
  lu->target = lu->upper + pairs;
  lu->next = (int*)(lu->target + lu->ntarget);
  lu->pivot = lu->next + pairs;
  for (int k = 0; k < lu->nnode; k++) {
    int node = lu->order[k], stride = block_lu_stride(lu->size[node]), first = count;
    const uint64_t* row = link + node * words;
    lu->adr[k] = count;
    lu->diagonal[k] = at;
    at += (size_t)lu->size[node] * (size_t)stride;
    for (size_t w = 0; w < words; w++) {
      for (uint64_t bits = row[w]; bits; bits &= bits - 1) {
        int place = lu->place[(int)(64 * w) + __builtin_ctzll(bits)], i = count++;
        SN_ASSERT(place > k);  // neighbours that are left when node k is eliminated
        for (; i > first && lu->next[i - 1] > place; i--) lu->next[i] = lu->next[i - 1];
        lu->next[i] = place;
      }
    }
    for (int i = first; i < count; i++) {
      int other = lu->size[lu->order[lu->next[i]]];
      lu->lower[i] = at;
      at += (size_t)other * (size_t)stride;
      lu->upper[i] = at;
      at += (size_t)lu->size[node] * (size_t)block_lu_stride(other);
    }
  }
  lu->adr[lu->nnode] = count;
  SN_ASSERT(count == pairs && at == lu->nvalue);
  find_targets(lu);
}

// ---- numbers

void block_lu_clear(snBlockLU* lu) {
  memset(lu->value, 0, sizeof(double) * lu->nvalue);
  for (int k = 0; k < lu->nnode; k++) {
    int n = lu->size[lu->order[k]], stride = block_lu_stride(n);
    for (int i = 0; i < n; i++) lu->value[lu->diagonal[k] + (size_t)(i * stride + i)] = 1;
  }
}

// C -= X Y, where X is rows x inner and C, Y have `stride` columns in whole lanes
SN_INLINE void subtract_product(double* C, const double* X, const double* Y, int rows, int inner,
                                int xstride, int stride) {
  for (int i = 0; i < rows; i++) {
    double* c = C + (size_t)i * stride;
    const double* x = X + (size_t)i * xstride;
    for (int j = 0; j < stride; j += 4) {
      sn4 sum = sn4_load(c + j);
      SN_UNROLL for (int k = 0; k < inner; k++) {
        sum -= sn4_set1(x[k]) * sn4_load(Y + (size_t)k * stride + j);
      }
      sn4_store(c + j, sum);
    }
  }
}

SN_INLINE void swap_rows(double* a, double* b, int stride) {
  for (int j = 0; j < stride; j += 4) {
    sn4 own = sn4_load(a + j);
    sn4_store(a + j, sn4_load(b + j));
    sn4_store(b + j, own);
  }
}

SN_INLINE void take_multiple(double* to, const double* from, double s, int stride) {
  for (int j = 0; j < stride; j += 4)
    sn4_store(to + j, sn4_load(to + j) - sn4_set1(s) * sn4_load(from + j));
}

// A smaller pivot makes a diagonal block singular. K is 1 plus a semidefinite matrix, so pivots are
// about 1 or larger, and only bad numbers come near this.
static const double kLeastPivot = 1e-30;

// A <- L U with rows swapped for the largest pivot of each column, and inverses of the pivots in
// its diagonal. The inverse itself would cost digits where A is stiff in some directions and soft
// in others, as that of a body that sticks to another one: products with it cancel, and those with
// its factors do not.
SN_INLINE bool factor_diagonal(double* A, int* pivot, int n, int stride) {
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(A[(size_t)i * stride + k]) > fabs(A[(size_t)best * stride + k])) best = i;
    }
    pivot[k] = best;
    double* a = A + (size_t)k * stride;
    if (best != k) swap_rows(a, A + (size_t)best * stride, stride);
    if (!(fabs(a[k]) > kLeastPivot)) return false;
    double inverse = 1 / a[k];
    for (int i = k + 1; i < n; i++) {
      double *below = A + (size_t)i * stride, s = below[k] * inverse;
      for (int j = k + 1; j < n; j++) below[j] -= s * a[j];
      below[k] = s;
    }
    a[k] = inverse;
  }
  return true;
}

// X <- inv(A) X for n rows of X in whole lanes
SN_INLINE void divide_rows(double* X, const double* A, const int* pivot, int n, int stride,
                           int xstride) {
  for (int k = 0; k < n; k++) {
    if (pivot[k] != k) swap_rows(X + (size_t)k * xstride, X + (size_t)pivot[k] * xstride, xstride);
  }
  for (int k = 0; k < n; k++) {
    const double* x = X + (size_t)k * xstride;
    for (int i = k + 1; i < n; i++)
      take_multiple(X + (size_t)i * xstride, x, A[(size_t)i * stride + k], xstride);
  }
  for (int i = n - 1; i >= 0; i--) {
    const double* a = A + (size_t)i * stride;
    double* x = X + (size_t)i * xstride;
    for (int j = 0; j < xstride; j += 4) {
      sn4 sum = sn4_load(x + j);
      SN_UNROLL for (int k = i + 1; k < n; k++) {
        sum -= sn4_set1(a[k]) * sn4_load(X + (size_t)k * xstride + j);
      }
      sn4_store(x + j, sum * sn4_set1(a[i]));
    }
  }
}

SN_INLINE void divide_vector(double* x, const double* A, const int* pivot, int n, int stride) {
  for (int k = 0; k < n; k++) {
    double own = x[pivot[k]];
    x[pivot[k]] = x[k];
    x[k] = own;
  }
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) x[i] -= A[(size_t)i * stride + k] * x[k];
  }
  for (int i = n - 1; i >= 0; i--) {
    const double* a = A + (size_t)i * stride;
    for (int k = i + 1; k < n; k++) x[i] -= a[k] * x[k];
    x[i] *= a[i];
  }
}

// Right-looking: eliminating node k does  K_ij -= K_ik (inv(K_kk) K_kj)  for its neighbours i, j.
// Diagonal blocks are replaced by their factors, blocks (k, j) by the products in parentheses. A
// free body has six rows: sizes known to the compiler make the loops of such pairs straight code.
SN_KERNEL bool block_lu_factor(snBlockLU* lu) {
  lu->sign = 1;
  for (int k = 0; k < lu->nnode; k++) {
    int node = lu->order[k], n = lu->size[node], stride = block_lu_stride(n);
    double* D = lu->value + lu->diagonal[k];
    int* pivot = lu->pivot + lu->start[node];
    bool good = n == 6 ? factor_diagonal(D, pivot, 6, 8) : factor_diagonal(D, pivot, n, stride);
    if (!good) return false;
    for (int i = 0; i < n; i++) {
      if ((pivot[i] != i) != (D[(size_t)i * stride + i] < 0)) lu->sign = -lu->sign;
    }
    for (int j = lu->adr[k]; j < lu->adr[k + 1]; j++) {
      int columns = lu->size[lu->order[lu->next[j]]];
      if (n == 6 && columns == 6)
        divide_rows(lu->value + lu->upper[j], D, pivot, 6, 8, 8);
      else
        divide_rows(lu->value + lu->upper[j], D, pivot, n, stride, block_lu_stride(columns));
    }
    const size_t* target = lu->target + lu->first[k];
    for (int i = lu->adr[k]; i < lu->adr[k + 1]; i++) {
      int rows = lu->size[lu->order[lu->next[i]]];
      const double* X = lu->value + lu->lower[i];
      for (int j = lu->adr[k]; j < lu->adr[k + 1]; j++, target++) {
        int columns = lu->size[lu->order[lu->next[j]]];
        if (n == 6 && rows == 6 && columns == 6)
          subtract_product(lu->value + *target, X, lu->value + lu->upper[j], 6, 6, 8, 8);
        else
          subtract_product(lu->value + *target, X, lu->value + lu->upper[j], rows, n, stride,
                           block_lu_stride(columns));
      }
    }
  }
  return true;
}

// to -= A x; rows of A have `stride` numbers
SN_INLINE void take_rows(double* to, const double* A, const double* x, int n, int stride) {
  for (int r = 0; r < n; r++) {
    sn4 sum = {0};
    for (int j = 0; j < stride; j += 4) {
      sum += sn4_load(A + (size_t)r * stride + j) * sn4_load(x + j);
    }
    to[r] -= sn4_sum(sum);
  }
}

// The same where both nodes are free bodies
SN_INLINE void take_any(const snBlockLU* lu, double* x, int to, int from, size_t block) {
  int rows = lu->size[to], columns = lu->size[from];
  if (rows == 6 && columns == 6)
    take_rows(x + lu->start[to], lu->value + block, x + lu->start[from], 6, 8);
  else
    take_rows(x + lu->start[to], lu->value + block, x + lu->start[from], rows,
              block_lu_stride(columns));
}

SN_KERNEL void block_lu_solve(const snBlockLU* lu, double* x) {
  for (int k = 0; k < lu->nnode; k++) {
    int node = lu->order[k], n = lu->size[node], stride = block_lu_stride(n);
    const double* D = lu->value + lu->diagonal[k];
    const int* pivot = lu->pivot + lu->start[node];
    if (n == 6)
      divide_vector(x + lu->start[node], D, pivot, 6, 8);
    else
      divide_vector(x + lu->start[node], D, pivot, n, stride);
    for (int i = lu->adr[k]; i < lu->adr[k + 1]; i++) {
      take_any(lu, x, lu->order[lu->next[i]], node, lu->lower[i]);
    }
  }
  for (int k = lu->nnode - 1; k >= 0; k--) {
    for (int i = lu->adr[k]; i < lu->adr[k + 1]; i++) {
      take_any(lu, x, lu->order[k], lu->order[lu->next[i]], lu->upper[i]);
    }
  }
}
