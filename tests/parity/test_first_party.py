"""The plugins that come with the library, against those of the released package."""

import ctypes

import mujoco
import numpy as np
import plugin_cases
import pytest

from harness import Data, call, lib, load_ours, oracle_library

Numbers = ctypes.POINTER(ctypes.c_double)
Texts = ctypes.POINTER(ctypes.c_char_p)
CALLBACKS = "nstate nsensordata init destroy copy reset compute advance visualize act_dot distance gradient static attribute aabb".split()


class Plugin(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p), ("nattribute", ctypes.c_int), ("attributes", Texts), ("capabilities", ctypes.c_int),
        ("needstage", ctypes.c_int), *((name, ctypes.c_void_p) for name in CALLBACKS),
    ]  # fmt: skip


NAMES = """mujoco.pid mujoco.elasticity.cable mujoco.sensor.touch_grid mujoco.sdf.bolt mujoco.sdf.bowl mujoco.sdf.gear
mujoco.sdf.nut mujoco.sdf.torus mujoco.sdf.sdflib""".split()


def plugin(library, name):
    library.mjp_getPlugin.restype = ctypes.POINTER(Plugin)
    found = library.mjp_getPlugin(name.encode(), None)
    assert found, name
    return found.contents


def both(name):
    return plugin(oracle_library(), name), plugin(lib, name)


def address(array):
    return array.ctypes.data_as(Numbers)


class Shape:
    """The callbacks of a signed distance plugin that need no instance."""

    def __init__(self, p):
        self.names = [p.attributes[i] for i in range(p.nattribute)]
        self._static = ctypes.CFUNCTYPE(ctypes.c_double, Numbers, Numbers)(p.static)
        self._attribute = ctypes.CFUNCTYPE(None, Numbers, Texts, Texts)(p.attribute)
        self._aabb = ctypes.CFUNCTYPE(None, Numbers, Numbers)(p.aabb)

    def attributes(self, given):
        n, values = len(self.names), np.zeros(len(self.names))
        texts = [repr(float(given[k.decode()])).encode() if k.decode() in given else b"" for k in self.names]
        self._attribute(address(values), (ctypes.c_char_p * n)(*self.names), (ctypes.c_char_p * n)(*texts))
        return values

    def distance(self, points, attributes):
        return np.array([self._static(address(x), address(attributes)) for x in points])

    def aabb(self, attributes):
        box = np.zeros(6)
        self._aabb(address(box), address(attributes))
        return box


@pytest.mark.parametrize("name", NAMES)
def test_interface(name):
    theirs, ours = both(name)
    assert ours.name == theirs.name
    assert [ours.attributes[i] for i in range(ours.nattribute)] == [theirs.attributes[i] for i in range(theirs.nattribute)]
    assert (ours.capabilities, ours.needstage) == (theirs.capabilities, theirs.needstage)


def shapes(rng, name):
    """Attributes to try: the defaults, then random ones."""
    yield {}
    for _ in range(12):
        size = 10 ** rng.uniform(-1.5, 1)
        yield {
            "bolt": lambda: {"radius": rng.uniform(0.05, 0.7)},
            "nut": lambda: {"radius": rng.uniform(0.05, 0.7)},
            "torus": lambda: {"radius1": size, "radius2": size * rng.uniform(0.1, 1.2)},
            "bowl": lambda: {"radius": size, "height": size * rng.uniform(-1.2, 1.2), "thickness": size * rng.uniform(0.01, 0.4)},
            "gear": lambda: {
                "alpha": rng.normal(), "diameter": size, "teeth": rng.integers(3, 220), "thickness": size * rng.uniform(0.05, 1),
                "innerdiameter": rng.choice([-1, 0, 0.2 * size, 0.6 * size]),
            },
        }[name]()  # fmt: skip


@pytest.mark.parametrize("name", ["bolt", "bowl", "gear", "nut", "torus"])
def test_fields(name):
    rng = np.random.default_rng(3)
    theirs, ours = (Shape(p) for p in both(f"mujoco.sdf.{name}"))
    for given in shapes(rng, name):
        attributes = ours.attributes(given)
        np.testing.assert_array_equal(attributes, theirs.attributes(given))
        box = theirs.aabb(attributes)
        np.testing.assert_allclose(ours.aabb(attributes), box, rtol=1e-15)
        points = rng.uniform(-1.2, 1.2, (3000, 3)) * box[3:]
        np.testing.assert_allclose(ours.distance(points, attributes), theirs.distance(points, attributes), rtol=1e-12, atol=1e-13, err_msg=str(given))


# ---- sdflib: both sample the mesh in an octree, each in its own; the mesh itself is the reference

MESH = """
<mujoco>
  <extension><plugin plugin="mujoco.sdf.sdflib"><instance name="i"><config key="aabb" value="0"/></instance></plugin></extension>
  <asset><mesh name="m" file="{file}" {scale}><plugin instance="i"/></mesh></asset>
  <worldbody>
    <body name="mesh" euler="10 20 30"><geom type="sdf" mesh="m"><plugin instance="i"/></geom></body>
    <body name="ball"><freejoint/><geom size=".1"/></body>
  </worldbody>
</mujoco>"""


def write_mesh(path, vertices, faces):
    lines = [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in vertices] + [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in faces]
    path.write_text("\n".join(lines) + "\n")


def brick():
    vertices = np.array([[x, y, z] for x in (-0.3, 0.5) for y in (-0.2, 0.2) for z in (-0.15, 0.1)])
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return vertices, [face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))]


def ring(n=24, k=12, major=0.4, minor=0.15):
    """A torus of triangles: not convex, with a hole."""
    t, s = np.meshgrid(2 * np.pi * np.arange(n) / n, 2 * np.pi * np.arange(k) / k, indexing="ij")
    r = major + minor * np.cos(s)
    vertices = np.stack([r * np.cos(t), r * np.sin(t), minor * np.sin(s)], -1).reshape(-1, 3)
    faces = []
    for i in range(n):
        for j in range(k):
            a, b, c, d = i * k + j, (i + 1) % n * k + j, (i + 1) % n * k + (j + 1) % k, i * k + (j + 1) % k
            faces += [(a, b, c), (a, c, d)]
    return vertices, faces


def brick_distance(x):
    over = np.abs(x - [0.1, 0, -0.025]) - [0.4, 0.2, 0.125]
    return np.linalg.norm(np.maximum(over, 0), axis=1) + np.minimum(over.max(1), 0)


@pytest.fixture(scope="module", params=[brick, ring], ids=["brick", "ring"])
def mesh_scene(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("mesh")
    write_mesh(folder / "mesh.obj", *request.param())
    (folder / "model.xml").write_text(MESH.format(file=folder / "mesh.obj", scale=""))
    m, our = mujoco.MjModel.from_xml_path(str(folder / "model.xml")), load_ours(folder / "model.xml")
    return request.param, m, mujoco.MjData(m), our, Data(our)


def sampled(p, data, points):
    distance = ctypes.CFUNCTYPE(ctypes.c_double, Numbers, ctypes.c_void_p, ctypes.c_int)(p.distance)
    gradient = ctypes.CFUNCTYPE(None, Numbers, Numbers, ctypes.c_void_p, ctypes.c_int)(p.gradient)
    values, slopes = np.zeros(len(points)), np.zeros((len(points), 3))
    for i, x in enumerate(points):
        values[i] = distance(address(x), data, 0)
        gradient(address(slopes[i]), address(x), data, 0)
    return values, slopes


def test_mesh_model(mesh_scene):
    """The mesh is the file's, with its inertia."""
    _, m, _, our, _ = mesh_scene
    for field in "mesh_vert mesh_face mesh_pos mesh_quat geom_aabb geom_size geom_rbound body_mass body_inertia body_ipos".split():
        np.testing.assert_allclose(getattr(our, field), getattr(m, field), rtol=1e-6, atol=1e-7, err_msg=field)


def test_mesh_field(mesh_scene):
    shape, m, d, our, data = mesh_scene
    theirs, ours = both("mujoco.sdf.sdflib")
    points = np.random.default_rng(5).uniform(-0.55, 0.55, (3000, 3))
    expected, expected_slope = sampled(theirs, d._address, points)
    values, slopes = sampled(ours, data.address, points)
    size = 1.1
    error = np.abs(values - expected) / size
    assert np.median(error) < 5e-4
    assert error.max() < 1e-2
    assert np.mean((values < 0) != (expected < 0)) < 2e-3
    np.testing.assert_allclose(np.linalg.norm(slopes, axis=1), 1, atol=1e-9)
    assert np.median(np.abs(slopes - expected_slope).max(1)) < 2e-2
    if shape is brick:
        inside = np.all(np.abs(points - [0.1, 0, -0.025]) < 0.6 * 0.8, axis=1)  # the octree
        off = np.abs(values - brick_distance(points))[inside]
        assert off.max() < 3e-3 and np.median(off) < 5e-5
    far = 3 * points / np.linalg.norm(points, axis=1)[:, None]
    values, slopes = sampled(ours, data.address, far)
    assert np.all(values > 2) and np.all(np.einsum("ij,ij->i", slopes, far) > 2)


def test_mesh_contact(mesh_scene):
    """A ball that is pressed into the mesh from many sides touches it where and as deep as in the released engine."""
    _, m, d, our, data = mesh_scene
    rng, found = np.random.default_rng(2), 0
    for _ in range(40):
        way = rng.normal(size=3)
        d.qpos[:3] = way / np.linalg.norm(way) * rng.uniform(0.2, 0.5)
        mujoco.mj_forward(m, d)
        data.qpos[:] = d.qpos
        call("mj_forward", our, data)
        assert (data.ncon > 0) == (d.ncon > 0)
        if d.ncon:
            found += 1
            # centers within the mesh have several ways out
            if d.contact.dist.min() > -0.08:
                assert abs(np.asarray(data.contact["dist"]).min() - d.contact.dist.min()) < 5e-3
    assert found > 10


# ---- shell: the released engine has the model as elastic2d="bend"


def test_shell(tmp_path):
    flex = """
<mujoco>{extension}<option gravity="0 0 -1"/>
  <worldbody><flexcomp name="f" type="grid" count="6 5 1" spacing=".1 .12 .1" dim="2" radius=".001" mass="1" pos="0 0 1" euler="10 20 0">
    {inner}<contact selfcollide="none" internal="false"/>{pin}</flexcomp></worldbody>
</mujoco>"""
    settings = {"young": 1e5, "poisson": 0.3, "thickness": 0.01}
    config = "".join(f'<config key="{key}" value="{value}"/>' for key, value in settings.items())
    attributes = " ".join(f'{key}="{value}"' for key, value in settings.items())
    m = mujoco.MjModel.from_xml_string(flex.format(extension="", inner=f'<elasticity {attributes} elastic2d="bend"/>', pin=""))
    plugin = '<plugin plugin="mujoco.elasticity.shell"'

    def shell(pin):
        text = flex.format(extension=f"<extension>{plugin}/></extension>", inner=f"{plugin}>{config}</plugin>", pin=pin)
        (tmp_path / "shell.xml").write_text(text)
        return load_ours(tmp_path / "shell.xml")

    our = shell("")
    d, data = mujoco.MjData(m), Data(our)
    rng = np.random.default_rng(0)
    for _ in range(5):
        d.qpos[:] = 0.05 * rng.normal(size=m.nq)
        data.qpos[:] = d.qpos
        mujoco.mj_forward(m, d)
        call("mj_forward", our, data)
        assert np.abs(d.qfrc_passive).max() > 0.1
        np.testing.assert_allclose(data.qfrc_passive, d.qfrc_passive, rtol=1e-10, atol=1e-10)
    for _ in range(100):
        mujoco.mj_step(m, d)
        call("mj_step", our, data)
    np.testing.assert_allclose(data.qpos, d.qpos, rtol=1e-8, atol=1e-8)

    # with pinned vertices, which the released engine does not bend: the plate hangs and keeps its length
    pinned = shell('<pin id="0 1 2 3 4"/><edge equality="true"/>')
    data = Data(pinned)
    for _ in range(500):
        call("mj_step", pinned, data)
    place = np.array(data.flexvert_xpos).reshape(-1, 3)
    assert np.isfinite(place).all() and place[5:, 2].max() < 1.1
    assert place[5:, 2].mean() < place[:5, 2].mean() - 0.02


# ---- pid: controls beyond reason


@pytest.mark.parametrize("control", [1e9, 1e11, -1e11, np.inf, np.nan])
@pytest.mark.parametrize("attributes", ['actdim="1" ctrlrange="-.2 .2"', 'actdim="1"'])
def test_pid_control(tmp_path, attributes, control):
    (tmp_path / "pid.xml").write_text(plugin_cases.pid(attributes=attributes))
    m, our = mujoco.MjModel.from_xml_path(str(tmp_path / "pid.xml")), load_ours(tmp_path / "pid.xml")
    d, data = mujoco.MjData(m), Data(our)
    d.ctrl[:] = data.ctrl[:] = control
    mujoco.mj_forward(m, d)
    call("mj_forward", our, data)
    np.testing.assert_allclose(data.actuator_force, d.actuator_force, rtol=1e-14)
    np.testing.assert_allclose(data.act_dot, d.act_dot, rtol=1e-13)
