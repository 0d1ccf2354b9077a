// mjData as text: memory, statistics, then every array that has elements.
#include "data/data.h"
#include "model/print.h"

// Arrays that hold the values of a sparse matrix, with the arrays that say where they belong.
typedef struct snSparse_ {
  const char* name;
  int rows;  // offset of the number of rows in mjModel, or in mjData
  bool rows_vary;
  int rownnz, rowadr, colind;  // offsets in mjData
} snSparse;

#define SPARSE(name, rows, prefix)                                            \
  {                                                                           \
#name, offsetof(mjModel, rows), false, offsetof(mjData, prefix##_rownnz), \
        offsetof(mjData, prefix##_rowadr), offsetof(mjData, prefix##_colind)  \
  }
#define SPARSE_EFC(name)                                                  \
  {                                                                       \
#name, offsetof(mjData, nefc), true, offsetof(mjData, name##_rownnz), \
        offsetof(mjData, name##_rowadr), offsetof(mjData, name##_colind)  \
  }

static const snSparse sparse[] = {
    SPARSE(flexedge_J, nflexedge, flexedge_J),
    SPARSE(ten_J, ntendon, ten_J),
    SPARSE(actuator_moment, nu, moment),
    SPARSE(M, nv, M),
    SPARSE(qLD, nv, M),
    SPARSE(qH, nv, M),
    SPARSE(qDeriv, nv, D),
    SPARSE(qLU, nv, D),
    SPARSE_EFC(efc_J),
    SPARSE_EFC(efc_AR),
};

static const int* ints(const mjData* d, int offset) {
  return *(int* const*)((const char*)d + offset);
}

// Is the matrix stored sparsely now? Tendon, flex and constraint matrices depend on the options.
static const snSparse* sparse_of(const mjModel* m, const mjData* d, const snField* f) {
  for (size_t i = 0; i < sizeof sparse / sizeof sparse[0]; i++) {
    if (strcmp(sparse[i].name, f->name)) continue;
    bool by_option = sparse[i].rows_vary || strstr(f->name, "_J");
    if (by_option && !mj_isSparse(m)) return NULL;
    return ints(d, sparse[i].rownnz) && ints(d, sparse[i].colind) ? &sparse[i] : NULL;
  }
  return NULL;
}

static void print_sparse(snPrinter* p, const mjModel* m, const mjData* d, const snField* f,
                         const snSparse* s) {
  int rows = schema_int(s->rows_vary ? (const void*)d : (const void*)m, s->rows);
  const int *rownnz = ints(d, s->rownnz), *rowadr = ints(d, s->rowadr),
            *colind = ints(d, s->colind);
  for (int r = 0; r < rows; r++) {
    fputc(' ', p->file);
    for (int k = rowadr[r]; k < rowadr[r] + rownnz[r]; k++) {
      fprintf(p->file, " %d:", colind[k]);
      print_element(p, f->type, schema_array(d, f), (size_t)k);
    }
    fputc('\n', p->file);
  }
}

// Columns of a dense array, where the schema counts its elements only.
static size_t columns_of(const mjModel* m, const mjData* d, const snField* f) {
  if (!strcmp(f->name, "efc_J")) return (size_t)m->nv;
  if (!strcmp(f->name, "efc_AR")) return (size_t)d->nefc;
  return schema_columns(f, m);
}

static void print_array(snPrinter* p, const mjModel* m, const mjData* d, const snField* f) {
  size_t count = schema_rows(f, m, d) * schema_columns(f, m), columns = columns_of(m, d, f);
  const void* array = schema_array(d, f);
  if (!count || !array) return;
  fprintf(p->file, "\n%s\n", f->name);
  const snSparse* s = sparse_of(m, d, f);
  if (s) {
    print_sparse(p, m, d, f, s);
    return;
  }
  fputc(' ', p->file);
  size_t wrap = columns > 1 ? columns : 10;
  for (size_t i = 0; i < count; i++) {
    if (i && i % wrap == 0) fprintf(p->file, "\n ");
    print_element(p, f->type, array, i);
  }
  fputc('\n', p->file);
}

static void print_contacts(snPrinter* p, const mjData* d) {
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* c = &d->contact[i];
    const struct {
      const char* name;
      const mjtNum* value;
      int count;
    } numbers[] = {
        {"dist", &c->dist, 1},
        {"pos", c->pos, 3},
        {"frame", c->frame, 9},
        {"includemargin", &c->includemargin, 1},
        {"friction", c->friction, 5},
        {"solref", c->solref, mjNREF},
        {"solreffriction", c->solreffriction, mjNREF},
        {"solimp", c->solimp, mjNIMP},
        {"mu", &c->mu, 1},
    };
    fprintf(p->file, "\nCONTACT %d:\n", i);
    fprintf(p->file, "  %-20s %d\n  %-20s %d %d\n  %-20s %d %d\n  %-20s %d %d\n  %-20s %d %d\n",
            "dim", c->dim, "geom", c->geom[0], c->geom[1], "flex", c->flex[0], c->flex[1], "elem",
            c->elem[0], c->elem[1], "vert", c->vert[0], c->vert[1]);
    fprintf(p->file, "  %-20s %d\n  %-20s %d\n", "exclude", c->exclude, "efc_address",
            c->efc_address);
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
      fprintf(p->file, "  %-20s", numbers[k].name);
      for (int j = 0; j < numbers[k].count; j++) {
        print_element(p, snTYPE_mjtNum, numbers[k].value, (size_t)j);
      }
      fputc('\n', p->file);
    }
  }
}

static void print_statistics(snPrinter* p, const mjData* d) {
  bool title = false;
  for (int i = 0; i < mjNWARNING; i++) {
    if (!d->warning[i].number) continue;
    if (!title) fprintf(p->file, "\nWARNING\n");
    title = true;
    fprintf(p->file, "  %d: number %d, lastinfo %d\n", i, d->warning[i].number,
            d->warning[i].lastinfo);
  }
  title = false;
  for (int i = 0; i < mjNTIMER; i++) {
    if (!d->timer[i].number) continue;
    if (!title) fprintf(p->file, "\nTIMER\n");
    title = true;
    fprintf(p->file, "  %d: number %d, duration", i, d->timer[i].number);
    print_element(p, snTYPE_mjtNum, &d->timer[i].duration, 0);
    fputc('\n', p->file);
  }
  for (int island = 0; island < mjNISLAND; island++) {
    int niter = mjMIN(d->solver_niter[island], mjNSOLVER);
    if (niter) {
      fprintf(p->file, "\nSOLVER %d: niter %d, nnz %d\n", island, niter, d->solver_nnz[island]);
    }
    for (int k = 0; k < niter; k++) {
      const mjSolverStat* s = &d->solver[island * mjNSOLVER + k];
      const mjtNum numbers[] = {s->improvement, s->gradient, s->lineslope};
      fprintf(p->file, "  %d: improvement, gradient, lineslope", k);
      for (size_t j = 0; j < 3; j++) print_element(p, snTYPE_mjtNum, numbers, j);
      fprintf(p->file, " nactive %d, nchange %d, neval %d, nupdate %d\n", s->nactive, s->nchange,
              s->neval, s->nupdate);
    }
  }
}

void mj_printFormattedData(const mjModel* m, const mjData* d, const char* filename,
                           const char* float_format) {
  snPrinter p;
  if (!print_open(&p, "mj_printFormattedData", filename, float_format)) return;
  fprintf(p.file, "MEMORY\n  %-20s %zu\n  %-20s %zu\n  %-20s %zu, %zu used\n", "struct",
          sizeof(mjData), "buffer", d->nbuffer, "arena", d->narena, d->maxuse_arena);
  fprintf(p.file, "\nSIZES\n");
  for (int i = 0; i < schema_member_count; i++) {
    const snMember* f = &schema_member[i];
    bool number = f->type == snTYPE_int || f->type == snTYPE_size_t || f->type == snTYPE_mjtNum;
    if (number && f->count <= 2) print_member(&p, d, f, false);
  }
  print_statistics(&p, d);
  for (int i = 0; i < schema_data_buffer; i++) print_array(&p, m, d, &schema_data[i]);
  print_contacts(&p, d);
  for (int i = schema_data_buffer; i < schema_data_count; i++) {
    if (schema_data[i].type != snTYPE_mjContact) print_array(&p, m, d, &schema_data[i]);
  }
  print_close(&p, "mj_printFormattedData", filename);
}

void mj_printData(const mjModel* m, const mjData* d, const char* filename) {
  mj_printFormattedData(m, d, filename, "%- 9.2g");
}
