// The growing XML text (text.h): layout of elements as released, escapes, and numbers with the
// fewest digits that read back as the same double.
#include "write/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

void text_free(snText* t) {
  memory_free(t->data);
  t->data = NULL;
  t->size = t->room = 0;
}

static void put(snText* t, const char* text, size_t n) {
  if (t->failed) return;
  if (t->size + n + 1 > t->room) {
    size_t room = t->room ? 2 * t->room : 4096;
    while (room < t->size + n + 1) room *= 2;
    char* grown = memory_resize(t->data, t->room, room);
    if (!grown) {
      t->failed = true;
      return;
    }
    t->data = grown;
    t->room = room;
  }
  SN_ASSERT(t->size + n < t->room);
  memcpy(t->data + t->size, text, n);
  t->size += n;
  t->data[t->size] = 0;
}

void text_put(snText* t, const char* text) { put(t, text, strlen(text)); }

static void indent(snText* t) {
  for (int i = 0; i < t->depth; i++) text_put(t, "  ");
}

// An empty line precedes elements whose name is that of a section, or begins like one (tendonpos),
// at any depth, as released.
static bool begins_section(const snText* t, const char* name) {
  static const char* const kSections[] = {"option",    "size",       "visual",   "statistic",
                                          "extension", "custom",     "asset",    "worldbody",
                                          "contact",   "deformable", "equality", "tendon",
                                          "actuator",  "sensor",     "keyframe"};
  for (size_t i = 0; i < sizeof kSections / sizeof kSections[0]; i++) {
    if (!strncmp(name, kSections[i], strlen(kSections[i]))) return true;
  }
  return t->depth == 1 && !strcmp(name, "default");
}

void text_open(snText* t, const char* name) {
  if (t->tag) text_put(t, ">\n");
  if (begins_section(t, name)) text_put(t, "\n");
  indent(t);
  text_put(t, "<");
  text_put(t, name);
  t->tag = true;
  t->depth++;
}

void text_close(snText* t, const char* name) {
  SN_ASSERT(t->depth > 0);
  t->depth--;
  if (t->tag) {
    text_put(t, "/>\n");
  } else {
    indent(t);
    text_put(t, "</");
    text_put(t, name);
    text_put(t, ">\n");
  }
  t->tag = false;
}

bool text_undo(snText* t, const snText* before, const char* name) {
  size_t bare = before->size + (before->tag ? 2 : 0) + begins_section(before, name) +
                2 * before->depth + 1 + strlen(name);
  if (t->failed || !t->tag || t->size != bare) return false;
  t->size = before->size;
  t->depth = before->depth;
  t->tag = before->tag;
  t->data[t->size] = 0;
  return true;
}

void text_comment(snText* t, const char* comment) {
  if (t->tag) text_put(t, ">\n");
  t->tag = false;
  indent(t);
  text_put(t, "<!--");
  text_put(t, comment);
  text_put(t, "-->\n");
}

void text_escaped(snText* t, const char* value) {
  for (const char* p = value; *p;) {
    size_t n = strcspn(p, "&<>\"'\n\t\r");
    put(t, p, n);
    p += n;
    char code[8];
    switch (*p) {
      case '&':
        text_put(t, "&amp;");
        break;
      case '<':
        text_put(t, "&lt;");
        break;
      case '>':
        text_put(t, "&gt;");
        break;
      case '"':
        text_put(t, "&quot;");
        break;
      case '\'':
        text_put(t, "&apos;");
        break;
      case 0:
        continue;
      default:
        snprintf(code, sizeof(code), "&#%d;", *p);
        text_put(t, code);
    }
    p++;
  }
}

void text_string(snText* t, const char* name, const char* value) {
  if (!name || !value) {
    t->unspoken = name ? name : "type";
    return;
  }
  text_put(t, " ");
  text_put(t, name);
  text_put(t, "=\"");
  text_escaped(t, value);
  text_put(t, "\"");
}

// The fewest digits that read back as the value; the caller has set the "C" locale.
static void put_double(snText* t, double value, int precision) {
  char text[40];
  if (isnan(value)) {
    text_put(t, "nan");
    return;
  }
  // integers get all their digits; at low precision, so do numbers that round to one
  const double same = 1e-13;  // this close to an integer counts as one
  double whole = round(value);
  bool plain = precision < 17 ? fabs(value - whole) < same
                              : value == whole && !(value == 0 && signbit(value));
  if (fabs(whole) < 2e9 && plain) {
    snprintf(text, sizeof(text), "%d", (int)whole);
    text_put(t, text);
    return;
  }
  int first = precision < 17 ? precision : 15;
  for (int digits = first; digits <= 17; digits++) {
    snprintf(text, sizeof(text), "%.*g", digits, value);
    if (precision < 17 || strtod(text, NULL) == value) break;
  }
  text_put(t, text);
}

static void put_float(snText* t, float value, int precision) {
  char text[40];
  if (isnan(value)) {
    text_put(t, "nan");
    return;
  }
  int first = precision < 9 ? precision : 6;
  for (int digits = first; digits <= 9; digits++) {
    snprintf(text, sizeof(text), "%.*g", digits, (double)value);
    if (precision < 9 || strtof(text, NULL) == value) break;
  }
  text_put(t, text);
}

static void begin(snText* t, const char* name) {
  SN_ASSERT(t->tag);  // attributes stand in an open tag
  text_put(t, " ");
  text_put(t, name);
  text_put(t, "=\"");
}

void text_ints(snText* t, const char* name, const int* value, int n) {
  begin(t, name);
  for (int i = 0; i < n; i++) {
    char text[16];
    snprintf(text, sizeof(text), "%s%d", i ? " " : "", value[i]);
    text_put(t, text);
  }
  text_put(t, "\"");
}

void text_doubles(snText* t, const char* name, const double* value, int n) {
  begin(t, name);
  for (int i = 0; i < n; i++) {
    if (i) text_put(t, " ");
    put_double(t, value[i], t->precision);
  }
  text_put(t, "\"");
}

void text_floats(snText* t, const char* name, const float* value, int n) {
  begin(t, name);
  for (int i = 0; i < n; i++) {
    if (i) text_put(t, " ");
    put_float(t, value[i], t->precision);
  }
  text_put(t, "\"");
}
