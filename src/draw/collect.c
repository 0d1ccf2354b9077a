// The scene's geoms as parts: which surfaces, with which pose and look.
#include "draw/frame.h"

static snPart* part_add(snFrame* frame) {
  if (frame->npart == frame->part_room) {
    size_t room = frame->part_room ? 2 * frame->part_room : 64;
    snPart* part =
        memory_resize(frame->part, frame->part_room * sizeof *part, room * sizeof *part);
    if (!part) return NULL;
    frame->part = part;
    frame->part_room = room;
  }
  return &frame->part[frame->npart++];
}

// Pose: the geom's frame, an offset along its z, sizes along its axes. Normals go with the inverse
// of the sizes.
static bool part_place(snFrame* frame, const snPart* look, const snSurface* surface,
                       const mjvGeom* geom, float z, float sx, float sy, float sz) {
  if (!surface->nface) return true;
  snPart* part = part_add(frame);
  if (!part) return false;
  *part = *look;
  part->surface = surface;
  float size[3] = {sx, sy, sz}, inverse[3] = {sy * sz, sx * sz, sx * sy};
  for (int r = 0; r < 3; r++) {
    part->pos[r] = geom->pos[r] + geom->mat[3 * r + 2] * z;
    for (int c = 0; c < 3; c++) {
      part->mat[3 * r + c] = geom->mat[3 * r + c] * size[c];
      part->normal[3 * r + c] = geom->mat[3 * r + c] * inverse[c];
    }
  }
  return true;
}

static bool geom_parts(snFrame* frame, const snOrder* order, const mjvGeom* geom, snPart* look) {
  const snAssets* a = order->assets;
  const snSurface* shape = a->shape;
  const float* s = geom->size;
  switch (geom->type) {
    case mjGEOM_PLANE:
      return part_place(frame, look, &shape[snSHAPE_PLANE], geom, 0, s[0] ? s[0] : 100,
                        s[1] ? s[1] : 100, 1);
    case mjGEOM_SPHERE:
    case mjGEOM_ELLIPSOID:
      return part_place(frame, look, &shape[snSHAPE_SPHERE], geom, 0, s[0], s[1], s[2]);
    case mjGEOM_CAPSULE:
      return part_place(frame, look, &shape[snSHAPE_TUBE], geom, 0, s[0], s[1], s[2]) &&
             part_place(frame, look, &shape[snSHAPE_DOME], geom, s[2], s[0], s[1], s[0]) &&
             part_place(frame, look, &shape[snSHAPE_BOWL], geom, -s[2], s[0], s[1], s[0]);
    case mjGEOM_CYLINDER:
      return part_place(frame, look, &shape[snSHAPE_TUBE], geom, 0, s[0], s[1], s[2]) &&
             part_place(frame, look, &shape[snSHAPE_DISK], geom, s[2], s[0], s[1], 1) &&
             part_place(frame, look, &shape[snSHAPE_DISK_DOWN], geom, -s[2], s[0], s[1], 1);
    case mjGEOM_BOX:
      return part_place(frame, look, &shape[snSHAPE_BOX], geom, 0, s[0], s[1], s[2]);
    case mjGEOM_MESH:
    case mjGEOM_SDF:
      if (geom->dataid < 0 || geom->dataid >= 2 * a->nmesh) return true;
      return part_place(frame, look, &a->mesh[geom->dataid], geom, 0, 1, 1, 1);
    case mjGEOM_HFIELD:
      if (geom->dataid < 0 || geom->dataid >= a->nhfield) return true;
      return part_place(frame, look, &a->hfield[geom->dataid], geom, 0, 1, 1, 1);
    default:
      return true;
  }
}

bool collect_parts(snFrame* frame, const snOrder* order, const float eye[3]) {
  const mjvScene* scene = order->scene;
  for (int i = 0; i < scene->ngeom; i++) {
    const mjvGeom* geom = &scene->geoms[i];
    snPart look = {.geom = i,
                   .rgba = {geom->rgba[0], geom->rgba[1], geom->rgba[2], geom->rgba[3]},
                   .specular = geom->specular,
                   .shininess = geom->shininess,
                   .emission = geom->emission,
                   .reflectance = geom->reflectance,
                   .segment = geom->segid,
                   .mirror = -1};
    if (!geom_parts(frame, order, geom, &look)) return false;
  }
  return true;
}
