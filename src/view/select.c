// Selection (picking): the ray through a point of the window, and the first element that it meets.
#include "view/decor.h"

// Origin and direction of the ray through the window point (relx, rely) in [0, 1]^2.
static void select_ray(double pnt[3], double ray[3], double aspect, double relx, double rely,
                       const mjvScene* scn) {
  mjvGLCamera cam = mjv_averageCamera(&scn->camera[0], &scn->camera[1]);
  double forward[3], up[3], right[3];
  view_load(pnt, cam.pos, 3);
  view_load(forward, cam.forward, 3);
  view_load(up, cam.up, 3);
  vec3_cross(right, forward, up);
  double half_height = 0.5 * ((double)cam.frustum_top - cam.frustum_bottom);
  // the window's aspect ratio determines the width of the view, also for a camera with a sensor
  double x = cam.frustum_center + (2 * relx - 1) * aspect * half_height;
  double y = cam.frustum_bottom + rely * 2 * half_height;
  if (cam.orthographic) {
    for (int i = 0; i < 3; i++) pnt[i] += x * right[i] + y * up[i];
    vec3_copy(ray, forward);
  } else {
    for (int i = 0; i < 3; i++) {
      ray[i] = cam.frustum_near * forward[i] + x * right[i] + y * up[i];
    }
    vec3_normalize(ray);
  }
}

static int select_vertex_body(const mjModel* m, int flex, int vert) {
  int id = m->flex_vertadr[flex] + vert;
  return m->flex_interp[flex] ? m->flex_nodebodyid[m->flex_nodeadr[flex]] : m->flex_vertbodyid[id];
}

// Body of the bone with the largest weight at a skin vertex.
static int select_skin_body(const mjModel* m, int skin, int vert) {
  int body = -1;
  float best = 0;
  for (int b = m->skin_boneadr[skin]; b < m->skin_boneadr[skin] + m->skin_bonenum[skin]; b++) {
    for (int k = 0; k < m->skin_bonevertnum[b]; k++) {
      int at = m->skin_bonevertadr[b] + k;
      if (m->skin_bonevertid[at] == vert && m->skin_bonevertweight[at] >= best) {
        best = m->skin_bonevertweight[at];
        body = m->skin_bonebodyid[b];
      }
    }
  }
  return body;
}

int mjv_select(const mjModel* m, const mjData* d, const mjvOption* vopt, mjtNum aspectratio,
               mjtNum relx, mjtNum rely, const mjvScene* scn, mjtNum selpnt[3], int geomid[1],
               int flexid[1], int skinid[1]) {
  double pnt[3], ray[3], best;
  int body = -1;
  *geomid = *flexid = *skinid = -1;
  select_ray(pnt, ray, aspectratio, relx, rely, scn);

  best = mj_ray(m, d, pnt, ray, vopt->geomgroup, vopt->flags[mjVIS_STATIC], -1, geomid);
  if (*geomid >= 0) body = m->geom_bodyid[*geomid];

  for (int f = 0; f < m->nflex; f++) {
    if (!decor_group(vopt->flexgroup, m->flex_group[f])) continue;
    int vert = -1;
    double dist = mju_rayFlex(m, d, vopt->flex_layer, vopt->flags[mjVIS_FLEXVERT],
                              vopt->flags[mjVIS_FLEXEDGE], vopt->flags[mjVIS_FLEXFACE],
                              vopt->flags[mjVIS_FLEXSKIN], f, pnt, ray, &vert);
    if (dist >= 0 && (dist < best || best < 0)) {
      best = dist;
      *geomid = -1;
      *flexid = f;
      body = select_vertex_body(m, f, vert);
    }
  }

  if (vopt->flags[mjVIS_SKIN]) {
    for (int i = 0; i < m->nskin; i++) {
      int vert = -1;
      double dist =
          mju_raySkin(m->skin_facenum[i], m->skin_vertnum[i], m->skin_face + 3 * m->skin_faceadr[i],
                      scn->skinvert + 3 * m->skin_vertadr[i], pnt, ray, &vert);
      if (dist >= 0 && (dist < best || best < 0)) {
        best = dist;
        *geomid = *flexid = -1;
        *skinid = i;
        body = select_skin_body(m, i, vert);
      }
    }
  }
  if (body >= 0) vec3_add_scaled(selpnt, pnt, ray, best);
  return body;
}
