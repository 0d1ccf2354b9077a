// Second derivatives of tendon lengths, and the passive forces of tendons.
//
// A straight piece from p0 to p1 has the direction u and the length L. Its gradient is
// u.(J1 - J0), with J the columns of the two points, so that
//
//   K_ij = (J1 - J0)_i . (1 - u u') (J1 - J0)_j / L + u . (dJ1_i - dJ0_i)
//
// where dJ_i/dq_j is the outer rotation across the inner column. Where the path curves around a
// geom, the pieces end at tangent points that slide on it, by a closed form around the outside; a
// point that touches the inside is found by centred differences of that path alone.
#include "derive/private.h"

static const double kStep = 1e-6;

// A point and the body that carries it.
typedef struct snTendonPoint_ {
  int body;
  const double* at;
} snTendonPoint;

typedef struct snTendonPiece_ {
  const snTangent* t;
  int n;
  const int* dof;
  double *G, *K;
  double* col[2];          // columns of the two points (n x 3 each)
  bool* moved[2];          // does a dof move the point (n)
  const double* slide[2];  // how the points slide on their bodies (n x 3), or NULL
} snTendonPiece;

static bool moves(const snTangent* t, int dof, int body) {
  const int* chain = t->plan->chain + t->plan->chain_adr[body];
  for (int k = 0; k < t->plan->chain_num[body]; k++) {
    if (chain[k] == dof) return true;
  }
  return false;
}

// Columns of a point by the dofs of the tendon; both lists ascend.
static void columns(const snTangent* t, snTendonPoint p, const int* dof, int n, double* col,
                    bool* moved) {
  const int* chain = t->plan->chain + t->plan->chain_adr[p.body];
  int length = t->plan->chain_num[p.body];
  double r[3];
  vec3_sub(r, p.at, t->d->subtree_com + 3 * t->m->body_rootid[p.body]);
  for (int k = 0, c = 0; k < n; k++) {
    SN_ASSERT(!k || dof[k - 1] < dof[k]);
    while (c < length && chain[c] < dof[k]) c++;
    moved[k] = c < length && chain[c] == dof[k];
    if (moved[k])
      jac_column(col + 3 * k, t->d->cdof + 6 * dof[k], r);
    else
      vec3_zero(col + 3 * k);
  }
}

static void piece_add(snTendonPiece* s, snTendonPoint p0, snTendonPoint p1, double scale) {
  const snTangent* t = s->t;
  const double* cdof = t->d->cdof;
  int n = s->n;
  double u[3];
  vec3_sub(u, p1.at, p0.at);
  double length = vec3_normalize(u);
  if (p0.body == p1.body && !s->slide[0] && !s->slide[1]) return;
  columns(t, p0, s->dof, n, s->col[0], s->moved[0]);
  columns(t, p1, s->dof, n, s->col[1], s->moved[1]);
  for (int j = 0; j < n; j++) {
    double move[3], du[3];
    vec3_sub(move, s->col[1] + 3 * j, s->col[0] + 3 * j);
    s->G[j] += scale * vec3_dot(u, move);
    if (s->slide[1]) vec3_add(move, move, s->slide[1] + 3 * j);
    if (s->slide[0]) vec3_sub(move, move, s->slide[0] + 3 * j);
    vec3_add_scaled(du, move, u, -vec3_dot(u, move));
    vec3_scale(du, du, length > mjMINVAL ? 1 / length : 0);
    const double* rot_j = cdof + 6 * s->dof[j];
    for (int i = 0; i < n; i++) {
      double between[3], sum = 0;
      const double* rot_i = cdof + 6 * s->dof[i];
      vec3_sub(between, s->col[1] + 3 * i, s->col[0] + 3 * i);
      sum += vec3_dot(du, between);
      for (int e = 0; e < 2; e++) {
        if (!s->moved[e][i]) continue;
        double second[3] = {0}, slid[3];
        if (s->moved[e][j]) {
          point_second(second, t->group, s->dof[i], s->dof[j], rot_i, s->col[e] + 3 * i, rot_j,
                       s->col[e] + 3 * j);
        }
        if (s->slide[e]) {
          vec3_cross(slid, rot_i, s->slide[e] + 3 * j);
          vec3_add(second, second, slid);
        }
        sum += (e ? 1 : -1) * vec3_dot(u, second);
      }
      s->K[i * n + j] += scale * sum;
    }
  }
}

// A path around a geom: where it touches, and how those points slide on the geom with every dof.
typedef struct snWrapTangent_ {
  int site[2], side, geom, type;
} snWrapTangent;

static bool wrap_at(const snTangent* t, const snWrapTangent* w, int dof, double step,
                    double curve[6]) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  double x[2][3], pos[3], mat[9], side[3], unit[3], quat[4], turn[9];
  const int body[4] = {m->site_bodyid[w->site[0]], m->site_bodyid[w->site[1]],
                       m->geom_bodyid[w->geom], w->side >= 0 ? m->site_bodyid[w->side] : 0};
  const double* from[4] = {d->site_xpos + 3 * w->site[0], d->site_xpos + 3 * w->site[1],
                           d->geom_xpos + 3 * w->geom,
                           w->side >= 0 ? d->site_xpos + 3 * w->side : d->geom_xpos};
  double* to[4] = {x[0], x[1], pos, side};
  memcpy(mat, d->geom_xmat + 9 * w->geom, sizeof mat);
  const double* S = dof >= 0 ? d->cdof + 6 * dof : NULL;
  for (int k = 0; k < 4; k++) {
    vec3_copy(to[k], from[k]);
    if (!S || !moves(t, dof, body[k])) continue;
    // the rigid motion exp(step S): turn about the com of the tree, then slide
    double r[3], *com = d->subtree_com + 3 * m->body_rootid[body[k]];
    vec3_copy(unit, S);
    double angle = step * vec3_normalize(unit);
    quat_from_axis_angle(quat, unit, angle);
    if (vec3_norm(S) < mjMINVAL) quat_identity(quat);
    vec3_sub(r, from[k], com);
    quat_rotate(r, r, quat);
    vec3_add(to[k], com, r);
    vec3_add_scaled(to[k], to[k], S + 3, step);
    if (k == 2) {
      quat_to_mat(turn, quat);
      mat3_mul(mat, turn, mat);
    }
  }
  return wrap_path(curve, x[0], x[1], pos, mat, m->geom_size[3 * w->geom], w->type,
                   w->side >= 0 ? side : NULL) >= 0;
}

// slide[e] (n x 3): motion of tangent point e less that of the geom's body there.
static bool slides_differenced(const snTangent* t, const snWrapTangent* w, const int* dof, int n,
                               const double curve[6], double* slide[2]) {
  int body = t->m->geom_bodyid[w->geom];
  for (int j = 0; j < n; j++) {
    double plus[6], minus[6];
    if (!wrap_at(t, w, dof[j], kStep, plus) || !wrap_at(t, w, dof[j], -kStep, minus)) return false;
    for (int e = 0; e < 2; e++) {
      double carried[3] = {0}, r[3];
      if (moves(t, dof[j], body)) {
        vec3_sub(r, curve + 3 * e, t->d->subtree_com + 3 * t->m->body_rootid[body]);
        jac_column(carried, t->d->cdof + 6 * dof[j], r);
      }
      for (int k = 0; k < 3; k++) {
        slide[e][3 * j + k] = (plus[3 * e + k] - minus[3 * e + k]) / (2 * kStep) - carried[k];
      }
    }
  }
  return true;
}

// A path around the outside of a circle of radius r in the plane with normal n. From its end p,
// with s = p.p, h = sqrt(s - r^2) the way to the tangent point, and sign +1 where the path turns
// about n,
//
//   w = r/s (r p + sign h n x p)
//
// The plane of a sphere holds both ends, n = p0 x p1 / |p0 x p1|. That of a cylinder is fixed, p
// the ends in its cross section; along its axis the path rises with the way in the plane.
typedef struct snArcTangent_ {
  bool sphere;
  double r, n[3], cross, sign[2];
  double p[2][3], z[2], s[2], h[2], w[2][3];
  double arc;  // length of the arc
} snArcTangent;

// False at the edge of the closed form, and for a path that touches the inside in one point.
static bool arc_make(const snTangent* t, const snWrapTangent* w, const double curve[6],
                     snArcTangent* a) {
  const mjModel* m = t->m;
  const double *pos = t->d->geom_xpos + 3 * w->geom, *mat = t->d->geom_xmat + 9 * w->geom;
  double rel[3], across[3];
  if (!memcmp(curve, curve + 3, 3 * sizeof(double))) return false;
  *a = (snArcTangent){.sphere = w->type == mjWRAP_SPHERE, .r = m->geom_size[3 * w->geom]};
  for (int e = 0; e < 2; e++) {
    vec3_sub(rel, t->d->site_xpos + 3 * w->site[e], pos);
    mat3_mulT_vec(a->p[e], mat, rel);
    vec3_sub(rel, curve + 3 * e, pos);
    mat3_mulT_vec(a->w[e], mat, rel);
    a->z[e] = a->p[e][2];
    if (!a->sphere) a->p[e][2] = a->w[e][2] = 0;
    a->s[e] = vec3_dot(a->p[e], a->p[e]);
    double square = a->s[e] - a->r * a->r;
    if (!(square > 1e-8 * a->s[e])) return false;
    a->h[e] = sqrt(square);
  }
  vec3_set(a->n, 0, 0, 1);
  if (a->sphere) {
    vec3_cross(a->n, a->p[0], a->p[1]);
    a->cross = vec3_normalize(a->n);
    if (!(a->cross * a->cross > 1e-12 * a->s[0] * a->s[1])) return false;
  }
  vec3_cross(across, a->p[0], a->w[0]);
  a->sign[0] = vec3_dot(across, a->n) > 0 ? 1 : -1;
  a->sign[1] = -a->sign[0];
  vec3_cross(across, a->w[0], a->w[1]);
  double angle = a->sign[0] * sn_atan2(vec3_dot(across, a->n), vec3_dot(a->w[0], a->w[1]));
  a->arc = a->r * (angle < 0 ? angle + 2 * mjPI : angle);
  return true;
}

// Tangent points by the motion of the two ends relative to the geom, all in its frame.
static void arc_move(const snArcTangent* a, double u[2][3], double dw[2][3]) {
  double dn[3] = {0}, part[3], dz[2] = {u[0][2], u[1][2]}, dh[2], turn[2], r = a->r;
  if (a->sphere) {
    double other[3];
    vec3_cross(part, u[0], a->p[1]);
    vec3_cross(other, a->p[0], u[1]);
    vec3_add(part, part, other);
    vec3_add_scaled(dn, part, a->n, -vec3_dot(a->n, part));
    vec3_scale(dn, dn, 1 / a->cross);
  } else {
    u[0][2] = u[1][2] = 0;
  }
  for (int e = 0; e < 2; e++) {
    double half = vec3_dot(a->p[e], u[e]), way[3], turned[3], x[3];
    dh[e] = half / a->h[e];
    // d(r p + sign h n x p)
    vec3_cross(way, a->n, a->p[e]);
    vec3_cross(turned, dn, a->p[e]);
    vec3_cross(part, a->n, u[e]);
    vec3_add(turned, turned, part);
    vec3_scale(x, u[e], r);
    vec3_add_scaled(x, x, way, a->sign[e] * dh[e]);
    vec3_add_scaled(x, x, turned, a->sign[e] * a->h[e]);
    vec3_scale(x, x, r / a->s[e]);
    vec3_add_scaled(dw[e], x, a->w[e], -2 * half / a->s[e]);
    vec3_cross(part, a->w[e], dw[e]);
    turn[e] = vec3_dot(part, a->n) / (r * r);
  }
  if (a->sphere) return;
  // heights z0 + rise h0 / total and z0 + rise (h0 + arc) / total
  double total = a->h[0] + a->arc + a->h[1], rise = a->z[1] - a->z[0];
  double darc = r * a->sign[0] * (turn[1] - turn[0]), dtotal = dh[0] + darc + dh[1];
  for (int e = 0; e < 2; e++) {
    double way = a->h[0] + (e ? a->arc : 0), dway = dh[0] + (e ? darc : 0);
    dw[e][2] = dz[0] + (dz[1] - dz[0]) * way / total + rise * (dway - way * dtotal / total) / total;
  }
}

static bool slides_closed(const snTangent* t, const snWrapTangent* w, const int* dof, int n,
                          const double curve[6], double* col, bool* moved, double* slide[2]) {
  const mjModel* m = t->m;
  const double* mat = t->d->geom_xmat + 9 * w->geom;
  snArcTangent a;
  if (!arc_make(t, w, curve, &a)) return false;
  // relative motion of the ends first, in `slide`
  for (int e = 0; e < 2; e++) {
    const double* at = t->d->site_xpos + 3 * w->site[e];
    columns(t, (snTendonPoint){m->geom_bodyid[w->geom], at}, dof, n, col, moved);
    columns(t, (snTendonPoint){m->site_bodyid[w->site[e]], at}, dof, n, slide[e], moved);
    for (int k = 0; k < 3 * n; k++) slide[e][k] -= col[k];
  }
  for (int j = 0; j < n; j++) {
    double u[2][3], dw[2][3];
    for (int e = 0; e < 2; e++) mat3_mulT_vec(u[e], mat, slide[e] + 3 * j);
    arc_move(&a, u, dw);
    for (int e = 0; e < 2; e++) mat3_mul_vec(slide[e] + 3 * j, mat, dw[e]);
  }
  return true;
}

// The dofs of a tendon, ascending: those of all bodies its path touches.
static int tendon_dofs(const snTangent* t, int tendon, int* dof) {
  const mjModel* m = t->m;
  int n = 0;
  for (int w = m->tendon_adr[tendon], end = w + m->tendon_num[tendon]; w < end; w++) {
    int type = m->wrap_type[w], id = m->wrap_objid[w], body;
    if (type == mjWRAP_SITE)
      body = m->site_bodyid[id];
    else if (type == mjWRAP_SPHERE || type == mjWRAP_CYLINDER)
      body = m->geom_bodyid[id];
    else
      continue;
    const int* chain = t->plan->chain + t->plan->chain_adr[body];
    for (int k = 0, at = 0; k < t->plan->chain_num[body]; k++) {
      while (at < n && dof[at] < chain[k]) at++;
      if (at < n && dof[at] == chain[k]) continue;
      for (int l = n++; l > at; l--) dof[l] = dof[l - 1];
      dof[at] = chain[k];
    }
  }
  return n;
}

static bool spatial_second(const snTangent* t, int tendon, const int* dof, int n, double* G,
                           double* K, bool* differenced) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  double divisor = 1;
  snTendonPiece piece = {.t = t, .n = n, .dof = dof, .G = G, .K = K};
  double* slide[2];
  mj_markStack(t->d);
  bool there = FRAME(memory_of(t->d), SN_ARRAY(piece.col[0], 3 * n), SN_ARRAY(piece.col[1], 3 * n),
                     SN_ARRAY(piece.moved[0], n), SN_ARRAY(piece.moved[1], n),
                     SN_ARRAY(slide[0], 3 * n), SN_ARRAY(slide[1], 3 * n));
  int w = m->tendon_adr[tendon], end = w + m->tendon_num[tendon];
  // points of the path as mj_tendon laid it: each site and pulley, two tangent points where it wraps
  int at = d->ten_wrapadr[tendon];
  while (there && w < end - 1) {
    int type0 = m->wrap_type[w], type1 = m->wrap_type[w + 1];
    if (type0 == mjWRAP_PULLEY || type1 == mjWRAP_PULLEY) {
      if (type0 == mjWRAP_PULLEY) divisor = m->wrap_prm[w];
      w++, at++;
      continue;
    }
    bool obstacle = type1 == mjWRAP_SPHERE || type1 == mjWRAP_CYLINDER;
    mjtNum prm = m->wrap_prm[w + 1];
    snWrapTangent wrap = {.site = {m->wrap_objid[w], m->wrap_objid[w + 1 + obstacle]},
                          .side = obstacle && prm >= 0 && prm < m->nsite ? (int)prm : -1,
                          .geom = obstacle ? m->wrap_objid[w + 1] : 0,
                          .type = type1};
    snTendonPoint p0 = {m->site_bodyid[wrap.site[0]], d->site_xpos + 3 * wrap.site[0]};
    snTendonPoint p1 = {m->site_bodyid[wrap.site[1]], d->site_xpos + 3 * wrap.site[1]};
    const double* curve = d->wrap_xpos + 3 * (at + 1);
    bool wraps = obstacle && d->wrap_obj[at + 1] == wrap.geom;
    SN_ASSERT(d->wrap_obj[at] == -1 && at + 1 < d->ten_wrapadr[tendon] + d->ten_wrapnum[tendon]);
    SN_ASSERT(!wraps || d->wrap_obj[at + 2] == wrap.geom);
    at += wraps ? 3 : 1;
    piece.slide[0] = piece.slide[1] = NULL;
    if (!wraps) {
      piece_add(&piece, p0, p1, 1 / divisor);
    } else {
      if (!slides_closed(t, &wrap, dof, n, curve, piece.col[0], piece.moved[0], slide)) {
        *differenced = true;
        there = slides_differenced(t, &wrap, dof, n, curve, slide);
      }
      if (!there) break;
      snTendonPoint c0 = {m->geom_bodyid[wrap.geom], curve}, c1 = {c0.body, curve + 3};
      piece.slide[1] = slide[0];
      piece_add(&piece, p0, c0, 1 / divisor);
      piece.slide[1] = NULL;
      piece.slide[0] = slide[1];
      piece_add(&piece, c1, p1, 1 / divisor);
    }
    w += 1 + obstacle;
  }
  mj_freeStack(t->d);
  return there;
}

int tendon_second(const snTangent* t, int tendon, int* dof, double* G, double* K, bool* flat) {
  const mjModel* m = t->m;
  bool differenced = false;
  int w = m->tendon_adr[tendon], n = 0;
  *flat = m->tendon_num[tendon] && m->wrap_type[w] == mjWRAP_JOINT;
  if (*flat) {
    for (int end = w + m->tendon_num[tendon]; w < end; w++) {
      int i = m->jnt_dofadr[m->wrap_objid[w]], at = 0;
      while (at < n && dof[at] != i) at++;
      if (at == n) dof[n] = i, G[n++] = 0;
      G[at] += m->wrap_prm[w];
    }
    return n;
  }
  n = tendon_dofs(t, tendon, dof);
  SN_ASSERT(n <= t->nv);
  memset(G, 0, (size_t)n * sizeof(double));
  memset(K, 0, (size_t)n * (size_t)n * sizeof(double));
  if (!spatial_second(t, tendon, dof, n, G, K, &differenced)) {
    // the path has a kink: no derivative
    report_unsupported(t->report, "tendon at the edge of its obstacle");
    return -1;
  }
  if (differenced) report_differenced(t->report, "tendons that touch the inside of an obstacle");
  return n;
}

// Spring with a slack range, and damper. The inertia along fixed tendons is constant.
bool tendon_passive_add(snTangent* t) {
  const mjModel* m = t->m;
  const mjData* d = t->d;
  size_t nv = (size_t)t->nv;
  if (m->opt.disableflags & mjDSBL_PASSIVE) return true;
  int* dof;
  double *G, *K;
  mj_markStack(t->d);
  bool there = FRAME(memory_of(t->d), SN_ARRAY(dof, nv), SN_ARRAY(G, nv), SN_ARRAY(K, nv * nv));
  for (int i = 0; there && i < m->ntendon; i++) {
    double k = m->tendon_stiffness[i], b = m->tendon_damping[i];
    if (k == 0 && b == 0) continue;
    bool flat;
    int n = tendon_second(t, i, dof, G, K, &flat);
    if ((there = n >= 0)) {
      double length = d->ten_length[i], low = m->tendon_lengthspring[2 * i],
             high = m->tendon_lengthspring[2 * i + 1];
      double stretch = length > high ? high - length : length < low ? low - length : 0;
      double force = k * stretch - b * d->ten_velocity[i];
      // without a slack range a spring at its rest length pushes on both sides
      double slope = stretch != 0 || low == high ? -k : 0;
      scalar_add(t, &(snScalar){n, dof, G, flat ? NULL : K, NULL, force, slope, -b, 0});
    }
  }
  mj_freeStack(t->d);
  return there;
}
