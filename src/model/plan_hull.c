// Convex hulls from mesh_vert and mesh_graph.
#include "model/plan_hull.h"

#include <math.h>

// mesh_graph of a mesh is: number of vertices nv, of faces nf, then edge_adr[nv], vertex id[nv],
// edge list[nv + 3 nf] (neighbours of each vertex, ended by -1), face[3 nf].
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
  hull->nvert = nvert;
  hull->npad = npad;
  hull->small = m->mesh_vertnum[mesh] < 10;
  hull->x = memory_alloc(3 * (size_t)npad * sizeof(double));
  hull->id = memory_alloc((size_t)(2 * nvert + 1 + 2 * nedge + nvert) * sizeof(int));
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
  if (!g) return true;  // nothing to climb on: every vertex is looked at

  int n26 = 0;
  for (int k = 0; k < 27; k++) {
    if (k == 13) continue;
    double dx = k / 9 - 1, dy = k / 3 % 3 - 1, dz = k % 3 - 1;
    double most = -INFINITY;
    int best = 0;
    for (int v = 0; v < nvert; v++) {
      double along = dx * hull->x[v] + dy * hull->y[v] + dz * hull->z[v];
      if (along > most) most = along, best = v;
    }
    hull->start[n26++] = best;
  }

  const int* adr = g + 2;
  const int* list = g + 2 + 2 * nvert;
  hull->edge_adr = hull->id + nvert;
  hull->edge = hull->edge_adr + nvert + 1;
  int n = 0, room = 2 * nedge + nvert;
  for (int v = 0; v < nvert; v++) {
    hull->edge_adr[v] = n;
    for (int k = adr[v]; list[k] >= 0 && n < room; k++) hull->edge[n++] = list[k];
  }
  hull->edge_adr[nvert] = n;
  return true;
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
  }
  memory_free(hulls);
}
