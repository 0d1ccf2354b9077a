// mj_copyBack: numbers of a model, which a program may have changed, are written back to its spec.
//
// The inverse of fill_*.c for real-valued fields: poses go from the body back to the frames around
// the element, mesh geoms lose the pose of the mesh frame, inferred values stay unset unless they
// were changed.
#include <math.h>
#include <string.h>

#include "compile/compile.h"

// ---- numbers

// Poses in the model are relative to the body: back to poses relative to the surrounding frames,
// from the outermost one inward.
static void out_of_frames(const snElement* e, double pos[3], double quat[4]) {
  int n = 0;
  for (const snElement* f = e->frame; f; f = f->frame) n++;
  while (n--) {
    const snElement* f = e->frame;
    for (int k = 0; k < n; k++) f = f->frame;
    double fquat[4], inverse[4];
    mju_copy4(fquat, f->u.frame_.quat);
    const mjsCompiler* c = element_compiler(f);
    char sequence[4] = {c->eulerseq[0], c->eulerseq[1], c->eulerseq[2], 0};
    if (f->u.frame_.alt.type != mjORIENTATION_QUAT) {
      mjs_resolveOrientation(fquat, c->degree, sequence, &f->u.frame_.alt);
    }
    mju_normalize4(fquat);
    mju_negQuat(inverse, fquat);
    mju_sub3(pos, pos, f->u.frame_.pos);
    mju_rotVecQuat(pos, pos, inverse);
    if (quat) mju_mulQuat(quat, inverse, quat);
  }
}

static void back_pose(const snElement* e, double pos[3], double quat[4], mjsOrientation* alt,
                      const mjtNum* from_pos, const mjtNum* from_quat) {
  mju_copy3(pos, from_pos);
  mju_copy4(quat, from_quat);
  out_of_frames(e, pos, quat);
  alt->type = mjORIENTATION_QUAT;
}

// The pose of a mesh geom in the model includes the mesh frame, which is taken out again.
static void back_geom(snElement* e, const mjModel* m) {
  mjsGeom* g = &e->u.geom;
  int i = e->id;
  double pos[3], quat[4];
  mju_copy3(pos, m->geom_pos + 3 * i);
  mju_copy4(quat, m->geom_quat + 4 * i);
  bool mesh = (g->type == mjGEOM_MESH || g->type == mjGEOM_SDF) && m->geom_dataid[i] >= 0;
  if (mesh) {
    double inverse[4], offset[3];
    mju_negQuat(inverse, m->mesh_quat + 4 * m->geom_dataid[i]);
    mju_mulQuat(quat, quat, inverse);
    mju_rotVecQuat(offset, m->mesh_pos + 3 * m->geom_dataid[i], quat);
    mju_sub3(pos, pos, offset);
  } else if (g->type != mjGEOM_HFIELD) {
    mju_copy3(g->size, m->geom_size + 3 * i);
  }
  back_pose(e, g->pos, g->quat, &g->alt, pos, quat);
  g->fromto[0] = NAN;
  mju_copy3(g->friction, m->geom_friction + 3 * i);
  g->solmix = m->geom_solmix[i];
  mju_copy(g->solref, m->geom_solref + mjNREF * i, mjNREF);
  mju_copy(g->solimp, m->geom_solimp + mjNIMP * i, mjNIMP);
  g->margin = m->geom_margin[i];
  g->gap = m->geom_gap[i];
  memcpy(g->rgba, m->geom_rgba + 4 * i, sizeof g->rgba);
}

static void back_joint(snElement* e, const mjModel* m) {
  mjsJoint* j = &e->u.joint;
  int i = e->id, dof = m->jnt_dofadr[i];
  bool degree = element_compiler(e)->degree && (j->type == mjJNT_HINGE || j->type == mjJNT_BALL);
  double angle = degree ? 180 / mjPI : 1;
  mju_copy3(j->pos, m->jnt_pos + 3 * i);
  mju_copy3(j->axis, m->jnt_axis + 3 * i);
  double unit[4] = {1, 0, 0, 0}, turn[4];
  out_of_frames(e, j->pos, unit);
  mju_copy4(turn, unit);
  mju_rotVecQuat(j->axis, j->axis, turn);
  j->stiffness = m->jnt_stiffness[i];
  j->springdamper[0] = j->springdamper[1] = 0;
  for (int k = 0; k < 2; k++) {
    j->range[k] = m->jnt_range[2 * i + k] * (m->jnt_limited[i] ? angle : 1);
    j->actfrcrange[k] = m->jnt_actfrcrange[2 * i + k];
  }
  j->margin = m->jnt_margin[i];
  mju_copy(j->solref_limit, m->jnt_solref + mjNREF * i, mjNREF);
  mju_copy(j->solimp_limit, m->jnt_solimp + mjNIMP * i, mjNIMP);
  mju_copy(j->solref_friction, m->dof_solref + mjNREF * dof, mjNREF);
  mju_copy(j->solimp_friction, m->dof_solimp + mjNIMP * dof, mjNIMP);
  j->armature = m->dof_armature[dof];
  j->damping = m->dof_damping[dof];
  j->frictionloss = m->dof_frictionloss[dof];
  if (j->type == mjJNT_HINGE || j->type == mjJNT_SLIDE) {
    double scale = j->type == mjJNT_HINGE ? angle : 1;
    j->ref = m->qpos0[m->jnt_qposadr[i]] * scale;
    j->springref = m->qpos_spring[m->jnt_qposadr[i]] * scale;
  }
}

static void back_body(snElement* e, const mjModel* m, bool pruned) {
  mjsBody* b = &e->u.body;
  int i = e->id;
  if (i > 0) {
    back_pose(e, b->pos, b->quat, &b->alt, m->body_pos + 3 * i, m->body_quat + 4 * i);
    bool given = b->ipos[0] == b->ipos[0] || (pruned && e->mark);
    if (given) {
      mju_copy3(b->ipos, m->body_ipos + 3 * i);
      mju_copy4(b->iquat, m->body_iquat + 4 * i);
      b->ialt.type = mjORIENTATION_QUAT;
      b->mass = m->body_mass[i];
      mju_copy3(b->inertia, m->body_inertia + 3 * i);
      b->fullinertia[0] = NAN;
      b->explicitinertial = 1;
    }
    b->gravcomp = m->body_gravcomp[i];
  }
  for (int k = 0; k < e->child[snCHILD_JOINT].n; k++)
    back_joint(e->child[snCHILD_JOINT].item[k], m);
  for (int k = 0; k < e->child[snCHILD_GEOM].n; k++) back_geom(e->child[snCHILD_GEOM].item[k], m);
  for (int k = 0; k < e->child[snCHILD_SITE].n; k++) {
    snElement* s = e->child[snCHILD_SITE].item[k];
    mjsSite* site = &s->u.site;
    back_pose(s, site->pos, site->quat, &site->alt, m->site_pos + 3 * s->id,
              m->site_quat + 4 * s->id);
    mju_copy3(site->size, m->site_size + 3 * s->id);
    memcpy(site->rgba, m->site_rgba + 4 * s->id, sizeof site->rgba);
    site->fromto[0] = NAN;
  }
  for (int k = 0; k < e->child[snCHILD_CAMERA].n; k++) {
    snElement* s = e->child[snCHILD_CAMERA].item[k];
    mjsCamera* c = &s->u.camera;
    back_pose(s, c->pos, c->quat, &c->alt, m->cam_pos + 3 * s->id, m->cam_quat + 4 * s->id);
    c->fovy = m->cam_fovy[s->id];
    c->ipd = m->cam_ipd[s->id];
  }
  for (int k = 0; k < e->child[snCHILD_LIGHT].n; k++) {
    snElement* s = e->child[snCHILD_LIGHT].item[k];
    mjsLight* l = &s->u.light;
    double unit[4] = {1, 0, 0, 0};
    mju_copy3(l->pos, m->light_pos + 3 * s->id);
    out_of_frames(s, l->pos, unit);
    mju_rotVecQuat(l->dir, m->light_dir + 3 * s->id, unit);
    memcpy(l->diffuse, m->light_diffuse + 3 * s->id, sizeof l->diffuse);
    memcpy(l->ambient, m->light_ambient + 3 * s->id, sizeof l->ambient);
    memcpy(l->specular, m->light_specular + 3 * s->id, sizeof l->specular);
  }
  for (int k = 0; k < e->child[snCHILD_BODY].n; k++)
    back_body(e->child[snCHILD_BODY].item[k], m, pruned);
}

// Elevations that a program changed replace inline data or the file.
static void back_hfield(snElement* e, const mjModel* m) {
  int i = e->id;
  if (i < 0 || i >= m->nhfield) return;
  const float* data = m->hfield_data + m->hfield_adr[i];
  int n = m->hfield_nrow[i] * m->hfield_ncol[i];
  if (hfield_mark(data, n) == e->adr[1]) return;
  mjsHField* h = &e->u.hfield;
  mjs_setFloat(h->userdata, data, n);
  mjs_setString(h->file, "");
  h->nrow = m->hfield_nrow[i];
  h->ncol = m->hfield_ncol[i];
}

static void back_lists(snSpec* s, const mjModel* m) {
  for (int k = 0; k < s->list[mjOBJ_HFIELD].n; k++) back_hfield(s->list[mjOBJ_HFIELD].item[k], m);
  for (int k = 0; k < s->list[mjOBJ_TENDON].n; k++) {
    mjsTendon* t = &s->list[mjOBJ_TENDON].item[k]->u.tendon;
    int i = s->list[mjOBJ_TENDON].item[k]->id;
    t->stiffness = m->tendon_stiffness[i];
    t->damping = m->tendon_damping[i];
    t->armature = m->tendon_armature[i];
    t->frictionloss = m->tendon_frictionloss[i];
    t->margin = m->tendon_margin[i];
    t->width = m->tendon_width[i];
    mju_copy(t->range, m->tendon_range + 2 * i, 2);
    mju_copy(t->springlength, m->tendon_lengthspring + 2 * i, 2);
    memcpy(t->rgba, m->tendon_rgba + 4 * i, sizeof t->rgba);
  }
  for (int k = 0; k < s->list[mjOBJ_ACTUATOR].n; k++) {
    mjsActuator* a = &s->list[mjOBJ_ACTUATOR].item[k]->u.actuator;
    int i = s->list[mjOBJ_ACTUATOR].item[k]->id;
    mju_copy(a->dynprm, m->actuator_dynprm + mjNDYN * i, mjNDYN);
    mju_copy(a->gainprm, m->actuator_gainprm + mjNGAIN * i, mjNGAIN);
    mju_copy(a->biasprm, m->actuator_biasprm + mjNBIAS * i, mjNBIAS);
    mju_copy(a->ctrlrange, m->actuator_ctrlrange + 2 * i, 2);
    mju_copy(a->forcerange, m->actuator_forcerange + 2 * i, 2);
    mju_copy(a->actrange, m->actuator_actrange + 2 * i, 2);
    mju_copy(a->lengthrange, m->actuator_lengthrange + 2 * i, 2);
    mju_copy(a->gear, m->actuator_gear + 6 * i, 6);
    a->cranklength = m->actuator_cranklength[i];
    a->inheritrange = 0;
  }
  for (int k = 0; k < s->list[mjOBJ_EQUALITY].n; k++) {
    mjsEquality* eq = &s->list[mjOBJ_EQUALITY].item[k]->u.equality;
    int i = s->list[mjOBJ_EQUALITY].item[k]->id;
    mju_copy(eq->data, m->eq_data + mjNEQDATA * i, mjNEQDATA);
    mju_copy(eq->solref, m->eq_solref + mjNREF * i, mjNREF);
    mju_copy(eq->solimp, m->eq_solimp + mjNIMP * i, mjNIMP);
  }
  for (int k = 0; k < s->list[mjOBJ_MATERIAL].n; k++) {
    mjsMaterial* mat = &s->list[mjOBJ_MATERIAL].item[k]->u.material;
    int i = s->list[mjOBJ_MATERIAL].item[k]->id;
    memcpy(mat->rgba, m->mat_rgba + 4 * i, sizeof mat->rgba);
    memcpy(mat->texrepeat, m->mat_texrepeat + 2 * i, sizeof mat->texrepeat);
    mat->emission = m->mat_emission[i];
    mat->specular = m->mat_specular[i];
    mat->shininess = m->mat_shininess[i];
    mat->reflectance = m->mat_reflectance[i];
  }
  for (int k = 0; k < s->list[mjOBJ_SENSOR].n; k++) {
    mjsSensor* sensor = &s->list[mjOBJ_SENSOR].item[k]->u.sensor;
    sensor->cutoff = m->sensor_cutoff[s->list[mjOBJ_SENSOR].item[k]->id];
    sensor->noise = m->sensor_noise[s->list[mjOBJ_SENSOR].item[k]->id];
  }
}

// Computed statistics that the program has not changed stay unset in the spec, so they are computed
// again.
static void back_statistic(snSpec* spec, const mjModel* m) {
  mjStatistic* to = &spec->pub.stat;
  const mjStatistic *from = &m->stat, *found = &spec->found;
  if (!isnan(to->meaninertia) || from->meaninertia != found->meaninertia)
    to->meaninertia = from->meaninertia;
  if (!isnan(to->meanmass) || from->meanmass != found->meanmass) to->meanmass = from->meanmass;
  if (!isnan(to->meansize) || from->meansize != found->meansize) to->meansize = from->meansize;
  if (!isnan(to->extent) || from->extent != found->extent) to->extent = from->extent;
  if (!isnan(to->center[0]) || memcmp(from->center, found->center, sizeof to->center))
    memcpy(to->center, from->center, sizeof to->center);
}

// ---- elements that the compiler left out
// discardvisual and fusestatic remove elements from the model that the spec still has, with id -1.
// They are dropped from the spec too, because numbers of the model fit only the reduced spec.

static bool left_out(const snElement* e) { return e->id < 0; }

static void drop_left_out(snSpec* spec, snList* list) {
  for (int i = list->n - 1; i >= 0; i--) {
    snElement* e = list->item[i];
    if (!left_out(e)) continue;
    list_remove(list, e);
    spec_name_remove(spec, e);
    element_free(e);
  }
}

static void forget_left_out(const snSpec* spec, mjString* material) {
  const snElement* e = spec_find(spec, mjOBJ_MATERIAL, string_text(material));
  if (e && left_out(e)) mjs_setString(material, "");
}

static void forget_in_class(const snSpec* spec, const snElement* class) {
  forget_left_out(spec, class->class[snCLASS_GEOM] -> u.geom.material);
  forget_left_out(spec, class->class[snCLASS_SITE] -> u.site.material);
  forget_left_out(spec, class->class[snCLASS_FLEX] -> u.flex.material);
  forget_left_out(spec, class->class[snCLASS_TENDON] -> u.tendon.material);
  const snList* below = &class->child[snCHILD_CLASS];
  for (int i = 0; i < below->n; i++) forget_in_class(spec, below->item[i]);
}

// Bodies that lost a geom or absorbed a body are marked: their inertia can no longer be inferred
// from their geoms.
static bool drop_on_body(snSpec* spec, snElement* body) {
  snList *bodies = &body->child[snCHILD_BODY], *geoms = &body->child[snCHILD_GEOM];
  body->mark = spec->pub.compiler.inertiafromgeom == mjINERTIAFROMGEOM_TRUE;
  for (int i = 0; i < bodies->n;) {
    snElement* e = bodies->item[i];
    if (!left_out(e)) {
      if (!drop_on_body(spec, e)) return false;
      i++;
      continue;
    }
    if (!body_dissolve(body, i)) return false;
    spec_name_remove(spec, e);
    element_free(e);
    body->mark = 1;
  }
  for (int i = 0; i < geoms->n; i++) {
    if (left_out(geoms->item[i]))
      body->mark = 1;
    else
      forget_left_out(spec, geoms->item[i]->u.geom.material);
  }
  drop_left_out(spec, geoms);
  for (int i = 0; i < body->child[snCHILD_SITE].n; i++) {
    forget_left_out(spec, body->child[snCHILD_SITE].item[i]->u.site.material);
  }
  return true;
}

static void unmark_bodies(snElement* body) {
  body->mark = 0;
  snList* bodies = &body->child[snCHILD_BODY];
  for (int i = 0; i < bodies->n; i++) unmark_bodies(bodies->item[i]);
}

static bool drop_all(snSpec* spec) {
  mjsCompiler* settings = &spec->pub.compiler;
  if (!drop_on_body(spec, spec->world)) return false;
  if (settings->discardvisual) {
    forget_in_class(spec, spec->main);
    for (int i = 0; i < spec->list[mjOBJ_TENDON].n; i++) {
      forget_left_out(spec, spec->list[mjOBJ_TENDON].item[i]->u.tendon.material);
    }
    for (int i = 0; i < spec->list[mjOBJ_SKIN].n; i++) {
      forget_left_out(spec, spec->list[mjOBJ_SKIN].item[i]->u.skin.material);
    }
    for (int i = 0; i < spec->list[mjOBJ_FLEX].n; i++) {
      forget_left_out(spec, spec->list[mjOBJ_FLEX].item[i]->u.flex.material);
    }
    drop_left_out(spec, &spec->list[mjOBJ_MATERIAL]);
    drop_left_out(spec, &spec->list[mjOBJ_TEXTURE]);
    drop_left_out(spec, &spec->list[mjOBJ_MESH]);
  }
  if (settings->inertiafromgeom == mjINERTIAFROMGEOM_TRUE) {
    settings->inertiafromgeom = mjINERTIAFROMGEOM_FALSE;
  }
  settings->discardvisual = settings->fusestatic = 0;
  return true;
}

// ---- the whole

static int count_kept(const snList* list) {
  int n = 0;
  for (int i = 0; i < list->n; i++) n += !left_out(list->item[i]);
  return n;
}

static void count_below(const snElement* body, int count[snNCHILD]) {
  for (int k = 0; k < snNCHILD; k++) count[k] += count_kept(&body->child[k]);
  for (int i = 0; i < body->child[snCHILD_BODY].n; i++) {
    count_below(body->child[snCHILD_BODY].item[i], count);
  }
}

int mj_copyBack(mjSpec* s, const mjModel* m) {
  snSpec* spec = spec_of(s);
  int count[snNCHILD] = {0};
  count_below(spec->world, count);
  bool tree = count[snCHILD_BODY] + 1 == m->nbody && count[snCHILD_JOINT] == m->njnt &&
              count[snCHILD_GEOM] == m->ngeom && count[snCHILD_SITE] == m->nsite &&
              count[snCHILD_CAMERA] == m->ncam && count[snCHILD_LIGHT] == m->nlight;
  if (!tree || m->signature != spec->element.base.signature ||
      m->ntendon != spec->list[mjOBJ_TENDON].n || m->nu != spec->list[mjOBJ_ACTUATOR].n ||
      m->neq != spec->list[mjOBJ_EQUALITY].n ||
      m->nmat != count_kept(&spec->list[mjOBJ_MATERIAL]) ||
      m->nsensor != spec->list[mjOBJ_SENSOR].n) {
    spec_error(spec, "mj_copyBack: the model was not compiled from this spec as it is now");
    return 0;
  }
  bool pruned = s->compiler.discardvisual || s->compiler.fusestatic;
  if (pruned && !drop_all(spec)) {
    unmark_bodies(spec->world);
    spec_error(spec, "mj_copyBack: out of memory");
    return 0;
  }
  s->option = m->opt;
  s->visual = m->vis;
  back_statistic(spec, m);
  back_body(spec->world, m, pruned);
  unmark_bodies(spec->world);
  back_lists(spec, m);
  spec_check(spec);
  return 1;
}
