// The NCP followed piece by piece, from a problem that is solved to the one that is not.
//
// With y = f - v the impulses are a function f(y) that is smooth in pieces: zero for y_N < 0 (open),
// y inside the cone (sticking), and otherwise (y_N, mu y_N y_T / |y_T|) (sliding). Impulses that
// nearly solve the NCP solve another one exactly, that of c + r for a small r (Moreau's
// decomposition of f - v - s). In between lies the curve of
//
//   (D + sigma) f(y) + c + t r - sigma f0 + y - f(y) = 0
//
// from t = 1 to t = 0. Inside a piece it is smooth, and nearly straight but for sliding contacts
// that turn: a step goes to the border of the piece, where one contact changes its state, and costs
// one factor. t grows for a while where the determinant of the system says so, as in continuation.c.
//
// There is no barrier here, and steps do not shrink with tau: where the central path creeps because
// a contact turns, these steps are long. Curves that end well do so within a few dozen steps as a
// rule, and others wander: a small budget and another start are better than patience.
#include <math.h>
#include <string.h>

#include "dual/cones.h"
#include "dual/private.h"

#define STEPS 40      // of all curves from one start
#define TURN 0.3      // angle that a sliding contact turns in a step
#define GROWTH 0.5    // what t grows by in a step, or as much as it is
#define FARTHEST 1e3  // t of a curve that does not come back
#define ASTRAY 1.0    // distance from the curve that is not made good
#define LEAST 1e-9    // length of a step that is none,
#define STANDING 20   // and how many of them in a row end the curve

typedef enum snPiece_ { snPIECE_OPEN = 0, snPIECE_STICK, snPIECE_SLIDE, snPIECE_HIGH } snPiece;

typedef struct snPieces_ {
  snDualNewton* newton;  // with the system of this method
  const snDual* p;
  mjtNum *y, *f, *v;     // the point: scaled, v = D f + c
  mjtNum *r, *centre;    // of the curve
  mjtNum* rest;          // residual of the curve at the point
  mjtNum *back, *along;  // dy to the curve, and along it by t
  mjtNum *step, *dv;
  mjtNum t, sigma;
  char* piece;  // (nblock)
} snPieces;

enum { VECTORS = 10 };
size_t pieces_scratch(const snDelassus* D, int nblock) {
  return VECTORS * (size_t)dual_stride(D->n) + (size_t)nblock / sizeof(mjtNum) + 1;
}

// f(y) and its derivative P (n x n) in a piece
static void piece_force(const snPieces* q, const snDualBlock* b, int piece, const mjtNum* y, int n,
                        mjtNum* f, mjtNum* P) {
  for (int i = 0; i < n; i++) f[i] = 0;
  for (int i = 0; P && i < n * n; i++) P[i] = 0;
  if (piece == snPIECE_STICK) {
    for (int i = 0; i < n; i++) f[i] = y[i];
    for (int i = 0; P && i < n; i++) P[i * n + i] = 1;
  } else if (b->kind == snDUAL_BOX) {
    mjtNum bound = b->bound / q->newton->scale[b->row];
    f[0] = piece == snPIECE_HIGH ? bound : -bound;
  } else if (piece == snPIECE_SLIDE) {
    mjtNum size = tangent_norm(y, n), inverse = size > 0 ? 1 / size : 0;
    f[0] = y[0];
    for (int i = 1; i < n; i++) f[i] = b->mu * y[0] * y[i] * inverse;
    if (!P) return;
    P[0] = 1;
    for (int i = 1; i < n; i++) {
      P[i * n] = b->mu * y[i] * inverse;
      for (int j = 1; j < n; j++) {
        P[i * n + j] = b->mu * y[0] * inverse * ((i == j) - y[i] * inverse * (y[j] * inverse));
      }
    }
  }
}

static int piece_of(const snPieces* q, const snDualBlock* b, const mjtNum* y) {
  mjtNum bound = b->bound / q->newton->scale[b->row];
  if (b->kind == snDUAL_FREE) return snPIECE_STICK;
  if (b->kind == snDUAL_BOX)
    return y[0] >= bound ? snPIECE_HIGH : y[0] <= -bound ? snPIECE_OPEN : snPIECE_STICK;
  if (!(y[0] > 0)) return snPIECE_OPEN;
  if (b->kind == snDUAL_HALF) return snPIECE_STICK;
  return tangent_norm(y, b->nrow) <= b->mu * y[0] ? snPIECE_STICK : snPIECE_SLIDE;
}

static void pieces_state(const void* self, const snDualBlock* b, int row, int n, snState* s) {
  const snPieces* q = self;
  mjtNum f[DUAL_MAXCONE];
  piece_force(q, b, q->piece[b - q->p->block], q->y + row, n, f, s->H);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      s->G[i * n + j] = (i == j) - s->H[i * n + j];
      s->F[i] += s->H[i * n + j] * q->rest[row + j];
    }
  }
}

// f, v = D f + c and the residual of the curve
static void read_point(const snPieces* q) {
  const snDual* p = q->p;
  const mjtNum* scale = q->newton->scale;
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    int n = b->kind == snDUAL_FREE ? 1 : b->nrow;
    for (int row = b->row; row < b->row + b->nrow; row += n)
      piece_force(q, b, q->piece[k], q->y + row, n, q->f + row, NULL);
  }
  for (int i = 0; i < p->n; i++) q->step[i] = scale[i] * q->f[i];
  dual_velocity(p, q->step, q->v);
  for (int i = 0; i < p->n; i++) {
    q->v[i] *= scale[i];
    q->rest[i] = q->v[i] + q->sigma * (q->f[i] - q->centre[i]) + q->t * q->r[i] + q->y[i] - q->f[i];
  }
}

// The exact solution of another problem that is nearest to the given impulses.
static void begin(snPieces* q, const mjtNum* force) {
  const snDual* p = q->p;
  const mjtNum* scale = q->newton->scale;
  dual_velocity(p, force, q->v);
  for (int k = 0; k < p->nblock; k++) {
    const snDualBlock* b = p->block + k;
    int row = b->row, n = b->nrow;
    mjtNum y[DUAL_MAXCONE] = {0};
    if (b->kind == snDUAL_FREE) {
      for (int i = row; i < row + n; i++) q->y[i] = force[i] / scale[i];
      q->piece[k] = snPIECE_STICK;
      continue;
    }
    for (int i = 0; i < n; i++) y[i] = force[row + i] / scale[row] - scale[row] * q->v[row + i];
    if (b->kind == snDUAL_CONE) {
      mjtNum f[DUAL_MAXCONE];
      y[0] -= b->mu * tangent_norm(q->v + row, n) * scale[row];
      for (int i = 0; i < n; i++) f[i] = y[i];
      project_cone(f, b->mu, n);
      for (int i = 1; i < n; i++) q->y[row + i] = y[i];
      mjtNum slide = 0;
      for (int i = 1; i < n; i++) slide += (f[i] - y[i]) * (f[i] - y[i]);
      q->y[row] = y[0] + b->mu * sqrt(slide);  // f - v, v_N = z_N - s
    } else {
      q->y[row] = y[0];
    }
    q->piece[k] = (char)piece_of(q, b, q->y + row);
  }
  q->t = 0;
  memset(q->r, 0, sizeof(mjtNum) * (size_t)p->n);
  for (int i = 0; i < p->n; i++) q->centre[i] = 0;
  read_point(q);
  for (int i = 0; i < p->n; i++) {
    q->centre[i] = q->f[i];
    q->r[i] = -(q->v[i] + q->y[i] - q->f[i]);
  }
  q->t = 1;
}

// Where C + B x + A x^2, not negative at 0, becomes negative; `most` if not before
static mjtNum first_root(mjtNum C, mjtNum B, mjtNum A, mjtNum small, mjtNum most) {
  if (C <= small) {
    if (B < 0) return 0;
    return A < 0 ? fmin(most, -B / A) : most;
  }
  mjtNum disc = B * B - 4 * A * C;
  if (disc < 0) return most;
  mjtNum down = sqrt(disc) - B;
  return down > 0 ? fmin(most, 2 * C / down) : most;
}

// The share of a step dy up to `most` that stays in the piece, and the piece behind it.
static mjtNum room(const snPieces* q, int k, const mjtNum* dy, mjtNum most, int* behind) {
  const snDualBlock* b = q->p->block + k;
  const mjtNum* y = q->y + b->row;
  int piece = q->piece[k], n = b->nrow;
  mjtNum bound = b->bound / q->newton->scale[b->row], t;
  if (b->kind == snDUAL_FREE) return most;
  if (b->kind == snDUAL_BOX) {
    if (piece == snPIECE_OPEN) {
      *behind = snPIECE_STICK;
      return first_root(-bound - y[0], -dy[0], 0, 0, most);
    }
    if (piece == snPIECE_HIGH) {
      *behind = snPIECE_STICK;
      return first_root(y[0] - bound, dy[0], 0, 0, most);
    }
    t = first_root(y[0] + bound, dy[0], 0, 0, most);
    mjtNum up = first_root(bound - y[0], -dy[0], 0, 0, most);
    *behind = up < t ? snPIECE_HIGH : snPIECE_OPEN;
    return fmin(up, t);
  }
  if (piece == snPIECE_OPEN) {
    *behind = b->kind == snDUAL_HALF ? snPIECE_STICK : snPIECE_SLIDE;
    return first_root(-y[0], -dy[0], 0, 0, most);
  }
  t = first_root(y[0], dy[0], 0, 0, most);
  *behind = snPIECE_OPEN;
  if (b->kind == snDUAL_HALF) return t;
  // |y_T|^2 - mu^2 y_N^2
  mjtNum mu2 = b->mu * b->mu, C = -mu2 * y[0] * y[0], B = -mu2 * y[0] * dy[0],
         A = -mu2 * dy[0] * dy[0], size = mu2 * y[0] * y[0];
  for (int i = 1; i < n; i++) C += y[i] * y[i], B += y[i] * dy[i], A += dy[i] * dy[i];
  mjtNum sign = piece == snPIECE_SLIDE ? 1 : -1;
  if (piece == snPIECE_SLIDE && b->mu < LEAST_MU) return t;
  mjtNum edge = first_root(sign * C, 2 * sign * B, sign * A, 1e-14 * size, most);
  if (edge < t) {
    t = edge;
    *behind = piece == snPIECE_SLIDE ? snPIECE_STICK : snPIECE_SLIDE;
  }
  return t;
}

// How far until a sliding contact has turned by TURN
static mjtNum turn_room(const snPieces* q, int k, const mjtNum* dy, mjtNum most) {
  const snDualBlock* b = q->p->block + k;
  const mjtNum* y = q->y + b->row;
  if (b->kind != snDUAL_CONE || q->piece[k] != snPIECE_SLIDE) return most;
  mjtNum size = 0, dot = 0, all = 0;
  for (int i = 1; i < b->nrow; i++) {
    size += y[i] * y[i];
    dot += y[i] * dy[i];
    all += dy[i] * dy[i];
  }
  mjtNum across = size > 0 ? sqrt(fmax(0, all - dot * dot / size)) : 0;
  return across > 0 ? fmin(most, TURN * sqrt(size) / across) : most;
}

static void take_solve(const snPieces* q, const mjtNum* known, mjtNum* dy) {
  newton_change(q->newton, q->dv);  // (D + sigma) df
  for (int i = 0; i < q->p->n; i++) dy[i] = q->newton->step[i] - q->dv[i] - known[i];
}

// q->step: P r, block by block
static void move_by_r(const snPieces* q) {
  for (int k = 0; k < q->p->nblock; k++) {
    const snDualBlock* b = q->p->block + k;
    int n = b->kind == snDUAL_FREE ? 1 : b->nrow;
    for (int row = b->row; row < b->row + b->nrow; row += n) {
      mjtNum P[DUAL_MAXCONE * DUAL_MAXCONE], f[DUAL_MAXCONE];
      piece_force(q, b, q->piece[k], q->y + row, n, f, P);
      for (int i = 0; i < n; i++) {
        q->step[row + i] = 0;
        for (int j = 0; j < n; j++) q->step[row + i] -= P[i * n + j] * q->r[row + j];
      }
    }
  }
}

// The way back to the curve, at right angles to it, and the way along it, by one factor. False when
// it is singular or the point is astray.
static bool find_ways(snPieces* q) {
  int n = q->p->n;
  mjtNum dot = 0, norm = 1, worst = 0;
  read_point(q);
  if (!newton_direction(q->newton)) return false;
  take_solve(q, q->rest, q->back);
  move_by_r(q);
  newton_again(q->newton, q->step);
  take_solve(q, q->r, q->along);
  for (int i = 0; i < n; i++) {
    dot += q->back[i] * q->along[i];
    norm += q->along[i] * q->along[i];
  }
  for (int i = 0; i < n; i++) {
    q->back[i] -= dot / norm * q->along[i];
    worst = fmax(worst, fabs(q->back[i]));
  }
  for (int i = 0; i < n; i++) q->y[i] += q->back[i];
  q->t = fmax(0, q->t - dot / norm);
  return worst < ASTRAY;
}

// One step to the border of the piece, to t = 0, or as far as a contact may turn: its length in t.
// `arrived`: t is 0.
static mjtNum piece_step(snPieces* q, bool* arrived) {
  const snDual* p = q->p;
  mjtNum sense = q->newton->A->inner->lu.sign < 0 ? 1 : -1;
  mjtNum reach = sense < 0 ? q->t : fmax(GROWTH, q->t), length = reach, share = 1;
  int which = -1, next = 0;
  for (int k = 0; k < p->nblock; k++) {
    length = turn_room(q, k, q->along + p->block[k].row, length);
  }
  for (int i = 0; i < p->n; i++) q->step[i] = sense * length * q->along[i];
  for (int k = 0; k < p->nblock; k++) {
    int behind = 0;
    mjtNum now = room(q, k, q->step + p->block[k].row, share, &behind);
    if (!(now < share)) continue;
    share = now;
    which = k;
    next = behind;
  }
  for (int i = 0; i < p->n; i++) q->y[i] += share * q->step[i];
  q->t += share * sense * length;
  if (which >= 0) q->piece[which] = (char)next;
  *arrived = which < 0 && length == reach && sense < 0;
  return share * length;
}

// The end of the curve: the proximal term keeps stress near its centre, which D may not determine.
// The next curve leads from there to where the centre is this point. True when that is not wanted.
static bool finish(snPieces* q, const snDualNewton* newton, mjtNum tolerance, mjtNum* force,
                   mjtNum* natural, snSolverReport* report) {
  const snDual* p = q->p;
  mjtNum* real = q->step;
  q->t = 0;
  read_point(q);
  for (int i = 0; i < p->n; i++) real[i] = newton->scale[i] * q->f[i];
  project_all(p, real);
  dual_velocity(p, real, q->v);
  mjtNum now = dual_natural(p, newton->form, real, q->v);
  if (now > tolerance) newton_descend(newton, snNEWTON_WHOLE, tolerance, real, &now, report);
  if (now < *natural) {
    *natural = now;
    memcpy(force, real, sizeof(mjtNum) * (size_t)p->n);
  }
  for (int i = 0; i < p->n; i++) {
    q->r[i] = q->sigma * (q->f[i] - q->centre[i]);
    q->centre[i] = q->f[i];
  }
  q->t = 1;
  return now <= tolerance || report->r_conflict > 0;
}

bool pieces(const snDualNewton* newton, const mjtNum* start, mjtNum sigma, mjtNum tolerance,
            mjtNum* force, mjtNum* natural, mjtNum* scratch, snSolverReport* report) {
  const snDual* p = newton->p;
  size_t stride = (size_t)dual_stride(p->n);
  snDualNewton own = *newton;
  snPieces q = {.newton = &own, .p = p, .sigma = sigma};
  mjtNum** vectors[VECTORS] = {&q.y,      &q.f,    &q.v,     &q.r,    &q.rest,
                               &q.centre, &q.back, &q.along, &q.step, &q.dv};
  mjtNum at_start = *natural;
  if (!newton->A->inner || p->R || newton->form != snFORM_NCP) return false;
  for (int i = 0; i < VECTORS; i++) *vectors[i] = scratch + (size_t)i * stride;
  q.piece = (char*)(scratch + VECTORS * stride);
  own.state = pieces_state;
  own.self = &q;
  own.inside = own.refined = true;
  own.small = q.sigma;
  begin(&q, start);
  for (int k = 0, standing = 0; k < STEPS && report->iterations < p->set.iterations; k++) {
    bool arrived;
    if (!find_ways(&q)) break;
    report->iterations++;
    standing = piece_step(&q, &arrived) < LEAST ? standing + 1 : 0;
    if (standing > STANDING || q.t > FARTHEST || !numbers_finite(q.y, p->n)) break;
    if (arrived && finish(&q, newton, tolerance, force, natural, report)) break;
  }
  return *natural < at_start;
}
