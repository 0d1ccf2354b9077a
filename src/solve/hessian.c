// The Hessian of the primal, H = M + J' W J, and its factors.
//
// Rows of H are eliminated from the last to the first (factor_make): leaves of the tree before
// their ancestors, so that a contact between one body and the world adds no fill at all, and one
// between two branches fills only what joins them. When few rows change their state the factor is
// updated by their outer products; otherwise H is assembled again. Rows in their cone change at
// every iteration, so with elliptic cones the quadratic part of H is kept apart.
#include <string.h>

#include "solve/problem.h"

enum { MAX_UPDATE = 4, MAX_ROWS = 16, MAX_TILES = 32, MAX_KEPT = 4, MAX_KEPT_DOFS = 128 };

bool hessian_start(const snProblem* p, snHessian* h) {
  int n = h->n = p->nv;
  h->stride = p->nlane;
  size_t stride = (size_t)h->stride, size = (size_t)n * stride, nefc = (size_t)p->rows.nefc;
  bool cones = p->elliptic;
  if (!FRAME(p->memory, SN_ARRAY(h->L, size), SN_ARRAY(h->H, cones ? size : 0),
             SN_ARRAY(h->cone, cones ? 6 * stride : 0), SN_ARRAY(h->Dinv, stride),
             SN_ARRAY(h->vectors, MAX_UPDATE * stride), SN_ARRAY(h->weight, nefc),
             SN_ARRAY(h->first, stride), SN_ARRAY(h->fill, stride))) {
    return false;
  }
  if (!cones) h->H = h->L;
  h->factored = false;
  h->damping = 0;
  h->made = 0;
  h->known = true;
  mjtNum most = 0;
  for (int i = 0; i < n; i++) {
    h->first[i] = p->M_colind[p->M_rowadr[i]];
    SN_ASSERT(h->first[i] <= i && p->M_colind[p->M_rowadr[i] + p->M_rownnz[i] - 1] == i);
    most = mju_max(most, p->LDinv[i]);
  }
  h->least = mju_max(0.5 / most, mjMINVAL);
  for (int b = 0; b < p->nblock; b++) {
    const int* col = p->col + p->block[b].col;
    for (int i = 1; i < p->block[b].ncol; i++) {
      SN_ASSERT(col[i] > col[i - 1]);
      if (col[0] < h->first[col[i]]) h->first[col[i]] = col[0];
    }
  }
  return true;
}

// Four rows of H from `row` on, at the adjacent columns from `at` on:
// H += sum_r s_r' b_r
SN_INLINE void add_tile(mjtNum* row, int stride, int rows, const mjtNum* s, int ns, int i,
                        const mjtNum* const* b, int at, int nr) {
  sn4 sum[4];
  for (int q = 0; q < 4; q++) sum[q] = sn4_set1(0);
  for (int r = 0; r < nr; r++) {
    sn4 v = sn4_load(b[r] + at);
    const mjtNum* w = s + r * ns + i;
    for (int q = 0; q < 4; q++) sum[q] += v * w[q];
  }
  for (int q = 0; q < rows; q++) {
    sn4_store(row + q * stride, sn4_load(row + q * stride) + sum[q]);
  }
}

// The same row by row, for columns that are not adjacent.
SN_INLINE void add_apart(mjtNum* H, int stride, const int* col, int n, const mjtNum* const* a,
                         const mjtNum* const* b, const mjtNum* w, int nr) {
  for (int i = 0; i < n; i++) {
    mjtNum s[MAX_ROWS];
    for (int r = 0; r < nr; r++) s[r] = w[r] * a[r][i];
    mjtNum* row = H + (size_t)col[i] * stride;
    for (int j = 0; j <= i; j += 4) {
      sn4 sum = sn4_load(b[0] + j) * s[0];
      for (int r = 1; r < nr; r++) sum += sn4_load(b[r] + j) * s[r];
      int c = col[j];
      SN_ASSERT(c + 4 <= stride || j + 4 > n || col[j + 3] != c + 3);
      if (j + 4 <= n && col[j + 3] == c + 3) {
        sn4_store(row + c, sn4_load(row + c) + sum);
      } else {
        for (int l = 0; l < 4 && j + l <= i; l++) row[col[j + l]] += sum[l];
      }
    }
  }
}

// H += sum_r w_r a_r' b_r on the block's columns, lower triangle. Entries right of the diagonal may
// be touched; they are never read.
SN_INLINE void add_rows(mjtNum* H, int stride, const int* col, int n, const mjtNum* const* a,
                        const mjtNum* const* b, const mjtNum* w, int nr) {
  int lanes = (n + 3) & ~3;
  if (col[n - 1] == n - 1 && lanes <= MAX_TILES) {
    // all columns from the first on
    mjtNum s[MAX_ROWS * MAX_TILES];
    for (int r = 0; r < nr; r++) {
      for (int i = 0; i < lanes; i += 4) sn4_store(s + r * lanes + i, sn4_load(a[r] + i) * w[r]);
    }
    for (int i = 0; i < n; i += 4) {
      mjtNum* row = H + (size_t)i * stride;
      for (int j = 0; j <= i; j += 4) {
        add_tile(row + j, stride, n - i < 4 ? n - i : 4, s, lanes, i, b, j, nr);
      }
    }
    return;
  }
  // the rows of a connection, of a pyramid
  if (nr == 3)
    add_apart(H, stride, col, n, a, b, w, 3);
  else if (nr == 4)
    add_apart(H, stride, col, n, a, b, w, 4);
  else
    add_apart(H, stride, col, n, a, b, w, nr);
}

// Add the rows listed, given within the block, in groups.
SN_INLINE void add_list(const snProblem* p, mjtNum* H, int stride, const snRowBlock* k,
                        const int* list, const mjtNum* weight, int n) {
  const int* col = p->col + k->col;
  const mjtNum* J = p->J + k->J;
  if (k->ncol == 1) {
    mjtNum sum = 0;
    for (int r = 0; r < n; r++) {
      mjtNum j = J[list[r] * k->stride];
      sum += weight[r] * j * j;
    }
    H[(size_t)col[0] * stride + col[0]] += sum;
    return;
  }
  SN_ASSERT(n <= MAX_ROWS);
  const mjtNum* rows[MAX_ROWS];
  for (int r = 0; r < n; r++) rows[r] = J + list[r] * k->stride;
  add_rows(H, stride, col, k->ncol, rows, rows, weight, n);
}

// Bring H to the state of the problem: add rows that became quadratic, take away those that ceased
// to be. Only blocks with changes are touched.
SN_INLINE void update_rows(const snProblem* p, snHessian* h, const mjtNum* weight) {
  for (int b = 0; b < p->nblock; b++) {
    const snRowBlock* k = p->block + b;
    int list[MAX_ROWS], n = 0;
    mjtNum more[MAX_ROWS];
    for (int r = 0; r < k->nrow; r++) {
      int row = k->row + r;
      if (weight[row] == h->weight[row]) continue;
      list[n] = r;
      more[n++] = weight[row] - h->weight[row];
      h->weight[row] = weight[row];
      if (n == MAX_ROWS) {
        add_list(p, h->H, h->stride, k, list, more, n);
        n = 0;
      }
    }
    if (n) add_list(p, h->H, h->stride, k, list, more, n);
  }
}

// L += J' Hc J of the contacts in their cone zone.
SN_INLINE void add_cones(const snProblem* p, snHessian* h) {
  static const mjtNum one[6] = {1, 1, 1, 1, 1, 1};
  for (int b = 0; b < p->nblock; b++) {
    const snRowBlock* k = p->block + b;
    for (int r = 0; r < k->nrow;) {
      int row = k->row + r;
      if (p->rows.type[row] != mjCNSTR_CONTACT_ELLIPTIC) {
        r++;
        continue;
      }
      const mjContact* con = p->rows.contact + p->rows.id[row];
      int dim = con->dim;
      SN_ASSERT(r + dim <= k->nrow);  // a cone is within one block
      if (p->state[row] == mjCNSTRSTATE_CONE) {
        const mjtNum *J = p->J + k->J + (size_t)r * k->stride, *a[6], *t[6];
        for (int i = 0; i < dim; i++) {
          mjtNum* T = h->cone + (size_t)i * h->stride;
          for (int c = 0; c < k->stride; c += 4) {
            sn4 sum = {0, 0, 0, 0};
            for (int j = 0; j < dim; j++) {
              sum += sn4_load(J + j * k->stride + c) * con->H[i * dim + j];
            }
            sn4_store(T + c, sum);
          }
          a[i] = J + i * k->stride;
          t[i] = T;
        }
        add_rows(h->L, h->stride, p->col + k->col, k->ncol, a, t, one, dim);
      }
      r += dim;
    }
  }
}

// H = M, no row active. Only the lower triangle is kept.
SN_INLINE void start_from_inertia(const snProblem* p, snHessian* h) {
  memset(h->weight, 0, sizeof(mjtNum) * (size_t)p->rows.nefc);
  for (int i = 0; i < h->n; i++) {
    int adr = p->M_rowadr[i], nnz = p->M_rownnz[i];
    mjtNum* row = h->H + (size_t)i * h->stride;
    for (int k = 0; k <= i; k += 4) sn4_store(row + k, sn4_set1(0));
    const int* col = p->M_colind + adr;
    const mjtNum* M = p->M + adr;
    for (int k = 0; k < nnz;) {
      if (k + 4 <= nnz && col[k + 3] == col[k] + 3) {
        sn4_store(row + col[k], sn4_load(M + k));
        k += 4;
      } else {
        row[col[k]] = M[k];
        k++;
      }
    }
  }
}

// The rows that changed, as vectors over all columns; false when there are too many.
static bool few_changes(const snProblem* p, snHessian* h, const mjtNum* weight, mjtNum* more,
                        int* count, int* start) {
  int n = 0, changed[MAX_UPDATE];
  for (int i = 0; i < p->rows.nefc; i++) {
    if (weight[i] == h->weight[i]) continue;
    if (n == MAX_UPDATE) return false;
    changed[n++] = i;
  }
  *count = n;
  *start = h->n;
  memset(h->vectors, 0, sizeof(mjtNum) * (size_t)n * (size_t)h->stride);
  for (int v = 0, b = 0; v < n; v++) {
    int row = changed[v];
    while (row >= p->block[b].row + p->block[b].nrow) b++;
    SN_ASSERT(b < p->nblock && row >= p->block[b].row);  // blocks cover the rows in order
    const snRowBlock* k = p->block + b;
    const mjtNum* J = p->J + k->J + (size_t)(row - k->row) * k->stride;
    const int* col = p->col + k->col;
    for (int i = 0; i < k->ncol; i++) h->vectors[(size_t)v * h->stride + col[i]] = J[i];
    if (k->ncol && (col[0] & ~3) < *start) *start = col[0] & ~3;
    more[v] = weight[row] - h->weight[row];
    h->weight[row] = weight[row];
  }
  return true;
}

// L from the quadratic part.
SN_INLINE void finish_factor(const snProblem* p, snHessian* h) {
  if (p->elliptic) {
    memcpy(h->L, h->H, sizeof(mjtNum) * (size_t)h->n * (size_t)h->stride);
    add_cones(p, h);
  }
  for (int i = 0; i < h->n; i++) h->fill[i] = h->first[i] & ~3;
  for (int i = 0; i < h->n && h->damping; i++) h->L[(size_t)i * (h->stride + 1)] *= 1 + h->damping;
  factor_make(h->L, h->Dinv, h->fill, h->n, h->stride, h->least);
}

SN_KERNEL static void factor_cones(const snProblem* p, snHessian* h) { finish_factor(p, h); }

SN_KERNEL static void make_factor(const snProblem* p, snHessian* h, const mjtNum* weight) {
  if (!h->factored || !p->elliptic) start_from_inertia(p, h);
  update_rows(p, h, weight);
  finish_factor(p, h);
  h->factored = true;
}

static int make(const snProblem* p, snHessian* h, const mjtNum* weight) {
  mjtNum more[MAX_UPDATE];
  int count, start;
  if (h->factored && !p->elliptic && few_changes(p, h, weight, more, &count, &start)) {
    if (!count || factor_update(h->L, h->Dinv, h->fill, h->vectors, count, more, start, h->n,
                                h->stride, h->least)) {
      return count;
    }
  }
  make_factor(p, h, weight);
  return 0;
}

// Factors in the order they were made, each with the weights that led to it from the one before.
// While positions are held, solves that start alike go the same way and find them here. With
// elliptic cones it is the quadratic part that is kept.
typedef struct snFactors_ {
  int count;
  struct {
    mjtNum *weight, *H, *Dinv;
    int *fill, nupdate;
  } made[MAX_KEPT];
} snFactors;

struct snFactors_* hessian_keep(const snProblem* p) {
  size_t n = (size_t)p->nv, stride = (size_t)p->nlane, nefc = (size_t)p->rows.nefc;
  if (p->nv > MAX_KEPT_DOFS) return NULL;
  snFactors* k;
  if (!FRAME(p->memory, SN_ARRAY(k, 1))) return NULL;
  k->count = 0;
  for (int i = 0; i < MAX_KEPT; i++) {
    if (!FRAME(p->memory, SN_ARRAY(k->made[i].H, n * stride), SN_ARRAY(k->made[i].Dinv, stride),
               SN_ARRAY(k->made[i].weight, nefc), SN_ARRAY(k->made[i].fill, stride))) {
      return NULL;
    }
  }
  return k;
}

// H, its factor unless there are cones, and the weights in it: copied to the kept factor or from
// it.
static void keep_factor(const snProblem* p, snHessian* h, snFactors* k, int i, bool put) {
  size_t n = (size_t)h->n, stride = (size_t)h->stride, nefc = (size_t)p->rows.nefc;
  struct {
    void *here, *there;
    size_t size;
  } list[] = {{h->H, k->made[i].H, sizeof(mjtNum) * n * stride},
              {h->weight, k->made[i].weight, sizeof(mjtNum) * nefc},
              {h->Dinv, k->made[i].Dinv, sizeof(mjtNum) * stride},
              {h->fill, k->made[i].fill, sizeof(int) * stride}};
  SN_ASSERT(i >= 0 && i < MAX_KEPT);
  for (int j = 0; j < (p->elliptic ? 2 : 4); j++) {
    memcpy(put ? list[j].there : list[j].here, put ? list[j].here : list[j].there, list[j].size);
  }
}

int hessian_factor(const snProblem* p, snHessian* h, const mjtNum* weight) {
  snFactors* k = p->kept ? p->kept->factors : NULL;
  int i = h->made++, nupdate;
  SN_ASSERT(h->stride % 4 == 0 && h->stride >= h->n);
  bool known = k && h->known && i < k->count &&
               !memcmp(k->made[i].weight, weight, sizeof(mjtNum) * (size_t)p->rows.nefc);
  if (known) {
    keep_factor(p, h, k, i, false);
    h->factored = true;
    if (p->elliptic) factor_cones(p, h);
    return k->made[i].nupdate;
  }
  nupdate = make(p, h, weight);
  if (k && h->known && i == k->count && i < MAX_KEPT) {
    keep_factor(p, h, k, i, true);
    k->made[i].nupdate = nupdate;
    k->count++;
  } else {
    h->known = false;
  }
  return nupdate;
}

void hessian_damp(const snProblem* p, snHessian* h, const mjtNum* weight) {
  h->known = h->factored = false;
  make_factor(p, h, weight);
}

void hessian_solve(const snHessian* h, mjtNum* x) {
  factor_solve(x, h->L, h->Dinv, h->fill, h->n, h->stride);
}
