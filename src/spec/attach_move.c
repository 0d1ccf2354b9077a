// A child that gives its subtree away: programs hold pointers to the originals, so the originals
// take the place of the copies that stand in the target already, and the copies, with what the
// originals were, are freed. Nothing here needs memory, so nothing can fail half way.
#include "spec/attach.h"

static void mark_copies(snElement* e) {
  e->mark = snCOPY;
  for (int k = 0; e->base.elemtype == mjOBJ_BODY && k < snNCHILD; k++) {
    for (int i = 0; i < e->child[k].n; i++) mark_copies(e->child[k].item[i]);
  }
}

static void lead_to_originals(snList* list) {
  for (int i = 0; i < list->n; i++) {
    if (list->item[i]->mark == snCOPY) list->item[i] = list->item[i]->twin;
  }
}

static void drop_originals(snList* list) {
  int kept = 0;
  for (int i = 0; i < list->n; i++) {
    if (list->item[i]->mark != snCOMES) list->item[kept++] = list->item[i];
  }
  list->n = kept;
}

static bool comes(const snElement* e) { return e->mark == snCOMES; }

// Copy and original, with all below them, change places. Children stand in the same order in both.
static void change_places(snAttach* a, snElement* copy, snElement* original) {
  for (int k = 0; copy->base.elemtype == mjOBJ_BODY && k < snNCHILD; k++) {
    for (int i = 0; i < copy->child[k].n; i++) {
      snElement *below = copy->child[k].item[i], *own = original->child[k].item[i];
      change_places(a, below, own);
      copy->child[k].item[i] = own;
      own->parent = original;
      original->child[k].item[i] = below;
      below->parent = copy;
    }
  }
  spec_name_remove(a->from, original);
  element_swap(copy, original);
  if (original->hash) spec_name_hand(a->to, copy, original);
  if (original->frame && original->frame->mark == snCOPY) original->frame = original->frame->twin;
}

void attach_move(snAttach* a, snElement* body) {
  snSpec *to = a->to, *from = a->from;
  if (!a->roots.n) return;
  for (int i = 0; i < a->roots.n; i++) mark_copies(a->roots.item[i]->twin);
  keys_follow(to, 0, to->list[mjOBJ_KEY].n, snCOPY);
  lead_to_originals(&to->frames);
  for (int k = 0; k < snNCHILD; k++) lead_to_originals(&body->child[k]);
  keys_forget(from, comes);
  drop_originals(&from->frames);
  for (int k = 0; k < snNCHILD; k++) drop_originals(&a->body->child[k]);
  for (int i = 0; i < a->roots.n; i++) {
    change_places(a, a->roots.item[i]->twin, a->roots.item[i]);
  }
  // the content of a copy is now that of its original, of the child
  bool keeps = from->keeps;
  from->keeps = false;
  for (int i = 0; i < a->roots.n; i++) element_free_tree(a->roots.item[i]->twin);
  from->keeps = keeps;
  // what refers to the subtree from outside the tree went as a copy
  for (int i = 0; i < a->marked.n; i++) {
    mjtObj type = a->marked.item[i]->base.elemtype;
    if (attach_refers(type)) spec_doom(a->marked.item[i]);
  }
  spec_sweep(from, NULL);
}
