// MJCF: assets and deformable objects.
//
// Files of included documents are searched in the model's asset folders first, then beside the
// included file; inline data is checked for its count here, for its meaning in the compiler.
#include <limits.h>
#include <string.h>

#include "model/resource.h"
#include "read/read.h"

// The file of an asset that an included file defines: searched in the model's asset folders, else
// relative to the including file.
static bool resolve_file(snReader* r, const snXmlNode* node, mjString* file,
                         const mjString* assetdir) {
  const char* name = string_text(file);
  if (!node->source->included || !name[0]) return true;
  const char* base = string_text(r->spec->modelfiledir);
  char* dir = resource_join(base, string_text(assetdir));
  if (!dir) return read_memory(r, node);
  const char* stripped = r->spec->strippath ? name + resource_dir_length(name) : name;
  if (read_exists(r, dir, stripped)) {
    memory_free(dir);
    return true;
  }
  // the compiler searches the asset folder: make the name relative to it
  char* beside = resource_join(node->source->dir, name);
  char* relative = beside ? resource_relative(dir, beside) : NULL;
  memory_free(dir);
  if (!beside) return read_memory(r, node);
  mjs_setString(file, relative ? relative : beside);
  memory_free(relative);
  memory_free(beside);
  return true;
}

// maxhullvert: -1 means no limit; a hull needs at least four vertices
bool read_mesh_values(snReader* r, const snXmlNode* node, mjsMesh* mesh) {
  if (!read_values(r, node, mesh, mesh->element)) return false;
  if (xml_get(node, "maxhullvert") && mesh->maxhullvert != -1 && mesh->maxhullvert < 4) {
    return xml_fault(node, "maxhullvert", r->fault, "found %d, expected -1 or at least 4",
                     mesh->maxhullvert);
  }
  return true;
}

static bool read_mesh(snReader* r, const snXmlNode* node) {
  const mjsDefault* def;
  if (!read_class(r, node, NULL, &def)) return false;
  mjsMesh* x = mjs_addMesh(r->spec, def);
  if (!x) return read_memory(r, node);
  read_info(node, x->info);
  if (!read_mesh_values(r, node, x)) return false;
  for (const snXmlNode* n = node->child; n; n = n->next) {
    if (!read_plugin(r, n, &x->plugin)) return false;
  }
  return resolve_file(r, node, x->file, r->spec->meshdir);
}

static bool read_hfield(snReader* r, const snXmlNode* node) {
  mjsHField* x = mjs_addHField(r->spec);
  if (!x) return read_memory(r, node);
  read_info(node, x->info);
  if (!read_values(r, node, x, x->element)) return false;
  float* data;
  int n;
  if (!read_float_list(r, node, "elevation", &data, &n)) return false;
  bool inlined = !xml_get(node, "file");
  if (n && (x->nrow || x->ncol || inlined)) {
    if (x->nrow <= 0 || x->ncol <= 0 || (long)x->nrow * x->ncol != n) {
      return xml_fault(node, "elevation", r->fault,
                       "elevation data length must match nrow*ncol: found %d numbers, expected %ld",
                       n, (long)x->nrow * x->ncol);
    }
    // the file lists rows from the top, the model from the bottom
    float* up = xml_alloc(r->xml, n * sizeof(float));
    if (!up) return read_memory(r, node);
    for (int i = 0; i < x->nrow; i++) {
      memcpy(up + i * x->ncol, data + (x->nrow - 1 - i) * x->ncol, x->ncol * sizeof(float));
    }
    if (inlined) mjs_setFloat(x->userdata, up, n);
  } else if (inlined && x->nrow > 0 && x->ncol > 0) {
    // flat, to be set at run time
    long cells = (long)x->nrow * x->ncol;
    snFault much = {0};
    r->elevations += 4.0 * (double)cells;
    if (!budget_bytes(r->elevations, "the height fields", &much) || cells > INT_MAX) {
      return xml_fault(node, "nrow", r->fault, "%d rows of %d are too many%s%s", x->nrow, x->ncol,
                       much.raised ? ": " : "", much.text);
    }
    float* flat = memory_alloc_zero((size_t)cells * sizeof(float));
    if (!flat) return read_memory(r, node);
    mjs_setFloat(x->userdata, flat, (int)cells);
    memory_free(flat);
  }
  return resolve_file(r, node, x->file, r->spec->meshdir);
}

static bool read_skin(snReader* r, const snXmlNode* node) {
  mjsSkin* x = mjs_addSkin(r->spec);
  if (!x) return read_memory(r, node);
  read_info(node, x->info);
  if (!read_values(r, node, x, x->element)) return false;
  if (x->group < 0 || x->group >= mjNGROUP) {
    return xml_fault(node, "group", r->fault, "found %d, expected 0 to %d", x->group, mjNGROUP - 1);
  }
  int n = 0, i = 0;
  for (const snXmlNode* b = node->child; b; b = b->next) n++;
  float* pos = xml_alloc(r->xml, (3 * n + 1) * sizeof(float));
  float* quat = xml_alloc(r->xml, (4 * n + 1) * sizeof(float));
  if (!pos || !quat) return read_memory(r, node);
  for (const snXmlNode* b = node->child; b; b = b->next, i++) {
    double p[3], q[4];
    int np, nq, *id, nid, nweight;
    float* weight;
    if (!read_doubles(r, b, "bindpos", p, 3, 3, &np) ||
        !read_doubles(r, b, "bindquat", q, 4, 4, &nq) ||
        !read_int_list(r, b, "vertid", &id, &nid) ||
        !read_float_list(r, b, "vertweight", &weight, &nweight)) {
      return false;
    }
    const char* empty = !np        ? "bindpos"
                        : !nq      ? "bindquat"
                        : !nid     ? "vertid"
                        : !nweight ? "vertweight"
                                   : NULL;
    if (empty) return xml_fault(b, empty, r->fault, "found nothing, expected numbers");
    for (int k = 0; k < 3; k++) pos[3 * i + k] = (float)p[k];
    for (int k = 0; k < 4; k++) quat[4 * i + k] = (float)q[k];
    mjs_appendString(x->bodyname, xml_get(b, "body"));
    mjs_appendIntVec(x->vertid, id, nid);
    mjs_appendFloatVec(x->vertweight, weight, nweight);
  }
  mjs_setFloat(x->bindpos, pos, 3 * n);
  mjs_setFloat(x->bindquat, quat, 4 * n);
  return resolve_file(r, node, x->file, r->spec->meshdir);
}

static bool read_texture(snReader* r, const snXmlNode* node) {
  mjsTexture* x = mjs_addTexture(r->spec);
  if (!x) return read_memory(r, node);
  read_info(node, x->info);
  if (!read_values(r, node, x, x->element)) return false;
  const char* layout = xml_get(node, "gridlayout");
  if (layout) {
    size_t length = strlen(layout);
    if (length > 12) {
      return xml_fault(node, "gridlayout", r->fault, "found %zu letters, expected at most 12",
                       length);
    }
    if ((long)length != (long)x->gridsize[0] * x->gridsize[1]) {
      return xml_fault(node, "gridlayout", r->fault,
                       "found %zu letters, expected one per cell: %d * %d", length, x->gridsize[0],
                       x->gridsize[1]);
    }
    memcpy(x->gridlayout, layout, length);
  }
  static const char* const kFaces[6] = {"fileright", "fileleft",  "fileup",
                                        "filedown",  "filefront", "fileback"};
  for (int i = 0; i < 6; i++) {
    const char* file = xml_get(node, kFaces[i]);
    if (file) mjs_setInStringVec(x->cubefiles, i, file);
  }
  return resolve_file(r, node, x->file, r->spec->texturedir);
}

bool read_texture_name(snReader* r, const snXmlNode* node, mjsMaterial* material) {
  const char* texture = xml_get(node, "texture");
  if (texture) mjs_setInStringVec(material->textures, mjTEXROLE_RGB, texture);
  return true;
}

static bool read_material(snReader* r, const snXmlNode* node) {
  const mjsDefault* def;
  if (!read_class(r, node, NULL, &def)) return false;
  mjsMaterial* x = mjs_addMaterial(r->spec, def);
  if (!x) return read_memory(r, node);
  read_info(node, x->info);
  if (!read_values(r, node, x, x->element) || !read_texture_name(r, node, x)) return false;
  for (const snXmlNode* n = node->child; n; n = n->next) {
    if (xml_get(node, "texture")) {
      return xml_fault(n, NULL, r->fault, "a material with attribute 'texture' cannot have layers");
    }
    int role = 0;
    if (!read_key(r, n, "role", &role, NULL)) return false;
    mjs_setInStringVec(x->textures, role, xml_get(n, "texture"));
  }
  return true;
}

static bool read_submodel(snReader* r, const snXmlNode* node) {
  enum { kDeepest = 20 };
  const char *file = xml_get(node, "file"), *name = xml_get(node, "name");
  const char* type = xml_get(node, "content_type");
  if (type && type[0] && !resource_is_type(type, "text/xml")) {
    return xml_fault(node, "content_type", r->fault, "found '%.40s', expected 'text/xml'", type);
  }
  if (r->depth >= kDeepest) {
    return xml_fault(node, "file", r->fault, "models contain each other deeper than %d", kDeepest);
  }
  char* path = resource_join(node->source->dir, file);
  snSubmodel* model = xml_alloc(r->xml, sizeof(*model));
  if (!path || !model) {
    memory_free(path);
    return read_memory(r, node);
  }
  snFault inner = {0};
  mjSpec* spec = read_model(path, NULL, r->vfs, r->depth + 1, &inner);
  memory_free(path);
  if (!spec) return xml_fault(node, "file", r->fault, "%s", inner.text);
  if (!name || !name[0]) name = string_text(spec->modelname);
  *model = (snSubmodel){.spec = spec, .name = name, .next = r->models};
  r->models = model;
  mjs_setString(spec->modelname, name);
  return true;
}

bool read_assets(snReader* r, const snXmlNode* section) {
  for (const snXmlNode* n = section->child; n; n = n->next) {
    bool fine = true;
    switch (((const snTag*)n->info)->tag) {
      case mjOBJ_MESH:
        fine = read_mesh(r, n);
        break;
      case mjOBJ_HFIELD:
        fine = read_hfield(r, n);
        break;
      case mjOBJ_SKIN:
        fine = read_skin(r, n);
        break;
      case mjOBJ_TEXTURE:
        fine = read_texture(r, n);
        break;
      case mjOBJ_MATERIAL:
        fine = read_material(r, n);
        break;
      default:
        fine = read_submodel(r, n);
        break;
    }
    if (!fine) return false;
  }
  return true;
}

// ---- deformable
static bool read_flex(snReader* r, const snXmlNode* node) {
  mjsFlex* x = mjs_addFlex(r->spec);
  if (!x) return read_memory(r, node);
  read_info(node, x->info);
  if (!xml_get(node, "body") && !xml_get(node, "node")) {
    return xml_fault(node, NULL, r->fault, "required attribute 'body' is missing");
  }
  if (!read_values(r, node, x, x->element)) return false;
  for (const snXmlNode* n = node->child; n; n = n->next) {
    if (!read_values(r, n, x, NULL)) return false;
  }
  return true;
}

bool read_deformable(snReader* r, const snXmlNode* section) {
  for (const snXmlNode* n = section->child; n; n = n->next) {
    bool flex = ((const snTag*)n->info)->tag == mjOBJ_FLEX;
    if (!(flex ? read_flex(r, n) : read_skin(r, n))) return false;
  }
  return true;
}
