// Numbers of a model that are NaN or infinite: they sooner or later make every state NaN.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/schema.h"
#include "sinew.h"

// The type of object of an array's rows, by the name of their number (nbody ...).
static int rows_type(const char* rows) {
  static const struct {
    const char* rows;
    int type;
  } kTypes[] = {{"nbody", mjOBJ_BODY},     {"njnt", mjOBJ_JOINT},     {"ngeom", mjOBJ_GEOM},
                {"nsite", mjOBJ_SITE},     {"ncam", mjOBJ_CAMERA},    {"nlight", mjOBJ_LIGHT},
                {"nflex", mjOBJ_FLEX},     {"nmesh", mjOBJ_MESH},     {"nskin", mjOBJ_SKIN},
                {"nhfield", mjOBJ_HFIELD}, {"ntex", mjOBJ_TEXTURE},   {"nmat", mjOBJ_MATERIAL},
                {"npair", mjOBJ_PAIR},     {"neq", mjOBJ_EQUALITY},   {"ntendon", mjOBJ_TENDON},
                {"nu", mjOBJ_ACTUATOR},    {"nsensor", mjOBJ_SENSOR}, {"nnumeric", mjOBJ_NUMERIC},
                {"nkey", mjOBJ_KEY},       {"ntuple", mjOBJ_TUPLE}};
  for (size_t i = 0; i < sizeof kTypes / sizeof *kTypes; i++) {
    if (!strcmp(rows, kTypes[i].rows)) return kTypes[i].type;
  }
  return mjOBJ_UNKNOWN;
}

static double number_at(const void* array, snType type, size_t i) {
  return type == snTYPE_mjtNum ? ((const mjtNum*)array)[i] : (double)((const float*)array)[i];
}

static int check_array(const mjModel* m, const snField* f) {
  if (f->type != snTYPE_mjtNum && f->type != snTYPE_float) return 0;
  const void* array = schema_array(m, f);
  size_t rows = schema_rows(f, m, NULL), columns = schema_columns(f, m);
  int type = rows_type(f->rows_name), found = 0;
  const char* bare = strchr(f->name, '_');
  for (size_t r = 0; r < rows; r++) {
    for (size_t c = 0; c < columns; c++) {
      double x = number_at(array, f->type, r * columns + c);
      if (isfinite(x)) continue;
      if (type != mjOBJ_UNKNOWN && bare) {
        printf("%s: %s[%zu] is %g\n", describe(m, type, (int)r), bare + 1, c, x);
      } else {
        printf("%s[%zu] is %g\n", f->name, r * columns + c, x);
      }
      found++;
      break;  // one message per row
    }
  }
  return found;
}

int check_numbers(const mjModel* m) {
  int found = 0;
  for (int i = 0; i < schema_option_count; i++) {
    const snMember* o = schema_option + i;
    if (o->type != snTYPE_mjtNum && o->type != snTYPE_float) continue;
    for (int k = 0; k < o->count; k++) {
      double x = number_at((const char*)m + o->offset, o->type, (size_t)k);
      if (isfinite(x)) continue;
      printf("option %s is %g\n", o->name, x);
      found++;
      break;
    }
  }
  for (int i = 0; i < schema_model_count; i++) found += check_array(m, schema_model + i);
  return found;
}
