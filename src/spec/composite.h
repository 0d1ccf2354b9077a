// composite: a cable grown from a few parameters into a chain of bodies. Version 3.3.4 knows the
// type "cable" only.
#ifndef SINEW_SPEC_COMPOSITE_H_
#define SINEW_SPEC_COMPOSITE_H_

#include "base/base.h"

typedef enum snCompositeType_ { snCOMP_CABLE = 0 } snCompositeType;

typedef enum snCompositeShape_ {
  snCOMPSHAPE_LINE = 0,  // 's'
  snCOMPSHAPE_COS,       // 'cos(s)'
  snCOMPSHAPE_SIN,       // 'sin(s)'
  snCOMPSHAPE_ZERO       // '0'
} snCompositeShape;

typedef enum snCompositeInitial_ {
  snCOMPINITIAL_BALL = 0,  // the first body's joint
  snCOMPINITIAL_FREE,
  snCOMPINITIAL_NONE
} snCompositeInitial;

typedef struct snComposite_ {
  const char* prefix;  // NULL or "": none
  snCompositeType type;
  snCompositeInitial initial;
  int count[3];
  double offset[3];
  double quat[4];
  double size[3];
  snCompositeShape curve[3];
  const double* vertex;  // numbers
  int nvertex;

  // sub-elements: scalars as read, over the engine's defaults (classes do not reach in here);
  // pointer members unused
  bool has_joint;  // a joint of kind main was given
  mjsJoint joint;
  mjsGeom geom;
  const char* geom_material;
  mjsSite site;
  const char* site_material;
  bool has_skin;
  const char* skin_material;
  float skin_rgba[4];
  float skin_inflate;
  int skin_subgrid;
  int skin_group;
  bool skin_texcoord;
  const mjsPlugin* plugin;
  void (*plugin_copy)(mjsPlugin* to, const mjsPlugin* from);
} snComposite;

void composite_default(snComposite* comp);
bool composite_make(const snComposite* comp, mjSpec* spec, mjsBody* body, mjsFrame* frame,
                    const mjsDefault* def, snFault* fault);

#endif
