// Model files to specs: MJCF and URDF; and readers of mesh, image, height field and skin files.
//
// The room takes files (through model/resource.h) or text, and gives an mjSpec, or a message with
// file, line, column, element and attribute and what was expected. Files are not trusted: nesting,
// includes, attributes, sizes and counts are limited, and no reader believes a length that its file
// does not have.
//
// MJCF goes through three layers:
//
//   xml.c       text to a tree of elements (expat), with includes replaced by their contents. Texts
//               that are common in the wild though they are not well-formed XML are repaired first
//   table*.c    the schema: one table of elements with attributes, value types, counts, keywords
//               and the offset of the spec field that a value goes to. It drives the reader, the
//               writer (src/write), mj_printSchema and the reference page, so these cannot disagree
//   mjcf*.c     the document checked against the schema, then section by section into the spec.
//               values.c stores the attributes that map to a field; only attributes with rules of
//               their own have code
//
// A name that refers to another element stays a name: the compiler resolves references. The reader
// therefore needs no order among sections, except that default classes come before their use, and
// the kinematic tree last, because replicate and attach copy elements that refer to the tree.
//
//   load.c             mj_parseXML, mj_loadXML and related; the last model, for mj_saveLastXML
//   mjcf.c             schema check; settings, default classes, extensions, custom fields
//   mjcf_asset.c       assets and deformables;  mjcf_body.c: the kinematic tree, replicate, attach
//   mjcf_flexcomp.c    flexcomp and composite;  mjcf_links.c: contact to sensors
//   urdf.c             URDF
//   table.c            lookup in the schema, nearest names, mj_printSchema; table_settings.c,
//                      table_world.c, table_links.c: the table by sections
//   values.c           text to numbers, keywords and names
//   stl.c, obj.c, msh.c, gmsh.c, png.c, png_plain.c, hfield_file.c, skin_file.c    file formats
#ifndef SINEW_READ_READ_H_
#define SINEW_READ_READ_H_

#include "read/table.h"
#include "read/xml.h"
#include "spec/spec.h"

// A model that <attach> can refer to.
typedef struct snSubmodel_ {
  struct snSubmodel_* next;
  const char* name;
  mjSpec* spec;
  mjsFrame* all;  // its whole world, gathered on first use
} snSubmodel;

typedef struct snReader_ {
  mjSpec* spec;
  snXml* xml;
  const mjVFS* vfs;
  snFault* fault;
  snSubmodel* models;
  int depth;          // nesting of models in models
  bool nan;           // a number in the file is NaN
  double elevations;  // bytes of height fields so far, for the budget
} snReader;

// The spec of a file (text NULL), or of the given text; NULL and a fault on failure.
mjSpec* read_model(const char* path, const char* text, const mjVFS* vfs, int depth, snFault* fault);

// The spec of the last mj_loadXML (NULL: none), locked against other threads until unlocked.
mjSpec* read_last_lock(void);
void read_last_unlock(void);

// Does a file of this name exist for a model in this folder?
bool read_exists(const snReader* r, const char* dir, const char* name);

// ---- by format; the spec is created and the document parsed already
bool read_mjcf(snReader* r);
bool read_urdf(snReader* r);

// ---- sections of MJCF; node->info is the snTag of a node
bool read_assets(snReader* r, const snXmlNode* section);
bool read_world(snReader* r, const snXmlNode* section);
bool read_deformable(snReader* r, const snXmlNode* section);
bool read_contact(snReader* r, const snXmlNode* section);
bool read_equality(snReader* r, const snXmlNode* section);
bool read_tendon(snReader* r, const snXmlNode* section);
bool read_actuator(snReader* r, const snXmlNode* section);
bool read_sensor(snReader* r, const snXmlNode* section);
bool read_mesh_values(snReader* r, const snXmlNode* node, mjsMesh* mesh);
bool read_drive(snReader* r, const snXmlNode* node, mjsActuator* actuator);
bool read_light_type(snReader* r, const snXmlNode* node, mjsLight* light);
bool read_camera_lens(snReader* r, const snXmlNode* node, const mjsCamera* camera);
bool read_texture_name(snReader* r, const snXmlNode* node, mjsMaterial* material);
bool read_tendon_values(snReader* r, const snXmlNode* node, mjsTendon* tendon);
bool read_flexcomp(snReader* r, const snXmlNode* node, mjsBody* body, mjsFrame* frame,
                   const mjsDefault* def);
bool read_composite(snReader* r, const snXmlNode* node, mjsBody* body, mjsFrame* frame,
                    const mjsDefault* def);
// A <plugin> child, or an element with its attributes: fills the element's plugin.
bool read_plugin(snReader* r, const snXmlNode* node, mjsPlugin* plugin);

// compiler, option or size inside of a URDF: attributes that are not in the schema give a warning.
bool read_setting(snReader* r, snXmlNode* node, const snTag* tag);

// ---- values
// Stores every attribute that the table maps to a field in `target`; names go to `element`.
bool read_values(snReader* r, const snXmlNode* node, void* target, mjsElement* element);
// One attribute that code reads; false when malformed. *count is the number of values (0: absent or
// empty).
bool read_doubles(snReader* r, const snXmlNode* node, const char* name, double* out, int least,
                  int most, int* count);
bool read_int(snReader* r, const snXmlNode* node, const char* name, int* out, bool* found);
bool read_key(snReader* r, const snXmlNode* node, const char* name, int* out, bool* found);
// Any number of values, in memory of the document.
bool read_double_list(snReader* r, const snXmlNode* node, const char* name, double** out,
                      int* count);
bool read_float_list(snReader* r, const snXmlNode* node, const char* name, float** out, int* count);
bool read_int_list(snReader* r, const snXmlNode* node, const char* name, int** out, int* count);

// The class named by the element, else `inherited`, else NULL for the root class; false when
// unknown.
bool read_class(snReader* r, const snXmlNode* node, const mjsDefault* inherited,
                const mjsDefault** def);
// stores "line 12" in the element's info
void read_info(const snXmlNode* node, mjString* info);
// The object type that an attribute names; false and a fault when there is no such type.
bool read_type(snReader* r, const snXmlNode* node, const char* name, mjtObj* type);
// Is the attribute there, and not empty?
bool read_given(const snXmlNode* node, const char* name);
bool read_memory(snReader* r, const snXmlNode* node);  // records "out of memory"; returns false

#endif
