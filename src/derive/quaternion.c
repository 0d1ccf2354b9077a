// Derivatives of quaternion operations on the tangent space.
#include "algebra/algebra.h"

// res = I + a [x] + b [x]^2
static void rodrigues(mjtNum res[9], const mjtNum x[3], mjtNum a, mjtNum b) {
  mjtNum xx = x[0] * x[0], yy = x[1] * x[1], zz = x[2] * x[2];
  mjtNum xy = x[0] * x[1], xz = x[0] * x[2], yz = x[1] * x[2];
  res[0] = 1 - b * (yy + zz);
  res[1] = b * xy - a * x[2];
  res[2] = b * xz + a * x[1];
  res[3] = b * xy + a * x[2];
  res[4] = 1 - b * (xx + zz);
  res[5] = b * yz - a * x[0];
  res[6] = b * xz - a * x[1];
  res[7] = b * yz + a * x[0];
  res[8] = 1 - b * (xx + yy);
}

// x = log(qb* qa): dx/da = inv(Jr(x)) = I + [x]/2 + (1 - t/2 cot(t/2))/t^2 [x]^2, dx/db is minus
// its transpose.
void mjd_subQuat(const mjtNum qa[4], const mjtNum qb[4], mjtNum Da[9], mjtNum Db[9]) {
  if (!Da && !Db) return;
  mjtNum x[3], D[9];
  mju_subQuat(x, qa, qb);
  mjtNum t = vec3_norm(x), c = 1.0 / 12;
  if (t > 1e-4) {
    mjtNum sine, cosine;
    sn_sincos(0.5 * t, &sine, &cosine);
    c = (1 - 0.5 * t * cosine / sine) / (t * t);
  } else {
    c += t * t / 720;
  }
  rodrigues(D, x, 0.5, c);
  if (Da) mat3_copy(Da, D);
  if (Db) {
    mat3_transpose(Db, D);
    for (int i = 0; i < 9; i++) Db[i] = -Db[i];
  }
}

// q exp(x) with x = scale vel: by q, exp(-[x]); by x, the right Jacobian of exp; by scale, vel,
// which exp leaves where it is.
void mjd_quatIntegrate(const mjtNum vel[3], mjtNum scale, mjtNum Dquat[9], mjtNum Dvel[9],
                       mjtNum Dscale[3]) {
  mjtNum x[3], sine, cosine;
  vec3_scale(x, vel, scale);
  mjtNum t = vec3_norm(x), tt = t * t;
  mjtNum a = 1 - tt / 6, b = 0.5 - tt / 24, c = 1.0 / 6 - tt / 120;
  if (t > 1e-3) {
    sn_sincos(t, &sine, &cosine);
    a = sine / t;
    b = (1 - cosine) / tt;
    c = (t - sine) / (tt * t);
  }
  if (Dquat) rodrigues(Dquat, x, -a, b);
  if (Dvel) rodrigues(Dvel, x, -b, c);
  if (Dscale) vec3_copy(Dscale, vel);
}
