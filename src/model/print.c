// mj_printModel: mjModel as text, in the layout of release 3.3.4, which programs read and compare;
// and helpers of text dumps.
#include "model/print.h"

#include <ctype.h>
#include <errno.h>

#include "base/system.h"
#include "model/model.h"

// Does the format have exactly one conversion, of a double?
static bool format_is_for_one_real(const char* format) {
  int conversions = 0;
  for (const char* c = format; *c; c++) {
    if (*c != '%') continue;
    c++;
    if (*c == '%') continue;
    while (*c && strchr("-+ #0", *c)) c++;
    while (isdigit((unsigned char)*c)) c++;
    if (*c == '.') c++;
    while (isdigit((unsigned char)*c)) c++;
    if (!*c || !strchr("aAeEfFgG", *c)) return false;
    conversions++;
  }
  return conversions == 1 && strlen(format) < 64;
}

bool print_open(snPrinter* p, const char* function, const char* filename, const char* format) {
  if (!format || !format_is_for_one_real(format)) {
    mju_warning("%s: '%s' is not a format for one floating-point value, the default is used",
                function, format ? format : "");
    format = PRINT_REAL;
  }
  if (!filename || !*filename) {
    mju_warning("%s: no file name", function);
    return false;
  }
  p->real = format;
  p->file = system_create(filename);
  if (!p->file) mju_warning("%s: cannot write file '%s': %s", function, filename, strerror(errno));
  return p->file != NULL;
}

void print_close(snPrinter* p, const char* function, const char* filename) {
  bool failed = ferror(p->file) != 0;
  if (fclose(p->file) || failed) mju_warning("%s: cannot write file '%s'", function, filename);
}

void print_real(const snPrinter* p, mjtNum x) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  fprintf(p->file, p->real, x);
#pragma GCC diagnostic pop
}

void print_bytes(const snPrinter* p, size_t bytes) {
  static const char* const unit[] = {"KB", "MB", "GB", "TB"};
  if (bytes < 1024) {
    fprintf(p->file, "%5zu bytes", bytes);
    return;
  }
  double size = (double)bytes / 1024;
  int k = 0;
  for (; size >= 1024 && k < 3; k++) size /= 1024;
  fprintf(p->file, "%5.1f %s", size, unit[k]);
}

bool print_is_real(snType type) { return type == snTYPE_mjtNum || type == snTYPE_float; }

void print_element(const snPrinter* p, snType type, const void* array, size_t i) {
  switch (type) {
    case snTYPE_mjtNum:
      print_real(p, ((const mjtNum*)array)[i]);
      break;
    case snTYPE_float:
      print_real(p, (double)((const float*)array)[i]);
      break;
    case snTYPE_int:
      fprintf(p->file, "%d", ((const int*)array)[i]);
      break;
    case snTYPE_mjtByte:
      fprintf(p->file, "%d", ((const mjtByte*)array)[i]);
      break;
    case snTYPE_size_t:
      fprintf(p->file, "%zu", ((const size_t*)array)[i]);
      break;
    default:
      break;
  }
}

// ---- objects: arrays with the same number of rows are printed together, object by object

static const struct {
  const char *rows, *title;
  int type;  // object type that the name belongs to, or mjOBJ_UNKNOWN
} objects[] = {
    {"nbody", "BODY", mjOBJ_BODY},
    {"njnt", "JOINT", mjOBJ_JOINT},
    {"nv", "DOF", mjOBJ_UNKNOWN},
    {"ngeom", "GEOM", mjOBJ_GEOM},
    {"nsite", "SITE", mjOBJ_SITE},
    {"ncam", "CAMERA", mjOBJ_CAMERA},
    {"nlight", "LIGHT", mjOBJ_LIGHT},
    {"nflex", "FLEX", mjOBJ_FLEX},
    {"nmesh", "MESH", mjOBJ_MESH},
    {"nskin", "SKIN", mjOBJ_SKIN},
    {"nhfield", "HEIGHTFIELD", mjOBJ_HFIELD},
    {"ntex", "TEXTURE", mjOBJ_TEXTURE},
    {"nmat", "MATERIAL", mjOBJ_MATERIAL},
    {"npair", "PAIR", mjOBJ_PAIR},
    {"nexclude", "EXCLUDE", mjOBJ_EXCLUDE},
    {"neq", "EQUALITY", mjOBJ_EQUALITY},
    {"ntendon", "TENDON", mjOBJ_TENDON},
    {"nu", "ACTUATOR", mjOBJ_ACTUATOR},
    {"nsensor", "SENSOR", mjOBJ_SENSOR},
};
enum { NOBJECTS = sizeof objects / sizeof objects[0] };

static const char* name_or_empty(const mjModel* m, int type, int id) {
  const char* name = mj_id2name(m, type, id);
  return name ? name : "";
}

static void print_row(const snPrinter* p, const mjModel* m, const snField* f, size_t row) {
  size_t columns = schema_columns(f, m);
  if (!columns) return;
  fprintf(p->file, "  %-21s", f->name);
  for (size_t k = 0; k < columns; k++) {
    if (!print_is_real(f->type)) fputc(' ', p->file);
    print_element(p, f->type, schema_array(m, f), row * columns + k);
    fputc(' ', p->file);
  }
  fputc('\n', p->file);
}

static void print_mesh_graph(const snPrinter* p, const mjModel* m, int mesh) {
  if (m->mesh_graphadr[mesh] < 0) return;
  const int* graph = m->mesh_graph + m->mesh_graphadr[mesh];
  fprintf(p->file, "  %-21s %d\n  %-21s %d\n", "qhull face", graph[1], "qhull vert", graph[0]);
}

static void print_tendon_path(const snPrinter* p, const mjModel* m, int tendon) {
  fprintf(p->file, "  path\n    type  objid  prm\n");
  for (int k = 0; k < m->tendon_num[tendon]; k++) {
    int w = m->tendon_adr[tendon] + k;
    fprintf(p->file, "    %d     %d     ", m->wrap_type[w], m->wrap_objid[w]);
    print_real(p, m->wrap_prm[w]);
    fputc('\n', p->file);
  }
  fputc('\n', p->file);
}

static bool is_of(const snField* f, int o) {
  return !strcmp(f->rows_name, objects[o].rows) && strncmp(f->name, "name_", 5) != 0;
}

static void print_objects(const snPrinter* p, const mjModel* m, int o) {
  int count = 0;
  for (int i = 0; i < schema_model_count; i++) {
    if (is_of(&schema_model[i], o)) count = (int)schema_rows(&schema_model[i], m, NULL);
  }
  for (int id = 0; id < count; id++) {
    int type = objects[o].type;
    fprintf(p->file, "\n%s %d:\n", objects[o].title, id);
    if (type != mjOBJ_UNKNOWN) {
      fprintf(p->file, "  %-21s %s%s\n", "name", type == mjOBJ_HFIELD ? " " : "",
              name_or_empty(m, type, id));
    }
    for (int i = 0; i < schema_model_count; i++) {
      if (is_of(schema_listed(i), o)) print_row(p, m, schema_listed(i), (size_t)id);
    }
    if (type == mjOBJ_MESH) print_mesh_graph(p, m, id);
    if (type == mjOBJ_TENDON) print_tendon_path(p, m, id);
  }
  if (count) fputc('\n', p->file);
}

// ---- custom fields, keyframes, bounding volume hierarchies

static void print_custom_head(const snPrinter* p, const mjModel* m, const char* title, int type,
                              int id, int size) {
  fprintf(p->file, "\n%s %d:\n  %-12s %s\n  %-12s %d\n", title, id, "name",
          name_or_empty(m, type, id), "size", size);
}

static void print_reals(const snPrinter* p, const mjtNum* x, int n) {
  for (int i = 0; i < n; i++) print_real(p, x[i]);
  fputc('\n', p->file);
}

static void print_custom(const snPrinter* p, const mjModel* m) {
  for (int i = 0; i < m->nnumeric; i++) {
    print_custom_head(p, m, "NUMERIC", mjOBJ_NUMERIC, i, m->numeric_size[i]);
    fprintf(p->file, "  %-12s", "value");
    print_reals(p, m->numeric_data + m->numeric_adr[i], m->numeric_size[i]);
  }
  if (m->nnumeric) fputc('\n', p->file);
  for (int i = 0; i < m->ntext; i++) {
    print_custom_head(p, m, "TEXT", mjOBJ_TEXT, i, m->text_size[i]);
    fprintf(p->file, "  %-12s %s\n", "value", m->text_data + m->text_adr[i]);
  }
  if (m->ntext) fputc('\n', p->file);
  for (int i = 0; i < m->ntuple; i++) {
    print_custom_head(p, m, "TUPLE", mjOBJ_TUPLE, i, m->tuple_size[i]);
    fprintf(p->file, "  elements\n");
    for (int k = m->tuple_adr[i]; k < m->tuple_adr[i] + m->tuple_size[i]; k++) {
      fprintf(p->file, "       %s %d, prm = ", mju_type2Str(m->tuple_objtype[k]),
              m->tuple_objid[k]);
      print_reals(p, m->tuple_objprm + k, 1);
    }
  }
  if (m->ntuple) fputc('\n', p->file);
}

// Parts of a keyframe that equal what a reset gives are omitted.
static bool print_key_part(const snPrinter* p, const char* part, int key, const mjtNum* x,
                           const mjtNum* usual, int n) {
  bool differs = false;
  for (int i = 0; i < n; i++) differs = differs || x[i] != (usual ? usual[i] : 0);
  if (!differs) return false;
  fprintf(p->file, "key_%s%d   ", part, key);
  print_reals(p, x, n);
  return true;
}

static bool print_key_mocap(const snPrinter* p, const mjModel* m, int key, bool pos) {
  int width = pos ? 3 : 4;
  const mjtNum* x = (pos ? m->key_mpos : m->key_mquat) + (size_t)width * m->nmocap * key;
  bool differs = false;
  for (int b = 0; b < m->nbody; b++) {
    int k = m->body_mocapid[b];
    const mjtNum* usual = pos ? m->body_pos + 3 * b : m->body_quat + 4 * b;
    for (int i = 0; k >= 0 && i < width; i++) differs = differs || x[width * k + i] != usual[i];
  }
  if (!differs) return false;
  fprintf(p->file, "key_%s%d   ", pos ? "mpos" : "mquat", key);
  print_reals(p, x, width * m->nmocap);
  return true;
}

static void print_keys(const snPrinter* p, const mjModel* m) {
  for (int i = 0; i < m->nkey; i++) {
    const char* name = name_or_empty(m, mjOBJ_KEY, i);
    if (*name) fprintf(p->file, "key_name%d    %s\n", i, name);
    if (m->key_time[i] != 0) fprintf(p->file, "key_time%d    %.4f\n", i, m->key_time[i]);
    int parts = print_key_part(p, "qpos", i, m->key_qpos + (size_t)i * m->nq, m->qpos0, m->nq);
    parts += print_key_part(p, "qvel", i, m->key_qvel + (size_t)i * m->nv, NULL, m->nv);
    parts += print_key_part(p, "act", i, m->key_act + (size_t)i * m->na, NULL, m->na);
    parts += print_key_mocap(p, m, i, true);
    parts += print_key_mocap(p, m, i, false);
    parts += print_key_part(p, "ctrl", i, m->key_ctrl + (size_t)i * m->nu, NULL, m->nu);
    if (parts) fputc('\n', p->file);
  }
}

static void print_trees(const snPrinter* p, const mjModel* m) {
  fprintf(p->file, "BVH:\n  id      depth   nodeid  child[0]  child[1]\n");
  for (int i = 0; i < m->nbvh; i++) {
    fprintf(p->file, "  %-8d%-8d% -8d% -10d% d\n", i, m->bvh_depth[i], m->bvh_nodeid[i],
            m->bvh_child[2 * i], m->bvh_child[2 * i + 1]);
  }
  fputc('\n', p->file);
}

// ---- header

static void print_memory(const snPrinter* p, const mjModel* m) {
  size_t meshes = 0, skins = 0;
  for (int i = 0; i < schema_model_count; i++) {
    const snField* f = &schema_model[i];
    bool poly = !strncmp(f->name, "mesh_poly", 9);
    if (!strncmp(f->name, "mesh_", 5) && strcmp(f->rows_name, "nmesh") && !poly) {
      meshes += schema_bytes(f, m, NULL);
    }
    if (!strncmp(f->name, "skin_", 5) && strcmp(f->rows_name, "nskin")) {
      skins += schema_bytes(f, m, NULL);
    }
  }
  const struct {
    const char* name;
    size_t bytes;
  } rows[] = {{"total", (size_t)mj_sizeModel(m)},
              {"meshes", meshes},
              {"textures", (size_t)m->ntexdata},
              {"skins", skins}};
  fprintf(p->file, "MEMORY\n");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (!rows[i].bytes) continue;
    fprintf(p->file, "  %-14s", rows[i].name);
    print_bytes(p, rows[i].bytes);
    fputc('\n', p->file);
  }
}

static void print_member(const snPrinter* p, const mjModel* m, const snMember* f,
                         const char* between) {
  fprintf(p->file, "  %-19s%s", f->name, print_is_real(f->type) ? "" : " ");
  for (int i = 0; i < f->count; i++) {
    print_element(p, f->type, (const char*)m + f->offset, (size_t)i);
    if (f->count > 1) fputs(between, p->file);
  }
  fputc('\n', p->file);
}

static void print_sizes(const snPrinter* p, const mjModel* m) {
  fprintf(p->file, "\nSIZES\n");
  for (int i = 0; i < schema_size_count; i++) {
    if (schema_int(m, schema_size[i].offset)) print_member(p, m, &schema_size[i], "");
  }
  if (m->narena) fprintf(p->file, "  %-19s %zu\n", "narena", m->narena);
  if (m->nbuffer) fprintf(p->file, "  %-19s %zu\n", "nbuffer", m->nbuffer);
}

// Scalars, then integers, then vectors, as released.
static void print_options(const snPrinter* p, const mjModel* m) {
  fprintf(p->file, "\nOPTION\n");
  for (int pass = 0; pass < 3; pass++) {
    for (int i = 0; i < schema_option_count; i++) {
      const snMember* f = &schema_option[i];
      int kind = f->count > 1 ? 2 : print_is_real(f->type) ? 0 : 1;
      if (kind == pass) print_member(p, m, f, " ");
    }
  }
}

static void print_configuration(const snPrinter* p, const char* name, const mjtNum* x, int n) {
  fprintf(p->file, "%-21s", name);
  for (int i = 0; i < n; i++) {
    print_real(p, x[i]);
    fputc(' ', p->file);
  }
  fprintf(p->file, "\n\n");
}

void mj_printFormattedModel(const mjModel* m, const char* filename, const char* float_format) {
  snPrinter p;
  if (!print_open(&p, "mj_printFormattedModel", filename, float_format)) return;
  fprintf(p.file, "MuJoCo version %s\nmodel name     %s\n\n", mj_versionString(),
          m->nnames ? m->names : "");
  print_memory(&p, m);
  print_sizes(&p, m);
  print_options(&p, m);
  fprintf(p.file, "\n%-21s", "totalmass");
  print_real(&p, mj_getTotalmass(m));
  fprintf(p.file, "\n\nSTATISTIC\n");
  for (int i = 0; i < schema_statistic_count; i++) print_member(&p, m, &schema_statistic[i], "");
  fputc('\n', p.file);
  print_configuration(&p, "qpos0", m->qpos0, m->nq);
  print_configuration(&p, "qpos_spring", m->qpos_spring, m->nq);
  for (int o = 0; o < NOBJECTS; o++) print_objects(&p, m, o);
  print_custom(&p, m);
  print_keys(&p, m);
  print_trees(&p, m);
  print_close(&p, "mj_printFormattedModel", filename);
}

void mj_printModel(const mjModel* m, const char* filename) {
  mj_printFormattedModel(m, filename, PRINT_REAL);
}
