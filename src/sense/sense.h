// Sensors, one stage after each part of the pipeline. The stages are the documented functions.
#ifndef SINEW_SENSE_SENSE_H_
#define SINEW_SENSE_SENSE_H_

#include "smooth/smooth.h"

// Readings of one sensor, before cutoff; false when its type has no reading in this stage.
bool sense_position(const mjModel* m, mjData* d, int sensor, double* reading);
bool sense_velocity(const mjModel* m, mjData* d, int sensor, double* reading);
bool sense_acceleration(const mjModel* m, mjData* d, int sensor, double* reading);

// Distance, normal and segment between two geoms, or between all geoms of bodies.
void sense_distance(const mjModel* m, const mjData* d, int sensor, double* reading);

// Sum of the normal forces of contacts in the zone of a site.
double sense_touch(const mjModel* m, const mjData* d, int site);

// The row of an active joint or tendon limit, or -1.
int sense_limit_row(const mjModel* m, const mjData* d, int type, int id);

#endif
