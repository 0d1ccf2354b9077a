// Newton's method on the primal at full width, in one kernel: J and M have a column for every dof.
//
// Up to SMALL_DOFS the number of lanes is known to the compiler (full_small.h); up to WIDE_DOFS it
// is not, and lanes of zeros are skipped (full_wide.h). The gradient follows from M x, which
// moves along with x.
#include "solve/full_small.h"
#include "solve/full_wide.h"

SN_INLINE void mul_J(const snFull* s, mjtNum* res, const sn4* x, int L, bool wide) {
  if (wide)
    wide_mul_J(s, res, x, L);
  else
    small_mul_J(s, res, x, L);
}

SN_INLINE void mul_M(const snFull* s, sn4* res, const sn4* x, int L, bool wide) {
  if (wide)
    wide_mul_M(s, res, x, L);
  else
    small_mul_M(s, res, x, L);
}

// ---- the iteration

// Where an iteration stands, over dofs.
typedef struct snPlace_ {
  sn4 acc[MOST_LANES], Ma[MOST_LANES], grad[MOST_LANES];
  sn4 smooth[MOST_LANES];      // frc_smooth
  sn4 constraint[MOST_LANES];  // J'f
} snPlace;

// The gradient, and its norm in units of the tolerance.
SN_INLINE mjtNum gradient(const snFull* s, snPlace* at, int L, bool wide) {
  if (wide)
    wide_mul_JT(s, at->constraint, s->x.force, L);
  else
    small_mul_JT(s, at->constraint, s->x.force, L);
  SN_UNROLL
  for (int c = 0; c < L; c++) at->grad[c] = at->Ma[c] - at->smooth[c] - at->constraint[c];
  return s->p->scale * sqrt(dot(at->grad, at->grad, L));
}

// Ma = M acc and Jv = J acc at the warm start, which is the same for all solves that hold
// positions.
SN_INLINE void images(snFull* s, snPlace* at, int L, bool wide) {
  mjtNum *acc = s->images, *Ma = acc + 4 * L, *Jacc = Ma + 4 * L, *Jv = s->x.Jv;
  if (s->held && s->started) {
    sn4i other = {0, 0, 0, 0};
    SN_UNROLL
    for (int c = 0; c < L; c++) other |= (sn4i)at->acc[c] ^ (sn4i)sn4_load(acc + 4 * c);
    if (!sn4_any(other)) {
      SN_UNROLL
      for (int c = 0; c < L; c++) at->Ma[c] = sn4_load(Ma + 4 * c);
      for (int i = 0; i < s->rows; i += 4) sn4_store(Jv + i, sn4_load(Jacc + i));
      return;
    }
  }
  mul_J(s, Jv, at->acc, L, wide);
  mul_M(s, at->Ma, at->acc, L, wide);
  if (!s->held) return;
  s->started = true;
  SN_UNROLL
  for (int c = 0; c < L; c++) {
    sn4_store(acc + 4 * c, at->acc[c]);
    sn4_store(Ma + 4 * c, at->Ma[c]);
  }
  for (int i = 0; i < s->rows; i += 4) sn4_store(Jacc + i, sn4_load(Jv + i));
}

// v -= aref; the last lane is not whole.
SN_INLINE void subtract_aref(const snProblem* p, mjtNum* v) {
  const mjtNum* aref = p->aref;
  int n = p->rows.nefc, i = 0;
  for (; i + 4 <= n; i += 4) sn4_store(v + i, sn4_load(v + i) - sn4_load(aref + i));
  if (i < n) sn4_store(v + i, sn4_load(v + i) - sn4_load_part(aref + i, n - i));
}

// To the warm start or to a0, whichever is cheaper.
SN_INLINE void start(snFull* s, snPlace* at, int L, bool wide) {
  const snProblem* p = s->p;
  snPoint* x = &s->x;
  int nefc = p->rows.nefc;
  sn4 cold[MOST_LANES], e[MOST_LANES], Me[MOST_LANES];
  load_lanes(at->acc, p->acc, p->nv, L);
  load_lanes(at->smooth, p->frc_smooth, p->nv, L);
  load_lanes(cold, p->acc_smooth, p->nv, L);
  if (s->held && s->started) {
    sn4_store(x->jar + x->nlane - 4, sn4_set1(0));
    sn4_store(x->Jv + x->nlane - 4, sn4_set1(0));
  } else {
    point_bounds(p, x);
  }
  mul_J(s, x->jar, cold, L, wide);
  images(s, at, L, wide);
  SN_ASSERT(s->rows >= nefc && s->rows % 4 == 0 && x->nlane >= nefc);
  linear_term(p->b, x->jar, p->aref, nefc);
  memcpy(x->jar, p->b, sizeof(mjtNum) * (size_t)nefc);
  subtract_aref(p, x->Jv);
  mjtNum cold_cost = primal_penalty(p, x, false);
  mjtNum* swap = x->jar;
  x->jar = x->Jv, x->Jv = swap;
  SN_UNROLL
  for (int c = 0; c < L; c++) {
    e[c] = at->acc[c] - cold[c];
    Me[c] = at->Ma[c] - at->smooth[c];
  }
  x->gauss = 0.5 * dot(e, Me, L);
  x->cost = primal_penalty(p, x, p->elliptic) + x->gauss;
  if (x->cost < cold_cost) return;
  x->Jv = x->jar, x->jar = swap;
  SN_UNROLL
  for (int c = 0; c < L; c++) at->acc[c] = cold[c], at->Ma[c] = at->smooth[c];
  x->gauss = 0;
  x->cost = primal_penalty(p, x, p->elliptic);
}

// What works on rows alone is not written out for each L.
SN_KERNEL static mjtNum length(const snProblem* p, snPoint* x, mjtNum norm, mjtNum quad1,
                               mjtNum quad2) {
  return point_length(p, x, norm, quad1, quad2, true);
}

SN_KERNEL static void count_changes(snFull* s, snNewtonStep* made) {
  point_count(s->p, &s->x, &s->nactive, &s->nchange);
  made->nactive = s->nactive;
  made->nchange = s->nchange;
}

// One step; false when there is none to make.
SN_INLINE bool full_step(snFull* s, snPlace* at, snNewtonStep* made, bool first, int L, bool wide) {
  const snProblem* p = s->p;
  snPoint* x = &s->x;
  sn4 search[MOST_LANES], Mv[MOST_LANES], rest[MOST_LANES];
  mjtNum quad2;
  bool anew = false;
  do {
    SN_UNROLL
    for (int c = 0; c < L; c++) search[c] = -at->grad[c];
    if (wide)
      wide_step(s, search, first, anew, L);
    else
      small_step(s, search, L);
    mul_M(s, Mv, search, L, wide);
    x->descent = dot(at->grad, search, L);
    quad2 = dot(search, Mv, L);
    anew = newton_lost(x->descent, quad2, &s->damping);
  } while (anew);
  SN_UNROLL
  for (int c = 0; c < L; c++) rest[c] = at->Ma[c] - at->smooth[c];
  mul_J(s, x->Jv, search, L, wide);
  mjtNum norm = sqrt(dot(search, search, L));
  mjtNum t = length(p, x, norm, dot(search, rest, L), quad2);
  if (t == 0) return false;
  SN_UNROLL
  for (int c = 0; c < L; c++) {
    at->acc[c] += search[c] * t;
    at->Ma[c] += Mv[c] * t;
  }
  SN_ROLLED
  for (int i = 0; i < s->rows; i += 4) {
    sn4_store(x->jar + i, sn4_load(x->jar + i) + sn4_load(x->Jv + i) * t);
  }
  mjtNum cost = x->cost;
  x->cost = x->gauss + primal_penalty(p, x, p->elliptic);
  *made = (snNewtonStep){.fall = cost_fall(cost, x->cost, x->gain),
                         .slope = x->slope,
                         .neval = x->neval,
                         .exact = true};
  count_changes(s, made);
  return true;
}

// The iteration's state as its operations see it. L and wide are constants where they are inlined.
typedef struct snFullSpace_ {
  snFull* s;
  snPlace* at;
  int L;
  bool wide;
} snFullSpace;

SN_INLINE bool take_step(void* space, int iter, snNewtonStep* made) {
  const snFullSpace* x = space;
  return full_step(x->s, x->at, made, iter == 0, x->L, x->wide);
}

SN_INLINE mjtNum take_gradient(void* space, bool closing) {
  const snFullSpace* x = space;
  (void)closing;  // always computed from the point
  return gradient(x->s, x->at, x->L, x->wide);
}

SN_INLINE void newton(snFull* s, snReport* report, int L, bool wide) {
  const snProblem* p = s->p;
  snPlace at;
  snFullSpace space = {s, &at, L, wide};
  s->damping = 0;
  start(s, &at, L, wide);
  mjtNum norm = gradient(s, &at, L, wide);
  newton_iterate(p, take_step, take_gradient, &space, norm, report);
  store_lanes(p->acc, at.acc, p->nv, L);
  store_lanes(p->frc_constraint, at.constraint, p->nv, L);
  primal_finish(p, &s->x);
}

// Memory beyond the top of the stack: nothing else is taken while it is in use. On the stack for a
// system that is kept.
SN_INLINE bool take_memory(const snFull* s, const snArray* field, int n) {
  snMemory* memory = s->p->memory;
  return s->held ? frame_reserve(memory, field, n) : frame_scratch(memory, field, n);
}

#define POINT_FIELDS(x, rows)                                                             \
  SN_ARRAY((x)->jar, rows), SN_ARRAY((x)->Jv, rows), SN_ARRAY((x)->force, rows),          \
      SN_ARRAY((x)->weight, rows), SN_ARRAY((x)->before, rows),                           \
      SN_ARRAY((x)->weight_before, rows), SN_ARRAY((x)->D, rows), SN_ARRAY((x)->R, rows), \
      SN_ARRAY((x)->low, rows), SN_ARRAY((x)->high, rows), SN_ARRAY((x)->cone, rows)

SN_INLINE bool allocate_small(snFull* s, int L) {
  const snProblem* p = s->p;
  size_t rows = (size_t)s->rows, width = 4 * (size_t)L, held = s->held;
  snArray field[] = {POINT_FIELDS(&s->x, rows), SN_ARRAY(s->J, rows * width),
                     SN_ARRAY(s->M, width * width), SN_ARRAY(s->least, width),
                     SN_ARRAY(s->bent, p->elliptic ? rows * width : 0), SN_ARRAY(s->term, 2 * rows),
                     // the current factor, then those that are kept
                     SN_ARRAY(s->factor[0], (1 + held * SMALL_FACTORS) * small_room(rows, L)),
                     SN_ARRAY(s->images, held * (2 * width + rows))};
  if (!take_memory(s, field, sizeof field / sizeof *field)) return false;
  s->H = s->factor[0] + rows;
  s->dinv = s->H + width * width;
  return true;
}

// The same for a wide system, whose vectors over rows have room for a band behind the last one.
SN_INLINE bool allocate_wide(snFull* s, int L) {
  const snProblem* p = s->p;
  size_t rows = (size_t)s->rows + 4, width = 4 * (size_t)L, held = s->held, bands = 0;
  for (int r = 0; r < p->rows.nefc;) {
    int end = wide_unit(&p->rows, r);
    bands += (size_t)(end - r + 3) / 4;
    r = end;
  }
  size_t factor = rows + width * width + width;
  snArray field[] = {POINT_FIELDS(&s->x, rows),
                     SN_ARRAY(s->J, bands * 4 * width),
                     SN_ARRAY(s->M, width * width),
                     SN_ARRAY(s->H, width * width),
                     SN_ARRAY(s->plain, width * width),
                     SN_ARRAY(s->counted, rows),
                     SN_ARRAY(s->zero, rows),
                     SN_ARRAY(s->dinv, width),
                     SN_ARRAY(s->least, width),
                     SN_ARRAY(s->bent, p->elliptic ? 6 * width : 0),
                     SN_ARRAY(s->band, bands),
                     SN_ARRAY(s->single, rows),
                     SN_ARRAY(s->factor[0], held * MAX_FACTORS * factor),
                     SN_ARRAY(s->images, held * (2 * width + rows))};
  if (!take_memory(s, field, sizeof field / sizeof *field)) return false;
  for (size_t k = 1; k < MAX_FACTORS && held; k++) s->factor[k] = s->factor[k - 1] + factor;
  // a band reads forces behind its rows, with coefficients of zero
  sn4_store(s->x.force + rows - 4, sn4_set1(0));
  sn4_store(s->x.before + rows - 4, sn4_set1(0));
  memset(s->zero, 0, sizeof(mjtNum) * rows);
  return true;
}

SN_INLINE bool fill_small(snFull* s, const mjtNum* J, int L) {
  SN_ASSERT(s->p->nv <= 4 * L && L <= SMALL_LANES);
  s->x.nlane = s->rows = (s->p->rows.nefc + 3) & ~3;
  if (!allocate_small(s, L)) return false;
  small_fill(s, J, L);
  return true;
}

SN_INLINE bool run_small(const snProblem* p, const mjtNum* J, snFull* kept, snReport* report,
                         int L) {
  snFull own, *s = kept;  // most of it is for wide ones
  if (!kept) {
    s = &own;
    own.p = p;
    own.held = own.started = false;
    if (!fill_small(s, J, L)) return false;
  }
  newton(s, report, L, false);
  return true;
}

SN_KERNEL static bool solve_small(const snProblem* p, const mjtNum* J, snFull* kept,
                                  snReport* report) {
  switch ((p->nv + 3) / 4) {
    case 1:
      return run_small(p, J, kept, report, 1);
    case 2:
      return run_small(p, J, kept, report, 2);
    case 3:
      return run_small(p, J, kept, report, 3);
    default:
      return run_small(p, J, kept, report, 4);
  }
}

SN_KERNEL static bool keep_small(snFull* s, const mjtNum* J) {
  switch ((s->p->nv + 3) / 4) {
    case 1:
      return fill_small(s, J, 1);
    case 2:
      return fill_small(s, J, 2);
    case 3:
      return fill_small(s, J, 3);
    default:
      return fill_small(s, J, 4);
  }
}

SN_KERNEL static bool fill_wide(snFull* s, const mjtNum* J) {
  int L = (s->p->nv + 3) / 4;
  s->x.nlane = s->rows = (s->p->rows.nefc + 3) & ~3;
  SN_ASSERT(L <= MOST_LANES);
  if (!allocate_wide(s, L)) return false;
  wide_fill(s, J, L);
  return true;
}

SN_KERNEL static void solve_wide(snFull* s, snReport* report) {
  int L = (s->p->nv + 3) / 4;
  if (L > 0) newton(s, report, L, true);
}

struct snFull_* newton_full_keep(const snProblem* p, const mjtNum* J) {
  snFull* s;
  if (!FRAME(p->memory, SN_ARRAY(s, 1))) return NULL;
  *s = (snFull){.p = p, .held = true};
  return (p->nv <= SMALL_DOFS ? keep_small(s, J) : fill_wide(s, J)) ? s : NULL;
}

bool solve_newton_full(const snProblem* p, const mjtNum* J, struct snFull_* kept,
                       snReport* report) {
  report->niter = 0;
  report->nnz = p->nv * (p->nv + 1) / 2;
  if (kept) kept->p = p;
  if (p->nv <= SMALL_DOFS) return solve_small(p, J, kept, report);
  snFull own, *s = kept;
  if (!kept) {
    s = &own;
    own = (snFull){.p = p};
    if (!fill_wide(s, J)) return false;
  }
  solve_wide(s, report);
  return true;
}
