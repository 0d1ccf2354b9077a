// The version of Sinew. CMake, the Python package and the command take it from here.
// mj_versionString is the version of the interface, "3.3.4".
#ifndef SINEW_VERSION_H_
#define SINEW_VERSION_H_

#include <mujoco/mujoco.h>

#define SN_VERSION "0.1.0"

#if defined(__cplusplus)
extern "C" {
#endif

// Of the library that runs, which may be newer than the header.
MJAPI const char* sn_version(void);

#if defined(__cplusplus)
}
#endif

#endif
