// Checks shared by validate.c, validate_asset.c and watch.c.
#ifndef SINEW_MODEL_VALIDATE_H_
#define SINEW_MODEL_VALIDATE_H_

#include "base/base.h"

// Each returns false and a fault that names array and element, unless
//   value lies in [low, end);
bool check_index(const char* name, int i, int value, int low, int end, snFault* fault);
//   adr ... adr + num - 1 lies in an array of `size` elements;
bool check_span(const char* name, int i, int64_t adr, int64_t num, int size, snFault* fault);
//   every value lies in [low, end).
bool check_all(const char* name, const int* value, int count, int low, int end, snFault* fault);

// Bounding volumes, meshes, height fields, textures, skins and flexes, whose spans are checked
// already.
bool validate_assets(const mjModel* m, snFault* fault);

// The part of them that a scene follows: faces and bones of skins, elements and shells of flexes.
bool validate_deformables(const mjModel* m, snFault* fault);

// All references that a program may change in a model. The tree and the contents of assets are not
// checked.
bool validate_references(const mjModel* m, snFault* fault);

#endif
