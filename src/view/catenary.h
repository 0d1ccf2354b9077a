#ifndef SINEW_VIEW_CATENARY_H_
#define SINEW_VIEW_CATENARY_H_

#include "view/view.h"

enum { snCATENARY = 29 };  // points of a hanging cable

// Points of a cable of the given length that hangs between two points: how many, at most
// snCATENARY; 0 when the cable is taut or there is no gravity.
int catenary_points(double points[3 * snCATENARY], const double from[3], const double to[3],
                    double length, const double gravity[3]);

#endif
