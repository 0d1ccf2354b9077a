// The collision stage, or mesh rays, of two engines over the states of one trajectory.
//
//   the model may be boxes:N; [--states n] [--repeats n] [--rays n]
//
// Each repeat visits every state once, so that what an engine keeps from step to step helps as it
// does in a simulation and no more. The time is the mean over the states of the best repeat: what
// is done every few steps counts.
#include "engine.h"

typedef mjtNum (*Ray)(const mjModel*, const mjData*, const mjtNum*, const mjtNum*, const mjtByte*,
                      mjtByte, int, int*);

// A lattice of n boxes over a plane.
static void boxes_model(Engine e[2], int n) {
  char* text;
  size_t bytes;
  FILE* f = open_memstream(&text, &bytes);
  fprintf(f, "<mujoco><option timestep='.005'/><worldbody><geom type='plane' size='10 10 1'/>");
  int side = (int)ceil(cbrt(n));
  for (int i = 0; i < n; i++) {
    fprintf(f,
            "<body pos='%g %g %g' euler='%d %d 0'><freejoint/><geom type='box' size='.1 .1 "
            ".1'/></body>",
            0.25 * (i % side), 0.25 * (i / side % side), 0.3 + 0.25 * (i / side / side), i * 7 % 90,
            i * 13 % 90);
  }
  fprintf(f, "</worldbody></mujoco>");
  fclose(f);
  bench_text_model(e, text);
  free(text);
}

// The lattice sinks together: falling boxes, without the cost of solving for them.
static mjtNum* boxes_states(const Engine* e, int count, int* size) {
  *size = e->access->state(e->m, e->d, NULL, 0);
  mjtNum* states = malloc(sizeof(mjtNum) * (size_t)count * (size_t)*size);
  const mjModel* m = e->m;
  for (int i = 0; i < count; i++) {
    memcpy(e->d->qpos, m->qpos0, sizeof(mjtNum) * (size_t)m->nq);
    for (int b = 0; b < m->nq / 7; b++) {
      mjtNum* z = e->d->qpos + 7 * b + 2;
      *z = 0.1 + (*z - 0.1) * (0.9 - 0.1 * i / count);
    }
    e->access->state(m, e->d, states + (size_t)i * (size_t)*size, 0);
  }
  return states;
}

// Rays at random geoms; how many hit something.
static int cast(const Engine* e, Ray ray, int rays) {
  unsigned long long seed = 5;
  int hits = 0;
  for (int q = 0; q < rays; q++) {
    int g = (int)(fabs(bench_uniform(&seed)) * e->m->ngeom) % e->m->ngeom, hit;
    mjtNum p[3], v[3];
    for (int a = 0; a < 3; a++) {
      double target = e->d->geom_xpos[3 * g + a] + 0.05 * bench_uniform(&seed);
      p[a] = target + bench_uniform(&seed);
      v[a] = target - p[a];
    }
    hits += ray(e->m, e->d, p, v, NULL, 1, -1, &hit) >= 0;
  }
  return hits;
}

int bench_collide(int argc, char** argv) {
  int count = atoi(bench_option(argc, argv, "--states", "200")), size;
  int repeats = atoi(bench_option(argc, argv, "--repeats", "20"));
  int rays = atoi(bench_option(
      argc, argv, "--rays", strcmp(bench_option(argc, argv, "--mode", ""), "rays") ? "0" : "100"));
  const char* path = argv[2];
  bool boxes = !strncmp(path, "boxes:", 6);
  Engine e[2];
  bench_open(e, argv[1], NULL);
  if (boxes) {
    boxes_model(e, atoi(path + 6));
  } else {
    bench_model(e, path);
  }
  mjtNum* states =
      boxes ? boxes_states(&e[THEIRS], count, &size) : bench_record(&e[THEIRS], count, &size);

  double found[2], best[2] = {INFINITY, INFINITY};
  for (int r = 0; r < repeats; r++) {
    for (int k = 0; k < 2; k++) {
      Stage kinematics = bench_stage(&e[k], "mj_kinematics"), com = bench_stage(&e[k], "mj_comPos");
      Stage flex = bench_stage(&e[k], "mj_flex");
      Stage collision = bench_stage(&e[k], "mj_collision");
      Ray ray;
      *(void**)&ray = bench_symbol(&e[k], "mj_ray");
      double sum = 0;
      found[k] = 0;
      for (int i = 0; i < count; i++) {
        bench_set_state(&e[k], states + (size_t)i * (size_t)size);
        kinematics(e[k].m, e[k].d);
        com(e[k].m, e[k].d);
        flex(e[k].m, e[k].d);
        double start = bench_now();
        if (rays) {
          found[k] += cast(&e[k], ray, rays);
        } else {
          collision(e[k].m, e[k].d);
        }
        sum += bench_now() - start;
        if (!rays) found[k] += e[k].d->ncon;
      }
      best[k] = fmin(best[k], sum / count / (rays ? rays : 1));
    }
  }
  bench_report(path, rays ? "mj_ray" : "mj_collision", best);
  fprintf(stderr, "%s per state: ours %.1f, theirs %.1f\n", rays ? "hits" : "contacts",
          found[OURS] / count, found[THEIRS] / count);
  free(states);
  return 0;
}
