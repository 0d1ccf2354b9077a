// Model files into the spec: MJCF and URDF.
#ifndef SINEW_READ_READ_H_
#define SINEW_READ_READ_H_

#include "read/table.h"
#include "read/xml.h"
#include "spec/spec.h"

// A model that <attach> can take from.
typedef struct snSubmodel_ {
  struct snSubmodel_* next;
  const char* name;
  mjSpec* spec;
  mjsFrame* all;  // its whole world, gathered when first attached
} snSubmodel;

typedef struct snReader_ {
  mjSpec* spec;
  snXml* xml;
  const mjVFS* vfs;
  snFault* fault;
  snSubmodel* models;
  int depth;          // of models inside models
  bool nan;           // a number in the file is not one
  double elevations;  // bytes of height fields so far
} snReader;

// The spec of a file (text NULL), or of the text given; NULL and a fault on failure.
mjSpec* read_model(const char* path, const char* text, const mjVFS* vfs, int depth, snFault* fault);

// The spec of the last mj_loadXML (NULL: none), kept from other threads until unlocked.
mjSpec* read_last_lock(void);
void read_last_unlock(void);

// Is there a file of this name for a model in this folder?
bool read_exists(const snReader* r, const char* dir, const char* name);

// ---- by format; the spec is made, the document parsed
bool read_mjcf(snReader* r);
bool read_urdf(snReader* r);

// ---- the parts of MJCF; node->info is its snTag
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
// A <plugin> child, or an element with its attributes: fill the element's plugin.
bool read_plugin(snReader* r, const snXmlNode* node, mjsPlugin* plugin);

// compiler, option or size inside a URDF: attributes the schema does not know are warned of.
bool read_setting(snReader* r, snXmlNode* node, const snTag* tag);

// ---- values
// Put every attribute the table maps onto a field into `target`; names go to `element`.
bool read_values(snReader* r, const snXmlNode* node, void* target, mjsElement* element);
// One attribute described by code: false when malformed. *count is how many values were there
// (0: absent or empty).
bool read_doubles(snReader* r, const snXmlNode* node, const char* name, double* out, int least,
                  int most, int* count);
bool read_int(snReader* r, const snXmlNode* node, const char* name, int* out, bool* found);
bool read_key(snReader* r, const snXmlNode* node, const char* name, int* out, bool* found);
// Any number of values in document memory.
bool read_double_list(snReader* r, const snXmlNode* node, const char* name, double** out,
                      int* count);
bool read_float_list(snReader* r, const snXmlNode* node, const char* name, float** out, int* count);
bool read_int_list(snReader* r, const snXmlNode* node, const char* name, int** out, int* count);

// Class named by the element, else `inherited`, else NULL for the root class; false when unknown.
bool read_class(snReader* r, const snXmlNode* node, const mjsDefault* inherited,
                const mjsDefault** def);
// "line 12" into the element's info
void read_info(const snXmlNode* node, mjString* info);
// The object type an attribute names; false with a fault when it is none.
bool read_type(snReader* r, const snXmlNode* node, const char* name, mjtObj* type);
// Is the attribute there, and not empty?
bool read_given(const snXmlNode* node, const char* name);
bool read_memory(snReader* r, const snXmlNode* node);  // records "out of memory"; returns false

#endif
