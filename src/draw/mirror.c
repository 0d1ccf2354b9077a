// Images of mirrors.
#include "draw/mirror.h"

// ---- which mirrors there are

static void mirror_add(snFrame* frame, const float eye[3], int geom, int face,
                       const float normal[3], const float point[3]) {
  if (frame->nmirror == snMIRRORS) return;
  snMirror* mirror = &frame->mirror[frame->nmirror];
  float at = 0, view = 0;
  for (int k = 0; k < 3; k++) at += normal[k] * point[k], view += normal[k] * eye[k];
  if (!(view > at)) return;
  mirror->geom = geom;
  mirror->face = face;
  mirror->at = at;
  memcpy(mirror->normal, normal, sizeof mirror->normal);
  frame->nmirror++;
}

static void geom_mirrors(snFrame* frame, const mjvGeom* geom, int id, const float eye[3]) {
  if (!(geom->reflectance > 0) || geom->rgba[3] < 1) return;
  int faces = geom->type == mjGEOM_PLANE ? 1 : geom->type == mjGEOM_BOX ? 6 : 0;
  for (int f = 0; f < faces; f++) {
    int axis = faces == 1 ? 2 : f / 2;
    float side = faces == 1 || f % 2 == 0 ? 1 : -1, normal[3], point[3];
    for (int k = 0; k < 3; k++) {
      normal[k] = side * geom->mat[3 * k + axis];
      point[k] = geom->pos[k] + (faces == 1 ? 0 : geom->size[axis] * normal[k]);
    }
    mirror_add(frame, eye, id, faces == 1 ? 4 : f, normal, point);
  }
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
  pass->samples = 1;
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

// ---- looking up

// The face of a box is the axis along which all corners of the triangle agree.
static int lit_face(const snLit* lit) {
  if (lit->part->cell[0]) return 4;
  for (int axis = 0; axis < 3; axis++) {
    float a = lit->local[0][axis];
    if (a == lit->local[1][axis] && a == lit->local[2][axis]) return 2 * axis + (a < 0);
  }
  return -1;
}

sn4f mirror_light(const snShader* s, const snLit* lit, int x, int y) {
  const sn4f none = {0, 0, 0, 0};
  int face = lit_face(lit), px = s->tile->x0 + x, py = s->tile->y0 + y;
  for (int i = lit->part->mirror; i < s->frame->nmirror; i++) {
    const snMirror* mirror = &s->frame->mirror[i];
    if (mirror->geom != lit->part->geom) break;
    if (mirror->face != face) continue;
    const unsigned char* p =
        mirror->image.rgba + 4 * ((size_t)py * (size_t)mirror->image.width + (size_t)px);
    sn4f colour = {p[0], p[1], p[2], 0};
    return colour * (lit->part->reflectance / 255);
  }
  return none;
}
