// Slow paths of the argument checks (guard.h): error messages, and validation of models that a
// program has changed since they were made.
#define SN_ENTRY
#include "entry/guard.h"

#include <string.h>

#include "model/validate.h"

bool refuse_null(const char* function, const char* name) {
  mju_error("%s: %s is NULL", function, name);
  return false;
}

bool refuse_number(const char* function, const char* name, long long value, long long low,
                   long long high) {
  if (high < low) {
    mju_error("%s: %s is %lld, but there are none", function, name, value);
  } else if (high == INT_MAX) {
    mju_error("%s: %s is %lld, expected %lld or more", function, name, value, low);
  } else {
    mju_error("%s: %s is %lld, expected %lld to %lld", function, name, value, low, high);
  }
  return false;
}

bool refuse_band(const char* function, int ntotal, int nband, int ndense) {
  mju_error(
      "%s: ntotal %d, nband %d, ndense %d are no band matrix: expected 0 <= ndense <= ntotal, "
      "nband of 1 or more, and less than 2^31 entries",
      function, ntotal, nband, ndense);
  return false;
}

bool refuse_link(const char* function, const char* array, int i, int value, int count) {
  mju_error("%s: model: %s[%d] is %d, expected 0 to %d", function, array, i, value, count - 1);
  return false;
}

bool refuse_rows(const char* function) {
  mju_error(
      "%s: opt.cone or opt.jacobian has changed since the constraint rows were made: call "
      "mj_forward first",
      function);
  return false;
}

bool guard_sparse(const char* function, int nr, int nc, const int* rownnz, const int* rowadr,
                  const int* colind, bool sorted) {
  if (nr > 0 && !(rownnz && rowadr && colind)) {
    return refuse_null(function, rownnz ? rowadr ? "colind" : "rowadr" : "rownnz");
  }
  for (int i = 0; i < nr; i++) {
    if (rownnz[i] < 0 || rownnz[i] > nc) {
      return refuse_number(function, "rownnz", rownnz[i], 0, nc);
    }
    if (rowadr[i] < 0 || rowadr[i] > INT_MAX - rownnz[i]) {
      return refuse_number(function, "rowadr", rowadr[i], 0, INT_MAX);
    }
    const int* column = colind + rowadr[i];
    for (int k = 0; k < rownnz[i]; k++) {
      int low = sorted && k ? column[k - 1] + 1 : 0;
      if (column[k] < low || column[k] >= nc) {
        return refuse_number(function, "a column in colind", column[k], low, (long long)nc - 1);
      }
    }
  }
  return true;
}

bool guard_faces(const char* function, int nface, int nvert, const int* face) {
  for (long long i = 0; i < 3LL * nface; i++) {
    if (!guard_object(function, "a vertex in face", face[i], nvert)) return false;
  }
  return true;
}

bool guard_scene(const char* function, const mjvScene* scn) {
  return guard_pointer(function, "scn", scn) &&
         guard_range(function, "scn->ngeom", scn->ngeom, 0, scn->maxgeom > 0 ? scn->maxgeom : 0) &&
         guard_range(function, "scn->nlight", scn->nlight, 0, mjMAXLIGHT);
}

bool guard_typed(const char* function, const mjModel* m, int type, int id) {
  switch (type) {
    case mjOBJ_BODY:
    case mjOBJ_XBODY:
      return guard_object(function, "objid", id, m->nbody) && guard_body(function, m, id);
    case mjOBJ_GEOM:
      return guard_object(function, "objid", id, m->ngeom) && guard_geom(function, m, id);
    case mjOBJ_SITE:
      return guard_object(function, "objid", id, m->nsite) && guard_site(function, m, id);
    case mjOBJ_CAMERA: {
      if (!guard_object(function, "objid", id, m->ncam)) return false;
      int body = m->cam_bodyid[id];
      return ((unsigned)body < (unsigned)m->nbody ||
              refuse_link(function, "cam_bodyid", id, body, m->nbody)) &&
             guard_body(function, m, body);
    }
    default:
      mju_error("%s: objtype is %d, expected a body, geom, site or camera", function, type);
      return false;
  }
}

// A side of a contact is a geom, or an element or vertex of a flex.
static bool side_good(const mjModel* m, const mjContact* con, int side) {
  int geom = con->geom[side], flex = con->flex[side];
  if (geom >= 0) return geom < m->ngeom;
  if (flex < 0 || flex >= m->nflex) return false;
  int elem = con->elem[side], vert = con->vert[side];
  return elem >= 0 ? elem < m->flex_elemnum[flex] : vert >= 0 && vert < m->flex_vertnum[flex];
}

static bool contact_refused(const char* function, const mjContact* con, int i) {
  mju_error(
      "%s: contact %d has dim %d, row %d, geoms %d and %d, flexes %d and %d, which is no "
      "contact of this model",
      function, i, con->dim, con->efc_address, con->geom[0], con->geom[1], con->flex[0],
      con->flex[1]);
  return false;
}

bool guard_contacts(const char* function, const mjModel* m, const mjData* d) {
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* con = d->contact + i;
    bool good = side_good(m, con, 0) && side_good(m, con, 1);
    if (good && d->nefc && con->efc_address >= 0) {
      good = con->dim >= 1 && con->dim <= 6;
      int rows = !good ? 0 : con->dim == 1 || model_elliptic(m) ? con->dim : 2 * (con->dim - 1);
      good = good && con->efc_address <= d->nefc - rows;
    }
    if (!good) return contact_refused(function, con, i);
  }
  return true;
}

bool guard_touching(const char* function, const mjModel* m, const mjData* d) {
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* con = d->contact + i;
    bool good = side_good(m, con, 0) && side_good(m, con, 1);
    if (!good || (!con->exclude && (con->dim < 1 || con->dim > 6))) {
      return contact_refused(function, con, i);
    }
  }
  return true;
}

// ---- indices in mjData

// Rows of a sparse matrix that lies in arrays of `room` entries, columns ascending in [0, nc).
typedef struct snSparse_ {
  const char* name;
  int nr, nc;
  long long room;
  const int *rownnz, *rowadr, *colind;
} snSparse;

static bool sparse_good(const char* function, const snSparse* s) {
  for (int i = 0; i < s->nr; i++) {
    int n = s->rownnz[i], adr = s->rowadr[i];
    if (n < 0 || n > s->nc || adr < 0 || adr > s->room - n) {
      mju_error("%s: data: row %d of %s has %d entries from %d on, of %lld there are", function, i,
                s->name, n, adr, s->room);
      return false;
    }
    const int* col = s->colind + adr;
    int bad = 0;
    for (int k = 0; k < n; k++) bad |= (unsigned)col[k] >= (unsigned)s->nc;
    for (int k = 1; k < n; k++) bad |= col[k] <= col[k - 1];
    if (bad) {
      mju_error("%s: data: columns in row %d of %s are not ascending from 0 to %d", function, i,
                s->name, s->nc - 1);
      return false;
    }
  }
  return true;
}

static bool row_refused(const char* function, const mjData* d, int i) {
  mju_error("%s: data: row %d has type %d and id %d, which is no constraint of this model",
            function, i, d->efc_type[i], d->efc_id[i]);
  return false;
}

// Number of rows from i on that form one constraint; for a contact its dim decides. 0: invalid.
static int row_unit(const mjModel* m, const mjData* d, int i) {
  const int limit[] = {m->neq, m->nv, m->ntendon, m->njnt, m->ntendon, d->ncon, d->ncon, d->ncon};
  int type = d->efc_type[i], id = d->efc_id[i], n = 1;
  _Static_assert(mjCNSTR_CONTACT_ELLIPTIC == 7 && mjCNSTR_CONTACT_FRICTIONLESS == 5, "as above");
  if ((unsigned)type > mjCNSTR_CONTACT_ELLIPTIC || (unsigned)id >= (unsigned)limit[type]) return 0;
  int first = type == mjCNSTR_EQUALITY          ? 0
              : type <= mjCNSTR_FRICTION_TENDON ? d->ne
                                                : d->ne + d->nf;
  if (i < first) return 0;
  if (type > mjCNSTR_CONTACT_FRICTIONLESS) {
    int dim = d->contact[id].dim;
    if (dim < 2 || dim > 6 || model_elliptic(m) != (type == mjCNSTR_CONTACT_ELLIPTIC)) return 0;
    n = type == mjCNSTR_CONTACT_ELLIPTIC ? dim : 2 * (dim - 1);
  }
  if (i + n > d->nefc) return 0;
  for (int k = i; k < i + n; k++) {
    if (d->efc_type[k] != type || d->efc_id[k] != id) return 0;
  }
  return n;
}

// Does each row of A contain the columns of all rows of its own constraint, contiguously?
static bool dual_good(const char* function, const mjModel* m, const mjData* d, const snSparse* A) {
  if (!sparse_good(function, A)) return false;
  for (int i = 0, n; i < d->nefc; i += n) {
    n = row_unit(m, d, i);
    for (int r = i; r < i + n; r++) {
      const int* col = A->colind + A->rowadr[r];
      int k = 0;
      while (k < A->rownnz[r] && col[k] < i) k++;
      if (k + n <= A->rownnz[r] && col[k] == i && col[k + n - 1] == i + n - 1) continue;
      mju_error("%s: data: row %d of efc_AR does not have columns %d to %d", function, r, i,
                i + n - 1);
      return false;
    }
  }
  return true;
}

// Do the maps of islands lead to dofs and rows?
static bool islands_good(const char* function, const mjModel* m, const mjData* d) {
  if (!d->nisland) return true;
  bool good = (unsigned)d->nidof <= (unsigned)m->nv && d->map_idof2dof && d->map_iefc2efc;
  for (int i = 0; good && i < d->nidof; i++) good = (unsigned)d->map_idof2dof[i] < (unsigned)m->nv;
  for (int i = 0; good && i < d->nefc; i++) good = (unsigned)d->map_iefc2efc[i] < (unsigned)d->nefc;
  if (!good) mju_error("%s: data: the maps of islands lead to no dof or row", function);
  return good;
}

// Loops that close take the rows of efc_J in one piece.
static bool packed(const char* function, const mjData* d) {
  for (int i = 1; i < d->nefc; i++) {
    if (d->efc_J_rowadr[i] == d->efc_J_rowadr[i - 1] + d->efc_J_rownnz[i - 1]) continue;
    mju_error("%s: data: row %d of efc_J does not begin where row %d ends", function, i, i - 1);
    return false;
  }
  return true;
}

bool guard_row_indices(const char* function, const mjModel* m, const mjData* d) {
  const snData* tail = (const snData*)d;
  int nefc = d->nefc;
  if (d->ne < 0 || d->nf < 0 || d->nl < 0 || (long long)d->ne + d->nf + d->nl > nefc) {
    mju_error("%s: data: of %d rows %d are equalities, %d friction loss and %d limits", function,
              nefc, d->ne, d->nf, d->nl);
    return false;
  }
  for (int i = 0, n; i < nefc; i += n) {
    if (!(n = row_unit(m, d, i))) return row_refused(function, d, i);
  }
  if (mj_isSparse(m)) {
    const snSparse J[] = {
        {"efc_J", nefc, m->nv, tail->room_J, d->efc_J_rownnz, d->efc_J_rowadr, d->efc_J_colind},
        {"efc_JT", m->nv, nefc, tail->room_J, d->efc_JT_rownnz, d->efc_JT_rowadr,
         d->efc_JT_colind}};
    if (!sparse_good(function, J) || !sparse_good(function, J + 1) || !packed(function, d)) {
      return false;
    }
  }
  if (!islands_good(function, m, d)) return false;
  const snSparse A = {"efc_AR",        nefc, nefc, tail->room_A, d->efc_AR_rownnz, d->efc_AR_rowadr,
                      d->efc_AR_colind};
  return !d->nA || !d->efc_AR_colind || !mj_isDual(m) || dual_good(function, m, d, &A);
}

bool guard_links(const char* function, const mjModel* m, const mjData* d) {
  bool sparse = mj_isSparse(m);
  const snSparse link[] = {
      {"actuator_moment", m->nu, m->nv, m->nJmom, d->moment_rownnz, d->moment_rowadr,
       d->moment_colind},
      {"ten_J", sparse ? m->ntendon : 0, m->nv, (long long)m->ntendon * m->nv, d->ten_J_rownnz,
       d->ten_J_rowadr, d->ten_J_colind},
      {"flexedge_J", sparse ? m->nflexedge : 0, m->nv, (long long)m->nflexedge * m->nv,
       d->flexedge_J_rownnz, d->flexedge_J_rowadr, d->flexedge_J_colind}};
  for (int i = 0; i < 3; i++) {
    if (link[i].nr && !sparse_good(function, link + i)) return false;
  }
  return true;
}

// Is the array `f` inside of the buffer, with the length that the sizes of the model imply?
static bool array_fits(const mjModel* m, const void* base, const snField* f, const void* buffer,
                       size_t nbuffer) {
  int rows = schema_int(m, f->rows), by = f->by < 0 ? 1 : schema_int(m, f->by);
  if (rows < 0 || by < 0) return false;
  double bytes = (double)rows * by * f->columns * f->width;
  size_t at = (size_t)((const char*)schema_array(base, f) - (const char*)buffer);
  return bytes == 0 || (at <= nbuffer && bytes <= (double)(nbuffer - at));
}

// What drawing follows: `contents` also asks for the faces of meshes, and textures.
static bool drawn_good(const char* function, const mjModel* m, bool contents) {
  if (!guard_pointer(function, "m", m)) return false;
  snFault fault = {0};
  for (int i = 0; i < schema_model_count; i++) {
    const snField* f = &schema_model[i];
    if (array_fits(m, m, f, m->buffer, m->nbuffer)) continue;
    mju_error("%s: model: the sizes say that %s is larger than it is", function, f->name);
    return false;
  }
  if (validate_references(m, &fault) &&
      (contents ? validate_assets(m, &fault) : validate_deformables(m, &fault))) {
    return true;
  }
  mju_error("%s: %s", function, fault.text);
  return false;
}

bool guard_drawn(const char* function, const mjModel* m) { return drawn_good(function, m, false); }

bool guard_assets(const char* function, const mjModel* m) { return drawn_good(function, m, true); }

// Points of tendon paths, and islands that give colors.
static bool drawn_indices_good(const mjModel* m, const mjData* d) {
  for (int i = 0; i < m->ntendon; i++) {
    int adr = d->ten_wrapadr[i], n = d->ten_wrapnum[i];
    if (adr < 0 || n < 0 || adr > 2LL * m->nwrap - n) return false;
  }
  if (!d->nisland) return true;
  bool good = d->nisland > 0 && d->nefc >= 0 && d->island_dofadr && d->dof_island && d->efc_island;
  for (int i = 0; good && i < m->nv; i++) good = d->dof_island[i] < d->nisland;
  for (int i = 0; good && i < d->nefc; i++)
    good = (unsigned)d->efc_island[i] < (unsigned)d->nisland;
  for (int i = 0; good && i < m->ntendon && d->tendon_efcadr; i++) {
    good = d->tendon_efcadr[i] < d->nefc;
  }
  for (int i = 0; good && i < d->ncon; i++) good = d->contact[i].efc_address < d->nefc;
  return good;
}

bool guard_drawn_data(const char* function, const mjModel* m, const mjData* d) {
  if (!guard_pointer(function, "d", d)) return false;
  bool good = d->ncon >= 0 && (size_t)d->ncon * sizeof(mjContact) <= d->parena;
  for (int i = 0; good && i < schema_data_buffer; i++) {
    const snField* f = &schema_data[i];
    good = f->rows_vary || array_fits(m, d, f, d->buffer, d->nbuffer);
  }
  if (!good) {
    mju_error("%s: the data was made for another model: its arrays are smaller", function);
  } else if (!(good = drawn_indices_good(m, d))) {
    mju_error("%s: data: indices of tendons or islands lead nowhere", function);
  }
  return good;
}

// Functions that make constraint rows before they read any. For these, nefc without rows is valid:
// a program that restores data field by field, as unpickling in the released package does, sets
// nefc only.
static bool makes_rows(const char* function) {
  static const char* const names[] = {"mj_step",    "mj_step1",       "mj_forward",
                                      "mj_inverse", "mj_fwdPosition", "mj_makeConstraint"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!strcmp(function, names[i])) return true;
  }
  return false;
}

static bool data_refused(const char* function, const snWatch* w, const mjData* d) {
  const snData* tail = (const snData*)d;
  if (tail->layout != w->layout) {
    mju_error("%s: the data was made for another model: sizes or tree differ", function);
  } else if (d->ncon < 0 || (size_t)d->ncon * sizeof(mjContact) > d->parena) {
    mju_error("%s: ncon is %d, but the arena has %zu bytes", function, d->ncon, (size_t)d->parena);
  } else if ((unsigned)d->nefc > (unsigned)tail->room && !makes_rows(function)) {
    mju_error("%s: nefc is %d, but there are %d constraint rows", function, d->nefc, tail->room);
  } else {
    return false;
  }
  return true;
}

// Keeps a copy of the indices that were validated, so that they are validated once per change.
static void remember(const snWatch* w, const mjModel* m, snData* tail) {
  if (tail->good_size != w->view) {
    memory_free(tail->good);
    tail->good = memory_alloc(w->view);
    tail->good_size = tail->good ? w->view : 0;
  }
  if (!tail->good) return;
  memcpy(tail->good, m->buffer, w->view);
  tail->good_serial = model_plan(m)->serial;
}

bool guard_slow(const char* function, const mjModel* m, const mjData* d, bool writes) {
  const snWatch* w = model_plan(m) ? model_plan(m)->watch : NULL;
  // the compiler lets plugins run before the model has an image to compare with
  if (!w && m->buffer && (!d || model_plan(m))) return true;
  if (!w) {
    mju_error("%s: the model was not made by the compiler or a loader", function);
    return false;
  }
  if (d && data_refused(function, w, d)) return false;
  snData* tail = (snData*)d;
  if (!memcmp(m, w->sizes, sizeof w->sizes) && tail && tail->good &&
      tail->good_serial == model_plan(m)->serial && !memcmp(m->buffer, tail->good, w->view)) {
    return true;
  }
  snFault fault = {0};
  if (!watch_accepts(w, m, &fault)) {
    mju_error("%s: %s", function, fault.text);
    return false;
  }
  if (tail && writes) remember(w, m, tail);
  return true;
}
