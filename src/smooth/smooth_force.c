// The smooth force and the forces that programs apply to bodies:
//
//   qfrc_smooth = passive - bias + applied + actuator + J' xfrc_applied
#include <string.h>

#include "smooth/smooth.h"

// qfrc += J' xfrc_applied; Cartesian forces act at the centers of mass of bodies.
void smooth_body_forces(const mjModel* m, mjData* d, mjtNum* qfrc) {
  // usually all are zero: OR their bits and shift out the sign
  const char* force = (const char*)(d->xfrc_applied + 6);
  uint64_t any = 0, bits;
  for (int k = 0, n = 6 * (m->nbody - 1); k < n; k++) {
    memcpy(&bits, force + sizeof bits * k, sizeof bits);
    any |= bits;
  }
  if (!(any << 1)) return;
  for (int i = 1; i < m->nbody; i++) {
    const mjtNum* f = d->xfrc_applied + 6 * i;
    if (f[0] == 0 && f[1] == 0 && f[2] == 0 && f[3] == 0 && f[4] == 0 && f[5] == 0) continue;
    mj_applyFT(m, d, f, f + 3, d->xipos + 3 * i, i, qfrc);
  }
}

void smooth_forces(const mjModel* m, mjData* d) {
  const mjtNum *passive = d->qfrc_passive, *bias = d->qfrc_bias;
  const mjtNum *applied = d->qfrc_applied, *actuator = d->qfrc_actuator;
  mjtNum* smooth = d->qfrc_smooth;
  int nspan;
  const snBodyRun* span = data_spans(d, &nspan);
  for (const snBodyRun* behind = span + nspan; span < behind; span++) {
    for (int i = span->dof, end = span->dof_end; i < end; i++) {
      smooth[i] = passive[i] - bias[i] + applied[i] + actuator[i];
    }
  }
  smooth_body_forces(m, d, d->qfrc_smooth);
}
