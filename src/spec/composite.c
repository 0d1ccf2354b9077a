// A cable: a chain of bodies along a curve, each with a geom to the next point, held by ball
// joints.
#include "spec/composite.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algebra/small.h"
#include "spec/spec.h"

enum { kMaxPoints = 20000 };  // bodies inside bodies

void composite_default(snComposite* comp) {
  memset(comp, 0, sizeof *comp);
  comp->type = snCOMP_CABLE;
  comp->initial = snCOMPINITIAL_BALL;
  for (int k = 0; k < 3; k++) {
    comp->count[k] = 1;
    comp->curve[k] = snCOMPSHAPE_ZERO;
  }
  comp->size[0] = 1;
  comp->quat[0] = 1;
  mjs_defaultJoint(&comp->joint);
  mjs_defaultGeom(&comp->geom);
  mjs_defaultSite(&comp->site);
  comp->joint.group = 3;
  comp->site.group = 3;
  for (int k = 0; k < 4; k++) comp->skin_rgba[k] = 1;
}

typedef struct snCable_ {
  const snComposite* comp;
  mjSpec* spec;
  const mjsDefault* def;
  snFault* fault;
  const float* point;  // (n x 3)
  int n;
  double normal[3];  // of the material frame, carried along
} snCable;

// ---- points and frames

// size is the length of a line, the radius and the number of half turns of a circle.
static double curve_at(const snComposite* c, int axis, double s) {
  switch (c->curve[axis]) {
    case snCOMPSHAPE_LINE:
      return s * c->size[0];
    case snCOMPSHAPE_COS:
      return c->size[1] * sn_cos(mjPI * c->size[2] * s);
    case snCOMPSHAPE_SIN:
      return c->size[1] * sn_sin(mjPI * c->size[2] * s);
    default:
      return 0;
  }
}

static double segment(const snCable* cable, int i, double tangent[3]) {
  const float *a = cable->point + 3 * i, *b = a + 3;
  for (int k = 0; k < 3; k++) tangent[k] = b[k] - a[k];
  return vec3_normalize(tangent);
}

// A bend below this is none: its axis is not made a unit vector.
static const double kBend = 1e-7;

// The first normal lies in the plane of the first bend. A cable that begins straight has none, and
// so are those that follow: frame_quat then makes the smallest rotation from the x axis.
static void first_normal(snCable* cable) {
  double t[3], next[3], binormal[3];
  segment(cable, 0, t);
  segment(cable, cable->n > 2, next);
  vec3_cross(binormal, t, next);
  if (vec3_norm(binormal) >= kBend) vec3_normalize(binormal);
  vec3_cross(cable->normal, binormal, t);
}

// Carry the normal over the bend from one tangent to the next by the smallest rotation.
static void carry_normal(snCable* cable, const double from[3], const double to[3]) {
  double axis[3], quat[4];
  vec3_cross(axis, from, to);
  double sine = vec3_norm(axis);
  if (sine < kBend) return;
  vec3_scale(axis, axis, 1 / sine);
  quat_from_axis_angle(quat, axis, sn_atan2(sine, vec3_dot(from, to)));
  quat_rotate(cable->normal, cable->normal, quat);
}

static void frame_quat(double quat[4], const double tangent[3], const double normal[3]) {
  double z[3], m[9];
  vec3_cross(z, tangent, normal);
  for (int k = 0; k < 3; k++) m[3 * k] = tangent[k], m[3 * k + 1] = normal[k], m[3 * k + 2] = z[k];
  mju_mat2Quat(quat, m);
}

// ---- elements of one body

static void part_name(char* out, size_t size, const snCable* cable, const char* part, int i) {
  const char* prefix = cable->comp->prefix ? cable->comp->prefix : "";
  if (i == 0) {
    snprintf(out, size, "%s%s_first", prefix, part);
  } else if (i == cable->n - 2) {
    snprintf(out, size, "%s%s_last", prefix, part);
  } else {
    snprintf(out, size, "%s%s_%d", prefix, part, i);
  }
}

static bool add_joint(snCable* cable, mjsBody* body, int i) {
  const snComposite* c = cable->comp;
  char name[600];
  if (i == 0 && c->initial == snCOMPINITIAL_NONE) return true;
  part_name(name, sizeof name, cable, "J", i);
  mjsJoint* joint = mjs_addJoint(body, cable->def);
  if (!joint) return false;
  mjsJoint own = *joint;
  *joint = c->joint;
  joint->element = own.element;
  joint->userdata = own.userdata;
  mjs_setDouble(joint->userdata, NULL, 0);  // parts of a cable have no user data, from no class
  joint->info = own.info;
  joint->type = i == 0 && c->initial == snCOMPINITIAL_FREE ? mjJNT_FREE : mjJNT_BALL;
  if (joint->type == mjJNT_FREE) {
    joint->damping = joint->armature = joint->frictionloss = 0;
  }
  vec3_zero(joint->pos);
  return !mjs_setName(joint->element, name);
}

static bool add_geom(snCable* cable, mjsBody* body, int i, double length) {
  const snComposite* c = cable->comp;
  mjsGeom* geom = mjs_addGeom(body, cable->def);
  char name[600];
  if (!geom) return false;
  mjsGeom own = *geom;
  *geom = c->geom;
  geom->element = own.element;
  geom->material = own.material;
  geom->hfieldname = own.hfieldname;
  geom->meshname = own.meshname;
  geom->userdata = own.userdata;
  mjs_setDouble(geom->userdata, NULL, 0);
  geom->plugin = own.plugin;
  geom->info = own.info;
  vec3_set(geom->pos, 0.5 * length, 0, 0);
  quat_identity(geom->quat);
  if (geom->type == mjGEOM_BOX) {
    geom->size[0] = 0.5 * length;
  } else {
    geom->size[1] = 0.5 * length;
    quat_set(geom->quat, sqrt(0.5), 0, -sqrt(0.5), 0);  // z along the cable
  }
  if (c->geom_material) mjs_setString(geom->material, c->geom_material);
  snprintf(name, sizeof name, "%sG%d", c->prefix ? c->prefix : "", i);
  return !mjs_setName(geom->element, name);
}

static bool add_site(snCable* cable, mjsBody* body, int i, double at) {
  const snComposite* c = cable->comp;
  mjsSite* site = mjs_addSite(body, cable->def);
  char name[600];
  if (!site) return false;
  mjsSite own = *site;
  *site = c->site;
  site->element = own.element;
  site->material = own.material;
  site->userdata = own.userdata;
  mjs_setDouble(site->userdata, NULL, 0);
  site->info = own.info;
  vec3_set(site->pos, at, 0, 0);
  quat_identity(site->quat);
  if (c->site_material) mjs_setString(site->material, c->site_material);
  part_name(name, sizeof name, cable, "S", i);
  return !mjs_setName(site->element, name);
}

static bool exclude_neighbours(snCable* cable, int i) {
  char one[600], two[600];
  mjsExclude* exclude = mjs_addExclude(cable->spec);
  if (!exclude) return false;
  part_name(one, sizeof one, cable, "B", i - 1);
  part_name(two, sizeof two, cable, "B", i);
  mjs_setString(exclude->bodyname1, one);
  mjs_setString(exclude->bodyname2, two);
  return true;
}

static mjsBody* add_body(snCable* cable, mjsBody* parent, int i, double length, const double pos[3],
                         const double quat[4]) {
  const snComposite* c = cable->comp;
  char name[600];
  mjsBody* body = mjs_addBody(parent, cable->def);
  if (!body) return NULL;
  part_name(name, sizeof name, cable, "B", i);
  vec3_copy(body->pos, pos);
  quat_copy(body->quat, quat);
  bool ok = !mjs_setName(body->element, name) && add_joint(cable, body, i) &&
            add_geom(cable, body, i, length);
  bool last = i == cable->n - 2;
  if (ok && (i == 0 || last)) ok = add_site(cable, body, i, last ? length : 0);
  if (ok && i > 0) ok = exclude_neighbours(cable, i);
  if (ok && c->plugin && c->plugin->active && c->plugin_copy) {
    c->plugin_copy(&body->plugin, c->plugin);
  }
  return ok ? body : NULL;
}

// ---- the skin of a flat cable: a sheet of rows along the cable, of columns across it, on each
// side Bones stand at the points of the cable, two across; with a subgrid three, and between
// neighbours the skin has that many rows and columns more, bent as a cubic through the bones
// (Catmull and Rom).

typedef struct snSheet_ {
  int bones;          // across
  int step;           // from bone to bone
  int rows, columns;  // of vertices
} snSheet;

static void sheet_faces(const snSheet* s, int* face) {
  int C = s->columns, n = s->rows * C, k = 0;
#define FACE(a, b, d) (face[k++] = (a), face[k++] = (b), face[k++] = (d))
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < (s->rows - 1) * (C - 1); i++) {
      int v = side * n + i / (C - 1) * C + i % (C - 1);
      if (side) {
        FACE(v, v + C + 1, v + C);
        FACE(v, v + 1, v + C + 1);
      } else {
        FACE(v, v + C, v + C + 1);
        FACE(v, v + C + 1, v + 1);
      }
    }
  }
  for (int v = 0; v < n - C; v += C) {
    FACE(v, n + v + C, v + C);
    FACE(v, n + v, n + v + C);
  }
  for (int v = C - 1; v < n - 1; v += C) {
    FACE(v, v + C, n + v + C);
    FACE(v, n + v + C, n + v);
  }
  for (int v = 0; v < C - 1; v++) {
    FACE(v, v + 1, n + v + 1);
    FACE(v, n + v + 1, n + v);
  }
  for (int v = n - C; v < n - 1; v++) {
    FACE(v, n + v + 1, v + 1);
    FACE(v, n + v, n + v + 1);
  }
#undef FACE
}

// Weights of the bones cell - 1 ... cell + 2 at t between bone `cell` and the next, of n in a line:
// the cubic with slopes (p[i + 1] - p[i - 1]) / 2, one-sided at the ends.
static void cubic_weights(double w[4], int cell, double t, int n) {
  double tt = t * t, ttt = tt * t;
  double slope0 = ttt - 2 * tt + t, slope1 = ttt - tt;
  bool first = cell == 0, last = cell == n - 2;
  w[0] = first ? 0 : -0.5 * slope0;
  w[1] = 2 * ttt - 3 * tt + 1 - (first ? slope0 : 0) - (last ? slope1 : 0.5 * slope1);
  w[2] = 3 * tt - 2 * ttt + (first ? slope0 : 0.5 * slope0) + (last ? slope1 : 0);
  w[3] = last ? 0 : 0.5 * slope1;
}

// Vertices that follow the bone (row, column), on both sides, cell by cell; returns their number.
static int bone_vertices(const snSheet* s, int n, int row, int column, int* id, float* weight) {
  int count = 0, side = s->rows * s->columns;
  int begin = row < 2 ? 0 : row - 2, end = row + 1 < n - 2 ? row + 1 : n - 2;
  for (int i = begin; i <= end; i++) {
    for (int j = 0; j < s->bones - 1; j++) {
      int nr = s->step + (i == n - 2), nc = s->step + (j == s->bones - 2);
      for (int k = 0; k < nr * nc; k++) {
        double along[4], across[4];
        int r = k / nc, c = k % nc;
        cubic_weights(along, i, (double)r / s->step, n);
        cubic_weights(across, j, (double)c / s->step, s->bones);
        int a = row - i + 1, b = column - j + 1;
        double w = a >= 0 && a < 4 && b >= 0 && b < 4 ? along[a] * across[b] : 0;
        if (fabs(w) < 1e-12) continue;
        int v = (i * s->step + r) * s->columns + j * s->step + c;
        id[count] = v, id[count + 1] = side + v;
        weight[count] = weight[count + 1] = (float)w;
        count += 2;
      }
    }
  }
  return count;
}

static bool add_bones(snCable* cable, const snSheet* s, mjsSkin* skin) {
  const snComposite* c = cable->comp;
  size_t nbone = (size_t)cable->n * (size_t)s->bones;
  size_t most = 2 * (size_t)(4 * s->step + 1) * (size_t)s->columns;
  float* bindpos = memory_alloc_zero(3 * nbone * sizeof(float));
  float* bindquat = memory_alloc_zero(4 * nbone * sizeof(float));
  int* id = memory_alloc(most * sizeof(int));
  float* weight = memory_alloc(most * sizeof(float));
  bool ok = bindpos && bindquat && id && weight;
  for (int i = 0; ok && i < (int)nbone; i++) {
    int row = i / s->bones, column = i % s->bones;
    char name[600];
    part_name(name, sizeof name, cable, "B", row < cable->n - 1 ? row : cable->n - 2);
    mjs_appendString(skin->bodyname, name);
    bindpos[3 * i] = row == cable->n - 1 ? (float)(-2 * c->geom.size[0]) : 0;
    bindpos[3 * i + 1] = (float)(c->geom.size[1] * (2.0 * column / (s->bones - 1) - 1));
    bindquat[4 * i] = 1;
    int count = bone_vertices(s, cable->n, row, column, id, weight);
    mjs_appendIntVec(skin->vertid, id, count);
    mjs_appendFloatVec(skin->vertweight, weight, count);
  }
  if (ok) {
    mjs_setFloat(skin->bindpos, bindpos, (int)(3 * nbone));
    mjs_setFloat(skin->bindquat, bindquat, (int)(4 * nbone));
  }
  memory_free(bindpos);
  memory_free(bindquat);
  memory_free(id);
  memory_free(weight);
  return ok;
}

static bool add_skin(snCable* cable) {
  const snComposite* c = cable->comp;
  int subgrid = c->skin_subgrid > 0 ? c->skin_subgrid : 0, bones = subgrid ? 3 : 2;
  if ((double)cable->n * bones * (subgrid + 1.0) * (subgrid + 1.0) > kMaxPoints * 10.0) {
    return fault_raise(cable->fault, "the skin of the cable has too many vertices");
  }
  snSheet s = {bones, subgrid + 1, (cable->n - 1) * (subgrid + 1) + 1,
               (bones - 1) * (subgrid + 1) + 1};
  mjsSkin* skin = mjs_addSkin(cable->spec);
  if (!skin) return false;
  char name[600];
  snprintf(name, sizeof name, "%sSkin", c->prefix ? c->prefix : "");
  if (mjs_setName(skin->element, name)) return false;
  memcpy(skin->rgba, c->skin_rgba, sizeof skin->rgba);
  skin->inflate = (float)(2 * c->geom.size[2]);
  skin->group = c->skin_group;
  if (c->skin_material) mjs_setString(skin->material, c->skin_material);

  int nvert = 2 * s.rows * s.columns;
  int nface = 4 * (s.rows - 1) * (s.columns - 1) + 4 * (s.rows - 1) + 4 * (s.columns - 1);
  float* vert = memory_alloc_zero(3 * (size_t)nvert * sizeof(float));
  float* texcoord = memory_alloc(2 * (size_t)nvert * sizeof(float));
  int* face = memory_alloc(3 * (size_t)nface * sizeof(int));
  bool ok = vert && texcoord && face;
  if (ok) {
    sheet_faces(&s, face);
    mjs_setFloat(skin->vert, vert, 3 * nvert);
    mjs_setInt(skin->face, face, 3 * nface);
    for (int i = 0; i < nvert; i++) {
      texcoord[2 * i] = (float)(i / s.columns % s.rows) / (float)(s.rows - 1);
      texcoord[2 * i + 1] = (float)(i % s.columns) / (float)(s.columns - 1);
    }
    if (c->skin_texcoord) mjs_setFloat(skin->texcoord, texcoord, 2 * nvert);
  }
  memory_free(vert);
  memory_free(texcoord);
  memory_free(face);
  return ok && add_bones(cable, &s, skin);
}

static bool make_cable(snCable* cable, mjsBody* parent, mjsFrame* frame) {
  const snComposite* c = cable->comp;
  double last_quat[4], last_tangent[3], last_length = 0;
  first_normal(cable);
  for (int i = 0; i < cable->n - 1; i++) {
    double tangent[3], quat[4], pos[3] = {last_length, 0, 0}, local[4], inverse[4];
    double length = segment(cable, i, tangent);
    if (length < mjMINVAL) return fault_raise(cable->fault, "points %d and %d coincide", i, i + 1);
    if (i) carry_normal(cable, last_tangent, tangent);
    frame_quat(quat, tangent, cable->normal);
    if (i == 0) {
      for (int k = 0; k < 3; k++) pos[k] = cable->point[k] + c->offset[k];
      quat_copy(local, quat);
    } else {
      quat_conj(inverse, last_quat);
      quat_mul(local, inverse, quat);
    }
    parent = add_body(cable, parent, i, length, pos, local);
    if (!parent) return fault_raise(cable->fault, "could not add body %d of the cable", i);
    if (i == 0 && frame) mjs_setFrame(parent->element, frame);
    quat_copy(last_quat, quat);
    vec3_copy(last_tangent, tangent);
    last_length = length;
  }
  if (c->geom.type == mjGEOM_BOX && !add_skin(cable)) {
    return fault_raise(cable->fault, "could not add the skin of the cable");
  }
  return true;
}

// A text element marks the cable, so that it can be distinguished from bodies made one by one.
static bool add_text(snCable* cable) {
  char name[600];
  const char* prefix = cable->comp->prefix ? cable->comp->prefix : "";
  mjsText* text = mjs_addText(cable->spec);
  if (!text) return false;
  snprintf(name, sizeof name, "rope_%s", prefix);
  mjs_setString(text->data, name);
  snprintf(name, sizeof name, "composite_%s", prefix);
  return !mjs_setName(text->element, name);
}

bool composite_make(const snComposite* comp, mjSpec* spec, mjsBody* body, mjsFrame* frame,
                    const mjsDefault* def, snFault* fault) {
  if (comp->type != snCOMP_CABLE) return fault_raise(fault, "composite type must be cable");
  if (comp->prefix && strlen(comp->prefix) > 500) return fault_raise(fault, "prefix is too long");
  if (comp->geom.type != mjGEOM_CAPSULE && comp->geom.type != mjGEOM_CYLINDER &&
      comp->geom.type != mjGEOM_BOX) {
    return fault_raise(fault, "Cable geom type must be cylinder, capsule or box");
  }
  for (int k = 1; k < 3; k++) {
    if (comp->count[k] != 1) {
      return fault_raise(fault, "Cable must be one-dimensional: count %d is %d, expected 1", k + 1,
                         comp->count[k]);
    }
  }
  if (comp->nvertex % 3) return fault_raise(fault, "Vertex data size must be a multiple of 3");
  if (comp->nvertex && comp->count[0] > 1) {
    return fault_raise(fault, "Either vertex or count can be specified, not both");
  }
  int n = comp->nvertex ? comp->nvertex / 3 : comp->count[0];
  if (n < 2) return fault_raise(fault, "a cable needs at least 2 points, not %d", n);
  if (n > kMaxPoints) return fault_raise(fault, "a cable has at most %d points", kMaxPoints);
  float* point = memory_alloc(3 * (size_t)n * sizeof *point);
  if (!point) return fault_raise(fault, "no memory for a cable");
  for (int i = 0; i < n; i++) {
    double s = (double)i / (n - 1), p[3];
    for (int k = 0; k < 3; k++) {
      p[k] = comp->nvertex ? comp->vertex[3 * i + k] : curve_at(comp, k, s);
    }
    if (!comp->nvertex) mju_rotVecQuat(p, p, comp->quat);  // points that are given stay
    // points are floats in the released compiler, their differences too, and lengths follow
    for (int k = 0; k < 3; k++) point[3 * i + k] = (float)p[k];
  }
  snCable cable = {.comp = comp, .spec = spec, .def = def, .fault = fault, .point = point, .n = n};
  bool ok = (add_text(&cable) || fault_raise(fault, "could not add the text of the cable")) &&
            make_cable(&cable, body, frame);
  memory_free(point);
  return ok;
}
