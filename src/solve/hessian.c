// The Hessian of the primal, H = M + J' W J, and its factors.
//
// Rows of H are eliminated from the last to the first (factor_make): leaves of the tree before
// their ancestors, so that a contact between one body and the world adds no fill at all, and one
// between two branches fills only what joins them.
#include <string.h>

#include "solve/problem.h"

void hessian_start(const snProblem* p, snHessian* h) {
  int n = h->n = p->nv, widest = 0;
  h->stride = p->nlane;
  size_t size = (size_t)n * (size_t)h->stride;
  h->H = mj_stackAllocNum(p->d, size);
  h->L = mj_stackAllocNum(p->d, size);
  h->Dinv = mj_stackAllocNum(p->d, n);
  h->first = mj_stackAllocInt(p->d, n);
  h->fill = mj_stackAllocInt(p->d, n);
  h->active = mj_stackAllocInt(p->d, p->rows.nefc);
  for (int b = 0; b < p->nblock; b++) {
    if (p->block[b].stride > widest) widest = p->block[b].stride;
  }
  h->small = mj_stackAllocNum(p->d, (size_t)widest * (size_t)widest + 6 * (size_t)widest);
  memset(h->active, 0, sizeof(int) * (size_t)p->rows.nefc);
  memset(h->H, 0, sizeof(mjtNum) * size);
  for (int i = 0; i < n; i++) {
    int adr = p->M_rowadr[i], nnz = p->M_rownnz[i];
    for (int k = adr; k < adr + nnz; k++) h->H[(size_t)i * h->stride + p->M_colind[k]] = p->M[k];
    h->first[i] = p->M_colind[adr];
  }
  for (int b = 0; b < p->nblock; b++) {
    const int* col = p->col + p->block[b].col;
    for (int i = 0; i < p->block[b].ncol; i++) {
      if (col[0] < h->first[col[i]]) h->first[col[i]] = col[0];
    }
  }
}

// B (lower triangle, rows at `stride`) += w a' b
SN_INLINE void add_outer(mjtNum* B, int stride, int n, const mjtNum* a, const mjtNum* b,
                         mjtNum w) {
  for (int i = 0; i < n; i++) {
    mjtNum s = w * a[i];
    if (s == 0) continue;
    mjtNum* row = B + i * stride;
    for (int j = 0; j <= i; j += 4) sn4_store(row + j, sn4_load(row + j) + sn4_load(b + j) * s);
  }
}

SN_INLINE void scatter(mjtNum* H, int stride, const int* col, int n, const mjtNum* B,
                       int bstride) {
  for (int i = 0; i < n; i++) {
    mjtNum* row = H + (size_t)col[i] * stride;
    const mjtNum* from = B + i * bstride;
    for (int j = 0; j <= i; j++) row[col[j]] += from[j];
  }
}

// Bring the quadratic rows of H to the state of the problem: add rows that became active, take
// away those that ceased to be. Only blocks with changes are touched.
SN_KERNEL int hessian_update(const snProblem* p, snHessian* h) {
  int changed = 0;
  for (int b = 0; b < p->nblock; b++) {
    const snBlock* k = p->block + b;
    const mjtNum* J = p->J + k->J;
    const int* col = p->col + k->col;
    bool touched = false;
    for (int r = 0; r < k->nrow; r++) {
      int row = k->row + r, now = p->state[row] == mjCNSTRSTATE_QUADRATIC;
      if (now == h->active[row]) continue;
      h->active[row] = now;
      changed++;
      const mjtNum* Jr = J + r * k->stride;
      mjtNum w = now ? p->rows.D[row] : -p->rows.D[row];
      if (k->ncol == 1) {
        h->H[(size_t)col[0] * h->stride + col[0]] += w * Jr[0] * Jr[0];
        continue;
      }
      if (!touched) memset(h->small, 0, sizeof(mjtNum) * (size_t)k->ncol * (size_t)k->stride);
      touched = true;
      add_outer(h->small, k->stride, k->ncol, Jr, Jr, w);
    }
    if (touched) scatter(h->H, h->stride, col, k->ncol, h->small, k->stride);
  }
  return changed;
}

// L += J' Hc J of the contacts in their cone zone.
SN_INLINE void add_cones(const snProblem* p, snHessian* h) {
  for (int b = 0; b < p->nblock; b++) {
    const snBlock* k = p->block + b;
    mjtNum* T = h->small + (size_t)k->ncol * (size_t)k->stride;
    bool touched = false;
    for (int r = 0; r < k->nrow;) {
      int row = k->row + r;
      if (p->rows.type[row] != mjCNSTR_CONTACT_ELLIPTIC) {
        r++;
        continue;
      }
      const mjContact* con = p->rows.contact + p->rows.id[row];
      int dim = con->dim;
      if (p->state[row] == mjCNSTRSTATE_CONE) {
        if (!touched) memset(h->small, 0, sizeof(mjtNum) * (size_t)k->ncol * (size_t)k->stride);
        touched = true;
        const mjtNum* J = p->J + k->J + (size_t)r * k->stride;
        for (int i = 0; i < dim; i++) {
          for (int c = 0; c < k->stride; c += 4) {
            sn4 sum = {0, 0, 0, 0};
            for (int j = 0; j < dim; j++) sum += sn4_load(J + j * k->stride + c) * con->H[i * dim + j];
            sn4_store(T + c, sum);
          }
          add_outer(h->small, k->stride, k->ncol, J + i * k->stride, T, 1);
        }
      }
      r += dim;
    }
    if (touched) scatter(h->L, h->stride, p->col + k->col, k->ncol, h->small, k->stride);
  }
}

SN_KERNEL void hessian_factor(const snProblem* p, snHessian* h) {
  int n = h->n, stride = h->stride;
  mjtNum* L = h->L;
  for (int i = 0; i < n; i++) {
    int f = h->fill[i] = h->first[i] & ~3;
    // what lies left of the envelope may fill in
    memset(L + (size_t)i * stride, 0, sizeof(mjtNum) * (size_t)f);
    memcpy(L + (size_t)i * stride + f, h->H + (size_t)i * stride + f,
           sizeof(mjtNum) * (size_t)(i + 1 - f));
  }
  if (p->elliptic) add_cones(p, h);
  factor_make(L, h->Dinv, h->fill, n, stride, mjMINVAL);
}

void hessian_solve(const snHessian* h, mjtNum* x) {
  factor_solve(x, h->L, h->Dinv, h->fill, h->n, h->stride);
}
