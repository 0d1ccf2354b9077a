// Contact in physical units: stiffness in N/m and damping in N s/m of geoms, for models with the
// tuples "sinew:stiffness" and "sinew:damping" (geoms, prm the number).
//
// solref and solimp scale with masses and time step. With a stiffness k and a damping c of the
// pair, the normal force at the END of the step is that of a spring and a damper, whatever the rest
// is:
//
//   f = -k g' - c v',   v' = v + h a,   g' = g + h v'
//
// In the form of a soft row, f = (aref - a)/R, that is
//
//   R = 1 / (h (k h + c)),   aref = -v/h - k g R
//
// so the solver, the inverse and the derivatives see an ordinary row. Two geoms are springs in
// series, 1/k = 1/k1 + 1/k2, and dampers likewise; a geom without a number is rigid. The contacts
// of one pair share the number between them: flat faces are as stiff as points. Each of the n edges
// of a pyramid has n R, and with elliptic cones friction rows keep their ratio to R. Dissipation
// that grows with depth is not a line: its rows are made from these ones (hold/dissipate.c).
#include <math.h>
#include <string.h>

#include "constrain/constrain.h"
#include "data/frame.h"

mjtNum physical_series(mjtNum a, mjtNum b) { return a > 0 && b > 0 ? a * b / (a + b) : a + b; }

// Contacts of one pair are adjacent.
int physical_share(const mjData* d, int c) {
  int first = c, last = c;
  const int* geom = d->contact[c].geom;
  while (first > 0 && !memcmp(d->contact[first - 1].geom, geom, 2 * sizeof(int))) first--;
  while (last + 1 < d->ncon && !memcmp(d->contact[last + 1].geom, geom, 2 * sizeof(int))) last++;
  int n = 0;
  for (int i = first; i <= last; i++) n += d->contact[i].efc_address >= 0 && d->contact[i].dist < 0;
  return n ? n : 1;
}

// KBIP, R and D of n rows.
static void set_rows(const mjModel* m, mjData* d, int row, int n, mjtNum stiffness, mjtNum R) {
  for (int i = row; i < row + n; i++) {
    mjtNum* kbip = d->efc_KBIP + 4 * i;
    kbip[0] = stiffness / kbip[2];  // aref has k d
    kbip[1] = 1 / m->opt.timestep;
    d->efc_diagApprox[i] *= R / d->efc_R[i];
    d->efc_R[i] = R;
    d->efc_D[i] = 1 / R;
  }
}

static void contact_rows(const mjModel* m, mjData* d, int c, mjtNum k, mjtNum damping) {
  const mjContact* con = d->contact + c;
  int row = con->efc_address, share = physical_share(d, c);
  mjtNum h = m->opt.timestep;
  k /= share;
  damping /= share;
  mjtNum R = mju_max(mjMINVAL, 1 / (h * (k * h + damping)));
  switch (d->efc_type[row]) {
    case mjCNSTR_CONTACT_PYRAMIDAL:
      set_rows(m, d, row, 2 * (con->dim - 1), k * R, 2 * (con->dim - 1) * R);
      break;
    case mjCNSTR_CONTACT_ELLIPTIC: {
      mjtNum scale = R / d->efc_R[row];
      set_rows(m, d, row, 1, k * R, R);
      for (int j = row + 1; j < row + con->dim; j++) {
        d->efc_R[j] *= scale;
        d->efc_diagApprox[j] *= scale;
        d->efc_D[j] = 1 / d->efc_R[j];
      }
      break;
    }
    default:
      set_rows(m, d, row, 1, k * R, R);
  }
}

bool constrain_physical(const mjModel* m) { return asked_tuple(m, "sinew:stiffness") >= 0; }

void physical_contacts(const mjModel* m, mjData* d) {
  snMemory* memory = memory_of(d);
  mjtNum *stiffness, *damping;
  frame_open(memory);
  if (FRAME(memory, SN_ARRAY(stiffness, m->ngeom), SN_ARRAY(damping, m->ngeom)) &&
      asked_geoms(m, "sinew:stiffness", stiffness)) {
    asked_geoms(m, "sinew:damping", damping);
    for (int c = 0; c < d->ncon; c++) {
      const mjContact* con = d->contact + c;
      if (con->efc_address < 0 || con->geom[0] < 0 || con->geom[1] < 0) continue;
      mjtNum k = physical_series(stiffness[con->geom[0]], stiffness[con->geom[1]]);
      if (k > 0)
        contact_rows(m, d, c, k, physical_series(damping[con->geom[0]], damping[con->geom[1]]));
    }
  }
  frame_close(memory);
}
