// MJCF of the kinematic tree. A body has first its elements outside of frames, then frames with
// their contents, then child bodies. Elements of a type must keep their order, because it is the
// order of ids: where frames would break it, a frame is opened each time the next element of a type
// is inside of it. Frames are written for their name or class; poses are already in the elements.
#include <math.h>
#include <string.h>

#include "write/write.h"

static void write_inertial(snWriter* w, const snElement* e) {
  static const double unit[4] = {1, 0, 0, 0};
  const mjsBody* x = &e->u.body;
  text_open(&w->text, "inertial");
  text_doubles(&w->text, "pos", x->ipos, 3);
  bool full = !isnan(x->fullinertia[0]);
  if (!full && memcmp(x->iquat, unit, sizeof unit)) text_doubles(&w->text, "quat", x->iquat, 4);
  text_doubles(&w->text, "mass", &x->mass, 1);
  if (full) {
    text_doubles(&w->text, "fullinertia", x->fullinertia, 6);
  } else {
    text_doubles(&w->text, "diaginertia", x->inertia, 3);
  }
  text_close(&w->text, "inertial");
}

static void put_inertial(snWriter* w, const double* pos, const double* quat, double mass,
                         const double* inertia) {
  text_open(&w->text, "inertial");
  text_doubles(&w->text, "pos", pos, 3);
  text_doubles(&w->text, "quat", quat, 4);
  text_doubles(&w->text, "mass", &mass, 1);
  text_doubles(&w->text, "diaginertia", inertia, 3);
  text_close(&w->text, "inertial");
}

// Inertia inferred by the compiler, for compiler/saveinertial. A free body that was aligned with
// its inertial frame is written where it was before.
static void write_found_inertial(snWriter* w, const snElement* e) {
  const mjModel* m = write_model(w);
  int i = e->id;
  if (m && i < 0) {  // fused: its inertia is in the body that absorbed it
    static const double kNone[4] = {0, 0, 0, 0}, kUnit[4] = {1, 0, 0, 0};
    put_inertial(w, kNone, kUnit, 0, kNone);
    return;
  }
  if (!m || i <= 0 || i >= m->nbody) return;
  if (m->body_mass[i] <= 0 && m->body_inertia[3 * i] <= 0)
    return;  // bounds may set only one of the two
  double pos[3], quat[4];
  mju_copy3(pos, m->body_ipos + 3 * i);
  mju_copy4(quat, m->body_iquat + 4 * i);
  double at[3], turn[4];
  mju_copy3(at, e->u.body.pos);
  mju_copy4(turn, e->u.body.quat);
  for (const snElement* p = e->parent; p && p->id < 0; p = p->parent) {
    mju_mulPose(at, turn, p->u.body.pos, p->u.body.quat, at, turn);
  }
  bool moved = false;
  const double rounding = 1e-12;  // composing poses errs by less
  for (int k = 0; k < 3; k++) moved |= fabs(at[k] - m->body_pos[3 * i + k]) > rounding;
  for (int k = 0; k < 4; k++) moved |= fabs(turn[k] - m->body_quat[4 * i + k]) > rounding;
  if (moved) {
    double back[3], away[4];
    mju_negPose(back, away, at, turn);
    mju_mulPose(pos, quat, m->body_pos + 3 * i, m->body_quat + 4 * i, m->body_ipos + 3 * i,
                m->body_iquat + 4 * i);
    mju_mulPose(pos, quat, back, away, pos, quat);
  }
  put_inertial(w, pos, quat, m->body_mass[i], m->body_inertia + 3 * i);
}

// A free joint inherits nothing from its class and is written as freejoint, unless it has settings
// that freejoint lacks.
static bool write_freejoint(snWriter* w, const snElement* e, const mjsJoint* normal) {
  mjsJoint plain;
  mjs_defaultJoint(&plain);
  if (e->u.joint.align == plain.align && !doubles_count(normal->userdata)) return false;
  if (doubles_count(e->u.joint.userdata)) return false;
  text_open(&w->text, "freejoint");
  if (string_size(&e->name)) text_string(&w->text, "name", string_text(&e->name));
  write_values(w, table_child(&table_body, "freejoint"), "group align", &e->u.joint, &plain);
  text_close(&w->text, "freejoint");
  return true;
}

static void write_joint(snWriter* w, const snElement* e, const snElement* class) {
  const mjsJoint* x = &e->u.joint;
  mjsJoint normal = e->def->class[snCLASS_JOINT]->u.joint;
  bool scalar = x->type == mjJNT_HINGE || x->type == mjJNT_SLIDE;
  if (x->type == mjJNT_FREE && write_freejoint(w, e, &normal)) return;
  memcpy(normal.pos, x->pos, sizeof normal.pos);
  memcpy(normal.axis, x->axis, sizeof normal.axis);
  if (x->type != mjJNT_FREE) normal.pos[0] = NAN;  // NaN differs from everything: always written
  if (scalar) normal.axis[0] = NAN;
  if (x->ref) normal.ref = NAN;
  if (x->springref) normal.springref = NAN;
  if (x->type == mjJNT_FREE) normal.limited = x->limited;  // a free joint is never limited
  text_open(&w->text, "joint");
  write_identity(w, e, class);
  write_values(w, table_child(&table_body, "joint"), write_order_joint, x, &normal);
  text_close(&w->text, "joint");
}

static int sizes_of(mjtGeom type) {
  switch ((int)type) {
    case mjGEOM_SPHERE:
      return 1;
    case mjGEOM_CAPSULE:
    case mjGEOM_CYLINDER:
      return 2;
    default:
      return 3;
  }
}

static void write_geom(snWriter* w, const snElement* e, const snElement* class) {
  static const double zero[3] = {0, 0, 0}, unit[4] = {1, 0, 0, 0};
  const mjsGeom* x = &e->u.geom;
  mjsGeom normal = e->def->class[snCLASS_GEOM]->u.geom;
  memcpy(normal.pos, zero, sizeof zero);
  memcpy(normal.quat, unit, sizeof unit);
  normal.mass = x->type == mjGEOM_PLANE ? x->mass : NAN;
  normal.meshname = normal.hfieldname = NULL;
  if (string_empty(x->meshname)) normal.fitscale = x->fitscale;  // no mesh to fit
  if (!isnan(x->mass)) normal.density = x->density;
  if (x->type == mjGEOM_MESH || x->type == mjGEOM_SDF || x->type == mjGEOM_HFIELD)
    memcpy(normal.size, x->size, sizeof normal.size);
  text_open(&w->text, "geom");
  write_identity(w, e, class);
  w->sizes = sizes_of(x->type);
  write_values(w, table_child(&table_body, "geom"), write_order_geom, x, &normal);
  write_plugin(w, &x->plugin);
  text_close(&w->text, "geom");
}

static void write_site(snWriter* w, const snElement* e, const snElement* class) {
  static const double unit[4] = {1, 0, 0, 0};
  mjsSite normal = e->def->class[snCLASS_SITE]->u.site;
  normal.pos[0] = NAN;
  memcpy(normal.quat, unit, sizeof unit);
  text_open(&w->text, "site");
  write_identity(w, e, class);
  w->sizes = sizes_of(e->u.site.type);
  write_values(w, table_child(&table_body, "site"), write_order_site, &e->u.site, &normal);
  text_close(&w->text, "site");
}

// A camera with a sensor is written with all lens attributes: they are not accepted separately.
static void write_camera(snWriter* w, const snElement* e, const snElement* class) {
  static const double unit[4] = {1, 0, 0, 0};
  mjsCamera x = e->u.camera, normal = e->def->class[snCLASS_CAMERA]->u.camera;
  normal.pos[0] = NAN;
  memcpy(normal.quat, unit, sizeof unit);
  if (x.sensor_size[0] || x.sensor_size[1]) {
    const size_t lens = offsetof(mjsCamera, userdata) - offsetof(mjsCamera, intrinsic);
    if (memcmp(x.intrinsic, normal.intrinsic, lens)) {
      memset(normal.sensor_size, 0, sizeof(normal.sensor_size));
      memset(normal.resolution, 0, sizeof(normal.resolution));
      memset(normal.focal_length, 0, sizeof(normal.focal_length));
      memset(normal.focal_pixel, 0, sizeof(normal.focal_pixel));
      memset(normal.principal_length, 0, sizeof(normal.principal_length));
      memset(normal.principal_pixel, 0, sizeof(normal.principal_pixel));
    }
    x.fovy = normal.fovy;
  }
  text_open(&w->text, "camera");
  write_identity(w, e, class);
  write_values(w, table_child(&table_body, "camera"), write_order_camera, &x, &normal);
  text_close(&w->text, "camera");
}

static void write_light(snWriter* w, const snElement* e, const snElement* class) {
  mjsLight normal = e->def->class[snCLASS_LIGHT]->u.light;
  normal.pos[0] = normal.dir[0] = NAN;
  text_open(&w->text, "light");
  write_identity(w, e, class);
  write_values(w, table_child(&table_body, "light"), write_order_light, &e->u.light, &normal);
  text_close(&w->text, "light");
}

static void write_body(snWriter* w, const snElement* e, const snElement* class);

// ---- frames
typedef void (*snWriteChild)(snWriter*, const snElement*, const snElement*);
static const struct {
  int slot;
  snWriteChild write;
} kKinds[] = {{snCHILD_JOINT, write_joint}, {snCHILD_GEOM, write_geom},
              {snCHILD_SITE, write_site},   {snCHILD_CAMERA, write_camera},
              {snCHILD_LIGHT, write_light}, {snCHILD_BODY, write_body}};

static bool is_said(const snElement* frame) {
  return string_size(&frame->name) || !string_empty(frame->u.frame_.childclass);
}

// Opens a frame, with its name the first time; returns the class in effect inside of it.
static const snElement* open_frame(snWriter* w, snElement* f, const snElement* class) {
  const char* name = string_text(f->u.frame_.childclass);
  const mjsDefault* def = name[0] ? mjs_findDefault((mjSpec*)&w->spec->pub, name) : NULL;
  text_open(&w->text, "frame");
  if (string_size(&f->name) && !f->mark) text_string(&w->text, "name", string_text(&f->name));
  if (def) text_string(&w->text, "childclass", name);
  f->mark = 1;
  return def ? element_of(def->element) : class;
}

// Writes the elements of a body by frames. Each list is traversed once, so that elements of a type
// keep their order. Without a writer, only finds out whether all elements are reached this way.
typedef struct Walk_ {
  snWriter* w;  // NULL: dry run
  const snElement* body;
  int next[snNCHILD];
} Walk;

static void walk_frame(Walk* at, const snElement* frame, const snElement* class) {
  const snList* child = at->body->child;
  for (int k = 0; k < snCOUNT(kKinds); k++) {
    int slot = kKinds[k].slot;
    if (slot == snCHILD_BODY) {
      if (at->w && !frame) write_plugin(at->w, &at->body->u.body.plugin);
      int* i = &at->next[snCHILD_FRAME];
      while (*i < child[snCHILD_FRAME].n && child[snCHILD_FRAME].item[*i]->frame == frame) {
        snElement* f = child[snCHILD_FRAME].item[(*i)++];
        bool said = at->w && is_said(f);
        walk_frame(at, f, said ? open_frame(at->w, f, class) : class);
        if (said) text_close(&at->w->text, "frame");
      }
    }
    int* i = &at->next[slot];
    for (; *i < child[slot].n && child[slot].item[*i]->frame == frame; (*i)++) {
      if (at->w) kKinds[k].write(at->w, child[slot].item[*i], class);
    }
  }
}

static bool walk_reaches_all(const snElement* body) {
  Walk look = {.body = body};
  walk_frame(&look, NULL, NULL);
  bool all = true;
  for (int k = 0; k < snNCHILD; k++) all = all && look.next[k] == body->child[k].n;
  return all;
}

enum { kDeepest = 64 };  // nesting of frames

typedef struct Frames_ {
  snWriter* w;
  const snElement* open[kDeepest];
  const snElement* class[kDeepest + 1];  // class in effect inside of each
  int n;
} Frames;

static int chain_of(const snElement* frame, const snElement* chain[kDeepest]) {
  int n = 0;
  for (const snElement* f = frame; f && n < kDeepest; f = f->frame) n += is_said(f);
  int i = n;
  for (const snElement* f = frame; f && i > 0; f = f->frame) {
    if (is_said(f)) chain[--i] = f;
  }
  return n;
}

static void enter(Frames* s, const snElement* frame) {
  const snElement* chain[kDeepest];
  int n = chain_of(frame, chain), same = 0;
  while (same < n && same < s->n && chain[same] == s->open[same]) same++;
  for (; s->n > same; s->n--) text_close(&s->w->text, "frame");
  for (; s->n < n; s->n++) {
    snElement* f = (snElement*)chain[s->n];
    s->open[s->n] = f;
    s->class[s->n + 1] = open_frame(s->w, f, s->class[s->n]);
  }
}

static void write_contents(snWriter* w, const snElement* body, const snElement* class) {
  const snList* all = body->child + snCHILD_FRAME;
  for (int i = 0; i < all->n; i++) all->item[i]->mark = 0;
  if (walk_reaches_all(body)) {
    Walk write = {.w = w, .body = body};
    walk_frame(&write, NULL, class);
    return;
  }
  Frames frames = {.w = w, .class = {class}};
  for (int k = 0; k < snCOUNT(kKinds); k++) {
    const snList* list = body->child + kKinds[k].slot;
    if (kKinds[k].slot == snCHILD_BODY) {
      enter(&frames, NULL);
      write_plugin(w, &body->u.body.plugin);
    }
    for (int i = 0; i < list->n; i++) {
      enter(&frames, list->item[i]->frame);
      kKinds[k].write(w, list->item[i], frames.class[frames.n]);
    }
  }
  // named frames without contents
  for (int i = 0; i < all->n; i++) {
    if (string_size(&all->item[i]->name) && !all->item[i]->mark) enter(&frames, all->item[i]);
  }
  enter(&frames, NULL);
}

// An attached model infers inertias by its own settings; a document has only one place for them.
static bool infers_otherwise(const snWriter* w, const snElement* e) {
  if (!e->source) return false;
  const mjsCompiler *own = &e->source->compiler, *file = &w->spec->pub.compiler;
  return own->boundmass != file->boundmass || own->boundinertia != file->boundinertia ||
         own->balanceinertia != file->balanceinertia ||
         own->inertiagrouprange[0] != file->inertiagrouprange[0] ||
         own->inertiagrouprange[1] != file->inertiagrouprange[1];
}

bool write_final_inertia(const snWriter* w) {
  const mjsCompiler* c = &w->spec->pub.compiler;
  if (c->boundmass <= 0 && c->boundinertia <= 0 && c->settotalmass <= 0) return false;
  if (c->saveinertial) return true;
  mjSpec* s = (mjSpec*)&w->spec->pub;
  mjsElement* e = mjs_firstElement(s, mjOBJ_BODY);
  while (e && !infers_otherwise(w, element_of(e))) e = mjs_nextElement(s, e);
  return e;
}

static void write_body(snWriter* w, const snElement* e, const snElement* class) {
  mjsBody plain;
  mjs_defaultBody(&plain);
  text_open(&w->text, "body");
  if (string_size(&e->name)) text_string(&w->text, "name", string_text(&e->name));
  if (e->def && e->def != class) text_string(&w->text, "childclass", string_text(&e->def->name));
  write_values(w, &table_body, "pos quat mocap gravcomp user", &e->u.body, &plain);
  const mjsCompiler* file = &w->spec->pub.compiler;
  bool otherwise = w->final_inertia || infers_otherwise(w, e) ||
                   (file->saveinertial && file->fusestatic && write_model(w));
  bool given = e->u.body.explicitinertial || e->u.body.mass > 0, placed = !isnan(e->u.body.ipos[0]);
  if (given && placed && !otherwise) {
    write_inertial(w, e);
  } else if (given || otherwise || file->saveinertial) {
    write_found_inertial(w, e);
  }
  write_contents(w, e, e->def ? e->def : class);
  text_close(&w->text, "body");
}

void write_world(snWriter* w) {
  text_open(&w->text, "worldbody");
  write_contents(w, w->spec->world, w->spec->main);
  text_close(&w->text, "worldbody");
}
