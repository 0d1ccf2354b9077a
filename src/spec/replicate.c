// replicate: the content of a frame, copied `count` times. Replica k is in a frame with k times
// the offset and the k-th power of the rotation, and its names get a numeric suffix.
#include <stdio.h>
#include <string.h>

#include "algebra/small.h"
#include "spec/attach.h"

// Keys that were copied with every replica come behind their copies.
static void keys_last(snSpec* spec, int n) {
  snList* keys = &spec->list[mjOBJ_KEY];
  for (int i = 0; i < n; i++) {
    snElement* first = keys->item[0];
    memmove(keys->item, keys->item + 1, (size_t)(keys->n - 1) * sizeof *keys->item);
    keys->item[keys->n - 1] = first;
  }
  for (int i = 0; i < keys->n; i++) keys->item[i]->id = i;
}

// One replica in a frame of its own.
static bool replica(snAttach* a, snElement* body, snElement* frame, const double pos[3],
                    const double quat[4], int nkey) {
  snElement* place = element_add(a->to, body, mjOBJ_FRAME, NULL);
  if (!place) return false;
  place->frame = frame;
  memcpy(place->u.frame_.pos, pos, 3 * sizeof(double));
  memcpy(place->u.frame_.quat, quat, 4 * sizeof(double));
  return attach_copy(a, body, place) && keys_copy(a->to, nkey, a->suffix);
}

bool spec_replicate(snElement* body, snElement* frame, snElement* from, int count,
                    const double offset[3], const double euler[3], const char* sep) {
  snSpec* spec = body->spec;
  if (count < 1) {
    spec_error(spec, "replicate: count must be positive, not %d", count);
    return false;
  }
  double pos[3] = {0}, quat[4] = {1, 0, 0, 0};
  const char* sequence = element_compiler(body)->eulerseq;
  char axes[4] = {sequence[0], sequence[1], sequence[2], 0};
  int digits = snprintf(NULL, 0, "%d", count);
  char suffix[256];
  snAttach a = {
      .to = spec, .from = spec, .prefix = "", .suffix = suffix, .same = true, .top = from};
  bool done = keys_split(spec);
  int nkey = keys_ready(spec);
  done = done && attach_mark(&a, from) &&
         spec_affords(spec, (double)count * ((double)attach_count(&a) + 1), "replicate");
  for (int i = 0; done && i < count; i++) {
    snprintf(suffix, sizeof suffix, "%s%0*d", sep ? sep : "", digits, i);
    int last = spec->list[mjOBJ_KEY].n;
    done = replica(&a, body, frame, pos, quat, nkey);
    // numbers of a key that is not copied go to the first replica
    if (done && i == 0) keys_follow(spec, nkey, last, snCOMES);
    double turned[9], moved[3];
    quat_to_mat(turned, quat);
    mat3_mul_vec(moved, turned, offset);
    for (int k = 0; k < 3; k++) pos[k] += moved[k];
    // replica k is turned by k times the angles, in the model's own unit and sequence of axes
    double k = i + 1;
    mjsOrientation turn = {.type = mjORIENTATION_EULER,
                           .euler = {k * euler[0], k * euler[1], k * euler[2]}};
    mjs_resolveOrientation(quat, element_compiler(body)->degree, axes, &turn);
  }
  // the originals leave; so do their numbers in keyframes
  keys_keep(spec);
  for (int i = 0; done && i < a.roots.n; i++) spec_doom(a.roots.item[i]);
  for (int i = 0; done && i < a.marked.n; i++) spec_doom(a.marked.item[i]);
  attach_unmark(&a);
  if (done) spec_sweep(spec, from->parent);
  if (done) keys_last(spec, nkey);
  attach_free(&a);
  spec_check(spec);
  if (!done && !spec->error[0]) spec_error(spec, "replicate: out of memory");
  return done;
}
