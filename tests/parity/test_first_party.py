"""The plugins that come with the library, against those of the released package."""

import ctypes

import mujoco
import numpy as np
import pytest

from harness import lib, oracle_library

Numbers = ctypes.POINTER(ctypes.c_double)
Texts = ctypes.POINTER(ctypes.c_char_p)
CALLBACKS = "nstate nsensordata init destroy copy reset compute advance visualize act_dot distance gradient static attribute aabb".split()


class Plugin(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p), ("nattribute", ctypes.c_int), ("attributes", Texts), ("capabilities", ctypes.c_int),
        ("needstage", ctypes.c_int), *((name, ctypes.c_void_p) for name in CALLBACKS),
    ]  # fmt: skip


NAMES = """mujoco.pid mujoco.elasticity.cable mujoco.sensor.touch_grid mujoco.sdf.bolt mujoco.sdf.bowl mujoco.sdf.gear
mujoco.sdf.nut mujoco.sdf.torus""".split()


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
