// The table of mjModel's fields, and the order in which files and dumps list them.
#include "base/assert.h"
#include "model/schema.h"

#define MODEL(size) offsetof(mjModel, size), false
#define BY(size) offsetof(mjModel, size)
#define ONE -1
#define NAME_MODEL(size) #size
#define NAME_BY(size) #size
#define NAME_ONE NULL

const snField schema_model[] = {
#define ARRAY(type, name, rows, by, columns)                                \
  {#name,   snTYPE_##type, sizeof(type), offsetof(mjModel, name), rows, by, \
   columns, NAME_##rows,   NAME_##by},
#include "model/schema_model.inc"
};
const int schema_model_count = sizeof schema_model / sizeof schema_model[0];

// Files and dumps list arrays in the order of the struct, except those of meshes.
static const char* const kMeshOrder[] = {
    "mesh_normaladr", "mesh_normalnum", "mesh_texcoordadr", "mesh_texcoordnum", "mesh_faceadr",
    "mesh_facenum",   "mesh_bvhadr",    "mesh_bvhnum",      "mesh_octadr",      "mesh_octnum",
    "mesh_graphadr",  "mesh_scale",     "mesh_pos",         "mesh_quat",        "mesh_vert",
    "mesh_normal",    "mesh_texcoord",  "mesh_face",        "mesh_facenormal",  "mesh_facetexcoord",
    "mesh_graph"};

static int array_named(const char* name) {
  int i = 0;
  while (strcmp(schema_model[i].name, name)) {
    i++;
    SN_ASSERT(i < schema_model_count);  // only names of the schema are looked up
  }
  return i;
}

const snField* schema_listed(int i) {
  int place = i - array_named("mesh_faceadr");
  bool mesh = place >= 0 && place < (int)(sizeof kMeshOrder / sizeof kMeshOrder[0]);
  return &schema_model[mesh ? array_named(kMeshOrder[place]) : i];
}

const snMember schema_size[] = {
#define SIZE(name) {"", #name, snTYPE_int, sizeof(int), offsetof(mjModel, name), 1},
#include "model/schema_model.inc"
};
const int schema_size_count = sizeof schema_size / sizeof schema_size[0];

const snMember schema_option[] = {
#define OPTION(type, name, count) \
  {"opt", #name, snTYPE_##type, sizeof(type), offsetof(mjModel, opt.name), count},
#include "model/schema_model.inc"
};
const int schema_option_count = sizeof schema_option / sizeof schema_option[0];

const snMember schema_visual[] = {
#define VISUAL(group, type, name, count) \
  {#group, #name, snTYPE_##type, sizeof(type), offsetof(mjModel, vis.group.name), count},
#include "model/schema_model.inc"
};
const int schema_visual_count = sizeof schema_visual / sizeof schema_visual[0];

const snMember schema_statistic[] = {
#define STATISTIC(type, name, count) \
  {"stat", #name, snTYPE_##type, sizeof(type), offsetof(mjModel, stat.name), count},
#include "model/schema_model.inc"
};
const int schema_statistic_count = sizeof schema_statistic / sizeof schema_statistic[0];
