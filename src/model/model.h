// mjModel: allocated, copied, saved, loaded, checked and described from one schema.
//
// The room takes filled arrays (from the compiler, a binary file or another model) and gives a
// model that the engine can run: valid, with names that can be looked up, with the structure that
// every stage needs derived once. It also gives access to the files that a model names.
//
// The schema (schema.h) lists every field of the public structs with its type and shape. It is
// generated from the headers, and everything that must treat all fields alike walks it: allocation,
// copy, binary files, text dumps, language bindings. No list of fields is kept twice.
//
// All arrays of a model lie in one 64-byte-aligned buffer. Index arrays come first, so that one
// memcmp shows whether a program changed any index since the model was made (watch.c).
//
// What is derived (the private tail behind the public struct):
//   plan      index lists of the kinematic tree, panels of M, hulls of meshes, sensors by stage.
//             Structure only: masses, sizes and positions may change at any time without it
//   pattern   sparsity of B, M and D, which stages follow and mj_resetData copies into mjData
//   watch     an image of the index arrays, and a hash of the layout that mjData depends on
//   callbacks of this model alone
//
// Invariants: a model that was handed out has passed model_validate, so no stage checks an index
// again; the engine never writes to a model, for threads share it.
//
//   model.c          allocation from the schema, copy, deletion, model_finish
//   schema.c, schema_model.inc    the generated table of fields, and its order in files
//   plan.c           index lists; sparsity of B, M and D
//   plan_hull.c      convex hulls in the layout of support queries
//   pattern.c        sparsity patterns kept for resets
//   names.c          mj_name2id, mj_id2name: hash tables
//   validate.c, validate_asset.c    does every index point to an existing element
//   watch.c          change detection on index arrays
//   defaults.c       default options, visuals, solver parameters
//   binary.c         MJB files
//   print.c          mj_printModel; helpers of text dumps
//   callback.c       callbacks of one model
//   vfs.c            the virtual file system
//   resource.c       opening files: VFS, resource providers, disk
//   confine.c        models that may read files of one folder only
//   formats.h        plain structs that file readers fill (meshes, images, Gmsh)
#ifndef SINEW_MODEL_MODEL_H_
#define SINEW_MODEL_MODEL_H_

#include "algebra/algebra.h"
#include "base/base.h"
#include "model/callback.h"
#include "model/plan.h"
#include "model/schema.h"
#include "model/watch.h"

// Sparsity of B, M and D, and the maps between qM, M and D. The arrays follow the struct in the
// same block, in this order (pattern.c).
typedef struct snPattern_ {
  const int *B_rownnz, *B_rowadr, *B_colind;
  const int *M_rownnz, *M_rowadr, *M_colind, *mapM2M;
  const int *D_rownnz, *D_rowadr, *D_diag, *D_colind, *mapM2D, *mapD2M;
} snPattern;

// Every mjModel is allocated by Sinew and carries this tail behind the public struct.
typedef struct snModel_ {
  mjModel m;
  snPlan* plan;  // structure derived from the arrays (plan.h)
  // chosen for all data of this model (hard/choice.c): 0 none, 1 soft, 2 + index of a dual solver
  int solver;
  snPattern* pattern;
  bool bare;               // the program allocated the struct with mju_malloc
  snCallbacks* callbacks;  // of this model alone; NULL: none (callback.h)
} snModel;
_Static_assert(sizeof(snModel) - sizeof(mjModel) <= snTAIL, "the tail fits behind a bare mjModel");

static inline const snPlan* model_plan(const mjModel* m) { return ((const snModel*)m)->plan; }

// The patterns that the engine follows. mjData has copies (B_rownnz ... mapD2M), which programs can
// write to.
static inline const snPattern* model_pattern(const mjModel* m) {
  return ((const snModel*)m)->pattern;
}

// Every value of opt.cone but mjCONE_ELLIPTIC means pyramidal.
static inline bool model_elliptic(const mjModel* m) { return m->opt.cone == mjCONE_ELLIPTIC; }

// A zeroed model with the sizes of `sizes` (all int fields from nq to npluginstate, and narena),
// and default options, visuals and statistics. NULL and a fault without memory.
mjModel* model_alloc(const mjModel* sizes, snFault* fault);

// Bytes of all arrays; false and a fault when a size is negative or the sum overflows.
bool model_buffer_size(const mjModel* sizes, size_t* nbuffer, snFault* fault);

// A model from a binary file in memory; NULL and a fault that says what is wrong with the file.
mjModel* model_read(const void* data, size_t bytes, snFault* fault);

// Derives plan, patterns and names map from the filled public arrays. Whoever fills a model
// (compiler, loader, copy) calls it, and calls it again after changing structural arrays. False and
// a fault on failure.
bool model_finish(mjModel* m, snFault* fault);

// Takes the image of the index arrays (watch.h). Whoever makes a model calls this last, before a
// program gets the model; from then on every documented function compares. False and a fault
// without memory.
bool model_watch(mjModel* m, snFault* fault);

// ---- parts of model_finish
// The hash tables behind mj_name2id. Needs nnames_map == names_map_size(m).
int names_map_size(const mjModel* m);
// The name at an address of name_*adr. Programs may write to the addresses: "" where one does not
// lead to a text that ends inside of `names`.
const char* names_text(const mjModel* m, int adr);
void names_map_fill(mjModel* m);

// Sparsity patterns of mjData, computed once by plan_structure into one block, which mj_resetData
// copies. NULL without memory.
snPattern* pattern_make(const mjModel* m);
void pattern_copy(const mjModel* m, mjData* d);

// Does every index in the arrays of m point to an existing element? The fault names the array and
// the element.
bool model_validate(const mjModel* m, snFault* fault);

// Do the vertices, faces and bounding volumes of one mesh lie in the model? If not, false and an
// error. Programs may write to their addresses, which a step does not compare (watch.c).
bool model_mesh_holds(const mjModel* m, int mesh);

// ---- what the model asks for beyond the interface (asked.c)

// Instances of plugins that the compiler adds behind those of the elements, which keep the state of
// what a model asks for: one of them, -1 without it; and how many others there are.
static inline int model_builtin(const mjModel* m, snBuiltin kind) {
  return m->nplugin ? model_plan(m)->asked.instance[kind] : -1;
}
int builtin_others(const mjModel* m);
static inline int model_plugins(const mjModel* m) { return m->nplugin ? builtin_others(m) : 0; }

// The data of a text such as "sinew:loops", NULL without one; the number of a tuple, -1 without
// one. A step asks some twenty times, and most models have neither texts nor tuples.
// `size`: of the name with its end, which compilers know.
const char* asked_find_text(const mjModel* m, const char* name, size_t size);
int asked_find_tuple(const mjModel* m, const char* name, size_t size);
static inline const char* asked_text(const mjModel* m, const char* name) {
  size_t size = strlen(name) + 1;
  bool some = m->ntext && model_plan(m)->asked.texts & asked_letters(name, size);
  return some ? asked_find_text(m, name, size) : NULL;
}
static inline int asked_tuple(const mjModel* m, const char* name) {
  size_t size = strlen(name) + 1;
  bool some = m->ntuple && model_plan(m)->asked.tuples & asked_letters(name, size);
  return some ? asked_find_tuple(m, name, size) : -1;
}

// The tuples of geoms with a number each that there are, by their names behind "sinew:".
typedef struct snAskedTuple_ {
  const char* name;
  mjtNum low, high;  // what the number may be
  bool sticks;       // needs the text "sinew:friction" = "stick"
} snAskedTuple;
enum { ASKED_TUPLES = 7 };
extern const snAskedTuple asked_tuple_kind[ASKED_TUPLES];

// value[ngeom] <- the numbers of a tuple of geoms, 0 for geoms that it does not name; false without
// the tuple.
bool asked_geoms(const mjModel* m, const char* name, mjtNum* value);

#endif
