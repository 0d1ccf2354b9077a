// sinew inverse MODEL TRAJECTORY: replays a recorded motion through inverse dynamics and reports
// how well the computed forces agree with those that were applied.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinew.h"
#include "trajectory.h"

const char help_inverse[] =
    "Replays a recorded motion through inverse dynamics and says how well the forces\n"
    "found agree with those that were applied. FILE is what\n"
    "'sinew run MODEL --write FILE' writes (.npz or CSV).\n";

static void load_row(const mjModel* m, mjData* d, const Trajectory* t, long row) {
  d->time = *trajectory_field(t, row, 0);
  mju_copy(d->qpos, trajectory_field(t, row, 1), m->nq);
  mju_copy(d->qvel, trajectory_field(t, row, 2), m->nv);
  mju_copy(d->act, trajectory_field(t, row, 3), m->na);
  mju_copy(d->ctrl, trajectory_field(t, row, 4), m->nu);
  mju_copy(d->qacc, trajectory_field(t, row, 5), m->nv);
}

int command_inverse(int argc, char** argv) {
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] == '-') return wrong_usage("inverse", "unknown option %s", argv[i]);
  }
  if (argc != 3) {
    return wrong_usage("inverse", "expected a model and a trajectory, got %d arguments", argc - 1);
  }
  mjModel* m = load_model(argv[1]);
  if (!m) return 1;
  mjData* d = mj_makeData(m);
  Trajectory t;
  trajectory_init(&t, m);
  int status = 1;
  if (d && trajectory_read(&t, argv[2]) && t.rows > 0) {
    double sum = 0, scale = 0, worst = 0;
    long at = 0;
    int dof = 0;
    m->opt.enableflags &= ~mjENBL_INVDISCRETE;
    for (long row = 0; row < t.rows; row++) {
      const double* force = trajectory_field(&t, row, 6);
      load_row(m, d, &t, row);
      mj_inverse(m, d);
      for (int i = 0; i < m->nv; i++) {
        double error = fabs(d->qfrc_inverse[i] - force[i]);
        sum += error * error;
        scale +=
            d->qfrc_inverse[i] * d->qfrc_inverse[i] + d->qfrc_constraint[i] * d->qfrc_constraint[i];
        if (error > worst) {
          worst = error;
          at = row;
          dof = i;
        }
      }
    }
    double n = (double)t.rows * (m->nv ? m->nv : 1);
    printf("%-28s %ld\n", "frames", t.rows);
    printf("%-28s %.3g (forces are %.3g)\n", "force error, root mean square", sqrt(sum / n),
           sqrt(scale / n));
    printf("%-28s %.3g at frame %ld (t = %.4g)", "largest error", worst, at,
           *trajectory_field(&t, at, 0));
    printf(m->nv ? ", %s, dof %d\n" : "\n",
           m->nv ? describe(m, mjOBJ_JOINT, m->dof_jntid[dof]) : "", dof);
    printf("%-28s %.3g\n", "relative", scale > 0 ? sqrt(sum / scale) : 0);
    status = 0;
  } else if (d && t.rows == 0) {
    fprintf(stderr, "%s: no frames\n", argv[2]);
  }
  trajectory_free(&t);
  if (d) mj_deleteData(d);
  mj_deleteModel(m);
  return status;
}
