// Models that are not trusted: which files they may read, and what may be written about them.
//
// A model names other files: includes, meshes, textures, height fields, skins, models to attach. By
// default a name may lead anywhere the process may read. A confined thread reads files of one
// folder and the folders in it alone: a name that leads out by "..", as an absolute path, by a
// symbolic link or by the search for a URDF package is refused before the file is opened, in the
// same words as a name that leads nowhere, so that an error says nothing about files elsewhere.
//
// A spec or model read while its thread is confined stays confined: its meshes and textures are
// opened under the same rule by any later mj_compile, on any thread, also after it was copied or
// attached to another spec.
//
// Files that the program itself put into an mjVFS are read as ever. Resource providers are not
// called for a confined model. A plugin that opens files by itself is not held back.
#ifndef SINEW_CONFINE_H_
#define SINEW_CONFINE_H_

#include <mujoco/mujoco.h>

#if defined(__cplusplus)
extern "C" {
#endif

// Confine reading on the calling thread to `folder`; NULL: no longer. Returns 1, or 0 when the
// folder cannot be found: the setting is then as it was. The main file of a model (mj_loadXML,
// mj_parseXML, mj_loadModel, mj_addFileVFS) must be in the folder as well.
MJAPI int sn_confine(const char* folder);

// The folder that the calling thread is confined to, as an absolute path without links; NULL: none.
MJAPI const char* sn_getConfine(void);

// Errors and warnings that no handler takes (mju_user_error, mju_user_warning) go to stderr. When
// `on` is not 0 they are also added to MUJOCO_LOG.TXT in the current folder; by default they are
// not. The environment variable SINEW_LOG, if it is set and not empty, switches the file on from
// the start. mju_writeLog writes to it either way. No line is written through a symbolic or hard
// link.
MJAPI void sn_writeLog(int on);

#if defined(__cplusplus)
}
#endif

#endif
