// The compiler: mjSpec to mjModel.
//
// It takes the user's spec and the files that the spec names, and gives a model that satisfies
// model_validate, or a message that names element, file, line and what was expected. The user's
// spec is only read, apart from the ids and keyframes that elements learn at the end.
//
// The compiler works on a copy of the spec and resolves the copy in place, step by step, in the
// order of the functions declared below:
//
//   1. names       of assets without a name, from their files; duplicates refused
//   2. poses       every form of orientation to a quaternion, fromto to size and pose, frames
//                  dissolved into the poses of what they hold
//   3. lists       elements of each type in the order of ids: bodies depth first, then what is on
//                  them in the same order
//   4. assets      files read; textures, meshes, height fields built, in parallel
//   5. geoms       sizes checked, primitives fitted to meshes, bounding volumes, mass and inertia
//   6. bodies      inertia inferred from geoms, or as given; joints; alignment of free bodies
//   7. prune       discardvisual and fusestatic
//   8. sizes       every size of mjModel; the model is allocated once
//   9. fill        arrays of the tree, of assets, of all other objects
//  10. constants   what needs kinematics at qpos0: mj_setConst, spring references, length ranges
//
// Steps 4 to 10 only read what earlier steps resolved, so each element type has one place where its
// settings are checked. Numbers that end up in a model follow the released compiler's order of
// operations, because models are compared with its models bit for bit where axes or contacts depend
// on rounding; such places say "as released".
//
//   compile.c            the order of work; errors; names; budget
//   poses.c              orientations and frames
//   assets.c             files of assets; parallel_jobs.c: builders on threads; asset.h: builders
//     mesh.c             mesh_inertia.c, mesh_normal.c, mesh_polygon.c, mesh_fit.c, hull.c,
//                        octree.c, isosurface.c (surfaces of signed distance fields)
//     texture.c          texture_paint.c; hfield.c; skin.c; flex.c, flex_elastic.c; bvh.c
//   geoms.c              primitive_inertia.c, added_mass.c
//   bodies.c             simple_bodies.c: bodies with a diagonal M
//   prune.c              discardvisual, fusestatic
//   sizes.c              sizes; arena_size.c: default size of the arena
//   fill_tree.c, fill_assets.c, fill_objects.c, actuator.c, sensor.c    arrays
//   set_const.c          mj_setConst
//   reference_values.c   springs, damping, plugin states, a trial step
//   lengthrange.c        mj_setLengthRange
//   copy_back.c          mj_copyBack;  recompile.c: mj_recompile
//   saved_form.c         the spec in the terms in which MJCF is saved
#ifndef SINEW_COMPILE_COMPILE_H_
#define SINEW_COMPILE_COMPILE_H_

#include "algebra/algebra.h"
#include "compile/asset.h"
#include "model/model.h"
#include "spec/spec.h"

// Properties of a geom besides its resolved public struct.
typedef struct snGeomWork_ {
  double mass;        // 0: ignored for inertia
  double inertia[3];  // principal, in the geom's frame
  double aabb[6];     // centre, half size, in the geom's frame
  double rbound;      // radius of the bounding sphere about the geom's centre
  int mesh;           // id of its mesh; -1: none, also for a fitted primitive
  int hfield;
  bool was_mesh;  // given as a mesh, replaced by a fitted primitive
} snGeomWork;

// Properties of a body besides its resolved public struct.
typedef struct snBodyWork_ {
  int weld, root, mocap, tree;
  int above, depth;             // above: dofs of proper ancestors; depth: 0 for the world
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
  snTextureImage* texture;
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
bool compile_sticks(const snCompile* c);               // does the model ask for friction that holds
bool compile_sleeps(const snCompile* c);               // or for sleep
bool compile_fill_tree(snCompile* c);                  // bodies to lights
bool compile_fill_assets(snCompile* c);
bool compile_fill_objects(snCompile* c);  // pairs to keys
bool compile_fill_names(snCompile* c);
bool compile_constants(snCompile* c);  // what needs kinematics

// bodies.c
bool body_counts_geoms(const snElement* body);  // geoms of the groups that inertia is inferred from
void body_unplaced(snElement* body);            // the default inertial frame

// saved_form.c: a copy of the spec in the terms in which it is saved; NULL and a fault on failure
mjSpec* compile_plain(const mjSpec* s, snFault* fault);

// primitive_inertia.c
void inertia_of_primitive(const snElement* geom, bool shell, double density, double mass,
                          double* out_mass, double out_inertia[3]);
double volume_of_primitive(int type, const double size[3], bool shell);
void fluid_coefficients(mjtNum fluid[mjNFLUID], const mjsGeom* geom);
void inertia_sum(double full[6], const double diagonal[3], const double quat[4], const double d[3],
                 double mass);
bool principal_inertia(const double full[6], double inertia[3], double quat[4]);

// poses.c: composes the pose of a frame or body with that of a child, in place
void pose_through(const double pos[3], const double quat[4], double child_pos[3],
                  double child_quat[4]);
// Normalizes by division, for the rounding of the released compiler.
void pose_unit(double quat[4]);
// Any form of orientation to a unit quaternion; NULL, or a message.
const char* pose_resolve(const snElement* e, double quat[4], const mjsOrientation* alt);

// simple_bodies.c
mjtSameFrame compile_sameframe(const mjsBody* b, const double pos[3], const double quat[4]);
mjtSameFrame compile_body_sameframe(const mjsBody* b);
// Stores body_simple in element->mark of every body; returns the size nC.
int compile_simple(snCompile* c, const mjModel* sizes);

// fill_tree.c: the plugin instance that an element uses, by name or its own; NULL with an error.
// Its id; -1: none.
const snElement* compile_plugin(snCompile* c, const snElement* e, const mjsPlugin* p);
bool compile_plugin_id(snCompile* c, const snElement* e, const mjsPlugin* p, int* id);

// fill_objects.c, actuator.c
bool compile_sort_pairs(snCompile* c);
bool compile_tendon(snCompile* c, snElement* e);
bool compile_fill_actuator(snCompile* c, snElement* e);

// assets.c
bool compile_asset_sizes(snCompile* c, mjModel* m);
// The path of a file as the model stores it. Returns its bytes with the terminating zero, and
// writes it unless `to` is NULL; 0 without a file.
#define ASSET_NO_MEMORY ((size_t)-1)
size_t asset_path(const snElement* e, const mjString* file, char* to);

// hfield.c: a checksum of elevations, by which mj_copyBack detects that a program changed them
int hfield_mark(const float* data, int n);

// arena_size.c
void compile_memory(snCompile* c, mjModel* m);

// sensor.c
bool sensor_resolve(snCompile* c, snElement* e);
bool sensor_validate(snCompile* c, snElement* e, int id);

#endif
