// The derivative of fluid forces with respect to velocity: B = d(torque, force)/d(w, v) in the
// frame of the object, then J' B J over the chain of its body. The forces are those of
// smooth/fluid.c; each term below is the derivative of the term of the same name there.
#include <string.h>

#include "integrate/private.h"
#include "data/frame.h"
#include "smooth/smooth.h"

// Blocks of B: rows torque (0) and force (3), columns w (0) and v (3).
SN_INLINE mjtNum* block(mjtNum B[36], int row, int col) { return B + 6 * row + col; }

// block += s [a]x diag(c); c = NULL stands for ones
static void add_cross(mjtNum* b, const mjtNum* a, const mjtNum* c, mjtNum s) {
  mjtNum c0 = c ? c[0] : 1, c1 = c ? c[1] : 1, c2 = c ? c[2] : 1;
  b[1] -= s * a[2] * c1;
  b[2] += s * a[1] * c2;
  b[6] += s * a[2] * c0;
  b[8] -= s * a[0] * c2;
  b[12] -= s * a[1] * c0;
  b[13] += s * a[0] * c1;
}

// block += s a b'
static void add_outer(mjtNum* m, const mjtNum* a, const mjtNum* b, mjtNum s) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) m[6 * i + j] += s * a[i] * b[j];
  }
}

static void add_diagonal(mjtNum* m, mjtNum s) {
  for (int i = 0; i < 3; i++) m[7 * i] += s;
}

// qDeriv += J' B J with the Jacobian of a point of the body in the frame `mat`.
static void add_body(const mjModel* m, mjData* d, void* unused, int body, const mjtNum* point,
                     const mjtNum* mat, const mjtNum B[36]) {
  (void)unused;
  const snPattern* pattern = model_pattern(m);
  const snPlan* plan = model_plan(m);
  const int* chain = plan->chain + plan->chain_adr[body];
  int n = plan->chain_num[body];
  if (!n) return;
  mjtNum *jp, *jr, *J, *BJ;  // J and BJ by columns of 6
  mj_markStack(d);
  if (!FRAME(memory_of(d), SN_ARRAY(jp, 3 * (size_t)n), SN_ARRAY(jr, 3 * (size_t)n),
             SN_ARRAY(J, 6 * (size_t)n), SN_ARRAY(BJ, 6 * (size_t)n))) {
    mj_freeStack(d);
    return;
  }
  jac_chain(m, d, jp, jr, point, body, chain, n);
  for (int k = 0; k < n; k++) {
    mjtNum r[3] = {jr[k], jr[n + k], jr[2 * n + k]}, p[3] = {jp[k], jp[n + k], jp[2 * n + k]};
    mat3_mulT_vec(J + 6 * k, mat, r);
    mat3_mulT_vec(J + 6 * k + 3, mat, p);
    for (int i = 0; i < 6; i++) BJ[6 * k + i] = vec_dot(B + 6 * i, J + 6 * k, 6);
  }
  // a chain contains all ancestors of its dofs, so every pair of its dofs is in the pattern of D
  for (int i = 0; i < n; i++) {
    int row = chain[i], at = pattern->D_rowadr[row];
    for (int k = 0; k < n; k++) {
      while (pattern->D_colind[at] != chain[k]) at++;
      d->qDeriv[at] += vec_dot(J + 6 * i, BJ + 6 * k, 6);
    }
  }
  mj_freeStack(d);
}

// d(|x| x)/dx = 2 |x|
static void inertia_box(const mjModel* m, mjData* d, int b, snFluidSlope take, void* context) {
  mjtNum vel[6], B[36] = {0}, r[3];
  const mjtNum* mat = d->ximat + 9 * b;
  mjtNum rho = m->opt.density, beta = m->opt.viscosity;
  fluid_box(m, b, r);
  fluid_velocity(m, d, mjOBJ_BODY, b, mat, vel);
  mjtNum mean = (r[0] + r[1] + r[2]) / 3;
  for (int i = 0; i < 3; i++) {
    mjtNum rj = r[(i + 1) % 3], rk = r[(i + 2) % 3];
    mjtNum rj4 = rj * rj * rj * rj, rk4 = rk * rk * rk * rk;
    B[7 * i] = -8 * mjPI * beta * mean * mean * mean - rho * r[i] * (rj4 + rk4) * fabs(vel[i]);
    B[7 * (3 + i)] = -6 * mjPI * beta * mean - 4 * rho * rj * rk * fabs(vel[3 + i]);
  }
  take(m, d, context, b, d->xipos + 3 * b, mat, B);
}

// f = p x w, g = p x v + l x w with p = m_A v, l = I_A w
static void added_mass(const mjtNum* coef, mjtNum rho, const mjtNum* w, const mjtNum* v,
                       mjtNum B[36]) {
  mjtNum mass[3], inertia[3], p[3], l[3];
  for (int i = 0; i < 3; i++) {
    mass[i] = rho * coef[FLUID_MASS + i];
    inertia[i] = rho * coef[FLUID_INERTIA + i];
    p[i] = mass[i] * v[i];
    l[i] = inertia[i] * w[i];
  }
  add_cross(block(B, 3, 0), p, NULL, 1);
  add_cross(block(B, 3, 3), w, mass, -1);
  add_cross(block(B, 0, 3), p, NULL, 1);
  add_cross(block(B, 0, 3), v, mass, -1);
  add_cross(block(B, 0, 0), l, NULL, 1);
  add_cross(block(B, 0, 0), w, inertia, -1);
}

static void lift_and_drag(const mjtNum* coef, const mjtNum* r, mjtNum rho, mjtNum beta,
                          const mjtNum* w, const mjtNum* v, mjtNum B[36]) {
  mjtNum volume = 4.0 / 3 * mjPI * r[0] * r[1] * r[2];
  mjtNum speed = vec3_norm(v), mean = (r[0] + r[1] + r[2]) / 3;
  mjtNum rmax = mju_max(r[0], mju_max(r[1], r[2])), rmin = mju_min(r[0], mju_min(r[1], r[2]));
  mjtNum amax = mjPI * rmax * (r[0] + r[1] + r[2] - rmax - rmin);
  mjtNum* F = block(B, 3, 3);

  // Magnus: k w x v
  mjtNum magnus = coef[FLUID_MAGNUS] * rho * volume;
  add_cross(block(B, 3, 0), v, NULL, -magnus);
  add_cross(F, w, NULL, magnus);

  // den = v'E2 v, num = v'E4 v with E2 = diag(e_i^2); E2 v and E4 v are half their gradients
  mjtNum e[3] = {r[1] * r[2], r[2] * r[0], r[0] * r[1]}, E2v[3], E4v[3], num = 0, den = 0;
  for (int i = 0; i < 3; i++) {
    mjtNum e2 = e[i] * e[i];
    E2v[i] = e2 * v[i];
    E4v[i] = e2 * e2 * v[i];
    den += E2v[i] * v[i];
    num += E4v[i] * v[i];
  }
  add_diagonal(F, -6 * mjPI * mean * beta);
  if (speed > mjMINVAL && num > mjMINVAL * mjMINVAL && den > mjMINVAL * mjMINVAL) {
    mjtNum area = mjPI * sqrt(num / den), grad[3];

    // Kutta: k s g,  s = sqrt(den/num)/|v|,  g = v den - E2v |v|^2
    mjtNum s = sqrt(den / num) / speed, k = coef[FLUID_KUTTA] * rho * mjPI, g[3];
    for (int i = 0; i < 3; i++) {
      g[i] = v[i] * den - E2v[i] * speed * speed;
      grad[i] = s * (E2v[i] / den - E4v[i] / num - v[i] / (speed * speed));
    }
    add_outer(F, g, grad, k);
    add_diagonal(F, k * s * den);
    add_outer(F, v, E2v, 2 * k * s);
    for (int i = 0; i < 3; i++) F[7 * i] -= k * s * e[i] * e[i] * speed * speed;
    add_outer(F, E2v, v, -2 * k * s);

    // drag: -rho |v| q v,  q = C_slender A_max + (C_blunt - C_slender) A
    mjtNum q = coef[FLUID_SLENDER] * amax + (coef[FLUID_BLUNT] - coef[FLUID_SLENDER]) * area;
    for (int i = 0; i < 3; i++) {
      mjtNum slope = area * (E4v[i] / num - E2v[i] / den);
      grad[i] = q * v[i] / speed + speed * (coef[FLUID_BLUNT] - coef[FLUID_SLENDER]) * slope;
    }
    add_diagonal(F, -rho * speed * q);
    add_outer(F, v, grad, -rho);
  }

  // angular drag: -(rho |S w| + viscous) w
  mjtNum S[3], Sw[3], SSw[3], I[3], imax = 0;
  for (int i = 0; i < 3; i++) {
    mjtNum rm = mju_max(r[(i + 1) % 3], r[(i + 2) % 3]);
    I[i] = 8.0 / 15 * mjPI * r[i] * rm * rm * rm * rm;
    imax = mju_max(imax, I[i]);
  }
  for (int i = 0; i < 3; i++) {
    S[i] = coef[FLUID_ANGULAR] * I[i] + coef[FLUID_SLENDER] * (imax - I[i]);
    Sw[i] = S[i] * w[i];
    SSw[i] = S[i] * Sw[i];
  }
  mjtNum norm = vec3_norm(Sw);
  add_diagonal(block(B, 0, 0), -rho * norm - 8 * mjPI * mean * mean * mean * beta);
  if (norm > mjMINVAL) add_outer(block(B, 0, 0), w, SSw, -rho / norm);
}

static void ellipsoid(const mjModel* m, mjData* d, int g, bool symmetric, snFluidSlope take,
                      void* context) {
  const mjtNum *coef = m->geom_fluid + mjNFLUID * g, *mat = d->geom_xmat + 9 * g;
  mjtNum vel[6], r[3], B[36] = {0};
  fluid_velocity(m, d, mjOBJ_GEOM, g, mat, vel);
  fluid_semi_axes(m, g, r);
  added_mass(coef, m->opt.density, vel, vel + 3, B);
  lift_and_drag(coef, r, m->opt.density, m->opt.viscosity, vel, vel + 3, B);
  for (int i = 0; i < 36; i++) B[i] *= coef[FLUID_SHARE];
  for (int i = 0; symmetric && i < 6; i++) {
    for (int j = 0; j < i; j++) B[6 * i + j] = B[6 * j + i] = 0.5 * (B[6 * i + j] + B[6 * j + i]);
  }
  take(m, d, context, m->geom_bodyid[g], d->geom_xpos + 3 * g, mat, B);
}

void derivative_fluid_each(const mjModel* m, mjData* d, bool symmetric, snFluidSlope take,
                           void* context) {
  if (m->opt.disableflags & mjDSBL_PASSIVE) return;
  if (m->opt.density == 0 && m->opt.viscosity == 0) return;
  for (int b = 1; b < m->nbody; b++) {
    if (m->body_mass[b] < mjMINVAL) continue;
    bool by_geom = false;
    int begin = m->body_geomadr[b], end = begin + m->body_geomnum[b];
    for (int g = begin; g < end; g++) by_geom |= m->geom_fluid[mjNFLUID * g] > 0;
    if (!by_geom) {
      inertia_box(m, d, b, take, context);
      continue;
    }
    for (int g = begin; g < end; g++) {
      if (m->geom_fluid[mjNFLUID * g] > 0) ellipsoid(m, d, g, symmetric, take, context);
    }
  }
}

void derivative_fluid(const mjModel* m, mjData* d, bool symmetric) {
  derivative_fluid_each(m, d, symmetric, add_body, NULL);
}
