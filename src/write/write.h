// A spec as MJCF. Values are written as they were given, classes and frames included, so that the
// text read again makes the same spec; what another file's angle convention or folders gave a
// meaning is converted to this one's.
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

// Attributes of `tag` whose field differs between `value` and `normal`, both the tag's struct. The
// element gives its name and the angle convention of its file; NULL for settings.
void write_values(snWriter* w, const snTag* tag, const void* value, const void* normal,
                  const snElement* element);
// name and class, class only where it is not the one in force
void write_identity(snWriter* w, const snElement* e, const snElement* in_force);
void write_plugin(snWriter* w, const mjsPlugin* plugin);  // <plugin> below an element
void write_plugin_attributes(snWriter* w, const mjsPlugin* plugin);
void write_config(snWriter* w, const mjsPlugin* plugin);

#endif
