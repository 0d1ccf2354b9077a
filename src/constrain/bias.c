// Bias accelerations of bodies, those for qacc = 0: how far points come from the line along which
// they move, h^2/2 of it in a step in which joints keep their velocities.
//
//   alpha_b = alpha_parent + sum cdof_dot qvel
#include "constrain/constrain.h"

void bias_of_bodies(const mjModel* m, const mjData* d, mjtNum* bias) {
  for (int i = 0; i < 6; i++) bias[i] = 0;
  for (int b = 1; b < m->nbody; b++) {
    mjtNum* a = bias + 6 * b;
    const mjtNum *above = bias + 6 * m->body_parentid[b], *dot = d->cdof_dot;
    sn4 sum = sn4_load(above), rest = sn4_load_part(above + 4, 2);
    for (int k = m->body_dofadr[b]; k < m->body_dofadr[b] + m->body_dofnum[b]; k++) {
      sum += sn4_load(dot + 6 * k) * sn4_set1(d->qvel[k]);
      rest += sn4_load_part(dot + 6 * k + 4, 2) * sn4_set1(d->qvel[k]);
    }
    sn4_store(a, sum);
    a[4] = rest[0], a[5] = rest[1];
  }
}

void bias_at_point(const mjModel* m, const mjData* d, const mjtNum* bias, int body,
                   const mjtNum* point, mjtNum* angular, mjtNum* linear) {
  const mjtNum *a = bias + 6 * body, *v = d->cvel + 6 * body;
  mjtNum arm[3], turn[3], speed[3];
  vec3_sub(arm, point, d->subtree_com + 3 * m->body_rootid[body]);
  vec3_cross(turn, v, arm);
  vec3_add(speed, v + 3, turn);
  vec3_copy(angular, a);
  vec3_cross(turn, a, arm);
  vec3_add(linear, a + 3, turn);
  vec3_cross(turn, v, speed);
  vec3_add(linear, linear, turn);
}
