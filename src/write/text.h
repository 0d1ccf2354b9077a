// XML text that grows: elements, attributes, numbers that read back as the same numbers.
#ifndef SINEW_WRITE_TEXT_H_
#define SINEW_WRITE_TEXT_H_

#include "base/base.h"

typedef struct snText_ {
  char* data;  // always terminated once something was written
  size_t size, room;
  int depth;             // elements that are open
  bool tag;              // the start tag of the innermost is not closed yet
  bool failed;           // out of memory: the text is not complete
  const char* unspoken;  // an attribute whose value has no word, NULL: none
  int precision;         // significant digits; 17 or more: as many as a number needs
} snText;

void text_free(snText* t);
void text_put(snText* t, const char* text);
void text_escaped(snText* t, const char* value);  // as it stands inside an attribute

// ---- elements; names are literals or live long enough
void text_open(snText* t, const char* name);
void text_close(snText* t, const char* name);
// Take back an element opened after `before` was noted (by copy) if nothing was written into it.
bool text_undo(snText* t, const snText* before, const char* name);
void text_comment(snText* t, const char* comment);

// ---- attributes of the element whose start tag is open; a value that is NULL has no word
void text_string(snText* t, const char* name, const char* value);
void text_ints(snText* t, const char* name, const int* value, int n);
void text_doubles(snText* t, const char* name, const double* value, int n);
void text_floats(snText* t, const char* name, const float* value, int n);

#endif
