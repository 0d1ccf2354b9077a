// Opening files for a model that may read files of one folder only (sinew/confine.h).
#ifndef SINEW_MODEL_CONFINE_H_
#define SINEW_MODEL_CONFINE_H_

#include "base/base.h"

// Opens `path` for reading, if the calling thread's folder and the spec's have it in them. A file
// descriptor, or -1 and a fault.
int confine_open(const char* path, snFault* fault);

// Whether anything confines the calling thread now.
bool confine_active(void);

// The folder of the spec whose files are opened next, beside the thread's own; NULL: none. Returns
// the one before, to be put back.
const char* confine_spec(const char* folder);

#endif
