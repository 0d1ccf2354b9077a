// The MJCF schema as a whole: shared keywords, lookup, nearest names for messages, mj_printSchema.
#include "read/table.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/system.h"
#include "read/table_fields.h"

// ---- keywords
const snKeyword key_bool[] = {{"false", 0}, {"true", 1}, {NULL, 0}};
const snKeyword key_auto[] = {{"false", 0}, {"true", 1}, {"auto", 2}, {NULL, 0}};
const snKeyword key_enable[] = {{"disable", 0}, {"enable", 1}, {NULL, 0}};
const snKeyword key_angle[] = {{"radian", 0}, {"degree", 1}, {NULL, 0}};
const snKeyword key_coordinate[] = {{"local", 0}, {"global", 1}, {NULL, 0}};
const snKeyword key_fluid[] = {{"none", 0}, {"ellipsoid", 1}, {NULL, 0}};
const snKeyword key_joint[] = {{"free", mjJNT_FREE},
                               {"ball", mjJNT_BALL},
                               {"slide", mjJNT_SLIDE},
                               {"hinge", mjJNT_HINGE},
                               {NULL, 0}};
const snKeyword key_geom[] = {{"plane", mjGEOM_PLANE},
                              {"hfield", mjGEOM_HFIELD},
                              {"sphere", mjGEOM_SPHERE},
                              {"capsule", mjGEOM_CAPSULE},
                              {"ellipsoid", mjGEOM_ELLIPSOID},
                              {"cylinder", mjGEOM_CYLINDER},
                              {"box", mjGEOM_BOX},
                              {"mesh", mjGEOM_MESH},
                              {"sdf", mjGEOM_SDF},
                              {NULL, 0}};
const snKeyword key_mode[] = {{"fixed", mjCAMLIGHT_FIXED},
                              {"track", mjCAMLIGHT_TRACK},
                              {"trackcom", mjCAMLIGHT_TRACKCOM},
                              {"targetbody", mjCAMLIGHT_TARGETBODY},
                              {"targetbodycom", mjCAMLIGHT_TARGETBODYCOM},
                              {NULL, 0}};
const snKeyword key_light[] = {{"spot", mjLIGHT_SPOT},
                               {"directional", mjLIGHT_DIRECTIONAL},
                               {"point", mjLIGHT_POINT},
                               {"image", mjLIGHT_IMAGE},
                               {NULL, 0}};
const snKeyword key_integrator[] = {{"Euler", mjINT_EULER},
                                    {"RK4", mjINT_RK4},
                                    {"implicit", mjINT_IMPLICIT},
                                    {"implicitfast", mjINT_IMPLICITFAST},
                                    {NULL, 0}};
const snKeyword key_cone[] = {
    {"pyramidal", mjCONE_PYRAMIDAL}, {"elliptic", mjCONE_ELLIPTIC}, {NULL, 0}};
const snKeyword key_jacobian[] = {
    {"dense", mjJAC_DENSE}, {"sparse", mjJAC_SPARSE}, {"auto", mjJAC_AUTO}, {NULL, 0}};
const snKeyword key_solver[] = {
    {"PGS", mjSOL_PGS}, {"CG", mjSOL_CG}, {"Newton", mjSOL_NEWTON}, {NULL, 0}};
const snKeyword key_texture[] = {
    {"2d", mjTEXTURE_2D}, {"cube", mjTEXTURE_CUBE}, {"skybox", mjTEXTURE_SKYBOX}, {NULL, 0}};
const snKeyword key_colorspace[] = {{"auto", mjCOLORSPACE_AUTO},
                                    {"linear", mjCOLORSPACE_LINEAR},
                                    {"sRGB", mjCOLORSPACE_SRGB},
                                    {NULL, 0}};
const snKeyword key_builtin[] = {{"none", mjBUILTIN_NONE},
                                 {"gradient", mjBUILTIN_GRADIENT},
                                 {"checker", mjBUILTIN_CHECKER},
                                 {"flat", mjBUILTIN_FLAT},
                                 {NULL, 0}};
const snKeyword key_mark[] = {{"none", mjMARK_NONE},
                              {"edge", mjMARK_EDGE},
                              {"cross", mjMARK_CROSS},
                              {"random", mjMARK_RANDOM},
                              {NULL, 0}};
const snKeyword key_role[] = {{"rgb", mjTEXROLE_RGB},
                              {"occlusion", mjTEXROLE_OCCLUSION},
                              {"roughness", mjTEXROLE_ROUGHNESS},
                              {"metallic", mjTEXROLE_METALLIC},
                              {"normal", mjTEXROLE_NORMAL},
                              {"opacity", mjTEXROLE_OPACITY},
                              {"emissive", mjTEXROLE_EMISSIVE},
                              {"rgba", mjTEXROLE_RGBA},
                              {"orm", mjTEXROLE_ORM},
                              {NULL, 0}};
const snKeyword key_dyn[] = {{"none", mjDYN_NONE},
                             {"integrator", mjDYN_INTEGRATOR},
                             {"filter", mjDYN_FILTER},
                             {"filterexact", mjDYN_FILTEREXACT},
                             {"muscle", mjDYN_MUSCLE},
                             {"user", mjDYN_USER},
                             {NULL, 0}};
const snKeyword key_gain[] = {{"fixed", mjGAIN_FIXED},
                              {"affine", mjGAIN_AFFINE},
                              {"muscle", mjGAIN_MUSCLE},
                              {"user", mjGAIN_USER},
                              {NULL, 0}};
const snKeyword key_bias[] = {{"none", mjBIAS_NONE},
                              {"affine", mjBIAS_AFFINE},
                              {"muscle", mjBIAS_MUSCLE},
                              {"user", mjBIAS_USER},
                              {NULL, 0}};
const snKeyword key_stage[] = {{"none", mjSTAGE_NONE},
                               {"pos", mjSTAGE_POS},
                               {"vel", mjSTAGE_VEL},
                               {"acc", mjSTAGE_ACC},
                               {NULL, 0}};
const snKeyword key_datatype[] = {{"real", mjDATATYPE_REAL},
                                  {"positive", mjDATATYPE_POSITIVE},
                                  {"axis", mjDATATYPE_AXIS},
                                  {"quaternion", mjDATATYPE_QUATERNION},
                                  {NULL, 0}};
const snKeyword key_meshinertia[] = {{"convex", mjMESH_INERTIA_CONVEX},
                                     {"exact", mjMESH_INERTIA_EXACT},
                                     {"legacy", mjMESH_INERTIA_LEGACY},
                                     {"shell", mjMESH_INERTIA_SHELL},
                                     {NULL, 0}};
const snKeyword key_lrmode[] = {{"none", mjLRMODE_NONE},
                                {"muscle", mjLRMODE_MUSCLE},
                                {"muscleuser", mjLRMODE_MUSCLEUSER},
                                {"all", mjLRMODE_ALL},
                                {NULL, 0}};
const snKeyword key_selfcollide[] = {{"none", mjFLEXSELF_NONE}, {"narrow", mjFLEXSELF_NARROW},
                                     {"bvh", mjFLEXSELF_BVH},   {"sap", mjFLEXSELF_SAP},
                                     {"auto", mjFLEXSELF_AUTO}, {NULL, 0}};
const snKeyword key_elastic2d[] = {
    {"none", 0}, {"bend", 1}, {"stretch", 2}, {"both", 3}, {NULL, 0}};
const snKeyword flag_disable[] = {{"constraint", mjDSBL_CONSTRAINT},
                                  {"equality", mjDSBL_EQUALITY},
                                  {"frictionloss", mjDSBL_FRICTIONLOSS},
                                  {"limit", mjDSBL_LIMIT},
                                  {"contact", mjDSBL_CONTACT},
                                  {"passive", mjDSBL_PASSIVE},
                                  {"gravity", mjDSBL_GRAVITY},
                                  {"clampctrl", mjDSBL_CLAMPCTRL},
                                  {"warmstart", mjDSBL_WARMSTART},
                                  {"filterparent", mjDSBL_FILTERPARENT},
                                  {"actuation", mjDSBL_ACTUATION},
                                  {"refsafe", mjDSBL_REFSAFE},
                                  {"sensor", mjDSBL_SENSOR},
                                  {"midphase", mjDSBL_MIDPHASE},
                                  {"eulerdamp", mjDSBL_EULERDAMP},
                                  {"autoreset", mjDSBL_AUTORESET},
                                  {"nativeccd", mjDSBL_NATIVECCD},
                                  {NULL, 0}};
const snKeyword flag_enable[] = {{"override", mjENBL_OVERRIDE},
                                 {"energy", mjENBL_ENERGY},
                                 {"fwdinv", mjENBL_FWDINV},
                                 {"invdiscrete", mjENBL_INVDISCRETE},
                                 {"multiccd", mjENBL_MULTICCD},
                                 {"island", mjENBL_ISLAND},
                                 {NULL, 0}};
const snKeyword key_axisangle[] = {{NULL, mjORIENTATION_AXISANGLE}};
const snKeyword key_xyaxes[] = {{NULL, mjORIENTATION_XYAXES}};
const snKeyword key_zaxis[] = {{NULL, mjORIENTATION_ZAXIS}};
const snKeyword key_euler[] = {{NULL, mjORIENTATION_EULER}};

// ---- the root
static const snTagAttr kMujoco[] = {CODE_STR("model", 0, 1)};
static const snTag* const kSections[] = {
    &table_compiler, &table_option,     &table_size,     &table_visual,   &table_statistic,
    &table_default,  &table_extension,  &table_custom,   &table_asset,    &table_worldbody,
    &table_body,     &table_deformable, &table_contact,  &table_equality, &table_tendon,
    &table_actuator, &table_sensor,     &table_keyframe,
};
const snTag table_mujoco = {"mujoco", '!', false, kMujoco, 1, 1, NULL, 0, 0};

// Elements that nest in each other, in addition to the children listed in the table.
static const snTag* const kInBody[] = {&table_body, &table_frame, &table_replicate};

// The i-th possible child of an element; NULL after the last.
static const snTag* child_at(const snTag* tag, int i) {
  if (tag == &table_mujoco) {
    return i < snCOUNT(kSections) ? kSections[i] : NULL;
  }
  if (i < tag->nchild) return tag->children + i;
  i -= tag->nchild;
  if (tag == &table_default) return i == 0 ? tag : NULL;
  if (tag == &table_worldbody || tag == &table_body || tag == &table_frame ||
      tag == &table_replicate) {
    return i < snCOUNT(kInBody) ? kInBody[i] : NULL;
  }
  return NULL;
}

const snTag* table_child(const snTag* tag, const char* name) {
  const snTag* child;
  for (int i = 0; (child = child_at(tag, i)); i++) {
    if (child->name[0] == name[0] && !strcmp(child->name, name)) {
      return child;
    }
  }
  return NULL;
}

const snTagAttr* table_attribute(const snTag* tag, const char* name) {
  for (int i = 1; i < tag->nattribute; i++) {
    SN_ASSERT(strcmp(tag->attributes[i - 1].name, tag->attributes[i].name) <= 0);
  }
  int low = 0, high = tag->nattribute - 1;
  while (low <= high) {
    int mid = (low + high) / 2;
    int order = strcmp(name, tag->attributes[mid].name);
    if (order < 0) {
      high = mid - 1;
    } else if (order > 0) {
      low = mid + 1;
    } else {
      // members of a family may have two rows for one name, next to each other
      for (int i = mid > 0 ? mid - 1 : 0; i <= mid + 1 && i < tag->nattribute; i++) {
        const snTagAttr* a = tag->attributes + i;
        if ((a->where & tag->mask) && !strcmp(a->name, name)) return a;
      }
      return NULL;
    }
  }
  return NULL;
}

// ---- nearest name: Damerau-Levenshtein distance (insertions, deletions, changes, swaps)
static int edits(const char* a, const char* b) {
  enum { kMost = 32 };
  int na = (int)strlen(a), nb = (int)strlen(b);
  if (na >= kMost || nb >= kMost) return kMost;
  int row[3][kMost + 1];
  for (int j = 0; j <= nb; j++) row[0][j] = j;
  for (int i = 1; i <= na; i++) {
    int *now = row[i % 3], *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
    now[0] = i;
    for (int j = 1; j <= nb; j++) {
      int best = last[j - 1] + (a[i - 1] != b[j - 1]);
      if (last[j] + 1 < best) best = last[j] + 1;
      if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
          before[j - 2] + 1 < best) {
        best = before[j - 2] + 1;
      }
      now[j] = best;
    }
  }
  return row[na % 3][nb];
}

typedef struct Nearest_ {
  const char* name;
  int distance;
} Nearest;

// Accepts a distance of up to a third of the letters.
static void consider(Nearest* nearest, const char* wrong, const char* candidate) {
  int distance = edits(wrong, candidate);
  int allowed = 1 + (int)strlen(candidate) / 3;
  if (distance <= allowed && (!nearest->name || distance < nearest->distance)) {
    nearest->name = candidate;
    nearest->distance = distance;
  }
}

const char* table_nearest_attribute(const snTag* tag, const char* name) {
  Nearest nearest = {0};
  for (int i = 0; i < tag->nattribute; i++) {
    if (tag->attributes[i].where & tag->mask) consider(&nearest, name, tag->attributes[i].name);
  }
  return nearest.name;
}

const char* table_nearest_child(const snTag* tag, const char* name) {
  Nearest nearest = {0};
  const snTag* child;
  for (int i = 0; (child = child_at(tag, i)); i++) {
    if (tag != &table_mujoco || child != &table_body) consider(&nearest, name, child->name);
  }
  return nearest.name;
}

const char* table_nearest_keyword(const snKeyword* keys, const char* name) {
  Nearest nearest = {0};
  for (; keys->name; keys++) consider(&nearest, name, keys->name);
  return nearest.name;
}

const char* table_keywords(const snKeyword* keys, char* buffer, int size) {
  int used = 0;
  if (size > 0) buffer[0] = 0;
  for (int i = 0; keys[i].name && used < size; i++) {
    used += snprintf(buffer + used, size - used, "%s%s", i ? ", " : "", keys[i].name);
  }
  return buffer;
}

const char* table_keyword(const snKeyword* keys, int value) {
  for (; keys->name; keys++) {
    if (keys->value == value) return keys->name;
  }
  return NULL;
}

// ---- mj_printSchema
typedef struct Sink_ {
  FILE* file;
  char* buffer;
  int size;
  int total;  // characters so far, including those beyond the buffer
} Sink;

static void put(Sink* sink, const char* text) {
  int length = (int)strlen(text);
  if (sink->file) fwrite(text, 1, length, sink->file);
  if (sink->buffer && sink->total < sink->size) {
    int room = sink->size - sink->total;
    memcpy(sink->buffer + sink->total, text, length < room ? length : room);
  }
  sink->total += length;
}

// Elements in the left column of 30 characters, attributes wrapped to its right.
static void print_text(Sink* sink, const snTag* tag, const char* name, int depth) {
  enum { kLeft = 30, kRight = 60 };
  char line[128];
  snprintf(line, sizeof(line), "%*s%s (%c)", 3 * depth, "", name, tag->multiplicity);
  int column = (int)strlen(line);
  put(sink, line);
  for (; column < kLeft; column++) put(sink, " ");
  int used = 0;
  const char* last = NULL;
  for (int i = 0; i < tag->nattribute; i++) {
    const snTagAttr* a = tag->attributes + i;
    if (!(a->where & tag->mask) || (last && !strcmp(last, a->name))) continue;
    last = a->name;
    if (used > kRight - kLeft) {
      snprintf(line, sizeof(line), "\n%*s", kLeft, "");
      put(sink, line);
      used = 0;
    }
    put(sink, a->name);
    put(sink, " ");
    used += (int)strlen(a->name) + 1;
  }
  put(sink, "\n");
}

static void print_html(Sink* sink, const snTag* tag, const char* name, int depth, int pad) {
  char line[128];
  put(sink, "<tr>\n\t<td ");
  if (pad) {
    snprintf(line, sizeof(line), "style=\"padding-left:%d\" ", 5 + 15 * depth);
    put(sink, line);
  }
  put(sink, "bgcolor=\"#EEEEEE\" class=\"el\">");
  for (int i = 0; !pad && i < 4 * depth; i++) put(sink, "&nbsp;");
  put(sink, name);
  snprintf(line, sizeof(line), "</td>\n\t<td class=\"ty\">%c</td>\n\t<td class=\"at\">",
           tag->multiplicity);
  put(sink, line);
  int count = 0;
  const char* last = NULL;
  for (int i = 0; i < tag->nattribute; i++) {
    const snTagAttr* a = tag->attributes + i;
    if (!(a->where & tag->mask) || (last && !strcmp(last, a->name))) continue;
    last = a->name;
    put(sink, a->name);
    put(sink, " ");
    count++;
  }
  if (!count) put(sink, "<span style=\"color:black\"><i>no attributes</i></span>");
  put(sink, "</td>\n</tr>\n");
}

static void print_tag(Sink* sink, const snTag* tag, int depth, int html, int pad) {
  const char* name = tag == &table_body ? "(world)body" : tag->name;
  if (html) {
    print_html(sink, tag, name, depth, pad);
  } else {
    print_text(sink, tag, name, depth);
  }
  const snTag* child;
  for (int i = 0; (child = child_at(tag, i)); i++) {
    bool again = tag != &table_mujoco && child->multiplicity == 'R';
    if (!child->hidden && !again) print_tag(sink, child, depth + 1, html, pad);
  }
}

MJAPI int mj_printSchema(const char* filename, char* buffer, int buffer_sz, int flg_html,
                         int flg_pad) {
  Sink sink = {0};
  if (filename) {
    sink.file = system_create(filename);
    if (!sink.file) return 0;
  }
  sink.buffer = buffer;
  sink.size = buffer ? buffer_sz : 0;
  if (flg_html) put(&sink, "<table border=\"1\">\n");
  print_tag(&sink, &table_mujoco, 0, flg_html, flg_pad);
  if (flg_html) put(&sink, "</table>\n");
  if (sink.file) fclose(sink.file);
  if (sink.buffer && sink.size > 0) {
    sink.buffer[sink.total < sink.size ? sink.total : sink.size - 1] = 0;
  }
  return sink.total;
}
