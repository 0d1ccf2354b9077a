// Arrays of bodies, joints, dofs, geoms, sites, cameras and lights, and references to plugin
// instances.
//
// Everything is resolved by now (poses, ids, inertias): this file copies, one function per element
// type, and computes only camera intrinsics.
#include <math.h>

#include "compile/fill.h"

const snElement* compile_plugin(snCompile* c, const snElement* e, const mjsPlugin* p) {
  if (!string_empty(p->name)) {
    const snElement* instance = spec_find(c->spec, mjOBJ_PLUGIN, string_text(p->name));
    if (!instance) {
      compile_error(c, e, "unrecognized name '%s' for plugin instance", string_text(p->name));
      return NULL;
    }
    if (!string_empty(p->plugin_name) &&
        !string_is(p->plugin_name, string_text(instance->u.plugin.plugin_name))) {
      compile_error(c, e, "'plugin' attribute does not match that of the instance");
      return NULL;
    }
    return instance;
  }
  if (p->element) return element_of(p->element);
  // a spec may give only the plugin's name: then its unnamed instance is meant
  for (int i = 0; !string_empty(p->plugin_name) && i < c->list[mjOBJ_PLUGIN].n; i++) {
    const snElement* instance = c->list[mjOBJ_PLUGIN].item[i];
    if (!string_size(&instance->name) &&
        string_is(p->plugin_name, string_text(instance->u.plugin.plugin_name))) {
      return instance;
    }
  }
  compile_error(c, e, "neither 'plugin' nor 'instance' is specified");
  return NULL;
}

bool compile_plugin_id(snCompile* c, const snElement* e, const mjsPlugin* p, int* id) {
  *id = -1;
  if (!p->active) return true;
  const snElement* instance = compile_plugin(c, e, p);
  if (!instance) return false;
  *id = instance->id;
  int capability = e->base.elemtype == mjOBJ_ACTUATOR ? mjPLUGIN_ACTUATOR
                   : e->base.elemtype == mjOBJ_SENSOR ? mjPLUGIN_SENSOR
                   : e->base.elemtype == mjOBJ_BODY   ? mjPLUGIN_PASSIVE
                                                      : mjPLUGIN_SDF;
  const mjpPlugin* plugin = mjp_getPluginAtSlot(c->list[mjOBJ_PLUGIN].item[*id]->adr[0]);
  if (plugin && !(plugin->capabilityflags & capability)) {
    return compile_error(c, e, "plugin '%s' does not support %ss", plugin->name,
                         type_name(e->base.elemtype));
  }
  return true;
}

// ---- joints and dofs
static void fill_dofs(snCompile* c, const snElement* e, const snElement* body) {
  mjModel* m = c->m;
  const mjsJoint* j = &e->u.joint;
  int n = j->type == mjJNT_FREE ? 6 : j->type == mjJNT_BALL ? 3 : 1;
  const snBodyWork* w = &c->body[body->id];
  for (int k = 0; k < n; k++) {
    int i = e->adr[1] + k;
    m->dof_bodyid[i] = body->id;
    m->dof_jntid[i] = e->id;
    m->dof_parentid[i] = i > w->dofadr ? i - 1 : c->body[body->parent->id].lastdof;
    SN_ASSERT(i < m->nv && m->dof_parentid[i] < i && w->tree >= 0);
    m->dof_treeid[i] = w->tree;
    copy_num(m->dof_solref + mjNREF * i, j->solref_friction, mjNREF);
    copy_num(m->dof_solimp + mjNIMP * i, j->solimp_friction, mjNIMP);
    m->dof_frictionloss[i] = j->frictionloss;
    m->dof_armature[i] = j->armature;
    m->dof_damping[i] = j->damping;
  }
}

static void fill_joint(snCompile* c, const snElement* e, const snElement* body) {
  mjModel* m = c->m;
  const mjsJoint* j = &e->u.joint;
  int i = e->id;
  SN_ASSERT(i < m->njnt && e->adr[0] < m->nq && e->adr[1] < m->nv);
  mjtNum* qpos0 = m->qpos0 + e->adr[0];
  mjtNum* spring = m->qpos_spring + e->adr[0];
  m->jnt_type[i] = j->type;
  m->jnt_qposadr[i] = e->adr[0];
  m->jnt_dofadr[i] = e->adr[1];
  m->jnt_bodyid[i] = body->id;
  m->jnt_group[i] = j->group;
  m->jnt_limited[i] = (mjtByte)j->limited;
  m->jnt_actfrclimited[i] = (mjtByte)j->actfrclimited;
  m->jnt_actgravcomp[i] = j->actgravcomp;
  copy_num(m->jnt_solref + mjNREF * i, j->solref_limit, mjNREF);
  copy_num(m->jnt_solimp + mjNIMP * i, j->solimp_limit, mjNIMP);
  vec3_copy(m->jnt_pos + 3 * i, j->pos);
  vec3_copy(m->jnt_axis + 3 * i, j->axis);
  m->jnt_stiffness[i] = j->stiffness;
  copy_num(m->jnt_range + 2 * i, j->range, 2);
  copy_num(m->jnt_actfrcrange + 2 * i, j->actfrcrange, 2);
  m->jnt_margin[i] = j->margin;
  copy_user(m->jnt_user + m->nuser_jnt * i, j->userdata, m->nuser_jnt);
  switch (j->type) {
    case mjJNT_FREE:
      vec3_copy(qpos0, body->u.body.pos);
      quat_copy(qpos0 + 3, body->u.body.quat);
      copy_num(spring, qpos0, 7);
      break;
    case mjJNT_BALL:
      quat_identity(qpos0);
      quat_identity(spring);
      break;
    default:
      qpos0[0] = j->ref;
      spring[0] = j->springref;
  }
  fill_dofs(c, e, body);
}

// ---- bodies
static bool fill_body(snCompile* c, const snElement* e) {
  mjModel* m = c->m;
  const mjsBody* b = &e->u.body;
  const snBodyWork* w = &c->body[e->id];
  const snList* joints = &e->child[snCHILD_JOINT];
  const snList* geoms = &e->child[snCHILD_GEOM];
  int i = e->id;
  SN_ASSERT(w->root <= i && w->weld <= i);
  for (int k = 1; k < geoms->n; k++) SN_ASSERT(geoms->item[k]->id == geoms->item[0]->id + k);
  m->body_parentid[i] = i ? e->parent->id : 0;
  m->body_rootid[i] = w->root;
  m->body_weldid[i] = w->weld;
  m->body_mocapid[i] = w->mocap;
  m->body_jntnum[i] = joints->n;
  m->body_jntadr[i] = joints->n ? joints->item[0]->id : -1;
  m->body_dofnum[i] = w->dofnum;
  m->body_dofadr[i] = w->dofnum ? w->dofadr : -1;
  m->body_treeid[i] = w->tree;
  m->body_geomnum[i] = geoms->n;
  m->body_geomadr[i] = geoms->n ? geoms->item[0]->id : -1;
  m->body_simple[i] = (mjtByte)e->mark;
  m->body_sameframe[i] = compile_body_sameframe(b);
  vec3_copy(m->body_pos + 3 * i, b->pos);
  quat_copy(m->body_quat + 4 * i, b->quat);
  vec3_copy(m->body_ipos + 3 * i, b->ipos);
  quat_copy(m->body_iquat + 4 * i, b->iquat);
  m->body_mass[i] = b->mass;
  vec3_copy(m->body_inertia + 3 * i, b->inertia);
  m->body_gravcomp[i] = b->gravcomp;
  copy_user(m->body_user + m->nuser_body * i, b->userdata, m->nuser_body);
  for (int k = 0; k < geoms->n; k++) {
    const mjsGeom* g = &geoms->item[k]->u.geom;
    m->body_contype[i] |= g->contype;
    m->body_conaffinity[i] |= g->conaffinity;
    m->body_margin[i] = fmax(m->body_margin[i], g->margin);
  }
  if (c->margin) m->body_margin[i] = c->margin[e->adr[1]];
  for (int k = 0; k < joints->n; k++) fill_joint(c, joints->item[k], e);
  return compile_plugin_id(c, e, &b->plugin, &m->body_plugin[i]);
}

// dof_simplenum, runs of simple dofs; dof_Madr, where each dof's row of qM starts.
static void fill_dof_tree(snCompile* c) {
  mjModel* m = c->m;
  int count = 0;
  for (int i = m->nv - 1; i >= 0; i--) {
    count = m->body_simple[m->dof_bodyid[i]] ? count + 1 : 0;
    m->dof_simplenum[i] = count;
  }
  int adr = 0;
  for (int i = 0; i < m->nv; i++) {
    m->dof_Madr[i] = adr;
    for (int j = i; j >= 0; j = m->dof_parentid[j]) adr++;
  }
  SN_ASSERT(adr == m->nM);
}

// ---- geoms and sites
static bool fill_geom(snCompile* c, snElement* e) {
  mjModel* m = c->m;
  const mjsGeom* g = &e->u.geom;
  const snGeomWork* w = &c->geom[e->adr[0]];
  int i = e->id;
  m->geom_type[i] = g->type;
  m->geom_contype[i] = g->contype;
  m->geom_conaffinity[i] = g->conaffinity;
  m->geom_condim[i] = g->condim;
  m->geom_bodyid[i] = e->parent->id;
  // a primitive fitted to a mesh still refers to it
  const snElement* mesh = spec_find(c->spec, mjOBJ_MESH, string_text(g->meshname));
  m->geom_dataid[i] = mesh ? mesh->id : w->hfield;
  m->geom_group[i] = g->group;
  m->geom_priority[i] = g->priority;
  m->geom_sameframe[i] = compile_sameframe(&e->parent->u.body, g->pos, g->quat);
  m->geom_solmix[i] = g->solmix;
  copy_num(m->geom_solref + mjNREF * i, g->solref, mjNREF);
  copy_num(m->geom_solimp + mjNIMP * i, g->solimp, mjNIMP);
  vec3_copy(m->geom_size + 3 * i, g->size);
  copy_num(m->geom_aabb + 6 * i, w->aabb, 6);
  m->geom_rbound[i] = w->rbound;
  vec3_copy(m->geom_pos + 3 * i, g->pos);
  quat_copy(m->geom_quat + 4 * i, g->quat);
  vec3_copy(m->geom_friction + 3 * i, g->friction);
  m->geom_margin[i] = g->margin;
  m->geom_gap[i] = g->gap;
  fluid_coefficients(m->geom_fluid + mjNFLUID * i, g);
  copy_user(m->geom_user + m->nuser_geom * i, g->userdata, m->nuser_geom);
  copy_float(m->geom_rgba + 4 * i, g->rgba, 4);
  return compile_id(c, e, mjOBJ_MATERIAL, g->material, &m->geom_matid[i]) &&
         compile_plugin_id(c, e, &g->plugin, &m->geom_plugin[i]);
}

static bool fill_site(snCompile* c, snElement* e) {
  mjModel* m = c->m;
  const mjsSite* s = &e->u.site;
  int i = e->id;
  m->site_type[i] = s->type;
  m->site_bodyid[i] = e->parent->id;
  m->site_group[i] = s->group;
  m->site_sameframe[i] = compile_sameframe(&e->parent->u.body, s->pos, s->quat);
  vec3_copy(m->site_size + 3 * i, s->size);
  vec3_copy(m->site_pos + 3 * i, s->pos);
  quat_copy(m->site_quat + 4 * i, s->quat);
  copy_user(m->site_user + m->nuser_site * i, s->userdata, m->nuser_site);
  copy_float(m->site_rgba + 4 * i, s->rgba, 4);
  return compile_id(c, e, mjOBJ_MATERIAL, s->material, &m->site_matid[i]);
}

// ---- cameras and lights
// Pixels are converted to lengths on the sensor; the field of view follows from the focal length.
static bool fill_camera(snCompile* c, snElement* e) {
  mjModel* m = c->m;
  const mjsCamera* cam = &e->u.camera;
  int i = e->id;
  m->cam_mode[i] = cam->mode;
  m->cam_bodyid[i] = e->parent->id;
  vec3_copy(m->cam_pos + 3 * i, cam->pos);
  quat_copy(m->cam_quat + 4 * i, cam->quat);
  m->cam_orthographic[i] = cam->orthographic;
  m->cam_fovy[i] = cam->fovy;
  m->cam_ipd[i] = cam->ipd;
  for (int k = 0; k < 2; k++) {
    if (!(cam->resolution[k] >= 0 && cam->resolution[k] < 0x1p31f)) {
      return compile_error(c, e, "camera resolution %g is not a number of pixels",
                           cam->resolution[k]);
    }
    m->cam_resolution[2 * i + k] = (int)cam->resolution[k];
    m->cam_sensorsize[2 * i + k] = cam->sensor_size[k];
  }
  copy_user(m->cam_user + m->nuser_cam * i, cam->userdata, m->nuser_cam);
  float* intrinsic = m->cam_intrinsic + 4 * i;
  if (cam->sensor_size[0] > 0 && cam->sensor_size[1] > 0) {
    if (!(cam->resolution[0] > 0) || !(cam->resolution[1] > 0)) {
      return compile_error(c, e, "camera with a sensor size needs a positive resolution");
    }
    for (int k = 0; k < 2; k++) {
      float focal = cam->focal_pixel[k] / cam->resolution[k] * cam->sensor_size[k];
      float principal = cam->principal_pixel[k] / cam->resolution[k] * cam->sensor_size[k];
      intrinsic[k] = cam->focal_pixel[k] ? focal : cam->focal_length[k];
      intrinsic[2 + k] = cam->principal_pixel[k] ? principal : cam->principal_length[k];
    }
    // in single precision, like the intrinsics
    float slope = cam->sensor_size[1] / 2 / intrinsic[1];
    float half = (float)sn_atan2(slope, 1);
    m->cam_fovy[i] = (double)half * 2 * 180 / mjPI;
  } else {
    intrinsic[0] = intrinsic[1] = m->vis.map.znear;
  }
  if (m->cam_fovy[i] >= 180 && !(cam->sensor_size[0] > 0)) {
    return compile_error(c, e, "fovy too large in camera '%s' (id = %d, value = %g)",
                         string_text(&e->name), e->id, m->cam_fovy[i]);
  }
  if (!string_empty(cam->targetbody) &&
      !spec_find(c->spec, mjOBJ_BODY, string_text(cam->targetbody))) {
    return compile_error(c, e, "unknown target body '%s' in camera", string_text(cam->targetbody));
  }
  return compile_id(c, e, mjOBJ_BODY, cam->targetbody, &m->cam_targetbodyid[i]);
}

static bool fill_light(snCompile* c, snElement* e) {
  mjModel* m = c->m;
  const mjsLight* l = &e->u.light;
  int i = e->id;
  m->light_mode[i] = l->mode;
  m->light_bodyid[i] = e->parent->id;
  m->light_type[i] = l->type;
  m->light_castshadow[i] = l->castshadow;
  m->light_bulbradius[i] = l->bulbradius;
  m->light_intensity[i] = l->intensity;
  m->light_range[i] = l->range;
  m->light_active[i] = l->active;
  vec3_copy(m->light_pos + 3 * i, l->pos);
  vec3_copy(m->light_dir + 3 * i, l->dir);
  copy_float(m->light_attenuation + 3 * i, l->attenuation, 3);
  m->light_cutoff[i] = l->cutoff;
  m->light_exponent[i] = l->exponent;
  copy_float(m->light_ambient + 3 * i, l->ambient, 3);
  copy_float(m->light_diffuse + 3 * i, l->diffuse, 3);
  copy_float(m->light_specular + 3 * i, l->specular, 3);
  if (!string_empty(l->targetbody) && !spec_find(c->spec, mjOBJ_BODY, string_text(l->targetbody))) {
    return compile_error(c, e, "unknown target body '%s' in light", string_text(l->targetbody));
  }
  if (!string_empty(l->texture) && !spec_find(c->spec, mjOBJ_TEXTURE, string_text(l->texture))) {
    return compile_error(c, e, "unknown texture '%s' in light", string_text(l->texture));
  }
  return compile_id(c, e, mjOBJ_BODY, l->targetbody, &m->light_targetbodyid[i]) &&
         compile_id(c, e, mjOBJ_TEXTURE, l->texture, &m->light_texid[i]);
}

bool compile_fill_tree(snCompile* c) {
  mjModel* m = c->m;
  m->opt = c->spec->pub.option;
  m->vis = c->spec->pub.visual;
  snList* list = c->list;
  for (int i = 0; i < m->nbody; i++) {
    if (!fill_body(c, list[mjOBJ_BODY].item[i])) return false;
  }
  fill_dof_tree(c);
  for (int i = 0; i < m->ngeom; i++) {
    if (!fill_geom(c, list[mjOBJ_GEOM].item[i])) return false;
  }
  for (int i = 0; i < m->nsite; i++) {
    if (!fill_site(c, list[mjOBJ_SITE].item[i])) return false;
  }
  for (int i = 0; i < m->ncam; i++) {
    if (!fill_camera(c, list[mjOBJ_CAMERA].item[i])) return false;
  }
  for (int i = 0; i < m->nlight; i++) {
    if (!fill_light(c, list[mjOBJ_LIGHT].item[i])) return false;
  }
  return true;
}
