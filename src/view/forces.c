// Decorations in the scene: bounding volumes, inertia, perturbation, connections, constraints,
// contacts.
#include <stdio.h>

#include "collide/collide.h"
#include "view/decor.h"

// ---- bounding volumes

static void volume_box(snPainter* p, int objid, const double aabb[6], const double* pos,
                       const double* mat, const float rgba[4]) {
  double at[3];
  vec3_copy(at, aabb);
  if (mat) {
    mat3_mul_vec(at, mat, aabb);
    vec3_add(at, at, pos);
  }
  decor_shape(p, mjOBJ_UNKNOWN, objid, mjGEOM_LINEBOX, aabb + 3, at, mat, rgba, NULL);
}

// Volumes of one tree at the requested depth, and leaves above it; the leaf of a body is a geom's
// box.
static void volume_tree(snPainter* p, int first, int count, const double* pos, const double* mat,
                        bool geoms) {
  const mjModel* m = p->m;
  for (int i = first; i < first + count; i++) {
    bool leaf = m->bvh_nodeid[i] >= 0;
    if (m->bvh_depth[i] != p->opt->bvh_depth && !(leaf && m->bvh_depth[i] < p->opt->bvh_depth)) {
      continue;
    }
    bool active = p->d->bvh_active[i] && m->vis.global.bvactive;
    const float* rgba = active ? m->vis.rgba.bvactive : m->vis.rgba.bv;
    if (geoms && leaf && m->bvh_nodeid[i] >= m->ngeom) continue;
    if (geoms && leaf) {
      int g = m->bvh_nodeid[i];
      volume_box(p, i, m->geom_aabb + 6 * g, p->d->geom_xpos + 3 * g, p->d->geom_xmat + 9 * g,
                 rgba);
    } else if (i < m->nbvhstatic) {
      volume_box(p, i, m->bvh_aabb + 6 * i, pos, mat, rgba);
    } else {
      volume_box(p, i, p->d->bvh_aabb_dyn + 6 * (i - m->nbvhstatic), NULL, NULL, rgba);
    }
  }
}

void decor_bounding_volumes(snPainter* p) {
  const mjModel* m = p->m;
  const mjData* d = p->d;
  if (m->vis.global.bvactive && (p->opt->flags[mjVIS_BODYBVH] || p->opt->flags[mjVIS_FLEXBVH])) {
    collide_marks(m, p->d);
  }
  if (p->opt->flags[mjVIS_BODYBVH]) {
    for (int b = 0; b < m->nbody; b++) {
      volume_tree(p, m->body_bvhadr[b], m->body_bvhadr[b] < 0 ? 0 : m->body_bvhnum[b],
                  d->xipos + 3 * b, d->ximat + 9 * b, true);
    }
  }
  if (p->opt->flags[mjVIS_FLEXBVH]) {
    for (int f = 0; f < m->nflex; f++) {
      volume_tree(p, m->flex_bvhadr[f], m->flex_bvhadr[f] < 0 ? 0 : m->flex_bvhnum[f], NULL, NULL,
                  false);
    }
  }
  if (p->opt->flags[mjVIS_MESHBVH]) {
    for (int g = 0; g < m->ngeom; g++) {
      int mesh =
          m->geom_type[g] == mjGEOM_MESH || m->geom_type[g] == mjGEOM_SDF ? m->geom_dataid[g] : -1;
      if (mesh < 0 || m->mesh_bvhadr[mesh] < 0) continue;
      volume_tree(p, m->mesh_bvhadr[mesh], m->mesh_bvhnum[mesh], d->geom_xpos + 3 * g,
                  d->geom_xmat + 9 * g, false);
    }
  }
}

// ---- bodies

// Half sizes of the solid box (I = m/3 (b^2 + c^2), ...) or ellipsoid (I = m/5 (b^2 + c^2), ...)
// with a body's mass and inertia.
static void inertia_size(double size[3], double mass, const double inertia[3], bool ellipsoid) {
  double factor = (ellipsoid ? 5.0 : 3.0) / (2 * mju_max(mass, mjMINVAL));
  double trace = inertia[0] + inertia[1] + inertia[2];
  for (int k = 0; k < 3; k++) {
    size[k] = sqrt(mju_max(factor * (trace - 2 * inertia[k]), mjMINVAL));
  }
}

// A label without a shape.
static void decor_text(snPainter* p, int objid, const double pos[3], const double mat[9],
                       const char* label) {
  static const double size[3] = {0.1, 0.1, 0.1};
  static const float grey[4] = {0.5f, 0.5f, 0.5f, 1};
  decor_shape(p, mjOBJ_UNKNOWN, objid, mjGEOM_LABEL, size, pos, mat, grey, label);
}

// Label of a body when bodies, or the selection, are labeled.
static const char* body_label(snPainter* p, char text[100], int body) {
  bool selected = p->opt->label == mjLABEL_SELECTION && p->pert->select == body;
  return decor_label(p, text, selected ? mjLABEL_SELECTION : mjLABEL_BODY, mjOBJ_BODY, body);
}

void decor_inertias(snPainter* p) {
  const mjModel* m = p->m;
  const mjData* d = p->d;
  char text[100];
  bool inertia = p->opt->flags[mjVIS_INERTIA], ellipsoid = m->vis.global.ellipsoidinertia;
  for (int b = 1; b < m->nbody; b++) {
    if (!(decor_category(m, b) & p->catmask)) continue;
    if (inertia && m->body_mass[b] > mjMINVAL) {
      double size[3];
      inertia_size(size, m->body_mass[b], m->body_inertia + 3 * b, ellipsoid);
      if (p->opt->flags[mjVIS_SCLINERTIA]) {
        // scaled as if all bodies had the density of water
        double volume = (ellipsoid ? 4 * mjPI / 3 : 8) * size[0] * size[1] * size[2];
        double scale = sn_cbrt(m->body_mass[b] / (1000 * volume));
        vec3_scale(size, size, scale);
      }
      int before = p->scn->ngeom;
      decor_shape(p, mjOBJ_BODY, b, ellipsoid ? mjGEOM_ELLIPSOID : mjGEOM_BOX, size,
                  d->xipos + 3 * b, d->ximat + 9 * b, m->vis.rgba.inertia, body_label(p, text, b));
      if (p->pert->select == b && p->scn->ngeom > before) {
        p->scn->geoms[before].emission += m->vis.global.glow;
      }
    }
  }
}

void decor_body_frames(snPainter* p) {
  const mjModel* m = p->m;
  const mjData* d = p->d;
  if (p->opt->frame == mjFRAME_WORLD) decor_frame(p, 0, d->xpos, d->xmat, 2);
  if (p->opt->frame != mjFRAME_BODY) return;
  for (int b = 1; b < m->nbody; b++) {
    if (!(decor_category(m, b) & p->catmask)) continue;
    // at the inertia box where that is drawn
    bool inertial = p->opt->flags[mjVIS_INERTIA];
    decor_frame(p, b, (inertial ? d->xipos : d->xpos) + 3 * b,
                (inertial ? d->ximat : d->xmat) + 9 * b, 1);
  }
}

// Labels of bodies whose inertia is not drawn.
void decor_body_labels(snPainter* p) {
  const mjModel* m = p->m;
  const mjData* d = p->d;
  char text[100];
  if (p->opt->flags[mjVIS_INERTIA]) return;
  for (int b = 1; b < m->nbody; b++) {
    if (!(decor_category(m, b) & p->catmask)) continue;
    const char* label = body_label(p, text, b);
    if (label) decor_text(p, b, d->xpos + 3 * b, d->xmat + 9 * b, label);
  }
}

// The point of the selected body that is perturbed.
static bool selected_point(const snPainter* p, double point[3]) {
  int body = p->pert->select;
  if (body <= 0 || body >= p->m->nbody) return false;
  mat3_mul_vec(point, p->d->xmat + 9 * body, p->pert->localpos);
  vec3_add(point, point, p->d->xpos + 3 * body);
  return true;
}

void decor_perturbation(snPainter* p) {
  const mjModel* m = p->m;
  const mjData* d = p->d;
  const mjvPerturb* pert = p->pert;
  int body = pert->select;
  double point[3];
  if (!selected_point(p, point)) return;
  int active = pert->active | pert->active2;
  const float* rgba = m->vis.rgba.constraint;
  if (p->opt->flags[mjVIS_PERTOBJ] && (active & mjPERT_TRANSLATE)) {
    double ball = m->vis.scale.selectpoint * p->meansize, balls[3] = {ball, ball, ball}, mat[9];
    decor_connect(p, mjOBJ_UNKNOWN, body, mjGEOM_CAPSULE, m->vis.scale.constraint * p->meansize,
                  point, pert->refselpos, rgba, NULL);
    quat_to_mat(mat, pert->refquat);
    decor_shape(p, mjOBJ_UNKNOWN, body, mjGEOM_SPHERE, balls, pert->refselpos, mat, rgba, NULL);
  }
  if (p->opt->flags[mjVIS_PERTOBJ] && (active & mjPERT_ROTATE)) {
    double half[3] = {p->meansize, p->meansize, p->meansize}, at[3], mat[9];
    vec3_copy(at, d->xipos + 3 * body);
    if (m->body_bvhadr[body] >= 0) {
      const double* aabb = m->bvh_aabb + 6 * m->body_bvhadr[body];
      vec3_copy(half, aabb + 3);
      mat3_mul_vec(at, d->ximat + 9 * body, aabb);
      vec3_add(at, at, d->xipos + 3 * body);
    }
    quat_to_mat(mat, pert->refquat);
    decor_shape(p, mjOBJ_UNKNOWN, body, mjGEOM_BOX, half, at, mat, m->vis.rgba.inertia, NULL);
  }
}

void decor_selection(snPainter* p) {
  const mjModel* m = p->m;
  const double* local = p->pert->localpos;
  double point[3], wide = m->vis.scale.selectpoint * p->meansize, size[3] = {wide, wide, wide};
  if (!p->opt->flags[mjVIS_SELECT] || !selected_point(p, point)) return;
  char text[100];
  const char* label = NULL;
  if (p->opt->label == mjLABEL_SELPNT) {
    snprintf(text, sizeof text, "%.3f %.3f %.3f (local %.3f %.3f %.3f)", point[0], point[1],
             point[2], local[0], local[1], local[2]);
    label = text;
  }
  decor_shape(p, mjOBJ_UNKNOWN, 0, mjGEOM_SPHERE, size, point, NULL, m->vis.rgba.selectpoint,
              label);
}

// Centers of mass of subtrees, and lines from bodies over their joints to their parents.
void decor_connections(snPainter* p) {
  const mjModel* m = p->m;
  const mjData* d = p->d;
  if (p->opt->flags[mjVIS_COM]) {
    double r = m->vis.scale.com * p->meansize, size[3] = {r, r, r};
    for (int b = 1; b < m->nbody; b++) {
      if (m->body_parentid[b] != 0) continue;
      decor_shape(p, mjOBJ_UNKNOWN, b, mjGEOM_SPHERE, size, d->subtree_com + 3 * b, NULL,
                  m->vis.rgba.com, NULL);
    }
  }
  if (!p->opt->flags[mjVIS_AUTOCONNECT]) return;
  double width = m->vis.scale.connect * p->meansize;
  for (int b = 1; b < m->nbody; b++) {
    if (m->body_parentid[b] == 0) continue;
    const double* from = d->xipos + 3 * b;
    for (int j = m->body_jntadr[b] + m->body_jntnum[b] - 1; j >= m->body_jntadr[b] && j >= 0; j--) {
      decor_connect(p, mjOBJ_UNKNOWN, b, mjGEOM_CAPSULE, width, from, d->xanchor + 3 * j,
                    m->vis.rgba.connect, NULL);
      from = d->xanchor + 3 * j;
    }
    decor_connect(p, mjOBJ_UNKNOWN, b, mjGEOM_CAPSULE, width, from,
                  d->xipos + 3 * m->body_parentid[b], m->vis.rgba.connect, NULL);
  }
}

// The two points that a connect or weld holds together.
void decor_constraints(snPainter* p) {
  const mjModel* m = p->m;
  const mjData* d = p->d;
  char text[100];
  if (!p->opt->flags[mjVIS_CONSTRAINT]) return;
  double r = m->vis.scale.constraint * p->meansize, size[3] = {r, r, r};
  for (int i = 0; i < m->neq; i++) {
    int type = m->eq_type[i];
    if (!d->eq_active[i] || (type != mjEQ_CONNECT && type != mjEQ_WELD)) continue;
    const double* data = m->eq_data + mjNEQDATA * i;
    const char* label = decor_label(p, text, mjLABEL_CONSTRAINT, mjOBJ_EQUALITY, i);
    for (int side = 0; side < 2; side++) {
      int id = side ? m->eq_obj2id[i] : m->eq_obj1id[i];
      double point[3];
      const double* mat = d->xmat + 9 * id;
      if (m->eq_objtype[i] == mjOBJ_SITE) {
        vec3_copy(point, d->site_xpos + 3 * id);
        mat = d->site_xmat + 9 * id;
      } else {
        // a weld stores the point of its second body first
        const double* local = data + 3 * (type == mjEQ_WELD ? 1 - side : side);
        mat3_mul_vec(point, mat, local);
        vec3_add(point, point, d->xpos + 3 * id);
      }
      decor_shape(p, mjOBJ_EQUALITY, i, mjGEOM_SPHERE, size, point, mat,
                  side ? m->vis.rgba.constraint : m->vis.rgba.connect, label);
    }
  }
}

void decor_rangefinders(snPainter* p) {
  const mjModel* m = p->m;
  const mjData* d = p->d;
  if (!p->opt->flags[mjVIS_RANGEFINDER]) return;
  for (int i = 0; i < m->nsensor; i++) {
    double range = d->sensordata[m->sensor_adr[i]], z[3], end[3];
    if (m->sensor_type[i] != mjSENS_RANGEFINDER || range < 0) continue;
    int site = m->sensor_objid[i];
    mat3_column(z, d->site_xmat + 9 * site, 2);
    vec3_add_scaled(end, d->site_xpos + 3 * site, z, range);
    decor_connect(p, mjOBJ_UNKNOWN, i, mjGEOM_LINE, 3, d->site_xpos + 3 * site, end,
                  m->vis.rgba.rangefinder, NULL);
  }
}

// ---- contacts

static void contact_name(snPainter* p, char* text, size_t size, const mjContact* con, int side) {
  const char* name = NULL;
  int id = con->geom[side];
  if (id >= 0) {
    name = mj_id2name(p->m, mjOBJ_GEOM, id);
    if (!name || !name[0]) snprintf(text, size, "g%d", id);
  } else {
    id = con->flex[side];
    name = id >= 0 ? mj_id2name(p->m, mjOBJ_FLEX, id) : NULL;
    if (!name || !name[0]) snprintf(text, size, "f%d", id);
  }
  if (name && name[0]) snprintf(text, size, "%s", name);
}

static void contact_arrow(snPainter* p, int id, int type, const mjContact* con,
                          const double force[3], double scale, const float rgba[4],
                          const char* label) {
  double world[3], tip[3];
  mat3_mulT_vec(world, con->frame, force);
  if (vec3_norm(world) < mjMINVAL) return;
  vec3_add_scaled(tip, con->pos, world, scale);
  decor_connect(p, mjOBJ_UNKNOWN, id, type, p->m->vis.scale.forcewidth * p->meansize, con->pos, tip,
                rgba, label);
}

// Body of a contact's geom; -1: flex.
static int contact_body(const mjModel* m, const mjContact* con, int side) {
  return con->geom[side] < 0 ? -1 : m->geom_bodyid[con->geom[side]];
}

void decor_contacts(snPainter* p) {
  const mjModel* m = p->m;
  mjData* d = p->d;
  const mjtByte* flags = p->opt->flags;
  bool point = flags[mjVIS_CONTACTPOINT], force = flags[mjVIS_CONTACTFORCE];
  bool frame = p->opt->frame == mjFRAME_CONTACT;
  if (!point && !force && !frame) return;
  for (int i = 0; i < d->ncon; i++) {
    const mjContact* con = d->contact + i;
    char text[100], first[48], second[48];
    double mat[9], wide = m->vis.scale.contactwidth * p->meansize;
    // z of the drawn frame is the contact normal, x and y are the tangents
    for (int r = 0; r < 3; r++) {
      mat[3 * r] = con->frame[3 + r];
      mat[3 * r + 1] = con->frame[6 + r];
      mat[3 * r + 2] = con->frame[r];
    }
    if (point) {
      // thick enough to cover the overlap
      double thick = mju_max(m->vis.scale.contactheight * p->meansize, fabs(con->dist) / 2);
      double size[3] = {wide, wide, thick};
      const char* label = NULL;
      if (p->opt->label == mjLABEL_CONTACTPOINT) {
        contact_name(p, first, sizeof first, con, 0);
        contact_name(p, second, sizeof second, con, 1);
        snprintf(text, sizeof text, "%s | %s", first, second);
        label = text;
      }
      const float* rgba = con->efc_address >= 0 ? m->vis.rgba.contactpoint : m->vis.rgba.contactgap;
      float island[4];
      if (flags[mjVIS_ISLAND] && d->nisland && con->efc_address >= 0) {
        decor_island_colour(d, island, d->efc_island[con->efc_address]);
        rgba = island;
      }
      decor_shape(p, mjOBJ_UNKNOWN, i, mjGEOM_CYLINDER, size, con->pos, mat, rgba, label);
    }
    if (frame) decor_frame(p, i, con->pos, mat, 0.5);
    if (force && con->efc_address >= 0) {
      double wrench[6], scale = m->vis.map.force / m->stat.meanmass;
      mj_contactForce(m, d, i, wrench);
      const char* label = NULL;
      if (p->opt->label == mjLABEL_CONTACTFORCE) {
        snprintf(text, sizeof text, "%-.3g", vec3_norm(wrench));
        label = text;
      }
      // the force on the body with the higher id; on both unless one is the world
      int body1 = contact_body(m, con, 0), body2 = contact_body(m, con, 1);
      int arrow = body1 != 0 && body2 != 0 ? mjGEOM_ARROW2 : mjGEOM_ARROW;
      if (body1 > body2) scale = -scale;
      if (flags[mjVIS_CONTACTSPLIT]) {
        double normal[3] = {wrench[0], 0, 0}, friction[3] = {0, wrench[1], wrench[2]};
        contact_arrow(p, i, mjGEOM_ARROW, con, normal, scale, m->vis.rgba.contactforce, label);
        contact_arrow(p, i, mjGEOM_ARROW, con, friction, scale, m->vis.rgba.contactfriction, NULL);
      } else {
        contact_arrow(p, i, arrow, con, wrench, scale, m->vis.rgba.contactforce, label);
      }
    }
  }
}

// Labels of bodies with their island.
void decor_island_labels(snPainter* p) {
  const mjModel* m = p->m;
  const mjData* d = p->d;
  if (p->opt->label != mjLABEL_ISLAND) return;
  for (int b = 1; b < m->nbody; b++) {
    char text[100];
    int island = decor_island(m, d, b);
    if (island < 0) continue;
    snprintf(text, sizeof text, "%d", island);
    decor_text(p, b, d->xipos + 3 * b, d->ximat + 9 * b, text);
  }
}
