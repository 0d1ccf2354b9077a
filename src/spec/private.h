// What the files of the spec room share among themselves.
#ifndef SINEW_SPEC_PRIVATE_H_
#define SINEW_SPEC_PRIVATE_H_

#include "spec/spec.h"

void strings_free(snVec* v);
bool strings_copy(snVec* to, const snVec* from);
void vecs_free(snVec* v);
bool vecs_copy(snVec* to, const snVec* from);

void element_free_attributes(snElement* e);
mjsPlugin* element_plugin(const snElement* e);  // the embedded one, or NULL

snElement* body_class(const snElement* body);  // by its childclass, which a program may have set
snElement* class_make(snSpec* spec, const char* name, snElement* parent);
int class_slot(mjtObj type);

// Free a body with all on it, or any other element, after taking it from its lists.
void spec_remove(snElement* e);

// copy.c
snSource* source_make(snSpec* to, const snSpec* from);
void source_free(snSource* source);
bool sources_copy(snSpec* to, const snSpec* from);  // those of what `from` has attached
snElement* element_copy(snSpec* to, snElement* from);
bool copy_body(snSpec* to, snElement* from, snElement* parent);
snElement* copy_listed(snSpec* to, snElement* from);
void element_relink(snElement* e, const snElement* from);

// reference.c: call visit for every name by which an element refers to another (may be empty)
typedef void (*snVisit)(void* context, mjtObj type, snString* name);
void element_references(snElement* e, snVisit visit, void* context);
int spec_delete_class(snSpec* spec, snElement* class);

// key.c
bool keys_split(snSpec* spec);
bool keys_take(snList* keys, snSpec* to, snSpec* from, const char* prefix, const char* suffix);
void keys_follow(snSpec* spec);  // parts of marked elements go over to their twins
bool key_copy_parts(snElement* to, const snElement* from);
void keys_forget(snSpec* spec, const snElement* e);

#endif
