// Explicit inertials when bodies are merged: with fusestatic a body without joints dissolves into
// its parent, whose mass, center of mass and inertia become those of both,
//
//   I = sum_k R_k I_k R_k' + m_k (d_k'd_k 1 - d_k d_k'),
//
// about the common center of mass, d_k from it to that of body k.
#include <math.h>
#include <string.h>

#include "spec/private.h"

// An inertia about its own center of mass, seen from a body.
typedef struct {
  double mass, com[3], mat[9];
} Inertia;

static void resolve(const snElement* e, double quat[4], const double given[4],
                    const mjsOrientation* alt) {
  const mjsCompiler* c = element_compiler(e);
  char sequence[4] = {c->eulerseq[0], c->eulerseq[1], c->eulerseq[2], 0};
  memcpy(quat, given, 4 * sizeof *quat);
  if (alt->type != mjORIENTATION_QUAT) mjs_resolveOrientation(quat, c->degree, sequence, alt);
  mju_normalize4(quat);
}

// R A R'
static void turn(double mat[9], const double quat[4]) {
  double r[9], half[9];
  mju_quat2Mat(r, quat);
  mju_mulMatMat(half, r, mat, 3, 3, 3);
  mju_mulMatMatT(mat, half, r, 3, 3, 3);
}

static void inertial_of(Inertia* out, const snElement* body) {
  const mjsBody* b = &body->u.body;
  memset(out, 0, sizeof *out);
  if (!b->explicitinertial) return;
  out->mass = b->mass;
  if (!isnan(b->ipos[0])) memcpy(out->com, b->ipos, sizeof out->com);
  const double* f = b->fullinertia;
  if (!isnan(f[0])) {
    const double full[9] = {f[0], f[3], f[4], f[3], f[1], f[5], f[4], f[5], f[2]};
    memcpy(out->mat, full, sizeof full);
  } else {
    double quat[4];
    for (int k = 0; k < 3; k++) out->mat[4 * k] = b->inertia[k];
    resolve(body, quat, b->iquat, &b->ialt);
    turn(out->mat, quat);
  }
}

static void move(Inertia* i, const double pos[3], const double quat[4]) {
  mju_rotVecQuat(i->com, i->com, quat);
  mju_addTo3(i->com, pos);
  turn(i->mat, quat);
}

// About a point at d from the center of mass: I + m (d'd 1 - d d')
static void add_about(double mat[9], const Inertia* i, const double com[3]) {
  double d[3];
  mju_sub3(d, i->com, com);
  double square = mju_dot3(d, d);
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      mat[3 * r + c] += i->mat[3 * r + c] + i->mass * ((r == c) * square - d[r] * d[c]);
    }
  }
}

void inertial_merge(snElement* parent, const snElement* body) {
  mjsBody* p = &parent->u.body;
  Inertia own, other;
  inertial_of(&own, parent);
  inertial_of(&other, body);
  double quat[4], mass = own.mass + other.mass;
  if (!body->u.body.explicitinertial || !parent->parent || !(mass > 0)) return;
  resolve(body, quat, body->u.body.quat, &body->u.body.alt);
  move(&other, body->u.body.pos, quat);
  for (const snElement* f = body->frame; f; f = f->frame) {
    resolve(f, quat, f->u.frame_.quat, &f->u.frame_.alt);
    move(&other, f->u.frame_.pos, quat);
  }
  double mat[9] = {0}, axes[9];
  for (int k = 0; k < 3; k++) {
    p->ipos[k] = (own.mass * own.com[k] + other.mass * other.com[k]) / mass;
  }
  add_about(mat, &own, p->ipos);
  add_about(mat, &other, p->ipos);
  mju_eig3(p->inertia, axes, p->iquat, mat);
  p->fullinertia[0] = NAN;
  p->ialt.type = mjORIENTATION_QUAT;
  p->mass = mass;
  p->explicitinertial = 1;
}
