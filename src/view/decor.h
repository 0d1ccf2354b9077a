// Adding geoms to a scene, for the files that draw parts of a model.
#ifndef SINEW_VIEW_DECOR_H_
#define SINEW_VIEW_DECOR_H_

#include "view/view.h"

// The inputs and the target of one pass over the model.
typedef struct snPainter_ {
  const mjModel* m;
  mjData* d;
  const mjvOption* opt;
  const mjvPerturb* pert;
  mjvScene* scn;
  int catmask;
  double meansize;
  bool full;  // the scene is full, and a warning was given
} snPainter;

// The next geom of the scene, with its identity set and defaults otherwise; NULL, with a warning,
// when the scene is full.
mjvGeom* decor_begin(snPainter* p, int objtype, int objid, int category);

// Completes the geom from decor_begin: it counts as part of the scene.
void decor_end(snPainter* p, mjvGeom* geom);

// A decorative shape or connector, begun and ended.
void decor_shape(snPainter* p, int objtype, int objid, int type, const double size[3],
                 const double pos[3], const double mat[9], const float rgba[4], const char* label);
void decor_connect(snPainter* p, int objtype, int objid, int type, double width,
                   const double from[3], const double to[3], const float rgba[4],
                   const char* label);

// Three axes at a pose.
void decor_frame(snPainter* p, int objid, const double pos[3], const double mat[9], double scale);

// Label of an object, its name or "type id", when labels of its type are on; otherwise NULL.
const char* decor_label(snPainter* p, char text[100], int label, int objtype, int objid);

// Material of an element, or its own color unless that is the default gray.
void decor_material(const snPainter* p, mjvGeom* geom, int matid, const float rgba[4]);

// Static category: is the body fixed to the world?
SN_INLINE int decor_category(const mjModel* m, int body) {
  return m->body_weldid[body] == 0 && m->body_mocapid[body] < 0 ? mjCAT_STATIC : mjCAT_DYNAMIC;
}

// What moves can be made transparent.
SN_INLINE void decor_fade(const snPainter* p, mjvGeom* geom) {
  bool fades = p->opt->flags[mjVIS_TRANSPARENT] && geom->category == mjCAT_DYNAMIC;
  if (fades) geom->rgba[3] *= p->m->vis.map.alpha;
}

// Island of a body, by the first dof at or above it; -1: none.
SN_INLINE int decor_island(const mjModel* m, const mjData* d, int body) {
  if (!d->nisland || !d->dof_island) return -1;
  int weld = m->body_weldid[body];
  return m->body_dofnum[weld] ? d->dof_island[m->body_dofadr[weld]] : -1;
}

SN_INLINE bool decor_group(const mjtByte* groups, int group) {
  return groups[group < 0 ? 0 : (group >= mjNGROUP ? mjNGROUP - 1 : group)];
}

// passes over a model (elements.c, forces.c)
void decor_joints(snPainter* p);
void decor_actuators(snPainter* p);
void decor_geoms(snPainter* p);
void decor_sites(snPainter* p);
void decor_cameras(snPainter* p);
void decor_lights(snPainter* p);
void decor_tendons(snPainter* p);
void decor_slidercranks(snPainter* p);
void decor_bounding_volumes(snPainter* p);
void decor_inertias(snPainter* p);
void decor_perturbation(snPainter* p);
void decor_body_frames(snPainter* p);
void decor_selection(snPainter* p);
void decor_island_colour(const mjData* d, float rgba[4], int island);
void decor_body_labels(snPainter* p);
void decor_island_labels(snPainter* p);
void decor_connections(snPainter* p);
void decor_constraints(snPainter* p);
void decor_contacts(snPainter* p);
void decor_rangefinders(snPainter* p);
void decor_deformables(snPainter* p);

#endif
