// The rows of the system as units: rows of one contact, connect or weld have the same columns and
// form one unit; any other row is a unit by itself. Columns follow from the chains of the two
// bodies where they can, without a search through J.
#include "solve/row_units.h"

#include <string.h>

#include "solve/solve.h"

// Columns of rows [i, i+n) that hold anything but zero, at full width.
static int flex_columns(const snRowReader* rd, int i, int n, int* col) {
  int nv = rd->m->nv, count = 0;
  const mjtNum* J = rd->d->efc_J + (size_t)i * nv;
  for (int k = 0; k < nv; k++) {
    bool any = false;
    for (int r = 0; r < n; r++) any |= J[(size_t)r * nv + k] != 0;
    if (any) col[count++] = k;
  }
  return count;
}

// Columns of row i that hold anything but zero, ascending.
static int row_columns(const snRowReader* rd, int i, int* col) {
  const mjData* d = rd->d;
  int nv = rd->m->nv, count = 0;
  if (rd->sparse) {
    int adr = d->efc_J_rowadr[i], end = adr + d->efc_J_rownnz[i];
    // written in any case, kept if it is wanted
    for (int k = adr; k < end; k++) {
      col[count] = d->efc_J_colind[k];
      count += d->efc_J[k] != 0;
    }
    return count;
  }
  const mjtNum* J = d->efc_J + (size_t)i * nv;
  for (int k = 0; k < nv; k++) {
    if (J[k] != 0) col[count++] = k;
  }
  return count;
}

// The dofs that move one of two bodies but not both alike. `same` keeps the common ones too.
static int body_columns(const snRowReader* rd, int body1, int body2, bool same, int* col) {
  int n = chain_sides(rd->m, body1, body2, col, rd->side), count = 0;
  if (same) return n;
  for (int k = 0; k < n; k++) {
    if (rd->side[k] != 3) col[count++] = col[k];
  }
  return count;
}

// Columns of the unit at row i. They follow from the object of the row; tendons and flexes are
// looked at.
static int unit_columns(const snRowReader* rd, int i, int* col) {
  const mjModel* m = rd->m;
  const mjData* d = rd->d;
  int id = d->efc_id[i];
  switch (d->efc_type[i]) {
    case mjCNSTR_FRICTION_DOF:
      col[0] = id;
      return 1;
    case mjCNSTR_LIMIT_JOINT:
      col[0] = m->jnt_dofadr[id];
      if (m->jnt_type[id] != mjJNT_BALL) return 1;
      col[1] = col[0] + 1;
      col[2] = col[0] + 2;
      return 3;
    case mjCNSTR_EQUALITY: {
      int type = m->eq_type[id], o1 = m->eq_obj1id[id], o2 = m->eq_obj2id[id];
      if (type != mjEQ_CONNECT && type != mjEQ_WELD) return row_columns(rd, i, col);
      if (m->eq_objtype[id] == mjOBJ_SITE) {
        o1 = m->site_bodyid[o1];
        o2 = m->site_bodyid[o2];
      }
      return body_columns(rd, o1, o2, true, col);
    }
    case mjCNSTR_CONTACT_FRICTIONLESS:
    case mjCNSTR_CONTACT_PYRAMIDAL:
    case mjCNSTR_CONTACT_ELLIPTIC: {
      const mjContact* con = d->contact + id;
      if (con->geom[0] >= 0 && con->geom[1] >= 0) {
        return body_columns(rd, m->geom_bodyid[con->geom[0]], m->geom_bodyid[con->geom[1]], false,
                            col);
      }
      // flex: all rows of the contact share their columns, but one of them may be zero somewhere
      if (!rd->sparse) return flex_columns(rd, i, constrain_unit(m, d, i), col);
      int n = d->efc_J_rownnz[i];
      memcpy(col, d->efc_J_colind + d->efc_J_rowadr[i], sizeof(int) * (size_t)n);
      return n;
    }
    default:
      return row_columns(rd, i, col);
  }
}

bool units_read(const snRowReader* rd, snUnits* u) {
  const mjModel* m = rd->m;
  mjData* d = (mjData*)rd->d;
  int nefc = d->nefc;
  if (!FRAME(memory_of(d), SN_ARRAY(u->row, nefc), SN_ARRAY(u->nrow, nefc), SN_ARRAY(u->part, nefc),
             SN_ARRAY(u->first, nefc + 1))) {
    return false;
  }
  size_t room = 0;
  u->n = 0;
  for (int i = 0; i < nefc;) {
    int n = constrain_unit(m, d, i);
    u->row[u->n] = i;
    u->nrow[u->n++] = n;
    room += (size_t)(rd->sparse ? d->efc_J_rownnz[i] : m->nv) + 1;
    i += n;
  }
  if (!FRAME(memory_of(d), SN_ARRAY(u->col, room))) return false;
  SN_ASSERT(u->n <= nefc);
  u->first[0] = 0;
  for (int k = 0; k < u->n; k++) {
    u->part[k] = 0;
    u->first[k + 1] = u->first[k] + unit_columns(rd, u->row[k], u->col + u->first[k]);
    SN_ASSERT((size_t)u->first[k + 1] <= room);
  }
  return true;
}
