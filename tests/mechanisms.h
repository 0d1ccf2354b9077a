// Mechanisms with closed loops as MJCF, for tests and for the bench: four-bar and five-bar linkage,
// Stewart platform, delta robot, a ring of twenty links.
#ifndef SINEW_TESTS_MECHANISMS_H_
#define SINEW_TESTS_MECHANISMS_H_

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MECHANISM_TURN (2 * 3.14159265358979323846)

static inline void mechanism_four_bar(FILE* f) {
  fprintf(
      f,
      "<worldbody><body><joint name='a' axis='0 1 0'/><geom type='capsule' size='.02' "
      "fromto='0 0 0 0 0 .2'/><body pos='0 0 .2'><joint axis='0 1 0'/><geom type='capsule' "
      "size='.02' fromto='0 0 0 .5 0 .1'/><body name='c' pos='.5 0 .1'><joint axis='0 1 0'/>"
      "<geom type='capsule' size='.02' fromto='0 0 0 0 0 -.3'/></body></body></body></worldbody>"
      "<equality><connect body1='c' anchor='0 0 -.3'/></equality>"
      "<actuator><motor joint='a'/></actuator>");
}

static inline void mechanism_five_bar(FILE* f) {
  fprintf(f, "<worldbody>");
  for (int side = -1; side < 2; side += 2) {
    fprintf(f,
            "<body pos='%g 0 1'><joint name='a%d' axis='0 1 0'/><geom type='capsule' size='.01' "
            "fromto='0 0 0 %g 0 -.2'/><body name='b%d' pos='%g 0 -.2'><joint axis='0 1 0'/><geom "
            "type='capsule' size='.01' fromto='0 0 0 %g 0 -.2'/></body></body>",
            .1 * side, side, .1 * side, side, .1 * side, -.2 * side);
  }
  fprintf(f,
          "</worldbody><equality><connect body1='b-1' body2='b1' anchor='.2 0 -.2'/></equality>"
          "<actuator><motor joint='a-1'/><motor joint='a1'/></actuator>");
}

// Six legs, each a universal joint, a slide and a ball joint (a connect) at the platform.
static inline void mechanism_stewart(FILE* f, double damping) {
  double head[6][2];
  fprintf(f,
          "<worldbody><body name='platform' pos='0 0 .5'><freejoint/><geom type='cylinder' "
          "size='.2 .02' mass='5'/></body>");
  for (int i = 0; i < 6; i++) {
    double third = MECHANISM_TURN * (i / 2) / 3;
    double a = third + (i % 2 ? .2 : -.2), b = third + (i % 2 ? .8 : -.8);
    double foot[2] = {.3 * cos(a), .3 * sin(a)};
    head[i][0] = .2 * cos(b), head[i][1] = .2 * sin(b);
    double leg[2] = {head[i][0] - foot[0], head[i][1] - foot[1]};
    fprintf(f,
            "<body pos='%g %g 0'><joint axis='1 0 0'/><joint axis='0 1 0'/><geom type='capsule' "
            "size='.01' fromto='0 0 0 %g %g .25'/><body name='leg%d'><joint name='s%d' "
            "type='slide' axis='%g %g .5' damping='%g'/><geom type='capsule' size='.008' "
            "fromto='%g %g .25 %g %g .5'/></body></body>",
            foot[0], foot[1], leg[0] / 2, leg[1] / 2, i, i, leg[0], leg[1], damping, leg[0] / 2,
            leg[1] / 2, leg[0], leg[1]);
  }
  fprintf(f, "</worldbody><equality>");
  for (int i = 0; i < 6; i++) {
    fprintf(f, "<connect body1='platform' body2='leg%d' anchor='%g %g 0'/>", i, head[i][0],
            head[i][1]);
  }
  fprintf(f, "</equality><actuator>");
  for (int i = 0; i < 6; i++) fprintf(f, "<motor joint='s%d' gear='30'/>", i);
  fprintf(f, "</actuator>");
}

// Three arms, each an upper link on a hinge and two parallel rods: redundant, as the parallelograms
// hold the orientation of the platform three times.
static inline void mechanism_delta(FILE* f) {
  fprintf(f,
          "<worldbody><body name='platform' pos='0 0 .4'><freejoint/><geom type='cylinder' "
          "size='.06 .01' mass='.5'/></body>");
  for (int i = 0; i < 3; i++) {
    double turn = MECHANISM_TURN * i / 3;
    fprintf(f,
            "<body pos='%g %g 1' euler='0 0 %d'><joint name='a%d' axis='0 1 0' damping='.05'/>"
            "<geom type='capsule' size='.01' fromto='0 0 0 .2 0 -.2'/>",
            .1 * cos(turn), .1 * sin(turn), 120 * i, i);
    // from the elbow at .3 to the platform at .06 from the axis, .4 below
    for (int side = -1; side < 2; side += 2) {
      fprintf(f,
              "<body name='rod%d%d' pos='.2 %g -.2'><joint type='ball'/><geom type='capsule' "
              "size='.006' fromto='0 0 0 -.24 0 -.4'/></body>",
              i, side > 0, .04 * side);
    }
    fprintf(f, "</body>");
  }
  fprintf(f, "</worldbody><equality>");
  for (int i = 0; i < 6; i++) {
    fprintf(f, "<connect body1='rod%d%d' body2='platform' anchor='-.24 0 -.4'/>", i / 2, i % 2);
  }
  fprintf(f, "</equality><actuator>");
  for (int i = 0; i < 3; i++) fprintf(f, "<motor joint='a%d'/>", i);
  fprintf(f, "</actuator>");
}

// A chain of twenty links, closed by a connect of its end with the world.
static inline void mechanism_ring(FILE* f) {
  fprintf(f, "<worldbody>");
  for (int i = 0; i < 20; i++) {
    fprintf(f,
            "<body name='b%d' pos='%s' euler='0 %d 0'><joint name='j%d' axis='0 1 0'/><geom "
            "type='capsule' size='.01' fromto='0 0 0 .1 0 0'/>",
            i, i ? ".1 0 0" : "0 0 2", i ? 18 : 0, i);
  }
  for (int i = 0; i < 20; i++) fprintf(f, "</body>");
  fprintf(f,
          "</worldbody><equality><connect body1='b19' anchor='.1 0 0'/></equality>"
          "<actuator><motor joint='j3' gear='.1'/></actuator>");
}

// A whole model, to be freed: `front` stands before the world; NULL for a name that is none.
static inline char* mechanism_xml(const char* name, const char* front) {
  char* xml = NULL;
  size_t size = 0;
  FILE* f = open_memstream(&xml, &size);
  if (!f) return NULL;
  fprintf(f, "<mujoco>%s", front);
  bool known = true;
  if (!strcmp(name, "four-bar")) {
    mechanism_four_bar(f);
  } else if (!strcmp(name, "five-bar")) {
    mechanism_five_bar(f);
  } else if (!strncmp(name, "stewart", 7)) {
    mechanism_stewart(f, strchr(name, ':') ? atof(strchr(name, ':') + 1) : 60);
  } else if (!strcmp(name, "delta")) {
    mechanism_delta(f);
  } else if (!strcmp(name, "ring")) {
    mechanism_ring(f);
  } else {
    known = false;
  }
  fprintf(f, "</mujoco>");
  fclose(f);
  if (known) return xml;
  free(xml);
  return NULL;
}

#endif
