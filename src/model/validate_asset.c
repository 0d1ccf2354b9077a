// Validation of indices inside of bounding volumes, meshes, height fields, textures, skins, flexes.
#include "model/validate.h"

// ---- bounding volumes: children come after their parent, so every walk ends

static bool check_bvh(const mjModel* m, const char* name, int i, int adr, int num, int leaves,
                      snFault* fault) {
  for (int k = 0; k < num; k++) {
    for (int side = 0; side < 2; side++) {
      int child = m->bvh_child[2 * (adr + k) + side];
      if (child != -1 && (child <= k || child >= num)) {
        return fault_raise(fault, "model: bvh_child of node %d in %s[%d] is %d, expected %d to %d",
                           k, name, i, child, k + 1, num - 1);
      }
    }
    if (!check_index("bvh_nodeid", adr + k, m->bvh_nodeid[adr + k], -1, leaves, fault))
      return false;
  }
  return true;
}

// Volumes of bodies and meshes are static; those of flexes are dynamic and come after them.
static bool check_volumes(const mjModel* m, snFault* fault) {
  if ((int64_t)m->nbvhstatic + m->nbvhdynamic != m->nbvh) {
    return fault_raise(fault, "model: nbvh is %d, expected nbvhstatic + nbvhdynamic", m->nbvh);
  }
  for (int b = 0; b < m->nbody; b++) {
    if (!check_span("body_bvhadr", b, m->body_bvhadr[b], m->body_bvhnum[b], m->nbvhstatic, fault) ||
        !check_bvh(m, "body_bvhadr", b, m->body_bvhadr[b], m->body_bvhnum[b], m->ngeom, fault)) {
      return false;
    }
  }
  for (int k = 0; k < m->nmesh; k++) {
    if (!check_span("mesh_bvhadr", k, m->mesh_bvhadr[k], m->mesh_bvhnum[k], m->nbvhstatic, fault) ||
        !check_bvh(m, "mesh_bvhadr", k, m->mesh_bvhadr[k], m->mesh_bvhnum[k], m->mesh_facenum[k],
                   fault)) {
      return false;
    }
    for (int c = 0; c < m->mesh_octnum[k]; c++) {
      for (int s = 0; s < 8; s++) {
        int child = m->oct_child[8 * (m->mesh_octadr[k] + c) + s];
        if (child != -1 && (child <= c || child >= m->mesh_octnum[k])) {
          return fault_raise(fault, "model: oct_child of cell %d in mesh %d is %d", c, k, child);
        }
      }
    }
  }
  for (int k = 0; k < m->nflex; k++) {
    if ((m->flex_bvhnum[k] &&
         !check_index("flex_bvhadr", k, m->flex_bvhadr[k], m->nbvhstatic, m->nbvh, fault)) ||
        !check_bvh(m, "flex_bvhadr", k, m->flex_bvhadr[k], m->flex_bvhnum[k], m->flex_elemnum[k],
                   fault)) {
      return false;
    }
  }
  return true;
}

// ---- meshes, height fields, textures, skins, flexes

// The graph of a hull (layout: plan_hull.c).
static bool check_graph(const mjModel* m, int k, snFault* fault) {
  int64_t adr = m->mesh_graphadr[k];
  if (adr < 0) return true;
  if (!check_span("mesh_graphadr", k, adr, 2, m->nmeshgraph, fault)) return false;
  const int* graph = m->mesh_graph + adr;
  int64_t nvert = graph[0], nface = graph[1];
  if (nvert < 0 || nface < 0) return fault_raise(fault, "model: graph of mesh %d is broken", k);
  int64_t nedge = nvert + 3 * nface;
  if (!check_span("mesh_graphadr", k, adr, 2 + 2 * nvert + nedge + 3 * nface, m->nmeshgraph,
                  fault)) {
    return false;
  }
  const int *start = graph + 2, *vert = start + nvert, *edge = vert + nvert, *face = edge + nedge;
  int nv = (int)nvert;
  if (!check_all("edge address in mesh_graph", start, nv, 0, (int)nedge, fault) ||
      !check_all("vertex in mesh_graph", vert, nv, 0, m->mesh_vertnum[k], fault) ||
      !check_all("edge in mesh_graph", edge, (int)nedge, -1, nv, fault) ||
      !check_all("face in mesh_graph", face, (int)(3 * nface), 0, m->mesh_vertnum[k], fault)) {
    return false;
  }
  if (nedge && edge[nedge - 1] != -1) {
    return fault_raise(fault, "model: edges in the graph of mesh %d do not end", k);
  }
  return true;
}

static bool check_meshes(const mjModel* m, snFault* fault) {
  for (int k = 0; k < m->nmesh; k++) {
    int face = m->mesh_faceadr[k], nface = 3 * m->mesh_facenum[k], poly = m->mesh_polyadr[k];
    if (!check_all("mesh_face", m->mesh_face + 3 * face, nface, 0, m->mesh_vertnum[k], fault) ||
        !check_all("mesh_facenormal", m->mesh_facenormal + 3 * face, nface, 0, m->mesh_normalnum[k],
                   fault) ||
        (m->mesh_texcoordadr[k] >= 0 &&
         !check_all("mesh_facetexcoord", m->mesh_facetexcoord + 3 * face, nface, 0,
                    m->mesh_texcoordnum[k], fault)) ||
        !check_graph(m, k, fault)) {
      return false;
    }
    for (int p = poly; p < poly + m->mesh_polynum[k]; p++) {
      if (!check_span("mesh_polyvertadr", p, m->mesh_polyvertadr[p], m->mesh_polyvertnum[p],
                      m->nmeshpolyvert, fault) ||
          !check_all("mesh_polyvert", m->mesh_polyvert + m->mesh_polyvertadr[p],
                     m->mesh_polyvertnum[p], 0, m->mesh_vertnum[k], fault)) {
        return false;
      }
    }
    for (int v = m->mesh_vertadr[k]; v < m->mesh_vertadr[k] + m->mesh_vertnum[k]; v++) {
      if (!check_span("mesh_polymapadr", v, m->mesh_polymapadr[v], m->mesh_polymapnum[v],
                      m->nmeshpolymap, fault) ||
          !check_all("mesh_polymap", m->mesh_polymap + m->mesh_polymapadr[v], m->mesh_polymapnum[v],
                     0, m->mesh_polynum[k], fault)) {
        return false;
      }
    }
  }
  return true;
}

static bool check_assets(const mjModel* m, snFault* fault) {
  for (int k = 0; k < m->nhfield; k++) {
    if (!check_index("hfield_nrow", k, m->hfield_nrow[k], 0, INT32_MAX, fault) ||
        !check_index("hfield_ncol", k, m->hfield_ncol[k], 0, INT32_MAX, fault) ||
        !check_span("hfield_adr", k, m->hfield_adr[k],
                    (int64_t)m->hfield_nrow[k] * m->hfield_ncol[k], m->nhfielddata, fault)) {
      return false;
    }
  }
  for (int k = 0; k < m->ntex; k++) {
    if (!check_index("tex_width", k, m->tex_width[k], 0, 1 << 20, fault) ||
        !check_index("tex_height", k, m->tex_height[k], 0, 1 << 20, fault) ||
        !check_index("tex_nchannel", k, m->tex_nchannel[k], 1, 5, fault) ||
        !check_span("tex_adr", k, m->tex_adr[k],
                    (int64_t)m->tex_width[k] * m->tex_height[k] * m->tex_nchannel[k], m->ntexdata,
                    fault)) {
      return false;
    }
  }
  return true;
}

static bool check_skins(const mjModel* m, snFault* fault) {
  for (int k = 0; k < m->nskin; k++) {
    int nvert = m->skin_vertnum[k], texcoord = m->skin_texcoordadr[k];
    if (!check_all("skin_face", m->skin_face + 3 * m->skin_faceadr[k], 3 * m->skin_facenum[k], 0,
                   nvert, fault) ||
        (texcoord != -1 &&
         !check_span("skin_texcoordadr", k, texcoord, nvert, m->nskintexvert, fault))) {
      return false;
    }
    for (int b = m->skin_boneadr[k]; b < m->skin_boneadr[k] + m->skin_bonenum[k]; b++) {
      if (!check_all("skin_bonevertid", m->skin_bonevertid + m->skin_bonevertadr[b],
                     m->skin_bonevertnum[b], 0, nvert, fault)) {
        return false;
      }
    }
  }
  return true;
}

static bool check_flexes(const mjModel* m, snFault* fault) {
  static const int edges[] = {0, 1, 3, 6};  // edges of an element, by dimension
  for (int k = 0; k < m->nflex; k++) {
    int dim = m->flex_dim[k], nvert = m->flex_vertnum[k];
    int64_t nelem = m->flex_elemnum[k];
    int64_t ndata = nelem * (dim + 1), nedge = nelem * edges[dim];
    int64_t nshell = (int64_t)m->flex_shellnum[k] * dim;
    if (!check_span("flex_elemdataadr", k, m->flex_elemdataadr[k], ndata, m->nflexelemdata,
                    fault) ||
        !check_span("flex_elemedgeadr", k, m->flex_elemedgeadr[k], nedge, m->nflexelemedge,
                    fault) ||
        !check_span("flex_shelldataadr", k, m->flex_shelldataadr[k], nshell, m->nflexshelldata,
                    fault) ||
        !check_all("flex_elem", m->flex_elem + m->flex_elemdataadr[k], (int)ndata, 0, nvert,
                   fault) ||
        !check_all("flex_elemedge", m->flex_elemedge + m->flex_elemedgeadr[k], (int)nedge, 0,
                   m->flex_edgenum[k], fault) ||
        !check_all("flex_edge", m->flex_edge + 2 * m->flex_edgeadr[k], 2 * m->flex_edgenum[k], 0,
                   nvert, fault) ||
        !check_all("flex_edgeflap", m->flex_edgeflap + 2 * m->flex_edgeadr[k],
                   2 * m->flex_edgenum[k], -1, nvert, fault) ||
        (nshell && !check_all("flex_shell", m->flex_shell + m->flex_shelldataadr[k], (int)nshell, 0,
                              nvert, fault))) {
      return false;
    }
    for (int e = 0; e < m->flex_evpairnum[k]; e++) {
      const int* pair = m->flex_evpair + 2 * (m->flex_evpairadr[k] + e);
      if (!check_index("flex_evpair", e, pair[0], 0, (int)nelem, fault) ||
          !check_index("flex_evpair", e, pair[1], 0, nvert, fault)) {
        return false;
      }
    }
    int texcoord = m->flex_texcoordadr[k];
    if (texcoord == -1) continue;
    if (!check_index("flex_texcoordadr", k, texcoord, 0, m->nflextexcoord, fault) ||
        !check_all("flex_elemtexcoord", m->flex_elemtexcoord + m->flex_elemdataadr[k], (int)ndata,
                   0, m->nflextexcoord - texcoord, fault)) {
      return false;
    }
  }
  return true;
}

bool validate_deformables(const mjModel* m, snFault* fault) {
  return check_skins(m, fault) && check_flexes(m, fault);
}

bool validate_assets(const mjModel* m, snFault* fault) {
  return check_volumes(m, fault) && check_meshes(m, fault) && check_assets(m, fault) &&
         validate_deformables(m, fault);
}
