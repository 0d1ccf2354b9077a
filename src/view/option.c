// Defaults of visualization options and figures, and geoms made by programs (mjv_initGeom,
// mjv_connector).
#include <stdio.h>

#include "view/view.h"

void mjv_defaultOption(mjvOption* opt) {
  memset(opt, 0, sizeof *opt);
  for (int i = 0; i < 3; i++) {
    opt->geomgroup[i] = opt->sitegroup[i] = opt->jointgroup[i] = opt->tendongroup[i] = 1;
    opt->actuatorgroup[i] = opt->flexgroup[i] = opt->skingroup[i] = 1;
  }
  for (int i = 0; i < mjNVISFLAG; i++) opt->flags[i] = mjVISSTRING[i][1][0] == '1';
  opt->bvh_depth = 1;
}

void mjv_defaultFigure(mjvFigure* fig) {
  static const float colours[8][3] = {{1, 0.3f, 0.3f}, {0.1f, 1, 0.1f},   {0.3f, 0.3f, 1},
                                      {0.1f, 1, 1},    {1, 0.2f, 1},      {1, 1, 0.1f},
                                      {1, 0.6f, 0.2f}, {0.6f, 0.7f, 0.4f}};
  memset(fig, 0, sizeof *fig);
  fig->flg_legend = fig->flg_extend = 1;
  fig->flg_ticklabel[0] = fig->flg_ticklabel[1] = 1;
  fig->linewidth = 3;
  fig->gridwidth = 1;
  fig->gridsize[0] = fig->gridsize[1] = 2;
  for (int i = 0; i < 3; i++) {
    fig->gridrgb[i] = 0.4f;
    fig->textrgb[i] = 1;
  }
  fig->figurergba[3] = fig->panergba[3] = 1;
  fig->legendrgba[3] = 0.3f;
  fig->range[0][1] = fig->range[1][1] = 1;
  fig->highlightid = -1;
  snprintf(fig->xformat, sizeof fig->xformat, "%%.0f");
  snprintf(fig->yformat, sizeof fig->yformat, "%%.2g");
  snprintf(fig->minwidth, sizeof fig->minwidth, "XXX");
  // after the first few, well-separated colors: Halton points of the RGB cube
  for (int i = 0; i < mjMAXLINE; i++) {
    for (int c = 0; c < 3; c++) {
      static const int base[3] = {2, 3, 5};
      fig->linergb[i][c] = i < 8 ? colours[i][c] : (float)(0.1f + 0.8f * mju_Halton(i, base[c]));
    }
  }
}

void mjv_initGeom(mjvGeom* geom, int type, const mjtNum size[3], const mjtNum pos[3],
                  const mjtNum mat[9], const float rgba[4]) {
  double sizes[3] = {0.1, 0.1, 0.1}, origin[3] = {0, 0, 0}, identity[9];
  mat3_identity(identity);
  if (size) {
    vec3_copy(sizes, size);
    if (type == mjGEOM_SPHERE) sizes[1] = sizes[2] = sizes[0];
    if (type == mjGEOM_CAPSULE || type == mjGEOM_CYLINDER) {
      sizes[2] = size[1];
      sizes[1] = size[0];
    }
  }
  geom->type = type;
  view_store(geom->size, sizes, 3);
  view_store(geom->pos, pos ? pos : origin, 3);
  view_store(geom->mat, mat ? mat : identity, 9);
  for (int i = 0; i < 4; i++) geom->rgba[i] = rgba ? rgba[i] : (i < 3 ? 0.5f : 1);
  geom->dataid = geom->matid = -1;
  geom->texcoord = 0;
  geom->emission = 0;
  geom->specular = geom->shininess = 0.5f;
  geom->reflectance = 0;
  geom->camdist = geom->modelrbound = 0;
  geom->transparent = 0;
  geom->label[0] = 0;
}

void mjv_connector(mjvGeom* geom, int type, mjtNum width, const mjtNum from[3],
                   const mjtNum to[3]) {
  if (type != mjGEOM_CAPSULE && type != mjGEOM_CYLINDER && type != mjGEOM_ARROW &&
      type != mjGEOM_ARROW1 && type != mjGEOM_ARROW2 && type != mjGEOM_LINE) {
    mju_error("mjv_connector: invalid geom type %d for connector", type);
    return;
  }
  double axis[3], quat[4], mat[9], length, pos[3];
  vec3_sub(axis, to, from);
  length = vec3_norm(axis);
  mju_quatZ2Vec(quat, axis);
  quat_to_mat(mat, quat);
  // capsules and cylinders are centered, arrows and lines begin at their frame
  bool round = type == mjGEOM_CAPSULE || type == mjGEOM_CYLINDER;
  vec3_copy(pos, from);
  if (round) vec3_add_scaled(pos, from, axis, 0.5);
  geom->type = type;
  view_store(geom->pos, pos, 3);
  view_store(geom->mat, mat, 9);
  geom->size[0] = geom->size[1] = (float)width;
  geom->size[2] = (float)(round ? length / 2 : length);
}
