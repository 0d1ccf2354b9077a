// The abstract scene: cameras, rooms, perturbations, selection, geoms made by hand, every flag.
#include <mujoco/mujoco.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

static const char kScene[] =
    "<mujoco><option><flag energy='enable'/></option><asset>"
    "<material name='mt' rgba='.1 .2 .3 .5' emission='.2' specular='.3' shininess='.4'/>"
    "<mesh name='me' vertex='0 0 0 .2 0 0 0 .2 0 0 0 .2'/></asset><worldbody>"
    "<light pos='0 0 3' dir='0 .1 -1'/><light type='directional' mode='targetbody' target='b'/>"
    "<camera name='fix' pos='0 -2 1' xyaxes='1 0 0 0 .5 1' fovy='40'/>"
    "<camera name='lens' pos='1 -2 1' sensorsize='.01 .02' focal='.02 .02' resolution='64 32'/>"
    "<camera name='flat' pos='0 -3 1' orthographic='true' fovy='2'/>"
    "<geom type='plane' size='3 3 .1'/><site name='w' pos='0 0 1' size='.02'/>"
    "<body name='a' pos='0 0 .19'><freejoint/><geom size='.1 .15 .2' type='box'/>"
    "<site name='s1' pos='.1 .1 .1' type='box' size='.02 .03 .04'/><camera name='on' pos='0 0 .5' "
    "mode='trackcom'/>"
    "<body name='b' pos='.4 0 0'><joint name='h' axis='0 1 0' range='-1 1'/>"
    "<geom type='capsule' size='.05 .1' material='mt'/><site name='s2' pos='0 0 .2'/>"
    "<body pos='.2 0 0'><joint name='sl' type='slide' axis='1 0 0'/><geom type='mesh' mesh='me'/>"
    "</body></body></body>"
    "<body name='c' pos='2 0 .5'><joint name='bl' type='ball' pos='0 0 .2'/><geom size='.1' "
    "rgba='1 0 0 .3'/>"
    "<geom type='ellipsoid' size='.1 .2 .3' pos='.3 0 0' group='3'/></body>"
    "<body name='mc' mocap='true' pos='0 0 2'><geom size='.03' contype='0' conaffinity='0'/></body>"
    "</worldbody><tendon><spatial name='t' limited='true' range='0 .3'><site site='s1'/><site "
    "site='s2'/></spatial>"
    "</tendon><equality><connect body1='b' body2='c' anchor='0 0 .1'/></equality>"
    "<actuator><motor joint='h' ctrlrange='-1 1'/><position tendon='t' ctrlrange='.2 "
    "1'/></actuator></mujoco>";

static jmp_buf out;
static void refuse(const char* text) { longjmp(out, 1); }
static void say(const char* text) { printf("warned\n"); }
// A call that may be refused with an error.
#define TRY(...)         \
  if (setjmp(out))       \
    printf("refused\n"); \
  else                   \
    __VA_ARGS__

static void numbers(const char* name, const mjtNum* x, int n) {
  printf("%s", name);
  for (int i = 0; i < n; i++) printf(" %.7f", x[i] + 0.0);
  printf("\n");
}

static void floats(const char* name, const float* x, int n) {
  printf("%s", name);
  for (int i = 0; i < n; i++) printf(" %.7f", x[i] + 0.f);
  printf("\n");
}

static void print_gl(const char* name, const mjvGLCamera* c) {
  printf("%s %d", name, c->orthographic);
  floats("", c->pos, 3), floats(" forward", c->forward, 3), floats(" up", c->up, 3);
  floats(" frustum", &c->frustum_center, 6);
}

static void print_geom(const mjvGeom* g) {
  printf("geom %d %d %d %d %d %d %d %d '%s' %d", g->type, g->dataid, g->objtype, g->objid,
         g->category, g->matid, g->texcoord, g->segid, g->label, g->transparent);
  floats("", g->size, 3), floats(" pos", g->pos, 3), floats(" mat", g->mat, 9),
      floats(" rgba", g->rgba, 4);
  floats(" rest", &g->emission, 4), floats(" far", &g->camdist, 3);
}

static void print_scene(const mjvScene* s, const char* why) {
  printf("scene %s: %d geoms, %d lights, %d skins, flags", why, s->ngeom, s->nlight, s->nskin);
  for (int i = 0; i < mjNRNDFLAG; i++) printf(" %d", s->flags[i]);
  printf(" %d %d %d\n", s->stereo, s->framewidth > 0, s->enabletransform);
  for (int i = 0; i < 2; i++) print_gl("camera", &s->camera[i]);
  for (int i = 0; i < s->nlight; i++) {
    const mjvLight* l = s->lights + i;
    printf("light %d %d %d", l->type, l->headlight, l->castshadow);
    floats("", l->pos, 3), floats(" dir", l->dir, 3), floats(" ambient", l->ambient, 3);
    floats(" diffuse", l->diffuse, 3), floats(" specular", l->specular, 3),
        floats(" attenuation", l->attenuation, 3);
  }
}

int main(void) {
  char error[1000] = "";
  mju_user_error = refuse, mju_user_warning = say;
  mjSpec* spec = mj_parseXMLString(kScene, NULL, error, sizeof error);
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (!m) return printf("%s\n", error), 1;
  mj_deleteSpec(spec);
  mjData* d = mj_makeData(m);
  d->qvel[0] = 0.3, d->ctrl[0] = 0.5;
  for (int i = 0; i < 5; i++) mj_step(m, d);
  mj_forward(m, d);

  mjvCamera cam;
  mjvOption opt;
  mjvPerturb pert;
  mjvScene scn;
  mjvFigure fig;
  mjv_defaultCamera(&cam), mjv_defaultOption(&opt), mjv_defaultPerturb(&pert),
      mjv_defaultScene(&scn);
  memset(&fig, 7, sizeof fig);
  mjv_defaultFigure(&fig);
  printf("figure %d %d %d %d %s %s %s", fig.flg_legend, fig.flg_ticklabel[0], fig.flg_extend,
         fig.flg_barplot, fig.xformat, fig.yformat, fig.minwidth);
  floats(" ", &fig.linewidth, 2), floats(" grid", fig.gridrgb, 3),
      floats(" rgba", fig.figurergba, 4);
  floats(" pane", fig.panergba, 4), floats(" text", fig.textrgb, 3),
      floats(" range", &fig.range[0][0], 4);
  for (int i = 0; i < mjMAXLINE; i += 9) floats(" line", fig.linergb[i], 3);
  mjv_makeScene(m, &scn, 2000);
  printf("made %d %d\n", scn.maxgeom, scn.ngeom);

  // cameras of every kind
  const int kinds[][2] = {{mjCAMERA_FREE, -1}, {mjCAMERA_TRACKING, -1}, {mjCAMERA_FIXED, 0},
                          {mjCAMERA_FIXED, 1}, {mjCAMERA_FIXED, 2},     {mjCAMERA_FIXED, 3},
                          {mjCAMERA_USER, -1}};
  for (int k = 0; k < 7; k++) {
    cam.type = kinds[k][0], cam.fixedcamid = kinds[k][1], cam.trackbodyid = 2, cam.azimuth = 30 + k,
    cam.distance = 2.5;
    if (k == 6) scn.camera[0].frustum_near = .02f;
    mjv_updateScene(m, d, &opt, &pert, &cam, mjCAT_ALL, &scn);
    print_scene(&scn, "camera");
    mjtNum head[3], forward[3], up[3];
    mjv_cameraInModel(head, forward, up, &scn);
    numbers("model", head, 3), numbers("forward", forward, 3), numbers("up", up, 3);
    mjv_cameraInRoom(head, forward, up, &scn);
    numbers("room", head, 3), numbers("forward", forward, 3), numbers("up", up, 3);
    printf("frustum %.5f\n", mjv_frustumHeight(&scn));
    mjtNum aligned[3], vec[3] = {1, 2, 3};
    mjv_alignToCamera(aligned, vec, forward);
    numbers("aligned", aligned, 3);
    for (int x = 0; x < 5; x++) {
      for (int y = 0; y < 5; y++) {
        mjtNum point[3] = {9, 9, 9};
        int ids[3] = {-7, -7, -7};
        int body = mjv_select(m, d, &opt, 1.5, .1 + .2 * x, .1 + .2 * y, &scn, point, ids, ids + 1,
                              ids + 2);
        printf("select %d %d %d %d", body, ids[0], ids[1], ids[2]);
        numbers("", point, 3);
      }
    }
    for (int action = 0; action <= mjMOUSE_SELECT; action++) {
      mjvCamera moved = cam;
      TRY(mjv_moveCamera(m, action, .1, -.2, &scn, &moved));
      numbers("moved", moved.lookat, 3);
      printf("%.5f %.5f %.5f\n", moved.distance, moved.azimuth, moved.elevation);
      mjvPerturb p = pert;
      p.select = 2, p.localpos[0] = .05, p.active = mjPERT_TRANSLATE | mjPERT_ROTATE;
      mjv_initPerturb(m, d, &scn, &p);
      numbers("start", p.refpos, 3), numbers("quat", p.refquat, 4), numbers("self", p.refselpos, 3);
      printf("%.5f %.5f\n", p.localmass, p.scale);
      TRY(mjv_movePerturb(m, d, action, .1, -.2, &scn, &p));
      numbers("perturbed", p.refpos, 3), numbers("quat", p.refquat, 4),
          numbers("self", p.refselpos, 3);
      mju_zero(d->xfrc_applied, 6 * m->nbody);
      mjv_applyPerturbForce(m, d, &p);
      numbers("force", d->xfrc_applied, 6 * m->nbody);
      mju_zero(d->xfrc_applied, 6 * m->nbody);
      mjvScene place = scn;
      place.enabletransform = 1, place.rotate[1] = .3f;
      TRY(mjv_moveModel(m, action, .1, -.2, vec, &place));
      floats("translate", place.translate, 3), floats("rotate", place.rotate, 4);
      printf("%.4f\n", place.scale);
    }
  }
  mjvGLCamera mean = mjv_averageCamera(&scn.camera[0], &scn.camera[1]);
  print_gl("mean", &mean);

  // poses of selected bodies, paused and not
  for (int body = 0; body < m->nbody; body++) {
    for (int paused = 0; paused < 2; paused++) {
      mjData* copy = mj_copyData(NULL, m, d);
      mjvPerturb p = pert;
      p.select = body, p.active = mjPERT_ROTATE | mjPERT_TRANSLATE;
      mjv_initPerturb(m, copy, &scn, &p);
      p.refpos[0] += .1;
      mjv_applyPerturbPose(m, copy, &p, paused);
      numbers("qpos", copy->qpos, m->nq), numbers("mocap", copy->mocap_pos, 3);
      mj_deleteData(copy);
    }
  }

  // rooms
  scn.enabletransform = 1, scn.scale = 1, scn.translate[0] = 1, scn.rotate[1] = .6f,
  scn.rotate[0] = .8f;
  mjtNum pos[3] = {1, 2, 3}, quat[4] = {.6, 0, .8, 0}, to[3], turn[4];
  mjv_room2model(to, turn, pos, quat, &scn), numbers("model", to, 3), numbers("quat", turn, 4);
  mjv_model2room(to, turn, pos, quat, &scn), numbers("room", to, 3), numbers("quat", turn, 4);
  scn.enabletransform = 0;

  // geoms made by hand
  mjvGeom g;
  const float rgba[4] = {.1f, .2f, .3f, .4f};
  const mjtNum mat[9] = {0, 1, 0, -1, 0, 0, 0, 0, 1}, size[3] = {.1, .2, .3}, from[3] = {1, 0, 0},
               at[3] = {0, 1, 1};
  const int types[] = {mjGEOM_PLANE,     mjGEOM_HFIELD,   mjGEOM_SPHERE, mjGEOM_CAPSULE,
                       mjGEOM_ELLIPSOID, mjGEOM_CYLINDER, mjGEOM_BOX,    mjGEOM_MESH,
                       mjGEOM_ARROW,     mjGEOM_ARROW1,   mjGEOM_ARROW2, mjGEOM_LINE,
                       mjGEOM_LINEBOX,   mjGEOM_TRIANGLE, mjGEOM_LABEL,  mjGEOM_NONE};
  for (int i = 0; i < (int)(sizeof types / sizeof *types); i++) {
    memset(&g, 0, sizeof g), mjv_initGeom(&g, types[i], size, from, mat, rgba), print_geom(&g);
    memset(&g, 0, sizeof g), mjv_initGeom(&g, types[i], NULL, NULL, NULL, NULL), print_geom(&g);
  }
  const int connectors[] = {mjGEOM_CAPSULE, mjGEOM_CYLINDER, mjGEOM_ARROW,
                            mjGEOM_ARROW1,  mjGEOM_ARROW2,   mjGEOM_LINE};
  for (int i = 0; i < 6; i++) {
    mjv_initGeom(&g, mjGEOM_SPHERE, size, from, mat, rgba),
        mjv_connector(&g, connectors[i], .02, from, at), print_geom(&g);
    mjv_connector(&g, connectors[i], .02, from, from), print_geom(&g);
  }

  // every flag, label, frame and group
  cam.type = mjCAMERA_FREE;
  pert.select = 2, pert.active = 3;
  for (int i = 0; i < mjNVISFLAG + mjNLABEL + mjNFRAME + 3 * mjNGROUP; i++) {
    mjvOption o = opt;
    int k = i;
    if (k < mjNVISFLAG)
      o.flags[k] ^= 1;
    else if ((k -= mjNVISFLAG) < mjNLABEL)
      o.label = k;
    else if ((k -= mjNLABEL) < mjNFRAME)
      o.frame = k == mjFRAME_CAMERA ? 0 : k;
    else if ((k -= mjNFRAME) < mjNGROUP)
      o.geomgroup[k] ^= 1;
    else if ((k -= mjNGROUP) < mjNGROUP)
      o.sitegroup[k] ^= 1;
    else
      o.jointgroup[k - mjNGROUP] ^= 1;
    if (i == mjVIS_MESHBVH) continue;
    mjv_updateScene(m, d, &o, &pert, &cam, mjCAT_ALL, &scn);
    print_scene(&scn, "flag");
    for (int n = 0; n < scn.ngeom; n++) print_geom(scn.geoms + n);
  }
  scn.ngeom = 0;
  mjv_addGeoms(m, d, &opt, &pert, mjCAT_STATIC, &scn), printf("static %d\n", scn.ngeom);
  mjv_addGeoms(m, d, &opt, NULL, mjCAT_DYNAMIC, &scn), printf("dynamic %d\n", scn.ngeom);
  scn.nlight = 0;
  mjv_makeLights(m, d, &scn), printf("lights %d\n", scn.nlight);
  mjv_updateScene(m, d, &opt, NULL, &cam, 0, &scn), printf("none %d\n", scn.ngeom);
  mjv_freeScene(&scn), printf("freed %d\n", scn.maxgeom);
  mjv_makeScene(m, &scn, 3);
  mjv_updateScene(m, d, &opt, NULL, &cam, mjCAT_ALL, &scn);
  printf("full %d %d\n", scn.ngeom, d->warning[mjWARN_VGEOMFULL].number);
  mjv_freeScene(&scn);
  mj_deleteData(d), mj_deleteModel(m);
  return 0;
}
