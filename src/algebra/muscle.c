// Muscles as the modeling chapter describes them: active force F_L(L) F_V(V), passive force F_P(L),
// activation dynamics; and the other documented scalar functions. L and V are in units of the
// optimal length L0.
#include <limits.h>
#include <stdlib.h>

#include "algebra/algebra.h"

// ---- muscle: prm = (range[2], force, scale, lmin, lmax, vmax, fpmax, fvmax)

// L0 such that the operating range prm[0..1], in units of L0, spans the actuator's length range.
static inline double muscle_length0(const double lengthrange[2], const double prm[9]) {
  return (lengthrange[1] - lengthrange[0]) / sn_max(prm[1] - prm[0], mjMINVAL);
}

static inline double muscle_scaled_length(double len, double length0, const double lengthrange[2],
                                          const double prm[9]) {
  return prm[0] + (len - lengthrange[0]) / sn_max(length0, mjMINVAL);
}

static inline double muscle_peak_force(double acc0, const double prm[9]) {
  return prm[2] < 0 ? prm[3] / sn_max(acc0, mjMINVAL) : prm[2];
}

// F_L: four parabolas with continuous slope, joined at the middles of [lmin, 1] and [1, lmax]
static inline double muscle_length_gain(double L, double lmin, double lmax) {
  if (L < lmin || L > lmax) return 0;
  double a = 0.5 * (lmin + 1), b = 0.5 * (1 + lmax);
  double x;
  if (L <= a) {
    x = (L - lmin) / sn_max(a - lmin, mjMINVAL);
    return 0.5 * x * x;
  }
  if (L <= 1) {
    x = (1 - L) / sn_max(1 - a, mjMINVAL);
    return 1 - 0.5 * x * x;
  }
  if (L <= b) {
    x = (L - 1) / sn_max(b - 1, mjMINVAL);
    return 1 - 0.5 * x * x;
  }
  x = (lmax - L) / sn_max(lmax - b, mjMINVAL);
  return 0.5 * x * x;
}

// Exported without a declaration by the released library, as are the time scale and the box below.
MJAPI mjtNum mju_muscleGainLength(mjtNum length, mjtNum lmin, mjtNum lmax);
mjtNum mju_muscleGainLength(mjtNum length, mjtNum lmin, mjtNum lmax) {
  return muscle_length_gain(length, lmin, lmax);
}

// F_V: 0 from V = -1, 1 at rest, fvmax from V = fvmax - 1
static inline double muscle_velocity_gain(double V, double fvmax) {
  double y = fvmax - 1;
  if (V <= -1) return 0;
  if (V <= 0) return (V + 1) * (V + 1);
  if (V <= y) return fvmax - (y - V) * (y - V) / sn_max(y, mjMINVAL);
  return fvmax;
}

static inline double muscle_velocity_slope(double V, double fvmax) {
  double y = fvmax - 1;
  if (V <= -1 || V > (y > 0 ? y : 0)) return 0;
  return V <= 0 ? 2 * (V + 1) : 2 * (y - V) / sn_max(y, mjMINVAL);
}

mjtNum mju_muscleGain(mjtNum len, mjtNum vel, const mjtNum lengthrange[2], mjtNum acc0,
                      const mjtNum prm[9]) {
  double length0 = muscle_length0(lengthrange, prm);
  double L = muscle_scaled_length(len, length0, lengthrange, prm);
  double V = vel / sn_max(length0 * prm[6], mjMINVAL);
  double gain = muscle_length_gain(L, prm[4], prm[5]) * muscle_velocity_gain(V, prm[8]);
  return -muscle_peak_force(acc0, prm) * gain;
}

// The derivative of the gain with respect to velocity.
double muscle_gain_slope(double len, double vel, const double lengthrange[2], double acc0,
                         const double prm[9]) {
  double length0 = muscle_length0(lengthrange, prm);
  double L = muscle_scaled_length(len, length0, lengthrange, prm);
  double scale = sn_max(length0 * prm[6], mjMINVAL);
  double slope = muscle_velocity_slope(vel / scale, prm[8]) / scale;
  return -muscle_peak_force(acc0, prm) * muscle_length_gain(L, prm[4], prm[5]) * slope;
}

// The derivative of F_L with respect to L.
static inline double muscle_length_slope(double L, double lmin, double lmax) {
  if (L < lmin || L > lmax) return 0;
  double a = 0.5 * (lmin + 1), b = 0.5 * (1 + lmax), w;
  if (L <= a) {
    w = sn_max(a - lmin, mjMINVAL);
    return (L - lmin) / (w * w);
  }
  if (L <= 1) {
    w = sn_max(1 - a, mjMINVAL);
    return (1 - L) / (w * w);
  }
  if (L <= b) {
    w = sn_max(b - 1, mjMINVAL);
    return -(L - 1) / (w * w);
  }
  w = sn_max(lmax - b, mjMINVAL);
  return -(lmax - L) / (w * w);
}

// The derivative of the gain with respect to length.
double muscle_gain_slope_length(double len, double vel, const double lengthrange[2], double acc0,
                                const double prm[9]) {
  double length0 = muscle_length0(lengthrange, prm);
  double L = muscle_scaled_length(len, length0, lengthrange, prm);
  double V = vel / sn_max(length0 * prm[6], mjMINVAL);
  double slope = muscle_length_slope(L, prm[4], prm[5]) / sn_max(length0, mjMINVAL);
  return -muscle_peak_force(acc0, prm) * slope * muscle_velocity_gain(V, prm[8]);
}

// The derivative of the bias with respect to length.
double muscle_bias_slope(double len, const double lengthrange[2], double acc0,
                         const double prm[9]) {
  double length0 = muscle_length0(lengthrange, prm);
  double L = muscle_scaled_length(len, length0, lengthrange, prm);
  if (L <= 1) return 0;
  double b = 0.5 * (1 + prm[5]), w = sn_max(b - 1, mjMINVAL);
  double slope = L <= b ? (L - 1) / (w * w) : 1 / w;
  return -muscle_peak_force(acc0, prm) * prm[7] * slope / sn_max(length0, mjMINVAL);
}

// F_P: a parabola up to b, the middle of [1, lmax], then its tangent
mjtNum mju_muscleBias(mjtNum len, const mjtNum lengthrange[2], mjtNum acc0, const mjtNum prm[9]) {
  double length0 = muscle_length0(lengthrange, prm);
  double L = muscle_scaled_length(len, length0, lengthrange, prm);
  if (L <= 1) return 0;
  double force = muscle_peak_force(acc0, prm), fpmax = prm[7];
  double b = 0.5 * (1 + prm[5]);
  if (L <= b) {
    double x = (L - 1) / sn_max(b - 1, mjMINVAL);
    return -force * fpmax * 0.5 * x * x;
  }
  double x = (L - b) / sn_max(b - 1, mjMINVAL);
  return -force * fpmax * (0.5 + x);
}

// d act/dt = (ctrl - act) / tau, with tau blended between activation and deactivation
MJAPI mjtNum mju_muscleDynamicsTimescale(mjtNum dctrl, mjtNum tau_act, mjtNum tau_deact,
                                         mjtNum smoothing_width);
mjtNum mju_muscleDynamicsTimescale(mjtNum dctrl, mjtNum tau_act, mjtNum tau_deact,
                                   mjtNum smoothing_width) {
  if (smoothing_width < mjMINVAL) return dctrl > 0 ? tau_act : tau_deact;
  return tau_deact + (tau_act - tau_deact) * mju_sigmoid(dctrl / smoothing_width + 0.5);
}

mjtNum mju_muscleDynamics(mjtNum ctrl, mjtNum act, const mjtNum prm[3]) {
  double u = ctrl < 0 ? 0 : ctrl > 1 ? 1 : ctrl, a = act < 0 ? 0 : act > 1 ? 1 : act;
  double tau_act = prm[0] * (0.5 + 1.5 * a);
  double tau_deact = prm[1] / (0.5 + 1.5 * a);
  double difference = u - act;
  double tau = mju_muscleDynamicsTimescale(difference, tau_act, tau_deact, prm[2]);
  return difference / sn_max(tau, mjMINVAL);
}

// The derivatives of the dynamics with respect to ctrl and act.
void muscle_dynamics_slopes(double ctrl, double act, const double prm[3], double slope[2]) {
  double u = ctrl < 0 ? 0 : ctrl > 1 ? 1 : ctrl, a = act < 0 ? 0 : act > 1 ? 1 : act;
  double du = ctrl >= 0 && ctrl <= 1, da = act >= 0 && act <= 1;
  double blend = 0.5 + 1.5 * a, tau_act = prm[0] * blend, tau_deact = prm[1] / blend;
  double by_act = 1.5 * da * prm[0], by_deact = -1.5 * da * prm[1] / (blend * blend);
  double width = prm[2], difference = u - act, s = difference > 0, ds = 0;
  if (width >= mjMINVAL) {
    double x = difference / width + 0.5;
    s = mju_sigmoid(x);
    ds = x > 0 && x < 1 ? 30 * x * x * (x - 1) * (x - 1) / width : 0;
  }
  double tau = tau_deact + (tau_act - tau_deact) * s, dtau[2];
  dtau[0] = (tau_act - tau_deact) * ds * du;
  dtau[1] = by_deact + (by_act - by_deact) * s - (tau_act - tau_deact) * ds;
  bool held = !(tau > mjMINVAL);
  tau = sn_max(tau, mjMINVAL);
  slope[0] = du / tau - (held ? 0 : difference * dtau[0] / (tau * tau));
  slope[1] = -1 / tau - (held ? 0 : difference * dtau[1] / (tau * tau));
}

mjtNum mju_sigmoid(mjtNum x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  return x * x * x * (3 * x * (2 * x - 5) + 10);
}

// Where a point is by a box whose sides are longer, and shorter, by a factor: 1 outside the larger
// one, -1 inside the smaller one, 0 between them.
MJAPI int mju_outsideBox(const mjtNum point[3], const mjtNum pos[3], const mjtNum mat[9],
                         const mjtNum size[3], mjtNum inflate);
int mju_outsideBox(const mjtNum point[3], const mjtNum pos[3], const mjtNum mat[9],
                   const mjtNum size[3], mjtNum inflate) {
  if (!(inflate >= 1)) {
    mju_error("mju_outsideBox: inflate is %g, expected 1 or more", inflate);
    return 0;
  }
  mjtNum off[3], local[3];
  mju_sub3(off, point, pos);
  mju_mulMatTVec3(local, mat, off);
  bool inside = true;
  for (int i = 0; i < 3; i++) {
    mjtNum reach = fabs(local[i]);
    if (reach > inflate * size[i]) return 1;
    inside = inside && reach < size[i] / inflate;
  }
  return inside ? -1 : 0;
}

// ---- friction pyramid: edge pairs (normal +- mu tangent)

void mju_encodePyramid(mjtNum* pyramid, const mjtNum* force, const mjtNum* mu, int dim) {
  double share = force[0] / (dim - 1);
  for (int i = 0; i < dim - 1; i++) {
    double tangent = fmin(share, force[i + 1] / mu[i]);
    pyramid[2 * i] = 0.5 * (share + tangent);
    pyramid[2 * i + 1] = 0.5 * (share - tangent);
  }
}

void mju_decodePyramid(mjtNum* force, const mjtNum* pyramid, const mjtNum* mu, int dim) {
  if (dim == 1) {
    force[0] = pyramid[0];
    return;
  }
  double normal = 0;
  for (int i = 0; i < 2 * (dim - 1); i++) normal += pyramid[i];
  force[0] = normal;
  for (int i = 1; i < dim; i++) {
    force[i] = (pyramid[2 * (i - 1)] - pyramid[2 * (i - 1) + 1]) * mu[i - 1];
  }
}

// ---- x'' = -Kp x - Kv x' in closed form: two real roots, a double root, or a complex pair
mjtNum mju_springDamper(mjtNum pos0, mjtNum vel0, mjtNum Kp, mjtNum Kv, mjtNum dt) {
  double discriminant = Kv * Kv / 4 - Kp;
  if (discriminant > mjMINVAL) {
    double w = sqrt(discriminant);
    double r1 = -Kv / 2 + w, r2 = -Kv / 2 - w;
    double c1 = (vel0 - pos0 * r2) / (r1 - r2), c2 = (pos0 * r1 - vel0) / (r1 - r2);
    return c1 * sn_exp(r1 * dt) + c2 * sn_exp(r2 * dt);
  }
  if (discriminant < -mjMINVAL) {
    double w = sqrt(-discriminant), s, c;
    sn_sincos(w * dt, &s, &c);
    return sn_exp(-Kv * dt / 2) * (pos0 * c + (vel0 + pos0 * Kv / 2) / w * s);
  }
  return sn_exp(-Kv * dt / 2) * (pos0 + (vel0 + pos0 * Kv / 2) * dt);
}

// ---- scalars

mjtNum mju_min(mjtNum a, mjtNum b) { return a <= b ? a : b; }
mjtNum mju_max(mjtNum a, mjtNum b) { return a >= b ? a : b; }
mjtNum mju_clip(mjtNum x, mjtNum min, mjtNum max) { return x < min ? min : x > max ? max : x; }
mjtNum mju_sign(mjtNum x) { return x < 0 ? -1 : x > 0 ? 1 : 0; }

int mju_round(mjtNum x) {
  double lower = floor(x), upper = ceil(x);
  double r = x - lower < upper - x ? lower : upper;
  return r >= INT_MAX ? INT_MAX : r <= INT_MIN ? INT_MIN : (int)r;
}

int mju_isBad(mjtNum x) { return x != x || x > mjMAXVAL || x < -mjMAXVAL; }

// Radical inverse: the digits of index in the base, mirrored at the radix point.
mjtNum mju_Halton(int index, int base) {
  double sum = 0, digit = 1.0 / base;
  for (int rest = index; rest > 0; rest /= base) {
    sum += digit * (rest % base);
    digit /= base;
  }
  return sum;
}

// Marsaglia's polar method: a point in the unit disc gives two independent normal numbers.
mjtNum mju_standardNormal(mjtNum* num2) {
  double x, y, square;
  do {
    x = 2 * ((double)rand() / RAND_MAX) - 1;
    y = 2 * ((double)rand() / RAND_MAX) - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  double scale = sqrt(-2 * sn_log(square) / square);
  if (num2) *num2 = y * scale;
  return x * scale;
}
