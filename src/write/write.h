// Specs to MJCF text.
//
// The room takes a spec and gives a document that compiles to the same model, whatever conventions
// (degrees, frames, folders, euler sequences) the original files used. Elements and attributes come
// in the released order.
//
// The spec is first brought to the form in which it is saved (compile/saved_form.c): quaternions,
// radians, poses relative to the body. Then every element is written through the schema table that
// the reader uses (read/table.h): an attribute is written when its value differs from that of the
// element's default class. Classes are kept, but without poses and masses, which each element
// states itself. Numbers are the shortest that read back as the same double.
//
// Some things exist only in a compiled model (inertias scaled to a total mass, keyframes spread
// over attachments): then the spec is compiled, or the model that the caller has is used.
//
//   save.c      mj_saveXML, mj_saveXMLString, mj_saveLastXML; precision
//   mjcf.c      settings, default classes, extensions, custom fields, assets
//   tree.c      the kinematic tree, with frames
//   links.c     deformables, contact, equality, tendon, actuator, sensor, keyframe
//   values.c    fields of a struct as attributes, by the schema
//   text.c      the growing text: elements, attributes, escapes, numbers
#ifndef SINEW_WRITE_WRITE_H_
#define SINEW_WRITE_WRITE_H_

#include "read/table.h"
#include "spec/spec.h"
#include "write/text.h"

typedef struct snWriter_ {
  snText text;
  const snSpec* spec;
  const char* dir;  // folder of the output file; NULL: not known
  snFault* fault;
  const mjModel* given;  // the model that the spec was compiled to; NULL: none
  mjModel* made;         // compiled here, when only numbers of the model can express something
  // Inertias that are bounded or scaled to a total mass are written as compiled, and the document
  // asks for neither.
  bool final_inertia;
  int sizes;   // minimum number of values of a size attribute
  bool whole;  // write lists of numbers to their end
} snWriter;

// The model of the spec; NULL and a fault when it cannot be compiled.
const mjModel* write_model(snWriter* w);

bool write_mjcf(snWriter* w);

// ---- parts
void write_settings(snWriter* w);  // compiler, option, size, visual, statistic
void write_defaults(snWriter* w);
void write_assets(snWriter* w);
void write_links(snWriter* w);  // deformable, contact, equality, tendon, actuator, sensor, keyframe
void write_world(snWriter* w);
bool write_final_inertia(const snWriter* w);  // for all bodies, or for none

// Writes the attributes of `tag` whose field differs between `value` and `normal`, both of the
// tag's struct: first those listed in `order`, separated by spaces, then all others.
void write_values(snWriter* w, const snTag* tag, const char* order, const void* value,
                  const void* normal);
// Order of attributes, for elements that default classes have too.
extern const char write_order_mesh[], write_order_material[], write_order_joint[];
extern const char write_order_geom[], write_order_site[], write_order_camera[];
extern const char write_order_light[], write_order_pair[], write_order_equality[];
extern const char write_order_tendon[], write_order_actuator[];

// The file of an asset, as a name that the folders of this spec resolve.
void write_file(snWriter* w, const char* attribute, const snElement* e, const char* file,
                bool texture);
// name and class; class only where it differs from the class in effect
void write_identity(snWriter* w, const snElement* e, const snElement* in_force);
void write_plugin(snWriter* w, const mjsPlugin* plugin);  // <plugin> below an element
void write_plugin_attributes(snWriter* w, const mjsPlugin* plugin);
void write_instance(snWriter* w, const snElement* e);
void write_config(snWriter* w, const mjsPlugin* plugin);

#endif
