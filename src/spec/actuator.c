// The actuator shortcuts of MJCF and mjs_setToX: the transmission-independent parameters (dyntype,
// gaintype, biastype and their numbers) that motor, position, velocity, intvelocity, damper,
// cylinder, muscle and adhesion stand for, and the arguments that each rejects, as released.
#include <string.h>

#include "spec/private.h"

const char* mjs_setToMotor(mjsActuator* a) {
  a->gainprm[0] = 1;
  a->dyntype = mjDYN_NONE;
  a->gaintype = mjGAIN_FIXED;
  a->biastype = mjBIAS_NONE;
  return "";
}

// force = kp ctrl - kp length - kv velocity; a positive biasprm[2] is a damping ratio that the
// compiler turns into kv.
static const char* servo(mjsActuator* a, double kp, const double* kv, const double* dampratio,
                         const double* timeconst, double inheritrange, bool* ranged) {
  a->gainprm[0] = kp;
  a->biasprm[1] = -kp;
  if (dampratio && kv) return "kv and dampratio cannot both be defined";
  if (kv) {
    if (*kv < 0) return "kv cannot be negative";
    a->biasprm[2] = -*kv;
  }
  if (dampratio) {
    if (*dampratio < 0) return "dampratio cannot be negative";
    a->biasprm[2] = *dampratio;
  }
  if (timeconst) {
    if (*timeconst < 0) return "timeconst cannot be negative";
    a->dynprm[0] = *timeconst;
    a->dyntype = *timeconst == 0 ? mjDYN_NONE : mjDYN_FILTEREXACT;
  }
  a->inheritrange = inheritrange;
  *ranged = inheritrange > 0 && (a->ctrlrange[0] || a->ctrlrange[1]);
  if (*ranged) return "";
  a->gaintype = mjGAIN_FIXED;
  a->biastype = mjBIAS_AFFINE;
  return "";
}

const char* mjs_setToPosition(mjsActuator* a, double kp, double kv[1], double dampratio[1],
                              double timeconst[1], double inheritrange) {
  bool ranged = false;
  const char* error = servo(a, kp, kv, dampratio, timeconst, inheritrange, &ranged);
  return ranged ? "ctrlrange and inheritrange cannot both be defined" : error;
}

// As released: what is a fault of a position servo is none here, but leaves the kind of gain and
// bias as they were.
const char* mjs_setToIntVelocity(mjsActuator* a, double kp, double kv[1], double dampratio[1],
                                 double timeconst[1], double inheritrange) {
  bool ranged = false;
  servo(a, kp, kv, dampratio, timeconst, inheritrange, &ranged);
  a->dyntype = mjDYN_INTEGRATOR;
  a->actlimited = 1;
  if (inheritrange > 0 && (a->actrange[0] || a->actrange[1])) {
    return "actrange and inheritrange cannot both be defined";
  }
  return "";
}

const char* mjs_setToVelocity(mjsActuator* a, double kv) {
  memset(a->biasprm, 0, sizeof a->biasprm);
  a->gainprm[0] = kv;
  a->biasprm[2] = -kv;
  a->dyntype = mjDYN_NONE;
  a->gaintype = mjGAIN_FIXED;
  a->biastype = mjBIAS_AFFINE;
  return "";
}

const char* mjs_setToDamper(mjsActuator* a, double kv) {
  memset(a->gainprm, 0, sizeof a->gainprm);
  a->gainprm[2] = -kv;
  a->ctrllimited = 1;
  a->dyntype = mjDYN_NONE;
  a->gaintype = mjGAIN_AFFINE;
  a->biastype = mjBIAS_NONE;
  if (kv < 0) return "damping coefficient cannot be negative";
  if (a->ctrlrange[0] < 0 || a->ctrlrange[1] < 0) return "damper control range cannot be negative";
  return "";
}

const char* mjs_setToCylinder(mjsActuator* a, double timeconst, double bias, double area,
                              double diameter) {
  a->dynprm[0] = timeconst;
  a->biasprm[0] = bias;
  a->gainprm[0] = diameter >= 0 ? mjPI / 4 * diameter * diameter : area;
  a->dyntype = mjDYN_FILTER;
  a->gaintype = mjGAIN_FIXED;
  a->biastype = mjBIAS_AFFINE;
  return "";
}

// Parameters left at an actuator's own defaults become a muscle's; negative arguments are not
// given.
const char* mjs_setToMuscle(mjsActuator* a, double timeconst[2], double tausmooth, double range[2],
                            double force, double scale, double lmin, double lmax, double vmax,
                            double fpmax, double fvmax) {
  static const double dyn[3] = {0.01, 0.04, 0};
  static const double gain[9] = {0.75, 1.05, -1, 200, 0.5, 1.6, 1.5, 1.3, 1.2};
  const double given_dyn[3] = {timeconst[0], timeconst[1], tausmooth};
  const double given[9] = {range[0], range[1], force, scale, lmin, lmax, vmax, fpmax, fvmax};
  if (tausmooth < 0) return "muscle tausmooth cannot be negative";
  for (int i = 0; i < 3; i++) {
    if (a->dynprm[i] == (i == 0)) a->dynprm[i] = dyn[i];
    if (given_dyn[i] >= 0) a->dynprm[i] = given_dyn[i];
  }
  for (int i = 0; i < 9; i++) {
    if (a->gainprm[i] == (i == 0)) a->gainprm[i] = gain[i];
    if (given[i] >= 0) a->gainprm[i] = given[i];
  }
  memcpy(a->biasprm, a->gainprm, sizeof a->biasprm);
  a->dyntype = mjDYN_MUSCLE;
  a->gaintype = mjGAIN_MUSCLE;
  a->biastype = mjBIAS_MUSCLE;
  return "";
}

const char* mjs_setToAdhesion(mjsActuator* a, double gain) {
  a->gainprm[0] = gain;
  a->ctrllimited = 1;
  a->gaintype = mjGAIN_FIXED;
  a->biastype = mjBIAS_NONE;
  if (gain < 0) return "adhesion gain cannot be negative";
  if (a->ctrlrange[0] < 0 || a->ctrlrange[1] < 0)
    return "adhesion control range cannot be negative";
  return "";
}

// inheritrange comes with a default class to actuators of every kind; it means something to those
// that follow a position, force = k (u - x) - ...
static bool inherits(const mjsActuator* a) {
  return a->inheritrange > 0 && a->gaintype == mjGAIN_FIXED && a->biastype == mjBIAS_AFFINE &&
         a->gainprm[0] == -a->biasprm[1];
}

const char* actuator_inherit(const snSpec* s, mjsActuator* a, bool radians) {
  if (!inherits(a)) return "";
  const snElement* target = NULL;
  const double* range = NULL;
  double unit = 1;
  if (a->trntype == mjTRN_JOINT) {
    target = spec_find(s, mjOBJ_JOINT, string_text(a->target));
    mjtJoint type = target ? target->u.joint.type : mjJNT_HINGE;
    if (type != mjJNT_HINGE && type != mjJNT_SLIDE) {
      return "inheritrange can only be used with hinge and slide joints";
    }
    if (target) range = target->u.joint.range;
    if (target && !radians && type == mjJNT_HINGE && element_compiler(target)->degree) {
      unit = mjPI / 180;
    }
  } else if (a->trntype == mjTRN_TENDON) {
    target = spec_find(s, mjOBJ_TENDON, string_text(a->target));
    if (target) range = target->u.tendon.range;
  } else {
    return "inheritrange can only be used with joint and tendon transmission";
  }
  if (!range) return "";  // the missing target is reported with the transmission
  if (!(range[0] < range[1])) return "inheritrange used but the target has no range defined";
  bool position = a->dyntype == mjDYN_NONE || a->dyntype == mjDYN_FILTEREXACT;
  if (!position && a->dyntype != mjDYN_INTEGRATOR) {
    return "inheritrange is for position and intvelocity actuators";
  }
  // the target's range, scaled about its middle
  double low = range[0] * unit, high = range[1] * unit;
  double middle = 0.5 * (low + high), radius = 0.5 * (high - low) * a->inheritrange;
  double* to = position ? a->ctrlrange : a->actrange;
  to[0] = middle - radius;
  to[1] = middle + radius;
  *(position ? &a->ctrllimited : &a->actlimited) = mjLIMITED_TRUE;
  return "";
}
