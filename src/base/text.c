// The documented string tables (flags, timers, labels), names of object types, texts of warnings,
// sizes in bytes as text, and the "C" locale.
#include <stdio.h>

#include "base/base.h"

const char* mjDISABLESTRING[mjNDISABLE] = {
    "Constraint", "Equality",  "Frictionloss", "Limit",        "Contact",   "Passive",
    "Gravity",    "Clampctrl", "Warmstart",    "Filterparent", "Actuation", "Refsafe",
    "Sensor",     "Midphase",  "Eulerdamp",    "AutoReset",    "NativeCCD"};

const char* mjENABLESTRING[mjNENABLE] = {"Override",    "Energy",   "Fwdinv",
                                         "InvDiscrete", "MultiCCD", "Island"};

const char* mjTIMERSTRING[mjNTIMER] = {
    "step",          "forward",    "inverse",     "position",       "velocity",
    "actuation",     "constraint", "advance",     "pos_kinematics", "pos_inertia",
    "pos_collision", "pos_make",   "pos_project", "col_broadphase", "col_narrowphase"};

const char* mjLABELSTRING[mjNLABEL] = {
    "None",      "Body",     "Joint",    "Geom",         "Site",  "Camera",
    "Light",     "Tendon",   "Actuator", "Constraint",   "Flex",  "Skin",
    "Selection", "SelPoint", "Contact",  "ContactForce", "Island"};

const char* mjFRAMESTRING[mjNFRAME] = {"None",   "Body",  "Geom",    "Site",
                                       "Camera", "Light", "Contact", "World"};

// per flag: name, initial value, keyboard shortcut
const char* mjVISSTRING[mjNVISFLAG][3] = {
    {"Convex Hull", "0", "H"},   {"Texture", "1", "X"},        {"Joint", "0", "J"},
    {"Camera", "0", "Q"},        {"Actuator", "0", "U"},       {"Activation", "0", ","},
    {"Light", "0", "Z"},         {"Tendon", "1", "V"},         {"Range Finder", "1", "Y"},
    {"Equality", "0", "E"},      {"Inertia", "0", "I"},        {"Scale Inertia", "0", "'"},
    {"Perturb Force", "0", "B"}, {"Perturb Object", "1", "O"}, {"Contact Point", "0", "C"},
    {"Island", "1", ""},         {"Contact Force", "0", "F"},  {"Contact Split", "0", "P"},
    {"Transparent", "0", "T"},   {"Auto Connect", "0", "A"},   {"Center of Mass", "0", "M"},
    {"Select Point", "0", ""},   {"Static Body", "1", "D"},    {"Skin", "1", ";"},
    {"Flex Vert", "0", ""},      {"Flex Edge", "1", ""},       {"Flex Face", "0", ""},
    {"Flex Skin", "1", ""},      {"Body Tree", "0", "`"},      {"Flex Tree", "0", ""},
    {"Mesh Tree", "0", "\\"},    {"SDF iters", "0", ""}};

const char* mjRNDSTRING[mjNRNDFLAG][3] = {{"Shadow", "1", "S"},     {"Wireframe", "0", "W"},
                                          {"Reflection", "1", "R"}, {"Additive", "0", "L"},
                                          {"Skybox", "1", "K"},     {"Fog", "0", "G"},
                                          {"Haze", "1", "/"},       {"Segment", "0", ","},
                                          {"Id Color", "0", ""},    {"Cull Face", "1", ""}};

static const struct {
  int type;
  const char* name;
} type_names[] = {
    {mjOBJ_BODY, "body"},         {mjOBJ_XBODY, "xbody"},       {mjOBJ_JOINT, "joint"},
    {mjOBJ_DOF, "dof"},           {mjOBJ_GEOM, "geom"},         {mjOBJ_SITE, "site"},
    {mjOBJ_CAMERA, "camera"},     {mjOBJ_LIGHT, "light"},       {mjOBJ_FLEX, "flex"},
    {mjOBJ_MESH, "mesh"},         {mjOBJ_SKIN, "skin"},         {mjOBJ_HFIELD, "hfield"},
    {mjOBJ_TEXTURE, "texture"},   {mjOBJ_MATERIAL, "material"}, {mjOBJ_PAIR, "pair"},
    {mjOBJ_EXCLUDE, "exclude"},   {mjOBJ_EQUALITY, "equality"}, {mjOBJ_TENDON, "tendon"},
    {mjOBJ_ACTUATOR, "actuator"}, {mjOBJ_SENSOR, "sensor"},     {mjOBJ_NUMERIC, "numeric"},
    {mjOBJ_TEXT, "text"},         {mjOBJ_TUPLE, "tuple"},       {mjOBJ_KEY, "key"},
    {mjOBJ_PLUGIN, "plugin"},     {mjOBJ_FRAME, "frame"}};

const char* mju_type2Str(int type) {
  for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++) {
    if (type_names[i].type == type) return type_names[i].name;
  }
  return NULL;
}

int mju_str2Type(const char* str) {
  if (!str) return mjOBJ_UNKNOWN;
  for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++) {
    bool element = type_names[i].type <
                   mjNOBJECT;  // mjOBJ_FRAME and later types are not objects of a compiled model
    if (element && !strcmp(type_names[i].name, str)) return type_names[i].type;
  }
  return mjOBJ_UNKNOWN;
}

// Divided by the largest power of 1024 (K, M, G, ...) that divides the number without remainder.
const char* mju_writeNumBytes(size_t nbytes) {
  static _Thread_local char text[32];
  const char* unit = " KMGTPE";
  while (unit[1] && nbytes && nbytes % 1024 == 0) {
    nbytes /= 1024;
    unit++;
  }
  if (*unit == ' ') {
    snprintf(text, sizeof text, "%zu", nbytes);
  } else {
    snprintf(text, sizeof text, "%zu%c", nbytes, *unit);
  }
  return text;
}

const char* mju_warningText(int warning, size_t info) {
  static _Thread_local char text[256];
  const char* format = NULL;
  switch (warning) {
    case mjWARN_INERTIA:
      format = "the inertia matrix is close to singular at DOF %zu: see masses and armature there";
      break;
    case mjWARN_CONTACTFULL:
      format = "no memory for more contacts: %zu were kept";
      break;
    case mjWARN_CNSTRFULL:
      format = "no memory for more constraints: the arena holds %zu bytes";
      break;
    case mjWARN_VGEOMFULL:
      format = "the scene is full: maxgeom must be above %zu";
      break;
    case mjWARN_BADQPOS:
      format = "NaN, infinite or huge number in QPOS at %zu: the simulation is unstable";
      break;
    case mjWARN_BADQVEL:
      format = "NaN, infinite or huge number in QVEL at DOF %zu: the simulation is unstable";
      break;
    case mjWARN_BADQACC:
      format = "NaN, infinite or huge number in QACC at DOF %zu: the simulation is unstable";
      break;
    case mjWARN_BADCTRL:
      format = "NaN, infinite or huge number in CTRL at actuator %zu";
      break;
  }
  if (format) {
    snprintf(text, sizeof text, format, info);
  } else {
    snprintf(text, sizeof text, "no warning has the number %d", warning);
  }
  return text;
}

char* mju_strncpy(char* dst, const char* src, int n) {
  if (dst && src && n > 0) {
    strncpy(dst, src, n);
    dst[n - 1] = 0;
  }
  return dst;
}
