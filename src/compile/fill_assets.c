// Arrays of meshes, skins, height fields, textures, materials, flexes and bounding volumes.
//
// Results of the builders are appended to shared arrays in the order of ids. A cursor keeps the
// next free address of each array; local indices stay local, since the model stores an address per
// asset.
#include <string.h>

#include "compile/compile.h"

// Appends n items to a growing array of the model.
#define PUT(array, at, from, n, width)                                                         \
  do {                                                                                         \
    if ((n) > 0 && (from)) {                                                                   \
      memcpy((array) + (size_t)(at) * (width), from, (size_t)(n) * (width) * sizeof *(array)); \
    }                                                                                          \
  } while (0)

typedef struct {
  int bvh, oct, path;
  int vert, normal, texcoord, face, graph, poly, polyvert, polymap;
} Cursor;

static void put_bvh(mjModel* m, const snBvh* bvh, int* adr, int* num, int* at, bool boxes) {
  *adr = bvh->n ? *at : -1;
  *num = bvh->n;
  PUT(m->bvh_depth, *at, bvh->depth, bvh->n, 1);
  PUT(m->bvh_child, *at, bvh->child, bvh->n, 2);
  PUT(m->bvh_nodeid, *at, bvh->nodeid, bvh->n, 1);
  if (boxes) PUT(m->bvh_aabb, *at, bvh->aabb, bvh->n, 6);
  *at += bvh->n;
}

static void put_path(snCompile* c, const snElement* e, const mjString* file, int* adr, int* at) {
  *adr = -1;
  if (string_empty(file)) return;
  *adr = *at;
  size_t n = asset_path(e, file, c->m->paths + *at);
  if (n == ASSET_NO_MEMORY) {
    compile_error(c, NULL, "out of memory");
  } else {
    *at += (int)n;
  }
}

static void fill_mesh(snCompile* c, int i, Cursor* at) {
  mjModel* m = c->m;
  const snElement* e = c->list[mjOBJ_MESH].item[i];
  const snMesh* k = &c->mesh[e->adr[0]];
  m->mesh_vertadr[i] = at->vert, m->mesh_vertnum[i] = k->nvert;
  m->mesh_normaladr[i] = at->normal, m->mesh_normalnum[i] = k->nnormal;
  m->mesh_texcoordadr[i] = k->ntexcoord ? at->texcoord : -1, m->mesh_texcoordnum[i] = k->ntexcoord;
  m->mesh_faceadr[i] = at->face, m->mesh_facenum[i] = k->nface;
  m->mesh_graphadr[i] = k->ngraph ? at->graph : -1;
  m->mesh_polyadr[i] = at->poly, m->mesh_polynum[i] = k->npoly;
  put_bvh(m, &k->bvh, &m->mesh_bvhadr[i], &m->mesh_bvhnum[i], &at->bvh, true);
  m->mesh_octadr[i] = k->octree.n ? at->oct : -1, m->mesh_octnum[i] = k->octree.n;
  PUT(m->oct_depth, at->oct, k->octree.depth, k->octree.n, 1);
  PUT(m->oct_child, at->oct, k->octree.child, k->octree.n, 8);
  PUT(m->oct_aabb, at->oct, k->octree.aabb, k->octree.n, 6);
  at->oct += k->octree.n;
  PUT(m->mesh_vert, at->vert, k->vert, k->nvert, 3);
  PUT(m->mesh_normal, at->normal, k->normal, k->nnormal, 3);
  PUT(m->mesh_texcoord, at->texcoord, k->texcoord, k->ntexcoord, 2);
  PUT(m->mesh_face, at->face, k->face, k->nface, 3);
  PUT(m->mesh_facenormal, at->face, k->facenormal, k->nface, 3);
  PUT(m->mesh_facetexcoord, at->face, k->facetexcoord, k->nface, 3);
  PUT(m->mesh_graph, at->graph, k->graph, k->ngraph, 1);
  PUT(m->mesh_polynormal, at->poly, k->polynormal, k->npoly, 3);
  PUT(m->mesh_polyvertnum, at->poly, k->polyvertnum, k->npoly, 1);
  for (int p = 0; p < k->npoly; p++) {
    m->mesh_polyvertadr[at->poly + p] = at->polyvert + k->polyvertadr[p];
  }
  PUT(m->mesh_polyvert, at->polyvert, k->polyvert, k->npolyvert, 1);
  for (int v = 0; v < k->nvert; v++) {
    m->mesh_polymapadr[at->vert + v] = at->polymap + (k->polymapadr ? k->polymapadr[v] : 0);
    m->mesh_polymapnum[at->vert + v] = k->polymapnum ? k->polymapnum[v] : 0;
  }
  PUT(m->mesh_polymap, at->polymap, k->polymap, k->npolymap, 1);
  vec3_copy(m->mesh_scale + 3 * i, k->scale);
  vec3_copy(m->mesh_pos + 3 * i, k->pos);
  quat_copy(m->mesh_quat + 4 * i, k->quat);
  put_path(c, e, e->u.mesh.file, &m->mesh_pathadr[i], &at->path);
  at->vert += k->nvert, at->normal += k->nnormal, at->texcoord += k->ntexcoord;
  at->face += k->nface, at->graph += k->ngraph, at->poly += k->npoly;
  at->polyvert += k->npolyvert, at->polymap += k->npolymap;
}

static bool fill_skins(snCompile* c, Cursor* cursor) {
  mjModel* m = c->m;
  int vert = 0, tex = 0, face = 0, bone = 0, bonevert = 0;
  for (int i = 0; i < m->nskin; i++) {
    const snElement* e = c->list[mjOBJ_SKIN].item[i];
    const mjsSkin* s = &e->u.skin;
    const snSkin* k = &c->skin[e->adr[0]];
    if (!compile_id(c, e, mjOBJ_MATERIAL, s->material, &m->skin_matid[i])) return false;
    m->skin_group[i] = s->group;
    memcpy(m->skin_rgba + 4 * i, s->rgba, sizeof s->rgba);
    m->skin_inflate[i] = s->inflate;
    m->skin_vertadr[i] = vert, m->skin_vertnum[i] = k->nvert;
    m->skin_texcoordadr[i] = k->ntexcoord ? tex : -1;
    m->skin_faceadr[i] = face, m->skin_facenum[i] = k->nface;
    m->skin_boneadr[i] = bone, m->skin_bonenum[i] = k->nbone;
    PUT(m->skin_vert, vert, k->vert, k->nvert, 3);
    PUT(m->skin_texcoord, tex, k->texcoord, k->ntexcoord, 2);
    PUT(m->skin_face, face, k->face, k->nface, 3);
    PUT(m->skin_bonebindpos, bone, k->bindpos, k->nbone, 3);
    PUT(m->skin_bonebindquat, bone, k->bindquat, k->nbone, 4);
    PUT(m->skin_bonevertid, bonevert, k->bonevertid, k->nbonevert, 1);
    PUT(m->skin_bonevertweight, bonevert, k->bonevertweight, k->nbonevert, 1);
    for (int b = 0; b < k->nbone; b++) {
      const snElement* body = spec_find(c->spec, mjOBJ_BODY, k->bodyname[b]);
      if (!body) return compile_error(c, e, "unknown body '%s' in skin", k->bodyname[b]);
      m->skin_bonebodyid[bone + b] = body->id;
      m->skin_bonevertadr[bone + b] = bonevert + k->bonevertadr[b];
      m->skin_bonevertnum[bone + b] = k->bonevertnum[b];
    }
    put_path(c, e, s->file, &m->skin_pathadr[i], &cursor->path);
    vert += k->nvert, tex += k->ntexcoord, face += k->nface, bone += k->nbone;
    bonevert += k->nbonevert;
  }
  return true;
}

static void fill_hfields(snCompile* c, Cursor* cursor) {
  mjModel* m = c->m;
  int adr = 0;
  for (int i = 0; i < m->nhfield; i++) {
    snElement* e = c->list[mjOBJ_HFIELD].item[i];
    const snHField* h = &c->hfield[e->adr[0]];
    memcpy(m->hfield_size + 4 * i, e->u.hfield.size, sizeof e->u.hfield.size);
    m->hfield_nrow[i] = h->nrow;
    m->hfield_ncol[i] = h->ncol;
    m->hfield_adr[i] = adr;
    PUT(m->hfield_data, adr, h->data, h->nrow * h->ncol, 1);
    e->adr[1] = hfield_mark(h->data, h->nrow * h->ncol);
    adr += h->nrow * h->ncol;
    put_path(c, e, e->u.hfield.file, &m->hfield_pathadr[i], &cursor->path);
  }
  SN_ASSERT(adr == m->nhfielddata);
}

static void fill_textures(snCompile* c, Cursor* cursor) {
  mjModel* m = c->m;
  size_t adr = 0;
  for (int i = 0; i < m->ntex; i++) {
    const snElement* e = c->list[mjOBJ_TEXTURE].item[i];
    const snTextureImage* t = &c->texture[e->adr[0]];
    m->tex_type[i] = e->u.texture.type;
    m->tex_colorspace[i] = t->colorspace;
    c->list[mjOBJ_TEXTURE].item[i]->adr[1] = t->colorspace;
    m->tex_height[i] = t->height;
    m->tex_width[i] = t->width;
    m->tex_nchannel[i] = t->nchannel;
    m->tex_adr[i] = (int)adr;
    if (t->size) memcpy(m->tex_data + adr, t->data, t->size);
    adr += t->size;
    put_path(c, e, e->u.texture.file, &m->tex_pathadr[i], &cursor->path);
  }
  SN_ASSERT(adr == (size_t)m->ntexdata);
}

static bool fill_materials(snCompile* c) {
  mjModel* m = c->m;
  for (int i = 0; i < m->nmat; i++) {
    const snElement* e = c->list[mjOBJ_MATERIAL].item[i];
    const mjsMaterial *s = &e->u.material, *class = &e->def->class[snCLASS_MATERIAL]->u.material;
    // textures of the default class must exist, even if the material replaces them
    for (int k = 0; k < strings_count(class->textures); k++) {
      const char* name = strings_at(class->textures, k);
      if (*name && !spec_find(c->spec, mjOBJ_TEXTURE, name))
        return compile_error(c, e, "texture '%s' not found in material %d", name, i);
    }
    for (int k = 0; k < mjNTEXROLE; k++) {
      m->mat_texid[mjNTEXROLE * i + k] = -1;
      if (k >= strings_count(s->textures) || !*strings_at(s->textures, k)) continue;
      const snElement* t = spec_find(c->spec, mjOBJ_TEXTURE, strings_at(s->textures, k));
      if (!t) {
        return compile_error(c, e, "texture '%s' not found in material %d",
                             strings_at(s->textures, k), i);
      }
      m->mat_texid[mjNTEXROLE * i + k] = t->id;
    }
    m->mat_texuniform[i] = s->texuniform;
    memcpy(m->mat_texrepeat + 2 * i, s->texrepeat, sizeof s->texrepeat);
    m->mat_emission[i] = s->emission;
    m->mat_specular[i] = s->specular;
    m->mat_shininess[i] = s->shininess;
    m->mat_reflectance[i] = s->reflectance;
    m->mat_metallic[i] = s->metallic;
    m->mat_roughness[i] = s->roughness;
    memcpy(m->mat_rgba + 4 * i, s->rgba, sizeof s->rgba);
  }
  return true;
}

// ---- flexes
typedef struct {
  int node, vert, edge, elem, elemdata, elemedge, shelldata, evpair, texcoord, bvh;
} FlexCursor;

static bool fill_flex(snCompile* c, int i, FlexCursor* at) {
  mjModel* m = c->m;
  const snElement* e = c->list[mjOBJ_FLEX].item[i];
  const mjsFlex* s = &e->u.flex;
  const snFlex* f = &c->flex[i];
  if (!compile_id(c, e, mjOBJ_MATERIAL, s->material, &m->flex_matid[i])) return false;
  m->flex_contype[i] = s->contype;
  m->flex_conaffinity[i] = s->conaffinity;
  m->flex_condim[i] = s->condim;
  m->flex_priority[i] = s->priority;
  m->flex_solmix[i] = s->solmix;
  memcpy(m->flex_solref + mjNREF * i, s->solref, sizeof s->solref);
  memcpy(m->flex_solimp + mjNIMP * i, s->solimp, sizeof s->solimp);
  memcpy(m->flex_friction + 3 * i, s->friction, sizeof s->friction);
  m->flex_margin[i] = s->margin;
  m->flex_gap[i] = s->gap;
  m->flex_internal[i] = s->internal;
  m->flex_selfcollide[i] = s->selfcollide;
  m->flex_activelayers[i] = s->activelayers;
  m->flex_dim[i] = f->dim;
  m->flex_group[i] = s->group;
  m->flex_interp[i] = f->interp;
  m->flex_radius[i] = s->radius;
  m->flex_edgestiffness[i] = s->edgestiffness;
  m->flex_edgedamping[i] = s->edgedamping;
  m->flex_damping[i] = s->damping;
  m->flex_rigid[i] = f->rigid;
  m->flex_centered[i] = f->centered;
  m->flex_flatskin[i] = s->flatskin;
  memcpy(m->flex_rgba + 4 * i, s->rgba, sizeof s->rgba);
  m->flex_nodeadr[i] = at->node, m->flex_nodenum[i] = f->nnode;
  m->flex_vertadr[i] = at->vert, m->flex_vertnum[i] = f->nvert;
  m->flex_edgeadr[i] = at->edge, m->flex_edgenum[i] = f->nedge;
  m->flex_elemadr[i] = at->elem, m->flex_elemnum[i] = f->nelem;
  m->flex_elemdataadr[i] = at->elemdata;
  m->flex_elemedgeadr[i] = at->elemedge;
  m->flex_shellnum[i] = f->nshell;
  m->flex_shelldataadr[i] = f->nshell ? at->shelldata : -1;
  m->flex_evpairadr[i] = f->nevpair ? at->evpair : -1, m->flex_evpairnum[i] = f->nevpair;
  m->flex_texcoordadr[i] = f->ntexcoord ? at->texcoord : -1;
  PUT(m->flex_nodebodyid, at->node, f->nodebodyid, f->nnode, 1);
  PUT(m->flex_node, at->node, f->node, f->nnode, 3);
  PUT(m->flex_node0, at->node, f->node0, f->nnode, 3);
  PUT(m->flex_vertbodyid, at->vert, f->vertbodyid, f->nvert, 1);
  PUT(m->flex_vert, at->vert, f->vert, f->nvert, 3);
  PUT(m->flex_vert0, at->vert, f->vert0, f->nvert, 3);
  PUT(m->flex_edge, at->edge, f->edge, f->nedge, 2);
  PUT(m->flex_edgeflap, at->edge, f->edgeflap, f->nedge, 2);
  PUT(m->flexedge_length0, at->edge, f->edgelength0, f->nedge, 1);
  PUT(m->flexedge_rigid, at->edge, f->edgerigid, f->nedge, 1);
  PUT(m->flex_bending, at->edge, f->bending, f->nedge, 16);
  PUT(m->flex_elem, at->elemdata, f->elem, f->nelemdata, 1);
  PUT(m->flex_elemtexcoord, at->elemdata, f->elemtexcoord, f->nelemdata, 1);
  PUT(m->flex_elemedge, at->elemedge, f->elemedge, f->nelemedge, 1);
  PUT(m->flex_elemlayer, at->elem, f->elemlayer, f->nelem, 1);
  PUT(m->flex_stiffness, at->elem, f->stiffness, f->nelem, 21);
  PUT(m->flex_shell, at->shelldata, f->shell, f->nshelldata, 1);
  PUT(m->flex_evpair, at->evpair, f->evpair, f->nevpair, 2);
  PUT(m->flex_texcoord, at->texcoord, f->texcoord, f->ntexcoord, 2);
  put_bvh(m, &f->bvh, &m->flex_bvhadr[i], &m->flex_bvhnum[i], &at->bvh, false);
  for (int k = 0; k < c->list[mjOBJ_EQUALITY].n; k++) {
    const mjsEquality* eq = &c->list[mjOBJ_EQUALITY].item[k]->u.equality;
    if (eq->type == mjEQ_FLEX && string_is(eq->name1, string_text(&e->name)))
      m->flex_edgeequality[i] = 1;
  }
  at->node += f->nnode, at->vert += f->nvert, at->edge += f->nedge, at->elem += f->nelem;
  at->elemdata += f->nelemdata, at->elemedge += f->nelemedge, at->shelldata += f->nshelldata;
  at->evpair += f->nevpair, at->texcoord += f->ntexcoord;
  return true;
}

bool compile_fill_assets(snCompile* c) {
  mjModel* m = c->m;
  Cursor at = {0};
  for (int i = 0; i < m->nbody; i++) {
    put_bvh(m, &c->body[i].bvh, &m->body_bvhadr[i], &m->body_bvhnum[i], &at.bvh, true);
  }
  fill_hfields(c, &at);
  for (int i = 0; i < m->nmesh; i++) fill_mesh(c, i, &at);
  if (!fill_skins(c, &at)) return false;
  fill_textures(c, &at);
  FlexCursor flex = {.bvh = at.bvh};
  for (int i = 0; i < m->nflex; i++) {
    if (!fill_flex(c, i, &flex)) return false;
  }
  return fill_materials(c) && !c->fault.raised;
}
