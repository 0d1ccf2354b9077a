// Sensors: readings of the present state into mjData.sensordata, in three stages.
//
// A sensor is read as soon as its inputs exist: mj_sensorPos after the position stage, mj_sensorVel
// after the velocity stage, mj_sensorAcc after the constraint forces. Each stage walks the sensors
// that the model's plan lists for it (sensor_needstage), writes sensor_dim numbers at sensor_adr,
// and applies the cutoff; then come user sensors, filled by one callback for the whole stage, and
// plugins.
//
// Two stages need more than the pipeline has computed, and compute it only if a sensor asks for it:
// subtree momenta (mj_subtreeVel) and the wrenches between bodies (mj_rnePostConstraint).
//
// Invariants:
//   - A reading depends on the state alone: sensors have no memory, and noise is not added here.
//   - Cutoff clamps real numbers to [-cutoff, cutoff] and positive ones to [.., cutoff]. Unit
//     vectors and quaternions have none; for distance sensors it is the search distance.
//
// File by file:
//
//   stage.c         the three documented functions: lists, cutoff, user sensors, plugins
//   position.c      poses, joint and tendon positions, rays, camera projection, energies, clock
//   velocity.c      velocities of frames, joints, tendons, actuators and subtrees
//   acceleration.c  accelerations, wrenches, forces of actuators and limits
//   contact.c       touch, limits and geom distances: what looks at contacts and rows
#ifndef SINEW_SENSE_SENSE_H_
#define SINEW_SENSE_SENSE_H_

#include "smooth/smooth.h"

// The reading of one sensor before the cutoff; false when its type has no reading in this stage.
bool sense_position(const mjModel* m, mjData* d, int sensor, double* reading);
bool sense_velocity(const mjModel* m, mjData* d, int sensor, double* reading);
bool sense_acceleration(const mjModel* m, mjData* d, int sensor, double* reading);

// Distance, normal or segment between two geoms, or between the geoms of two bodies.
void sense_distance(const mjModel* m, const mjData* d, int sensor, double* reading);

// Sum of the normal forces of the contacts in the zone of a site.
double sense_touch(const mjModel* m, const mjData* d, int site);

// The row of an active joint or tendon limit, or -1.
int sense_limit_row(const mjModel* m, const mjData* d, int type, int id);

#endif
