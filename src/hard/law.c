// Impact laws beside Newton's (impact.c, solve.c). Where a contact with restitution closes within
// the step, bodies collide at the beginning of it, and the step goes on from the velocities behind
// the impact with no restitution. With v the velocities of rows before the impact:
//
//   compression   f_c solves the NCP of v, as if nothing bounced; it dissipates: f_c'v_c <= 0
//   poisson       f = f_c + s E f_c: each contact gives back its share e of the impulse
//   energetic     the same with s so that the work of normal impulses in restitution is e^2 times
//                 that in compression (Stronge)
//   sequential    one contact after the other, always the one that closes fastest, each as if it
//                 were alone: f = (1 + e) f_c of its own rows. An impact runs through bodies that
//                 touch as it runs through a cradle
//
// s is at most what keeps the kinetic energy where it was before: with f = f_c + s g, the change is
// f'v + f'Df / 2, a parabola in s that is not above zero at s = 0. For one contact, and for equal
// e, s = 1 always does: f_c'D f_c <= -f_c'v. Sequential impacts lose energy one by one.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "data/frame.h"
#include "hard/private.h"

#define SEQUENCE 200  // impacts for each contact at most; what is left comes to rest
#define ENOUGH 1e-9   // m/s: no impact

// The NCP of compression: contacts that are apart may close up to their gap.
static bool compress(mjData* d, const snDualSolver* solver, snDual* p, const mjtNum* gap) {
  mjtNum* bias;
  snDualBlock* block;
  p->nscratch = dual_scratch(solver, p->D, p->nblock);
  if (!FRAME(memory_of(d), SN_ARRAY(bias, p->n), SN_ARRAY(block, p->nblock),
             SN_ARRAY(p->velocity, p->n), SN_ARRAY(p->scratch, p->nscratch))) {
    return false;
  }
  memcpy(block, p->block, sizeof(snDualBlock) * (size_t)p->nblock);
  for (int i = 0; i < p->n; i++) bias[i] = p->v_free[i] + gap[i];
  for (int k = 0; k < p->nblock; k++) {
    // dry friction of joints has no time to act
    if (block[k].kind == snDUAL_BOX) block[k].bound = 1e-12;
  }
  p->block = block;
  p->v_free = bias;
  snSolverReport report;
  dual_solve(solver, p, &report);
  return true;
}

// The largest root of a s^2 + b s + c, where c <= 0; at most `most`
static mjtNum last_root(mjtNum a, mjtNum b, mjtNum c, mjtNum most) {
  if (c >= 0 && b >= 0) return 0;
  mjtNum square = b * b - 4 * a * c;
  if (!(square >= 0)) return 0;
  mjtNum root = b > 0 ? -2 * c / (b + sqrt(square)) : (sqrt(square) - b) / (2 * a);
  return a > 0 || b > 0 ? fmin(most, fmax(0, root)) : most;
}

// f += s g, g = E f
static bool restitute(mjData* d, const snDual* p, bool energetic, const mjtNum* e, const mjtNum* v,
                      mjtNum* f) {
  int n = p->n;
  mjtNum *g, *Df, *Dg, most = 1;
  if (!FRAME(memory_of(d), SN_ARRAY(g, n), SN_ARRAY(Df, n), SN_ARRAY(Dg, n))) return false;
  mju_zero(g, n);
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    for (int i = b->row; i < b->row + b->nrow; i++) g[i] = e[k] * f[i];
  }
  p->D->mul(p->D, Df, f);
  p->D->mul(p->D, Dg, g);
  if (energetic) {
    mjtNum stored = 0, a = 0, b = 0;  // work of normal impulses
    for (int k = 0; k < p->nblock; k++) {
      int i = p->block[k].row;
      if (e[k] <= 0 || g[i] <= 0) continue;
      stored -= e[k] * e[k] * f[i] * (v[i] + 0.5 * Df[i]);
      a += 0.5 * g[i] * Dg[i];
      b += g[i] * (v[i] + Df[i]);
    }
    most = stored > 0 ? last_root(a, b, -stored, 1 / mjMINVAL) : 0;
  }
  mjtNum a = 0, b = 0, c = 0;  // change of the kinetic energy
  for (int i = 0; i < n; i++) {
    a += 0.5 * g[i] * Dg[i];
    b += g[i] * (v[i] + Df[i]);
    c += f[i] * (v[i] + 0.5 * Df[i]);
  }
  mjtNum s = last_root(a, b, fmin(c, 0), most);
  for (int i = 0; i < n; i++) f[i] += s * g[i];
  return true;
}

// One contact alone: (1 + e) times the impulse that stops it. mu and D of its rows.
static void strike(const snDualBlock* b, const mjtNum* D, mjtNum e, const mjtNum* v, mjtNum* f) {
  if (b->kind == snDUAL_HALF || b->nrow == 1) {
    f[0] = D[0] > mjMINVAL ? -(1 + e) * v[0] / D[0] : 0;
    return;
  }
  dual_stop_contact(b, D, v, f);
  mjtNum change = 0;
  for (int i = 0; i < b->nrow; i++) {
    mjtNum Df = 0;
    for (int j = 0; j < b->nrow; j++) Df += D[i * b->nrow + j] * f[j];
    change += f[i] * (v[i] + 0.5 * (1 + e) * Df);
  }
  // rounding of the local problem must not gain
  mjtNum s = change <= 0 ? 1 + e : 1;
  for (int i = 0; i < b->nrow; i++) f[i] *= s;
}

static bool propagate(mjData* d, const snDual* p, const mjtNum* e, const mjtNum* gap,
                      const mjtNum* v, mjtNum* f) {
  const snDelassus* D = p->D;
  int strikes = SEQUENCE * p->nblock;
  mjtNum* now;
  if (!FRAME(memory_of(d), SN_ARRAY(now, p->n))) return false;
  mju_zero(f, p->n);
  D->start(D, f);
  for (int i = 0; i < strikes; i++) {
    int worst = -1;
    mjtNum fastest = ENOUGH;
    D->read(D, 0, p->n, now);
    for (int k = 0; k < p->nblock; k++) {
      int row = p->block[k].row;
      mjtNum closing = -(now[row] + v[row] + gap[row]);
      if (p->block[k].kind < snDUAL_HALF || closing <= fastest) continue;
      fastest = closing;
      worst = k;
    }
    if (worst < 0) break;
    const snDualBlock* b = p->block + worst;
    mjtNum own[36], df[6] = {0}, before[6];
    SN_ASSERT(b->nrow <= 6);
    D->block(D, b->row, b->nrow, own);
    for (int j = 0; j < b->nrow; j++) before[j] = now[b->row + j] + v[b->row + j];
    strike(b, own, e[worst], before, df);
    for (int j = 0; j < b->nrow; j++) f[b->row + j] += df[j];
    D->move(D, b->row, b->nrow, df);
  }
  return true;
}

bool law_collide(mjData* d, const snDualSolver* solver, snDual* p, int law, const mjtNum* e,
                 const mjtNum* gap, mjtNum* f) {
  const mjtNum* v = p->v_free;
  bool good;
  mj_markStack(d);
  if (law == snIMPACT_SEQUENTIAL) {
    good = propagate(d, p, e, gap, v, f);
  } else {
    mju_zero(f, p->n);
    p->force = f;
    good = compress(d, solver, p, gap) && restitute(d, p, law == snIMPACT_ENERGETIC, e, v, f);
  }
  mj_freeStack(d);
  return good;
}
