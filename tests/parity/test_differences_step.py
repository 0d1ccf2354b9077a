"""Entries of docs/differences.md on rows, solvers and derivatives: what each engine does, side by side."""

import mujoco
import numpy as np
import pytest

from harness import Data, call, oracle_set, oracle_state, ours
from test_differences import forward

BALLS = """<mujoco><option cone="{cone}" solver="{solver}" iterations="100"><flag island="{island}"/></option>
<worldbody><geom type="plane" size="5 5 1"/>{bodies}</worldbody></mujoco>"""


def rows(data, d, nv, sparse):
    """efc_J of both, as matrices. What stands in the pattern of dense ones is anything."""
    made = []
    for x in (data, d):
        J = np.zeros((d.nefc, nv))
        pattern = [np.array(getattr(x, "efc_J" + n)) for n in ("", "_rownnz", "_rowadr", "_colind")]
        if sparse:
            mujoco.mju_sparse2dense(J, *pattern)
        else:
            J[:] = pattern[0].ravel()[: J.size].reshape(J.shape)
        made.append(J)
    return made


def test_states_of_cones_after_pgs():
    """A ball that lies still is held inside its cone: its rows are quadratic."""
    body = '<body pos="0 0 .099"><freejoint/><geom size=".1"/></body>'
    data, d = forward(BALLS.format(cone="elliptic", solver="PGS", island="disable", bodies=body))
    assert np.asarray(data.efc_state).tolist() == [mujoco.mjtConstraintState.mjCNSTRSTATE_QUADRATIC] * 3
    assert d.efc_state.tolist() == [mujoco.mjtConstraintState.mjCNSTRSTATE_SATISFIED] * 3


def test_states_of_rows_in_islands():
    """The state of a row is that of its copy in the island."""
    friction = '<body pos="{} 0 1"><joint axis="0 1 0" frictionloss="{}"/><geom size=".1" pos=".3 0 0"/></body>'
    ball = '<body pos="{} 0 .09"><joint type="slide" axis="0 0 1"/><geom size=".1"/></body>'
    bodies = "".join(ball.format(k) for k in range(3)) + friction.format(9, 0.1) + friction.format(12, 100)
    data, d = forward(BALLS.format(cone="pyramidal", solver="Newton", island="enable", bodies=bodies))
    assert data.nisland == d.nisland == 5
    copies = np.asarray(data.iefc_state)
    assert np.array_equal(copies, d.iefc_state)
    assert np.array_equal(copies, np.asarray(data.efc_state)[np.asarray(data.map_iefc2efc)])
    assert not np.array_equal(d.iefc_state, d.efc_state[d.map_iefc2efc])


def test_first_row_of_a_tendon():
    """The row of its equality, not the number of the equality."""
    data, d = forward("""<mujoco><worldbody>
    <body><joint name="a"/><geom size=".1" pos="1 0 0"/></body><body pos="9 0 0"><joint name="b"/><geom size=".1" pos="1 0 0"/></body>
    </worldbody><tendon><fixed name="t"><joint joint="a" coef="1"/></fixed><fixed name="u"><joint joint="b" coef="1"/></fixed></tendon>
    <equality><joint joint1="a" active="false"/><tendon tendon1="t" tendon2="u"/></equality></mujoco>""")
    assert d.nefc == 1
    assert np.asarray(data.tendon_efcadr).tolist() == [0, 0]
    assert d.tendon_efcadr.tolist() == [1, 1]


def test_tendons_without_rows():
    """In neither engine is there less to read where there is no row at all."""
    m = mujoco.MjModel.from_xml_string('''<mujoco><worldbody><body><joint name="a"/><geom size=".1"/></body></worldbody>
    <tendon><fixed range="-9 9"><joint joint="a" coef="1"/></fixed><fixed><joint joint="a" coef="2"/></fixed></tendon></mujoco>''')
    d, our = mujoco.MjData(m), ours(m)
    data = Data(our)
    mujoco.mj_forward(m, d)
    call("mj_forward", our, data)
    assert np.asarray(data.tendon_efcadr).tolist() == d.tendon_efcadr.tolist() == [-1, -1]


CLOTH = """<mujoco><option jacobian="{}" cone="elliptic"/><worldbody>{}<body name="c"><flexcomp name="f" type="grid" dim="2"
count="3 3 1" spacing=".1 .1 .1" mass="1" radius=".01">{}<contact condim="6" selfcollide="none" internal="false"/></flexcomp></body>
</worldbody></mujoco>"""
CAPSULE = """<body pos="0 0 .05"><joint axis="0 1 0" pos="0 0 .3"/><joint axis="1 0 0" pos="0 0 .3"/>
<geom type="capsule" size=".05 .1" condim="6"/></body>"""


def constrained(xml):
    """Both engines at the first state of a model, up to the rows: released rows of this kind may leave its solver with no Hessian."""
    m = mujoco.MjModel.from_xml_string(xml)
    d, our = mujoco.MjData(m), ours(m)
    data = Data(our)
    mujoco.mj_fwdPosition(m, d)
    call("mj_fwdPosition", our, data)
    return data, d


def test_torsion_on_the_elements_of_a_flex():
    """Rows are the same, sparse or dense; the released ones are when they are dense."""
    (ours_, theirs), (sparse, other) = (
        rows(*constrained(CLOTH.format(jacobian, CAPSULE, "")), 29, jacobian == "sparse") for jacobian in ("dense", "sparse")
    )
    assert np.allclose(ours_, theirs, atol=1e-12)
    assert np.allclose(ours_, sparse, atol=1e-12)
    assert not np.allclose(other, theirs, atol=0.1)


def test_contacts_that_move_nothing():
    """Pinned points on static ground have no rows, sparse or dense."""
    made = {j: forward(CLOTH.format(j, '<geom type="plane" size="5 5 1"/>', '<pin id="0 4"/>')) for j in ("sparse", "dense")}
    assert made["sparse"][0].nefc == made["sparse"][1].nefc == made["dense"][0].nefc == 7 * 6
    assert made["dense"][1].nefc == 9 * 6
    assert np.asarray(made["dense"][0].contact["exclude"]).tolist() == [3, 0, 0, 0, 3, 0, 0, 0, 0]


ARM = """<mujoco><option integrator="{}"><flag fwdinv="enable" invdiscrete="{}"/></option><worldbody>
<body><joint name="j" axis="0 1 0" damping="3" frictionloss=".1"/><geom size=".1" pos=".3 0 0"/></body></worldbody>
<actuator><general joint="j" gaintype="affine" gainprm="5 1 -2" biastype="affine" biasprm="0 0 -1"/></actuator></mujoco>"""


def test_check_by_inverse_dynamics_is_continuous():
    """What the flag compares is how well the solver did, not what the integrator makes of it."""
    m = mujoco.MjModel.from_xml_string(ARM.format("implicit", "enable"))
    d, our = mujoco.MjData(m), ours(m)
    data = Data(our)
    d.qvel[:] = 1
    data.set_state(oracle_state(m, d))
    mujoco.mj_step(m, d)
    call("mj_step", our, data)
    assert np.abs(data.solver_fwdinv).max() < 1e-10
    assert d.solver_fwdinv.max() > 0.01


@pytest.mark.parametrize("integrator", ["implicit", "implicitfast"])
def test_transition_with_gains_of_velocity(integrator):
    """The control changes the damping of the step: B is the difference of whole steps."""
    m = mujoco.MjModel.from_xml_string(ARM.format(integrator, "disable"))
    d, our = mujoco.MjData(m), ours(m)
    data = Data(our)
    d.qvel[:], d.ctrl[:] = 1, 0.3
    state = oracle_state(m, d)
    data.set_state(state)
    got, expected = np.zeros((2, 1)), np.zeros((2, 1))
    call("mjd_transitionFD", our, data, 1e-6, 1, None, got, None, None)
    mujoco.mjd_transitionFD(m, d, 1e-6, 1, None, expected, None, None)
    ends = []
    for step in (1e-6, -1e-6):
        oracle_set(m, d, state)
        d.ctrl += step
        mujoco.mj_step(m, d)
        ends.append(np.concatenate([d.qpos, d.qvel]))
    whole = (ends[0] - ends[1])[:, None] / 2e-6
    assert np.allclose(got, whole, rtol=1e-6, atol=1e-9)
    assert not np.allclose(expected, whole, rtol=1e-3)


def test_a_warm_start_that_is_optimal():
    """Nothing is left to do: no iteration; the released engine takes one more Newton step."""
    body = '<body pos="0 0 .099"><freejoint/><geom type="box" size=".1 .1 .1"/></body>'
    xml = BALLS.format(cone="pyramidal", solver="Newton", island="disable", bodies=body)
    m = mujoco.MjModel.from_xml_string(xml)
    d, our = mujoco.MjData(m), ours(m)
    data = Data(our)
    for _ in range(2):
        mujoco.mj_forward(m, d)
        call("mj_forward", our, data)
    assert (data.solver_niter[0], d.solver_niter[0]) == (0, 1)
    assert np.allclose(data.qacc, d.qacc, atol=1e-7)
