// The abstract scene: what a viewer draws, as geometry without any graphics API.
//
// The room takes a model, its data, options and a camera, and fills an mjvScene: a list of mjvGeom
// with pose, size, color and label, lights, two camera frustums (one per eye), and vertex arrays of
// flexes and skins. It also turns mouse input into camera motion, perturbation forces and
// selection. A renderer (src/draw, or a user's) needs nothing but the scene and the meshes of the
// model.
//
// mjv_updateScene is a list of passes, one per kind of element or decoration, in the released
// order: geoms get their index in the scene from it, and programs rely on the order. Each pass
// tests its visualization flag and category, and adds geoms through decor.h. A full scene warns
// once and drops the rest. Scene coordinates are floats; everything is computed in double and
// stored at the end.
//
//   scene.c        mjv_makeScene, mjv_updateScene, lights
//   decor.c        adding a geom: identity, material, label
//   elements.c     geoms, sites, joints, actuators, cameras, lights, tendons
//   forces.c       inertia, perturbations, connections, constraints, contacts, bounding volumes
//   deformable.c   flexes and skins
//   catenary.c     slack cables
//   camera.c       abstract camera to frustums; transformations between room and model; mouse
//   perturb.c      mouse perturbations and their forces
//   select.c       picking by a ray through the window
//   option.c       defaults; figures; geoms made by programs
#ifndef SINEW_VIEW_VIEW_H_
#define SINEW_VIEW_VIEW_H_

#include "algebra/algebra.h"

// Numbers of a scene are floats.
SN_INLINE void view_store(float* to, const double* from, int n) {
  for (int i = 0; i < n; i++) to[i] = (float)from[i];
}
SN_INLINE void view_load(double* to, const float* from, int n) {
  for (int i = 0; i < n; i++) to[i] = from[i];
}

// Head position (midpoint of the eyes), viewing direction and up vector of the scene's two cameras.
void view_head(double pos[3], double forward[3], double up[3], const mjvScene* scn);

#endif
