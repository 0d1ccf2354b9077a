// Fuzz target: bytes as a program that edits models. One byte or a few select a documented call and
// its arguments, among three specs and all their elements; some allocations fail. Nothing may
// crash, leak or hang, and a refused call changes nothing.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <sinew/budget.h>
#include "spec/spec.h"

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size);

enum { NSPEC = 3, MOST_CALLS = 60, MOST_ELEMENTS = 3000 };

typedef struct {
  const uint8_t *at, *end;
  mjSpec* spec[NSPEC];
  mjModel* model;  // of spec 0
  mjData* data;
} Program;

// ---- choices
static unsigned pick(Program* p, unsigned n) {
  unsigned byte = p->at < p->end ? *p->at++ : 0;
  return byte % n;
}

static const char* pick_name(Program* p) {
  static const char* const names[] = {
      "a", "b", "c", "xa", "a-y", "world", "main", "", "long names are kept apart"};
  return names[pick(p, sizeof names / sizeof *names)];
}

static double pick_number(Program* p) {
  static const double numbers[] = {0, 1, -1, 0.1, 2.5, 1e-9, 1e10, -1e300, 45, 3, NAN, INFINITY};
  return numbers[pick(p, sizeof numbers / sizeof *numbers)];
}

// mostly small, so that models compile
static double pick_size(Program* p) { return pick(p, 8) ? 0.1 * (1 + pick(p, 4)) : pick_number(p); }

static int pick_int(Program* p) {
  static const int numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, -1, 100, 2147483647};
  return numbers[pick(p, sizeof numbers / sizeof *numbers)];
}

static mjSpec* pick_spec(Program* p) { return p->spec[pick(p, NSPEC)]; }

static mjsElement* pick_element(Program* p, mjSpec* s, mjtObj type) {
  mjsElement* e = mjs_firstElement(s, type);
  for (unsigned n = pick(p, 16); e && n; n--) {
    mjsElement* next = mjs_nextElement(s, e);
    if (!next) break;
    e = next;
  }
  return e;
}

static mjsBody* pick_body(Program* p, mjSpec* s) {
  return mjs_asBody(pick_element(p, s, mjOBJ_BODY));
}

static mjsDefault* pick_class(Program* p, mjSpec* s) {
  mjsDefault* def = pick(p, 2) ? mjs_findDefault(s, pick_name(p)) : NULL;
  return def;
}

static const mjtObj kTypes[] = {
    mjOBJ_BODY,     mjOBJ_FRAME,   mjOBJ_JOINT,   mjOBJ_GEOM,     mjOBJ_SITE,   mjOBJ_CAMERA,
    mjOBJ_LIGHT,    mjOBJ_FLEX,    mjOBJ_MESH,    mjOBJ_SKIN,     mjOBJ_HFIELD, mjOBJ_TEXTURE,
    mjOBJ_MATERIAL, mjOBJ_PAIR,    mjOBJ_EXCLUDE, mjOBJ_EQUALITY, mjOBJ_TENDON, mjOBJ_ACTUATOR,
    mjOBJ_SENSOR,   mjOBJ_NUMERIC, mjOBJ_TEXT,    mjOBJ_TUPLE,    mjOBJ_KEY,    mjOBJ_PLUGIN};
enum { NTYPES = sizeof kTypes / sizeof *kTypes };

static mjsElement* pick_any(Program* p, mjSpec* s) {
  return pick_element(p, s, kTypes[pick(p, NTYPES)]);
}

// ---- a spec in one number, for "as it was"
static uint64_t hash_text(uint64_t h, const mjString* text) {
  return hash_bytes(string_text(text), string_size(text), h);
}

static uint64_t hash_doubles(uint64_t h, const mjDoubleVec* v) {
  return hash_bytes(doubles_data(v), (size_t)doubles_count(v) * sizeof(double), h + 1);
}

static uint64_t hash_element(uint64_t h, const snElement* e) {
  h = hash_bytes(&e, sizeof e, h);
  h = hash_text(h, &e->name);
  h = hash_bytes(&e->frame, sizeof e->frame, h);
  h = hash_bytes(&e->parent, sizeof e->parent, h);
  h = hash_bytes(&e->def, sizeof e->def, h);
  if (e->base.elemtype == mjOBJ_KEY) {
    const mjsKey* k = &e->u.key;
    h = hash_doubles(hash_doubles(hash_doubles(h, k->qpos), k->qvel), k->ctrl);
    h = hash_bytes(&e->npart, sizeof e->npart, h);
  }
  if (e->base.elemtype == mjOBJ_BODY) h = hash_text(h, e->u.body.childclass);
  if (e->base.elemtype == mjOBJ_ACTUATOR) h = hash_text(h, e->u.actuator.target);
  int nlist = !e->child ? 0 : e->base.elemtype == mjOBJ_BODY ? snNCHILD : 1;
  for (int k = 0; k < nlist; k++) {
    for (int i = 0; i < e->child[k].n; i++) h = hash_element(h, e->child[k].item[i]);
  }
  return h;
}

static uint64_t hash_spec(const mjSpec* s) {
  const snSpec* spec = spec_of(s);
  uint64_t h = hash_element(hash_element(1, spec->world), spec->main);
  for (int k = 0; k < mjNOBJECT; k++) {
    for (int i = 0; i < spec->list[k].n; i++) h = hash_element(h, spec->list[k].item[i]);
  }
  for (int i = 0; i < spec->frames.n; i++) h = hash_bytes(&spec->frames.item[i], sizeof(void*), h);
  h = hash_bytes(&spec->nnames, sizeof spec->nnames, h);
  h = hash_bytes(&spec->nelement, sizeof spec->nelement, h);
  return hash_bytes(&spec->element.base.signature, sizeof(uint64_t), h);
}

static void check(bool truth, const char* what) {
  if (truth) return;
  fprintf(stderr, "fuzz_spec: %s\n", what);
  abort();
}

// ---- calls
static void add_on_body(Program* p) {
  mjSpec* s = pick_spec(p);
  mjsBody* body = pick_body(p, s);
  mjsDefault* def = pick_class(p, pick(p, 8) ? s : pick_spec(p));
  mjsElement* e = NULL;
  switch (pick(p, 8)) {
    case 0: {
      mjsBody* x = mjs_addBody(body, def);
      if (!x) return;
      for (int i = 0; i < 3; i++) x->pos[i] = pick_size(p);
      x->mocap = !pick(p, 8);
      if (!pick(p, 6)) x->explicitinertial = 1, x->mass = pick_size(p), x->inertia[0] = 1;
      e = x->element;
      break;
    }
    case 1: {
      mjsElement* around = pick(p, 2) ? pick_element(p, s, mjOBJ_FRAME) : NULL;
      mjsFrame* x = mjs_addFrame(body, mjs_asFrame(around));
      if (!x) return;
      x->pos[0] = pick_size(p);
      x->alt.type = (mjtOrientation)pick(p, 5);
      e = x->element;
      break;
    }
    case 2: {
      mjsJoint* x = pick(p, 4) ? mjs_addJoint(body, def) : mjs_addFreeJoint(body);
      if (!x) return;
      if (pick(p, 3)) x->type = (mjtJoint)pick(p, 5);
      x->range[1] = pick_number(p);
      e = x->element;
      break;
    }
    case 3:
    case 4: {
      mjsGeom* x = mjs_addGeom(body, def);
      if (!x) return;
      x->type = (mjtGeom)pick(p, 10);
      for (int i = 0; i < 3; i++) x->size[i] = pick_size(p);
      if (!pick(p, 4)) mjs_setString(x->meshname, pick_name(p));
      if (!pick(p, 4)) mjs_setString(x->material, pick_name(p));
      if (!pick(p, 16)) x->plugin.active = 1, mjs_setString(x->plugin.plugin_name, pick_name(p));
      e = x->element;
      break;
    }
    case 5: {
      mjsSite* x = mjs_addSite(body, def);
      if (!x) return;
      e = x->element;
      break;
    }
    case 6: {
      mjsCamera* x = mjs_addCamera(body, def);
      if (!x) return;
      x->resolution[0] = (float)pick_number(p);
      x->mode = (mjtCamLight)pick(p, 6);
      mjs_setString(x->targetbody, pick_name(p));
      e = x->element;
      break;
    }
    default: {
      mjsLight* x = mjs_addLight(body, def);
      if (!x) return;
      e = x->element;
    }
  }
  if (pick(p, 2)) mjs_setName(e, pick_name(p));
  if (!pick(p, 3)) mjs_setFrame(e, mjs_asFrame(pick_element(p, s, mjOBJ_FRAME)));
}

static void fill_mesh(Program* p, mjsMesh* x) {
  static const float tetrahedron[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  if (pick(p, 4)) mjs_setFloat(x->uservert, tetrahedron, 12);
  int face[3] = {pick_int(p), 1, 2};
  if (!pick(p, 4)) mjs_setInt(x->userface, face, 3);
  x->scale[0] = pick_size(p);
}

static void fill_skin(Program* p, mjsSkin* x) {
  static const float vert[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  int face[3] = {0, 1, pick_int(p)};
  mjs_setFloat(x->vert, vert, 9);
  mjs_setInt(x->face, face, 3);
  for (unsigned n = pick(p, 3); n; n--) {
    mjs_appendString(x->bodyname, pick_name(p));
    mjs_appendIntVec(x->vertid, face, 3);
    mjs_appendFloatVec(x->vertweight, vert, 3);
    if (pick(p, 2)) mjs_setFloat(x->bindpos, vert, 3);
    if (pick(p, 2)) mjs_setFloat(x->bindquat, vert, 4);
  }
}

static void fill_flex(Program* p, mjsFlex* x) {
  int elem[4] = {0, 1, 2, pick_int(p)};
  double vert[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
  x->dim = pick_int(p);
  for (unsigned n = pick(p, 5); n; n--) mjs_appendString(x->vertbody, pick_name(p));
  mjs_setInt(x->elem, elem, 2 + (int)pick(p, 3));
  if (pick(p, 2)) mjs_setDouble(x->vert, vert, 3 * (int)pick(p, 5));
}

static void fill_key(Program* p, mjsKey* x) {
  double numbers[8];
  for (int i = 0; i < 8; i++) numbers[i] = 0.1 * i;
  mjs_setDouble(x->qpos, numbers, (int)pick(p, 9));
  if (!pick(p, 3)) mjs_setDouble(x->qvel, numbers, (int)pick(p, 9));
  if (!pick(p, 3)) mjs_setDouble(x->ctrl, numbers, (int)pick(p, 4));
  if (!pick(p, 3)) mjs_setDouble(x->mpos, numbers, (int)pick(p, 4));
}

static void fill_tendon(Program* p, mjsTendon* x) {
  for (unsigned n = pick(p, 4); n; n--) {
    switch (pick(p, 4)) {
      case 0:
        mjs_wrapSite(x, pick_name(p));
        break;
      case 1:
        mjs_wrapGeom(x, pick_name(p), pick_name(p));
        break;
      case 2:
        mjs_wrapJoint(x, pick_name(p), pick_number(p));
        break;
      default:
        mjs_wrapPulley(x, pick_number(p));
    }
  }
}

static void add_on_spec(Program* p) {
  mjSpec* s = pick_spec(p);
  mjsDefault* def = pick_class(p, s);
  mjsElement* e = NULL;
#define ADD(Name, ...)                       \
  mjs##Name* x = mjs_add##Name(__VA_ARGS__); \
  if (!x) return;                            \
  e = x->element
  switch (pick(p, 17)) {
    case 0: {
      ADD(Actuator, s, def);
      x->trntype = (mjtTrn)pick(p, 8);
      x->dyntype = (mjtDyn)pick(p, 6);
      x->actdim = pick(p, 8) ? -1 : pick_int(p);
      mjs_setString(x->target, pick_name(p));
      mjs_setString(x->refsite, pick_name(p));
      break;
    }
    case 1: {
      ADD(Sensor, s);
      x->type = (mjtSensor)pick(p, 50);
      x->objtype = kTypes[pick(p, NTYPES)];
      mjs_setString(x->objname, pick_name(p));
      x->dim = pick_int(p);
      break;
    }
    case 2: {
      ADD(Flex, s);
      fill_flex(p, x);
      break;
    }
    case 3: {
      ADD(Pair, s, def);
      mjs_setString(x->geomname1, pick_name(p));
      mjs_setString(x->geomname2, pick_name(p));
      break;
    }
    case 4: {
      ADD(Equality, s, def);
      x->type = (mjtEq)pick(p, 9);
      mjs_setString(x->name1, pick_name(p));
      mjs_setString(x->name2, pick_name(p));
      break;
    }
    case 5: {
      ADD(Exclude, s);
      mjs_setString(x->bodyname1, pick_name(p));
      mjs_setString(x->bodyname2, pick_name(p));
      break;
    }
    case 6: {
      ADD(Tendon, s, def);
      fill_tendon(p, x);
      break;
    }
    case 7: {
      ADD(Numeric, s);
      x->size = pick_int(p);
      break;
    }
    case 8: {
      ADD(Text, s);
      mjs_setString(x->data, pick_name(p));
      break;
    }
    case 9: {
      ADD(Tuple, s);
      int type = kTypes[pick(p, NTYPES)];
      double prm = 1;
      mjs_setInt(x->objtype, &type, 1);
      if (pick(p, 8)) mjs_setDouble(x->objprm, &prm, 1);
      if (pick(p, 8)) mjs_appendString(x->objname, pick_name(p));
      break;
    }
    case 10: {
      ADD(Key, s);
      fill_key(p, x);
      break;
    }
    case 11: {
      ADD(Plugin, s);
      mjs_setString(x->plugin_name, pick_name(p));
      break;
    }
    case 12: {
      ADD(Mesh, s, def);
      fill_mesh(p, x);
      break;
    }
    case 13: {
      ADD(HField, s);
      float data[4] = {0, 1, 2, 3};
      x->nrow = x->ncol = 2;
      if (!pick(p, 4)) x->ncol = pick_int(p);
      for (int i = 0; i < 4; i++) x->size[i] = pick_size(p);
      if (pick(p, 4)) mjs_setFloat(x->userdata, data, 4);
      break;
    }
    case 14: {
      ADD(Skin, s);
      fill_skin(p, x);
      break;
    }
    case 15: {
      ADD(Texture, s);
      x->type = pick(p, 8);
      x->builtin = pick(p, 5);
      x->width = x->height = 4;
      if (!pick(p, 4)) x->height = pick_int(p);
      x->nchannel = pick_int(p);
      x->gridsize[0] = pick_int(p);
      break;
    }
    default: {
      ADD(Material, s, def);
      mjs_setInStringVec(x->textures, (int)pick(p, 10), pick_name(p));
    }
  }
#undef ADD
  if (pick(p, 3)) mjs_setName(e, pick_name(p));
}

static void add_class(Program* p) {
  mjSpec* s = pick_spec(p);
  mjsDefault* parent = pick_class(p, pick(p, 8) ? s : pick_spec(p));
  mjsDefault* def = mjs_addDefault(s, pick_name(p), parent);
  if (def) def->geom->size[0] = pick_size(p);
}

static void change(Program* p) {
  mjSpec* s = pick_spec(p);
  mjsElement* e = pick_any(p, s);
  switch (pick(p, 8)) {
    case 0:
      if (e) mjs_setName(e, pick_name(p));
      break;
    case 1:
      if (e) mjs_setFrame(e, mjs_asFrame(pick_element(p, pick_spec(p), mjOBJ_FRAME)));
      break;
    case 2: {
      mjsDefault* def = pick_class(p, pick_spec(p));
      if (e && def) mjs_setDefault(e, def);
      break;
    }
    case 3:
      mjs_setDeepCopy(s, (int)pick(p, 2));
      break;
    case 4:
      s->compiler.fusestatic = (mjtByte)pick(p, 2);
      s->compiler.discardvisual = (mjtByte)pick(p, 2);
      s->compiler.inertiafromgeom = (int)pick(p, 3);
      s->compiler.settotalmass = pick_number(p);
      break;
    case 5:
      if (e) mjs_setUserValue(e, pick_name(p), p);
      break;
    case 6:
      if (e) mjs_setString(mjs_getName(e), pick_name(p));
      break;
    default:
      mjs_setString(s->modelname, pick_name(p));
      s->memory = (size_t)pick(p, 3) - 1;
      s->nkey = pick_int(p) % 10;
      s->njmax = pick_int(p);
      s->nuserdata = pick_int(p) % 1000;
  }
}

static void look(Program* p) {
  mjSpec* s = pick_spec(p);
  mjsBody* body = pick_body(p, s);
  mjsElement* e = pick_any(p, pick(p, 4) ? s : pick_spec(p));
  mjs_findElement(s, kTypes[pick(p, NTYPES)], pick_name(p));
  mjs_findChild(body, pick_name(p));
  mjs_findSpec(s, pick_name(p));
  mjs_getParent(e);
  mjs_getFrame(e);
  mjs_getDefault(e);
  mjs_getId(e);
  mjs_nextChild(body, e, (int)pick(p, 2));
  mjs_nextElement(pick_spec(p), e);
  for (mjsElement* c = mjs_firstChild(body, kTypes[pick(p, NTYPES)], 1); c;) {
    c = mjs_nextChild(body, c, 1);
  }
}

static void delete (Program* p) {
  mjSpec* s = pick_spec(p);
  mjsElement* e = pick(p, 8) ? pick_any(p, pick(p, 8) ? s : pick_spec(p)) : NULL;
  mjsDefault* def = e ? NULL : pick_class(p, s);
  if (def && pick(p, 4) == 0)
    e = def->geom->element;
  else if (def)
    e = def->element;
  mjs_delete(s, e);
}

static void attach(Program* p, bool short_of_memory) {
  mjSpec *to = pick_spec(p), *from = pick_spec(p);
  static const mjtObj parents[] = {mjOBJ_FRAME, mjOBJ_SITE, mjOBJ_BODY, mjOBJ_GEOM};
  static const mjtObj children[] = {mjOBJ_BODY, mjOBJ_FRAME, mjOBJ_GEOM};
  mjsElement* parent = pick_element(p, to, parents[pick(p, 4)]);
  mjsElement* child = pick(p, 4) ? pick_element(p, from, children[pick(p, 3)]) : from->element;
  if (!parent || !child) return;
  if (spec_of(to)->nelement + spec_of(from)->nelement > MOST_ELEMENTS) return;
  const char *prefix = pick_name(p), *suffix = pick_name(p);
  uint64_t before[2] = {hash_spec(to), hash_spec(from)};
  if (short_of_memory) memory_fail_at(1 + (long)pick(p, 256));
  mjsElement* made = mjs_attach(parent, child, prefix, suffix);
  memory_fail_at(0);
  if (!made) {
    check(hash_spec(to) == before[0], "a refused attachment changed its target");
    check(hash_spec(from) == before[1], "a refused attachment changed its child");
  }
}

static void compile(Program* p, bool short_of_memory) {
  mjSpec* s = pick_spec(p);
  uint64_t before = hash_spec(s);
  if (short_of_memory) memory_fail_at(1 + (long)pick(p, 256) * (1 + (long)pick(p, 8)));
  mjModel* m = mj_compile(s, NULL);
  memory_fail_at(0);
  if (!m) {
    check(hash_spec(s) == before, "a refused compilation changed its spec");
    return;
  }
  mjData* d = m->nv < 60 ? mj_makeData(m) : NULL;
  if (d) mj_forward(m, d);
  if (pick(p, 2)) mj_copyBack(s, m);
  mj_deleteData(d);
  mj_deleteModel(m);
}

static void recompile(Program* p, bool short_of_memory) {
  mjSpec* s = p->spec[0];
  if (!p->model) {
    p->model = mj_compile(s, NULL);
    p->data = p->model ? mj_makeData(p->model) : NULL;
    return;
  }
  if (short_of_memory) memory_fail_at(1 + (long)pick(p, 256));
  mj_recompile(s, NULL, p->model, p->data);
  memory_fail_at(0);
  if (p->data && p->model->nv < 60) mj_forward(p->model, p->data);
}

static void save(Program* p) {
  static char text[1 << 16];
  mjSpec* s = pick_spec(p);
  char error[200];
  if (mj_saveXMLString(s, text, sizeof text, error, sizeof error) != 0) return;
  mjSpec* again = mj_parseXMLString(text, NULL, error, sizeof error);
  mj_deleteSpec(again);
}

static void copy(Program* p, bool short_of_memory) {
  unsigned i = pick(p, NSPEC), k = pick(p, NSPEC);
  if (spec_of(p->spec[i])->nelement > MOST_ELEMENTS) return;
  if (short_of_memory) memory_fail_at(1 + (long)pick(p, 256));
  mjSpec* made = mj_copySpec(p->spec[i]);
  memory_fail_at(0);
  if (!made) return;
  if (k == 0) {
    // the program's model is of the spec that goes
    mj_deleteData(p->data);
    mj_deleteModel(p->model);
    p->data = NULL;
    p->model = NULL;
  }
  mj_deleteSpec(p->spec[k]);
  p->spec[k] = made;
}

static void body_to_frame(Program* p) {
  mjsBody* body = pick_body(p, pick_spec(p));
  mjs_bodyToFrame(&body);
}

static void call(Program* p) {
  unsigned what = pick(p, 32);
  bool short_of_memory = p->at < p->end && *p->at % 16 == 7;
  if (what < 9) {
    add_on_body(p);
  } else if (what < 15) {
    add_on_spec(p);
  } else if (what == 15) {
    add_class(p);
  } else if (what < 18) {
    change(p);
  } else if (what == 18) {
    look(p);
  } else if (what < 21) {
    delete (p);
  } else if (what < 26) {
    attach(p, short_of_memory);
  } else if (what < 28) {
    compile(p, short_of_memory);
  } else if (what == 28) {
    recompile(p, short_of_memory);
  } else if (what == 29) {
    save(p);
  } else if (what == 30) {
    copy(p, short_of_memory);
  } else {
    body_to_frame(p);
  }
}

static void no_word(const char* text) { (void)text; }

int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  mju_user_error = mju_user_warning = no_word;
  Program p = {.at = bytes, .end = bytes + size};
  for (int i = 0; i < NSPEC; i++) p.spec[i] = mj_makeSpec();
  for (int n = 0; p.at < p.end && n < MOST_CALLS; n++) call(&p);
  mj_deleteData(p.data);
  mj_deleteModel(p.model);
  for (int i = 0; i < NSPEC; i++) mj_deleteSpec(p.spec[i]);
  return 0;
}
