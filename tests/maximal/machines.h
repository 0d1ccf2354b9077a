// The systems of the solver benchmark, set in motion.
#ifndef SINEW_TESTS_MAXIMAL_MACHINES_H_
#define SINEW_TESTS_MAXIMAL_MACHINES_H_

#include <sinew/maximal.h>

#include "../../apps/systems.c"
#include "../../apps/systems_count.c"
#include "maximal/maximal.h"
#include "scene.h"

// Driven by sines; pushed now and then.
static void drive(snMaximal* x) {
  const mjModel* m = x->model;
  mjData* d = x->data;
  for (int i = 0; i < m->nu; i++) d->ctrl[i] = 0.3 * sin(2 * M_PI * 0.5 * d->time + i);
  int beat = (int)(d->time / 0.7), body = 1 + beat * 7 % (m->nbody - 1);
  bool push = d->time - 0.7 * beat < 0.05 && beat > 0;
  mju_zero(d->xfrc_applied, 6 * m->nbody);
  if (push) d->xfrc_applied[6 * body + 1] = 3 * m->body_mass[body] * 9.81;
}

#endif
