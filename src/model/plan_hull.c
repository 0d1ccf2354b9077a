// Convex hulls from mesh_vert and mesh_graph, in the layout of support queries: coordinates as
// structure of arrays, neighbours in blocks of four, start vertices by direction.
#include "model/plan_hull.h"

#include <math.h>

#include "base/assert.h"

// The neighbours of each vertex as blocks of four coordinates, as hill climbing reads them.
static bool hull_blocks(snHull* hull) {
  int nblock = 0;
  for (int v = 0; v < hull->nvert; v++) {
    hull->block_adr[v] = nblock;
    nblock += (hull->edge_adr[v + 1] - hull->edge_adr[v] + 3) / 4;
  }
  hull->block_adr[hull->nvert] = nblock;
  double* block = hull->block = memory_alloc(12 * ((size_t)nblock + 1) * sizeof(double));
  if (!block) return false;
  for (int v = 0; v < hull->nvert; v++) {
    int begin = hull->edge_adr[v], end = hull->edge_adr[v + 1];
    for (; begin < end; begin += 4, block += 12) {
      for (int k = 0; k < 4; k++) {
        int to = hull->edge[begin + k < end ? begin + k : end - 1];
        block[k] = hull->x[to];
        block[4 + k] = hull->y[to];
        block[8 + k] = hull->z[to];
      }
    }
  }
  SN_ASSERT(block == hull->block + 12 * (size_t)nblock);
  return true;
}

// Support vertices of adjacent directions are close: climb from the result of the previous cell.
static void hull_starts(snHull* hull) {
  int at = 0;
  for (int cell = 0; cell < 6 * kHullCells * kHullCells && hull->npad > kHullScan; cell++) {
    int face = cell / (kHullCells * kHullCells), axis = face / 2;
    int row = cell / kHullCells % kHullCells, column = cell % kHullCells;
    if (row % 2) column = kHullCells - 1 - column;  // boustrophedon: consecutive cells are adjacent
    double d[3];
    d[axis] = face % 2 ? 1 : -1;
    d[(axis + 1) % 3] = (2 * row + 1.0) / kHullCells - 1;
    d[(axis + 2) % 3] = (2 * column + 1.0) / kHullCells - 1;
    double best = d[0] * hull->x[at] + d[1] * hull->y[at] + d[2] * hull->z[at];
    for (bool higher = true; higher;) {
      higher = false;
      for (int k = hull->edge_adr[at], end = hull->edge_adr[at + 1]; k < end; k++) {
        int to = hull->edge[k];
        double value = d[0] * hull->x[to] + d[1] * hull->y[to] + d[2] * hull->z[to];
        if (value > best) best = value, at = to, higher = true;
      }
    }
    SN_ASSERT(at >= 0 && at < hull->nvert);
    hull->start[(face * kHullCells + row) * kHullCells + column] = at;
  }
}

static void between(double d[3], const float* vert, int from, int to) {
  for (int k = 0; k < 3; k++) d[k] = (double)vert[3 * to + k] - (double)vert[3 * from + k];
}

// Rounding of vertices to single precision makes a hull slightly concave, at slender faces most, so
// a climb may end at a local maximum. With s the steepest rise from a corner of a face to a
// neighbour above its plane, such a maximum lies below the support point by at most a few times s
// times the size of the hull. A hull for which this bound is large is marked as bent.
static const double kBendFactor = 4;        // "a few times", a safety factor
static const double kBendTolerance = 1e-2;  // of the size of the hull

// Sets bend and bent; false without memory.
static bool hull_bend(snHull* hull, int nvert, const int* face, int nface) {
  int* local = memory_alloc(((size_t)nvert + 1) * sizeof(int));  // hull vertex of a mesh vertex
  if (!local) return false;
  for (int v = 0; v < nvert; v++) local[v] = -1;
  for (int v = 0; v < hull->nvert; v++) local[hull->id[v]] = v;
  double low[3], high[3], size = 0, steepest = 0;
  const double* axis[3] = {hull->x, hull->y, hull->z};
  for (int k = 0; k < 3; k++) {
    low[k] = high[k] = axis[k][0];
    for (int v = 1; v < hull->nvert; v++) {
      low[k] = fmin(low[k], axis[k][v]);
      high[k] = fmax(high[k], axis[k][v]);
    }
    size = fmax(size, high[k] - low[k]);
  }
  for (int f = 0; f < nface; f++, face += 3) {
    double u[3], w[3], out[3];
    between(u, hull->vert, face[0], face[1]);
    between(w, hull->vert, face[0], face[2]);
    double n[3] = {u[1] * w[2] - u[2] * w[1], u[2] * w[0] - u[0] * w[2], u[0] * w[1] - u[1] * w[0]};
    double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), side = 0;
    for (int k = 0; k < 3; k++) {
      out[k] = hull->vert[3 * face[0] + k] - 0.5 * (low[k] + high[k]);
      side += out[k] * n[k];
    }
    area = side < 0 ? -area : area;
    for (int c = 0; c < 3; c++) {
      int v = local[face[c]];
      for (int e = hull->edge_adr[v]; e < hull->edge_adr[v + 1]; e++) {
        int to = hull->id[hull->edge[e]];
        if (to == face[0] || to == face[1] || to == face[2]) continue;
        between(u, hull->vert, face[c], to);
        double rise = (n[0] * u[0] + n[1] * u[1] + n[2] * u[2]) / area;
        double length = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        // a face without area has no plane: take the worst case
        double steep = rise <= 0 ? 0 : rise < length ? rise / length : 1;
        steepest = area == 0 ? 1 : fmax(steepest, steep);
      }
    }
  }
  memory_free(local);
  hull->bend = kBendFactor * size * steepest;
  hull->bent = !(hull->bend < kBendTolerance * size);
  return true;
}

// mesh_graph of a mesh: number of vertices nv, number of faces nf, edge_adr[nv], vertex id[nv],
// edge list[nv + 3 nf] (neighbours of each vertex, terminated by -1), face[3 nf].
static bool hull_make(snHull* hull, const mjModel* m, int mesh) {
  const float* vert = m->mesh_vert + 3 * m->mesh_vertadr[mesh];
  int graph = m->mesh_graphadr[mesh];
  const int* g = graph >= 0 ? m->mesh_graph + graph : NULL;
  int nvert = g ? g[0] : m->mesh_vertnum[mesh];
  int nedge = g ? 3 * g[1] : 0;
  int npad = (nvert + 3) & ~3;

  hull->vert = vert;
  hull->npoly = m->mesh_polynum[mesh];
  hull->poly_normal = m->mesh_polynormal + 3 * m->mesh_polyadr[mesh];
  hull->poly_adr = m->mesh_polyvertadr + m->mesh_polyadr[mesh];
  hull->poly_num = m->mesh_polyvertnum + m->mesh_polyadr[mesh];
  hull->poly_vert = m->mesh_polyvert;
  hull->npolyvert = m->nmeshpolyvert;
  hull->nmeshvert = m->mesh_vertnum[mesh];
  hull->nvert = nvert;
  hull->npad = npad;
  hull->small = m->mesh_vertnum[mesh] < 10;
  hull->x = memory_alloc(3 * (size_t)npad * sizeof(double));
  hull->id = memory_alloc(
      (size_t)(2 * nvert + 1 + 2 * nedge + 2 * nvert + 1 + 6 * kHullCells * kHullCells) *
      sizeof(int));
  if (!hull->x || !hull->id) return false;
  hull->y = hull->x + npad;
  hull->z = hull->y + npad;
  for (int i = 0; i < npad; i++) {
    int v = i < nvert ? i : nvert - 1;
    int id = g ? g[2 + nvert + v] : v;
    if (i < nvert) hull->id[i] = id;
    hull->x[i] = vert[3 * id];
    hull->y[i] = vert[3 * id + 1];
    hull->z[i] = vert[3 * id + 2];
  }
  SN_ASSERT(npad % 4 == 0 && npad - nvert < 4);  // padding repeats the last vertex
  if (!g) return true;  // no edges to climb along: queries scan all vertices

  const int* adr = g + 2;
  const int* list = g + 2 + 2 * nvert;
  hull->edge_adr = hull->id + nvert;
  hull->edge = hull->edge_adr + nvert + 1;
  int n = 0, room = 2 * nedge + nvert;
  hull->block_adr = hull->edge + room;
  hull->start = hull->block_adr + nvert + 1;
  for (int v = 0; v < nvert; v++) {
    hull->edge_adr[v] = n;
    for (int k = adr[v]; list[k] >= 0 && n < room; k++) hull->edge[n++] = list[k];
  }
  hull->edge_adr[nvert] = n;
  hull_starts(hull);
  return hull_bend(hull, m->mesh_vertnum[mesh], list + nvert + 3 * g[1], g[1]) && hull_blocks(hull);
}

snHull* hulls_make(const mjModel* m) {
  snHull* hulls = memory_alloc_zero((size_t)(m->nmesh ? m->nmesh : 1) * sizeof(snHull));
  if (!hulls) return NULL;
  for (int i = 0; i < m->nmesh; i++) {
    if (!hull_make(hulls + i, m, i)) {
      hulls_free(hulls, m->nmesh);
      return NULL;
    }
  }
  return hulls;
}

void hulls_free(snHull* hulls, int nmesh) {
  if (!hulls) return;
  for (int i = 0; i < nmesh; i++) {
    memory_free(hulls[i].x);
    memory_free(hulls[i].id);
    memory_free(hulls[i].block);
  }
  memory_free(hulls);
}
