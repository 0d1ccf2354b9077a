"""Random scenes: which geoms meet, in which order and with which parameters, while masks, margins and
flags change; rays and distances among all types of geoms."""

import ctypes

import mujoco
import numpy as np
import pytest

from harness import Data, call, oracle_library, ours
from test_collide import PARAMETERS, contacts, grouped, pose

MIDPHASE, FILTERPARENT = (int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{n}")) for n in ("MIDPHASE", "FILTERPARENT"))
SHAPES = {
    "sphere": "size='.3'",
    "capsule": "size='.1 .3'",
    "ellipsoid": "size='.3 .2 .1'",
    "cylinder": "size='.2 .3'",
    "box": "size='.3 .2 .1'",
    "mesh": "mesh='m'",
}


def text(values):
    return " ".join(f"{x:.4f}" for x in np.ravel(values))


def assets(rng, nrow, ncol):
    v = rng.normal(size=(20, 3))
    v *= 0.3 / np.linalg.norm(v, axis=1)[:, None]
    return (f"<asset><mesh name='m' vertex='{text(v)}'/><hfield name='h' nrow='{nrow}' ncol='{ncol}' size='1 .8 .3 .2' "
            f"elevation='{text(rng.uniform(0, 1, nrow * ncol))}'/></asset>")


def random_geom(rng, name):
    kind = rng.choice(list(SHAPES))
    out = f"name='{name}' type='{kind}' {SHAPES[kind]} pos='{text(0.1 * rng.normal(size=3))}'"
    if rng.integers(3) == 0:
        out += f" contype='{rng.integers(1, 4)}' conaffinity='{rng.integers(0, 4)}'"
    if rng.integers(3) == 0:
        out += f" margin='{rng.uniform(0, 0.05):.4f}' gap='{rng.uniform(0, 0.05):.4f}'"
    if rng.integers(3) == 0:
        out += f" priority='{rng.integers(-1, 2)}' condim='{rng.choice([1, 3, 4, 6])}' friction='{rng.uniform(0, 2):.3f} .1 .2'"
    if rng.integers(3) == 0:
        out += f" solmix='{rng.choice([0, 0.5, 2])}' solref='.05 {rng.choice([1, 2])}' solimp='.5 .9 .01 .3 3'"
    return f"<geom {out}/>"


def random_scene(rng):
    """Bodies with several geoms each, some of them chained, with excludes, pairs and overrides."""
    bodies, names, depth, out = int(rng.integers(4, 12)), [], 0, ""
    for i in range(bodies):
        nested = i and depth < 3 and rng.integers(3) == 0
        if not nested:
            out, depth = out + "</body>" * depth, 0
        joint = "<joint/>" if nested else "<freejoint/>"
        mine = [f"g{i}_{k}" for k in range(rng.integers(1, 4))]
        out += f"<body name='b{i}' pos='{text(rng.normal(size=3) * (0.3 if nested else 0.6))}' quat='{text(rng.normal(size=4))}'>"
        out += joint + "".join(random_geom(rng, name) for name in mine)
        names, depth = names + mine, depth + 1
    out += "</body>" * depth
    a, b = rng.choice(bodies, 2, replace=False)
    g, h = rng.choice(names, 2, replace=False)
    pair = f"margin='{rng.uniform(0, 0.1):.3f}' gap='.01' condim='{rng.choice([1, 3, 4, 6])}' friction='1 .5 .1 .2 .3'"
    flags = "".join(f" {f}='disable'" for f in ("filterparent", "midphase") if rng.integers(3) == 0)
    flags += " override='enable'" if rng.integers(4) == 0 else ""
    return mujoco.MjModel.from_xml_string(
        f"<mujoco><option o_margin='.02' o_solref='.03 .9' o_friction='.7 .8 .01 .02 .03'><flag{flags}/></option>"
        f"{assets(rng, 5, 6)}<worldbody><geom type='plane' size='0 0 1' pos='0 0 -.5' margin='{rng.choice([0, 0.03])}'/>"
        f"{out}</worldbody><contact><exclude body1='b{a}' body2='b{b}'/><pair geom1='{g}' geom2='{h}' {pair}/></contact></mujoco>")


def change(rng, model_pair):
    """The same change to both models: masks of a geom and of its body, a margin, a flag."""
    m = model_pair[0]
    g, kind, affinity, margin = rng.integers(m.ngeom), rng.integers(3), rng.integers(4), rng.uniform(0, 0.1)
    body, what = m.geom_bodyid[g], rng.integers(5)
    flag = [MIDPHASE, FILTERPARENT][rng.integers(2)]
    for model in model_pair:
        if what == 0:
            model.geom_contype[g], model.geom_conaffinity[g] = kind, affinity
        elif what == 1:
            model.body_contype[body], model.body_conaffinity[body] = kind, affinity
        elif what == 2:
            model.geom_margin[g] = margin
        elif what == 3:
            model.opt.disableflags = int(model.opt.disableflags) ^ flag


@pytest.mark.parametrize("seed", range(40))
def test_contacts(seed):
    rng = np.random.default_rng(seed)
    m = random_scene(rng)
    d, our = mujoco.MjData(m), ours(m)
    data, met = Data(our), 0
    for _ in range(8):
        mujoco.mj_integratePos(m, d.qpos, rng.standard_normal(m.nv), 0.1)
        change(rng, (m, our))
        mujoco.mj_fwdPosition(m, d)
        pose(data, d)
        call("mj_collision", our, data)
        x, y = grouped(contacts(data)), grouped(list(d.contact))
        assert list(x) == list(y)
        for pair in x:
            assert len(x[pair]) == len(y[pair])
            for p, q in zip(x[pair], y[pair]):
                for name in PARAMETERS:
                    assert np.array_equal(np.ravel(getattr(p, name)), np.ravel(getattr(q, name))), name
        met += len(x)
    assert met


def test_geoms_off_when_compiled():
    """They are not in the tree of their body: the released engine finds them without the mid phase only."""
    m = mujoco.MjModel.from_xml_string(
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .05'><freejoint/><geom size='.1'/>"
        "<geom size='.1' pos='.5 0 0' contype='0' conaffinity='0'/></body></worldbody></mujoco>")
    d, our = mujoco.MjData(m), ours(m)
    data, found = Data(our), []
    for model in (m, our):
        model.geom_contype[2] = 1
    for flags in (0, MIDPHASE):
        m.opt.disableflags = flags
        our.opt.disableflags = flags
        mujoco.mj_forward(m, d)
        call("mj_forward", our, data)
        found.append((data.ncon, d.ncon))
    assert found == [(2, 1), (2, 2)]


def ray_scene(rng, nrow, ncol):
    geoms = ""
    for i, (kind, shape) in enumerate(list(SHAPES.items()) * 2):
        geom = f"<geom type='{kind}' {shape} group='{rng.integers(6)}' rgba='1 1 1 {rng.choice([0, 0.5, 1])}'/>"
        joint = "<freejoint/>" if i % 2 else ""
        geoms += f"<body pos='{text(rng.uniform(-1.2, 1.2, 3))}' quat='{text(rng.normal(size=4))}'>{joint}{geom}</body>"
    return mujoco.MjModel.from_xml_string(
        f"<mujoco>{assets(rng, nrow, ncol)}<worldbody><geom type='plane' size='1 1.5 .1' pos='0 0 -.5'/>"
        f"<geom type='plane' size='0 0 .1' pos='0 0 -3' zaxis='.1 .2 1' group='5'/>"
        f"<geom type='hfield' hfield='h' pos='2 0 0' euler='10 20 30' group='1'/>{geoms}</worldbody></mujoco>")


@pytest.mark.parametrize("seed", range(8))
def test_rays(seed):
    """From inside, along axes, by groups and bodies, and many at once within a cutoff."""
    rng = np.random.default_rng(seed)
    m = ray_scene(rng, 5, 5)
    d, our = mujoco.MjData(m), ours(m)
    mujoco.mj_forward(m, d)
    data, n, missed = Data(our), 40, 0
    pose(data, d)
    for k in range(100):
        g = rng.integers(m.ngeom)
        inside = k % 4 == 0 and m.geom_type[g] != mujoco.mjtGeom.mjGEOM_HFIELD
        point = d.geom_xpos[g] + rng.normal(size=3) * (0.01 if inside else 1)
        vec = rng.normal(size=(n, 3))
        if k % 3 == 0:
            vec[:] = d.geom_xmat[g].reshape(3, 3)[:, rng.integers(3)] * rng.uniform(-2, 2, (n, 1))
        groups = rng.integers(0, 2, 6).astype(np.uint8) if k % 2 else None
        static, exclude, cutoff = int(rng.integers(2)), int(rng.integers(-1, m.nbody)), float([1e10, 2, 0.5, 0][k % 4])
        hit, dist = np.zeros((2, n), np.int32), np.zeros((2, n))
        mujoco.mj_multiRay(m, d, point, vec.ravel(), groups, static, exclude, hit[0], dist[0], n, cutoff)
        call("mj_multiRay", our, data, point, vec.ravel(), groups, static, exclude, hit[1], dist[1], n, cutoff)
        off = (np.abs(dist[1] - dist[0]) > 1e-9 * max(1, dist.max())) | (hit[0] != hit[1])
        for i in np.flatnonzero(off):  # what many rays of the released engine miss, one of them meets
            assert abs(mujoco.mj_ray(m, d, point, vec[i], groups, static, exclude, hit[0, i:i + 1]) - dist[1, i]) < 1e-9
            assert hit[0, i] == hit[1, i]
        missed += off.sum()
        one = call("mj_ray", our, data, point, vec[0].copy(), groups, static, exclude, hit[1], restype=ctypes.c_double)
        two = mujoco.mj_ray(m, d, point, vec[0], groups, static, exclude, hit[0][:1])
        assert abs(one - two) <= 1e-9 * max(1, abs(two)) and hit[0, 0] == hit[1, 0]
    assert missed <= 4


def test_sides_of_height_fields():
    """A side ends at the line between the heights of its edge; the released engine reads those along y
    with the number of rows for that of columns."""
    rng = np.random.default_rng(0)
    nrow, ncol = 5, 6
    m = mujoco.MjModel.from_xml_string(f"<mujoco>{assets(rng, nrow, ncol)}<worldbody><geom type='hfield' hfield='h'/></worldbody></mujoco>")
    d, our = mujoco.MjData(m), ours(m)
    mujoco.mj_forward(m, d)
    data, wrong = Data(our), 0
    pose(data, d)
    height = 0.3 * m.hfield_data.astype(float).reshape(nrow, ncol)
    for _ in range(400):
        side, y, z = rng.choice([-1, 1]), rng.uniform(-0.8, 0.8), rng.uniform(0, 0.3)
        top = np.interp(y, np.linspace(-0.8, 0.8, nrow), height[:, 0 if side < 0 else -1])
        point, vec = np.array([1.5 * side, y, z]), np.array([-side, 0.0, 0.0])
        x = call("mj_rayHfield", our, data, 0, point, vec, restype=ctypes.c_double)
        assert (abs(x - 0.5) < 1e-9) == (z < top)
        wrong += abs(x - mujoco.mj_rayHfield(m, d, 0, point, vec)) > 1e-9
    assert wrong > 20


@pytest.mark.parametrize("first", SHAPES)
@pytest.mark.parametrize("second", SHAPES)
def test_segment_in_the_released_order(first, second):
    """From the first geom to the second, but from the lower type to the higher where GJK finds it."""
    rng = np.random.default_rng(4)
    geoms = "".join(f"<body pos='{2 * i} 0 0'><freejoint/><geom type='{k}' {SHAPES[k]}/></body>" for i, k in enumerate((first, second)))
    m = mujoco.MjModel.from_xml_string(f"<mujoco>{assets(rng, 5, 5)}<worldbody>{geoms}</worldbody></mujoco>")
    d, our = mujoco.MjData(m), ours(m)
    data, segment, theirs = Data(our), np.zeros(6), np.zeros(6)
    for _ in range(20):
        d.qpos[3:7], d.qpos[10:14] = rng.normal(size=4), rng.normal(size=4)
        mujoco.mj_forward(m, d)
        pose(data, d)
        x = call("mj_geomDistance", our, data, 0, 1, 5.0, segment, restype=ctypes.c_double)
        assert abs(x - mujoco.mj_geomDistance(m, d, 0, 1, 5.0, theirs)) < 2e-6
        turned = theirs[0] > theirs[3]
        assert turned == (segment[0] > segment[3])  # the first geom is at 0, the second at 2
        assert not turned or m.geom_type[0] > m.geom_type[1]


def test_distance_of_height_fields():
    """That of the surface, sampled, whatever the largest one asked for; the released one changes with it."""
    rng, n = np.random.default_rng(5), 5
    m = mujoco.MjModel.from_xml_string(
        f"<mujoco>{assets(rng, n, n)}<worldbody><geom type='hfield' hfield='h'/><body><freejoint/><geom size='.3'/></body></worldbody></mujoco>")
    d, our = mujoco.MjData(m), ours(m)
    data, segment, theirs = Data(our), np.zeros(6), []
    height = 0.3 * m.hfield_data.astype(float).reshape(n, n)
    u, v = (a.ravel() for a in np.meshgrid(np.linspace(0, n - 1, 401), np.linspace(0, n - 1, 401)))
    i, k = np.minimum(u.astype(int), n - 2), np.minimum(v.astype(int), n - 2)
    a, b = u - i, v - k
    corner = height[k, i], height[k, i + 1], height[k + 1, i], height[k + 1, i + 1]
    # two triangles to a cell, on either side of the line from its first corner to its last
    z = np.where(a > b, corner[0] + a * (corner[1] - corner[0]) + b * (corner[3] - corner[1]),
                 corner[0] + b * (corner[2] - corner[0]) + a * (corner[3] - corner[2]))
    surface = np.stack([u / 2 - 1, 0.4 * v - 0.8, z], 1)
    for _ in range(40):
        d.qpos[:3] = [*rng.uniform(-0.3, 0.3, 2), rng.uniform(0.65, 1.5)]
        mujoco.mj_forward(m, d)
        pose(data, d)
        true = np.linalg.norm(surface - d.geom_xpos[1], axis=1).min() - 0.3
        for most in (1.5, 10.0):
            x = call("mj_geomDistance", our, data, 0, 1, most, segment, restype=ctypes.c_double)
            assert true - 2e-3 <= x <= true + 1e-9
            assert abs(np.linalg.norm(segment[3:] - segment[:3]) - x) < 1e-9
        theirs.append(abs(mujoco.mj_geomDistance(m, d, 0, 1, 10, None) - true))
    assert max(theirs) > 1


def released(name, *arguments):
    """A function of the released library that its Python package does not take arrays for."""
    function = getattr(oracle_library(), name)
    function.restype = ctypes.c_double
    return function(*[ctypes.c_void_p(x.ctypes.data) if isinstance(x, np.ndarray) else ctypes.c_longlong(x) for x in arguments])


@pytest.mark.parametrize("dim, count", [(1, "5 1 1"), (2, "4 4 1"), (3, "3 3 3")])
def test_rays_at_flexes(dim, count):
    """mju_rayFlex with every choice of flags; the vertex is left alone when nothing is hit."""
    rng = np.random.default_rng(dim)
    m = mujoco.MjModel.from_xml_string(f"""<mujoco><worldbody><flexcomp name="f" type="grid" count="{count}" dim="{dim}"
      spacing=".05 .05 .05" radius=".01" mass="1"><contact selfcollide="none" internal="false"/></flexcomp></worldbody></mujoco>""")
    d, our = mujoco.MjData(m), ours(m)
    data = Data(our)
    d.qpos[:] = 0.01 * rng.normal(size=m.nq)
    data.qpos[:] = d.qpos
    mujoco.mj_fwdPosition(m, d)
    call("mj_fwdPosition", our, data)
    hits = 0
    for _ in range(600):
        p = rng.normal(size=3)
        p *= rng.uniform(0.4, 1) / np.linalg.norm(p)  # from outside
        v = (d.flexvert_xpos[rng.integers(m.nflexvert)] + 0.03 * rng.normal(size=3) - p) * rng.uniform(0.3, 3)
        layer, flags = int(rng.integers(0, 3)), [int(rng.random() < 0.6) for _ in range(4)]
        vertex, mine = np.full(1, -9, np.int32), np.full(1, -9, np.int32)
        theirs = released("mju_rayFlex", m._address, d._address, layer, *flags, 0, p, v, vertex)
        dist = call("mju_rayFlex", our, data, layer, *flags, 0, p, v, mine, restype=ctypes.c_double)
        assert abs(dist - theirs) < 1e-9 and mine == vertex, (flags, layer)
        hits += theirs >= 0
    assert hits > 60


def test_rays_at_skins():
    rng = np.random.default_rng(1)
    hits = 0
    for _ in range(200):
        vertices, faces = rng.normal(size=(12, 3)).astype(np.float32), rng.integers(0, 12, (20, 3)).astype(np.int32)
        p = 2 * rng.normal(size=3)
        v = 0.5 * rng.normal(size=3) - p
        vertex, mine = np.full(1, -9, np.int32), np.full(1, -9, np.int32)
        theirs = released("mju_raySkin", 20, 12, faces, vertices, p, v, vertex)
        dist = call("mju_raySkin", 20, 12, faces, vertices, p, v, mine, restype=ctypes.c_double)
        assert abs(dist - theirs) < 1e-9 and mine == vertex
        hits += theirs >= 0
    assert hits > 100
