// Height fields as grids of upright triangular prisms. Private to the room.
#ifndef SINEW_COLLIDE_HFIELD_H_
#define SINEW_COLLIDE_HFIELD_H_

#include "collide/narrow.h"

// A posed height field. Each cell is split along the diagonal from (c, r) to (c + 1, r + 1).
typedef struct snHfield_ {
  int nrow, ncol;
  const double *size, *pos, *mat;
  const float* data;
  double dx, dy;
} snHfield;

snHfield hfield_of(const mjModel* m, const mjData* d, int geom);
// The cells under a box given in the frame of the field: columns cell[0] to cell[1], rows cell[2]
// to cell[3], ends excluded. False when the box is outside the field.
bool hfield_cells(const snHfield* f, const double low[3], const double high[3], int cell[4]);
// The corners of one triangle of a cell, in the frame of the field; returns the largest z.
double hfield_triangle(const snHfield* f, int c, int r, int half, snVec v[3]);

// A ball around p against a prism: three vertices below, then the three above them. Touches within
// `cutoff`. False, without a result, when p is less than `outside` away from the prism: the caller
// then runs the general search.
bool collide_prism_ball(snTouchList* list, const double point[18], snVec p, double radius,
                        double cutoff, double outside);

void collide_hfield(const mjModel* m, const mjData* d, snTouchList* list, int hfield_geom,
                    const snShape* b, double margin);

#endif
