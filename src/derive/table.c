// The table of parts: how each is differentiated. tests/derive/test_table.c holds it against the
// enumerations of the headers, so that none is forgotten.
#include <sinew/solver.h>

#include "derive/private.h"

// One more than snHow, so that what is not named is missing.
enum { EXACT = snHOW_EXACT + 1, DIFFERENCED, UNSUPPORTED };

enum { MOST = 64 };

typedef struct snTablePart_ {
  const char* name;
  unsigned char how[MOST];
} snTablePart;

static const snTablePart kParts[] = {
    {"joint",
     {[mjJNT_FREE] = EXACT, [mjJNT_BALL] = EXACT, [mjJNT_SLIDE] = EXACT, [mjJNT_HINGE] = EXACT}},
    {"integrator",
     {[mjINT_EULER] = EXACT,
      [mjINT_RK4] = EXACT,
      [mjINT_IMPLICIT] = EXACT,
      [mjINT_IMPLICITFAST] = EXACT}},
    // the solution is differentiated, whichever solver found it
    {"solver", {[mjSOL_PGS] = EXACT, [mjSOL_CG] = EXACT, [mjSOL_NEWTON] = EXACT}},
    {"cone", {[mjCONE_PYRAMIDAL] = EXACT, [mjCONE_ELLIPTIC] = EXACT}},
    // a model in maximal coordinates solves a problem of its own
    {"coordinates", {[0] = EXACT, [1] = DIFFERENCED}},
    {"condim", {[1] = EXACT, [3] = EXACT, [4] = EXACT, [6] = EXACT}},
    {"equality",
     {[mjEQ_CONNECT] = EXACT,
      [mjEQ_WELD] = EXACT,
      [mjEQ_JOINT] = EXACT,
      [mjEQ_TENDON] = EXACT,
      [mjEQ_FLEX] = DIFFERENCED,
      [mjEQ_DISTANCE] = UNSUPPORTED}},
    {"row",
     {[mjCNSTR_EQUALITY] = EXACT,
      [mjCNSTR_FRICTION_DOF] = EXACT,
      [mjCNSTR_FRICTION_TENDON] = EXACT,
      [mjCNSTR_LIMIT_JOINT] = EXACT,
      [mjCNSTR_LIMIT_TENDON] = EXACT,
      [mjCNSTR_CONTACT_FRICTIONLESS] = EXACT,
      [mjCNSTR_CONTACT_PYRAMIDAL] = EXACT,
      [mjCNSTR_CONTACT_ELLIPTIC] = EXACT}},
    {"transmission",
     {[mjTRN_JOINT] = EXACT,  // of ball joints the length is differenced
      [mjTRN_JOINTINPARENT] = DIFFERENCED,
      [mjTRN_SLIDERCRANK] = DIFFERENCED,
      [mjTRN_TENDON] = EXACT,
      [mjTRN_SITE] = EXACT,  // with a reference site differenced
      [mjTRN_BODY] = EXACT}},
    {"dynamics",
     {[mjDYN_NONE] = EXACT,
      [mjDYN_INTEGRATOR] = EXACT,
      [mjDYN_FILTER] = EXACT,
      [mjDYN_FILTEREXACT] = EXACT,
      [mjDYN_MUSCLE] = EXACT,
      [mjDYN_USER] = DIFFERENCED}},
    {"gain",
     {[mjGAIN_FIXED] = EXACT,
      [mjGAIN_AFFINE] = EXACT,
      [mjGAIN_MUSCLE] = EXACT,
      [mjGAIN_USER] = DIFFERENCED}},
    {"bias",
     {[mjBIAS_NONE] = EXACT,
      [mjBIAS_AFFINE] = EXACT,
      [mjBIAS_MUSCLE] = EXACT,
      [mjBIAS_USER] = DIFFERENCED}},
    // around the outside; a tendon that touches the inside is differenced, and the report says so
    {"wrap",
     {[mjWRAP_NONE] = UNSUPPORTED,
      [mjWRAP_JOINT] = EXACT,
      [mjWRAP_PULLEY] = EXACT,
      [mjWRAP_SITE] = EXACT,
      [mjWRAP_SPHERE] = EXACT,
      [mjWRAP_CYLINDER] = EXACT}},
    // exact, but for rays at meshes and the like, forces of bodies that connects and welds hold,
    // actuators whose transmission is differenced: the report says so
    {"sensor",
     {[mjSENS_TOUCH... mjSENS_SUBTREEANGMOM] = EXACT,
      [mjSENS_GEOMDIST... mjSENS_GEOMFROMTO] = DIFFERENCED,
      [mjSENS_E_POTENTIAL... mjSENS_CLOCK] = EXACT,
      [mjSENS_PLUGIN... mjSENS_USER] = DIFFERENCED}},
};

int sn_deriveHow(const char* part, int value) {
  if (!part || value < 0 || value >= MOST) return -1;
  // implicit.c: the problem is differenced, its solution is not
  if (!strcmp(part, "hard solver")) return sn_solverName(value) ? snHOW_DIFFERENCED : -1;
  for (size_t i = 0; i < sizeof kParts / sizeof *kParts; i++) {
    if (!strcmp(kParts[i].name, part)) return kParts[i].how[value] - 1;
  }
  return -1;
}

// Shapes with corners, edges, faces or curved surfaces meet in closed form, but for two that touch
// with faces or lines along each other, which the report names.
static bool convex(int type) {
  return type == mjGEOM_PLANE || (type >= mjGEOM_SPHERE && type <= mjGEOM_MESH);
}

int sn_derivePair(int type1, int type2) {
  int low = type1 < type2 ? type1 : type2, high = type1 < type2 ? type2 : type1;
  if (low < 0 || high >= mjNGEOMTYPES) return -1;
  if (high < mjGEOM_SPHERE) return snHOW_UNSUPPORTED;  // planes and height fields never meet
  return convex(low) && convex(high) ? snHOW_EXACT : snHOW_DIFFERENCED;
}
