// Solves on tape: what a step solved, and the same step again with impulses given.
//
// A step with hard contact is y = F(x, f), where the impulses f solve problems whose velocities are
// v = V(x, f). With f from the tape, F and V are explicit functions that can be differenced without
// a solver; derive/implicit.c puts their derivatives together.
#include <string.h>

#include "base/assert.h"
#include "dual/dual.h"

// The innermost one: a callback may differentiate other data while a derivative runs.
static _Thread_local snDualTape* tape_top;

static void tape_pop(void) {
  snDualTape* t = tape_top;
  tape_top = t->under;
  memory_free(t->solve);
  memory_free(t->block);
  memory_free(t->force);
  memory_free(t->velocity);
  memory_free(t->diagonal);
  memory_free(t);
}

const snDualTape* tape_mark(void) { return tape_top; }

void tape_release(const snDualTape* mark) {
  while (tape_top && tape_top != mark) tape_pop();
}

void tape_drop(const void* data) {
  const snDualTape* left = tape_top;
  while (left && left->data != data) left = left->under;
  if (left) tape_release(left->under);
}

snDualTape* tape_begin(const void* data) {
  tape_drop(data);
  snDualTape* t = memory_alloc(sizeof *t);
  if (!t) return NULL;
  *t = (snDualTape){.data = data, .under = tape_top};
  return tape_top = t;
}

void tape_end(snDualTape* t) {
  SN_ASSERT(t == tape_top);  // derivatives inside of this one have ended
  tape_release(t->under);
}

void tape_attend(const void* data, bool differentiated) {
  if (tape_top) tape_top->open = differentiated && tape_top->used && data == tape_top->data;
}

bool tape_used(void) { return tape_top && tape_top->open; }

// Room for `more` entries behind `used` ones; false without memory, with what was there kept.
static bool grow(void** array, size_t size, int used, int more, int room) {
  if (used + more <= room) return true;
  void* larger = memory_resize(*array, size * (size_t)room, size * 2 * (size_t)(used + more));
  if (larger) *array = larger;
  return larger != NULL;
}

static bool make_room(snDualTape* t, const snDual* p) {
  bool there = grow((void**)&t->solve, sizeof *t->solve, t->nsolve, 1, t->room_solve) &&
               grow((void**)&t->block, sizeof *t->block, t->nblock, p->nblock, t->room_block) &&
               grow((void**)&t->force, sizeof *t->force, t->n, p->n, t->room) &&
               grow((void**)&t->velocity, sizeof *t->velocity, t->n, p->n, t->room) &&
               grow((void**)&t->diagonal, sizeof *t->diagonal, t->n, p->n, t->room);
  if (!there) return false;
  if (t->nsolve + 1 > t->room_solve) t->room_solve = 2 * (t->nsolve + 1);
  if (t->nblock + p->nblock > t->room_block) t->room_block = 2 * (t->nblock + p->nblock);
  if (t->n + p->n > t->room) t->room = 2 * (t->n + p->n);
  return true;
}

void tape_write(const snDualSolver* solver, const snDual* p, const snSolverReport* report) {
  snDualTape* t = tape_top;
  if (!tape_used() || t->broken) return;
  if (!make_room(t, p)) {
    t->broken = true;
    return;
  }
  SN_ASSERT(t->nsolve < t->room_solve && t->n + p->n <= t->room);
  t->solve[t->nsolve++] =
      (snTapedSolve){.row = t->n,
                     .n = p->n,
                     .block = t->nblock,
                     .nblock = p->nblock,
                     .form = p->set.form == snFORM_CCP ? snFORM_CCP : snFORM_NCP,
                     .solver = solver->name,
                     .report = *report};
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    mjtNum own[36];
    for (int i = b->row; i < b->row + b->nrow; i++) {
      p->D->block(p->D, i, 1, own);
      t->diagonal[t->n + i] = own[0] + (p->R ? p->R[i] : 0);
    }
    t->block[t->nblock + k] = *b;
    t->block[t->nblock + k].row += t->n;
  }
  memcpy(t->force + t->n, p->force, sizeof(mjtNum) * (size_t)p->n);
  memcpy(t->velocity + t->n, p->velocity, sizeof(mjtNum) * (size_t)p->n);
  t->nblock += p->nblock;
  t->n += p->n;
}

bool tape_replay(const snDual* p, snSolverReport* report) {
  snDualTape* t = tape_top;
  if (!tape_used() || !t->replay) return false;
  const snTapedSolve* s = t->at < t->nsolve ? t->solve + t->at++ : NULL;
  bool same = s && s->n == p->n && s->nblock == p->nblock;
  for (int k = 0; same && k < p->nblock; k++) {
    const snDualBlock *a = p->block + k, *b = t->block + s->block + k;
    same = a->kind == b->kind && a->nrow == b->nrow;
  }
  if (!same) {
    t->broken = true;
    return false;
  }
  SN_ASSERT(s->row + s->n <= t->n);
  memcpy(p->force, t->force + s->row, sizeof(mjtNum) * (size_t)p->n);
  p->D->mul(p->D, p->velocity, p->force);
  for (int i = 0; i < p->n; i++) {
    p->velocity[i] += p->v_free[i] + (p->R ? p->R[i] * p->force[i] : 0);
  }
  memcpy(t->velocity + s->row, p->velocity, sizeof(mjtNum) * (size_t)p->n);
  *report = s->report;
  return true;
}
