"""Random small scenes, stage by stage (stages.py at length: `make nightly`), and ties that rounding decides: shapes that
move in a plane, balls, meshes that lie flat on the floor."""

import mujoco
import numpy as np
import pytest
import scenes
import stages
from harness import Data, call, ours

SEEDS = 12
# largest share of scenes that may part, at their contacts: equal bricks that touch to rounding, boxes apart within a margin
# (docs/differences.md), particles that touch exactly; or at segments between parallel faces, of
# which many are the shortest
PART = {"stack": 0.3, "near": 0.3, "particles": 0.4, "pile": 0.2, "distances": 0.2}


@pytest.mark.parametrize("family", [f for f in scenes.FAMILIES if f != "flexes"])
def test_family(family):
    parted = {}
    for seed in range(SEEDS):
        m, our = scenes.both(family, seed)
        found = stages.compare_model(m, our, 4, seed, steps=15)
        if family in PART:
            found.pop("velocity", None)  # of contacts that agree to 1e-6
        if found:
            parted[seed] = found
    assert len(parted) <= PART.get(family, 0) * SEEDS, parted
    assert all(set(found) == {"sensor" if family == "distances" else "contact"} for found in parted.values()), parted


def contact(xml, qpos=None):
    """(ours, the oracle's) contacts as rows of distance, position and normal."""
    m = mujoco.MjModel.from_xml_string(xml)
    d, our = mujoco.MjData(m), ours(m)
    data = Data(our)
    if qpos is not None:
        d.qpos[:] = data.qpos[:] = qpos
    mujoco.mj_fwdPosition(m, d)
    call("mj_fwdPosition", our, data)
    mine = [np.r_[c["dist"], c["pos"].ravel(), c["frame"].ravel()[:3]] for c in data.contact]
    return np.array(mine), np.array([np.r_[c.dist, c.pos, c.frame[:3]] for c in d.contact])


@pytest.mark.parametrize("kinds", ["ellipsoid ellipsoid", "cylinder cylinder", "sphere ellipsoid", "capsule ellipsoid", "capsule cylinder"])
@pytest.mark.parametrize("margin", [0, 0.03])
def test_shapes_in_a_plane(kinds, margin):
    """Every face of the polytope has a mirror image at one distance: which of them is expanded is decided alike."""
    rng, count = np.random.default_rng(0), 0
    for k in range(90):
        size, p = rng.uniform(0.02, 0.05, (2, 3)), rng.uniform(-0.05, 0.05, 3)
        p[rng.integers(3)] = 0
        turns = rng.normal(size=(2, 4)) * [1, 0, 0, 1] if k % 3 else np.eye(4)[rng.integers(4, size=2)]
        if k % 3 == 2:
            turns = np.array([(1, 0, 0, 0), (1, 1, 0, 0), (1, 0, 1, 0), (1, 0, 0, 1), (0, 1, 0, 0), (1, 1, 1, 1)], float)[rng.integers(6, size=2)]
        turns /= np.linalg.norm(turns, axis=1)[:, None]
        bodies = "".join(f"<body><freejoint/><geom type='{kind}' size='{s[0]!r} {s[1]!r} {s[2]!r}' margin='{margin}'/></body>"
                         for kind, s in zip(kinds.split(), size.tolist()))
        mine, theirs = contact(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>", [0, 0, 0, *turns[0], *p, *turns[1]])
        count += len(theirs)
        assert np.array_equal(mine, theirs), (k, mine, theirs)
    assert count > 30


@pytest.mark.parametrize("kind", ["sphere", "capsule", "ellipsoid", "cylinder"])
def test_along_the_axes_of_a_mesh(kind):
    """Four vertices of a box are at one height then: which of them is taken hangs on the last answer."""
    rng, count = np.random.default_rng(0), 0
    for k in range(40):
        half, size, p = rng.uniform(0.1, 0.4, 3).round(2), rng.uniform(0.1, 0.4, 3).round(2).tolist(), np.zeros(3)
        p[rng.permutation(3)[:1 + k % 2]] = rng.uniform(-0.2, 0.2)
        vertex = scenes.text(half * np.array(np.meshgrid((-1, 1), (-1, 1), (-1, 1))).reshape(3, -1).T)
        mine, theirs = contact(f"""<mujoco><asset><mesh name="m" vertex="{vertex}"/></asset><worldbody><body><freejoint/>
        <geom type="{kind}" size="{size[0]} {size[1]} {size[2]}"/></body><body><freejoint/><geom type="mesh" mesh="m"/></body>
        </worldbody></mujoco>""", [0, 0, 0, 1, 0, 0, 0, *p, 1, 0, 0, 0])
        count += len(theirs)
        assert np.array_equal(mine, theirs), (k, mine, theirs)
    assert count > 20


@pytest.mark.parametrize("kinds", ["cylinder box", "ellipsoid box", "ellipsoid cylinder"])
def test_shapes_side_by_side(kinds):
    """Placed by their sizes, so that they touch exactly: whether there is a contact, and how deep it is, hangs on the steps
    of the search and on rounding."""
    rng, same, touching, couples = np.random.default_rng(2), 0, 0, 150
    for _ in range(couples):
        size = rng.uniform(0.05, 0.3, (2, 3)).round(2)
        half = [s[[0, 0, 1]] if kind == "cylinder" else s for kind, s in zip(kinds.split(), size)]
        axis, off = rng.integers(3), half[0] * rng.choice([0, -0.5, 0.25, 0.5], 3)
        off[axis] = (half[0] + half[1])[axis] * rng.choice([-1, 1])
        base = rng.uniform(-1, 1, 3) * rng.integers(2)
        bodies = "".join(f"<body><freejoint/><geom type='{kind}' size='{s[0]!r} {s[1]!r} {s[2]!r}'/></body>"
                         for kind, s in zip(kinds.split(), size.tolist()))
        mine, theirs = contact(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>", [*base, 1, 0, 0, 0, *(base + off), 1, 0, 0, 0])
        touching += len(theirs)
        same += mine.shape == theirs.shape and np.allclose(mine, theirs, rtol=0, atol=1e-7)
    assert touching > 20 and same >= 0.95 * couples, (same, touching)


def test_meshes_flat_on_a_plane():
    """Of vertices at one height the contact starts at the one where the released climb over the hull ends."""
    flat = 0
    for seed in range(150):
        scene = scenes.Scene("meshes", seed)
        mine, theirs = contact(scene.xml)
        assert np.allclose(mine, theirs, rtol=0, atol=1e-10), seed
        flat += len(theirs) > 1 and np.ptp(theirs[:, 0]) < 1e-9
    assert flat > 40


def ridge(first, over, rng):
    """A roof whose ridge is in a slab, above or below it; the roof is the first geom or the second."""
    roof, slab = ("<body pos='{}' quat='{}'><freejoint/><geom type='mesh' mesh='{}'/></body>".format(
        scenes.text(pos), scenes.text(quat), name) for pos, quat, name in (
            ((0, 0, 0), (0, 1, rng.uniform(-1, 1), 0) if over else (1, 0, 0, rng.uniform(-1, 1)), "roof"),
            ((*rng.uniform(-0.6, 0.6, 2), (-1 if over else 1) * 0.498), (1, 0, 0, rng.uniform(-1, 1)), "slab")))
    return f"""<mujoco><option><flag multiccd="enable"/></option><asset>
    <mesh name="roof" vertex="-1 -.3 -.2 1 -.3 -.2 -1 .3 -.2 1 .3 -.2 0 -.5 .4 0 .5 .4"/>
    <mesh name="slab" vertex="-1 -1 -.1 1 -1 -.1 -1 1 -.1 1 1 -.1 -1 -1 .1 1 -1 .1 -1 1 .1 1 1 .1"/></asset>
    <worldbody>{roof + slab if first else slab + roof}</worldbody></mujoco>"""


@pytest.mark.parametrize("first", [True, False])
def test_edges_on_faces(first):
    """multiccd: both ends of an edge on a face, in either order."""
    rng, seen = np.random.default_rng(0), 0
    for k in range(40):
        mine, theirs = contact(ridge(first, k % 2, rng))
        if len(theirs) == 2:
            seen += 1
            assert min(abs(x - theirs).max() for x in (mine, mine[::-1])) < 1e-9
    assert seen > 20


def grid(rng, shuffled):
    """Spheres that touch in a grid, with the radius of a sphere."""
    radius, count = rng.choice([0.02, 0.03, 0.05, 0.0625, 0.1]), rng.integers(1, 6, 3)
    place = np.array(np.meshgrid(*map(np.arange, count), indexing="ij")).reshape(3, -1).T * (2 * radius)
    place += rng.uniform(-1, 1, 3).round(2) if shuffled else 0
    if shuffled:
        place = rng.permutation(place)
    return "".join(f"<body pos='{x!r} {y!r} {z!r}'><freejoint/><geom size='{radius}'/></body>" for x, y, z in place.tolist())


def test_spheres_in_a_grid():
    """The released sweep, in single precision along one axis, decides which of the spheres that touch have a contact."""
    rng, seen = np.random.default_rng(0), 0
    for k in range(60):
        mine, theirs = contact(f"<mujoco><worldbody><geom type='plane' size='1 1 1' pos='0 0 -2'/>{grid(rng, k % 2)}</worldbody></mujoco>")
        assert len(mine) == len(theirs) and np.array_equal(mine, theirs), k
        seen += len(theirs)
    assert seen > 500
    for depth in (0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6):
        mine, theirs = contact(f"""<mujoco><worldbody><replicate count="5" offset="{0.06 - depth!r} 0 0"><body><freejoint/>
        <geom size=".03"/></body></replicate></worldbody></mujoco>""")
        assert len(mine) == len(theirs) and (0 < depth < 1e-7 or len(mine) == (4 if depth else 0))


SETTINGS = {"Newton": {}, "elliptic": {"cone": 1}, "loose": {"cone": 1, "tolerance": 1e-6}, "CG": {"solver": 1}}


def left(d):
    """What the inverse of a state's acceleration leaves: the gradient where the solver stopped."""
    return np.linalg.norm(np.ravel(d.qfrc_inverse) - np.ravel(d.qfrc_applied) - np.ravel(d.qfrc_actuator))


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("islands", [False, True])
def test_converged(setting, islands):
    """At the settings that models come with: where the released engine stops, or nearer to the solution. With islands all
    of them start at one of the two points; beside trees without rows a part takes the further steps of the whole."""
    seen = 0
    for family, seed in [(f, s) for f in ("pile", "particles", "stack", "flexes") for s in range(10)]:
        if family == "flexes" and islands:
            continue  # refused by the released engine where a row has no tree
        m = mujoco.MjModel.from_xml_string(scenes.Scene(family, seed).xml)
        m.opt.tolerance, m.opt.iterations, m.opt.ls_iterations, m.opt.jacobian = 1e-8, 100, 50, seed % 2
        m.opt.enableflags |= islands * int(mujoco.mjtEnableBit.mjENBL_ISLAND)
        for name, value in SETTINGS[setting].items():
            setattr(m.opt, name, value)
        our = ours(m)
        d, data = mujoco.MjData(m), Data(our)
        for state in stages.states(m, 5, seed, 15):
            stages.oracle_set(m, d, state)
            data.set_state(state)
            mujoco.mj_forward(m, d)
            call("mj_forward", our, data)
            if d.nefc and not stages.contacts(m, data, d, 1e-9) and not stages.fields("efc_D efc_aref", data, d, 1e-9):
                seen += 1
                if stages.fields("qacc", data, d, 1e-6):
                    mujoco.mj_inverse(m, d)
                    call("mj_inverse", our, data)
                    # the steps of CG hang on rounding: two that stop on the tolerance may stop one step apart
                    assert left(data) <= (2 if setting == "CG" else 1) * left(d), (family, seed, left(data), left(d))
    assert seen > 100


def trees(m, our):
    """[text] of the hierarchies of bodies, meshes and flexes that differ."""
    mine = {name: np.asarray(getattr(our, name)) for name in ("bvh_child", "bvh_nodeid", "bvh_aabb")}
    out = []
    for kind, count in (("body", m.nbody), ("mesh", m.nmesh), ("flex", m.nflex)):
        for i in range(count):
            adr, num = getattr(m, kind + "_bvhadr")[i], getattr(m, kind + "_bvhnum")[i]
            at = slice(adr, adr + num)
            same = all(np.array_equal(np.ravel(mine[x].reshape(m.nbvh, -1)[at]), np.ravel(getattr(m, x)[at]))
                       for x in ("bvh_child", "bvh_nodeid"))
            if adr >= 0 and num and kind != "flex":  # boxes of flexes are of the state
                same &= np.allclose(mine["bvh_aabb"].reshape(-1, 6)[at], m.bvh_aabb[at], rtol=0, atol=1e-6)
            if not same:
                out.append(f"{kind} {i}")
    return out


def test_hierarchies():
    """Split at the median along the longest side of the box: geoms by their position in the inertial frame, faces by their
    circumcenter, elements of a flex by the center of their box. The order of contacts follows them."""
    rng = np.random.default_rng(0)
    for _ in range(15):
        geoms = "".join(f"<geom type='box' size='{scenes.text(rng.uniform(0.05, 1, 3))}' pos='{scenes.text(rng.normal(size=3))}' "
                        f"euler='{scenes.text(rng.uniform(-40, 40, 3))}'/>" for _ in range(7))
        cloud = scenes.text(rng.normal(size=(30, 3)) * rng.uniform(0.3, 2, 3))
        m, our = scenes.compiled(f"""<mujoco><asset><mesh name="m" vertex="{cloud}"/></asset>
        <worldbody><body>{geoms}<geom type="mesh" mesh="m"/></body></worldbody></mujoco>""")
        assert not trees(m, our)
    for seed in range(20):
        assert not trees(*scenes.both("flexes", seed)), seed


def order(contacts):
    return [(*np.ravel(c["elem"]), *np.ravel(c["vert"])) for c in contacts]


def test_flexes_against_themselves():
    """By hierarchy, turned by any angle: the same contacts in the same order."""
    seen = 0
    for kind, dim, count in (("grid", 2, "5 4 1"), ("grid", 3, "4 3 4"), ("disc", 2, "3 5 1"), ("cylinder", 3, "4 4 3")):
        m, our = scenes.compiled(f"""<mujoco><worldbody><flexcomp name="f" type="{kind}" dim="{dim}" count="{count}"
        spacing=".05 .05 .05" radius=".02" euler="14 23 -31" mass="1"><contact selfcollide="bvh" internal="false"/>
        </flexcomp></worldbody></mujoco>""")
        d, data = mujoco.MjData(m), Data(our)
        d.qpos[:] = data.qpos[:] = 0.01 * np.random.default_rng(1).normal(size=m.nq)
        mujoco.mj_fwdPosition(m, d)
        call("mj_fwdPosition", our, data)
        theirs = [(*c.elem, *c.vert) for c in d.contact]
        assert order(data.contact) == theirs
        seen += len(theirs)
    assert seen > 50


def test_turned_pairs():
    """multiccd turns shapes with flat sides about their contact, by the released rotation rounded alike: in aligned poses
    its rounding decides which point of an edge or a rim is found."""
    rng, same, count = np.random.default_rng(3), 0, 0
    for k in range(150):
        size, p = rng.uniform(0.04, 0.15, (2, 3)), rng.uniform(-0.1, 0.1, 3)
        bodies = "".join(f"<body><freejoint/><geom type='{kind}' size='{s[0]!r} {s[1]!r} {s[2]!r}'/></body>"
                         for kind, s in zip(("capsule", "cylinder"), size.tolist()))
        mine, theirs = contact(f"<mujoco><option><flag multiccd='enable'/></option><worldbody>{bodies}</worldbody></mujoco>",
                               [0, 0, 0, 1, 0, 0, 0, *p, 1, 0, 0, 0])
        count += len(theirs) > 1
        same += len(theirs) > 1 and np.array_equal(mine, theirs)
    assert count > 50 and same >= 0.8 * count, (same, count)


def test_four_corners():
    """multiccd keeps four corners of a patch: the released ones, in their order, but for ties that rounding decides."""
    rng, same, count = np.random.default_rng(3), 0, 0
    for sides in np.repeat([5, 6, 7, 8, 9], 16):
        angle = np.sort(rng.uniform(0, 2 * np.pi, sides))
        corner = np.column_stack([0.25 * np.cos(angle), 0.15 * np.sin(angle)]) + rng.uniform(-0.05, 0.05, 2)
        vertex = " ".join(f"{x:.5f} {y:.5f} {z}" for z in (-0.1, 0.1) for x, y in corner)
        mine, theirs = contact(f"""<mujoco><option><flag multiccd="enable"/></option>
        <asset><mesh name="prism" vertex="{vertex}"/></asset><worldbody><geom type="box" size="1 1 .5"/>
        <body pos="0 0 .599"><freejoint/><geom type="mesh" mesh="prism"/></body></worldbody></mujoco>""")
        assert len(mine) == len(theirs) == 4
        count += 1
        same += np.allclose(mine, theirs, rtol=0, atol=1e-8)
    assert same >= 0.95 * count, (same, count)
