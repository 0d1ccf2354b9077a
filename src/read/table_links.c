// The MJCF schema, part three: contact, equality, tendon, actuator, sensor; the list of default
// classes.
#include "read/table_fields.h"

enum { E = snIN_ELEMENT, D = snIN_DEFAULT, B = snIN_ELEMENT | snIN_DEFAULT };

// ---- contact
const snTagAttr table_pair[] = {
    CLS(E),
    INT("condim", 1, 1, mjsPair, condim, 0, B),
    DBL("friction", 1, 5, mjsPair, friction, 0, B),
    DBL("gap", 1, 1, mjsPair, gap, 0, B),
    STR("geom1", mjsPair, geomname1, 0, E),
    STR("geom2", mjsPair, geomname2, 0, E),
    DBL("margin", 1, 1, mjsPair, margin, 0, B),
    NAM(E),
    DBL("solimp", 1, 5, mjsPair, solimp, 0, B),
    DBL("solref", 1, 2, mjsPair, solref, 0, B),
    DBL("solreffriction", 1, 2, mjsPair, solreffriction, 0, B),
};
static const snTagAttr kExclude[] = {
    STR("body1", mjsExclude, bodyname1, snATTR_REQUIRED, E),
    STR("body2", mjsExclude, bodyname2, snATTR_REQUIRED, E),
    NAM(E),
};
static const snTag kContactChildren[] = {
    {"pair", '*', false, table_pair, snCOUNT(table_pair), E, NULL, 0, mjOBJ_PAIR},
    {"exclude", '*', false, kExclude, snCOUNT(kExclude), E, NULL, 0, mjOBJ_EXCLUDE},
};
const snTag table_contact = {"contact", '*', false, NULL, 0, E, kContactChildren, 2, 0};

// ---- equality; the members of the family are bits
enum { DEF = 1, CON = 2, WLD = 4, JNT = 8, TEN = 16, FLX = 32, ANY = 62 };
const snTagAttr table_eq[] = {
    BYT("active", key_bool, mjsEquality, active, 0, ANY | DEF),
    CODE_DBL("anchor", 3, 3, 0, CON | WLD),
    CODE_STR("body1", 0, CON | WLD),
    CODE_STR("body2", 0, CON | WLD),
    CLS(ANY),
    STR("flex", mjsEquality, name1, snATTR_REQUIRED, FLX),
    STR("joint1", mjsEquality, name1, snATTR_REQUIRED, JNT),
    STR("joint2", mjsEquality, name2, 0, JNT),
    NAM(ANY),
    DBL("polycoef", 1, 5, mjsEquality, data, 0, JNT | TEN),
    CODE_DBL("relpose", 7, 7, 0, WLD),
    CODE_STR("site1", 0, CON | WLD),
    CODE_STR("site2", 0, CON | WLD),
    DBL("solimp", 1, 5, mjsEquality, solimp, 0, ANY | DEF),
    DBL("solref", 1, 2, mjsEquality, solref, 0, ANY | DEF),
    STR("tendon1", mjsEquality, name1, snATTR_REQUIRED, TEN),
    STR("tendon2", mjsEquality, name2, 0, TEN),
    CODE_DBL("torquescale", 1, 1, 0, WLD),
};
static const snTag kEqualityChildren[] = {
    {"connect", '*', false, table_eq, snCOUNT(table_eq), CON, NULL, 0, mjEQ_CONNECT},
    {"weld", '*', false, table_eq, snCOUNT(table_eq), WLD, NULL, 0, mjEQ_WELD},
    {"joint", '*', false, table_eq, snCOUNT(table_eq), JNT, NULL, 0, mjEQ_JOINT},
    {"tendon", '*', false, table_eq, snCOUNT(table_eq), TEN, NULL, 0, mjEQ_TENDON},
    {"flex", '*', false, table_eq, snCOUNT(table_eq), FLX, NULL, 0, mjEQ_FLEX},
};
const snTag table_equality = {"equality", '*', false, NULL, 0, E, kEqualityChildren, 5, 0};

// ---- tendon
enum { SPATIAL = 4, FIXED = 8, CORD = 12, CORD_D = 14, SPATIAL_D = 6 };
const snTagAttr table_cord[] = {
    KEY("actuatorfrclimited", key_auto, mjsTendon, actfrclimited, 0, CORD),
    DBL("actuatorfrcrange", 2, 2, mjsTendon, actfrcrange, 0, CORD),
    DBL("armature", 1, 1, mjsTendon, armature, 0, CORD),
    CLS(CORD),
    DBL("damping", 1, 1, mjsTendon, damping, 0, CORD_D),
    DBL("frictionloss", 1, 1, mjsTendon, frictionloss, 0, CORD_D),
    INT("group", 1, 1, mjsTendon, group, 0, CORD_D),
    KEY("limited", key_auto, mjsTendon, limited, 0, CORD_D),
    DBL("margin", 1, 1, mjsTendon, margin, 0, CORD_D),
    STR("material", mjsTendon, material, 0, SPATIAL_D),
    NAM(CORD),
    DBL("range", 2, 2, mjsTendon, range, 0, CORD_D),
    FLT("rgba", 4, 4, mjsTendon, rgba, 0, SPATIAL_D),
    DBL("solimpfriction", 1, 5, mjsTendon, solimp_friction, 0, CORD_D),
    DBL("solimplimit", 1, 5, mjsTendon, solimp_limit, 0, CORD_D),
    DBL("solreffriction", 1, 2, mjsTendon, solref_friction, 0, CORD_D),
    DBL("solreflimit", 1, 2, mjsTendon, solref_limit, 0, CORD_D),
    DBL("springlength", 1, 2, mjsTendon, springlength, 0, CORD_D),
    DBL("stiffness", 1, 1, mjsTendon, stiffness, 0, CORD_D),
    DVC("user", mjsTendon, userdata, 0, CORD_D),
    DBL("width", 1, 1, mjsTendon, width, 0, SPATIAL_D),
};
static const snTagAttr kWrapSite[] = {CODE_STR("site", snATTR_REQUIRED, E)};
static const snTagAttr kWrapGeom[] = {
    CODE_STR("geom", snATTR_REQUIRED, E),
    CODE_STR("sidesite", 0, E),
};
static const snTagAttr kWrapPulley[] = {CODE_DBL("divisor", 1, 1, snATTR_REQUIRED, E)};
static const snTagAttr kWrapJoint[] = {
    CODE_DBL("coef", 1, 1, snATTR_REQUIRED, E),
    CODE_STR("joint", snATTR_REQUIRED, E),
};
static const snTag kSpatialChildren[] = {
    {"site", '*', false, kWrapSite, 1, E, NULL, 0, mjWRAP_SITE},
    {"geom", '*', false, kWrapGeom, 2, E, NULL, 0, mjWRAP_SPHERE},
    {"pulley", '*', false, kWrapPulley, 1, E, NULL, 0, mjWRAP_PULLEY},
};
static const snTag kFixedChildren[] = {
    {"joint", '*', false, kWrapJoint, 2, E, NULL, 0, mjWRAP_JOINT},
};
static const snTag kTendonChildren[] = {
    {"spatial", '*', false, table_cord, snCOUNT(table_cord), SPATIAL, kSpatialChildren, 3, 0},
    {"fixed", '*', false, table_cord, snCOUNT(table_cord), FIXED, kFixedChildren, 1, 1},
};
const snTag table_tendon = {"tendon", '*', false, NULL, 0, E, kTendonChildren, 2, 0};

// ---- actuator
enum {
  G = snDRIVE_GENERAL,
  M = snDRIVE_MOTOR,
  P = snDRIVE_POSITION,
  V = snDRIVE_VELOCITY,
  I = snDRIVE_INTVELOCITY,
  DM = snDRIVE_DAMPER,
  C = snDRIVE_CYLINDER,
  U = snDRIVE_MUSCLE,
  A = snDRIVE_ADHESION,
  L = snDRIVE_PLUGIN,
  ALL = snDRIVE_ALL,
};
// the element alone; the element and its default
#define ONLY(set) (set)
#define BOTH(set) ((unsigned)(set) | ((unsigned)((set) & ~L) << snDRIVE_DEFAULT))
// A parameter of a shortcut: the offset is in snDrive.
#define OWN(name, n, field, where)                                                            \
  {                                                                                           \
    name, snVALUE_DOUBLE, n, n, snATTR_CODE | snATTR_NOWRITE, offsetof(snDrive, field), NULL, \
        where                                                                                 \
  }
const snTagAttr table_drive[] = {
    INT("actdim", 1, 1, mjsActuator, actdim, 0, BOTH(G | L)),
    BYT("actearly", key_bool, mjsActuator, actearly, 0, BOTH(G | L)),
    KEY("actlimited", key_auto, mjsActuator, actlimited, 0, BOTH(G | L)),
    DBL("actrange", 2, 2, mjsActuator, actrange, 0, BOTH(G | L | I)),
    OWN("area", 1, area, BOTH(C)),
    OWN("bias", 3, bias, BOTH(C)),
    DBL("biasprm", 1, mjNBIAS, mjsActuator, biasprm, 0, BOTH(G)),
    KEY("biastype", key_bias, mjsActuator, biastype, 0, BOTH(G)),
    CODE_STR("body", 0, ONLY(G | A)),
    CLS(ONLY(ALL)),
    DBL("cranklength", 1, 1, mjsActuator, cranklength, 0, BOTH(ALL & ~A)),
    CODE_STR("cranksite", 0, ONLY(ALL & ~A)),
    KEY("ctrllimited", key_auto, mjsActuator, ctrllimited, 0, BOTH(ALL & ~(A | DM))),
    DBL("ctrlrange", 2, 2, mjsActuator, ctrlrange, 0, BOTH(ALL)),
    OWN("dampratio", 1, dampratio, BOTH(P | I)),
    OWN("diameter", 1, diameter, BOTH(C)),
    DBL("dynprm", 1, mjNDYN, mjsActuator, dynprm, 0, BOTH(G | L)),
    KEY("dyntype", key_dyn, mjsActuator, dyntype, 0, BOTH(G | L)),
    OWN("force", 1, force, BOTH(U)),
    KEY("forcelimited", key_auto, mjsActuator, forcelimited, 0, BOTH(ALL)),
    DBL("forcerange", 2, 2, mjsActuator, forcerange, 0, BOTH(ALL)),
    OWN("fpmax", 1, fpmax, BOTH(U)),
    OWN("fvmax", 1, fvmax, BOTH(U)),
    OWN("gain", 1, gain, BOTH(A)),
    DBL("gainprm", 1, mjNGAIN, mjsActuator, gainprm, 0, BOTH(G)),
    KEY("gaintype", key_gain, mjsActuator, gaintype, 0, BOTH(G)),
    DBL("gear", 1, 6, mjsActuator, gear, 0, BOTH(ALL & ~A)),
    INT("group", 1, 1, mjsActuator, group, 0, BOTH(ALL)),
    DBL("inheritrange", 1, 1, mjsActuator, inheritrange, 0, BOTH(P | I)),
    CODE_STR("instance", 0, ONLY(L)),
    CODE_STR("joint", 0, ONLY(ALL & ~A)),
    CODE_STR("jointinparent", 0, ONLY(ALL & ~A)),
    OWN("kp", 1, kp, BOTH(P | I)),
    OWN("kv", 1, kv, BOTH(P | V | I | DM)),
    DBL("lengthrange", 2, 2, mjsActuator, lengthrange, 0, ONLY(ALL & ~A)),
    OWN("lmax", 1, lmax, BOTH(U)),
    OWN("lmin", 1, lmin, BOTH(U)),
    NAM(ONLY(ALL)),
    CODE_STR("plugin", 0, ONLY(L)),
    OWN("range", 2, range, BOTH(U)),
    STR("refsite", mjsActuator, refsite, 0, ONLY(ALL & ~(A | U | L))),
    OWN("scale", 1, scale, BOTH(U)),
    CODE_STR("site", 0, ONLY(ALL & ~(A | U))),
    STR("slidersite", mjsActuator, slidersite, 0, ONLY(ALL & ~A)),
    OWN("tausmooth", 1, tausmooth, ONLY(U)),
    CODE_STR("tendon", 0, ONLY(ALL & ~A)),
    {"timeconst", snVALUE_DOUBLE, 1, 1, snATTR_CODE | snATTR_NOWRITE, offsetof(snDrive, timeconst),
     NULL, BOTH(P | C)},
    {"timeconst", snVALUE_DOUBLE, 2, 2, snATTR_CODE | snATTR_NOWRITE, offsetof(snDrive, timeconst),
     NULL, BOTH(U)},
    DVC("user", mjsActuator, userdata, 0, BOTH(ALL)),
    OWN("vmax", 1, vmax, BOTH(U)),
};
#define DRIVE(name, bit, children, n) \
  { name, '*', false, table_drive, snCOUNT(table_drive), bit, children, n, bit }
static const snTag kActuatorChildren[] = {
    DRIVE("general", G, NULL, 0),     DRIVE("motor", M, NULL, 0),
    DRIVE("position", P, NULL, 0),    DRIVE("velocity", V, NULL, 0),
    DRIVE("intvelocity", I, NULL, 0), DRIVE("damper", DM, NULL, 0),
    DRIVE("cylinder", C, NULL, 0),    DRIVE("muscle", U, NULL, 0),
    DRIVE("adhesion", A, NULL, 0),    DRIVE("plugin", L, table_config_child, 1),
};
const snTag table_actuator = {
    "actuator", '*', false, NULL, 0, E, kActuatorChildren, snCOUNT(kActuatorChildren), 0};

// ---- sensor; members of the family are bits, by the object that a sensor is attached to
enum {
  S_SITE = 1,
  S_CAM = 2,
  S_JNT = 4,
  S_TEN = 8,
  S_ACT = 16,
  S_OBJ = 32,
  S_REF = 64,
  S_BODY = 128,
  S_PAIR = 256,
  S_NONE = 512,
  S_USER = 1024,
  S_PLUGIN = 2048,
  S_ANY = 4095,
};
static const snTagAttr kSensor[] = {
    CODE_STR("actuator", snATTR_REQUIRED, S_ACT),
    CODE_STR("body", snATTR_REQUIRED, S_BODY),
    CODE_STR("body1", 0, S_PAIR),
    CODE_STR("body2", 0, S_PAIR),
    CODE_STR("camera", snATTR_REQUIRED, S_CAM),
    DBL("cutoff", 1, 1, mjsSensor, cutoff, 0, S_ANY),
    KEY("datatype", key_datatype, mjsSensor, datatype, 0, S_USER),
    INT("dim", 1, 1, mjsSensor, dim, snATTR_REQUIRED, S_USER),
    CODE_STR("geom1", 0, S_PAIR),
    CODE_STR("geom2", 0, S_PAIR),
    CODE_STR("instance", 0, S_PLUGIN),
    CODE_STR("joint", snATTR_REQUIRED, S_JNT),
    NAM(S_ANY),
    KEY("needstage", key_stage, mjsSensor, needstage, 0, S_USER),
    DBL("noise", 1, 1, mjsSensor, noise, 0, S_ANY & ~S_PLUGIN),
    CODE_STR("objname", snATTR_REQUIRED, S_OBJ),
    CODE_STR("objname", 0, S_USER | S_PLUGIN),
    CODE_STR("objtype", snATTR_REQUIRED, S_OBJ),
    CODE_STR("objtype", 0, S_USER | S_PLUGIN),
    CODE_STR("plugin", 0, S_PLUGIN),
    CODE_STR("refname", 0, S_REF | S_PLUGIN),
    CODE_STR("reftype", 0, S_REF | S_PLUGIN),
    CODE_STR("site", snATTR_REQUIRED, S_SITE),
    CODE_STR("tendon", snATTR_REQUIRED, S_TEN),
    DVC("user", mjsSensor, userdata, 0, S_ANY),
};
#define SENSOR(name, set, type) \
  { name, '*', false, kSensor, snCOUNT(kSensor), set, NULL, 0, type }
static const snTag kSensorChildren[] = {
    SENSOR("touch", S_SITE, mjSENS_TOUCH),
    SENSOR("accelerometer", S_SITE, mjSENS_ACCELEROMETER),
    SENSOR("velocimeter", S_SITE, mjSENS_VELOCIMETER),
    SENSOR("gyro", S_SITE, mjSENS_GYRO),
    SENSOR("force", S_SITE, mjSENS_FORCE),
    SENSOR("torque", S_SITE, mjSENS_TORQUE),
    SENSOR("magnetometer", S_SITE, mjSENS_MAGNETOMETER),
    SENSOR("camprojection", S_SITE | S_CAM, mjSENS_CAMPROJECTION),
    SENSOR("rangefinder", S_SITE, mjSENS_RANGEFINDER),
    SENSOR("jointpos", S_JNT, mjSENS_JOINTPOS),
    SENSOR("jointvel", S_JNT, mjSENS_JOINTVEL),
    SENSOR("tendonpos", S_TEN, mjSENS_TENDONPOS),
    SENSOR("tendonvel", S_TEN, mjSENS_TENDONVEL),
    SENSOR("actuatorpos", S_ACT, mjSENS_ACTUATORPOS),
    SENSOR("actuatorvel", S_ACT, mjSENS_ACTUATORVEL),
    SENSOR("actuatorfrc", S_ACT, mjSENS_ACTUATORFRC),
    SENSOR("jointactuatorfrc", S_JNT, mjSENS_JOINTACTFRC),
    SENSOR("tendonactuatorfrc", S_TEN, mjSENS_TENDONACTFRC),
    SENSOR("ballquat", S_JNT, mjSENS_BALLQUAT),
    SENSOR("ballangvel", S_JNT, mjSENS_BALLANGVEL),
    SENSOR("jointlimitpos", S_JNT, mjSENS_JOINTLIMITPOS),
    SENSOR("jointlimitvel", S_JNT, mjSENS_JOINTLIMITVEL),
    SENSOR("jointlimitfrc", S_JNT, mjSENS_JOINTLIMITFRC),
    SENSOR("tendonlimitpos", S_TEN, mjSENS_TENDONLIMITPOS),
    SENSOR("tendonlimitvel", S_TEN, mjSENS_TENDONLIMITVEL),
    SENSOR("tendonlimitfrc", S_TEN, mjSENS_TENDONLIMITFRC),
    SENSOR("framepos", S_OBJ | S_REF, mjSENS_FRAMEPOS),
    SENSOR("framequat", S_OBJ | S_REF, mjSENS_FRAMEQUAT),
    SENSOR("framexaxis", S_OBJ | S_REF, mjSENS_FRAMEXAXIS),
    SENSOR("frameyaxis", S_OBJ | S_REF, mjSENS_FRAMEYAXIS),
    SENSOR("framezaxis", S_OBJ | S_REF, mjSENS_FRAMEZAXIS),
    SENSOR("framelinvel", S_OBJ | S_REF, mjSENS_FRAMELINVEL),
    SENSOR("frameangvel", S_OBJ | S_REF, mjSENS_FRAMEANGVEL),
    SENSOR("framelinacc", S_OBJ, mjSENS_FRAMELINACC),
    SENSOR("frameangacc", S_OBJ, mjSENS_FRAMEANGACC),
    SENSOR("subtreecom", S_BODY, mjSENS_SUBTREECOM),
    SENSOR("subtreelinvel", S_BODY, mjSENS_SUBTREELINVEL),
    SENSOR("subtreeangmom", S_BODY, mjSENS_SUBTREEANGMOM),
    SENSOR("distance", S_PAIR, mjSENS_GEOMDIST),
    SENSOR("normal", S_PAIR, mjSENS_GEOMNORMAL),
    SENSOR("fromto", S_PAIR, mjSENS_GEOMFROMTO),
    SENSOR("e_potential", S_NONE, mjSENS_E_POTENTIAL),
    SENSOR("e_kinetic", S_NONE, mjSENS_E_KINETIC),
    SENSOR("clock", S_NONE, mjSENS_CLOCK),
    SENSOR("user", S_USER, mjSENS_USER),
    {"plugin", '*', false, kSensor, snCOUNT(kSensor), S_PLUGIN, table_config_child, 1,
     mjSENS_PLUGIN},
};
const snTag table_sensor = {
    "sensor", '*', false, NULL, 0, E, kSensorChildren, snCOUNT(kSensorChildren), 0};

// ---- default classes
#define IN_CLASS(name, family, mask, tag) \
  { name, '?', false, family, snCOUNT(family), mask, NULL, 0, tag }
#define DRIVE_CLASS(name, bit) \
  IN_CLASS(name, table_drive, (unsigned)(bit) << snDRIVE_DEFAULT, snTAG_DRIVE | (bit))
static const snTagAttr kDefault[] = {CODE_STR("class", 0, E)};
static const snTag kDefaultChildren[] = {
    IN_CLASS("mesh", table_mesh, D, mjOBJ_MESH),
    IN_CLASS("material", table_material, D, mjOBJ_MATERIAL),
    IN_CLASS("joint", table_joint, D, mjOBJ_JOINT),
    IN_CLASS("geom", table_geom, D, mjOBJ_GEOM),
    IN_CLASS("site", table_site, D, mjOBJ_SITE),
    IN_CLASS("camera", table_camera, D, mjOBJ_CAMERA),
    IN_CLASS("light", table_light, D, mjOBJ_LIGHT),
    IN_CLASS("pair", table_pair, D, mjOBJ_PAIR),
    IN_CLASS("equality", table_eq, DEF, mjOBJ_EQUALITY),
    IN_CLASS("tendon", table_cord, D, mjOBJ_TENDON),
    DRIVE_CLASS("general", G),
    DRIVE_CLASS("motor", M),
    DRIVE_CLASS("position", P),
    DRIVE_CLASS("velocity", V),
    DRIVE_CLASS("intvelocity", I),
    DRIVE_CLASS("damper", DM),
    DRIVE_CLASS("cylinder", C),
    DRIVE_CLASS("muscle", U),
    DRIVE_CLASS("adhesion", A),
};
const snTag table_default = {
    "default", 'R', false, kDefault, 1, E, kDefaultChildren, snCOUNT(kDefaultChildren), 0};
