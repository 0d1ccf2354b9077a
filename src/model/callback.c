// Callbacks of one model (include/sinew/callback.h). They live in the model's tail and are called
// in place of the documented global callbacks.
#include "base/inside_sinew.h"
#include "model/model.h"

static const snCallbacks none;

static const snCallbacks* callbacks_of(const mjModel* m) {
  const snCallbacks* own = ((const snModel*)m)->callbacks;
  return own ? own : &none;
}

// The callbacks of a model, made if there are none; NULL after an error, without memory.
static snCallbacks* callbacks_make(mjModel* m) {
  snModel* tail = (snModel*)m;
  if (!tail->callbacks) tail->callbacks = memory_alloc_zero(sizeof(snCallbacks));
  if (!tail->callbacks) mju_error("no memory for the callbacks of a model");
  return tail->callbacks;
}

// Body of a setter: function and user pointer together.
#define SET(name)                       \
  snCallbacks* own = callbacks_make(m); \
  if (!own) return;                     \
  own->name = function;                 \
  own->name##_user = function ? user : NULL

void sn_setPassive(mjModel* m, snfGeneric function, void* user) { SET(passive); }
void sn_setControl(mjModel* m, snfGeneric function, void* user) { SET(control); }
void sn_setContactFilter(mjModel* m, snfConFilt function, void* user) { SET(contactfilter); }
void sn_setSensor(mjModel* m, snfSensor function, void* user) { SET(sensor); }
void sn_setActDyn(mjModel* m, snfAct function, void* user) { SET(act_dyn); }
void sn_setActGain(mjModel* m, snfAct function, void* user) { SET(act_gain); }
void sn_setActBias(mjModel* m, snfAct function, void* user) { SET(act_bias); }

void sn_copyCallbacks(mjModel* dest, const mjModel* src) {
  if (!((snModel*)dest)->callbacks && !((const snModel*)src)->callbacks) return;
  snCallbacks* own = callbacks_make(dest);
  if (own) *own = *callbacks_of(src);
}

bool call_passive(const mjModel* m, mjData* d) {
  const snCallbacks* own = callbacks_of(m);
  if (own->passive) {
    own->passive(m, d, own->passive_user);
  } else if (mjcb_passive) {
    mjcb_passive(m, d);
  }
  return own->passive || mjcb_passive;
}

bool call_control(const mjModel* m, mjData* d) {
  const snCallbacks* own = callbacks_of(m);
  if (own->control) {
    own->control(m, d, own->control_user);
  } else if (mjcb_control) {
    mjcb_control(m, d);
  }
  return own->control || mjcb_control;
}

bool call_sensor(const mjModel* m, mjData* d, int stage) {
  const snCallbacks* own = callbacks_of(m);
  if (own->sensor) {
    own->sensor(m, d, stage, own->sensor_user);
  } else if (mjcb_sensor) {
    mjcb_sensor(m, d, stage);
  }
  return own->sensor || mjcb_sensor;
}

bool has_callbacks(const mjModel* m) {
  return ((const snModel*)m)->callbacks || mjcb_passive || mjcb_control || mjcb_contactfilter ||
         mjcb_sensor || mjcb_act_dyn || mjcb_act_gain || mjcb_act_bias || mjcb_time;
}

bool has_contactfilter(const mjModel* m) {
  return callbacks_of(m)->contactfilter || mjcb_contactfilter;
}

int call_contactfilter(const mjModel* m, mjData* d, int geom1, int geom2) {
  const snCallbacks* own = callbacks_of(m);
  if (own->contactfilter) return own->contactfilter(m, d, geom1, geom2, own->contactfilter_user);
  return mjcb_contactfilter ? mjcb_contactfilter(m, d, geom1, geom2) : 0;
}

static bool call_act(snfAct own, void* user, mjfAct global, const mjModel* m, const mjData* d,
                     int actuator, double* value) {
  if (own) {
    *value = own(m, d, actuator, user);
  } else if (global) {
    *value = global(m, d, actuator);
  }
  return own || global;
}

bool call_act_dyn(const mjModel* m, const mjData* d, int actuator, double* value) {
  const snCallbacks* own = callbacks_of(m);
  return call_act(own->act_dyn, own->act_dyn_user, mjcb_act_dyn, m, d, actuator, value);
}

bool call_act_gain(const mjModel* m, const mjData* d, int actuator, double* value) {
  const snCallbacks* own = callbacks_of(m);
  return call_act(own->act_gain, own->act_gain_user, mjcb_act_gain, m, d, actuator, value);
}

bool call_act_bias(const mjModel* m, const mjData* d, int actuator, double* value) {
  const snCallbacks* own = callbacks_of(m);
  return call_act(own->act_bias, own->act_bias_user, mjcb_act_bias, m, d, actuator, value);
}

bool has_passive(const mjModel* m) { return callbacks_of(m)->passive || mjcb_passive; }
