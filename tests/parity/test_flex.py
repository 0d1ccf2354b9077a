"""Steps of random flexes: lines, cloths and solids, elastic or held by their edges, on a floor and in contact
with themselves and with geoms. Each step starts from the state of the oracle."""

import random

import compiled
import harness
import mujoco
import numpy as np
import pytest
import scenes
from harness import Data, call, compare, oracle_state, ours

TYPES = {1: ["grid", "circle"], 2: ["grid", "square", "disc"], 3: ["grid", "box", "cylinder", "ellipsoid"]}
STEPS = 12


def flex(rng, name, dim):
    kind = rng.choice(TYPES[dim])
    count = [rng.randint(4, 7) if dim == 1 else rng.randint(2, 3 + (dim == 2))] + [rng.randint(2, 3) if dim > k else 1 for k in (1, 2)]
    content = "<edge equality='true' damping='.1'/>"
    if dim == 1 and rng.random() < 0.7:
        content = f"<edge stiffness='{rng.choice([100, 1000])}' damping='.5'/>"
    elif dim > 1 and rng.random() < 0.6:
        sheet = f"thickness='.02' elastic2d='{rng.choice(['bend', 'stretch', 'both'])}'" if dim == 2 else ""
        content = f"<elasticity young='{rng.choice([1e3, 1e4])}' poisson='.2' damping='{rng.choice([0, 0.01])}' {sheet}/>"
    contact = f"condim='{rng.choice([1, 3])}' margin='{rng.choice([0, 0.01, 0.05])}' internal='{rng.choice(['true', 'false'])}'"
    return f"""<flexcomp name="{name}" type="{kind}" dim="{dim}" count="{count[0]} {count[1]} {count[2]}" spacing=".1 .1 .1"
    pos="0 0 {rng.uniform(0.05, 0.3):.3f}" radius=".02" mass="{rng.choice([0.2, 1])}" euler="{rng.randint(-60, 60)} 10 20">
    {content}<contact selfcollide="{rng.choice(['none', 'auto', 'sap'])}" {contact}/></flexcomp>"""


def model(seed, dim):
    rng = random.Random(1000 * dim + seed)
    balls = "".join(f"<body pos='{rng.uniform(-.1, .2):.3f} 0 {rng.uniform(.4, .6):.3f}'><freejoint/><geom size='.05'/></body>"
                    for _ in range(rng.randint(0, 2)))
    return f"""<mujoco><option cone="{rng.choice(['pyramidal', 'elliptic'])}" tolerance="1e-12" iterations="200"
    integrator="{rng.choice(['Euler', 'implicit', 'implicitfast'])}" jacobian="{rng.choice(['dense', 'sparse'])}"/>
    <worldbody><geom type="plane" size="3 3 1"/>{flex(rng, "f", dim)}{balls}</worldbody></mujoco>"""


def rows_agree(data, d):
    """Is what decides about contacts the same: element searches end among slim triangles."""
    names = "dist pos frame".split()
    return data.ncon == d.ncon and all(
        np.allclose(np.reshape(data.contact[n], getattr(d.contact, n).shape), getattr(d.contact, n), rtol=0, atol=1e-9)
        for n in names)


@pytest.mark.parametrize("dim", [1, 2, 3])
def test_flexes(dim):
    compared = touching = 0
    for seed in range(24):
        m = mujoco.MjModel.from_xml_string(model(seed, dim))
        d, our = mujoco.MjData(m), ours(m)
        data = Data(our)
        for _ in range(STEPS):
            data.set_state(oracle_state(m, d))
            mujoco.mj_step(m, d)
            call("mj_step", our, data)
            for name in "flexedge_length flexedge_velocity qfrc_passive".split():
                b = getattr(d, name)
                compare(f"seed {seed} {name}", getattr(data, name), b, rtol=1e-8, atol=1e-9 * (1 + abs(b).max()))
            if not rows_agree(data, d) or data.nefc != d.nefc:
                break
            compare(f"seed {seed} margin", data.contact["includemargin"], d.contact.includemargin)
            for name in "efc_margin efc_diagApprox efc_aref".split():
                compare(f"seed {seed} {name}", getattr(data, name), getattr(d, name), rtol=1e-6, atol=1e-6)
            size = abs(d.qvel).max()
            if size > 1e3 or d.efc_D.max(initial=0) > 1e9:
                break
            compare(f"seed {seed} qvel", data.qvel, d.qvel, rtol=1e-6, atol=1e-6 * (1 + size))
            compared += 1
            touching += (d.contact.flex >= 0).all(axis=1).any() if d.ncon else 0
    assert compared > 24 * STEPS / 2 and touching >= 10 * (dim > 1)


def seamed_sphere(rows=5, columns=7):
    """An OBJ file whose points are there once for every pair of texture coordinates: twice at the seam,
    many times at the poles."""
    lines = []
    for i in range(rows + 1):
        for j in range(columns + 1):
            t, p = np.pi * i / rows, 2 * np.pi * (j % columns) / columns
            r = 0 if i in (0, rows) else 0.1 * np.sin(t)
            lines.append(f"v {r * np.cos(p):.6f} {r * np.sin(p):.6f} {0.1 * np.cos(t):.6f}")
    lines += [f"vt {j / columns:.4f} {1 - i / rows:.4f}" for i in range(rows + 1) for j in range(columns + 1)]
    for i in range(rows):
        for j in range(columns):
            a, b, c, d = (x * (columns + 1) + y + 1 for x, y in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)))
            lines += [f"f {a}/{a} {b}/{b} {d}/{d}"] * (i > 0) + [f"f {b}/{b} {c}/{c} {d}/{d}"] * (i < rows - 1)
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("dof", ["full", "radial", "trilinear"])
def test_seams_of_a_texture(dof, tmp_path):
    """Points of a file at the same place are one point of the flex, with a pair of texture coordinates in
    every element."""
    (tmp_path / "m.obj").write_text(seamed_sphere())
    path = tmp_path / "m.xml"
    path.write_text(f"""<mujoco><asset><texture name="t" type="2d" builtin="flat" width="8" height="8"/>
    <material name="t" texture="t"/></asset><worldbody><flexcomp type="mesh" file="m.obj" name="f" dim="2" mass="1" dof="{dof}"
    radius=".01" material="t"><contact selfcollide="none" internal="false"/></flexcomp></worldbody></mujoco>""")
    m = mujoco.MjModel.from_xml_path(str(path))
    assert m.nflexvert == 4 * 7 + 2 and m.nflextexcoord == 6 * 8
    assert not compiled.differences(harness.load_ours(path), m, search=False)


@pytest.mark.parametrize("selfcollide", ["auto", "narrow", "bvh", "sap"])
def test_pinned_elements(selfcollide):
    """Elements that hang on one body, as all pinned ones do, do not collide with each other."""
    m = mujoco.MjModel.from_xml_string(f"""<mujoco><worldbody><flexcomp name="f" type="grid" dim="2" count="4 5 1" spacing=".07 .07 .07"
    mass="1" radius=".01"><pin id="0 1 2 3"/><edge equality="true"/><contact selfcollide="{selfcollide}" internal="false"/></flexcomp>
    </worldbody></mujoco>""")
    d, our, rng, compared = mujoco.MjData(m), ours(m), np.random.default_rng(0), 0
    data = Data(our)
    for _ in range(30):
        d.qpos[:] = 0.04 * rng.normal(size=m.nq)
        mujoco.mj_forward(m, d)
        data.set_state(oracle_state(m, d))
        call("mj_forward", our, data)
        mine, theirs = (sorted(map(tuple, np.sort(np.reshape(x, (-1, 2)), 1))) for x in (data.contact["elem"], d.contact.elem))
        assert mine == theirs
        compared += d.ncon
    assert compared > 100


def touching(dims, selfcollide):
    """Flexes of the given dimensions within each other."""
    counts = {1: "8 1 1", 2: "5 4 1", 3: "3 4 3"}
    flexes = "".join(
        f"<flexcomp name='f{i}' type='grid' dim='{dim}' count='{counts[dim]}' spacing='.06 .06 .06' pos='{0.01 * i} {0.02 * i} {0.03 * i}' "
        f"mass='1' radius='.01'><contact selfcollide='{selfcollide}' internal='{'true' if dim == 3 else 'false'}'/></flexcomp>"
        for i, dim in enumerate(dims))
    return mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{flexes}</worldbody></mujoco>")


@pytest.mark.parametrize("selfcollide", ["narrow", "bvh", "sap", "auto"])
@pytest.mark.parametrize("dims", [(2,), (3,), (3, 2), (2, 3, 3), (1, 3)])
def test_order(dims, selfcollide):
    """Contacts of flexes come in the released order, which of two elements is the first as well."""
    m = touching(dims, selfcollide)
    d, our, rng, compared = mujoco.MjData(m), ours(m), np.random.default_rng(0), 0
    data = Data(our)
    for _ in range(5):
        d.qpos[:] = 0.03 * rng.normal(size=m.nq)
        mujoco.mj_forward(m, d)
        data.set_state(oracle_state(m, d))
        call("mj_forward", our, data)
        for name in "flex elem vert".split():
            compare(name, data.contact[name], getattr(d.contact, name))
        compared += d.ncon
    assert compared > 10


def test_points_to_the_last_bit():
    """Points of every shape, and vertices in the box of a flex whose nodes carry it: a weight of zero is no column of a row."""
    rng = np.random.default_rng(0)
    for k, kind in enumerate(("grid", "box", "cylinder", "ellipsoid", "disc") * 4):
        dim, dof = (2, "full") if kind == "disc" else (3, ("trilinear", "full")[k // 5 % 2])
        count, spacing = rng.integers(3, 6, 3), rng.uniform(0.02, 0.2, 3).round(3)
        count[dim:] = 1
        xml = f"""<mujoco><worldbody><flexcomp name="f" type="{kind}" dim="{dim}" count="{count[0]} {count[1]} {count[2]}"
        spacing="{spacing[0]} {spacing[1]} {spacing[2]}" dof="{dof}" radius=".01" mass=".5" pos=".3 .1 .7">
        <elasticity young="1e4" thickness=".01"/><contact selfcollide="none" internal="false"/></flexcomp></worldbody></mujoco>"""
        m, our = scenes.compiled(xml)
        for name in ("body_pos", "flex_vert", "flex_vert0"):
            assert np.array_equal(np.ravel(getattr(our, name)), np.ravel(getattr(m, name))), (kind, dof, name)


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
def test_points_on_faces_of_a_cell(jacobian):
    """Nodes with a share below 1e-5 of a point carry nothing of it: a vertex on a face of the cell has four nodes."""
    xml = f"""<mujoco><option jacobian="{jacobian}"/><worldbody><geom type="plane" size="1 1 1"/>
    <flexcomp name="f" type="box" dim="3" count="4 4 4" spacing=".08 .08 .08" dof="trilinear" radius=".01" mass="1" pos="0 0 .1"
    euler="11 7 3"><elasticity young="1e4" poisson=".2"/><contact selfcollide="none" internal="false"/></flexcomp></worldbody></mujoco>"""
    m, our = scenes.compiled(xml)
    d, data = mujoco.MjData(m), Data(our)
    for share in (0, 1.6e-5, 1.7e-5, 1e-4):
        m.flex_vert0[:] = np.clip(m.flex_vert0, share, 1 - share)
        our.flex_vert0[:] = m.flex_vert0
        mujoco.mj_forward(m, d)
        call("mj_forward", our, data)
        assert d.ncon > 3 and data.nefc == d.nefc
        if jacobian == "sparse":
            assert np.array_equal(np.ravel(data.efc_J_rownnz), np.ravel(d.efc_J_rownnz))
        for name in ("efc_J", "efc_diagApprox", "efc_vel", "efc_aref"):
            compare(name, getattr(data, name), getattr(d, name), rtol=1e-9, atol=1e-9)


def test_corners_that_touch_their_slab():
    """Internal contacts of tetrahedra whose height is exactly two radii: at distance zero there is none."""
    touching = 0
    for turn in ("0 0 0", "23 -10 23", "38 3 -24", "-7 31 12"):
        m, our = scenes.compiled(f"""<mujoco><option jacobian="sparse"/><worldbody><flexcomp name="f" type="cylinder" dim="3"
        count="4 4 4" spacing=".08 .08 .08" radius=".02" mass="1" pos="-.009 .0128 .05" euler="{turn}"><edge equality="true"/>
        <contact selfcollide="none" internal="true"/></flexcomp></worldbody></mujoco>""")
        d, data = mujoco.MjData(m), Data(our)
        mujoco.mj_fwdPosition(m, d)
        call("mj_fwdPosition", our, data)
        assert data.ncon == d.ncon > 10
        compare("dist", data.contact["dist"], d.contact.dist, rtol=0, atol=0)
        touching += int((abs(d.contact.dist) < 1e-15).sum())
    assert touching
