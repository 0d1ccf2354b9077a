// Change detection on index arrays (watch.h): which arrays are watched, which of them may change.
//
// A fixed array is one that structure was derived from (parents, addresses, types): changing it
// would make the plan and the layout of mjData wrong, so it is refused. The others (materials,
// targets, dataid ...) may change as long as they stay in range.
//
// Every byte of a step's part is read twice by every step and takes the place of other data in the
// cache. So addresses of meshes, which are many, are with those of drawing: contacts go by hulls in
// the plan, and the few who follow a mesh in a step ask model_mesh_holds.
#include "model/watch.h"

#include "base/assert.h"
#include "model/model.h"
#include "model/validate.h"

typedef struct snEntry_ {
  int array;  // offset of the pointer in mjModel
  snWatched part;
  bool fixed;  // structure was derived from the array, so it must not change
} snEntry;

#define FIXED(array) \
  { offsetof(mjModel, array), snWATCH_STEP, true }
#define FREE(array) \
  { offsetof(mjModel, array), snWATCH_STEP, false }
#define DRAWN(array) \
  { offsetof(mjModel, array), snWATCH_VIEW, true }
#define CHOSEN(array) \
  { offsetof(mjModel, array), snWATCH_VIEW, false }

// In the order of the struct. Arrays that are not indices are listed only where that keeps
// geom_type ... geom_priority adjacent, which the collision room compares in one piece.
static const snEntry entries[] = {
    FIXED(body_parentid),     FREE(body_rootid),       FREE(body_weldid),
    FIXED(body_mocapid),      FIXED(body_jntnum),      FIXED(body_jntadr),
    FIXED(body_dofnum),       FIXED(body_dofadr),      FIXED(body_treeid),
    FIXED(body_geomnum),      FIXED(body_geomadr),     FREE(body_plugin),
    FIXED(body_bvhadr),       FIXED(body_bvhnum),      FIXED(jnt_type),
    FIXED(jnt_qposadr),       FIXED(jnt_dofadr),       FIXED(jnt_bodyid),
    FIXED(dof_bodyid),        FIXED(dof_jntid),        FIXED(dof_parentid),
    FIXED(dof_treeid),        FIXED(dof_Madr),         FIXED(dof_simplenum),
    FREE(geom_type),          FREE(geom_contype),      FREE(geom_conaffinity),
    FREE(geom_condim),        FIXED(geom_bodyid),      FREE(geom_dataid),
    FREE(geom_matid),         FREE(geom_group),        FREE(geom_priority),
    FREE(geom_plugin),        FREE(site_type),         FIXED(site_bodyid),
    FREE(site_matid),         FREE(cam_mode),          FREE(cam_bodyid),
    FREE(cam_targetbodyid),   FREE(light_mode),        FREE(light_bodyid),
    FREE(light_targetbodyid), FREE(light_texid),       FREE(flex_condim),
    FIXED(flex_dim),          FREE(flex_matid),        FIXED(flex_interp),
    FIXED(flex_nodeadr),      FIXED(flex_nodenum),     FIXED(flex_vertadr),
    FIXED(flex_vertnum),      FIXED(flex_edgeadr),     FIXED(flex_edgenum),
    FIXED(flex_elemadr),      FIXED(flex_elemnum),     FIXED(flex_elemdataadr),
    FIXED(flex_elemedgeadr),  FIXED(flex_shellnum),    FIXED(flex_shelldataadr),
    FIXED(flex_evpairadr),    FIXED(flex_evpairnum),   FIXED(flex_texcoordadr),
    FIXED(flex_nodebodyid),   FIXED(flex_vertbodyid),  FIXED(flex_edge),
    FIXED(flex_edgeflap),     FIXED(flex_elem),        FIXED(flex_elemtexcoord),
    FIXED(flex_elemedge),     FIXED(flex_shell),       FIXED(flex_evpair),
    FIXED(flex_edgeequality), FIXED(flex_rigid),       FIXED(flexedge_rigid),
    FIXED(flex_centered),     FIXED(flex_bvhadr),      FIXED(flex_bvhnum),
    DRAWN(mesh_vertadr),      DRAWN(mesh_vertnum),     DRAWN(mesh_faceadr),
    DRAWN(mesh_facenum),      DRAWN(mesh_bvhadr),      DRAWN(mesh_bvhnum),
    DRAWN(mesh_octadr),       DRAWN(mesh_octnum),      DRAWN(mesh_normaladr),
    DRAWN(mesh_normalnum),    DRAWN(mesh_texcoordadr), DRAWN(mesh_texcoordnum),
    DRAWN(mesh_graphadr),     DRAWN(mesh_polynum),     DRAWN(mesh_polyadr),
    DRAWN(skin_matid),        DRAWN(skin_vertadr),     DRAWN(skin_vertnum),
    DRAWN(skin_texcoordadr),  DRAWN(skin_faceadr),     DRAWN(skin_facenum),
    DRAWN(skin_boneadr),      DRAWN(skin_bonenum),     DRAWN(skin_face),
    DRAWN(skin_bonevertadr),  DRAWN(skin_bonevertnum), DRAWN(skin_bonebodyid),
    DRAWN(skin_bonevertid),   FIXED(hfield_nrow),      FIXED(hfield_ncol),
    FIXED(hfield_adr),        CHOSEN(tex_type),        DRAWN(tex_height),
    DRAWN(tex_width),         DRAWN(tex_nchannel),     DRAWN(tex_adr),
    CHOSEN(mat_texid),        FREE(pair_dim),          FREE(pair_geom1),
    FREE(pair_geom2),         FREE(eq_type),           FREE(eq_obj1id),
    FREE(eq_obj2id),          FREE(eq_objtype),        FIXED(tendon_adr),
    FIXED(tendon_num),        FREE(tendon_matid),      FREE(wrap_type),
    FREE(wrap_objid),         FREE(wrap_prm),          FREE(actuator_trntype),
    FREE(actuator_dyntype),   FREE(actuator_gaintype), FREE(actuator_biastype),
    FREE(actuator_trnid),     FIXED(actuator_actadr),  FIXED(actuator_actnum),
    FREE(actuator_plugin),    FIXED(sensor_type),      FREE(sensor_datatype),
    FIXED(sensor_needstage),  FREE(sensor_objtype),    FREE(sensor_objid),
    FREE(sensor_reftype),     FREE(sensor_refid),      FIXED(sensor_dim),
    FIXED(sensor_adr),        FREE(sensor_plugin),     FIXED(plugin),
    FIXED(plugin_stateadr),   FIXED(plugin_statenum),  FIXED(plugin_attradr),
    FIXED(numeric_adr),       FIXED(numeric_size),     FIXED(text_adr),
    FIXED(text_size),         FREE(text_data),         FIXED(tuple_adr),
    FIXED(tuple_size),        FREE(tuple_objtype),     FREE(tuple_objid),
};
enum { NENTRY = sizeof entries / sizeof entries[0] };

snWatched watch_part(const snField* f, int* cursor) {
  bool found = *cursor < NENTRY && entries[*cursor].array == f->offset;
  return found ? entries[(*cursor)++].part : snWATCH_NOT;
}

static uint64_t hash_array(const mjModel* m, const int* array, int count, uint64_t seed) {
  return count ? hash_bytes(array, (size_t)count * sizeof(int), seed) : seed;
}

// Models with the same hash have the same layout of mjData and the same dof tree.
uint64_t watch_layout(const mjModel* m) {
  const int sizes[] = {m->nq,           m->nv,        m->nu,          m->na,          m->nbody,
                       m->nbvh,         m->njnt,      m->ngeom,       m->nsite,       m->ncam,
                       m->nlight,       m->nflexvert, m->nflexelem,   m->nflexedge,   m->nmocap,
                       m->neq,          m->ntendon,   m->nwrap,       m->nsensordata, m->nuserdata,
                       m->npluginstate, m->nplugin,   m->nM,          m->nB,          m->nC,
                       m->nD,           m->nJmom,     m->nbvhdynamic, m->ntree};
  uint64_t hash = hash_bytes(sizes, sizeof sizes, 0);
  hash = hash_array(m, m->body_parentid, m->nbody, hash);
  hash = hash_array(m, m->body_dofnum, m->nbody, hash);
  hash = hash_array(m, m->jnt_type, m->njnt, hash);
  hash = hash_array(m, m->dof_parentid, m->nv, hash);
  hash = hash_array(m, m->dof_simplenum, m->nv, hash);
  return hash_array(m, m->plugin_stateadr, m->nplugin, hash);
}

snWatch* watch_make(const mjModel* m) {
  size_t end[2] = {0, 0};
  int cursor = 0;
  for (int i = 0; i < schema_model_count; i++) {
    const snField* f = &schema_model[i];
    snWatched part = watch_part(f, &cursor);
    if (part == snWATCH_NOT) continue;
    size_t behind = (size_t)((const char*)schema_array(m, f) - (const char*)m->buffer) +
                    schema_bytes(f, m, NULL);
    if (behind > end[part]) end[part] = behind;
  }
  SN_ASSERT(cursor == NENTRY);  // the list is in the order of the struct, so that each was found
  if (end[1] < end[0]) end[1] = end[0];
  SN_ASSERT(end[1] <= (size_t)m->nbuffer);
  snWatch* w = memory_alloc(sizeof(snWatch) + end[1]);
  if (!w) return NULL;
  w->step = end[0];
  w->view = end[1];
  w->layout = watch_layout(m);
  memcpy(w->sizes, m, sizeof w->sizes);
  if (w->view) memcpy(w->image, m->buffer, w->view);
  return w;
}

static bool sizes_hold(const snWatch* w, const mjModel* m, snFault* fault) {
  for (int i = 0; i < schema_size_count; i++) {
    int now = schema_int(m, schema_size[i].offset),
        then = schema_int(w->sizes, schema_size[i].offset);
    if (now != then) {
      return fault_raise(fault, "model: %s is %d, but the model was made with %d",
                         schema_size[i].name, now, then);
    }
  }
  return true;
}

// Is a fixed array unchanged? The fault names the first element that differs.
static bool field_holds(const snWatch* w, const mjModel* m, const snField* f, snFault* fault) {
  const char* now = schema_array(m, f);
  const char* then = w->image + (now - (const char*)m->buffer);
  size_t bytes = schema_bytes(f, m, NULL);
  if (!bytes || !memcmp(now, then, bytes)) return true;
  size_t i = 0;
  while (now[i] == then[i]) i++;
  i = i / (size_t)f->width;
  int value[2] = {((const mjtByte*)now)[i], ((const mjtByte*)then)[i]};
  if (f->type == snTYPE_int) {
    value[0] = ((const int*)now)[i];
    value[1] = ((const int*)then)[i];
  }
  return fault_raise(fault,
                     "model: %s[%zu] is %d, but the model was made with %d: structure changes only "
                     "when a model is compiled",
                     f->name, i, value[0], value[1]);
}

bool watch_accepts(const snWatch* w, const mjModel* m, snFault* fault) {
  if (!sizes_hold(w, m, fault)) return false;
  int cursor = 0;
  for (int i = 0; i < schema_model_count; i++) {
    bool fixed = cursor < NENTRY && entries[cursor].fixed;
    if (watch_part(&schema_model[i], &cursor) == snWATCH_NOT || !fixed) continue;
    if (!field_holds(w, m, &schema_model[i], fault)) return false;
  }
  return validate_references(m, fault);
}
