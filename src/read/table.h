// The MJCF schema: one table of elements, attributes, value types, counts, and the spec field that
// each value goes to. It drives the reader, the writer, mj_printSchema and the reference page.
#ifndef SINEW_READ_TABLE_H_
#define SINEW_READ_TABLE_H_

#include <mujoco/mujoco.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct snKeyword_ {
  const char* name;  // NULL terminates a list
  int value;
} snKeyword;

// How the text of an attribute becomes a value, and the type of the target field.
typedef enum snValue_ {
  snVALUE_INT,      // int[least..most]
  snVALUE_DOUBLE,   // double[least..most]
  snVALUE_FLOAT,    // float[least..most]
  snVALUE_KEY,      // keyword into int
  snVALUE_BYTE,     // keyword into mjtByte
  snVALUE_KEYNUM,   // keyword into mjtNum
  snVALUE_STRING,   // mjString*
  snVALUE_STRINGS,  // mjStringVec*, separated by space
  snVALUE_INTS,     // mjIntVec*
  snVALUE_DOUBLES,  // mjDoubleVec*
  snVALUE_FLOATS,   // mjFloatVec*
  snVALUE_ORIENT,   // member of an mjsOrientation; keys[0].value says which
  snVALUE_NAME,     // the name of the element
  snVALUE_CLASS,    // the default class
} snValue;

enum {
  snATTR_CODE = 1,      // read by code of the element; the table only describes it
  snATTR_REQUIRED = 2,  // reading fails when it is absent
  snATTR_NOWRITE = 4,   // an alias, or a value that is written in another form
};

typedef struct snTagAttr_ {
  const char* name;
  unsigned char type;     // snValue
  signed char least;      // number of values
  short most;             // -1: any number
  unsigned char flags;    // snATTR_*
  unsigned short offset;  // of the field in the element's struct
  const snKeyword* keys;
  unsigned where;  // members of the family that have the attribute; see snTag.mask
} snTagAttr;

typedef struct snTag_ {
  const char* name;
  char multiplicity;            // '!' once, '?' at most once, '*' any number, 'R' recursive
  bool hidden;                  // omitted by mj_printSchema (frame, replicate, worldbody)
  const snTagAttr* attributes;  // sorted by name
  int nattribute;
  unsigned mask;  // the attributes with (where & mask) belong to the element
  const struct snTag_* children;
  int nchild;
  int tag;  // sensor type, equality type or object type, by family
} snTag;

extern const snTag table_mujoco;

// ---- lookup; NULL when absent
const snTagAttr* table_attribute(const snTag* element, const char* name);
const snTag* table_child(const snTag* element, const char* name);
// The name closest to a misspelled one; NULL when none is close.
const char* table_nearest_attribute(const snTag* element, const char* name);
const char* table_nearest_child(const snTag* element, const char* name);
const char* table_nearest_keyword(const snKeyword* keys, const char* name);
// "false, true, auto" into a buffer; returns the buffer.
const char* table_keywords(const snKeyword* keys, char* buffer, int size);
// The keyword of a value; NULL when there is none.
const char* table_keyword(const snKeyword* keys, int value);

// ---- parts of the table, by section (table_*.c)
extern const snTag table_compiler, table_option, table_size, table_visual, table_statistic;
extern const snTag table_default, table_extension, table_custom, table_asset;
extern const snTag table_worldbody, table_body, table_deformable, table_contact;
extern const snTag table_equality, table_tendon, table_actuator, table_sensor, table_keyframe;
extern const snTag table_frame, table_replicate;

// Elements that share a list of attributes form a family; masks select among them.
enum { snIN_ELEMENT = 1, snIN_DEFAULT = 2 };
extern const snTagAttr table_mesh[14], table_material[12], table_joint[24], table_geom[33];
extern const snTagAttr table_site[15], table_camera[20], table_light[20], table_pair[11];
extern const snTagAttr table_eq[18], table_cord[21], table_drive[50], table_skin[9];

// Bones, plugin references and configuration look the same wherever they occur.
extern const snTagAttr table_pluginref[2];
extern const snTag table_plugin_child[1], table_config_child[1], table_bone_child[1];

// Members of the actuator family.
enum {
  snDRIVE_GENERAL = 1 << 0,
  snDRIVE_MOTOR = 1 << 1,
  snDRIVE_POSITION = 1 << 2,
  snDRIVE_VELOCITY = 1 << 3,
  snDRIVE_INTVELOCITY = 1 << 4,
  snDRIVE_DAMPER = 1 << 5,
  snDRIVE_CYLINDER = 1 << 6,
  snDRIVE_MUSCLE = 1 << 7,
  snDRIVE_ADHESION = 1 << 8,
  snDRIVE_PLUGIN = 1 << 9,
  snDRIVE_ALL = (1 << 10) - 1,
  snDRIVE_DEFAULT = 16,   // shift for the same element in a default class
  snTAG_DRIVE = 1 << 12,  // marks actuators of a default class in snTag.tag
};

// Parameters of actuator shortcuts that are not fields of mjsActuator.
typedef struct snDrive_ {
  double kp, kv, dampratio, timeconst[2], tausmooth, area, diameter, bias[3];
  double range[2], force, scale, lmin, lmax, vmax, fpmax, fvmax, gain;
} snDrive;

// ---- keywords used in more than one place
extern const snKeyword key_bool[], key_auto[], key_enable[], key_joint[], key_geom[], key_mode[];
extern const snKeyword key_light[], key_integrator[], key_cone[], key_jacobian[], key_solver[];
extern const snKeyword key_texture[], key_colorspace[], key_builtin[], key_mark[], key_role[];
extern const snKeyword key_dyn[], key_gain[], key_bias[], key_stage[], key_datatype[];
extern const snKeyword key_meshinertia[], key_fluid[], key_angle[], key_coordinate[], key_lrmode[];
extern const snKeyword key_selfcollide[], key_elastic2d[];

// attributes of option/flag and their bits
extern const snKeyword flag_disable[], flag_enable[];

#define snCOUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

#endif
