// Sleep: trees at rest cost nothing, for models with the text "sinew:sleep" = "on" (or a speed).
//
// A tree is quiet when no part of it moves faster than a speed (0.1 mm/s, or the number in the
// text) and nothing is applied to it. Trees that touch or are tied to each other (equalities,
// tendons, transmissions) are a group. A group that has been quiet for QUIET seconds falls asleep:
// its velocity becomes zero, and from then on it has no kinematics, contacts, rows, solve or
// integration. The force that holds it is what keeps it in place,
//
//   qacc = 0,   qfrc_constraint = -qfrc_smooth
//
// so forward and inverse dynamics agree for sleepers too. All that is known of sleep is state: the
// plugin_state of a built-in instance (plugin/sleep.c) has who sleeps with whom, how long the
// others have been quiet, and what the world looked like. So a restored state goes on to the bit.
//
// Each evaluation decides who sleeps from the state and from what has changed since; only the end
// of a step (sleep_advance) writes the state. A group wakes, as a whole,
//
//   by qpos or act that is not what it fell asleep with, qvel that is not zero
//   by qfrc_applied or xfrc_applied that is not zero; by ctrl of an actuator that has changed
//   by an equality switched on or off; by a mocap body that it touches or is tied to and that moves
//   by a contact with a body that is awake, found in this evaluation (sleep_touch): contacts are
//     then found anew, so that it takes part in the same step
//   by options or numbers of the model that have changed: one slice is looked at in a step, so
//     that it takes as many steps as the model has slices, at most 20 (sn_wake is at once)
//   in inverse dynamics by qacc that is not zero; in derivatives always (snData.vigil)
//
// What stages computed for sleepers when they fell asleep stays in mjData. Where it is not there
// (a restored state, a copy) one evaluation computes everything (snAwake.full).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/inside_sinew.h"
#include "base/union_find.h"
#include "hard/hard.h"
#include "maximal/maximal.h"
#include "smooth/smooth.h"
#include "hold/sleep.h"

static const mjtNum QUIET = 0.1;  // s

const char sleep_plugin_name[] = "sinew.sleep";

// ---- state

int sleep_state_size(const mjModel* m) {
  return 2 + sleep_slices(m) + 3 * m->ntree + m->nq + m->na + m->nu + m->neq + 7 * m->nmocap;
}

snSleepState sleep_state(const mjModel* m, const mjData* d, int instance, int nslice) {
  mjtNum* x = d->plugin_state + m->plugin_stateadr[instance];
  snSleepState st = {.count = x, .phase = x + 1, .slice = x + 2};
  st.island = st.slice + nslice;
  st.quiet = st.island + m->ntree;
  st.carried = st.quiet + m->ntree;
  st.qpos = st.carried + m->ntree;
  st.act = st.qpos + m->nq;
  st.ctrl = st.act + m->na;
  st.eq = st.ctrl + m->nu;
  st.mocap = st.eq + m->neq;
  return st;
}

int sleep_instance(const mjModel* m) { return model_builtin(m, snBUILTIN_SLEEP); }

// The first tree of the group that a tree sleeps with; -1: it is awake. A program may write
// anything to the state.
static int group_of(const mjModel* m, const snSleepState* st, int tree) {
  mjtNum label = st->island[tree];
  SN_ASSERT(tree >= 0 && tree < m->ntree);
  return label >= 1 && label <= m->ntree ? (int)label - 1 : -1;
}

// ---- causes of waking

static bool any_nonzero(const mjtNum* x, int n) {
  uint64_t any = 0, bits;
  for (int i = 0; i < n; i++) {
    memcpy(&bits, x + i, sizeof bits);
    any |= bits;
  }
  return any << 1;  // without the sign of zero
}

static bool differ(const mjtNum* a, const mjtNum* b, int n) {
  return n > 0 && memcmp(a, b, sizeof(mjtNum) * (size_t)n);
}

// Has a program moved or pushed one of the trees from `first` to `last`?
static bool disturbed(const mjModel* m, const mjData* d, const snSleepers* s,
                      const snSleepState* st, int first, int last, const mjtNum* qacc) {
  int dof = s->tree[first].dof, ndof = s->tree[last].dof_end - dof;
  int body = s->tree[first].body, nbody = s->tree[last].body_end - body;
  int qpos = s->qpos[first];
  SN_ASSERT(first <= last && ndof > 0 && nbody > 0);  // a tree has dofs, and trees are in order
  return differ(d->qpos + qpos, st->qpos + qpos, s->qpos_end[last] - qpos) ||
         any_nonzero(d->qvel + dof, ndof) || any_nonzero(d->qfrc_applied + dof, ndof) ||
         any_nonzero(d->xfrc_applied + 6 * body, 6 * nbody) ||
         (qacc && any_nonzero(qacc + dof, ndof));
}

static void wake_tree(snSleepers* s, int tree) {
  if (tree >= 0) s->woken[tree] = 1;
}

static void wake_by_inputs(const mjModel* m, const mjData* d, snSleepers* s,
                           const snSleepState* st) {
  if (differ(d->ctrl, st->ctrl, m->nu) || differ(d->act, st->act, m->na)) {
    for (int i = 0; i < m->nu; i++) {
      int adr = m->actuator_actadr[i];
      if (differ(d->ctrl + i, st->ctrl + i, 1) ||
          (adr >= 0 && differ(d->act + adr, st->act + adr, m->actuator_actnum[i]))) {
        wake_tree(s, s->actuator[i]);
      }
    }
  }
  for (int i = 0; i < m->neq; i++) {
    if (d->eq_active[i] == st->eq[i]) continue;
    wake_tree(s, s->eq[2 * i]);
    wake_tree(s, s->eq[2 * i + 1]);
  }
  bool moved = false;
  for (int i = 0; i < m->nmocap; i++) {
    s->mocap_moved[i] = differ(d->mocap_pos + 3 * i, st->mocap + 7 * i, 3) ||
                        differ(d->mocap_quat + 4 * i, st->mocap + 7 * i + 3, 4);
    moved |= s->mocap_moved[i];
  }
  for (int t = 0; moved && t < m->ntree; t++) {
    if (s->moored[t] || st->carried[t] != 0) s->woken[t] = 1;
  }
}

// Wakes whoever sleeps with a woken tree. True when somebody wakes.
static bool wake_groups(const mjModel* m, snSleepers* s, const snSleepState* st) {
  bool some = false;
  mjtByte* asleep = s->awake.tree_asleep;
  for (int t = 0; t < m->ntree; t++) {
    if (s->woken[t] && asleep[t]) s->woken[group_of(m, st, t)] = some = true;
  }
  for (int t = 0; some && t < m->ntree; t++) {
    if (asleep[t] && s->woken[group_of(m, st, t)]) asleep[t] = 0;
  }
  return some;
}

// ---- the choice of an evaluation

// Runs of bodies that are not asleep, and what is still.
static void choose(const mjModel* m, mjData* d, snSleepers* s) {
  const mjtByte* asleep = s->awake.tree_asleep;
  snAwake* a = &s->awake;
  a->nspan = 0;
  a->some = false;
  for (int t = 0; t < m->ntree; t++) a->some |= asleep[t];
  if (!a->some) {
    ((snData*)d)->awake = NULL;
    return;
  }
  bool before = false;
  for (int b = 0; b < m->nbody; b++) {
    int t = m->body_treeid[b];
    bool now = t < 0 || !asleep[t];
    snBodyRun from = s->begin[b], to = s->begin[b + 1];
    if (now && !before) a->span[a->nspan++] = from;
    SN_ASSERT(a->nspan <= m->nbody && (!now || a->nspan > 0));
    if (now) {
      snBodyRun* span = a->span + a->nspan - 1;
      span->body_end = to.body, span->jnt_end = to.jnt, span->dof_end = to.dof;
      span->geom_end = to.geom, span->site_end = to.site;
    }
    int mocap = t < 0 ? m->body_mocapid[m->body_rootid[b]] : -1;
    bool still = t < 0 ? mocap < 0 || !s->mocap_moved[mocap] : asleep[t];
    memset(a->geom_still + from.geom, still, (size_t)(to.geom - from.geom));
    before = now;
  }
  for (int i = 0; i < m->ntendon; i++) {
    a->tendon_asleep[i] = s->tendon[i] >= 0 && asleep[s->tendon[i]];
  }
  ((snData*)d)->awake = a;
}

// Are the poses of sleepers in mjData those of their positions?
static bool posed(const mjModel* m, const mjData* d, const snSleepers* s) {
  if (!((const snData*)d)->posed) return false;
  for (int t = 0, last; t < m->ntree; t = last + 1) {
    last = t;
    if (!s->awake.tree_asleep[t]) continue;
    while (last + 1 < m->ntree && s->awake.tree_asleep[last + 1]) last++;
    int at = s->qpos[t];
    if (differ(d->qpos + at, s->qpos_posed + at, s->qpos_end[last] - at)) return false;
  }
  return true;
}

static void decide(const mjModel* m, mjData* d, snSleepers* s, const snSleepState* st,
                   const mjtNum* qacc) {
  mjtByte* asleep = s->awake.tree_asleep;
  int nslice = s->nslice, slice = (int)mju_clip(st->phase[0], 0, nslice - 1);
  bool changed = st->slice[slice] != sleep_slice(m, s, slice);
  memset(s->woken, changed, (size_t)m->ntree);
  for (int t = 0; t < m->ntree; t++) asleep[t] = group_of(m, st, t) >= 0;
  for (int t = 0, last; t < m->ntree && !changed; t = last + 1) {
    last = t;
    if (!asleep[t]) continue;
    while (last + 1 < m->ntree && asleep[last + 1]) last++;
    if (!disturbed(m, d, s, st, t, last, qacc)) continue;
    for (int k = t; k <= last; k++) s->woken[k] = disturbed(m, d, s, st, k, k, qacc);
  }
  wake_by_inputs(m, d, s, st);
  wake_groups(m, s, st);
}

// A tree that wakes starts its solver where it rests.
static void start_woken(const mjModel* m, mjData* d, const snSleepers* s, const snSleepState* st) {
  for (int t = 0; t < m->ntree; t++) {
    if (s->awake.tree_asleep[t] || group_of(m, st, t) < 0) continue;
    const snBodyRun* span = s->tree + t;
    mju_zero(d->qacc_warmstart + span->dof, span->dof_end - span->dof);
  }
}

bool sleep_begin(const mjModel* m, mjData* d, const mjtNum* qacc) {
  snData* tail = (snData*)d;
  snSleepers* s = data_cache(d, snROOM_HOLD)->block;
  if (s && s->open) return false;  // a part of an evaluation, as those of RK4
  tail->awake = NULL;
  if (!m->nplugin || (!s && sleep_instance(m) < 0)) return false;
  if (!(s = sleep_tables(m, d)) || s->instance < 0) return false;
  s->open = true;
  snSleepState st = sleep_state(m, d, s->instance, s->nslice);
  if (!(st.count[0] >= 1) || tail->vigil || has_passive(m) || maximal_active(m) ||
      hard_active(m, d)) {
    return true;
  }
  decide(m, d, s, &st, qacc);
  start_woken(m, d, s, &st);
  choose(m, d, s);
  s->awake.full = tail->awake && (!posed(m, d, s) || inertia_of_tendons(m));
  return true;
}

void sleep_end(mjData* d) {
  snSleepers* s = data_cache(d, snROOM_HOLD)->block;
  if (s) s->open = false;
  ((snData*)d)->awake = NULL;
}

// ---- parts of an evaluation

void sleep_touch(const mjModel* m, mjData* d) {
  snSleepers* s = data_cache(d, snROOM_HOLD)->block;
  while (data_sleepers(d)) {
    snSleepState st = sleep_state(m, d, s->instance, s->nslice);
    const mjtByte* still = s->awake.geom_still;
    memset(s->woken, 0, (size_t)m->ntree);
    for (int c = 0; c < d->ncon; c++) {
      const int* geom = d->contact[c].geom;
      bool rests[2];
      for (int k = 0; k < 2; k++) rests[k] = geom[k] >= 0 && still[geom[k]];
      for (int k = 0; k < 2; k++) {
        if (rests[k] && !rests[1 - k]) wake_tree(s, m->body_treeid[m->geom_bodyid[geom[k]]]);
      }
    }
    if (!wake_groups(m, s, &st)) return;
    start_woken(m, d, s, &st);
    choose(m, d, s);
    mj_collision(m, d);
  }
}

void sleep_evaluated(const mjModel* m, mjData* d) {
  snSleepers* s = data_cache(d, snROOM_HOLD)->block;
  if (!s) return;
  s->slept = data_sleepers(d) != NULL;
  if (s->slept) memcpy(s->evaluated, s->awake.tree_asleep, (size_t)m->ntree);
}

bool sleep_stale(const mjModel* m, mjData* d) {
  snSleepers* s = data_cache(d, snROOM_HOLD)->block;
  if (!s || !s->open) return false;
  bool now = data_sleepers(d) != NULL;
  for (int t = 0; s->slept && t < m->ntree; t++) {
    if (s->evaluated[t] && !(now && s->awake.tree_asleep[t])) return true;
  }
  // whoever was awake then is awake now: the rows are there
  bool full = s->awake.full;
  if (s->slept)
    memcpy(s->awake.tree_asleep, s->evaluated, (size_t)m->ntree);
  else
    memset(s->awake.tree_asleep, 0, (size_t)m->ntree);
  choose(m, d, s);
  s->awake.full = full;
  return false;
}

void sleep_settle(const mjModel* m, mjData* d) {
  const snAwake* a = data_sleepers(d);
  if (!a || !(a->full || d->nefc)) return;
  const snSleepers* s = data_cache(d, snROOM_HOLD)->block;
  for (int t = 0; t < m->ntree; t++) {
    if (!a->tree_asleep[t]) continue;
    for (int i = s->tree[t].dof; i < s->tree[t].dof_end; i++) {
      d->qacc[i] = 0;
      d->qfrc_constraint[i] = -d->qfrc_smooth[i];
    }
  }
}

void sleep_hold(const mjModel* m, mjData* d) {
  const snAwake* a = data_sleepers(d);
  const snSleepers* s = data_cache(d, snROOM_HOLD)->block;
  for (int i = 0; a && i < m->nu; i++) {
    int adr = m->actuator_actadr[i];
    if (adr < 0 || s->actuator[i] < 0 || !a->tree_asleep[s->actuator[i]]) continue;
    mju_zero(d->act_dot + adr, m->actuator_actnum[i]);
  }
}

void sleep_posed(const mjModel* m, mjData* d) {
  const snAwake* a = data_sleepers(d);
  snSleepers* s = data_cache(d, snROOM_HOLD)->block;
  if (!a || !a->full) return;
  mju_copy(s->qpos_posed, d->qpos, m->nq);
  ((snData*)d)->posed = true;
}

// ---- the end of a step

// Does no dof of a tree move faster than `speed`, nor an activation of its actuators? A rotation
// counts with the size of the tree.
static bool is_slow(const mjModel* m, const mjData* d, const snSleepers* s, int tree,
                    mjtNum speed) {
  const snBodyRun* span = s->tree + tree;
  for (int j = span->jnt; j < span->jnt_end; j++) {
    int type = m->jnt_type[j], dof = m->jnt_dofadr[j];
    int n = type == mjJNT_FREE ? 6 : type == mjJNT_BALL ? 3 : 1;
    for (int k = 0; k < n; k++) {
      bool linear = type == mjJNT_SLIDE || (type == mjJNT_FREE && k < 3);
      if (!(fabs(d->qvel[dof + k]) * (linear ? 1 : s->length[tree]) < speed)) return false;
    }
  }
  return true;
}

static bool is_pushed(const mjData* d, const snBodyRun* span) {
  return any_nonzero(d->qfrc_applied + span->dof, span->dof_end - span->dof) ||
         any_nonzero(d->xfrc_applied + 6 * span->body, 6 * (span->body_end - span->body));
}

// How long each tree has been quiet. True when one has been so for long enough.
static bool count_quiet(const mjModel* m, const mjData* d, snSleepers* s, const snSleepState* st,
                        const snAwake* a) {
  mjtNum speed = s->speed, h = m->opt.timestep;
  bool long_enough = false;
  for (int i = 0; i < m->nu; i++) {
    int adr = m->actuator_actadr[i], tree = s->actuator[i];
    for (int k = 0; adr >= 0 && tree >= 0 && k < m->actuator_actnum[i]; k++) {
      if (!(fabs(d->act_dot[adr + k]) < speed)) st->quiet[tree] = -h;
    }
  }
  for (int t = 0; t < m->ntree; t++) {
    if (a && a->tree_asleep[t]) continue;
    bool quiet = !s->restless[t] && is_slow(m, d, s, t, speed);
    st->quiet[t] = quiet && st->quiet[t] > -mjMAXVAL ? st->quiet[t] + h : 0;
    if (st->quiet[t] >= QUIET && is_pushed(d, s->tree + t)) st->quiet[t] = 0;
    long_enough |= st->quiet[t] >= QUIET;
  }
  return long_enough;
}

static void join(int* up, int a, int b) {
  if (a < 0 || b < 0) return;
  int x = union_root(up, a), y = union_root(up, b);
  if (x != y) union_join(up, x, y);
}

// Groups of awake trees in s->up. `woken` gets whoever must stay awake; `carried` whoever touches a
// mocap body.
static void find_groups(const mjModel* m, const mjData* d, snSleepers* s, const snSleepState* st,
                        const snAwake* a) {
  memcpy(s->up, s->couple, sizeof(int) * (size_t)m->ntree);
  for (int t = 0; t < m->ntree; t++) {
    bool asleep = a && a->tree_asleep[t];
    s->woken[t] = !asleep && !(st->quiet[t] >= QUIET);
    if (!asleep) st->carried[t] = 0;
  }
  for (int c = 0; c < d->ncon; c++) {
    int tree[2], body[2];
    for (int k = 0; k < 2; k++) {
      int geom = d->contact[c].geom[k];
      body[k] = geom < 0 ? -1 : m->geom_bodyid[geom];
      tree[k] = geom < 0 ? -1 : m->body_treeid[body[k]];
    }
    join(s->up, tree[0], tree[1]);
    for (int k = 0; k < 2; k++) {
      int other = body[1 - k];
      if (tree[k] < 0) continue;
      if (other < 0 || s->sensed[other]) s->woken[tree[k]] = 1;
      if (other >= 0 && tree[1 - k] < 0 && m->body_mocapid[m->body_rootid[other]] >= 0) {
        st->carried[tree[k]] = 1;
      }
    }
  }
  for (int i = 0; i < m->neq; i++) {
    if (d->eq_active[i]) join(s->up, s->eq[2 * i], s->eq[2 * i + 1]);
  }
  for (int t = 0; t < m->ntree; t++) {
    if (s->woken[t]) s->woken[union_root(s->up, t)] = 1;
  }
}

static void keep_inputs(const mjModel* m, const mjData* d, const snSleepState* st) {
  mju_copy(st->ctrl, d->ctrl, m->nu);
  for (int i = 0; i < m->neq; i++) st->eq[i] = d->eq_active[i];
  for (int i = 0; i < m->nmocap; i++) {
    mju_copy3(st->mocap + 7 * i, d->mocap_pos + 3 * i);
    mju_copy4(st->mocap + 7 * i + 3, d->mocap_quat + 4 * i);
  }
}

static int fall_asleep(const mjModel* m, mjData* d, snSleepers* s, const snSleepState* st,
                       const snAwake* a) {
  int n = 0;
  find_groups(m, d, s, st, a);
  for (int t = 0; t < m->ntree; t++) {
    int root = union_root(s->up, t);
    if (s->woken[root] || (a && a->tree_asleep[t])) continue;
    const snBodyRun* span = s->tree + t;
    mju_zero(d->qvel + span->dof, span->dof_end - span->dof);
    mju_copy(st->qpos + s->qpos[t], d->qpos + s->qpos[t], s->qpos_end[t] - s->qpos[t]);
    st->island[t] = 1 + root;
    n++;
  }
  if (n) {
    mju_copy(st->act, d->act, m->na);
    ((snData*)d)->posed = false;
  }
  return n;
}

void sleep_advance(const mjModel* m, mjData* d) {
  snData* tail = (snData*)d;
  snSleepers* s = data_cache(d, snROOM_HOLD)->block;
  if (!s || !s->open || tail->vigil || has_passive(m) || maximal_active(m) || hard_active(m, d)) {
    return;
  }
  snSleepState st = sleep_state(m, d, s->instance, s->nslice);
  const snAwake* a = data_sleepers(d);
  bool slept = st.count[0] >= 1;
  int count = 0;
  if (slept) {
    // a callback may have written controls since the evaluation began
    memset(s->woken, 0, (size_t)m->ntree);
    for (int i = 0; i < m->nu; i++) {
      if (differ(d->ctrl + i, st.ctrl + i, 1)) wake_tree(s, s->actuator[i]);
    }
    if (a) wake_groups(m, s, &st);
    for (int t = 0; t < m->ntree; t++) {
      bool sleeps = a && a->tree_asleep[t];
      if (!sleeps && st.island[t] != 0) st.island[t] = st.quiet[t] = st.carried[t] = 0;
      count += sleeps;
    }
  }
  if (count_quiet(m, d, s, &st, a)) count += fall_asleep(m, d, s, &st, a);
  if (count) {
    keep_inputs(m, d, &st);
    if (!slept) {
      for (int i = 0; i < s->nslice; i++) st.slice[i] = sleep_slice(m, s, i);
    } else {
      // looked at when the evaluation began: what differed has woken everyone
      int slice = (int)mju_clip(st.phase[0], 0, s->nslice - 1);
      st.phase[0] = slice + 1 < s->nslice ? slice + 1 : 0;
    }
  }
  st.count[0] = count;
}

// ---- by the program

void sn_wake(const mjModel* m, mjData* d, int body) {
  int instance = sleep_instance(m);
  if (instance < 0) return;
  snSleepState st = sleep_state(m, d, instance, sleep_slices(m));
  int tree = body < 0 ? -1 : m->body_treeid[body], group = tree < 0 ? -1 : group_of(m, &st, tree);
  if (body >= 0 && group < 0) return;
  int count = 0;
  for (int t = 0; t < m->ntree; t++) {
    int of = group_of(m, &st, t);
    if (body < 0 || of == group) st.island[t] = st.quiet[t] = st.carried[t] = 0;
    count += st.island[t] != 0;
  }
  st.count[0] = count;
}

int sn_asleep(const mjModel* m, const mjData* d, int body) {
  int instance = sleep_instance(m), tree = m->body_treeid[body];
  if (instance < 0 || tree < 0) return 0;
  snSleepState st = sleep_state(m, d, instance, sleep_slices(m));
  return st.count[0] >= 1 && group_of(m, &st, tree) >= 0;
}
