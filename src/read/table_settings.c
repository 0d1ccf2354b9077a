// The MJCF schema, part one: compiler, option, size, statistic, visual, extension, custom,
// keyframe.
#include "read/table_fields.h"

// ---- compiler
#define BOOL(name, field) BYT(name, key_bool, mjSpec, field, 0, 1)
static const snTagAttr kCompiler[] = {
    KEY("alignfree", key_bool, mjSpec, compiler.alignfree, 0, 1),
    BYT("angle", key_angle, mjSpec, compiler.degree, snATTR_NOWRITE, 1),
    CODE_STR("assetdir", snATTR_NOWRITE, 1),
    BOOL("autolimits", compiler.autolimits),
    BOOL("balanceinertia", compiler.balanceinertia),
    DBL("boundinertia", 1, 1, mjSpec, compiler.boundinertia, 0, 1),
    DBL("boundmass", 1, 1, mjSpec, compiler.boundmass, 0, 1),
    CODE_KEY("coordinate", key_coordinate, snATTR_NOWRITE, 1),
    BOOL("discardvisual", compiler.discardvisual),
    CODE_STR("eulerseq", 0, 1),
    BOOL("fitaabb", compiler.fitaabb),
    BOOL("fusestatic", compiler.fusestatic),
    KEY("inertiafromgeom", key_auto, mjSpec, compiler.inertiafromgeom, 0, 1),
    INT("inertiagrouprange", 2, 2, mjSpec, compiler.inertiagrouprange, 0, 1),
    STR("meshdir", mjSpec, meshdir, 0, 1),
    BOOL("saveinertial", compiler.saveinertial),
    DBL("settotalmass", 1, 1, mjSpec, compiler.settotalmass, 0, 1),
    BOOL("strippath", strippath),
    STR("texturedir", mjSpec, texturedir, 0, 1),
    BOOL("usethread", compiler.usethread),
};

#define LR(name, field) DBL(name, 1, 1, mjSpec, compiler.LRopt.field, 0, 1)
static const snTagAttr kLengthRange[] = {
    LR("accel", accel),
    LR("interval", interval),
    LR("inttotal", inttotal),
    LR("maxforce", maxforce),
    KEY("mode", key_lrmode, mjSpec, compiler.LRopt.mode, 0, 1),
    LR("timeconst", timeconst),
    LR("timestep", timestep),
    LR("tolrange", tolrange),
    KEY("useexisting", key_bool, mjSpec, compiler.LRopt.useexisting, 0, 1),
    KEY("uselimit", key_bool, mjSpec, compiler.LRopt.uselimit, 0, 1),
};
static const snTag kCompilerChildren[] = {
    {"lengthrange", '?', false, kLengthRange, snCOUNT(kLengthRange), 1, NULL, 0, 0},
};
const snTag table_compiler = {"compiler",        '*', false, kCompiler, snCOUNT(kCompiler), 1,
                              kCompilerChildren, 1,   0};

// ---- option
#define ONE(name) DBL(#name, 1, 1, mjSpec, option.name, 0, 1)
#define VEC(name, least, most) DBL(#name, least, most, mjSpec, option.name, 0, 1)
#define OINT(name) INT(#name, 1, 1, mjSpec, option.name, 0, 1)
#define OKEY(name, keys) KEY(#name, keys, mjSpec, option.name, 0, 1)
static const snTagAttr kOption[] = {
    CODE_INT("actuatorgroupdisable", 0, 31, 0, 1),
    ONE(apirate),
    OINT(ccd_iterations),
    ONE(ccd_tolerance),
    OKEY(cone, key_cone),
    ONE(density),
    VEC(gravity, 3, 3),
    ONE(impratio),
    OKEY(integrator, key_integrator),
    OINT(iterations),
    OKEY(jacobian, key_jacobian),
    OINT(ls_iterations),
    ONE(ls_tolerance),
    VEC(magnetic, 3, 3),
    OINT(noslip_iterations),
    ONE(noslip_tolerance),
    VEC(o_friction, 1, 5),
    ONE(o_margin),
    VEC(o_solimp, 1, 5),
    VEC(o_solref, 1, 2),
    OINT(sdf_initpoints),
    OINT(sdf_iterations),
    OKEY(solver, key_solver),
    ONE(timestep),
    ONE(tolerance),
    ONE(viscosity),
    VEC(wind, 3, 3),
};
// Flags are bits of disableflags and enableflags; read_flag knows which.
#define FLAG(name) CODE_KEY(name, key_enable, 0, 1)
static const snTagAttr kFlag[] = {
    FLAG("actuation"),    FLAG("autoreset"),    FLAG("clampctrl"), FLAG("constraint"),
    FLAG("contact"),      FLAG("energy"),       FLAG("equality"),  FLAG("eulerdamp"),
    FLAG("filterparent"), FLAG("frictionloss"), FLAG("fwdinv"),    FLAG("gravity"),
    FLAG("invdiscrete"),  FLAG("island"),       FLAG("limit"),     FLAG("midphase"),
    FLAG("multiccd"),     FLAG("nativeccd"),    FLAG("override"),  FLAG("passive"),
    FLAG("refsafe"),      FLAG("sensor"),       FLAG("warmstart"),
};
static const snTag kOptionChildren[] = {
    {"flag", '?', false, kFlag, snCOUNT(kFlag), 1, NULL, 0, 0},
};
const snTag table_option = {"option",        '*', false, kOption, snCOUNT(kOption), 1,
                            kOptionChildren, 1,   0};

// ---- size
#define SIZE(name) INT(#name, 1, 1, mjSpec, name, 0, 1)
static const snTagAttr kSize[] = {
    CODE_STR("memory", 0, 1),
    SIZE(nconmax),
    SIZE(njmax),
    SIZE(nkey),
    CODE_INT("nstack", 1, 1, 0, 1),
    SIZE(nuser_actuator),
    SIZE(nuser_body),
    SIZE(nuser_cam),
    SIZE(nuser_geom),
    SIZE(nuser_jnt),
    SIZE(nuser_sensor),
    SIZE(nuser_site),
    SIZE(nuser_tendon),
    SIZE(nuserdata),
};
const snTag table_size = {"size", '*', false, kSize, snCOUNT(kSize), 1, NULL, 0, 0};

// ---- statistic
#define STAT(name, n) DBL(#name, n, n, mjSpec, stat.name, 0, 1)
static const snTagAttr kStatistic[] = {
    STAT(center, 3), STAT(extent, 1), STAT(meaninertia, 1), STAT(meanmass, 1), STAT(meansize, 1),
};
const snTag table_statistic = {"statistic", '*',  false, kStatistic, snCOUNT(kStatistic),
                               1,           NULL, 0,     0};

// ---- visual
#define VF(group, name, n) FLT(#name, n, n, mjSpec, visual.group.name, 0, 1)
#define VI(group, name) INT(#name, 1, 1, mjSpec, visual.group.name, 0, 1)
#define VB(group, name) KEY(#name, key_bool, mjSpec, visual.group.name, 0, 1)
static const snTagAttr kGlobal[] = {
    VF(global, azimuth, 1),   VB(global, bvactive),         VI(global, cameraid),
    VF(global, elevation, 1), VB(global, ellipsoidinertia), VF(global, fovy, 1),
    VF(global, glow, 1),      VF(global, ipd, 1),           VF(global, linewidth, 1),
    VI(global, offheight),    VI(global, offwidth),         VB(global, orthographic),
    VF(global, realtime, 1),
};
static const snTagAttr kQuality[] = {
    VI(quality, numquads),   VI(quality, numslices),  VI(quality, numstacks),
    VI(quality, offsamples), VI(quality, shadowsize),
};
static const snTagAttr kHeadlight[] = {
    VI(headlight, active),
    VF(headlight, ambient, 3),
    VF(headlight, diffuse, 3),
    VF(headlight, specular, 3),
};
static const snTagAttr kMap[] = {
    VF(map, actuatortendon, 1), VF(map, alpha, 1),       VF(map, fogend, 1),
    VF(map, fogstart, 1),       VF(map, force, 1),       VF(map, haze, 1),
    VF(map, shadowclip, 1),     VF(map, shadowscale, 1), VF(map, stiffness, 1),
    VF(map, stiffnessrot, 1),   VF(map, torque, 1),      VF(map, zfar, 1),
    VF(map, znear, 1),
};
#define SC(name) VF(scale, name, 1)
static const snTagAttr kScale[] = {
    SC(actuatorlength), SC(actuatorwidth), SC(camera),       SC(com),        SC(connect),
    SC(constraint),     SC(contactheight), SC(contactwidth), SC(forcewidth), SC(framelength),
    SC(framewidth),     SC(frustum),       SC(jointlength),  SC(jointwidth), SC(light),
    SC(selectpoint),    SC(slidercrank),
};
#define CL(name) VF(rgba, name, 4)
static const snTagAttr kRgba[] = {
    CL(actuator),
    CL(actuatornegative),
    CL(actuatorpositive),
    CL(bv),
    CL(bvactive),
    CL(camera),
    CL(com),
    CL(connect),
    CL(constraint),
    CL(contactforce),
    CL(contactfriction),
    CL(contactgap),
    CL(contactpoint),
    CL(contacttorque),
    CL(crankbroken),
    CL(fog),
    CL(force),
    CL(frustum),
    CL(haze),
    CL(inertia),
    CL(joint),
    CL(light),
    CL(rangefinder),
    CL(selectpoint),
    CL(slidercrank),
};
static const snTag kVisualChildren[] = {
    {"global", '?', false, kGlobal, snCOUNT(kGlobal), 1, NULL, 0, 0},
    {"quality", '?', false, kQuality, snCOUNT(kQuality), 1, NULL, 0, 0},
    {"headlight", '?', false, kHeadlight, snCOUNT(kHeadlight), 1, NULL, 0, 0},
    {"map", '?', false, kMap, snCOUNT(kMap), 1, NULL, 0, 0},
    {"scale", '?', false, kScale, snCOUNT(kScale), 1, NULL, 0, 0},
    {"rgba", '?', false, kRgba, snCOUNT(kRgba), 1, NULL, 0, 0},
};
const snTag table_visual = {
    "visual", '*', false, NULL, 0, 1, kVisualChildren, snCOUNT(kVisualChildren), 0};

// ---- extension
static const snTagAttr kConfig[] = {
    CODE_STR("key", snATTR_REQUIRED, 1),
    CODE_STR("value", snATTR_REQUIRED, 1),
};
const snTag table_config_child[1] = {
    {"config", '*', false, kConfig, snCOUNT(kConfig), 1, NULL, 0, 0},
};
static const snTagAttr kInstance[] = {CODE_STR("name", snATTR_REQUIRED, 1)};
static const snTag kInstanceChild[] = {
    {"instance", '*', false, kInstance, snCOUNT(kInstance), 1, table_config_child, 1, 0},
};
static const snTagAttr kPluginDecl[] = {CODE_STR("plugin", snATTR_REQUIRED, 1)};
static const snTag kExtensionChildren[] = {
    {"plugin", '*', false, kPluginDecl, snCOUNT(kPluginDecl), 1, kInstanceChild, 1, 0},
};
const snTag table_extension = {"extension", '*', false, NULL, 0, 1, kExtensionChildren, 1, 0};

const snTagAttr table_pluginref[2] = {CODE_STR("instance", 0, 1), CODE_STR("plugin", 0, 1)};
const snTag table_plugin_child[1] = {
    {"plugin", '*', false, table_pluginref, 2, 1, table_config_child, 1, 0},
};

// ---- custom
static const snTagAttr kNumeric[] = {
    CODE_DBL("data", 0, 500, 0, 1),
    {"name", snVALUE_NAME, 1, 1, snATTR_REQUIRED, 0, NULL, 1},
    CODE_INT("size", 1, 1, 0, 1),
};
static const snTagAttr kText[] = {
    CODE_STR("data", snATTR_REQUIRED, 1),
    {"name", snVALUE_NAME, 1, 1, snATTR_REQUIRED, 0, NULL, 1},
};
static const snTagAttr kTupleElement[] = {
    CODE_STR("objname", snATTR_REQUIRED, 1),
    CODE_STR("objtype", snATTR_REQUIRED, 1),
    CODE_DBL("prm", 1, 1, 0, 1),
};
static const snTagAttr kTuple[] = {
    {"name", snVALUE_NAME, 1, 1, snATTR_REQUIRED, 0, NULL, 1},
};
static const snTag kTupleChildren[] = {
    {"element", '*', false, kTupleElement, snCOUNT(kTupleElement), 1, NULL, 0, 0},
};
static const snTag kCustomChildren[] = {
    {"numeric", '*', false, kNumeric, snCOUNT(kNumeric), 1, NULL, 0, mjOBJ_NUMERIC},
    {"text", '*', false, kText, snCOUNT(kText), 1, NULL, 0, mjOBJ_TEXT},
    {"tuple", '*', false, kTuple, snCOUNT(kTuple), 1, kTupleChildren, 1, mjOBJ_TUPLE},
};
const snTag table_custom = {"custom", '*', false, NULL, 0, 1, kCustomChildren, 3, 0};

// ---- keyframe
static const snTagAttr kKey[] = {
    DVC("act", mjsKey, act, 0, 1),
    DVC("ctrl", mjsKey, ctrl, 0, 1),
    DVC("mpos", mjsKey, mpos, 0, 1),
    DVC("mquat", mjsKey, mquat, 0, 1),
    NAM(1),
    DVC("qpos", mjsKey, qpos, 0, 1),
    DVC("qvel", mjsKey, qvel, 0, 1),
    DBL("time", 1, 1, mjsKey, time, 0, 1),
};
static const snTag kKeyframeChildren[] = {
    {"key", '*', false, kKey, snCOUNT(kKey), 1, NULL, 0, mjOBJ_KEY},
};
const snTag table_keyframe = {"keyframe", '*', false, NULL, 0, 1, kKeyframeChildren, 1, 0};
