// mjModel as text: sizes, options, then object by object.
#include "model/print.h"

#include <ctype.h>
#include <errno.h>

#include "model/model.h"

// Exactly one conversion, and that of a double.
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
    mju_warning("%s: '%s' is not a format for one floating-point value", function,
                format ? format : "");
    return false;
  }
  if (!filename || !*filename) {
    mju_warning("%s: no file name", function);
    return false;
  }
  p->real = format;
  p->file = fopen(filename, "w");
  if (!p->file) mju_warning("%s: cannot write file '%s': %s", function, filename, strerror(errno));
  return p->file != NULL;
}

void print_close(snPrinter* p, const char* function, const char* filename) {
  bool failed = ferror(p->file) != 0;
  if (fclose(p->file) || failed) mju_warning("%s: cannot write file '%s'", function, filename);
}

void print_element(snPrinter* p, snType type, const void* array, size_t i) {
  fputc(' ', p->file);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  switch (type) {
    case snTYPE_mjtNum:
      fprintf(p->file, p->real, ((const mjtNum*)array)[i]);
      break;
    case snTYPE_float:
      fprintf(p->file, p->real, (double)((const float*)array)[i]);
      break;
    case snTYPE_int:
      fprintf(p->file, "%d", ((const int*)array)[i]);
      break;
    case snTYPE_mjtByte:
      fprintf(p->file, "%d", ((const mjtByte*)array)[i]);
      break;
    case snTYPE_char:
      fprintf(p->file, "%d", ((const char*)array)[i]);
      break;
    case snTYPE_size_t:
      fprintf(p->file, "%zu", ((const size_t*)array)[i]);
      break;
    case snTYPE_uint64_t:
      fprintf(p->file, "%llu", (unsigned long long)((const uint64_t*)array)[i]);
      break;
    case snTYPE_uintptr_t:
      fprintf(p->file, "%llu", (unsigned long long)((const uintptr_t*)array)[i]);
      break;
    default:
      break;
  }
#pragma GCC diagnostic pop
}

void print_member(snPrinter* p, const void* base, const snMember* f, bool skip_zero) {
  const char* at = (const char*)base + f->offset;
  if (skip_zero && f->count == 1) {
    static const char zero[sizeof(double)];
    if (!memcmp(at, zero, (size_t)f->width)) return;
  }
  fprintf(p->file, "  %-20s", f->name);
  for (int i = 0; i < f->count; i++) print_element(p, f->type, at, (size_t)i);
  fputc('\n', p->file);
}

// ---- arrays: those that share their rows are printed together, row by row

// Objects of these sizes are printed one by one; the arrays of other sizes one by one.
static const struct {
  const char *rows, *title;
  int type;  // of the name, or mjOBJ_UNKNOWN
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
    {"nhfield", "HFIELD", mjOBJ_HFIELD},
    {"ntex", "TEXTURE", mjOBJ_TEXTURE},
    {"nmat", "MATERIAL", mjOBJ_MATERIAL},
    {"npair", "PAIR", mjOBJ_PAIR},
    {"nexclude", "EXCLUDE", mjOBJ_EXCLUDE},
    {"neq", "EQUALITY", mjOBJ_EQUALITY},
    {"ntendon", "TENDON", mjOBJ_TENDON},
    {"nwrap", "WRAP", mjOBJ_UNKNOWN},
    {"nu", "ACTUATOR", mjOBJ_ACTUATOR},
    {"nsensor", "SENSOR", mjOBJ_SENSOR},
    {"nplugin", "PLUGIN", mjOBJ_PLUGIN},
    {"nnumeric", "NUMERIC", mjOBJ_NUMERIC},
    {"ntext", "TEXT", mjOBJ_TEXT},
    {"ntuple", "TUPLE", mjOBJ_TUPLE},
    {"nkey", "KEY", mjOBJ_KEY},
};
enum { NOBJECTS = sizeof objects / sizeof objects[0] };

static void print_row(snPrinter* p, const mjModel* m, const snField* f, size_t row) {
  size_t columns = schema_columns(f, m);
  if (!columns) return;
  fprintf(p->file, "  %-22s", f->name);
  for (size_t k = 0; k < columns; k++) {
    print_element(p, f->type, schema_array(m, f), row * columns + k);
  }
  fputc('\n', p->file);
}

static void print_objects(snPrinter* p, const mjModel* m, int o) {
  int count = -1;
  for (int i = 0; i < schema_model_count; i++) {
    if (!strcmp(schema_model[i].rows_name, objects[o].rows)) {
      count = (int)schema_rows(&schema_model[i], m, NULL);
    }
  }
  for (int id = 0; id < count; id++) {
    fprintf(p->file, "\n%s %d:\n", objects[o].title, id);
    const char* name = mj_id2name(m, objects[o].type, id);
    if (name) fprintf(p->file, "  %-22s %s\n", "name", name);
    for (int i = 0; i < schema_model_count; i++) {
      if (!strcmp(schema_model[i].rows_name, objects[o].rows)) {
        print_row(p, m, &schema_model[i], (size_t)id);
      }
    }
  }
}

static bool is_object(const snField* f) {
  for (int o = 0; o < NOBJECTS; o++) {
    if (!strcmp(f->rows_name, objects[o].rows)) return true;
  }
  return false;
}

static void print_strings(snPrinter* p, const snField* f, const char* text, size_t bytes) {
  fprintf(p->file, "\n%s\n", f->name);
  for (size_t at = 0; at < bytes;) {
    size_t length = strnlen(text + at, bytes - at);
    if (length) fprintf(p->file, "  %zu: %.*s\n", at, (int)length, text + at);
    at += length + 1;
  }
}

// Bulk arrays of assets would bury the rest.
static void print_array(snPrinter* p, const mjModel* m, const snField* f) {
  enum { BULK = 1 << 14 };
  size_t rows = schema_rows(f, m, NULL), columns = schema_columns(f, m);
  if (!rows || !columns) return;
  if (f->type == snTYPE_char) {
    print_strings(p, f, schema_array(m, f), rows * columns);
    return;
  }
  if (rows * columns > BULK) {
    fprintf(p->file, "\n%s: %zu x %zu, too many to print\n", f->name, rows, columns);
    return;
  }
  fprintf(p->file, "\n%s\n ", f->name);
  for (size_t i = 0; i < rows * columns; i++) {
    if (i && (columns > 1 ? i % columns == 0 : i % 10 == 0)) fprintf(p->file, "\n ");
    print_element(p, f->type, schema_array(m, f), i);
  }
  fputc('\n', p->file);
}

void mj_printFormattedModel(const mjModel* m, const char* filename, const char* float_format) {
  snPrinter p;
  if (!print_open(&p, "mj_printFormattedModel", filename, float_format)) return;
  fprintf(p.file, "model name             %s\n", m->nnames ? m->names : "");
  fprintf(p.file, "\nSIZES\n");
  for (int i = 0; i < schema_size_count; i++) print_member(&p, m, &schema_size[i], true);
  fprintf(p.file, "  %-20s %zu\n  %-20s %zu\n", "narena", m->narena, "nbuffer", m->nbuffer);
  fprintf(p.file, "\nOPTION\n");
  for (int i = 0; i < schema_option_count; i++) print_member(&p, m, &schema_option[i], false);
  fprintf(p.file, "\nVISUAL");
  const char* group = "";
  for (int i = 0; i < schema_visual_count; i++) {
    if (strcmp(group, schema_visual[i].group)) fprintf(p.file, "\n %s\n", schema_visual[i].group);
    group = schema_visual[i].group;
    print_member(&p, m, &schema_visual[i], false);
  }
  fprintf(p.file, "\nSTATISTIC\n");
  for (int i = 0; i < schema_statistic_count; i++) {
    print_member(&p, m, &schema_statistic[i], false);
  }
  for (int o = 0; o < NOBJECTS; o++) print_objects(&p, m, o);
  for (int i = 0; i < schema_model_count; i++) {
    if (!is_object(&schema_model[i])) print_array(&p, m, &schema_model[i]);
  }
  print_close(&p, "mj_printFormattedModel", filename);
}

void mj_printModel(const mjModel* m, const char* filename) {
  mj_printFormattedModel(m, filename, "%- 9.2g");
}
