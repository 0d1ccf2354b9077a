// Pictures of models, drawn with the documented renderer: cameras, framing, light and sky.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "picture.h"
#include "sinew.h"

enum { LARGEST = 16384 };

bool picture_make(Picture* p, int width, int height) {
  *p = (Picture){width, height, malloc(3 * (size_t)width * (size_t)height)};
  if (!p->rgb) fprintf(stderr, "sinew: no memory for a picture of %d x %d\n", width, height);
  return p->rgb;
}

void picture_free(Picture* p) {
  free(p->rgb);
  p->rgb = NULL;
}

bool picture_save(const Picture* p, const char* path) {
  char error[1000] = "no memory";
  snFilm* film = sn_makeFilm(p->width, p->height, 1);
  bool ok = film && sn_addPicture(film, p->rgb) && sn_saveFilm(film, path, error, sizeof error);
  sn_freeFilm(film);
  if (!ok) fprintf(stderr, "sinew: %s\n", error);
  return ok;
}

bool size_read(const char* command, const char* text, int* width, int* height) {
  char x, rest;
  int n = sscanf(text, "%d%c%d%c", width, &x, height, &rest);
  if (n == 3 && (x == 'x' || x == 'X') && *width > 0 && *height > 0 && *width <= LARGEST &&
      *height <= LARGEST) {
    return true;
  }
  wrong_usage(command, "--size '%s', expected WIDTHxHEIGHT, each from 1 to %d", text, LARGEST);
  return false;
}

// ---- cameras

static int camera_find(const char* command, const mjModel* m, const char* text) {
  int id = mj_name2id(m, mjOBJ_CAMERA, text);
  if (id >= 0) return id;
  char* end;
  long number = strtol(text, &end, 10);
  if (end != text && !*end && number >= 0 && number < m->ncam) return (int)number;
  fprintf(stderr, "sinew %s: the model has no camera '%s'", command, text);
  for (int i = 0; i < m->ncam; i++) {
    const char* name = mj_id2name(m, mjOBJ_CAMERA, i);
    fprintf(stderr, i ? ", %d" : "; it has %d", i);
    if (name && name[0]) fprintf(stderr, " '%s'", name);
  }
  fprintf(stderr, m->ncam ? "\n" : ", and none at all\n");
  return -1;
}

// The body to follow: in a model with one free body that carries everything that moves.
static int camera_follow(const mjModel* m) {
  int found = -1;
  for (int b = 1; b < m->nbody; b++) {
    bool moves = m->body_jntnum[b] > 0 && m->body_rootid[b] == b;
    if (m->body_rootid[b] != b || !m->body_dofnum[b]) continue;
    if (found >= 0 || !moves || m->jnt_type[m->body_jntadr[b]] != mjJNT_FREE) return -1;
    found = b;
  }
  return found;
}

static bool camera_set(Studio* s, const char* command, const char* text) {
  mjv_defaultFreeCamera(s->m, &s->camera);
  if (text) {
    int id = camera_find(command, s->m, text);
    if (id < 0) return false;
    s->camera.type = mjCAMERA_FIXED;
    s->camera.fixedcamid = id;
    return true;
  }
  if (s->m->vis.global.azimuth == 90 && s->m->vis.global.elevation == -45) {
    s->camera.azimuth = 130;  // default view: from the side, slightly from above
    s->camera.elevation = -22;
  }
  int body = camera_follow(s->m);
  if (body >= 0) {
    s->camera.type = mjCAMERA_TRACKING;
    s->camera.trackbodyid = body;
    s->camera.fixedcamid = -1;
  }
  return true;
}

// ---- drawing

bool studio_open(Studio* s, const char* command, const mjModel* m, const char* camera, int width,
                 int height) {
  memset(s, 0, sizeof *s);
  s->m = m;
  s->width = width;
  s->height = height;
  if (!camera_set(s, command, camera)) return false;
  mjv_defaultOption(&s->option);
  mjv_defaultScene(&s->scene);
  mjr_defaultContext(&s->context);
  mjv_makeScene(m, &s->scene, 10000);
  int scale = width * height > 1000 * 1000 ? mjFONTSCALE_150 : mjFONTSCALE_100;
  mjr_makeContext(m, &s->context, scale);
  mjr_resizeOffscreen(width, height, &s->context);
  mjr_setBuffer(mjFB_OFFSCREEN, &s->context);
  return true;
}

void studio_close(Studio* s) {
  if (!s->m) return;
  mjr_freeContext(&s->context);
  mjv_freeScene(&s->scene);
}

// Depth images from white (nearest) to black (farthest), by distance in meters up to the farthest
// object. The sky is black.
static void show_depth(const Studio* s, mjrRect part) {
  size_t pixels = (size_t)part.width * (size_t)part.height;
  float* depth = malloc(pixels * sizeof(float));
  unsigned char* rgb = malloc(3 * pixels);
  if (depth && rgb) {
    double n = s->scene.camera[0].frustum_near, f = s->scene.camera[0].frustum_far;
    mjr_readPixels(NULL, depth, part, &s->context);
    float near = 1e30f, far = 0;
    for (size_t i = 0; i < pixels; i++) {
      // depth buffer (0 near, 1 far) to meters
      bool sky = depth[i] >= 1;
      depth[i] = sky ? 0
                     : (float)(s->scene.camera[0].orthographic ? n + depth[i] * (f - n)
                                                               : n / (1 - depth[i] * (1 - n / f)));
      if (!sky && depth[i] < near) near = depth[i];
      if (!sky && depth[i] > far) far = depth[i];
    }
    for (size_t i = 0; i < pixels; i++) {
      // inverse depth resolves what is close: the far plane is often kilometers away
      float t = depth[i] > 0 && far > near ? (1 / depth[i] - 1 / far) / (1 / near - 1 / far) : 0;
      memset(rgb + 3 * i, depth[i] > 0 ? (int)(40 + 215 * t) : 0, 3);
    }
    mjr_drawPixels(rgb, NULL, part, &s->context);
  }
  free(depth);
  free(rgb);
}

// Is a geom a subject of the picture: visible, not a plane, a height field only if there is nothing
// else; with `root`, of that tree only?
static bool is_subject(const Studio* s, int geom, int root, bool fields) {
  const mjModel* m = s->m;
  int group = m->geom_group[geom];
  bool shown = group < 0 || group >= mjNGROUP || s->option.geomgroup[group];
  return shown && m->geom_rgba[4 * geom + 3] > 0 && m->geom_rbound[geom] > 0 &&
         (m->geom_type[geom] == mjGEOM_HFIELD) == fields &&
         (root < 0 || m->body_rootid[m->geom_bodyid[geom]] == root);
}

// The center of the box around all subjects and flex vertices. False when there are none.
static bool subject_centre(const Studio* s, const mjData* d, int root, bool fields,
                           double centre[3]) {
  double low[3] = {1e30, 1e30, 1e30}, high[3] = {-1e30, -1e30, -1e30};
  int points = s->m->ngeom + (root < 0 && !fields ? s->m->nflexvert : 0);
  for (int i = 0; i < points; i++) {
    bool geom = i < s->m->ngeom;
    if (geom && !is_subject(s, i, root, fields)) continue;
    const double* pos = geom ? d->geom_xpos + 3 * i : d->flexvert_xpos + 3 * (i - s->m->ngeom);
    double radius = geom ? s->m->geom_rbound[i] : 0;
    for (int k = 0; k < 3 && isfinite(pos[0] + pos[1] + pos[2]); k++) {
      low[k] = fmin(low[k], pos[k] - radius);
      high[k] = fmax(high[k], pos[k] + radius);
    }
  }
  for (int k = 0; k < 3; k++) centre[k] = 0.5 * (low[k] + high[k]);
  return low[0] < high[0];
}

// Distance from the center at which a camera sees a whole sphere of radius r, at z towards the
// camera and h beside the axis, with half the field of view a: z + (h cos a + r) / sin a.
static double sphere_distance(const double pos[3], double radius, const double axis[3][3],
                              const double half[2]) {
  double distance = 0;
  for (int k = 0; k < 2; k++) {
    double aside = fabs(mju_dot3(pos, axis[k]));
    distance = fmax(distance, (aside * cos(half[k]) + radius) / sin(half[k]));
  }
  return distance - mju_dot3(pos, axis[2]);
}

// Moves the free camera as close as shows everything, with a margin for motion.
static void camera_fit(Studio* s, const mjData* d, mjrRect part) {
  const mjModel* m = s->m;
  bool follows = s->camera.type == mjCAMERA_TRACKING, fields = false;
  int root = follows ? s->camera.trackbodyid : -1;
  double centre[3], axis[3][3], distance = 0;
  s->fitted = true;
  if (!subject_centre(s, d, root, false, centre)) {
    fields = true;
    if (!subject_centre(s, d, root, true, centre)) return;
  }
  if (follows) mju_copy3(centre, d->subtree_com + 3 * root);
  double a = s->camera.azimuth * mjPI / 180, e = s->camera.elevation * mjPI / 180;
  const double forward[3] = {cos(e) * cos(a), cos(e) * sin(a), sin(e)};
  const double right[3] = {sin(a), -cos(a), 0};
  mju_copy3(axis[0], right);
  mju_cross(axis[1], right, forward);
  mju_copy3(axis[2], forward);
  double half[2], fovy = fmin(fmax(m->vis.global.fovy, 1), 120) * mjPI / 360;
  half[1] = fovy;
  half[0] = atan(tan(fovy) * part.width / part.height);
  int points = m->ngeom + (root < 0 && !fields ? m->nflexvert : 0);
  for (int i = 0; i < points; i++) {
    bool geom = i < m->ngeom;
    if (geom && !is_subject(s, i, root, fields)) continue;
    const double* at = geom ? d->geom_xpos + 3 * i : d->flexvert_xpos + 3 * (i - m->ngeom);
    double pos[3];
    mju_sub3(pos, at, centre);
    double wanted = sphere_distance(pos, geom ? m->geom_rbound[i] : 0, axis, half);
    if (isfinite(wanted)) distance = fmax(distance, wanted);
  }
  if (!(distance > 0)) return;
  // a figure that is followed moves its limbs: larger margin
  distance *= follows ? 1.25 : 1.1;
  if (!follows || distance < s->camera.distance) s->camera.distance = distance;
  mju_copy3(s->camera.lookat, centre);
}

// ---- default light and sky

static bool has_sky(const mjModel* m) {
  for (int i = 0; i < m->ntex; i++) {
    if (m->tex_type[i] == mjTEXTURE_SKYBOX) return true;
  }
  return false;
}

// Light from the camera, and from above and the side, with shadows, which show edges by shading.
static void light_studio(Studio* s) {
  if (s->m->nlight || s->scene.nlight >= mjMAXLIGHT) return;
  static const float direction[3] = {-0.35f, 0.45f, -0.82f};
  const double* centre = s->m->stat.center;
  mjvLight* head = s->scene.nlight ? &s->scene.lights[0] : NULL;
  mjvLight* lamp = &s->scene.lights[s->scene.nlight++];
  memset(lamp, 0, sizeof *lamp);
  lamp->type = mjLIGHT_DIRECTIONAL;
  lamp->castshadow = 1;
  lamp->attenuation[0] = 1;
  for (int k = 0; k < 3; k++) {
    lamp->dir[k] = direction[k];
    lamp->pos[k] = (float)(centre[k] - 2 * s->m->stat.extent * (double)direction[k]);
    lamp->diffuse[k] = 0.55f;
    lamp->specular[k] = 0.15f;
    if (!head) continue;
    head->ambient[k] = fmaxf(head->ambient[k], 0.25f);
    head->specular[k] = fminf(head->specular[k], 0.2f);
  }
}

// Background: light gray above to darker gray below.
static void fill_sky(const Studio* s, mjrRect part) {
  size_t pixels = (size_t)part.width * (size_t)part.height;
  float* depth = malloc(pixels * sizeof(float));
  unsigned char* rgb = malloc(3 * pixels);
  if (depth && rgb) {
    mjr_readPixels(rgb, depth, part, &s->context);
    for (size_t i = 0; i < pixels; i++) {
      if (depth[i] < 1) continue;
      double t = (double)(i / (size_t)part.width) / part.height;
      for (int k = 0; k < 3; k++) {
        double sky = 105 + 95 * t + 6 * k, there = rgb[3 * i + (size_t)k];
        rgb[3 * i + (size_t)k] = (unsigned char)(there > sky ? there : sky);
      }
    }
    mjr_drawPixels(rgb, NULL, part, &s->context);
  }
  free(depth);
  free(rgb);
}

void studio_draw(Studio* s, const mjData* d, mjrRect part, const char* caption) {
  if (s->camera.type != mjCAMERA_FIXED && !s->fitted) camera_fit(s, d, part);
  if (s->camera.type == mjCAMERA_TRACKING) {
    mju_copy3(s->camera.lookat, d->subtree_com + 3 * s->camera.trackbodyid);
  }
  mjv_updateScene(s->m, (mjData*)d, &s->option, NULL, &s->camera, mjCAT_ALL, &s->scene);
  s->scene.flags[mjRND_SEGMENT] = s->show == SHOW_OBJECTS;
  if (!s->plain) light_studio(s);
  mjr_render(part, &s->scene, &s->context);
  if (s->show == SHOW_COLOURS && !s->plain && !has_sky(s->m)) fill_sky(s, part);
  if (s->show == SHOW_DEPTH) show_depth(s, part);
  if (caption && caption[0]) {
    mjr_overlay(mjFONT_NORMAL, mjGRID_BOTTOMLEFT, part, caption, NULL, &s->context);
  }
}

void studio_read(const Studio* s, Picture* p) {
  mjr_readPixels(p->rgb, NULL, (mjrRect){0, 0, s->width, s->height}, &s->context);
  size_t row = 3 * (size_t)s->width;
  for (int y = 0; y < s->height / 2; y++) {  // flip: top row first
    unsigned char *a = p->rgb + (size_t)y * row, *b = p->rgb + (size_t)(s->height - 1 - y) * row;
    for (size_t i = 0; i < row; i++) {
      unsigned char t = a[i];
      a[i] = b[i];
      b[i] = t;
    }
  }
}

mjrRect studio_part(const Studio* s, int i, int count, int columns) {
  int rows = (count + columns - 1) / columns, x = i % columns, y = rows - 1 - i / columns;
  int left = s->width * x / columns, right = s->width * (x + 1) / columns;
  int bottom = s->height * y / rows, top = s->height * (y + 1) / rows;
  return (mjrRect){left, bottom, right - left, top - bottom};
}
