// Elementary functions: the first landing stands on libm so that the rooms above can link.
#include "base/elementary.h"

#include <math.h>

double sn_sin(double x) { return sin(x); }
double sn_cos(double x) { return cos(x); }
void sn_sincos(double x, double* sine, double* cosine) {
  *sine = sin(x);
  *cosine = cos(x);
}
double sn_tan(double x) { return tan(x); }
double sn_asin(double x) { return asin(x); }
double sn_acos(double x) { return acos(x); }
double sn_atan(double x) { return atan(x); }
double sn_atan2(double y, double x) { return atan2(y, x); }
double sn_exp(double x) { return exp(x); }
double sn_log(double x) { return log(x); }
double sn_log10(double x) { return log10(x); }
double sn_pow(double x, double y) { return pow(x, y); }
double sn_tanh(double x) { return tanh(x); }
double sn_cbrt(double x) { return cbrt(x); }
