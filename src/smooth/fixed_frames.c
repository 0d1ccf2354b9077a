// Memory of the poses of frames fixed to the world (fixed_frames.h): one block in the cache of
// mjData, made again when the model or its plan changes.
#include "smooth/fixed_frames.h"

// Append the frames from `first` to n.
static void frames_add(snFixedFrames* s, const double* pos, const double* quat, const mjtByte* same,
                       double* xpos, double* xmat, int first, int n) {
  for (int i = first; i < n; i++) {
    s->frame[s->nframe++] = (snFixedFrame){.from_pos = pos + 3 * i,
                                           .from_quat = quat + 4 * i,
                                           .from_same = same + i,
                                           .to_xpos = xpos + 3 * i,
                                           .to_xmat = xmat + 9 * i};
  }
}

static snFixedFrames* fixed_frames_make(const mjModel* m, const mjData* d) {
  const snPlan* plan = model_plan(m);
  int nbody = plan->still_body, ngeom = plan->still_geom, nsite = plan->still_site;
  size_t frames = (2 * (size_t)nbody + ngeom + nsite) * sizeof(snFixedFrame);
  size_t views = ((size_t)m->ncam + m->nlight) * sizeof(snFixedView);
  size_t numbers = 4 * (size_t)nbody + 16 * (size_t)m->nbody + 4 * (size_t)m->njnt;
  size_t head = (sizeof(snFixedFrames) + 63) & ~(size_t)63;
  char* block = memory_alloc_zero(head + numbers * sizeof(double) + frames + views);
  if (!block) return NULL;
  snFixedFrames* s = (snFixedFrames*)block;
  s->m = m;
  s->serial = plan->serial;
  s->nbody = nbody, s->ngeom = ngeom, s->nsite = nsite;
  s->pose = (double*)(block + head);
  s->turn = s->pose + 16 * m->nbody;
  s->xquat = s->turn + 4 * m->njnt;
  s->frame = (snFixedFrame*)(s->xquat + 4 * nbody);
  s->camera = (snFixedView*)(s->frame + 2 * nbody + ngeom + nsite);
  s->light = s->camera + m->ncam;
  const mjtByte* same = m->body_sameframe;
  frames_add(s, m->body_pos, m->body_quat, same, d->xpos, d->xmat, 1, nbody);
  frames_add(s, m->body_ipos, m->body_iquat, same, d->xipos, d->ximat, 1, nbody);
  frames_add(s, m->geom_pos, m->geom_quat, m->geom_sameframe, d->geom_xpos, d->geom_xmat, 0, ngeom);
  frames_add(s, m->site_pos, m->site_quat, m->site_sameframe, d->site_xpos, d->site_xmat, 0, nsite);
  SN_ASSERT(s->nframe <= 2 * nbody + ngeom + nsite);
  return s;
}

void fixed_frames_keep(const mjData* d, snFixedFrames* s) {
  for (snFixedFrame* k = s->frame; k < s->frame + s->nframe; k++) {
    vec3_copy(k->pos, k->from_pos);
    quat_copy(k->quat, k->from_quat);
    vec3_copy(k->xpos, k->to_xpos);
    mat3_copy(k->xmat, k->to_xmat);
    k->same = *k->from_same;
  }
  memcpy(s->xquat, d->xquat, 4 * s->nbody * sizeof(double));
  s->known = true;
}

static snFixedFrames* fixed_frames_replace(const mjModel* m, const mjData* d, snCache* slot) {
  memory_free(slot->block);
  slot->free = memory_free;
  slot->block = fixed_frames_make(m, d);
  return slot->block;
}

snFixedFrames* fixed_frames_of(const mjModel* m, mjData* d) {
  snCache* slot = data_cache(d, snROOM_SMOOTH);
  snFixedFrames* s = slot->block;
  if (__builtin_expect(s && s->m == m && s->serial == model_plan(m)->serial, 1)) return s;
  s = fixed_frames_replace(m, d, slot);
  if (!s) mju_error("kinematics: no memory");
  return s;
}
