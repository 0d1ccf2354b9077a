"""sinew.derive against differences of whole steps."""

import numpy as np
import pytest

import sinew

XML = """<mujoco><option cone='elliptic' tolerance='0' iterations='200'/><default><joint damping='.3' armature='.01'/></default>
<worldbody><geom type='plane' size='5 5 .1'/><body pos='0 0 .12'><freejoint/><geom type='box' size='.2 .1 .1'/>
<body name='arm' pos='.2 .1 0'><joint name='a' axis='0 1 0'/><geom type='capsule' size='.05' fromto='0 0 0 .2 0 0'/>
<body pos='.25 0 0'><joint type='ball'/><geom size='.06'/><site name='s'/></body></body></body></worldbody>
<actuator><position joint='a' kp='5'/><general joint='a' dyntype='filter' dynprm='.1'/></actuator>
<sensor><gyro site='s'/><accelerometer site='s'/></sensor></mujoco>"""


@pytest.fixture
def scene():
    model = sinew.MjModel.from_xml_string(XML)
    data = sinew.MjData(model)
    data.ctrl[:] = 0.3, -0.2
    sinew.mj_step(model, data, 60)
    return model, data


def test_transition_agrees_with_differences(scene):
    model, data = scene
    nx = 2 * model.nv + model.na
    result, report = sinew.derive.transition(model, data, report=True)
    A, B = np.zeros((nx, nx)), np.zeros((nx, model.nu))
    C, D = np.zeros((model.nsensordata, nx)), np.zeros((model.nsensordata, model.nu))
    sinew.mjd_transitionFD(model, data, 1e-7, True, A, B, C, D)
    assert report.residual < 1e-9 and not report.whole and report.nearest_kind in ("row", "contact")
    assert "sensors" not in report.differenced
    for ours, theirs in zip(result, (A, B, C, D)):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, atol=2e-5 * np.abs(theirs).max())
    plain = sinew.derive.transition(model, data, sensors=False)
    assert plain.C is None and plain.D is None
    np.testing.assert_array_equal(plain.A, result.A)


def test_products_are_those_of_the_matrices(scene):
    model, data = scene
    A, B, _, _ = sinew.derive.transition(model, data, sensors=False)
    rng = np.random.default_rng(1)
    x, u, g = rng.normal(size=A.shape[1]), rng.normal(size=B.shape[1]), rng.normal(size=A.shape[0])
    np.testing.assert_allclose(sinew.derive.jvp(model, data, x, u), A @ x + B @ u, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(sinew.derive.jvp(model, data, x), A @ x, rtol=1e-8, atol=1e-8)
    gx, gu = sinew.derive.vjp(model, data, g)
    np.testing.assert_allclose(gx, A.T @ g, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(gu, B.T @ g, rtol=1e-8, atol=1e-8)
    ctrl, rows = np.tile(data.ctrl, (1, 1)), g[None]
    first, by_ctrl = sinew.derive.rollout_vjp(model, data, ctrl, rows)
    np.testing.assert_array_equal(first, gx)
    np.testing.assert_array_equal(by_ctrl[0], gu)


def test_forward_and_inverse_are_inverse(scene):
    model, data = scene
    forward = sinew.derive.forward(model, data)
    inverse = sinew.derive.inverse(model, data, actuation=True)
    np.testing.assert_allclose(inverse.a.T @ forward.force, np.eye(model.nv), atol=1e-8)
    np.testing.assert_allclose(inverse.a.T @ forward.q, -inverse.q.T, atol=1e-9 * np.abs(inverse.q).max())
    assert inverse.M.shape == (model.nv, model.nM)


def test_parameters(scene):
    model, data = scene
    column = sinew.derive.parameters(model, data, [("body_mass", "arm", 0), ("opt.gravity", None, 2)])
    nv = model.nv
    ends = []
    for side in (-1, 1):
        changed = sinew.MjModel.from_xml_string(XML)
        start, state = sinew.MjData(changed), np.zeros(sinew.mj_stateSize(model, sinew.mjtState.mjSTATE_INTEGRATION))
        sinew.mj_getState(model, data, state, sinew.mjtState.mjSTATE_INTEGRATION)
        sinew.mj_setState(changed, start, state, sinew.mjtState.mjSTATE_INTEGRATION)
        changed.body_mass[changed.body("arm").id] += side * 1e-5
        sinew.mj_step(changed, start)
        ends.append(np.array(start.qvel))
    np.testing.assert_allclose(column[nv : 2 * nv, 0], (ends[1] - ends[0]) / 2e-5, atol=1e-5 * np.abs(column[:, 0]).max())
    with pytest.raises(sinew.FatalError, match="leg"):
        sinew.derive.parameters(model, data, [("body_mass", "leg", 0)])


PUSHED = """<mujoco><option tolerance='0' iterations='200'/><worldbody><geom type='plane' size='5 5 .1'/>
<body name='pusher' mocap='true' pos='.19 0 .1'><geom size='.1'/></body>
<body name='box' pos='0 0 .098'><freejoint/><geom type='box' size='.1 .1 .1'/></body></worldbody></mujoco>"""


def test_inputs_agree_with_differences():
    model = sinew.MjModel.from_xml_string(PUSHED)
    data = sinew.MjData(model)
    sinew.mj_step(model, data, 3)
    found = sinew.derive.inputs(model, data)
    nx = 2 * model.nv
    assert found.force.shape == (nx, model.nv) and found.wrench.shape == (nx, 6 * model.nbody) and found.mocap.shape == (nx, 6)

    def velocity(array, k, step):
        other = sinew.MjData(model)
        spec = int(sinew.mjtState.mjSTATE_INTEGRATION)
        state = np.zeros(sinew.mj_stateSize(model, spec))
        sinew.mj_getState(model, data, state, spec)
        sinew.mj_setState(model, other, state, spec)
        getattr(other, array).ravel()[k] += step
        sinew.mj_step(model, other)
        return other.qvel.copy()

    body = model.body("box").id
    for array, k, column, step in (
        ("qfrc_applied", 2, found.force[:, 2], 1e-3),
        ("xfrc_applied", 6 * body + 4, found.wrench[:, 6 * body + 4], 1e-3),
        ("mocap_pos", 0, found.mocap[:, 0], 1e-6),
    ):
        expected = (velocity(array, k, step) - velocity(array, k, -step)) / (2 * step)
        np.testing.assert_allclose(column[model.nv :], expected, atol=1e-5 * np.abs(expected).max())
    g = np.random.default_rng(2).normal(size=nx)
    for back, columns in zip(sinew.derive.vjp_inputs(model, data, g), found):
        np.testing.assert_allclose(back.ravel(), g @ columns, rtol=1e-9, atol=1e-9)
    with pytest.raises(ValueError, match="gnext"):
        sinew.derive.vjp_inputs(model, data, g[1:])


def test_hard_contact_is_noted_and_differentiated():
    model = sinew.MjModel.from_xml_string(PUSHED.replace("<worldbody>", "<custom><text name='sinew:solver' data='admm-ncp'/></custom><worldbody>"))
    data = sinew.MjData(model)
    sinew.mj_step(model, data, 3)
    _, report = sinew.derive.transition(model, data, report=True)
    assert not report.whole and "implicit function" in report.differenced and report.noted == ""


def test_a_derivative_that_fails_leaves_nothing_behind():
    model = sinew.MjModel.from_xml_string(PUSHED.replace("<worldbody>", "<custom><text name='sinew:solver' data='admm-ncp'/></custom><worldbody>"))
    data, other = sinew.MjData(model), sinew.MjData(model)
    sinew.mj_step(model, data, 3)
    sinew.mj_step(model, other, 3)
    calls = []

    def control(model, data):
        calls.append(0)
        if len(calls) == 9:
            raise RuntimeError("enough")

    sinew.set_mjcb_control(control)
    try:
        with pytest.raises(RuntimeError, match="enough"):
            sinew.derive.transition(model, data, sensors=False)
    finally:
        sinew.set_mjcb_control(None)
    other.qvel[:] = 1
    fresh = sinew.MjData(model)
    fresh.qpos[:], fresh.qvel[:], fresh.qacc_warmstart[:] = other.qpos, other.qvel, other.qacc_warmstart
    fresh.mocap_pos[:] = other.mocap_pos
    sinew.mj_step(model, other)
    sinew.mj_forward(model, fresh)
    sinew.mj_step(model, fresh)
    np.testing.assert_allclose(other.qvel, fresh.qvel, atol=1e-6)
    expected = sinew.derive.transition(model, fresh, sensors=False)
    again = sinew.derive.transition(model, fresh, sensors=False)
    np.testing.assert_array_equal(expected.A, again.A)


def test_batch_rows_are_those_of_single_data(scene):
    model, data = scene
    batch = sinew.Batch(model, 5, nthread=2)
    rng = np.random.default_rng(2)
    batch.set("qpos", data.qpos)
    batch.set("qvel", data.qvel + 0.1 * rng.normal(size=(5, model.nv)))
    A, B = batch.transition()
    assert not batch.bad_rows
    g = rng.normal(size=(5, A.shape[1]))
    gx, gu = batch.vjp(g)
    for row in range(5):
        single = sinew.MjData(model)
        sinew.mj_setState(model, single, batch.state[row], sinew.mjtState.mjSTATE_INTEGRATION)
        result = sinew.derive.transition(model, single, sensors=False)
        np.testing.assert_array_equal(A[row], result.A)
        np.testing.assert_array_equal(B[row], result.B)
        np.testing.assert_allclose(gx[row], result.A.T @ g[row], rtol=1e-8, atol=1e-8)


def test_wrong_arguments_are_refused(scene):
    model, data = scene
    with pytest.raises(TypeError):
        sinew.derive.transition(None, data)
    with pytest.raises(ValueError):
        sinew.derive.vjp(model, data, np.zeros(3))
    with pytest.raises(ValueError):
        sinew.derive.jvp(model, data, np.zeros(2 * model.nv + model.na), np.zeros(7))
    with pytest.raises(ValueError):
        sinew._sinew._derive_transition(model, data, np.zeros(3), None, None, None)
