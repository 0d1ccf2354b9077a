// Products with W and systems with K = 1 + W'BW by panels (panels.h has the formulas and the
// layout).
//
// K is assembled node by node, K_ab += W_a' B W_b over the groups that move both nodes, and
// factored by algebra/block_lu.c.
#include "dual/panels.h"

#include "base/assert.h"

#include <string.h>

// ---- structure

static bool same_columns(const int* nnz, const int* adr, const int* col, int i, int j) {
  return nnz[i] == nnz[j] && !memcmp(col + adr[i], col + adr[j], sizeof(int) * (size_t)nnz[i]);
}

// Groups and how many panels they have in all. Columns of a node stand side by side in a row.
static int find_groups(int n, const int* nnz, const int* adr, const int* col, const int* node,
                       int* group, int* ngroup) {
  int panels = 0;
  *ngroup = 0;
  for (int i = 0; i < n; i++) {
    if (i && same_columns(nnz, adr, col, i - 1, i)) continue;
    group[(*ngroup)++] = i;
    for (int k = 0; k < nnz[i]; k++) {
      panels += !k || node[col[adr[i] + k]] != node[col[adr[i] + k - 1]];
    }
  }
  group[*ngroup] = n;
  return panels;
}

static void link_nodes(const int* list, int count, uint64_t* link, size_t words) {
  for (int i = 0; i < count; i++) {
    for (int j = 0; j < count; j++) {
      link[(size_t)list[i] * words + (size_t)list[j] / 64] |= UINT64_C(1) << (list[j] % 64);
    }
  }
}

snPanels* panels_make(int n, const int* nnz, const int* adr, const int* col, const double* W,
                      int ncolumn, const int* node, const int* slot, int nnode, snTake take,
                      void* context) {
  size_t words = block_lu_words(nnode), numbers = 0;
  snPanels* p = take(context, sizeof *p);
  int* size = take(context, sizeof(int) * (size_t)nnode);
  int* group = take(context, sizeof(int) * (size_t)(n + 1));
  uint64_t* link = take(context, sizeof(uint64_t) * words * (size_t)nnode);
  void* room = take(context, block_lu_room(nnode));
  if (!p || !size || !group || !link || !room) return NULL;
  *p = (snPanels){.n = n, .group = group};
  int count = find_groups(n, nnz, adr, col, node, group, &p->ngroup);
  int* row_group = take(context, sizeof(int) * (size_t)(n + 1));
  int* first = take(context, sizeof(int) * (size_t)(p->ngroup + 1));
  int* of = take(context, sizeof(int) * (size_t)(count + 1));
  size_t* at = take(context, sizeof(size_t) * (size_t)(count + 1));
  if (!row_group || !first || !of || !at) return NULL;
  p->of = row_group;
  memset(size, 0, sizeof(int) * (size_t)nnode);
  memset(link, 0, sizeof(uint64_t) * words * (size_t)nnode);
  for (int c = 0; c < ncolumn; c++) {
    SN_ASSERT(node[c] >= 0 && node[c] < nnode);
    size[node[c]]++;
  }
  for (int c = 0; c < ncolumn; c++) SN_ASSERT(slot[c] >= 0 && slot[c] < size[node[c]]);
  int room_of = count;
  count = 0;
  for (int g = 0; g < p->ngroup; g++) {
    int i = group[g], rows = group[g + 1] - i;
    first[g] = count;
    for (int r = 0; r < rows; r++) row_group[i + r] = g;
    for (int k = 0; k < nnz[i]; k++) {
      int a = node[col[adr[i] + k]];
      if (k && of[count - 1] == a) continue;
      of[count] = a;
      at[count++] = numbers;
      numbers += (size_t)rows * (size_t)block_lu_stride(size[a]);
    }
    link_nodes(of + first[g], count - first[g], link, words);
  }
  SN_ASSERT(count == room_of && group[p->ngroup] == n);
  first[p->ngroup] = count;
  p->adr = first;
  p->node = of;
  p->at = at;
  block_lu_order(&p->lu, nnode, size, link, room);
  void* lu = take(context, block_lu_bytes(&p->lu));
  double* value = take(context, sizeof(double) * (2 * numbers + 2 * (size_t)p->lu.width + 8));
  if (!lu || !value) return NULL;
  SN_ASSERT(numbers % 4 == 0 && (uintptr_t)value % 32 == 0);  // panels have whole SIMD lanes
  block_lu_take(&p->lu, link, lu);
  memset(value, 0, sizeof(double) * numbers);
  for (int g = 0; g < p->ngroup; g++) {
    for (int i = group[g]; i < group[g + 1]; i++) {
      for (int k = 0, a = first[g] - 1; k < nnz[i]; k++) {
        int c = col[adr[i] + k];
        if (a < first[g] || of[a] != node[c]) a++;
        SN_ASSERT(a < first[g + 1] && of[a] == node[c]);
        size_t stride = (size_t)block_lu_stride(size[of[a]]);
        value[at[a] + (size_t)(i - group[g]) * stride + (size_t)slot[c]] = W[adr[i] + k];
      }
    }
  }
  p->value = value;
  p->product = value + numbers;
  p->z = p->product + numbers;
  p->w = p->z + p->lu.width + 4;
  return p;
}

// ---- products

// z += W'x of a group's panel
SN_INLINE void gather_panel(double* z, const double* W, const double* x, int rows, int stride) {
  for (int j = 0; j < stride; j += 4) {
    sn4 sum = sn4_load(z + j);
    for (int i = 0; i < rows; i++) {
      sum += sn4_set1(x[i]) * sn4_load(W + (size_t)i * stride + j);
    }
    sn4_store(z + j, sum);
  }
}

SN_KERNEL static void gather_all(const snPanels* p, const double* x, double* z) {
  memset(z, 0, sizeof(double) * (size_t)p->lu.width);
  for (int g = 0; g < p->ngroup; g++) {
    int first = p->group[g], rows = p->group[g + 1] - first;
    for (int a = p->adr[g]; a < p->adr[g + 1]; a++) {
      int size = p->lu.size[p->node[a]];
      double* to = z + p->lu.start[p->node[a]];
      if (size == 6)
        gather_panel(to, p->value + p->at[a], x + first, rows, 8);
      else
        gather_panel(to, p->value + p->at[a], x + first, rows, block_lu_stride(size));
    }
  }
}

SN_KERNEL static void spread_all(const snPanels* p, const double* z, double* y) {
  for (int g = 0; g < p->ngroup; g++) {
    int begin = p->adr[g], end = p->adr[g + 1], first = p->group[g];
    bool bodies = true;
    for (int a = begin; a < end; a++) bodies &= p->lu.size[p->node[a]] == 6;
    if (bodies && end - begin <= 2 && begin < end) {  // one free body, or two
      const double *W1 = p->value + p->at[begin], *W2 = p->value + p->at[end - 1];
      const double* z1 = z + p->lu.start[p->node[begin]];
      const double* z2 = z + p->lu.start[p->node[end - 1]];
      sn4 a = sn4_load(z1), b = sn4_load(z1 + 4), c = sn4_load(z2), d = sn4_load(z2 + 4);
      for (int i = first; i < p->group[g + 1]; i++, W1 += 8, W2 += 8) {
        sn4 sum = (sn4){0} + sn4_load(W1) * a + sn4_load(W1 + 4) * b;
        if (end - begin == 2) sum = sum + sn4_load(W2) * c + sn4_load(W2 + 4) * d;
        y[i] = sn4_sum(sum);
      }
      continue;
    }
    for (int i = first; i < p->group[g + 1]; i++) {
      sn4 sum = {0};
      for (int a = begin; a < end; a++) {
        int stride = block_lu_stride(p->lu.size[p->node[a]]);
        const double* row = p->value + p->at[a] + (size_t)(i - first) * stride;
        const double* from = z + p->lu.start[p->node[a]];
        for (int j = 0; j < stride; j += 4) sum += sn4_load(row + j) * sn4_load(from + j);
      }
      y[i] = sn4_sum(sum);
    }
  }
}

void panels_gather(const snPanels* p, const double* x, int n, double* z) {
  SN_ASSERT(p->place ? n <= p->n : n == p->n);
  if (!p->place) {
    gather_all(p, x, z);
    return;
  }
  double* all = p->product;  // has room for a number a row, and is not in use between factors
  memset(all, 0, sizeof(double) * (size_t)p->n);
  for (int i = 0; i < n; i++) all[p->place[i]] = x[i];
  gather_all(p, all, z);
}

void panels_spread(const snPanels* p, const double* z, int n, double* y) {
  SN_ASSERT(p->place ? n <= p->n : n == p->n);
  if (!p->place) {
    spread_all(p, z, y);
    return;
  }
  spread_all(p, z, p->product);
  for (int i = 0; i < n; i++) y[i] = p->product[p->place[i]];  // y may be p->product: place[i] >= i
}

// ---- K

void panels_begin(const snPanels* p) {
  size_t numbers = (size_t)(p->product - p->value);
  memset(p->product, 0, sizeof(double) * numbers);
}

void panels_add(const snPanels* p, int row, double weight) {
  if (weight == 0) return;
  if (p->place) row = p->place[row];
  int g = p->of[row];
  SN_ASSERT(row >= p->group[g] && row < p->group[g + 1]);
  for (int a = p->adr[g]; a < p->adr[g + 1]; a++) {
    size_t stride = (size_t)block_lu_stride(p->lu.size[p->node[a]]);
    size_t at = p->at[a] + (size_t)(row - p->group[g]) * stride;
    for (size_t j = 0; j < stride; j++) p->product[at + j] += weight * p->value[at + j];
  }
}

// Rows that are left out of the problem (`place`) need not be neighbours: each has its own place.
SN_KERNEL void panels_add_block(const snPanels* p, int row, int n, const double* B) {
  int at[6];
  SN_ASSERT(n >= 1 && n <= 6);
  for (int i = 0; i < n; i++) at[i] = p->place ? p->place[row + i] : row + i;
  int g = p->of[at[0]], first = p->group[g];
  SN_ASSERT(p->of[at[n - 1]] == g);  // rows of a block move the same nodes
  for (int a = p->adr[g]; a < p->adr[g + 1]; a++) {
    size_t stride = (size_t)block_lu_stride(p->lu.size[p->node[a]]);
    for (int i = 0; i < n; i++) {
      double* to = p->product + p->at[a] + (size_t)(at[i] - first) * stride;
      for (size_t j = 0; j < stride; j += 4) {
        sn4 sum = sn4_load(to + j);
        for (int k = 0; k < n; k++) {
          const double* from = p->value + p->at[a] + (size_t)(at[k] - first) * stride;
          sum += sn4_set1(B[i * n + k]) * sn4_load(from + j);
        }
        sn4_store(to + j, sum);
      }
    }
  }
}

// K_ab += A'T over `rows` rows; A has na columns in whole lanes, T nb
SN_INLINE void add_product(double* K, const double* A, const double* T, int rows, int size, int na,
                           int nb) {
  for (int i = 0; i < size; i++) {
    double* to = K + (size_t)i * nb;
    for (int j = 0; j < nb; j += 4) {
      sn4 sum = sn4_load(to + j);
      for (int r = 0; r < rows; r++) {
        sum += sn4_set1(A[(size_t)r * na + i]) * sn4_load(T + (size_t)r * nb + j);
      }
      sn4_store(to + j, sum);
    }
  }
}

SN_KERNEL static void build(const snPanels* p) {
  for (int g = 0; g < p->ngroup; g++) {
    int rows = p->group[g + 1] - p->group[g];
    for (int a = p->adr[g]; a < p->adr[g + 1]; a++) {
      for (int b = p->adr[g]; b < p->adr[g + 1]; b++) {
        int na = p->lu.size[p->node[a]], nb = p->lu.size[p->node[b]];
        if (na == 6 && nb == 6)
          add_product(block_lu_at(&p->lu, p->node[a], p->node[b]), p->value + p->at[a],
                      p->product + p->at[b], rows, 6, 8, 8);
        else
          add_product(block_lu_at(&p->lu, p->node[a], p->node[b]), p->value + p->at[a],
                      p->product + p->at[b], rows, na, block_lu_stride(na), block_lu_stride(nb));
      }
    }
  }
}

bool panels_factor(snPanels* p) {
  block_lu_clear(&p->lu);
  build(p);
  return block_lu_factor(&p->lu);
}

void panels_solve(const snPanels* p, double* z) { block_lu_solve(&p->lu, z); }

// Numbers of the rows of the problem, in place, to those of the rows of the panels: zero in the
// rows that are left out. place[i] >= i, so that from the last on none is overwritten before it is
// read.
static void expand(const snPanels* p, int n, double* x) {
  if (!p->place) return;
  for (int to = p->n - 1, i = n - 1; to >= 0; to--) {
    x[to] = i >= 0 && p->place[i] == to ? x[i--] : 0;
  }
}

// By Woodbury inv(W W' + s) = (1 - W inv(s + W'W) W') / s. What cancels in it is made good by
// solving for the residual once more.
void panels_explain(snPanels* p, double small, int n, double* b, double* f) {
  panels_begin(p);
  for (int i = 0; i < n; i++) panels_add(p, i, 1 / small);
  memset(f, 0, sizeof(double) * (size_t)n);
  if (!panels_factor(p)) return;
  for (int k = 0; k < 2; k++) {
    panels_gather(p, b, n, p->w);
    for (int i = 0; i < p->lu.width; i++) p->w[i] /= small;
    panels_solve(p, p->w);
    double* y = p->product;  // free since K is factored
    panels_spread(p, p->w, n, y);
    for (int i = 0; i < n; i++) {
      double df = (b[i] - y[i]) / small;
      f[i] += df;
      b[i] -= small * df;
      y[i] = df;
    }
    expand(p, n, y);
    gather_all(p, y, p->z);
    panels_spread(p, p->z, n, y);
    for (int i = 0; i < n; i++) b[i] -= y[i];
  }
}
