// Second derivatives of tendon lengths, and the passive forces of tendons.
//
// A straight piece from p0 to p1 has the direction u and the length L. Its gradient is
// u.(J1 - J0), with J the columns of the two points, so that
//
//   K_ij = (J1 - J0)_i . (1 - u u') (J1 - J0)_j / L + u . (dJ1_i - dJ0_i)
//
// where dJ_i/dq_j is the outer rotation across the inner column. Where the path curves around a
// geom, the pieces end at tangent points that slide on it: how far is found by centred differences
// of that path alone.
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
  const double* slide[2];  // how the points slide on their bodies (n x 3), or NULL
} snTendonPiece;

static bool moves(const snTangent* t, int dof, int body) {
  const int* chain = t->plan->chain + t->plan->chain_adr[body];
  for (int k = 0; k < t->plan->chain_num[body]; k++) {
    if (chain[k] == dof) return true;
  }
  return false;
}

static void columns(const snTangent* t, snTendonPoint p, const int* dof, int n, double* col) {
  double r[3];
  vec3_sub(r, p.at, t->d->subtree_com + 3 * t->m->body_rootid[p.body]);
  for (int k = 0; k < n; k++) {
    if (moves(t, dof[k], p.body))
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
  columns(t, p0, s->dof, n, s->col[0]);
  columns(t, p1, s->dof, n, s->col[1]);
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
        int body = e ? p1.body : p0.body;
        if (!moves(t, s->dof[i], body)) continue;
        double second[3] = {0}, slid[3];
        if (moves(t, s->dof[j], body)) {
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
static bool wrap_slides(const snTangent* t, const snWrapTangent* w, const int* dof, int n,
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
                     SN_ARRAY(slide[0], 3 * n), SN_ARRAY(slide[1], 3 * n));
  int w = m->tendon_adr[tendon], end = w + m->tendon_num[tendon];
  while (there && w < end - 1) {
    int type0 = m->wrap_type[w], type1 = m->wrap_type[w + 1];
    if (type0 == mjWRAP_PULLEY || type1 == mjWRAP_PULLEY) {
      if (type0 == mjWRAP_PULLEY) divisor = m->wrap_prm[w];
      w++;
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
    double curve[6];
    piece.slide[0] = piece.slide[1] = NULL;
    if (!obstacle || !wrap_at(t, &wrap, -1, 0, curve)) {
      piece_add(&piece, p0, p1, 1 / divisor);
    } else {
      *differenced = true;
      there = wrap_slides(t, &wrap, dof, n, curve, slide);
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
  memset(G, 0, (size_t)n * sizeof(double));
  memset(K, 0, (size_t)n * (size_t)n * sizeof(double));
  if (!spatial_second(t, tendon, dof, n, G, K, &differenced)) {
    // the path has a kink: no derivative
    report_unsupported(t->report, "tendon at the edge of its obstacle");
    return -1;
  }
  if (differenced) report_differenced(t->report, "tangent points of wrapped tendons");
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
      scalar_add(
          t, &(snScalar){n, dof, G, flat ? NULL : K, NULL, force, stretch != 0 ? -k : 0, -b, 0});
    }
  }
  mj_freeStack(t->d);
  return there;
}
