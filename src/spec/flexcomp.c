// flexcomp: a deformable object from a few parameters. Every point (flexcomp_shape.c) becomes a
// body with three sliders, or is fixed to the parent where pinned; with trilinear interpolation
// eight corners of the bounding box carry all points. The elements become one flex over these
// bodies.
#include "spec/flexcomp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "algebra/small.h"
#include "spec/flexcomp_shape.h"
#include "spec/spec.h"

void flexcomp_default(snFlexcomp* comp) {
  memset(comp, 0, sizeof *comp);
  mjs_defaultFlex(&comp->flex);
  comp->type = snFCOMP_GRID;
  comp->dof = snFCOMPDOF_FULL;
  for (int k = 0; k < 3; k++) {
    comp->count[k] = 10;
    comp->spacing[k] = 0.02;
    comp->scale[k] = 1;
  }
  comp->mass = 1;
  comp->inertiabox = 0.005;
  comp->quat[0] = 1;
  mj_defaultSolRefImp(comp->solref, comp->solimp);
  mjs_defaultOrientation(&comp->alt);
}

// ---- pins

static bool pin_ids(bool* pinned, int npoint, const snFlexcomp* c, snFault* fault) {
  for (int i = 0; i < c->npinid; i++) {
    if (c->pinid[i] < 0 || c->pinid[i] >= npoint) return fault_raise(fault, "pinid out of range");
    pinned[c->pinid[i]] = true;
  }
  if (c->npinrange % 2) return fault_raise(fault, "Pin range number must be multiple of 2");
  for (int i = 0; i < c->npinrange; i += 2) {
    int low = c->pinrange[i], high = c->pinrange[i + 1];
    if (low < 0 || low >= npoint || high < 0 || high >= npoint) {
      return fault_raise(fault, "pinrange out of range");
    }
    for (int k = low; k <= high; k++) pinned[k] = true;
  }
  return true;
}

static bool pin_grid(bool* pinned, int dim, const snFlexcomp* c, snFault* fault) {
  if (!c->npingrid && !c->npingridrange) return true;
  const int* n = c->count;
  if (c->type != snFCOMP_GRID) {
    return fault_raise(fault, "Pin grid(range) can only be used with grid type");
  }
  if (dim == 1) return fault_raise(fault, "Pin grid(range) cannot be used with dim=1");
  if (c->npingrid % dim) return fault_raise(fault, "Pin grid number must be multiple of dim");
  if (c->npingridrange % (2 * dim)) {
    return fault_raise(fault, "Pin grid range number of must be multiple of 2*dim");
  }
  for (int i = 0; i < c->npingrid + c->npingridrange;) {
    bool range = i >= c->npingrid;
    const int* low = range ? c->pingridrange + (i - c->npingrid) : c->pingrid + i;
    const int* high = range ? low + dim : low;
    int a[3] = {0, 0, 0}, b[3] = {0, 0, 0};
    for (int k = 0; k < dim; k++) {
      a[k] = low[k];
      b[k] = high[k];
      if (a[k] < 0 || a[k] >= n[k] || b[k] < 0 || b[k] >= n[k]) {
        return fault_raise(fault, "%s out of range", range ? "pingridrange" : "pingrid");
      }
    }
    for (int x = a[0]; x <= b[0]; x++) {
      for (int y = a[1]; y <= b[1]; y++) {
        for (int z = a[2]; z <= b[2]; z++) {
          pinned[dim == 2 ? x * n[1] + y : (x * n[1] + y) * n[2] + z] = true;
        }
      }
    }
    i += range ? 2 * dim : dim;
  }
  return true;
}

// ---- what is made

typedef struct snMaking_ {
  const snFlexcomp* comp;
  mjSpec* spec;
  mjsBody* body;
  const char* body_name;
  const mjsDefault* def;
  mjsFlex* flex;
  snFault* fault;
} snMaking;

// One more name; a list grows by doubling, so that long flexes stay linear.
static bool add_name(mjStringVec* list, const char* name) {
  int before = strings_count(list);
  mjs_appendString(list, name);
  return strings_count(list) == before + 1;
}

// Vertices that collide are spheres of their own.
static bool add_vertex(snMaking* m, mjsBody* body) {
  mjsGeom* geom = mjs_addGeom(body, m->def);
  if (!geom) return fault_raise(m->fault, "could not add a geom to a vertex");
  geom->type = mjGEOM_SPHERE;
  geom->size[0] = m->comp->flex.radius;
  if (m->comp->dof != snFCOMPDOF_TRILINEAR) geom->group = 4;
  return true;
}

// A point mass on sliders: three along the axes, or one along the radius.
static bool add_body(snMaking* m, const char* name, const double pos[3], double mass, bool radial) {
  mjsBody* body = mjs_addBody(m->body, m->def);
  if (!body || mjs_setName(body->element, name)) {
    return fault_raise(m->fault, "could not add body '%s'", name);
  }
  double half = m->comp->inertiabox;
  vec3_copy(body->pos, pos);
  vec3_zero(body->ipos);
  body->mass = mass;
  for (int k = 0; k < 3; k++) body->inertia[k] = mass * (2 * half * half) / 3;
  body->explicitinertial = 1;
  const mjsPlugin* plugin = m->comp->plugin;
  if (plugin && plugin->active && m->comp->plugin_copy) m->comp->plugin_copy(&body->plugin, plugin);
  for (int k = 0; k < (radial ? 1 : 3); k++) {
    mjsJoint* joint = mjs_addJoint(body, m->def);
    if (!joint) return fault_raise(m->fault, "could not add a joint to body '%s'", name);
    joint->type = mjJNT_SLIDE;
    vec3_zero(joint->pos);
    vec3_zero(joint->axis);
    if (radial) {
      vec3_copy(joint->axis, pos);
      if (vec3_norm(pos) > mjMINVAL) vec3_normalize(joint->axis);  // none at the centre: refused
    } else {
      joint->axis[k] = 1;
    }
  }
  return !m->comp->flex.vertcollide || add_vertex(m, body);
}

static mjsFlex* add_flex(snMaking* m, const snFlexShape* s) {
  const snFlexcomp* c = m->comp;
  mjsFlex* flex = mjs_addFlex(m->spec);
  if (!flex) return NULL;
  // scalars from the parameters, containers and identity its own
  mjsFlex own = *flex;
  *flex = c->flex;
  flex->element = own.element;
  flex->material = own.material;
  flex->nodebody = own.nodebody;
  flex->vertbody = own.vertbody;
  flex->node = own.node;
  flex->vert = own.vert;
  flex->elem = own.elem;
  flex->texcoord = own.texcoord;
  flex->elemtexcoord = own.elemtexcoord;
  flex->info = own.info;
  flex->dim = s->dim;
  // shapes with sharp edges look flat
  if (c->type == snFCOMP_BOX || c->type == snFCOMP_CYLINDER ||
      (c->type == snFCOMP_GRID && s->dim == 3)) {
    flex->flatskin = 1;
  }
  if (c->material) mjs_setString(flex->material, c->material);
  if (mjs_setName(flex->element, c->name)) return NULL;
  mjs_setInt(flex->elem, s->elem, s->nelem);
  mjs_setFloat(flex->texcoord, s->texcoord, s->ntexcoord);
  mjs_setInt(flex->elemtexcoord, s->elemtexcoord, s->nelemtexcoord);
  return flex;
}

// Vertices carried by one body each, or by the parent where pinned.
// Bodies keep the numbers of the points as given, of which some may be unused.
static bool make_vertices(snMaking* m, const snFlexShape* s, const bool* pinned, int npinned,
                          const int* renumber, int ntotal) {
  const snFlexcomp* c = m->comp;
  bool centered = npinned == 0;
  double mass = c->mass / ntotal;
  if (c->rigid || npinned == s->npoint) {
    mjs_setDouble(m->flex->vert, s->point, 3 * s->npoint);
    return add_name(m->flex->vertbody, m->body_name) ||
           fault_raise(m->fault, "no memory for flexcomp");
  }
  if (!centered) {
    double* vert = memory_alloc(3 * (size_t)s->npoint * sizeof(double));
    if (!vert) return fault_raise(m->fault, "no memory for flexcomp");
    for (int i = 0; i < s->npoint; i++) {
      vec3_zero(vert + 3 * i);
      if (pinned[i]) vec3_copy(vert + 3 * i, s->point + 3 * i);
    }
    mjs_setDouble(m->flex->vert, vert, 3 * s->npoint);
    memory_free(vert);
  }
  for (int given = 0; given < ntotal; given++) {
    int i = renumber[given];
    if (i < 0) continue;
    char name[600];
    snprintf(name, sizeof name, "%s_%d", c->name, given);
    bool ok = pinned[i] ? add_name(m->flex->vertbody, m->body_name)
                        : add_body(m, name, s->point + 3 * i, mass, c->dof == snFCOMPDOF_RADIAL) &&
                              add_name(m->flex->vertbody, name);
    if (!ok) return fault_raise(m->fault, "no memory for flexcomp");
  }
  return true;
}

// The corners of the bounding box carry the flex; its vertices stay with the parent.
static bool make_nodes(snMaking* m, const snFlexShape* s, const double low[3], const double high[3],
                       const bool* pinned) {
  const snFlexcomp* c = m->comp;
  double node[24];
  bool any = false;
  mjs_setDouble(m->flex->vert, s->point, 3 * s->npoint);
  for (int i = 0; i < s->npoint; i++) {
    if (!add_name(m->flex->vertbody, m->body_name)) {
      return fault_raise(m->fault, "no memory for flexcomp");
    }
  }
  for (int i = 0; i < 8; i++) {
    char name[600];
    int bit[3] = {i >> 2, i >> 1 & 1, i & 1};
    double pos[3];
    for (int k = 0; k < 3; k++) pos[k] = bit[k] ? high[k] : low[k];
    snprintf(name, sizeof name, "%s_%d_%d_%d", c->name, bit[0], bit[1], bit[2]);
    vec3_zero(node + 3 * i);
    bool ok;
    if (pinned[i]) {
      any = true;
      vec3_copy(node + 3 * i, pos);
      ok = add_name(m->flex->nodebody, m->body_name);
    } else {
      ok = add_body(m, name, pos, c->mass / 8, false) && add_name(m->flex->nodebody, name);
    }
    if (!ok) return fault_raise(m->fault, "no memory for flexcomp");
  }
  if (any) mjs_setDouble(m->flex->node, node, 24);
  return true;
}

static bool add_equality(snMaking* m) {
  mjsEquality* eq = mjs_addEquality(m->spec, m->def);
  if (!eq) return fault_raise(m->fault, "could not add the edge equality of a flexcomp");
  eq->type = mjEQ_FLEX;
  eq->active = 1;
  mjs_setString(eq->name1, m->comp->name);
  memcpy(eq->solref, m->comp->solref, sizeof eq->solref);
  memcpy(eq->solimp, m->comp->solimp, sizeof eq->solimp);
  return true;
}

// Drop points no element uses, with their pins and texture coordinates; grown shapes keep theirs.
static void drop_unused(snFlexShape* s, bool grown, bool* pinned, int* renumber) {
  int n = 0;
  bool textured = s->ntexcoord == 2 * s->npoint && !s->nelemtexcoord;
  for (int i = 0; i < s->npoint; i++) renumber[i] = grown ? 0 : -1;
  for (int i = 0; i < s->nelem; i++) renumber[s->elem[i]] = 0;
  for (int i = 0; i < s->npoint; i++) {
    if (renumber[i] < 0) continue;
    renumber[i] = n;
    vec3_copy(s->point + 3 * n, s->point + 3 * i);
    pinned[n] = pinned[i];
    if (textured) memmove(s->texcoord + 2 * n, s->texcoord + 2 * i, 2 * sizeof(float));
    n++;
  }
  for (int i = 0; i < s->nelem; i++) s->elem[i] = renumber[s->elem[i]];
  if (textured) s->ntexcoord = 2 * n;
  s->npoint = n;
}

static void pose_points(snFlexShape* s, const snFlexcomp* c, double low[3], double high[3]) {
  vec3_set(low, INFINITY, INFINITY, INFINITY);
  vec3_set(high, -INFINITY, -INFINITY, -INFINITY);
  for (int i = 0; i < s->npoint; i++) {
    double* p = s->point + 3 * i;
    quat_rotate(p, p, c->quat);  // as given: the released compiler does not normalize it
    vec3_add(p, p, c->pos);
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], p[k]);
      high[k] = fmax(high[k], p[k]);
    }
  }
}

static bool make(snMaking* m, snFlexShape* s, bool* pinned, int* renumber) {
  const snFlexcomp* c = m->comp;
  bool nodes = c->dof == snFCOMPDOF_TRILINEAR && !c->rigid;
  // with nodes the pins of the first eight points are those of the nodes, the others are none
  if (!pin_ids(pinned, s->npoint, c, m->fault)) return false;
  if (!pin_grid(pinned, s->dim, c, m->fault)) return false;
  if (c->dof == snFCOMPDOF_RADIAL && !c->rigid) pinned[0] = true;
  int ntotal = s->npoint, npinned = 0;
  double low[3], high[3];
  pose_points(s, c, low, high);
  bool corner[8] = {false};
  if (nodes) {
    for (int i = 0; i < 8 && i < s->npoint; i++) corner[i] = pinned[i];
    memset(pinned, 0, (size_t)s->npoint * sizeof(bool));
  }
  drop_unused(s, c->type <= snFCOMP_CIRCLE, pinned, renumber);
  for (int i = 0; i < s->npoint; i++) npinned += pinned[i];

  int moving = c->rigid ? 0 : nodes ? 8 : s->npoint - npinned;
  double elements = (double)spec_of(m->spec)->nelement + 4.0 * moving;  // a body and its sliders
  if (!budget_elements(elements, "flexcomp", m->fault)) return false;
  m->flex = add_flex(m, s);
  if (!m->flex) return fault_raise(m->fault, "could not add flex '%s'", c->name);
  if (nodes ? !make_nodes(m, s, low, high, corner)
            : !make_vertices(m, s, pinned, npinned, renumber, ntotal)) {
    return false;
  }
  // what is pinned hangs on the parent, which then takes part in the plugin
  bool some = !nodes && npinned > 0 && npinned < s->npoint && !c->rigid;
  if (some && c->plugin && c->plugin->active && c->plugin_copy) {
    c->plugin_copy(&m->body->plugin, c->plugin);
  }
  bool rigid = c->rigid || (!nodes && npinned == s->npoint);
  if (c->equality && !rigid && !add_equality(m)) return false;
  return true;
}

bool flexcomp_make(const snFlexcomp* comp, mjSpec* spec, mjsBody* body, mjsFrame* frame,
                   const mjsDefault* def, snFault* fault) {
  if (!comp->name) return fault_raise(fault, "name is required in flexcomp");
  if (strlen(comp->name) > 500) return fault_raise(fault, "name of flexcomp is too long");
  if (comp->dof == snFCOMPDOF_QUADRATIC) {
    return fault_raise(fault, "invalid keyword: 'quadratic'; dof is full, radial or trilinear");
  }
  if (comp->equality && (comp->flex.elastic2d & 2)) {
    return fault_raise(fault, "elasticity and edge constraints cannot both be present");
  }
  if (comp->scale[0] < mjMINVAL || comp->scale[1] < mjMINVAL || comp->scale[2] < mjMINVAL) {
    return fault_raise(fault, "scale must be positive");
  }
  if (comp->mass < mjMINVAL || comp->inertiabox < mjMINVAL) {
    return fault_raise(fault, "Mass and inertiabox must be larger than mjMINVAL");
  }
  const char* name = mjs_getString(mjs_getName(body->element));
  if (!*name) return fault_raise(fault, "Parent body must have name");
  snFlexShape shape;
  if (!shape_make(&shape, comp, fault)) return false;
  bool* pinned = memory_alloc_zero((size_t)(shape.npoint + 8) * sizeof(bool));
  int* renumber = memory_alloc((size_t)shape.npoint * sizeof(int));
  snMaking m = {comp, spec, body, name, def, NULL, fault};
  bool ok = pinned && renumber ? make(&m, &shape, pinned, renumber)
                               : fault_raise(fault, "no memory for flexcomp");
  memory_free(pinned);
  memory_free(renumber);
  shape_free(&shape);
  return ok;
}
