// The engine's constraint rows as the dual problem of hard contact: rows of one contact become one
// cone block (normal first, pyramids turned back into their cone), equalities and limits become
// free and half-line blocks; blocks are grouped by island.
//
// The Delassus operator gets the form that its size asks for: dense, or J with the factors of M
// from INNER_ROWS on, where systems are solved over velocities
// (dual/panels.h).
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "constrain/constrain.h"
#include "data/frame.h"
#include "hard/private.h"
#include "smooth/smooth.h"

// From so many rows on systems are solved over velocities, even where those outnumber rows.
#define INNER_ROWS 64

// Rows of the block that so many of the engine make from row i on.
static int block_rows(const mjData* d, int i, int engine) {
  return d->efc_type[i] == mjCNSTR_CONTACT_PYRAMIDAL ? d->contact[d->efc_id[i]].dim : engine;
}

// ---- Jacobian

static int engine_row(const mjModel* m, const mjData* d, int i, const mjtNum** J, const int** col) {
  if (mj_isSparse(m)) {
    *J = d->efc_J + d->efc_J_rowadr[i];
    *col = d->efc_J_colind + d->efc_J_rowadr[i];
    return d->efc_J_rownnz[i];
  }
  *J = d->efc_J + (size_t)i * m->nv;
  *col = NULL;
  return m->nv;
}

// The dofs that rows [i, i + count) of the engine move, and their ancestors, ascending. `mark` is
// zero before and after.
static int columns(const mjModel* m, const mjData* d, int i, int count, int* col, char* mark) {
  int n = 0;
  bool sorted = true;
  for (int r = i; r < i + count; r++) {
    const mjtNum* J;
    const int* given;
    int length = engine_row(m, d, r, &J, &given);
    if (given && r > i && length == d->efc_J_rownnz[r - 1] &&
        !memcmp(given, given - d->efc_J_rownnz[r - 1], sizeof(int) * (size_t)length)) {
      continue;  // as the row before
    }
    for (int k = 0; k < length; k++) {
      if (!given && J[k] == 0) continue;
      for (int c = given ? given[k] : k; c >= 0 && !mark[c]; c = m->dof_parentid[c]) {
        sorted &= !n || c > col[n - 1];
        mark[c] = 1;
        col[n++] = c;
      }
    }
  }
  for (int k = 0; k < n; k++) mark[col[k]] = 0;
  for (int k = 1; !sorted && k < n; k++) {
    int c = col[k], at = k;
    for (; at > 0 && col[at - 1] > c; at--) col[at] = col[at - 1];
    col[at] = c;
  }
  return n;
}

// row <- a J_i + b J_j on the columns of its block
static void combine(const mjModel* m, const mjData* d, snHardRows* rows, int row, int i, mjtNum a,
                    int j, mjtNum b) {
  const int* col = rows->col + rows->adr[row];
  mjtNum* to = rows->J + rows->adr[row];
  for (int part = 0; part < (b != 0 ? 2 : 1); part++) {
    const mjtNum* J;
    const int* given;
    mjtNum s = part ? b : a;
    int n = engine_row(m, d, part ? j : i, &J, &given);
    for (int k = 0, at = 0; k < n; k++) {
      if (!given && J[k] == 0) continue;
      int c = given ? given[k] : k;
      while (col[at] < c) at++;
      SN_ASSERT(at < rows->nnz[row] && col[at] == c);  // columns of a block hold those of its rows
      to[at] += s * J[k];
    }
  }
}

// Directions of friction are scaled by mu_j / mu, so that the cone is circular whatever they are.
// A pyramid's edges are normal plus and minus mu_j times a direction.
static void contact_block(const mjModel* m, mjData* d, snHardRows* rows, int k, int i) {
  snDualBlock* b = rows->block + k;
  const mjContact* con = d->contact + d->efc_id[i];
  mjtNum *mu = rows->mu + 5 * k, largest = 0;
  bool pyramid = d->efc_type[i] == mjCNSTR_CONTACT_PYRAMIDAL;
  for (int j = 1; j < b->nrow; j++) {
    mu[j - 1] = con->friction[j - 1];
    largest = fmax(largest, mu[j - 1]);
  }
  SN_ASSERT(b->nrow >= 1 && b->nrow <= 6);
  b->mu = largest;
  rows->r[b->row] = con->dist - con->includemargin;
  if (pyramid)
    combine(m, d, rows, b->row, i, 0.5, i + 1, 0.5);
  else
    combine(m, d, rows, b->row, i, 1, 0, 0);
  for (int j = 1; j < b->nrow; j++) {
    mjtNum s = largest > 0 ? mu[j - 1] / largest : 0;
    rows->scale[b->row + j] = s;
    if (pyramid) {
      mjtNum half = largest > 0 ? 0.5 / largest : 0;  // s / (2 mu_j)
      combine(m, d, rows, b->row + j, i + 2 * j - 2, half, i + 2 * j - 1, -half);
    } else {
      combine(m, d, rows, b->row + j, i + j, s, 0, 0);
    }
  }
}

// The block of the engine's rows from i on.
static void make_block(const mjModel* m, mjData* d, snHardRows* rows, int k, int i) {
  snDualBlock* b = rows->block + k;
  int type = d->efc_type[i], row = b->row;
  rows->contact[k] = -1;
  for (int j = 0; j < b->nrow; j++) rows->scale[row + j] = 1;
  if (type == mjCNSTR_CONTACT_PYRAMIDAL || type == mjCNSTR_CONTACT_ELLIPTIC) {
    b->kind = snDUAL_CONE;
    rows->contact[k] = d->efc_id[i];
    contact_block(m, d, rows, k, i);
    return;
  }
  for (int j = 0; j < b->nrow; j++) {
    rows->r[row + j] = d->efc_pos[i + j] - d->efc_margin[i + j];
    combine(m, d, rows, row + j, i + j, 1, 0, 0);
  }
  if (type == mjCNSTR_FRICTION_DOF || type == mjCNSTR_FRICTION_TENDON) {
    b->kind = snDUAL_BOX;
    b->bound = d->efc_frictionloss[i] * m->opt.timestep;
  } else if (type != mjCNSTR_EQUALITY) {
    b->kind = snDUAL_HALF;
    if (type == mjCNSTR_CONTACT_FRICTIONLESS) rows->contact[k] = d->efc_id[i];
  }
}

// Blocks by island, within one as in the engine. *entries: those of J. false without memory.
static bool sort_blocks(const mjModel* m, mjData* d, snHardRows* rows, const int* efc_island,
                        size_t* entries) {
  int n = 0, *col, *next;
  char* mark;
  *entries = 0;
  mj_markStack(d);
  if (!FRAME(memory_of(d), SN_ARRAY(col, m->nv), SN_ARRAY(next, rows->nisland + 1),
             SN_ARRAY(mark, m->nv))) {
    mj_freeStack(d);
    return false;
  }
  memset(mark, 0, (size_t)m->nv);
  memset(next, 0, sizeof(int) * (size_t)(rows->nisland + 1));
  for (int i = 0; i < d->nefc; i += constrain_unit(m, d, i)) next[efc_island[i] + 1]++;
  for (int k = 0; k < rows->nisland; k++) next[k + 1] += next[k];
  memcpy(rows->island, next, sizeof(int) * (size_t)(rows->nisland + 1));
  for (int i = 0; i < d->nefc;) {
    SN_ASSERT(efc_island[i] >= 0 && efc_island[i] < rows->nisland);
    int engine = constrain_unit(m, d, i), k = next[efc_island[i]]++;
    rows->block[k] = (snDualBlock){snDUAL_FREE, 0, block_rows(d, i, engine), 0, 0};
    rows->place[k] = n;
    rows->efc[k] = i;
    *entries += (size_t)rows->block[k].nrow * (size_t)columns(m, d, i, engine, col, mark);
    n += rows->block[k].nrow;
    i += engine;
  }
  mj_freeStack(d);
  return true;
}

// Columns of all blocks, in the model's and in the island's numbers. false without memory.
static bool place_columns(const mjModel* m, mjData* d, snHardRows* rows) {
  const snPattern* pattern = model_pattern(m);
  int row = 0, used = 0, *number;
  int* tree;   // number of a tree within its island
  int* count;  // columns of it so far
  char* mark;
  mj_markStack(d);
  if (!FRAME(memory_of(d), SN_ARRAY(mark, m->nv), SN_ARRAY(number, m->nv),
             SN_ARRAY(tree, m->ntree + 1), SN_ARRAY(count, m->ntree + 1))) {
    mj_freeStack(d);
    return false;
  }
  memset(mark, 0, (size_t)m->nv);
  memset(count, 0, sizeof(int) * (size_t)m->ntree);
  for (int i = 0; i < m->nv; i++) number[i] = -1;
  for (int island = 0, base = 0; island < rows->nisland; base += rows->width[island++]) {
    int begin = used, width = 0;
    rows->base[island] = base;
    rows->nnode[island] = 0;
    mjtNum inertia = 0;
    for (int k = rows->island[island]; k < rows->island[island + 1]; k++) {
      snDualBlock* b = rows->block + k;
      b->row = row;
      int length =
          columns(m, d, rows->efc[k], constrain_unit(m, d, rows->efc[k]), rows->col + used, mark);
      for (int r = 0; r < b->nrow; r++, row++, used += length) {
        if (r) memcpy(rows->col + used, rows->col + used - length, sizeof(int) * (size_t)length);
        rows->nnz[row] = length;
        rows->adr[row] = used;
      }
    }
    for (int c = begin; c < used; c++) {
      int dof = rows->col[c];
      if (number[dof] < 0) {
        int t = m->dof_treeid[dof];
        if (!count[t]) tree[t] = rows->nnode[island]++;
        rows->node[base + width] = tree[t];
        rows->slot[base + width] = count[t]++;
        number[dof] = width++;
        inertia += d->M[pattern->M_rowadr[dof] + pattern->M_rownnz[dof] - 1];
      }
      SN_ASSERT(number[dof] < width);  // no dof is in two islands
      rows->own[c] = number[dof];
    }
    rows->width[island] = width;
    rows->inertia[island] = inertia;
  }
  mj_freeStack(d);
  return true;
}

// ---- W = J inv(L) inv(sqrt D)

static bool half_solve(const mjModel* m, mjData* d, snHardRows* rows) {
  const snPattern* pattern = model_pattern(m);
  mjtNum *x, *root;
  mj_markStack(d);
  if (!FRAME(memory_of(d), SN_ARRAY(x, m->nv), SN_ARRAY(root, m->nv))) {
    mj_freeStack(d);
    return false;
  }
  for (int i = 0; i < m->nv; i++) {
    x[i] = 0;
    root[i] = sqrt(d->qHDiagInv[i]);
  }
  for (int i = 0; i < rows->n; i++) {
    int begin = rows->adr[i], end = begin + rows->nnz[i];
    mjtNum sum = 0;
    for (int k = begin; k < end; k++) x[rows->col[k]] = rows->J[k];
    for (int k = end - 1; k >= begin; k--) {
      int c = rows->col[k], adr = pattern->M_rowadr[c], n = pattern->M_rownnz[c] - 1;
      mjtNum xc = x[c];
      SN_ASSERT(k == begin || rows->col[k - 1] < c);  // eliminated from the leaves to the root
      x[c] = 0;
      for (int j = adr; xc != 0 && j < adr + n; j++) x[pattern->M_colind[j]] -= d->qH[j] * xc;
      rows->W[k] = xc * root[c];
      sum += rows->W[k] * rows->W[k];
    }
    rows->diagonal[i] = sum;
  }
  mj_freeStack(d);
  return true;
}

static void* take_stack(void* d, size_t bytes) {
  char* block;
  return FRAME(memory_of(d), SN_ARRAY(block, bytes)) ? block : NULL;
}

const snDelassus* rows_operator(mjData* d, const snHardRows* rows, int island, const int* nnz,
                                const int* adr, int count, bool loops) {
  int width = rows->width[island];
  size_t entries = 0, stride = ((size_t)count + 3) & ~(size_t)3;
  for (int i = 0; i < count; i++) entries += (size_t)nnz[i];
  snFactored* W;
  snDelassus* D;
  mjtNum *A, *state;
  int* first;
  if (!FRAME(memory_of(d), SN_ARRAY(W, 1), SN_ARRAY(D, 1), SN_ARRAY(state, 2 * (size_t)width))) {
    return NULL;
  }
  *W = (snFactored){.nv = width, .rownnz = nnz, .rowadr = adr, .colind = rows->own, .J = rows->W};
  // few rows over many columns are better off as a matrix, but loops that repeat each other are
  // told from loops that do not over velocities alone
  if (width && (count >= INNER_ROWS || count > width || loops)) {
    W->inner =
        panels_make(count, nnz, adr, rows->own, rows->W, width, rows->node + rows->base[island],
                    rows->slot + rows->base[island], rows->nnode[island], take_stack, d);
    if (!W->inner) return NULL;
  }
  *D = delassus_factored(count, W, state);
  // an entry of the matrix costs a fraction of one of W, which is gathered and used twice
  if (W->inner || (size_t)count * stride > 6 * entries) return D;
  if (!FRAME(memory_of(d), SN_ARRAY(A, (size_t)count * stride), SN_ARRAY(first, count),
             SN_ARRAY(state, count))) {
    return NULL;
  }
  D->dense(D, A, (int)stride, first);
  *D = delassus_dense(count, A, (int)stride, state);
  return D;
}

bool rows_make(const mjModel* m, mjData* d, snHardRows* rows) {
  int nblock = 0, n = 0, nefc = d->nefc;
  for (int i = 0; i < nefc; nblock++) {
    int engine = constrain_unit(m, d, i);
    n += block_rows(d, i, engine);
    i += engine;
  }
  rows->n = n;
  rows->nblock = nblock;
  int* efc_island;
  size_t entries;
  if (!FRAME(memory_of(d), SN_ARRAY(efc_island, nefc))) return false;
  rows->nisland = constrain_islands(m, d, efc_island);
  if (!rows->nisland) rows->nisland = 1;
  int nisland = rows->nisland;
  if (!FRAME(memory_of(d), SN_ARRAY(rows->block, nblock), SN_ARRAY(rows->island, nisland + 1),
             SN_ARRAY(rows->width, nisland), SN_ARRAY(rows->base, nisland),
             SN_ARRAY(rows->nnode, nisland), SN_ARRAY(rows->node, m->nv),
             SN_ARRAY(rows->slot, m->nv), SN_ARRAY(rows->inertia, nisland),
             SN_ARRAY(rows->place, nblock), SN_ARRAY(rows->efc, nblock),
             SN_ARRAY(rows->contact, nblock), SN_ARRAY(rows->mu, 5 * (size_t)nblock),
             SN_ARRAY(rows->scale, n), SN_ARRAY(rows->r, n), SN_ARRAY(rows->diagonal, n),
             SN_ARRAY(rows->nnz, n), SN_ARRAY(rows->adr, n)) ||
      !sort_blocks(m, d, rows, efc_island, &entries) ||
      !FRAME(memory_of(d), SN_ARRAY(rows->col, entries), SN_ARRAY(rows->own, entries),
             SN_ARRAY(rows->J, entries), SN_ARRAY(rows->W, entries))) {
    return false;
  }
  mju_zero(rows->r, n);
  memset(rows->J, 0, sizeof(mjtNum) * entries);
  if (!place_columns(m, d, rows)) return false;
  for (int k = 0; k < nblock; k++) make_block(m, d, rows, k, rows->efc[k]);
  return half_solve(m, d, rows);
}

void rows_mul(const snHardRows* rows, mjtNum* z, const mjtNum* x) {
  for (int i = 0; i < rows->n; i++) {
    z[i] = sparse_dot(rows->J + rows->adr[i], x, rows->nnz[i], rows->col + rows->adr[i]);
  }
}

bool rows_add(const mjModel* m, mjData* d, const snHardRows* rows, const mjtNum* f, mjtNum* x) {
  mjtNum* y;
  mj_markStack(d);
  if (!FRAME(memory_of(d), SN_ARRAY(y, m->nv))) {
    mj_freeStack(d);
    return false;
  }
  mju_zero(y, m->nv);
  for (int i = 0; i < rows->n; i++) {
    if (f[i] == 0) continue;
    for (int k = rows->adr[i]; k < rows->adr[i] + rows->nnz[i]; k++) {
      y[rows->col[k]] += rows->J[k] * f[i];
    }
  }
  inertia_solve(m, d, d->qH, d->qHDiagInv, y);
  mju_addTo(x, y, m->nv);
  mj_freeStack(d);
  return true;
}

// ---- back to the engine

static int block_state(const snDualBlock* b, const mjtNum* f) {
  mjtNum t = 0;
  switch (b->kind) {
    case snDUAL_BOX:
      if (f[0] >= b->bound) return mjCNSTRSTATE_LINEARNEG;
      if (f[0] <= -b->bound) return mjCNSTRSTATE_LINEARPOS;
      return mjCNSTRSTATE_QUADRATIC;
    case snDUAL_HALF:
      return f[0] > 0 ? mjCNSTRSTATE_QUADRATIC : mjCNSTRSTATE_SATISFIED;
    case snDUAL_CONE:
      if (f[0] <= 0) return mjCNSTRSTATE_SATISFIED;
      for (int j = 1; j < b->nrow; j++) t += f[j] * f[j];
      return t < b->mu * b->mu * f[0] * f[0] * (1 - 1e-9) ? mjCNSTRSTATE_QUADRATIC
                                                          : mjCNSTRSTATE_CONE;
    default:
      return mjCNSTRSTATE_QUADRATIC;
  }
}

// Edges of the pyramid that add up to a force: normal shared out, tangents as differences. A force
// of the cone may lie outside the pyramid: some edges then pull, their sum does not.
static void write_edges(mjtNum* edge, const mjtNum* force, const mjtNum* mu, int n) {
  mjtNum share = force[0] / (n - 1);
  for (int j = 1; j < n; j++) {
    edge[2 * j - 2] = 0.5 * (share + force[j] / mu[j - 1]);
    edge[2 * j - 1] = 0.5 * (share - force[j] / mu[j - 1]);
  }
}

void rows_write(const mjModel* m, mjData* d, const snHardRows* rows, const mjtNum* f) {
  mjtNum inv = 1 / m->opt.timestep;
  for (int k = 0; k < rows->nblock; k++) {
    const snDualBlock* b = rows->block + k;
    int i = rows->efc[k], engine = constrain_unit(m, d, i), state = block_state(b, f + b->row);
    for (int j = 0; j < engine; j++) d->efc_state[i + j] = state;
    bool pyramid = d->efc_type[i] == mjCNSTR_CONTACT_PYRAMIDAL;
    mjtNum cone[6], *force = pyramid ? cone : d->efc_force + i;
    for (int j = 0; j < b->nrow; j++) force[j] = f[b->row + j] * rows->scale[b->row + j] * inv;
    if (pyramid) write_edges(d->efc_force + i, cone, rows->mu + 5 * k, b->nrow);
  }
}
