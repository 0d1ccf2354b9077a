// XML text that grows: elements, attributes, numbers that read back as the same doubles.
#ifndef SINEW_WRITE_TEXT_H_
#define SINEW_WRITE_TEXT_H_

#include "base/base.h"

typedef struct snText_ {
  char* data;  // zero-terminated once something was written
  size_t size, room;
  int depth;             // number of open elements
  bool tag;              // the start tag of the innermost element is still open
  bool failed;           // out of memory: the text is incomplete
  const char* unspoken;  // an attribute whose value has no keyword; NULL: none
  int precision;         // significant digits; 17 or more: as many as a number needs
} snText;

void text_free(snText* t);
void text_put(snText* t, const char* text);
void text_escaped(snText* t, const char* value);  // as it appears inside of an attribute

// ---- elements; names are literals or outlive the text
void text_open(snText* t, const char* name);
void text_close(snText* t, const char* name);
// Removes an element that was opened after the state `before` was copied, if it is still empty.
bool text_undo(snText* t, const snText* before, const char* name);
void text_comment(snText* t, const char* comment);

// ---- attributes of the element whose start tag is open; a NULL value has no keyword
void text_string(snText* t, const char* name, const char* value);
void text_ints(snText* t, const char* name, const int* value, int n);
void text_doubles(snText* t, const char* name, const double* value, int n);
void text_floats(snText* t, const char* name, const float* value, int n);

#endif
