// What is known of a surface beyond its triangles, found when it is first asked for: whether it is
// closed, and a coarse copy for small shadow maps.
#include "draw/assets.h"

enum { snDETAIL_CELLS = 20, snDETAIL_LEAST = 300 };  // cells along the longest side; fewest faces

static uint64_t mix64(uint64_t v) {
  v ^= v >> 31;
  v *= 0x9E3779B97F4A7C15u;
  v ^= v >> 29;
  v *= 0xBF58476D1CE4E5B9u;
  return v ^ v >> 32;
}

// A number for the place of a vertex; 0 and -0 are one.
static uint64_t place_hash(const snSurface* s, int i) {
  float place[3] = {s->x[i] + 0.0f, s->y[i] + 0.0f, s->z[i] + 0.0f};
  uint32_t bits[3];
  memcpy(bits, place, sizeof bits);
  return mix64(mix64((uint64_t)bits[0] << 32 | bits[1]) + bits[2]);
}

// In a closed surface each edge is run through once in each direction: sums of a hash of directed
// edges are equal both ways. Vertices at one place are one, whatever their normals.
static bool surface_is_closed(const snSurface* s) {
  uint64_t balance = 0;
  for (int f = 0; f < s->nface; f++) {
    uint64_t place[3];
    for (int k = 0; k < 3; k++) place[k] = place_hash(s, s->face[3 * f + k]);
    for (int k = 0; k < 3; k++) {
      uint64_t a = place[k], b = place[k == 2 ? 0 : k + 1];
      balance += mix64(a + 3 * b) - mix64(b + 3 * a);
    }
  }
  return balance == 0;
}

// Vertices in the same cell of a grid become the first of them; faces that lose a side go. `cell`
// is a hash table of cells, `first` the vertex that stands for each.
static int cluster(const snSurface* s, int* stands, int* table, size_t size) {
  float longest = 0;
  for (int c = 0; c < 3; c++) {
    float side = s->high[c] - s->low[c];
    if (side > longest) longest = side;
  }
  if (!(longest > 0)) return 0;
  float scale = snDETAIL_CELLS / longest;
  int kept = 0;
  for (size_t i = 0; i < size; i++) table[i] = -1;
  for (int i = 0; i < s->nvert; i++) {
    uint64_t x = (uint64_t)((s->x[i] - s->low[0]) * scale);
    uint64_t y = (uint64_t)((s->y[i] - s->low[1]) * scale);
    uint64_t z = (uint64_t)((s->z[i] - s->low[2]) * scale), key = x << 20 | y << 10 | z;
    size_t at = (size_t)mix64(key) & (size - 1);
    for (;; at = (at + 1) & (size - 1)) {
      int other = table[at];
      if (other < 0) {
        table[at] = i;
        stands[i] = i;
        kept++;
        break;
      }
      uint64_t ox = (uint64_t)((s->x[other] - s->low[0]) * scale);
      uint64_t oy = (uint64_t)((s->y[other] - s->low[1]) * scale);
      uint64_t oz = (uint64_t)((s->z[other] - s->low[2]) * scale);
      if ((ox << 20 | oy << 10 | oz) == key) {
        stands[i] = other;
        break;
      }
    }
  }
  return kept;
}

static bool detail_make(snSurface* s, snSurface* coarse) {
  size_t size = 16;
  while (size < 2 * (size_t)s->nvert) size *= 2;
  int* stands = memory_alloc(((size_t)s->nvert + 1) * sizeof(int));
  int* table = memory_alloc(size * sizeof(int));
  bool ok = stands && table;
  int kept = ok ? cluster(s, stands, table, size) : 0, faces = 0;
  for (int f = 0; ok && f < s->nface; f++) {
    const int* v = s->face + 3 * f;
    int a = stands[v[0]], b = stands[v[1]], c = stands[v[2]];
    faces += a != b && b != c && c != a;
  }
  ok = ok && kept && surface_make(coarse, kept, faces, 0, 0);
  if (ok) {
    int made = 0;  // numbers of those that stay, in the table's memory
    for (int i = 0; i < s->nvert; i++) {
      if (stands[i] != i) continue;
      coarse->x[made] = s->x[i], coarse->y[made] = s->y[i], coarse->z[made] = s->z[i];
      table[i] = made++;
    }
    SN_ASSERT(made == kept);
    made = 0;
    for (int f = 0; f < s->nface; f++) {
      const int* v = s->face + 3 * f;
      int a = stands[v[0]], b = stands[v[1]], c = stands[v[2]];
      if (a == b || b == c || c == a) continue;
      coarse->face[made++] = table[a];
      coarse->face[made++] = table[b];
      coarse->face[made++] = table[c];
    }
    SN_ASSERT(made == 3 * faces);
    surface_bounds(coarse);
  }
  memory_free(stands);
  memory_free(table);
  return ok;
}

void surface_study(snSurface* s, bool coarse) {
  if (s->closed == snUNKNOWN) s->closed = surface_is_closed(s) ? snYES : snNO;
  if (!coarse || s->coarse || s->nface < snDETAIL_LEAST) return;
  snSurface* made = memory_alloc_zero(sizeof(snSurface));
  if (!made) return;  // the surface itself serves
  if (detail_make(s, made)) {
    made->closed = s->closed;
    s->coarse = made;
  } else {
    surface_free(made);
    memory_free(made);
  }
}
