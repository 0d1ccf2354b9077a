// XML documents by expat, as a tree (xml.h).
//
// Before expat a pass blanks comments and declarations, which models in the wild write in ways that
// expat refuses ("--" inside of a comment, unknown encodings), and repairs what is almost XML.
// After expat includes are replaced by the contents of their files.
#include "read/xml.h"

#include <ctype.h>
#include <expat.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "model/resource.h"

enum { kBlock = 1 << 16 };
// Stands for a stray '&' in a value on its way through expat.
enum { kAmpersand = 0x7f };

typedef struct Block_ {
  struct Block_* next;
} Block;

void* xml_alloc(snXml* xml, size_t bytes) {
  bytes = (bytes + 15) & ~(size_t)15;
  if (!xml->blocks || xml->used + bytes > xml->room) {
    size_t room = bytes > kBlock ? bytes : kBlock;
    Block* block = memory_alloc(sizeof(Block) + 16 + room);
    if (!block) return NULL;
    block->next = xml->blocks;
    xml->blocks = block;
    xml->used = 0;
    xml->room = room;
  }
  void* p = (char*)xml->blocks + ((sizeof(Block) + 15) & ~(size_t)15) + xml->used;
  xml->used += bytes;
  SN_ASSERT(xml->used <= xml->room && (uintptr_t)p % 16 == 0);
  return p;
}

static char* copy_text(snXml* xml, const char* text, size_t length) {
  char* p = xml_alloc(xml, length + 1);
  if (!p) return NULL;
  memcpy(p, text, length);
  p[length] = 0;
  return p;
}

void xml_free(snXml* xml) {
  for (snXmlSource* s = xml->sources; s; s = s->next) memory_free(s->text);
  Block* block = xml->blocks;
  while (block) {
    Block* next = block->next;
    memory_free(block);
    block = next;
  }
  memset(xml, 0, sizeof(*xml));
}

const char* xml_get(const snXmlNode* node, const char* name) {
  for (int i = 0; i < node->nattr; i++) {
    if (node->attr[i].name[0] == name[0] && !strcmp(node->attr[i].name, name)) {
      return node->attr[i].value;
    }
  }
  return NULL;
}

// ---- messages

// Line and column of an attribute, found by scanning its tag again.
static void place_attribute(const snXmlNode* node, const char* name, int* line, int* column) {
  const char* p = node->source->text + node->offset;
  const char* end = node->source->text + node->source->bytes;
  int l = node->line, c = node->column;
  size_t length = strlen(name);
  char quote = 0;
  bool start = false;  // an attribute name may begin here
  for (; p < end && (quote || *p != '>'); p++) {
    if (!quote && start && (size_t)(end - p) > length && !strncmp(p, name, length) &&
        strchr(" \t\r\n=", p[length])) {
      *line = l;
      *column = c;
      return;
    }
    start = !quote && strchr(" \t\r\n", *p);
    if (quote ? *p == quote : (*p == '"' || *p == '\'')) {
      quote = quote ? 0 : *p;
      start = !quote;
    }
    if (*p == '\n') {
      l++;
      c = 1;
    } else {
      c++;
    }
  }
}

// A model may name any file that the process can read. The contents of a file that is not a model
// may be secret, so a message gives the place of the error and quotes nothing.
static bool foreign_fault(const snXmlSource* s, int line, int column, snFault* fault) {
  return fault_raise(fault,
                     "%s:%d:%d: not a model: expected the root element 'mujoco' (MJCF), "
                     "'mujocoinclude' (a part of a model) or 'robot' (URDF); nothing is quoted "
                     "from a file with another root",
                     s->path, line, column);
}

static bool is_model_root(const char* name) {
  return !strcmp(name, "mujoco") || !strcmp(name, "mujocoinclude") || !strcmp(name, "robot");
}

bool xml_fault(const snXmlNode* node, const char* attribute, snFault* fault, const char* format,
               ...) {
  char text[768];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  int line = node->line, column = node->column;
  if (!node->source->shown) return foreign_fault(node->source, line, column, fault);
  if (attribute) {
    place_attribute(node, attribute, &line, &column);
    return fault_raise(fault, "%s:%d:%d: element '%s', attribute '%s': %s", node->source->path,
                       line, column, node->name, attribute, text);
  }
  return fault_raise(fault, "%s:%d:%d: element '%s': %s", node->source->path, line, column,
                     node->name, text);
}

// ---- from text to tree
typedef struct Parse_ {
  snXml* xml;
  snXmlSource* source;
  snXmlNode* open;  // innermost element that is open
  snXmlNode* root;
  XML_Parser parser;
  int depth;
  snFault* fault;
} Parse;

static void stop(Parse* p, const char* what) {
  fault_raise(p->fault, "%s:%d:%d: %s", p->source->path, (int)XML_GetCurrentLineNumber(p->parser),
              (int)XML_GetCurrentColumnNumber(p->parser) + 1, what);
  XML_StopParser(p->parser, XML_FALSE);
}

// Number of UTF-8 bytes of a code point.
static int utf8_size(unsigned long code) {
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

// XML normalizes tabs and line ends in values to blanks; MJCF keeps them. The raw value, from `raw`
// to `end`, gives which blanks of the parsed value they were.
static void restore_value(char* value, const char* raw, const char* end) {
  for (; raw < end && *value; raw++, value++) {
    if (*raw == '&') {
      const char* close = memchr(raw, ';', (size_t)(end - raw));
      if (!close) return;
      if (raw[1] == '#') {
        bool hex = raw[2] == 'x';
        value += utf8_size(strtoul(raw + (hex ? 3 : 2), NULL, hex ? 16 : 10)) - 1;
      }
      raw = close;
    } else if (*raw == '\t' || *raw == '\n') {
      *value = *raw;
    } else if (*raw == '\r') {
      *value = '\n';
      if (raw + 1 < end && raw[1] == '\n') raw++;
    }
  }
}

static void restore_space(Parse* p, const snXmlAttr* list, int n) {
  const char* raw = p->source->text + XML_GetCurrentByteIndex(p->parser);
  const char* end = raw + XML_GetCurrentByteCount(p->parser);
  for (int i = 0; i < n; i++) {
    while (raw < end && *raw != '"' && *raw != '\'') raw++;
    if (raw >= end) return;
    const char* close = memchr(raw + 1, *raw, (size_t)(end - raw - 1));
    if (!close) return;
    size_t length = (size_t)(close - raw - 1);
    if (memchr(raw, '\n', length) || memchr(raw, '\t', length) || memchr(raw, '\r', length)) {
      restore_value((char*)list[i].value, raw + 1, close);
    }
    raw = close + 1;
  }
}

static void on_start(void* data, const XML_Char* name, const XML_Char** atts) {
  Parse* p = data;
  if (p->fault->raised) return;
  if (++p->depth > snXML_DEPTH) {
    char text[80];
    snprintf(text, sizeof(text), "elements are nested deeper than %d", snXML_DEPTH);
    stop(p, text);
    return;
  }
  if (++p->xml->elements > snXML_ELEMENTS) {
    stop(p, "too many elements");
    return;
  }
  int n = 0;
  while (atts[2 * n]) n++;
  if (n > snXML_ATTRIBUTES) {
    stop(p, "too many attributes in one element");
    return;
  }
  snXmlNode* node = xml_alloc(p->xml, sizeof(*node));
  snXmlAttr* list = xml_alloc(p->xml, (n ? n : 1) * sizeof(*list));
  char* copy = copy_text(p->xml, name, strlen(name));
  if (!node || !list || !copy) {
    stop(p, "out of memory");
    return;
  }
  memset(node, 0, sizeof(*node));
  node->name = copy;
  for (int i = 0; i < n; i++) {
    list[i].name = copy_text(p->xml, atts[2 * i], strlen(atts[2 * i]));
    char* value = copy_text(p->xml, atts[2 * i + 1], strlen(atts[2 * i + 1]));
    if (!list[i].name || !value) {
      stop(p, "out of memory");
      return;
    }
    for (char* c = value; (c = strchr(c, kAmpersand)); c++) *c = '&';
    list[i].value = value;
    list[i].info = NULL;
  }
  restore_space(p, list, n);
  node->attr = list;
  node->nattr = n;
  node->line = (int)XML_GetCurrentLineNumber(p->parser);
  node->column = (int)XML_GetCurrentColumnNumber(p->parser) + 1;
  node->offset = (size_t)XML_GetCurrentByteIndex(p->parser);
  node->source = p->source;
  node->parent = p->open;
  if (p->open) {
    if (p->open->last) {
      p->open->last->next = node;
    } else {
      p->open->child = node;
    }
    p->open->last = node;
  } else {
    p->root = node;
    p->source->shown |= is_model_root(node->name);
  }
  p->open = node;
}

static void on_end(void* data, const XML_Char* name) {
  Parse* p = data;
  SN_ASSERT(p->depth > 0);
  p->depth--;
  if (p->open) p->open = p->open->parent;
}

static void on_doctype(void* data, const XML_Char* name, const XML_Char* system,
                       const XML_Char* public, int internal) {
  stop(data, "a document type declaration (DOCTYPE) is not accepted");
}

static void on_instruction(void* data, const XML_Char* target, const XML_Char* text) {
  stop(data, "a processing instruction stands behind the start of the root element");
}

static void blank(char* from, const char* to) {
  for (; from < to; from++) {
    if (*from != '\n') *from = ' ';
  }
}

static char* find(char* from, char* end, const char* what) {
  size_t n = strlen(what);
  for (; from + n <= end; from++) {
    if (*from == what[0] && !strncmp(from, what, n)) return from;
  }
  return NULL;
}

// An entity reference such as "&lt;" or "&#10;".
static bool is_entity(const char* p, const char* end) {
  const char* q = p + 1;
  while (q < end && q - p < 10 &&
         ((*q >= 'a' && *q <= 'z') || (*q >= '0' && *q <= '9') || (*q >= 'A' && *q <= 'F') ||
          *q == '#')) {
    q++;
  }
  if (q >= end || *q != ';' || q == p + 1) return false;
  static const char* const kNames[] = {"lt;", "gt;", "amp;", "quot;", "apos;"};
  if (p[1] == '#') return true;
  for (int i = 0; i < 5; i++) {
    if (!strncmp(p + 1, kNames[i], strlen(kNames[i]))) return true;
  }
  return false;
}

// Blanks comments, and declarations before the root, in place; keeps the comment that comes first
// in the root.
static void blank_markup(snXml* xml, snXmlSource* s) {
  char *p = s->text, *end = s->text + s->bytes;
  int tags = 0;
  bool bare = true;  // only white space since the first tag
  while (p < end) {
    if (*p == '<' && end - p >= 4 && !strncmp(p, "<!--", 4)) {
      char* close = find(p + 4, end, "-->");
      if (!close) return;  // expat reports where it began
      if (tags == 1 && bare && !s->included && !xml->comment) {
        xml->comment = copy_text(xml, p + 4, close - p - 4);
      }
      blank(p, close + 3);
      p = close + 3;
    } else if (*p == '<' && end - p >= 2 && p[1] == '?' && !tags) {
      char* close = find(p + 2, end, "?>");
      if (!close) return;
      blank(p, close + 2);
      p = close + 2;
    } else if (*p == '<' && end - p >= 9 && !strncmp(p, "<![CDATA[", 9)) {
      char* close = find(p, end, "]]>");
      if (!close) return;
      p = close + 3;
    } else if (*p == '<') {
      // a tag: quoted values may contain anything
      tags++;
      char quote = 0;
      for (p++; p < end && (quote || *p != '>'); p++) {
        if (quote) {
          if (*p == quote) quote = 0;
          if (*p == '&' && !is_entity(p, end)) *p = kAmpersand;
        } else if (*p == '"' || *p == '\'') {
          quote = *p;
        } else if (*p == '<') {
          p--;
          break;
        }
      }
      if (p < end) p++;
    } else {
      if (tags == 1 && !strchr(" \t\r\n", *p)) bare = false;
      if (*p == '&' && !is_entity(p, end)) *p = ' ';
      p++;
    }
  }
}

// Length of the UTF-8 sequence at p; 0 when it is not valid.
static size_t utf8_length(const char* p, const char* end) {
  unsigned char c = (unsigned char)*p;
  size_t n = c < 0x80                ? 1
             : c >= 0xc2 && c < 0xe0 ? 2
             : (c & 0xf0) == 0xe0    ? 3
             : c >= 0xf0 && c < 0xf5 ? 4
                                     : 0;
  if (n > (size_t)(end - p)) return 0;
  for (size_t i = 1; i < n; i++) {
    if (((unsigned char)p[i] & 0xc0) != 0x80) return 0;
  }
  return n;
}

// Repairs text that is accepted although it is not well-formed XML: no space between attributes,
// "<" inside of a value, bytes of Latin-1. Writes well-formed XML unless `out` is NULL; returns its
// size.
static size_t mend_text(const char* text, size_t bytes, char* out) {
  const char *p = text, *end = text + bytes;
  size_t n = 0;
  char quote = 0;
  bool tag = false, closed = false;  // inside <...>; directly after the closing quote of a value
#define PUT(c) (out ? (void)(out[n] = (char)(c)) : (void)0, n++)
  while (p < end) {
    size_t length = utf8_length(p, end);
    if (!quote && closed && (isalpha((unsigned char)*p) || *p == '_')) PUT(' ');
    closed = false;
    if (quote) {
      closed = *p == quote;
      if (closed) quote = 0;
      if (*p == '<') {
        for (const char* c = "&lt;"; *c; c++) PUT(*c);
        p++;
        continue;
      }
    } else if (tag) {
      if (*p == '"' || *p == '\'') quote = *p;
      if (*p == '>') tag = false;
    } else if (*p == '<') {
      tag = end - p > 1 && p[1] != '!' && p[1] != '?';
    }
    if (length) {
      for (; length; length--, p++) PUT(*p);
    } else {
      PUT(0xc0 | (unsigned char)*p >> 6);
      PUT(0x80 | (*p & 0x3f));
      p++;
    }
  }
#undef PUT
  return n;
}

static bool mend(snXmlSource* s) {
  size_t bytes = mend_text(s->text, s->bytes, NULL);
  if (bytes == s->bytes) return true;
  char* text = memory_alloc(bytes + 1);
  if (!text) return false;
  size_t written = mend_text(s->text, s->bytes, text);
  SN_ASSERT(written == bytes);
  text[bytes] = 0;
  memory_free(s->text);
  s->text = text;
  s->bytes = bytes;
  return true;
}

// Parses the text of a source; its elements become children of p->root.
static bool parse_source(Parse* p) {
  snXmlSource* s = p->source;
  size_t skip = s->bytes >= 3 && !memcmp(s->text, "\xef\xbb\xbf", 3) ? 3 : 0;
  if (skip) memset(s->text, ' ', 3);
  s->bytes = strlen(s->text);  // a zero byte ends the text
  blank_markup(p->xml, s);
  if (!mend(s)) return fault_raise(p->fault, "out of memory");
  p->parser = XML_ParserCreate("UTF-8");
  if (!p->parser) return fault_raise(p->fault, "out of memory");
  XML_SetUserData(p->parser, p);
  XML_SetElementHandler(p->parser, on_start, on_end);
  XML_SetStartDoctypeDeclHandler(p->parser, on_doctype);
  XML_SetProcessingInstructionHandler(p->parser, on_instruction);
  enum XML_Status status = XML_STATUS_OK;
  size_t done = 0;
  const size_t kChunk = (size_t)1 << 28;  // expat takes sizes as int
  do {
    size_t n = s->bytes - done < kChunk ? s->bytes - done : kChunk;
    status = XML_Parse(p->parser, s->text + done, (int)n, done + n == s->bytes);
    done += n;
  } while (status == XML_STATUS_OK && done < s->bytes);
  if (status != XML_STATUS_OK && !p->fault->raised) {
    int line = (int)XML_GetCurrentLineNumber(p->parser);
    int column = (int)XML_GetCurrentColumnNumber(p->parser) + 1;
    enum XML_Error error = XML_GetErrorCode(p->parser);
    if (p->open && !s->shown) {
      foreign_fault(s, line, column, p->fault);
    } else if (error == XML_ERROR_NO_ELEMENTS && p->open) {
      fault_raise(p->fault, "%s:%d:%d: not well-formed XML: element '%s' is not closed", s->path,
                  p->open->line, p->open->column, p->open->name);
    } else if (error == XML_ERROR_NO_ELEMENTS) {
      fault_raise(p->fault, "%s:%d:%d: the file is empty: a root element is expected", s->path,
                  line, column);
    } else if (p->open) {
      fault_raise(p->fault, "%s:%d:%d: not well-formed XML inside element '%s' of line %d: %s",
                  s->path, line, column, p->open->name, p->open->line, XML_ErrorString(error));
    } else {
      fault_raise(p->fault, "%s:%d:%d: not well-formed XML: %s", s->path, line, column,
                  XML_ErrorString(error));
    }
  }
  XML_ParserFree(p->parser);
  return !p->fault->raised;
}

// dir NULL: the folder of the path.
static snXmlSource* add_source(snXml* xml, const char* path, const char* dir, const void* text,
                               size_t bytes, snFault* fault) {
  snXmlSource* s = xml_alloc(xml, sizeof(*s));
  char* copy = s ? memory_alloc(bytes + 1) : NULL;
  if (!copy) {
    fault_raise(fault, "out of memory");
    return NULL;
  }
  memset(s, 0, sizeof(*s));
  memcpy(copy, text, bytes);
  copy[bytes] = 0;
  s->text = copy;
  s->bytes = bytes;
  s->next = xml->sources;
  xml->sources = s;
  s->named = strcmp(path, "<string>") != 0;
  s->path = copy_text(xml, path, strlen(path));
  s->dir = dir ? copy_text(xml, dir, strlen(dir)) : copy_text(xml, path, resource_dir_length(path));
  if (!s->path || !s->dir) {
    fault_raise(fault, "out of memory");
    return NULL;
  }
  return s;
}

static snXmlSource* add_resource(snXml* xml, snResource* r, snFault* fault) {
  char* dir = resource_dir(r);
  snXmlSource* source = dir ? add_source(xml, r->path, dir, r->data, r->bytes, fault) : NULL;
  if (!dir) fault_raise(fault, "out of memory");
  memory_free(dir);
  resource_close(r);
  return source;
}

// ---- includes
static bool follow_includes(snXml* xml, snXmlNode* node, const char* main_dir, const mjVFS* vfs,
                            int depth, snFault* fault);

// Replaces the include element at *link by the contents of its file.
static bool follow(snXml* xml, snXmlNode* include, const char* main_dir, const mjVFS* vfs,
                   int depth, snFault* fault) {
  const char* file = xml_get(include, "file");
  if (!file || !file[0]) {
    return xml_fault(include, NULL, fault,
                     "attribute 'file' is missing: expected the name of a file");
  }
  if (include->child)
    return xml_fault(include, NULL, fault, "an include may not have elements inside");
  if (++xml->includes > snXML_INCLUDES) {
    return xml_fault(include, "file", fault, "more than %d files are included", snXML_INCLUDES);
  }
  // relative to the including file, else relative to the main file
  snResource r;
  snFault first = {0}, second = {0};
  const char* dirs[2] = {include->source->dir, main_dir};
  bool found = resource_open(&r, vfs, dirs[0], file, RESOURCE_LIMIT, &first);
  if (!found && strcmp(dirs[0], dirs[1])) {
    found = resource_open(&r, vfs, dirs[1], file, RESOURCE_LIMIT, &second);
  }
  if (!found) return xml_fault(include, "file", fault, "%s", first.text);
  for (const snXmlSource* s = xml->sources; s; s = s->next) {
    if (!strcmp(s->path, r.path)) {
      resource_close(&r);
      return xml_fault(include, "file", fault,
                       "'%s' is included already: a file can be included only once", file);
    }
  }
  snXmlSource* source = add_resource(xml, &r, fault);
  if (!source) return false;
  source->included = true;
  Parse p = {.xml = xml, .source = source, .fault = fault, .depth = depth};
  if (!parse_source(&p)) return false;
  if (!p.root->child) {
    return xml_fault(include, "file", fault,
                     "'%s' holds no elements inside its root: expected at least one", file);
  }
  if (!follow_includes(xml, p.root, main_dir, vfs, depth, fault)) return false;
  snXmlNode* parent = include->parent;
  for (snXmlNode* n = p.root->child; n; n = n->next) n->parent = parent;
  SN_ASSERT(p.root->last && !p.root->last->next);
  p.root->last->next = include->next;
  if (parent->last == include) parent->last = p.root->last;
  snXmlNode** link = &parent->child;
  while (*link != include) link = &(*link)->next;
  *link = p.root->child;
  return true;
}

static bool follow_includes(snXml* xml, snXmlNode* node, const char* main_dir, const mjVFS* vfs,
                            int depth, snFault* fault) {
  if (depth > snXML_DEPTH) {
    return xml_fault(node, NULL, fault, "elements are nested deeper than %d", snXML_DEPTH);
  }
  for (snXmlNode *n = node->child, *next; n; n = next) {
    next = n->next;
    if (!strcmp(n->name, "include")) {
      if (!follow(xml, n, main_dir, vfs, depth + 1, fault)) return false;
    } else if (n->child && !follow_includes(xml, n, main_dir, vfs, depth + 1, fault)) {
      return false;
    }
  }
  return true;
}

bool xml_parse(snXml* xml, const char* path, const char* text, size_t bytes, const mjVFS* vfs,
               snFault* fault) {
  memset(xml, 0, sizeof(*xml));
  snXmlSource* source;
  if (text) {
    source = add_source(xml, path, NULL, text, bytes, fault);
    if (source) source->shown = true;
  } else {
    snResource r;
    if (!resource_open(&r, vfs, NULL, path, RESOURCE_LIMIT, fault)) return false;
    source = add_resource(xml, &r, fault);
  }
  if (!source) return false;
  Parse p = {.xml = xml, .source = source, .fault = fault};
  if (!parse_source(&p)) return false;
  xml->root = p.root;
  if (!strcmp(p.root->name, "include")) {
    return xml_fault(p.root, NULL, fault, "the root element of a model cannot be an include");
  }
  return follow_includes(xml, p.root, source->dir, vfs, 1, fault);
}
