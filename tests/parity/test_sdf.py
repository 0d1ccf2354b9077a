"""Signed distance fields: the shapes of the released plugins in that library, of ours in ours."""

import ctypes
import pathlib

import compiled
import mujoco
import numpy as np
import pytest

from harness import Data, call, lib, load_ours, ours

PACKAGE = pathlib.Path(mujoco.__file__).parent
PLUGINS = PACKAGE / "plugin/libsdf_plugin.so"
if not PLUGINS.exists():
    pytest.skip("no sdf plugins beside the released library", allow_module_level=True)

XML = """
<mujoco>
  <extension><plugin plugin="mujoco.sdf.torus"><instance name="t">
    <config key="radius1" value="0.35"/><config key="radius2" value="0.15"/></instance></plugin></extension>
  <asset><mesh name="torus"><plugin instance="t"/></mesh></asset>
  <worldbody>
    <body><freejoint/><geom type="sdf" mesh="torus"><plugin instance="t"/></geom></body>
    <body pos="2 0 0"><freejoint/><geom size=".1"/></body>
    <geom type="box" size=".1 .2 .3" pos="5 0 0"/>
  </worldbody>
</mujoco>"""


class Sdf(ctypes.Structure):
    _fields_ = [("plugin", ctypes.c_void_p), ("id", ctypes.c_void_p), ("type", ctypes.c_int),
                ("relpos", ctypes.c_void_p), ("relmat", ctypes.c_void_p), ("geomtype", ctypes.c_void_p)]


@pytest.fixture(scope="module")
def scene():
    mujoco.mj_loadPluginLibrary(str(PLUGINS))
    released = ctypes.CDLL(str(next(PACKAGE.glob("libmujoco.so*"))))
    m = mujoco.MjModel.from_xml_string(XML)
    our = ours(m)
    return released, m, mujoco.MjData(m), our, Data(our)


def field(library, model, data, m, geoms, kind, relpos, relmat, x):
    library.mjc_getSDF.restype, library.mjc_getSDF.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_int]
    library.mjc_distance.restype, library.mjc_distance.argtypes = ctypes.c_double, [ctypes.c_void_p] * 4
    library.mjc_gradient.restype, library.mjc_gradient.argtypes = None, [ctypes.c_void_p] * 5
    own = [m.geom_plugin[g] >= 0 for g in geoms]
    plugin = np.array([library.mjc_getSDF(model, g) if p else 0 for g, p in zip(geoms, own)], np.uint64)
    index = np.array([m.geom_plugin[g] if p else g for g, p in zip(geoms, own)], np.int32)
    types = np.array([m.geom_type[g] for g in geoms], np.int32)
    s = Sdf(plugin.ctypes.data, index.ctypes.data, kind, relpos.ctypes.data, relmat.ctypes.data, types.ctypes.data)
    gradient = np.zeros(3)
    library.mjc_gradient(model, data, ctypes.addressof(s), gradient.ctypes.data, x.ctypes.data)
    return library.mjc_distance(model, data, ctypes.addressof(s), x.ctypes.data), gradient


@pytest.mark.parametrize("kind", range(4))
def test_fields(scene, kind):
    released, m, d, our, data = scene
    mujoco.mj_forward(m, d)
    rng, mat = np.random.default_rng(kind), np.zeros(9)
    balls, torus = [g for g in range(m.ngeom) if m.geom_type[g] == 2], m.geom_type.tolist().index(8)
    box = m.geom_type.tolist().index(6)
    for k in range(200):
        q = rng.normal(size=4)
        mujoco.mju_quat2Mat(mat, q / np.linalg.norm(q))
        pos, x = rng.uniform(-0.2, 0.2, 3), rng.uniform(-0.4, 0.4, 3)
        pair = [(torus, box), (box, torus), (balls[0], torus), (torus, torus)][k % 4]
        a = field(released, m._address, d._address, m, pair, kind, pos, mat, x)
        b = field(lib, our.address, data.address, m, pair, kind, pos, mat, x)
        assert abs(a[0] - b[0]) < 1e-12
        np.testing.assert_allclose(a[1], b[1], atol=1e-11)


def test_sphere_depth(scene):
    """The depth of a ball in a field is known: the field at its center less its radius."""
    released, m, d, our, data = scene
    rng, found = np.random.default_rng(7), 0
    torus, ball = m.geom_type.tolist().index(8), m.geom_type.tolist().index(2)
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, m.mesh_quat[0])
    for _ in range(100):
        d.qpos[7:10] = rng.uniform(-0.6, 0.6, 3)
        mujoco.mj_kinematics(m, d)
        data.qpos[:] = d.qpos
        call("mj_kinematics", our, data)
        dist = call("mj_geomDistance", our, data, torus, ball, 1.0, None, restype=ctypes.c_double)
        local = d.geom_xmat[torus].reshape(3, 3).T @ (d.geom_xpos[ball] - d.geom_xpos[torus])
        center = turn.reshape(3, 3) @ local + m.mesh_pos[0]
        value, _ = field(released, m._address, d._address, m, (torus, torus), 0, np.zeros(3), np.eye(3).ravel(), center)
        if 0.01 < value < 0.095:
            found += 1
            assert abs(dist - (value - 0.1)) < 1e-6
        elif value > 0.1 + 1e-9:
            assert dist > 0
    assert found > 3


def test_rays(scene):
    """Rays meet the torus where its tube is, from outside and from within, in lengths of their vector."""
    _, m, d, our, data = scene
    mujoco.mj_resetData(m, d)
    data.qpos[:] = d.qpos
    call("mj_kinematics", our, data)
    torus = m.geom_type.tolist().index(8)
    for start, along, expected in (
        ([1.0, 0, 0], [-1.0, 0, 0], 0.5),
        ([1.0, 0, 0], [-2.0, 0, 0], 0.25),
        ([0.35, 0, 0], [1.0, 0, 0], 0.15),  # from the middle of the tube
        ([0.35, 1, 0.1499], [0, -1.0, 0], None),  # grazes
    ):
        start, along = np.array(start), np.array(along)
        hit = np.full(1, -1, np.int32)
        x = call("mj_ray", our, data, start, along, None, 1, -1, hit, restype=ctypes.c_double)
        assert hit[0] == torus
        if expected is not None:
            assert abs(x - expected) < 1e-6
        value, _ = field(lib, our.address, data.address, m, (torus, torus), 0, np.zeros(3), np.eye(3).ravel(), start + x * along)
        assert abs(value) < 1e-6


def test_height_field(scene):
    """The released engine warns that it has no such contacts; ours lie around the ring, at its depth."""
    xml = XML.replace("<asset>", '<asset><hfield name="h" nrow="9" ncol="9" size="1 1 .1 .1"/>')
    xml = xml.replace("<worldbody>", '<worldbody><geom type="hfield" hfield="h"/>').replace("<body>", '<body pos="0 0 .14">')
    m = mujoco.MjModel.from_xml_string(xml)
    d, our = mujoco.MjData(m), ours(m)
    data = Data(our)
    mujoco.mj_forward(m, d)
    data.qpos[:] = d.qpos
    call("mj_forward", our, data)
    assert d.ncon == 0
    assert data.ncon > 8
    dist, pos = np.asarray(data.contact["dist"]), np.asarray(data.contact["pos"])
    assert abs(dist.min() + 0.01) < 1e-6
    assert np.all(np.abs(np.hypot(pos[:, 0], pos[:, 1]) - 0.35) < np.sqrt(0.15**2 - 0.14**2))
    deep = dist < -0.0099
    assert np.ptp(np.arctan2(pos[deep, 1], pos[deep, 0])) > np.pi
    assert np.allclose(np.asarray(data.contact["frame"])[deep, :3], [0, 0, 1], atol=0.02)


@pytest.mark.parametrize("name", ["bolt", "bowl", "gear", "nut", "torus"])
def test_meshes(scene, tmp_path, name):
    """Surfaces of plugins are the released ones, and closed."""
    path = tmp_path / "surface.xml"
    path.write_text(f"""
    <mujoco>
      <extension><plugin plugin="mujoco.sdf.{name}"><instance name="i"/></plugin></extension>
      <asset><mesh name="surface"><plugin instance="i"/></mesh></asset>
      <worldbody><body><freejoint/><geom type="sdf" mesh="surface"><plugin instance="i"/></geom></body></worldbody>
    </mujoco>""")
    mine, theirs = load_ours(path), mujoco.MjModel.from_xml_path(str(path))
    # slots of plugins depend on what was loaded before; sums of float normals are rounded in another
    # order
    left = {"plugin", "mesh_normal"}
    assert not [d for d in compiled.differences(mine, theirs, search=False) if d[0] not in left]
    np.testing.assert_allclose(mine.mesh_normal, theirs.mesh_normal, atol=1e-6)
    face = np.array(mine.mesh_face).reshape(-1, 3)
    directed = {tuple(e) for e in np.concatenate([face[:, [0, 1]], face[:, [1, 2]], face[:, [2, 0]]])}
    assert len(directed) == face.size and all((b, a) in directed for a, b in directed)


def prism(n, sizes):
    """The vertices of a prism of n sides and its faces, as an OBJ file."""
    ring = [(np.cos(2 * np.pi * (k + 0.5) / n), np.sin(2 * np.pi * (k + 0.5) / n)) for k in range(n)]
    points = [(*p, z) for z in (-1, 1) for p in ring] + [(0, 0, -1), (0, 0, 1)]
    lines = ["v " + " ".join(f"{a * b:.7g}" for a, b in zip(p, sizes)) for p in points]
    for k in range(1, n + 1):
        after = k % n + 1
        lines += [f"f {k} {after} {n + after} {n + k}", f"f {after} {k} {2 * n + 1}", f"f {n + k} {n + after} {2 * n + 2}"]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("sides", [4, 6, 12])
def test_octrees(scene, tmp_path, sides):
    """A face on the side of the whole box is in the cells there, or rounding takes it out: as released."""
    for sizes in ((0.05, 0.25, 0.15), (0.1, 0.1, 0.07)):
        (tmp_path / "m.obj").write_text(prism(sides, sizes))
        path = tmp_path / "m.xml"
        path.write_text("""<mujoco><extension><plugin plugin="mujoco.sdf.sdflib"><instance name="i"><config key="aabb" value="0"/>
        </instance></plugin></extension><asset><mesh name="m" file="m.obj"/></asset><worldbody><body><freejoint/>
        <geom type="sdf" mesh="m"><plugin instance="i"/></geom></body></worldbody></mujoco>""")
        mine, theirs = load_ours(path), mujoco.MjModel.from_xml_path(str(path))
        assert mine.noct == theirs.noct
        for name in ("oct_depth", "oct_child", "oct_aabb"):
            assert np.array_equal(np.ravel(getattr(mine, name)), np.ravel(getattr(theirs, name))), name
