"""Names, types and shapes against the released package, where it is installed."""

import re

import numpy as np
import pytest

import sinew

mujoco = pytest.importorskip("mujoco")

XML = """
<mujoco>
  <asset>
    <texture name="t" type="2d" builtin="flat" width="4" height="5"/><material name="m" texture="t"/>
    <hfield name="h" nrow="3" ncol="4" size="1 1 1 1"/><mesh name="k" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/>
  </asset>
  <worldbody>
    <body name="a" mocap="true"/><geom name="floor" type="plane" size="1 1 1"/>
    <body name="b"><freejoint name="j"/><geom name="g" size="1"/><camera name="c"/><light name="l"/><site name="s"/></body>
    <body name="d" pos="3 0 0"><joint name="h" type="hinge"/><geom name="g2" size=".1"/></body>
  </worldbody>
  <contact><pair name="p" geom1="g" geom2="g2"/><exclude name="x" body1="b" body2="d"/></contact>
  <equality><joint name="e" joint1="h"/></equality>
  <tendon><fixed name="t"><joint joint="h" coef="2"/></fixed></tendon>
  <actuator><motor name="m" joint="j"/><general name="u" joint="h" dyntype="filter"/></actuator>
  <sensor><framepos name="s" objtype="geom" objname="g"/></sensor>
  <custom><numeric name="n" data="1 2 3"/><tuple name="tt"><element objtype="body" objname="a"/></tuple></custom>
  <keyframe><key name="kk"/></keyframe>
</mujoco>
"""


@pytest.fixture(scope="module")
def pair():
    both = []
    for package in (mujoco, sinew):
        model = package.MjModel.from_xml_string(XML)
        data = package.MjData(model)
        package.mj_step(model, data, 3)
        both.append((model, data))
    return both


def public(thing):
    return {name for name in dir(thing) if not name.startswith("_")}


# Editing of specs by binding, and what belongs to rendering, the viewer and Python's own modules.
NOT_THERE = re.compile(
    r"bind(_scalar)?|Mj(Byte|Char|String)Vec|MjStruct|MjVisual(Headlight|Rgba)|Mjs?\w*|"
    r"HEADERS_DIR|PLUGINS_DIR|PLUGIN_HANDLES|[gs]et_mju_user_(malloc|free)|from_zip|to_zip|"
    r"Any|IO|Sequence|TypeAlias|Union|ctypes|os|platform|subprocess|warnings|zipfile|glfw|egl|osmesa"
)


def test_module():
    missing = {name for name in public(mujoco) - set(dir(sinew)) if not NOT_THERE.fullmatch(name)}
    assert not missing


def test_enums():
    for name in public(mujoco):
        theirs = getattr(mujoco, name)
        if name.startswith("mjt") and isinstance(theirs, type):
            ours = getattr(sinew, name)
            assert {k: int(v) for k, v in ours.__members__.items()} == {k: int(v.value) for k, v in theirs.__members__.items()}, name
        elif re.match("mj[A-Z]", name):
            assert getattr(sinew, name) == theirs, name


def test_arguments():
    """The same parameters in the same order, as the docstrings say."""
    for name in sorted(public(mujoco)):
        if not name.startswith(("mj_", "mju_", "mjv_", "mjd_")):
            continue
        names = [re.findall(r"[(,] ?(\w+): ", getattr(p, name).__doc__.splitlines()[0]) for p in (mujoco, sinew)]
        assert names[1] == names[0], name


@pytest.mark.parametrize("which", [0, 1])
def test_struct_fields(pair, which):
    theirs, ours = pair[0][which], pair[1][which]
    for name in sorted(public(type(theirs))):
        if NOT_THERE.fullmatch(name):
            continue
        a = getattr(theirs, name)
        b = getattr(ours, name)
        if isinstance(a, np.ndarray):
            assert a.dtype == b.dtype, name
            # an array that was not made in this step is empty here: there is nothing behind it
            assert a.shape == b.shape or (b.size == 0 and name.startswith(("i", "map_", "dof_island", "efc_island", "efc_AR"))), name
        elif isinstance(a, (int, float, bytes)):
            assert type(a) is type(b), name


@pytest.mark.parametrize("cls", [n for n in dir(mujoco) if n.startswith(("Mjv", "MjO", "MjSt", "MjSo", "MjW", "MjT", "MjL", "MjC"))
                                 and n not in ("MjStruct", "MjStringVec", "MjCharVec")])
def test_small_structs(cls):
    theirs, ours = getattr(mujoco, cls)(), getattr(sinew, cls)()
    for name in sorted(public(type(theirs)) - {"oct_depth"}):  # theirs starts with what was in memory
        a, b = getattr(theirs, name), getattr(ours, name)
        if isinstance(a, np.ndarray) and a.size:
            assert a.dtype == b.dtype and a.size == b.size, name
            np.testing.assert_array_equal(a.ravel(), b.ravel(), name)
        elif isinstance(a, (int, float, str)):
            assert a == b, name


KINDS = "actuator body camera equality exclude geom hfield joint keyframe light material mesh numeric pair sensor site tendon texture tuple"


@pytest.mark.parametrize("kind", KINDS.split())
def test_views(pair, kind):
    for which in (0, 1):
        theirs, ours = pair[0][which], pair[1][which]
        if not hasattr(theirs, kind):
            continue
        count = {"body": 4, "geom": 3, "joint": 2, "actuator": 2}.get(kind, 1)
        for i in range(count):
            a, b = getattr(theirs, kind)(i), getattr(ours, kind)(i)
            assert (a.id, a.name) == (b.id, b.name)
            for name in sorted(public(a)):
                x, y = getattr(a, name), getattr(b, name)
                if isinstance(x, np.ndarray) and name != "moment":  # a sparse row here
                    assert (x.dtype, x.shape) == (y.dtype, y.shape), (kind, i, name)
