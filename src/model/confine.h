// Opening files for a model that may read files of one folder only (sinew/confine.h).
#ifndef SINEW_MODEL_CONFINE_H_
#define SINEW_MODEL_CONFINE_H_

#include "base/base.h"

// Opens `path` for reading if it lies in the calling thread's folder and in the spec's, where those
// are set. A file descriptor, or -1 and a fault.
int confine_open(const char* path, snFault* fault);

// Is the calling thread confined now?
bool confine_active(void);

// Sets the folder of the spec whose files are opened next, in addition to the thread's own; NULL:
// none. Returns the previous one, which the caller restores.
const char* confine_spec(const char* folder);

#endif
