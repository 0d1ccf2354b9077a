// An XML document as a tree in which every element knows its file and position, with includes
// resolved.
#ifndef SINEW_READ_XML_H_
#define SINEW_READ_XML_H_

#include "base/base.h"

// Limits of a document.
enum {
  snXML_DEPTH = 500,       // nesting
  snXML_INCLUDES = 1000,   // files
  snXML_ATTRIBUTES = 256,  // per element
  snXML_ELEMENTS = 20 * 1000 * 1000,
};

typedef struct snXmlSource_ {
  struct snXmlSource_* next;
  const char* path;  // as opened
  const char* dir;   // its folder, with the last slash; "" for the current one
  char* text;        // markup that expat need not see is blanked; positions are unchanged
  size_t bytes;
  bool included;
  bool named;  // read from a file, not from text that the caller gave
  bool shown;  // messages may quote it: the root says that it is a model, or the caller gave the
               // text
} snXmlSource;

typedef struct snXmlAttr_ {
  const char* name;
  const char* value;
  const void* info;  // set by the schema check
} snXmlAttr;

typedef struct snXmlNode_ {
  const char* name;
  snXmlAttr* attr;
  int nattr;
  const void* info;  // set by the schema check
  int line, column;  // of the '<', from 1
  size_t offset;     // of the '<' in the source's text
  const snXmlSource* source;
  struct snXmlNode_ *parent, *child, *last, *next;
} snXmlNode;

typedef struct snXml_ {
  snXmlNode* root;
  snXmlSource* sources;  // newest first
  const char* comment;   // the comment that is the root's first child, or NULL
  void* blocks;          // arena of the document
  size_t used, room;
  long elements;
  int includes;
} snXml;

// Parses a file, or the given text under the name `path` (text NULL: opened through the VFS or from
// disk). False and a fault with file, line and column on failure; xml_free in either case.
bool xml_parse(snXml* xml, const char* path, const char* text, size_t bytes, const mjVFS* vfs,
               snFault* fault);
void xml_free(snXml* xml);

// The value of an attribute, NULL when absent.
const char* xml_get(const snXmlNode* node, const char* name);

// Records "file:line:column: element 'geom', attribute 'size': ..." as the fault; returns false.
// attribute NULL: the position of the element.
bool xml_fault(const snXmlNode* node, const char* attribute, snFault* fault, const char* format,
               ...) mjPRINTFLIKE(4, 5);

// Memory with the lifetime of the document; NULL without memory.
void* xml_alloc(snXml* xml, size_t bytes);

#endif
