// The snapshot of the model that the broad phase was made from.
//
// Programs change models between steps: masks, sizes, margins. There is no call by which a program
// announces a change, so every step compares the arrays with a copy. Arrays are adjacent in the
// model's buffer in the order of its header, so a few ranges and as many calls of memcmp cover
// them.
#include "collide/broad.h"

#include "collide/cache.h"
#include "collide/collide.h"

// Ranges of arrays: body pairs depend on GEOMS and BODIES, gaps on SIZES and MARGINS.
enum { GEOMS, BODIES, SIZES, MARGINS };
_Static_assert(MARGINS + 1 == kPieces, "pieces are listed here");

typedef struct snSnapshotPiece_ {
  const void* begin;
  size_t extent;
} snSnapshotPiece;

static snSnapshotPiece snapshot_piece(const mjModel* m, int k) {
  const void* begin[kPieces] = {m->geom_type, m->body_contype, m->geom_size, m->geom_margin};
  const void* end[kPieces] = {m->geom_priority + m->ngeom, m->body_conaffinity + m->nbody,
                              m->geom_rbound + m->ngeom, m->geom_margin + m->ngeom};
  return (snSnapshotPiece){begin[k], (size_t)((const char*)end[k] - (const char*)begin[k])};
}

// Bytes of a piece among the copies: numbers in the next one are aligned.
static size_t piece_room(const mjModel* m, int k) {
  return (snapshot_piece(m, k).extent + 31) & ~(size_t)31;
}

static void take(snSnapshot* s, const mjModel* m, int k) {
  snSnapshotPiece piece = snapshot_piece(m, k);
  memcpy(s->copy[k], piece.begin, piece.extent);
}

static bool holds(const snSnapshot* s, const mjModel* m, int k) {
  snSnapshotPiece piece = snapshot_piece(m, k);
  SN_ASSERT(s->copy[k]);
  return !memcmp(s->copy[k], piece.begin, piece.extent);
}

bool snapshot_make(snSnapshot* s, const mjModel* m) {
  size_t extent = 0;
  for (int k = 0; k < kPieces; k++) extent += piece_room(m, k);
  char* copy = memory_alloc(extent + 1);
  if (!copy) return false;
  for (int k = 0; k < kPieces; k++) {
    s->copy[k] = copy;
    copy += piece_room(m, k);
    take(s, m, k);
  }
  s->made++;
  s->model = m;
  s->ngeom = m->ngeom;
  s->filterparent = !(m->opt.disableflags & mjDSBL_FILTERPARENT);
  s->midphase = !(m->opt.disableflags & mjDSBL_MIDPHASE);
  s->callback = has_contactfilter(m);
  return true;
}

void snapshot_free(snSnapshot* s) {
  memory_free(s->copy[0]);
  *s = (snSnapshot){.made = s->made};
}

bool snapshot_pairs_hold(const snSnapshot* s, const mjModel* m) {
  return s->model == m && s->ngeom == m->ngeom &&
         s->filterparent == !(m->opt.disableflags & mjDSBL_FILTERPARENT) &&
         s->midphase == !(m->opt.disableflags & mjDSBL_MIDPHASE) &&
         s->callback == has_contactfilter(m) && holds(s, m, GEOMS) && holds(s, m, BODIES);
}

// SIZES of the active geoms: geom_size, geom_aabb and geom_rbound have 3, 6 and 1 numbers a geom. A
// load of four numbers reads one beyond the three sizes, which changes nothing but the cost.
SN_KERNEL static bool sizes_hold(const snSnapshot* s, const mjModel* m, const int* active, int n) {
  const double *now = m->geom_size, *then = (const double*)s->copy[SIZES];
  ptrdiff_t box = m->geom_aabb - now, radius = m->geom_rbound - now;
  sn4i differ = {0, 0, 0, 0};
  for (int k = 0; k < n; k++) {
    ptrdiff_t size = 3 * (ptrdiff_t)active[k], low = box + 2 * size, high = low + 2;
    differ |= (sn4i)sn4_load(now + size) ^ (sn4i)sn4_load(then + size);
    differ |= (sn4i)sn4_load(now + low) ^ (sn4i)sn4_load(then + low);
    differ |= (sn4i)sn4_load(now + high) ^ (sn4i)sn4_load(then + high);
    differ |= (sn4i)sn4_set1(now[radius + active[k]]) ^ (sn4i)sn4_set1(then[radius + active[k]]);
  }
  return !sn4_any(differ);
}

// Robots have visual geoms beside those that collide. Where these are many, the sizes of the others
// are compared one by one: whatever a step reads displaces something from the cache.
bool snapshot_gaps_hold(const snSnapshot* s, const mjModel* m, const int* active, int nactive) {
  bool few = 2 * nactive < m->ngeom;
  return s->override == ((m->opt.enableflags & mjENBL_OVERRIDE) != 0) &&
         !memcmp(&s->o_margin, &m->opt.o_margin, sizeof(double)) &&
         (few ? sizes_hold(s, m, active, nactive) : holds(s, m, SIZES)) && holds(s, m, MARGINS) &&
         s->custom == collide_custom();
}

void snapshot_take_gaps(snSnapshot* s, const mjModel* m) {
  take(s, m, SIZES);
  take(s, m, MARGINS);
  s->override = (m->opt.enableflags & mjENBL_OVERRIDE) != 0;
  s->o_margin = m->opt.o_margin;
  s->custom = collide_custom();
}
