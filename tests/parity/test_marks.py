"""bvh_active: nodes of bounding volumes that a search for contacts goes through, and their colours in a scene.

The released engine marks them in every search; Sinew when bounding volumes of bodies or flexes are drawn.
"""

import mujoco
import numpy as np
import pytest

from harness import Data, model_from_string, ours
from test_view import Scenes, VIS

SHAPES = ["sphere", "capsule", "ellipsoid", "cylinder", "box"]
SEEDS = range(12)


class Writer:
    """Bodies of several geoms near each other."""

    def __init__(self, seed, shapes=SHAPES, extra=None):
        self.rng, self.shapes, self.extra = np.random.default_rng(seed), shapes, extra

    def some(self, low, high):
        return " ".join(f"{x:.17g}" for x in self.rng.uniform(low, high, 3))

    def geoms(self, n, size=0.2, spread=0.5):
        text = ""
        for _ in range(n):
            text += f'<geom type="{self.rng.choice(self.shapes)}" size="{self.some(size / 4, size)}"'
            text += f' pos="{self.some(-spread, spread)}" euler="{self.some(-180, 180)}"'
            text += f" {self.extra(self.rng) if self.extra else ''}/>"
        return text

    def body(self, n, place, **geoms):
        pose = f'pos="{self.some(-place, place)}" euler="{self.some(-180, 180)}"'
        return f"<body {pose}><freejoint/>{self.geoms(n, **geoms)}</body>"

    def bodies(self, spread):
        return "".join(self.body(int(self.rng.integers(1, 6)), spread) for _ in range(5))

    def flex(self, name, place, dim, contact):
        count, layers = "5 5", 1 if dim == 2 else 3
        return (
            f'<flexcomp name="{name}" type="grid" dim="{dim}" count="{count} {layers}" spacing=".1 .1 .1" mass="1"'
            f' radius=".01" pos="{place}" euler="{self.some(0, 90)}"><contact {contact}/></flexcomp>'
        )


def check(text, flags=(VIS.mjVIS_BODYBVH, VIS.mjVIS_FLEXBVH), move=None):
    """The same marks and the same scene; returns how many nodes have a mark, and how many have none."""
    m = model_from_string(text)
    d = mujoco.MjData(m)
    if move:
        move(m, d)
    mujoco.mj_forward(m, d)
    theirs, data = d.bvh_active, Data(ours(m))
    data.copy_from(d)
    scenes = Scenes(m, d, data)
    try:
        for flag in flags:
            data.bvh_active[:] = 0
            scenes.check(flag.name, flags=[flag])  # makes our marks
            wrong = np.flatnonzero(data.bvh_active != theirs)
            assert not len(wrong), f"nodes {wrong}: {data.bvh_active[wrong]}, expected {theirs[wrong]}"
    finally:
        scenes.close()
    return int(theirs.sum()), int((theirs == 0).sum())


def check_all(texts, **options):
    marked, bare = np.sum([check(text, **options) for text in texts], axis=0)
    assert marked and bare


def world(inside, before=""):
    return f"<mujoco>{before}<worldbody>{inside}</worldbody></mujoco>"


@pytest.mark.parametrize("spread", [0.6, 1, 1.5])
def test_bodies(spread):
    check_all(world(Writer(seed).bodies(spread)) for seed in SEEDS)


@pytest.mark.parametrize("spread", [0.6, 1.2])
def test_world(spread):
    """The world passes the sweep, and its geoms do not turn its axes."""
    for seed in SEEDS:
        w = Writer(seed)
        check(world(w.geoms(3) + w.bodies(spread)))


def test_margins_and_masks():
    margin = lambda rng: f'margin="{rng.choice([0, 0.02, 0.1])}"'
    masks = lambda rng: f'contype="{rng.integers(4)}" conaffinity="{rng.integers(4)}"'
    for extra in (margin, masks):
        check_all(world(Writer(seed, extra=extra).bodies(1)) for seed in SEEDS)
    override = '<option o_margin=".05"><flag override="enable"/></option>'
    check_all(world(Writer(seed, extra=margin).bodies(1), override) for seed in SEEDS)


BALLS = '<geom size=".1"/><geom size=".1" pos=".3 0 0"/><geom size=".1" pos=".6 0 0"/>'


@pytest.mark.parametrize("flag", ["contact", "constraint", "midphase", "filterparent"])
def test_flags(flag):
    inside = f'<body>{BALLS}<joint/><body name="b" pos="0 .15 0"><joint/>{BALLS}</body></body><body pos="0 .05 .1"><freejoint/>{BALLS}</body>'
    flexes = Writer(0).flex("f", "0 0 0", 3, "") + Writer(1).flex("g", ".1 .1 0", 2, "")
    for more in "", flexes:
        check(world(inside + more, f'<option><flag {flag}="disable"/></option>'))


def test_excluded_and_single():
    pair = f'<body name="a"><freejoint/>{BALLS}</body><body name="b" pos="0 .1 0"><freejoint/><geom size=".1"/></body>'
    marked, bare = check(world(pair))
    assert marked and bare
    text = world(pair).replace("</mujoco>", '<contact><exclude body1="a" body2="b"/></contact></mujoco>')
    assert check(text)[0] == 0
    single = '<body><freejoint/><geom size=".1"/></body><body pos="0 .1 0"><freejoint/><geom size=".1"/></body>'
    assert check(world(single))[0] == 0


def test_world_alone():
    assert check(world('<geom size=".1"/><geom size=".1" pos=".1 0 0"/><body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'))[0] == 0


def test_off():
    """One colour, and no mark is made, when the model turns them off."""
    text = world(f"<body><freejoint/>{BALLS}</body>" * 2, '<visual><global bvactive="false"/></visual>')
    assert check(text)[0] == 0


def test_before_a_step():
    """New data has no poses: nothing has been gone through."""
    m = model_from_string(world(f"<body><freejoint/>{BALLS}</body>" * 2))
    data = Data(ours(m))
    scenes = Scenes(m, mujoco.MjData(m), data)
    scenes.check("new", flags=[VIS.mjVIS_BODYBVH])
    assert not data.bvh_active.any()
    scenes.close()


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("ngeom", [1, 3])
def test_body_and_flex(dim, ngeom):
    texts = []
    for seed in SEEDS:
        w = Writer(seed, ["sphere", "capsule", "box"])
        texts.append(world(w.body(ngeom, 0.25, size=0.06, spread=0.15) + w.flex("f", "0 0 0", dim, 'selfcollide="none"')))
    check_all(texts)


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("height", [0, 0.005, 0.02, -0.03])
def test_plane_and_flex(dim, height):
    plane = '<geom type="plane" size="1 1 .1"/>'
    check_all(world(plane + Writer(seed).flex("f", f"0 0 {height}", dim, 'selfcollide="none"')) for seed in range(3))


@pytest.mark.parametrize("dim", [2, 3])
def test_flex_and_flex(dim):
    texts = []
    for seed in SEEDS:
        w = Writer(seed)
        flexes = (w.flex("f", "0 0 0", dim, 'selfcollide="none"'), w.flex("g", w.some(-0.2, 0.2), dim, 'selfcollide="none"'))
        texts.append(world("".join(flexes)))
    check_all(texts)


@pytest.mark.parametrize("dim", [2, 3])
@pytest.mark.parametrize("search", ["none", "narrow", "bvh", "sap", "auto"])
def test_flex_and_itself(dim, search):
    def crumple(m, d):
        d.qpos[:] = np.random.default_rng(3).normal(size=m.nq) * 0.03

    check(world(Writer(0).flex("f", "0 0 0", dim, f'selfcollide="{search}" internal="false"')), move=crumple)
