// Arguments that no program should pass, for every documented function (calls.inc), on a model that
// has something of everything. Choices come from a stream of bytes, of a fuzzer or of a generator
// of random numbers. Arrays have exactly the size that the call needs, so that AddressSanitizer
// sees one element too many.
#ifndef SINEW_TESTS_FUZZ_WILD_H_
#define SINEW_TESTS_FUZZ_WILD_H_

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <mujoco/mujoco.h>
#include <sinew/callback.h>
#include <sinew/certificate.h>
#include <sinew/derive.h>
#include <sinew/geometry.h>
#include <sinew/gltf.h>
#include <sinew/maximal.h>
#include <sinew/sleep.h>
#include <sinew/solver.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/everything.h"
#include "data/data.h"
#include "model/schema.h"

enum { WILD_BLOCKS = 24 };

typedef struct Wild_ {
  const uint8_t* next;
  const uint8_t* end;
  mjModel *m, *other;
  mjData *d, *other_data;
  mjModel* pristine;  // what m was
  void* block[WILD_BLOCKS];
  int nblock;
  mjContact mjContact;
  mjLROpt mjLROpt;
  mjOption mjOption;
  mjVisual mjVisual;
  mjvCamera mjvCamera;
  mjvFigure mjvFigure;
  mjvGLCamera mjvGLCamera;
  mjvGeom mjvGeom;
  mjvOption mjvOption;
  mjvPerturb mjvPerturb;
  mjvScene mjvScene;
  snCertificate snCertificate;
  snDeriveReport snDeriveReport;
  snSolverSettings snSolverSettings;
  snSolverReport snSolverReport;
  snMaximal* maximal;
  char home[4096];  // where the program was started
  char folder[64];  // where calls that write files do so
} Wild;

// ---- choices

static inline bool wild_over(const Wild* w) { return w->next >= w->end; }

static inline unsigned wild_byte(Wild* w) { return wild_over(w) ? 0 : *w->next++; }

static inline bool wild_one_in(Wild* w, unsigned n) { return wild_byte(w) % n == n - 1; }

static inline int wild_int(Wild* w) {
  static const int odd[] = {-1, -2, INT_MIN, INT_MAX, 1 << 30, 65536, 1000000, -1000};
  unsigned b = wild_byte(w);
  if (b < 64) return odd[b % 8];
  return b < 200 ? (int)b % 8 : (int)(b + 256 * wild_byte(w));
}

static inline int wild_size(Wild* w) {
  static const int odd[] = {-1, -7, -1000, 0};
  unsigned b = wild_byte(w);
  return b < 64 ? odd[b % 4] : (int)b % 9;
}

static inline double wild_real(Wild* w) {
  static const double odd[] = {0,     1,      -1,     NAN,  INFINITY, -INFINITY,
                               1e300, -1e300, 1e-300, 1e11, 0.5};
  unsigned b = wild_byte(w);
  return b < 110 ? odd[b % 11] : ((double)b - 180) / 16;
}

// ---- arguments

static inline void* wild_block(Wild* w, long long bytes) {
  if (w->nblock == WILD_BLOCKS || wild_one_in(w, 24)) return NULL;
  return w->block[w->nblock++] = malloc(bytes > 0 ? (size_t)bytes : 1);
}

// A call that would need more is refused for the number that says so.
static inline long long wild_cap(double n) { return n > 65536 ? 65536 : n > 0 ? (long long)n : 0; }

static inline mjtNum* wild_reals(Wild* w, double wanted) {
  long long n = wild_cap(wanted);
  mjtNum* x = wild_block(w, n * (long long)sizeof(mjtNum));
  bool calm = wild_byte(w) % 4;
  for (long long i = 0; x && i < n; i++)
    x[i] = calm ? (double)((i * 37) % 19) / 10 - 0.8 : wild_real(w);
  return x;
}

static inline float* wild_floats(Wild* w, double wanted) {
  long long n = wild_cap(wanted);
  float* x = wild_block(w, n * (long long)sizeof(float));
  for (long long i = 0; x && i < n; i++) x[i] = (float)wild_real(w);
  return x;
}

static inline int* wild_ints(Wild* w, double wanted) {
  long long n = wild_cap(wanted);
  int* x = wild_block(w, n * (long long)sizeof(int));
  bool calm = wild_byte(w) % 2;
  for (long long i = 0; x && i < n; i++) x[i] = calm ? (int)(i % 5) : wild_int(w);
  return x;
}

// Lengths or addresses of rows: as a C function cannot know how long an array is, none is large.
static inline int* wild_pattern(Wild* w) {
  int* x = wild_block(w, 256 * (long long)sizeof(int));
  unsigned calm = wild_byte(w) % 4;
  for (int i = 0; x && i < 256; i++) x[i] = calm ? 3 + (int)calm : wild_size(w);
  if (x && !calm && wild_one_in(w, 2)) x[0] = INT_MIN;
  return x;
}

static inline mjtByte* wild_bytes(Wild* w, double wanted) {
  long long n = wild_cap(wanted);
  mjtByte* x = wild_block(w, n);
  for (long long i = 0; x && i < n; i++) x[i] = (mjtByte)wild_byte(w);
  return x;
}

static inline const char* wild_text(Wild* w) {
  // names that are none of a file that could be written
  static const char* const text[] = {NULL, "", "/dev/null", "body/1", "%s/%n%s", "no/such thing",
                                     "%g/"};
  unsigned b = wild_byte(w) % 8;
  if (b < 7) return text[b];
  char* s = wild_block(w, 3000);
  if (!s) return NULL;
  memset(s, 'x', 2999);
  s[2999] = 0;
  return s;
}

static inline void* wild_struct(Wild* w, void* s) { return wild_one_in(w, 16) ? NULL : s; }

static inline mjModel* wild_model(Wild* w) {
  unsigned b = wild_byte(w) % 32;
  return b == 31 ? NULL : b == 30 ? w->other : w->m;
}

static inline mjData* wild_data(Wild* w) {
  unsigned b = wild_byte(w) % 32;
  return b == 31 ? NULL : b == 30 ? w->other_data : w->d;
}

#include "fuzz/calls.inc"

// ---- changes of the model and the data, as a program would make them by accident

static inline void wild_structs(Wild* w) {
  mjContact* c = &w->mjContact;
  c->dim = wild_int(w);
  c->efc_address = wild_int(w);
  for (int i = 0; i < 2; i++) {
    c->geom[i] = wild_int(w);
    c->flex[i] = wild_int(w);
    c->elem[i] = wild_int(w);
    c->vert[i] = wild_int(w);
  }
  c->dist = wild_real(w);
  c->exclude = wild_int(w);
  w->mjvCamera.type = wild_int(w);
  w->mjvCamera.fixedcamid = wild_int(w);
  w->mjvCamera.trackbodyid = wild_int(w);
  w->mjvCamera.distance = wild_real(w);
  w->mjvPerturb.select = wild_int(w);
  w->mjvPerturb.flexselect = wild_int(w);
  w->mjvPerturb.skinselect = wild_int(w);
  w->mjvPerturb.active = wild_int(w);
  w->mjvPerturb.active2 = wild_int(w);
  w->mjvOption.label = wild_int(w);
  w->mjvOption.frame = wild_int(w);
  w->mjvOption.bvh_depth = wild_int(w);
  w->mjvOption.flex_layer = wild_int(w);
  for (int i = 0; i < mjNVISFLAG; i++) w->mjvOption.flags[i] = wild_byte(w) % 2;
  w->mjvScene.ngeom = wild_one_in(w, 4) ? wild_int(w) : 0;
  w->mjvScene.nlight = wild_one_in(w, 8) ? wild_int(w) : 0;
  w->mjLROpt.mode = wild_int(w);
}

// An element of an index array of the model, or a size of it, is anything.
static inline void wild_index(Wild* w) {
  if (wild_one_in(w, 16)) {
    int offset = schema_size[wild_byte(w) % (unsigned)schema_size_count].offset;
    *(int*)((char*)w->m + offset) = wild_int(w);
    return;
  }
  for (int tries = 0; tries < 100; tries++) {
    const snField* f =
        &schema_model[(wild_byte(w) * 256 + wild_byte(w)) % (unsigned)schema_model_count];
    size_t count = schema_bytes(f, w->pristine, NULL) / (size_t)f->width;
    if (!count || (f->type != snTYPE_int && f->type != snTYPE_mjtByte)) continue;
    size_t i = (wild_byte(w) * 256 + wild_byte(w)) % count;
    if (f->type == snTYPE_int) {
      ((int*)schema_array(w->m, f))[i] = wild_int(w);
    } else {
      ((mjtByte*)schema_array(w->m, f))[i] = (mjtByte)wild_byte(w);
    }
    if (getenv("SINEW_SHOW")) fprintf(stderr, "  %s[%zu]\n", f->name, i);
    return;
  }
}

static inline void wild_number(Wild* w) {
  for (int tries = 0; tries < 100; tries++) {
    const snField* f =
        &schema_model[(wild_byte(w) * 256 + wild_byte(w)) % (unsigned)schema_model_count];
    size_t count = schema_bytes(f, w->pristine, NULL) / (size_t)f->width;
    if (!count || f->type != snTYPE_mjtNum) continue;
    ((mjtNum*)schema_array(w->m, f))[(wild_byte(w) * 256 + wild_byte(w)) % count] = wild_real(w);
    return;
  }
}

// Loops that options bound are kept short: that they take long is what they are for.
static inline void wild_option(Wild* w) {
  const snMember* o = &schema_option[wild_byte(w) % (unsigned)schema_option_count];
  void* p = (char*)w->m + o->offset;
  if (o->type == snTYPE_int) {
    int value = wild_int(w);
    bool loop = strstr(o->name, "iterations") || strstr(o->name, "initpoints");
    *(int*)p = loop && value > 20 ? 20 : value;
  } else if (o->type == snTYPE_mjtNum) {
    *(mjtNum*)p = wild_real(w);
  }
}

// Model arrays and options are put back, then the data is made anew from time to time.
static inline void wild_restore(Wild* w) {
  for (int i = 0; i < schema_size_count; i++) {
    int offset = schema_size[i].offset;
    memcpy((char*)w->m + offset, (char*)w->pristine + offset, sizeof(int));
  }
  w->m->opt = w->pristine->opt;
  for (int i = 0; i < schema_model_count; i++) {
    const snField* f = &schema_model[i];
    size_t bytes = schema_bytes(f, w->pristine, NULL);
    if (bytes) memcpy(*schema_pointer(w->m, f), schema_array(w->pristine, f), bytes);
  }
}

// An element of an index array of the data.
static inline void wild_data_index(Wild* w) {
  for (int tries = 0; tries < 100; tries++) {
    const snField* f =
        &schema_data[(wild_byte(w) * 256 + wild_byte(w)) % (unsigned)schema_data_count];
    int* array = f->type == snTYPE_int ? *(int**)schema_pointer(w->d, f) : NULL;
    size_t count = array ? schema_bytes(f, w->pristine, w->d) / sizeof(int) : 0;
    if (!count || (f->rows_vary && w->d->nefc != ((snData*)w->d)->room)) continue;
    array[(wild_byte(w) * 256 + wild_byte(w)) % count] = wild_int(w);
    if (getenv("SINEW_SHOW")) fprintf(stderr, "  data %s\n", f->name);
    return;
  }
}

static inline void wild_state(Wild* w) {
  static const int arrays = 7;
  mjData* d = w->d;
  const mjModel* m = w->pristine;
  mjtNum* array[] = {d->qpos,         d->qvel,         d->ctrl,     d->act,
                     d->qfrc_applied, d->xfrc_applied, d->mocap_pos};
  int size[] = {m->nq, m->nv, m->nu, m->na, m->nv, 6 * m->nbody, 3 * m->nmocap};
  int k = (int)(wild_byte(w) % (unsigned)arrays);
  if (size[k]) array[k][wild_byte(w) % (unsigned)size[k]] = wild_real(w);
  if (getenv("SINEW_SHOW")) fprintf(stderr, "  state: ncon %d, nefc %d\n", d->ncon, d->nefc);
  if (wild_one_in(w, 3)) wild_data_index(w);
  if (wild_one_in(w, 32)) d->ncon = wild_int(w);
  if (wild_one_in(w, 32)) d->nefc = wild_int(w);
}

// ---- calls

// The files that calls have written, and their folder.
static inline void wild_clean(Wild* w) {
  DIR* dir = opendir(".");
  for (struct dirent* entry = dir ? readdir(dir) : NULL; entry; entry = readdir(dir))
    unlink(entry->d_name);
  if (dir) closedir(dir);
  if (chdir(w->home) || rmdir(w->folder)) abort();
}

// What models ask for beyond the documented interface, in turn; NULL: nothing. Hard contact is
// asked for by wild_solver, in few iterations.
static const char* const wild_asking[] = {
    NULL,
    "<text name='sinew:sleep' data='on'/><text name='sinew:friction' data='stick'/>"
    "<text name='sinew:loops' data='closed'/>",
};
enum { WILD_ASKING = sizeof wild_asking / sizeof wild_asking[0] };

static inline void wild_begin_asking(Wild* w, const char* custom) {
  memset(w, 0, sizeof *w);
  w->m = custom ? everything_asking(custom) : everything_model();
  w->pristine = mj_copyModel(NULL, w->m);
  w->other = everything_small();
  w->d = mj_makeData(w->m);
  w->other_data = mj_makeData(w->other);
  mj_defaultLROpt(&w->mjLROpt);
  mjv_defaultCamera(&w->mjvCamera);
  mjv_defaultOption(&w->mjvOption);
  mjv_defaultPerturb(&w->mjvPerturb);
  mjv_defaultScene(&w->mjvScene);
  mjv_makeScene(w->m, &w->mjvScene, 200);
  strcpy(w->folder, "/tmp/sinew-wild-XXXXXX");
  if (!getcwd(w->home, sizeof w->home) || !mkdtemp(w->folder) || chdir(w->folder)) abort();
}

static inline void wild_begin(Wild* w) { wild_begin_asking(w, NULL); }

static inline void wild_end(Wild* w) {
  wild_clean(w);
  sn_deleteMaximal(w->maximal);
  mjv_freeScene(&w->mjvScene);
  mj_deleteData(w->d);
  mj_deleteData(w->other_data);
  mj_deleteModel(w->m);
  mj_deleteModel(w->pristine);
  mj_deleteModel(w->other);
}

// Calls that make scenes hand out memory that the next one would lose.
static inline void wild_call(Wild* w) {
  unsigned k = (wild_byte(w) * 256 + wild_byte(w)) % (sizeof calls / sizeof calls[0]);
  if (getenv("SINEW_SHOW")) fprintf(stderr, "%s\n", calls[k].name);
  bool scene =
      !strcmp(calls[k].name, "mjv_makeScene") || !strcmp(calls[k].name, "mjv_defaultScene");
  bool data = !strcmp(calls[k].name, "mj_makeData");
  if (scene) mjv_freeScene(&w->mjvScene);
  if (data) {
    mj_deleteData(mj_makeData(wild_model(w)));
  } else {
    calls[k].call(w);
  }
  if (scene) {
    mjv_freeScene(&w->mjvScene);
    mjv_defaultScene(&w->mjvScene);
    mjv_makeScene(w->pristine, &w->mjvScene, 200);
  }
  while (w->nblock) free(w->block[--w->nblock]);
}

// ---- include/sinew where arguments depend on each other

static inline void wild_maximal(Wild* w) {
  char error[200];
  snMaximalOption opt;
  sn_defaultMaximal(&opt);
  if (wild_one_in(w, 4)) opt.stepping = wild_int(w);
  if (wild_one_in(w, 4)) opt.compliance = wild_real(w);
  if (wild_one_in(w, 4)) opt.solver = wild_text(w);
  if (!w->maximal) w->maximal = sn_makeMaximal(w->other, &opt, error, sizeof error);
  if (!w->maximal) return;
  if (wild_one_in(w, 2)) w->maximal->vel[wild_byte(w) % 6] = wild_real(w);
  if (wild_one_in(w, 4)) w->maximal->quat[wild_byte(w) % 4] = wild_real(w);
  sn_setMaximal(w->maximal, wild_one_in(w, 2) ? wild_data(w) : w->other_data);
  sn_stepMaximal(w->maximal);
  sn_getMaximal(w->maximal, wild_one_in(w, 2) ? wild_data(w) : w->other_data);
  if (wild_one_in(w, 3)) {
    sn_deleteMaximal(w->maximal);
    w->maximal = NULL;
  }
}

static inline void wild_solver(Wild* w) {
  sn_setSolver(w->m, w->d, sn_solverName((int)(wild_byte(w) % 32)));
  sn_setImpact(w->m, w->d, sn_impactName((int)(wild_byte(w) % 5)));
  // loops that settings bound are kept short
  sn_setSetting(w->m, w->d, "iterations", 1 + wild_byte(w) % 20);
  const char* setting = sn_settingName((int)(wild_byte(w) % 40));
  if (setting && strcmp(setting, "iterations") != 0)
    sn_setSetting(w->m, w->d, setting, wild_real(w));
  mj_step(w->m, w->d);
  if (wild_one_in(w, 2)) mj_inverse(w->m, w->d);
  sn_setSolver(w->m, w->d, NULL);
}

static inline void wild_parameter(Wild* w) {
  snParameter p = {"", 0};
  const snField* f =
      &schema_model[(wild_byte(w) * 256 + wild_byte(w)) % (unsigned)schema_model_count];
  if (!sn_parameter(w->m, f->name, wild_text(w), wild_int(w), &p)) {
    memcpy(p.field, f->name, strlen(f->name) < 63 ? strlen(f->name) + 1 : 0);
    p.index = wild_one_in(w, 2) ? wild_byte(w) : (size_t)wild_int(w);
  }
  int nv = w->m->nv, na = w->m->na;  // may have been written, and are refused then
  int nx = (unsigned)nv < 1000 && (unsigned)na < 1000 ? 2 * nv + na : 0;
  mjtNum *DxDp = wild_reals(w, nx), *gnext = wild_reals(w, nx), gp;
  sn_transitionBy(w->m, w->d, &p, wild_one_in(w, 4) ? -1 : 1, wild_one_in(w, 4), DxDp, NULL);
  sn_vjpBy(w->m, w->d, wild_struct(w, &p), 1, 0, gnext, &gp, &w->snDeriveReport);
  sn_deriveHow(wild_text(w), wild_int(w));
  sn_derivePair(wild_int(w), wild_int(w));
}

static inline void wild_gltf(Wild* w) {
  char error[100];
  int n = wild_size(w), spec = wild_one_in(w, 3) ? wild_int(w) : mjSTATE_TIME | mjSTATE_QPOS;
  const mjModel* m = w->m;
  mjtNum* state = wild_reals(w, (long long)(n > 0 ? n : 0) * mj_stateSize(w->pristine, 0x1fff));
  snGltf options = {wild_real(w)};
  sn_saveGltf(m, state, n, spec, wild_struct(w, &options), wild_text(w), error, wild_size(w));
}

static inline int wild_sinew(Wild* w) {
  static void (*const by_hand[])(Wild*) = {wild_maximal, wild_solver, wild_parameter, wild_gltf};
  static const int made[] = {4, 5, 5, 1};
  unsigned k = wild_byte(w) % 4;
  if (getenv("SINEW_SHOW")) fprintf(stderr, "by hand %u\n", k);
  by_hand[k](w);
  while (w->nblock) free(w->block[--w->nblock]);
  return made[k];
}

// One round: a change or two, some calls, and all as before. Returns the number of calls.
static inline int wild_round(Wild* w) {
  int made = 0;
  unsigned what = wild_byte(w);
  if (what % 4 == 1) wild_index(w);
  if (what % 8 == 2) wild_option(w);
  if (what % 8 == 3) wild_number(w);
  if (what % 8 == 4 || what % 8 == 6) wild_structs(w);
  if (what % 16 > 8) wild_state(w);
  if (what % 4 == 1 && wild_byte(w) % 2) mj_step(w->m, w->d), made++;
  for (int n = 1 + (int)(wild_byte(w) % 8); n > 0; n--) {
    w->mjLROpt.interval = 0.01, w->mjLROpt.inttotal = 0.05;  // as long as it says is what it takes
    wild_call(w), made++;
  }
  if (what % 8 == 5) made += wild_sinew(w);
  wild_restore(w);
  if (what % 32 == 0) mj_resetData(w->m, w->d), made++;
  return made;
}

#endif
