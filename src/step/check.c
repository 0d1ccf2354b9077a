// Checks of qpos, qvel and qacc for NaN, infinite and huge numbers (above mjMAXVAL): the documented
// warning and, unless disabled, a reset of the state.
#include "data/data.h"

// Index of the first number that is huge, infinite or NaN (for which <= is false); n when there is
// none.
static inline int find_bad(const mjtNum* x, int i, int n) {
  while (i < n && fabs(x[i]) <= mjMAXVAL) i++;
  return i;
}

// The same among the numbers of bodies that move: x has one for each dof, or is qpos.
static int find_bad_awake(const mjModel* m, const mjData* d, const mjtNum* x, int n) {
  int nspan;
  const snBodyRun* span = data_moving(d, &nspan);
  for (int k = 0; k < nspan; k++) {
    int first = span[k].dof, end = span[k].dof_end;
    if (x == d->qpos) {
      first = span[k].jnt < m->njnt ? m->jnt_qposadr[span[k].jnt] : n;
      end = span[k].jnt_end < m->njnt ? m->jnt_qposadr[span[k].jnt_end] : n;
    }
    int at = find_bad(x, first, end);
    if (at < end) return at;
  }
  return n;
}

// A reset by the engine keeps the counters of these warnings: they count the resets. The stack is
// of whoever called the step.
static void reset_keep_counts(const mjModel* m, mjData* d) {
  mjWarningStat kept[mjNWARNING];
  memcpy(kept, d->warning, sizeof kept);
  data_reset_state(m, d);
  for (int i = mjWARN_BADQPOS; i <= mjWARN_BADCTRL; i++) d->warning[i] = kept[i];
}

// Not inlined: a state without such numbers pays for none of this.
static __attribute__((noinline)) void warn(const mjModel* m, mjData* d, int at, int warning) {
  mj_warning(d, warning, at);
  if (!(m->opt.disableflags & mjDSBL_AUTORESET)) {
    reset_keep_counts(m, d);
  } else {
    d->warning[warning].number++;  // counted twice, as in the released engine
  }
}

static inline bool check(const mjModel* m, mjData* d, const mjtNum* x, int n, int warning) {
  int at = data_sleepers(d) ? find_bad_awake(m, d, x, n) : find_bad(x, 0, n);
  if (__builtin_expect(at == n, 1)) return false;
  warn(m, d, at, warning);
  return true;
}

void mj_checkPos(const mjModel* m, mjData* d) { check(m, d, d->qpos, m->nq, mjWARN_BADQPOS); }

void mj_checkVel(const mjModel* m, mjData* d) { check(m, d, d->qvel, m->nv, mjWARN_BADQVEL); }

void mj_checkAcc(const mjModel* m, mjData* d) {
  if (!check(m, d, d->qacc, m->nv, mjWARN_BADQACC)) return;
  if (!(m->opt.disableflags & mjDSBL_AUTORESET)) mj_forward(m, d);
}
