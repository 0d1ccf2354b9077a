"""Colliders and filters of the user, and adhesion: the same callback in both engines, the same contacts."""

import ctypes

import mujoco
import numpy as np
import pytest

from harness import CTYPES, Data, lib, call, oracle_library, ours

CONTACT = CTYPES["mjContact"]
COLLIDER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(CONTACT), ctypes.c_int,
                            ctypes.c_int, ctypes.c_double)
FILTER = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int)
TYPES = 9
FIELDS = ("dist", "pos", "frame", "includemargin", "friction", "solref", "solreffriction", "solimp", "dim", "geom1",
          "geom2", "geom", "flex", "elem", "vert", "exclude")

SCENE = """<mujoco><option><flag {flags}/></option><worldbody>
  <geom name="floor" type="plane" size="3 3 1" margin=".02"/>
  <body pos="0 0 .09"><freejoint/><geom type="box" size=".1 .1 .1" gap=".01" margin=".01"/>
    <geom type="sphere" size=".05" pos=".1 0 .1" priority="1" friction=".3"/></body>
  <body pos="0 .05 .25"><freejoint/><geom type="box" size=".1 .1 .1" solref="-100 -5"/>
    <geom type="capsule" size=".04 .1" pos="0 .1 0" condim="6"/></body>
  <body pos=".1 .05 .35"><freejoint/><geom type="ellipsoid" size=".1 .05 .1" solmix="0"/></body>
</worldbody>{more}</mujoco>"""


def entries(library, symbol, count):
    return (ctypes.c_void_p * count).in_dll(library, symbol)


class Installed:
    """The same callbacks in both engines, as long as this stands."""

    def __init__(self, symbol, callbacks, count=1):
        self.tables = [entries(lib, symbol, count), entries(oracle_library(), symbol, count)]
        self.before = [list(table) for table in self.tables]
        self.callbacks = callbacks

    def __enter__(self):
        for table in self.tables:
            for place, callback in self.callbacks.items():
                table[place] = ctypes.cast(callback, ctypes.c_void_p).value

    def __exit__(self, *_):
        for table, before in zip(self.tables, self.before):
            table[:] = before


def compare(m, steps=1):
    d, our = mujoco.MjData(m), ours(m)
    data = Data(our)
    total = 0
    for _ in range(steps):
        data.set_state(state_of(m, d))
        mujoco.mj_forward(m, d)
        call("mj_forward", our, data)
        mine = list((CONTACT * data.ncon).from_address(data._struct.contact)) if data.ncon else []
        assert len(mine) == d.ncon
        for x, y in zip(mine, d.contact):
            for field in FIELDS:
                np.testing.assert_allclose(np.array(getattr(x, field)), getattr(y, field), rtol=0, atol=2e-9, err_msg=field)
        np.testing.assert_allclose(data.qacc, d.qacc, rtol=1e-6, atol=1e-6 * max(1, np.abs(d.qacc).max()))
        total += d.ncon
        mujoco.mj_step(m, d)
    assert total
    return d


def state_of(m, d):
    spec = mujoco.mjtState.mjSTATE_INTEGRATION
    state = np.zeros(mujoco.mj_stateSize(m, spec))
    mujoco.mj_getState(m, d, state, spec)
    return state


def model(flags="", more=""):
    return mujoco.MjModel.from_xml_string(SCENE.format(flags=flags, more=more))


@pytest.mark.parametrize("more", ["", "<contact><pair geom1='floor' geom2='crate' condim='4' solreffriction='.1 1'/></contact>"],
                         ids=["dynamic", "pair"])
@pytest.mark.parametrize("count", [0, 1, 3, 50])
@pytest.mark.parametrize("place", ["box_box", "plane_box", "sphere_capsule", "all"])
def test_collider_of_the_user(place, count, more):
    """mjCOLLISIONFUNC: what it is called with, and what becomes of what it writes."""
    calls = []

    def collide(_, data, contact, g1, g2, margin):
        calls.append((g1, g2, margin))
        for i in range(count):
            contact[i].dist = -0.001 * i + 0.5 * margin
            contact[i].pos[:] = [0.1 * i, g1, g2]
            contact[i].frame[:6] = [0, 0.6, 0.8, *([0.8, 0.6, 0] if i % 2 else [0, 0, 0])]
        return count

    callback = COLLIDER(collide)
    places = {"box_box": [6 * TYPES + 6], "plane_box": [6], "sphere_capsule": [2 * TYPES + 3]}
    chosen = places.get(place, [a * TYPES + b for a in range(TYPES) for b in range(a, TYPES)])
    m = mujoco.MjModel.from_xml_string(SCENE.format(flags="", more=more).replace('type="box"', 'name="crate" type="box"', 1))
    with Installed("mjCOLLISIONFUNC", {k: callback for k in chosen}, TYPES * TYPES):
        d, our = mujoco.MjData(m), ours(m)
        data = Data(our)
        mujoco.mj_fwdPosition(m, d)
        theirs, calls[:] = list(calls), []
        call("mj_fwdPosition", our, data)
        assert sorted(calls) == sorted(theirs)
        mine = list((CONTACT * data.ncon).from_address(data._struct.contact)) if data.ncon else []
        assert len(mine) == d.ncon
        for x, y in zip(mine, d.contact):
            for field in FIELDS:
                np.testing.assert_allclose(np.array(getattr(x, field)), getattr(y, field), rtol=0, atol=2e-9, err_msg=field)


def test_no_collider():
    """An entry that is empty means no contacts."""
    m = model()
    with Installed("mjCOLLISIONFUNC", {6 * TYPES + 6: None, 6: None}, TYPES * TYPES):
        compare(m, 5)


@pytest.mark.parametrize("pair", ["", "<contact><pair geom1='floor' geom2='crate'/></contact>"], ids=["dynamic", "pair"])
@pytest.mark.parametrize("flags", ["", "midphase='disable'", "filterparent='disable'", "contact='disable'"])
@pytest.mark.parametrize("rule", ["all", "none", "odd", "boxes", "ordered"])
def test_filter(rule, flags, pair):
    """mjcb_contactfilter: the geoms it is given, the one of the lower type first, and what it keeps out. We ask
    about some pairs more that do not touch, and do not ask about some that are far apart."""
    m = mujoco.MjModel.from_xml_string(SCENE.format(flags=flags, more=pair).replace('type="box"', 'name="crate" type="box"', 1))
    calls = []

    def keep_out(_, data, g1, g2):
        calls.append((g1, g2))
        kinds = {int(m.geom_type[g1]), int(m.geom_type[g2])}
        return {"all": False, "none": True, "odd": (g1 + g2) % 2 == 1, "boxes": kinds == {6}, "ordered": g1 < g2}[rule]

    with Installed("mjcb_contactfilter", {0: FILTER(keep_out)}):
        d, our = mujoco.MjData(m), ours(m)
        data = Data(our)
        mujoco.mj_fwdPosition(m, d)
        calls[:] = []
        call("mj_fwdPosition", our, data)
        mine = list((CONTACT * data.ncon).from_address(data._struct.contact)) if data.ncon else []
        assert [tuple(c.geom) for c in mine] == [tuple(c.geom) for c in d.contact]
        assert all(m.geom_type[a] < m.geom_type[b] or (m.geom_type[a] == m.geom_type[b] and a < b) for a, b in calls)
    assert bool(calls) == (flags != "contact='disable'")


@pytest.mark.parametrize("gap", [0, 0.03])
@pytest.mark.parametrize("ctrl", [0, 0.7])
@pytest.mark.parametrize("cone", ["pyramidal", "elliptic"])
def test_adhesion(cone, ctrl, gap):
    """Adhesion acts through contacts in the gap as well."""
    m = mujoco.MjModel.from_xml_string(f"""<mujoco><option cone="{cone}"/><worldbody>
      <geom type="plane" size="3 3 1"/>
      <body name="a" pos="0 0 .12"><freejoint/><geom type="box" size=".1 .1 .1" margin=".05" gap="{gap}"/></body>
      <body name="b" pos="0 0 .33"><freejoint/><geom type="sphere" size=".1" margin=".05" gap="{gap}" condim="1"/></body>
    </worldbody><actuator><adhesion body="a" ctrlrange="0 1" gain="40"/><adhesion body="b" ctrlrange="0 1" gain="10"/></actuator></mujoco>""")
    d, our = mujoco.MjData(m), ours(m)
    data = Data(our)
    d.ctrl[:] = ctrl
    for _ in range(20):
        data.set_state(state_of(m, d))
        mujoco.mj_forward(m, d)
        call("mj_forward", our, data)
        assert data.ncon == d.ncon
        moment = [np.zeros((m.nu, m.nv)), np.zeros((m.nu, m.nv))]
        for dense, x in zip(moment, (data, d)):
            mujoco.mju_sparse2dense(dense, x.actuator_moment.ravel(), x.moment_rownnz, x.moment_rowadr, x.moment_colind.ravel())
        np.testing.assert_allclose(*moment, rtol=0, atol=1e-12)
        for name in ("qfrc_actuator", "actuator_length", "qacc"):
            np.testing.assert_allclose(getattr(data, name).ravel(), np.asarray(getattr(d, name)).ravel(), rtol=1e-7, atol=1e-7, err_msg=name)
        mujoco.mj_step(m, d)
