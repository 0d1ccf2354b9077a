// mj_printData: mjData as text, in the layout of release 3.3.4, which programs read and compare:
// memory, sizes, statistics, then the arrays in the order in which they are computed.
#include "data/data.h"
#include "model/print.h"

enum { WIDEST = 300 };  // wider matrices are omitted, as released

static bool is_zero(const mjtNum* x, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (x[i] != 0) return false;
  }
  return true;
}

// ---- arrays

static void print_row(const snPrinter* p, const mjtNum* x, int n) {
  for (int i = 0; i < n; i++) {
    fputc(' ', p->file);
    print_real(p, x[i]);
  }
  fputc('\n', p->file);
}

static void print_reals(const snPrinter* p, const char* title, const mjtNum* x, int rows,
                        int columns) {
  if (!x || rows < 1 || columns < 1) return;
  fprintf(p->file, "%s\n", title);
  for (int r = 0; r < rows; r++) {
    fputc(' ', p->file);
    print_row(p, x + (size_t)r * columns, columns);
  }
  fputc('\n', p->file);
}

static void print_column(const snPrinter* p, const char* title, const int* x, int n) {
  if (!x || n < 1) return;
  fprintf(p->file, "%s\n", title);
  for (int i = 0; i < n; i++) fprintf(p->file, "  %d\n", x[i]);
  fputc('\n', p->file);
}

// On one line, with bars where islands begin and where the entries without island begin.
static void print_line(const snPrinter* p, const char* title, const int* x, int n,
                       const int* begins, int parts, int rest) {
  fprintf(p->file, "%-21s", title);
  for (int i = 0; i < n; i++) {
    for (int k = 1; k < parts; k++) {
      if (begins[k] == i) fprintf(p->file, " |");
    }
    if (i && i == rest) fprintf(p->file, " |");
    fprintf(p->file, " %d", x[i]);
  }
  fprintf(p->file, "\n\n");
}

static void print_ints(const snPrinter* p, const char* title, const int* x, int n) {
  if (x || !n) print_line(p, title, x, n, NULL, 0, -1);
}

// ---- sparse matrices

typedef struct snSparseView_ {
  int rows, columns;
  const int *nnz, *adr, *colind;
} snSparseView;

static void print_sparse(const snPrinter* p, const char* title, const mjtNum* x, snSparseView s) {
  if (!x || !s.nnz || s.rows < 1 || s.rows > WIDEST) return;
  fprintf(p->file, "%s\n", title);
  for (int r = 0; r < s.rows; r++) {
    fprintf(p->file, "  ");
    for (int k = s.adr[r]; k < s.adr[r] + s.nnz[r]; k++) {
      fprintf(p->file, "  %2d: ", s.colind[k]);
      print_real(p, x[k]);
    }
    fputc('\n', p->file);
  }
  fputc('\n', p->file);
}

// The sparsity pattern: x per entry, D for entries marked as diagonal; and the number of rows below
// that repeat a row's pattern.
static void print_pattern(const snPrinter* p, const char* title, snSparseView s,
                          const int* diagonal, const int* alike) {
  if (!s.nnz || !s.colind || s.rows < 1 || s.columns < 1 || s.columns > WIDEST) return;
  char line[WIDEST + 3], rule[WIDEST + 3];
  memset(rule, '-', (size_t)s.columns + 2);
  rule[s.columns + 2] = 0;
  fprintf(p->file, "%s\n%s\n", title, rule);
  for (int r = 0; r < s.rows; r++) {
    memset(line, ' ', (size_t)s.columns);
    line[s.columns] = 0;
    for (int k = 0; k < s.nnz[r]; k++) {
      line[s.colind[s.adr[r] + k]] = diagonal && diagonal[r] == k ? 'D' : 'x';
    }
    fprintf(p->file, " %s |", line);
    if (alike && alike[r] > 0) fprintf(p->file, " %d", alike[r]);
    fputc('\n', p->file);
  }
  fprintf(p->file, "%s\n\n", rule);
}

// qM: each row from its own dof up the tree; columns that are not ancestors stay blank.
static void print_qM(const snPrinter* p, const mjModel* m, const mjData* d) {
  if (m->nv < 1 || m->nv > WIDEST) return;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  int width = snprintf(NULL, 0, p->real, 0.0) + 1;
#pragma GCC diagnostic pop
  fprintf(p->file, "QM\n");
  for (int i = 0; i < m->nv; i++) {
    int adr[WIDEST];
    for (int j = 0; j <= i; j++) adr[j] = -1;
    for (int j = i, a = m->dof_Madr[i]; j >= 0; j = m->dof_parentid[j]) adr[j] = a++;
    fputc(' ', p->file);
    for (int j = 0; j <= i; j++) {
      if (adr[j] < 0) {
        fprintf(p->file, "%*s", width, "");
        continue;
      }
      fputc(' ', p->file);
      print_real(p, d->qM[adr[j]]);
    }
    fputc('\n', p->file);
  }
  fputc('\n', p->file);
}

// ---- header

static void print_memory(const snPrinter* p, const mjData* d) {
  const struct {
    const char* name;
    size_t bytes;
  } rows[] = {{"total", sizeof(mjData) + d->nbuffer + d->narena},
              {"struct", sizeof(mjData)},
              {"buffer", d->nbuffer},
              {"arena", d->narena}};
  fprintf(p->file, "MEMORY\n");
  for (int i = 0; i < 4; i++) {
    fprintf(p->file, "  %-16s", rows[i].name);
    print_bytes(p, rows[i].bytes);
    if (i < 3) fputc('\n', p->file);
  }
  double used = d->narena ? 100 * (double)d->maxuse_arena / (double)d->narena : 0;
  fprintf(p->file, ", used %.1f%%\n\n", used);
}

static void print_sizes(const snPrinter* p, const mjData* d) {
  const struct {
    const char* name;
    long long value;
  } sizes[] = {
      {"narena", (long long)d->narena},
      {"nbuffer", (long long)d->nbuffer},
      {"nplugin", d->nplugin},
      {"maxuse_stack", (long long)d->maxuse_stack},
      {"maxuse_arena", (long long)d->maxuse_arena},
      {"maxuse_con", d->maxuse_con},
      {"maxuse_efc", d->maxuse_efc},
      {"ncon", d->ncon},
      {"ne", d->ne},
      {"nf", d->nf},
      {"nl", d->nl},
      {"nefc", d->nefc},
      {"nJ", d->nJ},
      {"nA", d->nA},
      {"nisland", d->nisland},
      {"nidof", d->nidof},
      {"threadpool", (long long)d->threadpool},
  };
  fprintf(p->file, "SIZES\n");
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    fprintf(p->file, "  %-21s %lld\n", sizes[i].name, sizes[i].value);
  }
  fputc('\n', p->file);
}

static void print_solver(const snPrinter* p, const mjData* d) {
  int islands = mjMAX(1, mjMIN(d->nisland, mjNISLAND));
  fprintf(p->file, "SOLVER STAT\n  solver_fwdinv = ");
  print_row(p, d->solver_fwdinv, 2);
  for (int island = 0; island < islands; island++) {
    if (!d->solver_niter[island]) continue;
    fprintf(p->file, "  ISLAND %d\n    solver_niter = %d\n    solver_nnz = %d\n", island,
            d->solver_niter[island], d->solver_nnz[island]);
    for (int k = 0; k < mjMIN(d->solver_niter[island], mjNSOLVER); k++) {
      const mjSolverStat* s = &d->solver[island * mjNSOLVER + k];
      fprintf(p->file, "      %d:  improvement = ", k);
      print_real(p, s->improvement);
      fprintf(p->file, "    gradient = ");
      print_real(p, s->gradient);
      fprintf(p->file, "    lineslope = ");
      print_real(p, s->lineslope);
      fprintf(p->file, "\n          nactive = %d   nchange = %d   neval = %d   nupdate = %d\n",
              s->nactive, s->nchange, s->neval, s->nupdate);
    }
    fputc('\n', p->file);
  }
}

static void print_statistics(const snPrinter* p, const mjData* d) {
  bool warned = false, timed = false;
  for (int i = 0; i < mjNWARNING; i++) {
    if (!d->warning[i].number) continue;
    if (!warned) fprintf(p->file, "WARNING\n");
    warned = true;
    fprintf(p->file, "    %d:  lastinfo = %d   number = %d\n", i, d->warning[i].lastinfo,
            d->warning[i].number);
  }
  if (warned) fputc('\n', p->file);
  for (int i = 0; i < mjNTIMER; i++) timed = timed || d->timer[i].number;
  if (timed) fprintf(p->file, "TIMER\n");
  for (int i = 0; timed && i < mjNTIMER; i++) {
    fprintf(p->file, "    %d:  duration = ", i);
    print_real(p, d->timer[i].duration);
    fprintf(p->file, "   number = %d\n", d->timer[i].number);
  }
  if (timed) fputc('\n', p->file);
  if (d->nefc) print_solver(p, d);
  fprintf(p->file, "ENERGY = ");
  print_row(p, d->energy, 2);
  fprintf(p->file, "\nTIME = ");
  print_real(p, d->time);
  fprintf(p->file, "\n\n");
}

// ---- arrays by stage

static void print_state(const snPrinter* p, const mjModel* m, const mjData* d) {
  print_reals(p, "QPOS", d->qpos, m->nq, 1);
  print_reals(p, "QVEL", d->qvel, m->nv, 1);
  print_reals(p, "ACT", d->act, m->na, 1);
  print_reals(p, "QACC_WARMSTART", d->qacc_warmstart, m->nv, 1);
  print_reals(p, "CTRL", d->ctrl, m->nu, 1);
  print_reals(p, "QFRC_APPLIED", d->qfrc_applied, m->nv, 1);
  print_reals(p, "XFRC_APPLIED", d->xfrc_applied, m->nbody, 6);
  if (m->neq) {
    fprintf(p->file, "%-21s", "EQ_ACTIVE");
    for (int i = 0; i < m->neq; i++) fprintf(p->file, " %d", d->eq_active[i]);
    fprintf(p->file, "\n\n");
  }
  print_reals(p, "MOCAP_POS", d->mocap_pos, m->nmocap, 3);
  print_reals(p, "MOCAP_QUAT", d->mocap_quat, m->nmocap, 4);
  print_reals(p, "QACC", d->qacc, m->nv, 1);
  print_reals(p, "ACT_DOT", d->act_dot, m->na, 1);
  print_reals(p, "USERDATA", d->userdata, m->nuserdata, 1);
  print_reals(p, "SENSOR", d->sensordata, m->nsensordata, 1);
}

static void print_frames(const snPrinter* p, const mjModel* m, const mjData* d) {
  print_reals(p, "XPOS", d->xpos, m->nbody, 3);
  print_reals(p, "XQUAT", d->xquat, m->nbody, 4);
  print_reals(p, "XMAT", d->xmat, m->nbody, 9);
  print_reals(p, "XIPOS", d->xipos, m->nbody, 3);
  print_reals(p, "XIMAT", d->ximat, m->nbody, 9);
  print_reals(p, "XANCHOR", d->xanchor, m->njnt, 3);
  print_reals(p, "XAXIS", d->xaxis, m->njnt, 3);
  print_reals(p, "GEOM_XPOS", d->geom_xpos, m->ngeom, 3);
  print_reals(p, "GEOM_XMAT", d->geom_xmat, m->ngeom, 9);
  print_reals(p, "SITE_XPOS", d->site_xpos, m->nsite, 3);
  print_reals(p, "SITE_XMAT", d->site_xmat, m->nsite, 9);
  print_reals(p, "CAM_XPOS", d->cam_xpos, m->ncam, 3);
  print_reals(p, "CAM_XMAT", d->cam_xmat, m->ncam, 9);
  print_reals(p, "LIGHT_XPOS", d->light_xpos, m->nlight, 3);
  print_reals(p, "LIGHT_XDIR", d->light_xdir, m->nlight, 3);
  print_reals(p, "SUBTREE_COM", d->subtree_com, m->nbody, 3);
  print_reals(p, "CDOF", d->cdof, m->nv, 6);
  print_reals(p, "CINERT", d->cinert, m->nbody, 10);
}

static void print_flexes(const snPrinter* p, const mjModel* m, const mjData* d) {
  print_reals(p, "FLEXVERT_XPOS", d->flexvert_xpos, m->nflexvert, 3);
  print_reals(p, "FLEXELEM_AABB", d->flexelem_aabb, m->nflexelem, 6);
  if (mj_isSparse(m)) {
    snSparseView J = {m->nflexedge, m->nv, d->flexedge_J_rownnz, d->flexedge_J_rowadr,
                      d->flexedge_J_colind};
    print_pattern(p, "FLEXEDGE_J: flex edge connectivity", J, NULL, NULL);
    print_column(p, "FLEXEDGE_J_ROWNNZ", J.nnz, J.rows);
    print_column(p, "FLEXEDGE_J_ROWADR", J.adr, J.rows);
    print_sparse(p, "FLEXEDGE_J", d->flexedge_J, J);
  } else {
    print_reals(p, "FLEXEDGE_J", d->flexedge_J, m->nflexedge, m->nv);
  }
  print_reals(p, "FLEXEDGE_LENGTH", d->flexedge_length, m->nflexedge, 1);
}

static void print_tendons(const snPrinter* p, const mjModel* m, const mjData* d) {
  print_reals(p, "TEN_LENGTH", d->ten_length, m->ntendon, 1);
  if (mj_isSparse(m)) {
    snSparseView J = {m->ntendon, m->nv, d->ten_J_rownnz, d->ten_J_rowadr, d->ten_J_colind};
    print_pattern(p, "TEN_J: tendon moments", J, NULL, NULL);
    print_column(p, "TEN_J_ROWNNZ", J.nnz, J.rows);
    print_column(p, "TEN_J_ROWADR", J.adr, J.rows);
    print_sparse(p, "TEN_J", d->ten_J, J);
  } else {
    print_reals(p, "TEN_MOMENT", d->ten_J, m->ntendon, m->nv);
  }
  for (int t = 0; t < m->ntendon; t++) {
    fprintf(p->file, "TENDON %d: %d wrap points\n", t, d->ten_wrapnum[t]);
    for (int k = d->ten_wrapadr[t]; k < d->ten_wrapadr[t] + d->ten_wrapnum[t]; k++) {
      fprintf(p->file, "    %d:  ", d->wrap_obj[k]);
      print_row(p, d->wrap_xpos + 3 * k, 3);
    }
    fputc('\n', p->file);
  }
}

static void print_inertia(const snPrinter* p, const mjModel* m, const mjData* d) {
  snSparseView moment = {m->nu, m->nv, d->moment_rownnz, d->moment_rowadr, d->moment_colind};
  snSparseView B = {m->nbody, m->nv, d->B_rownnz, d->B_rowadr, d->B_colind};
  snSparseView M = {m->nv, m->nv, d->M_rownnz, d->M_rowadr, d->M_colind};
  snSparseView D = {m->nv, m->nv, d->D_rownnz, d->D_rowadr, d->D_colind};
  print_reals(p, "ACTUATOR_LENGTH", d->actuator_length, m->nu, 1);
  print_pattern(p, "actuator_moment", moment, NULL, NULL);
  print_sparse(p, "ACTUATOR_MOMENT", d->actuator_moment, moment);
  print_reals(p, "CRB", d->crb, m->nbody, 10);
  print_qM(p, m, d);
  print_sparse(p, "M", d->M, M);
  print_sparse(p, "QLD", d->qLD, M);
  print_reals(p, "QLDIAGINV", d->qLDiagInv, m->nv, 1);
  // factors of implicit integrators, if one has computed them
  if (!is_zero(d->qHDiagInv, (size_t)m->nv)) {
    print_sparse(p, "QH", d->qH, M);
    print_reals(p, "QHDIAGINV", d->qHDiagInv, m->nv, 1);
  }
  print_pattern(p, "B: body-dof matrix", B, NULL, NULL);
  print_ints(p, "B_rownnz", d->B_rownnz, m->nbody);
  print_ints(p, "B_rowadr", d->B_rowadr, m->nbody);
  print_ints(p, "B_colind", d->B_colind, m->nB);
  print_pattern(p, "M: reduced inertia matrix", M, NULL, NULL);
  print_ints(p, "M_rownnz", d->M_rownnz, m->nv);
  print_ints(p, "M_rowadr", d->M_rowadr, m->nv);
  print_ints(p, "M_colind", d->M_colind, m->nC);
  print_ints(p, "mapM2M", d->mapM2M, m->nC);
  print_pattern(p, "D: dof-dof matrix", D, d->D_diag, NULL);
  print_ints(p, "D_rownnz", d->D_rownnz, m->nv);
  print_ints(p, "D_rowadr", d->D_rowadr, m->nv);
  print_ints(p, "D_colind", d->D_colind, m->nD);
  print_ints(p, "mapM2D", d->mapM2D, m->nD);
  print_ints(p, "mapD2M", d->mapD2M, m->nM);
  if (!is_zero(d->qDeriv, (size_t)m->nD)) print_sparse(p, "QDERIV", d->qDeriv, D);
  if (!is_zero(d->qLU, (size_t)m->nD)) print_sparse(p, "QLU", d->qLU, D);
}

static void print_geom(const snPrinter* p, const mjModel* m, int geom) {
  const char* name = mj_id2name(m, mjOBJ_GEOM, geom);
  if (name) {
    fputs(name, p->file);
  } else {
    fprintf(p->file, "%d", geom);
  }
}

static void print_contact(const snPrinter* p, const mjModel* m, const mjData* d, int i) {
  const mjContact* c = &d->contact[i];
  mjtNum force[6];
  mj_contactForce(m, d, i, force);
  const struct {
    const char* name;
    const mjtNum* value;
    int count;
  } numbers[] = {
      {"solref", c->solref, mjNREF},
      {"solimp", c->solimp, mjNIMP},
      {"dist", &c->dist, 1},
      {"includemargin", &c->includemargin, 1},
      {"pos", c->pos, 3},
      {"frame", c->frame, 9},
      {"friction", c->friction, 5},
      {"mu", &c->mu, 1},
      {"force", force, 6},
  };
  fprintf(p->file, "  %d:\n     %-13s %d\n", i, "dim", c->dim);
  if (c->geom[0] >= 0 && c->geom[1] >= 0) {
    fprintf(p->file, "     %-13s ", "geoms");
    print_geom(p, m, c->geom[0]);
    fputs(" : ", p->file);
    print_geom(p, m, c->geom[1]);
    fputc('\n', p->file);
  } else {
    fprintf(p->file, "     %-13s %d %d %d %d : %d %d %d %d\n", "gfev", c->geom[0], c->flex[0],
            c->elem[0], c->vert[0], c->geom[1], c->flex[1], c->elem[1], c->vert[1]);
  }
  fprintf(p->file, "     %-13s %d\n     %-13s %d\n", "exclude", c->exclude, "efc_address",
          c->efc_address);
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
    fprintf(p->file, "     %-13s", numbers[k].name);
    print_row(p, numbers[k].value, numbers[k].count);
  }
}

static void print_rows(const snPrinter* p, const mjModel* m, const mjData* d) {
  int n = d->nefc;
  print_column(p, "EFC_TYPE", d->efc_type, n);
  print_column(p, "EFC_ID", d->efc_id, n);
  if (mj_isSparse(m)) {
    snSparseView J = {n, m->nv, d->efc_J_rownnz, d->efc_J_rowadr, d->efc_J_colind};
    snSparseView JT = {m->nv, n, d->efc_JT_rownnz, d->efc_JT_rowadr, d->efc_JT_colind};
    snSparseView AR = {n, n, d->efc_AR_rownnz, d->efc_AR_rowadr, d->efc_AR_colind};
    print_pattern(p, "J: constraint Jacobian", J, NULL, d->efc_J_rowsuper);
    print_column(p, "EFC_J_ROWNNZ", J.nnz, n);
    print_column(p, "EFC_J_ROWADR", J.adr, n);
    print_sparse(p, "EFC_J", d->efc_J, J);
    print_pattern(p, "JT: constraint Jacobian transposed", JT, NULL, d->efc_JT_rowsuper);
    if (d->nA) {
      print_column(p, "EFC_AR_ROWNNZ", AR.nnz, n);
      print_column(p, "EFC_AR_ROWADR", AR.adr, n);
      print_sparse(p, "EFC_AR", d->efc_AR, AR);
      print_pattern(p, "efc_AR: inverse constraint inertia", AR, NULL, NULL);
    }
  } else {
    print_reals(p, "EFC_J", d->efc_J, n, m->nv);
    if (d->nA) print_reals(p, "EFC_AR", d->efc_AR, n, n);
  }
  print_reals(p, "EFC_POS", d->efc_pos, n, 1);
  print_reals(p, "EFC_MARGIN", d->efc_margin, n, 1);
  print_reals(p, "EFC_FRICTIONLOSS", d->efc_frictionloss, n, 1);
  print_reals(p, "EFC_DIAGAPPROX", d->efc_diagApprox, n, 1);
  print_reals(p, "EFC_KBIP", d->efc_KBIP, n, 4);
  print_reals(p, "EFC_D", d->efc_D, n, 1);
  print_reals(p, "EFC_R", d->efc_R, n, 1);
}

static void print_velocity(const snPrinter* p, const mjModel* m, const mjData* d) {
  print_reals(p, "FLEXEDGE_VELOCITY", d->flexedge_velocity, m->nflexedge, 1);
  print_reals(p, "TEN_VELOCITY", d->ten_velocity, m->ntendon, 1);
  print_reals(p, "ACTUATOR_VELOCITY", d->actuator_velocity, m->nu, 1);
  print_reals(p, "CVEL", d->cvel, m->nbody, 6);
  print_reals(p, "CDOF_DOT", d->cdof_dot, m->nv, 6);
  print_reals(p, "QFRC_BIAS", d->qfrc_bias, m->nv, 1);
  print_reals(p, "QFRC_SPRING", d->qfrc_spring, m->nv, 1);
  print_reals(p, "QFRC_DAMPER", d->qfrc_damper, m->nv, 1);
  print_reals(p, "QFRC_GRAVCOMP", d->qfrc_gravcomp, m->nv, 1);
  print_reals(p, "QFRC_FLUID", d->qfrc_fluid, m->nv, 1);
  print_reals(p, "QFRC_PASSIVE", d->qfrc_passive, m->nv, 1);
  print_reals(p, "EFC_VEL", d->efc_vel, d->nefc, 1);
  print_reals(p, "EFC_AREF", d->efc_aref, d->nefc, 1);
  print_reals(p, "SUBTREE_LINVEL", d->subtree_linvel, m->nbody, 3);
  print_reals(p, "SUBTREE_ANGMOM", d->subtree_angmom, m->nbody, 3);
}

static void print_acceleration(const snPrinter* p, const mjModel* m, const mjData* d) {
  print_reals(p, "ACTUATOR_FORCE", d->actuator_force, m->nu, 1);
  print_reals(p, "QFRC_ACTUATOR", d->qfrc_actuator, m->nv, 1);
  print_reals(p, "QFRC_SMOOTH", d->qfrc_smooth, m->nv, 1);
  print_reals(p, "QACC_SMOOTH", d->qacc_smooth, m->nv, 1);
  print_reals(p, "EFC_B", d->efc_b, d->nefc, 1);
  print_reals(p, "EFC_FORCE", d->efc_force, d->nefc, 1);
  print_column(p, "EFC_STATE", d->efc_state, d->nefc);
  print_reals(p, "QFRC_CONSTRAINT", d->qfrc_constraint, m->nv, 1);
  print_reals(p, "QFRC_INVERSE", d->qfrc_inverse, m->nv, 1);
  print_reals(p, "CACC", d->cacc, m->nbody, 6);
  print_reals(p, "CFRC_INT", d->cfrc_int, m->nbody, 6);
  print_reals(p, "CFRC_EXT", d->cfrc_ext, m->nbody, 6);
}

static void print_islands(const snPrinter* p, const mjModel* m, const mjData* d) {
  if (d->nisland < 1 || !d->dof_island) return;
  print_ints(p, "DOF_ISLAND", d->dof_island, m->nv);
  print_ints(p, "ISLAND_NV", d->island_nv, d->nisland);
  print_ints(p, "ISLAND_IDOFADR", d->island_idofadr, d->nisland);
  print_line(p, "MAP_IDOF2DOF", d->map_idof2dof, m->nv, d->island_idofadr, d->nisland, d->nidof);
  print_ints(p, "EFC_ISLAND", d->efc_island, d->nefc);
  print_ints(p, "ISLAND_NEFC", d->island_nefc, d->nisland);
  print_ints(p, "ISLAND_IEFCADR", d->island_iefcadr, d->nisland);
  print_line(p, "MAP_IEFC2EFC", d->map_iefc2efc, d->nefc, d->island_iefcadr, d->nisland, -1);
}

void mj_printFormattedData(const mjModel* m, const mjData* d, const char* filename,
                           const char* float_format) {
  snPrinter p;
  if (!print_open(&p, "mj_printFormattedData", filename, float_format)) return;
  print_memory(&p, d);
  print_sizes(&p, d);
  print_statistics(&p, d);
  print_state(&p, m, d);
  print_frames(&p, m, d);
  print_flexes(&p, m, d);
  print_tendons(&p, m, d);
  print_inertia(&p, m, d);
  fprintf(p.file, "CONTACT\n");
  for (int i = 0; i < d->ncon; i++) print_contact(&p, m, d, i);
  if (d->ncon) fputc('\n', p.file);
  print_rows(&p, m, d);
  print_velocity(&p, m, d);
  print_acceleration(&p, m, d);
  print_islands(&p, m, d);
  if (m->ntendon) print_ints(&p, "TENDON_EFCADR", d->tendon_efcadr, m->ntendon);
  print_close(&p, "mj_printFormattedData", filename);
}

void mj_printData(const mjModel* m, const mjData* d, const char* filename) {
  mj_printFormattedData(m, d, filename, PRINT_REAL);
}
