// The engine's rows as blocks of the dual problem, and the Delassus matrix.
#include <math.h>
#include <string.h>

#include "constrain/constrain.h"
#include "hard/private.h"
#include "smooth/smooth.h"

// Rows of the engine that make one block, and of the block.
static int engine_rows(const mjModel* m, const mjData* d, int i) {
  int type = d->efc_type[i], id = d->efc_id[i], n = 1;
  if (type == mjCNSTR_EQUALITY) {
    if (m->eq_type[id] != mjEQ_CONNECT && m->eq_type[id] != mjEQ_WELD) return 1;
    while (i + n < d->nefc && d->efc_type[i + n] == type && d->efc_id[i + n] == id) n++;
    return n;
  }
  if (type == mjCNSTR_CONTACT_ELLIPTIC) return d->contact[id].dim;
  if (type == mjCNSTR_CONTACT_PYRAMIDAL) return 2 * (d->contact[id].dim - 1);
  return 1;
}

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

// row <- a J_i + b J_j; entries that vanish in full width are left out.
static void combine(const mjModel* m, const mjData* d, snHardRows* rows, int row, int i, mjtNum a,
                    int j, mjtNum b) {
  const mjtNum *Ji, *Jj = NULL;
  const int *col, *ignored;
  int n = engine_row(m, d, i, &Ji, &col);
  if (b != 0) engine_row(m, d, j, &Jj, &ignored);
  int at = rows->adr[row] = row ? rows->adr[row - 1] + rows->nnz[row - 1] : 0, first = at;
  for (int k = 0; k < n; k++) {
    mjtNum value = a * Ji[k] + (b != 0 ? b * Jj[k] : 0);
    if (!col && value == 0) continue;
    rows->col[at] = col ? col[k] : k;
    rows->J[at++] = value;
  }
  rows->nnz[row] = at - first;
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

static void make_blocks(const mjModel* m, mjData* d, snHardRows* rows) {
  int k = 0, row = 0;
  for (int i = 0; i < d->nefc; k++) {
    int engine = engine_rows(m, d, i), n = block_rows(d, i, engine), type = d->efc_type[i];
    snDualBlock* b = rows->block + k;
    *b = (snDualBlock){snDUAL_FREE, row, n, 0, 0};
    rows->efc[k] = i;
    rows->contact[k] = -1;
    for (int j = 0; j < n; j++) rows->scale[row + j] = 1;
    if (type >= mjCNSTR_CONTACT_PYRAMIDAL) {
      b->kind = snDUAL_CONE;
      rows->contact[k] = d->efc_id[i];
      contact_block(m, d, rows, k, i);
    } else {
      for (int j = 0; j < n; j++) {
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
    row += n;
    i += engine;
  }
  rows->nblock = k;
}

// ---- D = J inv(M^) J'

static void make_matrix(const mjModel* m, mjData* d, snHardRows* rows) {
  int nv = m->nv, n = rows->n;
  const snTree* tree = model_plan(m)->tree;
  memset(rows->Y, 0, sizeof(mjtNum) * (size_t)n * (size_t)nv);
  for (int i = 0; i < n; i++) {
    mjtNum* y = rows->Y + (size_t)i * nv;
    for (int k = rows->adr[i]; k < rows->adr[i] + rows->nnz[i]; k++) y[rows->col[k]] = rows->J[k];
  }
  mj_markStack(d);
  mjtNum* scratch = mj_stackAllocNum(d, tree_scratch(tree));
  tree_solve(tree, rows->Y, rows->Y, d->qH, d->qHDiagInv, n, scratch);
  mj_freeStack(d);
  for (int i = 0; i < n; i++) {
    mjtNum* D = rows->D + (size_t)i * rows->stride;
    for (int j = 0; j <= i; j++) {
      D[j] = sparse_dot(rows->J + rows->adr[j], rows->Y + (size_t)i * nv, rows->nnz[j],
                        rows->col + rows->adr[j]);
      rows->D[(size_t)j * rows->stride + i] = D[j];
    }
    for (int j = n; j < rows->stride; j++) D[j] = 0;
  }
}

void rows_make(const mjModel* m, mjData* d, snHardRows* rows) {
  int nblock = 0, n = 0, nv = m->nv;
  for (int i = 0; i < d->nefc; nblock++) {
    int engine = engine_rows(m, d, i);
    n += block_rows(d, i, engine);
    i += engine;
  }
  rows->n = n;
  rows->stride = (n + 3) & ~3;
  rows->block = mj_stackAllocByte(d, sizeof(snDualBlock) * (size_t)nblock, 8);
  rows->efc = mj_stackAllocInt(d, nblock);
  rows->contact = mj_stackAllocInt(d, nblock);
  rows->mu = mj_stackAllocNum(d, 5 * (size_t)nblock);
  rows->scale = mj_stackAllocNum(d, n);
  rows->r = mj_stackAllocNum(d, n);
  mju_zero(rows->r, n);
  rows->nnz = mj_stackAllocInt(d, n);
  rows->adr = mj_stackAllocInt(d, n);
  size_t entries = mj_isSparse(m) ? (size_t)d->nJ : (size_t)d->nefc * (size_t)nv;
  if (entries < (size_t)n) entries = n;
  rows->col = mj_stackAllocInt(d, entries);
  rows->J = mj_stackAllocNum(d, entries);
  rows->Y = mj_stackAllocNum(d, (size_t)n * (size_t)nv);
  rows->D = mj_stackAllocNum(d, (size_t)n * (size_t)rows->stride);
  make_blocks(m, d, rows);
  make_matrix(m, d, rows);
}

void rows_mul(const snHardRows* rows, mjtNum* z, const mjtNum* x) {
  for (int i = 0; i < rows->n; i++) {
    z[i] = sparse_dot(rows->J + rows->adr[i], x, rows->nnz[i], rows->col + rows->adr[i]);
  }
}

void rows_add(const snHardRows* rows, int nv, const mjtNum* f, mjtNum* x) {
  for (int i = 0; i < rows->n; i++) {
    if (f[i] != 0) vec_add_scaled(x, rows->Y + (size_t)i * nv, f[i], nv);
  }
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

void rows_write(const mjModel* m, mjData* d, const snHardRows* rows, const mjtNum* f) {
  mjtNum inv = 1 / m->opt.timestep;
  for (int k = 0; k < rows->nblock; k++) {
    const snDualBlock* b = rows->block + k;
    int i = rows->efc[k], engine = engine_rows(m, d, i), state = block_state(b, f + b->row);
    for (int j = 0; j < engine; j++) d->efc_state[i + j] = state;
    bool pyramid = d->efc_type[i] == mjCNSTR_CONTACT_PYRAMIDAL;
    mjtNum edge[6], *force = pyramid ? edge : d->efc_force + i;
    for (int j = 0; j < b->nrow; j++) force[j] = f[b->row + j] * rows->scale[b->row + j] * inv;
    // a force of the cone may lie outside the pyramid: some edges then pull, their sum does not
    if (pyramid) mju_encodePyramid(d->efc_force + i, edge, rows->mu + 5 * k, b->nrow);
  }
}
