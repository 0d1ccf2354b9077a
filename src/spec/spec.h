// The editable model (mjSpec): elements, their containers and their tree, as other rooms see them.
//
// A spec is what MJCF describes before compilation: a tree of bodies with frames, joints, geoms and
// sites on them, lists of everything else (assets, tendons, actuators, sensors ...), and a tree of
// default classes. Readers fill a spec, programs edit it, compile/ turns it into an mjModel and
// write/ into MJCF.
//
// Every public mjsX struct lives inside an snElement; `mjsElement* element` in it points back to
// the start of that snElement, so that either is found from the other without a table. Containers
// (mjString, mjIntVec, ...) have the layout that programs compiled for the released library rely
// on, std::string and std::vector of libc++, and take their memory from malloc, so that such a
// program may read, assign and grow them on its side.
//
// References between elements are names, resolved by the compiler: an element can be named before
// it exists, and attaching a spec to another is copying with prefixes (attach.c). Names are unique
// per type, kept in a hash (spec.c). Deleted elements stay readable until the spec is deleted,
// since a program may hold pointers to them; the compiler never sees them.
//
// Nothing here throws or exits: a function that fails returns NULL, false or -1, leaves the spec as
// it was, and stores a message in it (mjs_getError). budget.c bounds what a model from a stranger
// may make grow.
//
//   element.c, spec.c, containers.c      memory and names
//   add.c, edit.c, remove.c, find.c      the documented functions: mjs_addX, mjs_setX, mjs_delete
//   defaults.c, actuator.c, orient.c     documented values and their meaning
//   attach.c, attach_move.c, copy.c      specs into specs
//   reference.c, key.c                   names and keyframes of what is attached
//   replicate.c, composite.c             macros that grow into many elements
//   flexcomp.c, flexcomp_shape.c         flexes from grids, meshes and files
//   inertial.c                           explicit inertials merged into one
//   ask.c, budget.c                      features beyond the interface; limits
//   invariant.c                          what holds between two calls, in checked builds
#ifndef SINEW_SPEC_SPEC_H_
#define SINEW_SPEC_SPEC_H_

#include <mujoco/mjspec.h>

#include "base/base.h"

// ---- containers
// a short text stands in the struct itself; the lowest bit of the first byte says which it is
typedef union snString_ {
  struct {
    unsigned char twice_size;
    char text[23];
  } local;
  struct {
    size_t capacity;  // of the block, and 1
    size_t size;
    char* text;
  } heap;
} snString;

typedef struct snSpecVec_ {  // of any element type
  char* begin;
  char* end;
  char* limit;
} snSpecVec;

void string_init(snString* s);
bool string_set(snString* s, const char* text, size_t size);
void string_free(snString* s);
static inline bool string_is_local(const snString* s) { return !(s->local.twice_size & 1); }
static inline const char* string_text(const mjString* string) {
  const snString* s = string;
  return string_is_local(s) ? s->local.text : s->heap.text;
}
static inline size_t string_size(const mjString* string) {
  const snString* s = string;
  return string_is_local(s) ? s->local.twice_size / 2u : s->heap.size;
}
static inline bool string_empty(const mjString* s) { return !s || string_size(s) == 0; }
bool string_is(const mjString* s, const char* text);

static inline int vec_count(const void* v, size_t item) {
  return v ? (int)((size_t)(((const snSpecVec*)v)->end - ((const snSpecVec*)v)->begin) / item) : 0;
}
bool vec_set(snSpecVec* v, const void* data, size_t bytes);
bool vec_append(snSpecVec* v, const void* data, size_t bytes);
void vec_free(snSpecVec* v);
// Keeps the numbers of a vector in memory for a program that looks at them, also after the vector
// has moved on to another block or is gone. As many unpins as pins. False without memory.
bool vec_pin(const snSpecVec* v);
void vec_unpin(void* block);

// typed views
static inline int ints_count(const mjIntVec* v) { return vec_count(v, sizeof(int)); }
static inline int* ints_data(const mjIntVec* v) { return (int*)((const snSpecVec*)v)->begin; }
static inline int floats_count(const mjFloatVec* v) { return vec_count(v, sizeof(float)); }
static inline float* floats_data(const mjFloatVec* v) {
  return (float*)((const snSpecVec*)v)->begin;
}
static inline int doubles_count(const mjDoubleVec* v) { return vec_count(v, sizeof(double)); }
static inline double* doubles_data(const mjDoubleVec* v) {
  return (double*)((const snSpecVec*)v)->begin;
}
static inline int bytes_count(const mjByteVec* v) { return vec_count(v, 1); }
static inline unsigned char* bytes_data(const mjByteVec* v) {
  return (unsigned char*)((const snSpecVec*)v)->begin;
}
static inline int strings_count(const mjStringVec* v) { return vec_count(v, sizeof(snString)); }
static inline const char* strings_at(const mjStringVec* v, int i) {
  return string_text((snString*)((const snSpecVec*)v)->begin + i);
}
static inline int vecs_count(const void* v) { return vec_count(v, sizeof(snSpecVec)); }
static inline snSpecVec* vecs_at(const void* v, int i) {
  return (snSpecVec*)((const snSpecVec*)v)->begin + i;
}

// ---- elements
typedef struct snElement_ snElement;
typedef struct snSpec_ snSpec;

typedef struct snList_ {
  snElement** item;
  int n, capacity;
} snList;

bool list_append(snList* list, snElement* e);
bool list_reserve(snList* list, int more);  // so many appends will not fail
void list_remove(snList* list, const snElement* e);

// What an element hangs on a body; wraps on a tendon and classes on a class use slot 0.
typedef enum snChild_ {
  snCHILD_BODY = 0,
  snCHILD_FRAME,
  snCHILD_JOINT,
  snCHILD_GEOM,
  snCHILD_SITE,
  snCHILD_CAMERA,
  snCHILD_LIGHT,
  snNCHILD,
  snCHILD_WRAP = 0,
  snCHILD_CLASS = 0,
} snChild;

// Where an element was written: angles, euler sequence, autolimits and asset folders are those of
// its own file, also after it was attached to another model.
typedef struct snSource_ {
  struct snSource_* twin;  // during a copy: the same settings in the other spec
  mjsCompiler compiler;
  mjtByte strippath;
  char* meshdir;  // the three texts stand behind the struct
  char* texturedir;
  char* modelfiledir;
  char* confined;  // the folder its files must be in (model/confine.h); NULL: anywhere
} snSource;

// a point of a tendon path
typedef struct snWrap_ {
  mjsWrap pub;
  mjtWrap type;  // JOINT, PULLEY, SITE, or SPHERE for a geom whose shape the compiler finds out
  snString target;
  snString side;  // side site of a geom
  double prm;     // divisor or coefficient
} snWrap;

typedef struct snUserValue_ {
  struct snUserValue_* next;
  char* key;  // behind the struct
  const void* value;
  void (*cleanup)(const void*);
} snUserValue;

// key-value configuration of a plugin instance, sorted by key
typedef struct snAttribute_ {
  snString key, value;
} snAttribute;

// numbers of a keyframe that belong to one joint, actuator or mocap body (key.c)
typedef enum snKeyKind_ {
  snKEY_QPOS = 0,
  snKEY_QVEL,
  snKEY_ACT,
  snKEY_CTRL,
  snKEY_MPOS,
  snKEY_MQUAT,
  snNKEY
} snKeyKind;

typedef struct snKeyPart_ {
  snElement* element;
  int kind;
  int size;  // of the value; the element may have been changed since
  double* value;
} snKeyPart;

// How many numbers of a kind an element has now.
int key_part_size(const snElement* element, int kind);
void key_free_parts(snElement* key);

struct snElement_ {
  mjsElement base;         // first: mjsElement* is snElement*
  snSpec* spec;            // the spec it is in
  snElement* parent;       // the body it is on; a class's parent class; a wrap's tendon
  snElement* frame;        // innermost frame around it
  snElement* def;          // its class
  const snSource* source;  // NULL: written in this spec itself
  int id;                  // -1 before compilation for elements on bodies
  int place;               // where it stood in its list when that was last looked at
  // of the last compile: joint qpos, dof; actuator act, ctrl; body mocap; texture -, color space
  int adr[2];
  snString name;
  uint64_t hash;               // of the name as it stands in the spec's table; 0: it does not
  snElement *before, *behind;  // others of that type and name: the table has the first of them
  snList* child;               // snNCHILD lists of a body; one of a tendon or class; else NULL
  snElement** class;           // of a class: the element of each type in snCLASS_* order
  snUserValue* user;
  snAttribute* attribute;  // plugin instance
  int nattribute;
  snKeyPart* part;  // keyframe that was attached, or in a model that something was attached to
  int npart, nfresh, part_capacity;  // nfresh: parts behind those, not in force yet
  bool waits;                        // keyframe: a copy that was made since the last compilation
  void* attribute_map;               // what mjs_getPluginAttributes handed out
  snElement* twin;  // during a copy: its copy; in a compiler's copy: the user's element
  double* saved;    // state kept across a recompile
  void* asset;      // what the asset compiler made of it (asset.h), owned through asset_free
  void (*asset_free)(void*);
  int mark;      // scratch of one pass, zero between two
  bool deleted;  // empty; the memory waits for the end of the spec
  union {
    mjSpec* model;
    mjsBody body;
    mjsFrame frame_;
    mjsJoint joint;
    mjsGeom geom;
    mjsSite site;
    mjsCamera camera;
    mjsLight light;
    mjsFlex flex;
    mjsMesh mesh;
    mjsHField hfield;
    mjsSkin skin;
    mjsTexture texture;
    mjsMaterial material;
    mjsPair pair;
    mjsExclude exclude;
    mjsEquality equality;
    mjsTendon tendon;
    snWrap wrap;
    mjsActuator actuator;
    mjsSensor sensor;
    mjsNumeric numeric;
    mjsText text;
    mjsTuple tuple;
    mjsKey key;
    mjsPlugin plugin;
    mjsDefault default_;
  } u;  // the public struct; only its own member is allocated
};

// the kinds of element a class has values for
enum {
  snCLASS_JOINT = 0,
  snCLASS_GEOM,
  snCLASS_SITE,
  snCLASS_CAMERA,
  snCLASS_LIGHT,
  snCLASS_FLEX,
  snCLASS_MESH,
  snCLASS_MATERIAL,
  snCLASS_PAIR,
  snCLASS_EQUALITY,
  snCLASS_TENDON,
  snCLASS_ACTUATOR,
  snNCLASS
};

#define snOBJ_WRAP ((mjtObj)200)  // elements of a tendon path have no documented type

struct snSpec_ {
  mjSpec pub;
  snElement element;       // what pub.element points to
  snElement* world;        // root body
  snElement* main;         // root class
  snList list[mjNOBJECT];  // elements that are not on bodies, in order of ids
  snList frames;           // of the whole tree, in order of creation
  snString modelname, meshdir, texturedir, comment, modelfiledir;
  snElement** names;  // hash of (type, name)
  int nnames, names_capacity;
  snSource** source;  // of attached elements, owned
  int nsource;
  mjSpec** attached;  // specs attached to this one: found by mjs_findSpec
  int nattached;
  char* confined;  // as in snSource
  int* plugin;     // slots of activated plugins
  int nplugin;
  int deepcopy;
  bool lent;          // something of it was attached elsewhere without a copy
  size_t nelement;    // elements, with those of classes and of attached specs
  bool keeps;         // deleted elements stay in memory, for programs that still look at them
  snElement* gone;    // those, chained by `twin`
  uint64_t doomed;    // kinds of elements that are about to leave (remove.c)
  uint64_t changes;   // counted up when the tree changes
  uint64_t compiled;  // changes + 1 at the last compilation, if that made a model; else 0
  mjStatistic found;  // what the last model has, given or worked out
  bool warning;
  char error[1024];
};

static inline snElement* element_of(const mjsElement* e) { return (snElement*)e; }
static inline snSpec* spec_of(const mjSpec* s) { return (snSpec*)s; }

// The folder that the spec's files must be in. False: no memory, which must not pass for freedom.
bool spec_confine(snSpec* spec, const char* folder);

// The tree is another: models compiled before do not match any more.
static inline void spec_changed(snSpec* spec) {
  spec->changes++;
  spec->element.base.signature++;
}

// the compiler settings an element was written under
const mjsCompiler* element_compiler(const snElement* e);

// The name of an asset's file without folder and extension, not terminated; NULL: there is none.
const char* element_stem(const snElement* e, size_t* size);
// "name 'floor', id 3, line 12": how messages call an element; returns `text`
const char* element_describe(const snElement* e, char* text, size_t size);

// A free-standing element of a type, its public struct at default values, its containers empty.
snElement* element_make(snSpec* spec, mjtObj type);
void element_free(snElement* e);
void element_free_tree(snElement* e);  // with what is in its lists
// Public fields (not name, place, id) of `from` into `to`, both of one type.
bool element_copy_fields(snElement* to, const snElement* from);
// the string member of the public struct that says where the element was written, or NULL
snString* element_info(const snElement* e);

// Message kept in the spec and handed out by mjs_getError. Returns NULL for callers that return
// a pointer.
void* spec_error(snSpec* spec, const char* format, ...) mjPRINTFLIKE(2, 3);
void spec_warning(snSpec* spec, const char* format, ...) mjPRINTFLIKE(2, 3);

// A spec that is made, or copied; NULL without memory, and no error raised.
snSpec* spec_make(void);
snSpec* spec_copy(const snSpec* from);

// Is a number within the budget (include/sinew/budget.h)? If not, false and a fault that says so.
bool budget_elements(double count, const char* who, snFault* fault);
bool budget_bytes(double count, const char* who, snFault* fault);

// The quaternion that turns the z axis to a unit vector (orient.c).
void orient_z(double quat[4], const double unit[3]);

snElement* spec_find(const snSpec* spec, mjtObj type, const char* name);
bool spec_name_set(snElement* e, const char* name);  // also when another element has it
bool spec_name_add(snSpec* spec, snElement* e);

// What attached models and replicas ask for ("left/sinew:friction", "sinew:stiffness0") under the
// names that the engine knows. False, with a fault, where two ask for different things.
bool spec_gather_asked(snSpec* spec, snFault* fault);
void spec_name_remove(snSpec* spec, snElement* e);
// The entry of one element becomes that of another, which has its name and hash already.
void spec_name_hand(snSpec* spec, const snElement* from, snElement* to);

// slot of a body's list for a type, or -1
int child_slot(mjtObj type);
const char* type_name(mjtObj type);

// Add to an element's place: body lists for tree elements, spec lists for the others.
bool element_place(snElement* e, snElement* body, snElement* frame);

// Configuration of a plugin instance, for readers and writers in C.
bool plugin_set_attribute(mjsPlugin* plugin, const char* key, const char* value);
const char* plugin_get_attribute(const snElement* plugin, const char* key);

// the type of object an equality or an actuator names
mjtObj equality_objtype(const mjsEquality* eq);
mjtObj actuator_objtype(const mjsActuator* a);
// The range an actuator takes from its target, if it does; joint ranges are as the file gives them,
// or in radians already. Returns what is wrong, "" when nothing is.
const char* actuator_inherit(const snSpec* spec, mjsActuator* a, bool radians);

// Replace what is in the frame `from` by `count` copies of it below `body` and `frame`; copy i has
// names ending in sep + i (padded to the width of count) and is moved by i times the offset and
// euler angles (in the compiler's unit), each step seen from the copy before. What refers to it from
// outside the tree is replaced by copies too. The frame stays, empty.
bool spec_replicate(snElement* body, snElement* frame, snElement* from, int count,
                    const double offset[3], const double euler[3], const char* sep);

// invariant.c: aborts in checked builds where the lists, names and links of a spec are broken
void spec_check(const snSpec* spec);

#endif
