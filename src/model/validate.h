// Shared by the checks of a model's indices.
#ifndef SINEW_MODEL_VALIDATE_H_
#define SINEW_MODEL_VALIDATE_H_

#include "base/base.h"

// Each raises a fault that names the array and the element, and returns false, when it does not
// hold: value lies in [low, end);
bool check_index(const char* name, int i, int value, int low, int end, snFault* fault);
// adr ... adr + num lies in an array of `size`;
bool check_span(const char* name, int i, int64_t adr, int64_t num, int size, snFault* fault);
// every value lies in [low, end).
bool check_all(const char* name, const int* value, int count, int low, int end, snFault* fault);

// Bounding volumes, meshes, height fields, textures, skins and flexes. Their spans are checked.
bool validate_assets(const mjModel* m, snFault* fault);

// What a program may change in a model: every reference leads to something that is there. The
// contents of assets and the tree are not looked at.
bool validate_references(const mjModel* m, snFault* fault);

#endif
