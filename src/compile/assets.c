// Assets in the compiler: files are located and opened in order, builders (asset.h) run in
// parallel, results are counted for the sizes of the model.
//
// Files are opened one after the other, because the virtual file system and resource providers
// belong to the program; only decoding and building run on threads. The error reported is that of
// the first asset in order, so it does not depend on the threads.
#include <math.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "compile/compile.h"
#include "compile/parallel_jobs.h"
#include "model/confine.h"
#include "model/resource.h"

// ---- files
// The folder in which a file of an element is looked up: the model's own, then meshdir or
// texturedir.
static char* asset_dir(const snElement* e, bool texture) {
  const snSpec* s = e->spec;
  const char* dir = e->source ? e->source->modelfiledir : string_text(&s->modelfiledir);
  const char* sub = e->source ? (texture ? e->source->texturedir : e->source->meshdir)
                              : (texture ? string_text(&s->texturedir) : string_text(&s->meshdir));
  return resource_join(dir, sub);
}

static const char* strip_path(const char* name) {
  const char* slash = strrchr(name, '/');
  const char* back = strrchr(slash ? slash : name, '\\');
  return back ? back + 1 : slash ? slash + 1 : name;
}

// The name under which a file is looked up and stored: without folders if strippath is set.
static const char* asset_name(const snElement* e, const char* name) {
  return (e->source ? e->source->strippath : e->spec->pub.strippath) ? strip_path(name) : name;
}

// The message gives the absolute folder: a relative one is ambiguous when the program was started
// elsewhere.
static bool open_error(snCompile* c, const snElement* e, char* dir, const snFault* fault) {
  // messages about confined models do not reveal folders
  bool confined = confine_active() || (e->source ? e->source->confined : e->spec->confined);
  char* full = confined ? NULL : system_resolve(*dir ? dir : ".");
  if (full) {
    compile_error(c, e, "%s (looked for in folder '%s')", fault->text, full);
  } else {
    compile_error(c, e, "%s", fault->text);
  }
  free(full);
  memory_free(dir);
  return false;
}

static bool open_file(snCompile* c, const snElement* e, const char* name, const mjString* type,
                      bool texture, snResource* r, snFile* file) {
  memset(file, 0, sizeof *file);
  if (!*name) return true;
  char* dir = asset_dir(e, texture);
  if (!dir) return compile_error(c, e, "out of memory");
  snFault fault = {0};
  const char* before = confine_spec(e->source ? e->source->confined : e->spec->confined);
  bool done = resource_open(r, c->vfs, dir, asset_name(e, name), RESOURCE_LIMIT, &fault);
  confine_spec(before);
  if (!done) return open_error(c, e, dir, &fault);
  memory_free(dir);
  file->name = asset_name(e, name);
  file->content_type = type && !string_empty(type) ? string_text(type) : NULL;
  file->bytes = r->data;
  file->size = r->bytes;
  return true;
}

// A builder's fault, with the element that it concerns.
static bool build_error(snCompile* c, const snElement* e, snFault* fault) {
  return compile_error(c, e, "%s", fault->raised ? fault->text : "out of memory");
}

// ---- textures and meshes: files are opened in order, then all are built in parallel
typedef struct snBuild_ {
  snCompile* c;
  snMeshSource* mesh;       // (nmesh)
  snFile (*image)[7];       // (ntexture) the single file, then six of a cube
  snResource* mesh_file;    // (nmesh)
  snIsosurface* surface;    // (nmesh) surfaces that plugins define
  snResource (*opened)[7];  // (ntexture)
  snFault* fault;           // (ntexture + nmesh)
  snJob* job;               // (ntexture + nmesh)
  atomic_size_t pixels;     // total bytes of the textures built so far
  int ntexture, nmesh;
} snBuild;

static bool open_images(snBuild* b, int i) {
  snCompile* c = b->c;
  const snElement* e = c->list[mjOBJ_TEXTURE].item[i];
  const mjsTexture* t = &e->u.texture;
  snFile* file = b->image[i];
  snResource* r = b->opened[i];
  // a procedural texture opens no file
  if (t->builtin != mjBUILTIN_NONE) {
    size_t high = t->height > t->width ? (size_t)t->height : t->width > 0 ? (size_t)t->width : 0;
    b->job[i] = (snJob){i, t->width > 0 ? (size_t)t->width * high : 0};
    return true;
  }
  int ncube = strings_count(t->cubefiles);
  bool done = open_file(c, e, string_text(t->file), t->content_type, true, &r[0], &file[0]);
  size_t weight = file[0].size;
  for (int k = 0; done && k < 6 && k < ncube; k++) {
    done = open_file(c, e, strings_at(t->cubefiles, k), t->content_type, true, &r[1 + k],
                     &file[1 + k]);
    weight += file[1 + k].size;
  }
  b->job[i] = (snJob){i, weight};
  return done;
}

static bool build_texture(snBuild* b, int i, snFault* fault) {
  const snElement* e = b->c->list[mjOBJ_TEXTURE].item[i];
  const mjsTexture* t = &e->u.texture;
  const snFile* file = b->image[i];
  bool any_cube = false;
  for (int k = 0; k < 6; k++) any_cube = any_cube || file[1 + k].bytes;
  // small files can decode to large images: stop when the sum no longer fits an int
  if (atomic_load(&b->pixels) > INT_MAX) return fault_raise(fault, "textures are larger than 2 GB");
  bool done = texture_build(
      &b->c->texture[i], string_text(&e->name), t, &file[0], any_cube ? file + 1 : NULL,
      bytes_count(t->data) ? bytes_data(t->data) : NULL, (size_t)bytes_count(t->data), fault);
  if (done) atomic_fetch_add(&b->pixels, b->c->texture[i].size);
  return done;
}

// What the geoms that use each mesh require. Geoms that collide only in explicit pairs get no hull,
// as released: collision then uses all vertices.
static void mesh_uses(snCompile* c, snMeshSource* source) {
  for (int i = 0; i < c->list[mjOBJ_GEOM].n; i++) {
    const snElement* e = c->list[mjOBJ_GEOM].item[i];
    const mjsGeom* g = &e->u.geom;
    const snElement* mesh = spec_find(c->spec, mjOBJ_MESH, string_text(g->meshname));
    if (!mesh) continue;
    snMeshSource* s = &source[mesh->id];
    bool shape = g->type == mjGEOM_MESH || g->type == mjGEOM_SDF;
    if (shape && (g->contype || g->conaffinity)) s->need_hull = true;
    if (g->type == mjGEOM_SDF) s->need_sdf = true;
  }
}

// The mesh of a plugin: settings of the instance as the plugin reads them, then its surface. A
// plugin without a distance formula of its own uses the mesh that the element gives.
static bool open_surface(snBuild* b, int i) {
  snCompile* c = b->c;
  const snElement* e = c->list[mjOBJ_MESH].item[i];
  const snElement* instance = compile_plugin(c, e, &e->u.mesh.plugin);
  if (!instance) return false;
  const char* name = string_text(instance->u.plugin.plugin_name);
  const mjpPlugin* plugin = mjp_getPlugin(name, NULL);
  if (!plugin) return compile_error(c, e, "unknown plugin '%s'", name);
  bool formula = plugin->sdf_staticdistance && plugin->sdf_attribute && plugin->sdf_aabb;
  bool given = !string_empty(e->u.mesh.file) || b->mesh[i].nvert;
  if ((plugin->capabilityflags & mjPLUGIN_SDF) && !plugin->sdf_staticdistance && given) return true;
  if (!(plugin->capabilityflags & mjPLUGIN_SDF) || !formula) {
    return compile_error(c, e, "plugin '%s' does not support meshes", name);
  }
  size_t n = (size_t)plugin->nattribute;
  mjtNum* attribute = memory_alloc_zero((n + 1) * sizeof *attribute);
  const char** key = memory_alloc((n + 1) * sizeof *key);
  const char** value = memory_alloc((n + 1) * sizeof *value);
  snFault fault = {0};
  bool ok = attribute && key && value;
  if (!ok) compile_error(c, e, "out of memory");
  for (size_t k = 0; ok && k < n; k++) {
    const char* given = plugin_get_attribute(instance, plugin->attributes[k]);
    key[k] = plugin->attributes[k];
    value[k] = given ? given : "";
  }
  if (ok) {
    plugin->sdf_attribute(attribute, key, value);
    for (size_t k = 0; k < n && ok; k++) {
      if (isfinite(attribute[k])) continue;
      ok = compile_error(c, e, "plugin '%s': invalid value '%s' of attribute '%s'", name, value[k],
                         key[k]);
    }
  }
  if (ok) {
    ok = isosurface_build(&b->surface[i], plugin, attribute, &fault) || build_error(c, e, &fault);
  }
  memory_free(attribute);
  memory_free(key);
  memory_free(value);
  snMeshSource* s = &b->mesh[i];
  s->vert = b->surface[i].vert, s->nvert = 3 * b->surface[i].nvert;
  s->normal = b->surface[i].normal, s->nnormal = 3 * b->surface[i].nvert;
  s->face = b->surface[i].face, s->nface = 3 * b->surface[i].nface;
  return ok;
}

static bool open_mesh(snBuild* b, int i) {
  snCompile* c = b->c;
  const snElement* e = c->list[mjOBJ_MESH].item[i];
  const mjsMesh* mesh = &e->u.mesh;
  snMeshSource* s = &b->mesh[i];
  s->name = string_text(&e->name);
  s->mesh = mesh;
  s->vert = floats_data(mesh->uservert), s->nvert = floats_count(mesh->uservert);
  s->normal = floats_data(mesh->usernormal), s->nnormal = floats_count(mesh->usernormal);
  s->texcoord = floats_data(mesh->usertexcoord), s->ntexcoord = floats_count(mesh->usertexcoord);
  s->face = ints_data(mesh->userface), s->nface = ints_count(mesh->userface);
  s->facetexcoord = ints_data(mesh->userfacetexcoord);
  s->nfacetexcoord = ints_count(mesh->userfacetexcoord);
  if (mesh->plugin.active && !open_surface(b, i)) return false;
  if (!open_file(c, e, string_text(mesh->file), mesh->content_type, false, &b->mesh_file[i],
                 &s->file)) {
    return false;
  }
  // building a hull costs about as much as reading the file
  size_t weight = s->file.size + 4 * (size_t)(s->nvert + s->nface);
  b->job[b->ntexture + i] = (snJob){b->ntexture + i, s->need_hull ? 2 * weight : weight};
  return true;
}

static void build_one(void* context, int i) {
  snBuild* b = context;
  if (i < b->ntexture) {
    build_texture(b, i, &b->fault[i]);
  } else {
    mesh_build(&b->c->mesh[i - b->ntexture], &b->mesh[i - b->ntexture], &b->fault[i]);
  }
}

// The reported fault is that of the first asset in order, whatever order threads ran in.
static bool first_fault(const snBuild* b) {
  for (int i = 0; i < b->ntexture + b->nmesh; i++) {
    const snElement* e = i < b->ntexture ? b->c->list[mjOBJ_TEXTURE].item[i]
                                         : b->c->list[mjOBJ_MESH].item[i - b->ntexture];
    if (b->fault[i].raised) return build_error(b->c, e, &b->fault[i]);
  }
  return true;
}

static bool build_textures_and_meshes(snCompile* c) {
  snBuild b = {.c = c, .ntexture = c->list[mjOBJ_TEXTURE].n, .nmesh = c->list[mjOBJ_MESH].n};
  size_t ntexture = (size_t)b.ntexture, nmesh = (size_t)b.nmesh, n = ntexture + nmesh;
  if (!n) return true;
  b.mesh = memory_alloc_zero(nmesh * sizeof *b.mesh);
  b.mesh_file = memory_alloc_zero(nmesh * sizeof *b.mesh_file);
  b.surface = memory_alloc_zero(nmesh * sizeof *b.surface);
  b.image = memory_alloc_zero(ntexture * sizeof *b.image);
  b.opened = memory_alloc_zero(ntexture * sizeof *b.opened);
  b.fault = memory_alloc_zero(n * sizeof *b.fault);
  b.job = memory_alloc_zero(n * sizeof *b.job);
  c->texture = memory_alloc_zero(ntexture * sizeof *c->texture);
  c->mesh = memory_alloc_zero(nmesh * sizeof *c->mesh);
  bool ok = b.surface && b.mesh && b.mesh_file && b.image && b.opened && b.fault && b.job &&
            c->texture && c->mesh;
  if (ok) {
    c->ntexture = b.ntexture;
    c->nmesh = b.nmesh;
    mesh_uses(c, b.mesh);
  } else {
    compile_error(c, NULL, "out of memory");
  }
  for (int i = 0; ok && i < b.ntexture; i++) ok = open_images(&b, i);
  for (int i = 0; ok && i < b.nmesh; i++) ok = open_mesh(&b, i);
  if (ok) {
    jobs_run(build_one, &b, b.job, (int)n, c->spec->pub.compiler.usethread ? 0 : 1);
    ok = first_fault(&b);
  }
  for (size_t i = 0; b.mesh_file && i < nmesh; i++) {
    if (b.mesh_file[i].data) resource_close(&b.mesh_file[i]);
  }
  for (size_t i = 0; b.opened && i < 7 * ntexture; i++) {
    if (b.opened[i / 7][i % 7].data) resource_close(&b.opened[i / 7][i % 7]);
  }
  memory_free(b.mesh);
  for (size_t i = 0; b.surface && i < nmesh; i++) isosurface_free(&b.surface[i]);
  memory_free(b.surface);
  memory_free(b.mesh_file);
  memory_free(b.image);
  memory_free(b.opened);
  memory_free(b.fault);
  memory_free(b.job);
  return ok;
}

// ---- height fields and skins
static bool build_hfield(snCompile* c, snElement* e, snHField* out) {
  const mjsHField* h = &e->u.hfield;
  snResource r = {0};
  snFile file;
  if (!open_file(c, e, string_text(h->file), h->content_type, false, &r, &file)) return false;
  for (int i = 0; i < 4; i++) {
    if (!(h->size[i] > 0)) {
      if (r.data) resource_close(&r);
      return compile_error(c, e, "size parameter is not positive in hfield");
    }
  }
  snFault fault = {0};
  bool done = hfield_build(out, string_text(&e->name), h, &file, floats_data(h->userdata),
                           floats_count(h->userdata), &fault) ||
              build_error(c, e, &fault);
  if (r.data) resource_close(&r);
  return done;
}

static bool build_skin(snCompile* c, snElement* e, snSkin* out) {
  const mjsSkin* k = &e->u.skin;
  int nbone = strings_count(k->bodyname);
  snResource r = {0};
  snSkinSource s = {.name = string_text(&e->name), .nbone = nbone};
  if (!open_file(c, e, string_text(k->file), NULL, false, &r, &s.file)) return false;
  s.vert = floats_data(k->vert), s.nvert = floats_count(k->vert);
  s.texcoord = floats_data(k->texcoord), s.ntexcoord = floats_count(k->texcoord);
  s.face = ints_data(k->face), s.nface = ints_count(k->face);
  s.bindpos = floats_data(k->bindpos), s.nbindpos = floats_count(k->bindpos);
  s.bindquat = floats_data(k->bindquat), s.nbindquat = floats_count(k->bindquat);
  size_t slots = (size_t)nbone + 1;
  void* block = memory_alloc_zero(slots * (3 * sizeof(void*) + 2 * sizeof(int)));
  if (!block) {
    if (r.data) resource_close(&r);
    return compile_error(c, e, "out of memory");
  }
  const char** name = block;
  const int** vertid = (const int**)(name + slots);
  const float** weight = (const float**)(vertid + slots);
  int* nvertid = (int*)(weight + slots);
  int* nweight = nvertid + slots;
  for (int i = 0; i < nbone; i++) {
    name[i] = strings_at(k->bodyname, i);
    if (i < vecs_count(k->vertid)) {
      vertid[i] = (const int*)vecs_at(k->vertid, i)->begin;
      nvertid[i] = ints_count(vecs_at(k->vertid, i));
    }
    if (i < vecs_count(k->vertweight)) {
      weight[i] = (const float*)vecs_at(k->vertweight, i)->begin;
      nweight[i] = floats_count(vecs_at(k->vertweight, i));
    }
  }
  s.bodyname = name;
  s.vertid = vertid, s.nvertid = nvertid;
  s.vertweight = weight, s.nvertweight = nweight;
  snFault fault = {0};
  bool done = skin_build(out, &s, &fault) || build_error(c, e, &fault);
  memory_free(block);
  if (r.data) resource_close(&r);
  return done;
}

bool compile_assets(snCompile* c) {
  snList* list = c->list;
  c->hfield = memory_alloc_zero((size_t)(list[mjOBJ_HFIELD].n + 1) * sizeof *c->hfield);
  c->skin = memory_alloc_zero((size_t)(list[mjOBJ_SKIN].n + 1) * sizeof *c->skin);
  if (!c->hfield || !c->skin) return compile_error(c, NULL, "out of memory");
  double bytes = 0;
  for (; c->nhfield < list[mjOBJ_HFIELD].n; c->nhfield++) {
    snElement* e = list[mjOBJ_HFIELD].item[c->nhfield];
    snHField* h = &c->hfield[c->nhfield];
    if (!build_hfield(c, e, h)) return false;
    bytes += (double)sizeof(float) * h->nrow * h->ncol;
    if (!budget_bytes(bytes, "the height fields", &c->fault)) {
      c->nhfield++;
      return false;
    }
    e->adr[0] = c->nhfield;
  }
  for (; c->nskin < list[mjOBJ_SKIN].n; c->nskin++) {
    snElement* e = list[mjOBJ_SKIN].item[c->nskin];
    if (!build_skin(c, e, &c->skin[c->nskin])) return false;
    e->adr[0] = c->nskin;
  }
  if (!build_textures_and_meshes(c)) return false;
  for (int i = 0; i < list[mjOBJ_TEXTURE].n; i++) list[mjOBJ_TEXTURE].item[i]->adr[0] = i;
  for (int i = 0; i < list[mjOBJ_MESH].n; i++) list[mjOBJ_MESH].item[i]->adr[0] = i;
  return true;
}

// ---- flexes need global poses of bodies at qpos0
static void global_frames(snCompile* c, mjtNum* xpos, mjtNum* xquat) {
  for (int i = 0; i < c->list[mjOBJ_BODY].n; i++) {
    const snElement* e = c->list[mjOBJ_BODY].item[i];
    vec3_copy(xpos + 3 * i, e->u.body.pos);
    quat_copy(xquat + 4 * i, e->u.body.quat);
    if (i)
      pose_through(xpos + 3 * e->parent->id, xquat + 4 * e->parent->id, xpos + 3 * i,
                   xquat + 4 * i);
  }
}

static bool body_ids(snCompile* c, const snElement* e, const mjStringVec* names, int* id) {
  for (int i = 0; i < strings_count(names); i++) {
    const snElement* b = spec_find(c->spec, mjOBJ_BODY, strings_at(names, i));
    if (!b) return compile_error(c, e, "unknown body '%s' in flex", strings_at(names, i));
    id[i] = b->id;
  }
  return true;
}

// Bending needs vertices that move freely: each on a body with three joints.
static bool check_bending(snCompile* c, const snElement* e, const int* body, int n) {
  const mjsFlex* f = &e->u.flex;
  if (f->dim != 2 || (f->elastic2d != 1 && f->elastic2d != 3)) return true;
  for (int i = 0; i < n; i++) {
    if (c->list[mjOBJ_BODY].item[body[i]]->child[snCHILD_JOINT].n != 3) {
      return compile_error(c, e, "pins are not supported for bending");
    }
  }
  return true;
}

static bool build_flex(snCompile* c, snElement* e, snFlexSource* s, snFlex* out) {
  const mjsFlex* f = &e->u.flex;
  s->name = string_text(&e->name);
  s->flex = f;
  s->vert = doubles_data(f->vert), s->nvert = doubles_count(f->vert);
  s->node = doubles_data(f->node), s->nnode = doubles_count(f->node);
  s->elem = ints_data(f->elem), s->nelem = ints_count(f->elem);
  s->texcoord = floats_data(f->texcoord), s->ntexcoord = floats_count(f->texcoord);
  s->elemtexcoord = ints_data(f->elemtexcoord), s->nelemtexcoord = ints_count(f->elemtexcoord);
  s->nvertbody = strings_count(f->vertbody);
  s->nnodebody = strings_count(f->nodebody);
  int* id = memory_alloc_zero((size_t)(s->nvertbody + s->nnodebody + 1) * sizeof *id);
  if (!id) return compile_error(c, e, "out of memory");
  s->vertbody = id;
  s->nodebody = id + s->nvertbody;
  snFault fault = {0};
  bool done = body_ids(c, e, f->vertbody, id) && body_ids(c, e, f->nodebody, id + s->nvertbody) &&
              check_bending(c, e, id, s->nvertbody) &&
              (flex_build(out, s, &fault) || build_error(c, e, &fault));
  memory_free(id);
  return done;
}

static bool build_flexes(snCompile* c) {
  int n = c->list[mjOBJ_FLEX].n, nbody = c->list[mjOBJ_BODY].n;
  if (!n) return true;
  c->flex = memory_alloc_zero((size_t)n * sizeof *c->flex);
  mjtNum* frames = memory_alloc((size_t)nbody * 7 * sizeof *frames);
  int* weld = memory_alloc((size_t)nbody * sizeof *weld);
  bool done = c->flex && frames && weld;
  if (!done) compile_error(c, NULL, "out of memory");
  if (done) {
    global_frames(c, frames, frames + 3 * nbody);
    for (int i = 0; i < nbody; i++) weld[i] = c->body[i].weld;
  }
  for (; done && c->nflex < n; c->nflex++) {
    snFlexSource s = {.xpos = frames, .xquat = frames + 3 * nbody, .weldid = weld, .nbody = nbody};
    done = build_flex(c, c->list[mjOBJ_FLEX].item[c->nflex], &s, &c->flex[c->nflex]);
  }
  memory_free(frames);
  memory_free(weld);
  return done;
}

// ---- bounding volume hierarchy of a body: its geoms, in the inertial frame
static bool build_body_bvh(snCompile* c, snElement* body) {
  snList* geoms = &body->child[snCHILD_GEOM];
  if (!geoms->n) return true;
  static const mjtNum point[6] = {0};
  mjtNum* box = memory_alloc((size_t)geoms->n * 6 * sizeof *box);
  mjtNum* place = memory_alloc((size_t)geoms->n * 3 * sizeof *place);
  int* id = memory_alloc((size_t)geoms->n * sizeof *id);
  bool done = box && place && id;
  if (!done) compile_error(c, NULL, "out of memory");
  int n = 0;
  for (int i = 0; done && i < geoms->n; i++) {
    const snElement* g = geoms->item[i];
    if (!g->u.geom.contype && !g->u.geom.conaffinity) continue;
    bvh_box_pose(box + 6 * n, c->geom[g->adr[0]].aabb, g->u.geom.pos, g->u.geom.quat,
                 body->u.body.ipos, body->u.body.iquat);
    mjtNum at[6];
    bvh_box_pose(at, point, g->u.geom.pos, g->u.geom.quat, body->u.body.ipos, body->u.body.iquat);
    vec3_copy(place + 3 * n, at);
    id[n++] = g->id;
  }
  if (done && n) {
    snFault fault = {0};
    done = bvh_build(&c->body[body->id].bvh, box, place, id, n, &fault) ||
           build_error(c, body, &fault);
  }
  memory_free(box);
  memory_free(place);
  memory_free(id);
  return done;
}

static snMesh* mesh_of(snCompile* c, int i) {
  return &c->mesh[c->list[mjOBJ_MESH].item[i]->adr[0]];
}

size_t asset_path(const snElement* e, const mjString* file, char* to) {
  if (string_empty(file)) return 0;
  char* path = resource_join(NULL, asset_name(e, string_text(file)));  // without "." and inner ".."
  if (!path) return ASSET_NO_MEMORY;
  size_t n = strlen(path) + 1;
  if (to) memcpy(to, path, n);
  memory_free(path);
  return n;
}

static bool add_path(snCompile* c, const snElement* e, const mjString* file, size_t* paths) {
  size_t n = asset_path(e, file, NULL);
  if (n == ASSET_NO_MEMORY) return compile_error(c, NULL, "out of memory");
  *paths += n;
  return true;
}

bool compile_asset_sizes(snCompile* c, mjModel* m) {
  if (!build_flexes(c)) return false;
  bool fits = true;
#define GROW(size, more) fits = fits && compile_grow(c, &m->size, more, #size)
  for (int i = 0; i < m->nbody; i++) {
    if (!build_body_bvh(c, c->list[mjOBJ_BODY].item[i])) return false;
    GROW(nbvhstatic, c->body[i].bvh.n);
  }
  // Dynamic nodes of flexes are counted from the end of the static ones, without a gap between.
  if (!m->nflex) m->nbvhstatic += c->spare_bvh;
  size_t paths = 0, textures = 0;
  for (int i = 0; i < m->nmesh; i++) {
    const snMesh* k = mesh_of(c, i);
    GROW(nmeshvert, k->nvert);
    GROW(nmeshnormal, k->nnormal);
    GROW(nmeshtexcoord, k->ntexcoord);
    GROW(nmeshface, k->nface);
    GROW(nmeshgraph, k->ngraph);
    GROW(nmeshpoly, k->npoly);
    GROW(nmeshpolyvert, k->npolyvert);
    GROW(nmeshpolymap, k->npolymap);
    GROW(nbvhstatic, k->bvh.n);
    GROW(noct, k->octree.n);
    const snElement* e = c->list[mjOBJ_MESH].item[i];
    fits = fits && add_path(c, e, e->u.mesh.file, &paths);
  }
  for (int i = 0; i < m->nskin; i++) {
    const snElement* e = c->list[mjOBJ_SKIN].item[i];
    const snSkin* k = &c->skin[e->adr[0]];
    GROW(nskinvert, k->nvert);
    GROW(nskintexvert, k->ntexcoord);
    GROW(nskinface, k->nface);
    GROW(nskinbone, k->nbone);
    GROW(nskinbonevert, k->nbonevert);
    fits = fits && add_path(c, e, e->u.skin.file, &paths);
  }
  for (int i = 0; i < m->nhfield; i++) {
    const snElement* e = c->list[mjOBJ_HFIELD].item[i];
    GROW(nhfielddata, (int64_t)c->hfield[e->adr[0]].nrow * c->hfield[e->adr[0]].ncol);
    fits = fits && add_path(c, e, e->u.hfield.file, &paths);
  }
  for (int i = 0; i < m->ntex; i++) {
    const snElement* e = c->list[mjOBJ_TEXTURE].item[i];
    textures += c->texture[e->adr[0]].size;
    fits = fits && add_path(c, e, e->u.texture.file, &paths);
  }
  if (textures > 0x7fffffff) return compile_error(c, NULL, "textures are larger than 2 GB");
  m->ntexdata = (int)textures;
  GROW(npaths, paths ? (int64_t)paths : 1);
  for (int i = 0; i < m->nflex; i++) {
    const snFlex* f = &c->flex[i];
    GROW(nflexnode, f->nnode);
    GROW(nflexvert, f->nvert);
    GROW(nflexedge, f->nedge);
    GROW(nflexelem, f->nelem);
    GROW(nflexelemdata, f->nelemdata);
    GROW(nflexelemedge, f->nelemedge);
    GROW(nflexshelldata, f->nshelldata);
    GROW(nflexevpair, f->nevpair);
    GROW(nflextexcoord, f->ntexcoord);
    GROW(nbvhdynamic, f->bvh.n);
  }
  GROW(nbvh, (int64_t)m->nbvhstatic + m->nbvhdynamic);
#undef GROW
  return fits;
}
