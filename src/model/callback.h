// Calls of callbacks: the model's own where it has one, else the documented global one.
#ifndef SINEW_MODEL_CALLBACK_H_
#define SINEW_MODEL_CALLBACK_H_

#include <sinew/callback.h>

#include "base/base.h"

typedef struct snCallbacks_ {
  snfGeneric passive, control;
  snfConFilt contactfilter;
  snfSensor sensor;
  snfAct act_dyn, act_gain, act_bias;
  void *passive_user, *control_user, *contactfilter_user, *sensor_user;
  void *act_dyn_user, *act_gain_user, *act_bias_user;
} snCallbacks;

// call_X calls the callback in effect; false when there is none.
bool call_passive(const mjModel* m, mjData* d);
bool call_control(const mjModel* m, mjData* d);
bool call_sensor(const mjModel* m, mjData* d, int stage);
bool call_act_dyn(const mjModel* m, const mjData* d, int actuator, double* value);
bool call_act_gain(const mjModel* m, const mjData* d, int actuator, double* value);
bool call_act_bias(const mjModel* m, const mjData* d, int actuator, double* value);

// Is any callback set that could read intermediate results while the model is evaluated?
bool has_callbacks(const mjModel* m);

// Is a callback of passive forces in effect?
bool has_passive(const mjModel* m);

// Is a contact filter in effect? Its result is nonzero to skip the pair.
bool has_contactfilter(const mjModel* m);
int call_contactfilter(const mjModel* m, mjData* d, int geom1, int geom2);

#endif
