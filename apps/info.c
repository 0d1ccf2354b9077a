// sinew info MODEL: sizes, bodies, actuators, sensors and options of a model, on one page.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "picture.h"
#include "sinew.h"

const char help_info[] =
    "Prints on one page what is in a model: how many of what, its mass and extent,\n"
    "the settings of the simulation, the tree of bodies with their joints, actuators,\n"
    "sensors and keyframes.\n\n"
    "  --picture[=FILE]      how it looks, in its first keyframe if it has one:\n"
    "                        here in the terminal, or as a PNG file; in plain\n"
    "                        characters when the output is no terminal\n";

static const char* name_of(const mjModel* m, int type, int id) {
  static char text[4][64];
  static int turn;
  const char* name = mj_id2name(m, type, id);
  if (name && name[0]) return name;
  turn = (turn + 1) % 4;
  snprintf(text[turn], sizeof(text[turn]), "#%d", id);
  return text[turn];
}

static void count(const char* what, long n) {
  if (n) printf("  %-22s %ld\n", what, n);
}

// The bodies of the tree, their joints and masses, indented by depth.
static void print_tree(const mjModel* m, int body, int depth) {
  static const char* const kJoint[] = {"free", "ball", "slide", "hinge"};
  enum { kDeepest = 40 };
  if (body > 0) {
    printf("  %*s%s", 2 * (depth < kDeepest ? depth : kDeepest), "", name_of(m, mjOBJ_BODY, body));
    printf("  mass %.4g", m->body_mass[body]);
    if (m->body_mocapid[body] >= 0) printf("  mocap");
    for (int j = m->body_jntadr[body]; j < m->body_jntadr[body] + m->body_jntnum[body]; j++) {
      // further joints below the first
      if (j > m->body_jntadr[body])
        printf("\n  %*s", 2 * (depth < kDeepest ? depth : kDeepest) + 4, "");
      printf("  %s %s", kJoint[m->jnt_type[j]], name_of(m, mjOBJ_JOINT, j));
      if (m->jnt_limited[j]) printf(" [%.3g, %.3g]", m->jnt_range[2 * j], m->jnt_range[2 * j + 1]);
    }
    printf("\n");
  }
  for (int child = body + 1; child < m->nbody; child++) {
    if (m->body_parentid[child] == body) print_tree(m, child, depth + (body > 0));
  }
}

static void print_options(const mjModel* m) {
  static const char* const kIntegrator[] = {"Euler", "RK4", "implicit", "implicitfast"};
  static const char* const kSolver[] = {"PGS", "CG", "Newton"};
  static const char* const kCone[] = {"pyramidal", "elliptic"};
  const mjOption* o = &m->opt;
  printf("\nsimulation\n");
  printf("  %-22s %g s (%g per second)\n", "time step", o->timestep,
         o->timestep > 0 ? 1 / o->timestep : 0);
  printf("  %-22s %g %g %g\n", "gravity", o->gravity[0], o->gravity[1], o->gravity[2]);
  if (o->integrator >= 0 && o->integrator < 4)
    printf("  %-22s %s\n", "integrator", kIntegrator[o->integrator]);
  if (o->solver >= 0 && o->solver < 3 && o->cone >= 0 && o->cone < 2) {
    printf("  %-22s %s, %s cones, at most %d iterations, tolerance %g\n", "solver",
           kSolver[o->solver], kCone[o->cone], o->iterations, o->tolerance);
  }
  if (o->disableflags) {
    printf("  %-22s", "disabled");
    for (int i = 0; i < mjNDISABLE; i++) {
      if (o->disableflags & (1 << i)) printf(" %s", mjDISABLESTRING[i]);
    }
    printf("\n");
  }
  if (o->enableflags) {
    printf("  %-22s", "enabled");
    for (int i = 0; i < mjNENABLE; i++) {
      if (o->enableflags & (1 << i)) printf(" %s", mjENABLESTRING[i]);
    }
    printf("\n");
  }
}

static void print_actuators(const mjModel* m) {
  static const char* const kTarget[] = {
      "joint", "joint in parent", "slider-crank", "tendon", "site", "body"};
  static const int kType[] = {mjOBJ_JOINT,  mjOBJ_JOINT, mjOBJ_SITE,
                              mjOBJ_TENDON, mjOBJ_SITE,  mjOBJ_BODY};
  if (!m->nu) return;
  printf("\nactuators\n");
  for (int i = 0; i < m->nu; i++) {
    int t = m->actuator_trntype[i];
    printf("  %-22s", name_of(m, mjOBJ_ACTUATOR, i));
    if (t >= 0 && t < 6)
      printf(" %s %s", kTarget[t], name_of(m, kType[t], m->actuator_trnid[2 * i]));
    if (m->actuator_ctrllimited[i]) {
      printf("  control [%.3g, %.3g]", m->actuator_ctrlrange[2 * i],
             m->actuator_ctrlrange[2 * i + 1]);
    }
    if (m->actuator_forcelimited[i]) {
      printf("  force [%.3g, %.3g]", m->actuator_forcerange[2 * i],
             m->actuator_forcerange[2 * i + 1]);
    }
    printf("\n");
  }
}

static void print_sensors(const mjModel* m) {
  if (!m->nsensor) return;
  printf("\nsensors\n");
  for (int i = 0; i < m->nsensor; i++) {
    int n = m->sensor_dim[i], type = m->sensor_objtype[i];
    printf("  %-22s %d value%s", name_of(m, mjOBJ_SENSOR, i), n, n == 1 ? "" : "s");
    const char* kind = type != mjOBJ_UNKNOWN ? mju_type2Str(type) : NULL;
    if (kind && m->sensor_objid[i] >= 0) {
      printf(" of %s %s", kind, name_of(m, type, m->sensor_objid[i]));
    }
    printf("\n");
  }
}

static void print_keys(const mjModel* m) {
  if (!m->nkey) return;
  printf("\nkeyframes\n");
  for (int i = 0; i < m->nkey; i++) {
    printf("  %-22s time %.4g\n", name_of(m, mjOBJ_KEY, i), m->key_time[i]);
  }
}

// To the terminal, or with "=FILE" to a file.
static bool print_picture(const mjModel* m, const char* file) {
  Studio s = {0};
  Picture p = {0};
  mjData* d = mj_makeData(m);
  bool ok = d && studio_open(&s, "info", m, NULL, 480, 320) && picture_make(&p, 480, 320);
  if (ok) {
    if (m->nkey) mj_resetDataKeyframe(m, d, 0);
    mj_forward(m, d);
    studio_draw(&s, d, studio_part(&s, 0, 1, 1), NULL);
    studio_read(&s, &p);
    ok = file[0] ? picture_save(&p, file + 1) : terminal_show(&p, isatty(1) ? NULL : "text");
  }
  picture_free(&p);
  studio_close(&s);
  mj_deleteData(d);
  return ok;
}

int command_info(int argc, char** argv) {
  const char *path = NULL, *picture = NULL;
  for (int i = 1; i < argc; i++) {
    if (!strncmp(argv[i], "--picture", 9) && (!argv[i][9] || argv[i][9] == '=')) {
      picture = argv[i] + 9;
    } else if (argv[i][0] == '-') {
      return wrong_usage("info", "unknown option %s", argv[i]);
    } else if (path) {
      return wrong_usage("info", "expected one model, got '%s' too", argv[i]);
    } else {
      path = argv[i];
    }
  }
  if (!path) return wrong_usage("info", "expected one model, got 0");
  mjModel* m = load_model(path);
  if (!m) return 1;
  if (picture && !print_picture(m, picture)) {
    mj_deleteModel(m);
    return 1;
  }
  double mass = m->nbody ? m->body_subtreemass[0] : 0;
  printf("%s\n\n", m->names[0] ? m->names : path);
  count("bodies and the world", m->nbody);
  count("degrees of freedom", m->nv);
  count("positions", m->nq);
  count("joints", m->njnt);
  count("kinematic trees", m->ntree);
  count("actuators", m->nu);
  count("activations", m->na);
  count("sensors", m->nsensor);
  count("sensor values", m->nsensordata);
  count("tendons", m->ntendon);
  count("equalities", m->neq);
  count("geoms", m->ngeom);
  count("sites", m->nsite);
  count("cameras", m->ncam);
  count("lights", m->nlight);
  count("contact pairs", m->npair);
  count("contact exclusions", m->nexclude);
  count("meshes", m->nmesh);
  count("mesh vertices", m->nmeshvert);
  count("mesh faces", m->nmeshface);
  count("height fields", m->nhfield);
  count("textures", m->ntex);
  count("materials", m->nmat);
  count("skins", m->nskin);
  count("flexes", m->nflex);
  count("flex vertices", m->nflexvert);
  count("keyframes", m->nkey);
  count("mocap bodies", m->nmocap);
  count("plugins", m->nplugin);
  printf("  %-22s %.6g\n", "total mass", mass);
  printf("  %-22s %.4g around %.4g %.4g %.4g\n", "extent", m->stat.extent, m->stat.center[0],
         m->stat.center[1], m->stat.center[2]);
  printf("  %-22s %.2f MB, data %.2f MB\n", "memory", mj_sizeModel(m) / 1048576.0,
         m->narena / 1048576.0);
  print_options(m);
  printf("\ntree\n");
  print_tree(m, 0, 0);
  print_actuators(m);
  print_sensors(m);
  print_keys(m);
  mj_deleteModel(m);
  return 0;
}
