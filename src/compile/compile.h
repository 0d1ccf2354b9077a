// Spec to mjModel. The compiler works on a copy of the user's spec and resolves it in place, step
// by step: orientations to quaternions, frames into poses, names to ids; then it fills the arrays.
#ifndef SINEW_COMPILE_COMPILE_H_
#define SINEW_COMPILE_COMPILE_H_

#include "algebra/algebra.h"
#include "compile/asset.h"
#include "model/model.h"
#include "spec/spec.h"

// what the compiler knows of a geom besides its resolved public struct
typedef struct snGeomWork_ {
  double mass;        // 0: does not count
  double inertia[3];  // principal, in the geom's frame
  double aabb[6];     // centre, half size, in the geom's frame
  double rbound;      // radius of the bounding sphere about the geom's centre
  int mesh;           // id of its mesh, -1: none; of a fitted primitive: none
  int hfield;
  bool was_mesh;  // given as a mesh, fitted by a primitive
} snGeomWork;

// what the compiler knows of a body
typedef struct snBodyWork_ {
  int weld, root, mocap, tree;
  int above, depth;             // dofs of proper ancestors; 0: the world
  int dofadr, dofnum, lastdof;  // lastdof: last dof on the chain from the root, -1: none
  snBvh bvh;
} snBodyWork;

typedef struct snCompile_ {
  snSpec* spec;  // the working copy; element->twin is the user's element
  snSpec* user;
  const mjVFS* vfs;
  snFault fault;
  char warning[512];
  snList list[mjNOBJECT];  // all elements of each type in order of ids (bodies depth first)
  snGeomWork* geom;        // indexed by adr[0] of a geom: pruning changes ids
  snBodyWork* body;
  snMesh* mesh;
  snHField* hfield;
  snTexture* texture;
  snSkin* skin;
  snFlex* flex;
  int nmesh, nhfield, ntexture, nskin, nflex;  // built so far
  int spare_bvh;                               // nodes that fused bodies leave unused
  double* margin;  // of bodies before pruning, which keep it (by their adr[1]); NULL: not pruned
  char** path;     // of file assets by type; NULL: none
  mjModel* m;
} snCompile;

// Record the fault with the element it is about; false.
bool compile_error(snCompile* c, const snElement* e, const char* format, ...) mjPRINTFLIKE(3, 4);

// Look up a name an element refers to; the fault says who asked. NULL when it is not there.
snElement* compile_find(snCompile* c, const snElement* who, mjtObj type, const mjString* name);
// The id of a name that may be empty (-1); false when it is not found.
bool compile_id(snCompile* c, const snElement* who, mjtObj type, const mjString* name, int* id);

// "limited" from its three-valued setting and the range.
bool compile_limited(snCompile* c, const snElement* e, const char* attribute,
                     const char* range_name, int limited, const double range[2], bool* out);

// Adds to a size of the model; a fault when it would not fit an int.
bool compile_grow(snCompile* c, int* size, int64_t more, const char* name);

// ---- steps, in order of their calls
bool compile_names(snCompile* c);               // names from files, repeated names
bool compile_poses(snCompile* c);               // orientations, frames
bool compile_lists(snCompile* c);               // depth-first lists, ids
bool compile_discard(snCompile* c);             // looks, with discardvisual
bool compile_assets(snCompile* c);              // textures, meshes, height fields
bool compile_geoms(snCompile* c);               // sizes, fits, inertias
bool compile_bodies(snCompile* c);              // body inertia, joints checked, alignment
bool compile_prune(snCompile* c);               // discardvisual, fusestatic
bool body_dissolve(snElement* parent, int at);  // moves what is on a child; false without memory
bool compile_masses(snCompile* c);              // total mass, place of free joints
bool compile_structure(snCompile* c, mjModel* sizes);  // dof tree, welds, sizes of all kinds
bool compile_sticks(const snCompile* c);               // friction that holds is asked for
bool compile_fill_tree(snCompile* c);                  // bodies to lights
bool compile_fill_assets(snCompile* c);
bool compile_fill_objects(snCompile* c);  // pairs to keys
bool compile_fill_names(snCompile* c);
bool compile_constants(snCompile* c);  // what needs kinematics

// bodies.c
bool body_counts_geoms(const snElement* body);  // geoms of the groups that inertia is inferred from
void body_unplaced(snElement* body);            // the inertial frame of a body that has none

// plain.c: a copy of the spec in the terms in which it is saved; NULL with a fault
mjSpec* compile_plain(const mjSpec* s, snFault* fault);

// inertia.c
void inertia_of_primitive(const snElement* geom, bool shell, double density, double mass,
                          double* out_mass, double out_inertia[3]);
double volume_of_primitive(int type, const double size[3], bool shell);
void fluid_coefficients(mjtNum fluid[mjNFLUID], const mjsGeom* geom);
void inertia_sum(double full[6], const double diagonal[3], const double quat[4], const double d[3],
                 double mass);
bool principal_inertia(const double full[6], double inertia[3], double quat[4]);

// poses.c: child pose seen through a frame or body pose, in place
void pose_through(const double pos[3], const double quat[4], double child_pos[3],
                  double child_quat[4]);
// A quaternion to its direction, by division: models have the released rounding.
void pose_unit(double quat[4]);
// Any form of orientation to a unit quaternion; NULL, or what is wrong with it.
const char* pose_resolve(const snElement* e, double quat[4], const mjsOrientation* alt);

// simple.c
mjtSameFrame compile_sameframe(const mjsBody* b, const double pos[3], const double quat[4]);
mjtSameFrame compile_body_sameframe(const mjsBody* b);
// Marks every body (element->mark) with body_simple; the size nC.
int compile_simple(snCompile* c, const mjModel* sizes);

// fill.c: the plugin instance an element uses, by name or its own, NULL with an error; its id, -1:
// none
const snElement* compile_plugin(snCompile* c, const snElement* e, const mjsPlugin* p);
bool compile_plugin_id(snCompile* c, const snElement* e, const mjsPlugin* p, int* id);

// objects.c, actuator.c
bool compile_sort_pairs(snCompile* c);
bool compile_tendon(snCompile* c, snElement* e);
bool compile_fill_actuator(snCompile* c, snElement* e);

// assets.c
bool compile_asset_sizes(snCompile* c, mjModel* m);
// The path of a file as the model keeps it: bytes with the terminating zero, written when `to` is
// given; 0 without a file.
#define ASSET_NO_MEMORY ((size_t)-1)
size_t asset_path(const snElement* e, const mjString* file, char* to);

// hfield.c: elevations in a number, by which mj_copyBack sees whether a program changed them
int hfield_mark(const float* data, int n);

// memory.c: the size of the arena
void compile_memory(snCompile* c, mjModel* m);

// sensor.c
bool sensor_resolve(snCompile* c, snElement* e);
bool sensor_validate(snCompile* c, snElement* e, int id);

#endif
