// Sensors: the table of types (object measured, number of outputs, data type, stage), and checks by
// it.
#include <string.h>

#include "compile/compile.h"

typedef struct {
  mjtObj object;  // required object type; UNKNOWN: none; FRAME: any object with a frame
  int dim;
  mjtDataType data;
  mjtStage stage;
} Kind;

#define ANY mjOBJ_FRAME

static const Kind kinds[] = {
    [mjSENS_TOUCH] = {mjOBJ_SITE, 1, mjDATATYPE_POSITIVE, mjSTAGE_ACC},
    [mjSENS_ACCELEROMETER] = {mjOBJ_SITE, 3, mjDATATYPE_REAL, mjSTAGE_ACC},
    [mjSENS_VELOCIMETER] = {mjOBJ_SITE, 3, mjDATATYPE_REAL, mjSTAGE_VEL},
    [mjSENS_GYRO] = {mjOBJ_SITE, 3, mjDATATYPE_REAL, mjSTAGE_VEL},
    [mjSENS_FORCE] = {mjOBJ_SITE, 3, mjDATATYPE_REAL, mjSTAGE_ACC},
    [mjSENS_TORQUE] = {mjOBJ_SITE, 3, mjDATATYPE_REAL, mjSTAGE_ACC},
    [mjSENS_MAGNETOMETER] = {mjOBJ_SITE, 3, mjDATATYPE_REAL, mjSTAGE_POS},
    [mjSENS_RANGEFINDER] = {mjOBJ_SITE, 1, mjDATATYPE_POSITIVE, mjSTAGE_POS},
    [mjSENS_CAMPROJECTION] = {mjOBJ_SITE, 2, mjDATATYPE_REAL, mjSTAGE_POS},
    [mjSENS_JOINTPOS] = {mjOBJ_JOINT, 1, mjDATATYPE_REAL, mjSTAGE_POS},
    [mjSENS_JOINTVEL] = {mjOBJ_JOINT, 1, mjDATATYPE_REAL, mjSTAGE_VEL},
    [mjSENS_TENDONPOS] = {mjOBJ_TENDON, 1, mjDATATYPE_REAL, mjSTAGE_POS},
    [mjSENS_TENDONVEL] = {mjOBJ_TENDON, 1, mjDATATYPE_REAL, mjSTAGE_VEL},
    [mjSENS_ACTUATORPOS] = {mjOBJ_ACTUATOR, 1, mjDATATYPE_REAL, mjSTAGE_POS},
    [mjSENS_ACTUATORVEL] = {mjOBJ_ACTUATOR, 1, mjDATATYPE_REAL, mjSTAGE_VEL},
    [mjSENS_ACTUATORFRC] = {mjOBJ_ACTUATOR, 1, mjDATATYPE_REAL, mjSTAGE_ACC},
    [mjSENS_JOINTACTFRC] = {mjOBJ_JOINT, 1, mjDATATYPE_REAL, mjSTAGE_ACC},
    [mjSENS_TENDONACTFRC] = {mjOBJ_TENDON, 1, mjDATATYPE_REAL, mjSTAGE_ACC},
    [mjSENS_BALLQUAT] = {mjOBJ_JOINT, 4, mjDATATYPE_QUATERNION, mjSTAGE_POS},
    [mjSENS_BALLANGVEL] = {mjOBJ_JOINT, 3, mjDATATYPE_REAL, mjSTAGE_VEL},
    [mjSENS_JOINTLIMITPOS] = {mjOBJ_JOINT, 1, mjDATATYPE_REAL, mjSTAGE_POS},
    [mjSENS_JOINTLIMITVEL] = {mjOBJ_JOINT, 1, mjDATATYPE_REAL, mjSTAGE_VEL},
    [mjSENS_JOINTLIMITFRC] = {mjOBJ_JOINT, 1, mjDATATYPE_REAL, mjSTAGE_ACC},
    [mjSENS_TENDONLIMITPOS] = {mjOBJ_TENDON, 1, mjDATATYPE_REAL, mjSTAGE_POS},
    [mjSENS_TENDONLIMITVEL] = {mjOBJ_TENDON, 1, mjDATATYPE_REAL, mjSTAGE_VEL},
    [mjSENS_TENDONLIMITFRC] = {mjOBJ_TENDON, 1, mjDATATYPE_REAL, mjSTAGE_ACC},
    [mjSENS_FRAMEPOS] = {ANY, 3, mjDATATYPE_REAL, mjSTAGE_POS},
    [mjSENS_FRAMEQUAT] = {ANY, 4, mjDATATYPE_QUATERNION, mjSTAGE_POS},
    [mjSENS_FRAMEXAXIS] = {ANY, 3, mjDATATYPE_AXIS, mjSTAGE_POS},
    [mjSENS_FRAMEYAXIS] = {ANY, 3, mjDATATYPE_AXIS, mjSTAGE_POS},
    [mjSENS_FRAMEZAXIS] = {ANY, 3, mjDATATYPE_AXIS, mjSTAGE_POS},
    [mjSENS_FRAMELINVEL] = {ANY, 3, mjDATATYPE_REAL, mjSTAGE_VEL},
    [mjSENS_FRAMEANGVEL] = {ANY, 3, mjDATATYPE_REAL, mjSTAGE_VEL},
    [mjSENS_FRAMELINACC] = {ANY, 3, mjDATATYPE_REAL, mjSTAGE_ACC},
    [mjSENS_FRAMEANGACC] = {ANY, 3, mjDATATYPE_REAL, mjSTAGE_ACC},
    [mjSENS_SUBTREECOM] = {mjOBJ_BODY, 3, mjDATATYPE_REAL, mjSTAGE_POS},
    [mjSENS_SUBTREELINVEL] = {mjOBJ_BODY, 3, mjDATATYPE_REAL, mjSTAGE_VEL},
    [mjSENS_SUBTREEANGMOM] = {mjOBJ_BODY, 3, mjDATATYPE_REAL, mjSTAGE_VEL},
    [mjSENS_GEOMDIST] = {ANY, 1, mjDATATYPE_POSITIVE, mjSTAGE_POS},
    [mjSENS_GEOMNORMAL] = {ANY, 3, mjDATATYPE_AXIS, mjSTAGE_POS},
    [mjSENS_GEOMFROMTO] = {ANY, 6, mjDATATYPE_REAL, mjSTAGE_POS},
    [mjSENS_E_POTENTIAL] = {mjOBJ_UNKNOWN, 1, mjDATATYPE_REAL, mjSTAGE_POS},
    [mjSENS_E_KINETIC] = {mjOBJ_UNKNOWN, 1, mjDATATYPE_REAL, mjSTAGE_POS},
    [mjSENS_CLOCK] = {mjOBJ_UNKNOWN, 1, mjDATATYPE_REAL, mjSTAGE_POS},
};

static bool has_frame(mjtObj type) {
  return type == mjOBJ_BODY || type == mjOBJ_XBODY || type == mjOBJ_GEOM || type == mjOBJ_SITE ||
         type == mjOBJ_CAMERA;
}

static bool check_object(snCompile* c, snElement* e, const Kind* kind) {
  const mjsSensor* s = &e->u.sensor;
  bool distance = s->type >= mjSENS_GEOMDIST && s->type <= mjSENS_GEOMFROMTO;
  if (distance) {
    bool fine = (s->objtype == mjOBJ_BODY || s->objtype == mjOBJ_GEOM) &&
                (s->reftype == mjOBJ_BODY || s->reftype == mjOBJ_GEOM);
    if (!fine)
      return compile_error(c, e, "sensor must be attached to a body or geom on both sides");
    if (s->objtype == s->reftype && string_is(s->objname, string_text(s->refname))) {
      return compile_error(c, e, "1st body/geom must be different from 2nd body/geom");
    }
    return true;
  }
  if (kind->object == ANY && !has_frame(s->objtype)) {
    return compile_error(c, e,
                         "sensor must be attached to an object with a spatial frame: body, xbody, "
                         "geom, site or camera");
  }
  if (kind->object == ANY && !string_empty(s->refname) && s->reftype != mjOBJ_UNKNOWN &&
      !has_frame(s->reftype)) {
    return compile_error(c, e, "reference frame object must be (x)body, geom, site or camera");
  }
  if (kind->object != ANY && s->objtype != kind->object) {
    return compile_error(c, e, "sensor must be attached to a %s", type_name(kind->object));
  }
  if (s->type == mjSENS_CAMPROJECTION && s->reftype != mjOBJ_CAMERA) {
    return compile_error(c, e, "sensor must refer to a camera");
  }
  return true;
}

// Dimension, data type and stage from the type; cutoff and noise checked. Needs no ids.
bool sensor_resolve(snCompile* c, snElement* e) {
  mjsSensor* s = &e->u.sensor;
  if ((int)s->type < 0 || s->type > mjSENS_USER) return compile_error(c, e, "invalid sensor type");
  if (s->type != mjSENS_USER && s->type != mjSENS_PLUGIN) {
    const Kind* kind = &kinds[s->type];
    if (kind->object == mjOBJ_UNKNOWN) {
      s->objtype = mjOBJ_UNKNOWN;
    } else if (!check_object(c, e, kind)) {
      return false;
    }
    s->dim = kind->dim;
    s->datatype = kind->data;
    s->needstage = kind->stage;
  }
  if (s->type == mjSENS_USER) {
    if (s->dim < 0) return compile_error(c, e, "sensor dim must be positive");
    if (s->datatype == mjDATATYPE_AXIS && s->dim != 3) {
      return compile_error(c, e, "datatype AXIS requires dim=3 in sensor");
    }
    if (s->datatype == mjDATATYPE_QUATERNION && s->dim != 4) {
      return compile_error(c, e, "datatype QUATERNION requires dim=4 in sensor");
    }
  }
  if (s->noise < 0) return compile_error(c, e, "negative noise in sensor");
  if (s->cutoff < 0) return compile_error(c, e, "negative cutoff in sensor");
  bool direction = s->datatype == mjDATATYPE_AXIS || s->datatype == mjDATATYPE_QUATERNION;
  if (s->cutoff > 0 && direction && s->type != mjSENS_GEOMNORMAL) {
    return compile_error(c, e, "cutoff applied to axis or quaternion datatype in sensor");
  }
  return true;
}

static bool names_hfield(const snCompile* c, mjtObj type, const mjString* name) {
  const snElement* g = type == mjOBJ_GEOM ? spec_find(c->spec, type, string_text(name)) : NULL;
  return g && g->u.geom.type == mjGEOM_HFIELD;
}

// Checks that need the object found.
bool sensor_validate(snCompile* c, snElement* e, int id) {
  const mjsSensor* s = &e->u.sensor;
  const mjsJoint* joint =
      s->objtype == mjOBJ_JOINT && id >= 0 ? &c->list[mjOBJ_JOINT].item[id]->u.joint : NULL;
  const mjsTendon* tendon =
      s->objtype == mjOBJ_TENDON && id >= 0 ? &c->list[mjOBJ_TENDON].item[id]->u.tendon : NULL;
  switch ((int)s->type) {
    case mjSENS_JOINTPOS:
    case mjSENS_JOINTVEL:
    case mjSENS_JOINTACTFRC:
      if (joint->type != mjJNT_SLIDE && joint->type != mjJNT_HINGE) {
        return compile_error(c, e, "joint must be slide or hinge in sensor");
      }
      break;
    case mjSENS_BALLQUAT:
    case mjSENS_BALLANGVEL:
      if (joint->type != mjJNT_BALL) return compile_error(c, e, "joint must be ball in sensor");
      break;
    case mjSENS_JOINTLIMITPOS:
    case mjSENS_JOINTLIMITVEL:
    case mjSENS_JOINTLIMITFRC:
      if (!joint->limited) return compile_error(c, e, "joint must be limited in sensor");
      break;
    case mjSENS_TENDONLIMITPOS:
    case mjSENS_TENDONLIMITVEL:
    case mjSENS_TENDONLIMITFRC:
      if (!tendon->limited) return compile_error(c, e, "tendon must be limited in sensor");
      break;
    case mjSENS_GEOMDIST:
    case mjSENS_GEOMNORMAL:
    case mjSENS_GEOMFROMTO:
      if (names_hfield(c, s->objtype, s->objname) || names_hfield(c, s->reftype, s->refname)) {
        return compile_error(c, e, "height fields are not supported in geom distance sensors");
      }
      break;
    default:
      break;
  }
  return true;
}
