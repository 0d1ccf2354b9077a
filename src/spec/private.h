// What the files of the spec room share among themselves.
#ifndef SINEW_SPEC_PRIVATE_H_
#define SINEW_SPEC_PRIVATE_H_

#include "spec/spec.h"

bool strings_append(snSpecVec* v, const char* text);
void strings_free(snSpecVec* v);
bool strings_copy(snSpecVec* to, const snSpecVec* from);
void vecs_free(snSpecVec* v);
bool vecs_copy(snSpecVec* to, const snSpecVec* from);

void element_free_attributes(snElement* e);
// Two elements of one type change places in memory; marks, twins and user values stay.
void element_swap(snElement* a, snElement* b);
// A new element in its place, at the values of its class; NULL without memory.
snElement* element_add(snSpec* spec, snElement* body, mjtObj type, const mjsDefault* def);
mjsPlugin* element_plugin(const snElement* e);  // the embedded one, or NULL
// By its name, or an asset without one by that of its file.
snElement* spec_find_asset(const snSpec* spec, mjtObj type, const char* name);

snElement* body_class(const snElement* body);  // by its childclass, which a program may have set
snElement* class_make(snSpec* spec, const char* name, snElement* parent);
int class_slot(mjtObj type);

// remove.c: an element leaves its spec with all that is on it. Many leave at the cost of one: each
// is doomed, then the lists that hold them are swept.
void spec_remove(snElement* e);
void spec_doom(snElement* e);
void spec_sweep(snSpec* spec, snElement* body);  // lists of the spec, and of one body if not NULL

// copy.c
snSource* source_make(snSpec* to, const snSpec* from);
bool sources_copy(snSpec* to, const snSpec* from);  // those of what `from` has attached
snElement* element_copy(snSpec* to, snElement* from);
snElement* copy_body(snSpec* to, snElement* from);
snElement* copy_listed(snSpec* to, snElement* from);
bool spec_remember(snSpec* to, const mjSpec* child);  // a copy of it, for mjs_findSpec
void spec_forget_last(snSpec* to);
// budget.c: may there be so many more elements? If not, the error says so.
bool spec_affords(snSpec* spec, double more, const char* who);
void element_relink(snElement* e, const snElement* from);

bool attach_refers(mjtObj type);  // attach.c: kinds of elements that refer to those of the tree

// reference.c: call visit for every name by which an element refers to another (may be empty)
typedef void (*snVisit)(void* context, mjtObj type, snString* name);
void element_references(snElement* e, snVisit visit, void* context);
int spec_delete_class(snSpec* spec, snElement* class);

// inertial.c: the explicit inertial of a body, if it has one, becomes part of its parent's
void inertial_merge(snElement* parent, const snElement* body);

// key.c: vectors into parts, in two steps, of which only the first may fail
bool keys_split(snSpec* spec);
void keys_keep(snSpec* spec);  // the parts take the place of the vectors
void keys_drop(snSpec* spec);  // the vectors stay
// Keys of a child, or of the same spec, with the numbers of what was copied.
bool keys_take(snSpec* to, snSpec* from, const char* prefix, const char* suffix);
// Within one spec: the keys that follow its layout of now come first; their number. Copies of them.
int keys_ready(snSpec* spec);
bool keys_copy(snSpec* spec, int n, const char* suffix);
// Parts of elements marked so go over to their twins, in a range of keys.
void keys_follow(snSpec* spec, int first, int last, int mark);
bool key_copy_parts(snElement* to, const snElement* from);
void keys_forget(snSpec* spec, bool (*gone)(const snElement*));  // elements leave the spec

#endif
