// An XML document as a tree, every element knowing its file and place; includes already followed.
#ifndef SINEW_READ_XML_H_
#define SINEW_READ_XML_H_

#include "base/base.h"

// What a document may not exceed.
enum {
  snXML_DEPTH = 500,       // elements inside elements
  snXML_INCLUDES = 1000,   // files
  snXML_ATTRIBUTES = 256,  // of one element
  snXML_ELEMENTS = 20 * 1000 * 1000,
};

typedef struct snXmlSource_ {
  struct snXmlSource_* next;
  const char* path;  // as opened
  const char* dir;   // its folder, with the last slash; "" for the current one
  char* text;        // markup the parser need not see is blanked, places are kept
  size_t bytes;
  bool included;
  bool named;  // a file, not a text that the caller gave
  bool shown;  // messages may quote it: it is a model, or text that the caller gave
} snXmlSource;

typedef struct snXmlAttr_ {
  const char* name;
  const char* value;
  const void* info;  // what a schema check found out about it
} snXmlAttr;

typedef struct snXmlNode_ {
  const char* name;
  snXmlAttr* attr;
  int nattr;
  const void* info;  // what a schema check found out about it
  int line, column;  // of the '<', from 1
  size_t offset;     // of the '<' in the source's text
  const snXmlSource* source;
  struct snXmlNode_ *parent, *child, *last, *next;
} snXmlNode;

typedef struct snXml_ {
  snXmlNode* root;
  snXmlSource* sources;  // the newest first
  const char* comment;   // the comment that is the root's first child, or NULL
  void* blocks;          // arena
  size_t used, room;
  long elements;
  int includes;
} snXml;

// Parse a file, or the text given under the name `path` (text NULL: open it through the VFS or
// from disk). False and a fault with file, line and column on failure; xml_free in every case.
bool xml_parse(snXml* xml, const char* path, const char* text, size_t bytes, const mjVFS* vfs,
               snFault* fault);
void xml_free(snXml* xml);

// The value of an attribute, NULL when absent.
const char* xml_get(const snXmlNode* node, const char* name);

// Record "file:line:column: element 'geom', attribute 'size': ..." as the fault; returns false.
// attribute NULL: the place is the element's.
bool xml_fault(const snXmlNode* node, const char* attribute, snFault* fault, const char* format,
               ...) mjPRINTFLIKE(4, 5);

// Memory that lives as long as the document; NULL when there is none left.
void* xml_alloc(snXml* xml, size_t bytes);

#endif
