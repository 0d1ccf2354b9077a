// mj_getState, mj_setState, mj_stateSize: the parts of the state named by mjtState as one vector,
// in the order of their bits.
#include "data/data.h"

typedef struct snStatePart_ {
  int array;  // offset of the pointer in mjData, -1 for time
  int size;   // offset of the number of rows in mjModel, -1 for one
  int columns;
} snStatePart;

#define PART(name, length, columns) \
  { offsetof(mjData, name), offsetof(mjModel, length), columns }

// indexed by bit of mjtState
static const snStatePart parts[mjNSTATE] = {
    {-1, -1, 1},
    PART(qpos, nq, 1),
    PART(qvel, nv, 1),
    PART(act, na, 1),
    PART(qacc_warmstart, nv, 1),
    PART(ctrl, nu, 1),
    PART(qfrc_applied, nv, 1),
    PART(xfrc_applied, nbody, 6),
    PART(eq_active, neq, 1),
    PART(mocap_pos, nmocap, 3),
    PART(mocap_quat, nmocap, 4),
    PART(userdata, nuserdata, 1),
    PART(plugin_state, npluginstate, 1),
};

static int part_size(const mjModel* m, int i) {
  return parts[i].columns * (parts[i].size < 0 ? 1 : schema_int(m, parts[i].size));
}

static mjtNum* part_array(const mjData* d, int i) {
  if (parts[i].array < 0) return (mjtNum*)&d->time;
  return *(mjtNum* const*)((const char*)d + parts[i].array);
}

static bool spec_valid(const char* function, unsigned int spec) {
  if (spec < 1u << mjNSTATE) return true;
  mju_error("%s: invalid state spec %u >= 2^mjNSTATE", function, spec);
  return false;
}

int mj_stateSize(const mjModel* m, unsigned int spec) {
  if (!spec_valid("mj_stateSize", spec)) return 0;
  int size = 0;
  for (int i = 0; i < mjNSTATE; i++) {
    if (spec & (1u << i)) size += part_size(m, i);
  }
  return size;
}

void mj_getState(const mjModel* m, const mjData* d, mjtNum* state, unsigned int spec) {
  if (!spec_valid("mj_getState", spec)) return;
  for (int i = 0; i < mjNSTATE; i++) {
    if (!(spec & (1u << i))) continue;
    int size = part_size(m, i);
    if (1u << i == mjSTATE_EQ_ACTIVE) {
      for (int k = 0; k < size; k++) state[k] = d->eq_active[k];
    } else if (size) {
      memcpy(state, part_array(d, i), (size_t)size * sizeof(mjtNum));
    }
    state += size;
  }
}

void mj_setState(const mjModel* m, mjData* d, const mjtNum* state, unsigned int spec) {
  if (!spec_valid("mj_setState", spec)) return;
  for (int i = 0; i < mjNSTATE; i++) {
    if (!(spec & (1u << i))) continue;
    int size = part_size(m, i);
    if (1u << i == mjSTATE_EQ_ACTIVE) {
      for (int k = 0; k < size; k++) d->eq_active[k] = (mjtByte)state[k];
    } else if (size) {
      memcpy(part_array(d, i), state, (size_t)size * sizeof(mjtNum));
    }
    state += size;
  }
}

static bool key_valid(const mjModel* m, int k) {
  if (k >= 0 && k < m->nkey) return true;
  if (k >= m->nkey) {
    mju_error("mj_setKeyframe: index must be smaller than %d (keyframes allocated in model)",
              m->nkey);
  } else {
    mju_error("mj_setKeyframe: keyframe index cannot be negative");
  }
  return false;
}

void mj_setKeyframe(mjModel* m, const mjData* d, int k) {
  if (!key_valid(m, k)) return;
  size_t num = sizeof(mjtNum);
  m->key_time[k] = d->time;
  memcpy(m->key_qpos + k * m->nq, d->qpos, (size_t)m->nq * num);
  memcpy(m->key_qvel + k * m->nv, d->qvel, (size_t)m->nv * num);
  memcpy(m->key_act + k * m->na, d->act, (size_t)m->na * num);
  memcpy(m->key_mpos + k * 3 * m->nmocap, d->mocap_pos, 3 * (size_t)m->nmocap * num);
  memcpy(m->key_mquat + k * 4 * m->nmocap, d->mocap_quat, 4 * (size_t)m->nmocap * num);
  memcpy(m->key_ctrl + k * m->nu, d->ctrl, (size_t)m->nu * num);
}
