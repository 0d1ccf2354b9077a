// Scenes: allocated for a model, filled from its data by a list of passes, freed. Arrays of flexes
// and skins are allocated once, for the largest they can become; lights follow the model's, after
// the headlight.
#include "view/decor.h"

void mjv_defaultScene(mjvScene* scn) {
  memset(scn, 0, sizeof *scn);
  for (int i = 0; i < mjNRNDFLAG; i++) scn->flags[i] = mjRNDSTRING[i][1][0] == '1';
  scn->rotate[0] = 1;
  scn->scale = 1;
}

static void* scene_array(size_t count, size_t size, bool* ok) {
  if (!count || !*ok) return NULL;
  void* block = memory_alloc_zero(count * size);
  if (!block) *ok = false;
  return block;
}

// Upper bound on the faces of a flex: both sides of triangles and their border, or the faces of
// tetrahedra.
static int flex_faces(const mjModel* m, int f) {
  switch (m->flex_dim[f]) {
    case 2:
      return 2 * m->flex_elemnum[f] + 2 * m->flex_shellnum[f];
    case 3: {
      // four faces per element of the fullest layer, or the shell if that is more
      int most = 0, layers = 0, first = m->flex_elemadr[f];
      for (int e = 0; e < m->flex_elemnum[f]; e++) {
        if (m->flex_elemlayer[first + e] >= layers) layers = m->flex_elemlayer[first + e] + 1;
      }
      for (int layer = 0; layer < layers; layer++) {
        int count = 0;
        for (int e = 0; e < m->flex_elemnum[f]; e++) {
          count += m->flex_elemlayer[first + e] == layer;
        }
        if (count > most) most = count;
      }
      return 4 * most > m->flex_shellnum[f] ? 4 * most : m->flex_shellnum[f];
    }
    default:
      return 0;
  }
}

static void scene_make_flexes(const mjModel* m, mjvScene* scn, bool* ok) {
  size_t n = (size_t)m->nflex, faces = 0;
  scn->nflex = m->nflex;
  scn->flexedgeadr = scene_array(n, sizeof(int), ok);
  scn->flexedgenum = scene_array(n, sizeof(int), ok);
  scn->flexvertadr = scene_array(n, sizeof(int), ok);
  scn->flexvertnum = scene_array(n, sizeof(int), ok);
  scn->flexfaceadr = scene_array(n, sizeof(int), ok);
  scn->flexfacenum = scene_array(n, sizeof(int), ok);
  scn->flexfaceused = scene_array(n, sizeof(int), ok);
  scn->flexedge = scene_array(2 * (size_t)m->nflexedge, sizeof(int), ok);
  scn->flexvert = scene_array(3 * (size_t)m->nflexvert, sizeof(float), ok);
  for (int f = 0; *ok && f < m->nflex; f++) {
    scn->flexedgeadr[f] = m->flex_edgeadr[f];
    scn->flexedgenum[f] = m->flex_edgenum[f];
    scn->flexvertadr[f] = m->flex_vertadr[f];
    scn->flexvertnum[f] = m->flex_vertnum[f];
    scn->flexfaceadr[f] = m->flex_dim[f] > 1 ? (int)faces : -1;
    scn->flexfacenum[f] = flex_faces(m, f);
    faces += (size_t)scn->flexfacenum[f];
  }
  scn->flexface = scene_array(9 * faces, sizeof(float), ok);
  scn->flexnormal = scene_array(9 * faces, sizeof(float), ok);
  scn->flextexcoord = scene_array(6 * faces, sizeof(float), ok);
  if (*ok && m->nflexedge) {
    memcpy(scn->flexedge, m->flex_edge, 2 * (size_t)m->nflexedge * sizeof(int));
  }
}

static void scene_make_skins(const mjModel* m, mjvScene* scn, bool* ok) {
  size_t n = (size_t)m->nskin;
  scn->nskin = m->nskin;
  scn->skinfacenum = scene_array(n, sizeof(int), ok);
  scn->skinvertadr = scene_array(n, sizeof(int), ok);
  scn->skinvertnum = scene_array(n, sizeof(int), ok);
  scn->skinvert = scene_array(3 * (size_t)m->nskinvert, sizeof(float), ok);
  scn->skinnormal = scene_array(3 * (size_t)m->nskinvert, sizeof(float), ok);
  for (int i = 0; *ok && i < m->nskin; i++) {
    scn->skinfacenum[i] = m->skin_facenum[i];
    scn->skinvertadr[i] = m->skin_vertadr[i];
    scn->skinvertnum[i] = m->skin_vertnum[i];
  }
}

void mjv_makeScene(const mjModel* m, mjvScene* scn, int maxgeom) {
  bool ok = true;
  mjv_freeScene(scn);
  scn->maxgeom = maxgeom;
  if (maxgeom > 0) {
    scn->geoms = scene_array((size_t)maxgeom, sizeof(mjvGeom), &ok);
    scn->geomorder = scene_array((size_t)maxgeom, sizeof(int), &ok);
  }
  if (m) {
    scene_make_flexes(m, scn, &ok);
    scene_make_skins(m, scn, &ok);
  }
  if (!ok) {
    mjv_freeScene(scn);
    mju_error("mjv_makeScene: no memory for a scene of %d geoms", maxgeom);
  }
}

void mjv_freeScene(mjvScene* scn) {
  void* blocks[] = {scn->geoms,        scn->geomorder,    scn->flexedgeadr, scn->flexedgenum,
                    scn->flexvertadr,  scn->flexvertnum,  scn->flexfaceadr, scn->flexfacenum,
                    scn->flexfaceused, scn->flexedge,     scn->flexvert,    scn->flexface,
                    scn->flexnormal,   scn->flextexcoord, scn->skinfacenum, scn->skinvertadr,
                    scn->skinvertnum,  scn->skinvert,     scn->skinnormal};
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) memory_free(blocks[i]);
  mjv_defaultScene(scn);
}

// ---- lights

static mjvLight* light_begin(mjvScene* scn) {
  if (scn->nlight >= mjMAXLIGHT) return NULL;
  mjvLight* light = &scn->lights[scn->nlight];
  memset(light, 0, sizeof *light);
  light->texid = -1;
  return light;
}

void mjv_makeLights(const mjModel* m, const mjData* d, mjvScene* scn) {
  mjvLight* light;
  scn->nlight = 0;
  if (m->vis.headlight.active && (light = light_begin(scn))) {
    double pos[3], forward[3], up[3];
    view_head(pos, forward, up, scn);
    view_store(light->pos, pos, 3);
    view_store(light->dir, forward, 3);
    memcpy(light->ambient, m->vis.headlight.ambient, sizeof light->ambient);
    memcpy(light->diffuse, m->vis.headlight.diffuse, sizeof light->diffuse);
    memcpy(light->specular, m->vis.headlight.specular, sizeof light->specular);
    light->headlight = 1;
    light->type = mjLIGHT_DIRECTIONAL;
    light->bulbradius = 0.02f;
    light->range = 10;
    scn->nlight++;
  }
  for (int i = 0; i < m->nlight; i++) {
    if (!m->light_active[i]) continue;
    if (!(light = light_begin(scn))) return;
    view_store(light->pos, d->light_xpos + 3 * i, 3);
    view_store(light->dir, d->light_xdir + 3 * i, 3);
    light->type = m->light_type[i];
    light->texid = m->light_texid[i];
    if (light->type !=
        mjLIGHT_DIRECTIONAL) {  // directional light has neither attenuation nor cutoff
      memcpy(light->attenuation, m->light_attenuation + 3 * i, sizeof light->attenuation);
      light->cutoff = m->light_cutoff[i];
      light->exponent = m->light_exponent[i];
    }
    memcpy(light->ambient, m->light_ambient + 3 * i, sizeof light->ambient);
    memcpy(light->diffuse, m->light_diffuse + 3 * i, sizeof light->diffuse);
    memcpy(light->specular, m->light_specular + 3 * i, sizeof light->specular);
    light->castshadow = m->light_castshadow[i];
    light->bulbradius = m->light_bulbradius[i];
    light->intensity = m->light_intensity[i];
    light->range = m->light_range[i];
    scn->nlight++;
  }
}

void mjv_updateScene(const mjModel* m, mjData* d, const mjvOption* opt, const mjvPerturb* pert,
                     mjvCamera* cam, int catmask, mjvScene* scn) {
  scn->ngeom = 0;
  // plugins first: some recolor geoms of the model, others add geoms
  for (int i = 0; i < m->nplugin; i++) {
    const mjpPlugin* plugin = mjp_getPluginAtSlot(m->plugin[i]);
    if (plugin && plugin->visualize) plugin->visualize(m, d, opt, scn, i);
  }
  mjv_addGeoms(m, d, opt, pert, catmask, scn);
  mjv_updateCamera(m, d, cam, scn);
  mjv_makeLights(m, d, scn);
  if (opt->flags[mjVIS_SKIN]) mjv_updateSkin(m, d, scn);
}
