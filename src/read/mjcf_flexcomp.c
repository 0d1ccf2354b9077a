// MJCF: flexcomp and composite, the elements that generate many others, to their parameters
// (src/spec makes the elements).
#include <stdio.h>
#include <string.h>

#include "model/resource.h"
#include "read/read.h"
#include "spec/composite.h"
#include "spec/flexcomp.h"

static void copy_plugin(mjsPlugin* to, const mjsPlugin* from) {
  to->active = from->active;
  to->element = from->element;
  mjs_setString(to->plugin_name, string_text(from->plugin_name));
  mjs_setString(to->name, string_text(from->name));
}

// A plugin that is read before the element that it belongs to exists.
typedef struct Early_ {
  mjsPlugin plugin;
  snString name, plugin_name, info;
} Early;

static void early_init(Early* e) {
  memset(e, 0, sizeof(*e));
  string_init(&e->name);
  string_init(&e->plugin_name);
  string_init(&e->info);
  e->plugin.name = (mjString*)&e->name;
  e->plugin.plugin_name = (mjString*)&e->plugin_name;
  e->plugin.info = (mjString*)&e->info;
}

static void early_free(Early* e) {
  string_free(&e->name);
  string_free(&e->plugin_name);
  string_free(&e->info);
}

// Concatenates the values of an attribute over several elements of one kind.
static bool append_ints(snReader* r, const snXmlNode* n, const char* name, const int** list,
                        int* count) {
  int *more, k;
  if (!read_int_list(r, n, name, &more, &k)) return false;
  if (!k) return true;
  int* all = xml_alloc(r->xml, (*count + k) * sizeof(int));
  if (!all) return read_memory(r, n);
  if (*count) memcpy(all, *list, *count * sizeof(int));
  memcpy(all + *count, more, k * sizeof(int));
  *list = all;
  *count += k;
  return true;
}

static bool resolve(snReader* r, const snXmlNode* node, double quat[4], const mjsOrientation* alt) {
  if (alt->type == mjORIENTATION_QUAT) return true;
  const char* error =
      mjs_resolveOrientation(quat, r->spec->compiler.degree, r->spec->compiler.eulerseq, alt);
  if (error && error[0]) return xml_fault(node, NULL, r->fault, "%s", error);
  return true;
}

static bool flexcomp_values(snReader* r, const snXmlNode* node, snFlexcomp* f, Early* plugin) {
  double* point;
  int* element;
  float* texcoord;
  f->name = xml_get(node, "name");
  f->material = read_given(node, "material") ? xml_get(node, "material") : NULL;
  f->file = xml_get(node, "file");
  f->has_origin = xml_get(node, "origin") != NULL;
  if (!read_values(r, node, f, NULL) || !resolve(r, node, f->quat, &f->alt) ||
      !read_double_list(r, node, "point", &point, &f->npoint) ||
      !read_int_list(r, node, "element", &element, &f->nelement) ||
      !read_float_list(r, node, "texcoord", &texcoord, &f->ntexcoord)) {
    return false;
  }
  f->point = point;
  f->element = element;
  f->texcoord = texcoord;
  for (const snXmlNode* n = node->child; n; n = n->next) {
    if (!strcmp(n->name, "pin")) {
      if (!append_ints(r, n, "id", &f->pinid, &f->npinid) ||
          !append_ints(r, n, "range", &f->pinrange, &f->npinrange) ||
          !append_ints(r, n, "grid", &f->pingrid, &f->npingrid) ||
          !append_ints(r, n, "gridrange", &f->pingridrange, &f->npingridrange)) {
        return false;
      }
    } else if (!strcmp(n->name, "plugin")) {
      if (!read_plugin(r, n, &plugin->plugin)) return false;
      f->plugin = &plugin->plugin;
      f->plugin_copy = copy_plugin;
    } else if (!read_values(r, n, f, NULL)) {
      return false;
    }
  }
  return true;
}

// All bodies made by one element share one plugin instance, named after the element.
static bool name_instance(snReader* r, const snXmlNode* node, const char* kind, const char* which,
                          mjsPlugin* plugin) {
  if (!plugin->element) return true;
  char name[1024];
  snprintf(name, sizeof name, "%s%s", kind, which ? which : "");
  if (mjs_setName(plugin->element, name) != 0) {
    return xml_fault(node, NULL, r->fault, "%s", mjs_getError(r->spec));
  }
  mjs_setString(plugin->name, name);
  return true;
}

bool read_flexcomp(snReader* r, const snXmlNode* node, mjsBody* body, mjsFrame* frame,
                   const mjsDefault* def) {
  snFlexcomp f;
  Early plugin;
  flexcomp_default(&f);
  early_init(&plugin);
  bool fine = flexcomp_values(r, node, &f, &plugin) &&
              name_instance(r, node, "flexcomp_", f.name, &plugin.plugin);
  snResource file = {0};
  snFault why = {0};
  bool from_file = f.type == snFCOMP_MESH || f.type == snFCOMP_GMSH;
  if (fine && from_file && f.file && f.file[0]) {
    char* dir = resource_join(string_text(r->spec->modelfiledir), string_text(r->spec->meshdir));
    fine = dir && resource_open(&file, r->vfs, dir, f.file, RESOURCE_LIMIT, &why);
    if (!fine && node->source->included) {
      fine = resource_open(&file, r->vfs, node->source->dir, f.file, RESOURCE_LIMIT, &(snFault){0});
    }
    memory_free(dir);
    if (!fine) xml_fault(node, "file", r->fault, "%s", why.raised ? why.text : "out of memory");
    if (fine) {
      f.file_bytes = file.data;
      f.file_size = file.bytes;
    }
  }
  snFault made = {0};
  if (fine && !flexcomp_make(&f, r->spec, body, frame, def, &made)) {
    fine = xml_fault(node, NULL, r->fault, "%s", made.text);
  }
  if (file.data) resource_close(&file);
  early_free(&plugin);
  return fine;
}

// ---- composite
static bool read_curve(snReader* r, const snXmlNode* node, snComposite* c) {
  static const struct {
    const char* name;
    snCompositeShape shape;
  } kShapes[] = {{"s", snCOMPSHAPE_LINE},
                 {"cos(s)", snCOMPSHAPE_COS},
                 {"sin(s)", snCOMPSHAPE_SIN},
                 {"0", snCOMPSHAPE_ZERO}};
  const char* p = xml_get(node, "curve");
  if (!p) return true;
  for (int n = 0;; n++) {
    p += strspn(p, " \t\r\n");
    if (!*p) return true;
    if (n == 3) return xml_fault(node, "curve", r->fault, "found more than 3 shapes");
    size_t length = strcspn(p, " \t\r\n");
    int i = 0;
    while (i < 4 && (strlen(kShapes[i].name) != length || strncmp(p, kShapes[i].name, length))) i++;
    if (i == 4) {
      return xml_fault(node, "curve", r->fault,
                       "found '%.*s', expected one of: s, cos(s), sin(s), 0",
                       (int)(length < 40 ? length : 40), p);
    }
    c->curve[n] = kShapes[i].shape;
    p += length;
  }
}

static bool composite_values(snReader* r, const snXmlNode* node, snComposite* c, Early* plugin) {
  int type = 0, initial = snCOMPINITIAL_BALL;
  if (!read_key(r, node, "type", &type, NULL)) return false;
  if (type != snCOMP_CABLE) {
    return xml_fault(node, "type", r->fault,
                     "The \"%s\" composite type is deprecated. Please use replicate or flexcomp "
                     "instead, or type 'cable'",
                     xml_get(node, "type"));
  }
  c->type = snCOMP_CABLE;
  c->prefix = xml_get(node, "prefix");
  double* vertex;
  if (!read_key(r, node, "initial", &initial, NULL) || !read_values(r, node, c, NULL) ||
      !read_curve(r, node, c) || !read_double_list(r, node, "vertex", &vertex, &c->nvertex)) {
    return false;
  }
  c->initial = (snCompositeInitial)initial;
  c->vertex = vertex;
  for (const snXmlNode* n = node->child; n; n = n->next) {
    if (!strcmp(n->name, "plugin")) {
      if (!read_plugin(r, n, &plugin->plugin)) return false;
      if (strcmp(string_text(plugin->plugin.plugin_name), "mujoco.elasticity.cable")) {
        return xml_fault(n, "plugin", r->fault, "found '%s', expected 'mujoco.elasticity.cable'",
                         string_text(plugin->plugin.plugin_name));
      }
      c->plugin = &plugin->plugin;
      c->plugin_copy = copy_plugin;
      continue;
    }
    if (!read_values(r, n, c, NULL)) return false;
    const char* material = xml_get(n, "material");
    int on = 0;
    if (!strcmp(n->name, "joint")) {
      if (!read_key(r, n, "kind", &on, NULL)) return false;
      if (c->has_joint) return xml_fault(n, NULL, r->fault, "a cable has one kind of joint");
      c->has_joint = true;
    } else if (!strcmp(n->name, "skin")) {
      if (c->skin_group < 0 || c->skin_group >= mjNGROUP) {
        return xml_fault(n, "group", r->fault, "found %d, expected 0 to %d", c->skin_group,
                         mjNGROUP - 1);
      }
      c->has_skin = true;
      c->skin_material = material;
      if (!read_key(r, n, "texcoord", &on, NULL)) return false;
      c->skin_texcoord = on;
    } else if (!strcmp(n->name, "geom")) {
      c->geom_material = material;
    } else {
      c->site_material = material;
    }
  }
  return true;
}

bool read_composite(snReader* r, const snXmlNode* node, mjsBody* body, mjsFrame* frame,
                    const mjsDefault* def) {
  snComposite c;
  Early plugin;
  composite_default(&c);
  early_init(&plugin);
  // elements of a cable inherit nothing from default classes
  bool fine = composite_values(r, node, &c, &plugin) &&
              name_instance(r, node, "composite", c.prefix, &plugin.plugin);
  snFault made = {0};
  if (fine && !composite_make(&c, r->spec, body, frame, def, &made)) {
    fine = xml_fault(node, NULL, r->fault, "%s", made.text);
  }
  early_free(&plugin);
  return fine;
}
