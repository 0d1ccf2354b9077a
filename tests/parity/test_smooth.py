"""Every stage of the smooth dynamics against the oracle, one stage at a time.

Our data is a copy of the oracle's after mj_forward. The outputs of a stage are overwritten with NaN,
the stage runs, and they must come back: no stage sees the rounding of another.
"""

import ctypes

import mujoco
import numpy as np
import pytest

import zoo_smooth
from harness import Data, call, compare, models, oracle, oracle_set, oracle_state, ours, random_states

RTOL, ATOL = 1e-10, 1e-12
NSTATES = 5

# stage: fields it writes whole
STAGES = {
    "mj_kinematics": "xpos xquat xmat xipos ximat xanchor xaxis geom_xpos geom_xmat site_xpos site_xmat",
    "mj_comPos": "subtree_com cdof cinert",
    "mj_camlight": "cam_xpos cam_xmat light_xpos light_xdir",
    "mj_flex": "flexvert_xpos flexelem_aabb flexedge_length bvh_aabb_dyn",
    "mj_tendon": "ten_length",
    "mj_makeM": "crb qM M",
    "mj_factorM": "qLD qLDiagInv",
    "mj_transmission": "actuator_length",
    "mj_comVel": "cvel cdof_dot",
    "mj_passive": "qfrc_spring qfrc_damper qfrc_gravcomp qfrc_fluid qfrc_passive",
    "mj_fwdActuation": "actuator_force qfrc_actuator act_dot",
    "mj_subtreeVel": "subtree_linvel subtree_angmom",
    "mj_rnePostConstraint": "cacc cfrc_int cfrc_ext",
}


def dense(rownnz, rowadr, colind, values, nv):
    rows = np.zeros((len(rownnz), nv))
    for i, (num, adr) in enumerate(zip(rownnz, rowadr)):
        np.add.at(rows[i], colind.ravel()[adr : adr + num], values.ravel()[adr : adr + num])
    return rows


def gradient(data, m, prefix):
    """ten_J or flexedge_J as a dense matrix, from ours or from the oracle."""
    values = np.array(getattr(data, prefix))
    if not mujoco.mj_isSparse(m):
        return values.reshape(-1, m.nv)
    rows = [np.array(getattr(data, f"{prefix}_{part}")) for part in ("rownnz", "rowadr", "colind")]
    return dense(*rows, values, m.nv)


def moment(data, m):
    return dense(data.moment_rownnz, data.moment_rowadr, data.moment_colind, data.actuator_moment, m.nv)


def check_tendons(m, d, data):
    compare("ten_wrapadr", data.ten_wrapadr, d.ten_wrapadr)
    compare("ten_wrapnum", data.ten_wrapnum, d.ten_wrapnum)
    points = int(d.ten_wrapnum.sum())
    compare("wrap_obj", data.wrap_obj.ravel()[:points], d.wrap_obj.ravel()[:points])
    compare("wrap_xpos", data.wrap_xpos.ravel()[: 3 * points], d.wrap_xpos.ravel()[: 3 * points], RTOL, ATOL)
    compare("ten_J", gradient(data, m, "ten_J"), gradient(d, m, "ten_J"), RTOL, ATOL)
    if mujoco.mj_isSparse(m):
        compare("ten_J_rownnz", data.ten_J_rownnz, d.ten_J_rownnz)
        compare("ten_J_rowadr", data.ten_J_rowadr, d.ten_J_rowadr)


def check_edges(m, d, data):
    moving = ~m.flexedge_rigid.astype(bool)
    compare("flexedge_J", gradient(data, m, "flexedge_J")[moving], gradient(d, m, "flexedge_J")[moving], RTOL, ATOL)


def check_rne(m, d, our, data):
    for acceleration in (0, 1):
        expected, result = np.zeros(m.nv), np.full(m.nv, np.nan)
        mujoco.mj_rne(m, d, acceleration, expected)
        call("mj_rne", our, data, acceleration, result)
        compare(f"mj_rne({acceleration})", result, expected, RTOL, ATOL)


def check_energy(m, d, our, data):
    mujoco.mj_energyPos(m, d)
    mujoco.mj_energyVel(m, d)
    call("mj_energyPos", our, data)
    call("mj_energyVel", our, data)
    compare("energy", data.energy, d.energy, RTOL, ATOL)


def data_for(m):
    our = ours(m)
    return our, Data(our)


def check_stages(m, d, states):
    our, data = data_for(m)
    for state in states:
        oracle_set(m, d, state)
        mujoco.mj_forward(m, d)
        mujoco.mj_subtreeVel(m, d)
        mujoco.mj_rnePostConstraint(m, d)
        data.copy_from(d)
        for stage, fields in STAGES.items():
            fields = fields.split()
            if "act_dot" in fields and m.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_ACTUATION:
                fields.remove("act_dot")  # stays as it was
            for field in fields:
                getattr(data, field)[...] = np.nan
            call(stage, our, data)
            for field in fields:
                # internal forces are what is left of the external ones
                floor = RTOL * np.abs(d.cfrc_ext).max() if field == "cfrc_int" else 0
                compare(f"{stage}: {field}", getattr(data, field), getattr(d, field), RTOL, ATOL + floor)
            if stage == "mj_tendon" and m.ntendon:
                check_tendons(m, d, data)
            if stage == "mj_flex" and m.nflexedge:
                check_edges(m, d, data)
            if stage == "mj_transmission" and m.nu:
                compare("actuator_moment", moment(data, m), moment(d, m), RTOL, ATOL)
            data.copy_from(d)
        if m.nv:
            check_rne(m, d, our, data)
            mujoco.mj_fwdVelocity(m, d)
            call("mj_fwdVelocity", our, data)
            compare("qfrc_bias", data.qfrc_bias, d.qfrc_bias, RTOL, ATOL)
        check_energy(m, d, our, data)


def test_stages(path):
    m, d = oracle(path)
    check_stages(m, d, random_states(m, NSTATES, seed=1))


def spread_states(m, n, scale, seed=1):
    """States all over the place, for small models without contacts."""
    rng = np.random.default_rng(seed)
    d = mujoco.MjData(m)
    states = []
    for k in range(n):
        mujoco.mj_resetData(m, d)
        mujoco.mj_integratePos(m, d.qpos, scale[k % len(scale)] * rng.standard_normal(m.nv), 1)
        d.qvel[:] = rng.standard_normal(m.nv)
        d.ctrl[:] = rng.standard_normal(m.nu)
        d.act[:] = rng.random(m.na)
        d.mocap_quat[:] += 0.1 * rng.standard_normal(d.mocap_quat.shape)
        d.xfrc_applied[1:] = rng.standard_normal((m.nbody - 1, 6))
        states.append(oracle_state(m, d))
    return states


ZOO = {"everything": (zoo_smooth.EVERYTHING, 10, (0.1, 0.5, 1))}
ZOO |= {f"flex {name}": (text, 4, (0.02,)) for name, text in zoo_smooth.FLEXES.items()}
ZOO |= {f"wrap {name}": (text, 200, (0.15, 0.3, 1)) for name, text in zoo_smooth.WRAPS.items()}
ZOO |= {f"medium {name}": (text, 4, (1,)) for name, text in zoo_smooth.MEDIUM.items()}


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("name", ZOO)
def test_zoo(name, jacobian):
    text, n, scale = ZOO[name]
    m = mujoco.MjModel.from_xml_string(text)
    m.opt.jacobian = ["dense", "sparse"].index(jacobian)
    check_stages(m, mujoco.MjData(m), spread_states(m, n, scale))


@pytest.mark.parametrize("group", [0, 4, 8])
@pytest.mark.parametrize("flag", "gravity passive clampctrl actuation".split())
def test_disabled(flag, group):
    m = mujoco.MjModel.from_xml_string(zoo_smooth.EVERYTHING)
    m.opt.disableflags |= getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag.upper()}")
    m.opt.disableactuator = group
    check_stages(m, mujoco.MjData(m), spread_states(m, 3, (0.1, 0.5, 1)))


@pytest.mark.parametrize("what", ["mass", "size and place", "options"])
def test_run_time_changes(what):
    """What a user changes in the model between calls takes effect at the next call."""
    path = next((p for n, p in models().items() if n.endswith("humanoid/humanoid.xml")), None)
    if path is None:
        pytest.skip("no humanoid among the models")
    m = mujoco.MjModel.from_xml_path(str(path))
    our = ours(m)
    d, data = mujoco.MjData(m), Data(our)
    states = random_states(m, 3, seed=2)
    for state in states:
        for model in (m, our):
            draws = np.random.default_rng(7).uniform(0.5, 2, 100)
            if what == "mass":
                model.body_mass[:] *= draws[0]
                model.body_inertia[:] *= draws[1]
                model.dof_armature[:] *= draws[2]
            elif what == "size and place":
                model.body_pos[2:] *= draws[3]
                model.body_ipos[:] *= draws[4]
                model.geom_pos[:] *= draws[5]
                model.jnt_pos[:] *= draws[6]
                model.jnt_stiffness[:] += draws[7]
            else:
                model.opt.density = draws[8]
                model.opt.viscosity = draws[9]
        oracle_set(m, d, state)
        data.set_state(state)
        mujoco.mj_fwdPosition(m, d)
        mujoco.mj_fwdVelocity(m, d)
        call("mj_fwdPosition", our, data)
        call("mj_fwdVelocity", our, data)
        for field in "xpos xipos geom_xpos subtree_com cinert qM qLD cvel qfrc_bias qfrc_passive".split():
            compare(field, getattr(data, field), getattr(d, field), RTOL, ATOL)


def test_total_mass():
    m = mujoco.MjModel.from_xml_string(zoo_smooth.EVERYTHING)
    our = ours(m)
    mujoco.mj_setTotalmass(m, 5)
    call("mj_setTotalmass", our, 5.0)
    for field in "body_mass body_inertia body_subtreemass body_invweight0 dof_M0 dof_invweight0 tendon_invweight0".split():
        compare(field, getattr(our, field), getattr(m, field), RTOL, ATOL)
    compare("mass", call("mj_getTotalmass", our, restype=ctypes.c_double), mujoco.mj_getTotalmass(m))


@pytest.mark.parametrize("name", ["everything", "flex attached", "flex solid"])
def test_support_functions(name):
    m = mujoco.MjModel.from_xml_string(ZOO[name][0])
    our, d = ours(m), mujoco.MjData(m)
    data, nv, rng = Data(our), m.nv, np.random.default_rng(5)

    def both(function, shapes, *arguments):
        theirs, mine = [np.zeros(s) for s in shapes], [np.full(s, np.nan) for s in shapes]
        getattr(mujoco, function)(m, d, *theirs, *arguments)
        call(function, our, data, *mine, *arguments)
        for k in range(len(shapes)):
            compare(f"{function} {k}", mine[k], theirs[k], RTOL, ATOL)

    for state in spread_states(m, 3, (0.1, 0.5, 1)):
        oracle_set(m, d, state)
        mujoco.mj_forward(m, d)
        mujoco.mj_rnePostConstraint(m, d)
        data.copy_from(d)
        for body in range(m.nbody):
            point, axis = rng.standard_normal(3), rng.standard_normal(3)
            both("mj_jac", [(3, nv)] * 2, point, body)
            both("mj_jacBody", [(3, nv)] * 2, body)
            both("mj_jacBodyCom", [(3, nv)] * 2, body)
            both("mj_jacSubtreeCom", [(3, nv)], body)
            both("mj_jacDot", [(3, nv)] * 2, point, body)
            both("mj_jacPointAxis", [(3, nv)] * 2, point, axis, body)
            both("mj_angmomMat", [(3, nv)], body)
            theirs, mine = np.zeros(nv), np.zeros(nv)
            mujoco.mj_applyFT(m, d, axis, point, point, body, theirs)
            call("mj_applyFT", our, data, axis, point, point, body, mine)
            compare("mj_applyFT", mine, theirs, RTOL, ATOL)
        for geom in range(m.ngeom):
            both("mj_jacGeom", [(3, nv)] * 2, geom)
        for site in range(m.nsite):
            both("mj_jacSite", [(3, nv)] * 2, site)
        counts = {"BODY": m.nbody, "XBODY": m.nbody, "GEOM": m.ngeom, "SITE": m.nsite, "CAMERA": m.ncam}
        for kind, count in counts.items():
            for i in range(count):
                for local in (0, 1):
                    for function in ("mj_objectVelocity", "mj_objectAcceleration"):
                        theirs, mine = np.zeros(6), np.full(6, np.nan)
                        objtype = int(getattr(mujoco.mjtObj, f"mjOBJ_{kind}"))
                        getattr(mujoco, function)(m, d, objtype, i, theirs, local)
                        call(function, our, data, objtype, i, mine, local)
                        compare(f"{function} {kind} {i} {local}", mine, theirs, RTOL, ATOL)
        vec = rng.standard_normal(nv)
        theirs, mine = np.zeros(nv), np.full(nv, np.nan)
        for function in ("mj_mulM", "mj_mulM2"):
            getattr(mujoco, function)(m, d, theirs, vec)
            call(function, our, data, mine, vec)
            compare(function, mine, theirs, RTOL, ATOL)
        rows, theirs, mine = rng.standard_normal((3, nv)), np.zeros((3, nv)), np.full((3, nv), np.nan)
        root = np.sqrt(d.qLDiagInv)
        mujoco.mj_solveM(m, d, theirs, rows)
        call("mj_solveM", our, data, mine, rows, 3)
        compare("mj_solveM", mine, theirs, RTOL, ATOL)
        mujoco.mj_solveM2(m, d, theirs, rows, root)
        call("mj_solveM2", our, data, mine, rows, root, 3)
        compare("mj_solveM2", mine, theirs, RTOL, ATOL)
        theirs, mine = np.zeros((nv, nv)), np.full((nv, nv), np.nan)
        mujoco.mj_fullM(m, theirs, d.qM)
        call("mj_fullM", our, mine, data.qM)
        compare("mj_fullM", mine, theirs, RTOL, ATOL)
        before, after = d.qpos.copy(), d.qpos.copy()
        moved = d.qpos.copy()
        mujoco.mj_integratePos(m, after, vec, 0.3)
        call("mj_integratePos", our, moved, vec, 0.3)
        compare("mj_integratePos", moved, after, RTOL, ATOL)
        theirs, mine = np.zeros(nv), np.full(nv, np.nan)
        mujoco.mj_differentiatePos(m, theirs, 0.3, before, after)
        call("mj_differentiatePos", our, mine, 0.3, before, after)
        compare("mj_differentiatePos", mine, theirs, RTOL, ATOL)
        theirs, mine = before * 3, before * 3
        mujoco.mj_normalizeQuat(m, theirs)
        call("mj_normalizeQuat", our, mine)
        compare("mj_normalizeQuat", mine, theirs, RTOL, ATOL)


@pytest.mark.parametrize("kind", ["sphere", "cylinder"])
def test_grazing_tendon(kind):
    """Through the inside of an obstacle, and past it: where it just touches, the released path goes over
    the point below the middle of its ends. Tendons of musculoskeletal models stay there for whole motions."""
    m = mujoco.MjModel.from_xml_string(f"""<mujoco><worldbody>
        <geom name="g" type="{kind}" size=".1 .3" contype="0" conaffinity="0"/><site name="a" pos="-.3 .15 .02"/>
        <site name="in" pos=".02 0 0"/><body><joint type="slide" axis="0 1 0"/><joint type="slide" axis="0 0 1"/>
        <geom size=".01" pos=".3 0 0" contype="0" conaffinity="0"/><site name="b" pos=".3 0 0"/></body></worldbody>
        <tendon><spatial><site site="a"/><geom geom="g" sidesite="in"/><site site="b"/></spatial></tendon></mujoco>""")
    d, our = mujoco.MjData(m), ours(m)
    data = Data(our)
    grazes = 0
    for y in np.r_[np.linspace(-0.5, 0.5, 2000), np.linspace(0.04, 0.08, 4000)]:
        d.qpos[:] = y, 0.01
        mujoco.mj_fwdPosition(m, d)
        data.set_state(oracle_state(m, d))
        call("mj_fwdPosition", our, data)
        compare(f"length at {y}", data.ten_length, d.ten_length, 1e-9)
        compare(f"J at {y}", data.ten_J, d.ten_J, 1e-6)
        grazes += d.ten_wrapnum[0] == 4
    assert 200 < grazes < 5800


@pytest.mark.parametrize("jacobian", ["dense", "sparse"])
@pytest.mark.parametrize("acting", ["", "<edge damping='1'/>", "<elasticity young='100' damping='.1'/>", "<elasticity young='100'/>"])
def test_edges_have_a_gradient_where_a_force_acts(jacobian, acting):
    def grid(name, content):
        return f"""<flexcomp name="{name}" type="grid" count="3 3 2" spacing=".1 .1 .1" radius=".01" dim="3" mass="1">
        {content}<pin id="0"/></flexcomp>"""

    m = mujoco.MjModel.from_xml_string(f"""<mujoco><option jacobian="{jacobian}"/><worldbody>
    {grid("a", acting)}{grid("b", "<edge damping='2'/>")}{grid("c", "")}</worldbody></mujoco>""")
    d, states = mujoco.MjData(m), spread_states(m, 2, (0.05, 0.3, 1))
    check_stages(m, d, states)
    our, data = data_for(m)
    data.set_state(states[-1])
    oracle_set(m, d, states[-1])
    mujoco.mj_forward(m, d)
    call("mj_forward", our, data)
    for name in "flexedge_velocity flexedge_length".split() + ["flexedge_J_rownnz"] * (jacobian == "sparse"):
        compare(name, getattr(data, name), getattr(d, name), RTOL, ATOL)
