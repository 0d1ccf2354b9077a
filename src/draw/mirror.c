// Mirrors: planes and the upper faces of boxes with a reflectance. A mirror n.x = at shows the
// scene from the eye reflected in it,
//
//   x' = x - 2 (n.x - at) n,
//
// drawn as a pass of its own with all that is behind the mirror cut away. Shading of the
// reflecting surface then looks its pixels up in that image and mixes them by the reflectance.
#include "draw/mirror.h"

enum { snLARGE = 640 };  // pixels

// ---- which mirrors there are

static void mirror_add(snFrame* frame, const float eye[3], int geom, const float normal[3],
                       const float point[3]) {
  if (frame->nmirror == snMIRRORS) return;
  snMirror* mirror = &frame->mirror[frame->nmirror];
  float at = 0, view = 0;
  for (int k = 0; k < 3; k++) at += normal[k] * point[k], view += normal[k] * eye[k];
  if (!(view > at)) return;
  mirror->geom = geom;
  mirror->at = at;
  memcpy(mirror->normal, normal, sizeof mirror->normal);
  frame->nmirror++;
}

// A plane reflects, and the upper face of a box.
static void geom_mirrors(snFrame* frame, const mjvGeom* geom, int id, const float eye[3]) {
  if (!(geom->reflectance > 0) || geom->rgba[3] < 1) return;
  if (geom->type != mjGEOM_PLANE && geom->type != mjGEOM_BOX) return;
  float normal[3], point[3], height = geom->type == mjGEOM_BOX ? geom->size[2] : 0;
  for (int k = 0; k < 3; k++) {
    normal[k] = geom->mat[3 * k + 2];
    point[k] = geom->pos[k] + height * normal[k];
  }
  mirror_add(frame, eye, id, normal, point);
}

// ---- their images

// A point x is seen at x - 2 (n.x - at) n.
static void mirror_pass(const snMirror* mirror, const snPass* view, snPass* pass) {
  *pass = *view;
  const float* n = mirror->normal;
  for (int r = 0; r < 4; r++) {
    const float* row = view->matrix + 4 * r;
    float along = row[0] * n[0] + row[1] * n[1] + row[2] * n[2];
    for (int k = 0; k < 3; k++) pass->matrix[4 * r + k] = row[k] - 2 * along * n[k];
    pass->matrix[4 * r + 3] = row[3] + 2 * along * mirror->at;
  }
  float height = -mirror->at, ahead = 0;
  for (int k = 0; k < 3; k++) height += n[k] * view->eye[k], ahead += n[k] * view->forward[k];
  for (int k = 0; k < 3; k++) {
    pass->eye[k] = view->eye[k] - 2 * height * n[k];
    pass->forward[k] = view->forward[k] - 2 * ahead * n[k];
    pass->cut_plane[k] = n[k];
  }
  pass->cut_plane[3] = -mirror->at;
  pass->cut = pass->image = true;
  pass->without = mirror->geom;
  pass->cull = -view->cull;
  // one sample a pixel is enough where pixels are many: an image is seen by its reflectance alone
  if (view->width >= snLARGE || view->height >= snLARGE) pass->samples = 1;
}

bool mirror_draw(snFrame* frame, const snPass* view, const snOrder* order) {
  frame->nmirror = 0;
  if (!order->scene->flags[mjRND_REFLECTION]) return true;
  for (int i = 0; i < order->scene->ngeom; i++) {
    geom_mirrors(frame, &order->scene->geoms[i], i, view->eye);
  }
  int count = frame->nmirror;
  frame->nmirror = 0;  // no mirrors in mirrors
  for (int i = 0; i < count; i++) {
    snMirror* mirror = &frame->mirror[i];
    if (mirror->image.width != view->width || mirror->image.height != view->height) {
      if (!buffer_make(&mirror->image, view->width, view->height)) return false;
    }
    snOrder image = *order;
    image.buffer = &mirror->image;
    image.viewport = (mjrRect){0, 0, view->width, view->height};
    image.depth = false;
    image.object = NULL;
    snPass pass;
    mirror_pass(mirror, view, &pass);
    if (!frame_pass(frame, &pass, &image, false)) return false;
  }
  frame->nmirror = count;
  return true;
}
