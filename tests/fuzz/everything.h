// A small model with an element of every type, and a smaller one.
#ifndef SINEW_TESTS_FUZZ_EVERYTHING_H_
#define SINEW_TESTS_FUZZ_EVERYTHING_H_

#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kEverything[] =
    "<mujoco><option timestep='0.002'/><size nuserdata='3'/>"
    "<statistic extent='2'/>"
    "<asset>"
    "<mesh name='tetra' vertex='0 0 0 .2 0 0 0 .2 0 0 0 .2'/>"
    "<hfield name='field' nrow='3' ncol='4' size='1 1 .2 .1' elevation='0 1 0 1 1 0 1 0 0 1 0 1'/>"
    "<texture name='grid' type='2d' builtin='checker' width='4' height='4' rgb1='1 1 1'/>"
    "<material name='paint' texture='grid'/>"
    "<skin name='cover' vertex='0 0 0 .1 0 0 0 .1 0' face='0 1 2' material='paint'>"
    "<bone body='ball' bindpos='0 0 0' bindquat='1 0 0 0' vertid='0 1' vertweight='1 1'/>"
    "<bone body='body/1' bindpos='0 0 0' bindquat='1 0 0 0' vertid='2' vertweight='1'/></skin>"
    "</asset>"
    "<worldbody>"
    "<light name='lamp' pos='0 0 3' mode='targetbody' target='ball'/>"
    "<camera name='eye' pos='0 -3 1' mode='targetbody' target='ball'/>"
    "<geom name='floor' type='plane' size='3 3 .1' material='paint'/>"
    "<geom name='ground' type='hfield' hfield='field' pos='4 0 0'/>"
    "<body name='hand' mocap='true' pos='0 1 1'><geom size='.05' contype='0' "
    "conaffinity='0'/></body>"
    "<body name='ball' pos='0 0 .11'><freejoint name='free'/><geom name='sphere' size='.1' "
    "condim='6'/>"
    "<site name='s0' pos='.05 0 0'/>"
    "<camera name='inside' pos='0 0 .1'/></body>"
    "<body name='body/1' pos='.5 0 .5'><joint name='b' type='ball' range='0 1.5' limited='true' "
    "frictionloss='.1'/>"
    "<geom name='box' type='box' size='.1 .08 .12' condim='4'/><site name='s1' pos='0 0 .15'/>"
    "<body name='body2' pos='.2 0 0'><joint name='h' axis='0 1 0' range='-1 1' limited='true' "
    "damping='.1'/>"
    "<geom name='cylinder' type='cylinder' size='.05 .1' pos='.1 0 0'/><site name='s2' pos='.1 .1 "
    "0'/>"
    "<body name='body3' pos='.2 0 0'><joint name='l' type='slide' axis='1 0 0' stiffness='3'/>"
    "<geom name='ellipsoid' type='ellipsoid' size='.05 .06 .07'/><site name='s3' type='box' "
    "size='.05 .05 .05'/>"
    "</body></body></body>"
    "<body name='tetra' pos='-.5 0 .05'><freejoint/><geom name='mesh' type='mesh' mesh='tetra' "
    "condim='1'/></body>"
    "<body name='rod' pos='-.5 .5 .05' gravcomp='1'><joint name='r' axis='0 0 1'/>"
    "<geom name='capsule' type='capsule' size='.05 .2'/><geom name='drum' type='cylinder' "
    "size='.04 .1' pos='0 0 .3'/><site name='s4' pos='0 .1 .3'/></body>"
    "<flexcomp name='cloth' type='grid' count='3 3 1' spacing='.1 .1 .1' pos='0 -1 .03' dim='2' "
    "radius='.01' mass='.5'>"
    "<edge equality='true'/><contact selfcollide='auto' condim='3'/><elasticity young='100' "
    "poisson='.2' thickness='.01'/>"
    "</flexcomp>"
    "<flexcomp name='solid' type='grid' count='2 2 2' spacing='.1 .1 .1' pos='1 -1 .1' dim='3' "
    "radius='.01' mass='.5'>"
    "<contact internal='true' selfcollide='none'/><elasticity young='1000' "
    "poisson='.2'/></flexcomp>"
    "</worldbody>"
    "<contact><pair geom1='sphere' geom2='box' condim='3'/><exclude body1='body/1' "
    "body2='body3'/></contact>"
    "<tendon><fixed name='t0' limited='true' range='-1 1' frictionloss='.1'><joint joint='h' "
    "coef='1'/>"
    "<joint joint='l' coef='-2'/></fixed>"
    "<spatial name='t1' stiffness='5' range='0 3' limited='true'><site site='s1'/><geom "
    "geom='drum' sidesite='s4'/><site site='s3'/>"
    "<pulley divisor='2'/><site site='s1'/><site site='s2'/></spatial></tendon>"
    "<equality><connect body1='rod' body2='body3' anchor='0 0 .1' active='false'/><weld "
    "body1='ball' body2='hand' active='false'/>"
    "<weld site1='s0' site2='s1' active='false'/><joint joint1='h' joint2='l' polycoef='0 1 0 0 "
    "0'/><tendon tendon1='t0'/></equality>"
    "<actuator><motor name='a0' joint='h' ctrllimited='true' ctrlrange='-1 1'/><position joint='l' "
    "kp='10'/>"
    "<velocity tendon='t0'/><general site='s1' refsite='s2' gear='1 0 0 0 1 0'/><muscle "
    "tendon='t1'/>"
    "<intvelocity joint='r' actrange='-1 1' kp='3'/><adhesion body='ball' ctrlrange='0 1' "
    "gain='2'/>"
    "<general joint='b' gear='1 2 3' dyntype='filterexact' dynprm='.1'/><cylinder joint='l' "
    "timeconst='.2'/>"
    "<general cranksite='s1' slidersite='s2' cranklength='.3'/></actuator>"
    "<sensor><touch site='s3'/><accelerometer site='s1'/><velocimeter site='s1'/><gyro "
    "site='s1'/><force site='s2'/><torque site='s2'/>"
    "<magnetometer site='s1'/><rangefinder site='s1'/><camprojection site='s1' "
    "camera='eye'/><jointpos joint='h'/><jointvel joint='l'/>"
    "<tendonpos tendon='t1'/><tendonvel tendon='t0'/><actuatorpos actuator='a0'/><actuatorfrc "
    "actuator='a0'/><jointactuatorfrc joint='h'/>"
    "<ballquat joint='b'/><ballangvel joint='b'/><jointlimitpos joint='h'/><jointlimitfrc "
    "joint='h'/><tendonlimitfrc tendon='t0'/>"
    "<framepos objtype='body' objname='body3' reftype='site' refname='s1'/><framequat "
    "objtype='geom' objname='box'/>"
    "<framelinvel objtype='camera' objname='inside'/><frameangacc objtype='xbody' "
    "objname='body2'/><framelinacc objtype='site' objname='s3'/>"
    "<subtreecom body='body/1'/><subtreelinvel body='body/1'/><subtreeangmom body='body/1'/>"
    "<distance geom1='sphere' geom2='box' cutoff='2'/><fromto body1='body/1' body2='tetra' "
    "cutoff='2'/><normal geom1='box' geom2='mesh' cutoff='2'/>"
    "<e_potential/><e_kinetic/><clock/><user dim='2' needstage='vel'/></sensor>"
    "<custom><numeric name='n' data='1 2 3'/><text name='t' data='words'/><tuple name='u'><element "
    "objtype='body' objname='ball'/></tuple></custom>"
    "<keyframe><key name='k' time='1'/></keyframe></mujoco>";

static const char kSmall[] =
    "<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>";

static inline mjModel* everything_of(const char* xml) {
  char error[1000] = "";
  mjSpec* spec = mj_parseXMLString(xml, NULL, error, sizeof error);
  mjModel* m = spec ? mj_compile(spec, NULL) : NULL;
  if (!m) {
    fprintf(stderr, "%s\n", spec ? mjs_getError(spec) : error);
    abort();
  }
  mj_deleteSpec(spec);
  return m;
}

static inline mjModel* everything_model(void) { return everything_of(kEverything); }

// The same with more in its <custom>.
static inline mjModel* everything_asking(const char* custom) {
  const char *mark = "<custom>", *at = strstr(kEverything, mark) + strlen(mark);
  size_t size = sizeof kEverything + strlen(custom);
  char* xml = malloc(size);
  if (!xml) abort();
  snprintf(xml, size, "%.*s%s%s", (int)(at - kEverything), kEverything, custom, at);
  mjModel* m = everything_of(xml);
  free(xml);
  return m;
}
static inline mjModel* everything_small(void) { return everything_of(kSmall); }

#endif
