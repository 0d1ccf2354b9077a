// Default values of every public struct of the spec, as documented (mjs_defaultX).
#include <math.h>
#include <string.h>

#include "spec/spec.h"

static void default_solver(mjtNum* solref, mjtNum* solimp) {
  static const mjtNum ref[mjNREF] = {0.02, 1};
  static const mjtNum imp[mjNIMP] = {0.9, 0.95, 0.001, 0.5, 2};
  memcpy(solref, ref, sizeof ref);
  memcpy(solimp, imp, sizeof imp);
}

static void set_rgba(float* rgba, float r, float g, float b, float a) {
  rgba[0] = r, rgba[1] = g, rgba[2] = b, rgba[3] = a;
}

void mjs_defaultSpec(mjSpec* spec) {
  memset(spec, 0, sizeof *spec);
  mjsCompiler* c = &spec->compiler;
  c->autolimits = 1;
  c->settotalmass = -1;
  c->degree = 1;
  memcpy(c->eulerseq, "xyz", 3);
  c->usethread = 1;
  c->inertiafromgeom = mjINERTIAFROMGEOM_AUTO;
  c->inertiagrouprange[1] = mjNGROUP - 1;
  mj_defaultLROpt(&c->LRopt);
  mj_defaultOption(&spec->option);
  mj_defaultVisual(&spec->visual);
  spec->stat.meaninertia = spec->stat.meanmass = spec->stat.meansize = NAN;
  spec->stat.extent = spec->stat.center[0] = NAN;
  spec->memory = (size_t)-1;
  spec->nuser_body = spec->nuser_jnt = spec->nuser_geom = spec->nuser_site = -1;
  spec->nuser_cam = spec->nuser_tendon = spec->nuser_actuator = spec->nuser_sensor = -1;
  spec->njmax = spec->nconmax = -1;
  spec->nstack = (size_t)-1;
}

void mjs_defaultOrientation(mjsOrientation* orient) { memset(orient, 0, sizeof *orient); }

void mjs_defaultBody(mjsBody* body) {
  memset(body, 0, sizeof *body);
  body->quat[0] = body->iquat[0] = 1;
  body->ipos[0] = body->fullinertia[0] = NAN;
}

void mjs_defaultFrame(mjsFrame* frame) {
  memset(frame, 0, sizeof *frame);
  frame->quat[0] = 1;
}

void mjs_defaultJoint(mjsJoint* joint) {
  memset(joint, 0, sizeof *joint);
  joint->type = mjJNT_HINGE;
  joint->axis[2] = 1;
  joint->limited = joint->actfrclimited = mjLIMITED_AUTO;
  joint->align = mjALIGNFREE_AUTO;
  default_solver(joint->solref_limit, joint->solimp_limit);
  default_solver(joint->solref_friction, joint->solimp_friction);
}

void mjs_defaultGeom(mjsGeom* geom) {
  static const double friction[3] = {1, 0.005, 0.0001};
  static const mjtNum fluid[5] = {0.5, 0.25, 1.5, 1, 1};
  memset(geom, 0, sizeof *geom);
  geom->type = mjGEOM_SPHERE;
  geom->quat[0] = 1;
  geom->fromto[0] = geom->mass = NAN;
  geom->contype = geom->conaffinity = 1;
  geom->condim = 3;
  memcpy(geom->friction, friction, sizeof friction);
  geom->solmix = 1;
  default_solver(geom->solref, geom->solimp);
  geom->density = 1000;
  memcpy(geom->fluid_coefs, fluid, sizeof fluid);
  set_rgba(geom->rgba, 0.5f, 0.5f, 0.5f, 1);
  geom->fitscale = 1;
}

void mjs_defaultSite(mjsSite* site) {
  memset(site, 0, sizeof *site);
  site->type = mjGEOM_SPHERE;
  site->quat[0] = 1;
  site->fromto[0] = NAN;
  site->size[0] = site->size[1] = site->size[2] = 0.005;
  set_rgba(site->rgba, 0.5f, 0.5f, 0.5f, 1);
}

void mjs_defaultCamera(mjsCamera* camera) {
  memset(camera, 0, sizeof *camera);
  camera->quat[0] = 1;
  camera->fovy = 45;
  camera->ipd = 0.068;
  camera->resolution[0] = camera->resolution[1] = 1;
}

void mjs_defaultLight(mjsLight* light) {
  memset(light, 0, sizeof *light);
  light->dir[2] = -1;
  light->active = light->castshadow = 1;
  light->bulbradius = 0.02f;
  light->range = 10;
  light->attenuation[0] = 1;
  light->cutoff = 45;
  light->exponent = 10;
  for (int i = 0; i < 3; i++) light->diffuse[i] = 0.7f, light->specular[i] = 0.3f;
}

void mjs_defaultFlex(mjsFlex* flex) {
  static const double friction[3] = {1, 0.005, 0.0001};
  memset(flex, 0, sizeof *flex);
  flex->contype = flex->conaffinity = 1;
  flex->condim = 3;
  memcpy(flex->friction, friction, sizeof friction);
  flex->solmix = 1;
  default_solver(flex->solref, flex->solimp);
  flex->dim = 2;
  flex->radius = 0.005;
  flex->selfcollide = mjFLEXSELF_AUTO;
  flex->activelayers = 1;
  set_rgba(flex->rgba, 0.5f, 0.5f, 0.5f, 1);
  flex->thickness = -1;
}

void mjs_defaultMesh(mjsMesh* mesh) {
  memset(mesh, 0, sizeof *mesh);
  mesh->refquat[0] = 1;
  mesh->scale[0] = mesh->scale[1] = mesh->scale[2] = 1;
  mesh->inertia = mjMESH_INERTIA_LEGACY;
  mesh->maxhullvert = -1;
}

void mjs_defaultHField(mjsHField* hfield) { memset(hfield, 0, sizeof *hfield); }

void mjs_defaultSkin(mjsSkin* skin) {
  memset(skin, 0, sizeof *skin);
  set_rgba(skin->rgba, 0.5f, 0.5f, 0.5f, 1);
}

void mjs_defaultTexture(mjsTexture* texture) {
  memset(texture, 0, sizeof *texture);
  texture->type = mjTEXTURE_CUBE;
  for (int i = 0; i < 3; i++) texture->rgb1[i] = 0.8, texture->rgb2[i] = 0.5;
  texture->random = 0.01;
  texture->nchannel = 3;
  texture->gridsize[0] = texture->gridsize[1] = 1;
  memcpy(texture->gridlayout, "............", 12);
}

void mjs_defaultMaterial(mjsMaterial* material) {
  memset(material, 0, sizeof *material);
  material->texrepeat[0] = material->texrepeat[1] = 1;
  material->specular = material->shininess = 0.5f;
  material->metallic = material->roughness = -1;
  set_rgba(material->rgba, 1, 1, 1, 1);
}

void mjs_defaultPair(mjsPair* pair) {
  static const double friction[5] = {1, 1, 0.005, 0.0001, 0.0001};
  memset(pair, 0, sizeof *pair);
  pair->condim = 3;
  default_solver(pair->solref, pair->solimp);
  memcpy(pair->friction, friction, sizeof friction);
}

void mjs_defaultEquality(mjsEquality* equality) {
  memset(equality, 0, sizeof *equality);
  equality->type = mjEQ_CONNECT;
  equality->active = 1;
  equality->data[1] = 1;   // polycoef: identity
  equality->data[10] = 1;  // torquescale
  default_solver(equality->solref, equality->solimp);
}

void mjs_defaultTendon(mjsTendon* tendon) {
  memset(tendon, 0, sizeof *tendon);
  tendon->springlength[0] = tendon->springlength[1] = -1;
  default_solver(tendon->solref_friction, tendon->solimp_friction);
  default_solver(tendon->solref_limit, tendon->solimp_limit);
  tendon->limited = mjLIMITED_AUTO;
  tendon->width = 0.003;
  set_rgba(tendon->rgba, 0.5f, 0.5f, 0.5f, 1);
}

void mjs_defaultActuator(mjsActuator* actuator) {
  memset(actuator, 0, sizeof *actuator);
  actuator->gainprm[0] = actuator->dynprm[0] = actuator->gear[0] = 1;
  actuator->actdim = -1;
  actuator->trntype = mjTRN_UNDEFINED;
  actuator->ctrllimited = actuator->forcelimited = actuator->actlimited = mjLIMITED_AUTO;
}

void mjs_defaultSensor(mjsSensor* sensor) {
  memset(sensor, 0, sizeof *sensor);
  sensor->needstage = mjSTAGE_ACC;
}

void mjs_defaultNumeric(mjsNumeric* numeric) { memset(numeric, 0, sizeof *numeric); }
void mjs_defaultText(mjsText* text) { memset(text, 0, sizeof *text); }
void mjs_defaultTuple(mjsTuple* tuple) { memset(tuple, 0, sizeof *tuple); }
void mjs_defaultKey(mjsKey* key) { memset(key, 0, sizeof *key); }
void mjs_defaultPlugin(mjsPlugin* plugin) { memset(plugin, 0, sizeof *plugin); }
