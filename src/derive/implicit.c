// Hard contact and maximal coordinates: the derivative of the problems that a step solves.
//
// With impulses given, the step y = F(x, f) and the velocities v = V(x, f) of the rows are explicit
// (dual/tape.c). The solution holds, block by block, one of
//
//   free, sticking       v = 0                    open, dry friction at its bound    df = 0
//   sliding, direction   v_N = 0 (CCP: v_N = mu |v_T|),   f_T = -mu f_N t
//   t = v_T / |v_T|
//
// which is C_f df + C_v dv = 0 with dv = V_x dx + V_f df. So
//
//   df = -inv(C_f + C_v V_f) C_v V_x dx,    dy = F_x dx + F_f df
//
// F and V are differenced, without a solver: its tolerance is no noise in the result. A step may
// solve one problem behind the other (islands, then positions): f and v are those of all of them,
// and V_f is block triangular.
#include "derive/private.h"
#include "dual/dual.h"
#include "hard/hard.h"
#include "maximal/maximal.h"

// What rows that repeat each other need to have a solution, as a share of the diagonal of D.
static const double kRepeat = 1e-10;
// Impulses are moved by what changes the velocity of their row so much (m/s): F and V are linear in
// them but for turns.
static const double kPush = 1e-3;

typedef struct snTaped_ {
  snWhole w;
  snDualTape* tape;
  int n, ncol;
  mjtNum *f, *v;    // (n) of the solution
  mjtNum *Cf, *Cv;  // (n x 6) rows of their blocks
  int* block;       // (n) first row of its block
  int* width;       // (n) rows of it
  mjtNum *Yf, *Sf;  // next state and sensors by impulses (nx x n, nsensordata x n)
  mjtNum *Vf, *K;   // (n x n)
  mjtNum* X;        // df by every column (n x ncol)
  mjtNum* side[2];  // velocities of two sides (n)
  int* pivot;       // (n)
} snTaped;

bool implicit_there(const mjModel* m, const mjData* d) {
  return hard_active(m, d) || maximal_active(m);
}

// ---- states of the blocks

// Rows of a cone that slides along t.
static void slide_rows(const snDualBlock* b, bool ccp, const mjtNum* f, const mjtNum* v, mjtNum* Cf,
                       mjtNum* Cv) {
  double speed = 0, t[6] = {0};
  for (int i = 1; i < b->nrow; i++) speed += v[i] * v[i];
  speed = sqrt(speed);
  for (int i = 1; i < b->nrow; i++) t[i] = v[i] / speed;
  Cv[0] = 1;
  for (int i = 1; ccp && i < b->nrow; i++) Cv[i] = -b->mu * t[i];
  for (int i = 1; i < b->nrow; i++) {
    mjtNum *rf = Cf + 6 * i, *rv = Cv + 6 * i;
    rf[i] += 1;
    rf[0] += b->mu * t[i];
    for (int j = 1; j < b->nrow; j++) {
      rv[j] += b->mu * f[0] / speed * ((i == j) - t[i] * t[j]);
    }
  }
}

// Which state a block is in, by where its set projects f - (v + s) / D.
static void block_rows(const snDualBlock* b, bool ccp, const mjtNum* f, const mjtNum* v,
                       const mjtNum* diagonal, mjtNum* Cf, mjtNum* Cv) {
  double mean = 0, along = 0, across = 0, slip = 0;
  for (int i = 0; i < b->nrow; i++) mean += diagonal[i] / b->nrow;
  double r = mean > mjMINVAL ? 1 / mean : 0;
  bool moves = true;
  if (b->kind == snDUAL_BOX) moves = fabs(f[0] - r * v[0]) < b->bound;
  if (b->kind == snDUAL_HALF) moves = f[0] - r * v[0] > 0;
  if (b->kind == snDUAL_CONE) {
    for (int i = 1; i < b->nrow; i++) {
      double z = f[i] - r * v[i];
      across += z * z;
      slip += v[i] * v[i];
    }
    across = sqrt(across);
    along = f[0] - r * (v[0] + (ccp ? 0 : b->mu * sqrt(slip)));
    moves = b->mu * across > -along;
    if (moves && across > b->mu * along && slip > 0) {
      slide_rows(b, ccp, f, v, Cf, Cv);
      return;
    }
  }
  for (int i = 0; i < b->nrow; i++) {
    // a row that nothing can move holds no impulse
    bool held = moves && diagonal[i] > 1e-12 * mean;
    (held ? Cv : Cf)[7 * i] = 1;
  }
}

static void states_find(snTaped* p) {
  const snDualTape* tape = p->tape;
  memset(p->Cf, 0, sizeof(mjtNum) * 6 * (size_t)p->n);
  memset(p->Cv, 0, sizeof(mjtNum) * 6 * (size_t)p->n);
  for (int s = 0; s < tape->nsolve; s++) {
    const snTapedSolve* solve = tape->solve + s;
    for (int k = solve->block; k < solve->block + solve->nblock; k++) {
      const snDualBlock* b = tape->block + k;
      SN_ASSERT(b->row >= 0 && b->row + b->nrow <= p->n);
      for (int i = b->row; i < b->row + b->nrow; i++) p->block[i] = b->row, p->width[i] = b->nrow;
      if (b->nrow > 6) {
        // an equality of many rows
        for (int i = b->row; i < b->row + b->nrow; i++) {
          p->block[i] = i, p->width[i] = 1, p->Cv[6 * i] = 1;
        }
        continue;
      }
      block_rows(b, solve->form == snFORM_CCP, p->f + b->row, p->v + b->row,
                 tape->diagonal + b->row, p->Cf + 6 * b->row, p->Cv + 6 * b->row);
    }
  }
}

// ---- differences with impulses given

static bool replay(snTaped* p, int side) {
  p->tape->at = 0;
  p->tape->used = true;
  whole_run(&p->w, side);
  p->tape->used = false;
  bool same = !p->tape->broken && p->tape->at == p->tape->nsolve;
  if (same) mju_copy(p->side[side], p->tape->velocity, p->n);
  p->tape->broken = false;
  return same;
}

static void by_impulses(snTaped* p) {
  int n = p->n;
  for (int i = 0; i < n; i++) {
    double push = kPush / fmax(p->tape->diagonal[i], mjMINVAL), *f = p->tape->force + i, kept = *f;
    if (!(p->tape->diagonal[i] > mjMINVAL)) push = 1;
    for (int side = 0; side < 2; side++) {
      *f = kept + (side ? push : -push);
      replay(p, side);
    }
    *f = kept;
    whole_put(&p->w, 2 * push, p->Yf, p->Sf, n, i);
    for (int r = 0; r < n; r++) {
      p->Vf[(size_t)r * n + i] = (p->side[1][r] - p->side[0][r]) / (2 * push);
    }
  }
}

// Column c of F_x to A and C, C_v V_x to X. Where other rows are there on one side, the step is
// solved on both, and the column is what lies between.
static void by_number(snTaped* p, int c, mjtNum* A, mjtNum* C, int ncol, int at,
                      snDeriveReport* report) {
  double side[2];
  bool same = true;
  whole_sides(&p->w, c, side);
  for (int k = 0; k < 2; k++) {
    if (side[k] != 0) whole_move(&p->w, c, side[k]);
    same = replay(p, k) && same;
  }
  for (int k = 0; k < 2 && !same; k++) {
    if (side[k] != 0) whole_move(&p->w, c, side[k]);
    whole_run(&p->w, k);
  }
  if (!same) report_switch(report, 0, snSWITCH_ROW, -1);
  double width = side[1] - side[0];
  whole_put(&p->w, width, A, C, ncol, at);
  for (int i = 0; i < p->n; i++) {
    double sum = 0;
    for (int j = 0; j < p->width[i] && same; j++) {
      int r = p->block[i] + j;
      sum += p->Cv[6 * i + j] * (p->side[1][r] - p->side[0][r]) / width;
    }
    p->X[(size_t)i * p->ncol + c] = -sum;
  }
}

// ---- the linear system

// K = C_f + C_v V_f, then X = inv(K) X by elimination with row pivots.
static void impulses_solve(snTaped* p) {
  int n = p->n, ncol = p->ncol;
  for (int i = 0; i < n; i++) {
    mjtNum* row = p->K + (size_t)i * n;
    mju_zero(row, n);
    for (int j = 0; j < p->width[i]; j++) {
      int r = p->block[i] + j;
      mjtNum slope = p->Cv[6 * i + j];
      row[r] += p->Cf[6 * i + j] + slope * kRepeat * p->tape->diagonal[r];
      if (slope != 0) vec_add_scaled(row, p->Vf + (size_t)r * n, slope, n);
    }
  }
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(p->K[(size_t)i * n + k]) > fabs(p->K[(size_t)best * n + k])) best = i;
    }
    for (int j = 0; j < n && best != k; j++) {
      mjtNum x = p->K[(size_t)k * n + j];
      p->K[(size_t)k * n + j] = p->K[(size_t)best * n + j], p->K[(size_t)best * n + j] = x;
    }
    for (int j = 0; j < ncol && best != k; j++) {
      mjtNum x = p->X[(size_t)k * ncol + j];
      p->X[(size_t)k * ncol + j] = p->X[(size_t)best * ncol + j];
      p->X[(size_t)best * ncol + j] = x;
    }
    mjtNum pivot = p->K[(size_t)k * n + k];
    mjtNum inverse = p->K[(size_t)k * n + k] = fabs(pivot) > mjMINVAL ? 1 / pivot : 0;
    for (int i = k + 1; i < n; i++) {
      mjtNum l = p->K[(size_t)i * n + k] * inverse;
      if (l == 0) continue;
      vec_add_scaled(p->K + (size_t)i * n + k + 1, p->K + (size_t)k * n + k + 1, -l, n - k - 1);
      vec_add_scaled(p->X + (size_t)i * ncol, p->X + (size_t)k * ncol, -l, ncol);
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    mjtNum* x = p->X + (size_t)k * ncol;
    for (int i = k + 1; i < n; i++) {
      vec_add_scaled(x, p->X + (size_t)i * ncol, -p->K[(size_t)k * n + i], ncol);
    }
    for (int j = 0; j < ncol; j++) x[j] *= p->K[(size_t)k * n + k];
  }
}

// to += of X, for the columns of X from `first` on.
static void impulses_add(const snTaped* p, const mjtNum* of, int rows, int first, int count,
                         mjtNum* to) {
  for (int i = 0; to && i < rows; i++) {
    for (int k = 0; k < p->n; k++) {
      mjtNum slope = of[(size_t)i * p->n + k];
      if (slope == 0) continue;
      vec_add_scaled(to + (size_t)i * count, p->X + (size_t)k * p->ncol + first, slope, count);
    }
  }
}

// ---- the call

static bool reserve(snTaped* p) {
  const mjModel* m = p->w.m;
  size_t n = (size_t)p->n, nx = (size_t)p->w.nx, ns = (size_t)m->nsensordata;
  return FRAME(memory_of(p->w.d), SN_ARRAY(p->f, n), SN_ARRAY(p->v, n), SN_ARRAY(p->Cf, 6 * n),
               SN_ARRAY(p->Cv, 6 * n), SN_ARRAY(p->block, n), SN_ARRAY(p->width, n),
               SN_ARRAY(p->Yf, nx * n), SN_ARRAY(p->Sf, ns * n), SN_ARRAY(p->Vf, n * n),
               SN_ARRAY(p->K, n * n), SN_ARRAY(p->X, n * (size_t)p->ncol), SN_ARRAY(p->side[0], n),
               SN_ARRAY(p->side[1], n));
}

// The laws that blocks above describe; others are their own.
static const char* law_other(const snDualTape* t) {
  for (int s = 0; s < t->nsolve; s++) {
    const char* name = t->solve[s].solver;
    if (!strcmp(name, "barrier")) return "logarithms of the solver barrier";
    if (!strcmp(name, "raisim") || !strcmp(name, "raisim-ds-es")) return "the law of raisim";
  }
  return NULL;
}

static void solved_note(const snDualTape* t, snDeriveReport* report) {
  for (int s = 0; s < t->nsolve; s++) {
    report->residual = fmax(report->residual, t->solve[s].report.r_natural);
    if (!t->solve[s].report.converged) report_note(report, "a dual solver that did not converge");
  }
}

bool implicit_transition(const mjModel* m, mjData* d, mjtNum* A, mjtNum* B, mjtNum* C, mjtNum* D,
                         snDeriveReport* report) {
  snTaped p = {.ncol = 2 * m->nv + m->na + m->nu, .tape = tape_begin(d)};
  if (!p.tape) return false;
  mj_markStack(d);
  bool there = whole_make(&p.w, m, d);
  const char* other = NULL;
  if (there) {
    p.tape->used = true;
    whole_run(&p.w, 0);
    p.tape->used = false;
    there = !p.tape->broken;
    other = law_other(p.tape);
  }
  if (there && other) {
    there = differences_transition(m, d, A, B, C, D, other, report);
  } else if (there) {
    p.n = p.tape->n;
    there = reserve(&p);
  }
  if (there && !other) {
    solved_note(p.tape, report);
    mju_copy(p.f, p.tape->force, p.n);
    mju_copy(p.v, p.tape->velocity, p.n);
    states_find(&p);
    p.tape->replay = true;
    by_impulses(&p);
    int nx = p.w.nx, nu = m->nu, ns = m->nsensordata;
    for (int c = 0; c < nx; c++) by_number(&p, c, A, C, nx, c, report);
    for (int c = 0; c < nu; c++) by_number(&p, nx + c, B, D, nu, c, report);
    impulses_solve(&p);
    impulses_add(&p, p.Yf, nx, 0, nx, A);
    impulses_add(&p, p.Yf, nx, nx, nu, B);
    impulses_add(&p, p.Sf, ns, 0, nx, C);
    impulses_add(&p, p.Sf, ns, nx, nu, D);
    report_differenced(report,
                       "the problems of hard contact, with their impulses by the implicit "
                       "function");
    mj_forward(m, d);
    mj_setState(m, d, p.w.state, (unsigned)p.w.spec);
  }
  tape_end(p.tape);
  mj_freeStack(d);
  return there;
}
