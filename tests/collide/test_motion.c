// How contacts of curved shapes move (motion_curved.c), against contacts that are found to the last
// digits here: the direction along which the support points of both shapes are opposite, by
// Newton's method from the engine's normal, with the second shape moved by a hair.
#include "collide/collide.h"

#include "scene.h"

typedef struct snPosed_ {
  int type;
  const double* size;
  double pos[3], mat[9];
} snPosed;

static void support(const snPosed* s, const double* n, double sign, double* p) {
  double local[3], out[3] = {0};
  for (int k = 0; k < 3; k++) {
    local[k] = sign * (s->mat[k] * n[0] + s->mat[3 + k] * n[1] + s->mat[6 + k] * n[2]);
  }
  double across = sqrt(local[0] * local[0] + local[1] * local[1]), h = 0;
  for (int k = 0; k < 3; k++) h += s->size[k] * s->size[k] * local[k] * local[k];
  for (int k = 0; k < 3; k++) {
    double side = local[k] > 0 ? 1 : -1;
    if (s->type == mjGEOM_SPHERE) out[k] = s->size[0] * local[k];
    if (s->type == mjGEOM_CAPSULE) out[k] = s->size[0] * local[k] + (k == 2) * side * s->size[1];
    if (s->type == mjGEOM_ELLIPSOID) out[k] = s->size[k] * s->size[k] * local[k] / sqrt(h);
    if (s->type == mjGEOM_CYLINDER) {
      out[k] = k == 2 ? side * s->size[1] : s->size[0] * local[k] / across;
    }
    if (s->type == mjGEOM_BOX) out[k] = side * s->size[k];
  }
  mju_mulMatVec3(p, s->mat, out);
  mju_addTo3(p, s->pos);
}

// T (p2 - p1) in the two tangents.
static void opposite(const snPosed* a, const snPosed* b, const double* n, double e[2][3],
                     double* off) {
  double p1[3], p2[3], way[3];
  support(a, n, 1, p1);
  support(b, n, -1, p2);
  mju_sub3(way, p2, p1);
  for (int k = 0; k < 2; k++) off[k] = mju_dot3(way, e[k]);
}

static void turned(const double* n, double e[2][3], double x, double y, double* out) {
  for (int k = 0; k < 3; k++) out[k] = n[k] + x * e[0][k] + y * e[1][k];
  mju_normalize3(out);
}

// The contact, found from a normal nearby: normal, point, distance.
static void meet(const snPosed* a, const snPosed* b, const double* start, double out[7]) {
  double n[3] = {start[0], start[1], start[2]};
  for (int round = 0; round < 30; round++) {
    double e[2][3] = {{0}}, off[2], J[2][2], t[3], at[2];
    e[0][fabs(n[0]) < 0.7 ? 0 : 1] = 1;
    mju_addToScl3(e[0], n, -mju_dot3(e[0], n));
    mju_normalize3(e[0]);
    mju_cross(e[1], n, e[0]);
    opposite(a, b, n, e, off);
    const double h = 1e-5;
    for (int c = 0; c < 2; c++) {
      double plus[2], minus[2];
      turned(n, e, c ? 0 : h, c ? h : 0, t);
      opposite(a, b, t, e, plus);
      turned(n, e, c ? 0 : -h, c ? -h : 0, t);
      opposite(a, b, t, e, minus);
      for (int r = 0; r < 2; r++) J[r][c] = (plus[r] - minus[r]) / (2 * h);
    }
    // opposite points also turn with n: the gap times the turn
    double p1[3], p2[3], way[3];
    support(a, n, 1, p1);
    support(b, n, -1, p2);
    mju_sub3(way, p2, p1);
    double g = mju_dot3(way, n);
    J[0][0] -= g, J[1][1] -= g;
    double det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    at[0] = -(J[1][1] * off[0] - J[0][1] * off[1]) / det;
    at[1] = -(J[0][0] * off[1] - J[1][0] * off[0]) / det;
    turned(n, e, at[0], at[1], t);
    mju_copy3(n, t);
    if (hypot(at[0], at[1]) < 1e-15) break;
  }
  double p1[3], p2[3], way[3];
  support(a, n, 1, p1);
  support(b, n, -1, p2);
  mju_sub3(way, p2, p1);
  mju_copy3(out, n);
  for (int k = 0; k < 3; k++) out[3 + k] = 0.5 * (p1[k] + p2[k]);
  out[6] = mju_dot3(way, n);
}

static void move(snPosed* s, const double* about, int k, double step) {
  if (k >= 3) {
    s->pos[k - 3] += step;
    return;
  }
  double axis[3] = {k == 0, k == 1, k == 2}, quat[4], turn[9], r[3], mat[9];
  mju_axisAngle2Quat(quat, axis, step);
  mju_quat2Mat(turn, quat);
  mju_sub3(r, s->pos, about);
  mju_mulMatVec3(s->pos, turn, r);
  mju_addTo3(s->pos, about);
  mju_mulMatMat(mat, turn, s->mat, 3, 3, 3);
  memcpy(s->mat, mat, sizeof mat);
}

static const char* const shape[] = {"ellipsoid' size='.1 .07 .13", "cylinder' size='.08 .06",
                                    "sphere' size='.09", "capsule' size='.05 .07",
                                    "box' size='.06 .09 .05"};

// Two free bodies turned at random, and a direction for the second one.
static void turn(mjData* d, unsigned long long* seed, double way[3]) {
  for (int i = 0; i < 4; i++) {
    d->qpos[3 + i] = scene_random(seed);
    d->qpos[10 + i] = scene_random(seed);
  }
  mju_normalize4(d->qpos + 3);
  mju_normalize4(d->qpos + 10);
  for (int i = 0; i < 3; i++) way[i] = scene_random(seed) + (i == 2 ? 0.1 : 0);
  mju_normalize3(way);
}

// A pair in a random pose, a little apart or a little in each other. False when what touches is a
// face, an edge or a line.
static bool check(int first, int second, unsigned long long* seed, double deep) {
  char xml[1000];
  snprintf(xml, sizeof xml,
           "<mujoco><option ccd_tolerance='0' ccd_iterations='200'/><default><geom "
           "margin='.1'/></default><worldbody><body><freejoint/><geom type='%s'/></body><body>"
           "<freejoint/><geom type='%s'/></body></worldbody></mujoco>",
           shape[first], shape[second]);
  mjModel* m = scene_model(xml);
  mjData* d = mj_makeData(m);
  double way[3];
  turn(d, seed, way);
  for (double s = 0.4; s > 0; s -= 0.002) {
    mju_scl3(d->qpos + 7, way, s);
    mj_forward(m, d);
    if (d->ncon && d->contact[0].dist < deep) break;
  }
  bool good = d->ncon == 1;
  if (good) {
    const mjContact* con = d->contact;
    snContactMotion motion;
    snPosed s[2];
    for (int k = 0; k < 2; k++) {
      int g = con->geom[k];
      s[k] = (snPosed){.type = m->geom_type[g], .size = m->geom_size + 3 * g};
      mju_copy3(s[k].pos, d->geom_xpos + 3 * g);
      mju_copy(s[k].mat, d->geom_xmat + 9 * g, 9);
    }
    double at[7], off = 0;
    meet(s, s + 1, con->frame, at);
    for (int k = 0; k < 3; k++) off = fmax(off, fabs(at[3 + k] - con->pos[k]));
    good = off < 1e-4 && fabs(at[6] - con->dist) < 1e-5;
    int how = collide_motion(m, d, con, 1, &motion);
    for (int k = 0; good && k < 6; k++) {
      static const double step = 2e-5;
      double side[4][7], error = 0;
      for (int e = 0; e < 4; e++) {
        snPosed moved = s[1];
        move(&moved, con->pos, k, (e % 2 ? -1 : 1) * (e < 2 ? step : 0.5 * step));
        meet(s, &moved, at, side[e]);
      }
      for (int i = 0; i < 7; i++) {
        double wide = (side[0][i] - side[1][i]) / (2 * step);
        double expected = (4 * (side[2][i] - side[3][i]) / step - wide) / 3;
        double found = i < 3   ? motion.normal[6 * i + k]
                       : i < 6 ? motion.pos[6 * (i - 3) + k]
                               : motion.dist[k];
        error = fmax(error, fabs(found - expected));
      }
      if (how != COLLIDE_CLOSED)
        fail_msg("%s on %s: not in closed form", shape[first], shape[second]);
      // normals turn by up to a radian in the size of a shape
      if (!(error < 1e-6)) {
        fail_msg("%s on %s: direction %d off by %.1e", shape[first], shape[second], k, error);
      }
    }
  }
  mj_deleteData(d);
  mj_deleteModel(m);
  return good;
}

static void curved_contacts_move_as_their_geometry(void** state) {
  (void)state;
  unsigned long long seed = 5;
  for (int a = 0; a < 2; a++) {
    for (int b = a; b < 5; b++) {
      if (a == 1 && b == 4) continue;  // a rim and a corner meet by chance alone
      int good = 0;
      for (int k = 0; k < 40; k++) good += check(a, b, &seed, k % 2 ? 0.003 : -0.001);
      if (good < 5) fail_msg("%s on %s: %d of 40 compared", shape[a], shape[b], good);
    }
  }
}

// Boxes face on face within their margin have contacts at the whole distance; turned by a hair, at
// half of it. The jump is a switch and not a slope of 1e5.
static void jumps_are_switches(void** state) {
  (void)state;
  mjModel* m = scene_model(
      "<mujoco><worldbody>"
      "<geom type='box' size='.5 .625 .81' pos='-.002 .7379 .8084' margin='.001'/>"
      "<body pos='-.269 .35 1.676958' quat='1 0 -1.757479e-05 0'><freejoint/>"
      "<geom type='box' size='.122 .122 .058' margin='.001'/></body></worldbody></mujoco>");
  mjData* d = mj_makeData(m);
  mj_fwdPosition(m, d);
  assert_int_equal(d->ncon, 4);
  snContactMotion motion[4];
  assert_int_equal(collide_motion(m, d, d->contact, d->ncon, motion), COLLIDE_SWITCH);
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 6; k++) {
      // a turn about the point of the contact leaves the distance, a move changes it along z
      assert_true(fabs(motion[i].dist[k] - (k == 5)) < 1e-6);
    }
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Contacts of two shapes by the distance d, the point and the normal, with the second body moved.
static int found(const mjModel* m, mjData* d, const mjtNum* qpos, const double* about, int k,
                 double step, double out[][7]) {
  snPosed body = {0};
  mju_copy(d->qpos, qpos, m->nq);
  mju_copy3(body.pos, qpos + 7);
  mju_quat2Mat(body.mat, qpos + 10);
  if (step != 0) {
    move(&body, about, k, step);
    mju_copy3(d->qpos + 7, body.pos);
    mju_mat2Quat(d->qpos + 10, body.mat);
  }
  mj_fwdPosition(m, d);
  for (int i = 0; i < d->ncon && i < 8; i++) {
    mju_copy3(out[i], d->contact[i].frame);
    mju_copy3(out[i] + 3, d->contact[i].pos);
    out[i][6] = d->contact[i].dist;
  }
  return d->ncon;
}

// Counts directions in which all contacts move as differences of them do.
static void follow(const char* first, const char* second, double deep, unsigned long long* seed,
                   int* agreed, int* jumped) {
  char xml[1500];
  snprintf(xml, sizeof xml,
           "<mujoco><asset><mesh name='rock' vertex='.1 0 .02 -.08 .09 0 -.07 -.1 .01 0 .01 .13 "
           ".02 -.01 -.12 .05 .08 .06'/></asset><worldbody><body><freejoint/><geom type='%s'/>"
           "</body><body><freejoint/><geom type='%s'/></body></worldbody></mujoco>",
           first, second);
  mjModel* m = scene_model(xml);
  mjData* d = mj_makeData(m);
  double way[3];
  turn(d, seed, way);
  for (double s = 0.3; s > 0; s -= 0.0002) {
    mju_scl3(d->qpos + 7, way, s);
    mj_fwdPosition(m, d);
    if (d->ncon && d->contact[0].dist < deep) break;
  }
  int n = d->ncon;
  mjtNum qpos[14];
  mju_copy(qpos, d->qpos, 14);
  if (n && n <= 8) {
    snContactMotion motion[8];
    double about[8][3];
    int how = collide_motion(m, d, d->contact, n, motion);
    if (how == COLLIDE_DIFFERENCED) fail_msg("%s on %s: differenced", first, second);
    *jumped += how == COLLIDE_SWITCH;
    if (how == COLLIDE_SWITCH) n = 0;
    for (int i = 0; i < n; i++) mju_copy3(about[i], d->contact[i].pos);
    for (int i = 0; i < n; i++) {
      for (int k = 0; k < 6; k++) {
        // the shorter ones for searches that decide otherwise a hair away
        static const double step[3] = {1e-9, 3e-8, 4e-7};
        double side[2][8][7], error = 0, jump = 0, here[8][7];
        bool same = found(m, d, qpos, about[i], k, 0, here) == n;
        for (int h = 0; h < 3; h++) {
          for (int e = 0; e < 2; e++) {
            same &= found(m, d, qpos, about[i], k, e ? step[h] : -step[h], side[e]) == n;
          }
          for (int c = 0; same && c < 7; c++) {
            double slope = (side[1][i][c] - side[0][i][c]) / (2 * step[h]);
            double by = c < 3   ? motion[i].normal[6 * c + k]
                        : c < 6 ? motion[i].pos[6 * (c - 3) + k]
                                : motion[i].dist[k];
            jump = fmax(jump, fabs(side[1][i][c] - 2 * here[i][c] + side[0][i][c]) / step[h]);
            if (h == 2) error = fmax(error, fabs(slope - by) / fmax(1, fabs(slope)));
          }
        }
        bool switches = !same || jump > 1e-2;
        *jumped += switches;
        *agreed += !switches;
        if (!switches && error > 1e-5) {
          fail_msg("%s on %s: contact %d, direction %d off by %.1e", first, second, i, k, error);
        }
      }
    }
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}

// Boxes that touch along a cross product of edges, small spheres and thin capsules in front of a
// hull, whose search stops at a simplex that is no feature: the contact that was found moves with
// the corners that hold it.
static void contacts_move_with_what_holds_them(void** state) {
  (void)state;
  static const char* const pair[][2] = {{"box' size='.06 .09 .05", "box' size='.08 .04 .07"},
                                        {"box' size='.011 .004 .009", "box' size='.015 .015 .015"},
                                        {"sphere' size='.0006", "mesh' mesh='rock"},
                                        {"sphere' size='.05", "mesh' mesh='rock"},
                                        {"capsule' size='.004 .06", "mesh' mesh='rock"}};
  unsigned long long seed = 11;
  for (int p = 0; p < 5; p++) {
    int agreed = 0, jumped = 0;
    for (int k = 0; k < 60; k++) {
      follow(pair[p][0], pair[p][1], p == 2 ? 0 : -0.003, &seed, &agreed, &jumped);
    }
    // a core that sinks in has no direction
    if (agreed < (p == 2 ? 40 : 200) || (p != 2 && jumped > 0.05 * agreed)) {
      fail_msg("%s on %s: %d agree, %d jump", pair[p][0], pair[p][1], agreed, jumped);
    }
  }
}

// A search that stops within its tolerance of the exact contact of curved shapes: what it found is
// differentiated, in closed form.
static void searches_are_differentiated(void** state) {
  (void)state;
  static const char* const pair[][2] = {
      {"ellipsoid' size='.06 .09 .05", "box' size='.08 .04 .07"},
      {"ellipsoid' size='.06 .09 .05", "mesh' mesh='rock"},
      {"ellipsoid' size='.06 .09 .05", "ellipsoid' size='.03 .05 .1"},
      {"ellipsoid' size='.06 .09 .05", "cylinder' size='.05 .1"},
      {"cylinder' size='.05 .1", "box' size='.08 .04 .07"},
      {"cylinder' size='.05 .1", "mesh' mesh='rock"},
      {"cylinder' size='.05 .1", "cylinder' size='.08 .04"},
      {"box' size='.08 .04 .07", "mesh' mesh='rock"},
      {"mesh' mesh='rock", "mesh' mesh='rock"}};
  unsigned long long seed = 12;
  for (size_t p = 0; p < sizeof pair / sizeof *pair; p++) {
    int agreed = 0, jumped = 0;
    for (int k = 0; k < 60; k++) {
      follow(pair[p][0], pair[p][1], -0.003, &seed, &agreed, &jumped);
    }
    if (agreed < 250)
      fail_msg("%s on %s: %d agree, %d jump", pair[p][0], pair[p][1], agreed, jumped);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(curved_contacts_move_as_their_geometry),
                                     cmocka_unit_test(jumps_are_switches),
                                     cmocka_unit_test(contacts_move_with_what_holds_them),
                                     cmocka_unit_test(searches_are_differentiated)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
