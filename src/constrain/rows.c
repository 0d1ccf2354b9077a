// mj_makeConstraint: J, pos and margin of all active constraints, in the documented order:
// equality, friction loss, limits, contacts.
//
// A first pass counts rows and entries, so that the arena is asked once for all arrays. A second
// pass builds the rows: those with few columns in compact form (nrow x nnz) on the stack, then
// copied; blocks between two bodies as wrenches, straight in place (rows_equality.c,
// rows_contact.c). Impedance and reference follow in impedance.c.
#include <string.h>

#include "constrain/rows.h"
#include "data/frame.h"

// ---- writing

// A block that moves nothing is dropped: it has no columns or, for an equality in dense form, only
// zeros.
int rows_put(snRowBuilder* b, int nrow, int nnz, const mjtNum* pos, const mjtNum* margin,
             mjtNum frictionloss, int type, int id) {
  mjData* d = b->d;
  int nv = b->m->nv;
  if (!nnz) return -1;
  if (!b->sparse && type == mjCNSTR_EQUALITY) {
    int any = 0;
    for (int i = 0; i < nrow * nnz && !any; i++) any = b->J[i] != 0;
    if (!any) return -1;
  }
  int first = b->nefc;
  for (int k = 1; k < nnz; k++) SN_ASSERT(b->col[k] > b->col[k - 1]);
  for (int r = 0; r < nrow; r++) {
    int row = first + r;
    const mjtNum* from = b->J + (size_t)r * nnz;
    if (b->sparse) {
      for (int k = 0; k < nnz; k++) {
        d->efc_J[b->nJ + k] = from[k];
        d->efc_J_colind[b->nJ + k] = b->col[k];
      }
      d->efc_J_rownnz[row] = nnz;
      d->efc_J_rowadr[row] = b->nJ;
      b->nJ += nnz;
    } else {
      mjtNum* to = d->efc_J + (size_t)row * nv;
      for (int k = 0; k < nnz; k++) to[b->col[k]] = from[k];
    }
    d->efc_type[row] = type;
    d->efc_id[row] = id;
    d->efc_pos[row] = pos ? pos[r] : 0;
    d->efc_margin[row] = margin ? margin[r] : 0;
    d->efc_frictionloss[row] = frictionloss;
  }
  b->nefc += nrow;
  return first;
}

// A row with one entry.
static void put_dof(snRowBuilder* b, int dof, mjtNum J, mjtNum pos, mjtNum margin,
                    mjtNum frictionloss, int type, int id) {
  mjData* d = b->d;
  int row = b->nefc++;
  if (b->sparse) {
    d->efc_J[b->nJ] = J;
    d->efc_J_colind[b->nJ] = dof;
    d->efc_J_rownnz[row] = 1;
    d->efc_J_rowadr[row] = b->nJ++;
  } else {
    d->efc_J[(size_t)row * b->m->nv + dof] = J;
  }
  d->efc_type[row] = type;
  d->efc_id[row] = id;
  d->efc_pos[row] = pos;
  d->efc_margin[row] = margin;
  d->efc_frictionloss[row] = frictionloss;
}

int rows_load(snRowBuilder* b, snRowSource s, int i, mjtNum scale) {
  int nv = b->m->nv, n = 0;
  if (b->sparse) {
    int adr = s.rowadr[i];
    for (n = 0; n < s.rownnz[i]; n++) {
      b->col[n] = s.colind[adr + n];
      b->J[n] = scale * s.J[adr + n];
    }
    return n;
  }
  const mjtNum* row = s.J + (size_t)i * nv;
  for (int k = 0; k < nv; k++) {
    if (row[k] != 0) {
      b->col[n] = k;
      b->J[n++] = scale * row[k];
    }
  }
  return n;
}

// ---- friction loss

static void make_friction(snRowBuilder* b) {
  const mjModel* m = b->m;
  for (int i = 0; b->nloss && i < m->nv; i++) {
    if (!(m->dof_frictionloss[i] > 0) || body_sleeps(m, b->d, m->dof_bodyid[i])) continue;
    put_dof(b, i, 1, 0, 0, m->dof_frictionloss[i], mjCNSTR_FRICTION_DOF, i);
  }
  for (int i = 0; i < m->ntendon; i++) {
    if (!(m->tendon_frictionloss[i] > 0) || tendon_sleeps(b->d, i)) continue;
    int n = rows_load(b, rows_of_tendons(b->d), i, 1);
    int row = rows_put(b, 1, n, NULL, NULL, m->tendon_frictionloss[i], mjCNSTR_FRICTION_TENDON, i);
    rows_note_tendon(b->d, i, row);
  }
}

// ---- limits

static bool ball_limit(const mjModel* m, const mjData* d, int j, mjtNum* pos, mjtNum axis[3]) {
  mjtNum quat[4];
  quat_copy(quat, d->qpos + m->jnt_qposadr[j]);
  quat_normalize(quat);
  mju_quat2Vel(axis, quat, 1);
  mjtNum angle = vec3_normalize(axis);
  *pos = mju_max(m->jnt_range[2 * j], m->jnt_range[2 * j + 1]) - angle;
  return *pos < m->jnt_margin[j];
}

static void make_limits(snRowBuilder* b) {
  const mjModel* m = b->m;
  mjData* d = b->d;
  for (const snLimit *l = b->limit, *end = l + b->nlimit_joint; l < end; l++) {
    int j = l->id, dof = m->jnt_dofadr[j];
    mjtNum margin = m->jnt_margin[j], pos, axis[3];
    if (m->jnt_type[j] != mjJNT_BALL) {
      put_dof(b, dof, l->sign, l->pos, margin, 0, mjCNSTR_LIMIT_JOINT, j);
      continue;
    }
    ball_limit(m, d, j, &pos, axis);
    for (int k = 0; k < 3; k++) {
      b->col[k] = dof + k;
      b->J[k] = -axis[k];
    }
    rows_put(b, 1, 3, &pos, &margin, 0, mjCNSTR_LIMIT_JOINT, j);
  }
  for (const snLimit *l = b->limit + b->nlimit_joint, *end = b->limit + b->nlimit; l < end; l++) {
    int n = rows_load(b, rows_of_tendons(d), l->id, l->sign);
    mjtNum margin = m->tendon_margin[l->id];
    int row = rows_put(b, 1, n, &l->pos, &margin, 0, mjCNSTR_LIMIT_TENDON, l->id);
    rows_note_tendon(d, l->id, row);
  }
}

// ---- counting: upper bounds on rows and entries, before any block is dropped

// List the bounds of a range that `value` is within the margin of.
static void find_limits(snRowBuilder* b, int id, mjtNum value, const mjtNum* range, mjtNum margin) {
  if (value - range[0] < margin) b->limit[b->nlimit++] = (snLimit){id, 1, value - range[0]};
  if (range[1] - value < margin) b->limit[b->nlimit++] = (snLimit){id, -1, range[1] - value};
}

// List the active limits and count their rows.
static void count_limits(snRowBuilder* b, int* nrow, size_t* nentry) {
  const mjModel* m = b->m;
  const mjData* d = b->d;
  const mjtByte* limited = m->jnt_limited;
  const mjtNum *qpos = d->qpos, *range = m->jnt_range, *margin = m->jnt_margin;
  const int *type = m->jnt_type, *adr = m->jnt_qposadr;
  size_t nv = (size_t)m->nv;
  for (int j = 0, njnt = m->njnt; j < njnt; j++) {
    if (!limited[j] || body_sleeps(m, d, m->jnt_bodyid[j])) continue;
    if (type[j] == mjJNT_BALL) {
      mjtNum pos, axis[3];
      if (!ball_limit(m, d, j, &pos, axis)) continue;
      b->limit[b->nlimit++] = (snLimit){j, -1, pos};
      *nentry += b->sparse ? 2 : 0;
    } else if (type[j] != mjJNT_FREE) {
      find_limits(b, j, qpos[adr[j]], range + 2 * j, margin[j]);
    }
  }
  SN_ASSERT(b->nlimit <= 2 * m->njnt);
  b->nlimit_joint = b->nlimit;
  *nentry += (size_t)b->nlimit * (b->sparse ? 1 : nv);
  for (int i = 0; i < m->ntendon; i++) {
    if (!m->tendon_limited[i] || tendon_sleeps(d, i)) continue;
    int before = b->nlimit;
    find_limits(b, i, d->ten_length[i], m->tendon_range + 2 * i, m->tendon_margin[i]);
    *nentry += (size_t)(b->nlimit - before) * (b->sparse ? (size_t)d->ten_J_rownnz[i] : nv);
  }
  *nrow += b->nlimit;
}

static int flex_contact_count(const mjModel* m, mjData* d, const mjContact* con) {
  int body[CONSTRAIN_MAXSUPPORT], nnz = 0;
  mjtNum weight[CONSTRAIN_MAXSUPPORT];
  int n = contact_support(m, d, con, false, body, weight);
  mj_markStack(d);
  unsigned char* seen;
  if (!FRAME(memory_of(d), SN_ARRAY(seen, m->nv))) {
    mj_freeStack(d);
    return m->nv;
  }
  memset(seen, 0, (size_t)m->nv);
  const snPlan* plan = model_plan(m);
  for (int i = 0; i < n; i++) {
    // from the last dof to the first that another chain has
    const int* chain = plan->chain + plan->chain_adr[body[i]];
    for (int k = plan->chain_num[body[i]] - 1; k >= 0 && !seen[chain[k]]; k--) {
      seen[chain[k]] = 1;
      nnz++;
    }
  }
  mj_freeStack(d);
  return nnz;
}

static void count_contacts(const mjModel* m, mjData* d, bool sparse, int* nrow, size_t* nentry) {
  for (int c = 0; c < d->ncon; c++) {
    const mjContact* con = d->contact + c;
    if (con->exclude) continue;
    int n = con->dim == 1 ? 1 : model_elliptic(m) ? con->dim : 2 * (con->dim - 1);
    int nnz = m->nv;
    if (sparse) {
      nnz = con->geom[0] >= 0 && con->geom[1] >= 0
                ? chain_count(m, m->geom_bodyid[con->geom[0]], m->geom_bodyid[con->geom[1]])
                : flex_contact_count(m, d, con);
    }
    *nrow += n;
    *nentry += (size_t)n * (size_t)nnz;
  }
}

static void count_rows(snRowBuilder* b, int* nrow, size_t* nentry) {
  const mjModel* m = b->m;
  mjData* d = b->d;
  bool sparse = b->sparse;
  *nrow = 0;
  *nentry = 0;
  int off = m->opt.disableflags;
  if (!(off & mjDSBL_EQUALITY)) rows_count_equalities(m, d, sparse, nrow, nentry);
  if (!(off & mjDSBL_FRICTIONLOSS)) {
    const mjtNum* loss = m->dof_frictionloss;
    int n = 0, nspan;
    const snBodyRun* span = data_moving(d, &nspan);
    for (int k = 0; k < nspan; k++) {
      for (int i = span[k].dof, end = span[k].dof_end; i < end; i++) n += loss[i] > 0;
    }
    *nrow += b->nloss = n;
    *nentry += (size_t)n * (size_t)(sparse ? 1 : m->nv);
    for (int i = 0; i < m->ntendon; i++) {
      if (m->tendon_frictionloss[i] > 0 && !tendon_sleeps(d, i)) {
        ++*nrow;
        *nentry += (size_t)(sparse ? d->ten_J_rownnz[i] : m->nv);
      }
    }
  }
  if (!(off & mjDSBL_LIMIT)) count_limits(b, nrow, nentry);
  if (!(off & mjDSBL_CONTACT)) count_contacts(m, d, sparse, nrow, nentry);
}

// ---- memory

// All efc_ arrays in one piece of the arena.
static bool allocate(const mjModel* m, mjData* d, int nefc, size_t nJ) {
  const snArray array[] = {
      SN_ARRAY(d->efc_J, nJ),
      SN_ARRAY(d->efc_JT, nJ),
      SN_ARRAY(d->efc_pos, nefc),
      SN_ARRAY(d->efc_margin, nefc),
      SN_ARRAY(d->efc_frictionloss, nefc),
      SN_ARRAY(d->efc_diagApprox, nefc),
      SN_ARRAY(d->efc_KBIP, 4 * (size_t)nefc),
      SN_ARRAY(d->efc_D, nefc),
      SN_ARRAY(d->efc_R, nefc),
      SN_ARRAY(d->efc_vel, nefc),
      SN_ARRAY(d->efc_aref, nefc),
      SN_ARRAY(d->efc_force, nefc),
      SN_ARRAY(d->efc_b, nefc),
      SN_ARRAY(d->efc_type, nefc),
      SN_ARRAY(d->efc_id, nefc),
      SN_ARRAY(d->efc_J_rownnz, nefc),
      SN_ARRAY(d->efc_J_rowadr, nefc),
      SN_ARRAY(d->efc_J_rowsuper, nefc),
      SN_ARRAY(d->efc_state, nefc),
      SN_ARRAY(d->efc_JT_rownnz, m->nv),
      SN_ARRAY(d->efc_JT_rowadr, m->nv),
      SN_ARRAY(d->efc_JT_rowsuper, m->nv),
      SN_ARRAY(d->efc_J_colind, nJ),
      SN_ARRAY(d->efc_JT_colind, nJ),
      SN_ARRAY(d->tendon_efcadr, m->ntendon),
  };
  if (!arena_reserve(d, array, sizeof array / sizeof *array)) return false;
  d->nJ = ((snData*)d)->room_J = (int)nJ;
  ((snData*)d)->rows = data_row_form(m);
  return true;
}

// Dense rows have no sparsity pattern. The arrays of patterns follow each other (allocate), with
// efc_state, which the solver writes, between them.
static void clear_patterns(const mjModel* m, mjData* d, int bound) {
  const char* end = (const char*)(d->efc_JT_rowsuper + m->nv);
  SN_ASSERT(d->efc_J_rownnz <= d->efc_J_rowadr && d->efc_J_rowadr <= d->efc_J_rowsuper &&
            d->efc_J_rowsuper <= d->efc_state && d->efc_state <= d->efc_JT_rownnz &&
            d->efc_JT_rownnz <= d->efc_JT_rowadr && d->efc_JT_rowadr <= d->efc_JT_rowsuper);
  // and nothing else between them
  SN_ASSERT((size_t)(end - (const char*)d->efc_J_rownnz) <=
            sizeof(int) * (4 * (size_t)bound + 3 * (size_t)m->nv) + 7 * LAYOUT_ALIGNMENT);
  (void)bound;
  memset(d->efc_J_rownnz, 0, (size_t)(end - (const char*)d->efc_J_rownnz));
}

// Without rows efc_J is still a valid address and tendon_efcadr is filled with -1: programs read
// both.
static void no_rows(const mjModel* m, mjData* d) {
  d->efc_J = data_arena_alloc(d, sizeof(mjtNum), 64);
  if (!m->ntendon) return;
  size_t size = (size_t)m->ntendon * sizeof(int);
  d->tendon_efcadr = data_arena_alloc(d, size, 64);
  if (d->tendon_efcadr) memset(d->tendon_efcadr, 0xff, size);
}

void mj_makeConstraint(const mjModel* m, mjData* d) {
  data_arena_keep_contacts(d);
  if (m->opt.disableflags & mjDSBL_CONSTRAINT) return;

  // most models have few limits, which need no stack memory
  enum { FEW_LIMITS = 64 };
  snLimit few[FEW_LIMITS];
  snRowBuilder b = {.m = m, .d = d, .plan = model_plan(m), .sparse = mj_isSparse(m), .limit = few};
  int bound = 0;
  size_t nJ = 0, nv = (size_t)m->nv, nlimit = 2 * ((size_t)m->njnt + (size_t)m->ntendon);
  bool many = nlimit > FEW_LIMITS, there = true;
  if (many) {
    mj_markStack(d);
    there = FRAME(memory_of(d), SN_ARRAY(b.limit, nlimit));
  }
  if (there) count_rows(&b, &bound, &nJ);
  if (!bound || nJ > INT32_MAX || !allocate(m, d, bound, nJ)) {
    for (int c = 0; c < d->ncon; c++) d->contact[c].efc_address = -1;
    no_rows(m, d);
    if (many) mj_freeStack(d);
    return;
  }
  if (!many) mj_markStack(d);
  if (!FRAME(memory_of(d), SN_ARRAY(b.J, 10 * nv), SN_ARRAY(b.col, nv))) {
    data_arena_keep_contacts(d);
    for (int c = 0; c < d->ncon; c++) d->contact[c].efc_address = -1;
    mj_freeStack(d);
    return;
  }
  for (int i = 0; i < m->ntendon; i++) d->tendon_efcadr[i] = -1;
  if (!b.sparse) memset(d->efc_J, 0, sizeof(mjtNum) * nJ);
  int off = m->opt.disableflags;
  if (!(off & mjDSBL_EQUALITY)) rows_put_equalities(&b);
  d->ne = b.nefc;
  if (!(off & mjDSBL_FRICTIONLOSS)) make_friction(&b);
  d->nf = b.nefc - d->ne;
  if (!(off & mjDSBL_LIMIT)) make_limits(&b);
  d->nl = b.nefc - d->ne - d->nf;
  if (!(off & mjDSBL_CONTACT)) rows_put_contacts(&b);
  d->nefc = ((snData*)d)->room = b.nefc;
  SN_ASSERT(b.nefc <= bound && (size_t)b.nJ <= nJ);
  mj_freeStack(d);

  if (d->nefc > d->maxuse_efc) d->maxuse_efc = d->nefc;
  if (b.sparse)
    constrain_transpose(m, d);
  else
    clear_patterns(m, d, bound);
  constrain_impedance(m, d);
}
