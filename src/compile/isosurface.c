// Marching cubes: the zero level set of a plugin's signed distance field, sampled over its bounding
// box.
#include <math.h>

#include "compile/asset.h"

#define CELLS 300  // of the three axes together, as released

typedef struct snLattice_ {
  int n[3];  // number of points along each axis
  double low[3], size[3];
  float* value;
  int* vertex;  // (points x 3) vertex on the edge to the previous point along each axis, or -1
} snLattice;

static size_t lattice_at(const snLattice* l, int x, int y, int z) {
  return ((size_t)z * l->n[1] + y) * l->n[0] + x;
}

// Cells in proportion to the sides of the box: n_k = floor((300 / sum of sizes) size_k), evaluated
// in this order, because equal sides often leave no remainder and the floor would jump.
static bool lattice_sample(snLattice* l, const mjpPlugin* plugin, const mjtNum* attribute,
                           snFault* fault) {
  mjtNum box[6];  // center and half sizes
  plugin->sdf_aabb(box, attribute);
  double total = box[3] + box[4] + box[5];
  for (int k = 0; k < 3; k++) {
    if (!(box[3 + k] > 0) || !isfinite(total)) {
      return fault_raise(fault, "bounding box of plugin '%s' has no size", plugin->name);
    }
    int cells = (int)(CELLS / total * box[3 + k]);
    cells = cells < 1 ? 1 : cells;
    l->n[k] = cells + 1;
    l->low[k] = box[k] - box[3 + k];
    l->size[k] = 2 * box[3 + k];
  }
  size_t points = (size_t)l->n[0] * l->n[1] * l->n[2];
  l->value = memory_alloc(points * sizeof *l->value);
  l->vertex = memory_alloc(3 * points * sizeof *l->vertex);
  if (!l->value || !l->vertex) return fault_raise(fault, "no memory for the surface of a plugin");
  float* value = l->value;
  for (int z = 0; z < l->n[2]; z++) {
    for (int y = 0; y < l->n[1]; y++) {
      for (int x = 0; x < l->n[0]; x++) {
        const int index[3] = {x, y, z};
        mjtNum point[3];
        for (int k = 0; k < 3; k++) point[k] = l->low[k] + l->size[k] * index[k] / (l->n[k] - 1);
        *value++ = (float)plugin->sdf_staticdistance(point, attribute);
      }
    }
  }
  return true;
}

// A vertex on each edge along which the field changes sign, by linear interpolation, in cell units.
static void lattice_cross(snLattice* l, snIsosurface* s) {
  const size_t stride[3] = {1, (size_t)l->n[0], (size_t)l->n[0] * l->n[1]};
  size_t at = 0;
  for (int z = 0; z < l->n[2]; z++) {
    for (int y = 0; y < l->n[1]; y++) {
      for (int x = 0; x < l->n[0]; x++, at++) {
        const int index[3] = {x, y, z};
        for (int k = 0; k < 3; k++) {
          int* vertex = l->vertex + 3 * at + k;
          *vertex = -1;
          if (!index[k]) continue;
          float here = l->value[at], there = l->value[at - stride[k]];
          if ((here < 0) == (there < 0)) continue;
          *vertex = s->nvert++;
          if (!s->vert) continue;
          float* point = s->vert + 3 * (size_t)*vertex;
          for (int i = 0; i < 3; i++) point[i] = (float)index[i];
          point[k] = (float)(index[k] - 1) + there / (there - here);
        }
      }
    }
  }
}

// Triangles of a cell, indexed by the set of its corners inside of the surface. Corners are
// numbered by the bits x, y, z; edges are letters, four per direction (a to d along x, e to h along
// y, i to l along z), numbered by the other two bits in turn. How a polygon of crossed edges is
// triangulated is arbitrary; this is the released choice.
// clang-format off
static const char kCell[256][16] = {
    "", "aei", "gaj", "ejgeij", "bke", "biabki", "bkejga", "gbkgkjjki", "lbg", "glbiae", "albajl",
    "beibillij", "kglkeg", "aglaliilk", "eajejkkjl", "ilkijl", "cif", "afcaef", "jgafci",
    "cjgcgffge", "ebkcif", "kfckcbbca", "ajgifcbke", "fbkfcbcgbcjg", "cifbgl", "faefcalbg",
    "lajlbafci", "efbfcjbfjbjl", "gkeglkcif", "ckfcgkglkagc", "cifkjlkejeaj", "ckfcjkjlk", "jch",
    "aeihjc", "cgachg", "ichiheehg", "bkechj", "biabkihjc", "cgachgkeb", "ichihbbhgkib", "lbgchj",
    "aeiglbchj", "hlbhbccba", "eicecbbchbhl", "kglkegchj", "hjcilkialagl", "lkhkeahkahac",
    "hichlilki", "ihjifh", "jaejehhef", "aifafggfh", "efhehg", "hifhjibke", "hjffbkjbfjab",
    "kebgfhgafaif", "kgbkfgfhg", "ihjifhbgl", "bglhefhjejae", "aifafllfhbal", "bhlbehefh",
    "elkeglfjifhj", "fhalkakfaglahja", "lkafhahlaifakea", "fhlflk", "dfk", "kdfaei", "dfkajg",
    "jeijgedfk", "debdfe", "fiafaddab", "debdfejga", "jgiidfgdigbd", "dfkglb", "bgleiadfk",
    "albajlfkd", "fkdlijlbibei", "ldflfggfe", "idfiadaldagl", "fldfalajleaf", "fldfilijl", "ckdcik",
    "ekdedaadc", "kcikdcgaj", "dekdjejgecjd", "iebibccbd", "abdadc", "gajcbdcibieb", "gcjgbcbdc",
    "ckdcikglb", "lbgadcaedekd", "dikdcibjlbaj", "jledcecjekdelbe", "gleecilceldc", "lagldadca",
    "dcejleldeajecie", "dcjdjl", "hjckdf", "chjfkdaei", "gchgackdf", "dfkehgeihich", "edfebdjch",
    "jchdabdfafia", "bfebdfahgach", "bdihgigbichidfi", "dfkhjcbgl", "aeifkdhjcbgl", "kdfcbachbhlb",
    "dfklbhbchbeceic", "chjgfeglfldf", "chjiafadfagdgld", "aclfelealdflchl", "fidildihlich",
    "dhjdjkkji", "kaekdadjadhj", "ikakdhakhahg", "dekdhehge", "biebhihjidhb", "jdhjadabd",
    "hgibdidhiebigai", "bdhbhg", "glbkjikdjdhj", "bglkdedaedhahja", "ikhbahaihlbhkdh",
    "dhkhekhbehlb", "egdjidiedhjdgld", "jahadhaldagl", "aiedhl", "hld", "hdl", "aeidlh", "gajdlh",
    "ejgeijdlh", "lhdebk", "ibkiabhdl", "bkelhdajg", "dlhjkijgkgbk", "bhdbgh", "hbghdbiae",
    "jhdjdaadb", "beibihhijdbh", "dkedehheg", "iakkhdahkagh", "keakaddajdjh", "djhdkjkij", "ciflhd",
    "afcaeflhd", "cifjgadlh", "lhdfgefcgcjg", "dlhkebcif", "hdlbcabkckfc", "bkeifcjgadlh",
    "dlhfckcbkcjbjgb", "bhdbghifc", "cefcaedghdbg", "fciadbajdjhd", "efjdbjbejhdjfcj",
    "ifcheghdedke", "ghkcakagkfckhdk", "cifhdjdajdkakea", "cjfjkfjdkjhd", "djcdlj", "djcdljeia",
    "lgaladdac", "geleicleclcd", "jdljcdebk", "akiabkcljcdl", "ebkdacdlalga", "cdgkigicgbkgdlg",
    "gjcgcbbcd", "iaebcdbgcgjc", "adbacd", "ibeicbcdb", "dkedejjegcdj", "kigcdgdkgjcgiag",
    "edkeadacd", "cdkcki", "fdlfliilj", "fdlflaaljefa", "ifdidaadlalg", "lfdlgfgef", "bkeiljiflfdl",
    "abfljfjafdlfbkf", "bkegaladlaidifd", "kfbfgbflgfdl", "jigifdgidgdb", "dbjefjfdjaejbgj",
    "faifdadba", "dbedef", "jidegdgjdkedifd", "dkfagj", "fdidaideadke", "dkf", "flhfkl",
    "lfklhfaei", "flhfklajg", "igeijgkhfklh", "blhbheehf", "afialflhfbla", "jgaehfebhblh",
    "ijbhfbfiblhbjgb", "kbgkgffgh", "aeifghfkgkbg", "hfjfkbjfbjba", "hfbijbjhbeibfkb", "ehfegh",
    "afiagfghf", "jeajhehfe", "ijhihf", "hcihillik", "lhkkaehakhca", "ajgliklhihci",
    "klcgecekcjgclhc", "eciebcbhcblh", "hblhcbcab", "ajgebibciblclhc", "gbjbcjbhcblh",
    "ihcibhbghkbi", "cakghkhckbgkaek", "bahikhkbhcihajh", "bekcjh", "ihciehegh", "cagcgh",
    "iecehcejheaj", "jhc", "cfkckjjkl", "eiajkljckcfk", "cfkckggklacg", "gecklclgcfkceic",
    "ebffjcbjfblj", "ljfabfblfiafjcf", "felaclcflgalebl", "cfiblg", "fkbfbccbgcgj",
    "aeijcgcbgcfbfkb", "kcfkbcbac", "kbfbcfbicbei", "cgjcfgfeg", "agigfigcfgjc", "acfafe", "cfi",
    "iklilj", "ejaekjklj", "algailikl", "klgkge", "bieblilji", "ablalj", "blelielailga", "lgb",
    "gkbgjkjik", "ekakjakgjkbg", "baibik", "bek", "egjeji", "gja", "aie", "",
};
// clang-format on

static int edge_vertex(const snLattice* l, int x, int y, int z, int edge) {
  int k = edge / 4, at[3] = {x, y, z};
  at[k]++;
  at[(k + 1) % 3] += edge & 1;
  at[(k + 2) % 3] += (edge >> 1) & 1;
  return l->vertex[3 * lattice_at(l, at[0], at[1], at[2]) + k];
}

static void cube_faces(const snLattice* l, int x, int y, int z, snIsosurface* s) {
  int inside = 0;
  for (int c = 0; c < 8; c++) {
    if (l->value[lattice_at(l, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2))] < 0) inside |= 1 << c;
  }
  for (const char* edge = kCell[inside]; *edge; edge += 3, s->nface++) {
    if (!s->face) continue;
    for (int i = 0; i < 3; i++) {
      s->face[3 * s->nface + i] = edge_vertex(l, x, y, z, edge[i] - 'a');
    }
  }
}

static void lattice_faces(const snLattice* l, snIsosurface* s) {
  for (int z = 0; z + 1 < l->n[2]; z++) {
    for (int y = 0; y + 1 < l->n[1]; y++) {
      for (int x = 0; x + 1 < l->n[0]; x++) cube_faces(l, x, y, z, s);
    }
  }
}

// Vertex normals are sums of face normals in cell units, so where cells are not cubes they are
// skewed, as the released ones are. Then vertices are scaled to positions.
static void lattice_place(const snLattice* l, snIsosurface* s) {
  for (int f = 0; f < s->nface; f++) {
    const int* face = s->face + 3 * (size_t)f;
    const float *p = s->vert + 3 * (size_t)face[0], *q = s->vert + 3 * (size_t)face[1],
                *r = s->vert + 3 * (size_t)face[2];
    for (int k = 0; k < 3; k++) {
      int i = (k + 1) % 3, j = (k + 2) % 3;
      float normal = (q[i] - p[i]) * (r[j] - p[j]) - (q[j] - p[j]) * (r[i] - p[i]);
      for (int c = 0; c < 3; c++) s->normal[3 * (size_t)face[c] + k] += normal;
    }
  }
  for (int i = 0; i < 3 * s->nvert; i++) {
    int k = i % 3;
    s->vert[i] = (float)(l->low[k] + l->size[k] * s->vert[i] / (l->n[k] - 1));
  }
}

bool isosurface_build(snIsosurface* s, const mjpPlugin* plugin, const mjtNum* attribute,
                      snFault* fault) {
  snLattice l = {0};
  *s = (snIsosurface){0};
  bool ok = lattice_sample(&l, plugin, attribute, fault);
  if (ok) {
    // first pass counts, second pass writes
    lattice_cross(&l, s);
    lattice_faces(&l, s);
    s->vert = memory_alloc(3 * (size_t)(s->nvert + 1) * sizeof *s->vert);
    s->face = memory_alloc(3 * (size_t)(s->nface + 1) * sizeof *s->face);
    s->normal = memory_alloc_zero(3 * (size_t)(s->nvert + 1) * sizeof *s->normal);
    ok = (s->vert && s->face && s->normal) ||
         fault_raise(fault, "no memory for the surface of a plugin");
    s->nvert = s->nface = 0;
  }
  if (ok) {
    lattice_cross(&l, s);
    lattice_faces(&l, s);
    lattice_place(&l, s);
  }
  memory_free(l.value);
  memory_free(l.vertex);
  if (!ok) isosurface_free(s);
  return ok;
}

void isosurface_free(snIsosurface* s) {
  memory_free(s->vert);
  memory_free(s->face);
  memory_free(s->normal);
  *s = (snIsosurface){0};
}
