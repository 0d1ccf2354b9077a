// The MJCF schema, part two: assets, default classes, the kinematic tree, deformables.
#include "read/table_fields.h"
#include "spec/composite.h"
#include "spec/flexcomp.h"

enum { E = snIN_ELEMENT, D = snIN_DEFAULT, B = snIN_ELEMENT | snIN_DEFAULT };

// ---- assets
const snTagAttr table_mesh[] = {
    CLS(E),
    STR("content_type", mjsMesh, content_type, 0, E),
    IVC("face", mjsMesh, userface, 0, E),
    STR("file", mjsMesh, file, 0, E),
    KEY("inertia", key_meshinertia, mjsMesh, inertia, 0, B),
    INT("maxhullvert", 1, 1, mjsMesh, maxhullvert, 0, B),
    NAM(E),
    FVC("normal", mjsMesh, usernormal, 0, E),
    DBL("refpos", 3, 3, mjsMesh, refpos, 0, E),
    DBL("refquat", 4, 4, mjsMesh, refquat, 0, E),
    DBL("scale", 3, 3, mjsMesh, scale, 0, B),
    BYT("smoothnormal", key_bool, mjsMesh, smoothnormal, 0, E),
    FVC("texcoord", mjsMesh, usertexcoord, 0, E),
    FVC("vertex", mjsMesh, uservert, 0, E),
};

static const snTagAttr kHField[] = {
    STR("content_type", mjsHField, content_type, 0, E),
    FVC("elevation", mjsHField, userdata, snATTR_CODE, E),
    STR("file", mjsHField, file, 0, E),
    NAM(E),
    INT("ncol", 1, 1, mjsHField, ncol, 0, E),
    INT("nrow", 1, 1, mjsHField, nrow, 0, E),
    DBL("size", 4, 4, mjsHField, size, snATTR_REQUIRED, E),
};

const snTagAttr table_skin[] = {
    IVC("face", mjsSkin, face, 0, E),         STR("file", mjsSkin, file, 0, E),
    INT("group", 1, 1, mjsSkin, group, 0, E), FLT("inflate", 1, 1, mjsSkin, inflate, 0, E),
    STR("material", mjsSkin, material, 0, E), NAM(E),
    FLT("rgba", 4, 4, mjsSkin, rgba, 0, E),   FVC("texcoord", mjsSkin, texcoord, 0, E),
    FVC("vertex", mjsSkin, vert, 0, E),
};
static const snTagAttr kBone[] = {
    {"bindpos", snVALUE_FLOAT, 3, 3, snATTR_CODE | snATTR_REQUIRED, 0, NULL, E},
    {"bindquat", snVALUE_FLOAT, 4, 4, snATTR_CODE | snATTR_REQUIRED, 0, NULL, E},
    CODE_STR("body", snATTR_REQUIRED, E),
    {"vertid", snVALUE_INTS, 0, -1, snATTR_CODE | snATTR_REQUIRED, 0, NULL, E},
    {"vertweight", snVALUE_FLOATS, 0, -1, snATTR_CODE | snATTR_REQUIRED, 0, NULL, E},
};
const snTag table_bone_child[1] = {{"bone", '*', false, kBone, snCOUNT(kBone), E, NULL, 0, 0}};

static const snTagAttr kTexture[] = {
    KEY("builtin", key_builtin, mjsTexture, builtin, 0, E),
    KEY("colorspace", key_colorspace, mjsTexture, colorspace, 0, E),
    STR("content_type", mjsTexture, content_type, 0, E),
    STR("file", mjsTexture, file, 0, E),
    CODE_STR("fileback", 0, E),
    CODE_STR("filedown", 0, E),
    CODE_STR("filefront", 0, E),
    CODE_STR("fileleft", 0, E),
    CODE_STR("fileright", 0, E),
    CODE_STR("fileup", 0, E),
    CODE_STR("gridlayout", 0, E),
    INT("gridsize", 2, 2, mjsTexture, gridsize, 0, E),
    INT("height", 1, 1, mjsTexture, height, 0, E),
    BYT("hflip", key_bool, mjsTexture, hflip, 0, E),
    KEY("mark", key_mark, mjsTexture, mark, 0, E),
    DBL("markrgb", 3, 3, mjsTexture, markrgb, 0, E),
    NAM(E),
    INT("nchannel", 1, 1, mjsTexture, nchannel, 0, E),
    DBL("random", 1, 1, mjsTexture, random, 0, E),
    DBL("rgb1", 3, 3, mjsTexture, rgb1, 0, E),
    DBL("rgb2", 3, 3, mjsTexture, rgb2, 0, E),
    KEY("type", key_texture, mjsTexture, type, 0, E),
    BYT("vflip", key_bool, mjsTexture, vflip, 0, E),
    INT("width", 1, 1, mjsTexture, width, 0, E),
};

const snTagAttr table_material[] = {
    CLS(E),
    FLT("emission", 1, 1, mjsMaterial, emission, 0, B),
    FLT("metallic", 1, 1, mjsMaterial, metallic, 0, B),
    NAM(E),
    FLT("reflectance", 1, 1, mjsMaterial, reflectance, 0, B),
    FLT("rgba", 4, 4, mjsMaterial, rgba, 0, B),
    FLT("roughness", 1, 1, mjsMaterial, roughness, 0, B),
    FLT("shininess", 1, 1, mjsMaterial, shininess, 0, B),
    FLT("specular", 1, 1, mjsMaterial, specular, 0, B),
    FLT("texrepeat", 2, 2, mjsMaterial, texrepeat, 0, B),
    CODE_STR("texture", 0, B),
    BYT("texuniform", key_bool, mjsMaterial, texuniform, 0, B),
};
static const snTagAttr kLayer[] = {
    CODE_KEY("role", key_role, snATTR_REQUIRED, E),
    CODE_STR("texture", snATTR_REQUIRED, E),
};
static const snTag kLayerChild[] = {{"layer", '*', false, kLayer, snCOUNT(kLayer), E, NULL, 0, 0}};

static const snTagAttr kModel[] = {
    CODE_STR("content_type", 0, E),
    CODE_STR("file", snATTR_REQUIRED, E),
    CODE_STR("name", 0, E),
};
static const snTag kAssetChildren[] = {
    {"mesh", '*', false, table_mesh, snCOUNT(table_mesh), E, table_plugin_child, 1, mjOBJ_MESH},
    {"hfield", '*', false, kHField, snCOUNT(kHField), E, NULL, 0, mjOBJ_HFIELD},
    {"skin", '*', false, table_skin, snCOUNT(table_skin), E, table_bone_child, 1, mjOBJ_SKIN},
    {"texture", '*', false, kTexture, snCOUNT(kTexture), E, NULL, 0, mjOBJ_TEXTURE},
    {"material", '*', false, table_material, snCOUNT(table_material), E, kLayerChild, 1,
     mjOBJ_MATERIAL},
    {"model", '*', false, kModel, snCOUNT(kModel), E, NULL, 0, mjOBJ_MODEL},
};
const snTag table_asset = {"asset", '*', false, NULL, 0, E, kAssetChildren, snCOUNT(kAssetChildren),
                           0};

// ---- elements of bodies
const snTagAttr table_joint[] = {
    KEY("actuatorfrclimited", key_auto, mjsJoint, actfrclimited, 0, B),
    DBL("actuatorfrcrange", 2, 2, mjsJoint, actfrcrange, 0, B),
    BYT("actuatorgravcomp", key_bool, mjsJoint, actgravcomp, 0, B),
    DBL("armature", 1, 1, mjsJoint, armature, 0, B),
    DBL("axis", 3, 3, mjsJoint, axis, 0, B),
    CLS(E),
    DBL("damping", 1, 1, mjsJoint, damping, 0, B),
    DBL("frictionloss", 1, 1, mjsJoint, frictionloss, 0, B),
    INT("group", 1, 1, mjsJoint, group, 0, B),
    KEY("limited", key_auto, mjsJoint, limited, 0, B),
    DBL("margin", 1, 1, mjsJoint, margin, 0, B),
    NAM(E),
    DBL("pos", 3, 3, mjsJoint, pos, 0, B),
    DBL("range", 2, 2, mjsJoint, range, 0, B),
    DBL("ref", 1, 1, mjsJoint, ref, 0, B),
    DBL("solimpfriction", 1, 5, mjsJoint, solimp_friction, 0, B),
    DBL("solimplimit", 1, 5, mjsJoint, solimp_limit, 0, B),
    DBL("solreffriction", 1, 2, mjsJoint, solref_friction, 0, B),
    DBL("solreflimit", 1, 2, mjsJoint, solref_limit, 0, B),
    DBL("springdamper", 2, 2, mjsJoint, springdamper, 0, B),
    DBL("springref", 1, 1, mjsJoint, springref, 0, B),
    DBL("stiffness", 1, 1, mjsJoint, stiffness, 0, B),
    KEY("type", key_joint, mjsJoint, type, 0, B),
    DVC("user", mjsJoint, userdata, 0, B),
};

static const snTagAttr kFreeJoint[] = {
    KEY("align", key_auto, mjsJoint, align, 0, E),
    INT("group", 1, 1, mjsJoint, group, 0, E),
    NAM(E),
};

const snTagAttr table_geom[] = {
    AXISANGLE(mjsGeom, alt, B),
    CLS(E),
    INT("conaffinity", 1, 1, mjsGeom, conaffinity, 0, B),
    INT("condim", 1, 1, mjsGeom, condim, 0, B),
    INT("contype", 1, 1, mjsGeom, contype, 0, B),
    DBL("density", 1, 1, mjsGeom, density, 0, B),
    EULER(mjsGeom, alt, B),
    DBL("fitscale", 1, 1, mjsGeom, fitscale, 0, B),
    DBL("fluidcoef", 1, 5, mjsGeom, fluid_coefs, 0, B),
    {"fluidshape", snVALUE_KEYNUM, 1, 1, 0, offsetof(mjsGeom, fluid_ellipsoid), key_fluid, B},
    DBL("friction", 1, 3, mjsGeom, friction, 0, B),
    DBL("fromto", 6, 6, mjsGeom, fromto, 0, B),
    DBL("gap", 1, 1, mjsGeom, gap, 0, B),
    INT("group", 1, 1, mjsGeom, group, 0, B),
    STR("hfield", mjsGeom, hfieldname, 0, B),
    DBL("margin", 1, 1, mjsGeom, margin, 0, B),
    DBL("mass", 1, 1, mjsGeom, mass, 0, B),
    STR("material", mjsGeom, material, 0, B),
    STR("mesh", mjsGeom, meshname, 0, B),
    NAM(E),
    DBL("pos", 3, 3, mjsGeom, pos, 0, B),
    INT("priority", 1, 1, mjsGeom, priority, 0, B),
    DBL("quat", 4, 4, mjsGeom, quat, 0, B),
    FLT("rgba", 4, 4, mjsGeom, rgba, 0, B),
    KEY("shellinertia", key_bool, mjsGeom, typeinertia, 0, B),
    DBL("size", 1, 3, mjsGeom, size, 0, B),
    DBL("solimp", 1, 5, mjsGeom, solimp, 0, B),
    DBL("solmix", 1, 1, mjsGeom, solmix, 0, B),
    DBL("solref", 1, 2, mjsGeom, solref, 0, B),
    KEY("type", key_geom, mjsGeom, type, 0, B),
    DVC("user", mjsGeom, userdata, 0, B),
    XYAXES(mjsGeom, alt, B),
    ZAXIS(mjsGeom, alt, B),
};

const snTagAttr table_site[] = {
    AXISANGLE(mjsSite, alt, B),
    CLS(E),
    EULER(mjsSite, alt, B),
    DBL("fromto", 6, 6, mjsSite, fromto, 0, B),
    INT("group", 1, 1, mjsSite, group, 0, B),
    STR("material", mjsSite, material, 0, B),
    NAM(E),
    DBL("pos", 3, 3, mjsSite, pos, 0, B),
    DBL("quat", 4, 4, mjsSite, quat, 0, B),
    FLT("rgba", 4, 4, mjsSite, rgba, 0, B),
    DBL("size", 1, 3, mjsSite, size, 0, B),
    KEY("type", key_geom, mjsSite, type, 0, B),
    DVC("user", mjsSite, userdata, 0, B),
    XYAXES(mjsSite, alt, B),
    ZAXIS(mjsSite, alt, B),
};

const snTagAttr table_camera[] = {
    AXISANGLE(mjsCamera, alt, B),
    CLS(E),
    EULER(mjsCamera, alt, B),
    FLT("focal", 2, 2, mjsCamera, focal_length, 0, B),
    FLT("focalpixel", 2, 2, mjsCamera, focal_pixel, 0, B),
    DBL("fovy", 1, 1, mjsCamera, fovy, 0, B),
    DBL("ipd", 1, 1, mjsCamera, ipd, 0, B),
    KEY("mode", key_mode, mjsCamera, mode, 0, B),
    NAM(E),
    KEY("orthographic", key_bool, mjsCamera, orthographic, 0, B),
    DBL("pos", 3, 3, mjsCamera, pos, 0, B),
    FLT("principal", 2, 2, mjsCamera, principal_length, 0, B),
    FLT("principalpixel", 2, 2, mjsCamera, principal_pixel, 0, B),
    DBL("quat", 4, 4, mjsCamera, quat, 0, B),
    FLT("resolution", 2, 2, mjsCamera, resolution, 0, B),
    FLT("sensorsize", 2, 2, mjsCamera, sensor_size, 0, B),
    STR("target", mjsCamera, targetbody, 0, E),
    DVC("user", mjsCamera, userdata, 0, B),
    XYAXES(mjsCamera, alt, B),
    ZAXIS(mjsCamera, alt, B),
};

const snTagAttr table_light[] = {
    BYT("active", key_bool, mjsLight, active, 0, B),
    FLT("ambient", 3, 3, mjsLight, ambient, 0, B),
    FLT("attenuation", 3, 3, mjsLight, attenuation, 0, B),
    FLT("bulbradius", 1, 1, mjsLight, bulbradius, 0, B),
    BYT("castshadow", key_bool, mjsLight, castshadow, 0, B),
    CLS(E),
    FLT("cutoff", 1, 1, mjsLight, cutoff, 0, B),
    FLT("diffuse", 3, 3, mjsLight, diffuse, 0, B),
    DBL("dir", 3, 3, mjsLight, dir, 0, B),
    CODE_KEY("directional", key_bool, snATTR_NOWRITE, B),
    FLT("exponent", 1, 1, mjsLight, exponent, 0, B),
    FLT("intensity", 1, 1, mjsLight, intensity, 0, B),
    KEY("mode", key_mode, mjsLight, mode, 0, B),
    NAM(E),
    DBL("pos", 3, 3, mjsLight, pos, 0, B),
    FLT("range", 1, 1, mjsLight, range, 0, B),
    FLT("specular", 3, 3, mjsLight, specular, 0, B),
    STR("target", mjsLight, targetbody, 0, E),
    STR("texture", mjsLight, texture, 0, E),
    KEY("type", key_light, mjsLight, type, 0, B),
};

static const snTagAttr kInertial[] = {
    AXISANGLE(mjsBody, ialt, E),
    DBL("diaginertia", 3, 3, mjsBody, inertia, 0, E),
    EULER(mjsBody, ialt, E),
    DBL("fullinertia", 6, 6, mjsBody, fullinertia, 0, E),
    DBL("mass", 1, 1, mjsBody, mass, snATTR_REQUIRED, E),
    DBL("pos", 3, 3, mjsBody, ipos, snATTR_REQUIRED, E),
    DBL("quat", 4, 4, mjsBody, iquat, 0, E),
    XYAXES(mjsBody, ialt, E),
    ZAXIS(mjsBody, ialt, E),
};

static const snTagAttr kAttach[] = {
    CODE_STR("body", 0, E),
    CODE_STR("model", snATTR_REQUIRED, E),
    CODE_STR("prefix", snATTR_REQUIRED, E),
};

// ---- composite
static const snKeyword key_composite[] = {
    {"particle", 100},       {"grid", 101},  {"rope", 102}, {"loop", 103},
    {"cable", snCOMP_CABLE}, {"cloth", 104}, {NULL, 0}};
static const snKeyword key_initial[] = {{"ball", snCOMPINITIAL_BALL},
                                        {"free", snCOMPINITIAL_FREE},
                                        {"none", snCOMPINITIAL_NONE},
                                        {"fixed", snCOMPINITIAL_BALL},  // deprecated name of ball
                                        {NULL, 0}};
static const snKeyword key_kind[] = {{"main", 0}, {NULL, 0}};
static const snTagAttr kComposite[] = {
    INT("count", 1, 3, snComposite, count, 0, E),
    CODE_STR("curve", 0, E),
    CODE_KEY("initial", key_initial, 0, E),
    DBL("offset", 3, 3, snComposite, offset, 0, E),
    CODE_STR("prefix", 0, E),
    DBL("quat", 4, 4, snComposite, quat, 0, E),
    DBL("size", 1, 3, snComposite, size, 0, E),
    CODE_KEY("type", key_composite, snATTR_REQUIRED, E),
    {"vertex", snVALUE_DOUBLES, 0, -1, snATTR_CODE, 0, NULL, E},
};
static const snTagAttr kCompositeJoint[] = {
    DBL("armature", 1, 1, snComposite, joint.armature, 0, E),
    DBL("axis", 3, 3, snComposite, joint.axis, 0, E),
    DBL("damping", 1, 1, snComposite, joint.damping, 0, E),
    DBL("frictionloss", 1, 1, snComposite, joint.frictionloss, 0, E),
    INT("group", 1, 1, snComposite, joint.group, 0, E),
    CODE_KEY("kind", key_kind, snATTR_REQUIRED, E),
    CODE_KEY("limited", key_auto, 0, E),  // implied by the range
    DBL("margin", 1, 1, snComposite, joint.margin, 0, E),
    DBL("range", 2, 2, snComposite, joint.range, 0, E),
    CODE_DBL("solimpfix", 1, 5, 0, E),
    DBL("solimpfriction", 1, 5, snComposite, joint.solimp_friction, 0, E),
    DBL("solimplimit", 1, 5, snComposite, joint.solimp_limit, 0, E),
    CODE_DBL("solreffix", 1, 2, 0, E),
    DBL("solreffriction", 1, 2, snComposite, joint.solref_friction, 0, E),
    DBL("solreflimit", 1, 2, snComposite, joint.solref_limit, 0, E),
    DBL("stiffness", 1, 1, snComposite, joint.stiffness, 0, E),
    KEY("type", key_joint, snComposite, joint.type, 0, E),
};
static const snTagAttr kCompositeSkin[] = {
    INT("group", 1, 1, snComposite, skin_group, 0, E),
    FLT("inflate", 1, 1, snComposite, skin_inflate, 0, E),
    CODE_STR("material", 0, E),
    FLT("rgba", 4, 4, snComposite, skin_rgba, 0, E),
    INT("subgrid", 1, 1, snComposite, skin_subgrid, 0, E),
    CODE_KEY("texcoord", key_bool, 0, E),
};
static const snTagAttr kCompositeGeom[] = {
    INT("conaffinity", 1, 1, snComposite, geom.conaffinity, 0, E),
    INT("condim", 1, 1, snComposite, geom.condim, 0, E),
    INT("contype", 1, 1, snComposite, geom.contype, 0, E),
    DBL("density", 1, 1, snComposite, geom.density, 0, E),
    DBL("friction", 1, 3, snComposite, geom.friction, 0, E),
    DBL("gap", 1, 1, snComposite, geom.gap, 0, E),
    INT("group", 1, 1, snComposite, geom.group, 0, E),
    DBL("margin", 1, 1, snComposite, geom.margin, 0, E),
    DBL("mass", 1, 1, snComposite, geom.mass, 0, E),
    CODE_STR("material", 0, E),
    INT("priority", 1, 1, snComposite, geom.priority, 0, E),
    FLT("rgba", 4, 4, snComposite, geom.rgba, 0, E),
    DBL("size", 1, 3, snComposite, geom.size, 0, E),
    DBL("solimp", 1, 5, snComposite, geom.solimp, 0, E),
    DBL("solmix", 1, 1, snComposite, geom.solmix, 0, E),
    DBL("solref", 1, 2, snComposite, geom.solref, 0, E),
    KEY("type", key_geom, snComposite, geom.type, 0, E),
};
static const snTagAttr kCompositeSite[] = {
    INT("group", 1, 1, snComposite, site.group, 0, E),
    CODE_STR("material", 0, E),
    FLT("rgba", 4, 4, snComposite, site.rgba, 0, E),
    DBL("size", 1, 3, snComposite, site.size, 0, E),
};
static const snTag kCompositeChildren[] = {
    {"joint", '*', false, kCompositeJoint, snCOUNT(kCompositeJoint), E, NULL, 0, 0},
    {"skin", '?', false, kCompositeSkin, snCOUNT(kCompositeSkin), E, NULL, 0, 0},
    {"geom", '?', false, kCompositeGeom, snCOUNT(kCompositeGeom), E, NULL, 0, 0},
    {"site", '?', false, kCompositeSite, snCOUNT(kCompositeSite), E, NULL, 0, 0},
    PLUGIN_CHILD,
};

// ---- flexcomp
static const snKeyword key_flexcomp[] = {{"grid", snFCOMP_GRID},
                                         {"box", snFCOMP_BOX},
                                         {"cylinder", snFCOMP_CYLINDER},
                                         {"ellipsoid", snFCOMP_ELLIPSOID},
                                         {"square", snFCOMP_SQUARE},
                                         {"disc", snFCOMP_DISC},
                                         {"circle", snFCOMP_CIRCLE},
                                         {"mesh", snFCOMP_MESH},
                                         {"gmsh", snFCOMP_GMSH},
                                         {"direct", snFCOMP_DIRECT},
                                         {NULL, 0}};
static const snKeyword key_dof[] = {{"full", snFCOMPDOF_FULL},
                                    {"radial", snFCOMPDOF_RADIAL},
                                    {"trilinear", snFCOMPDOF_TRILINEAR},
                                    {"quadratic", snFCOMPDOF_QUADRATIC},
                                    {NULL, 0}};
#define NUMBERS(name, type) \
  { name, type, 0, -1, snATTR_CODE, 0, NULL, E }
static const snTagAttr kFlexcomp[] = {
    AXISANGLE(snFlexcomp, alt, E),
    INT("count", 3, 3, snFlexcomp, count, 0, E),
    INT("dim", 1, 1, snFlexcomp, flex.dim, 0, E),
    KEY("dof", key_dof, snFlexcomp, dof, 0, E),
    NUMBERS("element", snVALUE_INTS),
    EULER(snFlexcomp, alt, E),
    CODE_STR("file", 0, E),
    BYT("flatskin", key_bool, snFlexcomp, flex.flatskin, 0, E),
    INT("group", 1, 1, snFlexcomp, flex.group, 0, E),
    DBL("inertiabox", 1, 1, snFlexcomp, inertiabox, 0, E),
    DBL("mass", 1, 1, snFlexcomp, mass, 0, E),
    CODE_STR("material", 0, E),
    CODE_STR("name", snATTR_REQUIRED, E),
    DBL("origin", 3, 3, snFlexcomp, origin, 0, E),
    NUMBERS("point", snVALUE_DOUBLES),
    DBL("pos", 3, 3, snFlexcomp, pos, 0, E),
    DBL("quat", 4, 4, snFlexcomp, quat, 0, E),
    DBL("radius", 1, 1, snFlexcomp, flex.radius, 0, E),
    FLT("rgba", 4, 4, snFlexcomp, flex.rgba, 0, E),
    BYT("rigid", key_bool, snFlexcomp, rigid, 0, E),
    DBL("scale", 3, 3, snFlexcomp, scale, 0, E),
    DBL("spacing", 3, 3, snFlexcomp, spacing, 0, E),
    NUMBERS("texcoord", snVALUE_FLOATS),
    KEY("type", key_flexcomp, snFlexcomp, type, 0, E),
    XYAXES(snFlexcomp, alt, E),
    ZAXIS(snFlexcomp, alt, E),
};
static const snTagAttr kFlexcompEdge[] = {
    DBL("damping", 1, 1, snFlexcomp, flex.edgedamping, 0, E),
    BYT("equality", key_bool, snFlexcomp, equality, 0, E),
    DBL("solimp", 1, 5, snFlexcomp, solimp, 0, E),
    DBL("solref", 1, 2, snFlexcomp, solref, 0, E),
    DBL("stiffness", 1, 1, snFlexcomp, flex.edgestiffness, 0, E),
};
// Below flexcomp and flex these two elements differ only in the struct.
#define ELASTICITY(T, at)                                                                       \
  DBL("damping", 1, 1, T, at damping, 0, E),                                                    \
      KEY("elastic2d", key_elastic2d, T, at elastic2d, 0, E),                                   \
      DBL("poisson", 1, 1, T, at poisson, 0, E), DBL("thickness", 1, 1, T, at thickness, 0, E), \
      DBL("young", 1, 1, T, at young, 0, E)
#define TOUCHING(T, at)                                                                           \
  INT("activelayers", 1, 1, T, at activelayers, 0, E),                                            \
      INT("conaffinity", 1, 1, T, at conaffinity, 0, E), INT("condim", 1, 1, T, at condim, 0, E), \
      INT("contype", 1, 1, T, at contype, 0, E), DBL("friction", 1, 3, T, at friction, 0, E),     \
      DBL("gap", 1, 1, T, at gap, 0, E), BYT("internal", key_bool, T, at internal, 0, E),         \
      DBL("margin", 1, 1, T, at margin, 0, E), INT("priority", 1, 1, T, at priority, 0, E),       \
      KEY("selfcollide", key_selfcollide, T, at selfcollide, 0, E),                               \
      DBL("solimp", 1, 5, T, at solimp, 0, E), DBL("solmix", 1, 1, T, at solmix, 0, E),           \
      DBL("solref", 1, 2, T, at solref, 0, E),                                                    \
      KEY("vertcollide", key_bool, T, at vertcollide, 0, E)
static const snTagAttr kFlexcompElasticity[] = {ELASTICITY(snFlexcomp, flex.)};
static const snTagAttr kFlexcompContact[] = {TOUCHING(snFlexcomp, flex.)};
static const snTagAttr kPin[] = {
    NUMBERS("grid", snVALUE_INTS),
    NUMBERS("gridrange", snVALUE_INTS),
    NUMBERS("id", snVALUE_INTS),
    NUMBERS("range", snVALUE_INTS),
};
static const snTag kFlexcompChildren[] = {
    {"edge", '?', false, kFlexcompEdge, snCOUNT(kFlexcompEdge), E, NULL, 0, 0},
    {"elasticity", '?', false, kFlexcompElasticity, snCOUNT(kFlexcompElasticity), E, NULL, 0, 0},
    {"contact", '?', false, kFlexcompContact, snCOUNT(kFlexcompContact), E, NULL, 0, 0},
    {"pin", '*', false, kPin, snCOUNT(kPin), E, NULL, 0, 0},
    PLUGIN_CHILD,
};

// ---- body and the elements that gather others
#define POSE(T) DBL("pos", 3, 3, T, pos, 0, E), DBL("quat", 4, 4, T, quat, 0, E)
static const snTagAttr kBody[] = {
    AXISANGLE(mjsBody, alt, E),
    CODE_STR("childclass", 0, E),
    EULER(mjsBody, alt, E),
    DBL("gravcomp", 1, 1, mjsBody, gravcomp, 0, E),
    BYT("mocap", key_bool, mjsBody, mocap, 0, E),
    NAM(E),
    POSE(mjsBody),
    DVC("user", mjsBody, userdata, 0, E),
    XYAXES(mjsBody, alt, E),
    ZAXIS(mjsBody, alt, E),
};
static const snTagAttr kFrame[] = {
    AXISANGLE(mjsFrame, alt, E),
    CODE_STR("childclass", 0, E),
    EULER(mjsFrame, alt, E),
    NAM(E),
    POSE(mjsFrame),
    XYAXES(mjsFrame, alt, E),
    ZAXIS(mjsFrame, alt, E),
};
static const snTagAttr kReplicate[] = {
    CODE_INT("count", 1, 1, snATTR_REQUIRED, E),
    CODE_DBL("euler", 3, 3, 0, E),
    CODE_DBL("offset", 3, 3, 0, E),
    CODE_STR("sep", 0, E),
};
static const snTag kBodyChildren[] = {
    {"inertial", '?', false, kInertial, snCOUNT(kInertial), E, NULL, 0, 0},
    {"joint", '*', false, table_joint, snCOUNT(table_joint), E, NULL, 0, mjOBJ_JOINT},
    {"freejoint", '*', false, kFreeJoint, snCOUNT(kFreeJoint), E, NULL, 0, mjOBJ_JOINT},
    {"geom", '*', false, table_geom, snCOUNT(table_geom), E, table_plugin_child, 1, mjOBJ_GEOM},
    {"attach", '*', false, kAttach, snCOUNT(kAttach), E, NULL, 0, 0},
    {"site", '*', false, table_site, snCOUNT(table_site), E, NULL, 0, mjOBJ_SITE},
    {"camera", '*', false, table_camera, snCOUNT(table_camera), E, NULL, 0, mjOBJ_CAMERA},
    {"light", '*', false, table_light, snCOUNT(table_light), E, NULL, 0, mjOBJ_LIGHT},
    PLUGIN_CHILD,
    {"composite", '*', false, kComposite, snCOUNT(kComposite), E, kCompositeChildren,
     snCOUNT(kCompositeChildren), 0},
    {"flexcomp", '*', false, kFlexcomp, snCOUNT(kFlexcomp), E, kFlexcompChildren,
     snCOUNT(kFlexcompChildren), 0},
};
const snTag table_worldbody = {
    "worldbody", '*', true, kBody, snCOUNT(kBody), E, kBodyChildren, snCOUNT(kBodyChildren), 0};
const snTag table_body = {"body",         'R', false,         kBody,
                          snCOUNT(kBody), E,   kBodyChildren, snCOUNT(kBodyChildren),
                          mjOBJ_BODY};
const snTag table_frame = {"frame",         'R', true,          kFrame,
                           snCOUNT(kFrame), E,   kBodyChildren, snCOUNT(kBodyChildren),
                           mjOBJ_FRAME};
const snTag table_replicate = {"replicate",
                               'R',
                               true,
                               kReplicate,
                               snCOUNT(kReplicate),
                               E,
                               kBodyChildren,
                               snCOUNT(kBodyChildren),
                               0};

// ---- deformable
static const snTagAttr kFlex[] = {
    SVC("body", mjsFlex, vertbody, 0, E),
    INT("dim", 1, 1, mjsFlex, dim, 0, E),
    IVC("element", mjsFlex, elem, snATTR_REQUIRED, E),
    IVC("elemtexcoord", mjsFlex, elemtexcoord, 0, E),
    BYT("flatskin", key_bool, mjsFlex, flatskin, 0, E),
    INT("group", 1, 1, mjsFlex, group, 0, E),
    STR("material", mjsFlex, material, 0, E),
    NAM(E),
    SVC("node", mjsFlex, nodebody, 0, E),
    DBL("radius", 1, 1, mjsFlex, radius, 0, E),
    FLT("rgba", 4, 4, mjsFlex, rgba, 0, E),
    FVC("texcoord", mjsFlex, texcoord, 0, E),
    DVC("vertex", mjsFlex, vert, 0, E),
};
static const snTagAttr kFlexContact[] = {TOUCHING(mjsFlex, )};
static const snTagAttr kFlexEdge[] = {
    DBL("damping", 1, 1, mjsFlex, edgedamping, 0, E),
    DBL("stiffness", 1, 1, mjsFlex, edgestiffness, 0, E),
};
static const snTagAttr kFlexElasticity[] = {ELASTICITY(mjsFlex, )};
static const snTag kFlexChildren[] = {
    {"contact", '?', false, kFlexContact, snCOUNT(kFlexContact), E, NULL, 0, 0},
    {"edge", '?', false, kFlexEdge, snCOUNT(kFlexEdge), E, NULL, 0, 0},
    {"elasticity", '?', false, kFlexElasticity, snCOUNT(kFlexElasticity), E, NULL, 0, 0},
};
static const snTag kDeformableChildren[] = {
    {"flex", '*', false, kFlex, snCOUNT(kFlex), E, kFlexChildren, snCOUNT(kFlexChildren),
     mjOBJ_FLEX},
    {"skin", '*', false, table_skin, snCOUNT(table_skin), E, table_bone_child, 1, mjOBJ_SKIN},
};
const snTag table_deformable = {"deformable", '*', false, NULL, 0, E, kDeformableChildren, 2, 0};
