// Catenary: the shape of a slack tendon (catenary.c).
#ifndef SINEW_VIEW_CATENARY_H_
#define SINEW_VIEW_CATENARY_H_

#include "view/view.h"

enum { snCATENARY = 1001 };  // most points of a curve

// Points on a cable of the given length between two points, `segments` and one of them; returns their
// number, at most snCATENARY, or 0 when the cable is taut or there is no gravity.
int catenary_points(double points[3 * snCATENARY], const double from[3], const double to[3],
                    double length, const double gravity[3], int segments);

#endif
