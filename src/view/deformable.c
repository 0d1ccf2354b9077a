// Flexes and skins in the scene: vertex arrays, edges, faces and normals for a renderer.
//
// Flex faces are lifted by the radius, along vertex normals where a skin is shown, else along their
// own; skins follow their bones by linear
// blending and are inflated along the normals.
#include "base/assert.h"
#include "data/frame.h"
#include "view/decor.h"

// ---- skins

// Linear blend skinning: a vertex is the weighted mean of its positions under each bone.
static void skin_blend(const mjModel* m, const mjData* d, int skin, float* vert) {
  int first = m->skin_boneadr[skin], vert0 = m->skin_vertadr[skin];
  memset(vert, 0, 3 * (size_t)m->skin_vertnum[skin] * sizeof *vert);
  for (int b = first; b < first + m->skin_bonenum[skin]; b++) {
    int body = m->skin_bonebodyid[b];
    double bindpos[3], bindquat[4], back[4], quat[4], mat[9], shift[3];
    view_load(bindpos, m->skin_bonebindpos + 3 * b, 3);
    view_load(bindquat, m->skin_bonebindquat + 4 * b, 4);
    // x = R (v - bindpos) + xpos, with R = xquat inverse(bindquat)
    quat_conj(back, bindquat);
    quat_mul(quat, d->xquat + 4 * body, back);
    quat_to_mat(mat, quat);
    mat3_mul_vec(shift, mat, bindpos);
    vec3_sub(shift, d->xpos + 3 * body, shift);
    for (int k = 0; k < m->skin_bonevertnum[b]; k++) {
      int id = m->skin_bonevertid[m->skin_bonevertadr[b] + k];
      double weight = m->skin_bonevertweight[m->skin_bonevertadr[b] + k], v[3], x[3];
      view_load(v, m->skin_vert + 3 * (vert0 + id), 3);
      mat3_mul_vec(x, mat, v);
      for (int c = 0; c < 3; c++) vert[3 * id + c] += (float)(weight * (x[c] + shift[c]));
    }
  }
}

// Vertex normals: the sum of the face normals, weighted by area for skins.
static void face_normal(double normal[3], const float* a, const float* b, const float* c) {
  double x[3], y[3];
  for (int i = 0; i < 3; i++) {
    x[i] = (double)b[i] - a[i];
    y[i] = (double)c[i] - a[i];
  }
  vec3_cross(normal, x, y);
}

static void normalize_all(float* normal, int n) {
  for (int i = 0; i < n; i++) {
    double v[3];
    view_load(v, normal + 3 * i, 3);
    vec3_normalize(v);
    view_store(normal + 3 * i, v, 3);
  }
}

static void vertex_normals(float* normal, const float* vert, int nvert, const int* face, int nface,
                           bool area) {
  memset(normal, 0, 3 * (size_t)nvert * sizeof *normal);
  for (int f = 0; f < nface; f++) {
    const int* v = face + 3 * f;
    double n[3];
    face_normal(n, vert + 3 * v[0], vert + 3 * v[1], vert + 3 * v[2]);
    if (!area) vec3_normalize(n);
    for (int k = 0; k < 3; k++) {
      for (int c = 0; c < 3; c++) normal[3 * v[k] + c] += (float)n[c];
    }
  }
  normalize_all(normal, nvert);
}

void mjv_updateSkin(const mjModel* m, const mjData* d, mjvScene* scn) {
  for (int i = 0; i < m->nskin; i++) {
    int adr = 3 * m->skin_vertadr[i], nvert = m->skin_vertnum[i];
    float *vert = scn->skinvert + adr, *normal = scn->skinnormal + adr;
    skin_blend(m, d, i, vert);
    vertex_normals(normal, vert, nvert, m->skin_face + 3 * m->skin_faceadr[i], m->skin_facenum[i],
                   true);
    float inflate = m->skin_inflate[i];
    if (inflate == 0) continue;
    for (int k = 0; k < 3 * nvert; k++) vert[k] += inflate * normal[k];
  }
}

// ---- flexes

// Output of the faces of one flex.
typedef struct snFaces_ {
  float *face, *normal, *texcoord;
  const float* vert;
  const float* vertnormal;  // offset faces along these normals; NULL: no offset
  bool flat;                // face normals instead of vertex normals
  const float* flextex;     // texture coordinates of the flex; NULL: none
  float radius;
  int room;  // the scene was made for so many faces
  int used;
} snFaces;

static void faces_add(snFaces* out, const int v[3], const int t[3], const float side[3]) {
  if (out->used >= out->room) return;
  float* face = out->face + 9 * out->used;
  float* normal = out->normal + 9 * out->used;
  float* tex = out->texcoord + 6 * out->used;
  for (int k = 0; k < 3; k++) {
    for (int c = 0; c < 3; c++) {
      float lift = out->vertnormal ? out->vertnormal[3 * v[k] + c] * side[k] * out->radius : 0;
      face[3 * k + c] = out->vert[3 * v[k] + c] + lift;
    }
    if (out->flextex) memcpy(tex + 2 * k, out->flextex + 2 * t[k], 2 * sizeof *tex);
  }
  // flat faces have the normal before they are lifted; those of a border that of its edge and of
  // the vertex that they have twice
  bool border = side[0] != side[1] || side[1] != side[2];
  double flat[3];
  const float *p = out->vert + 3 * v[0], *q = out->vert + 3 * v[1], *r = out->vert + 3 * v[2];
  face_normal(flat, p, q, r);
  if (border) {
    double edge[3], up[3];
    for (int c = 0; c < 3; c++) {
      edge[c] = side[0] * ((double)q[c] - p[c]), up[c] = out->vertnormal[3 * v[1] + c];
    }
    vec3_cross(flat, edge, up);
  }
  vec3_normalize(flat);
  for (int k = 0; k < 3; k++) {
    for (int c = 0; c < 3; c++) {
      if (!out->vertnormal) face[3 * k + c] += out->radius * (float)flat[c];
      normal[3 * k + c] = out->vertnormal && !out->flat && !border
                              ? side[k] * out->vertnormal[3 * v[k] + c]
                              : (float)flat[c];
    }
  }
  out->used++;
}

// Both sides of the triangles, and the strip between them along the border.
static void flex_sheet(const mjModel* m, int f, snFaces* out) {
  const int* elem = m->flex_elem + m->flex_elemdataadr[f];
  const int* tex = m->flex_elemtexcoord + m->flex_elemdataadr[f];
  static const float up[3] = {1, 1, 1}, down[3] = {-1, -1, -1};
  for (int e = 0; e < m->flex_elemnum[f]; e++) {
    const int *v = elem + 3 * e, *t = tex + 3 * e;
    int back[3] = {v[0], v[2], v[1]}, backtex[3] = {t[0], t[2], t[1]};
    faces_add(out, v, t, up);
    faces_add(out, back, backtex, down);
  }
  if (!out->vertnormal) return;
  const int* shell = m->flex_shell + m->flex_shelldataadr[f];
  for (int s = 0; s < m->flex_shellnum[f]; s++) {
    int a = shell[2 * s], b = shell[2 * s + 1];
    int first[3] = {a, b, b}, second[3] = {b, a, a}, none[3] = {0, 0, 0};
    static const float one[3] = {1, -1, 1}, two[3] = {-1, 1, -1};
    const float* flextex = out->flextex;
    out->flextex = NULL;
    faces_add(out, first, none, one);
    faces_add(out, second, none, two);
    out->flextex = flextex;
  }
}

// The surface of a solid, or the faces of the tetrahedra of one layer.
static void flex_solid(const mjModel* m, int f, int layer, bool skin, snFaces* out) {
  static const float up[3] = {1, 1, 1};
  if (skin) {
    const int* shell = m->flex_shell + m->flex_shelldataadr[f];
    const float* flextex = out->flextex;
    if (m->flex_texcoordadr[f] >= 0 && !m->nflextexcoord) out->flextex = NULL;
    for (int s = 0; s < m->flex_shellnum[f]; s++) {
      faces_add(out, shell + 3 * s, shell + 3 * s, up);
    }
    out->flextex = flextex;
    return;
  }
  static const int side[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
  const int* elem = m->flex_elem + m->flex_elemdataadr[f];
  for (int e = 0; e < m->flex_elemnum[f]; e++) {
    if (m->flex_elemlayer[m->flex_elemadr[f] + e] != layer) continue;
    for (int k = 0; k < 4; k++) {
      int v[3] = {elem[4 * e + side[k][0]], elem[4 * e + side[k][1]], elem[4 * e + side[k][2]]};
      faces_add(out, v, v, up);
    }
  }
}

// Vertices, edges and, by the options, faces or the inflated skin of a flex.
static void flex_update(snPainter* p, int f, float* normals) {
  const mjModel* m = p->m;
  mjvScene* scn = p->scn;
  int dim = m->flex_dim[f], adr = m->flex_vertadr[f], nvert = m->flex_vertnum[f];
  float* vert = scn->flexvert + 3 * adr;
  view_store(vert, p->d->flexvert_xpos + 3 * adr, 3 * nvert);
  scn->flexfaceused[f] = 0;
  bool skin = scn->flexskinopt && dim > 1, face = scn->flexfaceopt && dim > 1;
  if (!skin && !face) return;
  int at = scn->flexfaceadr[f];
  const float* tex = m->flex_texcoordadr[f] >= 0 && m->nflextexcoord
                         ? m->flex_texcoord + 2 * m->flex_texcoordadr[f]
                         : NULL;
  snFaces out = {scn->flexface + 9 * at,
                 scn->flexnormal + 9 * at,
                 scn->flextexcoord + 6 * at,
                 vert,
                 NULL,
                 m->flex_flatskin[f] != 0,
                 tex,
                 (float)m->flex_radius[f],
                 scn->flexfacenum[f],
                 0};
  if (skin) {
    const int* faces =
        dim == 2 ? m->flex_elem + m->flex_elemdataadr[f] : m->flex_shell + m->flex_shelldataadr[f];
    vertex_normals(normals, vert, nvert, faces, dim == 2 ? m->flex_elemnum[f] : m->flex_shellnum[f],
                   false);
    out.vertnormal = normals;
  }
  if (dim == 2) {
    flex_sheet(m, f, &out);
  } else {
    flex_solid(m, f, p->opt->flex_layer, skin, &out);
  }
  SN_ASSERT(out.used <= out.room);
  scn->flexfaceused[f] = out.used;
}

void decor_deformables(snPainter* p) {
  const mjModel* m = p->m;
  mjvScene* scn = p->scn;
  const mjtByte* flags = p->opt->flags;
  char text[100];
  scn->flexvertopt = flags[mjVIS_FLEXVERT];
  scn->flexedgeopt = flags[mjVIS_FLEXEDGE];
  scn->flexfaceopt = flags[mjVIS_FLEXFACE];
  scn->flexskinopt = flags[mjVIS_FLEXSKIN];
  if (m->nflex && scn->nflex == m->nflex) {
    mj_markStack(p->d);
    float* normals;
    bool room = FRAME(memory_of(p->d), SN_ARRAY(normals, 3 * (size_t)m->nflexvert));
    for (int f = 0; room && f < m->nflex; f++) flex_update(p, f, normals);
    mj_freeStack(p->d);
  }
  bool shown = scn->flexvertopt || scn->flexedgeopt || scn->flexfaceopt || scn->flexskinopt;
  if (!(p->catmask & mjCAT_DYNAMIC)) return;
  for (int f = 0; shown && f < m->nflex; f++) {
    if (!decor_group(p->opt->flexgroup, m->flex_group[f])) continue;
    mjvGeom* geom = decor_begin(p, mjOBJ_FLEX, f, mjCAT_DYNAMIC);
    if (!geom) return;
    geom->type = mjGEOM_FLEX;
    geom->size[0] = (float)m->flex_radius[f];
    if (m->flex_vertnum[f] > 0) {  // at its first vertex
      view_store(geom->pos, p->d->flexvert_xpos + 3 * m->flex_vertadr[f], 3);
    }
    decor_material(p, geom, m->flex_matid[f], m->flex_rgba + 4 * f);
    decor_fade(p, geom);
    geom->texcoord = m->flex_texcoordadr[f] >= 0 && m->nflextexcoord > 0;
    const char* label = decor_label(p, text, mjLABEL_FLEX, mjOBJ_FLEX, f);
    if (label) memcpy(geom->label, text, sizeof geom->label);
    decor_end(p, geom);
  }
  if (!flags[mjVIS_SKIN]) return;
  for (int i = 0; i < m->nskin; i++) {
    if (!decor_group(p->opt->skingroup, m->skin_group[i])) continue;
    mjvGeom* geom = decor_begin(p, mjOBJ_SKIN, i, mjCAT_DYNAMIC);
    if (!geom) return;
    geom->type = mjGEOM_SKIN;
    if (m->skin_bonenum[i] > 0) {  // posed at its first bone
      const mjtNum* xpos = p->d->xpos + 3 * m->skin_bonebodyid[m->skin_boneadr[i]];
      for (int k = 0; k < 3; k++) geom->pos[k] = (float)xpos[k];
    }
    decor_material(p, geom, m->skin_matid[i], m->skin_rgba + 4 * i);
    decor_fade(p, geom);
    geom->texcoord = m->skin_texcoordadr[i] >= 0;
    if (p->pert->skinselect == i) geom->emission += m->vis.global.glow;
    const char* label = decor_label(p, text, mjLABEL_SKIN, mjOBJ_SKIN, i);
    if (label) memcpy(geom->label, text, sizeof geom->label);
    decor_end(p, geom);
  }
}
