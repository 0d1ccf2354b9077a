// Forces of the surrounding medium (computation/fluid in the reference): on a body by the box of
// equal inertia, or on its geoms by ellipsoids.
#include "smooth/smooth.h"

void fluid_velocity(const mjModel* m, const mjData* d, int objtype, int id, const double* mat,
                    double vel[6]) {
  double wind[3];
  mj_objectVelocity(m, d, objtype, id, vel, 1);
  mat3_mulT_vec(wind, mat, m->opt.wind);
  vec3_sub(vel + 3, vel + 3, wind);
}

// Wrench in the frame `mat` at a point of the body, handed on in the world.
static void apply_local(const mjModel* m, mjData* d, int body, const double* point,
                        const double* mat, const double* torque, const double* force,
                        snFluidForce take, void* context) {
  double f[3], g[3];
  mat3_mul_vec(f, mat, force);
  mat3_mul_vec(g, mat, torque);
  take(m, d, context, body, point, f, g);
}

void fluid_box(const mjModel* m, int b, double r[3]) {
  const double* I = m->body_inertia + 3 * b;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    double square = 1.5 * (I[j] + I[k] - I[i]) / m->body_mass[b];
    r[i] = sqrt(square > mjMINVAL ? square : mjMINVAL);  // fmax is a call
  }
}

// Quadratic drag  f_i = -2 rho r_j r_k |v_i| v_i,  g_i = -rho/2 r_i (r_j^4 + r_k^4) |w_i| w_i
// and the viscosity of the sphere of mean radius, f = -6 pi beta r v,  g = -8 pi beta r^3 w.
static void inertia_box(const mjModel* m, mjData* d, int b, snFluidForce take, void* context) {
  double vel[6], force[3], torque[3], r[3];
  const double* mat = d->ximat + 9 * b;
  double rho = m->opt.density, beta = m->opt.viscosity;
  fluid_box(m, b, r);
  fluid_velocity(m, d, mjOBJ_BODY, b, mat, vel);
  double mean = (r[0] + r[1] + r[2]) / 3;
  for (int i = 0; i < 3; i++) {
    double rj = r[(i + 1) % 3], rk = r[(i + 2) % 3], w = vel[i], v = vel[3 + i];
    double rj4 = rj * rj * rj * rj, rk4 = rk * rk * rk * rk;
    force[i] = -6 * mjPI * beta * mean * v - 2 * rho * rj * rk * fabs(v) * v;
    torque[i] =
        -8 * mjPI * beta * mean * mean * mean * w - 0.5 * rho * r[i] * (rj4 + rk4) * fabs(w) * w;
  }
  apply_local(m, d, b, d->xipos + 3 * b, mat, torque, force, take, context);
}

void fluid_semi_axes(const mjModel* m, int g, double r[3]) {
  const double* size = m->geom_size + 3 * g;
  switch (m->geom_type[g]) {
    case mjGEOM_SPHERE:
      vec3_set(r, size[0], size[0], size[0]);
      break;
    case mjGEOM_CAPSULE:
      vec3_set(r, size[0], size[0], size[1] + size[0]);
      break;
    case mjGEOM_CYLINDER:
      vec3_set(r, size[0], size[0], size[1]);
      break;
    default:
      vec3_copy(r, size);
  }
}

// Added mass: f = p x w, g = p x v + l x w with the virtual momenta p = m_A v, l = I_A w.
static void added_mass(const double* coef, double rho, const double* vel, double* force,
                       double* torque) {
  const double *w = vel, *v = vel + 3;
  double p[3], l[3], c[3];
  for (int i = 0; i < 3; i++) {
    p[i] = rho * coef[FLUID_MASS + i] * v[i];
    l[i] = rho * coef[FLUID_INERTIA + i] * w[i];
  }
  vec3_cross(c, p, w);
  vec3_add(force, force, c);
  vec3_cross(c, p, v);
  vec3_add(torque, torque, c);
  vec3_cross(c, l, w);
  vec3_add(torque, torque, c);
}

// Magnus lift, Kutta lift, drag and viscosity of an ellipsoid.
static void lift_and_drag(const double* coef, const double* r, double rho, double beta,
                          const double* vel, double* force, double* torque) {
  const double *w = vel, *v = vel + 3;
  double volume = 4.0 / 3 * mjPI * r[0] * r[1] * r[2], magnus[3];
  double speed = vec3_norm(v);
  double rmax = fmax(r[0], fmax(r[1], r[2])), rmin = fmin(r[0], fmin(r[1], r[2]));
  double rmid = r[0] + r[1] + r[2] - rmax - rmin, mean = (r[0] + r[1] + r[2]) / 3;
  double amax = mjPI * rmax * rmid;

  // f_M = C_M rho V w x v
  vec3_cross(magnus, w, v);
  vec3_add_scaled(force, force, magnus, coef[FLUID_MAGNUS] * rho * volume);

  // area projected along v, and the normal n of the cross-section that generates it:
  // with e_i = r_j r_k, A = pi sqrt(sum e_i^4 u_i^2 / sum e_i^2 u_i^2), n_i ~ e_i / r_i u_i
  double e[3] = {r[1] * r[2], r[2] * r[0], r[0] * r[1]}, num = 0, den = 0, n[3];
  for (int i = 0; i < 3; i++) {
    double e2 = e[i] * e[i];
    num += e2 * e2 * v[i] * v[i];
    den += e2 * v[i] * v[i];
    n[i] = e2 * v[i];
  }
  double area = mjPI * sqrt(num / fmax(mjMINVAL, den));

  // f_K = C_K rho A (v^ . n) (n x v) x v, n unit
  double cosine = den / fmax(mjMINVAL, speed * num), circulation[3], kutta[3];
  vec3_cross(circulation, n, v);
  vec3_cross(kutta, circulation, v);
  vec3_add_scaled(force, force, kutta, coef[FLUID_KUTTA] * rho * area * cosine);

  // f_D = -rho (C_blunt A + C_slender (A_max - A)) |v| v;  f_V = -6 pi mean beta v
  double drag = rho * speed * (coef[FLUID_BLUNT] * area + coef[FLUID_SLENDER] * (amax - area)) +
                6 * mjPI * mean * beta;
  vec3_add_scaled(force, force, v, -drag);

  // g_D = -rho |[C_angular I_D + C_slender (I_max - I_D)] w| w;  g_V = -8 pi mean^3 beta w
  double I[3], imax = 0, scaled[3];
  for (int i = 0; i < 3; i++) {
    double rm = fmax(r[(i + 1) % 3], r[(i + 2) % 3]);
    I[i] = 8.0 / 15 * mjPI * r[i] * rm * rm * rm * rm;
    imax = fmax(imax, I[i]);
  }
  for (int i = 0; i < 3; i++) {
    scaled[i] = w[i] * (coef[FLUID_ANGULAR] * I[i] + coef[FLUID_SLENDER] * (imax - I[i]));
  }
  double swirl = rho * vec3_norm(scaled) + 8 * mjPI * mean * mean * mean * beta;
  vec3_add_scaled(torque, torque, w, -swirl);
}

static void ellipsoid(const mjModel* m, mjData* d, int g, snFluidForce take, void* context) {
  const double *coef = m->geom_fluid + mjNFLUID * g, *mat = d->geom_xmat + 9 * g;
  double vel[6], force[3] = {0}, torque[3] = {0}, r[3];
  fluid_velocity(m, d, mjOBJ_GEOM, g, mat, vel);
  fluid_semi_axes(m, g, r);
  added_mass(coef, m->opt.density, vel, force, torque);
  lift_and_drag(coef, r, m->opt.density, m->opt.viscosity, vel, force, torque);
  vec3_scale(force, force, coef[FLUID_SHARE]);
  vec3_scale(torque, torque, coef[FLUID_SHARE]);
  apply_local(m, d, m->geom_bodyid[g], d->geom_xpos + 3 * g, mat, torque, force, take, context);
}

bool fluid_each(const mjModel* m, mjData* d, snFluidForce take, void* context) {
  if (m->opt.density == 0 && m->opt.viscosity == 0) return false;
  for (int b = 1; b < m->nbody; b++) {
    if (m->body_mass[b] < mjMINVAL) continue;
    bool by_geom = false;
    int end = m->body_geomadr[b] + m->body_geomnum[b];
    for (int g = m->body_geomadr[b]; g < end; g++) {
      by_geom = by_geom || m->geom_fluid[mjNFLUID * g] > 0;
    }
    if (!by_geom) {
      inertia_box(m, d, b, take, context);
      continue;
    }
    for (int g = m->body_geomadr[b]; g < end; g++) {
      if (m->geom_fluid[mjNFLUID * g] > 0) ellipsoid(m, d, g, take, context);
    }
  }
  return true;
}

static void to_joints(const mjModel* m, mjData* d, void* unused, int body, const double* point,
                      const double* force, const double* torque) {
  (void)unused;
  mj_applyFT(m, d, force, torque, point, body, d->qfrc_fluid);
}

bool fluid_passive(const mjModel* m, mjData* d) { return fluid_each(m, d, to_joints, NULL); }
