// Text of attributes to numbers, keywords and names, stored in the fields that the schema names.
//
// Numbers are parsed here instead of by strtod where the result is provably the same, since models
// of meshes and keyframes have megabytes of them; the locale never matters.
#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "read/read.h"

bool read_given(const snXmlNode* node, const char* name) {
  const char* text = xml_get(node, name);
  return text && text[strspn(text, " \t\r\n")];
}

bool read_memory(snReader* r, const snXmlNode* node) {
  const char* why = mjs_getError(r->spec);
  bool budget = why && strstr(why, "budget");
  return xml_fault(node, NULL, r->fault, "%s", budget ? why : "out of memory");
}

// ---- numbers

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

static double slow_double(const char* text, char** end) { return system_double(text, end); }

// Fast path: up to 15 digits and powers of ten up to 22 are exact in double, so one multiplication
// or division rounds correctly (Clinger). Everything else goes through strtod.
static double parse_double(const char* text, char** end) {
  static const double kTen[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char* p = text;
  bool negative = *p == '-';
  if (*p == '-' || *p == '+') p++;
  long long mantissa = 0;
  int digits = 0, power = 0;
  const char* first = p;
  for (; isdigit((unsigned char)*p); p++) {
    mantissa = mantissa * 10 + (*p - '0');
    if (mantissa && ++digits > 15) return slow_double(text, end);
  }
  int whole = (int)(p - first), fraction = 0;
  if (*p == '.') {
    for (p++; isdigit((unsigned char)*p); p++, fraction++) {
      mantissa = mantissa * 10 + (*p - '0');
      if (mantissa && ++digits > 15) return slow_double(text, end);
    }
  }
  if (whole + fraction == 0) return slow_double(text, end);
  if (*p == 'x' || *p == 'X') return slow_double(text, end);
  power = -fraction;
  if (*p == 'e' || *p == 'E') {
    const char* q = p + 1;
    bool down = *q == '-';
    if (*q == '-' || *q == '+') q++;
    if (isdigit((unsigned char)*q)) {
      int e = 0;
      for (; isdigit((unsigned char)*q); q++) {
        e = e * 10 + (*q - '0');
        if (e > 400) return slow_double(text, end);
      }
      power += down ? -e : e;
      p = q;
    }
  }
  if (power < -22 || power > 22) return slow_double(text, end);
  double value = (double)mantissa;
  value = power < 0 ? value / kTen[-power] : value * kTen[power];
  *end = (char*)p;
  return negative ? -value : value;
}

// Rounded once, from the text to float: rounding to double first could round twice.
static float parse_float(const char* text, char** end) {
  const char* p = text;
  int digits = 0, fraction = 0, mantissa = 0;
  bool negative = *p == '-', point = false;
  if (*p == '-' || *p == '+') p++;
  for (; isdigit((unsigned char)*p) || (*p == '.' && !point); p++) {
    if (*p == '.') {
      point = true;
      continue;
    }
    mantissa = mantissa * 10 + (*p - '0');
    fraction += point;
    if (++digits > 7) break;
  }
  // up to 7 digits, and powers of ten up to 10, are exact in float
  static const float kTen[] = {1e0f, 1e1f, 1e2f, 1e3f, 1e4f, 1e5f, 1e6f, 1e7f};
  if (digits > 0 && digits <= 7 && mantissa < (1 << 24) && (!*p || is_space(*p))) {
    *end = (char*)p;
    float value = (float)mantissa / kTen[fraction];
    return negative ? -value : value;
  }
  return system_float(text, end);
}

typedef enum Kind_ { KIND_INT, KIND_DOUBLE, KIND_FLOAT } Kind;

// The part of a value that a message quotes.
static const char* shorten(const char* text, char* buffer, size_t size) {
  if (strlen(text) < size) return text;
  snprintf(buffer, size, "%.*s...", (int)size - 5, text);
  return buffer;
}

static bool bad_number(snReader* r, const snXmlNode* node, const char* name, const char* token,
                       const char* expected) {
  char word[40];
  int n = 0;
  while (token[n] && !is_space(token[n]) && n < 36) n++;
  snprintf(word, sizeof(word), "%.*s", n, token);
  return xml_fault(node, name, r->fault, "bad format in attribute: found '%s', expected %s", word,
                   expected);
}

// Does a nonzero number underflow to zero in its type?
static bool vanishes(const char* text, const char* end, double value, double smallest) {
  if (!(fabs(value) < smallest)) return false;
  while (text < end && !(*text >= '1' && *text <= '9') && *text != 'e' && *text != 'E') text++;
  return text < end && *text >= '1' && *text <= '9';
}

// Reads the next number of a list and advances *text. 1: read, 0: end, -1: malformed.
static int next_number(snReader* r, const snXmlNode* node, const char* name, const char** text,
                       Kind kind, void* out) {
  const char* p = *text;
  while (is_space(*p)) p++;
  if (!*p) return 0;
  char* end = (char*)p;
  if (kind == KIND_INT) {
    errno = 0;
    long value = strtol(p, &end, 10);
    if (end == p || (*end && !is_space(*end))) {
      bad_number(r, node, name, p, "an integer");
      return -1;
    }
    if (errno || value < INT_MIN || value > INT_MAX) {
      bad_number(r, node, name, p, "an integer of at most 32 bits");
      return -1;
    }
    *(int*)out = (int)value;
  } else {
    double value = kind == KIND_FLOAT ? parse_float(p, &end) : parse_double(p, &end);
    if (end == p || (*end && !is_space(*end))) {
      bad_number(r, node, name, p, "a number");
      return -1;
    }
    if (vanishes(p, end, value, kind == KIND_FLOAT ? FLT_MIN : DBL_MIN)) {
      bad_number(r, node, name, p, "0 or a number that is not as small");
      return -1;
    }
    if (isinf(value) && (isdigit((unsigned char)p[0]) || isdigit((unsigned char)p[1]))) {
      bad_number(r, node, name, p, "a number in range");
      return -1;
    }
    if (isnan(value)) r->nan = true;
    if (kind == KIND_FLOAT) {
      *(float*)out = (float)value;
    } else {
      *(double*)out = value;
    }
  }
  *text = end;
  return 1;
}

static size_t kind_size(Kind kind) {
  return kind == KIND_INT ? sizeof(int) : kind == KIND_FLOAT ? sizeof(float) : sizeof(double);
}

static const char* count_text(int least, int most, const char* what, char* buffer, size_t size) {
  if (most < 0) {
    snprintf(buffer, size, "at least %d %ss", least, what);
  } else if (least == most) {
    snprintf(buffer, size, "%d %s%s", most, what, most == 1 ? "" : "s");
  } else {
    snprintf(buffer, size, "%d to %d %ss", least, most, what);
  }
  return buffer;
}

// Reads least..most numbers; nothing is stored beyond `most`.
static bool numbers(snReader* r, const snXmlNode* node, const char* name, const char* text,
                    Kind kind, int least, int most, void* out, int* count) {
  int n = 0, got;
  union {
    int i;
    float f;
    double d;
  } value;
  while ((got = next_number(r, node, name, &text, kind, &value)) == 1) {
    if (n < most) memcpy((char*)out + n * kind_size(kind), &value, kind_size(kind));
    n++;
  }
  if (got < 0) return false;
  // an empty value counts as absent
  if (n > most || (n > 0 && n < least)) {
    char expected[64];
    return xml_fault(node, name, r->fault, "found %d value%s, expected %s: %s", n,
                     n == 1 ? "" : "s",
                     count_text(least, most, kind == KIND_INT ? "integer" : "number", expected,
                                sizeof(expected)),
                     n > most ? "too much data" : "not enough data");
  }
  *count = n;
  return true;
}

// All numbers of a text, in memory of the document.
static bool number_list(snReader* r, const snXmlNode* node, const char* name, const char* text,
                        Kind kind, void** out, int* count) {
  // a number and its separator take at least two characters
  size_t most = strlen(text) / 2 + 1;
  char* list = xml_alloc(r->xml, most * kind_size(kind));
  if (!list) return read_memory(r, node);
  int n = 0, got;
  while ((got = next_number(r, node, name, &text, kind, list + n * kind_size(kind))) == 1) n++;
  *out = list;
  *count = n;
  return got == 0;
}

bool read_doubles(snReader* r, const snXmlNode* node, const char* name, double* out, int least,
                  int most, int* count) {
  int n = 0;
  const char* text = xml_get(node, name);
  if (text && !numbers(r, node, name, text, KIND_DOUBLE, least, most, out, &n)) return false;
  if (count) *count = n;
  return true;
}

static bool single_int(snReader* r, const snXmlNode* node, const char* name, const char* text,
                       int* out) {
  int n = 0;
  if (!numbers(r, node, name, text, KIND_INT, 1, 1, out, &n)) return false;
  if (!n) return xml_fault(node, name, r->fault, "found nothing, expected an integer");
  return true;
}

bool read_int(snReader* r, const snXmlNode* node, const char* name, int* out, bool* found) {
  const char* text = xml_get(node, name);
  if (found) *found = text != NULL;
  return !text || single_int(r, node, name, text, out);
}

bool read_double_list(snReader* r, const snXmlNode* node, const char* name, double** out,
                      int* count) {
  const char* text = xml_get(node, name);
  *out = NULL;
  *count = 0;
  return !text || number_list(r, node, name, text, KIND_DOUBLE, (void**)out, count);
}

bool read_float_list(snReader* r, const snXmlNode* node, const char* name, float** out,
                     int* count) {
  const char* text = xml_get(node, name);
  *out = NULL;
  *count = 0;
  return !text || number_list(r, node, name, text, KIND_FLOAT, (void**)out, count);
}

bool read_int_list(snReader* r, const snXmlNode* node, const char* name, int** out, int* count) {
  const char* text = xml_get(node, name);
  *out = NULL;
  *count = 0;
  return !text || number_list(r, node, name, text, KIND_INT, (void**)out, count);
}

// ---- keywords
static bool keyword(snReader* r, const snXmlNode* node, const snTagAttr* a, const char* text,
                    int* out) {
  for (const snKeyword* k = a->keys; k->name; k++) {
    if (!strcmp(k->name, text)) {
      *out = k->value;
      return true;
    }
  }
  char list[256], quote[48];
  const char* nearest = table_nearest_keyword(a->keys, text);
  return xml_fault(node, a->name, r->fault, "invalid keyword: '%s', expected one of: %s%s%s%s",
                   shorten(text, quote, sizeof(quote)), table_keywords(a->keys, list, sizeof(list)),
                   nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

bool read_key(snReader* r, const snXmlNode* node, const char* name, int* out, bool* found) {
  const char* text = xml_get(node, name);
  if (found) *found = text != NULL;
  return !text || keyword(r, node, table_attribute(node->info, name), text, out);
}

// ---- one value into its field
static bool orientation(snReader* r, const snXmlNode* node, const snTagAttr* a, const char* text,
                        mjsOrientation* alt) {
  double value[6];
  int n = 0;
  if (!numbers(r, node, a->name, text, KIND_DOUBLE, a->least, a->most, value, &n)) return false;
  if (!n) return true;
  alt->type = (mjtOrientation)a->keys[0].value;
  double* to = alt->type == mjORIENTATION_AXISANGLE ? alt->axisangle
               : alt->type == mjORIENTATION_XYAXES  ? alt->xyaxes
               : alt->type == mjORIENTATION_ZAXIS   ? alt->zaxis
                                                    : alt->euler;
  memcpy(to, value, n * sizeof(double));
  return true;
}

static bool vector(snReader* r, const snXmlNode* node, const snTagAttr* a, const char* text,
                   void* field) {
  void* list = NULL;
  int n = 0;
  Kind kind = a->type == snVALUE_INTS     ? KIND_INT
              : a->type == snVALUE_FLOATS ? KIND_FLOAT
                                          : KIND_DOUBLE;
  if (!number_list(r, node, a->name, text, kind, &list, &n)) return false;
  if (!n && (a->flags & snATTR_REQUIRED)) {
    return xml_fault(node, a->name, r->fault, "found nothing, expected numbers");
  }
  if (!n && !strcmp(a->name, "user")) return true;  // keeps the value of the default class
  void* vec = *(void**)field;
  if (kind == KIND_INT) {
    mjs_setInt(vec, list, n);
  } else if (kind == KIND_FLOAT) {
    mjs_setFloat(vec, list, n);
  } else {
    mjs_setDouble(vec, list, n);
  }
  return true;
}

static bool value(snReader* r, const snXmlNode* node, const snTagAttr* a, const char* text,
                  void* field, mjsElement* element) {
  int n = 0;
  switch ((snValue)a->type) {
    case snVALUE_INT:
      if (a->least == 1 && a->most == 1) return single_int(r, node, a->name, text, field);
      return numbers(r, node, a->name, text, KIND_INT, a->least, a->most, field, &n);
    case snVALUE_DOUBLE:
    case snVALUE_FLOAT:
      if (!numbers(r, node, a->name, text, a->type == snVALUE_FLOAT ? KIND_FLOAT : KIND_DOUBLE,
                   a->least, a->most, field, &n)) {
        return false;
      }
      if (!n && (a->flags & snATTR_REQUIRED)) {
        char expected[64];
        return xml_fault(node, a->name, r->fault, "found nothing, expected %s",
                         count_text(a->least, a->most, "number", expected, sizeof(expected)));
      }
      return true;
    case snVALUE_KEY:
      return keyword(r, node, a, text, field);
    case snVALUE_BYTE:
      if (!keyword(r, node, a, text, &n)) return false;
      *(mjtByte*)field = (mjtByte)n;
      return true;
    case snVALUE_KEYNUM:
      if (!keyword(r, node, a, text, &n)) return false;
      *(mjtNum*)field = n;
      return true;
    case snVALUE_STRING:
      mjs_setString(*(mjString**)field, text);
      return true;
    case snVALUE_STRINGS:
      mjs_setStringVec(*(mjStringVec**)field, text);
      return true;
    case snVALUE_INTS:
    case snVALUE_FLOATS:
    case snVALUE_DOUBLES:
      return vector(r, node, a, text, field);
    case snVALUE_ORIENT:
      return orientation(r, node, a, text, field);
    case snVALUE_NAME:
      // A name may occur twice until replicate or attach renames it; the compiler checks.
      return !element || !text[0] || spec_name_set(element_of(element), text) ||
             read_memory(r, node);
    case snVALUE_CLASS:
      return true;
  }
  return true;
}

bool read_values(snReader* r, const snXmlNode* node, void* target, mjsElement* element) {
  const char* turn = NULL;  // the orientation attribute seen, of which there may be one
  for (int i = 0; i < node->nattr; i++) {
    const snTagAttr* a = node->attr[i].info;
    if (!a || (a->flags & snATTR_CODE)) continue;
    if (a->type == snVALUE_ORIENT ||
        (a->type == snVALUE_DOUBLE && a->most == 4 && !strcmp(a->name, "quat"))) {
      if (turn) {
        return xml_fault(
            node, a->name, r->fault,
            "multiple orientation specifiers are not allowed: orientation is given already by "
            "'%s', expected only one of quat, axisangle, xyaxes, zaxis, euler",
            turn);
      }
      turn = a->name;
    }
    if (!value(r, node, a, node->attr[i].value, (char*)target + a->offset, element)) return false;
  }
  return true;
}

// ---- references
bool read_class(snReader* r, const snXmlNode* node, const mjsDefault* inherited,
                const mjsDefault** def) {
  const char* name = xml_get(node, "class");
  *def = inherited;
  if (!name) return true;
  *def = mjs_findDefault(r->spec, name);
  if (!*def) return xml_fault(node, "class", r->fault, "unknown default class name '%s'", name);
  return true;
}

bool read_type(snReader* r, const snXmlNode* node, const char* name, mjtObj* type) {
  const char* text = xml_get(node, name);
  if (!text) return true;
  int found = mju_str2Type(text);
  if (found == mjOBJ_UNKNOWN) {
    return xml_fault(node, name, r->fault,
                     "found '%s', expected a type of object such as body or geom", text);
  }
  *type = (mjtObj)found;
  return true;
}

void read_info(const snXmlNode* node, mjString* info) {
  char text[512];
  if (node->source->named) {
    snprintf(text, sizeof(text), "line %d of %.400s", node->line, node->source->path);
  } else {
    snprintf(text, sizeof(text), "line %d", node->line);
  }
  mjs_setString(info, text);
}
