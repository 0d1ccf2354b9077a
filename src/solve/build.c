// From mjData to the convex problem and back.
//
// The problem of the whole system points into mjData. A part of it, some trees that rows join, is
// gathered: its rows and dofs get consecutive numbers, its results are scattered back. J comes in
// blocks of rows over the same columns, each row padded with zeros to whole SIMD lanes.
#include "solve/build.h"

#include <string.h>

// Entries of row i at the given columns, which are among its own.
static void unit_values(const snRowReader* rd, int i, const int* col, int ncol, mjtNum* to) {
  const mjData* d = rd->d;
  if (rd->sparse) {
    const int* c = d->efc_J_colind + d->efc_J_rowadr[i];
    const mjtNum* J = d->efc_J + d->efc_J_rowadr[i];
    // mostly all of them; trees may have changed places. A program may have written other ids to
    // the rows, and then a column may not be there.
    int n = d->efc_J_rownnz[i];
    for (int k = 0, at = 0; k < ncol; k++) {
      if (k && col[k] < col[k - 1]) at = 0;
      while (at < n && c[at] != col[k]) at++;
      to[k] = at < n ? J[at] : 0;
    }
  } else {
    const mjtNum* J = d->efc_J + (size_t)i * rd->m->nv;
    for (int k = 0; k < ncol; k++) to[k] = J[col[k]];
  }
}

// ---- J

static bool build_blocks(const snRowReader* rd, const snUnits* u, const int* list, int count,
                         const int* local, snProblem* p) {
  size_t room = 0, cols = 0;
  for (int n = 0; n < count; n++) {
    int k = list ? list[n] : n;
    int ncol = u->first[k + 1] - u->first[k];
    // a row over points takes four numbers for three columns (single_rows.c)
    room += (size_t)u->nrow[k] * (size_t)mjMAX((ncol + 3) & ~3, 4 * ((ncol + 2) / 3));
    cols += (size_t)ncol + 1;
  }
  if (!FRAME(p->memory, SN_ARRAY(p->J, room), SN_ARRAY(p->block, count), SN_ARRAY(p->col, cols))) {
    return false;
  }
  bool cg = rd->m->opt.solver == mjSOL_CG;
  if (cg && !own_start(p)) return false;
  p->nblock = 0;
  size_t at = 0;
  int row = 0, col = 0;
  for (int n = 0; n < count; n++) {
    int k = list ? list[n] : n;
    const int* c = u->col + u->first[k];
    int ncol = u->first[k + 1] - u->first[k], stride = (ncol + 3) & ~3;
    if (cg && u->nrow[k] == 1) {
      for (int i = 0; i < ncol; i++) p->col[col + i] = local ? local[c[i]] : c[i];
      unit_values(rd, u->row[k], c, ncol, p->J + at);
      const snRowBlock* b = own_add(p, row++, col, at, ncol);
      SN_ASSERT(b->own && b->nrow > 0);
      at += (size_t)b->stride;
      col += b->npoint ? b->npoint : b->ncol;
      continue;
    }
    snRowBlock* last = p->nblock ? p->block + p->nblock - 1 : NULL;
    bool same = last && last->ncol == ncol && !last->own;
    for (int i = 0; same && i < ncol; i++) {
      same = p->col[last->col + i] == (local ? local[c[i]] : c[i]);
    }
    if (!same) {
      last = p->block + p->nblock++;
      *last = (snRowBlock){.row = row, .col = col, .ncol = ncol, .stride = stride, .J = at};
      for (int i = 0; i < ncol; i++) p->col[col + i] = local ? local[c[i]] : c[i];
      col += ncol;
    }
    for (int r = 0; r < u->nrow[k]; r++) {
      unit_values(rd, u->row[k] + r, c, ncol, p->J + at);
      for (int i = ncol; i < stride; i++) p->J[at + (size_t)i] = 0;
      at += (size_t)stride;
    }
    last->nrow += u->nrow[k];
    row += u->nrow[k];
  }
  SN_ASSERT(at <= room && (size_t)col <= cols && p->nblock <= count);
  SN_ASSERT(row == p->rows.nefc);
  return true;
}

// Rows of n numbers at a stride of whole lanes. The last lane of a row reaches into the next one.
SN_KERNEL static void pad_rows(mjtNum* to, const mjtNum* from, int nrow, int n, int stride) {
  SN_ASSERT(stride % 4 == 0 && n <= stride && n > stride - 4);
  int last = stride - 4, rest = n - last;
  sn4i keep = {-1, rest > 1 ? -1 : 0, rest > 2 ? -1 : 0, rest > 3 ? -1 : 0};
  for (int r = 0; r < nrow - 1; r++, from += n, to += stride) {
    for (int i = 0; i < last; i += 4) sn4_store(to + i, sn4_load(from + i));
    sn4_store(to + last, (sn4)((sn4i)sn4_load(from + last) & keep));
  }
  for (int i = 0; i < stride; i++) to[i] = i < n ? from[i] : 0;
}

// All rows over all columns: in a small system zeros are not worth looking for.
static bool build_block(const mjModel* m, const mjData* d, snProblem* p) {
  int nv = m->nv, stride = (nv + 3) & ~3, nefc = d->nefc;
  if (!FRAME(p->memory, SN_ARRAY(p->J, (size_t)nefc * (size_t)stride), SN_ARRAY(p->block, 1),
             SN_ARRAY(p->col, nv))) {
    return false;
  }
  p->nblock = 1;
  *p->block = (snRowBlock){.nrow = nefc, .ncol = nv, .stride = stride};
  for (int i = 0; i < nv; i++) p->col[i] = i;
  pad_rows(p->J, d->efc_J, nefc, nv, stride);
  return true;
}

// ---- the rest of a part

static void gather(mjtNum* to, const mjtNum* from, const int* index, int n) {
  for (int i = 0; i < n; i++) to[i] = from[index[i]];
}

static void gather_int(int* to, const int* from, const int* index, int n) {
  for (int i = 0; i < n; i++) to[i] = from[index[i]];
}

// Rows and columns of M that belong to the part. A part is made of whole trees, so no entry is
// lost.
static bool build_inertia(const snPattern* pattern, const mjData* d, const snSubsystem* part,
                          snProblem* p) {
  int n = p->nv, total = 0, *rownnz, *rowadr, *colind;
  mjtNum *M, *LD, *LDinv;
  for (int i = 0; i < n; i++) total += pattern->M_rownnz[part->dof[i]];
  if (!FRAME(p->memory, SN_ARRAY(M, total), SN_ARRAY(LD, total), SN_ARRAY(LDinv, n),
             SN_ARRAY(rownnz, n), SN_ARRAY(rowadr, n), SN_ARRAY(colind, total))) {
    return false;
  }
  for (int i = 0, at = 0; i < n; i++) {
    rownnz[i] = pattern->M_rownnz[part->dof[i]];
    rowadr[i] = at;
    at += rownnz[i];
  }
  for (int i = 0; i < n; i++) {
    int from = pattern->M_rowadr[part->dof[i]];
    SN_ASSERT(pattern->M_colind[from + rownnz[i] - 1] == part->dof[i]);  // the diagonal comes last
    for (int k = 0; k < rownnz[i]; k++) {
      colind[rowadr[i] + k] = part->local[pattern->M_colind[from + k]];
      SN_ASSERT(colind[rowadr[i] + k] <= i &&
                (!k || colind[rowadr[i] + k] > colind[rowadr[i] + k - 1]));
      M[rowadr[i] + k] = d->M[from + k];
      LD[rowadr[i] + k] = d->qLD[from + k];
    }
  }
  gather(LDinv, d->qLDiagInv, part->dof, n);
  p->M_rownnz = rownnz;
  p->M_rowadr = rowadr;
  p->M_colind = colind;
  p->M = M;
  p->LD = LD;
  p->LDinv = LDinv;
  return true;
}

void build_system(const mjModel* m, mjData* d, snProblem* p) {
  const snPattern* pattern = model_pattern(m);
  p->nv = m->nv;
  p->ntree = m->ntree;
  p->rows = (snRowView){d->ne,     d->nf,    d->nefc,  d->efc_type,
                        d->efc_id, d->efc_D, d->efc_R, d->efc_frictionloss,
                        d->contact};
  p->aref = d->efc_aref;
  p->M_rownnz = pattern->M_rownnz;
  p->M_rowadr = pattern->M_rowadr;
  p->M_colind = pattern->M_colind;
  p->M = d->M;
  p->LD = d->qLD;
  p->LDinv = d->qLDiagInv;
  const snPlan* plan = model_plan(m);
  p->tree = plan->tree;
  p->M_run = plan->run;
  p->M_runadr = plan->run_adr;
  p->frc_smooth = d->qfrc_smooth;
  p->acc_smooth = d->qacc_smooth;
  p->acc = d->qacc;
  p->frc_constraint = d->qfrc_constraint;
  p->b = d->efc_b;
  p->force = d->efc_force;
  p->state = d->efc_state;
}

// The rows of a part, in the order of its units.
static void list_rows(const mjData* d, const snUnits* u, const int* unit, int n,
                      const snSubsystem* part, snProblem* p) {
  int at = 0;
  for (int k = 0; k < n; k++) {
    for (int r = 0; r < u->nrow[unit[k]]; r++) part->row[at++] = u->row[unit[k]] + r;
  }
  for (int i = 0; i < at; i++) SN_ASSERT(part->row[i] >= 0 && part->row[i] < d->nefc);
  p->rows = (snRowView){.nefc = at, .contact = d->contact};
  for (int i = 0; i < at; i++) {
    p->rows.ne += part->row[i] < d->ne;
    p->rows.nf += part->row[i] >= d->ne && part->row[i] < d->ne + d->nf;
  }
}

static bool build_vectors(mjData* d, const snUnits* u, const int* unit, int n, snSubsystem* part,
                          snProblem* p) {
  int nv = p->nv, nefc = 0, *type, *id;
  mjtNum *D, *R, *loss;
  for (int k = 0; k < n; k++) nefc += u->nrow[unit[k]];
  if (!FRAME(p->memory, SN_ARRAY(D, nefc), SN_ARRAY(R, nefc), SN_ARRAY(loss, nefc),
             SN_ARRAY(p->aref, nefc), SN_ARRAY(p->b, nefc), SN_ARRAY(p->force, nefc),
             SN_ARRAY(p->frc_smooth, nv), SN_ARRAY(p->acc_smooth, nv), SN_ARRAY(p->acc, nv),
             SN_ARRAY(p->frc_constraint, nv), SN_ARRAY(part->row, nefc), SN_ARRAY(type, nefc),
             SN_ARRAY(id, nefc), SN_ARRAY(p->state, nefc))) {
    return false;
  }
  list_rows(d, u, unit, n, part, p);
  gather_int(type, d->efc_type, part->row, nefc);
  gather_int(id, d->efc_id, part->row, nefc);
  gather(D, d->efc_D, part->row, nefc);
  gather(R, d->efc_R, part->row, nefc);
  gather(loss, d->efc_frictionloss, part->row, nefc);
  p->rows.type = type;
  p->rows.id = id;
  p->rows.D = D;
  p->rows.R = R;
  p->rows.frictionloss = loss;
  build_renew(d, part, p);
  return true;
}

void build_renew(const mjData* d, const snSubsystem* part, const snProblem* p) {
  gather((mjtNum*)p->aref, d->efc_aref, part->row, p->rows.nefc);
  gather((mjtNum*)p->frc_smooth, d->qfrc_smooth, part->dof, p->nv);
  gather((mjtNum*)p->acc_smooth, d->qacc_smooth, part->dof, p->nv);
  gather(p->acc, d->qacc, part->dof, p->nv);
}

void build_scatter(mjData* d, const snSubsystem* part, const snProblem* p) {
  SN_ASSERT(part->dof && part->row && p->acc != d->qacc);
  for (int i = 0; i < p->nv; i++) {
    d->qacc[part->dof[i]] = p->acc[i];
    d->qfrc_constraint[part->dof[i]] = p->frc_constraint[i];
  }
  for (int i = 0; i < p->rows.nefc; i++) {
    d->efc_b[part->row[i]] = p->b[i];
    d->efc_force[part->row[i]] = p->force[i];
    d->efc_state[part->row[i]] = p->state[i];
  }
}

// ---- problems

snProblem build_blank(const mjModel* m, mjData* d) {
  return (snProblem){.memory = memory_of(d),
                     .iterations = m->opt.iterations,
                     .ls_iterations = m->opt.ls_iterations > 0 ? m->opt.ls_iterations : 0,
                     .tolerance = m->opt.tolerance,
                     .ls_tolerance = m->opt.ls_tolerance};
}

void build_units(const mjModel* m, snProblem* p, bool island) {
  if (model_elliptic(m)) {
    for (int i = 0; i < p->rows.nefc; i++) {
      p->elliptic |= p->rows.type[i] == mjCNSTR_CONTACT_ELLIPTIC;
    }
  }
  mjtNum inertia = m->stat.meaninertia * mju_max(1, m->nv);
  int nv = m->nv;
  if (island) {
    inertia = 0, nv = p->nv;
    for (int i = 0; i < nv; i++) inertia += p->M[p->M_rowadr[i] + p->M_rownnz[i] - 1];
  }
  p->scale = 1 / inertia;
  p->lightness = mju_max(1, nv) / inertia;
}

// What serves the products, once dofs and rows are known.
static bool build_scratch(snProblem* p) {
  p->nlane = (p->nv + 3) & ~3;
  int scratch = p->tree ? tree_scratch(p->tree) : 0;
  return FRAME(p->memory, SN_ARRAY(p->scratch, scratch > p->nlane ? scratch : p->nlane),
               SN_ARRAY(p->padded, 4 * (size_t)p->npoint));
}

bool build_dense(const mjModel* m, mjData* d, snProblem* p) {
  build_system(m, d, p);
  return build_block(m, d, p) && build_scratch(p);
}

bool build_sparse(const snRowReader* rd, const snUnits* u, snProblem* p) {
  build_system(rd->m, (mjData*)rd->d, p);
  return build_blocks(rd, u, NULL, u->n, NULL, p) && build_scratch(p);
}

bool build_part(const snRowReader* rd, const snUnits* u, const snSorted* sorted, int id,
                snSubsystem* part, snProblem* p) {
  mjData* d = (mjData*)rd->d;
  const int* unit = sorted->unit + sorted->unit_first[id];
  int nunit = sorted->unit_first[id + 1] - sorted->unit_first[id];
  part->dof = sorted->dof + sorted->dof_first[id];
  p->nv = sorted->dof_first[id + 1] - sorted->dof_first[id];
  for (int i = 0, last = -1; i < p->nv; i++) {
    int tree = rd->m->dof_treeid[part->dof[i]];
    p->ntree += tree != last;
    last = tree;
    SN_ASSERT(tree >= 0 && (!i || part->dof[i - 1] != part->dof[i]));
    part->local[part->dof[i]] = i;
  }
  return build_vectors(d, u, unit, nunit, part, p) &&
         build_inertia(model_pattern(rd->m), d, part, p) &&
         build_blocks(rd, u, unit, nunit, part->local, p) && build_scratch(p);
}
