// Convex hulls by qhull, in the layout of mjModel.mesh_graph:
//   numvert, numface, vert_edgeadr[numvert], vert_globalid[numvert],
//   edge_localid[numvert + 3 numface], face_globalid[3 numface]
#include <libqhull_r/qhull_ra.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "compile/mesh.h"

// Neighbours of each hull vertex, facet by facet in qhull's order, each list terminated by -1.
// `local` maps a point to its hull vertex. False if a list exceeds its space: the surface is not
// closed.
static bool write_edges(qhT* qh, int* graph, const int* local) {
  vertexT *vertex, *other, **otherp;
  facetT *neighbor, **neighborp;
  int nvert = graph[0], nface = graph[1], at = 0, v = 0;
  int *adr = graph + 2, *edge = adr + 2 * nvert;
  FORALLvertices {
    int first = at;
    adr[v++] = first;
    FOREACHneighbor_(vertex) {
      FOREACHsetelement_(vertexT, neighbor->vertices, other) {
        int u = local[qh_pointid(qh, other->point)], seen = first;
        if (other == vertex) continue;
        while (seen < at && edge[seen] != u) seen++;
        if (seen < at) continue;
        if (at + 1 >= nvert + 3 * nface) return false;
        edge[at++] = u;
      }
    }
    if (at >= nvert + 3 * nface) return false;
    edge[at++] = -1;
  }
  return at == nvert + 3 * nface;
}

// mesh_graph from the finished hull of qh; false when the surface is not closed.
static bool write_graph(qhT* qh, int** out, int* nout, int npoint) {
  facetT* facet;
  vertexT *vertex, **vertexp;
  int nvert = qh->num_vertices, nface = qh->num_facets;
  if (nvert < 4 || nface < 4 || nface != 2 * nvert - 4) return false;
  *nout = 2 + 3 * nvert + 6 * nface;
  int* graph = memory_alloc((size_t)*nout * sizeof(int));
  int* local = memory_alloc((size_t)npoint * sizeof(int));
  bool ok = graph && local;
  if (ok) {
    for (int i = 0; i < npoint; i++) local[i] = -1;
    graph[0] = nvert;
    graph[1] = nface;
    int* id = graph + 2 + nvert;
    int n = 0;
    FORALLvertices {
      if (n == nvert) ok = false;
      if (!ok) break;
      id[n] = qh_pointid(qh, vertex->point);
      local[id[n]] = n;
      n++;
    }
    ok = ok && n == nvert;
  }
  if (ok) {
    int* face = hull_faces(graph);
    int n = 0;
    FORALLfacets {
      int corner[3], c = 0;
      FOREACHvertex_(facet->vertices) {
        if (c < 3) corner[c] = qh_pointid(qh, vertex->point);
        c++;
      }
      if (c != 3 || n == nface) ok = false;
      if (!ok) break;
      for (int k = 0; k < 3; k++) {
        face[3 * n + k] = corner[k];
        ok = ok && local[corner[k]] >= 0;
      }
      n++;
    }
    ok = ok && n == nface;
  }
  if (ok) {
    qh_vertexneighbors(qh);
    ok = write_edges(qh, graph, local);
  }
  if (ok) {
    int* face = hull_faces(graph);
    FORALLfacets {  // qhull orders vertices by age; toporient holds the orientation
      if (facet->toporient ^ qh_ORIENTclock) {
        int swap = face[0];
        face[0] = face[1];
        face[1] = swap;
      }
      face += 3;
    }
  }
  memory_free(local);
  if (!ok) {
    memory_free(graph);
    return false;
  }
  *out = graph;
  return true;
}

bool hull_build(int** graph, int* ngraph, const double* point, int n, int limit, const char* name,
                snFault* fault) {
  *graph = NULL;
  *ngraph = 0;
  double* copy = memory_alloc(3 * (size_t)n * sizeof(double));
  snHeard quiet;
  bool listening = system_sink(&quiet);
  if (!copy || !listening) {
    memory_free(copy);
    if (listening) free(system_said(&quiet));
    return fault_raise(fault, "no memory for the convex hull of mesh '%s'", name);
  }
  memcpy(copy, point, 3 * (size_t)n * sizeof(double));

  // Qt: triangulated facets; TAn: stop after adding n vertices to the first simplex
  char options[40] = "qhull Qt";
  if (limit > 3) snprintf(options, sizeof options, "qhull Qt TA%d", limit - 4);
  qhT state;
  qhT* qh = &state;
  memset(qh, 0, sizeof *qh);
  QHULL_LIB_CHECK
  qh_zero(qh, quiet.stream);
  int failed = qh_new_qhull(qh, 3, n, copy, False, options, quiet.stream, quiet.stream);
  bool ok = false;
  if (!failed) {
    qh_triangulate(qh);
    ok = write_graph(qh, graph, ngraph, n);
  }
  int left, blocks;
  qh_freeqhull(qh, !qh_ALL);
  qh_memfreeshort(qh, &left, &blocks);
  char* said = system_said(&quiet);
  memory_free(copy);
  if (!ok) {
    char* end = said ? strchr(said, '\n') : NULL;
    if (end) *end = '\0';
    fault_raise(fault, "qhull error in mesh '%s': %s", name,
                said && *said ? said : "the hull is not a closed triangular surface");
  }
  free(said);
  return ok;
}
