// flexcomp: a deformable object grown from a few parameters into bodies, joints, a flex and
// perhaps an equality.
#ifndef SINEW_SPEC_FLEXCOMP_H_
#define SINEW_SPEC_FLEXCOMP_H_

#include "base/base.h"

typedef enum snFlexcompType_ {
  snFCOMP_GRID = 0,
  snFCOMP_BOX,
  snFCOMP_CYLINDER,
  snFCOMP_ELLIPSOID,
  snFCOMP_SQUARE,
  snFCOMP_DISC,
  snFCOMP_CIRCLE,
  snFCOMP_MESH,
  snFCOMP_GMSH,
  snFCOMP_DIRECT
} snFlexcompType;

typedef enum snFlexcompDof_ {
  snFCOMPDOF_FULL = 0,
  snFCOMPDOF_RADIAL,
  snFCOMPDOF_TRILINEAR,
  snFCOMPDOF_QUADRATIC
} snFlexcompDof;

typedef struct snFlexcomp_ {
  const char* name;
  const char* material;  // NULL: none
  snFlexcompType type;
  snFlexcompDof dof;
  mjsFlex flex;  // scalar members only, passed on: dim, radius, rgba, group, flatskin, contact,
                 // edgestiffness, edgedamping, elasticity. Filled by flexcomp_default.
  int count[3];
  double spacing[3];
  double scale[3];
  double origin[3];
  bool has_origin;
  double mass;
  double inertiabox;
  bool rigid;
  bool equality;
  mjtNum solref[mjNREF], solimp[mjNIMP];  // of the edge equality
  double pos[3];
  double quat[4];
  mjsOrientation alt;   // resolved by the caller into quat when used
  const double* point;  // direct: numbers
  int npoint;
  const int* element;
  int nelement;
  const float* texcoord;
  int ntexcoord;
  const int *pinid, *pinrange, *pingrid, *pingridrange;  // numbers
  int npinid, npinrange, npingrid, npingridrange;
  const char* file;        // as written, for messages and the extension
  const void* file_bytes;  // its contents, found by the caller
  size_t file_size;
  const mjsPlugin*
      plugin;  // NULL: none; its plugin_name, name, active and attributes are passed on
  void (*plugin_copy)(mjsPlugin* to, const mjsPlugin* from);  // how the reader passes it on
} snFlexcomp;

void flexcomp_default(snFlexcomp* comp);

// Add what the flexcomp stands for: bodies under `body` (inside `frame`, NULL: none), the flex and
// the equality to its spec, `childclass` as the default class of the new bodies' elements.
bool flexcomp_make(const snFlexcomp* comp, mjSpec* spec, mjsBody* body, mjsFrame* frame,
                   const mjsDefault* def, snFault* fault);

#endif
