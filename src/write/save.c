// mj_saveXML, mj_saveXMLString, mj_saveLastXML: the spec in its saved form, written as text, then
// put in a file or buffer.
#include <stdio.h>
#include <string.h>

#include "base/system.h"
#include "compile/compile.h"
#include "model/resource.h"
#include "read/read.h"
#include "write/write.h"

// Significant digits; 17: as many as each number needs to read back as the same double.
static _Thread_local int precision = 17;

MJAPI int _mjPRIVATE__get_xml_precision(void);
MJAPI void _mjPRIVATE__set_xml_precision(int digits);

int _mjPRIVATE__get_xml_precision(void) { return precision; }
void _mjPRIVATE__set_xml_precision(int digits) {
  precision = digits < 1 ? 1 : digits > 17 ? 17 : digits;
}

// The text of a spec, to be freed with text_free; false and a fault when it cannot be written.
static bool write_spec(const mjSpec* s, const mjModel* m, const char* dir, snText* text,
                       snFault* fault) {
  const snSpec* spec = spec_of(s);
  if (spec->compiled != spec->changes + 1) {
    return fault_raise(fault,
                       "XML Write error: Only compiled model can be written: compile the spec %s",
                       spec->compiled ? "again, it was edited since" : "first");
  }
  mjSpec* terms = compile_plain(s, fault);
  if (!terms) return false;
  snWriter w = {.spec = spec_of(terms), .given = m, .dir = dir, .fault = fault};
  w.text.precision = precision;
  // the decimal point is '.', whatever the program's locale
  snLocale locale = system_plain();
  bool fine = write_mjcf(&w);
  mj_deleteModel(w.made);
  mj_deleteSpec(terms);
  system_local(locale);
  *text = w.text;
  if (!fine) text_free(text);
  return fine;
}

static void report(char* error, int size, const char* text) {
  if (error && size > 0) snprintf(error, size, "%s", text);
}

// Without a file name the text goes to standard output.
static bool save(const mjSpec* s, const mjModel* m, const char* filename, snFault* fault) {
  char* dir = resource_join(NULL, filename ? filename : "");
  if (!dir) return fault_raise(fault, "out of memory");
  dir[resource_dir_length(dir)] = 0;
  snText text;
  bool fine = write_spec(s, m, dir, &text, fault);
  memory_free(dir);
  if (!fine) return false;
  FILE* file = filename ? system_create(filename) : stdout;
  if (!file) {
    fault_raise(fault, "cannot write file '%s'", filename);
  } else {
    size_t written = fwrite(text.data, 1, text.size, file);
    bool closed = filename ? fclose(file) == 0 : fflush(file) == 0;
    if (!closed || written != text.size)
      fault_raise(fault, "cannot write all of file '%s'", filename ? filename : "(stdout)");
  }
  text_free(&text);
  return !fault->raised;
}

MJAPI int mj_saveXMLString(const mjSpec* s, char* xml, int xml_sz, char* error, int error_sz) {
  snFault fault = {0};
  snText text;
  report(error, error_sz, "");
  if (!s || !write_spec(s, NULL, NULL, &text, &fault)) {
    report(error, error_sz, s ? fault.text : "mj_saveXMLString: no spec");
    if (xml && xml_sz > 0) xml[0] = 0;
    return -1;
  }
  int result = 0;
  if (!xml || text.size + 1 > (size_t)(xml_sz > 0 ? xml_sz : 0)) {
    result = (int)text.size;
    if (xml && xml_sz > 0) xml[0] = 0;
    char message[128];
    snprintf(message, sizeof(message), "the text has %zu characters, the buffer holds %d",
             text.size, xml_sz);
    report(error, error_sz, message);
  } else {
    memcpy(xml, text.data, text.size + 1);
  }
  text_free(&text);
  return result;
}

MJAPI int mj_saveXML(const mjSpec* s, const char* filename, char* error, int error_sz) {
  snFault fault = {0};
  report(error, error_sz, "");
  if (!s || !filename || !save(s, NULL, filename, &fault)) {
    report(error, error_sz, fault.raised ? fault.text : "mj_saveXML: no spec or no file name");
    return -1;
  }
  return 0;
}

// The last model loaded, with the numbers that have changed in `m` since.
MJAPI int mj_saveLastXML(const char* filename, const mjModel* m, char* error, int error_sz) {
  snFault fault = {0};
  report(error, error_sz, "");
  mjSpec* spec = read_last_lock();
  if (!spec) {
    fault_raise(&fault, "no model has been loaded from XML");
  } else if (m && !mj_copyBack(spec, m)) {
    fault_raise(&fault, "%s", mjs_getError(spec));
  } else {
    save(spec, m, filename, &fault);
  }
  read_last_unlock();
  if (fault.raised) report(error, error_sz, fault.text);
  return !fault.raised;
}
