// What is checked at the door of the library. Each check is true when the argument is good; else it
// has raised an error that names the function, the argument, what it is and what was expected.
#ifndef SINEW_ENTRY_GUARD_H_
#define SINEW_ENTRY_GUARD_H_

#include <limits.h>

#include "data/data.h"

#define SN_LIKELY(x) __builtin_expect(!!(x), 1)

// ---- the errors, out of the way of good calls; all are false
bool refuse_null(const char* function, const char* name);
bool refuse_number(const char* function, const char* name, long long value, long long low,
                   long long high);
bool refuse_band(const char* function, int ntotal, int nband, int ndense);
bool refuse_link(const char* function, const char* array, int i, int value, int count);
bool refuse_rows(const char* function);

// A model or data that is not as it was made: the error, or true when what was changed is good.
// Data that may be written remembers what was found good.
bool guard_slow(const char* function, const mjModel* m, const mjData* d, bool writes);

// Mesh, geom, site ... by type: objects that have a pose.
bool guard_typed(const char* function, const mjModel* m, int type, int id);

static inline bool guard_pointer(const char* function, const char* name, const void* p) {
  return SN_LIKELY(p != NULL) || refuse_null(function, name);
}

// An array without elements may be NULL.
static inline bool guard_sized(const char* function, const char* name, const void* p,
                               long long size) {
  return SN_LIKELY(p || size <= 0) || refuse_null(function, name);
}

static inline bool guard_range(const char* function, const char* name, int value, int low,
                               int high) {
  return SN_LIKELY(value >= low && value <= high) ||
         refuse_number(function, name, value, low, high);
}

static inline bool guard_size(const char* function, const char* name, int value) {
  return guard_range(function, name, value, 0, INT_MAX);
}

static inline bool guard_object(const char* function, const char* name, int value, int count) {
  return SN_LIKELY((unsigned)value < (unsigned)count) ||
         refuse_number(function, name, value, 0, (long long)count - 1);
}

// ntotal rows, of which the last ndense are dense and the others have nband entries.
static inline bool guard_band(const char* function, int ntotal, int nband, int ndense) {
  return SN_LIKELY(ntotal >= 0 && ndense >= 0 && ndense <= ntotal && nband >= 0 &&
                   (nband > 0 || ndense == ntotal) &&
                   (long long)(ntotal - ndense) * nband + (long long)ndense * ntotal <= INT_MAX) ||
         refuse_band(function, ntotal, nband, ndense);
}

// Rows of a sparse matrix: lengths and addresses are not negative, columns lie in [0, nc), and are
// sorted where the function merges rows.
bool guard_sparse(const char* function, int nr, int nc, const int* rownnz, const int* rowadr,
                  const int* colind, bool sorted);

// Vertices of triangles lie in [0, nvert).
bool guard_faces(const char* function, int nface, int nvert, const int* face);

// A scene with as many geoms and lights as there is room for.
bool guard_scene(const char* function, const mjvScene* scn);

// ---- model and data

static inline bool data_fits(const snWatch* w, const mjData* d) {
  const snData* tail = (const snData*)d;
  return tail->layout == w->layout && d->ncon >= 0 &&
         (size_t)d->ncon * sizeof(mjContact) <= d->parena &&
         (unsigned)d->nefc <= (unsigned)tail->room;
}

static inline bool guard_part(const char* function, const mjModel* m, const mjData* d, bool writes,
                              bool view) {
  const snWatch* w = model_plan(m) ? model_plan(m)->watch : NULL;
  return SN_LIKELY(w && watch_holds(w, m, view) && (!d || data_fits(w, d))) ||
         guard_slow(function, m, d, writes);
}

#define SN_WITH_DATA(d) (__builtin_types_compatible_p(__typeof__(d), void*) || (d))

// All indices that a step follows; with the data, that it was made for a model of this structure.
#define guard_step(function, m, d, writes)                                               \
  (guard_pointer(function, "m", m) && (SN_WITH_DATA(d) || refuse_null(function, "d")) && \
   guard_part(function, m, d, writes, false))
#define guard_view(function, m, d, writes)                                               \
  (guard_pointer(function, "m", m) && (SN_WITH_DATA(d) || refuse_null(function, "d")) && \
   guard_part(function, m, d, writes, true))

// The sizes alone.
static inline bool guard_sizes(const char* function, const mjModel* m, const mjData* d) {
  const snWatch* w = model_plan(m) ? model_plan(m)->watch : NULL;
  return SN_LIKELY(w && !memcmp(m, w->sizes, sizeof w->sizes) && (!d || data_fits(w, d))) ||
         guard_slow(function, m, d, false);
}
#define guard_light(function, m, d, writes)                                              \
  (guard_pointer(function, "m", m) && (SN_WITH_DATA(d) || refuse_null(function, "d")) && \
   guard_sizes(function, m, d))

// Contacts are between things that are there, and those with rows have as many as their dim says;
// those that a constraint would be made of have a dim.
bool guard_contacts(const char* function, const mjModel* m, const mjData* d);
bool guard_touching(const char* function, const mjModel* m, const mjData* d);

// Sections, types, ids and sparsity of the rows; sparsity of what links dofs to tendons, actuators
// and edges of flexes. Programs that call one stage after the other can write to all of these.
bool guard_row_indices(const char* function, const mjModel* m, const mjData* d);
bool guard_links(const char* function, const mjModel* m, const mjData* d);

// A model to be drawn, which may be another library's: what is public of it leads somewhere.
bool guard_drawn(const char* function, const mjModel* m);
// Its data: every array has the room that the model's sizes ask for.
bool guard_drawn_data(const char* function, const mjModel* m, const mjData* d);

// Rows were made with the options of now, and their indices lead to something that is there.
static inline bool guard_rows(const char* function, const mjModel* m, const mjData* d) {
  return (SN_LIKELY(!d->nefc || ((const snData*)d)->rows == data_row_form(m)) ||
          refuse_rows(function)) &&
         (!d->ncon || guard_contacts(function, m, d)) &&
         (!(d->nefc | d->ne | d->nf | d->nl) || guard_row_indices(function, m, d));
}

// What hangs on an object whose id is good, for calls that do not look at all indices.
static inline bool guard_body(const char* function, const mjModel* m, int body) {
  int root = m->body_rootid[body];
  return SN_LIKELY((unsigned)root < (unsigned)m->nbody) ||
         refuse_link(function, "body_rootid", body, root, m->nbody);
}

static inline bool guard_geom(const char* function, const mjModel* m, int geom) {
  int body = m->geom_bodyid[geom];
  return (SN_LIKELY((unsigned)body < (unsigned)m->nbody) ||
          refuse_link(function, "geom_bodyid", geom, body, m->nbody)) &&
         guard_body(function, m, body);
}

static inline bool guard_site(const char* function, const mjModel* m, int site) {
  int body = m->site_bodyid[site];
  return (SN_LIKELY((unsigned)body < (unsigned)m->nbody) ||
          refuse_link(function, "site_bodyid", site, body, m->nbody)) &&
         guard_body(function, m, body);
}

// Bodies of the model that data was made for.
static inline int data_nbody(const mjData* d) { return ((const snData*)d)->nbody; }

#endif
