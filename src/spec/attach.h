// One attachment, between the files that carry it out.
#ifndef SINEW_SPEC_ATTACH_H_
#define SINEW_SPEC_ATTACH_H_

#include "spec/private.h"

// marks while an attachment is under way: of an original that comes along, of its copy
enum { snCOMES = 1, snCOPY = 2 };

typedef struct snAttach_ {
  snSpec *to, *from;
  const char *prefix, *suffix;
  const snSource* source;  // settings of the child, when it is another spec
  bool same;               // to == from
  bool failed;             // a reference could not be renamed
  snElement* body;         // that what comes is on; NULL: it is the world
  snElement* top;          // a frame that stays behind while what is in it comes, or NULL
  snList roots;            // what comes from the tree: originals on one body, or one body
  snList marked;           // what comes from outside the tree: originals
  snList classes;          // made for this attachment, without those below them
} snAttach;

// attach.c: mark a body, a frame or a whole model with all that comes with it; put copies of it at
// the end of a body's lists; take the marks away.
bool attach_mark(snAttach* a, snElement* child);
bool attach_copy(snAttach* a, snElement* body, snElement* frame);
void attach_unmark(snAttach* a);
void attach_free(snAttach* a);
size_t attach_count(const snAttach* a);  // elements of one copy

// attach_move.c: the originals take the place of their copies, which are freed
void attach_move(snAttach* a, snElement* body);

#endif
