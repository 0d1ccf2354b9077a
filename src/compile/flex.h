// Shared by flex.c and flex_elastic.c.
#ifndef SINEW_COMPILE_FLEX_H_
#define SINEW_COMPILE_FLEX_H_

#include "compile/asset.h"

// Edges of an element in the order of flex_elemedge, as pairs of its corners.
extern const int kFlexEdge[3][6][2];
static inline int flex_edges_of(int dim) { return dim == 1 ? 1 : dim == 2 ? 3 : 6; }

// Elasticity: stiffness of elements, bending of edges (needs edgeflap), or of the node grid.
bool flex_make_elasticity(snFlex* flex, const snFlexSource* source, const double* xvert,
                          snFault* fault);

#endif
