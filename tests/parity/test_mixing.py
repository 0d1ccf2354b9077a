"""Contact parameters of random couples: priority, solmix, mixed forms of solref, condim, gaps, pairs, overrides; and
flexes of every dimension on every type of geom and within themselves."""

import mujoco
import numpy as np
import pytest

from harness import CTYPES, Data, call, ours

CONTACT = CTYPES["mjContact"]
PARAMETERS = ("includemargin", "friction", "solref", "solreffriction", "solimp", "dim", "exclude", "geom1", "geom2", "geom",
              "flex", "efc_address")


def contacts(data):
    return list((CONTACT * data.ncon).from_address(data._struct.contact)) if data.ncon else []


def attributes(rng):
    """Random attributes of a side of a contact."""
    solref = rng.choice(["", ".02 1", ".1 .7", "-500 -20", "-100 0", ".05 -3"])
    text = {
        "condim": rng.choice(["1", "3", "4", "6"]),
        "friction": " ".join(f"{x:.4g}" for x in rng.uniform(0, 1, 3)) if rng.random() < 0.8 else "0 0 0",
        "solmix": rng.choice(["1", "0", "2.5", "1e-20"]),
        "priority": rng.choice(["0", "0", "1", "-1"]),
        "margin": rng.choice(["0", ".01", ".05"]),
        "gap": rng.choice(["0", ".005", ".04"]),
        "solimp": rng.choice([".9 .95 .001", ".5 .99 .01 .3 4", "0 1 .1 .5 1"]),
    }
    if solref:
        text["solref"] = solref
    return " ".join(f'{k}="{v}"' for k, v in text.items() if rng.random() < 0.7)


def both(m, spread=0.0, seed=0, velocity=0.0):
    d, our = mujoco.MjData(m), ours(m)
    data = Data(our)
    rng = np.random.default_rng(seed)
    if spread:
        d.qpos[:] += spread * rng.normal(size=m.nq)
        mujoco.mj_normalizeQuat(m, d.qpos)
    d.qvel[:] = velocity * rng.normal(size=m.nv)
    data.qpos[:], data.qvel[:] = d.qpos, d.qvel
    mujoco.mj_forward(m, d)
    call("mj_forward", our, data)
    return d, data


@pytest.mark.parametrize("seed", range(40))
def test_parameters(seed):
    rng = np.random.default_rng(seed)
    kinds = ['type="sphere" size=".1"', 'type="box" size=".1 .1 .1"', 'type="capsule" size=".06 .08"']
    bodies = "".join(f'<body pos="{x:.3f} {y:.3f} {z:.3f}"><freejoint/><geom name="g{i}" {rng.choice(kinds)} {attributes(rng)}/></body>'
                     for i, (x, y, z) in enumerate(rng.uniform([-0.2, -0.2, 0.05], [0.2, 0.2, 0.3], (10, 3))))
    pairs = ""
    for i in range(0, 8, 2):
        if rng.random() < 0.5:
            extra = rng.choice(["", 'solreffriction=".3 2"', 'solreffriction="-50 -2"', 'margin=".03" gap=".02"', 'condim="6"',
                                'friction=".1 .2 .3 .4 .5"', 'solref="-100 -3" solimp=".1 .2 .3"'])
            pairs += f'<pair geom1="g{i}" geom2="g{i + 1}" {extra}/>'
    override = rng.choice(["", "", '<flag override="enable"/>'])
    cone = rng.choice(["pyramidal", "elliptic"])
    m = mujoco.MjModel.from_xml_string(f"""<mujoco><option cone="{cone}" o_margin="{rng.choice([0, .02])}" o_friction="0 .1 .2 .3 0">{override}
      </option><worldbody><geom name="floor" type="plane" size="3 3 1" {attributes(rng)}/>{bodies}</worldbody>
      <contact>{pairs}</contact></mujoco>""")
    d, data = both(m, velocity=0.5, seed=seed)
    mine = contacts(data)
    assert [tuple(c.geom) for c in mine] == [tuple(c.geom) for c in d.contact]
    for x, y in zip(mine, d.contact):
        for field in PARAMETERS:
            np.testing.assert_array_equal(np.array(getattr(x, field)), getattr(y, field), err_msg=field)
    assert data.nefc == d.nefc
    for name in ("efc_type", "efc_id"):
        np.testing.assert_array_equal(getattr(data, name), getattr(d, name), err_msg=name)
    for name in ("efc_pos", "efc_margin", "efc_aref", "efc_R", "efc_KBIP"):
        theirs = np.asarray(getattr(d, name)).reshape(getattr(data, name).shape)
        np.testing.assert_allclose(getattr(data, name), theirs, rtol=1e-6, atol=1e-6 * max(1, np.abs(theirs).max(initial=0)), err_msg=name)


GEOMS = {
    "plane": 'type="plane" size="1 1 1"',
    "hfield": 'type="hfield" hfield="h"',
    "sphere": 'type="sphere" size=".2" pos="0 0 -.19"',
    "capsule": 'type="capsule" size=".1 .2" zaxis="1 .2 0" pos="0 0 -.09"',
    "ellipsoid": 'type="ellipsoid" size=".3 .2 .1" pos="0 0 -.09"',
    "cylinder": 'type="cylinder" size=".2 .1" pos="0 0 -.09"',
    "box": 'type="box" size=".2 .2 .1" pos="0 0 -.09" euler="3 2 20"',
    "mesh": 'type="mesh" mesh="m" pos="0 0 -.09"',
}
GRIDS = {
    1: 'type="grid" count="5 1 1" dim="1"',
    2: 'type="grid" count="4 4 1" dim="2"',
    3: 'type="grid" count="3 3 3" dim="3"',
}


def found(list_of_contacts):
    """{who: [(dist, pos, normal, parameters)]}"""
    groups = {}
    for c in list_of_contacts:
        who = (*map(int, c.geom), *map(int, c.flex), *sorted(map(int, c.elem)), *sorted(map(int, c.vert)))
        groups.setdefault(who, []).append((c.dist, np.array(c.pos), np.array(c.frame)[:3], [np.array(getattr(c, f)) for f in PARAMETERS[:7]]))
    for g in groups.values():
        g.sort(key=lambda c: (round(c[0], 5), *np.round(c[1], 4)))
    return groups


@pytest.mark.parametrize("kind", GEOMS)
@pytest.mark.parametrize("dim", GRIDS)
@pytest.mark.parametrize("seed", range(3))
def test_flex_on_geoms(dim, kind, seed):
    """Who meets whom, how deep and with which parameters; within a flex there is neither margin nor gap."""
    rng = np.random.default_rng(100 * seed + 10 * dim + len(kind))
    own = f'selfcollide="{rng.choice(["none", "narrow", "bvh", "sap", "auto"])}" internal="{rng.choice(["true", "false"])}"'
    text = own + " " + attributes(rng).replace('".04"', '".005"').replace('".05"', '".01"')
    m = mujoco.MjModel.from_xml_string(f"""<mujoco><option timestep=".001"/><asset>
      <hfield name="h" nrow="5" ncol="6" size=".3 .3 .05 .1" elevation="{' '.join(f'{x:.3f}' for x in rng.uniform(0, 1, 30))}"/>
      <mesh name="m" vertex="-.2 -.2 -.1 .2 -.2 -.1 .2 .2 -.1 -.2 .2 -.1 -.15 -.2 .1 .2 -.1 .1 .2 .2 .1 -.2 .2 .12" inertia="convex"/></asset>
      <worldbody><geom {GEOMS[kind]} {attributes(rng)}/>
      <body pos="0 0 .05"><freejoint/><geom size=".03" {attributes(rng)}/></body>
      <flexcomp name="f" {GRIDS[dim]} spacing=".05 .05 .05" pos=".01 .02 {0.05 if kind == 'hfield' else 0.03}" radius=".01" mass="1">
        <contact {text}/></flexcomp></worldbody></mujoco>""")
    for k in range(3):
        d, data = both(m, spread=0.01, seed=k)
        mine, theirs = found(contacts(data)), found(d.contact)
        assert set(mine) == set(theirs)
        for who in theirs:
            assert len(mine[who]) == len(theirs[who]), who
            for x, y in zip(mine[who], theirs[who]):
                assert abs(x[0] - y[0]) < 2e-6, who
                for a, b in zip(x[3], y[3]):
                    np.testing.assert_array_equal(a, b)
