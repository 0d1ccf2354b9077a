// A spec as MJCF, in plain terms (compile_plain) and in the released order of elements and
// attributes. Classes are kept, without the poses that elements may take from them: an element is
// what it came out as, less what its class says already. So the text read again makes the same
// model, whatever the conventions of the files were that the parts came from.
#ifndef SINEW_WRITE_WRITE_H_
#define SINEW_WRITE_WRITE_H_

#include "read/table.h"
#include "spec/spec.h"
#include "write/text.h"

typedef struct snWriter_ {
  snText text;
  const snSpec* spec;
  const char* dir;  // folder the text goes to, NULL: not known
  snFault* fault;
  const mjModel* given;  // the model the spec was compiled to, NULL: none at hand
  mjModel* made;         // compiled here when something can only be said by numbers of the model
  // Inertias bounded or scaled to a total are written as they came out, and the file asks for
  // neither.
  bool final_inertia;
  int sizes;   // numbers of a size that are said at least
  bool whole;  // lists of numbers are said to their end
} snWriter;

// The model of the spec; NULL with a fault when it cannot be compiled.
const mjModel* write_model(snWriter* w);

bool write_mjcf(snWriter* w);

// ---- parts
void write_settings(snWriter* w);  // compiler, option, size, visual, statistic
void write_defaults(snWriter* w);
void write_assets(snWriter* w);
void write_links(snWriter* w);  // deformable, contact, equality, tendon, actuator, sensor, keyframe
void write_world(snWriter* w);
bool write_final_inertia(const snWriter* w);  // of all bodies, or of none

// Attributes of `tag` whose field differs between `value` and `normal`, both the tag's struct:
// those listed in `order`, divided by spaces, and then all others.
void write_values(snWriter* w, const snTag* tag, const char* order, const void* value,
                  const void* normal);
// Attributes of elements that classes have too, in the order they are written.
extern const char write_order_mesh[], write_order_material[], write_order_joint[];
extern const char write_order_geom[], write_order_site[], write_order_camera[];
extern const char write_order_light[], write_order_pair[], write_order_equality[];
extern const char write_order_tendon[], write_order_actuator[];

// The file of an asset, as this spec's folders find it.
void write_file(snWriter* w, const char* attribute, const snElement* e, const char* file,
                bool texture);
// name and class, class only where it is not the one in force
void write_identity(snWriter* w, const snElement* e, const snElement* in_force);
void write_plugin(snWriter* w, const mjsPlugin* plugin);  // <plugin> below an element
void write_plugin_attributes(snWriter* w, const mjsPlugin* plugin);
void write_instance(snWriter* w, const snElement* e);
void write_config(snWriter* w, const mjsPlugin* plugin);

#endif
