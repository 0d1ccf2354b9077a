// Elements of the model in the scene: geoms, sites, joints, actuators, slider-cranks, cameras,
// lights, tendons.
//
// Each decor_ function is one pass of mjv_updateScene: it skips what options and categories hide,
// and adds geoms in the order of ids.
#include <stdio.h>

#include "view/catenary.h"
#include "view/decor.h"

// ---- geoms and sites

// The selected body glows.
static void element_finish(snPainter* p, mjvGeom* geom, int body) {
  decor_fade(p, geom);
  if (body > 0 && p->pert->select == body) geom->emission += p->m->vis.global.glow;
}

// Color of an island: a Halton point indexed by its first dof, so that it is stable when other
// islands come and go.
void decor_island_colour(const mjData* d, float rgba[4], int island) {
  static const int base[3] = {2, 3, 5};
  int index = d->island_dofadr[island] + 1;
  for (int c = 0; c < 3; c++) rgba[c] = (float)(0.1f + 0.9f * mju_Halton(index, base[c]));
  rgba[3] = 1;
}

// An infinite plane follows the camera in steps of two cells, so that its pattern appears fixed.
static void plane_recentre(snPainter* p, int id, mjvGeom* geom) {
  const mjModel* m = p->m;
  const double* mat = p->d->geom_xmat + 9 * id;
  double head[3], forward[3], up[3], local[3], shift[3] = {0}, world[3];
  view_head(head, forward, up, p->scn);
  vec3_sub(head, head, p->d->geom_xpos + 3 * id);
  mat3_mulT_vec(local, mat, head);
  for (int k = 0; k < 2; k++) {
    if (m->geom_size[3 * id + k] > 0) continue;
    double cell = 2.1 * m->vis.map.zfar * m->stat.extent / (mjMAXPLANEGRID - 2);
    int matid = geom->matid;
    if (matid >= 0 && m->mat_texid[mjNTEXROLE * matid + mjTEXROLE_RGB] >= 0 &&
        m->mat_texrepeat[2 * matid + k] > 0) {
      cell = 2 / (double)m->mat_texrepeat[2 * matid + k];
    }
    shift[k] = 2 * cell * rint(local[k] / (2 * cell));
  }
  mat3_mul_vec(world, mat, shift);
  for (int k = 0; k < 3; k++) geom->pos[k] = (float)(p->d->geom_xpos[3 * id + k] + world[k]);
}

void decor_geoms(snPainter* p) {
  const mjModel* m = p->m;
  const mjData* d = p->d;
  char text[100];
  int planes = 0;  // planes have a numbering of their own
  for (int i = 0; i < m->ngeom; i++) {
    int body = m->geom_bodyid[i], category = decor_category(m, body), type = m->geom_type[i];
    int plane = planes;
    if (type == mjGEOM_PLANE) planes++;
    if (!(category & p->catmask) || !decor_group(p->opt->geomgroup, m->geom_group[i])) continue;
    if (category == mjCAT_STATIC && !p->opt->flags[mjVIS_STATIC]) continue;
    const float* rgba = m->geom_rgba + 4 * i;
    if (m->geom_matid[i] < 0 ? rgba[3] == 0 : false) continue;
    mjvGeom* geom = decor_begin(p, mjOBJ_GEOM, i, category);
    if (!geom) return;
    mjv_initGeom(geom, type, m->geom_size + 3 * i, d->geom_xpos + 3 * i, d->geom_xmat + 9 * i,
                 NULL);
    decor_material(p, geom, m->geom_matid[i], rgba);
    if (geom->rgba[3] == 0) continue;
    geom->modelrbound = (float)m->geom_rbound[i];
    if (type == mjGEOM_PLANE) {
      geom->dataid = plane;
      plane_recentre(p, i, geom);
    }
    if (type == mjGEOM_HFIELD) geom->dataid = m->geom_dataid[i];
    if ((type == mjGEOM_MESH || type == mjGEOM_SDF) && m->geom_dataid[i] >= 0) {
      int mesh = m->geom_dataid[i];
      // dataid: 2 id for the mesh, 2 id + 1 for its hull; textures need the mesh
      bool hull = p->opt->flags[mjVIS_CONVEXHULL] && m->mesh_graphadr[mesh] >= 0 &&
                  (m->geom_contype[i] || m->geom_conaffinity[i]);
      geom->dataid = 2 * mesh + (hull ? 1 : 0);
      geom->texcoord = !hull && m->mesh_texcoordadr[mesh] >= 0;
    }
    int island =
        p->opt->flags[mjVIS_ISLAND] && category == mjCAT_DYNAMIC ? decor_island(m, d, body) : -1;
    if (island >= 0) {
      geom->matid = -1;
      geom->emission = geom->reflectance = 0;
      geom->specular = geom->shininess = 0.5f;
      decor_island_colour(d, geom->rgba, island);
    }
    element_finish(p, geom, body);
    const char* label = decor_label(p, text, mjLABEL_GEOM, mjOBJ_GEOM, i);
    if (label) snprintf(geom->label, sizeof geom->label, "%s", label);
    decor_end(p, geom);
    if (p->opt->frame == mjFRAME_GEOM && (p->catmask & mjCAT_DECOR)) {
      decor_frame(p, i, d->geom_xpos + 3 * i, d->geom_xmat + 9 * i, 1);
    }
  }
}

void decor_sites(snPainter* p) {
  const mjModel* m = p->m;
  const mjData* d = p->d;
  char text[100];
  for (int i = 0; i < m->nsite; i++) {
    int body = m->site_bodyid[i], category = decor_category(m, body);
    if (!(category & p->catmask) || !decor_group(p->opt->sitegroup, m->site_group[i])) continue;
    if (category == mjCAT_STATIC && !p->opt->flags[mjVIS_STATIC]) continue;
    mjvGeom* geom = decor_begin(p, mjOBJ_SITE, i, category);
    if (!geom) return;
    mjv_initGeom(geom, m->site_type[i], m->site_size + 3 * i, d->site_xpos + 3 * i,
                 d->site_xmat + 9 * i, NULL);
    decor_material(p, geom, m->site_matid[i], m->site_rgba + 4 * i);
    if (geom->rgba[3] == 0) continue;
    element_finish(p, geom, body);
    const char* label = decor_label(p, text, mjLABEL_SITE, mjOBJ_SITE, i);
    if (label) snprintf(geom->label, sizeof geom->label, "%s", label);
    decor_end(p, geom);
    if (p->opt->frame == mjFRAME_SITE && (p->catmask & mjCAT_DECOR)) {
      decor_frame(p, i, d->site_xpos + 3 * i, d->site_xmat + 9 * i, 1);
    }
  }
}

// ---- joints and actuators

// Free joints are boxes, ball joints spheres, slides arrows, hinges arrows without heads.
static void joint_shape(snPainter* p, int objtype, int objid, int joint, double size, double length,
                        double width, const float rgba[4], const char* label) {
  const mjModel* m = p->m;
  const mjData* d = p->d;
  const double* anchor = d->xanchor + 3 * joint;
  double sizes[3] = {size, size, size}, tip[3];
  int type = m->jnt_type[joint];
  if (type == mjJNT_FREE || type == mjJNT_BALL) {
    decor_shape(p, objtype, objid, type == mjJNT_FREE ? mjGEOM_BOX : mjGEOM_SPHERE, sizes, anchor,
                d->xmat + 9 * m->jnt_bodyid[joint], rgba, label);
    return;
  }
  vec3_add_scaled(tip, anchor, d->xaxis + 3 * joint, length);
  decor_connect(p, objtype, objid, type == mjJNT_SLIDE ? mjGEOM_ARROW : mjGEOM_ARROW1, width,
                anchor, tip, rgba, label);
}

void decor_joints(snPainter* p) {
  const mjModel* m = p->m;
  char text[100];
  if (!p->opt->flags[mjVIS_JOINT]) return;
  double length = m->vis.scale.jointlength * p->meansize;
  double width = m->vis.scale.jointwidth * p->meansize;
  for (int i = 0; i < m->njnt; i++) {
    if (!decor_group(p->opt->jointgroup, m->jnt_group[i])) continue;
    joint_shape(p, mjOBJ_JOINT, i, i, 0.3 * length, length, width, m->vis.rgba.joint,
                decor_label(p, text, mjLABEL_JOINT, mjOBJ_JOINT, i));
  }
}

// Actuation level from -1 to 1: control or activation within its range.
static double actuator_drive(snPainter* p, int i) {
  const mjModel* m = p->m;
  const mjData* d = p->d;
  int last = m->actuator_actadr[i] + m->actuator_actnum[i] - 1;
  bool act = p->opt->flags[mjVIS_ACTIVATION] && m->actuator_actadr[i] >= 0;
  double x = act ? d->act[last] : d->ctrl[i];
  bool limited = act ? m->actuator_actlimited[i] : m->actuator_ctrllimited[i];
  const double* range = (act ? m->actuator_actrange : m->actuator_ctrlrange) + 2 * i;
  if (!limited) return mju_clip(x, -1, 1);
  // 0 at the value of the range closest to zero, -1 and 1 at its ends
  double rest = mju_clip(0, range[0], range[1]);
  double up = range[1] > rest ? range[1] - rest : 1 - rest;
  double down = range[0] < rest ? rest - range[0] : rest + 1;
  x = x >= rest ? (x - rest) / mju_max(up, mjMINVAL) : (x - rest) / mju_max(down, mjMINVAL);
  return mju_clip(x, -1, 1);
}

static void actuator_colour(snPainter* p, int i, float rgba[4]) {
  const mjModel* m = p->m;
  double drive = actuator_drive(p, i), share = fabs(drive);
  const float* end = drive >= 0 ? m->vis.rgba.actuatorpositive : m->vis.rgba.actuatornegative;
  for (int c = 0; c < 4; c++) {
    rgba[c] = (float)((1 - share) * m->vis.rgba.actuator[c] + share * end[c]);
  }
}

static mjvGeom* tendon_segment(snPainter* p, int objtype, int objid, double width, int category,
                               const double from[3], const double to[3], const float rgba[4],
                               int matid, const char* label) {
  mjvGeom* geom = decor_begin(p, objtype, objid, category);
  if (!geom) return NULL;
  mjv_connector(geom, mjGEOM_CAPSULE, width, from, to);
  decor_material(p, geom, matid, rgba);
  if (objtype == mjOBJ_TENDON) element_finish(p, geom, 0);
  if (label) snprintf(geom->label, sizeof geom->label, "%s", label);
  decor_end(p, geom);
  return geom;
}

// A cable: a tendon between two sites that only keeps them within a distance, by a limit or by a
// spring whose dead band begins at 0. It hangs when slack. Its length; 0: not a cable.
static double tendon_cable(const mjModel* m, const mjData* d, int i) {
  const double *range = m->tendon_range + 2 * i, *band = m->tendon_lengthspring + 2 * i;
  if (m->tendon_damping[i] != 0 || m->tendon_frictionloss[i] != 0 || m->tendon_num[i] != 2 ||
      d->ten_wrapnum[i] != 2 || mjDISABLED(mjDSBL_GRAVITY)) {
    return 0;
  }
  if (m->tendon_stiffness[i] != 0) return band[0] == 0 ? band[1] : 0;
  return m->tendon_limited[i] && range[0] == 0 ? range[1] : 0;
}

// Segments of a tendon's path; the width of an actuated tendon is scaled.
static void tendon_path(snPainter* p, int objtype, int objid, int tendon, double width,
                        int category, const float rgba[4], int matid, const char* label) {
  const mjData* d = p->d;
  int first = d->ten_wrapadr[tendon], end = first + d->ten_wrapnum[tendon] - 1;
  double cable = tendon_cable(p->m, d, tendon);
  if (cable > 0) {
    double points[3 * snCATENARY];
    const double* x = d->wrap_xpos + 3 * first;
    int segments = p->m->vis.quality.numslices;  // as round as other shapes
    int count = catenary_points(points, x, x + 3, cable, p->m->opt.gravity, segments);
    for (int k = 0; k + 1 < count; k++) {
      tendon_segment(p, objtype, objid, width, category, points + 3 * k, points + 3 * k + 3, rgba,
                     matid, k ? NULL : label);
    }
    if (count) return;
  }
  for (int k = first; k < end; k++) {
    if (d->wrap_obj[k] == -2 || d->wrap_obj[k + 1] == -2) continue;  // a pulley separates branches
    // drawn thinner inside of a wrapping geom
    bool wrapped = d->wrap_obj[k] >= 0 && d->wrap_obj[k] == d->wrap_obj[k + 1];
    const double* x = d->wrap_xpos + 3 * k;
    if (!tendon_segment(p, objtype, objid, wrapped ? 0.5 * width : width, category, x, x + 3, rgba,
                        matid, label)) {
      return;
    }
    label = NULL;  // only the first segment is labeled
  }
}

// A copy, five percent larger, of the geom or site that an actuator acts on.
static void actuator_cover(snPainter* p, int actuator, int type, const double size[3],
                           const double pos[3], const double mat[9], const float rgba[4],
                           const char* label) {
  mjvGeom* geom = decor_begin(p, mjOBJ_ACTUATOR, actuator, mjCAT_DECOR);
  if (!geom) return;
  mjv_initGeom(geom, type, size, pos, mat, rgba);
  for (int k = 0; k < 3; k++) geom->size[k] = (float)(geom->size[k] * 1.05);
  if (label) snprintf(geom->label, sizeof geom->label, "%s", label);
  decor_end(p, geom);
}

void decor_actuators(snPainter* p) {
  const mjModel* m = p->m;
  const mjData* d = p->d;
  char text[100];
  if (!p->opt->flags[mjVIS_ACTUATOR]) return;
  double length = m->vis.scale.actuatorlength * p->meansize;
  double width = m->vis.scale.actuatorwidth * p->meansize;
  double joint_size = 1.1 * 0.3 * m->vis.scale.jointlength * p->meansize;
  for (int i = 0; i < m->nu; i++) {
    if (!decor_group(p->opt->actuatorgroup, m->actuator_group[i])) continue;
    float rgba[4];
    actuator_colour(p, i, rgba);
    int id = m->actuator_trnid[2 * i];
    const char* label = decor_label(p, text, mjLABEL_ACTUATOR, mjOBJ_ACTUATOR, i);
    switch (m->actuator_trntype[i]) {
      case mjTRN_JOINT:
      case mjTRN_JOINTINPARENT:
        joint_shape(p, mjOBJ_ACTUATOR, i, id, joint_size, length, width, rgba, label);
        break;
      case mjTRN_SITE:
        actuator_cover(p, i, m->site_type[id], m->site_size + 3 * id, d->site_xpos + 3 * id,
                       d->site_xmat + 9 * id, rgba, label);
        break;
      case mjTRN_BODY:
        for (int g = 0; g < m->body_geomnum[id]; g++) {
          int geom = m->body_geomadr[id] + g;
          if (!decor_group(p->opt->geomgroup, m->geom_group[geom])) continue;
          actuator_cover(p, i, m->geom_type[geom], m->geom_size + 3 * geom, d->geom_xpos + 3 * geom,
                         d->geom_xmat + 9 * geom, rgba, NULL);
        }
        break;
      case mjTRN_TENDON:
        tendon_path(p, mjOBJ_ACTUATOR, i, id, m->tendon_width[id] * m->vis.map.actuatortendon,
                    mjCAT_DECOR, rgba, -1, label);
        break;
    }
  }
}

void decor_tendons(snPainter* p) {
  const mjModel* m = p->m;
  const mjData* d = p->d;
  char text[100];
  if (!p->opt->flags[mjVIS_TENDON] || !(p->catmask & mjCAT_DYNAMIC)) return;
  for (int i = 0; i < m->ntendon; i++) {
    if (!decor_group(p->opt->tendongroup, m->tendon_group[i])) continue;
    float rgba[4];
    int matid = m->tendon_matid[i];
    memcpy(rgba, m->tendon_rgba + 4 * i, sizeof rgba);
    if (p->opt->flags[mjVIS_ISLAND] && d->nisland) {
      // tendons without an active constraint belong to no island and are gray
      matid = -1;
      rgba[0] = rgba[1] = rgba[2] = 0.5f;
      rgba[3] = 1;
      if (d->tendon_efcadr[i] >= 0)
        decor_island_colour(d, rgba, d->efc_island[d->tendon_efcadr[i]]);
    }
    tendon_path(p, mjOBJ_TENDON, i, i, m->tendon_width[i], mjCAT_DYNAMIC, rgba, matid,
                decor_label(p, text, mjLABEL_TENDON, mjOBJ_TENDON, i));
  }
}

// ---- slider-cranks

static void slidercrank_part(snPainter* p, int id, int type, double width, const double from[3],
                             const double to[3], const float rgba[4], const char* label) {
  mjvGeom* geom = decor_begin(p, mjOBJ_ACTUATOR, id, mjCAT_DYNAMIC);
  if (!geom) return;
  mjv_connector(geom, type, width, from, to);
  memcpy(geom->rgba, rgba, sizeof geom->rgba);
  if (label) snprintf(geom->label, sizeof geom->label, "%s", label);
  decor_end(p, geom);
}

// The slider from its site to where the rod from the crank meets the axis, and the rod. When the
// rod is too short, the point of the axis nearest to the crank is used, in the color of a broken
// one.
void decor_slidercranks(snPainter* p) {
  const mjModel* m = p->m;
  const mjData* d = p->d;
  if (!(p->catmask & mjCAT_DYNAMIC)) return;
  char text[100];
  double width = m->vis.scale.slidercrank * p->meansize;
  for (int i = 0; i < m->nu; i++) {
    if (m->actuator_trntype[i] != mjTRN_SLIDERCRANK) continue;
    if (!decor_group(p->opt->actuatorgroup, m->actuator_group[i])) continue;
    int crank = m->actuator_trnid[2 * i], slider = m->actuator_trnid[2 * i + 1];
    const double *end = d->site_xpos + 3 * crank, *at = d->site_xpos + 3 * slider;
    double axis[3], offset[3], joint[3], rod = m->actuator_cranklength[i];
    mat3_column(axis, d->site_xmat + 9 * slider, 2);
    vec3_sub(offset, end, at);
    double along = vec3_dot(offset, axis);
    double across = along * along + rod * rod - vec3_dot(offset, offset);
    bool broken = across < 0;
    vec3_add_scaled(joint, at, axis, along - (broken ? 0 : sqrt(across)));
    slidercrank_part(p, i, mjGEOM_CYLINDER, width, at, joint, m->vis.rgba.slidercrank,
                     decor_label(p, text, mjLABEL_ACTUATOR, mjOBJ_ACTUATOR, i));
    slidercrank_part(p, i, mjGEOM_CAPSULE, width / 2, joint, end,
                     broken ? m->vis.rgba.crankbroken : m->vis.rgba.slidercrank, NULL);
  }
}

// ---- cameras and lights

static void camera_triangle(snPainter* p, int id, const double a[3], const double b[3],
                            const double c[3]) {
  mjvGeom* geom = decor_begin(p, mjOBJ_CAMERA, id, mjCAT_DECOR);
  if (!geom) return;
  // corners of a triangle: origin, origin + size[0] x, origin + size[1] y; z scales the normal
  double x[3], y[3], z[3], mat[9], lx, ly, lz;
  vec3_sub(x, b, a);
  vec3_sub(y, c, a);
  lx = vec3_normalize(x);
  ly = vec3_normalize(y);
  vec3_cross(z, x, y);
  for (int i = 0; i < 3; i++) z[i] *= lx * ly;
  lz = vec3_normalize(z);
  for (int i = 0; i < 3; i++) {
    mat[3 * i] = x[i];
    mat[3 * i + 1] = y[i];
    mat[3 * i + 2] = z[i];
  }
  double size[3] = {lx, ly, lz};
  geom->type = mjGEOM_TRIANGLE;
  view_store(geom->size, size, 3);
  view_store(geom->pos, a, 3);
  view_store(geom->mat, mat, 9);
  memcpy(geom->rgba, p->m->vis.rgba.frustum, sizeof geom->rgba);
  decor_end(p, geom);
}

// The four sides of the frustum of a camera with a sensor, from the near to the far plane.
static void camera_frustum(snPainter* p, int id) {
  const mjModel* m = p->m;
  const double *pos = p->d->cam_xpos + 3 * id, *mat = p->d->cam_xmat + 9 * id;
  const float *size = m->cam_sensorsize + 2 * id, *in = m->cam_intrinsic + 4 * id;
  double depth[2] = {m->vis.map.znear * m->stat.extent, m->vis.scale.frustum * p->meansize};
  double corner[2][4][3];
  for (int k = 0; k < 2; k++) {
    double left = -depth[k] / in[0] * (size[0] / 2 - in[2]);
    double right = depth[k] / in[0] * (size[0] / 2 + in[2]);
    double bottom = -depth[k] / in[1] * (size[1] / 2 - in[3]);
    double top = depth[k] / in[1] * (size[1] / 2 + in[3]);
    double local[4][3] = {{left, bottom, -depth[k]},
                          {right, bottom, -depth[k]},
                          {right, top, -depth[k]},
                          {left, top, -depth[k]}};
    for (int c = 0; c < 4; c++) {
      mat3_mul_vec(corner[k][c], mat, local[c]);
      vec3_add(corner[k][c], corner[k][c], pos);
    }
  }
  for (int c = 0; c < 4; c++) {
    int next = (c + 1) % 4;
    const double *near = corner[0][c], *near2 = corner[0][next];
    const double *far = corner[1][c], *far2 = corner[1][next];
    const float* rgba = m->vis.rgba.frustum;
    camera_triangle(p, id, near, far, near2);
    camera_triangle(p, id, far, far2, near2);
    decor_connect(p, mjOBJ_CAMERA, id, mjGEOM_LINE, 3, near, near2, rgba, NULL);
    decor_connect(p, mjOBJ_CAMERA, id, mjGEOM_LINE, 3, far, far2, rgba, NULL);
    decor_connect(p, mjOBJ_CAMERA, id, mjGEOM_LINE, 3, near, far, rgba, NULL);
  }
}

// A box for the body of the camera and a cylinder for its lens.
void decor_cameras(snPainter* p) {
  const mjModel* m = p->m;
  const mjData* d = p->d;
  char text[100];
  if (!p->opt->flags[mjVIS_CAMERA]) return;
  double s = m->vis.scale.camera * p->meansize;
  for (int i = 0; i < m->ncam; i++) {
    const double *pos = d->cam_xpos + 3 * i, *mat = d->cam_xmat + 9 * i;
    double box[3] = {s, 0.8 * s, 0.4 * s}, lens[3] = {0.4 * s, 0.4 * s, 0.3 * s}, z[3], at[3];
    float rgba[4];
    memcpy(rgba, m->vis.rgba.camera, sizeof rgba);
    if (m->cam_sensorsize[2 * i + 1] > 0) {
      camera_frustum(p, i);
      rgba[3] = 0.3f;
    }
    decor_shape(p, mjOBJ_CAMERA, i, mjGEOM_BOX, box, pos, mat, rgba,
                decor_label(p, text, mjLABEL_CAMERA, mjOBJ_CAMERA, i));
    mat3_column(z, mat, 2);
    vec3_add_scaled(at, pos, z, -0.6 * s);
    for (int c = 0; c < 3; c++) rgba[c] *= 0.5f;
    decor_shape(p, mjOBJ_CAMERA, i, mjGEOM_CYLINDER, lens, at, mat, rgba, NULL);
    if (p->opt->frame == mjFRAME_CAMERA) decor_frame(p, i, pos, mat, 1);
  }
}

void decor_lights(snPainter* p) {
  const mjModel* m = p->m;
  const mjData* d = p->d;
  char text[100];
  if (!p->opt->flags[mjVIS_LIGHT]) return;
  double s = m->vis.scale.light * p->meansize, size[3] = {0.8 * s, 0.8 * s, s};
  const double behind = 1e-4;  // keeps the light outside of its cylinder
  for (int i = 0; i < m->nlight; i++) {
    double quat[4], mat[9], at[3];
    mju_quatZ2Vec(quat, d->light_xdir + 3 * i);
    quat_to_mat(mat, quat);
    vec3_add_scaled(at, d->light_xpos + 3 * i, d->light_xdir + 3 * i, -s - behind);
    decor_shape(p, mjOBJ_LIGHT, i, mjGEOM_CYLINDER, size, at, mat, m->vis.rgba.light,
                decor_label(p, text, mjLABEL_LIGHT, mjOBJ_LIGHT, i));
    if (p->opt->frame == mjFRAME_LIGHT) decor_frame(p, i, d->light_xpos + 3 * i, mat, 1);
  }
}
