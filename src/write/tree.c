// The kinematic tree. Elements keep the order of their kind, for it is the order of ids: a frame is
// opened wherever the next element of a kind is inside it, and takes its name the first time.
#include <math.h>
#include <string.h>

#include "write/write.h"

enum { kDeepest = 64 };  // frames inside frames

typedef struct Frames_ {
  snWriter* w;
  const snElement* open[kDeepest];
  int n;
} Frames;

static int chain_of(const snElement* frame, const snElement* chain[kDeepest]) {
  int n = 0;
  for (const snElement* f = frame; f && n < kDeepest; f = f->frame) n++;
  int i = n;
  for (const snElement* f = frame; f && i > 0; f = f->frame) chain[--i] = f;
  return n;
}

static void enter(Frames* s, const snElement* frame) {
  const snElement* chain[kDeepest];
  int n = chain_of(frame, chain), same = 0;
  while (same < n && same < s->n && chain[same] == s->open[same]) same++;
  while (s->n > same) {
    text_close(&s->w->text, "frame");
    s->n--;
  }
  for (; s->n < n; s->n++) {
    snElement* f = (snElement*)chain[s->n];
    mjsFrame plain;
    mjs_defaultFrame(&plain);
    text_open(&s->w->text, "frame");
    if (string_size(&f->name) && !f->mark) text_string(&s->w->text, "name", string_text(&f->name));
    f->mark = 1;
    write_values(s->w, &table_frame, &f->u.frame_, &plain, f);
    s->open[s->n] = f;
  }
}

static void write_inertial(snWriter* w, const snElement* e) {
  mjsBody plain, x = e->u.body;
  mjs_defaultBody(&plain);
  if (!isnan(x.fullinertia[0])) {
    memcpy(x.iquat, plain.iquat, sizeof(x.iquat));
    x.ialt = plain.ialt;
  }
  text_open(&w->text, "inertial");
  // the table calls the orientation quat: its alternative is the inertial's own
  write_values(w, table_child(&table_body, "inertial"), &x, &plain, e);
  text_close(&w->text, "inertial");
}

// What the compiler made of the geoms, for compiler/saveinertial.
static void write_found_inertial(snWriter* w, const snElement* e) {
  const mjModel* m = write_model(w);
  int i = e->id;
  if (!m || i <= 0 || i >= m->nbody) return;
  if (m->body_mass[i] <= 0 && m->body_inertia[3 * i] <= 0) return;  // bounds may give one alone
  text_open(&w->text, "inertial");
  text_doubles(&w->text, "pos", m->body_ipos + 3 * i, 3);
  text_doubles(&w->text, "quat", m->body_iquat + 4 * i, 4);
  text_doubles(&w->text, "mass", m->body_mass + i, 1);
  text_doubles(&w->text, "diaginertia", m->body_inertia + 3 * i, 3);
  text_close(&w->text, "inertial");
}

static bool plain_free_joint(const snElement* e) {
  mjsJoint x = e->u.joint, plain;
  if (x.type != mjJNT_FREE) return false;
  mjs_defaultJoint(&plain);
  plain.type = mjJNT_FREE;
  plain.group = x.group;
  plain.align = x.align;
  plain.element = x.element;
  if (doubles_count(x.userdata)) return false;
  plain.userdata = x.userdata;
  plain.info = x.info;
  return !memcmp(&plain, &x, sizeof(x));
}

static void write_joint(snWriter* w, const snElement* e, const snElement* class) {
  if (plain_free_joint(e)) {
    mjsJoint plain;
    mjs_defaultJoint(&plain);
    text_open(&w->text, "freejoint");
    if (string_size(&e->name)) text_string(&w->text, "name", string_text(&e->name));
    write_values(w, table_child(&table_body, "freejoint"), &e->u.joint, &plain, e);
    text_close(&w->text, "freejoint");
    return;
  }
  text_open(&w->text, "joint");
  write_identity(w, e, class);
  write_values(w, table_child(&table_body, "joint"), &e->u.joint,
               &e->def->class[snCLASS_JOINT] -> u.joint, e);
  text_close(&w->text, "joint");
}

static void write_geom(snWriter* w, const snElement* e, const snElement* class) {
  text_open(&w->text, "geom");
  write_identity(w, e, class);
  write_values(w, table_child(&table_body, "geom"), &e->u.geom,
               &e->def->class[snCLASS_GEOM] -> u.geom, e);
  write_plugin(w, &e->u.geom.plugin);
  text_close(&w->text, "geom");
}

static void write_site(snWriter* w, const snElement* e, const snElement* class) {
  text_open(&w->text, "site");
  write_identity(w, e, class);
  write_values(w, table_child(&table_body, "site"), &e->u.site,
               &e->def->class[snCLASS_SITE] -> u.site, e);
  text_close(&w->text, "site");
}

// A lens given by its sensor is written whole: its parts are not accepted alone.
static void write_camera(snWriter* w, const snElement* e, const snElement* class) {
  mjsCamera x = e->u.camera, normal = e->def->class[snCLASS_CAMERA]->u.camera;
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
  write_values(w, table_child(&table_body, "camera"), &x, &normal, e);
  text_close(&w->text, "camera");
}

static void write_light(snWriter* w, const snElement* e, const snElement* class) {
  text_open(&w->text, "light");
  write_identity(w, e, class);
  write_values(w, table_child(&table_body, "light"), &e->u.light,
               &e->def->class[snCLASS_LIGHT] -> u.light, e);
  text_close(&w->text, "light");
}

static void write_body(snWriter* w, const snElement* e, const snElement* class);

static void write_contents(snWriter* w, const snElement* body, const snElement* class) {
  static const struct {
    int slot;
    void (*write)(snWriter*, const snElement*, const snElement*);
  } kKinds[] = {{snCHILD_JOINT, write_joint}, {snCHILD_GEOM, write_geom},
                {snCHILD_SITE, write_site},   {snCHILD_CAMERA, write_camera},
                {snCHILD_LIGHT, write_light}, {snCHILD_BODY, write_body}};
  Frames frames = {.w = w};
  for (int i = 0; i < body->child[snCHILD_FRAME].n; i++)
    body->child[snCHILD_FRAME].item[i]->mark = 0;
  for (int k = 0; k < snCOUNT(kKinds); k++) {
    const snList* list = body->child + kKinds[k].slot;
    for (int i = 0; i < list->n; i++) {
      enter(&frames, list->item[i]->frame);
      kKinds[k].write(w, list->item[i], class);
    }
  }
  // frames with a name and nothing in them
  for (int i = 0; i < body->child[snCHILD_FRAME].n; i++) {
    const snElement* f = body->child[snCHILD_FRAME].item[i];
    if (string_size(&f->name) && !f->mark) enter(&frames, f);
  }
  enter(&frames, NULL);
}

// An attached model infers inertias by its own settings, for which a file has one place only.
static bool infers_otherwise(const snWriter* w, const snElement* e) {
  if (!e->source) return false;
  const mjsCompiler *own = &e->source->compiler, *file = &w->spec->pub.compiler;
  return own->boundmass != file->boundmass || own->boundinertia != file->boundinertia ||
         own->balanceinertia != file->balanceinertia ||
         own->inertiafromgeom != file->inertiafromgeom ||
         own->inertiagrouprange[0] != file->inertiagrouprange[0] ||
         own->inertiagrouprange[1] != file->inertiagrouprange[1];
}

bool write_final_inertia(const snWriter* w) {
  const mjsCompiler* c = &w->spec->pub.compiler;
  if (c->inertiafromgeom == mjINERTIAFROMGEOM_TRUE) return false;
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
  write_values(w, &table_body, &e->u.body, &plain, e);
  bool otherwise = w->final_inertia || infers_otherwise(w, e);
  bool given = e->u.body.explicitinertial || e->u.body.mass > 0, placed = !isnan(e->u.body.ipos[0]);
  if (given && placed && !otherwise) {
    write_inertial(w, e);
  } else if (given || otherwise || w->spec->pub.compiler.saveinertial) {
    write_found_inertial(w, e);
  }
  write_plugin(w, &e->u.body.plugin);
  write_contents(w, e, e->def ? e->def : class);
  text_close(&w->text, "body");
}

void write_world(snWriter* w) {
  text_open(&w->text, "worldbody");
  write_contents(w, w->spec->world, w->spec->main);
  text_close(&w->text, "worldbody");
}
