// mj_parseXML, mj_parseXMLString, mj_loadXML: files and strings to specs and models.
#include <pthread.h>
#include <sinew/confine.h>
#include <stdio.h>
#include <string.h>

#include "base/system.h"
#include "model/confine.h"
#include "model/resource.h"
#include "read/read.h"

// Checking the disk is cheap; in the VFS and at providers, existence is found by opening.
bool read_exists(const snReader* r, const char* dir, const char* name) {
  char* path = resource_join(dir, name);
  bool there = path && !confine_active() && system_readable(path);
  memory_free(path);
  if (there) return true;
  snResource found;
  snFault ignored = {0};
  if (!resource_open(&found, r->vfs, dir, name, RESOURCE_LIMIT, &ignored)) return false;
  resource_close(&found);
  return true;
}

static bool read_root(snReader* r) {
  const char* root = r->xml->root->name;
  if (!strcmp(root, "mujoco")) return read_mjcf(r);
  if (!strcmp(root, "robot")) return read_urdf(r);
  return xml_fault(r->xml->root, NULL, r->fault,
                   "not the root of a model: expected 'mujoco' (MJCF) or 'robot' (URDF)");
}

mjSpec* read_model(const char* path, const char* text, const mjVFS* vfs, int depth,
                   snFault* fault) {
  snXml xml;
  snReader r = {.xml = &xml, .vfs = vfs, .fault = fault, .depth = depth};
  bool fine = xml_parse(&xml, path, text, text ? strlen(text) : 0, vfs, fault);
  if (fine) {
    r.spec = mj_makeSpec();
    if (!r.spec) fine = fault_raise(fault, "%s: out of memory", path);
  }
  if (fine) {
    mjs_setString(r.spec->modelfiledir, xml.root->source->dir);
    fine = spec_confine(spec_of(r.spec), sn_getConfine())
               ? read_root(&r)
               : fault_raise(fault, "%s: out of memory", path);
  }
  if (fine && r.nan) mju_warning("XML contains a 'NaN'. Please check it carefully.");
  for (snSubmodel* m = r.models; m; m = m->next) mj_deleteSpec(m->spec);
  xml_free(&xml);
  if (!fine && r.spec) {
    mj_deleteSpec(r.spec);
    r.spec = NULL;
  }
  return r.spec;
}

static void report(char* error, int size, const char* text) {
  if (error && size > 0) snprintf(error, size, "%s", text);
}

MJAPI mjSpec* mj_parseXML(const char* filename, const mjVFS* vfs, char* error, int error_sz) {
  snFault fault = {0};
  report(error, error_sz, "");
  mjSpec* spec = filename ? read_model(filename, NULL, vfs, 0, &fault) : NULL;
  if (!spec) report(error, error_sz, filename ? fault.text : "mj_parseXML: no file name");
  return spec;
}

MJAPI mjSpec* mj_parseXMLString(const char* xml, const mjVFS* vfs, char* error, int error_sz) {
  snFault fault = {0};
  report(error, error_sz, "");
  mjSpec* spec = xml ? read_model("<string>", xml, vfs, 0, &fault) : NULL;
  if (!spec) report(error, error_sz, xml ? fault.text : "mj_parseXMLString: no text");
  return spec;
}

// ---- the spec of the last model loaded, for mj_saveLastXML
static pthread_mutex_t last_lock = PTHREAD_MUTEX_INITIALIZER;
static mjSpec* last;

mjSpec* read_last_lock(void) {
  pthread_mutex_lock(&last_lock);
  return last;
}

void read_last_unlock(void) { pthread_mutex_unlock(&last_lock); }

static void keep_last(mjSpec* spec) {
  pthread_mutex_lock(&last_lock);
  mjSpec* old = last;
  last = spec;
  pthread_mutex_unlock(&last_lock);
  if (old) mj_deleteSpec(old);
}

MJAPI void mj_freeLastXML(void) { keep_last(NULL); }

MJAPI mjModel* mj_loadXML(const char* filename, const mjVFS* vfs, char* error, int error_sz) {
  mjSpec* spec = mj_parseXML(filename, vfs, error, error_sz);
  if (!spec) return NULL;
  // the reader's warning is reported unless the compiler has one
  char warning[1024] = "";
  if (mjs_isWarning(spec)) snprintf(warning, sizeof(warning), "%s", mjs_getError(spec));
  mjModel* model = mj_compile(spec, vfs);
  const char* text = mjs_getError(spec);
  if (!model) {
    report(error, error_sz, text && text[0] ? text : "the model could not be compiled");
    mj_deleteSpec(spec);
    return NULL;
  }
  report(error, error_sz, mjs_isWarning(spec) && text && text[0] ? text : warning);
  keep_last(spec);
  return model;
}
