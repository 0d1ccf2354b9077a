// Potential and kinetic energy:
//
//   E_pot = -sum m g.x + 1/2 sum k |q (-) q_spring|^2 over joints
//           + 1/2 sum k stretch^2 over tendons and flex edges
//   E_kin = 1/2 v' M v
#include "smooth/smooth.h"

void mj_energyPos(const mjModel* m, mjData* d) {
  double energy = 0;
  if (!(m->opt.disableflags & mjDSBL_GRAVITY)) {
    for (int b = 1; b < m->nbody; b++) {
      energy -= m->body_mass[b] * vec3_dot(m->opt.gravity, d->xipos + 3 * b);
    }
  }
  if (!(m->opt.disableflags & mjDSBL_PASSIVE)) {
    for (int j = 0; j < m->njnt; j++) {
      double k = m->jnt_stiffness[j], quat[4], turn[3];
      if (k == 0) continue;
      int p = m->jnt_qposadr[j];
      switch (m->jnt_type[j]) {
        case mjJNT_FREE:
          vec3_sub(turn, d->qpos + p, m->qpos_spring + p);
          energy += 0.5 * k * vec3_dot(turn, turn);
          p += 3;
          // fall through
        case mjJNT_BALL:
          quat_copy(quat, d->qpos + p);
          quat_normalize(quat);
          mju_subQuat(turn, quat, m->qpos_spring + p);
          energy += 0.5 * k * vec3_dot(turn, turn);
          break;
        default:
          turn[0] = d->qpos[p] - m->qpos_spring[p];
          energy += 0.5 * k * turn[0] * turn[0];
      }
    }
    for (int t = 0; t < m->ntendon; t++) {
      double length = d->ten_length[t], stretch = 0;
      double low = m->tendon_lengthspring[2 * t], high = m->tendon_lengthspring[2 * t + 1];
      if (length > high) stretch = high - length;
      if (length < low) stretch = low - length;
      energy += 0.5 * m->tendon_stiffness[t] * stretch * stretch;
    }
    energy += flex_energy(m, d);
  }
  d->energy[0] = energy;
}

void mj_energyVel(const mjModel* m, mjData* d) {
  double energy = 0;
  double* momentum = data_scratch(d, m->nv);
  if (momentum) {
    mj_mulM(m, d, momentum, d->qvel);
    energy = 0.5 * vec_dot(d->qvel, momentum, m->nv);
  }
  d->energy[1] = energy;
}
