// The documented global callbacks. NULL means the engine's default behaviour. A model can have its
// own (model/callback.h).
#include "base/base.h"

mjfGeneric mjcb_passive;
mjfGeneric mjcb_control;
mjfConFilt mjcb_contactfilter;
mjfSensor mjcb_sensor;
mjfTime mjcb_time;
mjfAct mjcb_act_dyn;
mjfAct mjcb_act_gain;
mjfAct mjcb_act_bias;

void mj_resetCallbacks(void) {
  mjcb_passive = NULL;
  mjcb_control = NULL;
  mjcb_contactfilter = NULL;
  mjcb_sensor = NULL;
  mjcb_time = NULL;
  mjcb_act_dyn = NULL;
  mjcb_act_gain = NULL;
  mjcb_act_bias = NULL;
}
