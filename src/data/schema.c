// The table of mjData's fields.
#include "data/data.h"

#define MODEL(size) offsetof(mjModel, size), false
#define DATA(size) offsetof(mjData, size), true
#define BY(size) offsetof(mjModel, size)
#define ONE -1
#define NAME_MODEL(size) #size
#define NAME_DATA(size) #size
#define NAME_BY(size) #size
#define NAME_ONE NULL

#define FIELD(type, name, rows, by, columns)                               \
  {#name,   snTYPE_##type, sizeof(type), offsetof(mjData, name), rows, by, \
   columns, NAME_##rows,   NAME_##by},

const snField schema_data[] = {
#define ARRAY FIELD
#define ARENA FIELD
#include "data/schema_data.inc"
};
const int schema_data_count = sizeof schema_data / sizeof schema_data[0];

const int schema_data_buffer = 0
#define ARRAY(...) +1
#include "data/schema_data.inc"
    ;

const snMember schema_member[] = {
#define MEMBER(type, name, count) \
  {"", #name, snTYPE_##type, sizeof(type), offsetof(mjData, name), count},
#include "data/schema_data.inc"
};
const int schema_member_count = sizeof schema_member / sizeof schema_member[0];
