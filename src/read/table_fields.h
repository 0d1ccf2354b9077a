// Macros in which the sections of the table are written; private to table_*.c.
// ROW(name, least, most, struct, field, flags, where)
#ifndef SINEW_READ_TABLE_FIELDS_H_
#define SINEW_READ_TABLE_FIELDS_H_

#include "read/table.h"

#define DBL(name, least, most, T, field, flags, where) \
  { name, snVALUE_DOUBLE, least, most, flags, offsetof(T, field), NULL, where }
#define FLT(name, least, most, T, field, flags, where) \
  { name, snVALUE_FLOAT, least, most, flags, offsetof(T, field), NULL, where }
#define INT(name, least, most, T, field, flags, where) \
  { name, snVALUE_INT, least, most, flags, offsetof(T, field), NULL, where }
#define KEY(name, keys, T, field, flags, where) \
  { name, snVALUE_KEY, 1, 1, flags, offsetof(T, field), keys, where }
#define BYT(name, keys, T, field, flags, where) \
  { name, snVALUE_BYTE, 1, 1, flags, offsetof(T, field), keys, where }
#define STR(name, T, field, flags, where) \
  { name, snVALUE_STRING, 1, 1, flags, offsetof(T, field), NULL, where }
#define SVC(name, T, field, flags, where) \
  { name, snVALUE_STRINGS, 1, -1, flags, offsetof(T, field), NULL, where }
#define DVC(name, T, field, flags, where) \
  { name, snVALUE_DOUBLES, 0, -1, flags, offsetof(T, field), NULL, where }
#define FVC(name, T, field, flags, where) \
  { name, snVALUE_FLOATS, 0, -1, flags, offsetof(T, field), NULL, where }
#define IVC(name, T, field, flags, where) \
  { name, snVALUE_INTS, 0, -1, flags, offsetof(T, field), NULL, where }
#define NAM(where) \
  { "name", snVALUE_NAME, 1, 1, 0, 0, NULL, where }
#define CLS(where) \
  { "class", snVALUE_CLASS, 1, 1, 0, 0, NULL, where }
// Read by code: the row only describes the form.
#define CODE_STR(name, flags, where) \
  { name, snVALUE_STRING, 1, 1, snATTR_CODE | flags, 0, NULL, where }
#define CODE_KEY(name, keys, flags, where) \
  { name, snVALUE_KEY, 1, 1, snATTR_CODE | flags, 0, keys, where }
#define CODE_DBL(name, least, most, flags, where) \
  { name, snVALUE_DOUBLE, least, most, snATTR_CODE | flags, 0, NULL, where }
#define CODE_INT(name, least, most, flags, where) \
  { name, snVALUE_INT, least, most, snATTR_CODE | flags, 0, NULL, where }

// The forms of orientation besides quat, sorted by name around it.
extern const snKeyword key_axisangle[], key_xyaxes[], key_zaxis[], key_euler[];
#define AXISANGLE(T, alt, where) \
  { "axisangle", snVALUE_ORIENT, 4, 4, 0, offsetof(T, alt), key_axisangle, where }
#define EULER(T, alt, where) \
  { "euler", snVALUE_ORIENT, 3, 3, 0, offsetof(T, alt), key_euler, where }
#define XYAXES(T, alt, where) \
  { "xyaxes", snVALUE_ORIENT, 6, 6, 0, offsetof(T, alt), key_xyaxes, where }
#define ZAXIS(T, alt, where) \
  { "zaxis", snVALUE_ORIENT, 3, 3, 0, offsetof(T, alt), key_zaxis, where }

// <plugin> below an element: the plugin, or the declared instance, that it uses
#define PLUGIN_CHILD \
  { "plugin", '*', false, table_pluginref, 2, 1, table_config_child, 1, 0 }

#endif
