// Adding geoms to a scene: identity, defaults, material and label (decor.h).
#include "view/decor.h"

#include <stdio.h>

#include "base/assert.h"

mjvGeom* decor_begin(snPainter* p, int objtype, int objid, int category) {
  mjvScene* scn = p->scn;
  if (scn->ngeom >= scn->maxgeom) {
    if (!p->full) mj_warning(p->d, mjWARN_VGEOMFULL, scn->maxgeom);
    p->full = true;
    return NULL;
  }
  mjvGeom* geom = scn->geoms + scn->ngeom;
  memset(geom, 0, sizeof *geom);
  mjv_initGeom(geom, mjGEOM_NONE, NULL, NULL, NULL, NULL);
  geom->objtype = objtype;
  geom->objid = objid;
  geom->category = category;
  geom->segid = scn->ngeom;
  return geom;
}

void decor_end(snPainter* p, mjvGeom* geom) {
  SN_ASSERT(geom == p->scn->geoms + p->scn->ngeom);
  (void)geom;
  p->scn->ngeom++;
}

static void decor_finish(snPainter* p, mjvGeom* geom, const float rgba[4], const char* label) {
  memcpy(geom->rgba, rgba, sizeof geom->rgba);
  if (label) snprintf(geom->label, sizeof geom->label, "%s", label);
  decor_end(p, geom);
}

void decor_shape(snPainter* p, int objtype, int objid, int type, const double size[3],
                 const double pos[3], const double mat[9], const float rgba[4], const char* label) {
  mjvGeom* geom = decor_begin(p, objtype, objid, mjCAT_DECOR);
  if (!geom) return;
  static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  geom->type = type;
  view_store(geom->size, size, 3);
  view_store(geom->pos, pos, 3);
  view_store(geom->mat, mat ? mat : identity, 9);
  decor_finish(p, geom, rgba, label);
}

void decor_connect(snPainter* p, int objtype, int objid, int type, double width,
                   const double from[3], const double to[3], const float rgba[4],
                   const char* label) {
  mjvGeom* geom = decor_begin(p, objtype, objid, mjCAT_DECOR);
  if (!geom) return;
  mjv_connector(geom, type, width, from, to);
  decor_finish(p, geom, rgba, label);
}

void decor_frame(snPainter* p, int objid, const double pos[3], const double mat[9], double scale) {
  double length = scale * p->m->vis.scale.framelength * p->meansize;
  double width = scale * p->m->vis.scale.framewidth * p->meansize;
  for (int axis = 0; axis < 3; axis++) {
    double direction[3], end[3];
    float rgba[4] = {0, 0, 0, 1};
    rgba[axis] = 0.9f;
    mat3_column(direction, mat, axis);
    vec3_add_scaled(end, pos, direction, length);
    decor_connect(p, mjOBJ_UNKNOWN, objid, mjGEOM_CYLINDER, width, pos, end, rgba, NULL);
  }
}

const char* decor_label(snPainter* p, char text[100], int label, int objtype, int objid) {
  if (p->opt->label != label) return NULL;
  const char* name = mj_id2name(p->m, objtype, objid);
  if (name && name[0]) {
    snprintf(text, 100, "%s", name);
  } else {
    snprintf(text, 100, "%s %d", mju_type2Str(objtype), objid);
  }
  return text;
}

void decor_material(const snPainter* p, mjvGeom* geom, int matid, const float rgba[4]) {
  const mjModel* m = p->m;
  memcpy(geom->rgba, rgba, 4 * sizeof *rgba);
  if (matid < 0) return;
  if (p->opt->flags[mjVIS_TEXTURE]) geom->matid = matid;
  geom->emission = m->mat_emission[matid];
  geom->specular = m->mat_specular[matid];
  geom->shininess = m->mat_shininess[matid];
  geom->reflectance = m->mat_reflectance[matid];
  // an element's own color takes precedence over its material's, unless it is the default gray
  if (rgba[0] == 0.5f && rgba[1] == 0.5f && rgba[2] == 0.5f && rgba[3] == 1) {
    memcpy(geom->rgba, m->mat_rgba + 4 * matid, 4 * sizeof *rgba);
  }
}

void mjv_addGeoms(const mjModel* m, mjData* d, const mjvOption* opt, const mjvPerturb* pert,
                  int catmask, mjvScene* scn) {
  mjvPerturb none;
  if (!pert) {
    mjv_defaultPerturb(&none);
    pert = &none;
  }
  snPainter painter = {m, d, opt, pert, scn, catmask, m->stat.meansize, false};
  snPainter* p = &painter;
  bool decor = catmask & mjCAT_DECOR;

  decor_deformables(p);
  decor_bounding_volumes(p);
  decor_inertias(p);
  if (decor) {
    decor_perturbation(p);
    decor_body_frames(p);
    decor_selection(p);
    decor_body_labels(p);
    decor_joints(p);
    decor_actuators(p);
    decor_island_labels(p);
  }
  decor_geoms(p);
  decor_sites(p);
  if (decor) {
    decor_cameras(p);
    decor_lights(p);
  }
  decor_tendons(p);
  decor_slidercranks(p);
  if (decor) {
    decor_connections(p);
    decor_constraints(p);
    decor_rangefinders(p);
    decor_contacts(p);
  }
}
