// Checks for numbers that went bad: the documented warning and, unless disabled, the reset.
#include "data/data.h"

static bool find_bad(const mjtNum* x, int n, int* at) {
  for (int i = 0; i < n; i++) {
    // not a number, infinite or huge
    if (!(x[i] >= -mjMAXVAL && x[i] <= mjMAXVAL)) {
      *at = i;
      return true;
    }
  }
  return false;
}

// Warn, reset, and keep the warning that a reset would clear.
static bool check(const mjModel* m, mjData* d, const mjtNum* x, int n, int warning) {
  int at;
  if (!find_bad(x, n, &at)) return false;
  mj_warning(d, warning, at);
  if (!(m->opt.disableflags & mjDSBL_AUTORESET)) mj_resetData(m, d);
  d->warning[warning].number++;
  d->warning[warning].lastinfo = at;
  return true;
}

void mj_checkPos(const mjModel* m, mjData* d) { check(m, d, d->qpos, m->nq, mjWARN_BADQPOS); }

void mj_checkVel(const mjModel* m, mjData* d) { check(m, d, d->qvel, m->nv, mjWARN_BADQVEL); }

void mj_checkAcc(const mjModel* m, mjData* d) {
  if (!check(m, d, d->qacc, m->nv, mjWARN_BADQACC)) return;
  if (!(m->opt.disableflags & mjDSBL_AUTORESET)) mj_forward(m, d);
}
