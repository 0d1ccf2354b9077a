// The systems of the solver benchmark as MJCF. Bodies are listed flat with their parents and
// written as a tree. Mechanisms are made of modules: an output link, a crank beside it, and a rod
// from the crank to a lug of the link that closes the loop, by a ball joint (push rod) or a hinge
// (four-bar). The heaviest moving body is joined to the lightest one, so that the mass ratio of the
// table acts in a joint.
#include "systems.h"

#include <math.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const System systems[kSystems] = {
    {"box-on-plane", 0, 1, 0, 6, 0, 0, 0, 1.00, kMobility, 0},
    {"boxes-fixed", 0, 2, 1, 6, 0, 0, 6, 1000.00, kMobility, 0},
    {"nunchuk", 0, 3, 2, 12, 6, 0, 6, 1.00, kMobility, 0},
    {"fourbar-fixed", 1, 4, 5, 1, 0, 1, 26, 1.00, kMobility, 0},
    {"fourbar-free", 0, 4, 4, 7, 5, 1, 20, 1.00, kMobility, 0},
    {"arm7d", 1, 8, 7, 7, 0, 7, 41, 19.54, kTree, 0},
    {"quadruped", 0, 13, 12, 18, 6, 12, 60, 29.07, kTree, 0},
    {"bdx", 0, 15, 14, 14, 6, 14, 70, 42.49, kTree, 0},
    {"lima", 0, 21, 20, 26, 6, 20, 100, 321.39, kTree, 0},
    {"misha", 1, 22, 24, 23, 0, 23, 121, 90.67, kJoints, 0},
    {"walker", 0, 31, 36, 42, 18, 24, 180, 99.55, kJoints, 0},
    {"gazelle", 1, 38, 45, 60, 38, 22, 214, 1012.54, kJoints, 0},
    {"ironman", 1, 54, 67, 100, 80, 20, 304, 25544.44, kJoints, 0},
};

int system_find(const char* name) {
  for (int i = 0; i < kSystems; i++) {
    if (!strcmp(systems[i].name, name)) return i;
  }
  return -1;
}

// ---- a scene under construction

typedef struct Text_ {
  char* at;
  size_t room, used;
} Text;

static void put(Text* t, const char* format, ...) {
  va_list args;
  va_start(args, format);
  size_t left = t->used < t->room ? t->room - t->used : 0;
  int n = vsnprintf(left ? t->at + t->used : NULL, left, format, args);
  va_end(args);
  if (n > 0) t->used += n;
}

enum { kBodies = 64, kBody = 2400, kPanels = 5 };

typedef struct Part_ {
  int parent;  // -1: the world
  double pos[3], yaw, pitch;
  Text inside;
  char memory[kBody];
} Part;

typedef struct Scene_ {
  int n, nhinge;
  bool covered;  // some link has a shell
  Part part[kBodies];
  Text link, act, exclude;
  const char* props;  // objects in the world besides the floor
  char links[12000], acts[12000], excludes[8000];
} Scene;

static void scene_clear(Scene* s) {
  memset(s, 0, sizeof *s);
  s->link = (Text){s->links, sizeof s->links, 0};
  s->act = (Text){s->acts, sizeof s->acts, 0};
  s->exclude = (Text){s->excludes, sizeof s->excludes, 0};
}

// A body with the inertia of a box of these half sizes around `center`.
static int body(Scene* s, int parent, double x, double y, double z, double yaw, double mass,
                double cx, double cy, double cz, double a, double b, double c) {
  Part* p = s->part + s->n;
  *p = (Part){.parent = parent, .pos = {x, y, z}, .yaw = yaw};
  p->inside = (Text){p->memory, kBody, 0};
  double least = mass * 1e-4;  // lower bound, as if 1 cm thick
  put(&p->inside, "<inertial pos='%g %g %g' mass='%.12g' diaginertia='%.9g %.9g %.9g'/>", cx, cy,
      cz, mass, mass * (b * b + c * c) / 3 + least, mass * (a * a + c * c) / 3 + least,
      mass * (a * a + b * b) / 3 + least);
  return s->n++;
}

static void add(Scene* s, int b, const char* format, ...) {
  va_list args;
  char text[600];
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  put(&s->part[b].inside, "%s", text);
}

static void servo(Scene* s, int hinge, double kp) {
  put(&s->act, "<position joint='j%d' kp='%g' kv='%g'/>", hinge, kp, 0.05 * kp);
}

// A hinge about an axis through the body's origin; kp > 0 drives it.
static int hinge(Scene* s, int b, const char* axis, double range, double kp) {
  int id = s->nhinge++;
  if (range > 0) {
    double degrees = range * 180 / M_PI;
    add(s, b, "<joint name='j%d' axis='%s' limited='true' range='%g %g'/>", id, axis, -degrees,
        degrees);
  } else {
    add(s, b, "<joint name='j%d' axis='%s'/>", id, axis);
  }
  if (kp > 0) servo(s, id, kp);
  return id;
}

static void exclude(Scene* s, int a, int b) {
  put(&s->exclude, "<exclude body1='b%d' body2='b%d'/>", a, b);
}

// A link that hangs down.
static int segment(Scene* s, int parent, double x, double y, double z, double yaw, double length,
                   double radius, double mass) {
  int b = body(s, parent, x, y, z, yaw, mass, 0, 0, -length / 2, radius, radius, length / 2);
  add(s, b, "<geom type='capsule' class='link' size='%g' fromto='0 0 %g 0 0 %g'/>", radius,
      -2 * radius, -length + radius);
  return b;
}

// The cover of a link: a half pipe on the side away from the crank, in panels, so that what is
// behind it can touch it from inside.
static void shell(Scene* s, int b, double length) {
  s->covered = true;
  for (int k = 0; k < kPanels; k++) {
    add(s, b, "<geom class='shell' mesh='%s%d' pos='0 0 %g'/>", length < 0.15 ? "plate" : "shield",
        k, -length / 2);
  }
}

typedef enum Closing_ { kPushRod, kBallRod, kFourBar } Closing;

// The output link hangs at the given point of its parent; the crank is .08 behind it (x) and .03 to
// the side (y); both arms point .05 down. Masses: link, crank, rod. kp of crank, rod and link.
static int module(Scene* s, int parent, double x, double y, double z, double yaw, double length,
                  Closing closing, const double mass[3], const double kp[3]) {
  const double back = 0.08, side = 0.03, arm = 0.05;
  double c = cos(yaw * M_PI / 180), sn = sin(yaw * M_PI / 180);
  int link = segment(s, parent, x, y, z, yaw, length, 0.018, mass[0]);
  hinge(s, link, "0 1 0", 0.7, kp[2]);
  add(s, link, "<geom class='inner' mesh='lug' pos='0 %g %g'/>", side, -arm);
  int crank = body(s, parent, x - back * c - side * sn, y - back * sn + side * c, z, yaw, mass[1],
                   0, 0, -arm / 2, 0.006, 0.006, arm / 2);
  hinge(s, crank, "0 1 0", 0, kp[0]);
  add(s, crank, "<geom class='inner' type='capsule' size='.006' fromto='0 0 0 0 0 %g'/>", -arm);
  int rod = body(s, crank, 0, 0, -arm, 0, mass[2], back / 2, 0, 0, back / 2, 0.004, 0.004);
  add(s, rod, "<geom class='inner' mesh='rod' pos='%g 0 0'/>", back / 2);
  int eq = link;  // names the sites
  if (closing == kFourBar) {
    hinge(s, rod, "0 1 0", 0, kp[1]);
    for (int k = 0; k < 2; k++) {
      put(&s->link, "<connect site1='r%d_%d' site2='l%d_%d'/>", eq, k, eq, k);
      add(s, rod, "<site name='r%d_%d' pos='%g %g 0'/>", eq, k, back, k ? 0.02 : -0.02);
      add(s, link, "<site name='l%d_%d' pos='0 %g %g'/>", eq, k, side + (k ? 0.02 : -0.02), -arm);
    }
  } else {
    if (closing == kPushRod) {
      add(s, rod, "<joint axis='0 1 0'/><joint axis='0 0 1'/>");
    } else {
      add(s, rod, "<joint type='ball'/>");
    }
    put(&s->link, "<connect site1='r%d_0' site2='l%d_0'/>", eq, eq);
    add(s, rod, "<site name='r%d_0' pos='%g 0 0'/>", eq, back);
    add(s, link, "<site name='l%d_0' pos='0 %g %g'/>", eq, side, -arm);
  }
  shell(s, link, length);
  exclude(s, link, crank);
  exclude(s, link, rod);
  exclude(s, parent, rod);
  return link;
}

static int simple(Scene* s, int parent, double x, double y, double z, double yaw, double length,
                  double mass, const char* axis, double kp) {
  int b = segment(s, parent, x, y, z, yaw, length, 0.018, mass);
  hinge(s, b, axis, 0.7, kp);
  return b;
}

static void write_part(const Scene* s, int b, Text* out) {
  const Part* p = s->part + b;
  put(out, "<body name='b%d' pos='%.9g %.9g %.9g'", b, p->pos[0], p->pos[1], p->pos[2]);
  if (p->yaw != 0 || p->pitch != 0) put(out, " euler='0 %.12g %.12g'", p->pitch, p->yaw);
  put(out, ">%s\n", p->memory);
  for (int k = b + 1; k < s->n; k++) {
    if (s->part[k].parent == b) write_part(s, k, out);
  }
  put(out, "</body>\n");
}

static const char kHead[] =
    "<compiler autolimits='false'/>"
    "<option timestep='.001' cone='elliptic'/>"
    "<default><geom friction='.7'/>"
    "<default class='link'><geom contype='1' conaffinity='1' rgba='.6 .65 .7 1'/></default>"
    "<default class='shell'><geom type='mesh' contype='1' conaffinity='3' rgba='.85 .5 .25 .5'/>"
    "</default>"
    "<default class='obstacle'><geom contype='1' conaffinity='3' rgba='.45 .5 .45 1'/></default>"
    "<default class='inner'><geom type='mesh' contype='2' conaffinity='0' rgba='.3 .4 .6 1'/>"
    "</default></default>"
    "<asset>"
    "<mesh name='rod' vertex='-.03 .004 0 -.03 .002 .0035 -.03 -.002 .0035 -.03 -.004 0 -.03 -.002 "
    "-.0035 -.03 .002 -.0035 .03 .004 0 .03 .002 .0035 .03 -.002 .0035 .03 -.004 0 .03 -.002 "
    "-.0035 "
    ".03 .002 -.0035'/>"
    "<mesh name='lug' vertex='-.006 -.01 -.006 .006 -.01 -.006 -.006 .01 -.004 .006 .01 -.004 "
    "-.006 "
    "-.01 .006 .006 -.01 .006 -.006 .01 .004 .006 .01 .004'/>";

// Panel k of a half pipe about z that faces x: bulged towards its middle, with a rim at both ends,
// 4 mm thick; (kAround x kAlong) vertices on each side of it.
static void write_panel(Text* out, const char* name, int k, double half) {
  enum { kAround = 6, kAlong = 13 };
  put(out, "<mesh name='%s%d' vertex='", name, k);
  for (int side = 0; side < 2; side++) {
    for (int j = 0; j < kAlong; j++) {
      double u = 2.0 * j / (kAlong - 1) - 1, rim = j < 2 || j > kAlong - 3 ? 0.002 : 0;
      double radius = 0.032 + 0.006 * (1 - u * u) + (side ? 0.004 + rim : 0);
      for (int i = 0; i < kAround; i++) {
        double angle = M_PI * ((k + (double)i / (kAround - 1)) / kPanels - 0.5);
        put(out, "%.5g %.5g %.5g ", radius * cos(angle), radius * sin(angle), half * u);
      }
    }
  }
  put(out, "'/>");
}

static void write_shells(Text* out) {
  for (int k = 0; k < kPanels; k++) {
    write_panel(out, "plate", k, 0.05);
    write_panel(out, "shield", k, 0.075);
  }
}

static void write_scene(const Scene* s, const char* name, Text* out) {
  put(out, "<mujoco model='%s'>%s", name, kHead);
  if (s->covered) write_shells(out);
  put(out,
      "</asset>\n<worldbody><light pos='0 -2 4' dir='0 .4 -1'/>"
      "<geom type='plane' class='obstacle' size='5 5 .1' rgba='.8 .8 .82 1'/>%s\n",
      s->props ? s->props : "");
  for (int b = 0; b < s->n; b++) {
    if (s->part[b].parent < 0) write_part(s, b, out);
  }
  put(out, "</worldbody>\n");
  if (s->link.used) put(out, "<equality>%s</equality>\n", s->links);
  if (s->act.used) put(out, "<actuator>%s</actuator>\n", s->acts);
  if (s->exclude.used) put(out, "<contact>%s</contact>\n", s->excludes);
  put(out, "</mujoco>\n");
}

// ---- primitives

static int box(Scene* s, int parent, double x, double y, double z, double size, double mass) {
  int b = body(s, parent, x, y, z, 0, mass, 0, 0, 0, size, size, size);
  add(s, b, "<geom type='box' class='link' size='%g %g %g'/>", size, size, size);
  return b;
}

static void box_on_plane(Scene* s) { add(s, box(s, -1, 0, 0, 0.1, 0.1, 1), "<freejoint/>"); }

// The light body is below and carries 1000 kg.
static void boxes_fixed(Scene* s) {
  int b = box(s, -1, 0, 0, 0.1, 0.1, 1);
  add(s, b, "<freejoint/>");
  box(s, b, 0, 0, 0.2, 0.1, 1000);
}

static int rod(Scene* s, int parent, double x, double z, double length) {
  int b = body(s, parent, x, 0, z, 0, 1, length / 2, 0, 0, length / 2, 0.03, 0.03);
  add(s, b, "<geom type='capsule' class='link' size='.03' fromto='.03 0 0 %g 0 0'/>",
      length - 0.03);
  return b;
}

static void nunchuk(Scene* s) {
  int a = rod(s, -1, 0, 0.04, 0.5);
  add(s, a, "<freejoint/>");
  int b = rod(s, a, 0.5, 0, 0.15);
  int c = rod(s, b, 0.15, 0, 0.5);
  add(s, b, "<joint type='ball'/>");
  add(s, c, "<joint type='ball'/>");
}

// A trapezoidal four-bar in the x-z plane, closed by a hinge: base .4, coupler .3, arms inclined by
// .05. It has no singular configuration (all bars on a line).
// Posts on both sides stop the swing of a fixed one.
static void fourbar(Scene* s, int fixed) {
  const double base_length = 0.4, lean = 0.05, rise = 0.35, width = 0.02;
  double arm = sqrt(lean * lean + rise * rise), tilt = atan2(lean, rise) * 180 / M_PI;
  double length[3] = {arm, base_length - 2 * lean, arm}, pitch[3] = {tilt, 90 - tilt, 90 - tilt};
  int base = body(s, -1, 0, 0, fixed ? 0.06 : 0.2, 0, 1, base_length / 2, 0, 0, base_length / 2,
                  width, width);
  add(s, base, "<geom type='capsule' class='link' size='.03' fromto='0 0 0 %g 0 0'/>", base_length);
  if (!fixed) add(s, base, "<freejoint/>");
  if (fixed) {
    s->props =
        "<geom class='obstacle' type='box' size='.03 .1 .14' pos='-.05 0 .14'/>"
        "<geom class='obstacle' type='box' size='.03 .1 .14' pos='.45 0 .14'/>";
  }
  int b = base;
  for (int k = 0; k < 3; k++) {
    double half = length[k] / 2;
    b = body(s, b, 0, 0, k ? length[k - 1] : 0, 0, 1, 0, 0, half, width, width, half);
    s->part[b].pitch = pitch[k];
    add(s, b, "<geom type='capsule' class='inner' size='%g' fromto='0 0 .03 0 0 %g'/>", width,
        length[k] - 0.03);
    hinge(s, b, "0 1 0", 0, k ? 0 : 8);
  }
  for (int k = 0; k < 2; k++) {
    double y = k ? 0.03 : -0.03;
    put(&s->link, "<connect site1='e%d' site2='f%d'/>", k, k);
    add(s, base, "<site name='e%d' pos='%g %g 0'/>", k, base_length, y);
    add(s, b, "<site name='f%d' pos='0 %g %.12g'/>", k, y, arm);
  }
}

// ---- robots

// The free base is welded to the world: its six rows do not count as a joint. A light wrist carries
// a heavy tool, between two posts.
static void arm7d(Scene* s, double ratio) {
  const double light = 0.15, tool = light * ratio;
  const double mass[7] = {2.9, 2.5, 2, 1.5, 1, light, tool}, kp[7] = {60, 90, 30, 90, 10, 60, 4};
  int b = body(s, -1, 0, 0, 0.051, 0, 9, 0, 0, 0, 0.1, 0.1, 0.05);
  s->props =
      "<geom class='obstacle' type='cylinder' size='.03 .5' pos='.09 0 .75'/>"
      "<geom class='obstacle' type='cylinder' size='.03 .5' pos='-.09 .02 .75'/>";
  add(s, b, "<freejoint/><geom type='box' class='link' size='.1 .1 .05'/>");
  put(&s->link, "<weld body1='b%d'/>", b);
  for (int k = 0; k < 7; k++) {
    double length = k % 2 ? 0.2 : 0.12;
    b = body(s, b, 0, 0, k ? (k % 2 ? 0.12 : 0.2) : 0.06, 0, mass[k], 0, 0, length / 2, 0.03, 0.03,
             length / 2);
    add(s, b, "<geom type='capsule' class='link' size='.03' fromto='0 0 .04 0 0 %g'/>",
        length - 0.03);
    hinge(s, b, k % 2 ? "0 1 0" : "0 0 1", k % 2 ? 1.8 : 2.8, kp[k]);
  }
}

static int leg_part(Scene* s, int parent, double x, double y, double z, double length, double mass,
                    const char* axis, double kp) {
  int b = segment(s, parent, x, y, z, 0, length, 0.025, mass);
  hinge(s, b, axis, 1.2, kp);
  return b;
}

static int torso(Scene* s, double z, double mass, double a, double b, double c) {
  int t = body(s, -1, 0, 0, z, 0, mass, 0, 0, 0, a, b, c);
  add(s, t, "<freejoint/><geom type='box' class='link' size='%g %g %g'/>", a, b, c);
  return t;
}

static void quadruped(Scene* s, double ratio) {
  int t = torso(s, 0.5, 0.4 * ratio, 0.25, 0.08, 0.05);
  for (int k = 0; k < 4; k++) {
    double x = k < 2 ? 0.22 : -0.22, y = k % 2 ? -0.14 : 0.14;
    int hip = leg_part(s, t, x, y, 0, 0.1, 0.4, "1 0 0", 40);
    int thigh = leg_part(s, hip, 0, 0, -0.1, 0.2, 1.0, "0 1 0", 40);
    leg_part(s, thigh, 0, 0, -0.2, 0.2, 0.4, "0 1 0", 40);
  }
}

static void bdx(Scene* s, double ratio) {
  int t = torso(s, 0.55, 0.2 * ratio, 0.09, 0.07, 0.07);
  for (int side = -1; side <= 1; side += 2) {
    int b = leg_part(s, t, 0, 0.11 * side, -0.03, 0.09, 0.4, "0 0 1", 8);
    b = leg_part(s, b, 0, 0, -0.09, 0.09, 0.4, "1 0 0", 25);
    b = leg_part(s, b, 0, 0, -0.09, 0.14, 0.6, "0 1 0", 25);
    b = leg_part(s, b, 0, 0, -0.14, 0.14, 0.5, "0 1 0", 25);
    b = body(s, b, 0, 0, -0.14, 0, 0.2, 0.02, 0, -0.01, 0.07, 0.03, 0.012);
    hinge(s, b, "0 1 0", 0.8, 2);
    add(s, b, "<geom type='box' class='link' pos='.02 0 -.015' size='.07 .035 .012'/>");
  }
  int b = t;
  static const char* const kAxis[] = {"0 1 0", "0 0 1", "0 1 0", "1 0 0"};
  for (int k = 0; k < 4; k++) {
    b = body(s, b, k ? 0.03 : 0.1, 0, k ? 0.06 : 0.1, 0, k == 3 ? 0.8 : 0.2, 0, 0, 0.02, 0.02,
             0.02, 0.03);
    hinge(s, b, kAxis[k], 0.6, 2);
    if (k == 3) add(s, b, "<geom type='box' class='link' size='.05 .05 .03' pos='.03 0 .05'/>");
  }
}

static void lima(Scene* s, double ratio) {
  const double light = 0.05;
  int t = torso(s, 1.0, light * ratio, 0.09, 0.13, 0.16);
  for (int side = -1; side <= 1; side += 2) {
    int b = leg_part(s, t, 0, 0.09 * side, -0.18, 0.08, 0.8, "0 0 1", 20);
    b = leg_part(s, b, 0, 0, -0.08, 0.08, 0.8, "1 0 0", 60);
    b = leg_part(s, b, 0, 0, -0.08, 0.26, 2.5, "0 1 0", 80);
    b = leg_part(s, b, 0, 0, -0.26, 0.26, 1.8, "0 1 0", 80);
    b = body(s, b, 0, 0, -0.26, 0, 0.6, 0.03, 0, -0.02, 0.1, 0.04, 0.02);
    hinge(s, b, "0 1 0", 0.8, 15);
    add(s, b, "<geom type='box' class='link' pos='.03 0 -.03' size='.1 .04 .02'/>");
    int a = leg_part(s, t, 0, 0.2 * side, 0.12, 0.09, 0.6, "0 1 0", 20);
    a = leg_part(s, a, 0, 0, -0.09, 0.16, 1.0, "1 0 0", 20);
    a = leg_part(s, a, 0, 0, -0.16, 0.16, 0.8, "0 1 0", 15);
    leg_part(s, a, 0, 0, -0.16, 0.09, 0.2, "0 0 1", 0.2);
  }
  int neck = body(s, t, 0, 0, 0.2, 0, light, 0, 0, 0.03, 0.03, 0.03, 0.03);
  hinge(s, neck, "0 0 1", 1, 10);
  int head = body(s, neck, 0, 0, 0.06, 0, 1.5, 0, 0, 0.06, 0.07, 0.07, 0.08);
  hinge(s, head, "0 1 0", 0.6, 10);
  add(s, head, "<geom type='sphere' class='link' size='.08' pos='0 0 .08'/>");
}

// ---- figures with loops

static int pedestal(Scene* s, double z) {
  int b = body(s, -1, 0, 0, z, 0, 10, 0, 0, 0, 0.15, 0.15, 0.1);
  add(s, b, "<geom type='box' class='link' size='.1 .1 .05' pos='0 0 .12'/>");
  return b;
}

// Two arms with four-bars whose four hinges are all actuated, the closing ones by torques between
// two sites; fifteen single hinges: neck, wrists and legs.
static void misha(Scene* s, double ratio) {
  const double light = 0.06, mass[3] = {light * ratio, 0.1, light}, kp[3] = {12, 0.05, 12};
  int base = pedestal(s, 1.0);
  s->props =
      "<geom class='obstacle' type='box' size='.02 .6 .4' pos='.07 0 .7' rgba='.45 .5 .45 .4'/>"
      "<geom class='obstacle' type='box' size='.3 .4 .18' pos='-.1 0 .18'/>";
  for (int k = 0; k < 2; k++) {
    double y = k ? -0.3 : 0.3;
    int b = module(s, base, 0, y, 0.1, 0, 0.16, kFourBar, mass, kp);
    put(&s->act, "<general site='r%d_0' refsite='l%d_0' gear='0 0 0 0 .02 0'/>", b, b);
    b = simple(s, b, 0, 0, -0.16, 0, 0.1, 0.3, "1 0 0", 0.6);
    simple(s, b, 0, 0, -0.1, 0, 0.08, 0.2, "0 0 1", 0.1);
  }
  for (int k = 0; k < 2; k++) {
    double y = k ? -0.12 : 0.12;
    int b = simple(s, base, 0, y, -0.05, 0, 0.1, 0.5, "1 0 0", 3);
    b = simple(s, b, 0, 0, -0.1, 0, 0.2, 0.8, "0 1 0", 3);
    b = simple(s, b, 0, 0, -0.2, 0, 0.2, 0.6, "0 1 0", 2);
    simple(s, b, 0, 0, -0.2, 0, 0.08, 0.2, "0 1 0", 0.3);
  }
  int neck = base;
  static const char* const kAxis[] = {"0 0 1", "0 1 0", "1 0 0"};
  for (int k = 0; k < 3; k++) {
    neck =
        body(s, neck, 0, 0, k ? 0.04 : 0.2, 0, k == 2 ? 0.8 : 0.15, 0, 0, 0.03, 0.03, 0.03, 0.03);
    hinge(s, neck, kAxis[k], 0.5, 2);
    if (k == 2) add(s, neck, "<geom type='sphere' class='link' size='.06' pos='0 0 .1'/>");
  }
}

// Two legs of three four-bars; crank and link are actuated, the rod and the closing hinge are not.
static void walker(Scene* s, double ratio) {
  const double light = 0.05, mass[3] = {0.8, 0.12, light}, kp[3] = {6, 0, 6};
  const double hip[3] = {light * ratio, 0.12, light}, kp_hip[3] = {30, 0, 30};
  int t = torso(s, 0.95, 4, 0.1, 0.08, 0.12);
  for (int side = -1; side <= 1; side += 2) {
    int b = simple(s, t, 0, 0.14 * side, -0.1, 0, 0.08, 0.4, "0 0 1", 10);
    b = simple(s, b, 0, 0, -0.08, 0, 0.08, 0.4, "1 0 0", 10);
    int yaw = side > 0 ? 0 : 180;
    for (int k = 0; k < 3; k++) {
      b = module(s, b, 0, 0, k ? (k == 1 ? -0.22 : -0.2) : -0.08, k ? 0 : yaw, k == 2 ? 0.12 : 0.2,
                 kFourBar, k ? mass : hip, k ? kp : kp_hip);
    }
    b = simple(s, b, 0, 0, -0.12, 0, 0.06, 0.3, "1 0 0", 5);
    b = body(s, b, 0, 0, -0.06, 0, 0.2, 0.02, 0, -0.01, 0.07, 0.04, 0.012);
    hinge(s, b, "0 1 0", 0.5, 3);
    add(s, b, "<geom type='box' class='link' pos='.02 0 -.015' size='.07 .04 .012'/>");
    int a = simple(s, t, 0, 0.2 * side, 0.1, 0, 0.12, 0.3, "0 1 0", 2);
    simple(s, a, 0, 0, -0.12, 0, 0.12, 0.2, "0 1 0", 1);
  }
}

// Chains of modules around a pedestal: every chain is a limb.
typedef struct Limb_ {
  double angle;        // position on the pedestal
  const char* joints;  // u push rod, o ball rod, f four-bar, s actuated hinge, p hinge, b ball
} Limb;

// The first link of the first limb weighs `heavy`, and rods `light`.
static void limbs(Scene* s, int base, const Limb* limb, int n, double light, double heavy) {
  const double kp[3] = {1, 0, 0}, kp_far[3] = {0.4, 0, 0};
  static const char* const kAxis[] = {"0 1 0", "1 0 0", "0 0 1"};
  int turn = 0;
  for (int k = 0; k < n; k++) {
    double c = cos(limb[k].angle * M_PI / 180), sn = sin(limb[k].angle * M_PI / 180);
    int b = base;
    for (const char* j = limb[k].joints; *j; j++) {
      bool first = b == base;
      double x = first ? 0.32 * c : 0, y = first ? 0.32 * sn : 0, z = first ? 0.1 : -0.14;
      double yaw = first ? limb[k].angle + 180 : 0;
      const double* stiff = first ? kp : kp_far;
      const double mass[3] = {first && k == 0 ? heavy : 0.4, 0.05, light};
      if (*j == 'u' || *j == 'o' || *j == 'f') {
        Closing how = *j == 'u' ? kPushRod : *j == 'o' ? kBallRod : kFourBar;
        b = module(s, b, x, y, z, yaw, 0.14, how, mass, stiff);
      } else if (*j == 'b') {
        b = segment(s, b, x, y, z, yaw, 0.14, 0.018, 0.1);
        add(s, b, "<joint type='ball' limited='true' range='0 45'/>");
      } else {
        b = simple(s, b, x, y, z, yaw, 0.14, 0.15, kAxis[turn++ % 3], *j == 's' ? 0.2 : 0);
      }
    }
  }
}

// A drum inside of the ring of limbs, which their shells lean against.
static const char kPost[] =
    "<geom class='obstacle' type='cylinder' size='.275 .45' pos='0 0 .45'/>";

static void couple(Scene* s, int hinge1, int hinge2) {
  put(&s->link, "<joint joint1='j%d' joint2='j%d' polycoef='0 1 0 0 0'/>", hinge1, hinge2);
}

// Seven loops (four push rods, one ball rod, two four-bars), fifteen actuated hinges and a passive
// one; four pairs of hinges are geared.
static void gazelle(Scene* s, double ratio) {
  const double light = 0.004;
  static const Limb kLimbs[] = {{0, "uss"},   {45, "uss"},  {90, "uss"},  {135, "uss"},
                                {180, "oss"}, {225, "fss"}, {270, "fss"}, {315, "sp"}};
  int base = pedestal(s, 1.0);
  s->props = kPost;
  limbs(s, base, kLimbs, 8, light, light * ratio);
  // the last two hinges of the first eight limbs are geared in pairs
  static const int kGear[4][2] = {{2, 3}, {6, 7}, {10, 11}, {14, 15}};
  for (int k = 0; k < 4; k++) couple(s, kGear[k][0], kGear[k][1]);
}

// Thirteen loops (ten push rods, three four-bars), two balls, seven actuated hinges and five
// passive.
static void ironman(Scene* s, double ratio) {
  const double light = 0.0002;
  static const Limb kLimbs[] = {{0, "uus"},   {40, "uus"},  {80, "uub"},
                                {120, "uub"}, {160, "uup"}, {200, "fss"},
                                {240, "fss"}, {280, "fsp"}, {320, "ppp"}};
  int base = pedestal(s, 1.0);
  s->props = kPost;
  limbs(s, base, kLimbs, 9, light, light * ratio);
  couple(s, 4, 9);
  couple(s, 26, 27);
}

int system_text(int id, char* text, size_t room) {
  static Scene scene;
  Text out = {text, room, 0};
  double ratio = systems[id].mass_ratio;
  scene_clear(&scene);
  switch (id) {
    case 0:
      box_on_plane(&scene);
      break;
    case 1:
      boxes_fixed(&scene);
      break;
    case 2:
      nunchuk(&scene);
      break;
    case 3:
      fourbar(&scene, 1);
      break;
    case 4:
      fourbar(&scene, 0);
      break;
    case 5:
      arm7d(&scene, ratio);
      break;
    case 6:
      quadruped(&scene, ratio);
      break;
    case 7:
      bdx(&scene, ratio);
      break;
    case 8:
      lima(&scene, ratio);
      break;
    case 9:
      misha(&scene, ratio);
      break;
    case 10:
      walker(&scene, ratio);
      break;
    case 11:
      gazelle(&scene, ratio);
      break;
    default:
      ironman(&scene, ratio);
      break;
  }
  write_scene(&scene, systems[id].name, &out);
  return out.used < room ? (int)out.used : -1;
}
