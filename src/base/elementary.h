// Elementary functions within 1 ulp of the exact value, with the same bits on every platform.
// Engine code calls these instead of libm's, whose last bits differ between systems. From libm it
// uses only what IEEE 754 rounds correctly or computes exactly: sqrt, fabs, floor, ceil, fmod,
// rint.
#ifndef SINEW_BASE_ELEMENTARY_H_
#define SINEW_BASE_ELEMENTARY_H_

double sn_sin(double x);
double sn_cos(double x);
void sn_sincos(double x, double* sine, double* cosine);
double sn_tan(double x);
double sn_asin(double x);
double sn_acos(double x);
double sn_atan(double x);
double sn_atan2(double y, double x);
double sn_exp(double x);
double sn_log(double x);
double sn_log10(double x);
double sn_pow(double x, double y);
double sn_tanh(double x);
double sn_cbrt(double x);

// Maximum and minimum; the second argument when either is NaN. One instruction each, where fmax and
// fmin are calls whose result for zeros of opposite sign depends on the platform.
static inline double sn_max(double a, double b) { return a > b ? a : b; }
static inline double sn_min(double a, double b) { return a < b ? a : b; }

#endif
