// MJCF: the document is checked against the schema, then read section by section into the spec. The
// world comes last, because replicate and attach copy elements that refer to it.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "read/read.h"

// ---- the schema
// As released, contents of frame and replicate are not checked against the schema: unknown
// attributes there are ignored, with a warning; so in URDF.
static void unused(snReader* r, const snXmlNode* node, const char* what, const char* name) {
  spec_warning(spec_of(r->spec), "%s:%d: unknown %s '%s' of element '%s' is not used",
               node->source->path, node->line, what, name, node->name);
}

static bool check_attributes(snReader* r, snXmlNode* node, const snTag* tag, bool lax) {
  for (int i = 0; i < node->nattr; i++) {
    snXmlAttr* attr = node->attr + i;
    attr->info = table_attribute(tag, attr->name);
    if (attr->info) continue;
    if (tag == &table_worldbody) break;  // reported with a message of its own
    const char* nearest = table_nearest_attribute(tag, attr->name);
    if (lax) {
      // replicate accepts a childclass although it is not in the schema
      bool read = tag == &table_replicate && !strcmp(attr->name, "childclass");
      if (!read) unused(r, node, "attribute", attr->name);
      continue;
    }
    return xml_fault(
        node, attr->name, r->fault, "Schema violation: unrecognized attribute: '%s'%s%s%s",
        attr->name, nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  }
  for (int i = 0; i < tag->nattribute; i++) {
    const snTagAttr* a = tag->attributes + i;
    if ((a->flags & snATTR_REQUIRED) && (a->where & tag->mask) && !xml_get(node, a->name)) {
      return xml_fault(node, NULL, r->fault, "required attribute '%s' is missing", a->name);
    }
  }
  return true;
}

static bool holds_bodies(const snTag* tag) {
  return tag == &table_body || tag == &table_frame || tag == &table_replicate;
}

static bool check(snReader* r, snXmlNode* node, const snTag* tag, bool lax) {
  node->info = tag;
  lax = lax || tag == &table_frame || tag == &table_replicate;
  if (!check_attributes(r, node, tag, lax)) return false;
  for (snXmlNode **link = &node->child, *child; (child = *link); link = &child->next) {
    const snTag* known = table_child(tag, child->name);
    while (child && !known && lax && !holds_bodies(tag)) {
      unused(r, node, "element", child->name);
      *link = child = child->next;
      known = child ? table_child(tag, child->name) : NULL;
    }
    if (!child) break;
    if (!known) {
      const char* nearest = table_nearest_child(tag, child->name);
      return xml_fault(child, NULL, r->fault,
                       "Schema violation: unrecognized element inside '%s'%s%s%s", node->name,
                       nearest ? "; did you mean '" : "", nearest ? nearest : "",
                       nearest ? "'?" : "");
    }
    for (const snXmlNode* other = node->child;
         known->multiplicity == '?' && !(lax && tag == &table_body) && other != child;
         other = other->next) {
      if (other->info != known) continue;
      return xml_fault(child, NULL, r->fault,
                       "stands here a second time: expected at most one inside '%s'", node->name);
    }
    if (tag == &table_mujoco && known == &table_body) {
      // Files written to be included are often loaded alone; their bodies have no world to belong
      // to.
      spec_warning(spec_of(r->spec), "%s:%d: element 'body' outside 'worldbody' is not used",
                   child->source->path, child->line);
    }
    if (!check(r, child, known, lax)) return false;
  }
  return true;
}

// ---- settings
static bool read_compiler(snReader* r, const snXmlNode* node) {
  mjSpec* s = r->spec;
  int coordinate = 0;
  const char* dir = xml_get(node, "assetdir");
  if (dir) {
    mjs_setString(s->meshdir, dir);
    mjs_setString(s->texturedir, dir);
  }
  if (!read_values(r, node, s, NULL) || !read_key(r, node, "coordinate", &coordinate, NULL)) {
    return false;
  }
  if (coordinate) {
    return xml_fault(
        node, "coordinate", r->fault,
        "found 'global', expected 'local': global coordinates are no longer supported");
  }
  const char* order = xml_get(node, "eulerseq");
  if (order) {
    if (strlen(order) != 3) {
      return xml_fault(node, "eulerseq", r->fault,
                       "found '%.20s', expected three letters of xyzXYZ", order);
    }
    memcpy(s->compiler.eulerseq, order, 3);
  }
  if (node->child) return read_values(r, node->child, s, NULL);
  return true;
}

static bool read_flags(snReader* r, const snXmlNode* node, const snKeyword* flag, bool disables,
                       int* flags) {
  for (; flag->name; flag++) {
    bool found;
    int on = 0;
    if (!read_key(r, node, flag->name, &on, &found)) return false;
    if (found) *flags = on != disables ? *flags | flag->value : *flags & ~flag->value;
  }
  return true;
}

static bool read_option(snReader* r, const snXmlNode* node) {
  if (!read_values(r, node, r->spec, NULL)) return false;
  int *group, n;
  if (!read_int_list(r, node, "actuatorgroupdisable", &group, &n)) return false;
  if (n > 31) {
    return xml_fault(node, "actuatorgroupdisable", r->fault, "found %d values, expected at most 31",
                     n);
  }
  int bits = 0;
  for (int i = 0; i < n; i++) {
    if (group[i] < 0 || group[i] > 30) {
      return xml_fault(node, "actuatorgroupdisable", r->fault,
                       "found %d, expected groups from 0 to 30", group[i]);
    }
    bits |= 1 << group[i];
  }
  if (n) r->spec->option.disableactuator = bits;
  mjOption* o = &r->spec->option;
  return !node->child || (read_flags(r, node->child, flag_disable, true, &o->disableflags) &&
                          read_flags(r, node->child, flag_enable, false, &o->enableflags));
}

// An unsigned integer with an optional suffix K, M, G, T, P or E; "-1" means automatic.
static bool read_memory_size(snReader* r, const snXmlNode* node, const char* text) {
  static const char kBlank[] = " \t\r\n";
  const char* p = text + strspn(text, kBlank);
  bool negative = *p == '-';
  char* end = (char*)p;
  errno = 0;
  unsigned long long value = strtoull(p, &end, 10);
  bool fine = end != p && !errno;
  if (fine && negative) {  // "-1" only
    fine = value == ULLONG_MAX && !end[strspn(end, kBlank)];
  } else if (fine && *end && !strchr(kBlank, *end)) {
    static const char kSuffix[] = "KMGTPE";
    char upper = *end >= 'a' && *end <= 'z' ? (char)(*end - 32) : *end;
    const char* at = strchr(kSuffix, upper);
    int shift = at ? 10 * (int)(at - kSuffix + 1) : 0;
    fine = at && value <= ((~0ULL) >> shift);
    if (fine) value <<= shift;
    end++;
  }
  fine = fine && !end[strspn(end, kBlank)];
  if (!fine) {
    return xml_fault(
        node, "memory", r->fault,
        "found '%.40s', expected a size in bytes with an optional suffix K, M, G, T, P or E", text);
  }
  r->spec->memory = (size_t)value;
  return true;
}

static bool read_size(snReader* r, const snXmlNode* node) {
  mjSpec* s = r->spec;
  const char* memory = xml_get(node, "memory");
  if (memory) {
    if (!read_memory_size(r, node, memory)) return false;
    const char* legacy = xml_get(node, "njmax")    ? "njmax"
                         : xml_get(node, "nstack") ? "nstack"
                                                   : NULL;
    if (legacy && s->memory != (size_t)-1) {
      return xml_fault(node, legacy, r->fault, "cannot be used together with 'memory'");
    }
  }
  if (!read_values(r, node, s, NULL)) return false;
  int nstack;
  bool found;
  if (!read_int(r, node, "nstack", &nstack, &found)) return false;
  if (found) s->nstack = (size_t)nstack;
  static const char* const kAtLeast[] = {"nconmax",      "nuser_body",     "nuser_jnt",
                                         "nuser_geom",   "nuser_site",     "nuser_cam",
                                         "nuser_tendon", "nuser_actuator", "nuser_sensor"};
  const int value[] = {s->nconmax,      s->nuser_body,     s->nuser_jnt,
                       s->nuser_geom,   s->nuser_site,     s->nuser_cam,
                       s->nuser_tendon, s->nuser_actuator, s->nuser_sensor};
  for (int i = 0; i < snCOUNT(kAtLeast); i++) {
    if (value[i] < -1 && xml_get(node, kAtLeast[i])) {
      return xml_fault(node, kAtLeast[i], r->fault, "found %d, expected -1 or more", value[i]);
    }
  }
  if (s->nuserdata < 0) {
    return xml_fault(node, "nuserdata", r->fault, "found %d, expected 0 or more", s->nuserdata);
  }
  return true;
}

static bool read_children(snReader* r, const snXmlNode* node) {
  for (const snXmlNode* n = node->child; n; n = n->next) {
    if (!read_values(r, n, r->spec, NULL)) return false;
  }
  return true;
}

// A number that is given must be positive.
static bool check_positive(snReader* r, const snXmlNode* node, const char* name, double value) {
  if (!xml_get(node, name) || !(value <= 0)) return true;
  return xml_fault(node, name, r->fault, "found %g, expected a positive number", value);
}

static bool read_statistic(snReader* r, const snXmlNode* node) {
  return read_values(r, node, r->spec, NULL) &&
         check_positive(r, node, "extent", r->spec->stat.extent);
}

static bool read_visual(snReader* r, const snXmlNode* node) {
  if (!read_children(r, node)) return false;
  for (const snXmlNode* n = node->child; n; n = n->next) {
    if (!check_positive(r, n, "realtime", r->spec->visual.global.realtime) ||
        !check_positive(r, n, "znear", r->spec->visual.map.znear)) {
      return false;
    }
  }
  return true;
}

// ---- default classes
static bool read_class_values(snReader* r, const snXmlNode* n, mjsDefault* def) {
  const snTag* tag = n->info;
  if (tag->tag & snTAG_DRIVE) {
    return read_values(r, n, def->actuator, NULL) && read_drive(r, n, def->actuator);
  }
  switch (tag->tag) {
    case mjOBJ_MESH:
      return read_mesh_values(r, n, def->mesh);
    case mjOBJ_MATERIAL:
      return read_values(r, n, def->material, NULL) && read_texture_name(r, n, def->material);
    case mjOBJ_JOINT:
      return read_values(r, n, def->joint, NULL);
    case mjOBJ_GEOM:
      return read_values(r, n, def->geom, NULL);
    case mjOBJ_SITE:
      return read_values(r, n, def->site, NULL);
    case mjOBJ_CAMERA:
      return read_values(r, n, def->camera, NULL) && read_camera_lens(r, n, def->camera);
    case mjOBJ_LIGHT:
      return read_values(r, n, def->light, NULL) && read_light_type(r, n, def->light);
    case mjOBJ_PAIR:
      return read_values(r, n, def->pair, NULL);
    case mjOBJ_EQUALITY:
      return read_values(r, n, def->equality, NULL);
    case mjOBJ_TENDON:
      return read_tendon_values(r, n, def->tendon);
    default:
      return xml_fault(n, NULL, r->fault, "has no place in a default class");
  }
}

// A class stores all of its own values before its subclasses inherit them.
static bool read_default(snReader* r, const snXmlNode* node, const mjsDefault* parent) {
  const char* name = xml_get(node, "class");
  mjsDefault* def;
  if (!parent) {
    if (name && name[0] && strcmp(name, "main")) {
      return xml_fault(node, "class", r->fault,
                       "top-level default class 'main' cannot be renamed: found '%s'", name);
    }
    def = mjs_getSpecDefault(r->spec);
  } else {
    if (!name || !name[0]) {
      return xml_fault(node, NULL, r->fault,
                       "empty class name: a nested default class needs attribute 'class'");
    }
    if (mjs_findDefault(r->spec, name)) {
      return xml_fault(node, "class", r->fault, "repeated default class name '%s'", name);
    }
    def = mjs_addDefault(r->spec, name, parent);
  }
  if (!def) return read_memory(r, node);
  for (const snXmlNode* n = node->child; n; n = n->next) {
    if (n->info != &table_default && !read_class_values(r, n, def)) return false;
  }
  for (const snXmlNode* n = node->child; n; n = n->next) {
    if (n->info == &table_default && !read_default(r, n, def)) return false;
  }
  return true;
}

static bool read_outer_default(snReader* r, const snXmlNode* node) {
  return read_default(r, node, NULL);
}

// ---- extension and custom
static bool read_config(snReader* r, const snXmlNode* node, mjsPlugin* plugin) {
  for (const snXmlNode* n = node->child; n; n = n->next) {
    const char* key = xml_get(n, "key");
    if (plugin_get_attribute(element_of(plugin->element), key)) {
      return xml_fault(n, "key", r->fault, "'%s' is set already", key);
    }
    if (!plugin_set_attribute(plugin, key, xml_get(n, "value"))) return read_memory(r, n);
  }
  return true;
}

static bool read_extension(snReader* r, const snXmlNode* node) {
  for (const snXmlNode* n = node->child; n; n = n->next) {
    const char* name = xml_get(n, "plugin");
    if (mjs_activatePlugin(r->spec, name) != 0) {
      return xml_fault(n, "plugin", r->fault, "plugin %s not found", name);
    }
    for (const snXmlNode* i = n->child; i; i = i->next) {
      mjsPlugin* p = mjs_addPlugin(r->spec);
      if (!p) return read_memory(r, i);
      mjs_setString(p->plugin_name, name);
      const char* instance = xml_get(i, "name");
      if (mjs_setName(p->element, instance) != 0) {
        return xml_fault(i, "name", r->fault, "%s", mjs_getError(r->spec));
      }
      mjs_setString(p->name, instance);
      read_info(i, p->info);
      if (!read_config(r, i, p)) return false;
    }
  }
  return true;
}

bool read_plugin(snReader* r, const snXmlNode* node, mjsPlugin* plugin) {
  const char *name = xml_get(node, "plugin"), *instance = xml_get(node, "instance");
  plugin->active = 1;
  mjs_setString(plugin->plugin_name, name ? name : "");
  mjs_setString(plugin->name, instance ? instance : "");
  if (instance && instance[0]) return true;
  // an instance of its own
  mjsPlugin* own = mjs_addPlugin(r->spec);
  if (!own) return read_memory(r, node);
  mjs_setString(own->plugin_name, name ? name : "");
  read_info(node, own->info);
  plugin->element = own->element;
  r->spec->hasImplicitPluginElem = 1;
  return read_config(r, node, own);
}

static bool read_numeric(snReader* r, const snXmlNode* node) {
  mjsNumeric* x = mjs_addNumeric(r->spec);
  if (!x) return read_memory(r, node);
  read_info(node, x->info);
  if (!read_values(r, node, x, x->element)) return false;
  double* data;
  int n, size = 0;
  bool sized;
  if (!read_double_list(r, node, "data", &data, &n) || !read_int(r, node, "size", &size, &sized)) {
    return false;
  }
  if (!sized) size = n;
  if (size < 1 || size > 500) {
    return xml_fault(node, sized ? "size" : NULL, r->fault,
                     "custom field size must be between 1 and 500, found %d", size);
  }
  if (n > size) {
    return xml_fault(node, "data", r->fault,
                     "found %d numbers, expected at most size = %d: too much data", n, size);
  }
  x->size = size;
  double all[500] = {0};  // values that are not given are zero
  if (n) memcpy(all, data, n * sizeof(double));
  mjs_setDouble(x->data, all, size);
  return true;
}

static bool read_tuple(snReader* r, const snXmlNode* node) {
  mjsTuple* x = mjs_addTuple(r->spec);
  if (!x) return read_memory(r, node);
  read_info(node, x->info);
  if (!read_values(r, node, x, x->element)) return false;
  int n = 0, i = 0;
  for (const snXmlNode* e = node->child; e; e = e->next) n++;
  int* type = xml_alloc(r->xml, (n + 1) * sizeof(int));
  double* prm = xml_alloc(r->xml, (n + 1) * sizeof(double));
  if (!type || !prm) return read_memory(r, node);
  for (const snXmlNode* e = node->child; e; e = e->next, i++) {
    mjtObj object = mjOBJ_UNKNOWN;
    prm[i] = 0;
    if (!read_type(r, e, "objtype", &object) || !read_doubles(r, e, "prm", prm + i, 1, 1, NULL)) {
      return false;
    }
    type[i] = object;
    mjs_appendString(x->objname, xml_get(e, "objname"));
  }
  mjs_setInt(x->objtype, type, n);
  mjs_setDouble(x->objprm, prm, n);
  return true;
}

static bool read_custom(snReader* r, const snXmlNode* node) {
  for (const snXmlNode* n = node->child; n; n = n->next) {
    switch (((const snTag*)n->info)->tag) {
      case mjOBJ_NUMERIC:
        if (!read_numeric(r, n)) return false;
        break;
      case mjOBJ_TEXT: {
        mjsText* x = mjs_addText(r->spec);
        if (!x) return read_memory(r, n);
        read_info(n, x->info);
        if (!read_values(r, n, x, x->element)) return false;
        const char* data = xml_get(n, "data");
        if (!data[0]) return xml_fault(n, "data", r->fault, "text field cannot be empty");
        mjs_setString(x->data, data);
        break;
      }
      default:
        if (!read_tuple(r, n)) return false;
    }
  }
  return true;
}

static bool read_keyframe(snReader* r, const snXmlNode* node) {
  for (const snXmlNode* n = node->child; n; n = n->next) {
    mjsKey* x = mjs_addKey(r->spec);
    if (!x) return read_memory(r, n);
    read_info(n, x->info);
    if (!read_values(r, n, x, x->element)) return false;
  }
  return true;
}

bool read_setting(snReader* r, snXmlNode* node, const snTag* tag) {
  if (!check(r, node, tag, true)) return false;  // lenient check: inside of URDF
  return tag == &table_compiler ? read_compiler(r, node)
         : tag == &table_option ? read_option(r, node)
                                : read_size(r, node);
}

// ---- the document
bool read_mjcf(snReader* r) {
  typedef struct Section_ {
    const snTag* tag;
    bool (*read)(snReader*, const snXmlNode*);
  } Section;
  static const Section kOrder[] = {
      {&table_compiler, read_compiler},   {&table_option, read_option},
      {&table_size, read_size},           {&table_visual, read_visual},
      {&table_statistic, read_statistic}, {&table_default, read_outer_default},
      {&table_extension, read_extension}, {&table_custom, read_custom},
      {&table_asset, read_assets},        {&table_deformable, read_deformable},
      {&table_contact, read_contact},     {&table_equality, read_equality},
      {&table_tendon, read_tendon},       {&table_actuator, read_actuator},
      {&table_sensor, read_sensor},       {&table_keyframe, read_keyframe},
      {&table_worldbody, read_world}};
  snXmlNode* root = r->xml->root;
  if (!check(r, root, &table_mujoco, false)) return false;
  const char* name = xml_get(root, "model");
  if (name) mjs_setString(r->spec->modelname, name);
  if (r->xml->comment) mjs_setString(r->spec->comment, r->xml->comment);
  for (int i = 0; i < snCOUNT(kOrder); i++) {
    for (const snXmlNode* n = root->child; n; n = n->next) {
      if (n->info == kOrder[i].tag && !kOrder[i].read(r, n)) return false;
    }
  }
  return true;
}
