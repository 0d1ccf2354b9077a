"""Search structures of a model (bounding volume hierarchies, octrees, hull graphs, polygons): what
makes them valid, whatever their order."""

import numpy as np

# fields of mjModel whose order is free; the sizes are not
SIZES = ("nbvh", "nbvhstatic", "nbvhdynamic", "nmeshgraph", "nmeshpoly", "nmeshpolyvert", "nmeshpolymap")


def problems(m):
    """[text] of what is wrong in a model of ours."""
    found = []
    for i in range(m.nmesh):
        checks = [_bvh(m, m.mesh_bvhadr[i], m.mesh_bvhnum[i], np.arange(m.mesh_facenum[i]))]
        if m.mesh_graphadr[i] >= 0:
            checks.append(_hull(m, i))
        checks.append(_polygons(m, i))
        if m.mesh_octadr[i] >= 0:
            checks.append(_octree(m, m.mesh_octadr[i], m.mesh_octnum[i]))
        found += [f"mesh {i}: {text}" for text in checks if text]
    for i in range(m.nbody):
        geoms = np.flatnonzero(
            (m.geom_bodyid.ravel() == i) & ((m.geom_contype.ravel() != 0) | (m.geom_conaffinity.ravel() != 0))
        )
        text = _bvh(m, m.body_bvhadr[i], m.body_bvhnum[i], geoms)
        if text:
            found.append(f"body {i}: {text}")
    return found


def _outside(inner, outer, slack):
    """Is some inner box (centre, half sizes) outside its outer one?"""
    return (np.abs(inner[:, :3] - outer[:, :3]) + inner[:, 3:] > outer[:, 3:] + slack).any()


def _bvh(m, adr, num, leaves):
    adr, num = int(np.ravel(adr)[0]), int(np.ravel(num)[0])
    if num == 0:
        return None if leaves.size == 0 else f"no tree for {leaves.size} leaves"
    child = m.bvh_child.reshape(-1, 2)[adr : adr + num]
    depth = m.bvh_depth.ravel()[adr : adr + num]
    node = m.bvh_nodeid.ravel()[adr : adr + num]
    box = m.bvh_aabb.reshape(-1, 6)[adr : adr + num]
    inner = (child >= 0).all(1)
    if ((child >= 0).any(1) != inner).any() or ((node < 0) != inner).any():
        return "a node is neither leaf nor inner"
    if depth[0] != 0 or not np.array_equal(np.sort(child[inner].ravel()), np.arange(1, num)):
        return "not a tree"
    if not np.array_equal(np.sort(node[~inner]), leaves):
        return "leaves are not what is to be found"
    if num > 1 and depth.max() > np.ceil(np.log2(leaves.size)):
        return f"depth {depth.max()} for {leaves.size} leaves"
    size = np.abs(box[np.isfinite(box).all(1)]).max(initial=0)
    for k in range(2):
        below = child[inner, k]
        if (depth[below] != depth[inner] + 1).any():
            return "depth is not that of the parent plus one"
        if _outside(box[below], box[inner], 1e-12 * size):
            return "a box sticks out of its parent's"
    return None


def _octree(m, adr, num):
    adr, num = int(np.ravel(adr)[0]), int(np.ravel(num)[0])
    child = m.oct_child.reshape(-1, 8)[adr : adr + num]
    box = m.oct_aabb.reshape(-1, 6)[adr : adr + num]
    inner = (child >= 0).all(1)
    if ((child >= 0).any(1) != inner).any() or not np.array_equal(np.sort(child[inner].ravel()), np.arange(1, num)):
        return "not an octree"
    for k in range(8):
        sign = np.array([-1 if k >> axis & 1 else 1 for axis in range(3)])
        below, above = box[child[inner, k]], box[inner]
        if np.abs(below[:, 3:] - above[:, 3:] / 2).max(initial=0) > 1e-12:
            return "a cell is not half as wide as its parent"
        if np.abs(below[:, :3] - above[:, :3] - sign * above[:, 3:] / 2).max(initial=0) > 1e-12:
            return "a cell is not in its corner"
    return None


def _hull(m, i):
    """A closed surface whose graph is that of its faces, with every vertex of the mesh within."""
    adr = int(np.ravel(m.mesh_graphadr)[i])
    graph = m.mesh_graph.ravel()[adr:]
    nv, nf = graph[:2]
    edge_adr, ids = graph[2 : 2 + nv], graph[2 + nv : 2 + 2 * nv]
    edge, face = graph[2 + 2 * nv : 2 + 3 * nv + 3 * nf], graph[2 + 3 * nv + 3 * nf : 2 + 3 * nv + 6 * nf]
    face = face.reshape(-1, 3)
    if np.unique(ids).size != nv or not np.isin(face, ids).all() or nv - nf / 2 != 2:
        return "hull: vertices and faces do not fit"
    ways = {(a, b) for f in face for a, b in ((f[0], f[1]), (f[1], f[2]), (f[2], f[0]))}
    if len(ways) != 3 * nf or any((b, a) not in ways for a, b in ways):
        return "hull: the surface is not closed"
    around = {}
    for a, b in ways:
        around.setdefault(a, set()).add(b)
    ends = np.flatnonzero(edge < 0)
    for v in range(nv):
        own = edge[edge_adr[v] : ends[np.searchsorted(ends, edge_adr[v])]]
        if set(ids[own]) != around.get(ids[v]):
            return "hull: the graph is not that of the faces"
    first, count = int(np.ravel(m.mesh_vertadr)[i]), int(np.ravel(m.mesh_vertnum)[i])
    vert = m.mesh_vert.reshape(-1, 3)[first : first + count].astype(float)
    normal = np.cross(vert[face[:, 1]] - vert[face[:, 0]], vert[face[:, 2]] - vert[face[:, 0]])
    length = np.linalg.norm(normal, axis=1)
    size = np.ptp(vert, axis=0).max()
    sound = length > 1e-6 * size * size  # slivers have no direction to speak of
    normal, corner = normal[sound] / length[sound, None], vert[face[sound, 0]]
    limited = nv < 4 or (vert[ids].max(0) < vert.max(0) - 1e-5 * size).any()
    inside = vert[ids] if limited else vert  # with maxhullvert, what is cut off stays outside
    for k in range(0, len(normal), 256):
        above = inside @ normal[k : k + 256].T - (normal[k : k + 256] * corner[k : k + 256]).sum(1)
        if above.max(initial=0) > 1e-4 * size:
            return f"hull: a vertex is {above.max():.1e} outside, size {size:.1e}"
    return None


def _polygons(m, i):
    adr, num = int(np.ravel(m.mesh_polyadr)[i]), int(np.ravel(m.mesh_polynum)[i])
    count = int(np.ravel(m.mesh_vertnum)[i])
    start, size = m.mesh_polyvertadr.ravel()[adr : adr + num], m.mesh_polyvertnum.ravel()[adr : adr + num]
    if num and size.min() < 3:
        return "a polygon of fewer than three vertices"
    if num and (np.diff(start) != size[:-1]).any():
        return "polygons do not follow each other"
    vertices = m.mesh_polyvert.ravel()[start[0] : start[0] + size.sum()] if num else np.zeros(0, int)
    if vertices.size and (vertices.min() < 0 or vertices.max() >= count):
        return "a polygon has a vertex that is not there"
    # the map from vertices back to polygons says the same
    first = int(np.ravel(m.mesh_vertadr)[i])
    number = m.mesh_polymapnum.ravel()[first : first + count]
    if not np.array_equal(number, np.bincount(vertices, minlength=count)):
        return "vertices are in other polygons than the map says"
    return None
